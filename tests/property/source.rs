//! Writes a program as C with directives: what the translator gets.

use std::fmt::Write as _;

use super::model::{
    Array, Dimension, Directive, Expression, Form, Item, Kernel, Program, Region, Statement,
    Storage,
};

/// The function `fcw_NUMBER` and the arrays at file scope that it uses.
pub fn function(program: &Program, number: usize) -> String {
    let mut printer = Printer {
        program,
        number,
        text: String::new(),
        indent: 0,
    };
    printer.function();
    printer.text
}

/// The name of an array in the file.
pub fn array_name(array: &Array, number: usize) -> String {
    match array.storage {
        Storage::File => format!("file_{number}_{}", array.name),
        Storage::Pointer | Storage::Parameter | Storage::Rows => array.name.clone(),
    }
}

/// The extents that an array at file scope is declared with: the largest of all rounds.
pub fn declared_extents(program: &Program, array: &Array) -> Vec<i64> {
    let largest = |extent: &Expression| {
        let values = program.rounds.iter().map(|round| {
            let names = program.parameters.iter().map(String::as_str);
            extent.evaluate(&names.zip(round.iter().copied()).collect())
        });
        values.max().unwrap_or(1).max(1)
    };
    array.extents.iter().map(largest).collect()
}

struct Printer<'p> {
    program: &'p Program,
    number: usize,
    text: String,
    indent: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", 4 * self.indent, text.as_ref());
    }

    // The function and its parameters

    fn function(&mut self) {
        let program = self.program;
        let mut parameters: Vec<String> = program
            .parameters
            .iter()
            .map(|name| format!("int {name}"))
            .collect();
        for array in &program.arrays {
            match array.storage {
                Storage::File => {
                    let extents = declared_extents(program, array);
                    let brackets: String =
                        extents.iter().map(|extent| format!("[{extent}]")).collect();
                    let name = array_name(array, self.number);
                    self.line(format!("static {} {name}{brackets};", array.element.name()));
                }
                Storage::Pointer | Storage::Parameter | Storage::Rows => {
                    parameters.push(self.parameter(array));
                }
            }
        }
        parameters.push("double *results".to_owned());
        self.line(format!(
            "static void fcw_{}({})",
            self.number,
            parameters.join(", ")
        ));
        self.line("{");
        self.indent += 1;
        for array in &program.arrays {
            if array.storage == Storage::Rows {
                self.rows(array);
            }
        }
        if program.data_region {
            self.line(format!("#pragma acc data{}", self.data_clauses(None)));
            self.line("{");
            self.indent += 1;
        }
        let mut result = 0;
        for kernel in &program.kernels {
            self.kernel(kernel);
            for reduction in &kernel.reductions {
                self.line(format!("results[{result}] = (double){};", reduction.name));
                result += 1;
            }
        }
        if program.data_region {
            self.indent -= 1;
            self.line("}");
        }
        self.indent -= 1;
        self.line("}");
    }

    /// The pointers to an array's rows.
    fn rows(&mut self, array: &Array) {
        let element = self.element(array);
        let inner: String = array.extents[2..]
            .iter()
            .map(|extent| format!("[{}]", self.expression(extent)))
            .collect();
        let (name, rows) = (&array.name, self.operand(&array.extents[0]));
        let pointers = |declarator: &str| match inner.as_str() {
            "" => format!("{element} *{declarator}"),
            inner => format!("{element} (*{declarator}){inner}"),
        };
        self.line(format!(
            "{};",
            pointers(&format!("{name}_rows[{rows} + 1]"))
        ));
        self.line(format!("for (int row = 0; row < {rows}; row++)"));
        self.line(format!("    {name}_rows[row] = {name}_flat[row];"));
        let declared = pointers(&format!("*restrict {name}"));
        self.line(format!("{declared} = {name}_rows;"));
    }

    fn element(&self, array: &Array) -> String {
        let constant = if array.written || array.dummy || self.is_assigned(array) {
            ""
        } else {
            "const "
        };
        format!("{constant}{}", array.element.name())
    }

    fn parameter(&self, array: &Array) -> String {
        let element = self.element(array);
        let rows: String = array.extents[1..]
            .iter()
            .map(|extent| format!("[{}]", self.expression(extent)))
            .collect();
        let name = match array.storage {
            Storage::Rows => format!("{}_flat", array.name),
            _ => array.name.clone(),
        };
        if array.storage == Storage::Parameter {
            let first = self.expression(&array.extents[0]);
            return format!("{element} {name}[restrict {first}]{rows}");
        }
        if rows.is_empty() {
            format!("{element} *restrict {name}")
        } else {
            format!("{element} (*restrict {name}){rows}")
        }
    }

    /// Whether a statement writes to the array, be it only to its window.
    fn is_assigned(&self, array: &Array) -> bool {
        let assigned = |place: &Expression| match place {
            Expression::Element { array: index, .. } => {
                self.program.arrays[*index].name == array.name
            }
            _ => false,
        };
        self.program
            .kernels
            .iter()
            .any(|kernel| any_place(&kernel.body, &assigned))
    }

    // Constructs

    fn data_clauses(&self, kernel: Option<usize>) -> String {
        let mut clauses = String::new();
        for array in self.program.arrays.iter().filter(|array| !array.dummy) {
            let name = array_name(array, self.number);
            let section = match array.storage {
                Storage::File => String::new(),
                Storage::Pointer | Storage::Parameter | Storage::Rows => array
                    .extents
                    .iter()
                    .map(|extent| format!("[0:{}]", self.expression(extent)))
                    .collect(),
            };
            if kernel.is_some() && self.program.data_region {
                let _ = write!(clauses, " present({name})");
            } else {
                let clause = if array.written { "copy" } else { "copyin" };
                let _ = write!(clauses, " {clause}({name}{section})");
            }
        }
        clauses
    }

    fn kernel(&mut self, kernel: &Kernel) {
        for reduction in &kernel.reductions {
            self.line(format!(
                "{} {} = {};",
                reduction.kind.name(),
                reduction.name,
                reduction.initial
            ));
        }
        let mut clauses = self.data_clauses(Some(0));
        if let Some(gangs) = kernel.gangs {
            let _ = write!(clauses, " num_gangs({gangs})");
        }
        let depth = self.indent;
        for (level, dimension) in kernel.dimensions.iter().enumerate() {
            for line in loop_directives(kernel, dimension, level == 0, &clauses) {
                self.line(line);
            }
            self.line(format!("{} {{", self.parallel_loop(dimension)));
            self.indent += 1;
            self.statements(&dimension.prologue);
        }
        self.statements(&kernel.body);
        while self.indent > depth {
            self.indent -= 1;
            self.line("}");
        }
    }

    fn parallel_loop(&self, dimension: &Dimension) -> String {
        let name = &dimension.variable;
        let update = match dimension.step {
            1 => format!("{name}++"),
            -1 => format!("{name}--"),
            step if step < 0 => format!("{name} -= {}", -step),
            step => format!("{name} += {step}"),
        };
        format!(
            "for ({} {name} = {}; {name} {} {}; {update})",
            dimension.kind.name(),
            self.expression(&dimension.lower),
            dimension.relation,
            self.expression(&dimension.bound)
        )
    }

    // Statements

    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn braced(&mut self, head: &str, body: &[Statement], tail: &str) {
        self.line(format!("{head}{{"));
        self.indent += 1;
        self.statements(body);
        self.indent -= 1;
        self.line(format!("}}{tail}"));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare {
                name,
                kind,
                constant,
                value,
            } => {
                let constant = if *constant { "const " } else { "" };
                let value = value.as_ref().map_or(String::new(), |value| {
                    format!(" = {}", self.expression(value))
                });
                self.line(format!("{constant}{} {name}{value};", kind.name()));
            }
            Statement::Assign {
                place,
                operator,
                value,
            } => self.line(format!(
                "{} {operator} {};",
                self.expression(place),
                self.expression(value)
            )),
            Statement::Step { place, operator } => {
                self.line(format!("{}{operator};", self.expression(place)));
            }
            Statement::If {
                condition,
                then,
                otherwise,
            } => {
                let head = format!("if ({}) ", self.expression(condition));
                self.braced(&head, then, "");
                if !otherwise.is_empty() {
                    self.braced("else ", otherwise, "");
                }
            }
            Statement::For {
                name,
                from,
                condition,
                operator,
                step,
                body,
            } => {
                let head = format!(
                    "for (int {name} = {}; {}; {name} {operator} {step}) ",
                    self.expression(from),
                    self.expression(condition)
                );
                self.braced(&head, body, "");
            }
            Statement::While { condition, body } => {
                let head = format!("while ({}) ", self.expression(condition));
                self.braced(&head, body, "");
            }
            Statement::DoWhile { body, condition } => {
                let tail = format!(" while ({});", self.expression(condition));
                self.braced("do ", body, &tail);
            }
            Statement::Break => self.line("break;"),
            Statement::Continue | Statement::Leave => self.line("continue;"),
            Statement::Region(region) => self.region(region),
            Statement::Barrier => self.line("#pragma acc fcw_barrier"),
        }
    }

    fn region(&mut self, region: &Region) {
        let explicit = if region.explicit { " explicit" } else { "" };
        if region.directives.iter().any(|d| d.policy.is_cache()) {
            for directive in &region.directives {
                self.line(self.cache(directive));
            }
            self.statements(&region.body);
            return;
        }
        let clauses: Vec<String> = region.directives.iter().map(|d| self.clause(d)).collect();
        if region.stacked {
            for clause in clauses {
                self.line(format!("#pragma acc fcw {clause}{explicit}"));
            }
        } else {
            self.line(format!("#pragma acc fcw {}{explicit}", clauses.join(" ")));
        }
        match &region.body[..] {
            [one @ (Statement::For { .. } | Statement::If { .. })] => self.statement(one),
            body => self.braced("", body, ""),
        }
    }

    fn clause(&self, directive: &Directive) -> String {
        let items: Vec<String> = directive.items.iter().map(|item| self.item(item)).collect();
        format!("{}({})", directive.policy.name(), items.join(", "))
    }

    fn item(&self, item: &Item) -> String {
        let sides: Vec<String> = item
            .window
            .iter()
            .map(|side| {
                [&side.pivot, &side.before, &side.after]
                    .map(|part| self.expression(part))
                    .join(":")
            })
            .collect();
        let name = array_name(&self.program.arrays[item.array], self.number);
        let separator = if item.bracketed { "][" } else { ":" };
        format!("{name}[{}]", sides.join(separator))
    }

    fn cache(&self, directive: &Directive) -> String {
        let item = |item: &Item| {
            let name = array_name(&self.program.arrays[item.array], self.number);
            let sections: String = item
                .window
                .iter()
                .map(|side| {
                    let lower = side.pivot.clone() - side.before.clone();
                    let length = side.before.clone() + side.after.clone() + 1;
                    format!("[{}:{}]", self.expression(&lower), self.expression(&length))
                })
                .collect();
            format!("{name}{sections}")
        };
        let items: Vec<String> = directive.items.iter().map(item).collect();
        let modifier = if directive.policy == super::model::Policy::CacheReadOnly {
            "readonly: "
        } else {
            ""
        };
        format!("#pragma acc cache({modifier}{})", items.join(", "))
    }

    // Expressions

    fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Integer(value) => value.to_string(),
            Expression::Real(value) => format!("{value:?}"),
            Expression::Name(name) => name.clone(),
            Expression::Member(name, member) => format!("{name}.{member}"),
            Expression::Element {
                array,
                indices,
                member,
            } => {
                let mut text = array_name(&self.program.arrays[*array], self.number);
                for index in indices {
                    let _ = write!(text, "[{}]", self.expression(index));
                }
                if let Some(member) = member {
                    let _ = write!(text, ".{member}");
                }
                text
            }
            Expression::Binary(operator, left, right) => {
                format!("{} {operator} {}", self.operand(left), self.operand(right))
            }
            Expression::Conditional(condition, yes, no) => format!(
                "{} ? {} : {}",
                self.operand(condition),
                self.operand(yes),
                self.operand(no)
            ),
            Expression::Cast(kind, value) => format!("({}){}", kind.name(), self.operand(value)),
            Expression::Call(function, arguments) => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|value| self.expression(value))
                    .collect();
                format!("{function}({})", arguments.join(", "))
            }
        }
    }

    /// In parentheses where it is not one word.
    fn operand(&self, expression: &Expression) -> String {
        let text = self.expression(expression);
        match expression {
            Expression::Binary(..) | Expression::Conditional(..) | Expression::Cast(..) => {
                format!("({text})")
            }
            Expression::Integer(value) if *value < 0 => format!("({text})"),
            Expression::Real(value) if *value < 0.0 => format!("({text})"),
            _ => text,
        }
    }
}

/// The directive lines over a loop of a kernel's nest.
fn loop_directives(
    kernel: &Kernel,
    dimension: &Dimension,
    outermost: bool,
    clauses: &str,
) -> Vec<String> {
    let mut spread = match (dimension.block, kernel.form) {
        (Some(block), Form::ParallelLength) => format!(" gang vector vector_length({block})"),
        (Some(block), _) => format!(" vector({block})"),
        (None, _) => String::new(),
    };
    for reduction in &kernel.reductions {
        let _ = write!(
            spread,
            " reduction({}:{})",
            reduction.operator, reduction.name
        );
    }
    match (kernel.form, outermost) {
        (Form::Parallel | Form::ParallelLength, true) => {
            vec![format!("#pragma acc parallel loop{spread}{clauses}")]
        }
        (Form::Parallel | Form::ParallelLength, false) => {
            vec![format!("#pragma acc loop{spread}")]
        }
        (Form::KernelsLoop, true) => {
            vec![format!(
                "#pragma acc kernels loop independent{spread}{clauses}"
            )]
        }
        (Form::Kernels, true) => vec![
            format!("#pragma acc kernels{clauses}"),
            format!("#pragma acc loop independent{spread}"),
        ],
        (Form::KernelsLoop | Form::Kernels, false) => {
            vec![format!("#pragma acc loop independent{spread}")]
        }
    }
}

/// Whether a place that is written somewhere in the statements satisfies the question.
fn any_place(list: &[Statement], question: &dyn Fn(&Expression) -> bool) -> bool {
    list.iter().any(|statement| match statement {
        Statement::Assign { place, .. } | Statement::Step { place, .. } => question(place),
        Statement::If {
            then, otherwise, ..
        } => any_place(then, question) || any_place(otherwise, question),
        Statement::For { body, .. }
        | Statement::While { body, .. }
        | Statement::DoWhile { body, .. } => any_place(body, question),
        Statement::Region(region) => any_place(&region.body, question),
        Statement::Declare { .. }
        | Statement::Break
        | Statement::Continue
        | Statement::Leave
        | Statement::Barrier => false,
    })
}
