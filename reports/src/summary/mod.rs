//! The summary of a run at its end, or at any time on request: for people in words, for machines in JSON.

mod faulty;
mod format;
pub mod ladder;
mod players;
mod tested_elo;
mod tournament;
pub mod tuning;

pub use self::faulty::percent;
pub use self::format::finite;
use self::format::row;
use self::ladder as table;
pub use self::players::Players;
pub(crate) use self::players::introductions;
pub use self::tested_elo::{TestedElo, reported_elo};
use crate::text::{counted, grouped, probability, signed, who_plays};
use crate::tuned::{Pasted, cautions, expectation, of_limits};
use crate::{Cut, RatedLadder, ScaledOn, Tournament};
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{
    DecidedElo, FaultCount, OnStarvation, PairingStanding, Standing, StarvedCount, TooFaulty, TuneStanding, Verdict,
};
use play::entrant::{Entrant, PlayerSpec};
use play::{Limit, TimeSource};
use serde_json::{Value, json};
use stats::{Counts, Estimate, Model, PairCounts, SprtConfig, Summary};
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// The summary of a run.
pub struct RunSummary<'a> {
    /// The configuration of the run.
    pub config: &'a RunConfig,
    /// The run's standing.
    pub standing: &'a Standing,
    /// The run's verdict, if it has one.
    pub verdict: Option<Verdict>,
    /// The entrant whose faults have stopped the run, if there is one.
    pub too_faulty: Option<TooFaulty>,
    /// Games lost by a fault, for each entrant.
    pub faults: Vec<FaultCount>,
    /// The games and pairs that the host starved.
    pub starved: StarvedCount,
    /// The run's folder.
    pub path: &'a Path,
    /// The total duration of all sessions, if it is known.
    pub elapsed: Option<Duration>,
    /// The scale of time controls on each host.
    pub scaled: ScaledOn,
    /// What the result leaves out, if the limit was lowered below the number of pairs played.
    pub cut: Option<Cut>,
}

/// The headline of a run: who plays, what, and how. 0 workers mean a fleet.
pub fn headline(config: &RunConfig, workers: usize) -> String {
    format!("{} · {} · seed {}", what(config), who_plays(workers), config.seed)
}

/// The headline of a run, even while another process works on it.
pub fn title(config: &RunConfig) -> String {
    format!("{} · seed {}", what(config), config.seed)
}

fn what(config: &RunConfig) -> String {
    let mut parts: Vec<String> = config.title.iter().cloned().collect();
    parts.extend([opponents(config), config.game.to_string(), limits(&config.entrants)]);
    parts.extend(config.scale.as_ref().map(|_| "time scaled to the host".to_owned()));
    match &config.experiment {
        ExperimentConfig::Sprt { test, .. } => {
            parts.push(hypotheses(test));
        }
        ExperimentConfig::Match { pairs, schedule, entrants, .. } => {
            let pairs = counted(pairs.get(), config.experiment.rounds().unit());
            parts.push(schedule.length_in_words(&pairs, *entrants, counted));
        }
        ExperimentConfig::Tune(tune) => {
            let below: Vec<String> = tune.limits.iter().map(|limit| format!(", at {limit} too")).collect();
            parts.push(format!("{} by {}{}", counted(tune.pairs.get(), "pair"), tune.method, below.concat()));
            parts.extend(tune.earlier.as_ref().map(|earlier| earlier.in_words(grouped)));
        }
        ExperimentConfig::Ladder(ladder) => {
            let precision = ladder.precision.map_or(String::new(), |elo| format!(", or ± {elo} Elo"));
            parts.push(format!("at most {}{precision}", counted(ladder.pairs.get(), "pair")));
        }
        ExperimentConfig::Selfplay { games, .. } => parts.push(counted(games.get(), "game")),
    }
    // Self-play always consists of single games, so that needs no mention.
    let is_selfplay = matches!(config.experiment, ExperimentConfig::Selfplay { .. });
    parts.extend(config.experiment.rounds().in_words().filter(|_| !is_selfplay));
    parts.join(" · ")
}

/// The unit of the bounds of a test.
pub fn unit(model: Model) -> &'static str {
    match model {
        Model::Normalized => "nElo",
        Model::Logistic => "Elo",
        Model::Bayesian => "BayesElo",
    }
}

/// The two hypotheses of a test, and its risks.
pub fn hypotheses(test: &SprtConfig) -> String {
    let SprtConfig { elo0, elo1, alpha, beta, .. } = *test;
    format!("H0 {elo0}, H1 {elo1} {} · {}", unit(test.model), error_rates(alpha, beta))
}

/// What accepting H0 and H1 says about the first entrant: that the difference is not what the other hypothesis claims.
/// If both bounds are on one side of 0, or one is 0, this says on which side of 0 the difference is. Both hypotheses
/// follow in brackets.
fn decisions(test: &SprtConfig) -> [String; 2] {
    let SprtConfig { elo0, elo1, .. } = *test;
    let unit = unit(test.model);
    let bounds = format!("(H1: {} {unit}, H0: {})", bound(elo1), bound(elo0));
    let h0 = match elo1 {
        ..0.0 => format!("loses more than {} {unit} {bounds}", -elo1),
        0.0 => format!("loses {bounds}"),
        _ => format!("does not gain {elo1} {unit} {bounds}"),
    };
    let h1 = match elo0 {
        ..0.0 => format!("does not lose {} {unit} {bounds}", -elo0),
        0.0 => format!("gains {bounds}"),
        _ => format!("gains more than {elo0} {unit} {bounds}"),
    };
    [h0, h1]
}

/// A bound with its sign; 0 has none.
fn bound(elo: f64) -> String {
    if elo == 0.0 { "0".to_owned() } else { format!("{elo:+}") }
}

/// The result of the first movers in self-play.
pub fn first_mover(standing: &Standing) -> Option<String> {
    let Estimate { value, low, high } = standing.first_mover()?.summary().score?;
    Some(format!("first mover scores {:.1}% ± {:.1}%", 100.0 * value, 50.0 * (high - low)))
}

/// The pairings.
fn opponents(config: &RunConfig) -> String {
    if let ExperimentConfig::Match { schedule, .. } = &config.experiment {
        let names: Vec<&str> = config.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        return schedule.entrants_in_words(&names, counted);
    }
    match config.entrants.as_slice() {
        [first, second] => format!("{} vs {}", first.name, second.name),
        [only] if matches!(config.experiment, ExperimentConfig::Selfplay { .. }) => format!("{} vs itself", only.name),
        [only] => only.name.clone(),
        [first, others @ ..] => format!("{} vs {}", first.name, counted(others.len() as u64, "other")),
        [] => String::new(),
    }
}

#[expect(clippy::float_cmp, reason = "the two were typed in, and are shown as one when they are the same")]
fn error_rates(alpha: f64, beta: f64) -> String {
    if alpha == beta { format!("alpha = beta = {alpha}") } else { format!("alpha {alpha}, beta {beta}") }
}

fn limits(entrants: &[Entrant]) -> String {
    let mut limits: Vec<String> = entrants.iter().map(|entrant| limit(&entrant.player)).collect();
    limits.dedup();
    limits.join(" against ")
}

fn limit(player: &PlayerSpec) -> String {
    match player {
        PlayerSpec::Random => "random".to_owned(),
        PlayerSpec::Process(process) => spoken_limit(process.limit),
        PlayerSpec::Custom(custom) if !custom.limit.reads_time() => "custom".to_owned(),
        PlayerSpec::Custom(custom) => spoken_limit(custom.limit),
        PlayerSpec::Native(native) => match native.source {
            TimeSource::Nodes { per_second } if native.limit.reads_time() => {
                format!("{} at {} nodes/s", spoken_limit(native.limit), grouped(per_second.get()))
            }
            _ => spoken_limit(native.limit),
        },
    }
}

fn spoken_limit(limit: Limit) -> String {
    let spoken = |part: Limit| match part {
        Limit::Nodes(nodes) => format!("{} a move", counted(nodes.get(), "node")),
        other => other.to_string(),
    };
    limit.each().map(spoken).collect::<Vec<_>>().join(", ")
}

/// The maximum width of a table of pairings, if names allow it.
const COLUMNS: usize = 80;

/// The number of spaces before the rows of the table.
const TABLE_INDENT: usize = 4;

/// Rows of a table of pairings, each on a new line: the two entrants, Elo, games. Each takes two lines if any would be
/// too long for one.
fn pairing_rows(rows: &[[String; 3]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [title_width, elo_width, games_width] = [0, 1, 2].map(width);
    let is_short = TABLE_INDENT + title_width + "  Elo ".len() + elo_width + 2 + games_width <= COLUMNS;
    let indent = " ".repeat(TABLE_INDENT);
    let mut text = String::new();
    for [title, elo, games] in rows {
        let who = if is_short { format!("{title:<title_width$}  ") } else { format!("{title}\n{indent}{indent}") };
        let _never_fails = write!(text, "\n{indent}{who}Elo {elo:<elo_width$}  {games}");
    }
    text
}

/// The counts of pairs by points: `[31 12 221 21 127]`.
pub fn penta(counts: &PairCounts) -> String {
    format!("{:?}", counts.pentanomial().0).replace(',', "")
}

/// The counts of pairs by points, or, if games are counted, the model that remains for them.
pub fn model_or_penta(counts: &Counts) -> String {
    counts.pairs().map_or_else(|| counts.model().to_owned(), penta)
}

/// The result of a tuning session, ready to paste.
fn tuned(tune: &TuneStanding, whose: &PlayerSpec) -> Vec<String> {
    let mut lines = tuning::table(tune);
    lines.extend(of_limits(tune).into_iter().map(|line| format!("  {line}")));
    lines.push(format!("  {}", expectation(tune)));
    lines.extend(cautions(tune).into_iter().map(|caution| format!("  {caution}")));
    lines.push(String::new());
    let pasted = Pasted::new(tune, whose);
    for group in [vec![pasted.toml], pasted.setoptions] {
        if !group.is_empty() {
            lines.extend(group);
            lines.push(String::new());
        }
    }
    lines
}

impl RunSummary<'_> {
    /// The name of the run's pairs, in the singular.
    fn unit(&self) -> &'static str {
        self.config.experiment.rounds().unit()
    }

    /// The summary as text, several lines.
    pub fn text(&self) -> String {
        let mut lines = vec![self.verdict_in_words()];
        lines.extend(self.warning().map(|warning| row("warning", &warning)));
        match self.standing.tune() {
            Some(tune) => lines.extend(tuned(tune, &self.config.entrants[0].player)),
            None if let Some(tournament) = self.tournament() => {
                let each = row("each", &self.pairings_table());
                lines.extend([String::new(), tournament::text(&tournament), String::new(), each]);
            }
            None => match self.ladder() {
                // With many entrants, the score of the first against all others does not measure strength.
                Some(ladder) => {
                    let each = row("each", &self.pairings_table());
                    lines.extend([String::new(), table::text(&ladder), String::new(), each]);
                }
                None => lines.extend(self.strength()),
            },
        }
        lines.push(row("faults", &self.faults_in_words()));
        if self.starved.games > 0 {
            let advice = match self.config.starvation.action {
                OnStarvation::Mark => "fewer workers, or `[starvation] action = \"replay\"`",
                OnStarvation::Replay => "fewer workers, or a quieter host",
            };
            lines.push(row("host", &format!("starved a player in {}: {advice}", counted(self.starved.games, "game"))));
        }
        if self.scaled.iter().next().is_some() {
            lines.push(row("clocks", &self.scaled.to_string()));
        }
        lines.push(row("run", &self.path.display().to_string()));
        lines.join("\n")
    }

    /// The warning that has to accompany the result everywhere: that the host influenced it.
    pub fn warning(&self) -> Option<String> {
        let StarvedCount { pairs, .. } = self.starved;
        let unit = self.unit();
        let of = self.standing.pairs;
        let is_decided = self.config.experiment.sprt().is_some() && self.verdict.is_some();
        let what = if is_decided { "verdict" } else { "result" };
        self.starved.spoils(of).then(|| {
            let share = 100.0 * pairs as f64 / of.max(1) as f64;
            let (pairs, of) = (grouped(pairs), counted(of, unit));
            let host_caused = match self.faults.iter().map(|faults| faults.host_caused).sum::<u64>() {
                0 => String::new(),
                games => format!(", which lost {} on time", counted(games, "game")),
            };
            format!(
                "The {what} is not trustworthy: the host starved a player in {pairs} of {of} \
                    ({share:.1}%){host_caused}."
            )
        })
    }

    /// The summary as text, with the place of the report.
    pub fn text_with(&self, report: Option<&Path>) -> String {
        let report =
            report.map_or(String::new(), |report| format!("\n{}", row("report", &report.display().to_string())));
        format!("{}{report}", self.text())
    }

    /// The ratings, if the run is a ladder.
    pub fn ladder(&self) -> Option<RatedLadder> {
        RatedLadder::of_run(self.config, self.standing)
    }

    /// The table or the bracket, if the run is a match whose pairings depend on results.
    pub(crate) fn tournament(&self) -> Option<Tournament> {
        Tournament::of_run(self.config, self.standing)
    }

    /// Which entrant is stronger, and by how much.
    fn strength(&self) -> Vec<String> {
        let counts = &self.standing.counts;
        let summary = counts.summary();
        let wdl = counts.wdl();
        let share = |estimate: Option<Estimate>| estimate.map_or(0.0, |estimate| 100.0 * estimate.value);
        let draws = [summary.draw_ratio, summary.pair_draw_ratio].map(share);
        // For a test, decided or not: it stops, or continues, because of its counts.
        let plain = if self.standing.sprt().is_some() { "   plain" } else { "" };
        if let Some(first_mover) = first_mover(self.standing) {
            let games = format!("+{} ={} -{}", grouped(wdl.wins), grouped(wdl.draws), grouped(wdl.losses));
            return vec![row("games", &format!("{games} for the first mover")), row("first", &first_mover)];
        }
        let mut lines = vec![
            row("Elo", &format!("{}{plain}", interval(summary.elo, 1))),
            row("nElo", &format!("{}   LOS {:.1}%", interval(summary.nelo, 0), 100.0 * summary.los)),
            row("games", &format!("+{} ={} -{}", grouped(wdl.wins), grouped(wdl.draws), grouped(wdl.losses))),
            match counts.pairs() {
                Some(pairs) => {
                    row("pairs", &format!("{}   draws {:.1}%, pair draws {:.1}%", penta(pairs), draws[0], draws[1]))
                }
                None => row("model", &format!("{}: of games, one by one   draws {:.1}%", counts.model(), draws[0])),
            },
        ];
        if let Some(sprt) = self.standing.sprt() {
            lines.push(row("LLR", &format!("{:.2} between {:.2} and {:.2}", sprt.llr, sprt.lower, sprt.upper)));
            if let Some(DecidedElo { elo, low, high, p_value }) = sprt.decided {
                let unbiased = interval(Some(Estimate { value: elo, low, high }), 1);
                lines.push(row(
                    "unbiased",
                    &format!("{unbiased}   {}   (Elo, allowing for the stopping rule)", probability(p_value)),
                ));
            }
        }
        if self.standing.pairings().len() > 1 {
            lines.push(row("each", &self.pairings_table()));
        }
        lines
    }

    /// The verdict, or the run's standing without one, in a sentence. Further sentences follow if the result leaves out
    /// pairs that were played, and if many games were lost by faults.
    pub fn verdict_in_words(&self) -> String {
        if let Some(stopped) = self.stopped_by_faults() {
            return stopped;
        }
        let mut sentences = vec![self.bare_verdict()];
        sentences.extend(self.cut.map(Cut::in_words));
        let faults = self.faults_in_short();
        if !faults.is_empty() {
            sentences.push(format!("{faults}."));
        }
        sentences.join(" ")
    }

    fn bare_verdict(&self) -> String {
        let (first, versus) = (&self.config.entrants[0].name, opponents(self.config));
        let pairs = counted(self.standing.pairs, self.unit());
        let time = self.elapsed.map_or(String::new(), |time| format!(" ({})", crate::text::spoken(time)));
        let [h0, h1] = self.config.experiment.sprt().map(decisions).unwrap_or_default();
        let tuned = self.standing.tune().is_some();
        match self.verdict {
            Some(Verdict::Complete) if tuned => format!("{pairs} played{time}: {first} tuned."),
            None if tuned => format!("Unfinished: {pairs} so far{time}, {first} being tuned."),
            Some(Verdict::AcceptedH1) => format!("H1 accepted after {pairs}{time}: {first} {h1}."),
            Some(Verdict::AcceptedH0) => format!("H0 accepted after {pairs}{time}: {first} {h0}."),
            Some(Verdict::Undecided) => {
                format!("Undecided after {pairs}{time}, the most allowed: neither hypothesis was accepted.")
            }
            Some(Verdict::Complete) => format!("{pairs} played{time}: {versus}."),
            None => format!("Unfinished: {pairs} so far{time}, {versus}."),
        }
    }

    /// The pairings, under a heading.
    fn pairings_table(&self) -> String {
        let name = |entrant: u32| self.config.entrants.get(entrant as usize).map_or("?", |entrant| &entrant.name);
        let is_gauntlet = self.standing.pairings().iter().all(|pairing| pairing.entrant == 0);
        let title = |pairing: &PairingStanding| {
            let opponent = name(pairing.opponent);
            if is_gauntlet { opponent.to_owned() } else { format!("{} vs {opponent}", name(pairing.entrant)) }
        };
        let row = |pairing: &PairingStanding| {
            let wdl = pairing.counts.wdl();
            let games = format!("+{} ={} -{}", wdl.wins, wdl.draws, wdl.losses);
            [title(pairing), interval(pairing.counts.summary().elo, 1), games]
        };
        let rows: Vec<[String; 3]> = self.standing.pairings().iter().map(row).collect();
        format!("{}{}", if is_gauntlet { "against" } else { "pairing" }, pairing_rows(&rows))
    }

    fn faults_in_words(&self) -> String {
        let lost = self.config.entrants.iter().zip(&self.faults).filter(|(_, faults)| faults.games > 0);
        let words: Vec<String> = lost
            .map(|(entrant, FaultCount { games, host_caused })| {
                let host_caused = match host_caused {
                    0 => String::new(),
                    host_caused => format!(" ({} on time because the host starved it)", grouped(*host_caused)),
                };
                format!("{} lost {} by fault{host_caused}", entrant.name, counted(*games, "game"))
            })
            .collect();
        if words.is_empty() {
            return "none".to_owned();
        }
        format!("{}: see `spar show {} --faults`", words.join(", "), self.path.display())
    }

    /// The summary as JSON; `null` where a number is undefined or infinite.
    pub fn json(&self) -> Value {
        let counts = &self.standing.counts;
        let summary = counts.summary();
        let wdl = counts.wdl();
        let rounds = self.config.experiment.rounds();
        let names: Vec<&str> = self.config.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        let mut value = json!({
            "run": self.path.to_string_lossy(),
            "kind": self.config.experiment.kind(),
            "entrants": names,
            "verdict": self.verdict,
            "headline": self.verdict_in_words(),
            "pairs": (rounds.unit() == "pair").then_some(self.standing.pairs),
            "statistics": counts.model(),
            "wins": wdl.wins, "draws": wdl.draws, "losses": wdl.losses,
            "faults": self.faults.iter().map(|faults| faults.games).collect::<Vec<_>>(),
            "fault_share": finite(self.fault_share()),
            "cut": self.cut.map(|cut| [cut.counted, cut.played]),
            "stopped_by": self.too_faulty.and_then(|faulty| names.get(faulty.entrant as usize)),
            "excused": self.faults.iter().map(|faults| faults.host_caused).collect::<Vec<_>>(),
            "starved": self.starved.games,
            "starved_pairs": self.starved.pairs,
            "warning": self.warning(),
            "pairings": self.pairings_json(),
            "seconds": self.elapsed.map(|time| time.as_secs_f64()),
        });
        if let Value::Object(map) = &mut value {
            map.extend(summary_json(&summary));
            map.extend(penta_json(counts));
            if !rounds.is_usual() {
                map.insert("rounds".to_owned(), json!(self.standing.pairs));
            }
            if let Some(ladder) = self.ladder() {
                // A pool of pairings has no single strength.
                map.extend(NO_STRENGTH.map(|key| (key.to_owned(), Value::Null)));
                map.insert("ratings".to_owned(), table::json(&ladder));
            }
            if let Some(scale) = &self.config.scale {
                let hosts = self.scaled.iter().map(|(host, scale)| json!({ "host": host, "scale": scale }));
                map.insert("time_scale".to_owned(), json!({ "to": scale, "hosts": hosts.collect::<Vec<_>>() }));
            }
            if let Some(tournament) = self.tournament() {
                map.extend(NO_STRENGTH.map(|key| (key.to_owned(), Value::Null)));
                map.insert("tournament".to_owned(), json!(tournament));
            }
            let reported = reported_elo(self.standing).filter(|_| self.is_one_strength());
            map.insert("reported".to_owned(), reported.map_or(Value::Null, TestedElo::json));
            if let Some(tune) = self.standing.tune() {
                map.insert("tune".to_owned(), tuning::json(tune));
            }
            if let Some(sprt) = self.standing.sprt() {
                let rows = [("llr", sprt.llr), ("lower", sprt.lower), ("upper", sprt.upper)];
                let decided = sprt.decided.map(|decided| {
                    let [elo, low, high] = [decided.elo, decided.low, decided.high].map(finite);
                    json!({ "elo": elo, "elo_low": low, "elo_high": high, "p_value": finite(decided.p_value) })
                });
                map.insert("unbiased".to_owned(), json!(decided));
                map.extend(rows.map(|(key, number)| (key.to_owned(), finite(number))));
            }
        }
        value
    }
}

impl RunSummary<'_> {
    fn pairings_json(&self) -> Vec<Value> {
        let name = |entrant: u32| self.config.entrants.get(entrant as usize).map(|entrant| &entrant.name);
        let row = |pairing: &PairingStanding| {
            let mut map = summary_json(&pairing.counts.summary());
            map.extend(penta_json(&pairing.counts));
            map.extend([
                ("entrant".to_owned(), json!(name(pairing.entrant))),
                ("opponent".to_owned(), json!(name(pairing.opponent))),
                ("statistics".to_owned(), json!(pairing.counts.model())),
            ]);
            Value::Object(map)
        };
        self.standing.pairings().iter().map(row).collect()
    }
}

impl RunSummary<'_> {
    /// Whether all pairs together measure one strength.
    pub(crate) fn is_one_strength(&self) -> bool {
        let learns = matches!(self.config.experiment, ExperimentConfig::Tune(_) | ExperimentConfig::Ladder(_));
        !learns && self.standing.first_mover().is_none() && self.standing.tournament().is_none()
    }

    /// The strength in a few words, for one line per run: ratings, or Elo and its kind. What the result leaves out
    /// comes first.
    pub fn in_short(&self) -> String {
        let strength = self.strength_in_short();
        match self.cut {
            Some(cut) if strength.is_empty() => cut.to_string(),
            Some(cut) => format!("{cut}, {strength}"),
            None => strength,
        }
    }

    fn strength_in_short(&self) -> String {
        match self.ladder() {
            Some(ladder) => ladder.in_short(RATINGS_IN_A_LINE),
            None if self.is_one_strength() => reported_elo(self.standing).map_or_else(String::new, TestedElo::in_words),
            None => match self.tournament() {
                Some(tournament) => tournament.in_short(),
                None => match first_mover(self.standing) {
                    Some(score) => score,
                    None => self.standing.tune().map_or_else(String::new, expectation),
                },
            },
        }
    }
}

/// The counts of pairs by points, if pairs are counted.
fn penta_json(counts: &Counts) -> Option<(String, Value)> {
    counts.pairs().map(|pairs| ("penta".to_owned(), json!(pairs.pentanomial().0)))
}

/// The maximum number of a ladder's entrants shown in one line per run.
pub const RATINGS_IN_A_LINE: usize = 4;
/// The keys of strength in a summary's JSON.
const NO_STRENGTH: [&str; 7] = ["elo", "elo_low", "elo_high", "nelo", "nelo_low", "nelo_high", "los"];

/// The estimates of a summary under the keys that all of spar's JSON uses for them.
pub fn summary_json(summary: &Summary) -> serde_json::Map<String, Value> {
    let mut map = serde_json::Map::new();
    for (key, estimate) in [("elo", summary.elo), ("nelo", summary.nelo)] {
        let ends =
            [("", estimate.map(|e| e.value)), ("_low", estimate.map(|e| e.low)), ("_high", estimate.map(|e| e.high))];
        map.extend(ends.map(|(end, number)| (format!("{key}{end}"), number.map_or(Value::Null, finite))));
    }
    let value = |estimate: Option<Estimate>| estimate.map_or(Value::Null, |estimate| finite(estimate.value));
    map.extend([
        ("los".to_owned(), finite(summary.los)),
        ("draw_ratio".to_owned(), value(summary.draw_ratio)),
        ("pair_draw_ratio".to_owned(), value(summary.pair_draw_ratio)),
        ("pairs_ratio".to_owned(), value(summary.pairs_ratio)),
    ]);
    map
}

/// A value and its 95% interval in words.
pub fn interval(estimate: Option<Estimate>, decimals: usize) -> String {
    match estimate {
        None => "no games yet".to_owned(),
        Some(Estimate { value, low, high }) => {
            let [value, low, high] = [value, low, high].map(|number| signed(number, decimals));
            format!("{value:<8}95% {low} to {high}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decisions_of(elo0: f64, elo1: f64) -> [String; 2] {
        decisions(&SprtConfig { elo0, elo1, ..SprtConfig::default() })
    }

    #[test]
    fn a_verdict_says_what_its_bounds_decide() {
        let gain = ["does not gain 5 nElo (H1: +5 nElo, H0: 0)", "gains (H1: +5 nElo, H0: 0)"];
        assert_eq!(decisions_of(0.0, 5.0), gain);
        let no_loss = ["loses (H1: 0 nElo, H0: -5)", "does not lose 5 nElo (H1: 0 nElo, H0: -5)"];
        assert_eq!(decisions_of(-5.0, 0.0), no_loss);
        let either = ["does not gain 2 nElo (H1: +2 nElo, H0: -3)", "does not lose 3 nElo (H1: +2 nElo, H0: -3)"];
        assert_eq!(decisions_of(-3.0, 2.0), either);
        assert_eq!(decisions_of(0.5, 2.5)[1], "gains more than 0.5 nElo (H1: +2.5 nElo, H0: +0.5)");
        assert_eq!(decisions_of(-9.0, -4.0)[0], "loses more than 4 nElo (H1: -4 nElo, H0: -9)");
    }

    #[test]
    fn pairings_keep_within_80_columns() {
        let row = |title: &str| [title, "-381.0  95% -950.3 to -33.6", "+1234 =5678 -9012"].map(str::to_owned);
        let short = [row("random vs material"), row("a vs b")];
        let expected = "\n    random vs material  Elo -381.0  95% -950.3 to -33.6  +1234 =5678 -9012\
            \n    a vs b              Elo -381.0  95% -950.3 to -33.6  +1234 =5678 -9012";
        assert_eq!(pairing_rows(&short), expected);
        let long = [row("one-ply-with-a-long-name vs another-one-with-a-long-name"), row("a vs b")];
        let expected = "\n    one-ply-with-a-long-name vs another-one-with-a-long-name\
            \n        Elo -381.0  95% -950.3 to -33.6  +1234 =5678 -9012\
            \n    a vs b\n        Elo -381.0  95% -950.3 to -33.6  +1234 =5678 -9012";
        assert_eq!(pairing_rows(&long), expected);
        assert!(pairing_rows(&short).lines().chain(expected.lines()).all(|line| line.chars().count() <= 80));
    }
}
