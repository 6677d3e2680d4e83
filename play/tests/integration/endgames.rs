//! Games ended by endgame tables: at the right ply, with the right result, and by the fifty-move rule's counter.

use super::scripted::{Line, ScriptedPlayer};
use play::games::{Chess, GameKind};
use play::{
    AdjudicatedBy, Adjudication, BySide, DrawRule, Ending, Limit, OpeningLine, PlayedGame, Seat, SeatedGame, Side,
    TableResults, TableRules, TableRuling, TimeSource, play_game_with, reason, termination,
};
use std::num::NonZeroU64;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/syzygy");

/// A game from this position in which these moves are tried.
fn play(kind: GameKind, start: &str, moves: &str, ignore_50: bool) -> PlayedGame<Chess> {
    let game = Chess::of(kind).expect("a kind of chess");
    let opening = OpeningLine { start: Some(start.to_owned()), moves: Vec::new() }.play(&game);
    let opening = opening.unwrap_or_else(|error| panic!("{start}: {error:?}"));
    let white_begins = start.contains(" w ");
    let own = |is_first: bool| moves.split(' ').skip(usize::from(is_first != white_begins)).step_by(2);
    let mut players =
        [true, false].map(|is_first| ScriptedPlayer::new(own(is_first).map(|mv| Line::Play(mv.to_owned()))));
    let [first, second] = &mut players;
    let limit = Limit::Nodes(NonZeroU64::MIN);
    let seat = |player| Seat { player, limit, source: TimeSource::Wall, margin: Duration::ZERO, seed: 0 };
    let seats = BySide { first: seat(first), second: seat(second) };
    let ruling = TableRuling { path: TABLES.to_owned(), pieces: 3, ignore_50, results: TableResults::All };
    let endgames = game.endgames(&ruling).expect("tables");
    let adjudication = Adjudication { tables: Some(ruling), ..Adjudication::default() };
    let rules = TableRules { adjudication, ..TableRules::default() };
    play_game_with(&game, &opening, seats, &rules, Some(endgames.as_ref()), None, &AtomicBool::new(false))
        .expect("played")
}

fn ruled(winner: Option<Side>) -> Ending {
    Ending::Adjudicated { winner, by: AdjudicatedBy::Tables }
}

#[test]
fn a_game_ends_with_the_capture_that_leads_into_the_tables() {
    let (white, black, drawn) = (ruled(Some(Side::First)), ruled(Some(Side::Second)), ruled(None));
    for (start, moves, plies, ending) in [
        ("7k/8/8/8/8/2n5/8/K1R5 w - - 37 60", "c1g1 h8h7 g1c1 h7h8 c1c3", 5, &white),
        ("7k/8/8/8/8/2n5/8/K1R5 w - - 99 90", "c1c3", 1, &white),
        ("q7/8/6k1/8/8/8/8/1K5Q w - - 5 60", "h1a8", 1, &white),
        ("q7/8/6k1/8/8/8/8/1K5Q b - - 5 60", "a8h1", 1, &black),
        ("8/8/8/8/8/1kn5/8/K1R5 w - - 5 60", "c1c3", 1, &drawn),
        // The rook can be captured at once: a draw, though the tables hold a rook.
        ("8/8/8/8/8/1r6/K7/2k5 w - - 0 60", "", 0, &drawn),
        ("7k/8/8/8/8/8/8/K1R5 w - - 0 60", "", 0, &white),
    ] {
        let played = play(GameKind::Chess, start, moves, false);
        assert_eq!((&played.ending, played.moves.len()), (ending, plies), "{start}");
        let played = play(GameKind::Chess960, start, moves, true);
        assert_eq!((&played.ending, played.moves.len()), (ending, plies), "{start}");
    }
    let names = BySide { first: "White", second: "Black" };
    let found = [&white, &drawn].map(|ending| (reason(ending, names), termination(ending)));
    let win = ("White wins by adjudication: SyzygyTB".to_owned(), "adjudication");
    assert_eq!(found, [win, ("Draw by adjudication: SyzygyTB".to_owned(), "adjudication")]);
}

#[test]
fn what_the_fifty_move_rule_may_still_save_is_played_on() {
    let (start, moves) = ("7k/8/8/8/8/8/8/K1R5 w - - 97 90", "c1c2 h8g8 c2c1");
    let played = play(GameKind::Chess, start, moves, false);
    assert_eq!((played.ending, played.moves.len()), (Ending::Draw { by: DrawRule::FiftyMoves }, 3));
    let played = play(GameKind::Chess, start, moves, true);
    assert_eq!((played.ending, played.moves.len()), (ruled(Some(Side::First)), 0), "the rule ignored");
    // A draw is a draw with any counter.
    let played = play(GameKind::Chess, "4k3/8/8/8/8/8/P7/4K3 b - - 9 80", "", false);
    assert_eq!((played.ending, played.moves.len()), (ruled(None), 0));
}
