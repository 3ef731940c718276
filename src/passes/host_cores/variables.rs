//! Whose the variables of a loop are that cores share.
//!
//! A kernel's threads have copies of what its privates, its block and its loops have for their own.
//! The host's text has one of each: an iteration's own are those that it declares, and the others
//! need a clause, or may not be written.

use indexmap::{IndexMap, IndexSet};

use super::{Text, form};
use crate::analysis::effects::Place;
use crate::analysis::flow;
use crate::ir::{
    CoreShare, Execution, Loop, Passing, Reduction, ReductionOperator, Statement, StatementKind,
    visit,
};
use crate::passes::parallelisation::only_updated_atomically;
use crate::passes::privatise;
use crate::typed::{Storage, SymbolId, SymbolKind, Type};

/// The stack of a thread is not made for more bytes of private arrays.
const MOST_BYTES: u64 = 256 << 10;

/// The clauses of a loop.
type Clauses = (Vec<(SymbolId, CoreShare)>, Vec<Reduction>);

impl Text<'_, '_> {
    /// How the variables that a loop writes and does not declare reach its iterations.
    ///
    /// # Errors
    /// One that iterations would share, and must not.
    pub(super) fn variables(
        &self,
        l: &Loop,
        collapsed: usize,
        threads: bool,
    ) -> Result<Clauses, String> {
        self.check_sections(l)?;
        let mut reductions = l.reductions.clone();
        let mut shares = IndexMap::new();
        for symbol in self.written(l, collapsed) {
            if reductions.iter().any(|r| r.symbol == symbol) {
                continue;
            }
            let share = if l.privates.contains(&symbol) || is_of_inner_loops(&l.body, symbol) {
                Some(CoreShare::Private)
            } else if let Some(found) = self.reduction_around(symbol) {
                reductions.push(found);
                None
            } else if self.is_array(symbol) {
                self.array(l, symbol)?
            } else if let Some(share) = self.set_first(l, symbol) {
                share
            } else if let Some(found) = reduction_inside(l, symbol) {
                reductions.push(found);
                None
            } else if self.is_common(symbol)
                || only_updated_atomically(&l.body, symbol, self.oracle.unit())
            {
                None
            } else {
                Some(self.carried(l, symbol, threads)?)
            };
            if let Some(share) = share {
                self.check_size(symbol)?;
                // The header reads the value from before.
                let share = match share {
                    CoreShare::Private if l.header_mentions(symbol) => CoreShare::FirstPrivate,
                    _ => share,
                };
                shares.insert(symbol, share);
            }
        }
        for reduction in &reductions {
            self.check_reduction(reduction)?;
        }
        if threads {
            self.check_common_reductions(l, &reductions)?;
        }
        Ok((shares.into_iter().collect(), reductions))
    }

    /// Inner loops may add to memory that all iterations share, as where their clauses name sections
    /// behind pointers: in the text nothing keeps the cores apart there.
    fn check_common_reductions(&self, l: &Loop, known: &[Reduction]) -> Result<(), String> {
        let own = visit::declared(&l.body);
        let unit = self.oracle.unit();
        let mut found = None;
        visit::loops(&l.body, &mut |inner| {
            let common = inner.reductions.iter().find(|r| {
                unit.types.is_pointer(unit.symbol(r.symbol).ty.ty)
                    && !own.contains(&r.symbol)
                    && !known.iter().any(|known| known.symbol == r.symbol)
            });
            found = found.or(common.map(|r| r.symbol));
        });
        match found {
            Some(symbol) => Err(format!(
                "{} is reduced in memory that all iterations share",
                self.name(symbol)
            )),
            None => Ok(()),
        }
    }

    /// All variables that the text writes in the loop and does not declare there, but for those that
    /// count the loops that are one.
    fn written(&self, l: &Loop, collapsed: usize) -> IndexSet<SymbolId> {
        let mut own: IndexSet<SymbolId> = visit::own_variables(&l.body).into_iter().collect();
        let mut next = l;
        for depth in 0..=collapsed {
            own.insert(next.induction);
            if depth < collapsed {
                next = form::innermost(next, 1);
            }
        }
        let writes = self.oracle.list(&l.body).writes.into_iter();
        let mut written: IndexSet<SymbolId> = writes.filter_map(Place::variable).collect();
        written.extend(&l.privates);
        visit::loops(&l.body, &mut |inner| written.extend(&inner.privates));
        // What functions alone write, they write where it is.
        let called = self.oracle.touched_by_calls(&l.body);
        written.retain(|symbol| {
            let is_of_calls = called.contains(symbol) && !visit::mentions(&l.body, *symbol);
            !own.contains(symbol) && !is_of_calls
        });
        written
    }

    fn is_array(&self, symbol: SymbolId) -> bool {
        let unit = self.oracle.unit();
        unit.types.is_array(unit.symbol(symbol).ty.ty)
    }

    fn name(&self, symbol: SymbolId) -> String {
        format!("`{}`", self.oracle.unit().symbol(symbol).name)
    }

    /// A section behind a pointer is private to the threads of a device: the text has no copies of it.
    fn check_sections(&self, l: &Loop) -> Result<(), String> {
        let mut sections = self.kernel.private_arrays.iter();
        let used = |symbol| visit::mentions(&l.body, symbol) || l.privates.contains(&symbol);
        let found = sections.find(|s| !self.is_array(s.symbol) && used(s.symbol));
        match found {
            Some(section) => {
                let name = self.name(section.symbol);
                Err(format!(
                    "each iteration has a copy of what {name} points to"
                ))
            }
            None => Ok(()),
        }
    }

    /// A scalar that each iteration sets before it reads it; `None` if it is none, and no share if
    /// it is a flag that some iteration sets.
    fn set_first(&self, l: &Loop, symbol: SymbolId) -> Option<Option<CoreShare>> {
        let unit = self.oracle.unit();
        let effects = self.oracle.list(&l.body);
        let in_body = flow::of_list(unit, &l.body, symbol);
        let is_common = self.oracle.touched_by_calls(&l.body).contains(&symbol);
        if is_common || effects.escapes.contains(&symbol) || in_body.may_read() {
            return None;
        }
        let after = flow::after_loop(unit, &self.kernel.body, l, symbol).unwrap_or_default();
        let escapes = !after.is_overwritten() && privatise::escapes(self.kernel, symbol, unit);
        if !after.may_read() && !escapes {
            return Some(Some(CoreShare::Private));
        }
        let is_flag = !effects.reads.contains(&Place::Variable(symbol));
        Some(match in_body.is_overwritten() {
            true => Some(CoreShare::LastPrivate),
            false if is_flag => None,
            false => Some(CoreShare::Private),
        })
    }

    /// Whether all threads of a device have one and the same variable.
    fn is_common(&self, symbol: SymbolId) -> bool {
        let kind = &self.oracle.unit().symbol(symbol).kind;
        let is_global = !matches!(kind, SymbolKind::Variable(Storage::Automatic))
            && matches!(kind, SymbolKind::Variable(_));
        match self.kernel.capture(symbol) {
            Some(capture) => capture.passing != Passing::Value,
            None => is_global && !self.kernel.privates.contains(&symbol),
        }
    }

    /// The reduction of the whole construct, or of a loop around, that a variable is.
    fn reduction_around(&self, symbol: SymbolId) -> Option<Reduction> {
        let mut all = self.kernel.reductions.iter().chain(&self.around);
        all.find(|reduction| reduction.symbol == symbol).cloned()
    }

    /// An array from outside of the loop that each gang has for its own; no share if they have one.
    fn array(&self, l: &Loop, symbol: SymbolId) -> Result<Option<CoreShare>, String> {
        let kernel = self.kernel;
        let is_of_gang = kernel.privates.contains(&symbol)
            || kernel.private_array(symbol).is_some()
            || visit::declared(&kernel.body).contains(&symbol);
        if !is_of_gang {
            return Ok(None);
        }
        if used_outside(&kernel.body, l, symbol) {
            let name = self.name(symbol);
            return Err(format!(
                "the iterations write the array {name}, which is used outside of the loop as well"
            ));
        }
        Ok(Some(CoreShare::FirstPrivate))
    }

    /// A scalar of a gang that carries a value into an iteration.
    fn carried(&self, l: &Loop, symbol: SymbolId, threads: bool) -> Result<CoreShare, String> {
        let over_gangs = self.kernel.execution == Execution::Redundant && l.schedule.levels.block;
        let after = flow::after_loop(self.oracle.unit(), &self.kernel.body, l, symbol);
        if threads && over_gangs && !after.unwrap_or_default().may_read() {
            return Ok(CoreShare::FirstPrivate);
        }
        let name = self.name(symbol);
        Err(format!(
            "{name} carries a value from one iteration to the next"
        ))
    }

    fn check_size(&self, symbol: SymbolId) -> Result<(), String> {
        let unit = self.oracle.unit();
        let size = unit.types.size(unit.symbol(symbol).ty.ty);
        if size.is_some_and(|size| size > MOST_BYTES) {
            let name = self.name(symbol);
            return Err(format!(
                "each core would have a copy of {name}, which is too large for its stack"
            ));
        }
        if unit.symbol(symbol).kind == SymbolKind::Variable(Storage::ThreadLocal) {
            let name = self.name(symbol);
            return Err(format!("{name} is `_Thread_local`"));
        }
        Ok(())
    }

    /// OpenMP reduces scalars and whole arrays.
    fn check_reduction(&self, reduction: &Reduction) -> Result<(), String> {
        use ReductionOperator as R;
        let unit = self.oracle.unit();
        let name = self.name(reduction.symbol);
        let own = unit.symbol(reduction.symbol).ty.ty;
        if reduction.part.is_some() || unit.types.size(own).is_none() {
            return Err(format!("OpenMP reduces no part of {name}"));
        }
        let element = unit.types.innermost(unit.symbol(reduction.symbol).ty);
        let operator = reduction.operator;
        let is_ordered = matches!(operator, R::Max | R::Min | R::MaxNumber | R::MinNumber);
        if is_ordered && unit.types.size(element.ty) > Some(8) {
            return Err(format!(
                "OpenMP reduces no {name} of this type by `max` or `min`"
            ));
        }
        match unit.types.get(element.ty) {
            Type::Bool | Type::Integer(_) | Type::Floating(_) | Type::Complex(_) => {
                self.check_size(reduction.symbol)
            }
            _ => Err(format!("OpenMP reduces no {name} of this type")),
        }
    }
}

/// The reduction that loops inside of this one do with a variable that all iterations share.
fn reduction_inside(l: &Loop, symbol: SymbolId) -> Option<Reduction> {
    let mut found = None;
    visit::loops(&l.body, &mut |inner| {
        let own = inner.reductions.iter().find(|r| r.symbol == symbol);
        found = found.take().or_else(|| own.cloned());
    });
    found
}

/// Whether a variable is used only in loops that have copies of it.
fn is_of_inner_loops(list: &[Statement], symbol: SymbolId) -> bool {
    list.iter().all(|statement| {
        if let StatementKind::Loop(l) = &statement.kind {
            if l.privates.contains(&symbol) {
                return !l.header_mentions(symbol);
            }
            if l.induction == symbol || l.reductions.iter().any(|r| r.symbol == symbol) {
                return false;
            }
        }
        let mut stays = true;
        visit::own_expressions(statement, &mut |e| stays &= !e.mentions(symbol));
        visit::blocks(statement, &mut |body| {
            stays = stays && is_of_inner_loops(body, symbol);
        });
        stays
    })
}

/// Whether a kernel uses a variable outside of one of its loops.
fn used_outside(list: &[Statement], l: &Loop, symbol: SymbolId) -> bool {
    list.iter().any(|statement| {
        if let StatementKind::Loop(inner) = &statement.kind
            && std::ptr::eq(&raw const **inner, l)
        {
            return false;
        }
        let mut used = false;
        if !matches!(statement.kind, StatementKind::Declaration(_)) {
            visit::own_expressions(statement, &mut |e| used |= e.mentions(symbol));
        }
        visit::blocks(statement, &mut |body| {
            used = used || used_outside(body, l, symbol)
        });
        used
    })
}
