//! A file as rows of two columns.
//!
//! Input: a translation with what is shown of it. Output: the rows of the source and of the
//! kernel file; both know the line of the source that they are of, and where the first row of
//! the other side stands.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::measured::{LineCounts, Profile, counted};
use super::windows::Picture;
use crate::driver::counts::KernelCounts;
use crate::driver::pipeline::Translation;
use crate::driver::program::short_name;
use crate::driver::render::Told;
use crate::driver::shown::Shown;

/// What was measured.
#[derive(Clone, Copy)]
pub(super) struct Figures<'a> {
    pub(super) kernels: Option<&'a [KernelCounts]>,
    pub(super) profile: Option<&'a Profile>,
}

#[derive(Serialize)]
pub(super) struct UnitPage {
    id: String,
    name: String,
    generated: String,
    source: Vec<Row>,
    kernels: Vec<Row>,
    windows: Vec<Picture>,
    /// What has no line in this file.
    elsewhere: Vec<Note>,
    /// Launches and blocks of its kernels, where they were counted.
    launches: Vec<String>,
}

/// A line.
#[derive(Serialize)]
struct Row {
    id: String,
    number: usize,
    text: String,
    /// A directive, a comment, or other code.
    class: &'static str,
    /// The line of the source; 0 for none.
    at: u32,
    /// The first row of the other side; empty for none.
    to: String,
    notes: Vec<Note>,
    counts: Vec<String>,
    times: Vec<String>,
    /// Whether it has any of these.
    is_annotated: bool,
    /// Percent of the file's transactions.
    share: u64,
    /// Windows that the line asks for: their pictures.
    windows: Vec<Link>,
}

#[derive(Serialize)]
struct Link {
    id: String,
    text: String,
}

/// A diagnostic.
#[derive(Serialize)]
struct Note {
    level: &'static str,
    message: Vec<Words>,
    reasons: Vec<Vec<Words>>,
}

/// A part of a sentence.
#[derive(Serialize)]
struct Words {
    is_code: bool,
    text: String,
}

/// A sentence, whose code stands between grave accents.
fn words(sentence: &str) -> Vec<Words> {
    let parts = sentence.split('`').enumerate();
    let parts = parts.map(|(place, text)| Words {
        is_code: place % 2 == 1,
        text: text.to_owned(),
    });
    parts.filter(|part| !part.text.is_empty()).collect()
}

impl Note {
    fn new(told: &Told) -> Self {
        Self {
            level: told.level,
            message: words(&told.message),
            reasons: told.reasons.iter().map(|reason| words(reason)).collect(),
        }
    }
}

/// The last part of a path.
pub(super) fn name_of(file: &Path) -> String {
    file.file_name()
        .unwrap_or(file.as_os_str())
        .to_string_lossy()
        .into_owned()
}

impl UnitPage {
    /// The file of a number, from 1.
    pub(super) fn new(
        number: usize,
        file: &Path,
        translation: &Translation,
        figures: Figures,
    ) -> Self {
        let none = Shown::default();
        let shown = translation.shown.as_deref().unwrap_or(&none);
        let id = format!("f{number}");
        let own_path = file.to_string_lossy();
        let is_here = |told: &&Told| {
            told.place
                .as_ref()
                .is_some_and(|(path, _)| *path == own_path)
        };
        let (here, elsewhere): (Vec<&Told>, Vec<&Told>) = shown.told.iter().partition(is_here);
        let windows: Vec<Picture> = (shown.windows.iter().enumerate())
            .map(|(index, window)| Picture::new(&format!("{id}-w{}", index + 1), &id, window))
            .collect();
        let side = Side {
            id: &id,
            name: &name_of(file),
            shown,
            told: &here,
            counts: figures.kernels.map(|kernels| LineCounts::of(kernels, file)),
            profile: figures.profile,
        };
        let own = &translation.own_kernels;
        let is_own = |kernel: &&KernelCounts| {
            let name = short_name(&kernel.name);
            own.iter().any(|own| own.name == name)
        };
        let counted_kernels = figures.kernels.into_iter().flatten().filter(is_own);
        Self {
            source: side.source(),
            kernels: side.kernels(&translation.kernels),
            launches: counted_kernels.map(launches).collect(),
            windows,
            elsewhere: elsewhere.into_iter().map(Note::new).collect(),
            generated: generated_name(file),
            name: file.display().to_string(),
            id,
        }
    }
}

fn generated_name(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or(file.as_os_str());
    format!("{}.acc.cu", stem.to_string_lossy())
}

fn launches(kernel: &KernelCounts) -> String {
    format!(
        "{}: {}, {}, {}, {}",
        short_name(&kernel.name),
        counted(kernel.launches, "launch", "launches"),
        counted(kernel.blocks, "block", "blocks"),
        counted(kernel.threads, "thread", "threads"),
        counted(kernel.barriers, "barrier", "barriers"),
    )
}

/// What both columns of a file are made of.
struct Side<'a> {
    id: &'a str,
    name: &'a str,
    shown: &'a Shown,
    /// What was said of this file.
    told: &'a [&'a Told],
    counts: Option<LineCounts<'a>>,
    profile: Option<&'a Profile>,
}

impl Side<'_> {
    fn source(&self) -> Vec<Row> {
        let mut first = BTreeMap::new();
        for (index, &origin) in self.shown.origins.iter().enumerate() {
            first.entry(origin).or_insert(index + 1);
        }
        let text = String::from_utf8_lossy(&self.shown.source);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut rows = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let at = u32::try_from(number).unwrap_or(0);
            let to = first.get(&at).filter(|_| at > 0);
            rows.push(
                self.annotated(Row {
                    id: format!("{}-s{number}", self.id),
                    at: if to.is_some() { at } else { 0 },
                    to: to
                        .map(|row| format!("{}-k{row}", self.id))
                        .unwrap_or_default(),
                    ..row(number, line)
                }),
            );
        }
        rows
    }

    /// A row with what was said and measured of its line.
    fn annotated(&self, row: Row) -> Row {
        let line = u32::try_from(row.number).unwrap_or(0);
        let own = self.told.iter();
        let is_of_line =
            |told: &&&Told| told.place.as_ref().is_some_and(|(_, at)| *at == row.number);
        let notes: Vec<Note> = own.filter(is_of_line).map(|told| Note::new(told)).collect();
        let counts = self.counts.as_ref();
        let share = counts.map_or(0, |counts| counts.share(row.number));
        let counts = counts
            .map(|counts| counts.at(row.number))
            .unwrap_or_default();
        let times = self
            .profile
            .map(|profile| profile.at(self.name, line))
            .unwrap_or_default();
        let windows = self.shown.windows.iter().enumerate();
        let windows: Vec<Link> = windows
            .filter(|(_, window)| window.line == line)
            .map(|(index, window)| Link {
                id: format!("{}-w{}", self.id, index + 1),
                text: format!("window of {}", window.array),
            })
            .collect();
        let is_bare = [notes.len(), counts.len(), times.len(), windows.len()] == [0; 4];
        Row {
            is_annotated: !is_bare,
            notes,
            counts,
            times,
            share,
            windows,
            ..row
        }
    }

    fn kernels(&self, text: &str) -> Vec<Row> {
        let origins = self
            .shown
            .origins
            .iter()
            .copied()
            .chain(std::iter::repeat(0));
        let rows = (1..).zip(text.lines()).zip(origins);
        rows.map(|((number, line), at)| Row {
            id: format!("{}-k{number}", self.id),
            at,
            to: match at {
                0 => String::new(),
                at => format!("{}-s{at}", self.id),
            },
            ..row(number, line)
        })
        .collect()
    }
}

/// A line alone.
fn row(number: usize, line: &str) -> Row {
    let trimmed = line.trim_start();
    let class = match trimmed {
        _ if trimmed.starts_with("#pragma") => "directive",
        _ if trimmed.starts_with("//") || trimmed.starts_with("/*") => "comment",
        _ => "code",
    };
    // What no page may have.
    let shown = |c: char| match c {
        '\t' => c,
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    Row {
        id: String::new(),
        number,
        text: line.chars().map(shown).collect(),
        class,
        at: 0,
        to: String::new(),
        notes: Vec::new(),
        counts: Vec::new(),
        times: Vec::new(),
        is_annotated: false,
        share: 0,
        windows: Vec::new(),
    }
}
