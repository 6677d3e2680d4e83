//! Tests of the harness with readers that are wrong on purpose.

use super::*;
use std::fs;

/// A corpus of one input in a temporary folder.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str, input: &[u8]) -> Self {
        let folder = std::env::temp_dir().join(format!("spar-fuzz-test-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("first"), input).unwrap();
        Self(folder)
    }

    fn target(&self) -> Target {
        Target { name: "test", corpus: Corpus::at(&self.0), words: vec![b"needle".to_vec()], longest: 200 }
    }

    fn found(&self) -> Vec<Vec<u8>> {
        let inputs = Corpus::at(&self.0).inputs();
        inputs.into_iter().filter(|input| !input.path.ends_with("first")).map(|input| input.bytes).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _stays = fs::remove_dir_all(&self.0);
    }
}

/// Tries this many new inputs, and returns the errors of the failing ones.
fn search(target: &Target, tries: usize, reader: impl Fn(&[u8]) -> ReadOutcome) -> Vec<String> {
    let inputs = target.corpus.inputs();
    let mut kept: Vec<_> = inputs.iter().map(|input| input.bytes.clone()).collect();
    let mut session = Session::new(target, &reader);
    let mut mutator = Mutator::new(target.name, 0, &target.words, &kept, target.longest);
    for _ in 0..tries {
        let input = mutator.next(&kept);
        match session.read(&input) {
            Ok(outcome) if session.known.insert(outcome.kind()) => kept.push(input),
            Ok(_) => {}
            Err(why) => session.keep(&input, &why),
        }
    }
    session.failures.into_values().map(|failure| failure.text).collect()
}

#[test]
fn a_reader_that_panics_at_a_word_is_found_and_the_input_is_made_short() {
    let folder = Folder::new("panic", b"some hay, and more of it");
    let reader = |input: &[u8]| {
        assert!(!input.windows(6).any(|word| word == b"needle"), "there it is");
        ReadOutcome::Read(String::new())
    };
    let failures = search(&folder.target(), 200, reader);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert!(failures[0].contains("there it is"), "{failures:?}");
    assert_eq!(folder.found(), [b"needle"]);
    let again = caught(|| folder.target().run(reader)).unwrap_err();
    assert!(again.contains("1 inputs fail") && again.contains("found-"), "{again}");
}

#[test]
fn outcomes_lead_from_one_step_to_the_next() {
    let folder = Folder::new("steps", b"....");
    let reader = |input: &[u8]| {
        let right = input.iter().zip(b"spar").take_while(|(one, other)| one == other).count();
        assert!(right < 4, "all of it");
        ReadOutcome::Refused(format!("wrong {}", ["at first", "after s", "after sp", "after spa"][right]))
    };
    assert_eq!(search(&folder.target(), 100_000, reader).len(), 1);
}

#[test]
fn unreadable_messages_fail() {
    let refused = |text: &str| ReadOutcome::Refused(text.to_owned()).checked();
    assert!(refused("line 3: `x` is not a number").is_ok());
    assert!(refused(" \n").unwrap_err().contains("without a word"));
    assert!(refused(&"x".repeat(70_000)).unwrap_err().contains("70000 bytes"));
}

#[test]
fn failures_of_one_kind_are_one_failure() {
    assert_eq!(read_outcome::kind("line 12: `a\"b` is 3"), read_outcome::kind("line 7: `c` is 44"));
    assert_ne!(read_outcome::kind("line 12: no number"), read_outcome::kind("line 12: no word"));
}

#[test]
fn inputs_are_the_same_each_time() {
    let corpus = [b"one 1 two 2".to_vec(), b"three".to_vec()];
    let inputs = |seed| {
        let mut mutator = Mutator::new("test", seed, &[], &corpus, 100);
        (0..1_000).map(|_| mutator.next(&corpus)).collect::<Vec<_>>()
    };
    assert_eq!(inputs(0), inputs(0));
    assert_ne!(inputs(0), inputs(1));
    assert!(inputs(0).iter().all(|input| input.len() <= 100));
}

#[test]
fn panics_of_other_threads_are_counted() {
    let before = panics_elsewhere();
    let _panic = std::thread::spawn(|| panic!("on purpose")).join().unwrap_err();
    assert!(panics_elsewhere() > before);
}
