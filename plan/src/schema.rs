//! The schema of a configuration: every key, its purpose and its type, made from the same declarations that read the
//! configuration. Forms are made from it.

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, forward_to_deserialize_any};
use std::fmt;

/// A key of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeySchema {
    /// The key as written.
    pub key: &'static str,
    /// The purpose of the key.
    pub says: String,
    /// The default: TOML in backticks, or words, e.g. `required`; `None` for sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The type of its value.
    #[serde(flatten)]
    pub takes: Takes,
}

impl KeySchema {
    /// Makes a key from the comment of its declaration, which ends with `Default: ...` or `Required...`.
    pub(super) fn new(key: &'static str, comment: &str, takes: Takes) -> Self {
        let (says, default) = match comment.split_once(" Default: ") {
            Some((says, default)) => (says, Some(default.to_owned())),
            None => match comment.split_once(" Required") {
                Some((says, rest)) => (says, Some(format!("required{rest}"))),
                None => (comment, None),
            },
        };
        let default = default.map(|text| text.strip_suffix('.').map(str::to_owned).unwrap_or(text));
        Self { key: key.trim_start_matches("r#"), says: says.trim().to_owned(), default, takes }
    }
}

/// The type of a key's value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "takes", content = "of", rename_all = "kebab-case")]
pub enum Takes {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole,
    /// Any number.
    Number,
    /// A text.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list.
    List,
    /// Values of several kinds, such as a number or a word.
    Any,
    /// `[key]`, a section with keys of its own.
    Section(Vec<KeySchema>),
    /// `[[key]]`, any number of such sections.
    Sections(Vec<KeySchema>),
    /// `[key]` with names that spar does not know, such as an engine's options.
    Names,
}

/// Returns where a key belongs that was written where only the `known` keys are: "at the top of the file" or "in
/// `[sprt]`". `None` if these are not keys of `schema`, or the key is in none of its sections.
pub(super) fn place_of(schema: &[KeySchema], name: &str, known: &[&str]) -> Option<String> {
    let sections = schema.iter().filter_map(|section| match &section.takes {
        Takes::Section(keys) => Some((format!("`[{}]`", section.key), keys)),
        Takes::Sections(keys) => Some((format!("`[[{}]]`", section.key), keys)),
        _ => None,
    });
    let sections: Vec<(String, &Vec<KeySchema>)> = sections.collect();
    let has = |keys: &[KeySchema], name: &str| keys.iter().any(|key| key.key == name);
    let is_all_of = |keys: &[KeySchema]| known.len() > 1 && known.iter().all(|name| has(keys, name));
    if !is_all_of(schema) && !sections.iter().any(|(_, keys)| is_all_of(keys)) {
        return None;
    }
    if schema.iter().any(|key| key.key == name && !matches!(key.takes, Takes::Section(_) | Takes::Sections(_))) {
        return Some("at the top of the file, before the first section".to_owned());
    }
    let homes: Vec<&str> = sections.iter().filter(|(_, keys)| has(keys, name)).map(|(place, _)| &**place).collect();
    (!homes.is_empty()).then(|| format!("in {}", homes.join(" or ")))
}

/// The type of a plain value, as its deserializer declares it.
pub(super) fn takes<'de, T: Deserialize<'de>>() -> Takes {
    // The probe never gives a value, so nothing can be read.
    T::deserialize(Probe).err().map_or(Takes::Any, |Asked(takes)| takes)
}

/// Reads nothing, and fails with the type that it was asked for.
struct Probe;

#[derive(Debug)]
struct Asked(Takes);

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self(Takes::Any)
    }
}

/// Answers a deserializer with the type that it asks for.
macro_rules! asked {
    ($($method:ident)* => $takes:expr) => {
        $(fn $method<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Asked> {
            Err(Asked($takes))
        })*
    };
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Asked;

    asked!(deserialize_bool => Takes::Switch);
    asked!(deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 => Takes::Whole);
    asked!(deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 => Takes::Whole);
    asked!(deserialize_f32 deserialize_f64 => Takes::Number);
    asked!(deserialize_str deserialize_string => Takes::Text);
    asked!(deserialize_seq => Takes::List);
    asked!(deserialize_any => Takes::Any);

    fn deserialize_tuple<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Asked> {
        Err(Asked(Takes::List))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Asked> {
        Err(Asked(Takes::Word(variants)))
    }

    forward_to_deserialize_any! {
        i128 u128 char bytes byte_buf option unit unit_struct newtype_struct tuple_struct map struct identifier
        ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loaded;
    use crate::tests::memory::Memory;
    use crate::{
        Bisecting, Campaigning, FitPlan, Learning, RunPlan, SetupsPlan, TrainingPlan, fit_schema, schema,
        setups_schema, training_schema,
    };
    use arena::config::{Job, ScheduleId};

    fn of<'a>(keys: &'a [KeySchema], key: &str) -> &'a Takes {
        &keys.iter().find(|known| known.key == key).unwrap_or_else(|| panic!("no {key}")).takes
    }

    fn inside(takes: &Takes) -> &[KeySchema] {
        match takes {
            Takes::Section(keys) | Takes::Sections(keys) => keys,
            other => panic!("no section: {other:?}"),
        }
    }

    #[test]
    fn each_key_takes_what_it_is_read_from() {
        let all = schema();
        assert_eq!(*of(&all, "name"), Takes::Text);
        assert_eq!(*of(&all, "seed"), Takes::Whole);
        assert_eq!(*of(&all, "track"), Takes::Switch);
        assert_eq!(*of(&all, "executor"), Takes::Word(&["threads", "nats"]));
        let sprt = inside(of(&all, "sprt"));
        assert_eq!(*of(sprt, "elo1"), Takes::Number);
        assert_eq!(*of(sprt, "max_pairs"), Takes::Whole);
        assert_eq!(*of(sprt, "games"), Takes::Word(&["pairs", "single"]));
        assert_eq!(*of(inside(of(&all, "openings")), "plies"), Takes::Any);
        let fixed = inside(of(&all, "match"));
        let schedules: Vec<&str> = ScheduleId::all().map(ScheduleId::name).collect();
        assert!(matches!(of(fixed, "schedule"), Takes::Word(words) if *words == schedules));
        let entrant = inside(of(&all, "entrant"));
        assert!(matches!(of(&all, "entrant"), Takes::Sections(_)) && matches!(of(&all, "each"), Takes::Section(_)));
        assert_eq!((of(entrant, "params"), of(entrant, "args")), (&Takes::Names, &Takes::List));
    }

    #[test]
    fn keys_of_other_sections_are_found() {
        let place = |name, known: &[&str]| place_of(&schema(), name, known);
        assert_eq!(
            place("affinity", &["limit", "options"]).unwrap(),
            "at the top of the file, before the first section"
        );
        assert_eq!(place("elo0", &["name", "seed"]).unwrap(), "in `[sprt]` or `[gate]`");
        assert_eq!(place("elo0", &["weights", "other"]), None, "another kind of file");
        assert_eq!(place("elo2", &["name", "seed"]), None);
    }

    #[test]
    fn a_comment_ends_with_the_default() {
        let of = |comment| {
            let KeySchema { says, default, .. } = KeySchema::new("r#match", comment, Takes::Any);
            (says, default)
        };
        let with = |says: &str, default: &str| (says.to_owned(), Some(default.to_owned()));
        assert_eq!(of(" A seed. Default: `1`."), with("A seed.", "`1`"));
        assert_eq!(of(" A folder. Required."), with("A folder.", "required"));
        assert_eq!(of(" H0. Required unless `preset` is set."), with("H0.", "required unless `preset` is set"));
        assert_eq!(of(" A name. Default: `stage-1`, ..."), with("A name.", "`stage-1`, .."));
        assert_eq!(of(" A match."), ("A match.".to_owned(), None));
        assert_eq!(KeySchema::new("r#match", "", Takes::Any).key, "match");
    }

    #[test]
    fn every_key_says_what_it_is_for() {
        fn look(keys: &[KeySchema]) {
            for key in keys {
                assert!(key.says.ends_with('.') && !key.says.starts_with(' '), "{}: {:?}", key.key, key.says);
                let is_section = matches!(key.takes, Takes::Section(_) | Takes::Sections(_) | Takes::Names);
                if key.says.starts_with("Written by spar") {
                    continue;
                }
                assert!(key.default.is_some() || is_section, "{}: no default", key.key);
                if let Takes::Section(keys) | Takes::Sections(keys) = &key.takes {
                    look(keys);
                }
            }
        }
        look(&schema());
    }

    const CHESS: &str =
        "[[entrant]]\nname = 'a'\ncmd = 'a'\nlimit = '1s'\n[[entrant]]\nname = 'b'\ncmd = 'b'\nlimit = '1s'\n";
    const OWN: &str = "[[entrant]]\nname = 'a'\nlimit = '1s'\n[[entrant]]\nname = 'b'\nlimit = '1s'\n";
    const TUNED: &str = "[tune]\npairs = 500\n[[tune.parameter]]\nname = 'null_move_margin'\n\
                         [[entrant]]\nname = 'a'\nlimit = '1s'\n";
    const LEARNT: &str = "[learn]\ngenerations = 2\n[selfplay]\ngames = 9\n[each]\nlimit = '9 nodes'\n\
                          [train]\nmodel = 'network'\n[gate]\nelo0 = 0\nelo1 = 5\nmax_pairs = 9\n";

    /// Resolves a configuration with these settings and returns the result as one text.
    type Outcome = fn(&str, &[String]) -> Option<String>;

    /// Keys, their prefix in `--set`, a configuration that has them, and keys that the other keys do not allow.
    type Case<'a> = (&'a [KeySchema], &'a str, (Outcome, &'a str), &'a [&'a str]);

    fn run(job: Job, text: &str, settings: &[String]) -> Option<String> {
        let Loaded { run, concurrency, executor, affinity, scale_by, pause, .. } =
            crate::load(text, "f.toml", "f", settings, job, Memory::empty()).ok()?;
        Some(format!("{run:?} {concurrency:?} {executor:?} {affinity:?} {scale_by:?} {pause:?}"))
    }

    fn league(text: &str, settings: &[String]) -> Option<String> {
        let plan = RunPlan::read(text, "f.toml", "f", settings, None, Memory::empty()).ok()?;
        plan.league().and_then(|plan| plan.resolve(Job::Ladder)).ok().map(|loaded| format!("{:?}", loaded.run))
    }

    fn bisecting(text: &str, settings: &[String]) -> Option<String> {
        let plan = RunPlan::read(text, "f.toml", "f", settings, None, Memory::empty())
            .and_then(|plan| plan.bisecting())
            .ok()?;
        let Bisecting { confidence, max_pairs, batch, find, least_loss, build_cost, .. } = plan;
        Some(format!("{confidence} {max_pairs} {batch} {find} {least_loss} {build_cost}"))
    }

    fn campaigning(text: &str, settings: &[String]) -> Option<String> {
        let plan = RunPlan::read(text, "f.toml", "f", settings, None, Memory::empty())
            .and_then(|plan| plan.campaigning())
            .ok()?;
        let Campaigning { base, patches, folder, rules, max_pairs, batch, together_pairs, .. } = plan;
        Some(format!("{base} {patches:?} {folder:?} {rules:?} {max_pairs} {batch} {together_pairs:?}"))
    }

    fn learning(text: &str, settings: &[String]) -> Option<String> {
        let learning = RunPlan::read(text, "f.toml", "f", settings, None, Memory::empty())
            .and_then(|plan| plan.learning())
            .ok()?;
        let Learning { generations, keep, start, weights, evaluation, .. } = learning;
        Some(format!("{generations} {keep} {start:?} {weights:?} {evaluation:?}"))
    }

    fn training(text: &str, settings: &[String]) -> Option<String> {
        TrainingPlan::read(text, "f.toml", settings, Memory::empty()).ok().map(|plan| format!("{:?}", plan.how))
    }

    fn fit(text: &str, settings: &[String]) -> Option<String> {
        FitPlan::read(text, "f.toml", settings, Memory::empty()).ok().map(|plan| format!("{:?}", plan.settings))
    }

    fn setups(text: &str, settings: &[String]) -> Option<String> {
        SetupsPlan::read(text, "f.toml", settings, Memory::empty())
            .ok()
            .map(|plan| format!("{:?} {}", plan.settings.seed, plan.settings.entries))
    }

    /// Returns a value of the same type that differs from this one.
    fn another(takes: &Takes, value: &str) -> Option<String> {
        match takes {
            Takes::Switch => Some((value != "true").to_string()),
            Takes::Whole => value.parse::<u64>().ok().map(|number| (number + 1).to_string()),
            Takes::Number => value.parse::<f64>().ok().map(|number| format!("{:?}", number / 2.0 + 1e-9)),
            Takes::Word(words) => {
                words.iter().find(|word| **word != value.trim_matches('"')).map(|word| format!("\"{word}\""))
            }
            _ => None,
        }
    }

    /// Checks the defaults of a section's keys that are written as TOML: writing out the default must not change the
    /// outcome, and any other value must change it. Returns the number of checked keys, and the failures.
    fn check(keys: &[KeySchema], path: &str, (of, text): (Outcome, &str), exempt: &[&str]) -> (usize, Vec<String>) {
        let usual = of(text, &[]).unwrap_or_else(|| panic!("{path}: the configuration itself"));
        let (mut checked, mut wrong) = (0, Vec::new());
        for key in keys.iter().filter(|key| !exempt.contains(&key.key)) {
            let default = key.default.as_deref().and_then(|text| text.strip_prefix('`')?.split('`').next());
            let Some(value) = default else { continue };
            let set = |value: &str| of(text, &[format!("{path}{}={value}", key.key)]);
            if set(value).as_ref() != Some(&usual) {
                wrong.push(format!("{path}{} = {value} is not the default", key.key));
            }
            if another(&key.takes, value).is_some_and(|other| set(&other).as_ref() == Some(&usual)) {
                wrong.push(format!("{path}{}: another value changes nothing", key.key));
            }
            checked += 1;
        }
        (checked, wrong)
    }

    #[test]
    fn defaults_are_what_is_used() {
        let all = schema();
        let keys = |path: &str| path.split('.').fold(&all[..], |keys, key| inside(of(keys, key)));
        let with = |section: &str, text: &str| format!("{section}\n{text}");
        let test = with("[sprt]\nelo0 = 0\nelo1 = 5\n", CHESS);
        let fixed = with("[match]\npairs = 10\n", CHESS);
        let knockout = with("[match]\npairs = 10\nschedule = 'knockout'\n", CHESS);
        let own = with("[match]\npairs = 10\n", OWN);
        let selfplay = with("game = 'chess'\n[selfplay]\ngames = 10\n", CHESS);
        let ladder = with("[ladder]\npairs = 10\nanchor = 'a'\n", CHESS);
        let in_league = with("[league]\nanchor = 'a'\n", CHESS);
        let adjudicated =
            with("[adjudication]\ndraw = { moves = 3, score = 9 }\nresign = { moves = 3, score = 9 }\n", &test);
        let train = "data = ['x']\nout = 'o'\nmodel = 'network'\n";
        let fits = "data = ['x.pgn']\nout = 'o'\nmodel = 'chess-tables'\n";
        let sprt: Outcome = |text, settings| run(Job::Sprt, text, settings);
        let play: Outcome = |text, settings| run(Job::Match, text, settings);
        let tune: Outcome = |text, settings| run(Job::Tune, text, settings);
        let data: Outcome = |text, settings| run(Job::Selfplay, text, settings);
        let rate: Outcome = |text, settings| run(Job::Ladder, text, settings);
        let own_keys = ["player", "search", "evaluation", "table"];
        let of_programs = [
            "protocol",
            "margin",
            "restart",
            "start_within",
            "answer_within",
            "overrun_within",
            "unknown_options",
            "moves",
            "ponder",
        ];
        let (trained, fitted) = (training_schema(), fit_schema());
        let cases: &[Case<'_>] = &[
            (&all, "", (sprt, &test), &["tc_scale"]),
            (keys("sprt"), "sprt.", (sprt, &test), &[]),
            (keys("match"), "match.", (play, &fixed), &["tie_breaks"]),
            (&keys("match")[5..6], "match.", (play, &knockout), &[]),
            (keys("selfplay"), "selfplay.", (data, &selfplay), &[]),
            (keys("selfplay.filter"), "selfplay.filter.", (data, &selfplay), &[]),
            (keys("tune"), "tune.", (tune, TUNED), &["trust"]),
            (keys("tune.verify"), "tune.verify.", (tune, TUNED), &[]),
            (keys("ladder"), "ladder.", (rate, &ladder), &[]),
            (keys("league"), "league.", (league, &in_league), &[]),
            (keys("learn"), "learn.", (learning, LEARNT), &[]),
            (keys("bisect"), "bisect.", (bisecting, "[each]\nlimit = '9 nodes'\n"), &[]),
            (keys("campaign"), "campaign.", (campaigning, "[campaign]\nbase = 'main'\n"), &[]),
            (keys("openings"), "openings.", (play, &fixed), &["order", "start", "strict"]),
            (keys("starvation"), "starvation.", (sprt, &test), &[]),
            (keys("adjudication.draw"), "adjudication.draw.", (sprt, &adjudicated), &[]),
            (keys("adjudication.resign"), "adjudication.resign.", (sprt, &adjudicated), &[]),
            (keys("each"), "each.", (play, &fixed), &own_keys),
            (keys("each"), "each.", (play, &own), &of_programs),
            (&trained, "", (training, train), &["scale", "target"]),
            (inside(of(&trained, "weights")), "weights.", (training, train), &[]),
            (&fitted, "", (fit, fits), &[]),
            (inside(of(&fitted, "adam")), "adam.", (fit, fits), &[]),
            (inside(of(&fitted, "lbfgs")), "lbfgs.", (fit, fits), &[]),
            (inside(of(&fitted, "genetic")), "genetic.", (fit, fits), &[]),
            (&setups_schema(), "", (setups, "out = 'o'\nbudget = '2min'\n"), &[]),
        ];
        let (mut checked, mut wrong) = (0, Vec::new());
        for (keys, path, context, exempt) in cases {
            let (count, problems) = check(keys, path, *context, exempt);
            checked += count;
            wrong.extend(problems);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(checked > 90, "{checked}");
    }
}
