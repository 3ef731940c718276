//! A list of statements in the making: what all threads run, and groups that
//! are run under a mask.

use std::collections::HashSet;

use super::masks::Names;
use crate::ir::{Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, Initializer, LocalDeclaration,
    QualType, SymbolId, Type, Unit,
};

/// The parts of a list in order.
#[derive(Default)]
pub struct Segments {
    parts: Vec<Part>,
    /// The last group takes no more statements.
    closed: bool,
}

enum Part {
    /// Run by all threads.
    Common(Statement),
    /// Run by threads whose mask is set.
    Masked(Expression, Vec<Statement>),
}

impl Segments {
    /// Adds a statement that all threads run.
    pub fn common(&mut self, statement: Statement) {
        self.parts.push(Part::Common(statement));
    }

    /// Adds a statement for the threads whose mask is set; to the last group,
    /// if its mask is the same.
    pub fn masked(&mut self, statement: Statement, mask: Option<Expression>) {
        let Some(mask) = mask else {
            return self.common(statement);
        };
        match self.parts.last_mut() {
            Some(Part::Masked(last, group))
                if !self.closed && last.as_symbol() == mask.as_symbol() =>
            {
                group.push(statement);
            }
            _ => {
                self.parts.push(Part::Masked(mask, vec![statement]));
                self.closed = false;
            }
        }
    }

    /// Ends the last group: its mask may have changed.
    pub fn flush(&mut self) {
        self.closed = true;
    }

    /// Whether a statement of all threads splits no group here.
    pub fn is_between_groups(&self) -> bool {
        !matches!(self.parts.last(), Some(Part::Masked(..))) || self.closed
    }

    /// The list. Variables of a group that are used behind it are declared
    /// before it.
    pub fn finish(self, names: &Names) -> Vec<Statement> {
        let parts = self.parts.iter();
        let used: Vec<HashSet<SymbolId>> = parts.map(|p| p.uses(&names.flags)).collect();
        let mut out = Vec::new();
        for (index, part) in self.parts.into_iter().enumerate() {
            let behind = &used[index + 1..];
            let is_used = |symbol: SymbolId| behind.iter().any(|set| set.contains(&symbol));
            match part {
                Part::Common(statement) => out.push(statement),
                Part::Masked(mask, group) => {
                    let mut rest = Vec::new();
                    for statement in group {
                        hoist(statement, &is_used, names.unit, &mut out, &mut rest);
                    }
                    out.extend(conditional(mask, rest, names));
                }
            }
        }
        out
    }
}

impl Part {
    /// The variables that a part mentions.
    fn uses(&self, flags: &HashSet<SymbolId>) -> HashSet<SymbolId> {
        let list = match self {
            Part::Common(statement) => std::slice::from_ref(statement),
            Part::Masked(_, group) => group.as_slice(),
        };
        let mut found = HashSet::new();
        visit::symbols(list, &mut |symbol| {
            found.insert(symbol);
        });
        visit::walk(list, &mut |s| match &s.kind {
            StatementKind::WriteBack { .. } => found.extend(flags),
            StatementKind::Loop(l) => {
                found.insert(l.induction);
            }
            _ => {}
        });
        found
    }
}

/// `if (mask) { group }`, with a condition inside drawn into the head.
fn conditional(mask: Expression, mut group: Vec<Statement>, names: &Names) -> Vec<Statement> {
    let is_comment = |s: &Statement| matches!(s.kind, StatementKind::Barrier(_));
    if group.iter().all(is_comment) {
        return group;
    }
    let span = group.first().map_or(Span::default(), |s| s.span);
    let single = group.len() == 1;
    let kind = match group.pop() {
        Some(Statement {
            kind: StatementKind::If(condition, then, None),
            ..
        }) if single => StatementKind::If(names.and(mask, condition), then, None),
        last => {
            group.extend(last);
            StatementKind::If(mask, group, None)
        }
    };
    vec![kind.at(span)]
}

/// Declares what is used behind its group before it.
fn hoist(
    statement: Statement,
    is_used: &dyn Fn(SymbolId) -> bool,
    unit: &Unit,
    before: &mut Vec<Statement>,
    group: &mut Vec<Statement>,
) {
    let span = statement.span;
    let StatementKind::Declaration(list) = statement.kind else {
        return group.push(statement);
    };
    for declaration in list {
        let declare =
            |declaration: LocalDeclaration| StatementKind::Declaration(vec![declaration]).at(span);
        if !is_used(declaration.symbol) {
            group.push(declare(declaration));
            continue;
        }
        let constant = declaration.initializer.as_ref().is_none_or(is_constant);
        if constant {
            before.push(declare(declaration));
            continue;
        }
        let zero = match &declaration.initializer {
            Some(Initializer::Aggregate(_)) => Some(Initializer::Aggregate(Vec::new())),
            _ => None,
        };
        before.push(declare(LocalDeclaration {
            initializer: zero,
            ..declaration.clone()
        }));
        let mut target = synthesis::symbol(unit, declaration.symbol, declaration.span);
        target.ty.qualifiers.is_const = false;
        if let Some(initializer) = declaration.initializer {
            assign(target, initializer, unit, group);
        }
    }
}

/// Whether an initialiser is made of numbers and text alone.
fn is_constant(initializer: &Initializer) -> bool {
    match initializer {
        Initializer::Expression(e) => matches!(
            e.inner().kind,
            ExpressionKind::Integer { .. }
                | ExpressionKind::Floating { .. }
                | ExpressionKind::String { .. }
        ),
        Initializer::Aggregate(items) => items.iter().all(|(_, item)| is_constant(item)),
    }
}

/// Assigns the values of an initialiser one by one.
fn assign(target: Expression, initializer: Initializer, unit: &Unit, group: &mut Vec<Statement>) {
    let items = match initializer {
        Initializer::Expression(value) => {
            let span = value.span;
            return group.push(Statement::assign(target, value, span));
        }
        Initializer::Aggregate(items) => items,
    };
    for (index, item) in items {
        if let Some(part) = part(&target, index, unit) {
            assign(part, item, unit, group);
        }
    }
}

/// An element or member of an object.
fn part(object: &Expression, index: u64, unit: &Unit) -> Option<Expression> {
    let span = object.span;
    match unit.types.get(object.ty.ty) {
        Type::Array { element, .. } => {
            let pointer =
                ExpressionKind::Convert(Conversion::ArrayToPointer, Box::new(object.clone()))
                    .at(object.ty, span);
            let number = synthesis::integer(i128::from(index), element.ty, span);
            Some(ExpressionKind::Index(Box::new(pointer), Box::new(number)).at(element.ty, span))
        }
        Type::Record(record) => {
            let member = usize::try_from(index).ok()?;
            let members = unit.types.record(*record).members.as_ref()?;
            Some(Expression {
                ty: QualType::plain(members.get(member)?.ty.ty),
                kind: ExpressionKind::Member {
                    base: Box::new(object.clone()),
                    record: *record,
                    member,
                    arrow: false,
                },
                span,
            })
        }
        _ => None,
    }
}

/// Whether an expression is one comparison of names and numbers.
pub fn is_simple_comparison(e: &Expression) -> bool {
    let is_plain = |e: &Expression| {
        matches!(
            e.inner().kind,
            ExpressionKind::Symbol(_) | ExpressionKind::Integer { .. }
        )
    };
    match &e.kind {
        ExpressionKind::Binary(operator, a, b) => {
            let compares = matches!(
                operator,
                BinaryOperator::Less
                    | BinaryOperator::LessEqual
                    | BinaryOperator::Greater
                    | BinaryOperator::GreaterEqual
            );
            compares && is_plain(a) && is_plain(b)
        }
        _ => false,
    }
}
