//! Tunable parameters: typed structs and access by name, both generated from declarations beside the code that uses
//! them.
//!
//! Owns kinds, ranges and the errors of setting a value. Its users define what a parameter does; `table` lists the
//! groups.
#![allow(clippy::float_cmp)] // values are stored and returned unchanged, so equality means what it says

mod table;

pub use table::*;

use std::fmt;

/// The kind of values a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Any real number in the range.
    Real,
    /// A whole number in the range.
    Integer,
    /// 0 (off) or 1 (on).
    Switch,
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Real => "real",
            Self::Integer => "integer",
            Self::Switch => "switch",
        })
    }
}

/// One row of the parameter table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamInfo {
    /// The name in configurations, journals and protocols.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: ParamKind,
    /// The value in [`Params::default`]; switches are 0 or 1.
    pub default: f64,
    /// Smallest value allowed.
    pub min: f64,
    /// Largest value allowed.
    pub max: f64,
    /// A reasonable first change for a tuner.
    pub step: f64,
    /// The effect of the parameter, with its unit, in one sentence.
    pub doc: &'static str,
}

impl ParamInfo {
    /// The parameter with this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        PARAMS.iter().find(|info| info.name == name)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// [`ParamError`] (never `Unknown`) when it is out of range or of the wrong kind.
    pub fn check(&self, value: f64) -> Result<(), ParamError> {
        let Self { name, min, max, .. } = *self;
        match self.kind {
            ParamKind::Switch if value != 0.0 && value != 1.0 => Err(ParamError::NotASwitch { name, value }),
            _ if !(min..=max).contains(&value) => Err(ParamError::OutOfRange { name, value, min, max }),
            ParamKind::Integer if value.fract() != 0.0 => Err(ParamError::NotAnInteger { name, value }),
            _ => Ok(()),
        }
    }
}

/// Why a parameter could not be set.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamError {
    /// There is no parameter of this name.
    Unknown {
        /// The name.
        name: String,
        /// The parameter with the most similar name.
        nearest: &'static str,
    },
    /// The value lies outside the parameter's range, or is not a number.
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// The parameter takes only whole numbers.
    NotAnInteger {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// The parameter takes only 0 and 1.
    NotASwitch {
        /// The parameter.
        name: &'static str,
        /// The value.
        value: f64,
    },
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, nearest } => write!(f, "unknown parameter `{name}`: did you mean `{nearest}`?"),
            Self::OutOfRange { name, value, min, max } => write!(f, "`{name}` must be {min} to {max}, not {value}"),
            Self::NotAnInteger { name, value } => write!(f, "`{name}` must be a whole number, not {value}"),
            Self::NotASwitch { name, value } => write!(f, "`{name}` must be 0 (off) or 1 (on), not {value}"),
        }
    }
}

impl std::error::Error for ParamError {}

/// Conversion between a field's type and `f64`, the type of values by name.
pub(crate) trait Value: Copy {
    fn to_f64(self) -> f64;
    /// `value` has passed [`ParamInfo::check`].
    fn from_f64(value: f64) -> Self;
}

impl Value for f64 {
    fn to_f64(self) -> f64 {
        self
    }
    fn from_f64(value: f64) -> Self {
        value
    }
}

impl Value for i32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    fn from_f64(value: f64) -> Self {
        value as i32
    }
}

impl Value for bool {
    fn to_f64(self) -> f64 {
        f64::from(u8::from(self))
    }
    fn from_f64(value: f64) -> Self {
        value != 0.0
    }
}

/// Declares a group of parameters: `name: kind = default, min, max, step s; "doc";`; a switch has no range.
macro_rules! parameters {
    (@type real) => { f64 };
    (@type integer) => { i32 };
    (@type switch) => { bool };
    (@kind real) => { crate::params::ParamKind::Real };
    (@kind integer) => { crate::params::ParamKind::Integer };
    (@kind switch) => { crate::params::ParamKind::Switch };
    (@range) => { (0.0, 1.0, 1.0) };
    (@range $min:literal $max:literal $step:literal) => { ($min as f64, $max as f64, $step as f64) };
    (@default switch $default:literal) => { if $default { 1.0 } else { 0.0 } };
    (@default $kind:ident $default:literal) => { $default as f64 };

    (
        $(#[$of:meta])+ $group:ident {
            $(
                $name:ident: $kind:ident = $default:literal
                $(, $min:literal, $max:literal, step $step:literal)?; $doc:literal;
            )+
        }
    ) => {
        $(#[$of])+
        #[allow(clippy::struct_excessive_bools)] // switches for ablation, not states
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $group {
            $(#[doc = $doc] pub $name: parameters!(@type $kind),)+
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl crate::params::Group for $group {
            const PARAMS: &'static [crate::params::ParamInfo] = &[$({
                let (min, max, step) = parameters!(@range $($min $max $step)?);
                crate::params::ParamInfo {
                    name: stringify!($name),
                    kind: parameters!(@kind $kind),
                    default: parameters!(@default $kind $default),
                    min,
                    max,
                    step,
                    doc: $doc,
                }
            },)+];

            fn get(&self, name: &str) -> Option<f64> {
                match name {
                    $(stringify!($name) => Some(crate::params::Value::to_f64(self.$name)),)+
                    _ => None,
                }
            }

            fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($name) => self.$name = crate::params::Value::from_f64(value),)+
                    _ => return false,
                }
                true
            }
        }
    };
}
pub(crate) use parameters;

impl Params {
    /// All parameters with their values, in the order of declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&'static ParamInfo, f64)> + '_ {
        PARAMS.iter().map(|info| (info, self.get(info.name).unwrap_or(info.default)))
    }

    /// A hash of the selected parameters of the table: names, kinds, defaults, ranges and steps, in order (FNV-1a, 64
    /// bits). Descriptions are not part of it.
    pub(crate) fn hash_of(counts: impl Fn(&ParamInfo) -> bool) -> u64 {
        PARAMS.iter().filter(|info| counts(info)).fold(FNV_OFFSET, |hash, info| {
            let hash = fnv(fnv(hash, info.name.as_bytes()), &[0, info.kind as u8]);
            [info.default, info.min, info.max, info.step]
                .iter()
                .fold(hash, |hash, number| fnv(hash, &number.to_bits().to_le_bytes()))
        })
    }
}

/// Offset basis of the 64-bit FNV-1a hash (Fowler, Noll and Vo).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn unknown(name: &str) -> ParamError {
    let nearest = PARAMS.iter().min_by_key(|info| edit_distance(name, info.name)).map_or("", |info| info.name);
    ParamError::Unknown { name: name.to_owned(), nearest }
}

/// Levenshtein distance: insertions, deletions and replacements of characters between two names.
fn edit_distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{edit_distance, ParamError, ParamInfo, ParamKind, Params, PARAMS};

    #[test]
    fn every_declaration_is_consistent_and_sets_its_own_field() {
        for info in PARAMS {
            assert!(info.min < info.max && info.step > 0.0 && info.doc.ends_with('.'), "{}", info.name);
            assert_eq!(info.check(info.default), Ok(()), "{}", info.name);
            assert_eq!(PARAMS.iter().filter(|other| other.name == info.name).count(), 1, "{}", info.name);
            let other = if info.default == info.max { info.min } else { info.max };
            let mut params = Params::default();
            assert_eq!(params.get(info.name), Some(info.default));
            assert_eq!(params.set(info.name, other), Ok(()));
            let changed = params.iter().filter(|(info, value)| info.default != *value);
            assert_eq!(changed.map(|(info, value)| (info.name, value)).collect::<Vec<_>>(), [(info.name, other)]);
        }
        assert!(Params::default().iter().all(|(info, value)| info.default == value));
    }

    #[test]
    fn values_set_by_name_appear_in_the_fields() {
        let mut params = Params::default();
        params.set("null_move_margin", 0.25).unwrap();
        params.set("null_move", 0.0).unwrap();
        params.set("lmr_first_start", 7.0).unwrap();
        let set = params.alpha_beta;
        assert_eq!((set.null_move_margin, set.null_move, set.lmr_first_start), (0.25, false, 7));
    }

    #[test]
    fn errors_name_the_problem_and_change_nothing() {
        let mut params = Params::default();
        let mut error = |name: &str, value: f64| params.set(name, value).unwrap_err().to_string();
        assert_eq!(
            error("null_move_margn", 0.2),
            "unknown parameter `null_move_margn`: did you mean `null_move_margin`?"
        );
        assert_eq!(error("null_move_margin", 2.5), "`null_move_margin` must be 0 to 2, not 2.5");
        assert_eq!(error("null_move_margin", f64::NAN), "`null_move_margin` must be 0 to 2, not NaN");
        assert_eq!(error("lmr_first_start", 5.5), "`lmr_first_start` must be a whole number, not 5.5");
        assert_eq!(error("futility", 0.5), "`futility` must be 0 (off) or 1 (on), not 0.5");
        assert_eq!(params, Params::default());
    }

    #[test]
    fn kinds_follow_the_declaration() {
        let kind = |name| ParamInfo::find(name).map(|info| info.kind);
        assert_eq!(kind("optimism"), Some(ParamKind::Real));
        assert_eq!(kind("iid_min_depth"), Some(ParamKind::Integer));
        assert_eq!(kind("killers"), Some(ParamKind::Switch));
        assert_eq!(kind("nonsense"), None);
        assert!(matches!(Params::default().set("", 0.0), Err(ParamError::Unknown { .. })));
    }

    #[test]
    fn edit_distance_counts_single_changes() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("lmr", "lmr"), 0);
    }
}
