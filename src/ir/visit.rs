//! Walks over the statements of kernels.
//!
//! Parents come before children and statements in textual order. Expressions
//! inside statement expressions are reached through
//! [`crate::typed::visit::walk`].

use super::{Loop, Statement, StatementKind};
use crate::typed::{self, Expression, LocalDeclaration, SymbolId, visit};

/// Whether an expression of a list of statements names a variable.
pub fn mentions(list: &[Statement], symbol: SymbolId) -> bool {
    let mut found = false;
    symbols(list, &mut |named| found = found || named == symbol);
    found
}

/// The lists of statements directly inside a kind of statement but for the
/// initialiser of a plain `for`, to look at them or to change them.
macro_rules! each_block {
    ($kind:expr, $visit:ident, $part:ident) => {
        match $kind {
            StatementKind::Block(body)
            | StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::Switch(_, body)
            | StatementKind::WhileAny(_, body)
            | StatementKind::Single { body, .. } => $visit(body),
            StatementKind::If(_, then, otherwise) => {
                $visit(then);
                if let Some(otherwise) = otherwise {
                    $visit(otherwise);
                }
            }
            StatementKind::Windows(region) => $visit($part!(region.body)),
            StatementKind::Loop(inner) => $visit($part!(inner.body)),
            StatementKind::For(parts) => $visit($part!(parts.body)),
            _ => {}
        }
    };
}

/// The outermost expressions that a kind of statement evaluates itself.
macro_rules! each_own_expression {
    ($kind:expr, $visit:ident, $values:path, $part:ident) => {
        match $kind {
            StatementKind::Expression(Some(e))
            | StatementKind::If(e, ..)
            | StatementKind::While(e, _)
            | StatementKind::DoWhile(_, e)
            | StatementKind::Switch(e, _)
            | StatementKind::Return(Some(e))
            | StatementKind::WriteBack { mask: Some(e), .. } => $visit(e),
            StatementKind::Atomic(atomic) => $part!(atomic.steps).into_iter().for_each($visit),
            StatementKind::CollectiveCall(call) => $visit($part!(call.call)),
            StatementKind::Case(label) => {
                let written = $part!(label.written);
                written.into_iter().for_each(|e| $visit(e));
            }
            StatementKind::Declaration(list) => {
                for LocalDeclaration { initializer, .. } in list {
                    if let Some(value) = initializer {
                        $values(value, $visit);
                    }
                }
            }
            StatementKind::Loop(inner) => {
                $visit($part!(inner.lower));
                $visit($part!(inner.bound));
                $visit($part!(inner.step));
            }
            StatementKind::For(parts) => {
                for part in [$part!(parts.condition), $part!(parts.step)] {
                    part.into_iter().for_each(&mut *$visit);
                }
            }
            StatementKind::Windows(region) => {
                for window in $part!(region.windows) {
                    for dimension in $part!(window.dimensions) {
                        $visit($part!(dimension.pivot));
                        $visit($part!(dimension.before));
                        $visit($part!(dimension.after));
                    }
                }
            }
            _ => {}
        }
    };
}

macro_rules! seen {
    ($part:expr) => {
        &$part
    };
}

macro_rules! changed {
    ($part:expr) => {
        &mut $part
    };
}

/// Calls `visit` on the variables that the expressions of a list of statements name,
/// as often as they do.
pub fn symbols(list: &[Statement], visit: &mut dyn FnMut(SymbolId)) {
    walk(list, &mut |statement| {
        own_expressions(statement, &mut |e| visit::symbols(e, visit));
    });
}

/// Calls `visit` on each list of statements directly inside a statement.
pub fn blocks<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a [Statement])) {
    if let StatementKind::For(parts) = &statement.kind
        && let Some(initializer) = &parts.initializer
    {
        visit(std::slice::from_ref(initializer));
    }
    each_block!(&statement.kind, visit, seen);
}

/// The lists of statements directly inside a statement.
pub fn lists(statement: &Statement) -> Vec<&[Statement]> {
    let mut found = Vec::new();
    blocks(statement, &mut |inner| found.push(inner));
    found
}

/// As [`blocks`], to change them. The initialiser of a plain `for` is left
/// out, since it is one statement and must stay one.
pub fn blocks_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    each_block!(&mut statement.kind, change, changed);
}

/// Calls `visit` on the statements of a list and all statements inside them.
pub fn walk<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Statement)) {
    for statement in list {
        visit(statement);
        blocks(statement, &mut |inner| walk(inner, visit));
    }
}

/// As [`walk`], to change them; outer ones first. The initialiser of a plain
/// `for` is left out.
pub fn walk_mut(list: &mut [Statement], change: &mut dyn FnMut(&mut Statement)) {
    for statement in list {
        change(statement);
        blocks_mut(statement, &mut |inner| walk_mut(inner, change));
    }
}

/// Calls `change` on a list of statements and all lists inside it, outer ones
/// first.
pub fn lists_mut(list: &mut Vec<Statement>, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    change(list);
    for statement in list {
        blocks_mut(statement, &mut |inner| lists_mut(inner, change));
    }
}

/// Whether some statement of a list, or inside one of these, is such.
pub fn any(list: &[Statement], is_such: &mut dyn FnMut(&Statement) -> bool) -> bool {
    list.iter().any(|statement| {
        let mut found = is_such(statement);
        blocks(statement, &mut |inner| found = found || any(inner, is_such));
        found
    })
}

/// Whether control may get into a list from elsewhere: to labels, and to the cases of a `switch`
/// around it, however deep they are.
pub fn is_entered(list: &[Statement]) -> bool {
    list.iter().any(|statement| match &statement.kind {
        StatementKind::Case(..) | StatementKind::Default | StatementKind::Label(_) => true,
        StatementKind::Switch(_, body) => any(body, &mut |inner| {
            matches!(inner.kind, StatementKind::Label(_))
        }),
        _ => lists(statement).into_iter().any(is_entered),
    })
}

/// As [`any`], of loops.
pub fn any_loop(list: &[Statement], is_such: &mut dyn FnMut(&Loop) -> bool) -> bool {
    any(list, &mut |statement| match &statement.kind {
        StatementKind::Loop(l) => is_such(l),
        _ => false,
    })
}

/// Where a statement stands.
#[derive(Clone, Default)]
pub struct Around<'a> {
    /// The loops around it, outermost first.
    pub loops: Vec<&'a Loop>,
    /// Nothing but blocks, regions of windows and these loops is around it.
    pub is_bare: bool,
}

/// As [`walk`], with what stands around each statement.
pub fn walk_around<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Statement, &Around<'a>)) {
    let mut around = Around {
        loops: Vec::new(),
        is_bare: true,
    };
    walk_inside(list, &mut around, visit);
}

fn walk_inside<'a>(
    list: &'a [Statement],
    around: &mut Around<'a>,
    visit: &mut dyn FnMut(&'a Statement, &Around<'a>),
) {
    for statement in list {
        visit(statement, around);
        let (depth, is_bare) = (around.loops.len(), around.is_bare);
        match &statement.kind {
            StatementKind::Loop(l) => around.loops.push(l),
            StatementKind::Block(_) | StatementKind::Windows(_) => {}
            _ => around.is_bare = false,
        }
        blocks(statement, &mut |inner| walk_inside(inner, around, visit));
        around.loops.truncate(depth);
        around.is_bare = is_bare;
    }
}

/// Calls `visit` on each [`Loop`] of a list and inside it, outer ones first.
pub fn loops<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Loop)) {
    walk(list, &mut |statement| {
        if let StatementKind::Loop(inner) = &statement.kind {
            visit(inner);
        }
    });
}

/// As [`loops`], to change them.
pub fn loops_mut(list: &mut [Statement], change: &mut dyn FnMut(&mut Loop)) {
    walk_mut(list, &mut |statement| {
        if let StatementKind::Loop(inner) = &mut statement.kind {
            change(inner);
        }
    });
}

/// Calls `visit` on the outermost expressions that a statement evaluates
/// itself, statements inside it apart. Of a [`Loop`] these are its first
/// value, bound and step; of a [`super::WindowRegion`] pivots and bounds.
pub fn own_expressions<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Expression)) {
    each_own_expression!(&statement.kind, visit, visit::initializer_values, seen);
}

/// Calls `visit` on every expression in a list of statements, the operands of
/// each included.
pub fn expressions<'a>(list: &'a [Statement], visit: &mut dyn FnMut(&'a Expression)) {
    walk(list, &mut |statement| {
        own_expressions(statement, &mut |e| visit::walk(e, visit));
    });
}

/// Calls `change` on every expression in a list of statements, the operands
/// of each included.
pub fn expressions_mut(list: &mut [Statement], change: &mut dyn FnMut(&mut Expression)) {
    walk_mut(list, &mut |statement| {
        own_expressions_mut(statement, &mut |e| visit::walk_mut(e, change));
        if let StatementKind::For(parts) = &mut statement.kind
            && let Some(initializer) = &mut parts.initializer
        {
            expressions_mut(std::slice::from_mut(initializer), change);
        }
    });
}

/// As [`own_expressions`], to change them.
pub fn own_expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    each_own_expression!(&mut statement.kind, change, visit::change_roots, changed);
}

/// The variables that a list of statements declares or counts its loops with.
pub fn own_variables(list: &[Statement]) -> Vec<SymbolId> {
    let mut own = declared(list);
    loops(list, &mut |l| {
        own.extend(l.declared_inside.then_some(l.induction))
    });
    own
}

/// The variables declared by declarations in a list of statements, in statement expressions as well,
/// and those that take the results of [`StatementKind::CollectiveCall`]s.
pub fn declared(list: &[Statement]) -> Vec<SymbolId> {
    let mut symbols = Vec::new();
    walk(list, &mut |statement| {
        match &statement.kind {
            StatementKind::Declaration(declarations) => {
                symbols.extend(declarations.iter().map(|d| d.symbol));
            }
            StatementKind::CollectiveCall(call) => symbols.extend(call.result),
            _ => {}
        }
        own_expressions(statement, &mut |e| {
            symbols.extend(typed::visit::declared_inside(e));
        });
    });
    symbols
}

/// Whether code has windows, or barriers that the program asks for.
pub fn has_windows(list: &[Statement]) -> bool {
    any(list, &mut |s| {
        matches!(
            s.kind,
            StatementKind::Windows(_) | StatementKind::Barrier(_)
        )
    })
}
