// Sorts tables by any column, and filters their rows. Without this script every table is complete
// and in its default order.
(() => {
  "use strict";
  const collator = new Intl.Collator("en", { numeric: true });

  const number = (text) => {
    const value = parseFloat(text.replace(/\s/g, "").replace("−", "-"));
    return Number.isNaN(value) ? null : value;
  };

  // The sort key of a cell; null always sorts last.
  const key = (cell, kind) => {
    const text = cell.dataset.v ?? cell.textContent.trim();
    return kind === "number" ? number(text) : text || null;
  };

  const sort = (table, column, header, descending) => {
    const body = table.tBodies[0];
    const kind = header.dataset.sort;
    const keyed = [...body.rows].map((row, i) => [key(row.cells[column], kind), i, row]);
    const order = descending ? -1 : 1;
    keyed.sort(([a, i], [b, j]) => {
      if (a === null || b === null) return (a === null) - (b === null) || i - j;
      const difference = kind === "number" ? a - b : collator.compare(a, b);
      return order * difference || i - j;
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    body.append(...keyed.map(([, , row]) => row));
  };

  const sorted = new Map(); // by caption: the column that the reader chose, and its direction

  const setUp = (root) => {
    for (const table of root.querySelectorAll("table.sortable")) {
      const name = table.caption.textContent;
      [...table.tHead.rows[0].cells].forEach((header, column) => {
        if (!header.dataset.sort) return;
        const button = document.createElement("button");
        button.type = "button";
        const label = header.querySelector("div > span") ?? header;
        button.append(...label.childNodes);
        label.append(button);
        button.addEventListener("click", () => {
          const now = header.getAttribute("aria-sort");
          // The first press sorts numbers from the largest and words from A.
          const descending = now ? now === "ascending" : header.dataset.sort === "number";
          sorted.set(name, [column, descending]);
          sort(table, column, header, descending);
        });
      });
      if (sorted.has(name)) {
        const [column, descending] = sorted.get(name); // the table is new, the choice is not
        sort(table, column, table.tHead.rows[0].cells[column], descending);
      }
    }
    for (const field of root.querySelectorAll("input[data-filters]")) {
      const form = field.closest("form");
      form.hidden = false;
      form.querySelector("button").hidden = true; // rows are filtered while the reader types
      form.addEventListener("submit", (event) => event.preventDefault());
      field.addEventListener("input", () => {
        const wanted = field.value.trim().toLowerCase();
        for (const row of document.getElementById(field.dataset.filters).tBodies[0].rows) {
          row.hidden = !row.cells[1].textContent.toLowerCase().includes(wanted);
        }
      });
    }
  };
  setUp(document);
  document.addEventListener("courtyard-new", (event) => setUp(event.target));
})();
