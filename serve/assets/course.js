// The course of a run, as plots that grow: fetched once, and then extended by events.
import { ask, at } from "./live.js";
import { append, plot } from "./plot.js";

// The maximum number of lines in the plot of ratings: the leaders.
const MOST_LINES = 8;
const RATING = "rating ";

// Returns the courses of the run at `path`, drawn into the element `into`.
export function courseOf(path, into) {
  const course = new Map(), plots = new Map();
  // The edition of the run that the courses belong to; null if an event was missed.
  let edition = null, isAsking = false;

  function plotOf(key, title, says) {
    if (!plots.has(key)) {
      plots.set(key, plot(title, says));
      at(into).append(plots.get(key).node);
    }
    return plots.get(key);
  }

  function add(run, key, y, low, high) {
    if (!Number.isFinite(y) || !run.units) return;
    if (!course.has(key)) course.set(key, []);
    append(course.get(key), [run.units, y, low ?? null, high ?? null]);
  }

  function ratio(run) {
    add(run, "llr", run.llr);
    const lines = [{ y: run.upper, name: "H1", kind: "upper", keep: true }, { y: run.lower, name: "H0", kind: "lower", keep: true }, { y: 0, kind: "zero" }];
    plotOf("llr", "Log-likelihood ratio", "between its bounds").show({ series: [{ name: "LLR", points: course.get("llr") ?? [] }], lines, unit: run.unit, decimals: 2 });
  }

  function elo(run) {
    add(run, "elo", run.elo, run.elo_low, run.elo_high);
    const says = Number.isFinite(run.llr) ? "band 95%, not corrected for the test's stopping" : "band 95%";
    plotOf("elo", `Elo of ${run.entrants[0]}`, says).show({ series: [{ name: "Elo", points: course.get("elo") }], lines: [{ y: 0, kind: "zero", keep: true }], unit: run.unit, decimals: 1 });
  }

  function values(run) {
    for (const tuned of run.tune.parameters) {
      add(run, tuned.name, tuned.on ?? tuned.value, tuned.low, tuned.high);
      const says = tuned.values ? `best so far: ${tuned.values.map((value, place) => `${place} is ${value.text}`).join(", ")}`
        : tuned.on === null ? "± 1 standard error; dashed where it started" : "probability that on is better";
      const decimals = Math.max(0, Math.min(6, 2 - Math.floor(Math.log10(tuned.step || 1))));
      plotOf(`tune ${tuned.name}`, tuned.name, says).show({ series: [{ name: tuned.name, points: course.get(tuned.name) ?? [] }], lines: [{ y: tuned.start, kind: "zero", keep: true }], unit: run.unit, decimals });
    }
  }

  // Shows the ratings of more than two entrants, the strongest first.
  function ratings(run) {
    for (const { name, elo, elo_low: low, elo_high: high } of run.rated) add(run, `${RATING}${name}`, elo, low, high);
    const last = (name) => course.get(`${RATING}${name}`)?.at(-1)?.[1] ?? -Infinity;
    const names = run.rated.map((one) => one.name).filter((name) => course.has(`${RATING}${name}`)).sort((a, b) => last(b) - last(a));
    if (!names.length) return;
    const left = names.length - MOST_LINES;
    const says = `by all results so far; bands 95%${left > 0 ? `; the first ${MOST_LINES} of ${names.length} entrants` : ""}`;
    const series = names.slice(0, MOST_LINES).map((name) => ({ name, points: course.get(`${RATING}${name}`) }));
    plotOf("ratings", "Ratings", says).show({ series, lines: [{ y: 0, kind: "zero" }], unit: run.unit, decimals: 1 });
  }

  // Adds the run's present standing to the end of each course.
  function extend(run) {
    if (Number.isFinite(run.llr)) ratio(run);
    if (run.measures && course.has("elo")) elo(run);
    if (run.tune) values(run);
    if (run.rated) ratings(run);
  }

  async function fetched(run) {
    if (isAsking) return;
    isAsking = true;
    try {
      const { series } = await ask(`${path}/series`);
      course.clear();
      for (const { name, points } of series) course.set(name, points);
      edition = run.edition;
      extend(run);
    } finally {
      isAsking = false;
    }
  }

  return {
    // Shows the present standing of the run.
    show: (run) => (edition === run.edition ? extend(run) : fetched(run)),
    // Notes that something may have been missed: everything is fetched before it is shown again.
    forget() { edition = null; },
  };
}
