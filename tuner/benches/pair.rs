//! The cost of one pair: ask and tell, averaged over a session of 4,096 pairs.

use divan::Bencher;
use divan::counter::ItemsCount;
use regret::instance::{Instance, Surface};
use stats::PairOutcome;
use tuner::quadratic::{self, Quadratic};
use tuner::random::{Purpose, Stream};
use tuner::spsa::{self, Spsa};
use tuner::{Method, Space, SpaceError};

/// The outcomes of a pair by points, worst first.
const FIVE: [PairOutcome; 5] = [PairOutcome::LL, PairOutcome::LD, PairOutcome::DD, PairOutcome::WD, PairOutcome::WW];

const PAIRS: u64 = 4096;

fn main() {
    divan::main();
}

fn play(mut method: Box<dyn Method>) -> Vec<f64> {
    for pair in 0..PAIRS {
        let proposal = method.ask(pair);
        let quarters = Stream::new(1, Purpose::Games, pair).bits() % 5;
        method.tell(pair, &proposal, FIVE[quarters as usize]);
    }
    method.answer().values
}

fn measure(bencher: Bencher, dimension: usize, open: impl Fn(Space) -> Result<Box<dyn Method>, SpaceError> + Sync) {
    let session = || Instance::new(dimension, 1, Surface::Real).space(1.0).and_then(&open);
    bencher.counter(ItemsCount::new(PAIRS)).with_inputs(session).bench_values(|method| method.map(play));
}

#[divan::bench(args = [4, 9, 20, 50], sample_count = 5, sample_size = 1)]
fn quadratic(bencher: Bencher, dimension: usize) {
    measure(bencher, dimension, |space| Ok(Box::new(Quadratic::new(space, quadratic::Config::default(), 1, PAIRS)?)));
}

#[divan::bench(args = [4, 9, 20, 50], sample_count = 5, sample_size = 1)]
fn spsa(bencher: Bencher, dimension: usize) {
    measure(bencher, dimension, |space| Ok(Box::new(Spsa::new(space, spsa::Config::default(), 1, PAIRS)?)));
}
