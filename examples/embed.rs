//! A sequential test between two settings of the engine, from Rust: `cargo run --release --example embed`.

use arena::config::Job;
use session::{Event, Place, Session, Threads};
use std::error::Error;

const PLAN: &str = r#"
    sprt = { elo0 = 0, elo1 = 20 }
    each = { limit = "1000 nodes" }
    [[entrant]]
    name = "with futility"
    [[entrant]]
    name = "without futility"
    params = { futility = false }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let run = plan::load(PLAN, "the plan", "embed", &[], Job::Sprt, plan::Disk)?;
    let session = Session::create(run, Threads::new(), &Place::at("runs"));
    for event in session.watch() {
        match event {
            Event::Warning(warning) => eprintln!("{warning}"),
            Event::Standing(now) => {
                if let Some(test) = now.standing.sprt() {
                    let (pairs, llr) = (now.standing.pairs, test.llr);
                    println!("{pairs:>6} pairs  LLR {llr:+.2} ({:+.2} to {:+.2})", test.lower, test.upper);
                }
            }
            _ => {}
        }
    }
    for run in &session.wait()?.ended {
        println!("{:?} after {} pairs, kept in {}", run.verdict(), run.standing.pairs, run.path.display());
    }
    Ok(())
}
