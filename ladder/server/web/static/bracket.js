// Draws lines in a bracket, from each bot that advances to its place in the next column. Losers get
// no line to the match for third place, as it would cross those of the winners.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";

  const places = (column) =>
    new Map([...column.querySelectorAll(".meeting:not(.third) li[data-entrant]")].map((each) => [each.dataset.entrant, each]));

  const draw = (bracket) => {
    bracket.querySelector("svg.lines")?.remove();
    const frame = bracket.getBoundingClientRect();
    const columns = [...bracket.querySelectorAll(".column")].map(places);
    const lines = document.createElementNS(SVG, "svg");
    lines.classList.add("lines");
    lines.setAttribute("aria-hidden", "true");
    lines.setAttribute("width", bracket.scrollWidth);
    lines.setAttribute("height", bracket.scrollHeight);
    columns.forEach((column, i) => {
      for (const [entrant, from] of column) {
        const to = columns.slice(i + 1).find((later) => later.has(entrant))?.get(entrant);
        if (!to) continue;
        const [left, right] = [from.closest(".meeting"), to.closest(".meeting")].map((each) => each.getBoundingClientRect());
        const [y, end] = [from, to].map((each) => each.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2 - frame.top);
        const [x, stop] = [left.right - frame.left, right.left - frame.left];
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("d", `M${x} ${y}H${stop - 12}V${end}H${stop}`);
        lines.append(path);
      }
    });
    bracket.prepend(lines);
  };

  const drawAll = () => document.querySelectorAll(".bracket").forEach(draw);
  addEventListener("resize", drawAll);
  document.addEventListener("courtyard-new", drawAll);
  drawAll();
})();
