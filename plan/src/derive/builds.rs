//! Plans with engines built from revisions: a test of two builds, and entrants that are revisions.

use super::super::keys::{EnginePlan, Key, Keys, LadderOrder, within};
use super::super::names::run_name;
use super::super::run_plan::canonical;
use super::super::{Given, Origin, PlanError, RunPlan};
use arena::config::Job;
use std::path::{Path, PathBuf};

/// The most characters of a title; a longer subject is cut.
const LONGEST_TITLE: usize = 200;

/// An engine that was built from a revision.
#[derive(Clone, Debug)]
pub struct Built {
    /// Its program.
    pub program: PathBuf,
    /// Its working directory, if it needs a particular one.
    pub directory: Option<PathBuf>,
    /// The short id of the revision.
    pub id: String,
    /// The subject of its commit.
    pub subject: String,
    /// The time of the commit, in seconds since 1970.
    pub time: i64,
}

/// Two builds to test against each other.
#[derive(Clone, Copy, Debug)]
pub struct Contest<'a> {
    /// The name of the candidate, without its id, and its build.
    pub dev: (&'a str, &'a Built),
    /// The name of its opponent, and its build.
    pub base: (&'a str, &'a Built),
    /// H0 and H1, if a command sets them; bounds of the command line override them.
    pub bounds: Option<[f64; 2]>,
}

impl RunPlan {
    /// Returns the plan of a test between two builds, made from a plan without entrants: `[dev]` and `[base]` hold the
    /// settings of a single build.
    ///
    /// # Errors
    /// [`PlanError`] if the plan has entrants other than one to be tuned.
    pub fn test_of_builds(&self, contest: &Contest<'_>) -> Result<Self, PlanError> {
        let Contest { dev, base, bounds } = *contest;
        let mut plan = self.clone();
        plan.keys.build = None;
        if let Some(entrant) = self.own_entrant() {
            let message = "the entrants are the two builds";
            let label = "put settings for both into [each], for one of them into [dev] or [base]";
            return Err(self.error_at(&entrant.origin, message, label));
        }
        plan.drop_other_jobs(Some(Job::Sprt));
        let name = self.keys.name.as_ref().map_or(self.stem(), |name| &name.value);
        let name = run_name(name, &format!("-{}-{}", dev.1.id, base.1.id));
        plan.keys.name = Some(Given::derived(name, "after the two builds"));
        if let Some(title) = title(&dev.1.subject).filter(|_| self.keys.title.is_none()) {
            plan.keys.title = Some(Given::derived(title, format!("the subject of {}", dev.1.id)));
        }
        let [own_dev, own_base] = [plan.keys.dev.take(), plan.keys.base.take()];
        plan.keys.entrant = vec![self.seat(own_dev, dev)?, self.seat(own_base, base)?];
        plan.bench_of_builds();
        if let Some([elo0, elo1]) = bounds {
            let sprt = within(&mut plan.keys.sprt);
            // Bounds by name on the command line take precedence, too.
            if sprt.preset.as_ref().is_some_and(|preset| preset.origin.is_words()) {
                return Ok(plan);
            }
            sprt.preset = None;
            set_bound(&mut sprt.elo0, elo0);
            set_bound(&mut sprt.elo1, elo1);
        }
        Ok(plan)
    }

    /// Returns the first entrant, except the engine that a session tunes: the only entrant beside `[tune]`.
    pub(super) fn own_entrant(&self) -> Option<&Given<EnginePlan>> {
        let is_tuned = self.keys.tune.is_some() && self.keys.entrant.len() == 1;
        self.keys.entrant.first().filter(|_| !is_tuned)
    }

    /// Whether `[dev]` and `[base]` are equal or both missing.
    pub fn has_same_settings_for_both(&self) -> bool {
        let [dev, base] = [&self.keys.dev, &self.keys.base].map(|own| {
            let text = canonical(&Keys { each: own.clone(), ..Keys::default() });
            text.trim().trim_start_matches("[each]").trim().to_owned()
        });
        dev == base
    }

    /// Returns the entrant of a build, with its own settings.
    pub(super) fn seat(
        &self,
        own: Key<EnginePlan>,
        (name, build): (&str, &Built),
    ) -> Result<Given<EnginePlan>, PlanError> {
        let origin = Origin::derived(format!("built from {}", build.id));
        let mut engine = own.unwrap_or_else(|| Given::new(EnginePlan::default(), origin.clone()));
        engine.value.name = Some(Given::new(format!("{name} {}", build.id), origin));
        self.put_program(&mut engine.value, build)?;
        Ok(engine)
    }

    /// Makes `[bench]` name one of the two entrants of a test of builds: the first for `"dev"`, the second for `"base"`
    /// and if no name is given.
    pub(super) fn bench_of_builds(&mut self) {
        let Keys { bench: Some(bench), entrant, .. } = &mut self.keys else { return };
        let seat = match bench.value.engine.as_ref().map(|engine| engine.value.as_str()) {
            Some("dev") => entrant.first(),
            Some("base") | None => entrant.get(1),
            Some(_) => return,
        };
        if let Some(seat) = seat {
            bench.value.engine.clone_from(&seat.value.name);
        }
    }

    /// Gives an entrant the program of a build, and the working directory of the build unless the entrant has one.
    fn put_program(&self, engine: &mut EnginePlan, build: &Built) -> Result<(), PlanError> {
        let text = |path: &Path| {
            let none = || {
                let message = format!("{}: the path of a build is not text", path.display());
                self.error(message, "choose another --cache")
            };
            let text = path.to_str().ok_or_else(none)?;
            Ok(Given::derived(text, format!("built from {}", build.id)))
        };
        engine.cmd = Some(text(&build.program)?);
        if let Some(directory) = build.directory.as_deref().filter(|_| engine.dir.is_none()) {
            engine.dir = Some(text(directory)?);
        }
        Ok(())
    }

    /// Returns the plan with programs made by `build` in place of revisions, and without `[build]`. The
    /// setting `order = "date"` of `[ladder]` sorts the entrants by the dates of their commits; all of them must
    /// then be revisions.
    ///
    /// # Errors
    /// [`PlanError`] if an entrant has a program beside its revision, or no date where dates are asked for; and any
    /// error of `build`.
    pub fn with_builds<E: From<PlanError>>(&self, build: &mut dyn FnMut(&str) -> Result<Built, E>) -> Result<Self, E> {
        let mut plan = self.clone();
        plan.keys.build = None;
        let order = plan.keys.ladder.as_mut().and_then(|ladder| ladder.value.order.take());
        let by_date = order.filter(|order| order.value == LadderOrder::Date);
        let mut dated = Vec::with_capacity(plan.keys.entrant.len());
        for mut entrant in std::mem::take(&mut plan.keys.entrant) {
            let time = match (entrant.value.rev.take(), &by_date) {
                (Some(rev), _) => self.put_build(&mut entrant.value, &rev, build)?,
                (None, Some(order)) => {
                    let label = "give every entrant a `rev`";
                    return Err(self.error_at(&order.origin, "only revisions have dates", label).into());
                }
                (None, None) => 0,
            };
            dated.push((time, entrant));
        }
        if by_date.is_some() {
            dated.sort_by_key(|(time, _)| *time);
        }
        plan.keys.entrant = dated.into_iter().map(|(_, entrant)| entrant).collect();
        Ok(plan)
    }

    /// Gives an entrant the program of its revision, and a name if it has none; returns the time of the commit.
    fn put_build<E: From<PlanError>>(
        &self,
        engine: &mut EnginePlan,
        rev: &Given<String>,
        build: &mut dyn FnMut(&str) -> Result<Built, E>,
    ) -> Result<i64, E> {
        if let Some(command) = &engine.cmd {
            let message = format!("the entrant of rev \"{}\" has a `cmd`, too", rev.value);
            return Err(self.error_at(&command.origin, message, "which of them plays?").into());
        }
        let built = build(&rev.value)?;
        self.put_program(engine, &built)?;
        engine.name.get_or_insert_with(|| rev.clone());
        Ok(built.time)
    }
}

/// Sets a bound unless the command line sets it.
fn set_bound(key: &mut Key<f64>, elo: f64) {
    if key.as_ref().is_none_or(|bound| !bound.origin.is_words()) {
        *key = Some(Given::derived(elo, "a test of non-regression"));
    }
}

/// Returns a commit's subject as a title, if it has printable characters.
fn title(subject: &str) -> Option<String> {
    let printable = subject.chars().map(|c| if c.is_control() { ' ' } else { c });
    let title = printable.take(LONGEST_TITLE).collect::<String>().trim().to_owned();
    (!title.is_empty()).then_some(title)
}
