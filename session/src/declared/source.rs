//! Lists in a program's source: `TUNE(SetRange(0, 9), x, y);`, with `int x = 3;` elsewhere. As in Stockfish's macro, a
//! range applies to the names after it, and without a range a value v gets 0 to 2v.

use super::{Declared, Spelling, guessed, patch};

/// Reads all lists of a source file.
pub(super) fn read(text: &str) -> Declared {
    let mut declared = Declared::none(Spelling::Source);
    for list in lists(text) {
        let mut range = None;
        for item in items(list) {
            if let Some(given) = item.strip_prefix("SetRange(").and_then(|rest| rest.strip_suffix(')')) {
                range = ends(given);
                if range.is_none() {
                    declared.leave_out(item, "its ends are not numbers");
                }
            } else if item == "SetDefaultRange" {
                range = None;
            } else {
                take(&mut declared, text, item, range);
            }
        }
    }
    declared
}

fn take(declared: &mut Declared, text: &str, name: &str, range: Option<(f64, f64)>) {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') || name.is_empty() {
        return declared.leave_out(name, "it is not a variable");
    }
    match patch::places(text, name).as_slice() {
        [place] => {
            let Ok(start) = text[place.clone()].parse::<f64>() else { return };
            let usual = if start < 0.0 { (2.0 * start, 0.0) } else { (0.0, 2.0 * start) };
            match guessed(name, start, range.unwrap_or(usual), None) {
                Ok(parameter) => declared.parameters.push(parameter),
                Err(why) => declared.leave_out(name, &why),
            }
        }
        [] => declared.leave_out(name, "its value is not found: expected a definition such as `int x = 3;`"),
        several => {
            let text = format!("it is defined {} times", several.len());
            declared.leave_out(name, &text);
        }
    }
}

/// Returns the content of the parentheses of each list.
fn lists(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("TUNE(").filter_map(|(at, word)| {
        // The macro's own definition is not a list.
        let is_word = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let is_definition = text[..at].trim_end().ends_with("#define");
        let inside = &text[at + word.len()..];
        let end = closing(inside)?;
        (is_word && !is_definition).then_some(&inside[..end])
    })
}

/// Finds the end of the parenthesis that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.char_indices().find_map(|(at, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(at)
    })
}

/// Splits a list at the commas outside parentheses.
fn items(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            all.push(list[from..at].trim());
            from = at + 1;
        }
    }
    all.push(list[from..].trim());
    all.retain(|item| !item.is_empty());
    all
}

fn ends(given: &str) -> Option<(f64, f64)> {
    let (low, high) = given.split_once(',')?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_ranges_and_what_has_no_value_is_left_out() {
        let declared = read(
            "#define TUNE(...) int UNIQUE = 0\nint razor = 300, depth{4};\nint twice = 1; int twice = 2;\nconst int \
                neg = -20;\nint table[2] = {1, 2};\n\
             TUNE(SetRange(100, 600), razor, SetDefaultRange, depth, neg);\nTUNE(twice, table, missing, init());\n",
        );
        let rows: Vec<String> =
            declared.parameters.iter().map(|p| format!("{} {} {} {}", p.name, p.start, p.min, p.max)).collect();
        assert_eq!(rows, ["razor 300 100 600", "depth 4 0 8", "neg -20 -40 0"]);
        let names: Vec<&str> = declared.left_out.iter().map(|left_out| left_out.name.as_str()).collect();
        assert_eq!(names, ["twice", "table", "missing", "init()"]);
    }
}
