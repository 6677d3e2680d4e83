//! The texts of learning: the strength of each generation, the table of all generations, and the same as JSON.

use super::record::{Fitted, FittedPolicy, Gated, Generation, LearnJob};
use arena::run::{RunFolder, Verdict};
use reports::text::{aligned, counted, grouped, interval, spoken};
use serde_json::{Value, json};
use stats::Estimate;
use std::time::Duration;

/// The strength of a generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Strength {
    /// Its number.
    pub(super) number: u32,
    /// Elo over the first player, with the 95% interval.
    pub(super) elo: Estimate,
    /// Whether it became the best.
    pub(super) is_accepted: bool,
}

/// Adds up differences along the chain of best generations; the errors of independent tests add up in squares. A test
/// with only wins yields no Elo, and neither do the generations after it.
pub(super) fn strengths(generations: &[Generation]) -> Vec<Strength> {
    let mut best = Some(Estimate { value: 0.0, low: 0.0, high: 0.0 });
    let mut strengths = Vec::new();
    for generation in generations {
        let Some(gate) = &generation.gate else { continue };
        let elo = best.zip(gate.elo).map(|(best, gain)| sum(best, gain));
        let (number, is_accepted) = (generation.number, gate.is_accepted());
        strengths.extend(elo.map(|elo| Strength { number, elo, is_accepted }));
        if is_accepted {
            best = elo;
        }
    }
    strengths
}

fn sum(best: Estimate, [value, low, high]: [f64; 3]) -> Estimate {
    let both = |one: f64, other: f64| (one * one + other * other).sqrt();
    let elo = best.value + value;
    Estimate {
        value: elo,
        low: elo - both(best.value - best.low, value - low),
        high: elo + both(best.high - best.value, high - value),
    }
}

impl Gated {
    /// Returns the word for its result.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::AcceptedH1 => "accepted",
            Verdict::AcceptedH0 | Verdict::Complete => "rejected",
            Verdict::Undecided => "undecided",
        }
    }

    fn elo_in_words(&self) -> String {
        self.elo.map_or_else(|| "unknown".to_owned(), |[value, low, high]| interval(Estimate { value, low, high }, 1))
    }
}

impl Generation {
    /// Describes its outcome in a line.
    pub fn says(&self) -> String {
        let Some(gate) = &self.gate else { return format!("Generation {}: unfinished", self.number) };
        let trained = [self.evaluation_in_words(), self.policy_in_words()].into_iter().flatten();
        format!(
            "Generation {}: {} after {}, Elo {} over {}; {}",
            self.number,
            gate.word(),
            counted(gate.pairs, "pair"),
            gate.elo_in_words(),
            self.player,
            trained.collect::<Vec<_>>().join(", ")
        )
    }

    fn evaluation_in_words(&self) -> Option<String> {
        let Fitted { loss, positions, .. } = self.training.as_ref()?;
        Some(format!("held-out loss {loss:.5} on {} positions", grouped(*positions)))
    }

    fn policy_in_words(&self) -> Option<String> {
        let FittedPolicy { figures, positions, .. } = self.policy.as_ref()?;
        Some(format!(
            "the policy has the move first in {} after {} positions",
            percent(figures.top_1),
            grouped(*positions)
        ))
    }
}

/// A column of the table: its header, whether it is aligned to the left, and its text for a generation.
type Column = (&'static str, bool, fn(&Generation) -> Option<String>);

const PLAYED: [Column; 4] = [
    ("", true, |of| Some(of.name())),
    ("played by", true, |of| Some(of.player.clone())),
    ("games", false, |of| Some(grouped(of.selfplay.as_ref()?.games))),
    ("positions", false, |of| Some(grouped(of.selfplay.as_ref()?.positions))),
];
const EVALUATION: Column = ("loss", false, |of| Some(format!("{:.5}", of.training.as_ref()?.loss)));
const POLICY: Column = ("move first", false, |of| Some(percent(of.policy.as_ref()?.figures.top_1)));
const TESTED: [Column; 4] = [
    ("test", true, |of| Some(of.gate.as_ref().map_or("unfinished", Gated::word).to_owned())),
    ("pairs", false, |of| Some(grouped(of.gate.as_ref()?.pairs))),
    ("LLR", false, |of| Some(format!("{:.2}", of.gate.as_ref()?.llr[0]))),
    ("Elo over who played, 95%", true, |of| Some(of.gate.as_ref()?.elo_in_words())),
];

pub(super) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

impl LearnJob {
    /// Whether all requested generations are complete.
    pub fn is_done(&self) -> bool {
        self.done() >= self.asked()
    }

    /// Whether it is over, running or interrupted, in a word.
    pub fn state(&self) -> &'static str {
        if self.is_done() {
            "complete"
        } else if RunFolder::is_worked_on(self.folder()) {
            "running"
        } else {
            "interrupted"
        }
    }

    /// Describes its outcome in a sentence.
    pub fn says(&self) -> String {
        let (done, asked) = (self.done(), u64::from(self.asked()));
        let accepted = self.generations().iter().filter(|generation| generation.is_accepted()).count() as u64;
        let all = counted(asked, "generation");
        let so_far = if self.is_done() { all } else { format!("{done} of {all}") };
        let best = if accepted == 0 {
            format!("{} is still the best", self.start())
        } else {
            format!("{} is the best{}", self.best().name, self.gain_in_words())
        };
        format!("{}: {so_far}, {} accepted; {best}.", self.title(), grouped(accepted))
    }

    fn gain_in_words(&self) -> String {
        self.gain().map_or_else(String::new, |elo| format!(", Elo {} over {}", interval(elo, 1), self.start()))
    }

    /// Returns the Elo of the best player over the first one in words, if it is known.
    pub fn in_short(&self) -> String {
        self.gain().map_or_else(String::new, |elo| format!("Elo {}", interval(elo, 1)))
    }

    /// Returns the Elo of the best player over the first one, with its 95% interval, if it is known.
    pub fn gain(&self) -> Option<Estimate> {
        let best = self.generations().iter().rfind(|generation| generation.is_accepted())?.number;
        strengths(self.generations()).into_iter().find(|strength| strength.number == best).map(|strength| strength.elo)
    }

    /// Returns the sentence, and the table of all generations.
    pub fn text(&self) -> String {
        let (heads, rows) = self.table();
        let mut lines = vec![self.says()];
        if !rows.is_empty() {
            let heads = heads.into_iter().map(str::to_owned).collect();
            let rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows).collect();
            let columns: Vec<Column> = self.columns().collect();
            lines.push(String::new());
            lines.extend(aligned(&rows, |column| columns[column].1).map(|row| format!("  {row}")));
        }
        lines.push(String::new());
        for (name, file) in [("network", self.best_file()), ("policy ", self.best_policy())] {
            lines.extend(file.map(|file| format!("  {name} {}", file.display())));
        }
        let [games, training, tests] = self.seconds().map(|seconds| spoken(Duration::from_secs_f64(seconds)));
        lines.push(format!("  time    games {games}, training {training}, tests {tests}"));
        lines.push(format!("  report  {}", self.page().display()));
        lines.join("\n")
    }

    fn columns(&self) -> impl Iterator<Item = Column> {
        let evaluation = self.learning.evaluation.as_ref().map(|_| EVALUATION);
        let policy = self.learning.policy.as_ref().map(|_| POLICY);
        PLAYED.into_iter().chain(evaluation).chain(policy).chain(TESTED)
    }

    /// Returns the table of all generations: its headers and its rows.
    pub(super) fn table(&self) -> (Vec<&'static str>, Vec<Vec<String>>) {
        let row = |of: &Generation| self.columns().map(|(_, _, says)| says(of).unwrap_or_default()).collect();
        (self.columns().map(|(head, ..)| head).collect(), self.generations().iter().map(row).collect())
    }

    /// The known times of all games, trainings and tests, in seconds.
    pub(super) fn seconds(&self) -> [f64; 3] {
        let add = |sums: [f64; 3], more: [f64; 3]| [sums[0] + more[0], sums[1] + more[1], sums[2] + more[2]];
        self.generations().iter().map(Generation::seconds).fold([0.0; 3], add)
    }

    /// Returns everything as JSON.
    pub fn json(&self) -> Value {
        let strengths = strengths(self.generations());
        let generation = |generation: &Generation| {
            let mut json = json!(generation);
            json["accepted"] = json!(generation.is_accepted());
            let strength = strengths.iter().find(|strength| strength.number == generation.number);
            json["elo_over_start"] = json!(strength.map(|it| [it.elo.value, it.elo.low, it.elo.high]));
            json
        };
        json!({
            "job": self.folder(),
            "title": self.title(),
            "state": self.state(),
            "asked": self.asked(),
            "start": self.start(),
            "best": self.best().name,
            "network": self.best_file(),
            "policy": self.best_policy(),
            "elo": self.gain().map(|elo| [elo.value, elo.low, elo.high]),
            "generations": self.generations().iter().map(generation).collect::<Vec<_>>(),
            "report": self.page(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tested(number: u32, verdict: Verdict, elo: Option<[f64; 3]>) -> Generation {
        let gate = Gated { run: String::new(), verdict, pairs: 9, llr: [1.0, -2.9, 2.9], elo, seconds: 0.0 };
        Generation { gate: Some(gate), ..Generation::new(number, "x".to_owned()) }
    }

    #[test]
    fn strength_adds_up_along_those_that_were_accepted() {
        let all = [
            tested(1, Verdict::AcceptedH1, Some([100.0, 70.0, 140.0])),
            tested(2, Verdict::AcceptedH0, Some([-20.0, -60.0, 10.0])),
            tested(3, Verdict::AcceptedH1, Some([50.0, 10.0, 80.0])),
            Generation::new(4, "gen-3".to_owned()),
        ];
        let found = strengths(&all);
        assert_eq!(found.iter().map(|it| it.elo.value).collect::<Vec<_>>(), [100.0, 80.0, 150.0]);
        assert_eq!(found.iter().map(|it| it.is_accepted).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!((found[1].elo.low, found[2].elo.low), (30.0, 100.0), "a triangle of 30, 40 and 50");
        assert!((found[2].elo.high - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_test_without_a_number_ends_the_curve_if_it_was_passed() {
        let won = tested(1, Verdict::AcceptedH1, None);
        let next = tested(2, Verdict::AcceptedH1, Some([50.0, 10.0, 80.0]));
        assert!(strengths(&[won, next.clone()]).is_empty());
        assert_eq!(strengths(&[tested(1, Verdict::Undecided, None), next]).len(), 1);
    }
}
