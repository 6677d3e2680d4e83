// Jobs of several runs, such as campaigns: the standing of each, a line and a table that is kept up to date.
import { age, at, badge, make, time } from "./live.js";

const jobs = new Map(), nodes = new Map();

function body(job) {
  const { columns = [], rows: all = [], below = [], next } = job.table ?? {};
  const head = make("tr", {}, ...columns.map(({ head, text }) => make("th", { scope: "col", class: text ? null : "number" }, head)), make("th", { scope: "col" }, "why not"));
  const cell = (row, text, place) => {
    if (place > 0) return make("td", { class: columns[place].text ? null : "number", "data-head": columns[place].head }, text);
    return make("th", { scope: "row" }, row.run ? make("a", { href: `/runs/${encodeURIComponent(row.run)}` }, text) : text);
  };
  const rows = all.map((row) => make("tr", { class: row.tone }, ...row.cells.map((text, place) => cell(row, text, place)), make("td", { class: "faint", "data-head": "why not" }, row.why ?? "")));
  return [
    make("p", {}, job.table?.says ?? job.says ?? "", next ? make("span", { class: "faint" }, `. Next: ${next}`) : ""),
    rows.length ? make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": `Patches of ${job.name}` },
      make("table", { class: "stack" }, make("thead", {}, head), make("tbody", {}, ...rows))) : "",
    ...below.map((line) => make("p", { class: "faint" }, line)),
  ];
}

// The table of a job that ends stays open or closed.
function nodeOf(job) {
  const data = JSON.stringify(job);
  let node = nodes.get(job.name);
  if (!node) {
    const details = make("details", { open: job.state === "running", "data-job": job.name }, make("summary", {}));
    const link = make("a", { href: `/jobs/${encodeURIComponent(job.name)}` }, job.name);
    node = { row: make("div", {}, link, details), details, when: make("span", { class: "faint" }), data: "" };
    nodes.set(job.name, node);
  }
  if (node.data !== data) {
    if (node.data && job.state === "running" && JSON.parse(node.data).state !== "running") node.details.open = true;
    node.data = data;
    const summary = node.details.firstElementChild;
    summary.replaceChildren(badge(job), " ", make("span", { class: "faint" }, job.title ?? ""), " ", node.when);
    const focused = node.details.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const scrolled = node.details.querySelector(".wide")?.scrollLeft ?? 0;
    node.details.replaceChildren(summary, ...body(job));
    const wide = node.details.querySelector(".wide");
    if (wide) wide.scrollLeft = scrolled;
    if (focused) node.details.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }
  node.when.replaceChildren(time(job.began, job.began ? `began ${age(job.began)}` : ""));
  return node.row;
}

function show() {
  const all = [...jobs.values()].sort((a, b) => Number(b.state === "running") - Number(a.state === "running") || (b.began ?? "").localeCompare(a.began ?? ""));
  const wanted = all.map(nodeOf), list = at("job-list");
  wanted.forEach((node, index) => { if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null); });
  while (list.children.length > wanted.length) list.lastElementChild.remove();
  at("jobs").hidden = !all.length;
}

// Replaces the known jobs.
export function setJobs(all) {
  jobs.clear();
  for (const job of all) jobs.set(job.name, job);
  for (const name of [...nodes.keys()]) if (!jobs.has(name)) nodes.delete(name);
  show();
}

// Sets a job that has changed.
export function setJob(job) {
  jobs.set(job.name, job);
  show();
}

// Removes a job, if there is one with this name.
export function dropJob(name) {
  if (!jobs.delete(name)) return;
  nodes.delete(name);
  show();
}
