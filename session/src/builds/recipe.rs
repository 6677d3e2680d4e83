//! `[build]` of a configuration: how to build an engine from its sources, and how to check that it is the engine that
//! its author built.

use super::build::ENGINE;
use arena::config::read_duration;
use plan::{BuildPlan, Given, Key, PlanError, RunPlan};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How to build an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Recipe {
    /// A command for `sh`, run in the top folder of the checkout.
    pub(super) command: String,
    /// The program that it makes, relative to that folder.
    pub(super) binary: String,
    /// Files that the program needs beside it, relative to that folder.
    pub(super) keep: Vec<String>,
    /// How to take its signature, if it has one.
    pub(super) bench: Option<Bench>,
    /// The timeout of the build, and of its bench.
    pub(super) within: Duration,
}

/// How to take the signature of an engine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Bench {
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// A part of a line that it prints, with `{}` in place of the number.
    pub(super) pattern: String,
}

impl Default for Recipe {
    /// The recipe of the 0.1 engine in a repository like this one.
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

/// The default timeout of a build.
const LONGEST: Duration = Duration::from_mins(30);

impl Recipe {
    /// Returns the working directory of an engine that was built into a folder, if it needs files beside it.
    pub(super) fn directory(&self, folder: &Path) -> Option<PathBuf> {
        (!self.keep.is_empty()).then(|| folder.join(ENGINE))
    }

    /// Returns the recipe as part of a plan.
    pub(super) fn plan(&self) -> BuildPlan {
        let Self { command, binary, keep, bench, within } = self;
        let text = |text: &str| Some(Given::derived(text, "as it was built"));
        BuildPlan {
            command: text(command),
            binary: text(binary),
            keep: (!keep.is_empty()).then(|| Given::derived(keep.clone(), "as it was built")),
            bench: bench
                .as_ref()
                .filter(|bench| !bench.arguments.is_empty())
                .and_then(|b| text(&b.arguments.join(" "))),
            signature: bench.as_ref().and_then(|bench| text(&bench.pattern)),
            within: (*within != LONGEST).then(|| format!("{}s", within.as_secs())).and_then(|within| text(&within)),
        }
    }

    /// Reads the recipe of a plan; the default is that of the 0.1 engine.
    pub(super) fn of(plan: &RunPlan) -> Result<Self, PlanError> {
        let Some(given) = &plan.keys.build else { return Ok(Self::default()) };
        let BuildPlan { command, binary, keep, bench, signature, within } = &given.value;
        let needed = |key: &Key<String>, name: &str| {
            let missing =
                || plan.error_at(&given.origin, format!("`[build]` has no `{name}`"), format!("add `{name} = ...`"));
            key.clone().ok_or_else(missing)
        };
        let (command, binary) = (needed(command, "command")?, needed(binary, "binary")?);
        let keep = keep.as_ref();
        let outside = |path: &String| path.is_empty() || path.starts_with('/') || path.split('/').any(|p| p == "..");
        let kept = keep.filter(|keep| keep.value.iter().any(outside)).map(|keep| &keep.origin);
        if let Some(origin) = outside(&binary.value).then_some(&binary.origin).or(kept) {
            let label = "expected a path below the top of the repository";
            return Err(plan.error_at(origin, "`binary` and `keep` are paths below the top of the repository", label));
        }
        let within = within.as_ref().map_or(Ok(LONGEST), |within| {
            let refused = || {
                plan.error_at(&within.origin, format!("`{}` is not a time", within.value), "a time such as \"30min\"")
            };
            read_duration(&within.value).ok_or_else(refused)
        });
        let keep = keep.map_or_else(Vec::new, |keep| keep.value.clone());
        let bench = signature_of(plan, bench.as_ref(), signature.as_ref())?;
        Ok(Self { command: command.value, binary: binary.value, keep, bench, within: within? })
    }
}

/// Reads how to take the signature, if the plan sets it.
fn signature_of(
    plan: &RunPlan,
    bench: Option<&Given<String>>,
    signature: Option<&Given<String>>,
) -> Result<Option<Bench>, PlanError> {
    match (bench, signature) {
        (None, None) => Ok(None),
        (Some(bench), None) => {
            let label = "add for instance `signature = \"{} nodes\"`";
            Err(plan.error_at(&bench.origin, "`bench` needs `signature`", label))
        }
        (bench, Some(Given { value: pattern, .. })) if pattern.matches("{}").count() == 1 => {
            let arguments = bench.iter().flat_map(|bench| bench.value.split_whitespace()).map(str::to_owned).collect();
            Ok(Some(Bench { arguments, pattern: pattern.clone() }))
        }
        (_, Some(signature)) => {
            let message = "`signature` needs one `{}`, where the number of nodes is";
            Err(plan.error_at(&signature.origin, message, "expected for instance \"{} nodes\""))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plan::Disk;

    fn read(text: &str) -> Result<Recipe, String> {
        let shown = |error: PlanError| format!("{:?}", miette::Report::new(error));
        RunPlan::read(text, "patch.toml", "patch", &[], None, Disk).and_then(|plan| Recipe::of(&plan)).map_err(shown)
    }

    #[test]
    fn a_recipe_is_read_beside_other_sections() {
        let text = "[sprt]\nelo0 = 0\n[build]\ncommand = \"make -j\"\nbinary = \"src/engine\"\nwithin = \"90s\"\n\
                    bench = \"bench 8\"\nsignature = \"Nodes searched : {}\"\nkeep = [\"nets/a.bin\"]";
        let recipe = read(text).unwrap();
        assert_eq!((recipe.command.as_str(), recipe.within), ("make -j", Duration::from_secs(90)));
        assert_eq!(recipe.bench.unwrap().arguments, ["bench", "8"]);
        assert_eq!(read("name = \"x\"").unwrap(), Recipe::default());
        // Writing a recipe as part of a plan and reading it back yields the same recipe.
        for text in [text, "name = \"x\""] {
            let recipe = read(text).unwrap();
            let mut plan = RunPlan::new("a plan", "a", Disk);
            plan.keys.build = Some(Given::usual(recipe.plan()));
            assert_eq!(Recipe::of(&plan).unwrap(), recipe);
        }
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
        assert!(unknown.contains("binry") && unknown.contains("patch.toml:3"), "{unknown}");
    }
}
