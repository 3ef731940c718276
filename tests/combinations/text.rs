//! The C text of an entry: a function with directives, and its serial twin.
//!
//! Both come from one description. The twin has no directives, and puts back what the construct
//! would not give to the host.

use std::fmt::Write as _;

use super::entry::Entry;
use super::tables::{Construct, Effect, Place, Role};

/// Which of the two functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Directed,
    Twin,
    /// A twin whose loop makes one step less.
    WrongTwin,
}

/// The text of a function that is being written.
struct Text<'e> {
    entry: &'e Entry,
    number: usize,
    form: Form,
    /// The variable is the parameter of another function.
    is_inner: bool,
    text: String,
}

/// The function `entry_NUMBER` or `twin_NUMBER` with all that it needs.
pub fn function(entry: &Entry, number: usize, form: Form) -> String {
    let mut text = Text {
        entry,
        number,
        form,
        is_inner: false,
        text: String::new(),
    };
    text.whole();
    text.text
}

impl Text<'_> {
    // Pieces

    fn is_twin(&self) -> bool {
        self.form != Form::Directed
    }

    fn prefix(&self) -> &'static str {
        if self.is_twin() { "twin" } else { "entry" }
    }

    fn name(&self) -> String {
        match self.entry.kind.place {
            Place::File if !self.is_inner => format!("{}_x{}", self.prefix(), self.number),
            _ => "x".to_owned(),
        }
    }

    fn inner(&self) -> String {
        format!("{}_inner_{}", self.prefix(), self.number)
    }

    /// Fills a piece of the tables in, for an element.
    fn filled_at(&self, piece: &str, index: &str, listed: &str) -> String {
        let kind = self.entry.kind;
        let usual = self.entry.clause.usual;
        let argument = if self.entry.is_argument() {
            "{v}"
        } else {
            usual
        };
        piece
            .replace("{a}", argument)
            .replace("{x!}", listed)
            .replace("{v}", kind.value)
            .replace("{e}", kind.element)
            .replace("{i}", index)
            .replace("{x}", &self.name())
            .replace("{bound}", &format!("{}_device", self.inner()))
    }

    fn filled(&self, piece: &str) -> String {
        self.filled_at(piece, "0", self.entry.kind.listed)
    }

    fn element(&self, index: &str) -> String {
        self.filled_at("{e}", index, "")
    }

    fn value(&self, index: &str) -> String {
        self.filled_at("{v}", index, "")
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    /// A directive, filled in; a twin has none.
    fn directive(&mut self, directive: &str) {
        if !self.is_twin() {
            let directive = self.filled(directive);
            let _ = writeln!(self.text, "#pragma acc {}", directive.trim_end());
        }
    }

    /// A line that only the function with directives has.
    fn device_line(&mut self, line: &str) {
        if !self.is_twin() {
            let line = self.filled(line);
            self.line(&line);
        }
    }

    /// The clause under test, with its own text on some constructs.
    fn clause(&self) -> &'static str {
        match (self.entry.construct, self.entry.clause.name) {
            (Construct::Routine, "device_type") => "seq device_type(*)",
            (Construct::Init | Construct::Set, "device_type") => "device_type(default)",
            (Construct::Set, "if") => "device_num(0) if({a})",
            (Construct::Shutdown, "if") => "if({a} - {a})",
            (Construct::ExitData, _) if self.entry.clause.effect == Effect::None => {
                match self.entry.clause.name {
                    "finalize" => "finalize copyout({x!})",
                    "if" => "if({a}) copyout({x!})",
                    "async" => "async({a}) copyout({x!})",
                    _ => "wait({a}) copyout({x!})",
                }
            }
            (Construct::EnterData, "if") => "if({a}) copyin({x!})",
            (Construct::EnterData, "async") => "async({a}) copyin({x!})",
            (Construct::EnterData, "wait") => "wait({a}) copyin({x!})",
            _ => self.entry.clause.text,
        }
    }

    /// The clause for the results.
    fn results(&self) -> String {
        let role = self.entry.role == Role::Argument && !self.entry.is_argument();
        if role && self.entry.clause.effect != Effect::DevicePointer {
            format!("copy(out[0:{{v}} + {}])", 16 - self.entry.kind.first)
        } else {
            "copy(out[0:16])".to_owned()
        }
    }

    /// Gives the elements their values.
    fn fill(&mut self, indent: &str, first: i32) {
        if self.entry.kind.is("const") {
            return;
        }
        let text = if self.entry.kind.elements == 1 {
            format!("{indent}{} = {first};", self.element("0"))
        } else {
            let element = self.element("k");
            format!("{indent}for (int k = 0; k < 8; k++) {element} = {first} + k % 4;")
        };
        self.line(&text);
    }

    // The function

    fn whole(&mut self) {
        let entry = self.entry;
        let kind = entry.kind;
        let _ = writeln!(self.text, "/* entry {}: {entry} */", self.number);
        if kind.place == Place::File {
            let declaration = self.filled(kind.declaration);
            let linkage = if kind.is("extern") { "" } else { "static " };
            let _ = writeln!(self.text, "{linkage}{declaration}");
            if entry.construct == Construct::Declare {
                let clause = self.clause();
                self.directive(&format!("declare {clause}"));
            }
        }
        self.is_inner = true;
        match entry.construct {
            Construct::Routine => self.routine(),
            Construct::Declare if kind.place != Place::File => self.declaring(),
            _ => {}
        }
        self.is_inner = false;
        let by_caller = kind.place == Place::Parameter;
        let suffix = if by_caller { "_with" } else { "" };
        let parameter = if by_caller { ", int x" } else { "" };
        let (prefix, number) = (self.prefix(), self.number);
        let linkage = if by_caller { "static " } else { "" };
        let _ = writeln!(
            self.text,
            "{linkage}void {prefix}_{number}{suffix}(int n, int *out{parameter})\n{{"
        );
        self.body();
        self.text.push_str("}\n");
        if by_caller {
            let _ = writeln!(
                self.text,
                "void {prefix}_{number}(int n, int *out)\n{{\n    \
                 {prefix}_{number}_with(n, out, {});\n}}",
                kind.first
            );
        }
        if kind.is("extern") {
            let _ = writeln!(self.text, "int {};", self.name());
        }
        self.text.push('\n');
    }

    fn body(&mut self) {
        let entry = self.entry;
        let kind = entry.kind;
        if matches!(kind.place, Place::Local | Place::Allocated) {
            let declaration = self.filled(kind.declaration);
            self.line(&declaration);
        }
        if kind.place != Place::Parameter {
            self.fill("", kind.first);
        }
        let puts_back = self.is_twin() && !entry.keeps() && !kind.is("const");
        if puts_back {
            let (saved, element) = (kind.elements, self.element("k"));
            let saving = format!(
                "{} saved[{saved}]; for (int k = 0; k < {saved}; k++) saved[k] = {element};",
                kind.element_type
            );
            self.line(&saving);
        }
        if entry.clause.effect == Effect::Reduced && entry.role != Role::Write {
            self.line("int sum = 0;");
        }
        self.construct();
        if puts_back {
            let (saved, element) = (kind.elements, self.element("k"));
            self.line(&format!(
                "for (int k = 0; k < {saved}; k++) {element} = saved[k];"
            ));
        }
        if entry.clause.effect == Effect::Reduced && entry.role != Role::Write {
            self.line("out[30] = sum;");
        }
        let value = self.value("k");
        let elements = kind.elements;
        self.line(&format!(
            "for (int k = 0; k < {elements}; k++) out[SHARED + k] = {value};"
        ));
        if kind.is("pointer to pointer") {
            self.line("free(x[0]), free(x[1]);");
        }
        if kind.is_pointer() {
            self.line("free(x);");
        }
    }

    // The constructs

    fn construct(&mut self) {
        let entry = self.entry;
        let entered = entry.is_entered_before();
        if entered && entry.construct != Construct::ExitData {
            self.directive("enter data copyin({x!})");
        }
        if entry.clause.effect == Effect::DevicePointer && entry.kind.is_pointer() {
            self.device_line("void *host = {x}; {x} = acc_malloc(32);");
            self.device_line("acc_memcpy_to_device({x}, host, 32);");
        }
        match entry.construct {
            construct if construct.computes() => self.compute(),
            Construct::Loop => self.orphan_free_loop(),
            Construct::Data => self.data(),
            Construct::EnterData => self.enter_data(),
            Construct::ExitData => self.exit_data(),
            Construct::HostData => self.host_data(),
            Construct::Update => self.update(),
            Construct::Declare => self.declared(),
            Construct::Routine => self.call(),
            Construct::Atomic | Construct::Cache => {
                self.parallel_loop("copy({x!})");
            }
            Construct::Wait => self.wait(),
            _ => {
                let directive = format!("{} {}", entry.construct.name(), self.clause());
                self.directive(&directive);
                self.parallel_loop("copy({x!})");
            }
        }
        if entry.clause.effect == Effect::DevicePointer && entry.kind.is_pointer() {
            self.device_line("acc_memcpy_from_device(host, {x}, 32);");
            self.device_line("acc_free({x}); {x} = host;");
        }
        if entry.has_clause("async") {
            self.directive("wait");
        }
        if entered && entry.construct != Construct::ExitData {
            let end = if entry.keeps() && entry.construct != Construct::EnterData {
                "copyout"
            } else {
                "delete"
            };
            self.directive(&format!("exit data {end}({{x!}})"));
        }
    }

    /// The combined construct that other directives are looked at with.
    fn parallel_loop(&mut self, clauses: &str) {
        let directive = format!("parallel loop {clauses} {}", self.results());
        self.directive(&directive);
        self.nest();
    }

    /// The clause under test on a construct or loop; a reduction of another variable where the
    /// looked at one has another role.
    fn own_clause(&self) -> &'static str {
        if self.entry.clause.effect == Effect::Reduced && self.entry.role != Role::Write {
            "reduction(+:sum)"
        } else {
            self.clause()
        }
    }

    fn compute(&mut self) {
        let entry = self.entry;
        let other = match (entry.clause.effect, entry.role) {
            (Effect::Reduced, role) if role != Role::Write => "copy({x!})",
            _ => entry.explicit().unwrap_or(""),
        };
        let directive = format!(
            "{} {other} {} {}",
            entry.construct.name(),
            self.results(),
            self.own_clause()
        );
        self.directive(&directive);
        if entry.construct.governs_a_loop() {
            self.nest();
            return;
        }
        self.line("{");
        if entry.clause.effect == Effect::Private {
            self.fill("", entry.kind.first);
        }
        if entry.construct == Construct::Parallel {
            self.directive("loop");
        }
        self.nest();
        self.line("}");
    }

    fn orphan_free_loop(&mut self) {
        let results = self.results();
        self.directive(&format!("parallel copy({{x!}}) {results}"));
        self.line("{");
        let clause = self.own_clause();
        self.directive(&format!("loop {clause}"));
        self.nest();
        self.line("}");
    }

    fn data(&mut self) {
        let explicit = self.entry.explicit().unwrap_or("");
        let directive = format!("data {explicit} {} {}", self.results(), self.clause());
        self.directive(&directive);
        self.line("{");
        if self.entry.has_clause("async") {
            self.directive("wait");
        }
        self.directive("parallel loop");
        self.nest();
        self.line("}");
    }

    fn enter_data(&mut self) {
        let clause = self.clause();
        self.directive(&format!("enter data {clause}"));
        if self.entry.has_clause("async") {
            self.directive("wait");
        }
        if self.entry.clause.effect == Effect::Create && !self.entry.is_entered_before() {
            self.directive("update device({x!})");
        }
        self.parallel_loop("present({x!})");
        self.directive("exit data delete({x!})");
    }

    fn exit_data(&mut self) {
        self.directive("enter data copyin({x!})");
        if self.entry.clause.effect == Effect::Attach {
            self.directive("enter data attach({x})");
        }
        self.parallel_loop("present({x!})");
        let clause = self.clause();
        self.directive(&format!("exit data {clause}"));
        if self.entry.clause.effect == Effect::Attach {
            self.directive("exit data delete({x!})");
        }
    }

    fn host_data(&mut self) {
        let results = self.results();
        self.directive(&format!("data copy({{x!}}) {results}"));
        self.line("{");
        let address = self.filled(self.entry.kind.address);
        self.device_line(&format!("void *there = acc_deviceptr((void *){address});"));
        self.device_line("void *reached = 0;");
        let list = if self.entry.clause.effect == Effect::None {
            "use_device({x})"
        } else {
            ""
        };
        let clause = self.clause();
        self.directive(&format!("host_data {clause} {list}"));
        self.device_line(&format!("{{ reached = (void *){address}; }}"));
        self.line(if self.is_twin() {
            "out[31] = 1;"
        } else {
            "out[31] = reached == there;"
        });
        self.directive("parallel loop");
        self.nest();
        self.line("}");
    }

    fn update(&mut self) {
        let first = self.entry.kind.first;
        let to_host = self.entry.clause.effect == Effect::ToHost;
        if !to_host {
            self.fill("", 1);
        }
        self.directive("enter data copyin({x!})");
        if !to_host {
            self.fill("", first);
            let list = if self.entry.clause.effect == Effect::None {
                "device({x!})"
            } else {
                ""
            };
            let clause = self.clause();
            self.directive(&format!("update {list} {clause}"));
            if self.entry.has_clause("async") {
                self.directive("wait");
            }
        }
        self.parallel_loop("present({x!})");
        if to_host {
            let clause = self.clause();
            self.directive(&format!("update {clause}"));
        }
        self.directive("exit data delete({x!})");
    }

    /// Uses a variable of the file that `declare` names, or calls the function that declares.
    fn declared(&mut self) {
        if self.entry.kind.place != Place::File {
            let (inner, name) = (self.inner(), self.name());
            self.line(&format!("{inner}(n, out, {name});"));
            return;
        }
        let linked = self.entry.has_clause("link");
        self.directive(if linked {
            "enter data copyin({x!})"
        } else {
            "update device({x!})"
        });
        self.parallel_loop("");
        if linked {
            self.directive("exit data copyout({x!})");
        } else if self.entry.keeps() {
            self.directive("update self({x!})");
        }
    }

    fn parameters(&self) -> String {
        let parameter = self.filled(self.entry.kind.parameter);
        format!("(int n, int *out, {parameter})")
    }

    /// The function that has a `declare` for its parameter.
    fn declaring(&mut self) {
        let (inner, parameters) = (self.inner(), self.parameters());
        let _ = writeln!(self.text, "static void {inner}{parameters}\n{{");
        let entry = self.entry;
        let listed = entry.kind.parameter_listed;
        if !self.is_twin() {
            let clause = self.filled_at(self.clause(), "0", listed);
            let _ = writeln!(self.text, "#pragma acc declare {clause}");
        }
        let undefined = matches!(entry.clause.effect, Effect::Create | Effect::CopyOut);
        if undefined && entry.role != Role::Write && !self.is_twin() {
            let update = self.filled_at("update device({x!})", "0", listed);
            let _ = writeln!(self.text, "#pragma acc {update}");
        }
        self.parallel_loop("");
        self.text.push_str("}\n");
    }

    fn routine(&mut self) {
        let parameters = self.parameters();
        let clause = self.clause();
        let bound = self.entry.has_clause("bind") && !self.is_twin();
        let names = [format!("{}_device", self.inner()), self.inner()];
        for name in &names[usize::from(!bound)..] {
            self.directive(
                if *name == self.inner() {
                    format!("routine {clause}")
                } else {
                    "routine seq".to_owned()
                }
                .as_str(),
            );
            let _ = writeln!(self.text, "static void {name}{parameters}\n{{");
            if ["gang", "worker", "vector"].contains(&clause) {
                self.directive(&format!("loop {clause}"));
            }
            self.nest();
            self.text.push_str("}\n");
        }
    }

    fn call(&mut self) {
        let results = self.results();
        self.directive(&format!("parallel num_gangs(1) copy({{x!}}) {results}"));
        let (inner, name) = (self.inner(), self.name());
        self.line(&format!("{{ {inner}(n, out, {name}); }}"));
    }

    fn wait(&mut self) {
        let queue = if self.entry.has_clause("(queues)") {
            "{a}"
        } else {
            "1"
        };
        self.parallel_loop(&format!("async({queue}) copy({{x!}})"));
        let clause = self.clause();
        self.directive(&format!("wait {clause}"));
        self.directive("wait");
    }

    // The loop

    /// The loop of the construct, with the variable in its role.
    fn nest(&mut self) {
        let entry = self.entry;
        let inner = entry.is_private_to_iterations();
        let (v, wrong) = (self.value("0"), self.form == Form::WrongTwin);
        let start = if !wrong {
            0
        } else if entry.role == Role::Step && !inner {
            entry.kind.first
        } else {
            1
        };
        self.line(&match entry.role {
            Role::Bound if !inner => format!("for (int i = {start}; i < {v}; i++)"),
            Role::Step if !inner => format!("for (int i = {start}; i < 12; i += {v})"),
            _ => format!("for (int i = {start}; i < 8; i++)"),
        });
        if entry.has_clause("collapse") {
            self.line("for (int j = 0; j < 2; j++)");
        }
        self.line("{");
        if entry.construct == Construct::Cache {
            let clause = self.clause();
            self.directive(&format!("cache{clause}"));
        }
        if inner {
            self.fill("    ", entry.kind.first);
        }
        if entry.has_clause("collapse") {
            self.line("    if (j == 1)");
        }
        self.line("    {");
        self.statements(inner);
        if entry.clause.effect == Effect::Reduced && entry.role != Role::Write {
            self.line("        sum += i;");
        }
        self.line("    }");
        self.line("}");
    }

    fn statements(&mut self, inner: bool) {
        let v = self.value("0");
        let several = self.entry.kind.elements > 1;
        let each = if several { self.value("i") } else { v.clone() };
        match self.entry.role {
            Role::Bound if inner => {
                self.line("        int t = 0;");
                self.line(&format!(
                    "        for (int j = 0; j < {v}; j++) t += i + j;"
                ));
                self.store("i", "t");
            }
            Role::Step if inner => {
                self.line("        int t = 0;");
                self.line(&format!(
                    "        for (int j = 0; j < 12; j += {v}) t += i + j;"
                ));
                self.store("i", "t");
            }
            Role::Bound | Role::Step => self.store("i", "10 + i"),
            Role::Subscript => self.store(&format!("i + {v}"), "30 + i"),
            Role::Condition => {
                self.line(&format!("        if (i > {v}) {{"));
                self.store("i", "40 + i");
                self.line("        } else {");
                self.store("i", "50 - i");
                self.line("        }");
            }
            Role::Argument => self.store("i", "20 + i"),
            Role::Read => self.store("i", &format!("2 * {each} + i")),
            Role::Write => self.write(inner, several),
        }
    }

    /// The statement that gives a result, atomic where that is what is looked at.
    fn store(&mut self, index: &str, value: &str) {
        let target = format!("out[{index}]");
        let clause = self.entry.clause.name;
        if self.entry.construct != Construct::Atomic {
            self.line(&format!("        {target} = {value};"));
            return;
        }
        match clause {
            "read" => {
                let (kind, element) = (self.entry.kind.element_type, self.element("0"));
                self.line(&format!("        {kind} got;"));
                self.directive("atomic read");
                self.line(&format!("        got = {element};"));
                self.line(&format!(
                    "        {target} = got == {element} ? {value} : -7;"
                ));
            }
            "write" => {
                self.directive("atomic write");
                self.line(&format!("        {target} = {value};"));
            }
            "update" => {
                self.directive("atomic update");
                self.line(&format!("        {target} += {value};"));
            }
            _ => {
                self.line("        int got;");
                self.directive("atomic capture");
                self.line(&format!(
                    "        {{ got = {target}; {target} += {value}; }}"
                ));
                self.line("        if (got < -100) out[i] = got;");
            }
        }
    }

    /// The variable is written: by each iteration where each has its own element or copy, else by
    /// one of them, or by all in a way that has no order.
    fn write(&mut self, inner: bool, several: bool) {
        let entry = self.entry;
        let index = if several { "i" } else { "0" };
        let (element, value) = (self.element(index), self.value(index));
        let written = entry.kind.written;
        if entry.construct == Construct::Atomic {
            self.write_atomically(several, &element);
        } else if entry.clause.effect == Effect::Reduced {
            self.line(&format!("        {element} += i;"));
        } else if several {
            self.line(&format!("        {element} = i + 4;"));
        } else if inner {
            self.line(&format!("        {element} = i + 4; out[i] = {value};"));
            return;
        } else {
            self.line(&format!("        if (i == 2) {element} = {written};"));
        }
        if entry.construct == Construct::Routine && !entry.is_by_reference() {
            // The parameter is the routine's own: one that is never read is worth a warning.
            self.line(&format!("        out[i] = 60 + i + ({value} == 77);"));
        } else {
            self.line("        out[i] = 60 + i;");
        }
    }

    fn write_atomically(&mut self, several: bool, element: &str) {
        match self.entry.clause.name {
            "write" => {
                if !several {
                    self.line("        if (i == 2) {");
                }
                self.directive("atomic write");
                self.line(&format!("        {element} = 4;"));
                if !several {
                    self.line("        }");
                }
            }
            "update" => {
                self.directive("atomic update");
                self.line(&format!("        {element} += i + 1;"));
            }
            _ => {
                let kind = self.entry.kind.element_type;
                self.line(&format!("        {kind} got;"));
                self.directive("atomic capture");
                self.line(&format!(
                    "        {{ got = {element}; {element} += i + 1; }}"
                ));
                self.line("        if (got == 100) out[i] = 1;");
            }
        }
    }
}
