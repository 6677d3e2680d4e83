//! A configuration that tunes the declared parameters with the declared ranges and starts.

use super::Declared;

use plan::names::{file_stem, names_an_entrant};
use std::fmt::Write;
use tuner::{Kind, Parameter, TunedParameter, fishtest};

/// The pairs of a session, and the fewest pairs for each of its parameters.
const PAIRS: (usize, usize) = (20_000, 1_000);

/// The program to tune.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Its path or name.
    pub command: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Declared {
    /// Returns a configuration that tunes the parameters with this program; without a program, it names `./engine` as a
    /// placeholder.
    pub fn to_toml(&self, program: Option<&Program>) -> String {
        let pairs = PAIRS.0.max(PAIRS.1 * self.parameters.len());
        let mut text = format!(
            "# Parameters from {}. The pairs, the limit and steps that nothing declares are guesses.\ngame = \
                \"chess\"\n\n\
             [tune]\npairs = {pairs}\n",
            self.spelling
        );
        text.push_str(&self.tuned());
        for parameter in &self.aside {
            text.push_str("\n# Remove the # to tune this as well.\n");
            text.extend(section(parameter).trim_start().lines().map(|line| format!("# {line}\n")));
        }
        text.push_str(
            "\n# `enabled = true` tests the tuned values against the start afterwards.\n[tune.verify]\nenabled = \
                false\n\n\
             # A book is better: file = \"book.epd\" instead of these.\n[openings]\nsource = \"random\"\nplies = 8\n",
        );
        text.push_str(&entrant(program));
        text
    }

    /// Returns the parameters as keys and sections within `[tune]`. Lines have gains, which sections do not.
    pub fn tuned(&self) -> String {
        if self.gains.len() != self.parameters.len() {
            return self.parameters.iter().map(section).collect();
        }
        let lines: Option<Vec<String>> =
            self.parameters.iter().zip(&self.gains).map(|(p, gain)| line(p, *gain)).collect();
        let Some(lines) = lines else { return self.parameters.iter().map(section).collect() };
        let lines = lines.join("\n");
        if lines.contains(['"', '\\']) {
            return format!("lines = {}\n", toml::Value::from(lines));
        }
        format!("lines = \"\"\"\n{lines}\n\"\"\"\n")
    }
}

/// Returns a parameter as a line; `None` if it is not a number.
fn line(tuned: &TunedParameter, r_end: f64) -> Option<String> {
    let TunedParameter { name, kind, start, min, max, step, .. } = tuned;
    let make = if *step == 0.0 || r_end == 0.0 { Parameter::frozen } else { Parameter::new };
    let parameter = make(name.clone(), *kind, *start, (*min, *max), *step).ok()?;
    Some(fishtest::Line { parameter, r_end, rounded: None }.to_string())
}

fn section(parameter: &TunedParameter) -> String {
    let TunedParameter { name, kind, start, min, max, step, values, .. } = parameter;
    let name = toml::Value::from(name.as_str());
    let mut text = format!("\n[[tune.parameter]]\nname = {name}\n");
    let _into_memory = match kind {
        Kind::Category => {
            let values: Vec<toml::Value> = values.iter().map(|value| value.as_str().into()).collect();
            writeln!(text, "values = {}", toml::Value::from(values))
        }
        Kind::Boolean => writeln!(text, "kind = \"switch\"\nstart = {}", *start != 0.0),
        Kind::Real | Kind::Integer | Kind::Log => {
            writeln!(text, "kind = \"{}\"\nstart = {start}\nmin = {min}\nmax = {max}\nstep = {step}", kind.name())
        }
    };
    text
}

fn entrant(program: Option<&Program>) -> String {
    let mut text = "\n[[entrant]]\n".to_owned();
    let given = program.cloned().unwrap_or_else(|| Program { command: "./engine".to_owned(), arguments: Vec::new() });
    let stem = file_stem(&given.command);
    let name = toml::Value::from(if names_an_entrant(stem) { stem } else { "engine" });
    let remark = if program.is_none() { " # write your engine's program here" } else { "" };
    let command = toml::Value::from(given.command.as_str());
    let _into_memory = writeln!(text, "name = {name}\ncmd = {command}{remark}");
    if !given.arguments.is_empty() {
        let arguments: Vec<toml::Value> = given.arguments.into_iter().map(toml::Value::from).collect();
        let _into_memory = writeln!(text, "args = {}", toml::Value::from(arguments));
    }
    text.push_str("protocol = \"uci\"\nlimit = \"8+0.08\"\n");
    text
}
