//! Diagnostics as text: like rustc's, one line each, or JSON.
//!
//! Input: the diagnostics of a file and something that knows where places
//! are. Output: text for standard error, sorted by place, duplicates dropped.

mod excerpt;
mod human;
mod json;
mod sarif;
mod summary;
mod times;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

pub use excerpt::{Location, SourceFile};

use crate::diagnostic::{Code, Diagnostic, Place, REPLACEMENT, Severity, codes};
use crate::stopwatch::Stopwatch;

/// Knows where a diagnostic's places are in files.
pub trait Locate {
    /// The file and bytes that a place stands for, if it has any.
    fn locate(&self, place: &Place) -> Option<Location>;

    /// Whether those bytes are the place's text and nothing else.
    fn is_exact(&self, _: &Place) -> bool {
        true
    }

    /// What made the text there, in words: macros, and files that include its own.
    fn backtrace(&self, _: &Place) -> Vec<String> {
        Vec::new()
    }
}

/// For diagnostics that have no place.
#[derive(Clone, Copy, Debug)]
pub struct Nowhere;

impl Locate for Nowhere {
    fn locate(&self, _: &Place) -> Option<Location> {
        None
    }
}

/// `--message-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum MessageFormat {
    /// With the source line, underlines, notes and help.
    #[default]
    Human,
    /// `file:line:column: error[CODE]: message`, the way out as a note in a line behind it.
    Short,
    /// `file:line:column: error: message [CODE]` and notes, as gcc, whose lines editors read.
    Gcc,
    /// One JSON object a line, fields as in rustc's.
    Json,
    /// A log of SARIF 2.1.0, written when the command ends.
    Sarif,
}

/// `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Color {
    /// If standard error is a terminal and `NO_COLOR` is not set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A label with its place in a file.
struct Located<'a> {
    location: Location,
    text: &'a str,
}

/// A diagnostic with its labels located; the first is the primary one.
struct Item<'a> {
    diagnostic: Cow<'a, Diagnostic>,
    labels: Vec<Located<'a>>,
}

impl Item<'_> {
    /// Name, line and column (from 1) of the primary place.
    fn position(&self) -> Option<(&str, usize, usize)> {
        let Location { file, range } = &self.labels.first()?.location;
        Some((
            file.name(),
            file.line(range.start) + 1,
            file.column(range.start) + 1,
        ))
    }

    /// The place of its replacement.
    fn replaced(&self) -> Option<&Located<'_>> {
        let all_are_located = self.labels.len() == self.diagnostic.labels.len();
        let label = self.labels.get(self.diagnostic.replaced());
        label.filter(|_| all_are_located)
    }

    /// A text of its data.
    fn text(&self, key: &str) -> Option<&str> {
        self.diagnostic.data.get(key)?.as_str()
    }

    fn is_error(&self) -> bool {
        self.diagnostic.severity == Severity::Error
    }

    fn is_note(&self) -> bool {
        self.diagnostic.severity == Severity::Note
    }

    /// Whether it says the same of the same places: several loops may repeat one copy.
    fn is_told_as(&self, other: &Item) -> bool {
        let (own, others) = (&self.diagnostic, &other.diagnostic);
        let places = |item: &Item| -> Vec<_> {
            let labels = item.labels.iter();
            labels.map(|one| one.location.range.clone()).collect()
        };
        own.notes == others.notes && own.help == others.help && places(self) == places(other)
    }

    /// What diagnostics are sorted by: those without a place come first.
    fn order(&self) -> Option<(&str, usize, usize)> {
        let Location { file, range } = &self.labels.first()?.location;
        Some((file.name(), range.start, range.end))
    }
}

/// Shows diagnostics in the form that the user chose.
#[derive(Clone, Copy, Debug)]
pub struct Reporter {
    format: MessageFormat,
    color: bool,
    is_silent: bool,
    /// `-w`: errors alone.
    hides_warnings: bool,
    /// Of notes, those that tell what became of loops and data; warnings, too, have a line each.
    brief: Option<Brief>,
    /// `--message-format human` holds for these, too.
    is_chosen: bool,
    /// The file for notes.
    notes: Option<&'static Path>,
}

/// Which notes short feedback has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brief {
    /// What became of loops and data.
    Told,
    /// Of loops, those that are parallel.
    Parallel,
    /// Of loops, those that are not parallel.
    NotParallel,
}

/// The notes that are told where feedback is brief.
const BRIEF: [Code; 4] = [
    codes::LOOP_MAPPING,
    codes::DATA_MOVEMENT,
    codes::IMPLIED_REDUCTION,
    codes::IMPLIED_SECTION,
];

impl Reporter {
    /// A reporter for standard error.
    pub fn new(format: MessageFormat, color: Color) -> Self {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && io::stderr().is_terminal()
            }
        };
        Self {
            format,
            color,
            is_silent: false,
            hides_warnings: false,
            brief: None,
            is_chosen: false,
            notes: None,
        }
    }

    /// A reporter that says nothing: what it would say is said elsewhere. It renders all the
    /// same, so that a test of many inputs reaches that, too.
    pub const fn silent() -> Self {
        Self {
            format: MessageFormat::Human,
            color: false,
            is_silent: true,
            hides_warnings: false,
            brief: None,
            is_chosen: false,
            notes: None,
        }
    }

    /// The same, without warnings where these are not wanted.
    #[must_use]
    pub const fn hide_warnings(self, hides_warnings: bool) -> Self {
        Self {
            hides_warnings,
            ..self
        }
    }

    /// The same with short feedback; in one line each, unless the format was chosen.
    #[must_use]
    pub const fn brief(self, brief: Option<Brief>, is_chosen: bool) -> Self {
        Self {
            brief,
            is_chosen,
            ..self
        }
    }

    /// The same with notes in a file, for as long as the process runs.
    #[must_use]
    pub fn notes_to(self, file: Option<&Path>) -> Self {
        let notes = file.map(|file| &*Box::leak(Box::<Path>::from(file)));
        Self { notes, ..self }
    }

    /// Writes what can only be written when all is known.
    pub fn finish(&self) {
        if self.format == MessageFormat::Sarif && !self.is_silent {
            // A closed standard error leaves no one to tell.
            let _ = io::stderr().write_all(sarif::log().as_bytes());
        }
    }

    /// Writes diagnostics to standard error.
    pub fn emit<'a>(
        &self,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
        sources: &dyn Locate,
    ) {
        let shown = diagnostics
            .into_iter()
            .filter(|diagnostic| !self.hides_warnings || diagnostic.severity != Severity::Warning);
        let (notes, shown): (Vec<_>, Vec<_>) = shown
            .partition(|diagnostic| self.notes.is_some() && diagnostic.severity == Severity::Note);
        if let Some(file) = self.notes {
            let text = self.render(notes, sources);
            let file = OpenOptions::new().append(true).create(true).open(file);
            // It was written to before.
            let _ = file.and_then(|mut file| file.write_all(text.as_bytes()));
        }
        let text = self.render(shown, sources);
        if !self.is_silent {
            // A closed standard error leaves no one to tell.
            let _ = io::stderr().write_all(text.as_bytes());
        }
    }

    /// Says on standard error how long the stages of a file's translation took.
    pub fn times(&self, file: &Path, watch: &Stopwatch) {
        if self.is_silent {
            return;
        }
        let text = match self.format {
            MessageFormat::Json => times::json(file, watch),
            // Beside the results.
            MessageFormat::Sarif => return,
            _ => times::table(file, watch),
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// The text of diagnostics, each ending with a newline.
    pub fn render<'a>(
        &self,
        diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
        sources: &dyn Locate,
    ) -> String {
        let items = arrange(diagnostics, sources);
        let is_brief = self.brief.is_some() && !self.is_chosen;
        let shown = items.iter().filter(|item| {
            let is_data = matches!(self.format, MessageFormat::Json | MessageFormat::Sarif);
            // As nvc does, short feedback tells of all copies.
            let is_copy = item.diagnostic.code == codes::DATA_MOVEMENT;
            is_data && self.brief.is_none()
                || !summary::is_minor(item)
                || is_copy && self.brief == Some(Brief::Told)
        });
        // Notes of one kind have one page, which is named once.
        let mut paged = BTreeSet::new();
        let texts = shown.map(|item| match self.format {
            _ if !self.is_told(item) => String::new(),
            MessageFormat::Human if is_brief && !item.is_error() => gcc(item),
            MessageFormat::Human => {
                let is_first = !item.is_note() || paged.insert(item.diagnostic.code.0);
                human::render(item, self.color, is_first)
            }
            MessageFormat::Short => short(item) + &way_out(item, ""),
            MessageFormat::Gcc => gcc(item) + &other_places(item) + &way_out(item, "accrs: "),
            MessageFormat::Json => json::render(item),
            MessageFormat::Sarif => {
                sarif::collect(item);
                String::new()
            }
        });
        let summary = match self.format {
            MessageFormat::Human if self.brief.is_none() => summary::of(&items),
            _ => String::new(),
        };
        summary + &texts.collect::<String>()
    }

    /// Whether a diagnostic is not one of the notes that short feedback leaves out.
    fn is_told(&self, item: &Item) -> bool {
        let diagnostic = &item.diagnostic;
        let is_of_kind = match self.brief {
            None => true,
            Some(Brief::Told) => BRIEF.contains(&diagnostic.code),
            Some(brief) => {
                let decided = diagnostic.data.get("decided").and_then(|d| d.as_str());
                diagnostic.code == codes::LOOP_MAPPING
                    && (decided == Some("sequential")) == (brief == Brief::NotParallel)
            }
        };
        !item.is_note() || is_of_kind
    }
}

/// A diagnostic in words, for a page.
#[derive(Clone, Debug)]
pub struct Told {
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// What is said.
    pub message: String,
    /// The file, as [`Locate`] names it, and the line from 1, where it has a place.
    pub place: Option<(String, usize)>,
    /// Why, and what can be done.
    pub reasons: Vec<String>,
}

/// Diagnostics in the order of their places, but for notes that people are not shown.
pub fn told<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &dyn Locate,
) -> Vec<Told> {
    let items = arrange(diagnostics, sources);
    let shown = items.iter().filter(|item| !summary::is_minor(item));
    shown
        .map(|item| Told {
            level: level(item.diagnostic.severity),
            message: item.diagnostic.message.clone(),
            place: item
                .position()
                .map(|(file, line, _)| (file.to_owned(), line)),
            reasons: (item.diagnostic.notes.iter().cloned())
                .chain(item.diagnostic.help.as_deref().map(str::to_owned))
                .collect(),
        })
        .collect()
}

/// Locates, sorts and drops what says the same twice.
fn arrange<'a>(
    diagnostics: impl IntoIterator<Item = &'a Diagnostic>,
    sources: &dyn Locate,
) -> Vec<Item<'a>> {
    let mut items: Vec<Item> = diagnostics
        .into_iter()
        .map(|diagnostic| {
            let labels = diagnostic.labels.iter();
            let locate = |label: &'a crate::diagnostic::Label| {
                sources.locate(&label.place).map(|location| Located {
                    location,
                    text: &label.text,
                })
            };
            Item {
                diagnostic: traced(diagnostic, sources),
                labels: labels.filter_map(locate).collect(),
            }
        })
        .collect();
    items.sort_by(|a, b| a.order().cmp(&b.order()));
    items.dedup_by(|a, b| {
        a.order() == b.order()
            && (a.diagnostic.code, &a.diagnostic.message)
                == (b.diagnostic.code, &b.diagnostic.message)
            && (a.diagnostic.code != codes::DATA_MOVEMENT || a.is_told_as(b))
    });
    items
}

/// A diagnostic with notes of what made the text at its place, and with a replacement only of what is
/// written there; notes say what became of code, not what is wrong with it.
fn traced<'a>(diagnostic: &'a Diagnostic, sources: &dyn Locate) -> Cow<'a, Diagnostic> {
    let primary = diagnostic.labels.first();
    let primary = primary.filter(|_| diagnostic.severity != Severity::Note);
    let trace = primary.map_or_else(Vec::new, |label| sources.backtrace(&label.place));
    let is_exact = |label: &crate::diagnostic::Label| sources.is_exact(&label.place);
    let loses = diagnostic.data.contains_key(REPLACEMENT)
        && !(diagnostic.labels.get(diagnostic.replaced())).is_some_and(is_exact);
    if trace.is_empty() && !loses {
        return Cow::Borrowed(diagnostic);
    }
    let mut traced = diagnostic.clone();
    traced.notes.extend(trace);
    if loses {
        traced.data.remove(REPLACEMENT);
    }
    Cow::Owned(traced)
}

/// The word for a severity.
fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// `file:line:column: error: message [CODE]`; of notes with their reason, of copies with what makes
/// them fewer, or why nothing does.
fn gcc(item: &Item) -> String {
    let diagnostic = &item.diagnostic;
    let because = because(item).or_else(|| item.text("why").map(|why| format!(": {why}")));
    let what = format!(
        "{}: {}{} [{}]\n",
        level(diagnostic.severity),
        diagnostic.message.replace('\n', " "),
        because.filter(|_| item.is_note()).unwrap_or_default(),
        diagnostic.code.0,
    );
    match item.position() {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {what}"),
        None => format!("accrs: {what}"),
    }
}

/// `file:line:column: error[CODE]: message`.
fn short(item: &Item) -> String {
    let Diagnostic {
        severity,
        code,
        message,
        ..
    } = &*item.diagnostic;
    let because = because(item).filter(|_| item.is_note());
    let what = format!(
        "{}[{}]: {}{}\n",
        level(*severity),
        code.0,
        message.replace('\n', " "),
        because.unwrap_or_default(),
    );
    match item.position() {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {what}"),
        None => what,
    }
}

/// Why a loop is run, or an array placed, as it is; what would copy less, or why it is copied again.
fn because(item: &Item) -> Option<String> {
    let text = match item.diagnostic.code {
        codes::LOOP_MAPPING | codes::MEMORY_PLACEMENT => item.text("why"),
        codes::DATA_MOVEMENT => item.text("remedy").or_else(|| item.text("obstacle")),
        _ => None,
    };
    text.map(|text| format!(": {text}{}", elsewhere(item)))
}

/// The line of the other place that a way out, or what is in its way, has to do with, such as a loop
/// around.
fn elsewhere(item: &Item) -> String {
    let is_loop = item.diagnostic.code == codes::LOOP_MAPPING;
    let other = item.labels.get(1).filter(|_| !is_loop);
    other.map_or_else(String::new, |label| {
        let Location { file, range } = &label.location;
        format!(" (line {})", file.line(range.start) + 1)
    })
}

/// `file:line:column: note: text` for each other place of an error or warning of which something is said.
fn other_places(item: &Item) -> String {
    let others = item.labels.iter().skip(1);
    let told = others.filter(|label| !item.is_note() && !label.text.is_empty());
    told.map(|label| {
        let Location { file, range } = &label.location;
        let (line, column) = (file.line(range.start) + 1, file.column(range.start) + 1);
        format!("{}:{line}:{column}: note: {}\n", file.name(), label.text)
    })
    .collect()
}

/// `file:line:column: note: help` behind an error or warning, as gcc has notes; `nowhere` in place of
/// the place where there is none.
fn way_out(item: &Item, nowhere: &str) -> String {
    let help = item.diagnostic.help.as_deref();
    let Some(help) = help.filter(|_| !item.is_note()) else {
        return String::new();
    };
    let what = format!("note: {}\n", help.replace('\n', " "));
    match item.position() {
        Some((file, line, column)) => format!("{file}:{line}:{column}: {what}"),
        None => format!("{nowhere}{what}"),
    }
}

#[cfg(test)]
mod tests;
