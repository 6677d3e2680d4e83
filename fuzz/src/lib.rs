//! Readers of bytes from strangers, tried on inputs that are changed at random.
//!
//! A target is a reader, a name and a folder of inputs, its corpus. A test runs it on each input of the corpus, and
//! where time is given for that (`SPAR_FUZZ_SECONDS`) on inputs that are made of those by `mutate`. An input fails if
//! the reader panics, takes too long, takes too much memory, or says something that people cannot read. A new input
//! that fails is made shorter and is kept in the corpus, where every later test finds it.
//!
//! The readers stand beside what they read, as unit tests of its crate. An input whose outcome is new joins those that
//! others are made of. So an error deep in a reader is found from errors before it, without counting which lines of
//! code run.

mod corpus;
mod mutate;
mod quiet;
mod read_outcome;
mod shrink;
mod watch;

pub use quiet::panics_elsewhere;
pub use read_outcome::ReadOutcome;

use corpus::{Corpus, Input};
use mutate::Mutator;
use quiet::caught;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use watch::Watch;

/// The environment variable with the seconds of new inputs for each target.
const SECONDS: &str = "SPAR_FUZZ_SECONDS";
/// The environment variable with a number that makes other inputs.
const SEED: &str = "SPAR_FUZZ_SEED";
/// The most inputs that others are made of.
const MOST_KEPT: usize = 4_096;
/// Failures of different kinds after which a target ends.
const MOST_FAILURES: usize = 20;
/// An input that takes this long, three times in a row, fails.
const SLOW: Duration = Duration::from_secs(10);
/// The default maximum of bytes of new inputs.
const USUAL_LENGTH: usize = 4_096;

/// A reader, and the material for its inputs.
#[derive(Clone, Debug)]
pub struct Target {
    name: &'static str,
    corpus: Corpus,
    words: Vec<Vec<u8>>,
    longest: usize,
}

/// An input that fails.
struct Failure {
    /// Where it is kept, and what is wrong.
    text: String,
}

impl Target {
    /// A target whose corpus is in `tests/corpus/NAME` of a crate; `folder` is the crate's
    /// `env!("CARGO_MANIFEST_DIR")`.
    pub fn new(name: &'static str, folder: &str) -> Self {
        let corpus = Corpus::at(&Path::new(folder).join("tests/corpus").join(name));
        Self { name, corpus, words: Vec::new(), longest: USUAL_LENGTH }
    }

    /// Words to put into inputs, beside those of the corpus.
    #[must_use]
    pub fn words(mut self, words: &[&str]) -> Self {
        self.words.extend(words.iter().map(|word| word.as_bytes().to_vec()));
        self
    }

    /// The most bytes of a new input.
    #[must_use]
    pub fn longest(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Runs the reader on the corpus, and on new inputs for as long as is asked for.
    ///
    /// The reader takes an input and returns the outcome. It asserts everything else that must hold.
    ///
    /// # Panics
    /// If an input fails.
    pub fn run(&self, reader: impl Fn(&[u8]) -> ReadOutcome) {
        let inputs = self.corpus.inputs();
        let seconds = seconds();
        let mut session = Session::new(self, &reader);
        for input in &inputs {
            session.replay(input);
        }
        if seconds > Duration::ZERO {
            session.search(&inputs, seconds);
        }
        let failures: Vec<_> = session.failures.into_values().map(|failure| failure.text).collect();
        assert!(failures.is_empty(), "{}: {} inputs fail\n{}", self.name, failures.len(), failures.join("\n"));
    }
}

/// How long new inputs are tried.
fn seconds() -> Duration {
    Duration::from_secs(number(SECONDS).unwrap_or(0))
}

/// A number of the environment.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text}: expected a number")))
}

/// A target at work.
struct Session<'a, R> {
    target: &'a Target,
    reader: &'a R,
    watch: Watch,
    /// Outcomes that have come up, without their numbers and names.
    known: BTreeSet<String>,
    /// By what is wrong, without its numbers and names.
    failures: BTreeMap<String, Failure>,
    slowest: Duration,
}

impl<'a, R: Fn(&[u8]) -> ReadOutcome> Session<'a, R> {
    fn new(target: &'a Target, reader: &'a R) -> Self {
        let (known, failures) = (BTreeSet::new(), BTreeMap::new());
        let watch = Watch::start(target.name, target.corpus.clone());
        Self { target, reader, watch, known, failures, slowest: Duration::ZERO }
    }

    /// The reader's outcome for an input, or the error.
    fn read(&mut self, input: &[u8]) -> Result<ReadOutcome, String> {
        self.watch.begin(input);
        let started = Instant::now();
        let outcome = caught(|| (self.reader)(input));
        let took = started.elapsed();
        self.watch.end();
        self.slowest = self.slowest.max(took);
        outcome?.checked()
    }

    /// As [`read`](Self::read), and it must not take long either.
    fn read_in_time(&mut self, input: &[u8]) -> Result<ReadOutcome, String> {
        for again in 1..=3 {
            let before = std::mem::take(&mut self.slowest);
            let outcome = self.read(input);
            let took = self.slowest;
            self.slowest = took.max(before);
            if took < SLOW {
                return outcome;
            }
            if again == 3 {
                return Err(format!("{} bytes take {} s", input.len(), took.as_secs()));
            }
        }
        Err("nothing was read".to_owned())
    }

    /// Reads an input of the corpus.
    fn replay(&mut self, input: &Input) {
        match self.read_in_time(&input.bytes) {
            Ok(outcome) => drop(self.known.insert(outcome.kind())),
            Err(why) => drop(self.fail(&why, format!("{}: {why}", input.path.display()))),
        }
    }

    /// Tries new inputs.
    fn search(&mut self, inputs: &[Input], time: Duration) {
        let (started, seed) = (Instant::now(), number(SEED).unwrap_or(0));
        self.watch.keep_last();
        let mut kept: Vec<Vec<u8>> = inputs.iter().map(|input| input.bytes.clone()).collect();
        let mut mutator = Mutator::new(self.target.name, seed, &self.target.words, &kept, self.target.longest);
        let mut tried = 0_u64;
        while started.elapsed() < time && self.failures.len() < MOST_FAILURES {
            let input = mutator.next(&kept);
            tried += 1;
            match self.read_in_time(&input) {
                Ok(outcome) if self.known.insert(outcome.kind()) => {
                    if kept.len() < MOST_KEPT {
                        kept.push(input);
                    } else {
                        // Those of the corpus stay.
                        let place = mutator.between(inputs.len(), kept.len());
                        kept[place] = input;
                    }
                }
                Ok(_) => {}
                Err(why) => self.keep(&input, &why),
            }
        }
        self.watch.forget_last();
        let line = format!(
            "fuzz {}: {tried} inputs in {} s, {} outcomes, {} failures, the slowest took {} ms\n",
            self.target.name,
            started.elapsed().as_secs(),
            self.known.len(),
            self.failures.len(),
            self.slowest.as_millis()
        );
        // Not by a macro, whose text a passing test does not show.
        let _unread = std::io::stderr().write_all(line.as_bytes());
    }

    /// Makes an input that fails shorter, and adds it to the corpus.
    fn keep(&mut self, input: &[u8], why: &str) {
        let kind = read_outcome::kind(why);
        if self.failures.contains_key(&kind) {
            return;
        }
        let is_slow = self.slowest >= SLOW;
        let fails_alike = |shorter: &[u8]| self.read(shorter).err().is_some_and(|why| read_outcome::kind(&why) == kind);
        let short = if is_slow { input.to_vec() } else { shrink::shrink(input, fails_alike) };
        let why = self.read(&short).err().unwrap_or_else(|| why.to_owned());
        let path = self.target.corpus.add("found", &short);
        let shown = short.escape_ascii().to_string();
        let shown: String = shown.chars().take(400).collect();
        let _first = self.fail(&why, format!("{}: {why}\n  {shown}", path.display()));
    }

    fn fail(&mut self, why: &str, text: String) -> Option<Failure> {
        self.failures.insert(read_outcome::kind(why), Failure { text })
    }
}

#[cfg(test)]
mod tests;
