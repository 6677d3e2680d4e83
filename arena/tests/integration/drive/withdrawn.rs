//! Pairs withdrawn during a run: the run ends as if they had never been played.

use super::{Learner, Run, Unruly, config, openings, result};
use arena::run::{
    ByHost, Control, Driven, Event, Executor, Finish, JournalReader, News, PairIndex, PairSpec, Played, Proposal,
    Verdict, Withdrawn, drive,
};
use std::sync::Arc;
use std::time::Instant;

/// Two workers, one of which lies until it is found out: after this many pairs, or when the verdict is due.
struct Doubtful {
    held: Vec<PairSpec>,
    answered: u64,
    found_out_after: u64,
    is_found_out: bool,
    is_checking: bool,
    checked: Vec<PairIndex>,
    pardon: Pardon,
}

/// Whether the liar is taken back.
#[derive(PartialEq)]
enum Pardon {
    Never,
    /// To be given as soon as the liar is found out.
    Due,
    Given,
}

impl Doubtful {
    fn new(found_out_after: u64) -> Self {
        let (held, checked) = Default::default();
        let pardon = Pardon::Never;
        Self { held, answered: 0, found_out_after, is_found_out: false, is_checking: true, checked, pardon }
    }
}

impl Executor for Doubtful {
    fn workers(&self) -> usize {
        4
    }

    fn capacity(&self) -> usize {
        4
    }

    fn submit(&mut self, spec: PairSpec) {
        self.held.push(spec);
    }

    fn next_event(&mut self, _deadline: Instant) -> Option<Event> {
        if !self.is_found_out && (self.answered >= self.found_out_after || self.held.is_empty()) {
            self.is_found_out = true;
            self.is_checking = false;
            return Some(Event::Withdraw { worker: "east".into(), why: "it lies".to_owned() });
        }
        if self.is_found_out && self.pardon == Pardon::Due {
            self.pardon = Pardon::Given;
            return Some(Event::TakeBack { worker: "east".into() });
        }
        if let Some(pair) = self.checked.pop() {
            return Some(Event::Checked { pair, by: "west".into() });
        }
        let spec = self.held.pop()?;
        self.answered += 1;
        let is_back = self.pardon == Pardon::Given;
        let is_east = spec.pair % 3 == 0 && (is_back || !self.is_found_out);
        // The liar's first pair is right, and another worker has checked it.
        let is_lie = is_east && spec.pair > 0 && !is_back;
        if is_east && !is_lie {
            self.checked.push(spec.pair);
        }
        let by: Arc<str> = if is_east { "east" } else { "west" }.into();
        let mut result = result(spec.pair, u64::from(is_lie));
        result.sides = spec.sides;
        Some(Event::Done { result: Box::new(result), by: Some(by) })
    }

    fn is_checking(&self) -> bool {
        self.is_checking
    }

    fn start_over(&mut self) {
        self.held.clear();
    }

    fn revoke_from(&mut self, pair: PairIndex) {
        self.held.retain(|spec| spec.pair < pair);
    }
}

const PAIRS: u64 = 90;

/// Drives a run again whenever pairs are withdrawn, as sessions do. Returns how often they were withdrawn, and the
/// notices.
fn go(run: &Run, executor: &mut Doubtful) -> (Learner, u32, Vec<String>) {
    let (mut withdrawn, mut notices) = (0, Vec::new());
    let mut journal = run.journal();
    loop {
        let mut learner = Learner::new(5, 0, PAIRS);
        let observe = &mut |news: News<'_>| {
            if let News::Notice(notice) = news {
                notices.push(notice.text.clone());
            }
        };
        match drive(&config(), &openings(), &mut learner, &mut journal, executor, &Control::new(), observe) {
            Ok(Driven::Withdrawn(Withdrawn { worker, pairs })) => {
                assert!(*worker == *"east" && pairs > 0);
                withdrawn += 1;
            }
            finish => {
                assert_eq!(finish.expect("a run"), Driven::Finished(Finish::Verdict(Verdict::Complete)));
                return (learner, withdrawn, notices);
            }
        }
    }
}

fn results(journal: &JournalReader) -> Vec<(Vec<f64>, Vec<u8>)> {
    let mut all = Vec::new();
    let visit = |stored: arena::run::StoredResult| {
        let scores = stored.result.scores().into_iter().map(stats::Score::half_points).collect();
        all.push((stored.proposal.seats[0].values.clone(), scores));
        Ok::<_, arena::run::JournalError>(())
    };
    journal.results(0..PAIRS, visit).expect("a journal");
    all
}

#[test]
fn a_run_ends_as_if_pairs_that_were_withdrawn_had_never_been_played() {
    let whole = Run::new();
    let mut expected = Learner::new(5, 0, PAIRS);
    whole.go(&mut expected, &mut Unruly::new(1, 3)).unwrap();
    for found_out_after in [1, 7, 40, u64::MAX] {
        let run = Run::new();
        let mut executor = Doubtful::new(found_out_after);
        let (learner, withdrawn, notices) = go(&run, &mut executor);
        assert_eq!(learner.digest.to_bits(), expected.digest.to_bits(), "found out after {found_out_after}");
        let journal = run.journal();
        assert_eq!(results(&journal), results(&whole.journal()));
        assert_eq!(journal.set_aside().unwrap()["east"], "it lies");
        if found_out_after > 1 {
            assert_eq!(withdrawn, 1);
            assert!(notices[0].contains("that worker east played or checked are withdrawn"), "{notices:?}");
            assert!(journal.withdrawals().unwrap() > 0);
            // The checked pair stayed, and other workers played all others.
            assert_eq!(journal.worker(0).unwrap().as_deref(), Some("east"));
            let is_of_east = |pair: &u64| journal.worker(*pair).unwrap().as_deref() == Some("east");
            assert_eq!((0..PAIRS).filter(is_of_east).count(), 1);
        }
    }
}

#[test]
fn the_results_of_a_worker_that_was_taken_back_count_again() {
    let whole = Run::new();
    let mut expected = Learner::new(5, 0, PAIRS);
    whole.go(&mut expected, &mut Unruly::new(1, 3)).unwrap();
    let run = Run::new();
    let (learner, withdrawn, _) = go(&run, &mut Doubtful { pardon: Pardon::Due, ..Doubtful::new(7) });
    assert_eq!((learner.digest.to_bits(), withdrawn), (expected.digest.to_bits(), 1));
    let journal = run.journal();
    assert_eq!(results(&journal), results(&whole.journal()));
    assert!(journal.set_aside().unwrap().is_empty() && journal.withdrawals().unwrap() > 0);
    let is_of_east = |pair: &u64| journal.worker(*pair).unwrap().as_deref() == Some("east");
    assert!((0..PAIRS).filter(is_of_east).count() > 1, "what it plays from then on stays");
}

#[test]
fn a_check_by_a_distrusted_worker_does_not_count_whoever_was_found_out_first() {
    for order in [["east", "west"], ["west", "east"]] {
        let run = Run::new();
        let mut journal = run.journal();
        let played = |pair, by: &str| {
            let (proposal, by_host) = (Proposal::of(0, 0, pair), ByHost::default());
            Played { proposal, result: result(pair, 0), by_host, by: Some(by.into()) }
        };
        journal.checked(0, "west".into());
        journal.checked(1, "north".into());
        journal.checked(3, "east".into());
        let batch = [(0, "east"), (1, "east"), (2, "east"), (3, "west"), (4, "north")];
        journal.commit(&batch.map(|(pair, by)| played(pair, by))).expect("a commit");
        let withdrawn = order.map(|worker| journal.withdraw(worker, "it lies").expect("its pairs"));
        assert_eq!(withdrawn.iter().sum::<u64>(), 3, "{order:?}");
        let left: Vec<PairIndex> = (0..5).filter(|pair| journal.worker(*pair).unwrap().is_some()).collect();
        assert_eq!(left, [1, 4], "{order:?}");
    }
}

#[test]
fn a_run_that_is_cut_off_while_it_is_mended_is_mended_when_it_resumes() {
    let whole = Run::new();
    let mut expected = Learner::new(5, 0, PAIRS);
    whole.go(&mut expected, &mut Unruly::new(1, 3)).unwrap();
    let run = Run::new();
    let mut first = Learner::new(5, 0, PAIRS);
    let cut = drive(
        &config(),
        &openings(),
        &mut first,
        &mut run.journal(),
        &mut Doubtful::new(40),
        &Control::new(),
        &mut |_| (),
    );
    assert!(matches!(cut, Ok(Driven::Withdrawn(_))));
    let mut second = Learner::new(5, 0, PAIRS);
    run.go(&mut second, &mut Unruly::new(3, 2)).unwrap();
    assert_eq!(second.digest.to_bits(), expected.digest.to_bits());
    assert_eq!(results(&run.journal()), results(&whole.journal()));
}
