//! Tests of the parser and the walk, by printed trees.

mod arbitrary;
mod limits;
mod messages;
mod spans;
mod trees;

use super::{STACK_BYTES, parse};
use crate::ast::print;
use crate::diagnostic::{Diagnostics, Place};

/// What `parse` made of a text: the printed tree, if any, and the diagnostics
/// as `CODE offset..end: message`.
struct Parsed {
    tree: Option<String>,
    errors: Vec<String>,
}

/// Runs something on a thread with the stack that parsing is made for.
fn on_big_stack<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(work)
        .unwrap()
        .join()
        .unwrap()
}

fn parsed(text: &str) -> Parsed {
    let text = text.to_owned();
    on_big_stack(move || {
        let mut diagnostics = Diagnostics::new();
        let unit = parse(&text, &mut diagnostics);
        let errors = diagnostics
            .iter()
            .map(|d| {
                let place = match d.labels.first().map(|label| &label.place) {
                    Some(Place::Span(span)) => format!("{}..{}", span.start, span.end),
                    _ => "?".to_owned(),
                };
                format!("{} {place}: {}", d.code.0, d.message)
            })
            .collect();
        Parsed {
            tree: unit.map(|unit| print::print(&unit)),
            errors,
        }
    })
}

/// The tree of a text that must parse without any diagnostic.
fn tree(text: &str) -> String {
    let parsed = parsed(text);
    assert_eq!(parsed.errors, Vec::<String>::new(), "in {text}");
    parsed.tree.unwrap()
}

/// The printed statements of a function body, after declarations at file
/// scope, each on its own line.
fn body(before: &str, statements: &str) -> String {
    let text = format!("{before}\nvoid f(void) {{ {statements} }}");
    let tree = tree(&text);
    let start = tree.find("(function (void) (f (function))").unwrap();
    let body = tree[start..]
        .strip_prefix("(function (void) (f (function))")
        .unwrap();
    let body = body.trim_end().strip_suffix(')').unwrap();
    body.lines()
        .filter(|line| !line.is_empty())
        .map(|line| line.strip_prefix("  ").unwrap())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The tree of one expression, with `T` a typedef name and `x` not.
fn expression(text: &str) -> String {
    let body = body("typedef int T; int x, a, b, p;", &format!("r = {text};"));
    body.strip_prefix("(do (= r ")
        .and_then(|rest| rest.strip_suffix("))"))
        .unwrap()
        .to_owned()
}

/// Marks `#pragma acc …` up as `source` does.
fn acc(directive: &str) -> String {
    format!("__accrs_pragma_acc {directive} __accrs_pragma_end")
}
