//! Loops along rows, whose iterations the lanes of a warp could share in place of those of a loop
//! that goes from row to row.
//!
//! Input: an access of which each lane is in another row. Output: the clauses that bring its lanes
//! side by side, where a loop within the threads goes along the row.
//!
//! ```c
//! #pragma acc parallel loop                        // with `gang`, and
//! for (int i = 0; i < n; i++) {
//!     double s = 0;
//!     for (int j = 0; j < m; j++) s += a[i][j];    // `vector reduction(+:s)` here
//!     y[i] = s;
//! }
//! ```

use crate::analysis::effects::Oracle;
use crate::analysis::polynomial::Term;
use crate::analysis::recognition::Updates;
use crate::analysis::requests::{Nest, Reference};
use crate::ir::{Distribution, Kernel, Loop, Scheme, visit};
use crate::passes::privatise;

/// The clauses, in a sentence.
pub(super) fn remedy(
    reference: &Reference,
    nest: &Nest,
    distributions: &[Distribution],
    kernel: &Kernel,
    oracle: &Oracle,
) -> Option<String> {
    // Threads that the program numbers, and loops that are one, are not divided so.
    let is_one = |number: &usize| nest.loops[*number].collapsed > 0;
    if kernel.scheme == Some(Scheme::Threads) || reference.within.iter().any(is_one) {
        return None;
    }
    let is_over_lanes = |number: &usize| distributions[*number].threads[0];
    let lanes = reference.within.iter().position(is_over_lanes)?;
    let inner = &reference.within[lanes + 1..];
    if inner.iter().any(is_over_lanes) {
        return None;
    }
    let unit = oracle.unit();
    let (block, lane) = (kernel.words.levels.block, kernel.words.levels.lane);
    let outer = nest.loops[reference.within[lanes]];
    let name = |l: &Loop| &unit.symbol(l.induction).name;
    let is_free = |number: &usize| {
        distributions[*number].is_sequential() && !nest.loops[*number].schedule.sequential
    };
    let mut inner = inner.iter().rev().filter(|number| is_free(number));
    let Some(along) = inner.find(|number| goes_along(reference, **number)) else {
        // Blocks side by side, whose threads are not.
        let mut around = reference.within[..lanes].iter();
        let along = around.find(|number| goes_along(reference, **number))?;
        let is_of_blocks =
            distributions[*along].threads == [false; 3] && distributions[*along].blocks.is_some();
        return is_of_blocks.then(|| {
            format!(
                "`{block} {lane}` on the loop over `{}` alone, with that over `{}` within each thread, \
                 has the lanes of a warp side by side in a row",
                name(nest.loops[*along]),
                name(outer),
            )
        });
    };
    let along = nest.loops[*along];
    let (clauses, is_known) = reductions(along, oracle);
    let condition = match is_known || along.is_parallel() {
        true => "",
        false => ", if its iterations are independent of each other",
    };
    Some(format!(
        "`{block}` on the loop over `{}` and `{lane}{clauses}` on that over `{}` have the lanes of a \
         warp side by side in a row{condition}",
        name(outer),
        name(along),
    ))
}

/// Whether an iteration of a loop moves an access to the next element.
fn goes_along(reference: &Reference, number: usize) -> bool {
    let terms = reference.offset.iter().flat_map(|offset| offset.terms());
    let mut own = terms.filter(|(product, _)| product.contains(&Term::Iteration(number)));
    let is_next = |(product, factor): (&[Term], i128)| {
        product.len() == 1 && factor.unsigned_abs() <= reference.bytes.into()
    };
    own.next().is_some_and(is_next) && own.next().is_none()
}

/// What a loop reduces, as clauses, and whether it writes nothing else that outlives an iteration.
fn reductions(l: &Loop, oracle: &Oracle) -> (String, bool) {
    let unit = oracle.unit();
    let updates = Updates::of(&l.body);
    let private = privatise::private_scalars(l, oracle);
    let mut text = String::new();
    let mut is_known = true;
    for symbol in privatise::written_scalars(l, oracle) {
        match updates.meant(symbol, unit) {
            _ if private.contains(&symbol) => {}
            Some(found) => {
                let name = &unit.symbol(symbol).name;
                text += &format!(" reduction({}:{name})", found.operator.spelling());
            }
            None => is_known = false,
        }
    }
    let own = visit::own_variables(&l.body);
    let writes = oracle.list(&l.body).writes.into_iter();
    let is_scalar = |symbol| !unit.is_array(symbol) || own.contains(&symbol);
    let mut places = writes.map(|place| place.variable());
    (
        text,
        is_known && places.all(|place| place.is_some_and(is_scalar)),
    )
}
