//! Endings in words: the only place that words them, for every record and every page.
//!
//! The words are those of other match runners, so that scripts which count them keep working.

use record::{AdjudicatedBy, BySide, DrawRule, Ending, Fault, WinRule};

/// How a game ended, in words: `White mates`, `Draw by 3-fold repetition`, `Black loses on time`.
///
/// `names` are those of the sides in this game. An illegal move is quoted as the engine wrote it.
pub fn reason(ending: &Ending, names: BySide<&str>) -> String {
    match ending {
        Ending::Win { winner, by } => match by {
            WinRule::Checkmate => format!("{} mates", names[*winner]),
            WinRule::Resignation => format!("{} resigns", names[!*winner]),
            WinRule::WazirCaptured => format!("{} captures the wazir", names[*winner]),
            WinRule::Variant => format!("{} wins by the rules of the variant", names[*winner]),
        },
        Ending::Draw { by } => format!("Draw by {}", draw(*by)),
        Ending::Forfeit { loser, fault } => {
            let name = names[*loser];
            match fault {
                Fault::Time { .. } => format!("{name} loses on time"),
                Fault::IllegalMove(text) => format!("{name} makes an illegal move: {text}"),
                Fault::Crash(_) => format!("{name} disconnects"),
                Fault::Silence { .. } => format!("{name}'s connection stalls"),
                Fault::Startup(_) => format!("{name} does not start"),
                Fault::FalseClaim(text) => format!("{name} makes a false claim: {text}"),
            }
        }
        Ending::Adjudicated { winner, by } => {
            let what = winner.map_or_else(|| "Draw".to_owned(), |winner| format!("{} wins", names[winner]));
            format!("{what} by adjudication{}", ruling(*by))
        }
    }
}

/// Replaces the ending by the one that fastchess would report, for scripts that read its words.
///
/// An engine that cannot be started counts as disconnected; a game of the maximum length is a draw like any other.
#[must_use]
pub fn as_fastchess(ending: &Ending) -> Ending {
    match ending {
        Ending::Forfeit { loser, fault: Fault::Startup(why) } => {
            Ending::Forfeit { loser: *loser, fault: Fault::Crash(why.clone()) }
        }
        Ending::Adjudicated { winner, by: AdjudicatedBy::MaxPlies } => {
            Ending::Adjudicated { winner: *winner, by: AdjudicatedBy::Draw }
        }
        other => other.clone(),
    }
}

/// How a game ended in fastchess's words, which say by how much a player was late: `White loses on time (12ms
/// overrun)`.
#[must_use]
pub fn fastchess_reason(ending: &Ending, names: BySide<&str>) -> String {
    let words = reason(&as_fastchess(ending), names);
    match ending.fault() {
        Some((_, Fault::Time { over })) => format!("{words} ({}ms overrun)", over.as_millis().max(1)),
        _ => words,
    }
}

fn draw(by: DrawRule) -> &'static str {
    match by {
        DrawRule::Repetition => "3-fold repetition",
        DrawRule::FiftyMoves => "fifty moves rule",
        DrawRule::Stalemate => "stalemate",
        DrawRule::InsufficientMaterial => "insufficient mating material",
        DrawRule::PlyLimit => "ply limit",
        DrawRule::NoMove => "lack of a legal move",
        DrawRule::Variant => "the rules of the variant",
        DrawRule::Agreement => "agreement",
        DrawRule::Timeout => "timeout vs insufficient material",
    }
}

/// The words that follow "adjudication" for a ruling.
fn ruling(by: AdjudicatedBy) -> &'static str {
    match by {
        AdjudicatedBy::Draw | AdjudicatedBy::Resign => "",
        AdjudicatedBy::MaxPlies => ": longest game allowed",
        AdjudicatedBy::Tables => ": SyzygyTB",
    }
}

/// The ending as a value of PGN's `Termination` tag.
pub fn termination(ending: &Ending) -> &'static str {
    match ending {
        Ending::Win { .. } | Ending::Draw { .. } => "normal",
        Ending::Adjudicated { .. } => "adjudication",
        Ending::Forfeit { fault: Fault::Time { .. }, .. } => "time forfeit",
        Ending::Forfeit { fault: Fault::IllegalMove(_), .. } => "illegal move",
        Ending::Forfeit { fault: Fault::FalseClaim(_), .. } => "rules infraction",
        Ending::Forfeit { fault: Fault::Silence { .. }, .. } => "stalled connection",
        Ending::Forfeit { fault: Fault::Crash(_) | Fault::Startup(_), .. } => "abandoned",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Side;
    use std::time::Duration;

    #[test]
    fn endings_are_worded_as_scripts_expect() {
        let lost = |fault| Ending::Forfeit { loser: Side::Second, fault };
        let adjudicated = |winner, by| Ending::Adjudicated { winner, by };
        let cases = [
            (Ending::Win { winner: Side::First, by: WinRule::Checkmate }, "White mates", "normal"),
            (Ending::Win { winner: Side::First, by: WinRule::Resignation }, "Black resigns", "normal"),
            (Ending::Draw { by: DrawRule::Repetition }, "Draw by 3-fold repetition", "normal"),
            (Ending::Draw { by: DrawRule::Agreement }, "Draw by agreement", "normal"),
            (Ending::Draw { by: DrawRule::FiftyMoves }, "Draw by fifty moves rule", "normal"),
            (Ending::Draw { by: DrawRule::Timeout }, "Draw by timeout vs insufficient material", "normal"),
            (lost(Fault::Time { over: Duration::ZERO }), "Black loses on time", "time forfeit"),
            (lost(Fault::IllegalMove("e2e5".into())), "Black makes an illegal move: e2e5", "illegal move"),
            (lost(Fault::FalseClaim("1-0 {mate}".into())), "Black makes a false claim: 1-0 {mate}", "rules infraction"),
            (lost(Fault::Crash("SIGSEGV".into())), "Black disconnects", "abandoned"),
            (lost(Fault::Silence { after: Duration::ZERO }), "Black's connection stalls", "stalled connection"),
            (adjudicated(None, AdjudicatedBy::Draw), "Draw by adjudication", "adjudication"),
            (adjudicated(Some(Side::First), AdjudicatedBy::Resign), "White wins by adjudication", "adjudication"),
            (adjudicated(None, AdjudicatedBy::Tables), "Draw by adjudication: SyzygyTB", "adjudication"),
            (
                adjudicated(Some(Side::Second), AdjudicatedBy::Tables),
                "Black wins by adjudication: SyzygyTB",
                "adjudication",
            ),
        ];
        for (ending, words, tag) in cases {
            let names = BySide { first: "White", second: "Black" };
            assert_eq!((reason(&ending, names).as_str(), termination(&ending)), (words, tag));
        }
    }

    #[test]
    fn fastchess_has_fewer_words() {
        let names = BySide { first: "White", second: "Black" };
        let words = |ending: &Ending| fastchess_reason(ending, names);
        let late = |over| Ending::Forfeit { loser: Side::First, fault: Fault::Time { over } };
        assert_eq!(words(&late(Duration::from_micros(12_900))), "White loses on time (12ms overrun)");
        assert_eq!(words(&late(Duration::from_micros(900))), "White loses on time (1ms overrun)");
        let silent = Ending::Forfeit { loser: Side::First, fault: Fault::Silence { after: Duration::ZERO } };
        assert_eq!(words(&silent), "White's connection stalls");
        let unstarted = Ending::Forfeit { loser: Side::Second, fault: Fault::Startup("no uciok".to_owned()) };
        assert_eq!(words(&unstarted), "Black disconnects");
        let longest = Ending::Adjudicated { winner: None, by: AdjudicatedBy::MaxPlies };
        assert_eq!(words(&longest), "Draw by adjudication");
    }
}
