//! The page: one HTML file with everything in it, for any browser, light or dark, on a phone or on paper.
//!
//! Names come from configurations and engines, so all text is escaped, and the games are data that the script never takes for
//! markup.

use crate::figures::{Figure, LEAST_PAIRS, interval};
use crate::gather::Latency;
use crate::ladder::HEADS;
use crate::markdown::{faults, plain_elo};
use crate::numbers::{EntrantRow, Interval, Numbers, Strength, WinsDrawsLosses};
use crate::replay::Replay;
use crate::report::Report;
use crate::sections;
use crate::text::{grouped, grouped_list, short};
use crate::tuned;
use std::fmt::Write;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/replay.js");
/// Pairings listed; the CSV has all.
const MOST_ROWS: usize = 200;
/// What the page may load: nothing but itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page as HTML.
pub(crate) fn page(report: &Report) -> String {
    let Report { numbers, figures, games, conditions, faults, .. } = report;
    let mut out = head(numbers);
    out.push_str(&contents(report));
    out.push_str(&tables(numbers));
    out.push_str(&sections::faults(faults));
    out.extend(figures.iter().map(drawn));
    if !games.is_empty() {
        out.push_str(&replays(games));
    }
    out.push_str(&sections::conditions(conditions));
    out.push_str("</body>\n</html>\n");
    out
}

fn head(numbers: &Numbers) -> String {
    let name = escaped(&numbers.run);
    let (says, headline) = (escaped(&numbers.says), escaped(&numbers.headline));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n\
         <p class=\"says\">{says}</p>\n<p class=\"faint\">{headline}</p>\n</header>\n"
    )
}

/// Links to what is on the page.
fn contents(report: &Report) -> String {
    let link = |id: &str, title: &str| format!("<a href=\"#{id}\">{}</a>\n", escaped(title));
    let faults = if report.faults.games.is_empty() { String::new() } else { link("faults", "Games lost by a fault") };
    let games = if report.games.is_empty() { String::new() } else { link("games", "Games to look at") };
    let figures: String = report.figures.iter().map(|figure| link(&figure.id, &figure.title)).collect();
    format!("<nav>\n{faults}{figures}{games}{}</nav>\n", link("conditions", "Conditions"))
}

/// A plot, twice: the style sheet shows the drawing that fits the screen.
fn drawn(Figure { id, title, svg, narrow }: &Figure) -> String {
    let [wide, narrow] = [(svg, "broad"), (narrow, "slim")]
        .map(|(svg, class)| svg.trim_end().replacen("<svg ", &format!("<svg class=\"{class}\" "), 1));
    format!("<figure id=\"{id}\" aria-label=\"{}\">\n{wide}\n{narrow}\n</figure>\n", escaped(title))
}

fn tables(numbers: &Numbers) -> String {
    let mut out = String::from("<section id=\"numbers\">\n<h2>Numbers</h2>\n");
    out.push_str(&list(numbers_rows(numbers)));
    if numbers.total.pairs < LEAST_PAIRS {
        let _never_fails = writeln!(out, "<p class=\"faint\">Pairs are drawn once there are {LEAST_PAIRS}.</p>");
    }
    if let Some(tune) = &numbers.tune {
        out.push_str(&table(&tuned::HEADS, tune.parameters.iter().map(|p| tuned::row(p).to_vec()).collect()));
        out.push_str(&tested(numbers));
    }
    if let Some(ladder) = &numbers.ladder {
        out.push_str("<h2>Ratings</h2>\n");
        out.push_str(&table(&HEADS, ladder.rows()));
        for line in ladder.parabola_in_words() {
            let _never_fails = writeln!(out, "<p>{}</p>", escaped(line.trim_start()));
        }
    }
    if !numbers.pairings.is_empty() {
        let heads = ["", "against", "pairs", "Elo (95%)", "+ = -", "score", "LOS"];
        out.push_str(&table(&heads, numbers.pairings.iter().take(MOST_ROWS).map(pairing).collect()));
    }
    out.push_str("<h2>Entrants</h2>\n");
    out.push_str(&entrants(numbers));
    out.push_str("</section>\n");
    out
}

/// The test of a session's values, and the values ready to paste.
fn tested(numbers: &Numbers) -> String {
    let mut out = String::new();
    if let Some(test) = &numbers.test {
        let [run, link, says] = [&test.run, &test.link, &test.says].map(|text| escaped(text));
        let _never_fails =
            writeln!(out, "<h2 id=\"test\">The test of these values</h2>\n<p><a href=\"{link}\">{run}</a>: {says}</p>");
    }
    let Some(pasted) = &numbers.pasted else { return out };
    out.push_str("<h2 id=\"values-to-paste\">Values to paste</h2>\n");
    let groups = [
        ("as they are called", &pasted.assignments),
        ("for an engine over UCI", &pasted.setoptions),
        ("to tune on with fishtest or OpenBench", &pasted.fishtest),
    ];
    for (title, lines) in groups.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        let _never_fails = write!(out, "<p class=\"faint\">{title}</p>\n<pre>{}</pre>\n", lines.join("\n"));
    }
    out
}

fn numbers_rows(numbers: &Numbers) -> Vec<Vec<String>> {
    let total = &numbers.total;
    let share = |interval: Option<Interval>| {
        interval.map_or_else(
            || "–".to_owned(),
            |i| format!("{:.1}% ({:.1} to {:.1})", 100.0 * i.value, 100.0 * i.low, 100.0 * i.high),
        )
    };
    let value = |i: Option<Interval>, decimals| i.map_or_else(|| "–".to_owned(), |i| interval(i, decimals));
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    if numbers.measures_strength() {
        add(plain_elo(numbers), value(total.elo, 1));
        add("normalized Elo (95%)", value(total.nelo, 0));
        add("likelihood of superiority", format!("{:.1}%", 100.0 * total.los));
    }
    if let Some(sprt) = numbers.sprt {
        add("log-likelihood ratio", format!("{:.2} between {:.2} and {:.2}", sprt.llr, sprt.lower, sprt.upper));
        if let Some(after) = sprt.decided {
            let elo = Interval { value: after.elo, low: after.low, high: after.high };
            add("Elo, unbiased: allowing for stopping (95%)", interval(elo, 1));
        }
    }
    if let Some((gain, sd)) = numbers.tune.as_ref().and_then(|tune| tune.gain) {
        add("expected gain (1 standard error)", format!("{gain:+.1} ± {sd:.1} Elo"));
    }
    add("games", wdl(total.games));
    add("pairs by points", format!("{} {}", grouped(total.pairs), grouped_list(&total.penta)));
    add("draws", share(total.draw_ratio));
    add("drawn pairs", share(total.pair_draw_ratio));
    add("first mover", wdl(numbers.first_mover));
    add("plies a game", numbers.mean_plies.map_or_else(|| "–".to_owned(), |plies| format!("{plies:.1}")));
    add("different openings", grouped(numbers.openings as u64));
    if total.pairs >= LEAST_PAIRS {
        add("fairness of the openings", numbers.fairness.in_words.clone());
    }
    add("faults", faults(numbers));
    rows
}

fn pairing(row: &Strength) -> Vec<String> {
    let [one, other] = row.names.clone();
    let percent =
        |share: Option<Interval>| share.map_or_else(String::new, |share| format!("{:.1}%", 100.0 * share.value));
    let elo = row.elo.map_or_else(String::new, |elo| interval(elo, 1));
    vec![one, other, grouped(row.pairs), elo, wdl(row.games), percent(row.score), format!("{:.1}%", 100.0 * row.los)]
}

/// What is told of each entrant: a row each, or a column each while they are few.
fn entrants(numbers: &Numbers) -> String {
    let mut columns = entrant_columns(&numbers.entrants);
    // What nobody has anything for is left out.
    columns.retain(|(_, values)| values.iter().any(|value| value != NOTHING));
    let names = numbers.entrants.iter().map(|entrant| entrant.name.as_str());
    if numbers.entrants.len() > MOST_BESIDE {
        let heads: Vec<&str> = std::iter::once("").chain(columns.iter().map(|(head, _)| *head)).collect();
        let row = |(index, name): (usize, &str)| {
            std::iter::once(name.to_owned()).chain(columns.iter().map(|(_, values)| values[index].clone())).collect()
        };
        return table(&heads, names.enumerate().map(row).collect());
    }
    let mut rows = vec![std::iter::once(String::new()).chain(names.map(str::to_owned)).collect::<Vec<_>>()];
    rows.extend(columns.into_iter().map(|(head, values)| [vec![head.to_owned()], values].concat()));
    list(rows)
}

/// So many entrants have a column each: more would not fit beside each other.
const MOST_BESIDE: usize = 3;
const NOTHING: &str = "–";

fn entrant_columns(entrants: &[EntrantRow]) -> Vec<(&'static str, Vec<String>)> {
    let each = |of: &dyn Fn(&EntrantRow) -> Option<String>| -> Vec<String> {
        entrants.iter().map(|entrant| of(entrant).unwrap_or_else(|| NOTHING.to_owned())).collect()
    };
    let decimals = |value: f64, decimals: usize| format!("{value:.decimals$}");
    vec![
        ("rating (95%)", each(&|e| e.rating.map(|elo| interval(elo, 1)))),
        ("+ = - first", each(&|e| Some(wdl(e.first)))),
        ("+ = - second", each(&|e| Some(wdl(e.second)))),
        ("moves", each(&|e| Some(grouped(e.moves)))),
        ("ms a move", each(&|e| e.ms_a_move.map(|ms| decimals(ms, 3)))),
        ("nodes a move", each(&|e| e.nodes_a_move.map(|nodes| grouped(nodes.round() as u64)))),
        (
            "longest wait for a processor, ms",
            each(&|e| Some(e.delayed_ms).filter(|ms| *ms > 0.0).map(|ms| decimals(ms, 1))),
        ),
        ("longer than it says", each(&|e| e.latency.map(latency))),
        ("slope of its evaluations (95%)", each(&|e| e.calibration.map(|fit| plain(fit.slope, 1.0, 2)))),
        ("score (%) where it says 0 (95%)", each(&|e| e.calibration.map(|fit| plain(fit.score_at_0(), 100.0, 0)))),
        ("games lost by a fault", each(&|e| Some(grouped(e.faults.values().sum())))),
    ]
}

/// A value with its interval, without signs.
fn plain(interval: Interval, factor: f64, decimals: usize) -> String {
    let [value, low, high] = [interval.value, interval.low, interval.high].map(|x| factor * x);
    format!("{value:.decimals$} ({low:.decimals$} to {high:.decimals$})")
}

/// A positive number with two significant digits, or with all before its point.
fn two_digits(value: f64) -> String {
    let decimals = if value >= 9.95 {
        0
    } else if value >= 0.995 {
        1
    } else {
        3
    };
    format!("{value:.decimals$}")
}

/// By how much moves took longer than the player says, and how finely that is known.
fn latency(latency: Latency) -> String {
    let Latency { moves, unit_ms, said_too_much, p95_ms, .. } = latency;
    let too_much = 100.0 * said_too_much as f64 / moves as f64;
    let contradiction =
        if too_much >= 1.0 { format!("; in {too_much:.0}% of moves it says more than passed") } else { String::new() };
    format!("{} ms or less in 95% of moves (it counts in {} ms){contradiction}", two_digits(p95_ms), short(unit_ms))
}

fn wdl(games: WinsDrawsLosses) -> String {
    format!("+{} ={} -{}", grouped(games.wins), grouped(games.draws), grouped(games.losses))
}

/// Rows under heads; on narrow screens each row becomes a block whose cells carry their heads.
pub(crate) fn table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut out = String::from("<div class=\"wide\"><table class=\"stack\">\n<tr class=\"heads\">");
    for head in heads {
        let _never_fails = write!(out, "<th>{}</th>", escaped(head));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for (head, cell) in heads.iter().zip(row) {
            let _never_fails = write!(out, "<td data-head=\"{}\">{}</td>", escaped(head), escaped(&cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    out
}

/// Rows that begin with what they tell of; their text is broken where there is no room.
pub(crate) fn list(rows: Vec<Vec<String>>) -> String {
    let mut out = String::from("<table class=\"list\">\n");
    for row in rows {
        out.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            let tag = if index == 0 { "th" } else { "td" };
            let _never_fails = write!(out, "<{tag}>{}</{tag}>", escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    out
}

fn replays(games: &[Replay]) -> String {
    // What is data to the browser's JSON must not end the element that holds it.
    let data = serde_json::to_string(games).unwrap_or_else(|_| "[]".to_owned()).replace('<', "\\u003c");
    format!(
        "<section id=\"games\">\n<h2>Games to look at</h2>\n<noscript><p>Stepping through games needs JavaScript.</p></noscript>\n\
         <div id=\"replay\" tabindex=\"0\">\n<ol id=\"choice\"></ol>\n<div>\n<p id=\"players\" class=\"faint\"></p>\n\
         <div id=\"hand-second\" class=\"hand second\"></div>\n<div id=\"board\"></div>\n\
         <div id=\"hand-first\" class=\"hand first\"></div>\n<div id=\"controls\">\n\
         <button type=\"button\" id=\"begin\" aria-label=\"to the start\">|◀</button>\n\
         <button type=\"button\" id=\"back\" aria-label=\"a ply back\">◀</button>\n\
         <input type=\"range\" id=\"slider\" min=\"0\" value=\"0\" aria-label=\"ply\">\n\
         <button type=\"button\" id=\"next\" aria-label=\"a ply on\">▶</button>\n\
         <button type=\"button\" id=\"end\" aria-label=\"to the end\">▶|</button>\n</div>\n<p id=\"said\"></p>\n</div>\n\
         <div id=\"moves\"></div>\n</div>\n{}</section>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n",
        sections::legend(games)
    )
}

/// Text as HTML, in elements and in quoted attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
