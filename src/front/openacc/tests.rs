//! Tests of the front end, from C text.

mod conformance;
mod errors;
mod every_clause;
mod lowering;
mod windows;

use super::LoweringOptions;
use crate::diagnostic::{Diagnostics, Place, Severity};
use crate::{ir, sema, syntax};

/// What became of a text.
struct Outcome {
    /// The printed module.
    ir: Option<String>,
    /// `CODE `place`: message`, in order; warnings are marked.
    said: Vec<String>,
    /// The help texts in the same order.
    help: Vec<String>,
}

/// Puts directives between the markers of the source stage.
fn marked(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        match line.trim_start().strip_prefix("#pragma acc") {
            Some(rest) => {
                out.push_str("__accrs_pragma_acc");
                out.push_str(rest);
                out.push_str(" __accrs_pragma_end");
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Parses, analyses and lowers a text.
fn outcome(text: &str) -> Outcome {
    outcome_of(text, LoweringOptions::default())
}

/// The same with options.
fn outcome_of(text: &str, options: LoweringOptions) -> Outcome {
    let text = marked(text);
    let work = move || {
        let mut diagnostics = Diagnostics::new();
        let tree =
            syntax::parse_with(&text, super::takes_in, &mut diagnostics).expect("the text is C");
        let mut unit = sema::analyse(&tree, &mut diagnostics);
        let module = super::lower(&mut unit, options, &mut diagnostics);
        let mut said = Vec::new();
        let mut help = Vec::new();
        for diagnostic in diagnostics.iter() {
            let place = match diagnostic.labels.first().map(|label| &label.place) {
                Some(Place::Span(span)) => &text[span.start as usize..span.end as usize],
                _ => "?",
            };
            let mark = match diagnostic.severity {
                Severity::Error => "",
                Severity::Warning => "warning ",
                Severity::Note => "note ",
            };
            let code = diagnostic.code.0;
            said.push(format!("{mark}{code} `{place}`: {}", diagnostic.message));
            help.push(diagnostic.help.clone().unwrap_or_default().into_string());
        }
        Outcome {
            ir: module.map(|module| ir::print::print(&unit, &module)),
            said,
            help,
        }
    };
    std::thread::Builder::new()
        .stack_size(syntax::STACK_BYTES)
        .spawn(work)
        .expect("a thread can be started")
        .join()
        .expect("no input panics")
}

/// The IR of a text without any diagnostic.
fn ir(text: &str) -> String {
    let outcome = outcome(text);
    assert_eq!(outcome.said, Vec::<String>::new(), "in {text}");
    outcome.ir.expect("there was no error")
}

/// The statements in a function with some variables of all kinds.
fn function(statements: &str) -> String {
    format!(
        "struct pair {{ int x, y; }};\n\
         int k; float fixed[10][20]; static const int weights[3] = {{1, 2, 1}};\n\
         void f(int n, int m, float *a, const float *b, float (*rows)[8], float vla[n][m])\n\
         {{\nint i, j, s, t; double d; struct pair pair; float **jagged; int small[4];\n\
         {statements}\n}}\n"
    )
}
