//! Reads the moves of a game for its ending and a fingerprint of its opening.
//!
//! Tokens are distinguished by their bytes alone, and only until the opening is over; after that the reader looks for
//! comments, which may contain anything, and for the last word.

use stats::Score;

/// The number of plies that stand for the opening if no moves are marked as book.
const OPENING_PLIES: u32 = 8;
/// The maximum depth of nested variations.
pub(super) const MOST_NESTED: u32 = 100;
/// The number of bytes read at the start of a comment.
const COMMENT_START: usize = 8;
/// The number of bytes kept of a comment for callers that want comments: longer ones do not hold evaluations.
const COMMENT_KEPT: usize = 255;
/// The maximum length of a result.
const LONGEST_RESULT: usize = 20;

/// A fingerprint of the opening that a game started from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The file marks the opening: by a `FEN` tag, by moves marked `{book}`, or by both.
    Marked(u64),
    /// The first eight plies, in a file that does not mark the end of the opening.
    FirstPlies(u64),
    /// There are neither moves nor a start position.
    Unknown,
}

/// The word that ends a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// A result, for White.
    Decided(Score),
    /// `*`: the game is not finished.
    Open,
}

impl Ending {
    /// Reads a `Result` tag or the last word of a game.
    pub(super) fn parse(word: &[u8]) -> Option<Self> {
        match word {
            b"1-0" => Some(Self::Decided(Score::Win)),
            b"0-1" => Some(Self::Decided(Score::Loss)),
            b"1/2-1/2" | b"1/2" => Some(Self::Decided(Score::Draw)),
            b"*" => Some(Self::Open),
            _ => unusual_result(word).map(Self::Decided),
        }
    }
}

/// A game's result for White, in any of its spellings: `1-0`, `1/2-1/2`, `1/2`, `½-½`, `0.5-0.5`, `0,5:0,5`, `1 - 0`.
pub fn parse_result(text: &str) -> Option<Score> {
    match Ending::parse(text.trim().as_bytes())? {
        Ending::Decided(score) => Some(score),
        Ending::Open => None,
    }
}

/// Whether the last word of a line, in a comment or not, is a result.
pub(super) fn ends_with_result(line: &[u8]) -> bool {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}');
    let last = line.trim_ascii_end().rsplit(is_between).next().unwrap_or_default();
    Ending::parse(last).is_some()
}

/// Whether a line begins with the number of a first move, and more text follows.
pub(super) fn begins_moves(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"1.").map(<[u8]>::trim_ascii_start);
    rest.is_some_and(|rest| rest.iter().any(|byte| !matches!(byte, b'.') && !byte.is_ascii_whitespace()))
}

/// The place in a line where another game begins: after a result, at the number of its first move or at a tag.
pub(super) fn next_game_in(line: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'1', b'[', line).find(|&at| {
        let (before, after) = (&line[..at], line.get(at + 1));
        let begins = if line[at] == b'[' { after.is_some_and(u8::is_ascii_alphabetic) } else { after == Some(&b'.') };
        let is_quoted = || memchr::memchr_iter(b'"', before).count() % 2 == 1;
        begins
            && before.last().is_some_and(u8::is_ascii_whitespace)
            && ends_with_result(before)
            && !is_quoted()
            && memchr::memchr(b';', before).is_none()
    })
}

/// Reads results with unusual dashes, halves and points, in UTF-8 and Latin-1.
fn unusual_result(word: &[u8]) -> Option<Score> {
    let begins = matches!(word.first(), Some(b'0' | b'1' | b'.' | b',' | 0xbd | 0xc2));
    let has_dash = word.iter().any(|byte| matches!(byte, b'-' | b':' | 0x80..));
    if !begins || !has_dash || word.len() > LONGEST_RESULT {
        return None;
    }
    let mut plain = String::new();
    for c in super::tag::text(word).chars().filter(|c| !c.is_whitespace()) {
        match c {
            '½' => plain.push_str("1/2"),
            // 0x96 is the dash of Windows-1252.
            ':' | '\u{96}' | '\u{2010}'..='\u{2015}' | '\u{2212}' => plain.push('-'),
            ',' => plain.push('.'),
            c => plain.push(c),
        }
    }
    match plain.as_str() {
        "1-0" | "1.0-0.0" => Some(Score::Win),
        "0-1" | "0.0-1.0" => Some(Score::Loss),
        "1/2-1/2" | "1/2" | "0.5-0.5" | ".5-.5" => Some(Score::Draw),
        _ => None,
    }
}

/// A running FNV-1a hash of 64 bits (Fowler, Noll, Vo): the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fingerprint {
    /// Adds a word, separated from the one before.
    pub(crate) fn add(&mut self, word: &[u8]) {
        for &byte in word.iter().chain(&[0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// The fingerprint, its bits well mixed (the finaliser of `SplitMix64`).
    pub(crate) fn finish(self) -> u64 {
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// The moves of one game that have been read so far.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a state of its own")]
pub(super) struct Movetext {
    in_comment: bool,
    comment: Vec<u8>,
    variations: u32,
    /// The maximum depth of nested variations so far.
    deepest: u32,
    started: bool,
    ending: Option<Ending>,
    plies: u32,
    moves: Fingerprint,
    first_plies: Fingerprint,
    book_plies: u32,
    book: Fingerprint,
    /// The number of plies to keep as words.
    keep: u32,
    kept: String,
    /// Whether to keep the comments between the moves, too.
    keeps_comments: bool,
    comments: Vec<Note>,
    /// Whether a comment before the end of the opening contains a `{`: it may have swallowed moves.
    may_hide_moves: bool,
}

/// A comment outside variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The number of plies before the comment.
    pub plies: u32,
    /// The beginning of the comment, on one line.
    pub text: String,
}

impl Movetext {
    /// Keeps the words of the first `plies` plies.
    pub(super) fn keeping(plies: u32) -> Self {
        Self { keep: plies, ..Self::default() }
    }

    /// Keeps the words of all plies, and the comments.
    pub(super) fn keeping_all() -> Self {
        Self { keep: u32::MAX, keeps_comments: true, ..Self::default() }
    }

    /// The kept words, separated by spaces, and the comments.
    pub(super) fn into_kept(self) -> (String, Vec<Note>) {
        (self.kept, self.comments)
    }

    /// Whether a comment may have swallowed moves of the opening, since another comment begins in it.
    pub(super) fn may_hide_moves(&self) -> bool {
        self.may_hide_moves
    }

    /// Whether a comment is open at the end of the text so far.
    pub(super) fn in_comment(&self) -> bool {
        self.in_comment
    }

    /// Whether there was any word or comment.
    pub(super) fn started(&self) -> bool {
        self.started
    }

    /// Whether variations are nested too deeply to be real.
    pub(super) fn is_nested_too_deep(&self) -> bool {
        self.deepest > MOST_NESTED
    }

    /// Whether a variation is open. Text after the opening is ignored.
    pub(super) fn in_variation(&self) -> bool {
        self.variations > 0 && !self.opening_is_over()
    }

    /// The word that ended the game, if the last word is one.
    pub(super) fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The opening that the game started from; `fen` and `variant` are the values of these tags.
    pub(super) fn opening(&self, fen: Option<&str>, variant: Option<&str>) -> Opening {
        let mut all = Fingerprint::default();
        all.add(variant.unwrap_or_default().as_bytes());
        all.add(fen.unwrap_or_default().as_bytes());
        if fen.is_some() || self.book_plies > 0 {
            all.add(&self.book.finish().to_le_bytes());
            Opening::Marked(all.finish())
        } else if self.plies > 0 {
            all.add(&self.first_plies.finish().to_le_bytes());
            Opening::FirstPlies(all.finish())
        } else {
            Opening::Unknown
        }
    }

    /// Reads a line.
    pub(super) fn line(&mut self, line: &[u8]) {
        self.started |= !line.trim_ascii().is_empty();
        if self.opening_is_over() && memchr::memchr(b';', line).is_none() && self.last_text(line) {
            return;
        }
        self.all(line);
    }

    /// Reads a line piece by piece.
    fn all(&mut self, line: &[u8]) {
        let mut rest = line;
        while !rest.is_empty() {
            rest = if self.in_comment { self.comment(rest) } else { self.text(rest) };
        }
    }

    /// Reads only the part of a line after its last comment, which is all that counts once the opening is over. Returns
    /// false, and reads nothing, if there is no word.
    fn last_text(&mut self, line: &[u8]) -> bool {
        let start = match memchr::memrchr(b'}', line) {
            Some(end) => end + 1,
            None if self.in_comment => return true,
            None => 0,
        };
        let tail = &line[start..];
        let open = memchr::memchr(b'{', tail);
        let words = tail[..open.unwrap_or(tail.len())].trim_ascii();
        if words.is_empty() {
            return false;
        }
        self.in_comment = open.is_some();
        self.last_word(words);
        true
    }

    /// Continues to read a comment, and returns the text after it.
    fn comment<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        let end = memchr::memchr(b'}', text);
        let inside = &text[..end.unwrap_or(text.len())];
        self.may_hide_moves |= !self.opening_is_over() && memchr::memchr(b'{', inside).is_some();
        self.add_to_comment(inside.trim_ascii());
        let Some(end) = end else { return &[] };
        self.end_comment();
        &text[end + 1..]
    }

    /// Adds a line of the comment, or a part of one.
    fn add_to_comment(&mut self, words: &[u8]) {
        let most = if self.keeps_comments { COMMENT_KEPT } else { COMMENT_START };
        if !self.comment.is_empty() && self.comment.len() < most {
            self.comment.push(b' ');
        }
        let room = most - self.comment.len();
        self.comment.extend(words.iter().take(room));
    }

    fn end_comment(&mut self) {
        self.in_comment = false;
        if self.variations > 0 {
            return;
        }
        if self.is_book() && self.book_plies + 1 == self.plies {
            self.book_plies = self.plies;
            self.book = self.moves;
        }
        if self.keeps_comments {
            let text = String::from_utf8_lossy(&self.comment).into_owned();
            self.comments.push(Note { plies: self.plies, text });
        }
    }

    fn is_book(&self) -> bool {
        let (word, rest) = self.comment.split_at(self.comment.len().min(4));
        word.eq_ignore_ascii_case(b"book") && rest.first().is_none_or(|b| !b.is_ascii_alphanumeric())
    }

    /// Reads words up to the next comment, and returns the text after its start.
    fn text<'a>(&mut self, text: &'a [u8]) -> &'a [u8] {
        let end = memchr::memchr3(b'{', b'}', b';', text);
        let words = text[..end.unwrap_or(text.len())].trim_ascii();
        if !words.is_empty() {
            self.words(words);
        }
        match end {
            Some(end) if text[end] == b'{' => {
                self.in_comment = true;
                self.comment.clear();
                &text[end + 1..]
            }
            // The end of a comment that was never opened.
            Some(end) if text[end] == b'}' => &text[end + 1..],
            // A comment to the end of the line, or no comment.
            _ => &[],
        }
    }

    fn words(&mut self, words: &[u8]) {
        if !self.opening_is_over() {
            for word in words.split(u8::is_ascii_whitespace) {
                let (promotion, word) = word.split_at(promotion_end(word).unwrap_or(0));
                if self.variations == 0 {
                    self.word(promotion);
                }
                for piece in word.split_inclusive(|b| matches!(b, b'(' | b')')) {
                    self.piece(piece);
                }
            }
        }
        self.last_word(words);
    }

    fn last_word(&mut self, words: &[u8]) {
        let last = words.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.ending = Ending::parse(last);
    }

    /// Whether the opening is over: two plies beyond the last book move, no other book move can follow.
    fn opening_is_over(&self) -> bool {
        self.plies >= OPENING_PLIES.max(self.keep) && self.plies > self.book_plies + 1
    }

    /// Reads a word that can have a parenthesis only at its end.
    fn piece(&mut self, piece: &[u8]) {
        let (word, parenthesis) = match piece.split_last() {
            Some((last @ (b'(' | b')'), word)) => (word, Some(*last)),
            _ => (piece, None),
        };
        if self.variations == 0 {
            self.word(word);
        }
        match parenthesis {
            Some(b'(') => {
                self.variations = self.variations.saturating_add(1);
                self.deepest = self.deepest.max(self.variations);
            }
            Some(_) => self.variations = self.variations.saturating_sub(1),
            None => {}
        }
    }

    fn word(&mut self, word: &[u8]) {
        if Ending::parse(word).is_some() || word.starts_with(b"$") || is_mark(word) {
            return;
        }
        let word = without_number(word);
        let end = word.iter().rposition(|b| !matches!(b, b'!' | b'?')).map_or(0, |last| last + 1);
        if end == 0 {
            return;
        }
        self.plies += 1;
        self.moves.add(&word[..end]);
        if self.plies <= OPENING_PLIES {
            self.first_plies = self.moves;
        }
        if self.plies <= self.keep {
            if !self.kept.is_empty() {
                self.kept.push(' ');
            }
            self.kept.push_str(&String::from_utf8_lossy(&word[..end]));
        }
    }
}

/// The end of a promotion that has its piece in parentheses, `a8(Q)` or `a8=(Q)`; they are not a variation.
fn promotion_end(word: &[u8]) -> Option<usize> {
    let open = memchr::memchr(b'(', word)?;
    let before = word[..open].strip_suffix(b"=").unwrap_or(&word[..open]);
    let is_promoting = before.len() >= 2 && matches!(before.last(), Some(b'1' | b'8'));
    let inside = word[open + 1..].strip_prefix(b"=").unwrap_or(&word[open + 1..]);
    let is_piece = matches!(inside, [b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n', b')', ..]);
    (is_promoting && is_piece).then(|| word.len() - inside.len() + 2)
}

/// Whether a word is a mark beside a move: `e.p.`, `+-`, `=`. Two hyphens are a null move instead.
fn is_mark(word: &[u8]) -> bool {
    let is_sign = |byte: &u8| byte.is_ascii_punctuation() && !matches!(byte, b'@');
    matches!(word, b"e.p." | b"ep") || (word != b"--" && !word.is_empty() && word.iter().all(is_sign))
}

/// A word without the number of its move: `12.e4` becomes `e4`; `12...` and `12` become empty.
fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|b| **b == b'.').count();
    if dots > 0 || digits == word.len() { &word[digits + dots..] } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Movetext {
        let mut movetext = Movetext::default();
        text.lines().for_each(|line| movetext.line(line.as_bytes()));
        movetext
    }

    fn opening(text: &str) -> Opening {
        read(text).opening(None, None)
    }

    #[test]
    fn comments_numbers_and_variations_do_not_matter() {
        let plain = opening("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 1-0");
        let rich = "1.e4! {+0.33/14 0.069s} e5 $1 (1... c5 2. Nf3 (2. c3 {a (comment)} d5) d6) 2.Nf3\n\
                    {over\ntwo lines} Nc6 ; to the end (of the line\n3. Bb5 a6 4. Ba4 Nf6 5. d3 1/2-1/2";
        assert_eq!(plain, opening(rich));
        assert_ne!(plain, opening("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 d6 1-0"));
        assert!(matches!(plain, Opening::FirstPlies(_)));
    }

    #[test]
    fn marked_moves_are_the_opening() {
        let one = opening("1. e4 {book} e5 {book} 2. d4 {+0.1/5 0.01s} exd4 1-0");
        let two = opening("1. e4 { BOOK } e5 {book, line 3} 2. Nf3 {-0.1/5 0.01s} Nc6 {booked} 0-1");
        assert_eq!(one, two);
        assert!(matches!(one, Opening::Marked(_)));
        assert_ne!(one, opening("1. e4 {book} e5 {book} 2. d4 {book} exd4 1-0"));
        let long = "1. a b 2. c d 3. e f 4. g h 5. i j".replace(' ', " {book} ");
        assert_ne!(opening(&format!("{long} {{book}} 6. k l m")), opening(&format!("{long} 6. k l m")));
    }

    #[test]
    fn any_notation_will_do() {
        assert_ne!(opening("1. e2e4 e7e5"), opening("1. e2e4 c7c5"));
        assert_ne!(opening("D1-2 W3 x"), opening("D1-2 W4 x"));
        assert_eq!(opening("  "), Opening::Unknown);
        assert_eq!(opening("{no moves} 1-0"), Opening::Unknown);
    }

    #[test]
    fn the_position_matters() {
        let movetext = read("1. e4 e5 *");
        assert_ne!(movetext.opening(Some("a"), None), movetext.opening(Some("b"), None));
        assert_ne!(movetext.opening(Some("a"), None), movetext.opening(Some("a"), Some("crazyhouse")));
        assert_eq!(movetext.opening(Some("a"), None), read("1. d4 *").opening(Some("a"), None));
    }

    proptest::proptest! {
        #[test]
        fn reading_less_makes_no_difference(lines in proptest::collection::vec("[a{};(\\[ ]{0,6}(1-0|\\*|)[{} \
            ]{0,3}", 0..6)) {
            let (mut quick, mut thorough) = (read("a b c d e f g h i j"), read("a b c d e f g h i j"));
            for line in &lines {
                quick.line(line.as_bytes());
                thorough.all(line.as_bytes());
                proptest::prop_assert_eq!(quick.in_comment(), thorough.in_comment());
                proptest::prop_assert_eq!(quick.ending(), thorough.ending());
            }
            proptest::prop_assert_eq!(quick.opening(None, None), thorough.opening(None, None));
        }
    }

    #[test]
    fn a_piece_in_parentheses_is_no_variation() {
        let mut movetext = Movetext::keeping(9);
        movetext.line(b"1. a8(Q)+ (1. b8=(N) Kd7) bxc1(=r)! 2. Kd8(Q2)x h3 (2... a1(Q)) Ke2");
        assert_eq!(movetext.into_kept().0, "a8(Q) bxc1(=r) Kd8 x h3 Ke2");
    }

    #[test]
    fn comments_are_kept_with_their_places() {
        let mut movetext = Movetext::keeping_all();
        for line in ["{before} 1. e4 {+0.33/14", "0.5s} (1. d4 {no}) e5 e.p. $1 -- {x} 1-0"] {
            movetext.line(line.as_bytes());
        }
        let note = |plies, text: &str| Note { plies, text: text.to_owned() };
        let (moves, comments) = movetext.into_kept();
        assert_eq!(moves, "e4 e5 --");
        assert_eq!(comments, [note(0, "before"), note(1, "+0.33/14 0.5s"), note(3, "x")]);
    }

    #[test]
    fn results_are_read_in_all_their_spellings() {
        let spellings = [
            (Score::Win, "1-0 1:0 1–0 1\u{2212}0 1.0-0.0 1,0:0,0"),
            (Score::Loss, "0-1 0:1 0.0-1.0"),
            (Score::Draw, "1/2-1/2 1/2 ½-½ ½ ½:½ ½–½ 0.5-0.5 0,5-0,5 .5-.5 1/2:1/2"),
        ];
        for (score, texts) in spellings {
            for text in texts.split(' ') {
                assert_eq!(parse_result(text), Some(score), "{text}");
                assert_eq!(read(&format!("1. e4 e5 {text}")).ending(), Some(Ending::Decided(score)), "{text}");
            }
        }
        assert_eq!(parse_result(" 1 - 0 "), Some(Score::Win));
        assert_eq!(Ending::parse(b"\xbd-\xbd"), Some(Ending::Decided(Score::Draw)), "Latin-1");
        assert_eq!(Ending::parse(b"1\x960"), Some(Ending::Decided(Score::Win)), "Windows-1252");
        for text in ["0-0", "0-0-0", "O-O", "1-1", "1", "0", "0.5", "2-0", "", "1-", "--", "10-0", "*"] {
            assert_eq!(parse_result(text), None, "{text}");
        }
    }

    #[test]
    fn endings() {
        let win = Some(Ending::Decided(Score::Win));
        assert_eq!(read("1. e4 e5 1-0").ending(), win);
        assert_eq!(read("1. e4 {White mates} 1-0 {end}").ending(), win);
        assert_eq!(read("1. e4 {0-1}").ending(), None);
        assert_eq!(read("1. e4\n*\n").ending(), Some(Ending::Open));
        assert_eq!(read("1. e4 e5 1-0 2. d4").ending(), None);
    }
}
