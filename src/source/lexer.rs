//! Raw tokens of a C file, before preprocessing.
//!
//! Input: bytes, whatever they are. Output: every preprocessing token with its
//! byte range, each directive (`# …` up to the end of its logical line) as one
//! token, and a list of problems. Comments and white space make no token.
//!
//! Backslash-newlines are honoured everywhere, also inside tokens; so is a
//! backslash followed by blanks and a newline, as GCC and Clang do. The lexer
//! knows no macro and evaluates no `#if`, so a problem (say, an apostrophe in
//! `#if 0` prose) may sit in text that the compiler skips: the caller decides
//! which problems are live. A token with a problem is still a token, and the
//! token ranges are ascending and disjoint.

use std::ops::Range;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A string literal with its prefix.
    String,
    /// A character constant with its prefix.
    Character,
    /// A punctuator (longest match); digraphs keep their spelling.
    Punctuator,
    /// A whole directive, from `#` to before the newline that ends it.
    Directive,
    /// A byte or character that begins no C token.
    Unknown,
}

/// A raw token: its kind and byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset one past its last byte.
    pub end: u32,
}

impl Token {
    /// Its bytes, splices included.
    pub fn text(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start as usize..self.end as usize]
    }

    /// The same of a text.
    pub fn word(self, text: &str) -> Option<&str> {
        text.get(self.start as usize..self.end as usize)
    }
}

/// What is wrong with a piece of raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// `/*` without `*/`.
    UnterminatedComment,
    /// `"` without its partner on the line.
    UnterminatedString,
    /// `'` without its partner on the line.
    UnterminatedCharacter,
    /// A byte that is not UTF-8, outside comments and literals.
    InvalidUtf8,
    /// A control character such as NUL, outside comments and literals.
    ControlCharacter,
    /// An identifier of the name space that the translation itself uses.
    ReservedIdentifier,
    /// A bracket of a directive that has no partner in the directive: which one.
    UnbalancedBracket(u8),
    /// A `{` that ends a directive.
    BraceInDirective,
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub kind: ProblemKind,
    /// Where.
    pub range: Range<u32>,
}

/// The result of lexing.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// All tokens in order.
    pub tokens: Vec<Token>,
    /// All problems in order.
    pub problems: Vec<Problem>,
}

/// The prefix of every identifier that marks a copy.
pub const RESERVED_PREFIX: &str = "__accrs_";

/// Whose tokens they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C.
    C,
    /// C++: it has raw strings, and `<::` is no digraph with a colon behind.
    Cxx,
}

/// Lexes a whole file of C. The length must fit in `u32`; the reader of files
/// sees to that. Linear in the length.
pub fn lex(bytes: &[u8]) -> Lexed {
    lex_as(Language::C, bytes)
}

/// The same for a language.
pub fn lex_as(language: Language, bytes: &[u8]) -> Lexed {
    let mut lexer = Lexer {
        language,
        bytes,
        at: byte_order_mark(bytes),
        lexed: Lexed::default(),
    };
    lexer.lexed.tokens.reserve(bytes.len() / 4);
    lexer.run(true);
    lexer.lexed
}

/// The length of UTF-8's byte-order mark, which is white space at the start only.
pub fn byte_order_mark(bytes: &[u8]) -> usize {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        3
    } else {
        0
    }
}

/// Lexes text from the middle of a line (`range` of `bytes`), where `#` begins
/// no directive. Ranges are those of `bytes`.
pub fn lex_fragment(bytes: &[u8], range: Range<usize>) -> Lexed {
    lex_fragment_as(Language::C, bytes, range)
}

/// The same for a language.
pub fn lex_fragment_as(language: Language, bytes: &[u8], range: Range<usize>) -> Lexed {
    let mut lexer = Lexer {
        language,
        bytes: &bytes[..range.end],
        at: range.start,
        lexed: Lexed::default(),
    };
    lexer.run(false);
    lexer.lexed
}

/// Length of the backslash-newline at `at`, 0 if there is none.
pub fn splice_length(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'\\') {
        return 0;
    }
    let mut end = at + 1;
    while matches!(bytes.get(end), Some(b' ' | b'\t' | b'\r')) {
        end += 1;
    }
    if bytes.get(end) == Some(&b'\n') {
        end + 1 - at
    } else {
        0
    }
}

/// Whether a byte can be part of an identifier (any non-ASCII byte can).
pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

struct Lexer<'a> {
    language: Language,
    bytes: &'a [u8],
    at: usize,
    lexed: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self, mut line_start: bool) {
        loop {
            self.at = self.past_splices(self.at);
            let Some(&byte) = self.bytes.get(self.at) else {
                return;
            };
            match byte {
                b'\n' => {
                    line_start = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.at += 1,
                b'/' if self.comment() => {}
                b'#' if line_start => self.directive(),
                b'%' if line_start && self.second(self.at).0 == b':' => self.directive(),
                _ => {
                    line_start = false;
                    self.token(byte);
                }
            }
        }
    }

    /// The offset of the next character at or after `at` that is no splice.
    fn past_splices(&self, mut at: usize) -> usize {
        loop {
            let length = splice_length(self.bytes, at);
            if length == 0 {
                return at;
            }
            at += length;
        }
    }

    /// The byte after the one at `at` (0 at the end of the file) and its offset.
    fn second(&self, at: usize) -> (u8, usize) {
        let next = self.past_splices(at + 1);
        (self.bytes.get(next).copied().unwrap_or(0), next)
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.lexed.tokens.push(Token {
            kind,
            start: start as u32,
            end: end as u32,
        });
        self.at = end;
    }

    fn problem(&mut self, kind: ProblemKind, range: Range<usize>) {
        let range = range.start as u32..range.end as u32;
        self.lexed.problems.push(Problem { kind, range });
    }

    /// Skips a comment at the current place; false if there is none.
    fn comment(&mut self) -> bool {
        let start = self.at;
        match self.second(start) {
            (b'/', next) => self.at = self.line_end(next),
            (b'*', next) => {
                self.at = self.comment_end(next + 1).unwrap_or_else(|| {
                    self.problem(ProblemKind::UnterminatedComment, start..next + 1);
                    self.bytes.len()
                });
            }
            _ => return false,
        }
        true
    }

    /// The offset after the `*/` that is first met from `at` on.
    fn comment_end(&self, mut at: usize) -> Option<usize> {
        loop {
            at += self.bytes.get(at..)?.iter().position(|&b| b == b'*')?;
            let (byte, next) = self.second(at);
            if byte == b'/' {
                return Some(next + 1);
            }
            at += 1;
        }
    }

    /// The offset of the newline that ends the logical line, or of the end.
    fn line_end(&self, mut at: usize) -> usize {
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' => break,
                b'\\' => at += splice_length(self.bytes, at).max(1),
                _ => at += 1,
            }
        }
        at
    }

    /// A directive: up to the end of its logical line, which a comment
    /// prolongs. Quotes hide comments only where they are closed.
    fn directive(&mut self) {
        let start = self.at;
        let mut end = start;
        let mut header_names = self.names_header(start);
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => break,
                b'\\' => self.at += splice_length(self.bytes, self.at).max(1),
                b'/' if self.comment() => {}
                b'"' | b'\'' => self.at = self.quoted_end(self.at).unwrap_or(self.at + 1),
                b'<' if header_names => {
                    header_names = false;
                    self.at = self.header_name_end(self.at);
                }
                _ => self.at += 1,
            }
            end = self.at;
        }
        if self.bytes[..end].ends_with(b"\r") && self.bytes.get(end) == Some(&b'\n') {
            end -= 1;
        }
        self.push(TokenKind::Directive, start, end.max(start + 1));
    }

    /// Whether the directive takes a `<header>`, whose text is no C.
    fn names_header(&self, start: usize) -> bool {
        let name = directive_name(&self.bytes[start..]);
        matches!(name, b"include" | b"include_next" | b"import" | b"embed")
    }

    fn header_name_end(&self, start: usize) -> usize {
        let line = self.bytes[start..].iter().take_while(|&&b| b != b'\n');
        match line.enumerate().find(|(_, b)| **b == b'>') {
            Some((length, _)) => start + length + 1,
            None => start + 1,
        }
    }

    fn token(&mut self, byte: u8) {
        let start = self.at;
        match byte {
            b'"' | b'\'' => self.quoted(start),
            b'0'..=b'9' => self.number(),
            b'.' if self.second(start).0.is_ascii_digit() => self.number(),
            b'\\' if matches!(self.bytes.get(start + 1), Some(b'u' | b'U')) => self.identifier(),
            0..=0x1f | 0x7f => {
                self.problem(ProblemKind::ControlCharacter, start..start + 1);
                self.push(TokenKind::Unknown, start, start + 1);
            }
            0x80.. if self.character_length(start).is_none() => {
                self.problem(ProblemKind::InvalidUtf8, start..start + 1);
                self.push(TokenKind::Unknown, start, start + 1);
            }
            _ if is_identifier_byte(byte) => self.identifier(),
            _ => self.punctuator(),
        }
    }

    /// Length of the well-formed UTF-8 character at `at`.
    fn character_length(&self, at: usize) -> Option<usize> {
        let length = match *self.bytes.get(at)? {
            0..=0x7f => return Some(1),
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return None,
        };
        std::str::from_utf8(self.bytes.get(at..at + length)?)
            .ok()
            .map(|_| length)
    }

    fn identifier(&mut self) {
        let start = self.at;
        let mut end = start;
        loop {
            match self.bytes.get(end) {
                Some(0x80..) => match self.character_length(end) {
                    Some(length) => end += length,
                    None => break,
                },
                Some(&byte) if is_identifier_byte(byte) => end += 1,
                Some(b'\\') if matches!(self.bytes.get(end + 1), Some(b'u' | b'U')) => end += 2,
                Some(b'\\') => {
                    let next = self.past_splices(end);
                    match self.bytes.get(next) {
                        Some(&byte) if next > end && is_identifier_byte(byte) => end = next,
                        _ => break,
                    }
                }
                _ => break,
            }
        }
        let text = &self.bytes[start..end];
        let prefix = matches!(text, b"L" | b"u" | b"U" | b"u8");
        if prefix && matches!(self.bytes.get(end), Some(b'"' | b'\'')) {
            return self.quoted(end);
        }
        let raw = matches!(text, b"R" | b"LR" | b"uR" | b"UR" | b"u8R");
        if self.language == Language::Cxx && raw && self.bytes.get(end) == Some(&b'"') {
            return self.raw_string(end);
        }
        if text.starts_with(RESERVED_PREFIX.as_bytes()) {
            self.problem(ProblemKind::ReservedIdentifier, start..end);
        }
        self.push(TokenKind::Identifier, start, end);
    }

    /// A literal whose opening quote is at `quote`; a prefix begins where the
    /// lexer stands. Without a closing quote the quote alone is the token.
    fn quoted(&mut self, quote: usize) {
        let start = self.at;
        let (kind, problem) = if self.bytes[quote] == b'"' {
            (TokenKind::String, ProblemKind::UnterminatedString)
        } else {
            (TokenKind::Character, ProblemKind::UnterminatedCharacter)
        };
        if let Some(end) = self.quoted_end(quote) {
            self.push(kind, start, end);
        } else {
            self.problem(problem, start..quote + 1);
            self.push(TokenKind::Unknown, start, quote + 1);
        }
    }

    /// `R"mark( … )mark"`, whose opening quote is at `quote`; no splice and no
    /// escape means anything in it.
    fn raw_string(&mut self, quote: usize) {
        let start = self.at;
        let rest = &self.bytes[quote + 1..];
        let mark = rest.iter().take(17).position(|byte| *byte == b'(');
        let end = mark.and_then(|length| {
            let close = [b")", &rest[..length], b"\""].concat();
            let found = memchr::memmem::find(&rest[length..], &close)?;
            Some(quote + 1 + length + found + close.len())
        });
        match end {
            Some(end) => self.push(TokenKind::String, start, end),
            None => {
                self.problem(ProblemKind::UnterminatedString, start..quote + 1);
                self.push(TokenKind::Unknown, start, quote + 1);
            }
        }
    }

    /// The offset after the quote that closes the one at `quote`, on the same
    /// logical line.
    fn quoted_end(&self, quote: usize) -> Option<usize> {
        let mut at = quote + 1;
        loop {
            match *self.bytes.get(at)? {
                b'\n' => return None,
                b'\\' => match splice_length(self.bytes, at) {
                    0 => {
                        // the escaped character may follow a splice
                        let next = self.past_splices(at + 1);
                        at = if self.bytes.get(next) == Some(&b'\n') {
                            next
                        } else {
                            next + 1
                        };
                    }
                    length => at += length,
                },
                byte if byte == self.bytes[quote] => return Some(at + 1),
                _ => at += 1,
            }
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let mut end = start + 1;
        let mut last = self.bytes[start];
        loop {
            let next = self.past_splices(end);
            let Some(&byte) = self.bytes.get(next) else {
                break;
            };
            let exponent = matches!(last, b'e' | b'E' | b'p' | b'P');
            let separator = byte == b'\'' && self.second(next).0.is_ascii_alphanumeric();
            let sign = matches!(byte, b'+' | b'-') && exponent;
            let word = byte == b'.' || (is_identifier_byte(byte) && byte < 0x80);
            if !(word || sign || separator) {
                break;
            }
            last = byte;
            end = next + 1;
        }
        self.push(TokenKind::Number, start, end);
    }

    /// The longest punctuator here, or one unknown character.
    fn punctuator(&mut self) {
        let start = self.at;
        let mut text = [self.bytes[start], 0, 0];
        let mut ends = [start + 1; 3];
        for i in 1..3 {
            let next = self.past_splices(ends[i - 1]);
            text[i] = self.bytes.get(next).copied().unwrap_or(0);
            ends[i] = next + 1;
        }
        let mut length = punctuator_length(text);
        if self.language == Language::Cxx && &text == b"<::" {
            let after = self.bytes.get(self.past_splices(ends[2]));
            if !matches!(after, Some(b':' | b'>')) {
                length = 1;
            }
        }
        let kind = if length == 0 {
            TokenKind::Unknown
        } else {
            TokenKind::Punctuator
        };
        self.push(kind, start, ends[length.max(1) - 1]);
    }
}

/// How many of the three characters form a punctuator.
fn punctuator_length(text: [u8; 3]) -> usize {
    match &text {
        b"..." | b"<<=" | b">>=" => 3,
        [b'-', b'>', _]
        | [b'<', b'%' | b':', _]
        | [b'%', b'>' | b':', _]
        | [b':', b'>', _]
        | [b'#', b'#', _] => 2,
        [
            b'*' | b'/' | b'%' | b'+' | b'-' | b'<' | b'>' | b'=' | b'!' | b'&' | b'^' | b'|',
            b'=',
            _,
        ] => 2,
        [a @ (b'+' | b'-' | b'<' | b'>' | b'&' | b'|'), b, _] if a == b => 2,
        [
            b'[' | b']' | b'(' | b')' | b'{' | b'}' | b'.' | b'&' | b'*' | b'+' | b'-' | b'~',
            ..,
        ] => 1,
        [
            b'!' | b'/' | b'%' | b'<' | b'>' | b'^' | b'|' | b'?' | b':' | b';' | b'=' | b','
            | b'#',
            ..,
        ] => 1,
        _ => 0,
    }
}

/// The name of a directive, given its text from `#` (or `%:`) on; empty for
/// the null directive and for `# 12 "file"`.
pub fn directive_name(directive: &[u8]) -> &[u8] {
    let rest = &directive[after_hash(directive)..];
    let length = rest
        .iter()
        .position(|b| !b.is_ascii_alphabetic() && *b != b'_');
    &rest[..length.unwrap_or(rest.len())]
}

/// Where a directive goes on after its `#` (or `%:`) and blanks.
pub fn after_hash(directive: &[u8]) -> usize {
    skip_blank(directive, if directive.starts_with(b"%:") { 2 } else { 1 })
}

/// Skips blanks, splices and `/* … */` from `at` on, staying on the line.
pub fn skip_blank(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\r' | 0x0b | 0x0c) => at += 1,
            Some(b'\\') if splice_length(bytes, at) > 0 => at += splice_length(bytes, at),
            Some(b'/') if bytes.get(at + 1) == Some(&b'*') => {
                let body = bytes.get(at + 2..).unwrap_or(&[]);
                match body.windows(2).position(|w| w == b"*/") {
                    Some(length) => at += length + 4,
                    None => return bytes.len(),
                }
            }
            _ => return at,
        }
    }
}

/// Tokens of a text with a blank where any space is between two; `None` if they are no UTF-8.
pub fn on_one_line(bytes: &[u8], tokens: &[Token]) -> Option<String> {
    let mut line = String::new();
    let mut end = None;
    for token in tokens {
        if end.is_some_and(|end| end < token.start) {
            line.push(' ');
        }
        line.push_str(std::str::from_utf8(token.text(bytes)).ok()?);
        end = Some(token.end);
    }
    Some(line)
}

#[cfg(test)]
#[path = "lexer_tests.rs"]
mod tests;
