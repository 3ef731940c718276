//! How control may leave statements other than at their end.
//!
//! Input: statements of kernels, or typed ones. Output: [`Exits`], in textual
//! order. What a loop or `switch` inside does with a `break` or `continue` of its
//! own stays there; statement expressions jump like the statement that they are in.
//! Every `goto` counts, wherever it leads, and so does every label: control may
//! come from elsewhere.
//!
//! ```c
//! while (p) { if (q) break; f(); }      // no exit
//! if (q) continue;                      // one: `continue`
//! ```

use crate::ir::{self, visit};
use crate::source::Span;
use crate::typed::{self, visit as typed_visit};

/// A statement by which control comes or goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum Jump<'a> {
    Break,
    Continue,
    Return,
    Goto(&'a str),
    /// `goto *e;`.
    ComputedGoto,
    Label(&'a str),
}

impl Jump<'_> {
    /// Whether it ends the loop whose body has it.
    pub fn ends_loop(self) -> bool {
        !matches!(self, Jump::Continue | Jump::Label(_))
    }

    /// Whether it ends an iteration of the loop whose body has it.
    pub fn ends_iteration(self) -> bool {
        !matches!(self, Jump::Label(_))
    }

    /// Its first word in C; that of what jumps to a label.
    pub fn keyword(self) -> &'static str {
        match self {
            Jump::Break => "break",
            Jump::Continue => "continue",
            Jump::Return => "return",
            Jump::Goto(_) | Jump::ComputedGoto | Jump::Label(_) => "goto",
        }
    }

    /// Whether it leads to a label.
    pub fn is_goto(self) -> bool {
        matches!(self, Jump::Goto(_) | Jump::ComputedGoto)
    }
}

/// The exits of some statements, each with its text.
#[derive(Clone, Debug, Default)]
pub struct Exits<'a>(Vec<(Jump<'a>, Span)>);

impl<'a> Exits<'a> {
    /// Those of a list of statements of a kernel.
    pub fn of(list: &'a [ir::Statement]) -> Self {
        let mut exits = Self::default();
        exits.add_list(list, Inside::default());
        exits
    }

    /// Those of one of them.
    pub fn of_statement(statement: &'a ir::Statement) -> Self {
        Self::of(std::slice::from_ref(statement))
    }

    /// Those of a typed statement.
    pub fn of_typed(statement: &'a typed::Statement) -> Self {
        let mut exits = Self::default();
        exits.add_typed(statement, Inside::default());
        exits
    }

    /// Whether control comes and goes at top and bottom alone.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In textual order.
    pub fn iter(&self) -> impl Iterator<Item = (Jump<'a>, Span)> + '_ {
        self.0.iter().copied()
    }

    /// Whether some are of a kind.
    pub fn any(&self, is_kind: impl Fn(Jump<'a>) -> bool) -> bool {
        self.iter().any(|(jump, _)| is_kind(jump))
    }

    /// Whether some go on with the next iteration of the loop around.
    pub fn continues(&self) -> bool {
        self.any(|jump| jump == Jump::Continue)
    }

    /// Without labels, and without what leads to one of them.
    pub fn out(&self) -> impl Iterator<Item = (Jump<'a>, Span)> + '_ {
        let is_inside = |label| self.any(|jump| jump == Jump::Label(label));
        self.iter().filter(move |(jump, _)| match jump {
            Jump::Label(_) => false,
            Jump::Goto(label) => !is_inside(label),
            _ => true,
        })
    }

    fn add(&mut self, jump: Jump<'a>, span: Span, inside: Inside) {
        let stays = match jump {
            Jump::Break => inside.breakable,
            Jump::Continue => inside.a_loop,
            _ => false,
        };
        if !stays {
            self.0.push((jump, span));
        }
    }

    fn add_list(&mut self, list: &'a [ir::Statement], inside: Inside) {
        use ir::StatementKind as S;
        for statement in list {
            visit::own_expressions(statement, &mut |e| {
                typed_visit::in_expression(e, &mut |inner| self.add_typed(inner, inside));
            });
            let mut add = |jump| self.add(jump, statement.span, inside);
            match &statement.kind {
                S::Break => add(Jump::Break),
                S::Continue => add(Jump::Continue),
                S::Return(_) => add(Jump::Return),
                S::Goto(label) => add(Jump::Goto(label)),
                S::Label(label) => add(Jump::Label(label)),
                _ => {}
            }
            let inside = match &statement.kind {
                S::Loop(_) | S::For(_) | S::While(..) | S::DoWhile(..) | S::WhileAny(..) => {
                    Inside::LOOP
                }
                S::Switch(..) => inside.a_switch(),
                _ => inside,
            };
            visit::blocks(statement, &mut |inner| self.add_list(inner, inside));
        }
    }

    fn add_typed(&mut self, statement: &'a typed::Statement, inside: Inside) {
        use typed::StatementKind as S;
        typed_visit::in_expressions(statement, &mut |inner| self.add_typed(inner, inside));
        let mut add = |jump| self.add(jump, statement.span, inside);
        match &statement.kind {
            S::Break => add(Jump::Break),
            S::Continue => add(Jump::Continue),
            S::Return(_) => add(Jump::Return),
            S::Goto(label) => add(Jump::Goto(label)),
            S::ComputedGoto(_) => add(Jump::ComputedGoto),
            S::Labeled(label, _) => add(Jump::Label(label)),
            _ => {}
        }
        let inside = match &statement.kind {
            S::For(_) | S::While(..) | S::DoWhile(..) => Inside::LOOP,
            S::Switch(..) => inside.a_switch(),
            _ => inside,
        };
        typed_visit::children(statement, &mut |inner| self.add_typed(inner, inside));
    }
}

/// What stands around a statement, within what is asked about.
#[derive(Clone, Copy, Default)]
struct Inside {
    breakable: bool,
    a_loop: bool,
}

impl Inside {
    const LOOP: Self = Self {
        breakable: true,
        a_loop: true,
    };

    fn a_switch(self) -> Self {
        Self {
            breakable: true,
            ..self
        }
    }
}
