// The waiting entries of the queue: a row each. The user orders them by dragging, by buttons, or by Alt and an arrow
// key.
import { make, say } from "./live.js";
import { isMine, may } from "./rights.js";

// Runs that were playing when their server ended have a priority above all others.
const FIRST = 1e6;

let list = null, entries = [], change = null, dragged = null, isLate = false;
const status = make("p", { class: "visually-hidden", role: "status" });

// Shows the entries. `send(id, body)` changes one, and returns whether that worked.
export function showWaiting(place, waiting, send) {
  [list, entries, change] = [place, waiting, send];
  if (!status.isConnected) list.after(status);
  // A row that is being dragged stays in place.
  isLate = dragged !== null;
  if (!isLate) render();
}

function render() {
  const focus = document.activeElement?.closest("#waiting [data-part]"), row = focus?.closest("li").dataset.id;
  list.replaceChildren(...entries.map(rowOf));
  if (!focus) return;
  const again = [...list.children].find((node) => node.dataset.id === row);
  const same = again?.querySelector(`[data-part="${focus.dataset.part}"]`);
  (same?.disabled ? again.querySelector(".grip") : same)?.focus();
}

function button(part, text, label, onclick, more = {}) {
  return make("button", { type: "button", "data-part": part, "aria-label": label, onclick, ...more }, text);
}

function rowOf(entry, index) {
  const priority = make("input", {
    type: "number", class: "short", "data-part": "priority", "aria-label": `Priority of ${entry.what}`,
    value: String(entry.priority > FIRST ? "" : entry.priority), placeholder: "first",
    onchange: () => change(entry.id, { do: "priority", to: Math.trunc(Number(priority.value)) || 0 }),
  });
  const grip = button("grip", "⠿", `Move ${entry.what}: drag it, or press Alt and an arrow key`, null,
    { class: "grip", onpointerdown: grab, title: "Drag, or press Alt and an arrow key" });
  const step = (by) => () => moveBy(entry.id, by);
  const what = make("span", { class: "grow" }, entry.what);
  const byWhom = entry.started_by ? [make("span", { class: "faint" }, `by ${entry.started_by}`)] : [];
  const withdraw = button("withdraw", "Withdraw", `Withdraw: ${entry.what}`, () => change(entry.id, { do: "withdraw" }));
  if (!may("steer")) return make("li", { "data-id": String(entry.id) }, what, ...byWhom, isMine(entry) ? withdraw : "");
  return make("li", { "data-id": String(entry.id), onkeydown: onKey },
    grip, what, ...byWhom, make("label", {}, "priority ", priority),
    button("up", "↑", `Up: ${entry.what}`, step(-1), { disabled: index === 0 }),
    button("down", "↓", `Down: ${entry.what}`, step(1), { disabled: index === entries.length - 1 }), withdraw);
}

// --- by keys and buttons -------------------------------------------------------------------------------------------

function onKey(event) {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!by || !(event.altKey || event.target.matches(".grip"))) return;
  event.preventDefault();
  moveBy(Number(event.currentTarget.dataset.id), by);
}

function moveBy(id, by) {
  const index = entries.findIndex((entry) => entry.id === id), to = index + by;
  if (index < 0 || to < 0 || to >= entries.length) return;
  move(id, entries[by < 0 ? to : to + 1]?.id ?? null);
}

// Moves an entry before another one, or to the end, and announces its new place.
async function move(id, before) {
  const isDone = await change(id, { do: "move", before });
  if (!isDone) return render();
  const index = entries.findIndex((entry) => entry.id === id);
  if (index < 0) return;
  const { what, priority } = entries[index], of = priority > FIRST ? "" : `, priority ${priority}`;
  say(status, `${what}: place ${index + 1} of ${entries.length}${of}`);
}

// --- by pointer ----------------------------------------------------------------------------------------------------

function grab(event) {
  if (event.button !== 0 || dragged) return;
  const grip = event.currentTarget, node = grip.closest("li");
  dragged = { node, grip, next: node.nextElementSibling };
  node.classList.add("dragged");
  grip.setPointerCapture(event.pointerId);
  grip.addEventListener("pointermove", drag);
  grip.addEventListener("pointerup", drop);
  grip.addEventListener("pointercancel", letGo);
  document.addEventListener("keydown", onEscape, true);
}

// Returns how far down a row the pointer is: 0 at its top, 1 at its bottom.
function depth(event, row) {
  const { top, height } = row.getBoundingClientRect();
  return (event.clientY - top) / height;
}

// Moves the other rows out of the way: an element that is moved itself loses the pointer. The thresholds keep a row
// that was moved from moving back at once.
function drag(event) {
  const { node } = dragged;
  for (let row = node.previousElementSibling; row && depth(event, row) < 2 / 3; row = node.previousElementSibling) {
    node.after(row);
  }
  for (let row = node.nextElementSibling; row && depth(event, row) > 1 / 3; row = node.nextElementSibling) {
    node.before(row);
  }
}

function onEscape(event) {
  if (event.key === "Escape") letGo();
}

// Ends a drag, and leaves the rows where they are.
function release() {
  const { node, grip } = dragged;
  node.classList.remove("dragged");
  grip.removeEventListener("pointermove", drag);
  grip.removeEventListener("pointerup", drop);
  grip.removeEventListener("pointercancel", letGo);
  document.removeEventListener("keydown", onEscape, true);
  dragged = null;
}

function letGo() {
  release();
  render();
}

function drop(event) {
  drag(event);
  const { node, next } = dragged, now = node.nextElementSibling;
  release();
  if (now !== next) move(Number(node.dataset.id), now ? Number(now.dataset.id) : null);
  else if (isLate) render();
}
