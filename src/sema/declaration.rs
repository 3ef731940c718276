//! Declarations (C11 6.7) and the merging of those that declare the same
//! object or function (6.2.2).

use super::attribute;
use super::declarator::lengths;
use super::scope::Entity;
use super::specifier::Specified;
use super::{Analyser, is_poison};
use crate::ast::{self, StorageClass};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    ArrayLength, Expression, Global, Initializer, Item, LocalDeclaration, QualType, Storage,
    Symbol, SymbolId, SymbolKind, Type, Typedef, TypedefId, VlaId,
};

impl Analyser<'_> {
    /// An item at file scope.
    pub(super) fn external_item(&mut self, item: &ast::ExternalItem) {
        self.reported.clear();
        match item {
            ast::ExternalItem::Function(definition) => self.function_definition(definition),
            ast::ExternalItem::Declaration(declaration) => {
                self.declaration(declaration);
            }
            ast::ExternalItem::StaticAssert(assertion) => self.static_assert(assertion),
            ast::ExternalItem::Assembly(_) => {}
            ast::ExternalItem::Directive(directive) => {
                let directive = self.directive(directive);
                self.unit.items.push(Item::Directive(Box::new(directive)));
            }
        }
    }

    /// A declaration in any scope; the objects that a block's frame gets.
    pub(super) fn declaration(&mut self, declaration: &ast::Declaration) -> Vec<LocalDeclaration> {
        let specified =
            self.specifiers(&declaration.specifiers, declaration.declarators.is_empty());
        let mut locals = Vec::new();
        for declarator in &declaration.declarators {
            let local = self.init_declarator(&specified, declarator);
            locals.extend(local);
        }
        locals
    }

    fn init_declarator(
        &mut self,
        specified: &Specified,
        declarator: &ast::InitDeclarator,
    ) -> Option<LocalDeclaration> {
        let outer = std::mem::take(&mut self.lengths);
        let deduced = match (specified.is_deduced, &declarator.initializer) {
            (true, Some(ast::Initializer::Expression(e))) => Some(self.value(e)),
            _ => None,
        };
        let base = match &deduced {
            Some(value) => self.qualify(QualType::plain(value.ty.ty), specified.ty.qualifiers),
            None => specified.ty,
        };
        let base = self.attributed(base, &declarator.attributes);
        let base = self.attributed(base, &declarator.declarator.attributes);
        let ty = self.derive(base, &declarator.declarator.derivations);
        let mut lengths = std::mem::replace(&mut self.lengths, outer);
        lengths.reverse();
        let name = declarator.declarator.name.as_ref()?;
        if specified.storage == Some(StorageClass::Typedef) {
            self.declare_typedef(name, ty, specified, declarator);
            return None;
        }
        if let Type::Function(_) = self.get(ty.ty) {
            self.declare_prototype(name, ty, specified);
            return None;
        }
        self.object(specified, declarator, name, ty, deduced, lengths)
    }

    fn declare_typedef(
        &mut self,
        name: &ast::Identifier,
        ty: QualType,
        specified: &Specified,
        declarator: &ast::InitDeclarator,
    ) {
        match self.scopes.names.here(&name.value) {
            Some(Entity::Typedef { ty: old, .. }) if !self.are_compatible(old, ty) => {
                let (old, new) = (self.show(old), self.show(ty));
                let message = format!("the type `{}` was `{old}` and becomes `{new}`", name.value);
                self.error(codes::REDEFINITION, message, name.span);
            }
            Some(Entity::Symbol(id)) => self.redeclared(name, id),
            _ => {}
        }
        if let Type::Record(id) = *self.get(ty.ty) {
            let record = &mut self.unit.types.records[id.0 as usize];
            if record.typedef_name.is_none() {
                record.typedef_name = Some(name.value.clone());
            }
            if attribute::has(&declarator.attributes, "transparent_union") {
                self.transparent.insert(id);
            }
        }
        let asked = self.aligned(&declarator.attributes);
        let inner = self.aligned(&declarator.declarator.attributes);
        let own = match declarator.declarator.derivations.is_empty() {
            true => specified.alignment,
            false => None,
        };
        let alignment = asked.or(inner).or(own);
        let lengths = lengths(&declarator.declarator.derivations);
        let id = self.named_arithmetic(name, ty, specified, lengths);
        let entity = Entity::Typedef { ty, alignment, id };
        self.scopes.names.declare(&name.value, entity);
    }

    /// Notes a name of the file's for an arithmetic type, an enumeration or an array of these.
    fn named_arithmetic(
        &mut self,
        name: &ast::Identifier,
        ty: QualType,
        specified: &Specified,
        lengths: Vec<Span>,
    ) -> Option<TypedefId> {
        let mut element = ty;
        while let Type::Array {
            element: inner,
            length: ArrayLength::Constant(_),
        } = *self.get(element.ty)
        {
            element = inner;
        }
        let is_arithmetic = self.unit.types.is_arithmetic(element.ty);
        let is_plain = element == QualType::plain(element.ty) && is_arithmetic;
        let is_local = !self.scopes.is_file();
        is_plain.then(|| {
            self.unit.typedefs.add(Typedef {
                name: Some(name.value.clone()),
                is_local,
                words: None,
                ty: ty.ty,
                base: specified.typedef,
                lengths,
                span: name.span,
            })
        })
    }

    /// A declaration of a function without a body.
    fn declare_prototype(&mut self, name: &ast::Identifier, ty: QualType, specified: &Specified) {
        let before = self.unit.symbols.len();
        let symbol = self.declare_function(name, ty, specified);
        let is_new = symbol.0 as usize >= before;
        if is_new {
            self.unit.items.push(Item::Prototype(symbol));
        }
    }

    /// Declares a function, or finds the symbol of its earlier declaration.
    pub(super) fn declare_function(
        &mut self,
        name: &ast::Identifier,
        ty: QualType,
        specified: &Specified,
    ) -> SymbolId {
        let is_static = specified.storage == Some(StorageClass::Static);
        let kind = SymbolKind::Function {
            is_static,
            is_inline: specified.is_inline,
            is_builtin: false,
        };
        let symbol = self.declare_linked(name, ty, kind);
        if let SymbolKind::Function { is_inline, .. } = &mut self.unit.symbol_mut(symbol).kind {
            *is_inline |= specified.is_inline;
        }
        self.note_typedef(symbol, specified);
        symbol
    }

    /// Notes the name by which a declaration says its type.
    pub(super) fn note_typedef(&mut self, symbol: SymbolId, specified: &Specified) {
        if let Some(by) = specified.typedef {
            let place = self.unit.symbol(symbol).span;
            self.unit.typedefs.declare(place, by);
        }
    }

    /// Notes where the lengths of an object stand.
    pub(super) fn note_lengths(&mut self, symbol: SymbolId, derivations: &[ast::Derivation]) {
        let place = self.unit.symbol(symbol).span;
        let lengths = lengths(derivations);
        self.unit.typedefs.declare_lengths(place, lengths);
    }

    /// Notes the alignment that a declaration asks for. That of a type is none of pointers to it.
    fn note_alignment(
        &mut self,
        symbol: SymbolId,
        specified: &Specified,
        declarator: &ast::InitDeclarator,
    ) {
        let asked = self.aligned(&declarator.attributes);
        let asked = asked.max(self.aligned(&declarator.declarator.attributes));
        let is_pointer = |d: &ast::Derivation| matches!(d, ast::Derivation::Pointer { .. });
        let of_type = match declarator.declarator.derivations.iter().any(is_pointer) {
            true => None,
            false => specified.alignment,
        };
        if let Some(bytes) = asked.max(of_type) {
            let place = self.unit.symbol(symbol).span;
            self.unit.typedefs.align(place, bytes);
        }
    }

    /// Declares a name with linkage: all its declarations are one symbol.
    fn declare_linked(
        &mut self,
        name: &ast::Identifier,
        ty: QualType,
        kind: SymbolKind,
    ) -> SymbolId {
        let here = self.scopes.names.here(&name.value);
        let known = match here {
            Some(Entity::Symbol(id)) => Some(id),
            Some(Entity::Typedef { .. }) => {
                let message = "is a type and cannot be declared as a value";
                let message = format!("`{}` {message}", name.value);
                self.error(codes::REDEFINITION, message, name.span);
                None
            }
            None => self.linked.get(&name.value).copied(),
        };
        let Some(id) = known else {
            let id = self.declare_symbol(name, kind, ty);
            self.linked.insert(name.value.clone(), id);
            return id;
        };
        let symbol = self.unit.symbol(id);
        let same_kind = std::mem::discriminant(&symbol.kind) == std::mem::discriminant(&kind);
        let old = symbol.ty;
        if !same_kind || symbol.is_automatic() {
            self.redeclared(name, id);
        } else if self.are_compatible(old, ty) {
            let merged = self.composite(old, ty);
            self.unit.symbol_mut(id).ty = merged;
        } else {
            self.conflicting(name, id, ty);
        }
        self.scopes.names.declare(&name.value, Entity::Symbol(id));
        id
    }

    fn conflicting(&mut self, name: &ast::Identifier, earlier: SymbolId, ty: QualType) {
        let symbol = self.unit.symbol(earlier).clone();
        let (old, new) = (self.show(symbol.ty), self.show(ty));
        let message = format!("`{}` is declared with two different types", name.value);
        let error = Diagnostic::error(codes::REDEFINITION, message, name.span)
            .label(format!("`{new}` here"))
            .also(symbol.span, format!("`{old}` here"));
        self.push(error);
    }

    fn redeclared(&mut self, name: &ast::Identifier, earlier: SymbolId) {
        let span = self.unit.symbol(earlier).span;
        let message = format!("`{}` is declared twice in this scope", name.value);
        let error = Diagnostic::error(codes::REDEFINITION, message, name.span);
        self.push(error.also(span, "first declared here"));
    }

    /// Reports a name without linkage that this scope already declares.
    pub(super) fn check_not_declared_here(&mut self, name: &ast::Identifier) {
        match self.scopes.names.here(&name.value) {
            Some(Entity::Symbol(id)) => self.redeclared(name, id),
            Some(Entity::Typedef { .. }) => {
                let message = format!("`{}` is already a type in this scope", name.value);
                self.error(codes::REDEFINITION, message, name.span);
            }
            None => {}
        }
    }

    /// Makes a symbol and binds its name in the innermost scope.
    pub(super) fn declare_symbol(
        &mut self,
        name: &ast::Identifier,
        kind: SymbolKind,
        ty: QualType,
    ) -> SymbolId {
        let id = self.unit.add_symbol(Symbol {
            name: name.value.clone(),
            kind,
            ty,
            span: name.span,
        });
        self.scopes.names.declare(&name.value, Entity::Symbol(id));
        id
    }

    /// An object at file scope or in a block.
    fn object(
        &mut self,
        specified: &Specified,
        declarator: &ast::InitDeclarator,
        name: &ast::Identifier,
        ty: QualType,
        deduced: Option<Expression>,
        lengths: Vec<VlaId>,
    ) -> Option<LocalDeclaration> {
        let ty = self.check_not_void(name, ty);
        let storage = self.storage(specified);
        let symbol = if self.scopes.is_file() || specified.storage == Some(StorageClass::Extern) {
            let before = self.scopes.names.get(&name.value);
            let symbol = self.declare_linked(name, ty, SymbolKind::Variable(storage));
            if !self.scopes.is_file() && before != Some(Entity::Symbol(symbol)) {
                self.unit.block_externs.push((name.span, symbol));
            }
            symbol
        } else {
            self.check_not_declared_here(name);
            self.declare_symbol(name, SymbolKind::Variable(storage), ty)
        };
        self.note_typedef(symbol, specified);
        self.note_lengths(symbol, &declarator.declarator.derivations);
        if !self.scopes.is_file() {
            self.note_alignment(symbol, specified, declarator);
        }
        let initializer = match (deduced, &declarator.initializer) {
            (Some(value), _) => (!is_poison(&value)).then_some(Initializer::Expression(value)),
            (None, Some(initializer)) => self.object_initializer(symbol, initializer),
            (None, None) => None,
        };
        let is_extern = specified.storage == Some(StorageClass::Extern);
        let is_defined = !is_extern || initializer.is_some();
        if is_defined && !self.scopes.is_file() {
            self.check_complete(symbol, name.span);
        }
        if storage == Storage::Automatic {
            return Some(LocalDeclaration {
                symbol,
                initializer,
                lengths,
                span: declarator.span,
            });
        }
        self.global(symbol, initializer, is_defined, declarator.span);
        None
    }

    /// Analyses an initialiser and completes the type of its object.
    fn object_initializer(
        &mut self,
        symbol: SymbolId,
        initializer: &ast::Initializer,
    ) -> Option<Initializer> {
        let ty = self.unit.symbol(symbol).ty;
        let made = self.initializer(ty, initializer);
        let completed = match &made {
            Some((_, completed)) => *completed,
            // The length is unknown for an error that was reported.
            None => self.completed(ty, 1),
        };
        self.unit.symbol_mut(symbol).ty = completed;
        made.map(|(initializer, _)| initializer)
    }

    fn storage(&self, specified: &Specified) -> Storage {
        if specified.is_thread_local {
            return Storage::ThreadLocal;
        }
        match (specified.storage, self.scopes.is_file()) {
            (Some(StorageClass::Static), true) => Storage::FileStatic,
            (Some(StorageClass::Static), false) => Storage::LocalStatic,
            (Some(StorageClass::Extern), _) | (_, true) => Storage::External,
            _ => Storage::Automatic,
        }
    }

    fn check_not_void(&mut self, name: &ast::Identifier, ty: QualType) -> QualType {
        if ty.ty != self.basic.void || self.scopes.is_file() && ty.qualifiers.is_const {
            return ty;
        }
        let message = format!("the variable `{}` cannot have type `void`", name.value);
        let error = Diagnostic::error(codes::INVALID_TYPE, message, name.span);
        self.push(error.help("only pointers to `void` and functions without a result use `void`"));
        QualType::plain(self.basic.int)
    }

    /// Objects in blocks need a complete type (6.7, 7).
    fn check_complete(&mut self, symbol: SymbolId, span: Span) {
        let ty = self.unit.symbol(symbol).ty;
        let is_unsized = matches!(
            self.get(ty.ty),
            Type::Array {
                length: ArrayLength::Incomplete | ArrayLength::Star,
                ..
            }
        );
        let is_incomplete =
            self.unit.types.size(ty.ty).is_none() && !self.unit.types.is_variable_length(ty.ty);
        if is_unsized || is_incomplete {
            self.incomplete(ty, span, "a variable needs a size");
            self.unit.symbol_mut(symbol).ty = QualType::plain(self.basic.int);
        }
    }

    /// Reports a type without a size.
    pub(super) fn incomplete(&mut self, ty: QualType, span: Span, why: &str) {
        let shown = self.show(ty);
        let message = format!("the type `{shown}` is incomplete: {why}");
        let mut error = Diagnostic::error(codes::INCOMPLETE_TYPE, message, span);
        if let Type::Record(_) = self.get(ty.ty) {
            let help = format!("define `{shown}` before this, or include the header that does");
            error = error.help(help);
        }
        self.push(error);
    }

    /// Adds or completes the object of a symbol with static storage.
    fn global(
        &mut self,
        symbol: SymbolId,
        initializer: Option<Initializer>,
        is_defined: bool,
        span: Span,
    ) {
        if let Some(index) = self.unit.index.global(symbol) {
            let global = &mut self.unit.globals[index];
            global.is_defined |= is_defined;
            if initializer.is_some() {
                if global.initializer.is_some() {
                    let first = global.span;
                    let message = format!("`{}` gets a value twice", self.unit.symbol(symbol).name);
                    let error = Diagnostic::error(codes::REDEFINITION, message, span);
                    return self.push(error.also(first, "first defined here"));
                }
                global.initializer = initializer;
                global.span = span;
            }
            return;
        }
        let index = self.unit.add_global(Global {
            symbol,
            initializer,
            is_defined,
            span,
        });
        if self.scopes.is_file() {
            self.unit.items.push(Item::Global(index));
        }
    }

    /// `_Static_assert` (6.7.10).
    pub(super) fn static_assert(&mut self, assertion: &ast::StaticAssert) {
        let condition = self.value(&assertion.condition);
        let otherwise = "the condition of a static assertion is not constant";
        if self.constant_of(&condition, otherwise) == Some(0) {
            let mut text = "static assertion failed".to_string();
            if let Some(message) = &assertion.message {
                text += ": ";
                text.extend(message.pieces.iter().map(|piece| piece.trim_matches('"')));
            }
            self.error(codes::STATIC_ASSERTION, text, condition.span);
        }
    }
}
