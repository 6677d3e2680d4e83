//! `[bisect]`: finds the commit of a range that lost strength, by matches whose plans are made here.

use super::super::keys::{BisectPlan, BuildPlan, within};
use super::super::names::run_name;
use super::super::resolve;
use super::super::section::Section;
use super::super::{Built, Given, Origin, PlanError, RunPlan};
use super::of_matches::MOST_PAIRS;
use std::num::{NonZeroU32, NonZeroU64};

/// The step of the seed from match to match: each match gets its own openings, which are the same every time.
const FRESH_OPENINGS: u64 = 5_000_011;
/// The most commits to find: the model weighs as many large steps.
const MOST_FOUND: u32 = 3;

/// How to bisect a range of commits, after checks.
#[derive(Clone, Debug)]
pub struct Bisecting {
    /// The whole configuration.
    pub plan: RunPlan,
    /// Its name.
    pub name: String,
    /// The probability at which a commit is named, above 0.5 and below 1.
    pub confidence: f64,
    /// The most pairs of all matches together.
    pub max_pairs: NonZeroU64,
    /// The fewest pairs between two decisions.
    pub batch: NonZeroU64,
    /// How many commits to find.
    pub find: NonZeroU32,
    /// The smallest loss that counts, in Elo.
    pub least_loss: f64,
    /// The cost of a build, in pairs.
    pub build_cost: f64,
}

/// The ends of a range of commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The strong end: any revision that git knows.
    pub good: String,
    /// The weak end, a later commit of the same line.
    pub bad: String,
    /// Look only at commits that touch this folder or file, from the top of the repository.
    pub path: Option<String>,
}

impl RunPlan {
    /// Returns the range of commits of `[bisect]`.
    ///
    /// # Errors
    /// [`PlanError`] if an end is missing.
    pub fn ends_to_bisect(&self) -> Result<Ends, PlanError> {
        let none = BisectPlan::default();
        let keys = self.keys.bisect.as_ref().map_or(&none, |given| &given.value);
        let end = |key: Option<&Given<String>>, name: &str, what: &str, example: &str| {
            let label = format!("add `{name} = \"{example}\"` to `[bisect]`, or give --{name} {example}");
            let origin = self.keys.bisect.as_ref().map_or(&Origin::Usual, |given| &given.origin);
            key.map(|given| given.value.clone())
                .ok_or_else(|| self.error_at(origin, format!("no revision is given that {what}"), label))
        };
        Ok(Ends {
            good: end(keys.good.as_ref(), "good", "was strong", "v1.2")?,
            bad: end(keys.bad.as_ref(), "bad", "is weak", "main")?,
            path: keys.path.as_ref().map(|given| given.value.clone()),
        })
    }

    /// Returns the settings of `[bisect]`; the defaults without that section.
    ///
    /// # Errors
    /// [`PlanError`]: a value that cannot be used, or a section that only applies to two given builds.
    pub fn bisecting(&self) -> Result<Bisecting, PlanError> {
        self.refuse_entrants("the entrants of a bisection are the commits", "commits")?;
        let none = BisectPlan::default();
        let keys = self.keys.bisect.as_ref().map_or(&none, |given| &given.value);
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let elo = "expected Elo above 0";
        Ok(Bisecting {
            name: resolve::run_name(&self.source, self.keys.name.as_ref(), self.stem())?,
            confidence: self.number(
                keys.confidence.as_ref(),
                "confidence",
                0.95,
                "expected above 0.5 and below 1",
                |share| share > 0.5 && share < 1.0,
            )?,
            max_pairs: self.whole(keys.max_pairs.as_ref(), "max_pairs", 20_000)?,
            batch: self.whole(keys.batch.as_ref(), "batch", 32)?,
            find: self.commits_to_find(keys.find.as_ref())?,
            least_loss: self.number(keys.least_loss.as_ref(), "least_loss", 2.0, elo, positive)?,
            build_cost: self.number(
                keys.build_cost.as_ref(),
                "build_cost",
                20.0,
                "expected pairs, 0 or more",
                |pairs| (0.0..=MOST_PAIRS as f64).contains(&pairs),
            )?,
            plan: self.clone(),
        })
    }

    fn commits_to_find(&self, key: Option<&Given<u32>>) -> Result<NonZeroU32, PlanError> {
        let Some(Given { value, origin }) = key else { return Ok(NonZeroU32::MIN) };
        let wrong =
            || self.error_at(origin, format!("`find` cannot be {value}"), format!("expected 1 to {MOST_FOUND}"));
        NonZeroU32::new(*value).filter(|number| number.get() <= MOST_FOUND).ok_or_else(wrong)
    }
}

impl RunPlan {
    /// Returns the plan of a bisection of the loss that this test of two builds has found. The ends are the commits of
    /// the two builds, which `build` says how to make. All commits get the settings of the stronger build.
    #[must_use]
    pub fn bisection_of(&self, good: &str, bad: &str, build: Option<BuildPlan>) -> Self {
        let from = || Origin::derived("the two builds of the test");
        let mut plan = self.clone();
        plan.drop_other_jobs(None);
        plan.keys.title = None;
        let own = std::mem::take(&mut plan.keys.entrant).into_iter().nth(1).map(|base| base.value);
        if let Some(mut own) = own {
            (own.name, own.cmd, own.dir, own.rev) = (None, None, None, None);
            within(&mut plan.keys.each).replace(&own);
        }
        // The entrants of the matches have other names; the earlier one is measured.
        if let Some(bench) = &mut plan.keys.bench {
            bench.value.engine = None;
        }
        let ends = [good, bad].map(|end| Some(Given::new(end, from())));
        let [good, bad] = ends;
        plan.keys.bisect = Some(Given::new(BisectPlan { good, bad, ..BisectPlan::default() }, from()));
        plan.keys.build = build.map(|build| Given::new(build, Origin::derived("as the two builds were made")));
        plan
    }
}

impl Bisecting {
    /// Returns the plan of a match between two builds, the later commit first; `number` counts the matches from 0.
    ///
    /// # Errors
    /// [`PlanError`] if the path of a build is not text.
    pub fn match_of(&self, later: &Built, earlier: &Built, number: u64, pairs: u64) -> Result<RunPlan, PlanError> {
        let seats = [self.plan.seat(None, ("later", later))?, self.plan.seat(None, ("earlier", earlier))?];
        let name = run_name(&self.name, &format!("-{}-{}", later.id, earlier.id));
        let openings = number.wrapping_mul(FRESH_OPENINGS);
        Ok(self.plan.match_of_builds(name, seats, openings, pairs, "a match of the bisection"))
    }

    /// Returns the differences to another bisection that would change the meaning of its matches, one line for each
    /// value.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let [this, other] = [self, other].map(|bisecting| {
            let mut plan = bisecting.plan.clone();
            plan.keys.campaign = None;
            if let Some(given) = &mut plan.keys.bisect {
                let keys = &mut given.value;
                (keys.confidence, keys.max_pairs, keys.find) = (None, None, None);
                // The commits themselves are compared elsewhere.
                (keys.good, keys.bad, keys.path) = (None, None, None);
            }
            plan
        });
        this.differences_in_learning(&other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::memory::Memory;
    use arena::config::{ExperimentConfig, Job, TimeScale};

    const TEXT: &str = "game = \"chess\"\nseed = 3\n[build]\ncommand = \"make\"\nbinary = \"engine\"\n\
                        [sprt]\nelo0 = 0\nelo1 = 5\n[each]\nlimit = \"depth 1\"\n";

    fn read(text: &str) -> Result<Bisecting, String> {
        let shown = |error: PlanError| format!("{:?}", miette::Report::new(error));
        RunPlan::read(text, "f.toml", "f", &[], None, Memory::empty()).and_then(|plan| plan.bisecting()).map_err(shown)
    }

    fn built(id: &str) -> Built {
        Built { program: format!("/{id}").into(), directory: None, id: id.to_owned(), subject: "x".to_owned(), time: 0 }
    }

    #[test]
    fn a_match_is_between_two_builds_and_each_has_openings_of_its_own() {
        let bisecting = read(TEXT).unwrap();
        let run = |number| {
            let plan = bisecting.match_of(&built("bb"), &built("aa"), number, 32).unwrap();
            plan.resolve(Job::Match).unwrap().run
        };
        let one = run(0);
        assert_eq!(one.name, "f-bb-aa");
        assert_eq!(one.entrants.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["later bb", "earlier aa"]);
        assert!(matches!(one.experiment, ExperimentConfig::Match { pairs, .. } if pairs.get() == 32));
        assert_eq!((one.seed, run(1).seed), (3, 5_000_014));
    }

    #[test]
    fn the_bench_of_the_earlier_commit_scales_time_controls_unless_the_other_is_named() {
        let text = |engine: &str| {
            let bench = format!("tc_scale = \"auto\"\nbench = {{ {engine}nps = 5 }}\n");
            format!("{bench}{}", TEXT.replace("depth 1", "10s"))
        };
        for (engine, expected) in
            [("", "earlier aa"), ("engine = \"base\", ", "earlier aa"), ("engine = \"dev\", ", "later bb")]
        {
            let plan = read(&text(engine)).unwrap().match_of(&built("bb"), &built("aa"), 0, 32).unwrap();
            match plan.resolve(Job::Match).unwrap().run.scale {
                Some(TimeScale::Bench(reference)) => assert_eq!(reference.entrant, expected, "{engine}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_lost_test_of_two_builds_is_bisected_between_their_commits() {
        let text = "game = \"chess\"\nname = \"f-bb-aa\"\nbench = { engine = \"base aa\", nps = 5 }\n\
                    [sprt]\nelo0 = 0\nelo1 = 5\n[tune]\npairs = 9\n[each]\nlimit = \"depth 1\"\n\
                    [[entrant]]\nname = \"dev bb\"\ncmd = \"/bb\"\n\
                    [[entrant]]\nname = \"base aa\"\ncmd = \"/aa\"\noptions = { Hash = 1 }\n";
        let test = RunPlan::read(text, "f.toml", "f", &[], None, Memory::empty()).unwrap();
        let build = BuildPlan { command: Some(Given::usual("make")), ..BuildPlan::default() };
        let made = test.bisection_of("aaaa", "bbbb", Some(build)).text();
        let read = read(&made).unwrap_or_else(|error| panic!("{made}{error}"));
        let ends = read.plan.ends_to_bisect().unwrap();
        assert_eq!((ends.good.as_str(), ends.bad.as_str()), ("aaaa", "bbbb"));
        let each = &read.plan.keys.each.as_ref().unwrap().value;
        assert_eq!(each.limit.as_ref().unwrap().value, "depth 1");
        assert_eq!(read.plan.keys.bench.as_ref().unwrap().value.engine, None);
        assert!(!made.contains("[tune]") && !made.contains("[sprt]"), "{made}");
        assert!(made.contains("Hash") && made.contains("make") && !made.contains("/aa"), "{made}");
    }

    #[test]
    fn both_ends_are_needed() {
        let ends = |text: &str| {
            let plan = RunPlan::read(&format!("{TEXT}{text}"), "f.toml", "f", &[], None, Memory::empty()).unwrap();
            plan.ends_to_bisect().map_err(|error| format!("{:?}", miette::Report::new(error)))
        };
        let given = ends("[bisect]\ngood = \"v1\"\nbad = \"main\"\npath = \"src\"\n").unwrap();
        assert_eq!(given, Ends { good: "v1".to_owned(), bad: "main".to_owned(), path: Some("src".to_owned()) });
        let error = ends("").unwrap_err();
        assert!(error.contains("no revision is given that was strong") && error.contains("--good v1.2"), "{error}");
        let error = ends("[bisect]\ngood = \"v1\"\n").unwrap_err();
        assert!(error.contains("no revision is given that is weak") && error.contains("f.toml:1"), "{error}");
        // A section that `--set` adds has no place in the file.
        let set = ["bisect.good=v1".to_owned()];
        let plan = RunPlan::read(TEXT, "f.toml", "f", &set, None, Memory::empty()).unwrap();
        let error = format!("{:?}", miette::Report::new(plan.ends_to_bisect().unwrap_err()));
        assert!(error.contains("--set bisect.good=v1") && !error.contains("Failed to read"), "{error}");
    }

    #[test]
    fn only_what_ends_a_bisection_may_change_during_it() {
        let other = |more: &str| read(&format!("{TEXT}{more}")).unwrap();
        let one = other("[bisect]\nfind = 2\nconfidence = 0.9\ngood = \"v1\"\nbad = \"main\"\npath = \"src\"\n");
        assert_eq!(one.differences(&read(TEXT).unwrap()), Vec::<String>::new());
        assert_eq!(other("[bisect]\nbatch = 8\n").differences(&one).len(), 1);
        let limit = read(&TEXT.replace("depth 1", "depth 2")).unwrap();
        assert_eq!(limit.differences(&one), ["each.limit: \"depth 2\" now, \"depth 1\" then"]);
    }

    #[test]
    fn values_that_cannot_be_are_refused_where_they_are() {
        for (text, expected) in [
            ("[bisect]\nconfidence = 1.0\n", "`confidence` cannot be 1"),
            ("[bisect]\nconfidence = nan\n", "`confidence` cannot be NaN"),
            ("[bisect]\nmax_pairs = 0\n", "`max_pairs` cannot be 0"),
            ("[bisect]\nbatch = 0\n", "`batch` cannot be 0"),
            ("[bisect]\nfind = 4\n", "expected 1 to 3"),
            ("[bisect]\nleast_loss = 0\n", "expected Elo above 0"),
            ("[bisect]\nbuild_cost = -1\n", "expected pairs, 0 or more"),
            ("[dev]\nlimit = \"depth 2\"\n", "so it has no `[dev]`"),
            ("[[entrant]]\nname = \"x\"\n", "so it has no `[[entrant]]`"),
            ("[bisect]\npairs = 3\n", "unknown key `pairs`"),
        ] {
            let error = read(&format!("{TEXT}{text}")).unwrap_err();
            assert!(error.contains(expected) && error.contains("f.toml:1"), "{text}: {error}");
        }
    }
}
