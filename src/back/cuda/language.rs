//! C's expressions as CUDA C++ writes them.
//!
//! Most C is C++ already. What is not: conversions that C++ does not make by
//! itself, calls to overloaded mathematical functions (C's prototype chooses,
//! not the argument), arrays of variable length ([`rows`](super::rows)),
//! compound literals, complex numbers, and names. Scalars in device memory are
//! reached through a pointer.
//!
//! ```text
//! double y = sqrt(f);            double y = sqrt((double)f);
//! node *n = malloc(sizeof *n);   node *n = (node *)malloc(16);
//! ```

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::assertion;
use super::bool_steps::is_bool_step;
use super::builtin;
use super::conversions::{chooses_overload, is_implicit_pointer_conversion, literal_value};
use super::kept::Kept;
use super::measured::Measured;
use super::named_constants::NamedConstants;
use super::named_types::NamedTypes;
use super::rows::{Flat, flat_pointer_type};
use crate::back::namer::Namer;
use crate::source::{Alignment, Span};
use crate::typed::print::{Language, Printer, precedence};
use crate::typed::{
    ArrayLength, Conversion, EnumId, Expression, ExpressionKind, FloatingKind, Initializer, Member,
    QualType, Qualifiers, RecordId, SymbolId, SymbolKind, Type, TypeId, Typedef, TypedefId,
    UnaryOperator, Unit, VlaId, constant,
};

/// CUDA C++ with the names of one kernel or device function.
#[derive(Debug)]
pub struct Cuda {
    namer: Namer,
    /// Names of records and of symbols that differ from the source's.
    pub names: HashMap<SymbolId, String>,
    /// Struct and union names.
    pub records: HashMap<RecordId, String>,
    /// Those of them that are written with `struct` or `union`.
    pub elaborated: HashSet<RecordId>,
    /// The namespace of the file.
    pub namespace: String,
    /// Scalars and structs behind a pointer of the same name.
    pub references: HashSet<SymbolId>,
    /// Variables of which each row has its own in shared memory.
    pub row_shared: HashSet<SymbolId>,
    /// Arrays of the host that are pointers here.
    pub arrays: HashSet<SymbolId>,
    /// Compound literals that have a variable of their own, by their text.
    pub literals: HashMap<Span, String>,
    /// What holds the length of a variable length array.
    pub lengths: HashMap<VlaId, String>,
    /// Lengths that a variable of the program holds, in a type of its own.
    pub own_lengths: HashSet<VlaId>,
    /// The index type that the launch chooses, and what has it.
    pub index: Index,
    /// Windows in shared memory whose slots are variables of the threads.
    pub registers: HashSet<SymbolId>,
    /// What `sizeof` may be of.
    pub measured: Measured,
    /// What leads to the copies of global variables.
    pub globals: HashMap<SymbolId, String>,
    /// Which tokens are the user's own.
    pub alignment: Option<Rc<Alignment>>,
    /// The calls of macros that are kept.
    pub kept: Option<Rc<Kept>>,
    /// The file's names of arithmetic types.
    pub named_types: Rc<NamedTypes>,
    /// The user's constant objects that are constants here.
    pub constants: Rc<NamedConstants>,
    /// Enumerators that the file names.
    pub enumerators: Rc<RefCell<BTreeSet<SymbolId>>>,
}

/// A kernel's type of element indices, a parameter of its template.
#[derive(Clone, Debug, Default)]
pub struct Index {
    /// Its name; empty if the kernel has none.
    pub name: String,
    /// The arrays whose linear indices are of it ([`IndexType`](crate::ir::IndexType)).
    pub arrays: HashSet<SymbolId>,
    /// The lengths that are of it.
    pub lengths: HashSet<VlaId>,
    /// The variables of loops that number their iterations in it.
    pub loops: HashSet<SymbolId>,
    /// Loops that count in `int`.
    pub narrow: HashSet<SymbolId>,
    /// Those of them that the launch keeps in `int`.
    pub kept: HashSet<SymbolId>,
    /// Those whose bounds the kernel tests.
    pub tested: HashSet<SymbolId>,
}

impl Cuda {
    /// No names yet.
    pub fn new(namer: Namer) -> Self {
        Self {
            namer,
            names: HashMap::new(),
            records: HashMap::new(),
            elaborated: HashSet::new(),
            namespace: String::new(),
            references: HashSet::new(),
            row_shared: HashSet::new(),
            arrays: HashSet::new(),
            literals: HashMap::new(),
            lengths: HashMap::new(),
            own_lengths: HashSet::new(),
            index: Index::default(),
            registers: HashSet::new(),
            measured: Measured::default(),
            globals: HashMap::new(),
            alignment: None,
            kept: None,
            named_types: Rc::default(),
            constants: Rc::default(),
            enumerators: Rc::default(),
        }
    }

    /// Whether calls of macros made some of an expression.
    pub fn has_calls(&self, e: &Expression) -> bool {
        let known = self.alignment.as_ref();
        known.is_some_and(|known| known.has_calls(e.span))
    }

    /// For one function: its names are no concern of the file.
    pub fn within(&self) -> Self {
        Self {
            namer: self.namer.within(),
            names: self.names.clone(),
            records: self.records.clone(),
            elaborated: self.elaborated.clone(),
            namespace: self.namespace.clone(),
            references: self.references.clone(),
            row_shared: self.row_shared.clone(),
            arrays: self.arrays.clone(),
            literals: self.literals.clone(),
            lengths: self.lengths.clone(),
            own_lengths: self.own_lengths.clone(),
            index: self.index.clone(),
            registers: self.registers.clone(),
            measured: Measured::default(),
            globals: self.globals.clone(),
            alignment: self.alignment.clone(),
            kept: self.kept.clone(),
            named_types: Rc::clone(&self.named_types),
            constants: Rc::clone(&self.constants),
            enumerators: Rc::clone(&self.enumerators),
        }
    }

    /// Names a record, as no other record in the file is called. Its name is written with `struct`
    /// or `union` where the user has that, and where a variable or member may hide it.
    pub fn name_record(&mut self, id: RecordId, wanted: &str, by_tag: bool) {
        let name = self.namer.tag(wanted);
        if by_tag || self.namer.is_hidden(&name) {
            self.elaborated.insert(id);
        }
        self.records.insert(id, name);
    }

    /// A record's name alone.
    pub fn tag(&self, unit: &Unit, id: RecordId) -> String {
        match self.records.get(&id) {
            Some(name) => name.clone(),
            None => super::record::wanted_name(unit, id).0,
        }
    }

    /// A generated name that collides with nothing.
    pub fn fresh(&mut self, wanted: &str) -> String {
        self.namer.fresh(wanted)
    }

    /// The names of the user's macros.
    pub fn macros(&self) -> Rc<HashSet<String>> {
        self.namer.macros()
    }

    /// Whether a name means something already.
    pub fn is_taken(&self, name: &str) -> bool {
        self.namer.is_taken(name)
    }

    /// A user's label.
    pub fn label(&self, name: &str) -> String {
        self.namer.user(name)
    }

    /// Takes names that belong together, if all are free.
    pub fn take(&mut self, wanted: &[&String]) -> bool {
        let are_free = !wanted.iter().any(|name| self.namer.is_taken(name));
        if are_free {
            for name in wanted {
                self.namer.fresh(name);
            }
        }
        are_free
    }

    /// An expression as text.
    pub fn text(&self, unit: &Unit, expression: &Expression) -> String {
        Printer::text(unit, self, expression)
    }

    /// A constant as it is written, if it is this one wherever it stands.
    pub fn constant(&self, unit: &Unit, written: &Expression, value: i128) -> Option<String> {
        let is_only = |id| {
            let name = &unit.symbol(id).name;
            unit.symbols.iter().filter(|one| one.name == *name).count() == 1
        };
        let known = constant::plain(unit, written, &is_only)?;
        (known == value).then(|| self.text(unit, written))
    }

    /// An expression as an operand of at least the given strength.
    pub fn operand(&self, unit: &Unit, expression: &Expression, least: u8) -> String {
        Printer::text_at(unit, self, expression, least)
    }

    /// A declaration; arrays of variable length become pointers to elements.
    pub fn declare(&self, unit: &Unit, ty: QualType, name: &str) -> String {
        Printer::new(unit, self).declaration(flat_pointer_type(unit, ty), name)
    }

    /// The same of what has the element type of an object of the program, which it names as that
    /// is declared.
    pub fn declare_as(&self, unit: &Unit, like: SymbolId, ty: QualType, name: &str) -> String {
        let (specifiers, declarator) = self.declarator_as(unit, like, ty, name);
        declared(specifiers, &declarator)
    }

    /// The specifiers and the declarator of the same, for declarations of several variables.
    pub fn declarator_as(
        &self,
        unit: &Unit,
        like: SymbolId,
        ty: QualType,
        name: &str,
    ) -> (String, String) {
        let by = unit.typedefs.of_symbol(unit.symbol(like));
        self.declarator_named(unit, (like, by), ty, name)
    }

    /// The same of what a kernel's parameter points to. Where all kernels have a name of an array
    /// with qualifiers alone, the stubs that nvcc makes use it and do not declare it.
    pub fn target_as(
        &self,
        unit: &Unit,
        like: SymbolId,
        ty: QualType,
        name: &str,
    ) -> (String, String) {
        let mut by = unit.typedefs.of_symbol(unit.symbol(like));
        let mut array = ty;
        while let Type::Pointer(to) = unit.types.get(array.ty) {
            array = *to;
        }
        let elements = unit.types.innermost(array).qualifiers;
        let qualifiers = array.qualifiers.union(elements);
        while let Some(typedef) = by.map(|by| unit.typedefs.get(by))
            && qualifiers != Qualifiers::default()
            && matches!(unit.types.get(typedef.ty), Type::Array { .. })
        {
            by = typedef.base;
        }
        self.declarator_named(unit, (like, by), ty, name)
    }

    fn declarator_named(
        &self,
        unit: &Unit,
        (like, by): (SymbolId, Option<TypedefId>),
        ty: QualType,
        name: &str,
    ) -> (String, String) {
        let symbol = unit.symbol(like);
        // A pointer to an array is declared by its elements.
        let element = unit.types.pointee(symbol.ty.ty).map(|element| element.ty);
        let lengths = match symbol.ty.ty == ty.ty || element == Some(ty.ty) {
            true => unit.typedefs.all_lengths(unit.typedefs.lengths(symbol), by),
            false => Vec::new(),
        };
        Printer::new(unit, self).declarator_with(flat_pointer_type(unit, ty), name, by, &lengths)
    }

    /// The declaration of a member.
    pub fn declare_member(&self, unit: &Unit, member: &Member, name: &str) -> String {
        let (specifiers, declarator) = self.member_declarator(unit, member, name);
        declared(specifiers, &declarator)
    }

    /// Its specifiers and its declarator. A constant one would forbid assignment of the whole in C++.
    pub fn member_declarator(&self, unit: &Unit, member: &Member, name: &str) -> (String, String) {
        let mut ty = flat_pointer_type(unit, member.ty);
        ty.qualifiers.is_const = false;
        let (by, lengths) = (member.typedef, &member.lengths);
        let lengths = unit.typedefs.all_lengths(lengths, by);
        Printer::new(unit, self).declarator_with(ty, name, by, &lengths)
    }

    /// The declaration of a name for a type.
    pub fn declare_name(&self, unit: &Unit, typedef: &Typedef, name: &str) -> String {
        let (ty, printer) = (QualType::plain(typedef.ty), Printer::new(unit, self));
        let (by, lengths) = (typedef.base, &typedef.lengths);
        let lengths = unit.typedefs.all_lengths(lengths, by);
        let (specifiers, declarator) = printer.declarator_with(ty, name, by, &lengths);
        declared(specifiers, &declarator)
    }

    /// The same with a name for the element type.
    pub fn declare_by(
        &self,
        unit: &Unit,
        by: Option<TypedefId>,
        ty: QualType,
        name: &str,
    ) -> String {
        Printer::new(unit, self).declaration_by(flat_pointer_type(unit, ty), name, by)
    }
}

/// A declaration, or a type name.
pub fn declared(specifiers: String, declarator: &str) -> String {
    match declarator {
        "" => specifiers,
        _ => format!("{specifiers} {declarator}"),
    }
}

impl Language for Cuda {
    fn symbol(&self, unit: &Unit, id: SymbolId) -> String {
        if let SymbolKind::EnumConstant(_) = unit.symbol(id).kind {
            self.enumerators.borrow_mut().insert(id);
        }
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let name = unit.symbol(id).name.as_str();
        if matches!(unit.symbol(id).kind, SymbolKind::Function { .. })
            && let Some(own) = builtin::device_name(name)
        {
            return own.to_string();
        }
        self.namer.user(name)
    }

    fn member(&self, name: &str) -> String {
        self.namer.member(name)
    }

    fn record(&self, unit: &Unit, id: RecordId) -> String {
        let name = self.tag(unit, id);
        match self.elaborated.contains(&id) {
            true => format!("{} {name}", unit.types.record(id).keyword()),
            false => name,
        }
    }

    // Enumerations are integers here: C converts to and fro, C++ does not.
    fn enumeration(&self, unit: &Unit, id: EnumId) -> String {
        let underlying = unit.types.enumeration(id).underlying;
        (self.named_types.tag(unit, id)).unwrap_or_else(|| underlying.spelling().to_string())
    }

    fn typedef(&self, unit: &Unit, id: TypedefId) -> Option<String> {
        let typedef = unit.typedefs.get(id);
        if typedef.name.is_some() {
            return self.named_types.name(unit, id);
        }
        let kept = self.kept.as_ref();
        let kept = kept.and_then(|kept| Some((kept, kept.call(typedef.span)?)));
        let text = kept.and_then(|(kept, call)| {
            let words = typedef.words.clone();
            let made = words.unwrap_or_else(|| self.declare(unit, QualType::plain(typedef.ty), ""));
            kept.text(call, &made)
        });
        text.or_else(|| typedef.words.clone())
    }

    fn length(&self, unit: &Unit, place: Span, value: u64) -> Option<String> {
        self.constant(unit, unit.typedefs.length(place)?, i128::from(value))
    }

    fn has_size(&self, unit: &Unit, ty: TypeId) -> bool {
        match *unit.types.get(ty) {
            Type::Bool | Type::Integer(_) | Type::Enum(_) => true,
            Type::Floating(kind) => kind.is_on_gpu(),
            Type::Record(id) => {
                unit.types.record(id).members.is_some() && self.records.contains_key(&id)
            }
            Type::Array {
                element,
                length: ArrayLength::Constant(_),
            } => self.has_size(unit, element.ty),
            _ => false,
        }
    }

    fn measures(&self, unit: &Unit, operand: &Expression) -> bool {
        let ty = operand.ty.ty;
        (unit.types.is_pointer(ty) || self.has_size(unit, ty)) && self.is_measured(unit, operand)
    }

    fn scalar(&self, ty: &Type) -> Option<String> {
        match ty {
            Type::Bool => Some("bool".to_string()),
            Type::Complex(kind) => Some(format!("accrs::complex<{}>", kind.spelling())),
            _ => None,
        }
    }

    fn restrict(&self) -> &'static str {
        "__restrict__"
    }

    fn has_call(&self, expression: &Expression) -> bool {
        let kept = self.kept.as_ref();
        kept.is_some_and(|kept| kept.call(expression.span).is_some())
    }

    fn kept(&self, expression: &Expression, made: &str) -> Option<String> {
        let kept = self.kept.as_ref()?;
        kept.text(kept.call(expression.span)?, made)
    }

    fn variable_length(&self, length: VlaId) -> Option<String> {
        self.lengths.get(&length).cloned()
    }

    fn declared(&self, unit: &Unit, ty: QualType) -> QualType {
        flat_pointer_type(unit, ty)
    }

    fn initializer(&self, unit: &Unit, value: &Initializer, ty: QualType) -> Option<String> {
        Some(self.initializer(unit, value, ty.ty))
    }

    fn overrides(&self, unit: &Unit, expression: &Expression) -> Option<u8> {
        use ExpressionKind as E;
        if self.register(expression).is_some() {
            return Some(precedence::PRIMARY);
        }
        if let Some(flat) = Flat::of(unit, expression) {
            return Some(flat.strength(self, unit));
        }
        if assertion::asserted(unit, expression).is_some() {
            return Some(precedence::POSTFIX);
        }
        match &expression.kind {
            E::Symbol(id) if self.references.contains(id) => Some(precedence::UNARY),
            E::Symbol(id) if self.row_shared.contains(id) => Some(precedence::POSTFIX),
            E::Symbol(id) => match unit.symbol(*id).kind {
                SymbolKind::EnumConstant(_) => Some(precedence::PRIMARY),
                _ => None,
            },
            E::Convert(conversion, inner) => self.conversion(unit, expression, *conversion, inner),
            E::Call { .. } => Some(precedence::POSTFIX),
            E::Unary(UnaryOperator::AddressOf, operand) => match operand.inner().kind {
                E::Symbol(id) if self.arrays.contains(&id) || self.references.contains(&id) => {
                    Some(precedence::UNARY)
                }
                _ => None,
            },
            E::Unary(operator, operand) if is_bool_step(unit, *operator, operand) => {
                Some(precedence::ASSIGNMENT)
            }
            E::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, _) => {
                Some(precedence::POSTFIX)
            }
            E::Member {
                base, arrow: false, ..
            } => match base.kind {
                E::Symbol(id) if self.references.contains(&id) => Some(precedence::POSTFIX),
                _ => None,
            },
            E::CompoundLiteral(_) => match self.literals.get(&expression.span) {
                Some(_) => Some(precedence::PRIMARY),
                None => Some(precedence::POSTFIX),
            },
            E::Cast(_) if is_complex(unit, expression.ty.ty) => Some(precedence::POSTFIX),
            E::Floating { .. } if is_complex(unit, expression.ty.ty) => Some(precedence::POSTFIX),
            _ => None,
        }
    }

    fn write(&self, printer: &mut Printer<'_, Self>, expression: &Expression) {
        use ExpressionKind as E;
        if let Some(window) = self.register(expression) {
            let name = self.symbol(printer.unit, window);
            return printer.push(&name);
        }
        if let Some(flat) = Flat::of(printer.unit, expression) {
            return flat.write(self, printer);
        }
        if let Some(condition) = assertion::asserted(printer.unit, expression) {
            return assertion::write(printer, condition);
        }
        match &expression.kind {
            E::Symbol(id) if self.references.contains(id) => {
                let name = self.symbol(printer.unit, *id);
                printer.push(&format!("*{name}"));
            }
            E::Symbol(id) if self.row_shared.contains(id) => {
                let name = self.symbol(printer.unit, *id);
                printer.push(&format!("{name}[threadIdx.y]"));
            }
            E::Symbol(id) => match printer.unit.symbol(*id).kind {
                SymbolKind::EnumConstant(_) => {
                    let name = self.symbol(printer.unit, *id);
                    printer.push(&name);
                }
                _ => printer.plain(expression),
            },
            E::Convert(conversion, inner) => {
                self.write_conversion(printer, expression, *conversion, inner);
            }
            E::Call {
                function,
                arguments,
            } => self.write_call(printer, function, arguments),
            E::Unary(UnaryOperator::AddressOf, operand) => {
                self.write_address(printer, expression, operand)
            }
            E::Unary(operator, operand) if is_bool_step(printer.unit, *operator, operand) => {
                self.write_bool_step(printer, *operator, operand);
            }
            E::Unary(operator, operand) => {
                printer.expression(operand, precedence::POSTFIX);
                printer.push(match operator {
                    UnaryOperator::Real => ".re",
                    _ => ".im",
                });
            }
            E::Member {
                base,
                record,
                member,
                ..
            } => {
                let name = base.as_symbol().map(|id| self.symbol(printer.unit, id));
                let members = printer.unit.types.record(*record).members.as_ref();
                let member = members
                    .and_then(|list| list.get(*member))
                    .and_then(|m| m.name.clone());
                printer.push(&format!(
                    "{}->{}",
                    name.unwrap_or_default(),
                    self.member(&member.unwrap_or_default())
                ));
            }
            E::CompoundLiteral(_) if self.literals.contains_key(&expression.span) => {
                printer.push(&self.literals[&expression.span]);
            }
            E::CompoundLiteral(initializer) => {
                let ty = self.literal_type(printer.unit, expression.ty);
                printer.push(&ty);
                let text = self.initializer(printer.unit, initializer, expression.ty.ty);
                let is_braced = matches!(**initializer, Initializer::Aggregate(_));
                printer.push(&if is_braced {
                    text
                } else {
                    format!("{{{text}}}")
                });
            }
            E::Cast(inner) if is_complex(printer.unit, expression.ty.ty) => {
                self.write_functional_cast(printer, expression.ty, inner);
            }
            E::Floating { spelling, .. } if is_complex(printer.unit, expression.ty.ty) => {
                // GNU C's `2.5i`: C++ has no such suffix.
                let ty = self.declare(printer.unit, QualType::plain(expression.ty.ty), "");
                let real = spelling.replace(['i', 'I', 'j', 'J'], "");
                printer.push(&format!("{ty}(0, {real})"));
            }
            _ => printer.plain(expression),
        }
    }
}

impl Cuda {
    /// The window whose slot, a variable of the thread, an expression is.
    fn register(&self, expression: &Expression) -> Option<SymbolId> {
        if self.registers.is_empty() || !matches!(expression.kind, ExpressionKind::Index(..)) {
            return None;
        }
        let mut array = expression;
        while let ExpressionKind::Index(base, _) = &array.kind {
            array = base.inner();
        }
        array
            .as_symbol()
            .filter(|array| self.registers.contains(array))
    }

    /// The strength of a conversion that has to be written out; `None` where
    /// C++ converts by itself.
    fn conversion(
        &self,
        unit: &Unit,
        to: &Expression,
        conversion: Conversion,
        inner: &Expression,
    ) -> Option<u8> {
        let types = &unit.types;
        match conversion {
            Conversion::NullPointer => Some(precedence::PRIMARY),
            Conversion::IntegerPointer => Some(precedence::UNARY),
            Conversion::Pointer => {
                let flat = |ty: QualType| types.pointee(flat_pointer_type(unit, ty).ty);
                let (to, from) = (flat(to.ty)?, flat(inner.ty)?);
                (!is_implicit_pointer_conversion(unit, from, to)).then_some(precedence::UNARY)
            }
            Conversion::ToBool if is_complex(unit, inner.ty.ty) => Some(precedence::UNARY),
            Conversion::Arithmetic if is_complex(unit, to.ty.ty) => Some(precedence::POSTFIX),
            Conversion::Arithmetic if is_complex(unit, inner.ty.ty) => Some(precedence::POSTFIX),
            // A compiler warns where a negative constant becomes unsigned.
            Conversion::Arithmetic => {
                let value = literal_value(unit, inner);
                let wrapped = value.map(|value| constant::wrap(&unit.types, to.ty.ty, value));
                let changes = unit.types.is_integer(to.ty.ty) && value != wrapped;
                changes.then_some(precedence::UNARY)
            }
            _ => None,
        }
    }

    fn write_conversion(
        &self,
        printer: &mut Printer<'_, Self>,
        to: &Expression,
        conversion: Conversion,
        inner: &Expression,
    ) {
        match conversion {
            Conversion::NullPointer => printer.push(self.null(inner)),
            Conversion::Arithmetic if is_complex(printer.unit, to.ty.ty) => {
                self.write_functional_cast(printer, to.ty, inner);
            }
            Conversion::Arithmetic if !is_complex(printer.unit, inner.ty.ty) => {
                printer.cast(QualType::plain(to.ty.ty), inner, None);
            }
            Conversion::Arithmetic => {
                // A complex value becomes real by dropping its imaginary part.
                printer.expression(inner, precedence::POSTFIX);
                printer.push(".re");
            }
            _ => printer.cast(flat_pointer_type(printer.unit, to.ty), inner, None),
        }
    }

    /// The type of a compound literal, which C++ takes without `struct`.
    fn literal_type(&self, unit: &Unit, ty: QualType) -> String {
        match *unit.types.get(ty.ty) {
            Type::Record(id) if self.elaborated.contains(&id) => {
                let tag = self.tag(unit, id);
                let is_hidden = unit.symbols.iter().any(|symbol| symbol.name == tag);
                match is_hidden {
                    true => format!("{}::{tag}", self.namespace),
                    false => tag,
                }
            }
            _ => self.declare(unit, ty, ""),
        }
    }

    /// `2.0` for the `2` of `pow(x, 2)`, where it is no macro's.
    fn floating_literal(&self, unit: &Unit, argument: &Expression) -> Option<String> {
        let ExpressionKind::Convert(Conversion::Arithmetic, inner) = &argument.kind else {
            return None;
        };
        let suffix = match unit.types.get(argument.ty.ty) {
            Type::Floating(FloatingKind::Double) => "",
            Type::Floating(FloatingKind::Float) => "f",
            _ => return None,
        };
        let value = literal_value(unit, inner).filter(|value| value.abs() < 1 << 20)?;
        (!self.has_calls(inner)).then(|| format!("{value}.0{suffix}"))
    }

    /// A null pointer as the user wrote it.
    fn null(&self, written: &Expression) -> &'static str {
        let known = self.alignment.as_ref();
        let call = known.and_then(|known| known.call(written.span));
        match &written.kind {
            _ if call.is_some_and(|call| call.text == "NULL") => "NULL",
            ExpressionKind::Integer {
                spelling: Some(zero),
                ..
            } if zero == "0" => "0",
            _ => "nullptr",
        }
    }

    /// `T(e)`, for class types.
    fn write_functional_cast(
        &self,
        printer: &mut Printer<'_, Self>,
        ty: QualType,
        inner: &Expression,
    ) {
        let ty = self.declare(printer.unit, QualType::plain(ty.ty), "");
        printer.push(&format!("{ty}("));
        printer.expression(inner, precedence::ASSIGNMENT);
        printer.push(")");
    }

    /// `&x` of what is a pointer here already.
    fn write_address(
        &self,
        printer: &mut Printer<'_, Self>,
        expression: &Expression,
        operand: &Expression,
    ) {
        let Some(id) = operand.as_symbol() else {
            return printer.plain(expression);
        };
        let name = self.symbol(printer.unit, id);
        if self.references.contains(&id) {
            return printer.push(&name);
        }
        let ty = self.declare(printer.unit, expression.ty, "");
        printer.push(&format!("({ty}){name}"));
    }

    /// A call. Library functions are overloaded in C++, so an argument that C
    /// converts is converted in so many words; those behind a prototype's `...` C++ promotes as C does.
    fn write_call(
        &self,
        printer: &mut Printer<'_, Self>,
        function: &Expression,
        arguments: &[Expression],
    ) {
        let unit = printer.unit;
        let symbol = function.as_symbol();
        let is_overloaded = |id| {
            let name = self.symbol(unit, id);
            unit.function(id).is_none() && !name.starts_with("__builtin_")
        };
        let has_one_form = symbol.is_some_and(|id| builtin::has_one_form(&unit.symbol(id).name));
        let is_library = symbol.is_some_and(is_overloaded) && !has_one_form;
        let fixed = fixed_arguments(unit, function);
        let is_hint = symbol.is_some_and(|id| builtin::is_hint(&unit.symbol(id).name));
        if let (true, Some(first)) = (is_hint, arguments.first()) {
            return printer.expression(first, precedence::POSTFIX);
        }
        printer.expression(function, precedence::POSTFIX);
        printer.push("(");
        for (i, argument) in arguments.iter().enumerate() {
            if i > 0 {
                printer.push(", ");
            }
            let is_converted = is_library && i < fixed;
            let number = self.floating_literal(unit, argument);
            if let Some(number) = number.filter(|_| is_converted) {
                printer.push(&number);
            } else if is_converted && chooses_overload(unit, argument) {
                printer.cast(QualType::plain(argument.ty.ty), argument, None);
            } else {
                printer.expression(argument, precedence::ASSIGNMENT);
            }
        }
        printer.push(")");
    }
}

/// How many arguments of a call are those of parameters.
fn fixed_arguments(unit: &Unit, function: &Expression) -> usize {
    let ty = unit.types.pointee(function.ty.ty);
    match unit.types.get(ty.map_or(function.ty.ty, |ty| ty.ty)) {
        Type::Function(ty) if ty.is_variadic => ty.parameters.len(),
        _ => usize::MAX,
    }
}

fn is_complex(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.types.get(ty), Type::Complex(_))
}

/// The strength of the operands of an addition.
pub const ADDEND: u8 = precedence::BINARY_BASE + 9;

/// The strength of the operands of a product.
pub const FACTOR: u8 = precedence::BINARY_BASE + 10;

/// The strength of the operands of a comparison.
pub const COMPARED: u8 = precedence::BINARY_BASE + 8;
