//! Games as PGN, with the comments of match runners. `{+0.33/14 0.069s}` is an evaluation in pawns (or logit if the
//! engine reports that) from the mover's view, the depth, and the wall time of the ply. Opening plies are `{book}`, and
//! the last comment says how the game ended.

use super::format::{Download, Format, FormatInfo, FormatOption, OptionValue};
use super::replayed::{Notation, Replayed, opening_names};
use super::{Row, Timings, pair_number, result_text};
use play::games::Chess;
use play::pgn::Moment;
use play::pgn::write::{Movetext, tag};
use play::{
    Ending, Evaluation, Limit, OpeningName, Side, Timing, TrackPly, as_fastchess, fastchess_reason, reason, termination,
};
use record::GameRecord;
use std::fmt::{self, Write as _};
use std::str::FromStr;
use std::time::Duration;

pub(super) const FORMAT: FormatInfo = FormatInfo::new(
    "pgn",
    "The games as PGN",
    |request| {
        let fields = (request.values)(TRACK_FIELDS).into_iter().map(|field| field.parse());
        Ok(Box::new(PgnForm { fields: fields.collect::<Result<_, String>>()?, ..PgnForm::default() }))
    },
    &[Download { file: "games.pgn", media_type: "application/x-chess-pgn", make: || Box::new(PgnForm::default()) }],
)
.with_others(OTHERS);

const TRACK_FIELDS: &str = "track-fields";

const OTHERS: &[FormatOption] = &[FormatOption {
    name: TRACK_FIELDS,
    help: "Extra fields for the comment of a recorded ply, separated by commas: n, sd, nps, tl, latency, hashfull, \
           tbhits",
    value: Some(OptionValue {
        name: "FIELDS",
        is_list: true,
        check: |field| field.parse::<TrackField>().map(|_field| ()),
    }),
}];

/// A further field of a ply's comment, beyond evaluation, depth and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackField {
    /// `n`: nodes.
    Nodes,
    /// `sd`: greatest depth of any line (selective depth).
    Seldepth,
    /// `nps`: nodes per second of wall time.
    Speed,
    /// `tl`: time left on the clock after the ply.
    TimeLeft,
    /// `latency`: wall time beyond what the engine reports.
    Latency,
    /// `hashfull`: thousandths of the hash table in use.
    Hashfull,
    /// `tbhits`: hits in endgame tables.
    Tbhits,
}

impl TrackField {
    /// All fields.
    pub const ALL: [Self; 7] =
        [Self::Nodes, Self::Seldepth, Self::Speed, Self::TimeLeft, Self::Latency, Self::Hashfull, Self::Tbhits];

    /// Returns the field's name in comments.
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

    /// Returns the field's value at a ply, if any.
    fn value(self, ply: &TrackPly) -> Option<String> {
        let info = &ply.info;
        let speed = || (info.nodes as f64 / ply.wall.as_secs_f64()).round() as u64;
        let seconds = |time: f64| format!("{time:.3}s");
        match self {
            Self::Nodes => Some(info.nodes.to_string()),
            Self::Seldepth => Some(info.seldepth.to_string()),
            Self::Speed => (!ply.wall.is_zero()).then(|| speed().to_string()),
            Self::TimeLeft => Some(seconds(ply.left.as_secs_f64())),
            Self::Latency => info.time.map(|time| seconds(ply.wall.as_secs_f64() - time.as_secs_f64())),
            Self::Hashfull => Some(info.hashfull.to_string()),
            Self::Tbhits => Some(info.tbhits.to_string()),
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

/// The options for writing games as PGN.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnForm {
    /// The further fields of each recorded ply's comment, in this order.
    pub fields: Vec<TrackField>,
    /// The notation of moves.
    pub notation: PgnNotation,
    /// The program whose style is followed.
    pub manner: PgnManner,
    /// Whether to omit all comments, and all tags except those for players, result and start.
    pub minimal: bool,
}

/// The notation of moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnNotation {
    /// Short algebraic notation, `Nf3`, as in the PGN standard.
    #[default]
    San,
    /// Long algebraic notation, `Ng1f3`.
    Lan,
    /// Engine notation, `g1f3`.
    Uci,
}

/// The program whose PGN style is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnManner {
    /// spar: only reproducible data, except for times on request. A round is a game's name.
    #[default]
    Spar,
    /// fastchess: with dates, times and the engines' own names. A round is a pair; distances to mate are in plies; a
    /// player that does not move in time loses on time, no matter how late it is.
    Fastchess,
}

/// A pair being written, and the options.
struct Writer<'a> {
    row: &'a Row<'a>,
    form: &'a PgnForm,
    replayed: Replayed,
    /// The endings of the pair's games, in words.
    endings: Vec<Ending>,
    /// The names of their openings.
    names: Vec<Option<OpeningName>>,
}

impl Format for PgnForm {
    fn pair(&self, row: &Row<'_>, timings: Timings) -> Option<String> {
        games(row, self, timings)
    }
}

/// Returns the games of a pair; `None` if its moves are not moves of the game.
fn games(row: &Row<'_>, form: &PgnForm, timings: Timings) -> Option<String> {
    let writer = Writer::of(row, form)?;
    Some((0..row.result.games.len()).map(|index| writer.game(index, timings)).collect())
}

/// Returns one game of a pair; `None` if its moves are not moves of the game, or there is no game with this index.
pub(super) fn game(row: &Row<'_>, form: &PgnForm, timings: Timings, index: usize) -> Option<String> {
    let writer = Writer::of(row, form)?;
    (index < row.result.games.len()).then(|| writer.game(index, timings))
}

/// Returns how a game ended, in words.
fn ending(row: &Row<'_>, manner: PgnManner, index: usize) -> Ending {
    let ending = &row.result.games[index].ending;
    match manner {
        PgnManner::Spar => ending.clone(),
        PgnManner::Fastchess => as_fastchess(ending),
    }
}

impl<'a> Writer<'a> {
    fn of(row: &'a Row<'a>, form: &'a PgnForm) -> Option<Self> {
        let notation = match form.notation {
            PgnNotation::San => Notation::Record,
            PgnNotation::Lan => Notation::Long,
            PgnNotation::Uci => Notation::Players,
        };
        let replayed = Replayed::new(row.config.game, row.result, notation)?;
        let endings = (0..row.result.games.len()).map(|index| ending(row, form.manner, index)).collect();
        let names = if form.minimal { Vec::new() } else { opening_names(row.config.game, row.result) };
        Some(Self { row, form, replayed, endings, names })
    }
}

impl Writer<'_> {
    /// Returns a game, followed by an empty line.
    fn game(&self, index: usize, timings: Timings) -> String {
        let mut out = String::new();
        match self.form.manner {
            PgnManner::Spar => self.tags(&mut out, index, timings),
            PgnManner::Fastchess => self.tags_as_fastchess(&mut out, index),
        }
        out.push('\n');
        self.moves(&mut out, index);
        out.push('\n');
        out
    }

    fn tags(&self, out: &mut String, index: usize, timings: Timings) {
        let Self { row, form, .. } = self;
        self.seven(out, index, "????.??.??", &row.game_name(index).to_string());
        if let Some(variant) = row.config.game.pgn_variant() {
            tag(out, "Variant", variant);
        }
        self.start(out);
        if form.minimal {
            return;
        }
        if timings == Timings::Include {
            let thinking = row.result.games[index].circumstances.times.thinking;
            tag(out, "GameDuration", &hours(thinking.first + thinking.second));
        }
        self.closing(out, index);
    }

    /// Writes the tags in fastchess's order and format.
    fn tags_as_fastchess(&self, out: &mut String, index: usize) {
        let Self { row, form, .. } = self;
        let times = &row.result.games[index].circumstances.times;
        let began = i64::try_from(times.began_unix_ms).unwrap_or_default();
        let date = if began == 0 { "????.??.??".to_owned() } else { Moment::of_unix_ms(began).date() };
        self.seven(out, index, &date, &pair_number(row.result.pair).to_string());
        if !form.minimal {
            self.engines(out, index);
        }
        self.start(out);
        if let Some(variant) = row.config.game.pgn_variant() {
            tag(out, "Variant", variant);
        }
        if form.minimal {
            return;
        }
        let lasted = times.lasted;
        tag(out, "GameDuration", &hours(lasted));
        if began != 0 {
            let ended = began.saturating_add(i64::try_from(lasted.as_millis()).unwrap_or(i64::MAX));
            tag(out, "GameStartTime", &Moment::of_unix_ms(began).timestamp());
            tag(out, "GameEndTime", &Moment::of_unix_ms(ended).timestamp());
        }
        self.closing(out, index);
    }

    /// Writes the seven tags that every game has.
    fn seven(&self, out: &mut String, index: usize, date: &str, round: &str) {
        let row = self.row;
        tag(out, "Event", row.heading.event.as_ref().unwrap_or(&row.config.name));
        tag(out, "Site", row.heading.site.as_deref().unwrap_or("?"));
        tag(out, "Date", date);
        tag(out, "Round", round);
        tag(out, "White", &row.name(index, Side::First));
        tag(out, "Black", &row.name(index, Side::Second));
        tag(out, "Result", result_text(&row.result.games[index].ending));
    }

    /// Writes the names that the engines give themselves.
    fn engines(&self, out: &mut String, index: usize) {
        for (side, colour) in [(Side::First, "White"), (Side::Second, "Black")] {
            let Some(introduction) = self.row.introduction(index, side) else { continue };
            for (what, text) in [("Name", &introduction.name), ("Author", &introduction.author)] {
                if !text.is_empty() {
                    tag(out, &format!("Engine{colour}{what}"), text);
                }
            }
        }
    }

    /// Writes the start position, if it is not the usual one.
    fn start(&self, out: &mut String) {
        // Readers of Chess960 need the standard start, too.
        if self.row.result.start.is_some() || Chess::of(self.row.config.game).is_some_and(Chess::is_chess960) {
            tag(out, "SetUp", "1");
            tag(out, "FEN", &self.replayed.start);
        }
    }

    /// Writes the length, the ending, the players' limits and the name of the opening.
    fn closing(&self, out: &mut String, index: usize) {
        let game = &self.row.result.games[index];
        tag(out, "PlyCount", &(self.row.result.opening.len() + game.moves.len()).to_string());
        tag(out, "Termination", termination(&self.endings[index]));
        self.time_controls(out, index);
        if let Some(OpeningName { eco, name }) = self.names.get(index).copied().flatten() {
            tag(out, "ECO", eco);
            tag(out, "Opening", name);
        }
    }

    fn time_controls(&self, out: &mut String, index: usize) {
        let manner = self.form.manner;
        let [white, black] = [Side::First, Side::Second]
            .map(|side| self.row.limit(index, side).map_or("?".into(), |limit| time_control(limit, manner)));
        if white == black {
            tag(out, "TimeControl", &white);
        } else {
            tag(out, "WhiteTimeControl", &white);
            tag(out, "BlackTimeControl", &black);
        }
    }

    fn moves(&self, out: &mut String, index: usize) {
        let Self { row, form, replayed, endings, .. } = self;
        let game = &row.result.games[index];
        let mut movetext = Movetext::new(out, replayed.number, replayed.side);
        let comment_on = |movetext: &mut Movetext<'_>, text: &str| {
            if !form.minimal && !text.is_empty() {
                movetext.comment(text);
            }
        };
        for mv in &replayed.opening {
            movetext.ply(mv);
            comment_on(&mut movetext, "book");
        }
        let names = row.config.game.side_names();
        let why = match form.manner {
            PgnManner::Spar => reason(&endings[index], names),
            PgnManner::Fastchess => fastchess_reason(&game.ending, names),
        };
        let plies = &replayed.games[index].moves;
        for (ply, mv) in plies.iter().enumerate() {
            movetext.ply(mv);
            let last = (ply + 1 == plies.len()).then(|| why.clone());
            let remarks = row.remarks.get(index).and_then(|game| game.get(ply)).into_iter().flatten().cloned();
            let parts: Vec<String> = comment(game, ply, form).into_iter().chain(remarks).chain(last).collect();
            comment_on(&mut movetext, &parts.join(", "));
        }
        if plies.is_empty() {
            comment_on(&mut movetext, &why);
        }
        movetext.finish(result_text(&game.ending));
    }
}

/// Formats a limit for PGN: `40/60+0.5` in seconds, `1/0.1` for time per move, `*60` for an hourglass, `-` without a
/// time limit. fastchess writes `0.1/move`.
fn time_control(limit: Limit, manner: PgnManner) -> String {
    match limit.timing() {
        None => "-".to_owned(),
        Some(Timing::Movetime(time)) if manner == PgnManner::Fastchess => format!("{}/move", time.as_secs_f64()),
        Some(Timing::Movetime(time)) => format!("1/{}", time.as_secs_f64()),
        Some(Timing::Hourglass(base)) => format!("*{}", base.as_secs_f64()),
        Some(Timing::Clock { .. }) => limit.clock_in_seconds().unwrap_or_default(),
    }
}

/// Formats a duration as `00:01:30`.
fn hours(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Returns the comment with a ply's search data, if recorded.
fn comment(game: &GameRecord, ply: usize, form: &PgnForm) -> Option<String> {
    Some(commented(game.track.get(ply)?, &form.fields, form.manner))
}

/// Returns the search data of a ply, with these fields: `+0.33/14 0.069s`.
pub fn ply_comment(track: &TrackPly, fields: &[TrackField]) -> String {
    commented(track, fields, PgnManner::Spar)
}

fn commented(track: &TrackPly, fields: &[TrackField], manner: PgnManner) -> String {
    let evaluation = match manner {
        PgnManner::Spar => evaluation,
        PgnManner::Fastchess => evaluation_as_fastchess,
    };
    let score = track.info.score.map(|score| format!("{}/{} ", evaluation(score), track.info.depth));
    let mut text = format!("{}{:.3}s", score.unwrap_or_default(), track.wall.as_secs_f64());
    for field in fields {
        if let Some(value) = field.value(track) {
            let _a_string_takes_all = write!(text, ", {field}={value}");
        }
    }
    text
}

/// Formats an evaluation as `+0.33` or `-M5`, in pawns, or in logit if the engine reports that.
fn evaluation(score: Evaluation) -> String {
    let hundredths = match score {
        Evaluation::Mate(moves) => {
            return format!("{}M{}", if moves > 0 { '+' } else { '-' }, moves.unsigned_abs());
        }
        Evaluation::Centipawns(cp) => i64::from(cp),
        // Round to the nearest hundredth, halves away from zero.
        Evaluation::Logit(units) => (i64::from(units) + 50 * i64::from(units.signum())) / 100,
    };
    let sign = if hundredths < 0 { '-' } else { '+' };
    format!("{sign}{}.{:02}", hundredths.unsigned_abs() / 100, hundredths.unsigned_abs() % 100)
}

/// Formats an evaluation as `+0.33`, `0.00` or `-M10`: mates in plies, and no sign before zero.
fn evaluation_as_fastchess(score: Evaluation) -> String {
    match score {
        Evaluation::Mate(moves) if moves > 0 => format!("+M{}", 2 * i64::from(moves) - 1),
        Evaluation::Mate(moves) => format!("-M{}", -2 * i64::from(moves)),
        Evaluation::Centipawns(0) => "0.00".to_owned(),
        other => evaluation(other),
    }
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
        let time_control = |limit| time_control(limit, PgnManner::Spar);
        assert_eq!(time_control(clock(40)), "40/60+0.6");
        assert_eq!(time_control(clock(0)), "60+0.6");
        assert_eq!(time_control(Limit::Movetime(Duration::from_millis(100))), "1/0.1");
        assert_eq!(time_control(Limit::Depth(3)), "-");
        assert_eq!(time_control(Limit::Hourglass(Duration::from_mins(1))), "*60");
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
