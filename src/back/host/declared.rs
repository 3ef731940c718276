//! Declarations of the program beside which the generated lines would mean something else.
//!
//! ```text
//! extern int n;             // within a construct: `launch(n)` stands before it
//! int accrs_copy(int);      // a name of accrs.h
//! ```

use super::Host;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::typed::SymbolId;

/// What names of the runtime begin with.
const PREFIX: &str = "accrs_";

impl Host<'_> {
    /// Refuses variables that a construct declares as `extern`: what the host hands to its kernels
    /// stands before the construct, where the name is another variable's, or none's.
    pub(super) fn check_externs(&self, body: Span) -> Result<(), Diagnostic> {
        let is_inside = |span: &Span| body.start <= span.start && span.end <= body.end;
        let mut externs = self.unit.block_externs.iter();
        let Some((span, symbol)) = externs.find(|(span, _)| is_inside(span)) else {
            return Ok(());
        };
        let name = &self.unit.symbol(*symbol).name;
        let message = format!("the construct declares `{name}`, a variable of the host, inside");
        let error = Diagnostic::error(codes::NOT_ON_DEVICE, message, *span);
        Err(error.help(format!(
            "declare `extern {name}` before the construct, where no other variable has its name"
        )))
    }

    /// Refuses functions and variables outside of functions that have names of the runtime.
    pub(super) fn check_names(&self, diagnostics: &mut Diagnostics) {
        let functions = self.unit.functions.iter().map(|function| function.symbol);
        let globals = self.unit.globals.iter().map(|global| global.symbol);
        let is_reserved = |symbol: &SymbolId| {
            let symbol = self.unit.symbol(*symbol);
            symbol.name.starts_with(PREFIX) && self.source.in_main_file(symbol.span)
        };
        for symbol in functions.chain(globals).filter(is_reserved) {
            let symbol = self.unit.symbol(symbol);
            let message = format!("`{}` is a name of the translation's", symbol.name);
            let error = Diagnostic::error(codes::REDEFINITION, message, symbol.span);
            diagnostics
                .push(error.help(format!("give it one that does not begin with `{PREFIX}`")));
        }
    }
}
