//! Tests that books are written and read, looked up in reflections, and drawn from.

use super::{mix, BookEntry, BookError, SetupBook};
use crate::{Score, Setup};
use std::collections::BTreeSet;

/// Entries of pseudo-random setups, which share their replies.
fn entries(count: u64) -> Vec<BookEntry> {
    let setup = |seed: u64| Setup::from_rank((mix(seed) % u64::from(Setup::COUNT)) as u32).unwrap();
    let entry = |n: u64| BookEntry {
        red: setup(n),
        reply: setup(1_000_000 + n % 7),
        value: Score::estimate(mix(n) as i16 as i32),
        depth: (5 + n % 3) as u8,
    };
    (0..count).map(entry).collect()
}

#[test]
fn a_book_is_read_back() {
    for count in [0, 1, 2, 500] {
        let book = SetupBook::new(&entries(count)).unwrap();
        assert_eq!(book.entries().len() as u64, count);
        assert_eq!(book.replies().len() as u64, count.min(7));
        assert_eq!(SetupBook::from_bytes(&book.to_bytes()), Ok(book));
    }
    let replies: Vec<Setup> = entries(7).iter().map(|entry| entry.reply).collect();
    let book = SetupBook::of_replies(&replies).unwrap();
    assert_eq!(SetupBook::from_bytes(&book.to_bytes()), Ok(book));
}

#[test]
fn setups_are_found_mirrored_or_not() {
    let entries = entries(300);
    let book = SetupBook::new(&entries).unwrap();
    for entry in entries {
        assert_eq!(book.find(&entry.red), Some(entry));
        assert_eq!(book.find(&entry.red.mirrored()), Some(entry.mirrored()));
    }
    assert_eq!(book.find(&Setup::from_rank(0).unwrap()), None);
}

#[test]
fn red_draws_among_the_best_that_were_searched_the_deepest() {
    let book = SetupBook::new(&entries(300)).unwrap();
    let deepest: Vec<&BookEntry> = book.entries().iter().filter(|entry| entry.depth == 7).collect();
    let best = deepest.iter().map(|entry| entry.value).max().unwrap();
    let margin = Score::from_logit(0.5);
    let near: Vec<&BookEntry> = deepest.into_iter().filter(|entry| entry.value >= best - margin).collect();
    assert!(near.len() > 3, "{}", near.len());
    assert!(book.choices(margin).eq(near.iter().copied()));
    let drawn: BTreeSet<u32> = (0..2_000).map(|seed| book.draw(margin, seed).unwrap().red.rank()).collect();
    let both = near.iter().flat_map(|entry| [entry.red.rank(), entry.red.mirrored().rank()]);
    assert_eq!(drawn, both.collect());
    assert_eq!(book.draw(margin, 9), book.draw(margin, 9));
    assert_eq!(book.choices(Score::DRAW).count(), 1);
    assert_eq!(SetupBook::default().draw(margin, 1), None);
}

#[test]
fn two_entries_for_a_setup_and_books_too_large_are_refused() {
    let mut twice = entries(4);
    twice.push(BookEntry { depth: 1, ..twice[2].mirrored() });
    let error = SetupBook::new(&twice).unwrap_err();
    assert!(matches!(error, BookError::Twice { .. }), "{error}");
    let many: Vec<Setup> = (0..140_000).filter_map(Setup::from_rank).collect();
    assert!(matches!(SetupBook::of_replies(&many), Err(BookError::TooLarge { .. })));
}

#[test]
fn every_cut_and_every_flipped_bit_is_an_error() {
    let bytes = SetupBook::new(&entries(20)).unwrap().to_bytes();
    for end in 0..bytes.len() {
        assert!(SetupBook::from_bytes(&bytes[..end]).is_err(), "{end} bytes");
    }
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[place] ^= 4;
        assert!(SetupBook::from_bytes(&changed).is_err(), "byte {place}");
    }
    assert_eq!(SetupBook::from_bytes(b"something else"), Err(BookError::Foreign));
    assert_eq!(
        SetupBook::from_bytes(b"").unwrap_err().to_string(),
        "not a book of setups: it does not begin with `spar-set`"
    );
}

/// A file with a correct checksum, whatever its numbers.
fn file(sizes: [u16; 2], numbers: &[i32]) -> Vec<u8> {
    let mut writer = crate::eval::weights::Writer::new(super::MAGIC, &sizes);
    for &number in numbers {
        writer.number(number);
    }
    writer.finish()
}

#[test]
fn what_no_setup_is_and_what_no_reply_is_are_refused() {
    let last = Setup::COUNT as i32 - 1;
    let is_lower = |setup: &Setup| setup.rank() < setup.mirrored().rank();
    let lower = (0..Setup::COUNT).rev().filter_map(Setup::from_rank).find(is_lower).expect("a setup").rank() as i32;
    assert!(lower < last, "the last setup is the higher of two reflections");
    assert!(SetupBook::from_bytes(&file([1, 1], &[5, lower, 1, 0, 3])).is_ok());
    for (numbers, expected) in [
        ([5, last + 1, 1, 0, 3], BookError::NoSetup { rank: last + 1 }),
        ([5, last, 1, 0, 3], BookError::Damaged),
        ([-5, lower, 1, 0, 3], BookError::Damaged),
        ([5, lower, 2, 0, 3], BookError::Damaged),
        ([5, lower, -1, 0, 3], BookError::Damaged),
        ([5, lower, 1, i32::MAX, 3], BookError::Damaged),
        ([5, lower, 1, 0, 300], BookError::Damaged),
    ] {
        assert_eq!(SetupBook::from_bytes(&file([1, 1], &numbers)), Err(expected), "{numbers:?}");
    }
    assert_eq!(SetupBook::from_bytes(&file([2, 0], &[5, 0])), Err(BookError::Damaged));
    assert_eq!(SetupBook::from_bytes(&file([2, 0], &[5, i32::MAX])), Err(BookError::Damaged));
    assert_eq!(SetupBook::from_bytes(&file([1, 0], &[5, 6])), Err(BookError::Damaged));
}
