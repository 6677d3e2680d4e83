// Steps through games. The script knows no rules: every ply lists the squares that it changes. The page provides the
// elements to fill; `replayOf(games)` shows games there. It returns an object with
// - `put(games, from)`: shows other games in their place, the first one from the given ply, otherwise from the end of
//   its opening; a game that is already shown may have become longer;
// - `step(by)` and `go(ply)`: show another ply;
// - `point(variation)` draws the first plies of a variation as arrows, `follow(variation, count)` shows the board after
//   `count` of them, and `judge(expected, score)` shows an evaluation of the position;
// - `clocks(texts, thinking)`: sets the texts of the clocks, by side, and the side that is thinking.
// The page receives the event "ply" whenever another ply of the game is shown.
"use strict";
const replayOf = (first) => {
  const NS = "http://www.w3.org/2000/svg";
  const CELL = 60, EDGE = 24, GAUGE = 20;
  // The colours of the sides in the evaluation bar.
  const COLOURS = { chess: ["#f4f4f4", "#333"], discs: ["#a8201a", "#1f4e9c"] };
  // The number of plies of a variation that are drawn as arrows.
  const ARROWS = 3;
  const at = (id) => document.getElementById(id);
  const element = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const html = (name, text, attributes = {}) => {
    const node = Object.assign(document.createElement(name), { textContent: text });
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const sides = ["first", "second"];
  const sideOf = (step) => Number(step.n.endsWith("..."));
  let games = [], chosen = 0, game = null, ply = 0, buttons = [], drawn = [0, [], []];

  // The pieces after this many plies, the hands, and the squares that the last ply changed.
  function stateAt(count, variation = []) {
    const squares = game.start.slice();
    let hands = game.hands, changed = [];
    for (const step of [...game.plies.slice(0, count), ...variation]) {
      changed = step.c.map(([square, piece]) => { squares[square] = piece; return square; });
      hands = step.h || hands;
    }
    // A setup changes so much that nothing stands out.
    return { squares, hands, changed: changed.length > 4 ? [] : changed };
  }

  // The origin and the target of a ply: those of the piece that changes its square, or of the king if there are two. A
  // drop has no origin.
  function ends(squares, step) {
    const arrived = step.c.filter(([, piece]) => piece);
    const left = step.c.filter(([, piece]) => !piece).map(([square]) => square);
    const [to, piece] = arrived.find(([, piece]) => piece.toLowerCase() === "k") ?? arrived[0] ?? [];
    const from = left.find((square) => squares[square] === piece) ?? (left.length === 1 ? left[0] : undefined);
    return { from, to };
  }

  // The left edge of the squares.
  const edge = () => EDGE + (hasScores() ? GAUGE : 0);
  const hasScores = () => judged || game.plies.some((step) => step.e !== undefined);

  // An arrow for `step`, played on `squares`.
  function arrow(squares, step, name) {
    if (step.c.length > 4) return [];
    const { from, to } = ends(squares, step), columns = game.labels[1].length;
    const middle = (index) => [edge() + CELL * ((index % columns) + 0.5), CELL * (Math.floor(index / columns) + 0.5)];
    if (to === undefined) return [];
    const [x, y] = middle(to), kind = `arrow ${name}`;
    if (from === undefined) return [element("circle", { class: kind, cx: x, cy: y, r: CELL * 0.44 })];
    const [a, b] = middle(from), long = Math.hypot(x - a, y - b), neck = 16;
    const [dx, dy] = [(x - a) / long, (y - b) / long];
    const [u, v] = [x - dx * neck, y - dy * neck];
    const head = [[x, y], [u - dy * 9, v + dx * 9], [u + dy * 9, v - dx * 9]];
    const points = head.map((point) => point.map((n) => n.toFixed(1)).join(",")).join(" ");
    return [element("line", { class: kind, x1: a, y1: b, x2: u, y2: v }), element("polygon", { class: kind, points })];
  }

  // The first mover's share of the points as a bar from below, according to the last shown ply that has a score.
  function gauge(height) {
    const { expected, text } = opinion();
    if (!hasScores()) return [];
    const share = expected ?? 0.5, [own, other] = COLOURS[game.look], middle = height / 2;
    const bar = { class: "gauge", x: 1, width: GAUGE - 6 };
    return [element("rect", { ...bar, y: 0, height, fill: other }),
      element("rect", { ...bar, y: height * (1 - share), height: height * share, fill: own }),
      element("line", { class: "even", x1: 1, x2: GAUGE - 5, y1: middle, y2: middle }),
      element("title", {}, `${game.players[0]}: ${text || "no score yet"}`)];
  }

  function drawBoard(state, arrows) {
    const [rows, columns] = game.labels, left = edge();
    const height = CELL * rows.length, width = left + CELL * columns.length;
    const { text } = opinion(), says = `Board after ply ${ply}${text ? `; ${text} for ${game.players[0]}` : ""}`;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height + EDGE}`, role: "img", "aria-label": says });
    svg.append(...gauge(height));
    const name = (text, x, y) => svg.append(element("text", { x, y, class: "label" }, text));
    rows.forEach((label, row) => {
      name(label, left - EDGE / 2, CELL * (row + 0.5));
      columns.forEach((_, column) => {
        const index = row * columns.length + column, x = left + CELL * column, y = CELL * row;
        const colour = state.changed.includes(index) ? "--moved" : (row + column) % 2 ? "--dark" : "--light";
        const square = element("rect", { x, y, width: CELL, height: CELL });
        square.style.fill = `var(${colour})`;
        svg.append(square);
        if (!state.squares[index]) return;
        const piece = pieceOf(game.look, state.squares[index]);
        piece.setAttribute("transform", `translate(${x + CELL / 2} ${y + CELL / 2}) scale(${CELL / 64})`);
        svg.append(piece);
      });
    });
    columns.forEach((label, column) => name(label, left + CELL * (column + 0.5), height + EDGE / 2));
    svg.append(...arrows);
    at("board").replaceChildren(svg);
  }

  // Draws each kind of piece in hand, with the number of its pieces.
  function drawHand(side, hand) {
    const counts = new Map();
    for (const letter of hand) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    const place = at(`hand-${sides[side]}`);
    const says = [...counts].map(([letter, count]) => `${count} ${letter}`).join(", ");
    place.setAttribute("aria-label", `in hand: ${says || "nothing"}`);
    place.replaceChildren(...[...counts].flatMap(([letter, count]) => {
      const svg = element("svg", { viewBox: "-32 -32 64 64" });
      svg.append(pieceOf(game.look, letter));
      return count > 1 ? [svg, html("span", `×${count}`)] : [svg];
    }));
  }

  // Shows a position with the ply that led to it, and with arrows for a variation from it.
  function showState(count, variation, following) {
    drawn = [count, variation, following];
    const path = [...game.plies.slice(0, count), ...variation], state = stateAt(count, variation), last = path.at(-1);
    const before = () => stateAt(Math.min(count, path.length - 1), variation.slice(0, -1)).squares;
    const arrows = last ? arrow(before(), last, "last") : [];
    following.slice(0, ARROWS).forEach((step, index) => {
      const { squares } = stateAt(count, [...variation, ...following.slice(0, index)]);
      arrows.push(...arrow(squares, step, `hint hint${index}`));
    });
    drawBoard(state, arrows);
    sides.forEach((_, side) => drawHand(side, state.hands[side]));
  }

  // --- scores and clocks ---

  // An evaluation of the shown position, in addition to the players' reports.
  let judged = null;
  // Converts the second mover's score to the first mover's view.
  const turned = (text) => text.replace(/^[+−-]/, (sign) => (sign === "+" ? "−" : "+"))
    .replace(/in (-?)(?=\d)/, (_, minus) => `in ${minus ? "" : "-"}`);
  const seen = (text, side) => (side ? turned(text) : text).replace("-", "−");

  function opinion() {
    if (judged) return judged;
    const index = game.plies.slice(0, ply).findLastIndex((step) => step.e !== undefined);
    if (index < 0) return { text: "" };
    const step = game.plies[index];
    return { expected: step.e, text: seen(step.s.split(" · ")[0], sideOf(step)) };
  }

  // The side to move.
  function turn() {
    const next = game.plies[ply], last = game.plies[ply - 1];
    return next ? sideOf(next) : last ? 1 - sideOf(last) : 0;
  }

  function face(ms) {
    const seconds = ms / 1000, two = (n) => String(Math.floor(n)).padStart(2, "0");
    if (seconds < 20) return seconds.toFixed(1);
    const hours = Math.floor(seconds / 3600), minutes = (seconds / 60) % 60;
    return `${hours ? `${hours}:${two(minutes)}` : Math.floor(minutes)}:${two(seconds % 60)}`;
  }

  function showClocks(texts, thinking) {
    sides.forEach((name, side) => {
      const clock = at(`clock-${name}`);
      if (clock.textContent !== texts[side]) clock.textContent = texts[side];
      clock.hidden = !texts[side];
      at(`seat-${name}`).classList.toggle("turn", thinking === side);
    });
  }

  // Each clock after its side's last ply.
  function clockAt(side) {
    const own = game.plies.slice(0, ply).findLast((step) => sideOf(step) === side && step.l !== undefined);
    const ms = own ? own.l : game.clocks?.[side];
    return ms === undefined || ms === null ? "" : face(ms);
  }

  // The players' expectations, ply by ply: the first mover's score, with a mark at the shown ply. A click shows the
  // clicked ply.
  const WIDE = 480, HIGH = 72;
  const across = (count) => (WIDE * count) / Math.max(1, game.plies.length);

  function drawGraph() {
    const scored = game.plies.map((step, index) => [across(index + 1), step.e]).filter(([, e]) => e !== undefined);
    const points = scored.map(([x, e]) => [x, HIGH * (1 - e)]);
    at("graph").hidden = points.length < 2;
    if (points.length < 2) return;
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L"), middle = HIGH / 2;
    const svg = element("svg", { viewBox: `-4 -2 ${WIDE + 8} ${HIGH + 4}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `What the players expected: the score of ${game.players[0]} from 0 below to 1 above, ply by ply` });
    const area = `M${points[0][0].toFixed(1)} ${middle}L${path}L${points.at(-1)[0].toFixed(1)} ${middle}z`;
    svg.append(element("rect", { class: "ground", x: 0, y: 0, width: WIDE, height: HIGH }),
      element("path", { class: "area", d: area }),
      element("line", { class: "zero", x1: 0, x2: WIDE, y1: middle, y2: middle }),
      element("path", { class: "course", d: `M${path}` }), element("line", { class: "here", y1: 0, y2: HIGH }));
    at("graph").replaceChildren(svg);
  }

  // --- stepping ---

  function show(count) {
    ply = Math.max(0, Math.min(count, game.plies.length));
    judged = null;
    const step = ply > 0 ? game.plies[ply - 1] : null;
    showState(ply, [], []);
    showClocks([clockAt(0), clockAt(1)], ply < game.plies.length || game.result === "*" ? turn() : null);
    at("score").textContent = opinion().text;
    at("info").textContent = step ? [`${step.n} ${step.m}`, step.s].filter(Boolean).join(" · ") : "the start";
    at("slider").value = ply;
    at("graph").querySelector(".here")?.setAttribute("transform", `translate(${across(ply)})`);
    const hadFocus = at("moves").contains(document.activeElement);
    buttons.forEach((button, index) => {
      const isHere = index + 1 === ply;
      if (isHere) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      button.tabIndex = isHere || (ply === 0 && index === 0) ? 0 : -1;
    });
    const here = buttons[ply - 1], box = at("moves");
    if (hadFocus) here?.focus({ preventScroll: true });
    if (!here) box.scrollTop = 0;
    else {
      const top = here.getBoundingClientRect().top - box.getBoundingClientRect().top;
      if (top < 0 || top > box.clientHeight - 30) box.scrollTop += top - box.clientHeight / 2;
    }
    document.body.dataset.ply = ply;
    document.dispatchEvent(new CustomEvent("ply", { detail: { place: game.place, ply } }));
  }

  // The moves from a ply on: a row for each number, the first mover's on the left and the second mover's on the right.
  function listMoves(from) {
    if (!from) { at("moves").replaceChildren(); buttons = []; }
    game.plies.slice(from).forEach((step, more) => {
      const index = from + more, isSecond = sideOf(step);
      let row = at("moves").lastElementChild;
      if (!isSecond || !row) {
        row = html("li", "");
        row.append(html("span", `${parseInt(step.n, 10)}.`));
        if (isSecond) row.append(html("span", "…"));
        at("moves").append(row);
      }
      const button = html("button", step.m, { type: "button" });
      if (index < game.opening) button.className = "opening";
      button.addEventListener("click", () => show(index + 1));
      buttons.push(button);
      row.append(button);
    });
  }

  function choose(index, from) {
    const before = game;
    chosen = index;
    game = games[index];
    const isSame = before && before.place === game.place && before.players[0] === game.players[0];
    const kept = isSame && before.plies.length <= game.plies.length ? before.plies.length : 0;
    at("choice").querySelectorAll("button").forEach((button, other) => {
      button.setAttribute("aria-pressed", other === index);
    });
    at("players").textContent = `${game.players[0]} – ${game.players[1]}  ${game.result}  (${game.ending})`;
    at("slider").max = game.plies.length;
    // Chess has no pieces in hand, but some of its variants have them.
    const hasHands = game.look !== "chess" || Boolean(game.hands.join("")) || game.plies.some((step) => step.h);
    sides.forEach((name, side) => {
      at(`hand-${name}`).hidden = !hasHands;
      at(`name-${name}`).textContent = game.players[side];
    });
    listMoves(kept);
    drawGraph();
    show(from ?? game.opening);
  }

  function list(entries, opened, from) {
    games = entries;
    at("choice").replaceChildren(...games.map((entry, index) => {
      const item = html("li", ""), button = html("button", entry.why, { type: "button" });
      button.append(html("small", `${entry.players[0]} – ${entry.players[1]}  ${entry.result}  (${entry.place})`));
      button.addEventListener("click", () => choose(index));
      item.append(button);
      return item;
    }));
    choose(opened, from);
  }

  const moves = {
    begin: () => show(0), back: () => show(ply - 1), next: () => show(ply + 1), end: () => show(game.plies.length),
  };
  for (const [id, move] of Object.entries(moves)) at(id).addEventListener("click", move);
  at("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  const other = (by) => { if (games[chosen + by]) choose(chosen + by); };
  const keys = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.begin, End: moves.end };
  at("replay").addEventListener("keydown", (event) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey, isSlider = event.target.id === "slider";
    const key = isPlain && game ? (isSlider ? undefined : keys[event.key]) : undefined;
    if (key) key();
    else if (isPlain && games.length > 1 && (event.key === "n" || event.key === "p")) other(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  });
  at("graph").addEventListener("click", (event) => {
    const box = at("graph").getBoundingClientRect();
    show(Math.round(((event.clientX - box.left) / box.width) * game.plies.length));
  });
  list(first, 0);
  return {
    put: (entries, from) => list(entries, 0, from),
    step: (by) => show(ply + by),
    go: show,
    point: (variation) => showState(ply, [], variation),
    follow(variation, count) {
      if (!variation.length) {
        judged = null;
        at("score").textContent = opinion().text;
      }
      showState(ply, variation.slice(0, count), variation.slice(count));
    },
    judge(expected, score) {
      judged = { expected, text: seen(score, turn()) };
      at("score").textContent = judged.text;
      showState(...drawn);
    },
    clocks: showClocks,
  };
};
