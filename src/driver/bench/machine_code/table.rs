//! The tables of a program: its forms, their kernels, and the loops of these.

use std::fmt::Write as _;

use comfy_table::Table;
use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};

use super::figures::{BY_HAND, FormCode, KernelCode, LoopCode, ProgramCode};
use crate::driver::bench::table::align;

/// What the columns mean.
pub(super) const LEGEND: &str = "\
Instructions of machine code, as they stand in it. *Before*, *after*: at lower addresses than the first \
barrier of a kernel, at higher ones than the last; *calls*: of functions that it calls, slow divisions \
mostly, which count nowhere else; *occupancy*: of a multiprocessor with blocks of *threads*, as \
launched or by the bounds of the kernel, without dynamic shared memory; *of textbook*, *of tuned*: instructions against those of the kernel of that name, or the only \
one. A loop is told by the address of its first instruction and by how many loops it is in, itself included; \
its instructions are those outside loops within it: *fp*, floating point; *shared* and *global* memory; *int*, \
integers, predicates, addresses, moves; *ctrl*, branches; *shfl*, shuffles and votes; *bar*, barriers and waiting for \
copies; *other*: constants, special registers, local memory. *Step*: what the counter grows by that decides \
whether the loop ends; *unrolled*: that step, in elements if the counter is an address, where all \
numbers of floating-point instructions and of words moved, by operation, are multiples of it, and nothing where it cannot be told so; *each*: \
instructions of an iteration before it was unrolled.";

/// For the terminal.
pub(super) fn text(program: &ProgramCode) -> String {
    let mut text = format!("{}: {}\n", program.name, program.title);
    for mut table in tables(program, true) {
        table.load_style(NOTHING);
        for line in table.lines() {
            let _ = writeln!(text, " {}", line.trim_end());
        }
    }
    text + &failures(program, "  ") + "\n"
}

/// For a Markdown page.
pub(super) fn markdown(program: &ProgramCode) -> String {
    let tables = tables(program, false).into_iter().map(|mut table| {
        table.load_style(ASCII_MARKDOWN);
        format!("{table}\n")
    });
    tables.collect::<Vec<_>>().join("\n") + &failures(program, "\n")
}

fn failures(program: &ProgramCode, before: &str) -> String {
    let mut text = String::new();
    for form in &program.forms {
        if let Some(failure) = &form.failure {
            let _ = writeln!(text, "{before}{}: {failure}", form.form);
        }
    }
    text
}

/// A column: its name, what it is called on the terminal (none: only a page has room for it), and its
/// text.
struct Column {
    name: &'static str,
    short: Option<&'static str>,
    text: fn(&Row) -> String,
}

const fn column(
    name: &'static str,
    short: Option<&'static str>,
    text: fn(&Row) -> String,
) -> Column {
    Column { name, short, text }
}

/// A kernel of a form, or a loop of it.
#[derive(Clone, Copy)]
struct Row<'p> {
    form: &'p FormCode,
    kernel: &'p KernelCode,
    of_loop: Option<&'p LoopCode>,
}

impl Row<'_> {
    fn in_loop(&self, text: fn(&LoopCode) -> String) -> String {
        self.of_loop.map_or_else(String::new, text)
    }
}

/// Columns before the figures of either table.
const WORDS: usize = 2;

const KERNELS: [Column; 14] = [
    column("form", Some("form"), |row| row.form.form.clone()),
    column("kernel", Some("kernel"), |row| row.kernel.kernel.clone()),
    column("instructions", Some("instr."), |row| {
        row.kernel.instructions.to_string()
    }),
    column("before", Some("before"), |row| {
        shown(row.kernel.before_first)
    }),
    column("after", Some("after"), |row| shown(row.kernel.after_last)),
    column("barriers", None, |row| row.kernel.barriers.to_string()),
    column("calls", None, |row| row.kernel.called.to_string()),
    column("registers", Some("regs"), |row| {
        row.kernel.registers.to_string()
    }),
    column("spills", None, |row| match row.kernel.spill_bytes {
        0 => "none".to_owned(),
        bytes => format!("{bytes} bytes"),
    }),
    column("static shared", None, |row| {
        row.kernel.static_shared_bytes.to_string()
    }),
    column("threads", None, |row| shown(row.kernel.threads)),
    column("occupancy", Some("occ."), |row| {
        let percent = row.kernel.occupancy;
        percent.map_or_else(String::new, |percent| format!("{percent} %"))
    }),
    column("of textbook", Some("of\ntextb."), |row| {
        against(row.kernel, BY_HAND[0])
    }),
    column("of tuned", Some("of\ntuned"), |row| {
        against(row.kernel, BY_HAND[1])
    }),
];

const LOOPS: [Column; 16] = [
    column("form", Some("form"), |row| row.form.form.clone()),
    column("kernel", Some("kernel"), |row| row.kernel.kernel.clone()),
    column("loop", Some("loop"), |row| {
        row.in_loop(|own| own.address.clone())
    }),
    column("depth", Some("in"), |row| {
        row.in_loop(|own| own.depth.to_string())
    }),
    column("instructions", Some("instr."), |row| {
        row.in_loop(|own| own.instructions.to_string())
    }),
    column("fp", Some("fp"), |row| class(row, 0)),
    column("shared", Some("sh."), |row| class(row, 1)),
    column("global", Some("gl."), |row| class(row, 2)),
    column("int", Some("int"), |row| class(row, 3)),
    column("ctrl", None, |row| class(row, 4)),
    column("shfl", None, |row| class(row, 5)),
    column("bar", None, |row| class(row, 6)),
    column("other", None, |row| class(row, 7)),
    column("step", None, |row| row.in_loop(|own| shown(own.step))),
    column("unrolled", Some("unr."), |row| {
        row.in_loop(|own| shown(own.unrolled))
    }),
    column("each", Some("each"), |row| {
        row.in_loop(|own| shown(own.each().map(|each| format!("{each:.1}"))))
    }),
];

fn shown(number: Option<impl ToString>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn against(kernel: &KernelCode, base: &str) -> String {
    let ratio = kernel.against.get(base);
    ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
}

fn class(row: &Row, number: usize) -> String {
    let classes = row.of_loop.map(|own| own.classes.all());
    shown(classes.map(|classes| classes[number]))
}

/// That of kernels, and that of loops where there are some.
fn tables(program: &ProgramCode, is_short: bool) -> Vec<Table> {
    let mut kernels: Vec<Row> = Vec::new();
    for form in &program.forms {
        let of_kernel = |kernel| Row {
            form,
            kernel,
            of_loop: None,
        };
        kernels.extend(form.kernels.iter().map(of_kernel));
    }
    let mut loops: Vec<Row> = Vec::new();
    for row in &kernels {
        let of_loop = |own| Row {
            of_loop: Some(own),
            ..*row
        };
        loops.extend(row.kernel.loops.iter().map(of_loop));
    }
    let tables = [
        table(&KERNELS, &kernels, is_short),
        table(&LOOPS, &loops, is_short),
    ];
    tables.into_iter().flatten().collect()
}

/// None without rows.
fn table(columns: &[Column], rows: &[Row], is_short: bool) -> Option<Table> {
    let columns = columns.iter();
    let columns: Vec<&Column> = columns
        .filter(|column| !is_short || column.short.is_some())
        .collect();
    let mut table = Table::new();
    table.set_header(columns.iter().map(|column| match column.short {
        Some(short) if is_short => short,
        _ => column.name,
    }));
    for row in rows {
        table.add_row(columns.iter().map(|column| (column.text)(row)));
    }
    align(&mut table, WORDS);
    (!rows.is_empty()).then_some(table)
}
