//! The statements of a kernel with numbers, by which facts about them are kept.
//!
//! Statements are counted in textual order, parents before children, as
//! [`visit::walk`] comes to them.

use super::{Statement, StatementKind, visit};

/// A statement with its number.
#[derive(Clone, Debug)]
pub struct Numbered<'k> {
    /// The statement.
    pub statement: &'k Statement,
    /// How many come before it.
    pub number: usize,
    /// The lists directly inside it, as [`visit::blocks`] gives them.
    pub blocks: Vec<Vec<Numbered<'k>>>,
}

impl<'k> Numbered<'k> {
    /// The statements of a whole kernel.
    pub fn all(body: &'k [Statement]) -> Vec<Self> {
        Self::list(body, &mut 0)
    }

    fn list(list: &'k [Statement], next: &mut usize) -> Vec<Self> {
        let number = |statement| {
            let number = *next;
            *next += 1;
            let mut blocks = Vec::new();
            visit::blocks(statement, &mut |inner| {
                blocks.push(Self::list(inner, next));
            });
            Self {
                statement,
                number,
                blocks,
            }
        };
        list.iter().map(number).collect()
    }

    /// What a loop repeats; of other statements the last list inside.
    pub fn body(&self) -> &[Self] {
        self.blocks.last().map_or(&[], Vec::as_slice)
    }

    /// The lists that [`visit::blocks_mut`] gives.
    pub fn inner(&self) -> &[Vec<Self>] {
        match &self.statement.kind {
            StatementKind::For(l) => &self.blocks[l.initializer.iter().count()..],
            _ => &self.blocks,
        }
    }

    /// The statement as a list, for what needs no numbers.
    pub fn alone(&self) -> &'k [Statement] {
        std::slice::from_ref(self.statement)
    }

    /// Calls `visit` on it and all statements inside.
    pub fn walk(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        self.blocks.iter().flatten().for_each(|s| s.walk(visit));
    }
}

/// Calls `change` on the statements of a kernel with their numbers; the
/// initialiser of a plain `for` is counted and left alone.
pub fn change(body: &mut [Statement], change: &mut dyn FnMut(&mut Statement, usize)) {
    change_list(body, &mut 0, change);
}

fn change_list(
    list: &mut [Statement],
    next: &mut usize,
    change: &mut dyn FnMut(&mut Statement, usize),
) {
    for statement in list {
        let number = *next;
        *next += 1;
        if let StatementKind::For(l) = &statement.kind {
            *next += l.initializer.iter().count();
        }
        visit::blocks_mut(statement, &mut |inner| change_list(inner, next, change));
        change(statement, number);
    }
}
