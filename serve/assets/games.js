// The games of a run: the list of finished ones, with a filter, and the board that shows one of them or a game in
// progress. The shown game has an address.
import { analysisOf } from "./analysis.js";
import { isForPage, keysHelp } from "./keys.js";
import { arrowKeys, ask, at, download, grouped, make, say } from "./live.js";
import { watchOf } from "./watch.js";

// The number of pairs on a page, and the delay before the board writes its address: browsers allow few changes a
// second.
const COUNT = 25, PAUSE = 300;
// The fields of the filter, by their names in the interface.
const FIELDS = ["result", "entrant", "ending", "opening", "plies_min", "plies_max"];
const KEYS = [
  [["←", "→"], "a ply back, a ply on"], [["Home", "End"], "the first and the last position, on the board"],
  [["n", "p"], "the next and the previous game of those that are found"],
  [["↑", "↓"], "through the list of games; Enter shows one"],
  [["g"], "to the number of a game"], [["?"], "these keys"],
];

// Game 12.2 after 34 plies has the address #games/12.2/34.
const ADDRESS = /^#games\/(\d+\.\d+)(?:\/(\d+))?$/;

const field = (name) => at(`of-${name}`);
const pairOf = (place) => Number(place.split(".")[0]);
const number = (place) => 2 * pairOf(place) + Number(place.split(".")[1]);

// Returns the games of the run with this name, at this path of the interface.
export function gamesOf(path, name) {
  let run = null, page = { from: 1, to: 0, pairs: 0, games: null }, followsGames = true, asked = 0, isAsking = false;
  // The game on the board, and whether the user has chosen it: the address is the user's.
  let shown = null, stage = null, isChosen = ADDRESS.test(location.hash), isPutting = false;
  let timer = null;

  // --- the list ---

  const filter = () => FIELDS.map((name) => [name, field(name).value.trim()]).filter(([, value]) => value);

  // Searches for games from `edge` on: `{ from }` upwards, `{ before }` downwards, or the last ones. One answer covers
  // a part of a long run, so more are requested until a page is full.
  async function search(edge) {
    const mine = (asked += 1), isRising = "from" in edge;
    let games = [], span = null, next = edge;
    isAsking = true;
    try {
      for (;;) {
        const left = COUNT - new Set(games.map((game) => pairOf(game.game))).size;
        const query = new URLSearchParams({ count: left, ...next, ...Object.fromEntries(filter()) });
        const part = await ask(`${path}/games?${query}`);
        if (mine !== asked) return;
        games = isRising ? [...games, ...part.games] : [...part.games, ...games];
        span = { from: Math.min(span?.from ?? part.from, part.from), to: Math.max(span?.to ?? part.to, part.to) };
        page = { ...part, ...span, games };
        followsGames = page.to >= page.pairs && !filter().length;
        listGames();
        if (part.done) break;
        const seen = grouped(page.to - page.from + 1);
        say(at("which"), `looked at ${seen} of ${grouped(page.pairs)} ${run?.unit ?? "pair"}s …`);
        next = isRising ? { from: part.to + 1 } : { before: part.from };
      }
      // Shows a game without taking the focus.
      if (!shown && games.length) showGame(games.at(-1).game, { isQuiet: true });
    } catch (error) {
      if (mine === asked) say(at("which"), error.message);
    } finally {
      if (mine === asked) isAsking = false;
    }
  }

  function row(game) {
    const plies = `${grouped(game.plies)} ${game.plies === 1 ? "ply" : "plies"}`;
    const says = `${game.ending}, ${plies}, opening ${grouped(game.opening)}`;
    const about = { type: "button", "data-game": game.game, "aria-pressed": String(game.game === shown) };
    const button = make("button", { ...about, class: game.fault ? "fault" : "", onclick: () => showGame(game.game) });
    button.append(make("span", { class: "number" }, game.game), make("span", {}, `${game.first} – ${game.second}`),
      make("b", {}, game.result), make("small", { class: "faint" }, says));
    return make("li", {}, button);
  }

  function listGames() {
    const unit = `${run?.unit ?? "pair"}s`, isFiltered = filter().length > 0;
    const span = `${grouped(page.from)} to ${grouped(page.to)} of ${grouped(page.pairs)}`;
    const found = `${page.games.length ? `${grouped(page.games.length)} found` : "none"} in ${unit} ${span}`;
    say(at("which"), !page.pairs ? "none has been played yet" : isFiltered ? found : `${unit} ${span}`);
    at("oldest").disabled = at("older").disabled = page.from <= 1;
    at("newer").disabled = at("latest").disabled = page.to >= page.pairs;
    at("anyhow").hidden = !isFiltered;
    offerEndings();
    offerEntrants();
    const focused = document.activeElement?.closest?.("#list button")?.dataset.game;
    at("list").replaceChildren(...[...page.games].reverse().map(row));
    if (focused) at("list").querySelector(`[data-game="${CSS.escape(focused)}"]`)?.focus();
  }

  // Replaces the options, and keeps the selected one.
  function offer(select, options) {
    const key = JSON.stringify(options), { value } = select;
    if (select.dataset.key === key) return;
    select.dataset.key = key;
    select.replaceChildren(...options.map(([value, text]) => make("option", { value }, text)));
    select.value = options.some(([other]) => other === value) ? value : "";
  }

  function offerEndings() {
    const of = (kinds) => (kinds ?? []).map((kind) => [kind, kind]);
    offer(field("ending"), [["", "any"], ["fault", "any fault"], ...of(page.endings)]);
  }

  function offerEntrants() {
    const names = page.entrants ?? run?.entrants ?? [];
    offer(field("entrant"), [["", "any"], ...names.map((name) => [name, name])]);
    const who = field("entrant").value || (names[0] ?? "");
    offer(field("result"), [["", "any"], ["win", `won by ${who}`], ["draw", "drawn"], ["loss", `lost by ${who}`]]);
  }

  const latest = () => search({});
  // The filter is in the address, too.
  function look() {
    const query = new URLSearchParams(filter()).toString();
    history.replaceState(null, "", `${location.pathname}${query && `?${query}`}${location.hash}`);
    offerEntrants();
    latest();
  }
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (!FIELDS.includes(name)) continue;
    if (field(name).localName === "select") offer(field(name), [["", "any"], [value, value]]);
    field(name).value = value;
  }
  at("sought").addEventListener("change", look);
  at("sought").addEventListener("submit", (event) => event.preventDefault());
  at("anyhow").addEventListener("click", () => {
    for (const name of FIELDS) field(name).value = "";
    look();
    field("result").focus();
  });
  at("oldest").addEventListener("click", () => search({ from: 1 }));
  at("older").addEventListener("click", () => search({ before: page.from }));
  at("newer").addEventListener("click", () => search({ from: page.to + 1 }));
  at("latest").addEventListener("click", latest);
  arrowKeys(at("list"), "button");

  // --- a game ---

  // Shows a game on the board, from the end of its opening or from a ply on.
  function put(game, from) {
    shown = game.place;
    game.why = `game ${game.place}`;
    at("viewer").hidden = false;
    isPutting = true;
    stage ??= replayOf([game]);
    stage.put([game], from);
    isPutting = false;
    for (const button of at("list").querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.game === shown));
    }
  }

  // Fetches a game and shows it after `ply` plies. `isQuiet`: it takes neither the focus nor the address, since the
  // user did not choose it. `isBack`: its address is already set.
  async function showGame(which, { isQuiet = false, ply, isBack = false } = {}) {
    try {
      const game = await ask(`${path}/games/${encodeURIComponent(which)}`);
      if (isQuiet && (watch.isOn() || isChosen)) return;
      watch.end();
      put(game, ply);
      analysis.game(game);
      showLinks(game);
      if (isQuiet) return;
      isChosen = true;
      if (!isBack) write("pushState");
      at("replay").focus({ preventScroll: true });
      at("viewer").scrollIntoView({ block: "nearest" });
      say(at("which"), `game ${shown}`);
    } catch (error) {
      say(at("which"), error.message);
    }
  }

  function showLinks(game) {
    at("game-links").hidden = false;
    say(at("copied"), "");
    // The board accepts games of 0.1 that begin with setups.
    const link = at("on-board"), moves = game.plies.map((ply) => ply.m).join(" ");
    link.hidden = game.look !== "discs" || game.start.some((piece) => piece);
    const ply = () => document.body.dataset.ply ?? "0";
    link.onclick = () => { link.href = `/board?${new URLSearchParams({ moves, ply: ply() })}`; };
    link.href = "/board";
    at("pgn").href = `${path}/games/${game.place}.pgn`;
  }

  // Shows the next or the previous game of the list; at the end of the list, fetches the next page.
  async function step(by) {
    if (!shown || watch.isOn()) return;
    const pair = pairOf(shown), here = number(shown);
    const later = () => page.games.find(({ game }) => number(game) > here);
    const pick = () => (by > 0 ? later() : page.games.findLast(({ game }) => number(game) < here));
    const isListed = pair >= page.from && pair <= page.to, isEnd = by > 0 ? page.to >= page.pairs : page.from <= 1;
    const before = page;
    let next = isListed ? pick() : undefined;
    if (!next && !(isListed && isEnd)) {
      await search(by > 0 ? { from: pair } : { before: pair + 1 });
      next = pick();
      // There is nothing further: the list stays.
      if (!next && before.games) { page = before; listGames(); }
    }
    if (next) await showGame(next.game);
    else say(at("which"), by > 0 ? "there is no later game" : "there is no earlier game");
  }

  at("goto").addEventListener("change", (event) => {
    if (event.target.value.trim()) showGame(event.target.value.trim());
  });
  at("previous-game").addEventListener("click", () => step(-1));
  at("next-game").addEventListener("click", () => step(1));
  at("pgn").addEventListener("click", async (event) => {
    event.preventDefault();
    try {
      await download(event.target.href, `${name}-${shown}.pgn`);
    } catch (error) {
      say(at("copied"), error.message);
    }
  });

  // --- the address ---

  const address = () => `#games/${shown}/${document.body.dataset.ply ?? 0}`;

  function write(how) {
    clearTimeout(timer);
    // The address may belong to another part of the page now.
    const isSeen = at("games-played").checkVisibility();
    if (shown && isSeen && location.hash !== address()) history[how](null, "", address());
  }

  // Shows the game in the address.
  function follow() {
    const [, place, ply] = ADDRESS.exec(location.hash) ?? [];
    if (!place) return;
    isChosen = true;
    clearTimeout(timer);
    if (place === shown && ply !== undefined) stage.go(Number(ply));
    else if (place !== shown) showGame(place, { ply: ply === undefined ? undefined : Number(ply), isBack: true });
  }

  document.addEventListener("ply", () => {
    if (isPutting || watch.isOn()) return;
    isChosen = true;
    clearTimeout(timer);
    timer = setTimeout(() => write("replaceState"), PAUSE);
  });
  addEventListener("popstate", follow);

  async function copy() {
    write("replaceState");
    const text = new URL(address(), location.href).href;
    try {
      await navigator.clipboard.writeText(text);
      say(at("copied"), "copied");
    } catch {
      // Without encryption the clipboard is unavailable: shows the address for copying by hand.
      say(at("copied"), text);
    }
  }
  at("copy").addEventListener("click", copy);

  // --- keys ---

  const jumps = {
    ArrowLeft: () => stage?.step(-1), ArrowRight: () => stage?.step(1),
    n: () => step(1), p: () => step(-1), g: () => at("goto").focus(),
  };
  document.addEventListener("keydown", (event) => {
    const jump = isForPage(event) && jumps[event.key], { target } = event;
    // Elsewhere on the page, arrow keys belong to plots, sliders and tabs.
    const isHere = target === document.body || target.closest?.("#games-played");
    if (!jump || !isHere || target.type === "range" || !at("games-played").checkVisibility()) return;
    jump();
    event.preventDefault();
  });
  at("keys").append(keysHelp(KEYS));

  // --- what else the board shows ---

  const analysis = analysisOf(path, () => stage);
  const isAtEnd = () => Number(document.body.dataset.ply) >= Number(at("slider").max);
  // Follows a game in progress for as long as its last ply is shown.
  const watch = watchOf(path, (game, isNew) => {
    const follows = !isNew && isAtEnd();
    at("game-links").hidden = true;
    analysis.game(null);
    put(game, isNew || follows ? game.plies.length : Number(document.body.dataset.ply));
  }, isAtEnd, (texts, thinks) => { if (isAtEnd()) stage.clocks(texts, thinks); });

  return {
    // Sets the present standing of the run.
    run(next) {
      run = next;
      offerEntrants();
      if (followsGames && !isAsking && (page.pairs !== run.units || !page.games)) latest();
      watch.run(run);
    },
    // The user opens the games for the first time.
    async begin(next) {
      await analysis.run(next);
      follow();
    },
    // The user leaves the games.
    leave: () => watch.end(),
    // The folder holds another run: the fetched games are not its own.
    forget() {
      shown = null;
      page = { from: 1, to: 0, pairs: 0, games: null };
      followsGames = true;
    },
  };
}
