//! Where lvalues lie: the steps from an array or pointer down to an element.

use super::Collector;
use crate::analysis::definitions::Definitions;
use crate::analysis::effects::Place;
use crate::analysis::polynomial::{self, Polynomial, Reading, Term};
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, RecordId, SymbolId, Type,
    TypeId, UnaryOperator, Unit, constant,
};

/// One step: to an element of an array, behind a pointer, or to a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Subscript {
    /// How many units further; `None` is not affine.
    pub value: Option<Polynomial>,
    /// Bytes in a unit: an element's size, of a member 1.
    pub unit: Option<Polynomial>,
    /// Units in what the step is into; `None` is unknown, as behind a pointer.
    pub extent: Option<Polynomial>,
    /// C has no valid program in which the step leads out: an array itself is
    /// indexed, or a member taken. Pointers may go on into the next row.
    pub is_inside: bool,
    /// What the step is into, or what the pointer points to.
    pub of: Option<TypeId>,
}

impl Subscript {
    /// With what variables are defined as in their place.
    pub fn expanded(&self, definitions: &Definitions, unit: &Unit) -> Self {
        let expand = |e: &Option<Polynomial>| {
            e.as_ref()
                .map(|e| definitions.expanded(e, unit).unwrap_or_else(|| e.clone()))
        };
        Self {
            value: expand(&self.value),
            unit: expand(&self.unit),
            extent: expand(&self.extent),
            ..self.clone()
        }
    }
}

/// The distance in bytes that steps make together.
pub fn bytes(steps: &[Subscript]) -> Option<Polynomial> {
    steps.iter().try_fold(Polynomial::default(), |sum, step| {
        sum.plus(&step.value.as_ref()?.times(step.unit.as_ref()?)?)
    })
}

/// An object, or what a pointer points to.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub root: Place,
    /// Outermost first. What a pointer value adds goes to the last one.
    pub steps: Vec<Subscript>,
}

impl Address {
    fn unknown() -> Self {
        Self::at(Place::Unknown)
    }

    fn at(root: Place) -> Self {
        let steps = Vec::new();
        Self { root, steps }
    }

    /// Somewhere in what the root reaches.
    fn lost(root: Place) -> Self {
        let lost = Subscript {
            value: None,
            unit: None,
            extent: None,
            is_inside: false,
            of: None,
        };
        let steps = vec![lost];
        Self { root, steps }
    }

    fn is_lost(&self) -> bool {
        self.steps.first().is_some_and(|first| first.of.is_none())
    }

    fn step(mut self, step: Subscript) -> Self {
        if !self.is_lost() {
            self.steps.push(step);
        }
        self
    }

    /// Moved by a number of units of the last step.
    fn moved(mut self, offset: Option<Polynomial>, stays_inside: bool) -> Self {
        if let Some(last) = self.steps.last_mut() {
            last.is_inside = stays_inside && last.is_inside;
            last.value = match (last.value.as_ref(), offset) {
                (Some(known), Some(offset)) => known.plus(&offset),
                _ => None,
            };
        }
        self
    }
}

impl Collector<'_, '_, '_> {
    /// The element that an lvalue names.
    pub(super) fn lvalue(&self, e: &Expression) -> Address {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => Address::at(Place::Variable(*symbol)),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
                self.lvalue(inner)
            }
            ExpressionKind::Index(base, index) => match self.pointer(base) {
                Some(address) => address.moved(self.subscript(index), is_array(base)),
                None => Address::unknown(),
            },
            ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
                self.pointer(base).unwrap_or_else(Address::unknown)
            }
            ExpressionKind::Member {
                base,
                record,
                member,
                arrow,
            } => {
                let address = if *arrow {
                    self.pointer(base).unwrap_or_else(Address::unknown)
                } else {
                    self.lvalue(base)
                };
                address.step(self.member(*record, *member))
            }
            _ => Address::unknown(),
        }
    }

    /// The step to a member. Bit-fields share bytes, so that which one it is
    /// tells nothing.
    fn member(&self, id: RecordId, member: usize) -> Subscript {
        let types = &self.oracle.unit().types;
        let record = types.record(id);
        let found = record.members.as_ref().and_then(|list| list.get(member));
        let offset = found
            .filter(|member| member.bit_field.is_none())
            .map(|member| Polynomial::constant(member.offset.into()));
        Subscript {
            value: offset,
            unit: Some(Polynomial::constant(1)),
            extent: Some(Polynomial::constant(record.size.into())),
            is_inside: true,
            of: Some(types.intern(Type::Record(id))),
        }
    }

    /// A step without lengths of arrays that may not be what they are
    /// computed from any more.
    fn sure(&self, step: Subscript) -> Subscript {
        let is_kept = |length: &Polynomial| {
            let mut terms = length.terms().flat_map(|(product, _)| product);
            terms.all(|term| match term {
                Term::Invariant(symbol) => !self
                    .oracle
                    .definitions()
                    .is_changed(*symbol, self.oracle.unit()),
                Term::Iteration(_) | Term::Opaque(_) => true,
            })
        };
        let kept = |length: Option<Polynomial>| length.filter(|l| !self.is_exact || is_kept(l));
        Subscript {
            unit: kept(step.unit),
            extent: kept(step.extent),
            ..step
        }
    }

    /// What a pointer value points to; the last step is its offset.
    pub(super) fn pointer(&self, e: &Expression) -> Option<Address> {
        let unit = self.oracle.unit();
        match &e.kind {
            ExpressionKind::Symbol(symbol) => match self.pointers.get(symbol) {
                Some(known) => known.clone(),
                None => {
                    let first = self.sure(first_of(e.ty.ty, unit, self.is_exact));
                    Some(Address::at(Place::Target(*symbol)).step(first))
                }
            },
            ExpressionKind::Parenthesized(inner) => self.pointer(inner),
            ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => {
                let element = self.sure(element_of(inner, unit, self.is_exact));
                Some(self.lvalue(inner).step(element))
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => {
                let address = self.lvalue(inner);
                // Of a member, a pointer goes on in units of the member.
                match address.steps.last() {
                    None => None,
                    Some(_) if is_element(inner) => Some(address),
                    Some(_) => {
                        Some(address.step(self.sure(only(inner.ty.ty, unit, self.is_exact))))
                    }
                }
            }
            ExpressionKind::Cast(inner) | ExpressionKind::Convert(Conversion::Pointer, inner) => {
                let address = self.pointer(inner)?;
                let same = unit.types.pointee(e.ty.ty).map(|to| to.ty)
                    == unit.types.pointee(inner.ty.ty).map(|to| to.ty);
                // Elements of another size: which one is not followed.
                Some(if same {
                    address
                } else {
                    Address::lost(address.root)
                })
            }
            ExpressionKind::Binary(operator, a, b) => {
                let negative = *operator == BinaryOperator::Subtract;
                let (pointer, offset) = match unit.types.get(a.ty.ty) {
                    Type::Pointer(_) => (a, b),
                    _ => (b, a),
                };
                let offset = self.subscript(offset);
                let offset = match negative {
                    true => offset.and_then(|o| o.scaled(-1)),
                    false => offset,
                };
                Some(self.pointer(pointer)?.moved(offset, false))
            }
            _ => None,
        }
    }
}

/// Whether a pointer value is an array, and not a pointer into one.
fn is_array(pointer: &Expression) -> bool {
    match &pointer.kind {
        ExpressionKind::Parenthesized(inner) => is_array(inner),
        ExpressionKind::Convert(Conversion::ArrayToPointer, _) => true,
        _ => false,
    }
}

/// Whether the last step to an lvalue is one in units of its own type.
fn is_element(lvalue: &Expression) -> bool {
    match &lvalue.kind {
        ExpressionKind::Parenthesized(inner) => is_element(inner),
        ExpressionKind::Index(..) | ExpressionKind::Unary(UnaryOperator::Indirection, _) => true,
        _ => false,
    }
}

/// The first element behind a pointer variable.
fn first_of(pointer: TypeId, unit: &Unit, is_exact: bool) -> Subscript {
    let pointee = unit.types.pointee(pointer).map(|to| to.ty);
    Subscript {
        value: Some(Polynomial::constant(0)),
        unit: pointee.and_then(|ty| size_of(ty, unit, is_exact)),
        extent: None,
        is_inside: false,
        of: pointee,
    }
}

/// The first element of an array.
fn element_of(array: &Expression, unit: &Unit, is_exact: bool) -> Subscript {
    let ty = array.ty.ty;
    let element = unit.types.pointee(ty);
    let element = element.and_then(|to| size_of(to.ty, unit, is_exact));
    let length = match unit.types.get(ty) {
        Type::Array { length, .. } => length_of(*length, unit, is_exact),
        _ => None,
    };
    // A struct's last member is a flexible array by custom, too.
    let is_flexible = matches!(array.inner().kind, ExpressionKind::Member { .. })
        && length
            .as_ref()
            .is_none_or(|length| length.as_constant().is_some_and(|n| n <= 1));
    Subscript {
        value: Some(Polynomial::constant(0)),
        unit: element,
        extent: length,
        is_inside: !is_flexible,
        of: Some(ty),
    }
}

/// An object as an array of one.
fn only(ty: TypeId, unit: &Unit, is_exact: bool) -> Subscript {
    Subscript {
        value: Some(Polynomial::constant(0)),
        unit: size_of(ty, unit, is_exact),
        extent: Some(Polynomial::constant(1)),
        is_inside: true,
        of: Some(ty),
    }
}

/// The size of a type in bytes; that of variable length arrays depends on the
/// variables in their lengths.
pub fn size(ty: TypeId, unit: &Unit) -> Option<Polynomial> {
    size_of(ty, unit, true)
}

/// The same; in an estimate, lengths may be members.
fn size_of(ty: TypeId, unit: &Unit, is_exact: bool) -> Option<Polynomial> {
    if let Some(bytes) = unit.types.size(ty) {
        return Some(Polynomial::constant(bytes.into()));
    }
    match unit.types.get(ty) {
        Type::Array { element, length } => {
            length_of(*length, unit, is_exact)?.times(&size_of(element.ty, unit, is_exact)?)
        }
        _ => None,
    }
}

fn length_of(length: ArrayLength, unit: &Unit, is_exact: bool) -> Option<Polynomial> {
    match length {
        ArrayLength::Constant(n) => Some(Polynomial::constant(n.into())),
        ArrayLength::Variable(id) => {
            let reading = Reading {
                value: &|symbol| Some(Polynomial::variable(Term::Invariant(symbol))),
                member: &|e| match is_exact {
                    true => None,
                    false => member_value(e, unit, false, &|_, _| true),
                },
                fits: None,
            };
            polynomial::read(unit.length(id), unit, &reading)
        }
        ArrayLength::Incomplete | ArrayLength::Star => None,
    }
}

/// The value of `s.n`, `p->n` or `s.part.n[0]`, if `is_kept` says that nothing changes it: not what it
/// is, but that it is the same wherever it is named. Besides the variable, `is_kept` gets whether it
/// is a pointer. In an estimate, any pointer may be on the way.
pub(super) fn member_value(
    member: &Expression,
    unit: &Unit,
    is_exact: bool,
    is_kept: &dyn Fn(SymbolId, bool) -> bool,
) -> Option<Polynomial> {
    if is_exact && !unit.types.is_integer(member.ty.ty) {
        return None;
    }
    let (mut path, mut steps) = (0, 0);
    let mut e = member.inner();
    let mut is_pointer = false;
    loop {
        let (base, step) = match &e.kind {
            ExpressionKind::Member {
                base,
                member,
                arrow,
                ..
            } => {
                is_pointer = *arrow;
                (base, *member)
            }
            ExpressionKind::Index(base, index) => {
                is_pointer = !is_array(base);
                let index = constant::evaluate(unit, index)?;
                (base, usize::try_from(index).ok()?)
            }
            _ => break,
        };
        let base = base.inner();
        let leads_on = is_pointer && base.as_symbol().is_none();
        let is_volatile = e.ty.qualifiers.is_volatile || base.ty.qualifiers.is_volatile;
        let is_long = step >= MOST_MEMBERS || steps == MOST_STEPS;
        if is_exact && (leads_on || is_volatile || is_long) {
            return None;
        }
        steps += 1;
        path = (path * MOST_MEMBERS + step % MOST_MEMBERS) % MOST_PATHS;
        e = base;
    }
    let object = e.as_symbol()?;
    let number = object.0 as usize;
    let is_known = number < MOST_SYMBOLS && is_kept(object, is_pointer);
    let path = (path * (MOST_STEPS + 1) + steps % (MOST_STEPS + 1)) * MOST_SYMBOLS;
    is_known.then(|| Polynomial::variable(Term::Opaque(MEMBERS + path + number)))
}

/// No loop has so large a number.
const MEMBERS: usize = 1 << 62;
/// Beyond what structs have; numbers of longer ways may be the same, which an estimate can bear.
const MOST_MEMBERS: usize = 1 << 8;
const MOST_STEPS: usize = 3;
const MOST_PATHS: usize = 1 << 24;
const MOST_SYMBOLS: usize = 1 << 24;
