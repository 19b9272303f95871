// A table at which a person plays: the newest moment, the question, and the answers.
(() => {
  "use strict";
  const { h, badge, counted, Film, Theatre } = window.Courtyard;
  const WAIT_MS = 40000; // the server answers within 20 s, with or without news
  const HIDDEN_MS = 5000;
  const RETRY_MS = [500, 1000, 2000, 4000, 8000];
  const WARNED_S = 60;
  const JSON_TYPE = "application/json";
  const DRAGGED_PX = 6;
  const KEYS = [
    ["1 2 3 …", "choose; of more than nine options, Enter confirms the number"],
    ["← → ↑ ↓", "go through the pieces and places that can be chosen"],
    ["Enter", "choose what has the focus"],
    ["u", "take a step back"],
    ["h", "a hint, if the table has any"],
    ["Esc", "show all options again"],
    ["f", "cinema"],
    ["?", "legend"],
  ];

  // Asks the server for the table again and again, and sends it the answers. A browser has six
  // connections to a site: a hidden tab holds none, and one that answers lets go of its own first.
  class Line {
    constructor(changed, lost) {
      this.changed = changed;
      this.lost = lost;
      this.version = -1;
      document.addEventListener("visibilitychange", () => document.hidden && this.waiting.abort());
    }

    async follow() {
      for (let failures = 0; ; ) {
        const state = await this.ask();
        if (state === 404) return this.lost(true);
        if (state === undefined) await this.answering;
        else if (state) {
          failures = 0;
          const news = state.version !== this.version;
          this.version = state.version;
          this.changed(state, news);
          if (state.state === "over" || state.state === "ended") return;
          if (document.hidden) await this.rest();
        } else {
          this.lost(false);
          const ms = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
          await new Promise((done) => setTimeout(done, ms));
          failures += 1;
        }
      }
    }

    // The next state; 404 if there is no such table, null if the server is away, undefined if the
    // page let go of the question.
    async ask() {
      const waiting = (this.waiting = new AbortController());
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        waiting.abort();
      }, WAIT_MS);
      try {
        const answer = await fetch(`state?after=${document.hidden ? -1 : this.version}`, { cache: "no-store", signal: waiting.signal });
        return answer.ok ? await answer.json() : answer.status === 404 ? 404 : null;
      } catch {
        return waiting.signal.aborted && !late ? undefined : null;
      } finally {
        clearTimeout(timer);
      }
    }

    rest() {
      return new Promise((done) => {
        setTimeout(done, HIDDEN_MS);
        document.addEventListener("visibilitychange", done, { once: true });
      });
    }

    // Whether the table took the answer: the index of an option, or "back".
    send(question, option) {
      return this.post("answer", JSON.stringify({ question, option }));
    }

    hint() {
      return this.post("hint", "");
    }

    post(path, body) {
      this.answering = this.posted(path, body);
      return this.answering;
    }

    async posted(path, body) {
      this.waiting.abort();
      try {
        const answer = await fetch(path, { method: "POST", headers: { "Content-Type": JSON_TYPE, Accept: JSON_TYPE }, body });
        return answer.ok;
      } catch {
        return false;
      }
    }
  }

  class Table extends Theatre {
    constructor(root, film, line) {
      super(root, film, KEYS);
      this.line = line;
      this.court.first = this.viewer ?? 0;
      this.title = document.title;
      this.asked = null;
      this.picked = []; // keys of pieces and places, to which the options are narrowed
      this.typed = "";
      this.build();
      document.addEventListener("keydown", (event) => this.key(event));
      setInterval(() => this.tick(), 1000);
    }

    build() {
      this.left = h("p", { class: "time-left", hidden: true });
      this.said = h("b", { class: "turn-of" });
      this.panel = h("section", { class: "ask", role: "group", tabindex: -1, "aria-labelledby": "prompt" });
      this.theatre = h(
        "div",
        { class: `theatre at-table${this.viewer === null ? "" : " has-seat"}` },
        h(
          "div",
          { class: "caption" },
          h("div", { class: "said" }, h("div", { class: "nows" }, this.said, this.turnLabel), this.words),
          this.left,
          h("div", { class: "choices" }, this.legendButton, this.cinemaButton),
        ),
        this.live,
        h("div", { class: "talk" }, this.panel, h("div", { class: "side-log" }, h("div", { class: "log-head" }, h("b", {}, "Log")), this.logBox)),
        this.tabs(),
        this.stage,
        this.bubble,
      );
      this.root.replaceChildren(this.theatre, this.details);
      this.end.tabIndex = 0; // it scrolls
      this.stage.append(this.end);
      this.turnTo(this.tabButtons[0][0]);
      this.watchTips();
      this.watchPieces();
    }

    // What the server says now.
    update(state) {
      this.state = state;
      this.film = this.court.film = new Film(state.film);
      const question = state.asked?.question;
      if (question !== this.asked?.question) {
        this.picked = [];
        this.typed = "";
        this.sent = false;
        this.warned = false;
      }
      this.asked = state.asked;
      this.due = state.left_s == null ? null : performance.now() + state.left_s * 1000;
      this.show(true);
      if (this.lines.length !== this.film.last + 1) {
        this.buildLog((turn) => h("b", {}, this.film.turnName(turn)));
        this.logBox.scrollTop = 0;
      }
      this.tick();
      this.dropAgain();
    }

    // Draw the newest moment; what others changed since this seat's last move is marked.
    show(glide) {
      const { film, asked, state } = this;
      const inside = this.panel.contains(document.activeElement);
      const same = this.shownFor === asked?.question;
      this.shownFor = asked?.question;
      const option = inside && same ? document.activeElement.dataset.option : null;
      const held = this.stage.contains(document.activeElement) ? document.activeElement.dataset.lit : null;
      const fresh = this.news();
      const taken = asked?.taken ?? [];
      const scene = film.scene(film.last, this.viewer);
      this.draw(taken.length && this.court.after ? this.court.after(scene, taken) : scene, fresh, glide);
      const [turn] = film.frames[film.last];
      this.turnLabel.replaceChildren(film.turnName(turn), scene.round ? `, round ${scene.round}` : "");
      const markup = film.markup(film.last, this.viewer);
      this.words.replaceChildren(...film.words(markup));
      this.stage.setAttribute("aria-label", `The table. ${film.turnName(turn)}. ${film.text(markup)}`);
      this.said.textContent = state.words;
      this.theatre.classList.toggle("asked", Boolean(asked));
      document.title = asked ? `Your turn · ${this.title}` : this.title;
      this.light();
      this.showParts();
      this.fill();
      this.point(); // now that all has its place
      const over = state.state === "over" && film.outcomes.length > 0;
      this.showEnd(over && !this.looking);
      const hinted = this.hinted();
      const told = asked ? `${state.words} ${film.named(asked.prompt)} ${asked.options.length} options.` : state.words;
      if (same && hinted !== this.toldHint && hinted) this.say(hinted);
      else if (!same || !hinted) this.say(`${told} ${hinted}`.trim());
      const marked = this.panel.querySelector(".option:has(small)");
      if (inside && !this.panel.contains(document.activeElement)) {
        const focused = option == null ? !same && marked : this.panel.querySelector(`[data-option="${option}"]`);
        (focused || this.panel.querySelector(".option, .button") || this.panel).focus();
      }
      if (!same || hinted !== this.toldHint) marked?.scrollIntoView({ block: "nearest" });
      this.toldHint = hinted;
      if (held != null) (this.lit().find((node) => node.dataset.lit === held) ?? this.lit()[0] ?? this.stage).focus();
    }

    // The keys that changed since this seat's last move; for spectators, in the last turn.
    news() {
      const { film, viewer } = this;
      const old = film.frames.findLastIndex(([turn, seat]) => (viewer === null ? turn !== film.turnAt(film.last) : seat === viewer));
      const fresh = new Set();
      for (let number = old + 1; number <= film.last; number += 1) for (const key of film.changed(number, viewer)) fresh.add(key);
      return fresh;
    }

    // What a bot would do here, as a sentence; empty before the first request.
    hinted() {
      const hint = this.asked?.hint;
      if (!hint) return "";
      if (hint.why) return hint.why;
      return hint.steps ? `${hint.bot} would choose: ${hint.steps.map((label) => this.film.named(label)).join(", then ")}.` : `${hint.bot} is deciding.`;
    }

    say(text) {
      if (this.live.textContent !== text) this.live.textContent = text;
    }

    // The options that are left: [index, label, piece, place] each.
    options() {
      const all = (this.asked?.options ?? []).map(([label, piece, place], index) => [index, this.film.named(label), piece, place]);
      return all.filter(([, , ...keys]) => this.picked.every((key) => keys.includes(key)));
    }

    // The question, or what there is to wait for.
    fill() {
      const { asked, state } = this;
      const title = (text) => h("h2", { id: "prompt" }, text);
      if (!asked) {
        const over = state.state !== "playing";
        this.panel.replaceChildren(title(over ? (state.state === "over" ? "Result" : "No result") : this.viewer === null ? "You are watching" : "Wait for your turn"), ...(over ? this.ended() : [this.seats()]));
        return;
      }
      const options = this.options();
      const taken = asked.taken.map(([label]) => h("li", {}, this.film.named(label)));
      const back = h("button", { type: "button", class: "lesser", "aria-keyshortcuts": "u" }, "Take back ", h("kbd", { "aria-hidden": "true" }, "u"));
      back.addEventListener("click", () => this.send("back"));
      const all = h("button", { type: "button", class: "lesser", "aria-keyshortcuts": "Escape" }, `All ${asked.options.length} options `, h("kbd", { "aria-hidden": "true" }, "Esc"));
      all.addEventListener("click", () => this.pickNone());
      const hint = h("button", { type: "button", class: "lesser", "aria-keyshortcuts": "h" }, "Hint ", h("kbd", { "aria-hidden": "true" }, "h"));
      hint.addEventListener("click", () => this.askHint());
      const narrowed = options.length < asked.options.length;
      const offered = state.hints && !asked.hint;
      this.panel.replaceChildren(
        title(this.film.named(asked.prompt)),
        taken.length ? h("ol", { class: "so-far", "aria-label": "Already chosen" }, taken) : "",
        h("ol", { class: "options" }, options.map(([index, label], i) => h("li", {}, this.option(index, label, i + 1)))),
        asked.hint ? h("p", { class: "hint" }, this.hinted()) : "",
        asked.taken.length || narrowed || offered ? h("p", { class: "undo" }, narrowed && all, asked.taken.length > 0 && back, offered && hint) : "",
      );
    }

    option(index, label, number) {
      const { hint } = this.asked;
      const chosen = this.typed === String(number);
      const node = h("button", { type: "button", class: `option${chosen ? " chosen" : ""}`, "aria-disabled": this.sent ? "true" : null, "data-option": index }, h("kbd", { "aria-hidden": "true" }, String(number)), h("span", {}, label), hint?.option === index && h("small", {}, "hint"));
      node.addEventListener("click", () => this.send(index));
      return node;
    }

    seats() {
      return h("ul", { class: "sitting" }, this.state.seats.map(({ name, kind, you, taken }, seat) => h("li", {}, badge(seat), h("b", {}, name), h("span", { class: "muted" }, you ? "you" : kind === "person" && !taken ? "not here yet" : kind))));
    }

    ended() {
      if (this.state.state === "ended") return [h("p", {}, h("a", { class: "button", href: "../" }, "Open another table"))];
      const { film } = this;
      const order = film.seatNumbers.toSorted((a, b) => film.outcomes[a][0] - film.outcomes[b][0] || a - b);
      const look = h("button", { type: "button", class: "button" }, this.looking ? "Show the scoring" : "Show the table");
      look.addEventListener("click", () => {
        this.looking = !this.looking;
        this.show(false);
      });
      return [
        h("ol", { class: "sitting" }, order.map((seat) => h("li", {}, badge(seat), h("b", {}, film.name(seat)), h("span", { class: "muted" }, counted(film.outcomes[seat][1], "point"))))),
        h("p", { class: "undo" }, look, h("a", { class: "button", href: "replay.html" }, "Watch the replay"), h("a", { class: "button", href: "../" }, "Play again")),
      ];
    }

    // Pieces and places that options name light up; the first box of each can have the focus.
    light() {
      const all = new Set((this.asked?.options ?? []).flatMap(([, piece, place]) => [piece, place]).filter(Boolean));
      const options = this.options();
      for (const key of all) {
        const open = options.filter(([, , ...keys]) => keys.includes(key));
        const picked = this.picked.includes(key);
        const nodes = this.named(key);
        for (const node of nodes) node.classList.add(open.length ? "lit" : "dim-lit", ...(picked ? ["picked"] : []));
        const handle = nodes.map((node) => this.handle(node)).find((node) => node?.offsetParent);
        if (!handle) continue;
        const name = handle.dataset.tip?.split("\n")[0] ?? handle.textContent.trim();
        const told = open.length === 1 ? open[0][1] : `${open.length || "other"} options`;
        for (const [attribute, value] of Object.entries({ "data-lit": key, role: "button", tabindex: -1, "aria-pressed": String(picked), "aria-label": name ? `${name}: ${told}` : told })) handle.setAttribute(attribute, value);
      }
      for (const key of this.asked?.options[this.asked.hint?.option]?.slice(1) ?? []) if (key) for (const node of this.named(key)) node.classList.add("hinted");
      for (const [, piece] of this.asked?.taken ?? []) if (piece) this.stage.querySelector(`[data-key="${CSS.escape(piece)}"]`)?.classList.add("used");
    }

    named(key) {
      const quoted = CSS.escape(key);
      return [...this.stage.querySelectorAll(`[data-key="${quoted}"], [data-place="${quoted}"]`)];
    }

    // What can have the focus of a box: a section or an item of a list stays what it is.
    handle(node) {
      return node.matches("section, li") ? node.querySelector("[data-handle]") : node.matches(".cell") ? null : node;
    }

    lit() {
      return [...this.stage.querySelectorAll("[data-lit]")];
    }

    // On a phone, turn to the part that holds what can be chosen, and not away from another choice.
    showParts() {
      const { question } = this.asked ?? {};
      if (question == null || this.turnedFor === question) return;
      this.turnedFor = question;
      const shown = () => [...this.stage.querySelectorAll("[data-key].lit")].filter((node) => node.offsetParent).length;
      const parts = Object.keys(this.court.parts ?? {});
      const { part: now } = this.theatre.dataset;
      if (!parts.some((part) => (this.turnTo(part), shown() > 0))) this.turnTo(now);
    }

    pickNone() {
      this.picked = [];
      this.typed = "";
      this.show(false);
    }

    // Choose what a key stands for, or narrow the options to it.
    pick(...keys) {
      if (!this.asked || this.sent) return;
      const fits = (picked) => this.asked.options.flatMap(([, ...ends], index) => (picked.every((key) => ends.includes(key)) ? [index] : []));
      const [key] = keys;
      if (keys.length === 1 && this.picked.includes(key)) this.picked = this.picked.filter((one) => one !== key);
      else {
        const both = [...this.picked, ...keys];
        const picked = [both, keys, [key]].find((some) => fits(some).length);
        if (!picked) return;
        const found = fits(picked);
        if (found.length === 1) return void this.send(found[0]);
        this.picked = picked;
      }
      this.typed = "";
      this.show(false);
    }

    async send(option) {
      const { asked } = this;
      if (!asked || this.sent || (option === "back" && !asked.taken.length)) return;
      this.sent = true;
      this.hideTip();
      for (const node of this.panel.querySelectorAll(".option")) node.setAttribute("aria-disabled", "true");
      const took = await this.line.send(asked.question, option);
      if (took || this.asked?.question !== asked.question) return;
      this.sent = false;
      this.show(false);
      this.said.textContent = "The table did not take this answer: choose again.";
      this.say(this.said.textContent);
    }

    async askHint() {
      const { asked, state } = this;
      if (!asked || asked.hint || !state.hints || this.sent || this.asking) return;
      this.asking = true;
      if (!(await this.line.hint())) this.say("The table gave no hint.");
      this.asking = false;
    }

    // The key of the piece or place around a node that can be chosen.
    keyAt(node) {
      const { key, place } = node?.closest?.(".lit, .dim-lit")?.dataset ?? {};
      return [key, place].find((one) => one && this.asked?.options.some((option) => option.includes(one, 1)));
    }

    showTip(node, text) {
      if (!this.theatre.classList.contains("dragging")) super.showTip(node, text);
    }

    watchPieces() {
      this.theatre.addEventListener("click", (event) => {
        const key = this.keyAt(event.target);
        if (key && !this.dragged) {
          this.pick(key);
          this.hideTip();
        }
      });
      this.stage.addEventListener("pointerdown", (event) => {
        this.dragged = false;
        const key = event.button === 0 && !this.sent ? this.keyAt(event.target) : null;
        const piece = event.target.closest?.("[data-key], .lit");
        if (key && piece && this.asked.options.some(([, one]) => one === key)) this.drag(event, key, piece);
      });
    }

    // A piece follows the pointer until it is let go: on a place, on the question, or in vain.
    drag(begun, key, piece) {
      let ghost = null;
      let over = null;
      const place = (event) => {
        const node = document.elementFromPoint(event.clientX, event.clientY);
        const boxes = [...this.stage.querySelectorAll("[data-place]")].filter((box) => box.contains(node)).reverse();
        return { node, boxes };
      };
      const move = (event) => {
        const [x, y] = [event.clientX - begun.clientX, event.clientY - begun.clientY];
        if (!ghost && Math.hypot(x, y) < DRAGGED_PX) return;
        if (!ghost) {
          this.dragged = true;
          this.hideTip();
          const { width, height, left, top } = piece.getBoundingClientRect();
          ghost = piece.cloneNode(true);
          for (const name of ["id", "data-key", "data-lit", "data-tip"]) ghost.removeAttribute(name);
          ghost.classList.add("ghost");
          ghost.setAttribute("aria-hidden", "true");
          Object.assign(ghost.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
          ghost.style.setProperty("--h", `${height}px`);
          this.theatre.append(ghost);
          this.theatre.classList.add("dragging");
        }
        ghost.style.translate = `${x}px ${y}px`;
        over?.classList.remove("drop");
        over = place(event).boxes[0];
        over?.classList.add("drop");
        event.preventDefault();
      };
      const end = (event) => {
        for (const [kind, act] of Object.entries(acts)) document.removeEventListener(kind, act);
        over?.classList.remove("drop");
        ghost?.remove();
        this.theatre.classList.remove("dragging");
        if (!ghost || event.type !== "pointerup") return;
        const { node, boxes } = place(event);
        const ends = this.asked?.options.filter((option) => option.includes(key, 1)).map((option) => option[2]) ?? [];
        const to = boxes.map((box) => box.dataset.place).find((one) => ends.includes(one));
        if (to) this.pick(key, to);
        else if (this.panel.contains(node)) this.pick(key);
        else if (boxes.length && ends.every((one) => one == null)) {
          this.pick(key);
          this.wanted = this.sent ? boxes.map((box) => box.dataset.place) : null;
        }
      };
      const acts = { pointermove: move, pointerup: end, pointercancel: end };
      for (const [kind, act] of Object.entries(acts)) document.addEventListener(kind, act);
    }

    // A piece that was dropped where its next question may put it goes there, if it may.
    dropAgain() {
      const { wanted } = this;
      if (!this.asked || !wanted || this.sent) return;
      this.wanted = null;
      const to = wanted.find((key) => this.asked.options.some(([, , place]) => place === key));
      if (to) this.pick(to);
    }

    // The time that is left for a decision.
    tick() {
      const seconds = this.asked && this.due != null ? Math.max(0, Math.ceil((this.due - performance.now()) / 1000)) : null;
      this.left.hidden = seconds == null;
      if (seconds == null) return;
      const late = seconds <= WARNED_S;
      this.left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} left`;
      this.left.classList.toggle("late", late);
      if (late && !this.warned) this.say(`${seconds} seconds left; then chance decides.`);
      this.warned = late;
    }

    key(event) {
      if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
      const { target, key } = event;
      if (["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName)) return;
      const lit = target.dataset?.lit;
      const scrolls = target.closest?.(".logbox, pre") != null;
      if (/^[0-9]$/.test(key)) this.type(key);
      else if (key === "Enter" && this.typed) this.choose(Number(this.typed));
      else if ((key === "Enter" || key === " ") && lit) this.pick(lit);
      else if (key === "u") this.send("back");
      else if (key === "h") this.askHint();
      else if (key === "?") this.explain();
      else if (key === "f") this.cinema();
      else if (key === "Escape") this.escape();
      else if (/^Arrow/.test(key) && !scrolls) {
        const by = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
        if (!this.step(target, by)) return;
      } else return;
      event.preventDefault();
    }

    // Arrows go through the options of the list from within it, else through what is lit.
    step(target, by) {
      const inPanel = this.panel.contains(target);
      const nodes = inPanel ? [...this.panel.querySelectorAll("button, a")] : this.asked ? this.lit() : this.tips();
      if (!nodes.length || (!inPanel && target !== document.body && !this.theatre.contains(target))) return false;
      const at = nodes.indexOf(target);
      nodes[at < 0 ? (by > 0 ? 0 : nodes.length - 1) : (at + by + nodes.length) % nodes.length].focus();
      return true;
    }

    // A number of several digits is chosen once no longer one is possible, or by Enter.
    type(digit) {
      const count = this.options().length;
      const number = [Number(this.typed + digit), Number(digit)].find((one) => one >= 1 && one <= count);
      this.typed = number ? String(number) : "";
      if (number && number * 10 > count) this.choose(number);
      else this.fill();
    }

    choose(number) {
      this.typed = "";
      const option = this.options()[number - 1];
      if (option) this.send(option[0]);
    }

    escape() {
      if (this.picked.length || this.typed) this.pickNone();
      else super.escape();
    }
  }

  // Before the first deal there is only who sits at the table.
  const lobby = (root, state) =>
    root.replaceChildren(
      h("section", { class: "card" }, h("h2", {}, state.words), h("ul", { class: "sitting" }, (state.seats ?? []).map(({ name, you, taken }, seat) => h("li", {}, badge(seat), h("b", {}, name), h("span", { class: "muted" }, you ? "you" : taken ? "here" : "free"))))),
    );

  // What the page shows besides, as long as the table is in a state.
  const showOnly = (state) => {
    for (const node of document.querySelectorAll("[data-while]")) node.hidden = !node.dataset.while.split(" ").includes(state);
  };

  const root = document.getElementById("table");
  root.className = "replay"; // the page without a script has other styles
  let table = null;
  let waited = false;
  const line = new Line(
    (state, news) => {
      showOnly(state.state);
      if (!state.film) {
        lobby(root, state);
        waited = true;
      } else if (waited) location.reload(); // for the names of who came
      else {
        table ??= new Table(root, new Film(state.film), line);
        if (news || table.away) table.update(state);
        table.away = false;
      }
    },
    (gone) => {
      const words = gone ? "This table ended, as the server was restarted." : "The connection is lost; trying again …";
      if (gone && !table) root.replaceChildren(h("p", { role: "status" }, words));
      if (!table) return;
      table.away = true;
      table.say(words);
      table.said.textContent = words;
      if (gone) table.update({ ...table.state, film: table.state.film, state: "ended", words, asked: null, left_s: null });
    },
  );
  line.follow();
})();
