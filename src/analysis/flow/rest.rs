//! What a function does after some of its code.

use std::collections::HashSet;

use super::Order;
use super::order::Entrance;
use crate::analysis::directives::evaluated;
use crate::analysis::exits::{Exits, Jump};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, UnaryOperator, Unit, visit,
};

/// The host code that may run after a construct of a function. Functions with
/// `goto`, variables whose address is taken and those that outlive the function
/// are taken to read everything.
pub struct Rest<'u> {
    /// The construct.
    pub after: Span,
    unit: &'u Unit,
    /// What can be followed, and the variables of the function whose address is taken.
    code: Option<(Order<'u>, HashSet<SymbolId>)>,
    /// Assembly in the function may read everything, for all that is known.
    has_assembly: bool,
}

impl<'u> Rest<'u> {
    /// What runs after the statements that fill `construct` in the body of a function.
    pub fn of(unit: &'u Unit, body: &'u Statement, construct: Span) -> Self {
        let jumps = Exits::of_typed(body).any(Jump::is_goto);
        let code = (!jumps).then(|| (Order::host_after(body, construct), with_address(body)));
        let is_assembly = |s: &Statement| matches!(s.kind, StatementKind::Assembly);
        Self {
            after: construct,
            unit,
            code,
            has_assembly: visit::any_statement(body, &mut |s| is_assembly(s)),
        }
    }

    /// The same where the unit may not have the function.
    pub fn of_function(unit: &'u Unit, function: SymbolId, construct: Span) -> Self {
        match unit.function(function) {
            Some(function) => Self::of(unit, &function.body, construct),
            None => Self {
                after: construct,
                unit,
                code: None,
                has_assembly: false,
            },
        }
    }

    /// Whether some way through it reads the value that a variable has at its beginning; not
    /// where that cannot be followed.
    pub fn reads(&self, variable: SymbolId) -> bool {
        let code = self.code.as_ref().filter(|_| !self.has_assembly);
        let flow = code.and_then(|(order, _)| order.entered(Entrance::Here, self.unit, variable));
        flow.is_some_and(|flow| flow.exposed)
    }

    /// Whether it may read the value that a variable has at its beginning.
    pub fn may_read(&self, variable: SymbolId) -> bool {
        let Some((order, with_address)) = &self.code else {
            return true;
        };
        let flow = || order.entered(Entrance::Here, self.unit, variable);
        !self.unit.symbol(variable).is_automatic()
            || with_address.contains(&variable)
            || flow().is_none_or(|flow| flow.exposed)
    }
}

/// Whether a function takes the address of one of its variables.
pub fn is_address_taken(unit: &Unit, function: SymbolId, symbol: SymbolId) -> bool {
    let function = unit.function(function);
    function.is_none_or(|function| has_address_of(&function.body, symbol))
}

/// Whether any function of the unit takes the address of a variable.
pub fn is_address_taken_anywhere(unit: &Unit, symbol: SymbolId) -> bool {
    let mut functions = unit.functions.iter();
    functions.any(|function| has_address_of(&function.body, symbol))
}

fn has_address_of(body: &Statement, symbol: SymbolId) -> bool {
    with_address(body).contains(&symbol)
}

/// The variables whose address some code takes.
fn with_address(body: &Statement) -> HashSet<SymbolId> {
    let mut taken = HashSet::new();
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Unary(UnaryOperator::AddressOf, inner) = &e.kind {
            taken.extend(object(inner).as_symbol());
        }
    });
    taken
}

/// The variable that a member is part of.
pub fn object(lvalue: &Expression) -> &Expression {
    match &lvalue.inner().kind {
        ExpressionKind::Member {
            base, arrow: false, ..
        } => object(base),
        _ => lvalue.inner(),
    }
}

/// Whether a directive in some code evaluates or transfers a variable.
pub fn is_in_directive(body: &Statement, symbol: SymbolId) -> bool {
    let mut found = match &body.kind {
        StatementKind::Directive(directive, _) => {
            evaluated(directive).iter().any(|e| e.mentions(symbol))
        }
        _ => false,
    };
    visit::children(body, &mut |inner| {
        found = found || is_in_directive(inner, symbol)
    });
    found
}
