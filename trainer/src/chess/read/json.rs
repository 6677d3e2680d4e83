//! Reads objects with a position and its labels, in one of three arrangements: in sequence, in an array, or in an array
//! under `positions`. The input is read as a stream that holds at most one object.

use super::table::{RESULTS, SCORES};
use super::{End, Flaw, Found, RawLabels, Reading, Sink, Unit, WrittenScore, parse_result};
use crate::chess::View;
use crate::chess::record::parse_fen;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use stats::Score;
use std::fmt;
use std::io::BufRead;

pub(super) fn read(reader: impl BufRead, reading: Reading, sink: &mut Sink<'_>) -> Result<(), End> {
    let mut values = serde_json::Deserializer::from_reader(reader);
    let mut objects = Objects { reading, sink, number: 0, is_over: false };
    while !objects.is_over && values.end().is_err() {
        Level { objects: &mut objects }.deserialize(&mut values).map_err(|error| {
            if error.is_io() { End::Io(error.into()) } else { End::Foreign(format!("{error}: expected JSON")) }
        })?;
    }
    Ok(())
}

/// The state of reading, and the sink for positions.
struct Objects<'a, 's> {
    reading: Reading,
    sink: &'a mut Sink<'s>,
    number: u64,
    is_over: bool,
}

impl Objects<'_, '_> {
    fn take(&mut self, object: &Map<String, Value>) {
        let found = found(object, self.reading);
        self.number += 1;
        let line = self.number;
        let found = found.map_err(|why| Flaw::new(line, format!("position {line}: {why}")));
        self.is_over |= (self.sink)(found).is_break();
    }
}

/// A value that is a position or contains positions.
struct Level<'l, 'a, 's> {
    objects: &'l mut Objects<'a, 's>,
}

impl<'de> DeserializeSeed<'de> for Level<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Level<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `fen`, or an array of such")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while !self.objects.is_over && seq.next_element_seed(Level { objects: &mut *self.objects })?.is_some() {}
        // The rest must be read to find the end.
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut object, mut held) = (Map::new(), false);
        while let Some(key) = map.next_key::<String>()? {
            if key == "positions" {
                held = true;
                map.next_value_seed(Level { objects: &mut *self.objects })?;
            } else {
                object.insert(key, map.next_value()?);
            }
        }
        if !held && !self.objects.is_over {
            self.objects.take(&object);
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        Err(E::custom(format!("`{text}` is not an object with `fen`")))
    }
}

fn found(object: &Map<String, Value>, reading: Reading) -> Result<Found, String> {
    let fen = object.get("fen").and_then(Value::as_str).ok_or("there is no `fen`")?;
    let position = parse_fen(fen).map_err(|error| error.to_string())?;
    let labels = RawLabels { score: score(object, reading.unit)?, result: result(object)?, ..RawLabels::default() };
    if labels == RawLabels::default() {
        return Err(format!("there is no score (`{}`) and no `result`", SCORES.join("`, `")));
    }
    Ok(labels.found(position, reading.view.unwrap_or(View::White)))
}

fn score(object: &Map<String, Value>, unit: Option<Unit>) -> Result<Option<WrittenScore>, String> {
    if let Some(moves) = object.get("mate").and_then(Value::as_i64) {
        return Ok(Some(WrittenScore::Mate(moves.clamp(-999, 999) as i32)));
    }
    let Some((name, value)) = SCORES.into_iter().find_map(|name| Some((name, object.get(name)?))) else {
        return Ok(None);
    };
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Null => return Ok(None),
        _ => return Err(format!("`{name}` is not a score")),
    };
    let usual = if text.contains('.') { Unit::Pawns } else { Unit::Centipawns };
    let score = WrittenScore::parse(&text, unit.unwrap_or(usual));
    score.map(Some).ok_or_else(|| format!("`{text}` is not a score"))
}

fn result(object: &Map<String, Value>) -> Result<Option<Score>, String> {
    let Some(value) = RESULTS.into_iter().find_map(|name| object.get(name)) else { return Ok(None) };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    parse_result(&text).map(Some).ok_or_else(|| format!("`{text}` is not a result"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::all;
    use stats::Score;

    const FEN: &str = "8/8/8/8/8/8/8/K1k5 b - - 0 1";

    #[test]
    fn objects_are_read_however_they_are_arranged() {
        let one = format!("{{\"fen\": \"{FEN}\", \"eval\": 0.19}}");
        for text in
            [format!("{{\"positions\": [{one}, {one}]}}"), format!("[{one},\n{one}]"), format!("{one}\n{one}\n")]
        {
            let (found, flaws) = all(&text, "a.json", None, None);
            assert_eq!((found.len(), flaws.len()), (2, 0), "{text}");
            assert!(found.iter().all(|it| it.score == Some(19)));
        }
    }

    #[test]
    fn scores_have_their_units_and_what_is_wrong_its_number() {
        let text = format!(
            "{{\"fen\":\"{FEN}\",\"cp\":34}}\n{{\"fen\":\"{FEN}\",\"eval\":\"#-3\",\"result\":0.5}}\n\
             {{\"fen\":\"x\",\"cp\":1}}\n{{\"fen\":\"{FEN}\"}}\n{{\"fen\":\"{FEN}\",\"mate\":2}}"
        );
        let (found, flaws) = all(&text, "a.jsonl", None, None);
        assert_eq!(found.iter().map(|it| it.score).collect::<Vec<_>>(), [Some(34), Some(-31_997), Some(31_998)]);
        assert_eq!(found[1].result, Some(Score::Draw));
        assert_eq!(flaws.iter().map(|flaw| flaw.line).collect::<Vec<_>>(), [3, 4]);
    }
}
