//! `spar bundle`: bundles the engine into one source file for its tournament.

#[cfg(not(feature = "bundle"))]
pub(crate) fn bundle(_bundle: &crate::args::Bundle) -> Result<crate::failure::Exit, crate::failure::Failure> {
    Err(crate::failure::Failure::usage(crate::optional::missing("the bundler", "bundle")))
}

#[cfg(feature = "bundle")]
pub(crate) use known::bundle;

#[cfg(feature = "bundle")]
mod known {
    use crate::args::Bundle as Arguments;
    use crate::commands::{print, print_json};
    use crate::failure::{Exit, Failure};
    use ::bundle::{Book, Bundle, BundleError, Contents, LIMIT, bundle as make};
    use anyhow::{Context, anyhow};
    use arena::run::replace_file;
    use engine::Params;
    use reports::text::grouped;
    use serde_json::{Map, Value, json};
    use std::path::Path;

    pub(crate) fn bundle(arguments: &Arguments) -> Result<Exit, Failure> {
        let Arguments { out, network, book, without_book, settings, json } = arguments;
        let network = network.as_ref().map(|path| read("network", path)).transpose()?;
        let book = book.as_ref().map(|path| read("book", path)).transpose()?;
        let book = match &book {
            Some(bytes) => Book::File(bytes),
            None if *without_book => Book::None,
            None => Book::Shipped,
        };
        let contents = Contents { network: network.as_deref(), book, params: params(settings)? };
        let made = make(&contents).map_err(refused)?;
        replace_file(out, made.text.as_bytes()).map_err(Failure::environment)?;
        let size = made.text.len();
        if *json {
            let parts: Map<String, Value> =
                made.parts.iter().map(|(name, size)| ((*name).to_owned(), json!(size))).collect();
            print_json(&json!({ "file": out, "bytes": size, "limit": LIMIT, "parts": parts }))?;
        } else {
            print(table(&made))?;
            say!("rustc -O --edition 2021 {} makes a program of it.", out.display());
        }
        Ok(Exit::Done)
    }

    fn read(what: &str, path: &Path) -> Result<Vec<u8>, Failure> {
        let bytes = std::fs::read(path).with_context(|| format!("cannot read the {what} {}", path.display()));
        bytes.map_err(Failure::Usage)
    }

    /// The default parameters with these changes.
    fn params(settings: &[String]) -> Result<Params, Failure> {
        let mut params = Params::default();
        for setting in settings {
            let change =
                setting.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
            let (name, value) = change.ok_or_else(|| {
                Failure::Usage(anyhow!("`--set {setting}`: expected NAME=NUMBER, e.g. codecup_reserve=1"))
            })?;
            params.set(name, value).map_err(|error| Failure::Usage(anyhow!("`--set {setting}`: {error}")))?;
        }
        Ok(params)
    }

    /// The failure for a bundle error: either the user's input cannot be used, or the sources do not match the program,
    /// which is a fault of this build.
    fn refused(error: BundleError) -> Failure {
        match error {
            BundleError::Weights(_) | BundleError::Book(_) | BundleError::TooLarge { .. } => {
                Failure::Usage(anyhow!(error))
            }
            BundleError::Source(_) => Failure::Environment(anyhow!(error)),
        }
    }

    fn table(made: &Bundle) -> String {
        let size = made.text.len();
        let row = |name: &str, size: usize| format!("{name:<10}{:>12}", grouped(size as u64));
        let mut lines: Vec<String> = made.parts.iter().map(|(name, size)| row(name, *size)).collect();
        lines.push(format!(
            "{} of {} bytes ({:.0}%)",
            row("in all", size),
            grouped(LIMIT as u64),
            100.0 * size as f64 / LIMIT as f64
        ));
        lines.join("\n")
    }
}
