//! From the preprocessor's output to the text that is parsed.
//!
//! Input: the output of `cc -E` for a [marked copy](super::markers). Output:
//! C tokens only; what is not C goes into tables keyed by the offset in the
//! text where it stood.
//!
//! - Markers are taken out and noted.
//! - `# 12 "file" flags` lines are taken out and noted.
//! - Directives lose the numbers of their first mark. `#pragma acc …` lines,
//!   which come from headers and from `_Pragma`, get the same form, so there
//!   is one form only: `__accrs_pragma_acc … __accrs_pragma_end`.
//! - Other pragmas are taken out and noted, other `#` lines are taken out.
//! - Digraphs get their usual spelling, and letters that an identifier has as
//!   `\u00e9` are themselves.
//!
//! Strings are left alone. Linear in the length.

use std::ops::Range;

use super::bytes::decode_bytes;
use super::lexer::{self, ProblemKind};
use super::markers::{self, DIRECTIVE, DIRECTIVE_END, MARKER, PROBLEM};
use super::span::Span;

/// `text[..at]` comes from the main file's `[0, offset)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marker {
    /// Offset in the text.
    pub at: u32,
    /// Offset in the main file.
    pub offset: u32,
    /// Whether it stands for a directive's edge: then white space and
    /// comments may lie between it and the token on its other side.
    pub edge: bool,
}

/// From `at` on, the lines of the text are those of `file` from `line` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineMark {
    /// Offset in the text.
    pub at: u32,
    /// Index into [`Tables::files`].
    pub file: u32,
    /// 1-based line.
    pub line: u32,
    /// Whether this is text of the main file and not of a header.
    pub main: bool,
    /// The inclusion that this is the text of, if it is a header's: index into
    /// [`Tables::inclusions`].
    pub inclusion: Option<u32>,
}

/// A file that was included, each time one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inclusion {
    /// Offset in the text where it begins.
    pub at: u32,
    /// Index into [`Tables::files`].
    pub file: u32,
    /// The inclusion whose file includes it; `None` for the main file.
    pub parent: Option<u32>,
    /// It is included by the main file, or by a file that is.
    pub in_main: bool,
    /// It is one of the system's.
    pub is_system: bool,
    /// The place behind the directive: the including file, its index and line.
    pub resumed: Option<(u32, u32)>,
}

/// A directive in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectiveMark {
    /// From its first to past its last mark.
    pub span: Span,
    /// Its line in the main file, with those that continue it; `None` if it came from `_Pragma` or a header.
    pub source: Option<Range<u32>>,
    /// Whether it stands in a header.
    pub header: bool,
}

impl DirectiveMark {
    /// The bytes of its line in the main file, with the lines that continue it.
    pub fn lines(&self) -> Option<Range<usize>> {
        let source = self.source.as_ref()?;
        Some(source.start as usize..source.end as usize)
    }
}

/// A pragma that is not translated, such as `#pragma pack(1)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignPragma {
    /// Offset in the text where it takes effect.
    pub at: u32,
    /// What stands after `pragma`.
    pub text: String,
}

/// A line `#define` or `#undef`, where the preprocessor tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Offset in the text from which on it holds.
    pub at: u32,
    /// What stands after `define` or `undef`.
    pub text: String,
    /// Whether it is `#define`.
    pub defines: bool,
    /// Whether it is the compiler's, or of a header of the system.
    pub is_system: bool,
}

/// What was taken out of the text. All lists ascend by offset.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Where the text is in the main file.
    pub markers: Vec<Marker>,
    /// Where the text is in terms of lines.
    pub lines: Vec<LineMark>,
    /// The file names of the line marks.
    pub files: Vec<String>,
    /// The directives.
    pub directives: Vec<DirectiveMark>,
    /// Pragmas of others.
    pub pragmas: Vec<ForeignPragma>,
    /// Macros.
    pub definitions: Vec<Definition>,
    /// Offsets of the text's lines.
    pub line_starts: Vec<u32>,
    /// The files that were included.
    pub inclusions: Vec<Inclusion>,
}

/// A problem that the compiler did not skip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LiveProblem {
    /// Of this index among the copy's problems.
    InCopy(usize),
    /// In a directive that only the preprocessor's output shows.
    InDirective(ProblemKind, Span),
}

/// The parsed text and what was taken out of it.
#[derive(Debug, Default)]
pub struct Stripped {
    /// The text.
    pub text: String,
    /// What was taken out.
    pub tables: Tables,
    /// What the compiler did not skip.
    pub problems: Vec<LiveProblem>,
}

/// Strips a preprocessor's output. `name` is the main file as in the copy's
/// first line. `bodies` are to stand in the directives that are lines of the
/// output, in their order; those without one keep theirs.
pub fn strip(output: &[u8], name: &str, prefixes: &[&str], bodies: &[Option<String>]) -> Stripped {
    let text = decode_bytes(output);
    let mut stripper = Stripper {
        bytes: text.as_bytes(),
        at: 0,
        copied: 0,
        out: Vec::with_capacity(text.len()),
        name,
        prefixes,
        bodies: bodies.iter(),
        depth: 0,
        started: false,
        inclusion: None,
        result: Stripped::default(),
    };
    stripper.result.tables.line_starts.push(0);
    stripper.run();
    let mut result = stripper.result;
    result.text = String::from_utf8(stripper.out).expect("pieces of a str, cut beside ASCII");
    result
}

struct Stripper<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How much of the input is in the text or left out.
    copied: usize,
    out: Vec<u8>,
    name: &'a str,
    prefixes: &'a [&'a str],
    bodies: std::slice::Iter<'a, Option<String>>,
    /// How many headers deep the text is.
    depth: u32,
    /// Whether the main file has begun.
    started: bool,
    /// The inclusion that the text is of.
    inclusion: Option<u32>,
    result: Stripped,
}

impl Stripper<'_> {
    fn run(&mut self) {
        let mut line_start = true;
        while let Some(&byte) = self.bytes.get(self.at) {
            if line_start && self.hash_line() {
                continue;
            }
            line_start = byte == b'\n';
            match byte {
                b'\n' => {
                    self.at += 1;
                    let start = self.out_offset();
                    self.result.tables.line_starts.push(start);
                }
                b'"' | b'\'' => self.quoted(byte),
                b'0'..=b'9' => self.skip_word(true),
                b'<' | b'%' | b':' => self.maybe_digraph(byte),
                b'_' => self.name(),
                b'\\' => self.universal_name(),
                _ if lexer::is_identifier_byte(byte) => self.skip_word(false),
                _ => self.at += 1,
            }
        }
        self.flush();
    }

    /// The offset in the text of the place reached in the input.
    fn out_offset(&self) -> u32 {
        (self.out.len() + self.at - self.copied) as u32
    }

    fn flush(&mut self) {
        self.out
            .extend_from_slice(&self.bytes[self.copied..self.at]);
        self.copied = self.at;
    }

    fn skip_word(&mut self, number: bool) {
        let rest = &self.bytes[self.at..];
        let end = rest
            .iter()
            .position(|&b| !(lexer::is_identifier_byte(b) || (number && b == b'\'')));
        self.at += end.unwrap_or(rest.len());
    }

    /// Skips a literal; a quote without a partner on its line is one token.
    fn quoted(&mut self, quote: u8) {
        let mut end = self.at + 1;
        loop {
            match self.bytes.get(end) {
                None | Some(b'\n') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => end += 2,
                Some(&byte) if byte == quote => break,
                Some(_) => end += 1,
            }
        }
        self.at = end + 1;
    }

    fn maybe_digraph(&mut self, byte: u8) {
        let usual: &[u8] = match (byte, self.bytes.get(self.at + 1)) {
            (b'<', Some(b'%')) => b"{ ",
            (b'%', Some(b'>')) => b"} ",
            (b'<', Some(b':')) => b"[ ",
            (b':', Some(b'>')) => b"] ",
            _ => {
                self.at += 1;
                return;
            }
        };
        self.flush();
        self.out.extend_from_slice(usual);
        self.at += 2;
        self.copied = self.at;
    }

    /// `\U000000e9` becomes the character: GCC prints identifiers so.
    fn universal_name(&mut self) {
        let digits = match self.bytes.get(self.at + 1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let name = self.bytes.get(self.at + 2..self.at + 2 + digits);
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        let value = name.and_then(|name| u32::from_str_radix(name, 16).ok());
        let Some(character) = value.and_then(char::from_u32).filter(|c| !c.is_ascii()) else {
            self.at += 1;
            return;
        };
        self.flush();
        self.out
            .extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        self.at += 2 + digits;
        self.copied = self.at;
    }

    /// An identifier that begins with `_`: perhaps a mark.
    fn name(&mut self) {
        let start = self.at;
        self.skip_word(false);
        let bytes = self.bytes;
        let Ok(word) = std::str::from_utf8(&bytes[start..self.at]) else {
            return;
        };
        if !word.starts_with(lexer::RESERVED_PREFIX) {
            return;
        }
        if let Some(offset) = word.strip_prefix(MARKER).and_then(|n| n.parse().ok()) {
            self.drop_from(start);
            self.marker(offset, false);
        } else if let Some(index) = word.strip_prefix(PROBLEM).and_then(|n| n.parse().ok()) {
            self.drop_from(start);
            self.result.problems.push(LiveProblem::InCopy(index));
        } else if word == DIRECTIVE_END {
            self.end_directive();
        } else if let Some(mark) = word.strip_prefix(DIRECTIVE) {
            self.begin_directive(start, mark);
        }
    }

    /// Leaves out the word that begins at `start` and ends here.
    fn drop_from(&mut self, start: usize) {
        self.out.extend_from_slice(&self.bytes[self.copied..start]);
        self.copied = self.at;
    }

    fn marker(&mut self, offset: u32, edge: bool) {
        let at = self.out_offset();
        self.result.tables.markers.push(Marker { at, offset, edge });
    }

    /// `acc_12_40`: the prefix and the range in the main file.
    fn begin_directive(&mut self, start: usize, mark: &str) {
        let mut parts = mark.rsplitn(3, '_');
        let (Some(Ok(last)), Some(Ok(first)), Some(prefix)) = (
            parts.next().map(str::parse),
            parts.next().map(str::parse),
            parts.next(),
        ) else {
            return;
        };
        self.drop_from(start);
        self.marker(first, true);
        let begin = self.out_offset();
        self.out.extend_from_slice(DIRECTIVE.as_bytes());
        self.out.extend_from_slice(prefix.as_bytes());
        self.result.tables.directives.push(DirectiveMark {
            span: Span::new(begin, begin),
            source: Some(first..last),
            header: false,
        });
    }

    fn end_directive(&mut self) {
        let end = self.out_offset();
        let Some(directive) = self.result.tables.directives.last_mut() else {
            return;
        };
        directive.span.end = end;
        if let Some(range) = directive.source.clone() {
            self.marker(range.end, true);
        }
    }

    /// Takes a line that begins with `#` out; false if the line is none.
    fn hash_line(&mut self) -> bool {
        let hash = lexer::skip_blank(self.bytes, self.at);
        if self.bytes.get(hash) != Some(&b'#') {
            return false;
        }
        let length = self.bytes[hash..].iter().position(|&b| b == b'\n');
        let end = length.map_or(self.bytes.len(), |l| hash + l);
        let line = &self.bytes[hash..end];
        self.flush();
        self.at = end;
        self.copied = end;
        if let Some(mark) = line_mark(line) {
            // the newline is the mark's own
            self.at = (end + 1).min(self.bytes.len());
            self.copied = self.at;
            self.line(mark);
        } else if let Some(definition) = self.definition(line) {
            // Before all text, what is no line of the user's leaves none.
            let leaves_none = self.out.is_empty() && (definition.is_system || self.is_built_in());
            self.result.tables.definitions.push(definition);
            if leaves_none {
                self.at = (end + 1).min(self.bytes.len());
                self.copied = self.at;
            }
        } else if let Some((prefix, body)) = markers::own_pragma(line, self.prefixes) {
            self.pragma_line(prefix, hash + body..end);
        } else if lexer::directive_name(line) == b"pragma" {
            let text = String::from_utf8_lossy(line);
            let text = text.trim_start_matches('#').trim_start();
            let text = text.trim_start_matches("pragma").trim().to_string();
            let at = self.out_offset();
            self.result.tables.pragmas.push(ForeignPragma { at, text });
        }
        true
    }

    /// What the text is of, as the compiler names it.
    fn file(&self) -> Option<&str> {
        let mark = self.result.tables.lines.last()?;
        let name = self.result.tables.files.get(mark.file as usize)?;
        Some(name)
    }

    /// Whether the text is the compiler's own.
    fn is_compilers(&self) -> bool {
        self.file().is_none_or(|name| name == "<built-in>")
    }

    /// Whether the text is of no file: the compiler's own, or of its options.
    fn is_built_in(&self) -> bool {
        self.file().is_none_or(|name| name.starts_with('<'))
    }

    /// `#define …` or `#undef …`.
    fn definition(&self, line: &[u8]) -> Option<Definition> {
        let word = lexer::directive_name(line);
        let defines = word == b"define";
        if !defines && word != b"undef" {
            return None;
        }
        let start = lexer::after_hash(line) + word.len();
        let text = std::str::from_utf8(line.get(start..)?).ok()?;
        let inclusion = self
            .inclusion
            .and_then(|i| self.result.tables.inclusions.get(i as usize));
        Some(Definition {
            at: self.out_offset(),
            text: text.trim().to_string(),
            defines,
            is_system: self.is_compilers()
                || inclusion.is_some_and(|inclusion| inclusion.is_system),
        })
    }

    fn line(&mut self, mark: ParsedMark) {
        match mark.flag {
            Some(1) => self.depth += 1,
            Some(2) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        let name = decode_bytes(&mark.file).into_owned();
        self.started |= self.depth == 0 && name == self.name;
        let files = &mut self.result.tables.files;
        // the same few names come again and again, the latest first
        let file = files.iter().rposition(|f| *f == name).unwrap_or_else(|| {
            files.push(name);
            files.len() - 1
        });
        let at = self.out_offset();
        let main = self.started && self.depth == 0;
        self.follow(&mark, file as u32, at);
        let entry = LineMark {
            at,
            file: file as u32,
            line: mark.line,
            main,
            inclusion: self.inclusion,
        };
        match self.result.tables.lines.last_mut() {
            Some(last) if last.at == at => *last = entry,
            _ => self.result.tables.lines.push(entry),
        }
    }

    /// Keeps the inclusions that marks tell of.
    fn follow(&mut self, mark: &ParsedMark, file: u32, at: u32) {
        let inclusions = &mut self.result.tables.inclusions;
        match mark.flag {
            Some(1) => {
                let parent = self.inclusion;
                self.inclusion = Some(inclusions.len() as u32);
                inclusions.push(Inclusion {
                    at,
                    file,
                    parent,
                    in_main: match parent {
                        Some(parent) => inclusions[parent as usize].in_main,
                        None => self.started,
                    },
                    is_system: mark.is_system,
                    resumed: None,
                });
            }
            Some(2) => {
                let ended = self.inclusion.and_then(|i| inclusions.get_mut(i as usize));
                if let Some(ended) = ended {
                    ended.resumed = Some((file, mark.line));
                    self.inclusion = ended.parent;
                }
            }
            _ => {}
        }
    }

    /// A pragma line becomes a directive like those of the main file.
    fn pragma_line(&mut self, prefix: usize, body: Range<usize>) {
        let begin = self.out_offset();
        self.out.extend_from_slice(DIRECTIVE.as_bytes());
        self.out.extend_from_slice(self.prefixes[prefix].as_bytes());
        let lexed = lexer::lex_fragment(self.bytes, body);
        let bytes = self.bytes;
        let problem = lexed.problems.first().map(|p| p.kind);
        let unbalanced = markers::unbalanced(bytes, &lexed.tokens);
        let problem = problem.or(unbalanced.map(|(kind, _)| kind));
        let given = self.bodies.next().and_then(Option::as_deref);
        if let (Some(given), None) = (given, problem) {
            self.out.extend_from_slice(given.as_bytes());
        } else if problem.is_none() {
            for token in &lexed.tokens {
                self.out.push(b' ');
                self.out.extend_from_slice(token.text(bytes));
            }
        }
        self.out.push(b' ');
        self.out.extend_from_slice(DIRECTIVE_END.as_bytes());
        let span = Span::new(begin, self.out_offset());
        self.out.push(b' ');
        let problem = problem.map(|kind| LiveProblem::InDirective(kind, span));
        self.result.problems.extend(problem);
        let header = self.depth > 0;
        self.result.tables.directives.push(DirectiveMark {
            span,
            source: None,
            header,
        });
    }
}

/// `# 12 "file" 1 3`, parsed.
struct ParsedMark {
    line: u32,
    file: Vec<u8>,
    /// 1: a header begins; 2: back in the file that includes.
    flag: Option<u8>,
    /// 3: text of a header of the system.
    is_system: bool,
}

fn line_mark(line: &[u8]) -> Option<ParsedMark> {
    let mut at = lexer::skip_blank(line, 1);
    if line[at..].starts_with(b"line ") {
        at = lexer::skip_blank(line, at + 5);
    }
    let digits = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    let number = std::str::from_utf8(&line[at..at + digits])
        .ok()?
        .parse()
        .ok()?;
    at = lexer::skip_blank(line, at + digits);
    if line.get(at) != Some(&b'"') {
        return None;
    }
    let (file, rest) = unquote(&line[at + 1..]);
    let flags = String::from_utf8_lossy(rest);
    let flag = flags
        .split_ascii_whitespace()
        .next()
        .and_then(|f| f.parse().ok());
    Some(ParsedMark {
        line: number,
        file,
        flag: flag.filter(|f| *f < 3),
        is_system: flags.split_ascii_whitespace().any(|f| f == "3"),
    })
}

/// The text up to the closing quote, its escapes resolved, and the rest.
fn unquote(text: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => {
                let digits = text[at..].iter().take(3);
                let octal = digits.take_while(|b| (b'0'..=b'7').contains(b)).count();
                if octal > 0 {
                    let digits = text[at..at + octal].iter().map(|b| u32::from(b - b'0'));
                    out.push(digits.fold(0, |value, digit| value * 8 + digit) as u8);
                } else if let Some(&escaped) = text.get(at) {
                    out.push(escaped);
                }
                at += octal.max(1);
            }
            _ => out.push(byte),
        }
    }
    (out, text.get(at..).unwrap_or(&[]))
}

#[cfg(test)]
#[path = "strip_tests.rs"]
mod tests;
