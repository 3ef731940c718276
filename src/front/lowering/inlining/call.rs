//! One call: what takes its place.
//!
//! - *An expression*, where the function is just `return e;`, its arguments
//!   have no effects, and each is used once or is a name or number.
//! - *Statements* else: variables for the parameters that need one, the body
//!   with one end, and a variable for the value.

use std::collections::{BTreeSet, HashMap};

use super::argument::{self, enclosed};
use super::copy::Copy;
use super::obstacle::Obstacle;
use super::returns::Returns;
use super::{Inliner, Order};
use crate::analysis::effects::{changes_nothing, is_pure, is_pure_node};
use crate::source::Span;
use crate::typed::address;
use crate::typed::{
    Expression, ExpressionKind, Function, QualType, Statement, StatementKind, SymbolId, Type,
    UnaryOperator, synthesis, visit,
};

/// What stands for the parameters of a call.
#[derive(Default)]
struct Bound {
    values: HashMap<SymbolId, Expression>,
    /// Parameters that are variables.
    variables: HashMap<SymbolId, SymbolId>,
    /// Declarations of variables, in the order of the parameters.
    declarations: Vec<Statement>,
}

impl Inliner<'_> {
    /// The value of a call, after statements where it needs some.
    pub(super) fn value(
        &mut self,
        function: SymbolId,
        arguments: Vec<Expression>,
        call: &Expression,
        order: Order,
        out: &mut Vec<Statement>,
    ) -> Result<Expression, Obstacle> {
        let definition = self.definition(function, call.span)?;
        if let Some(returned) = returned(&definition.body)
            && is_pure_return(self, returned)
            && arguments.iter().all(|a| is_pure(self.unit, a))
        {
            let returned = returned.clone();
            let fixed = matches!(order, Order::Fixed(_));
            if let Some(value) = self.in_place(&definition, returned, &arguments, fixed)? {
                let mut value = enclosed(value.explicit());
                self.replaced += 1;
                self.stack.push(function);
                self.expression(&mut value, order, out);
                self.stack.pop();
                return Ok(value);
            }
        }
        if let Order::Fixed(place) = order {
            let name = &self.unit.symbol(function).name;
            let reason = format!("`{name}` is more than one expression, and is called {place}");
            return Err(Obstacle::new(reason, call.span));
        }
        let symbol = self.statements(function, arguments, call, true, out)?;
        let Some(symbol) = symbol else {
            return Err(Obstacle::new("it has no value", call.span));
        };
        Ok(Expression {
            kind: ExpressionKind::Symbol(symbol),
            ..call.clone()
        })
    }

    fn definition(&self, function: SymbolId, call: Span) -> Result<Function, Obstacle> {
        let Some(definition) = self.unit.function(function) else {
            return Err(Obstacle::new("its body is not in this file", call));
        };
        self.examine(definition, call)?;
        Ok(definition.clone())
    }

    /// The expression that a function returns, with its arguments; `None` where
    /// one would be evaluated several times and need not.
    fn in_place(
        &mut self,
        definition: &Function,
        mut returned: Expression,
        arguments: &[Expression],
        fixed: bool,
    ) -> Result<Option<Expression>, Obstacle> {
        let mut values = HashMap::new();
        for (&parameter, argument) in definition.parameters.iter().zip(arguments) {
            let mut unheld = Vec::new();
            let name = self.unit.symbol(parameter).name.clone();
            let place = self.given(parameter, argument, &name, &mut unheld)?;
            let is_repeated = count(&returned, parameter) > 1;
            let value = match place {
                Some(place) if unheld.is_empty() => place,
                // Its indices are evaluated wherever it stands.
                Some(_) if !is_repeated || fixed => {
                    argument::address(argument::stripped(argument).clone())
                }
                None if !is_repeated || fixed || self.is_stable(argument.inner()) => {
                    argument.clone().explicit()
                }
                _ => return Ok(None),
            };
            values.insert(parameter, value);
        }
        let mut copy = Copy {
            unit: self.unit,
            directives: self.directives,
            values,
            variables: HashMap::new(),
            next_directive: self.next_directive,
        };
        copy.expression(&mut returned);
        self.next_directive = copy.next_directive;
        Ok(Some(returned))
    }

    /// Puts what a function does into `out`; its value is in the variable that
    /// is returned, where it is wanted and there is one.
    pub(super) fn statements(
        &mut self,
        function: SymbolId,
        arguments: Vec<Expression>,
        call: &Expression,
        wanted: bool,
        out: &mut Vec<Statement>,
    ) -> Result<Option<SymbolId>, Obstacle> {
        let definition = self.definition(function, call.span)?;
        let name = self.unit.symbol(function).name.clone();
        let mut bound = self.bind(&definition, arguments)?;
        for local in visit::declared(&definition.body) {
            let variable = self.unit.symbol(local).clone();
            let new = self.variable(&variable.name, variable.ty, variable.span);
            bound.variables.insert(local, new);
        }
        let is_void = matches!(self.unit.types.get(call.ty.ty), Type::Void);
        let result = (wanted && !is_void).then(|| {
            let ty = QualType::plain(call.ty.ty);
            let symbol = self.variable(&format!("{name}_value"), ty, call.span);
            out.push(synthesis::declaration(symbol, None, call.span));
            symbol
        });
        let mut body = definition.body.clone();
        let taken = addressed(&body);
        let mut copy = Copy {
            unit: self.unit,
            directives: self.directives,
            values: bound.values,
            variables: bound.variables,
            next_directive: self.next_directive,
        };
        copy.statement(&mut body);
        self.next_directive = copy.next_directive;
        let renamed = taken.iter().filter_map(|symbol| copy.variables.get(symbol));
        let renamed: Vec<SymbolId> = renamed.copied().collect();
        self.addresses.extend(renamed);
        let int = synthesis::int(self.unit);
        let flag_type = QualType::plain(int);
        let flag = self.variable(&format!("{name}_ended"), flag_type, definition.header);
        let mut returns = Returns::new(self.unit, result, flag);
        let ended = returns.list(vec![body]);
        let mut block = bound.declarations;
        if returns.flagged {
            let span = definition.body.span;
            let zero = synthesis::integer(0, int, span);
            block.push(synthesis::declaration(flag, Some(zero), span));
        }
        block.extend(ended.into_iter().flat_map(Statement::into_items));
        self.replaced += 1;
        self.stack.push(function);
        let block = self.list(block);
        self.stack.pop();
        let declares = (block.iter()).any(|s| matches!(s.kind, StatementKind::Declaration(_)));
        if declares {
            out.push(Statement::block(block, definition.body.span));
        } else {
            out.extend(block);
        }
        Ok(result)
    }

    /// What stands for each parameter in the statements of a function.
    fn bind(
        &mut self,
        definition: &Function,
        arguments: Vec<Expression>,
    ) -> Result<Bound, Obstacle> {
        let changed = changed(&definition.body);
        let mut bound = Bound::default();
        for (&parameter, argument) in definition.parameters.iter().zip(arguments) {
            let variable = self.unit.symbol(parameter).clone();
            let is_changed = changed.contains(&parameter);
            let is_listed = address::reached(self.unit, &argument)
                .is_some_and(|s| self.listed.contains(&s))
                && self.unit.types.is_pointer(variable.ty.ty);
            if is_listed && is_changed {
                let reason = format!("it changes `{}`", variable.name);
                return Err(Obstacle::new(reason, variable.span));
            }
            if !is_changed {
                let mut held = Vec::new();
                let place = self.given(parameter, &argument, &variable.name, &mut held)?;
                if let Some(place) = place {
                    bound.declarations.extend(held);
                    bound.values.insert(parameter, place);
                    continue;
                }
                if self.is_stable(&argument) && argument.ty.ty == variable.ty.ty {
                    bound.values.insert(parameter, argument);
                    continue;
                }
            }
            let pointee = self.unit.types.pointee(variable.ty.ty);
            if pointee.is_some_and(|to| self.unit.types.is_variable_length(to.ty)) {
                let reason = format!("`{}` points to rows of variable length", variable.name);
                return Err(Obstacle::new(reason, variable.span));
            }
            let new = self.variable(&variable.name, variable.ty, variable.span);
            bound.variables.insert(parameter, new);
            let declared = synthesis::declaration(new, Some(argument), variable.span);
            bound.declarations.push(declared);
        }
        Ok(bound)
    }

    /// The place in an array that stands for a pointer parameter.
    fn given(
        &mut self,
        parameter: SymbolId,
        argument: &Expression,
        name: &str,
        held: &mut Vec<Statement>,
    ) -> Result<Option<Expression>, Obstacle> {
        let ty = self.unit.symbol(parameter).ty;
        if !self.unit.types.is_pointer(ty.ty) {
            return Ok(None);
        }
        let place = self.place(argument, ty, name, held);
        let listed = address::reached(self.unit, argument);
        let listed = listed.filter(|symbol| self.listed.contains(symbol));
        match (place, listed) {
            (None, Some(array)) => {
                let array = &self.unit.symbol(array).name;
                let reason = format!("`{array}` is given to it in another form than its own");
                Err(Obstacle::new(reason, argument.span))
            }
            (place, _) => Ok(place),
        }
    }
}

/// The value of a function that is just `return e;`.
fn returned(body: &Statement) -> Option<&Expression> {
    match &body.kind {
        StatementKind::Return(Some(e)) => Some(e),
        StatementKind::Compound(list) => match list.as_slice() {
            [only] => returned(only),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the value has no effects but those of functions that are replaced
/// in their turn.
fn is_pure_return(inliner: &Inliner<'_>, e: &Expression) -> bool {
    let unit = inliner.unit;
    if is_pure(unit, e) {
        return true;
    }
    let mut pure = true;
    visit::walk(e, &mut |e| {
        if let ExpressionKind::Call { function, .. } = &e.kind {
            let f = function.as_symbol().and_then(|f| unit.function(f));
            let value = f.and_then(|f| returned(&f.body));
            pure &= changes_nothing(unit, function) || value.is_some_and(|e| is_pure(unit, e));
        } else {
            pure &= is_pure_node(e);
        }
    });
    pure
}

fn count(e: &Expression, symbol: SymbolId) -> usize {
    let mut found = 0;
    visit::walk(e, &mut |e| {
        found += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol));
    });
    found
}

/// The variables that a body assigns, or whose address it takes.
fn changed(body: &Statement) -> BTreeSet<SymbolId> {
    let mut found = addressed(body);
    visit::expressions(body, &mut |e| {
        found.extend(e.assigned().and_then(lvalue_root));
    });
    found
}

/// The variables of which a body takes the address, or that of a part.
fn addressed(body: &Statement) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Unary(UnaryOperator::AddressOf, operand) = &e.kind {
            found.extend(lvalue_root(operand));
        }
    });
    found
}

/// The variable that an lvalue is, or is a part of.
fn lvalue_root(e: &Expression) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Member {
            base: inner,
            arrow: false,
            ..
        }
        | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
            lvalue_root(inner)
        }
        ExpressionKind::Index(base, _) => match &base.kind {
            ExpressionKind::Convert(crate::typed::Conversion::ArrayToPointer, row) => {
                lvalue_root(row)
            }
            _ => None,
        },
        _ => None,
    }
}
