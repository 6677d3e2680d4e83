//! The pair limit of a run: it can be raised, but never set below the number of played pairs.

use crate::error::{LimitError, SessionError};
use crate::run_folder::{name_of, stored_text};
use arena::config::{ExperimentConfig, GamesEach, RunConfig};
use arena::run::RunFolder;
use reports::text::{counted, grouped};
use std::num::NonZeroU64;
use std::path::Path;

/// Returns the `key=value` setting that changes the limit of the run of this name. `text` is its stored configuration,
/// whose key is kept, since the limit may be written there as pairs or as rounds.
///
/// # Errors
/// [`LimitError::Fixed`] for a schedule whose pairings depend on results.
pub fn setting(name: &str, run: &RunConfig, text: &str, pairs: NonZeroU64) -> Result<String, LimitError> {
    let experiment = &run.experiment;
    if let Some(schedule) = fixed(experiment) {
        return Err(LimitError::Fixed { run: name.to_owned(), schedule });
    }
    let section = experiment.kind();
    let [in_pairs, in_rounds] = match experiment {
        ExperimentConfig::Sprt { .. } => ["max_pairs", "max_rounds"],
        ExperimentConfig::Match { .. } => ["pairs", "rounds"],
        ExperimentConfig::Tune(_) | ExperimentConfig::Ladder(_) => ["pairs"; 2],
        ExperimentConfig::Selfplay { .. } => ["games"; 2],
    };
    let table: toml::Table = text.parse().unwrap_or_default();
    let stands = table.get(section).and_then(|section| section.get(in_rounds)).is_some();
    let are_single = experiment.rounds().games == GamesEach::One;
    Ok(format!("{section}.{}={pairs}", if stands || are_single { in_rounds } else { in_pairs }))
}

/// Does the same as [`setting`] for the run in a folder.
///
/// # Errors
/// [`SessionError`] if there is no run, if it cannot be read, or if its limit cannot change.
pub fn setting_of(path: &Path, pairs: NonZeroU64) -> Result<String, SessionError> {
    let journal = RunFolder::open_journal(path)?;
    let text = stored_text(path, &journal)?;
    Ok(setting(&name_of(path), &journal.header()?.config, &text, pairs)?)
}

/// Returns the schedule of a run whose number of pairs cannot change.
fn fixed(experiment: &ExperimentConfig) -> Option<&'static str> {
    match experiment {
        ExperimentConfig::Match { schedule, .. } => schedule.called(),
        ExperimentConfig::Sprt { .. }
        | ExperimentConfig::Tune(_)
        | ExperimentConfig::Ladder(_)
        | ExperimentConfig::Selfplay { .. } => None,
    }
}

/// Refuses a limit for the run of this name that is lower than before and leaves out played pairs. `played` are the
/// pairs that count: those without a gap in the journal, up to the run's end.
///
/// # Errors
/// [`LimitError::TooFew`]
pub fn refuse_fewer(name: &str, then: &RunConfig, now: &RunConfig, played: u64) -> Result<(), LimitError> {
    let Some(most) = now.experiment.most_rounds().filter(|most| *most < played) else { return Ok(()) };
    if then.experiment.most_rounds().is_some_and(|before| before <= most) {
        return Ok(());
    }
    let pairings = now.experiment.pairings().unwrap_or(1).max(1);
    let unit = now.experiment.rounds().unit();
    let each = if pairings > 1 { format!(" in each of {}", counted(pairings, "pairing")) } else { String::new() };
    Err(LimitError::TooFew {
        run: name.to_owned(),
        played,
        unit,
        asked: format!("{}{each}", grouped(most / pairings)),
        least: played.div_ceil(pairings),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::Job;
    use plan::{Disk, load, load_stored};

    fn run(job: Job, section: &str, entrants: usize) -> (String, RunConfig) {
        let entrant = |name: usize| format!("[[entrant]]\nname = \"{name}\"\nlimit = \"9 nodes\"\n");
        let text = format!("{section}\n{}", (0..entrants).map(entrant).collect::<String>());
        let run = load(&text, "a file", "a", &[], job, Disk).expect("a plan").run;
        (text, run)
    }

    #[test]
    fn a_limit_is_set_by_the_key_that_says_it() {
        let seven = NonZeroU64::new(7).expect("seven");
        let cases = [
            (Job::Sprt, "[sprt]\nelo0 = 0\nelo1 = 5", "sprt.max_pairs=7"),
            (Job::Sprt, "[sprt]\nelo0 = 0\nelo1 = 5\nmax_rounds = 3", "sprt.max_rounds=7"),
            (Job::Sprt, "[sprt]\nelo0 = 0\nelo1 = 5\ngames = \"single\"", "sprt.max_rounds=7"),
            (Job::Match, "[match]\npairs = 3", "match.pairs=7"),
            (Job::Match, "[match]\nrounds = 3", "match.rounds=7"),
            (Job::Ladder, "[ladder]\npairs = 3", "ladder.pairs=7"),
        ];
        for (job, section, expected) in cases {
            let (text, run) = run(job, section, 2);
            let setting = setting("a-1", &run, &text, seven).expect("a limit");
            assert_eq!(setting, expected, "{section}");
            let again = load(&text, "a file", "a", &[setting], job, Disk).expect("it can be set").run;
            assert_eq!(again.experiment.most_rounds(), Some(7), "{section}");
        }
        for (schedule, name) in [("swiss", "Swiss"), ("knockout", "knockout")] {
            let (text, run) = run(Job::Match, &format!("[match]\npairs = 3\nschedule = \"{schedule}\""), 4);
            let refused = LimitError::Fixed { run: "a-1".to_owned(), schedule: name };
            assert_eq!(setting("a-1", &run, &text, seven), Err(refused));
        }
    }

    #[test]
    fn no_limit_takes_away_what_was_played() {
        let of = |pairs: u64| run(Job::Match, &format!("[match]\npairs = {pairs}\nschedule = \"round-robin\""), 3).1;
        let then = of(50);
        assert_eq!(refuse_fewer("a-1", &then, &of(10), 30), Ok(()), "just as many");
        assert_eq!(refuse_fewer("a-1", &then, &of(60), 31), Ok(()));
        let refused = refuse_fewer("a-1", &then, &of(10), 31).expect_err("fewer").to_string();
        let expected = "a-1: 31 pairs were played already, so 10 in each of 3 pairings is too few: \
                        expected 11 or more";
        assert_eq!(refused, expected);
        // A run with more pairs than its limit can still be resumed unchanged.
        assert_eq!(refuse_fewer("a-1", &of(10), &of(10), 31), Ok(()));
    }

    #[test]
    fn a_tuning_session_stays_planned_for_the_pairs_that_it_began_with() {
        let section = |pairs: u64| format!("[tune]\npairs = {pairs}\n[[tune.parameter]]\nname = \"optimism\"");
        let text = |pairs| format!("{}\n[[entrant]]\nname = \"e\"\nlimit = \"9 nodes\"\n", section(pairs));
        let begun = |pairs| load(&text(pairs), "a file", "a", &[], Job::Tune, Disk).expect("a plan");
        let resumed =
            |pairs, then: &RunConfig| load_stored(&text(pairs), "a file", "a", &[], then, Disk).expect("a plan");
        let then = begun(40);
        let now = resumed(60, &then.run);
        let back = resumed(40, &now.run);
        let planned = |run: &RunConfig| match &run.experiment {
            ExperimentConfig::Tune(tune) => (tune.pairs.get(), tune.planned().get(), tune.planned.is_some()),
            other => panic!("{other:?}"),
        };
        assert_eq!(planned(&now.run), (60, 40, true));
        assert_eq!(now.run.experiment.with_pair_limit_of(&then.run.experiment), then.run.experiment);
        assert_eq!(planned(&back.run), (40, 40, false));
    }
}
