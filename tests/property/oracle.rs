//! Writes a program as serial C that computes what fcw means, thread by thread.
//!
//! Tile by tile, each statement is run for all threads of the block whose mask is set before the
//! next one is; a channel write is first evaluated by all of them, then stored by all of them.
//! Every private variable is an array with an element a thread, every window an array of its own
//! that is filled before the region and of which written slots go back after it. `cache` changes
//! nothing and leaves no trace here.
//!
//! Nothing of the translator is in it: sizes of windows are found by asking all threads, masks are
//! arrays, and races are looked for rather than reasoned about (`harness.h`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::model::{Expression, Item, Kernel, Policy, Program, Region, Side, Statement, Type};

/// The function `oracle_NUMBER`.
pub fn function(program: &Program, number: usize) -> String {
    let mut printer = Printer {
        program,
        text: String::new(),
        indent: 0,
        constants: BTreeMap::new(),
        shared: program.parameters.clone(),
        parallel: Vec::new(),
        windows: Vec::new(),
        immediate: true,
        fresh: 0,
    };
    printer.function(number);
    printer.text
}

/// A window in force.
struct Open {
    array: usize,
    name: String,
}

struct Printer<'p> {
    program: &'p Program,
    text: String,
    indent: usize,
    /// Values of constant private variables, which pivots may use.
    constants: BTreeMap<String, Expression>,
    /// Names that all threads have in common: parameters and reduction variables.
    shared: Vec<String>,
    /// Variables of the parallel loops.
    parallel: Vec<String>,
    windows: Vec<Open>,
    /// Whether a store comes with its evaluation rather than behind a barrier.
    immediate: bool,
    fresh: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        let _ = writeln!(self.text, "{:1$}{2}", "", 4 * self.indent, text.as_ref());
    }

    fn open(&mut self, text: &str) {
        self.line(format!("{text}{{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    /// A name that no other has.
    fn unique(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}_{}", self.fresh)
    }

    fn function(&mut self, number: usize) {
        let parameters: String = self
            .program
            .parameters
            .iter()
            .map(|name| format!("int {name}, "))
            .collect();
        self.open(&format!(
            "static void oracle_{number}({parameters}struct array *arrays, double *results)\n"
        ));
        self.line("(void)results;");
        let mut result = 0;
        for kernel in &self.program.kernels {
            for reduction in &kernel.reductions {
                let (kind, name) = (reduction.kind.name(), &reduction.name);
                self.line(format!("{kind} {name} = {};", reduction.initial));
                self.shared.push(name.clone());
            }
            self.kernel(kernel);
            for reduction in &kernel.reductions {
                self.line(format!("results[{result}] = (double){};", reduction.name));
                result += 1;
            }
        }
        self.close();
    }

    // Tiles and threads

    fn kernel(&mut self, kernel: &Kernel) {
        self.open("");
        self.line("epoch++;");
        self.line("tile = 0;");
        for (d, dimension) in kernel.dimensions.iter().enumerate() {
            let variable = &dimension.variable;
            self.line(format!("long count{d} = 0;"));
            self.line(format!(
                "for ({} {variable} = {}; {variable} {} {}; {variable} += {})",
                dimension.kind.name(),
                self.uniform(&dimension.lower),
                dimension.relation,
                self.uniform(&dimension.bound),
                dimension.step
            ));
            self.line(format!("    count{d}++;"));
        }
        let blocks: Vec<i64> = kernel
            .dimensions
            .iter()
            .map(|dimension| dimension.block.unwrap_or(1))
            .collect();
        for (d, block) in blocks.iter().enumerate() {
            self.open(&format!(
                "for (long b{d} = 0; b{d} * {block} < count{d}; b{d}++) "
            ));
        }
        self.tile(kernel, &blocks);
        for _ in &blocks {
            self.close();
        }
        self.close();
    }

    fn tile(&mut self, kernel: &Kernel, blocks: &[i64]) {
        let threads: i64 = blocks.iter().product();
        self.line(format!("enum {{ THREADS = {threads} }};"));
        self.line("char on[THREADS], gone[THREADS];");
        self.line("memset(gone, 0, THREADS);");
        self.line("tile++;");
        self.parallel = kernel
            .dimensions
            .iter()
            .map(|dimension| dimension.variable.clone())
            .collect();
        for dimension in &kernel.dimensions {
            let (kind, variable) = (dimension.kind.name(), &dimension.variable);
            self.line(format!("{kind} {variable}[THREADS];"));
        }
        for dimension in &kernel.dimensions {
            self.variables(&dimension.prologue);
        }
        self.variables(&kernel.body);
        self.open("for (int t = 0; t < THREADS; t++) ");
        self.line("on[t] = 1;");
        for (d, dimension) in kernel.dimensions.iter().enumerate() {
            let inner: i64 = blocks[d + 1..].iter().product();
            let block = blocks[d];
            self.line(format!(
                "const long p{d} = b{d} * {block} + t / {inner} % {block};"
            ));
            self.line(format!("on[t] &= p{d} < count{d};"));
            self.line(format!(
                "{}[t] = ({})({} + {} * p{d});",
                dimension.variable,
                dimension.kind.name(),
                self.uniform(&dimension.lower),
                dimension.step
            ));
        }
        self.close();
        for dimension in &kernel.dimensions {
            self.statements(&dimension.prologue);
        }
        self.statements(&kernel.body);
    }

    /// Declares the private variables of statements, an element a thread.
    fn variables(&mut self, list: &[Statement]) {
        for statement in list {
            match statement {
                Statement::Declare {
                    name,
                    kind,
                    constant,
                    value,
                } => {
                    self.line(format!("{} {name}[THREADS];", kind.name()));
                    if let (true, Some(value)) = (constant, value) {
                        self.constants.insert(name.clone(), value.clone());
                    }
                }
                Statement::For { name, body, .. } => {
                    self.line(format!("int {name}[THREADS];"));
                    self.variables(body);
                }
                Statement::If {
                    then, otherwise, ..
                } => {
                    self.variables(then);
                    self.variables(otherwise);
                }
                Statement::While { body, .. } | Statement::DoWhile { body, .. } => {
                    self.variables(body);
                }
                Statement::Region(region) => self.variables(&region.body),
                _ => {}
            }
        }
    }

    // Statements, each for all threads whose mask is set

    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Declare { value: None, .. } => {}
            Statement::Declare {
                name,
                value: Some(value),
                ..
            } => {
                let value = self.expression(value);
                self.line(format!("EACH {name}[t] = {value};"));
            }
            Statement::Assign {
                place,
                operator,
                value,
            } => {
                let value = self.expression(value);
                self.assign(place, &format!("{operator} {value}"), *operator != "=");
            }
            Statement::Step { place, operator } => self.assign(place, operator, true),
            Statement::If {
                condition,
                then,
                otherwise,
            } => self.conditional(condition, then, otherwise),
            Statement::For {
                name,
                from,
                condition,
                operator,
                step,
                body,
            } => {
                let from = self.expression(from);
                self.line(format!("EACH {name}[t] = {from};"));
                let update = format!("{name}[t] {operator} {step};");
                self.repeated(Some(condition), body, None, &update);
            }
            Statement::While { condition, body } => self.repeated(Some(condition), body, None, ""),
            Statement::DoWhile { body, condition } => {
                self.repeated(None, body, Some(condition), "");
            }
            Statement::Break => self.line("EACH on[t] = 0;"),
            Statement::Continue => self.line("EACH { resumed[t] = 1; on[t] = 0; }"),
            Statement::Leave => self.line("EACH { gone[t] = 1; on[t] = 0; }"),
            Statement::Region(region) => self.region(region),
            Statement::Barrier => self.line("phase++;"),
        }
    }

    fn conditional(&mut self, condition: &Expression, then: &[Statement], otherwise: &[Statement]) {
        let condition = self.expression(condition);
        self.open("");
        self.line("char holds[THREADS], others[THREADS];");
        self.open("for (int t = 0; t < THREADS; t++) ");
        self.line(format!("holds[t] = on[t] && ({condition});"));
        self.line("others[t] = on[t] && !holds[t];");
        self.line("on[t] = holds[t];");
        self.close();
        self.statements(then);
        self.line("memcpy(holds, on, THREADS);");
        self.line("memcpy(on, others, THREADS);");
        self.statements(otherwise);
        self.line("for (int t = 0; t < THREADS; t++) on[t] |= holds[t];");
        self.close();
    }

    fn repeated(
        &mut self,
        before: Option<&Expression>,
        body: &[Statement],
        after: Option<&Expression>,
        update: &str,
    ) {
        self.open("");
        self.line("char entered[THREADS], resumed[THREADS];");
        self.line("memcpy(entered, on, THREADS);");
        self.open("for (;;) ");
        if let Some(condition) = before {
            let condition = self.expression(condition);
            self.line(format!("EACH on[t] = ({condition}) != 0;"));
        }
        self.line("if (!any(on, THREADS))");
        self.line("    break;");
        self.line("memset(resumed, 0, THREADS);");
        self.statements(body);
        self.line("for (int t = 0; t < THREADS; t++) on[t] |= resumed[t];");
        if !update.is_empty() {
            self.line(format!("EACH {update}"));
        }
        if let Some(condition) = after {
            let condition = self.expression(condition);
            self.line(format!("EACH on[t] = ({condition}) != 0;"));
        }
        self.close();
        self.line("for (int t = 0; t < THREADS; t++) on[t] = entered[t] && !gone[t];");
        self.close();
    }

    /// `change` is what stands behind the place: `+= value`, `++`.
    fn assign(&mut self, place: &Expression, change: &str, reads: bool) {
        let Expression::Element {
            array,
            indices,
            member,
        } = place
        else {
            let place = self.expression(place);
            self.line(format!("EACH {place} {change};"));
            return;
        };
        let element = self.program.arrays[*array].element;
        let member_access = member.map_or(String::new(), |member| format!(".{member}"));
        let kind = member.map_or(element, |member| member_type(element, member));
        let Some(window) = self.windows.iter().find(|open| open.array == *array) else {
            let written = self.pointer("element_written", *array, indices);
            if reads {
                let read = self.pointer("element_read", *array, indices);
                self.line(format!("EACH (void){read};"));
            }
            let place = format!("(*({} *){written}){member_access}", element.name());
            self.line(format!("EACH {place} {change};"));
            return;
        };
        let window = window.name.clone();
        let indices = self.indices(indices);
        self.open("");
        self.line(format!("{} value[THREADS];", kind.name()));
        self.line("long slot[THREADS];");
        self.open("EACH ");
        self.line(format!("slot[t] = window_slot(&{window}, {indices});"));
        let pointer = format!("({} *)slot_", element.name());
        if reads {
            self.line(format!(
                "value[t] = (*{pointer}read(&{window}, t, slot[t])){member_access};"
            ));
        }
        self.line(format!("value[t] {change};"));
        if !self.immediate {
            self.close();
            self.line("phase++;");
            self.open("EACH ");
        }
        self.line(format!(
            "(*{pointer}written(&{window}, t, slot[t])){member_access} = value[t];"
        ));
        self.close();
        if !self.immediate {
            self.line("phase++;");
        }
        self.close();
    }

    // Windows

    fn region(&mut self, region: &Region) {
        if region.directives.iter().any(|d| d.policy.is_cache()) {
            self.statements(&region.body);
            return;
        }
        let items: Vec<(Policy, &Item)> = region
            .directives
            .iter()
            .flat_map(|directive| directive.items.iter().map(|item| (directive.policy, item)))
            .collect();
        self.open("if (any(on, THREADS)) ");
        self.line("const int lead = leader(on, THREADS);");
        self.line("phase++;");
        for (policy, item) in &items {
            let name = self.unique("window");
            self.open_window(&name, *policy, item);
            self.windows.push(Open {
                array: item.array,
                name,
            });
        }
        let communicates = items.iter().any(|(policy, _)| policy.communicates());
        self.immediate = region.explicit || !communicates;
        self.statements(&region.body);
        self.immediate = true;
        let windows = std::mem::take(&mut self.windows);
        for (open, (policy, _)) in windows.iter().zip(&items) {
            let write_back = i32::from(policy.writes_back());
            self.line(format!("window_close(&{}, {write_back});", open.name));
        }
        self.line("phase++;");
        self.close();
    }

    fn open_window(&mut self, name: &str, policy: Policy, item: &Item) {
        let rank = item.window.len();
        self.line(format!(
            "struct window {name} = window_of(&arrays[{}], {rank});",
            item.array
        ));
        self.open("for (int t = 0; t < THREADS; t++) ");
        for (d, side) in item.window.iter().enumerate() {
            let Side {
                pivot,
                before,
                after,
            } = side;
            let parts = [pivot, before, after].map(|part| self.pivot(part));
            self.line(format!("window_widen(&{name}, {d}, {});", parts.join(", ")));
        }
        self.close();
        self.line(format!(
            "window_open(&{name}, {});",
            i32::from(policy.fetches())
        ));
    }

    /// A part of a window as a thread has it, be its mask clear: constants are spelled out, and
    /// variables of sequential loops are those of a thread that runs.
    fn pivot(&self, expression: &Expression) -> String {
        let names = |name: &str| {
            if self.shared.iter().any(|shared| shared == name) {
                name.to_owned()
            } else if let Some(value) = self.constants.get(name) {
                format!("({})", self.pivot(value))
            } else if self.parallel.iter().any(|variable| variable == name) {
                format!("{name}[t]")
            } else {
                format!("{name}[lead]")
            }
        };
        format!("(long)(int)({})", self.print(expression, &names))
    }

    // Expressions

    /// What all threads have in common.
    fn uniform(&self, expression: &Expression) -> String {
        self.print(expression, &str::to_owned)
    }

    /// As thread `t` evaluates it.
    fn expression(&self, expression: &Expression) -> String {
        let names = |name: &str| {
            if self.shared.iter().any(|shared| shared == name) {
                name.to_owned()
            } else {
                format!("{name}[t]")
            }
        };
        self.print(expression, &names)
    }

    fn print(&self, expression: &Expression, names: &dyn Fn(&str) -> String) -> String {
        let print = |part: &Expression| self.print(part, names);
        match expression {
            Expression::Integer(value) => format!("({value})"),
            Expression::Real(value) => format!("({value:?})"),
            Expression::Name(name) => names(name),
            Expression::Member(name, member) => format!("{}.{member}", names(name)),
            Expression::Element {
                array,
                indices,
                member,
            } => self.element(*array, indices, *member),
            Expression::Binary(operator, left, right) => {
                format!("({} {operator} {})", print(left), print(right))
            }
            Expression::Conditional(condition, yes, no) => {
                format!("({} ? {} : {})", print(condition), print(yes), print(no))
            }
            Expression::Cast(kind, value) => format!("(({}){})", kind.name(), print(value)),
            Expression::Call(function, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(print).collect();
                format!("{function}({})", arguments.join(", "))
            }
        }
    }

    fn element(&self, array: usize, indices: &[Expression], member: Option<&str>) -> String {
        let kind = self.program.arrays[array].element.name();
        let place = self.indices(indices);
        let open: Vec<&Open> = self.windows.iter().filter(|w| w.array == array).collect();
        let read = |window: &Open| {
            let name = &window.name;
            format!("slot_read(&{name}, t, window_slot(&{name}, {place}))")
        };
        let pointer = match &open[..] {
            [] => self.pointer("element_read", array, indices),
            [one] => read(one),
            [first, second, ..] => format!(
                "(window_holds(&{}, {place}) ? {} : {})",
                first.name,
                read(first),
                read(second)
            ),
        };
        let member = member.map_or(String::new(), |member| format!(".{member}"));
        format!("(*({kind} *){pointer}){member}")
    }

    fn pointer(&self, function: &str, array: usize, indices: &[Expression]) -> String {
        format!("{function}(&arrays[{array}], t, {})", self.indices(indices))
    }

    /// Three indices, the missing ones 0.
    fn indices(&self, indices: &[Expression]) -> String {
        let mut all: Vec<String> = indices
            .iter()
            .map(|index| format!("(int)({})", self.expression(index)))
            .collect();
        all.resize(3, "0".to_owned());
        all.join(", ")
    }
}

/// The type of a structure's member.
fn member_type(element: Type, member: &str) -> Type {
    let found = element.members().iter().find(|(name, _)| *name == member);
    found.map_or(element, |(_, kind)| *kind)
}
