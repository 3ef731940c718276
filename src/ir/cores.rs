//! How the cores of the host share a construct that the host runs itself.
//!
//! A region's loops and atomic accesses are those of the program's own text, which is what the
//! host runs: passes that cut, interchange or tile loops change nothing about them.

use super::{AtomicForm, Reduction};
use crate::source::Span;
use crate::typed::{Expression, SymbolId};

/// What cores share of one region. A region without any of it runs on one core.
#[derive(Clone, Debug, Default)]
pub struct Cores {
    /// Its loops that cores or vector instructions share, outer ones first.
    pub loops: Vec<CoreLoop>,
    /// Accesses that no other core comes between.
    pub atomics: Vec<CoreAtomic>,
}

/// A loop whose iterations cores share, or the lanes of a core's vector instructions.
#[derive(Clone, Debug)]
pub struct CoreLoop {
    /// `for (…)`.
    pub header: Span,
    /// Cores share its iterations; else one core runs them all.
    pub threads: bool,
    /// Vector instructions may run several iterations at once.
    pub lanes: bool,
    /// One core runs them unless all of these hold, without vector instructions.
    pub conditions: Vec<Expression>,
    /// How many loops directly inside are one with it.
    pub collapsed: usize,
    /// How its variables reach the iterations; those that are not here are shared.
    pub variables: Vec<(SymbolId, CoreShare)>,
    /// Its reductions.
    pub reductions: Vec<Reduction>,
}

/// Whose a variable of a loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreShare {
    /// Each core has one, without a value.
    Private,
    /// Each core has one, with the value from before the loop.
    FirstPrivate,
    /// Each core has one; that of the last iteration stays.
    LastPrivate,
}

/// An atomic access.
#[derive(Clone, Debug)]
pub struct CoreAtomic {
    /// What was asked for.
    pub form: AtomicForm,
    /// The statement.
    pub span: Span,
}
