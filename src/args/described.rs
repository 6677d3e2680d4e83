//! A run described on the command line: instead of in a file, or in part, in place of what a file says.

use super::{number, probability, whole};
use arena::config::ScheduleId;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// The options that describe what is played. With engines they replace a file; without any there is a file, and each of
/// them overrides its value.
#[derive(Debug, Args)]
pub(crate) struct Described {
    #[command(flatten)]
    pub(crate) engines: Engines,
    /// Time on the clock, for all engines, in seconds or with units: 10+0.1, 1:30+1, 40/60+0.5, 10s+100ms
    #[arg(long, value_name = "TIME", help_heading = HEADING)]
    pub(crate) tc: Option<String>,
    /// Time for each move, for all engines: 0.1 (seconds), 100ms
    #[arg(long, value_name = "SECONDS", help_heading = HEADING)]
    pub(crate) st: Option<String>,
    /// Nodes for each move, for all engines
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pub(crate) nodes: Option<String>,
    /// Depth of each search, for all engines
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pub(crate) depth: Option<String>,
    /// Multiply all times by this factor on this host, or `auto` to measure the factor by an engine's bench
    #[arg(long, value_name = "FACTOR", help_heading = HEADING)]
    pub(crate) tc_scale: Option<String>,
    /// With --tc-scale auto: the bench's nodes per second on the reference machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST), help_heading = HEADING)]
    pub(crate) bench_nps: Option<u64>,
    /// With --tc-scale auto: the name of the engine to bench
    #[arg(long, value_name = "NAME", help_heading = HEADING)]
    pub(crate) bench_engine: Option<String>,
    /// Openings: a file of positions or games
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub(crate) openings: Option<String>,
    /// The order of the openings: random or sequential
    #[arg(long, value_name = "ORDER", help_heading = HEADING)]
    pub(crate) order: Option<String>,
    /// Plies of an opening: the first N of each game in the file, or N random ones without a file
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pub(crate) plies: Option<u32>,
    /// The game [default: chess]
    #[arg(long, help_heading = HEADING)]
    pub(crate) game: Option<String>,
    /// Pairs against each opponent [default: 100]; in a test, the limit
    #[arg(long, alias = "max-pairs", value_name = "N", value_parser = whole, help_heading = HEADING)]
    pub(crate) pairs: Option<u64>,
    /// Play single games instead of pairs, each from its own opening; statistics are trinomial
    #[arg(long, help_heading = HEADING)]
    pub(crate) single: bool,
    /// Name of the run's folder [default: from the engines' names]
    #[arg(long, help_heading = HEADING)]
    pub(crate) name: Option<String>,
    /// The seed of all randomness
    #[arg(long, value_name = "N", value_parser = whole, help_heading = HEADING)]
    pub(crate) seed: Option<u64>,
}

/// What describes play with a file and without.
const HEADING: &str = "Instead of a file, or to override it";

/// The greatest integer that TOML has.
const MOST: u64 = i64::MAX.cast_unsigned();

/// The pairings of a match.
#[derive(Debug, Default, Args)]
pub(crate) struct Pairings {
    #[arg(long, help_heading = HEADING, help = schedules())]
    pub(crate) schedule: Option<String>,
    /// Rounds of a Swiss tournament [default: enough for a single winner]
    #[arg(long, value_name = "N", help_heading = HEADING)]
    pub(crate) swiss_rounds: Option<u32>,
}

/// What `--schedule` takes.
fn schedules() -> String {
    let default = |id| if id == ScheduleId::default() { " (the default)" } else { "" };
    let all = ScheduleId::all_in_words(|id| format!("{}{}", id.name(), default(id)));
    format!("The schedule: {all}")
}

/// The hypotheses of a test.
#[derive(Debug, Args)]
pub(crate) struct Hypotheses {
    /// Bounds by name, such as gain or non-regression; `spar plan --presets` lists them
    #[arg(long, value_name = "NAME", help_heading = HEADING, conflicts_with_all = ["elo0", "elo1"])]
    pub(crate) preset: Option<String>,
    /// The gain under H0 [default: 0]
    #[arg(long, value_name = "ELO", value_parser = number, allow_negative_numbers = true, help_heading = HEADING)]
    pub(crate) elo0: Option<f64>,
    /// The gain under H1 [default: 5]
    #[arg(long, value_name = "ELO", value_parser = number, allow_negative_numbers = true, help_heading = HEADING)]
    pub(crate) elo1: Option<f64>,
    /// Probability of accepting H1 when H0 is true [default: 0.05]
    #[arg(long, value_name = "P", value_parser = probability, help_heading = HEADING)]
    pub(crate) alpha: Option<f64>,
    /// Probability of accepting H0 when H1 is true [default: 0.05]
    #[arg(long, value_name = "P", value_parser = probability, help_heading = HEADING)]
    pub(crate) beta: Option<f64>,
    /// Scale of elo0 and elo1: normalized (the default), logistic or bayesian Elo
    #[arg(long, help_heading = HEADING)]
    pub(crate) model: Option<String>,
}

/// Engines as words, those of each `--engine` by themselves, which derived options cannot keep apart.
#[derive(Debug)]
pub(crate) struct Engines {
    /// The words of each engine.
    pub(crate) engines: Vec<Vec<String>>,
    /// The words for all engines.
    pub(crate) each: Vec<String>,
}

impl FromArgMatches for Engines {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let groups = matches.get_occurrences::<String>("engine");
        let engines = groups.map_or_else(Vec::new, |groups| groups.map(|words| words.cloned().collect()).collect());
        let each = matches.get_many::<String>("each").map_or_else(Vec::new, |words| words.cloned().collect());
        Ok(Self { engines, each })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for Engines {
    fn augment_args(command: Command) -> Command {
        let words = |name: &'static str, help: &'static str, heading: &'static str| {
            let words = Arg::new(name).long(name).value_name("KEY=VALUE").num_args(1..).action(ArgAction::Append);
            words.help(help).help_heading(heading)
        };
        let engine = "An engine; give one for each. Keys: cmd, name, args, dir, proto, tc, st, nodes, depth, \
                      timemargin, restart, init, nice, option.NAME, env.NAME";
        let each = "Settings of all engines; the same keys, without `name`";
        command.arg(words("engine", engine, "Instead of a file")).arg(words("each", each, HEADING))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}
