//! `spar fit`: fits a linear evaluation to labelled positions, with progress, interruption and resumption.

use super::sessions::read_config;
use super::{print, print_json};
use crate::args::Fit;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::ProgressLine;
use plan::{Disk, FitPlan};
use reports::PAGE;
use reports::text::{aligned, grouped};
use session::{SessionError, fit};
use std::path::Path;
use std::sync::atomic::Ordering;
use trainer::fit::{Fitted, Input, Progress};

pub(crate) fn fit(arguments: &Fit) -> Result<Exit, Failure> {
    let path = &arguments.config;
    let plan = FitPlan::read(&read_config(path)?, &path.display().to_string(), &arguments.settings, Disk)?;
    let inputs = plan.inputs().map_err(SessionError::from)?;
    fs_err::create_dir_all(&plan.out).map_err(Failure::environment)?;
    say!("{}: {}", fit::model(plan.settings.model), read_from(&inputs));
    let (stop, mut line) = (host::stop_flag()?, ProgressLine::new());
    let fitted = trainer::fit::fit(&plan.settings, &inputs, &plan.out, &mut |progress| {
        line.show(|_| progress_line(progress));
        !stop.load(Ordering::SeqCst)
    });
    line.finish();
    let Some(fitted) = fitted.map_err(Failure::environment)? else {
        say!("Interrupted; what was done is kept. To resume: the same command again");
        return Ok(Exit::Interrupted);
    };
    for warning in &fitted.warnings {
        say!("warning: {warning}");
    }
    fit::keep(&plan.out, &plan.text, &plan.settings, &fitted)?;
    if arguments.json {
        print_json(&fitted)?;
    } else {
        print(summary(&plan.out, &fitted))?;
    }
    Ok(Exit::Done)
}

/// The number of files and of runs.
fn read_from(inputs: &[Input]) -> String {
    let runs = inputs.iter().filter(|input| matches!(input, Input::Run(_))).count();
    let count = |number: usize, noun: &str| {
        let plural = if number == 1 { "" } else { "s" };
        (number > 0).then(|| format!("{} {noun}{plural}", grouped(number as u64)))
    };
    let counts = [count(inputs.len() - runs, "file"), count(runs, "run")];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn progress_line(progress: &Progress) -> String {
    match *progress {
        Progress::Reading { read } => format!("{} positions read", grouped(read)),
        Progress::Fitting { method, step, of, loss } => {
            format!("{}  {} of {}  {loss:.5}", fit::method(method), grouped(u64::from(step)), grouped(u64::from(of)))
        }
    }
}

fn summary(out: &Path, fitted: &Fitted) -> String {
    let gathered = &fitted.gathered;
    let mut lines: Vec<String> = fit::verdict(fitted).map(str::to_owned).into_iter().collect();
    lines.push(format!(
        "{} positions read, {} kept, {} not quiet, {} seen before, {} that cannot be used",
        grouped(gathered.read),
        grouped(gathered.kept),
        grouped(gathered.noisy),
        grouped(gathered.duplicates),
        grouped(gathered.flawed)
    ));
    lines.extend(gathered.flaws.iter().map(|flaw| format!("  {flaw}")));
    lines.extend(fit::labels(gathered).map(|[name, value]| format!("{name} {value}")));
    lines.push(fit::says(fitted));
    let heads = fit::HEADS.map(str::to_owned).to_vec();
    let rows: Vec<_> = std::iter::once(heads).chain(fit::rows(fitted)).collect();
    lines.extend(aligned(&rows, |column| column == 0));
    lines.push(format!("weights  {}", out.join("weights.toml").display()));
    lines.push(format!("page     {}", out.join(PAGE).display()));
    lines.join("\n")
}
