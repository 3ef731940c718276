//! Each rule, broken once.

use super::{Stage, violations};
use crate::ir::builder::*;
use crate::ir::{
    Axis, Distribution, Execution, Level, Module, Parallelism, Scheme, Statement, StatementKind,
    visit,
};
use crate::source::Span;

fn statement(kind: StatementKind) -> Statement {
    Statement {
        kind,
        span: Span::default(),
    }
}

/// A mapped kernel: a loop over blocks around a loop over lanes around `inside`.
fn module(s: &mut Sample, inside: Vec<Statement>) -> Module {
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let body = vec![count(&j, 0, &n).body(inside)];
    let body = vec![count(&i, 0, &n).body(body)];
    let mut module = s.module(Execution::Redundant, body);
    module.kernels[0].scheme = Some(Scheme::Hierarchical);
    let mut distributions = [(Some(Axis::X), false), (None, true)].into_iter();
    visit::loops_mut(&mut module.kernels[0].body, &mut |l| {
        let (blocks, lanes) = distributions.next().unwrap();
        l.distribution = Some(Distribution {
            blocks,
            threads: [lanes, false, false],
        });
        l.parallelism = Some(Parallelism {
            parallel: true,
            reason: String::new(),
            span: None,
            remedy: None,
        });
    });
    module
}

fn messages(s: &Sample, module: &Module) -> Vec<String> {
    let found = violations(module, &s.unit, Stage::Mapped);
    found.into_iter().map(|v| v.message).collect()
}

#[test]
fn a_good_kernel_breaks_nothing() {
    let mut s = Sample::new();
    let a = s.array("a", &[100]);
    let module = module(&mut s, vec![set(a.at([int(0)]), 1)]);
    assert_eq!(messages(&s, &module), Vec::<String>::new());
}

#[test]
fn variables_come_from_somewhere() {
    let mut s = Sample::new();
    let stray = s.double("stray");
    let module = module(&mut s, vec![set(stray.e(), 1)]);
    assert_eq!(
        messages(&s, &module),
        ["`stray` is neither captured nor declared in its kernel"]
    );
}

#[test]
fn barriers_are_not_inside_vector_loops() {
    let mut s = Sample::new();
    let barrier = statement(StatementKind::Barrier(crate::ir::Barrier::default()));
    let single = statement(StatementKind::Single {
        level: Level::Row,
        body: Vec::new(),
        broadcast: Vec::new(),
    });
    let module = module(&mut s, vec![barrier, single]);
    assert_eq!(
        messages(&s, &module),
        [
            "not all threads of a block reach a barrier",
            "a section of one thread inside a loop that threads share"
        ]
    );
}

#[test]
fn reductions_are_paired() {
    let mut s = Sample::new();
    let sum = s.reference("sum");
    let reduction = crate::ir::Reduction {
        operator: crate::ir::ReductionOperator::Sum,
        symbol: sum.symbol,
        ty: s.unit.symbol(sum.symbol).ty.ty,
        part: None,
        keeps_value: false,
        span: Span::default(),
    };
    let begin = statement(StatementKind::ReductionBegin(
        reduction.clone(),
        Distribution::default(),
    ));
    let mut module = module(&mut s, Vec::new());
    module.kernels[0].body.push(begin);
    assert_eq!(
        messages(&s, &module),
        ["a reduction begins and does not end"]
    );
}

#[test]
fn nested_loops_use_different_axes_and_only_parallel_ones_are_shared() {
    let mut s = Sample::new();
    let mut module = module(&mut s, Vec::new());
    visit::loops_mut(&mut module.kernels[0].body, &mut |l| {
        l.distribution = Some(Distribution::grid(Axis::X));
        l.parallelism.as_mut().unwrap().parallel = false;
    });
    assert_eq!(
        messages(&s, &module),
        [
            "a sequential loop is shared between threads",
            "a sequential loop is shared between threads",
            "two nested loops share one axis of the grid",
            "two nested loops share one axis of the block"
        ]
    );
}
