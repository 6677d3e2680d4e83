//! Games with evaluations in their comments, read by `pgn-reader`.

use super::comment::Comment;
use super::{End, Flaw, Found, Reading, Said, Sink};
use crate::chess::View;
use crate::chess::record::parse_fen;
use crate::data::GameResult;
use pgn_reader::{RawComment, RawTag, Reader, SanPlus, Visitor};
use shakmaty::{Chess, Color, KnownOutcome, Outcome, Position};
use std::io::BufRead;
use std::ops::ControlFlow;

/// Longer comments say nothing of evaluations.
const COMMENT_BYTES: usize = 255;

pub(super) fn read(reader: impl BufRead, reading: Reading, sink: &mut Sink<'_>) -> Result<(), End> {
    let mut games = Reader::build(reader).set_supported_comment_length(COMMENT_BYTES).finish();
    let mut visitor = Games { view: reading.view.unwrap_or(View::Mover), number: 0 };
    while let Some(game) = games.read_game(&mut visitor)? {
        let number = visitor.number;
        visitor.number += 1;
        for found in game.found {
            if sink(Ok(Found { result: game.result, game: number, ..found })).is_break() {
                return Ok(());
            }
        }
        if let Some(why) = game.flaw
            && sink(Err(Flaw { line: number + 1, why: format!("game {}: {why}", number + 1) })).is_break()
        {
            return Ok(());
        }
    }
    Ok(())
}

/// Plays games through.
struct Games {
    view: View,
    number: u64,
}

/// The tags that matter.
#[derive(Default)]
struct Tags {
    start: Option<String>,
    result: Option<GameResult>,
    is_variant: bool,
}

/// A game as far as it is played.
struct Played {
    position: Chess,
    /// The position before the last move.
    before: Option<Chess>,
    result: Option<GameResult>,
    found: Vec<Found>,
    flaw: Option<String>,
}

impl Played {
    /// After something wrong no more is found.
    fn fail(&mut self, why: String) {
        self.flaw.get_or_insert(why);
    }

    fn take(&mut self, comment: Comment, view: View) {
        let (position, view, score) = match comment {
            Comment::After(score) => (Some(self.position.clone()), View::White, score),
            Comment::Before(score) => (self.before.clone(), view, score),
        };
        let Some(position) = position else { return };
        self.found.push(Said { score: Some(score), result: None }.found(position, view));
    }
}

impl Visitor for Games {
    type Tags = Tags;
    type Movetext = Played;
    type Output = Played;

    fn begin_tags(&mut self) -> ControlFlow<Played, Tags> {
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Played> {
        match name {
            b"FEN" => tags.start = Some(value.decode_utf8_lossy().into_owned()),
            b"Result" => tags.result = super::parse_result(&value.decode_utf8_lossy()),
            b"Variant" => {
                let value = value.decode_utf8_lossy().to_ascii_lowercase();
                let is_chess = matches!(value.as_str(), "standard" | "chess" | "normal" | "from position");
                tags.is_variant = !is_chess && !value.contains("960") && !value.contains("fischer");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> ControlFlow<Played, Played> {
        let start = tags.start.as_deref().map_or(Ok(Chess::default()), parse_fen);
        let (position, mut flaw) = match start {
            Ok(position) => (position, None),
            Err(error) => (Chess::default(), Some(format!("its start: {error}"))),
        };
        if tags.is_variant {
            flaw = Some("it is of another game than chess".to_owned());
        }
        ControlFlow::Continue(Played { position, before: None, result: tags.result, found: Vec::new(), flaw })
    }

    fn san(&mut self, played: &mut Played, san: SanPlus) -> ControlFlow<Played> {
        if played.flaw.is_some() {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(&played.position) {
            Ok(mv) => {
                played.before = Some(played.position.clone());
                played.position.play_unchecked(mv);
            }
            Err(error) => played.fail(format!("the move {san}: {error}")),
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, played: &mut Played, comment: RawComment<'_>) -> ControlFlow<Played> {
        if played.flaw.is_none()
            && let Ok(text) = std::str::from_utf8(comment.as_bytes())
            && let Some(comment) = Comment::parse(text)
        {
            played.take(comment, self.view);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, played: &mut Played, outcome: Outcome) -> ControlFlow<Played> {
        if let Outcome::Known(known) = outcome {
            played.result = Some(match known {
                KnownOutcome::Decisive { winner: Color::White } => GameResult::Win,
                KnownOutcome::Decisive { winner: Color::Black } => GameResult::Loss,
                KnownOutcome::Draw => GameResult::Draw,
            });
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, played: Played) -> Played {
        played
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use super::*;

    #[test]
    fn evaluations_belong_to_positions_before_and_after_moves() {
        let text = "[Event \"a\"]\n[Result \"1-0\"]\n\n1. e4 {+0.33/14 0.5s} e5 {-0.20/9 0.1s} (1... c5 {+9.00/1}) 2. Nf3 { [%eval 0.25] } Nc6 {book} 1-0\n\n\
                    [Event \"b\"]\n[FEN \"8/8/8/8/8/8/8/K1k5 b - - 0 9\"]\n[Result \"1/2-1/2\"]\n\n9... Kc2 {-0.10/3 0s} 1/2-1/2\n\n\
                    [Event \"c\"]\n\n1. e4 {+0.30/2 0s} e4 {+1.00/2 0s} *\n";
        let (found, flaws) = all(text, "a.pgn", None, None);
        let seen: Vec<_> = found.iter().map(|it| (it.score, it.result, it.game, it.position.turn())).collect();
        let (win, draw) = (Some(GameResult::Win), Some(GameResult::Draw));
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
        assert!(flaws[0].line == 3 && flaws[0].why.contains("the move e4"), "{flaws:?}");
    }

    #[test]
    fn other_games_and_wrong_starts_are_flaws() {
        let text =
            "[Event \"a\"]\n[Variant \"Atomic\"]\n\n1. e4 {+0.33/14 0.5s} *\n\n[FEN \"x\"]\n\n1. e4 {+0.33/14} *\n";
        let (found, flaws) = all(text, "a.pgn", None, None);
        assert_eq!((found.len(), flaws.len()), (0, 2));
    }
}
