//! A sequential test between two settings of the engine, from Rust: `cargo run --release --example embed`.

use session::plan::load;
use session::{Event, Place, Session, Threads};
use std::error::Error;

const PLAN: &str = r#"
    [sprt]
    elo0 = 0
    elo1 = 20
    [each]
    limit = "1000 nodes"
    [[entrant]]
    name = "with futility"
    [[entrant]]
    name = "without futility"
    params = { futility = false }
"#;

fn main() -> Result<(), Box<dyn Error>> {
    let run = load(PLAN, "the plan", "embed", &[], arena::config::Job::Sprt)?;
    let session = Session::create(run, Threads::new(), &Place::at("runs"));
    for event in session.watch() {
        match event {
            Event::Standing(now) => {
                if let Some(test) = now.standing.sprt() {
                    println!(
                        "{:>6} pairs  LLR {:+.2} ({:+.2} to {:+.2})",
                        now.standing.pairs, test.llr, test.lower, test.upper
                    );
                }
            }
            Event::Warning(warning) => eprintln!("{warning}"),
            _ => {}
        }
    }
    for run in &session.wait()?.ended {
        println!("{:?} after {} pairs, kept in {}", run.verdict(), run.standing.pairs, run.path.display());
    }
    Ok(())
}
