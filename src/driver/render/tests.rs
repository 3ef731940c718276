//! Whole rendered diagnostics.

use std::sync::Arc;

use super::*;
use crate::diagnostic::codes;

/// Places are byte ranges of one file.
struct OneFile(Arc<SourceFile>);

impl OneFile {
    fn new(bytes: &[u8]) -> Self {
        Self(Arc::new(SourceFile::new("saxpy.c", bytes.to_vec())))
    }
}

impl Locate for OneFile {
    fn locate(&self, place: &Place) -> Option<Location> {
        let range = match place {
            Place::Source(range) => range.clone(),
            Place::Span(span) => span.start as usize..span.end as usize,
        };
        Some(Location {
            file: Arc::clone(&self.0),
            range,
        })
    }
}

const SAXPY: &str = "\
void saxpy(int n, float a, float *x, float *y)
{
#pragma acc paralel loop copy(y[0:n])
    for (int i = 0; i < n; ++i)
        y[i] += a * x[i];
}
";

/// A diagnostic at the first place of `what` in `text`.
fn at(text: &str, what: &str) -> Diagnostic {
    let start = text.find(what).unwrap();
    Diagnostic::new(
        Severity::Error,
        codes::UNKNOWN_DIRECTIVE,
        format!("no directive `{what}`"),
        Place::Source(start..start + what.len()),
    )
}

fn render(format: MessageFormat, text: &[u8], diagnostics: &[Diagnostic]) -> String {
    Reporter::new(format, Color::Never).render(diagnostics, &OneFile::new(text))
}

#[test]
fn human_form_has_underline_note_and_help() {
    let loop_at = SAXPY.find("for").unwrap() as u32;
    let error = at(SAXPY, "paralel")
        .label("not a directive")
        .also(
            crate::source::Span::new(loop_at, loop_at + 3),
            "this loop stays serial",
        )
        .note("directives are case sensitive")
        .help("did you mean `parallel`?");
    insta::assert_snapshot!(render(MessageFormat::Human, SAXPY.as_bytes(), &[error]));
}

#[test]
fn short_form_is_one_line() {
    let text = render(
        MessageFormat::Short,
        SAXPY.as_bytes(),
        &[at(SAXPY, "paralel")],
    );
    assert_eq!(text, "saxpy.c:3:13: error[A0401]: no directive `paralel`\n");
}

/// Editors show a note behind the error that it belongs to.
#[test]
fn one_line_forms_have_the_way_out_as_a_note() {
    let error = at(SAXPY, "paralel").help("did you mean\n`parallel`?");
    for (format, first) in [
        (MessageFormat::Short, "error[A0401]: no directive `paralel`"),
        (MessageFormat::Gcc, "error: no directive `paralel` [A0401]"),
    ] {
        let text = render(format, SAXPY.as_bytes(), std::slice::from_ref(&error));
        let note = "note: did you mean `parallel`?";
        assert_eq!(
            text,
            format!("saxpy.c:3:13: {first}\nsaxpy.c:3:13: {note}\n")
        );
    }
    let remark = Diagnostic {
        severity: Severity::Note,
        ..error
    };
    let text = render(MessageFormat::Short, SAXPY.as_bytes(), &[remark]);
    assert_eq!(text.lines().count(), 1);
}

#[test]
fn json_form_has_places_and_children() {
    let error = at(SAXPY, "paralel").help("did you mean `parallel`?");
    let text = render(MessageFormat::Json, SAXPY.as_bytes(), &[error]);
    assert_eq!(text.matches('\n').count(), 1);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["level"], "error");
    assert_eq!(value["code"]["code"], "A0401");
    let span = &value["spans"][0];
    let start = SAXPY.find("paralel").unwrap();
    assert_eq!(
        (
            &span["byte_start"],
            &span["line_start"],
            &span["column_start"],
            &span["column_end"]
        ),
        (&start.into(), &3.into(), &13.into(), &20.into())
    );
    assert_eq!(value["children"][0]["level"], "help");
}

#[test]
fn sorted_by_place_without_duplicates() {
    let errors = [
        at(SAXPY, "float *y"),
        at(SAXPY, "int n"),
        at(SAXPY, "float *y"),
    ];
    let text = render(MessageFormat::Short, SAXPY.as_bytes(), &errors);
    let columns: Vec<_> = text
        .lines()
        .map(|line| line.split(':').nth(2).unwrap())
        .collect();
    assert_eq!(columns, ["12", "38"]);
}

#[test]
fn a_line_of_a_megabyte_shows_its_part_and_true_column() {
    let text = "a + ".repeat(250_000) + "BAD" + &" + b".repeat(1000);
    let shown = render(MessageFormat::Human, text.as_bytes(), &[at(&text, "BAD")]);
    assert!(shown.contains("saxpy.c:1:1000001"), "{shown}");
    assert!(shown.contains("BAD") && shown.len() < 1500, "{shown}");
}

#[test]
fn crlf_mark_and_other_bytes_do_not_show() {
    let text = b"\xef\xbb\xbfint a;\r\nint \xff\0b = BAD;\r\n".to_vec();
    let start = text.windows(3).position(|bytes| bytes == b"BAD").unwrap();
    let error = Diagnostic::new(
        Severity::Error,
        codes::UNDECLARED,
        "no `BAD`",
        Place::Source(start..start + 3),
    );
    insta::assert_snapshot!(render(MessageFormat::Human, &text, &[error]));
}

#[test]
fn places_behind_the_end_and_empty_ones_are_shown_somewhere() {
    for range in [
        0..0,
        SAXPY.len()..SAXPY.len(),
        5..usize::MAX,
        10_000..10_001,
    ] {
        let error = Diagnostic::new(
            Severity::Error,
            codes::SYNTAX,
            "no end",
            Place::Source(range),
        );
        for format in [
            MessageFormat::Human,
            MessageFormat::Short,
            MessageFormat::Json,
        ] {
            let text = render(format, SAXPY.as_bytes(), std::slice::from_ref(&error));
            assert!(text.contains("saxpy.c"), "{text}");
        }
    }
}

#[test]
fn a_diagnostic_without_place() {
    let error =
        Diagnostic::global(codes::NO_COMPILER, "no C compiler was found").help("install gcc");
    let text = Reporter::new(MessageFormat::Human, Color::Never).render([&error], &Nowhere);
    insta::assert_snapshot!(text);
}
