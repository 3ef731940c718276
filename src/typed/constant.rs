//! Constant expressions (C11 6.6).
