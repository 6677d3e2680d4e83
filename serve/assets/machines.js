// The workers of a fleet: a card for each with what it plays, its speeds, and whether its results are like others'.
import { age, ask, at, counted, draw, grouped, make, say, send, signed, speed } from "./live.js";
import { know, may } from "./rights.js";

const LOOK = 5000, LOOK_BACK = 60000, MOST_SHOWN = 200;

let told = { workers: null }, speeds = { workers: {}, steps: 0, step_s: 300 }, asked = null;
const cards = new Map();

// --- how a worker is -----------------------------------------------------------------------------------------------

const standsOut = (worker) => worker.runs.some((run) => run.residual?.stands_out);

// Returns the worker's state in two words, and the kind of the badge.
function stateOf(worker) {
  const is = worker.order?.is;
  if (is === "set-aside" || worker.runs.some((run) => run.set_aside)) return ["set aside", "bad"];
  if (worker.away) return [is === "paused" ? "paused, away" : "away", "calm"];
  if (is === "paused") return [worker.busy ? "finishes its pairs" : "paused", "calm"];
  if (standsOut(worker)) return ["stands out", "bad"];
  return worker.busy ? ["plays", "live"] : ["waits", "calm"];
}

function isWanted(worker) {
  const [text, state] = [at("text").value.toLowerCase(), at("state").value];
  const about = [worker.name, worker.host, ...worker.runs.map((run) => run.name)].join(" ").toLowerCase();
  const states = [stateOf(worker)[0], worker.away ? "away" : "here"];
  if (worker.order?.is === "paused") states.push("paused");
  if (standsOut(worker)) states.push("stands out");
  return text.split(/\s+/).every((word) => about.includes(word)) && (!state || states.includes(state));
}

const chance = (p) => (p === null ? "too few to tell" : p < 0.001 ? "p < 0.001" : `p = ${p.toPrecision(2)}`);

// --- a card --------------------------------------------------------------------------------------------------------

// Returns the plot of the speed over the last hours, with gaps where it is unknown.
function sparkline(name) {
  const course = speeds.workers[name] ?? [], most = Math.max(0, ...course.filter((rate) => rate !== null));
  const hours = Math.round((speeds.steps * speeds.step_s) / 3600);
  if (!course.some((rate) => rate !== null)) return make("p", { class: "faint" }, "no speed yet");
  const width = course.length - 1, height = 40, top = most || 1;
  const y = (rate) => (height - 2 - (rate / top) * (height - 4)).toFixed(1);
  let path = "";
  course.forEach((rate, x) => {
    if (rate === null) return;
    // A single step is drawn as a short line, so that it is visible.
    const before = course[x - 1] ?? null;
    path += before === null ? `M${Math.max(0, x - 1)} ${y(rate)}L${x} ${y(rate)}` : `L${x} ${y(rate)}`;
  });
  const label = `Speed over the last ${hours} hours: at most ${speed(most, "pair") || "0 pairs/s"}`;
  const svg = draw("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
    "aria-label": label }, draw("title", {}, label), draw("path", { d: path, "vector-effect": "non-scaling-stroke" }));
  return make("div", {}, svg, make("p", { class: "faint ends" }, make("span", {}, `${hours} h ago`),
    make("span", {}, most > 0 ? `at most ${speed(most, "pair")}` : ""), make("span", {}, "now")));
}

function faultsOf(run) {
  const kinds = Object.entries(run.faults).map(([kind, games]) => `${grouped(games)} ${kind}`);
  const pairs = run.residual?.faulty ?? 0;
  if (!pairs && !kinds.length) return "none";
  const told = pairs ? `${counted(pairs, "pair")} (${chance(run.residual.faults_p)})` : "";
  return [told, kinds.join(", ")].filter(Boolean).join(": ");
}

function runOf(run, order) {
  const { residual } = run, isAside = run.set_aside && order?.is !== "set-aside";
  const term = (name, ...value) => [make("dt", {}, name), make("dd", {}, ...value)];
  const far = residual ? `${signed(residual.score)} (${chance(residual.scores_p)})` : "no other worker to compare with";
  return make("section", { class: residual?.stands_out ? "run odd" : "run" },
    make("h3", {}, run.name), make("dl", {},
      ...term("Pairs", [`${grouped(run.played)} played`, `${grouped(run.playing)} in hand`,
        run.rate > 0 ? speed(run.rate, "pair") : ""].filter(Boolean).join(", ")),
      ...term("Residual", far, residual?.stands_out ? make("b", { class: "problem" }, " stands out") : ""),
      ...term("Faults", faultsOf(run)),
      ...(isAside ? term("Set aside", run.set_aside) : [])));
}

function buttonsOf(worker) {
  if (!told.steered || !may("steer")) return [];
  const is = worker.order?.is, isAside = is === "set-aside" || worker.runs.some((run) => run.set_aside);
  const one = (order, text) => make("button", { type: "button", "data-do": order,
    "aria-label": `${text}: ${worker.name}`,
    onclick: () => (order === "set-aside" ? askWhy(worker.name) : steer(worker.name, { do: order })) }, text);
  if (is === "set-aside") return [one("take-back", "Take back")];
  return [is === "paused" ? one("continue", "Continue") : one("pause", "Pause"), one("set-aside", "Set aside"),
    ...(isAside ? [one("take-back", "Take back")] : [])];
}

function lastHeard(worker) {
  if (!worker.away) return "heard just now";
  if (worker.heard_unix_ms === null) return "never heard";
  return `last heard ${age(new Date(worker.heard_unix_ms).toISOString())}`;
}

function orderOf({ order }) {
  if (!order) return null;
  const what = order.is === "paused" ? "Paused" : `Set aside: ${order.why}`;
  return make("p", { class: "note" }, `${what} (${order.by}, ${new Date(order.unix_ms).toLocaleString()})`);
}

// Returns the worker's remarks that the card does not show otherwise.
function notesOf({ says, order, runs }) {
  const reasons = [order?.why, ...runs.map((run) => run.set_aside)].filter(Boolean);
  const isShown = (text) => reasons.some((why) => text.includes(why)) || /^(is paused|stands out):/.test(text);
  return says.filter((text) => !isShown(text));
}

function contentOf(worker) {
  const [state, kind] = stateOf(worker);
  const cores = worker.cores ? (worker.away ? counted(worker.cores, "core")
    : `${worker.busy} of ${counted(worker.cores, "core")} busy`) : "";
  const rate = worker.rate > 0 ? `, ${speed(worker.rate, "pair")}` : "";
  const pairs = worker.away ? "" : `${counted(worker.pairs, "pair")}${rate}`;
  const where = [worker.host, worker.spar ? `spar ${worker.spar}` : "", cores].filter(Boolean).join(" · ");
  return [
    make("header", {}, make("h2", {}, worker.name), make("span", { class: `badge ${kind}` }, state)),
    make("p", { class: "faint" }, where),
    make("p", {}, [pairs, lastHeard(worker)].filter(Boolean).join(" · ")),
    orderOf(worker),
    ...notesOf(worker).map((text) => make("p", { class: "note" }, text)),
    ...worker.runs.map((run) => runOf(run, worker.order)),
  ].filter(Boolean);
}

function cardOf(worker) {
  let card = cards.get(worker.name);
  if (!card) {
    card = { node: make("li", { "data-worker": worker.name }), body: make("div", {}), graph: make("div", {}),
      bar: make("p", { class: "bar" }), data: "", told: "", buttons: "" };
    card.node.append(card.body, card.graph, card.bar);
    cards.set(worker.name, card);
  }
  // The age of an absent worker grows by itself.
  const data = JSON.stringify([worker, worker.away ? lastHeard(worker) : ""]);
  if (card.data !== data) {
    card.data = data;
    card.body.replaceChildren(...contentOf(worker));
  }
  const course = JSON.stringify(speeds.workers[worker.name] ?? []);
  if (card.told !== course) {
    card.told = course;
    card.graph.replaceChildren(sparkline(worker.name));
  }
  const buttons = buttonsOf(worker), key = buttons.map((button) => button.dataset.do).join();
  if (card.buttons !== key) {
    card.buttons = key;
    const hadFocus = card.bar.contains(document.activeElement);
    card.bar.replaceChildren(...buttons);
    if (hadFocus) buttons[0]?.focus();
  }
  return card.node;
}

// --- the page ------------------------------------------------------------------------------------------------------

function summary() {
  if (told.fleet === false) return "This server shows no fleet: start it with `spar serve --fleet URL`.";
  if (!told.workers) return told.error ?? "Listening …";
  const here = told.workers.filter((worker) => !worker.away), away = told.workers.length - here.length;
  const sum = (of) => here.reduce((sum, worker) => sum + of(worker), 0), rate = sum((worker) => worker.rate);
  if (told.error) return `${told.error}. What was known before is shown.`;
  if (!told.workers.length) return "No worker is there: `spar worker` starts one.";
  const busy = `${grouped(sum((worker) => worker.busy))} of ${counted(sum((worker) => worker.cores), "core")} busy`;
  return [counted(told.count, "worker"), busy,
    rate > 0 ? speed(rate, "pair") : "", away ? `${grouped(away)} away` : ""].filter(Boolean).join(", ");
}

function show() {
  const all = told.workers ?? [], wanted = all.filter(isWanted), nodes = wanted.slice(0, MOST_SHOWN).map(cardOf);
  const list = at("workers");
  const more = wanted.length > MOST_SHOWN ? `; the first ${MOST_SHOWN} are shown: filter them` : "";
  nodes.forEach((node, index) => {
    if (list.children[index] !== node) list.insertBefore(node, list.children[index] ?? null);
  });
  while (list.children.length > nodes.length) list.lastElementChild.remove();
  const names = new Set(all.map((worker) => worker.name));
  for (const name of cards.keys()) if (!names.has(name)) cards.delete(name);
  say(at("says"), summary() + more);
  at("filters").hidden = all.length < 2;
}

function problem(text) {
  at("problem").hidden = !text;
  say(at("problem"), text);
}

async function steer(name, order) {
  try {
    told = await send(`/api/control/workers/${encodeURIComponent(name)}`, order);
    problem("");
    show();
  } catch (error) {
    problem(error.message);
  }
}

function askWhy(name) {
  asked = name;
  say(at("reason-title"), `Set ${name} aside`);
  at("why").value = "";
  at("reason").showModal();
}

at("keep").addEventListener("click", () => at("reason").close());
at("reason-form").addEventListener("submit", (event) => {
  event.preventDefault();
  at("reason").close();
  steer(asked, { do: "set-aside", why: at("why").value });
});
at("filters").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["text", "state"]) at(id).addEventListener("input", show);

function linkSays(text, isBad) {
  say(at("link"), text);
  at("link").classList.toggle("bad", isBad);
}

let lookedBack = 0, isKnown = false;

// Polls while the page is visible.
async function look() {
  if (!document.hidden) {
    try {
      told = await ask("/api/fleet");
      // The buttons depend on the user.
      if (told.steered && !isKnown) {
        know(await ask("/api/control"));
        isKnown = true;
      }
      const isNew = (worker) => !worker.away && !speeds.workers[worker.name];
      if (Date.now() - lookedBack >= LOOK_BACK || told.workers?.some(isNew)) {
        speeds = await ask("/api/fleet/history");
        lookedBack = Date.now();
      }
      linkSays("live", false);
      show();
    } catch {
      linkSays("not connected: trying again", true);
    }
  }
  setTimeout(look, LOOK);
}

look();
