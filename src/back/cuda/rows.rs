//! Arrays of variable length and pointers to them: pointers to their innermost
//! elements.
//!
//! C++ has no such arrays. What C counts in rows is counted in elements here,
//! by the lengths of the rows:
//!
//! ```text
//! double (*p)[m] = a + 1;     double *p = a + m;
//! p[i][j]                     p[i * m + j]
//! *(*(p + i) + j)             *(p + i * m + j)
//! &p[i]                       &p[i * m]
//! q - p                       (q - p) / m
//! ```
//!
//! Where the launch chooses the type of indices, lengths have it, and with them the
//! linear index of an array that `index_types` names:
//!
//! ```text
//! a[i][j]     of int       a[i * a_extent1 + j]
//!             of unsigned  a[Index(i) * a_extent1 + Index(j)]
//!             of size_t    a[i * long(a_extent1) + j]
//! &a[i][j]                 &a[i * long(a_extent1) + j]
//! ```

use super::language::{ADDEND, Cuda, FACTOR};
use crate::ir::{is_literal, linear_index};
use crate::typed::print::{Printer, precedence};
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind, QualType,
    SymbolId, Type, TypeId, UnaryOperator, Unit, VlaId, constant,
};

/// An expression that C++ spells otherwise than C, because of such an array.
#[derive(Clone, Copy, Debug)]
pub enum Flat<'e> {
    /// An element, or what it is made of.
    Element(&'e Expression),
    /// The address of a row or element, which may be beyond all that is present.
    Address(&'e Expression),
    /// The address of the row at a pointer: the pointer.
    Same(&'e Expression),
    /// A pointer and rows added or subtracted: `p + i`.
    Sum {
        operator: BinaryOperator,
        left: &'e Expression,
        right: &'e Expression,
        row: TypeId,
    },
    /// The rows between two pointers.
    Difference {
        left: &'e Expression,
        right: &'e Expression,
        row: TypeId,
    },
    /// `p += i`.
    Advance {
        operator: BinaryOperator,
        target: &'e Expression,
        value: &'e Expression,
        row: TypeId,
    },
    /// `p++` and the like.
    Step {
        operator: UnaryOperator,
        target: &'e Expression,
        row: TypeId,
    },
    /// `(double (*)[m])q`.
    Cast(QualType, &'e Expression),
    /// `sizeof` of such an array.
    Size(QualType),
}

impl<'e> Flat<'e> {
    /// What an expression is; `None` if C++ spells it as C does.
    pub fn of(unit: &Unit, e: &'e Expression) -> Option<Self> {
        use ExpressionKind as E;
        let row = |e: &Expression| {
            let to = unit.types.pointee(e.ty.ty)?;
            unit.types.is_variable_length(to.ty).then_some(to.ty)
        };
        match &e.kind {
            E::Index(base, _) if is_in_rows(unit, base) || is_in_element(unit, base) => {
                Some(Self::Element(e))
            }
            E::Convert(Conversion::ArrayToPointer, inner)
            | E::Unary(UnaryOperator::AddressOf, inner)
                if is_step(inner) && unit.types.is_variable_length(inner.ty.ty) =>
            {
                Some(match &inner.inner().kind {
                    E::Unary(UnaryOperator::Indirection, pointer) => {
                        Self::Same(pointer.without_parentheses())
                    }
                    _ => Self::Address(inner),
                })
            }
            E::Unary(UnaryOperator::AddressOf, element) if matches!(&element.inner().kind, E::Index(base, _) if is_in_rows(unit, base) || is_in_element(unit, base)) => {
                Some(Self::Address(element))
            }
            E::Binary(operator, left, right) => match (row(e), row(left)) {
                (Some(row), _) => Some(Self::Sum {
                    operator: *operator,
                    left,
                    right,
                    row,
                }),
                (None, Some(row)) if *operator == BinaryOperator::Subtract => {
                    Some(Self::Difference { left, right, row })
                }
                _ => None,
            },
            E::CompoundAssign {
                operator,
                target,
                value,
                ..
            } => row(target).map(|row| Self::Advance {
                operator: *operator,
                target,
                value,
                row,
            }),
            E::Unary(operator, target) if operator.is_step() => row(target).map(|row| Self::Step {
                operator: *operator,
                target,
                row,
            }),
            E::Cast(inner) => row(e).map(|_| Self::Cast(e.ty, inner)),
            E::SizeofVariable(ty) => Some(Self::Size(*ty)),
            _ => None,
        }
    }

    /// How strongly its spelling binds.
    pub fn strength(self, cuda: &Cuda, unit: &Unit) -> u8 {
        match self {
            Self::Element(_) => precedence::POSTFIX,
            Self::Address(_) | Self::Cast(..) => precedence::UNARY,
            Self::Same(pointer) => Printer::new(unit, cuda).strength(pointer),
            Self::Sum { .. } => ADDEND,
            Self::Difference { .. } | Self::Size(_) => FACTOR,
            Self::Advance { .. } => precedence::ASSIGNMENT,
            Self::Step { operator, .. } => match operator {
                UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => precedence::ASSIGNMENT,
                _ => precedence::POSTFIX,
            },
        }
    }

    /// Writes it.
    pub fn write(self, cuda: &Cuda, printer: &mut Printer<'_, Cuda>) {
        let unit = printer.unit;
        match self {
            Self::Element(element) => {
                let is_array = matches!(unit.types.get(element.ty.ty), Type::Array { .. });
                cuda.write_element(printer, element, !is_array);
            }
            Self::Address(place) => {
                printer.push("&");
                cuda.write_element(printer, place, false);
            }
            Self::Same(pointer) => printer.expression(pointer, precedence::COMMA),
            Self::Sum {
                operator,
                left,
                right,
                row,
            } => {
                let is_pointer = |e: &Expression| unit.types.pointee(e.ty.ty).is_some();
                let text = |e: &Expression, least| match is_pointer(e) {
                    true => cuda.operand(unit, e, least),
                    false => cuda.rows(unit, e, row),
                };
                let (left, right) = (text(left, ADDEND), text(right, FACTOR));
                printer.push(&format!("{left} {} {right}", operator.spelling()));
            }
            Self::Difference { left, right, row } => {
                let (left, right) = (
                    cuda.operand(unit, left, ADDEND),
                    cuda.operand(unit, right, FACTOR),
                );
                let length = grouped(cuda.elements(unit, row, Lengths::Long).unwrap_or_default());
                printer.push(&format!("({left} - {right}) / {length}"));
            }
            Self::Advance {
                operator,
                target,
                value,
                row,
            } => {
                let target = cuda.operand(unit, target, precedence::UNARY);
                let rows = cuda.rows(unit, value, row);
                printer.push(&format!("{target} {}= {rows}", operator.spelling()));
            }
            Self::Step {
                operator,
                target,
                row,
            } => {
                use UnaryOperator as U;
                let target = cuda.operand(unit, target, precedence::UNARY);
                let length = cuda.elements(unit, row, Lengths::Long).unwrap_or_default();
                let sign = match operator {
                    U::PreIncrement | U::PostIncrement => '+',
                    _ => '-',
                };
                printer.push(&match operator {
                    U::PreIncrement | U::PreDecrement => format!("{target} {sign}= {length}"),
                    _ => format!(
                        "accrs::exchange({target}, {target} {sign} {})",
                        grouped(length)
                    ),
                });
            }
            Self::Cast(ty, inner) => printer.cast(flat_pointer_type(unit, ty), inner, None),
            Self::Size(ty) => {
                let element = cuda.declare(unit, innermost(unit, ty), "");
                let size = format!("sizeof({element})");
                printer.push(&match cuda.elements(unit, ty.ty, Lengths::Long) {
                    Some(count) => format!("{count} * {size}"),
                    None => size,
                });
            }
        }
    }
}

impl Cuda {
    /// An element of a variable length array, or the start of a row of it, by
    /// its linear index: `a[i * m + j]`. Only of an element that is accessed, and so
    /// present, the index is known to be in reach of the type that the launch chooses.
    fn write_element(
        &self,
        printer: &mut Printer<'_, Self>,
        element: &Expression,
        is_accessed: bool,
    ) {
        let (root, indices) = subscripts(element);
        printer.expression(root, precedence::POSTFIX);
        let unit = printer.unit;
        let array = linear_index::array_of(root);
        let is_row = |(_, ty): &(_, TypeId)| unit.types.is_variable_length(*ty);
        let rows = indices.iter().take_while(|index| is_row(index)).count();
        let (indices, within) = indices.split_at(indices.len().min(rows + 1));
        let is_indexed = is_accessed
            && array.is_some_and(|array| self.index.arrays.contains(&array))
            && !(indices.iter()).any(|(index, _)| linear_index::is_wide(index, unit));
        let mut lengths = match is_indexed {
            true => Lengths::Index,
            false => Lengths::Long,
        };
        let mut linear = String::new();
        let mut is_sum = false;
        for (position, &(index, ty)) in indices.iter().enumerate() {
            let is_first = linear.is_empty();
            if is_first && self.is_number(index, 0) {
                continue;
            }
            if linear_index::is_wide(index, unit) && !unit.types.is_signed(index.ty.ty) {
                lengths = Lengths::Wide;
            }
            // What one step of this index means in steps of the next one.
            let stride = match position + 1 == indices.len() {
                true => self.elements(unit, ty, lengths),
                false => self.row(unit, ty, lengths),
            };
            let part = Part {
                is_first,
                is_factor: is_first && stride.is_some(),
            };
            match (&stride, is_first) {
                (Some(stride), true) if self.is_number(index, 1) => {
                    linear.clone_from(stride);
                    continue;
                }
                (_, false) if self.is_number(index, 0) => {}
                (_, true) => {
                    linear = self.linear_part(unit, index, part, stride.as_deref(), is_indexed);
                }
                (_, false) => {
                    let text = self.linear_part(unit, index, part, stride.as_deref(), is_indexed);
                    linear = format!("{linear} + {text}");
                    is_sum = true;
                }
            }
            if let Some(stride) = stride {
                linear = if is_sum {
                    format!("({linear}) * {stride}")
                } else {
                    format!("{linear} * {stride}")
                };
                is_sum = false;
            }
        }
        if linear.is_empty() {
            linear.push('0');
        }
        printer.push(&format!("[{linear}]"));
        for (index, _) in within {
            printer.push("[");
            printer.expression(index, precedence::COMMA);
            printer.push("]");
        }
    }

    /// Whether a subscript is written as this number, and not by a macro.
    fn is_number(&self, index: &Expression, number: i128) -> bool {
        let is_call = |span| (self.alignment.as_ref()).is_some_and(|a| a.call(span).is_some());
        is_literal(index, number) && ![index, index.inner()].iter().any(|e| is_call(e.span))
    }

    /// A subscript in a linear index, which is multiplied with a stride if that is given.
    fn linear_part(
        &self,
        unit: &Unit,
        index: &Expression,
        part: Part,
        stride: Option<&str>,
        indexed: bool,
    ) -> String {
        // A number of rows may be no `int`, though the number by which it is multiplied is.
        let is_variable = constant::evaluate(unit, index).is_none();
        if part.is_first
            && stride.is_some_and(is_number)
            && is_variable
            && linear_index::is_int(index, unit)
        {
            let ty = if indexed { &self.index.name } else { "long" };
            return format!("{ty}({})", self.text(unit, index));
        }
        match indexed {
            true => self.indexed_subscript(unit, index, part),
            false => self.subscript(unit, index, part),
        }
    }

    /// A subscript as a part of a linear index.
    fn subscript(&self, unit: &Unit, index: &Expression, part: Part) -> String {
        // A sum of `unsigned` wraps before it is a part of a longer one.
        let wraps = matches!(
            unit.types.get(index.ty.ty),
            Type::Integer(IntegerKind::UnsignedInt)
        );
        self.operand(unit, index, part.least(wraps))
    }

    /// The same of a linear index of the type that the launch chooses.
    fn indexed_subscript(&self, unit: &Unit, index: &Expression, part: Part) -> String {
        if linear_index::is_int(index, unit) {
            let in_turn = linear_index::adds_in_turn(index, unit);
            return self.operand(unit, index, part.least(!in_turn));
        }
        let text = self.text(unit, index);
        format!("{}({text})", self.index.name)
    }

    /// A number of rows as a number of elements, a factor.
    fn rows(&self, unit: &Unit, count: &Expression, row: TypeId) -> String {
        let is_one = self.is_number(count, 1);
        let count = self.operand(unit, count, FACTOR);
        match self.elements(unit, row, Lengths::Long) {
            Some(length) if is_one => length,
            Some(length) => format!("{count} * {length}"),
            None => count,
        }
    }

    /// The length of an array type's own dimension.
    fn row(&self, unit: &Unit, ty: TypeId, lengths: Lengths) -> Option<String> {
        let Type::Array { length, .. } = unit.types.get(ty) else {
            return None;
        };
        Some(self.length_text(unit, *length, lengths))
    }

    /// How many innermost elements a type has; `None` for an element itself.
    pub(super) fn elements(&self, unit: &Unit, ty: TypeId, lengths: Lengths) -> Option<String> {
        let Type::Array { element, .. } = unit.types.get(ty) else {
            return None;
        };
        if !unit.types.is_variable_length(ty) {
            return None;
        }
        let own = self.row(unit, ty, lengths)?;
        match self.elements(unit, element.ty, lengths) {
            Some(inner) => Some(format!("{own} * {inner}")),
            None => Some(own),
        }
    }

    /// The lengths of an array's rows, outermost first, as a launcher has them.
    pub(super) fn rows_of(&self, unit: &Unit, array: SymbolId) -> Vec<String> {
        let row = unit.types.pointee(unit.symbol(array).ty.ty);
        row.map_or(Vec::new(), |row| self.row_lengths(unit, row.ty))
    }

    fn row_lengths(&self, unit: &Unit, row: TypeId) -> Vec<String> {
        let mut lengths = Vec::new();
        let mut ty = row;
        while let (true, Type::Array { element, length }) =
            (unit.types.is_variable_length(ty), unit.types.get(ty))
        {
            lengths.extend(match length {
                ArrayLength::Variable(id) if self.own_lengths.contains(id) => {
                    self.variable_length_text(unit, *id, Lengths::Long)
                }
                _ => self.row(unit, ty, Lengths::Index),
            });
            ty = element.ty;
        }
        lengths
    }

    fn length_text(&self, unit: &Unit, length: ArrayLength, lengths: Lengths) -> String {
        match length {
            ArrayLength::Constant(n) => n.to_string(),
            ArrayLength::Variable(id) => (self.variable_length_text(unit, id, lengths))
                .unwrap_or_else(|| grouped(self.text(unit, unit.length(id)))),
            ArrayLength::Incomplete | ArrayLength::Star => "0".to_string(),
        }
    }

    /// What holds a length, in the type that is asked for: not all that is counted elsewhere is in
    /// reach of the index type. A variable of 64 bits stays as it is where its sign makes no difference.
    pub(super) fn variable_length_text(
        &self,
        unit: &Unit,
        id: VlaId,
        lengths: Lengths,
    ) -> Option<String> {
        let length = self.lengths.get(&id)?;
        let has_index = self.index.lengths.contains(&id);
        let is_own = self.own_lengths.contains(&id);
        let variable = unit.length(id).inner();
        let serves = lengths == Lengths::Wide || unit.types.is_signed(variable.ty.ty);
        let is_wide = linear_index::is_wide(variable, unit) && variable.as_symbol().is_some();
        Some(match (lengths == Lengths::Index && has_index, is_own) {
            (true, true) => format!("{}({length})", self.index.name),
            (true, false) => length.clone(),
            (false, true) if is_wide && serves => length.clone(),
            (false, is_own) if is_own || has_index => format!("long({length})"),
            (false, _) => length.clone(),
        })
    }
}

/// The type of the lengths of rows in a number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Lengths {
    /// That which the launch chooses.
    Index,
    /// `long`.
    Long,
    /// Any of 64 bits: what they are multiplied with has no sign.
    Wide,
}

/// Whether a length begins with a number.
fn is_number(length: &str) -> bool {
    length.starts_with(|c: char| c.is_ascii_digit())
}

/// Where a subscript stands in a linear index.
#[derive(Clone, Copy)]
struct Part {
    is_first: bool,
    /// It is multiplied with the length of a row.
    is_factor: bool,
}

impl Part {
    /// The least strength of its text, which is to be computed by itself or not.
    fn least(self, by_itself: bool) -> u8 {
        match self.is_factor || by_itself && !self.is_first {
            true => FACTOR,
            false => ADDEND,
        }
    }
}

/// An operand of any operator.
fn grouped(text: String) -> String {
    if text.contains(' ') {
        format!("({text})")
    } else {
        text
    }
}

/// What an element or row is of, and its subscripts with the types of what they find.
fn subscripts(element: &Expression) -> (&Expression, Vec<(&Expression, TypeId)>) {
    let mut indices = Vec::new();
    let mut at = element;
    let root: &Expression = loop {
        match &at.kind {
            ExpressionKind::Index(base, index) => {
                indices.push((index.as_ref(), at.ty.ty));
                match &base.kind {
                    ExpressionKind::Convert(Conversion::ArrayToPointer, inner)
                        if is_step(inner) =>
                    {
                        at = inner
                    }
                    _ => break base,
                }
            }
            ExpressionKind::Parenthesized(inner) => at = inner,
            ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => break pointer,
            _ => break at,
        }
    };
    indices.reverse();
    (root, indices)
}

/// An expression that [`Cuda::write_element`] walks through.
fn is_step(expression: &Expression) -> bool {
    match &expression.kind {
        ExpressionKind::Index(..) | ExpressionKind::Unary(UnaryOperator::Indirection, _) => true,
        ExpressionKind::Parenthesized(inner) => is_step(inner),
        _ => false,
    }
}

/// Whether indexing this pointer means a linear index: it points to arrays of
/// variable length, or comes from an element of such.
fn is_in_rows(unit: &Unit, base: &Expression) -> bool {
    match &base.kind {
        ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => {
            unit.types.is_variable_length(inner.ty.ty)
                && (is_step(inner) || is_variable_pointer(unit, base.ty.ty))
        }
        ExpressionKind::Parenthesized(inner) => is_in_rows(unit, inner),
        _ => false,
    }
}

/// Whether it means a part of an element that is an array itself.
fn is_in_element(unit: &Unit, base: &Expression) -> bool {
    match &base.kind {
        ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => {
            matches!(&inner.without_parentheses().kind, ExpressionKind::Index(base, _)
                if is_in_rows(unit, base) || is_in_element(unit, base))
        }
        ExpressionKind::Parenthesized(inner) => is_in_element(unit, inner),
        _ => false,
    }
}

fn is_variable_pointer(unit: &Unit, ty: TypeId) -> bool {
    unit.types
        .pointee(ty)
        .is_some_and(|to| unit.types.is_variable_length(to.ty))
}

/// A pointer to the innermost element in place of an array of variable
/// length or a pointer to such; other types stay as they are.
pub fn flat_pointer_type(unit: &Unit, ty: QualType) -> QualType {
    let is_flat = unit.types.is_variable_length(ty.ty) || is_variable_pointer(unit, ty.ty);
    if !is_flat {
        return ty;
    }
    let mut element = unit.types.pointee(ty.ty).unwrap_or(ty);
    while let (true, Type::Array { element: next, .. }) = (
        unit.types.is_variable_length(element.ty),
        unit.types.get(element.ty),
    ) {
        element = *next;
    }
    QualType {
        ty: unit.types.intern(Type::Pointer(element)),
        qualifiers: ty.qualifiers,
    }
}

fn innermost(unit: &Unit, ty: QualType) -> QualType {
    let mut ty = ty;
    while let (true, Type::Array { element, .. }) =
        (unit.types.is_variable_length(ty.ty), unit.types.get(ty.ty))
    {
        ty = *element;
    }
    ty
}
