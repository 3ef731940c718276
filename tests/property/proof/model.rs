//! A function with `kernels`, as far as making it and making it small need: loops, conditions and
//! statements, whose expressions are text.
//!
//! In a text, an access to an element stands between marks: [`READ`] or [`WRITE`] before it, [`END`]
//! after it.

/// Before an element that is read, written, or both.
pub const READ: char = '\u{1}';
pub const WRITE: char = '\u{2}';
pub const UPDATE: char = '\u{3}';
/// Behind an element.
pub const END: char = '\u{4}';

/// Parameters that may be members of a struct, `z`, which the function gets by value or behind a pointer.
pub const SIZES: [&str; 4] = ["n", "m", "w", "s"];

/// A function and what it is called with.
#[derive(Clone, Debug)]
pub struct Function {
    pub seed: u64,
    /// Declarations before the regions: scalars, and pointers into arrays.
    pub locals: Vec<Local>,
    pub storages: Vec<Storage>,
    pub arrays: Vec<Array>,
    pub parameters: Vec<Parameter>,
    /// What names the parameters that are [`SIZES`]: nothing, or the struct that they are members of.
    pub sizes: &'static str,
    /// One `kernels` region each.
    pub regions: Vec<Vec<Node>>,
    /// Scalars whose values are results.
    pub results: Vec<String>,
    /// In how many rounds it is called.
    pub rounds: usize,
}

/// A declaration with its initial value.
#[derive(Clone, Debug)]
pub struct Local {
    pub name: String,
    pub text: String,
}

/// An array at file scope, on which everything else points.
#[derive(Clone, Debug)]
pub struct Storage {
    pub name: String,
    pub element: &'static str,
    pub extents: Vec<i64>,
    pub fill: Fill,
}

/// What storage holds before each round.
#[derive(Clone, Copy, Debug)]
pub enum Fill {
    /// Small numbers of both signs.
    Numbers,
    /// Each number below the length once.
    Permutation,
    /// Numbers below this one.
    Below(i64),
}

/// A name by which the regions use storage.
#[derive(Clone, Debug)]
pub struct Array {
    pub name: String,
    /// Of a parameter: its declarator, and the argument.
    pub parameter: Option<(String, String)>,
    /// The data clause's item.
    pub section: String,
}

/// A parameter with its value in each round.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub kind: &'static str,
    pub values: Vec<String>,
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Node {
    Loop(Loop),
    If {
        condition: String,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
    /// Two cases, of which the second stands in the branch of an `if` behind what the first one sets:
    /// either leads to the body.
    Switch {
        value: String,
        set: String,
        condition: String,
        body: Vec<Node>,
    },
    /// A declaration, for what follows it.
    Declare(String),
    /// `target operator= terms, joined by +`, in a form: `{}` stands for their sum.
    Assign {
        target: String,
        form: String,
        terms: Vec<String>,
    },
    /// Any other.
    Plain(String),
}

/// A `for` loop.
#[derive(Clone, Debug)]
pub struct Loop {
    pub kind: &'static str,
    pub variable: String,
    pub first: String,
    pub condition: String,
    pub step: String,
    pub body: Vec<Node>,
}

/// Calls `visit` on each list of statements.
pub fn lists(list: &mut Vec<Node>, visit: &mut dyn FnMut(&mut Vec<Node>)) {
    visit(list);
    for node in list {
        match node {
            Node::Loop(l) => lists(&mut l.body, visit),
            Node::Switch { body, .. } => lists(body, visit),
            Node::If {
                then, otherwise, ..
            } => {
                lists(then, visit);
                lists(otherwise, visit);
            }
            _ => {}
        }
    }
}
