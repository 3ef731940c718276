//! Diagnostics as rustc shows them.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::excerpt::{SourceFile, shown_line};
use super::{Item, Located};
use crate::diagnostic::Severity;

/// Lines this near to a marked one are shown where they lie between two.
const CONTEXT: usize = 2;

/// One diagnostic, followed by an empty line; `names_page` where it has no help of its own.
pub(super) fn render(item: &Item, color: bool, names_page: bool) -> String {
    let diagnostic = &item.diagnostic;
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(&diagnostic.message)
        .id(diagnostic.code.0);
    let excerpts = excerpts(item);
    let mut group = Group::with_title(title);
    group = group.elements(excerpts.iter().map(Excerpt::snippet));
    group = group.elements(
        diagnostic
            .notes
            .iter()
            .map(|note| Level::NOTE.message(note)),
    );
    group = group.elements(
        diagnostic
            .help
            .iter()
            .map(|help| Level::HELP.message(&**help)),
    );
    if diagnostic.help.is_none() && names_page {
        // The page of the code has the way out.
        let page = format!("`accrs explain {}` says more", diagnostic.code.0);
        group = group.element(Level::HELP.message(page));
    }
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut text = renderer.render(&[group]);
    for excerpt in &excerpts {
        excerpt.correct_column(&mut text);
    }
    text + "\n\n"
}

/// The marked lines of one file.
struct Excerpt<'a> {
    file: &'a SourceFile,
    /// Where the first label of this file points.
    start: usize,
    first_line: usize,
    /// The kind of the first label: primary in the primary label's file.
    leading: AnnotationKind,
    text: String,
    marks: Vec<(Range<usize>, &'a str, AnnotationKind)>,
}

impl<'a> Excerpt<'a> {
    /// Where only a piece of a long line is shown, the renderer counted the
    /// column in that piece; puts the file's there.
    fn correct_column(&self, rendered: &mut String) {
        let Some((mark, ..)) = self.marks.iter().find(|(.., kind)| *kind == self.leading) else {
            return;
        };
        let line_start = self.text[..mark.start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let shown = self.text[line_start..mark.start].chars().count() + 1;
        let line = self.file.line(self.start) + 1;
        let true_column = self.file.column(self.start) + 1;
        if shown != true_column {
            let position = |column| format!("{}:{line}:{column}", self.file.name());
            *rendered = rendered.replacen(&position(shown), &position(true_column), 1);
        }
    }

    fn snippet(&self) -> Snippet<'a, Annotation<'a>> {
        let annotate = |(range, label, kind): &(Range<usize>, &'a str, AnnotationKind)| {
            let label = Some(*label).filter(|label| !label.is_empty());
            kind.span(range.clone()).label(label)
        };
        Snippet::source(self.text.clone())
            .line_start(self.first_line + 1)
            .path(self.file.name())
            .annotations(self.marks.iter().map(annotate))
    }
}

/// The excerpts of a diagnostic, the primary label's file first.
fn excerpts<'a>(item: &'a Item) -> Vec<Excerpt<'a>> {
    let mut files: Vec<&SourceFile> = Vec::new();
    for label in &item.labels {
        if !files
            .iter()
            .any(|file| std::ptr::eq(*file, &raw const *label.location.file))
        {
            files.push(&label.location.file);
        }
    }
    let of_file = |file: &'a SourceFile| {
        let labels = item.labels.iter().enumerate();
        let labels =
            labels.filter(|(_, label)| std::ptr::eq(&raw const *label.location.file, file));
        excerpt(file, &labels.collect::<Vec<_>>())
    };
    files.into_iter().map(of_file).collect()
}

/// Copies the lines from the first to the last mark. Those far from any mark
/// are left empty: the renderer folds them.
fn excerpt<'a>(file: &'a SourceFile, labels: &[(usize, &'a Located<'a>)]) -> Excerpt<'a> {
    let ranges: Vec<Range<usize>> = labels
        .iter()
        .map(|(_, label)| file.within_line(&label.location.range))
        .collect();
    let lines: Vec<usize> = ranges.iter().map(|range| file.line(range.start)).collect();
    let first_line = lines.iter().copied().min().unwrap_or(0);
    let last_line = lines.iter().copied().max().unwrap_or(0);
    let mut text = String::new();
    let mut marks = Vec::new();
    for line in first_line..=last_line {
        if lines.iter().all(|marked| marked.abs_diff(line) > CONTEXT) {
            text.push('\n');
            continue;
        }
        let here: Vec<usize> = (0..ranges.len())
            .filter(|index| lines[*index] == line)
            .collect();
        let start = file.line_start(line);
        let local: Vec<_> = here
            .iter()
            .map(|index| ranges[*index].start - start..ranges[*index].end - start)
            .collect();
        let (shown, places) = shown_line(file.line_bytes(line), &local);
        for (index, place) in here.into_iter().zip(places) {
            let (number, label) = labels[index];

            marks.push((
                text.len() + place.start..text.len() + place.end,
                label.text,
                kind(number),
            ));
        }
        text.push_str(&shown);
        text.push('\n');
    }
    let start = labels
        .first()
        .map_or(0, |(_, label)| label.location.range.start);
    let leading = kind(labels.first().map_or(0, |(number, _)| *number));
    Excerpt {
        file,
        start,
        first_line,
        leading,
        text,
        marks,
    }
}

/// How the label of this number is underlined.
fn kind(number: usize) -> AnnotationKind {
    if number == 0 {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    }
}
