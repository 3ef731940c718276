//! Variables that `kernels` constructs declare under the names of others.
//!
//! The host runs such a construct launch by launch, and declares what several of them share where it
//! evaluates the construct's clauses as well.
//!
//! ```c
//! #pragma acc kernels copy(a[0:n])
//! {
//!     int n = 5;                          // after: int own_n = 5;
//!     for (int i = 0; i < n; i++) …       //        for (int i = 0; i < own_n; i++)
//! ```
//!
//! Input: a typed unit. Output: the same with names that nothing else has for such variables. The
//! host's text is not made from it.

use std::collections::HashSet;

use super::check::Directives;
use super::table::DirectiveKind;
use crate::analysis::directives::evaluated;
use crate::front::lowering::constructs::{bodies, constructs};
use crate::typed::{Statement, SymbolId, Unit, synthesis, visit};

/// Names them anew in all functions.
pub fn run(unit: &mut Unit, directives: &mut Directives) {
    let mut hiding: Vec<SymbolId> = Vec::new();
    bodies(unit, &mut |unit, _, body| {
        constructs(directives, body, &mut |directives, directive, body| {
            let kind = directives.get(directive).map(|checked| checked.kind);
            if let Some(DirectiveKind::Kernels | DirectiveKind::KernelsLoop) = kind {
                let mut outer = Vec::new();
                for e in evaluated(directive) {
                    visit::symbols(e, &mut |symbol| outer.push(symbol));
                }
                hiding.extend(hidden(unit, outer, body));
            }
        });
    });
    for symbol in hiding {
        let wanted = format!("own_{}", unit.symbol(symbol).name);
        let name = synthesis::free_name(&wanted, &|name| {
            unit.symbols.iter().all(|symbol| symbol.name != name)
        });
        unit.symbol_mut(symbol).name = name;
    }
}

/// The variables that a construct declares under the name of one that it uses from outside;
/// `outer` are those of its clauses.
fn hidden(unit: &Unit, outer: Vec<SymbolId>, body: &Statement) -> Vec<SymbolId> {
    let declared = visit::declared(body);
    let own: HashSet<SymbolId> = declared.iter().copied().collect();
    let mut used: HashSet<&str> = HashSet::new();
    let mut note = |symbol: SymbolId| {
        if !own.contains(&symbol) {
            used.insert(&unit.symbol(symbol).name);
        }
    };
    outer.into_iter().for_each(&mut note);
    visit::expressions(body, &mut |e| e.as_symbol().into_iter().for_each(&mut note));
    let is_hiding = |symbol: &SymbolId| used.contains(unit.symbol(*symbol).name.as_str());
    declared.into_iter().filter(is_hiding).collect()
}
