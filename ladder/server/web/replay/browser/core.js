// What the parts of the replay share: elements, words, and the scenes of a film.
//
// The scripts of the replay are classic ones in one namespace, because modules and fetch do not work
// from the file system. Nothing is ever put into the page as HTML: all text is text.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";

  // An element with attributes and children; null and false children are left out.
  const h = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== false && value != null) node.setAttribute(name, value);
    }
    append(node, children);
    return node;
  };

  // What tells its meaning when it is pointed at, focused or tapped: its name, then its effect.
  const tip = (name, effect) => ({ "data-tip": effect ? `${name}\n${effect}` : name, tabindex: -1 });
  const sign = (name, effect) => ({ ...tip(name, effect), role: "img", "aria-label": effect ? `${name}: ${effect}` : name });

  const append = (node, children) => {
    for (const child of children) {
      if (Array.isArray(child)) append(node, child);
      else if (child != null && child !== false) node.append(child);
    }
  };

  const svg = (tag, attributes, ...children) => {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  // The mark of a seat: a colour, a shape and a number, so that no one of them is needed.
  const SHAPES = [
    "M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21z",
    "M4.5 2.5h15a2 2 0 0 1 2 2v15a2 2 0 0 1-2 2h-15a2 2 0 0 1-2-2v-15a2 2 0 0 1 2-2z",
    "M12 .5 23.5 12 12 23.5.5 12z",
    "M12 .8 23.7 22H.3z",
    "M6.5 1.5h11L23.500 12l-6 10.500h-11L.5 12z",
    "M12 .8 23.3 9l-4.300 13.500H5L.7 9z",
    "M.3 2h23.400L12 23.200z",
    "M2 6.500h20v11H2z",
    "M8 1h8v7h7v8h-7v7H8v-7H1V8h7z",
    "M12 23 1.500 12.500V7A5.500 5.500 0 0 1 12 4.300 5.500 5.500 0 0 1 22.500 7v5.500z",
  ];
  const badge = (seat, cls = "") =>
    svg(
      "svg",
      { class: `badge of-${seat} ${cls}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true" },
      svg("path", { d: SHAPES[seat] }),
      svg("text", { x: 12, y: { 3: 20, 6: 14 }[seat] ?? 16.5 }, String(seat)),
    );

  // Rich markup: [style]text[/], where "\[" is a bracket. Returns [text, style] pairs.
  const spans = (markup) => {
    const found = [];
    let style = "";
    let text = "";
    const flush = () => {
      if (text) found.push([text, style]);
      text = "";
    };
    for (let i = 0; i < markup.length; i += 1) {
      const tag = /^\[([a-z/]*)\]/.exec(markup.slice(i, i + 24));
      if (markup[i] === "\\" && (markup[i + 1] === "[" || markup[i + 1] === "\\")) {
        text += markup[i + 1];
        i += 1;
      } else if (tag) {
        flush();
        style = tag[1] === "/" ? "" : tag[1];
        i += tag[0].length - 1;
      } else {
        text += markup[i];
      }
    }
    flush();
    return found;
  };

  // The scenes that changes add up to, each made when it is first asked for.
  class Scenes {
    constructor(changeAt) {
      this.changeAt = changeAt;
      this.made = [];
    }

    // The scene after a frame; a frame that changes nothing shares the one before.
    at(number) {
      for (let next = this.made.length; next <= number; next += 1) {
        this.made.push(Scenes.changed(this.made[next - 1] ?? {}, this.changeAt(next)));
      }
      return this.made[number];
    }

    static changed(scene, change) {
      if (!change || !Object.keys(change).length) return scene;
      const next = { ...scene };
      for (const [key, value] of Object.entries(change)) {
        if (value === null && key !== "act" && key !== "ask") delete next[key];
        else next[key] = value;
      }
      return next;
    }
  }

  // A film with its words and scenes.
  class Film {
    constructor(data) {
      Object.assign(this, data, Film.byFrames(data));
      this.seatNumbers = this.seats.map((_, seat) => seat);
      this.last = this.frames.length - 1;
      this.audience = this.viewer === null;
      this.layers = new Map();
      this.publicScenes = new Scenes((number) => this.frames[number][3]);
      this.turns = []; // [turn, its first frame]
      this.frames.forEach(([turn], number) => {
        if (!this.turns.length || this.turns.at(-1)[0] !== turn) this.turns.push([turn, number]);
      });
    }

    // The data come by columns, as these pack smaller; here is a frame whole again:
    // [turn, seat, words, changes], and what a seat knows besides, [changes, words].
    static byFrames(data) {
      const { turns, seats, words, changes } = data.frames;
      let turn = 0;
      const frames = turns.map((step, i) => [(turn += step), seats[i], words[i], {}]);
      Film.put(changes, (number) => frames[number][3]);
      const own = {};
      for (const [seat, known] of Object.entries(data.own)) {
        const mine = (own[seat] = {});
        Film.put(known.changes, (number) => (mine[number] ??= [{}, ""])[0]);
        for (const [number, text] of known.words) (mine[number] ??= [{}, ""])[1] = text;
      }
      return { frames, own };
    }

    static put(columns, changesOf) {
      for (const [key, [steps, values]] of Object.entries(columns)) {
        let number = 0;
        steps.forEach((step, i) => {
          number += step;
          changesOf(number)[key] = values[i];
        });
      }
    }

    layer(seat) {
      if (!this.layers.has(seat)) {
        const own = this.own[seat] || {};
        this.layers.set(seat, new Scenes((number) => own[number]?.[0]));
      }
      return this.layers.get(seat);
    }

    // Who can be looked through: null is the audience.
    viewers() {
      return this.audience ? [null, ...this.seatNumbers] : [this.viewer];
    }

    seatsOf(viewer) {
      return viewer === null ? this.seatNumbers : [viewer];
    }

    // All seats in their order, from the one that a person has, who sees it first.
    seatsFrom(first) {
      return [...this.seatNumbers.slice(first), ...this.seatNumbers.slice(0, first)];
    }

    // All that a viewer knows after a frame: what everybody knows, and the layers of its seats.
    scene(number, viewer) {
      const own = this.seatsOf(viewer).map((seat) => this.layer(seat).at(number));
      return Object.assign({}, this.publicScenes.at(number), ...own);
    }

    // The keys that a frame changes for a viewer.
    changed(number, viewer) {
      const keys = new Set(Object.keys(this.frames[number][3]));
      for (const seat of this.seatsOf(viewer)) {
        for (const key of Object.keys(this.own[seat]?.[number]?.[0] || {})) keys.add(key);
      }
      return keys;
    }

    markup(number, viewer) {
      if (viewer === null && this.board.told) return this.told(number);
      for (const seat of this.seatsOf(viewer)) {
        const more = this.own[seat]?.[number]?.[1];
        if (more) return more;
      }
      return this.frames[number][2];
    }

    // What everybody was told, and then what single seats were told instead.
    told(number) {
      const own = this.seatNumbers
        .map((seat) => [seat, this.own[seat]?.[number]?.[1]])
        .filter(([, words]) => words)
        .map(([seat, words]) => ` [plain](to [/][seat]@${seat}[/][plain]: [/]${words}[plain])[/]`);
      return this.frames[number][2] + own.join("");
    }

    turnAt(number) {
      return this.frames[number][0];
    }

    turnIndex(number) {
      const turn = this.turnAt(number);
      return this.turns.findIndex(([one]) => one === turn);
    }

    turnName(turn) {
      if (turn === 0) return "The deal";
      return turn === this.turns.at(-1)[0] && this.outcomes.length ? "The end" : `Turn ${turn}`;
    }

    name(seat) {
      const [name, version] = this.seats[seat];
      const twin = this.seats.some(([other], at) => other === name && at !== seat);
      return `${name}${version ? ` v${version}` : ""}${twin ? ` (seat ${seat})` : ""}`;
    }

    // Markup as nodes; "@2" in the style of a seat is the name of seat 2.
    words(markup) {
      return spans(markup).map(([text, style]) => {
        const seat = style === "seat" && /^@(\d)$/.exec(text);
        if (seat) {
          return h("b", { class: `who of-${seat[1]}` }, this.name(Number(seat[1])));
        }
        return style ? h("span", { class: `w-${style}` }, text) : text;
      });
    }

    // The referee's words to one seat, in which it calls the others "seat 2", with their names.
    named(words) {
      return words.replace(/\bseat (\d)\b/g, (said, seat) => (this.seats[seat] ? this.name(Number(seat)) : said));
    }

    text(markup) {
      return spans(markup)
        .map(([text, style]) => {
          const seat = style === "seat" && /^@(\d)$/.exec(text);
          return seat ? this.name(Number(seat[1])) : text;
        })
        .join("")
        .replace(/\s+/g, " ")
        .trim();
    }
  }

  const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0");
  const counted = (number, what) => `${String(number).replace("-", "−")} ${what}${number === 1 ? "" : "s"}`;

  // The key of a piece in a list, and with it that of its first copy, for which it may stand.
  const copies = (list, pieces, i) => ({ key: `${list}[${i}]`, place: `${list}[${pieces.indexOf(pieces[i])}]` });

  // What a seat took for its last decision, and what its clock holds.
  const clock = (scene, seat) => {
    const [took, left] = scene[`clock/${seat}`] ?? [];
    if (took == null) return h("span", { class: "clock" });
    const spent = took < 1000 ? `${took} ms` : `${(took / 1000).toFixed(1)} s`;
    return h("span", { class: "clock", ...tip(`Thought for ${spent}`, `Its clock holds ${left} s more.`) }, `${spent} · ${left} s left`);
  };

  Object.assign(window.Courtyard, { h, svg, badge, spans, Film, signed, copies, counted, clock, tip, sign, games: {} });
})();
