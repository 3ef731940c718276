//! Counted loops that a block takes a tile at a time (see
//! [`crate::ir::Tile`]).
//!
//! ```text
//! for (int i_first = blockIdx.x * 256; i_first < n; i_first += gridDim.x * 256) {
//!     const int i = i_first + threadIdx.x;
//! ```

use super::body::Body;
use super::index::of_type;
use super::language::ADDEND;
use super::loops::is_wide;
use crate::ir::{Axis, BlockExtent, Loop, Tile, TileCount, TripCount, is_literal};
use crate::typed::{Qualifiers, SymbolId};

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
    pub(super) fn tiled_loop(&mut self, l: &Loop, tile: Tile) {
        let Some(places) = self.places(l, tile) else {
            return;
        };
        match tile.count {
            None => self.strided_tiles(l, tile, &places),
            Some(count) => self.counted_tiles(l, tile, count, &places),
        }
    }

    fn places(&self, l: &Loop, tile: Tile) -> Option<Places> {
        let distribution = l.distribution.unwrap_or_default();
        let axis = distribution.threads.iter().position(|&used| used)?;
        let extent = match &self.block[axis] {
            BlockExtent::Constant(n) => n.to_string(),
            BlockExtent::Expression(_) => format!("blockDim.{}", Axis::ALL[axis].name()),
        };
        let axis = Axis::ALL[axis].name();
        let wide = match tile.count.is_some() || is_wide(self.unit, l) {
            true => Some(self.counter_type(l).unwrap_or("size_t")),
            false => None,
        };
        let of_grid = |built_in: &str| {
            let built_in = of_type(wide, &format!("{built_in}.{axis}"));
            match extent.as_str() {
                "1" => built_in,
                extent => format!("{built_in} * {extent}"),
            }
        };
        let has_blocks = distribution.blocks.is_some();
        Some(Places {
            thread: format!("threadIdx.{axis}"),
            first: if has_blocks {
                of_grid("blockIdx")
            } else {
                "0".into()
            },
            stride: if has_blocks {
                of_grid("gridDim")
            } else {
                extent.clone()
            },
        })
    }

    fn strided_tiles(&mut self, l: &Loop, tile: Tile, places: &Places) {
        let first = self.name(tile.first);
        let lower = self.operand(&l.lower, ADDEND);
        let start = match (places.first.as_str(), is_literal(&l.lower, 0)) {
            ("0", _) => lower,
            (blocks, true) => blocks.to_string(),
            (blocks, false) => format!("{lower} + {blocks}"),
        };
        let condition = self.condition(l, &first);
        let declaration = self.tile_variable(tile.first);
        let stride = &places.stride;
        self.lines.open(&format!(
            "for ({declaration} = {start}; {condition}; {first} += {stride}) {{"
        ));
        if self.is_used(l, l.induction) {
            let variable = self.tile_variable(l.induction);
            self.lines
                .line(&format!("const {variable} = {first} + {};", places.thread));
        }
        self.inside(l);
        self.lines.close("}");
    }

    fn counted_tiles(&mut self, l: &Loop, tile: Tile, count: TileCount, places: &Places) {
        let mut trips = self.trips(&TripCount::of(l));
        if let Some(index) = self.counter_type(l) {
            trips = format!("{index}({trips})");
        }
        let total = self.counter(l, count.trips);
        self.lines.line(&format!("const {total} = {trips};"));
        let counter = self.counter(l, count.tile);
        let (total, number) = (self.name(count.trips), self.name(count.tile));
        self.lines.open(&format!(
            "for ({counter} = {}; {number} < {total}; {number} += {}) {{",
            places.first, places.stride
        ));
        let own = self.counter(l, count.number);
        self.lines
            .line(&format!("const {own} = {number} + {};", places.thread));
        for (symbol, counted) in [(tile.first, count.tile), (l.induction, count.number)] {
            if self.is_used(l, symbol) {
                let header = self.header(l, true);
                let value = self.value_of(l, &header, &self.name(counted));
                let variable = self.tile_variable(symbol);
                self.lines.line(&format!("const {variable} = {value};"));
            }
        }
        self.inside(l);
        self.lines.close("}");
    }

    /// The type in which a loop numbers its iterations, where the launch chooses it.
    pub(super) fn counter_type(&self, l: &Loop) -> Option<&str> {
        let index = &self.cuda.index;
        (index.loops.contains(&l.induction)).then_some(index.name.as_str())
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
        self.cuda.declare(self.unit, ty, &name)
    }
}
