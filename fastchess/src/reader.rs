//! Reads a fastchess command line into a request.

use super::engines::Engines;
use super::log::LogFile;
use super::refused::refusal;
use super::request::{Form, Request};
use super::saved::SaveFile;
use super::values::{
    Concurrency, affinity, checksums, concurrency, epd_file, form, pgn_file, positive, report, schedule, seed,
    table_folders, table_results, timeouts, usual_schedule, variant, wait,
};
use super::words::{Pair, Words, split};
use crate::error::FastchessError;
use arena::config::{Job, ScheduleId};
use plan::words::{Engine, Spelling, Typed, check_limits, names_of, seat};
use plan::{CountPlan, DrawPlan, GamesPlan, Given, Key, Keys, ResignPlan, from_word, names, within};
use play::book::BookFormat;
use play::entrant::EngineTimeouts;
use play::games::{GameKind, Rules};
use play::{Conventions, LinesKept};
use std::num::NonZeroU64;
use std::time::Duration;

/// The spelling of the options on engines.
const SPELLING: Spelling =
    Spelling { engine: "-engine", each: "-each", limits: "`tc=10+0.1`, `st=0.1`, `nodes=1000` or `depth=8`" };

/// The default number of rounds: of a match, and of a test, which normally ends by itself.
const USUAL_ROUNDS: [u64; 2] = [2, 500_000];

/// How long to wait for a late move before its engine counts as stalled.
const USUAL_OVERRUN: &str = "10s";

/// The defaults of `-quick`: the clock, the rounds, and the number of idle processors.
const QUICK_CLOCK: &str = "tc=10+0.1";
/// The draw adjudication of `-quick`: the move number, the number of moves, and the centipawns.
const QUICK_DRAW: [u32; 3] = [30, 8, 8];
const QUICK_ROUNDS: u64 = 25_000;
const QUICK_IDLE: usize = 2;

/// Reads a command line.
///
/// # Errors
/// The first option that is unknown, refused or invalid.
pub(super) fn read(words: &[String]) -> Result<Request, FastchessError> {
    let mut reader = Reader::new();
    reader.read(words)?;
    reader.finish()
}

/// The options that were read so far.
struct Reader {
    request: Request,
    engines: Engines,
    /// The number of rounds, and of games in each.
    rounds: Option<Given<u64>>,
    games: Option<Given<u64>>,
    /// How seats are swapped and what is counted, unless by default.
    swap: Key<bool>,
    reverse: Key<bool>,
    count: Key<CountPlan>,
    schedule: Given<ScheduleId>,
    /// The number of engines that play a gauntlet.
    seeds: Option<Given<u32>>,
    openings: Openings,
    seed: Option<Given<u64>>,
    concurrency: Option<Concurrency>,
    /// The text of `-quick`, if it is given.
    quick: Option<String>,
    /// Whether to allow more simultaneous games than processors.
    force: bool,
    /// How long engines may take to be ready, and the words that set it.
    timeouts: Option<(Duration, String)>,
    /// Whether an option sets the time to start.
    has_start: bool,
    /// How long to wait for late moves.
    overrun: Given<String>,
}

/// The source of the openings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Openings {
    /// The start position of the game.
    Start,
    /// A file in its own order.
    Listed,
    /// A file in an order determined by the seed.
    Shuffled,
}

impl Reader {
    fn new() -> Self {
        let mut request = Request::default();
        request.plan.keys.game = Some(Given::usual(GameKind::Chess));
        request.plan.keys.conventions = Some(Given::derived(Conventions::Fastchess, "as in fastchess"));
        Self {
            request,
            engines: Engines::default(),
            rounds: None,
            games: None,
            swap: None,
            reverse: None,
            count: None,
            schedule: Given::usual(usual_schedule()),
            seeds: None,
            openings: Openings::Start,
            seed: None,
            concurrency: None,
            quick: None,
            force: false,
            timeouts: None,
            has_start: false,
            overrun: Given::derived(USUAL_OVERRUN, "to distinguish a hang from a late move, as in fastchess"),
        }
    }

    fn read(&mut self, words: &[String]) -> Result<(), FastchessError> {
        split(words)?.iter().try_for_each(|given| self.take(given))
    }

    fn take(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        if given.name != "config" {
            let option = format!("-{}", given.name);
            self.request.words.extend(std::iter::once(option).chain(given.words.iter().cloned()));
        }
        match given.name {
            "engine" => self.engines.add(given.words),
            "each" => self.engines.apply_to_all(given.words),
            "quick" => self.quick(given)?,
            "rounds" => self.rounds = Some(Given::words(positive(given)?, given.text())),
            "repeat" if given.words.is_empty() => self.games = Some(Given::words(2_u64, given.text())),
            "games" | "repeat" => self.games = Some(Given::words(positive(given)?, given.text())),
            "noswap" => self.swap = Some(flag(given, false)?),
            "reverse" => self.reverse = Some(flag(given, true)?),
            "openings" => self.openings(given)?,
            "sprt" => self.sprt(given)?,
            "draw" => self.draw(given)?,
            "resign" => self.resign(given)?,
            "maxmoves" => {
                let most = Given::words(positive(given)?, given.text());
                within(&mut self.keys().adjudication).max_moves = Some(most);
            }
            "tb" | "tbpieces" | "tbignore50" | "tbadjudicate" => self.tables(given)?,
            "variant" => self.keys().game = Some(from_word(variant(given.word()?), &given.text())?),
            "tournament" => self.schedule = Given::words(schedule(given)?, given.text()),
            "seeds" => self.seeds = Some(Given::words(positive(given)?, given.text())),
            "srand" | "seed" => self.seed = Some(Given::words(seed(given)?, given.text())),
            _ => return self.take_surroundings(given),
        }
        Ok(())
    }

    fn keys(&mut self) -> &mut Keys {
        &mut self.request.plan.keys
    }

    /// Reads the options that do not change the games.
    fn take_surroundings(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        let request = &mut self.request;
        match given.name {
            "concurrency" => self.concurrency = Some(concurrency(given)?),
            "force-concurrency" => self.force = true,
            "use-affinity" => request.plan.keys.affinity = Some(Given::words(affinity(given)?, given.text())),
            "pgnout" => request.pgn = Some(pgn_file(given, &mut request.wishes)?),
            "check-mate-pvs" => request.wishes.checks_mates = given.is_alone()?,
            "epdout" => request.epd = Some(epd_file(given)?),
            "crc32" => request.crc = checksums(given)?,
            "log" => request.log = Some(LogFile::read(given)?),
            "output" => request.style.form = Some(form(given)?),
            "ratinginterval" => request.style.rating_interval = NonZeroU64::new(given.number("a number of pairs")?),
            "scoreinterval" => request.style.score_interval = NonZeroU64::new(given.number("a number of games")?),
            "report" => self.count = report(given)?,
            "event" => request.event = Some(given.words.join(" ")),
            "site" => request.site = Some(given.words.join(" ")),
            "strict" => request.is_strict = given.is_alone()?,
            // A crash never ends a run; this option makes the output count crashes.
            "recover" => {
                request.style.tells_faults = given.is_alone()?;
                if request.style.tells_faults {
                    request.plan.keys.max_fault_share = Some(Given::words(1.0, given.text()));
                }
            }
            "testEnv" => given.alone()?,
            "config" => self.saved(&SaveFile::read(given)?)?,
            "wait" => self.keys().pause = wait(given)?,
            "startup-ms" | "ucinewgame-ms" | "ping-ms" => {
                let (time, words) = timeouts(given)?;
                if given.name == "ping-ms" {
                    self.overrun = Given::words(format!("{time:?}"), words.as_str());
                }
                // spar has one timeout: the other two options shorten the start only together with this one.
                self.has_start |= given.name == "startup-ms";
                self.timeouts = self.timeouts.take().max(Some((time, words)));
            }
            "show-latency" => {
                given.alone()?;
                let note = "`-show-latency`: latency is shown for each move, by `-pgnout file=... latency=true`";
                self.request.notes.push(note.to_owned());
            }
            "autosaveinterval" => drop(given.number::<u64>("a number of games")?),
            unknown => return Err(refusal(unknown)),
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Request, FastchessError> {
        self.as_usual_for_quick();
        self.tables_there_are();
        let (each, mut engines) = (Engine::default(), self.engines.read()?);
        for engine in &mut engines {
            let counts = |(time, _): &&(Duration, String)| self.has_start || *time > EngineTimeouts::default().start;
            if let Some((time, words)) = self.timeouts.as_ref().filter(counts) {
                engine.set_start_within(Given::words(format!("{time:?}"), words));
            }
            engine.set_overrun_within(self.overrun.clone());
        }
        check_limits(&each, &engines)?;
        let names = names_of(&each, &engines);
        let typed = Typed { each: &each, engines: &engines, names: &names };
        typed.check_count(self.request.job == Job::Sprt, &SPELLING)?;
        typed.check_each(true, &SPELLING)?;
        self.keys().name = Some(Given::derived(names::run_between(&names), "after the engines"));
        let games = self.concurrency.unwrap_or(Concurrency::Games(1)).games(self.force)?;
        self.keys().concurrency = Some(Given::words(games, "-concurrency"));
        self.length(engines.len())?;
        let lines = self.request.wishes.kept();
        self.keys().lines = (lines != LinesKept::None).then(|| Given::derived(lines, "for comments and checks"));
        self.chance();
        if self.request.resumes.is_some() {
            self.request.append_to_files();
        }
        seat(&mut self.request.plan, &each, &engines, &names);
        Ok(self.request)
    }

    /// Sets the most rounds, the games of a round, and the pairings.
    fn length(&mut self, engines: usize) -> Result<(), FastchessError> {
        let is_test = self.request.job == Job::Sprt;
        let rounds = self.rounds.take();
        let (rounds, games) = self.rounds_of_games(rounds, USUAL_ROUNDS[usize::from(is_test)])?;
        let (swap, reverse, count) = (self.swap.take(), self.reverse.take(), self.count.take());
        let [in_pairs, in_rounds] = if games.is_some() { [None, Some(rounds)] } else { [Some(rounds), None] };
        let keys = &mut self.request.plan.keys;
        if is_test {
            let sprt = within(&mut keys.sprt);
            (sprt.max_pairs, sprt.max_rounds, sprt.games) = (in_pairs, in_rounds, games);
            (sprt.swap, sprt.reverse, sprt.count) = (swap, reverse, count);
        } else {
            let fixed = within(&mut keys.r#match);
            (fixed.pairs, fixed.rounds, fixed.games) = (in_pairs, in_rounds, games);
            (fixed.swap, fixed.reverse, fixed.count) = (swap, reverse, count);
            fixed.schedule = Some(self.schedule.clone());
            if self.schedule.value.keys().contains(&"seeds") {
                // A larger number means all opponents; 1 is the default.
                let most = (engines as u32).saturating_sub(1);
                let seeds = self.seeds.take().map(|seeds| seeds.with(seeds.value.min(most)));
                fixed.seeds = seeds.filter(|seeds| seeds.value > 1);
            }
        }
        Ok(())
    }

    /// Returns the number of rounds, and the kind of their games if these are not pairs. As in fastchess, more than two
    /// games per round swap the two numbers: they become that many rounds, with the given number of rounds as games.
    fn rounds_of_games(
        &mut self,
        rounds: Option<Given<u64>>,
        usual: u64,
    ) -> Result<(Given<u64>, Key<GamesPlan>), FastchessError> {
        let games = self.games.take().unwrap_or_else(|| Given::usual(2_u64));
        let words = games.origin.comment().unwrap_or_default().to_owned();
        let (rounds, games) = if games.value > 2 {
            (games, rounds.unwrap_or_else(|| Given::usual(2_u64)))
        } else {
            (rounds.unwrap_or_else(|| Given::usual(usual)), games)
        };
        match games.value {
            1 => Ok((rounds, Some(games.with(GamesPlan::Single)))),
            2 => Ok((rounds, None)),
            _ => Err(FastchessError::usage(format!(
                "`{words}`: expected 1 or 2: a round is a game or two games from one opening; ask for more of them by \
                    `-rounds`"
            ))),
        }
    }

    /// Sets the seed. Without a given seed, a file in random order has another order each time.
    fn chance(&mut self) {
        let clock =
            || Given::<u64>::derived(session::unix_ms().unsigned_abs(), "from the clock, as there is no -srand");
        let shuffled = (self.openings == Openings::Shuffled && self.seed.is_none()).then(clock);
        if let Some(seed) = &shuffled {
            self.request.words.extend(["-srand".to_owned(), seed.value.to_string()]);
        }
        self.keys().seed = self.seed.take().or(shuffled);
        if self.openings == Openings::Start {
            within(&mut self.keys().openings).source = Some(Given::usual("start"));
        }
    }

    /// Reads two engines and a book.
    fn quick(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        for Pair { key, value, .. } in given.pairs(&["cmd", "book"])? {
            let words = match key {
                "cmd" => vec!["-engine".to_owned(), format!("cmd={value}")],
                _ => vec!["-openings".to_owned(), format!("file={value}"), "order=random".to_owned()],
            };
            let count = self.request.words.len();
            self.read(&words)?;
            // The words of this option contain them already.
            self.request.words.truncate(count);
        }
        self.quick = Some(given.text());
        Ok(())
    }

    /// Reads the save file to begin with, and sets the one to save to.
    fn saved(&mut self, file: &SaveFile) -> Result<(), FastchessError> {
        let beginning = file.begin()?;
        if let Some(name) = &file.outname {
            self.request.save = Some(name.clone());
        }
        self.request.resumes = beginning.resumed.or_else(|| self.request.resumes.take());
        self.read(&beginning.words)
    }

    /// Sets the defaults of `-quick`.
    fn as_usual_for_quick(&mut self) {
        let Some(from) = self.quick.clone() else { return };
        self.engines.limit_others("-quick", QUICK_CLOCK);
        let _rounds = self.rounds.get_or_insert_with(|| Given::words(QUICK_ROUNDS, from.clone()));
        let _concurrency = self.concurrency.get_or_insert(Concurrency::AllBut(QUICK_IDLE));
        let [from_move, moves, score] = QUICK_DRAW.map(|number| Some(Given::usual(number)));
        let draw = DrawPlan { from_move, moves, score };
        let _draw = within(&mut self.keys().adjudication).draw.get_or_insert_with(|| Given::words(draw, from));
        let _form = self.request.style.form.get_or_insert(Form::Cutechess);
    }

    fn openings(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        let pairs = given.pairs(&["file", "format", "order", "plies", "start", "policy"])?;
        let value = |key| pairs.iter().find(|pair| pair.key == key);
        let Some(path) = value("file") else { return Err(given.expected("`file=...`")) };
        let from_name = BookFormat::of_name(path.value).ok();
        let format = value("format").map_or(from_name, |format| format.value.parse().ok());
        let refuses = |key| format.is_some_and(|format| format.refuses(key).is_some());
        let is_drawn = refuses("order");
        if is_drawn {
            check_drawn(path, &pairs, &mut self.request.notes)?;
        }
        let keys = within(&mut self.request.plan.keys.openings);
        keys.order = (!is_drawn).then(|| Given::usual("sequential"));
        for pair in &pairs {
            let text = || Some(Given::words(pair.value, pair.from.as_str()));
            match pair.key {
                // A position has no plies to cut off, and the openings of a Polyglot book have no order: fastchess
                // ignores these options, too.
                "plies" | "start" | "order" if refuses(pair.key) => {}
                "plies" => keys.plies = Some(Given::words(pair.number::<u32>("a number")?, pair.from.as_str())),
                "start" => keys.start = Some(Given::words(pair.number::<u32>("a number")?, pair.from.as_str())),
                "policy" if pair.value == "round" => {}
                "policy" => return Err(pair.expected("`round`: every round has an opening of its own")),
                "format" => keys.format = text(),
                "order" => keys.order = text(),
                _ => keys.file = text(),
            }
        }
        let is_random = is_drawn || value("order").is_some_and(|order| order.value == "random");
        self.openings = if is_random { Openings::Shuffled } else { Openings::Listed };
        Ok(())
    }

    fn sprt(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        self.request.job = Job::Sprt;
        let sprt = within(&mut self.request.plan.keys.sprt);
        for pair in given.pairs(&["elo0", "elo1", "alpha", "beta", "model"])? {
            let number = match pair.key {
                "elo0" => &mut sprt.elo0,
                "elo1" => &mut sprt.elo1,
                "alpha" => &mut sprt.alpha,
                "beta" => &mut sprt.beta,
                _ => {
                    sprt.model = Some(Given::words(pair.value, pair.from));
                    continue;
                }
            };
            *number = Some(Given::words(pair.number::<f64>("a number")?, pair.from));
        }
        sprt.overshoot = Some(Given::derived(false, "as in fastchess"));
        Ok(())
    }

    /// Reads an option of endgame tables: their folders, the number of men, or whether the fifty-move rule counts.
    fn tables(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        let tables = within(&mut within(&mut self.keys().adjudication).tables);
        match given.name {
            "tb" => tables.path = Some(Given::words(table_folders(given)?, given.text())),
            "tbadjudicate" => tables.results = table_results(given)?,
            "tbignore50" => tables.ignore_50 = Some(Given::words(given.is_alone()?, given.text())),
            // 0 means all tables.
            _ => match given.number::<u32>("a number of men")? {
                0 => tables.pieces = None,
                men => tables.pieces = Some(Given::words(men, given.text())),
            },
        }
        Ok(())
    }

    /// Drops the options of tables if there are no folders, and limits the number of men to that of the tables.
    fn tables_there_are(&mut self) {
        let keys = &mut self.request.plan.keys;
        let Some(adjudication) = &mut keys.adjudication else { return };
        let Some(tables) = adjudication.value.tables.as_mut().map(|given| &mut given.value) else { return };
        let Some(path) = &tables.path else {
            adjudication.value.tables = None;
            return;
        };
        let game = keys.game.as_ref().map(|game| game.value.rules());
        let (Some(Rules::Chess(chess)), Some(pieces)) = (game, &mut tables.pieces) else { return };
        match chess.find_tables(&path.value, None) {
            Ok(most) if u32::from(most) < pieces.value => {
                let typed = pieces.origin.comment().unwrap_or_default();
                self.request.notes.push(format!("`{typed}`: the tables in {} are of up to {most} men", path.value));
                pieces.value = most.into();
            }
            // Resolving the plan reports the errors of tables.
            _ => {}
        }
    }

    fn draw(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        let pairs = given.pairs(&["movenumber", "movecount", "score"])?;
        let draw = DrawPlan {
            from_move: Some(number(&pairs, "movenumber", 0)?),
            moves: Some(number(&pairs, "movecount", 1)?),
            score: Some(number(&pairs, "score", 0)?),
        };
        within(&mut self.keys().adjudication).draw = Some(Given::words(draw, given.text()));
        Ok(())
    }

    fn resign(&mut self, given: &Words<'_>) -> Result<(), FastchessError> {
        let pairs = given.pairs(&["movecount", "score", "twosided"])?;
        let two_sided = pairs.iter().find(|pair| pair.key == "twosided");
        let resign = ResignPlan {
            moves: Some(number(&pairs, "movecount", 1)?),
            score: Some(number(&pairs, "score", 0)?),
            two_sided: two_sided
                .map(|pair| Ok::<_, FastchessError>(Given::words(pair.switch()?, pair.from.as_str())))
                .transpose()?,
        };
        within(&mut self.keys().adjudication).resign = Some(Given::words(resign, given.text()));
        Ok(())
    }
}

/// Refuses options that do not fit a Polyglot book, whose openings are drawn by the weights of its moves.
fn check_drawn(book: &Pair<'_>, pairs: &[Pair<'_>], notes: &mut Vec<String>) -> Result<(), FastchessError> {
    for pair in pairs {
        match (pair.key, pair.value) {
            ("order", "sequential") => {
                let note = "openings of a Polyglot book are drawn by the weights of its moves, from the seed";
                notes.push(format!("`{}`: {note}", pair.from));
            }
            ("order", "random") | ("start", "1") => {}
            ("order", _) => return Err(pair.expected("`random` or `sequential`")),
            ("start", _) => {
                let expected =
                    "`start=1` or none: openings of a Polyglot book are drawn; another `-srand` draws others";
                return Err(pair.expected(expected));
            }
            _ => {}
        }
    }
    if pairs.iter().any(|pair| pair.key == "plies") {
        return Ok(());
    }
    Err(book.expected("`plies=...`, too, such as `plies=12`: a Polyglot book does not say how long an opening is"))
}

/// Reads an option without words that sets a flag.
fn flag(given: &Words<'_>, says: bool) -> Result<Given<bool>, FastchessError> {
    given.alone()?;
    Ok(Given::words(says, given.text()))
}

/// A number of an adjudication rule, or its default.
fn number(pairs: &[Pair<'_>], key: &str, usual: u32) -> Result<Given<u32>, FastchessError> {
    match pairs.iter().find(|pair| pair.key == key) {
        Some(pair) => Ok(Given::words(pair.number::<u32>("a number")?, pair.from.as_str())),
        None => Ok(Given::usual(usual)),
    }
}
