//! From the options of `spar match` and `spar sprt` to a draft.

use super::{Draft, Engine, names, run_name};
use crate::args::described::{Described, Hypotheses};
use crate::failure::Failure;

/// Pairs of a match whose length nobody gave.
const USUAL_PAIRS: i64 = 100;
/// The hypotheses of a test that nobody gave, in Elo of its model.
const USUAL_BOUNDS: [f64; 2] = [0.0, 5.0];

/// What is played: the words that only one of the two commands has.
pub(crate) enum Task<'a> {
    /// So many pairs.
    Match,
    /// A sequential test.
    Sprt(&'a Hypotheses),
}

impl Described {
    /// The text of the configuration that these options describe.
    ///
    /// # Errors
    /// The first option that makes no sense by itself.
    pub(crate) fn draft(&self, task: &Task<'_>) -> Result<String, Failure> {
        let each = self.each()?;
        let engines = self.engines.engines.iter().map(|words| Engine::read(words, "--engine"));
        let engines = engines.collect::<Result<Vec<Engine>, Failure>>()?;
        check_limits(&each, &engines)?;
        let names = names(&each, &engines);
        let mut draft = Draft::new();
        match &self.name {
            Some(name) => draft.set(&["name"], name.as_str(), &format!("--name {name}")),
            None => draft.set(&["name"], run_name(&names), "after the engines"),
        }
        self.table(&mut draft);
        match task {
            Task::Match => self.fixed(&mut draft),
            Task::Sprt(hypotheses) => self.sprt(hypotheses, &mut draft),
        }
        self.openings(&mut draft);
        draft.engines(&each, &engines, &names);
        Ok(draft.text())
    }

    /// What all engines have in common.
    fn each(&self) -> Result<Engine, Failure> {
        let mut each = Engine::read(&self.engines.each, "--each")?;
        let limits = [("tc", &self.tc), ("st", &self.st), ("nodes", &self.nodes), ("depth", &self.depth)];
        for (key, text) in limits {
            if let Some(text) = text {
                each.set_limit(key, text, &format!("--{key} {text}"))?;
            }
        }
        Ok(each)
    }

    fn table(&self, draft: &mut Draft) {
        match &self.game {
            Some(game) => draft.set(&["game"], game.as_str(), &format!("--game {game}")),
            None => draft.set(&["game"], "chess", "usual"),
        }
        if let Some(seed) = self.seed {
            draft.set(&["seed"], seed.cast_signed(), &format!("--seed {seed}"));
        }
    }

    fn fixed(&self, draft: &mut Draft) {
        match self.pairs {
            Some(pairs) => draft.set(&["match", "pairs"], pairs.cast_signed(), &format!("--pairs {pairs}")),
            None => draft.set(&["match", "pairs"], USUAL_PAIRS, "usual"),
        }
    }

    fn sprt(&self, hypotheses: &Hypotheses, draft: &mut Draft) {
        let Hypotheses { elo0, elo1, alpha, beta, model } = hypotheses;
        for (key, given, usual) in [("elo0", elo0, USUAL_BOUNDS[0]), ("elo1", elo1, USUAL_BOUNDS[1])] {
            match given {
                Some(elo) => draft.set(&["sprt", key], *elo, &format!("--{key} {elo}")),
                None => draft.set(&["sprt", key], usual, "usual"),
            }
        }
        for (key, rate) in [("alpha", alpha), ("beta", beta)] {
            if let Some(rate) = rate {
                draft.set(&["sprt", key], *rate, &format!("--{key} {rate}"));
            }
        }
        if let Some(model) = model {
            draft.set(&["sprt", "model"], model.as_str(), &format!("--model {model}"));
        }
        if let Some(pairs) = self.pairs {
            draft.set(&["sprt", "max_pairs"], pairs.cast_signed(), &format!("--pairs {pairs}"));
        }
    }

    fn openings(&self, draft: &mut Draft) {
        let texts = [("file", "openings", &self.openings), ("order", "order", &self.order)];
        for (key, option, text) in texts {
            if let Some(text) = text {
                draft.set(&["openings", key], text.as_str(), &format!("--{option} {text}"));
            }
        }
        if let Some(plies) = self.plies {
            draft.set(&["openings", "plies"], i64::from(plies), &format!("--plies {plies}"));
        }
    }
}

/// Refuses play without any limit, which would never end.
pub(crate) fn check_limits(each: &Engine, engines: &[Engine]) -> Result<(), Failure> {
    for engine in engines {
        let endless = engine.unlimited().or_else(|| if engine.is_limited() { None } else { each.unlimited() });
        if let Some(words) = endless.filter(|_| !each.is_limited()) {
            let message = format!("`{words}` lets an engine think for ever: add `nodes`, `depth` or `st` to it");
            return Err(Failure::usage(message));
        }
    }
    Ok(())
}
