//! The page: one self-contained HTML file, for any browser, light or dark, on a phone or on paper.
//!
//! Names come from configurations and engines: `maud` escapes all text, and the games are data that the script never
//! interprets as markup.

use crate::figures::{Figure, LEAST_PAIRS};
use crate::html::{list, plain, table};
use crate::ladder::HEADS;
use crate::markdown::{faults, plain_elo};
use crate::numbers::{Diff, EntrantRow, Numbers, Strength};
use crate::replay::Replay;
use crate::report::Report;
use crate::sections;
use crate::text::{capitalised, counted, grouped, grouped_list, interval, short};
use crate::tuned;
use arena::run::Verdict;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use stats::{Estimate, Latency, Wdl};

/// The style sheet of pages.
pub const STYLE: &str = include_str!("../assets/page.css");
/// The script that draws pieces: it defines a function `pieceOf` of a game's look and a letter.
pub const PIECES: &str = include_str!("../assets/pieces.js");
/// The script for stepping through games, which are shown in [`stage`]: it defines a function `replayOf` of games. It
/// needs [`PIECES`].
pub const REPLAY: &str = include_str!("../assets/replay.js");
/// The code that makes the script show the games of a page.
const SHOW: &str = "replayOf(JSON.parse(document.getElementById(\"data\").textContent));";
/// The maximum number of pairings listed; the CSV has all.
const MOST_ROWS: usize = 200;
/// What the page may load: only itself.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The page as HTML.
pub(crate) fn page(report: &Report) -> String {
    let Report { numbers, figures, games, conditions, faults, explanation, series: _ } = report;
    let main = main_figure(numbers, figures);
    let others: Vec<&Figure> = figures.iter().enumerate().filter(|(n, _)| Some(*n) != main).map(|(_, f)| f).collect();
    let body = html! {
        (head_of(numbers))
        @if let Some(figure) = main.map(|main| &figures[main]) { "\n" (drawn(figure)) }
        @if !games.is_empty() { "\n" (replays(games)) }
        "\n" (folded("all-numbers", "All numbers", &tables(numbers)))
        @if !others.is_empty() { "\n" (folded("plots", &counted(others.len() as u64, "more plot"), &gallery(&others))) }
        @if !faults.games.is_empty() {
            @let title = format!("Games lost by a fault: {}", grouped(faults_in_all(numbers)));
            "\n" (folded("lost-by-fault", &title, &sections::faults(faults)))
        }
        @if let Some(explanation) = explanation {
            "\n" (folded("explanation", &explanation.title(), &sections::explanation(explanation)))
        }
        "\n" (folded("how", "Conditions", &sections::conditions(conditions)))
        @if !games.is_empty() { "\n" (player(games)) }
    };
    document(&numbers.run, &body)
}

/// The beginning of a page: the verdict as a badge, what was played, and the result in lines to copy.
pub(crate) struct Head<'a> {
    pub(crate) title: &'a str,
    /// The verdict, and its text in two words.
    pub(crate) verdict: Option<Verdict>,
    pub(crate) badge: &'a str,
    pub(crate) says: &'a str,
    /// The headline: who plays, what, and how.
    pub(crate) headline: &'a str,
    pub(crate) diff: Option<&'a Diff>,
    pub(crate) block: &'a [String],
}

impl Head<'_> {
    pub(crate) fn markup(&self) -> Markup {
        let class = match self.verdict {
            Some(Verdict::AcceptedH1) => "good",
            Some(Verdict::AcceptedH0) => "bad",
            Some(Verdict::Complete) => "done",
            Some(Verdict::Undecided) | None => "even",
        };
        html! {
            header {
                h1 { (plain(self.title)) }
                p.says { span class={ "verdict " (class) } { (plain(self.badge)) } " " (plain(self.says)) }
                p.faint { (plain(self.headline)) }
                @if let Some(diff) = self.diff { (change(diff)) }
                @if !self.block.is_empty() {
                    pre #block { (sections::preformatted(self.block.iter().map(String::as_str))) }
                }
            }
        }
    }
}

fn head_of(numbers: &Numbers) -> Markup {
    let headline = format!("{} · {}", numbers.headline, counted(numbers.first_mover.total(), "game"));
    let (verdict, badge) = (numbers.verdict, badge(numbers.verdict));
    let Numbers { run: title, says, diff, block, .. } = numbers;
    Head { title, verdict, badge, says, headline: &headline, diff: diff.as_ref(), block }.markup()
}

/// The tested change: a link to its page, or the command that shows it.
pub(crate) fn change(diff: &Diff) -> Markup {
    let range = format!("{}...{}", diff.from, diff.to);
    html! {
        p.faint {
            "Change: "
            @match &diff.link {
                Some(link) => a href=(plain(link)) { (plain(&range)) },
                None => code { (plain(&diff.command)) },
            }
        }
    }
}

/// The verdict in two words.
fn badge(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::AcceptedH1) => "H1 accepted",
        Some(Verdict::AcceptedH0) => "H0 accepted",
        Some(Verdict::Undecided) => "undecided",
        Some(Verdict::Complete) => "complete",
        None => "unfinished",
    }
}

/// The most important plot: the ratings of many entrants, otherwise the first one.
fn main_figure(numbers: &Numbers, figures: &[Figure]) -> Option<usize> {
    let ratings = figures.iter().position(|figure| figure.id == "ratings" && numbers.sprt.is_none());
    ratings.or_else(|| (!figures.is_empty()).then_some(0))
}

/// A section that is initially folded.
pub(crate) fn folded(id: &str, title: &str, content: &Markup) -> Markup {
    html! { details.fold id=(id) { summary { (plain(title)) } (content) } }
}

/// Plots one below the other, and links to them.
fn gallery(figures: &[&Figure]) -> Markup {
    html! {
        nav { @for figure in figures { "\n" a href={ "#" (figure.id) } { (plain(&figure.title)) } } }
        @for figure in figures { "\n" (drawn(figure)) }
    }
}

fn faults_in_all(numbers: &Numbers) -> u64 {
    numbers.entrants.iter().flat_map(|entrant| entrant.faults.values()).sum()
}

/// A complete page with this body.
pub(crate) fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE) "\n"
        html lang="en" {
            (head(title)) "\n"
            body { "\n" main { "\n" (body) "\n" } "\n" }
        }
        "\n"
    };
    page.into_string()
}

pub(crate) fn head(name: &str) -> Markup {
    html! {
        head {
            "\n" meta charset="utf-8";
            "\n" meta name="viewport" content="width=device-width, initial-scale=1";
            "\n" meta http-equiv="Content-Security-Policy" content=(POLICY);
            "\n" title { (plain(name)) }
            "\n" style { (PreEscaped(STYLE)) }
        }
    }
}

/// A plot, in two versions: the style sheet shows the one that fits the screen.
pub(crate) fn drawn(Figure { id, title, svg, narrow }: &Figure) -> Markup {
    let [wide, narrow] = [(svg, "broad"), (narrow, "slim")]
        .map(|(svg, class)| PreEscaped(svg.trim_end().replacen("<svg ", &format!("<svg class=\"{class}\" "), 1)));
    html! { figure id=(id) aria-label=(plain(title)) { "\n" (wide) "\n" (narrow) "\n" } }
}

fn tables(numbers: &Numbers) -> Markup {
    let pairings: Vec<_> = numbers.pairings.iter().take(MOST_ROWS).map(pairing).collect();
    html! {
        section #numbers {
            h2 { "Numbers" }
            (list(&numbers_rows(numbers)))
            @if numbers.units < LEAST_PAIRS {
                p.faint { (capitalised(numbers.unit)) "s are drawn once there are " (LEAST_PAIRS) "." }
            }
            @if let Some(tune) = &numbers.tune {
                @let rows: Vec<Vec<String>> = tune.parameters.iter().map(|p| tuned::wide_row(p).to_vec()).collect();
                (table(&tuned::WIDE_HEADS, &rows))
                @for line in tuned::of_limits(tune) { p { (plain(&capitalised(&line))) "." } }
                @for line in tuned::cautions(tune) { p { (plain(&capitalised(&line))) } }
                (tested(numbers))
            }
            @if let Some(ladder) = &numbers.ladder {
                h2 { "Ratings" }
                (table(&HEADS, &ladder.rows()))
                @for line in ladder.parabola_in_words() { p { (plain(line.trim_start())) } }
            }
            @if let Some(tournament) = &numbers.tournament {
                h2 { (plain(tournament.title())) }
                (table(&tournament.heads(), &tournament.rows()))
            }
            @if !pairings.is_empty() {
                @let counted = if numbers.total.pairs.is_some() { "pairs" } else { "games" };
                (table(&["", "against", counted, "Elo (95%)", "+ = -", "score", "LOS"], &pairings))
            }
            h2 { "Entrants" }
            (entrants(numbers))
        }
    }
}

/// The test of a session's values, and the values ready to paste.
fn tested(numbers: &Numbers) -> Markup {
    html! {
        @if let Some(test) = &numbers.test {
            h2 #test { "The test of these values" }
            p { a href=(plain(&test.link)) { (plain(&test.run)) } ": " (plain(&test.says)) }
        }
        @if let Some(pasted) = &numbers.pasted {
            h2 #values-to-paste { "Values to paste" }
            (pasted_lines("by name", &pasted.assignments))
            (pasted_lines("for an engine over UCI", &pasted.setoptions))
            (pasted_lines("to tune on with fishtest", &pasted.fishtest))
            (pasted_lines("to tune on with OpenBench", &pasted.openbench))
            (pasted_lines("to tune on with weather-factory", std::slice::from_ref(&pasted.weather_factory)))
        }
    }
}

fn pasted_lines(title: &str, lines: &[String]) -> Markup {
    html! {
        @if !lines.is_empty() {
            p.faint { (title) }
            pre { (sections::preformatted(lines.iter().map(String::as_str))) }
        }
    }
}

fn numbers_rows(numbers: &Numbers) -> Vec<Vec<String>> {
    let total = &numbers.total;
    let share = |interval: Option<Estimate>| {
        interval.map_or_else(
            || "–".to_owned(),
            |i| format!("{:.1}% ({:.1} to {:.1})", 100.0 * i.value, 100.0 * i.low, 100.0 * i.high),
        )
    };
    let value = |i: Option<Estimate>, decimals| i.map_or_else(|| "–".to_owned(), |i| interval(i, decimals));
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String| rows.push(vec![name.to_owned(), value]);
    if numbers.measures_strength() {
        // With several entrants the first one is shown against all others.
        let [one, other] = &total.names;
        let whose = if numbers.entrants.len() > 2 { format!(", {one} against {other}") } else { String::new() };
        add(&format!("{}{whose}", plain_elo(numbers)), value(total.elo, 1));
        add(&format!("normalized Elo (95%){whose}"), value(total.nelo, 0));
        add(&format!("likelihood of superiority{whose}"), format!("{:.1}%", 100.0 * total.los));
    }
    if let Some(sprt) = numbers.sprt {
        add("log-likelihood ratio", format!("{:.2} between {:.2} and {:.2}", sprt.llr, sprt.lower, sprt.upper));
        if let Some(after) = sprt.decided {
            let elo = Estimate { value: after.elo, low: after.low, high: after.high };
            add("Elo, unbiased: allowing for stopping (95%)", interval(elo, 1));
        }
    }
    if let Some((gain, sd)) = numbers.tune.as_ref().and_then(|tune| tune.gain) {
        add("expected gain (1 standard error)", format!("{gain:+.1} ± {sd:.1} Elo"));
    }
    add("games", grouped(numbers.first_mover.total()));
    if numbers.measures_strength() {
        let [one, _] = &total.names;
        add(&format!("+ = - of {one}"), wdl(total.games));
        match total.pairs.zip(total.penta) {
            Some((pairs, penta)) => {
                add(&format!("pairs by points of {one}"), format!("{} {}", grouped(pairs), grouped_list(&penta)));
            }
            None => add("statistics", "of games, one by one: trinomial".to_owned()),
        }
        add("draws", share(total.draw_ratio));
        if total.pairs.is_some() {
            add("drawn pairs", share(total.pair_draw_ratio));
        }
    } else {
        let Wdl { draws, .. } = numbers.first_mover;
        let games = numbers.first_mover.total();
        add("draws", share(Estimate::wilson(draws as f64 / games.max(1) as f64, games as f64)));
    }
    add("+ = - of the first mover", wdl(numbers.first_mover));
    add("plies a game", numbers.mean_plies.map_or_else(|| "–".to_owned(), |plies| format!("{plies:.1}")));
    add("different openings", grouped(numbers.openings as u64));
    if let Some(fairness) = numbers.fairness.as_ref().filter(|_| numbers.units >= LEAST_PAIRS) {
        add("fairness of the openings", fairness.in_words.clone());
    }
    add("faults", faults(numbers));
    rows
}

fn pairing(row: &Strength) -> Vec<String> {
    let [one, other] = row.names.clone();
    let percent =
        |share: Option<Estimate>| share.map_or_else(String::new, |share| format!("{:.1}%", 100.0 * share.value));
    let elo = row.elo.map_or_else(String::new, |elo| interval(elo, 1));
    let counted = row.pairs.unwrap_or_else(|| row.games.total());
    vec![one, other, grouped(counted), elo, wdl(row.games), percent(row.score), format!("{:.1}%", 100.0 * row.los)]
}

/// The data of each entrant: in rows, or in columns if there are few.
fn entrants(numbers: &Numbers) -> Markup {
    let mut columns = entrant_columns(&numbers.entrants);
    // Leave out columns without values.
    columns.retain(|(_, values)| values.iter().any(|value| value != NOTHING));
    let names = numbers.entrants.iter().map(|entrant| entrant.name.as_str());
    if numbers.entrants.len() > MOST_BESIDE {
        let heads: Vec<&str> = std::iter::once("").chain(columns.iter().map(|(head, _)| *head)).collect();
        let row = |(index, name): (usize, &str)| {
            std::iter::once(name.to_owned()).chain(columns.iter().map(|(_, values)| values[index].clone())).collect()
        };
        return table(&heads, &names.enumerate().map(row).collect::<Vec<_>>());
    }
    let mut rows = vec![std::iter::once(String::new()).chain(names.map(str::to_owned)).collect::<Vec<_>>()];
    rows.extend(columns.into_iter().map(|(head, values)| [vec![head.to_owned()], values].concat()));
    list(&rows)
}

/// The maximum number of entrants with a column each: more would not fit side by side.
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
        ("ms a move: half, 99%", each(&|e| Some(format!("{}, {}", two_digits(e.median_ms?), two_digits(e.p99_ms?))))),
        ("nodes a move", each(&|e| e.nodes_a_move.map(|nodes| grouped(nodes.round() as u64)))),
        (
            "longest wait for a processor, ms",
            each(&|e| Some(e.delayed_ms).filter(|ms| *ms > 0.0).map(|ms| decimals(ms, 1))),
        ),
        ("latency", each(&|e| e.latency.map(latency))),
        ("slope of its evaluations (95%)", each(&|e| e.calibration.map(|fit| unsigned(fit.slope, 1.0, 2)))),
        ("score (%) where it says 0 (95%)", each(&|e| e.calibration.map(|fit| unsigned(fit.score_at_0(), 100.0, 0)))),
        ("games lost by a fault", each(&|e| Some(grouped(e.faults.values().sum())))),
    ]
}

/// A value with its interval, without signs.
fn unsigned(interval: Estimate, factor: f64, decimals: usize) -> String {
    let [value, low, high] = [interval.value, interval.low, interval.high].map(|x| factor * x);
    format!("{value:.decimals$} ({low:.decimals$} to {high:.decimals$})")
}

/// A positive number with two significant digits, but with all digits before the point.
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

/// By how much moves took longer than the player reports, and the precision of that.
fn latency(latency: Latency) -> String {
    let Latency { moves, unit_ms, said_too_much, p95_ms, .. } = latency;
    let too_much = 100.0 * said_too_much as f64 / moves as f64;
    let contradiction = if too_much >= 1.0 {
        format!("; in {too_much:.0}% of moves it reports more time than passed")
    } else {
        String::new()
    };
    format!(
        "{} ms or less in 95% of moves (it reports in units of {} ms){contradiction}",
        two_digits(p95_ms),
        short(unit_ms)
    )
}

fn wdl(games: Wdl) -> String {
    format!("+{} ={} -{}", grouped(games.wins), grouped(games.draws), grouped(games.losses))
}

/// The games to step through.
fn replays(games: &[Replay]) -> Markup {
    let content = html! {
        noscript { p { "Stepping through games needs JavaScript." } }
        (stage_markup())
        (sections::legend(games))
    };
    folded("replays", &format!("Games to look at: {}", games.len()), &content)
}

/// The games as data, and the script that shows them.
fn player(games: &[Replay]) -> Markup {
    // The browser reads the content as JSON, which must not end the element that holds it.
    let data = serde_json::to_string(games).unwrap_or_else(|_| "[]".to_owned()).replace('<', "\\u003c");
    html! {
        script type="application/json" id="data" { (PreEscaped(data)) }
        "\n" script { "\n" (PreEscaped(PIECES)) (PreEscaped(REPLAY)) (PreEscaped(SHOW)) "\n" }
    }
}

/// The HTML for stepping through games: the games to choose from, the board with its hands and its controls, the moves.
pub fn stage() -> String {
    stage_markup().into_string()
}

fn stage_markup() -> Markup {
    html! {
        div #replay tabindex="0" role="group" aria-label="A game; arrow keys step through it" {
            ol #choice aria-label="Games" {}
            div {
                p #players.faint {}
                (seat("second"))
                div #board {}
                (seat("first"))
                (controls())
                div #graph {}
                p #info {}
            }
            ol #moves aria-label="Moves; choose one to see its position" {}
        }
    }
}

/// The tables of a run, as HTML.
pub(crate) fn tables_of(numbers: &Numbers) -> String {
    tables(numbers).into_string()
}

/// The name, the pieces in hand and the clock of a side.
fn seat(side: &str) -> Markup {
    html! {
        div #{ "seat-" (side) } .seat {
            span #{ "name-" (side) } {}
            span #{ "hand-" (side) } .pieces role="img" aria-label="in hand: nothing" {}
            b #{ "clock-" (side) } hidden {}
        }
    }
}

fn controls() -> Markup {
    html! {
        div #controls {
            button #begin type="button" aria-label="to the start" { "|◀" }
            button #back type="button" aria-label="a ply back" { "◀" }
            input #slider type="range" min="0" value="0" aria-label="ply";
            button #next type="button" aria-label="a ply on" { "▶" }
            button #end type="button" aria-label="to the end" { "▶|" }
            b #score {}
        }
    }
}
