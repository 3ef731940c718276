//! How much memory behind a pointer a region uses, where no clause says it.
//!
//! Input: the kernels of a region and a pointer from outside. Output: the
//! section that is copied if the pointer's target is not present.
//!
//! ```c
//! #pragma acc parallel loop          // after: as with copy(a[1:n - 1])
//! for (int i = 1; i < n; i++)
//!     a[i] *= 2;
//! ```
//!
//! All uses are elements indexed by the variable of a loop around, always over
//! the same range, and one of them is in no branch: so every element of the
//! section is one that the region uses. Nothing is assumed beyond that.

use indexmap::IndexMap;

use super::usage::Use;
use crate::ir::{
    DataAction, Extent, Length, Loop, Range, Relation, Statement, StatementKind, visit,
};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, QualType, SymbolId, Type, Unit, visit as operands,
};

/// What a region does with the memory behind a pointer.
#[derive(Debug)]
pub struct Section {
    /// [`DataAction::FindOrCopy`], or without the way back if it only reads.
    pub action: DataAction,
    /// Which part.
    pub extent: Extent,
    /// As a user would have written it.
    pub text: String,
}

/// The section of `pointer` that the kernels `bodies` use. `uses` says what
/// else they use, `stable` which variables have the same value on the host.
pub fn of<'s>(
    unit: &Unit,
    bodies: impl Iterator<Item = &'s [Statement]>,
    pointer: SymbolId,
    uses: &IndexMap<SymbolId, Use>,
    stable: &dyn Fn(SymbolId) -> bool,
) -> Option<Section> {
    let place = uses.get(&pointer)?;
    let element = *unit.types.pointee(unit.symbol(pointer).ty.ty).as_ref()?;
    if place.deep || place.assigned || !is_plain(unit, element) {
        return None;
    }
    let mut search = Search {
        unit,
        pointer,
        around: Vec::new(),
        range: None,
        always: false,
        clear: true,
    };
    for body in bodies {
        search.list(body, false);
    }
    let counted = search.range.filter(|_| search.clear && search.always)?;
    let is_stable = |e: &Expression| {
        !operands::any(e, &mut |e| match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                !stable(*symbol)
                    || uses.get(symbol).is_none_or(|u| u.assigned || u.written)
                    || !unit.types.is_integer(e.ty.ty)
            }
            ExpressionKind::Integer { .. }
            | ExpressionKind::Binary(..)
            | ExpressionKind::Convert(..)
            | ExpressionKind::Parenthesized(_) => false,
            _ => true,
        })
    };
    if !is_stable(&counted.lower) || !is_stable(&counted.bound) {
        return None;
    }
    Some(section(unit, pointer, element, counted, place.written))
}

/// Elements that hold no pointers to follow.
fn is_plain(unit: &Unit, element: QualType) -> bool {
    unit.types.is_arithmetic(element.ty) || matches!(unit.types.get(element.ty), Type::Record(_))
}

fn section(
    unit: &Unit,
    pointer: SymbolId,
    element: QualType,
    counted: &Loop,
    written: bool,
) -> Section {
    let bound = &counted.bound;
    let node = |operator, left: Expression, right: Expression| Expression {
        ty: QualType::plain(bound.ty.ty),
        span: bound.span,
        kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
    };
    let lower = Some(counted.lower.clone()).filter(|e| evaluate(unit, e) != Some(0));
    let mut length = match &lower {
        Some(lower) => node(BinaryOperator::Subtract, bound.clone(), lower.clone()),
        None => bound.clone(),
    };
    if counted.relation == Relation::LessEqual {
        let one = Expression {
            kind: ExpressionKind::Integer {
                value: 1,
                spelling: None,
            },
            ..length.clone()
        };
        length = node(BinaryOperator::Add, length, one);
    }
    let from = lower.as_ref().map(|e| Printer::text(unit, &C, e));
    let text = format!(
        "{}[{}:{}]",
        unit.symbol(pointer).name,
        from.as_deref().unwrap_or("0"),
        Printer::text(unit, &C, &length)
    );
    let length = match evaluate(unit, &length).and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Length::Constant(n),
        None => Length::Expression(length),
    };
    Section {
        action: match written {
            true => DataAction::FindOrCopy,
            false => DataAction::FindOrCopyIn,
        },
        extent: Extent::Section {
            ranges: vec![Range {
                lower,
                length,
                extent: None,
                pointers: false,
            }],
            element,
        },
        text,
    }
}

/// Looks at every use of a pointer.
struct Search<'s> {
    unit: &'s Unit,
    pointer: SymbolId,
    around: Vec<&'s Loop>,
    /// The loop over the elements that are used.
    range: Option<&'s Loop>,
    /// Some use is in no branch.
    always: bool,
    /// No use is of another kind.
    clear: bool,
}

impl<'s> Search<'s> {
    fn list(&mut self, list: &'s [Statement], conditional: bool) {
        for statement in list {
            visit::own_expressions(statement, &mut |e| self.expression(e, conditional));
            match &statement.kind {
                StatementKind::Loop(inner) => {
                    self.around.push(inner);
                    self.list(&inner.body, conditional);
                    self.around.pop();
                    continue;
                }
                StatementKind::Break
                | StatementKind::Continue
                | StatementKind::Goto(_)
                | StatementKind::Return(_) => self.clear = false,
                StatementKind::Windows(region) => {
                    let mut windows = region.windows.iter();
                    self.clear &= !windows.any(|window| window.array == self.pointer);
                }
                _ => {}
            }
            let conditional = conditional || !matches!(statement.kind, StatementKind::Block(_));
            visit::blocks(statement, &mut |inner| self.list(inner, conditional));
        }
    }

    fn expression(&mut self, e: &Expression, conditional: bool) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => self.clear &= *symbol != self.pointer,
            ExpressionKind::Statement(_) => self.clear = false,
            ExpressionKind::Index(base, index)
                if base.inner().as_symbol() == Some(self.pointer) =>
            {
                self.element(index, conditional);
                self.expression(index, conditional);
            }
            ExpressionKind::Conditional { .. }
            | ExpressionKind::Binary(BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr, ..) => {
                operands::operands(e, &mut |operand| self.expression(operand, true));
            }
            _ => operands::operands(e, &mut |operand| self.expression(operand, conditional)),
        }
    }

    /// An element: its index must be the variable of a loop around.
    fn element(&mut self, index: &Expression, conditional: bool) {
        let variable = index.inner().as_symbol();
        let mut around = self.around.iter().rev();
        let Some(&found) = around.find(|outer| variable == Some(outer.induction)) else {
            self.clear = false;
            return;
        };
        let counts_up = !found.downward
            && evaluate(self.unit, &found.step) == Some(1)
            && matches!(found.relation, Relation::Less | Relation::LessEqual);
        let known = self.range.get_or_insert(found);
        self.clear &= counts_up && is_same_range(self.unit, known, found);
        self.always |= !conditional;
    }
}

fn is_same_range(unit: &Unit, a: &Loop, b: &Loop) -> bool {
    let text = |e: &Expression| Printer::text(unit, &C, e);
    a.relation == b.relation && text(&a.lower) == text(&b.lower) && text(&a.bound) == text(&b.bound)
}
