// Code that all pages share: requests to the interface, events, and the format of numbers. Everything on the pages
// comes from the interface; names are always inserted as text.

const KEY = "spar-token";

export const at = (id) => document.getElementById(id);

// Returns an element with attributes and children; strings are inserted as text.
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

// Replaces a text only if it differs, so that screen readers do not read it again.
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Made once: a formatter costs more than a use of it.
const WHOLE = new Intl.NumberFormat("en"), CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });

export const grouped = (n) => WHOLE.format(Math.round(n));
export const counted = (n, thing) => `${grouped(n)} ${n === 1 ? thing : `${thing}s`}`;

export function signed(value, decimals = 1) {
  if (value === null || value === undefined) return "–";
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${(0).toFixed(decimals)}` : value > 0 ? `+${text}` : text.replace("-", "−");
}

// Returns the ends of an interval; an infinite one is null.
export function interval({ elo_low: low, elo_high: high }, decimals = 1) {
  const end = (value, infinite) => (value === null ? infinite : signed(value, decimals));
  return `${end(low, "−∞")} to ${end(high, "+∞")}`;
}

export const withInterval = (told, decimals = 1) => `${signed(told.elo, decimals)} (${interval(told, decimals)})`;

// Returns the Elo of a run for sorting. JSON has no infinite numbers: the Elo is null if all games were won or lost.
export function eloOf({ reported, wins, draws, losses }) {
  if (!reported) return null;
  if (reported.elo !== null) return reported.elo;
  if (draws || !wins === !losses) return null;
  return wins ? Infinity : -Infinity;
}

// Sorts numbers from the highest to the lowest, and missing ones last. Infinite ones are numbers.
export function falling(a, b) {
  const [no, none] = [a, b].map((value) => value === null || value === undefined || Number.isNaN(value));
  if (no || none) return Number(no) - Number(none);
  return a === b ? 0 : a > b ? -1 : 1;
}

// Returns the one Elo of a run, or another text about its strength.
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

// Returns a time by the viewer's clock, with the time zone.
export function moment(iso) {
  const when = new Date(iso);
  return Number.isNaN(when.getTime()) ? iso : CLOCK.format(when);
}

// Returns a time element: `text`, such as an age, with the moment as its title, or the moment if there is no text.
export function time(iso, text) {
  return iso ? make("time", { datetime: iso, title: moment(iso) }, text ?? moment(iso)) : "";
}

const UTC = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC$/;

// Converts the times in the cells of the server's tables to the viewer's clock.
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

// The state of a run as users see it: a paused run is not running.
export const stateOf = (run) => (run.paused && run.state === "running" ? "paused" : run.state);

// Whether pairs are being played, so that a speed and the time left make sense.
export const isGoing = (run) => stateOf(run) === "running";

// Returns a badge with the state or the verdict in two words, coloured by its kind.
export function badge(row) {
  const verdict = row.verdict && VERDICTS[row.verdict];
  const kind = { "accepted-h1": "good", "accepted-h0": "bad" }[row.verdict] ?? { running: "live", unreadable: "bad", "too faulty": "bad" }[row.state] ?? "calm";
  const text = row.cut ? `cut at ${grouped(row.cut[0])} of ${grouped(row.cut[1])}` : verdict ?? stateOf(row);
  return make("span", { class: `badge ${row.cut ? "bad" : stateOf(row) === "paused" ? "held" : kind}` }, text);
}

// Returns the result in lines to copy; empty for a run that is still being read.
export function block(run) {
  return run.read ? "" : (run.block ?? []).join("\n");
}

// Returns a bar that shows how far the log-likelihood ratio is between 0 and its bounds.
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

// --- asking ----------------------------------------------------------------------------------------------------------

function headers(more = {}) {
  const token = sessionStorage.getItem(KEY);
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

let asking = null;

// Asks for the token, once for all requests that need it. A token that the server does not know is reported as wrong.
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
    // Another request may have got a better token meanwhile.
    if (sessionStorage.getItem(KEY) !== given) continue;
    sessionStorage.removeItem(KEY);
    await askForToken(given !== null);
  }
}

// Fetches JSON of the interface; an error has the server's message.
export async function ask(path) {
  const response = await fetchWithToken(path);
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

// Posts JSON. An error has the server's message, and the whole answer as `body`.
export async function send(path, told) {
  const response = await fetchWithToken(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(told) });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw Object.assign(new Error(body.error ?? `the server answered ${response.status}`), { body: body.error ? body : null });
  return body;
}

// Posts a request whose findings arrive one by one, and yields each.
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

// Downloads a file. A link could not send the token.
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

// --- hearing ---------------------------------------------------------------------------------------------------------

const SILENCE = 25000;

function linkSays(text, isBad) {
  const link = at("link");
  if (!link) return;
  say(link, text);
  link.classList.toggle("bad", isBad);
}

// Receives the events of a path while the page is visible. `begin` fetches everything and returns the id from which to
// continue; it is called again whenever the server no longer has the missed events. `take` gets each event. A broken
// connection is made again.
export function hear(path, begin, take) {
  let id = null, controller = null, wait = 500, isListening = false;

  // Listens until the page is hidden; only one call at a time does.
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
      // Detects a server that has gone without closing the connection.
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

// Lets the arrow keys move between the links or buttons of a list.
export function arrowKeys(list, selector) {
  list.addEventListener("keydown", (event) => {
    const items = [...list.querySelectorAll(selector)], index = items.indexOf(event.target.closest("li")?.querySelector(selector));
    const next = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (next === undefined || index < 0 || event.target.matches("input, select")) return;
    items[Math.max(0, Math.min(next, items.length - 1))]?.focus();
    event.preventDefault();
  });
}
