// One run: where it stands, how it came there, its games, its report and its files.
import { analysisOf } from "./analysis.js";
import { showOrders, steer } from "./control.js";
import { watchOf } from "./watch.js";
import { arrowKeys, ask, at, badge, block, counted, download, draw, grouped, hear, interval, make, ratioBar, say, signed, speed } from "./live.js";
import { append, plot } from "./plot.js";

const name = decodeURIComponent(location.pathname.split("/").at(-1));
const path = `/api/runs/${encodeURIComponent(name)}`;
// A report of more pairs takes a while: it is made when it is asked for.
const MANY = 200000;
const REPORT_PAUSE = 20000;
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
  shown = null;
  page = { from: 1, count: 25, pairs: 0 };
  followsGames = true;
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
  if (followsGames) wantGames(null);
  watch.run(run);
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
  await analysis.run(run);
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

// --- games ------------------------------------------------------------------------------------------------------------------

let page = { from: 1, count: 25, pairs: 0 }, followsGames = true, isAsking = false, shown = null, stage = null;

async function wantGames(from) {
  if (isAsking || (from === null && page.pairs === now?.units && page.games)) return;
  isAsking = true;
  try {
    page = await ask(`${path}/games?count=25${from === null ? "" : `&from=${from}`}`);
    followsGames = page.from + page.count > page.pairs;
    listGames();
    // Something to look at, without taking the focus.
    if (!shown && page.games.length) showGame(page.games.at(-1).game, true);
  } catch (error) {
    say(at("which"), error.message);
  } finally {
    isAsking = false;
  }
}

function listGames() {
  const last = Math.min(page.from + page.count - 1, page.pairs);
  say(at("which"), page.pairs ? `${now?.unit ?? "pair"}s ${grouped(page.from)} to ${grouped(last)} of ${grouped(page.pairs)}` : "none has been played yet");
  at("oldest").disabled = at("older").disabled = page.from <= 1;
  at("newer").disabled = at("latest").disabled = last >= page.pairs;
  const focused = document.activeElement?.closest?.("#list button")?.dataset.game;
  at("list").replaceChildren(...[...page.games].reverse().map((game) => make("li", {},
    make("button", { type: "button", "data-game": game.game, "aria-pressed": game.game === shown, class: game.fault ? "fault" : "", onclick: () => showGame(game.game) },
      make("span", { class: "number" }, game.game), make("span", {}, `${game.first} – ${game.second}`), make("b", {}, game.result),
      make("small", { class: "faint" }, `${game.ending}, ${grouped(game.plies)} ${game.plies === 1 ? "ply" : "plies"}`)))));
  if (focused) at("list").querySelector(`[data-game="${CSS.escape(focused)}"]`)?.focus();
}

// Puts a game on the board, from the end of its opening or from a ply on.
function put(game, from) {
  shown = game.place;
  game.why = `game ${game.place}`;
  at("viewer").hidden = false;
  stage ??= replayOf([game]);
  stage.put([game], from);
  for (const button of at("list").querySelectorAll("button")) button.setAttribute("aria-pressed", button.dataset.game === shown);
}

async function showGame(which, isQuiet = false) {
  try {
    const game = await ask(`${path}/games/${encodeURIComponent(which)}`);
    if (isQuiet && watch.isOn()) return;
    watch.end();
    put(game);
    analysis.game(game);
    // The board knows games of 0.1 that begin with setups.
    at("on-board").hidden = game.look !== "discs" || game.start.some((piece) => piece);
    at("on-board").onclick = () => { at("on-board").href = `/board?${new URLSearchParams({ moves: game.plies.map((ply) => ply.m).join(" "), ply: document.body.dataset.ply ?? "0" })}`; };
    at("on-board").href = "/board";
    if (isQuiet) return;
    at("replay").focus({ preventScroll: true });
    at("viewer").scrollIntoView({ block: "nearest" });
    say(at("which"), `game ${shown}`);
  } catch (error) {
    say(at("which"), error.message);
  }
}

const analysis = analysisOf(path, () => stage);

// A game that is being played: it is followed for as long as its last ply is shown.
const watch = watchOf(path, (game, isNew) => {
  const isAtEnd = !isNew && Number(document.body.dataset.ply) >= Number(at("slider").max);
  at("on-board").hidden = true;
  analysis.game(null);
  put(game, isNew || isAtEnd ? game.plies.length : Number(document.body.dataset.ply));
});

at("oldest").addEventListener("click", () => wantGames(1));
at("older").addEventListener("click", () => wantGames(Math.max(1, page.from - page.count)));
at("newer").addEventListener("click", () => wantGames(page.from + page.count));
at("latest").addEventListener("click", () => { page.games = null; wantGames(null); });
at("goto").addEventListener("change", (event) => { if (event.target.value.trim()) showGame(event.target.value.trim()); });
arrowKeys(at("list"), "button");

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
