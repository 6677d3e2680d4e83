//! Options of fastchess that spar does not support, each with the reason and an alternative.

use crate::error::FastchessError;
use play::spelling::nearest;

/// The accepted options, for suggestions and for `-help`.
pub(super) const ACCEPTED: [&str; 47] = [
    "engine",
    "each",
    "rounds",
    "games",
    "repeat",
    "noswap",
    "reverse",
    "concurrency",
    "force-concurrency",
    "use-affinity",
    "openings",
    "sprt",
    "draw",
    "resign",
    "maxmoves",
    "variant",
    "tb",
    "tbpieces",
    "tbignore50",
    "tbadjudicate",
    "tournament",
    "seeds",
    "srand",
    "seed",
    "pgnout",
    "epdout",
    "log",
    "output",
    "ratinginterval",
    "scoreinterval",
    "report",
    "event",
    "site",
    "recover",
    "autosaveinterval",
    "testEnv",
    "quick",
    "show-latency",
    "check-mate-pvs",
    "config",
    "crc32",
    "strict",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "wait",
    "compliance",
];

/// Options of fastchess that spar does not have.
const REFUSED: [(&str, &str); 2] = [
    ("ponder", "fastchess has no such option; a configuration has: `ponder = true`"),
    ("resultformat", "cutechess alone has it"),
];

/// The error for an option that is not accepted.
pub(super) fn refusal(name: &str) -> FastchessError {
    if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == name) {
        return FastchessError::usage(format!("`-{name}` is not supported: {why}"));
    }
    let advice = nearest(name, ACCEPTED.into_iter());
    let advice =
        advice.map_or("`spar fastchess -help` lists them".to_owned(), |best| format!("did you mean `-{best}`?"));
    FastchessError::usage(format!("unknown option `-{name}`: {advice}"))
}
