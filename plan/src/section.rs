//! The operations of all sections of a plan: writing them as TOML, replacing their values with another's, and listing
//! the origins of their values. The macro [`section`] declares a section once for all of them.

use super::Given;
use super::given::Origin;
use super::schema::{KeySchema, Takes};
use arena::config::{Compare, ExecutorKind, PositionFormat, ScheduleId};
use arena::run::OnStarvation;
use play::entrant::{MovesSent, Protocol, Restart, UnknownOptions};
use play::games::GameKind;
use play::{Conventions, LinesKept, TableResults};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_spanned::Spanned;
use std::fmt;
use tuner::Kind;

/// A key's value, if the plan has one.
pub type Key<T> = Option<Given<T>>;

/// A group of keys.
pub(super) trait Section: Clone {
    /// Writes all given values.
    fn write(&self, to: &mut Writer);
    /// Replaces its values with the other's.
    fn replace(&mut self, by: &Self);
    /// Removes its values where the other has one.
    fn forget(&mut self, given: &Self);
    /// Takes over the origin of each value that the other has, too.
    fn inherit(&mut self, from: &Self);
    /// Calls `see` with each origin.
    fn origins(&mut self, see: &mut dyn FnMut(&mut Origin));
    /// Its keys.
    fn schema() -> Vec<KeySchema>;
}

/// The value at a key of a section. The methods are those of [`Section`].
pub(super) trait Place {
    fn write(&self, key: &str, to: &mut Writer);
    fn replace(&mut self, by: &Self);
    fn forget(&mut self, given: &Self);
    fn inherit(&mut self, from: &Self);
    fn origins(&mut self, see: &mut dyn FnMut(&mut Origin));
    /// The type of the value.
    fn takes() -> Takes;
}

/// The content of a [`Given`]: a plain value or a section.
pub(super) trait Content: Clone {
    fn write(&self, key: &str, origin: &Origin, to: &mut Writer);
    fn inherit(&mut self, _from: &Self) {}
    fn origins(&mut self, _see: &mut dyn FnMut(&mut Origin)) {}
    /// Whether the two are equal, so that one may take over the other's origin.
    fn is_same(&self, other: &Self) -> bool;
    /// The type that it is read from.
    fn takes() -> Takes;
}

/// Declares a section: its keys, in the order in which they are written, and its implementation of [`Section`].
macro_rules! section {
    ($(#[$meta:meta])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, serde::Deserialize)]
        #[serde(default, deny_unknown_fields, expecting = "expected a section")]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $kind,)*
        }

        impl Section for $name {
            fn write(&self, to: &mut Writer) {
                $(Place::write(&self.$field, stringify!($field).trim_start_matches("r#"), to);)*
            }

            fn replace(&mut self, by: &Self) {
                $(Place::replace(&mut self.$field, &by.$field);)*
            }

            fn forget(&mut self, given: &Self) {
                $(Place::forget(&mut self.$field, &given.$field);)*
            }

            fn inherit(&mut self, from: &Self) {
                $(Place::inherit(&mut self.$field, &from.$field);)*
            }

            fn origins(&mut self, see: &mut dyn FnMut(&mut Origin)) {
                $(Place::origins(&mut self.$field, see);)*
            }

            fn schema() -> Vec<KeySchema> {
                vec![$(KeySchema::new(stringify!($field), concat!($($doc),*), <$kind as Place>::takes()),)*]
            }
        }

        impl Content for $name {
            fn write(&self, key: &str, _origin: &Origin, to: &mut Writer) {
                to.section(key, Form::Section, |to| Section::write(self, to));
            }

            fn inherit(&mut self, from: &Self) {
                Section::inherit(self, from);
            }

            fn origins(&mut self, see: &mut dyn FnMut(&mut Origin)) {
                Section::origins(self, see);
            }

            /// Sections always count as equal: the origin of a section is its place, independent of its values.
            fn is_same(&self, _other: &Self) -> bool {
                true
            }

            fn takes() -> Takes {
                Takes::Section(<Self as Section>::schema())
            }
        }
    };
}
pub(super) use section;

macro_rules! plain_contents {
    ($($kind:ty),*) => {
        $(impl Content for $kind {
            fn write(&self, key: &str, origin: &Origin, to: &mut Writer) {
                to.line(key, self, origin);
            }

            fn is_same(&self, other: &Self) -> bool {
                // Compared as text, since NaN is not equal to itself.
                toml::Value::try_from(self).map(|value| value.to_string())
                    == toml::Value::try_from(other).map(|value| value.to_string())
            }

            fn takes() -> Takes {
                $crate::schema::takes::<Self>()
            }
        })*
    };
}
pub(super) use plain_contents;
plain_contents!(
    bool,
    i32,
    u16,
    u32,
    u64,
    usize,
    f64,
    String,
    Vec<String>,
    Vec<f64>,
    [u64; 6],
    toml::Value,
    Vec<toml::Value>
);
plain_contents!(
    Conventions,
    LinesKept,
    TableResults,
    GameKind,
    ScheduleId,
    Compare,
    ExecutorKind,
    Kind,
    PositionFormat
);
plain_contents!(OnStarvation, Protocol, Restart, UnknownOptions, MovesSent);

impl<T: Content> Place for Option<Given<T>> {
    fn write(&self, key: &str, to: &mut Writer) {
        if let Some(given) = self {
            given.value.write(key, &given.origin, to);
        }
    }

    fn replace(&mut self, by: &Self) {
        if by.is_some() {
            self.clone_from(by);
        }
    }

    fn forget(&mut self, given: &Self) {
        if given.is_some() {
            *self = None;
        }
    }

    fn inherit(&mut self, from: &Self) {
        if let (Some(own), Some(from)) = (self, from) {
            own.value.inherit(&from.value);
            if own.value.is_same(&from.value) {
                own.origin = from.origin.clone();
            }
        }
    }

    fn origins(&mut self, see: &mut dyn FnMut(&mut Origin)) {
        if let Some(given) = self {
            see(&mut given.origin);
            given.value.origins(see);
        }
    }

    fn takes() -> Takes {
        T::takes()
    }
}

/// Sections that may occur many times.
impl<T: Section + Content> Place for Vec<Given<T>> {
    fn write(&self, key: &str, to: &mut Writer) {
        for one in self {
            to.section(key, Form::OneOfMany, |to| Section::write(&one.value, to));
        }
    }

    fn replace(&mut self, by: &Self) {
        if !by.is_empty() {
            self.clone_from(by);
        }
    }

    fn forget(&mut self, given: &Self) {
        if !given.is_empty() {
            self.clear();
        }
    }

    fn inherit(&mut self, from: &Self) {
        for (own, from) in self.iter_mut().zip(from) {
            Content::inherit(&mut own.value, &from.value);
            if own.value.is_same(&from.value) {
                own.origin = from.origin.clone();
            }
        }
    }

    fn origins(&mut self, see: &mut dyn FnMut(&mut Origin)) {
        for one in self {
            see(&mut one.origin);
            Content::origins(&mut one.value, see);
        }
    }

    fn takes() -> Takes {
        Takes::Sections(<T as Section>::schema())
    }
}

/// Values by names that the engine or the environment defines, in the order in which they are given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named(Vec<(Given<String>, Given<toml::Value>)>);

impl Named {
    /// The names and their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Given<String>, &Given<toml::Value>)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// Returns a value by its name.
    pub fn get(&self, name: &str) -> Option<&Given<toml::Value>> {
        self.0.iter().find(|(known, _)| known.value == name).map(|(_, value)| value)
    }

    /// Sets the value of a name, in its old place if it has one.
    pub fn set(&mut self, name: &str, value: Given<toml::Value>) {
        self.insert(value.with(name.to_owned()), value);
    }

    /// Does the same for a name whose origin differs from that of its value.
    pub fn insert(&mut self, name: Given<String>, value: Given<toml::Value>) {
        match self.0.iter_mut().find(|(known, _)| known.value == name.value) {
            Some(old) => *old = (name, value),
            None => self.0.push((name, value)),
        }
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &Given<String>> {
        self.0.iter().map(|(name, _)| name)
    }
}

impl Place for Named {
    fn write(&self, key: &str, to: &mut Writer) {
        if !self.0.is_empty() {
            to.section(key, Form::Section, |to| {
                for (name, given) in self.iter() {
                    to.line(&name.value, &given.value, &given.origin);
                }
            });
        }
    }

    fn replace(&mut self, by: &Self) {
        by.iter().for_each(|(name, value)| self.set(&name.value, value.clone()));
    }

    fn forget(&mut self, given: &Self) {
        self.0.retain(|(name, _)| given.get(&name.value).is_none());
    }

    fn inherit(&mut self, from: &Self) {
        for (name, value) in &mut self.0 {
            if let Some((from_name, from)) = from.iter().find(|(known, _)| known.value == name.value) {
                name.origin = from_name.origin.clone();
                if value.value.is_same(&from.value) {
                    value.origin = from.origin.clone();
                }
            }
        }
    }

    fn origins(&mut self, see: &mut dyn FnMut(&mut Origin)) {
        for (name, value) in &mut self.0 {
            see(&mut name.origin);
            see(&mut value.origin);
        }
    }

    fn takes() -> Takes {
        Takes::Names
    }
}

impl<'de> Deserialize<'de> for Named {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(NamedVisitor)
    }
}

/// Reads names and values, and sorts them by their place in the text.
struct NamedVisitor;

impl<'de> Visitor<'de> for NamedVisitor {
    type Value = Named;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a section of names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Named, A::Error> {
        let mut read = Vec::new();
        while let Some((name, value)) = map.next_entry::<Spanned<String>, Given<toml::Value>>()? {
            read.push((name, value));
        }
        read.sort_by_key(|(name, _)| name.span().start);
        let given = |(name, value): (Spanned<String>, _)| {
            let origin = Origin::Text(name.span());
            (Given { value: name.into_inner(), origin }, value)
        };
        Ok(Named(read.into_iter().map(given).collect()))
    }
}

/// The form in which a section is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `[key]`.
    Section,
    /// `[[key]]`.
    OneOfMany,
}

/// A TOML document under construction.
#[derive(Debug, Default)]
pub(super) struct Writer {
    path: Vec<String>,
    /// The keys of the section itself.
    lines: String,
    /// The sections below it, including their headers.
    sections: String,
    with_origins: bool,
}

impl Writer {
    /// A writer that leaves out origins.
    pub(super) fn plain() -> Self {
        Self::default()
    }

    /// A writer whose lines end with the origins of their values.
    pub(super) fn commented() -> Self {
        Self { with_origins: true, ..Self::default() }
    }

    /// Returns the written text.
    pub(super) fn text(self) -> String {
        let apart = if self.lines.is_empty() || self.sections.is_empty() { "" } else { "\n" };
        self.lines + apart + &self.sections
    }

    pub(super) fn line(&mut self, key: &str, value: &impl serde::Serialize, origin: &Origin) {
        use fmt::Write;
        let key = toml_edit::Key::new(key);
        let key = key.display_repr();
        let comment = origin.comment().filter(|_| self.with_origins).map_or_else(String::new, |words| {
            let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            format!("  # {words}")
        });
        // Only whole numbers beyond the range of TOML cannot be written; nothing reads or makes them.
        let value = toml::Value::try_from(value).unwrap_or(toml::Value::Integer(i64::MAX));
        let _never_fails = writeln!(self.lines, "{key} = {value}{comment}");
    }

    pub(super) fn section(&mut self, key: &str, form: Form, write: impl FnOnce(&mut Self)) {
        let mut path = self.path.clone();
        path.push(key.to_owned());
        let mut inner = Self { path, with_origins: self.with_origins, ..Self::default() };
        write(&mut inner);
        let Self { path, lines, sections, .. } = inner;
        let path = path.join(".");
        let parts: [&str; 2] = match form {
            Form::OneOfMany => [&format!("[[{path}]]\n"), &lines],
            Form::Section if lines.is_empty() && !sections.is_empty() => ["", ""],
            Form::Section => [&format!("[{path}]\n"), &lines],
        };
        for part in [parts.concat(), sections] {
            if !part.is_empty() {
                let apart = if self.sections.is_empty() { "" } else { "\n" };
                self.sections.push_str(apart);
                self.sections.push_str(&part);
            }
        }
    }
}
