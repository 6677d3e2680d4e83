//! Games as PGN, with the comments that match runners write: `{+0.33/14 0.069s}` is an evaluation in pawns (logit where the
//! engine counts so) by the mover, the depth, and the wall time of the ply; opening plies are `{book}`, and the last comment tells how the
//! game ended.

use super::replayed::{Notation, Replayed};
use super::{Row, Timings, result_text};
use crate::run::pair::GameRecord;
use play::games::GameKind;
use play::pgn::write::{Movetext, tag};
use play::{Evaluation, Limit, Side, Timing, TrackPly, reason, termination};
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::time::Duration;

/// What a ply's comment tells beyond evaluation, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackField {
    /// `n`: nodes.
    Nodes,
    /// `sd`: greatest depth of any line.
    Seldepth,
    /// `nps`: nodes per second of wall time.
    Speed,
    /// `tl`: time left on the clock after the ply.
    TimeLeft,
    /// `latency`: wall time beyond what the engine says it took.
    Latency,
    /// `hashfull`: thousandths of the hash table in use.
    Hashfull,
    /// `tbhits`: hits in endgame tables.
    Tbhits,
}

impl TrackField {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Nodes, Self::Seldepth, Self::Speed, Self::TimeLeft, Self::Latency, Self::Hashfull, Self::Tbhits];

    /// Its name in comments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "n",
            Self::Seldepth => "sd",
            Self::Speed => "nps",
            Self::TimeLeft => "tl",
            Self::Latency => "latency",
            Self::Hashfull => "hashfull",
            Self::Tbhits => "tbhits",
        }
    }

    /// Its value at a ply, if there is one.
    fn value(self, ply: &TrackPly) -> Option<String> {
        let said = &ply.said;
        let speed = || (said.nodes as f64 / ply.wall.as_secs_f64()).round() as u64;
        let seconds = |time: f64| format!("{time:.3}s");
        match self {
            Self::Nodes => Some(said.nodes.to_string()),
            Self::Seldepth => Some(said.seldepth.to_string()),
            Self::Speed => (!ply.wall.is_zero()).then(|| speed().to_string()),
            Self::TimeLeft => Some(seconds(ply.left.as_secs_f64())),
            Self::Latency => said.time.map(|time| seconds(ply.wall.as_secs_f64() - time.as_secs_f64())),
            Self::Hashfull => Some(said.hashfull.to_string()),
            Self::Tbhits => Some(said.tbhits.to_string()),
        }
    }
}

impl FromStr for TrackField {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("expected one of {}", Self::ALL.map(Self::name).join(", "));
        Self::ALL.into_iter().find(|field| field.name() == text).ok_or_else(unknown)
    }
}

impl fmt::Display for TrackField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The two games of a pair; `None` if its moves are no moves of the game.
pub(super) fn games(row: &Row<'_>, fields: &[TrackField], timings: Timings) -> Option<String> {
    let replayed = Replayed::new(row.config.game, row.result, Notation::Record)?;
    let mut out = String::new();
    for index in [0, 1] {
        tags(&mut out, row, &replayed, index, timings);
        out.push('\n');
        moves(&mut out, row, &replayed, index, fields);
        out.push('\n');
    }
    Some(out)
}

fn tags(out: &mut String, row: &Row<'_>, replayed: &Replayed, index: usize, timings: Timings) {
    let game = &row.result.games[index];
    tag(out, "Event", row.heading.event.as_ref().unwrap_or(&row.config.name));
    tag(out, "Site", row.heading.site.as_deref().unwrap_or("?"));
    tag(out, "Date", "????.??.??");
    tag(out, "Round", &row.game_name(index).to_string());
    tag(out, "White", &row.name(index, Side::First));
    tag(out, "Black", &row.name(index, Side::Second));
    tag(out, "Result", result_text(&game.ending));
    let kind = row.config.game;
    if let Some(variant) = kind.pgn_variant() {
        tag(out, "Variant", variant);
    }
    // Readers of Chess960 want to be told the usual start too.
    if row.result.start.is_some() || kind == GameKind::Chess960 {
        tag(out, "SetUp", "1");
        tag(out, "FEN", &replayed.start);
    }
    if timings == Timings::Include {
        let thinking = row.result.times.thinking[index];
        tag(out, "GameDuration", &hours(thinking.first + thinking.second));
    }
    tag(out, "PlyCount", &(row.result.opening.len() + game.moves.len()).to_string());
    tag(out, "Termination", termination(&game.ending));
    time_controls(out, row, index);
}

fn time_controls(out: &mut String, row: &Row<'_>, index: usize) {
    let [white, black] =
        [Side::First, Side::Second].map(|side| row.limit(index, side).map_or("?".into(), time_control));
    if white == black {
        tag(out, "TimeControl", &white);
    } else {
        tag(out, "WhiteTimeControl", &white);
        tag(out, "BlackTimeControl", &black);
    }
}

/// A limit as PGN writes it: `40/60+0.5` in seconds, `1/0.1` for time a move, `*60` for an hourglass, `-` where time is not limited.
fn time_control(limit: Limit) -> String {
    match limit.timing() {
        None => "-".to_owned(),
        Some(Timing::Movetime(time)) => format!("1/{}", time.as_secs_f64()),
        Some(Timing::Hourglass(base)) => format!("*{}", base.as_secs_f64()),
        Some(Timing::Clock { .. }) => limit.clock_in_seconds().unwrap_or_default(),
    }
}

/// A duration as `00:01:30`.
fn hours(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn moves(out: &mut String, row: &Row<'_>, replayed: &Replayed, index: usize, fields: &[TrackField]) {
    let game = &row.result.games[index];
    let mut movetext = Movetext::new(out, replayed.number, replayed.side);
    for mv in &replayed.opening {
        movetext.ply(mv);
        movetext.comment("book");
    }
    let why = reason(&game.ending, row.config.game.side_names());
    let plies = &replayed.games[index].moves;
    for (ply, mv) in plies.iter().enumerate() {
        movetext.ply(mv);
        let last = (ply + 1 == plies.len()).then(|| why.clone());
        let parts: Vec<String> = comment(game, ply, fields).into_iter().chain(last).collect();
        if !parts.is_empty() {
            movetext.comment(&parts.join(", "));
        }
    }
    if plies.is_empty() {
        movetext.comment(&why);
    }
    movetext.finish(result_text(&game.ending));
}

/// What was said at a ply, if it was recorded.
fn comment(game: &GameRecord, ply: usize, fields: &[TrackField]) -> Option<String> {
    Some(ply_comment(game.track.get(ply)?, fields))
}

/// What was said at a ply, with these fields: `+0.33/14 0.069s`.
pub fn ply_comment(track: &TrackPly, fields: &[TrackField]) -> String {
    let said = track.said.score.map(|score| format!("{}/{} ", evaluation(score), track.said.depth));
    let mut text = format!("{}{:.3}s", said.unwrap_or_default(), track.wall.as_secs_f64());
    for field in fields {
        if let Some(value) = field.value(track) {
            let _a_string_takes_all = write!(text, ", {field}={value}");
        }
    }
    text
}

/// `+0.33`, `-M5`: in pawns, or in logit where the engine counts so.
fn evaluation(score: Evaluation) -> String {
    let hundredths = match score {
        Evaluation::Mate(moves) => {
            return format!("{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs());
        }
        Evaluation::Centipawns(cp) => i64::from(cp),
        // To the nearest, halves away from zero.
        Evaluation::Logit(units) => (i64::from(units) + 50 * i64::from(units.signum())) / 100,
    };
    let sign = if hundredths < 0 { '-' } else { '+' };
    format!("{sign}{}.{:02}", hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    #[test]
    fn evaluations_have_two_decimals_and_a_sign() {
        let cases = [
            (Evaluation::Centipawns(33), "+0.33"),
            (Evaluation::Centipawns(-7), "-0.07"),
            (Evaluation::Centipawns(0), "+0.00"),
            (Evaluation::Centipawns(i32::MIN), "-21474836.48"),
            (Evaluation::Logit(3_349), "+0.33"),
            (Evaluation::Logit(-3_350), "-0.34"),
            (Evaluation::Logit(-49), "+0.00"),
            (Evaluation::Mate(5), "+M5"),
            (Evaluation::Mate(-3), "-M3"),
        ];
        for (score, text) in cases {
            assert_eq!(evaluation(score), text, "{score:?}");
        }
    }

    #[test]
    fn time_controls_are_in_seconds() {
        let clock = |moves| Limit::Clock {
            base: Duration::from_mins(1),
            increment: Duration::from_millis(600),
            moves: NonZeroU32::new(moves),
        };
        assert_eq!(time_control(clock(40)), "40/60+0.6");
        assert_eq!(time_control(clock(0)), "60+0.6");
        assert_eq!(time_control(Limit::Movetime(Duration::from_millis(100))), "1/0.1");
        assert_eq!(time_control(Limit::Depth(3)), "-");
        assert_eq!(time_control(Limit::Hourglass(Duration::from_secs(60))), "*60");
        let both = Limit::Depth(3).with(Limit::Movetime(Duration::from_secs(2))).unwrap();
        assert_eq!(time_control(both), "1/2");
        assert_eq!(hours(Duration::from_secs(3_725)), "01:02:05");
    }

    #[test]
    fn fields_are_read_by_their_names() {
        for field in TrackField::ALL {
            assert_eq!(field.to_string().parse(), Ok(field));
        }
        assert_eq!(
            "depth".parse::<TrackField>().unwrap_err(),
            "expected one of n, sd, nps, tl, latency, hashfull, tbhits"
        );
    }
}
