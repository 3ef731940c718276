//! Which variables a piece of code may read before it writes them.
//!
//! Input: statements of a kernel, or host statements. Output: for a variable,
//! an [`Exposure`]. This decides which scalars an iteration, a kernel or a
//! region has for its own:
//!
//! ```c
//! for (i = 0; i < n; i++) {
//!     t = a[i] * a[i];       // written first: `t` is the iteration's own
//!     s = s + t;             // read first: `s` is not
//! }
//! ```
//!
//! Answers err on the side of "read first". Functions with labels or
//! computed jumps are not followed: every variable there counts as read.

use super::directives::{evaluated, private_names};
use crate::ir;
use crate::typed::library;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, Initializer, Statement, StatementKind,
    SymbolId, UnaryOperator, Unit, visit,
};

/// What code does with one variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Some path reads it before any write.
    pub reads: bool,
    /// Every path that reaches the end writes it.
    pub writes: bool,
    /// Some path may jump away before the end.
    pub leaves: bool,
}

/// Code reduced to the order of its accesses.
#[derive(Debug)]
pub enum Node<'a> {
    /// An expression.
    Evaluate(&'a Expression),
    /// An assignment without an expression of its own.
    Write(SymbolId),
    /// A use without an expression of its own.
    Read(SymbolId),
    /// One after the other.
    Sequence(Vec<Node<'a>>),
    /// One of them.
    Choice(Vec<Node<'a>>),
    /// Any number of times, none included.
    Repeat(Box<Node<'a>>),
    /// Once or more.
    AtLeastOnce(Box<Node<'a>>),
    /// These variables mean copies of their own inside.
    Own(Vec<SymbolId>, Box<Node<'a>>),
    /// `break`, `continue`, `return`.
    Leave,
    /// Not followed: reads everything.
    Opaque,
}

/// What a node does with a variable.
pub fn exposure(unit: &Unit, node: &Node<'_>, variable: SymbolId) -> Exposure {
    match node {
        Node::Evaluate(e) => {
            let mut state = State {
                unit,
                variable,
                exposure: Exposure::default(),
            };
            state.value(e);
            state.exposure
        }
        Node::Write(symbol) => Exposure {
            writes: *symbol == variable,
            ..Exposure::default()
        },
        Node::Read(symbol) => Exposure {
            reads: *symbol == variable,
            ..Exposure::default()
        },
        Node::Sequence(list) => {
            let mut all = Exposure::default();
            for inner in list {
                let next = exposure(unit, inner, variable);
                all.reads |= next.reads && !all.writes;
                all.writes |= next.writes;
                all.leaves |= next.leaves;
            }
            all
        }
        Node::Choice(list) => {
            let mut all = Exposure {
                writes: !list.is_empty(),
                ..Exposure::default()
            };
            for inner in list {
                let next = exposure(unit, inner, variable);
                all.reads |= next.reads;
                all.writes &= next.writes;
                all.leaves |= next.leaves;
            }
            all
        }
        // A jump inside ends the loop at most.
        Node::Repeat(inner) => Exposure {
            reads: exposure(unit, inner, variable).reads,
            writes: false,
            leaves: false,
        },
        Node::AtLeastOnce(inner) => {
            let once = exposure(unit, inner, variable);
            Exposure {
                reads: once.reads,
                writes: once.writes && !once.leaves,
                leaves: false,
            }
        }
        Node::Own(symbols, _) if symbols.contains(&variable) => Exposure::default(),
        Node::Own(_, inner) => exposure(unit, inner, variable),
        Node::Leave => Exposure {
            leaves: true,
            ..Exposure::default()
        },
        Node::Opaque => Exposure {
            reads: true,
            writes: false,
            leaves: true,
        },
    }
}

/// Walks an expression in order of evaluation.
struct State<'u> {
    unit: &'u Unit,
    variable: SymbolId,
    exposure: Exposure,
}

impl State<'_> {
    fn read(&mut self) {
        self.exposure.reads |= !self.exposure.writes;
    }

    fn is_variable(&self, e: &Expression) -> bool {
        e.as_symbol() == Some(self.variable)
    }

    /// What happens only on some paths.
    fn maybe(&mut self, e: &Expression) {
        let written = self.exposure.writes;
        self.value(e);
        self.exposure.writes = written;
    }

    fn value(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) if *symbol == self.variable => self.read(),
            ExpressionKind::Assign(target, value) => {
                self.value(value);
                self.assign(target);
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand)
            | ExpressionKind::Convert(Conversion::ArrayToPointer, operand) => self.value(operand),
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                right,
            ) => {
                self.value(left);
                self.maybe(right);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.value(condition);
                let before = self.exposure.writes;
                if let Some(then) = then {
                    self.value(then);
                }
                let after_then = self.exposure.writes;
                self.exposure.writes = before;
                self.value(otherwise);
                self.exposure.writes &= after_then;
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            ExpressionKind::Statement(statement) => {
                let node = host(statement);
                let inner = exposure(self.unit, &node, self.variable);
                self.exposure.reads |= inner.reads && !self.exposure.writes;
                self.exposure.writes |= inner.writes && !inner.leaves;
            }
            _ => visit::operands(e, &mut |operand| self.value(operand)),
        }
    }

    fn assign(&mut self, target: &Expression) {
        if self.is_variable(target) {
            self.exposure.writes = true;
            return;
        }
        self.place(target);
    }

    /// An assigned lvalue: what finds it is read; a member of the variable
    /// itself is neither a read nor a write of the whole.
    fn place(&mut self, target: &Expression) {
        match &target.kind {
            ExpressionKind::Parenthesized(inner) => self.place(inner),
            ExpressionKind::Member {
                base, arrow: false, ..
            } => self.place(base),
            ExpressionKind::Symbol(_) => {}
            _ => self.value(target),
        }
    }

    /// Results that library functions store through `&v` are writes.
    fn call(&mut self, function: &Expression, arguments: &[Expression]) {
        self.value(function);
        let stores = function
            .as_symbol()
            .is_some_and(|f| library::stores_results(&self.unit.symbol(f).name));
        let mut stored = false;
        for argument in arguments {
            if let ExpressionKind::Unary(UnaryOperator::AddressOf, operand) = &argument.inner().kind
                && stores
                && self.is_variable(operand)
            {
                stored = true;
            } else {
                self.value(argument);
            }
        }
        self.exposure.writes |= stored;
    }
}

/// The order of accesses of a kernel's statements.
pub fn device(list: &[ir::Statement]) -> Node<'_> {
    Node::Sequence(list.iter().map(device_statement).collect())
}

fn device_statement(statement: &ir::Statement) -> Node<'_> {
    use ir::StatementKind as S;
    match &statement.kind {
        S::Expression(e) => evaluate(e.as_ref()),
        S::Atomic(atomic) => Node::Sequence(atomic.steps.iter().map(Node::Evaluate).collect()),
        S::Declaration(list) => declarations(list),
        S::Block(list) => device(list),
        S::If(condition, then, otherwise) => Node::Sequence(vec![
            Node::Evaluate(condition),
            Node::Choice(vec![
                device(then),
                otherwise.as_deref().map_or(Node::Sequence(vec![]), device),
            ]),
        ]),
        S::Loop(inner) => counted(inner),
        S::For(parts) => Node::Sequence(vec![
            parts
                .initializer
                .as_ref()
                .map_or(Node::Sequence(vec![]), device_statement),
            evaluate(parts.condition.as_ref()),
            Node::Repeat(Box::new(Node::Sequence(vec![
                no_leave(device(&parts.body)),
                evaluate(parts.step.as_ref()),
                evaluate(parts.condition.as_ref()),
            ]))),
        ]),
        S::While(condition, body) => repeated(condition, device(body)),
        S::DoWhile(body, condition) => Node::AtLeastOnce(Box::new(Node::Sequence(vec![
            device(body),
            Node::Evaluate(condition),
        ]))),
        S::Switch(value, body) => switched(value, body.iter().map(device_statement).collect()),
        S::Return(e) => Node::Sequence(vec![evaluate(e.as_ref()), Node::Leave]),
        S::Break | S::Continue => Node::Leave,
        S::Label(_) | S::Goto(_) => Node::Opaque,
        S::Single { body, .. } => device(body),
        S::CollectiveCall(call) => Node::Evaluate(&call.call),
        S::WhileAny(live, body) => Node::Sequence(vec![
            Node::Read(*live),
            Node::Repeat(Box::new(device(body))),
        ]),
        S::Windows(region) => {
            let dimensions = region.windows.iter().flat_map(|w| &w.dimensions);
            let mut list: Vec<Node> = dimensions
                .flat_map(|d| [&d.pivot, &d.before, &d.after])
                .map(Node::Evaluate)
                .collect();
            list.push(device(&region.body));
            Node::Sequence(list)
        }
        S::Case(..)
        | S::Default
        | S::Barrier(_)
        | S::OpenWindows(_)
        | S::WriteBack { .. }
        | S::WorkerBarrier(_)
        | S::ReductionBegin(..)
        | S::ReductionEnd(..) => Node::Sequence(vec![]),
    }
}

/// A loop reads its reduction variables; it writes its own variable, which is
/// another one where it is declared inside.
fn counted(inner: &ir::Loop) -> Node<'_> {
    let mut list: Vec<Node> = [&inner.lower, &inner.bound, &inner.step]
        .into_iter()
        .map(Node::Evaluate)
        .collect();
    list.extend(inner.reductions.iter().map(|r| Node::Read(r.symbol)));
    let body = Node::Repeat(Box::new(device(&inner.body)));
    let mut own = inner.privates.clone();
    if inner.declared_inside {
        own.push(inner.induction);
    } else {
        list.push(Node::Write(inner.induction));
    }
    list.push(Node::Own(own, Box::new(body)));
    Node::Sequence(list)
}

/// The order of accesses of a host statement. Variables that a directive
/// names count as read.
pub fn host(statement: &Statement) -> Node<'_> {
    use StatementKind as S;
    match &statement.kind {
        S::Expression(e) => evaluate(e.as_ref()),
        S::Declaration(list) => declarations(list),
        S::Compound(list) => Node::Sequence(list.iter().map(host).collect()),
        S::If(condition, then, otherwise) => Node::Sequence(vec![
            Node::Evaluate(condition),
            Node::Choice(vec![
                host(then),
                otherwise.as_deref().map_or(Node::Sequence(vec![]), host),
            ]),
        ]),
        S::Switch(value, body) => switched(value, vec![host(body)]),
        S::While(condition, body) => repeated(condition, host(body)),
        S::DoWhile(body, condition) => Node::AtLeastOnce(Box::new(Node::Sequence(vec![
            host(body),
            Node::Evaluate(condition),
        ]))),
        S::For(parts) => Node::Sequence(vec![
            parts
                .initializer
                .as_ref()
                .map_or(Node::Sequence(vec![]), host),
            evaluate(parts.condition.as_ref()),
            Node::Repeat(Box::new(Node::Sequence(vec![
                no_leave(host(&parts.body)),
                evaluate(parts.step.as_ref()),
                evaluate(parts.condition.as_ref()),
            ]))),
        ]),
        S::Case(_, _, body) | S::Default(body) => host(body),
        S::Return(e) => Node::Sequence(vec![evaluate(e.as_ref()), Node::Leave]),
        S::Break | S::Continue => Node::Leave,
        S::Labeled(..) | S::Goto(_) | S::ComputedGoto(_) | S::Assembly => Node::Opaque,
        S::Directive(directive, body) => {
            let mut list = evaluated(directive)
                .into_iter()
                .map(Node::Evaluate)
                .collect::<Vec<_>>();
            let own = private_names(directive);
            let body = body.as_deref().map(host);
            list.extend(body.map(|body| Node::Own(own, Box::new(body))));
            Node::Sequence(list)
        }
    }
}

fn evaluate(e: Option<&Expression>) -> Node<'_> {
    e.map_or(Node::Sequence(vec![]), Node::Evaluate)
}

fn declarations(list: &[crate::typed::LocalDeclaration]) -> Node<'_> {
    let mut nodes = Vec::new();
    for declaration in list {
        if let Some(initializer) = &declaration.initializer {
            values(initializer, &mut nodes);
            nodes.push(Node::Write(declaration.symbol));
        }
    }
    Node::Sequence(nodes)
}

fn values<'a>(initializer: &'a Initializer, nodes: &mut Vec<Node<'a>>) {
    visit::initializer_values(initializer, &mut |e| nodes.push(Node::Evaluate(e)));
}

fn repeated<'a>(condition: &'a Expression, body: Node<'a>) -> Node<'a> {
    Node::Sequence(vec![
        Node::Evaluate(condition),
        Node::Repeat(Box::new(Node::Sequence(vec![
            no_leave(body),
            Node::Evaluate(condition),
        ]))),
    ])
}

/// A body of a loop, whose `continue` may skip the rest of it: what comes
/// after it runs in any case.
fn no_leave(body: Node<'_>) -> Node<'_> {
    Node::AtLeastOnce(Box::new(body))
}

/// The parts of a `switch` may run or not, and fall through.
fn switched<'a>(value: &'a Expression, parts: Vec<Node<'a>>) -> Node<'a> {
    let parts = parts
        .into_iter()
        .map(|part| Node::Choice(vec![part, Node::Sequence(vec![])]))
        .collect();
    Node::Sequence(vec![
        Node::Evaluate(value),
        Node::Choice(vec![
            Node::AtLeastOnce(Box::new(Node::Sequence(parts))),
            Node::Sequence(vec![]),
        ]),
    ])
}

/// Whether a variable's value may be read after a statement of a function.
pub fn live_after(
    unit: &Unit,
    function: &Statement,
    statement: &Statement,
    variable: SymbolId,
) -> bool {
    match search(unit, function, statement, variable) {
        Found::Live => true,
        Found::Dead | Found::Through | Found::Not => false,
    }
}

/// What is known after a statement was found inside another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// It is not there.
    Not,
    /// There, and the variable may be read afterwards.
    Live,
    /// There, and the variable is written before any read.
    Dead,
    /// There, and nothing is known up to here.
    Through,
}

fn search(unit: &Unit, inside: &Statement, target: &Statement, variable: SymbolId) -> Found {
    if std::ptr::eq(inside, target) {
        return Found::Through;
    }
    if inside.span.end < target.span.start || inside.span.start > target.span.end {
        return Found::Not;
    }
    let mut found = Found::Not;
    if let StatementKind::Compound(list) = &inside.kind {
        let mut leaves = false;
        for item in list {
            match found {
                Found::Not => found = search(unit, item, target, variable),
                Found::Through => {
                    let next = exposure(unit, &host(item), variable);
                    if next.reads {
                        found = Found::Live;
                    } else if next.writes && !next.leaves && !leaves {
                        found = Found::Dead;
                    }
                    leaves |= next.leaves;
                }
                Found::Live | Found::Dead => break,
            }
        }
        return found;
    }
    visit::in_expressions(inside, &mut |expression| {
        if found == Found::Not {
            found = search(unit, expression, target, variable);
        }
    });
    if found == Found::Through {
        // What comes next is the rest of the expression, and what it decides.
        return Found::Live;
    }
    visit::children(inside, &mut |child| {
        if found == Found::Not {
            found = search(unit, child, target, variable);
        }
    });
    let is_loop = matches!(
        inside.kind,
        StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
    );
    if found == Found::Through && is_loop && again(unit, inside, variable) {
        return Found::Live;
    }
    if found == Found::Dead && is_loop {
        // The loop may end before the write that follows.
        return Found::Dead;
    }
    found
}

/// Whether the next round of a loop reads the variable before writing it.
fn again(unit: &Unit, statement: &Statement, variable: SymbolId) -> bool {
    let round = match &statement.kind {
        StatementKind::For(parts) => Node::Sequence(vec![
            evaluate(parts.step.as_ref()),
            evaluate(parts.condition.as_ref()),
            host(&parts.body),
        ]),
        StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
            Node::Sequence(vec![Node::Evaluate(condition), host(body)])
        }
        _ => return false,
    };
    exposure(unit, &round, variable).reads
}

/// Whether a function has labels that jumps may reach: then "after" is not
/// what follows in the text.
pub fn has_jumps(statement: &Statement) -> bool {
    let mut found = matches!(
        statement.kind,
        StatementKind::Goto(_) | StatementKind::ComputedGoto(_)
    );
    visit::children(statement, &mut |inner| found = found || has_jumps(inner));
    found
}
