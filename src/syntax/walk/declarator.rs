//! Declarators, parameters, type names (6.7.6, 6.7.7) and initialisers (6.7.9).

use super::specifier::add_qualifier;
use super::{Meaning, Node, Walk, Walker};
use crate::ast::{
    ArrayDerivation, ArraySize, DeclarationSpecifiers, Declarator, Derivation,
    DesignatedInitializer, Designator, FunctionDerivation, Identifier, Initializer,
    InitializerList, ParameterDeclaration, Qualifiers, TypeName, TypeSpecifier,
};
use crate::source::{Span, Spanned};
use crate::syntax::grammar::Rule;

impl<'t> Walker<'t, '_> {
    /// A declarator, named or abstract, outside a parameter list.
    pub(super) fn declarator(&mut self, node: Node<'t>) -> Walk<Declarator> {
        self.any_declarator(node, false)
    }

    /// A declarator. The derivations come out from the name outwards: what is
    /// in nested parentheses, then the suffixes, then the pointers from the
    /// last to the first.
    fn any_declarator(&mut self, node: Node<'t>, in_parameter: bool) -> Walk<Declarator> {
        let mut declarator = nameless(self.span(&node));
        let mut pointers = Vec::new();
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::attribute => self.attributes(part, &mut declarator.attributes),
                Rule::pointer => pointers.push(self.pointer(part, &mut declarator)),
                Rule::identifier => declarator.name = Some(self.identifier(&part)),
                Rule::array_suffix => declarator.derivations.push(self.array_suffix(part)?),
                Rule::function_suffix => {
                    let function = self.function_suffix(part, &mut declarator)?;
                    declarator.derivations.push(Derivation::Function(function));
                }
                _ => self.nested_declarator(part, in_parameter, &mut declarator)?,
            }
        }
        declarator.derivations.extend(pointers.into_iter().rev());
        Ok(declarator)
    }

    /// `( declarator )`. In a parameter, `(T)` with a typedef name is the
    /// parameter list of an unnamed function (6.7.6.3 paragraph 11).
    fn nested_declarator(
        &mut self,
        node: Node<'t>,
        in_parameter: bool,
        outer: &mut Declarator,
    ) -> Walk<()> {
        let span = self.span(&node);
        let inner = self.only(node)?;
        let inner = self.any_declarator(inner, in_parameter)?;
        match inner.name {
            Some(name)
                if in_parameter
                    && inner.derivations.is_empty()
                    && self.scope.is_typedef(&name.value) =>
            {
                let function = unnamed_function_of(name, span);
                outer.derivations.push(Derivation::Function(function));
            }
            name => {
                outer.name = name;
                outer.derivations.extend(inner.derivations);
                outer.attributes.extend(inner.attributes);
            }
        }
        Ok(())
    }

    fn pointer(&mut self, node: Node<'t>, declarator: &mut Declarator) -> Derivation {
        let mut qualifiers = Qualifiers::default();
        for part in node.into_inner() {
            if part.as_rule() == Rule::attribute {
                self.attributes(part, &mut declarator.attributes);
            } else {
                add_qualifier(&mut qualifiers, part.as_str());
            }
        }
        Derivation::Pointer(qualifiers)
    }

    fn array_suffix(&mut self, node: Node<'t>) -> Walk<Derivation> {
        let mut array = ArrayDerivation {
            qualifiers: Qualifiers::default(),
            is_static: false,
            size: ArraySize::Unspecified,
            span: self.span(&node),
        };
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::type_qualifier => add_qualifier(&mut array.qualifiers, part.as_str()),
                Rule::static_keyword => array.is_static = true,
                Rule::array_star => array.size = ArraySize::Star,
                _ => array.size = ArraySize::Expression(Box::new(self.expression(part)?)),
            }
        }
        Ok(Derivation::Array(array))
    }

    /// `( parameters )`, in a scope of its own.
    fn function_suffix(
        &mut self,
        node: Node<'t>,
        declarator: &mut Declarator,
    ) -> Walk<FunctionDerivation> {
        let mut function = FunctionDerivation {
            parameters: Vec::new(),
            identifiers: Vec::new(),
            is_prototype: false,
            is_variadic: false,
            span: self.span(&node),
        };
        self.scope.open();
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::attribute => self.attributes(part, &mut declarator.attributes),
                Rule::ellipsis => function.is_variadic = true,
                _ => {
                    let parameter = self.parameter(part)?;
                    function.parameters.push(parameter);
                }
            }
        }
        self.scope.close();
        self.classify_parameters(&mut function);
        Ok(function)
    }

    /// Tells prototypes from identifier lists and from `()` and `(void)`.
    fn classify_parameters(&self, function: &mut FunctionDerivation) {
        function.is_prototype = function.is_variadic || !function.parameters.is_empty();
        let is_void = |parameter: &ParameterDeclaration| {
            matches!(only_type(parameter), Some(TypeSpecifier::Void))
        };
        if function.parameters.len() == 1 && function.parameters.iter().all(is_void) {
            function.parameters.clear();
            return;
        }
        let names: Option<Vec<Identifier>> = function.parameters.iter().map(lone_name).collect();
        match names {
            Some(names)
                if !function.is_variadic
                    && names
                        .first()
                        .is_some_and(|n| !self.scope.is_typedef(&n.value)) =>
            {
                function.identifiers = names;
                function.parameters.clear();
                function.is_prototype = false;
            }
            _ => {}
        }
    }

    fn parameter(&mut self, node: Node<'t>) -> Walk<ParameterDeclaration> {
        let span = self.span(&node);
        let mut specifiers = DeclarationSpecifiers::default();
        let mut declarator = nameless(Span::new(span.end, span.end));
        let mut attributes = Vec::new();
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::declaration_specifiers => specifiers = self.specifiers(part)?,
                Rule::attribute => self.attributes(part, &mut attributes),
                _ => declarator = self.any_declarator(part, true)?,
            }
        }
        declarator.attributes.extend(attributes);
        let meaning = Meaning::of(&specifiers, &declarator);
        self.declare(declarator.name.as_ref(), meaning);
        Ok(ParameterDeclaration {
            specifiers,
            declarator,
            span,
        })
    }

    /// A type name.
    pub(super) fn type_name(&mut self, node: Node<'t>) -> Walk<TypeName> {
        let span = self.span(&node);
        let mut specifiers = DeclarationSpecifiers::default();
        let mut declarator = nameless(Span::new(span.end, span.end));
        for part in node.into_inner() {
            if part.as_rule() == Rule::declaration_specifiers {
                specifiers = self.specifiers(part)?;
            } else {
                declarator = self.any_declarator(part, true)?;
            }
        }
        if let Some(name) = &declarator.name {
            return Err(super::expected("a type without a name in it", name.span));
        }
        Ok(TypeName {
            specifiers,
            declarator,
            span,
        })
    }

    /// An initialiser: an expression or a braced list.
    pub(super) fn initializer(&mut self, node: Node<'t>) -> Walk<Initializer> {
        if node.as_rule() == Rule::braced_initializer {
            return Ok(Initializer::List(self.initializer_list(node)?));
        }
        Ok(Initializer::Expression(self.expression(node)?))
    }

    /// `{ … }`.
    pub(super) fn initializer_list(&mut self, node: Node<'t>) -> Walk<InitializerList> {
        let span = self.span(&node);
        self.enter(1, span)?;
        let mut items = Vec::new();
        let mut designators = Vec::new();
        for part in node.into_inner() {
            if part.as_rule() == Rule::designation {
                designators = self.designation(part)?;
                continue;
            }
            items.push(DesignatedInitializer {
                designators: std::mem::take(&mut designators),
                initializer: self.initializer(part)?,
            });
        }
        self.leave(1);
        Ok(InitializerList { items, span })
    }

    fn designation(&mut self, node: Node<'t>) -> Walk<Vec<Designator>> {
        let mut designators = Vec::new();
        for part in node.into_inner() {
            if part.as_rule() == Rule::identifier {
                designators.push(Designator::Member(self.identifier(&part)));
                continue;
            }
            let span = self.span(&part);
            let mut bounds = part.into_inner();
            let first = bounds
                .next()
                .ok_or_else(|| super::expected("an index", span))?;
            let first = self.expression(first)?;
            designators.push(match bounds.next() {
                Some(last) => Designator::Range(first, self.expression(last)?),
                None => Designator::Index(first),
            });
        }
        Ok(designators)
    }
}

/// A declarator that declares nothing.
fn nameless(span: Span) -> Declarator {
    Declarator {
        name: None,
        derivations: Vec::new(),
        attributes: Vec::new(),
        span,
    }
}

/// The type of a parameter that is nothing but one type specifier.
fn only_type(parameter: &ParameterDeclaration) -> Option<&TypeSpecifier> {
    let specifiers = &parameter.specifiers;
    let bare = parameter.declarator.name.is_none()
        && parameter.declarator.derivations.is_empty()
        && specifiers.storage.is_empty()
        && specifiers.qualifiers == Qualifiers::default();
    match specifiers.types.as_slice() {
        [only] if bare => Some(&only.value),
        _ => None,
    }
}

/// The name of a parameter that is nothing but an identifier.
fn lone_name(parameter: &ParameterDeclaration) -> Option<Identifier> {
    match only_type(parameter)? {
        TypeSpecifier::TypedefName(name) => Some(Spanned::new(name.clone(), parameter.span)),
        _ => None,
    }
}

/// `(T)` read as the parameter list of a function without a name.
fn unnamed_function_of(name: Identifier, span: Span) -> FunctionDerivation {
    let specifiers = DeclarationSpecifiers {
        types: vec![Spanned::new(
            TypeSpecifier::TypedefName(name.value),
            name.span,
        )],
        span: name.span,
        ..DeclarationSpecifiers::default()
    };
    FunctionDerivation {
        parameters: vec![ParameterDeclaration {
            specifiers,
            declarator: nameless(Span::new(name.span.end, name.span.end)),
            span: name.span,
        }],
        identifiers: Vec::new(),
        is_prototype: true,
        is_variadic: false,
        span,
    }
}
