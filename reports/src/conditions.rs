//! The conditions of a run: everything that a reader needs to play it again, and where and when it was played. Names
//! and values are in plain words; machines read the run's configuration instead.

use crate::summary::introductions;
use crate::text::{counted, grouped, utc};
use arena::config::{ExperimentConfig, HostScale, RunConfig, TimeScale};
use arena::run::{BuildId, Header, OnStarvation, StarvedCount, StoredSession};
use play::entrant::{MovesSent, NativeSpec, PlayerSpec, ProcessSpec, Restart, UnknownOptions};
use play::players::process::Introduction;
use play::{Adjudication, Conventions, TableResults, TableRuling, TimeSource};
use serde::Serialize;
use std::fmt;
use std::num::NonZeroU64;

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// The name of the condition.
    pub name: String,
    /// The value in words.
    pub value: String,
}

/// The conditions of an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntrantConditions {
    /// The entrant's name in the run.
    pub name: String,
    /// The kind of player, and its settings.
    pub conditions: Vec<Condition>,
}

/// A session of work on the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionRow {
    /// When the session began, in UTC.
    pub started: String,
    /// When the session ended or last committed, in UTC.
    pub ended: String,
    /// The host.
    pub host: String,
    /// The number of simultaneous games; 0: other machines played.
    pub workers: usize,
    /// The scale of time controls, if they were scaled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<ScaleRow>,
    /// The scale of time controls on each worker of a fleet, if they were scaled.
    #[serde(skip_serializing_if = "ScaledOn::is_empty")]
    pub workers_scaled: ScaledOn,
    /// The version of spar.
    pub version: String,
}

/// How the time controls of a session were scaled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScaleRow {
    /// The factor by which time controls were multiplied.
    pub factor: f64,
    /// The nodes a second in the bench, if it was run.
    pub nodes_per_second: Option<NonZeroU64>,
}

impl From<HostScale> for ScaleRow {
    fn from(HostScale { factor, measured }: HostScale) -> Self {
        Self { factor, nodes_per_second: measured }
    }
}

/// `1.250, by 800,000 nodes/s`.
impl fmt::Display for ScaleRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.factor)?;
        self.nodes_per_second.map_or(Ok(()), |nps| write!(f, ", by {} nodes/s", grouped(nps.get())))
    }
}

/// The conditions of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Conditions {
    /// The conditions that all entrants share.
    pub run: Vec<Condition>,
    /// By entrant.
    pub entrants: Vec<EntrantConditions>,
    /// Sessions of work, the first one first; not part of what is reproducible.
    pub sessions: Vec<SessionRow>,
}

impl Conditions {
    /// The conditions of a run with this many absorbed pairs.
    pub(crate) fn new(header: &Header, sessions: &[StoredSession], starved: StarvedCount, pairs: u64) -> Self {
        let entrants = header.config.entrants.iter().enumerate().map(|(number, entrant)| {
            let mut list = List::default();
            list.player(&entrant.player, header.builds.get(number), &introductions(sessions, number));
            EntrantConditions { name: entrant.name.clone(), conditions: list.0 }
        });
        let mut run = List::default();
        run.run(&header.config, starved.games, pairs);
        Self { run: run.0, entrants: entrants.collect(), sessions: sessions.iter().map(session).collect() }
    }
}

fn session(stored: &StoredSession) -> SessionRow {
    let session = &stored.session;
    let (host, version) = (session.host.clone(), session.version.clone());
    SessionRow {
        started: utc(session.started_unix_ms),
        ended: utc(stored.ended_unix_ms),
        host,
        workers: session.concurrency,
        scale: stored.scale.map(ScaleRow::from),
        workers_scaled: ScaledOn::workers(stored),
        version,
    }
}

/// The maximum number of hosts that are named; of more, only the range is given.
const MOST_NAMED: usize = 8;

/// The scale of time controls in each session of work or on each worker of a fleet that scaled them; equal entries of a
/// host are listed once.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ScaledOn(Vec<(String, ScaleRow)>);

impl ScaledOn {
    /// The scales of a run's sessions.
    pub fn new(sessions: &[StoredSession]) -> Self {
        let mut rows: Vec<(String, ScaleRow)> = Vec::new();
        for stored in sessions {
            let row = stored.scale.map(|scale| (stored.session.host.clone(), ScaleRow::from(scale)));
            for row in row.into_iter().chain(Self::workers(stored).0) {
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        Self(rows)
    }

    /// The scales of the workers of a session.
    fn workers(stored: &StoredSession) -> Self {
        let rows = stored.worker_scales.iter().map(|(worker, scale)| (worker.clone(), ScaleRow::from(*scale)));
        Self(rows.collect())
    }

    /// Whether no time controls were scaled.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Hosts and their factors, the first one first.
    pub fn iter(&self) -> impl Iterator<Item = (&str, ScaleRow)> {
        self.0.iter().map(|(host, scale)| (host.as_str(), *scale))
    }
}

/// `× 1.250 on a; × 0.800 on b`.
impl fmt::Display for ScaledOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.len() > MOST_NAMED {
            let factors = || self.0.iter().map(|(_, scale)| scale.factor);
            let (least, most) = (factors().fold(f64::INFINITY, f64::min), factors().fold(0.0, f64::max));
            return write!(f, "× {least:.3} to {most:.3} on {} machines", grouped(self.0.len() as u64));
        }
        let rows: Vec<String> = self.iter().map(|(host, scale)| format!("× {scale} on {host}")).collect();
        f.write_str(&rows.join("; "))
    }
}

/// The conditions collected so far.
#[derive(Default)]
struct List(Vec<Condition>);

impl List {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push(Condition { name: name.to_owned(), value: value.into() });
    }

    fn run(&mut self, config: &RunConfig, starved: u64, pairs: u64) {
        self.add("game", config.game.to_string());
        self.add("seed", config.seed.to_string());
        let rounds = config.experiment.rounds();
        if let Some(words) = rounds.in_words() {
            let model = if rounds.counts_pairs() { "pentanomial" } else { "trinomial" };
            self.add("games", format!("{words}; {model} model"));
        }
        if let ExperimentConfig::Sprt { test, max_pairs, .. } = &config.experiment {
            let unit = rounds.unit();
            let most = max_pairs
                .map_or_else(|| "no limit".to_owned(), |most| format!("{} at most", counted(most.get(), unit)));
            self.add(
                "test",
                format!("{:?} model, alpha {}, beta {}; {most}", test.model, test.alpha, test.beta).to_lowercase(),
            );
        }
        for (name, text) in config.openings.conditions(grouped) {
            self.add(name, text);
        }
        if let Some(scale) = &config.scale {
            self.add("time controls", format!("scaled {}", spoken_scale(scale)));
        }
        self.add("ended early", adjudication(&config.rules.adjudication));
        match config.rules.conventions {
            Conventions::Cutechess => {}
            Conventions::Fastchess => self.add(
                "conventions",
                "fastchess's: the increment before the first move, moves counted as the position does",
            ),
            Conventions::Fide => self.add(
                "conventions",
                "FIDE's: a player that loses on time draws if its opponent has no material to win with",
            ),
        }
        // Waits are measured only for processes whose time the wall clock measures.
        let is_timed = |player: &PlayerSpec| player.process().is_some_and(|process| process.limit.reads_time());
        if config.entrants.iter().any(|entrant| is_timed(&entrant.player)) {
            let action = match config.starvation.action {
                OnStarvation::Mark => "counted",
                OnStarvation::Replay => "played again",
            };
            let (starved, games, threshold) =
                (grouped(starved), counted(rounds.games_each() * pairs, "game"), config.starvation.threshold);
            let rule = format!("a player waited {threshold:?} or more for a processor within a move; {action}");
            self.add("starved by the host", format!("{starved} of {games} ({rule})"));
        }
    }

    fn player(&mut self, player: &PlayerSpec, build: Option<&BuildId>, introductions: &[&Introduction]) {
        match player {
            PlayerSpec::Random => self.add("player", "random legal moves"),
            PlayerSpec::Native(native) => self.native(native),
            PlayerSpec::Process(process) => self.process(process, introductions),
            PlayerSpec::Custom(custom) => {
                self.add("player", "a player of the program that ran this");
                self.add("limit", custom.limit.to_string());
                custom.settings.iter().for_each(|(name, value)| self.add(name, value));
            }
        }
        match build {
            Some(BuildId::Native { bench, params, network, policy }) => {
                self.add("build", format!("bench {}, parameter table {params}", grouped(*bench)));
                if let Some(sha256) = network {
                    self.add("network's SHA-256", sha256.clone());
                }
                if let Some(sha256) = policy {
                    self.add("policy's SHA-256", sha256.clone());
                }
            }
            Some(BuildId::Process { sha256 }) => self.add("program's SHA-256", sha256.clone()),
            Some(BuildId::Remote { address }) => {
                self.add("build", format!("not known: it plays over TCP at {address}"));
            }
            Some(BuildId::Random | BuildId::Custom) | None => {}
        }
    }

    fn native(&mut self, native: &NativeSpec) {
        self.add("player", "the 0.1 engine, in process");
        self.add("evaluation", native.evaluation.to_string());
        if let Some(file) = &native.network {
            self.add("network", file.clone());
        }
        if let Some(file) = &native.policy {
            self.add("policy", file.clone());
        }
        self.add("table", size(native.table_bytes));
        let clock = match native.source {
            TimeSource::Nodes { per_second } if native.limit.reads_time() => {
                format!(" on a clock of {} nodes/s", grouped(per_second.get()))
            }
            _ => String::new(),
        };
        self.add("limit", format!("{}{clock}", native.limit));
        let changed = native.params.iter().filter(|(info, value)| value.to_bits() != info.default.to_bits());
        let changed: Vec<String> = changed.map(|(info, value)| format!("{} = {value}", info.name)).collect();
        self.add("parameters", if changed.is_empty() { "all as by default".to_owned() } else { changed.join(", ") });
    }

    fn process(&mut self, process: &ProcessSpec, introductions: &[&Introduction]) {
        for Introduction { name, author } in introductions {
            let by = if author.is_empty() { String::new() } else { format!(" by {author}") };
            self.add("calls itself", format!("{name}{by}"));
        }
        let command = std::iter::once(&process.command).chain(&process.arguments);
        self.add("command", command.map(String::as_str).collect::<Vec<_>>().join(" "));
        if let Some(directory) = &process.directory {
            self.add("folder", directory.display().to_string());
        }
        let settings = |pairs: Vec<String>| if pairs.is_empty() { "none set".to_owned() } else { pairs.join(", ") };
        if !process.environment.is_empty() {
            self.add("environment", settings(process.environment.iter().map(|(k, v)| format!("{k}={v}")).collect()));
        }
        self.add("protocol", process.protocol.name());
        self.add("options", settings(process.options.iter().map(|(k, v)| format!("{k} = {v}")).collect()));
        if !process.init.is_empty() {
            self.add("sent at the start", process.init.join(" · "));
        }
        let margin = if process.limit.reads_time() {
            format!(", {:?} of overrun forgiven", process.margin)
        } else {
            String::new()
        };
        self.add("limit", format!("{}{margin}", process.limit));
        if process.handling.moves == MovesSent::SinceIrreversible {
            self.add("sent", "the moves since the last irreversible one, and the position after that");
        }
        if process.handling.ponder {
            self.add("ponders", "on its opponent's time");
        }
        if process.handling.unknown_options == UnknownOptions::Warn {
            self.add("unknown options", "ignored");
        }
        if process.restart == Restart::EachGame {
            self.add("restarted", "for each game");
        }
        if let Some(nice) = process.nice {
            self.add("niceness", nice.to_string());
        }
    }
}

/// The reference for scaling time controls, in words.
pub(crate) fn spoken_scale(scale: &TimeScale) -> String {
    match scale {
        TimeScale::Bench(reference) => {
            let arguments = reference.arguments.iter().map(String::as_str);
            let command = std::iter::once(reference.entrant.as_str()).chain(arguments).collect::<Vec<_>>().join(" ");
            format!("to a host on which `{command}` does {} nodes/s", grouped(reference.nps.get()))
        }
        TimeScale::Given => "by a factor given on each host".to_owned(),
    }
}

/// When adjudication ends games, in words.
fn adjudication(rules: &Adjudication) -> String {
    let Adjudication { draw, resign, max_plies, tables } = rules;
    let draw = draw.as_ref().map(|draw| {
        format!(
            "drawn from move {} on after {} within ±{} cp",
            draw.from_move,
            counted(draw.moves.get().into(), "move"),
            draw.score
        )
    });
    let resign = resign.as_ref().map(|resign| {
        let both = if resign.two_sided { ", said by both" } else { "" };
        format!("resigned after {} at -{} cp or less{both}", counted(resign.moves.get().into(), "move"), resign.score)
    });
    let longest = max_plies.map(|plies| format!("drawn after {}", counted(u64::from(plies.get()), "ply")));
    let tables = tables.as_ref().map(|TableRuling { path, pieces, ignore_50, results }| {
        let rule = if *ignore_50 { ", the fifty-move rule ignored" } else { "" };
        let results = match results {
            TableResults::All => "",
            TableResults::Wins => ", wins alone",
            TableResults::Draws => ", draws alone",
        };
        format!("by the endgame tables of up to {pieces} men in {path}{results}{rule}")
    });
    let all: Vec<String> = [draw, resign, longest, tables].into_iter().flatten().collect();
    if all.is_empty() { "never".to_owned() } else { all.join("; ") }
}

/// A number of bytes in the largest unit that divides it.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(unit, _)| bytes > 0 && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_their_unit() {
        assert_eq!([1 << 16, 3 << 20, 1 << 30, 1000].map(size), ["64 KiB", "3 MiB", "1 GiB", "1000 bytes"]);
    }
}
