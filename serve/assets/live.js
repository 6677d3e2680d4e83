// What all pages have in common: asking the interface, hearing of what changes, and how numbers look.
// Everything that is shown comes from the interface; names are text wherever they go.

const KEY = "spar-token";

export const at = (id) => document.getElementById(id);

// An element with attributes and children; text is text.
export function make(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

export function draw(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

// Text is only replaced where it is another, so that screen readers do not read it again.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Made once: a formatter costs more than what it formats.
const WHOLE = new Intl.NumberFormat("en"), CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

export const grouped = (n) => WHOLE.format(Math.round(n));
export const counted = (n, thing) => `${grouped(n)} ${n === 1 ? thing : `${thing}s`}`;

export function signed(value, decimals = 1) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${(0).toFixed(decimals)}` : value > 0 ? `+${text}` : text.replace("-", "−");
}

// The ends of an interval; an infinite one is null.
export function interval({ elo_low: low, elo_high: high }, decimals = 1) {
  const end = (value, infinite) => (value === null ? infinite : signed(value, decimals));
  return `${end(low, "−∞")} to ${end(high, "+∞")}`;
}

export const withInterval = (told, decimals = 1) => `${signed(told.elo, decimals)} (${interval(told, decimals)})`;

// Its Elo to sort by. JSON has no infinite numbers: whoever has won or lost all games has none there.
export function eloOf({ reported, wins, draws, losses }) {
  if (!reported) return null;
  if (reported.elo !== null) return reported.elo;
  if (draws || !wins === !losses) return null;
  return wins ? Infinity : -Infinity;
}

// Numbers from the highest to the lowest, and then those of which there is none. Infinite ones are numbers.
export function falling(a, b) {
  const [no, none] = [a, b].map((value) => value === null || value === undefined || Number.isNaN(value));
  if (no || none) return Number(no) - Number(none);
  return a === b ? 0 : a > b ? -1 : 1;
}

// The one Elo of a run, or what else is told of its strength.
export function strength(run) {
  const whose = run.entrants?.length > 2 ? ` of ${run.entrants[0]}` : "";
  return run.reported && run.reported.elo !== null ? `Elo${whose} ${withInterval(run.reported)}` : run.short ?? "";
}

export function age(iso) {
  if (!iso) return "";
  const seconds = Math.max(0, (Date.now() - Date.parse(iso)) / 1000);
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} days ago`;
}

// When something was, as the clock of the viewer shows it, with the zone.
export function moment(iso) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? iso : CLOCK.format(when);
}

// A time: `text` if there is any, such as how long ago it was, with the moment as its title, or else the moment.
export function time(iso, text) {
  return iso ? make("time", { datetime: iso, title: moment(iso) }, text ?? moment(iso)) : "";
}

const UTC = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC$/;

// Has the cells of the server's tables say their times as the viewer's clock does.
export function zoned(node) {
  for (const cell of node.querySelectorAll("td")) {
    const [, day, minute] = UTC.exec(cell.textContent.trim()) ?? [];
    if (day) cell.replaceChildren(time(`${day}T${minute}:00Z`));
  }
}

export function speed(value, unit) {
  if (value === null || value === undefined) return "–";
  if (value >= 1) return `${value >= 10 ? grouped(value) : value.toFixed(1)} ${unit}s/s`;
  const minute = value * 60;
  return minute >= 1 ? `${minute.toFixed(1)} ${unit}s/min` : `${(minute * 60).toFixed(1)} ${unit}s/h`;
}

export const VERDICTS = { "accepted-h1": "H1 accepted", "accepted-h0": "H0 accepted", undecided: "undecided", complete: "complete" };

// What people take for the state of a run: one that is paused is not running to them.
export const stateOf = (run) => (run.paused && run.state === "running" ? "paused" : run.state);

// Whether pairs are played just now, so that a speed and the time left mean something.
export const isGoing = (run) => stateOf(run) === "running";

// The state or the verdict in two words, and what kind of news it is.
export function badge(row) {
  const verdict = row.verdict && VERDICTS[row.verdict];
  const kind = { "accepted-h1": "good", "accepted-h0": "bad" }[row.verdict] ?? { running: "live", unreadable: "bad", "too faulty": "bad" }[row.state] ?? "calm";
  const text = row.cut ? `cut at ${grouped(row.cut[0])} of ${grouped(row.cut[1])}` : verdict ?? stateOf(row);
  return make("span", { class: `badge ${row.cut ? "bad" : stateOf(row) === "paused" ? "held" : kind}` }, text);
}

// The result in lines to copy; none of a run that is still being read.
export function block(run) {
  return run.read ? "" : (run.block ?? []).join("\n");
}

// How far the ratio is on its way to a bound: a bar from 0, between the bounds.
export function ratioBar({ llr, lower, upper }) {
  const width = 200, height = 18, x = (value) => ((Math.min(Math.max(value, lower), upper) - lower) / (upper - lower)) * width;
  const [from, to] = [Math.min(x(0), x(llr)), Math.max(x(0), x(llr))];
  const text = `LLR ${signed(llr, 2)} between ${signed(lower, 2)} and ${signed(upper, 2)}`;
  return draw("svg", { class: "ratio", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text, preserveAspectRatio: "none" },
    draw("title", {}, text),
    draw("rect", { class: "ground", x: 0, y: 3, width, height: 12, rx: 3 }),
    draw("rect", { class: llr >= 0 ? "up" : "down", x: from, y: 3, width: Math.max(to - from, 1), height: 12, rx: 2 }),
    draw("line", { class: "zero", x1: x(0), x2: x(0), y1: 0, y2: height }));
}

// --- asking -----------------------------------------------------------------------------------------------------------------

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

let asking = null;

// Asks for the token, once for all requests that want it. Where one was given that the server does not know, it is called wrong.
function askForToken(isWrong) {
  asking ??= new Promise((resolve) => {
    const input = make("input", { type: "password", id: "token", autocomplete: "off", required: true, "aria-invalid": isWrong ? "true" : null, "aria-describedby": isWrong ? "token-wrong" : null });
    const dialog = make("dialog", { class: "token", "aria-labelledby": "token-says" },
      make("form", { onsubmit: (event) => {
        event.preventDefault();
        sessionStorage.setItem(KEY, input.value.trim());
        dialog.close();
        dialog.remove();
        asking = null;
        resolve();
      } },
      make("p", { id: "token-says" }, "This server asks for its token. It stays in this tab."),
      isWrong ? make("p", { id: "token-wrong", class: "problem", role: "alert" }, "Wrong token: the server's token is in the file that it was started with.") : null,
      make("label", { for: "token" }, "Token "), input, make("button", {}, "Continue")));
    document.body.append(dialog);
    dialog.showModal();
  });
  return asking;
}

export async function fetchWithToken(path, options = {}) {
  for (;;) {
    const given = sessionStorage.getItem(KEY), response = await fetch(path, { ...options, headers: headers(options.headers) });
    if (response.status !== 401) return response;
    // Another request may have been told of a better one meanwhile.
    if (sessionStorage.getItem(KEY) !== given) continue;
    sessionStorage.removeItem(KEY);
    await askForToken(given !== null);
  }
}

// JSON of the interface; an error has what the server says.
export async function ask(path) {
  const response = await fetchWithToken(path);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

// Sends something to be done. An error has what the server says, and all of it as `body`.
export async function send(path, told) {
  const response = await fetchWithToken(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(body.error ?? `the server answered ${response.status}`), { body: body.error ? body : null });
  return body;
}

// Asks for what is found bit by bit, and hands each bit on as it comes.
export async function* found(path, body, signal) {
  const response = await fetchWithToken(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
  if (!response.ok) throw Object.assign(new Error((await response.json().catch(() => ({}))).error ?? `the server answered ${response.status}`), { status: response.status });
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (text + decoder.decode(part.value, { stream: true })).split("\n");
    text = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

// A file to keep. A link would do, but could not bring the token.
export async function download(path, name) {
  const response = await fetchWithToken(path);
  if (!response.ok) throw new Error((await response.json().catch(() => ({}))).error ?? `the server answered ${response.status}`);
  const address = URL.createObjectURL(await response.blob());
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

// --- hearing ----------------------------------------------------------------------------------------------------------------

const SILENCE = 25000;

function linkSays(text, isBad) {
  const link = at("link");
  if (!link) return;
  say(link, text);
  link.classList.toggle("bad", isBad);
}

// Events of a path, for as long as the page is seen. `begin` fetches everything and returns the id to go on from; it is called
// again whenever the server has forgotten what was seen. `take` is given each event. A connection that breaks is made again.
export function hear(path, begin, take) {
  let id = null, controller = null, wait = 500, isListening = false;

  // Until the page is hidden; there is one at a time.
  async function listen() {
    if (isListening) return;
    isListening = true;
    while (!document.hidden) {
      controller = new AbortController();
      let isReset = false;
      try {
        if (id === null) id = await begin();
        const response = await fetchWithToken(path, { signal: controller.signal, headers: { "Last-Event-ID": id, Accept: "text/event-stream" } });
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        linkSays("live", false);
        wait = 500;
        await read(response.body.getReader(), (event) => {
          if (event.id) id = event.id;
          if (event.event === "reset") { id = null; isReset = true; controller.abort(); } else take(event.event, JSON.parse(event.data));
        });
      } catch {
        if (isReset || document.hidden) continue;
        linkSays("not connected: trying again", true);
      }
      await new Promise((next) => setTimeout(next, wait));
      wait = Math.min(wait * 2, 5000);
    }
    isListening = false;
  }

  async function read(reader, told) {
    const decoder = new TextDecoder();
    let text = "", event = {};
    for (;;) {
      // A server that is gone without a word would never be missed.
      const silence = setTimeout(() => reader.cancel(), SILENCE);
      const { value, done } = await reader.read().finally(() => clearTimeout(silence));
      if (done) throw new Error("the connection ended");
      text += decoder.decode(value, { stream: true });
      const lines = text.split("\n");
      text = lines.pop();
      for (const line of lines) {
        const colon = line.indexOf(":");
        if (line === "") { if (event.data !== undefined) told(event); event = {}; }
        else if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
      }
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) controller?.abort();
    else listen();
  });
  linkSays("connecting", false);
  listen();
}

// The arrow keys move between the links or buttons of a list.
export function arrowKeys(list, selector) {
  list.addEventListener("keydown", (event) => {
    const items = [...list.querySelectorAll(selector)], index = items.indexOf(event.target.closest("li")?.querySelector(selector));
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined || index < 0 || event.target.matches("input, select")) return;
    items[Math.max(0, Math.min(next, items.length - 1))]?.focus();
    event.preventDefault();
  });
}
