//! Turns the options of `spar match` and `spar sprt` into a draft: a whole configuration, or replacements for parts of
//! a file's.

use super::{SOURCE, set};
use crate::args::described::{Described, Hypotheses, Pairings};
use crate::failure::Failure;
use plan::words::{Engine, Spelling, Typed, check_common, check_limits, names_of, seat};
use plan::{Disk, GamesPlan, Given, Key, MatchPlan, RunPlan, TcScalePlan, from_word, names, within};
use play::book::BookFormat;
use play::games::GameKind;
use stats::SprtConfig;

/// Default number of pairs of a match.
const USUAL_PAIRS: u64 = 100;

/// The spelling of these options.
const SPELLING: Spelling =
    Spelling { engine: "--engine", each: "--each", limits: "`--tc 10+0.1`, `--st 0.1`, `--nodes 1000` or `--depth 8`" };

/// What is played: the options that only one of the two commands has.
pub(crate) enum Task<'a> {
    /// A match of this many pairs.
    Match(&'a Pairings),
    /// A sequential test.
    Sprt(&'a Hypotheses),
}

impl Described {
    /// Returns the plan of the run that these options describe. `is_amended` says that settings by key will be applied
    /// to the plan, which may add what is missing.
    ///
    /// # Errors
    /// The first option that is invalid by itself or with the others.
    pub(crate) fn draft(&self, task: &Task<'_>, is_amended: bool) -> Result<RunPlan, Failure> {
        let each = self.each()?;
        let engines = self.engines.engines.iter().map(|words| Engine::read(words, SPELLING.engine));
        let engines = engines.collect::<Result<Vec<Engine>, _>>()?;
        check_limits(&each, &engines)?;
        let names = names_of(&each, &engines);
        let typed = Typed { each: &each, engines: &engines, names: &names };
        typed.check_count(matches!(task, Task::Sprt(_)), &SPELLING)?;
        if !is_amended {
            typed.check_each(self.game.as_deref() != Some(GameKind::ZeroPointOne.name()), &SPELLING)?;
        }
        let mut plan = RunPlan::new(SOURCE, "run", Disk);
        plan.keys.name = Some(Given::derived(names::run_between(&names), "after the engines"));
        plan.keys.game = Some(Given::usual(GameKind::Chess));
        match task {
            Task::Match(_) => within(&mut plan.keys.r#match).pairs = Some(Given::usual(USUAL_PAIRS)),
            Task::Sprt(_) => {
                let sprt = within(&mut plan.keys.sprt);
                let SprtConfig { elo0, elo1, .. } = SprtConfig::default();
                [sprt.elo0, sprt.elo1] = [elo0, elo1].map(|elo| Some(Given::usual(elo)));
            }
        }
        self.put_all(task, is_amended, &mut plan)?;
        seat(&mut plan, &each, &engines, &names);
        Ok(plan)
    }

    /// Overrides a file's plan with these options.
    ///
    /// # Errors
    /// The first option that is invalid by itself or with the file.
    pub(crate) fn over(&self, plan: &mut RunPlan, task: &Task<'_>, is_amended: bool) -> Result<(), Failure> {
        let each = self.each()?;
        // These replace any limits of the file.
        check_limits(&each, &[Engine::default()])?;
        self.put_all(task, is_amended, plan)?;
        plan.give_all(each.plan());
        Ok(())
    }

    /// The settings shared by all engines.
    pub(crate) fn each(&self) -> Result<Engine, Failure> {
        let mut each = Engine::read(&self.engines.each, SPELLING.each)?;
        let limits = [("tc", &self.tc), ("st", &self.st), ("nodes", &self.nodes), ("depth", &self.depth)];
        for (key, text) in limits {
            if let Some(text) = text {
                each.set_limit(key, text, &format!("--{key} {text}"))?;
            }
        }
        check_common(&each)?;
        Ok(each)
    }

    /// Puts everything but the engines.
    fn put_all(&self, task: &Task<'_>, is_amended: bool, plan: &mut RunPlan) -> Result<(), Failure> {
        let keys = &mut plan.keys;
        set(&mut keys.name, "--name", self.name.as_deref());
        if let Some(game) = &self.game {
            keys.game = Some(from_word(game, &format!("--game {game}"))?);
        }
        set(&mut keys.seed, "--seed", self.seed);
        match task {
            Task::Match(pairings) => self.put_match(pairings, plan)?,
            Task::Sprt(hypotheses) => put_hypotheses(hypotheses, self.pairs, self.single, plan),
        }
        self.put_scale(plan);
        self.put_openings(plan);
        if is_amended { Ok(()) } else { self.check_openings(plan) }
    }

    fn put_match(&self, pairings: &Pairings, plan: &mut RunPlan) -> Result<(), Failure> {
        if self.pairs.is_some() || self.single {
            let MatchPlan { games, pairs, rounds, .. } = within(&mut plan.keys.r#match);
            put_rounds(self.single, self.pairs, games, pairs, rounds);
        }
        if let Some(schedule) = &pairings.schedule {
            let fixed = within(&mut plan.keys.r#match);
            let now = from_word(schedule, &format!("--schedule {schedule}"))?;
            // Keys of the file's schedule do not fit another schedule.
            if fixed.schedule.as_ref().is_some_and(|then| then.value != now.value) {
                fixed.of_schedules().into_iter().for_each(|(_, given)| *given = None);
            }
            fixed.schedule = Some(now);
        }
        if pairings.swiss_rounds.is_some() {
            set(&mut within(&mut plan.keys.r#match).swiss_rounds, "--swiss-rounds", pairings.swiss_rounds);
        }
        Ok(())
    }

    fn put_scale(&self, plan: &mut RunPlan) {
        if let Some(text) = &self.tc_scale {
            let factor = text.parse().map_or_else(|_| TcScalePlan::Word(text.clone()), TcScalePlan::Factor);
            // A factor replaces the file's bench.
            if matches!(factor, TcScalePlan::Factor(_)) {
                plan.keys.bench = None;
            }
            plan.keys.tc_scale = Some(Given::words(factor, format!("--tc-scale {text}")));
        }
        if self.bench_nps.is_some() || self.bench_engine.is_some() {
            let bench = within(&mut plan.keys.bench);
            set(&mut bench.nps, "--bench-nps", self.bench_nps);
            set(&mut bench.engine, "--bench-engine", self.bench_engine.as_deref());
        }
    }

    fn put_openings(&self, plan: &mut RunPlan) {
        let Self { openings: file, order, plies, .. } = self;
        if file.is_none() && order.is_none() && plies.is_none() {
            return;
        }
        let openings = within(&mut plan.keys.openings);
        if file.is_some() {
            // Keys of other openings do not fit these: the format of another book, or the drawing of plies without a
            // book.
            if openings.file.is_some() {
                openings.format = None;
            } else {
                (openings.source, openings.plies, openings.balance) = (None, None, None);
            }
        }
        set(&mut openings.file, "--openings", file.as_deref());
        set(&mut openings.order, "--order", order.as_deref());
        set(&mut openings.plies, "--plies", *plies);
    }

    fn check_openings(&self, plan: &RunPlan) -> Result<(), Failure> {
        let openings = plan.keys.openings.as_ref().map(|openings| &openings.value);
        match (&self.openings, &self.order) {
            (None, Some(order)) if openings.is_none_or(|openings| openings.file.is_none()) => {
                Err(Failure::usage(format!("`--order {order}` is the order of a book: add `--openings FILE`")))
            }
            (Some(file), _) => check_book(file, openings.is_some_and(|openings| openings.plies.is_some())),
            (None, _) => Ok(()),
        }
    }
}

/// Checks a book: if its name does not reveal its format, or the book does not fix the length of its openings, another
/// option is required.
fn check_book(file: &str, has_plies: bool) -> Result<(), Failure> {
    let refused = |why: String| Err(Failure::usage(format!("`--openings {file}`: {why}")));
    match BookFormat::of_name(file) {
        Err(error) => refused(format!("{error}; or say it by `--set openings.format=epd`")),
        Ok(format) => match format.needs_plies() {
            Some(why) if !has_plies => refused(format!("{why}: add for instance `--plies 12`")),
            Some(_) | None => Ok(()),
        },
    }
}

/// Puts the schedule of the games, and the number of rounds under the key that fits it.
fn put_rounds(
    single: bool,
    pairs: Option<u64>,
    games: &mut Key<GamesPlan>,
    in_pairs: &mut Key<u64>,
    in_rounds: &mut Key<u64>,
) {
    if single {
        *games = Some(Given::words(GamesPlan::Single, "--single"));
        *in_rounds = in_rounds.take().or(in_pairs.take());
    }
    let is_single = games.as_ref().is_some_and(|games| games.value == GamesPlan::Single);
    if pairs.is_some() {
        (*in_pairs, *in_rounds) = (None, None);
        set(if is_single { in_rounds } else { in_pairs }, "--pairs", pairs);
    }
}

fn put_hypotheses(hypotheses: &Hypotheses, pairs: Option<u64>, single: bool, plan: &mut RunPlan) {
    let Hypotheses { preset, elo0, elo1, alpha, beta, model } = hypotheses;
    let is_silent =
        [elo0, elo1, alpha, beta].iter().all(|number| number.is_none()) && model.is_none() && preset.is_none();
    if is_silent && pairs.is_none() && !single {
        return;
    }
    let sprt = within(&mut plan.keys.sprt);
    if preset.is_some() {
        (sprt.elo0, sprt.elo1) = (None, None);
    }
    set(&mut sprt.preset, "--preset", preset.as_deref());
    set(&mut sprt.elo0, "--elo0", *elo0);
    set(&mut sprt.elo1, "--elo1", *elo1);
    set(&mut sprt.alpha, "--alpha", *alpha);
    set(&mut sprt.beta, "--beta", *beta);
    set(&mut sprt.model, "--model", model.as_deref());
    put_rounds(single, pairs, &mut sprt.games, &mut sprt.max_pairs, &mut sprt.max_rounds);
}
