//! Facts about kernels: pure functions from IR to answers. Nothing here
//! changes a tree; passes do.

pub mod assignment;
pub mod constant;
pub mod effects;
pub mod library;
pub mod liveness;
pub mod scope;
pub mod uniformity;
