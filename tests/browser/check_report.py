#!/usr/bin/env python3
"""Opens reports in headless Chromium and checks what only a browser can tell.

    tests/browser/check_report.py REPORT.html... [--screenshots DIR]

Of each page, on a desk and on a phone: nothing is logged on the console, nothing scrolls sideways, the first plot is on the first screen, every plot has one drawing to be
seen, of a size and with text large enough to be read, and the replay steps through every game to its end and back. Needs Python's standard library and a Chromium
(CHROMIUM names it, else `chromium-headless-shell`, `chromium`, `chromium-browser` or `google-chrome` is taken). Exit code 1 if a check fails.
"""

import argparse
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Runs in the page after its own script and leaves what it saw in an attribute, which the dumped page shows.
PROBE = r"""
<script>
(() => {
  const seen = { plots: [], games: 0, steps: 0, problems: [] };
  const first = document.querySelector("figure");
  const top = first ? first.getBoundingClientRect().top + scrollY : 0;
  if (top > 800) seen.problems.push(`the first plot begins only ${Math.round(top)} pixels down`);
  document.querySelectorAll("details").forEach((details) => { details.open = true; });
  for (const figure of document.querySelectorAll("figure")) {
    const drawn = [...figure.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().width > 0);
    if (drawn.length !== 1) seen.problems.push(`${drawn.length} drawings of plot ${figure.id} are to be seen, not 1`);
    for (const svg of drawn) {
      const box = svg.getBoundingClientRect(), texts = [...svg.querySelectorAll("text")];
      const least = Math.min(...texts.map((text) => parseFloat(text.getAttribute("font-size")) * box.width / svg.viewBox.baseVal.width));
      seen.plots.push({ id: figure.id, width: box.width, height: box.height, texts: texts.length, least });
    }
  }
  for (const box of document.querySelectorAll("body *"))
    if (box.scrollWidth > box.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(box).overflowX) && box.clientWidth > 0 &&
        document.documentElement.clientWidth < 640)
      seen.problems.push(`<${box.localName} id="${box.id}" class="${box.className}"> scrolls sideways`);
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1)
    seen.problems.push(`the page is wider than the window: ${document.documentElement.scrollWidth}`);
  const by = (id) => document.getElementById(id);
  if (by("data")) {
    const games = JSON.parse(by("data").textContent), choice = by("choice").querySelectorAll("button");
    if (choice.length !== games.length) seen.problems.push(`${choice.length} games to choose of ${games.length}`);
    const pieces = () => by("board").querySelectorAll("svg g").length;
    games.forEach((game, index) => {
      choice[index].click();
      by("begin").click();
      const before = by("board").innerHTML;
      if (pieces() !== game.start.filter(Boolean).length) seen.problems.push(`game ${index}: ${pieces()} pieces at the start`);
      game.plies.forEach((step, ply) => {
        by("next").click();
        seen.steps += 1;
        if (Number(document.body.dataset.ply) !== ply + 1) seen.problems.push(`game ${index}: no step to ply ${ply + 1}`);
        if (!by("info").textContent.includes(step.m)) seen.problems.push(`game ${index}: ply ${ply + 1} is not shown`);
      });
      if (game.plies.length && by("board").innerHTML === before) seen.problems.push(`game ${index}: the board did not change`);
      game.plies.forEach(() => by("back").click());
      if (by("board").innerHTML !== before) seen.problems.push(`game ${index}: back is not where it began`);
      seen.games += 1;
    });
    choice[0].click();
  }
  document.body.dataset.seen = JSON.stringify(seen);
})();
</script>
"""


def browser():
    """The Chromium to use."""
    for name in [os.environ.get("CHROMIUM"), "chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]:
        if name and shutil.which(name):
            return name
    sys.exit("no Chromium found: set CHROMIUM to one")


def run(arguments, page, width=1280):
    """Runs the browser on a page and returns its output; a profile of its own keeps runs apart."""
    with tempfile.TemporaryDirectory() as profile:
        fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"]
        fixed += [f"--user-data-dir={profile}", f"--window-size={width},900", "--virtual-time-budget=20000"]
        command = [browser(), *fixed, *arguments, page.resolve().as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=180, check=True)


def problems_of(page, width):
    """What is wrong with a page in a window of this width, in words."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        probed = Path(folder) / "report.html"
        probed.write_text(text.replace("</body>", PROBE + "</body>"), encoding="utf-8")
        done = run(["--dump-dom"], probed, width)
    problems = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r'data-seen="([^"]*)"', done.stdout)
    if not found:
        return problems + ["the page's scripts did not run to their end"]
    seen = json.loads(html.unescape(found.group(1)))
    problems += seen["problems"]
    if len(seen["plots"]) != text.count("<figure "):
        problems.append(f"{len(seen['plots'])} of {text.count('<figure ')} plots are there")
    for plot in seen["plots"]:
        if plot["width"] < min(600, width - 60) or plot["height"] < 200 or plot["texts"] < 4 or plot["least"] < 9:
            problems.append(f"plot {plot['id']} cannot be seen: {plot}")
    if len(text) > 3_000_000:
        problems.append(f"the page has {len(text)} characters: expected at most 3,000,000")
    print(f"{page}, {width} px: {len(seen['plots'])} plots, {seen['games']} games, {seen['steps']} steps, {len(text):,} characters")
    return problems


def take_screenshots(page, folder):
    """The page light, dark and on a phone, to be looked at."""
    folder.mkdir(parents=True, exist_ok=True)
    name = page.resolve().parent.name
    for kind, width, more in [("light", 1280, []), ("dark", 1280, ["--blink-settings=preferredColorScheme=0"]), ("phone", 390, [])]:
        height = 11000 if width > 600 else 12000
        target = (folder / f"{name}-{kind}.png").resolve()
        run([f"--screenshot={target}", f"--window-size={width},{height}", *more], page, width)
        print(target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--screenshots", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    failed = False
    for page in arguments.pages:
        for width in [1280, 390]:
            for problem in problems_of(page, width):
                failed = True
                print(f"{page}, {width} px: {problem}", file=sys.stderr)
        if arguments.screenshots:
            take_screenshots(page, arguments.screenshots)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
