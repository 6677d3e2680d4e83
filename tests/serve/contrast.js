// The text of a page that does not stand out from what is behind it: less than 4.5 to 1, or 3 to 1 if it is large (WCAG 2.2, 1.4.3).
(() => {
  const brush = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (css) => {
    brush.clearRect(0, 0, 1, 1);
    brush.fillStyle = css;
    brush.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((value, index) => value * a + below[index] * (1 - a));
  const light = (rgb) => rgb.map((value) => value / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, index) => sum + v * [0.2126, 0.7152, 0.0722][index], 0);
  const ratio = (one, other) => { const [a, b] = [light(one), light(other)]; return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
  const path = (node) => { const all = []; for (let at = node; at; at = at.parentElement) all.unshift(at); return all; };
  const ground = (node) => path(node).reduce((below, at) => over(colour(getComputedStyle(at).backgroundColor), below), colour(getComputedStyle(document.body).backgroundColor).slice(0, 3));
  const bad = new Set();
  const judge = (node, css, text) => {
    const style = getComputedStyle(node), below = ground(node), [r, g, b, a] = colour(css);
    const opacity = path(node).reduce((product, at) => product * Number(getComputedStyle(at).opacity), 1);
    const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = ratio(over([r, g, b, a * opacity], below), below);
    if (found < (isLarge ? 3 : 4.5)) bad.add(`${node.localName}#${node.id}.${node.getAttribute("class") ?? ""}: ${found.toFixed(2)} "${text.trim().slice(0, 30)}"`);
  };
  const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && node.getBoundingClientRect().width > 1 && !node.closest(":disabled, .visually-hidden, .skip, #board svg, .squares, .piece, .pieces, .diagram, option");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const node = text.parentElement;
    if (!text.data.trim() || node.closest("script, style, noscript, title") || !isSeen(node)) continue;
    const style = getComputedStyle(node);
    judge(node, node.closest("svg") ? style.fill : style.color, text.data);
  }
  for (const input of document.querySelectorAll("input, textarea, select")) {
    if (!isSeen(input)) continue;
    judge(input, getComputedStyle(input).color, input.value || "value");
    if (input.placeholder) judge(input, getComputedStyle(input, "::placeholder").color, input.placeholder);
  }
  return [...bad];
})()
