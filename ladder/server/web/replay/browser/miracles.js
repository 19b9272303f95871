// Draws a game of La Cour des Miracles: the King's path, the neighbourhoods, the Renown Square, guilds.
(() => {
  "use strict";
  const { h, icon, badge, copies, counted, clock, tip, sign, games } = window.Courtyard;
  const guide = window.Courtyard.guide;
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
  const EFFECTS = {
    king: (amount) => `The King moves ${amount}`,
    coin: (amount) => counted(amount, "coin"),
    plot: (amount) => counted(amount, "Plot card"),
    right_hand: () => "The Right-Hand",
  };

  const effect = ([kind, amount], told, cls = "") =>
    h("span", { class: `effect e-${kind} ${cls}`, ...sign(EFFECTS[kind](amount), told) }, icon(kind), kind !== "right_hand" && h("b", {}, String(amount)));

  class Court {
    constructor(film) {
      this.film = film;
      this.node = h("div", { class: "paris", "data-seats": film.seats.length });
      this.parts = { hands: "Hands", cards: "Plot cards" };
      this.highlight = "standoff";
      this.first = 0;
    }

    draw(scene, fresh) {
      this.arrow = null;
      this.node.replaceChildren(
        this.path(scene, fresh),
        h("div", { class: "places" }, this.film.board.places.map((_, place) => this.place(scene, place, fresh)), this.square(scene)),
        h("div", { class: "guilds" }, this.film.seatsFrom(this.first).map((seat) => this.guild(scene, seat, fresh.has("act") || fresh.has("ask")))),
      );
    }

    path(scene, fresh) {
      const { final, wraths, places } = this.film.board;
      const wrathAt = Object.fromEntries(wraths);
      const spaces = Array.from({ length: final + 1 }, (_, space) => {
        const wrath = wrathAt[space];
        const name = wrath == null ? "" : `Wrath on ${wrath < 0 ? "a neighbourhood of the active player's choice" : places[wrath]}`;
        const here = scene.king === space;
        const said = space === 0 ? "the Louvre" : space === final ? `space ${space}, the end` : `space ${space}`;
        return h(
          "li",
          {
            class: ["space", wrath != null && "wrath", space < scene.king && "past", here && "here", here && fresh.has("king") && "fresh"].filter(Boolean).join(" "),
            "data-place": `path/${space}`,
            ...tip(here ? `The Penniless King, on ${said}` : said, wrath == null ? guide.terms?.king : `${name}. ${guide.terms?.wrath ?? ""}`),
          },
          here ? h("span", { class: "king", "data-key": "king" }, icon("king")) : h("span", { "data-handle": true }, wrath != null ? icon("wrath") : String(space)),
        );
      });
      const next = wraths.find(([space]) => space > scene.king);
      const told = next ? `Wrath on ${next[1] < 0 ? "any" : places[next[1]]} in ${next[0] - scene.king}` : "no Wrath ahead";
      return h("section", { class: "path" }, h("p", { class: "head" }, icon("king"), h("span", {}, `King: ${scene.king} of ${final}`), h("small", {}, scene.stopped ? "stopped by the Wrath" : told)), h("ol", { class: "spaces" }, spaces));
    }

    rogues(scene) {
      return Object.entries(scene)
        .filter(([key]) => /^r\d+$/.test(key))
        .map(([key, [owner, place, rank, face]]) => ({ key, owner, place, rank, face: scene[`face/${key}`] || face, open: Boolean(face) }));
    }

    place(scene, place, fresh) {
      const { places, spots } = this.film.board;
      const control = scene.control[place];
      const standoff = scene.standoff && scene.standoff[0] === place ? scene.standoff : null;
      const rogues = this.rogues(scene).filter((one) => one.place === place);
      const due = scene.pending.includes(place);
      return h(
        "section",
        { class: ["place", standoff && "standoff", due && "due", control && `of-${control[0]}`].filter(Boolean).join(" "), id: `place-${place}`, "data-place": `place/${place}` },
        h(
          "header",
          {},
          h("b", { "data-handle": true, ...tip(places[place], guide.places?.[place]) }, places[place]),
          control
            ? h("span", { class: `held of-${control[0]}`, "data-key": `control-${place}-${control[0]}`, "data-from": `seat-${control[0]}`, ...sign(`Controlled by ${this.film.name(control[0])}`, guide.terms?.control) }, icon("renown"), badge(control[0]), control[1] > 1 && `×${control[1]}`)
            : h("span", { class: "free" }, "free"),
        ),
        h(
          "ol",
          { class: "spots" },
          spots[place].map((spot, i) => {
            const rogue = rogues.find((one) => one.rank === i + 1);
            return h("li", { class: `spot${rogue ? " taken" : ""}`, "data-place": `spot/${place}/${i + 1}` }, h("span", { class: "rank" }, h("span", sign(`Spot ${i + 1}`, guide.ranks?.[i]), i ? String(i + 1) : icon("queen")), effect(spot, guide.effects?.[spot[0]])), rogue ? this.token(rogue, fresh, standoff) : h("span", { class: "hole", "data-handle": true }));
          }),
        ),
        this.verdict(standoff, due, rogues),
      );
    }

    // Who wins a standoff, and why.
    verdict(standoff, due, rogues) {
      if (!standoff) return h("p", { class: "verdict" }, due && [icon("wrath"), h("span", tip("Standoff to come", guide.terms?.standoff), "standoff to come")]);
      const [, winner, totals] = standoff;
      const best = totals.find(([seat]) => seat === winner)?.[1];
      const tied = totals.filter(([, strength]) => strength === best).length > 1;
      const first = Math.min(...rogues.filter((one) => one.owner === winner).map((one) => one.rank));
      const why = tied && `tied at ${best}, but spot ${first} is closest to the crown`;
      return h(
        "p",
        { class: "verdict" },
        !why && icon("a"),
        winner < 0 ? h("span", tip("Standoff", guide.terms?.standoff), "Standoff") : why ? h("span", {}, badge(winner), ` ${why}`) : h("b", {}, this.film.name(winner), " wins"),
        !why && totals.map(([seat, strength]) => h("span", { class: `total${seat === winner ? " won" : ""}` }, badge(seat), String(strength))),
      );
    }

    // What a rogue does, and whether its strength is known from the rules or made up for this project.
    printed(face) {
      const { rogues, strengths, reconstructed } = this.film.board;
      return [`${rogues[face]}, strength ${strengths[face]}${reconstructed.includes(face) ? " (reconstruction)" : ""}`, `In a standoff: ${guide.rogues?.[face]}.`];
    }

    token(rogue, fresh, standoff) {
      const { rogues, strengths } = this.film.board;
      const paid = standoff && standoff[3].includes(rogue.rank);
      const owner = this.film.name(rogue.owner);
      const [name, ability] = rogue.face ? this.printed(rogue.face) : ["face down", "Only its owner knows this rogue."];
      return h(
        "span",
        {
          class: ["token", `of-${rogue.owner}`, rogue.open ? "open" : "down", rogue.face && "known", fresh.has(rogue.key) && "fresh"].filter(Boolean).join(" "),
          "data-key": rogue.key,
          "data-handle": true,
          "data-from": `seat-${rogue.owner}`,
          ...sign(`${owner}'s rogue: ${name}${rogue.open || !rogue.face ? "" : ", face down"}`, ability),
        },
        h("span", { class: "whose" }, badge(rogue.owner), rogue.face > 0 && h("span", { class: "strength" }, paid ? `${strengths[rogue.face]}+` : String(strengths[rogue.face]))),
        h("span", { class: "face" }, rogue.face ? rogues[rogue.face] : "?"),
      );
    }

    // The Renown Square, and the piles beside it.
    square(scene) {
      const { lines, plots } = this.film.board;
      const counts = new Map();
      for (const card of scene.discards) counts.set(card, (counts.get(card) ?? 0) + 1);
      const discards = [...counts].map(([card, number]) => plots[card] + (number > 1 ? ` ×${number}` : "")).join(", ");
      const pile = (picture, number, name, told) => h("li", { "data-place": picture }, h("span", { class: "pile", "data-handle": true, ...sign(counted(number, name), told) }, icon(picture), h("b", {}, String(number))));
      return h(
        "section",
        { class: "renown-square" },
        h("header", {}, h("b", tip("Renown Square", guide.terms?.square), "Renown Square")),
        h(
          "ol",
          { class: "lines" },
          lines.map(([cost, ...bonus], i) => {
            const held = this.film.seatNumbers.filter((seat) => scene.lines[seat].includes(i + 1));
            return h("li", { "data-place": `line/${i + 1}` }, h("span", { class: "cost", "data-handle": true }, effect(["coin", cost], `The cost of line ${i + 1}.`)), effect(bonus, `The bonus of line ${i + 1}.`), h("span", { class: "holders" }, held.map((seat) => h("span", { class: "pawn", "data-key": `line-${i}-${seat}`, "data-from": `seat-${seat}` }, badge(seat)))));
          }),
        ),
        h("ul", { class: "piles" }, pile("plot", scene.pile, "Plot card", "In the pile."), pile("discards", scene.discards.length, "discarded Plot card", discards), pile("bag", scene.bag, "rogue", "In the bag."), pile("seine", scene.seine, "rogue", "In the Seine, for good.")),
        h("p", { class: "playing" }, scene.playing > 0 ? this.plot(scene.playing, "fresh") : scene.emperor > 0 && "The Emperor rules"),
      );
    }

    plot(card, cls = "", { key, place } = {}) {
      return h("span", { class: `plot ${cls}`, "data-key": key, "data-place": place, ...sign(this.film.board.plots[card], guide.plots?.[card]) }, this.film.board.plots[card]);
    }

    // `asked`: whether what comes next is settled; in the middle of a decision it is not.
    guild(scene, seat, asked) {
      const { rogues, renown, strengths } = this.film.board;
      const hand = scene[`hand/${seat}`];
      const cards = scene[`cards/${seat}`];
      const drawn = scene[`drawn/${seat}`];
      const sunk = scene[`sunk/${seat}`] || [];
      const token = (face, { key, place }, cls = "") =>
        h("span", { class: `token known at-hand of-${seat} ${cls}`, "data-key": key, "data-place": place, ...sign(...this.printed(face)) }, h("span", { class: "face" }, rogues[face]), h("span", { class: "strength" }, String(strengths[face])));
      const hidden = () => h("span", { class: `token blank of-${seat}` }, h("span", { class: "face" }, "?"));
      return h(
        "section",
        { class: `guild of-${seat}${scene.active === seat ? " acting" : ""}`, id: `seat-${seat}`, "data-place": `seat/${seat}` },
        h(
          "header",
          {},
          badge(seat),
          h("b", { class: "name", "data-handle": true }, this.film.name(seat)),
          h("span", { class: "renown-row", ...sign(`${scene.renown[seat]} of ${renown} Renown tokens in play`, guide.terms?.renown) }, Array.from({ length: renown }, (_, i) => h("span", { class: i < scene.renown[seat] ? "pip on" : "pip" }, icon("renown")))),
          h("b", { class: "count" }, icon("renown"), String(scene.renown[seat])),
          h("span", { class: "coins", "data-key": `coins-${seat}`, ...sign(counted(scene.coins[seat], "coin"), guide.terms?.coins) }, icon("coin"), h("b", {}, String(scene.coins[seat]))),
        ),
        h("p", { class: "does" }, h("span", {}, asked && scene.act === seat ? ASKED[scene.ask] : ""), scene[`forfeit/${seat}`] ? h("span", { class: "clock" }, "stand-in") : clock(scene, seat)),
        h("div", { class: "hand" }, hand ? hand.map((face, i) => token(face, copies(`hand/${seat}`, hand, i))) : Array.from({ length: scene.rogues[seat] }, hidden), drawn > 0 && token(drawn, { key: `drawn/${seat}` }, "fresh drawn"), hand && !hand.length && !drawn && h("span", { class: "none" }, "no rogue at hand"), sunk.length > 0 && h("span", { class: "sunk", ...sign("Thrown into the Seine", sunk.map((face) => rogues[face]).join(", ")) }, icon("seine"), String(sunk.length))),
        h("div", { class: "cards" }, cards ? cards.map((card, i) => this.plot(card, "", copies(`cards/${seat}`, cards, i))) : Array.from({ length: scene.plots[seat] }, () => h("span", { class: "plot blank" }, icon("plot"))), (cards ? !cards.length : !scene.plots[seat]) && h("span", { class: "none" }, "no Plot card")),
      );
    }

    points(scene) {
      return scene.renown;
    }

    // Standoffs as they are won, in their winner's colour: [step, seat, kind].
    marks() {
      return this.film.frames.flatMap(([, , , { standoff }], number) => (standoff && standoff[1] >= 0 ? [[number, standoff[1], "standoff"]] : []));
    }

    legend() {
      const { rogues, plots, places } = this.film.board;
      const rest = (list, told) => list.map((name, i) => ["", name, told?.[i] ?? ""]).slice(1);
      return [
        ["Rogues", rogues.map((_, face) => face && ["", ...this.printed(face)]).slice(1)],
        ["Neighbourhoods", places.map((name, place) => ["", name, guide.places?.[place] ?? ""])],
        ["Signs", Object.entries(guide.effects ?? {}).map(([kind, told]) => [h("span", { class: `sign e-${kind}` }, icon(kind)), EFFECTS[kind]("n").replace(/^n /, ""), told])],
        ["Plot cards", rest(plots, guide.plots)],
        ["Words", Object.entries(guide.terms ?? {}).map(([name, text]) => ["", name, text])],
      ];
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
        const hand = scene[`hand/${seat}`]?.map((face) => rogues[face]);
        const cards = scene[`cards/${seat}`]?.map((card) => plots[card]);
        if (hand) lines.push([`Hand of ${this.film.name(seat)}`, `${hand.join(", ") || "no rogue"}; ${cards.join(", ") || "no Plot card"}`]);
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

  games.miracles = Court;
})();
