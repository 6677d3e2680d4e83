//! The texts of a bisection: the findings, the commits that may have lost strength, and the same as JSON.

use super::model::{Ending, Knowledge, Next};
use super::record::{BisectJob, Engine};
use crate::builds::RangeCommit;
use arena::run::RunFolder;
use reports::text::{aligned, counted, grouped, interval, iso, plus_minus, utc};
use serde_json::{Value, json};
use stats::Estimate;

/// The most suspects that are shown; the page has all commits.
const MOST_SHOWN: usize = 10;
/// The most suspects in a line.
const MOST_IN_SHORT: usize = 3;
/// The most characters of a subject that are shown.
const LONGEST_SUBJECT: usize = 60;

/// The headers of the table of suspects.
const HEADS: [&str; 5] = ["commit", "probability", "written", "author", "subject"];

impl BisectJob {
    /// The reason why it is over; `None` if it is not.
    pub fn ending(&self) -> Option<Ending> {
        match self.next() {
            Next::Over(ending) => Some(ending),
            Next::Build(_) | Next::Play { .. } | Next::Name(_) => None,
        }
    }

    /// Whether it is over, running or interrupted, in a word.
    pub fn state(&self) -> &'static str {
        match self.ending() {
            Some(Ending::Found) => "found",
            Some(Ending::Nothing) => "nothing",
            Some(Ending::Budget) => "undecided",
            None if RunFolder::is_worked_on(&self.folder) => "running",
            None => "interrupted",
        }
    }

    /// Returns its title.
    pub fn title(&self) -> String {
        let range = &self.record.range;
        let name = self.bisecting.plan.keys.title.as_ref().map_or(&self.bisecting.name, |title| &title.value);
        let [good, bad] = range.ends();
        format!("{name}: {good} to {bad}")
    }

    /// Describes the builds and games so far, in short.
    fn effort(&self) -> String {
        let engines = self.record.engines.values();
        let skipped = engines.filter(|engine| matches!(engine, Engine::Skipped(_))).count();
        let built = self.record.engines.len() - skipped;
        let path = self.record.range.path.as_ref().map_or_else(String::new, |path| format!(" that touch {path}"));
        let skipped = if skipped > 0 { format!(", {skipped} skipped") } else { String::new() };
        let commits = counted(u64::from(self.last()), "commit");
        format!("{commits}{path}, {} built{skipped}, {}", grouped(built as u64), counted(self.pairs(), "pair"))
    }

    /// Describes its outcome in a sentence.
    pub fn says(&self) -> String {
        let title = self.title();
        let found = self.record.found.len() as u64;
        let says = match (self.ending(), found) {
            (Some(Ending::Found), 1) => "the loss was found".to_owned(),
            (Some(Ending::Nothing), 0) => self.nothing_lost(),
            (Some(Ending::Budget), 0) => "the budget of pairs is used, and no commit could be named".to_owned(),
            (Some(Ending::Found), _) => format!("{found} losses were found"),
            (Some(Ending::Nothing), _) => format!("{found} found, and no other commit lost as much as counts"),
            (Some(Ending::Budget), _) => format!("{found} found, then the budget of pairs was used"),
            (None, _) => "unfinished".to_owned(),
        };
        format!("{title}: {says}; {}.", self.effort())
    }

    fn nothing_lost(&self) -> String {
        format!("no commit lost {} Elo or more", self.bisecting.least_loss)
    }

    /// Describes its findings, in short.
    pub fn in_short(&self) -> String {
        let named = |found: &super::Found| {
            let names: Vec<&str> = found.commits.iter().map(|&commit| self.commit(commit).revision.short()).collect();
            names.join(" or ")
        };
        self.record.found.iter().map(named).collect::<Vec<_>>().join(", ")
    }

    /// Announces the next batch in a line.
    pub(super) fn about_to_play(&self, earlier: u32, later: u32, pairs: u64) -> String {
        let short = |version: u32| self.commit(version).revision.short();
        let played = self.pairs();
        let known = if played == 0 { String::new() } else { format!("; {}", self.leader()) };
        format!(
            "{} of {}{known}. Next: {} against {}, {}",
            grouped(played),
            counted(self.bisecting.max_pairs.get(), "pair"),
            short(later),
            short(earlier),
            counted(pairs, "pair")
        )
    }

    /// Names the most probable commits, in short.
    fn leader(&self) -> String {
        let knowledge = self.knowledge();
        let suspects = knowledge.suspects(self.bisecting.confidence);
        let best = suspects.iter().take(MOST_IN_SHORT).map(|&commit| {
            let share = 100.0 * knowledge.guilt[commit as usize - 1];
            format!("{} {share:.0}%", self.commit(commit).revision.short())
        });
        let best = best.collect::<Vec<_>>().join(", ");
        match suspects.len() {
            0 => "no suspect".to_owned(),
            few if few <= MOST_IN_SHORT => format!("suspects {best}"),
            many => format!("{many} suspects, such as {best}"),
        }
    }

    /// Describes a finding in several lines.
    pub(super) fn found_in_words(&self, number: usize) -> String {
        let Some(found) = self.record.found.get(number) else { return String::new() };
        let knowledge = self.knowledge();
        let loss = self.loss_of(&found.commits, &knowledge);
        let elo = loss.map_or_else(String::new, |loss| format!(", Elo {}", interval(loss, 1)));
        let head = match found.commits.len() {
            1 => "Found".to_owned(),
            count => format!("Found, one of {count} that cannot be told apart"),
        };
        let share = 100.0 * found.probability.min(1.0);
        let after = counted(found.pairs, "pair");
        let lines = found.commits.iter().map(|&commit| format!("\n  {}", described(self.commit(commit))));
        format!("{head}: probability {share:.1}%{elo}; after {after}{}", lines.collect::<String>())
    }

    /// Returns the sentence, the findings, the suspects, and the paths.
    pub fn text(&self) -> String {
        let knowledge = self.knowledge();
        let mut lines = vec![self.says()];
        for number in 0..self.record.found.len() {
            lines.extend([String::new(), self.found_in_words(number)]);
        }
        let is_decided = matches!(self.ending(), Some(Ending::Found));
        if !is_decided && self.pairs() > 0 {
            lines.extend(self.suspects_in_words(&knowledge));
        }
        lines.push(String::new());
        if let Some((_, all)) = knowledge.path.last().filter(|_| self.pairs() > 0) {
            lines.push(format!("  whole range  Elo {}", interval(*all, 1)));
        }
        let skipped = self
            .skipped()
            .map(|(version, why)| format!("  skipped      {}: {why}", self.commit(version).revision.short()));
        lines.extend(skipped);
        lines.push(format!("  report       {}", self.page().display()));
        lines.join("\n")
    }

    /// Returns the smallest set of commits that contains the loss, as a table.
    fn suspects_in_words(&self, knowledge: &Knowledge) -> Vec<String> {
        let suspects = knowledge.suspects(self.bisecting.confidence);
        let held: f64 = suspects.iter().map(|&commit| knowledge.guilt[commit as usize - 1]).sum();
        let of = counted(suspects.len() as u64, "commit");
        let none = 100.0 * knowledge.none;
        let mut lines = vec![
            String::new(),
            format!("The loss is in {of} with a probability of {:.1}%; in none with {none:.1}%:", 100.0 * held),
        ];
        let rows = suspects.iter().take(MOST_SHOWN).map(|&commit| self.row(commit, knowledge));
        let rows: Vec<Vec<String>> = std::iter::once(HEADS.map(str::to_owned).to_vec()).chain(rows).collect();
        lines.extend(aligned(&rows, |column| column != 1).map(|row| format!("  {row}")));
        if suspects.len() > MOST_SHOWN {
            lines.push(format!("  and {} more", suspects.len() - MOST_SHOWN));
        }
        lines
    }

    /// Returns a commit's row in the table of suspects.
    pub(super) fn row(&self, commit: u32, knowledge: &Knowledge) -> Vec<String> {
        let of = self.commit(commit);
        vec![
            of.revision.short().to_owned(),
            format!("{:.1}%", 100.0 * knowledge.guilt[commit as usize - 1]),
            date(of.authored),
            of.author.clone(),
            cut(of.revision.subject()),
        ]
    }

    /// Returns the versions that cannot play, and the reasons.
    pub(super) fn skipped(&self) -> impl Iterator<Item = (u32, &str)> {
        self.record.engines.iter().filter_map(|(&version, engine)| match engine {
            Engine::Skipped(why) => Some((version, why.as_str())),
            Engine::Built { .. } => None,
        })
    }

    /// Returns everything as JSON.
    pub fn json(&self) -> Value {
        let knowledge = self.knowledge();
        let estimate = |elo: Estimate| json!([elo.value, elo.low, elo.high]);
        let range = &self.record.range;
        let commits = (0_u32..).zip(&range.commits).map(|(number, of)| {
            let engine = self.record.engines.get(&number);
            let (built, bench, skipped) = match engine {
                Some(Engine::Built { nodes, .. }) => (true, *nodes, None),
                Some(Engine::Skipped(why)) => (false, None, Some(why)),
                None => (false, None, None),
            };
            let elo = knowledge.path.iter().find(|(version, _)| *version == number).map(|(_, elo)| estimate(*elo));
            json!({
                "number": number,
                "commit": of.revision.commit,
                "subject": of.revision.subject(),
                "author": of.author,
                "date": iso(of.authored.saturating_mul(1000)),
                "probability": number.checked_sub(1).map(|at| knowledge.guilt[at as usize]),
                "elo": elo,
                "built": built,
                "bench": bench,
                "skipped": skipped,
            })
        });
        let found = self.record.found.iter().map(|found| {
            let ids = found.commits.iter().map(|&commit| self.commit(commit).revision.commit.clone());
            json!({
                "commits": ids.collect::<Vec<_>>(),
                "probability": found.probability,
                "pairs": found.pairs,
                "elo": self.loss_of(&found.commits, &knowledge).map(estimate),
            })
        });
        let suspects = knowledge.suspects(self.bisecting.confidence);
        let matches = self
            .record
            .matches
            .iter()
            .map(|of| json!({ "later": of.later, "earlier": of.earlier, "run": of.run, "pairs": of.counts.0 }));
        json!({
            "job": self.folder,
            "title": self.title(),
            "state": self.state(),
            "good": range.good,
            "bad": range.bad,
            "path": range.path,
            "confidence": self.bisecting.confidence,
            "pairs": self.pairs(),
            "max_pairs": self.bisecting.max_pairs,
            "found": found.collect::<Vec<_>>(),
            "suspects": suspects.iter().map(|&commit| &self.commit(commit).revision.commit).collect::<Vec<_>>(),
            "none": knowledge.none,
            "commits": commits.collect::<Vec<_>>(),
            "matches": matches.collect::<Vec<_>>(),
            "report": self.page(),
        })
    }

    /// Returns the rows of the versions that were built or skipped: the commit, its Elo, its bench or the reason, and
    /// its subject.
    pub(super) fn version_rows(&self, knowledge: &Knowledge) -> Vec<Vec<String>> {
        let elo = |version: u32| knowledge.path.iter().find(|(of, _)| *of == version).map(|(_, elo)| *elo);
        let row = |(version, engine): (&u32, &Engine)| {
            let of = self.commit(*version);
            let state = match engine {
                Engine::Built { nodes, .. } => nodes.map_or_else(|| "built".to_owned(), grouped),
                Engine::Skipped(why) => format!("skipped: {why}"),
            };
            let measured = elo(*version).map_or_else(String::new, |elo| plus_minus(elo, 1));
            vec![of.revision.short().to_owned(), measured, state, cut(of.revision.subject())]
        };
        self.record.engines.iter().map(row).collect()
    }
}

/// Describes a commit in a line.
fn described(of: &RangeCommit) -> String {
    let RangeCommit { revision, author, authored } = of;
    format!("{}  {}  ({author}, {})", revision.short(), cut(revision.subject()), date(*authored))
}

/// Formats a date, from seconds since 1970.
fn date(seconds: i64) -> String {
    let text = utc(seconds.saturating_mul(1000));
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Cuts a subject to the width of a row.
fn cut(subject: &str) -> String {
    let shown: String = subject.chars().take(LONGEST_SUBJECT).collect();
    if subject.chars().count() > LONGEST_SUBJECT { format!("{}...", shown.trim_end()) } else { shown }
}
