// What replays and tables share: the stage, what its pieces mean, the log, the legend.
(() => {
  "use strict";
  const { h, svg, icon, signed, badge, games } = window.Courtyard;
  const guide = window.Courtyard.guide;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");

  class Theatre {
    // `keys` are pairs of keys and what they do.
    constructor(root, film, keys) {
      this.root = root;
      this.film = film;
      this.keys = keys;
      this.court = new (games[film.game] ?? games.plain)(film);
      this.viewer = film.viewers()[0];
      this.speed = 1;
      this.lines = [];
      this.newest = true;
      this.turnLabel = h("p", { class: "now" });
      this.words = h("p", { class: "words" });
      this.live = h("p", { class: "unseen", role: "status", "aria-live": "polite" });
      this.alternative = h("dl", { class: "in-words" });
      this.details = h("details", { class: "card" }, h("summary", {}, "This moment in words"), this.alternative);
      this.details.addEventListener("toggle", () => this.describe());
      this.end = h("section", { class: "end", "aria-labelledby": "scores", hidden: true });
      this.log = h("ol", { class: "log" });
      this.arrows = svg("svg", { class: "arrows", "aria-hidden": "true" });
      this.stage = h("div", { class: `stage ${games[film.game] ? film.game : "plain"}`, role: "group", tabindex: 0, "aria-label": "" }, this.court.node, this.arrows);
      this.logBox = h("section", { class: "logbox", tabindex: 0, role: "region", "aria-label": "What happened" }, this.log);
      this.bubble = h("div", { class: "bubble", role: "tooltip", id: "bubble", hidden: true });
      this.cinemaButton = this.button("cinema", "Cinema", "f", () => this.cinema());
      this.legendButton = this.button("legend", "Legend and rules", "?", () => this.explain());
      this.fit();
      window.addEventListener("resize", () => {
        this.fit();
        this.point();
      });
    }

    button(name, label, keys, act) {
      const node = h("button", { type: "button", class: `control c-${name}`, "aria-label": label, title: `${label} (${keys})` }, icon(name));
      node.addEventListener("click", act);
      return node;
    }

    // The theatre is as high as the window, less what stands above it.
    fit() {
      const above = this.root.getBoundingClientRect().top + window.scrollY;
      this.root.style.setProperty("--above", `${Math.ceil(above)}px`);
    }

    // On a phone one part of the seats at a time.
    tabs() {
      const names = [...Object.entries(this.court.parts ?? {}), ["log", "Log"]];
      this.tabButtons = names.map(([part, name]) => {
        const node = h("button", { type: "button", "aria-pressed": "false" }, name);
        node.addEventListener("click", () => this.turnTo(part));
        return [part, node];
      });
      return h("div", { class: "tabs", role: "group", "aria-label": "Show" }, this.tabButtons.map(([, node]) => node));
    }

    turnTo(part) {
      for (const [one, node] of this.tabButtons) node.setAttribute("aria-pressed", String(one === part));
      this.theatre.dataset.part = part;
    }

    cinema(on = !this.theatre.classList.contains("cinema")) {
      this.theatre.classList.toggle("cinema", on);
      document.documentElement.classList.toggle("in-cinema", on);
      this.cinemaButton.setAttribute("aria-pressed", String(on));
      this.point();
    }

    escape() {
      if (!this.bubble.hidden) this.hideTip();
      else this.cinema(false);
    }

    // The lines of a viewer by turns; `head` returns a turn's title.
    buildLog(head) {
      const { film, newest } = this;
      this.lines = [];
      const turns = film.turns.map(([turn, first], i) => {
        const end = i + 1 < film.turns.length ? film.turns[i + 1][1] : film.last + 1;
        const lines = [];
        for (let number = first; number < end; number += 1) {
          const line = h("li", { "data-at": number }, film.words(film.markup(number, this.viewer)));
          this.lines[number] = line;
          lines.push(line);
        }
        return h("li", { class: "turn" }, head(turn, first), h("ol", {}, newest ? lines.reverse() : lines));
      });
      this.log.replaceChildren(...(newest ? turns.reverse() : turns));
    }

    // Draw a scene, in which `fresh` are the keys that changed; pieces glide there, or jump.
    draw(scene, fresh, glide) {
      const before = glide && !calm.matches ? this.places() : null;
      const held = this.tips().indexOf(document.activeElement);
      this.scene = scene;
      this.court.draw(scene, fresh, this.viewer);
      if (before) this.animate(before);
      if (held >= 0) this.tips()[held]?.focus();
      this.point();
      this.describe();
    }

    // An arrow from what acts to what it acts on.
    point() {
      this.arrows.replaceChildren();
      const [from, to] = (this.court.arrow ?? []).map((key) => this.stage.querySelector(`[data-key="${key}"]`));
      if (!from || !to) return;
      const box = this.stage.getBoundingClientRect();
      const middle = (node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return [x - box.x + width / 2, y - box.y + height / 2];
      };
      const [x, y] = middle(from);
      const [tx, ty] = middle(to);
      const far = Math.hypot(tx - x, ty - y) || 1;
      const [ux, uy] = [(tx - x) / far, (ty - y) / far];
      const [ex, ey] = [tx - ux * 12, ty - uy * 12];
      this.arrows.append(
        svg("path", { d: `M${x} ${y}Q${(x + ex) / 2 - uy * far * 0.15} ${(y + ey) / 2 + ux * far * 0.15} ${ex} ${ey}` }),
        svg("path", { class: "head", d: `M${tx} ${ty}L${tx - ux * 15 - uy * 7} ${ty - uy * 15 + ux * 7}L${tx - ux * 15 + uy * 7} ${ty - uy * 15 - ux * 7}z` }),
      );
    }

    describe() {
      if (!this.details.open) return;
      this.alternative.replaceChildren(...this.court.describe(this.scene, this.viewer).flatMap(([term, text]) => [h("dt", {}, term), h("dd", {}, text)]));
    }

    showEnd(over) {
      this.end.hidden = !over;
      if (over && !this.end.firstChild) this.end.append(...this.court.explain(), ...this.luck());
    }

    // What luck gave the seats, for the audience of a game that measures it.
    luck() {
      if (!this.film.luck) return [];
      const [said, seats] = this.film.luck;
      const given = seats.map(([points, error], seat) => h("li", {}, badge(seat), ` ${this.film.name(seat)} `, h("b", {}, signed(points)), ` ± ${error.toFixed(1)}`));
      return [h("p", { class: "luck" }, this.film.words(said)), h("ul", { class: "luck muted", "aria-label": "Points that luck gave, relative to the table's mean" }, h("li", {}, "Luck in points:"), given)];
    }

    // What a thing means, in a bubble beside it.
    tips() {
      return [...this.stage.querySelectorAll("[data-tip]")];
    }

    nextTip(from, by) {
      const tips = this.tips();
      tips[(tips.indexOf(from) + by + tips.length) % tips.length]?.focus();
    }

    watchTips() {
      const over = (event) => {
        const node = event.target.closest?.("[data-tip]");
        if (node) this.showTip(node, node.dataset.tip);
        else this.hideTip();
      };
      for (const kind of ["pointerover", "focusin", "click"]) this.theatre.addEventListener(kind, over);
      this.theatre.addEventListener("pointerleave", () => this.hideTip());
      this.theatre.addEventListener("focusout", () => this.hideTip());
    }

    showTip(node, text) {
      const [name, effect] = text.split("\n");
      this.bubble.replaceChildren(h("b", {}, name), effect ? h("span", {}, effect) : "");
      this.bubble.hidden = false;
      const box = this.theatre.getBoundingClientRect();
      const near = node.getBoundingClientRect();
      const { width, height } = this.bubble.getBoundingClientRect();
      const left = near.x - box.x + near.width / 2 - width / 2;
      const above = near.y - box.y - height - 6;
      this.bubble.style.left = `${Math.max(4, Math.min(box.width - width - 4, left))}px`;
      this.bubble.style.top = `${above > 0 ? above : near.y - box.y + near.height + 6}px`;
    }

    hideTip() {
      this.bubble.hidden = true;
    }

    // Rules in a minute, the signs, and the keys.
    explain() {
      if (!this.dialog) {
        const close = h("button", { type: "button", class: "button" }, "Close");
        const signs = this.court.legend?.() ?? [];
        this.dialog = h(
          "dialog",
          { class: "guide", "aria-labelledby": "guide" },
          h("header", {}, h("h2", { id: "guide" }, guide.minute ? "Rules in a minute" : "Legend"), close),
          (guide.minute ?? []).map((line) => h("p", {}, line)),
          signs.map(([title, entries]) => [h("h3", {}, title), h("dl", {}, entries.map(([picture, name, effect]) => h("div", {}, h("dt", {}, picture, name), h("dd", {}, effect))))]),
          h("h3", {}, "Keys"),
          h("dl", {}, this.keys.map(([keys, does]) => h("div", {}, h("dt", {}, h("kbd", {}, keys)), h("dd", {}, does)))),
        );
        close.addEventListener("click", () => this.dialog.close());
        this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
        this.root.append(this.dialog);
      }
      this.dialog.showModal();
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

  window.Courtyard.Theatre = Theatre;
})();
