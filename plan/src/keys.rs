//! Every key that a configuration can have, and nothing more: whether values make sense together is for
//! [`super::resolve`].

use super::Given;
use super::given::Origin;
use super::schema::{KeySchema, Takes};
use super::section::{Content, Form, Place, Section, Writer, section};
pub use super::section::{Key, Named};
use arena::config::{Compare, ExecutorKind, PositionFormat, ScheduleId};
use arena::run::OnStarvation;
use play::entrant::{MovesTold, Protocol, Restart, UnknownOptions};
use play::games::GameKind;
use play::{Conventions, LinesKept, TableResults};
use serde::{Deserialize, Serialize};
use tuner::Kind;

section! {
    /// A whole configuration.
    Keys {
        /// What the run is called; its folder is named after it.
        name: Key<String>,
        /// What it is about, for reports.
        title: Key<String>,
        /// The game; if not given, chess where engines are programs, and 0.1 where spar's own engine plays.
        game: Key<GameKind>,
        /// The seed of all randomness; 1 if not given.
        seed: Key<u64>,
        /// How many pairs are played at a time.
        concurrency: Key<usize>,
        /// Who plays: threads of this process, or workers on other machines.
        executor: Key<ExecutorKind>,
        /// Whether what engines say of each ply is recorded.
        track: Key<bool>,
        /// Which lines of engines are kept.
        lines: Key<LinesKept>,
        /// Whose conventions hold where match runners differ.
        conventions: Key<Conventions>,
        /// Which processors engine processes run on.
        affinity: Key<AffinityPlan>,
        /// By how much time controls are multiplied on this host.
        tc_scale: Key<TcScalePlan>,
        /// How fast the host is that they are written for.
        bench: Key<BenchPlan>,
        /// How long engine processes rest between two games.
        pause: Key<String>,
        /// The share of its games, from 0 to 1, that an entrant may lose by faults: beyond it the run stops. 0.1 if not
        /// given.
        max_fault_share: Key<f64>,
        /// A sequential test.
        sprt: Key<SprtPlan>,
        /// A match.
        r#match: Key<MatchPlan>,
        /// Games of engines against themselves, for the positions in them.
        selfplay: Key<SelfplayPlan>,
        /// Self-play, training and a test of what was learnt, again and again.
        learn: Key<LearnPlan>,
        /// How evaluations are trained in it.
        train: Key<TrainPlan>,
        /// The test that a new evaluation has to pass in it.
        gate: Key<GatePlan>,
        /// Tests in turn, each of which is played if the one before has been passed.
        stage: Vec<Given<StagePlan>>,
        /// A tuning session.
        tune: Key<TunePlan>,
        /// A ladder.
        ladder: Key<LadderPlan>,
        /// Engines that come and go, of which a ladder is made.
        league: Key<LeaguePlan>,
        /// The levels of one engine, of which a ladder is made.
        scaling: Key<ScalingPlan>,
        /// How engines are built from revisions.
        build: Key<BuildPlan>,
        /// Where openings come from.
        openings: Key<OpeningsPlan>,
        /// When games are ended early.
        adjudication: Key<AdjudicationPlan>,
        /// What is done when the host starves an engine.
        starvation: Key<StarvationPlan>,
        /// What all entrants have in common.
        each: Key<EnginePlan>,
        /// What the candidate of a test between two builds has of its own.
        dev: Key<EnginePlan>,
        /// What its opponent has of its own.
        base: Key<EnginePlan>,
        /// Who plays.
        entrant: Vec<Given<EnginePlan>>,
    }
}

impl Keys {
    /// The game that is played: the one given, else the one that the engines play. Programs are engines of chess,
    /// unless one of the entrants plays 0.1 alone: spar's own engine does, and so does a program that speaks `CodeCup`.
    pub fn game(&self) -> GameKind {
        if let Some(game) = &self.game {
            return game.value;
        }
        let each = self.each.as_ref().map(|each| &each.value);
        let builds = [self.dev.as_ref(), self.base.as_ref()].into_iter().flatten();
        let entrants = || self.entrant.iter().chain(builds.clone()).map(|given| &given.value);
        let is_program = |own: &EnginePlan| {
            let runs = own.cmd.is_some() || own.rev.is_some();
            runs || own.player.is_none() && each.is_some_and(|each| each.cmd.is_some())
        };
        let player =
            |own: &EnginePlan| own.player.as_ref().or_else(|| each?.player.as_ref()).map(|player| player.value);
        let is_own = |own: &EnginePlan| !is_program(own) && player(own).unwrap_or_default() == OwnPlayer::Native;
        let protocol =
            |own: &EnginePlan| own.protocol.as_ref().or_else(|| each?.protocol.as_ref()).map(|given| given.value);
        let is_codecup = |own: &EnginePlan| protocol(own).is_some_and(Protocol::is_of_zero_point_one);
        let plays_0_1 = self.entrant.iter().any(|given| is_own(&given.value)) || entrants().any(is_codecup);
        let has_programs = self.build.is_some() || entrants().any(is_program);
        if has_programs && !plays_0_1 { GameKind::Chess } else { GameKind::ZeroPointOne }
    }
}

section! {
    /// `[sprt]`.
    SprtPlan {
        /// Bounds by name, where there are no numbers.
        preset: Key<String>,
        /// H0: the gain, in Elo of the model.
        elo0: Key<f64>,
        /// H1: the gain, in Elo of the model.
        elo1: Key<f64>,
        /// The chance of accepting H1 though H0 is true.
        alpha: Key<f64>,
        /// The chance of accepting H0 though H1 is true.
        beta: Key<f64>,
        /// `normalized`, `logistic` or `bayesian`.
        model: Key<String>,
        /// Whether the bounds allow for the last step's overshoot.
        overshoot: Key<bool>,
        /// Give up undecided after so many pairs.
        max_pairs: Key<u64>,
        /// The same in rounds, which pairs are, and single games.
        max_rounds: Key<u64>,
        /// Whether games come in pairs or by themselves.
        games: Key<GamesPlan>,
        /// Whether seats are swapped from game to game.
        swap: Key<bool>,
        /// Whether the opponent moves first where else the first entrant would.
        reverse: Key<bool>,
        /// What is counted.
        count: Key<CountPlan>,
    }
}

section! {
    /// `[[stage]]`: what a test says otherwise than the file.
    StagePlan {
        /// What it is called.
        name: Key<String>,
        /// How much all may think.
        limit: Key<String>,
        /// The test.
        sprt: Key<SprtPlan>,
        /// What all entrants have in common.
        each: Key<EnginePlan>,
    }
}

section! {
    /// `[match]`.
    MatchPlan {
        /// Pairs in each pairing.
        pairs: Key<u64>,
        /// The same in rounds, which pairs are, and single games.
        rounds: Key<u64>,
        /// Who plays whom.
        schedule: Key<ScheduleId>,
        /// Of a gauntlet: how many of the first entrants play all those after them.
        seeds: Key<u32>,
        /// Of a Swiss: how many rounds of meetings.
        swiss_rounds: Key<u32>,
        /// Of a knockout: further pairs of a tied match at most.
        tie_breaks: Key<u32>,
        /// Whether games come in pairs or by themselves.
        games: Key<GamesPlan>,
        /// Whether seats are swapped from game to game.
        swap: Key<bool>,
        /// Whether the opponent moves first where else the first entrant would.
        reverse: Key<bool>,
        /// What is counted.
        count: Key<CountPlan>,
    }
}

impl MatchPlan {
    /// The keys that not all schedules take, by name.
    pub fn of_schedules(&mut self) -> [(&'static str, &mut Key<u32>); 3] {
        let Self { seeds, swiss_rounds, tie_breaks, .. } = self;
        [("seeds", seeds), ("swiss_rounds", swiss_rounds), ("tie_breaks", tie_breaks)]
    }
}

section! {
    /// `[selfplay]`.
    SelfplayPlan {
        /// How many games.
        games: Key<u64>,
        /// Which of their positions are kept.
        filter: Key<FilterPlan>,
        /// How positions of chess are written.
        format: Key<PositionFormat>,
    }
}

section! {
    /// `[selfplay.filter]`.
    FilterPlan {
        /// Keep positions in check.
        in_check: Key<bool>,
        /// Keep positions in which a capture was played, or in chess a promotion.
        captures: Key<bool>,
        /// Keep positions in which a win or a loss was proven.
        proven: Key<bool>,
        /// Keep positions that came up before.
        duplicates: Key<bool>,
        /// Keep scores below so many logits, in chess pawns, either way.
        score: Key<f64>,
        /// Keep games whose first score is within so many logits, in chess pawns, either way.
        first_score: Key<f64>,
        /// Of chess: leave out so many plies after the opening.
        skip_plies: Key<u32>,
        /// Of chess: the share of the positions that is kept, at random.
        sample: Key<f64>,
        /// Of chess: how many positions of each game are kept, at random.
        per_game: Key<u32>,
        /// Of chess: put the quiet end of a variation of two plies in the place of each.
        quiet: Key<bool>,
    }
}

section! {
    /// `[learn]`.
    LearnPlan {
        /// How many generations.
        generations: Key<u32>,
        /// The positions of so many of the newest generations are trained on.
        keep: Key<u32>,
        /// What the first generation plays with: an evaluation by name.
        evaluation: Key<String>,
        /// The same by a file of weights.
        network: Key<String>,
        /// What a training begins with.
        weights: Key<FirstWeights>,
    }
}

section! {
    /// `[train]`, and all of a training's own configuration.
    TrainPlan {
        /// Files of positions, folders or journals of runs, or patterns of their names.
        data: Key<Vec<String>>,
        /// The folder for what comes of it.
        out: Key<String>,
        /// The game; 0.1 if not given.
        game: Key<GameKind>,
        /// `network` or `wps`.
        model: Key<String>,
        /// A network to begin with.
        start: Key<String>,
        /// Neurons for each perspective.
        hidden: Key<usize>,
        /// Outputs to choose from.
        buckets: Key<usize>,
        /// Units of output weights that are 1.
        output_scale: Key<u16>,
        /// Centipawns that are 1 logit, in chess.
        scale: Key<u16>,
        /// How often each position is seen.
        epochs: Key<f64>,
        /// How many positions are seen, in place of epochs.
        positions: Key<u64>,
        /// Positions of a step.
        batch: Key<usize>,
        /// The highest learning rate.
        learning_rate: Key<f64>,
        /// The learning rate at the end.
        final_learning_rate: Key<f64>,
        /// The share of all steps in which it rises.
        warm_up: Key<f64>,
        /// What a weight loses in a step, in units of the learning rate.
        weight_decay: Key<f64>,
        /// The weight of the game's result in the target.
        lambda: Key<f64>,
        /// Scores beyond are taken for this, in logits.
        score_clip: Key<f64>,
        /// Positions with a score beyond are left out, in logits.
        max_score: Key<f64>,
        /// The share of games that is not learnt from.
        held_out: Key<f64>,
        /// How often the held-out positions are looked at.
        evaluations: Key<u64>,
        /// The training ends after so many looks without a better one.
        patience: Key<u64>,
        /// Of the first weights and the order of positions.
        seed: Key<u64>,
        /// Threads, which are part of what makes a training reproducible.
        threads: Key<usize>,
        /// How much each position counts.
        weights: Key<WeightKeys>,
    }
}

section! {
    /// `[weights]` of a training.
    WeightKeys {
        /// Weights at plies of the game, such as `[[0, 0.3], [16, 1.0]]`: in a line from one to the next.
        ply: Key<toml::Value>,
        /// The weight of positions whose mover won.
        win: Key<f64>,
        /// The weight of positions of drawn games.
        draw: Key<f64>,
        /// The weight of positions whose mover lost.
        loss: Key<f64>,
    }
}

section! {
    /// All of the configuration of a fit.
    FitKeys {
        /// Files of labelled positions, folders of runs, or patterns of their names.
        data: Key<Vec<String>>,
        /// The folder for what comes of it.
        out: Key<String>,
        /// `chess-tables`, `piece-square`, `wps` or `features`.
        model: Key<String>,
        /// Whether tables have a middlegame and an endgame.
        tapered: Key<bool>,
        /// How files are written, where their names do not say it.
        format: Key<String>,
        /// Whose side scores take: `white` or `mover`.
        view: Key<String>,
        /// The unit of scores: `centipawns` or `pawns`.
        unit: Key<String>,
        /// A file of weights to begin with.
        start: Key<String>,
        /// The most positions: a sample is drawn of more.
        positions: Key<usize>,
        /// The share of games that is not fitted to.
        held_out: Key<f64>,
        /// What is done with positions that are not quiet: `as-is`, `only` or `resolve`.
        quiet: Key<String>,
        /// Positions with a score beyond are left out, in centipawns.
        max_score: Key<f64>,
        /// The weight of the game's result beside the score.
        lambda: Key<f64>,
        /// Centipawns of a score that are one logit.
        score_scale: Key<f64>,
        /// Units of an evaluation that are one logit.
        scale: Key<f64>,
        /// The ridge: how far weights are expected to be from their start.
        spread: Key<f64>,
        /// Of samples, orders and mutations.
        seed: Key<u64>,
        /// What is tried: `adam`, `lbfgs`, `genetic`.
        methods: Key<Vec<String>>,
        /// How Adam is run.
        adam: Key<AdamKeys>,
        /// How L-BFGS is run.
        lbfgs: Key<LbfgsKeys>,
        /// How the genetic algorithm is run.
        genetic: Key<GeneticKeys>,
    }
}

section! {
    /// `[adam]` of a fit.
    AdamKeys {
        /// How often each position is seen.
        epochs: Key<u32>,
        /// Positions of a step.
        batch: Key<usize>,
        /// The first learning rate, in the unit of the weights.
        learning_rate: Key<f64>,
    }
}

section! {
    /// `[lbfgs]` of a fit.
    LbfgsKeys {
        /// The most steps.
        iterations: Key<u32>,
        /// It ends when the loss falls by less in a step.
        tolerance: Key<f64>,
    }
}

section! {
    /// `[genetic]` of a fit.
    GeneticKeys {
        /// How many generations.
        generations: Key<u32>,
        /// Children of each.
        children: Key<u32>,
        /// The best of all so far, who are the parents of the next generation.
        parents: Key<u32>,
        /// The chance of each weight to mutate.
        mutation_rate: Key<f64>,
        /// The standard deviation of a mutation.
        mutation_size: Key<f64>,
        /// What the size is multiplied by in every generation.
        mutation_decay: Key<f64>,
        /// The chance of a child to have two parents.
        crossover: Key<f64>,
        /// How far weights may be from their start.
        bounds: Key<f64>,
        /// What is best: `absolute`, `rank` or `logistic`.
        fitness: Key<String>,
    }
}

section! {
    /// All of the configuration of a book of setups.
    SetupsKeys {
        /// The folder for what comes of it.
        out: Key<String>,
        /// How much processor time it may take.
        budget: Key<String>,
        /// The most entries of the book.
        entries: Key<usize>,
        /// A network's file; the network that the engine is shipped with if not given.
        network: Key<String>,
        /// Of what is drawn.
        seed: Key<u64>,
    }
}

section! {
    /// `[gate]`: a test as in `[sprt]`, and how long its players may think.
    GatePlan {
        /// How much both may think; as in self-play if not given.
        limit: Key<String>,
        /// Bounds by name, where there are no numbers.
        preset: Key<String>,
        /// H0: the gain, in Elo of the model.
        elo0: Key<f64>,
        /// H1: the gain, in Elo of the model.
        elo1: Key<f64>,
        /// The chance of accepting H1 though H0 is true.
        alpha: Key<f64>,
        /// The chance of accepting H0 though H1 is true.
        beta: Key<f64>,
        /// `normalized`, `logistic` or `bayesian`.
        model: Key<String>,
        /// Whether the bounds allow for the last step's overshoot.
        overshoot: Key<bool>,
        /// Give up undecided after so many pairs.
        max_pairs: Key<u64>,
    }
}

section! {
    /// `[ladder]`.
    LadderPlan {
        /// Pairs of a run at most.
        pairs: Key<u64>,
        /// Stop when all differences are known to so many Elo.
        precision: Key<f64>,
        /// Pairs in a batch.
        lookahead: Key<u64>,
        /// Which differences are wanted.
        compare: Key<Compare>,
        /// The name of the entrant whose rating is given.
        anchor: Key<String>,
        /// That rating, in Elo.
        anchor_elo: Key<f64>,
        /// In which order entrants that are revisions stand.
        order: Key<LadderOrder>,
        /// The opening of the first pair.
        first_opening: Key<u64>,
        /// Who plays no more, of those in the results of earlier runs.
        gone: Key<Vec<String>>,
        /// Results of earlier runs.
        known: Vec<Given<KnownPlan>>,
    }
}

section! {
    /// An earlier result of a ladder.
    KnownPlan {
        /// An entrant's name.
        entrant: Key<String>,
        /// Another's.
        opponent: Key<String>,
        /// Pairs by outcome, from the entrant's view: LL LD WL DD WD WW.
        counts: Key<[u64; 6]>,
    }
}

section! {
    /// `[league]`.
    LeaguePlan {
        /// Pairs of a run at most.
        pairs: Key<u64>,
        /// Stop when all differences are known to so many Elo.
        precision: Key<f64>,
        /// Pairs in a batch.
        lookahead: Key<u64>,
        /// The name of the entrant whose rating is given; the mean of all is 0 without one.
        anchor: Key<String>,
        /// That rating, in Elo.
        anchor_elo: Key<f64>,
    }
}

section! {
    /// `[scaling]`.
    ScalingPlan {
        /// Pairs at most.
        pairs: Key<u64>,
        /// Stop when all differences are known to so many Elo.
        precision: Key<f64>,
        /// The least limit.
        limit: Key<String>,
        /// How often it is doubled.
        doublings: Key<u32>,
        /// All limits, in place of the two above.
        limits: Key<Vec<String>>,
        /// A parameter or an option, in place of a limit.
        parameter: Key<String>,
        /// Its values: rising numbers, or `[false, true]`.
        values: Key<Vec<toml::Value>>,
    }
}

section! {
    /// `[build]`.
    BuildPlan {
        /// A command for `sh`, run at the top of the checkout.
        command: Key<String>,
        /// The program that it makes.
        binary: Key<String>,
        /// Files that the program needs beside it.
        keep: Key<Vec<String>>,
        /// Arguments with which the program prints its signature.
        bench: Key<String>,
        /// A part of a line that it prints then, with `{}` in place of the number.
        signature: Key<String>,
        /// How long building may take.
        within: Key<String>,
    }
}

section! {
    /// `[bench]`.
    BenchPlan {
        /// The entrant whose engine is measured.
        engine: Key<String>,
        /// The nodes a second that it does on the host that time controls are written for.
        nps: Key<u64>,
        /// Arguments with which its program does its bench.
        args: Key<Vec<String>>,
        /// How long that may take.
        within: Key<String>,
    }
}

section! {
    /// `[starvation]`.
    StarvationPlan {
        /// Waits as long as this count.
        threshold: Key<String>,
        /// What becomes of the pair.
        action: Key<OnStarvation>,
    }
}

section! {
    /// `[adjudication]`.
    AdjudicationPlan {
        /// A draw after so many moves of both sides.
        max_moves: Key<u32>,
        /// When a game is a draw.
        draw: Key<DrawPlan>,
        /// When a game is lost.
        resign: Key<ResignPlan>,
        /// Which endgame tables know the result.
        tables: Key<TablesPlan>,
    }
}

section! {
    /// `[adjudication.tables]`.
    TablesPlan {
        /// The folders that they are in.
        path: Key<String>,
        /// With so many men at most.
        pieces: Key<u32>,
        /// Whether what the fifty-move rule would save counts as lost.
        ignore_50: Key<bool>,
        /// Which games they end.
        results: Key<TableResults>,
    }
}

section! {
    /// `[adjudication.draw]`.
    DrawPlan {
        /// From this move on.
        from_move: Key<u32>,
        /// So many moves of both sides in a row.
        moves: Key<u32>,
        /// Within so many centipawns of equality.
        score: Key<u32>,
    }
}

section! {
    /// `[adjudication.resign]`.
    ResignPlan {
        /// So many moves in a row.
        moves: Key<u32>,
        /// So many centipawns down.
        score: Key<u32>,
        /// Whether the winner must agree.
        two_sided: Key<bool>,
    }
}

section! {
    /// `[tune]`.
    TunePlan {
        /// The method's name.
        method: Key<String>,
        /// The folder of an earlier session, whose pairs say where this one begins.
        from: Key<String>,
        /// The share that is believed of what an earlier session knew, more than 0 and at most 1.
        trust: Key<f64>,
        /// The budget.
        pairs: Key<u64>,
        /// How many pairs proposals run ahead of results.
        lookahead: Key<u64>,
        /// Limits below the entrant's own, the target, at which pairs are played as well.
        limits: Key<Vec<String>>,
        /// Stop when the answer is expected to lose at most so much Elo.
        stop_regret: Key<f64>,
        /// What is tuned, as lines in fishtest's format.
        lines: Key<String>,
        /// What is tuned.
        parameter: Vec<Given<TunedPlan>>,
        /// Factors by which several parameters are scaled together.
        group: Vec<Given<TunedGroupPlan>>,
        /// Which parameters stay below which, such as `"razor < futility"`.
        constraints: Key<Vec<String>>,
        /// The test that follows.
        verify: Key<VerifyPlan>,
        /// What an earlier session knew: `from` as a run keeps it.
        earlier: Key<EarlierPlan>,
    }
}

section! {
    /// `[tune.earlier]`.
    EarlierPlan {
        /// What the session is called.
        session: Key<String>,
        /// Its pairs.
        pairs: Key<u64>,
        /// What it tuned.
        parameter: Vec<Given<LearntPlan>>,
    }
}

section! {
    /// `[[tune.earlier.parameter]]`: a parameter or a group's factor as it was, and what its pairs alone say of its
    /// slope g and its bend h, in Elo per step and per squared step: a matrix of precisions, and that times the mean.
    /// Of a category, the same of its values.
    LearntPlan {
        /// Its name.
        name: Key<String>,
        /// Its scale and legal values.
        kind: Key<Kind>,
        /// Where it started.
        start: Key<f64>,
        /// The least value tried.
        min: Key<f64>,
        /// The greatest value tried.
        max: Key<f64>,
        /// A change worth trying.
        step: Key<f64>,
        /// Precision of the slope.
        gg: Key<f64>,
        /// Precision of slope and bend together.
        gh: Key<f64>,
        /// Precision of the bend.
        hh: Key<f64>,
        /// The first row times the mean.
        g: Key<f64>,
        /// The second row times the mean.
        h: Key<f64>,
        /// Of a group's factor, the parameters that it scaled.
        members: Key<Vec<String>>,
        /// Where these started.
        starts: Key<Vec<f64>>,
        /// Of a category, what it could be.
        values: Key<Vec<String>>,
        /// The precisions among these values, the lower triangle row by row.
        precisions: Key<Vec<f64>>,
        /// These times what the values are worth in Elo.
        shifts: Key<Vec<f64>>,
    }
}

section! {
    /// `[[tune.parameter]]`.
    TunedPlan {
        /// Its name.
        name: Key<String>,
        /// Its scale and legal values.
        kind: Key<Kind>,
        /// Where it starts; a switch may also say `true` or `"off"`.
        start: Key<StartPlan>,
        /// The least value tried.
        min: Key<f64>,
        /// The greatest value tried.
        max: Key<f64>,
        /// A change worth trying; 0 keeps it at its start.
        step: Key<f64>,
        /// The group by whose factor it is scaled.
        group: Key<String>,
        /// Of a category, what it may be, the start first.
        values: Key<Vec<toml::Value>>,
    }
}

section! {
    /// `[[tune.group]]`.
    TunedGroupPlan {
        /// What it is called.
        name: Key<String>,
        /// The least factor.
        min: Key<f64>,
        /// The greatest factor.
        max: Key<f64>,
        /// A change of the factor worth trying.
        step: Key<f64>,
    }
}

section! {
    /// `[tune.verify]`.
    VerifyPlan {
        /// Whether there is such a test.
        enabled: Key<bool>,
        /// Its H0, in nElo.
        elo0: Key<f64>,
        /// Its H1, in nElo.
        elo1: Key<f64>,
        /// Give up undecided after so many pairs.
        max_pairs: Key<u64>,
    }
}

section! {
    /// `[openings]`.
    OpeningsPlan {
        /// `start`, `random`, `chess960` or `double-chess960`.
        source: Key<String>,
        /// The numbers of the starts of the last two.
        numbers: Key<String>,
        /// A book, in place of a source.
        file: Key<String>,
        /// Its format, if its name does not tell.
        format: Key<String>,
        /// The order of its openings: `random` or `sequential`.
        order: Key<String>,
        /// The first opening, from 1.
        start: Key<u64>,
        /// Plies of an opening.
        plies: Key<PliesPlan>,
        /// How unequal random openings may be, in logit.
        balance: Key<f64>,
        /// Whether a book with a line or a game that cannot be used is refused.
        strict: Key<bool>,
    }
}

section! {
    /// An `[[entrant]]`, or what `[each]` gives to all of them and they may replace.
    EnginePlan {
        /// Its name.
        name: Key<String>,
        /// A player of spar's own.
        player: Key<OwnPlayer>,
        /// The program of an engine process.
        cmd: Key<String>,
        /// A revision in place of a program.
        rev: Key<String>,
        /// The program's arguments.
        args: Key<Vec<String>>,
        /// The folder that it runs in.
        dir: Key<String>,
        /// What it speaks.
        protocol: Key<Protocol>,
        /// How much it may think.
        limit: Key<String>,
        /// What measures that.
        clock: Key<String>,
        /// How spar's own engine searches.
        search: Key<String>,
        /// How it evaluates.
        evaluation: Key<String>,
        /// The file of its weights.
        network: Key<String>,
        /// The size of its table.
        table: Key<String>,
        /// Lines sent once it is ready.
        init: Key<Vec<String>>,
        /// How much later than its time it may answer.
        margin: Key<String>,
        /// When it is started again.
        restart: Key<Restart>,
        /// How long its start may take.
        start_within: Key<String>,
        /// How long other answers may take.
        answer_within: Key<String>,
        /// How long late moves are waited for.
        overrun_within: Key<String>,
        /// Its niceness.
        nice: Key<i32>,
        /// What becomes of options that it does not have.
        unknown_options: Key<UnknownOptions>,
        /// Which moves of the game it is told.
        moves: Key<MovesTold>,
        /// Whether it thinks on its opponent's time.
        ponder: Key<bool>,
        /// Parameters of spar's own engine.
        params: Named,
        /// Options of an engine process.
        options: Named,
        /// Variables of its environment.
        env: Named,
    }
}

/// The players that spar has itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnPlayer {
    /// The engine of 0.1.
    #[default]
    Native,
    /// Any legal move.
    Random,
    /// A player that only the program knows which plays the run.
    Custom,
}

/// What a training begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstWeights {
    /// Random weights.
    #[default]
    New,
    /// The best network so far.
    Best,
}

/// How games come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GamesPlan {
    /// Two from each opening.
    #[default]
    Pairs,
    /// One from each opening.
    Single,
}

/// What of the games is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountPlan {
    /// Pairs, by the points of both games.
    Pairs,
    /// Games, one by one.
    Games,
}

/// In which order the entrants of a ladder stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LadderOrder {
    /// As the file has them.
    #[default]
    File,
    /// That of their commits.
    Date,
}

/// `affinity`: a word, or the processors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected \"off\", \"auto\" or a list of processors")]
pub enum AffinityPlan {
    /// `off` or `auto`.
    Word(String),
    /// The processors.
    List(Vec<usize>),
}

/// `openings.plies`: a number, or the least and the most of random openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number of plies, or a range such as \"6..10\"")]
pub enum PliesPlan {
    /// So many.
    Number(u32),
    /// `LEAST..MOST`, both included.
    Range(String),
}

impl From<u32> for PliesPlan {
    fn from(plies: u32) -> Self {
        Self::Number(plies)
    }
}

/// `start` of a tuned parameter: a number, or how a switch stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number, or true or false")]
pub enum StartPlan {
    /// A number.
    Number(f64),
    /// On or off.
    Switch(bool),
    /// The same as a word.
    Word(String),
}

impl From<f64> for StartPlan {
    fn from(start: f64) -> Self {
        Self::Number(start)
    }
}

/// `tc_scale`: a word, or the factor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected \"auto\" or a factor such as 1.5")]
pub enum TcScalePlan {
    /// `auto`.
    Word(String),
    /// The factor.
    Factor(f64),
}

/// The keys of a section, which is added if the plan has none.
pub fn within<T: Default>(section: &mut Key<T>) -> &mut T {
    &mut section.get_or_insert_with(|| Given { value: T::default(), origin: Origin::Usual }).value
}
