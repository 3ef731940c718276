//! A source file as it is on disk.

use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, codes};

/// The largest file that is taken: offsets of its marked and preprocessed
/// forms have to fit in 32 bits.
const MAXIMUM: u64 = 256 << 20;

/// The bytes of a file and where its lines begin.
#[derive(Debug, Default)]
pub struct SourceFile {
    /// As the user wrote it.
    pub path: PathBuf,
    /// Unchanged bytes, in any encoding.
    pub bytes: Vec<u8>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read or is larger than 256 MiB.
    pub fn read(path: &Path) -> Result<Self, Diagnostic> {
        let fail = |why: String| {
            Diagnostic::global(
                codes::UNREADABLE,
                format!("cannot read `{}`: {why}", path.display()),
            )
            .help("check the name and the permissions")
        };
        let size = std::fs::metadata(path)
            .map_err(|e| fail(e.to_string()))?
            .len();
        if size > MAXIMUM {
            return Err(fail(format!(
                "{size} bytes are more than the limit of {MAXIMUM}"
            )));
        }
        let bytes = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
        if bytes.len() as u64 > MAXIMUM {
            return Err(fail(format!(
                "it is larger than the limit of {MAXIMUM} bytes"
            )));
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
        }
    }

    /// The 1-based line and column of a byte; columns count characters.
    pub fn line_column(&self, offset: usize) -> (u32, u32) {
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

    /// The bytes of a 1-based line, its newline included; empty past the end.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let at = |line: u32| self.line_starts.get(line as usize).map(|&o| o as usize);
        let end = at(line).unwrap_or(self.bytes.len());
        line.checked_sub(1).and_then(at).unwrap_or(end)..end
    }
}
