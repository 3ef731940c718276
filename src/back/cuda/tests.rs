//! A decided kernel from the IR's builder, so that the printer is tested without
//! the stages before it.

use super::*;
use crate::ir::builder::{Sample, count, set};
use crate::ir::{Axis, BlockExtent, Distribution, Execution, Scheme, StatementKind, TripCount};
use crate::source::{SourceFile, Span};
use crate::typed::{
    Conversion, Expression, ExpressionKind, FloatingKind, QualType, Type, synthesis,
};

/// `for (int i = 0; i < n; i++) y[i] = new * x[i] + y[i];`
fn saxpy() -> (Module, Unit) {
    let mut s = Sample::new();
    s.function("saxpy");
    let (n, a, i) = (s.value("n"), s.value("new"), s.int("i"));
    let (x, y) = (s.pointer("x", false), s.pointer("y", false));
    let sum = a.e() * x.at([i.e()]) + y.at([i.e()]);
    let mut shared = count(&i, 0, n.e()).body(vec![set(y.at([i.e()]), sum)]);
    let mut grid = [const { Vec::new() }; 3];
    if let StatementKind::Loop(l) = &mut shared.kind {
        l.distribution = Some(Distribution::grid(Axis::X));
        grid[0] = vec![TripCount::of(l)];
    }
    let mut module = s.module(Execution::Redundant, vec![shared]);
    let kernel = &mut module.kernels[0];
    kernel.scheme = Some(Scheme::Flat);
    kernel.block = Some([256, 1, 1].map(BlockExtent::Constant));
    kernel.grid = grid;
    kernel.read_only = vec![x.symbol];
    (module, s.unit)
}

fn source() -> TranslationUnit {
    let file = SourceFile::new(std::path::Path::new("saxpy.c"), b"int x;\n".to_vec());
    let preprocessor = crate::source::Preprocessor {
        compiler: Some("cc".into()),
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
        line_marks: LineMarks::None,
    };
    let file = emit(input, "// header", &mut diagnostics).expect("saxpy can be printed");
    assert!(diagnostics.is_empty());
    let expected = include_str!("tests/saxpy.cu");
    assert_eq!(file.text, expected);
}

#[test]
fn conversions_that_cxx_does_not_make_are_written_out() {
    let unit = Unit::default();
    let void = unit.types.intern(Type::Void);
    let float = unit.types.intern(Type::Floating(FloatingKind::Float));
    let pointer = |to| unit.types.intern(Type::Pointer(QualType::plain(to)));
    let p = synthesis::variable(&unit, "p", pointer(void), Span::default());
    let p = synthesis::symbol(&unit, p, Span::default());
    let converted = Expression {
        kind: ExpressionKind::Convert(Conversion::Pointer, Box::new(p)),
        ty: QualType::plain(pointer(float)),
        span: Span::default(),
    };
    let cuda = Cuda::new(Namer::new(&unit, std::iter::empty(), |_| false));
    assert_eq!(cuda.text(&unit, &converted), "(float *)p");
}
