use super::model::elo;
use super::*;
use stats::campaign::State;

const TEXT: &str = "game = \"chess\"\n[build]\ncommand = \"make\"\nbinary = \"engine\"\n[each]\nlimit = \"depth 1\"\n\
                    [campaign]\nbase = \"main\"\nleast_pairs = 32\nbatch = 16\nmax_pairs = 400\n";

fn campaigning(more: &str) -> Campaigning {
    RunPlan::read(&format!("{TEXT}{more}"), "f.toml", "f", &[], None, plan::Disk)
        .and_then(|plan| plan.campaigning())
        .unwrap()
}

fn revision(name: &str) -> Revision {
    let id = format!("{name:0<40}");
    Revision { asked: name.to_owned(), commit: id.clone(), id, message: name.to_owned(), time: 0 }
}

fn entry(name: &str, idea: Option<&str>) -> Entry {
    let (change, idea) = (Source::Revision(revision(name)), idea.map(str::to_owned));
    Entry {
        name: name.to_owned(),
        idea,
        priority: 0,
        change,
        options: BTreeMap::new(),
        fitness: Fitness::New,
        program: None,
        run: None,
    }
}

fn job(runs: &Path, patches: Vec<Entry>) -> CampaignJob {
    let origin = Origin { repository: "/repo".into(), cache: None, base: revision("main") };
    CampaignJob::create(runs, campaigning(""), origin, patches).unwrap().0
}

fn ready(job: &mut CampaignJob) {
    job.record.patches.iter_mut().for_each(|patch| patch.fitness = Fitness::Ready);
}

/// Plays batches in which the pairs of each patch have these proportions, from its own view.
fn play(job: &mut CampaignJob, laws: &[[u64; 6]]) -> Vec<u32> {
    let mut order = Vec::new();
    while let Next::Play { patch, pairs } = job.next() {
        order.push(patch);
        let mut all = job.pairs_of(patch);
        let law = laws[patch as usize];
        let whole: u64 = law.iter().sum();
        law.iter().zip(&mut all.0).for_each(|(part, count)| *count += pairs * part / whole);
        let missing = job.pairs_of(patch).total() + pairs - all.total();
        all.0[2] += missing;
        job.record.steps.push(Step { patch, pairs: all });
        job.save().unwrap();
    }
    order
}

const GAINS: [u64; 6] = [0, 1, 2, 2, 6, 5];
const LOSES: [u64; 6] = [5, 6, 2, 2, 1, 0];
const EQUAL: [u64; 6] = [2, 4, 2, 2, 4, 2];

#[test]
fn all_patches_are_built_before_one_plays_and_the_record_alone_says_what_is_next() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), vec![entry("a", None), entry("b", None)]);
    assert_eq!(job.next(), Next::Build(0));
    job.record.patches[0].fitness = Fitness::Ready;
    assert_eq!(job.next(), Next::Build(1));
    job.record.patches[1].fitness = Fitness::Unfit("it does not build".to_owned());
    assert_eq!(job.next(), Next::Play { patch: 0, pairs: 16 });
    assert_eq!(job.known().campaign.patches()[1].state, State::Dropped);
    job.record.patches[1].fitness = Fitness::Ready;
    let order = play(&mut job, &[GAINS, LOSES]);
    assert_eq!(order[..2], [0, 1]);
    assert_eq!(job.ending(), Some(CampaignEnding::Settled));
    let read = CampaignJob::read(job.folder(), &[]).unwrap().unwrap();
    assert_eq!((read.next(), read.text()), (job.next(), job.text()));
    assert!(job.says().contains("2 patches, 1 accepted, 1 dropped"), "{}", job.says());
    assert_eq!(job.in_short(), "a");
}

#[test]
fn the_budget_ends_a_campaign_and_more_pairs_continue_it() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), vec![entry("a", None)]);
    ready(&mut job);
    let _order = play(&mut job, &[EQUAL]);
    assert_eq!((job.ending(), job.pairs()), (Some(CampaignEnding::Budget), 400));
    let more = job.with_pairs(NonZeroU64::new(500), &[]).unwrap();
    assert_eq!(more.next(), Next::Play { patch: 0, pairs: 50 });
    let refused = more.with_pairs(None, &["campaign.batch=4".to_owned()]).unwrap_err().to_string();
    assert!(refused.contains("campaign.batch: 4 now, 16 then"), "{refused}");
}

#[test]
fn patches_join_with_late_shares_and_what_has_played_stays() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), vec![entry("a", Some("x")), entry("b", None)]);
    ready(&mut job);
    job.record.steps.push(Step { patch: 0, pairs: PairCounts([1, 2, 3, 4, 5, 1]) });
    let shares = |job: &CampaignJob| -> Vec<f64> { job.known().campaign.patches().iter().map(|it| it.share).collect() };
    let before = shares(&job);

    // `b` is no longer listed, and has not played.
    let listed = vec![entry("c", None), entry("a", Some("x")), entry("d", Some("x"))];
    let joined = job.clone().joined(listed.clone(), campaigning("")).unwrap();
    let names: Vec<&str> = joined.record.patches.iter().map(|patch| patch.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
    assert_eq!(joined.record.patches[0].fitness, Fitness::Ready);
    assert!(joined.reasons().contains(&("b".to_owned(), "it is no longer listed".to_owned())));
    let after = shares(&joined);
    assert_eq!(after[..2], before);
    assert!(after[2] < before[1] && after[3] < before[0] && joined.record.planned == 2, "{after:?}");
    let takes: Vec<u32> = joined.known().campaign.patches().iter().map(|patch| patch.take).collect();
    assert_eq!(takes, [1, 1, 1, 2]);
    assert_eq!(joined.next(), Next::Build(2));

    // It is listed again, and is built again.
    let all = [listed, vec![entry("b", None)]].concat();
    assert_eq!(joined.joined(all, campaigning("")).unwrap().next(), Next::Build(1));

    for (listed, expected) in [
        (vec![entry("b", None)], "patch `a` has played, and is missing"),
        (vec![entry("a", Some("y"))], "patch `a` has played, and is another one now"),
    ] {
        let error = job.clone().joined(listed, campaigning("")).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Of two equal patches one is left out. If the other is removed or replaced before it plays, this one may play.
#[test]
fn the_twin_of_a_patch_that_is_no_more_is_judged_again() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), ["x", "y", "z"].map(|name| entry(name, None)).to_vec());
    ready(&mut job);
    job.record.patches[1].fitness = Fitness::twin_of("x");
    let joined = |x: Option<Entry>| {
        let listed = x.into_iter().chain(["y", "z"].map(|name| entry(name, None))).collect();
        let joined = job.clone().joined(listed, campaigning("")).unwrap();
        joined.record.patches.into_iter().map(|patch| patch.fitness).collect::<Vec<_>>()
    };
    let (new, ready) = (Fitness::New, Fitness::Ready);
    assert_eq!(joined(Some(entry("x", None))), [ready.clone(), Fitness::twin_of("x"), ready.clone()]);
    assert_eq!(joined(None)[1..], [new.clone(), ready.clone()]);
    let other = Entry { change: Source::Base, ..entry("x", None) };
    assert_eq!(joined(Some(other)), [new.clone(), new, ready]);
}

/// A priority that is set while a campaign runs counts from then on, and keeps what was played.
#[test]
fn priorities_may_change_during_a_campaign() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), vec![entry("a", None), entry("b", None), entry("c", None)]);
    ready(&mut job);
    assert_eq!(job.next(), Next::Play { patch: 0, pairs: 16 });
    job.record.steps.push(Step { patch: 0, pairs: PairCounts([2, 4, 2, 2, 4, 2]) });
    let listed = ["a", "b", "c"].map(|name| Entry { priority: i32::from(name == "c"), ..entry(name, None) });
    let mut job = job.joined(listed.to_vec(), campaigning("")).unwrap();
    assert_eq!((job.record.steps.len(), job.next()), (1, Next::Play { patch: 2, pairs: 16 }));
    let order = play(&mut job, &[LOSES, LOSES, GAINS]);
    let others = order.iter().position(|&patch| patch != 2).unwrap();
    assert!(order[..others].iter().all(|&patch| patch == 2) && !order[others..].contains(&2), "{order:?}");
    assert_eq!(CampaignJob::read(job.folder(), &[]).unwrap().unwrap().json()["patches"][2]["priority"], 1);
}

#[test]
fn accepted_patches_are_merged_once_and_their_gains_are_added() {
    let runs = tempfile::tempdir().unwrap();
    let mut job = job(runs.path(), vec![entry("a", None), entry("b", None)]);
    ready(&mut job);
    let _order = play(&mut job, &[GAINS, GAINS]);
    let accepted = job.known().accepted;
    assert_eq!(accepted.len(), 2);
    assert_eq!(job.next(), Next::Merge(accepted.clone()));
    let (options, pairs) = (BTreeMap::new(), PairCounts::default());
    let together = Together {
        of: accepted,
        left_out: Vec::new(),
        revision: Some(revision("m")),
        options,
        fitness: Fitness::New,
        run: None,
        pairs,
    };
    let sum = job.sum_of_gains(&together).unwrap().value;
    let gains = [0, 1].map(|patch| elo(&job.pairs_of(patch)).unwrap().value);
    assert!((sum - gains[0] - gains[1]).abs() < 1e-9, "{sum} {gains:?}");
    job.record.together.push(together);
    assert_eq!(job.next(), Next::BuildTogether);
    job.record.together[0].fitness = Fitness::Ready;
    let most = (0..2).map(|patch| job.pairs_of(patch).total()).max().unwrap();
    assert_eq!(job.next(), Next::PlayTogether(most));
    job.record.together[0].pairs = PairCounts([0, 0, 0, 0, most, 0]);
    assert_eq!(job.ending(), Some(CampaignEnding::Settled));
    job.campaigning = campaigning("together_pairs = 0\n");
    job.record.together.clear();
    assert_eq!(job.ending(), Some(CampaignEnding::Settled));
}

#[test]
fn folders_hold_patch_files_and_names_come_once() {
    let runs = tempfile::tempdir().unwrap();
    let folder = runs.path().join("patches");
    std::fs::create_dir(&folder).unwrap();
    for name in ["b.patch", "a.patch", "notes.txt"] {
        std::fs::write(folder.join(name), "").unwrap();
    }
    let key = format!("patches = {:?}\n", folder.display().to_string());
    let names: Vec<String> = all_patches(&campaigning(&key)).unwrap().into_iter().map(|patch| patch.name).collect();
    assert_eq!(names, ["a", "b"]);
    let twice = campaigning(&format!("{key}[[campaign.patch]]\nname = \"b\"\nrevision = \"x\"\n"));
    assert!(all_patches(&twice).unwrap_err().to_string().contains("two patches are called `b`"));
    // A listed file of the folder, here with a priority, counts once.
    let file = folder.join("../patches/b.patch").display().to_string();
    let listed = campaigning(&format!("{key}[[campaign.patch]]\nname = \"first\"\nfile = {file:?}\npriority = 1\n"));
    let named: Vec<(String, i32)> =
        all_patches(&listed).unwrap().into_iter().map(|it| (it.name, it.priority)).collect();
    assert_eq!(named, [("first".to_owned(), 1), ("a".to_owned(), 0)]);
    std::fs::write(folder.join(" c.patch"), "").unwrap();
    assert!(all_patches(&campaigning(&key)).unwrap_err().to_string().contains("cannot name a patch"));
    assert!(all_patches(&campaigning("")).unwrap_err().to_string().contains("the campaign has no patches"));
}
