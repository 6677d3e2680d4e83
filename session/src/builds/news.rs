//! What is told of builds while they are made.

use super::cache::Build;
use super::git::Revision;
use reports::text::grouped;
use std::fmt;

/// Something that happens to a build; its text is a line for people.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum BuildNews {
    /// Another process builds the same: its end is waited for.
    Waiting(Revision),
    /// The revision is being built.
    Building(Revision),
    /// The engine is there.
    Ready(Build),
    /// Two engines that are to play each other are the same program, byte for byte.
    SameProgram,
    /// Two engines that are to play each other have the same signature: they search alike.
    SameSignature,
}

impl BuildNews {
    /// What is worth knowing of two engines that are to play each other.
    pub fn comparing(one: &Build, two: &Build) -> Option<Self> {
        if one.sha256 == two.sha256 {
            Some(Self::SameProgram)
        } else if one.nodes.is_some() && one.nodes == two.nodes {
            Some(Self::SameSignature)
        } else {
            None
        }
    }
}

impl fmt::Display for BuildNews {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting(revision) => write!(f, "Waiting for another process that builds {}", revision.asked),
            Self::Building(revision) => {
                write!(f, "Building {} ({}): {}", revision.asked, revision.short(), revision.subject())
            }
            Self::Ready(Build { revision, nodes, cached, .. }) => {
                let bench = nodes.map_or(String::new(), |nodes| format!(", bench {}", grouped(nodes)));
                let how = if *cached { "from the cache" } else { "built" };
                write!(f, "{} is {} {}{bench} ({how})", revision.asked, revision.short(), revision.subject())
            }
            Self::SameProgram => f.write_str("Both revisions make the same program, byte for byte."),
            Self::SameSignature => {
                f.write_str("Both count the same nodes: they search alike, and can differ in speed alone.")
            }
        }
    }
}
