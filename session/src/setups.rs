//! Books of setups in sessions: the files in the folder of a book, and its page.

use crate::error::SessionError;
use arena::run::replace_file;
use engine::{Move, Position, Score, Setup, Side};
use reports::text::{grouped, spoken};
use reports::{Diagram, FactSheet, PAGE};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trainer::setups::{Made, Searched, Settings, Stage};

/// The configuration as it was read, in the folder of a book.
const CONFIG: &str = "config.toml";
/// The book itself, in the same folder.
const BOOK: &str = "book.bin";
/// The number of setups drawn on its page.
const DRAWN: usize = 24;
/// The number of setups on its page with the greatest differences between depths.
const DISAGREEMENTS: usize = 12;

/// Returns the path of the book in its folder.
pub fn file(out: &Path) -> PathBuf {
    out.join(BOOK)
}

/// Writes the configuration `text`, the book and its page into its folder.
///
/// # Errors
/// [`SessionError`] if one of them cannot be written.
pub fn keep(out: &Path, text: &str, settings: &Settings, made: &Made) -> Result<(), SessionError> {
    let io = |cause| SessionError::io("cannot keep the book", cause);
    replace_file(&out.join(CONFIG), text.as_bytes()).map_err(io)?;
    replace_file(&file(out), &made.book.to_bytes()).map_err(io)?;
    replace_file(&out.join(PAGE), page(out, settings, made).as_bytes()).map_err(io)
}

/// Summarizes a book in a sentence.
pub fn says(made: &Made) -> String {
    let (entries, replies) = (made.book.entries().len() as u64, made.book.replies().len() as u64);
    format!(
        "{} setups of red, each with one of {} replies, of {} that were valued",
        grouped(entries),
        grouped(replies),
        grouped(made.valued)
    )
}

fn page(out: &Path, settings: &Settings, made: &Made) -> String {
    let name = out.file_name().map_or_else(|| "Book".into(), |name| name.to_string_lossy());
    let mut sheet = FactSheet::new(format!("{name}: a book of setups"), says(made));
    sheet.fact("nodes", format!("{} of {}", grouped(made.nodes), grouped(settings.nodes)));
    sheet.fact("time", spoken(Duration::from_secs_f64(made.seconds)));
    sheet.fact("seed", settings.seed.to_string());
    sheet.fact("bytes", grouped(made.book.to_bytes().len() as u64));
    let heads = ["depth", "setups", "nodes", "best for red", "agreement with the depth before"];
    let befores = std::iter::once(None).chain(made.stages.iter().map(Some));
    let rows = made.stages.iter().zip(befores).map(|(stage, before)| row_of(stage, before)).collect();
    sheet.table("Depths, blue's setup being a ply", &heads, rows);
    let heads = ["red", "before, of depth", "value", "then, of depth", "value", "reply"];
    sheet.table("Where depths disagreed the most", &heads, disagreements(&made.stages));
    if let Some(last) = made.stages.last() {
        let best = last.best_first();
        let drawn = best.iter().take(DRAWN).enumerate().filter_map(|(n, it)| diagram(n + 1, it, last.depth));
        sheet.diagrams("The best setups for red, with blue's replies", drawn.collect());
    }
    sheet.html()
}

fn logits(units: i32) -> String {
    format!("{:+.3}", Score::estimate(units).logit())
}

fn row_of(stage: &Stage, before: Option<&Stage>) -> Vec<String> {
    let best = stage.searched.iter().map(|it| it.value).max().unwrap_or_default();
    vec![
        stage.depth.to_string(),
        grouped(stage.searched.len() as u64),
        grouped(stage.nodes()),
        logits(best),
        before
            .and_then(|before| agreement(before, stage))
            .map_or_else(|| "\u{2013}".to_owned(), |r| format!("r = {r:.2}")),
    ]
}

/// Returns the setups that both stages searched, in the order of the deeper one.
fn both<'a>(before: &'a Stage, stage: &'a Stage) -> impl Iterator<Item = (&'a Searched, &'a Searched)> {
    let known: BTreeMap<u32, &Searched> = before.searched.iter().map(|it| (it.red, it)).collect();
    stage.searched.iter().filter_map(move |it| Some((*known.get(&it.red)?, it)))
}

/// The correlation of their values; `None` without variance.
fn agreement(before: &Stage, stage: &Stage) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = both(before, stage).map(|(a, b)| (f64::from(a.value), f64::from(b.value))).collect();
    let n = pairs.len() as f64;
    let (x, y) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let (xx, yy) = (sum(&|p| (p.0 - x) * (p.0 - x)), sum(&|p| (p.1 - y) * (p.1 - y)));
    let r = sum(&|p| (p.0 - x) * (p.1 - y)) / (xx * yy).sqrt();
    r.is_finite().then_some(r)
}

fn disagreements(stages: &[Stage]) -> Vec<Vec<String>> {
    let mut all: Vec<(u32, Vec<String>)> = Vec::new();
    for pair in stages.windows(2) {
        for (before, after) in both(&pair[0], &pair[1]) {
            let (Some(red), Some(reply)) = (Setup::from_rank(after.red), Setup::from_rank(after.reply)) else {
                continue;
            };
            let row = vec![
                red.text(Side::Red),
                pair[0].depth.to_string(),
                logits(before.value),
                pair[1].depth.to_string(),
                logits(after.value),
                if before.reply == after.reply { "the same".to_owned() } else { reply.text(Side::Blue) },
            ];
            all.push((before.value.abs_diff(after.value), row));
        }
    }
    // A stable sort keeps equal ones in the order of depths.
    all.sort_by_key(|(by, _)| std::cmp::Reverse(*by));
    all.into_iter().take(DISAGREEMENTS).map(|(_, row)| row).collect()
}

fn diagram(number: usize, searched: &Searched, depth: u8) -> Option<Diagram> {
    let mut position = Position::new();
    position.play(Move::setup_of_rank(searched.red)?);
    position.play(Move::setup_of_rank(searched.reply)?);
    let says = format!("{} logits for red, depth {depth}", logits(searched.value));
    Some(Diagram { position: position.to_string(), title: number.to_string(), says })
}
