// Draws any game that has no drawing of its own: what each seat sees, as text.
(() => {
  "use strict";
  const { h, badge, clock, counted, games } = window.Courtyard;

  class Views {
    constructor(film) {
      this.film = film;
      this.node = h("div", { class: "views-of-seats" });
      this.parts = { seats: "Seats" };
    }

    draw(scene, fresh, viewer) {
      const seats = this.film.seatsOf(viewer);
      const sees = seats.some((seat) => scene[`view/${seat}`]);
      const drawn = seats.map((seat) =>
        h(
          "section",
          { class: `view-of of-${seat}`, id: `seat-${seat}` },
          h("header", {}, badge(seat), h("h2", {}, this.film.name(seat)), scene[`forfeit/${seat}`] ? h("em", {}, "forfeited") : clock(scene, seat)),
          h("pre", { tabindex: 0, "aria-label": `What ${this.film.name(seat)} sees`, role: "region" }, (scene[`view/${seat}`] ?? []).map((line) => [...this.film.words(line), "\n"])),
        ),
      );
      this.node.replaceChildren(...(sees ? drawn : [h("p", { class: "unseen-views" }, "Each seat has its own view. What all of them know is in the log.")]));
    }

    describe(scene, viewer) {
      return this.film
        .seatsOf(viewer)
        .map((seat) => [this.film.name(seat), (scene[`view/${seat}`] ?? []).map((line) => this.film.text(line)).join(". ")]);
    }

    explain() {
      const { film } = this;
      const order = film.seatNumbers.toSorted((a, b) => film.outcomes[a][0] - film.outcomes[b][0] || a - b);
      return [
        h("h2", { id: "scores" }, "How it ended"),
        ...(film.explained.lines ?? []).map((line) => h("p", {}, film.words(line))),
        h(
          "ol",
          { class: "places" },
          order.map((seat) => {
            const [rank, points, forfeit] = film.outcomes[seat];
            return h("li", { class: `of-${seat}` }, h("span", { class: "rank" }, `${rank}.`), badge(seat), h("b", {}, film.name(seat)), h("span", {}, counted(points, "point")), forfeit && h("em", {}, `forfeited: ${forfeit}`));
          }),
        ),
      ];
    }
  }

  games.plain = Views;
})();
