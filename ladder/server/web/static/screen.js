// Turns the big screen into a show: one view after the other fills the window, a long list page by
// page. The server may replace a view at any time (live.js); the show then goes on where it was.
(() => {
  "use strict";
  const EVERY_MS = 10_000;
  const screen = document.querySelector(".screen");
  let [shown, first] = ["", 0]; // the id of the view, and its first item on this page
  let next = 0; // the first item of its next page; 0 if there is none

  const views = () => [...screen.querySelectorAll(".view")];
  const name = (view) => view.querySelector("[id]").id;

  // Shows as many items as fit from the first one on, at least one.
  const fill = (view) => {
    const list = view.querySelector(".items");
    const items = [...list.children];
    if (first >= items.length) first = 0;
    for (const item of items) item.hidden = true;
    let end = first;
    while (end < items.length) {
      items[end].hidden = false;
      const fits = list.scrollHeight <= list.clientHeight + 1 && list.scrollWidth <= list.clientWidth + 1;
      if (!fits && end > first) {
        items[end].hidden = true;
        break;
      }
      end += 1;
    }
    next = end < items.length ? end : 0;
    const heading = view.querySelector("h2");
    heading.querySelector("small")?.remove();
    if (first || next) {
      const part = document.createElement("small");
      part.textContent = ` ${first + 1}–${end} of ${items.length}`;
      heading.append(part);
    }
  };

  const LEAST = 0.45; // of the type's size; in smaller type a bracket shows its last rounds alone

  // Makes a bracket as large as the window allows.
  const fit = (bracket) => {
    const [frame, columns] = [bracket.parentElement, [...bracket.querySelectorAll(".column")]];
    for (const column of columns) column.hidden = false;
    for (;;) {
      let size = 1.5;
      const isTooLarge = () => {
        bracket.style.fontSize = `${size}em`;
        return bracket.scrollWidth > frame.clientWidth || bracket.offsetHeight > frame.clientHeight;
      };
      while (isTooLarge() && size > LEAST) size -= 0.05;
      const first = columns.findIndex((column) => !column.hidden);
      if (size > LEAST || first === columns.length - 1) return;
      columns[first].hidden = true;
    }
  };

  const show = () => {
    const all = views();
    const view = all.find((each) => name(each) === shown) ?? all[0];
    if (name(view) !== shown) [shown, first] = [name(view), 0];
    for (const each of all) each.hidden = each !== view;
    fill(view);
    view.querySelectorAll(".bracket").forEach(fit);
    document.dispatchEvent(new Event("courtyard-shown"));
  };

  const turn = () => {
    if (next) {
      first = next;
    } else {
      const all = views();
      const now = all.findIndex((each) => name(each) === shown);
      [shown, first] = [name(all[(now + 1) % all.length]), 0];
    }
    show();
  };

  let timer = setInterval(turn, EVERY_MS);
  const button = document.createElement("button");
  button.className = "pause";
  button.textContent = "Pause";
  button.addEventListener("click", () => {
    if (timer) clearInterval(timer);
    timer = timer ? 0 : setInterval(turn, EVERY_MS);
    button.textContent = timer ? "Pause" : "Go on";
  });
  document.querySelector("main").append(button);

  document.documentElement.classList.add("show");
  addEventListener("resize", show);
  document.addEventListener("courtyard-new", show);
  show();
})();
