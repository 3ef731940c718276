//! A source file as it is on disk.

pub(super) mod pieces;

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::lexer::{self, Token, TokenKind};
use crate::diagnostic::{Diagnostic, codes};
use pieces::{Joint, Pieces};

/// The largest file that is taken: offsets of its marked and preprocessed
/// forms have to fit in 32 bits.
const MAXIMUM: u64 = 256 << 20;

/// A `#line` directive.
#[derive(Clone, Debug)]
struct Renumbered {
    /// The line that it ends on.
    line: u32,
    /// The number of the next one.
    number: u32,
    /// The file's name from then on.
    name: Option<String>,
}

/// The bytes of a file and where its lines begin.
#[derive(Clone, Debug, Default)]
pub struct SourceFile {
    /// As the user wrote it.
    pub path: PathBuf,
    /// Unchanged bytes, in any encoding; with the bytes of included files where
    /// these are read in place.
    pub bytes: Vec<u8>,
    line_starts: Vec<u32>,
    /// What its `#line` directives say, once that has been asked.
    renumbered: OnceLock<Vec<Renumbered>>,
    /// Where the bytes come from, if not all from this file.
    pub(super) pieces: Option<Pieces>,
}

impl SourceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read or is larger than 256 MiB.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let fail = |why: String| {
            let message = format!("cannot read `{}`: {why}", path.display());
            Diagnostic::global(codes::UNREADABLE, message)
        };
        let fail_to_read =
            |why: std::io::Error| fail(why.to_string()).help("check the name and the permissions");
        // Generated code, makefiles and messages name the file.
        match path.to_str() {
            None => return Err(fail("its name is not UTF-8".into()).help("rename it")),
            Some(name) if name.contains(['\n', '\r']) => {
                return Err(fail("its name has a line break".into()).help("rename it"));
            }
            Some(_) => {}
        }
        let metadata = std::fs::metadata(path).map_err(fail_to_read)?;
        let size = metadata.len();
        if size > MAXIMUM {
            let why = format!("{size} bytes are more than the limit of {MAXIMUM}");
            return Err(fail(why).help("take it apart"));
        }
        let bytes = std::fs::read(path).map_err(fail_to_read)?;
        if bytes.len() as u64 > MAXIMUM {
            let why = format!("it is larger than the limit of {MAXIMUM} bytes");
            return Err(fail(why).help("take it apart"));
        }
        Ok(Self::new(path, bytes))
    }

    /// A file of these bytes (at most 256 MiB).
    pub fn new(path: &Path, bytes: Vec<u8>) -> Self {
        let newlines = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
        let line_starts = std::iter::once(0)
            .chain(newlines.map(|(i, _)| i as u32 + 1))
            .collect();
        Self {
            path: path.to_path_buf(),
            bytes,
            line_starts,
            renumbered: OnceLock::new(),
            pieces: None,
        }
    }

    /// The name that compilers show.
    pub fn name(&self) -> Cow<'_, str> {
        super::decode_bytes(self.path.as_os_str().as_encoded_bytes())
    }

    /// The file that a byte comes from, and its offset there.
    pub fn origin(&self, offset: usize) -> (&SourceFile, usize) {
        match self.pieces.as_ref().and_then(|p| p.origin(offset)) {
            Some((file, offset)) => (file, offset),
            None => (self, offset),
        }
    }

    /// The files that a range comes from: the first byte's, with as much of
    /// the range as is of it.
    pub fn origin_range(&self, range: Range<usize>) -> (&SourceFile, Range<usize>) {
        let (file, start) = self.origin(range.start);
        let (other, last) = self.origin(range.end.max(range.start + 1) - 1);
        let end = match std::ptr::eq(file, other) {
            true if range.is_empty() => start,
            true => last + 1,
            false => file.bytes.len(),
        };
        (file, start..end.max(start))
    }

    /// Where the texts of included files begin and end.
    pub fn joints(&self) -> &[Joint] {
        self.pieces.as_ref().map_or(&[], Pieces::joints)
    }

    /// Where a 1-based line of a file by its name is in these bytes.
    pub fn line_ranges(&self, name: &str, line: u32) -> Vec<Range<usize>> {
        match &self.pieces {
            Some(pieces) => pieces.line_ranges(name, line),
            None => vec![self.line_range(line)],
        }
    }

    /// The 1-based line and column of a byte in the file that it comes from;
    /// columns count characters.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
        if self.pieces.is_some() {
            let (file, offset) = self.origin(offset);
            return file.line_column(offset);
        }
        let offset = offset.min(self.bytes.len());
        let line = self
            .line_starts
            .partition_point(|&start| start as usize <= offset);
        let start = self.line_starts[line - 1] as usize;
        let before = &self.bytes[start..offset];
        // a continuation byte belongs to the character before it
        let column = before.iter().filter(|b| **b & 0xc0 != 0x80).count();
        (line as u32, column as u32 + 1)
    }

    /// The line and the file that compilers take a byte of this file to be of, by its `#line`
    /// directives.
    pub fn presumed_line(&self, offset: usize) -> (u32, Cow<'_, str>) {
        let line = self.line_column(offset).0;
        let list = self.renumbered.get_or_init(|| self.renumberings());
        let before = list.partition_point(|one| one.line < line);
        let last = before.checked_sub(1).and_then(|at| list.get(at));
        let named = list[..before]
            .iter()
            .rev()
            .find_map(|one| one.name.as_deref());
        (
            last.map_or(line, |one| one.number + (line - one.line - 1)),
            named.map_or_else(|| self.path.to_string_lossy(), Cow::Borrowed),
        )
    }

    fn renumberings(&self) -> Vec<Renumbered> {
        // Of nearly all files there is nothing to read.
        if !self.bytes.windows(4).any(|word| word == b"line") {
            return Vec::new();
        }
        let of = |token: &Token| {
            let text = token.text(&self.bytes);
            let rest = text.get(lexer::after_hash(text)..)?.strip_prefix(b"line")?;
            let rest = std::str::from_utf8(rest).ok()?.trim();
            let digits = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            let (number, name) = rest.split_at(digits);
            Some(Renumbered {
                line: self.line_column(token.end as usize).0,
                number: number.parse().ok()?,
                name: name.split('"').nth(1).map(str::to_owned),
            })
        };
        let tokens = lexer::lex(&self.bytes).tokens;
        let directives = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Directive);
        directives.filter_map(of).collect()
    }

    /// The bytes of a 1-based line, its newline included; empty past the end.
    pub(super) fn line_range(&self, line: u32) -> Range<usize> {
        let at = |line: u32| self.line_starts.get(line as usize).map(|&o| o as usize);
        let end = at(line).unwrap_or(self.bytes.len());
        line.checked_sub(1).and_then(at).unwrap_or(end)..end
    }
}
