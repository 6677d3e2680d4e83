//! `spar train`: fits an evaluation to files of positions and to runs, with progress, interruption and resumption.

use super::sessions::read_config;
use super::{print, print_json};
use crate::args::Train;
use crate::failure::{Exit, Failure};
use crate::host;
use crate::progress::{ProgressLine, training_line};
use plan::{Disk, FirstNetwork, TrainingPlan};
use reports::PAGE;
use session::{SessionError, training};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use trainer::train::{Control, Dataset, Kind, Settings, Trained};

pub(crate) fn train(arguments: &Train) -> Result<Exit, Failure> {
    let path = &arguments.config;
    let plan = TrainingPlan::read(&read_config(path)?, &path.display().to_string(), &arguments.settings, Disk)?;
    let data = positions(&plan)?;
    let settings = plan.how.settings_for(&data);
    // An interruption may arrive as soon as the folder is visible.
    let stop = host::stop_flag()?;
    fs_err::create_dir_all(&plan.out).map_err(Failure::environment)?;
    say!("{}", training::introduction(&settings, &data));
    let trained = train_in_view(&plan, &settings, &data, stop)?;
    training::keep(&plan.out, &plan.text, &settings, &trained)?;
    if arguments.json {
        print_json(&trained)?;
    } else {
        print(summary(&plan.out, &settings, &trained))?;
    }
    if trained.stopped {
        say!("Interrupted; a checkpoint is kept. To resume: the same command again");
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Done)
}

/// The positions of the game to train for.
fn positions(plan: &TrainingPlan) -> Result<Dataset, Failure> {
    let (sources, choice) = (plan.sources().map_err(SessionError::from)?, plan.how.choice);
    let data = match plan.how.settings.kind {
        Kind::Wps | Kind::Network { .. } | Kind::Policy { .. } => Dataset::open(&sources, choice),
        Kind::Chess { scale, .. } => Dataset::open_chess(&sources, choice, scale),
        Kind::Crazyhouse { scale, .. } => Dataset::open_crazyhouse(&sources, choice, scale),
    };
    data.map_err(Failure::environment)
}

/// Trains and shows progress, until the end or until Ctrl-C.
fn train_in_view(
    plan: &TrainingPlan,
    settings: &Settings,
    data: &Dataset,
    stop: &AtomicBool,
) -> Result<Trained, Failure> {
    let mut line = ProgressLine::new();
    let start = plan.how.start.as_ref().map(FirstNetwork::weights);
    let trained = trainer::train::train(settings, data, start, &plan.out, &mut |progress| {
        line.show(|_| training_line(&progress.into()));
        if stop.load(Ordering::SeqCst) { Control::Stop } else { Control::Continue }
    });
    line.finish();
    trained.map_err(Failure::environment)
}

fn summary(out: &Path, settings: &Settings, trained: &Trained) -> String {
    let mut lines = vec![training::says(settings, trained)];
    if let Some(error) = trained.judgement.quantisation() {
        lines.push(format!(
            "The engine's integers are within {:.4} logit of it in 99 of 100 positions",
            error.percentile_99
        ));
    }
    lines.extend(trained.weights.as_ref().map(|weights| format!("weights  {}", weights.display())));
    lines.push(format!("page     {}", out.join(PAGE).display()));
    lines.join("\n")
}
