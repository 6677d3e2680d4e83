// One run in tabs: where it stands and how it came there, its games, its report, its conditions and what happened to it. What a tab shows
// is fetched when it is opened, and again while it is open.
import { analysisOf } from "./analysis.js";
import { showOrders, steer } from "./control.js";
import { courseOf } from "./course.js";
import { arrowKeys, ask, at, block, counted, download, grouped, hear, make, say, signed, zoned } from "./live.js";
import { logOf } from "./log.js";
import { tabsOf } from "./tabs.js";
import { tiles } from "./tiles.js";
import { watchOf } from "./watch.js";

const name = decodeURIComponent(location.pathname.split("/").at(-1));
const path = `/api/runs/${encodeURIComponent(name)}`;
// A report of more pairs takes a while: it is made when it is asked for.
const MANY = 200000;
const REPORT_PAUSE = 20000;
// Where the parts of the page are that are no tabs, for links to them.
const WITHIN = { now: "overview", plots: "overview", "games-played": "games", "conditions-of": "conditions", downloads: "report" };
let now = null;

document.title = `${name} · spar`;
say(at("name"), name);
say(at("crumb"), name);

const course = courseOf(path, "plots"), log = logOf(path);

// The folder holds another run by now, or this one with another limit: nothing that was fetched is of it.
function forget() {
  reported = null;
  conditions = null;
  shown = null;
  page = { from: 1, count: 25, pairs: 0 };
  followsGames = true;
}

function show(run) {
  if (now && now.edition !== run.edition) forget();
  now = run;
  say(at("says"), run.says ?? "");
  say(at("title"), run.title ?? "");
  at("warning").hidden = !run.warning;
  say(at("warning"), run.warning ?? "");
  document.title = `${run.verdict ? "" : Number.isFinite(run.llr) ? `${signed(run.llr, 2)} · ` : ""}${name} · spar`;
  document.body.dataset.state = run.paused ? "paused" : run.state;
  document.body.dataset.verdict = run.verdict ?? "";
  document.body.dataset.units = run.units;
  steer(name, run, null);
  watch.run(run);
  return refresh();
}

// --- tabs -------------------------------------------------------------------------------------------------------------------

function overview() {
  say(at("block"), block(now));
  at("block").hidden = !block(now);
  at("tiles").replaceChildren(...tiles(now));
  return course.show(now);
}

// What each tab does with where the run stands.
const PARTS = { overview, games: wantFollowed, report: wantReport, conditions: wantConditions, log: () => log.show(now) };

// Brings the open tab up to date.
async function refresh() {
  if (!now) return;
  // The courses that are not open miss what happens.
  if (!tabs.is("overview")) course.forget();
  await PARTS[document.body.dataset.tab]?.();
}

function opened(tab, rest) {
  refresh().catch((error) => say(at("says"), error.message));
  if (tab === "games" && rest) showGame(rest);
  if (tab !== "games") watch.end();
}

const tabs = tabsOf(at("tabs"), WITHIN, opened);

async function begin() {
  const run = await ask(path);
  course.forget();
  await show(run);
  return run.id;
}

// --- games ------------------------------------------------------------------------------------------------------------------

let page = { from: 1, count: 25, pairs: 0 }, followsGames = true, isAsking = false, shown = null, stage = null, mayAnalyse = false;

// The newest games, unless others are being looked at.
async function wantFollowed() {
  if (!mayAnalyse) {
    mayAnalyse = true;
    await analysis.run(now);
  }
  if (followsGames) await wantGames(null);
}

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
    make("button", { type: "button", "data-game": game.game, "aria-pressed": String(game.game === shown), class: game.fault ? "fault" : "", onclick: () => showGame(game.game) },
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
  if (!isQuiet) shown = which;
  try {
    const game = await ask(`${path}/games/${encodeURIComponent(which)}`);
    // Someone has chosen another one meanwhile.
    if (isQuiet && (watch.isOn() || shown)) return;
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
    const { units, sections } = await ask(`${path}/sections?of=report`);
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

// --- the conditions ---------------------------------------------------------------------------------------------------------

let conditions = null;

// They change when another session begins or one ends.
async function wantConditions() {
  const key = JSON.stringify([now.edition, now.state, now.began, now.host, now.warning]);
  if (conditions === key) return;
  conditions = key;
  try {
    const { sections } = await ask(`${path}/sections?of=conditions`);
    replace(at("report-conditions"), sections.conditions);
    zoned(at("report-conditions"));
    say(at("conditions-state"), "");
  } catch (error) {
    conditions = null;
    say(at("conditions-state"), `The conditions cannot be read: ${error.message}`);
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
  ["config/config.toml", "the configuration, to start the run again"],
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

tabs.start();
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
    if (tabs.is("log") && now) log.show(now, true);
  } else if (kind === "gone") {
    say(at("says"), "This run is there no more.");
  }
});
