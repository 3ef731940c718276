//! Masks as a person would write them: no variable that is tested once, no
//! assignment that is not read, `const` where nothing changes.

use std::collections::{HashMap, HashSet};

use super::masks::Names;
use super::segments::is_simple_comparison;
use crate::analysis::effects::{cannot_fault, may_change};
use crate::ir::numbered;
use crate::ir::{SharedWindow, Statement, StatementKind, WindowMarks, visit};
use crate::passes::variables;
use crate::typed::{
    self, BinaryOperator, Expression, ExpressionKind, Initializer, LocalDeclaration, SymbolId,
};

/// Tidies the masks of a kernel's body.
pub fn run(body: &mut Vec<Statement>, names: &mut Names) {
    drop_unread(body, names);
    drop_empty(body);
    visit::lists_mut(body, &mut |list| clear_at_once(list, names));
    visit::lists_mut(body, &mut |list| merge(list, names));
    let uses = Uses::of(body, names);
    for (&mask, use_) in &uses.0 {
        if use_.writes == 0 {
            names.constants.push(mask);
        }
    }
    let mut values = HashMap::new();
    collect(body, &uses, names, &mut values);
    variables::drop_declarations(body, &mut |declaration| {
        values.contains_key(&declaration.symbol)
    });
    substitute(body, &values);
}

/// Removes locals that nothing mentions any more, such as those that were made
/// for a window's pivot.
pub fn drop_unused(body: &mut Vec<Statement>, windows: &[SharedWindow]) {
    loop {
        let mut used = HashSet::new();
        let mut mention = |symbol| {
            used.insert(symbol);
        };
        visit::symbols(body, &mut mention);
        for window in windows {
            let computed = window.computed();
            computed.for_each(|e| typed::visit::symbols(e, &mut mention));
            if let WindowMarks::Flag(flag) | WindowMarks::Slots(flag) = window.marks {
                mention(flag);
            }
            mention(window.storage);
        }
        visit::walk(body, &mut |s| match &s.kind {
            StatementKind::WhileAny(live, _) => {
                used.insert(*live);
            }
            StatementKind::Loop(l) => {
                used.insert(l.induction);
                used.extend(l.reductions.iter().map(|r| r.symbol));
            }
            _ => {}
        });
        let mut dropped = false;
        variables::drop_declarations(body, &mut |declaration| {
            let is_needless = !used.contains(&declaration.symbol) && is_without_effect(declaration);
            dropped |= is_needless;
            is_needless
        });
        if !dropped {
            drop_empty(body);
            return;
        }
    }
}

fn is_without_effect(declaration: &LocalDeclaration) -> bool {
    let mut harmless = declaration.lengths.is_empty();
    declaration.values(&mut |e| harmless &= cannot_fault(e) && !may_change(e));
    harmless
}

/// How often a mask is read and written.
#[derive(Clone, Copy, Default)]
struct Use {
    reads: usize,
    writes: usize,
    /// Position of the last read, statements counted in textual order.
    last_read: usize,
    /// Its test is a barrier.
    repeats: bool,
}

struct Uses(HashMap<SymbolId, Use>);

impl Uses {
    fn of(body: &[Statement], names: &Names) -> Self {
        let mut uses: HashMap<SymbolId, Use> = HashMap::new();
        let mut count = 0;
        visit::walk(body, &mut |statement| {
            let position = count;
            count += 1;
            if let Some(mask) = cleared(statement, names) {
                uses.entry(mask).or_default().writes += 1;
            }
            if let StatementKind::WhileAny(live, _) = statement.kind {
                let entry = uses.entry(live).or_default();
                entry.reads += 1;
                entry.repeats = true;
            }
            visit::own_expressions(statement, &mut |e| {
                reads(e, names, &mut |mask| {
                    let entry = uses.entry(mask).or_default();
                    entry.reads += 1;
                    entry.last_read = position;
                });
            });
        });
        Self(uses)
    }

    fn get(&self, mask: SymbolId) -> Use {
        self.0.get(&mask).copied().unwrap_or_default()
    }
}

/// The masks that an expression reads, once for each time.
fn reads(e: &Expression, names: &Names, visit: &mut dyn FnMut(SymbolId)) {
    if let ExpressionKind::Assign(target, value) = &e.kind
        && target.as_symbol().is_some_and(|s| names.is_mask(s))
    {
        return reads(value, names, visit);
    }
    if let ExpressionKind::Symbol(symbol) = e.kind
        && names.is_mask(symbol)
    {
        visit(symbol);
    }
    typed::visit::operands(e, &mut |operand| reads(operand, names, visit));
}

/// The mask that a statement assigns.
fn cleared(statement: &Statement, names: &Names) -> Option<SymbolId> {
    let StatementKind::Expression(Some(e)) = &statement.kind else {
        return None;
    };
    let ExpressionKind::Assign(target, _) = &e.kind else {
        return None;
    };
    target.as_symbol().filter(|&symbol| names.is_mask(symbol))
}

/// Removes assignments to masks that nothing behind them reads. A mask lives
/// in one iteration of the loops around it, so that the textual order decides;
/// those that a loop repeats by are left alone.
fn drop_unread(body: &mut Vec<Statement>, names: &Names) {
    loop {
        let uses = Uses::of(body, names);
        let mut dropped = false;
        numbered::change(body, &mut |statement, position| {
            let use_ = cleared(statement, names).map(|mask| uses.get(mask));
            if use_.is_some_and(|use_| !use_.repeats && use_.last_read <= position) {
                statement.kind = StatementKind::Expression(None);
                dropped = true;
            }
        });
        drop_empty(body);
        if !dropped {
            return;
        }
    }
}

/// Removes what is left without effect.
fn drop_empty(list: &mut Vec<Statement>) {
    for statement in list.iter_mut() {
        visit::blocks_mut(statement, &mut |inner| drop_empty(inner));
        if let StatementKind::If(_, _, otherwise) = &mut statement.kind
            && otherwise.as_ref().is_some_and(Vec::is_empty)
        {
            *otherwise = None;
        }
    }
    list.retain(|statement| match &statement.kind {
        StatementKind::Expression(None) => false,
        StatementKind::If(condition, then, None) => !then.is_empty() || may_change(condition),
        _ => true,
    });
    // A label stands before a statement.
    let last = list
        .last()
        .filter(|last| is_label(last))
        .map(|last| last.span);
    list.extend(last.map(|span| StatementKind::Expression(None).at(span)));
}

fn is_label(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Case(_) | StatementKind::Default
    )
}

/// Joins groups side by side whose mask is the same, unless the first changes
/// it or the second declares what may have another's name.
fn merge(list: &mut Vec<Statement>, names: &Names) {
    let mut index = 0;
    while index + 1 < list.len() {
        let same = match (group(&list[index], names), group(&list[index + 1], names)) {
            (Some((a, first)), Some((b, second))) => {
                a == b && !changes(first, a, names) && visit::declared(second).is_empty()
            }
            _ => false,
        };
        if !same {
            index += 1;
            continue;
        }
        let second = list.remove(index + 1);
        if let (StatementKind::If(_, first, _), StatementKind::If(_, second, _)) =
            (&mut list[index].kind, second.kind)
        {
            first.extend(second);
        }
    }
}

/// `if (mask) …`
fn group<'s>(statement: &'s Statement, names: &Names) -> Option<(SymbolId, &'s [Statement])> {
    match &statement.kind {
        StatementKind::If(condition, then, None) => {
            let mask = condition.as_symbol().filter(|&s| names.is_mask(s))?;
            Some((mask, then))
        }
        _ => None,
    }
}

fn changes(list: &[Statement], mask: SymbolId, names: &Names) -> bool {
    visit::any(list, &mut |s| cleared(s, names) == Some(mask))
}

/// A mask that is cleared right after its declaration begins so:
///
/// ```c
/// bool active = i < n;                    const bool active = i < n && a[i] >= 0;
/// if (active && a[i] < 0)
///     active = false;
/// ```
fn clear_at_once(list: &mut Vec<Statement>, names: &Names) {
    let mut index = 0;
    while index + 1 < list.len() {
        let test = clears_only(&list[index + 1], names);
        if let Some((mask, test)) = test
            && let Some(value) = declared_value(&mut list[index], mask)
        {
            let holds = names.opposite(test);
            *value = names.and(value.clone(), holds);
            list.remove(index + 1);
        } else {
            index += 1;
        }
    }
}

/// `if (mask && test) mask = false;`
fn clears_only(statement: &Statement, names: &Names) -> Option<(SymbolId, Expression)> {
    let StatementKind::If(condition, then, None) = &statement.kind else {
        return None;
    };
    let [only] = then.as_slice() else { return None };
    let mask = cleared(only, names)?;
    match &condition.kind {
        ExpressionKind::Binary(BinaryOperator::LogicalAnd, a, test)
            if a.as_symbol() == Some(mask) && !may_change(test) =>
        {
            Some((mask, (**test).clone()))
        }
        _ => None,
    }
}

fn declared_value(statement: &mut Statement, mask: SymbolId) -> Option<&mut Expression> {
    let StatementKind::Declaration(list) = &mut statement.kind else {
        return None;
    };
    match list.as_mut_slice() {
        [only] if only.symbol == mask => match &mut only.initializer {
            Some(Initializer::Expression(value)) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// The masks that are better written out where they are read: those of tiles
/// that are tested once, or twice where the test is short; others only in the
/// very next statement.
fn collect(
    list: &[Statement],
    uses: &Uses,
    names: &Names,
    values: &mut HashMap<SymbolId, Expression>,
) {
    for (index, statement) in list.iter().enumerate() {
        if let Some((mask, value)) = declared(statement, names) {
            let use_ = uses.get(mask);
            let next = list.get(index + 1);
            let is_range = names.is_range(mask);
            let short = if is_simple_comparison(value) { 2 } else { 1 };
            let macro_expanded = use_.writes == 0
                && !use_.repeats
                && (is_range && use_.reads <= short
                    || use_.reads == 1 && next.is_some_and(|next| tests_first(next, mask)));
            if macro_expanded || use_.reads == 0 && !use_.repeats {
                values.insert(mask, value.clone());
            }
        }
        visit::blocks(statement, &mut |inner| collect(inner, uses, names, values));
    }
}

/// The mask that a statement declares, and its value.
fn declared<'s>(statement: &'s Statement, names: &Names) -> Option<(SymbolId, &'s Expression)> {
    lone_declaration(statement).filter(|(symbol, _)| names.is_mask(*symbol))
}

/// The only variable that a statement declares, and its value.
fn lone_declaration(statement: &Statement) -> Option<(SymbolId, &Expression)> {
    let StatementKind::Declaration(list) = &statement.kind else {
        return None;
    };
    match list.as_slice() {
        [only] => Some((only.symbol, only.value()?)),
        _ => None,
    }
}

/// Whether a statement evaluates a mask before anything else.
fn tests_first(statement: &Statement, mask: SymbolId) -> bool {
    let mut first = match &statement.kind {
        StatementKind::If(condition, ..) => Some(condition),
        _ => lone_declaration(statement).map(|(_, value)| value),
    };
    while let Some(ExpressionKind::Binary(_, left, _)) = first.map(|e| &e.kind) {
        first = Some(left);
    }
    first.and_then(Expression::as_symbol) == Some(mask)
}

fn substitute(body: &mut [Statement], values: &HashMap<SymbolId, Expression>) {
    let resolved: HashMap<SymbolId, Expression> = values
        .keys()
        .map(|&mask| {
            let mut value = values[&mask].clone();
            // A mask may be made of others, which are declared before it.
            for _ in 0..values.len() {
                replace(&mut value, values);
            }
            (mask, value)
        })
        .collect();
    visit::expressions_mut(body, &mut |e| replace_here(e, &resolved));
}

fn replace(e: &mut Expression, values: &HashMap<SymbolId, Expression>) {
    typed::visit::walk_mut(e, &mut |e| replace_here(e, values));
}

fn replace_here(e: &mut Expression, values: &HashMap<SymbolId, Expression>) {
    if let ExpressionKind::Symbol(symbol) = e.kind
        && let Some(value) = values.get(&symbol)
    {
        *e = value.clone();
    }
}
