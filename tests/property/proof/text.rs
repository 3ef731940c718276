//! Writes functions as C, once as they are and once so that a run tells which elements each
//! iteration of each loop touches.

use std::fmt::Write as _;

use super::model::{END, Fill, Function, Node, Parameter, READ, SIZES, Storage, UPDATE, WRITE};

/// Which loops a function has: their lines in the file, in the order of their numbers.
pub type Lines = Vec<usize>;

/// A file of functions, and the lines of each one's loops.
pub fn file(functions: &[&Function], traced: bool) -> (String, Vec<Lines>) {
    let mut printer = Printer {
        text: "#include \"proof.h\"\n\nstruct sizes { int n, m, w, s; };\n\n".to_owned(),
        sizes: "",
        indent: 0,
        traced,
        lines: Vec::new(),
        loops: 0,
    };
    let mut lines = Vec::new();
    for (number, function) in functions.iter().enumerate() {
        printer.function(function, number);
        lines.push(std::mem::take(&mut printer.lines));
    }
    printer.main(functions);
    (printer.text, lines)
}

/// A function alone, to be looked at.
pub fn function(function: &Function) -> String {
    file(&[function], false).0
}

struct Printer {
    text: String,
    /// Before the names of [`SIZES`].
    sizes: &'static str,
    indent: usize,
    traced: bool,
    lines: Lines,
    /// Loops of all functions so far.
    loops: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let text = if self.traced {
            text.replace(READ, "(*READ(&")
                .replace(WRITE, "(*WRITE(&")
                .replace(UPDATE, "(*UPDATE(&")
                .replace(END, "))")
        } else {
            text.replace([READ, WRITE, UPDATE, END], "")
        };
        let text = with_prefix(&text, self.sizes);
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * self.indent);
    }

    fn function(&mut self, function: &Function, number: usize) {
        let _ = writeln!(self.text, "/* {} */", function.seed);
        let rename = |text: &str| text.replace('@', &number.to_string());
        for storage in &function.storages {
            let extents: String = storage.extents.iter().map(|n| format!("[{n}]")).collect();
            self.line(&format!(
                "static {} {}{extents};",
                storage.element,
                rename(&storage.name)
            ));
        }
        let own = function.parameters.iter().filter(|p| !is_size(function, p));
        let mut parameters: Vec<String> = match function.sizes {
            "" => Vec::new(),
            "z." => vec!["struct sizes z".to_owned()],
            _ => vec!["const struct sizes *z".to_owned()],
        };
        parameters.extend(own.map(|p| format!("{} {}", p.kind, p.name)));
        for array in &function.arrays {
            if let Some((declarator, _)) = &array.parameter {
                parameters.push(declarator.clone());
            }
        }
        parameters.push("double *results".to_owned());
        self.sizes = function.sizes;
        self.line(&format!(
            "static void nest_{number}({})",
            parameters.join(", ")
        ));
        self.line("{");
        self.indent += 1;
        for local in &function.locals {
            self.line(&rename(&local.text));
        }
        let sections = function.arrays.iter().map(|array| &array.section);
        let mut clauses: String =
            (sections.map(|section| format!(" copy({})", rename(section)))).collect();
        if function.sizes == "z->" {
            clauses += " copyin(z[0:1])";
        }
        for region in &function.regions {
            self.line(&format!("#pragma acc kernels{clauses}"));
            self.line("{");
            self.indent += 1;
            self.list(region, &rename);
            self.indent -= 1;
            self.line("}");
        }
        for (index, result) in function.results.iter().enumerate() {
            self.line(&format!("results[{index}] = (double){result};"));
        }
        self.indent -= 1;
        self.line("}\n");
        self.sizes = "";
    }

    fn list(&mut self, list: &[Node], rename: &dyn Fn(&str) -> String) {
        for node in list {
            self.node(node, rename);
        }
    }

    fn node(&mut self, node: &Node, rename: &dyn Fn(&str) -> String) {
        match node {
            Node::Plain(text) | Node::Declare(text) => self.line(&rename(text)),
            Node::Assign {
                target,
                form,
                terms,
            } => {
                let sum = terms.join(" + ");
                let text = form.replace("{}", if sum.is_empty() { "1" } else { &sum });
                self.line(&rename(&format!("{target} {text};")));
            }
            Node::If {
                condition,
                then,
                otherwise,
            } => {
                self.line(&rename(&format!("if ({condition}) {{")));
                self.block(then, rename);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise, rename);
                }
                self.line("}");
            }
            Node::Switch {
                value,
                set,
                condition,
                body,
            } => {
                self.line(&rename(&format!("switch ({value}) {{")));
                self.line("case 0:;");
                self.line(&format!("    {}", rename(set)));
                self.line(&rename(&format!("    if ({condition}) {{")));
                self.line("    case 1:;");
                self.line("    } else {");
                self.line("    }");
                self.block(body, rename);
                self.line("}");
            }
            Node::Loop(l) => {
                let number = self.loops;
                self.loops += 1;
                if self.traced {
                    self.line(&format!("LOOP_BEGINS({number});"));
                }
                self.lines.push(self.text.matches('\n').count() + 1);
                let kind = match l.kind {
                    "" => String::new(),
                    kind => format!("{kind} "),
                };
                self.line(&rename(&format!(
                    "for ({kind}{} = {}; {}; {}) {{",
                    l.variable, l.first, l.condition, l.step
                )));
                if self.traced {
                    self.line(&format!("    ITERATION({number});"));
                }
                self.block(&l.body, rename);
                self.line("}");
                if self.traced {
                    self.line(&format!("LOOP_ENDS({number});"));
                }
            }
        }
    }

    fn block(&mut self, list: &[Node], rename: &dyn Fn(&str) -> String) {
        self.indent += 1;
        self.list(list, rename);
        self.indent -= 1;
    }

    /// Runs the functions from the one on whose number is the argument.
    fn main(&mut self, functions: &[&Function]) {
        let mut first_loop = 0;
        for (number, function) in functions.iter().enumerate() {
            self.line(&format!("static void run_{number}(int round)"));
            self.line("{");
            self.indent += 1;
            for storage in &function.storages {
                self.fill(storage, number);
            }
            let (mut sizes, mut arguments) = (Vec::new(), Vec::new());
            for parameter in &function.parameters {
                let (kind, name) = (parameter.kind, &parameter.name);
                let values = parameter.values.join(", ");
                self.line(&format!("const {kind} {name}_[] = {{{values}}};"));
                match is_size(function, parameter) {
                    true => sizes.push(format!(".{name} = {name}_[round]")),
                    false => arguments.push(format!("{name}_[round]")),
                }
            }
            if !function.sizes.is_empty() {
                let address = if function.sizes == "z->" { "&" } else { "" };
                let sizes = format!("{address}(struct sizes){{{}}}", sizes.join(", "));
                arguments.insert(0, sizes);
            }
            for array in &function.arrays {
                if let Some((_, argument)) = &array.parameter {
                    let argument = argument.replace('@', &number.to_string());
                    arguments.push(argument.replace("[round]", "_[round]"));
                }
            }
            arguments.push("results".to_owned());
            self.line("double results[8] = {0};");
            self.line(&format!("nest_{number}({});", arguments.join(", ")));
            for storage in &function.storages {
                let name = storage.name.replace('@', &number.to_string());
                let length: i64 = storage.extents.iter().product();
                let plain = storage.name.trim_end_matches('@');
                self.line(&format!(
                    "PRINT({number}, round, \"{plain}\", {}, &{name}{}, {length});",
                    storage.element,
                    "[0]".repeat(storage.extents.len())
                ));
            }
            self.line(&format!(
                "PRINT({number}, round, \"results\", double, results, 8);"
            ));
            self.indent -= 1;
            self.line("}\n");
        }
        self.line("int main(int count, char **arguments)\n{");
        self.indent += 1;
        self.line("const int first = count > 1 ? atoi(arguments[1]) : 0;");
        for (number, function) in functions.iter().enumerate() {
            let loops = count_loops(function);
            let rounds = function.rounds;
            self.line(&format!("BEGIN({number}, {first_loop}, {loops});"));
            self.line(&format!(
                "for (int round = 0; round < {rounds} && first <= {number}; round++)"
            ));
            self.line(&format!("    run_{number}(round);"));
            self.line(&format!(
                "if (first <= {number}) DONE({number}, {first_loop}, {loops});"
            ));
            first_loop += loops;
        }
        self.line("return 0;");
        self.indent -= 1;
        self.line("}");
    }

    fn fill(&mut self, storage: &Storage, number: usize) {
        let name = storage.name.replace('@', &number.to_string());
        let length: i64 = storage.extents.iter().product();
        let start = format!("&{name}{}", "[0]".repeat(storage.extents.len()));
        let element = storage.element;
        self.line(&match storage.fill {
            Fill::Numbers => format!("FILL({element}, {start}, {length}, numbers(k));"),
            Fill::Permutation => {
                format!("FILL({element}, {start}, {length}, permutation(k, {length}));")
            }
            Fill::Below(limit) => format!("FILL({element}, {start}, {length}, below(k, {limit}));"),
        });
    }
}

/// Whether a function has a parameter as a member of its struct.
fn is_size(function: &Function, parameter: &Parameter) -> bool {
    !function.sizes.is_empty() && SIZES.contains(&parameter.name.as_str())
}

/// A text with something before each of the names of [`SIZES`].
fn with_prefix(text: &str, prefix: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut with = String::new();
    for part in text.split_inclusive(|c| !is_word(c)) {
        let word = part.trim_end_matches(|c| !is_word(c));
        if SIZES.contains(&word) {
            with += prefix;
        }
        with += part;
    }
    with
}

fn count_loops(function: &Function) -> usize {
    let mut found = 0;
    for region in &function.regions {
        super::model::lists(&mut region.clone(), &mut |list| {
            found += list.iter().filter(|n| matches!(n, Node::Loop(_))).count();
        });
    }
    found
}
