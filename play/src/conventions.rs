//! Conventions in which match runners differ, beside the rules of the games: how clocks start, which moves adjudication
//! counts, and what becomes of a game when a player's time runs out.

use serde::{Deserialize, Serialize};

/// Whose conventions a game is played by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conventions {
    /// cutechess's: a clock starts without its increment; adjudication counts the moves of a game, the opening's
    /// included; a two-sided resignation needs its own count of each side.
    #[default]
    Cutechess,
    /// fastchess's: the first move has the increment, too. The move number before which no draw is adjudicated is the
    /// position's own, that of a FEN included. The longest game is counted without its opening. A two-sided resignation
    /// needs a number of consecutive plies with decisive scores, the last of them by the side that is behind.
    Fastchess,
    /// As cutechess's, with one exception: if a player's time runs out while its opponent cannot win by any legal
    /// moves, the game is a draw, as article 6.9 of FIDE's Laws of Chess has it. Whether the opponent can win depends
    /// on material alone ([`Game::can_win`](crate::Game::can_win)).
    Fide,
}
