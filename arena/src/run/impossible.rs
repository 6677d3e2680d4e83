//! Checks whether a result from another machine is possible for a pair, so that the receiver need not trust the sender
//! to have followed the rules. Anything that players may do in a game is accepted.

use super::audit::play_out;
use super::pair::PairSpec;
use play::games::Rules;
use play::{Conventions, Game, LinesKept, PairOpening, TableRules};
use record::{
    AdjudicatedBy, Circumstances, DrawRule, Ending, Fault, GameRecord, GameTimes, MoveInfo, PairResult, TrackPly,
    WinRule,
};
use std::time::Duration;

/// The longest text of a fault or of a player's last lines. Engine output is cut at 64 KiB, which can triple if it is
/// not UTF-8.
const LONGEST_TEXT: usize = 256 << 10;

/// The most bytes of engine lines that are kept for a ply.
const MOST_LINES: usize = LONGEST_TEXT;

/// The longest possible game, a hundred days, so that sums of times do not overflow.
const LONGEST: Duration = Duration::from_hours(100 * 24);

/// The last millisecond of the year 9999.
const LAST_UNIX_MS: u64 = 253_402_300_799_999;

/// Returns why a result is impossible for this pair, in words; `None` if it is possible. Games that only other programs
/// know are not checked move by move.
pub fn impossible(spec: &PairSpec, result: &PairResult) -> Option<&'static str> {
    if result.pair != spec.pair || result.sides != spec.sides || result.games.len() != spec.sides.games() {
        return Some("it has other games than the pair");
    }
    if result.took > LONGEST || !result.games.iter().all(|game| are_sane(&game.circumstances.times)) {
        return Some("its times are out of all bounds");
    }
    if texts(result).any(|text| text.len() > LONGEST_TEXT) {
        return Some("it has texts out of all bounds");
    }
    let mut plies = result.games.iter().flat_map(|game| &game.circumstances.lines);
    if plies.any(|ply| ply.iter().map(String::len).sum::<usize>() > MOST_LINES) {
        return Some("it has lines out of all bounds");
    }
    if let Some(why) = result.games.iter().find_map(|game| is_odd_beside(&spec.rules, game)) {
        return Some(why);
    }
    match spec.game.rules() {
        Rules::ZeroPointOne(game) => Referee::of(&game, spec, result).and_then(Referee::look).err(),
        Rules::Chess(game) => Referee::of(&game, spec, result).and_then(Referee::look).err(),
        Rules::Custom => None,
    }
}

fn are_sane(times: &GameTimes) -> bool {
    let GameTimes { began_unix_ms, lasted, thinking, delayed, decisive } = times;
    let by_side = [thinking, delayed, decisive].into_iter().flat_map(|by| [by.first, by.second]);
    by_side.chain([*lasted]).all(|time| time <= LONGEST) && *began_unix_ms <= LAST_UNIX_MS
}

/// Returns the texts of a result, except the stored engine lines.
fn texts(result: &PairResult) -> impl Iterator<Item = &str> {
    let faults = result.games.iter().filter_map(|game| match game.ending.fault()?.1 {
        Fault::Crash(text) | Fault::IllegalMove(text) | Fault::Startup(text) | Fault::FalseClaim(text) => {
            Some(text.as_str())
        }
        Fault::Time { .. } | Fault::Silence { .. } => None,
    });
    let evidence = result.games.iter().filter_map(|game| game.circumstances.evidence.as_deref());
    faults.chain(evidence).chain(result.start.as_deref())
}

/// Returns what is wrong with the parts of a game other than its moves and ending.
fn is_odd_beside(rules: &TableRules, game: &GameRecord) -> Option<&'static str> {
    let Circumstances { lines, move_times, .. } = &game.circumstances;
    let plies = game.moves.len();
    if game.track.len() != if rules.track { plies } else { 0 } {
        return Some("it tells of other plies than were played");
    }
    if !lines.is_empty() && (rules.lines == LinesKept::None || lines.len() != plies) {
        return Some("it has lines of other plies than were played");
    }
    // Includes the nodes of the move that lost the game, which is not one of its plies.
    let most_nodes = MoveInfo::MOST_NODES.saturating_mul(plies as u64 + 1);
    let is_long = |ply: &TrackPly| ply.wall.max(ply.left).max(ply.info.time.unwrap_or_default()) > LONGEST * 100;
    if game.track.iter().any(is_long)
        || [game.nodes.first, game.nodes.second].into_iter().any(|nodes| nodes > most_nodes)
    {
        return Some("what it tells of its plies is out of all bounds");
    }
    let counts = [&move_times.first, &move_times.second].map(|times| times.is_of_at_most(plies as u64));
    (counts != [true; 2]).then_some("it has times of moves that were not played")
}

/// Checks the games of a pair as a referee would.
struct Referee<'a, G: Game> {
    spec: &'a PairSpec,
    result: &'a PairResult,
    /// The position after the opening.
    position: G::Position,
}

const OTHER_OPENING: &str = "its games do not start from its opening";
const OTHER_ENDING: &str = "the ending of a game contradicts its moves";

impl<'a, G: Game> Referee<'a, G> {
    fn of(game: &G, spec: &'a PairSpec, result: &'a PairResult) -> Result<Self, &'static str> {
        let codes = |moves: &[G::Move]| moves.iter().map(|&mv| G::code(mv)).collect::<Vec<_>>();
        // Openings that the search has judged are too expensive to generate again; any playable opening is accepted
        // then.
        let is_judged = match spec.opening {
            PairOpening::Random { source, .. } => source.balance.is_some(),
            PairOpening::Setups { source, .. } => source.after.balance.is_some(),
            PairOpening::Line(_) => false,
        };
        if !is_judged {
            let opening = spec.opening.make(game, spec.run_seed, &mut |_| 0).map_err(|_| OTHER_OPENING)?;
            let is_it = opening.start == result.start && codes(&opening.moves) == result.opening;
            return if is_it { Ok(Self { spec, result, position: opening.position }) } else { Err(OTHER_OPENING) };
        }
        let start = result.start.as_ref().map_or_else(|| Ok(game.start()), |text| game.setup(text));
        let mut position = start.map_err(|_| OTHER_OPENING)?;
        if !play_out::<G>(&mut position, &result.opening) || G::ending(&position).is_some() {
            return Err(OTHER_OPENING);
        }
        Ok(Self { spec, result, position })
    }

    fn look(self) -> Result<(), &'static str> {
        self.result.games.iter().try_for_each(|game| self.look_at(game))
    }

    fn look_at(&self, game: &GameRecord) -> Result<(), &'static str> {
        let mut position = self.position.clone();
        for &code in &game.moves {
            if G::ending(&position).is_some() {
                return Err("a game continues after its end");
            }
            let mv = G::legal_from_code(&position, code);
            G::play(&mut position, mv.ok_or("a move of it is against the rules")?);
        }
        let plies = game.moves.len();
        let is_so = match G::ending(&position) {
            Some(ending) => game.ending == ending.into(),
            None => self.may_end(&game.ending, &position, plies),
        };
        let most = self.spec.rules.adjudication.max_plies.map_or(usize::MAX, |most| most.get() as usize);
        let is_too_long = plies > 0 && self.counted(plies - 1) >= most;
        if is_so && !is_too_long { Ok(()) } else { Err(OTHER_ENDING) }
    }

    /// Returns the number of plies that count towards the maximum game length.
    fn counted(&self, plies: usize) -> usize {
        match self.spec.rules.conventions {
            Conventions::Cutechess | Conventions::Fide => plies + self.result.opening.len(),
            Conventions::Fastchess => plies,
        }
    }

    /// Whether a game that the rules do not end may end this way in this position.
    fn may_end(&self, ending: &Ending, position: &G::Position, plies: usize) -> bool {
        let (rulings, to_move) = (&self.spec.rules.adjudication, G::side_to_move(position));
        match ending {
            Ending::Win { winner, by: WinRule::Resignation } => *winner == !to_move,
            Ending::Draw { by: DrawRule::Agreement } => plies > 0,
            Ending::Draw { by: DrawRule::Timeout } => {
                self.spec.rules.conventions == Conventions::Fide && !G::can_win(position, !to_move)
            }
            Ending::Win { .. } | Ending::Draw { .. } => false,
            // Before the first move, either side may fail to get ready.
            Ending::Forfeit { loser, .. } => plies == 0 || *loser == to_move,
            Ending::Adjudicated { winner, by } => match by {
                AdjudicatedBy::Draw => rulings.draw.is_some() && winner.is_none(),
                AdjudicatedBy::Resign => rulings.resign.is_some() && winner.is_some(),
                AdjudicatedBy::MaxPlies => {
                    let counted = self.counted(plies);
                    winner.is_none() && rulings.max_plies.is_some_and(|most| counted >= most.get() as usize)
                }
                AdjudicatedBy::Tables => rulings.tables.is_some(),
            },
        }
    }
}
