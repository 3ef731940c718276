//! Launchers: what the host program calls.
//!
//! A launcher finds the device's copy of each array, sizes the grid, and
//! launches. Its parameters are host values: scalars, host addresses, lengths.

mod definition;
mod extents;

use std::collections::HashSet;
use std::rc::Rc;

use serde::Serialize;

use super::language::Cuda;
use super::locals::Locals;
use crate::ir::{DataItem, Extent, PrivateArray, PrivateArraySize, Reduction, WindowReach};
use crate::source::tokens_of;
use crate::typed::{Expression, ExpressionKind, IntegerKind, SymbolId};

pub use definition::Definition;

/// What the host passes for a launcher's parameter.
#[derive(Clone, Debug)]
pub enum Argument {
    /// The variable's value.
    Value(SymbolId),
    /// The variable's address.
    Address(SymbolId),
    /// The pointer, or the array's first element.
    Pointer(SymbolId),
    /// The length of a dimension of a variable length array.
    Extent(SymbolId, usize),
    /// An integer that the host evaluates.
    Expression(Expression),
    /// Where this part of a variable begins, in bytes.
    Offset(Box<DataItem>),
    /// How large it is, in bytes.
    Bytes(Box<DataItem>),
    /// How large an object of the variable's type is, in bytes.
    TypeBytes(SymbolId),
}

/// A parameter of a launcher.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its declaration in CUDA C++.
    pub text: String,
    /// What the host passes.
    pub argument: Argument,
}

/// A pointer that is looked up before the launch.
#[derive(Clone, Debug, Serialize)]
struct Lookup {
    /// The declaration of the device pointer.
    declaration: String,
    /// The host pointer.
    pointer: String,
    /// What messages call it.
    text: String,
    /// Of a section with memory of its own: the pointer's type, and the lengths of rows.
    ty: Option<String>,
    rows: String,
}

/// What of an array is present, looked up before the launch.
#[derive(Clone, Debug, Serialize)]
pub struct Present {
    /// The variable for it.
    pub name: String,
    /// The host pointer.
    pub pointer: String,
    /// What messages call it.
    pub text: String,
    /// Of rows behind pointers: how many pointers lead to what is counted.
    pub level: Option<usize>,
    /// The lengths of rows that it is counted in, else none.
    pub rows: String,
    /// How many such rows the kernel says that there are, of each of its windows.
    pub counts: Vec<Option<String>>,
}

/// How far a window reaches, checked before the launch.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
struct Reach {
    value: String,
    /// `before` or `after`.
    side: &'static str,
    /// The window as the user wrote it, in a literal.
    window: String,
}

/// Copies of a private array, made before the launch.
#[derive(Clone, Debug, Serialize)]
struct Copies {
    name: String,
    owner: &'static str,
    bytes: String,
    /// What the copies begin with, and where in it; empty if they do not.
    source: String,
    offset: String,
}

/// A reduction's second stage.
#[derive(Clone, Debug, Serialize)]
struct Finish {
    ty: String,
    /// Of an array, which a kernel of its own finishes.
    elements: Option<String>,
    /// What the kernel gets of it.
    result: String,
    variable: String,
    /// Bytes from there to the part that is reduced.
    offset: Option<String>,
    operator: &'static str,
    /// Blocks store what they have for the last one to combine.
    is_ordered: bool,
}

/// A copy in constant memory, made before the launch.
#[derive(Clone, Debug, Serialize)]
struct TableCopy {
    /// The variable in constant memory, and the part of it that is filled.
    table: String,
    /// The variable that makes the copy.
    name: String,
    /// The pointer to the copy in device memory.
    device: String,
    /// The host pointer.
    pointer: String,
}

/// How one kernel is launched.
#[derive(Clone, Debug, Default)]
pub struct Launcher {
    kernel: String,
    macros: Rc<HashSet<String>>,
    /// In order.
    pub parameters: Vec<Parameter>,
    lookups: Vec<Lookup>,
    ranges: Vec<Present>,
    finishes: Vec<Finish>,
    copies: Vec<Copies>,
    tables: Vec<TableCopy>,
    arguments: Vec<String>,
    /// Arrays that must not overlap for the kernel to run.
    disjoint: Vec<(String, String)>,
    /// What else must hold, as operands of `&&`.
    conditions: Vec<String>,
    /// Threads per block where that is known.
    pub bounds: Option<u32>,
    /// `32, 8`, at least one number.
    pub block: String,
    /// Rows of a block whose lanes reduce: the runtime chooses a shape that
    /// serves.
    pub is_worker_block: bool,
    /// Its size is known at launch only, and may be more than there is.
    pub is_limited: bool,
    /// It shares windows, so that the program means just this block.
    pub has_windows: bool,
    /// The launch may take a smaller block.
    pub may_shrink: bool,
    /// An iteration a thread.
    pub is_flat: bool,
    /// The grid has a thread for each iteration, not a block.
    pub counts_threads: bool,
    /// The rows of a block share its iterations.
    pub counts_rows: bool,
    /// `4, 2`: the blocks that the kernel asks for.
    pub exact_grid: Option<String>,
    /// What may not be near the end of `int`.
    loop_bounds: Vec<String>,
    /// The same of loops over a grid that the program asks for.
    grid_bounds: Vec<String>,
    /// How far windows reach, as far as only the launch knows.
    reaches: Vec<Reach>,
    /// How far those reach that are opened where there is room.
    optional_reaches: Vec<String>,
    /// The launcher's call where there is none; empty if all that the kernel has must be opened.
    without_windows: String,
    /// Bytes of dynamic shared memory; empty if there is none.
    pub shared: String,
    /// The name of the parameter with the user's number of blocks.
    pub gangs: Option<String>,
    /// Per axis, the numbers of iterations.
    pub extents: Vec<Vec<String>>,
    /// Along which axes there is nothing to launch without an iteration.
    pub may_be_empty: [bool; 3],
    /// The narrowest type that loops stride in; `None` where they count in 64 bits.
    pub narrowest: Option<IntegerKind>,
    /// Loops stride over the grid, so that any number of blocks serves.
    pub strides: bool,
    /// Loops do not, along x at least: the grid has to have blocks for all iterations.
    pub covers: bool,
    /// A loop is distributed over blocks, and its length is known on the device
    /// only.
    pub has_unknown_extent: bool,
    /// Of a template over the type of indices: the variable that says whether they are
    /// `int`s; empty if the kernel is none.
    pub fits_int: String,
    /// Under which conditions they are.
    fitting: Vec<String>,
}

/// A variable with the iterations along an axis.
#[derive(Serialize)]
struct NamedExtent {
    name: String,
    text: String,
}

#[derive(Serialize)]
struct Step<'a> {
    kernel: &'a str,
    bounds: &'a [String],
    grid_bounds: &'a [String],
    reaches: &'a [Reach],
    /// How far windows reach that need room.
    optional_reaches: String,
    /// What is called where there is none.
    without_windows: &'a str,
    /// Numbers of iterations that are said more than once.
    extents: Vec<NamedExtent>,
    /// Whether there is nothing to launch; empty where there always is something.
    is_empty: String,
    locals: Locals,
    /// What the block is declared with.
    block: String,
    /// What the grid is declared with.
    grid: String,
    copies: &'a [Copies],
    finishes: &'a [Finish],
    tables: &'a [TableCopy],
    arguments: String,
    shared: &'a str,
    /// Of a template over the type of indices.
    fits_int: &'a str,
    fitting: String,
    /// The kernel as the runtime is asked about it.
    function: String,
}

impl Launcher {
    /// Launches a kernel of this name, in a file with these macros of the user's.
    pub fn new(kernel: &str, macros: Rc<HashSet<String>>) -> Self {
        Self {
            kernel: kernel.to_string(),
            macros,
            ..Self::default()
        }
    }

    /// The kernel's language as the launcher speaks it: what it gets by
    /// address is behind a pointer here.
    pub fn language(&self, cuda: &Cuda) -> Cuda {
        let mut own = cuda.within();
        let by_address = self.parameters.iter().filter_map(|p| match p.argument {
            Argument::Address(symbol) => Some(symbol),
            _ => None,
        });
        own.references.extend(by_address);
        own
    }

    fn parameter(&mut self, name: &str, text: &str, argument: Argument) {
        let parameter = Parameter {
            name: name.to_string(),
            text: text.to_string(),
            argument,
        };
        self.parameters.push(parameter);
    }

    /// A scalar or struct by value; what C and C++ may pass differently goes
    /// by address up to the launcher.
    pub fn value(&mut self, name: &str, text: &str, symbol: SymbolId, by_address: bool) {
        if by_address {
            let base = text.strip_suffix(name).unwrap_or(text).trim_end();
            self.parameter(
                name,
                &format!("const {base} *{name}"),
                Argument::Address(symbol),
            );
            self.arguments.push(format!("*{name}"));
        } else {
            self.parameter(name, text, Argument::Value(symbol));
            self.arguments.push(name.to_string());
        }
    }

    /// A constant that the kernel declares itself.
    pub fn constant(&mut self, name: &str, text: &str, symbol: SymbolId) {
        self.parameter(name, text, Argument::Value(symbol));
    }

    /// Whether the kernel tests which rows of arrays are present.
    pub fn tests_rows(&self) -> bool {
        self.ranges.iter().any(|range| !range.rows.is_empty())
    }

    /// What the kernel takes for granted: pairs of arrays, and conditions as operands of `&&`.
    pub fn assume(&mut self, disjoint: Vec<(String, String)>, conditions: Vec<String>) {
        self.disjoint = disjoint;
        self.conditions = conditions;
    }

    /// The test of all that the kernel takes for granted.
    fn assumed(&self) -> String {
        let pairs = self.disjoint.iter();
        let pairs = pairs.map(|(p, q)| format!("accrs::disjoint({p}, {q})"));
        let all: Vec<String> = pairs.chain(self.conditions.iter().cloned()).collect();
        all.join(" && ")
    }

    /// Drops those of the parameters that nothing here names.
    pub fn drop_unused(&mut self, constants: &[&str]) {
        let texts = self.extents.iter().flatten().chain(&self.fitting);
        let texts = texts.chain([&self.block, &self.shared]);
        let texts = texts.chain(&self.exact_grid).chain(&self.gangs);
        let texts = texts.chain(self.reaches.iter().map(|reach| &reach.value));
        let texts = texts.chain(&self.optional_reaches).chain(&self.conditions);
        let texts = texts.chain(self.loop_bounds.iter().chain(&self.grid_bounds));
        let named: HashSet<&str> = texts.flat_map(|text| tokens_of(text)).collect();
        self.parameters.retain(|parameter| {
            let name = parameter.name.as_str();
            !constants.contains(&name) || named.contains(name)
        });
    }

    /// A scalar that lives in device memory.
    pub fn device(
        &mut self,
        cuda: &mut Cuda,
        (name, text): (&str, &str),
        symbol: SymbolId,
        shown: &str,
    ) {
        self.parameter(name, text, Argument::Address(symbol));
        self.look_up(cuda, (name, text), shown);
    }

    /// An array, or what a pointer points to.
    pub fn pointer(
        &mut self,
        cuda: &mut Cuda,
        (name, text): (&str, &str),
        symbol: SymbolId,
        shown: &str,
        is_device: bool,
    ) {
        self.parameter(name, text, Argument::Pointer(symbol));
        if is_device {
            self.arguments.push(name.to_string());
        } else {
            self.look_up(cuda, (name, text), shown);
        }
    }

    /// An array, or what a pointer points to, that the kernel reads as a table
    /// in constant memory.
    pub fn table(
        &mut self,
        cuda: &mut Cuda,
        (name, text): (&str, &str),
        argument: Argument,
        shown: &str,
        table: String,
    ) {
        self.parameter(name, text, argument);
        self.look_up(cuda, (name, text), shown);
        // The kernel has no parameter for it.
        self.tables.push(TableCopy {
            table,
            name: cuda.fresh(&format!("{name}_copy")),
            device: self.arguments.pop().unwrap_or_default(),
            pointer: name.to_string(),
        });
    }

    fn look_up(&mut self, cuda: &mut Cuda, (name, text): (&str, &str), shown: &str) {
        let device = cuda.fresh(&format!("d_{name}"));
        let declaration = replace_name(text, name, &device);
        self.arguments.push(device);
        self.lookups.push(Lookup {
            declaration,
            pointer: name.to_string(),
            text: shown.to_string(),
            ty: None,
            rows: String::new(),
        });
    }

    /// What was looked up last is a section with memory of its own.
    pub fn section(&mut self, ty: &str, rows: String) {
        if let Some(last) = self.lookups.last_mut() {
            last.ty = Some(ty.trim_end().to_string());
            last.rows = rows;
        }
    }

    /// What of an array is present on the device. An `int` counts whole rows.
    pub fn range(&mut self, present: Present) {
        self.arguments.push(present.name.clone());
        if !present.rows.is_empty() {
            for count in &present.counts {
                self.fits_if(match count {
                    Some(count) => format!("{}.are_first({count})", present.name),
                    None => format!("{}.are_whole()", present.name),
                });
            }
        }
        self.ranges.push(present);
    }

    /// The length of a dimension.
    pub fn extent(&mut self, name: &str, symbol: SymbolId, depth: usize) {
        self.parameter(
            name,
            &format!("long {name}"),
            Argument::Extent(symbol, depth),
        );
        self.arguments.push(name.to_string());
    }

    /// An integer that the host evaluates; gives the parameter's name. Windows
    /// take it as it is, other sizes are cut to what there is anyway.
    pub fn host_argument(
        &mut self,
        cuda: &mut Cuda,
        name: &str,
        expression: &Expression,
    ) -> String {
        if let ExpressionKind::Integer { value, .. } = expression.inner().kind {
            return value.to_string();
        }
        let name = cuda.fresh(name);
        let ty = if self.has_windows { "long" } else { "int" };
        let argument = Argument::Expression(expression.clone());
        self.parameter(&name, &format!("{ty} {name}"), argument);
        name
    }

    /// What it calls where a block has no room for its windows.
    pub fn without_windows(&mut self, other: &Definition<'_>) {
        let parameters = other.parameters();
        let names: Vec<&str> = parameters.iter().map(|p| p.name.as_str()).collect();
        self.without_windows = format!("{}({})", other.name, names.join(", "));
        let added = parameters
            .iter()
            .filter(|p| !self.parameters.iter().any(|own| own.name == p.name));
        let added: Vec<Parameter> = added.cloned().collect();
        self.parameters.extend(added);
    }

    /// How far a window reaches; a value that the launcher gets anyway is no
    /// parameter again.
    pub fn reach(
        &mut self,
        cuda: &mut Cuda,
        array: &str,
        reach: &WindowReach,
        (window, is_optional): (&str, bool),
    ) {
        let wanted = reach.expression.as_symbol();
        let known = self
            .parameters
            .iter()
            .find(|p| matches!(p.argument, Argument::Value(s) if Some(s) == wanted));
        let value = match known {
            Some(parameter) => parameter.name.clone(),
            None => self.host_argument(cuda, &format!("{array}_{}", reach.side), &reach.expression),
        };
        if is_optional {
            if !self.optional_reaches.contains(&value) {
                self.optional_reaches.push(value);
            }
            return;
        }
        let reach = Reach {
            value,
            side: reach.side,
            window: window.replace('\\', "\\\\").replace('"', "\\\""),
        };
        if !self.reaches.contains(&reach) {
            self.reaches.push(reach);
        }
    }

    /// An integer that the host evaluates and the kernel gets.
    pub fn launch_value(&mut self, name: &str, expression: &Expression) {
        let argument = Argument::Expression(expression.clone());
        self.parameter(name, &format!("long {name}"), argument);
        self.arguments.push(name.to_string());
    }

    /// A grid-wide reduction of a variable of this type, or of an array of so
    /// many elements of it.
    pub fn reduction(
        &mut self,
        variable: String,
        reduction: &Reduction,
        (ty, elements): (&str, Option<u64>),
        result: &str,
        (operator, is_ordered): (&'static str, bool),
    ) {
        let text = format!("{ty} *{variable}");
        self.parameter(&variable, &text, Argument::Address(reduction.symbol));
        let part = if elements.is_some() {
            "data"
        } else {
            "of_kernel"
        };
        self.arguments.push(format!("{result}.{part}()"));
        self.finishes.push(Finish {
            ty: ty.to_string(),
            elements: elements.map(|n| n.to_string()),
            result: result.to_string(),
            variable,
            offset: None,
            operator,
            is_ordered,
        });
    }

    /// A grid-wide reduction of what private `copies` are of, elements of this
    /// type.
    pub fn part_reduction(
        &mut self,
        variable: String,
        reduction: &Reduction,
        ty: &str,
        copies: &str,
        (partials, operator): (&str, &'static str),
    ) {
        let text = format!("void *{variable}");
        self.parameter(&variable, &text, Argument::Pointer(reduction.symbol));
        self.arguments.push(format!("{partials}.data()"));
        let known = self.copies.iter().find(|known| known.name == copies);
        self.finishes.push(Finish {
            ty: ty.to_string(),
            elements: known.map(|copies| format!("{} / sizeof({ty})", copies.bytes)),
            result: partials.to_string(),
            variable,
            offset: known.map(|copies| copies.offset.clone()),
            operator,
            is_ordered: true,
        });
    }

    /// A private array, of which `owner` says who has a copy; the kernel gets
    /// them as `name`.
    pub fn private_arrays(
        &mut self,
        cuda: &mut Cuda,
        name: &str,
        array: &PrivateArray,
        owner: &'static str,
    ) {
        let bytes = cuda.fresh(&format!("{name}_bytes"));
        let offset = cuda.fresh(&format!("{name}_offset"));
        let source = cuda.fresh(&format!("{name}_source"));
        let mut copies = Copies {
            name: name.to_string(),
            owner,
            bytes: bytes.clone(),
            source: String::new(),
            offset: "0".to_string(),
        };
        match &array.size {
            PrivateArraySize::Declared => {
                let argument = Argument::TypeBytes(array.symbol);
                self.parameter(&bytes, &format!("long {bytes}"), argument);
            }
            PrivateArraySize::Part(part) => {
                if array.copied {
                    let argument = Argument::Pointer(array.symbol);
                    self.parameter(&source, &format!("const void *{source}"), argument);
                    copies.source = source;
                }
                if matches!(part.extent, Extent::Section { .. }) {
                    let argument = Argument::Offset(part.clone());
                    self.parameter(&offset, &format!("long {offset}"), argument);
                    copies.offset = offset;
                }
                let argument = Argument::Bytes(part.clone());
                self.parameter(&bytes, &format!("long {bytes}"), argument);
            }
        }
        self.arguments.push(format!("{name}.copies()"));
        self.copies.push(copies);
    }

    /// What one thread, row and block have of private arrays, as arguments.
    fn scratch_bytes(&self) -> String {
        let of = |owner: &str| {
            let own = self.copies.iter().filter(|copies| copies.owner == owner);
            let bytes: Vec<&str> = own.map(|copies| copies.bytes.as_str()).collect();
            if bytes.is_empty() {
                "0".to_string()
            } else {
                bytes.join(" + ")
            }
        };
        [of("thread"), of("worker"), of("gang")].join(", ")
    }

    /// Subscripts of an array are of the index type, if all that is present of it and its
    /// rows of these lengths allow it.
    pub fn index(&mut self, pointer: &str, shown: &str, rows: &[String]) {
        let rows = rows.join(", ");
        self.fits_if(format!(
            "accrs::int_elements({pointer}, \"{shown}\", {{ {rows} }})"
        ));
    }

    /// A loop numbers its iterations in the index type, if there are not too many.
    pub fn index_trips(&mut self, trips: &str) {
        self.fits_if(format!("accrs::int_trips({trips})"));
    }

    /// So it does, or counts from its first value on in that type.
    pub fn index_range(&mut self, first: &str, trips: &str) {
        self.fits_if(format!("accrs::int_values({first}, {trips})"));
    }

    /// A loop strides in `int` up to a bound, over a grid that the program asks for or over the threads
    /// of a block.
    pub fn bound(&mut self, bound: String, is_over_grid: bool) {
        let bounds = match is_over_grid {
            true => &mut self.grid_bounds,
            false => &mut self.loop_bounds,
        };
        if !bounds.contains(&bound) {
            bounds.push(bound);
        }
    }

    /// The kernel is no template over the type of indices.
    pub fn has_one_index(&mut self) {
        self.fits_int.clear();
        self.fitting.clear();
    }

    fn fits_if(&mut self, test: String) {
        if !self.fitting.contains(&test) {
            self.fitting.push(test);
        }
    }

    /// The function that is launched, as the runtime is asked about it.
    fn function(&self) -> String {
        let (kernel, fits) = (&self.kernel, &self.fits_int);
        match fits.as_str() {
            "" => kernel.clone(),
            _ => format!("accrs::either({fits}, {kernel}<int>, {kernel}<long>)"),
        }
    }

    /// The names of its own variables, beside what is computed here.
    fn locals(&self) -> Locals {
        let parameters = self.parameters.iter().map(|parameter| &parameter.text);
        let texts = parameters.chain(self.extents.iter().flatten());
        let texts = texts.chain(self.finishes.iter().map(|finish| &finish.ty));
        let texts = texts.chain(self.copies.iter().map(|copies| &copies.bytes));
        let texts = texts.chain([&self.block, &self.shared]);
        let texts = texts.chain(&self.exact_grid).chain(&self.fitting);
        Locals::beside(texts, &self.macros)
    }

    /// The block: ` = CHOICE` of the runtime, or `(SIZES)`.
    fn block_text(&self, named: &[NamedExtent]) -> String {
        let (kernel, block) = (self.function(), &self.block);
        if self.is_worker_block {
            format!(" = accrs::worker_block({block})")
        } else if self.is_limited && self.has_windows {
            format!(" = accrs::window_block({kernel}, {block})")
        } else if self.is_limited {
            format!(" = accrs::block({kernel}, {block})")
        } else if self.may_shrink {
            let extents = self.extents_text(named);
            format!(" = accrs::best_block({kernel}, dim3({block}), {extents})")
        } else {
            format!("({block})")
        }
    }

    /// The grid, as [`Self::block_text`].
    fn grid_text(&self, named: &[NamedExtent]) -> String {
        let width = match self.narrowest {
            Some(IntegerKind::Int) => "",
            Some(_) if self.covers => "unsigned_",
            _ => "wide_",
        };
        let covering = if self.covers { "covering_" } else { "" };
        let gangs_width = if width.is_empty() { "" } else { "wide_" };
        let (extents, block) = (self.extents_text(named), self.locals().block);
        match (&self.exact_grid, &self.gangs) {
            (Some(exact), _) => format!("({exact})"),
            (None, Some(gangs)) if self.is_flat => {
                format!(" = accrs::{width}grid({block}, accrs::Gangs{{ {gangs} }}, {extents})")
            }
            (None, Some(gangs)) => format!(" = accrs::gangs({gangs})"),
            (None, None) if self.has_unknown_extent => {
                " = accrs::gangs(accrs::default_gangs)".into()
            }
            (None, None) if self.counts_threads => {
                format!(" = accrs::{width}{covering}grid({block}, {extents})")
            }
            (None, None) if self.counts_rows => {
                format!(" = accrs::{gangs_width}worker_grid({block}, {extents})")
            }
            (None, None) if self.extents.iter().any(|counts| !counts.is_empty()) => {
                match self.covers {
                    true => format!(" = accrs::covering_gangs({extents})"),
                    false => format!(" = accrs::{gangs_width}gang_grid({extents})"),
                }
            }
            (None, None) => "(1)".into(),
        }
    }

    /// The grid, cut to what there is: one that is free has to leave room for private
    /// arrays; a reduction ends sooner with few blocks.
    fn limited_grid(&self, named: &[NamedExtent]) -> String {
        let grid = self.grid_text(named);
        let is_free = self.gangs.is_none() && self.exact_grid.is_none();
        if !is_free {
            return grid;
        }
        let value = match grid.strip_prefix(" = ") {
            Some(value) => value.to_string(),
            None => format!("dim3{grid}"),
        };
        let block = self.locals().block;
        if !self.copies.is_empty() {
            let bytes = self.scratch_bytes();
            return format!(" = accrs::scratch_grid({value}, {block}, {bytes})");
        }
        let has_blocks = self.strides && self.extents.iter().any(|counts| !counts.is_empty());
        match has_blocks && !self.covers && !self.finishes.is_empty() {
            true => format!(" = accrs::reduction_grid({value}, {block})"),
            false => grid,
        }
    }

    fn step(&self) -> Step<'_> {
        let named = self.named_extents();
        Step {
            kernel: &self.kernel,
            bounds: &self.loop_bounds,
            grid_bounds: &self.grid_bounds,
            reaches: &self.reaches,
            optional_reaches: self.optional_reaches.join(", "),
            without_windows: &self.without_windows,
            locals: self.locals(),
            block: self.block_text(&named),
            grid: self.limited_grid(&named),
            copies: &self.copies,
            finishes: &self.finishes,
            tables: &self.tables,
            arguments: self.arguments.join(", "),
            shared: &self.shared,
            fits_int: &self.fits_int,
            fitting: self.fitting_text(&named),
            function: self.function(),
            is_empty: self.emptiness(&named),
            extents: named,
        }
    }
}

/// `float (*a)[3]` with another name.
fn replace_name(text: &str, name: &str, new: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let found = text.match_indices(name).filter(|(at, _)| {
        let before = text[..*at].chars().last();
        let after = text[at + name.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    });
    let found = found.last();
    match found {
        Some((at, _)) => format!("{}{new}{}", &text[..at], &text[at + name.len()..]),
        None => text.to_string(),
    }
}
