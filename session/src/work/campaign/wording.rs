//! The texts of a campaign: the accepted patches, the standing of each patch, and the same as JSON.

use super::super::table::{Column, JobTable, Row, Tone};
use super::model::{CampaignEnding, Known, Next, elo};
use super::record::{CampaignJob, Entry, Fitness, Source, Together};
use arena::run::RunFolder;
use reports::text::{aligned, counted, grouped, interval, signed};
use serde_json::{Value, json};
use stats::Estimate;
use stats::campaign::State;
use std::cmp::Ordering;

/// The lowest e-value that is written with an exponent.
const LARGE: f64 = 1e6;

/// The columns of the table of patches; the last one only exists if patches have priorities.
const COLUMNS: [Column; 8] = [
    Column { head: "patch", is_text: true, rank: 0 },
    Column { head: "state", is_text: true, rank: 0 },
    Column { head: "Elo", is_text: true, rank: 0 },
    Column { head: "e-value", is_text: false, rank: 1 },
    Column { head: "needed", is_text: false, rank: 4 },
    Column { head: "pairs", is_text: false, rank: 2 },
    Column { head: "share", is_text: false, rank: 3 },
    Column { head: "priority", is_text: false, rank: 5 },
];

impl CampaignJob {
    /// The reason why it is over; `None` if it is not.
    pub fn ending(&self) -> Option<CampaignEnding> {
        match self.next() {
            Next::Over(ending) => Some(ending),
            _ => None,
        }
    }

    /// Whether it is over, running or interrupted, in a word.
    pub fn state(&self) -> &'static str {
        match self.ending() {
            Some(CampaignEnding::Settled) => "settled",
            Some(CampaignEnding::Budget) => "undecided",
            None if RunFolder::is_worked_on(&self.folder) => "running",
            None => "interrupted",
        }
    }

    /// Returns its title.
    pub fn title(&self) -> String {
        let name = self.campaigning.plan.keys.title.as_ref().map_or(&self.campaigning.name, |title| &title.value);
        format!("{name}: patches against {}", self.base_in_words())
    }

    /// Returns the base as requested, and its commit.
    pub(super) fn base_in_words(&self) -> String {
        let base = &self.record.origin.base;
        let (asked, short) = (&base.asked, base.short());
        if base.commit.starts_with(asked.as_str()) { short.to_owned() } else { format!("{asked} ({short})") }
    }

    /// The number of patches in this state.
    fn count(known: &Known, state: State) -> usize {
        known.campaign.patches().iter().filter(|patch| patch.state == state).count()
    }

    /// The number of patches in each state, in words.
    fn counts(known: &Known) -> String {
        let states = [(State::Accepted, "accepted"), (State::Dropped, "dropped"), (State::Playing, "undecided")];
        let seen = states.map(|(state, name)| (Self::count(known, state), name));
        let seen = seen.iter().filter(|(count, name)| *count > 0 || *name == "accepted");
        let words: Vec<String> = seen.map(|(count, name)| format!("{count} {name}")).collect();
        words.join(", ")
    }

    /// Describes its outcome in a sentence.
    pub fn says(&self) -> String {
        let known = self.known();
        let patches = plural(self.record.patches.len(), "patch");
        let why = match self.ending() {
            Some(CampaignEnding::Settled) => "",
            Some(CampaignEnding::Budget) => "; the budget of pairs is used",
            None => "; unfinished",
        };
        format!("{}: {patches}, {}; {}{why}.", self.title(), Self::counts(&known), counted(self.pairs(), "pair"))
    }

    /// Names the accepted patches, in short.
    pub fn in_short(&self) -> String {
        let names = self.known().accepted.into_iter().map(|patch| self.name(patch));
        names.collect::<Vec<_>>().join(", ")
    }

    fn name(&self, patch: u32) -> &str {
        &self.record.patches[patch as usize].name
    }

    /// Returns its standing for displays while it runs: a line, the patches, and the accepted ones together.
    pub fn table(&self) -> JobTable {
        let known = self.known();
        let together = self.together(&known.accepted);
        JobTable {
            says: self.where_it_stands(&known),
            next: self.next_in_words(),
            columns: self.columns().to_vec(),
            rows: self.rows(&known),
            below: together.map_or_else(Vec::new, |together| self.together_in_words(together)),
        }
    }

    fn where_it_stands(&self, known: &Known) -> String {
        let budget = counted(self.campaigning.max_pairs.get(), "pair");
        let leader = self.leader(known).map_or_else(String::new, |leader| format!("; best of these {leader}"));
        format!("{} of {budget}; {}{leader}", grouped(self.pairs()), Self::counts(known))
    }

    /// Describes the next step; `None` if nothing is left to do.
    fn next_in_words(&self) -> Option<String> {
        let merged = || self.record.together.last().map_or(0, |together| together.merged().count());
        Some(match self.next() {
            Next::Build(patch) => format!("build {}", self.name(patch)),
            Next::Play { patch, pairs } => format!("{}, {}", self.name(patch), counted(pairs, "pair")),
            Next::Merge(accepted) => format!("merge the {} accepted patches", accepted.len()),
            Next::BuildTogether => format!("build the {} accepted patches together", merged()),
            Next::PlayTogether(pairs) => {
                format!("the {} accepted patches together, {}", merged(), counted(pairs, "pair"))
            }
            Next::Over(_) => return None,
        })
    }

    /// The columns of the table of patches.
    pub(super) fn columns(&self) -> &'static [Column] {
        let has_priorities = self.record.patches.iter().any(|patch| patch.priority != 0);
        &COLUMNS[..if has_priorities { COLUMNS.len() } else { COLUMNS.len() - 1 }]
    }

    /// Names the undecided patch with the largest e-value, and its gain.
    pub(super) fn leader(&self, known: &Known) -> Option<String> {
        let open = (0..).zip(known.campaign.patches()).filter(|(_, patch)| patch.state == State::Playing);
        let (best, _) = open.max_by(|one, two| one.1.ln_e_value.total_cmp(&two.1.ln_e_value))?;
        let gain = elo(&self.pairs_of(best))?;
        Some(format!("{} {}", self.name(best), signed(gain.value, 1)))
    }

    /// Describes each patch that was accepted or dropped since, one per line.
    pub(super) fn settled_since(&self, before: &Known) -> Vec<String> {
        let now = self.known();
        let patches = (0..).zip(now.campaign.patches().iter().zip(before.campaign.patches()));
        let settled = patches.filter(|(_, (now, before))| now.state != before.state);
        let line = |(patch, (now, _)): (u32, (&stats::campaign::Patch, &stats::campaign::Patch))| {
            let gain =
                elo(&self.pairs_of(patch)).map_or_else(String::new, |gain| format!(", Elo {}", interval(gain, 1)));
            let (name, pairs) = (self.name(patch), counted(self.pairs_of(patch).total(), "pair"));
            let e_value = e_value(now.ln_e_value);
            match now.state {
                State::Accepted => format!("Accepted {name}: e-value {e_value} after {pairs}{gain}"),
                State::Dropped => format!("Dropped {name}: {} after {pairs}{gain}", self.futile()),
                State::Playing => format!("{name} plays again"),
            }
        };
        settled.map(line).collect()
    }

    fn futile(&self) -> String {
        format!("a gain of {} Elo is improbable", self.campaigning.rules.least_gain)
    }

    /// Returns the patches in order: accepted ones in the order of acceptance, then the others by gain, dropped ones
    /// last.
    pub(super) fn by_rank(&self, known: &Known) -> Vec<u32> {
        let rank = |patch: u32| {
            let accepted = known.accepted.iter().position(|&accepted| accepted == patch);
            let state = match known.campaign.patches()[patch as usize].state {
                State::Accepted => 0,
                State::Playing => 1,
                State::Dropped => 2,
            };
            (state, accepted, elo(&self.pairs_of(patch)).map_or(f64::NEG_INFINITY, |gain| gain.value))
        };
        let mut patches: Vec<u32> = (0..self.record.patches.len() as u32).collect();
        patches.sort_by(|&one, &two| {
            let (one, two) = (rank(one), rank(two));
            let by_gain = if one.1.is_some() { Ordering::Equal } else { two.2.total_cmp(&one.2) };
            (one.0, one.1).cmp(&(two.0, two.1)).then(by_gain)
        });
        patches
    }

    /// The rows of the table of patches.
    pub(super) fn rows(&self, known: &Known) -> Vec<Row> {
        let all = self.pairs();
        self.by_rank(known).into_iter().map(|number| self.row(known, number, all)).collect()
    }

    /// The row of a patch; `all` are the pairs of all patches.
    fn row(&self, known: &Known, number: u32, all: u64) -> Row {
        let (entry, patch) = (&self.record.patches[number as usize], &known.campaign.patches()[number as usize]);
        let pairs = self.pairs_of(number);
        let shown = |text: String| if pairs.total() > 0 { text } else { String::new() };
        let mut cells = vec![
            entry.name.clone(),
            self.word(number, patch.state).to_owned(),
            elo(&pairs).map_or_else(String::new, |gain| interval(gain, 1)),
            shown(e_value(patch.ln_e_value)),
            e_value(known.campaign.ln_e_value_needed(patch)),
            grouped(pairs.total()),
            shown(format!("{:.0}%", 100.0 * pairs.total() as f64 / all.max(1) as f64)),
            entry.priority.to_string(),
        ];
        cells.truncate(self.columns().len());
        let tone = match patch.state {
            State::Accepted => Tone::Good,
            State::Playing => Tone::Open,
            State::Dropped => Tone::Over,
        };
        Row { cells, tone, run: entry.run.clone(), why: self.why_not(known, number) }
    }

    /// Returns the word for the state of a patch.
    fn word(&self, patch: u32, state: State) -> &'static str {
        match (state, &self.record.patches[patch as usize].fitness) {
            (State::Accepted, _) => "accepted",
            (_, Fitness::Unfit(_)) => "left out",
            (State::Playing, _) => "playing",
            (State::Dropped, _) => "dropped",
        }
    }

    /// Returns why a patch no longer plays, if it was dropped or cannot play.
    fn why_not(&self, known: &Known, patch: u32) -> Option<String> {
        match &self.record.patches[patch as usize].fitness {
            Fitness::Unfit(why) => Some(why.clone()),
            _ if known.campaign.patches()[patch as usize].state == State::Dropped => Some(self.futile()),
            _ => None,
        }
    }

    /// Returns the patches that cannot play or were dropped, with the reason of each.
    pub(super) fn reasons(&self) -> Vec<(String, String)> {
        let known = self.known();
        let reason = |patch: u32| Some((self.name(patch).to_owned(), self.why_not(&known, patch)?));
        self.by_rank(&known).into_iter().filter_map(reason).collect()
    }

    /// Returns the sentence, the table, the accepted patches together, and the paths.
    pub fn text(&self) -> String {
        let mut lines = vec![self.says(), String::new()];
        let JobTable { columns, rows, below, .. } = self.table();
        let heads = columns.iter().map(|column| column.head.to_owned()).collect();
        let mut rows: Vec<Vec<String>> = std::iter::once(heads).chain(rows.into_iter().map(|row| row.cells)).collect();
        // The priorities, which the user has set, are left out at the end, so that the table fits into 80 columns.
        for row in &mut rows {
            row.truncate(COLUMNS.len() - 1);
        }
        lines.extend(aligned(&rows, |column| columns[column].is_text).map(|row| format!("  {row}")));
        lines.push(String::new());
        lines.extend(below.into_iter().map(|line| format!("  {line}")));
        let reasons = self.reasons();
        lines.extend(reasons.iter().map(|(patch, why)| format!("  why not       {patch}: {why}")));
        lines.push(format!("  report        {}", self.page().display()));
        lines.join("\n")
    }

    fn together_in_words(&self, together: &Together) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(gain) = elo(&together.pairs) {
            let pairs = counted(together.pairs.total(), "pair");
            lines.push(format!("all together  Elo {}, {pairs}", interval(gain, 1)));
            let sum = self.sum_of_gains(together).map(|sum| format!("sum of gains  Elo {}", interval(sum, 1)));
            lines.extend(sum);
        }
        if let Fitness::Unfit(why) = &together.fitness {
            lines.push(format!("all together  not played: {why}"));
        }
        let left_out = together.left_out.iter();
        lines.extend(left_out.map(|(patch, why)| format!("not merged    {}: {why}", self.name(*patch))));
        let merged = together.revision.as_ref().filter(|_| together.merged().nth(1).is_some());
        lines.extend(merged.map(|merged| format!("merged        {}", merged.commit)));
        lines
    }

    /// Returns everything as JSON.
    pub fn json(&self) -> Value {
        let known = self.known();
        let base = &self.record.origin.base;
        let patches = (0_u32..).zip(&self.record.patches).map(|(number, patch)| self.patch_json(&known, number, patch));
        let names = |patches: &mut dyn Iterator<Item = u32>| patches.map(|patch| self.name(patch)).collect::<Vec<_>>();
        let together = self.together(&known.accepted).map(|together| {
            let left_out = together.left_out.iter();
            let left_out = left_out.map(|(patch, why)| json!({ "patch": self.name(*patch), "why": why }));
            json!({
                "patches": names(&mut together.merged()),
                "left_out": left_out.collect::<Vec<_>>(),
                "commit": together.revision.as_ref().map(|merged| &merged.commit),
                "run": together.run,
                "pairs": together.pairs.total(),
                "elo": elo(&together.pairs).map(estimate),
                "sum_of_gains": self.sum_of_gains(together).map(estimate),
            })
        });
        json!({
            "job": self.folder,
            "title": self.title(),
            "state": self.state(),
            "base": base.asked,
            "base_commit": base.commit,
            "false_discoveries": self.campaigning.rules.false_discoveries,
            "pairs": self.pairs(),
            "max_pairs": self.campaigning.max_pairs,
            "accepted": names(&mut known.accepted.iter().copied()),
            "patches": patches.collect::<Vec<_>>(),
            "together": together,
            "report": self.page(),
        })
    }

    fn patch_json(&self, known: &Known, number: u32, patch: &Entry) -> Value {
        let stand = &known.campaign.patches()[number as usize];
        let pairs = self.pairs_of(number);
        let why = self.why_not(known, number);
        let commit = match &patch.change {
            Source::Revision(revision) => Some(&revision.commit),
            Source::Command(_) | Source::Base => None,
        };
        json!({
            "name": patch.name,
            "idea": patch.idea,
            "take": stand.take,
            "priority": patch.priority,
            "commit": commit,
            "options": patch.options,
            "state": self.word(number, stand.state),
            "why": why,
            "pairs": pairs.total(),
            "counts": pairs.0,
            "elo": elo(&pairs).map(estimate),
            "ln_e_value": stand.ln_e_value,
            "ln_e_value_needed": known.campaign.ln_e_value_needed(stand),
            "run": patch.run,
        })
    }
}

fn estimate(elo: Estimate) -> Value {
    json!([elo.value, elo.low, elo.high])
}

/// Counts one thing or several in words.
pub(super) fn plural(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{} {thing}es", grouped(number as u64)) }
}

/// Formats an e-value, from its logarithm.
fn e_value(ln: f64) -> String {
    let value = libm::exp(ln);
    if value >= LARGE {
        format!("1e{:.0}", ln / std::f64::consts::LN_10)
    } else if value >= 100.0 {
        grouped(value.round() as u64)
    } else {
        format!("{value:.2}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e_values_are_short() {
        let shown = [0.0, -5.0, 5.0, 9.0, 23.1, 5_000.0].map(e_value);
        assert_eq!(shown, ["1.00", "0.01", "148", "8,103", "1e10", "1e2171"]);
        assert_eq!([plural(1, "patch"), plural(1_200, "patch")], ["1 patch", "1,200 patches"]);
    }
}
