//! Tokens: which users are let in, and what each may do. The token file has a line for each user, with only the token's
//! hash.

use crate::settings::SettingsError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write as _};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The minimum length of a token in characters: shorter tokens are too easily guessed.
const LEAST: usize = 16;
/// The number of random bytes in a new token.
const RANDOM: usize = 16;
/// The maximum length of a name in characters.
const LONGEST_NAME: usize = 40;
/// The prefix of a hash.
const HASHED: &str = "sha256:";
/// The name of the server itself in the log.
pub(crate) const SERVER: &str = "spar";
/// The user of a token that is alone in its file.
const ALONE: &str = "admin";

/// A user's permissions. Each right includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Right {
    /// Look at runs.
    Look,
    /// Check and start runs, withdraw one's own runs, and analyse games: these start programs.
    Start,
    /// Order the queue, and pause, stop, resume and extend any run.
    Steer,
    /// Read the whole log, with addresses, programs and configurations.
    Admin,
}

impl Right {
    const ALL: [Self; 4] = [Self::Look, Self::Start, Self::Steer, Self::Admin];

    /// Returns the right's name in the token file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Start => "start",
            Self::Steer => "steer",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Right {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|right| right.name() == name);
        known.ok_or_else(|| format!("`{name}` is not a right: look, start, steer or admin"))
    }
}

/// A user with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The user's name in the log.
    pub name: String,
    /// What the user may do.
    pub right: Right,
    /// The maximum number of this user's runs that wait or play at a time; `None` for any number.
    pub most: Option<NonZeroUsize>,
}

impl FromStr for Person {
    type Err = String;

    /// Parses `NAME:RIGHT` or `NAME:RIGHT:RUNS`.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.split(':');
        let (Some(name), Some(right), most, None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
            return Err(format!("`{text}` is not NAME:RIGHT or NAME:RIGHT:RUNS, e.g. ann:start:3"));
        };
        Ok(Self { name: checked_name(name)?, right: right.parse()?, most: most.map(at_most).transpose()? })
    }
}

fn checked_name(name: &str) -> Result<String, String> {
    if name == SERVER {
        return Err(format!("no person can be called `{SERVER}`: the log calls the server so"));
    }
    let is_plain = |c: char| c.is_alphanumeric() || "._-@".contains(c);
    if name.is_empty() || name.chars().count() > LONGEST_NAME || !name.chars().all(is_plain) {
        return Err(format!(
            "`{}` is not a name: it has 1 to {LONGEST_NAME} letters, digits, `.`, `-`, `_` or `@`",
            name.chars().take(LONGEST_NAME).collect::<String>()
        ));
    }
    Ok(name.to_owned())
}

fn at_most(number: &str) -> Result<NonZeroUsize, String> {
    number.parse().map_err(|_| format!("`{number}` is not a number of runs: 1 or more"))
}

/// The hash of a token.
type Hash = [u8; 32];

fn hash(token: &str) -> Hash {
    Sha256::digest(token.as_bytes()).into()
}

/// Whether two hashes are equal, in constant time.
fn is_same(one: &Hash, other: &Hash) -> bool {
    one.iter().zip(other).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}

/// All users that are let in. Only hashes are stored.
#[derive(Clone)]
pub struct Tokens {
    people: Vec<(Hash, Person)>,
    /// The file of the tokens.
    file: Option<TokenFile>,
}

/// A token file, and its state when it was last read.
#[derive(Clone)]
struct TokenFile {
    path: PathBuf,
    state: Option<FileState>,
}

/// The parts of a file's metadata that change when it is written or replaced: the inode, the size in bytes, and the
/// seconds and nanoseconds of its last change.
type FileState = (u64, u64, i64, i64);

/// Returns the state of a file; `None` if it does not exist.
fn state_of(path: &Path) -> Option<FileState> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.ino(), file.len(), file.ctime(), file.ctime_nsec()))
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.people.iter().map(|(_, person)| person)).finish()
    }
}

impl Tokens {
    /// Returns a single token, which has all rights.
    pub fn one(token: &str) -> Self {
        Self::of([(Person { name: ALONE.to_owned(), right: Right::Admin, most: None }, token)])
    }

    /// Returns the tokens of these users.
    pub fn of<'a>(people: impl IntoIterator<Item = (Person, &'a str)>) -> Self {
        Self { people: people.into_iter().map(|(person, token)| (hash(token), person)).collect(), file: None }
    }

    /// Reads the tokens in a file that only the owner can read: a line for each user, or one token alone.
    ///
    /// # Errors
    /// [`SettingsError`] if the file cannot be read, others can read it, or a line cannot be used.
    pub fn read(path: &Path) -> Result<Self, SettingsError> {
        // If the file changes between the two calls, the next comparison of the states shows it.
        let file = Some(TokenFile { path: path.to_owned(), state: state_of(path) });
        Ok(Self { file, ..Self::in_text(&private_text(path)?, path)? })
    }

    /// Reads the file again if it has changed. Keeps the known users if the file cannot be used, but none if it has no
    /// line or is gone: then all tokens are withdrawn.
    ///
    /// # Errors
    /// Like [`Tokens::read`], once for each change of the file.
    pub(crate) fn renew(&mut self) -> Result<(), SettingsError> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let state = state_of(&file.path);
        if file.state == state {
            return Ok(());
        }
        file.state = state;
        match private_text(&file.path).and_then(|text| Self::in_text(&text, &file.path)) {
            Ok(tokens) => self.people = tokens.people,
            Err(why) => {
                if why.is_no_token() {
                    self.people.clear();
                }
                return Err(why);
            }
        }
        Ok(())
    }

    /// Reads the tokens in the text of a file.
    fn in_text(text: &str, path: &Path) -> Result<Self, SettingsError> {
        let word = text.trim();
        if word.split_whitespace().count() == 1 && !word.starts_with('#') {
            return if word.len() < LEAST {
                Err(SettingsError::Short { path: path.to_owned() })
            } else {
                Ok(Self::one(word))
            };
        }
        let mut tokens = Self::of([]);
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
                let added = tokens.take_in(line);
                added.map_err(|why| SettingsError::Line { path: path.to_owned(), line: index + 1, why })?;
            }
        }
        if tokens.people.is_empty() { Err(SettingsError::Empty { path: path.to_owned() }) } else { Ok(tokens) }
    }

    /// Adds the user of a line. The error never repeats the token.
    fn take_in(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let (Some(name), Some(right), Some(hashed)) = (words.next(), words.next(), words.next()) else {
            return Err("a line is `NAME RIGHT sha256:HASH`, and `runs=N` if there is a limit".to_owned());
        };
        let (name, right) = (checked_name(name)?, right.parse()?);
        let hash = hash_in_hex(hashed).ok_or_else(|| {
            format!(
                "{name} has no hash: the third word is `{HASHED}` and the 64 digits that `printf %s TOKEN | sha256sum` \
                 prints"
            )
        })?;
        let mut most = None;
        for word in words {
            let number = word.strip_prefix("runs=");
            most = Some(at_most(number.ok_or_else(|| format!("`{word}` is unknown: expected `runs=N`"))?)?);
        }
        if self.people.iter().any(|(_, person)| person.name == name) {
            return Err(format!("{name} has a line already"));
        }
        if self.people.iter().any(|(known, _)| *known == hash) {
            return Err(format!("{name} has the token of another person: each has one of their own"));
        }
        self.people.push((hash, Person { name, right, most }));
        Ok(())
    }

    /// Makes a token for a user, and adds a line to the file, which is created if necessary. Returns the token, which
    /// is stored nowhere.
    ///
    /// # Errors
    /// [`SettingsError`] if the file cannot be used or written, or already has this user.
    pub fn add(path: &Path, person: &Person) -> Result<String, SettingsError> {
        let unwritable = |cause| SettingsError::Unwritable { path: path.to_owned(), cause };
        let mut before = String::new();
        if path.exists() {
            before = private_text(path)?;
            if before.split_whitespace().count() == 1 {
                return Err(SettingsError::Alone { path: path.to_owned() });
            }
        }
        let token = random().map_err(unwritable)?;
        let Person { name, right, most } = person;
        let most = most.map_or_else(String::new, |most| format!(" runs={most}"));
        let line = format!("{name} {right} {HASHED}{}{most}", hex(&hash(&token)));
        // A user who is already there is refused as when the file is read.
        let mut tokens = Self::of([]);
        let lines = before.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
        for line in lines.chain([line.as_str()]) {
            let added = tokens.take_in(line);
            added.map_err(|why| SettingsError::Unusable { path: path.to_owned(), why })?;
        }
        let start = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(unwritable)?;
        file.write_all(format!("{start}{line}\n").as_bytes()).and_then(|()| file.sync_data()).map_err(unwritable)?;
        Ok(token)
    }

    /// Returns the user with this token. Compares all hashes, each in full, so that the time reveals nothing.
    pub(crate) fn person(&self, token: &str) -> Option<&Person> {
        let given = hash(token);
        let mut found = None;
        for (known, person) in &self.people {
            if is_same(known, &given) {
                found = Some(person);
            }
        }
        found
    }

    /// Returns the number of users.
    pub fn len(&self) -> usize {
        self.people.len()
    }

    /// Whether there are no users.
    pub fn is_empty(&self) -> bool {
        self.people.is_empty()
    }
}

/// Returns the token in a client's file: one word that only the owner can read.
///
/// # Errors
/// [`SettingsError`] if the file cannot be read, others can read it, or it is not one token.
pub fn own_token(path: &Path) -> Result<String, SettingsError> {
    let text = private_text(path)?;
    match text.trim() {
        word if word.contains(char::is_whitespace) => Err(SettingsError::Several { path: path.to_owned() }),
        word if word.len() < LEAST => Err(SettingsError::Short { path: path.to_owned() }),
        word => Ok(word.to_owned()),
    }
}

/// Returns the text of a file that only its owner can read.
pub(crate) fn private_text(path: &Path) -> Result<String, SettingsError> {
    let unreadable = |cause| SettingsError::Unreadable { path: path.to_owned(), cause };
    let mut file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.permissions().mode() & 0o077 != 0 {
        return Err(SettingsError::Shared { path: path.to_owned() });
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(unreadable)?;
    Ok(text)
}

fn hash_in_hex(word: &str) -> Option<Hash> {
    let hex = word.strip_prefix(HASHED).filter(|hex| hex.len() == 64 && hex.is_ascii())?;
    let mut hash = Hash::default();
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(hex.get(at..at + 2)?, 16).ok()?;
    }
    Some(hash)
}

/// Returns a random token.
fn random() -> io::Result<String> {
    let mut bytes = [0; RANDOM];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Returns bytes in hexadecimal, two digits each.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Tokens, String> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens");
        std::fs::write(&path, text).expect("it is written");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("its owner");
        Tokens::read(&path).map_err(|why| why.to_string().replace(&path.display().to_string(), "FILE"))
    }

    fn hashed(token: &str) -> String {
        format!("{HASHED}{}", hex(&hash(token)))
    }

    #[test]
    fn a_token_admits_itself_alone() {
        let tokens = Tokens::one("correct horse battery");
        assert_eq!(tokens.person("correct horse battery").map(|person| person.right), Some(Right::Admin));
        for word in ["", "correct horse batterz", "correct horse batter", "correct horse battery "] {
            assert_eq!(tokens.person(word), None, "{word:?}");
        }
    }

    #[test]
    fn each_line_is_a_person_with_a_right_and_a_limit() {
        let [ann, ben] = ["the token of ann", "the token of ben"].map(hashed);
        let tokens = of(&format!("# people\n\nann admin {ann}\n  ben start {ben} runs=2\n")).expect("two people");
        let ben = Person { name: "ben".to_owned(), right: Right::Start, most: NonZeroUsize::new(2) };
        assert_eq!(tokens.person("the token of ben"), Some(&ben));
        assert_eq!(tokens.person("the token of ann").map(|ann| (ann.right, ann.most)), Some((Right::Admin, None)));
        assert_eq!(tokens.person(&hashed("the token of ann")), None, "a hash is not a token");
        assert!(Right::Look < Right::Start && Right::Start < Right::Steer && Right::Steer < Right::Admin);
    }

    #[test]
    fn lines_that_cannot_be_used_are_named_and_tokens_not_repeated() {
        let (token, hash) = ("a-token-of-many-characters", hashed("x"));
        for (text, says) in [
            (format!("ann admin {token}"), "FILE, line 1: ann has no hash"),
            (format!("# x\nann admin\n{token}"), "FILE, line 2: a line is `NAME RIGHT sha256:HASH`"),
            (format!("ann all {hash}"), "FILE, line 1: `all` is not a right: look, start, steer or admin"),
            (format!("spar look {hash}"), "FILE, line 1: no person can be called `spar`"),
            (format!("a/b look {hash}"), "FILE, line 1: `a/b` is not a name"),
            (format!("ann look {hash} runs=0"), "FILE, line 1: `0` is not a number of runs"),
            (format!("ann look {hash} most=2"), "FILE, line 1: `most=2` is unknown: expected `runs=N`"),
            (format!("ann look {hash}\nann steer {}", hashed("y")), "FILE, line 2: ann has a line already"),
            (format!("ann look {hash}\nben look {hash}"), "FILE, line 2: ben has the token of another person"),
            (format!("ann look {}", hash.replace(':', "")), "FILE, line 1: ann has no hash"),
            (format!("ann look {HASHED}{}", "é".repeat(32)), "FILE, line 1: ann has no hash"),
            ("# only a comment".to_owned(), "there is no token in FILE"),
            (String::new(), "there is no token in FILE"),
            ("short".to_owned(), "the token in FILE is too short"),
        ] {
            let why = of(&text).expect_err("it is refused");
            assert!(why.contains(says) && !why.contains(token), "{text}: {why}");
        }
    }

    #[test]
    fn a_changed_file_holds_from_the_next_request_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens");
        let new = |name: &str| Tokens::add(&path, &name.parse().expect("a person")).expect("it is written");
        let ann = new("ann:steer");
        let mut tokens = Tokens::read(&path).expect("a line");
        let ben = new("ben:start");
        assert!(tokens.renew().is_ok() && tokens.person(&ann).is_some() && tokens.person(&ben).is_some());

        let lines = std::fs::read_to_string(&path).expect("text");
        std::fs::write(&path, format!("{lines}a mistake\n")).expect("it is written");
        assert!(tokens.renew().is_err() && tokens.len() == 2, "a mistake changes nothing");
        std::fs::write(&path, "# all are withdrawn\n").expect("it is written");
        assert!(tokens.renew().is_err() && tokens.is_empty());
        std::fs::write(&path, lines).expect("it is written");
        assert!(tokens.renew().is_ok() && tokens.len() == 2);
        std::fs::remove_file(&path).expect("a file");
        assert!(tokens.renew().is_err() && tokens.is_empty());
    }

    #[test]
    fn a_token_that_is_made_is_kept_as_a_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens");
        let ann: Person = "ann:steer".parse().expect("a person");
        let token = Tokens::add(&path, &ann).expect("it is written");
        let ben: Person = "ben:start:3".parse().expect("a person");
        let other = Tokens::add(&path, &ben).expect("it is written");
        assert_ne!(token, other);
        let tokens = Tokens::read(&path).expect("private, and two lines");
        assert_eq!((tokens.person(&token), tokens.person(&other)), (Some(&ann), Some(&ben)));
        assert!(!std::fs::read_to_string(&path).expect("text").contains(&token));
        let again = Tokens::add(&path, &ann).expect_err("ann is there");
        assert!(again.to_string().contains("ann has a line already"), "{again}");
        for wrong in ["ann", "ann:all", ":look", "ann:look:0", "ann:look:1:2"] {
            assert!(wrong.parse::<Person>().is_err(), "{wrong}");
        }
        let alone = folder.path().join("alone");
        std::fs::write(&alone, "a-token-of-many-characters").expect("it is written");
        std::fs::set_permissions(&alone, PermissionsExt::from_mode(0o600)).expect("its owner");
        assert!(matches!(Tokens::add(&alone, &ann), Err(SettingsError::Alone { .. })));
        assert_eq!(own_token(&alone).expect("a token"), "a-token-of-many-characters");
        assert!(matches!(own_token(&path), Err(SettingsError::Several { .. })));
    }
}
