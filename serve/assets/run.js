// One run: where it stands, how it came there, its games, its report and its files.
import { showOrders, steer } from "./control.js";
import { gamesOf } from "./games.js";
import { ask, at, badge, block, counted, download, draw, grouped, hear, interval, make, ratioBar, say, signed, speed } from "./live.js";
import { append, plot } from "./plot.js";

const name = decodeURIComponent(location.pathname.split("/").at(-1));
const path = `/api/runs/${encodeURIComponent(name)}`;
// A report of more pairs takes a while: it is made when it is asked for.
const MANY = 200000;
const REPORT_PAUSE = 20000;
const games = gamesOf(path, name);
let now = null;

document.title = `${name} · spar`;
say(at("name"), name);
say(at("crumb"), name);

// --- where it stands --------------------------------------------------------------------------------------------------------

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const total = (list) => (list ?? []).reduce((sum, n) => sum + n, 0);

// Pairs by points, as bars.
function pairBars(penta) {
  const most = Math.max(1, ...penta), all = Math.max(1, total(penta)), names = ["0", "½", "1", "1½", "2"];
  const text = `pairs by points: ${penta.map((n, index) => `${names[index]}: ${grouped(n)}`).join(", ")}`;
  const bars = penta.map((n, index) => draw("g", { class: `points p${index}` },
    draw("rect", { x: 4 + index * 48, y: 64 - (52 * n) / most, width: 40, height: (52 * n) / most + 1, rx: 2 }),
    draw("text", { class: "count", x: 24 + index * 48, y: 60 - (52 * n) / most, "text-anchor": "middle" }, percent(n / all)),
    draw("text", { class: "name", x: 24 + index * 48, y: 80, "text-anchor": "middle" }, names[index])));
  return draw("svg", { class: "penta", viewBox: "0 -4 244 90", role: "img", "aria-label": text }, draw("title", {}, text), ...bars);
}

function tile(title, big, small, extra) {
  return make("div", {}, make("dt", {}, title), make("dd", {}, big === null ? null : make("b", {}, big), extra ?? null, small ? make("span", { class: "faint" }, small) : null));
}

function tiles(run) {
  const all = [];
  const units = run.of && run.of > run.units ? ` of ${grouped(run.of)}` : "";
  const reading = run.read ? `reading: ${grouped(run.read[0])} of ${grouped(run.read[1])}` : "";
  all.push(tile("State", null, [reading, run.left].filter(Boolean).join(" "), badge(run)));
  all.push(tile(`${run.unit[0].toUpperCase()}${run.unit.slice(1)}s`, `${grouped(run.units)}${units}`, `+${grouped(run.wins)} =${grouped(run.draws)} −${grouped(run.losses)}`));
  if (run.reported && run.reported.elo !== null) {
    const kind = Number.isFinite(run.llr) ? `${run.reported.kind}, ` : "";
    all.push(tile("Elo", signed(run.reported.elo), `${kind}95% ${interval(run.reported)} · LOS ${percent(run.los)}${run.nelo === null ? "" : ` · nElo ${signed(run.nelo, 0)}`}`));
  } else if (run.short) {
    all.push(tile(run.kind === "tune" ? "Gain" : "Result", null, null, make("span", {}, run.short)));
  }
  if (Number.isFinite(run.llr)) all.push(tile("LLR", signed(run.llr, 2), `bounds ${signed(run.lower, 2)} and ${signed(run.upper, 2)}`, ratioBar(run)));
  if (run.penta && run.kind !== "tune" && total(run.penta)) all.push(tile("Pairs by points", null, null, pairBars(run.penta)));
  all.push(tile("Speed", speed(run.speed, run.unit), [run.host, run.concurrency ? `${run.concurrency} at a time` : "a fleet"].filter(Boolean).join(", ")));
  const faults = total(run.faults);
  all.push(tile("Faults", faults ? grouped(faults) : "none", faults ? run.entrants.map((entrant, index) => [entrant, run.faults[index]]).filter(([, n]) => n).map(([who, n]) => `${who} ${n}`).join(", ") : ""));
  return all;
}

// The folder holds another run by now, or this one with another limit: nothing that was fetched is of it.
function forget() {
  reported = null;
  games.forget();
  course.clear();
}

function show(run) {
  if (now && now.edition !== run.edition) forget();
  now = run;
  say(at("says"), run.says ?? "");
  say(at("title"), run.title ?? "");
  say(at("block"), block(run));
  at("block").hidden = !block(run);
  at("warning").hidden = !run.warning;
  say(at("warning"), run.warning ?? "");
  document.title = `${run.verdict ? "" : Number.isFinite(run.llr) ? `${signed(run.llr, 2)} · ` : ""}${name} · spar`;
  at("tiles").replaceChildren(...tiles(run));
  document.body.dataset.state = run.state;
  document.body.dataset.verdict = run.verdict ?? "";
  document.body.dataset.units = run.units;
  steer(name, run, null);
  extend(run);
  wantReport();
  games.run(run);
}

// --- how it came there ------------------------------------------------------------------------------------------------------

const course = new Map(), plots = new Map();

function plotOf(key, title, says) {
  if (!plots.has(key)) {
    plots.set(key, plot(title, says));
    at("plots").append(plots.get(key).node);
  }
  return plots.get(key);
}

async function begin() {
  const run = await ask(path), { series } = await ask(`${path}/series`);
  course.clear();
  for (const { name: key, points } of series) course.set(key, points);
  show(run);
  await games.begin(run);
  return run.id;
}

// What has come since, at the end of each course.
function extend(run) {
  const add = (key, y, low, high) => {
    if (!Number.isFinite(y) || !run.units) return;
    if (!course.has(key)) course.set(key, []);
    append(course.get(key), [run.units, y, low ?? null, high ?? null]);
  };
  if (Number.isFinite(run.llr)) {
    add("llr", run.llr);
    const lines = [{ y: run.upper, name: "H1", kind: "upper", keep: true }, { y: run.lower, name: "H0", kind: "lower", keep: true }, { y: 0, kind: "zero" }];
    plotOf("llr", "Log-likelihood ratio", "between its bounds").show({ series: [{ name: "LLR", points: course.get("llr") ?? [] }], lines, unit: run.unit, decimals: 2 });
  }
  if (run.measures && course.has("elo")) {
    add("elo", run.elo, run.elo_low, run.elo_high);
    const says = Number.isFinite(run.llr) ? "band 95%, not corrected for the test's stopping" : "band 95%";
    plotOf("elo", "Elo", says).show({ series: [{ name: "Elo", points: course.get("elo") }], lines: [{ y: 0, kind: "zero", keep: true }], unit: run.unit, decimals: 1 });
  }
  for (const tuned of run.tune?.parameters ?? []) {
    add(tuned.name, tuned.on ?? tuned.value, tuned.low, tuned.high);
    const says = tuned.values ? `best so far: ${tuned.values.map((value, place) => `${place} is ${value.text}`).join(", ")}`
      : tuned.on === null ? "± 1 standard error; dashed where it started" : "probability that on is better";
    const decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(tuned.step || 1))));
    plotOf(`tune ${tuned.name}`, tuned.name, says).show({ series: [{ name: tuned.name, points: course.get(tuned.name) ?? [] }], lines: [{ y: tuned.start, kind: "zero", keep: true }], unit: run.unit, decimals });
  }
}

// --- the report -------------------------------------------------------------------------------------------------------------

let reported = null, isReporting = false, mayReport = false;

function wantReport() {
  if (isReporting || now.read || (reported?.units === now.units && reported.edition === now.edition)) return;
  if (now.units > MANY && !mayReport) {
    at("report-state").replaceChildren(`Plots and tables of ${counted(now.units, now.unit)} take a while to make. `,
      make("button", { type: "button", onclick: () => { mayReport = true; wantReport(); } }, "Make them"));
    return;
  }
  if (reported && !now.verdict && Date.now() - reported.at < REPORT_PAUSE) return;
  makeReport();
}

async function makeReport() {
  isReporting = true;
  const { edition } = now;
  if (!reported) say(at("report-state"), "Reading the games …");
  try {
    const { units, sections } = await ask(`${path}/sections`);
    reported = { units, edition, at: Date.now() };
    for (const [key, html] of Object.entries(sections)) replace(at(`report-${key}`), html);
    say(at("report-state"), now.verdict ? "" : `as of ${counted(units, now.unit)}`);
  } catch (error) {
    reported = { units: now.units, edition, at: Date.now() };
    say(at("report-state"), `There is no report: ${error.message}`);
  } finally {
    isReporting = false;
  }
}

// The server's own HTML, in which all text is escaped. What was unfolded stays so.
function replace(node, html) {
  if (node.dataset.html === html) return;
  const open = [...node.querySelectorAll("details")].map((details) => details.open);
  node.innerHTML = html;
  if (open.length) node.querySelectorAll("details").forEach((details, index) => { if (index < open.length) details.open = open[index]; });
}

// --- files ------------------------------------------------------------------------------------------------------------------

const FILES = [
  ["report/report.html", "the report as one page that needs no server"],
  ["report/report.md", "a summary to paste into a pull request"],
  ["report/report.json", "all numbers"],
  ["report/results.csv", "results in all and by pairing"],
  ["report/series.csv", "every series that is drawn"],
  ["export/games.pgn", "all games"],
  ["export/games.csv", "all games, a line each"],
  ["export/pairs.jsonl", "all pairs, a JSON object a line"],
  ["export/openings.epd", "positions after the openings"],
  ["export/final.epd", "positions that the games ended in"],
];


at("files").append(...FILES.map(([file, says]) => {
  const problem = make("span", { class: "problem", role: "status" });
  const link = make("a", { href: `${path}/${file}`, download: true, onclick: async (event) => {
    event.preventDefault();
    say(problem, " being made …");
    try {
      await download(`${path}/${file}`, `${name}-${file.split("/").at(-1)}`);
      say(problem, "");
    } catch (error) {
      say(problem, ` ${error.message}`);
    }
  } }, file.split("/").at(-1));
  return make("li", {}, link, ` ${says}`, problem);
}));

hear(`${path}/events`, async () => {
  try {
    const id = await begin();
    await showOrders(name);
    return id;
  } catch (error) {
    say(at("says"), error.message);
    throw error;
  }
}, (kind, data) => {
  if (kind === "run") {
    const wasReading = now?.read;
    if (data.state === "unreadable") say(at("says"), data.says);
    else if (now && now.edition !== data.edition && !data.read || wasReading && !data.read) begin();
    else show(data);
  } else if (kind === "queue") {
    steer(name, null, data);
  } else if (kind === "gone") {
    say(at("says"), "This run is there no more.");
  }
});
