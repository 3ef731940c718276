//! A generated program: arrays, kernels, and statements over windows, before any spelling.
//!
//! Two printers read it, and share nothing but this: [`super::source`] writes the C with directives
//! that the translator gets, [`super::oracle`] the serial C that says what comes out.

use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Rem, Sub};

/// A program: one function that runs kernels over arrays, and the sizes it is run with.
#[derive(Clone, Debug)]
pub struct Program {
    /// What it is made from; it gives the values in the arrays as well.
    pub seed: u64,
    /// What the generator wanted to show.
    pub family: String,
    /// Names of the function's `int` parameters.
    pub parameters: Vec<String>,
    /// The values of the parameters in each run.
    pub rounds: Vec<Vec<i64>>,
    /// The arrays, parameters of the function or at file scope.
    pub arrays: Vec<Array>,
    /// The kernels, one after the other.
    pub kernels: Vec<Kernel>,
    /// Whether a data region stands around all kernels.
    pub data_region: bool,
}

/// The type of an element or of a private variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// Of reductions alone.
    Bool,
    /// Of subscripts alone.
    Byte,
    Char,
    Short,
    Int,
    Unsigned,
    Long,
    Float,
    Double,
    /// `struct pair { int x; double y; }`
    Pair,
    /// `struct tagged { char mark; float value; short count; }`
    Tagged,
}

impl Type {
    /// As C writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "unsigned char",
            Self::Char => "char",
            Self::Short => "short",
            Self::Int => "int",
            Self::Unsigned => "unsigned",
            Self::Bool => "_Bool",
            Self::Long => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Pair => "struct pair",
            Self::Tagged => "struct tagged",
        }
    }

    /// The members of a structure with their types; none of a scalar.
    pub fn members(self) -> &'static [(&'static str, Type)] {
        match self {
            Self::Pair => &[("x", Self::Int), ("y", Self::Double)],
            Self::Tagged => &[
                ("mark", Self::Char),
                ("value", Self::Float),
                ("count", Self::Short),
            ],
            _ => &[],
        }
    }

    /// Whether it is `float` or `double`.
    pub fn is_real(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }
}

/// An array that kernels read or write.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    pub element: Type,
    /// Elements in each dimension, outermost first.
    pub extents: Vec<Expression>,
    pub storage: Storage,
    /// Whether a kernel's result goes to it.
    pub written: bool,
    /// Whether it is nothing but the name of windows, never in device memory.
    pub dummy: bool,
}

/// How a program declares an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// A parameter: `float *restrict a`, or `float (*restrict a)[m]` for more dimensions.
    Pointer,
    /// A parameter: `float a[restrict n][m]`.
    Parameter,
    /// Pointers to the rows of a parameter: `float **restrict a`. Of two dimensions or more.
    Rows,
    /// An array at file scope, with the largest extents of all rounds.
    File,
}

/// A compute construct over a nest of parallel loops.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub form: Form,
    /// The parallel loops, outermost first; one to three.
    pub dimensions: Vec<Dimension>,
    pub gangs: Option<i64>,
    pub reductions: Vec<Reduction>,
    pub body: Vec<Statement>,
}

/// How the construct is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `parallel loop vector(n)`
    Parallel,
    /// `parallel loop vector_length(n)`, one dimension only.
    ParallelLength,
    /// `kernels loop independent vector(n)`
    KernelsLoop,
    /// `kernels` and `loop independent vector(n)`, on lines of their own.
    Kernels,
}

/// A parallel loop.
#[derive(Clone, Debug)]
pub struct Dimension {
    pub variable: String,
    pub kind: Type,
    pub lower: Expression,
    /// `<`, `<=`, `>=`
    pub relation: &'static str,
    pub bound: Expression,
    /// Not 0.
    pub step: i64,
    /// Threads of the communicating block; `None` leaves them to the translator.
    pub block: Option<i64>,
    /// Declarations before the next loop of the nest.
    pub prologue: Vec<Statement>,
}

/// A scalar that the kernel reduces to; the function hands it on in `results`.
#[derive(Clone, Debug)]
pub struct Reduction {
    pub name: String,
    pub kind: Type,
    pub operator: &'static str,
    pub initial: i64,
}

/// A statement of a kernel.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A private variable. A constant one may be used in pivots.
    Declare {
        name: String,
        kind: Type,
        constant: bool,
        value: Option<Expression>,
    },
    /// `place operator value;`, the operator being `=` or `+=` and so on.
    Assign {
        place: Expression,
        operator: &'static str,
        value: Expression,
    },
    /// `place++;` or `place--;`
    Step {
        place: Expression,
        operator: &'static str,
    },
    If {
        condition: Expression,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// `for (int name = from; condition; name operator= step)`
    For {
        name: String,
        from: Expression,
        condition: Expression,
        operator: &'static str,
        step: i64,
        body: Vec<Statement>,
    },
    While {
        condition: Expression,
        body: Vec<Statement>,
    },
    DoWhile {
        body: Vec<Statement>,
        condition: Expression,
    },
    Break,
    Continue,
    /// `continue` of the parallel loop: the iteration ends.
    Leave,
    Region(Region),
    /// `fcw_barrier`
    Barrier,
}

/// Statements with windows. That of `cache` is the rest of the loop body it stands in.
#[derive(Clone, Debug)]
pub struct Region {
    pub directives: Vec<Directive>,
    pub explicit: bool,
    /// Directives on lines of their own rather than in one.
    pub stacked: bool,
    pub body: Vec<Statement>,
}

/// A type with its items.
#[derive(Clone, Debug)]
pub struct Directive {
    pub policy: Policy,
    pub items: Vec<Item>,
}

/// What happens with a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    FetchOnly,
    ChannelOnly,
    FetchChannel,
    ChannelWriteBack,
    FetchChannelWriteBack,
    FetchWriteBack,
    WriteBackOnly,
    /// The `cache` directive: it changes no result.
    Cache,
    /// `cache(readonly: ...)`
    CacheReadOnly,
}

impl Policy {
    /// As a directive names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::FetchOnly => "FETCH_ONLY",
            Self::ChannelOnly => "CHANNEL_ONLY",
            Self::FetchChannel => "FETCH_CHANNEL",
            Self::ChannelWriteBack => "CHANNEL_WB",
            Self::FetchChannelWriteBack => "FETCH_CHANNEL_WB",
            Self::FetchWriteBack => "FETCH_WB",
            Self::WriteBackOnly => "WB_ONLY",
            Self::Cache | Self::CacheReadOnly => "cache",
        }
    }

    pub fn fetches(self) -> bool {
        matches!(
            self,
            Self::FetchOnly
                | Self::FetchChannel
                | Self::FetchChannelWriteBack
                | Self::FetchWriteBack
        )
    }

    pub fn communicates(self) -> bool {
        matches!(
            self,
            Self::ChannelOnly
                | Self::FetchChannel
                | Self::ChannelWriteBack
                | Self::FetchChannelWriteBack
        )
    }

    pub fn writes_back(self) -> bool {
        matches!(
            self,
            Self::ChannelWriteBack
                | Self::FetchChannelWriteBack
                | Self::FetchWriteBack
                | Self::WriteBackOnly
        )
    }

    pub fn is_cache(self) -> bool {
        matches!(self, Self::Cache | Self::CacheReadOnly)
    }
}

/// A window of an array.
#[derive(Clone, Debug)]
pub struct Item {
    /// Its number in [`Program::arrays`].
    pub array: usize,
    /// A pivot with what stands before and after it, for each dimension.
    pub window: Vec<Side>,
    /// `a[p:1:1][q:0:0]` rather than the paper's `a[p:1:1:q:0:0]`.
    pub bracketed: bool,
}

/// A window's reach in one dimension.
#[derive(Clone, Debug)]
pub struct Side {
    pub pivot: Expression,
    pub before: Expression,
    pub after: Expression,
}

/// An expression of C.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    Integer(i64),
    /// A multiple of 1/64.
    Real(f64),
    /// A parameter, a private variable, a reduction variable, or a variable of a loop.
    Name(String),
    Element {
        array: usize,
        indices: Vec<Expression>,
        member: Option<&'static str>,
    },
    /// A member of a private structure.
    Member(String, &'static str),
    Binary(&'static str, Box<Expression>, Box<Expression>),
    Conditional(Box<Expression>, Box<Expression>, Box<Expression>),
    Cast(Type, Box<Expression>),
    Call(&'static str, Vec<Expression>),
}

impl Expression {
    /// A binary operation.
    pub fn binary(operator: &'static str, left: impl Into<Self>, right: impl Into<Self>) -> Self {
        Self::Binary(operator, Box::new(left.into()), Box::new(right.into()))
    }

    /// `condition ? yes : no`
    pub fn choose(condition: Self, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        Self::Conditional(
            Box::new(condition),
            Box::new(yes.into()),
            Box::new(no.into()),
        )
    }

    /// `self < other`
    pub fn below(self, other: impl Into<Self>) -> Self {
        Self::binary("<", self, other)
    }

    /// `self >= other`
    pub fn at_least(self, other: impl Into<Self>) -> Self {
        Self::binary(">=", self, other)
    }

    /// `self && other`
    pub fn and(self, other: impl Into<Self>) -> Self {
        Self::binary("&&", self, other)
    }

    /// An element of an array.
    pub fn element(array: usize, indices: Vec<Self>) -> Self {
        Self::Element {
            array,
            indices,
            member: None,
        }
    }

    /// The value of an integer expression, the names having these values.
    pub fn evaluate(&self, names: &BTreeMap<&str, i64>) -> i64 {
        match self {
            Self::Integer(value) => *value,
            Self::Name(name) => names[name.as_str()],
            Self::Binary(operator, left, right) => {
                let (left, right) = (left.evaluate(names), right.evaluate(names));
                match *operator {
                    "+" => left + right,
                    "-" => left - right,
                    "*" => left * right,
                    "/" => left / right,
                    other => unreachable!("an extent with `{other}`"),
                }
            }
            other => unreachable!("an extent with {other:?}"),
        }
    }
}

impl From<i64> for Expression {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Expression {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<&String> for Expression {
    fn from(name: &String) -> Self {
        Self::Name(name.clone())
    }
}

impl<T: Into<Expression>> Add<T> for Expression {
    type Output = Self;

    fn add(self, other: T) -> Self {
        match (self, other.into()) {
            (left, Self::Integer(0)) => left,
            (Self::Integer(left), Self::Integer(right)) => Self::Integer(left + right),
            (left, Self::Integer(right)) if right < 0 => Self::binary("-", left, -right),
            (left, right) => Self::binary("+", left, right),
        }
    }
}

impl<T: Into<Expression>> Sub<T> for Expression {
    type Output = Self;

    fn sub(self, other: T) -> Self {
        match other.into() {
            Self::Integer(right) => self + -right,
            right => Self::binary("-", self, right),
        }
    }
}

impl<T: Into<Expression>> Mul<T> for Expression {
    type Output = Self;

    fn mul(self, other: T) -> Self {
        match (self, other.into()) {
            (left, Self::Integer(1)) => left,
            (left, right) => Self::binary("*", left, right),
        }
    }
}

impl<T: Into<Expression>> Div<T> for Expression {
    type Output = Self;

    fn div(self, other: T) -> Self {
        Self::binary("/", self, other)
    }
}

impl<T: Into<Expression>> Rem<T> for Expression {
    type Output = Self;

    fn rem(self, other: T) -> Self {
        Self::binary("%", self, other)
    }
}

/// The private variable of that name.
pub fn name(name: &str) -> Expression {
    name.into()
}
