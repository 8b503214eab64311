"use strict";

// A column sorts by data-value where given, by its text elsewhere; empty cells stay last.
function cellValue(row, column) {
  const cell = row.cells[column];
  const given = cell.dataset.value ?? cell.textContent.trim();
  if (given === "" || given === "–") return null;
  if (!cell.classList.contains("numeric")) return given.toLowerCase();
  return Number(given.replaceAll(",", ""));
}

function compare(a, b, direction) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" ? a - b : a.localeCompare(b);
  return direction * order;
}

function sortBy(header) {
  const table = header.closest("table");
  const ascending = header.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = Array.from(table.tBodies[0].rows);
  const keys = new Map(rows.map((row) => [row, cellValue(row, header.cellIndex)]));
  rows.sort((a, b) => compare(keys.get(a), keys.get(b), ascending ? 1 : -1));
  table.tBodies[0].append(...rows);
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}

const root = document.documentElement;
const toggle = document.getElementById("theme");
const system = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
}

function showTheme() {
  toggle.textContent = isDark() ? "Use light colours" : "Use dark colours";
}

toggle.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
system.addEventListener("change", showTheme);
showTheme();
