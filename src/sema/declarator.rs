//! Declarators (C11 6.7.6): from a base type to the type of a name.

use super::Analyser;
use crate::ast::{self, ArrayDerivation, ArraySize, Derivation, FunctionDerivation};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    ArrayLength, FunctionType, QualType, Qualifiers, SymbolId, SymbolKind, Type, constant,
};

/// A parameter of a function declarator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    /// Its adjusted type.
    pub ty: QualType,
    /// Its symbol, if it has a name.
    pub symbol: Option<SymbolId>,
    /// Its place.
    pub span: Span,
}

impl Analyser<'_> {
    /// The type that derivations, from the name outwards, make of a base.
    pub(super) fn derive(&mut self, base: QualType, derivations: &[Derivation]) -> QualType {
        let mut ty = base;
        for derivation in derivations.iter().rev() {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => QualType {
                    ty: self.pointer_to(ty),
                    qualifiers: *qualifiers,
                },
                Derivation::Array(array) => self.array(ty, array),
                Derivation::Function(function) => {
                    // Lengths of parameters are not evaluated here.
                    let own_lengths = self.lengths.len();
                    self.scopes.enter();
                    let parameters = self.parameters(function);
                    self.scopes.leave();
                    self.lengths.truncate(own_lengths);
                    self.function_type(ty, function, &parameters)
                }
            };
        }
        ty
    }

    /// An array of a type.
    fn array(&mut self, element: QualType, array: &ArrayDerivation) -> QualType {
        let element = self.check_element(element, array.span);
        let mut length = self.array_length(&array.size);
        if let (ArrayLength::Constant(n), Some(size)) = (length, self.unit.types.size(element.ty))
            && i64::try_from(u128::from(n) * u128::from(size)).is_err()
        {
            self.error(codes::INVALID_TYPE, "the array is too large", array.span);
            length = ArrayLength::Constant(1);
        }
        QualType::plain(self.unit.types.intern(Type::Array { element, length }))
    }

    /// Elements must have a size (6.7.6.2, 1).
    fn check_element(&mut self, element: QualType, span: Span) -> QualType {
        let problem = match self.get(element.ty) {
            Type::Function(_) => Some("an array cannot have functions as elements"),
            Type::Void => Some("an array cannot have elements of type `void`"),
            Type::Array {
                length: ArrayLength::Incomplete,
                ..
            } => Some("only the first dimension of an array can be left out"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.error(codes::INVALID_TYPE, problem, span);
            return QualType::plain(self.basic.int);
        }
        if self.is_opaque(element.ty) {
            self.incomplete(element, span, "the elements of an array need a size");
            return QualType::plain(self.basic.int);
        }
        element
    }

    fn array_length(&mut self, size: &ArraySize) -> ArrayLength {
        let e = match size {
            ArraySize::Unspecified => return ArrayLength::Incomplete,
            ArraySize::Star => return ArrayLength::Star,
            ArraySize::Expression(e) => e,
        };
        let value = self.value(e);
        if super::is_poison(&value) {
            return ArrayLength::Constant(1);
        }
        if !self.unit.types.is_integer(value.ty.ty) {
            let have = self.show(value.ty);
            let message = format!("the size of an array is a `{have}`, which is no integer");
            let error = Diagnostic::error(codes::INVALID_TYPE, message, value.span);
            self.push(error.label("an integer is needed here"));
            return ArrayLength::Constant(1);
        }
        match constant::evaluate(&self.unit, &value) {
            Some(length) => match u64::try_from(length) {
                Ok(length) if i64::try_from(length).is_ok() => {
                    self.unit.typedefs.declare_length(e.span, value);
                    ArrayLength::Constant(length)
                }
                _ => {
                    let message = format!("an array cannot have {length} elements");
                    self.error(codes::INVALID_TYPE, message, value.span);
                    ArrayLength::Constant(1)
                }
            },
            None if self.scopes.is_file() => {
                let message = "the size of an array outside functions is not constant";
                let error = Diagnostic::error(codes::NOT_CONSTANT, message, value.span);
                self.push(error.help("use a `#define` or an `enum` constant for the size"));
                ArrayLength::Constant(1)
            }
            None => {
                let id = self.unit.add_length(value);
                self.lengths.push(id);
                ArrayLength::Variable(id)
            }
        }
    }

    /// The type of a function with these parameters.
    pub(super) fn function_type(
        &mut self,
        result: QualType,
        function: &FunctionDerivation,
        parameters: &[Parameter],
    ) -> QualType {
        let problem = match self.get(result.ty) {
            Type::Function(_) => Some("a function cannot return a function"),
            Type::Array { .. } => Some("a function cannot return an array"),
            _ => None,
        };
        let result = match problem {
            Some(problem) => {
                let error = Diagnostic::error(codes::INVALID_TYPE, problem, function.span);
                self.push(error.help("return a pointer"));
                QualType::plain(self.basic.int)
            }
            None => result,
        };
        QualType::plain(self.unit.types.intern(Type::Function(FunctionType {
            result,
            parameters: parameters.iter().map(|parameter| parameter.ty).collect(),
            is_variadic: function.is_variadic,
            is_prototype: function.is_prototype,
        })))
    }

    /// Declares the parameters of a prototype in the innermost scope.
    pub(super) fn parameters(&mut self, function: &FunctionDerivation) -> Vec<Parameter> {
        function
            .parameters
            .iter()
            .map(|parameter| self.parameter(&parameter.specifiers, &parameter.declarator))
            .collect()
    }

    /// Declares a parameter, adjusted (6.7.6.3, 7 and 8).
    pub(super) fn parameter(
        &mut self,
        specifiers: &ast::DeclarationSpecifiers,
        declarator: &ast::Declarator,
    ) -> Parameter {
        let specified = self.specifiers(specifiers, false);
        let base = self.attributed(specified.ty, &declarator.attributes);
        let (ty, declared) = self.parameter_type(base, &declarator.derivations);
        let (symbol, span) = match &declarator.name {
            Some(name) => (Some(self.declare_parameter(name, ty)), name.span),
            None => (None, specifiers.span),
        };
        if let Some(symbol) = symbol {
            self.note_typedef(symbol, &specified);
            self.note_lengths(symbol, &declarator.derivations);
            if let Some(declared) = declared {
                self.unit.declared_arrays.insert(symbol, declared);
            }
        }
        Parameter { ty, symbol, span }
    }

    /// The adjusted type, and the declared one of an array.
    fn parameter_type(
        &mut self,
        base: QualType,
        derivations: &[Derivation],
    ) -> (QualType, Option<QualType>) {
        let qualifiers = match derivations.first() {
            Some(Derivation::Array(array)) => array.qualifiers,
            _ => Qualifiers::default(),
        };
        let ty = self.derive(base, derivations);
        match *self.get(ty.ty) {
            Type::Array { element, .. } => {
                let element = self.qualify(element, ty.qualifiers);
                let pointer = QualType {
                    ty: self.pointer_to(element),
                    qualifiers,
                };
                (pointer, Some(ty))
            }
            Type::Function(_) => (QualType::plain(self.pointer_to(ty)), None),
            _ => (ty, None),
        }
    }

    fn declare_parameter(&mut self, name: &ast::Identifier, ty: QualType) -> SymbolId {
        self.check_not_declared_here(name);
        self.declare_symbol(name, SymbolKind::Parameter, ty)
    }
}

/// Where the lengths in a declarator stand, from the outermost; an empty place for none.
pub(super) fn lengths<'a>(derivations: impl IntoIterator<Item = &'a Derivation>) -> Vec<Span> {
    let place = |derivation: &Derivation| match derivation {
        Derivation::Array(array) => Some(match &array.size {
            ArraySize::Expression(length) => length.span,
            _ => Span::default(),
        }),
        _ => None,
    };
    derivations.into_iter().filter_map(place).collect()
}
