//! `[build]` of a configuration: how an engine is made from its sources, and how it is known to be what its author built.

use crate::failure::Failure;
use serde::Deserialize;
use std::time::Duration;

/// How to build an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Recipe {
    /// A command for `sh`, run at the top of the checkout.
    pub(crate) command: String,
    /// The program that it makes, relative to that place.
    pub(crate) binary: String,
    /// Files that the program needs beside it, at the same places relative to the top.
    pub(crate) keep: Vec<String>,
    /// How to take its signature, if it has one.
    pub(crate) bench: Option<Bench>,
    /// How long building may take, and taking the signature.
    pub(crate) within: Duration,
}

/// How to take the signature of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bench {
    /// Arguments of the program.
    pub(crate) arguments: Vec<String>,
    /// A part of a line that it prints, with `{}` in place of the number.
    pub(crate) pattern: String,
}

/// As typed in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRecipe {
    command: String,
    binary: String,
    #[serde(default)]
    keep: Vec<String>,
    bench: Option<String>,
    signature: Option<String>,
    within: Option<String>,
}

/// The part of a configuration that is looked at here.
#[derive(Debug, Deserialize)]
struct File {
    build: Option<RawRecipe>,
}

impl Default for Recipe {
    /// The engine of 0.1 from a repository like this one.
    fn default() -> Self {
        Self {
            command: "cargo build --release --locked --target-dir target -p engine --bin zeropoint".to_owned(),
            binary: "target/release/zeropoint".to_owned(),
            keep: Vec::new(),
            bench: Some(Bench { arguments: vec!["bench".to_owned()], pattern: "{} nodes".to_owned() }),
            within: LONGEST,
        }
    }
}

/// How long a build may take unless the configuration says otherwise.
const LONGEST: Duration = Duration::from_mins(30);

impl Recipe {
    /// The recipe in the text of a configuration called `name`.
    pub(crate) fn read(text: &str, name: &str) -> Result<Self, Failure> {
        let file: File = toml::from_str(text).map_err(|error| Failure::usage(format!("{name}: {error}")))?;
        let Some(raw) = file.build else { return Ok(Self::default()) };
        let refused = |why: &str| Failure::usage(format!("{name}: in `[build]`: {why}"));
        let paths = std::iter::once(&raw.binary).chain(&raw.keep);
        if paths.into_iter().any(|path| path.is_empty() || path.starts_with('/') || path.split('/').any(|p| p == ".."))
        {
            return Err(refused("`binary` and `keep` are paths below the top of the repository"));
        }
        let bench = match (raw.bench, raw.signature) {
            (None, None) => None,
            (bench, Some(pattern)) if pattern.matches("{}").count() == 1 => {
                let arguments = bench.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
                Some(Bench { arguments, pattern })
            }
            (_, Some(_)) => return Err(refused("`signature` needs one `{}`, where the number of nodes is")),
            (Some(_), None) => return Err(refused("`bench` needs `signature`, e.g. \"{} nodes\"")),
        };
        let within = match raw.within {
            None => LONGEST,
            Some(text) => {
                arena::config::read_duration(&text).ok_or_else(|| refused("`within` is a time such as \"30min\""))?
            }
        };
        Ok(Self { command: raw.command, binary: raw.binary, keep: raw.keep, bench, within })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Recipe, String> {
        Recipe::read(text, "patch.toml").map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_recipe_is_read_beside_other_sections() {
        let text = "[sprt]\nelo0 = 0\n[build]\ncommand = \"make -j\"\nbinary = \"src/engine\"\nwithin = \"90s\"\n\
                    bench = \"bench 8\"\nsignature = \"Nodes searched : {}\"\nkeep = [\"nets/a.bin\"]";
        let recipe = read(text).unwrap();
        assert_eq!((recipe.command.as_str(), recipe.within), ("make -j", Duration::from_secs(90)));
        assert_eq!(recipe.bench.unwrap().arguments, ["bench", "8"]);
        assert_eq!(read("name = \"x\"").unwrap(), Recipe::default());
    }

    #[test]
    fn what_cannot_be_built_is_refused_in_words() {
        let error = |text: &str| read(&format!("[build]\ncommand = \"make\"\n{text}")).unwrap_err();
        assert!(error("binary = \"/usr/bin/x\"").contains("below the top"));
        assert!(error("binary = \"../x\"").contains("below the top"));
        assert!(error("binary = \"x\"\nbench = \"bench\"").contains("`bench` needs `signature`"));
        assert!(error("binary = \"x\"\nsignature = \"nodes\"").contains("needs one `{}`"));
        assert!(error("binary = \"x\"\nwithin = \"soon\"").contains("a time such as"));
        let unknown = error("binry = \"x\"");
        assert!(unknown.contains("binry") && unknown.contains("line 3"), "{unknown}");
    }
}
