// Plays a film: one frame at a time, by buttons, keys, the slider, the clock or a link.
(() => {
  "use strict";
  const { h, icon, badge, Film, games } = window.Courtyard;
  const STEP_MS = 1100;
  const SPEEDS = [0.5, 1, 2, 4];
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  class Player {
    constructor(root, film) {
      this.root = root;
      this.film = film;
      this.court = new (games[film.game] ?? games.plain)(film);
      this.viewer = film.viewers()[0];
      this.at = 0;
      this.speed = 1;
      this.timer = null;
      this.lines = [];
      this.build();
      this.follow();
      // The hundreds of lines of the log come when the first picture is on the screen.
      requestAnimationFrame(() =>
        requestAnimationFrame(() =>
          setTimeout(() => {
            this.buildLog();
            this.mark();
          }),
        ),
      );
      document.addEventListener("keydown", (event) => this.key(event));
      window.addEventListener("hashchange", () => this.follow());
    }

    // The page around the scene.
    build() {
      const { film } = this;
      const button = (name, label, keys, act) => {
        const node = h("button", { type: "button", class: `control c-${name}`, "aria-label": label, title: `${label} (${keys})` }, icon(name));
        node.addEventListener("click", act);
        return node;
      };
      this.playButton = button("play", "Play", "space", () => this.toggle());
      this.buttons = [
        button("first", "First step", "Home", () => this.go(0)),
        button("turn-back", "Previous turn", "↑", () => this.goTurn(-1)),
        button("back", "Step back", "←", () => this.go(this.at - 1)),
        this.playButton,
        button("forward", "Step forward", "→", () => this.go(this.at + 1)),
        button("turn-on", "Next turn", "↓", () => this.goTurn(1)),
        button("last", "Last step", "End", () => this.go(film.last)),
      ];
      this.slider = h("input", { type: "range", min: 0, max: film.last, value: 0, "aria-label": "Step" });
      this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
      this.turnSelect = h("select", {}, film.turns.map(([turn, first]) => h("option", { value: first }, film.turnName(turn))));
      this.turnSelect.addEventListener("change", () => this.go(Number(this.turnSelect.value)));
      this.speedSelect = h("select", {}, SPEEDS.map((speed) => h("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
      this.speedSelect.addEventListener("change", () => {
        this.speed = Number(this.speedSelect.value);
      });
      this.linkButton = h("button", { type: "button", class: "button link", "aria-label": "Copy a link to this moment" }, icon("link"), h("span", {}, "Copy link"));
      this.linkButton.addEventListener("click", () => this.copy());
      this.turnLabel = h("p", { class: "now" });
      this.words = h("p", { class: "words" });
      this.live = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
      this.alternative = h("dl", { class: "in-words" });
      const details = h("details", { class: "card" }, h("summary", {}, "This moment in words"), this.alternative);
      details.addEventListener("toggle", () => this.describe());
      this.details = details;
      this.end = h("section", { class: "end", "aria-labelledby": "scores", hidden: true });
      this.log = h("ol", { class: "log" });
      const stage = h("div", { class: `stage ${games[film.game] ? film.game : "plain"}`, role: "img", "aria-label": "" }, this.court.node);
      this.stage = stage;
      const controls = h(
        "div",
        { class: "controls", role: "group", "aria-label": "Playback" },
        h("div", { class: "buttons" }, this.buttons),
        this.slider,
        h("div", { class: "choices" }, h("label", {}, h("span", {}, "Turn"), this.turnSelect), h("label", {}, h("span", {}, "Speed"), this.speedSelect), this.linkButton),
      );
      const logBox = h("section", { class: "logbox", tabindex: 0, role: "region", "aria-label": "What happened" }, this.log);
      this.logBox = logBox;
      this.root.replaceChildren(
        h("div", { class: "bar" }, this.switch()),
        h("div", { class: "floor" }, h("div", { class: "show" }, h("div", { class: "caption" }, this.turnLabel, this.words), this.live, stage, controls), logBox),
        this.end,
        details,
        film.deal ? h("details", { class: "card deal" }, h("summary", {}, "The deal"), film.deal.map((line) => h("p", {}, film.words(line)))) : "",
        h("p", { class: "keys muted" }, h("kbd", {}, "←"), h("kbd", {}, "→"), " step ", h("kbd", {}, "↑"), h("kbd", {}, "↓"), " turn ", h("kbd", {}, "Home"), h("kbd", {}, "End"), " ends ", h("kbd", {}, "space"), " play ", film.audience && [h("kbd", {}, "0"), " audience ", h("kbd", {}, "1"), "–", h("kbd", {}, String(film.seats.length)), " seats"]),
      );
    }

    switch() {
      const { film } = this;
      this.viewButtons = film.viewers().map((viewer, i) => {
        const name = viewer === null ? "Audience" : film.name(viewer);
        const label = viewer === null ? "Seen by the audience: everything" : `Seen by ${name}: what this seat knew`;
        const node = h("button", { type: "button", class: "button view", "aria-label": label, title: `${label} (${i})`, "aria-pressed": "false" }, viewer === null ? icon("queen") : badge(viewer), h("span", {}, name));
        node.addEventListener("click", () => this.look(viewer));
        return [viewer, node];
      });
      return h("div", { class: "views", role: "group", "aria-label": "Seen by" }, h("span", { class: "label", "aria-hidden": "true" }, "Seen by"), this.viewButtons.map(([, node]) => node));
    }

    buildLog() {
      const { film } = this;
      this.lines = [];
      this.log.replaceChildren(
        ...film.turns.map(([turn, first], i) => {
          const end = i + 1 < film.turns.length ? film.turns[i + 1][1] : film.last + 1;
          const lines = [];
          for (let number = first; number < end; number += 1) {
            const line = h("li", { "data-at": number }, film.words(film.markup(number, this.viewer)));
            this.lines[number] = line;
            lines.push(line);
          }
          return h("li", { class: "turn" }, h("a", { href: this.link(first) }, film.turnName(turn)), h("ol", {}, lines));
        }),
      );
      this.log.onclick = (event) => {
        const line = event.target.closest("[data-at]");
        if (line) this.go(Number(line.dataset.at));
      };
    }

    // Going somewhere.
    go(number, announce = true) {
      const next = Math.max(0, Math.min(this.film.last, number));
      const forward = next === this.at + 1;
      this.at = next;
      this.show(forward, announce);
      history.replaceState(null, "", this.link(this.at));
      if (this.at === this.film.last) this.stop();
    }

    goTurn(by) {
      const { film } = this;
      const index = film.turnIndex(this.at);
      const start = film.turns[index][1];
      const to = by < 0 && this.at > start ? index : index + by;
      if (to < 0) this.go(0);
      else this.go(to < film.turns.length ? film.turns[to][1] : film.last);
    }

    look(viewer) {
      if (!this.film.viewers().includes(viewer)) return;
      this.viewer = viewer;
      this.buildLog();
      this.show(false, true);
      history.replaceState(null, "", this.link(this.at));
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

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const tag = event.target.tagName;
      if (tag === "SELECT" || (tag === "INPUT" && event.target !== this.slider)) return;
      const scrolls = event.target === this.logBox;
      const number = /^[0-9]$/.test(event.key) ? Number(event.key) : null;
      if (number !== null) {
        this.look(number === 0 ? null : number - 1);
      } else if (event.key === " " && tag !== "BUTTON" && tag !== "SUMMARY" && tag !== "A") {
        this.toggle();
      } else if (event.key === "ArrowRight") this.go(this.at + 1);
      else if (event.key === "ArrowLeft") this.go(this.at - 1);
      else if (event.key === "ArrowDown" && !scrolls) this.goTurn(1);
      else if (event.key === "ArrowUp" && !scrolls) this.goTurn(-1);
      else if (event.key === "Home" && !scrolls) this.go(0);
      else if (event.key === "End" && !scrolls) this.go(this.film.last);
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
      if (this.film.viewers().includes(viewer) && viewer !== this.viewer) {
        this.viewer = viewer;
        if (this.lines.length) this.buildLog();
      }
      const turn = Number(wanted.get("t") ?? 0);
      const index = Math.max(0, this.film.turns.findIndex(([one]) => one === turn));
      const [, first] = this.film.turns[index];
      const last = (this.film.turns[index + 1]?.[1] ?? this.film.last + 1) - 1;
      const step = Math.max(0, Number(wanted.get("s") ?? 0)) || 0;
      this.at = Math.min(first + step, last);
      this.show(false, true);
    }

    async copy() {
      const label = this.linkButton.lastChild;
      try {
        await navigator.clipboard.writeText(location.href.split("#")[0] + this.link(this.at));
        label.textContent = "Copied";
      } catch {
        label.textContent = "In the address bar";
      }
      setTimeout(() => {
        label.textContent = "Copy link";
      }, 1600);
    }

    // Drawing a moment.
    show(forward, announce) {
      const { film } = this;
      const scene = film.scene(this.at, this.viewer);
      const markup = film.markup(this.at, this.viewer);
      const before = forward && !calm.matches ? this.places() : null;
      this.scene = scene;
      this.court.draw(scene, film.changed(this.at, this.viewer), this.viewer);
      if (before) this.animate(before);
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
      this.mark();
      this.describe();
      this.showEnd();
    }

    mark() {
      for (const line of this.log.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
      const line = this.lines[this.at];
      if (!line) return;
      line.setAttribute("aria-current", "step");
      const box = this.logBox;
      box.scrollTop = line.offsetTop - box.clientHeight / 2;
    }

    describe() {
      if (!this.details.open) return;
      this.alternative.replaceChildren(...this.court.describe(this.scene, this.viewer).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    }

    showEnd() {
      const over = this.at === this.film.last && this.film.outcomes.length > 0;
      this.end.hidden = !over;
      if (over && !this.end.firstChild) this.end.append(...this.court.explain());
    }

    // Pieces glide from where they were; new ones from who played them.
    places() {
      const rects = new Map();
      for (const node of this.stage.querySelectorAll("[data-key]")) rects.set(node.dataset.key, node.getBoundingClientRect());
      for (const node of this.stage.querySelectorAll("[id]")) rects.set(node.id, node.getBoundingClientRect());
      return rects;
    }

    animate(before) {
      for (const node of this.stage.querySelectorAll("[data-key]")) {
        const known = before.get(node.dataset.key);
        const from = known ?? before.get(node.dataset.from);
        if (!from) continue;
        const to = node.getBoundingClientRect();
        const x = from.x - to.x + (known ? 0 : (from.width - to.width) / 2);
        const y = from.y - to.y + (known ? 0 : (from.height - to.height) / 2);
        if (Math.abs(x) + Math.abs(y) < 2) continue;
        node.animate([{ transform: `translate(${x}px, ${y}px)`, opacity: known ? 1 : 0.2 }, { transform: "none", opacity: 1 }], { duration: 320 / Math.max(1, this.speed / 1.5), easing: "cubic-bezier(.2,.7,.2,1)" });
      }
    }
  }

  window.Courtyard.data?.then((data) => new Player(document.getElementById("replay"), new Film(data)));
})();
