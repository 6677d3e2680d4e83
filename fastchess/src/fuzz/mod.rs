//! Fuzz tests of fastchess's command lines and save files; the inputs are in `tests/corpus`.

use ::fuzz::{ReadOutcome, Target};

/// The placeholder in a command line for the save file that follows it.
const SAVE_FILE: &str = "SAVE";

#[test]
fn fastchess_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let save = folder.path().join("save.json");
    let place = save.to_string_lossy().into_owned();
    let target = Target::new("fastchess", env!("CARGO_MANIFEST_DIR"));
    target.words(&[" -config file=SAVE ", " -engine ", " cmd=a ", " name=b ", " -each ", " tc=10+0.1 "]).run(|input| {
        let text = String::from_utf8_lossy(input);
        let (line, file) = text.split_once('\n').unwrap_or((&text, ""));
        std::fs::write(&save, file.replace(SAVE_FILE, &place)).expect("a file");
        let words: Vec<String> = line.split(' ').map(|word| word.replace(SAVE_FILE, &place)).collect();
        match crate::plan(&words) {
            Ok((plan, job)) => {
                let text = plan.text();
                ReadOutcome::of(plan.resolve(job), |_| text.lines().count().to_string())
            }
            Err(failure) => {
                let message = failure.to_string().replace(&place, SAVE_FILE);
                ReadOutcome::Refused(as_shown(&message))
            }
        }
    });
}

/// The message as programs show it: without control characters, and with long lines cut.
fn as_shown(message: &str) -> String {
    message.chars().filter(|c| !c.is_control()).take(2_000).collect()
}
