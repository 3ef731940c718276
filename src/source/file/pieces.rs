//! Where the bytes of a text come from that is made of several files.
//!
//! An included file whose constructs are replaced stands in the main file's
//! text in place of its `#include` line (see [`super::included`]), what a macro
//! makes in place of its call (see [`super::macro_expanded`]). The pieces say of each
//! byte which file it was in.

use std::ops::Range;
use std::sync::Arc;

use super::SourceFile;

/// A stretch of the text that is of one file.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where it begins in the text; it ends where the next one begins.
    start: usize,
    /// Index into [`Pieces::files`].
    file: usize,
    /// Where it begins in its file.
    offset: usize,
    /// The bytes are the file's; else they stand for the directive or call there.
    verbatim: bool,
}

/// Where the text of an included file begins or ends.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The offset in the text; an end stands at the start of a line.
    pub at: usize,
    /// What the directive names, such as `"x.h"`.
    pub included: String,
    /// It begins here; else it ends.
    pub begins: bool,
    /// It is one of the system's, whose warnings compilers keep to themselves.
    pub is_system: bool,
}

/// The pieces of a text, in order.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    files: Vec<Arc<SourceFile>>,
    list: Vec<Piece>,
    joints: Vec<Joint>,
    end: usize,
}

impl Pieces {
    /// The file that an offset is of, and the offset in it.
    pub fn origin(&self, at: usize) -> Option<(&Arc<SourceFile>, usize)> {
        let piece = self.list[..self.list.partition_point(|p| p.start <= at)].last()?;
        let file = &self.files[piece.file];
        let within = if piece.verbatim { at - piece.start } else { 0 };
        Some((file, (piece.offset + within).min(file.bytes.len())))
    }

    /// Where in the text a line of a file is: several places where the file is
    /// included several times.
    pub fn line_ranges(&self, name: &str, line: u32) -> Vec<Range<usize>> {
        let ends = self.list.iter().skip(1).map(|p| p.start).chain([self.end]);
        let pieces = self.list.iter().zip(ends);
        let of_file = pieces.filter(|(p, _)| self.files[p.file].name() == name);
        let ranges = of_file.map(|(piece, end)| {
            let file = &self.files[piece.file];
            if !piece.verbatim {
                let is_here = file.line_column(piece.offset).0 == line;
                return piece.start..if is_here { end } else { piece.start };
            }
            let range = file.line_range(line);
            let here = |offset: usize| offset.max(piece.offset) - piece.offset + piece.start;
            here(range.start).min(end)..here(range.end).min(end)
        });
        let mut parts: Vec<Range<usize>> = Vec::new();
        for range in ranges.filter(|range| !range.is_empty()) {
            match parts.last_mut() {
                // A macro call that is expanded, and what stands beside it.
                Some(last) if last.end == range.start => last.end = range.end,
                _ => parts.push(range),
            }
        }
        parts
    }

    /// Where included files begin and end.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }
}

/// Puts a text together.
#[derive(Debug, Default)]
pub struct Builder {
    bytes: Vec<u8>,
    pieces: Pieces,
}

impl Builder {
    /// Adds bytes of a text, with what is known of where they come from, up to
    /// and with the joints at the end of the range.
    pub fn copy(&mut self, file: &Arc<SourceFile>, range: Range<usize>) {
        let Some(known) = &file.pieces else {
            self.piece(Arc::clone(file), range.start, true);
            self.bytes.extend_from_slice(&file.bytes[range]);
            return;
        };
        let first = known.list.partition_point(|p| p.start <= range.start);
        let mut starts = vec![range.start];
        let later = known.list[first..].iter().map(|p| p.start);
        starts.extend(later.take_while(|start| *start < range.end));
        let ends: Vec<usize> = starts[1..].iter().copied().chain([range.end]).collect();
        for (start, end) in starts.into_iter().zip(ends) {
            self.joints_of(known, start..end);
            let Some((origin, offset)) = known.origin(start) else {
                continue;
            };
            let at = known.list.partition_point(|p| p.start <= start) - 1;
            self.piece(Arc::clone(origin), offset, known.list[at].verbatim);
            self.bytes.extend_from_slice(&file.bytes[start..end]);
        }
        self.joints_of(known, range.end..range.end + 1);
    }

    /// Joints between pieces are carried over; they stand where pieces begin.
    fn joints_of(&mut self, known: &Pieces, range: Range<usize>) {
        for joint in known.joints.iter().filter(|j| range.contains(&j.at)) {
            let at = self.bytes.len() + joint.at - range.start;
            self.pieces.joints.push(Joint {
                at,
                ..joint.clone()
            });
        }
    }

    /// Adds text that stands for the directive or call at `offset` of a file.
    pub fn text(&mut self, file: &Arc<SourceFile>, offset: usize, text: &[u8]) {
        let (origin, offset) = match &file.pieces {
            Some(known) => match known.origin(offset) {
                Some((origin, offset)) => (Arc::clone(origin), offset),
                None => return,
            },
            None => (Arc::clone(file), offset),
        };
        self.piece(origin, offset, false);
        self.bytes.extend_from_slice(text);
    }

    /// Begins or ends the text of an included file.
    pub fn joint(&mut self, included: &str, begins: bool, is_system: bool) {
        self.pieces.joints.push(Joint {
            at: self.bytes.len(),
            included: included.to_string(),
            begins,
            is_system,
        });
    }

    fn piece(&mut self, origin: Arc<SourceFile>, offset: usize, verbatim: bool) {
        let files = &mut self.pieces.files;
        let known = files.iter().position(|f| Arc::ptr_eq(f, &origin));
        let file = known.unwrap_or_else(|| {
            files.push(origin);
            files.len() - 1
        });
        let start = self.bytes.len();
        // nothing was added behind the last one
        self.pieces.list.retain(|p| p.start < start);
        self.pieces.list.push(Piece {
            start,
            file,
            offset,
            verbatim,
        });
    }

    /// The text, by the name of the main file.
    pub fn finish(mut self, main: &SourceFile) -> SourceFile {
        self.pieces.end = self.bytes.len();
        let mut file = SourceFile::new(&main.path, self.bytes);
        file.pieces = Some(self.pieces);
        file
    }
}
