// The tabs of a page. One panel is open at a time, and the part of the address after # names it, so that links lead to
// each panel and the browser's history works.
import { at } from "./live.js";

// Parses an address: a tab, and the rest after a slash. Invalid percent signs are taken literally.
export function asked(hash) {
  let text = hash.replace(/^#/, "");
  try { text = decodeURIComponent(text); } catch { /* as it is */ }
  const slash = text.indexOf("/");
  return slash < 0 ? [text, ""] : [text.slice(0, slash), text.slice(slash + 1)];
}

// Makes tabs of the links in `list`. `within` gives the tab of each part of the page that is not a tab itself;
// `opened(name, rest)` is called whenever a tab is opened. Returns functions about the open tab.
export function tabsOf(list, within, opened) {
  const tabs = [...list.querySelectorAll('[role="tab"]')];
  const nameOf = (tab) => tab.hash.slice(1);
  let open = null;

  function show(tab, rest) {
    for (const other of tabs) {
      const isIt = other === tab;
      other.setAttribute("aria-selected", String(isIt));
      other.tabIndex = isIt ? 0 : -1;
      at(other.getAttribute("aria-controls")).hidden = !isIt;
    }
    open = nameOf(tab);
    document.body.dataset.tab = open;
    opened(open, rest);
  }

  // Opens the tab in the address, or the first one if the address names none. Other places of the page change nothing.
  function follow() {
    const [name, rest] = asked(location.hash), tab = tabs.find((tab) => nameOf(tab) === (within[name] ?? name));
    if (!tab && name && open) return;
    show(tab ?? tabs[0], tab ? rest : "");
    if (name in within) at(name)?.scrollIntoView({ block: "start" });
  }

  function choose(tab) {
    if (nameOf(tab) === open) return;
    history.pushState(null, "", tab.hash);
    show(tab, "");
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    // With a modifier key, the link opens elsewhere.
    if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const index = tabs.indexOf(event.target), count = tabs.length;
    const next = { ArrowRight: (index + 1) % count, ArrowLeft: (index + count - 1) % count, Home: 0, End: count - 1, " ": index }[event.key];
    if (index < 0 || next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    tabs[next].focus();
    choose(tabs[next]);
  });
  addEventListener("hashchange", follow);
  return { start: follow, is: (name) => open === name };
}
