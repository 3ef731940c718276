//! The C function that runs a nest serially and in every choice, and compares.

use std::fmt::Write as _;

use super::Case;
use super::nest::{Array, Body, Element, Nest, Operator};
use super::text;

fn kind(element: Element) -> &'static str {
    match element {
        Element::Int => "INT",
        Element::Unsigned => "UNSIGNED",
        Element::Long => "LONG",
        Element::Float => "FLOAT",
        Element::Double => "DOUBLE",
    }
}

/// How far a reduction may be from the serial one, as C. Two sums of n values, each rounded n - 1
/// times in any order, differ by at most 2 (n - 1) u Σ|x|, where 2 u is the type's epsilon (Higham,
/// Accuracy and Stability of Numerical Algorithms, 4.2). All else is exact.
fn tolerance(nest: &Nest) -> &'static str {
    match (nest.body, nest.element) {
        (Body::Reduce(Operator::Add), Element::Float) => {
            "wanted.count * FLT_EPSILON * wanted.magnitude"
        }
        (Body::Reduce(Operator::Add), Element::Double) => {
            "wanted.count * DBL_EPSILON * wanted.magnitude"
        }
        _ => "0",
    }
}

/// The function `nest_NUMBER`.
pub fn comparison(case: &Case, number: usize) -> String {
    let (nest, choices) = (case.nest, case.choices.len());
    let mut text = format!("\nstatic int nest_{number}(void)\n{{\n    int bad = 0;\n");
    let mut arrays: Vec<(String, &Array)> = nest
        .inputs
        .iter()
        .enumerate()
        .map(|(number, input)| (format!("a{number}"), input))
        .collect();
    arrays.push(("expected".to_owned(), &nest.output));
    arrays.push(("out".to_owned(), &nest.output));
    let chance = nest.seed % 1_000_003;
    let mut arguments: Vec<String> = text::sizes(nest)
        .into_iter()
        .map(|(_, value)| value.to_string())
        .collect();
    for (index, (name, array)) in arrays.iter().enumerate() {
        let extents = array.subscripts.iter().map(|subscript| subscript.extent);
        let _ = writeln!(
            text,
            "    struct array {name} = array_of(\"{name}\", {}, {}, 1, 1);\n    \
             array_fill(&{name}, {}UL);",
            kind(nest.element),
            extents.product::<i64>(),
            chance + 977 * (index as u64)
        );
        if name.starts_with('a') {
            arguments.push(format!("(void *){name}.data"));
        }
    }
    let functions: Vec<String> = (0..choices)
        .map(|index| format!("choice_{number}_{index}"))
        .collect();
    let arguments: String = arguments.iter().map(|text| format!("{text}, ")).collect();
    let _ = writeln!(
        text,
        "    static __typeof__(serial_{number}) *const choices[] = {{{functions}}};\n    \
             struct outcome wanted = {{0, 3, 1}};\n    \
             array_fill(&expected, {chance}UL);\n    \
             serial_{number}({arguments}(void *)expected.data, &wanted);\n    \
             for (int choice = 0; choice < {choices}; choice++) {{\n        \
                 struct outcome outcome = {{0, 0, 0}};\n        \
                 array_fill(&out, {chance}UL);\n        \
                 choices[choice]({arguments}(void *)out.data, &outcome);\n        \
                 bad |= judged({number}, choice, &expected, &out, &wanted, &outcome, {tolerance});\n    \
             }}",
        functions = functions.join(", "),
        tolerance = tolerance(nest),
    );
    for (name, _) in &arrays {
        let _ = writeln!(text, "    array_free(&{name});");
    }
    text + "    return bad;\n}\n"
}
