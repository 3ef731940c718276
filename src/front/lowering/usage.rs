//! What code on the device uses: variables from outside, functions, and
//! things that a device does not have.
//!
//! Input: the statements of a kernel or device function. Output: a [`Usage`],
//! its variables in order of first use as written.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{self, visit as walk_ir};
use crate::source::Span;
use crate::typed::{
    ArrayLength, Conversion, Expression, ExpressionKind, LocalDeclaration, QualType, Statement,
    StatementKind, SymbolId, SymbolKind, Type, UnaryOperator, Unit, visit as walk_typed,
};

/// How a variable from outside is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The first use.
    pub span: Span,
    /// The variable itself is assigned, or a member of it.
    pub assigned: bool,
    /// An element of it, or what it points to, is or may be written.
    pub written: bool,
    /// Elements or targets are accessed, or the address goes elsewhere.
    pub followed: bool,
    /// A region holds a window of it and writes nothing back.
    pub windowed: bool,
    /// Pointers that lie in it are followed.
    pub deep: bool,
}

/// What a piece of code uses.
#[derive(Debug, Default)]
pub struct Usage {
    /// Variables declared outside.
    pub variables: IndexMap<SymbolId, Use>,
    /// Functions called, with the first call.
    pub calls: IndexMap<SymbolId, Span>,
    /// What no device can do, as a noun phrase.
    pub impossible: Vec<(&'static str, Span)>,
}

/// Finds out what statements use.
pub fn of(unit: &Unit, list: &[ir::Statement]) -> Usage {
    let mut search = Search {
        unit,
        locals: BTreeSet::new(),
        windows: Vec::new(),
        drops_const: false,
        usage: Usage::default(),
    };
    walk_ir::expressions(list, &mut |e| {
        search.drops_const |= search.is_without_const(e)
    });
    search.declare(list);
    search.statements(list);
    walk_ir::expressions(list, &mut |e| {
        let target = e.assigned();
        if target.is_some_and(|target| target.ty.qualifiers.is_atomic) {
            search.usage.impossible.push((ATOMIC_UPDATE, e.span));
        }
    });
    search.usage
}

/// What `_Atomic` asks for is C's own protocol, of which kernels know nothing.
const ATOMIC_UPDATE: &str = "an update of an `_Atomic` object";

struct Search<'u> {
    unit: &'u Unit,
    locals: BTreeSet<SymbolId>,
    /// The windows around that take accesses away from their arrays.
    windows: Vec<(SymbolId, ir::WindowPolicy)>,
    /// Some pointer to constants becomes another pointer, or a number.
    drops_const: bool,
    usage: Usage,
}

impl Search<'_> {
    /// Collects what is declared inside, statement expressions included.
    fn declare(&mut self, list: &[ir::Statement]) {
        self.locals.extend(walk_ir::declared(list));
        let locals = &mut self.locals;
        let owned = super::copies::Owned::of(list);
        walk_ir::loops(list, &mut |inner| {
            if inner.declared_inside && !owned.is_used_outside(inner.induction) {
                locals.insert(inner.induction);
            }
        });
        walk_ir::walk(list, &mut |statement| {
            if let ir::StatementKind::For(parts) = &statement.kind
                && let Some(initializer) = &parts.initializer
            {
                locals.extend(walk_ir::declared(std::slice::from_ref(initializer)));
            }
        });
        walk_ir::expressions(list, &mut |e| {
            if let ExpressionKind::Statement(inner) = &e.kind {
                locals.extend(walk_typed::declared(inner));
            }
        });
    }

    fn statements(&mut self, list: &[ir::Statement]) {
        for statement in list {
            if let ir::StatementKind::Loop(inner) = &statement.kind {
                self.touch(inner.induction, statement.span).assigned = true;
                for reduction in &inner.reductions {
                    let place = self.touch(reduction.symbol, reduction.span);
                    match reduction.part {
                        Some(_) => (place.written, place.followed) = (true, true),
                        None => place.assigned = true,
                    }
                }
                for &private in &inner.privates {
                    self.touch(private, statement.span);
                }
            }
            if let ir::StatementKind::Declaration(list) = &statement.kind {
                self.declarations(list);
            }
            walk_ir::own_expressions(statement, &mut |e| self.value(e));
            let depth = self.windows.len();
            if let ir::StatementKind::Windows(region) = &statement.kind {
                self.open(region);
            }
            walk_ir::blocks(statement, &mut |inner| self.statements(inner));
            self.windows.truncate(depth);
        }
    }

    /// Accesses in a region with trusted windows are to these: an array is
    /// read where it is fetched, and written where it is written back.
    fn open(&mut self, region: &ir::WindowRegion) {
        for window in &region.windows {
            if window.policy.fetch {
                let place = self.touch(window.array, window.span);
                place.followed = true;
                place.windowed = true;
            }
            if window.proof == ir::WindowProof::Trusted && !window.policy.write_back {
                self.windows.push((window.array, window.policy));
            }
        }
    }

    /// The window without write-back that takes the accesses to an array.
    fn window(&self, symbol: SymbolId) -> Option<ir::WindowPolicy> {
        let mut windows = self.windows.iter().rev();
        windows
            .find(|(array, _)| *array == symbol)
            .map(|(_, policy)| *policy)
    }

    /// Lengths of arrays declared inside are evaluated there.
    fn declarations(&mut self, list: &[LocalDeclaration]) {
        for declaration in list {
            let symbol = self.unit.symbol(declaration.symbol);
            self.lengths(symbol.ty);
        }
    }

    fn lengths(&mut self, ty: QualType) {
        let mut ty = ty;
        loop {
            match self.unit.types.get(ty.ty) {
                Type::Array { element, length } => {
                    if let ArrayLength::Variable(id) = length {
                        let unit = self.unit;
                        self.value(unit.length(*id));
                    }
                    ty = *element;
                }
                Type::Pointer(to) => ty = *to,
                _ => return,
            }
        }
    }

    /// Notes a use of a variable; those declared inside get a place that is
    /// thrown away at the end.
    fn touch(&mut self, symbol: SymbolId, span: Span) -> &mut Use {
        let channel_only = self.window(symbol).is_some_and(|policy| !policy.fetch);
        if channel_only || self.locals.contains(&symbol) {
            let place = self.usage.variables.entry(LOCAL).or_insert(NOTHING);
            return place;
        }
        if !self.usage.variables.contains_key(&symbol) {
            self.row_lengths(symbol);
        }
        let fresh = Use { span, ..NOTHING };
        self.usage.variables.entry(symbol).or_insert(fresh)
    }

    /// The lengths of rows behind pointers in memory: `m` of `float (**a)[m]`. Those of the
    /// variable's own target come with it.
    fn row_lengths(&mut self, symbol: SymbolId) {
        let mut ty = self.unit.symbol(symbol).ty;
        while let Some(element) = self.unit.types.pointee(ty.ty) {
            ty = element;
            if self.unit.types.is_pointer(ty.ty) {
                return self.lengths(ty);
            }
        }
    }

    fn is_variable(&self, symbol: SymbolId) -> bool {
        self.unit.symbol(symbol).is_variable()
    }

    /// An expression whose value is used.
    fn value(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => self.symbol(*symbol, e),
            ExpressionKind::Index(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _) => self.address(e),
            ExpressionKind::Assign(target, value)
            | ExpressionKind::CompoundAssign { target, value, .. } => {
                self.address(target);
                self.write(target);
                self.value(value);
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => {
                self.address(target);
                self.write(target);
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => {
                self.address(operand);
                self.write(operand);
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, operand) => {
                self.address(operand);
                if !self.unit.types.innermost(operand.ty).qualifiers.is_const {
                    self.write(operand);
                }
            }
            // Through a pointer to constants nothing is written.
            ExpressionKind::Convert(Conversion::Pointer, pointer)
                if self.is_constant(e.ty) && !self.drops_const =>
            {
                self.pointer(pointer);
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            ExpressionKind::Statement(inner) => self.inner_statement(inner),
            ExpressionKind::Cast(inner) => {
                self.lengths(e.ty);
                self.value(inner);
            }
            ExpressionKind::SizeofVariable(ty) => self.lengths(*ty),
            ExpressionKind::LabelAddress(_) => self.impossible("the address of a label", e.span),
            ExpressionKind::VaArg(_) => self.impossible("`va_arg`", e.span),
            _ => walk_typed::operands(e, &mut |operand| self.value(operand)),
        }
        if matches!(self.unit.types.get(e.ty.ty), Type::Vector { .. }) {
            self.impossible("a vector type of the compiler", e.span);
        }
    }

    /// Whether a type is a pointer, behind which nothing but constants is found.
    fn is_constant(&self, ty: QualType) -> bool {
        let types = &self.unit.types;
        types
            .pointee(ty.ty)
            .map(|to| types.innermost(to))
            .is_some_and(|to| to.qualifiers.is_const && !types.is_pointer(to.ty))
    }

    /// Whether a pointer to constants is converted to what constants need not be behind.
    fn is_without_const(&self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Cast(inner) | ExpressionKind::Convert(_, inner) => {
                self.is_constant(inner.ty) && !self.is_constant(e.ty) && inner.ty.ty != e.ty.ty
            }
            _ => false,
        }
    }

    fn impossible(&mut self, what: &'static str, span: Span) {
        self.usage.impossible.push((what, span));
    }

    fn symbol(&mut self, symbol: SymbolId, e: &Expression) {
        if !self.is_variable(symbol) {
            return;
        }
        let unit = self.unit;
        let escapes = match unit.types.get(e.ty.ty) {
            Type::Pointer(to) => Some(!to.qualifiers.is_const),
            _ => None,
        };
        let place = self.touch(symbol, e.span);
        // A pointer whose value goes elsewhere may be written through there.
        if let Some(written) = escapes {
            place.followed = true;
            place.written |= written;
        }
    }

    /// What finds an lvalue.
    fn address(&mut self, lvalue: &Expression) {
        match &lvalue.kind {
            ExpressionKind::Symbol(symbol) => {
                if self.is_variable(*symbol) {
                    self.touch(*symbol, lvalue.span);
                }
            }
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, e)
            | ExpressionKind::Member {
                base: e,
                arrow: false,
                ..
            } => self.address(e),
            ExpressionKind::Index(base, index) => {
                self.pointer(base);
                self.value(index);
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, base)
            | ExpressionKind::Member { base, .. } => self.pointer(base),
            _ => self.value(lvalue),
        }
    }

    /// A pointer that is followed at once.
    fn pointer(&mut self, pointer: &Expression) {
        match &pointer.kind {
            ExpressionKind::Symbol(symbol) => {
                if self.is_variable(*symbol) {
                    self.touch(*symbol, pointer.span).followed = true;
                }
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, e)
            | ExpressionKind::Unary(UnaryOperator::AddressOf, e) => {
                self.address(e);
                if let Some(place) = self.at_root(e) {
                    place.followed = true;
                }
            }
            ExpressionKind::Parenthesized(e) | ExpressionKind::Convert(Conversion::Pointer, e) => {
                self.pointer(e);
            }
            ExpressionKind::Cast(e) => {
                self.lengths(pointer.ty);
                self.pointer(e);
            }
            ExpressionKind::Binary(_, a, b) => {
                if self.unit.types.pointee(a.ty.ty).is_some() {
                    self.pointer(a);
                    self.value(b);
                } else {
                    self.value(a);
                    self.pointer(b);
                }
            }
            ExpressionKind::Index(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _) => {
                self.address(pointer);
                if !self.unit.types.is_array(pointer.ty.ty)
                    && self.outside(pointer)
                    && let Some(place) = self.at_root(pointer)
                {
                    place.deep = true;
                }
            }
            _ => self.value(pointer),
        }
    }

    /// The variable at the root of an lvalue, or through which it is found.
    fn at_root(&mut self, lvalue: &Expression) -> Option<&mut Use> {
        let (symbol, _) = root(lvalue)?;
        self.is_variable(symbol)
            .then(|| self.touch(symbol, lvalue.span))
    }

    /// Whether an lvalue lies in memory from outside.
    fn outside(&self, lvalue: &Expression) -> bool {
        match root(lvalue) {
            Some((symbol, _)) => !self.locals.contains(&symbol),
            None => true,
        }
    }

    /// Marks what an assignment changes.
    fn write(&mut self, target: &Expression) {
        let Some((symbol, through)) = root(target) else {
            return;
        };
        if !self.is_variable(symbol) {
            return;
        }
        let is_array = self.unit.types.is_array(self.unit.symbol(symbol).ty.ty);
        let windowed = self.window(symbol).is_some();
        let place = self.touch(symbol, target.span);
        if through || is_array {
            place.written |= !windowed;
            place.followed = true;
        } else {
            place.assigned = true;
        }
    }

    fn call(&mut self, function: &Expression, arguments: &[Expression]) {
        let called = function
            .as_symbol()
            .filter(|&f| matches!(self.unit.symbol(f).kind, SymbolKind::Function { .. }));
        match called {
            Some(symbol) => {
                self.usage.calls.entry(symbol).or_insert(function.span);
            }
            None => {
                self.impossible("a call through a pointer", function.span);
                self.value(function);
            }
        }
        let types = &self.unit.types;
        let gives_number = called.is_some_and(|f| match types.get(self.unit.symbol(f).ty.ty) {
            Type::Function(ty) => {
                let result = ty.result.ty;
                types.is_arithmetic(result) || matches!(types.get(result), Type::Void)
            }
            _ => false,
        });
        for argument in arguments {
            match &argument.kind {
                // A function that gives no pointer back writes nothing behind one to constants.
                ExpressionKind::Convert(Conversion::Pointer, inner)
                    if gives_number && self.is_constant(argument.ty) =>
                {
                    self.pointer(inner);
                }
                _ => self.value(argument),
            }
        }
    }

    /// A statement expression.
    fn inner_statement(&mut self, statement: &Statement) {
        self.inner_declarations(statement);
        walk_typed::statement_roots(statement, &mut |e| self.value(e));
    }

    /// What statements have that are in a statement expression, beside their values.
    fn inner_declarations(&mut self, statement: &Statement) {
        if let StatementKind::Declaration(list) = &statement.kind {
            self.declarations(list);
        }
        if let StatementKind::Assembly = statement.kind {
            self.impossible("assembly", statement.span);
        }
        if let StatementKind::Directive(..) = statement.kind {
            self.impossible("a directive in a statement expression", statement.span);
        }
        walk_typed::children(statement, &mut |inner| self.inner_declarations(inner));
    }
}

/// How often each symbol is named in a unit.
pub fn mentions(unit: &Unit) -> BTreeMap<SymbolId, usize> {
    let mut found = BTreeMap::new();
    let mut note = |e: &Expression| {
        if let ExpressionKind::Symbol(symbol) = e.kind {
            *found.entry(symbol).or_default() += 1;
        }
    };
    for function in &unit.functions {
        walk_typed::expressions(&function.body, &mut note);
    }
    let initializers = unit.globals.iter().filter_map(|g| g.initializer.as_ref());
    for initializer in initializers {
        walk_typed::initializer_values(initializer, &mut |root| walk_typed::walk(root, &mut note));
    }
    found
}

/// Stands for all variables declared inside.
const LOCAL: SymbolId = SymbolId(u32::MAX);

const NOTHING: Use = Use {
    span: Span { start: 0, end: 0 },
    assigned: false,
    written: false,
    followed: false,
    windowed: false,
    deep: false,
};

/// The error for what no device can do.
pub fn impossible(what: &str, span: Span) -> Diagnostic {
    let message = format!("{what} cannot run on a device");
    let error = Diagnostic::error(codes::NOT_ON_DEVICE, message, span);
    match what {
        ATOMIC_UPDATE => error
            .help("declare it without `_Atomic` and write `#pragma acc atomic` before each update"),
        _ => error,
    }
}

impl Usage {
    /// The errors for what no device can do.
    pub fn problems(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        self.impossible
            .iter()
            .map(|(what, span)| impossible(what, *span))
    }

    /// The variables from outside, in order of first use.
    pub fn outside(&self) -> impl Iterator<Item = (SymbolId, Use)> + '_ {
        self.variables
            .iter()
            .filter(|(symbol, _)| **symbol != LOCAL)
            .map(|(symbol, place)| (*symbol, *place))
    }
}

/// The variable that an lvalue is part of, or is found through; the flag says
/// that a pointer or an array lies between.
pub fn root(lvalue: &Expression) -> Option<(SymbolId, bool)> {
    match &lvalue.kind {
        ExpressionKind::Symbol(symbol) => Some((*symbol, false)),
        ExpressionKind::Parenthesized(e)
        | ExpressionKind::Convert(_, e)
        | ExpressionKind::Cast(e)
        | ExpressionKind::Unary(
            UnaryOperator::Real
            | UnaryOperator::Imaginary
            | UnaryOperator::AddressOf
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement
            | UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement,
            e,
        )
        | ExpressionKind::Member {
            base: e,
            arrow: false,
            ..
        } => root(e),
        ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base)
        | ExpressionKind::Member { base, .. } => {
            // An element of a variable's own array member is part of it.
            let inner = base.inner();
            let part = matches!(inner.kind, ExpressionKind::Member { arrow: false, .. })
                && matches!(
                    base.kind,
                    ExpressionKind::Convert(Conversion::ArrayToPointer, _)
                );
            root(base).map(|(symbol, through)| (symbol, through || !part))
        }
        ExpressionKind::Binary(_, a, b) => root(a).or_else(|| root(b)),
        _ => None,
    }
}

/// Variables whose address is taken anywhere in a function.
pub fn addresses(body: &Statement) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    walk_typed::expressions(body, &mut |e| {
        if let ExpressionKind::Unary(UnaryOperator::AddressOf, operand) = &e.kind {
            found.extend(root(operand).map(|(symbol, _)| symbol));
        }
    });
    found
}
