//! The openings of a file of lines or games, each played through by the rules of its game and kept as compact text.
//! Openings that break the rules are skipped.

use super::error::{BookError, shown};
use super::skipped::Skipped;
use super::text::Written;
use crate::pgn::Fingerprint;
use crate::{Game, OpeningLine};
use rayon::prelude::*;

/// The number of openings that a thread plays through at a time.
const CHUNK: usize = 2048;

/// The maximum number of duplicates that are listed one by one.
const MOST_DUPLICATES: usize = 10;

/// Separates an opening's start from its moves.
const BREAK: char = '|';

/// The spellings of null moves, which pass the turn to the other side and are not legal in a game.
const NULL_MOVES: [&str; 7] = ["--", "Z0", "null", "NULL", "@@@@", "0000", "pass"];

/// Openings that lead to the same position as an earlier opening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Duplicates {
    /// The number of duplicates.
    pub count: u64,
    /// The lines of the first few duplicates, each with the line of the first opening that leads to the same position.
    pub first: Vec<(u64, u64)>,
}

/// The openings of a file, in the file's order.
#[derive(Clone, Debug)]
pub struct Lines {
    texts: Texts,
    duplicates: Duplicates,
    skipped: Skipped,
    plies: [usize; 2],
}

/// Many texts stored as one.
#[derive(Clone, Debug, Default)]
struct Texts {
    all: String,
    ends: Vec<usize>,
}

/// Some openings played through.
#[derive(Default)]
struct Played {
    texts: Texts,
    /// For each opening its line in the file, and the fingerprint of the position that it leads to.
    ends: Vec<(u64, u64)>,
    plies: Option<[usize; 2]>,
    skipped: Skipped,
}

impl Texts {
    fn push(&mut self, start: Option<&str>, moves: &str) {
        if let Some(start) = start {
            self.all.push_str(start);
            self.all.push(BREAK);
        }
        self.all.push_str(moves);
        self.ends.push(self.all.len());
    }

    fn append(&mut self, other: &Self) {
        let before = self.all.len();
        self.all.push_str(&other.all);
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.all.get(start..end)
    }
}

impl Lines {
    /// Plays all openings through, on all cores. Skips those that break the rules or end the game, in addition to those
    /// in `skipped`.
    ///
    /// # Errors
    /// If no opening is left: [`BookError::Line`] of the first that was skipped, or [`BookError::Empty`] if there was
    /// none.
    pub(super) fn play<G: Game>(
        game: &G,
        file: &str,
        written: &[Written<'_>],
        mut skipped: Skipped,
        plies: Option<u32>,
    ) -> Result<Self, BookError> {
        let most = plies.map_or(usize::MAX, |plies| plies as usize);
        let chunks: Vec<Played> = written.par_chunks(CHUNK).map(|chunk| Played::all(game, chunk, most)).collect();
        let mut all = Played::default();
        for chunk in chunks {
            all.append(chunk);
        }
        skipped.merge(all.skipped);
        let Some(plies) = all.plies else {
            let expected = "a position, a line of moves or a game, as its format says";
            let empty = || BookError::Empty { file: file.to_owned(), expected };
            return Err(skipped.first_error(file).unwrap_or_else(empty));
        };
        Ok(Self { duplicates: Duplicates::among(&all.ends), texts: all.texts, skipped, plies })
    }

    /// The number of openings: at least one.
    pub fn count(&self) -> u64 {
        self.texts.ends.len() as u64
    }

    /// The minimum and the maximum number of plies in an opening, after its start.
    pub fn plies(&self) -> [usize; 2] {
        self.plies
    }

    /// The openings that lead to the same position as an earlier one.
    pub fn duplicates(&self) -> &Duplicates {
        &self.duplicates
    }

    /// The openings that cannot be used, and are left out.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }

    /// Opening `index`, counted from 0; `None` beyond the last.
    pub fn get(&self, index: u64) -> Option<OpeningLine> {
        let text = self.texts.get(usize::try_from(index).ok()?)?;
        let (start, moves) = match text.split_once(BREAK) {
            Some((start, moves)) => (Some(start.to_owned()), moves),
            None => (None, text),
        };
        Some(OpeningLine { start, moves: moves.split_whitespace().map(str::to_owned).collect() })
    }
}

impl Played {
    fn all<G: Game>(game: &G, written: &[Written<'_>], most: usize) -> Self {
        let mut played = Self::default();
        for one in written {
            if let Err(why) = played.add(game, one, most) {
                let text = one.start.as_ref().filter(|_| one.moves.is_empty()).unwrap_or(&one.moves);
                played.skipped.add(one.line, &why, text);
            }
        }
        played
    }

    /// Plays an opening through; returns what is wrong with it, in words.
    fn add<G: Game>(&mut self, game: &G, written: &Written<'_>, most: usize) -> Result<(), String> {
        let mut position = match &written.start {
            Some(text) => game.setup(text)?,
            None => game.start(),
        };
        // As the game writes it, so that the file's spelling has no influence.
        let start = written.start.as_ref().map(|_| position.to_string());
        let mut moves = String::new();
        let mut plies = 0;
        for word in written.moves.split_whitespace().take(most) {
            if plies > 0 {
                moves.push(' ');
            }
            play::<G>(&mut position, word, &mut moves)?;
            plies += 1;
        }
        if G::ending(&position).is_some() {
            return Err(format!("the game is over after it, in {position}: expected an opening that leaves a game"));
        }
        self.texts.push(start.as_deref(), &moves);
        let end = start.filter(|_| plies == 0).unwrap_or_else(|| position.to_string());
        self.ends.push((written.line, fingerprint(&end)));
        let [fewest, most] = self.plies.unwrap_or([plies, plies]);
        self.plies = Some([fewest.min(plies), most.max(plies)]);
        Ok(())
    }

    fn append(&mut self, other: Self) {
        self.texts.append(&other.texts);
        self.ends.extend(&other.ends);
        self.skipped.merge(other.skipped);
        self.plies = match (self.plies, other.plies) {
            (Some([a, b]), Some([c, d])) => Some([a.min(c), b.max(d)]),
            (one, other) => one.or(other),
        };
    }
}

/// Plays a move and appends it in the notation of the game's players.
fn play<G: Game>(position: &mut G::Position, word: &str, out: &mut String) -> Result<(), String> {
    let Some(mv) = G::parse_record(position, word).filter(|&mv| G::is_legal(position, mv)) else {
        let what = if NULL_MOVES.contains(&word) { "a null move, which is" } else { "" };
        return Err(format!("`{}` is {what} not a legal move in {position}", shown(word)).replace("  ", " "));
    };
    G::write_move(position, mv, out);
    G::play(position, mv);
    Ok(())
}

/// A fingerprint of a position's text without its counters.
fn fingerprint(position: &str) -> u64 {
    let is_counter = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let mut hash = Fingerprint::default();
    for (_, word) in position.split(' ').enumerate().filter(|(at, word)| *at < 4 || !is_counter(word)) {
        hash.add(word.as_bytes());
    }
    hash.finish()
}

impl Duplicates {
    /// Finds the duplicates by the line and the fingerprint of each opening's last position.
    fn among(ends: &[(u64, u64)]) -> Self {
        let mut sorted: Vec<(u64, u64)> = ends.iter().map(|&(line, fingerprint)| (fingerprint, line)).collect();
        sorted.sort_unstable();
        let repeated = |group: &[(u64, u64)]| {
            let first = group[0].1;
            group[1..].iter().map(move |&(_, line)| (line, first)).collect::<Vec<_>>()
        };
        let mut all: Vec<(u64, u64)> = sorted.chunk_by(|one, other| one.0 == other.0).flat_map(repeated).collect();
        all.sort_unstable();
        let count = all.len() as u64;
        all.truncate(MOST_DUPLICATES);
        Self { count, first: all }
    }
}
