//! Function definitions (C11 6.9.1).

use std::collections::HashMap;

use super::Analyser;
use super::declarator::Parameter;
use crate::ast::{self, Derivation, FunctionDerivation};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    FunctionType, Item, QualType, Statement, StatementKind, Symbol, SymbolId, SymbolKind, Type,
    TypeId,
};

/// What statements need to know of the function around them.
#[derive(Debug)]
pub(super) struct FunctionState {
    /// Its name, for `__func__`.
    pub name: String,
    /// What it returns.
    pub result: QualType,
    /// Labels of the whole function by name.
    pub labels: HashMap<String, Span>,
    /// Of each block around, the labels that `__label__` declares, with their
    /// places once met.
    pub local_labels: Vec<HashMap<String, Option<Span>>>,
    /// Labels that a `goto` or `&&` names, with the first place.
    pub gotos: Vec<(String, Span)>,
    /// How many loops are around.
    pub loops: u32,
    /// The `switch` statements around, innermost last.
    pub switches: Vec<SwitchState>,
}

/// What `case` labels need to know of the `switch` around them.
#[derive(Debug)]
pub(super) struct SwitchState {
    /// The promoted type of its value.
    pub ty: TypeId,
    /// Single values with their places.
    pub cases: HashMap<i128, Span>,
    /// Where `default` stands.
    pub default: Option<Span>,
}

/// The labels that `__label__` declares in a block.
pub(super) fn local_labels(block: &ast::CompoundStatement) -> HashMap<String, Option<Span>> {
    let names = block.local_labels.iter();
    names.map(|name| (name.value.clone(), None)).collect()
}

impl Analyser<'_> {
    /// A function definition at file scope.
    pub(super) fn function_definition(&mut self, definition: &ast::FunctionDefinition) {
        let Some(made) = self.define_function(definition) else {
            return;
        };
        let (symbol, parameters, body) = made;
        if let Some(first) = self.unit.function(symbol) {
            let name = &self.unit.symbol(symbol).name;
            let message = format!("the function `{name}` is defined twice");
            let error = Diagnostic::error(codes::REDEFINITION, message, definition.declarator.span)
                .also(first.header, "first defined here");
            return self.push(error);
        }
        let header = definition.specifiers.span.to(definition.declarator.span);
        let index = self.unit.add_function(crate::typed::Function {
            symbol,
            parameters,
            body,
            span: definition.span,
            header,
        });
        self.unit.items.push(Item::Function(index));
    }

    /// A GNU nested function: checked, and left to the host's compiler.
    pub(super) fn nested_function(&mut self, definition: &ast::FunctionDefinition) {
        let outer = self.function.take();
        self.define_function(definition);
        self.function = outer;
    }

    fn define_function(
        &mut self,
        definition: &ast::FunctionDefinition,
    ) -> Option<(SymbolId, Vec<SymbolId>, Statement)> {
        let specified = self.specifiers(&definition.specifiers, false);
        let declarator = &definition.declarator;
        let name = declarator.name.as_ref()?;
        let Some((Derivation::Function(function), rest)) = declarator.derivations.split_first()
        else {
            let message = format!("`{}` has a body and is no function", name.value);
            self.error(codes::INVALID_TYPE, message, declarator.span);
            return None;
        };
        let result = self.derive(specified.ty, rest);
        self.scopes.enter();
        let parameters = self.definition_parameters(definition, function);
        let ty = self.function_type(result, function, &parameters);
        // The name belongs to the scope outside of the parameters'.
        let inside = self.scopes.suspend();
        let symbol = self.declare_function(name, ty, &specified);
        self.scopes.resume(inside);
        let result = match self.get(ty.ty) {
            Type::Function(FunctionType { result, .. }) => *result,
            _ => result,
        };
        self.function = Some(FunctionState {
            name: name.value.clone(),
            result,
            labels: HashMap::new(),
            local_labels: vec![local_labels(&definition.body)],
            gotos: Vec::new(),
            loops: 0,
            switches: Vec::new(),
        });
        let items = self.block_items(&definition.body.items);
        self.scopes.leave();
        self.check_labels();
        self.function = None;
        let symbols = parameters.iter().filter_map(|p| p.symbol).collect();
        let body = Statement {
            kind: StatementKind::Compound(items),
            span: definition.body.span,
        };
        Some((symbol, symbols, body))
    }

    /// The parameters of a definition, declared in the innermost scope.
    fn definition_parameters(
        &mut self,
        definition: &ast::FunctionDefinition,
        function: &FunctionDerivation,
    ) -> Vec<Parameter> {
        if function.identifiers.is_empty() {
            let mut parameters = self.parameters(function);
            for parameter in &mut parameters {
                self.check_parameter(parameter);
            }
            return parameters;
        }
        self.old_style_parameters(definition, function)
    }

    /// Parameters of definitions need a complete type; those without a name,
    /// which C23 allows, get a symbol all the same.
    fn check_parameter(&mut self, parameter: &mut Parameter) {
        let types = &self.unit.types;
        if types.size(parameter.ty.ty).is_none() || parameter.ty.ty == self.basic.void {
            self.incomplete(parameter.ty, parameter.span, "a parameter needs a size");
            parameter.ty = QualType::plain(self.basic.int);
        }
        if parameter.symbol.is_none() {
            parameter.symbol = Some(self.unit.add_symbol(Symbol {
                name: String::new(),
                kind: SymbolKind::Parameter,
                ty: parameter.ty,
                span: parameter.span,
            }));
        }
    }

    /// Old-style parameters: types by the declarations after the list, `int`
    /// where there is none (6.9.1, 6).
    fn old_style_parameters(
        &mut self,
        definition: &ast::FunctionDefinition,
        function: &FunctionDerivation,
    ) -> Vec<Parameter> {
        let mut declared: HashMap<&str, Parameter> = HashMap::new();
        for declaration in &definition.parameter_declarations {
            for declarator in &declaration.declarators {
                if let Some(name) = &declarator.declarator.name {
                    let parameter = self.parameter(&declaration.specifiers, &declarator.declarator);
                    declared.insert(&name.value, parameter);
                }
            }
        }
        function
            .identifiers
            .iter()
            .map(|name| match declared.get(name.value.as_str()) {
                Some(parameter) => *parameter,
                None => {
                    let ty = QualType::plain(self.basic.int);
                    let symbol = self.declare_symbol(name, SymbolKind::Parameter, ty);
                    Parameter {
                        ty,
                        symbol: Some(symbol),
                        span: name.span,
                    }
                }
            })
            .collect()
    }

    /// Every `goto` needs its label (6.8.6.1).
    fn check_labels(&mut self) {
        let Some(function) = &mut self.function else {
            return;
        };
        let gotos = std::mem::take(&mut function.gotos);
        let labels = std::mem::take(&mut function.labels);
        for (label, span) in gotos {
            if labels.contains_key(&label) {
                continue;
            }
            let message = format!("the label `{label}` does not exist in this function");
            let mut error = Diagnostic::error(codes::UNKNOWN_LABEL, message, span);
            let names = labels.keys().map(String::as_str);
            if let Some(question) = Near::names(&label, names).question() {
                error = error.question(question);
            }
            self.push(error);
        }
    }
}
