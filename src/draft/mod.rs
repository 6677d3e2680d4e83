//! A run described in words of a command line, on its way to the text of an ordinary configuration: of a new one, or of a file's with
//! the words in place of what it says.
//!
//! Owns the writing of that text: each line that comes from words ends with a comment that names the words it comes from, so that an error which points
//! into it says what to mend. What words there are is for those who draft; whether they make sense, for
//! [`arena::config::load`].

mod check;
mod described;
mod engine;
mod time_control;

pub(crate) use check::{Spelling, Typed, check_common, check_limits};
pub(crate) use described::Task;
pub(crate) use engine::Engine;

use engine::file_name;

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};

/// What errors call a drafted text.
pub(crate) const SOURCE: &str = "configuration made from the command line";

/// Characters of a run's name at most.
const LONGEST_NAME: usize = 64;

/// A configuration in the making.
pub(crate) struct Draft {
    document: DocumentMut,
    is_changed: bool,
}

impl Draft {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self::over(DocumentMut::new())
    }

    /// A file's.
    pub(crate) fn over(document: DocumentMut) -> Self {
        Self { document, is_changed: false }
    }

    /// Sets a value. `path` ends with its key; `from` are the words it comes from.
    pub(crate) fn set(&mut self, path: &[&str], value: impl Into<Value>, from: &str) {
        put(self.document.as_table_mut(), path, value.into(), from);
        self.is_changed = true;
    }

    /// Sets a text, if an option gives one.
    pub(crate) fn set_text(&mut self, path: &[&str], option: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.set(path, text, &format!("{option} {text}"));
        }
    }

    /// Sets a whole number, if an option gives one; those above the greatest that TOML has become it.
    pub(crate) fn set_number(&mut self, path: &[&str], option: &str, number: Option<u64>) {
        if let Some(number) = number {
            self.set(path, i64::try_from(number).unwrap_or(i64::MAX), &format!("{option} {number}"));
        }
    }

    /// Whether anything stands there.
    pub(crate) fn has(&self, path: &[&str]) -> bool {
        path.iter().try_fold(self.document.as_item(), |item, key| item.get(key)).is_some()
    }

    /// Removes a value, if it stands there.
    pub(crate) fn remove(&mut self, path: &[&str]) {
        remove(self.document.as_table_mut(), path);
    }

    /// Whether anything was set.
    pub(crate) fn is_changed(&self) -> bool {
        self.is_changed
    }

    /// Sets for all engines what they have in common, in place of what they themselves say.
    pub(crate) fn for_all(&mut self, each: &Engine) {
        for setting in each.settings() {
            let path: Vec<&str> = setting.path().collect();
            // Who has another program is another player.
            let stale: &[&[&str]] = if path == ["cmd"] { &[&path, &["player"]] } else { &[&path] };
            for path in stale {
                self.remove(&[&["each"], *path].concat());
                for entrant in entrants(&mut self.document) {
                    remove(entrant, path);
                }
            }
            self.set(&[&["each"], path.as_slice()].concat(), setting.value.clone(), &setting.from);
        }
    }

    /// Sets what all engines have in common, and the engines by their [`names`].
    pub(crate) fn engines(&mut self, each: &Engine, engines: &[Engine], names: &[String]) {
        for setting in each.settings() {
            let path: Vec<&str> = std::iter::once("each").chain(setting.path()).collect();
            self.set(&path, setting.value.clone(), &setting.from);
        }
        let mut tables = ArrayOfTables::new();
        for (engine, name) in engines.iter().zip(names) {
            tables.push(table(engine, name));
        }
        let _none_before = self.document.insert("entrant", Item::ArrayOfTables(tables));
    }

    /// The text.
    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }
}

/// The section of an engine.
fn table(engine: &Engine, name: &str) -> Table {
    let mut table = Table::new();
    let from = engine.name.as_ref().map_or("its program's name", |name| &name.from);
    put(&mut table, &["name"], name.into(), from);
    for setting in engine.settings() {
        put(&mut table, &setting.path().collect::<Vec<_>>(), setting.value.clone(), &setting.from);
    }
    table
}

/// The engines of a file, however they are written.
fn entrants(document: &mut DocumentMut) -> Vec<&mut dyn TableLike> {
    match document.get_mut("entrant") {
        Some(Item::ArrayOfTables(tables)) => tables.iter_mut().map(|table| table as &mut dyn TableLike).collect(),
        Some(Item::Value(Value::Array(values))) => {
            let tables = values.iter_mut().filter_map(Value::as_inline_table_mut);
            tables.map(|table| table as &mut dyn TableLike).collect()
        }
        _ => Vec::new(),
    }
}

fn remove(table: &mut dyn TableLike, path: &[&str]) {
    match path {
        [] => {}
        [key] => drop(table.remove(key)),
        [section, rest @ ..] => {
            if let Some(inner) = table.get_mut(section).and_then(Item::as_table_like_mut) {
                remove(inner, rest);
            }
        }
    }
}

fn put(table: &mut Table, path: &[&str], mut value: Value, from: &str) {
    match path {
        [] => {}
        [key] => {
            let from: String = from.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            value.decor_mut().set_suffix(format!("  # {from}"));
            let _replaced = table.insert(key, Item::Value(value));
        }
        [section, rest @ ..] => {
            let fresh = || {
                let mut table = Table::new();
                table.set_implicit(true);
                Item::Table(table)
            };
            let item = table.entry(section).or_insert_with(fresh);
            // A line of its own is needed for the comment.
            if let Item::Value(Value::InlineTable(inline)) = item {
                *item = Item::Table(std::mem::take(inline).into_table());
            }
            // Anything else is no section: the configuration's reader says so.
            if let Item::Table(inner) = item {
                put(inner, rest, value, from);
            }
        }
    }
}

/// The engines' names: their own, or their programs' with a number where two are alike.
pub(crate) fn names(each: &Engine, engines: &[Engine]) -> Vec<String> {
    let given = |engine: &Engine| engine.name.as_ref().and_then(|name| name.value.as_str().map(str::to_owned));
    let mut taken: Vec<String> = engines.iter().filter_map(given).collect();
    let name = |engine: &Engine| {
        given(engine).unwrap_or_else(|| {
            let program = engine.command().or_else(|| each.command()).map_or("engine", file_name);
            let numbered = (2..).map(|number| format!("{program}-{number}"));
            let free = std::iter::once(program.to_owned()).chain(numbered).find(|name| !taken.contains(name));
            let free = free.unwrap_or_default();
            taken.push(free.clone());
            free
        })
    };
    engines.iter().map(name).collect()
}

/// A name for a run between these engines that can also name its folder.
pub(crate) fn run_name(engines: &[String]) -> String {
    let text = engines.join("-vs-");
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = text.chars().map(fits).skip_while(|c| matches!(c, '.' | '-')).take(LONGEST_NAME).collect();
    if name.is_empty() { "run".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(words: &[&str]) -> Engine {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Engine::read(&words, "--engine").unwrap()
    }

    fn names_of(engines: &[&[&str]]) -> Vec<String> {
        let engines: Vec<Engine> = engines.iter().map(|words| engine(words)).collect();
        names(&engine(&["cmd=each"]), &engines)
    }

    #[test]
    fn engines_without_a_name_are_called_after_their_programs() {
        assert_eq!(names_of(&[&["cmd=./dev/sf"], &["cmd=sf"], &["cmd=/a/b.c"]]), ["sf", "sf-2", "b.c"]);
        assert_eq!(names_of(&[&["cmd=sf"], &["cmd=x", "name=sf"], &[]]), ["sf-2", "sf", "each"]);
    }

    #[test]
    fn each_line_tells_what_it_comes_from() {
        let mut draft = Draft::new();
        draft.set(&["game"], "chess", "--game chess");
        draft.set(&["match", "pairs"], 5, "a\nb");
        let (each, engines) = (engine(&["tc=1"]), [engine(&["cmd=./dev", "option.Move Overhead=9"])]);
        draft.engines(&each, &engines, &names(&each, &engines));
        let expected = r#"game = "chess"  # --game chess

[match]
pairs = 5  # a b

[each]
limit = "1s"  # --engine tc=1

[[entrant]]
name = "dev"  # its program's name
cmd = "./dev"  # --engine cmd=./dev

[entrant.options]
"Move Overhead" = "9"  # --engine option.Move Overhead=9
"#;
        assert_eq!(draft.text(), expected);
    }

    #[test]
    fn words_take_the_place_of_what_a_file_says() {
        let file = "openings = { plies = 4 }\nsprt.elo0 = 1 # why\n[each]\nlimit = \"1s\"\noptions = { Hash = 1 }\n\
                    [[entrant]]\nname = \"a\"\nlimit = \"9 nodes\"\n[entrant.options]\nHash = 2\nThreads = 3\n";
        let mut draft = Draft::over(file.parse().unwrap());
        assert!(!draft.is_changed() && draft.text() == file);
        draft.set(&["openings", "plies"], 6, "--plies 6");
        draft.set(&["sprt", "elo0"], 2, "--elo0 2");
        draft.set(&["match", "pairs"], 3, "--pairs 3");
        draft.for_all(&engine(&["nodes=5", "option.Hash=8"]));
        assert!(draft.is_changed());
        let read: toml::Table = draft.text().parse().unwrap();
        let expected: toml::Table = "openings.plies = 6\nsprt.elo0 = 2\nmatch.pairs = 3\n\
            each = { limit = \"5 nodes\", options = { Hash = \"8\" } }\n\
            entrant = [{ name = \"a\", options = { Threads = 3 } }]\n"
            .parse()
            .unwrap();
        assert_eq!(read, expected, "{}", draft.text());
        for words in
            ["plies = 6  # --plies 6", "2  # --elo0 2", "\"5 nodes\"  # --engine nodes=5", "\"8\"  # --engine option"]
        {
            assert!(draft.text().contains(words), "{words}: {}", draft.text());
        }
    }

    #[test]
    fn a_run_is_called_after_its_engines() {
        let name = |engines: &[&str]| run_name(&engines.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(name(&["dev", "my base"]), "dev-vs-my-base");
        assert_eq!(name(&[".x"]), "x");
        assert_eq!(name(&["é"]), "run");
        assert_eq!(name(&["a".repeat(90).as_str()]).len(), 64);
    }
}
