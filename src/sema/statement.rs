//! Statements (C11 6.8).

use super::conversion::Destination;
use super::function::{SwitchState, local_labels};
use super::{Analyser, is_poison};
use crate::ast::{self, BlockItem, ForInitializer, StatementKind as S};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    CaseLabel, Expression, ExpressionKind, For, QualType, Statement, StatementKind, SymbolKind,
    TypeId, constant, visit,
};

impl Analyser<'_> {
    /// The items of a block whose scope is open.
    pub(super) fn block_items(&mut self, items: &[BlockItem]) -> Vec<Statement> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            match item {
                BlockItem::Declaration(declaration) => {
                    let objects = self.declaration(declaration);
                    if !objects.is_empty() {
                        list.push(Statement {
                            kind: StatementKind::Declaration(objects),
                            span: declaration.span,
                        });
                    }
                }
                BlockItem::StaticAssert(assertion) => self.static_assert(assertion),
                BlockItem::Statement(statement) => list.push(self.statement(statement)),
                BlockItem::Function(definition) => self.nested_function(definition),
            }
        }
        list
    }

    /// A block with a scope of its own.
    pub(super) fn compound(&mut self, block: &ast::CompoundStatement) -> StatementKind {
        self.scopes.enter();
        if let Some(function) = &mut self.function {
            function.local_labels.push(local_labels(block));
        }
        let items = self.block_items(&block.items);
        if let Some(function) = &mut self.function {
            function.local_labels.pop();
        }
        self.scopes.leave();
        StatementKind::Compound(items)
    }

    pub(super) fn statement(&mut self, statement: &ast::Statement) -> Statement {
        let span = statement.span;
        let kind = match &statement.kind {
            S::Expression(e) => StatementKind::Expression(e.as_ref().map(|e| self.expression(e))),
            S::Compound(block) => self.compound(block),
            S::If(condition, then, otherwise) => self.branch(condition, then, otherwise.as_deref()),
            S::Switch(value, body) => self.switch(value, body),
            S::While(condition, body) => {
                let condition = self.condition(condition);
                StatementKind::While(condition, self.body(body))
            }
            S::DoWhile(body, condition) => {
                let body = self.body(body);
                StatementKind::DoWhile(body, self.condition(condition))
            }
            S::For(parts) => self.for_statement(parts),
            S::Directive(directive, body) => {
                let directive = Box::new(self.directive(directive));
                let body = body.as_ref().map(|body| Box::new(self.statement(body)));
                StatementKind::Directive(directive, body)
            }
            S::Run(items) => StatementKind::Compound(self.block_items(items)),
            S::Assembly => StatementKind::Assembly,
            _ => self.jump(statement),
        };
        Statement { kind, span }
    }

    fn branch(
        &mut self,
        condition: &ast::Expression,
        then: &ast::Statement,
        otherwise: Option<&ast::Statement>,
    ) -> StatementKind {
        let condition = self.condition(condition);
        let then = Box::new(self.statement(then));
        let otherwise = otherwise.map(|otherwise| Box::new(self.statement(otherwise)));
        StatementKind::If(condition, then, otherwise)
    }

    /// A controlling expression.
    pub(super) fn condition(&mut self, e: &ast::Expression) -> Expression {
        let value = self.value(e);
        let span = value.span;
        self.check_scalar(value, span)
    }

    /// The body of a loop.
    fn body(&mut self, body: &ast::Statement) -> Box<Statement> {
        if let Some(function) = &mut self.function {
            function.loops += 1;
        }
        let body = Box::new(self.statement(body));
        if let Some(function) = &mut self.function {
            function.loops -= 1;
        }
        body
    }

    fn for_statement(&mut self, parts: &ast::ForStatement) -> StatementKind {
        self.scopes.enter();
        let initializer = match &parts.initializer {
            ForInitializer::Expression(None) => None,
            ForInitializer::Expression(Some(e)) => {
                let e = self.expression(e);
                Some(Statement {
                    span: e.span,
                    kind: StatementKind::Expression(Some(e)),
                })
            }
            ForInitializer::Declaration(declaration) => Some(Statement {
                kind: StatementKind::Declaration(self.declaration(declaration)),
                span: declaration.span,
            }),
        };
        let condition = parts.condition.as_ref().map(|e| self.condition(e));
        let step = parts.step.as_ref().map(|e| self.expression(e));
        let body = *self.body(&parts.body);
        self.scopes.leave();
        StatementKind::For(Box::new(For {
            initializer,
            condition,
            step,
            body,
        }))
    }

    fn switch(&mut self, value: &ast::Expression, body: &ast::Statement) -> StatementKind {
        let value = self.value(value);
        let value = if self.unit.types.is_integer(value.ty.ty) || is_poison(&value) {
            self.promote(value)
        } else {
            let have = self.show(value.ty);
            let message = format!("a switch needs an integer, not a `{have}`");
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, value.span);
            self.refuse(error.help("compare with `if` and `else if`"), value.span)
        };
        if let Some(function) = &mut self.function {
            function.switches.push(SwitchState {
                ty: value.ty.ty,
                cases: std::collections::HashMap::new(),
                default: None,
            });
        }
        let body = Box::new(self.statement(body));
        if let Some(function) = &mut self.function {
            function.switches.pop();
        }
        StatementKind::Switch(value, body)
    }

    /// Jumps and labels (6.8.1, 6.8.6).
    fn jump(&mut self, statement: &ast::Statement) -> StatementKind {
        let span = statement.span;
        match &statement.kind {
            S::Goto(label) => {
                self.note_goto(label);
                StatementKind::Goto(label.value.clone())
            }
            S::ComputedGoto(target) => {
                let target = self.value(target);
                StatementKind::ComputedGoto(target)
            }
            S::Continue => {
                if self.function.as_ref().is_none_or(|f| f.loops == 0) {
                    self.misplaced("continue", "a loop", span);
                }
                StatementKind::Continue
            }
            S::Break => {
                let is_inside = |f: &super::FunctionState| f.loops > 0 || !f.switches.is_empty();
                if !self.function.as_ref().is_some_and(is_inside) {
                    self.misplaced("break", "a loop or switch", span);
                }
                StatementKind::Break
            }
            S::Return(value) => self.return_statement(value.as_ref()),
            S::Labeled(label, body) => {
                self.label(label);
                StatementKind::Labeled(label.value.clone(), Box::new(self.statement(body)))
            }
            S::Case(first, last, body) => self.case(first, last.as_ref(), body, span),
            S::Default(body) => {
                self.default_label(span);
                StatementKind::Default(Box::new(self.statement(body)))
            }
            _ => StatementKind::Expression(None),
        }
    }

    fn misplaced(&mut self, keyword: &str, needed: &str, span: Span) {
        let message = format!("`{keyword}` stands outside of {needed}");
        let error = Diagnostic::error(codes::MISPLACED_STATEMENT, message, span);
        self.push(error.label(format!("there is no {needed} around this")));
    }

    /// Remembers a use of a label.
    pub(super) fn note_goto(&mut self, label: &ast::Identifier) {
        let Some(function) = &mut self.function else {
            return;
        };
        let mut blocks = function.local_labels.iter();
        if !blocks.any(|labels| labels.contains_key(&label.value)) {
            function.gotos.push((label.value.clone(), label.span));
        }
    }

    fn label(&mut self, label: &ast::Identifier) {
        let Some(function) = &mut self.function else {
            return;
        };
        let mut blocks = function.local_labels.iter_mut().rev();
        let first = match blocks.find_map(|labels| labels.get_mut(&label.value)) {
            Some(place) => place.replace(label.span),
            None => function.labels.insert(label.value.clone(), label.span),
        };
        let message = || format!("the label `{}` occurs twice in this function", label.value);
        self.check_first(first, message, label.span);
    }

    /// `return e;` (6.8.6.4). A value too many or too few is a warning in
    /// compilers, so none here.
    fn return_statement(&mut self, value: Option<&ast::Expression>) -> StatementKind {
        let result = self.function.as_ref().map(|function| function.result);
        let Some(e) = value else {
            return StatementKind::Return(None);
        };
        let value = match result {
            Some(result) if result.ty != self.basic.void => {
                let value = self.value(e);
                self.assign_convert(value, result, Destination::Return)
            }
            _ => self.value(e),
        };
        StatementKind::Return(Some(value))
    }

    fn case(
        &mut self,
        first: &ast::Expression,
        last: Option<&ast::Expression>,
        body: &ast::Statement,
        span: Span,
    ) -> StatementKind {
        let ty = self.innermost_switch().map(|switch| switch.ty);
        if ty.is_none() {
            self.misplaced("case", "a switch", Span::new(span.start, first.span.end));
        }
        let low = self.case_value(first, ty);
        let high = last.and_then(|last| self.case_value(last, ty));
        let mut label = CaseLabel {
            first: low.as_ref().map_or(0, |(value, _)| *value),
            last: high.map(|(value, _)| value),
            written: None,
        };
        if let (Some((value, written)), None) = (low, last) {
            self.note_case(value, first.span);
            label.written = written.map(Box::new);
        }
        StatementKind::Case(label, Box::new(self.statement(body)))
    }

    /// The value of a label in the type of the switch, and the expression if that is what the
    /// label can be written as.
    fn case_value(
        &mut self,
        e: &ast::Expression,
        ty: Option<TypeId>,
    ) -> Option<(i128, Option<Expression>)> {
        let value = self.value(e);
        let is_integer = self.unit.types.is_integer(value.ty.ty);
        match constant::evaluate(&self.unit, &value) {
            Some(known) if is_integer => {
                let first = ty.map_or(known, |ty| constant::wrap(&self.unit.types, ty, known));
                let mut is_plain = first == known;
                visit::walk(&value, &mut |e| {
                    is_plain &= match e.kind {
                        ExpressionKind::Symbol(id) => {
                            matches!(self.unit.symbol(id).kind, SymbolKind::EnumConstant(_))
                        }
                        _ => true,
                    };
                });
                return Some((first, is_plain.then_some(value)));
            }
            _ if is_poison(&value) => {}
            _ => self.not_constant("the value of a case is no integer constant", value.span),
        }
        None
    }

    fn note_case(&mut self, value: i128, span: Span) {
        let switch = self.innermost_switch();
        let first = switch.and_then(|switch| switch.cases.insert(value, span));
        let message = || format!("the case {value} occurs twice in this switch");
        self.check_first(first, message, span);
    }

    fn innermost_switch(&mut self) -> Option<&mut SwitchState> {
        self.function.as_mut()?.switches.last_mut()
    }

    /// Reports a label that there was already, at `first`.
    fn check_first(&mut self, first: Option<Span>, message: impl Fn() -> String, span: Span) {
        if let Some(first) = first {
            let error = Diagnostic::error(codes::DUPLICATE_LABEL, message(), span);
            self.push(error.also(first, "first here"));
        }
    }

    fn default_label(&mut self, span: Span) {
        let here = Span::new(span.start, span.start + "default".len() as u32);
        let Some(switch) = self.innermost_switch() else {
            return self.misplaced("default", "a switch", here);
        };
        let first = switch.default.replace(here);
        let message = || "a switch has two `default` labels".to_string();
        self.check_first(first, message, here);
    }

    /// `({ … })`: the value of its last expression statement.
    pub(super) fn statement_expression(
        &mut self,
        block: &ast::CompoundStatement,
        span: Span,
    ) -> Expression {
        let mut kind = self.compound(block);
        let mut ty = QualType::plain(self.basic.void);
        if let StatementKind::Compound(items) = &mut kind
            && let Some(last) = items.last_mut().and_then(last_expression)
        {
            let value = std::mem::replace(last, self.poison(span));
            let value = self.decay(value);
            if is_poison(&value) {
                return self.poison(span);
            }
            ty = QualType::plain(value.ty.ty);
            *last = value;
        }
        Expression {
            kind: crate::typed::ExpressionKind::Statement(Box::new(Statement {
                kind,
                span: block.span,
            })),
            ty,
            span,
        }
    }
}

/// The expression that gives a statement expression its value.
fn last_expression(statement: &mut Statement) -> Option<&mut Expression> {
    match &mut statement.kind {
        StatementKind::Expression(Some(e)) => Some(e),
        StatementKind::Labeled(_, body) => last_expression(body),
        _ => None,
    }
}
