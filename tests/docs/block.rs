//! The parts of a page: fenced blocks with commands, and comments about them.

use std::path::Path;

/// A page with commands.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its name, such as `docs/get-started.md`.
    pub(crate) name: String,
    /// Its blocks with commands, in order.
    pub(crate) blocks: Vec<Block>,
}

/// A fenced block with commands.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    /// The commands.
    pub(crate) commands: Vec<Command>,
    /// The reason why no test runs the block, if none does.
    pub(crate) not_run: Option<String>,
    /// Whether the block takes more than some seconds.
    pub(crate) slow: bool,
    /// A program that the block needs.
    pub(crate) needs: Option<String>,
    /// Whether the numbers differ between machines.
    pub(crate) shape: bool,
    /// The exit status of its last command.
    pub(crate) exit: i32,
}

/// A command and what it prints.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    /// The number of its line, from 1.
    pub(crate) line: usize,
    /// The typed words.
    pub(crate) words: String,
    /// The output that the guide shows.
    pub(crate) output: Vec<String>,
}

impl Page {
    /// Reads a page.
    pub(crate) fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let mut blocks = Vec::new();
        let mut next = Block::default();
        let mut inside: Option<Block> = None;
        for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
            match &mut inside {
                None if line.starts_with("```") => inside = Some(std::mem::take(&mut next)),
                None => match comment(line) {
                    Some((key, value)) => next.note(key, value, &format!("{name}:{number}")),
                    None if line.trim().is_empty() => {}
                    None => next = Block::default(),
                },
                Some(_) if line.starts_with("```") => blocks.extend(inside.take()),
                Some(block) => block.take(number, line),
            }
        }
        blocks.retain(|block| block.commands.iter().any(|command| command.words.starts_with("spar ")));
        Self { name, blocks }
    }

    /// The programs that the page's blocks need.
    pub(crate) fn needs(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter(|block| block.is_run()).filter_map(|block| block.needs.as_deref())
    }
}

/// The settings of a comment for the next block.
fn comment(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.split_once(':')?;
    Some((key.trim(), value.trim()))
}

impl Block {
    /// Whether a test runs the block.
    pub(crate) fn is_run(&self) -> bool {
        self.not_run.is_none()
    }

    /// Whether the block needs only spar.
    pub(crate) fn is_own(&self) -> bool {
        self.is_run() && self.needs.is_none()
    }

    /// Whether the block runs in every test of its page.
    pub(crate) fn is_quick(&self) -> bool {
        self.is_own() && !self.slow
    }

    fn note(&mut self, key: &str, value: &str, place: &str) {
        match key {
            "not run" => self.not_run = Some(value.to_owned()),
            "slow" => self.slow = true,
            "needs" => self.needs = Some(value.to_owned()),
            "shape" => self.shape = true,
            "exit" => self.exit = value.parse().unwrap_or_else(|_| panic!("{place}: `{value}` is not an exit status")),
            _ => panic!("{place}: `{key}` is not known: see tests/docs/main.rs"),
        }
    }

    fn take(&mut self, line: usize, text: &str) {
        if let Some(words) = text.strip_prefix("$ ") {
            self.commands.push(Command { line, words: words.to_owned(), output: Vec::new() });
        } else if let Some(command) = self.commands.last_mut() {
            match command.words.strip_suffix('\\') {
                Some(words) if command.output.is_empty() => command.words = format!("{words}{}", text.trim_start()),
                _ => command.output.push(text.trim_end().to_owned()),
            }
        }
    }
}
