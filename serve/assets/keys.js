// The keys of a page: `?` or a button shows them.
import { make } from "./live.js";

// Whether a pressed key is meant for the page: it has no modifier, and it is not typed into a field or pressed in a
// dialog.
export function isForPage(event) {
  const { target } = event;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !target.closest?.("input:not([type=checkbox], [type=range]), select, textarea, dialog");
}

// `keys` is a list of `[keys, what they do]`. Returns the button.
export function keysHelp(keys) {
  const row = ([names, does]) => [make("dt", {}, ...names.map((name) => make("kbd", {}, name))), make("dd", {}, does)];
  const dialog = make("dialog", { class: "keys", "aria-labelledby": "keys-title" },
    make("h2", { id: "keys-title" }, "Keys"), make("dl", {}, ...keys.flatMap(row)),
    make("form", { method: "dialog" }, make("button", {}, "Close")));
  document.body.append(dialog);
  const open = () => { if (!dialog.open) dialog.showModal(); };
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || !isForPage(event)) return;
    open();
    event.preventDefault();
  });
  return make("button", { type: "button", onclick: open }, "Keys ", make("kbd", {}, "?"));
}
