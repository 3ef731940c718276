//! Elements, members and sections that code works on, and variables in their
//! place: scalars and arrays that take their values before it and give them back
//! behind it.

use std::collections::BTreeMap;

use super::lengths;
use crate::ast::{Argument, ArgumentValue, Directive, SectionDimension};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::synthesis;
use crate::typed::{
    ArrayLength, BinaryOperator, Expression, ExpressionKind, QualType, Statement, StatementKind,
    SymbolId, Type, TypeId, UnaryOperator, Unit, VlaId, visit,
};

/// What an item of a clause names.
#[derive(Clone, Debug)]
pub struct Object {
    /// The variable that its name begins with.
    pub root: SymbolId,
    /// The element; of a section, the array or pointer whose elements they are.
    prefix: Expression,
    /// Of a section.
    range: Option<Range>,
    /// The type of the element, or of each of the section.
    element: QualType,
}

#[derive(Clone, Debug)]
struct Range {
    /// The first index; none is 0.
    lower: Option<Expression>,
    length: Length,
}

#[derive(Clone, Debug)]
enum Length {
    Constant(u64),
    Expression(Expression),
}

/// Larger arrays are not declared for each thread.
const MOST_BYTES: u64 = 16 * 1024;

impl Object {
    /// Nothing for scalars, for what is no object of numbers, and for sections
    /// of more than one dimension that leave gaps.
    pub fn of(unit: &Unit, item: &Argument<Expression>) -> Option<Self> {
        let object = match &item.value {
            ArgumentValue::Section(section) => {
                section_of(unit, &section.base, &section.dimensions)?
            }
            ArgumentValue::Expression(e)
                if matches!(
                    e.inner().kind,
                    ExpressionKind::Index(..) | ExpressionKind::Member { .. }
                ) =>
            {
                let (root, prefix) = (root(e)?, e.inner().clone());
                let element = prefix.ty;
                Self {
                    root,
                    prefix,
                    range: None,
                    element,
                }
            }
            ArgumentValue::Name {
                symbol: Some(e), ..
            }
            | ArgumentValue::Expression(e) => {
                let whole = SectionDimension {
                    parts: vec![None, None],
                    span: item.span,
                };
                let is_array = unit.types.is_array(e.ty.ty);
                section_of(unit, e, &[whole]).filter(|_| is_array)?
            }
            ArgumentValue::Name { symbol: None, .. } | ArgumentValue::Star => return None,
        };
        is_number(unit, object.element.ty).then_some(object)
    }

    /// A section of one number as the element that it is.
    pub fn narrowed(self, unit: &Unit) -> Self {
        let is_one = |range: &&Range| matches!(range.length, Length::Constant(1));
        let Some(range) = self.range.as_ref().filter(is_one) else {
            return self;
        };
        if !unit.types.is_arithmetic(self.element.ty) {
            return self;
        }
        let span = self.prefix.span;
        let first = || synthesis::integer(0, synthesis::int(unit), span);
        let index = range.lower.clone().unwrap_or_else(first);
        let prefix = synthesis::element(unit, self.prefix, index);
        Self {
            root: self.root,
            element: prefix.ty,
            prefix,
            range: None,
        }
    }

    /// Whether it is in an array, or in what a pointer leads to, by subscripts alone.
    pub fn is_of_array(&self) -> bool {
        let mut at = self.prefix.inner();
        while let ExpressionKind::Index(array, _) = &at.kind {
            at = array.inner();
        }
        let is_part = self.range.is_some() || self.is_element();
        is_part && at.as_symbol() == Some(self.root)
    }

    /// Whether it is one element of an array, or of what a pointer leads to.
    pub fn is_element(&self) -> bool {
        self.range.is_none() && matches!(self.prefix.kind, ExpressionKind::Index(..))
    }

    /// Whether an access is of the object; nothing where that depends on values.
    pub fn meets(&self, unit: &Unit, access: &Expression) -> Option<bool> {
        match &self.range {
            None => meets(unit, &self.prefix, access),
            Some(range) => self.has_within(unit, range, access),
        }
    }

    /// Whether an access is of the section, as which all count that are not proved to be elsewhere.
    fn has_within(&self, unit: &Unit, range: &Range, access: &Expression) -> Option<bool> {
        let mut at = access.inner();
        while let ExpressionKind::Index(array, index) = &at.kind {
            if array.is_same(&self.prefix) {
                let zero = synthesis::integer(0, synthesis::int(unit), index.span);
                let lower = range.lower.as_ref().unwrap_or(&zero);
                let Some(distance) = lengths::difference(unit, lower, index) else {
                    return Some(true);
                };
                let is_behind = match range.length {
                    Length::Constant(n) => distance >= i128::from(n),
                    Length::Expression(_) => false,
                };
                return Some(distance >= 0 && !is_behind);
            }
            at = array.inner();
        }
        None
    }

    /// What its variable is named after: the last name in it.
    pub fn name(&self, unit: &Unit) -> String {
        let mut at = self.prefix.inner();
        loop {
            at = match &at.kind {
                ExpressionKind::Index(base, _) => base.inner(),
                ExpressionKind::Member { record, member, .. } => {
                    let members = unit.types.record(*record).members.as_ref();
                    let named = members.and_then(|list| list.get(*member)?.name.clone());
                    return named.unwrap_or_else(|| unit.symbol(self.root).name.clone());
                }
                _ => return unit.symbol(self.root).name.clone(),
            };
        }
    }

    /// Whether the clause names all of an array of known length, of which the
    /// device can declare copies.
    pub fn is_whole_array(&self, unit: &Unit, item: &Argument<Expression>) -> bool {
        matches!(item.value, ArgumentValue::Name { .. })
            && !unit.types.is_variable_length(self.prefix.ty.ty)
    }

    /// The variables that say where the object is.
    pub fn each_variable(&self, note: &mut dyn FnMut(SymbolId)) {
        let range = self.range.iter();
        let bounds = range.flat_map(|range| {
            let length = match &range.length {
                Length::Expression(e) => Some(e),
                Length::Constant(_) => None,
            };
            range.lower.iter().chain(length)
        });
        for e in std::iter::once(&self.prefix).chain(bounds) {
            visit::walk(e, &mut |e| {
                if let ExpressionKind::Symbol(symbol) = e.kind {
                    note(symbol);
                }
            });
        }
    }

    /// The length of a section that is no constant.
    pub fn run_time_length(&self) -> Option<&Expression> {
        match &self.range.as_ref()?.length {
            Length::Expression(e) => Some(e),
            Length::Constant(_) => None,
        }
    }

    fn mentions_of_root(&self) -> usize {
        let mut count = 0;
        visit::walk(&self.prefix, &mut |e| {
            count += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == self.root));
        });
        count
    }

    /// Whether an expression is the object, or an element of the section.
    fn is_use(&self, e: &Expression) -> bool {
        match (&self.range, &e.kind) {
            (_, ExpressionKind::Convert(..) | ExpressionKind::Parenthesized(_)) => false,
            (None, _) => e.is_same(&self.prefix),
            (Some(_), ExpressionKind::Index(array, _)) => array.is_same(&self.prefix),
            (Some(_), _) => false,
        }
    }

    /// The element or member that the object is.
    pub fn whole(&self) -> Expression {
        self.prefix.clone()
    }

    /// The object, or the section's element of this number.
    fn access(&self, unit: &Unit, number: Option<Expression>) -> Expression {
        match number {
            None => self.prefix.clone(),
            Some(number) => synthesis::element(unit, self.prefix.clone(), number),
        }
    }
}

/// The first of some objects for which no variable can stand in code: what names it
/// otherwise may reach it in another way. Variables stand for all of them at once.
pub fn used_otherwise(objects: &[&Object], statement: &Statement) -> Option<usize> {
    let mut mentions: BTreeMap<SymbolId, usize> = BTreeMap::new();
    let mut replaced = mentions.clone();
    let mut is_plain = true;
    visit::expressions(statement, &mut |e| {
        is_plain &= !matches!(e.kind, ExpressionKind::Statement(_));
        if let ExpressionKind::Symbol(symbol) = e.kind {
            *mentions.entry(symbol).or_default() += 1;
        }
        for object in objects.iter().filter(|object| object.is_use(e)) {
            *replaced.entry(object.root).or_default() += object.mentions_of_root();
        }
    });
    objects.iter().position(|object| match object.prefix.kind {
        ExpressionKind::Member { .. } => !is_plain,
        _ => mentions.get(&object.root) != replaced.get(&object.root),
    })
}

/// Whether two accesses are of one element; nothing where that depends on values.
fn meets(unit: &Unit, one: &Expression, other: &Expression) -> Option<bool> {
    use ExpressionKind as K;
    match (&one.inner().kind, &other.inner().kind) {
        (K::Symbol(one), K::Symbol(other)) => Some(one == other),
        (K::Index(array, index), K::Index(own_array, own_index)) => {
            let arrays = meets(unit, array, own_array);
            let distance = lengths::difference(unit, index, own_index);
            match (arrays, distance) {
                (Some(false), _) => Some(false),
                (_, Some(1.. | ..=-1)) => Some(false),
                (Some(true), Some(0)) => Some(true),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A section with one range, before which there are indices and behind which
/// dimensions are whole.
fn section_of(
    unit: &Unit,
    base: &Expression,
    dimensions: &[SectionDimension<Expression>],
) -> Option<Object> {
    let root = root(base)?;
    let mut prefix = base.inner().clone();
    let mut rest = dimensions.iter();
    let ranged = loop {
        let Some(dimension) = rest.next() else {
            break None;
        };
        unit.types.pointee(prefix.ty.ty)?;
        match (single(unit, dimension), rest.len()) {
            (Some(index), 1..) => prefix = synthesis::element(unit, prefix, index),
            (Some(index), 0) if dimension.parts.len() == 1 => {
                prefix = synthesis::element(unit, prefix, index);
            }
            _ => break Some(dimension),
        }
    };
    let Some(ranged) = ranged else {
        let element = prefix.ty;
        return Some(Object {
            root,
            prefix,
            range: None,
            element,
        });
    };
    let element = unit.types.pointee(prefix.ty.ty)?;
    let lower = ranged.parts.first().cloned().flatten();
    let lower = lower.filter(|e| evaluate(unit, e) != Some(0));
    let length = match ranged.parts.get(1)? {
        Some(length) => match evaluate(unit, length) {
            Some(n) => Length::Constant(u64::try_from(n).ok()?),
            None => Length::Expression(length.clone()),
        },
        None => to_the_end(unit, prefix.ty.ty, lower.as_ref())?,
    };
    let mut inner = element;
    for dimension in rest {
        let (next, n) = known_array(unit, inner.ty)?;
        let part = |index: usize| dimension.parts.get(index).and_then(Option::as_ref);
        let begins = part(0).is_none_or(|e| evaluate(unit, e) == Some(0));
        let ends = part(1).is_none_or(|e| evaluate(unit, e) == Some(i128::from(n)));
        if dimension.parts.len() != 2 || !begins || !ends {
            return None;
        }
        inner = next;
    }
    let length = match length {
        Length::Constant(n) if too_many(unit, element.ty, n) => return None,
        length => length,
    };
    Some(Object {
        root,
        prefix,
        range: Some(Range { lower, length }),
        element,
    })
}

fn too_many(unit: &Unit, element: TypeId, count: u64) -> bool {
    let size = unit.types.size(element).unwrap_or(MOST_BYTES + 1);
    size.saturating_mul(count) > MOST_BYTES
}

/// `[i]`, or `[i:1]`.
fn single(unit: &Unit, dimension: &SectionDimension<Expression>) -> Option<Expression> {
    match dimension.parts.as_slice() {
        [Some(index)] => Some(index.clone()),
        [Some(index), Some(length)] if evaluate(unit, length) == Some(1) => Some(index.clone()),
        _ => None,
    }
}

/// `[lower:]` of an array.
fn to_the_end(unit: &Unit, array: TypeId, lower: Option<&Expression>) -> Option<Length> {
    let first = match lower {
        None => Some(0),
        Some(e) => evaluate(unit, e),
    };
    match *unit.types.get(array) {
        Type::Array {
            length: ArrayLength::Constant(n),
            ..
        } => Some(Length::Constant(
            n.checked_sub(u64::try_from(first?).ok()?)?,
        )),
        Type::Array {
            length: ArrayLength::Variable(id),
            ..
        } => {
            let length = unit.length(id).clone();
            let Some(lower) = lower else {
                return Some(Length::Expression(length));
            };
            let ty = length.ty.ty;
            let rest = synthesis::binary(BinaryOperator::Subtract, length, lower.clone(), ty);
            Some(Length::Expression(rest))
        }
        _ => None,
    }
}

fn known_array(unit: &Unit, ty: TypeId) -> Option<(QualType, u64)> {
    match unit.types.get(ty) {
        Type::Array {
            element,
            length: ArrayLength::Constant(n),
        } => Some((*element, *n)),
        _ => None,
    }
}

fn is_number(unit: &Unit, ty: TypeId) -> bool {
    match known_array(unit, ty) {
        Some((element, _)) => is_number(unit, element.ty),
        None => unit.types.is_arithmetic(ty) || matches!(unit.types.get(ty), Type::Record(_)),
    }
}

/// The variable that a name begins with.
fn root(e: &Expression) -> Option<SymbolId> {
    match &e.inner().kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Index(base, _)
        | ExpressionKind::Member { base, .. }
        | ExpressionKind::Unary(UnaryOperator::Indirection, base) => root(base),
        _ => None,
    }
}

/// Whether memory is read.
pub fn is_load(e: &Expression) -> bool {
    matches!(
        e.kind,
        ExpressionKind::Index(..)
            | ExpressionKind::Call { .. }
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
    )
}

/// Whether two items of clauses name the same object.
pub fn is_same_item(a: &Argument<Expression>, b: &Argument<Expression>) -> bool {
    use ArgumentValue as V;
    let same = |a: &Option<Expression>, b: &Option<Expression>| match (a, b) {
        (Some(a), Some(b)) => a.is_same(b),
        (None, None) => true,
        _ => false,
    };
    match (&a.value, &b.value) {
        (V::Name { symbol: a, .. }, V::Name { symbol: b, .. }) => same(a, b),
        (V::Expression(a), V::Expression(b)) => a.is_same(b),
        (V::Section(a), V::Section(b)) => {
            a.base.is_same(&b.base)
                && a.dimensions.len() == b.dimensions.len()
                && a.dimensions.iter().zip(&b.dimensions).all(|(a, b)| {
                    a.parts.len() == b.parts.len()
                        && a.parts.iter().zip(&b.parts).all(|(a, b)| same(a, b))
                })
        }
        _ => false,
    }
}

/// The variable in place of an object.
pub struct Own {
    /// The scalar or array.
    pub symbol: SymbolId,
    /// The section's first index, where that is not 0: a constant, or a variable.
    first: Option<Expression>,
    /// That variable, and what it is.
    computed: Option<(SymbolId, Expression)>,
    /// Counts the elements of a section.
    index: Option<SymbolId>,
    /// Of an array of variable length.
    length: Option<VlaId>,
    span: Span,
}

impl Own {
    /// Makes it; nothing declares it yet.
    pub fn new(unit: &Unit, object: &Object, name: &str, long: TypeId, span: Span) -> Self {
        let element = QualType::plain(object.element.ty);
        let mut length = None;
        let ty = match object.range.as_ref().map(|range| &range.length) {
            None => element.ty,
            Some(Length::Constant(n)) => unit.types.intern(Type::Array {
                element,
                length: ArrayLength::Constant(*n),
            }),
            Some(Length::Expression(e)) => {
                let id = unit.add_length(e.clone());
                length = Some(id);
                unit.types.intern(Type::Array {
                    element,
                    length: ArrayLength::Variable(id),
                })
            }
        };
        let range = object.range.as_ref();
        let mut first = range.and_then(|range| range.lower.clone());
        let mut computed = None;
        if let Some(lower) = first.take_if(|lower| evaluate(unit, lower).is_none()) {
            let variable = synthesis::variable(unit, &format!("{name}_first"), long, span);
            first = Some(synthesis::symbol(unit, variable, span));
            computed = Some((variable, lower));
        }
        Self {
            computed,
            symbol: synthesis::variable(unit, &format!("{name}_own"), ty, span),
            first,
            index: range.map(|_| synthesis::variable(unit, &format!("{name}_index"), long, span)),
            length,
            span,
        }
    }

    /// Turns the accesses of the object in a statement into those of the
    /// variable.
    pub fn stand_for(&self, unit: &Unit, object: &Object, statement: &mut Statement) {
        visit::expressions_mut(statement, &mut |e| {
            if object.is_use(e) {
                self.replace(unit, e);
            }
        });
    }

    fn replace(&self, unit: &Unit, e: &mut Expression) {
        let (ExpressionKind::Index(array, index), Some(_)) = (&e.kind, self.index) else {
            *e = synthesis::symbol(unit, self.symbol, e.span);
            return;
        };
        let mut number = (**index).clone();
        if let Some(first) = &self.first {
            let ty = first.ty.ty;
            number = synthesis::binary(BinaryOperator::Subtract, number, first.clone(), ty);
        }
        let own = synthesis::symbol(unit, self.symbol, array.span);
        *e = synthesis::element(unit, own, number);
    }

    /// What goes before the loop: the variables, with the object's values.
    pub fn declarations(
        &self,
        unit: &Unit,
        object: &Object,
        like: &Directive<Expression>,
    ) -> Vec<Statement> {
        let (Some(range), Some(index)) = (&object.range, self.index) else {
            let value = object.prefix.clone();
            return vec![synthesis::declaration(self.symbol, Some(value), self.span)];
        };
        let mut own = synthesis::declaration(self.symbol, None, self.span);
        if let (Some(length), StatementKind::Declaration(list)) = (self.length, &mut own.kind) {
            list.iter_mut().for_each(|one| one.lengths.push(length));
        }
        let mut all = vec![own];
        if let Some((first, lower)) = &self.computed {
            all.push(synthesis::declaration(
                *first,
                Some(lower.clone()),
                self.span,
            ));
        }
        all.push(self.transfer(unit, object, (range, index), like, true));
        all
    }

    /// What goes behind it: the variable's value becomes the object's.
    pub fn store(&self, unit: &Unit, object: &Object, like: &Directive<Expression>) -> Statement {
        match (&object.range, self.index) {
            (Some(range), Some(index)) => self.transfer(unit, object, (range, index), like, false),
            _ => {
                let value = synthesis::symbol(unit, self.symbol, self.span);
                synthesis::assignment(object.access(unit, None), value)
            }
        }
    }

    /// A loop over the elements.
    fn transfer(
        &self,
        unit: &Unit,
        object: &Object,
        (range, counter): (&Range, SymbolId),
        like: &Directive<Expression>,
        inwards: bool,
    ) -> Statement {
        let index = synthesis::symbol(unit, counter, self.span);
        let long = index.ty.ty;
        let number = match &self.first {
            Some(first) => {
                synthesis::binary(BinaryOperator::Add, first.clone(), index.clone(), long)
            }
            None => index.clone(),
        };
        let theirs = object.access(unit, Some(number));
        let array = synthesis::symbol(unit, self.symbol, self.span);
        let ours = synthesis::element(unit, array, index);
        let (to, from) = if inwards {
            (ours, theirs)
        } else {
            (theirs, ours)
        };
        let body = transfer_of(unit, to, from, counter, self.span);
        let length = match &range.length {
            Length::Constant(n) => synthesis::integer(i128::from(*n), long, self.span),
            Length::Expression(e) => e.clone(),
        };
        let counted = synthesis::counting(unit, counter, length, body);
        let span = counted.span;
        let kind = StatementKind::Directive(Box::new(like.clone()), Some(Box::new(counted)));
        Statement { kind, span }
    }
}

/// `to = from`, of arrays element by element.
fn transfer_of(
    unit: &Unit,
    to: Expression,
    from: Expression,
    index: SymbolId,
    span: Span,
) -> Statement {
    let Some((_, n)) = known_array(unit, to.ty.ty) else {
        return synthesis::assignment(to, from);
    };
    let long = unit.symbol(index).ty.ty;
    let wanted = unit.symbol(index).name.clone();
    let inner = synthesis::variable(unit, &wanted, long, span);
    let number = synthesis::symbol(unit, inner, span);
    let to = synthesis::element(unit, to, number.clone());
    let from = synthesis::element(unit, from, number);
    let body = transfer_of(unit, to, from, inner, span);
    synthesis::counting(
        unit,
        inner,
        synthesis::integer(i128::from(n), long, span),
        body,
    )
}
