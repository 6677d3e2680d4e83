//! The summary for pasting into a pull request.

use crate::ladder::{HEADS, RatedLadder};
use crate::numbers::{Numbers, Strength};
use crate::text::{capitalised, grouped, grouped_list, interval};
use crate::tournament::Tournament;
use crate::tuned;
use stats::Estimate;

/// The maximum number of opponents listed; more would hide the important ones.
const MOST_ROWS: usize = 40;

/// The summary as Markdown.
pub(crate) fn markdown(numbers: &Numbers) -> String {
    let mut lines = vec![
        format!("### {}", escaped(&numbers.run)),
        String::new(),
        format!("**{}**", escaped(&numbers.says)),
        String::new(),
        escaped(&numbers.headline),
        String::new(),
    ];
    if let Some(diff) = &numbers.diff {
        let range = format!("{}...{}", diff.from, diff.to);
        let change =
            diff.link.as_ref().map_or_else(|| format!("`{}`", diff.command), |link| format!("[{range}]({link})"));
        lines.extend([format!("Change: {change}"), String::new()]);
    }
    if numbers.pasted.is_none() && !numbers.block.is_empty() {
        lines.push("```".to_owned());
        lines.extend(numbers.block.iter().map(|line| fenced(line)));
        lines.extend(["```".to_owned(), String::new()]);
    }
    match &numbers.tune {
        Some(tune) => {
            lines.extend([format!("| {} |", tuned::HEADS.join(" | ")), "|---|---:|---:|---:|---:|".to_owned()]);
            for p in &tune.parameters {
                let cells = tuned::row(p).map(|cell| escaped(&cell));
                lines.push(format!("| {} |", cells.join(" | ")));
            }
            for line in tuned::of_limits(tune) {
                lines.extend([String::new(), format!("{}.", capitalised(&escaped(&line)))]);
            }
            if let Some((gain, sd)) = tune.gain {
                lines.extend([String::new(), format!("Expected gain {gain:+.1} ± {sd:.1} Elo (1 standard error).")]);
            }
            for caution in tuned::cautions(tune) {
                lines.extend([String::new(), capitalised(&escaped(&caution))]);
            }
            if let Some(pasted) = &numbers.pasted {
                lines.extend([String::new(), "```toml".to_owned(), fenced(&pasted.toml), "```".to_owned()]);
            }
            if let Some(test) = &numbers.test {
                let (run, says) = (escaped(&test.run), escaped(&test.says));
                lines.extend([String::new(), format!("Tested against the start by {run}: {says}")]);
            }
        }
        None => lines.extend(match (&numbers.ladder, &numbers.tournament) {
            (Some(ladder), _) => self::ladder(ladder),
            (None, Some(tournament)) => self::tournament(tournament),
            (None, None) => strength(numbers),
        }),
    }
    lines.extend([String::new(), format!("Faults: {}", escaped(&faults(numbers))), String::new()]);
    lines.join("\n")
}

/// The name of the Elo of all pairs: beside an estimate that allows for the test's stopping it must not be mistaken for
/// it.
pub(crate) fn plain_elo(numbers: &Numbers) -> &'static str {
    let decided = numbers.sprt.is_some_and(|sprt| sprt.decided.is_some());
    if decided { "Elo, plain (95%)" } else { "Elo (95%)" }
}

fn ladder(ladder: &RatedLadder) -> Vec<String> {
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![row(HEADS.map(str::to_owned).to_vec()), "|---|---:|---:|---:|---:|".to_owned()];
    lines.extend(ladder.rows().iter().map(|cells| row(cells.iter().map(|cell| escaped(cell)).collect())));
    let words = ladder.parabola_in_words();
    if !words.is_empty() {
        lines.push(String::new());
        lines.extend(words.iter().map(|line| escaped(line.trim_start())));
    }
    lines
}

fn tournament(tournament: &Tournament) -> Vec<String> {
    let row = |cells: &mut dyn Iterator<Item = String>| format!("| {} |", cells.collect::<Vec<_>>().join(" | "));
    let heads = tournament.heads();
    let mut lines = vec![
        format!("{}:", escaped(tournament.title())),
        String::new(),
        row(&mut heads.iter().map(|head| (*head).to_owned())),
        row(&mut heads.iter().map(|_| "---".to_owned())),
    ];
    lines.extend(tournament.rows().iter().map(|cells| row(&mut cells.iter().map(|cell| escaped(cell)))));
    lines
}

/// The numbers of a match or a test, as a table.
pub(crate) fn strength(numbers: &Numbers) -> Vec<String> {
    let total = &numbers.total;
    let value = |interval: Option<Estimate>, decimals| {
        interval.map_or_else(|| "no games".to_owned(), |i| self::interval(i, decimals))
    };
    let games = &total.games;
    let mut rows = vec![
        (plain_elo(numbers), value(total.elo, 1)),
        ("nElo (95%)", value(total.nelo, 0)),
        ("LOS", format!("{:.1}%", 100.0 * total.los)),
        ("games", grouped(numbers.first_mover.total())),
        (
            "+ = -",
            format!(
                "+{} ={} -{} of {}",
                grouped(games.wins),
                grouped(games.draws),
                grouped(games.losses),
                total.names[0]
            ),
        ),
        match total.pairs.zip(total.penta) {
            Some((pairs, penta)) => ("pairs", format!("{} {}", grouped(pairs), grouped_list(&penta))),
            None => ("statistics", "of games, one by one: trinomial".to_owned()),
        },
    ];
    if let Some(sprt) = numbers.sprt {
        rows.push(("LLR", format!("{:.2} ({:.2} to {:.2})", sprt.llr, sprt.lower, sprt.upper)));
        if let Some(after) = sprt.decided {
            let elo = Estimate { value: after.elo, low: after.low, high: after.high };
            rows.push(("Elo, unbiased: allowing for stopping (95%)", self::interval(elo, 1)));
        }
    }
    let mut lines = vec!["| | |".to_owned(), "|---|---|".to_owned()];
    lines.extend(rows.into_iter().map(|(name, value)| format!("| {name} | {} |", escaped(&value))));
    if numbers.pairings.len() > 1 {
        lines.extend(["", "| | against | Elo (95%) | games |", "|---|---|---|---|"].map(str::to_owned));
        lines.extend(numbers.pairings.iter().take(MOST_ROWS).map(pairing));
    }
    lines
}

fn pairing(row: &Strength) -> String {
    let elo = row.elo.map_or_else(String::new, |elo| interval(elo, 1));
    let [one, other] = row.names.each_ref().map(|name| escaped(name));
    let games = &row.games;
    format!("| {one} | {other} | {} | +{} ={} -{} |", escaped(&elo), games.wins, games.draws, games.losses)
}

/// The number of games that each entrant lost, by fault, in words.
pub(crate) fn faults(numbers: &Numbers) -> String {
    let each = numbers.entrants.iter().flat_map(|entrant| {
        let kinds = entrant.faults.iter();
        kinds.map(|(kind, count)| format!("{} lost {} by {kind}", entrant.name, grouped(*count)))
    });
    let all: Vec<String> = each.collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// Text that cannot leave its fenced block: one line without the fence's own character.
pub(crate) fn fenced(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() && *c != '`').collect()
}

/// Text with all markup escaped: it contains no mention and no new line.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_text() {
        let text = escaped("a|b\n<img src=x> @all [x](y) `c` # *d*");
        assert_eq!(text, "a\\|b &lt;img src=x&gt; &#64;all \\[x\\](y) \\`c\\` \\# \\*d\\*");
    }
}
