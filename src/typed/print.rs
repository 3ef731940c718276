//! Prints types, expressions and statements as C.
//!
//! One writer serves every output language: it knows precedence, declarator
//! syntax and what C's own spelling is; a [`Language`] renames symbols, spells
//! types and takes over the expressions that it writes differently. Text goes
//! to one buffer from left to right, so that a sum of thousands of terms costs
//! linear time.
//!
//! Parentheses are those of the source plus those that the tree needs where
//! an operand was replaced.

use std::borrow::Cow;

use super::{
    ArrayLength, BinaryOperator, EnumId, Expression, ExpressionKind, FunctionType, Initializer,
    Measure, QualType, Qualifiers, RecordId, SizeOf, SymbolId, Type, TypeId, TypedefId,
    UnaryOperator, Unit,
};

use crate::source::Span;

mod statement;
mod suffixes;

pub use suffixes::without_suffixes;

/// An expression in a message: as the user wrote it.
pub fn spelled(unit: &Unit, e: &Expression) -> String {
    let inner = e.inner();
    let mut written = [e.span, inner.span].into_iter();
    let found = written.find_map(|span| unit.spellings.of(span));
    found.map_or_else(|| Printer::text(unit, &C, inner), Cow::into_owned)
}

/// Binding strengths beside those of [`BinaryOperator::precedence`].
pub mod precedence {
    /// `a, b`.
    pub const COMMA: u8 = 1;
    /// `a = b`.
    pub const ASSIGNMENT: u8 = 2;
    /// `c ? a : b`.
    pub const CONDITIONAL: u8 = 3;
    /// Added to [`super::BinaryOperator::precedence`].
    pub const BINARY_BASE: u8 = 3;
    /// `-a`, `(T)a`.
    pub const UNARY: u8 = 14;
    /// `a[i]`, `f(x)`, `a.m`.
    pub const POSTFIX: u8 = 15;
    /// Names, constants, `(e)`.
    pub const PRIMARY: u8 = 16;
}

/// How an output language differs from C.
pub trait Language {
    /// What a variable or function is called.
    fn symbol(&self, unit: &Unit, id: SymbolId) -> String {
        unit.symbol(id).name.clone()
    }

    /// What a member is called.
    fn member(&self, name: &str) -> String {
        name.to_string()
    }

    /// How a struct or union type is spelled.
    fn record(&self, unit: &Unit, id: RecordId) -> String {
        let record = unit.types.record(id);
        let keyword = if record.is_union { "union" } else { "struct" };
        match (&record.tag, &record.typedef_name) {
            (Some(tag), _) => format!("{keyword} {tag}"),
            (None, Some(name)) => name.clone(),
            (None, None) => format!("{keyword} <unnamed>"),
        }
    }

    /// How an enumeration type is spelled.
    fn enumeration(&self, unit: &Unit, id: EnumId) -> String {
        match &unit.types.enumeration(id).tag {
            Some(tag) => format!("enum {tag}"),
            None => unit.types.enumeration(id).underlying.spelling().to_string(),
        }
    }

    /// How any other unqualified type that is no pointer, array or function
    /// is spelled; `None` takes C's spelling.
    fn scalar(&self, _ty: &Type) -> Option<String> {
        None
    }

    /// `restrict`, or nothing.
    fn restrict(&self) -> &'static str {
        "restrict"
    }

    /// The file's name for an arithmetic type, if this language has it.
    fn typedef(&self, _unit: &Unit, _id: TypedefId) -> Option<String> {
        None
    }

    /// What is written for a constant length that stands at a place; `None` takes its digits.
    fn length(&self, _unit: &Unit, _place: Span, _value: u64) -> Option<String> {
        None
    }

    /// Whether a constant says by `sizeof` which type's size it is.
    fn has_size(&self, _unit: &Unit, _ty: TypeId) -> bool {
        false
    }

    /// Whether `sizeof` may be of an expression itself, rather than of its type.
    fn measures(&self, _unit: &Unit, _operand: &Expression) -> bool {
        false
    }

    /// The length of a variable length array as text; `None` prints the
    /// expression of the declaration.
    fn variable_length(&self, _length: super::VlaId) -> Option<String> {
        None
    }

    /// The type with which a variable is declared that has this one in C.
    fn declared(&self, _unit: &Unit, ty: QualType) -> QualType {
        ty
    }

    /// The initialiser of an object of this type; `None` prints C's.
    fn initializer(&self, _unit: &Unit, _value: &Initializer, _ty: QualType) -> Option<String> {
        None
    }

    /// Whether calls of macros made an expression.
    fn has_call(&self, _expression: &Expression) -> bool {
        false
    }

    /// What is written with calls of macros in place of an expression, which is printed as `made`.
    fn kept(&self, _expression: &Expression, _made: &str) -> Option<String> {
        None
    }

    /// The binding strength of an expression that this language writes in a
    /// way of its own; `None` leaves it to C's way.
    fn overrides(&self, _unit: &Unit, _expression: &Expression) -> Option<u8> {
        None
    }

    /// Writes an expression for which [`Self::overrides`] gave a strength.
    fn write(&self, _printer: &mut Printer<'_, Self>, _expression: &Expression)
    where
        Self: Sized,
    {
    }
}

/// C itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct C;

impl Language for C {
    fn symbol(&self, unit: &Unit, id: SymbolId) -> String {
        match unit.launch_values.get(&id) {
            Some(value) => format!("({})", Printer::text(unit, self, value)),
            None => unit.symbol(id).name.clone(),
        }
    }
}

/// Writes C-like text.
pub struct Printer<'a, L: Language> {
    /// What ids refer to.
    pub unit: &'a Unit,
    /// The output language.
    pub language: &'a L,
    /// The text so far.
    pub out: String,
    /// Calls of macros are written as what they make.
    expands: bool,
}

impl<'a, L: Language> Printer<'a, L> {
    /// An empty text.
    pub fn new(unit: &'a Unit, language: &'a L) -> Self {
        Self {
            unit,
            language,
            out: String::new(),
            expands: false,
        }
    }

    /// An expression as text.
    pub fn text(unit: &'a Unit, language: &'a L, expression: &Expression) -> String {
        Self::text_at(unit, language, expression, precedence::COMMA)
    }

    /// An expression as text that binds at least as strongly as asked for.
    pub fn text_at(unit: &'a Unit, language: &'a L, expression: &Expression, least: u8) -> String {
        let mut printer = Self::new(unit, language);
        printer.expression(expression, least);
        printer.out
    }

    /// Adds fixed text.
    pub fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The binding strength with which an expression will be printed.
    pub fn strength(&self, expression: &Expression) -> u8 {
        if let Some(own) = self.language.overrides(self.unit, expression) {
            return own;
        }
        use ExpressionKind as E;
        match &expression.kind {
            E::Comma(..) => precedence::COMMA,
            E::Assign(..) | E::CompoundAssign { .. } => precedence::ASSIGNMENT,
            E::Conditional(..) => precedence::CONDITIONAL,
            E::Binary(operator, ..) => precedence::BINARY_BASE + operator.precedence(),
            E::Cast(_) | E::SizeofVariable(_) | E::LabelAddress(_) => precedence::UNARY,
            E::Unary(UnaryOperator::PostIncrement | UnaryOperator::PostDecrement, _) => {
                precedence::POSTFIX
            }
            E::Unary(..) => precedence::UNARY,
            E::Integer {
                value,
                spelling: None,
            } if *value < 0 => precedence::UNARY,
            E::Index(..) | E::Call { .. } | E::Member { .. } | E::CompoundLiteral(_) => {
                precedence::POSTFIX
            }
            E::Convert(_, inner) => self.strength(inner),
            _ => precedence::PRIMARY,
        }
    }

    /// Writes an expression, in parentheses if it binds less strongly than
    /// its surroundings need.
    pub fn expression(&mut self, expression: &Expression, least: u8) {
        let strength = self.strength(expression);
        if strength < least {
            self.out.push('(');
        }
        if !self.kept_call(expression) {
            self.written(expression);
        }
        if strength < least {
            self.out.push(')');
        }
    }

    /// Writes an expression as the call of a macro that made it, if nothing of it but arguments
    /// has changed since.
    fn kept_call(&mut self, expression: &Expression) -> bool {
        let language = self.language;
        if self.expands || !language.has_call(expression) {
            return false;
        }
        let start = self.out.len();
        self.expands = true;
        self.written(expression);
        self.expands = false;
        let kept = language.kept(expression, &self.out[start..]);
        self.out.truncate(start);
        kept.as_deref().inspect(|text| self.push(text)).is_some()
    }

    /// Writes an expression in the language's way.
    fn written(&mut self, expression: &Expression) {
        if self.language.overrides(self.unit, expression).is_some() {
            let language = self.language;
            language.write(self, expression);
        } else {
            self.plain(expression);
        }
    }

    /// Writes an expression in C's own way, whatever the language says of its
    /// outermost node.
    pub fn plain(&mut self, expression: &Expression) {
        use ExpressionKind as E;
        match &expression.kind {
            E::Integer { value, spelling } => self.integer(*value, spelling.as_deref(), expression),
            E::Floating { spelling, .. } => self.push(spelling),
            E::String { spelling } => self.push(&spelling.join(" ")),
            E::Symbol(id) => {
                let name = self.language.symbol(self.unit, *id);
                self.push(&name);
            }
            E::Parenthesized(inner) => self.parenthesized(inner),
            E::Index(base, index) => {
                self.expression(base, precedence::POSTFIX);
                self.out.push('[');
                self.expression(index, precedence::COMMA);
                self.out.push(']');
            }
            E::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            E::Member {
                base,
                record,
                member,
                arrow,
            } => self.member(base, *record, *member, *arrow),
            E::CompoundLiteral(initializer) => {
                let ty = self.declaration(expression.ty, "");
                self.push(&format!("({ty})"));
                self.braced(initializer);
            }
            E::Unary(operator, operand) => self.unary(*operator, operand),
            E::Binary(operator, left, right) => self.binary(*operator, left, right),
            E::Conditional(condition, middle, last) => {
                self.conditional(condition, middle.as_deref(), last);
            }
            E::Assign(target, value) => self.assign("=", target, value),
            E::CompoundAssign {
                operator,
                target,
                value,
                ..
            } => {
                self.assign(&format!("{}=", operator.spelling()), target, value);
            }
            E::Comma(left, right) => {
                self.expression(left, precedence::COMMA);
                self.push(", ");
                self.expression(right, precedence::ASSIGNMENT);
            }
            E::Cast(inner) => {
                let by = self.unit.typedefs.of_cast(expression.span);
                self.cast(expression.ty, inner, by);
            }
            E::Convert(_, inner) => self.expression(inner, 0),
            E::SizeofVariable(ty) => {
                let ty = self.declaration(*ty, "");
                self.push(&format!("sizeof({ty})"));
            }
            E::Statement(statement) => self.statement_expression(statement),
            E::LabelAddress(label) => self.push(&format!("&&{label}")),
            E::VaArg(list) => {
                self.push("__builtin_va_arg(");
                self.expression(list, precedence::ASSIGNMENT);
                let ty = self.declaration(expression.ty, "");
                self.push(&format!(", {ty})"));
            }
            E::Error => {}
        }
    }

    /// `(T)e`.
    pub fn cast(&mut self, ty: QualType, inner: &Expression, by: Option<TypedefId>) {
        let ty = self.declaration_by(ty, "", by);
        self.push(&format!("({ty})"));
        self.expression(inner, precedence::UNARY);
    }

    /// `( e )`, without doubling parentheses that `e` brings.
    fn parenthesized(&mut self, inner: &Expression) {
        self.out.push('(');
        self.expression(inner, precedence::COMMA);
        self.out.push(')');
    }

    /// A constant without a spelling gets the suffix of its type.
    fn integer(&mut self, value: i128, spelling: Option<&str>, expression: &Expression) {
        use super::IntegerKind as I;
        if let Some(spelling) = spelling {
            return self.push(spelling);
        }
        if let Some(size) = self.size(value, expression) {
            return self.push(&size);
        }
        let suffix = match self.unit.types.get(expression.ty.ty) {
            Type::Integer(I::UnsignedInt) => "u",
            Type::Integer(I::Long) => "l",
            Type::Integer(I::UnsignedLong) => "ul",
            Type::Integer(I::LongLong) => "ll",
            Type::Integer(I::UnsignedLongLong) => "ull",
            _ => "",
        };
        self.push(&format!("{value}{suffix}"));
    }

    /// `sizeof(T)` and the like, where the user has it for a constant and it is that in this language.
    fn size(&self, value: i128, expression: &Expression) -> Option<String> {
        let SizeOf {
            measure,
            ty,
            by,
            of,
        } = self.unit.typedefs.of_size(expression.span)?;
        let types = &self.unit.types;
        let is_size = matches!(
            types.get(expression.ty.ty),
            Type::Integer(super::IntegerKind::UnsignedLong)
        );
        let number = match measure {
            Measure::Size => types.size(ty.ty).map(i128::from),
            Measure::Alignment => Some(i128::from(types.alignment(ty.ty))),
            Measure::Offset(_) => Some(value),
        };
        if !is_size || number != Some(value) {
            return None;
        }
        let of = of.as_deref();
        if let Some(operand) = of.filter(|operand| self.language.measures(self.unit, operand)) {
            let text = Self::text_at(self.unit, self.language, operand, precedence::UNARY);
            let blank = if text.starts_with('(') { "" } else { " " };
            return Some(format!("sizeof{blank}{text}"));
        }
        if !self.language.has_size(self.unit, ty.ty) {
            return None;
        }
        let (element, declarator) = self.declarator_by(QualType::plain(ty.ty), "", *by);
        let element = element.trim_start_matches("const ");
        Some(match measure {
            Measure::Size => format!("sizeof({element}{declarator})"),
            Measure::Alignment => format!("alignof({element}{declarator})"),
            Measure::Offset(member) => {
                let member = self.language.member(member);
                format!("offsetof({element}{declarator}, {member})")
            }
        })
    }

    /// `f(a, b)`.
    pub fn call(&mut self, function: &Expression, arguments: &[Expression]) {
        self.expression(function, precedence::POSTFIX);
        self.out.push('(');
        for (i, argument) in arguments.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            self.expression(argument, precedence::ASSIGNMENT);
        }
        self.out.push(')');
    }

    /// `b.m`, `p->m`; a member of an anonymous record is named directly.
    fn member(&mut self, base: &Expression, record: RecordId, member: usize, arrow: bool) {
        let name = self
            .unit
            .types
            .record(record)
            .members
            .as_ref()
            .and_then(|members| members.get(member))
            .and_then(|member| member.name.clone());
        self.expression(base, precedence::POSTFIX);
        if let Some(name) = name {
            // The dot of an anonymous record on the way was left out, its
            // arrow was not.
            if !self.out.ends_with("->") || !is_anonymous_member(self.unit, base) {
                self.push(if arrow { "->" } else { "." });
            }
            let name = self.language.member(&name);
            self.push(&name);
        } else if arrow {
            self.push("->");
        }
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expression) {
        let spelling = operator.spelling();
        if let UnaryOperator::PostIncrement | UnaryOperator::PostDecrement = operator {
            self.expression(operand, precedence::POSTFIX);
            return self.push(spelling);
        }
        let end = self.out.len() + spelling.len();
        self.push(spelling);
        self.expression(operand, precedence::UNARY);
        // `- -a` must not become `--a`.
        let last = self.out[..end].chars().last();
        if matches!(last, Some('+' | '-' | '&')) && self.out[end..].chars().next() == last {
            self.out.insert(end, ' ');
        }
    }

    fn binary(&mut self, operator: BinaryOperator, left: &Expression, right: &Expression) {
        let strength = precedence::BINARY_BASE + operator.precedence();
        self.expression(left, strength);
        self.push(&format!(" {} ", operator.spelling()));
        self.expression(right, strength + 1);
    }

    fn conditional(
        &mut self,
        condition: &Expression,
        middle: Option<&Expression>,
        last: &Expression,
    ) {
        self.expression(condition, precedence::CONDITIONAL + 1);
        match middle {
            Some(middle) => {
                self.push(" ? ");
                self.expression(middle, precedence::COMMA);
                self.push(" : ");
            }
            None => self.push(" ?: "),
        }
        self.expression(last, precedence::CONDITIONAL);
    }

    fn assign(&mut self, operator: &str, target: &Expression, value: &Expression) {
        self.expression(target, precedence::UNARY);
        self.push(&format!(" {operator} "));
        self.expression(value, precedence::ASSIGNMENT);
    }

    /// An initialiser: an expression, or values in braces by position.
    pub fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Expression(e) => self.expression(e, precedence::ASSIGNMENT),
            Initializer::Aggregate(_) => self.braced(initializer),
        }
    }

    /// `{a, b}` with `{}` or `0` for what is not named in between.
    pub fn braced(&mut self, initializer: &Initializer) {
        self.out.push('{');
        match initializer {
            Initializer::Expression(e) => self.expression(e, precedence::ASSIGNMENT),
            Initializer::Aggregate(items) => {
                let mut next = 0;
                for (index, item) in items {
                    while next < *index {
                        self.push("{}, ");
                        next += 1;
                    }
                    self.initializer(item);
                    self.push(", ");
                    next = index + 1;
                }
                if self.out.ends_with(", ") {
                    self.out.truncate(self.out.len() - 2);
                }
            }
        }
        self.out.push('}');
    }

    /// A declaration of `name` with a type, or a type name if it is empty:
    /// `float (*a)[100]`.
    pub fn declaration(&self, ty: QualType, name: &str) -> String {
        self.declaration_by(ty, name, None)
    }

    /// The same, with the file's name for the type that it comes down to.
    pub fn declaration_by(&self, ty: QualType, name: &str, by: Option<TypedefId>) -> String {
        let (specifiers, declarator) = self.declarator_by(ty, name, by);
        if declarator.is_empty() {
            return specifiers;
        }
        format!("{specifiers} {declarator}")
    }

    /// The specifiers and the declarator of the same: `const float` and `(*a)[100]`. Declarators
    /// of the same specifiers may stand in one declaration.
    pub fn declarator_by(
        &self,
        ty: QualType,
        name: &str,
        by: Option<TypedefId>,
    ) -> (String, String) {
        self.declarator_with(ty, name, by, &[])
    }

    /// The same with the places of lengths, from the outermost; a parameter has none for its first.
    pub fn declarator_with(
        &self,
        ty: QualType,
        name: &str,
        by: Option<TypedefId>,
        lengths: &[Span],
    ) -> (String, String) {
        let mut declarator = name.to_string();
        let mut ty = ty;
        let mut was_pointer = false;
        let first = lengths.len().saturating_sub(self.dimensions(ty));
        let mut places = lengths[first..].iter();
        loop {
            if let Some(specifiers) = by.and_then(|by| self.named(by, ty)) {
                return (specifiers, declarator);
            }
            match self.unit.types.get(ty.ty) {
                Type::Pointer(to) => {
                    declarator = self.pointer(ty.qualifiers, &declarator);
                    was_pointer = true;
                    ty = *to;
                }
                Type::Array { element, length } => {
                    declarator = parenthesize(declarator, was_pointer);
                    let written = match (length, places.next()) {
                        (ArrayLength::Constant(n), Some(place)) => {
                            self.language.length(self.unit, *place, *n)
                        }
                        _ => None,
                    };
                    let length = written.unwrap_or_else(|| self.length(*length));
                    declarator.push_str(&format!("[{length}]"));
                    was_pointer = false;
                    ty = element.qualified(ty.qualifiers);
                }
                Type::Function(function) => {
                    declarator = parenthesize(declarator, was_pointer);
                    declarator.push_str(&self.parameters(function));
                    was_pointer = false;
                    ty = function.result;
                }
                other => {
                    let base = self.base(other);
                    let specifiers = format!("{}{base}", qualifier_prefix(ty.qualifiers));
                    return (specifiers, declarator);
                }
            }
        }
    }

    /// The specifiers with the file's name for a type, or one that it is declared by, if that is of
    /// this type but for qualifiers.
    fn named(&self, by: TypedefId, ty: QualType) -> Option<String> {
        let mut next = Some(by);
        while let Some(by) = next {
            let typedef = self.unit.typedefs.get(by);
            if let Some(qualifiers) = self.unit.types.qualifiers_over(ty, typedef.ty) {
                let name = self.language.typedef(self.unit, by)?;
                return Some(format!("{}{name}", qualifier_prefix(qualifiers)));
            }
            next = typedef.base;
        }
        None
    }

    /// How many lengths the declarator of a type has.
    fn dimensions(&self, mut ty: QualType) -> usize {
        let mut count = 0;
        loop {
            match self.unit.types.get(ty.ty) {
                Type::Pointer(to) => ty = *to,
                Type::Array { element, .. } => {
                    count += 1;
                    ty = *element;
                }
                Type::Function(function) => ty = function.result,
                _ => return count,
            }
        }
    }

    fn pointer(&self, qualifiers: Qualifiers, declarator: &str) -> String {
        let mut words = Vec::new();
        if qualifiers.is_const {
            words.push("const");
        }
        if qualifiers.is_volatile {
            words.push("volatile");
        }
        if qualifiers.is_restrict && !self.language.restrict().is_empty() {
            words.push(self.language.restrict());
        }
        match (words.is_empty(), declarator.is_empty()) {
            (true, _) => format!("*{declarator}"),
            (false, true) => format!("*{}", words.join(" ")),
            (false, false) => format!("*{} {declarator}", words.join(" ")),
        }
    }

    fn length(&self, length: ArrayLength) -> String {
        match length {
            ArrayLength::Constant(n) => n.to_string(),
            ArrayLength::Variable(id) => self.language.variable_length(id).unwrap_or_else(|| {
                let expression = self.unit.length(id);
                Self::text(self.unit, self.language, expression)
            }),
            ArrayLength::Incomplete => String::new(),
            ArrayLength::Star => "*".to_string(),
        }
    }

    fn parameters(&self, function: &FunctionType) -> String {
        let mut list: Vec<String> = function
            .parameters
            .iter()
            .map(|ty| self.declaration(*ty, ""))
            .collect();
        if function.is_variadic {
            list.push("...".to_string());
        }
        if list.is_empty() && function.is_prototype {
            list.push("void".to_string());
        }
        format!("({})", list.join(", "))
    }

    fn base(&self, ty: &Type) -> String {
        if let Some(own) = self.language.scalar(ty) {
            return own;
        }
        match ty {
            Type::Void => "void".to_string(),
            Type::Bool => "_Bool".to_string(),
            Type::Integer(kind) => kind.spelling().to_string(),
            Type::Floating(kind) => kind.spelling().to_string(),
            Type::Complex(kind) => format!("_Complex {}", kind.spelling()),
            Type::Record(id) => self.language.record(self.unit, *id),
            Type::Enum(id) => self.language.enumeration(self.unit, *id),
            Type::VaList => "__builtin_va_list".to_string(),
            Type::Vector { element, lanes } => {
                let size = self.unit.types.size(*element).unwrap_or(1) * lanes;
                let element = self.declaration(QualType::plain(*element), "");
                format!("{element} __attribute__((vector_size({size})))")
            }
            Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => String::new(),
        }
    }
}

/// `(*p)` where an array or function suffix follows a pointer.
fn parenthesize(declarator: String, was_pointer: bool) -> String {
    if was_pointer {
        format!("({declarator})")
    } else {
        declarator
    }
}

fn qualifier_prefix(qualifiers: Qualifiers) -> String {
    let mut prefix = String::new();
    if qualifiers.is_const {
        prefix.push_str("const ");
    }
    if qualifiers.is_volatile {
        prefix.push_str("volatile ");
    }
    prefix
}

/// Whether the expression is a step into an anonymous struct or union.
fn is_anonymous_member(unit: &Unit, expression: &Expression) -> bool {
    let ExpressionKind::Member { record, member, .. } = &expression.kind else {
        return false;
    };
    let members = unit.types.record(*record).members.as_ref();
    members
        .and_then(|members| members.get(*member))
        .is_some_and(|member| member.name.is_none())
}
