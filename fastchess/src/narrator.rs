//! Prints a run as fastchess does, while it is played: games in pair order as their pairs are absorbed, and results at
//! intervals.
//!
//! The narrator reads the journal and counts with its own experiment. So every line is at the place that it has in an
//! uninterrupted run, and never ahead of the decision.

use super::engine_output::Wishes;
use super::games::GameFiles;
use super::log::{Lines, Printer, WARNING};
use super::report::{self, ByColour};
use super::request::{Form, Request, Style};
use crate::error::FastchessError;
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{Experiment, Follower, PairingStanding, PgnComments, StoredResult, Verdict};
use play::{BySide, Ending, Fault, LinesKept, Side, as_fastchess, fastchess_reason};
use stats::{Score, SprtConfig};
use std::fmt::Write as _;
use std::io::Write;
use std::num::NonZeroU64;
use std::time::Duration;

/// Prints one run.
pub(super) struct Narrator<'a> {
    config: &'a RunConfig,
    style: Style,
    wishes: Wishes,
    follower: Follower,
    /// The experiment that absorbs the printed pairs.
    experiment: Box<dyn Experiment>,
    files: GameFiles<'a>,
    /// The number of printed games in all pairings, followed by the scores of each pairing by colour.
    games: u64,
    by_colour: Vec<ByColour>,
    /// The number of games at the last results that this session printed.
    reported: u64,
    /// How often each entrant was late and how often it crashed.
    faults: Vec<FaultTally>,
    /// Whether anything printed so far counts as a warning.
    has_warned: bool,
}

/// How often a player lost on time, and how often by a crash.
#[derive(Clone, Copy, Debug, Default)]
struct FaultTally {
    late: u64,
    crashed: u64,
}

/// The end of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum End<'a> {
    /// The run is complete.
    Complete,
    /// The run was interrupted; the text is a command line that resumes it.
    Interrupted(&'a str),
}

impl<'a> Narrator<'a> {
    /// Makes the narrator before the first game. `experiment` is the run's own, before its first pair.
    pub(super) fn new(
        config: &'a RunConfig,
        request: &Request,
        follower: Follower,
        experiment: Box<dyn Experiment>,
        files: GameFiles<'a>,
    ) -> Self {
        let by_colour = vec![ByColour::default(); experiment.standing().pairings().len()];
        let faults = vec![FaultTally::default(); config.entrants.len()];
        let (style, wishes, has_warned) = (request.style, request.wishes.clone(), false);
        Self {
            config,
            style,
            wishes,
            follower,
            experiment,
            files,
            games: 0,
            by_colour,
            reported: 0,
            faults,
            has_warned,
        }
    }

    /// Whether anything printed so far counts as a warning.
    pub(super) fn has_warned(&self) -> bool {
        self.has_warned
    }

    /// Prints the games of all pairs below `pairs` that are not printed yet. Returns the number of printed pairs.
    ///
    /// # Errors
    /// The journal cannot be read, or a file cannot be written.
    pub(super) fn catch_up(&mut self, pairs: u64, out: &mut Printer<'_, impl Write>) -> Result<u64, FastchessError> {
        let printed = self.experiment.standing().pairs;
        if printed >= pairs {
            return Ok(printed);
        }
        let mut text = Lines::default();
        for _ in printed..pairs {
            // One pair at a time, because printing borrows the whole narrator.
            let Some((stored, lines)) = self.next(pairs)? else { break };
            self.pair(&stored, &lines, &mut text);
            let remarks = self.wishes.remarks(&lines);
            text.push(&self.files.write(&stored, &remarks, || self.follower.introductions())?);
        }
        self.files.flush()?;
        out.print_lines(&text);
        Ok(self.experiment.standing().pairs)
    }

    /// Returns the next pair below `pairs`, and the requested lines of its engines.
    fn next(&mut self, pairs: u64) -> Result<Option<(StoredResult, PgnComments)>, FastchessError> {
        let Some(stored) = self.follower.absorbed(pairs).next().transpose()? else { return Ok(None) };
        let lines = match self.wishes.kept() {
            LinesKept::None => PgnComments::default(),
            _ => self.follower.lines(stored.result.pair)?,
        };
        Ok(Some((stored, lines)))
    }

    /// Counts the pairs below `pairs`, which an earlier session printed.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub(super) fn pass_over(&mut self, pairs: u64) -> Result<(), FastchessError> {
        while self.experiment.standing().pairs < pairs {
            let Some((stored, lines)) = self.next(pairs)? else { break };
            self.pair(&stored, &lines, &mut Lines::default());
        }
        (self.reported, self.has_warned) = (0, false);
        Ok(())
    }

    /// Prints how the run ended, after `time` of play.
    pub(super) fn end(&self, time: Duration, end: End<'_>, out: &mut Printer<'_, impl Write>) {
        let mut text = String::new();
        match self.style.form() {
            Form::Fastchess => {
                if self.reported != self.games || self.games == 0 {
                    text.push_str(&self.results());
                }
                if let Some((decision, test)) = self.decision().zip(self.test()) {
                    let hypotheses = report::hypotheses(test);
                    let _never_fails = writeln!(text, "SPRT ({hypotheses}) completed - {decision} was accepted");
                }
                text.push_str(&self.fault_counts());
            }
            Form::Cutechess => text.push_str(&self.closing()),
        }
        if let End::Interrupted(how) = end {
            let _never_fails = writeln!(text, "Tournament was interrupted. To resume the tournament, run: {how}");
        }
        text.push_str("Finished match\n");
        if self.style.form() == Form::Fastchess {
            text.push_str(&report::total_time(time));
            text.push('\n');
        }
        out.print(&text);
    }

    /// The timeouts and crashes of the players that had any, or of all players if the user asked for that.
    fn fault_counts(&self) -> String {
        let players = self.config.entrants.iter().zip(&self.faults);
        let faults = players.filter(|(_, FaultTally { late, crashed })| self.style.tells_faults || late + crashed > 0);
        let faults = faults.map(|(player, FaultTally { late, crashed })| {
            format!("Player: {}\n  Timeouts: {late}\n  Crashed: {crashed}\n", player.name)
        });
        let faults: String = faults.collect();
        if faults.is_empty() { faults } else { format!("\n{faults}\n") }
    }

    fn decision(&self) -> Option<&'static str> {
        match self.experiment.verdict() {
            Some(Verdict::AcceptedH1) => Some("H1"),
            Some(Verdict::AcceptedH0) => Some("H0"),
            _ => None,
        }
    }

    /// Prints the games of the next pair, and the results if they are due.
    fn pair(&mut self, stored: &StoredResult, lines: &PgnComments, text: &mut Lines) {
        let before = self.games;
        for (game, (record, side_of_first)) in stored.result.seated_games().enumerate() {
            let names = self.names(stored);
            let names = if side_of_first == Side::First { names } else { [names[1], names[0]] };
            let warnings = self.wishes.line_warnings(self.config, stored, game, &lines[game], names);
            self.has_warned |= !warnings.is_empty();
            self.game(stored, &record.ending, side_of_first, &warnings, text);
        }
        let pair = stored.result.pair;
        if let Some(proposal) = self.experiment.propose(pair) {
            self.experiment.absorb_outcome(pair, &proposal, stored.result.outcome());
        }
        // The interval counts pairs if the run counts pairs, else games.
        let counts_pairs = self.config.experiment.rounds().counts_pairs();
        let is_due = |interval: NonZeroU64| {
            if counts_pairs {
                (pair + 1).is_multiple_of(interval.get())
            } else {
                self.games / interval > before / interval
            }
        };
        if self.style.form() == Form::Fastchess && self.style.rating_interval.is_some_and(is_due) {
            text.push(&self.results());
            self.reported = self.games;
        }
    }

    fn game(&mut self, stored: &StoredResult, ending: &Ending, side_of_first: Side, warnings: &str, text: &mut Lines) {
        self.games += 1;
        let names = self.names(stored);
        let [white, black] = if side_of_first == Side::First { names } else { [names[1], names[0]] };
        let (number, most) = (self.games, self.most_games());
        let seats = [0, 1].map(|seat| stored.proposal.seats[seat].entrant as usize);
        let [white_seat, black_seat] = if side_of_first == Side::First { seats } else { [seats[1], seats[0]] };
        let players = BySide { first: white_seat, second: black_seat };
        let why = without_line_breaks(&fastchess_reason(ending, self.config.game.side_names()));
        let ending = &as_fastchess(ending);
        let result = match ending.score(Side::First) {
            Score::Win => "1-0",
            Score::Draw => "1/2-1/2",
            Score::Loss => "0-1",
        };
        let _never_fails = writeln!(text, "Started game {number} of {most} ({white} vs {black})");
        text.push(warnings);
        if let Some((loser, fault)) = ending.fault() {
            self.note_fault(players[loser], fault, text);
        }
        let _never_fails = writeln!(text, "Finished game {number} ({white} vs {black}): {result} {{{why}}}");
        let Some(pairing) = self.pairing(stored) else { return };
        if self.by_colour.len() <= pairing {
            self.by_colour.resize(pairing + 1, ByColour::default());
        }
        let by_colour = &mut self.by_colour[pairing];
        let games = if side_of_first == Side::First { &mut by_colour.white } else { &mut by_colour.black };
        games.add(ending.score(side_of_first));
        let is_due = |interval: NonZeroU64| number % interval == 0;
        if self.style.form() == Form::Cutechess && self.style.score_interval.is_some_and(is_due) {
            text.push(&by_colour.score_line(names));
            self.reported = number;
        }
    }

    /// Counts a fault and warns about it. If the end of the game reports the fault, the warning goes only to the log,
    /// as in fastchess.
    fn note_fault(&mut self, entrant: usize, fault: &Fault, text: &mut Lines) {
        let (Some(tally), Some(player)) = (self.faults.get_mut(entrant), self.config.entrants.get(entrant)) else {
            return;
        };
        match fault {
            Fault::Time { .. } => {
                tally.late += 1;
                text.log_warning(&format!("Engine {} loses on time", player.name));
            }
            Fault::Crash(_) | Fault::Startup(_) => {
                tally.crashed += 1;
                text.log_warning(&format!("Engine {} disconnects", player.name));
            }
            Fault::Silence { .. } => {
                tally.crashed += 1;
                text.log_warning(&format!("Engine {} stalls", player.name));
            }
            Fault::FalseClaim(claim) => {
                let claim = without_line_breaks(claim);
                let _never_fails = writeln!(text, "{WARNING}False claim {claim} by {}", player.name);
                self.has_warned = true;
            }
            Fault::IllegalMove(mv) => {
                let mv = without_line_breaks(mv);
                let _never_fails = writeln!(text, "{WARNING}Illegal move {mv} played by {}", player.name);
                self.has_warned = true;
            }
        }
    }

    /// The names of the players in a pair's two seats.
    fn names(&self, stored: &StoredResult) -> [&'a str; 2] {
        let seats = &stored.proposal.seats;
        [0, 1].map(|seat| {
            self.config.entrants.get(seats[seat].entrant as usize).map_or("?", |entrant| entrant.name.as_str())
        })
    }

    /// The pairing of a pair.
    fn pairing(&self, stored: &StoredResult) -> Option<usize> {
        let [first, second] = [0, 1].map(|seat| stored.proposal.seats[seat].entrant);
        let standing = self.experiment.standing();
        standing.pairings().iter().position(|pairing| (pairing.entrant, pairing.opponent) == (first, second))
    }

    /// The most games of the run.
    fn most_games(&self) -> u64 {
        let pairs = match &self.config.experiment {
            ExperimentConfig::Sprt { max_pairs, .. } => max_pairs.map_or(0, NonZeroU64::get),
            ExperimentConfig::Match { .. } => {
                let standing = self.experiment.standing();
                standing.pairs.saturating_add(standing.pairs_left.unwrap_or(0))
            }
            ExperimentConfig::Tune(tune) => tune.pairs.get(),
            ExperimentConfig::Ladder(ladder) => ladder.pairs.get(),
            ExperimentConfig::Selfplay { games, .. } => games.get(),
        };
        pairs.saturating_mul(self.config.experiment.rounds().games_each())
    }

    fn test(&self) -> Option<&'a SprtConfig> {
        self.config.experiment.sprt()
    }

    fn results(&self) -> String {
        let standing = self.experiment.standing();
        report::results(self.config, &standing, self.test().zip(standing.sprt()))
    }

    /// cutechess's final lines for each pairing.
    fn closing(&self) -> String {
        let standing = self.experiment.standing();
        let test = self.test().zip(standing.sprt());
        let name = |entrant: u32| self.config.entrants.get(entrant as usize).map_or("?", |entrant| &entrant.name);
        let of = |(pairing, by_colour): (&PairingStanding, &ByColour)| {
            let names = [name(pairing.entrant), name(pairing.opponent)];
            // The score after the last game is printed already, unless there are several pairings or scores are not
            // printed after each game.
            let is_each_printed = self.by_colour.len() == 1 && self.style.score_interval == Some(NonZeroU64::MIN);
            let is_printed = is_each_printed && self.reported == self.games;
            let score = if is_printed { String::new() } else { by_colour.score_line(names) };
            score + &by_colour.closing(names, &pairing.counts, test, self.decision())
        };
        standing.pairings().iter().zip(&self.by_colour).map(of).collect()
    }
}

/// Replaces line breaks: a reason may contain an engine's output.
fn without_line_breaks(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
