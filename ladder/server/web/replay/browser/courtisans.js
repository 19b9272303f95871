// Draws a game of Courtisans: a column a family, across the Queen's table and all domains.
(() => {
  "use strict";
  const { h, icon, badge, signed, copies, counted, clock, tip, sign, games } = window.Courtyard;
  const guide = window.Courtyard.guide;
  const QUEEN = "?";
  const MET = 3;

  // A card: its family's emblem and letter, its role's sign; `down` if it lies face down.
  const tile = (film, code, options = {}) => {
    const [family, role] = code;
    const hidden = family === QUEEN;
    const { down } = options;
    const name = said(film, code);
    const effect = [down && "Face down.", weighed(film, role), options.told].filter(Boolean).join(" ");
    return h(
      "span",
      {
        class: ["tile", hidden ? "hidden" : `f-${family}`, down && "down", options.fresh && "fresh", options.cls].filter(Boolean).join(" "),
        "data-key": options.key,
        "data-place": options.place,
        "data-from": options.from,
        ...sign(name, effect),
      },
      hidden ? icon("s", "back") : h("span", { class: "emblem" }, icon(family), h("i", {}, family)),
      role !== "p" && !(hidden && role === "s") && h("span", { class: `role r-${role}` }, icon(role)),
      options.value != null && h("span", { class: `value ${tone(options.value)}` }, signed(options.value)),
    );
  };

  const weighed = (film, role) => `Weight ${film.board.weights[role]}: ${guide.roles?.[role]}.`;
  const tone = (number) => (number > 0 ? "up" : number < 0 ? "low" : "even");
  const names = (film) => Object.fromEntries(film.board.families);

  // A card in words.
  const said = (film, [family, role]) => {
    const roleName = film.board.roles[role];
    if (family === QUEEN) return roleName;
    const name = names(film)[family];
    return role === "p" ? `plain ${name}` : `${name} ${roleName}`;
  };

  // The cards in play, with faces as the viewer knows them: by area, in the order of their turns.
  const cardsOf = (scene) => {
    const areas = {};
    for (const [key, value] of Object.entries(scene)) {
      const found = /^([t\d])\/(\d+)$/.exec(key);
      if (!found) continue;
      const [code, by, side, gone] = value;
      const face = scene[`face/${key}`] || code[0];
      const card = { key, area: found[1], turn: Number(found[2]), code: face + code[1], by, side, gone };
      (areas[gone ? "gone" : card.area] ||= []).push(card);
    }
    for (const cards of Object.values(areas)) cards.sort((a, b) => a.turn - b.turn);
    return areas;
  };

  const weightOf = (film, cards, family) =>
    cards.filter((card) => card.code[0] === family).reduce((sum, card) => sum + film.board.weights[card.code[1]], 0);

  // For each family: the known weight above, below, and the sign of the difference.
  const standing = (film, areas) => {
    const table = areas.t || [];
    return Object.fromEntries(
      film.board.families.map(([family]) => {
        const above = weightOf(film, table.filter((card) => card.side === "a"), family);
        const below = weightOf(film, table.filter((card) => card.side === "b"), family);
        return [family, { above, below, sign: Math.sign(above - below) }];
      }),
    );
  };
  const STATUS = { 1: "esteemed", 0: "neutral", "-1": "fallen" };

  const worth = (film, cards, status) =>
    cards.filter((card) => card.code[0] !== QUEEN).reduce((sum, card) => sum + film.board.weights[card.code[1]] * status[card.code[0]].sign, 0);

  // Whether a mission would be fulfilled if the game ended now, as far as its viewer sees.
  const isMet = (film, areas, status, seat, [, kind, what, number]) => {
    const next = (seat + 1) % film.seats.length;
    const count = (cards, family) =>
      cards.filter((card) => card.code[0] === family).reduce((sum, card) => sum + (card.code[1] === "n" ? film.board.noble : 1), 0);
    const below = (areas.t || []).filter((card) => card.side === "b");
    const families = film.board.families.map(([letter]) => letter);
    const are = (wanted) => families.filter((letter) => status[letter].sign === wanted).length;
    switch (kind) {
      case "fewer": return count(areas[seat] || [], what) < count(areas[next] || [], what);
      case "role": return (areas[seat] || []).filter((card) => card.code[1] === what).length >= number;
      case "family fallen": return status[what].sign < 0;
      case "families below": return families.filter((letter) => count(below, letter) >= number).length >= what;
      case "esteemed": return are(1) <= what;
      default: return are(-1) >= what;
    }
  };

  class Court {
    constructor(film) {
      this.film = film;
      this.node = h("div", { class: "court", "data-seats": film.seats.length });
      this.parts = { domains: "Domains", hands: "Hands", missions: "Missions" };
      this.highlight = "kill or reveal";
      this.first = 0;
      const families = film.board.families.map(([letter]) => letter);
      this.columns = [...families.slice(0, 3), QUEEN, ...families.slice(3)];
    }

    // Draw a scene; `fresh` are the keys that changed.
    draw(scene, fresh) {
      const areas = cardsOf(scene);
      const status = standing(this.film, areas);
      this.arrow = null;
      // A card that is killed now still lies where it lay.
      for (const card of areas.gone || []) if (fresh.has(card.key)) this.kill(areas, card);
      const seats = this.film.seatsFrom(this.first).map((seat) => this.domain(scene, areas, status, seat, fresh));
      this.node.replaceChildren(this.table(scene, areas, status, fresh), ...seats);
    }

    // The scene once options are taken of a decision that is not complete, [label, piece, place] each.
    // What is put leaves a hole in the hand, so that the rest keep their keys.
    after(scene, taken) {
      const { act: seat, turn } = scene;
      const next = { ...scene, [`hand/${seat}`]: [...scene[`hand/${seat}`]] };
      for (const [, piece, place] of taken) {
        const at = /^hand\/\d\[(\d)\]$/.exec(piece ?? "")?.[1];
        if (at) {
          const [kind, where] = place.split("/");
          const key = `${kind === "t" ? kind : where}/${turn}`;
          const code = next[`hand/${seat}`][at];
          next[key] = [code, seat, kind === "t" ? where : "", 0];
          if (code[1] === "s") next[`face/${key}`] = code[0];
          next[`hand/${seat}`][at] = null;
        } else if (piece) next[piece] = [...next[piece].slice(0, 3), turn];
      }
      return next;
    }

    kill(areas, victim) {
      this.arrow = [`${victim.area}/${victim.gone}`, victim.key];
      areas.gone = areas.gone.filter((card) => card !== victim);
      (areas[victim.area] ||= []).push({ ...victim, killed: true });
    }

    card(scene, card, fresh, more = {}) {
      const down = card.code[1] === "s" && !scene.up;
      const by = card.by == null ? "" : ` by ${this.film.name(card.by)}`;
      return h(
        "span",
        { class: "slot" },
        tile(this.film, card.code, {
          key: card.key,
          down,
          from: `seat-${card.by}`,
          fresh: fresh.has(card.key) && !card.killed,
          cls: card.killed && "killed",
          told: `${card.killed ? "Killed now; placed" : card.gone ? `Killed in turn ${card.gone}; placed` : "Placed"} in turn ${card.turn}${by}.`,
          ...more,
        }),
      );
    }

    table(scene, areas, status, fresh) {
      const at = (column, side) =>
        (areas.t || []).filter((card) => card.side === side && (card.code[1] === "s" && !scene.up ? column === QUEEN : column === card.code[0]));
      const cells = (side) => this.columns.map((column) => h("div", { class: `cell ${column === QUEEN ? "queens" : `f-${column}`}`, "data-place": `t/${side}` }, at(column, side).map((card) => this.card(scene, card, fresh))));
      const mat = this.columns.map((column) => {
        if (column === QUEEN) return h("div", { class: "mat queens", ...tip("The Queen", guide.terms?.queen) }, icon("queen"), h("b", {}, "Queen"));
        const { above, below, sign: side } = status[column];
        const is = STATUS[side];
        return h(
          "div",
          { class: `mat f-${column} is-${is}`, ...tip(`${names(this.film)[column]}: ${is}`, `${above} above the mat, ${below} below. ${guide.terms?.[is] ?? ""}`) },
          icon(column),
          h("b", {}, names(this.film)[column]),
          h("span", { class: `surplus ${tone(side)}` }, signed(above - below)),
        );
      });
      const gone = areas.gone || [];
      return h(
        "section",
        { class: "table" },
        h("div", { class: "side", "data-place": "t/a", ...tip("In esteem", guide.terms?.esteem) }, "In esteem"),
        cells("a"),
        h("div", { class: "side deck" }, counted(scene.deck, "card"), " in the deck"),
        mat,
        h("div", { class: "side", "data-place": "t/b", ...tip("In disgrace", guide.terms?.disgrace) }, "In disgrace"),
        cells("b"),
        h("div", { class: "gone" }, h("span", {}, `Killed: ${gone.length || "none"}`), h("div", { class: "cell" }, gone.map((card) => this.card(scene, card, fresh)))),
      );
    }

    domain(scene, areas, status, seat, fresh) {
      const cards = areas[seat] || [];
      const acting = scene.act === seat;
      return h(
        "section",
        { class: `domain of-${seat}${acting ? " acting" : ""}`, id: `seat-${seat}`, "data-place": `seat/${seat}` },
        h("header", {}, badge(seat), h("b", { class: "name", "data-handle": true }, this.film.name(seat)), this.shownPoints(scene, areas, status, seat), scene[`forfeit/${seat}`] ? h("span", { class: "clock" }, "stand-in") : clock(scene, seat)),
        this.columns.map((column) => h("div", { class: `cell ${column === QUEEN ? "queens" : `f-${column} is-${STATUS[status[column].sign]}`}` }, cards.filter((card) => card.code[0] === column).map((card) => this.card(scene, card, fresh)))),
        this.hand(scene, seat),
        this.wishes(scene, areas, status, seat),
      );
    }

    // What a seat would have if the game ended now; missions count if the viewer knows them.
    parted(scene, areas, status, seat) {
      const wishes = this.wishesOf(scene, seat);
      const domain = worth(this.film, areas[seat] || [], status);
      return [domain, wishes && wishes.filter((wish) => isMet(this.film, areas, status, seat, wish)).length * MET];
    }

    points(scene) {
      const areas = cardsOf(scene);
      const status = standing(this.film, areas);
      return this.film.seatNumbers.map((seat) => this.parted(scene, areas, status, seat).reduce((a, b) => a + (b ?? 0)));
    }

    // Kills, and the end, at which the spies are turned up: [step, seat, kind].
    marks() {
      return this.film.frames.flatMap(([, seat, , changes], number) => {
        if (changes.up === 1) return [[number, 0, "reveal"]];
        return Object.entries(changes).some(([key, value]) => /^[t\d]\//.test(key) && value[3] > 0) ? [[number, seat, "kill"]] : [];
      });
    }

    shownPoints(scene, areas, status, seat) {
      const [domain, missions] = this.parted(scene, areas, status, seat);
      const text = missions == null ? "Without its missions, which are secret." : "Domain, missions, and all, as if the game ended now.";
      return h("span", { class: `points ${tone(domain + (missions ?? 0))}`, ...tip(`${signed(domain)} from the domain${missions == null ? "" : `, ${signed(missions)} from missions`}`, text) }, missions != null && h("small", {}, `${signed(domain)} ${signed(missions)} = `), missions == null ? signed(domain) : String(domain + missions).replace("-", "−"));
    }

    hand(scene, seat) {
      const known = scene[`hand/${seat}`];
      const shown = known
        ? known.map((code, i) => code && tile(this.film, code, copies(`hand/${seat}`, known, i)))
        : Array.from({ length: scene.hands[seat] }, () => h("span", { class: "tile blank" }));
      return h("div", { class: "hand" }, h("div", { class: "cell" }, shown.map((one) => h("span", { class: "slot" }, one))), h("span", { class: "left" }, scene.left[seat] ? `${counted(scene.left[seat], "turn")} left` : "no turns left"));
    }

    wishesOf(scene, seat) {
      return scene[`wish/${seat}`] ?? (scene.up ? this.film.explained.wishes?.[seat] : null);
    }

    wishes(scene, areas, status, seat) {
      const known = this.wishesOf(scene, seat);
      if (!known) return h("p", { class: "wishes secret", ...tip("Two secret missions", guide.terms?.missions) }, "2 secret missions");
      return h(
        "ul",
        { class: "wishes" },
        known.map((wish, i) => {
          const met = isMet(this.film, areas, status, seat, wish);
          const text = this.film.text(wish[0]);
          return h("li", { class: i ? "blue" : "white", ...tip(`${i ? "Blue" : "White"} mission: ${text}`, `${met ? "Fulfilled" : "Not fulfilled"} ${scene.up ? "" : "if the game ended now"}: ${met ? "+3 points" : "no points"}.`) }, h("i", {}, i ? "B" : "W"), h("span", { class: met ? "met" : "missed" }, icon(met ? "met" : "missed")), h("span", { class: "wish" }, this.film.words(wish[0])));
        }),
      );
    }

    legend() {
      const families = this.film.board.families.map(([letter, name]) => [h("span", { class: `sign f-${letter}` }, icon(letter)), name, `${letter} on its cards`]);
      const roles = Object.entries(this.film.board.roles).map(([letter, name]) => [letter === "p" ? "" : h("span", { class: "sign" }, icon(letter)), name, weighed(this.film, letter)]);
      return [["Roles", roles], ["Families", families], ["Words", Object.entries(guide.terms ?? {}).map(([name, text]) => ["", name, text])]];
    }

    // The scene in words, a line an area.
    describe(scene, viewer) {
      const areas = cardsOf(scene);
      const status = standing(this.film, areas);
      const list = (cards) => cards.map((card) => said(this.film, card.code)).join(", ") || "nothing";
      const lines = [];
      const side = (letter) => (areas.t || []).filter((card) => card.side === letter);
      if (scene.act != null) lines.push(["To play", this.film.name(scene.act)]);
      lines.push(["Above the mat", list(side("a"))], ["Below the mat", list(side("b"))]);
      lines.push(["Families", this.film.board.families.map(([letter, name]) => `${name} ${STATUS[status[letter].sign]} (${status[letter].above} above, ${status[letter].below} below)`).join(", ")]);
      for (const seat of this.film.seatNumbers) {
        lines.push([`Domain of ${this.film.name(seat)}`, `${list(areas[seat] || [])}; worth ${signed(worth(this.film, areas[seat] || [], status))}`]);
      }
      for (const seat of this.film.seatsOf(viewer)) {
        const hand = (scene[`hand/${seat}`] || []).filter(Boolean).map((code) => said(this.film, code)).join(", ");
        lines.push([`Hand of ${this.film.name(seat)}`, hand || "empty"]);
        const wishes = (scene[`wish/${seat}`] || []).map((wish) => this.film.text(wish[0])).join("; ");
        if (wishes) lines.push([`Missions of ${this.film.name(seat)}`, wishes]);
      }
      if (areas.gone) lines.push(["Eliminated", list(areas.gone)]);
      return lines;
    }

    // The end, card by card.
    explain() {
      const { families, seats } = this.film.explained;
      const sign = Object.fromEntries(families.map(([letter, , , value]) => [letter, value]));
      const order = this.film.seatNumbers.toSorted((a, b) => this.film.outcomes[a][0] - this.film.outcomes[b][0] || a - b);
      return [
        h("h2", { id: "scores" }, "How it was scored"),
        h(
          "ul",
          { class: "standing" },
          families.map(([letter, above, below, value]) =>
            h("li", { class: `f-${letter} is-${STATUS[value]}` }, icon(letter), h("b", {}, names(this.film)[letter]), h("span", {}, `${above} above, ${below} below`), h("em", {}, `${STATUS[value]} ${signed(value)}`)),
          ),
        ),
        h("div", { class: "scores" }, order.map((seat) => this.score(seat, seats[seat], sign))),
      ];
    }

    score(seat, part, sign) {
      const [rank, points, forfeit] = this.film.outcomes[seat];
      const letters = this.film.board.families.map(([letter]) => letter);
      const rows = letters
        .map((letter) => [letter, part.cards.filter(([, code]) => code[0] === letter)])
        .filter(([, cards]) => cards.length);
      const domain = part.cards.reduce((sum, [, , value]) => sum + value, 0);
      return h(
        "section",
        { class: `score of-${seat}${rank === 1 ? " winner" : ""}` },
        h("header", {}, h("span", { class: "rank" }, `${rank}.`), badge(seat), h("h3", {}, this.film.name(seat)), h("strong", {}, String(points), h("span", { class: "unseen" }, " points"))),
        forfeit && h("p", { class: "forfeit" }, `forfeited: ${forfeit}; ranked behind all who did not`),
        h(
          "table",
          {},
          h("caption", {}, "Domain"),
          h("tbody", {},
            rows.map(([letter, cards]) =>
              h("tr", {},
                h("th", { scope: "row" }, names(this.film)[letter], h("small", {}, STATUS[sign[letter]])),
                h("td", { class: "row" }, cards.map(([, code, value]) => tile(this.film, code, { value }))),
                h("td", { class: `sum ${tone(cards.reduce((sum, [, , value]) => sum + value, 0))}` }, signed(cards.reduce((sum, [, , value]) => sum + value, 0))))),
            part.missions.map(([wish, met, worth_, why], i) =>
              h("tr", { class: "mission" },
                h("th", { scope: "row" }, i ? "blue" : "white", h("small", {}, met ? "met" : "not met")),
                h("td", {}, h("span", { class: met ? "met" : "missed" }, icon(met ? "met" : "missed")), h("span", {}, this.film.words(wish), h("small", {}, this.film.words(why)))),
                h("td", { class: `sum ${tone(worth_)}` }, signed(worth_))))),
          h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Points"), h("td", {}, `${signed(domain)} from cards, ${signed(points - domain)} from missions`), h("td", { class: "sum" }, String(points))))),
      );
    }
  }

  games.courtisans = Court;
})();
