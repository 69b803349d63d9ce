"use strict";
(() => {
  document.documentElement.classList.add("js");
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

  /* Sorting: numbers by data-v, texts by themselves; what has no number stays last both ways. */
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number" ? one - other : collator.compare(one, other);
  const sort = (table, column, way) => {
    const rows = [...table.tBodies[0].rows].map((row, place) => [keyOf(row, column), place, row]);
    rows.sort(([one, first], [other, second]) => {
      if (one === null || other === null) return (one === null) - (other === null) || first - second;
      return way * compare(one, other) || first - second;
    });
    table.tBodies[0].append(...rows.map((entry) => entry[2]));
    [...table.tHead.rows[0].cells].forEach((head, place) =>
      head.setAttribute("aria-sort", place !== column ? "none" : way > 0 ? "ascending" : "descending"));
    mark(table);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.querySelector("button").addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const first = head.classList.contains("num") ? -1 : 1;
        sort(table, column, now === "none" ? first : now === "ascending" ? -1 : 1);
      });
    });
  }

  /* The first rows that are shown are the ones that are printed. */
  const mark = (table) => {
    if (!table.classList.contains("long")) return;
    let count = 0;
    for (const row of table.tBodies[0].rows) row.classList.toggle("kept", !row.hidden && count++ < 60);
  };

  /* Filters: a text in the first two columns, and the same text in a chosen one. */
  for (const form of document.querySelectorAll("form.filters")) {
    const table = document.getElementById(form.dataset.table);
    const rows = [...table.tBodies[0].rows];
    const output = form.querySelector("output");
    const apply = () => {
      const field = form.querySelector("input");
      const text = field ? field.value.trim().toLowerCase() : "";
      const chosen = [...form.querySelectorAll("select")].filter((each) => each.value !== "");
      let shown = 0;
      for (const row of rows) {
        const words = `${row.cells[0].textContent}\n${row.cells[1].textContent}`.toLowerCase();
        row.hidden = !(words.includes(text)
          && chosen.every((each) => row.cells[each.dataset.column].textContent === each.value));
        shown += !row.hidden;
      }
      const all = rows.length.toLocaleString("en");
      output.textContent = shown === rows.length
        ? `${all} ${output.dataset.unit}` : `${shown.toLocaleString("en")} of ${all} ${output.dataset.unit}`;
      mark(table);
    };
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }

  /* The map of win shares tells the cell that is pointed at, by mouse, finger or keys. */
  const map = document.getElementById("share-map");
  if (map) {
    const { names, cells } = JSON.parse(document.getElementById("map-data").textContent);
    const readout = document.getElementById("map-readout");
    const region = map.parentElement;
    let row = 0;
    let column = 0;
    let lit = null;
    const tell = () => {
      if (lit) lit.classList.remove("lit");
      lit = map.tBodies[0].rows[row].cells[column + 1];
      lit.classList.add("lit");
      readout.textContent = row === column
        ? `${names[row]} against itself` : `${names[row]} against ${names[column]}: ${cells[row][column]}`;
    };
    const point = (event) => {
      const cell = event.target.closest("tbody td");
      if (!cell) return;
      row = cell.parentElement.sectionRowIndex;
      column = cell.cellIndex - 1;
      tell();
    };
    map.addEventListener("pointerover", point);
    map.addEventListener("click", point);
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    region.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      row = Math.min(Math.max(row + step[0], 0), names.length - 1);
      column = Math.min(Math.max(column + step[1], 0), names.length - 1);
      tell();
      lit.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
  }
})();
