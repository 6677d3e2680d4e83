//! Books of games in PGN, whose first plies are the openings.

use super::error::BookError;
use super::format::BookFormatInfo;
use super::skipped::Skipped;
use super::text::{Written, text_of};
use super::{BookFile, Content, played};
use crate::games::GameKind;
use crate::pgn::{Record, Scanner};
use std::borrow::Cow;
use std::io::BufRead;

pub(super) static FORMAT: BookFormatInfo =
    BookFormatInfo { names: &["pgn"], extensions: &["pgn"], refused_keys: &[], needs_plies: None, read };

fn read(file: &BookFile, bytes: &[u8], game: GameKind) -> Result<Content, BookError> {
    let text = text_of(file, bytes)?;
    let (written, skipped) = games(&file.path, text, game, file.plies.unwrap_or(u32::MAX))?;
    played(file, game, &written, skipped)
}

/// The games of a PGN file, each cut to this many plies. Skips games that cannot be read, or that are marked as another
/// kind than `kind`.
///
/// # Errors
/// [`BookError::Read`] if reading fails midway.
fn games(
    file: &str,
    text: impl BufRead,
    kind: GameKind,
    plies: u32,
) -> Result<(Vec<Written<'static>>, Skipped), BookError> {
    let mut scanner = Scanner::keeping(text, plies);
    let (mut games, mut skipped) = (Vec::new(), Skipped::default());
    let broken = |cause| BookError::Read { file: file.to_owned(), cause };
    while let Some(record) = scanner.next_record().map_err(broken)? {
        match record {
            Ok(record) => match other_game(&record, kind) {
                Some((why, tag)) => skipped.add(record.line, &why, &tag),
                None => games.push(Written {
                    line: record.line,
                    start: record.fen.map(Cow::Owned),
                    moves: Cow::Owned(record.moves),
                }),
            },
            Err((line, flaw)) => skipped.add(line, &flaw.to_string(), ""),
        }
    }
    Ok((games, skipped))
}

/// Why a game is not one of `kind`, if its tags name another variant, in which its moves may mean something else.
fn other_game(record: &Record, kind: GameKind) -> Option<(String, String)> {
    let variant = record.variant.as_ref().filter(|variant| GameKind::of_pgn_variant(variant) != Some(kind))?;
    let why = format!("this game is of another kind: the run plays {kind}, expected a book of its openings");
    Some((why, format!("[Variant \"{variant}\"]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_plies_of_games_are_read() {
        let text = "[Event \"a\"]\n[Result \"*\"]\n\n1. e4 {x} e5! (1... c5 2. d4) 2. Nf3 $1 Nc6 *\n\n\
                    [Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 w - -\"]\n\n1. Ka2 Kc2\n*\n";
        let (games, _) = games("b.pgn", text.as_bytes(), GameKind::Chess, 3).expect("games");
        let seen: Vec<_> = games.iter().map(|game| (game.line, game.start.as_deref(), &*game.moves)).collect();
        assert_eq!(seen, [(1, None, "e4 e5 Nf3"), (6, Some("8/8/8/8/8/8/8/K1k5 w - -"), "Ka2 Kc2")]);
    }
}
