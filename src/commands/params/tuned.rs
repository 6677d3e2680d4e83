//! `spar params export` and `patch`: the values of a tuning session, in the formats of other tools and in a source
//! file.

use crate::args::{ExportParams, PatchParams, TunedAs};
use crate::commands::{one_run_path, print};
use crate::failure::{Exit, Failure};
use anyhow::{Context, anyhow};
use arena::run::{Standing, TuneStanding, replace_file};
use reports::tuned::{Pasted, literals, not_exported};
use session::ReadRun;
use session::declared::patch as put;
use std::path::Path;

pub(super) fn export(export: &ExportParams, runs: &Path) -> Result<Exit, Failure> {
    let read = ReadRun::open(&one_run_path(&export.run, runs)?)?;
    let standing = read.experiment.standing();
    let tune = tuned(&standing)?;
    let pasted = Pasted::new(tune, &read.header.config.entrants[0].player);
    let lines = match export.how {
        TunedAs::Toml => vec![pasted.toml],
        TunedAs::Uci if pasted.setoptions.is_empty() => return Err(Failure::usage("its engine does not speak UCI")),
        TunedAs::Uci => pasted.setoptions,
        TunedAs::Fishtest => pasted.fishtest,
        TunedAs::Openbench => pasted.openbench,
        TunedAs::WeatherFactory => vec![pasted.weather_factory],
    };
    lines.iter().try_for_each(print)?;
    if matches!(export.how, TunedAs::Fishtest | TunedAs::Openbench | TunedAs::WeatherFactory) {
        tell_others(tune, export.how);
    }
    Ok(Exit::Done)
}

/// Reports what another tuner is not given or cannot use.
fn tell_others(tune: &TuneStanding, how: TunedAs) {
    let is_json = matches!(how, TunedAs::WeatherFactory);
    for (name, why) in not_exported(tune).into_iter().filter(|(name, _)| !(is_json && name.contains(','))) {
        say!("left out: {name}: {why}");
    }
    let frozen = tune.parameters.iter().filter(|tuned| is_json && tuned.frozen && tuned.step <= 0.0);
    for tuned in frozen {
        say!("note: {}: weather-factory refuses a step of 0; remove it there", tuned.name);
    }
}

pub(super) fn patch(patch: &PatchParams, runs: &Path) -> Result<Exit, Failure> {
    let read = ReadRun::open(&one_run_path(&patch.run, runs)?)?;
    let standing = read.experiment.standing();
    let diff = write_into(&patch.file, &literals(tuned(&standing)?), patch.write)?;
    if !diff.is_empty() {
        print(diff)?;
        if !patch.write {
            say!("Nothing is written yet: --write does it.");
        }
    }
    Ok(Exit::Done)
}

fn tuned(standing: &Standing) -> Result<&TuneStanding, Failure> {
    standing.tune().ok_or_else(|| Failure::usage("this run is not a tuning session: it has no values"))
}

/// Returns how the values change a source file, as a diff, and writes the file if `is_written` is set.
///
/// # Errors
/// The file cannot be read or written, or does not define a name exactly once.
pub(crate) fn write_into(file: &Path, values: &[(String, String)], is_written: bool) -> Result<String, Failure> {
    let text = std::fs::read_to_string(file);
    let text = text.with_context(|| format!("cannot read {}", file.display())).map_err(Failure::Usage)?;
    let patched = put(&text, values).map_err(|error| Failure::Usage(anyhow!("{}: {error}", file.display())))?;
    if patched.diff.is_empty() {
        say!("{} has these values already.", file.display());
    } else if is_written {
        replace_file(file, patched.text.as_bytes()).map_err(Failure::environment)?;
        say!("{} is written.", file.display());
    }
    Ok(patched.diff.trim_end().to_owned())
}
