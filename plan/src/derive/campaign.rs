//! `[campaign]`: many patches against one base, and the plans of the matches that find which of them gain.

use super::super::keys::{CampaignPlan, EnginePlan, PatchPlan};
use super::super::names::{names_an_entrant, run_name};
use super::super::section::Named;
use super::super::{Built, Given, Origin, PlanError, RunPlan, resolve};
use super::of_matches::MOST_PAIRS;
use stats::campaign::Rules;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// The step of the seed from patch to patch: each patch gets its own openings, which are the same every time.
const FRESH_OPENINGS: u64 = 6_000_011;
/// The most bytes of a patch's name.
const LONGEST_NAME: usize = 80;
/// The most characters of a patch's name in the name of its run.
const IN_RUN_NAME: usize = 32;

/// A campaign, checked.
#[derive(Clone, Debug)]
pub struct Campaigning {
    /// The whole configuration.
    pub plan: RunPlan,
    /// Its name.
    pub name: String,
    /// The base revision of all patches.
    pub base: String,
    /// The patches that the file lists, in its order.
    pub patches: Vec<PatchSource>,
    /// A folder with more patches.
    pub folder: Option<PathBuf>,
    /// The error rates and thresholds of the campaign.
    pub rules: Rules,
    /// The most pairs of all patches together.
    pub max_pairs: NonZeroU64,
    /// The fewest pairs between two decisions.
    pub batch: NonZeroU64,
    /// The number of pairs that all accepted patches together play; `None` for as many as the accepted patch with the
    /// most pairs has played.
    pub together_pairs: Option<u64>,
}

/// A patch of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatchSource {
    /// Its name.
    pub name: String,
    /// Its change.
    pub change: Change,
    /// Options that differ from those of the base.
    pub options: BTreeMap<String, String>,
    /// The idea that it tries, if it shares one with other patches.
    pub idea: Option<String>,
    /// Patches with a higher priority play first.
    pub priority: i32,
}

/// What a patch changes in the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The patch is another revision.
    Revision(String),
    /// The patch is the base with the changes of a file.
    File(PathBuf),
    /// The patch is another program.
    Command(String),
    /// No change: the patch has other options.
    Options,
}

impl RunPlan {
    /// Returns the settings of `[campaign]`.
    ///
    /// # Errors
    /// [`PlanError`]: no such section, a value that cannot be used, or two patches with the same name.
    pub fn campaigning(&self) -> Result<Campaigning, PlanError> {
        let missing = || {
            let advice = "add one, for instance\n  [campaign]\n  base = \"main\"\n  patches = \"patches\"";
            self.error("there is no `[campaign]` section", advice)
        };
        let given = self.keys.campaign.as_ref().ok_or_else(missing)?;
        self.refuse_entrants("the entrants of a campaign are its patches and their base", "engines")?;
        let keys = &given.value;
        let base = keys.base.as_ref().filter(|base| !base.value.is_empty());
        let base = base.ok_or_else(|| {
            let label = "add `base = \"main\"`, or another revision";
            self.error_at(&given.origin, "`[campaign]` does not say what the patches are compared with", label)
        })?;
        Ok(Campaigning {
            name: resolve::run_name(&self.source, self.keys.name.as_ref(), self.stem())?,
            base: base.value.clone(),
            patches: self.listed(&keys.patch)?,
            folder: keys.patches.as_ref().map(|folder| PathBuf::from(&folder.value)),
            rules: self.rules(keys)?,
            max_pairs: self.whole(keys.max_pairs.as_ref(), "max_pairs", 50_000)?,
            batch: self.whole(keys.batch.as_ref(), "batch", 32)?,
            together_pairs: self.pairs_together(keys.together_pairs.as_ref())?,
            plan: self.clone(),
        })
    }

    fn rules(&self, keys: &CampaignPlan) -> Result<Rules, PlanError> {
        let usual = Rules::default();
        let is_share = |share: f64| share > 0.0 && share < 1.0;
        let (share, elo) = ("expected above 0 and below 1", "expected Elo above 0");
        Ok(Rules {
            false_discoveries: self.number(
                keys.false_discoveries.as_ref(),
                "false_discoveries",
                usual.false_discoveries,
                share,
                is_share,
            )?,
            least_pairs: self.whole(keys.least_pairs.as_ref(), "least_pairs", usual.least_pairs)?.get(),
            least_gain: self.number(keys.least_gain.as_ref(), "least_gain", usual.least_gain, elo, |gain| {
                gain > 0.0 && gain.is_finite()
            })?,
            futility: self.number(keys.futility.as_ref(), "futility", usual.futility, share, is_share)?,
            ..usual
        })
    }

    fn pairs_together(&self, key: Option<&Given<u64>>) -> Result<Option<u64>, PlanError> {
        match key {
            Some(given) if given.value > MOST_PAIRS => {
                let message = format!("`together_pairs` cannot be {}", given.value);
                Err(self.error_at(&given.origin, message, "expected 0 to 1000000000000"))
            }
            key => Ok(key.map(|given| given.value)),
        }
    }

    fn listed(&self, patches: &[Given<PatchPlan>]) -> Result<Vec<PatchSource>, PlanError> {
        let mut names = BTreeSet::new();
        let read = |given: &Given<PatchPlan>| {
            let patch = self.patch(given)?;
            if !names.insert(patch.name.clone()) {
                let origin = given.value.name.as_ref().map_or(&given.origin, |name| &name.origin);
                let message = format!("two patches are called \"{}\"", patch.name);
                return Err(self.error_at(origin, message, "expected another name"));
            }
            Ok(patch)
        };
        patches.iter().map(read).collect()
    }

    fn patch(&self, given: &Given<PatchPlan>) -> Result<PatchSource, PlanError> {
        let PatchPlan { name, revision, file, command, options, idea, priority } = &given.value;
        let name = name.as_ref().ok_or_else(|| {
            self.error_at(&given.origin, "a patch has no name", "add `name = \"...\"`, unlike all others")
        })?;
        if !names_a_patch(&name.value) {
            let label = format!("expected 1 to {LONGEST_NAME} printable characters with a letter or a digit");
            return Err(self.error_at(&name.origin, format!("{:?} cannot name a patch", name.value), label));
        }
        if let Some(empty) = [revision, file, command, idea].into_iter().flatten().find(|text| text.value.is_empty()) {
            return Err(self.error_at(&empty.origin, "this is empty", "leave it out, or give a value"));
        }
        let text = |key: Option<&Given<String>>| key.map(|given| given.value.clone());
        let changes: Vec<Change> = [
            text(revision.as_ref()).map(Change::Revision),
            text(file.as_ref()).map(|file| Change::File(file.into())),
            text(command.as_ref()).map(Change::Command),
        ]
        .into_iter()
        .flatten()
        .collect();
        let change = match changes.as_slice() {
            [] if options.names().next().is_none() => {
                let label = "add `revision`, `file`, `command` or `options`";
                return Err(self.error_at(&given.origin, format!("patch \"{}\" changes nothing", name.value), label));
            }
            [] => Change::Options,
            [change] => change.clone(),
            _ => {
                let message = format!("patch \"{}\" has more than one of `revision`, `file` and `command`", name.value);
                return Err(self.error_at(&given.origin, message, "leave one of them"));
            }
        };
        let (name, options) = (name.value.clone(), self.values(options)?);
        let priority = priority.as_ref().map_or(0, |priority| priority.value);
        Ok(PatchSource { name, change, options, idea: text(idea.as_ref()), priority })
    }

    /// Returns the values of options as the engine gets them.
    fn values(&self, options: &Named) -> Result<BTreeMap<String, String>, PlanError> {
        let value = |(name, value): (&Given<String>, &Given<toml::Value>)| {
            let text = match &value.value {
                toml::Value::String(text) if !text.contains(['\n', '\r']) => text.clone(),
                toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => value.value.to_string(),
                other => {
                    let message = format!("option \"{}\" cannot be {other}", name.value);
                    let label = "expected a text of one line, a number or a switch";
                    return Err(self.error_at(&value.origin, message, label));
                }
            };
            Ok((name.value.clone(), text))
        };
        options.iter().map(value).collect()
    }
}

/// Whether this is a valid name of a patch.
pub fn names_a_patch(name: &str) -> bool {
    names_an_entrant(name) && name.len() <= LONGEST_NAME
}

impl Campaigning {
    /// Returns the plan of a match of a patch against the base; `number` counts the matches from 0.
    ///
    /// # Errors
    /// [`PlanError`] if the path of a build is not text.
    pub fn match_of(
        &self,
        (name, patch): (&str, &Built),
        options: &BTreeMap<String, String>,
        base: &Built,
        number: u64,
        pairs: u64,
    ) -> Result<RunPlan, PlanError> {
        let mut seat = self.plan.seat(None, ("patch", patch))?;
        let EnginePlan { name: called, options: own, .. } = &mut seat.value;
        let from = || Origin::derived(format!("patch {name}"));
        *called = Some(Given::new(format!("patch {name}"), from()));
        for (option, value) in options {
            own.set(option, Given::new(toml::Value::String(value.clone()), from()));
        }
        let short: String = name.chars().take(IN_RUN_NAME).collect();
        let run = run_name(&self.name, &run_name(&format!("-{short}"), ""));
        let seats = [seat, self.plan.seat(None, ("base", base))?];
        let openings = number.wrapping_mul(FRESH_OPENINGS);
        Ok(self.plan.match_of_builds(run, seats, openings, pairs, "a match of the campaign"))
    }

    /// Returns the differences to another campaign that would change the meaning of its matches, one line for each
    /// value. Patches and the base are compared elsewhere.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let [this, other] = [self, other].map(|campaigning| {
            let mut plan = campaigning.plan.clone();
            plan.keys.bisect = None;
            if let Some(given) = &mut plan.keys.campaign {
                let keys = &mut given.value;
                (keys.max_pairs, keys.together_pairs, keys.base, keys.patches) = (None, None, None, None);
                keys.patch.clear();
            }
            plan
        });
        this.differences_in_learning(&other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arena::config::{Job, TimeScale};

    const TEXT: &str = "game = \"chess\"\nseed = 3\n[build]\ncommand = \"make\"\nbinary = \"engine\"\n\
                        [each]\nlimit = \"depth 1\"\noptions = { Hash = 1 }\n[campaign]\nbase = \"main\"\n";

    fn read(text: &str) -> Result<Campaigning, String> {
        let shown = |error: PlanError| format!("{:?}", miette::Report::new(error));
        RunPlan::read(text, "f.toml", "f", &[], None, crate::tests::memory::Memory::empty())
            .and_then(|plan| plan.campaigning())
            .map_err(shown)
    }

    fn built(id: &str) -> Built {
        Built { program: format!("/{id}").into(), directory: None, id: id.to_owned(), subject: "x".to_owned(), time: 0 }
    }

    #[test]
    fn a_patch_plays_with_its_options_and_openings_of_its_own() {
        let more = "patch = [{ name = \"hash 16\", options = { Hash = 16, Style = \"calm\" } }]\n";
        let campaigning = read(&format!("{TEXT}{more}")).unwrap();
        let [patch] = campaigning.patches.as_slice() else { panic!("one patch") };
        let run = |number| {
            let sides = ("hash 16", &built("aa"));
            let plan = campaigning.match_of(sides, &patch.options, &built("aa"), number, 32).unwrap();
            plan.resolve(Job::Match).unwrap().run
        };
        let one = run(0);
        assert_eq!((one.name.as_str(), one.seed, run(1).seed), ("f-hash-16", 3, 6_000_014));
        assert_eq!(one.entrants.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["patch hash 16", "base aa"]);
        let [patch, base] = [0, 1].map(|seat: usize| format!("{:?}", one.entrants[seat].player));
        assert!(patch.contains("\"16\"") && patch.contains("calm"), "{patch}");
        assert!(base.contains("\"1\"") && !base.contains("calm"), "{base}");
    }

    #[test]
    fn the_bench_of_the_base_scales_time_controls() {
        let timed = TEXT.replace("depth 1", "10s");
        for engine in ["", "engine = \"base\", "] {
            let campaigning = read(&format!("tc_scale = \"auto\"\nbench = {{ {engine}nps = 5 }}\n{timed}")).unwrap();
            let sides = ("look", &built("bb"));
            let plan = campaigning.match_of(sides, &BTreeMap::new(), &built("aa"), 0, 32).unwrap();
            match plan.resolve(Job::Match).unwrap().run.scale {
                Some(TimeScale::Bench(reference)) => assert_eq!(reference.entrant, "base aa", "{engine}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn patches_and_budgets_may_change_during_a_campaign() {
        let other = |more: &str| read(&format!("{TEXT}{more}")).unwrap();
        let one = other("max_pairs = 9\npatches = \"here\"\n[[campaign.patch]]\nname = \"a\"\nrevision = \"x\"\n");
        assert_eq!(one.differences(&other("")), Vec::<String>::new());
        let found = other("futility = 0.1\n").differences(&one);
        assert_eq!(found, ["campaign.futility: 0.1 now, nothing then"]);
    }

    #[test]
    fn values_that_cannot_be_are_refused_where_they_are() {
        for (text, expected) in [
            ("false_discoveries = 0\n", "`false_discoveries` cannot be 0"),
            ("false_discoveries = 1.0\n", "`false_discoveries` cannot be 1"),
            ("futility = nan\n", "`futility` cannot be NaN"),
            ("least_gain = -1\n", "`least_gain` cannot be -1"),
            ("least_pairs = 0\n", "`least_pairs` cannot be 0"),
            ("max_pairs = 0\n", "`max_pairs` cannot be 0"),
            ("batch = 0\n", "`batch` cannot be 0"),
            ("together_pairs = 9000000000000\n", "`together_pairs` cannot be 9000000000000"),
            ("pairs = 3\n", "unknown key `pairs`"),
            ("[[campaign.patch]]\nrevision = \"x\"\n", "a patch has no name"),
            ("[[campaign.patch]]\nname = \" x\"\nrevision = \"x\"\n", "cannot name a patch"),
            ("[[campaign.patch]]\nname = \"x\"\nrevision = \"a\"\npriority = 0.5\n", "priority"),
            ("[[campaign.patch]]\nname = \"x\"\nrevision = \"a\"\npriority = 3000000000\n", "priority"),
            ("[[campaign.patch]]\nname = \"x\"\n", "patch \"x\" changes nothing"),
            ("[[campaign.patch]]\nname = \"x\"\nrevision = \"\"\n", "this is empty"),
            ("[[campaign.patch]]\nname = \"x\"\nrevision = \"a\"\ncommand = \"b\"\n", "has more than one of"),
            ("[[campaign.patch]]\nname = \"x\"\noptions = { Hash = [1] }\n", "option \"Hash\" cannot be [1]"),
            ("[dev]\nlimit = \"depth 2\"\n", "are its patches and their base"),
        ] {
            let error = read(&format!("{TEXT}{text}")).unwrap_err();
            assert!(error.contains(expected) && error.contains("f.toml:1"), "{text}: {error}");
        }
        let twice = "[[campaign.patch]]\nname = \"x\"\nrevision = \"a\"\n";
        let error = read(&format!("{TEXT}{twice}{twice}")).unwrap_err();
        assert!(error.contains("two patches are called \"x\""), "{error}");
        let error = read(&TEXT.replace("base = \"main\"\n", "")).unwrap_err();
        assert!(error.contains("does not say what the patches are compared with"), "{error}");
        assert!(read("game = \"chess\"\n").unwrap_err().contains("there is no `[campaign]` section"));
    }
}
