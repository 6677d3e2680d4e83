//! The options that an engine declares, and whether a value suits one. UCI and XBoard have the same kinds of options;
//! each defines how a declaration is written.

use crate::spelling::nearest;
use serde::{Deserialize, Serialize};

/// An option as an engine declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDeclaration {
    /// The name as the engine wrote it, with single spaces.
    pub name: String,
    /// The values that the option accepts.
    pub kind: OptionKind,
}

/// The values that an option accepts. Parts that the engine left out are `None` and restrict nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`.
    Check {
        /// The value if none is set.
        default: Option<bool>,
    },
    /// A whole number.
    Spin {
        /// The value if none is set.
        default: Option<i64>,
        /// The minimum.
        min: Option<i64>,
        /// The maximum.
        max: Option<i64>,
    },
    /// One of some words.
    Combo {
        /// The value if none is set.
        default: Option<String>,
        /// The words; none if the engine declared none.
        choices: Vec<String>,
    },
    /// An action: `true` or no value triggers it.
    Button,
    /// Any text on one line; also stands for unknown kinds.
    Text {
        /// The value if none is set; `<empty>` is read as the empty text.
        default: Option<String>,
    },
}

/// Why a value cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum OptionError {
    /// The engine declared no such option.
    #[error("unknown option `{name}`{}", suggestion(.nearest.as_deref()))]
    Unknown {
        /// The requested name.
        name: String,
        /// The declared name that was probably meant.
        nearest: Option<String>,
    },
    /// The value of a check is neither `true` nor `false`.
    #[error("option `{name}` takes true or false, not `{value}`")]
    NotBoolean {
        /// The option.
        name: String,
        /// The requested value.
        value: String,
    },
    /// The value of a spin is not a whole number.
    #[error("option `{name}` takes a whole number, not `{value}`")]
    NotNumber {
        /// The option.
        name: String,
        /// The requested value.
        value: String,
    },
    /// The value of a spin is too small.
    #[error("option `{name}` is at least {min}, not {value}")]
    TooSmall {
        /// The option.
        name: String,
        /// The requested value.
        value: i64,
        /// The minimum.
        min: i64,
    },
    /// The value of a spin is too large.
    #[error("option `{name}` is at most {max}, not {value}")]
    TooLarge {
        /// The option.
        name: String,
        /// The requested value.
        value: i64,
        /// The maximum.
        max: i64,
    },
    /// The value of a combo is none of its words.
    #[error("option `{name}` takes one of {}, not `{value}`", .choices.join(", "))]
    NotChoice {
        /// The option.
        name: String,
        /// The requested value.
        value: String,
        /// The accepted words.
        choices: Vec<String>,
    },
    /// The value of a button says neither that it is pressed nor that it is not.
    #[error("option `{name}` is a button: it is pressed by true or no value, and left alone by false, not `{value}`")]
    NotPress {
        /// The option.
        name: String,
        /// The requested value.
        value: String,
    },
    /// The value would end the line, and with it the command.
    #[error("the value of option `{name}` holds a line break")]
    LineBreak {
        /// The option.
        name: String,
    },
}

impl OptionError {
    /// The option's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Unknown { name, .. }
            | Self::NotBoolean { name, .. }
            | Self::NotNumber { name, .. }
            | Self::TooSmall { name, .. }
            | Self::TooLarge { name, .. }
            | Self::NotChoice { name, .. }
            | Self::NotPress { name, .. }
            | Self::LineBreak { name } => name,
        }
    }

    /// The refused value, if the value is at fault and can be shown in a line.
    pub fn value(&self) -> Option<String> {
        match self {
            Self::NotBoolean { value, .. }
            | Self::NotNumber { value, .. }
            | Self::NotChoice { value, .. }
            | Self::NotPress { value, .. } => Some(value.clone()),
            Self::TooSmall { value, .. } | Self::TooLarge { value, .. } => Some(value.to_string()),
            Self::Unknown { .. } | Self::LineBreak { .. } => None,
        }
    }
}

impl OptionDeclaration {
    /// The option of this name, compared without regard to case, as in both protocols.
    ///
    /// # Errors
    /// [`OptionError::Unknown`], with the nearest declared name.
    pub fn find<'a>(declared: &'a [Self], name: &str) -> Result<&'a Self, OptionError> {
        declared.iter().find(|option| option.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let known = declared.iter().map(|option| option.name.as_str());
            OptionError::Unknown { name: name.to_owned(), nearest: nearest(name, known).map(str::to_owned) }
        })
    }

    /// The option's own spelling of a value. A check also accepts `on` and `off`, `1` and `0`, in any case. A whole
    /// number with the range 0 to 1, which some engines declare in place of a check, also accepts `true` and `false`.
    /// Any other value stays unchanged.
    pub fn spelled<'a>(&self, value: &'a str) -> &'a str {
        match &self.kind {
            OptionKind::Check { .. } => truth(value).map_or(value, |is_on| if is_on { "true" } else { "false" }),
            OptionKind::Spin { min: Some(0), max: Some(1), .. } => match value {
                "true" => "1",
                "false" => "0",
                _ => value,
            },
            OptionKind::Spin { .. } | OptionKind::Combo { .. } | OptionKind::Button | OptionKind::Text { .. } => value,
        }
    }

    /// Checks that the option accepts this value. A button accepts the empty value or `true`, which press it, or
    /// `false`, which does not.
    ///
    /// # Errors
    /// What is wrong with the value, and what would be right.
    pub fn check(&self, value: &str) -> Result<(), OptionError> {
        let name = self.name.clone();
        if value.contains(['\n', '\r']) {
            return Err(OptionError::LineBreak { name });
        }
        let value_text = value.to_owned();
        match &self.kind {
            OptionKind::Check { .. } if !matches!(value, "true" | "false") => {
                Err(OptionError::NotBoolean { name, value: value_text })
            }
            OptionKind::Spin { min, max, .. } => {
                let Ok(value) = value.parse() else { return Err(OptionError::NotNumber { name, value: value_text }) };
                self.check_range(value, *min, *max)
            }
            OptionKind::Combo { choices, .. } if !choices.is_empty() && !is_choice(choices, value) => {
                Err(OptionError::NotChoice { name, value: value_text, choices: choices.clone() })
            }
            OptionKind::Button if !matches!(value, "" | "true" | "false") => {
                Err(OptionError::NotPress { name, value: value_text })
            }
            OptionKind::Check { .. } | OptionKind::Combo { .. } | OptionKind::Button | OptionKind::Text { .. } => {
                Ok(())
            }
        }
    }

    /// Whether the value has no effect: a button that is not pressed.
    pub fn is_left_alone(&self, value: &str) -> bool {
        self.kind == OptionKind::Button && value == "false"
    }

    fn check_range(&self, value: i64, min: Option<i64>, max: Option<i64>) -> Result<(), OptionError> {
        match (min, max) {
            (Some(min), _) if value < min => Err(OptionError::TooSmall { name: self.name.clone(), value, min }),
            (_, Some(max)) if value > max => Err(OptionError::TooLarge { name: self.name.clone(), value, max }),
            _ => Ok(()),
        }
    }
}

/// The value of a word for a switch, in any case: `true`, `on` or `1`, or `false`, `off` or `0`.
pub fn truth(word: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 3]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_one_of(["true", "on", "1"]) { Some(true) } else { is_one_of(["false", "off", "0"]).then_some(false) }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map(|known| format!(": did you mean `{known}`?")).unwrap_or_default()
}

fn is_choice(choices: &[String], value: &str) -> bool {
    choices.iter().any(|choice| choice.eq_ignore_ascii_case(value))
}

/// The default text in a declaration: both protocols' engines write `<empty>` for the empty text.
pub(super) fn text_default(text: &str) -> String {
    if text == "<empty>" { String::new() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &str, kind: OptionKind) -> OptionDeclaration {
        OptionDeclaration { name: name.to_owned(), kind }
    }

    fn complaint(kind: OptionKind, value: &str) -> String {
        option("Hash", kind).check(value).expect_err("not a value of this kind").to_string()
    }

    #[test]
    fn values_are_checked_against_the_declaration() {
        let spin = || OptionKind::Spin { default: Some(16), min: Some(1), max: Some(64) };
        assert_eq!(complaint(spin(), "0"), "option `Hash` is at least 1, not 0");
        assert_eq!(complaint(spin(), "65"), "option `Hash` is at most 64, not 65");
        assert_eq!(complaint(spin(), "1 MB"), "option `Hash` takes a whole number, not `1 MB`");
        let combo = || OptionKind::Combo { default: None, choices: vec!["Off".into(), "On".into()] };
        assert_eq!(complaint(combo(), "Of"), "option `Hash` takes one of Off, On, not `Of`");
        let button = "option `Hash` is a button: it is pressed by true or no value, and left alone by false, not `1`";
        assert_eq!(complaint(OptionKind::Button, "1"), button);
        assert_eq!(complaint(OptionKind::Check { default: None }, "1"), "option `Hash` takes true or false, not `1`");
        let text = || OptionKind::Text { default: None };
        assert_eq!(complaint(text(), "a\nquit"), "the value of option `Hash` holds a line break");
        for (kind, value) in [
            (spin(), "64"),
            (combo(), "off"),
            (OptionKind::Button, ""),
            (OptionKind::Button, "true"),
            (OptionKind::Button, "false"),
            (OptionKind::Check { default: None }, "true"),
            (text(), "C:\\a b"),
            (OptionKind::Spin { default: None, min: None, max: None }, "-9"),
            (OptionKind::Combo { default: None, choices: vec![] }, "anything"),
        ] {
            assert_eq!(option("Hash", kind).check(value), Ok(()), "{value}");
        }
    }

    #[test]
    fn switches_are_spelled_as_the_engine_declares_them() {
        let check = option("A", OptionKind::Check { default: None });
        for (value, spelled) in
            [("1", "true"), ("On", "true"), ("TRUE", "true"), ("off", "false"), ("0", "false"), ("2", "2")]
        {
            assert_eq!(check.spelled(value), spelled);
        }
        let spin = |max| option("A", OptionKind::Spin { default: None, min: Some(0), max: Some(max) });
        assert_eq!([spin(1).spelled("true"), spin(1).spelled("false"), spin(9).spelled("true")], ["1", "0", "true"]);
        assert_eq!(option("A", OptionKind::Text { default: None }).spelled("1"), "1");
    }

    #[test]
    fn names_are_found_in_any_case_and_the_nearest_is_named() {
        let declared = [option("Hash", OptionKind::Button), option("Move Overhead", OptionKind::Button)];
        assert_eq!(OptionDeclaration::find(&declared, "hash"), Ok(&declared[0]));
        let error = OptionDeclaration::find(&declared, "MoveOverhead").expect_err("not declared");
        assert_eq!(error.to_string(), "unknown option `MoveOverhead`: did you mean `Move Overhead`?");
        let error = OptionDeclaration::find(&declared, "xyz").expect_err("not declared");
        assert_eq!(error.to_string(), "unknown option `xyz`");
    }
}
