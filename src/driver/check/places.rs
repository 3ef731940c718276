//! From addresses in a program to lines of the user's files.
//!
//! Input: the program, built with debugging information whose lines are the
//! user's, and the sites of findings. Output: [`Places`]. `addr2line` reads
//! the information; without it findings name their kernel only.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use super::Run;
use crate::diagnostic::Place;
use crate::driver::process;
use crate::driver::render::{Locate, Location, SourceFile};

/// A line of a file; the file is an index into [`Places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileLine {
    file: usize,
    line: usize,
}

/// The lines of all sites.
#[derive(Debug, Default)]
pub(super) struct Places {
    sites: HashMap<u64, FileLine>,
    /// Files one behind the other; a [`Place::Source`] counts bytes from the
    /// start of the first.
    files: Vec<(usize, Arc<SourceFile>)>,
    end: usize,
    /// Whether `addr2line` was there.
    pub(super) resolved: bool,
}

impl Places {
    /// The line of a site.
    pub(super) fn of_site(&self, site: u64) -> Option<FileLine> {
        self.sites.get(&site).copied()
    }

    /// A line as diagnostics take it: without its indentation.
    pub(super) fn place(&self, place: FileLine) -> Option<Place> {
        let (base, file) = self.files.get(place.file)?;
        let bytes = file.line_bytes(place.line);
        let indentation = bytes.iter().take_while(|byte| byte.is_ascii_whitespace());
        let start = file.line_start(place.line) + indentation.count();
        let text = bytes.trim_ascii();
        Some(Place::Source(base + start..base + start + text.len()))
    }

    /// The name of a line's file and its number.
    pub(super) fn name(&self, place: FileLine) -> Option<String> {
        let (_, file) = self.files.get(place.file)?;
        Some(format!("{}:{}", file.name(), place.line + 1))
    }

    /// The index of a file, read at its first use; none if it is not there.
    fn file(&mut self, path: &Path) -> Option<usize> {
        let name = shown_name(path);
        if let Some(known) = self.files.iter().position(|(_, file)| file.name() == name) {
            return Some(known);
        }
        let bytes = std::fs::read(path).ok()?;
        let base = self.end;
        self.end += bytes.len() + 1;
        self.files
            .push((base, Arc::new(SourceFile::new(name, bytes))));
        Some(self.files.len() - 1)
    }
}

impl Locate for Places {
    fn locate(&self, place: &Place) -> Option<Location> {
        let Place::Source(range) = place else {
            return None;
        };
        let (base, file) = self
            .files
            .iter()
            .rev()
            .find(|(base, _)| *base <= range.start)?;
        Some(Location {
            file: Arc::clone(file),
            range: range.start - base..range.end - base,
        })
    }
}

/// A path relative to the current folder, where it is below that.
fn shown_name(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let path = path.strip_prefix(&here).unwrap_or(path);
    path.to_string_lossy().into_owned()
}

/// Finds the lines of all findings.
pub(super) fn resolve(program: &Path, runtime: &Path, runs: &[Run]) -> Places {
    let findings = runs.iter().flat_map(|run| &run.record.findings);
    let sites: BTreeSet<u64> = findings
        .flat_map(|(finding, _)| [finding.site, finding.other_site])
        .filter(|site| *site != 0)
        .collect();
    let mut places = Places::default();
    if sites.is_empty() {
        places.resolved = true;
        return places;
    }
    let Some(frames) = frames(program, &sites) else {
        return places;
    };
    places.resolved = true;
    for (site, frames) in frames {
        // The innermost one that is the user's.
        let own = frames.iter().filter(|(path, _)| !path.starts_with(runtime));
        for (path, line) in own {
            if let Some(file) = places.file(path) {
                places.sites.insert(
                    site,
                    FileLine {
                        file,
                        line: line - 1,
                    },
                );
                break;
            }
        }
    }
    places
}

/// A file and a line in it, from 1.
type Frame = (PathBuf, usize);

/// The inlined calls at each site, innermost first.
fn frames(program: &Path, sites: &BTreeSet<u64>) -> Option<Vec<(u64, Vec<Frame>)>> {
    let mut command = Command::new("addr2line");
    command.arg("-i").arg("-a").arg("-e").arg(program);
    // A site is where a call returns to: the call ends one byte before.
    command.args(sites.iter().map(|site| format!("{:#x}", site - 1)));
    let output = process::capture(&mut command, b"", None).ok()?;
    output
        .status
        .success()
        .then(|| parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads what `addr2line -i -a` prints: an address, then `FILE:LINE` for each
/// frame.
fn parse(text: &str) -> Vec<(u64, Vec<Frame>)> {
    let mut sites: Vec<(u64, Vec<Frame>)> = Vec::new();
    for line in text.lines() {
        if let Some(address) = line.strip_prefix("0x") {
            let address = u64::from_str_radix(address, 16).unwrap_or(0);
            sites.push((address + 1, Vec::new()));
        } else if let (Some((_, frames)), Some(frame)) = (sites.last_mut(), parse_frame(line)) {
            frames.push(frame);
        }
    }
    sites
}

/// `FILE:LINE` or `FILE:LINE (discriminator 3)`; none if the line is `?` or 0.
fn parse_frame(text: &str) -> Option<Frame> {
    let text = text.split_once(" (").map_or(text, |(frame, _)| frame);
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some((PathBuf::from(file), line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let text = "0x0000000000001fff\n/x/reduce.hpp:3\na b.c:12 (discriminator 3)\n\
                    0x0000000000002fff\n??:0\n??:?\n";
        let expected = vec![
            (
                0x2000,
                vec![("/x/reduce.hpp".into(), 3), ("a b.c".into(), 12)],
            ),
            (0x3000, vec![]),
        ];
        assert_eq!(parse(text), expected);
    }
}
