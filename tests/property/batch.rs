//! Many programs in one C file, each with its oracle and what compares the two.

use std::fmt::Write as _;

use super::model::{Array, Program, Storage, Type};
use super::{oracle, source};

/// The text of the file. It prints a line for each program from the first to the last number on its
/// command line: `NUMBER begins`, then `NUMBER same`, `NUMBER differs: …`, or `NUMBER faulty: …`
/// where the program itself is undefined. Each program comes with the one that its oracle is made
/// from: itself, but where a test wants to see a difference.
pub fn text(programs: &[(&Program, &Program)]) -> String {
    let mut text = String::from("#include \"harness.h\"\n");
    let _ = writeln!(text, "enum {{ PROGRAMS = {} }};", programs.len());
    for (number, (program, computed)) in programs.iter().enumerate() {
        let _ = writeln!(text, "\n/* {:#x}: {} */", program.seed, program.family);
        text += &source::function(program, number);
        text.push('\n');
        text += &oracle::function(computed, number);
        text.push('\n');
        text += &comparison(program, number);
    }
    text += "\nstatic int (*const programs[])(void) = {";
    for number in 0..programs.len() {
        let _ = write!(text, "program_{number}, ");
    }
    text += "};\n\n\
        int main(int argc, char **argv)\n\
        {\n    \
            const int first = argc > 1 ? atoi(argv[1]) : 0;\n    \
            const int last = argc > 2 ? atoi(argv[2]) : PROGRAMS - 1;\n    \
            int bad = 0;\n    \
            for (int number = first; number <= last; number++) {\n        \
                printf(\"%d begins\\n\", number);\n        \
                fflush(stdout);\n        \
                bad |= programs[number]();\n        \
                fflush(stdout);\n    \
            }\n    \
            return bad;\n\
        }\n";
    text
}

/// The function `program_NUMBER`, which runs a program and its oracle with all sizes.
fn comparison(program: &Program, number: usize) -> String {
    let mut text = format!("static int program_{number}(void)\n{{\n");
    let count = program.parameters.len();
    let rounds: Vec<String> = program
        .rounds
        .iter()
        .map(|round| {
            let values: Vec<String> = round.iter().map(i64::to_string).collect();
            format!("{{{}}}", values.join(", "))
        })
        .collect();
    let _ = writeln!(
        text,
        "    static const int rounds[][{count}] = {{{}}};\n    \
         const int last = (int)(sizeof rounds / sizeof *rounds);\n    \
         for (int round = 0; round < last; round++) {{",
        rounds.join(", ")
    );
    for (index, name) in program.parameters.iter().enumerate() {
        let _ = writeln!(text, "        const int {name} = rounds[round][{index}];");
    }
    let arrays = program.arrays.len();
    let descriptors: Vec<String> = program
        .arrays
        .iter()
        .map(|array| descriptor(program, array))
        .collect();
    let list = descriptors.join(",\n            ");
    let _ = writeln!(
        text,
        "        struct array expected[] = {{\n            {list}}};\n        \
         struct array found[] = {{\n            {list}}};\n        \
         double expected_results[8] = {{0}}, found_results[8] = {{0}};\n        \
         char message[240] = \"\";\n        fault[0] = 0;\n        \
         for (int a = 0; a < {arrays}; a++) {{\n            \
             array_fill(&expected[a], {seed}UL + 977UL * (unsigned long)a);\n            \
             array_fill(&found[a], {seed}UL + 977UL * (unsigned long)a);\n        }}",
        seed = program.seed % 1_000_000_007,
    );
    let sizes = program.parameters.join(", ");
    let _ = writeln!(
        text,
        "        oracle_{number}({sizes}, expected, expected_results);\n        \
         if (fault[0]) {{\n            \
             printf(\"{number} faulty: round %d: %s\\n\", round, fault);\n            \
             return 1;\n        }}"
    );
    for (index, array) in program.arrays.iter().enumerate() {
        if array.storage == Storage::File {
            let name = source::array_name(array, number);
            let _ = writeln!(
                text,
                "        memcpy({name}, found[{index}].data, sizeof {name});"
            );
        }
    }
    let arguments: String = program
        .arrays
        .iter()
        .enumerate()
        .filter(|(_, array)| array.storage != Storage::File)
        .map(|(index, _)| format!("(void *)found[{index}].data, "))
        .collect();
    let _ = writeln!(
        text,
        "        fcw_{number}({sizes}, {arguments}found_results);"
    );
    for (index, array) in program.arrays.iter().enumerate() {
        if array.storage == Storage::File {
            let name = source::array_name(array, number);
            let _ = writeln!(
                text,
                "        memcpy(found[{index}].data, {name}, sizeof {name});"
            );
        }
    }
    let _ = writeln!(
        text,
        "        int bad = 0;\n        \
         for (int a = 0; a < {arrays} && !bad; a++)\n            \
             bad = differs(&expected[a], &found[a], message, sizeof message);\n        \
         for (int r = 0; r < 8 && !bad; r++)\n            \
             if (!same_double(expected_results[r], found_results[r])) {{\n                \
                 bad = 1;\n                \
                 snprintf(message, sizeof message, \"result %d: expected %a, found %a\", r,\n                          \
                          expected_results[r], found_results[r]);\n            }}\n        \
         for (int a = 0; a < {arrays}; a++) {{\n            \
             array_free(&expected[a]);\n            array_free(&found[a]);\n        }}\n        \
         if (bad) {{\n            \
             printf(\"{number} differs: round %d: %s\\n\", round, message);\n            \
             return 1;\n        }}\n    }}\n    \
         printf(\"{number} same\\n\");\n    return 0;\n}}"
    );
    text
}

/// `array_of(…)` for an array of a program. A dummy has no elements to be compared: its content
/// never leaves the windows.
fn descriptor(program: &Program, array: &Array) -> String {
    let kind = match array.element {
        Type::Bool | Type::Byte | Type::Char => "CHAR", // no array is of the first two
        Type::Short => "SHORT",
        Type::Int => "INT",
        Type::Unsigned => "UNSIGNED",
        Type::Long => "LONG",
        Type::Float => "FLOAT",
        Type::Double => "DOUBLE",
        Type::Pair => "PAIR",
        Type::Tagged => "TAGGED",
    };
    let mut extents: Vec<String> = if array.storage == Storage::File {
        source::declared_extents(program, array)
            .iter()
            .map(i64::to_string)
            .collect()
    } else {
        array.extents.iter().map(extent_text).collect()
    };
    extents.resize(3, "1".to_owned());
    format!(
        "array_of(\"{}\", {kind}, {})",
        array.name,
        extents.join(", ")
    )
}

/// An extent as C.
fn extent_text(extent: &super::model::Expression) -> String {
    use super::model::Expression;
    match extent {
        Expression::Integer(value) => value.to_string(),
        Expression::Name(name) => name.clone(),
        Expression::Binary(operator, left, right) => {
            format!("({} {operator} {})", extent_text(left), extent_text(right))
        }
        other => unreachable!("an extent with {other:?}"),
    }
}
