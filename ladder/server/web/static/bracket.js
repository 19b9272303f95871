// Draws lines in a bracket, from each bot that advances to its place in the next column. Losers get
// no line to the match for third place, as it would cross those of the winners. The lines to one
// table share a lane of their own between the columns.
(() => {
  "use strict";
  const SVG = "http://www.w3.org/2000/svg";

  const places = (column) =>
    new Map([...column.querySelectorAll(".meeting:not(.third) li[data-entrant]")].map((each) => [each.dataset.entrant, each]));

  // Which lines lead to each table, by the lane that they take.
  const inLanes = (tables) => {
    const lanes = [];
    for (const lines of tables.values()) {
      const ends = lines.flatMap(({ y, end }) => [y, end]);
      const [top, bottom] = [Math.min(...ends), Math.max(...ends)];
      let lane = lanes.find((each) => each.every((taken) => bottom < taken.top || top > taken.bottom));
      if (!lane) lanes.push((lane = []));
      lane.push({ top, bottom, lines });
    }
    return lanes;
  };

  const draw = (bracket) => {
    bracket.querySelector("svg.lines")?.remove();
    const frame = bracket.getBoundingClientRect();
    const columns = [...bracket.querySelectorAll(".column:not([hidden])")].map(places);
    const lines = document.createElementNS(SVG, "svg");
    lines.classList.add("lines");
    lines.setAttribute("aria-hidden", "true");
    lines.setAttribute("width", bracket.scrollWidth);
    lines.setAttribute("height", bracket.scrollHeight);
    columns.forEach((column, i) => {
      const tables = new Map();
      for (const [entrant, from] of column) {
        const to = columns.slice(i + 1).find((later) => later.has(entrant))?.get(entrant);
        if (!to) continue;
        const [left, right] = [from.closest(".meeting"), to.closest(".meeting")].map((each) => each.getBoundingClientRect());
        const [y, end] = [from, to].map((each) => each.getBoundingClientRect()).map((box) => (box.top + box.bottom) / 2 - frame.top);
        const [x, stop] = [left.right - frame.left, right.left - frame.left];
        const table = to.closest(".meeting");
        tables.set(table, [...(tables.get(table) ?? []), { x, y, end, stop }]);
      }
      const lanes = inLanes(tables);
      lanes.forEach((lane, number) => {
        for (const { x, y, end, stop } of lane.flatMap((table) => table.lines)) {
          const path = document.createElementNS(SVG, "path");
          path.setAttribute("d", `M${x} ${y}H${stop - (24 * (number + 1)) / (lanes.length + 1)}V${end}H${stop}`);
          lines.append(path);
        }
      });
    });
    bracket.prepend(lines);
  };

  const drawAll = () => document.querySelectorAll(".bracket").forEach(draw);
  addEventListener("resize", drawAll);
  document.addEventListener("courtyard-new", drawAll);
  document.addEventListener("courtyard-shown", drawAll);
  drawAll();
})();
