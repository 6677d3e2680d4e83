// Runs side by side: the verdict of each and its result to copy, and all courses in one plot.
import { ask, at, badge, block, counted, grouped, make, ratioBar, say, signed, strength } from "./live.js";
import { plot } from "./plot.js";

const REFRESH = 5000;
const names = (new URLSearchParams(location.search).get("runs") ?? "").split(",").filter(Boolean);
const plots = new Map();
let shown = "";

function table(heads, rows) {
  const row = (cells) => make("tr", {}, make("th", { scope: "row" }, cells[0]), ...cells.slice(1).map((cell, index) => make("td", { "data-head": heads[index + 1] }, cell)));
  return make("div", { class: "wide" }, make("table", { class: "stack beside" },
    make("thead", {}, make("tr", { class: "heads" }, ...heads.map((head) => make("th", { scope: "col" }, head)))),
    make("tbody", {}, ...rows.map(row))));
}

const link = (run) => make("a", { href: `/runs/${encodeURIComponent(run.name)}` }, run.name);
const total = (list) => (list ?? []).reduce((sum, n) => sum + n, 0);

// Returns what a run's own page begins with.
function head(run) {
  const games = counted(run.wins + run.draws + run.losses, "game"), text = block(run);
  return make("article", {}, make("h2", {}, link(run)), make("p", { class: "says" }, badge(run), ` ${run.says}`),
    make("p", { class: "faint" }, `${run.title} · ${games}`), text ? make("pre", { class: "block" }, text) : null);
}

function beside(runs) {
  const heads = ["", ...runs.map((run) => run.name)];
  const rows = [["run", ...runs.map(link)], ["state", ...runs.map((run) => badge(run))], ["played", ...runs.map((run) => `${grouped(run.units)} ${run.unit}s`)]];
  const add = (title, of) => { const cells = runs.map(of); if (cells.some((cell) => cell !== null)) rows.push([title, ...cells.map((cell) => cell ?? "–")]); };
  add("Elo (95%)", (run) => strength(run) || null);
  add("nElo", (run) => (Number.isFinite(run.nelo) ? signed(run.nelo, 0) : null));
  add("LOS", (run) => (run.measures ? `${(100 * run.los).toFixed(1)}%` : null));
  add("LLR", (run) => (Number.isFinite(run.llr) ? make("span", { class: "with-bar" }, ratioBar(run), ` ${signed(run.llr, 2)} (${signed(run.lower, 2)}, ${signed(run.upper, 2)})`) : null));
  add("games", (run) => `+${grouped(run.wins)} =${grouped(run.draws)} −${grouped(run.losses)}`);
  add("pairs by points", (run) => (run.penta ? `[${run.penta.map(grouped).join(" ")}]` : null));
  add("draws", (run) => (Number.isFinite(run.draw_ratio) ? `${(100 * run.draw_ratio).toFixed(1)}%` : null));
  add("faults", (run) => grouped(total(run.faults)));
  add("what", (run) => run.title);
  return table(heads, rows);
}

// Returns the differences, a key a row: keys and values are text, as in a configuration.
function differing(runs, differences) {
  const heads = ["setting", ...runs.map((run) => run.name)];
  const cell = (value) => make("span", { class: "value" }, value ?? "–");
  const rows = differences.map(({ path, values }) => [make("code", {}, path), ...values.map(cell)]);
  const nothing = make("p", {}, "Nothing: they have the same configuration and the same builds.");
  return [make("h2", {}, "What differs"), rows.length ? table(heads, rows) : nothing];
}

function tuned(runs) {
  const parameters = new Map();
  runs.forEach((run, index) => (run.tune?.parameters ?? []).forEach((one) => {
    if (!parameters.has(one.name)) parameters.set(one.name, runs.map(() => null));
    parameters.get(one.name)[index] = one.text ? one.text : one.sd === null ? `${+one.value.toPrecision(5)}` : `${+one.value.toPrecision(5)} ± ${+one.sd.toPrecision(2)}`;
  }));
  if (!parameters.size) return [];
  return [make("h2", {}, "Tuned values"), table(["parameter", ...runs.map((run) => run.name)], [...parameters].map(([name, values]) => [name, ...values.map((text) => text ?? "–")]))];
}

// Returns whose bounds the plot has: tests may have different ones.
function tests(runs) {
  const bounds = runs.filter((run) => Number.isFinite(run.llr)).map((run) => `${run.lower} ${run.upper}`);
  return new Set(bounds).size > 1 ? "the bounds are those of the first test" : "between its bounds";
}

function courses(runs) {
  const keys = [["llr", "Log-likelihood ratio", 2], ["elo", "Elo", 1]];
  for (const [key, title, decimals] of keys) {
    const series = runs.map((run) => ({ name: run.name, points: run.series.find((one) => one.name === key)?.points ?? [] }));
    if (!series.some(({ points }) => points.length)) continue;
    if (!plots.has(key)) {
      plots.set(key, plot(title, key === "elo" ? "bands 95%" : tests(runs)));
      at("plots").append(plots.get(key).node);
    }
    const test = runs.find((run) => Number.isFinite(run.llr));
    const lines = key === "llr" ? [{ y: test.upper, name: "H1", kind: "upper", keep: true }, { y: test.lower, name: "H0", kind: "lower", keep: true }, { y: 0, kind: "zero" }] : [{ y: 0, kind: "zero", keep: true }];
    plots.get(key).show({ series, lines, unit: runs[0].unit, decimals });
  }
}

async function refresh() {
  try {
    const { runs, differences } = await ask(`/api/compare?runs=${names.map(encodeURIComponent).join(",")}`);
    // A text that is selected for copying stays selected.
    const text = JSON.stringify(runs.map((run) => [run.edition, run.units, run.state, run.says, run.block]));
    if (text !== shown) at("heads").replaceChildren(...runs.map(head));
    shown = text;
    at("beside").replaceChildren(beside(runs));
    courses(runs);
    at("tuned").replaceChildren(...tuned(runs));
    at("differences").replaceChildren(...differing(runs, differences));
    at("problem").hidden = true;
    say(at("link"), "live");
    at("link").classList.remove("bad");
    if (runs.every((run) => run.state === "finished")) return;
  } catch (error) {
    at("problem").hidden = false;
    say(at("problem"), error.message);
    say(at("link"), "not connected: trying again");
    at("link").classList.add("bad");
  }
  setTimeout(() => (document.hidden ? document.addEventListener("visibilitychange", refresh, { once: true }) : refresh()), REFRESH);
}

refresh();
