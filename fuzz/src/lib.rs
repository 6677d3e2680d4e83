//! Fuzz tests for readers of untrusted bytes.
//!
//! A target is a reader, a name and a folder of inputs, its corpus. A test runs the target on each input of the corpus.
//! If `SPAR_FUZZ_SECONDS` is set, the test also runs it for that long on inputs that `mutate` makes of those. An input
//! fails if the reader panics, takes too long, takes too much memory, or returns an unreadable message. A new input
//! that fails is shortened and added to the corpus, where every later test finds it.
//!
//! The readers are unit tests in the crates that they test. An input with a new outcome joins the inputs that others
//! are made of. So the search reaches errors deep in a reader from the errors before them, without measuring code
//! coverage.

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

/// The environment variable for the seconds of new inputs for each target.
const SECONDS: &str = "SPAR_FUZZ_SECONDS";
/// The environment variable for the seed of new inputs.
const SEED: &str = "SPAR_FUZZ_SEED";
/// The most inputs that are kept for mutation.
const MOST_KEPT: usize = 4_096;
/// The number of distinct failures that ends a target.
const MOST_FAILURES: usize = 20;
/// An input fails if it takes this long three times in a row.
const SLOW: Duration = Duration::from_secs(10);
/// The default for the longest new input, in bytes.
const USUAL_LENGTH: usize = 4_096;

/// A reader's name, and the material for its inputs.
#[derive(Clone, Debug)]
pub struct Target {
    name: &'static str,
    corpus: Corpus,
    words: Vec<Vec<u8>>,
    longest: usize,
}

/// An input that fails.
struct Failure {
    /// The input's file and its error.
    text: String,
}

impl Target {
    /// Makes a target whose corpus is in `tests/corpus/NAME` of a crate; `folder` is the crate's
    /// `env!("CARGO_MANIFEST_DIR")`.
    pub fn new(name: &'static str, folder: &str) -> Self {
        let corpus = Corpus::at(&Path::new(folder).join("tests/corpus").join(name));
        Self { name, corpus, words: Vec::new(), longest: USUAL_LENGTH }
    }

    /// Adds words to put into inputs, besides those of the corpus.
    #[must_use]
    pub fn words(mut self, words: &[&str]) -> Self {
        self.words.extend(words.iter().map(|word| word.as_bytes().to_vec()));
        self
    }

    /// Sets the most bytes of a new input.
    #[must_use]
    pub fn longest(mut self, bytes: usize) -> Self {
        self.longest = bytes;
        self
    }

    /// Runs the reader on the corpus, and on new inputs for the requested time.
    ///
    /// The reader takes an input and returns the outcome. It asserts everything else that must hold.
    ///
    /// # Panics
    /// An input fails.
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

/// How long to try new inputs.
fn seconds() -> Duration {
    Duration::from_secs(number(SECONDS).unwrap_or(0))
}

/// A number from the environment.
fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text}: expected a number")))
}

/// The state of a running target.
struct Session<'a, R> {
    target: &'a Target,
    reader: &'a R,
    watch: Watch,
    /// The known outcomes, without their numbers and names.
    known: BTreeSet<String>,
    /// The failures by their errors, without numbers and names.
    failures: BTreeMap<String, Failure>,
    slowest: Duration,
}

impl<'a, R: Fn(&[u8]) -> ReadOutcome> Session<'a, R> {
    fn new(target: &'a Target, reader: &'a R) -> Self {
        let (known, failures) = (BTreeSet::new(), BTreeMap::new());
        let watch = Watch::start(target.name, target.corpus.clone());
        Self { target, reader, watch, known, failures, slowest: Duration::ZERO }
    }

    /// Returns the reader's outcome for an input, or the error.
    fn read(&mut self, input: &[u8]) -> Result<ReadOutcome, String> {
        self.watch.begin(input);
        let started = Instant::now();
        let outcome = caught(|| (self.reader)(input));
        let took = started.elapsed();
        self.watch.end();
        self.slowest = self.slowest.max(took);
        outcome?.checked()
    }

    /// Like [`read`](Self::read), but an input that takes too long is an error.
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
                        // Inputs of the corpus are never replaced.
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
        // A macro's output is hidden in a passing test.
        let _unread = std::io::stderr().write_all(line.as_bytes());
    }

    /// Shortens an input that fails, and adds it to the corpus.
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
