//! Games with evaluations in their comments.

use super::comment::Comment;
use super::{End, Flaw, Found, RawLabels, Reading, Sink};
use crate::chess::View;
use crate::chess::record::parse_fen;
use play::games::read_move;
use play::pgn::{self, Note, Record, Scanner};
use shakmaty::{Chess, Position};
use stats::Score;
use std::io::BufRead;

pub(super) fn read(reader: impl BufRead, reading: Reading, sink: &mut Sink<'_>) -> Result<(), End> {
    let view = reading.view.unwrap_or(View::Mover);
    let mut games = Scanner::keeping_all(reader);
    for game in 0.. {
        let Some(record) = games.next_record()? else { break };
        let (all, flaw) = match record {
            Ok(record) => found(&record, view),
            Err((line, flaw)) => (Vec::new(), Some(Flaw::new(line, flaw.to_string()))),
        };
        let all = all.into_iter().map(|found| Ok(Found { game, ..found })).chain(flaw.map(Err));
        for found in all {
            if sink(found).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Returns the scored positions of a game up to the first error in it, and that error.
fn found(record: &Record, view: View) -> (Vec<Found>, Option<Flaw>) {
    match (start(record), result(record)) {
        (Ok(start), Ok(result)) => play_through(record, start, result, view),
        (Err(flaw), _) | (_, Err(flaw)) => (Vec::new(), Some(flaw)),
    }
}

fn start(record: &Record) -> Result<Chess, Flaw> {
    let of_chess = |variant: &str| {
        let variant = variant.to_ascii_lowercase();
        let is_chess = matches!(variant.as_str(), "standard" | "chess" | "normal" | "from position");
        is_chess || variant.contains("960") || variant.contains("fischer")
    };
    match &record.variant {
        Some(variant) if !of_chess(variant) => {
            Err(Flaw::new(record.line, format!("the game is of {variant}: expected chess")))
        }
        _ => record
            .fen
            .as_deref()
            .map_or(Ok(Chess::default()), parse_fen)
            .map_err(|error| Flaw::new(record.line, format!("the game's start: {error}"))),
    }
}

/// The game's result, if known.
fn result(record: &Record) -> Result<Option<Score>, Flaw> {
    match &record.score {
        Ok(score) => Ok(Some(*score)),
        Err(pgn::Flaw::Unfinished | pgn::Flaw::NoResult | pgn::Flaw::UnknownResult(_)) => Ok(None),
        Err(flaw) => Err(Flaw { contradicts: true, ..Flaw::new(record.line, flaw.to_string()) }),
    }
}

fn play_through(record: &Record, start: Chess, result: Option<Score>, view: View) -> (Vec<Found>, Option<Flaw>) {
    let (mut position, mut before) = (start, None);
    let (mut found, mut comments) = (Vec::new(), record.comments.iter().peekable());
    let words = record.moves.split_whitespace().map(Some).chain([None]);
    for (plies, word) in (0..).zip(words) {
        while let Some(Note { text, .. }) = comments.next_if(|comment| comment.plies <= plies) {
            let (of, view, score) = match Comment::parse(text) {
                Some(Comment::After(score)) => (Some(&position), View::White, score),
                Some(Comment::Before(score)) => (before.as_ref(), view, score),
                None => continue,
            };
            let labels = RawLabels { score: Some(score), result, ..RawLabels::default() };
            found.extend(of.map(|position| labels.found(position.clone(), view)));
        }
        let Some(word) = word else { break };
        let Some(mv) = read_move(&position, word) else {
            let why = format!("the game's move {word} is not legal after {plies} plies");
            return (found, Some(Flaw::new(record.line, why)));
        };
        let mut next = position.clone();
        next.play_unchecked(mv);
        before = Some(std::mem::replace(&mut position, next));
    }
    (found, None)
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use super::*;
    use shakmaty::Color;

    #[test]
    fn evaluations_belong_to_positions_before_and_after_moves() {
        let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 {+0.33/14 0.5s} e5 {-0.20/9 0.1s} (1... c5 {+9.00/1}) 2. \
            Nf3 { [%eval 0.25] } Nc6 {book} 1-0\n\n\
                    [Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 b - - 0 9\"]\n[Result \"1/2-1/2\"]\n\n9... Kc2 {-0.10/3 \
                    0s} 1/2-1/2\n\n\
                    [Event \"c\"]\n\n1. e4 {+0.30/2 0s} e4 {+1.00/2 0s} *\n";
        let (found, flaws) = all(text, "a.pgn", None, None);
        let seen: Vec<_> = found.iter().map(|it| (it.score, it.result, it.game, it.position.turn())).collect();
        let (win, draw) = (Some(Score::Win), Some(Score::Draw));
        assert_eq!(
            seen,
            [
                (Some(33), win, 0, Color::White),
                (Some(20), win, 0, Color::Black),
                (Some(25), win, 0, Color::Black),
                (Some(10), draw, 1, Color::Black),
                (Some(30), None, 2, Color::White),
            ]
        );
        assert_eq!(flaws.len(), 1);
        assert!(flaws[0].line == 12 && flaws[0].why == "the game's move e4 is not legal after 1 plies", "{flaws:?}");
    }

    #[test]
    fn a_broken_game_costs_no_other() {
        let game = |moves: &str| format!("[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n{moves}\n\n");
        let good = game("1. e4 {+0.33/14 0.5s} e5 1-0");
        for (broken, why) in [
            ("1. e4 e5 {oops 1-0", "a comment does not end"),
            ("1. e4 e5 {oops {+0.10/2 0s} Nf3 1-0", "a comment has a { in it"),
            ("1. e4 (1. d4 {+0.10/2 0s} 1-0", "a variation does not end"),
            ("1. e4 e5 0-1", "the Result tag says 1-0, but"),
            ("1. e4 -- 1-0", "the game's move -- is not legal after 1 plies"),
        ] {
            let text = format!("{good}{}{good}", game(broken));
            let (found, flaws) = all(&text, "a.pgn", None, None);
            let seen: Vec<_> = found.iter().map(|it| (it.score, it.game)).collect();
            assert_eq!(seen, [(Some(33), 0), (Some(33), 2)], "{broken}");
            assert!(flaws.len() == 1 && flaws[0].line == 7 && flaws[0].why.starts_with(why), "{flaws:?}");
        }
        let spelt = game("1. e2-e4 {+0.33/14\n0.5s} e7e5 2. Ng1-f3 {+0.20/3 0s} 0.5-0.5").replace("1-0", "½-½");
        let (found, flaws) = all(&spelt.replace('\n', "\r"), "a.pgn", None, None);
        assert_eq!((found.len(), flaws.len(), found[0].result), (2, 0, Some(Score::Draw)));
    }

    #[test]
    fn other_games_and_wrong_starts_are_flaws() {
        let text =
            "[Event \"a\"]\n[Variant \"Atomic\"]\n\n1. e4 {+0.33/14 0.5s} *\n\n[FEN \"x\"]\n\n1. e4 {+0.33/14} *\n";
        let (found, flaws) = all(text, "a.pgn", None, None);
        assert_eq!((found.len(), flaws.len()), (0, 2));
    }
}
