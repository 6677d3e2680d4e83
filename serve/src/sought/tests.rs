use super::*;
use arena::config::Job;
use arena::run::{ByHost, Circumstances, Executables, GameRecord, Journal, PairResult, Played, Sides, run_header};
use plan::{Disk, load};
use play::{BySide, DrawRule, Fault, Side, WinRule};
use std::time::Duration;
use tempfile::TempDir;

const DRAW: Ending = Ending::Draw { by: DrawRule::Repetition };

fn mate(winner: Side) -> Ending {
    Ending::Win { winner, by: WinRule::Checkmate }
}

fn crash(loser: Side) -> Ending {
    Ending::Forfeit { loser, fault: Fault::Crash("it is gone".to_owned()) }
}

fn header(entrants: &[&str]) -> Header {
    let one = |name: &&str| format!("[[entrant]]\nname = \"{name}\"\nplayer = \"random\"\n");
    let text = format!("game = \"chess\"\n[match]\npairs = 9\n{}", ["a", "b"].iter().map(one).collect::<String>());
    let mut run = load(&text, "a test", "test", &[], Job::Match, Disk).expect("a configuration").run;
    run.entrants.truncate(entrants.len());
    for (entrant, name) in run.entrants.iter_mut().zip(entrants) {
        (*name).clone_into(&mut entrant.name);
    }
    run_header(&run, &Executables::default())
}

/// Returns the header of a tuning session, but for the game.
fn tuned(entrant: &str) -> Header {
    let text = "[tune]\npairs = 9\n[[tune.parameter]]\nname = 'optimism'\n[[entrant]]\nname = 'a'\nlimit = '9 nodes'";
    let run = load(text, "a test", "test", &[], Job::Tune, Disk).expect("a configuration").run;
    let mut header = header(&[entrant]);
    header.config.experiment = run.experiment;
    header
}

/// Returns a journal of pairs of entrants 0 and 1 with these endings. Games are as long as the pair's number, and
/// openings are 0, 1, 2, 0, ...
fn journal(header: &Header, pairs: &[[Ending; 2]]) -> (TempDir, Journal) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut journal = Journal::create(&folder.path().join("journal.sqlite"), header).expect("a journal");
    let other = u32::from(header.config.entrants.len() > 1);
    let played = |(pair, endings): (usize, &[Ending; 2])| {
        let game = |ending: &Ending| GameRecord {
            moves: vec![1; pair],
            ending: ending.clone(),
            nodes: BySide::default(),
            track: Vec::new(),
            circumstances: Circumstances::default(),
        };
        let (games, pair) = (endings.iter().map(game).collect(), pair as u64);
        let (sides, opening) = (Sides::Swapped, vec![1, 2]);
        let result = PairResult { pair, start: None, opening, sides, games, took: Duration::ZERO };
        Played { proposal: Proposal::of(0, other, pair % 3), result, by_host: ByHost::default(), by: None }
    };
    journal.commit(&pairs.iter().enumerate().map(played).collect::<Vec<_>>()).expect("a commit");
    (folder, journal)
}

fn asked(query: &[(&str, &str)]) -> Result<Asked, String> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Asked::of(&query.iter().map(owned).collect::<Vec<_>>())
}

fn found(header: &Header, journal: &JournalReader, query: &[(&str, &str)], bounds: Bounds) -> Found {
    let asked = asked(query).expect("a request");
    let end = journal.end().expect("pairs");
    Search::new(header, &asked).expect("a search").run(journal, end, bounds).expect("its games")
}

fn names(found: &Found) -> Vec<&str> {
    found.games.iter().filter_map(|game| game["game"].as_str()).collect()
}

/// Returns four pairs. The first seat of a pair moves first in its first game, and second in its second one.
fn four_pairs() -> [[Ending; 2]; 4] {
    [
        [mate(Side::First), DRAW],
        [DRAW, mate(Side::First)],
        [crash(Side::First), crash(Side::First)],
        [mate(Side::Second), mate(Side::Second)],
    ]
}

#[test]
fn games_are_found_by_each_parameter_and_by_several_together() {
    let header = header(&["dev", "base"]);
    let (_folder, journal) = journal(&header, &four_pairs());
    for (query, expected) in [
        (&[][..], &["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2"][..]),
        // For the run's first entrant, if none is named.
        (&[("result", "win")], &["1.1", "3.2", "4.2"]),
        (&[("result", "win"), ("entrant", "dev")], &["1.1", "3.2", "4.2"]),
        (&[("result", "win"), ("entrant", "base")], &["2.2", "3.1", "4.1"]),
        (&[("result", "loss"), ("entrant", "base")], &["1.1", "3.2", "4.2"]),
        (&[("result", "draw")], &["1.2", "2.1"]),
        (&[("entrant", "base")], &["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2"]),
        (&[("ending", "fault")], &["3.1", "3.2"]),
        (&[("ending", "crash"), ("result", "loss")], &["3.1"]),
        (&[("ending", "checkmate")], &["1.1", "2.2", "4.1", "4.2"]),
        (&[("ending", "stalemate")], &[]),
        (&[("opening", "1")], &["1.1", "1.2", "4.1", "4.2"]),
        // Two plies of the opening, plus the pair's number from 0.
        (&[("plies_min", "4")], &["3.1", "3.2", "4.1", "4.2"]),
        (&[("plies_max", "3")], &["1.1", "1.2", "2.1", "2.2"]),
        (&[("plies_min", "3"), ("plies_max", "3")], &["2.1", "2.2"]),
    ] {
        let found = found(&header, &journal, query, Bounds::default());
        assert_eq!((names(&found), &found.looked, found.is_done), (expected.to_vec(), &(0..4), true), "{query:?}");
    }
    let one = &found(&header, &journal, &[("ending", "crash"), ("result", "loss")], Bounds::default()).games[0];
    let of = |key: &str| one[key].clone();
    assert_eq!([of("first"), of("second"), of("result"), of("kind")], ["dev", "base", "0-1", "crash"].map(Value::from));
    assert_eq!((of("opening"), of("plies"), of("fault")), (json!(3), json!(4), json!(true)));
}

#[test]
fn pages_follow_each_other_in_both_directions() {
    let header = header(&["dev", "base"]);
    let (_folder, journal) = journal(&header, &vec![[DRAW, mate(Side::First)]; 10]);
    let page = |query: &[(&str, &str)]| found(&header, &journal, query, Bounds::default());
    let last = page(&[("count", "2"), ("result", "draw")]);
    assert_eq!((names(&last), &last.looked, last.is_done), (vec!["9.1", "10.1"], &(8..10), true));
    let before = page(&[("count", "3"), ("result", "draw"), ("before", "9")]);
    assert_eq!((names(&before), &before.looked), (vec!["6.1", "7.1", "8.1"], &(5..8)));
    let after = page(&[("count", "2"), ("result", "draw"), ("from", "6")]);
    assert_eq!((names(&after), &after.looked), (vec!["6.1", "7.1"], &(5..7)));
    for (query, looked) in [([("from", "99")], 10..10), ([("before", "1")], 0..0), ([("before", "0")], 0..0)] {
        let none = page(&query);
        assert_eq!((names(&none), &none.looked, none.is_done), (Vec::<&str>::new(), &looked, true), "{query:?}");
    }
    let most = u64::MAX.to_string();
    assert_eq!(page(&[("before", &most), ("count", &most)]).games.len(), 20);
}

#[test]
fn a_search_stops_at_its_bounds_and_goes_on_from_there() {
    let header = header(&["dev", "base"]);
    let mut pairs = vec![[mate(Side::First), mate(Side::First)]; 9];
    pairs[0] = [DRAW, DRAW];
    let (_folder, journal) = journal(&header, &pairs);
    // The outlines show which pairs have no draw: four of them are read, and no ending.
    let bounds = Bounds { outlines: 4, endings: 1 };
    let mut looked = Vec::new();
    let mut before = 10;
    let last = loop {
        let text = before.to_string();
        let part = found(&header, &journal, &[("result", "draw"), ("before", &text)], bounds);
        looked.push(part.looked.clone());
        if part.is_done {
            break part;
        }
        assert_eq!(part.games, Vec::<Value>::new());
        before = part.looked.start + 1;
    };
    assert_eq!((looked, names(&last)), (vec![5..9, 1..5, 0..1], vec!["1.1", "1.2"]));
    // The outlines do not show the kind of ending of a win.
    let part = found(&header, &journal, &[("ending", "crash"), ("from", "1")], Bounds { outlines: 99, endings: 3 });
    assert_eq!((part.looked, part.is_done, part.games.len()), (0..9, true, 0), "faults are");
    let part = found(&header, &journal, &[("ending", "stalemate"), ("from", "1")], Bounds { outlines: 99, endings: 3 });
    assert_eq!((part.looked, part.is_done, part.games.len()), (0..3, false, 0));
}

#[test]
fn the_seats_of_a_tuning_session_have_names() {
    let header = tuned("dev");
    let (_folder, journal) = journal(&header, &four_pairs());
    assert_eq!(entrants(&header), ["dev (plus)", "dev (minus)"]);
    for (entrant, expected) in [("dev (plus)", ["1.1", "3.2", "4.2"]), ("dev (minus)", ["2.2", "3.1", "4.1"])] {
        let found = found(&header, &journal, &[("result", "win"), ("entrant", entrant)], Bounds::default());
        assert_eq!(names(&found), expected, "{entrant}");
        assert_eq!(found.games[0]["first"], entrant);
    }
}

#[test]
fn an_entrant_that_plays_itself_has_one_name() {
    let header = header(&["dev"]);
    let (_folder, journal) = journal(&header, &four_pairs());
    assert_eq!(entrants(&header), ["dev"]);
    let all = found(&header, &journal, &[("entrant", "dev")], Bounds::default());
    assert_eq!(all.games.len(), 8);
    assert!(all.games.iter().all(|game| game["first"] == "dev" && game["second"] == "dev"), "{:?}", all.games);
    let asked = asked(&[("entrant", "dev (plus)")]).expect("a request");
    assert!(Search::new(&header, &asked).is_err_and(|why| why.ends_with("no such entrant, but dev")));
}

#[test]
fn what_cannot_be_asked_for_is_refused_with_its_value() {
    let header = header(&["dev", "base"]);
    for (query, says) in [
        (&[("reslt", "win")][..], "there is no parameter `reslt`: expected from, before, count, "),
        (&[("result", "won")], "result=`won`: expected win, draw or loss"),
        (&[("result", "")], "result=``: expected win, draw or loss"),
        (&[("opening", "0")], "opening=`0`: openings are counted from 1"),
        (&[("opening", "e4")], "opening=`e4`: expected a whole number"),
        (&[("plies_min", "-1")], "plies_min=`-1`: expected a whole number"),
        (&[("plies_min", "9"), ("plies_max", "3")], "plies_min=9 is above plies_max=3"),
        (&[("from", "1"), ("before", "3")], "give either `from` or `before`"),
    ] {
        let why = asked(query).expect_err("it is refused");
        assert!(why.starts_with(says), "{query:?}: {why}");
    }
    for (query, says) in [
        (("entrant", "devil"), "entrant=`devil`: the run has no such entrant, but dev, base"),
        (("entrant", "dev (minus) "), "entrant=`dev (minus) `: "),
        (("ending", "boredom"), "ending=`boredom`: expected fault, checkmate, "),
        (("ending", "wazir captured"), "ending=`wazir captured`: expected fault, checkmate, "),
    ] {
        let asked = asked(&[query]).expect("a request");
        let why = Search::new(&header, &asked).err().expect("it is refused");
        assert!(why.starts_with(says), "{query:?}: {why}");
    }
}
