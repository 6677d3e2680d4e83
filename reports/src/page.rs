//! The page: one HTML file with everything in it, for any browser, light or dark, on a phone or on paper.
//!
//! Names come from configurations and engines, so all text is escaped, and the games are data that the script never takes for
//! markup.

use crate::figures::{Figure, interval};
use crate::markdown::faults;
use crate::numbers::{Interval, Numbers, Strength, WinsDrawsLosses};
use crate::replay::Replay;
use crate::text::{grouped, grouped_list};
use crate::tuned;
use std::fmt::Write;

const STYLE: &str = include_str!("../assets/page.css");
const SCRIPT: &str = include_str!("../assets/replay.js");
/// Pairings listed; the CSV has all.
const MOST_ROWS: usize = 200;
/// What the page may load: nothing but itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page as HTML.
pub(crate) fn page(numbers: &Numbers, figures: &[Figure], games: &[Replay]) -> String {
    let mut out = String::new();
    let name = escaped(&numbers.run);
    let _never_fails = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <title>{name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{name}</h1>\n\
         <p class=\"says\">{}</p>\n<p class=\"faint\">{}</p>\n</header>\n",
        escaped(&numbers.says),
        escaped(&numbers.headline),
    );
    out.push_str(&contents(figures, games));
    out.push_str(&tables(numbers));
    for Figure { id, title, svg } in figures {
        let title = escaped(title);
        let _never_fails = write!(out, "<figure id=\"{id}\" aria-label=\"{title}\">\n{}\n</figure>\n", svg.trim_end());
    }
    if !games.is_empty() {
        out.push_str(&replays(games));
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn contents(figures: &[Figure], games: &[Replay]) -> String {
    let link = |figure: &Figure| format!("<a href=\"#{}\">{}</a>\n", figure.id, escaped(&figure.title));
    let games = if games.is_empty() { "" } else { "<a href=\"#games\">Games to look at</a>\n" };
    format!("<nav>\n{}{games}</nav>\n", figures.iter().map(link).collect::<String>())
}

fn tables(numbers: &Numbers) -> String {
    let mut out = String::from("<section id=\"numbers\">\n<h2>Numbers</h2>\n");
    out.push_str(&table(&["", ""], numbers_rows(numbers)));
    if let Some(tune) = &numbers.tune {
        out.push_str(&table(&tuned::HEADS, tune.parameters.iter().map(|p| tuned::row(p).to_vec()).collect()));
        out.push_str(&tested(numbers));
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
        add("Elo (95%)", value(total.elo, 1));
        add("normalized Elo (95%)", value(total.nelo, 0));
        add("likelihood of superiority", format!("{:.1}%", 100.0 * total.los));
    }
    if let Some(sprt) = numbers.sprt {
        add("log-likelihood ratio", format!("{:.2} between {:.2} and {:.2}", sprt.llr, sprt.lower, sprt.upper));
        if let Some(after) = sprt.decided {
            let elo = Interval { value: after.elo, low: after.low, high: after.high };
            add("Elo allowing for stopping (95%)", interval(elo, 1));
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

fn entrants(numbers: &Numbers) -> String {
    let number =
        |value: Option<f64>, decimals: usize| value.map_or_else(|| "–".to_owned(), |v| format!("{v:.decimals$}"));
    let row = |entrant: &crate::numbers::EntrantRow| {
        let nodes = entrant.nodes_a_move.map_or_else(|| "–".to_owned(), |nodes| grouped(nodes.round() as u64));
        vec![
            entrant.name.clone(),
            entrant.rating.map_or_else(|| "–".to_owned(), |elo| interval(elo, 1)),
            wdl(entrant.first),
            wdl(entrant.second),
            grouped(entrant.moves),
            number(entrant.ms_a_move, 3),
            nodes,
            number(Some(entrant.delayed_ms).filter(|ms| *ms > 0.0), 1),
            grouped(entrant.faults.values().sum()),
        ]
    };
    let heads = [
        "",
        "rating (95%)",
        "+ = - first",
        "+ = - second",
        "moves",
        "ms a move",
        "nodes a move",
        "worst wait, ms",
        "faults",
    ];
    table(&heads, numbers.entrants.iter().map(row).collect())
}

fn wdl(games: WinsDrawsLosses) -> String {
    format!("+{} ={} -{}", grouped(games.wins), grouped(games.draws), grouped(games.losses))
}

fn table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut out = String::from("<div class=\"wide\"><table>\n");
    if heads.iter().any(|head| !head.is_empty()) {
        out.push_str(&table_row("th", heads.iter().copied()));
    }
    for row in rows {
        out.push_str(&table_row("td", row.iter().map(String::as_str)));
    }
    out.push_str("</table></div>\n");
    out
}

fn table_row<'a>(tag: &str, cells: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::from("<tr>");
    for cell in cells {
        let _never_fails = write!(out, "<{tag}>{}</{tag}>", escaped(cell));
    }
    out.push_str("</tr>\n");
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
         <div id=\"moves\"></div>\n</div>\n</section>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n"
    )
}

/// Text as HTML, in elements and in quoted attributes.
fn escaped(text: &str) -> String {
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
