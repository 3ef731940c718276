//! Which ordinary identifiers are typedef names where.
//!
//! Struct members, tags and labels live in other name spaces (C11 6.2.3) and
//! never come here.

use std::collections::HashMap;

/// What an ordinary identifier stands for, as far as parsing must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A typedef name.
    Typedef,
    /// A variable, parameter, function or enumeration constant, and how many brackets its elements
    /// are behind, if its declaration alone says it.
    Other(Option<usize>),
}

impl Meaning {
    /// What is no typedef name.
    pub(super) const OTHER: Self = Self::Other(None);
}

/// The names in scope. Inner declarations hide outer ones until their scope
/// closes.
#[derive(Default)]
pub(super) struct Scope {
    names: HashMap<String, Meaning>,
    /// What each declaration of an open inner scope hid, oldest first.
    hidden: Vec<(String, Option<Meaning>)>,
    /// Where each open inner scope begins in `hidden`.
    marks: Vec<usize>,
}

impl Scope {
    /// What a name stands for; `None` if it was not declared.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).copied()
    }

    /// Whether a name is a typedef name here.
    pub(super) fn is_typedef(&self, name: &str) -> bool {
        self.meaning(name) == Some(Meaning::Typedef)
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &str, meaning: Meaning) {
        let before = self.names.get(name).copied();
        if before == Some(meaning) {
            return;
        }
        if !self.marks.is_empty() {
            self.hidden.push((name.to_owned(), before));
        }
        self.names.insert(name.to_owned(), meaning);
    }

    /// Opens a scope.
    pub(super) fn open(&mut self) {
        self.marks.push(self.hidden.len());
    }

    /// Closes the innermost scope.
    pub(super) fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        while self.hidden.len() > mark {
            let Some((name, before)) = self.hidden.pop() else {
                break;
            };
            match before {
                Some(meaning) => self.names.insert(name, meaning),
                None => self.names.remove(&name),
            };
        }
    }

    /// How many scopes are open.
    pub(super) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Closes scopes until `depth` are open: after an error inside them.
    pub(super) fn close_to(&mut self, depth: usize) {
        while self.marks.len() > depth {
            self.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_declarations_hide_outer_ones_until_the_scope_closes() {
        let mut scope = Scope::default();
        scope.declare("T", Meaning::Typedef);
        scope.open();
        scope.declare("T", Meaning::OTHER);
        scope.declare("x", Meaning::OTHER);
        assert!(!scope.is_typedef("T"));
        scope.open();
        scope.declare("T", Meaning::Typedef);
        assert!(scope.is_typedef("T"));
        scope.close_to(0);
        assert!(scope.is_typedef("T"));
        assert_eq!(scope.meaning("x"), None);
    }
}
