//! The events of builds.

use super::build::Build;
use super::revision::Revision;
use reports::text::{grouped, spoken};
use std::fmt;
use std::io;
use std::time::Duration;

/// What takes its time in a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Another process builds the same.
    Waiting,
    /// The build command runs.
    Building,
    /// The engine's bench runs.
    Bench,
}

/// Something that happens to a build; its text is a line for people.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildEvent {
    /// Another process builds the same: its end is waited for.
    Waiting(Revision),
    /// The revision is being built.
    Building(Revision),
    /// The engine is built, and its bench runs.
    Benching(Revision),
    /// A step is still at work; sent once a second.
    Working {
        /// Which.
        step: Step,
        /// What is built.
        revision: Revision,
        /// How long the step has taken so far.
        elapsed: Duration,
    },
    /// The engine is there.
    Ready(Build),
    /// Two engines that are to play each other, by their revisions, are the same program, byte for byte.
    SameProgram([String; 2]),
    /// Two engines that are to play each other, by their revisions, have the same signature: they search alike.
    SameSignature([String; 2]),
}

impl BuildEvent {
    /// What is worth knowing of two engines that are to play each other.
    ///
    /// # Errors
    /// If a file beside one of them cannot be read.
    pub fn comparing(one: &Build, two: &Build) -> io::Result<Option<Self>> {
        let names = [one, two].map(|build| build.revision.asked.clone());
        if one.is_same_engine(two)? {
            return Ok(Some(Self::SameProgram(names)));
        }
        Ok((one.nodes.is_some() && one.nodes == two.nodes).then_some(Self::SameSignature(names)))
    }
}

impl fmt::Display for BuildEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting(revision) => write!(f, "Waiting for another process that builds {}", revision.asked),
            Self::Building(revision) => {
                write!(f, "Building {} ({}): {}", revision.asked, revision.short(), revision.subject())
            }
            Self::Benching(revision) => write!(f, "Running the bench: {} ({})", revision.asked, revision.short()),
            Self::Working { step, revision, elapsed } => {
                let what = match step {
                    Step::Waiting => "Waiting for the other build:",
                    Step::Building => "Building",
                    Step::Bench => "Running the bench:",
                };
                write!(f, "{what} {} ({}), {} so far", revision.asked, revision.short(), spoken(*elapsed))
            }
            Self::Ready(Build { revision, nodes, cached, .. }) => {
                let bench = nodes.map_or(String::new(), |nodes| format!(", bench {}", grouped(nodes)));
                let how = if *cached { "from the cache" } else { "built" };
                write!(f, "{} is {} {}{bench} ({how})", revision.asked, revision.short(), revision.subject())
            }
            Self::SameProgram([one, two]) => write!(f, "{one} and {two} are the same program, byte for byte."),
            Self::SameSignature([one, two]) => {
                write!(f, "{one} and {two} have the same bench: they search alike, so only their speed can differ.")
            }
        }
    }
}
