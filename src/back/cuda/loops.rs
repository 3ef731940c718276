//! Counted loops, sequential or shared between threads.
//!
//! ```text
//! for (int i = 1; i < n; i++)             // vector
//!     for (int i = 1 + threadIdx.x; i < n; i += blockDim.x)
//! for (int k = row[r]; k < row[r + 1]; k++)   // beyond the bound, an int may wrap
//!     for (long long k = (long long)row[r] + threadIdx.x, k_end = row[r + 1]; k < k_end; k += 32)
//! for (int k = 0; k < length[r]; k++)     // the same from 0 on
//!     for (int k = threadIdx.x, k_end = accrs::int_end(length[r]); k < k_end; k += 32)
//! for (unsigned char c = 200; c > 0; c--) // its variable cannot stride
//!     for (long long iteration = threadIdx.x, c_trips = accrs::trips_down(200, 0, 1);
//!          iteration < c_trips; iteration += blockDim.x) {
//!         const unsigned char c = 200 - iteration;
//! for (int i = N - 1; i >= 0; i--)        // between constants, alone in a kernel, or in 64 bits
//!     for (int i = N - 1 - threadIdx.x; i >= 0; i -= blockDim.x)
//! for (int i = k; i < n; i++)             // of a kernel whose launch chooses `Index`, a thread each
//!     const Index i = k + Index(blockIdx.x) * blockDim.x + threadIdx.x;
//!     if (i < n)
//! for (int i = k; i < n; i += 2)          // the same with a step
//!     const Index i = k + 2 * (Index(blockIdx.x) * blockDim.x + threadIdx.x);
//!     if (i < n)
//! for (int i = k; i < n; i++)             // the same over gangs
//!     for (Index i = k + Index(blockIdx.x); i < n; i += gridDim.x)
//! for (int i = k; i < n; i++)             // the same where it strides, and where `i` is no subscript alone
//!     for (Index i = k + Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
//!          i += Index(gridDim.x) * blockDim.x)
//!     for (Index iteration = Index(blockIdx.x) * blockDim.x + threadIdx.x,
//!              i_trips = accrs::trips_up(k, n, 1); iteration < i_trips;
//!          iteration += Index(gridDim.x) * blockDim.x) {
//!         const int i = k + iteration;
//! for (int r = 0; r < 3; r++)             // vector collapse(2)
//!     for (int c = 0; c < n; c++)
//!     for (long long iteration = threadIdx.x, c_trips = accrs::trips_up(0, n, 1);
//!          iteration < 3 * c_trips; iteration += blockDim.x) {
//!         const int r = iteration / c_trips;
//!         const int c = iteration % c_trips;
//! ```

use super::body::Body;
use super::declarations::set_first;
use super::index::{factor, thread_count, thread_index};
use super::language::{ADDEND, COMPARED, Cuda, FACTOR};
use super::once::is_straight;
use crate::ir::{
    Axis, BlockExtent, Distribution, Loop, Relation, SharedWindow, Statement, StatementKind,
    TripCount, is_literal, visit,
};
use crate::source::tokens_of;
use crate::typed::constant::evaluate;
use crate::typed::print::precedence::{ASSIGNMENT, UNARY};
use crate::typed::{
    Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId, UnaryOperator, Unit,
};

/// The type of the built-in variables, near enough: sums with them need no conversion.
pub(super) const INT: &str = "int";

/// The parts of a loop that threads share, as text.
pub(super) struct Shared {
    /// Constants before it, each with its value.
    pub(super) constants: Vec<String>,
    /// The declaration of what strides, and its name.
    pub(super) variable: String,
    pub(super) name: String,
    /// Its first value; others that are declared with it may follow.
    pub(super) start: String,
    pub(super) condition: String,
    pub(super) stride: String,
    /// Constants of an iteration.
    pub(super) inside: Vec<String>,
}

/// The parts of a loop's header as text.
pub(super) struct Header {
    /// The variable's declaration or name.
    variable: String,
    name: String,
    lower: Option<String>,
    step: Option<String>,
}

impl Body<'_> {
    /// A counted loop of any kind; `is_last` in its list.
    pub(super) fn counted_loop(&mut self, l: &Loop, is_last: bool) {
        let distribution = l.distribution.unwrap_or(Distribution::SEQUENTIAL);
        if distribution.is_sequential() {
            return self.sequential_loop(l);
        }
        let together = l.numbered_together();
        if l.tile.is_none() && !together.is_empty() {
            return self.collapsed_loops(&together);
        }
        if is_straight(l) {
            return self.straight_loops(l, is_last);
        }
        self.notes_of_head(l.header);
        let shared = self.shared(l);
        self.constants(&shared.constants);
        let Shared {
            variable,
            name,
            start,
            condition,
            stride,
            ..
        } = &shared;
        let is_own = l.tile.is_none() && *name == self.name(l.induction);
        let operator = if is_own && l.downward { "-=" } else { "+=" };
        let head = format!("for ({variable} = {start}; {condition}; {name} {operator} {stride})");
        match is_own {
            true => self.loop_body(l, &head),
            false => {
                self.lines.open(&format!("{head} {{"));
                self.constants(&shared.inside);
                self.inside(l);
                self.lines.close("}");
            }
        }
    }

    /// Declarations of constants, each with its value.
    pub(super) fn constants(&mut self, texts: &[String]) {
        for text in texts {
            self.lines.line(&format!("const {text};"));
        }
    }

    /// The parts of a loop that threads share, each for itself.
    pub(super) fn shared(&mut self, l: &Loop) -> Shared {
        match l.tile {
            Some(tile) => self.tiled(l, tile),
            None if self.widens(l) => self.widened(l),
            None if self.descends(l) => self.descending(l),
            None if l.strides(self.unit) || self.is_of_lanes(l) || self.is_kept(l) => {
                self.strided(l)
            }
            None => self.numbered_by_count(l),
        }
    }

    /// The type in which the number of a thread is computed, where it is not that of the built-in
    /// variables.
    fn index_type(&self, l: &Loop) -> Option<String> {
        let distribution = l.distribution.unwrap_or_default();
        if !l.numbered_together().is_empty() {
            return None;
        }
        let is_widened = self.widens(l);
        let is_wide = is_wide(self.unit, l) || !l.strides(self.unit);
        if is_widened && distribution.blocks.is_none() {
            return None;
        }
        let ty = self.counter_type(l).unwrap_or("size_t");
        (is_wide && ty != INT).then(|| ty.to_owned())
    }

    /// The number of a thread among those that share a loop.
    fn thread_index(&self, l: &Loop) -> String {
        let distribution = l.distribution.unwrap_or_default();
        let wide = self.index_type(l);
        self.of_block(thread_index(distribution, wide.as_deref(), self.folds_y))
    }

    /// How many they are; `is_factor`: they are multiplied by what may be large.
    fn stride_of(&self, l: &Loop, is_factor: bool) -> String {
        let are_blocks = l.distribution.is_some_and(Distribution::is_over_blocks);
        let wide = self.index_type(l).filter(|_| is_factor || !are_blocks);
        self.of_block(thread_count(
            l.distribution.unwrap_or_default(),
            wide.as_deref(),
        ))
    }

    pub(super) fn header(&mut self, l: &Loop, own: bool) -> Header {
        let name = self.name(l.induction);
        let declares = own || l.declared_inside || !self.declared.contains(&l.induction);
        let mut ty = self.unit.symbol(l.induction).ty;
        ty.qualifiers = crate::typed::Qualifiers::default();
        let variable = if declares {
            self.cuda.declare_as(self.unit, l.induction, ty, &name)
        } else {
            name.clone()
        };
        // Where threads share the loop no head of the user's is left.
        let part = |e| if own { self.cuda.bare(e) } else { e };
        Header {
            variable,
            name,
            lower: (!is_literal(&l.lower, 0)).then(|| self.operand(part(&l.lower), ADDEND)),
            step: (!is_literal(&l.step, 1)).then(|| self.operand(part(&l.step), FACTOR)),
        }
    }

    pub(super) fn condition(&self, l: &Loop, name: &str) -> String {
        self.comparison(l, name, self.cuda.bare(&l.bound))
    }

    fn comparison(&self, l: &Loop, name: &str, bound: &Expression) -> String {
        let relation = match (l.relation, l.downward) {
            (Relation::Less, _) | (Relation::NotEqual, false) => "<",
            (Relation::LessEqual, _) => "<=",
            (Relation::Greater, _) | (Relation::NotEqual, true) => ">",
            (Relation::GreaterEqual, _) => ">=",
        };
        format!("{name} {relation} {}", self.operand(bound, COMPARED + 1))
    }

    fn sequential_loop(&mut self, l: &Loop) {
        let header = self.header(l, false);
        let lower = self.operand(&l.lower, 0);
        let name = &header.name;
        let relation = if l.relation == Relation::NotEqual {
            format!("{name} != {}", self.operand(&l.bound, COMPARED + 1))
        } else {
            self.comparison(l, name, &l.bound)
        };
        let advance = match (&header.step, l.downward) {
            (None, false) if self.steps_with(l, "++") => format!("++{name}"),
            (None, false) => format!("{name}++"),
            (None, true) if self.steps_with(l, "--") => format!("--{name}"),
            (None, true) => format!("{name}--"),
            (Some(step), false) => format!("{name} += {step}"),
            (Some(step), true) => format!("{name} -= {step}"),
        };
        let variable = match self.counter_type(l) {
            Some(ty) => format!("{ty} {name}"),
            None => header.variable.clone(),
        };
        let head = format!("for ({variable} = {lower}; {relation}; {advance})");
        let head = self.head(l.header, head);
        match l.unrolled {
            true => self.lines.line("#pragma unroll"),
            false if self.is_users(l) => self.unroll(l.header),
            false => {}
        }
        self.loop_body(l, &head);
    }

    /// Whether the user wrote a loop over this variable there, and no pass made it of his.
    fn is_users(&self, l: &Loop) -> bool {
        let name = self.unit.symbol(l.induction).name.as_str();
        let (start, end) = (l.header.start as usize, l.header.end as usize);
        let head = self.source.and_then(|source| source.text.get(start..end));
        head.is_some_and(|head| tokens_of(head).contains(&name))
    }

    /// Whether the last part of a loop's head begins with an operator in the user's text.
    fn steps_with(&self, l: &Loop, operator: &str) -> bool {
        let head = self.notes.as_ref().and_then(|notes| notes.text(l.header));
        let step = head.and_then(|head| head.rsplit(';').next());
        step.is_some_and(|step| step.trim_start().starts_with(operator))
    }

    /// The loop strides in its own variable.
    fn strided(&mut self, l: &Loop) -> Shared {
        let header = self.header(l, true);
        let mut index = self.thread_index(l);
        if let Some(step) = &header.step {
            index = format!("{step} * {}", factor(&index));
        }
        let start = self.first_of_thread(l, header.lower.as_deref(), index);
        self.in_own_variable(l, header.variable, start)
    }

    /// The first value of a thread. A constant below 0 is of no type without a sign.
    pub(super) fn first_of_thread(&self, l: &Loop, lower: Option<&str>, index: String) -> String {
        let is_negative = || evaluate(self.unit, &l.lower).is_some_and(|value| value < 0);
        match lower {
            None => index,
            Some(lower) if is_negative() => format!("{lower} + int({index})"),
            Some(lower) => format!("{lower} + {index}"),
        }
    }

    /// As [`Self::strided`], in a variable of 64 bits, or of the type that the launch chooses: no
    /// step beyond the bound wraps, and subscripts cost the same.
    fn widened(&mut self, l: &Loop) -> Shared {
        let header = self.header(l, true);
        let mut index = self.thread_index(l);
        if let Some(step) = &header.step {
            index = format!("{step} * {}", factor(&index));
        }
        if let Some(ty) = self.counter_type(l) {
            let variable = format!("{ty} {}", header.name);
            let are_blocks = l.distribution.is_some_and(Distribution::is_over_blocks);
            let index = match ty != INT && header.lower.is_some() && (are_blocks || !l.has_blocks())
            {
                true => format!("{ty}({index})"),
                false => index,
            };
            let start = self.first_of_thread(l, header.lower.as_deref(), index);
            return self.in_own_variable(l, variable, start);
        }
        let start = match header.lower {
            None => index,
            Some(_) => {
                let lower = self.operand(&l.lower, UNARY);
                // Signed as the first value is, which may be below 0.
                let index = index.replacen("(size_t)", "(long long)", 1);
                format!("(long long){lower} + {index}")
            }
        };
        self.in_own_variable(l, format!("long long {}", header.name), start)
    }

    /// What the bound reads in memory is read once.
    fn in_own_variable(&mut self, l: &Loop, variable: String, mut start: String) -> Shared {
        let name = self.name(l.induction);
        let is_one = is_literal(&l.step, 1);
        let mut stride = self.stride_of(l, !is_one);
        if !is_one {
            stride = format!("{} * {stride}", self.operand(&l.step, FACTOR));
        }
        let is_alike = l.bound.ty.ty == self.unit.symbol(l.induction).ty.ty;
        let is_tested = self.is_tested(l);
        let condition = match is_tested || is_alike && reads_memory(&l.bound) {
            false => self.condition(l, &name),
            true => {
                let end = self.cuda.fresh(&format!("{name}_end"));
                let bound = match is_tested {
                    true => self.tested(l),
                    false => self.operand(&l.bound, ASSIGNMENT),
                };
                start = format!("{start}, {end} = {bound}");
                up_to(l, &name, &end)
            }
        };
        Shared {
            constants: Vec::new(),
            variable,
            start,
            condition,
            stride,
            inside: Vec::new(),
            name,
        }
    }

    /// Whether the kernel tests the bound of a loop.
    pub(super) fn is_tested(&self, l: &Loop) -> bool {
        self.cuda.index.tested.contains(&l.induction) && evaluate(self.unit, &l.bound).is_none()
    }

    /// Such a bound, an `int`.
    pub(super) fn tested(&self, l: &Loop) -> String {
        let bound = self.operand(self.cuda.bare(&l.bound), ASSIGNMENT);
        format!("accrs::int_end({bound})")
    }

    /// Whether the launch keeps a loop's variable in `int`.
    fn is_kept(&self, l: &Loop) -> bool {
        self.cuda.index.kept.contains(&l.induction)
    }

    /// Whether a loop that counts up has so few iterations that each thread of a block has at most
    /// one, between constants.
    fn is_of_lanes(&self, l: &Loop) -> bool {
        let ty = self.unit.symbol(l.induction).ty.ty;
        let is_wide = self.unit.types.size(ty).is_some_and(|bytes| bytes >= 4);
        let is_int = self.counter_type(l) == Some(INT);
        !l.downward && l.once.is_some() && !l.has_blocks() && is_wide && is_int
    }

    /// Whether a loop that counts down may do so in its own variable: what a thread has behind its
    /// last iteration is in the variable's range, be it between constants, by the launch, or since
    /// there is so much room in 64 bits.
    fn descends(&self, l: &Loop) -> bool {
        l.downward && (self.is_kept(l) || self.descends_far(l) || self.descends_near(l))
    }

    /// Whether it does so in 64 bits, to what is near 0.
    fn descends_far(&self, l: &Loop) -> bool {
        let types = &self.unit.types;
        let is_far = |ty: TypeId| types.is_signed(ty) && types.size(ty) == Some(8);
        let is_whole = |e: &Expression| types.is_integer(e.ty.ty) && types.is_signed(e.ty.ty);
        // Not near the other end, whatever it is.
        let is_int = types
            .size(l.lower.inner().ty.ty)
            .is_some_and(|bytes| bytes <= 4);
        let is_positive = evaluate(self.unit, &l.lower).map_or(is_int, |value| value > 0);
        let is_near = |value: i128| value.abs() <= 1 << 32;
        let is_ordered = matches!(l.relation, Relation::Greater | Relation::GreaterEqual);
        // The number of a thread of the grid has 64 bits.
        is_ordered
            && l.has_blocks()
            && is_literal(&l.step, 1)
            && is_far(self.unit.symbol(l.induction).ty.ty)
            && types.is_integer(self.unit.symbol(l.induction).ty.ty)
            && is_whole(&l.lower)
            && is_whole(&l.bound)
            && is_positive
            && evaluate(self.unit, &l.bound).is_some_and(is_near)
    }

    /// Whether it does so between constants.
    fn descends_near(&self, l: &Loop) -> bool {
        let is_int = |ty: TypeId| matches!(self.unit.types.get(ty), Type::Integer(kind) if *kind == IntegerKind::Int);
        let is_positive = |e: &Expression| evaluate(self.unit, e).is_some_and(|value| value > 0);
        let ends = [l.lower.ty.ty, l.bound.ty.ty];
        is_literal(&l.step, 1)
            && (l.once.is_some() || !l.has_blocks())
            && is_int(self.unit.symbol(l.induction).ty.ty)
            && ends.into_iter().all(is_int)
            && is_positive(&l.lower)
            && self.counter_type(l) == Some(INT)
    }

    /// `i = N - 1 - threadIdx.x`, and so on downward.
    fn descending(&mut self, l: &Loop) -> Shared {
        let header = self.header(l, true);
        let lower = self.operand(&l.lower, ADDEND);
        let (mut index, mut stride) = (factor(&self.thread_index(l)), self.stride_of(l, false));
        if let Some(step) = &header.step {
            index = format!("{step} * {index}");
            stride = format!("{step} * {stride}");
        }
        let start = format!("{lower} - {index}");
        Shared {
            constants: Vec::new(),
            variable: header.variable,
            start,
            condition: self.condition(l, &header.name),
            stride,
            inside: Vec::new(),
            name: header.name,
        }
    }

    /// The loop counts iterations, and computes its variable from their number.
    fn numbered_by_count(&mut self, l: &Loop) -> Shared {
        let header = self.header(l, true);
        let trips = self.counted(l);
        let number = self.cuda.fresh("iteration");
        let own = self.unit.symbol(l.induction).ty.ty;
        let is_unsigned = *self.unit.types.get(own) == Type::Integer(IntegerKind::UnsignedInt);
        let other = if l.has_slack && is_unsigned {
            "unsigned"
        } else {
            "long long"
        };
        let ty = self.counter_type(l).unwrap_or(other).to_owned();
        let parts = [&l.lower, &l.bound, &l.step];
        let (mut start, mut end) = (self.thread_index(l), trips);
        let is_call = end.contains("accrs::");
        if parts.into_iter().any(reads_memory) || is_call && !is_straight(l) {
            end = self.trips(&TripCount::of(l));
            let name = self.cuda.fresh(&format!("{}_trips", header.name));
            start = format!("{start}, {name} = {end}");
            end = name;
        }
        let value = self.numbered(l, &header, &number);
        Shared {
            constants: Vec::new(),
            variable: format!("{ty} {number}"),
            start,
            condition: format!("{number} < {end}"),
            stride: self.stride_of(l, false),
            inside: value.into_iter().collect(),
            name: number,
        }
    }

    /// Numbers in place of the extents of a block that every launch has.
    fn of_block(&self, text: String) -> String {
        if !self.is_fixed {
            return text;
        }
        let extents = Axis::ALL.into_iter().zip(&self.block);
        let text = extents.fold(text, |text, (axis, extent)| match extent {
            BlockExtent::Constant(n) => {
                let name = format!("blockDim.{}", axis.name());
                let text = match n {
                    1 => text.replace(&format!(" * {name}"), ""),
                    _ => text,
                };
                text.replace(&name, &n.to_string())
            }
            BlockExtent::Expression(_) => text,
        });
        // A number needs no other type.
        let in_type = |text: &'_ str| Some(text.split_once('(')?.1.strip_suffix(')')?.to_owned());
        let number = text.strip_prefix("(size_t)").map(str::to_owned);
        let number = number.or_else(|| in_type(&text));
        let number = number.filter(|number| number.parse::<u32>().is_ok());
        number.unwrap_or(text)
    }

    fn widens(&self, l: &Loop) -> bool {
        l.widens(&self.windows, self.unit)
    }

    /// The variable of a loop with its value in an iteration, where it is of use.
    fn numbered(&self, l: &Loop, header: &Header, number: &str) -> Option<String> {
        self.is_used(l, l.induction).then(|| {
            let value = self.value_of(l, header, number);
            format!("{} = {value}", header.variable)
        })
    }

    /// One loop over all iterations of several, outermost first, which computes
    /// their variables from its number.
    fn collapsed_loops(&mut self, loops: &[&Loop]) {
        let Some(outermost) = loops.first() else {
            return;
        };
        let (index, count) = (
            self.thread_index(outermost),
            self.stride_of(outermost, false),
        );
        loops.iter().for_each(|l| self.notes_of_head(l.header));
        let number = self.cuda.fresh("iteration");
        let mut start = format!("{number} = {index}");
        let trips = self.trips_together(loops, &mut start);
        let total = product(&trips);
        let is_small = trips
            .iter()
            .map(|text| text.parse::<i128>().unwrap_or(i128::MAX));
        let is_small = is_small.fold(1, i128::saturating_mul) <= FEW;
        let ty = match is_small {
            true => INT,
            false => self.counter_type(outermost).unwrap_or("long long"),
        };
        let ty = ty.to_owned();
        self.lines.open(&format!(
            "for ({ty} {start}; {number} < {total}; {number} += {count}) {{"
        ));
        let body = loops.last().map_or(&[][..], |innermost| &innermost.body);
        let inner = inner_loops(outermost, loops.len());
        for (depth, l) in loops.iter().enumerate() {
            if let Some(statement) = depth.checked_sub(1).and_then(|at| inner.get(at)) {
                self.notes_before(statement);
            }
            let header = self.header(l, true);
            let inner = &trips[depth + 1..];
            let mut own = number.clone();
            match inner {
                [] => {}
                [one] => own.push_str(&format!(" / {one}")),
                _ => own.push_str(&format!(" / ({})", product(inner))),
            }
            if depth > 0 {
                own.push_str(&format!(" % {}", trips[depth]));
            }
            if header.step.is_some() || l.downward && header.lower.is_none() {
                own = format!("({own})");
            }
            if let Some(value) = self.numbered(l, &header, &own) {
                self.lines.line(&format!("const {value};"));
            }
            self.declared.insert(l.induction);
            self.privates_of(l, body);
        }
        self.statements(body);
        let said = self.notes_behind_inner(&inner);
        self.lines.comments(&said);
        self.lines.close("}");
    }

    /// The trip counts of loops: numbers, or variables that are declared behind `start`, one for those
    /// that are the same.
    fn trips_together(&mut self, loops: &[&Loop], start: &mut String) -> Vec<String> {
        let texts: Vec<String> = loops
            .iter()
            .map(|l| {
                let count = TripCount::of(l);
                let operand = |e: &Expression| self.operand(e, ADDEND);
                constant_trips(self.unit, &count).map_or_else(
                    || counted_trips(self.cuda, self.unit, &count, &operand),
                    |number| number.to_string(),
                )
            })
            .collect();
        let mut named: Vec<(&String, String)> = Vec::new();
        let mut trips = Vec::new();
        for (l, text) in loops.iter().zip(&texts) {
            if text.parse::<i128>().is_ok() {
                trips.push(text.clone());
                continue;
            }
            let known = named.iter().find(|(known, _)| *known == text);
            let name = match known {
                Some((_, name)) => name.clone(),
                None => {
                    let is_one = texts.iter().filter(|other| *other == text).count() == 1;
                    let wanted = match is_one {
                        true => format!("{}_trips", self.name(l.induction)),
                        false => "trips".to_owned(),
                    };
                    let name = self.cuda.fresh(&wanted);
                    start.push_str(&format!(", {name} = {text}"));
                    named.push((text, name.clone()));
                    name
                }
            };
            trips.push(name);
        }
        trips
    }

    /// The value of a loop's variable in an iteration.
    pub(super) fn value_of(&self, l: &Loop, header: &Header, number: &str) -> String {
        let offset = match &header.step {
            None => number.to_string(),
            Some(step) => format!("{step} * {number}"),
        };
        match (&header.lower, l.downward) {
            (None, false) => offset,
            (None, true) => format!("-{offset}"),
            (Some(lower), false) => format!("{lower} + {offset}"),
            (Some(lower), true) => format!("{lower} - {offset}"),
        }
    }

    /// Privates, then the body.
    pub(super) fn inside(&mut self, l: &Loop) {
        self.declared.insert(l.induction);
        self.privates_of(l, &l.body);
        self.statements(&l.body);
    }

    /// Declares the copies of variables in front of the statements that use them, but for those
    /// that are declared with their first value.
    fn privates_of(&mut self, l: &Loop, body: &[Statement]) {
        let own = l.privates.iter().copied();
        let own = own.filter(|symbol| !self.is_shared(*symbol) && *symbol != l.induction);
        let own: Vec<SymbolId> = own.collect();
        let first = set_first(body, &own);
        for symbol in own {
            match first.get(&symbol) {
                Some(span) => self.first_values.extend([(*span, symbol)]),
                None => self.private(symbol),
            }
        }
    }

    /// Whether copies of variables are declared in its body.
    pub(super) fn declares_privates(&self, l: &Loop) -> bool {
        (l.privates.iter()).any(|s| !self.is_shared(*s) && *s != l.induction)
    }

    fn loop_body(&mut self, l: &Loop, head: &str) {
        self.declared.insert(l.induction);
        if self.declares_privates(l) {
            self.lines.open(&format!("{head} {{"));
            self.inside(l);
            self.lines.close("}");
        } else {
            self.headed(head, &l.body, l.header);
        }
    }

    /// Whether the body of a loop, or the place of a window, uses a variable.
    pub(super) fn is_used(&self, l: &Loop, symbol: SymbolId) -> bool {
        let mut places = self.windows.iter().flat_map(SharedWindow::opening);
        visit::mentions(&l.body, symbol) || places.any(|first| first.mentions(symbol))
    }

    /// A trip count as text.
    pub(super) fn trips(&self, count: &TripCount) -> String {
        let operand = |e: &Expression| self.operand(e, ADDEND);
        trips_text(self.cuda, self.unit, count, &operand)
    }
}

/// The condition of a loop that counts up to a number that has a name.
pub(super) fn up_to(l: &Loop, name: &str, end: &str) -> String {
    let relation = match l.relation {
        Relation::LessEqual => "<=",
        _ => "<",
    };
    format!("{name} {relation} {end}")
}

/// The loops in a perfect nest of so many, but for the outermost one.
fn inner_loops(outermost: &Loop, count: usize) -> Vec<&Statement> {
    let mut found = Vec::new();
    let mut body = outermost.body.as_slice();
    while let [statement] = body
        && found.len() + 1 < count
    {
        body = match &statement.kind {
            StatementKind::Loop(next) => {
                found.push(statement);
                &next.body
            }
            StatementKind::Block(inner) => inner,
            _ => break,
        };
    }
    found
}

impl Cuda {
    /// An expression without the parentheses that a macro has around it, which the user does not.
    pub fn bare<'e>(&self, mut e: &'e Expression) -> &'e Expression {
        while let Some(known) = &self.alignment
            && let ExpressionKind::Parenthesized(inner) = &e.kind
            && known.is_part_of_call(e.span)
        {
            e = inner;
        }
        e
    }
}

/// Whether an expression is not of variables alone.
fn reads_memory(e: &Expression) -> bool {
    crate::typed::visit::any(e, &mut |e| {
        matches!(
            e.kind,
            ExpressionKind::Index(..)
                | ExpressionKind::Unary(UnaryOperator::Indirection, _)
                | ExpressionKind::Member { arrow: true, .. }
        )
    })
}

/// Whether 64-bit index arithmetic is needed.
pub fn is_wide(unit: &Unit, l: &Loop) -> bool {
    unit.types.size(unit.symbol(l.induction).ty.ty) == Some(8)
}

/// How an operand is spelled.
type Text<'a> = &'a dyn Fn(&Expression) -> String;

/// A trip count as text: the bound itself in the simplest case.
pub fn trips_text(cuda: &Cuda, unit: &Unit, count: &TripCount, text: Text<'_>) -> String {
    let simple = is_literal(&count.step, 1) && !count.downward;
    let zero = is_literal(&count.lower, 0);
    match count.relation {
        Relation::Less | Relation::NotEqual if simple && zero => text(cuda.bare(&count.bound)),
        _ => counted_trips(cuda, unit, count, text),
    }
}

/// The trip count of a loop that strides by its step, as its launch computes it: nothing is
/// launched if the loop's variable could wrap.
pub fn checked_trips(count: &TripCount, text: Text<'_>) -> String {
    let (lower, bound, step) = (text(&count.lower), text(&count.bound), text(&count.step));
    let function = match count.relation {
        Relation::LessEqual => "int_trips_through",
        Relation::Greater => "int_trips_down",
        Relation::GreaterEqual => "int_trips_down_through",
        Relation::Less | Relation::NotEqual => "int_trips_up",
    };
    format!("accrs::{function}({lower}, {bound}, {step})")
}

/// A trip count as text that is 0, not negative, where there is no iteration; of numbers that the user
/// has as such the number.
fn counted_trips(cuda: &Cuda, unit: &Unit, count: &TripCount, text: Text<'_>) -> String {
    let parts = [&count.lower, &count.bound, &count.step];
    let [lower, bound, step] = parts.map(|part| text(cuda.bare(part)));
    let is_number = |text: &String| text.parse::<i64>().is_ok();
    let limits = [&count.lower, &count.bound, &count.step];
    if let Some(number) = constant_trips(unit, count)
        && [&lower, &bound, &step].into_iter().all(is_number)
        && !limits.into_iter().any(|e| cuda.has_calls(e))
    {
        return number.to_string();
    }
    if let Some(ty) = count.wrapping_type(unit) {
        let (first, last) = if count.downward {
            (bound, lower)
        } else {
            (lower, bound)
        };
        return format!("accrs::trips_to<{}>({first}, {last})", ty.spelling());
    }
    let function = match (count.relation, count.downward) {
        (Relation::Less, _) | (Relation::NotEqual, false) => "trips_up",
        (Relation::LessEqual, _) => "trips_through",
        (Relation::Greater, _) | (Relation::NotEqual, true) => "trips_down",
        (Relation::GreaterEqual, _) => "trips_down_through",
    };
    format!("accrs::{function}({lower}, {bound}, {step})")
}

/// A trip count that every compiler knows, where its parts are in reach of `int`.
fn constant_trips(unit: &Unit, count: &TripCount) -> Option<i128> {
    let is_int = |value: &i128| i32::try_from(*value).is_ok();
    count.number(&|e| evaluate(unit, e).filter(is_int))
}

/// So many iterations, and a block of threads beyond them, are numbered in `int`.
const FEW: i128 = 1 << 30;

/// `3 * n_trips`, in 64 bits if one factor is a variable or the numbers need it.
fn product(factors: &[String]) -> String {
    let number = |text: &String| text.parse::<i128>().unwrap_or(1);
    let all = factors.iter().map(number).fold(1, i128::saturating_mul);
    let is_large = all > i128::from(i32::MAX);
    let mut texts: Vec<String> = factors.to_vec();
    if let Some(first) = texts.iter_mut().find(|text| text.parse::<i128>().is_ok())
        && is_large
    {
        first.push_str("LL");
    }
    texts.join(" * ")
}
