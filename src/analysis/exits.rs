//! By which jumps control may leave statements other than at their end.

use crate::ir::{Statement, StatementKind, visit};

/// The jumps that lead out of some code. A `break` or `continue` of a loop
/// inside, and a `break` of a `switch` inside, do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exits {
    /// `break`.
    pub breaks: bool,
    /// `continue`.
    pub continues: bool,
    /// `return`.
    pub returns: bool,
    /// `goto`, wherever it leads.
    pub gotos: bool,
    /// A label, to which code elsewhere may jump.
    pub labels: bool,
}

impl Exits {
    /// Those of a list.
    pub fn of(list: &[Statement]) -> Self {
        list.iter().fold(Self::default(), |mut exits, statement| {
            exits.join(Self::of_statement(statement));
            exits
        })
    }

    /// Those of one statement.
    pub fn of_statement(statement: &Statement) -> Self {
        let mut exits = Self::default();
        visit::blocks(statement, &mut |inner| exits.join(Self::of(inner)));
        match &statement.kind {
            StatementKind::Break => exits.breaks = true,
            StatementKind::Continue => exits.continues = true,
            StatementKind::Return(_) => exits.returns = true,
            StatementKind::Goto(_) => exits.gotos = true,
            StatementKind::Label(_) => exits.labels = true,
            StatementKind::Switch(..) => exits.breaks = false,
            StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..)
            | StatementKind::WhileAny(..) => {
                exits.breaks = false;
                exits.continues = false;
            }
            _ => {}
        }
        exits
    }

    /// Adds those of other code.
    pub fn join(&mut self, other: Self) {
        self.breaks |= other.breaks;
        self.continues |= other.continues;
        self.returns |= other.returns;
        self.gotos |= other.gotos;
        self.labels |= other.labels;
    }

    /// Whether there are any.
    pub fn any(self) -> bool {
        self != Self::default()
    }
}
