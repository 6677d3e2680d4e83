//! All keys of a configuration, and nothing more: [`super::resolve`] checks whether the values make sense together.

use super::Given;
use super::given::Origin;
use super::schema::{KeySchema, Takes};
use super::section::{Content, Form, Place, Section, Writer, plain_contents, section};
pub use super::section::{Key, Named};
use arena::config::{Compare, ExecutorKind, PositionFormat, ScheduleId};
use arena::run::OnStarvation;
use play::entrant::{MovesSent, Protocol, Restart, UnknownOptions};
use play::games::GameKind;
use play::openings::KeyValue;
use play::{Conventions, LinesKept, TableResults};
use serde::{Deserialize, Serialize};
use tuner::Kind;

section! {
    /// A whole configuration.
    Keys {
        /// The name of the run; its folder is `runs/JOB-NAME-N`. Default: the name of the file.
        name: Key<String>,
        /// What the run is about, shown in reports. Default: none.
        title: Key<String>,
        /// The game: `"chess"`, `"chess960"`, `"crazyhouse"`, `"crazyhouse960"`, `"three-check"`, `"king-of-the-hill"`,
        /// `"atomic"`, `"antichess"`, `"horde"`, `"racing-kings"` or `"0.1"`. Default: chess where the entrants are
        /// programs, 0.1 where spar's own engine plays.
        game: Key<GameKind>,
        /// The seed of all random numbers. Default: `1`.
        seed: Key<u64>,
        /// How many pairs are played at the same time. `--concurrency` overrides it. Default: the number of cores.
        concurrency: Key<usize>,
        /// Where games are played: in threads of this process, or by the workers of a fleet. Default: `"threads"`.
        executor: Key<ExecutorKind>,
        /// Record score, depth, nodes and time of every ply. Default: `true` with engine processes, else `false`.
        track: Key<bool>,
        /// Which `info` lines of UCI engines are stored with each move: the last one, those whose line of play is
        /// illegal, both, or all. With `"all"`, the tree search of spar's own engine stores the visits of its moves.
        /// Default: `"none"`.
        lines: Key<LinesKept>,
        /// The rules to follow where match runners differ: when the increment is added, and how adjudication counts
        /// moves. Default: `"cutechess"`.
        conventions: Key<Conventions>,
        /// Which processors engine processes run on: `"off"` for any, `"auto"` for one core per game, or a list such as
        /// `[0, 2]`. Default: `"off"`.
        affinity: Key<AffinityPlan>,
        /// Multiply all times by this factor on this host, or `"auto"` for the factor that `[bench]` measures. Default:
        /// `1`.
        tc_scale: Key<TcScalePlan>,
        /// How to measure this host's speed, for `tc_scale = "auto"`.
        bench: Key<BenchPlan>,
        /// How long a worker waits between two games, for instance on a machine that overheats. Default: `"0s"`.
        pause: Key<String>,
        /// The largest share of its games that an entrant may lose by faults, from 0 to 1. Above it the run stops; 1
        /// never stops. Default: `0.1`.
        max_fault_share: Key<f64>,
        /// A sequential test, for `spar sprt` and `spar patch`.
        sprt: Key<SprtPlan>,
        /// A match or a tournament, for `spar match`.
        r#match: Key<MatchPlan>,
        /// Games for training data, for `spar selfplay`.
        selfplay: Key<SelfplayPlan>,
        /// Self-play, training and a test in each generation, for `spar learn`.
        learn: Key<LearnPlan>,
        /// How `spar learn` trains. A file for `spar train` has the same keys at its top level.
        train: Key<TrainPlan>,
        /// How `spar learn` trains the policy of the tree search, with keys of `[train]`.
        train_policy: Key<TrainPlan>,
        /// The test that a new network must pass in `spar learn`.
        gate: Key<GatePlan>,
        /// The stages of a test, in order. Each stage is played only if the one before accepted H1.
        stage: Vec<Given<StagePlan>>,
        /// A tuning session, for `spar tune`.
        tune: Key<TunePlan>,
        /// Ratings of all entrants, for `spar ladder`.
        ladder: Key<LadderPlan>,
        /// Ratings of engines that join and leave, for `spar league`.
        league: Key<LeaguePlan>,
        /// Elo by nodes, time, depth or a parameter, for `spar scaling`.
        scaling: Key<ScalingPlan>,
        /// Which commit of a range lost strength, for `spar bisect`.
        bisect: Key<BisectPlan>,
        /// Many patches against one base, for `spar campaign`.
        campaign: Key<CampaignPlan>,
        /// How to build an engine from a git revision. `spar tune` does not use it.
        build: Key<BuildPlan>,
        /// Where openings come from.
        openings: Key<OpeningsPlan>,
        /// When to end games early. Without this section, games are played to their end.
        adjudication: Key<AdjudicationPlan>,
        /// What to do when an engine had to wait for a processor.
        starvation: Key<StarvationPlan>,
        /// Settings of all entrants. Each entrant can override them.
        each: Key<EnginePlan>,
        /// Settings of the candidate alone, where spar builds both engines.
        dev: Key<EnginePlan>,
        /// Settings of its opponent alone, where spar builds both engines.
        base: Key<EnginePlan>,
        /// An engine, one section for each. Beside `[tune]` it is the engine to tune, which `spar patch` and
        /// `spar regress` do not use.
        entrant: Vec<Given<EnginePlan>>,
    }
}

impl Keys {
    /// The game: the given one, else the one that the engines play. Programs play chess, unless one of the entrants
    /// only plays 0.1: spar's own engine does, and so does a program that speaks `CodeCup`.
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
        let speaks_0_1 =
            |own: &EnginePlan| protocol(own).is_some_and(|spoken| spoken.default_game() == GameKind::ZeroPointOne);
        let plays_0_1 = self.entrant.iter().any(|given| is_own(&given.value)) || entrants().any(speaks_0_1);
        let has_programs = self.build.is_some() || entrants().any(is_program);
        if has_programs && !plays_0_1 { GameKind::Chess } else { GameKind::ZeroPointOne }
    }
}

section! {
    /// `[sprt]`.
    SprtPlan {
        /// A named pair of bounds, instead of `elo0` and `elo1`; `spar plan --presets` lists them. Default: none.
        preset: Key<String>,
        /// H0: the gain is at most this, in Elo of `model`. Required unless `preset` is set.
        elo0: Key<f64>,
        /// H1: the gain is at least this, in Elo of `model`. Required unless `preset` is set.
        elo1: Key<f64>,
        /// The probability of accepting H1 when H0 is true, above 0 and below 0.5. Default: `0.05`.
        alpha: Key<f64>,
        /// The probability of accepting H0 when H1 is true, above 0 and below 0.5. Default: `0.05`.
        beta: Key<f64>,
        /// The unit of the bounds: `"normalized"`, `"logistic"` or `"bayesian"` Elo. Default: `"normalized"`.
        model: Key<String>,
        /// Correct the bounds for overshoot: tests end earlier and keep their error rates. Default: `true`.
        overshoot: Key<bool>,
        /// End the test undecided after this many pairs. Default: none.
        max_pairs: Key<u64>,
        /// The same limit in rounds: pairs, or single games. Default: none.
        max_rounds: Key<u64>,
        /// Whether each opening is played twice with swapped sides, or once. Default: `"pairs"`.
        games: Key<GamesPlan>,
        /// Swap sides from game to game. With `false`, the first entrant moves first in every game. Default: `true`.
        swap: Key<bool>,
        /// Let the second entrant move first where the first one otherwise would. Default: `false`.
        reverse: Key<bool>,
        /// What the statistics count. Single games and games without swapped sides are counted one by one. Default:
        /// `"pairs"`, where games come in pairs.
        count: Key<CountPlan>,
    }
}

section! {
    /// `[[stage]]`: the settings of a test that a stage overrides.
    StagePlan {
        /// The name of the stage. Default: `stage-1`, `stage-2` and so on.
        name: Key<String>,
        /// The limit of all entrants in this stage. Default: that of the file.
        limit: Key<String>,
        /// Keys of `[sprt]` that differ in this stage.
        sprt: Key<SprtPlan>,
        /// Settings of all entrants that differ in this stage.
        each: Key<EnginePlan>,
    }
}

section! {
    /// `[match]`.
    MatchPlan {
        /// Pairs in each pairing. Required, unless `rounds` is set.
        pairs: Key<u64>,
        /// The same in rounds: pairs, or single games. Default: none.
        rounds: Key<u64>,
        /// The schedule. Default: `"gauntlet"`.
        schedule: Key<ScheduleId>,
        /// In a gauntlet: how many of the first entrants play all those listed after them. Default: `1`.
        seeds: Key<u32>,
        /// In a Swiss tournament: the number of rounds. Default: enough for a single winner.
        swiss_rounds: Key<u32>,
        /// In a knockout: the most extra pairs that a tied meeting gets. Default: `10`.
        tie_breaks: Key<u32>,
        /// Whether each opening is played twice with swapped sides, or once. Default: `"pairs"`.
        games: Key<GamesPlan>,
        /// Swap sides from game to game. With `false`, the first entrant moves first in every game. Default: `true`.
        swap: Key<bool>,
        /// Let the second entrant move first where the first one otherwise would. Default: `false`.
        reverse: Key<bool>,
        /// What the statistics count. Single games and games without swapped sides are counted one by one. Default:
        /// `"pairs"`, where games come in pairs.
        count: Key<CountPlan>,
    }
}

impl MatchPlan {
    /// Returns the keys that only some schedules have, by name.
    pub fn of_schedules(&mut self) -> [(&'static str, &mut Key<u32>); 3] {
        let Self { seeds, swiss_rounds, tie_breaks, .. } = self;
        [("seeds", seeds), ("swiss_rounds", swiss_rounds), ("tie_breaks", tie_breaks)]
    }
}

section! {
    /// `[selfplay]`.
    SelfplayPlan {
        /// How many games to play, each from its own opening. Required.
        games: Key<u64>,
        /// Which positions to keep.
        filter: Key<FilterPlan>,
        /// The format of positions of chess; those of crazyhouse are always `"plain"`. Default: `"text"`.
        format: Key<PositionFormat>,
    }
}

section! {
    /// `[selfplay.filter]`.
    FilterPlan {
        /// Keep positions in check. Default: `false`.
        in_check: Key<bool>,
        /// Keep positions where the move played was a capture or, in chess, a promotion. Default: `false`.
        captures: Key<bool>,
        /// Keep positions where the engine proved a win or a loss. Default: `false`.
        proven: Key<bool>,
        /// Keep positions that occurred before. Default: `false`.
        duplicates: Key<bool>,
        /// Keep positions with a score below this, in logits, or in pawns of chess. Default: `8.0`.
        score: Key<f64>,
        /// Keep games whose first score is below this, in logits, or in pawns of chess. Default: `2.0`.
        first_score: Key<f64>,
        /// Chess: leave out this many plies after the opening. Default: `0`.
        skip_plies: Key<u32>,
        /// Chess: keep this share of the positions, chosen at random. Default: all.
        sample: Key<f64>,
        /// Chess: keep this many positions of each game, chosen at random. Default: all.
        per_game: Key<u32>,
        /// Chess: replace each position by the quiet end of a variation of two plies. Default: `false`.
        quiet: Key<bool>,
    }
}

section! {
    /// `[learn]`.
    LearnPlan {
        /// How many generations to play. Required.
        generations: Key<u32>,
        /// Train on the positions of this many of the newest generations. Default: `3`.
        keep: Key<u32>,
        /// The evaluation of the first generation, by name. Default: `"piece-square"`, without `[train]` `"network"`.
        evaluation: Key<String>,
        /// The evaluation of the first generation, as a file of weights. Default: none.
        network: Key<String>,
        /// The policy of the first generation, as a file. Default: the engine's own if it fits the evaluation.
        policy: Key<String>,
        /// Whether each training starts from new weights or from the best network so far. Default: `"new"`.
        weights: Key<FirstWeights>,
    }
}

section! {
    /// `[train]`, and the whole configuration of a training.
    TrainPlan {
        /// Files of positions, folders or journals of runs, or patterns such as `"runs/*/*.positions"`. Required.
        data: Key<Vec<String>>,
        /// The output folder. Required.
        out: Key<String>,
        /// The game, `"0.1"`, `"chess"` or `"crazyhouse"`. Default: `"0.1"`.
        game: Key<GameKind>,
        /// What to train: `"network"`, or `"wps"` or `"policy"` of 0.1. Required.
        model: Key<String>,
        /// What a policy learns of moves: `"moves"`, which was played, or `"visits"`, how a tree search shared its
        /// visits among them. Default: `"moves"`.
        target: Key<String>,
        /// The network whose hidden layer a policy reads. Default: the shipped one.
        network: Key<String>,
        /// A network to start from, of the same size. Default: random weights.
        start: Key<String>,
        /// Neurons of each perspective: a multiple of 32 up to 512; in chess of 16 up to 2048. In crazyhouse the
        /// neurons are shared: a multiple of 32 up to 256. Default: `128`, in chess 64.
        hidden: Key<usize>,
        /// Output buckets by pieces on the board, 1 to 16; in chess always 5, in crazyhouse none. Default: `8`, in
        /// chess 5.
        buckets: Key<usize>,
        /// 0.1: output buckets by plies made, 1 to 16. A network to start from may have one. Default: `1`.
        ply_buckets: Key<usize>,
        /// The integer that stands for 1 in the output weights. Default: `127`, in chess 256, of a policy 64.
        output_scale: Key<u16>,
        /// Chess and crazyhouse: centipawns that equal 1 logit. Default: `400`, in crazyhouse 250.
        scale: Key<u16>,
        /// How many times to see each position. Default: `10.0`.
        epochs: Key<f64>,
        /// How many positions to see in total, instead of `epochs`. Default: none.
        positions: Key<u64>,
        /// Positions of a step. Default: `16384`, in crazyhouse 4096.
        batch: Key<usize>,
        /// The highest learning rate. Default: `0.001`, of wps 0.01, of a policy and in
        /// crazyhouse 0.002.
        learning_rate: Key<f64>,
        /// The learning rate at the end. Default: `1e-6`, of wps 1e-4.
        final_learning_rate: Key<f64>,
        /// The share of all steps in which the learning rate rises. Default: `0.02`.
        warm_up: Key<f64>,
        /// How much a weight decays in a step, in units of the learning rate. Default: `0.3`, of wps and a policy
        /// 0.01, in crazyhouse 0.1.
        weight_decay: Key<f64>,
        /// The share of the game's result in the target; the rest is the score. Default: `0.1`, in
        /// crazyhouse 0.3.
        lambda: Key<f64>,
        /// Clip scores to this, in logits. Default: `8.0`.
        score_clip: Key<f64>,
        /// Leave out positions with a score above this, in logits. Default: `8.0`, of a policy and in crazyhouse 32.
        max_score: Key<f64>,
        /// The share of games held out for validation. Default: `0.05`.
        held_out: Key<f64>,
        /// How many times to measure the validation loss. Default: `40`.
        evaluations: Key<u64>,
        /// Stop after this many measurements without improvement. Default: never.
        patience: Key<u64>,
        /// The seed of the first weights and of the order of positions. Default: `1`.
        seed: Key<u64>,
        /// How many threads to use. Another number gives other weights, but of a policy and in crazyhouse the
        /// same. Default: `2`.
        threads: Key<usize>,
        /// How much each position counts.
        weights: Key<WeightKeys>,
    }
}

section! {
    /// `[weights]` of a training.
    WeightKeys {
        /// Weights by ply of the game, such as `[[0, 0.3], [16, 1.0]]`, interpolated in between. Default: 1 at all
        /// plies.
        ply: Key<toml::Value>,
        /// The weight of positions whose side to move won. Default: `1.0`.
        win: Key<f64>,
        /// The weight of positions from drawn games. Default: `1.0`.
        draw: Key<f64>,
        /// The weight of positions whose side to move lost. Default: `1.0`.
        loss: Key<f64>,
    }
}

section! {
    /// The whole configuration of a fit.
    FitKeys {
        /// Files of labelled positions, folders of runs, or patterns of their names. Required.
        data: Key<Vec<String>>,
        /// The output folder. Required.
        out: Key<String>,
        /// What to fit: `"chess-tables"`, `"piece-square"`, `"wps"` or `"features"`. Required.
        model: Key<String>,
        /// Fit separate tables for the middlegame and the endgame. Default: `true`.
        tapered: Key<bool>,
        /// The format of the files. Default: by the file name's extension.
        format: Key<String>,
        /// Whose view scores have: `"white"` or `"mover"`. Default: depends on the format.
        view: Key<String>,
        /// The unit of scores: `"centipawns"` or `"pawns"`. Default: depends on the format.
        unit: Key<String>,
        /// A file of weights to start from. Default: material only.
        start: Key<String>,
        /// Use at most this many positions, sampled at random. Default: `1000000`.
        positions: Key<usize>,
        /// The share of games held out for validation. Default: `0.1`.
        held_out: Key<f64>,
        /// Chess: how to treat positions that are not quiet: use them `"as-is"`, keep `"only"` quiet ones, or
        /// `"resolve"` captures first. Default: `"only"`.
        quiet: Key<String>,
        /// Leave out positions with a score above this, in centipawns. Default: `2000.0`.
        max_score: Key<f64>,
        /// The share of the game's result in the target; the rest is the score. Default: `0.5`.
        lambda: Key<f64>,
        /// Centipawns of a score that equal one logit. Default: fitted.
        score_scale: Key<f64>,
        /// Units of the evaluation that equal one logit. Default: fitted.
        scale: Key<f64>,
        /// The ridge penalty: the expected distance of weights from their start; `inf` for none. Default: `100.0`.
        spread: Key<f64>,
        /// The seed of samples, batches and mutations. Default: `1`.
        seed: Key<u64>,
        /// Which methods to run: `"lbfgs"`, `"adam"` and `"genetic"`. Default: `["lbfgs"]`.
        methods: Key<Vec<String>>,
        /// Settings of Adam.
        adam: Key<AdamKeys>,
        /// Settings of L-BFGS.
        lbfgs: Key<LbfgsKeys>,
        /// Settings of the genetic algorithm.
        genetic: Key<GeneticKeys>,
    }
}

section! {
    /// `[adam]` of a fit.
    AdamKeys {
        /// How many times to see each position. Default: `40`.
        epochs: Key<u32>,
        /// Positions of a step. Default: `2048`.
        batch: Key<usize>,
        /// The first learning rate, in the unit of the weights. Default: `4.0`.
        learning_rate: Key<f64>,
    }
}

section! {
    /// `[lbfgs]` of a fit.
    LbfgsKeys {
        /// The most steps. Default: `400`.
        iterations: Key<u32>,
        /// Stop when a step lowers the loss by less than this. Default: `1e-9`.
        tolerance: Key<f64>,
    }
}

section! {
    /// `[genetic]` of a fit.
    GeneticKeys {
        /// How many generations to breed. Default: `300`.
        generations: Key<u32>,
        /// Children of each generation. Default: `500`.
        children: Key<u32>,
        /// How many of the best so far become parents. Default: `25`.
        parents: Key<u32>,
        /// The probability that a weight mutates. Default: `0.05`.
        mutation_rate: Key<f64>,
        /// The standard deviation of a mutation. Default: `20.0`.
        mutation_size: Key<f64>,
        /// The factor that shrinks mutations in each generation. Default: `0.99`.
        mutation_decay: Key<f64>,
        /// The probability that a child has two parents. Default: `0.0`.
        crossover: Key<f64>,
        /// The greatest distance of a weight from its start. Default: `100.0`.
        bounds: Key<f64>,
        /// The measure of fitness: `"absolute"`, `"rank"` or `"logistic"`. Default: `"absolute"`.
        fitness: Key<String>,
    }
}

section! {
    /// The whole configuration of a book of setups.
    SetupsKeys {
        /// The output folder. Required.
        out: Key<String>,
        /// Processor time, such as `"20min"`. It counts as a million nodes a second, the same on every machine.
        /// Required.
        budget: Key<String>,
        /// The most setups in the book. Default: `4000`.
        entries: Key<usize>,
        /// The file of a network that evaluates the setups. Default: the engine's own.
        network: Key<String>,
        /// The seed of all random numbers. Default: `1`.
        seed: Key<u64>,
    }
}

section! {
    /// `[gate]`: a test as in `[sprt]`, and the limit of its players.
    GatePlan {
        /// The limit of both players. Default: that of self-play.
        limit: Key<String>,
        /// A named pair of bounds, instead of `elo0` and `elo1`; `spar plan --presets` lists them. Default: none.
        preset: Key<String>,
        /// H0: the gain is at most this, in Elo of `model`. Required unless `preset` is set.
        elo0: Key<f64>,
        /// H1: the gain is at least this, in Elo of `model`. Required unless `preset` is set.
        elo1: Key<f64>,
        /// The probability of accepting H1 when H0 is true, above 0 and below 0.5. Default: `0.05`.
        alpha: Key<f64>,
        /// The probability of accepting H0 when H1 is true, above 0 and below 0.5. Default: `0.05`.
        beta: Key<f64>,
        /// The unit of the bounds: `"normalized"`, `"logistic"` or `"bayesian"` Elo. Default: `"normalized"`.
        model: Key<String>,
        /// Correct the bounds for overshoot: tests end earlier and keep their error rates. Default: `true`.
        overshoot: Key<bool>,
        /// End the test undecided after this many pairs. Required.
        max_pairs: Key<u64>,
    }
}

section! {
    /// `[ladder]`.
    LadderPlan {
        /// The most pairs of a run. Required.
        pairs: Key<u64>,
        /// Stop when all differences are known to this many Elo: half the width of the 95% interval. Default: none.
        precision: Key<f64>,
        /// How many pairs are chosen at once, before their results are known. Default: `64`.
        lookahead: Key<u64>,
        /// Which differences to measure: between neighbours, to the anchor, or between all. Default: `"neighbours"`.
        compare: Key<Compare>,
        /// The entrant whose rating is fixed. Default: the first entrant.
        anchor: Key<String>,
        /// The rating of the anchor, in Elo. Default: `0.0`.
        anchor_elo: Key<f64>,
        /// The order of entrants that are revisions: as in the file, or by commit date. Default: `"file"`.
        order: Key<LadderOrder>,
        /// Written by spar: the opening of the first pair.
        first_opening: Key<u64>,
        /// Written by spar: engines of earlier runs that no longer play.
        gone: Key<Vec<String>>,
        /// Written by spar: results of earlier runs.
        known: Vec<Given<KnownPlan>>,
    }
}

section! {
    /// An earlier result of a ladder.
    KnownPlan {
        /// The name of an entrant.
        entrant: Key<String>,
        /// The name of its opponent.
        opponent: Key<String>,
        /// Pairs by outcome, from the entrant's view: LL LD WL DD WD WW.
        counts: Key<[u64; 6]>,
    }
}

section! {
    /// `[league]`.
    LeaguePlan {
        /// The most pairs of a run. Default: `1048576`.
        pairs: Key<u64>,
        /// Stop when all differences are known to this many Elo: half the width of the 95% interval. Default: none.
        precision: Key<f64>,
        /// How many pairs are chosen at once, before their results are known. Default: `64`.
        lookahead: Key<u64>,
        /// The entrant whose rating is fixed. Default: none; the mean of all ratings is 0.
        anchor: Key<String>,
        /// The rating of the anchor, in Elo. Default: `0.0`.
        anchor_elo: Key<f64>,
    }
}

section! {
    /// `[scaling]`.
    ScalingPlan {
        /// The most pairs. Required.
        pairs: Key<u64>,
        /// Stop when all differences are known to this many Elo: half the width of the 95% interval. Default: none.
        precision: Key<f64>,
        /// The lowest limit, which `doublings` doubles. Required unless `limits` or `parameter` is set.
        limit: Key<String>,
        /// How many times to double `limit`. Required with `limit`.
        doublings: Key<u32>,
        /// A list of limits, instead of `limit` and `doublings`. Default: none.
        limits: Key<Vec<String>>,
        /// The name of a parameter or an option to vary, instead of a limit. Default: none.
        parameter: Key<String>,
        /// The values of `parameter`: rising numbers, or `[false, true]`. Required with `parameter`.
        values: Key<Vec<toml::Value>>,
    }
}

section! {
    /// `[bisect]`.
    BisectPlan {
        /// A revision that was strong, older than `bad`. `--good` overrides it. Default: none.
        good: Key<String>,
        /// A revision that is weak. `--bad` overrides it. Default: none.
        bad: Key<String>,
        /// Look only at commits that touch this folder or file, from the top of the repository. `--path` overrides it.
        /// Default: none.
        path: Key<String>,
        /// Name a commit when it lost the strength with this probability, above 0.5 and below 1. `--confidence`
        /// overrides it. Default: `0.95`.
        confidence: Key<f64>,
        /// The most pairs of all matches together. `--max-pairs` overrides it. Default: `20000`.
        max_pairs: Key<u64>,
        /// The fewest pairs that are played before the next match is chosen. Default: `32`.
        batch: Key<u64>,
        /// How many commits to find, one after another, 1 to 3. Default: `1`.
        find: Key<u32>,
        /// The smallest loss that counts, in Elo. Default: `2.0`.
        least_loss: Key<f64>,
        /// What a build costs, in pairs of games that could be played meanwhile. Default: `20.0`.
        build_cost: Key<f64>,
    }
}

section! {
    /// `[campaign]`.
    CampaignPlan {
        /// The revision that all patches are compared with. Required.
        base: Key<String>,
        /// A folder of files that `git format-patch` wrote. Each file that ends in `.patch` is one more patch, named as
        /// the file is; they come in the order of their names. Default: none.
        patches: Key<String>,
        /// The most of the accepted patches that gain nothing, as an expected share, above 0 and below 1. Default:
        /// `0.05`.
        false_discoveries: Key<f64>,
        /// The fewest pairs that each patch plays. Default: `128`.
        least_pairs: Key<u64>,
        /// The smallest gain that matters, in Elo. Default: `0.5`.
        least_gain: Key<f64>,
        /// Drop a patch once the probability that its gain matters is below this, above 0 and below 1. Default: `0.05`.
        futility: Key<f64>,
        /// The most pairs of all patches together. `--max-pairs` overrides it. Default: `50000`.
        max_pairs: Key<u64>,
        /// The fewest pairs that a patch plays before the next one is chosen. Default: `32`.
        batch: Key<u64>,
        /// The pairs that all accepted patches together play against the base at the end; 0 plays none. Default: as
        /// many as the accepted patch with most pairs played.
        together_pairs: Key<u64>,
        /// The patches, one section for each.
        patch: Vec<Given<PatchPlan>>,
    }
}

section! {
    /// `[[campaign.patch]]`. It has one of `revision`, `file` and `command`, or `options` alone.
    PatchPlan {
        /// What the patch is called, unlike all others. Required.
        name: Key<String>,
        /// A git revision with the change. Default: none.
        revision: Key<String>,
        /// A file that `git format-patch` or `git diff` wrote, which is applied to the base. Default: none.
        file: Key<String>,
        /// A program that has the change: a path, or a name in `PATH`. Default: none.
        command: Key<String>,
        /// The idea that it tries. Patches of one idea share that idea's part of the error budget. Default: an idea of
        /// its own.
        idea: Key<String>,
        /// Patches of the highest priority get all pairs until each of them is accepted or dropped; then the next ones
        /// play. Among equal priorities, spar chooses. A negative one waits for all others. It changes no error rate,
        /// and may change while the campaign runs. Default: `0`.
        priority: Key<i32>,
        /// Options of the engine that differ from those of the base, such as `{ Threads = 2 }`.
        options: Named,
    }
}

section! {
    /// `[build]`.
    BuildPlan {
        /// The build command, run by `sh` in the top folder of a checkout. Required.
        command: Key<String>,
        /// The program that the command makes, relative to that folder. Required.
        binary: Key<String>,
        /// Files or folders that the program needs when it runs, relative to that folder. Default: none.
        keep: Key<Vec<String>>,
        /// The program's arguments for its bench, which prints its signature. Default: none.
        bench: Key<String>,
        /// The line with the signature, such as `"Nodes searched : {}"`; `{}` stands for the number. Default: none.
        signature: Key<String>,
        /// The timeout of the build, of the bench and of each git command. Default: `"30min"`.
        within: Key<String>,
    }
}

section! {
    /// `[bench]`.
    BenchPlan {
        /// The entrant whose bench measures the speed; of two builds, `"dev"` or `"base"`. Required with more than one
        /// entrant; of two builds, the default is `"base"`.
        engine: Key<String>,
        /// The nodes per second of this bench on the machine that the time controls were written for. Required.
        nps: Key<u64>,
        /// The program's arguments for its bench. Default: `["bench"]`.
        args: Key<Vec<String>>,
        /// The timeout of the bench. Default: `"2min"`.
        within: Key<String>,
    }
}

section! {
    /// `[starvation]`.
    StarvationPlan {
        /// A player that waits at least this long for a processor within one move is starved. Default: `"5ms"`.
        threshold: Key<String>,
        /// Whether to mark the game, or to replay the pair. Default: `"replay"` where wall time limits a player, else
        /// `"mark"`.
        action: Key<OnStarvation>,
    }
}

section! {
    /// `[adjudication]`.
    AdjudicationPlan {
        /// Call a draw after this many moves of both sides. Default: none.
        max_moves: Key<u32>,
        /// When both engines agree on a draw.
        draw: Key<DrawPlan>,
        /// When an engine resigns.
        resign: Key<ResignPlan>,
        /// Which endgame tables decide games.
        tables: Key<TablesPlan>,
    }
}

section! {
    /// `[adjudication.tables]`.
    TablesPlan {
        /// Folders of Syzygy tables, separated as in `PATH`. Required.
        path: Key<String>,
        /// Ask the tables at this many pieces or fewer, kings included. Default: the largest complete set.
        pieces: Key<u32>,
        /// Count a win that the fifty-move rule would prevent as a win. Default: `false`.
        ignore_50: Key<bool>,
        /// Which games the tables end. Default: `"all"`.
        results: Key<TableResults>,
    }
}

section! {
    /// `[adjudication.draw]`.
    DrawPlan {
        /// Not before this move. Default: `0`.
        from_move: Key<u32>,
        /// After this many consecutive moves of both sides with a score near zero. Required.
        moves: Key<u32>,
        /// Scores of at most this many centipawns count as near zero. Required.
        score: Key<u32>,
    }
}

section! {
    /// `[adjudication.resign]`.
    ResignPlan {
        /// After this many consecutive moves with a losing score. Required.
        moves: Key<u32>,
        /// A score of at least this many centipawns behind is losing. Required.
        score: Key<u32>,
        /// Require that the opponent's score agrees. Default: `false`.
        two_sided: Key<bool>,
    }
}

section! {
    /// `[tune]`.
    TunePlan {
        /// The tuning method: `"quadratic"`, `"spsa"`, `"spsa-auto"` or `"spsa-classic"`. Default: `"quadratic"`.
        method: Key<String>,
        /// The folder of an earlier session: start from its result, and use its pairs. Default: none.
        from: Key<String>,
        /// How much to trust that earlier session, above 0 and at most 1. Default: `0.5`.
        trust: Key<f64>,
        /// The budget in pairs. Required.
        pairs: Key<u64>,
        /// How many pairs are proposed before their results are known. Default: `64`.
        lookahead: Key<u64>,
        /// Lower limits at which some pairs are played, too; needs `quadratic`. Default: none.
        limits: Key<Vec<String>>,
        /// Stop when the expected loss against the optimum is at most this, in Elo; needs `quadratic`. Default: none.
        stop_regret: Key<f64>,
        /// The parameters as lines in the format of fishtest or `OpenBench`, instead of `[[tune.parameter]]`. Default:
        /// none.
        lines: Key<String>,
        /// A parameter, one section for each.
        parameter: Vec<Given<TunedPlan>>,
        /// A factor that scales several parameters together.
        group: Vec<Given<TunedGroupPlan>>,
        /// Inequalities between parameters, such as `["razor < futility"]`. Default: none.
        constraints: Key<Vec<String>>,
        /// The test of the result that follows.
        verify: Key<VerifyPlan>,
        /// Written by spar instead of `from`: what the earlier session knew.
        earlier: Key<EarlierPlan>,
    }
}

section! {
    /// `[tune.earlier]`.
    EarlierPlan {
        /// The name of the session.
        session: Key<String>,
        /// How many pairs it played.
        pairs: Key<u64>,
        /// What it tuned.
        parameter: Vec<Given<LearntPlan>>,
    }
}

section! {
    /// `[[tune.earlier.parameter]]`: a parameter or a group's factor of the earlier session, and the evidence of its
    /// pairs alone about its slope g and its bend h, in Elo per step and per squared step: a precision matrix, and that
    /// matrix times the mean. For a category, the same about its values.
    LearntPlan {
        /// The name of the parameter or group.
        name: Key<String>,
        /// Its scale and legal values.
        kind: Key<Kind>,
        /// Its start value.
        start: Key<f64>,
        /// Its lowest value.
        min: Key<f64>,
        /// Its highest value.
        max: Key<f64>,
        /// Its step.
        step: Key<f64>,
        /// Precision of the slope.
        gg: Key<f64>,
        /// Precision of slope and curvature together.
        gh: Key<f64>,
        /// Precision of the curvature.
        hh: Key<f64>,
        /// The first row times the mean.
        g: Key<f64>,
        /// The second row times the mean.
        h: Key<f64>,
        /// Of a group, the parameters that it scaled.
        members: Key<Vec<String>>,
        /// Of a group, the start values of these parameters.
        starts: Key<Vec<f64>>,
        /// Of a category, its values.
        values: Key<Vec<String>>,
        /// Of a category, the precisions among its values: the lower triangle, row by row.
        precisions: Key<Vec<f64>>,
        /// Of a category, the precisions times the gain of each value in Elo.
        shifts: Key<Vec<f64>>,
    }
}

// The fields of `tuner::TunedParameter`, each with its origin. All of them are optional.
section! {
    /// `[[tune.parameter]]`.
    TunedPlan {
        /// The name of the parameter, or of the engine's option. Required.
        name: Key<String>,
        /// The scale and the legal values. Default: `"integer"` for an engine's option, else as the engine declares it.
        kind: Key<Kind>,
        /// The start value: a number, or `true` or `false`. Default: the engine's own value.
        start: Key<StartPlan>,
        /// The lowest value. Default: the engine's own; required for an engine's option.
        min: Key<f64>,
        /// The highest value. Default: the engine's own; required for an engine's option.
        max: Key<f64>,
        /// The size of a change worth trying; 0 freezes the parameter. Default: the engine's own, or a twentieth of the
        /// range.
        step: Key<f64>,
        /// The group whose factor scales this parameter. Default: none.
        group: Key<String>,
        /// Of a category, its values, the start value first. Default: none.
        values: Key<Vec<toml::Value>>,
    }
}

section! {
    /// `[[tune.group]]`.
    TunedGroupPlan {
        /// The name of the group. Required.
        name: Key<String>,
        /// The lowest factor. Default: `0.25`.
        min: Key<f64>,
        /// The highest factor. Default: `4.0`.
        max: Key<f64>,
        /// The size of a change of the factor worth trying. Default: `0.1`.
        step: Key<f64>,
    }
}

section! {
    /// `[tune.verify]`.
    VerifyPlan {
        /// Whether to test the tuned values against the start. Default: `true`.
        enabled: Key<bool>,
        /// H0 of the test, in nElo. Default: `0.0`.
        elo0: Key<f64>,
        /// H1 of the test, in nElo. Default: `10.0`.
        elo1: Key<f64>,
        /// End the test undecided after this many pairs. Default: none.
        max_pairs: Key<u64>,
    }
}

section! {
    /// `[openings]`.
    OpeningsPlan {
        /// Openings without a file: `"random"` plies, good `"setups"` of 0.1 before them, the game's `"start"`, or the
        /// numbered starts of `"chess960"` or `"double-chess960"`. Default: `"random"`.
        source: Key<String>,
        /// Which numbered starts to use, such as `"518, 0..99"`. Default: all.
        numbers: Key<String>,
        /// A book: EPD, FEN, PGN, lines of moves or Polyglot, also compressed. Default: none.
        file: Key<String>,
        /// The format of the book: `"epd"`, `"fen"`, `"pgn"`, `"moves"` or `"polyglot"`. Default: by the file name's
        /// extension.
        format: Key<String>,
        /// The order of the openings: `"random"`, each once before any repeats, or `"sequential"`. Default: `"random"`.
        order: Key<String>,
        /// The number of the first opening, counted from 1. Default: `1`.
        start: Key<u64>,
        /// How many random plies to play, such as `8` or `"6..10"`; of a book of moves, how many to use. Default: 8 in
        /// chess, 0 in 0.1, all of a book's moves.
        plies: Key<PliesPlan>,
        /// 0.1: reject random openings that a search of depth 4 scores above this, in logits. Default: none.
        balance: Key<f64>,
        /// Stop with an error at a line or a game of the book that cannot be used. Default: `false`.
        strict: Key<bool>,
    }
}

impl OpeningsPlan {
    /// Returns the given keys, with their origins and values.
    pub(super) fn given(&self) -> Vec<(&'static str, &Origin, KeyValue)> {
        fn one<'a, T>(
            key: &'static str,
            given: Option<&'a Given<T>>,
            value: impl FnOnce(&T) -> KeyValue,
        ) -> Option<(&'static str, &'a Origin, KeyValue)> {
            given.map(|given| (key, &given.origin, value(&given.value)))
        }
        let text = |text: &String| KeyValue::Text(text.clone());
        let Self { source, numbers, file, format, order, start, plies, balance, strict } = self;
        [
            one("source", source.as_ref(), text),
            one("numbers", numbers.as_ref(), text),
            one("file", file.as_ref(), text),
            one("format", format.as_ref(), text),
            one("order", order.as_ref(), text),
            one("start", start.as_ref(), |start| KeyValue::Whole(*start)),
            one("plies", plies.as_ref(), |plies| match plies {
                PliesPlan::Number(plies) => KeyValue::Whole((*plies).into()),
                PliesPlan::Range(text) => KeyValue::Text(text.clone()),
            }),
            one("balance", balance.as_ref(), |balance| KeyValue::Real(*balance)),
            one("strict", strict.as_ref(), |strict| KeyValue::Switch(*strict)),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

section! {
    /// An `[[entrant]]`, or the settings of `[each]`, which entrants may override.
    EnginePlan {
        /// The name of the engine, unique among the entrants. Required.
        name: Key<String>,
        /// A player of spar's own: the 0.1 engine, or a random mover. Default: `"native"`.
        player: Key<OwnPlayer>,
        /// The program: a path, a name in `PATH`, or `tcp://HOST:PORT`. Required for an engine process.
        cmd: Key<String>,
        /// A git revision to build, instead of `cmd`. Default: none.
        rev: Key<String>,
        /// The program's arguments. Default: none.
        args: Key<Vec<String>>,
        /// The working directory of the program. Default: spar's own.
        dir: Key<String>,
        /// The protocol that the program uses. Default: `"uci"`.
        protocol: Key<Protocol>,
        /// The limit of each move or game: `"10s+100ms"`, `"10+0.1"`, `"40/60s"`, `"30s hourglass"`, `"100ms a move"`,
        /// `"5000 nodes"`, `"depth 6"`, or a time and nodes together: `"10s+100ms, 50000 nodes"`. Required.
        limit: Key<String>,
        /// The clock: `"wall"`, or a rate such as `"1000000 nodes/s"`, which makes time the same on every machine.
        /// Default: `"wall"`.
        clock: Key<String>,
        /// The search of spar's own engine: `"alpha-beta"` or `"mcts"`. Default: `"alpha-beta"`.
        search: Key<String>,
        /// The evaluation of spar's own engine: `"material"`, `"piece-square"`, `"wps"` or `"network"`. Default:
        /// `"network"`.
        evaluation: Key<String>,
        /// A file of weights for spar's own engine. Default: the engine's own weights.
        network: Key<String>,
        /// A file with the policy of the tree search (`search = "mcts"`) of spar's own engine. Default: the engine's
        /// own.
        policy: Key<String>,
        /// A set of values for the parameters of the tree search: `"crazyara"`. Values in `params` override it.
        /// Default: none.
        mcts_preset: Key<String>,
        /// The size of the transposition table, or of the tree, of spar's own engine. Default: `"1 MiB"`.
        table: Key<String>,
        /// Lines sent to the engine once it is ready. Default: none.
        init: Key<Vec<String>>,
        /// How much an engine may overstep its time before it loses. Default: `"10ms"`.
        margin: Key<String>,
        /// When to restart the engine: after a fault, or before each game. Default: `"when-needed"`.
        restart: Key<Restart>,
        /// The timeout of the engine's start. Default: `"10s"`.
        start_within: Key<String>,
        /// The timeout of a move that is limited by nodes or depth, and of other answers. Default: `"60s"`.
        answer_within: Key<String>,
        /// How long to wait for a late move before the engine is killed. Default: `"1s"`.
        overrun_within: Key<String>,
        /// The niceness of the process, -20 to 19. Default: spar's own.
        nice: Key<i32>,
        /// Whether an option that the engine does not have is an error or a warning. Default: `"error"`.
        unknown_options: Key<UnknownOptions>,
        /// UCI: the moves sent with each position: all of the game, or those since the last irreversible one. Default:
        /// `"all"`.
        moves: Key<MovesSent>,
        /// Think on the opponent's time. Default: `false`.
        ponder: Key<bool>,
        /// Parameters of spar's own engine; `spar params` lists them.
        params: Named,
        /// Options of an engine process, such as `{ Hash = 16, "Move Overhead" = 50 }`.
        options: Named,
        /// Environment variables of the process.
        env: Named,
    }
}

/// spar's own players.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OwnPlayer {
    /// The engine of 0.1.
    #[default]
    Native,
    /// A player of random legal moves.
    Random,
    /// A player that only the program that plays the run knows.
    Custom,
}

/// The weights that a training begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FirstWeights {
    /// Random weights.
    #[default]
    New,
    /// The best network so far.
    Best,
}

/// How games are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GamesPlan {
    /// Two games from each opening.
    #[default]
    Pairs,
    /// One game from each opening.
    Single,
}

/// The unit of counting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CountPlan {
    /// Pairs, by the points of both games.
    Pairs,
    /// Games, one by one.
    Games,
}

/// The order of a ladder's entrants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LadderOrder {
    /// As in the file.
    #[default]
    File,
    /// By the dates of their commits.
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

/// `openings.plies`: a number, or the range of random openings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number of plies, or a range such as \"6..10\"")]
pub enum PliesPlan {
    /// A fixed number.
    Number(u32),
    /// `LEAST..MOST`, both included.
    Range(String),
}

impl From<u32> for PliesPlan {
    fn from(plies: u32) -> Self {
        Self::Number(plies)
    }
}

/// `start` of a tuned parameter: a number, or the state of a switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "expected a number, or true or false")]
pub enum StartPlan {
    /// A number.
    Number(f64),
    /// On or off.
    Switch(bool),
    /// On or off as a word.
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

/// Returns the keys of a section, which is added if the plan has none.
pub fn within<T: Default>(section: &mut Key<T>) -> &mut T {
    &mut section.get_or_insert_with(|| Given { value: T::default(), origin: Origin::Usual }).value
}

plain_contents!(AffinityPlan, CountPlan, FirstWeights, GamesPlan, LadderOrder, OwnPlayer, PliesPlan, StartPlan);
plain_contents!(TcScalePlan);

/// Returns all keys of a configuration, in the order in which they are written.
pub fn schema() -> Vec<KeySchema> {
    <Keys as Section>::schema()
}

/// Returns the keys of a training's own file, for `spar train`.
pub fn training_schema() -> Vec<KeySchema> {
    <TrainPlan as Section>::schema()
}

/// Returns the keys of a fit's file, for `spar fit`.
pub fn fit_schema() -> Vec<KeySchema> {
    <FitKeys as Section>::schema()
}

/// Returns the keys of the file of a book of setups, for `spar book setups`.
pub fn setups_schema() -> Vec<KeySchema> {
    <SetupsKeys as Section>::schema()
}
