// Live plots: lines with bands over a common axis, drawn as SVG. The pointer or the arrow keys read off values.
import { draw, grouped, make } from "./live.js";

const LEFT = 52, RIGHT = 14, TOP = 10, BOTTOM = 30, HEIGHT = 260;

// Returns some four to eight round steps, none below `least`.
function ticks(low, high, most, least = 0) {
  const rough = Math.max((high - low) / most, least), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power;
  const all = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + step * 1e-9; tick += step) all.push(tick);
  return { all, decimals: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

const short = (n) => (Math.abs(n) < 1e-9 ? "0" : n >= 1e6 ? `${+(n / 1e6).toFixed(2)}M` : n >= 1e4 ? `${+(n / 1e3).toFixed(1)}k` : grouped(n));

// Returns the range of the values, without the first points of a course: they vary so much that the rest would look
// flat.
function range(spec, last) {
  let [low, high] = [Infinity, -Infinity];
  const take = (value) => { if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); } };
  for (const { points } of spec.series) {
    for (const [x, y, bottom, top] of points) {
      if (x < last * 0.06 && points.length > 20) continue;
      take(y);
      if (bottom !== null && bottom !== undefined) take(bottom);
      if (top !== null && top !== undefined) take(top);
    }
  }
  for (const { y, keep } of spec.lines ?? []) if (keep) take(y);
  if (low > high) return [-1, 1];
  const space = (high - low || Math.abs(high) || 1) * 0.06;
  return [low - space, high + space];
}

// Returns a plot as a node. `show(spec)` redraws it: `series` of `{ name, points: [[x, y, low, high], ...] }`, `lines`
// of `{ y, name, kind, keep }`, `unit` of x, `decimals` of y.
export function plot(title, says) {
  const svg = draw("svg", { class: "live-plot", tabindex: 0, role: "img", "aria-label": title });
  const readout = make("p", { class: "readout", "aria-live": "off" }), legend = make("p", { class: "legend" });
  const node = make("figure", { class: "live" }, make("h2", {}, title), says ? make("p", { class: "faint" }, says) : null, svg, readout, legend);
  let spec = { series: [], lines: [] }, cursor = null, scale = null;

  function paint() {
    const width = Math.max(280, Math.round(svg.clientWidth || node.clientWidth || 600));
    const last = Math.max(1, ...spec.series.map(({ points }) => points.at(-1)?.[0] ?? 0));
    const [low, high] = range(spec, last);
    const x = (value) => LEFT + (value / last) * (width - LEFT - RIGHT);
    const y = (value) => TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
    scale = { x, y, last, width };
    svg.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    svg.setAttribute("height", HEIGHT);
    const inside = (value) => value >= low && value <= high;
    const vertical = ticks(low, high, 6), horizontal = ticks(0, last, Math.max(3, width / 130), 1);
    const nodes = [];
    for (const tick of vertical.all) {
      nodes.push(draw("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) }));
      nodes.push(draw("text", { class: "tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end" }, (Math.abs(tick) < 1e-12 ? 0 : tick).toFixed(vertical.decimals).replace("-", "−")));
    }
    for (const tick of horizontal.all) {
      nodes.push(draw("text", { class: "tick", x: Math.min(x(tick), width - RIGHT - 8), y: HEIGHT - 12, "text-anchor": "middle" }, short(tick)));
    }
    const clip = `clip-${title.replace(/\W/g, "")}`;
    nodes.push(draw("defs", {}, draw("clipPath", { id: clip }, draw("rect", { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM }))));
    const curves = draw("g", { "clip-path": `url(#${clip})` });
    for (const line of spec.lines ?? []) {
      if (!inside(line.y)) continue;
      curves.append(draw("line", { class: `bound ${line.kind ?? ""}`, x1: LEFT, x2: width - RIGHT, y1: y(line.y), y2: y(line.y) }));
      if (line.name) nodes.push(draw("text", { class: "bound-name", x: width - RIGHT - 4, y: y(line.y) + (line.kind === "lower" ? -5 : 14), "text-anchor": "end" }, line.name));
    }
    spec.series.forEach(({ points }, index) => {
      const finite = points.filter(([, value]) => Number.isFinite(value));
      const banded = finite.filter(([, , bottom, top]) => Number.isFinite(bottom) && Number.isFinite(top));
      const far = (value) => Math.max(-2000, Math.min(3000, y(value))).toFixed(1);
      if (banded.length > 1) {
        const top = banded.map(([at, , , value]) => `${x(at).toFixed(1)} ${far(value)}`), bottom = banded.map(([at, , value]) => `${x(at).toFixed(1)} ${far(value)}`).reverse();
        curves.append(draw("path", { class: `band s${index}`, d: `M${top.join("L")}L${bottom.join("L")}Z` }));
      }
      const path = finite.map(([at, value]) => `${x(at).toFixed(1)} ${far(value)}`);
      if (path.length) curves.append(draw("path", { class: `curve s${index}`, d: `M${path.join("L")}` }));
      const end = finite.at(-1);
      if (end) curves.append(draw("circle", { class: `end s${index}`, cx: x(end[0]), cy: far(end[1]), r: 3.5 }));
    });
    nodes.push(curves);
    if (cursor !== null) nodes.push(draw("line", { class: "cursor", x1: x(cursor), x2: x(cursor), y1: TOP, y2: HEIGHT - BOTTOM }));
    svg.replaceChildren(...nodes);
    tell();
  }

  const nearest = (points, value) => points.reduce((best, point) => (Math.abs(point[0] - value) < Math.abs(best[0] - value) ? point : best), points[0]);
  const told = (point) => {
    const number = (value) => value.toFixed(spec.decimals ?? 2).replace("-", "−");
    if (!Number.isFinite(point[1])) return "–";
    const band = Number.isFinite(point[2]) && Number.isFinite(point[3]) ? ` (${number(point[2])} to ${number(point[3])})` : "";
    return number(point[1]) + band;
  };

  function tell() {
    const rows = spec.series.filter(({ points }) => points.length).map(({ name, points }) => {
      const point = cursor === null ? points.at(-1) : nearest(points, cursor);
      return { name, text: `${told(point)} after ${grouped(point[0])}` };
    });
    readout.textContent = rows.length === 1 ? `${rows[0].text} ${spec.unit ?? "pair"}s` : "";
    legend.replaceChildren(...(rows.length > 1 ? rows.map(({ name, text }, index) => make("span", { class: `key s${index}` }, `${name}: ${text}`)) : []));
    svg.setAttribute("aria-label", `${title}. ${rows.map(({ name, text }) => `${name} ${text}`).join("; ")}. Arrow keys read values off.`);
  }

  const point = (event) => {
    const box = svg.getBoundingClientRect();
    const share = ((event.clientX - box.left) * (scale.width / box.width) - LEFT) / (scale.width - LEFT - RIGHT);
    cursor = Math.max(0, Math.min(1, share)) * scale.last;
    paint();
  };
  svg.addEventListener("pointermove", (event) => scale && point(event));
  svg.addEventListener("pointerleave", () => { cursor = null; paint(); });
  svg.addEventListener("blur", () => { cursor = null; paint(); });
  svg.addEventListener("keydown", (event) => {
    const step = scale.last / 40, from = cursor ?? scale.last;
    const next = { ArrowLeft: from - step, ArrowRight: from + step, Home: 0, End: scale.last, Escape: null }[event.key];
    if (next === undefined) return;
    cursor = next === null ? null : Math.max(0, Math.min(scale.last, next));
    paint();
    event.preventDefault();
  });
  let width = 0;
  new ResizeObserver(() => { if (svg.clientWidth !== width) { width = svg.clientWidth; paint(); } }).observe(svg);
  // Draws at most once per frame.
  let frame = null;
  const show = (next) => {
    spec = next;
    frame ??= requestAnimationFrame(() => { frame = null; paint(); });
  };
  return { node, show };
}

// Adds the standing of a run to its course, and thins the course as the server does.
export function append(points, point) {
  if (points.length && points.at(-1)[0] > point[0]) return false;
  if (points.length && points.at(-1)[0] === point[0]) points.pop();
  points.push(point);
  if (points.length > 4096) points.splice(0, points.length, ...points.filter((_, index) => index % 2 === 1));
  return true;
}
