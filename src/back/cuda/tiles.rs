//! Counted loops that a block takes a tile at a time (see
//! [`crate::ir::Tile`]).
//!
//! ```text
//! for (int i_first = blockIdx.x * 256; i_first < n; i_first += gridDim.x * 256) {
//!     const int i = i_first + threadIdx.x;
//! ```

use super::body::Body;
use super::index::{block_index, of_type};
use super::language::ADDEND;
use super::loops::{INT, Shared, is_wide, up_to};
use crate::ir::{Axis, BlockExtent, Loop, Tile, TileCount, TripCount, is_literal, visit};
use crate::typed::constant::evaluate;
use crate::typed::{BinaryOperator, ExpressionKind, Qualifiers, SymbolId};

/// Texts of one tiled loop.
struct Places {
    /// The thread's index along the loop's axis.
    thread: String,
    /// The number of the block's first iteration.
    first: String,
    /// Iterations from one tile of a block to its next.
    stride: String,
}

impl Body<'_> {
    /// A loop over tiles, its variable computed from the tile's first value.
    pub(super) fn tiled(&mut self, l: &Loop, tile: Tile) -> Shared {
        let places = self.places(l, tile);
        match tile.count {
            None => self.strided_tiles(l, tile, places),
            Some(count) => self.counted_tiles(l, tile, count, places),
        }
    }

    fn places(&self, l: &Loop, tile: Tile) -> Places {
        let distribution = l.distribution.unwrap_or_default();
        let axis = distribution.threads.iter().position(|&used| used);
        let axis = axis.unwrap_or_default();
        let extent = match &self.block[axis] {
            BlockExtent::Constant(n) => n.to_string(),
            BlockExtent::Expression(_) => format!("blockDim.{}", Axis::ALL[axis].name()),
        };
        let axis = Axis::ALL[axis];
        let wide = match tile.count.is_some() || is_wide(self.unit, l) {
            true => Some(self.counter_type(l).unwrap_or("size_t")).filter(|ty| *ty != INT),
            false => None,
        };
        let extent = match (self.rows_of_thread(l), extent.parse::<u32>()) {
            (None, _) => extent,
            (Some(rows), Ok(threads)) => (i128::from(threads) * rows).to_string(),
            (Some(rows), Err(_)) => format!("{extent} * {rows}"),
        };
        let of_grid = |built_in: &str| {
            let built_in = of_type(wide, built_in);
            match extent.as_str() {
                "1" => built_in,
                extent => format!("{built_in} * {extent}"),
            }
        };
        let has_blocks = distribution.blocks.is_some();
        let mut block = block_index(axis, self.folds_y);
        if wide.is_none() && is_divided(l, tile.first) {
            block = of_type(Some(INT), &block);
        }
        Places {
            thread: match self.rows_of_thread(l) {
                None => format!("threadIdx.{}", axis.name()),
                Some(rows) => format!("{rows} * threadIdx.{}", axis.name()),
            },
            first: match has_blocks {
                true => of_grid(&block),
                false => "0".into(),
            },
            stride: if has_blocks {
                of_grid(&format!("gridDim.{}", axis.name()))
            } else {
                extent.clone()
            },
        }
    }

    /// How many iterations a thread has of each tile, if not one.
    fn rows_of_thread(&self, l: &Loop) -> Option<i128> {
        let step = evaluate(self.unit, &l.step);
        step.filter(|_| l.strides_by_step)
    }

    fn strided_tiles(&mut self, l: &Loop, tile: Tile, places: Places) -> Shared {
        let name = self.name(tile.first);
        let lower = self.operand(&l.lower, ADDEND);
        let start = match (places.first.as_str(), is_literal(&l.lower, 0)) {
            ("0", _) => lower,
            (blocks, true) => blocks.to_string(),
            (blocks, false) => self.first_of_thread(l, Some(&lower), blocks.to_string()),
        };
        let mut constants = Vec::new();
        let condition = match self.is_tested(l) {
            false => self.condition(l, &name),
            true => {
                let end = self.cuda.fresh(&format!("{}_end", self.name(l.induction)));
                constants.push(format!("{INT} {end} = {}", self.tested(l)));
                up_to(l, &name, &end)
            }
        };
        let variable = self.tile_variable(tile.first);
        let mut inside = Vec::new();
        if self.is_used(l, l.induction) {
            let own = self.tile_variable(l.induction);
            inside.push(format!("{own} = {name} + {}", places.thread));
        }
        Shared {
            constants,
            variable,
            name,
            start,
            condition,
            stride: places.stride,
            inside,
        }
    }

    fn counted_tiles(&mut self, l: &Loop, tile: Tile, count: TileCount, places: Places) -> Shared {
        let trips = self.counted(l);
        let total = self.counter(l, count.trips);
        let constants = vec![format!("{total} = {trips}")];
        let variable = self.counter(l, count.tile);
        let name = self.name(count.tile);
        let condition = format!("{name} < {}", self.name(count.trips));
        let own = self.counter(l, count.number);
        let mut inside = vec![format!("{own} = {name} + {}", places.thread)];
        for (symbol, counted) in [(tile.first, count.tile), (l.induction, count.number)] {
            if self.is_used(l, symbol) {
                let header = self.header(l, true);
                let value = self.value_of(l, &header, &self.name(counted));
                let variable = self.tile_variable(symbol);
                inside.push(format!("{variable} = {value}"));
            }
        }
        Shared {
            constants,
            variable,
            name,
            start: places.first,
            condition,
            stride: places.stride,
            inside,
        }
    }

    /// The type in which a loop counts, where the launch chooses it or it is `int`.
    pub(super) fn counter_type(&self, l: &Loop) -> Option<&str> {
        let index = &self.cuda.index;
        match index.narrow.contains(&l.induction) {
            true => Some(INT),
            false => (index.loops.contains(&l.induction)).then_some(index.name.as_str()),
        }
    }

    /// A trip count in the type in which a loop counts.
    pub(super) fn counted(&self, l: &Loop) -> String {
        let trips = self.trips(&TripCount::of(l));
        match self.counter_type(l) {
            Some(index) if index != INT => format!("{index}({trips})"),
            _ => trips,
        }
    }

    /// The declaration of a number of iterations, without its value.
    fn counter(&mut self, l: &Loop, symbol: SymbolId) -> String {
        let declaration = self.tile_variable(symbol);
        match self.counter_type(l) {
            Some(index) => format!("{index} {}", self.name(symbol)),
            None => declaration,
        }
    }

    /// The declaration of one of the loop's variables, without its value.
    fn tile_variable(&mut self, symbol: SymbolId) -> String {
        self.declared.insert(symbol);
        let mut ty = self.unit.symbol(symbol).ty;
        ty.qualifiers = Qualifiers::default();
        let name = self.name(symbol);
        self.cuda.declare_as(self.unit, symbol, ty, &name)
    }
}

/// Whether a body divides the first value of a loop's tile: compilers know that the quotient is the block's number
/// where no product of it wraps.
fn is_divided(l: &Loop, first: SymbolId) -> bool {
    use BinaryOperator::{Divide, Remainder};
    let mut found = false;
    visit::expressions(&l.body, &mut |e| {
        if let ExpressionKind::Binary(Divide | Remainder, dividend, _) = &e.kind {
            found |= dividend.mentions(first);
        }
    });
    found
}
