//! A kernel from IR built by hand, so that the printer is tested without the
//! stages before it.

use super::*;
use crate::ir::{
    BlockExtent, Capture, Distribution, Execution, Kernel, Loop, Passing, Region, Relation,
    Schedule, Scheme, Statement, StatementKind, TripCount,
};
use crate::source::{SourceFile, Span};
use crate::typed::{
    BinaryOperator, Conversion, Expression, FloatingKind, IntegerKind, QualType, Storage, Symbol,
    Type,
};

struct Builder {
    unit: Unit,
}

impl Builder {
    fn symbol(&mut self, name: &str, ty: Type) -> SymbolId {
        let ty = QualType::plain(self.unit.types.intern(ty));
        let kind = SymbolKind::Variable(Storage::Automatic);
        self.unit.add_symbol(Symbol {
            name: name.into(),
            kind,
            ty,
            span: Span::default(),
        })
    }

    fn name(&self, id: SymbolId) -> Expression {
        let ty = self.unit.symbol(id).ty;
        Expression {
            kind: ExpressionKind::Symbol(id),
            ty,
            span: Span::default(),
        }
    }

    fn integer(&mut self, value: i128) -> Expression {
        let ty = QualType::plain(self.unit.types.intern(Type::Integer(IntegerKind::Int)));
        let kind = ExpressionKind::Integer {
            value,
            spelling: Some(value.to_string()),
        };
        Expression {
            kind,
            ty,
            span: Span::default(),
        }
    }

    fn element(&self, array: SymbolId, index: SymbolId) -> Expression {
        let ty = self
            .unit
            .types
            .pointee(self.unit.symbol(array).ty.ty)
            .expect("a pointer");
        let kind = ExpressionKind::Index(Box::new(self.name(array)), Box::new(self.name(index)));
        Expression {
            kind,
            ty,
            span: Span::default(),
        }
    }
}

/// `for (int i = 0; i < n; i++) y[i] = a * x[i] + y[i];`
fn saxpy() -> (Module, Unit) {
    let mut b = Builder {
        unit: Unit::default(),
    };
    let int = Type::Integer(IntegerKind::Int);
    let float = b.unit.types.intern(Type::Floating(FloatingKind::Float));
    let pointer = Type::Pointer(QualType::plain(float));
    let (n, i) = (b.symbol("n", int.clone()), b.symbol("i", int));
    let a = b.symbol("new", Type::Floating(FloatingKind::Float));
    let (x, y) = (b.symbol("x", pointer.clone()), b.symbol("y", pointer));
    let function = b.symbol("saxpy", Type::Void);
    b.unit.symbol_mut(function).kind = SymbolKind::Function {
        is_static: false,
        is_inline: false,
        is_builtin: false,
    };
    let binary = |op, l: Expression, r: Expression| Expression {
        ty: l.ty,
        kind: ExpressionKind::Binary(op, Box::new(l), Box::new(r)),
        span: Span::default(),
    };
    let product = binary(BinaryOperator::Multiply, b.name(a), b.element(x, i));
    let sum = binary(BinaryOperator::Add, product, b.element(y, i));
    let target = b.element(y, i);
    let assign = Expression {
        ty: target.ty,
        kind: ExpressionKind::Assign(Box::new(target), Box::new(sum)),
        span: Span::default(),
    };
    let statement = |kind| Statement {
        kind,
        span: Span::default(),
    };
    let (zero, one) = (b.integer(0), b.integer(1));
    let trip = TripCount {
        lower: zero.clone(),
        relation: Relation::Less,
        bound: b.name(n),
        step: one.clone(),
        downward: false,
    };
    let body = Loop {
        induction: i,
        declared_inside: true,
        lower: zero,
        relation: Relation::Less,
        bound: b.name(n),
        step: one,
        downward: false,
        schedule: Schedule::default(),
        privates: Vec::new(),
        reductions: Vec::new(),
        body: vec![statement(StatementKind::Expression(Some(assign)))],
        collapsed: 0,
        distribution: Some(Distribution::grid(crate::ir::Axis::X)),
        tile: None,
        has_slack: false,
        unrolled: false,
        parallelism: None,
        directive: None,
        header: Span::default(),
    };
    let capture = |symbol, passing, written| Capture {
        symbol,
        passing,
        written,
        known: true,
    };
    let kernel = Kernel {
        title: "parallel loop".into(),
        captures: vec![
            capture(n, Passing::Value, false),
            capture(a, Passing::Value, false),
            capture(x, Passing::Pointer, false),
            capture(y, Passing::Pointer, true),
        ],
        body: vec![statement(StatementKind::Loop(Box::new(body)))],
        scheme: Some(Scheme::Flat),
        block: Some([
            BlockExtent::Constant(256),
            BlockExtent::Constant(1),
            BlockExtent::Constant(1),
        ]),
        grid: [vec![trip], Vec::new(), Vec::new()],
        read_only: vec![x],
        ..Kernel::empty(Execution::Redundant, function)
    };
    let region = Region {
        kind: RegionKind::Compute {
            steps: crate::ir::in_order(1),
            launches: vec![Launch {
                kernel: KernelId(0),
                disjoint: Vec::new(),
                alternative: None,
            }],
        },
        title: "parallel loop".into(),
        function,
        directive: Span::default(),
        body: None,
        parent: None,
        condition: None,
        queue: None,
        waits: Vec::new(),
        host_copies: Vec::new(),
        data: Vec::new(),
        locals: Vec::new(),
    };
    let module = Module {
        regions: vec![region],
        kernels: vec![kernel],
        ..Module::default()
    };
    (module, b.unit)
}

fn source() -> TranslationUnit {
    let file = SourceFile::new(std::path::Path::new("saxpy.c"), b"int x;\n".to_vec());
    let preprocessor = crate::source::Preprocessor {
        compiler: "cc".into(),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics)
}

#[test]
fn saxpy_reads_as_if_written_by_hand() {
    let (module, unit) = saxpy();
    let templates = Templates::default();
    let mut diagnostics = Diagnostics::new();
    let source = source();
    let input = Input {
        module: &module,
        unit: &unit,
        source: &source,
        linkage: &Linkage::new(&unit, &source),
        templates: &templates,
        line_marks: false,
    };
    let file = emit(input, "// header", &mut diagnostics).expect("saxpy can be printed");
    assert!(diagnostics.is_empty());
    let expected = include_str!("tests/saxpy.cu");
    assert_eq!(file.text, expected);
}

#[test]
fn conversions_that_cxx_does_not_make_are_written_out() {
    let mut b = Builder {
        unit: Unit::default(),
    };
    let void = b.unit.types.intern(Type::Void);
    let float = b.unit.types.intern(Type::Floating(FloatingKind::Float));
    let p = b.symbol("p", Type::Pointer(QualType::plain(void)));
    let target = b.unit.types.intern(Type::Pointer(QualType::plain(float)));
    let converted = Expression {
        kind: ExpressionKind::Convert(Conversion::Pointer, Box::new(b.name(p))),
        ty: QualType::plain(target),
        span: Span::default(),
    };
    let cuda = Cuda::new(Namer::new(&b.unit));
    assert_eq!(cuda.text(&b.unit, &converted), "(float *)p");
}
