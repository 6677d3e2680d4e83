//! The events of builds.

use super::build::Build;
use super::revision::Revision;
use reports::text::{grouped, spoken};
use std::fmt;
use std::io;
use std::time::Duration;

/// A step of a build that takes time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Waiting for another process that builds the same.
    Waiting,
    /// Running the build command.
    Building,
    /// Running the engine's bench.
    Bench,
}

/// An event of a build; its text is a line for users.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildEvent {
    /// Another process is building the same; this build waits for it.
    Waiting(Revision),
    /// The revision is being built.
    Building(Revision),
    /// The engine is built, and its bench runs.
    Benching(Revision),
    /// A step is still in progress; sent once a second.
    Working {
        /// The step.
        step: Step,
        /// The revision.
        revision: Revision,
        /// The time that the step has taken so far.
        elapsed: Duration,
    },
    /// The engine is ready.
    Ready(Build),
    /// Two engines that will play each other, by their revisions, are the same program, byte for byte.
    SameProgram([String; 2]),
    /// Two engines that will play each other, by their revisions, have the same signature: they search alike.
    SameSignature([String; 2]),
}

impl BuildEvent {
    /// Compares two engines that will play each other, and returns what is worth reporting.
    ///
    /// # Errors
    /// [`io::Error`] if a file beside one of them cannot be read.
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
