//! Fuzzes configurations, including fits and trainings, with settings of the command line; inputs are in
//! `tests/corpus`.

use crate::{Disk, FitPlan, PlanError, RunPlan, SetupsPlan, TrainingPlan, jobs, load};
use arena::config::Job;
use fuzz::{ReadOutcome, Target};

#[test]
fn configurations() {
    Target::new("plan", env!("CARGO_MANIFEST_DIR")).run(|input| {
        let text = String::from_utf8_lossy(input);
        // Settings follow the text, one per line.
        let (text, settings) = text.split_once("\n--set\n").unwrap_or((&text, ""));
        let settings: Vec<String> = settings.lines().map(str::to_owned).take(8).collect();
        let others = others(text, &settings);
        let plan = match RunPlan::read(text, "a.toml", "a", &settings, None, Disk) {
            Ok(plan) => plan,
            Err(error) => return ReadOutcome::Refused(shown(error) + &others),
        };
        let mut refused = String::new();
        for job in Job::ALL {
            match plan.resolve(job) {
                Ok(loaded) => {
                    // The stored text must load with the same result.
                    let again = load(&loaded.text, "a.toml", "a", &[], job, Disk);
                    let again = again.map_err(shown).unwrap_or_else(|error| panic!("{error}\n{}", loaded.text));
                    assert_eq!(again.run, loaded.run, "{}", loaded.text);
                    let _experiment = jobs::experiment(&loaded.run);
                }
                Err(error) => refused = shown(error),
            }
        }
        if refused.is_empty() { ReadOutcome::Read(String::new()) } else { ReadOutcome::Refused(refused) }
    });
}

/// Returns the errors of the same text read as the other kinds of configuration.
fn others(text: &str, settings: &[String]) -> String {
    let fit = FitPlan::read(text, "a.toml", settings, Disk).err();
    let training = TrainingPlan::read(text, "a.toml", settings, Disk).err();
    let setups = SetupsPlan::read(text, "a.toml", settings, Disk).err();
    [fit, training, setups].into_iter().flatten().map(|error| error.to_string() + "\n").collect()
}

/// Renders an error as users see it.
fn shown(error: PlanError) -> String {
    format!("{:?}", miette::Report::new(error))
}
