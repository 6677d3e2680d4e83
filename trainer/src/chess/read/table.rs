//! Reads named columns: `fen`, a score and a result.

use super::{End, Flaw, RawLabels, Reading, Sink, Unit, WrittenScore, parse_result};
use crate::chess::View;
use crate::chess::record::parse_fen;
use csv::StringRecord;
use std::io::Read;

/// The names of score columns.
pub(super) const SCORES: [&str; 4] = ["eval", "cp", "score", "evaluation"];
/// The names of result columns.
pub(super) const RESULTS: [&str; 3] = ["result", "outcome", "wdl"];

/// The columns of the position and the labels.
struct Columns {
    fen: usize,
    score: Option<usize>,
    result: Option<usize>,
}

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, End> {
        let position =
            |names: &[&str]| header.iter().position(|name| names.contains(&name.to_ascii_lowercase().as_str()));
        let columns = Self {
            fen: position(&["fen"]).unwrap_or(usize::MAX),
            score: position(&SCORES),
            result: position(&RESULTS),
        };
        if columns.fen == usize::MAX || (columns.score.is_none() && columns.result.is_none()) {
            let names: Vec<&str> = header.iter().collect();
            let why = format!(
                "its first row names the columns `{}`: expected `fen`, and a score (`{}`) or `result`",
                names.join("`, `"),
                SCORES.join("`, `")
            );
            return Err(End::Foreign(why));
        }
        Ok(columns)
    }

    fn labels(&self, row: &StringRecord, unit: Unit) -> Option<RawLabels> {
        let text = |column: Option<usize>| {
            column.and_then(|column| row.get(column)).map(str::trim).filter(|it| !it.is_empty())
        };
        let score = match text(self.score) {
            Some(text) => Some(WrittenScore::parse(text, unit)?),
            None => None,
        };
        let result = match text(self.result) {
            Some(text) => Some(parse_result(text)?),
            None => None,
        };
        (score.is_some() || result.is_some()).then_some(RawLabels { score, result, ..RawLabels::default() })
    }
}

pub(super) fn read(reader: impl Read, reading: Reading, sink: &mut Sink<'_>) -> Result<(), End> {
    let mut rows = csv::ReaderBuilder::new().flexible(true).trim(csv::Trim::All).from_reader(reader);
    let columns = Columns::of(rows.headers().map_err(io)?)?;
    let (view, unit) = (reading.view.unwrap_or(View::White), reading.unit.unwrap_or(Unit::Centipawns));
    let (mut row, mut number) = (StringRecord::new(), 0);
    loop {
        let found = match rows.read_record(&mut row) {
            Ok(false) => return Ok(()),
            Ok(true) => one(&columns, &row, unit).map(|(fen, labels)| labels.found(fen, view)),
            Err(error) if error.is_io_error() => return Err(io(error)),
            Err(error) => Err(error.to_string()),
        };
        number += 1;
        let line = row.position().map_or(number + 1, csv::Position::line);
        if sink(found.map_err(|why| Flaw::new(line, why))).is_break() {
            return Ok(());
        }
    }
}

fn one(columns: &Columns, row: &StringRecord, unit: Unit) -> Result<(shakmaty::Chess, RawLabels), String> {
    let fen = row.get(columns.fen).ok_or("the row has no `fen`")?;
    let position = parse_fen(fen).map_err(|error| error.to_string())?;
    let labels = columns.labels(row, unit).ok_or("its score or result cannot be read, or there is none")?;
    Ok((position, labels))
}

fn io(error: csv::Error) -> End {
    End::Io(error.into())
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use super::super::{Format, ReadError, read};
    use super::*;
    use stats::Score;

    #[test]
    fn columns_are_found_by_their_names() {
        let text = "FEN,Evaluation\n8/8/8/8/8/8/8/K1k5 b - - 0 1,+56\n8/8/8/8/8/8/8/K1k5 w - - 0 \
            1,#-3\nx,1\n8/8/8/8/8/8/8/K1k5 w - - 0 1,\n";
        let (found, flaws) = all(text, "a.csv", None, None);
        assert_eq!(found.iter().map(|it| it.score).collect::<Vec<_>>(), [Some(56), Some(-31_997)]);
        assert_eq!(flaws.iter().map(|flaw| flaw.line).collect::<Vec<_>>(), [4, 5]);
        let text = "id,result,fen\n1,1/2-1/2,8/8/8/8/8/8/8/K1k5 b - - 0 1\n";
        assert_eq!(all(text, "a.csv", None, None).0[0].result, Some(Score::Draw));
    }

    #[test]
    fn a_table_without_such_columns_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::write(file.path(), "a,b\n1,2\n").unwrap();
        let reading = Reading { format: Format::Csv, view: None, unit: None };
        let error = read(file.path(), reading, &mut |_| std::ops::ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(&error, ReadError::Foreign { why, .. } if why.contains("`a`, `b`")), "{error}");
    }
}
