//! The positions of a run, one a line: EPD for chess and its variants, the game's own position text for 0.1.

use super::format::{Download, Format, FormatInfo, OptionValue};
use super::replayed::{Notation, Replayed};
use super::{Row, Timings, pair_number};
use play::games::GameKind;
use std::fmt;
use std::str::FromStr;

pub(super) const FORMAT: FormatInfo = FormatInfo::new(
    "epd",
    "Positions, one per line: `opening` after the openings, or `final` at the end of games",
    |request| match (request.values)("epd").first() {
        Some(which) => Ok(Box::new(which.parse::<EpdOf>()?)),
        None => Err(EXPECTED.to_owned()),
    },
    &[
        Download { file: "openings.epd", media_type: "text/plain; charset=utf-8", make: || Box::new(EpdOf::Opening) },
        Download { file: "final.epd", media_type: "text/plain; charset=utf-8", make: || Box::new(EpdOf::Final) },
    ],
)
.with_value(OptionValue { name: "WHICH", is_list: false, check: |which| which.parse::<EpdOf>().map(|_of| ()) });

const EXPECTED: &str = "expected opening or final";

/// Which positions are written: EPD for chess and its variants, the game's own position text for 0.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EpdOf {
    /// The positions after the openings, one for each pair, whose games share it.
    Opening,
    /// The final positions, one for each game.
    Final,
}

impl fmt::Display for EpdOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Opening => "opening",
            Self::Final => "final",
        })
    }
}

impl FromStr for EpdOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Opening, Self::Final];
        all.into_iter().find(|of| of.to_string() == text).ok_or_else(|| EXPECTED.to_owned())
    }
}

/// Final positions without names, as fastchess writes them.
#[derive(Clone, Copy, Debug)]
pub struct UnnamedEpd;

impl Format for EpdOf {
    fn pair(&self, row: &Row<'_>, _timings: Timings) -> Option<String> {
        lines(row, *self)
    }
}

impl Format for UnnamedEpd {
    fn pair(&self, row: &Row<'_>, _timings: Timings) -> Option<String> {
        unnamed(row)
    }
}

/// Returns the positions of a pair; `None` if its moves are not moves of the game.
fn lines(row: &Row<'_>, of: EpdOf) -> Option<String> {
    let Replayed { opened, games, .. } = Replayed::new(row.config.game, row.result, Notation::Players)?;
    let name = |game| row.game_name(game).to_string();
    let line = |position: &str, id: String| line(row.config.game, position, Some(&id));
    Some(match of {
        EpdOf::Opening => line(&opened, pair_number(row.result.pair).to_string()),
        EpdOf::Final => games.iter().enumerate().map(|(index, game)| line(&game.last, name(index))).collect(),
    })
}

/// Returns the final positions of a pair without names; `None` if its moves are not moves of the game.
fn unnamed(row: &Row<'_>) -> Option<String> {
    let Replayed { games, .. } = Replayed::new(row.config.game, row.result, Notation::Players)?;
    Some(games.iter().map(|game| line(row.config.game, &game.last, None)).collect())
}

fn line(kind: GameKind, position: &str, id: Option<&str>) -> String {
    let mut fields: Vec<&str> = position.split(' ').collect();
    if kind == GameKind::ZeroPointOne || fields.len() < 6 {
        return format!("{position}\n");
    }
    // EPD stores the counters of a FEN as operations.
    let counters = fields.split_off(fields.len() - 2);
    let id = id.map(|id| format!(" id \"{id}\";")).unwrap_or_default();
    format!("{} hmvc {}; fmvn {};{id}\n", fields.join(" "), counters[0], counters[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_become_operations() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 3 17";
        let epd = "4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 17; id \"2.1\";\n";
        assert_eq!(line(GameKind::Chess, fen, Some("2.1")), epd);
        assert_eq!(line(GameKind::Chess, fen, None), "4k3/8/8/8/8/8/8/4K2R w K - hmvc 3; fmvn 17;\n");
        let checks = "4k3/8/8/8/8/8/8/4K2R w K - 3+2 3 17";
        assert!(line(GameKind::ThreeCheck, checks, Some("1")).starts_with("4k3/8/8/8/8/8/8/4K2R w K - 3+2 hmvc 3;"));
    }
}
