// The games of a run: the list of those that have ended, and the board that shows one of them, or one as it is played.
import { analysisOf } from "./analysis.js";
import { arrowKeys, ask, at, grouped, make, say } from "./live.js";
import { watchOf } from "./watch.js";

// Of the run at this path of the interface.
export function gamesOf(path) {
  let run = null;
  let page = { from: 1, count: 25, pairs: 0 }, followsGames = true, isAsking = false, shown = null, stage = null;

  async function wantGames(from) {
    if (isAsking || (from === null && page.pairs === run?.units && page.games)) return;
    isAsking = true;
    try {
      page = await ask(`${path}/games?count=25${from === null ? "" : `&from=${from}`}`);
      followsGames = page.from + page.count > page.pairs;
      listGames();
      // Something to look at, without taking the focus.
      if (!shown && page.games.length) showGame(page.games.at(-1).game, true);
    } catch (error) {
      say(at("which"), error.message);
    } finally {
      isAsking = false;
    }
  }

  function listGames() {
    const last = Math.min(page.from + page.count - 1, page.pairs);
    say(at("which"), page.pairs ? `${run?.unit ?? "pair"}s ${grouped(page.from)} to ${grouped(last)} of ${grouped(page.pairs)}` : "none has been played yet");
    at("oldest").disabled = at("older").disabled = page.from <= 1;
    at("newer").disabled = at("latest").disabled = last >= page.pairs;
    const focused = document.activeElement?.closest?.("#list button")?.dataset.game;
    at("list").replaceChildren(...[...page.games].reverse().map((game) => make("li", {},
      make("button", { type: "button", "data-game": game.game, "aria-pressed": game.game === shown, class: game.fault ? "fault" : "", onclick: () => showGame(game.game) },
        make("span", { class: "number" }, game.game), make("span", {}, `${game.first} – ${game.second}`), make("b", {}, game.result),
        make("small", { class: "faint" }, `${game.ending}, ${grouped(game.plies)} ${game.plies === 1 ? "ply" : "plies"}`)))));
    if (focused) at("list").querySelector(`[data-game="${CSS.escape(focused)}"]`)?.focus();
  }

  // Puts a game on the board, from the end of its opening or from a ply on.
  function put(game, from) {
    shown = game.place;
    game.why = `game ${game.place}`;
    at("viewer").hidden = false;
    stage ??= replayOf([game]);
    stage.put([game], from);
    for (const button of at("list").querySelectorAll("button")) button.setAttribute("aria-pressed", button.dataset.game === shown);
  }

  async function showGame(which, isQuiet = false) {
    try {
      const game = await ask(`${path}/games/${encodeURIComponent(which)}`);
      if (isQuiet && watch.isOn()) return;
      watch.end();
      put(game);
      analysis.game(game);
      // The board knows games of 0.1 that begin with setups.
      at("on-board").hidden = game.look !== "discs" || game.start.some((piece) => piece);
      at("on-board").onclick = () => { at("on-board").href = `/board?${new URLSearchParams({ moves: game.plies.map((ply) => ply.m).join(" "), ply: document.body.dataset.ply ?? "0" })}`; };
      at("on-board").href = "/board";
      if (isQuiet) return;
      at("replay").focus({ preventScroll: true });
      at("viewer").scrollIntoView({ block: "nearest" });
      say(at("which"), `game ${shown}`);
    } catch (error) {
      say(at("which"), error.message);
    }
  }

  const analysis = analysisOf(path, () => stage);

  // A game that is being played: it is followed for as long as its last ply is shown.
  const watch = watchOf(path, (game, isNew) => {
    const isAtEnd = !isNew && Number(document.body.dataset.ply) >= Number(at("slider").max);
    at("on-board").hidden = true;
    analysis.game(null);
    put(game, isNew || isAtEnd ? game.plies.length : Number(document.body.dataset.ply));
  });

  at("oldest").addEventListener("click", () => wantGames(1));
  at("older").addEventListener("click", () => wantGames(Math.max(1, page.from - page.count)));
  at("newer").addEventListener("click", () => wantGames(page.from + page.count));
  at("latest").addEventListener("click", () => { page.games = null; wantGames(null); });
  at("goto").addEventListener("change", (event) => { if (event.target.value.trim()) showGame(event.target.value.trim()); });
  arrowKeys(at("list"), "button");

  return {
    // Where the run stands now.
    run(next) {
      run = next;
      if (followsGames) wantGames(null);
      watch.run(run);
    },
    // The run was just opened, or opened again.
    begin: (next) => analysis.run(next),
    // The folder holds another run: nothing that was fetched is of it.
    forget() {
      shown = null;
      page = { from: 1, count: 25, pairs: 0 };
      followsGames = true;
    },
  };
}
