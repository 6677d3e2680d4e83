//! The available methods, found by name. A new method is a module with its own [`MethodInfo`], and a line in
//! [`METHODS`].

use crate::method::Method;
use crate::parameter::SpaceError;
use crate::setup::{MethodInfo, Setup};
use crate::{quadratic, spsa, spsa_auto, spsa_classic};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// The methods, the default first.
static METHODS: [MethodInfo; 4] = [quadratic::METHOD, spsa::METHOD, spsa_classic::METHOD, spsa_auto::METHOD];

/// An available method. Serialized as its name.
#[derive(Clone, Copy)]
pub struct MethodId(&'static MethodInfo);

impl MethodId {
    /// All methods, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        METHODS.iter().map(Self)
    }

    /// Returns the method of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|method| method.name() == name)
    }

    /// The method's name in configurations and on the command line.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Whether the method plays at several limits.
    pub fn at_limits(self) -> bool {
        self.0.at_limits
    }

    /// Whether the method can begin with an earlier session's knowledge, not only with its values.
    pub fn with_earlier(self) -> bool {
        self.0.with_earlier
    }

    /// Whether the method estimates the regret of its answer, which can end a session.
    pub fn with_regret(self) -> bool {
        self.0.with_regret
    }

    /// Begins a session.
    ///
    /// # Errors
    /// [`SpaceError::TooFewPairs`], or [`SpaceError::Unsupported`] for a parameter that the method cannot tune.
    pub fn begin(self, setup: Setup) -> Result<Box<dyn Method>, SpaceError> {
        (self.0.begin)(setup)
    }
}

impl Default for MethodId {
    fn default() -> Self {
        Self(&METHODS[0])
    }
}

impl PartialEq for MethodId {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for MethodId {}

impl fmt::Debug for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for MethodId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for MethodId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| serde::de::Error::custom(format!("unknown tuning method `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regret::instance::{Instance, Surface};

    #[test]
    fn each_method_is_found_by_the_name_that_it_has_in_a_session() {
        for method in MethodId::all() {
            let space = Instance::new(3, 1, Surface::Quad).space(1.0).unwrap();
            let begun = method.begin(Setup::new(space, 1, 100)).unwrap();
            assert_eq!(begun.name(), method.name());
            assert_eq!(begun.answer().regret.is_some(), method.with_regret());
            assert_eq!(MethodId::named(method.name()), Some(method));
            let text = serde_json::to_string(&method).unwrap();
            assert_eq!(text, format!("\"{method}\""));
            assert_eq!(serde_json::from_str::<MethodId>(&text).unwrap(), method);
        }
        assert_eq!(MethodId::named("spas"), None);
        assert!(serde_json::from_str::<MethodId>("\"spas\"").unwrap_err().to_string().contains("`spas`"));
    }

    #[test]
    fn the_default_plays_at_limits_and_begins_with_what_is_known() {
        let default = MethodId::default();
        assert!(default.name() == "quadratic" && default.at_limits() && default.with_earlier());
        assert!(MethodId::all().filter(|method| *method != default).all(|other| !other.at_limits()));
    }
}
