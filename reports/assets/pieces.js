// The pieces of 0.1 and of chess, drawn for these pages. `pieceOf(look, letter)` makes an SVG group around the point 0
// 0 that fills a square of 64 by 64; upper case stands for the first mover's pieces. Every board draws its pieces with
// it.
"use strict";
const pieceOf = (() => {
  // Shapes of chess pieces in a box of 45 by 45.
  const SHAPES = {
    p: "M22.5 9a6 6 0 0 0-4 10.5c-2 1.3-3.5 3.3-3.5 5.5h3.5c0 4-2 7-6 11v3h20v-3c-4-4-6-7-6-11h3.5c0-2.2-1.5-4.2-3.5" +
      "-5.5a6 6 0 0 0-4-10.5z",
    r: "M11 39v-4h3l2-17-4-3V8h5v3h3.5V8h4v3H28V8h5v7l-4 3 2 17h3v4z",
    n: "M12 39c0-10 7-12 8-18-3 2-5 5-8 6-2 .5-4-2-3-4l7-11c1-1.5 2-2.5 4-3l1-4 3 3.5c7 2 11 9 11 17.5 0 6-1 9-1 13z",
    b: "M22.5 5a3 3 0 0 0-2 5.2c-4 3-7.5 7.3-7.5 12.3 0 3 1.5 5.5 4 7.5l-1 3.5h13l-1-3.5c2.5-2 4-4.5 4-7.5 0-5-3.5" +
      "-9.3-7.5-12.3a3 3 0 0 0-2-5.2zM11 39v-3.5h23V39z",
    q: "M9 12l4.5 18-1 9h20l-1-9L36 12l-6.5 10-1.5-13-5.5 12L17 9l-1.5 13z",
    k: "M21 4h3v3h3v3h-3v3.5c6-3 12 0 12 6 0 5-3.5 7.5-4.5 11l1 8.5h-20l1-8.5c-1-3.5-4.5-6-4.5-11 0-6 6-9 12-6V10h-3" +
      "V7h3z",
  };
  // Marks around the letter of a piece of 0.1 point where it can go. Those of leaps end in dots.
  const straight = [[1, 0], [-1, 0], [0, 1], [0, -1]], diagonal = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
  const leaps = [[1, 2], [-1, 2], [1, -2], [-1, -2], [2, 1], [-2, 1], [2, -1], [-2, -1]];
  const MARKS = { A: [diagonal, 11, 16, 4], D: [straight, 14, 21, 4], F: [diagonal, 11, 16], N: [leaps, 7, 10.5],
    W: [straight, 18, 24] };
  const svg = (name, attributes, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.textContent = text;
    return node;
  };
  const chess = (letter, isFirst) => [svg("path", { d: SHAPES[letter.toLowerCase()] ?? SHAPES.p,
    fill: isFirst ? "#fff" : "#222", stroke: isFirst ? "#222" : "#ddd", "stroke-width": 1.3, "stroke-linejoin": "round",
    transform: "translate(-28.8 -29) scale(1.28)" })];
  const disc = (letter, isFirst) => {
    const [ways, from, to, dot] = MARKS[letter.toUpperCase()] ?? [[], 0, 0];
    const ground = isFirst ? svg("circle", { r: 28, fill: "#a8201a", stroke: "#5e0d09" })
      : svg("rect", { x: -26, y: -26, width: 52, height: 52, rx: 8, fill: "#1f4e9c", stroke: "#0d2858" });
    ground.setAttribute("stroke-width", 2);
    const lines = ways.map(([x, y]) => `M${x * from} ${y * from}L${x * to} ${y * to}`).join("");
    const nodes = [ground, svg("path", { d: lines, stroke: "#fff", "stroke-width": 3.5, "stroke-linecap": "round" })];
    if (dot) nodes.push(...ways.map(([x, y]) => svg("circle", { cx: x * to, cy: y * to, r: dot, fill: "#fff" })));
    const ring = { r: 14, fill: "none", stroke: "#fff", "stroke-width": 2.5 };
    if (letter.toUpperCase() === "W") nodes.push(svg("circle", ring));
    nodes.push(svg("text", { fill: "#fff", "font-size": 20, "font-weight": 700, "text-anchor": "middle",
      "dominant-baseline": "central" }, letter.toUpperCase()));
    return nodes;
  };
  return (look, letter) => {
    const group = svg("g", {}), isFirst = letter === letter.toUpperCase();
    group.append(...(look === "chess" ? chess : disc)(letter, isFirst));
    return group;
  };
})();
