//! The launches of a construct whose loop nests become kernels one by one.
//!
//! Input: the statements of the construct. Output: those of each launch in
//! order, and the variables that launches hand on.
//!
//! ```c
//! #pragma acc kernels
//! {
//!     const int last = n - 1;            // a value of the host: no launch
//!     const double scale = 1.0 / a[0];   // launch 1, one thread: `scale` is
//!     for (int i = 0; i < last; i++)     // launch 2     in device memory
//!         a[i] *= scale;
//! }
//! ```
//!
//! Each statement with loops is a launch, and so is the code between. A
//! variable that the construct declares and several launches use is in device
//! memory as long as the construct runs, unless the host can tell its value and
//! nothing changes it. Where a variable is of a kind that cannot be handed on
//! (a pointer, a structure, an array of run-time size or with initial values),
//! or windows stand in the construct, all of it is one launch.

use std::collections::BTreeSet;

use super::usage;
use crate::ir::{Module, RegionLocal, Statement, StatementKind, visit};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, Initializer, LocalDeclaration, QualType, SymbolId,
    Type, UnaryOperator, Unit, synthesis,
};

/// What a construct launches.
pub struct Sequence {
    /// The statements of each launch.
    pub bodies: Vec<Vec<Statement>>,
    /// The variables that launches may hand on.
    pub locals: Vec<RegionLocal>,
}

impl Sequence {
    /// All is one launch.
    pub fn one(body: Vec<Statement>) -> Self {
        Self {
            bodies: vec![body],
            locals: Vec::new(),
        }
    }

    /// Has variables that launches of one thread set before all others, and give
    /// back behind them.
    pub fn surround(
        &mut self,
        own: impl Iterator<Item = SymbolId>,
        before: Vec<Statement>,
        after: Vec<Statement>,
    ) {
        self.bodies.insert(0, before);
        self.bodies.push(after);
        self.locals.extend(own.map(|symbol| RegionLocal {
            symbol,
            value: None,
        }));
    }
}

/// Splits the statements of a construct. `fixed` tells of a variable
/// from outside that no clause puts it into device memory.
pub fn split(
    unit: &Unit,
    list: Vec<Statement>,
    fixed: &mut dyn FnMut(SymbolId) -> bool,
) -> Sequence {
    let list = flattened(unit, list);
    if list.iter().any(is_jump) {
        return Sequence::one(list);
    }
    let bodies = pieces(list);
    let shared = shared_locals(unit, &bodies);
    if shared.is_empty() {
        return Sequence {
            bodies,
            locals: Vec::new(),
        };
    }
    let list: Vec<Statement> = bodies.iter().flatten().cloned().collect();
    if !can_hand_on(unit, &list, &shared) {
        return Sequence::one(list);
    }
    let mut handed_on = HandedOn {
        unit,
        shared,
        fixed,
        changed: changed(unit, &list),
        inside: visit::declared(&list).into_iter().collect(),
        locals: Vec::new(),
    };
    let list = list.into_iter().flat_map(|s| handed_on.statement(s));
    let bodies = pieces(list.collect());
    Sequence {
        bodies,
        locals: handed_on.locals,
    }
}

/// Leaves out variables that each launch turned out to have for its own.
pub fn retain_used(locals: &mut Vec<RegionLocal>, is_used: &dyn Fn(SymbolId) -> bool) {
    for index in (0..locals.len()).rev() {
        let symbol = locals[index].symbol;
        let mentions =
            |later: &RegionLocal| later.value.as_ref().is_some_and(|e| e.mentions(symbol));
        if !is_used(symbol) && !locals[index + 1..].iter().any(mentions) {
            locals.remove(index);
        }
    }
}

/// Variables in device memory are written once even if they are `const`.
pub fn make_writable(unit: &mut Unit, module: &Module) {
    let locals = module.regions.iter().flat_map(|region| &region.locals);
    for local in locals.filter(|local| local.value.is_none()) {
        unit.symbol_mut(local.symbol).ty.qualifiers.is_const = false;
    }
}

/// Each statement with loops, and the code between them.
fn pieces(list: Vec<Statement>) -> Vec<Vec<Statement>> {
    let mut pieces: Vec<(bool, Vec<Statement>)> = Vec::new();
    for statement in list {
        let is_nest = has_loops(&statement);
        match pieces.last_mut() {
            Some((false, code)) if !is_nest => code.push(statement),
            _ => pieces.push((is_nest, vec![statement])),
        }
    }
    pieces.into_iter().map(|(_, code)| code).collect()
}

/// Blocks are taken apart, unless names of theirs would then meet; of those
/// without loops only what declares nothing. Empty statements go.
fn flattened(unit: &Unit, list: Vec<Statement>) -> Vec<Statement> {
    let mut out = Vec::new();
    for statement in list {
        match statement.kind {
            StatementKind::Expression(None) => {}
            StatementKind::Block(inner) if !declares(&inner) || has_several_steps(&inner) => {
                let inner = flattened(unit, inner);
                if names_meet(unit, &out, &inner) {
                    out.push(Statement {
                        kind: StatementKind::Block(inner),
                        span: statement.span,
                    });
                } else {
                    out.extend(inner);
                }
            }
            _ => out.push(statement),
        }
    }
    out
}

fn declares(list: &[Statement]) -> bool {
    list.iter()
        .any(|s| matches!(s.kind, StatementKind::Declaration(_)))
}

fn has_several_steps(list: &[Statement]) -> bool {
    list.len() > 1 && list.iter().any(has_loops)
}

/// Whether both lists declare a variable of one name at their top.
fn names_meet(unit: &Unit, list: &[Statement], other: &[Statement]) -> bool {
    let names = |list: &[Statement]| -> BTreeSet<String> {
        let symbols = top_declarations(list);
        symbols.map(|id| unit.symbol(id).name.clone()).collect()
    };
    !names(list).is_disjoint(&names(other))
}

fn top_declarations(list: &[Statement]) -> impl Iterator<Item = SymbolId> + '_ {
    let declared = list.iter().filter_map(|s| match &s.kind {
        StatementKind::Declaration(list) => Some(list),
        _ => None,
    });
    declared.flatten().map(|declaration| declaration.symbol)
}

fn is_jump(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Label(_) | StatementKind::Goto(_)
    )
}

fn has_loops(statement: &Statement) -> bool {
    visit::any_loop(std::slice::from_ref(statement), &mut |_| true)
}

/// The variables declared in one piece and used in another.
fn shared_locals(unit: &Unit, pieces: &[Vec<Statement>]) -> BTreeSet<SymbolId> {
    let declared: BTreeSet<SymbolId> = pieces.iter().flat_map(|p| visit::declared(p)).collect();
    let mut shared = BTreeSet::new();
    for piece in pieces {
        let used = usage::of(unit, piece);
        let of_others = used.outside().map(|(symbol, _)| symbol);
        shared.extend(of_others.filter(|symbol| declared.contains(symbol)));
    }
    shared
}

/// Whether the construct can be several launches with these variables between
/// them: the host declares each by its name, which must mean no other there.
fn can_hand_on(unit: &Unit, list: &[Statement], shared: &BTreeSet<SymbolId>) -> bool {
    let has_windows = visit::any(list, &mut |s| matches!(s.kind, StatementKind::Windows(_)));
    let used = usage::of(unit, list);
    let is_free = |symbol: SymbolId| {
        let name = &unit.symbol(symbol).name;
        used.outside()
            .all(|(other, _)| &unit.symbol(other).name != name)
            && shared
                .iter()
                .all(|&other| other == symbol || &unit.symbol(other).name != name)
    };
    let declarations = list.iter().filter_map(|s| match &s.kind {
        StatementKind::Declaration(list) => Some(list),
        _ => None,
    });
    let mut found = declarations
        .flatten()
        .filter(|declaration| shared.contains(&declaration.symbol));
    !has_windows
        && found.all(|declaration| is_plain(unit, declaration) && is_free(declaration.symbol))
}

/// A number or an array of numbers without initial values.
fn is_plain(unit: &Unit, declaration: &LocalDeclaration) -> bool {
    let symbol = unit.symbol(declaration.symbol);
    let is_number = |ty: QualType| {
        !ty.qualifiers.is_volatile
            && matches!(
                unit.types.get(ty.ty),
                Type::Bool | Type::Integer(_) | Type::Floating(_) | Type::Enum(_)
            )
    };
    let mut ty = symbol.ty;
    while let Type::Array {
        element,
        length: ArrayLength::Constant(_),
    } = unit.types.get(ty.ty)
    {
        ty = *element;
    }
    let is_array = ty.ty != symbol.ty.ty;
    let is_given = match &declaration.initializer {
        Some(Initializer::Expression(_)) => !is_array,
        Some(Initializer::Aggregate(_)) => false,
        None => true,
    };
    symbol.is_automatic() && is_number(ty) && is_given && declaration.lengths.is_empty()
}

/// The variables that statements assign, behind their declarations.
fn changed(unit: &Unit, list: &[Statement]) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for statement in list {
        let used = usage::of(unit, std::slice::from_ref(statement));
        let assigned = used.outside().filter(|(_, place)| place.assigned);
        found.extend(assigned.map(|(symbol, _)| symbol));
    }
    found
}

/// Takes the declarations of shared variables out of the statements.
struct HandedOn<'h> {
    unit: &'h Unit,
    shared: BTreeSet<SymbolId>,
    fixed: &'h mut dyn FnMut(SymbolId) -> bool,
    changed: BTreeSet<SymbolId>,
    /// Declared in the construct.
    inside: BTreeSet<SymbolId>,
    locals: Vec<RegionLocal>,
}

impl HandedOn<'_> {
    /// A declaration becomes assignments, and others declarations.
    fn statement(&mut self, statement: Statement) -> Vec<Statement> {
        let StatementKind::Declaration(list) = statement.kind else {
            return vec![statement];
        };
        let mut out: Vec<Statement> = Vec::new();
        for declaration in list {
            let kind = if !self.shared.contains(&declaration.symbol) {
                StatementKind::Declaration(vec![declaration])
            } else if let Some(assignment) = self.declare(declaration) {
                StatementKind::Expression(Some(assignment))
            } else {
                continue;
            };
            out.push(Statement {
                kind,
                span: statement.span,
            });
        }
        out
    }

    /// Notes a variable; its initialisation, if a launch does that.
    fn declare(&mut self, declaration: LocalDeclaration) -> Option<Expression> {
        let symbol = declaration.symbol;
        let value = match declaration.initializer {
            Some(Initializer::Expression(value)) => Some(value),
            _ => None,
        };
        let is_fixed = !self.changed.contains(&symbol);
        let known = value.clone().filter(|e| is_fixed && self.is_host_value(e));
        let is_known = known.is_some();
        self.locals.push(RegionLocal {
            symbol,
            value: known,
        });
        let value = value.filter(|_| !is_known)?;
        let target = synthesis::symbol(self.unit, symbol, declaration.span);
        Some(Expression {
            span: target.span.to(value.span),
            ..synthesis::assign(target, value)
        })
    }

    /// Whether the host computes the same: arithmetic on what does not change
    /// in the construct.
    fn is_host_value(&mut self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Integer { .. } | ExpressionKind::Floating { .. } => true,
            ExpressionKind::Symbol(symbol) => self.is_host_variable(*symbol),
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Convert(_, e)
            | ExpressionKind::Cast(e)
            | ExpressionKind::Unary(
                UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::BitNot
                | UnaryOperator::LogicalNot,
                e,
            ) => self.is_host_value(e),
            ExpressionKind::Binary(_, a, b) => self.is_host_value(a) && self.is_host_value(b),
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.is_host_value(condition)
                    && then.as_ref().is_none_or(|then| self.is_host_value(then))
                    && self.is_host_value(otherwise)
            }
            _ => false,
        }
    }

    fn is_host_variable(&mut self, symbol: SymbolId) -> bool {
        let variable = self.unit.symbol(symbol);
        let is_number = matches!(
            self.unit.types.get(variable.ty.ty),
            Type::Bool | Type::Integer(_) | Type::Floating(_) | Type::Enum(_)
        );
        if !is_number || variable.ty.qualifiers.is_volatile || self.changed.contains(&symbol) {
            return false;
        }
        match self.locals.iter().find(|local| local.symbol == symbol) {
            Some(local) => local.value.is_some(),
            None => {
                variable.is_automatic() && !self.inside.contains(&symbol) && (self.fixed)(symbol)
            }
        }
    }
}
