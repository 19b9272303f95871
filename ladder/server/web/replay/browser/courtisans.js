// Draws a game of Courtisans: the Queen's table, the domains around it, hands, missions, the end.
(() => {
  "use strict";
  const { h, icon, badge, signed, counted, games } = window.Courtyard;
  const QUEEN = "?";

  // A card: its family's emblem and letter, its role's sign. `open` is false face down.
  const tile = (film, code, options = {}) => {
    const [family, role] = code;
    const hidden = family === "?";
    const roleName = film.board.roles[role];
    const familyName = names(film)[family];
    const title = options.title || (hidden ? roleName : `${familyName} ${roleName}`);
    const down = options.down;
    return h(
      "span",
      {
        class: ["tile", hidden ? "hidden" : `f-${family}`, down && "down", options.fresh && "fresh", options.cls]
          .filter(Boolean)
          .join(" "),
        "data-key": options.key,
        "data-from": options.from,
        title,
      },
      hidden ? icon("s", "back") : h("span", { class: "emblem" }, icon(family), h("i", {}, family)),
      role !== "p" && !(hidden && role === "s") && h("span", { class: `role r-${role}` }, icon(role)),
      options.value != null && h("span", { class: `value ${tone(options.value)}` }, signed(options.value)),
    );
  };

  const tone = (number) => (number > 0 ? "up" : number < 0 ? "low" : "even");
  const names = (film) => Object.fromEntries(film.board.families);

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
    cards
      .filter((card) => card.code[0] === family)
      .reduce((sum, card) => sum + film.board.weights[card.code[1]], 0);

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
    cards
      .filter((card) => card.code[0] !== "?")
      .reduce((sum, card) => sum + film.board.weights[card.code[1]] * status[card.code[0]].sign, 0);

  class Court {
    constructor(film) {
      this.film = film;
      this.node = h("div", { class: "court", "data-seats": film.seats.length });
    }

    // Draw a scene; `fresh` are the keys that changed.
    draw(scene, fresh, viewer) {
      const areas = cardsOf(scene);
      const status = standing(this.film, areas);
      const near = viewer ?? 0; // who sits nearest to the reader
      const seats = this.film.seatNumbers.map((seat) => {
        const place = (seat - near + this.film.seats.length) % this.film.seats.length;
        return this.domain(scene, areas, status, seat, place, fresh);
      });
      this.node.replaceChildren(this.table(scene, areas, status, fresh), ...seats);
    }

    card(scene, card, fresh, more = {}) {
      const role = this.film.board.roles[card.code[1]];
      const down = card.code[1] === "s" && !scene.up;
      const family = card.code[0] === "?" ? "" : `${names(this.film)[card.code[0]]} `;
      return tile(this.film, card.code, {
        key: card.key,
        down,
        from: `seat-${card.by}`,
        fresh: fresh.has(card.key),
        title: `${family}${role}${down ? ", face down" : ""}, turn ${card.turn}, by ${this.film.name(card.by)}`,
        ...more,
      });
    }

    table(scene, areas, status, fresh) {
      const families = this.film.board.families.map(([letter]) => letter);
      const columns = [...families.slice(0, 3), QUEEN, ...families.slice(3)];
      const table = areas.t || [];
      const at = (column, side) =>
        table.filter(
          (card) =>
            card.side === side &&
            (card.code[1] === "s" && !scene.up ? column === QUEEN : column === card.code[0]),
        );
      const cells = (side) =>
        columns.map((column) =>
          h(
            "div",
            { class: `cell ${side === "a" ? "above" : "below"} ${column === QUEEN ? "queens" : `f-${column}`}` },
            at(column, side).map((card) => this.card(scene, card, fresh)),
          ),
        );
      const mat = columns.map((column) => {
        if (column === QUEEN) return h("div", { class: "mat queens" }, icon("queen"), h("b", {}, "Queen"));
        const { above, below, sign } = status[column];
        return h(
          "div",
          { class: `mat f-${column} is-${STATUS[sign]}`, title: `${names(this.film)[column]}: ${above} above, ${below} below` },
          icon(column),
          h("b", {}, names(this.film)[column]),
          h("span", { class: `surplus ${tone(sign)}` }, signed(above - below)),
        );
      });
      const gone = (areas.gone || []).map((card) => this.card(scene, card, fresh, { cls: "small" }));
      return h(
        "section",
        { class: "table" },
        h("div", { class: "side" }, "In esteem", h("span", { class: "deck" }, counted(scene.deck, "card"), " in the deck")),
        h("div", { class: "mats" }, cells("a"), mat, cells("b")),
        h("div", { class: "side" }, "In disgrace"),
        gone.length > 0 && h("div", { class: "gone" }, h("span", {}, "Eliminated"), gone),
      );
    }

    domain(scene, areas, status, seat, place, fresh) {
      const cards = areas[seat] || [];
      const families = [...this.film.board.families.map(([letter]) => letter), "?"];
      const groups = families
        .map((family) => cards.filter((card) => card.code[0] === family))
        .filter((group) => group.length);
      const points = worth(this.film, cards, status);
      const acting = scene.act === seat;
      return h(
        "section",
        { class: `domain place-${place}${acting ? " acting" : ""} of-${seat}`, id: `seat-${seat}` },
        h(
          "header",
          {},
          badge(seat),
          h("b", { class: "name" }, this.film.name(seat)),
          this.points(scene, seat, points),
        ),
        h("div", { class: "cards" }, groups.map((group) => h("span", { class: "group" }, group.map((card) => this.card(scene, card, fresh)))), !cards.length && h("span", { class: "none" }, "empty")),
        h("div", { class: "foot" }, this.hand(scene, seat), this.wishes(scene, seat)),
      );
    }

    // What the domain is worth as it is; at the end with the missions.
    points(scene, seat, points) {
      if (!scene.up) return h("span", { class: `points ${tone(points)}`, title: "What the domain is worth now, without missions" }, signed(points));
      const total = this.film.outcomes[seat][1];
      return h("span", { class: "points", title: "Domain, missions, points in all" }, h("small", {}, `${signed(points)} ${signed(total - points)} = `), String(total));
    }

    hand(scene, seat) {
      const known = scene[`hand/${seat}`];
      const count = scene.hands[seat];
      const shown = known
        ? known.map((code) => tile(this.film, code, { cls: "small" }))
        : Array.from({ length: count }, () => h("span", { class: "tile small blank" }));
      const left = scene.left[seat];
      if (!left && !count) return null;
      return h(
        "div",
        { class: "hand" },
        shown,
        h("span", { class: "left" }, `${scene[`forfeit/${seat}`] ? "stand-in, " : ""}${counted(left, "turn")} left`),
      );
    }

    wishes(scene, seat) {
      const known = scene[`wish/${seat}`];
      if (known) return h("ul", { class: "wishes" }, known.map((wish, i) => h("li", { class: i ? "blue" : "white" }, h("i", {}, i ? "B" : "W"), h("span", {}, this.film.words(wish)))));
      const end = this.film.explained.seats;
      if (scene.up && end) return h("ul", { class: "wishes" }, end[seat].missions.map(([wish], i) => h("li", { class: i ? "blue" : "white" }, h("i", {}, i ? "B" : "W"), h("span", {}, this.film.words(wish)))));
      return h("p", { class: "secret" }, "2 secret missions");
    }

    // The scene in words, a line an area.
    describe(scene, viewer) {
      const areas = cardsOf(scene);
      const status = standing(this.film, areas);
      const list = (cards) => cards.map((card) => this.said(card.code)).join(", ") || "nothing";
      const lines = [];
      const side = (letter) => (areas.t || []).filter((card) => card.side === letter);
      if (scene.act != null) lines.push(["To play", this.film.name(scene.act)]);
      lines.push(["Above the mat", list(side("a"))], ["Below the mat", list(side("b"))]);
      lines.push(["Families", this.film.board.families.map(([letter, name]) => `${name} ${STATUS[status[letter].sign]} (${status[letter].above} above, ${status[letter].below} below)`).join(", ")]);
      for (const seat of this.film.seatNumbers) {
        lines.push([`Domain of ${this.film.name(seat)}`, `${list(areas[seat] || [])}; worth ${signed(worth(this.film, areas[seat] || [], status))}`]);
      }
      for (const seat of this.film.seatsOf(viewer)) {
        const hand = (scene[`hand/${seat}`] || []).map((code) => this.said(code)).join(", ");
        lines.push([`Hand of ${this.film.name(seat)}`, hand || "empty"]);
        const wishes = (scene[`wish/${seat}`] || []).map((wish) => this.film.text(wish)).join("; ");
        if (wishes) lines.push([`Missions of ${this.film.name(seat)}`, wishes]);
      }
      if (areas.gone) lines.push(["Eliminated", list(areas.gone)]);
      return lines;
    }

    said([family, role]) {
      const roleName = this.film.board.roles[role];
      if (family === "?") return roleName;
      const name = names(this.film)[family];
      return role === "p" ? `plain ${name}` : `${name} ${roleName}`;
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
