// What this server plays: the queue on the page of all runs, and the buttons on that of a run.
import { age, ask, at, make, say, send } from "./live.js";
import { showWaiting } from "./waiting.js";

let shown = "", version = 0;

// Whether something is told late: an event may come before the answer to what has led to it.
function isOld(told) {
  if (told.control && told.version < version) return true;
  version = told.version ?? 0;
  return false;
}

// Sends something to be done, and shows what came of it.
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

// --- the queue --------------------------------------------------------------------------------------------------------------

// The page of a run or a job.
const pageOf = (entry) => `/${entry.job ? "jobs" : "runs"}/${encodeURIComponent(entry.run)}`;

function link(entry) {
  return entry.run ? make("a", { href: pageOf(entry) }, entry.run) : entry.what;
}

// Changes something that waits, and shows how things stand then.
async function change(id, body) {
  const told = await act(`/api/control/queue/${id}`, body);
  if (told) queue(told);
  return told !== null;
}

// Shows what plays and what waits.
export function queue(told) {
  const text = JSON.stringify(told);
  if (isOld(told)) return;
  at("control").hidden = !told.control;
  if (!told.control || text === shown) return;
  shown = text;
  const { playing, held } = told;
  say(at("hold"), held ? "Release the queue" : "Hold the queue");
  at("hold").setAttribute("aria-pressed", String(held));
  const state = playing ? [playing.paused ? "paused" : "", playing.stopping ? "stopping" : "", playing.concurrency ? `${playing.concurrency} at a time` : ""].filter(Boolean).join(", ") : "";
  // What has no page yet is stopped here.
  const stop = playing && (!playing.run || playing.job) && !playing.stopping ? button("Stop", `Stop: ${playing.what}`, () => act(`/api/control/queue/${playing.id}`, { do: "withdraw" }).then((told) => told && queue(told))) : "";
  at("playing").replaceChildren(...(playing ? ["Playing: ", link(playing), state ? ` (${state})` : "", " ", playing.says ? make("span", { class: "faint" }, `${playing.says} `) : "", stop] : [held ? "Nothing begins: the queue is held." : "Nothing plays here."]));
  showWaiting(at("waiting"), told.queue, change);
  at("ended").replaceChildren(...told.ended.slice(0, 5).map((entry) => make("li", { class: entry.failed ? "bad" : "" }, link(entry), make("span", {}, entry.says), make("span", { class: "faint" }, age(new Date(entry.ended_unix_ms).toISOString())))));
  at("ended-title").hidden = told.ended.length === 0;
}

async function log() {
  const { done } = await ask("/api/control/done?count=50");
  at("done").replaceChildren(...done.map((entry) => make("li", {}, make("time", { class: "faint" }, new Date(entry.unix_ms).toLocaleString()), ` ${entry.did} `, make("span", { class: "faint" }, `from ${entry.from}`))));
}

export async function showQueue() {
  at("hold").addEventListener("click", () => act("/api/control/hold", { hold: at("hold").getAttribute("aria-pressed") !== "true" }).then((told) => told && queue(told)));
  at("log").addEventListener("toggle", () => at("log").open && log());
  queue(await ask("/api/control"));
}

// --- one run ----------------------------------------------------------------------------------------------------------------

let told = null, state = null;

// States of a bisection or a campaign that more pairs change.
const OPEN = ["running", "interrupted", "undecided"];

// Shows what can be done to a run or a job, as it stands.
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
  const key = JSON.stringify([is, waits, state.state, canLimit]);
  if (key === shown) return;
  shown = key;
  const number = (id, label, value, what) => {
    const input = make("input", { type: "number", id, class: "short", min: 1, step: 1, value });
    return make("form", { class: "bar", onsubmit: (event) => { event.preventDefault(); if (input.value) order(what, Math.trunc(Number(input.value))); } },
      make("label", { for: id }, `${label} `), input, make("button", {}, "Set"));
  };
  const nodes = [];
  if (is && !is.stopping) {
    nodes.push(is.paused ? button("Continue", "Continue this run", () => order("continue")) : button("Pause", "Pause this run", () => order("pause")));
    nodes.push(button("Stop", "Stop this run; it can be resumed", () => order("stop")));
    nodes.push(number("concurrency", "At a time", is.concurrency ?? "", "concurrency"));
  } else if (!is && !waits && state.state === "interrupted") {
    nodes.push(button("Resume", "Resume this run", () => order("resume")));
  }
  if (canLimit && !waits && !(is && is.stopping) && (is || state.state !== "running")) {
    nodes.push(number("limit", state.kind === "selfplay" ? "Games at most" : "Pairs at most", "", "limit"));
  }
  say(at("control-says"), says);
  at("orders").replaceChildren(...nodes);
}

export async function showOrders(name) {
  steer(name, null, await ask("/api/control"));
}
