// Draws the ratings of a bot's versions over their matches, with their intervals as bands.
(() => {
  "use strict";
  const HEIGHT = 300;
  let redraw = null;

  const setUp = (place) => {
    const versions = JSON.parse(place.parentElement.querySelector("script").textContent);

    // Colours are stylesheet variables; an element resolves their current values.
    const colour = (name, alpha = 1) => {
      const probe = document.createElement("i");
      probe.style.color = `color-mix(in srgb, var(--${name}) ${100 * alpha}%, transparent)`;
      place.append(probe);
      const found = getComputedStyle(probe).color;
      probe.remove();
      return found;
    };

    // The first match of a version follows the last match of the previous version.
    const joined = () => {
      const columns = [[]];
      let offset = 0;
      versions.forEach((version, v) => {
        columns[0].push(...version.x.map((x) => offset + x));
        offset += version.x.at(-1) + (v + 1 < versions.length ? 1 : 0);
      });
      let before = 0;
      for (const version of versions) {
        const after = columns[0].length - before - version.x.length;
        for (const values of [version.high, version.low, version.mu]) {
          columns.push([...Array(before).fill(null), ...values, ...Array(after).fill(null)]);
        }
        before += version.x.length;
      }
      return columns;
    };

    const options = () => {
      const series = [{ label: "Match" }];
      const bands = [];
      versions.forEach((version, v) => {
        const name = versions.length > 1 ? `Version ${version.version}` : "Rating";
        const plain = { points: { show: false }, width: 0 };
        series.push(
          { ...plain, label: `${name}, to` },
          { ...plain, label: `${name}, from` },
          { label: name, stroke: colour("accent"), width: 2, points: { show: false } },
        );
        bands.push({ series: [3 * v + 1, 3 * v + 2], fill: colour("accent", 0.16) });
      });
      const font = getComputedStyle(document.body);
      const axis = {
        stroke: colour("muted"),
        font: `12px ${font.fontFamily}`,
        grid: { stroke: colour("line"), width: 1 },
        ticks: { show: false },
      };
      return {
        width: place.clientWidth,
        height: HEIGHT,
        series,
        bands,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { x: { time: false } },
        axes: [{ ...axis, size: 32, label: undefined }, { ...axis, size: 40 }],
        hooks: { setCursor: [show] },
      };
    };

    const note = document.createElement("p");
    note.className = "note muted";
    note.textContent = "\u00a0";

    const show = (plot) => {
      const i = plot.cursor.idx;
      if (i === null || i === undefined) {
        note.textContent = "\u00a0";
        return;
      }
      versions.forEach((version, v) => {
        const [high, low, mu] = [1, 2, 3].map((n) => plot.data[3 * v + n][i]);
        if (mu === null) return;
        const before = versions.slice(0, v).reduce((sum, other) => sum + other.x.length, 0);
        const name = versions.length > 1 ? `Version ${version.version}, match` : "Match";
        note.textContent =
          `${name} ${version.x[i - before]}: ${mu.toFixed(1)} (${low.toFixed(1)} to ${high.toFixed(1)})`;
      });
    };

    let plot = null;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(options(), joined(), place);
    };
    place.after(note);
    draw();
    new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
    redraw = draw;
  };

  setUp(document.querySelector(".plotted"));
  document.addEventListener("courtyard-theme", () => redraw());
  document.addEventListener("courtyard-new", (event) => {
    const place = event.target.querySelector(".plotted");
    if (place) setUp(place);
  });
})();
