//! Statements of kernels and of the host, reduced to the order of their accesses.

use super::list::List;
use super::{BREAK, CONTINUE, RETURN};
use crate::analysis::directives::{evaluated, private_names};
use crate::ir;
use crate::source::Span;
use crate::typed::{self, Expression, LocalDeclaration, SymbolId};

/// Code reduced to the order of its accesses.
#[derive(Debug)]
pub enum Order<'a> {
    /// An expression.
    Evaluate(&'a Expression),
    /// An assignment without an expression of its own.
    Write(SymbolId),
    /// A use without an expression of its own.
    Read(SymbolId),
    /// One after the other.
    Sequence(List<'a>),
    /// One of them.
    Choice(Vec<Order<'a>>),
    /// A loop.
    Repeat(Box<Repeat<'a>>),
    /// Entered at its cases, or not at all.
    Switch(Box<Order<'a>>),
    /// Where other code may lead to.
    Entry(Entrance),
    /// These variables mean copies of their own inside.
    Own(Vec<SymbolId>, Box<Order<'a>>),
    /// To the end of paths that has this bit.
    Jump(u8),
    /// Not followed: reads everything.
    Opaque,
}

/// Any number of iterations, none included.
#[derive(Debug)]
pub struct Repeat<'a> {
    /// Before each iteration but the first, and before that where it `is_tested_first`.
    pub(super) condition: Order<'a>,
    pub(super) is_tested_first: bool,
    pub(super) body: Order<'a>,
    pub(super) step: Order<'a>,
}

/// Why code begins somewhere else than at its top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entrance {
    /// A `case` or `default` of the innermost `switch`.
    Case,
    /// It is what comes after some code that is asked about.
    Here,
}

impl<'a> Order<'a> {
    /// Does nothing.
    fn nothing() -> Self {
        Self::sequence(Vec::new())
    }

    fn sequence(orders: Vec<Self>) -> Self {
        Self::Sequence(List::new(orders))
    }

    /// That of a kernel's statements.
    pub fn device(list: &'a [ir::Statement]) -> Self {
        Device { after: None }.list(list)
    }

    /// The same with an entrance behind a loop.
    pub(super) fn device_after(list: &'a [ir::Statement], after: &'a ir::Loop) -> Self {
        Device { after: Some(after) }.list(list)
    }

    /// That of what comes after an iteration of a loop that is not counted, up to the
    /// end of the next one.
    pub fn next_iteration(statement: &'a ir::Statement) -> Self {
        let device = Device { after: None };
        let mut list = Vec::new();
        if let ir::StatementKind::For(parts) = &statement.kind {
            list.extend(parts.step.iter().map(Order::Evaluate));
            list.extend(parts.condition.iter().map(Order::Evaluate));
            list.push(device.list(&parts.body));
        } else {
            ir::visit::own_expressions(statement, &mut |e| list.push(Order::Evaluate(e)));
            ir::visit::blocks(statement, &mut |inner| list.push(device.list(inner)));
        }
        Order::sequence(list)
    }

    /// That of a host statement. Variables that a directive names count as read.
    pub fn host(statement: &'a typed::Statement) -> Self {
        Host { after: None }.statement(statement)
    }

    /// The same with an entrance behind the statements that end where a span does.
    pub(super) fn host_after(statement: &'a typed::Statement, after: Span) -> Self {
        let after = Some(after);
        Host { after }.statement(statement)
    }

    fn optional(e: Option<&'a Expression>) -> Self {
        e.map_or_else(Self::nothing, Order::Evaluate)
    }

    fn declarations(list: &'a [LocalDeclaration]) -> Self {
        let mut orders = Vec::new();
        for declaration in list {
            declaration.values(&mut |e| orders.push(Order::Evaluate(e)));
            let is_given = declaration.initializer.is_some();
            orders.extend(is_given.then_some(Order::Write(declaration.symbol)));
        }
        Order::sequence(orders)
    }

    fn branch(condition: &'a Expression, then: Self, otherwise: Option<Self>) -> Self {
        let branches = vec![then, otherwise.unwrap_or_else(Self::nothing)];
        Order::sequence(vec![Order::Evaluate(condition), Order::Choice(branches)])
    }

    fn switch(value: &'a Expression, body: Self) -> Self {
        let body = Order::Switch(Box::new(body));
        Order::sequence(vec![Order::Evaluate(value), body])
    }

    fn repeat(
        condition: Option<&'a Expression>,
        body: Self,
        step: Option<&'a Expression>,
        is_tested_first: bool,
    ) -> Self {
        Order::Repeat(Box::new(Repeat {
            condition: Order::optional(condition),
            is_tested_first,
            body,
            step: Order::optional(step),
        }))
    }

    fn returns(value: Option<&'a Expression>) -> Self {
        Order::sequence(vec![Order::optional(value), Order::Jump(RETURN)])
    }
}

/// Reads statements of kernels.
struct Device<'a> {
    /// The loop behind which there is an entrance.
    after: Option<&'a ir::Loop>,
}

impl<'a> Device<'a> {
    fn list(&self, list: &'a [ir::Statement]) -> Order<'a> {
        Order::sequence(list.iter().map(|s| self.statement(s)).collect())
    }

    fn statement(&self, statement: &'a ir::Statement) -> Order<'a> {
        use ir::StatementKind as S;
        match &statement.kind {
            S::Expression(e) => Order::optional(e.as_ref()),
            S::Atomic(atomic) => {
                Order::sequence(atomic.steps.iter().map(Order::Evaluate).collect())
            }
            S::Declaration(list) => Order::declarations(list),
            S::Block(list) | S::Single { body: list, .. } => self.list(list),
            S::If(condition, then, otherwise) => {
                let otherwise = otherwise.as_ref().map(|list| self.list(list));
                Order::branch(condition, self.list(then), otherwise)
            }
            S::Loop(inner) => self.counted(inner),
            S::For(parts) => {
                let first = parts.initializer.as_ref();
                let first = first.map_or_else(Order::nothing, |first| self.statement(first));
                let (condition, step) = (parts.condition.as_ref(), parts.step.as_ref());
                let repeat = Order::repeat(condition, self.list(&parts.body), step, true);
                Order::sequence(vec![first, repeat])
            }
            S::While(condition, body) => {
                Order::repeat(Some(condition), self.list(body), None, true)
            }
            S::DoWhile(body, condition) => {
                Order::repeat(Some(condition), self.list(body), None, false)
            }
            S::Switch(value, body) => Order::switch(value, self.list(body)),
            S::Return(e) => Order::returns(e.as_ref()),
            S::Break => Order::Jump(BREAK),
            S::Continue => Order::Jump(CONTINUE),
            S::Case(..) | S::Default => Order::Entry(Entrance::Case),
            S::Label(_) | S::Goto(_) => Order::Opaque,
            S::CollectiveCall(call) => {
                let mut list = vec![Order::Evaluate(&call.call)];
                list.extend(call.result.map(Order::Write));
                Order::sequence(list)
            }
            S::WhileAny(live, body) => {
                let repeat = Order::repeat(None, self.list(body), None, true);
                Order::sequence(vec![Order::Read(*live), repeat])
            }
            S::Windows(region) => {
                let dimensions = region.windows.iter().flat_map(|w| &w.dimensions);
                let places = dimensions.flat_map(|d| [&d.pivot, &d.before, &d.after]);
                let mut list: Vec<Order> = places.map(Order::Evaluate).collect();
                list.push(self.list(&region.body));
                Order::sequence(list)
            }
            S::Barrier(_)
            | S::OpenWindows(_)
            | S::WriteBack { .. }
            | S::RowBarrier(_)
            | S::ReductionBegin(..)
            | S::ReductionEnd(..) => Order::nothing(),
        }
    }

    /// A loop reads its reduction variables; it writes its own variable, which is
    /// another one where it is declared inside.
    fn counted(&self, inner: &'a ir::Loop) -> Order<'a> {
        let header = inner.limits();
        let mut list: Vec<Order> = header.into_iter().map(Order::Evaluate).collect();
        list.extend(inner.reductions.iter().map(|r| Order::Read(r.symbol)));
        let body = Order::repeat(None, self.list(&inner.body), None, true);
        let mut own = inner.privates.clone();
        if inner.declared_inside {
            own.push(inner.induction);
        } else {
            list.push(Order::Write(inner.induction));
        }
        list.push(Order::Own(own, Box::new(body)));
        if self.after.is_some_and(|after| std::ptr::eq(after, inner)) {
            list.push(Order::Entry(Entrance::Here));
        }
        Order::sequence(list)
    }
}

/// Reads host statements.
struct Host {
    /// An entrance is where this code ends.
    after: Option<Span>,
}

impl Host {
    fn statement<'a>(&self, statement: &'a typed::Statement) -> Order<'a> {
        let span = statement.span;
        let is_requested = |after: &Span| after.start <= span.start && span.end == after.end;
        if self.after.as_ref().is_some_and(is_requested) {
            let order = Host { after: None }.statement(statement);
            return Order::sequence(vec![order, Order::Entry(Entrance::Here)]);
        }
        self.inner(statement)
    }

    fn inner<'a>(&self, statement: &'a typed::Statement) -> Order<'a> {
        use typed::StatementKind as S;
        match &statement.kind {
            S::Expression(e) => Order::optional(e.as_ref()),
            S::Declaration(list) => Order::declarations(list),
            S::Compound(list) => Order::sequence(list.iter().map(|s| self.statement(s)).collect()),
            S::If(condition, then, otherwise) => {
                let otherwise = otherwise.as_ref().map(|s| self.statement(s));
                Order::branch(condition, self.statement(then), otherwise)
            }
            S::Switch(value, body) => Order::switch(value, self.statement(body)),
            S::While(condition, body) => {
                Order::repeat(Some(condition), self.statement(body), None, true)
            }
            S::DoWhile(body, condition) => {
                Order::repeat(Some(condition), self.statement(body), None, false)
            }
            S::For(parts) => {
                let first = parts.initializer.as_ref();
                let first = first.map_or_else(Order::nothing, |first| self.statement(first));
                let (condition, step) = (parts.condition.as_ref(), parts.step.as_ref());
                let repeat = Order::repeat(condition, self.statement(&parts.body), step, true);
                Order::sequence(vec![first, repeat])
            }
            S::Case(_, body) | S::Default(body) => {
                let entry = Order::Entry(Entrance::Case);
                Order::sequence(vec![entry, self.statement(body)])
            }
            S::Return(e) => Order::returns(e.as_ref()),
            S::Break => Order::Jump(BREAK),
            S::Continue => Order::Jump(CONTINUE),
            S::Labeled(_, body) => Order::sequence(vec![Order::Opaque, self.statement(body)]),
            S::Goto(_) | S::ComputedGoto(_) | S::Assembly => Order::Opaque,
            S::Directive(directive, body) => {
                let mut list: Vec<Order> =
                    (evaluated(directive).into_iter().map(Order::Evaluate)).collect();
                let body = body.as_ref().map(|body| Box::new(self.statement(body)));
                list.extend(body.map(|body| Order::Own(private_names(directive), body)));
                Order::sequence(list)
            }
        }
    }
}
