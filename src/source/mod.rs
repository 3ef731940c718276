//! Where text comes from: files, preprocessing, and the way back.

mod span;

pub use span::{Span, Spanned};
