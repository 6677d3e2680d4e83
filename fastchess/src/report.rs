//! Blocks of text in the formats of fastchess and cutechess, made from counts. This module neither counts nor prints.

use super::numbers::{Halved, Numbers, decimals};
use arena::config::RunConfig;
use arena::run::{PairingStanding, SprtStanding, Standing};
use play::entrant::Entrant;
use play::{Limit, Timing};
use stats::{Counts, SprtConfig, Wdl};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// The line above and below a block.
const RULE: &str = "--------------------------------------------------";

/// A test's configuration and its state.
pub(super) type Test<'a> = (&'a SprtConfig, &'a SprtStanding);

/// The results of a run, as fastchess prints them at intervals and at the end.
pub(super) fn results(config: &RunConfig, standing: &Standing, test: Option<Test<'_>>) -> String {
    let body = match (config.entrants.as_slice(), standing.pairings()) {
        ([first, second], [pairing]) => duel(config, [first, second], &pairing.counts, test),
        _ => table(config, standing.pairings()),
    };
    format!("{RULE}\n{body}{RULE}\n")
}

fn duel(config: &RunConfig, [first, second]: [&Entrant; 2], counts: &Counts, test: Option<Test<'_>>) -> String {
    let Numbers { elo, nelo, los, draws, pairs_ratio, wl_dd } = Numbers::of(counts);
    let wdl = counts.wdl();
    let conditions = conditions(config, [first, second]);
    let mut text = format!(
        "Results of {} vs {} ({conditions}):\n\
         Elo: {}, nElo: {}\n\
         LOS: {:.2} %, DrawRatio: {:.2} %, PairsRatio: {}\n\
         Games: {}, Wins: {}, Losses: {}, Draws: {}, Points: {:.1} ({:.2} %)\n",
        first.name,
        second.name,
        plus_minus(elo),
        plus_minus(nelo),
        100.0 * los,
        100.0 * draws,
        decimals(pairs_ratio, 2),
        wdl.total(),
        wdl.wins,
        wdl.losses,
        wdl.draws,
        points(&wdl),
        100.0 * share(&wdl),
    );
    if let Some(pairs) = counts.pairs() {
        let (penta, wl_dd) = (pairs.pentanomial().0, decimals(wl_dd, 2));
        let _never_fails = writeln!(text, "Ptnml(0-2): {penta:?}, WL/DD Ratio: {wl_dd}");
    }
    if let Some((config, sprt)) = test {
        let (llr, percent) = (decimals(sprt.llr, 2), decimals(percent(sprt), 1));
        let SprtStanding { lower, upper, .. } = sprt;
        let _never_fails = writeln!(text, "LLR: {llr} ({percent}%) ({lower:.2}, {upper:.2}) {}", hypotheses(config));
    }
    text
}

/// The progress of the LLR towards the bound on its side, in percent; negative towards H0.
fn percent(sprt: &SprtStanding) -> f64 {
    let bound = if sprt.llr < 0.0 { -sprt.lower } else { sprt.upper };
    100.0 * sprt.llr / bound
}

/// `[0.00, 5.00]`.
pub(super) fn hypotheses(config: &SprtConfig) -> String {
    format!("[{:.2}, {:.2}]", config.elo0, config.elo1)
}

/// One row for each entrant, the strongest first.
fn table(config: &RunConfig, pairings: &[PairingStanding]) -> String {
    let mut rows: Vec<(&str, Counts, Numbers)> = (0..)
        .zip(&config.entrants)
        .map(|(index, entrant)| {
            let counts = counts_of(index, pairings);
            (entrant.name.as_str(), counts, Numbers::of(&counts))
        })
        .collect();
    rows.sort_by(|(.., a), (.., b)| b.elo.value.total_cmp(&a.elo.value));
    let mut text = format!(
        "{:>4} {:<25}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}{:>11}",
        "Rank", "Name", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draw"
    );
    let are_pairs = pairings.iter().all(|pairing| pairing.counts.pairs().is_some());
    let last = if are_pairs { "Ptnml(0-2)" } else { "" };
    let width = if are_pairs { 21 } else { 0 };
    let _never_fails = writeln!(text, "{last:>width$}");
    for (rank, (name, counts, numbers)) in (1..).zip(rows) {
        let wdl = counts.wdl();
        let [elo, nelo] = [numbers.elo, numbers.nelo]
            .map(|Halved { value, half }| format!("{:>11}{:>11}", decimals(value, 2), decimals(half, 2)));
        let [score, draws] = [share(&wdl), numbers.draws].map(|share| format!("{:.1}%", 100.0 * share));
        let penta =
            counts.pairs().map_or_else(String::new, |pairs| format!("{:>21}", format!("{:?}", pairs.pentanomial().0)));
        let games = wdl.total();
        let _never_fails = writeln!(text, "{rank:>4} {name:<25}{elo}{nelo}{games:>11}{score:>11}{draws:>11}{penta}");
    }
    text
}

/// All pairs or games of an entrant, from the entrant's view.
fn counts_of(entrant: u32, pairings: &[PairingStanding]) -> Counts {
    let own = pairings.iter().filter_map(|pairing| {
        if pairing.entrant == entrant {
            Some(pairing.counts)
        } else {
            (pairing.opponent == entrant).then(|| pairing.counts.mirror())
        }
    });
    own.reduce(|sum, counts| sum.merge(&counts).unwrap_or(sum)).unwrap_or_default()
}

/// The limits, threads, hash and book; settings that both entrants share are printed once.
fn conditions(config: &RunConfig, entrants: [&Entrant; 2]) -> String {
    let option = |name: &str, usual: &str, unit: &str| {
        let values = entrants.map(|entrant| option(entrant, name));
        let is_known = values.iter().any(Option::is_some) || !usual.is_empty();
        let usual = if usual.is_empty() { "?" } else { usual };
        is_known.then(|| common(values.map(|value| format!("{}{unit}", value.unwrap_or(usual)))))
    };
    let limits = common(entrants.map(|entrant| limit(entrant.player.limit().0)));
    let parts = [Some(limits), option("Threads", "1", "t"), option("Hash", "", "MB"), book(config)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn common([first, second]: [String; 2]) -> String {
    if first == second { first } else { format!("{first} - {second}") }
}

/// An option's value, as the configuration sets it.
pub(super) fn option<'a>(entrant: &'a Entrant, name: &str) -> Option<&'a str> {
    let options = &entrant.player.process()?.options;
    options.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

fn book(config: &RunConfig) -> Option<String> {
    Path::new(config.openings.file()?).file_name().map(|name| name.to_string_lossy().into_owned())
}

/// A limit in seconds, as fastchess formats it.
fn limit(limit: Limit) -> String {
    match (limit.timing(), limit.nodes(), limit.depth()) {
        (Some(Timing::Movetime(time)), ..) => format!("{}/move", time.as_secs_f64()),
        (Some(Timing::Hourglass(base)), ..) => format!("{} hourglass", base.as_secs_f64()),
        (Some(Timing::Clock { .. }), ..) => limit.clock_in_seconds().unwrap_or_default(),
        (None, Some(nodes), _) => format!("{nodes} nodes"),
        (None, None, depth) => format!("{} plies", depth.unwrap_or_default()),
    }
}

fn plus_minus(Halved { value, half }: Halved) -> String {
    format!("{} +/- {}", decimals(value, 2), decimals(half, 2))
}

fn points(wdl: &Wdl) -> f64 {
    wdl.wins as f64 + wdl.draws as f64 / 2.0
}

/// Points per game; 0 without games.
fn share(wdl: &Wdl) -> f64 {
    points(wdl) / wdl.total().max(1) as f64
}

/// `5 - 0 - 1  [0.917] 6`: wins, losses, draws, points per game, games.
fn score(wdl: &Wdl) -> String {
    format!("{} - {} - {}  [{:.3}] {}", wdl.wins, wdl.losses, wdl.draws, share(wdl), wdl.total())
}

/// The games of one entrant against another, by colour.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ByColour {
    /// With White.
    pub(super) white: Wdl,
    /// With Black.
    pub(super) black: Wdl,
}

impl ByColour {
    fn all(&self) -> Wdl {
        self.white.merge(&self.black).unwrap_or(self.white)
    }

    /// The line that cutechess prints after a game.
    pub(super) fn score_line(&self, names: [&str; 2]) -> String {
        format!("Score of {} vs {}: {}\n", names[0], names[1], score(&self.all()))
    }

    /// cutechess's final lines about two players.
    pub(super) fn closing(
        &self,
        names: [&str; 2],
        counts: &Counts,
        test: Option<Test<'_>>,
        decision: Option<&str>,
    ) -> String {
        let by_white = self.white.merge(&self.black.mirror()).unwrap_or(self.white);
        let Numbers { elo, los, .. } = Numbers::of(counts);
        let all = self.all();
        let draws = 100.0 * all.draws as f64 / all.total().max(1) as f64;
        let [value, half] = [elo.value, elo.half].map(|number| decimals(number, 1));
        let mut text = format!(
            "...      {} playing White: {}\n...      {} playing Black: {}\n...      White vs Black: {}\n\
             Elo difference: {value} +/- {half}, LOS: {:.1} %, DrawRatio: {draws:.1} %\n",
            names[0],
            score(&self.white),
            names[0],
            score(&self.black),
            score(&by_white),
            100.0 * los,
        );
        if let Some((_, sprt)) = test {
            let SprtStanding { llr, lower, upper, .. } = sprt;
            let decision = decision.map(|decision| format!(" - {decision} was accepted")).unwrap_or_default();
            let _never_fails = writeln!(
                text,
                "SPRT: llr {} ({}%), lbound {lower:.2}, ubound {upper:.2}{decision}",
                decimals(*llr, 2),
                decimals(percent(sprt), 1)
            );
        }
        text
    }
}

/// `00:01:30 (hours:minutes:seconds)`.
pub(super) fn total_time(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("Total Time: {:02}:{:02}:{:02} (hours:minutes:seconds)\n", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use arena::run::StandingOf;
    use plan::{Disk, load};
    use play::book::{BookFile, BookFormat};
    use play::openings::{BookOrder, BookSource, OpeningSource};
    use stats::PairCounts;
    use stats::sprt::llr_of_counts;
    use std::num::NonZeroU64;

    /// A match from a book between engines with these names and nodes per move.
    fn config(engines: &[(&str, u64)]) -> RunConfig {
        let entrant = |(name, nodes): &(&str, u64)| {
            format!("[[entrant]]\nname = '{name}'\ncmd = 'sf'\nlimit = '{nodes} nodes'\noptions.Hash = 1\n")
        };
        let entrants: String = engines.iter().map(entrant).collect();
        let text = format!("game = 'chess'\n[match]\npairs = 1\nschedule = 'round-robin'\n{entrants}");
        let mut run = load(&text, "test", "test", &[], Job::Match, Disk).expect("valid").run;
        let file = BookFile { path: "books/open8.epd".to_owned(), format: BookFormat::Epd, plies: None };
        let (order, start) = (BookOrder::Sequential, NonZeroU64::MIN);
        run.openings = OpeningSource::Book(BookSource { file, order, start, hash: String::new() });
        run
    }

    fn standing(pairings: &[(u32, u32, [u64; 6])]) -> Standing {
        let pairing =
            |&(entrant, opponent, counts)| PairingStanding { entrant, opponent, counts: PairCounts(counts).into() };
        let pairings: Vec<PairingStanding> = pairings.iter().map(pairing).collect();
        let counts = pairings[0].counts;
        Standing { pairs: counts.total(), counts, pairs_left: None, of: StandingOf::Match { pairings } }
    }

    /// The expected text is printed by fastchess alpha 1.8.2.
    #[test]
    fn the_block_of_a_test_is_that_of_fastchess() {
        let config = config(&[("new", 400), ("base", 200)]);
        let test = SprtConfig { elo0: 0.0, elo1: 30.0, overshoot: false, ..SprtConfig::default() };
        let standing = standing(&[(0, 1, [4, 0, 37, 0, 2, 21])]);
        let llr = llr_of_counts(&test, &standing.counts).expect("a test");
        let stats::Bounds { lower, upper } = test.wald_bounds();
        let sprt = SprtStanding { llr, lower, upper, decided: None };
        let expected = "\
--------------------------------------------------
Results of new vs base (400 nodes - 200 nodes, 1t, 1MB, open8.epd):
Elo: 100.42 +/- 52.73, nElo: 122.27 +/- 60.19
LOS: 100.00 %, DrawRatio: 57.81 %, PairsRatio: 5.75
Games: 128, Wins: 81, Losses: 45, Draws: 2, Points: 82.0 (64.06 %)
Ptnml(0-2): [4, 0, 37, 2, 21], WL/DD Ratio: inf
LLR: 3.01 (102.3%) (-2.94, 2.94) [0.00, 30.00]
--------------------------------------------------
";
        assert_eq!(results(&config, &standing, Some((&test, &sprt))), expected);
        let behind = SprtStanding { llr: -1.0, ..sprt };
        assert!(results(&config, &standing, Some((&test, &behind))).contains("LLR: -1.00 (-34.0%) (-2.94, 2.94)"));
    }

    /// The expected text is printed by fastchess alpha 1.8.2. Only the sums of these pairings are known; several
    /// combinations add up to them.
    #[test]
    fn the_table_of_three_is_that_of_fastchess() {
        let config = config(&[("n400", 400), ("n200", 200), ("n100", 100)]);
        let pairings = [(0, 1, [1, 1, 1, 0, 1, 1]), (0, 2, [0, 1, 1, 0, 0, 3]), (1, 2, [0, 0, 1, 0, 2, 2])];
        let expected = "\
--------------------------------------------------
Rank Name                             Elo        +/-       nElo        +/-      Games      Score       Draw           \
Ptnml(0-2)
   1 n200                          107.54     166.48     115.10     152.27         20      65.0%      20.0%      [1, \
   1, 2, 3, 3]
   2 n400                           88.74     182.62      85.79     152.27         20      62.5%      20.0%      [1, \
   2, 2, 1, 4]
   3 n100                         -214.85     194.11    -258.84     152.27         20      22.5%      20.0%      [5, \
   2, 2, 1, 0]
--------------------------------------------------
";
        assert_eq!(results(&config, &standing(&pairings), None), expected);
    }

    #[test]
    fn times_and_limits() {
        assert_eq!(total_time(Duration::from_secs(3_725)), "Total Time: 01:02:05 (hours:minutes:seconds)\n");
        let clock = |moves, increment| Limit::Clock {
            base: Duration::from_mins(1),
            increment: Duration::from_millis(increment),
            moves: std::num::NonZeroU32::new(moves),
        };
        assert_eq!((limit(clock(40, 600)), limit(clock(0, 0))), ("40/60+0.6".to_owned(), "60".to_owned()));
    }
}
