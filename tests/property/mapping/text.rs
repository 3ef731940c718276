//! Nests as C: serially, and with the directives of each choice.

use std::fmt::Write as _;

use super::Case;
use super::choice::{Choice, Directives};
use super::comparison::comparison;
use super::nest::{Array, Body, Bound, Form, Nest, Operator, Subscript};

/// A file with nests and all choices for them. It prints a line for each choice: `NEST CHOICE same`
/// or `NEST CHOICE differs: …`.
pub fn file(cases: &[Case]) -> String {
    let mut text = String::from("#include \"mapping/nests.h\"\n");
    for (number, case) in cases.iter().enumerate() {
        text += &serial(&case.oracle, number);
        for index in 0..case.choices.len() {
            text += &function(case, number, index);
        }
        text += &comparison(case, number);
    }
    text += "\nint main(void)\n{\n    int bad = 0;\n";
    for number in 0..cases.len() {
        let _ = writeln!(text, "    bad |= nest_{number}();");
    }
    text + "    return bad;\n}\n"
}

/// The variable of a loop. Each choice has its own, so that `--along-x` means one choice.
pub fn variable(number: usize, index: usize, l: usize) -> String {
    format!("i{l}_{number}_{index}")
}

/// Names of the variables of a function's loops.
type Variables = Vec<String>;

/// A choice's function.
pub fn function(case: &Case, number: usize, index: usize) -> String {
    let (nest, choice) = (case.nest, &case.choices[index]);
    // Where no loop is asked for by its name, some have that of the bound around them.
    let hidden = |l: usize| {
        let outer = l.checked_sub(1)?;
        let is_named = nest.loops[outer].bound == Bound::Parameter && choice.along_x.is_none();
        is_named.then(|| format!("n{outer}"))
    };
    let variables: Variables = (0..nest.loops.len())
        .map(|l| hidden(l).unwrap_or_else(|| variable(number, index, l)))
        .collect();
    let header = format!("\nstatic void choice_{number}_{index}");
    let body = loops(nest, &variables, &|l| directive(nest, choice, l), false);
    header + &definition(nest, &body)
}

fn serial(nest: &Nest, number: usize) -> String {
    let variables: Variables = (0..nest.loops.len()).map(|l| format!("i{l}")).collect();
    let body = loops(nest, &variables, &|_| None, true);
    format!("\nstatic void serial_{number}") + &definition(nest, &body)
}

/// Parameters and body of a function.
fn definition(nest: &Nest, body: &str) -> String {
    let element = nest.element.name();
    let mut parameters: Vec<String> = sizes(nest)
        .into_iter()
        .map(|(name, _)| format!("int {name}"))
        .collect();
    for (number, input) in nest.inputs.iter().enumerate() {
        parameters.push(declared(input, &format!("a{number}"), element, "const "));
    }
    parameters.push(declared(&nest.output, "out", element, ""));
    parameters.push("struct outcome *outcome".to_owned());
    let mut text = format!("({})\n{{\n", parameters.join(", "));
    if let Body::Reduce(_) = nest.body {
        let _ = writeln!(text, "    {element} total = 3;");
    }
    if nest.has_table {
        text +=
            "    int table[8];\n    for (int k = 0; k < 8; k++)\n        table[k] = 5 * k - 7;\n";
    }
    text += body;
    if let Body::Reduce(_) = nest.body {
        text += "    outcome->total = (double)total;\n";
    }
    text + "}\n"
}

/// Names of the parameters with sizes, and their values.
pub fn sizes(nest: &Nest) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for (number, l) in nest.loops.iter().enumerate() {
        if l.bound == Bound::Parameter {
            let value = if l.downward { l.first } else { l.last + 1 };
            found.push((format!("n{number}"), value));
        }
    }
    let inputs = nest
        .inputs
        .iter()
        .enumerate()
        .map(|(number, array)| (format!("a{number}"), array));
    for (name, array) in inputs.chain([("out".to_owned(), &nest.output)]) {
        if array.form == Form::Strided {
            for (number, subscript) in array.subscripts.iter().enumerate() {
                found.push((format!("{name}_{number}"), subscript.extent));
            }
        }
    }
    found
}

fn declared(array: &Array, name: &str, element: &str, qualifier: &str) -> String {
    match array.form {
        Form::Flat | Form::Strided => format!("{qualifier}{element} *restrict {name}"),
        Form::Shaped => {
            let inner = array.subscripts[1..].iter();
            let extents: String = inner.map(|s| format!("[{}]", s.extent)).collect();
            match extents.is_empty() {
                true => format!("{qualifier}{element} *restrict {name}"),
                false => format!("{qualifier}{element} (*restrict {name}){extents}"),
            }
        }
    }
}

/// All loops with what is inside; `observed` notes magnitudes.
fn loops(
    nest: &Nest,
    variables: &Variables,
    directive: &dyn Fn(usize) -> Option<String>,
    observed: bool,
) -> String {
    let mut text = String::new();
    let last = nest.loops.len() - 1;
    for number in 0..=last {
        let pad = " ".repeat(4 * (number + 1));
        if nest.body == Body::Sum && number == nest.parallel {
            let _ = writeln!(text, "{pad}{} sum = 1;", nest.element.name());
        }
        if let Some(directive) = directive(number) {
            let _ = writeln!(text, "{pad}#pragma acc {directive}");
        }
        let _ = writeln!(text, "{pad}{} {{", header(nest, variables, number));
    }
    text += &body(nest, variables, observed);
    for number in (0..=last).rev() {
        let pad = " ".repeat(4 * (number + 1));
        let _ = writeln!(text, "{pad}}}");
        if nest.body == Body::Sum && number == nest.parallel {
            let out = access(&nest.output, "out", variables);
            let _ = writeln!(text, "{pad}{out} = sum;");
        }
    }
    text
}

fn header(nest: &Nest, variables: &Variables, number: usize) -> String {
    let (l, name) = (&nest.loops[number], &variables[number]);
    let (first, last, step) = (l.first, l.last, l.step);
    match l.bound {
        Bound::From(outer) => format!(
            "for (int {name} = {}; {name} <= {last}; {name}++)",
            variables[outer]
        ),
        Bound::UpTo(outer) => format!(
            "for (int {name} = {first}; {name} <= {}; {name}++)",
            variables[outer]
        ),
        Bound::Number if l.downward => {
            format!("for (int {name} = {last}; {name} >= {first}; {name} -= {step})")
        }
        Bound::Parameter if l.downward => {
            format!("for (int {name} = {last}; {name} >= n{number}; {name} -= {step})")
        }
        Bound::Number => {
            format!("for (int {name} = {first}; {name} <= {last}; {name} += {step})")
        }
        Bound::Parameter => {
            format!("for (int {name} = {first}; {name} < n{number}; {name} += {step})")
        }
    }
}

fn body(nest: &Nest, variables: &Variables, observed: bool) -> String {
    let pad = " ".repeat(4 * (nest.loops.len() + 1));
    let out = access(&nest.output, "out", variables);
    let value = value(nest, variables);
    let text = match nest.body {
        Body::Assign => format!("{out} = {value};\n"),
        Body::Update => format!("{out} += {value};\n"),
        Body::Branch => format!(
            "if (({} + 2 * {}) % 3 != 1)\n{pad}    {out} = {value};\n{pad}else\n{pad}    {out} -= 2;\n",
            variables[0],
            variables[nest.loops.len() - 1]
        ),
        Body::Sum => format!("sum += {value};\n"),
        Body::Reduce(operator) => {
            let element = nest.element.name();
            let mut text = format!("const {element} value = {value};\n{pad}{out} = value;\n{pad}");
            text += match operator {
                Operator::Add => "total += value;\n",
                Operator::Maximum => "total = value > total ? value : total;\n",
                Operator::ExclusiveOr => "total ^= value;\n",
            };
            if observed {
                let _ = write!(
                    text,
                    "{pad}outcome->magnitude += fabs((double)value);\n{pad}outcome->count++;\n"
                );
            }
            text
        }
    };
    match nest.has_table && !observed {
        true => format!("{pad}#pragma acc cache(table[0:8])\n{pad}{text}"),
        false => pad + &text,
    }
}

/// What an iteration computes: its bits depend on no order.
fn value(nest: &Nest, variables: &Variables) -> String {
    let mut text = format!("({})({}", nest.element.name(), variables[0]);
    for name in &variables[1..] {
        let _ = write!(text, " - 2 * {name}");
    }
    text += ")";
    for (number, input) in nest.inputs.iter().enumerate() {
        let read = access(input, &format!("a{number}"), variables);
        let _ = match number {
            0 => write!(text, " + {read} * 3"),
            _ => write!(text, " - {read}"),
        };
    }
    if nest.is_mirrored {
        let _ = write!(text, " + {}", access(&nest.mirror(), "a0", variables));
    }
    if nest.has_table {
        text += " + (table[1] - 2 * table[6])";
    }
    text
}

fn access(array: &Array, name: &str, variables: &Variables) -> String {
    let texts: Vec<String> = array
        .subscripts
        .iter()
        .map(|subscript| subscript_text(subscript, variables))
        .collect();
    if array.form == Form::Shaped {
        let subscripts: String = texts.iter().map(|text| format!("[{text}]")).collect();
        return name.to_owned() + &subscripts;
    }
    let mut index = texts[0].clone();
    for (number, text) in texts.iter().enumerate().skip(1) {
        let extent = match array.form {
            Form::Strided => format!("{name}_{number}"),
            _ => array.subscripts[number].extent.to_string(),
        };
        index = format!("({index}) * {extent} + {text}");
    }
    format!("{name}[{index}]")
}

fn subscript_text(subscript: &Subscript, variables: &Variables) -> String {
    let mut text = String::new();
    for (factor, name) in subscript.factors.iter().zip(variables) {
        let sign = match (*factor < 0, text.is_empty()) {
            (true, true) => "-",
            (true, false) => " - ",
            (false, true) => "",
            (false, false) => " + ",
        };
        let _ = match factor.abs() {
            0 => Ok(()),
            1 => write!(text, "{sign}{name}"),
            times => write!(text, "{sign}{times} * {name}"),
        };
    }
    match (subscript.constant, text.is_empty()) {
        (constant, true) => constant.to_string(),
        (0, false) => text,
        (1.., false) => format!("{text} + {}", subscript.constant),
        (_, false) => format!("{text} - {}", -subscript.constant),
    }
}

/// The directive before a loop, without `#pragma acc`.
fn directive(nest: &Nest, choice: &Choice, number: usize) -> Option<String> {
    if number >= nest.parallel {
        return None;
    }
    let last = nest.parallel - 1;
    let mut text = match (choice.directives, number) {
        (Directives::Each, 0) => "parallel loop".to_owned(),
        (Directives::Each, _) => "loop".to_owned(),
        (Directives::Levels, 0) if last == 0 => "parallel loop gang vector".to_owned(),
        (Directives::Levels, 0) => "parallel loop gang".to_owned(),
        (Directives::Levels, number) if number == last => "loop vector".to_owned(),
        (Directives::Levels, 1) => "loop worker".to_owned(),
        (Directives::Levels, _) => return None,
        (Directives::Kernels, 0) => "kernels loop independent".to_owned(),
        (Directives::Kernels, _) => "loop independent".to_owned(),
        (Directives::Sized, 0) if last == 0 => {
            "kernels loop independent gang vector(40)".to_owned()
        }
        (Directives::Sized, 0) => "kernels loop independent gang".to_owned(),
        (Directives::Sized, number) if number == last => "loop independent vector(40)".to_owned(),
        (Directives::Sized, 1) => "loop independent worker(3)".to_owned(),
        (Directives::Sized, _) => return None,
        (Directives::CollapsedLevels(outer), number) if number == 0 || number == outer => {
            let (start, count) = match number {
                0 => ("parallel loop gang", outer),
                _ => ("loop vector", nest.parallel - outer),
            };
            match count {
                1 => start.to_owned(),
                count => format!("{start} collapse({count})"),
            }
        }
        (Directives::CollapsedLevels(_), _) => return None,
        (Directives::Collapsed(1), 0) => "parallel loop".to_owned(),
        (Directives::Collapsed(depth), 0) => format!("parallel loop collapse({depth})"),
        (Directives::Tiled(depth), 0) => {
            format!(
                "parallel loop tile({})",
                ["3", "5", "2", "4"][..depth].join(", ")
            )
        }
        (Directives::Collapsed(_) | Directives::Tiled(_), _) => return None,
    };
    if let Body::Reduce(operator) = nest.body {
        text += match operator {
            Operator::Add => " reduction(+:total)",
            Operator::Maximum => " reduction(max:total)",
            Operator::ExclusiveOr => " reduction(^:total)",
        };
    }
    if number == 0 {
        let sizes = choice.sizes;
        for (clause, size) in [
            ("num_gangs", sizes.gangs),
            ("num_workers", sizes.workers),
            ("vector_length", sizes.lanes),
        ] {
            if let Some(size) = size {
                let _ = write!(text, " {clause}({size})");
            }
        }
        for (number, input) in nest.inputs.iter().enumerate() {
            let _ = write!(text, " copyin({})", section(input, &format!("a{number}")));
        }
        let _ = write!(text, " copy({})", section(&nest.output, "out"));
    }
    Some(text)
}

/// An array as a data clause names it.
fn section(array: &Array, name: &str) -> String {
    let extents = array.subscripts.iter().map(|subscript| subscript.extent);
    match array.form {
        Form::Shaped => {
            let sections: String = extents.map(|extent| format!("[0:{extent}]")).collect();
            name.to_owned() + &sections
        }
        Form::Flat | Form::Strided => format!("{name}[0:{}]", extents.product::<i64>()),
    }
}
