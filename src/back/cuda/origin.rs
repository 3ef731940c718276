//! Says where a kernel's code is not from the function that holds its
//! construct: from one whose call it replaces.
//!
//! ```cuda
//! // from mean()
//! b[i] = (a_window[i - 1 - a_base] + a_window[i + 1 - a_base]) / 2;
//! ```

use super::body::Body;
use crate::ir::{Statement, visit};
use crate::source::Span;
use crate::typed::{SymbolId, Unit, visit as typed_visit};

/// Knows the functions of a file by their places.
pub struct Origins {
    /// The function that holds the construct.
    home: Span,
    /// The one of the last comment, while its statements go on.
    last: Option<SymbolId>,
}

impl Origins {
    /// For a kernel of a function; `None` if nothing is known of that.
    pub fn of(unit: &Unit, home: SymbolId) -> Option<Self> {
        let home = unit.function(home)?.span;
        Some(Self { home, last: None })
    }

    /// The function that a statement is from, if it is another one.
    fn function(&self, unit: &Unit, statement: &Statement) -> Option<SymbolId> {
        let is_away = |span: Span| span.start < self.home.start || span.end > self.home.end;
        let mut away = is_away(statement.span).then_some(statement.span);
        visit::own_expressions(statement, &mut |root| {
            typed_visit::walk(root, &mut |e| {
                away = away.or(is_away(e.span).then_some(e.span));
            });
        });
        let span = away?;
        let mut functions = unit.functions.iter();
        let found = functions.find(|f| f.span.start <= span.start && span.end <= f.span.end);
        found.map(|function| function.symbol)
    }
}

impl Body<'_> {
    /// A comment before the first of several statements of another function.
    pub(super) fn origin(&mut self, statement: &Statement) {
        let Some(origins) = &self.origins else { return };
        let found = origins.function(self.unit, statement);
        if let Some(function) = found
            && origins.last != found
        {
            let name = self.unit.symbol(function).name.clone();
            self.lines.line(&format!("// from {name}()"));
        }
        if let Some(origins) = &mut self.origins {
            origins.last = found;
        }
    }
}
