//! Scopes (C11 6.2.1) and name spaces (6.2.3).
//!
//! Each name has a stack of its declarations, innermost last; leaving a scope
//! pops what it declared. So a lookup costs one hash, however deep the nest.

use std::collections::HashMap;

use crate::typed::{EnumId, QualType, RecordId, SymbolId, TypedefId};

/// What an ordinary identifier denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    /// A typedef name.
    Typedef {
        /// The type.
        ty: QualType,
        /// What `aligned` on the typedef asked for.
        alignment: Option<u64>,
        /// Its number, if it names an arithmetic type for the whole file.
        id: Option<TypedefId>,
    },
    /// A variable, function or enumeration constant.
    Symbol(SymbolId),
}

/// What a tag denotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    /// `struct` or `union`.
    Record(RecordId),
    /// `enum`.
    Enum(EnumId),
}

/// One name space.
#[derive(Debug)]
pub(super) struct Table<T> {
    ids: HashMap<String, u32>,
    /// By id: declarations with the depth of their scope.
    declarations: Vec<Vec<(u32, T)>>,
    /// Of each open scope but the file's, what it declared.
    scopes: Vec<Vec<u32>>,
}

impl<T: Copy> Table<T> {
    fn new() -> Self {
        Self {
            ids: HashMap::new(),
            declarations: Vec::new(),
            scopes: Vec::new(),
        }
    }

    /// What a name denotes here.
    pub fn get(&self, name: &str) -> Option<T> {
        let id = *self.ids.get(name)?;
        let (_, value) = self.declarations[id as usize].last()?;
        Some(*value)
    }

    /// What the innermost scope itself declares a name to be.
    pub fn here(&self, name: &str) -> Option<T> {
        let id = *self.ids.get(name)?;
        let depth = self.scopes.len() as u32;
        let mut declarations = self.declarations[id as usize].iter();
        let (at, value) = declarations.rfind(|(at, _)| *at <= depth)?;
        (*at == depth).then_some(*value)
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, value: T) {
        let id = match self.ids.get(name) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(self.declarations.len()).expect("the text is under 2 GiB");
                self.ids.insert(name.to_string(), id);
                self.declarations.push(Vec::new());
                id
            }
        };
        let depth = self.scopes.len() as u32;
        let stack = &mut self.declarations[id as usize];
        // A suspended scope may have declarations above this one.
        let position = stack.partition_point(|(at, _)| *at < depth);
        match stack.get_mut(position) {
            Some((at, old)) if *at == depth => *old = value,
            _ => {
                stack.insert(position, (depth, value));
                self.scopes
                    .last_mut()
                    .into_iter()
                    .for_each(|own| own.push(id));
            }
        }
    }

    fn leave(&mut self) {
        for id in self.scopes.pop().unwrap_or_default() {
            self.declarations[id as usize].pop();
        }
    }
}

/// An open scope set aside.
#[derive(Debug)]
pub(super) struct Suspended(Option<Vec<u32>>, Option<Vec<u32>>);

/// All scopes that are open.
#[derive(Debug)]
pub(super) struct Scopes {
    /// Ordinary identifiers.
    pub names: Table<Entity>,
    /// Tags of structs, unions and enumerations.
    pub tags: Table<Tag>,
}

impl Scopes {
    /// The file scope alone.
    pub fn new() -> Self {
        Self {
            names: Table::new(),
            tags: Table::new(),
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.names.scopes.push(Vec::new());
        self.tags.scopes.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.names.leave();
        self.tags.leave();
    }

    /// Makes the scope around the innermost one current for a moment.
    pub fn suspend(&mut self) -> Suspended {
        Suspended(self.names.scopes.pop(), self.tags.scopes.pop())
    }

    /// Goes back into the scope that was suspended.
    pub fn resume(&mut self, suspended: Suspended) {
        self.names.scopes.extend(suspended.0);
        self.tags.scopes.extend(suspended.1);
    }

    /// Whether only the file scope is open.
    pub fn is_file(&self) -> bool {
        self.names.scopes.is_empty()
    }

    /// All ordinary names that are visible, in no particular order.
    pub fn visible(&self) -> impl Iterator<Item = (&str, Entity)> {
        self.names.ids.iter().filter_map(|(name, &id)| {
            let (_, entity) = self.names.declarations[id as usize].last()?;
            Some((name.as_str(), *entity))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(scopes: &Scopes, name: &str) -> Option<u32> {
        match scopes.names.get(name)? {
            Entity::Symbol(id) => Some(id.0),
            Entity::Typedef { .. } => None,
        }
    }

    #[test]
    fn inner_declarations_hide_outer_ones_until_their_scope_ends() {
        let mut scopes = Scopes::new();
        scopes.names.declare("a", Entity::Symbol(SymbolId(1)));
        scopes.enter();
        assert_eq!(symbol(&scopes, "a"), Some(1));
        assert!(scopes.names.here("a").is_none());
        scopes.names.declare("a", Entity::Symbol(SymbolId(2)));
        scopes.names.declare("a", Entity::Symbol(SymbolId(3)));
        assert_eq!(symbol(&scopes, "a"), Some(3));
        scopes.leave();
        assert_eq!(symbol(&scopes, "a"), Some(1));
    }

    #[test]
    fn a_function_may_have_a_parameter_of_its_own_name() {
        let mut scopes = Scopes::new();
        scopes.enter();
        scopes.names.declare("f", Entity::Symbol(SymbolId(1)));
        let inside = scopes.suspend();
        assert!(scopes.names.here("f").is_none());
        scopes.names.declare("f", Entity::Symbol(SymbolId(2)));
        scopes.resume(inside);
        assert_eq!(symbol(&scopes, "f"), Some(1));
        scopes.leave();
        assert_eq!(symbol(&scopes, "f"), Some(2));
    }

    #[test]
    fn tags_are_a_name_space_of_their_own() {
        let mut scopes = Scopes::new();
        scopes.enter();
        scopes.tags.declare("a", Tag::Record(RecordId(0)));
        assert!(scopes.names.get("a").is_none());
        assert_eq!(scopes.tags.get("a"), Some(Tag::Record(RecordId(0))));
        scopes.leave();
        assert!(scopes.tags.get("a").is_none());
    }
}
