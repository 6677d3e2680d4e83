//! What can be typed on the command line.

pub(crate) mod books;
pub(crate) mod calculators;
pub(crate) mod candidates;
pub(crate) mod data;
pub(crate) mod described;
mod export_format;
pub(crate) mod fleet;
pub(crate) mod habits;
pub(crate) mod help;
pub(crate) mod releases;
pub(crate) mod remote;
#[cfg(test)]
mod tests;

use arena::config::{MOST_WORKERS, read_count};
use arena::run::GameName;
use calculators::{Elo, Llr, Plan, Rate};
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgGroup, Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use described::{Described, Hypotheses, Pairings};
pub(crate) use export_format::ExportFormat;
use play::entrant::Protocol;
use play::games::GameKind;
use releases::{Bisect, Campaign, Ladder, League, Patch, Regress};
use std::net::SocketAddr;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Match testing and tuning for game engines
#[derive(Debug, Parser)]
#[command(name = "spar", version, styles = STYLES, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Folder of the runs [default: `$SPAR_RUNS`, else `runs`]
    #[arg(long, global = true, value_name = "DIR", default_value = "runs", env = "SPAR_RUNS")]
    #[arg(hide_default_value = true, hide_env = true, display_order = 900)]
    pub(crate) runs: PathBuf,
    /// When to use colours: auto (the default), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_default_value = true, hide_possible_values = true, display_order = 901)]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

impl Color {
    /// Has all that is printed from now on obey.
    pub(crate) fn obey(self) {
        let is_on = match self {
            Self::Auto => return,
            Self::Always => true,
            Self::Never => false,
        };
        console::set_colors_enabled(is_on);
        console::set_colors_enabled_stderr(is_on);
        let errors = move |_: &_| {
            Box::new(miette::MietteHandlerOpts::new().color(is_on).build()) as Box<dyn miette::ReportHandler>
        };
        // Only this sets the look of errors, so it cannot contradict anything.
        let _first = miette::set_hook(Box::new(errors));
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a configuration for your engine
    Init(Init),
    /// Find what would spoil a run on this machine
    Doctor(Doctor),
    /// Test which of two engines is better (SPRT)
    Sprt(Sprt),
    /// Play a fixed number of pairs, or a tournament
    Match(FixedMatch),
    /// Tune parameters, then test the result against the start
    Tune(Tune),
    /// Play games and keep their positions for training
    #[command(visible_alias = "datagen")]
    Selfplay(Start),
    /// Test a patch: build two git revisions and play them
    Patch(Patch),
    /// Test an engine against its releases for a regression
    Regress(Regress),
    /// Find the commit that lost the Elo
    Bisect(Bisect),
    /// Test many patches at once, under one error budget
    Campaign(Campaign),
    /// Train a network or a linear evaluation on positions
    Train(Train),
    /// Fit a linear evaluation, such as piece-square tables
    Fit(Fit),
    /// Repeat self-play, training and a test
    Learn(Start),
    /// Rate engines or releases against each other: the Elo curve
    #[command(mut_arg("config", |arg| arg.help("The configuration, a TOML file with a `[ladder]` section")))]
    Ladder(Ladder),
    /// Rate engines that join and leave over months
    League(League),
    /// Measure Elo by nodes, time, depth or a parameter
    #[command(mut_arg("config", |arg| arg.help("The configuration, a TOML file with a `[scaling]` section")))]
    Scaling(Ladder),
    /// Continue an interrupted run
    Resume(Resume),
    /// List the runs
    Runs(List),
    /// Show runs live in the browser, and as JSON over HTTP
    Serve(Serve),
    /// Watch the runs of a server, or one of them, in the terminal
    Watch(remote::Watch),
    /// Queue a run on a server
    Start(remote::StartThere),
    /// Show a run, one of its games, or its faults
    Show(Show),
    /// Explain why one engine scored as it did against another
    Explain(Explain),
    /// Write a report: a page, a summary, tables and pictures
    Report(Report),
    /// Draw one plot of a run
    Plot(Plot),
    /// Print the pairs, games or positions of a run
    Export(Export),
    /// Estimate the Elo difference from the counts of a match
    Elo(Elo),
    /// Compute the log-likelihood ratio (LLR) of a test
    Llr(Llr),
    /// Predict how many games a test takes and what it finds
    Plan(Plan),
    /// Run a fastchess command line, with fastchess's output
    #[command(disable_help_flag = true, disable_version_flag = true)]
    Fastchess {
        /// fastchess's own options; -help lists those that are accepted
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
        words: Vec<String>,
    },
    /// Rate engines by the games in PGN files
    Rate(Rate),
    /// Check that an engine follows its protocol and the rules
    Check(Check),
    /// Inspect, make and filter opening books
    #[command(subcommand)]
    Book(books::Book),
    /// Make, inspect and check files of positions
    #[command(subcommand)]
    Data(data::Data),
    /// Play pairs for runs of other machines, over NATS
    #[command(hide = fleet::IS_MISSING)]
    Worker(fleet::Worker),
    /// Set up, try out and watch a fleet of workers
    #[command(subcommand, hide = fleet::IS_MISSING)]
    Fleet(fleet::Fleet),
    /// Count the move sequences of a 0.1 position
    Perft(Perft),
    /// Print the signature and the speed of the 0.1 engine
    Bench(Bench),
    /// Evaluate a 0.1 position
    Eval(Eval),
    /// List, import, export and patch parameters
    Params(ListParams),
    /// Bundle the 0.1 engine into one source file
    Bundle(Bundle),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Write man pages and completion scripts, for packages
    #[command(hide = true)]
    PackageFiles {
        /// The folder to write to
        folder: PathBuf,
    },
}

/// The option of a test that was typed after another command with a configuration file, if that is the error.
pub(crate) fn misplaced(error: &clap::Error) -> Option<String> {
    let ContextValue::String(option) = error.get(ContextKind::InvalidArg)? else { return None };
    let usage = error.get(ContextKind::Usage)?.to_string();
    let arguments = Arguments::command();
    let has = |command: &clap::Command, long: &str| command.get_arguments().any(|known| known.get_long() == Some(long));
    let plays = arguments
        .get_subcommands()
        .any(|command| has(command, "set") && usage.split_whitespace().any(|word| word == command.get_name()));
    let of_a_test = has(arguments.find_subcommand("sprt")?, option.trim_start_matches('-'));
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    (is_unknown && plays && of_a_test).then(|| option.clone())
}

/// A number of workers, from 1 to the most there may be.
fn workers(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse().ok().filter(|n: &NonZeroUsize| n.get() <= MOST_WORKERS);
    number.ok_or_else(|| format!("expected 1 to {MOST_WORKERS}"))
}

/// A share from 0 to 1, or as a percentage.
fn share(text: &str) -> Result<f64, String> {
    let share = probability(text).ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "expected a share from 0 to 1, such as 0.2, or a percentage such as 20%".to_owned())
}

/// A number, which the command checks further.
fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number, such as -1.5".to_owned())
}

/// A number, or a percentage; the command checks whether it is a probability.
fn probability(text: &str) -> Result<f64, String> {
    let number = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|percent| percent / 100.0),
        None => text.parse(),
    };
    number.map_err(|_| "expected a number from 0 to 1, such as 0.05, or a percentage such as 5%".to_owned())
}

/// A whole number that configurations can hold.
fn whole(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|&number: &u64| i64::try_from(number).is_ok());
    number.ok_or_else(|| format!("expected a whole number, from 0 to {}", i64::MAX))
}

/// A number of pairs, whose digits may be grouped.
fn pairs(text: &str) -> Result<NonZeroU64, String> {
    let number = read_count(text).filter(|number| i64::try_from(number.get()).is_ok());
    number.ok_or_else(|| "expected a whole number above 0, such as 60_000".to_owned())
}

/// How a run is worked on.
#[derive(Clone, Debug, Args)]
pub(crate) struct Working {
    /// How many pairs to play at the same time [default: number of cores]
    #[arg(long, value_name = "N", value_parser = workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Replace a value of the configuration, e.g. sprt.elo1=5 or entrant.dev.limit="2000 nodes"
    #[arg(long = "set", value_name = "KEY=VALUE", add = candidates::settings())]
    pub(crate) settings: Vec<String>,
    /// Stop when an engine loses more than this share of its games by faults: 0.2 or 20%; 1 never stops [default: 10%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) max_fault_share: Option<f64>,
    /// Write every line to and from engine processes to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) fleet: fleet::Joining,
}

impl Working {
    /// What replaces values of the configuration, as `key=value`: settings, and options that are keys as well.
    pub(crate) fn settings(&self) -> Vec<String> {
        let share = self.max_fault_share.map(|share| format!("max_fault_share={share}"));
        self.settings.iter().cloned().chain(share).collect()
    }

    /// The same without anything that replaces values of the configuration.
    pub(crate) fn without_settings(&self) -> Self {
        Self { settings: Vec::new(), max_fault_share: None, ..self.clone() }
    }
}

/// The file or the engines, and the options that add to the file or override it.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("players").required(true).args(["config", "engine"]))]
pub(crate) struct Match {
    /// The configuration, a TOML file
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) working: Working,
    #[command(flatten)]
    pub(crate) described: Described,
}

#[derive(Debug, Args)]
pub(crate) struct FixedMatch {
    #[command(flatten)]
    pub(crate) play: Match,
    #[command(flatten)]
    pub(crate) pairings: Pairings,
}

#[derive(Debug, Args)]
pub(crate) struct Sprt {
    #[command(flatten)]
    pub(crate) play: Match,
    #[command(flatten)]
    pub(crate) hypotheses: Hypotheses,
}

#[derive(Debug, Args)]
pub(crate) struct Start {
    /// The configuration, a TOML file
    pub(crate) config: PathBuf,
    #[command(flatten)]
    pub(crate) working: Working,
}

#[derive(Debug, Args)]
pub(crate) struct Tune {
    #[command(flatten)]
    pub(crate) start: Start,
    /// Print the parameters, their steps and the expected precision, without playing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// At the end, write the values into this source file, which must define each parameter exactly once
    #[arg(long, value_name = "FILE")]
    pub(crate) patch: Option<PathBuf>,
}

/// What is asked for at a terminal where it is not given.
#[derive(Debug, Args)]
pub(crate) struct Init {
    /// The UCI engine, as a command line
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Option<String>,
    /// The command that builds it, run at the top of its git repository
    #[arg(long, value_name = "COMMAND")]
    pub(crate) build: Option<String>,
    /// The program that the build makes, from the top of the repository [default: the engine]
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Option<String>,
    /// The engine's git repository
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) repo: PathBuf,
    /// Time on the clock, as in `spar sprt --tc` [default: 8+0.08]
    #[arg(long, value_name = "TIME")]
    pub(crate) tc: Option<String>,
    /// A book of openings, or `none` for random plies
    #[arg(long, value_name = "FILE")]
    pub(crate) openings: Option<String>,
    /// The file to write
    #[arg(long, value_name = "FILE", default_value = "spar.toml")]
    pub(crate) out: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also connect to this NATS server, e.g. `nats://host:4222`
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Train {
    /// The configuration, a TOML file
    pub(crate) config: PathBuf,
    /// Replace a value of the configuration, e.g. hidden=64
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Fit {
    /// The configuration, a TOML file
    pub(crate) config: PathBuf,
    /// Replace a value of the configuration, e.g. lambda=1.0
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The protocols by name.
fn protocols() -> String {
    format!("The protocol: {}", Protocol::ALL.map(Protocol::name).join(", "))
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The engine: a path, or a name in PATH
    pub(crate) engine: String,
    /// The engine's arguments, after `--`
    #[arg(last = true)]
    pub(crate) arguments: Vec<String>,
    #[arg(long, default_value = "uci", help = protocols())]
    pub(crate) protocol: String,
    /// The game: chess, chess960, crazyhouse, 0.1, ... [default: chess; 0.1 over a protocol of 0.1]
    #[arg(long)]
    pub(crate) game: Option<GameKind>,
    /// Set an option first, e.g. Hash=16. Repeat it for more
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// Play this many pairs in total; in a match for each pairing, in self-play this many games
    #[arg(long, value_name = "N", value_parser = pairs)]
    pub(crate) pairs: Option<NonZeroU64>,
    #[command(flatten)]
    pub(crate) working: Working,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) remote: remote::Remote,
}

#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Where to listen; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8099")]
    pub(crate) listen: SocketAddr,
    /// Require a token of this file, which only you may read: one token, or a line for each person. Without it, only
    /// this machine can connect
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Add a person to the token file, print the token and end. RIGHT is look, start, steer or admin; RUNS limits this
    /// person's runs in the queue
    #[arg(long, value_name = "NAME:RIGHT[:RUNS]", requires = "token_file")]
    pub(crate) new_token: Option<String>,
    /// Another name of this server, e.g. behind a proxy. Addresses and localhost always work
    #[arg(long = "host", value_name = "NAME")]
    pub(crate) hosts: Vec<String>,
    /// Let people with a token and the right queue, start, pause, stop and resume runs
    #[arg(long)]
    pub(crate) control: bool,
    /// With --control: how many pairs to play at the same time, unless a configuration sets it
    #[arg(long, value_name = "N", requires = "control", value_parser = workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// With --control: the git repository that bisections and campaigns build engines from
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) repo: PathBuf,
    /// With --control: where builds are cached [default: spar in the user's cache folder]
    #[arg(long, value_name = "DIR", env = "SPAR_CACHE", hide_env_values = true)]
    pub(crate) cache: Option<PathBuf>,
    /// Run this command when a run ends, with `SPAR_RUN`, `SPAR_VERDICT` and `SPAR_SAYS` set, and JSON on its standard
    /// input
    #[arg(long, value_name = "COMMAND")]
    pub(crate) notify: Option<String>,
    /// Post each run that ends to this address, as signed JSON
    #[arg(long, value_name = "URL", requires = "webhook_secret")]
    pub(crate) webhook: Option<String>,
    /// The file with the secret that signs them: `whsec_` and base64
    #[arg(long, value_name = "FILE", requires = "webhook")]
    pub(crate) webhook_secret: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) fleet: fleet::Watching,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// Show one game, move by move: its pair, then 1 or 2, as in reports and a PGN's Round, e.g. 12.2
    #[arg(long, value_name = "PAIR.GAME", conflicts_with = "faults")]
    pub(crate) game: Option<GameName>,
    /// List the games lost by a fault, with the engine's last output
    #[arg(long)]
    pub(crate) faults: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// The entrant whose score is explained [default: the first of two]
    #[arg(long, value_name = "ENTRANT")]
    pub(crate) of: Option<String>,
    /// Its opponent [default: the other one of two]
    #[arg(long, value_name = "ENTRANT")]
    pub(crate) against: Option<String>,
    /// Have both search the positions where they first disagreed again, with this limit of a move: e.g. "200000 nodes"
    #[arg(long, value_name = "LIMIT")]
    pub(crate) deeper: Option<String>,
    /// With --deeper: how many positions, from 1 to 1000
    #[arg(long, value_name = "N", requires = "deeper", default_value = "100")]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) positions: u16,
    /// With --deeper: how many to search at the same time [default: as many as there are processors for]
    #[arg(long, value_name = "N", requires = "deeper", value_parser = workers)]
    pub(crate) concurrency: Option<NonZeroUsize>,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Report {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// Where to write the report [default: the run's folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print the numbers as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plot {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// Which plot of the run's report, e.g. llr, elo, pairs or games
    #[arg(long, value_name = "NAME")]
    pub(crate) figure: Option<String>,
    /// The .svg or .png file to write [default: series.svg in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The run: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    #[command(flatten)]
    pub(crate) format: ExportFormat,
    /// Add wall times, which differ from machine to machine
    #[arg(long)]
    pub(crate) timings: bool,
    #[command(flatten)]
    pub(crate) labelled: data::Labelled,
    #[command(flatten)]
    pub(crate) filter: data::Filter,
}

#[derive(Debug, Args)]
pub(crate) struct Perft {
    /// The position: rows, hands, side to move and plies made, e.g. "DNDW.../... - r 2"
    pub(crate) position: String,
    /// Depth in plies
    pub(crate) depth: u32,
    /// Print the counts as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// Depth in plies; the signature is that of depth 8 [default: 8]
    #[arg(long)]
    pub(crate) depth: Option<u8>,
    /// Which search: alpha-beta (the default) or mcts
    #[arg(long, value_name = "NAME")]
    pub(crate) search: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The position: rows, hands, side to move and plies made
    pub(crate) position: String,
    /// Which evaluation: material, piece-square, wps or network (the default)
    #[arg(long)]
    pub(crate) evaluation: Option<String>,
    /// A file of weights, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,
    /// Print the evaluation as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Bundle {
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Use this network instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub(crate) network: Option<PathBuf>,
    /// Use this book of setups instead of the built-in one
    #[arg(long, value_name = "FILE", conflicts_with = "without_book")]
    pub(crate) book: Option<PathBuf>,
    /// Leave the book of setups out
    #[arg(long)]
    pub(crate) without_book: bool,
    /// Set a parameter, e.g. optimism=0.2
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
    /// Print sizes as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ListParams {
    /// Print the table as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) other: Option<OtherParams>,
}

/// Parameters of other engines and tuners.
#[derive(Debug, Subcommand)]
pub(crate) enum OtherParams {
    /// Make a tuning configuration from an engine's options or another tuner's file
    Import(ImportParams),
    /// Print the values of a tuning session in the format of other tools
    Export(ExportParams),
    /// Write the values of a tuning session into a source file
    Patch(PatchParams),
}

#[derive(Debug, Args)]
pub(crate) struct ImportParams {
    /// UCI options, lines for fishtest or similar tuners, weather-factory's JSON, or source with TUNE(...); `-` for
    /// standard input
    #[arg(required_unless_present = "engine")]
    pub(crate) file: Option<PathBuf>,
    /// The UCI engine to tune, as a command line. Without FILE, spar reads the engine's options, or the lines for
    /// fishtest that it prints
    #[arg(long, value_name = "COMMAND")]
    pub(crate) engine: Option<String>,
    /// Import only this parameter, even one that is usually left out. Repeat it for more
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
}

/// How values are printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TunedAs {
    /// A line of the entrant's section in a configuration
    Toml,
    /// `setoption name X value 3`
    Uci,
    /// `X,3,0,9,1,0.002`
    Fishtest,
    /// `X, int, 3, 0, 9, 1, 0.002`
    Openbench,
    /// JSON
    WeatherFactory,
}

#[derive(Debug, Args)]
pub(crate) struct ExportParams {
    /// The tuning session: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// The format
    #[arg(long = "as", value_enum, default_value = "toml")]
    pub(crate) how: TunedAs,
}

#[derive(Debug, Args)]
pub(crate) struct PatchParams {
    /// The tuning session: its name in the runs folder, or its path
    #[arg(add = candidates::runs())]
    pub(crate) run: PathBuf,
    /// The file; each parameter must be defined in it exactly once, such as `int razor = 300;`
    pub(crate) file: PathBuf,
    /// Write the file, instead of only showing the changes
    #[arg(long)]
    pub(crate) write: bool,
}
