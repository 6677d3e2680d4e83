//! The options of `spar export` that say what is written: those of the formats that there are, and files of positions.

use arena::run::{Format, FormatInfo, FormatOption, FormatRequest};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, FromArgMatches};
use std::path::PathBuf;

/// What is written: exactly one of them.
#[derive(Debug)]
pub(crate) enum ExportFormat {
    /// The pairs, in a format.
    Pairs(Box<dyn Format>),
    /// Positions, into a file.
    Positions(PathBuf),
}

const POSITIONS: &str = "positions";

impl FromArgMatches for ExportFormat {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        if let Some(path) = matches.get_one::<PathBuf>(POSITIONS) {
            return Ok(Self::Positions(path.clone()));
        }
        let Some(info) = FormatInfo::all().find(|info| is_given(&info.option, matches)) else {
            return Err(clap::Error::raw(ErrorKind::MissingRequiredArgument, "expected a format\n"));
        };
        let values = |name: &str| {
            let values = matches.try_get_many::<String>(name).ok().flatten();
            values.map_or_else(Vec::new, |values| values.cloned().collect())
        };
        let format = info.make(&FormatRequest { values: &values });
        format.map(Self::Pairs).map_err(|why| clap::Error::raw(ErrorKind::ValueValidation, format!("{why}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for ExportFormat {
    fn augment_args(command: Command) -> Command {
        let file = Arg::new(POSITIONS).long(POSITIONS).value_name("FILE").value_parser(clap::value_parser!(PathBuf));
        let file = file.help("Write positions of chess with scores and results, for training, into this file");
        let names = FormatInfo::all().map(|info| info.option.name).chain([POSITIONS]);
        let exactly_one = ArgGroup::new("ExportFormat").required(true).multiple(false).args(names);
        let command = command.args(FormatInfo::all().map(|info| arg(&info.option))).arg(file).group(exactly_one);
        let others = FormatInfo::all().flat_map(|info| info.others.iter().map(|of| arg(of).requires(info.option.name)));
        command.args(others)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn arg(option: &FormatOption) -> Arg {
    let arg = Arg::new(option.name).long(option.name).help(option.help);
    let Some(value) = &option.value else { return arg.action(ArgAction::SetTrue) };
    let check = value.check;
    let parse = move |text: &str| check(text).map(|()| text.to_owned());
    let arg = arg.value_name(value.name).value_parser(parse);
    if value.is_list { arg.action(ArgAction::Append).value_delimiter(',') } else { arg }
}

fn is_given(option: &FormatOption, matches: &ArgMatches) -> bool {
    if option.value.is_some() { matches.contains_id(option.name) } else { matches.get_flag(option.name) }
}
