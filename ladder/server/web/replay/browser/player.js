// Plays a film: one frame at a time, by buttons, keys, the graph, the clock or a link.
(() => {
  "use strict";
  const { h, svg, icon, badge, Film, Theatre } = window.Courtyard;
  const STEP_MS = 1100;
  const SPEEDS = [0.5, 1, 2, 4, 8, 16];
  const KEYS = [
    ["← →", "step"],
    ["⇧← ⇧→", "turn; ↑ ↓ too, once the focus is in the replay"],
    ["n b", "next and previous highlight"],
    ["space", "play"],
    ["f", "cinema"],
    ["l", "log"],
    ["?", "legend"],
    ["0 1 2 …", "seen by the audience, by the first seat, …"],
  ];

  class Player extends Theatre {
    constructor(root, film) {
      super(root, film, KEYS);
      this.at = 0;
      this.timer = null;
      this.marks = [];
      this.build();
      this.follow();
      // The hundreds of lines of the log come when the first picture is on the screen.
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => this.rebuild())));
      document.addEventListener("keydown", (event) => this.key(event));
      window.addEventListener("hashchange", () => this.follow());
    }

    // The page around the scene.
    build() {
      const { film } = this;
      const button = (...parts) => this.button(...parts);
      const what = this.court.highlight ?? "turn";
      this.playButton = button("play", "Play", "space", () => this.toggle());
      this.buttons = [
        button("first", "First step", "Home", () => this.go(0)),
        button("turn-back", "Previous turn", "⇧←", () => this.goTurn(-1)),
        button("back", "Step back", "←", () => this.go(this.at - 1)),
        this.playButton,
        button("forward", "Step forward", "→", () => this.go(this.at + 1)),
        button("turn-on", "Next turn", "⇧→", () => this.goTurn(1)),
        button("last", "Last step", "End", () => this.go(film.last)),
        this.court.marks && button("highlight", `Next ${what}`, "n", () => this.goMark(1)),
      ];
      this.slider = h("input", { type: "range", min: 0, max: film.last, value: 0, "aria-label": "Step" });
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      this.graph = h("div", { class: "graph", "aria-hidden": "true" });
      this.lead = h("p", { class: "leader" });
      this.turnSelect = h("select", { "aria-label": "Turn" }, film.turns.map(([turn, first]) => h("option", { value: first }, film.turnName(turn))));
      this.turnSelect.addEventListener("change", () => this.go(Number(this.turnSelect.value)));
      this.speedSelect = h("select", { "aria-label": "Speed" }, SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
      this.speedSelect.addEventListener("change", () => {
        this.speed = Number(this.speedSelect.value);
      });
      this.linkButton = button("link", "Copy a link to this moment", "link", () => this.copy());
      this.logButton = button("log", "Log", "l", () => this.switchLog());
      this.orderButton = h("button", { type: "button", class: "order" });
      this.orderButton.addEventListener("click", () => {
        this.newest = !this.newest;
        this.list();
        this.mark();
      });
      // The graph is first to be reached by the keyboard, and last on the screen.
      this.theatre = h(
        "div",
        { class: "theatre" },
        h(
          "div",
          { class: "controls", role: "group", "aria-label": "Playback" },
          h("div", { class: "seek" }, this.graph, this.slider),
          h("div", { class: "buttons" }, this.buttons),
          h("div", { class: "choices" }, this.turnSelect, this.speedSelect, this.linkButton, this.legendButton, this.logButton, this.cinemaButton),
        ),
        h("div", { class: "caption" }, h("div", { class: "said" }, h("div", { class: "nows" }, this.turnLabel, this.lead), this.words), this.switch()),
        this.live,
        this.tabs(),
        this.stage,
        h("div", { class: "side-log" }, h("div", { class: "log-head" }, h("b", {}, "Log"), this.orderButton), this.logBox),
        this.bubble,
      );
      this.root.replaceChildren(
        this.theatre,
        this.end,
        this.details,
        film.deal ? h("details", { class: "card deal" }, h("summary", {}, "The deal"), film.deal.map((line) => h("p", {}, film.words(line)))) : "",
      );
      this.turnTo(this.tabButtons[0][0]);
      this.watchTips();
      this.seekTips();
    }

    turnTo(part) {
      super.turnTo(part);
      if (part === "log") this.mark();
    }

    switch() {
      const { film } = this;
      this.viewButtons = film.viewers().map((viewer, i) => {
        const name = viewer === null ? "the audience: everything" : `${film.name(viewer)}: what this seat knew`;
        const node = h("button", { type: "button", class: "view", "aria-label": `Seen by ${name}`, title: `Seen by ${name} (${i})`, "aria-pressed": "false" }, viewer === null ? icon("eye") : badge(viewer));
        node.addEventListener("click", () => this.look(viewer));
        return [viewer, node];
      });
      return h("div", { class: "views", role: "group", "aria-label": "Seen by" }, this.viewButtons.map(([, node]) => node));
    }

    // The log and the graph of a viewer.
    rebuild() {
      this.list();
      this.mark();
      this.buildGraph();
      this.showLead();
    }

    list() {
      this.orderButton.textContent = this.newest ? "Newest first" : "From the start";
      this.buildLog((turn, first) => h("a", { href: this.link(first) }, this.film.turnName(turn)));
      this.log.onclick = (event) => {
        const line = event.target.closest("[data-at]");
        if (line) this.go(Number(line.dataset.at));
      };
    }

    // The points of every seat at every step, as steps of a line; highlights are marked below.
    buildGraph() {
      const { film, court, viewer } = this;
      this.points = null;
      if (!court.points) return;
      this.points = film.frames.map((_, number) => court.points(film.scene(number, viewer), viewer, number === film.last));
      this.marks = this.withTurningPoint(court.marks());
      const all = this.points.flat();
      const low = Math.min(0, ...all);
      const high = Math.max(low + 1, ...all);
      const x = (number) => ((number / Math.max(1, film.last)) * 1000).toFixed(1);
      const y = (value) => (92 - ((value - low) / (high - low)) * 84).toFixed(1);
      const lines = film.seatNumbers.map((seat) => {
        let path = `M0 ${y(this.points[0][seat])}`;
        for (let number = 1; number <= film.last; number += 1) {
          if (this.points[number][seat] !== this.points[number - 1][seat]) path += `H${x(number)}V${y(this.points[number][seat])}`;
        }
        return svg("path", { class: `line of-${seat}`, d: `${path}H1000` });
      });
      const marks = this.marks.map(([number, seat, kind]) => svg("path", { class: `mark k-${kind} of-${seat}`, d: `M${x(number)} ${kind === "turning" ? 0 : 92}V100` }));
      const zero = low < 0 ? [svg("path", { class: "zero", d: `M0 ${y(0)}H1000` })] : [];
      this.graph.replaceChildren(svg("svg", { viewBox: "0 0 1000 100", preserveAspectRatio: "none" }, ...zero, ...marks, ...lines));
    }

    // The step at which the winner takes the lead for good is a highlight, too.
    withTurningPoint(marks) {
      const { film, points } = this;
      const winner = film.outcomes.findIndex(([rank]) => rank === 1);
      const leads = (at) => at.every((one, seat) => seat === winner || one < at[winner]);
      const number = points.findLastIndex((at) => !leads(at)) + 1;
      if (winner < 0 || number > film.last) return marks;
      return [...marks, [number, winner, "turning"]].sort(([a], [b]) => a - b);
    }

    // Who leads, by how much; also that the lead has just changed.
    showLead() {
      if (!this.points) return;
      const { film } = this;
      const order = (number) => film.seatNumbers.toSorted((a, b) => this.points[number][b] - this.points[number][a]);
      const said = this.points[this.at];
      const [first, second] = order(this.at);
      const tied = said[first] === said[second];
      const before = this.at > 0 ? order(this.at - 1)[0] : first;
      const took = !tied && this.at > 0 && before !== first && this.points[this.at - 1][before] >= this.points[this.at - 1][first];
      const leaders = film.seatNumbers.filter((seat) => said[seat] === said[first]);
      this.lead.classList.toggle("took", took);
      this.lead.replaceChildren(
        ...leaders.map((seat) => badge(seat)),
        tied
          ? h("b", {}, leaders.length === film.seats.length ? " level" : " lead")
          : h("b", {}, film.name(first), this.at === film.last && film.outcomes.length ? " wins" : took ? " takes the lead" : " leads"),
        h("span", {}, tied ? ` at ${said[first]}` : ` ${said[first]} to ${said[second]}`),
      );
    }

    // Going somewhere.
    go(number, announce = true) {
      const next = Math.max(0, Math.min(this.film.last, number));
      const forward = next === this.at + 1;
      this.at = next;
      this.show(forward, announce);
      this.remember();
      if (this.at === this.film.last) this.stop();
    }

    remember() {
      // A frame in a notebook has no address of its own to keep the place in.
      if (location.protocol !== "about:") history.replaceState(null, "", this.link(this.at));
    }

    goTurn(by) {
      const { film } = this;
      const index = film.turnIndex(this.at);
      const start = film.turns[index][1];
      const to = by < 0 && this.at > start ? index : index + by;
      if (to < 0) this.go(0);
      else this.go(to < film.turns.length ? film.turns[to][1] : film.last);
    }

    goMark(by) {
      const numbers = this.marks.map(([number]) => number);
      const to = by > 0 ? numbers.find((number) => number > this.at) : numbers.findLast((number) => number < this.at);
      if (to != null) this.go(to);
      else if (!numbers.length) this.goTurn(by);
      else this.go(by > 0 ? this.film.last : 0);
    }

    look(viewer) {
      if (!this.film.viewers().includes(viewer)) return;
      this.viewer = viewer;
      this.show(false, true);
      this.rebuild();
      this.remember();
    }

    toggle() {
      if (this.timer !== null) this.stop();
      else {
        if (this.at === this.film.last) this.go(0);
        this.setPlay(true);
        this.tick();
      }
    }

    tick() {
      this.timer = setTimeout(() => {
        this.go(this.at + 1);
        if (this.timer !== null) this.tick();
      }, STEP_MS / this.speed);
    }

    stop() {
      clearTimeout(this.timer);
      this.timer = null;
      this.setPlay(false);
    }

    setPlay(playing) {
      const name = playing ? "Pause" : "Play";
      this.playButton.setAttribute("aria-label", name);
      this.playButton.title = `${name} (space)`;
      this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    }

    // Beside the stage the log is closed, over it opened.
    switchLog() {
      this.theatre.classList.toggle("log-switched");
      this.mark();
      this.point();
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
      const { target, key } = event;
      if (target.tagName === "SELECT" || (target.tagName === "INPUT" && target !== this.slider)) return;
      const scrolls = target.closest?.(".logbox, pre") != null;
      const inside = this.theatre.contains(target) || this.theatre.classList.contains("cinema");
      const number = /^[0-9]$/.test(key) ? Number(key) : null;
      const onTip = target !== this.stage && target.matches?.("[data-tip]");
      if (onTip && /^Arrow/.test(key)) this.nextTip(target, key === "ArrowRight" || key === "ArrowDown" ? 1 : -1);
      else if (number !== null) this.look(number === 0 ? null : number - 1);
      else if (key === " " && !["BUTTON", "SUMMARY", "A"].includes(target.tagName)) this.toggle();
      else if (key === "ArrowRight") event.shiftKey ? this.goTurn(1) : this.go(this.at + 1);
      else if (key === "ArrowLeft") event.shiftKey ? this.goTurn(-1) : this.go(this.at - 1);
      else if (key === "n") this.goMark(1);
      else if (key === "b") this.goMark(-1);
      else if (key === "f") this.cinema();
      else if (key === "l") this.switchLog();
      else if (key === "?") this.explain();
      else if (key === "Escape") this.escape();
      else if (key === "Enter" && target === this.stage) this.nextTip(null, 1);
      else if (!inside || scrolls) return; // the page scrolls, or a part of it
      else if (key === "ArrowDown") this.goTurn(1);
      else if (key === "ArrowUp") this.goTurn(-1);
      else if (key === "Home") this.go(0);
      else if (key === "End") this.go(this.film.last);
      else return;
      event.preventDefault();
    }

    // The link to a moment: the turn, the step inside it, and who looks.
    link(number) {
      const [turn, first] = this.film.turns[this.film.turnIndex(number)];
      const parts = [`t=${turn}`];
      if (number > first) parts.push(`s=${number - first}`);
      if (this.film.audience && this.viewer !== null) parts.push(`seat=${this.viewer}`);
      return `#${parts.join("&")}`;
    }

    follow() {
      const wanted = new URLSearchParams(location.hash.slice(1));
      const seat = wanted.get("seat");
      const viewer = seat === null ? this.viewer : Number(seat);
      const turned = this.film.viewers().includes(viewer) && viewer !== this.viewer;
      if (turned) this.viewer = viewer;
      const turn = Number(wanted.get("t") ?? 0);
      const index = Math.max(0, this.film.turns.findIndex(([one]) => one === turn));
      const [, first] = this.film.turns[index];
      const last = (this.film.turns[index + 1]?.[1] ?? this.film.last + 1) - 1;
      const step = Math.max(0, Number(wanted.get("s") ?? 0)) || 0;
      this.at = Math.min(first + step, last);
      this.show(false, true);
      if (turned && this.lines.length) this.rebuild();
    }

    async copy() {
      const { linkButton } = this;
      let done = "Copied";
      try {
        await navigator.clipboard.writeText(location.href.split("#")[0] + this.link(this.at));
      } catch {
        done = "It is in the address bar";
      }
      this.showTip(linkButton, done);
      setTimeout(() => this.hideTip(), 1600);
    }

    // Drawing a moment.
    show(forward, announce) {
      const { film } = this;
      const scene = film.scene(this.at, this.viewer);
      const markup = film.markup(this.at, this.viewer);
      this.draw(scene, film.changed(this.at, this.viewer), forward);
      const [turn, seat] = film.frames[this.at];
      const name = film.turnName(turn);
      this.turnLabel.replaceChildren(h("b", {}, name), scene.round ? h("span", {}, `round ${scene.round}`) : "", seat !== null && turn > 0 ? badge(seat) : "");
      this.words.replaceChildren(...film.words(markup));
      this.stage.setAttribute("aria-label", `${name}. ${film.text(markup)}`);
      if (announce) this.live.textContent = `${name}. ${film.text(markup)}`;
      this.slider.value = this.at;
      this.slider.setAttribute("aria-valuetext", `${name}, step ${this.at} of ${film.last}`);
      this.turnSelect.value = film.turns[film.turnIndex(this.at)][1];
      for (const [viewer, node] of this.viewButtons) node.setAttribute("aria-pressed", String(viewer === this.viewer));
      this.buttons[2].toggleAttribute("data-off", this.at === 0);
      this.buttons[4].toggleAttribute("data-off", this.at === film.last);
      this.showLead();
      this.mark();
      this.showEnd(this.at === film.last && film.outcomes.length > 0);
    }

    mark() {
      for (const line of this.log.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
      const line = this.lines[this.at];
      if (!line) return;
      if (this.newest) this.lines.forEach((one, number) => (one.hidden = number > this.at));
      line.setAttribute("aria-current", "step");
      const box = this.logBox;
      box.scrollTop = this.newest ? 0 : line.offsetTop - box.clientHeight / 2;
    }

    // Over the graph: the points at that moment, and what is marked there.
    seekTips() {
      this.slider.addEventListener("pointermove", (event) => {
        const { film } = this;
        if (!this.points) return;
        const box = this.slider.getBoundingClientRect();
        const number = Math.max(0, Math.min(film.last, Math.round(((event.clientX - box.x) / box.width) * film.last)));
        const nearest = this.marks.find(([at]) => Math.abs(at - number) <= film.last / box.width * 4);
        const points = film.seatNumbers.map((seat) => `${film.name(seat)} ${this.points[number][seat]}`).join(", ");
        this.showTip(this.lead, `${film.turnName(film.turnAt(number))}: ${points}\n${nearest ? film.text(film.markup(nearest[0], this.viewer)) : ""}`);
        const width = this.bubble.offsetWidth;
        const seek = this.theatre.getBoundingClientRect();
        this.bubble.style.left = `${Math.max(4, Math.min(seek.width - width - 4, event.clientX - seek.x - width / 2))}px`;
        this.bubble.style.top = `${box.y - seek.y - this.bubble.offsetHeight - 4}px`;
      });
    }
  }

  window.Courtyard.data?.then((data) => new Player(document.getElementById("replay"), new Film(data)));
})();
