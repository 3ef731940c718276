//! Kernels written in Rust: what no C is parsed for, and tests of analyses, passes
//! and the printer.
//!
//! [`Sample`] owns a unit and makes variables; [`E`] is an expression with
//! Rust's operators; free functions make statements.
//!
//! ```
//! use accrs::ir::builder::{Sample, count, int, set};
//! use accrs::ir::{Execution, Level};
//!
//! let mut s = Sample::new();
//! s.function("scale");
//! let (n, i) = (s.value("n"), s.int("i"));
//! let a = s.array("a", &[64]);
//! let body = vec![set(a.at([i.e()]), a.at([i.e()]) * int(2))];
//! let shared = count(&i, 0, n.e()).independent(&[Level::Block, Level::Lane]);
//! let module = s.module(Execution::Redundant, vec![shared.body(body)]);
//! assert_eq!(module.kernels[0].captures.len(), 2);
//! ```

use std::ops::{Add, Mul, Neg, Sub};

use super::{
    Capture, Dimension, Execution, HostRole, Kernel, Launch, Level, Loop, Module, Order, Passing,
    Reduction, ReductionOperator, Region, RegionKind, Relation, Schedule, Share, Statement,
    StatementKind, Window, WindowDimension, WindowPolicy, WindowProof, WindowRegion, visit,
};
use crate::source::Span;
use crate::typed::{
    self, ArrayLength, Axis, BinaryOperator, Builtin, Conversion, Expression, ExpressionKind,
    FloatingKind, Initializer, IntegerKind, LocalDeclaration, QualType, Storage, Symbol, SymbolId,
    SymbolKind, Type, TypeId, UnaryOperator, Unit,
};

const INT: TypeId = TypeId(0);
const DOUBLE: TypeId = TypeId(1);
const POINTER: TypeId = TypeId(2);

/// The variable at the root of subscripts.
fn base(target: &Expression) -> Option<SymbolId> {
    match &target.kind {
        ExpressionKind::Index(array, _)
        | ExpressionKind::Convert(_, array)
        | ExpressionKind::Parenthesized(array) => base(array),
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        _ => None,
    }
}

/// A unit in the making.
pub struct Sample {
    /// Types and symbols so far.
    pub unit: Unit,
    /// What the kernel will capture.
    pub captures: Vec<Capture>,
    next_span: u32,
}

/// A variable and the types behind its dimensions.
#[derive(Clone, Debug)]
pub struct V {
    /// Its symbol.
    pub symbol: SymbolId,
    ty: TypeId,
    /// Types of `v`, `v[_]`, `v[_][_]`, ….
    elements: Vec<TypeId>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct E(pub Expression);

impl Default for Sample {
    fn default() -> Self {
        Self::new()
    }
}

impl Sample {
    /// With `int`, `double` and `double *`.
    pub fn new() -> Self {
        let unit = Unit::default();
        let pointer = Type::Pointer(QualType::plain(DOUBLE));
        let first = [
            (Type::Integer(IntegerKind::Int), INT),
            (Type::Floating(FloatingKind::Double), DOUBLE),
            (pointer, POINTER),
        ];
        for (ty, id) in first {
            let interned = unit.types.intern(ty);
            debug_assert_eq!(interned, id);
        }
        Self {
            unit,
            captures: Vec::new(),
            next_span: 1000,
        }
    }

    fn symbol(&mut self, name: &str, ty: TypeId) -> SymbolId {
        self.next_span += 10;
        self.unit.add_symbol(Symbol {
            name: name.into(),
            kind: SymbolKind::Variable(Storage::Automatic),
            ty: QualType::plain(ty),
            span: Span::new(self.next_span, self.next_span + 1),
        })
    }

    /// A local `int`.
    pub fn int(&mut self, name: &str) -> V {
        let symbol = self.symbol(name, INT);
        V {
            symbol,
            ty: INT,
            elements: vec![INT],
        }
    }

    /// A local `double`.
    pub fn double(&mut self, name: &str) -> V {
        let symbol = self.symbol(name, DOUBLE);
        V {
            symbol,
            ty: DOUBLE,
            elements: vec![DOUBLE],
        }
    }

    /// A local array of `double`.
    pub fn local_array(&mut self, name: &str, lengths: &[u64]) -> V {
        let mut elements = vec![DOUBLE];
        for &length in lengths.iter().rev() {
            let element = QualType::plain(elements[0]);
            let ty = self.unit.types.intern(Type::Array {
                element,
                length: ArrayLength::Constant(length),
            });
            elements.insert(0, ty);
        }
        let symbol = self.symbol(name, elements[0]);
        V {
            symbol,
            ty: elements[0],
            elements,
        }
    }

    fn capture(&mut self, v: V, passing: Passing) -> V {
        self.captures.push(Capture {
            symbol: v.symbol,
            passing,
            written: false,
            known: true,
            section_of: None,
        });
        v
    }

    /// An `int` passed by value.
    pub fn value(&mut self, name: &str) -> V {
        let v = self.int(name);
        self.capture(v, Passing::Value)
    }

    /// A `double` in device memory.
    pub fn reference(&mut self, name: &str) -> V {
        let v = self.double(name);
        self.capture(v, Passing::Reference)
    }

    /// An array in device memory.
    pub fn array(&mut self, name: &str, lengths: &[u64]) -> V {
        let v = self.local_array(name, lengths);
        self.capture(v, Passing::Array)
    }

    /// A `double *` whose target is in device memory.
    pub fn pointer(&mut self, name: &str, restrict: bool) -> V {
        let symbol = self.symbol(name, POINTER);
        self.unit.symbol_mut(symbol).ty.qualifiers.is_restrict = restrict;
        let v = V {
            symbol,
            ty: POINTER,
            elements: vec![POINTER, DOUBLE],
        };
        self.capture(v, Passing::Pointer)
    }

    /// A built-in variable of threads, as an `int`.
    pub fn builtin(&self, builtin: Builtin, axis: Axis) -> E {
        let symbol = self.unit.builtin(builtin, axis);
        plain(ExpressionKind::Symbol(symbol), INT)
    }

    /// A function of the C library that takes and returns `double`.
    pub fn function(&mut self, name: &str) -> V {
        let ty = self.unit.types.intern(Type::Function(typed::FunctionType {
            result: QualType::plain(DOUBLE),
            parameters: vec![QualType::plain(DOUBLE)],
            is_variadic: false,
            is_prototype: true,
        }));
        let symbol = self.symbol(name, ty);
        self.unit.symbol_mut(symbol).kind = SymbolKind::Function {
            is_static: false,
            is_inline: false,
            is_builtin: false,
        };
        V {
            symbol,
            ty,
            elements: vec![ty],
        }
    }

    /// The captures so far, with what a body writes of them.
    fn captured(&self, body: &[Statement]) -> Vec<Capture> {
        let mut written = Vec::new();
        visit::expressions(body, &mut |e| match &e.kind {
            ExpressionKind::Assign(target, _) | ExpressionKind::CompoundAssign { target, .. } => {
                written.extend(base(target));
            }
            _ => {}
        });
        let mut captures = self.captures.clone();
        for capture in &mut captures {
            capture.written = written.contains(&capture.symbol);
        }
        captures
    }

    /// A module with one kernel of the captures so far.
    pub fn module(&self, construct: Execution, body: Vec<Statement>) -> Module {
        let kernel = Kernel {
            title: "test".into(),
            directive: Span::new(1, 2),
            span: Span::new(3, 900),
            captures: self.captured(&body),
            body,
            ..Kernel::empty(construct, SymbolId(0))
        };
        let region = Region {
            kind: RegionKind::Compute {
                launches: vec![Launch::of(super::KernelId(0))],
                steps: super::in_order(1),
                host: HostRole::MayRun,
            },
            title: "test".into(),
            function: SymbolId(0),
            directive: Span::new(1, 2),
            body: None,
            parent: None,
            condition: None,
            queue: None,
            waits: Vec::new(),
            host_copies: Vec::new(),
            data: Vec::new(),
            locals: Vec::new(),
        };
        Module {
            regions: vec![region],
            kernels: vec![kernel],
            ..Module::default()
        }
    }
}

fn plain(kind: ExpressionKind, ty: TypeId) -> E {
    E(Expression {
        kind,
        ty: QualType::plain(ty),
        span: Span::default(),
    })
}

/// A number.
pub fn int(value: i128) -> E {
    let spelling = None;
    plain(ExpressionKind::Integer { value, spelling }, INT)
}

impl V {
    /// Its name as an expression.
    pub fn e(&self) -> E {
        plain(ExpressionKind::Symbol(self.symbol), self.ty)
    }

    /// `v[i]`.
    pub fn at<const N: usize>(&self, indices: [E; N]) -> E {
        let mut e = self.e();
        for (depth, index) in indices.into_iter().enumerate() {
            if depth > 0 || self.ty != POINTER {
                let kind = ExpressionKind::Convert(Conversion::ArrayToPointer, Box::new(e.0));
                e = plain(kind, POINTER);
            }
            let kind = ExpressionKind::Index(Box::new(e.0), Box::new(index.0));
            e = plain(kind, self.elements[depth + 1]);
        }
        e
    }

    /// `f(argument)`.
    pub fn call(&self, argument: E) -> E {
        self.call_with(vec![argument.0])
    }

    /// `f(a, b)`.
    pub fn call2(&self, a: E, b: E) -> E {
        self.call_with(vec![a.0, b.0])
    }

    fn call_with(&self, arguments: Vec<Expression>) -> E {
        let function = Box::new(self.e().0);
        let kind = ExpressionKind::Call {
            function,
            arguments,
        };
        plain(kind, DOUBLE)
    }
}

impl From<i128> for E {
    fn from(value: i128) -> Self {
        int(value)
    }
}

impl From<&V> for E {
    fn from(v: &V) -> Self {
        v.e()
    }
}

/// `a op b`.
pub fn binary(operator: BinaryOperator, a: E, b: E) -> E {
    let ty = if operator.is_logical() {
        INT
    } else {
        a.0.ty.ty
    };
    let kind = ExpressionKind::Binary(operator, Box::new(a.0), Box::new(b.0));
    plain(kind, ty)
}

impl<T: Into<E>> Add<T> for E {
    type Output = E;
    fn add(self, other: T) -> E {
        binary(BinaryOperator::Add, self, other.into())
    }
}

impl<T: Into<E>> Sub<T> for E {
    type Output = E;
    fn sub(self, other: T) -> E {
        binary(BinaryOperator::Subtract, self, other.into())
    }
}

impl<T: Into<E>> Mul<T> for E {
    type Output = E;
    fn mul(self, other: T) -> E {
        binary(BinaryOperator::Multiply, self, other.into())
    }
}

impl Neg for E {
    type Output = E;
    fn neg(self) -> E {
        let ty = self.0.ty.ty;
        plain(
            ExpressionKind::Unary(UnaryOperator::Minus, Box::new(self.0)),
            ty,
        )
    }
}

fn statement(kind: StatementKind) -> Statement {
    Statement {
        kind,
        span: Span::default(),
    }
}

/// `e;`
pub fn evaluate(e: E) -> Statement {
    statement(StatementKind::Expression(Some(e.0)))
}

/// `a = b;`
pub fn set(a: E, b: impl Into<E>) -> Statement {
    let ty = a.0.ty.ty;
    let kind = ExpressionKind::Assign(Box::new(a.0), Box::new(b.into().0));
    evaluate(plain(kind, ty))
}

/// `a += b;`
pub fn add_to(a: E, b: impl Into<E>) -> Statement {
    let ty = a.0.ty.ty;
    let kind = ExpressionKind::CompoundAssign {
        operator: BinaryOperator::Add,
        target: Box::new(a.0),
        value: Box::new(b.into().0),
        computation: ty,
    };
    evaluate(plain(kind, ty))
}

/// `T v = value;`
pub fn declare(v: &V, value: Option<E>) -> Statement {
    statement(StatementKind::Declaration(vec![LocalDeclaration {
        symbol: v.symbol,
        initializer: value.map(|e| Initializer::Expression(e.0)),
        lengths: Vec::new(),
        span: Span::default(),
    }]))
}

/// `if (condition) { then }`
pub fn when(condition: E, then: Vec<Statement>) -> Statement {
    statement(StatementKind::If(condition.0, then, None))
}

/// `while (condition) { body }`
pub fn repeat(condition: E, body: Vec<Statement>) -> Statement {
    statement(StatementKind::While(condition.0, body))
}

/// A barrier that the user asks for.
pub fn written_barrier() -> Statement {
    statement(StatementKind::Barrier(super::Barrier {
        written: true,
        ..super::Barrier::new("of the program")
    }))
}

/// A window of an array: central index, how many before and after it, for each
/// dimension.
pub fn window(array: &V, triples: &[(E, i128, i128)], policy: WindowPolicy) -> Window {
    let dimension = |(pivot, before, after): &(E, i128, i128)| WindowDimension {
        pivot: pivot.0.clone(),
        before: int(*before).0,
        after: int(*after).0,
    };
    Window {
        array: array.symbol,
        dimensions: triples.iter().map(dimension).collect(),
        policy,
        proof: WindowProof::Trusted,
        bounds: None,
        has_sections: false,
        text: "w".into(),
        span: Span::default(),
    }
}

/// Statements over which the block holds windows.
pub fn region(windows: Vec<Window>, body: Vec<Statement>) -> Statement {
    statement(StatementKind::Windows(Box::new(WindowRegion {
        windows,
        body,
        explicit: false,
        is_scope: true,
        title: "with windows".into(),
        directive: Span::default(),
    })))
}

/// `break;`
pub fn leave() -> Statement {
    statement(StatementKind::Break)
}

/// `continue;`
pub fn skip() -> Statement {
    statement(StatementKind::Continue)
}

/// A loop in the making: `for (int i = lower; i < bound; i++)`.
pub struct L(Loop);

/// `for (int i = lower; i < bound; i++)` without a directive.
pub fn count(i: &V, lower: impl Into<E>, bound: impl Into<E>) -> L {
    L(Loop {
        induction: i.symbol,
        declared_inside: true,
        lower: lower.into().0,
        relation: Relation::Less,
        bound: bound.into().0,
        step: int(1).0,
        downward: false,
        schedule: Schedule::default(),
        privates: Vec::new(),
        reductions: Vec::new(),
        body: Vec::new(),
        collapsed: 0,
        distribution: None,
        tile: None,
        has_slack: false,
        strides_by_step: false,
        once: None,
        unrolled: false,
        parallelism: None,
        directive: None,
        header: Span::default(),
    })
}

impl L {
    fn directive(mut self) -> Self {
        self.0.schedule.directive = true;
        self.0.directive = Some(Span::new(1, 2));
        self
    }

    /// Adds a directive that calls its iterations independent, with levels.
    pub fn independent(mut self, levels: &[Level]) -> Self {
        self.0.schedule.independent = true;
        for &level in levels {
            self.0.schedule.levels[level] = true;
        }
        self.directive()
    }

    /// Adds a directive that leaves it to analysis, with levels.
    pub fn auto(mut self, levels: &[Level]) -> Self {
        self = self.independent(levels);
        self.0.schedule.auto = true;
        self.0.schedule.independent = false;
        self
    }

    /// Adds a directive that says that nothing shares it.
    pub fn sequential(mut self) -> Self {
        self.0.schedule.sequential = true;
        self.independent(&[])
    }

    /// A dimension of the kernel's [`Shape`](super::Shape) shares it.
    pub fn over(mut self, over: Dimension, order: Order) -> Self {
        self.0.schedule.shares.push(Share { over, order });
        self
    }

    /// `collapse(n)`.
    pub fn collapse(mut self, n: usize) -> Self {
        self.0.collapsed = n - 1;
        self
    }

    /// `vector(n)`.
    pub fn lanes(mut self, n: i128) -> Self {
        self.0.schedule.levels.lane = true;
        self.0.schedule.sizes.lane = Some(int(n).0);
        self
    }

    /// `private(v)`.
    pub fn private(mut self, v: &V) -> Self {
        self.0.privates.push(v.symbol);
        self
    }

    /// `reduction(+:v)`.
    pub fn reduction(mut self, v: &V) -> Self {
        self.0.reductions.push(Reduction {
            operator: ReductionOperator::Sum,
            symbol: v.symbol,
            ty: v.ty,
            part: None,
            keeps_value: false,
            span: Span::default(),
        });
        self
    }

    /// `i += step`, or `i -= step` against `i >= bound`.
    pub fn step(mut self, step: i128) -> Self {
        self.0.step = int(step.abs()).0;
        if step < 0 {
            self.0.downward = true;
            self.0.relation = Relation::GreaterEqual;
        }
        self
    }

    /// The variable is declared before the loop.
    pub fn outside(mut self) -> Self {
        self.0.declared_inside = false;
        self
    }

    /// The loop with its body.
    pub fn body(mut self, body: Vec<Statement>) -> Statement {
        self.0.body = body;
        statement(StatementKind::Loop(Box::new(self.0)))
    }
}

/// One line per statement that passes decide, indented by depth: loops with
/// their distributions, barriers, sections, reductions; other statements as `…`.
pub fn outline(unit: &Unit, list: &[Statement]) -> String {
    let mut out = String::new();
    add_outline(unit, list, 0, &mut out);
    out
}

fn add_outline(unit: &Unit, list: &[Statement], depth: usize, out: &mut String) {
    let name = |symbol: SymbolId| unit.symbol(symbol).name.clone();
    for statement in list {
        let text = match &statement.kind {
            StatementKind::Loop(l) => {
                let distribution = l.distribution.unwrap_or_default();
                let blocks = distribution.blocks.map(|axis| format!(" b{}", axis.name()));
                let blocks = blocks.unwrap_or_default();
                let threads = distribution.thread_axes();
                let threads: String = threads.map(|axis| format!(" t{}", axis.name())).collect();
                let tile = if l.tile.is_some() { " tile" } else { "" };
                format!("for {}{blocks}{threads}{tile}", name(l.induction))
            }
            StatementKind::Barrier(barrier) => format!("barrier: {}", barrier.reason),
            StatementKind::Windows(region) => region.title.clone(),
            StatementKind::OpenWindows(windows) => format!("open {windows:?}"),
            StatementKind::WriteBack { windows, .. } => format!("write back {windows:?}"),
            StatementKind::WhileAny(live, _) => format!("while any {}", name(*live)),
            StatementKind::RowBarrier(why) => format!("row barrier: {why}"),
            StatementKind::CollectiveCall(call) => format!("call by {:?}", call.collective),
            StatementKind::Single {
                level, broadcast, ..
            } => {
                let names: Vec<String> = broadcast.iter().map(|&s| name(s)).collect();
                format!("single {level:?} -> [{}]", names.join(", "))
            }
            StatementKind::ReductionBegin(r, _) => format!("begin {}", name(r.symbol)),
            StatementKind::ReductionEnd(r, distribution) => {
                format!("end {} {:?}", name(r.symbol), distribution.threads)
            }
            StatementKind::If(..) => "if".into(),
            StatementKind::While(..) => "while".into(),
            StatementKind::Atomic(atomic) => format!("atomic {}", atomic.form.name()),
            StatementKind::Break => "break".into(),
            StatementKind::Continue => "continue".into(),
            StatementKind::Declaration(d) => format!("declare {}", name(d[0].symbol)),
            _ => "…".into(),
        };
        out.push_str(&"  ".repeat(depth));
        out.push_str(&text);
        out.push('\n');
        super::visit::blocks(statement, &mut |inner| {
            add_outline(unit, inner, depth + 1, out);
        });
    }
}
