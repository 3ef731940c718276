//! Names in expressions (C11 6.5.1).

use super::Analyser;
use super::scope::Entity;
use super::suggestion;
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, SymbolId};

impl Analyser<'_> {
    pub(super) fn identifier(&mut self, name: &str, span: Span) -> Expression {
        match self.scopes.names.get(name) {
            Some(Entity::Symbol(id)) => self.symbol(id, span),
            Some(Entity::Typedef { .. }) => {
                let message = format!("`{name}` is a type, where a value is needed");
                let error = Diagnostic::error(codes::UNDECLARED, message, span);
                self.refuse(error.label("a type"), span)
            }
            None if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") => {
                self.function_name(span)
            }
            None => match self.builtin_symbol(name) {
                Some(id) => self.symbol(id, span),
                None => self.undeclared(name, span),
            },
        }
    }

    /// A symbol as an expression.
    pub(super) fn symbol(&self, id: SymbolId, span: Span) -> Expression {
        Expression {
            kind: ExpressionKind::Symbol(id),
            ty: self.unit.symbol(id).ty,
            span,
        }
    }

    /// Reports a variable without a declaration, once in each function.
    fn undeclared(&mut self, name: &str, span: Span) -> Expression {
        if !self.reported.insert(name.to_string()) {
            return self.poison(span);
        }
        if suggestion::OF_CUDA.contains(&name) {
            // One of them is told of.
            (self.reported).extend(suggestion::OF_CUDA.iter().map(|one| (*one).to_owned()));
            let message = format!("`{name}` is CUDA's, and a loop has no such numbers");
            let error = Diagnostic::error(codes::UNDECLARED, message, span);
            let help = "its variable numbers the iterations, which threads share: write `i` of \
                        `for (int i = 0; i < n; i++)` in place of `blockIdx.x * blockDim.x + threadIdx.x`";
            return self.refuse(error.help(help), span);
        }
        let message = format!("the variable `{name}` is not declared");
        let mut error =
            Diagnostic::error(codes::UNDECLARED, message, span).label("not declared in this scope");
        if let Some(help) = self.help_for_name(name, false) {
            error = error.question(help);
        }
        self.refuse(error, span)
    }

    /// The function that a call without a declaration is taken to mean; warns
    /// of it, once in each function, since C99 has no such calls but
    /// compilers take them.
    pub(super) fn implicitly_declared(&mut self, name: &str, span: Span) -> SymbolId {
        if self.reported.insert(name.to_string()) {
            let message = format!("the function `{name}` is not declared");
            let mut warning = Diagnostic::warning(codes::UNDECLARED, message, span)
                .label("called as C90 allows it");
            if let Some(help) = self.help_for_name(name, true) {
                warning = warning.question(help);
            }
            self.push(warning);
        }
        self.implicit_function(name, span)
    }

    fn help_for_name(&self, name: &str, is_function: bool) -> Option<String> {
        if let Some(header) = suggestion::header_of(name).filter(|_| is_function) {
            return Some(format!("`#include {header}` declares it"));
        }
        self.similar(name, is_function)
    }

    /// The names in scope that are similar, as help.
    pub(super) fn similar(&self, name: &str, is_function: bool) -> Option<String> {
        let visible = self.scopes.visible().filter_map(|(candidate, entity)| {
            let Entity::Symbol(id) = entity else {
                return None;
            };
            let symbol = self.unit.symbol(id);
            let is_value = symbol.is_variable()
                || matches!(symbol.kind, crate::typed::SymbolKind::EnumConstant(_));
            (is_value || is_function).then_some(candidate)
        });
        Near::names(name, visible).question()
    }

    /// Reports an unknown type name.
    pub(super) fn undeclared_type(&mut self, name: &str, span: Span) {
        if !self.reported.insert(name.to_string()) {
            return;
        }
        let message = format!("the type `{name}` is not declared");
        let mut error =
            Diagnostic::error(codes::UNDECLARED, message, span).label("not declared in this scope");
        let visible = self.scopes.visible();
        let types = visible.filter(|(_, entity)| matches!(entity, Entity::Typedef { .. }));
        let near = Near::names(name, types.map(|(candidate, _)| candidate));
        if let Some(question) = near.question() {
            error = error.question(question);
        }
        self.push(error);
    }
}
