//! One kernel of each dialect, that of its paper's first figure, built in the IR by hand: what a
//! front end for the dialect will hand over.
//!
//! Each is validated, printed in the IR's text form into `docs/architecture.md`, decided by the
//! passes, printed as CUDA (`tests/figures/NAME.cu`), compiled by nvcc, and run on the emulation
//! against serial C (`tests/figures/NAME.c`) in three orders. Matrices are
//! smaller than in the papers.
//!
//! `ACCRS_BLESS=1 cargo test --test figures` rewrites the kernels and the page.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::path::{Path, PathBuf};

use accrs::back;
use accrs::diagnostic::Diagnostics;
use accrs::ir::builder::{
    E, Sample, V, add_to, binary, count, declare, int, region, set, when, window, written_barrier,
};
use accrs::ir::validate::{Stage, violations};
use accrs::ir::{
    Dimension, Execution, Module, Order, Shape, Statement, StatementKind, WindowPolicy, print,
};
use accrs::passes;
use accrs::source::{Preprocessor, SourceFile, Span, TranslationUnit};
use accrs::typed::{Axis, BinaryOperator, Builtin, Unit};
use support::process::{build, command};
use support::{accrs, nvcc, read, root, snapshot};

/// A figure's kernel as its front end would make it.
struct Figure {
    name: &'static str,
    unit: Unit,
    module: Module,
}

/// `c[i][j] += a[i][k] * b[k][j]` with the matrices of hiCUDA's figure 4: 64 x 128, 128 x 32.
struct Matrices {
    a: V,
    b: V,
    c: V,
}

impl Matrices {
    fn new(s: &mut Sample) -> Self {
        Self {
            a: s.array("a", &[64, 128]),
            b: s.array("b", &[128, 32]),
            c: s.array("c", &[64, 32]),
        }
    }

    fn product(&self, i: &V, j: &V, k: &V) -> E {
        self.a.at([i.e(), k.e()]) * self.b.at([k.e(), j.e()])
    }
}

/// fcw, listing 1: independent loops over rows and columns of a matrix product, mapped by the
/// translator.
fn openacc() -> Figure {
    let mut s = Sample::new();
    s.function("openacc");
    let m = Matrices::new(&mut s);
    let (i, j, k, sum) = (s.int("i"), s.int("j"), s.int("k"), s.double("sum"));
    let inner = vec![
        declare(&sum, Some(E::from(0))),
        count(&k, 0, 128).body(vec![add_to(sum.e(), m.product(&i, &j, &k))]),
        set(m.c.at([i.e(), j.e()]), sum.e()),
    ];
    let columns = count(&j, 0, 32).independent(&[]).body(inner);
    let rows = count(&i, 0, 64).independent(&[]).body(vec![columns]);
    let module = s.module(Execution::Automatic, vec![rows]);
    figure("openacc", s, module)
}

/// hiCUDA, figure 4: a grid of 4 x 2 blocks of 16 x 16 threads, rows and columns in runs over the
/// blocks and in turn over the threads, tiles of both factors in shared memory, and the two barriers
/// that the program writes.
fn hicuda() -> Figure {
    let mut s = Sample::new();
    s.function("hicuda");
    let m = Matrices::new(&mut s);
    let (i, j, k, sum) = (s.int("i"), s.int("j"), s.int("k"), s.double("sum"));
    let batch = s.int("kk");
    let preload = WindowPolicy {
        fetch: true,
        ..WindowPolicy::default()
    };
    let windows = vec![
        window(&m.a, &[(i.e(), 0, 0), (batch.e(), 0, 31)], preload),
        window(&m.b, &[(batch.e(), 0, 31), (j.e(), 0, 0)], preload),
    ];
    let of_batch = vec![
        written_barrier(),
        count(&k, batch.e(), batch.e() + 32).body(vec![add_to(sum.e(), m.product(&i, &j, &k))]),
        written_barrier(),
    ];
    let mut batches = region(windows, of_batch);
    if let StatementKind::Windows(region) = &mut batches.kind {
        region.explicit = true;
    }
    let inner = vec![
        declare(&sum, Some(E::from(0))),
        count(&batch, 0, 128).step(32).body(vec![batches]),
        set(m.c.at([i.e(), j.e()]), sum.e()),
    ];
    let partition = |v: &V, n: i128, dimension: usize| {
        let over_blocks = count(v, 0, n).over(Dimension::Grid(dimension), Order::Blocked);
        over_blocks.over(Dimension::Block(dimension), Order::Cyclic)
    };
    let columns = partition(&j, 32, 1).body(inner);
    let rows = partition(&i, 64, 0).body(vec![columns]);
    let mut module = s.module(Execution::Redundant, vec![rows]);
    let sizes = |sizes: [i128; 2]| sizes.map(|n| int(n).0).to_vec();
    module.kernels[0].shape = Some(Shape::Grid {
        grid: sizes([4, 2]),
        block: sizes([16, 16]),
    });
    figure("hicuda", s, module)
}

/// MESI-CUDA, figure 8: a logical grid of 32 x 64 threads, `lThreadIdx.x` being the column. Its
/// threads are iterations of independent loops, so that the translator maps them as any others, x
/// being what makes for the fewest transactions.
fn mesi_cuda() -> Figure {
    let mut s = Sample::new();
    s.function("mesi_cuda");
    let m = Matrices::new(&mut s);
    let (x, y, k) = (s.int("lThreadIdx_x"), s.int("lThreadIdx_y"), s.int("k"));
    let (row, column) = (s.int("row"), s.int("col"));
    let code = vec![
        declare(&row, Some(y.e())),
        declare(&column, Some(x.e())),
        set(m.c.at([row.e(), column.e()]), 0),
        count(&k, 0, 128).body(vec![add_to(
            m.c.at([row.e(), column.e()]),
            m.product(&row, &column, &k),
        )]),
    ];
    let along_y = count(&y, 0, 64).independent(&[]).body(code);
    let along_x = count(&x, 0, 32).independent(&[]).body(vec![along_y]);
    let module = s.module(Execution::Automatic, vec![along_x]);
    figure("mesi_cuda", s, module)
}

/// AUTO-CTA, figure 4: a launch of so many threads, of which the size of the blocks is left open,
/// and thread code with a guard.
fn auto_cta() -> Figure {
    let mut s = Sample::new();
    s.function("auto_cta");
    let (n, a, b) = (s.value("n"), s.array("a", &[1000]), s.array("b", &[1000]));
    let thread = s.int("i");
    let of = |s: &Sample, builtin| s.builtin(builtin, Axis::X);
    let index =
        of(&s, Builtin::BlockIndex) * of(&s, Builtin::BlockExtent) + of(&s, Builtin::ThreadIndex);
    let code: Vec<Statement> = vec![
        declare(&thread, Some(index)),
        when(
            binary(BinaryOperator::Less, thread.e(), n.e()),
            vec![set(b.at([thread.e()]), a.at([thread.e()]) * int(2))],
        ),
    ];
    let mut module = s.module(Execution::Redundant, code);
    module.kernels[0].shape = Some(Shape::Threads(n.e().0));
    figure("auto_cta", s, module)
}

fn figure(name: &'static str, s: Sample, module: Module) -> Figure {
    Figure {
        name,
        unit: s.unit,
        module,
    }
}

fn figures() -> [Figure; 4] {
    [openacc(), hicuda(), mesi_cuda(), auto_cta()]
}

/// The IR that a front end hands over, in its text form.
fn as_built(figure: &Figure) -> String {
    let broken = violations(&figure.module, &figure.unit, Stage::Lowered);
    assert!(broken.is_empty(), "{}: {broken:?}", figure.name);
    print::print(&figure.unit, &figure.module)
}

/// A construct of which only the place is of use: what launches the kernels is in `NAME.c`.
const CONSTRUCT: &[u8] = b"void host(void)\n{\n#pragma acc parallel\n    ;\n}\n";

/// The kernel file.
fn as_cuda(mut figure: Figure) -> String {
    let mut diagnostics = Diagnostics::new();
    let options = passes::Options::default();
    passes::run(
        &mut figure.module,
        &mut figure.unit,
        &options,
        &mut diagnostics,
    );
    assert!(
        !diagnostics.has_errors(),
        "{}: {diagnostics:?}",
        figure.name
    );
    let path = format!("{}.c", figure.name);
    let file = SourceFile::new(path.as_ref(), CONSTRUCT.to_vec());
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let source = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let begin = source.text.find("__accrs_pragma_acc").unwrap();
    let end = source.text.find(';').unwrap() + 1;
    let span = |begin: usize, end: usize| Span::new(begin as u32, end as u32);
    let region = &mut figure.module.regions[0];
    region.directive = span(begin, begin + "__accrs_pragma_acc".len());
    region.body = Some(span(end - 1, end));
    figure.module.kernels[0].directive = region.directive;
    let options = back::Options::default();
    let output = back::emit(&figure.module, &figure.unit, &source, &options);
    output.unwrap().kernels
}

/// A nest of loops shared by all dimensions of a shape, one each of grid and block.
struct Partition {
    /// Whether `n`, the trip count of each loop, is a variable of the kernel.
    is_open: bool,
    /// Trip counts; `n` takes the first one's value.
    trips: &'static [i128],
    grid: &'static [i128],
    block: &'static [i128],
    order: Order,
    /// First value and step of each variable.
    first: i128,
    step: i128,
}

use Order::{Blocked, Cyclic};

const PARTITIONS: &[Partition] = &[
    closed(&[64], &[4], &[16], Blocked, (0, 1)),
    closed(&[61], &[4], &[7], Blocked, (3, 2)),
    closed(&[61], &[4], &[7], Cyclic, (3, 2)),
    closed(&[13], &[3], &[32], Blocked, (50, -3)),
    closed(&[13], &[3], &[2], Cyclic, (50, -3)),
    closed(&[13], &[3], &[2], Cyclic, (-20, 3)),
    closed(&[13], &[3], &[2], Cyclic, (5, -3)),
    closed(&[13], &[3], &[2], Blocked, (-20, 3)),
    open(&[13], &[3], &[2], Blocked, (5, -3)),
    open(&[13], &[3], &[2], Cyclic, (5, -3)),
    open(&[61], &[4], &[7], Blocked, (0, 1)),
    open(&[2], &[5], &[7], Blocked, (5, 3)),
    open(&[61], &[4], &[7], Cyclic, (5, 3)),
    closed(&[10, 9], &[4, 2], &[2, 5], Blocked, (0, 1)),
    closed(&[5, 7, 9], &[2, 2, 3], &[2, 3, 4], Blocked, (1, 1)),
    closed(&[3, 4, 5, 6], &[2, 1, 2, 3], &[2, 3, 4, 2], Cyclic, (0, 1)),
    closed(&[3, 4, 5, 6], &[2, 3, 2, 3], &[2, 3, 4, 2], Blocked, (0, 1)),
    // Near the end of an `int`, beyond which no run and no stride may lead.
    closed(&[13], &[5], &[4], Blocked, (2147483647 - 13, 1)),
    closed(&[13], &[5], &[4], Cyclic, (2147483647 - 13, 1)),
    closed(
        &[13, 3, 3, 2],
        &[5, 1, 1, 2],
        &[4, 1, 1, 2],
        Cyclic,
        (2147483647 - 13, 1),
    ),
    // A block as deep as this has all its threads along x.
    closed(&[70, 2, 3], &[1, 1, 2], &[65, 1, 2], Blocked, (0, 1)),
];

/// Loops whose bounds are constants.
const fn closed(
    trips: &'static [i128],
    grid: &'static [i128],
    block: &'static [i128],
    order: Order,
    (first, step): (i128, i128),
) -> Partition {
    Partition {
        is_open: false,
        trips,
        grid,
        block,
        order,
        first,
        step,
    }
}

/// A loop whose bound the kernel gets.
const fn open(
    trips: &'static [i128],
    grid: &'static [i128],
    block: &'static [i128],
    order: Order,
    values: (i128, i128),
) -> Partition {
    Partition {
        is_open: true,
        ..closed(trips, grid, block, order, values)
    }
}

impl Partition {
    /// Each iteration adds a number for its block and thread to its own element.
    fn figure(&self, number: usize) -> Figure {
        let mut s = Sample::new();
        s.function(&format!("partition{number}"));
        let n = s.value("n");
        let lengths: Vec<u64> = self.trips.iter().map(|&trips| trips as u64).collect();
        let out = s.array("out", &[lengths.iter().product()]);
        let variables: Vec<V> = (0..lengths.len())
            .map(|d| s.int(&format!("i{d}")))
            .collect();
        let builtin = |builtin, axis| s.builtin(builtin, axis);
        let linear = |index, extent| {
            let outer =
                builtin(index, Axis::Z) * builtin(extent, Axis::Y) + builtin(index, Axis::Y);
            outer * builtin(extent, Axis::X) + builtin(index, Axis::X)
        };
        let block = linear(Builtin::BlockIndex, Builtin::GridExtent);
        let thread = linear(Builtin::ThreadIndex, Builtin::BlockExtent);
        let mut at = int(0);
        for (variable, &trips) in variables.iter().zip(self.trips) {
            let distance = match self.step > 0 {
                true => variable.e() - int(self.first),
                false => int(self.first) - variable.e(),
            };
            let iteration = binary(BinaryOperator::Divide, distance, int(self.step.abs()));
            at = at * int(trips) + iteration;
        }
        let mut body = vec![add_to(out.at([at]), block * int(4096) + thread + int(1))];
        for (dimension, variable) in variables.iter().enumerate().rev() {
            let trips = match self.is_open {
                true => n.e(),
                false => int(self.trips[dimension]),
            };
            let (bound, step) = match self.step > 0 {
                true => (int(self.first) + trips * int(self.step), self.step),
                // The loop counts down to its bound, and not below.
                false => (
                    int(self.first) - (trips - int(1)) * int(-self.step),
                    self.step,
                ),
            };
            let shared = count(variable, self.first, bound).step(step);
            let shared = shared.over(Dimension::Grid(dimension), self.order);
            body = vec![
                shared
                    .over(Dimension::Block(dimension), Order::Cyclic)
                    .body(body),
            ];
        }
        let mut module = s.module(Execution::Redundant, body);
        let sizes = |sizes: &[i128]| sizes.iter().map(|&n| int(n).0).collect();
        module.kernels[0].shape = Some(Shape::Grid {
            grid: sizes(self.grid),
            block: sizes(self.block),
        });
        figure("partition", s, module)
    }

    /// What runs are multiples of, where the threads of a dimension have an axis of their own: a
    /// warp, or as many threads as divide one.
    fn batch(&self, dimension: usize) -> i128 {
        let count = self.block.len();
        let has_axis = self.block[0] <= 64 && (count <= 3 || dimension < 2);
        match self.block[dimension] {
            threads if has_axis && threads % 32 == 0 => 32,
            threads if has_axis && 32 % threads == 0 => threads,
            _ => 1,
        }
    }

    /// What the elements are, by the definition of a distribution.
    fn expected(&self) -> Vec<i128> {
        let mut found = vec![(0, 0)];
        for dimension in 0..self.trips.len() {
            let (trips, blocks) = (self.trips[dimension], self.grid[dimension]);
            let threads = self.block[dimension];
            let run = (trips + blocks - 1) / blocks;
            let batch = self.batch(dimension);
            let run = (run + batch - 1) / batch * batch;
            let place = |iteration: i128| match self.order {
                Order::Blocked => (iteration / run, iteration % run % threads),
                Order::Cyclic => (iteration % blocks, iteration / blocks % threads),
            };
            let next = found.iter().flat_map(|(block, thread)| {
                (0..trips).map(move |iteration| {
                    let (own_block, own_thread) = place(iteration);
                    (block * blocks + own_block, thread * threads + own_thread)
                })
            });
            found = next.collect();
        }
        found
            .iter()
            .map(|(block, thread)| block * 4096 + thread + 1)
            .collect()
    }
}

#[test]
fn every_iteration_is_run_once_where_its_distribution_says() {
    let objects = tempfile::tempdir().unwrap();
    let include = root().join("runtime/include");
    let mut compile = command(accrs());
    compile.args(["cc", "-acc=emulated", "-I"]).arg(&include);
    let mut host = String::from("#include <stdio.h>\n");
    let mut main = String::new();
    let mut files = Vec::new();
    for (number, partition) in PARTITIONS.iter().enumerate() {
        let file = objects.path().join(format!("partition{number}.cu"));
        std::fs::write(&file, as_cuda(partition.figure(number))).unwrap();
        compile.arg(&file);
        files.push(file);
        let (n, elements) = (partition.trips[0], partition.expected().len());
        host += &format!(
            "void partition{number}_launch(int n, double *out);\nstatic double out{number}[{elements}];\n"
        );
        main += &format!(
            "#pragma acc data copy(out{number})\n    partition{number}_launch({n}, out{number});\n\
             for (int i = 0; i < {elements}; i++) printf(\"%.0f \", out{number}[i]);\nputs(\"\");\n"
        );
    }
    compiles(&files, objects.path());
    let source = objects.path().join("main.c");
    std::fs::write(
        &source,
        format!("{host}int main(void)\n{{\n{main}return 0;\n}}\n"),
    )
    .unwrap();
    let program = objects.path().join("program");
    build(compile.arg(&source).arg("-o").arg(&program)).unwrap();
    // What is compared tells one distribution from another.
    assert_ne!(PARTITIONS[1].expected(), PARTITIONS[2].expected());
    for schedule in ["forward", "reverse", "20261123"] {
        let mut run = command(&program);
        run.env("ACCRS_DEVICE", "emulated")
            .env("ACCRS_SCHEDULE", schedule);
        let text = support::process::succeed(&mut run).unwrap().text();
        for (line, (number, partition)) in text.lines().zip(PARTITIONS.iter().enumerate()) {
            let values: Vec<i128> = line
                .split_whitespace()
                .map(|v| v.parse().unwrap())
                .collect();
            assert_eq!(
                values,
                partition.expected(),
                "partition {number}, {schedule}"
            );
        }
        assert_eq!(text.lines().count(), PARTITIONS.len());
    }
}

#[test]
fn the_page_shows_each_kernel_as_its_front_end_makes_it() {
    let page = root().join("docs/architecture.md");
    let text = read(&page).unwrap();
    let (head, rest) = text.split_once("<!-- figures -->\n").unwrap();
    let (_, tail) = rest.split_once("<!-- end of figures -->").unwrap();
    let mut shown = String::new();
    for figure in figures() {
        shown.push_str(&format!("```text\n{}```\n", as_built(&figure)));
    }
    let new = format!("{head}<!-- figures -->\n{shown}<!-- end of figures -->{tail}");
    snapshot::check(&page, &new).unwrap();
}

/// nvcc takes all files for every architecture.
fn compiles(files: &[PathBuf], objects: &Path) {
    let groups = nvcc::Groups::new(files);
    for file in files {
        let object = objects.join("figure.o");
        groups
            .compile(file, &object, nvcc::ALL_ARCHITECTURES)
            .unwrap();
        nvcc::compile(file, &object, nvcc::ALL_ARCHITECTURES).unwrap();
    }
}

#[test]
fn every_kernel_is_right() {
    let folder = root().join("tests/figures");
    let include = root().join("runtime/include");
    let objects = tempfile::tempdir().unwrap();
    let kernels = figures().map(|figure| folder.join(format!("{}.cu", figure.name)));
    for (figure, kernels) in figures().into_iter().zip(&kernels) {
        snapshot::check(kernels, &as_cuda(figure)).unwrap();
    }
    compiles(&kernels, objects.path());
    for (figure, kernels) in figures().iter().zip(&kernels) {
        let name = figure.name;
        let program = objects.path().join("figure");
        let host = folder.join(format!("{name}.c"));
        let mut compile = command(accrs());
        compile.args(["cc", "-acc=emulated", "-I"]).arg(&include);
        build(compile.arg(&host).arg(kernels).arg("-o").arg(&program)).unwrap();
        for schedule in ["forward", "reverse", "20261123"] {
            let run = |mistake: &str| {
                let mut run = command(&program);
                run.env("ACCRS_DEVICE", "emulated")
                    .env("ACCRS_SCHEDULE", schedule);
                support::process::run(run.arg(mistake)).unwrap()
            };
            assert_eq!(run("none").code(), Some(0), "{name}, {schedule}");
            for mistake in ["one step less", "a neighbour", "one element"] {
                assert_eq!(
                    run(mistake).code(),
                    Some(1),
                    "{name}: {mistake} is not found"
                );
            }
        }
    }
}
