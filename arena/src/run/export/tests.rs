//! Exports of made-up pairs with contents that no quick run would have.

use super::*;
use crate::config::RunConfig;
use play::games::Chess;
use play::games::GameKind;
use play::{AdjudicatedBy, BySide, Evaluation, Fault, Game, MoveInfo, TrackPly};
use record::{Circumstances, GameRecord, Sides};
use std::time::Duration;

const BLACK_TO_MOVE: &str = "4k3/4r3/8/8/8/8/4P3/4K2R b K - 3 17";

/// Returns the codes of moves played one after another.
fn codes(start: &str, opening: usize, moves: &str) -> (Vec<u32>, Vec<u32>) {
    let mut position = Chess::of(GameKind::Chess).expect("chess").setup(start).expect("a position");
    let mut codes: Vec<u32> = Vec::new();
    for text in moves.split_whitespace() {
        let mv = Chess::parse_move(&position, text).expect("a move");
        codes.push(Chess::code(mv));
        Chess::play(&mut position, mv);
    }
    let rest = codes.split_off(opening);
    (codes, rest)
}

fn ply(score: Option<Evaluation>) -> TrackPly {
    let time = Some(Duration::from_millis(60));
    let info = MoveInfo { score, depth: 14, seldepth: 20, nodes: 690, tbhits: 2, hashfull: 7, time };
    TrackPly { info, wall: Duration::from_millis(69), left: Duration::from_millis(900) }
}

fn pgn(endings: [Ending; 2], track: &[TrackPly], fields: &[TrackField]) -> String {
    let (opening, moves) = codes(BLACK_TO_MOVE, 1, "e7e6 e1g1 e6e5 f1f8");
    let nodes = BySide::default();
    let record = |ending| GameRecord {
        moves: moves.clone(),
        ending,
        nodes,
        track: track.to_vec(),
        circumstances: Circumstances::default(),
    };
    let (games, sides) = (endings.map(record).to_vec(), Sides::Swapped);
    let start = Some(BLACK_TO_MOVE.to_owned());
    let result = PairResult { pair: 6, start, opening, sides, ..result_of(games) };
    written(&result, &PgnForm { fields: fields.to_vec(), ..PgnForm::default() }).expect("legal moves")
}

/// Returns a first pair with these games from the usual start.
fn result_of(games: Vec<GameRecord>) -> PairResult {
    PairResult { pair: 0, start: None, opening: Vec::new(), sides: Sides::Swapped, games, took: Duration::default() }
}

fn written(result: &PairResult, format: &dyn Format) -> Option<String> {
    let (config, heading) = (RunConfig::random_match(GameKind::Chess), Heading::default());
    let proposal = Proposal::of(0, 1, 0);
    let row = Row { config: &config, heading: &heading, remarks: &NO_REMARKS, proposal: &proposal, result };
    format.pair(&row, Timings::Omit)
}

#[test]
fn a_game_in_which_black_moved_first() {
    let endings = [
        Ending::Adjudicated { winner: Some(Side::First), by: AdjudicatedBy::Resign },
        Ending::Forfeit { loser: Side::Second, fault: Fault::Time { over: Duration::from_millis(5) } },
    ];
    let track = [Some(Evaluation::Centipawns(33)), None, Some(Evaluation::Mate(5))].map(ply);
    let text = pgn(endings, &track, &[]);
    let [first, second] = text.split("[Event ").skip(1).collect::<Vec<_>>().try_into().expect("two games");
    let first_expected = "\"test\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"7.1\"]\n[White \"a\"]\n\
        [Black \"b\"]\n\
        [Result \"1-0\"]\n[SetUp \"1\"]\n[FEN \"4k3/4r3/8/8/8/8/4P3/4K2R b K - 3 17\"]\n[PlyCount \"4\"]\n\
        [Termination \"adjudication\"]\n[TimeControl \"-\"]\n\n\
        17... Re6 {book} 18. O-O {+0.33/14 0.069s} Re5 {0.069s}\n\
        19. Rf8+ {+M5/14 0.069s, White wins by adjudication} 1-0\n\n";
    assert_eq!(first, first_expected);
    assert!(second.contains("[White \"b\"]\n[Black \"a\"]\n[Result \"1-0\"]\n"), "{second}");
    assert!(second.contains("[Termination \"time forfeit\"]"), "{second}");
    assert!(second.replace('\n', " ").contains("Black loses on time} 1-0"), "{second}");
}

#[test]
fn every_field_can_be_written() {
    let drawn = || Ending::Adjudicated { winner: None, by: AdjudicatedBy::Draw };
    let text = pgn([drawn(), drawn()], &[ply(Some(Evaluation::Centipawns(-7)))], &TrackField::ALL).replace('\n', " ");
    let fields = "{-0.07/14 0.069s, n=690, sd=20, nps=10000, tl=0.900s, latency=0.009s, hashfull=7, tbhits=2} Re5";
    assert!(text.contains(fields), "{text}");
}

#[test]
fn what_engines_write_does_not_break_the_record() {
    let nonsense = "e2e4 } 0-1\n\n[Result \"0-1\"]\n[Event \"x\"]";
    let ending = || Ending::Forfeit { loser: Side::Second, fault: Fault::IllegalMove(nonsense.to_owned()) };
    let text = pgn([ending(), ending()], &[], &[]);
    let mut scanner = play::pgn::Scanner::new(text.as_bytes());
    for round in ["7.1", "7.2"] {
        let game = scanner.next_game().expect("readable").expect("a game").game.expect("no flaw");
        assert_eq!((game.score, game.round.as_deref()), (Score::Win, Some(round)));
    }
    assert_eq!(scanner.next_game().expect("readable"), None);
}

#[test]
fn what_is_stored_amiss_is_no_game() {
    let ending = Ending::Draw { by: play::DrawRule::Stalemate };
    let game = GameRecord {
        moves: vec![5055],
        ending,
        nodes: BySide::default(),
        track: Vec::new(),
        circumstances: Circumstances::default(),
    };
    let result = result_of(vec![game.clone(), game]);
    let formats = downloads().filter_map(download).map(|(format, _)| format).chain([Box::new(UnnamedEpd) as _]);
    for format in formats.filter(|format| format.needs_rules()) {
        assert_eq!(written(&result, format.as_ref()), None, "{format:?}");
    }
}

#[test]
fn a_game_is_named_after_its_last_position_that_has_a_name() {
    let drawn = |moves: &[u32]| {
        let ending = Ending::Adjudicated { winner: None, by: AdjudicatedBy::Draw };
        GameRecord {
            moves: moves.to_vec(),
            ending,
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances::default(),
        }
    };
    let usual = Chess::of(GameKind::Chess).expect("chess").start().to_string();
    let (opening, rest) = codes(&usual, 2, "e2e4 c7c5 g1f3 d7d6 h2h4 h7h5");
    let result = PairResult { opening, ..result_of(vec![drawn(&rest), drawn(&[])]) };
    let written = |form: PgnForm| written(&result, &form).expect("legal moves");
    for manner in [PgnManner::Spar, PgnManner::Fastchess] {
        let text = written(PgnForm { manner, ..PgnForm::default() });
        let named = |eco, name| format!("[TimeControl \"-\"]\n[ECO \"{eco}\"]\n[Opening \"{name}\"]\n\n");
        let [first, second] = text.split("[Event ").skip(1).collect::<Vec<_>>().try_into().expect("two games");
        assert!(first.contains(&named("B50", "Sicilian Defense: Modern Variations")), "{first}");
        assert!(second.contains(&named("B20", "Sicilian Defense")), "of the opening alone: {second}");
    }
    assert!(!written(PgnForm { minimal: true, ..PgnForm::default() }).contains("[ECO"));
}
