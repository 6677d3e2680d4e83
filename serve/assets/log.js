// The log of a run: its sessions, actions from browsers, warnings, and the games lost by faults.
import { ask, at, make, say, time } from "./live.js";

// The shortest interval between fetches of the log, in milliseconds.
const PAUSE = 2000;

// Returns a link to a game on the board.
const game = (place) => make("a", { href: `#games/${encodeURIComponent(place)}` }, `Game ${place}`);

function entry({ at: when, kind, says, by }) {
  return make("li", { class: kind }, when ? time(when) : make("span", { class: "faint" }, "at some time"), " ", make("span", {}, says), by ? make("span", { class: "faint" }, ` by ${by}`) : "");
}

// Returns the log of the run at `path`.
export function logOf(path) {
  let shown = null, isAsking = false, askedAt = 0, timer = null, seen = null;

  async function fetched() {
    if (isAsking) return;
    isAsking = true;
    askedAt = Date.now();
    try {
      const told = await ask(`${path}/log`), text = JSON.stringify(told);
      say(at("log-state"), told.entries.length ? "" : "Nothing has happened yet.");
      if (text === shown) return;
      shown = text;
      at("log-entries").replaceChildren(...told.entries.map(entry));
      at("log-faults").hidden = !told.faults.length;
      const more = told.more_faulty ? make("li", { class: "faint" }, `${told.more_faulty} more pairs have such games.`) : "";
      at("log-games").replaceChildren(...told.faults.map((lost) => make("li", {}, game(lost.game), `: ${lost.says}`)), more);
    } catch (error) {
      say(at("log-state"), `The log cannot be read: ${error.message}`);
    } finally {
      isAsking = false;
    }
  }

  return {
    // Shows the log for the present standing of the run. The log grows with what happens to the run, not with its
    // pairs. Actions from browsers are reported separately, as `isNew`.
    show(run, isNew = false) {
      const key = JSON.stringify([run.edition, run.state, run.paused, run.verdict, run.warning, run.faults, run.began]);
      if (timer !== null || key === seen && !isNew) return undefined;
      seen = key;
      const wait = askedAt + PAUSE - Date.now();
      if (wait <= 0) return fetched();
      timer = setTimeout(() => { timer = null; fetched(); }, wait);
      return undefined;
    },
  };
}
