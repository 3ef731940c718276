//! Facts about kernels: pure functions from IR to answers. Nothing here
//! changes a tree; passes do.

pub mod block_affine;
pub mod bounds;
pub mod condition;
pub mod constants;
pub mod conversions;
pub mod definitions;
pub mod dependence;
pub mod directives;
pub mod effects;
pub mod element_index;
pub mod escapes;
pub mod exits;
pub mod flow;
pub mod interval;
pub mod launch_value;
pub mod loop_counters;
pub mod occupancy;
pub mod ownership;
pub mod polynomial;
pub mod recognition;
pub mod requests;
pub mod row_length;
pub mod scope;
pub mod subscripts;
pub mod touched;
pub mod trip_count;
pub mod uniformity;
pub mod whole_tiles;
