//! Initialisers (C11 6.7.9): every value finds its position.
//!
//! Elided braces, designators, ranges and strings go into a tree by position,
//! which then becomes [`Initializer::Aggregate`]. For
//! `struct { int a, b[2]; } x = { 1, 2, .b[1] = 3 };` it is
//! `[(0, 1), (1, [(0, 2), (1, 3)])]`.

use std::collections::BTreeMap;

use super::conversion::Destination;
use super::{Analyser, is_poison};
use crate::ast::{self, DesignatedInitializer, Designator};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, Initializer, IntegerKind, QualType, Type, constant,
};

/// Elements that one range designator may set; more is surely a mistake, and
/// would take the memory of the machine.
const LARGEST_RANGE: u64 = 1 << 22;

/// What is known of a subobject so far.
#[derive(Clone, Debug)]
enum Node {
    /// Nothing: it is zero.
    Empty,
    /// A value of the whole.
    Value(Expression),
    /// Parts by position.
    Parts(BTreeMap<u64, Node>),
}

/// The rest of a braced list.
struct Items<'t> {
    list: &'t [DesignatedInitializer],
    next: usize,
    /// The value of the next item, if it was needed early.
    value: Option<Expression>,
    /// Whether the designators of the next item were followed already.
    is_placed: bool,
}

impl<'t> Items<'t> {
    fn peek(&self) -> Option<&'t DesignatedInitializer> {
        self.list.get(self.next)
    }

    fn advance(&mut self) {
        self.next += 1;
        self.value = None;
        self.is_placed = false;
    }
}

impl Analyser<'_> {
    /// An initialiser of an object and the object's type, completed by it.
    /// `None` if errors were reported.
    pub(super) fn initializer(
        &mut self,
        ty: QualType,
        initializer: &ast::Initializer,
    ) -> Option<(Initializer, QualType)> {
        let e = match initializer {
            ast::Initializer::List(list) => return self.list_initializer(ty, list),
            ast::Initializer::Expression(e) => e,
        };
        if let Some(string) = self.string_for(ty, e) {
            let completed = self.completed(ty, self.array_length_of(&string));
            return Some((finished(self.string_node(ty, string)), completed));
        }
        let value = self.expression(e);
        if is_poison(&value) {
            return None;
        }
        if let Type::Array { .. } = self.get(ty.ty) {
            // GNU: an array from a compound literal.
            if let ExpressionKind::CompoundLiteral(inner) = &value.inner().kind
                && self.are_compatible_unqualified(ty.ty, value.ty.ty)
            {
                let completed = self.completed(ty, self.array_length_of(&value));
                return Some((inner.as_ref().clone(), completed));
            }
            let message = "an array needs a list in braces as its initialiser";
            let error = Diagnostic::error(codes::INVALID_INITIALIZER, message, value.span);
            self.push(error.help("write `{ … }`, or copy the elements in a loop"));
            return None;
        }
        let value = self.assign_convert(value, ty, Destination::Initialization);
        (!is_poison(&value)).then_some((Initializer::Expression(value), ty))
    }

    /// A braced list for an object of a type.
    pub(super) fn list_initializer(
        &mut self,
        ty: QualType,
        list: &ast::InitializerList,
    ) -> Option<(Initializer, QualType)> {
        if self.unit.types.is_variable_length(ty.ty) && !list.items.is_empty() {
            let message = "an array of variable length cannot have an initialiser";
            let error = Diagnostic::error(codes::INVALID_INITIALIZER, message, list.span);
            self.push(error.help("assign to its elements after the declaration"));
            return None;
        }
        let before = self.diagnostics.len();
        let node = self.braced(ty, list);
        if self.diagnostics.len() > before {
            return None;
        }
        let length = match &node {
            Node::Parts(parts) => parts.last_key_value().map_or(0, |(last, _)| last + 1),
            Node::Value(string) => self.array_length_of(string),
            Node::Empty => 0,
        };
        let completed = self.completed(ty, length);
        Some((finished(node), completed))
    }

    /// An array type without a length gets one.
    pub(super) fn completed(&mut self, ty: QualType, length: u64) -> QualType {
        match *self.get(ty.ty) {
            Type::Array {
                element,
                length: ArrayLength::Incomplete,
            } => QualType {
                ty: self.unit.types.intern(Type::Array {
                    element,
                    length: ArrayLength::Constant(length),
                }),
                qualifiers: ty.qualifiers,
            },
            _ => ty,
        }
    }

    fn array_length_of(&self, e: &Expression) -> u64 {
        match self.get(e.ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(length),
                ..
            } => *length,
            _ => 0,
        }
    }

    /// The string literal that initialises a whole character array (6.7.9,
    /// 14 and 15), if the expression is one.
    fn string_for(&mut self, ty: QualType, e: &ast::Expression) -> Option<Expression> {
        let Type::Array { element, .. } = *self.get(ty.ty) else {
            return None;
        };
        let mut inner = e;
        while let ast::ExpressionKind::Parenthesized(e) = &inner.kind {
            inner = e;
        }
        let ast::ExpressionKind::String(literal) = &inner.kind else {
            return None;
        };
        let (kind, _) = super::literal::string_shape(&literal.pieces);
        let fits = match self.get(element.ty) {
            Type::Integer(
                IntegerKind::Char | IntegerKind::SignedChar | IntegerKind::UnsignedChar,
            ) => kind == IntegerKind::Char,
            Type::Integer(element) => kind != IntegerKind::Char && element.size() == kind.size(),
            _ => false,
        };
        fits.then(|| self.string(literal, e.span))
    }

    /// A string as the value of a character array. Where its null character has no place (6.7.9,
    /// 14), it is a list of characters: other languages take no such string.
    ///
    /// ```text
    /// char code[4] = "ACGT";         char code[4] = {'A', 'C', 'G', 'T'};
    /// ```
    fn string_node(&mut self, ty: QualType, string: Expression) -> Node {
        let Type::Array {
            element,
            length: ArrayLength::Constant(length),
        } = *self.get(ty.ty)
        else {
            return Node::Value(string);
        };
        let ExpressionKind::String { spelling } = &string.kind else {
            return Node::Value(string);
        };
        if length >= self.array_length_of(&string) {
            return Node::Value(string);
        }
        let (_, elements) = super::literal::string_elements(spelling);
        let mut parts = BTreeMap::new();
        for (index, code) in (0..length).zip(elements) {
            let value = constant::wrap(&self.unit.types, element.ty, i128::from(code));
            let kind = ExpressionKind::Integer {
                value,
                spelling: character_spelling(code),
            };
            let character = self.make(kind, element.ty, string.span);
            parts.insert(index, Node::Value(character));
        }
        Node::Parts(parts)
    }

    /// A braced list for one object.
    fn braced(&mut self, ty: QualType, list: &ast::InitializerList) -> Node {
        let mut items = Items {
            list: &list.items,
            next: 0,
            value: None,
            is_placed: false,
        };
        if !self.is_aggregate(ty) {
            return self.braced_scalar(ty, list);
        }
        if let [single] = list.items.as_slice()
            && single.designators.is_empty()
            && let ast::Initializer::Expression(e) = &single.initializer
            && let Some(string) = self.string_for(ty, e)
        {
            return self.string_node(ty, string);
        }
        let mut node = Node::Parts(BTreeMap::new());
        self.fill(ty, &mut node, &mut items, 0, true);
        node
    }

    /// `{ 1 }` for a scalar; more values are a warning in compilers.
    fn braced_scalar(&mut self, ty: QualType, list: &ast::InitializerList) -> Node {
        match list.items.first() {
            None => Node::Empty,
            Some(item) => {
                if let Some(designator) = item.designators.first() {
                    self.wrong_designator(ty, designator);
                    return Node::Empty;
                }
                match &item.initializer {
                    ast::Initializer::Expression(e) => self.scalar(ty, e),
                    ast::Initializer::List(inner) => self.braced(ty, inner),
                }
            }
        }
    }

    fn scalar(&mut self, ty: QualType, e: &ast::Expression) -> Node {
        let value = self.value(e);
        Node::Value(self.assign_convert(value, ty, Destination::Initialization))
    }

    fn is_aggregate(&self, ty: QualType) -> bool {
        matches!(
            self.get(ty.ty),
            Type::Array { .. } | Type::Record(_) | Type::Vector { .. }
        )
    }

    /// Initialises parts of an aggregate from position `start` on, until the
    /// list or the aggregate ends. Without braces of its own, a designator
    /// ends it too: it speaks of an object further out.
    fn fill(
        &mut self,
        ty: QualType,
        node: &mut Node,
        items: &mut Items<'_>,
        start: u64,
        is_braced: bool,
    ) {
        let mut position = start;
        while let Some(item) = items.peek() {
            if !item.designators.is_empty() && !items.is_placed {
                if !is_braced {
                    return;
                }
                match self.designated(ty, node, items, &item.designators) {
                    Some(last) => position = last + 1,
                    None => items.advance(),
                }
                continue;
            }
            let Some((index, part)) = self.next_part(ty, position) else {
                if !is_braced {
                    return;
                }
                // Excess values are a warning in compilers.
                self.skip(items, item);
                continue;
            };
            let child = self.child(ty, node, index);
            self.part(part, child, items);
            position = index + 1;
        }
    }

    /// Looks at a value that initialises nothing, for the errors in it.
    fn skip(&mut self, items: &mut Items<'_>, item: &DesignatedInitializer) {
        if let ast::Initializer::Expression(e) = &item.initializer
            && items.value.is_none()
        {
            self.value(e);
        }
        items.advance();
    }

    /// Initialises one part from the next item or, with elided braces, items.
    fn part(&mut self, ty: QualType, node: &mut Node, items: &mut Items<'_>) {
        let Some(item) = items.peek() else {
            return;
        };
        let e = match &item.initializer {
            ast::Initializer::List(list) => {
                *node = self.braced(ty, list);
                return items.advance();
            }
            ast::Initializer::Expression(e) => e,
        };
        if !self.is_aggregate(ty) {
            let value = match items.value.take() {
                Some(value) => self.decay(value),
                None => self.value(e),
            };
            *node = Node::Value(self.assign_convert(value, ty, Destination::Initialization));
            return items.advance();
        }
        if items.value.is_none()
            && let Some(string) = self.string_for(ty, e)
        {
            *node = self.string_node(ty, string);
            return items.advance();
        }
        if !matches!(self.get(ty.ty), Type::Array { .. }) {
            // A whole struct may be given by an expression.
            let value = match items.value.take() {
                Some(value) => value,
                None => self.expression(e),
            };
            if value.ty.ty == ty.ty || is_poison(&value) {
                *node = Node::Value(value);
                return items.advance();
            }
            items.value = Some(value);
        }
        if self.next_part(ty, 0).is_none() {
            // An empty struct takes no value.
            return self.skip(items, item);
        }
        self.fill(ty, node, items, 0, false);
    }

    /// Follows the designators of the next item and initialises what they
    /// name; the position at the outermost level.
    fn designated(
        &mut self,
        ty: QualType,
        node: &mut Node,
        items: &mut Items<'_>,
        designators: &[Designator],
    ) -> Option<u64> {
        let (first, rest) = designators.split_first()?;
        let (low, high) = self.designator(ty, first)?;
        let part = self.part_at(ty, low)?;
        let child = self.child(ty, node, low);
        // A member of an anonymous struct or union is two steps away.
        if matches!(first, Designator::Member(_)) && self.is_anonymous(ty, low) {
            let inner = self.designated(part, child, items, designators)?;
            self.fill(part, child, items, inner + 1, false);
            return Some(low);
        }
        if rest.is_empty() {
            items.is_placed = true;
            self.part(part, child, items);
        } else {
            // After `.a.b = 1`, more values go to what follows `b`.
            let inner = self.designated(part, child, items, rest)?;
            self.fill(part, child, items, inner + 1, false);
        }
        if high > low {
            let made = self.child(ty, node, low).clone();
            for index in low + 1..=high {
                *self.child(ty, node, index) = made.clone();
            }
        }
        Some(high)
    }

    /// The positions that a designator names.
    fn designator(&mut self, ty: QualType, designator: &Designator) -> Option<(u64, u64)> {
        match (designator, self.get(ty.ty).clone()) {
            (Designator::Member(name), Type::Record(record)) => {
                let Some(path) = self.member_path(record, &name.value) else {
                    self.wrong_designator(ty, designator);
                    return None;
                };
                let (_, index) = path.first()?;
                Some((*index as u64, *index as u64))
            }
            (Designator::Index(e), Type::Array { length, .. }) => {
                let index = self.index_value(e, length)?;
                Some((index, index))
            }
            (Designator::Range(low, high), Type::Array { length, .. }) => {
                let span = low.span.to(high.span);
                let low = self.index_value(low, length)?;
                let high = self.index_value(high, length)?;
                if high < low || high - low > LARGEST_RANGE {
                    let message = format!("the range from {low} to {high} is empty or too large");
                    self.error(codes::INVALID_INITIALIZER, message, span);
                    return None;
                }
                Some((low, high))
            }
            _ => {
                self.wrong_designator(ty, designator);
                None
            }
        }
    }

    fn index_value(&mut self, e: &ast::Expression, length: ArrayLength) -> Option<u64> {
        let value = self.value(e);
        let index = self.constant_of(&value, "the index of a designator is not constant")?;
        let most = match length {
            ArrayLength::Constant(length) => length,
            _ => i64::MAX as u64,
        };
        match u64::try_from(index) {
            Ok(index) if index < most => Some(index),
            _ => {
                let message =
                    format!("the array has {most} elements, so there is no element {index}");
                self.error(codes::INVALID_INITIALIZER, message, value.span);
                None
            }
        }
    }

    fn wrong_designator(&mut self, ty: QualType, designator: &Designator) {
        let have = self.show(QualType::plain(ty.ty));
        let (what, span): (String, Span) = match designator {
            Designator::Member(name) => (format!("member `{}`", name.value), name.span),
            Designator::Index(e) | Designator::Range(e, _) => ("elements".to_string(), e.span),
        };
        let message = format!("a `{have}` has no {what} to initialise");
        self.error(codes::INVALID_INITIALIZER, message, span);
    }

    /// The first part at or after a position that values without designators
    /// go to, with its position. Of a union only the first member is one.
    fn next_part(&self, ty: QualType, position: u64) -> Option<(u64, QualType)> {
        let Type::Record(id) = self.get(ty.ty) else {
            return Some((position, self.part_at(ty, position)?));
        };
        let record = self.unit.types.record(*id);
        if record.is_union && position > 0 {
            return None;
        }
        let mut rest = record.members.iter().flatten().enumerate();
        let (index, member) = rest.find(|(index, member)| {
            *index as u64 >= position && (member.name.is_some() || member.bit_field.is_none())
        })?;
        Some((index as u64, member.ty))
    }

    /// The type of the part at a position.
    fn part_at(&self, ty: QualType, position: u64) -> Option<QualType> {
        match self.get(ty.ty) {
            Type::Array { element, length } => match length {
                ArrayLength::Constant(length) if position >= *length => None,
                _ => Some(*element),
            },
            Type::Vector { element, lanes } => {
                (position < *lanes).then_some(QualType::plain(*element))
            }
            Type::Record(id) => self.member_type(*id, position as usize),
            _ => None,
        }
    }

    fn is_anonymous(&self, ty: QualType, index: u64) -> bool {
        let Type::Record(id) = *self.get(ty.ty) else {
            return false;
        };
        let members = self.unit.types.record(id).members.as_ref();
        members
            .and_then(|members| members.get(index as usize))
            .is_some_and(|member| member.name.is_none())
    }

    /// The node of a part. Setting another member of a union forgets the
    /// one that was set.
    fn child<'n>(&self, ty: QualType, node: &'n mut Node, index: u64) -> &'n mut Node {
        if !matches!(node, Node::Parts(_)) {
            *node = Node::Parts(BTreeMap::new());
        }
        let is_union = match *self.get(ty.ty) {
            Type::Record(id) => self.unit.types.record(id).is_union,
            _ => false,
        };
        match node {
            Node::Parts(parts) => {
                if is_union {
                    parts.retain(|other, _| *other == index);
                }
                parts.entry(index).or_insert(Node::Empty)
            }
            other => other,
        }
    }
}

/// The tree in its final form.
fn finished(node: Node) -> Initializer {
    match node {
        Node::Empty => Initializer::Aggregate(Vec::new()),
        Node::Value(e) => Initializer::Expression(e),
        Node::Parts(parts) => Initializer::Aggregate(
            parts
                .into_iter()
                .filter(|(_, part)| !matches!(part, Node::Empty))
                .map(|(index, part)| (index, finished(part)))
                .collect(),
        ),
    }
}

/// `'A'`, for characters that stand for themselves between quotes.
fn character_spelling(code: u32) -> Option<String> {
    let c = char::from_u32(code)?;
    let is_plain = (c.is_ascii_graphic() || c == ' ') && c != '\'' && c != '\\';
    is_plain.then(|| format!("'{c}'"))
}
