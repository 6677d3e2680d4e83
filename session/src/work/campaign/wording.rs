//! The texts of a campaign: what was accepted, where each patch stands, the same as JSON.

use super::model::{CampaignEnding, Known, Next, elo};
use super::record::{CampaignJob, Entry, Fitness, Source, Together};
use arena::run::RunFolder;
use reports::text::{aligned, counted, grouped, interval, signed};
use serde_json::{Value, json};
use stats::Estimate;
use stats::campaign::State;
use std::cmp::Ordering;

/// E-values from here on are written with an exponent.
const LARGE: f64 = 1e6;

/// The heads of the table of patches.
pub(super) const HEADS: [&str; 7] = ["patch", "state", "Elo", "e-value", "needed", "pairs", "share"];

impl CampaignJob {
    /// Why it is over; `None` if it is not.
    pub fn ending(&self) -> Option<CampaignEnding> {
        match self.next() {
            Next::Over(ending) => Some(ending),
            _ => None,
        }
    }

    /// Whether it is over, at work or interrupted, in a word.
    pub fn state(&self) -> &'static str {
        match self.ending() {
            Some(CampaignEnding::Settled) => "settled",
            Some(CampaignEnding::Budget) => "undecided",
            None if RunFolder::is_worked_on(&self.folder) => "running",
            None => "interrupted",
        }
    }

    /// What it is, for people.
    pub fn title(&self) -> String {
        let name = self.campaigning.plan.keys.title.as_ref().map_or(&self.campaigning.name, |title| &title.value);
        format!("{name}: patches against {}", self.base_in_words())
    }

    /// The base as it was asked for, and its commit.
    pub(super) fn base_in_words(&self) -> String {
        let base = &self.record.origin.base;
        let (asked, short) = (&base.asked, base.short());
        if base.commit.starts_with(asked.as_str()) { short.to_owned() } else { format!("{asked} ({short})") }
    }

    /// How many patches are in this state.
    fn count(known: &Known, state: State) -> usize {
        known.campaign.patches().iter().filter(|patch| patch.state == state).count()
    }

    /// How many are in each state, in words.
    fn counts(known: &Known) -> String {
        let states = [(State::Accepted, "accepted"), (State::Dropped, "dropped"), (State::Playing, "undecided")];
        let seen = states.map(|(state, name)| (Self::count(known, state), name));
        let seen = seen.iter().filter(|(count, name)| *count > 0 || *name == "accepted");
        let words: Vec<String> = seen.map(|(count, name)| format!("{count} {name}")).collect();
        words.join(", ")
    }

    /// Its outcome, in a sentence.
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

    /// What was accepted, in short.
    pub fn in_short(&self) -> String {
        let names = self.known().accepted.into_iter().map(|patch| self.name(patch));
        names.collect::<Vec<_>>().join(", ")
    }

    fn name(&self, patch: u32) -> &str {
        &self.record.patches[patch as usize].name
    }

    /// A line about the batch that is about to be played.
    pub(super) fn about_to_play(&self, patch: u32, pairs: u64) -> String {
        let known = self.known();
        let budget = counted(self.campaigning.max_pairs.get(), "pair");
        let leader = self.leader(&known).map_or_else(String::new, |leader| format!("; best of these {leader}"));
        let (played, states) = (grouped(self.pairs()), Self::counts(&known));
        let (name, pairs) = (self.name(patch), counted(pairs, "pair"));
        format!("{played} of {budget}; {states}{leader}. Next: {name}, {pairs}")
    }

    /// The undecided patch with the largest e-value, and its gain.
    fn leader(&self, known: &Known) -> Option<String> {
        let open = (0..).zip(known.campaign.patches()).filter(|(_, patch)| patch.state == State::Playing);
        let (best, _) = open.max_by(|one, two| one.1.ln_e_value.total_cmp(&two.1.ln_e_value))?;
        let gain = elo(&self.pairs_of(best))?;
        Some(format!("{} {}", self.name(best), signed(gain.value, 1)))
    }

    /// A line for each patch that was accepted or dropped since.
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

    /// The patches: accepted ones in the order in which they were, then the others by gain, those that were dropped
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
    pub(super) fn rows(&self) -> Vec<Vec<String>> {
        let known = self.known();
        let all = self.pairs();
        let row = |number: u32| {
            let patch = &known.campaign.patches()[number as usize];
            let pairs = self.pairs_of(number);
            let has_played = pairs.total() > 0;
            let shown = |text: String| if has_played { text } else { String::new() };
            vec![
                self.name(number).to_owned(),
                self.word(number, patch.state).to_owned(),
                elo(&pairs).map_or_else(String::new, |gain| interval(gain, 1)),
                shown(e_value(patch.ln_e_value)),
                e_value(known.campaign.ln_e_value_needed(patch)),
                grouped(pairs.total()),
                shown(format!("{:.0}%", 100.0 * pairs.total() as f64 / all.max(1) as f64)),
            ]
        };
        self.by_rank(&known).into_iter().map(row).collect()
    }

    /// What has become of a patch, in a word.
    fn word(&self, patch: u32, state: State) -> &'static str {
        match (state, &self.record.patches[patch as usize].fitness) {
            (State::Accepted, _) => "accepted",
            (_, Fitness::Unfit(_)) => "left out",
            (State::Playing, _) => "playing",
            (State::Dropped, _) => "dropped",
        }
    }

    /// Patches that cannot play, and those that were dropped, with the reason of each.
    pub(super) fn reasons(&self) -> Vec<(String, String)> {
        let known = self.known();
        let reason = |number: u32| {
            let patch = &self.record.patches[number as usize];
            let state = known.campaign.patches()[number as usize].state;
            let why = match &patch.fitness {
                Fitness::Unfit(why) => why.clone(),
                _ if state == State::Dropped => self.futile(),
                _ => return None,
            };
            Some((patch.name.clone(), why))
        };
        self.by_rank(&known).into_iter().filter_map(reason).collect()
    }

    /// The sentence, the table, the accepted patches together, and where everything is.
    pub fn text(&self) -> String {
        let mut lines = vec![self.says(), String::new()];
        let heads = HEADS.map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(heads).chain(self.rows()).collect();
        lines.extend(aligned(&rows, |column| column < 3).map(|row| format!("  {row}")));
        lines.push(String::new());
        if let Some(together) = self.together(&self.known().accepted) {
            lines.extend(self.together_in_words(together));
        }
        let reasons = self.reasons();
        lines.extend(reasons.iter().map(|(patch, why)| format!("  why not       {patch}: {why}")));
        lines.push(format!("  report        {}", self.page().display()));
        lines.join("\n")
    }

    fn together_in_words(&self, together: &Together) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(gain) = elo(&together.pairs) {
            let pairs = counted(together.pairs.total(), "pair");
            lines.push(format!("  all together  Elo {}, {pairs}", interval(gain, 1)));
            let sum = self.sum_of_gains(together).map(|sum| format!("  sum of gains  Elo {}", interval(sum, 1)));
            lines.extend(sum);
        }
        if let Fitness::Unfit(why) = &together.fitness {
            lines.push(format!("  all together  not played: {why}"));
        }
        let left_out = together.left_out.iter();
        lines.extend(left_out.map(|(patch, why)| format!("  not merged    {}: {why}", self.name(*patch))));
        let merged = together.revision.as_ref().filter(|_| together.merged().nth(1).is_some());
        lines.extend(merged.map(|merged| format!("  merged        {}", merged.commit)));
        lines
    }

    /// All of it for machines.
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
        let why = match &patch.fitness {
            Fitness::Unfit(why) => Some(why.clone()),
            _ => (stand.state == State::Dropped).then(|| self.futile()),
        };
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

/// Several patches, or one.
pub(super) fn plural(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{} {thing}es", grouped(number as u64)) }
}

/// An e-value, from its logarithm.
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
