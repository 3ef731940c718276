//! Accesses to elements of arrays, in all of C's spellings.
//!
//! `a[i][j]`, `*(a[i] + j)`, `(*(a + i))[j]` and `j[a[i]]` are the element of
//! `a` with the indices `i`, `j`.

use std::collections::HashMap;

use crate::ir::visit::Around;
use crate::ir::{Loop, Statement, StatementKind, visit};
use crate::typed::synthesis;
use crate::typed::{
    self, BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, Type, TypeId,
    UnaryOperator, Unit,
};

/// An element's index; `None` is 0.
pub type Index = Option<Expression>;

/// The array that an lvalue is an element of, with its indices, outermost
/// first. An index of `None` is 0.
pub fn element(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some((*symbol, Vec::new())),
        ExpressionKind::Parenthesized(inner) => element(inner, unit),
        ExpressionKind::Index(base, index) => {
            moved(pointer(base, unit)?, index, BinaryOperator::Add, unit)
        }
        ExpressionKind::Unary(UnaryOperator::Indirection, base) => pointer(base, unit),
        _ => None,
    }
}

/// The element that a pointer points to.
fn pointer(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => pointer(inner, unit),
        ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => first_of(inner, unit),
        ExpressionKind::Binary(BinaryOperator::Add, a, b) => {
            let (base, index) = match unit.types.get(a.ty.ty) {
                Type::Pointer(_) => (a, b),
                _ => (b, a),
            };
            moved(pointer(base, unit)?, index, BinaryOperator::Add, unit)
        }
        ExpressionKind::Binary(BinaryOperator::Subtract, a, b) => {
            moved(pointer(a, unit)?, b, BinaryOperator::Subtract, unit)
        }
        _ => first_of(e, unit),
    }
}

/// The first element of what an lvalue of array or pointer type leads to.
fn first_of(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    let (symbol, mut indices) = element(e, unit)?;
    indices.push(None);
    Some((symbol, indices))
}

/// The element some way from another one of the same row.
fn moved(
    (symbol, mut indices): (SymbolId, Vec<Index>),
    by: &Expression,
    operator: BinaryOperator,
    unit: &Unit,
) -> Option<(SymbolId, Vec<Index>)> {
    let index = match (indices.pop()?, operator) {
        (None, BinaryOperator::Add) => by.clone(),
        (None, _) => {
            let operand = Box::new(synthesis::parenthesized(by.clone()));
            ExpressionKind::Unary(UnaryOperator::Minus, operand).at(by.ty, by.span)
        }
        (Some(last), _) => {
            let ty = wider(last.ty.ty, by.ty.ty, unit);
            synthesis::binary(operator, last, by.clone(), ty)
        }
    };
    indices.push(Some(index));
    Some((symbol, indices))
}

fn wider(a: TypeId, b: TypeId, unit: &Unit) -> TypeId {
    if unit.types.size(b) > unit.types.size(a) {
        b
    } else {
        a
    }
}

/// A place where an element of an array is accessed.
pub struct Access<'r> {
    /// Its indices, outermost first.
    pub indices: Vec<Index>,
    /// Whoever runs the code comes to it, in each iteration of the loops around it.
    pub is_certain: bool,
    /// The loops of the code around it, outermost first.
    pub loops: Vec<&'r Loop>,
}

/// The accesses of some code to an array with so many indices, if it is used in
/// no other way.
pub fn accesses<'r>(
    list: &'r [Statement],
    array: SymbolId,
    depth: usize,
    unit: &Unit,
) -> Option<Vec<Access<'r>>> {
    Uses::of(list).accesses(array, depth, unit)
}

/// The statements of some code by the variables that they name, to look for the accesses to many
/// arrays.
pub struct Uses<'r> {
    statements: Vec<(&'r Statement, Around<'r>)>,
    of: HashMap<SymbolId, Vec<usize>>,
}

impl<'r> Uses<'r> {
    /// Looks at all of a list once.
    pub fn of(list: &'r [Statement]) -> Self {
        let mut uses = Self {
            statements: Vec::new(),
            of: HashMap::new(),
        };
        visit::walk_around(list, &mut |statement, around| {
            let number = uses.statements.len();
            let mut note = |symbol| {
                let places: &mut Vec<usize> = uses.of.entry(symbol).or_default();
                if places.last() != Some(&number) {
                    places.push(number);
                }
            };
            if let StatementKind::Windows(region) = &statement.kind {
                region.windows.iter().for_each(|w| note(w.array));
            }
            visit::own_expressions(statement, &mut |e| {
                typed::visit::symbols(e, &mut note);
            });
            uses.statements.push((statement, around.clone()));
        });
        uses
    }

    /// Those to an array with so many indices, if it is used in no other way.
    pub fn accesses(&self, array: SymbolId, depth: usize, unit: &Unit) -> Option<Vec<Access<'r>>> {
        let mut search = Search {
            unit,
            array,
            depth,
            found: Vec::new(),
            is_clear: true,
        };
        for number in self.of.get(&array).into_iter().flatten() {
            let (statement, around) = &self.statements[*number];
            let is_run_once = matches!(
                statement.kind,
                StatementKind::Expression(_)
                    | StatementKind::Declaration(_)
                    | StatementKind::If(..)
                    | StatementKind::Loop(_)
            );
            if let StatementKind::Windows(region) = &statement.kind {
                search.is_clear &= region.windows.iter().all(|w| w.array != array);
            }
            visit::own_expressions(statement, &mut |e| {
                search.expression(e, &around.loops, around.is_bare && is_run_once);
            });
        }
        search.is_clear.then_some(search.found)
    }
}

/// The lvalue without the members and elements of a struct that follow: of
/// `a[i].x[2]`, `a[i]`.
pub fn root(e: &Expression) -> &Expression {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Member {
            base: inner,
            arrow: false,
            ..
        }
        | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
            root(inner)
        }
        ExpressionKind::Index(base, _) => match &base.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, row) => match root(row) {
                // A row of a record's own array.
                inner if is_member_path(row) => inner,
                _ => e,
            },
            _ => e,
        },
        _ => e,
    }
}

/// Whether an array lies within a record.
fn is_member_path(e: &Expression) -> bool {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => is_member_path(inner),
        ExpressionKind::Member { arrow: false, .. } => true,
        ExpressionKind::Index(base, _) => match &base.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, row) => is_member_path(row),
            _ => false,
        },
        _ => false,
    }
}

/// What an expression writes as a whole, with how.
pub enum Write<'e> {
    /// `target = value`.
    Plain(&'e Expression, &'e Expression),
    /// `target op= value`, computed in a type.
    Compound(&'e Expression, BinaryOperator, &'e Expression, TypeId),
    /// `target++` and the like.
    Step(&'e Expression, UnaryOperator),
}

impl<'e> Write<'e> {
    /// The write that a whole statement is.
    pub fn of(e: &'e Expression) -> Option<Self> {
        match &e.kind {
            ExpressionKind::Parenthesized(inner) | ExpressionKind::Cast(inner) => Self::of(inner),
            ExpressionKind::Assign(target, value) => Some(Self::Plain(target, value)),
            ExpressionKind::CompoundAssign {
                operator,
                target,
                value,
                computation,
            } => Some(Self::Compound(target, *operator, value, *computation)),
            ExpressionKind::Unary(operator, target) if operator.is_step() => {
                Some(Self::Step(target, *operator))
            }
            _ => None,
        }
    }

    /// What is written.
    pub fn target(&self) -> &'e Expression {
        match self {
            Self::Plain(target, _) | Self::Compound(target, ..) | Self::Step(target, _) => target,
        }
    }
}

/// Looks for accesses to an array.
struct Search<'r, 'u> {
    unit: &'u Unit,
    array: SymbolId,
    depth: usize,
    found: Vec<Access<'r>>,
    /// The array is used in no other way than by element.
    is_clear: bool,
}

impl<'r> Search<'r, '_> {
    fn expression(&mut self, e: &Expression, loops: &[&'r Loop], is_certain: bool) {
        if let Some((symbol, indices)) = element(e, self.unit)
            && symbol == self.array
        {
            self.is_clear &= indices.len() == self.depth;
            for index in indices.iter().flatten() {
                self.expression(index, loops, is_certain);
            }
            return self.found.push(Access {
                indices,
                is_certain,
                loops: loops.to_vec(),
            });
        }
        match &e.kind {
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                right,
            ) => {
                self.expression(left, loops, is_certain);
                self.expression(right, loops, false);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition, loops, is_certain);
                then.iter().for_each(|e| self.expression(e, loops, false));
                self.expression(otherwise, loops, false);
            }
            ExpressionKind::Statement(_) | ExpressionKind::SizeofVariable(_) => {
                typed::visit::operands(e, &mut |e| self.expression(e, loops, false));
            }
            _ => typed::visit::operands(e, &mut |e| self.expression(e, loops, is_certain)),
        }
    }
}
