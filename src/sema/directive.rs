//! Names and expressions in directives, resolved where the directive stands.

use super::Analyser;
use super::scope::Entity;
use crate::ast::{self, Directive, Resolver};
use crate::source::Spanned;
use crate::typed::{Expression, ExpressionKind};

/// Resolves with the scopes that are open.
struct InScope<'x, 'a>(&'x mut Analyser<'a>);

impl Resolver<ast::Expression, Expression> for InScope<'_, '_> {
    fn expression(&mut self, expression: &ast::Expression) -> Expression {
        self.0.expression(expression)
    }

    /// Promoted, as a subscript is.
    fn bound(&mut self, expression: &ast::Expression) -> Expression {
        let bound = self.0.expression(expression);
        self.0.promote(bound)
    }

    /// A lone name may be a keyword of its clause: whether it has to be
    /// declared is for the dialect to say.
    fn name(&mut self, name: &Spanned<String>) -> Option<Expression> {
        let Some(entity) = self.0.scopes.names.get(&name.value) else {
            let near = self.0.similar(&name.value, false);
            self.0
                .unit
                .similar
                .extend(near.map(|near| (name.span, near)));
            return None;
        };
        match entity {
            Entity::Symbol(id) => Some(Expression {
                kind: ExpressionKind::Symbol(id),
                ty: self.0.unit.symbol(id).ty,
                span: name.span,
            }),
            Entity::Typedef { .. } => None,
        }
    }
}

impl Analyser<'_> {
    /// A directive with its names resolved.
    pub(super) fn directive(
        &mut self,
        directive: &Directive<ast::Expression>,
    ) -> Directive<Expression> {
        directive.map(&mut InScope(self))
    }
}
