//! Makes other members' texts safe to show: bounds their length, and removes terminal control sequences.

use crate::message::{Heartbeat, RunNews};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest text of a member.
pub(crate) const SENTENCE: usize = 1000;

/// The longest name.
const NAME: usize = 100;

/// Upper bounds: no machine has more cores, and no worker plays for more runs at a time.
const MOST_CORES: usize = 1 << 16;
const MOST_RUNS: usize = 1000;

/// An upper bound on the kinds of faults.
const MOST_KINDS: usize = 20;

/// Returns a text as one line of at most this many characters, without control sequences for terminals or text
/// direction.
pub(crate) fn tidy(text: &str, most: usize) -> String {
    let is_odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let mut tidied: String = text.chars().take(most).map(|c| if is_odd(c) { ' ' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        tidied.push_str(" ...");
    }
    tidied
}

fn tidy_in_place(text: &mut String, most: usize) {
    *text = tidy(text, most);
}

fn bound<V>(by_run: &mut BTreeMap<String, V>) {
    if let Some(first) = by_run.keys().nth(MOST_RUNS).cloned() {
        let _too_many = by_run.split_off(&first);
    }
}

/// Returns a worker's heartbeat in a form that is safe to show and count.
pub(crate) fn tidy_hello(mut heartbeat: Heartbeat) -> Heartbeat {
    tidy_in_place(&mut heartbeat.spar, NAME);
    tidy_in_place(&mut heartbeat.host, NAME);
    heartbeat.trouble = heartbeat.trouble.map(|text| tidy(&text, SENTENCE));
    bound(&mut heartbeat.holds);
    bound(&mut heartbeat.preparing);
    bound(&mut heartbeat.scales);
    heartbeat.preparing.values_mut().for_each(|what| tidy_in_place(what, SENTENCE));
    for cores in [&mut heartbeat.cores, &mut heartbeat.at_a_time, &mut heartbeat.busy] {
        *cores = (*cores).min(MOST_CORES);
    }
    heartbeat
}

/// Returns a run's status in a form that is safe to show.
pub(crate) fn tidy_run(mut news: RunNews) -> RunNews {
    tidy_in_place(&mut news.name, NAME);
    let reasons = news.workers.values_mut().filter_map(|worker| worker.set_aside.as_mut());
    reasons.for_each(|why| tidy_in_place(why, SENTENCE));
    for worker in news.workers.values_mut() {
        let faults = std::mem::take(&mut worker.faults).into_iter().take(MOST_KINDS);
        worker.faults = faults.map(|(kind, games)| (tidy(&kind, NAME), games)).collect();
    }
    news
}

/// Tidies all texts in a value; `None` if the value is invalid without the removed characters.
pub(crate) fn tidy_texts<T: Serialize + DeserializeOwned>(value: &T) -> Option<T> {
    fn walk(value: &mut Value) {
        match value {
            Value::String(text) => *text = tidy(text, NAME),
            Value::Array(values) => values.iter_mut().for_each(walk),
            Value::Object(fields) => fields.values_mut().for_each(walk),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut json = serde_json::to_value(value).ok()?;
    walk(&mut json);
    serde_json::from_value(json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_steers_a_terminal_or_fills_it() {
        assert_eq!(tidy("a\u{1b}[2Jb\nc\u{202e}d é", 100), "a [2Jb c d é");
        assert_eq!(tidy(&"é".repeat(2000), 5), "ééééé ...");
        assert_eq!(tidy_texts(&vec![Some("x\u{7}".to_owned()), None]), Some(vec![Some("x ".to_owned()), None]));
    }
}
