//! Calls (C11 6.5.2.2).

use super::conversion::Destination;
use super::{Analyser, is_poison};
use crate::ast;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, FunctionType, QualType, SymbolKind, Type, UnaryOperator,
};

impl Analyser<'_> {
    pub(super) fn call(
        &mut self,
        function: &ast::Expression,
        arguments: &[ast::Expression],
        span: Span,
    ) -> Expression {
        if let ast::ExpressionKind::Identifier(name) = &function.kind
            && self.scopes.names.get(name).is_none()
        {
            if let Some(e) = self.generic_builtin(name, function.span, arguments, span) {
                return e;
            }
            if self.builtin_symbol(name).is_none() {
                let symbol = self.implicitly_declared(name, function.span);
                let arguments = self.arguments(arguments);
                return self.call_of(self.symbol(symbol, function.span), arguments, span);
            }
        }
        let function = self.expression(function);
        let arguments = self.arguments(arguments);
        self.call_of(function, arguments, span)
    }

    /// The values of the arguments, in order.
    pub(super) fn arguments(&mut self, arguments: &[ast::Expression]) -> Vec<Expression> {
        arguments.iter().map(|e| self.value(e)).collect()
    }

    /// A call of a typed function with typed arguments.
    pub(super) fn call_of(
        &mut self,
        function: Expression,
        arguments: Vec<Expression>,
        span: Span,
    ) -> Expression {
        if is_poison(&function) {
            return self.poison(span);
        }
        let function = self.called(function);
        let ty = match self.get(function.ty.ty) {
            Type::Pointer(to) => to.ty,
            _ => function.ty.ty,
        };
        let Type::Function(ty) = self.get(ty).clone() else {
            return self.not_callable(&function, span);
        };
        if !self.check_count(&function, &ty, arguments.len(), span) {
            return self.poison(span);
        }
        let mut converted = Vec::with_capacity(arguments.len());
        for (i, argument) in arguments.into_iter().enumerate() {
            converted.push(match ty.parameters.get(i) {
                Some(to) => self.assign_convert(argument, *to, Destination::Argument(i + 1)),
                None => self.default_promote(argument),
            });
        }
        if converted.iter().any(is_poison) {
            return self.poison(span);
        }
        let kind = ExpressionKind::Call {
            function: Box::new(function),
            arguments: converted,
        };
        self.make(kind, ty.result.ty, span)
    }

    /// What is called: a function by its name, also where its address is written, or what that
    /// points at (6.3.2.1, 4): `(&f)(x)`, `(*f)(x)`.
    fn called(&self, function: Expression) -> Expression {
        let mut named = function.inner();
        while let ExpressionKind::Unary(
            UnaryOperator::AddressOf | UnaryOperator::Indirection,
            operand,
        ) = &named.kind
        {
            named = operand.inner();
        }
        let symbol = named.as_symbol().map(|id| self.unit.symbol(id));
        match symbol.map(|symbol| &symbol.kind) {
            Some(SymbolKind::Function { .. }) => named.clone(),
            _ => function,
        }
    }

    fn not_callable(&mut self, function: &Expression, span: Span) -> Expression {
        let have = self.show(QualType::plain(function.ty.ty));
        let message = format!("a `{have}` cannot be called");
        let mut error = Diagnostic::error(codes::NOT_CALLABLE, message, span)
            .also(function.span, "this is no function");
        if let Some(id) = function.as_symbol() {
            error = error.also(self.unit.symbol(id).span, "declared here");
        }
        self.refuse(error, span)
    }

    /// Whether a prototype takes so many arguments; reports it if not.
    fn check_count(
        &mut self,
        function: &Expression,
        ty: &FunctionType,
        given: usize,
        span: Span,
    ) -> bool {
        let wanted = ty.parameters.len();
        if !ty.is_prototype || given == wanted || (given > wanted && ty.is_variadic) {
            return true;
        }
        let plural = if wanted == 1 { "" } else { "s" };
        let least = if ty.is_variadic { "at least " } else { "" };
        let symbol = function.as_symbol().map(|id| self.unit.symbol(id));
        let name = match symbol {
            Some(symbol) => format!("`{}`", symbol.name),
            None => "the function".to_string(),
        };
        let message = format!("{name} takes {least}{wanted} argument{plural}, {given} given");
        let mut error = Diagnostic::error(codes::ARGUMENT_COUNT, message, span);
        if let Some(symbol) = symbol
            && !matches!(symbol.kind, SymbolKind::Function { is_builtin, .. } if is_builtin)
        {
            error = error.also(symbol.span, "declared here");
        }
        self.push(error);
        false
    }
}
