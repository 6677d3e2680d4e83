//! The literal output of engines: variations and other lines in the comments of games, and checks that variations are
//! legal and reach the mate that they announce.

use super::log::{ABOUT, WARNING};
use arena::config::RunConfig;
use arena::run::{PgnComments, StoredResult};
use play::games::Rules;
use play::protocol::Bound;
use play::protocol::uci::{Info, Message};
use play::variation::{illegal_move, is_last_word, other_move};
use play::{Evaluation, Game, LinesKept, RuleEnding, Side, WinRule};
use regex_lite::Regex;
use std::fmt::Write as _;

/// The lines of engines that a command line asks for.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes {
    /// Whether comments contain the variation that was considered best.
    pub(super) pv: bool,
    /// Comments quote the lines that match one of these patterns.
    pub(super) quoted: Vec<Regex>,
    /// Whether lines that announce a mate are checked.
    pub(super) checks_mates: bool,
}

impl Wishes {
    /// The lines that the run has to keep.
    pub(super) fn kept(&self) -> LinesKept {
        match self {
            Self { checks_mates: true, .. } => LinesKept::All,
            Self { quoted, .. } if !quoted.is_empty() => LinesKept::All,
            Self { pv: true, .. } => LinesKept::LastAndIllegal,
            _ => LinesKept::Illegal,
        }
    }

    /// The comments of a pair's games, by game and ply.
    pub(super) fn remarks(&self, lines: &PgnComments) -> PgnComments {
        lines.each_ref().map(|game| game.iter().map(|ply| self.remarks_on(ply)).collect())
    }

    fn remarks_on(&self, ply: &[String]) -> Vec<String> {
        let pv = ply.iter().rev().find_map(|line| info(line).filter(is_best)?.pv);
        let pv = pv.filter(|_| self.pv).map(|pv| format!("pv=\"{pv}\""));
        let is_quoted = |line: &&String| self.quoted.iter().any(|pattern| pattern.is_match(line));
        let quoted = ply.iter().filter(is_quoted).map(|line| format!("line=\"{line}\""));
        pv.into_iter().chain(quoted).collect()
    }

    /// fastchess's warnings about the variations of one game: variations that are illegal, the last variation of a
    /// search if it begins with a move other than the one played, and, if requested, variations that announce a mate
    /// and do not reach it. `names` are the players' names by side.
    pub(super) fn line_warnings(
        &self,
        config: &RunConfig,
        stored: &StoredResult,
        game: usize,
        lines: &[Vec<String>],
        names: [&str; 2],
    ) -> String {
        if lines.iter().all(Vec::is_empty) {
            return String::new();
        }
        match config.game.rules() {
            Rules::Chess(rules) => self.warnings(&rules, stored, game, lines, names).unwrap_or_default(),
            Rules::ZeroPointOne(_) | Rules::Custom => String::new(),
        }
    }

    /// Replays a game and checks the engines' lines at each ply; `None` if the game's moves are illegal.
    fn warnings<G: Game>(
        &self,
        rules: &G,
        stored: &StoredResult,
        game: usize,
        lines: &[Vec<String>],
        names: [&str; 2],
    ) -> Option<String> {
        let result = &stored.result;
        let mut position = match &result.start {
            Some(text) => rules.setup(text).ok()?,
            None => rules.start(),
        };
        let start = result.start.as_ref().map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
        let (mut moves, mut text) = (String::new(), String::new());
        let [info_is, position_is, moves_are] = ABOUT;
        let played = result.opening.iter().chain(&result.games.get(game)?.moves);
        for (ply, &code) in played.enumerate() {
            let shown = ply.checked_sub(result.opening.len()).and_then(|ply| lines.get(ply));
            let name = names[usize::from(G::side_to_move(&position) == Side::Second)];
            let mv = G::legal_from_code(&position, code)?;
            let mut warn = |fault: &str, line: &str| {
                let _a_string_takes_all = writeln!(
                    text,
                    "{WARNING}{fault} from {name}\n{info_is}{line}\n{position_is}{start}\n{moves_are}{moves}"
                );
            };
            for line in shown.into_iter().flatten() {
                if let Some(fault) = info(line).and_then(|info| self.fault::<G>(&position, &info)) {
                    warn(&fault, line);
                }
            }
            let last =
                shown.and_then(|shown| shown.iter().rfind(|line| info(line).is_some_and(|info| is_last_word(&info))));
            if let Some(line) = last.filter(|line| other_move::<G>(&position, line, mv)) {
                let mv = G::format_move(&position, mv);
                warn(&format!("Bestmove does not match beginning of last PV - move {mv}"), line);
            }
            if !moves.is_empty() {
                moves.push(' ');
            }
            G::write_move(&position, mv, &mut moves);
            G::play(&mut position, mv);
        }
        Some(text)
    }

    /// The error of a variation, if any.
    fn fault<G: Game>(&self, position: &G::Position, info: &Info<'_>) -> Option<String> {
        let illegal = illegal_move::<G>(position, info.pv?);
        let illegal = illegal.map(|word| format!("Illegal PV move - move {word}"));
        illegal.or_else(|| fault_of_mate::<G>(position, info).filter(|_| self.checks_mates))
    }
}

fn info(line: &str) -> Option<Info<'_>> {
    match Message::parse(line) {
        Message::Info(info) => Some(info),
        _ => None,
    }
}

/// Whether the line is the first of several variations.
fn is_best(info: &Info<'_>) -> bool {
    info.multipv.is_none_or(|number| number == 1)
}

/// The error of a line that announces a mate, if any.
fn fault_of_mate<G: Game>(position: &G::Position, info: &Info<'_>) -> Option<String> {
    let (Some(Evaluation::Mate(mate)), Some(pv), Bound::Exact) = (info.evaluation, info.pv, info.bound) else {
        return None;
    };
    let announced = if mate > 0 { 2 * i64::from(mate) - 1 } else { -2 * i64::from(mate) };
    let (mut position, mut plies) = (position.clone(), 0);
    for word in pv.split_whitespace() {
        let Some(mv) = G::read_move(&position, word) else {
            return Some(format!("Illegal PV move - move {word}"));
        };
        G::play(&mut position, mv);
        plies += 1;
    }
    let is_mate = matches!(G::ending(&position), Some(RuleEnding::Win { by: WinRule::Checkmate, .. }));
    match plies {
        plies if plies < announced => Some("Incomplete mating PV -".to_owned()),
        plies if plies > announced => Some("Too long mating PV -".to_owned()),
        _ if !is_mate => Some("Mating PV does not end with checkmate -".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::games::{Chess, GameKind};

    #[test]
    fn mates_are_checked_by_their_length_and_their_end() {
        let chess = Chess::of(GameKind::Chess).unwrap();
        let position = chess.setup("r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 0 1").unwrap();
        let fault = |line: &str| fault_of_mate::<Chess>(&position, &info(line).unwrap());
        let cases = [
            ("info depth 1 score mate 1 pv h5f7", None),
            ("info depth 1 score cp 900 pv h5f8", None),
            ("info depth 1 score mate 2 lowerbound pv h5f7", None),
            ("info depth 1 score mate 2 pv h5f7", Some("Incomplete mating PV -")),
            ("info depth 1 score mate 1 pv a2a3 a7a6 h5f7", Some("Too long mating PV -")),
            ("info depth 1 score mate 1 pv a2a3", Some("Mating PV does not end with checkmate -")),
            ("info depth 1 score mate 1 pv h5h8", Some("Illegal PV move - move h5h8")),
            ("info depth 1 score mate -1 pv a2a3 a7a6", Some("Mating PV does not end with checkmate -")),
        ];
        for (line, expected) in cases {
            assert_eq!(fault(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn comments_tell_what_is_wished_for() {
        let ply = ["info string depth seen", "info depth 1 score cp 5 pv e2e4", "info depth 2 multipv 2 pv d2d4"];
        let ply: Vec<String> = ply.map(str::to_owned).to_vec();
        let wishes = |pv, patterns: &[&str]| Wishes {
            pv,
            quoted: patterns.iter().map(|pattern| Regex::new(pattern).unwrap()).collect(),
            checks_mates: false,
        };
        assert_eq!(wishes(true, &[]).remarks_on(&ply), ["pv=\"e2e4\""]);
        assert_eq!(wishes(false, &["seen$"]).remarks_on(&ply), ["line=\"info string depth seen\""]);
        assert_eq!(
            [wishes(false, &[]), wishes(true, &[])].map(|wishes| wishes.kept()),
            [LinesKept::Illegal, LinesKept::LastAndIllegal]
        );
        assert_eq!(wishes(true, &["x"]).kept(), LinesKept::All);
    }
}
