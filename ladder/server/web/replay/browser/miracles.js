// Draws a game of La Cour des Miracles: the King's path, the neighbourhoods, the Renown Square, guilds.
(() => {
  "use strict";
  const { h, icon, badge, counted, games } = window.Courtyard;
  const ASKED = {
    place: "places a rogue",
    act: "may act or end the turn",
    sink: "chooses which rogue goes into the Seine",
    discard: "discards a Plot card",
    wrath: "chooses whom the Wrath hits",
    order: "chooses the next standoff",
    swordsman: "may pay the Swordsman",
    lone: "may reveal the lone rogue",
    courtesan: "places the Courtesan's token",
    effect: "may play a Plot card before the spot takes effect",
  };
  const EFFECTS = { king: "King", coin: "coin", plot: "Plot card", right_hand: "Right-Hand" };
  const tone = (name) => (name === "king" ? "king" : name);

  const effect = ([kind, amount], cls = "") =>
    h(
      "span",
      { class: `effect e-${tone(kind)} ${cls}`, title: kind === "right_hand" ? "takes the Right-Hand" : `${EFFECTS[kind]} ${amount}` },
      icon(kind),
      kind !== "right_hand" && h("b", {}, String(amount)),
    );

  const shortName = (name) => (name === "Defrocked Priest" ? "Priest" : name);

  class Court {
    constructor(film) {
      this.film = film;
      this.node = h("div", { class: "paris", "data-seats": film.seats.length });
    }

    draw(scene, fresh, viewer) {
      const order = this.film.seatNumbers.map((i) => (i + (viewer ?? 0)) % this.film.seats.length);
      this.node.replaceChildren(
        this.path(scene, fresh),
        h("div", { class: "places" }, this.film.board.places.map((_, place) => this.place(scene, place, fresh))),
        h("div", { class: "guilds" }, order.map((seat) => this.guild(scene, seat, fresh.has("act") || fresh.has("ask")))),
        h("div", { class: "square" }, this.square(scene), this.piles(scene)),
      );
    }

    path(scene, fresh) {
      const { final, wraths, places } = this.film.board;
      const wrathAt = Object.fromEntries(wraths);
      const spaces = Array.from({ length: final + 1 }, (_, space) => {
        const wrath = wrathAt[space];
        const name = wrath == null ? "" : wrath < 0 ? "Wrath where the active player chooses" : `Wrath: ${places[wrath]}`;
        const here = scene.king === space;
        return h(
          "li",
          {
            class: ["space", wrath != null && "wrath", space < scene.king && "past", here && "here", here && fresh.has("king") && "fresh"].filter(Boolean).join(" "),
            title: [`space ${space}`, name].filter(Boolean).join(", "),
          },
          h("span", { class: "number" }, space === 0 ? "Louvre" : String(space)),
          here ? h("span", { class: "king", "data-key": "king" }, icon("king")) : wrath != null && icon("wrath"),
          wrath != null && h("span", { class: "what" }, wrath < 0 ? "any" : short(places[wrath])),
        );
      });
      return h("section", { class: "path" }, h("p", { class: "head" }, icon("king"), "The Penniless King", h("small", {}, `space ${scene.king} of ${final}${scene.stopped ? ", stopped by the Wrath" : ""}`)), h("ol", { class: "spaces" }, spaces));
    }

    rogues(scene) {
      return Object.entries(scene)
        .filter(([key]) => /^r\d+$/.test(key))
        .map(([key, [owner, place, rank, face]]) => ({ key, owner, place, rank, face: scene[`face/${key}`] || face, open: Boolean(face) }));
    }

    place(scene, place, fresh) {
      const { places, spots, strengths } = this.film.board;
      const control = scene.control[place];
      const standoff = scene.standoff && scene.standoff[0] === place ? scene.standoff : null;
      const rogues = this.rogues(scene).filter((one) => one.place === place);
      const due = scene.pending.includes(place);
      return h(
        "section",
        { class: ["place", standoff && "standoff", due && "due", control && `of-${control[0]}`].filter(Boolean).join(" "), id: `place-${place}` },
        h(
          "header",
          {},
          h("p", { class: "head" }, places[place]),
          control
            ? h("span", { class: `control of-${control[0]}`, "data-key": `control-${place}-${control[0]}`, "data-from": `seat-${control[0]}`, title: `controlled by ${this.film.name(control[0])}` }, icon("renown"), badge(control[0]), control[1] > 1 && `×${control[1]}`)
            : h("span", { class: "free" }, "free"),
        ),
        h(
          "ol",
          { class: "spots" },
          spots[place].map((spot, i) => {
            const rogue = rogues.find((one) => one.rank === i + 1);
            return h("li", { class: `spot${rogue ? " taken" : ""}` }, h("span", { class: "rank" }, icon(i === 0 ? "queen" : "p"), String(i + 1)), effect(spot), rogue ? this.token(rogue, fresh, strengths, standoff) : h("span", { class: "hole" }));
          }),
        ),
        standoff ? this.standoff(standoff) : due && h("p", { class: "verdict" }, icon("wrath"), "standoff to come"),
      );
    }

    standoff([, winner, totals]) {
      return h(
        "p",
        { class: "verdict" },
        icon("a"),
        winner < 0 ? "Standoff" : h("span", {}, h("b", {}, this.film.name(winner)), " wins"),
        totals.map(([seat, strength]) => h("span", { class: `total${seat === winner ? " won" : ""}` }, badge(seat), String(strength))),
      );
    }

    // What a token shows, and whether its strength is known from the rules or made up for this project.
    printed(face) {
      const { rogues, strengths, reconstructed } = this.film.board;
      return `${rogues[face]}, strength ${strengths[face]}${reconstructed.includes(face) ? " (reconstruction)" : ""}`;
    }

    token(rogue, fresh, strengths, standoff) {
      const name = rogue.face ? this.film.board.rogues[rogue.face] : "face down";
      const paid = standoff && standoff[3].includes(rogue.rank);
      return h(
        "span",
        {
          class: ["token", `of-${rogue.owner}`, rogue.open ? "open" : "down", rogue.face && "known", fresh.has(rogue.key) && "fresh"].filter(Boolean).join(" "),
          "data-key": rogue.key,
          "data-from": `seat-${rogue.owner}`,
          title: `${this.film.name(rogue.owner)}: ${rogue.face ? this.printed(rogue.face) : name}${rogue.open || !rogue.face ? "" : ", face down"}`,
        },
        badge(rogue.owner),
        h("span", { class: "face" }, rogue.face ? shortName(name) : "?"),
        rogue.face > 0 && h("span", { class: "strength" }, paid ? `${strengths[rogue.face]}+` : String(strengths[rogue.face])),
      );
    }

    square(scene) {
      const { lines } = this.film.board;
      return h(
        "section",
        { class: "renown-square" },
        h("p", { class: "head" }, icon("renown"), "Renown Square"),
        h(
          "ol",
          {},
          lines.map(([cost, ...bonus], i) =>
            h(
              "li",
              {},
              h("span", { class: "cost" }, effect(["coin", cost])),
              effect(bonus, "bonus"),
              h("span", { class: "holders" }, this.film.seatNumbers.filter((seat) => scene.lines[seat].includes(i + 1)).map((seat) => h("span", { class: "pawn", "data-key": `line-${i}-${seat}`, "data-from": `seat-${seat}` }, badge(seat)))),
            ),
          ),
        ),
      );
    }

    piles(scene) {
      const { plots } = this.film.board;
      const discards = [...new Set(scene.discards)].map((card) => {
        const number = scene.discards.filter((one) => one === card).length;
        return h("span", { class: "plot" }, plots[card], number > 1 && ` ×${number}`);
      });
      return h(
        "section",
        { class: "piles" },
        h("ul", {}, h("li", {}, icon("plot"), h("b", {}, String(scene.pile)), "Plot cards"), h("li", {}, icon("bag"), h("b", {}, String(scene.bag)), "in the bag"), h("li", {}, icon("seine"), h("b", {}, String(scene.seine)), "in the Seine")),
        scene.playing > 0 && h("p", { class: "playing" }, "Played now: ", h("span", { class: "plot fresh" }, plots[scene.playing])),
        scene.emperor > 0 && h("p", { class: "playing" }, h("span", { class: "plot" }, "The Emperor"), " rules this turn"),
        h("p", { class: "discards" }, "Discarded: ", discards.length ? discards : "none"),
      );
    }

    // `asked`: whether what comes next is settled; in the middle of a decision it is not.
    guild(scene, seat, asked) {
      const { rogues, plots, renown, strengths } = this.film.board;
      const hand = scene[`hand/${seat}`];
      const cards = scene[`cards/${seat}`];
      const drawn = scene[`drawn/${seat}`];
      const sunk = scene[`sunk/${seat}`] || [];
      const active = scene.active === seat;
      const token = (face, cls = "") =>
        h("span", { class: `token known at-hand of-${seat} ${cls}`, title: this.printed(face) }, h("span", { class: "face" }, shortName(rogues[face])), h("span", { class: "strength" }, String(strengths[face])));
      return h(
        "section",
        { class: `guild of-${seat}${active ? " acting" : ""}`, id: `seat-${seat}` },
        h("header", {}, badge(seat), h("b", { class: "name" }, this.film.name(seat)), scene[`forfeit/${seat}`] && h("span", { class: "tag" }, "stand-in"), h("span", { class: "coins", "data-key": `coins-${seat}`, title: counted(scene.coins[seat], "coin") }, icon("coin"), h("b", {}, String(scene.coins[seat])))),
        h("div", { class: "renown-row", title: `${scene.renown[seat]} of ${renown} Renown tokens in play` }, Array.from({ length: renown }, (_, i) => h("span", { class: i < scene.renown[seat] ? "pip on" : "pip" }, icon("renown"))), h("span", { class: "count" }, `${scene.renown[seat]} Renown`)),
        h("div", { class: "hand" }, hand ? hand.map((face) => token(face)) : Array.from({ length: scene.rogues[seat] }, () => h("span", { class: `token blank of-${seat}` }, h("span", { class: "face" }, "?"))), drawn > 0 && token(drawn, "fresh drawn"), hand && !hand.length && !drawn && h("span", { class: "none" }, "no rogue at hand")),
        h("div", { class: "cards" }, cards ? cards.map((card) => h("span", { class: "plot" }, plots[card])) : Array.from({ length: scene.plots[seat] }, () => h("span", { class: "plot blank" }, icon("plot"))), (cards ? !cards.length : !scene.plots[seat]) && h("span", { class: "none" }, "no Plot card")),
        sunk.length > 0 && h("p", { class: "sunk" }, icon("seine"), `threw in: ${sunk.map((face) => rogues[face]).join(", ")}`),
        asked && scene.act === seat && h("p", { class: "asked" }, ASKED[scene.ask]),
      );
    }

    describe(scene, viewer) {
      const { places, rogues, plots, final } = this.film.board;
      const lines = [];
      if (scene.act != null) lines.push(["Next", `${this.film.name(scene.act)} ${ASKED[scene.ask]}`]);
      lines.push(["The King", `space ${scene.king} of ${final}${scene.stopped ? ", stopped by the Wrath" : ""}`]);
      places.forEach((name, place) => {
        const there = this.rogues(scene).filter((one) => one.place === place).sort((a, b) => a.rank - b.rank);
        const control = scene.control[place];
        const who = there.map((one) => `${one.rank}: ${this.film.name(one.owner)}'s ${one.face ? rogues[one.face] : "rogue"}${one.open ? ", face up" : one.face ? ", face down" : ""}`);
        lines.push([name, `${who.join("; ") || "empty"}; ${control ? `controlled by ${this.film.name(control[0])}` : "free"}`]);
      });
      for (const seat of this.film.seatNumbers) {
        const parts = [counted(scene.coins[seat], "coin"), `${counted(scene.rogues[seat], "rogue")} at hand`, counted(scene.plots[seat], "Plot card"), `${scene.renown[seat]} Renown`];
        if (scene.lines[seat].length) parts.push(`lines ${scene.lines[seat].join(", ")}`);
        lines.push([this.film.name(seat), parts.join(", ")]);
      }
      for (const seat of this.film.seatsOf(viewer)) {
        const hand = scene[`hand/${seat}`].map((face) => rogues[face]);
        const cards = scene[`cards/${seat}`].map((card) => plots[card]);
        lines.push([`Hand of ${this.film.name(seat)}`, `${hand.join(", ") || "no rogue"}; ${cards.join(", ") || "no Plot card"}`]);
      }
      return lines;
    }

    explain() {
      const { why, data, seats } = this.film.explained;
      const { places } = this.film.board;
      const order = this.film.seatNumbers.toSorted((a, b) => this.film.outcomes[a][0] - this.film.outcomes[b][0] || a - b);
      const row = (seat) => {
        const part = seats[seat];
        const [rank, , forfeit] = this.film.outcomes[seat];
        const tied = part.tied.map((other) => this.film.name(other)).join(", ");
        return h(
          "section",
          { class: `score of-${seat}${rank === 1 ? " winner" : ""}` },
          h("header", {}, h("span", { class: "rank" }, `${rank}.`), badge(seat), h("h3", {}, this.film.name(seat)), h("strong", {}, String(part.renown), h("span", { class: "unit" }, " Renown"))),
          forfeit && h("p", { class: "forfeit" }, `forfeited: ${forfeit}; ranked behind all who did not`),
          h(
            "table",
            {},
            h("caption", {}, "Renown tokens in play"),
            h("tbody", {},
              h("tr", {}, h("th", { scope: "row" }, "Neighbourhoods"), h("td", {}, part.places.map((place) => places[place]).join(", ") || "none"), h("td", { class: "sum" }, String(part.renown - part.lines.length))),
              h("tr", {}, h("th", { scope: "row" }, "Renown Square"), h("td", {}, part.lines.map((line) => `line ${line}`).join(", ") || "none"), h("td", { class: "sum" }, String(part.lines.length)))),
            h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, "Renown"), h("td", {}, tied ? `as many as ${tied}: then ${counted(part.places.length, "neighbourhood")} decide` : ""), h("td", { class: "sum" }, String(part.renown)))),
          ),
          h("p", { class: "aside" }, icon("coin"), `${counted(part.coins, "coin")} left, which decide nothing`),
        );
      };
      return [
        h("h2", { id: "scores" }, "How it ended"),
        h("p", {}, why, " Most Renown in play wins; equal Renown is decided by the neighbourhoods controlled, then shared."),
        h("div", { class: "scores" }, order.map(row)),
        h("p", { class: "muted" }, `Board data: ${data}`),
      ];
    }
  }

  const short = (name) => name.replace(/^(Les|Le|Grande|Rue de l')\s*/, "").slice(0, 4);

  games.miracles = Court;
})();
