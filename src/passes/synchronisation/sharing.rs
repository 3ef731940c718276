//! Which variables of a block or row live in shared memory.

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Oracle, Place, Touch};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::limits;
use crate::ir::{
    BlockExtent, Collective, Kernel, Level, Passing, PrivateArray, PrivateArraySize,
    SharedVariable, Statement, StatementKind, visit,
};
use crate::passes::launch_configuration::covering;
use crate::passes::variables;
use crate::typed::synthesis;
use crate::typed::{Expression, Symbol, SymbolId, Unit};

/// Static shared memory of a block, less what block-wide reductions and
/// broadcasts take.
const ROOM: u64 = limits::STATIC_SHARED - 1024;

/// The variables that threads of a block or row write or read for each other.
pub fn shared_variables(kernel: &Kernel, oracle: &Oracle) -> IndexSet<SymbolId> {
    let mut survey = Survey {
        oracle,
        owners: variables::owners(kernel, outermost(kernel)),
        shared: IndexSet::new(),
        reduced: Vec::new(),
        combined: IndexSet::new(),
    };
    visit::loops(&kernel.body, &mut |l| {
        survey
            .combined
            .extend(l.reductions.iter().map(|r| r.symbol));
    });
    let grid = kernel
        .grid_reductions
        .iter()
        .chain(&kernel.block_reductions);
    survey.reduced.extend(grid.map(|r| r.symbol));
    survey.list(&kernel.body, outermost(kernel));
    survey.shared
}

/// Fills in [`Kernel::shared`].
pub fn run(kernel: &mut Kernel, oracle: &Oracle, errors: &mut Vec<Diagnostic>) {
    let unit = oracle.unit();
    let owners = variables::owners(kernel, outermost(kernel));
    for symbol in shared_variables(kernel, oracle) {
        // Its copies are in device memory.
        if kernel.private_array(symbol).is_some() {
            continue;
        }
        let level = owners.get(&symbol).copied().unwrap_or(Level::Block);
        let capture = kernel.capture(symbol);
        let is_value = capture.is_some_and(|c| c.passing != Passing::Reference);
        let symbol = if is_value {
            copy_of_value(kernel, symbol, unit)
        } else if is_name_taken(kernel, symbol, unit) {
            under_own_name(kernel, symbol, unit)
        } else {
            symbol
        };
        kernel.shared.push(SharedVariable { symbol, level });
    }
    make_room(kernel, unit, errors);
}

/// The level of code outside all loops.
fn outermost(kernel: &Kernel) -> Level {
    kernel.collective.map_or(Level::Block, Collective::level)
}

struct Survey<'a, 'u> {
    oracle: &'a Oracle<'u>,
    owners: IndexMap<SymbolId, Level>,
    shared: IndexSet<SymbolId>,
    /// Reduction variables of the kernel and the loops around.
    reduced: Vec<SymbolId>,
    /// Reduction variables of any loop: all threads hold the same value
    /// outside the loop, arrays included, and need not share it to read it.
    combined: IndexSet<SymbolId>,
}

impl Survey<'_, '_> {
    fn list(&mut self, list: &[Statement], level: Level) {
        for statement in list {
            visit::own_expressions(statement, &mut |e| self.expression(e, level));
            self.section(statement, level);
            let mut inner = level;
            let depth = self.reduced.len();
            if let StatementKind::Loop(l) = &statement.kind {
                inner = variables::level_inside(l, level);
                self.reduced.extend(l.reductions.iter().map(|r| r.symbol));
                if inner == level && l.distribution.is_some_and(|s| s.is_sequential()) {
                    self.written(l.induction, level);
                }
            }
            visit::blocks(statement, &mut |body| self.list(body, inner));
            self.reduced.truncate(depth);
        }
    }

    /// One thread runs what writes memory: an array that it writes, too, is that of the others, to
    /// which a value would be told.
    fn section(&mut self, statement: &Statement, level: Level) {
        let list = std::slice::from_ref(statement);
        if level == Level::Lane || visit::any_loop(list, &mut |l| l.is_distributed()) {
            return;
        }
        let effects = self.oracle.list(list);
        let is_own = |place: &Place| {
            let variable = place.variable();
            variable.is_some_and(|symbol| self.owners.contains_key(&symbol))
        };
        if effects.impure || !effects.writes.iter().all(is_own) {
            let own = effects.writes.iter().filter_map(|place| place.variable());
            let arrays = own.filter(|symbol| {
                self.oracle.unit().is_array(*symbol)
                    && self.owners.get(symbol) == Some(&level)
                    && !self.combined.contains(symbol)
            });
            self.shared.extend(arrays);
        }
    }

    fn expression(&mut self, e: &Expression, level: Level) {
        self.oracle.accesses(e, &mut |access| {
            if let Place::Variable(symbol) = access.place {
                let array = self.oracle.unit().is_array(symbol) && !self.combined.contains(&symbol);
                if access.touch == Touch::Write || array {
                    self.written(symbol, level);
                }
            }
        });
        for symbol in self.oracle.expression(e).escapes {
            let owner = self.owners.get(&symbol).copied();
            if owner.is_some_and(|owner| owner != Level::Lane)
                && !self.reduced.contains(&symbol)
                && (self.oracle.unit().is_array(symbol) || level != Level::Lane)
            {
                self.shared.insert(symbol);
            }
        }
    }

    fn written(&mut self, symbol: SymbolId, level: Level) {
        let outer = self.owners.get(&symbol).is_some_and(|&owner| owner < level);
        if outer && !self.reduced.contains(&symbol) {
            self.shared.insert(symbol);
        }
    }
}

/// A shared variable that begins with the value of a captured one.
fn copy_of_value(kernel: &mut Kernel, symbol: SymbolId, unit: &Unit) -> SymbolId {
    let span = kernel.span;
    let source = unit.symbol(symbol).clone();
    let copy = synthesis::variable(unit, &format!("{}_shared", source.name), source.ty.ty, span);
    variables::rename(&mut kernel.body, symbol, copy);
    let target = synthesis::symbol(unit, copy, span);
    let value = synthesis::symbol(unit, symbol, span);
    let assignment = Statement::assign(target, value, span);
    kernel.body.insert(0, assignment);
    kernel.privates.push(copy);
    copy
}

/// Whether anything else in the kernel has the name: shared memory is declared at the kernel's
/// top, where one of the two would hide the other in places where it did not before.
fn is_name_taken(kernel: &Kernel, symbol: SymbolId, unit: &Unit) -> bool {
    let own = &unit.symbol(symbol).name;
    let mut is_taken = false;
    variables::kernel_symbols(kernel, &mut |other| {
        is_taken |= other != symbol && unit.symbol(other).name == *own;
    });
    is_taken
}

/// Gives a variable a name that nothing in the kernel has.
fn under_own_name(kernel: &mut Kernel, symbol: SymbolId, unit: &Unit) -> SymbolId {
    let Symbol { name, ty, .. } = unit.symbol(symbol).clone();
    let copy = variables::kernel_variable(unit, kernel, &[], &name, ty.ty);
    variables::rename(&mut kernel.body, symbol, copy);
    copy
}

/// Arrays that do not fit go to device memory; other variables are errors.
fn make_room(kernel: &mut Kernel, unit: &Unit, errors: &mut Vec<Diagnostic>) {
    let workers = match &kernel.block {
        Some([_, BlockExtent::Constant(n), _]) => u64::from(*n),
        _ => 32,
    };
    let mut total = 0u64;
    let mut moved = Vec::new();
    for variable in &kernel.shared {
        let symbol = unit.symbol(variable.symbol);
        let copies = match variable.level {
            Level::Row => workers,
            _ => 1,
        };
        let size = unit.types.size(symbol.ty.ty);
        let bytes = size.unwrap_or(ROOM + 1).saturating_mul(copies);
        let more = total.saturating_add(bytes);
        if more <= ROOM {
            total = more;
        } else if unit.is_array(variable.symbol) && (kernel.collective.is_none() || size.is_none())
        {
            // One of variable length in a collective's function is refused there.
            moved.push(*variable);
        } else {
            errors.push(too_large(kernel, symbol));
            return;
        }
    }
    if moved.is_empty() {
        return;
    }
    covering::withdraw(kernel);
    kernel.shared.retain(|variable| !moved.contains(variable));
    kernel
        .private_arrays
        .extend(moved.into_iter().map(|variable| PrivateArray {
            symbol: variable.symbol,
            size: PrivateArraySize::Declared,
            copied: false,
            owner: Some(variable.level.into()),
        }));
}

fn too_large(kernel: &Kernel, symbol: &Symbol) -> Diagnostic {
    let block = kernel.words.levels.block;
    let message = format!("`{}` does not fit in shared memory", symbol.name);
    Diagnostic::error(codes::SHARED_TOO_LARGE, message, symbol.span)
        .also(
            kernel.directive,
            format!("each {block} of this construct has a copy"),
        )
        .note(format!(
            "the variables that threads of a {block} share may take {ROOM} bytes in all"
        ))
        .help("use an array instead of a struct, or make it private to the innermost loop")
}
