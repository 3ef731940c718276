//! The IR as stable text (`--emit ir`).
//!
//! One line a statement, indented by nesting; expressions as C. What passes
//! have not decided is left out, so that the text of a front end's module is
//! short:
//!
//! ```text
//! region 0: parallel loop in saxpy
//!   data copyin x[0:n]
//!   launch kernel 0
//!
//! kernel 0: parallel loop copyin(x[0:n]) copy(y[0:n])
//!   construct parallel in saxpy
//!   captures n value, y pointer written, a value, x pointer
//!   loop i = 0; i < n; i += 1 [directive independent]
//!     y[i] = a * x[i] + y[i];
//! ```

mod region;
mod steps;

use std::fmt::Write;

use super::{
    Axis, Barrier, BlockExtent, Capture, Collective, DeviceFunction, Dimension, Distribution,
    Execution, Kernel, Level, Loop, Module, Order, Passing, PrivateArrayOwner, PrivateArraySize,
    Reduction, Relation, Schedule, Scheme, Shape, Statement, StatementKind, TripCount,
    WindowPolicy, WindowProof, WindowRegion,
};
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, LocalDeclaration, SymbolId, Unit};

/// The text of a module.
pub fn print(unit: &Unit, module: &Module) -> String {
    let mut writer = Writer {
        unit,
        module,
        out: String::new(),
        depth: 0,
    };
    for item in &module.program_data {
        let text = format!("program {}", writer.data(item));
        writer.line(&text);
    }
    if module.overlaid_tables {
        writer.line("overlaid tables");
    }
    if !module.device_globals.is_empty() {
        let list = writer.names(&module.device_globals);
        writer.line(&format!("device globals {list}"));
    }
    for (index, region) in module.regions.iter().enumerate() {
        writer.region(index, region);
    }
    for (index, kernel) in module.kernels.iter().enumerate() {
        writer.gap();
        writer.kernel(index, kernel);
    }
    for function in &module.functions {
        writer.gap();
        writer.function(function);
    }
    for import in &module.imports {
        let ty = unit.symbol(import.symbol).ty;
        let head = Printer::new(unit, &C).declaration(ty, &import.name);
        writer.gap();
        writer.line(&format!("import {head}"));
    }
    writer.out
}

struct Writer<'u> {
    unit: &'u Unit,
    module: &'u Module,
    out: String,
    depth: usize,
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn gap(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    fn inside(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn name(&self, symbol: SymbolId) -> &str {
        &self.unit.symbol(symbol).name
    }

    fn names(&self, symbols: &[SymbolId]) -> String {
        let names: Vec<&str> = symbols.iter().map(|s| self.name(*s)).collect();
        names.join(", ")
    }

    fn text(&self, e: &Expression) -> String {
        Printer::text(self.unit, &C, e)
    }

    fn kernel(&mut self, index: usize, kernel: &Kernel) {
        self.line(&format!("kernel {index}: {}", kernel.title));
        self.inside(|writer| {
            let execution = match kernel.execution {
                Execution::Redundant => "redundant",
                Execution::Automatic => "automatic",
                Execution::Serial => "serial",
            };
            let mut head = format!("{execution} in {}", writer.name(kernel.function));
            for (label, size) in [
                ("blocks", &kernel.sizes.block),
                ("rows", &kernel.sizes.row),
                ("lanes", &kernel.sizes.lane),
            ] {
                if let Some(size) = size {
                    let _ = write!(head, ", {label} {}", writer.text(size));
                }
            }
            writer.line(&head);
            writer.shape(kernel.shape.as_ref());
            writer.variables(kernel);
            writer.decided(kernel);
            writer.statements(&kernel.body);
        });
    }

    fn shape(&mut self, shape: Option<&Shape>) {
        let along = |sizes: &[Expression]| {
            let texts: Vec<String> = sizes.iter().map(|size| self.text(size)).collect();
            texts.join(" x ")
        };
        match shape {
            Some(Shape::Grid { grid, block }) => {
                let text = format!("threads of grid {}, block {}", along(grid), along(block));
                self.line(&text);
            }
            Some(Shape::Threads(number)) => {
                let text = format!("threads {}", self.text(number));
                self.line(&text);
            }
            None => {}
        }
    }

    fn extents(&self, extents: &[BlockExtent; 3]) -> String {
        let texts = extents.each_ref().map(|extent| match extent {
            BlockExtent::Constant(n) => n.to_string(),
            BlockExtent::Expression(e) => self.text(e),
        });
        texts.join(" x ")
    }

    fn variables(&mut self, kernel: &Kernel) {
        if !kernel.captures.is_empty() {
            let list: Vec<String> = kernel.captures.iter().map(|c| self.capture(c)).collect();
            self.line(&format!("captures {}", list.join(", ")));
        }
        if !kernel.privates.is_empty() {
            let list = self.names(&kernel.privates);
            self.line(&format!("private {list}"));
        }
        for array in &kernel.private_arrays {
            let name = self.name(array.symbol);
            let size = match &array.size {
                PrivateArraySize::Part(part) => part.text.clone(),
                PrivateArraySize::Declared => name.to_string(),
            };
            let owner = match array.owner {
                None => "undecided",
                Some(PrivateArrayOwner::Grid) => "one",
                Some(PrivateArrayOwner::Block) => "per block",
                Some(PrivateArrayOwner::Row) => "per row",
                Some(PrivateArrayOwner::Thread) => "per thread",
            };
            let copied = if array.copied { " copied" } else { "" };
            self.line(&format!(
                "private array {name} size of {size} {owner}{copied}"
            ));
        }
        self.reductions("reduction", &kernel.reductions);
    }

    fn capture(&self, capture: &Capture) -> String {
        let passing = match capture.passing {
            Passing::Value => "value",
            Passing::Reference => "reference",
            Passing::Array => "array",
            Passing::Pointer => "pointer",
            Passing::DevicePointer => "device pointer",
        };
        let written = if capture.written { " written" } else { "" };
        format!("{} {passing}{written}", self.name(capture.symbol))
    }

    fn reductions(&mut self, label: &str, list: &[Reduction]) {
        if !list.is_empty() {
            let list: Vec<String> = list.iter().map(|r| self.reduction(r)).collect();
            self.line(&format!("{label} {}", list.join(", ")));
        }
    }

    fn reduction(&self, reduction: &Reduction) -> String {
        format!(
            "{}:{}",
            reduction.operator.spelling(),
            self.name(reduction.symbol)
        )
    }

    /// What passes decided.
    fn decided(&mut self, kernel: &Kernel) {
        if let Some(scheme) = kernel.scheme {
            self.line(match scheme {
                Scheme::Flat => "scheme flat",
                Scheme::Hierarchical => "scheme hierarchical",
                Scheme::Single => "scheme single",
                Scheme::Threads => "scheme threads",
            });
        }
        if let Some(block) = &kernel.block {
            let most = if kernel.may_shrink { " at most" } else { "" };
            self.line(&format!("block {}{most}", self.extents(block)));
        }
        if let Some(grid) = &kernel.exact_grid {
            self.line(&format!("grid {}", self.extents(grid)));
        }
        for (axis, counts) in ["x", "y", "z"].into_iter().zip(&kernel.grid) {
            for count in counts {
                let text = self.trips(count);
                self.line(&format!("grid {axis} {text}"));
            }
        }
        self.reductions("grid reduction", &kernel.grid_reductions);
        self.reductions("block reduction", &kernel.block_reductions);
        for shared in &kernel.shared {
            let text = format!(
                "shared {} a {}",
                self.name(shared.symbol),
                level(shared.level)
            );
            self.line(&text);
        }
        for table in &kernel.tables {
            let text = format!("table {} {} bytes", self.name(table.symbol), table.bytes);
            self.line(&text);
        }
        let lists = [
            ("fresh", &kernel.fresh),
            ("read only", &kernel.read_only),
            ("shared targets", &kernel.shared_targets),
        ];
        for (what, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            let list = self.names(list);
            self.line(&format!("{what} {list}"));
        }
    }

    fn trips(&self, count: &TripCount) -> String {
        let sign = if count.downward { '-' } else { '+' };
        format!(
            "{} {} {} {sign}{}",
            self.text(&count.lower),
            relation(count.relation),
            self.text(&count.bound),
            self.text(&count.step)
        )
    }

    fn function(&mut self, function: &DeviceFunction) {
        let symbol = self.unit.symbol(function.symbol);
        let head = Printer::new(self.unit, &C).declaration(symbol.ty, &symbol.name);
        let kind = if function.exported {
            "export"
        } else {
            "function"
        };
        self.line(&format!("{kind} {head}"));
        self.inside(|writer| {
            if !function.globals.is_empty() {
                let list = writer.names(&function.globals);
                writer.line(&format!("globals {list}"));
            }
            writer.statements(&function.body);
        });
    }

    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn block(&mut self, head: &str, list: &[Statement]) {
        self.line(head);
        self.inside(|writer| writer.statements(list));
    }

    fn statement(&mut self, statement: &Statement) {
        use StatementKind as S;
        match &statement.kind {
            S::Expression(None) => self.line(";"),
            S::Expression(Some(e)) => {
                let text = self.text(e);
                self.line(&format!("{text};"));
            }
            S::Atomic(atomic) => {
                let steps: Vec<String> = atomic.steps.iter().map(|e| self.text(e)).collect();
                let name = atomic.form.name();
                self.line(&format!("atomic {name} {};", steps.join("; ")));
            }
            S::Declaration(list) => self.declarations(list),
            S::Block(list) => self.block("block", list),
            S::If(condition, then, otherwise) => self.choice(condition, then, otherwise.as_deref()),
            S::Loop(inner) => self.counted(inner),
            S::For(parts) => {
                let first = parts
                    .initializer
                    .as_ref()
                    .map(|s| self.inline(s))
                    .unwrap_or_default();
                let part =
                    |e: &Option<Expression>| e.as_ref().map(|e| self.text(e)).unwrap_or_default();
                let head = format!(
                    "for {first}; {}; {}",
                    part(&parts.condition),
                    part(&parts.step)
                );
                self.block(&head, &parts.body);
            }
            S::While(condition, body) => {
                let text = self.text(condition);
                self.block(&format!("while {text}"), body);
            }
            S::DoWhile(body, condition) => {
                let text = self.text(condition);
                self.block("do", body);
                self.line(&format!("while {text}"));
            }
            S::Switch(value, body) => {
                let text = self.text(value);
                self.block(&format!("switch {text}"), body);
            }
            S::Return(Some(e)) => {
                let text = self.text(e);
                self.line(&format!("return {text};"));
            }
            S::Return(None) => self.line("return;"),
            S::Break => self.line("break;"),
            S::Continue => self.line("continue;"),
            S::Case(label) => {
                let range = label.last.map(|last| format!(" ... {last}"));
                let range = range.unwrap_or_default();
                self.line(&format!("case {}{range}:", label.first));
            }
            S::Default => self.line("default:"),
            S::Label(label) => self.line(&format!("{label}:")),
            S::Goto(label) => self.line(&format!("goto {label};")),
            _ => self.made_by_passes(statement),
        }
    }

    /// A chain of `else if` stays on one level.
    fn choice(
        &mut self,
        condition: &Expression,
        then: &[Statement],
        otherwise: Option<&[Statement]>,
    ) {
        let text = self.text(condition);
        self.block(&format!("if {text}"), then);
        let mut rest = otherwise;
        while let Some(list) = rest {
            if let [only] = list
                && let StatementKind::If(condition, then, otherwise) = &only.kind
            {
                let text = self.text(condition);
                self.block(&format!("else if {text}"), then);
                rest = otherwise.as_deref();
            } else {
                self.block("else", list);
                rest = None;
            }
        }
    }

    fn made_by_passes(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Windows(region) => self.windows(region),
            StatementKind::Barrier(barrier) => self.barrier(barrier),
            StatementKind::OpenWindows(windows) => self.line(&format!("open windows {windows:?}")),
            StatementKind::WriteBack { windows, mask } => {
                let mask = mask.as_ref().map(|e| format!(" of {}", self.text(e)));
                let mask = mask.unwrap_or_default();
                self.line(&format!("write back windows {windows:?}{mask}"));
            }
            StatementKind::WhileAny(live, body) => {
                let head = format!("while any thread has {}", self.name(*live));
                self.block(&head, body);
            }
            StatementKind::RowBarrier(why) => self.line(&format!("row barrier ({why})")),
            StatementKind::CollectiveCall(call) => {
                let who = match call.collective {
                    Collective::Lanes => "lanes of a row",
                    Collective::Block => "block",
                };
                let result = call
                    .result
                    .map(|result| format!("{} = ", self.name(result)));
                let text = self.text(&call.call);
                self.line(&format!("the {who}: {}{text}", result.unwrap_or_default()));
            }
            StatementKind::Single {
                level: unit,
                body,
                broadcast,
            } => {
                let mut head = format!("single thread of a {}", level(*unit));
                if !broadcast.is_empty() {
                    let _ = write!(head, ", broadcasts {}", self.names(broadcast));
                }
                self.block(&head, body);
            }
            StatementKind::ReductionBegin(reduction, _) => {
                let text = self.reduction(reduction);
                self.line(&format!("begin reduction {text}"));
            }
            StatementKind::ReductionEnd(reduction, over) => {
                let text = self.reduction(reduction);
                self.line(&format!(
                    "end reduction {text} over {}",
                    distribution(*over)
                ));
            }
            _ => {}
        }
    }

    fn windows(&mut self, region: &WindowRegion) {
        for window in &region.windows {
            let mut line = format!("window {}:", window.text);
            let WindowPolicy {
                fetch,
                channel,
                write_back,
            } = window.policy;
            let parts = [
                (fetch, " fetch"),
                (channel, " channel"),
                (write_back, " write-back"),
            ];
            for (_, word) in parts.into_iter().filter(|(used, _)| *used) {
                line.push_str(word);
            }
            line.push_str(match window.proof {
                WindowProof::Trusted => "",
                WindowProof::Selected => " selected",
                WindowProof::Proved => " proved",
            });
            self.line(&line);
        }
        let explicit = if region.explicit { ", explicit" } else { "" };
        self.block(&format!("with windows{explicit}"), &region.body);
    }

    fn barrier(&mut self, barrier: &Barrier) {
        let origin = match (barrier.written, barrier.of_memory) {
            (true, _) => " written",
            (false, true) => " of memory",
            (false, false) => "",
        };
        let line = match &barrier.dropped {
            Some(why) => format!("no barrier ({}): {why}", barrier.reason),
            None => format!("barrier{origin} ({})", barrier.reason),
        };
        self.line(&line);
    }

    /// The first part of a `for`, without its semicolon.
    fn inline(&self, statement: &Statement) -> String {
        match &statement.kind {
            StatementKind::Expression(Some(e)) => self.text(e),
            StatementKind::Declaration(list) => {
                let texts: Vec<String> = list.iter().map(|d| self.declaration(d)).collect();
                texts.join(", ")
            }
            _ => String::new(),
        }
    }

    fn declarations(&mut self, list: &[LocalDeclaration]) {
        for declaration in list {
            let text = self.declaration(declaration);
            self.line(&format!("{text};"));
        }
    }

    fn declaration(&self, declaration: &LocalDeclaration) -> String {
        let symbol = self.unit.symbol(declaration.symbol);
        let mut printer = Printer::new(self.unit, &C);
        let mut text = printer.declaration(symbol.ty, &symbol.name);
        if let Some(initializer) = &declaration.initializer {
            printer.initializer(initializer);
            let _ = write!(text, " = {}", printer.out);
        }
        text
    }

    fn counted(&mut self, inner: &Loop) {
        let name = self.name(inner.induction);
        let mut head = format!(
            "loop {name} = {}; {name} {} {}; {name} {} {}",
            self.text(&inner.lower),
            relation(inner.relation),
            self.text(&inner.bound),
            if inner.downward { "-=" } else { "+=" },
            self.text(&inner.step)
        );
        let mut marks = self.schedule(&inner.schedule);
        if inner.collapsed > 0 {
            marks.push(format!("collapse {}", inner.collapsed + 1));
        }
        if !inner.declared_inside {
            marks.push("outer variable".into());
        }
        if !inner.privates.is_empty() {
            marks.push(format!("private {}", self.names(&inner.privates)));
        }
        for reduction in &inner.reductions {
            marks.push(format!("reduction {}", self.reduction(reduction)));
        }
        if let Some(over) = inner.distribution {
            marks.push(format!("spread {}", distribution(over)));
        }
        if let Some(tile) = inner.tile {
            let counted = if tile.count.is_some() { " counted" } else { "" };
            marks.push(format!("tile {}{counted}", self.name(tile.first)));
        }
        if !marks.is_empty() {
            let _ = write!(head, " [{}]", marks.join(", "));
        }
        if let Some(parallelism) = &inner.parallelism {
            let word = if parallelism.parallel {
                "parallel"
            } else {
                "sequential"
            };
            let _ = write!(head, " {word}: {}", parallelism.reason);
        }
        self.block(&head, &inner.body);
    }

    fn schedule(&self, schedule: &Schedule) -> Vec<String> {
        let mut marks = Vec::new();
        if schedule.directive {
            marks.push("directive".into());
        }
        let sized = |word: &str, size: &Option<Expression>| match size {
            Some(size) => format!("{word}({})", self.text(size)),
            None => word.to_string(),
        };
        for given in Level::ALL.into_iter().filter(|l| schedule.levels[*l]) {
            marks.push(sized(level(given), &schedule.sizes[given]));
        }
        for (given, word) in [
            (schedule.sequential, "seq"),
            (schedule.auto, "auto"),
            (schedule.independent, "independent"),
        ] {
            if given {
                marks.push(word.into());
            }
        }
        for share in &schedule.shares {
            let (of, dimension) = match share.over {
                Dimension::Grid(dimension) => ("grid", dimension),
                Dimension::Block(dimension) => ("block", dimension),
            };
            let order = match share.order {
                Order::Cyclic => "",
                Order::Blocked => " in runs",
            };
            marks.push(format!("over {of} {}{order}", dimension + 1));
        }
        marks
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Block => "block",
        Level::Row => "row",
        Level::Lane => "lane",
    }
}

fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::Less => "<",
        Relation::LessEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterEqual => ">=",
        Relation::NotEqual => "!=",
    }
}

/// `blocks x, threads xy`, or `nothing`.
fn distribution(distribution: Distribution) -> String {
    let mut parts = Vec::new();
    if let Some(axis) = distribution.blocks {
        parts.push(format!("blocks {}", axis.name()));
    }
    let threads: String = distribution.thread_axes().map(Axis::name).collect();
    if !threads.is_empty() {
        parts.push(format!("threads {threads}"));
    }
    if parts.is_empty() {
        "nothing".into()
    } else {
        parts.join(" ")
    }
}
