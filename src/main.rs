//! The command line of spar: parses, wires and shows progress. The crates below contain the parts.
//!
//! Results go to standard output, progress and messages to standard error.

/// Prints a line on standard error. A closed pipe must not end a run.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _nobody_listens = writeln!(std::io::stderr(), "{}", crate::shown::shown(&format!($($text)*)));
    }};
}

mod args;
mod commands;
mod counts;
mod draft;
mod failure;
mod hidden;
mod host;
mod optional;
mod page;
mod players;
mod progress;
mod shown;
#[cfg(test)]
mod tests;
mod watch;

use args::{Arguments, Command};
use failure::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(exit) = hidden::obey(std::env::args_os().skip(1)) {
        return exit;
    }
    if let Some(exit) = commands::completions::answer() {
        return exit;
    }
    let arguments = match args::help::parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
            return failure::usage(&words, &error);
        }
    };
    host::keep_player_panics_quiet();
    host::take_file_limits_for_full_disks();
    match start_threads().and_then(|()| run(arguments)) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report(),
    }
}

/// Starts the thread pool for parallel work.
fn start_threads() -> Result<(), Failure> {
    arena::run::start_pool()
        .map_err(|cause| Failure::Environment(anyhow::Error::new(cause).context("cannot start threads")))
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<failure::Exit, Failure> {
    use commands::{
        bench, bisect, book, bundle, campaign, check, completions, data, doctor, elo, eval, experiment, explain,
        export, fastchess, fit, fleet, init, ladder, league, learn, llr, package_files, params, patch, perft, plan,
        plot, rate, regress, remote, report, runs, scaling, serve, show, train, tune,
    };
    arguments.color.obey();
    let runs_folder = arguments.runs;
    match arguments.command {
        Command::Init(init) => init::init(&init),
        Command::Doctor(doctor) => doctor::doctor(&doctor, &runs_folder),
        Command::Sprt(sprt) => experiment::sprt(&sprt, &runs_folder),
        Command::Match(fixed) => experiment::fixed(&fixed, &runs_folder),
        Command::Tune(tune) => tune::tune(&tune, &runs_folder),
        Command::Selfplay(start) => experiment::selfplay(&start, &runs_folder),
        Command::Learn(start) => learn::learn(&start, &runs_folder),
        Command::Train(arguments) => train::train(&arguments),
        Command::Fit(arguments) => fit::fit(&arguments),
        Command::Patch(patch) => patch::patch(&patch, &runs_folder),
        Command::Regress(regress) => regress::regress(&regress, &runs_folder),
        Command::Bisect(bisect) => bisect::bisect(&bisect, &runs_folder),
        Command::Campaign(campaign) => campaign::campaign(&campaign, &runs_folder),
        Command::Ladder(ladder) => ladder::ladder(&ladder, &runs_folder),
        Command::League(league) => league::league(&league, &runs_folder),
        Command::Scaling(scaling) => scaling::scaling(&scaling, &runs_folder),
        Command::Resume(resume) => experiment::resume(&resume, &runs_folder),
        Command::Runs(list) => runs::list(&list, &runs_folder),
        Command::Serve(serve) => serve::serve(serve, &runs_folder),
        Command::Watch(watch) => remote::watch(&watch),
        Command::Start(start) => remote::start(&start),
        Command::Explain(explain) => explain::explain(&explain, &runs_folder),
        Command::Show(show) => show::show(&show, &runs_folder),
        Command::Report(report) => report::report(&report, &runs_folder),
        Command::Plot(plot) => plot::plot(&plot, &runs_folder),
        Command::Export(export) => export::export(&export, &runs_folder),
        Command::Elo(elo) => elo::elo(&elo),
        Command::Llr(llr) => llr::llr(&llr),
        Command::Plan(plan) => plan::plan(&plan),
        Command::Fastchess { words } => fastchess::fastchess(&words, &runs_folder),
        Command::Rate(rate) => rate::rate(&rate),
        Command::Check(check) => check::check(&check),
        Command::Book(book) => book::book(&book),
        Command::Data(data) => data::data(&data, &runs_folder),
        Command::Worker(worker) => fleet::worker(worker),
        Command::Fleet(command) => fleet::fleet(command, &runs_folder),
        Command::Perft(perft) => perft::perft(&perft),
        Command::Bench(bench) => bench::bench(&bench),
        Command::Eval(eval) => eval::eval(&eval),
        Command::Params(params) => params::params(&params, &runs_folder),
        Command::Bundle(arguments) => bundle::bundle(&arguments),
        Command::Completions { shell } => completions::completions(shell),
        Command::PackageFiles { folder } => package_files::write(&folder),
    }
}
