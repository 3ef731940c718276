//! Windows of arrays in the lowered statements of a construct: what the text
//! shows of their limits ([`check`]), and which of them lie behind pointers
//! whose rows are all on the device ([`rows`]), and
//! which elements ([`bounds`]).

mod accesses;
pub mod bounds;
pub mod check;
pub mod control;
pub mod rows;
