//! From the options of `spar match` and `spar sprt` to a draft: all of a configuration, or what replaces parts of a file's.

use super::check::{Spelling, Typed, check_common, check_limits};
use super::{Draft, Engine, names, run_name};
use crate::args::described::{Described, Hypotheses};
use crate::failure::Failure;
use play::book::BookFormat;
use play::games::GameKind;

/// Pairs of a match whose length nobody gave.
const USUAL_PAIRS: i64 = 100;
/// The hypotheses of a test that nobody gave, in Elo of its model.
const USUAL_BOUNDS: [(&str, f64); 2] = [("elo0", 0.0), ("elo1", 5.0)];

/// How these options are written.
const SPELLING: Spelling =
    Spelling { engine: "--engine", each: "--each", limits: "`--tc 10+0.1`, `--st 0.1`, `--nodes 1000` or `--depth 8`" };

/// What is played: the words that only one of the two commands has.
pub(crate) enum Task<'a> {
    /// So many pairs.
    Match,
    /// A sequential test.
    Sprt(&'a Hypotheses),
}

impl Described {
    /// The text of the configuration that these options describe. `is_amended` says that settings by key will be applied to it, which
    /// may add what is missing.
    ///
    /// # Errors
    /// The first option that makes no sense by itself or beside the others.
    pub(crate) fn draft(&self, task: &Task<'_>, is_amended: bool) -> Result<String, Failure> {
        let each = self.each()?;
        let engines = self.engines.engines.iter().map(|words| Engine::read(words, SPELLING.engine));
        let engines = engines.collect::<Result<Vec<Engine>, Failure>>()?;
        check_limits(&each, &engines)?;
        let names = names(&each, &engines);
        let typed = Typed { each: &each, engines: &engines, names: &names };
        typed.check_count(matches!(task, Task::Sprt(_)), &SPELLING)?;
        if !is_amended {
            typed.check_each(self.game.as_deref() != Some(GameKind::ZeroPointOne.name()), &SPELLING)?;
        }
        let mut draft = Draft::new();
        draft.set(&["name"], run_name(&names), "after the engines");
        draft.set(&["game"], GameKind::Chess.name(), USUAL);
        match task {
            Task::Match => draft.set(&["match", "pairs"], USUAL_PAIRS, USUAL),
            Task::Sprt(_) => USUAL_BOUNDS.iter().for_each(|(key, elo)| draft.set(&["sprt", key], *elo, USUAL)),
        }
        self.put_all(task, is_amended, &mut draft)?;
        draft.engines(&each, &engines, &names);
        Ok(draft.text())
    }

    /// A configuration's text with these options in place of what it says; `None` if no option is given, or if the text is none of a
    /// configuration, which its reader says better.
    ///
    /// # Errors
    /// The first option that makes no sense by itself or beside the file.
    pub(crate) fn over(&self, text: &str, task: &Task<'_>, is_amended: bool) -> Result<Option<String>, Failure> {
        let each = self.each()?;
        // Whatever limits the file has, these take their place.
        check_limits(&each, &[Engine::default()])?;
        let Ok(document) = text.parse() else { return Ok(None) };
        let mut draft = Draft::over(document);
        self.put_all(task, is_amended, &mut draft)?;
        draft.for_all(&each);
        Ok(draft.is_changed().then(|| draft.text()))
    }

    /// What all engines have in common.
    pub(crate) fn each(&self) -> Result<Engine, Failure> {
        let mut each = Engine::read(&self.engines.each, SPELLING.each)?;
        let limits = [("tc", &self.tc), ("st", &self.st), ("nodes", &self.nodes), ("depth", &self.depth)];
        for (key, text) in limits {
            if let Some(text) = text {
                each.set_limit(key, text, &format!("--{key} {text}"))?;
            }
        }
        check_common(&each)?;
        Ok(each)
    }

    /// Everything but the engines.
    fn put_all(&self, task: &Task<'_>, is_amended: bool, draft: &mut Draft) -> Result<(), Failure> {
        draft.set_text(&["name"], "--name", self.name.as_deref());
        draft.set_text(&["game"], "--game", self.game.as_deref());
        draft.set_number(&["seed"], "--seed", self.seed);
        match task {
            Task::Match => draft.set_number(&["match", "pairs"], "--pairs", self.pairs),
            Task::Sprt(hypotheses) => {
                put_hypotheses(hypotheses, draft);
                draft.set_number(&["sprt", "max_pairs"], "--pairs", self.pairs);
            }
        }
        self.put_openings(draft);
        if is_amended { Ok(()) } else { self.check_openings(draft) }
    }

    fn put_openings(&self, draft: &mut Draft) {
        if self.openings.is_some() {
            // What is said of other openings does not fit these: of another book its format, of none how plies are drawn.
            let stale: &[&str] =
                if draft.has(&["openings", "file"]) { &["format"] } else { &["source", "plies", "balance"] };
            for key in stale {
                draft.remove(&["openings", key]);
            }
        }
        draft.set_text(&["openings", "file"], "--openings", self.openings.as_deref());
        draft.set_text(&["openings", "order"], "--order", self.order.as_deref());
        draft.set_number(&["openings", "plies"], "--plies", self.plies.map(u64::from));
    }

    fn check_openings(&self, draft: &Draft) -> Result<(), Failure> {
        match (&self.openings, &self.order) {
            (None, Some(order)) if !draft.has(&["openings", "file"]) => {
                Err(Failure::usage(format!("`--order {order}` is the order of a book: add `--openings FILE`")))
            }
            (Some(file), _) => check_book(file, draft),
            (None, _) => Ok(()),
        }
    }
}

/// A book whose name does not tell what it is, or that does not say how long its openings are, needs another option.
fn check_book(file: &str, draft: &Draft) -> Result<(), Failure> {
    let refused = |why: String| Err(Failure::usage(format!("`--openings {file}`: {why}")));
    match BookFormat::of_name(file) {
        Err(error) => refused(format!("{error}; or say it by `--set openings.format=epd`")),
        Ok(BookFormat::Polyglot) if !draft.has(&["openings", "plies"]) => {
            refused("a Polyglot book does not say how long an opening is: add for instance `--plies 12`".to_owned())
        }
        Ok(_) => Ok(()),
    }
}

fn put_hypotheses(hypotheses: &Hypotheses, draft: &mut Draft) {
    let Hypotheses { elo0, elo1, alpha, beta, model } = hypotheses;
    for (key, number) in [("elo0", elo0), ("elo1", elo1), ("alpha", alpha), ("beta", beta)] {
        if let Some(number) = number {
            draft.set(&["sprt", key], *number, &format!("--{key} {number}"));
        }
    }
    draft.set_text(&["sprt", "model"], "--model", model.as_deref());
}

/// What the comment of a line says that no option asks for.
const USUAL: &str = "usual";
