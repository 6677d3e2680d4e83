//! Configurations: errors and their texts, settings of the command line, and the shipped files.

use arena::config::{
    Compare, ExperimentConfig, Gauntlets, Job, Knockout, PositionFilter, PositionFormat, ReferenceSpeed, RunConfig,
    Sampling, ScaleBy, Schedule, Swiss, TimeScale, Tuned,
};
use miette::{GraphicalReportHandler, GraphicalTheme};
use plan::{Disk, FitPlan, Loaded, PlanError, RunPlan, SetupsPlan, TrainingPlan, load, load_stored};
use play::entrant::{Handling, MovesSent, NativeSpec, PlayerSpec, UnknownOptions};
use play::games::GameKind;
use play::openings::{BookOrder, OpeningSource};
use play::{Limit, PlyRange, RandomOpenings, TableResults, TimeSource};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;
use tuner::MethodId;

const GOOD: &str = r#"
name = "good"
seed = 7

[sprt]
elo0 = 0
elo1 = 5

[each]
limit = "1000 nodes"

[[entrant]]
name = "dev"
params = { null_move_margin = 0.2 }

[[entrant]]
name = "base"
evaluation = "material"
limit = "4s+40ms"
clock = "1,000,000 nodes/s"
table = "64 KiB"
"#;

fn sprt(text: &str, settings: &[&str]) -> Result<Loaded, PlanError> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    load(text, "good.toml", "stem", &settings, Job::Sprt, Disk)
}

fn native(player: &PlayerSpec) -> &NativeSpec {
    match player {
        PlayerSpec::Native(native) => native,
        other => panic!("{other:?}"),
    }
}

/// Renders the error as a terminal shows it.
fn shown(error: &PlanError) -> String {
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut text, error).expect("a string takes everything");
    text
}

/// Returns the error of `GOOD` with `old` replaced by `new`.
fn broken(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "{old}");
    shown(&sprt(&GOOD.replacen(old, new, 1), &[]).expect_err("refused"))
}

#[test]
fn a_good_file_is_resolved() {
    let loaded = sprt(GOOD, &[]).unwrap();
    let run = &loaded.run;
    assert_eq!((run.name.as_str(), run.seed, loaded.concurrency), ("good", 7, None));
    let ExperimentConfig::Sprt { test, max_pairs: None, .. } = run.experiment else { panic!("{run:?}") };
    assert_eq!((test.elo0, test.elo1, test.alpha, test.beta), (0.0, 5.0, 0.05, 0.05));
    assert_eq!((test.model, test.overshoot), (stats::Model::Normalized, true));
    let [dev, base] = [0, 1].map(|index| native(&run.entrants[index].player));
    assert_eq!(dev.limit, Limit::Nodes(NonZeroU64::new(1000).unwrap()));
    assert!((dev.params.get("null_move_margin").unwrap() - 0.2).abs() < 1e-12);
    assert_eq!(
        base.limit,
        Limit::Clock { base: Duration::from_secs(4), increment: Duration::from_millis(40), moves: None }
    );
    assert_eq!(base.source, TimeSource::Nodes { per_second: NonZeroU64::new(1_000_000).unwrap() });
    assert_eq!(base.table_bytes, 65536);
}

#[test]
fn the_identity_survives_the_journal() {
    let run = sprt(GOOD, &[]).unwrap().run;
    let json = serde_json::to_string(&run).unwrap();
    let back: arena::config::RunConfig = serde_json::from_str(&json).unwrap();
    assert_eq!(back, run);
}

#[test]
fn bounds_have_a_name_or_numbers() {
    let both = broken("elo1 = 5", "elo1 = 5\npreset = \"simplification\"");
    assert!(both.contains("`preset` has no effect beside `elo0` and `elo1`"), "{both}");
    let text = GOOD.replacen("elo0 = 0\nelo1 = 5", "preset = \"simplification\"", 1);
    let loaded = sprt(&text, &["sprt.elo1=2"]).unwrap();
    let ExperimentConfig::Sprt { test, .. } = loaded.run.experiment else { panic!("{:?}", loaded.run) };
    assert_eq!((test.elo0, test.elo1), (-4.0, 2.0), "the command line replaces a bound");
    let loaded = sprt(&text, &["sprt.elo0=0", "sprt.elo1=2"]).unwrap();
    let ExperimentConfig::Sprt { test, .. } = loaded.run.experiment else { panic!("{:?}", loaded.run) };
    assert_eq!((test.elo0, test.elo1), (0.0, 2.0), "or both");
}

#[test]
fn a_mistyped_parameter_is_shown_where_it_stands() {
    let text = broken("null_move_margin", "null_move_margn");
    assert!(text.contains("unknown parameter `null_move_margn` of entrant \"dev\""), "{text}");
    assert!(text.contains("did you mean `null_move_margin` (0 to 2, default"), "{text}");
    assert!(text.contains("good.toml:14:12"), "{text}");
    assert!(text.contains("───"), "{text}");
}

#[test]
fn every_value_is_checked() {
    let cases = [
        ("seed = 7", "sede = 7", "unknown key `sede`", "did you mean `seed`?"),
        ("seed = 7", "seed = -7", "invalid value", ""),
        ("elo0 = 0", "elo0 = 5", "elo0 is 5 and elo1 is 5", "expected elo0 less than elo1"),
        ("elo0 = 0", "elo0 = nan", "elo0 is NaN", "expected a number from -5000 to 5000"),
        ("elo1 = 5", "elo1 = 5\nalpha = 0.5", "alpha is 0.5", "less than 0.5"),
        ("elo1 = 5", "elo1 = 5\nbeta = 0", "beta is 0.0", "1e-9 or more"),
        ("elo1 = 5", "elo1 = 5\nmodel = \"trinomial\"", "unknown SPRT model `trinomial`", "`normalized`, `logistic`"),
        ("elo1 = 5", "elo1 = 5\nmax_pairs = 0", "a test of no pairs decides nothing", "1 or more"),
        ("1000 nodes", "1000", "`1000` is not a valid limit", "`1000 nodes`, `depth 6`"),
        ("null_move_margin = 0.2", "null_move_margin = 2.5", "cannot be 2.5", "0 to 2"),
        ("null_move_margin = 0.2", "null_move = 1", "`null_move` of entrant \"dev\" cannot be 1", "true or false"),
        ("null_move_margin = 0.2", "null_move_margin = \"x\"", "cannot be \"x\"", "0 to 2"),
        (
            "\"material\"",
            "\"nnue\"",
            "`nnue` is not a valid evaluation",
            "`material`, `piece-square`, `wps` or `network`",
        ),
        ("\"64 KiB\"", "\"64\"", "`64` is not a valid table size", "`256 KiB`"),
        ("nodes/s\"", "nps\"", "is not a valid clock", "`wall`"),
        ("name = \"base\"", "name = \"dev\"", "two entrants are called \"dev\"", ""),
        ("name = \"base\"", "name = \"  \"", "\"  \" cannot name an entrant", "with a letter or a digit"),
        ("name = \"base\"", "name = \"dev \"", "\"dev \" cannot name an entrant", "no blanks around them"),
        ("name = \"base\"", "name = \"-\"", "\"-\" cannot name an entrant", ""),
        ("name = \"base\"", "name = \"a\\tb\"", "\"a\\tb\" cannot name an entrant", "printable"),
        ("name = \"good\"", "title = \" \"", "this cannot be a title", "1 to 200 printable"),
        ("name = \"good\"", "name = \"a/b\"", "`a/b` cannot name a run", "it names a folder"),
        ("seed = 7", "concurrency = 0", "cannot have 0 workers", ""),
        ("[each]\nlimit = \"1000 nodes\"\n", "", "entrant \"dev\" has no limit", "add `limit` here or in `[each]`"),
        ("[each]", "[openings]\nplies = 500\n[each]", "500 random plies leave no game", "0 to 51"),
        ("[each]", "[openings]\nbalance = -1\n[each]", "`balance` cannot be -1", "logit"),
        (
            "[each]",
            "[[entrant]]\nname = \"r\"\nplayer = \"random\"\nlimit = \"5s\"\n[each]",
            "a random player has no settings",
            "",
        ),
        ("[each]", "[[entrant]]\nname = \"r\"\nplayer = \"random\"\n[each]", "there are 3 entrants", "spar match"),
        ("[sprt]\nelo0 = 0\nelo1 = 5\n", "", "there is no `[sprt]` section", "elo1 = 5"),
        ("[each]", "[each", "", "good.toml:9"),
    ];
    for (old, new, message, advice) in cases {
        let text = broken(old, new).replace("\n  │ ", " ");
        assert!(text.contains(message) && text.contains(advice), "{new}:\n{text}");
    }
}

const CHESS: &str = r#"
game = "chess"

[sprt]
elo0 = 0
elo1 = 5

[[entrant]]
name = "a"
player = "random"

[[entrant]]
name = "b"
player = "random"
"#;

#[test]
fn games_of_chess_have_their_own_rules_for_openings() {
    let run = sprt(CHESS, &[]).unwrap().run;
    assert_eq!(run.game, GameKind::Chess);
    assert_eq!(run.openings, OpeningSource::Random(RandomOpenings { plies: 8.into(), balance: None }));
    let run = sprt(CHESS, &["game=racing-kings", "openings.plies=40"]).unwrap().run;
    assert_eq!(run.game, GameKind::RacingKings);
    assert_eq!(run.openings, OpeningSource::Random(RandomOpenings { plies: 40.into(), balance: None }));
    let refused = [
        ("game=\"ches\"", "unknown game `ches`", "chess960"),
        ("openings.plies=41", "41 random plies leave no game", "0 to 40"),
        ("openings.balance=0.5", "openings of chess cannot be balanced", "plays 0.1"),
        ("openings.source=\"setups\"", "chess has no book of setups", "only 0.1 begins with setups"),
        ("entrant.a.player=\"native\"", "has no `cmd`", "which program plays chess?"),
    ];
    for (setting, message, label) in refused {
        let text = shown(&sprt(CHESS, &[setting]).expect_err(setting));
        assert!(text.contains(message) && text.contains(label), "{setting}:\n{text}");
    }
}

#[test]
fn settings_replace_and_add() {
    let settings = [
        "seed=9",
        "sprt.max_pairs=100",
        "each.limit=2000 nodes",
        "entrant.dev.params.null_move_margin=0.3",
        "entrant.1.limit=depth 3",
        "openings.plies = 6",
    ];
    let loaded = sprt(GOOD, &settings).unwrap();
    assert_eq!(loaded.run.seed, 9);
    assert_eq!(loaded.run.openings, OpeningSource::Random(RandomOpenings { plies: 6.into(), balance: None }));
    let [dev, base] = [0, 1].map(|index| native(&loaded.run.entrants[index].player));
    assert_eq!(dev.limit, Limit::Nodes(NonZeroU64::new(2000).unwrap()));
    assert!((dev.params.get("null_move_margin").unwrap() - 0.3).abs() < 1e-12);
    assert_eq!(base.limit, Limit::Depth(3));
    assert_eq!(sprt(&loaded.text, &[]).unwrap().run, loaded.run, "the effective text says it all");
}

#[test]
fn weights_come_from_files_that_say_what_evaluates() {
    let folder = tempfile::TempDir::new().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    };
    let model = engine::WazirPieceSquare::new(vec![3; 6360], 5).unwrap().to_bytes();
    let parts = engine::eval::network::NetworkParts {
        hidden: 32,
        buckets: engine::eval::network::Buckets { pieces: 1, plies: 1 },
        feature_weights: vec![1; 6360 * 32],
        feature_biases: vec![2; 32],
        output_scale: 64,
        output_weights: vec![3; 64],
        output_biases: vec![4],
    };
    let network = engine::Network::new(&parts).unwrap().to_bytes();
    write("wps", &model);
    write("net", &network);
    write("cut", &network[..network.len() / 2]);
    write("text", b"[sprt]\n");
    let mut wide = b"spar-net".to_vec();
    for size in [1_u16, 48, 1, 64] {
        wide.extend(size.to_le_bytes());
    }
    let check = wide
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    wide.extend(check.to_le_bytes());
    write("wide", &wide);

    // `%` stands for the folder.
    let here = folder.path().to_str().unwrap();
    let resolved = |old: &str, new: &str| {
        assert!(GOOD.contains(old), "{old}");
        sprt(&GOOD.replacen(old, &new.replace('%', here), 1), &[])
    };
    let evaluations = |old: &str, new: &str| {
        let run = resolved(old, new).unwrap_or_else(|error| panic!("{}", shown(&error))).run;
        [0, 1].map(|index| {
            let native = native(&run.entrants[index].player);
            let file = native.network.as_ref().map(|file| file.replace(&format!("{here}/"), ""));
            (native.evaluation.name(), file)
        })
    };
    let of = |name: &str| Some(name.to_owned());
    let dev = "name = \"dev\"";
    assert_eq!(evaluations(dev, "name = \"dev\"\nnetwork = \"%/net\""), [("network", of("net")), ("material", None)]);
    let both = "name = \"dev\"\nnetwork = \"%/wps\"\nevaluation = \"wps\"";
    assert_eq!(evaluations(dev, both), [("wps", of("wps")), ("material", None)]);
    // The entrant's own evaluation overrides that of `[each]`, whichever key sets it.
    assert_eq!(evaluations("[each]", "[each]\nnetwork = \"%/net\""), [("network", of("net")), ("material", None)]);
    let own = "evaluation = \"wps\"\n[[entrant]]\nname = \"dev\"\nnetwork = \"%/net\"";
    assert_eq!(evaluations("[[entrant]]\nname = \"dev\"", own), [("network", of("net")), ("material", None)]);

    for (setting, message, at) in [
        ("network = \"%/none\"", "none: No such file", 14),
        ("network = \"%\"", "is not a file", 14),
        ("network = \"%/cut\"", "the weights are cut short or damaged", 14),
        ("network = \"%/text\"", "begins with neither `spar-wps` nor `spar-net`", 14),
        ("network = \"%/wide\"", "weights of another architecture: the hidden layer", 14),
        ("network = \"%/net\"\nevaluation = \"wps\"", "holds the weights of the evaluation `network`, not `wps`", 15),
        ("network = \"%/net\"\nevaluation = \"nnue\"", "`nnue` is not a valid evaluation", 15),
    ] {
        let error = resolved(dev, &format!("name = \"dev\"\n{setting}")).expect_err(setting);
        let text = shown(&error);
        // The path may be long, and long lines are also wrapped after hyphens.
        let flat = |text: &str| text.split(|c: char| c.is_whitespace() || c == '│').collect::<String>();
        assert!(flat(&text).contains(&flat(message)), "{setting}:\n{text}");
        assert!(text.contains(&format!("good.toml:{at}:")), "{setting}:\n{text}");
    }
    let beside = resolved("params = { null_move_margin = 0.2 }", "cmd = \"x\"\nnetwork = \"%/net\"").expect_err("both");
    assert!(shown(&beside).contains("an engine process has no such setting"), "{}", shown(&beside));
    let random = resolved("params = { null_move_margin = 0.2 }", "player = \"random\"\nnetwork = \"%/net\"");
    assert!(shown(&random.expect_err("both")).contains("a random player has no settings"));
}

/// A match between two engine processes, the second with options of its own.
const ENGINES: &str = "game = \"chess\"\n[match]\npairs = 1\n[each]\ncmd = \"a\"\nlimit = \"5s\"\n\
                       options = { Zeta = 3, Clear = \"\", Alpha = \"x\" }\n[[entrant]]\nname = \"a\"\n\
                       [[entrant]]\nname = \"b\"\n[entrant.options]\nMid = 1\nAlpha = \"y\"\nBeta = true\n";

#[test]
fn options_keep_the_order_in_which_they_are_written() {
    let order = |settings: &[&str], index: usize| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let run = load(ENGINES, "engines.toml", "stem", &settings, Job::Match, Disk).unwrap().run;
        let options = &run.entrants[index].player.process().expect("a process").options;
        options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&[], 0), "Zeta=3 Clear= Alpha=x");
    assert_eq!(order(&[], 1), "Zeta=3 Clear= Alpha=y Mid=1 Beta=true");
    assert_eq!(order(&["each.options.Zeta=4", "each.options.A=1"], 0), "Zeta=4 Clear= Alpha=x A=1");
}

#[test]
fn endgame_tables_must_be_there_and_the_largest_complete_set_is_usual() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../play/tests/data/syzygy");
    let ruled = |game: &str, tables: &str| {
        let tables = tables.replace("FOLDER", folder);
        let text = ENGINES.replacen("\"chess\"", &format!("\"{game}\""), 1);
        let text = format!("{text}\n[adjudication]\ntables = {{ {tables} }}\n");
        let loaded = load(&text, "engines.toml", "stem", &[], Job::Match, Disk);
        loaded.map(|loaded| loaded.run.rules.adjudication.tables.expect("tables")).map_err(|error| shown(&error))
    };
    let found = ruled("chess", "path = \"FOLDER\"").unwrap();
    assert_eq!((found.pieces, found.ignore_50, found.path.as_str()), (3, false, folder));
    assert!(ruled("chess960", "path = \"FOLDER\", pieces = 3, ignore_50 = true").unwrap().ignore_50);
    let results =
        |which: &str| ruled("chess", &format!("path = \"FOLDER\", results = \"{which}\"")).map(|tables| tables.results);
    assert_eq!(results("wins").unwrap(), TableResults::Wins);
    assert!(results("losses").unwrap_err().contains("expected one of `all`, `wins`, `draws`"));
    for (game, tables, message) in [
        ("chess", "pieces = 3", "`[adjudication.tables]` has no `path`"),
        ("chess", "path = \"/nowhere\"", "cannot read the folder /nowhere of endgame tables"),
        ("chess", "path = \"FOLDER\", pieces = 4", "30 endgame tables of up to 4 men are missing"),
        ("chess", "path = \"FOLDER\", pieces = 8", "there are no endgame tables of 8 men"),
        ("atomic", "path = \"FOLDER\"", "there are no endgame tables of this game in"),
        ("crazyhouse", "path = \"FOLDER\"", "there are no endgame tables of this game: chess,"),
        ("0.1", "path = \"FOLDER\"", "there are no endgame tables of this game: chess,"),
    ] {
        let text = ruled(game, tables).unwrap_err();
        assert!(text.contains(message) && text.contains("engines.toml:18:"), "{tables}:\n{text}");
    }
}

#[test]
fn engines_rest_and_are_waited_for_as_long_as_is_said() {
    let loaded = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        load(ENGINES, "engines.toml", "stem", &settings, Job::Match, Disk)
    };
    let millis = |settings: &[&str]| {
        let loaded = loaded(settings).unwrap();
        (
            loaded.pause.as_millis(),
            loaded.run.entrants[0].player.process().expect("a process").timeouts.overrun.as_millis(),
        )
    };
    assert_eq!(millis(&[]), (0, 1_000));
    assert_eq!(millis(&["pause=\"1.5s\"", "each.overrun_within=\"10s\""]), (1_500, 10_000));
    for setting in ["pause=\"soon\"", "each.overrun_within=\"soon\""] {
        let text = shown(&loaded(&[setting]).unwrap_err());
        assert!(text.contains("`soon` is not a valid duration"), "{text}");
    }
    // A pause between games is not part of a run's identity.
    let run = serde_json::to_string(&loaded(&["pause=\"1s\""]).unwrap().run).unwrap();
    assert!(run.contains("overrun") && !run.contains("pause"), "{run}");
}

#[test]
fn an_engine_over_tcp_has_an_address_and_nothing_of_a_program() {
    let loaded = |command: &str, setting: &str| {
        let settings = [format!("entrant.b.cmd=\"{command}\""), setting.to_owned()];
        let loaded = load(ENGINES, "engines.toml", "stem", &settings, Job::Match, Disk);
        loaded.map(|loaded| loaded.run.entrants[1].player.process().expect("a process").command.clone())
    };
    assert_eq!(loaded("tcp://localhost:9000", "seed=1").unwrap(), "tcp://localhost:9000");
    for (command, setting, message) in [
        ("tcp://localhost", "seed=1", "`tcp://localhost` is not an address of an engine"),
        ("tcp://localhost:0", "seed=1", "expected `tcp://HOST:PORT`"),
        ("tcp://localhost:1", "entrant.b.args=[\"-x\"]", "an engine over TCP is not started here"),
        ("tcp://localhost:1", "each.env.A=b", "an engine over TCP is not started here"),
        ("tcp://localhost:1", "each.nice=5", "an engine over TCP is not started here"),
    ] {
        let text = shown(&loaded(command, setting).unwrap_err());
        assert!(text.contains(message), "{command} {setting}:\n{text}");
    }
}

#[test]
fn how_an_engine_is_dealt_with_is_settled() {
    let handled = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let loaded =
            load(ENGINES, "engines.toml", "stem", &settings, Job::Match, Disk).map_err(|error| shown(&error))?;
        Ok::<_, String>(loaded.run.entrants[1].player.process().expect("a process").handling)
    };
    assert_eq!(handled(&[]), Ok(Handling::default()));
    let moves = MovesSent::SinceIrreversible;
    let all = ["each.moves=since-irreversible", "each.unknown_options=warn", "entrant.b.ponder=true"];
    assert_eq!(handled(&all), Ok(Handling { unknown_options: UnknownOptions::Warn, moves, ponder: true }));
    for (setting, message) in [
        ("each.moves=some", "unknown variant"),
        ("each.unknown_options=ignore", "unknown variant"),
        ("each.ponder=1", "invalid type"),
    ] {
        assert!(handled(&[setting]).is_err_and(|text| text.contains(message)), "{setting}: {:?}", handled(&[setting]));
    }
    let xboard = handled(&["each.protocol=xboard", "each.moves=since-irreversible"]).unwrap_err();
    assert!(xboard.contains("over xboard an engine is sent each move once"), "{xboard}");
}

#[test]
fn a_protocol_that_cannot_carry_the_game_is_refused() {
    let error = |game: &str, protocol: &str| {
        let settings = [format!("game=\"{game}\""), format!("entrant.b.protocol={protocol}")];
        let loaded = load(ENGINES, "engines.toml", "stem", &settings, Job::Match, Disk);
        loaded.err().map(|error| shown(&error)).unwrap_or_default()
    };
    for (game, protocol, expected) in [
        ("chess960", "xboard", "expected `uci`"),
        ("0.1", "xboard", "expected `uci` or `codecup`"),
        ("chess", "codecup", "expected `uci` or `xboard`"),
        ("crazyhouse", "codecup", "expected `uci` or `xboard`"),
    ] {
        let text = error(game, protocol);
        assert!(text.contains(&format!("{game} is not played over {protocol}")) && text.contains(expected), "{text}");
    }
    for (game, protocol) in [("chess", "xboard"), ("crazyhouse", "xboard"), ("chess960", "uci")] {
        assert_eq!(error(game, protocol), "", "{game} {protocol}");
    }
}

#[test]
fn options_that_never_reach_an_engine_are_refused() {
    const CODECUP: &str = "game = \"0.1\"\n[match]\npairs = 1\n[each]\ncmd = \"a\"\nprotocol = \"codecup\"\n\
                           limit = \"5s\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
    let run = load(CODECUP, "codecup.toml", "stem", &[], Job::Match, Disk).expect("a match").run;
    for setting in ["each.options.Hash=16", "entrant.b.options.Hash=16"] {
        let settings = [setting.to_owned()];
        let text = shown(&load(CODECUP, "codecup.toml", "stem", &settings, Job::Match, Disk).expect_err(setting));
        assert!(text.contains("an engine that speaks codecup has no options"), "{text}");
        assert!(text.contains(setting) && text.contains("in `args`"), "{text}");
        // Earlier versions began such runs, which can be resumed.
        assert!(load_stored(CODECUP, "codecup.toml", "stem", &settings, &run, Disk).is_ok());
    }
}

#[test]
fn settings_that_fit_nowhere_are_refused() {
    let cases = [
        ("seed", "expected key=value"),
        ("=5", "a part of the key is empty"),
        ("entrant.nobody.limit=5s", "no `entrant` called or numbered `nobody`"),
        ("seed.x=5", "`seed` is a value, not a section"),
        ("sprt=5", "`sprt` is a section, not a value"),
        ("each.limit=lots", "`lots` is not a valid limit"),
        ("sprt.elo2=5", "unknown key `elo2`"),
    ];
    for (setting, message) in cases {
        let text = shown(&sprt(GOOD, &[setting]).expect_err(setting));
        assert!(text.contains(message), "{setting}:\n{text}");
    }
}

/// Resolves all runs of a shipped file.
fn of_shipped(text: &str, name: &str, job: Job) -> Result<(), PlanError> {
    let plan = RunPlan::read(text, name, "shipped", &[], Some(job), Disk)?;
    let stages = plan.stages()?;
    if plan.keys.league.is_some() {
        return plan.league()?.resolve(job).map(drop);
    }
    if stages.is_empty() {
        return plan.resolve(job).map(drop);
    }
    stages.iter().try_for_each(|stage| stage.plan.resolve(job).map(drop))
}

#[test]
fn every_shipped_file_loads() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
    let mut loaded = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Launchers of workers are in a folder of their own.
        if path.is_dir() {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // The command line makes configurations from these files, and its tests read them.
        if text.contains("\n[build]") {
            continue;
        }
        if text.contains("\n[scaling]") {
            let plan = RunPlan::read(&text, &path.to_string_lossy(), "shipped", &[], None, Disk).unwrap();
            let resolved = plan.scaling().and_then(|scaling| scaling.plan.resolve(Job::Ladder));
            resolved.unwrap_or_else(|error| panic!("{}", shown(&error)));
            loaded += 1;
            continue;
        }
        if text.contains("\nbudget = ") {
            SetupsPlan::read(&text, &path.to_string_lossy(), &[], Disk)
                .unwrap_or_else(|error| panic!("{}", shown(&error)));
            loaded += 1;
            continue;
        }
        if text.contains("\nmethods = [") {
            FitPlan::read(&text, &path.to_string_lossy(), &[], Disk)
                .unwrap_or_else(|error| panic!("{}", shown(&error)));
            loaded += 1;
            continue;
        }
        if text.contains("\ndata = [") {
            // Users run spar in the repository's folder, but this test runs in `plan`.
            let text = text.replace("start = \"engine/", "start = \"../engine/");
            TrainingPlan::read(&text, &path.to_string_lossy(), &[], Disk)
                .unwrap_or_else(|error| panic!("{}", shown(&error)));
            loaded += 1;
            continue;
        }
        if text.contains("\n[learn]") {
            let plan = RunPlan::read(&text, &path.to_string_lossy(), "shipped", &[], None, Disk).unwrap();
            plan.learning().unwrap_or_else(|error| panic!("{}", shown(&error)));
            loaded += 1;
            continue;
        }
        let job = match () {
            () if text.contains("\n[sprt]") => Job::Sprt,
            () if text.contains("\n[ladder]") || text.contains("\n[league]") => Job::Ladder,
            () if text.contains("\n[tune]") => Job::Tune,
            () if text.contains("\n[selfplay]") => Job::Selfplay,
            () => Job::Match,
        };
        if let Err(error) = of_shipped(&text, &path.to_string_lossy(), job) {
            panic!("{}", shown(&error));
        }
        loaded += 1;
    }
    assert!(loaded >= 3);
}

/// Resolves the ladder with `old` replaced by `new`.
fn ladder(old: &str, new: &str) -> Result<arena::config::LadderConfig, String> {
    const LADDER: &str = "title = \"Years of work\"\n[ladder]\npairs = 500\nprecision = 12.5\nanchor = \
        \"b\"\nanchor_elo = 1500\n\
                          known = [{ entrant = \"b\", opponent = \"a\", counts = [1, 2, 3, 4, 5, 6] }]\n\
                          [each]\nlimit = \"10 nodes\"\n[[entrant]]\nname = \"a\"\n[[entrant]]\nname = \"b\"\n";
    assert!(LADDER.contains(old), "{old}");
    match load(&LADDER.replacen(old, new, 1), "ladder.toml", "ladder", &[], Job::Ladder, Disk) {
        Err(error) => Err(shown(&error)),
        Ok(loaded) => match loaded.run.experiment {
            ExperimentConfig::Ladder(ladder) => Ok(ladder),
            other => panic!("{other:?}"),
        },
    }
}

#[test]
fn a_ladder_is_resolved() {
    let config = ladder("\n", "\n").unwrap();
    assert_eq!((config.pairs.get(), config.lookahead.get(), config.entrants), (500, 64, 2));
    assert_eq!((config.precision, config.anchor, config.anchor_elo), (Some(12.5), 1, 1500.0));
    assert_eq!((config.compare, config.first_opening), (Compare::Neighbours, 0));
    let known = config.known[0];
    assert_eq!((known.entrant, known.opponent, known.counts.0), (1, 0, [1, 2, 3, 4, 5, 6]));
    assert_eq!(ladder("pairs = 500", "pairs = 500\ncompare = \"anchor\"").unwrap().compare, Compare::Anchor);
}

#[test]
fn what_is_no_ladder_is_refused() {
    let error = |old, new| ladder(old, new).unwrap_err();
    assert!(error("anchor = \"b\"", "anchor = \"bb\"").contains("did you mean `b`?"));
    assert!(error("opponent = \"a\"", "opponent = \"b\"").contains("plays itself"));
    assert!(error("12.5", "0.0").contains("`precision` cannot be 0"));
    assert!(error("1500", "1e9").contains("no rating is 1000000000"));
    assert!(error("pairs = 500", "pairs = 0").contains("expected 1 or more"));
    assert!(error("pairs = 500", "pairs = 500\nlookahead = 0").contains("expected 1 or more"));
    assert!(error("[[entrant]]\nname = \"a\"\n", "").contains("a ladder of 1 entrants"));
    assert!(error("\"Years of work\"", "\"\"").contains("this cannot be a title"));
}

#[test]
fn starved_pairs_are_played_again_where_the_wall_clock_decides() {
    use arena::run::OnStarvation::{Mark, Replay};
    let native = |limit: &str, more: &str| {
        format!(
            "{more}\n[match]\npairs = 1\n[each]\nlimit = '{limit}'\n[[entrant]]\nname = 'a'\n[[entrant]]\nname = 'b'\n"
        )
    };
    let node_clock = native("1s", "").replace("limit =", "clock = '1000000 nodes/s'\nlimit =");
    for (text, action, named) in [
        (native("100 nodes", ""), Mark, false),
        (native("depth 3", ""), Mark, false),
        (native("1s", ""), Replay, false),
        (native("10ms a move", ""), Replay, false),
        (node_clock, Mark, false),
        (native("1s", "starvation = { threshold = '1ms' }"), Replay, false),
        (native("1s", "starvation = { action = 'mark' }"), Mark, true),
        (native("100 nodes", "starvation = { action = 'replay' }"), Replay, true),
    ] {
        let loaded = load(&text, "t.toml", "t", &[], Job::Match, Disk).expect("valid");
        assert_eq!((loaded.run.starvation.action, loaded.names_starvation_action), (action, named), "{text}");
        // A stored run is resumed unchanged, unless settings change it.
        let mut stored = loaded.run.clone();
        stored.starvation.action = Mark;
        let again = load_stored(&text, "t.toml", "t", &[], &stored, Disk).expect("valid");
        assert_eq!(again.run.starvation.action, if named { action } else { Mark }, "{text}");
    }
}

#[test]
fn what_cannot_be_tuned_is_shown_where_it_stands() {
    const SESSION: &str = "[tune]\npairs = 500\nmethod = \"quadratic\"\nstop_regret = 1\nlookahead = 9\n\
                           [tune.verify]\nelo1 = 5\n\
                           [[tune.parameter]]\nname = \"optimism\"\nstep = 0.1\n[[tune.parameter]]\nname = \
                           \"futility_margin\"\n\
                           [each]\nlimit = \"9 nodes\"\n[[entrant]]\nname = \"a\"\n";
    let loaded = load(SESSION, "tune.toml", "tune", &[], Job::Tune, Disk).expect("a session");
    // Earlier versions began such sessions, which can be resumed.
    let stored = SESSION.replacen("quadratic", "spsa", 1);
    assert!(load_stored(&stored, "tune.toml", "tune", &[], &loaded.run, Disk).is_ok());
    let cases = [
        ("\"quadratic\"", "\"spas\"", "unknown tuning method `spas`", 3),
        ("\"quadratic\"", "\"spsa\"", "`spsa` estimates no regret, so `stop_regret` cannot", 4),
        ("stop_regret = 1", "stop_regret = 0", "`tune.stop_regret` cannot be 0", 4),
        ("lookahead = 9", "lookahead = 99999", "99999 pairs ahead", 5),
        ("elo1 = 5", "elo1 = -5", "elo", 7),
        ("step = 0.1", "step = -1", "step -1 ", 8),
        ("step = 0.1", "step = 0.1\nstart = 9", "outside the engine's own range", 11),
        ("futility_margin", "optimism", "`optimism` is given twice", 8),
        ("futility_margin", "futility_margn", "did you mean `futility_margin`", 12),
        ("pairs = 500", "pairs = 1", "tune 2 parameters", 2),
        ("pairs = 500", "pairs = 0", "no pairs tune nothing", 2),
        ("pairs = 500\n", "", "`[tune]` has no `pairs`", 1),
        ("[tune.verify]", "lines = \"x\"\n[tune.verify]", "both `lines` and", 6),
    ];
    for (old, new, message, line) in cases {
        assert!(SESSION.contains(old), "{old}");
        let error = load(&SESSION.replacen(old, new, 1), "tune.toml", "tune", &[], Job::Tune, Disk).expect_err(new);
        let text = shown(&error);
        assert!(text.contains(message) && text.contains(&format!("tune.toml:{line}:")), "{new}:\n{text}");
    }
    let lines =
        "[tune]\npairs = 500\nlines = \"optimism, int\"\n[each]\nlimit = \"9 nodes\"\n[[entrant]]\nname = \"a\"\n";
    let text = shown(&load(lines, "tune.toml", "tune", &[], Job::Tune, Disk).expect_err("no line"));
    assert!(text.contains("line 1: ") && text.contains("tune.toml:3:"), "{text}");
    let codecup = "[tune]\npairs = 500\nlines = \"x, int, 1, 0, 9, 1, 0.002\"\n[[entrant]]\nname = \"a\"\n\
                   cmd = \"x\"\nprotocol = \"codecup\"\nlimit = \"5s\"\n";
    let text = shown(&load(codecup, "tune.toml", "tune", &[], Job::Tune, Disk).expect_err("no options"));
    assert!(text.contains("an engine that speaks codecup has no options to tune"), "{text}");
}

#[test]
fn settings_are_shown_as_typed_and_all_else_in_the_file() {
    let refused = |text: &str, settings: &[&str]| shown(&sprt(text, settings).expect_err("refused"));
    let set = refused(GOOD, &["concurrency=4", "sprt.elo1=-5"]);
    assert!(set.contains("│ --set sprt.elo1=-5") && set.contains("elo0 less than elo1"), "{set}");
    let key = refused(GOOD, &["sprt.elo2=5"]);
    assert!(key.contains("│ --set sprt.elo2=5") && key.contains("unknown key"), "{key}");
    // The setting comes before the mistake in the edited text, which therefore has more lines than the file.
    let file = refused(&GOOD.replace("64 KiB", "64"), &["concurrency=4", "title=x", "each.params.null_move=false"]);
    assert!(file.contains("good.toml:21:"), "{file}");
    let entrant = refused(GOOD, &["entrant.base.limit=soon"]);
    assert!(entrant.contains("│ --set entrant.base.limit=soon"), "{entrant}");
}

const TUNING: &str = r#"[tune]
method = "spsa"
pairs = 100

[[tune.parameter]]
name = "null_move_margin"

[[entrant]]
name = "dev"
limit = "10 nodes"
"#;

fn tuning(text: &str) -> Result<arena::config::TuneConfig, PlanError> {
    match load(text, "tune.toml", "stem", &[], Job::Tune, Disk)?.run.experiment {
        ExperimentConfig::Tune(tune) => Ok(tune),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tuning_method_is_one_of_those_there_are() {
    for method in MethodId::all() {
        let read = tuning(&TUNING.replace("\"spsa\"", &format!("\"{method}\""))).expect("a session");
        assert_eq!(read.method, method);
        assert_eq!(serde_json::to_value(method).expect("JSON"), method.name());
    }
    assert_eq!(tuning(&TUNING.replace("method = \"spsa\"", "")).expect("a session").method, MethodId::default());
    let error = shown(&tuning(&TUNING.replace("\"spsa\"", "\"spas\"")).expect_err("a typo"));
    assert!(error.contains("unknown tuning method `spas`"), "{error}");
    assert!(error.contains("[tune.toml:2:10]") && error.contains("did you mean `spsa`?"), "{error}");
    let error = shown(&tuning(&TUNING.replace("\"spsa\"", "\"gradient\"")).expect_err("no method"));
    assert!(error.contains("expected one of quadratic, spsa, spsa-classic, spsa-auto"), "{error}");
}

#[test]
fn a_session_has_parameters_or_lines() {
    let lines = "pairs = 100\nlines = 'null_move_margin, float, 0.1, 0, 2, 0.1, 0.002'";
    let error = shown(&tuning(&TUNING.replace("pairs = 100", lines)).expect_err("both"));
    assert!(error.contains("[tune.toml:4:9]") && error.contains("leave this out, or the sections"), "{error}");
    let without = TUNING.replace("[[tune.parameter]]\nname = \"null_move_margin\"\n", "");
    let error = shown(&tuning(&without).expect_err("neither"));
    assert!(error.contains("`[tune]` needs parameters"), "{error}");
    let read = tuning(&without.replace("pairs = 100", lines)).expect("a session");
    assert!(matches!(&read.tuned, Tuned::Lines(lines) if lines.starts_with("null_move_margin")), "{read:?}");
}

/// Resolves the session above after an earlier one that knew this about its parameter.
fn after(keys: &str, learnt: &str) -> Result<arena::config::TuneConfig, PlanError> {
    let earlier =
        format!("[tune.earlier]\nsession = \"tune-x-1\"\npairs = 1000\n[[tune.earlier.parameter]]\n{learnt}\n");
    let text = TUNING.replace("method = \"spsa\"", keys).replace("[[tune", &format!("{earlier}[[tune"));
    // The parameter's own section stands before the earlier ones.
    tuning(&text)
}

const LEARNT: &str = "name = \"null_move_margin\"\nkind = \"real\"\nstart = 0.5\nmin = 0\nmax = 2\nstep = 0.2\n\
                      gg = 0.3\ngh = 0.1234567890123456789\nhh = 0.2\ng = 0.1\nh = -0.7";

#[test]
fn a_session_may_begin_with_what_an_earlier_one_knew() {
    let read = after("", LEARNT).unwrap_or_else(|error| panic!("{}", shown(&error)));
    let earlier = read.earlier.clone().expect("an earlier one");
    assert_eq!(earlier.in_words(|n| n.to_string()), "from tune-x-1: 1 of 1 parameters, 1000 pairs, half believed");
    let json = serde_json::to_string(&read).expect("JSON");
    assert_eq!(serde_json::from_str::<arena::config::TuneConfig>(&json).expect("a session"), read);
    // A parameter of another scale gets no knowledge, and methods without a model only use the starts.
    let other = after("", &LEARNT.replace("\"real\"", "\"log\"").replace("min = 0", "min = 0.1")).expect("a session");
    assert_eq!(other.earlier.expect("an earlier one").learnt, []);
    assert_eq!(after("method = \"spsa\"", LEARNT).expect("a session").earlier, None);
    assert_eq!(tuning(TUNING).expect("a session").earlier, None);
}

/// Resolves a session of `null_move_margin` with these keys, after an earlier one that knew this about it.
fn after_category(keys: &str, learnt: &str) -> Result<arena::config::TuneConfig, PlanError> {
    let was = "name = \"null_move_margin\"\nkind = \"category\"\nstart = 0\nmin = 0\nmax = 2\nstep = 1";
    let text = TUNING.replace("method = \"spsa\"", "").replace("margin\"\n", &format!("margin\"\n{keys}\n"));
    let earlier = "[tune.earlier]\nsession = \"tune-x-1\"\npairs = 1000\n[[tune.earlier.parameter]]";
    tuning(&format!("{text}\n{earlier}\n{was}\n{learnt}\n"))
}

#[test]
fn what_was_known_of_a_category_goes_by_its_values() {
    let learnt = "values = [\"0.1\", \"0.2\", \"0.3\"]\nprecisions = [2, -1, 1, -1, 0, 1]\nshifts = [3, -1, -2]";
    let read = after_category("values = [0.2, 0.1, 0.5]", learnt).unwrap_or_else(|error| panic!("{}", shown(&error)));
    let earlier = read.earlier.clone().expect("an earlier one");
    assert_eq!(earlier.in_words(|n| n.to_string()), "from tune-x-1: 1 of 1 parameters, 1000 pairs, half believed");
    // The earlier session's third value says nothing about the other two, since it has not met both of them.
    assert_eq!(earlier.categories[0].precisions, [1.0, -1.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(earlier.categories[0].shifts, [-1.0, 1.0, 0.0]);
    let json = serde_json::to_string(&read).expect("JSON");
    assert_eq!(serde_json::from_str::<arena::config::TuneConfig>(&json).expect("a session"), read);
    // A number gets no knowledge from a category, and numbers that do not fit are refused.
    let number = after_category("", learnt).expect("a session").earlier.expect("an earlier one");
    assert_eq!((number.learnt, number.categories), (Vec::new(), Vec::new()));
    let error = shown(&after_category("", &learnt.replace("[3, -1, -2]", "[3, -1]")).expect_err("too few"));
    assert!(error.contains("does not fit 3 values"), "{error}");
    // Older runs have no data of a category, and all members of a group.
    let slope = "gg = 0\ngh = 0\nhh = 0\ng = 0\nh = 0";
    let old = after_category("values = [0.2, 0.1]", slope).expect("a session").earlier.expect("an earlier one");
    assert_eq!((old.learnt, old.categories), (Vec::new(), Vec::new()));
}

#[test]
fn an_earlier_session_that_says_nothing_is_refused_where_it_stands() {
    let cases = [
        ("trust = 0", LEARNT, "`tune.trust` cannot be 0", "more than 0 and at most 1"),
        ("trust = 1.5", LEARNT, "`tune.trust` cannot be 1.5", "more than 0 and at most 1"),
        ("trust = nan", LEARNT, "`tune.trust` cannot be NaN", "more than 0 and at most 1"),
        ("from = \"nowhere\"", LEARNT, "`from` and `[tune.earlier]` both say", "leave this out"),
        ("", "name = \"null_move_margin\"", "`[[tune.earlier.parameter]]` has no `kind`", "add `kind = ...`"),
    ];
    for (keys, learnt, message, label) in cases {
        let error = shown(&after(keys, learnt).expect_err(message));
        assert!(error.contains(message) && error.contains(label), "{keys}: {error}");
    }
    for (keys, message, label) in [
        ("from = \"nowhere\"", "there is no folder nowhere", "expected the folder of a tuning session"),
        ("trust = 0.5", "`tune.trust` is the share that is believed of an earlier session", "add `from ="),
        ("from = \"nowhere\"\nlines = \"x\"", "`lines` define them all again", "leave this out"),
    ] {
        let error = shown(&tuning(&TUNING.replace("method = \"spsa\"", keys)).expect_err(message));
        assert!(error.contains(message) && error.contains(label), "{keys}: {error}");
        assert!(error.contains("[tune.toml:2:"), "{keys}: {error}");
    }
}

/// Resolves a session with these limits besides the entrant's own.
fn at_limits(limits: &str, own: &str) -> Result<arena::config::TuneConfig, PlanError> {
    let text = TUNING.replace("method = \"spsa\"", &format!("limits = {limits}"));
    tuning(&text.replace("10 nodes", own))
}

#[test]
fn a_session_may_play_below_its_entrant_s_limit() {
    let read = at_limits("[\"20ms\", \"50ms\"]", "200ms").unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert_eq!(read.limits.iter().map(ToString::to_string).collect::<Vec<_>>(), ["20ms", "50ms"]);
    let json = serde_json::to_string(&read).expect("JSON");
    assert_eq!(serde_json::from_str::<arena::config::TuneConfig>(&json).expect("a session"), read);
    assert!(tuning(TUNING).expect("a session").limits.is_empty());
    assert!(at_limits("[\"2 nodes\"]", "10 nodes").is_ok() && at_limits("[\"1s+10ms\"]", "4s+40ms").is_ok());
}

#[test]
fn limits_that_are_not_below_the_target_are_refused_where_they_stand() {
    let below = "must be below the entrant's own limit, 200ms, which is the target";
    let cases = [
        ("[\"20ms\", \"200ms\"]", "200ms", below, "each below 200ms"),
        ("[\"50ms\", \"20ms\"]", "200ms", below, "rising"),
        ("[\"400ms\"]", "200ms", below, "of its kind"),
        ("[\"100 nodes\"]", "200ms", below, "of its kind"),
        ("[\"20ms a move\"]", "200ms", below, "of its kind"),
        ("[]", "200ms", below, "expected 1 to 8 limits"),
        ("[\"soon\"]", "200ms", "`soon` is not a limit", "expected `1000 nodes`"),
        ("[\"depth 3\"]", "depth 6", "what a pair at another depth costs is not known", "in nodes or in time"),
        ("[\"20ms\"]\nmethod = \"spsa\"", "200ms", "`spsa` plays at one limit", "`quadratic` alone"),
    ];
    for (limits, own, message, label) in cases {
        let error = shown(&at_limits(limits, own).expect_err(limits));
        assert!(error.contains(message) && error.contains(label), "{limits}: {error}");
        assert!(error.contains("[tune.toml:2:10]"), "{limits}: {error}");
    }
}

#[test]
fn limits_are_scaled_with_the_entrant_s() {
    let text = "tc_scale = 2\n[tune]\npairs = 10\nlimits = [\"1s\"]\n[[tune.parameter]]\nname = \"A\"\nstart = 1\nmin \
        = 0\nmax = 9\n\
                [[entrant]]\nname = \"x\"\ncmd = \"x\"\nlimit = \"4s\"\n";
    let run =
        load(text, "tune.toml", "tune", &[], Job::Tune, Disk).unwrap_or_else(|error| panic!("{}", shown(&error))).run;
    let scaled = run.scaled(0.5);
    let of = |run: &arena::config::RunConfig| {
        (run.experiment.limits()[0].to_string(), run.entrants[0].player.limit().0.to_string())
    };
    assert_eq!((of(&run), of(&scaled)), (("1s".into(), "4s".into()), ("500ms".into(), "2s".into())));
}

#[test]
fn a_session_is_read_as_it_was_stored() {
    let read = tuning(TUNING).expect("a session");
    let json = serde_json::to_string(&read).expect("JSON");
    assert_eq!(serde_json::from_str::<arena::config::TuneConfig>(&json).expect("a session"), read);
}

/// Resolves a match of this many entrants.
fn tournament(keys: &str, entrants: usize) -> Result<ExperimentConfig, PlanError> {
    let entrants = (0..entrants).fold(String::new(), |text, number| {
        text + &format!("[[entrant]]\nname = \"e{number}\"\nplayer = \"random\"\n")
    });
    let text = format!("[match]\n{keys}\n{entrants}");
    load(&text, "match.toml", "match", &[], Job::Match, Disk).map(|loaded| loaded.run.experiment)
}

fn schedule(keys: &str, entrants: usize) -> Schedule {
    match tournament(&format!("pairs = 2\n{keys}"), entrants) {
        Ok(ExperimentConfig::Match { schedule, .. }) => schedule,
        other => panic!("{other:?}"),
    }
}

#[test]
fn schedules_have_settings_of_their_own() {
    let number = |number| NonZeroU32::new(number).expect("not 0");
    let swiss = |rounds| Schedule::Swiss(Swiss { rounds: number(rounds) });
    assert_eq!(schedule("", 3), Schedule::Gauntlet);
    assert_eq!(schedule("seeds = 1", 3), Schedule::Gauntlet);
    assert_eq!(schedule("seeds = 2", 3), Schedule::Gauntlets(Gauntlets { seeds: number(2) }));
    assert_eq!(schedule("schedule = \"pyramid\"", 3), Schedule::Pyramid);
    assert_eq!([2, 3, 4, 5, 8, 9].map(|n| schedule("schedule = \"swiss\"", n)), [1, 2, 2, 3, 3, 4].map(swiss));
    assert_eq!(schedule("schedule = \"swiss\"\nswiss_rounds = 5", 5), swiss(5));
    assert_eq!(schedule("schedule = \"knockout\"", 3), Schedule::Knockout(Knockout { tie_breaks: 10 }));
    assert_eq!(schedule("schedule = \"knockout\"\ntie_breaks = 0", 3), Schedule::Knockout(Knockout { tie_breaks: 0 }));
}

#[test]
fn a_schedule_that_cannot_be_played_is_refused_where_it_stands() {
    let cases = [
        ("schedule = \"swiss\"", 1, "there are too few entrants: 1", ""),
        ("schedule = \"swiss\"\nswiss_rounds = 4", 4, "a Swiss of 4 entrants cannot have 4 rounds", "expected 1 to 3"),
        ("schedule = \"swiss\"\nswiss_rounds = 0", 4, "cannot have 0 rounds", "[match.toml:4:16]"),
        ("schedule = \"swiss\"", 201, "a Swiss of 201 entrants cannot be paired", "at most 200 entrants"),
        ("seeds = 3", 3, "a gauntlet among 3 entrants cannot have 3 seeds", "expected 1 to 2"),
        ("swiss_rounds = 2", 3, "`swiss_rounds` is of another schedule", "only `schedule = \"swiss\"` has it"),
        ("schedule = \"swiss\"\ntie_breaks = 2", 3, "`tie_breaks` is of another", "only `schedule = \"knockout\"`"),
        ("schedule = \"knockout\"\ntie_breaks = 9999999", 3, "too many tie-breaks", "expected 0 to 1000000"),
        ("schedule = \"swis\"", 3, "unknown variant `swis`", "`knockout`"),
    ];
    for (keys, entrants, message, label) in cases {
        let error = tournament(&format!("pairs = 2\n{keys}"), entrants).expect_err(keys);
        let text = format!("{} {}", error, shown(&error));
        assert!(text.contains(message) && text.contains(label), "{keys}: {text}");
    }
    let twice = "[match]\npairs = 1\nschedule = \"knockout\"\n[[entrant]]\nname = \"a\"\nplayer = \"random\"\n\
                 [[entrant]]\nname = \"a\"\nplayer = \"random\"\n";
    let error = shown(&load(twice, "match.toml", "match", &[], Job::Match, Disk).expect_err("the same name twice"));
    assert!(error.contains("two entrants are called \"a\"") && error.contains("[match.toml:8:8]"), "{error}");
}

#[test]
fn the_length_of_a_match_whose_pairings_heed_results_is_part_of_it() {
    let of = |keys: &str| tournament(keys, 4).expect("a match");
    for (schedule, may_change) in [("round-robin", true), ("pyramid", true), ("swiss", false), ("knockout", false)] {
        let [then, now] = [3, 5].map(|pairs| of(&format!("pairs = {pairs}\nschedule = \"{schedule}\"")));
        assert_eq!(now.with_pair_limit_of(&then) == then, may_change, "{schedule}");
    }
}

const SELFPLAY: &str = r#"
[selfplay]
games = 500
filter = { captures = true, score = 6.5 }
[openings]
plies = "6..10"
[[entrant]]
name = "a"
limit = "50 nodes"
"#;

#[test]
fn self_play_has_a_filter_and_its_scores_are_kept() {
    let load = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        load(SELFPLAY, "s.toml", "s", &settings, Job::Selfplay, Disk)
    };
    let loaded = load(&[]).unwrap();
    let filter = PositionFilter { captures: true, score: 65_000, ..PositionFilter::default() };
    let games = NonZeroU64::new(500).unwrap();
    assert_eq!(
        loaded.run.experiment,
        ExperimentConfig::Selfplay { games, entrants: 1, filter, format: PositionFormat::Text }
    );
    assert!(loaded.run.rules.track);
    let plies = PlyRange::new(6, 10).unwrap();
    assert_eq!(loaded.run.openings, OpeningSource::Random(RandomOpenings { plies, balance: None }));
    let json = serde_json::to_string(&loaded.run).unwrap();
    assert_eq!(serde_json::from_str::<arena::config::RunConfig>(&json).unwrap(), loaded.run);
}

#[test]
fn self_play_of_chess_draws_positions_and_names_their_format() {
    let text = "game = \"chess\"\n[selfplay]\ngames = 5\nformat = \"bullet\"\n\
                filter = { quiet = true, per_game = 8, skip_plies = 2, score = 20, captures = false }\n\
                [[entrant]]\nname = \"x\"\ncmd = \"x\"\nlimit = \"50 nodes\"\n";
    let loaded = load(text, "d.toml", "d", &[], Job::Selfplay, Disk).unwrap();
    let expected = PositionFilter {
        in_check: true,
        score: 200_000,
        skip_plies: 2,
        sampling: Sampling::PerGame(NonZeroU32::new(8).unwrap()),
        quiet: true,
        ..PositionFilter::default()
    };
    let games = NonZeroU64::new(5).unwrap();
    let format = PositionFormat::Bullet;
    assert_eq!(loaded.run.experiment, ExperimentConfig::Selfplay { games, entrants: 1, filter: expected, format });
    assert!(loaded.run.rules.track);
    let json = serde_json::to_string(&loaded.run).unwrap();
    assert_eq!(serde_json::from_str::<RunConfig>(&json).unwrap(), loaded.run);
}

/// Resolves a match of a timed process and the engine of 0.1 on a clock of nodes, with more keys.
fn scaled(keys: &str) -> Result<Loaded, PlanError> {
    let text = format!(
        "{keys}\n[match]\npairs = 1\n[each]\nlimit = \"10s\"\n[[entrant]]\nname = \"x\"\ncmd = \"x\"\n\
         [[entrant]]\nname = \"own\"\nclock = \"1000 nodes/s\"\n[[entrant]]\nname = \"any\"\nplayer = \"random\"\n\
         [[entrant]]\nname = \"far\"\ncmd = \"tcp://a:1\"\n"
    );
    load(&text, "match.toml", "match", &[], Job::Match, Disk)
}

#[test]
fn what_time_controls_are_scaled_to_is_part_of_a_run_and_by_how_much_is_not() {
    let of = |keys: &str| scaled(keys).unwrap_or_else(|error| panic!("{}", shown(&error)));
    assert_eq!((of("").run.scale, of("").scale_by), (None, None));
    let [once, twice] = ["tc_scale = 1", "tc_scale = 2.0"].map(of);
    assert_eq!(once.run, twice.run);
    assert_eq!(twice.scale_by, Some(ScaleBy::Factor(2.0)));
    let auto = of("tc_scale = \"auto\"\nbench = { engine = \"x\", nps = 5, within = \"1s\" }");
    let reference = |entrant: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|text| (*text).to_owned()).collect();
        let nps = NonZeroU64::new(5).expect("not 0");
        Some(TimeScale::Bench(ReferenceSpeed { entrant: entrant.to_owned(), arguments, nps }))
    };
    assert_eq!(auto.run.scale, reference("x", &["bench"]));
    assert_eq!(auto.scale_by, Some(ScaleBy::Bench { within: Duration::from_secs(1) }));
    assert_eq!(of("tc_scale = \"auto\"\nbench = { engine = \"own\", nps = 5 }").run.scale, reference("own", &[]));
    // Node counts stay the same on every machine, on any clock.
    let here = auto.run.scaled(0.5);
    let limits = here.entrants.iter().map(|entrant| entrant.player.limit().0.to_string()).collect::<Vec<_>>();
    assert_eq!(limits, ["5s", "10s", "1 nodes", "5s"]);
}

#[test]
fn a_scale_that_cannot_be_is_refused_where_it_stands() {
    let cases = [
        ("tc_scale = \"aut\"", "`tc_scale` cannot be \"aut\"", "[match.toml:1:12]"),
        ("tc_scale = 0", "cannot be 0", "a factor from 0.01 to 100"),
        ("tc_scale = nan", "cannot be NaN", "expected `\"auto\"`"),
        ("tc_scale = true", "expected \"auto\" or a factor such as 1.5", "[match.toml:1:12]"),
        ("tc_scale = \"auto\"", "without a measured speed", "[bench]"),
        ("tc_scale = \"auto\"\nbench = { engine = \"x\" }", "`[bench]` has no `nps`", "[match.toml:2:9]"),
        ("tc_scale = \"auto\"\nbench = { nps = 1 }", "`[bench]` has no `engine`", "add `engine"),
        ("tc_scale = \"auto\"\nbench = { engine = \"x\", nps = 0 }", "cannot be 0 nodes a second", "[match.toml:2:31]"),
        ("tc_scale = \"auto\"\nbench = { engine = \"owm\", nps = 1 }", "no entrant is called", "did you mean \"own\"?"),
        ("tc_scale = \"auto\"\nbench = { engine = \"any\", nps = 1 }", "has no bench", "[match.toml:2:20]"),
        ("tc_scale = \"auto\"\nbench = { engine = \"far\", nps = 1 }", "has no bench", "an entrant with a program"),
        ("tc_scale = \"auto\"\nbench = { engine = \"own\", nps = 1, args = [] }", "takes no arguments", "remove this"),
        ("tc_scale = \"auto\"\nbench = { engine = \"x\", nps = 1, within = \"1\" }", "not a valid duration", "`1min`"),
        ("tc_scale = 2\nbench = { engine = \"x\", nps = 1 }", "no bench is needed", "[match.toml:2:9]"),
        ("bench = { engine = \"x\", nps = 1 }", "nothing is scaled to it", "tc_scale"),
    ];
    for (keys, message, label) in cases {
        let error = scaled(keys).expect_err(keys);
        let text = format!("{} {}", error, shown(&error));
        assert!(text.contains(message) && text.contains(label), "{keys}: {text}");
    }
    let untimed = "tc_scale = 2\n[match]\npairs = 1\n[[entrant]]\nname = \"a\"\nlimit = \"5 nodes\"\n[[entrant]]\n\
                   name = \"b\"\nplayer = \"random\"\n";
    let error = shown(&load(untimed, "match.toml", "match", &[], Job::Match, Disk).expect_err("no time"));
    assert!(error.contains("no entrant has one"), "{error}");
}

/// Resolves a match of random players in a game, with these openings.
fn starts(game: &str, openings: &str) -> Result<Loaded, PlanError> {
    let text = format!(
        "game = \"{game}\"\n[openings]\n{openings}\n[match]\npairs = 1\n[[entrant]]\nname = \"a\"\nplayer = \
            \"random\"\n\
         [[entrant]]\nname = \"b\"\nplayer = \"random\"\n"
    );
    load(&text, "match.toml", "match", &[], Job::Match, Disk)
}

#[test]
fn starts_of_chess960_are_chosen_by_their_numbers() {
    let of = |game: &str, openings: &str| match starts(game, openings) {
        Ok(Loaded { run: RunConfig { openings: OpeningSource::Numbered(starts), .. }, .. }) => starts,
        other => panic!("{other:?}"),
    };
    let all = of("chess960", "source = \"chess960\"");
    assert_eq!((all.to_string(), all.order), ("starts 0..959".to_owned(), BookOrder::Random));
    let some =
        of("crazyhouse960", "source = \"chess960\"\nnumbers = \"518, 0..9\"\norder = \"sequential\"\nstart = 11");
    assert_eq!((some.numbers.to_string(), some.numbers.count(), some.start.get()), ("518, 0..9".to_owned(), 11, 11));
    assert_eq!(of("chess960", "source = \"double-chess960\"").to_string(), "double starts 0..921599");
    for (game, openings, message, label) in [
        ("chess", "source = \"chess960\"", "chess has no numbered starts", "[match.toml:3:10]"),
        ("chess960", "source = \"chess690\"", "`chess690` is not a source", "`double-chess960`"),
        ("chess960", "source = \"chess960\"\nnumbers = \"960\"", "not a valid list of starts", "none above 959"),
        ("chess960", "source = \"chess960\"\nstart = 961", "opening 961 is beyond the 960 of starts 0..959", ":4:9]"),
        (
            "chess960",
            "source = \"chess960\"\nplies = 2",
            "is for random openings, openings of good setups and books",
            "leave it out",
        ),
        ("chess960", "numbers = \"3\"", "is for numbered starts", "expected `source = \"chess960\"`, too"),
        ("chess960", "order = \"random\"", "is for numbered starts and books", "or `file`, too"),
    ] {
        let error = starts(game, openings).expect_err(openings);
        let text = format!("{} {}", error, shown(&error));
        assert!(text.contains(message) && text.contains(label), "{openings}: {text}");
    }
}

#[test]
fn without_a_game_programs_play_chess_and_spars_own_engine_0_1() {
    let game = |text: &str| RunPlan::read(text, "f.toml", "f", &[], None, Disk).expect("a plan").keys.game();
    let entrant = |keys: &str| format!("[[entrant]]\nname = \"x\"\n{keys}\n");
    let program = entrant("cmd = \"x\"");
    let random = entrant("player = \"random\"");
    for (text, expected) in [
        (program.clone(), GameKind::Chess),
        (format!("{program}{random}"), GameKind::Chess),
        (format!("[each]\ncmd = \"x\"\n{}{random}", entrant("")), GameKind::Chess),
        (entrant("rev = \"v1\""), GameKind::Chess),
        ("[build]\ncommand = \"x\"\nbinary = \"x\"\n".to_owned(), GameKind::Chess),
        (format!("{program}{}", entrant("")), GameKind::ZeroPointOne),
        (format!("{program}{}", entrant("player = \"native\"")), GameKind::ZeroPointOne),
        (format!("[each]\ncmd = \"x\"\n{}", entrant("player = \"native\"")), GameKind::ZeroPointOne),
        (entrant("cmd = \"x\"\nprotocol = \"codecup\""), GameKind::ZeroPointOne),
        (format!("[each]\nprotocol = \"codecup\"\n{program}"), GameKind::ZeroPointOne),
        (random, GameKind::ZeroPointOne),
        (entrant(""), GameKind::ZeroPointOne),
        (format!("game = \"0.1\"\n{program}"), GameKind::ZeroPointOne),
        (format!("game = \"atomic\"\n{program}"), GameKind::Atomic),
    ] {
        assert_eq!(game(&text), expected, "{text}");
    }
}
