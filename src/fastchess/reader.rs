//! From a fastchess command line to what it asks for.

use super::refused::refusal;
use super::request::Request;
use super::values::{
    Concurrency, affinity, concurrency, file, form, games, in_its_folder, pgn_file, positive, report, schedule, seed,
    seeds, variant,
};
use super::words::{Given, Pair, split};
use crate::draft::{Draft, Engine, Spelling, Typed, check_common, check_limits, names, run_name};
use crate::failure::Failure;
use arena::config::Job;
use play::book::BookFormat;
use std::num::NonZeroU64;

/// How the options on engines are written.
const SPELLING: Spelling =
    Spelling { engine: "-engine", each: "-each", limits: "`tc=10+0.1`, `st=0.1`, `nodes=1000` or `depth=8`" };

/// What the comment of a line says that no words ask for.
const USUAL: &str = "usual";

/// Rounds where none are given: of a match, and of a test, which is to end by itself.
const USUAL_ROUNDS: [i64; 2] = [2, 500_000];

/// Of `-quick`: the clock, the rounds, and how many processors are left alone.
const QUICK_CLOCK: &str = "10+0.1";
const QUICK_ROUNDS: i64 = 25_000;
const QUICK_IDLE: usize = 2;

/// Reads a command line.
///
/// # Errors
/// The first option that is unknown, refused or makes no sense.
pub(super) fn read(words: &[String]) -> Result<Request, Failure> {
    let mut reader = Reader::new();
    reader.read(words)?;
    reader.finish()
}

/// The options so far.
struct Reader {
    request: Request,
    draft: Draft,
    engines: Vec<Engine>,
    /// The words of all `-each`.
    each: Vec<String>,
    /// How many, and the words that say so.
    rounds: Option<(i64, String)>,
    schedule: (&'static str, String),
    openings: Openings,
    seed: Option<(i64, String)>,
    concurrency: Option<Concurrency>,
    /// `-quick`, as typed, if it was.
    quick: Option<String>,
    /// Whether more games at a time than processors are meant.
    force: bool,
}

/// Where the openings come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Openings {
    /// The game's start alone.
    Start,
    /// A file from its beginning.
    Listed,
    /// A file in an order that the seed decides.
    Shuffled,
}

impl Reader {
    fn new() -> Self {
        let mut draft = Draft::new();
        draft.set(&["game"], "chess", USUAL);
        Self {
            request: Request::default(),
            draft,
            engines: Vec::new(),
            each: Vec::new(),
            rounds: None,
            schedule: ("round-robin", USUAL.to_owned()),
            openings: Openings::Start,
            seed: None,
            concurrency: None,
            quick: None,
            force: false,
        }
    }

    fn read(&mut self, words: &[String]) -> Result<(), Failure> {
        split(words)?.iter().try_for_each(|given| self.take(given))
    }

    fn take(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        match given.name {
            "engine" => self.engines.push(in_its_folder(Engine::read(given.words, "-engine")?)),
            "each" => self.each.extend_from_slice(given.words),
            "quick" => self.quick(given)?,
            "rounds" => self.rounds = Some((positive(given)?, given.text())),
            "repeat" if given.words.is_empty() => {}
            "games" | "repeat" => games(given)?,
            "openings" => self.openings(given)?,
            "sprt" => self.sprt(given)?,
            "draw" => self.draw(given)?,
            "resign" => self.resign(given)?,
            "maxmoves" => self.draft.set(&["adjudication", "max_moves"], positive(given)?, &given.text()),
            "variant" => self.draft.set(&["game"], variant(given.word()?), &given.text()),
            "tournament" => self.schedule = (schedule(given)?, given.text()),
            "seeds" => seeds(given)?,
            "srand" | "seed" => self.seed = Some((seed(given)?, given.text())),
            _ => return self.take_surroundings(given),
        }
        Ok(())
    }

    /// The options that do not change what is played.
    fn take_surroundings(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        let request = &mut self.request;
        match given.name {
            "concurrency" => self.concurrency = Some(concurrency(given)?),
            "force-concurrency" => self.force = true,
            "use-affinity" => self.draft.set(&["affinity"], affinity(given)?, &given.text()),
            "pgnout" => request.pgn = Some(pgn_file(given)?),
            "epdout" => request.epd = Some(file(given, &["file", "append"])?),
            "log" => request.trace = Some(file(given, &["file", "level", "realtime", "engine", "compress", "append"])?),
            "output" => request.style.form = form(given)?,
            "ratinginterval" => request.style.rating_interval = NonZeroU64::new(given.number("a number of games")?),
            "scoreinterval" => request.style.score_interval = NonZeroU64::new(given.number("a number of games")?),
            "report" => report(given)?,
            "event" => request.event = Some(given.words.join(" ")),
            "site" => request.site = Some(given.words.join(" ")),
            // A crash is always recovered from, and every pair is saved as it ends.
            "recover" | "testEnv" => given.alone()?,
            "show-latency" => {
                given.alone()?;
                say!("`-show-latency`: latency is told of each move, by `-pgnout file=... latency=true`");
            }
            "autosaveinterval" => drop(given.number::<u64>("a number of games")?),
            unknown => return Err(refusal(unknown)),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Request, Failure> {
        let mut each = Engine::read(&self.each, "-each")?;
        self.as_usual_for_quick(&mut each)?;
        check_common(&each)?;
        check_limits(&each, &self.engines)?;
        let names = names(&each, &self.engines);
        let typed = Typed { each: &each, engines: &self.engines, names: &names };
        typed.check_count(self.request.job == Job::Sprt, &SPELLING)?;
        typed.check_each(true, &SPELLING)?;
        self.draft.set(&["name"], run_name(&names), "after the engines");
        let games = self.concurrency.unwrap_or(Concurrency::Games(1)).games(self.force)?;
        self.draft.set(&["concurrency"], games.cast_signed() as i64, "-concurrency");
        self.length();
        self.chance();
        self.draft.engines(&each, &self.engines, &names);
        self.request.text = self.draft.text();
        Ok(self.request)
    }

    /// How many pairs at most, and of whom.
    fn length(&mut self) {
        let (usual, path) = match self.request.job {
            Job::Sprt => (USUAL_ROUNDS[1], ["sprt", "max_pairs"]),
            _ => (USUAL_ROUNDS[0], ["match", "pairs"]),
        };
        let (rounds, from) = self.rounds.clone().unwrap_or((usual, USUAL.to_owned()));
        self.draft.set(&path, rounds, &from);
        if self.request.job == Job::Match {
            self.draft.set(&["match", "schedule"], self.schedule.0, &self.schedule.1);
        }
    }

    /// The seed. A file in random order is to be in another order each time, unless a seed is given.
    fn chance(&mut self) {
        match (&self.seed, self.openings) {
            (Some((seed, from)), _) => self.draft.set(&["seed"], *seed, from),
            (None, Openings::Shuffled) => {
                self.draft.set(&["seed"], session::unix_ms(), "from the clock, as there is no -srand");
            }
            (None, Openings::Listed | Openings::Start) => {}
        }
        if self.openings == Openings::Start {
            self.draft.set(&["openings", "source"], "start", USUAL);
        }
    }

    /// Two engines and a book.
    fn quick(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        for Pair { key, value, .. } in given.pairs(&["cmd", "book"])? {
            let words = match key {
                "cmd" => vec!["-engine".to_owned(), format!("cmd={value}")],
                _ => vec!["-openings".to_owned(), format!("file={value}"), "order=random".to_owned()],
            };
            self.read(&words)?;
        }
        self.quick = Some(given.text());
        Ok(())
    }

    /// What is usual for a quick look, where nothing else is said.
    fn as_usual_for_quick(&mut self, each: &mut Engine) -> Result<(), Failure> {
        let Some(from) = &self.quick else { return Ok(()) };
        let is_limited = each.is_limited() || self.engines.iter().any(Engine::is_limited);
        if !is_limited {
            each.set_limit("tc", QUICK_CLOCK, from)?;
        }
        let _rounds = self.rounds.get_or_insert_with(|| (QUICK_ROUNDS, from.clone()));
        let _concurrency = self.concurrency.get_or_insert(Concurrency::AllBut(QUICK_IDLE));
        Ok(())
    }

    fn openings(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        let pairs = given.pairs(&["file", "format", "order", "plies", "start", "policy"])?;
        let value = |key| pairs.iter().find(|pair| pair.key == key);
        let Some(path) = value("file") else { return Err(given.expected("`file=...`")) };
        let from_name = BookFormat::of_name(path.value).ok();
        let format = value("format").map_or(from_name, |format| format.value.parse().ok());
        self.draft.set(&["openings", "order"], "sequential", USUAL);
        for pair in &pairs {
            let path = ["openings", pair.key];
            match pair.key {
                // A position has no plies to cut off: fastchess takes no notice of them either.
                "plies" if format == Some(BookFormat::Epd) => {}
                "plies" | "start" => self.draft.set(&path, i64::from(pair.number::<u32>("a number")?), &pair.from),
                "policy" if pair.value == "round" => {}
                "policy" => return Err(pair.expected("`round`: every round has an opening of its own")),
                _ => self.draft.set(&path, pair.value, &pair.from),
            }
        }
        let is_random = value("order").is_some_and(|order| order.value == "random");
        self.openings = if is_random { Openings::Shuffled } else { Openings::Listed };
        Ok(())
    }

    fn sprt(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        self.request.job = Job::Sprt;
        for pair in given.pairs(&["elo0", "elo1", "alpha", "beta", "model"])? {
            let path = ["sprt", pair.key];
            match pair.key {
                "model" => self.draft.set(&path, pair.value, &pair.from),
                _ => self.draft.set(&path, pair.number::<f64>("a number")?, &pair.from),
            }
        }
        self.draft.set(&["sprt", "overshoot"], false, "as in fastchess");
        Ok(())
    }

    fn draw(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        let keys = [("movenumber", "from_move", 0), ("movecount", "moves", 1), ("score", "score", 0)];
        let pairs = given.pairs(&keys.map(|(key, ..)| key))?;
        self.ruling("draw", &keys, &pairs)
    }

    fn resign(&mut self, given: &Given<'_>) -> Result<(), Failure> {
        let keys = [("movecount", "moves", 1), ("score", "score", 0)];
        let pairs = given.pairs(&["movecount", "score", "twosided"])?;
        self.ruling("resign", &keys, &pairs)?;
        if let Some(pair) = pairs.iter().find(|pair| pair.key == "twosided") {
            self.draft.set(&["adjudication", "resign", "two_sided"], pair.switch()?, &pair.from);
        }
        Ok(())
    }

    /// The numbers of a ruling: by fastchess's keys, by ours, and what they are where nothing is said.
    fn ruling(&mut self, ruling: &str, keys: &[(&str, &str, i64)], pairs: &[Pair<'_>]) -> Result<(), Failure> {
        for (theirs, ours, usual) in keys {
            let path = ["adjudication", ruling, ours];
            match pairs.iter().find(|pair| pair.key == *theirs) {
                Some(pair) => self.draft.set(&path, i64::from(pair.number::<u32>("a number")?), &pair.from),
                None => self.draft.set(&path, *usual, USUAL),
            }
        }
        Ok(())
    }
}
