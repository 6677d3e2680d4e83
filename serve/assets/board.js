// A board of 0.1 to play on and to watch. The rules are the server's: it gets the whole game, and returns its state and
// the legal moves.
import { keysHelp } from "./keys.js";
import { at, draw, found, grouped, make, say, send } from "./live.js";

const PIECES = { A: "alfil", D: "dabbaba", F: "ferz", N: "knight", W: "wazir" };
const LEAPS = { A: "two squares diagonally", D: "two squares straight", F: "one square diagonally", N: "as in chess", W: "one square straight; who captures it wins" };
const SETUP = "AAAAAAAADDDDFFNW";
const KEYS = [
  [["←", "↑", "→", "↓"], "from square to square, on the board"], [["Enter"], "picks up a piece, and puts it down"],
  [["Escape"], "puts it back"], [["[", "]"], "a ply back, a ply on"], [["{", "}"], "the first and the last position"],
  [["?"], "these keys"],
];
const squareName = (index) => `${"abcdefgh"[index >> 3]}${(index & 7) + 1}`;
const sideOf = (letter) => (letter === letter.toUpperCase() ? "red" : "blue");
const pieceName = (letter) => `${sideOf(letter)} ${PIECES[letter.toUpperCase()]}`;

// The game: its start, its plies, and how many of them the board shows.
let start = null, plies = [], shown = 0;
// The server's answer about the shown position, and the piece that is picked up: { from } or { drop }.
let told = null, picked = null;
let human = "red", isTurned = false, focus = 0;
let clock = null, thinking = null, placing = null, arrows = [], asked = 0;

// Returns the picture of a piece, as everywhere on the site.
function picture(letter) {
  return draw("svg", { class: "piece", viewBox: "-32 -32 64 64", "aria-hidden": "true" }, pieceOf("discs", letter));
}

// --- drawing ---------------------------------------------------------------------------------------------------------

const buttons = [];
// The squares from the top left, as the board is turned.
const order = () => Array.from({ length: 64 }, (_, place) => (isTurned ? (place & 56) + 7 - (place & 7) : 56 - (place & 56) + (place & 7)));

function makeSquares() {
  for (let index = 0; index < 64; index += 1) {
    const button = make("button", { type: "button", "data-square": squareName(index), onclick: (event) => event.detail === 0 && touch(index) });
    button.addEventListener("focus", () => { focus = index; roving(); });
    buttons.push(button);
  }
}

function roving() {
  buttons.forEach((button, index) => { button.tabIndex = index === focus ? 0 : -1; });
}

function arrange() {
  const rows = Array.from({ length: 8 }, () => make("div", { class: "row" }));
  order().forEach((index, place) => rows[place >> 3].append(buttons[index]));
  const overlay = draw("svg", { id: "arrows", viewBox: "0 0 8 8", "aria-hidden": "true" });
  at("squares").replaceChildren(...rows, overlay);
  drawArrows();
}

const pieceOn = (index) => (placing ? placing.squares[index] ?? told.squares[index] : told.squares[index]);

// Returns where the piece that is picked up may go.
function targets() {
  if (!picked) return new Map();
  if (placing) return new Map(placing.home.map((index) => [index, null]));
  return new Map(told.moves.filter((move) => ("drop" in picked ? move.drop === picked.drop : move.from === picked.from && !move.drop)).map((move) => [move.to, move.text]));
}

function show() {
  const goals = targets();
  buttons.forEach((button, index) => {
    const letter = pieceOn(index), isGoal = goals.has(index);
    button.className = [(index + (index >> 3)) % 2 ? "light" : "dark", isGoal ? "goal" : "", picked?.from === index ? "picked" : "",
      told.last && (told.last.from === index || told.last.to === index) ? "last" : ""].join(" ");
    button.setAttribute("aria-label", `${squareName(index)}, ${letter ? pieceName(letter) : "empty"}${isGoal ? ", may go here" : ""}`);
    button.replaceChildren(...(letter ? [picture(letter)] : []), make("span", { class: "coordinate", "aria-hidden": "true" }, squareName(index)));
  });
  roving();
  const [near, far] = isTurned ? ["blue", "red"] : ["red", "blue"];
  showHand(at("near-hand"), near);
  showHand(at("far-hand"), far);
  for (const [id, side] of [["near", near], ["far", far]]) {
    const plays = human === "both" || human === side ? "you" : `the engine (${at("evaluation").value}, ${at("search").value})`;
    say(at(`${id}-name`), `${side === told.side && told.phase !== "over" ? "▸ " : ""}${side[0].toUpperCase()}${side.slice(1)}: ${plays}`);
    at(`${id}-clock`).hidden = !clock;
    if (clock) say(at(`${id}-clock`), time(clock[side]));
  }
  at("placing").hidden = !placing;
  at("place").disabled = !placing || placing.home.some((index) => !placing.squares[index]);
  for (const [id, isOff] of [["first", shown === 0], ["back", shown === 0], ["next", shown === plies.length], ["last", shown === plies.length], ["undo", plies.length === 0]]) at(id).disabled = isOff;
  at("moves").replaceChildren(...moveRows());
  at("moves").querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  if (document.activeElement !== at("game-text")) at("game-text").value = [...(start ? [start] : []), plies.join(" ")].join("\n");
  say(at("position"), told.position);
  Object.assign(document.body.dataset, { phase: told.phase, side: told.side, plies: told.plies, shown, result: told.result ?? "" });
  say(at("says"), sentence());
  drawArrows();
}

// Returns the moves as in a replay: a row for each number, red's on the left and blue's on the right.
function moveRows() {
  const isBlueFirst = (told.side === "blue") === (shown % 2 === 0);
  const cells = [...(isBlueFirst && plies.length ? [make("span", { class: "faint" }, "…")] : []), ...plies.map((ply, index) =>
    make("button", { type: "button", "aria-current": index + 1 === shown ? "true" : null, onclick: () => step(index + 1) }, ply))];
  return Array.from({ length: Math.ceil(cells.length / 2) }, (_, row) => make("li", {}, make("span", {}, `${row + 1}.`), ...cells.slice(2 * row, 2 * row + 2)));
}

const time = (ms) => `${Math.floor(Math.max(0, ms) / 60000)}:${String(Math.floor((Math.max(0, ms) % 60000) / 1000)).padStart(2, "0")}`;

function sentence() {
  const side = `${told.side[0].toUpperCase()}${told.side.slice(1)}`;
  if (told.phase === "over") return `${told.result}: ${told.reason}.`;
  if (clock && clock[told.side] <= 0) return `${told.result ?? (told.side === "red" ? "0-1" : "1-0")}: ${told.side} has no time left.`;
  if (thinking?.isMove) return `${side} thinks …`;
  if (told.phase === "setup") return placing ? `${side} places sixteen pieces on ${told.side === "red" ? "rows a and b" : "rows g and h"}.` : `${side} is to place its pieces.`;
  return `${side} is to move${told.in_check ? ", its wazir attacked" : ""}.`;
}

function showHand(hand, side) {
  const held = placing ? (side === told.side ? tally(placing.rest) : {}) : told.hands[side];
  const entries = Object.entries(held).filter(([, count]) => count > 0);
  hand.setAttribute("aria-label", `${side}, ${placing ? "to be placed" : "in hand"}: ${entries.map(([letter, count]) => `${count} ${PIECES[letter.toUpperCase()]}`).join(", ") || "nothing"}`);
  hand.replaceChildren(...entries.map(([letter, count]) => make("button", { type: "button", "data-drop": letter, class: picked?.drop === letter ? "picked" : "", "aria-pressed": String(picked?.drop === letter),
    "aria-label": `${pieceName(letter)}, ${count} ${placing ? "to be placed" : "in hand"}`, onclick: (event) => event.detail === 0 && take(letter) }, picture(letter), make("span", { class: "count" }, count > 1 ? String(count) : ""))));
}

const tally = (letters) => letters.reduce((counts, letter) => ({ ...counts, [letter]: (counts[letter] ?? 0) + 1 }), {});

function drawArrows() {
  const overlay = at("arrows");
  if (!overlay) return;
  const places = order(), centre = (index) => { const place = places.indexOf(index); return [(place & 7) + 0.5, (place >> 3) + 0.5]; };
  overlay.replaceChildren(...arrows.filter((arrow) => arrow.to !== null).slice(0, 2).map(({ from, to }, index) => {
    const [x, y] = centre(to), opacity = index ? 0.35 : 0.8;
    if (from === null) return draw("circle", { class: "arrow", cx: x, cy: y, r: 0.42, opacity });
    const [u, v] = centre(from), length = Math.hypot(x - u, y - v), [a, b] = [(x - u) / length, (y - v) / length];
    const [hx, hy] = [x - a * 0.35, y - b * 0.35];
    return draw("g", { class: "arrow", opacity }, draw("line", { x1: u, y1: v, x2: hx, y2: hy }),
      draw("path", { d: `M${x - a * 0.05} ${y - b * 0.05} L${hx - b * 0.17} ${hy + a * 0.17} L${hx + b * 0.17} ${hy - a * 0.17} Z` }));
  }));
}

// --- the game --------------------------------------------------------------------------------------------------------

const isHumans = () => human === "both" || human === told.side;
const isOver = () => told.phase === "over" || (clock && clock[told.side] <= 0);
const line = () => ({ position: start, moves: plies.slice(0, shown) });

function complain(error) {
  at("problem").hidden = !error;
  say(at("problem"), error ? error.message : "");
}

// Asks for the state of the shown position, shows it, and lets the engine move if it is its turn.
async function update() {
  const mine = (asked += 1);
  stopThinking();
  picked = null;
  arrows = [];
  try {
    const answer = await send("/api/board", line());
    if (mine !== asked) return false;
    told = answer;
    plies.splice(0, shown, ...told.played.map((ply) => ply.short));
    complain(null);
  } catch (error) {
    if (mine === asked) complain(error);
    return false;
  }
  const isTheirs = told.phase === "setup" && isHumans() && shown === plies.length;
  if (!isTheirs) placing = null;
  else if (placing?.side !== told.side) beginPlacing();
  turnMs = performance.now();
  show();
  if (shown === plies.length && !isOver() && !isHumans()) engineMoves();
  else if (at("analyse").checked) think(false);
  return true;
}

async function play(text) {
  plies = [...plies.slice(0, shown), text];
  shown = plies.length;
  placing = null;
  if (!(await update()) && !at("problem").hidden) {
    plies.pop();
    shown = plies.length;
    await update();
  }
}

function step(to) {
  shown = Math.max(0, Math.min(to, plies.length));
  return update();
}

// --- setups ----------------------------------------------------------------------------------------------------------

function beginPlacing() {
  const home = Array.from({ length: 16 }, (_, index) => index + (told.side === "red" ? 0 : 48));
  placing = { side: told.side, home, squares: {}, rest: [...SETUP].map((letter) => (told.side === "red" ? letter : letter.toLowerCase())) };
}

function put(index) {
  const { squares, rest, home } = placing;
  if (!home.includes(index)) return;
  const there = squares[index];
  if ("drop" in picked) {
    rest.splice(rest.indexOf(picked.drop), 1);
    squares[index] = picked.drop;
    if (there) rest.push(there);
  } else {
    [squares[index], squares[picked.from]] = [squares[picked.from], there];
  }
  rest.sort();
  // Picks up the next piece of the same kind.
  picked = "drop" in picked && rest.includes(picked.drop) ? picked : null;
}

function fill(letters) {
  placing.rest = [];
  placing.home.forEach((index, place) => { placing.squares[index] = letters[place]; });
  picked = null;
  show();
}

function shuffled() {
  const letters = [...SETUP].map((letter) => (placing.side === "red" ? letter : letter.toLowerCase()));
  const random = crypto.getRandomValues(new Uint32Array(letters.length));
  for (let index = letters.length - 1; index > 0; index -= 1) {
    const other = random[index] % (index + 1);
    [letters[index], letters[other]] = [letters[other], letters[index]];
  }
  return letters;
}

// --- picking up and putting down -------------------------------------------------------------------------------------

const mayTouch = () => told && !isOver() && (placing || (told.phase === "play" && (isHumans() || at("analyse").checked || shown < plies.length)));

function take(letter) {
  if (!mayTouch() || sideOf(letter) !== told.side) return;
  picked = picked?.drop === letter ? null : { drop: letter };
  show();
}

// Handles the choice of a square: the piece that is picked up goes there, or the piece that stands there is picked up.
function touch(index) {
  if (!mayTouch()) return;
  const goals = targets();
  if (picked && goals.has(index) && picked.from !== index) {
    if (placing) put(index);
    else return void play(goals.get(index));
  } else {
    const letter = pieceOn(index), isOwn = letter && sideOf(letter) === told.side && (!placing || placing.squares[index]);
    picked = isOwn && picked?.from !== index ? { from: index } : null;
  }
  show();
}

let drag = null;
function under(event) {
  const node = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-square]");
  return node ? buttons.indexOf(node) : -1;
}

document.addEventListener("pointerdown", (event) => {
  const from = event.target.closest?.("[data-square], [data-drop]");
  if (!from || event.button !== 0 || !mayTouch()) return;
  event.preventDefault();
  const index = buttons.indexOf(from), letter = from.dataset.drop ?? pieceOn(index);
  const wasPicked = picked && (picked.from === index || (from.dataset.drop && picked.drop === letter));
  if (picked && index >= 0 && targets().has(index) && picked.from !== index) { touch(index); return; }
  if (!wasPicked) { if (index >= 0) { picked = null; touch(index); } else { picked = null; take(letter); } }
  if (index >= 0) buttons[index].focus({ preventScroll: true });
  if (picked && letter) drag = { letter, wasPicked, ghost: null, x: event.clientX, y: event.clientY, id: event.pointerId };
  else if (wasPicked) { picked = null; show(); }
});

document.addEventListener("pointermove", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  if (!drag.ghost && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 5) {
    drag.ghost = picture(drag.letter);
    drag.ghost.classList.add("ghost");
    drag.ghost.style.width = drag.ghost.style.height = `${buttons[0].getBoundingClientRect().width}px`;
    document.body.append(drag.ghost);
  }
  if (drag.ghost) {
    drag.ghost.style.left = `${event.clientX}px`;
    drag.ghost.style.top = `${event.clientY}px`;
  }
});

document.addEventListener("pointerup", (event) => {
  if (!drag || event.pointerId !== drag.id) return;
  const { ghost, wasPicked } = drag;
  drag = null;
  ghost?.remove();
  const index = under(event);
  if (ghost) {
    if (picked && targets().has(index) && picked.from !== index) return touch(index);
    picked = null;
    show();
  } else if (wasPicked) {
    picked = null;
    show();
  }
});
document.addEventListener("pointercancel", () => { drag?.ghost?.remove(); drag = null; picked = null; if (told) show(); });

at("squares").addEventListener("keydown", (event) => {
  const places = order(), place = places.indexOf(focus);
  const next = { ArrowLeft: place - ((place & 7) > 0), ArrowRight: place + ((place & 7) < 7), ArrowUp: place - 8 * (place > 7), ArrowDown: place + 8 * (place < 56) }[event.key];
  if (next !== undefined) {
    buttons[places[next]].focus();
    event.preventDefault();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && picked) { picked = null; show(); }
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const to = { "[": shown - 1, "]": shown + 1, "{": 0, "}": plies.length }[event.key];
  if (to !== undefined) step(to);
});

// --- the engine ------------------------------------------------------------------------------------------------------

function stopThinking() {
  thinking?.controller.abort();
  thinking = null;
}

const engine = () => ({ evaluation: at("evaluation").value, search: at("search").value });

function effort() {
  const amount = Number(at("amount").value), kind = at("limit").value;
  if (kind === "nodes") return { ...engine(), nodes: Math.max(1, Math.trunc(amount) || 1) };
  if (kind === "seconds") return { ...engine(), time_ms: Math.max(1, Math.trunc(amount * 1000) || 1) };
  return { ...engine(), clock_ms: Math.max(1, Math.trunc(clock?.[told.side] ?? 1)) };
}

// Shows the moves that the engine searches most. For the tree search, these are the shares of its visits.
function showShares(shares) {
  at("shares").replaceChildren(...(shares ?? []).map(({ move, share }) => {
    const bar = make("span", { class: "measure", "aria-hidden": "true" });
    bar.style.width = `${(100 * share).toFixed(1)}%`;
    return make("li", {}, make("span", { class: "name" }, move), make("span", { class: "number" }, `${(100 * share).toFixed(1)}%`), make("span", {}, bar));
  }));
}

// Shows a finding of the engine: the moves that it searches most, red's expected share of the points, depth, line and
// time.
function tell(found, side) {
  showShares(found.shares);
  if (found.share === undefined) return;
  const red = side === "red" ? found.share : 1 - found.share;
  at("share-red").style.height = `${(100 * red).toFixed(1)}%`;
  const count = `${found.ends_in} ${found.ends_in === 1 ? "ply" : "plies"}`;
  const says = found.ends_in === null ? `Red ${(100 * red).toFixed(1)}% (${found.logit.toFixed(2).replace("-", "−")} logit for ${side})` : `${red > 0.5 ? "Red" : "Blue"} wins in ${count}`;
  at("share").setAttribute("aria-label", `Red is expected to get ${(100 * red).toFixed(0)}% of the points`);
  say(at("thought"), `${says} · depth ${found.depth} · ${grouped(found.nodes)} nodes · ${(found.ms / 1000).toFixed(2)} s · ${found.line.join(" ")}`);
  arrows = found.arrows;
  drawArrows();
}

// Lets the engine think about the shown position. Returns its move, or null if it was stopped.
async function think(isMove) {
  const controller = new AbortController(), side = told.side;
  const mine = (thinking = { controller, isMove });
  let best = null, ms = 0;
  try {
    const body = { game: line(), effort: isMove ? effort() : engine() };
    for await (const one of found("/api/board/think", body, controller.signal)) {
      if (thinking !== mine) return null;
      tell(one, side);
      best = one.best ?? best;
      ms = one.ms ?? ms;
    }
  } catch (error) {
    if (thinking === mine && error.name !== "AbortError") complain(error);
    best = null;
  }
  if (thinking !== mine) return null;
  thinking = null;
  return best ? { best, ms } : null;
}

async function engineMoves() {
  const side = told.side, thought = think(true);
  show();
  const move = await thought;
  if (!move) return;
  if (clock) clock[side] -= move.ms;
  if (clock && clock[side] <= 0) show();
  else play(move.best);
}

// Runs the clock of the human player who is to move.
let turnMs = performance.now();
setInterval(() => {
  const now = performance.now(), spent = now - turnMs;
  turnMs = now;
  if (!clock || !told || isOver() || !isHumans() || shown !== plies.length || plies.length < 2) return;
  clock[told.side] -= spent;
  const [near, far] = isTurned ? ["blue", "red"] : ["red", "blue"];
  say(at("near-clock"), time(clock[near]));
  say(at("far-clock"), time(clock[far]));
  if (clock[told.side] <= 0) { picked = null; show(); }
}, 200);

// --- what can be done ------------------------------------------------------------------------------------------------

function begin(position, moves, who) {
  start = position;
  plies = moves;
  shown = moves.length;
  human = who;
  isTurned = who === "blue";
  placing = null;
  clock = at("limit").value === "clock" ? { red: Number(at("amount").value) * 1000 || 1, blue: Number(at("amount").value) * 1000 || 1 } : null;
  at("share-red").style.height = "50%";
  at("share").setAttribute("aria-label", "No evaluation yet");
  say(at("thought"), "");
  showShares([]);
  arrange();
  return update();
}

at("new-game").addEventListener("submit", (event) => { event.preventDefault(); begin(null, [], at("who").value); });
at("limit").addEventListener("change", () => { at("amount").value = { nodes: "20000", seconds: "1", clock: "60" }[at("limit").value]; });
at("random").addEventListener("click", () => fill(shuffled()));
at("clear").addEventListener("click", () => { beginPlacing(); picked = null; show(); });
at("place").addEventListener("click", () => play(placing.home.map((index) => placing.squares[index]).join("")));
at("chosen").addEventListener("click", async () => {
  const mine = placing, setup = await think(true);
  if (setup && placing === mine) fill([...setup.best]);
});
at("first").addEventListener("click", () => step(0));
at("back").addEventListener("click", () => step(shown - 1));
at("next").addEventListener("click", () => step(shown + 1));
at("last").addEventListener("click", () => step(plies.length));
// Goes back to the last position in which a human player was to move.
at("undo").addEventListener("click", () => {
  const back = human === "both" || human === "none" || plies.length < 2 ? 1 : isHumans() || isOver() ? 2 : 1;
  plies = plies.slice(0, Math.max(0, plies.length - back));
  step(plies.length);
});
at("turn").addEventListener("click", () => { isTurned = !isTurned; arrange(); show(); });
at("analyse").addEventListener("change", () => {
  if (at("analyse").checked && !thinking) think(false);
  else if (!at("analyse").checked && thinking && !thinking.isMove) { stopThinking(); arrows = []; show(); }
});
// A running analysis continues with the engine that is now chosen.
for (const id of ["evaluation", "search"]) at(id).addEventListener("change", () => {
  if (!thinking || thinking.isMove) return show();
  stopThinking();
  show();
  think(false);
});
at("load").addEventListener("click", () => {
  const lines = at("game-text").value.split("\n").map((one) => one.trim()).filter(Boolean);
  const position = lines.length && lines[0].includes("/") ? lines.shift() : null;
  begin(position, lines.join(" ").split(/\s+/).filter(Boolean), "both");
});
at("keep").addEventListener("click", () => {
  const address = URL.createObjectURL(new Blob([`${at("game-text").value}\n`], { type: "text/plain" }));
  const link = make("a", { href: address, download: "game.txt" });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
});

at("legend").replaceChildren(...Object.entries(PIECES).map(([letter, name]) => make("li", {}, picture(letter), picture(letter.toLowerCase()), make("span", {}, `${name}: ${LEAPS[letter]}`))));
at("keys").append(keysHelp(KEYS));
makeSquares();

// A game of a run comes with its plies in the address.
const query = new URLSearchParams(location.search);
const given = (query.get("moves") ?? "").split(/\s+/).filter(Boolean);
await begin(query.get("position"), given, given.length || query.get("position") ? "both" : at("who").value);
if (query.has("ply")) step(Number(query.get("ply")) || 0);
