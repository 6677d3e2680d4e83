//! `[scaling]`: one engine at many levels, of a limit or of a parameter, as the text of a ladder.

use super::{document, forget_place, run_name};
use crate::failure::Failure;
use arena::config::read_limit;
use play::Limit;
use reports::levels::{Levels, amount};
use serde::Deserialize;
use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// More levels would only repeat each other.
const MOST_LEVELS: usize = 64;

/// The levels of a scaling, and the ladder that measures them.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    /// The configuration of the ladder.
    pub(crate) text: String,
    /// What varies.
    pub(crate) levels: Levels,
}

/// `[scaling]` as typed in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScaling {
    pairs: i64,
    precision: Option<f64>,
    limit: Option<String>,
    doublings: Option<u32>,
    limits: Option<Vec<String>>,
    parameter: Option<String>,
    values: Option<Vec<f64>>,
}

/// The part of a configuration that is looked at here.
#[derive(Debug, Deserialize)]
struct File {
    scaling: Option<RawScaling>,
}

/// Reads `[scaling]` and makes the ladder's text: an entrant for each level, made from the only one there is.
pub(crate) fn levels(text: &str, file: &str, stem: &str) -> Result<Scale, Failure> {
    let refused = |why: &str| Failure::usage(format!("{file}: `[scaling]`: {why}"));
    let read: File = toml::from_str(text).map_err(|error| Failure::usage(format!("{file}: {error}")))?;
    let raw = read.scaling.ok_or_else(|| {
        refused("there is none. Add one, for instance\n  [scaling]\n  limit = \"500 nodes\"\n  doublings = 5\n  pairs = 2000")
    })?;
    match (&raw.limit, &raw.limits, &raw.parameter) {
        (Some(_), None, None) | (None, Some(_), None) => of_limits(text, file, stem, &raw),
        (None, None, Some(parameter)) => of_parameter(text, file, stem, &raw, parameter),
        _ => Err(refused("expected one of `limit` with `doublings`, `limits`, and `parameter` with `values`")),
    }
}

fn of_limits(text: &str, file: &str, stem: &str, raw: &RawScaling) -> Result<Scale, Failure> {
    let refused = |why: String| Failure::usage(format!("{file}: `[scaling]`: {why}"));
    let read = |text: &str| read_limit(text).ok_or_else(|| refused(format!("`{text}` is no limit")));
    let limits: Vec<Limit> = match (&raw.limit, &raw.limits) {
        (Some(least), _) => {
            let doublings = raw.doublings.filter(|n| (1..MOST_LEVELS as u32).contains(n));
            let doublings = doublings.ok_or_else(|| refused("`doublings` is 1 or more".to_owned()))?;
            let levels = std::iter::successors(Some(read(least)?), |&limit| doubled(limit));
            levels.take(doublings as usize + 1).collect()
        }
        (None, limits) => limits.iter().flatten().map(|text| read(text)).collect::<Result<_, _>>()?,
    };
    let amounts: Vec<(f64, &str)> = limits.iter().map(|&limit| amount(limit)).collect();
    let rises = amounts.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 == two[1].1);
    if limits.len() < 2 || limits.len() > MOST_LEVELS || !rises {
        return Err(refused(format!("expected 2 to {MOST_LEVELS} limits of one kind, each more than the one before")));
    }
    let names: Vec<String> = limits.iter().map(Limit::to_string).collect();
    let put = |entrant: &mut Table, level: usize| entrant["limit"] = toml_edit::value(names[level].as_str());
    let text = ladder(text, file, stem, raw, &names, &put)?;
    let label = amounts[0].1.to_owned();
    let values = amounts.into_iter().map(|(amount, _)| amount).collect();
    Ok(Scale { text, levels: Levels { label, values, doublings: true } })
}

/// Twice as much; `None` if that is beyond all measure.
fn doubled(limit: Limit) -> Option<Limit> {
    Some(match limit {
        Limit::Nodes(nodes) => Limit::Nodes(nodes.checked_add(nodes.get())?),
        Limit::Depth(depth) => Limit::Depth(depth.checked_mul(2)?),
        Limit::Movetime(time) => Limit::Movetime(time.checked_mul(2)?),
        Limit::Clock { base, increment, moves } => {
            Limit::Clock { base: base.checked_mul(2)?, increment: increment.checked_mul(2)?, moves }
        }
    })
}

fn of_parameter(text: &str, file: &str, stem: &str, raw: &RawScaling, parameter: &str) -> Result<Scale, Failure> {
    let refused = |why: &str| Failure::usage(format!("{file}: `[scaling]`: {why}"));
    let values = raw.values.clone().unwrap_or_default();
    let rises = values.windows(2).all(|two| two[0] < two[1]) && values.iter().all(|value| value.is_finite());
    if raw.doublings.is_some() || values.len() < 2 || values.len() > MOST_LEVELS || !rises {
        return Err(refused(&format!("expected `values`, 2 to {MOST_LEVELS} numbers, each more than the one before")));
    }
    let names: Vec<String> = values.iter().map(|value| format!("{parameter} {value}")).collect();
    let put = |entrant: &mut Table, level: usize| put_parameter(entrant, parameter, values[level]);
    let text = ladder(text, file, stem, raw, &names, &put)?;
    Ok(Scale { text, levels: Levels { label: parameter.to_owned(), values, doublings: false } })
}

/// Gives an entrant a value: an option of its process, or a parameter of the engine at home here.
fn put_parameter(entrant: &mut Table, parameter: &str, value: f64) {
    let process = entrant.contains_key("cmd") || entrant.contains_key("rev");
    let section = if process { "options" } else { "params" };
    let mut inline = match entrant.remove(section) {
        Some(Item::Value(Value::InlineTable(inline))) => inline,
        Some(Item::Table(table)) => table.into_inline_table(),
        _ => InlineTable::new(),
    };
    let whole = if process { value.fract() == 0.0 } else { is_whole(parameter) };
    let value: Value = if whole { (value as i64).into() } else { value.into() };
    let _old = inline.insert(parameter, value);
    entrant[section] = Item::Value(Value::InlineTable(inline));
}

fn is_whole(parameter: &str) -> bool {
    engine::ParamInfo::find(parameter).is_some_and(|info| info.kind == engine::ParamKind::Integer)
}

/// The ladder's text: the only entrant once for each level, with `put` applied.
fn ladder(
    text: &str,
    file: &str,
    stem: &str,
    raw: &RawScaling,
    names: &[String],
    put: &dyn Fn(&mut Table, usize),
) -> Result<String, Failure> {
    let mut document: DocumentMut = document(text, file)?;
    let _scaling = document.remove("scaling");
    document["name"] = toml_edit::value(format!("scaling-{}", run_name(&document, stem, "")));
    let entrants = document.remove("entrant").and_then(|item| item.into_array_of_tables().ok());
    let only = entrants.as_ref().filter(|entrants| entrants.len() == 1).and_then(|entrants| entrants.get(0));
    let only = only.ok_or_else(|| Failure::usage(format!("{file}: a scaling is of one `[[entrant]]`")))?;
    let mut levels = ArrayOfTables::new();
    for (level, name) in names.iter().enumerate() {
        let mut entrant = only.clone();
        forget_place(&mut entrant);
        entrant["name"] = toml_edit::value(name.as_str());
        put(&mut entrant, level);
        levels.push(entrant);
    }
    document["entrant"] = Item::ArrayOfTables(levels);
    let mut table = Table::new();
    table["pairs"] = toml_edit::value(raw.pairs);
    if let Some(precision) = raw.precision {
        table["precision"] = toml_edit::value(precision);
    }
    document["ladder"] = Item::Table(table);
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::{Job, load};

    fn file(scaling: &str) -> String {
        format!(
            "name = \"s\"\n[scaling]\npairs = 100\n{scaling}\n[each]\ntable = \"64 KiB\"\nlimit = \"1s\"\n\
             [[entrant]]\nname = \"engine\"\n[entrant.params]\nfutility = false\n"
        )
    }

    fn made(scaling: &str) -> Scale {
        levels(&file(scaling), "s.toml", "s").unwrap_or_else(|failure| panic!("{failure}"))
    }

    #[test]
    fn limits_double() {
        let Scale { text, levels } = made("limit = \"500 nodes\"\ndoublings = 3");
        assert_eq!((levels.values.as_slice(), levels.label.as_str()), (&[500.0, 1e3, 2e3, 4e3][..], "nodes a move"));
        let run = load(&text, "made", "s", &[], Job::Ladder).unwrap().run;
        assert_eq!(Levels::of(&run.entrants), Some(levels), "the run tells them, too");
        let names: Vec<&str> = run.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
        assert_eq!((run.name.as_str(), names[3], names.len()), ("scaling-s", "4000 nodes", 4));
        assert_eq!(made("limit = \"1s+10ms\"\ndoublings = 2").levels.values, [1.0, 2.0, 4.0]);
        assert_eq!(made("limits = [\"depth 2\", \"depth 4\"]").levels.axis(), [1.0, 2.0]);
    }

    #[test]
    fn a_parameter_takes_its_values() {
        let Scale { text, levels } = made("parameter = \"null_move_margin\"\nvalues = [0, 0.1, 0.25]");
        let run = load(&text, "made", "s", &[], Job::Ladder).unwrap().run;
        let of = |entrant: &play::entrant::Entrant| match &entrant.player {
            play::entrant::PlayerSpec::Native(native) => {
                (native.params.get("null_move_margin").unwrap(), native.params.get("futility").unwrap())
            }
            other => panic!("{other:?}"),
        };
        let values: Vec<_> = run.entrants.iter().map(of).collect();
        assert_eq!(values, [(0.0, 0.0), (0.1, 0.0), (0.25, 0.0)], "what the entrant sets beside stays");
        assert_eq!(levels.axis(), [0.0, 0.1, 0.25]);
        assert_eq!(Levels::of(&run.entrants), Some(levels), "the run tells them, too");
    }

    #[test]
    fn what_is_no_scaling_is_refused() {
        let error = |scaling: &str| levels(&file(scaling), "s.toml", "s").unwrap_err().to_string();
        assert!(error("").contains("expected one of"));
        assert!(error("limit = \"5 nodes\"\nparameter = \"x\"").contains("expected one of"));
        assert!(error("limit = \"soon\"\ndoublings = 1").contains("no limit"));
        assert!(error("limit = \"5 nodes\"").contains("`doublings` is 1 or more"));
        assert!(error("limits = [\"depth 2\", \"9 nodes\"]").contains("of one kind"));
        assert!(error("parameter = \"x\"\nvalues = [2, 1]").contains("each more"));
        assert!(
            levels("[scaling]\npairs = 1\nlimit = \"5 nodes\"\ndoublings = 1", "s", "s")
                .unwrap_err()
                .to_string()
                .contains("one `[[entrant]]`")
        );
    }
}
