//! Constructs that compute with `long double`, `_Float16` or `_Float128`, which GPUs do not have.
//!
//! nvcc takes the first for a `double` of another size, so that data would be wrong
//! without a word. Such a construct is an error where a GPU is built for, or
//! runs on the host; the emulation has the types.

use std::collections::BTreeSet;

use super::Lowering;
use super::check::{self, Checked};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{Expression, FloatingKind, Statement, SymbolId, Unit, visit};

/// What becomes of constructs that use them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongDouble {
    /// The device computes it; a kernel file says that only the emulation can.
    #[default]
    Device,
    /// The same, with a warning.
    Warned,
    /// They are errors.
    Refused,
    /// The host runs them.
    Host,
}

impl Lowering<'_, '_> {
    /// Whether the host runs a construct for its `long double`. Where no one
    /// can, that is reported.
    pub(super) fn runs_on_host(&mut self, checked: &Checked, body: &Statement) -> bool {
        if self.given.options.long_double == LongDouble::Device {
            return false;
        }
        let found = in_statement(self.given.unit, body, &mut BTreeSet::new());
        let Some((kind, place)) = found else {
            return false;
        };
        if self.given.options.long_double == LongDouble::Host {
            return true;
        }
        let what = format!("`{}` does not exist on a GPU", kind.spelling());
        let diagnostic = match self.given.options.long_double {
            LongDouble::Refused => Diagnostic::error(codes::LONG_DOUBLE, what, place),
            _ => Diagnostic::warning(codes::LONG_DOUBLE, what, place),
        };
        self.diagnostics.push(
            diagnostic
                .also(check::name_span(&checked.directive), "for this construct")
                .help("`--long-double=host` runs such constructs on the host"),
        );
        false
    }
}

/// The first use in a statement and the functions that it calls.
fn in_statement(
    unit: &Unit,
    body: &Statement,
    seen: &mut BTreeSet<SymbolId>,
) -> Option<(FloatingKind, Span)> {
    let mut found = None;
    let mut mentioned = Vec::new();
    visit::expressions(body, &mut |e: &Expression| {
        if found.is_none() {
            found = unit.types.beyond_gpu(e.ty.ty).map(|kind| (kind, e.span));
        }
        mentioned.extend(e.as_symbol());
    });
    for symbol in mentioned {
        if found.is_none()
            && let Some(function) = unit.function(symbol)
            && seen.insert(symbol)
        {
            found = in_statement(unit, &function.body, seen);
        }
    }
    found
}
