//! The loops below a nest of parallel ones that could be taken out of each
//! other: each all there is in the one around it, but for scalars of the iteration that
//! are set in front of it.

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Oracle, Place};
use crate::ir::{Loop, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{self, ExpressionKind, Initializer, SymbolId, Type, Unit};

/// Loops without directives, outer ones first.
pub struct Chain {
    /// Those that stay within a thread.
    levels: Vec<Level>,
    /// The body of the innermost one.
    body: Vec<Statement>,
}

/// A loop, and what stands between it and the loop around it.
struct Level {
    /// Sets scalars of the iteration that nothing inside the loop changes, so that doing it
    /// again does no harm, nor leaving it out where the loop has no iteration.
    before: Vec<Statement>,
    /// Its body is empty.
    around: Box<Loop>,
    span: Span,
}

impl Chain {
    /// The chain that a loop's body is; what is no part of it is its body. `is_own`: each iteration has
    /// such a variable for itself, and nothing reads it later.
    pub fn of(body: Vec<Statement>, oracle: &Oracle, is_own: &dyn Fn(SymbolId) -> bool) -> Self {
        let mut chain = Self {
            levels: Vec::new(),
            body,
        };
        while chain.descend(oracle, is_own) {}
        chain
    }

    fn descend(&mut self, oracle: &Oracle, is_own: &dyn Fn(SymbolId) -> bool) -> bool {
        if let [
            Statement {
                kind: StatementKind::Block(inner),
                ..
            },
        ] = self.body.as_mut_slice()
        {
            self.body = std::mem::take(inner);
            return true;
        }
        let is_level = match self.body.split_last() {
            Some((last, before)) => {
                matches!(&last.kind, StatementKind::Loop(l) if is_plain(l) && may_repeat(before, l, oracle, is_own))
            }
            None => false,
        };
        if !is_level {
            return false;
        }
        let Some(Statement {
            kind: StatementKind::Loop(mut around),
            span,
        }) = self.body.pop()
        else {
            return false;
        };
        let inside = std::mem::take(&mut around.body);
        let before = std::mem::replace(&mut self.body, inside);
        self.levels.push(Level {
            before,
            around,
            span,
        });
        true
    }

    /// The loops that are left, outer ones first; their bodies are not in
    /// them.
    pub fn loops(&self) -> impl Iterator<Item = &Loop> {
        self.levels.iter().map(|level| &*level.around)
    }

    /// Takes a loop out of those around it; what was set in front of it is set
    /// inside from now on.
    pub fn take(&mut self, number: usize) -> Taken {
        let Level {
            mut before,
            around,
            span,
        } = self.levels.remove(number);
        let inside = match self.levels.get_mut(number) {
            Some(next) => &mut next.before,
            None => &mut self.body,
        };
        before.append(inside);
        *inside = before;
        Taken { around, span }
    }

    /// Whether no two variables have the same name that stand in another order
    /// after a loop is taken out: the one could hide the other.
    fn has_own_names(&self, nest: &[&Loop], unit: &Unit) -> bool {
        let mut names: IndexMap<&str, SymbolId> = IndexMap::new();
        let mut is_own = true;
        let mut meet = |symbol: SymbolId| {
            let name = unit.symbol(symbol).name.as_str();
            is_own &= *names.entry(name).or_insert(symbol) == symbol;
        };
        let mut header = |l: &Loop| {
            meet(l.induction);
            for e in l.limits() {
                typed::visit::symbols(e, &mut meet);
            }
        };
        nest.iter().for_each(|l| header(l));
        self.loops().for_each(header);
        let set_before = self.levels.iter().flat_map(|level| &level.before);
        for statement in set_before.chain(&self.body) {
            if let StatementKind::Declaration(list) = &statement.kind {
                list.iter().for_each(|declaration| meet(declaration.symbol));
            }
        }
        for level in &self.levels {
            visit::symbols(&level.before, &mut meet);
        }
        is_own
    }

    /// The statements that the chain is.
    pub fn into_body(self) -> Vec<Statement> {
        let mut body = self.body;
        for level in self.levels.into_iter().rev() {
            let mut list = level.before;
            list.push(within(level.around, level.span, body));
            body = list;
        }
        body
    }
}

/// A loop that was taken out of a chain.
pub struct Taken {
    around: Box<Loop>,
    span: Span,
}

impl Taken {
    /// The loop around a body.
    pub fn around(self, body: Vec<Statement>) -> Vec<Statement> {
        vec![within(self.around, self.span, body)]
    }
}

fn within(mut around: Box<Loop>, span: Span, body: Vec<Statement>) -> Statement {
    around.body = body;
    StatementKind::Loop(around).at(span)
}

/// Whether no clause says how the loop is to run.
fn is_plain(l: &Loop) -> bool {
    !l.schedule.directive && !l.schedule.sequential && l.collapsed == 0 && l.tile.is_none()
}

/// Whether statements in front of a loop may as well stand in it: they set
/// scalars of the iteration to what costs no more than some reads, and the loop changes neither
/// these nor, as the proof of its independence finds out, what they read.
fn may_repeat(
    before: &[Statement],
    l: &Loop,
    oracle: &Oracle,
    is_own: &dyn Fn(SymbolId) -> bool,
) -> bool {
    if !before.iter().all(|s| sets_scalars(s, oracle.unit())) {
        return false;
    }
    let effects = oracle.list(before);
    let inside = oracle.list(&l.body);
    let is_repeatable = effects.is_repeatable();
    let mut set: IndexSet<Place> = effects.writes;
    set.extend(visit::declared(before).into_iter().map(Place::Variable));
    let is_kept = |place: &Place| {
        matches!(place, Place::Variable(symbol) if *symbol != l.induction && is_own(*symbol))
            && !inside.writes.contains(place)
    };
    let reads_variable = effects.reads.contains(&Place::Variable(l.induction));
    effects.escapes.is_empty() && is_repeatable && !reads_variable && set.iter().all(is_kept)
}

fn sets_scalars(statement: &Statement, unit: &Unit) -> bool {
    let is_scalar = |symbol: SymbolId| {
        let ty = unit.types.get(unit.symbol(symbol).ty.ty);
        !matches!(ty, Type::Array { .. } | Type::Record(_))
    };
    let sets = match &statement.kind {
        StatementKind::Expression(None) => true,
        StatementKind::Expression(Some(e)) => match &e.inner().kind {
            ExpressionKind::Assign(target, _) => target.as_symbol().is_some_and(is_scalar),
            _ => false,
        },
        StatementKind::Declaration(list) => list.iter().all(|declaration| {
            let value = declaration.initializer.as_ref();
            let is_value = value.is_none_or(|v| matches!(v, Initializer::Expression(_)));
            is_value && is_scalar(declaration.symbol)
        }),
        _ => false,
    };
    let mut is_cheap = true;
    visit::own_expressions(statement, &mut |e| {
        is_cheap &= !typed::visit::any(e, &mut |e| {
            matches!(
                e.kind,
                ExpressionKind::Call { .. } | ExpressionKind::Statement(_)
            )
        });
    });
    sets && is_cheap
}

/// The loops of a chain below some parallel loops that may be taken out of the
/// others: what their headers say is the same wherever they stand.
pub fn movable(chain: &Chain, nest: &[&Loop], oracle: &Oracle) -> Vec<SymbolId> {
    let Some(innermost) = nest.last() else {
        return Vec::new();
    };
    if !chain.has_own_names(nest, oracle.unit()) {
        return Vec::new();
    }
    let mut changing: IndexSet<SymbolId> = nest.iter().map(|l| l.induction).collect();
    changing.extend(visit::declared(&innermost.body));
    visit::loops(&innermost.body, &mut |l| {
        changing.insert(l.induction);
    });
    let writes = oracle.list(&innermost.body).writes;
    changing.extend(writes.into_iter().filter_map(Place::variable));
    let is_fixed = |l: &Loop| {
        l.limits().into_iter().all(|e| {
            let effects = oracle.expression(e);
            let is_fixed =
                |p: &Place| matches!(p, Place::Variable(symbol) if !changing.contains(symbol));
            effects.is_repeatable() && effects.reads.iter().all(is_fixed)
        })
    };
    let mut found = Vec::new();
    for (number, l) in chain.loops().enumerate() {
        // The variable of an outer loop that another one's header reads.
        let mut around = chain.loops().take(number);
        if is_fixed(l) && !around.any(|outer| outer.header_mentions(l.induction)) {
            found.push(l.induction);
        }
    }
    found
}
