//! The history of a ladder: all its runs in the runs folder, and the ratings from all their games.
//!
//! An entrant that joins later starts a new run next to the old ones. That run gets the earlier results, so that it
//! plays what is still unknown; it is still a complete run that can be replayed alone.

use super::error::LadderError;
use crate::error::{Left, SessionError};
use arena::config::{ExperimentConfig, RunConfig};
use arena::run::{BuildId, Header, RunFolder, Verdict, audit_once, replay};
use plan::{Known, OPENINGS_OF_A_RUN, jobs};
use play::entrant::PlayerSpec;
use stats::PairCounts;
use stats::rating::{RatingSettings, Ratings, Results, rate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An entrant, identified by its player and build, wherever its program is.
#[derive(Clone, Debug, PartialEq)]
struct Member {
    name: String,
    player: PlayerSpec,
    build: BuildId,
}

/// A run of the ladder, with the pairs read so far.
#[derive(Debug)]
struct PastRun {
    path: PathBuf,
    header: Header,
    verdict: Option<Verdict>,
    /// Results by the numbers of the members.
    results: Vec<(usize, usize, PairCounts)>,
}

impl PastRun {
    /// The opening of the run's first pair.
    fn first_opening(&self) -> u64 {
        match &self.header.config.experiment {
            ExperimentConfig::Ladder(ladder) => ladder.first_opening,
            _ => 0,
        }
    }
}

/// All runs of a ladder.
#[derive(Debug)]
pub(super) struct History {
    /// The members: first those of the configuration, in its order, then those of earlier runs alone.
    members: Vec<Member>,
    /// The number of members in the configuration.
    current: usize,
    /// By their first openings, so in the order in which they were started.
    runs: Vec<PastRun>,
}

impl History {
    /// Reads the runs of the ladder that `now` will continue.
    pub(super) fn read(runs: &Path, now: &Header) -> Result<Self, SessionError> {
        let members: Vec<Member> = members(now).collect();
        let mut history = Self { current: members.len(), members, runs: Vec::new() };
        history.refresh(runs, now)?;
        Ok(history)
    }

    /// Reads new results. Runs that have ended do not change.
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
        // A new run may have the folder's name of one that was deleted.
        self.runs.sort_by_key(PastRun::first_opening);
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

    /// Returns the number of a member, adding it if it is new.
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

    /// The opening of the first pair of the run after the first `runs`, or of the next run if there is none.
    pub(super) fn first_opening(&self, runs: usize) -> u64 {
        match self.runs.get(runs) {
            Some(run) => run.first_opening(),
            None => self.runs.last().map_or(0, |last| last.first_opening().saturating_add(OPENINGS_OF_A_RUN)),
        }
    }

    /// Returns the latest run, if it was interrupted and if `again`, which gets the number of runs before it, would
    /// make the same run.
    pub(super) fn unfinished(
        &self,
        again: impl Fn(usize) -> Result<Header, SessionError>,
    ) -> Result<Option<&Path>, SessionError> {
        let Some(last) = self.runs.last().filter(|run| run.verdict.is_none()) else { return Ok(None) };
        let mut header = again(self.runs.len() - 1)?;
        header.config.experiment = header.config.experiment.with_pair_limit_of(&last.header.config.experiment);
        // Changed defaults are checked when the run is resumed.
        header.config.starvation = last.header.config.starvation;
        header.config.max_fault_share = last.header.config.max_fault_share;
        Ok((header == last.header).then_some(last.path.as_path()))
    }

    /// Whether every entrant of the configuration has played in a run.
    pub(super) fn all_rated(&self) -> bool {
        let mut played = vec![false; self.members.len()];
        for &(one, two, _) in self.results(self.runs.len()) {
            played[one] = true;
            played[two] = true;
        }
        played[..self.current].iter().all(|&played| played)
    }

    /// The number of runs.
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

    /// Returns the results of the first `runs` runs, and the names in them of members that are no longer in the
    /// configuration. Their games count: two entrants that have played the same third one are compared through it.
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

    /// Returns the ratings from all games, with some fixed ones, by the number of the member.
    pub(super) fn ratings(&self, anchors: &[(usize, f64)]) -> Result<Ratings, LadderError> {
        let mut results = Results::new(self.members.len());
        for &(one, two, counts) in self.results(self.runs.len()) {
            results.add_counts(one, two, &counts)?;
        }
        Ok(rate(&results, &RatingSettings { anchors: anchors.to_vec(), ..RatingSettings::default() })?)
    }

    /// The pairs in all runs.
    pub(super) fn pairs(&self) -> u64 {
        self.results(self.runs.len()).map(|(_, _, counts)| counts.total()).sum()
    }

    /// Returns the names of all members, and the number of those in the configuration.
    pub(super) fn names(&self) -> (Vec<&str>, usize) {
        (self.members.iter().map(|member| member.name.as_str()).collect(), self.current)
    }
}

/// Returns the entrants of a run as members.
fn members(header: &Header) -> impl Iterator<Item = Member> {
    header.config.entrants.iter().zip(&header.builds).map(|(entrant, build)| {
        let mut player = entrant.player.clone();
        // A program or weights at another path are the same: their content is the build.
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

/// Whether the name of a folder is that of a run of this ladder.
fn is_run_of(path: &Path, name: &str) -> bool {
    let folder = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let number = folder.strip_prefix("ladder-").and_then(|rest| rest.strip_prefix(name)?.strip_prefix('-'));
    number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}
