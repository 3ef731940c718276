//! Copies of scalars.
