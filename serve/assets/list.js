// All runs: a row each, filtered, sorted and kept up to date.
import { queue, showQueue } from "./control.js";
import { dropJob, setJob, setJobs } from "./jobs.js";
import { age, arrowKeys, ask, at, badge, counted, eloOf, falling, grouped, hear, isGoing, make, ratioBar, say, signed, speed, stateOf, strength, time } from "./live.js";

const runs = new Map(), rows = new Map(), marked = new Set();
const inputs = ["text", "kind", "state", "verdict", "since", "sort"].map(at);

// Filters stay in the address, so that users can bookmark them.
const query = new URLSearchParams(location.search);
function restore() {
  for (const input of inputs) if (query.get(input.id)) input.value = query.get(input.id);
}
function remember() {
  const kept = new URLSearchParams();
  for (const input of inputs) if (input.value && !(input.id === "sort" && input.value === "began")) kept.set(input.id, input.value);
  const text = kept.toString();
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
}

// Returns the start of a day in the viewer's time zone.
function midnight(day) {
  return new Date(`${day}T00:00`).getTime();
}

function isWanted(run) {
  const [text, kind, state, verdict, since] = inputs.map((input) => input.value);
  const now = stateOf(run), about = [run.name, run.title, run.game, run.host, run.short, ...(run.entrants ?? [])].join(" ").toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => about.includes(word))
    && (!kind || run.kind === kind)
    && (!state || now === state || (state === "running" && now === "reading"))
    && (!verdict || (verdict === "none" ? !run.verdict : run.verdict === verdict))
    && (!since || Date.parse(run.began) >= midnight(since));
}

const NAMES = new Intl.Collator("en", { numeric: true });
const orders = {
  // Times in this format sort as text.
  began: (a, b) => Number(b.state === "running") - Number(a.state === "running") || falling(a.began, b.began) || NAMES.compare(b.name, a.name),
  name: (a, b) => NAMES.compare(a.name, b.name),
  units: (a, b) => falling(a.units, b.units),
  elo: (a, b) => falling(eloOf(a), eloOf(b)),
  llr: (a, b) => falling(a.llr, b.llr),
};

function cells(run) {
  const units = run.units === undefined ? "" : `${grouped(run.units)}${run.of && run.of > run.units ? ` of ${grouped(run.of)}` : ""} ${run.unit}s`;
  const reading = run.read ? `reading ${grouped(run.read[0])} of ${grouped(run.read[1])}` : "";
  const going = isGoing(run) ? [speed(run.speed, run.unit), run.left].filter(Boolean).join(", ") : "";
  const faults = (run.faults ?? []).reduce((sum, games) => sum + games, 0);
  return [
    make("div", { class: "what" }, make("a", { class: "open", href: `/runs/${encodeURIComponent(run.name)}` }, run.name),
      make("span", { class: "faint" }, run.title ?? run.says ?? "")),
    make("div", { class: "state" }, badge(run), run.warning ? make("span", { class: "badge doubtful", title: run.warning }, "not trustworthy") : "", make("span", { class: "kind faint" }, run.kind ?? "")),
    make("div", { class: "numbers" }, make("span", { class: "elo" }, strength(run)),
      make("span", { class: "faint" }, [reading || units, faults ? `${counted(faults, "fault")}` : ""].filter(Boolean).join(" · "))),
    make("div", { class: "course" }, Number.isFinite(run.llr) ? ratioBar(run) : "",
      make("span", { class: "faint" }, [Number.isFinite(run.llr) ? `LLR ${run.llr.toFixed(2).replace("-", "−")}` : "", going].filter(Boolean).join(" · "))),
  ];
}

function rowOf(run) {
  const data = JSON.stringify(run);
  let row = rows.get(run.name);
  if (!row) {
    const mark = make("input", { type: "checkbox", class: "mark", "aria-label": `Mark ${run.name} for comparison`, onchange: () => setMark(run.name, mark.checked) });
    row = { node: make("li", {}), mark, when: make("span", { class: "when faint" }), data: "" };
    rows.set(run.name, row);
  }
  row.mark.checked = marked.has(run.name);
  if (row.data !== data) {
    row.data = data;
    const hadFocus = row.node.contains(document.activeElement) && document.activeElement !== row.mark;
    row.node.className = stateOf(run);
    row.node.replaceChildren(row.mark, ...cells(run), row.when);
    if (hadFocus) row.node.querySelector("a.open").focus();
  }
  const isOpen = run.state === "running" || run.state === "reading", at = isOpen ? run.began : run.last ?? run.began;
  const text = at ? `${isOpen ? "began " : ""}${age(at)}` : "";
  if (row.when.textContent !== text) row.when.replaceChildren(time(at, text));
  return row.node;
}

function setMark(name, isMarked) {
  if (isMarked) marked.add(name); else marked.delete(name);
  showMarked();
}

function showMarked() {
  const link = at("compare"), names = [...marked].filter((name) => runs.has(name)).slice(0, 8);
  link.hidden = names.length < 2;
  if (names.length >= 2) {
    link.href = `/compare?runs=${names.map(encodeURIComponent).join(",")}`;
    say(link, `Compare ${names.length} runs`);
  }
}

let isDue = false;
function show() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => { isDue = false; showNow(); });
}

function showNow() {
  const all = [...runs.values()], wanted = all.filter(isWanted).sort(orders[at("sort").value] ?? orders.began);
  const nodes = wanted.map(rowOf), list = at("runs");
  // Rows that keep their place are not touched: a row that is moved loses its focus.
  nodes.forEach((node, index) => { if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null); });
  while (list.children.length > nodes.length) list.lastElementChild.remove();
  const running = all.filter(isGoing).length, paused = all.filter((run) => stateOf(run) === "paused").length;
  const some = wanted.length === all.length ? counted(all.length, "run") : `${grouped(wanted.length)} of ${counted(all.length, "run")}`;
  say(at("count"), all.length ? `${some}, ${running} running${paused ? `, ${paused} paused` : ""}` : "There are no runs in this folder yet. One that is started in a terminal appears here by itself.");
  const kinds = [...new Set(all.map((run) => run.kind).filter(Boolean))].sort(), select = at("kind");
  if ([...select.options].slice(1).map((option) => option.value).join() !== kinds.join()) {
    const chosen = select.value || query.get("kind") || "";
    select.replaceChildren(make("option", { value: "" }, "all"), ...kinds.map((kind) => make("option", {}, kind)));
    select.value = kinds.includes(chosen) ? chosen : "";
    if (select.value !== "") return showNow();
  }
  showMarked();
}

restore();
let isShown = false;
for (const input of inputs) input.addEventListener("input", () => { remember(); show(); });
at("filters").addEventListener("submit", (event) => event.preventDefault());
arrowKeys(at("runs"), "a.open");
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === "ArrowDown" && event.target.id === "text") at("runs").querySelector("a.open")?.focus();
    return;
  }
  const row = event.target.closest("#runs li");
  if (event.key === "/") { at("text").focus(); event.preventDefault(); }
  else if (event.key === "x" && row) { const mark = row.querySelector(".mark"); mark.checked = !mark.checked; mark.dispatchEvent(new Event("change")); }
  else if (event.key === "ArrowDown" && !row) { at("runs").querySelector("a.open")?.focus(); event.preventDefault(); }
});
// --- the workers of a fleet ---

let fleetAt = 0, fleetTimer = null;

// Fetches the workers at most every three seconds, however many there are.
function wantFleet() {
  clearTimeout(fleetTimer);
  fleetTimer = setTimeout(showFleet, Math.max(0, fleetAt + 3000 - Date.now()));
}

async function showFleet() {
  fleetAt = Date.now();
  const told = await ask("/api/fleet").catch(() => ({ fleet: false }));
  at("fleet").hidden = !told.fleet;
  if (!told.fleet) return;
  const all = (told.workers ?? []).filter((one) => !one.away), cores = all.reduce((sum, one) => sum + one.cores, 0), rate = all.reduce((sum, one) => sum + one.rate, 0);
  const busy = all.reduce((sum, one) => sum + one.busy, 0);
  const some = all.length ? `${counted(told.count, "worker")}, ${grouped(busy)} of ${counted(cores, "core")} busy${rate > 0 ? `, ${speed(rate, "pair")}` : ""}` : told.workers ? "No worker is there: `spar worker` starts one." : "Listening …";
  say(at("fleet-says"), told.error ?? some);
  const nodes = all.map((one) => make("li", { class: one.says.length ? "bad" : "" }, make("b", {}, one.name), make("span", { class: "faint" }, `${one.host}, spar ${one.spar}`),
    make("span", {}, `${one.busy} of ${counted(one.cores, "core")}`), make("span", {}, [counted(one.pairs, "pair"), one.rate > 0 ? speed(one.rate, "pair") : ""].filter(Boolean).join(", ")),
    one.residual === null ? null : make("span", { title: "how much higher its pairs score than the others', in standard errors" }, `residual ${signed(one.residual)}`),
    ...one.says.map((text) => make("span", {}, text))));
  at("workers").replaceChildren(...nodes);
}

setInterval(show, 10000);
hear("/api/events", async () => {
  const all = await ask("/api/runs");
  runs.clear();
  for (const run of all.runs) runs.set(run.name, run);
  show();
  setJobs((await ask("/api/jobs")).jobs);
  if (isShown) queue(await ask("/api/control"));
  else await showQueue();
  isShown = true;
  wantFleet();
  return all.id;
}, (kind, data) => {
  if (kind === "run") runs.set(data.name, data);
  else if (kind === "queue") return queue(data);
  else if (kind === "workers") return wantFleet();
  else if (kind === "job") return setJob(data);
  else if (kind === "gone") { dropJob(data.name); runs.delete(data.name); rows.delete(data.name); marked.delete(data.name); }
  show();
});
