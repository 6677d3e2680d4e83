// Steps through games. It knows no rules: every ply says which squares it changes. The page has the elements that it fills;
// `replayOf(games)` shows games there. What it returns has `put`, which shows others in their place: the first one from the ply that is
// given, or else from the end of its opening; a game that is shown already may have got longer. And it has `point`, which draws the
// first of a variation's plies as an arrow, and `follow`, which shows the board after so many of them. Whenever another ply of the game
// is shown, the page hears "ply".
"use strict";
const replayOf = (first) => {
  const NS = "http://www.w3.org/2000/svg";
  const CELL = 60, EDGE = 24;
  // Shapes of chess pieces in a box of 45 by 45, drawn for this page.
  const SHAPES = {
    p: "M22.5 9a6 6 0 0 0-4 10.5c-2 1.3-3.5 3.3-3.5 5.5h3.5c0 4-2 7-6 11v3h20v-3c-4-4-6-7-6-11h3.5c0-2.2-1.5-4.2-3.5-5.5a6 6 0 0 0-4-10.5z",
    r: "M11 39v-4h3l2-17-4-3V8h5v3h3.5V8h4v3H28V8h5v7l-4 3 2 17h3v4z",
    n: "M12 39c0-10 7-12 8-18-3 2-5 5-8 6-2 .5-4-2-3-4l7-11c1-1.5 2-2.5 4-3l1-4 3 3.5c7 2 11 9 11 17.5 0 6-1 9-1 13z",
    b: "M22.5 5a3 3 0 0 0-2 5.2c-4 3-7.5 7.3-7.5 12.3 0 3 1.5 5.5 4 7.5l-1 3.5h13l-1-3.5c2.5-2 4-4.5 4-7.5 0-5-3.5-9.3-7.5-12.3a3 3 0 0 0-2-5.2zM11 39v-3.5h23V39z",
    q: "M9 12l4.5 18-1 9h20l-1-9L36 12l-6.5 10-1.5-13-5.5 12L17 9l-1.5 13z",
    k: "M21 4h3v3h3v3h-3v3.5c6-3 12 0 12 6 0 5-3.5 7.5-4.5 11l1 8.5h-20l1-8.5c-1-3.5-4.5-6-4.5-11 0-6 6-9 12-6V10h-3V7h3z",
  };
  const at = (id) => document.getElementById(id);
  const element = (name, attributes, text) => {
    const node = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const isFirst = (letter) => letter === letter.toUpperCase();
  const nameOf = (letter) => letter.toUpperCase();
  let games = [], game = null, ply = 0;

  // The pieces after so many plies, the hands, and the squares that the last ply changed.
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

  function piece(letter, x, y) {
    const first = isFirst(letter), group = element("g", {});
    if (game.look === "chess") {
      const style = { d: SHAPES[letter.toLowerCase()] || SHAPES.p, fill: first ? "#fff" : "#222", stroke: first ? "#222" : "#ddd",
        "stroke-width": 1.3, "stroke-linejoin": "round", transform: `translate(${x + 3} ${y + 3}) scale(1.2)` };
      group.append(element("path", style));
    } else {
      const middle = { cx: x + CELL / 2, cy: y + CELL / 2, r: CELL * 0.4, fill: first ? "#b3261e" : "#1f4e9e", stroke: "#fff", "stroke-width": 2 };
      group.append(element("circle", middle));
      group.append(element("text", { x: x + CELL / 2, y: y + CELL / 2, fill: "#fff", "font-size": 28, "font-weight": 600,
        "text-anchor": "middle", "dominant-baseline": "central" }, nameOf(letter)));
    }
    return group;
  }

  // Where a ply begins and ends: with the piece that stands on another square after it, the king if there are two; a drop begins nowhere.
  function ends(squares, step) {
    const arrived = step.c.filter(([, piece]) => piece), left = step.c.filter(([, piece]) => !piece).map(([square]) => square);
    const [to, piece] = arrived.find(([, piece]) => piece.toLowerCase() === "k") ?? arrived[0] ?? [];
    const from = left.find((square) => squares[square] === piece) ?? (left.length === 1 ? left[0] : undefined);
    return { from, to };
  }

  function arrow(state, step) {
    const { from, to } = ends(state.squares, step), columns = game.labels[1].length;
    const middle = (index) => [EDGE + CELL * ((index % columns) + 0.5), CELL * (Math.floor(index / columns) + 0.5)];
    if (to === undefined) return [];
    const [x, y] = middle(to);
    if (from === undefined) return [element("circle", { class: "hint", cx: x, cy: y, r: CELL * 0.44 })];
    const [a, b] = middle(from), long = Math.hypot(x - a, y - b), [dx, dy] = [(x - a) / long, (y - b) / long], neck = 16;
    const [u, v] = [x - dx * neck, y - dy * neck], head = [[x, y], [u - dy * 9, v + dx * 9], [u + dy * 9, v - dx * 9]];
    return [element("line", { class: "hint", x1: a, y1: b, x2: u, y2: v }), element("polygon", { class: "hint", points: head.map((point) => point.map((n) => n.toFixed(1)).join(",")).join(" ") })];
  }

  function drawBoard(state, hint) {
    const [rows, columns] = game.labels;
    const width = EDGE + CELL * columns.length, height = CELL * rows.length + EDGE;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Board after ply ${ply}` });
    rows.forEach((label, row) => {
      svg.append(element("text", { x: EDGE / 2, y: CELL * (row + 0.5), "text-anchor": "middle", "dominant-baseline": "central",
        "font-size": 15, fill: "currentColor" }, label));
      columns.forEach((_, column) => {
        const index = row * columns.length + column, x = EDGE + CELL * column, y = CELL * row;
        const colour = state.changed.includes(index) ? "--moved" : (row + column) % 2 ? "--dark" : "--light";
        const square = element("rect", { x, y, width: CELL, height: CELL });
        square.style.fill = `var(${colour})`;
        svg.append(square);
        if (state.squares[index]) svg.append(piece(state.squares[index], x, y));
      });
    });
    columns.forEach((label, column) => svg.append(element("text", { x: EDGE + CELL * (column + 0.5), y: height - EDGE / 2,
      "text-anchor": "middle", "dominant-baseline": "central", "font-size": 15, fill: "currentColor" }, label)));
    if (hint) svg.append(...arrow(state, hint));
    at("board").replaceChildren(svg);
  }

  function showState(state, hint) {
    drawBoard(state, hint);
    at("hand-second").textContent = [...state.hands[1]].map(nameOf).join(" ");
    at("hand-first").textContent = [...state.hands[0]].map(nameOf).join(" ");
  }

  // What the players expected, ply by ply: the first mover's score, with a mark where the board stands. A click shows that ply.
  const WIDE = 480, HIGH = 72;
  const across = (count) => (WIDE * count) / Math.max(1, game.plies.length);

  function drawGraph() {
    const points = game.plies.map((step, index) => [across(index + 1), step.e]).filter(([, e]) => e !== undefined).map(([x, e]) => [x, HIGH * (1 - e)]);
    at("graph").hidden = points.length < 2;
    if (points.length < 2) return;
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L"), middle = HIGH / 2;
    const svg = element("svg", { viewBox: `-4 -2 ${WIDE + 8} ${HIGH + 4}`, preserveAspectRatio: "none", role: "img",
      "aria-label": `What the players expected: the score of ${game.players[0]} from 0 below to 1 above, ply by ply` });
    svg.append(element("rect", { class: "ground", x: 0, y: 0, width: WIDE, height: HIGH }),
      element("path", { class: "area", d: `M${points[0][0].toFixed(1)} ${middle}L${path}L${points.at(-1)[0].toFixed(1)} ${middle}z` }),
      element("line", { class: "zero", x1: 0, x2: WIDE, y1: middle, y2: middle }),
      element("path", { class: "course", d: `M${path}` }), element("line", { class: "here", y1: 0, y2: HIGH }));
    at("graph").replaceChildren(svg);
  }

  function show(count) {
    ply = Math.max(0, Math.min(count, game.plies.length));
    const step = ply > 0 ? game.plies[ply - 1] : null;
    showState(stateAt(ply));
    at("info").textContent = step ? [`${step.n} ${step.m}`, step.s].filter(Boolean).join(" · ") : "the start";
    at("slider").value = ply;
    at("graph").querySelector(".here")?.setAttribute("transform", `translate(${across(ply)})`);
    at("moves").querySelectorAll("button").forEach((button, index) => {
      button.setAttribute("aria-current", index + 1 === ply);
      if (index + 1 === ply) {
        const box = at("moves"), top = button.offsetTop - box.offsetTop;
        if (top < box.scrollTop || top > box.scrollTop + box.clientHeight - 30) box.scrollTop = top - box.clientHeight / 2;
      }
    });
    document.body.dataset.ply = ply;
    document.dispatchEvent(new CustomEvent("ply", { detail: { place: game.place, ply } }));
  }

  function choose(index, from) {
    const before = game;
    game = games[index];
    const kept = before && before.place === game.place && before.players[0] === game.players[0] && before.plies.length <= game.plies.length ? before.plies.length : 0;
    at("choice").querySelectorAll("button").forEach((button, other) => button.setAttribute("aria-pressed", other === index));
    at("players").textContent = `${game.players[0]} – ${game.players[1]}  ${game.result}  (${game.ending})`;
    at("slider").max = game.plies.length;
    // Chess has no pieces in hand, but some of its variants have.
    const hasHands = game.look !== "chess" || Boolean(game.hands[0] || game.hands[1]) || game.plies.some((step) => step.h);
    at("hand-first").hidden = at("hand-second").hidden = !hasHands;
    if (!kept) at("moves").replaceChildren();
    at("moves").append(...game.plies.slice(kept).map((step, more) => {
      const button = document.createElement("button"), number = kept + more;
      button.type = "button";
      button.textContent = `${step.n} ${step.m}`;
      if (number < game.opening) button.className = "opening";
      button.addEventListener("click", () => show(number + 1));
      return button;
    }));
    drawGraph();
    show(from ?? game.opening);
  }

  function list(entries, opened, from) {
    games = entries;
    at("choice").replaceChildren(...games.map((entry, index) => {
      const item = document.createElement("li"), button = document.createElement("button"), small = document.createElement("small");
      button.type = "button";
      button.textContent = entry.why;
      small.textContent = `${entry.players[0]} – ${entry.players[1]}  ${entry.result}  (${entry.place})`;
      button.append(small);
      button.addEventListener("click", () => choose(index));
      item.append(button);
      return item;
    }));
    choose(opened, from);
  }

  const moves = { begin: () => show(0), back: () => show(ply - 1), next: () => show(ply + 1), end: () => show(game.plies.length) };
  for (const [id, move] of Object.entries(moves)) at(id).addEventListener("click", move);
  at("slider").addEventListener("input", (event) => show(Number(event.target.value)));
  at("replay").addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: moves.back, ArrowRight: moves.next, Home: moves.begin, End: moves.end };
    if (event.target.id === "slider" || !keys[event.key] || !game) return;
    keys[event.key]();
    event.preventDefault();
  });
  at("graph").addEventListener("click", (event) => {
    const box = at("graph").getBoundingClientRect();
    show(Math.round(((event.clientX - box.left) / box.width) * game.plies.length));
  });
  list(first, 0);
  return {
    put: (entries, from) => list(entries, 0, from),
    point: (variation) => showState(stateAt(ply), variation[0]),
    follow: (variation, count) => showState(stateAt(ply, variation.slice(0, count))),
  };
};
