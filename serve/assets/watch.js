// Games in progress: the tables of a run's workers, one of which is shown on the page's board, with its clocks.
import { ask, at, make, say } from "./live.js";

const EVERY = 1000, TICK = 100;

// Formats a clock: minutes and seconds, with tenths for the last ones.
function face(ms) {
  const left = Math.max(0, ms), seconds = left / 1000;
  if (seconds < 20) return seconds.toFixed(1);
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

// Follows the games below `path`. `put(game, isNew)` shows a game; a new one is not the one that it showed last.
// `isAtEnd()` returns whether the game's last move is shown. `show(texts, thinks)` shows the clocks of its sides, and
// which side thinks.
export function watchOf(path, put, isAtEnd, show) {
  let table = 0, seen = null, place = null, told = null, toldAt = 0, timer = null, ticker = null, isAsking = false;
  const isOn = () => at("watch").checked;

  function end() {
    if (!isOn()) return;
    at("watch").checked = false;
    turn();
  }

  function turn() {
    clearInterval(timer);
    clearInterval(ticker);
    seen = place = told = null;
    at("table-of").hidden = true;
    say(at("watch-says"), "");
    if (!isOn()) return;
    timer = setInterval(look, EVERY);
    ticker = setInterval(tick, TICK);
    say(at("watch-says"), "waiting for the next move …");
    look();
  }

  async function look() {
    if (isAsking || document.hidden) return;
    isAsking = true;
    const asked = table;
    try {
      const body = await ask(`${path}/live?table=${asked}${seen === null ? "" : `&seen=${seen}`}`);
      if (!isOn()) return;
      if (body.why) say(at("watch-says"), body.why);
      listTables(body.tables);
      // The user has chosen another table meanwhile: this answer is outdated.
      if (asked !== table) return;
      const isNew = body.game && body.game.place !== place;
      // A user who looks back at a game keeps it when it ends. The clocks in the answer are the next game's, which is
      // not shown.
      if (isNew && place !== null && !isAtEnd()) {
        told = null;
        say(at("watch-says"), `game ${place} has ended: its last move leads to the next game`);
        return;
      }
      seen = body.number;
      if (body.clocks) { told = body.clocks; toldAt = performance.now(); }
      if (!body.game) return;
      say(at("watch-says"), `game ${body.game.place}`);
      put(body.game, isNew);
      ({ place } = body.game);
      tick();
    } catch (error) {
      say(at("watch-says"), error.message);
    } finally {
      isAsking = false;
      if (asked !== table && isOn()) look();
    }
  }

  // The list is only replaced when its games change, so that an open list stays open.
  function listTables(tables) {
    at("table-of").hidden = tables.length < 2;
    const rows = tables.map((game, index) => [index, game ? `${index + 1}: ${game.game} ${game.first} – ${game.second}` : `${index + 1}: nothing yet`]);
    const key = JSON.stringify(rows);
    if (at("table").dataset.key === key) return;
    at("table").dataset.key = key;
    at("table").replaceChildren(...rows.map(([index, text]) => make("option", { value: index, selected: index === table }, text)));
    // Nobody wants to watch an empty table.
    const first = tables.findIndex((game) => game);
    if (!tables[table] && first >= 0) choose(first);
  }

  function choose(next) {
    table = next;
    at("table").value = String(next);
    seen = place = told = null;
    look();
  }

  function tick() {
    if (!told || place === null) return;
    const isTimed = told.left_ms.some((left) => left !== null), thought = told.for_ms + performance.now() - toldAt;
    const clock = (side) => {
      const thinks = told.thinks === side, left = told.left_ms[side];
      if (isTimed && left !== null) return face(left - (thinks ? thought : 0));
      return thinks ? `${face(thought)} s` : "";
    };
    show([clock(0), clock(1)], told.thinks);
  }

  at("watch").addEventListener("change", turn);
  at("table").addEventListener("change", (event) => choose(Number(event.target.value)));
  return {
    isOn, end,
    // Sets the state of the run: games can be watched while it is played.
    run(run) {
      const isPlayed = run.state === "running";
      at("watching").hidden = !isPlayed;
      if (!isPlayed) end();
    },
  };
}
