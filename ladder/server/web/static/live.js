// Polls the page and replaces the sections that changed, without moving anything that the reader has
// opened, scrolled or focused.
(() => {
  "use strict";
  const EVERY_MS = 5000;
  const served = new WeakMap(); // the text of a section that was replaced, which readers may sort

  // The sections of a page by their headings' ids, including new and removed ones.
  const sections = (root) => new Map([...root.children].map((part) => [part.querySelector("[id]")?.id ?? "", part]));

  const keep = (then, now) => {
    for (const name of ["scrollTop", "scrollLeft"]) {
      const [before, after] = [then, now].map((part) => [...part.querySelectorAll(".scroll")]);
      after.forEach((box, i) => {
        box[name] = before[i]?.[name] ?? 0;
      });
    }
    const fields = [...then.querySelectorAll("input[name]")];
    [...now.querySelectorAll("input[name]")].forEach((field, i) => {
      if (!fields[i]?.value) return;
      field.value = fields[i].value;
      field.dispatchEvent(new Event("input")); // filters the new rows
    });
    const opened = [...then.querySelectorAll("details")].map((each) => each.open);
    [...now.querySelectorAll("details")].forEach((each, i) => {
      each.open = opened[i] ?? false;
    });
  };

  const refresh = async () => {
    if (document.hidden) return;
    const answer = await fetch(location.href, { cache: "no-cache" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [now, then] = [fresh, document].map((page) => page.querySelector("[data-live]"));
    if (!now) return;
    const shown = sections(then);
    let last = null;
    for (const [name, part] of sections(now)) {
      const before = shown.get(name);
      shown.delete(name);
      let placed = before;
      // Skip a section with the focus until the next time.
      if ((!before || (served.get(before) ?? before.textContent) !== part.textContent) && !before?.contains(document.activeElement)) {
        placed = document.importNode(part, true);
        served.set(placed, part.textContent);
        if (last) last.after(placed);
        else then.prepend(placed);
        placed.dispatchEvent(new CustomEvent("courtyard-new", { bubbles: true }));
        if (before) keep(before, placed);
        before?.remove();
      }
      last = placed;
    }
    for (const gone of shown.values()) {
      if (!gone.contains(document.activeElement)) gone.remove();
    }
  };

  setInterval(() => refresh().catch(() => {}), EVERY_MS); // a server that is away may come back
})();
