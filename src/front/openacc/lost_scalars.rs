//! Scalars whose values a construct gives up that the program reads after it.
//!
//! Input: the variables of which a construct has copies, and what runs after it. Output: a warning
//! for each that no clause names, that the construct assigns, and that is read later.
//!
//! ```c
//! int found = 0;
//! #pragma acc parallel loop           // `found` is firstprivate (OpenACC 3.3, section 2.6.2)
//! for (int i = 0; i < n; i++)
//!     if (a[i] == key)
//!         found = 1;
//! return found;                       // 0
//! ```

use std::collections::BTreeSet;

use super::check::Checked;
use super::table::DirectiveKind;
use crate::analysis::directives::all_named;
use crate::analysis::flow::Rest;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::HostCopy;
use crate::source::Span;
use crate::typed::{Statement, SymbolId, Unit, visit};

/// The warnings of a construct. `addresses`: the variables of its function whose address is taken.
pub fn find(
    unit: &Unit,
    checked: &Checked,
    body: &Statement,
    copies: &[HostCopy],
    addresses: &BTreeSet<SymbolId>,
    rest: &Rest<'_>,
) -> Vec<Diagnostic> {
    let mut named = all_named(&checked.directive);
    visit::directives(body, &mut |directive| named.extend(all_named(directive)));
    let lost = copies.iter().map(|copy| copy.symbol).filter(|symbol| {
        let variable = unit.symbol(*symbol);
        variable.is_automatic()
            && unit.types.is_scalar(variable.ty.ty)
            && !addresses.contains(symbol)
            && !named.contains(symbol)
            && rest.reads(*symbol)
    });
    let written = |symbol| Some((symbol, assignment(body, symbol)?));
    lost.filter_map(written)
        .map(|(symbol, span)| problem(&unit.symbol(symbol).name, checked, span))
        .collect()
}

/// Where a variable is first assigned.
fn assignment(body: &Statement, symbol: SymbolId) -> Option<Span> {
    let mut found = None;
    visit::expressions(body, &mut |e| {
        let target = e.assigned().map(|target| target.without_conversions());
        if target.is_some_and(|target| target.as_symbol() == Some(symbol)) {
            found.get_or_insert(e.span);
        }
    });
    found
}

fn problem(name: &str, checked: &Checked, span: Span) -> Diagnostic {
    let construct = checked.kind.name();
    let message = format!("`{name}` has its old value behind the construct, where it is read");
    let help = match checked.kind {
        DirectiveKind::Serial | DirectiveKind::SerialLoop => format!("write `copy({name})`"),
        _ => format!(
            "write `reduction(max:{name})` or the like if iterations give the value together, \
             `copy({name})` if one of them does"
        ),
    };
    Diagnostic::warning(codes::LOST_VALUE, message, span)
        .label("this value is lost at the construct's end")
        .also(
            checked.directive.span,
            format!("without a clause, a scalar is firstprivate in `{construct}`"),
        )
        .help(help)
}
