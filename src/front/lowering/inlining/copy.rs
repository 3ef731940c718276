//! Copies of a function's body with its parameters and variables replaced.
//!
//! Where a pointer parameter becomes a place in an array, `*p`, `p->x` and
//! `p[i]` become that place's element, in types of the array.

use std::collections::HashMap;

use super::argument::enclosed;
use crate::ast::DirectiveId;
use crate::front::lowering::directives::Dialect;
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, QualType, Statement, StatementKind,
    SymbolId, Type, UnaryOperator, Unit, synthesis, visit,
};

/// Copies of one call.
pub struct Copy<'c> {
    pub unit: &'c Unit,
    pub directives: &'c dyn Dialect,
    /// What stands for parameters.
    pub values: HashMap<SymbolId, Expression>,
    /// New variables for those declared in the function.
    pub variables: HashMap<SymbolId, SymbolId>,
    /// The number of the next copy of a directive.
    pub next_directive: u32,
}

impl Copy<'_> {
    /// Replaces in a statement, and drops directives on it that only matter to
    /// loops of parallel constructs.
    pub fn statement(&mut self, statement: &mut Statement) {
        match &mut statement.kind {
            StatementKind::Declaration(list) => {
                for declaration in list {
                    if let Some(new) = self.variables.get(&declaration.symbol) {
                        declaration.symbol = *new;
                    }
                }
            }
            StatementKind::For(parts) => {
                if let Some(first) = &mut parts.initializer {
                    self.statement(first);
                }
            }
            StatementKind::Directive(directive, body) => {
                let role = self.directives.role(directive);
                if role.is_of_caller {
                    directive.id = DirectiveId(self.next_directive);
                    self.next_directive += 1;
                    directive.change(&mut |e| self.expression(e));
                } else if !role.is_atomic || body.is_none() {
                    let own = body.take().map(|body| body.kind);
                    statement.kind = own.unwrap_or(StatementKind::Expression(None));
                    return self.statement(statement);
                }
            }
            _ => {}
        }
        visit::own_roots_mut(statement, &mut |e| self.expression(e));
        visit::children_mut(statement, &mut |inner| self.statement(inner));
    }

    /// Replaces in an expression.
    pub fn expression(&mut self, e: &mut Expression) {
        match &mut e.kind {
            ExpressionKind::Symbol(symbol) => {
                if let Some(new) = self.variables.get(symbol) {
                    *symbol = *new;
                } else if let Some(value) = self.values.get(symbol) {
                    *e = enclosed(value.clone());
                }
            }
            ExpressionKind::Statement(inner) => self.statement(inner),
            ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => {
                self.expression(pointer);
                if let Some(element) = self.element(pointer) {
                    *e = element;
                } else {
                    self.retype(e);
                }
            }
            ExpressionKind::Member { base, arrow, .. } => {
                self.expression(base);
                if *arrow && let Some(element) = self.element(base) {
                    **base = element;
                    *arrow = false;
                }
            }
            _ => {
                visit::operands_mut(e, &mut |operand| self.expression(operand));
                self.retype(e);
            }
        }
    }

    /// What a place that stands for a pointer points to.
    fn element(&mut self, pointer: &Expression) -> Option<Expression> {
        let at = pointer.without_parentheses();
        match &at.kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, target) => {
                Some(enclosed((**target).clone()))
            }
            ExpressionKind::Binary(BinaryOperator::Add, base, index)
                if self.unit.types.is_pointer(base.ty.ty) =>
            {
                self.subscript((**base).clone(), (**index).clone())
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, _) => {
                let zero = synthesis::integer(0, synthesis::int(self.unit), at.span);
                self.subscript(at.clone(), zero)
            }
            _ => None,
        }
    }

    fn subscript(&self, base: Expression, index: Expression) -> Option<Expression> {
        Some(Expression {
            ty: self.unit.types.pointee(base.ty.ty)?,
            span: base.span,
            kind: ExpressionKind::Index(Box::new(base), Box::new(index)),
        })
    }

    /// Rows of an array that a parameter stands for have the array's type.
    fn retype(&mut self, e: &mut Expression) {
        match &e.kind {
            ExpressionKind::Index(base, _)
            | ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
                if let Some(to) = self.unit.types.pointee(base.ty.ty)
                    && self.unit.types.is_array(to.ty)
                {
                    e.ty = to;
                }
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, row) => {
                if let Type::Array { element, .. } = self.unit.types.get(row.ty.ty) {
                    let pointer = Type::Pointer(*element);
                    e.ty = QualType::plain(self.unit.types.intern(pointer));
                }
            }
            ExpressionKind::Parenthesized(inner) => e.ty = inner.ty,
            _ => {}
        }
    }
}

/// Statements where one is wanted.
pub fn one(mut list: Vec<Statement>, span: Span) -> Statement {
    let is_declaration = |s: &Statement| matches!(s.kind, StatementKind::Declaration(_));
    match list.pop() {
        Some(only) if list.is_empty() && !is_declaration(&only) => only,
        last => {
            list.extend(last);
            Statement::block(list, span)
        }
    }
}
