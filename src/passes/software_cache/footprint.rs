//! Which slots of a window the iterations of a block read for certain.
//!
//! A fetch may only read what is there: elements that a data clause made
//! present, or that an iteration reads anyway. Where it is proved that
//! iterations read every slot up to some index of each dimension and none from
//! it on, no other test is needed.
//!
//! ```c
//! for (int i = 0; i < rows; i++)              // blocks of 16 x 16
//!     for (int j = 0; j < columns; j++)
//!         for (int first = 0; first < inner; first += 16) {
//!             const int end = least(first + 16, inner);
//!             #pragma acc fcw FETCH_ONLY(a[i:0:0][first:0:15])
//!             for (int k = first; k < end; k++)
//!                 sum += a[i][k] * …;         // rows up to `rows`, columns up to `end`
//! ```
//!
//! Of each dimension, the index is the variable of a loop that threads share,
//! with constants around it of which each is used, or that of a loop from the
//! window's first index on, or the pivot itself. Everything else, such as an
//! access under a condition, or four neighbours without the corners between
//! them, proves nothing.

use std::collections::BTreeSet;

use indexmap::IndexSet;

use super::Pass;
use super::access::{self, Access};
use super::region::{Held, Limits, skips};
use super::shape::plus;
use crate::analysis::effects::Place;
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::Uniformity;
use crate::ir::{
    Loop, Relation, Statement, StatementKind, Window, WindowRegion, is_literal, visit,
};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, Unit, constant, visit as typed_visit,
};

/// The most elements around an iteration's own that are followed.
const MOST_NEIGHBOURS: i128 = 64;

/// How the index of one dimension comes about.
enum Index<'r> {
    /// The variable of a loop that threads share, plus one of these constants.
    Thread(&'r Loop, i128, i128),
    /// The variable of a loop from the window's first index to this bound.
    Rounds(&'r Expression),
    /// The same in all threads and iterations.
    Single,
}

impl Pass<'_> {
    /// The index of each dimension from which on no slot is read, where all
    /// before it are; none of a dimension that is read whole. `None`: that is
    /// not proved.
    pub(super) fn ends(&self, region: &WindowRegion, held: &Held) -> Option<Vec<Limits>> {
        let window = &held.window;
        let policy = window.policy;
        let written = self.oracle.list(&region.body).writes;
        let is_written = written.contains(&Place::Target(window.array))
            || written.contains(&Place::Variable(window.array));
        if !policy.fetch || policy.channel || policy.write_back || is_written {
            return None;
        }
        let around = loops_around(&self.kernel.body, region)?;
        let scope = Scope::of(self.kernel, self.unit);
        let proof = Proof {
            unit: self.unit,
            answers: Uniformity::of(self.kernel, &scope, self.oracle),
            region,
            window,
            around,
            own: declared(&region.body),
            written,
            declared: declared(&self.kernel.body),
        };
        let below = |end| Limits { begin: None, end };
        Some(proof.ends()?.into_iter().map(below).collect())
    }
}

struct Proof<'r> {
    unit: &'r Unit,
    answers: Uniformity<'r>,
    region: &'r WindowRegion,
    window: &'r Window,
    /// The loops around the region.
    around: Vec<&'r Loop>,
    /// The variables that the region declares.
    own: BTreeSet<SymbolId>,
    /// What the region writes.
    written: IndexSet<Place>,
    /// The variables that the kernel declares.
    declared: BTreeSet<SymbolId>,
}

impl<'r> Proof<'r> {
    fn ends(&self) -> Option<Vec<Option<Expression>>> {
        if skips(&self.region.body) || !self.around.iter().all(|l| self.is_shared_alike(l)) {
            return None;
        }
        let depth = self.window.dimensions.len();
        let found = access::accesses(&self.region.body, self.window.array, depth, self.unit)?;
        let first = found.first()?;
        let is_open = |access: &Access| access.indices.iter().any(Option::is_none);
        if found.iter().any(is_open) {
            return None;
        }
        let indices: Vec<Index<'r>> = (0..depth)
            .map(|depth| self.index(depth, first))
            .collect::<Option<_>>()?;
        self.check_all_are_read(&indices, &found)?;
        let ends = indices.iter().map(|index| match index {
            Index::Thread(l, _, greatest) => Some(Some(self.moved(&l.bound, *greatest))),
            Index::Rounds(bound) => Some(Some((*bound).clone())),
            Index::Single => Some(None),
        });
        ends.collect()
    }

    /// Whether all threads with iterations run the same iterations of a loop
    /// around the region, or each has one iteration of it.
    fn is_shared_alike(&self, l: &Loop) -> bool {
        let is_one_each = l.tile.is_some_and(|tile| tile.count.is_none());
        let is_of_all = l.tile.is_none() && l.threads() == [false; 3];
        let header = l.limits();
        (is_one_each || is_of_all) && header.iter().all(|e| self.answers.is_uniform(e))
    }

    /// What the index of a dimension is in an access.
    fn index(&self, depth: usize, access: &Access<'r>) -> Option<Index<'r>> {
        let dimension = &self.window.dimensions[depth];
        let before = constant::evaluate(self.unit, &dimension.before)?;
        let after = constant::evaluate(self.unit, &dimension.after)?;
        let index = access.indices[depth].as_ref()?;
        if let Some((symbol, offset)) = self.shifted(&dimension.pivot)
            && let Some(l) = self.around.iter().find(|l| l.induction == symbol)
            && l.tile.is_some()
        {
            let serves = counts_up(l) && self.is_plain(&l.bound);
            return serves.then_some(Index::Thread(l, offset - before, offset + after));
        }
        if before == 0
            && let Some((symbol, 0)) = self.shifted(index)
            && let Some(l) = access.loops.iter().find(|l| l.induction == symbol)
        {
            let serves = counts_up(l)
                && !l.is_distributed()
                && l.lower.is_same(&dimension.pivot)
                && self.answers.is_uniform(&l.lower)
                && self.is_plain(&l.bound);
            return serves.then_some(Index::Rounds(&l.bound));
        }
        let is_single = before == 0
            && after == 0
            && index.is_same(&dimension.pivot)
            && self.answers.is_uniform(&dimension.pivot);
        is_single.then_some(Index::Single)
    }

    /// That all accesses stay within the dimensions' indices, and that those
    /// which every iteration comes to read each of them.
    fn check_all_are_read(&self, indices: &[Index<'r>], accesses: &[Access<'r>]) -> Option<()> {
        let mut wanted: i128 = 1;
        let mut variables = BTreeSet::new();
        for index in indices {
            if let Index::Thread(l, least, greatest) = index {
                wanted = wanted.checked_mul(greatest - least + 1)?;
                variables.insert(l.induction).then_some(())?;
            }
        }
        let mut read: BTreeSet<Vec<i128>> = BTreeSet::new();
        for access in accesses {
            let mut offsets = Vec::new();
            let mut rounds = Vec::new();
            for (depth, index) in indices.iter().enumerate() {
                match (index, self.index(depth, access)?) {
                    (Index::Thread(l, least, greatest), _) => {
                        let (symbol, offset) = self.shifted(access.indices[depth].as_ref()?)?;
                        let is_inside = (*least..=*greatest).contains(&offset);
                        (symbol == l.induction && is_inside).then_some(())?;
                        offsets.push(offset);
                    }
                    (Index::Rounds(bound), Index::Rounds(own)) => {
                        bound.is_same(own).then_some(())?;
                        rounds.extend(
                            access.indices[depth]
                                .iter()
                                .filter_map(Expression::as_symbol),
                        );
                    }
                    (Index::Single, Index::Single) => {}
                    _ => return None,
                }
            }
            let in_each = access.loops.iter().all(|l| rounds.contains(&l.induction));
            if access.is_certain && in_each {
                read.insert(offsets);
            }
        }
        let all = i128::try_from(read.len()).ok()? == wanted;
        (wanted <= MOST_NEIGHBOURS && all).then_some(())
    }

    /// A signed variable and what is added to it.
    fn shifted(&self, e: &Expression) -> Option<(SymbolId, i128)> {
        let number = |e: &Expression| constant::evaluate(self.unit, e);
        let (symbol, offset) = match &e.inner().kind {
            ExpressionKind::Binary(BinaryOperator::Add, a, b) => match a.as_symbol() {
                Some(symbol) => (symbol, number(b)?),
                None => (b.as_symbol()?, number(a)?),
            },
            ExpressionKind::Binary(BinaryOperator::Subtract, a, b) => {
                (a.as_symbol()?, number(b)?.checked_neg()?)
            }
            _ => (e.as_symbol()?, 0),
        };
        self.unit
            .types
            .is_signed(self.unit.symbol(symbol).ty.ty)
            .then_some((symbol, offset))
    }

    /// Whether all threads can compute a bound before the region, and write it
    /// in the same words.
    fn is_plain(&self, bound: &Expression) -> bool {
        let serves = |symbol: SymbolId| {
            let name = &self.unit.symbol(symbol).name;
            let is_hidden = (self.declared.iter())
                .any(|other| *other != symbol && self.unit.symbol(*other).name == *name);
            !self.own.contains(&symbol)
                && !self.written.contains(&Place::Variable(symbol))
                && !is_hidden
        };
        let is_sum = |e: &Expression| match e.kind {
            ExpressionKind::Symbol(symbol) => serves(symbol),
            ExpressionKind::Integer { .. }
            | ExpressionKind::Parenthesized(_)
            | ExpressionKind::Convert(..) => true,
            ExpressionKind::Binary(operator, ..) => {
                matches!(operator, BinaryOperator::Add | BinaryOperator::Subtract)
            }
            _ => false,
        };
        self.answers.is_uniform(bound)
            && self.unit.types.is_signed(bound.ty.ty)
            && typed_visit::all(bound, &mut |e| is_sum(e))
    }

    /// `bound + offset`, in as few words as possible.
    fn moved(&self, bound: &Expression, offset: i128) -> Expression {
        let ty = bound.ty.ty;
        let (bound, offset) = match &bound.inner().kind {
            ExpressionKind::Binary(operator, rest, number)
                if offset != 0 && constant::evaluate(self.unit, number).is_some() =>
            {
                let number = constant::evaluate(self.unit, number).unwrap_or_default();
                match operator {
                    BinaryOperator::Subtract => ((**rest).clone(), offset - number),
                    _ => ((**rest).clone(), offset + number),
                }
            }
            _ => (bound.clone(), offset),
        };
        plus(self.unit, bound, offset, ty)
    }
}

/// The variables that statements declare, those of loops among them.
fn declared(list: &[Statement]) -> BTreeSet<SymbolId> {
    let mut found: BTreeSet<SymbolId> = visit::declared(list).into_iter().collect();
    visit::loops(list, &mut |l| {
        found.insert(l.induction);
    });
    found
}

/// A loop that takes one index after the other.
fn counts_up(l: &Loop) -> bool {
    !l.downward && l.relation == Relation::Less && is_literal(&l.step, 1)
}

/// The loops around a region, outermost first, if every iteration comes to it
/// in each of their iterations.
pub(super) fn loops_around<'k>(
    kernel: &'k [Statement],
    region: &WindowRegion,
) -> Option<Vec<&'k Loop>> {
    let text = |region: &WindowRegion| region.windows.first().map(|w| w.span);
    let mut places = Vec::new();
    visit::walk_around(kernel, &mut |statement, around| {
        if let StatementKind::Windows(other) = &statement.kind
            && other.directive == region.directive
            && text(other) == text(region)
        {
            let always = around.is_bare && !around.loops.iter().any(|l| skips(&l.body));
            places.push(always.then(|| around.loops.clone()));
        }
    });
    match places.as_mut_slice() {
        [only] => only.take(),
        _ => None,
    }
}
