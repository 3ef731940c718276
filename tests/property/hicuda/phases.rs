//! Kernels of which each block has rows, and its threads go through them in phases.
//!
//! A phase gives each element of a row of one array its value from the rows of the other, as it is
//! behind the barrier before. Phases stand in loops, under conditions of the row, and in windows that
//! are copied back; counters are declared outside of the kernels and shared by all of them; one
//! thread writes alone, and all reduce. Serially that is the same code without directives.

use super::Program;
use crate::random::Random;

/// The elements of both arrays.
struct Shape {
    rows: i64,
    columns: i64,
    /// Of a block.
    threads: usize,
}

/// One or two kernels.
pub fn program(seed: u64, random: &mut Random) -> Program {
    let shape = Shape {
        rows: random.between(3, 9),
        columns: random.between(5, 20),
        threads: usize::try_from(random.between(1, 2)).unwrap_or(1),
    };
    let mut device = String::from(
        "#pragma hicuda global alloc a[*][*] copyin\n#pragma hicuda global alloc b[*][*] copyin\n",
    );
    for kernel in 0..random.between(1, 2) {
        let blocks = random.between(1, 5);
        let threads = super::sizes(random, shape.threads, 7).replace("zero + ", "");
        device += &format!(
            "#pragma hicuda kernel phases_{seed}_{kernel} tblock({blocks}) thread({threads})\n"
        );
        if random.chance(1, 3) {
            device += &split(random, &shape);
        }
        let order = random.of(&["", "(CYCLIC)"]);
        device += &format!("#pragma hicuda loop_partition over_tblock{order}\n");
        device += &format!("for (i = 0; i < {}; i++) {{\n", shape.rows);
        for _ in 0..random.between(1, 4) {
            device += &part(random, &shape, 2);
        }
        device += &phase(random, &shape, "b", "a");
        device += "}\n#pragma hicuda kernel_end\n";
    }
    device += "#pragma hicuda global copyout b[*][*]\n#pragma hicuda global free a b\n\
               i = 3;\nj = 4;\nb[0][0] += i * j;\n";
    let serial: Vec<&str> = device
        .lines()
        .filter(|l| !l.starts_with("#pragma"))
        .collect();
    let serial = serial.join("\n") + "\n";
    let last = serial.rfind("for (j = ").unwrap_or(0);
    let (before, after) = serial.split_at(last);
    let mistaken = format!(
        "{before}{}",
        after.replacen("for (j = ", "for (j = 1 + ", 1)
    );
    Program {
        seed,
        dimensions: vec![shape.rows + 1, shape.columns],
        variables: "int i, j, k, l, m;\n".to_owned(),
        device,
        serial,
        mistaken,
    }
}

/// A loop of which each thread has iterations, with a barrier inside: a thread uses its own
/// elements alone.
fn split(random: &mut Random, shape: &Shape) -> String {
    let step = random.between(1, 3);
    let first = random.between(0, 2);
    // No block has this one for its own.
    let row = shape.rows;
    let mut out = String::new();
    for (to, from) in [("a", "b"), ("b", "a")] {
        out += &format!(
            "#pragma hicuda loop_partition over_tblock over_thread\n\
             for (j = {first}; j < {columns}; j += {step}) {{\n\
             {to}[{row}][j] = {from}[{row}][j] * 3 + j;\n#pragma hicuda barrier\n",
            columns = shape.columns,
        );
        if random.chance(1, 2) {
            out += "if (j % 3 == 1)\ncontinue;\n#pragma hicuda barrier\n";
        }
        out += &format!("{to}[{row}][j] = {to}[{row}][j] == 2 ? 5 : {to}[{row}][j];\n}}\n");
    }
    out
}

/// Something that a block does with its row, and a barrier.
fn part(random: &mut Random, shape: &Shape, depth: u32) -> String {
    let (to, from) = random.of(&[("a", "b"), ("b", "a")]);
    let barrier = "#pragma hicuda barrier\n";
    let inner = |random: &mut Random| match depth {
        0 => phase(random, shape, to, from) + barrier,
        _ => part(random, shape, depth - 1),
    };
    match random.between(0, 6) {
        0 => {
            let count = random.between(0, 3);
            let counter = ["m", "l", "k"][depth as usize];
            let nested = inner(random);
            format!("for ({counter} = 0; {counter} < {count}; {counter}++) {{\n{nested}}}\n")
        }
        1 => {
            let rest = random.between(0, 1);
            let nested = inner(random);
            format!("if (i % 2 == {rest}) {{\n{nested}}}\n")
        }
        2 => {
            let column = random.between(0, shape.columns - 1);
            format!(
                "#pragma hicuda singular\n{to}[i][{column}] += 2 * i + 1;\n\
                 #pragma hicuda singular_end\n{barrier}"
            )
        }
        3 if shape.threads == 1 => reduction(random, shape, to, from) + barrier,
        4 => window(random, shape, to, from),
        _ => phase(random, shape, to, from) + barrier,
    }
}

/// Each element of a part of a row, from elements of the other row.
fn phase(random: &mut Random, shape: &Shape, to: &str, from: &str) -> String {
    let columns = shape.columns;
    let step = random.between(1, 3);
    let (low, high) = (random.between(0, 1), random.between(columns - 2, columns));
    let header = match random.chance(1, 3) {
        true => format!("for (j = {low} + {high} - {low} - 1; j >= {low}; j -= {step})"),
        false => format!("for (j = {low}; j < {high}; j += {step})"),
    };
    let (by, factor) = (random.between(0, columns), random.between(1, 5));
    format!(
        "#pragma hicuda loop_partition over_thread\n{header}\n\
         {to}[i][j] = {from}[i][(j + {by}) % {columns}] * {factor} + {from}[i][j] % 7 - j;\n"
    )
}

/// What all threads of the block have of the other row.
fn reduction(random: &mut Random, shape: &Shape, to: &str, from: &str) -> String {
    let columns = shape.columns;
    let (operator, begin, update) = random.of(&[
        ("+", "1", "total += VALUE;"),
        ("max", "-5", "if (VALUE > total) total = VALUE;"),
        ("^", "3", "total ^= VALUE;"),
    ]);
    let update = update.replace("VALUE", &format!("{from}[i][j]"));
    format!(
        "{{\nint total = {begin};\n\
         #pragma hicuda loop_partition over_thread reduction({operator}:total)\n\
         for (j = 0; j < {columns}; j += 2)\n{update}\n\
         #pragma hicuda loop_partition over_thread\n\
         for (j = 0; j < {columns}; j++)\n{to}[i][j] = {from}[i][j] + total;\n}}\n"
    )
}

/// Phases on a row, or a part of it, in shared memory, which is copied back.
fn window(random: &mut Random, shape: &Shape, to: &str, from: &str) -> String {
    let last = shape.columns - 1;
    let barrier = "#pragma hicuda barrier\n";
    let section = format!("[i][0:{last}]");
    let mut out = format!("#pragma hicuda shared alloc {to}{section} copyin\n");
    let both = random.chance(1, 2);
    if both {
        out += &format!("#pragma hicuda shared alloc {from}{section} copyin\n");
    }
    out += barrier;
    for _ in 0..random.between(1, 2) {
        out += &phase(random, shape, to, from);
        out += barrier;
    }
    out += &format!("#pragma hicuda shared copyout {to}{section}\n");
    if both {
        out += &format!("#pragma hicuda shared remove {from}\n");
    }
    out + &format!("#pragma hicuda shared remove {to}\n{barrier}")
}
