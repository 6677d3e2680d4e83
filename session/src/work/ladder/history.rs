//! A ladder over its life: all its runs in the runs folder, and the ratings by all their games.
//!
//! An entrant that joins later starts a new run beside the old ones. That run gets the earlier results, so that it
//! plays what is still unknown; it is a complete run nevertheless, which can be replayed alone.

use super::error::LadderError;
use crate::error::{Left, SessionError};
use arena::config::RunConfig;
use arena::run::{BuildId, Header, RunFolder, Verdict, audit_once, replay};
use plan::Known;
use plan::jobs;
use play::entrant::PlayerSpec;
use stats::PairCounts;
use stats::rating::{RatingSettings, Ratings, Results, rate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An entrant by what it is, wherever its program lies.
#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: String,
    player: PlayerSpec,
    build: BuildId,
}

/// One run of the ladder, as far as its pairs are absorbed.
#[derive(Debug)]
struct PastRun {
    path: PathBuf,
    header: Header,
    verdict: Option<Verdict>,
    /// Results by number of the members.
    results: Vec<(usize, usize, PairCounts)>,
}

/// All runs of a ladder.
#[derive(Debug)]
pub(super) struct History {
    /// First those of the configuration, in its order, then those that only earlier runs had.
    members: Vec<Member>,
    /// How many are of the configuration.
    current: usize,
    runs: Vec<PastRun>,
}

impl History {
    /// The runs of the ladder that `now` is about to continue.
    pub(super) fn read(runs: &Path, now: &Header) -> Result<Self, SessionError> {
        let members: Vec<Member> = members(now).collect();
        let mut history = Self { current: members.len(), members, runs: Vec::new() };
        history.refresh(runs, now)?;
        Ok(history)
    }

    /// Reads what has been played since. Runs that have ended do not change.
    pub(super) fn refresh(&mut self, runs: &Path, now: &Header) -> Result<(), SessionError> {
        let mut before = std::mem::take(&mut self.runs);
        for path in RunFolder::list(runs)? {
            if !is_run_of(&path, &now.config.name) {
                continue;
            }
            match before.iter().position(|run| run.path == path && run.verdict.is_some()) {
                Some(place) => self.runs.push(before.swap_remove(place)),
                None => self.add(path, now)?,
            }
        }
        Ok(())
    }

    fn add(&mut self, path: PathBuf, now: &Header) -> Result<(), SessionError> {
        let journal = RunFolder::open_journal(&path)?;
        let header = journal.header()?;
        let (then, config) = (&header.config, &now.config);
        let rules = |run: &RunConfig| (run.game, run.openings.clone(), run.rules.clone(), run.scale.clone());
        if rules(then) != rules(config) {
            return Err(LadderError::OtherRules { path }.into());
        }
        let numbers = members(&header).map(|member| self.number(member, &path)).collect::<Result<Vec<_>, _>>()?;
        audit_once(&journal, then)?;
        let mut experiment = jobs::experiment(then)?;
        let replayed = replay(experiment.as_mut(), &journal);
        let replayed = replayed.map_err(|why| SessionError::Broken { why: Box::new(why), left: Left::AsItWas })?;
        let of_members = |pairing: &arena::run::PairingStanding| {
            let [one, two] = [pairing.entrant, pairing.opponent].map(|number| numbers.get(number as usize).copied());
            Some((one?, two?, *pairing.counts.pairs()?))
        };
        let results = experiment.standing().pairings().iter().filter_map(of_members).collect();
        self.runs.push(PastRun { path, verdict: replayed.finish.verdict(), header, results });
        Ok(())
    }

    /// The number of a member, which joins if it is not there.
    fn number(&mut self, member: Member, path: &Path) -> Result<usize, LadderError> {
        match self.members.iter().position(|known| known.name == member.name) {
            Some(number) if self.members[number] == member => Ok(number),
            Some(_) => Err(LadderError::OtherEngine { name: member.name, path: path.to_owned() }),
            None => {
                self.members.push(member);
                Ok(self.members.len() - 1)
            }
        }
    }

    /// The latest run, if it was interrupted and would be made the same again by `again`, from the
    /// first runs; it gets their number.
    pub(super) fn unfinished(
        &self,
        again: impl Fn(usize) -> Result<Header, SessionError>,
    ) -> Result<Option<&Path>, SessionError> {
        let Some(last) = self.runs.last().filter(|run| run.verdict.is_none()) else { return Ok(None) };
        let mut header = again(self.runs.len() - 1)?;
        header.config.experiment = header.config.experiment.with_pair_limit_of(&last.header.config.experiment);
        // Whether what is usual has changed since is looked at when the run is resumed.
        header.config.starvation = last.header.config.starvation;
        header.config.max_fault_share = last.header.config.max_fault_share;
        Ok((header == last.header).then_some(last.path.as_path()))
    }

    /// Whether every entrant of the configuration has played in some run.
    pub(super) fn all_rated(&self) -> bool {
        let mut played = vec![false; self.members.len()];
        for &(one, two, _) in self.results(self.runs.len()) {
            played[one] = true;
            played[two] = true;
        }
        played[..self.current].iter().all(|&played| played)
    }

    /// How many runs there are.
    pub(super) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The folders of the runs.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.runs.iter().map(|run| run.path.as_path())
    }

    fn results(&self, runs: usize) -> impl Iterator<Item = &(usize, usize, PairCounts)> {
        self.runs[..runs.min(self.runs.len())].iter().flat_map(|run| &run.results)
    }

    /// What the first `runs` runs have found, and the names in it of those that the configuration does not have any
    /// more. Their games count: two who have played the same third know something of each other.
    pub(super) fn known(&self, runs: usize) -> Result<(Vec<Known>, Vec<String>), LadderError> {
        let mut sums = BTreeMap::<(usize, usize), PairCounts>::new();
        for &(one, two, counts) in self.results(runs) {
            let (pairing, counts) = if one < two { ((one, two), counts) } else { ((two, one), counts.mirror()) };
            let sum = sums.entry(pairing).or_default();
            *sum = sum.merge(&counts)?;
        }
        let name = |number: usize| self.members[number].name.clone();
        let known = |((one, two), counts)| Known { entrant: name(one), opponent: name(two), counts };
        let played = |number: &usize| sums.keys().any(|(one, two)| one == number || two == number);
        let gone = (self.current..self.members.len()).filter(played).map(name).collect();
        Ok((sums.into_iter().map(known).collect(), gone))
    }

    /// The ratings by all games, some of them given, by number of the member.
    pub(super) fn ratings(&self, anchors: &[(usize, f64)]) -> Result<Ratings, LadderError> {
        let mut results = Results::new(self.members.len());
        for &(one, two, counts) in self.results(self.runs.len()) {
            results.add_counts(one, two, &counts)?;
        }
        Ok(rate(&results, &RatingSettings { anchors: anchors.to_vec(), ..RatingSettings::default() })?)
    }

    /// Pairs in all runs.
    pub(super) fn pairs(&self) -> u64 {
        self.results(self.runs.len()).map(|(_, _, counts)| counts.total()).sum()
    }

    /// The names of all members, and how many of them are of the configuration.
    pub(super) fn names(&self) -> (Vec<&str>, usize) {
        (self.members.iter().map(|member| member.name.as_str()).collect(), self.current)
    }
}

/// The entrants of a run by what they are.
fn members(header: &Header) -> impl Iterator<Item = Member> {
    header.config.entrants.iter().zip(&header.builds).map(|(entrant, build)| {
        let mut player = entrant.player.clone();
        // The same program elsewhere is the same program, and so are weights: their content is the build.
        match &mut player {
            PlayerSpec::Process(process) => {
                process.command.clear();
                process.directory = None;
            }
            PlayerSpec::Native(native) => (native.network, native.policy) = (None, None),
            PlayerSpec::Random | PlayerSpec::Custom(_) => {}
        }
        Member { name: entrant.name.clone(), player, build: build.clone() }
    })
}

/// Whether a folder is called as the runs of this ladder are.
fn is_run_of(path: &Path, name: &str) -> bool {
    let folder = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let number = folder.strip_prefix("ladder-").and_then(|rest| rest.strip_prefix(name)?.strip_prefix('-'));
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}
