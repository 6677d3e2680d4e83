//! Fitted weights as text: TOML, which a later fit can start from, arrays of C and of Rust, and `setoption` lines.
//!
//! Tables of chess have a section `[tables]`, or `[middlegame]` and `[endgame]`, each with `pawn` to `king` as 64
//! numbers from a8 to h1, in centipawns. Other weights are in the section `[weights]`, by name.

use super::error::TablesError;
use super::models::{Model, ROLES, square_of};
use crate::train::sample::row_of;
use engine::WazirPieceSquare;
use engine::eval::features::FEATURES;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The sections of tapered tables, in the order of their weights.
const PHASES: [&str; 2] = ["middlegame", "endgame"];
/// The section of untapered tables.
const PLAIN: &str = "tables";
/// The section of named weights.
const NAMED: &str = "weights";

/// Weights by section and name, as read from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    sections: BTreeMap<String, BTreeMap<String, Vec<f64>>>,
}

impl Weights {
    /// Parses a file of weights.
    ///
    /// # Errors
    /// [`TablesError`] for a text that is not a file of weights.
    pub fn parse(text: &str) -> Result<Self, TablesError> {
        let file: toml::Table = toml::from_str(text).map_err(|error| TablesError::Syntax(error.to_string()))?;
        let mut sections = BTreeMap::new();
        for (section, values) in file {
            if !PHASES.contains(&section.as_str()) && section != PLAIN && section != NAMED {
                return Err(TablesError::Unknown(section));
            }
            let values = values.as_table().ok_or_else(|| TablesError::NoNumber(section.clone()))?;
            let named: Result<_, TablesError> =
                values.iter().map(|(name, value)| Ok((name.clone(), numbers(&section, name, value)?))).collect();
            sections.insert(section, named?);
        }
        Ok(Self { sections })
    }

    /// The weights in the order of a model's features.
    ///
    /// # Errors
    /// [`TablesError`] for weights of another model.
    pub fn in_order(&self, model: Model, names: &[String]) -> Result<Vec<f64>, TablesError> {
        if !matches!(model, Model::ChessTables { .. }) {
            return self.named(names);
        }
        let sections = match (model.is_tapered(), self.sections.contains_key(PLAIN)) {
            (true, true) => vec![PLAIN; 2],
            (true, false) => PHASES.to_vec(),
            (false, _) => vec![PLAIN],
        };
        let mut weights = Vec::with_capacity(sections.len() * names.len());
        for section in sections {
            let tables = self.sections.get(section).ok_or_else(|| TablesError::Missing(section.to_owned()))?;
            for (_, role) in ROLES {
                let name = format!("{section}.{role}");
                weights.extend(tables.get(role).ok_or(TablesError::Missing(name))?);
            }
        }
        Ok(weights)
    }

    /// Missing names have the weight 0; names that no position has are refused.
    fn named(&self, names: &[String]) -> Result<Vec<f64>, TablesError> {
        let given = self.sections.get(NAMED).ok_or_else(|| TablesError::Missing(NAMED.to_owned()))?;
        if let Some(unknown) = given.keys().find(|name| !names.contains(name)) {
            return Err(TablesError::Unknown(unknown.clone()));
        }
        Ok(names.iter().map(|name| given.get(name).and_then(|value| value.first()).copied().unwrap_or(0.0)).collect())
    }
}

/// The numbers of a table, or the single number of a named weight.
fn numbers(section: &str, name: &str, value: &toml::Value) -> Result<Vec<f64>, TablesError> {
    let full = || format!("{section}.{name}");
    let number = |value: &toml::Value| {
        let number = value.as_float().or_else(|| value.as_integer().map(|integer| integer as f64));
        number.filter(|number| number.is_finite()).ok_or_else(|| TablesError::NoNumber(full()))
    };
    if section == NAMED {
        return Ok(vec![number(value)?]);
    }
    if !ROLES.iter().any(|(_, role)| *role == name) {
        return Err(TablesError::Unknown(full()));
    }
    let all = value.as_array().ok_or_else(|| TablesError::NoNumber(full()))?;
    if all.len() != 64 {
        return Err(TablesError::Length { name: full(), found: all.len() });
    }
    all.iter().map(number).collect()
}

/// Weights in all output formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// TOML, which this program can read.
    pub toml: String,
    /// Arrays of C.
    pub c: String,
    /// Arrays of Rust.
    pub rust: String,
    /// One `setoption` line per weight.
    pub options: String,
    /// The engine's own file, if the engine has the model.
    pub engine: Option<Vec<u8>>,
}

impl Output {
    /// Formats the weights of a model.
    pub fn of(model: Model, names: &[String], weights: &[f64]) -> Self {
        match model {
            Model::ChessTables { tapered } => Self::of_tables(tapered, weights),
            _ => Self { engine: engine_file(model, weights), ..Self::of_names(names, weights) },
        }
    }

    fn of_tables(tapered: bool, weights: &[f64]) -> Self {
        let mut output =
            Self { toml: "# Piece-square tables in centipawns, from a8 to h1\n".to_owned(), ..Self::empty() };
        let sections: &[&str] = if tapered { &PHASES } else { &[PLAIN] };
        for (section, weights) in sections.iter().zip(weights.chunks(64 * ROLES.len())) {
            let _ = writeln!(output.toml, "\n[{section}]");
            for ((_, role), table) in ROLES.iter().zip(weights.chunks(64)) {
                let table: Vec<i64> = table.iter().map(|weight| weight.round() as i64).collect();
                output.add_table(section, role, &table);
            }
        }
        output
    }

    fn add_table(&mut self, section: &str, role: &str, table: &[i64]) {
        let rows: Vec<String> = table
            .chunks(8)
            .map(|row| row.iter().map(|weight| format!("{weight:>5}")).collect::<Vec<_>>().join(","))
            .collect();
        let body = rows.join(",\n");
        let _ = writeln!(self.toml, "{role} = [\n{body},\n]");
        let _ = writeln!(self.c, "static const int {section}_{role}[64] = {{\n{body}\n}};");
        let name = format!("{section}_{role}").to_ascii_uppercase();
        let _ = writeln!(self.rust, "pub const {name}: [i32; 64] = [\n{body},\n];");
        for (at, weight) in table.iter().enumerate() {
            let _ = writeln!(self.options, "setoption name {section}_{role}_{} value {weight}", square_of(at));
        }
    }

    fn of_names(names: &[String], weights: &[f64]) -> Self {
        let mut output = Self { toml: format!("[{NAMED}]\n"), ..Self::empty() };
        let count = names.len();
        let _ = writeln!(output.c, "static const double weights[{count}] = {{");
        let _ = writeln!(output.rust, "pub const WEIGHTS: [f64; {count}] = [");
        for (name, weight) in names.iter().zip(weights) {
            let quoted = toml::Value::String(name.clone());
            let _ = writeln!(output.toml, "{quoted} = {weight:.4}");
            let _ = writeln!(output.c, "    {weight:.4}, // {name}");
            let _ = writeln!(output.rust, "    {weight:.4}, // {name}");
            let _ = writeln!(output.options, "setoption name {name} value {weight:.4}");
        }
        output.c.push_str("};\n");
        output.rust.push_str("];\n");
        output
    }

    fn empty() -> Self {
        Self { toml: String::new(), c: String::new(), rust: String::new(), options: String::new(), engine: None }
    }
}

/// The file of `wps`: converts weights from 1/100 logit to the engine's 1/10,000.
fn engine_file(model: Model, weights: &[f64]) -> Option<Vec<u8>> {
    let (tempo, rows) = weights.split_last().filter(|_| model == Model::Wps)?;
    let units = |weight: f64| (100.0 * weight).round();
    let by_feature = (0..FEATURES).map(|feature| units(rows[row_of(feature)]) as i16).collect();
    Some(WazirPieceSquare::new(by_feature, units(*tempo) as i32).ok()?.to_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_as_they_are_written() {
        for tapered in [false, true] {
            let model = Model::ChessTables { tapered };
            let count = if tapered { 768 } else { 384 };
            let weights: Vec<f64> = (0..count).map(|n| f64::from(n * 31 % 900 - 300)).collect();
            let output = Output::of(model, &model.names(), &weights);
            let read = Weights::parse(&output.toml).unwrap();
            assert_eq!(read.in_order(model, &model.names()).unwrap(), weights);
            assert_eq!(output.options.lines().count(), count as usize);
            assert_eq!(output.c.matches("static const int").count(), count as usize / 64);
        }
        let plain = Model::ChessTables { tapered: false };
        let text = Output::of(plain, &plain.names(), &[7.0; 384]).toml;
        assert!(text.contains("[tables]\npawn = ["));
        let tapered = Model::ChessTables { tapered: true };
        assert_eq!(Weights::parse(&text).unwrap().in_order(tapered, &[]).unwrap(), vec![7.0; 768]);
    }

    #[test]
    fn other_names_and_sizes_are_refused() {
        let names = ["a".to_owned(), "b c".to_owned()];
        let output = Output::of(Model::Features, &names, &[1.25, -3.0]);
        assert_eq!(Weights::parse(&output.toml).unwrap().in_order(Model::Features, &names).unwrap(), [1.25, -3.0]);
        let plain = Model::ChessTables { tapered: false };
        for (text, expected) in [
            ("x", "key"),
            ("[table]\n", "unknown name `table`"),
            ("[tables]\npawns = []", "unknown name `tables.pawns`"),
            ("[tables]\npawn = [1, 2]", "`tables.pawn` has 2 numbers"),
            ("[tables]\npawn = [\"a\"]", "has 1 numbers"),
            ("[weights]\nx = \"a\"", "`weights.x` is not made of numbers"),
        ] {
            let error = Weights::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let error = Weights::parse("[endgame]\n").unwrap().in_order(plain, &[]).unwrap_err();
        assert_eq!(error, TablesError::Missing("tables".to_owned()));
        let error = Weights::parse("[weights]\nz = 1").unwrap().in_order(Model::Features, &names).unwrap_err();
        assert_eq!(error, TablesError::Unknown("z".to_owned()));
    }
}
