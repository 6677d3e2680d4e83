//! The log of a run, for users: its sessions from the journal, what users did to it from browsers, what makes its
//! result doubtful, and the games lost by faults. Its cost does not grow with the run.

use crate::known::{Known, State};
use crate::run::Run;
use crate::tokens::SERVER;
use arena::run::{JournalError, JournalReader, StoredSession, lost_games};
use reports::text::{counted, iso};
use serde_json::{Value, json};
use session::SessionError;

/// An entry of the log.
struct Entry {
    /// The time in milliseconds since 1970, if it is known.
    unix_ms: Option<i64>,
    /// The topic.
    kind: &'static str,
    says: String,
    /// The name of the user who did it.
    by: Option<String>,
}

impl Entry {
    fn new(unix_ms: Option<i64>, kind: &'static str, says: impl Into<String>) -> Self {
        Self { unix_ms, kind, says: says.into(), by: None }
    }

    fn json(&self) -> Value {
        json!({ "at": self.unix_ms.map(iso), "kind": self.kind, "says": self.says, "by": self.by })
    }
}

/// Returns the log of a run, the newest entry first. `done` has entries of the log of actions from browsers.
///
/// # Errors
/// The reason why the journal cannot be read.
pub(crate) fn log(run: &Run, done: &[Value]) -> Result<Value, String> {
    let unreadable = |why: SessionError| why.to_string();
    let (journal, header) = run.journal().map_err(unreadable)?;
    let of_known = |known: &Known| {
        let (pairs, count) = known.standing_reader.faulty_pairs();
        (sessions(known).into_iter().chain(warnings(known)).collect::<Vec<_>>(), pairs.to_vec(), count)
    };
    let (mut entries, faulty, count) = run.known(of_known)?;
    entries.extend(set_aside(&journal).map_err(|why| why.to_string())?);
    entries.extend(done.iter().filter_map(of_control));
    // An entry without a time holds now, so it is the newest.
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.unix_ms.unwrap_or(i64::MAX)));
    let mut faults = Vec::new();
    for pair in &faulty {
        if let Some(stored) = journal.result(*pair).map_err(|why| why.to_string())? {
            faults.extend(lost_games(&header, &stored).iter().map(|lost| {
                let excuse = if lost.host_caused { ", because the host kept it waiting" } else { "" };
                json!({ "game": lost.name.to_string(), "says": format!("{} {}{excuse}", lost.entrant, lost.fault) })
            }));
        }
    }
    let entries: Vec<Value> = entries.iter().map(Entry::json).collect();
    Ok(json!({ "entries": entries, "faults": faults, "more_faulty": count - faulty.len() as u64 }))
}

/// Returns when the run began, stopped and was resumed, and how it ended.
fn sessions(known: &Known) -> Vec<Entry> {
    let sessions = known.standing_reader.sessions();
    let mut entries = Vec::new();
    for (number, stored) in sessions.iter().enumerate() {
        let began = if number == 0 { "Began" } else { "Resumed" };
        let says = format!("{began} on {}", conditions(stored));
        entries.push(Entry::new(Some(stored.session.started_unix_ms), "session", says));
        let is_last = number + 1 == sessions.len();
        if let Some(says) = end(known, is_last) {
            entries.push(Entry::new(Some(stored.ended_unix_ms), "session", says));
        }
    }
    entries
}

fn conditions(StoredSession { session, scale, .. }: &StoredSession) -> String {
    let workers = match session.concurrency {
        0 => "games on a fleet".to_owned(),
        workers => format!("{} at a time", counted(workers as u64, "game")),
    };
    let scale = scale.map_or_else(String::new, |scale| format!(", time controls multiplied by {}", scale.factor));
    format!("{}: {workers}, spar {}{scale}", session.host, session.version)
}

/// Returns how a session ended, if it has.
fn end(known: &Known, is_last: bool) -> Option<String> {
    let stopped = Some("Stopped before its end".to_owned());
    match known.state {
        _ if !is_last => stopped,
        State::Known(session::Progress::Interrupted) => stopped,
        State::Known(session::Progress::Finished | session::Progress::Faulty) => {
            let reader = &known.standing_reader;
            Some(reader.summary(&reader.standing()).verdict_in_words())
        }
        State::Reading | State::Known(session::Progress::Running) => None,
    }
}

/// Returns what makes the run's result doubtful.
fn warnings(known: &Known) -> Vec<Entry> {
    let (reader, paused) = (&known.standing_reader, known.paused);
    let warning = reader.summary(&reader.standing()).warning().map(|says| Entry::new(None, "warning", says));
    let paused = paused.then(|| Entry::new(None, "session", "Paused: no further pair begins until it continues"));
    warning.into_iter().chain(paused).collect()
}

/// Returns the workers whose pairs do not count.
fn set_aside(journal: &JournalReader) -> Result<Vec<Entry>, JournalError> {
    let all = journal.set_aside()?;
    let says = |(worker, why): (String, String)| format!("Worker {worker} gets no more pairs: {why}");
    Ok(all.into_iter().map(|one| Entry::new(None, "warning", says(one))).collect())
}

/// Converts an entry of the log of actions from browsers.
fn of_control(done: &Value) -> Option<Entry> {
    let by = done["who"].as_str().filter(|who| !who.is_empty() && *who != SERVER).map(str::to_owned);
    Some(Entry { by, ..Entry::new(done["unix_ms"].as_i64(), "control", done["did"].as_str()?) })
}
