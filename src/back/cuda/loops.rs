//! Counted loops, sequential or shared between threads.
//!
//! ```text
//! for (int i = 1; i < n; i++)             // vector
//!     for (int i = 1 + threadIdx.x; i < n; i += blockDim.x)
//! for (unsigned char c = 200; c > 0; c--) // its variable cannot stride
//!     for (long long iteration = threadIdx.x;
//!          iteration < accrs::trips_down(200, 0, 1); iteration += blockDim.x) {
//!         const unsigned char c = 200 - iteration;
//! ```

use super::body::Body;
use super::index::{thread_count, thread_index};
use super::language::{ADDEND, COMPARED, FACTOR};
use crate::ir::{Loop, Relation, Spread, TripCount, is_literal};
use crate::typed::{Expression, Unit};

/// The parts of a loop's header as text.
struct Header {
    /// The variable's declaration or name.
    variable: String,
    name: String,
    lower: Option<String>,
    step: Option<String>,
}

impl Body<'_> {
    /// A counted loop of any kind.
    pub(super) fn counted_loop(&mut self, l: &Loop) {
        let spread = l.spread.unwrap_or(Spread::SEQUENTIAL);
        if spread.is_sequential() {
            return self.sequential_loop(l);
        }
        if let Some(tile) = l.tile {
            return self.tiled_loop(l, tile);
        }
        let wide = is_wide(self.unit, l) || !l.strides(self.unit);
        let (index, count) = match (
            thread_index(self.templates, spread, wide),
            thread_count(self.templates, spread, wide),
        ) {
            (Ok(index), Ok(count)) => (index, count),
            (Err(diagnostic), _) | (_, Err(diagnostic)) => {
                return self.diagnostics.push(diagnostic);
            }
        };
        if l.strides(self.unit) {
            self.strided_loop(l, &index, &count);
        } else {
            self.numbered_loop(l, &index, &count);
        }
    }

    fn header(&mut self, l: &Loop, own: bool) -> Header {
        let name = self.name(l.induction);
        let declares = own || l.declared_inside || !self.declared.contains(&l.induction);
        let mut ty = self.unit.symbol(l.induction).ty;
        ty.qualifiers = crate::typed::Qualifiers::default();
        let variable = if declares {
            self.cuda.declare(self.unit, ty, &name)
        } else {
            name.clone()
        };
        Header {
            variable,
            name,
            lower: (!is_literal(&l.lower, 0)).then(|| self.operand(&l.lower, ADDEND)),
            step: (!is_literal(&l.step, 1)).then(|| self.operand(&l.step, FACTOR)),
        }
    }

    pub(super) fn condition(&self, l: &Loop, name: &str) -> String {
        let relation = match (l.relation, l.downward) {
            (Relation::Less, _) | (Relation::NotEqual, false) => "<",
            (Relation::LessEqual, _) => "<=",
            (Relation::Greater, _) | (Relation::NotEqual, true) => ">",
            (Relation::GreaterEqual, _) => ">=",
        };
        format!("{name} {relation} {}", self.operand(&l.bound, COMPARED + 1))
    }

    fn sequential_loop(&mut self, l: &Loop) {
        let header = self.header(l, false);
        let lower = self.operand(&l.lower, 0);
        let name = &header.name;
        let relation = if l.relation == Relation::NotEqual {
            format!("{name} != {}", self.operand(&l.bound, COMPARED + 1))
        } else {
            self.condition(l, name)
        };
        let advance = match (&header.step, l.downward) {
            (None, false) => format!("{name}++"),
            (None, true) => format!("{name}--"),
            (Some(step), false) => format!("{name} += {step}"),
            (Some(step), true) => format!("{name} -= {step}"),
        };
        let head = format!("for ({} = {lower}; {relation}; {advance})", header.variable);
        self.loop_body(l, &head);
    }

    /// The loop strides in its own variable.
    fn strided_loop(&mut self, l: &Loop, index: &str, count: &str) {
        let header = self.header(l, true);
        let start = match &header.lower {
            None => index.to_string(),
            Some(lower) => format!("{lower} + {index}"),
        };
        let condition = self.condition(l, &header.name);
        let head = format!(
            "for ({} = {start}; {condition}; {} += {count})",
            header.variable, header.name
        );
        self.loop_body(l, &head);
    }

    /// The loop counts iterations, and computes its variable from their number.
    fn numbered_loop(&mut self, l: &Loop, index: &str, count: &str) {
        let header = self.header(l, true);
        let trips = self.trips(&trip_count(l));
        let number = self.cuda.fresh("iteration");
        let head =
            format!("for (long long {number} = {index}; {number} < {trips}; {number} += {count})");
        self.lines.open(&format!("{head} {{"));
        let value = self.value_of(l, &header, &number);
        self.lines
            .line(&format!("const {} = {value};", header.variable));
        self.inside(l);
        self.lines.close("}");
    }

    fn value_of(&self, l: &Loop, header: &Header, number: &str) -> String {
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
        for &symbol in &l.privates {
            if !self.is_shared(symbol) && symbol != l.induction {
                self.private(symbol);
            }
        }
        self.statements(&l.body);
    }

    fn loop_body(&mut self, l: &Loop, head: &str) {
        let needs_block = l
            .privates
            .iter()
            .any(|s| !self.is_shared(*s) && *s != l.induction);
        self.declared.insert(l.induction);
        if needs_block {
            self.lines.open(&format!("{head} {{"));
            self.inside(l);
            self.lines.close("}");
        } else {
            self.headed(head, &l.body);
        }
    }

    /// An expression for the number of rounds of a loop.
    pub(super) fn trips(&self, count: &TripCount) -> String {
        trips_text(count, &|e: &Expression| self.operand(e, ADDEND))
    }
}

/// Whether 64-bit index arithmetic is needed.
pub fn is_wide(unit: &Unit, l: &Loop) -> bool {
    unit.types.size(unit.symbol(l.induction).ty.ty) == Some(8)
}

/// The trip count of a loop, from its header.
pub fn trip_count(l: &Loop) -> TripCount {
    TripCount {
        lower: l.lower.clone(),
        relation: l.relation,
        bound: l.bound.clone(),
        step: l.step.clone(),
        downward: l.downward,
    }
}

/// A trip count as text: the bound itself in the simplest case.
pub fn trips_text(count: &TripCount, text: &dyn Fn(&Expression) -> String) -> String {
    let (lower, bound, step) = (text(&count.lower), text(&count.bound), text(&count.step));
    let simple = is_literal(&count.step, 1) && !count.downward;
    let zero = is_literal(&count.lower, 0);
    match count.relation {
        Relation::Less | Relation::NotEqual if simple && zero => bound,
        _ => {
            let function = match (count.relation, count.downward) {
                (Relation::Less, _) | (Relation::NotEqual, false) => "trips_up",
                (Relation::LessEqual, _) => "trips_through",
                (Relation::Greater, _) | (Relation::NotEqual, true) => "trips_down",
                (Relation::GreaterEqual, _) => "trips_down_through",
            };
            format!("accrs::{function}({lower}, {bound}, {step})")
        }
    }
}
