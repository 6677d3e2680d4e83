// What this server plays: the queue on the page of all runs, and the buttons on a run's page.
import { age, ask, at, make, say, send, time } from "./live.js";
import { isMine, know, may } from "./rights.js";
import { showWaiting } from "./waiting.js";

let shown = "", version = 0;

// Whether an answer is outdated: an event may arrive before the answer to the request that caused it.
function isOld(told) {
  know(told);
  if (told.control && told.version < version) return true;
  version = told.version ?? 0;
  return false;
}

// Posts a request, and shows its error if it fails.
async function act(path, body) {
  const problem = at("control-problem");
  try {
    const told = await send(path, body);
    problem.hidden = true;
    return told;
  } catch (error) {
    problem.hidden = false;
    say(problem, error.message);
    return null;
  }
}

const button = (text, label, onclick) => make("button", { type: "button", "aria-label": label, onclick }, text);

// --- the queue -------------------------------------------------------------------------------------------------------

// Returns the address of the page of a run or a job.
const pageOf = (entry) => `/${entry.job ? "jobs" : "runs"}/${encodeURIComponent(entry.run)}`;

function link(entry) {
  return entry.run ? make("a", { href: pageOf(entry) }, entry.run) : entry.what;
}

// Removes an entry from the queue, or stops it.
const takeOut = (entry) => change(entry.id, { do: "withdraw" });

// Changes a waiting entry, and shows the state after it.
async function change(id, body) {
  const told = await act(`/api/control/queue/${id}`, body);
  if (told) queue(told);
  return told !== null;
}

// Shows the entry that plays and the waiting ones.
export function queue(told) {
  const text = JSON.stringify(told);
  if (isOld(told)) return;
  at("control").hidden = !told.control;
  if (!told.control || text === shown) return;
  shown = text;
  const { playing, held } = told;
  at("hold").hidden = !may("steer");
  at("control").querySelector("[href='/new']").hidden = !may("start");
  say(at("hold"), held ? "Release the queue" : "Hold the queue");
  at("hold").setAttribute("aria-pressed", String(held));
  const state = playing ? [playing.paused ? "paused" : "", playing.stopping ? "stopping" : "", playing.concurrency ? `${playing.concurrency} at a time` : ""].filter(Boolean).join(", ") : "";
  // An entry without a page is stopped here.
  const mayStop = playing && (may("steer") || isMine(playing));
  const stops = mayStop && (!playing.run || playing.job) && !playing.stopping;
  const stop = stops ? button("Stop", `Stop: ${playing.what}`, () => takeOut(playing)) : "";
  at("playing").replaceChildren(...(playing ? ["Playing: ", link(playing), state ? ` (${state})` : "", " ", playing.says ? make("span", { class: "faint" }, `${playing.says} `) : "", stop] : [held ? "Nothing begins: the queue is held." : "Nothing plays here."]));
  showWaiting(at("waiting"), told.queue, change);
  at("ended").replaceChildren(...told.ended.slice(0, 5).map((entry) => make("li", { class: entry.failed ? "bad" : "" }, link(entry), make("span", {}, entry.says), make("span", { class: "faint" }, time(new Date(entry.ended_unix_ms).toISOString(), age(new Date(entry.ended_unix_ms).toISOString()))))));
  at("ended-title").hidden = told.ended.length === 0;
}

// Returns who did something, for whom, and which programs it started.
function whose(entry) {
  const hash = (sha256) => sha256 ? ` (SHA-256 ${sha256})` : "";
  const programs = (entry.programs ?? []).map(({ of, command, sha256 }) => `${of} = ${command}${hash(sha256)}`);
  const people = [["by", entry.who], ["for", entry.asked_by], ["from", entry.from]].filter(([, name]) => name);
  return [...people.map((pair) => pair.join(" ")), ...programs].join(", ");
}

async function log() {
  const { done } = await ask("/api/control/done?count=50");
  const whoseIs = (entry) => make("span", { class: "faint" }, whose(entry));
  const entryOf = (entry) => make("li", {}, time(new Date(entry.unix_ms).toISOString()), ` ${entry.did} `, whoseIs(entry));
  at("done").replaceChildren(...done.map(entryOf));
}

export async function showQueue() {
  at("hold").addEventListener("click", () => act("/api/control/hold", { hold: at("hold").getAttribute("aria-pressed") !== "true" }).then((told) => told && queue(told)));
  at("log").addEventListener("toggle", () => at("log").open && log());
  queue(await ask("/api/control"));
}

// --- one run ---------------------------------------------------------------------------------------------------------

let told = null, state = null;
// The runs that the run suggests to start next, by file name, and the state of the run in which it suggested them.
let suggested = [], suggestedOf = null;

const SUGGESTIONS = [["test.toml", "Test the tuned values"], ["bisection.toml", "Bisect this regression"]];

// The verdicts of runs whose limit can be raised once they have reached it.
const TAKES_MORE = ["complete", "undecided"];

// Fetches the suggestions of a run, once it is over.
async function wantSuggestions(name) {
  const key = JSON.stringify([state.edition, state.verdict, state.units]);
  if (!state.verdict) suggested = [];
  if (!state.verdict || suggestedOf === key) return;
  suggestedOf = key;
  suggested = (await ask(`/api/runs/${encodeURIComponent(name)}/config`).catch(() => ({ files: [] }))).files;
  steer(name, null, null);
}

// The forms for numbers on the page, by content: a form that is still valid keeps what is being typed into it.
let forms = new Map();

// Shows `nodes` in `place`. A node that stays is not moved, so it keeps the focus and the selection.
function arrange(place, nodes) {
  for (const node of [...place.children]) if (!nodes.includes(node)) node.remove();
  nodes.forEach((node, index) => { if (place.children[index] !== node) place.insertBefore(node, place.children[index] ?? null); });
}

// Returns a form that asks for a whole number and passes it to `then`.
function numberForm(id, label, value, text, then) {
  const input = make("input", { type: "number", id, class: "short", min: 1, step: 1, value });
  return make("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); if (input.value) then(Math.trunc(Number(input.value))); } },
    make("label", { for: id }, `${label} `), input, make("button", {}, text));
}

// Returns a link to the form for a new run, filled in.
function again(name, file, text) {
  const query = new URLSearchParams(file ? { from: name, as: file } : { from: name });
  return make("a", { class: "button", href: `/new?${query}` }, text);
}

// The states in which more pairs change a bisection or a campaign.
const OPEN = ["running", "interrupted", "undecided"];

// Shows the orders that a run or a job accepts in its present state.
export function steer(name, run, newly) {
  if (newly && !isOld(newly)) told = newly;
  if (run) state = run;
  if (!told?.control || !state) return;
  const is = [told.playing?.run, told.playing?.part].includes(name) ? told.playing : null, waits = told.queue.some((entry) => entry.run === name);
  const isPart = is && is.part === name;
  const canLimit = ["sprt", "match", "ladder", "selfplay", "tune"].includes(state.kind) && !isPart || OPEN.includes(state.state) && ["bisect", "campaign"].includes(state.kind);
  at("control").hidden = false;
  const order = (what, to) => act(`/api/control/runs/${encodeURIComponent(name)}`, to === undefined ? { do: what } : { do: what, to }).then((now) => now && steer(name, null, now));
  const says = is ? (is.stopping ? "stopping" : is.paused ? "paused" : isPart ? `played by this server, for ${is.run}` : "played by this server") : waits ? "waits in the queue" : state.state === "running" ? "played elsewhere" : "not being played";
  const isRun = state.edition !== undefined;
  if (isRun) wantSuggestions(name);
  const key = JSON.stringify([is, waits, state.state, state.verdict, canLimit, suggested]);
  if (key === shown) return;
  shown = key;
  const before = forms;
  forms = new Map();
  const number = (id, label, value, what, text = "Set") => {
    const form = JSON.stringify([name, id, label, value, what, text]);
    forms.set(form, before.get(form) ?? numberForm(id, label, value, text, (to) => order(what, to)));
    return forms.get(form);
  };
  const nodes = [];
  if (!may("steer")) {
    // All of them need another right.
  } else if (is && !is.stopping) {
    nodes.push(is.paused ? button("Continue", "Continue this run", () => order("continue")) : button("Pause", "Pause this run", () => order("pause")));
    nodes.push(button("Stop", "Stop this run; it can be resumed", () => order("stop")));
    nodes.push(number("concurrency", "At a time", is.concurrency ?? "", "concurrency"));
  } else if (!is && !waits && state.state === "interrupted") {
    nodes.push(button("Resume", "Resume this run", () => order("resume")));
  }
  const isDecided = ["accepted-h1", "accepted-h0"].includes(state.verdict);
  if (may("steer") && canLimit && !isDecided && !waits && !(is && is.stopping) && (is || state.state !== "running")) {
    // A match has this many pairs in each of its pairings.
    const pairings = state.kind === "match" ? Math.max(1, state.pairings?.length ?? 1) : 1;
    const label = `${state.kind === "selfplay" ? "Games" : pairings > 1 ? "Pairs in each pairing" : "Pairs"} at most`;
    // A run that has reached its limit continues with a higher one.
    const isAtLimit = !is && state.state === "finished" && TAKES_MORE.includes(state.verdict);
    nodes.push(isAtLimit ? number("limit", label, Math.ceil((2 * state.units) / pairings), "limit", state.kind === "selfplay" ? "Continue with more games" : "Continue with more pairs") : number("limit", label, "", "limit"));
  }
  if (isRun && may("start")) {
    nodes.push(...SUGGESTIONS.filter(([file]) => suggested.includes(file)).map(([file, text]) => again(name, file, text)));
    nodes.push(again(name, null, "Run again or edit"));
  }
  say(at("control-says"), says);
  arrange(at("orders"), nodes);
}

export async function showOrders(name) {
  steer(name, null, await ask("/api/control"));
}
