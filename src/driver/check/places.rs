//! From addresses in a program to lines of the user's files.
//!
//! Input: the program, built with debugging information whose lines are the
//! user's, and the sites of findings. Output: [`Places`]. `addr2line` reads
//! the information; without it findings name their kernel only.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Run;
use crate::diagnostic::Place;
use crate::driver::build;
use crate::driver::program::Program;
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
    /// Directives, by what the runtime calls their file, and their line.
    directives: HashMap<(String, usize), FileLine>,
    /// Files one behind the other; a [`Place::Source`] counts bytes from the
    /// start of the first.
    files: Vec<(usize, Arc<SourceFile>)>,
    end: usize,
    /// Whether `addr2line` was there.
    pub(super) resolved: bool,
    /// Whether a file of the program is CUDA that a person wrote.
    has_cuda: bool,
}

impl Places {
    /// The line of a site.
    pub(super) fn of_site(&self, site: u64) -> Option<FileLine> {
        self.sites.get(&site).copied()
    }

    /// The line of an access: of its site, else of the directive that makes it.
    pub(super) fn of_access(&self, site: u64, file: &str, line: usize) -> Option<FileLine> {
        let directive = || self.directives.get(&(file.to_owned(), line)).copied();
        self.of_site(site).or_else(directive)
    }

    /// The lines of sites in one of a program's executable files; none without `addr2line`.
    pub(super) fn lines(
        &mut self,
        program: &Program,
        path: &Path,
        sites: &BTreeSet<u64>,
    ) -> HashMap<u64, FileLine> {
        let mut lines = HashMap::new();
        if sites.is_empty() {
            return lines;
        }
        let Some(own_frames) = program.own_frames(path, sites) else {
            self.resolved = false;
            return lines;
        };
        for (site, frames) in own_frames {
            let mut frames = frames.into_iter();
            let own = frames.find_map(|(path, line)| Some((self.file(&path)?, line - 1)));
            if let Some((file, line)) = own {
                lines.insert(site, FileLine { file, line });
            }
        }
        lines
    }

    /// A line as diagnostics take it: without its indentation.
    pub(super) fn place(&self, place: FileLine) -> Option<Place> {
        let (base, file) = self.files.get(place.file)?;
        let line = file.trimmed_line(place.line);
        Some(Place::Source(base + line.start..base + line.end))
    }

    /// The name of a line's file and its number.
    pub(super) fn name(&self, place: FileLine) -> Option<String> {
        let (_, file) = self.files.get(place.file)?;
        Some(format!("{}:{}", file.name(), place.line + 1))
    }

    /// Whether a line is CUDA that a person wrote; one of a header, or none that is known, is if a
    /// file of the program is.
    pub(super) fn is_cuda(&self, place: Option<FileLine>) -> bool {
        let file = place.and_then(|place| self.files.get(place.file));
        let is_c = file.is_some_and(|(_, file)| file.name().ends_with(".c"));
        self.has_cuda && !is_c
    }

    /// The line of a directive that no finding has named.
    pub(super) fn of_directive(
        &mut self,
        file: &str,
        line: usize,
        sources: &[PathBuf],
    ) -> Option<FileLine> {
        self.add_directive(file, line, sources);
        self.directives.get(&(file.to_owned(), line)).copied()
    }

    /// Generated programs name files as they are called beside the source that has them.
    fn add_directive(&mut self, file: &str, line: usize, sources: &[PathBuf]) {
        if file.is_empty() || line == 0 {
            return;
        }
        let own = sources.iter().find(|source| source.ends_with(file));
        let beside = sources.iter().filter_map(|source| source.parent());
        let mut beside = beside.map(|folder| folder.join(file));
        let path = own.cloned().or_else(|| beside.find(|path| path.is_file()));
        if let Some(index) = self.file(path.as_deref().unwrap_or(Path::new(file))) {
            let place = FileLine {
                file: index,
                line: line - 1,
            };
            self.directives.insert((file.to_owned(), line), place);
        }
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
pub(super) fn resolve(watched: &Program, sources: &[PathBuf], runs: &[Run]) -> Places {
    let findings = runs.iter().flat_map(|run| &run.record.findings);
    let sites: BTreeSet<u64> = findings
        .flat_map(|(finding, _)| [finding.site, finding.other_site])
        .filter(|site| *site != 0)
        .collect();
    let mut places = Places {
        has_cuda: sources.iter().any(|source| build::is_cuda(source)),
        ..Places::default()
    };
    for run in runs {
        for (finding, _) in &run.record.findings {
            places.add_directive(&finding.file, finding.line, sources);
            places.add_directive(&finding.other_file, finding.other_line, sources);
        }
    }
    if sites.is_empty() {
        places.resolved = true;
        return places;
    }
    places.resolved = true;
    places.sites = places.lines(watched, &watched.path, &sites);
    places
}
