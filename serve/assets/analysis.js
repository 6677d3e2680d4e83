// Live analysis of the shown position by an engine of the run: its move as an arrow, its line to step through. It
// follows the game from ply to ply until it is switched off.
import { ask, at, found, grouped, make, say } from "./live.js";
import { know, may } from "./rights.js";

// A user who steps through a game quickly needs no analysis of the positions between. A line stays long enough to be
// clicked.
const PAUSE = 250, LINE_EVERY = 300;
// The previous analysis may still occupy a place for engines.
const AGAIN = 500, ATTEMPTS = 6;

// `stage()` returns the stage that shows the game.
export function analysisOf(path, stage) {
  let game = null, analysts = [], thinking = null, timer = null, line = [], lineAt = 0;
  const isOn = () => at("analyse").getAttribute("aria-pressed") === "true";
  const ply = () => Number(document.body.dataset.ply);

  function stop() {
    clearTimeout(timer);
    thinking?.abort();
    thinking = null;
  }

  function clear() {
    stop();
    line = [];
    say(at("opinion"), "");
    say(at("remark"), "");
    at("variation").replaceChildren();
  }

  function later(pause) {
    clear();
    if (isOn() && game) timer = setTimeout(() => think(ATTEMPTS), pause);
  }

  async function think(attempts) {
    const mine = (thinking = new AbortController()), entrant = at("analyst").value;
    say(at("opinion"), `${entrant} starts …`);
    const seconds = Math.min(300, Math.max(1, Number(at("seconds").value) || 10));
    try {
      const asked = { ply: ply(), entrant, time_ms: Math.round(seconds * 1000) };
      for await (const one of found(`${path}/games/${encodeURIComponent(game.place)}/think`, asked, mine.signal)) {
        if (thinking !== mine) return;
        tell(one);
      }
    } catch (error) {
      if (thinking !== mine) return;
      if (error.status === 503 && attempts > 1) timer = setTimeout(() => think(attempts - 1), AGAIN);
      else say(at("opinion"), error.message);
    }
  }

  function tell(one) {
    if (one.error || one.note) say(at(one.error ? "opinion" : "analysis-note"), one.error ?? one.note);
    if (one.remark) say(at("remark"), one.remark);
    if (!one.line) return;
    const isLast = one.best !== undefined;
    const parts = [one.score, one.depth ? `depth ${one.depth}` : "", one.nodes ? `${grouped(one.nodes)} nodes` : "", isLast ? `best ${one.best}` : ""];
    say(at("opinion"), parts.filter(Boolean).join(" · "));
    if (!isLast && performance.now() - lineAt < LINE_EVERY) return;
    lineAt = performance.now();
    const isSame = line.length === one.line.length && line.every((step, index) => step.m === one.line[index].m);
    if (one.score) stage().judge(one.expected, one.score);
    if (isSame) return;
    line = one.line;
    stage().point(line);
    at("variation").replaceChildren(...line.map((step, index) => make("li", {},
      make("button", { type: "button", onclick: () => stage().follow(line, index + 1) }, `${step.n} ${step.m}`))));
  }

  at("analyse").addEventListener("click", () => {
    at("analyse").setAttribute("aria-pressed", String(!isOn()));
    stage()?.follow([], 0);
    later(0);
  });
  for (const id of ["analyst", "seconds"]) at(id).addEventListener("change", () => later(0));
  document.addEventListener("ply", () => later(PAUSE));
  addEventListener("pagehide", stop);

  function offer() {
    at("analysis").hidden = !game || !analysts.length;
    if (at("analysis").hidden && isOn()) at("analyse").click();
  }

  return {
    // Sets the shown game, if it can be analysed.
    game(shown) {
      game = shown;
      offer();
    },
    // Offers the entrants that can analyse, to users who may start programs.
    async run(run) {
      const told = await ask("/api/control");
      know(told);
      analysts = told.control && may("start") ? run.analysts : [];
      at("analyst").replaceChildren(...analysts.map((name) => make("option", { value: name }, name)));
      offer();
    },
  };
}
