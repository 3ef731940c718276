//! Expressions of generated lines, with the calls of macros that the user has in them.
//!
//! ```c
//! #define ROWS (rows)
//! #define GANGS 16
//! #pragma acc parallel loop copy(a[0:ROWS]) num_gangs(GANGS * 2)
//!
//! accrs_copy("a[0:ROWS]", a, 0, ROWS * sizeof *a);
//! fill_launch(a, GANGS * 2);
//! ```
//!
//! A call stands where it makes what is printed, token for token, and its macros are the same
//! wherever the line goes: the file defines each of them once, before the function.

use super::Host;
use crate::source::{Alignment, Macro, Span, expand, tokens_of};
use crate::typed::print::{C, Language, Printer};
use crate::typed::{Expression, SymbolId, Unit, visit};

/// What no macro may be called whose calls stand in generated lines: these have the words
/// themselves.
const WORDS: &str = "auto break case char const continue default do double else enum extern float \
                     for goto if inline int long register restrict return short signed sizeof \
                     static struct switch typedef union unsigned void volatile while";

/// C with the user's calls of macros.
pub(super) struct Written<'h, 'a>(pub &'h Host<'a>);

impl Language for Written<'_, '_> {
    fn symbol(&self, unit: &Unit, id: SymbolId) -> String {
        match unit.launch_values.get(&id) {
            Some(value) => format!("({})", Printer::text(unit, self, value)),
            None => C.symbol(unit, id),
        }
    }

    fn has_call(&self, expression: &Expression) -> bool {
        self.0.written(expression.span).is_some()
    }

    fn kept(&self, expression: &Expression, made: &str) -> Option<String> {
        let host = self.0;
        let written = host.written(expression.span)?;
        let words = tokens_of(&written);
        let find = |name: &str| host.lasting(name, expression.span);
        let is_same = expand(&words, &find)? == tokens_of(made);
        let names = words.iter().filter(|word| find(word).is_some());
        let mut kept = host.kept_macros.borrow_mut();
        is_same.then(|| {
            kept.extend(names.map(|name| (*name).to_owned()));
            written.clone()
        })
    }
}

impl Host<'_> {
    /// What the user has for a part of a directive or of a function with directives, if he calls
    /// a macro in it.
    fn written(&self, span: Span) -> Option<String> {
        let of_directive = self.unit.spellings.in_directive(span);
        of_directive.or_else(|| self.source.spelling(self.code(), span))
    }

    /// The functions with directives beside the text.
    fn code(&self) -> &Alignment {
        self.code.get_or_init(|| {
            let functions = self.unit.functions.iter();
            let own = functions.filter(|one| visit::has_directives(&one.body));
            self.source
                .alignment(own.map(|one| one.body.span).collect())
        })
    }

    /// The macro of this name, if it is the same from the function on in which a place is.
    fn lasting(&self, name: &str, at: Span) -> Option<&Macro> {
        let functions = self.unit.functions.iter();
        let mut around = functions.filter(|f| f.span.start <= at.start && at.end <= f.span.end);
        let from = around
            .next()
            .map_or(at.start, |function| function.span.start);
        let found = self.macros.only(name).filter(|found| found.at <= from)?;
        let is_word = name.starts_with("accrs") || WORDS.split(' ').any(|word| word == name);
        (!found.is_system && !is_word).then_some(found)
    }
}
