//! Conventions that differ between match runners, apart from the rules of the games: how clocks start, which moves
//! adjudication counts, and what becomes of a game when a player's time runs out.

use serde::{Deserialize, Serialize};

/// The match runner whose conventions a game follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conventions {
    /// cutechess's: a clock starts without its increment; adjudication counts all moves of a game, the opening's
    /// included; a two-sided resignation needs a count of its own for each side.
    #[default]
    Cutechess,
    /// fastchess's: the first move has the increment, too. The move number before which no draw is adjudicated is the
    /// position's own, a FEN's number included. The maximum length of a game does not include its opening. A two-sided
    /// resignation needs a number of consecutive plies with decisive scores, the last of them by the side that is
    /// behind.
    Fastchess,
    /// cutechess's, with one exception: if a player's time runs out while its opponent cannot win by any legal moves,
    /// the game is a draw, as article 6.9 of FIDE's Laws of Chess says. Whether the opponent can win depends on
    /// material alone ([`Game::can_win`](crate::Game::can_win)).
    Fide,
}
