// A run in tabs: its standing and its course, its games, its report, its conditions and its log. The content of a tab
// is fetched when the tab is opened, and again while it is open.
import { showOrders, steer } from "./control.js";
import { courseOf } from "./course.js";
import { gamesOf } from "./games.js";
import { ask, at, block, counted, download, hear, make, say, signed, zoned } from "./live.js";
import { logOf } from "./log.js";
import { tabsOf } from "./tabs.js";
import { tiles } from "./tiles.js";

const name = decodeURIComponent(location.pathname.split("/").at(-1));
const path = `/api/runs/${encodeURIComponent(name)}`;
// The report of a run with more pairs takes a while: it is made on request.
const MANY = 200000;
const REPORT_PAUSE = 20000;
// The tabs of the parts of the page that are not tabs themselves, for links to them.
const WITHIN = { now: "overview", plots: "overview", "games-played": "games", "conditions-of": "conditions", downloads: "report" };
const games = gamesOf(path, name);
let now = null;

document.title = `${name} · spar`;
say(at("name"), name);
say(at("crumb"), name);

const course = courseOf(path, "plots"), log = logOf(path);

// The folder now holds another run, or this one with another limit: the fetched data are not its own.
function forget() {
  reported = null;
  conditions = null;
  games.forget();
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
  return refresh();
}

// --- tabs ------------------------------------------------------------------------------------------------------------

function overview() {
  say(at("block"), block(now));
  at("block").hidden = !block(now);
  at("tiles").replaceChildren(...tiles(now));
  return course.show(now);
}

// Updates each tab with the run's standing.
const PARTS = { overview, games: wantGames, report: wantReport, conditions: wantConditions, log: () => log.show(now) };

// Updates the open tab.
async function refresh() {
  if (!now) return;
  // Courses that are not shown miss events.
  if (!tabs.is("overview")) course.forget();
  await PARTS[document.body.dataset.tab]?.();
}

function opened(tab) {
  refresh().catch((error) => say(at("says"), error.message));
  if (tab !== "games") games.leave();
}

const tabs = tabsOf(at("tabs"), WITHIN, opened);

async function begin() {
  const run = await ask(path);
  course.forget();
  await show(run);
  return run.id;
}

// --- games -----------------------------------------------------------------------------------------------------------

let hasBegun = false;

async function wantGames() {
  games.run(now);
  if (hasBegun) return;
  hasBegun = true;
  await games.begin(now);
}

// --- the report ------------------------------------------------------------------------------------------------------

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

// --- the conditions --------------------------------------------------------------------------------------------------

let conditions = null;

// The conditions change when a session begins or ends.
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

// Shows the server's own HTML, in which all text is escaped. Unfolded parts stay unfolded.
function replace(node, html) {
  if (node.dataset.html === html) return;
  const open = [...node.querySelectorAll("details")].map((details) => details.open);
  node.innerHTML = html;
  if (open.length) node.querySelectorAll("details").forEach((details, index) => { if (index < open.length) details.open = open[index]; });
}

// --- files -----------------------------------------------------------------------------------------------------------

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
