// The standing of a run, as tiles: each number names its owner.
import { badge, draw, grouped, interval, isGoing, make, ratioBar, signed, speed } from "./live.js";

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const total = (list) => (list ?? []).reduce((sum, n) => sum + n, 0);

// Draws the pairs by points, as bars.
function pairBars(penta, who) {
  const most = Math.max(1, ...penta), all = Math.max(1, total(penta)), names = ["0", "½", "1", "1½", "2"];
  const text = `pairs by the points of ${who}: ${penta.map((n, index) => `${names[index]}: ${grouped(n)}`).join(", ")}`;
  const bars = penta.map((n, index) => draw("g", { class: `points p${index}` },
    draw("rect", { x: 4 + index * 48, y: 64 - (52 * n) / most, width: 40, height: (52 * n) / most + 1, rx: 2 }),
    draw("text", { class: "count", x: 24 + index * 48, y: 60 - (52 * n) / most, "text-anchor": "middle" }, percent(n / all)),
    draw("text", { class: "name", x: 24 + index * 48, y: 80, "text-anchor": "middle" }, names[index])));
  return draw("svg", { class: "penta", viewBox: "0 -4 244 90", role: "img", "aria-label": text }, draw("title", {}, text), ...bars);
}

function tile(title, big, small, extra, kind = null) {
  const lines = [small].flat().filter(Boolean).map((line) => make("span", { class: "faint" }, line));
  return make("div", { class: kind }, make("dt", {}, title), make("dd", {}, big === null ? null : make("b", {}, big), extra ?? null, ...lines));
}

// Returns wins, draws and losses with their owner: the first entrant, whatever the others are, or the first mover in
// self-play. Tuned and initial values are the two sides of a session, which has no such counts.
export function counted({ kind, entrants, wins, draws, losses }) {
  const games = `+${grouped(wins)} =${grouped(draws)} −${grouped(losses)}`;
  if (kind === "selfplay") return { games, who: "the first mover" };
  const [first, ...others] = entrants ?? [];
  if (kind === "tune" || !first || !others.length) return null;
  return { games, who: first, against: others.length === 1 ? others[0] : `${grouped(others.length)} others` };
}

function played(run) {
  const of = run.of && run.of > run.units ? ` of ${grouped(run.of)}` : "", whose = counted(run);
  const lines = whose ? [`${whose.who}: ${whose.games}`, whose.against ? `won, drawn and lost against ${whose.against}` : "won, drawn and lost"] : [];
  return tile(`${run.unit[0].toUpperCase()}${run.unit.slice(1)}s`, `${grouped(run.units)}${of}`, lines);
}

function strength(run) {
  const [first, other, ...more] = run.entrants, against = more.length ? `${grouped(more.length + 1)} others` : other;
  if (!run.reported || run.reported.elo === null) {
    const title = run.kind === "tune" ? "Gain" : "Result", whose = run.reported && against ? `${first} over ${against}` : "";
    return run.short ? tile(title, null, whose, make("span", {}, run.short)) : null;
  }
  const numbers = `95% ${interval(run.reported)} · LOS ${percent(run.los)}${run.nelo === null ? "" : ` · nElo ${signed(run.nelo, 0)}`}`;
  return tile("Elo", signed(run.reported.elo), [against ? `of ${first} over ${against}` : "", Number.isFinite(run.llr) ? `${run.reported.kind}, ${numbers}` : numbers]);
}

function faults(run) {
  const all = total(run.faults), by = run.entrants.map((entrant, index) => [entrant, run.faults[index]]).filter(([, n]) => n);
  return tile("Faults", all ? grouped(all) : "none", by.map(([who, n]) => `${who} ${grouped(n)}`).join(", "));
}

// Returns all tiles of a run.
export function tiles(run) {
  const all = [], whose = counted(run), where = [run.host, run.concurrency ? `${run.concurrency} at a time` : "a fleet"].filter(Boolean).join(", ");
  const reading = run.read ? `reading: ${grouped(run.read[0])} of ${grouped(run.read[1])}` : "";
  all.push(tile("State", null, [reading, isGoing(run) ? run.left : ""], badge(run)), played(run), strength(run));
  if (Number.isFinite(run.llr)) all.push(tile("LLR", signed(run.llr, 2), `bounds ${signed(run.lower, 2)} and ${signed(run.upper, 2)}`, ratioBar(run)));
  if (run.penta && whose && total(run.penta)) all.push(tile(`Pairs by the points of ${whose.who}`, null, null, pairBars(run.penta, whose.who), "broad"));
  // Nothing is played while the run is paused.
  all.push(run.paused ? tile("Played on", null, null, make("span", {}, where)) : tile("Speed", speed(run.speed, run.unit), where), faults(run));
  return all.filter(Boolean);
}
