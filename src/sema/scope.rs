//! Scopes (C11 6.2.1) and name spaces (6.2.3).
//!
//! Each name has a stack of its declarations, innermost last; leaving a scope
//! pops what it declared. So a lookup costs one hash, however deep the nest.

use std::collections::HashMap;

use crate::typed::{EnumId, QualType, RecordId, SymbolId};

/// What an ordinary identifier denotes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A typedef name.
    Typedef {
        /// The type.
        ty: QualType,
        /// What `aligned` on the typedef asked for.
        alignment: Option<u64>,
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
struct Table<T> {
    ids: HashMap<String, u32>,
    /// By id: declarations with the depth of their scope.
    declarations: Vec<Vec<(u32, T)>>,
}

impl<T: Copy> Table<T> {
    fn new() -> Self {
        Self {
            ids: HashMap::new(),
            declarations: Vec::new(),
        }
    }

    fn innermost(&self, name: &str) -> Option<(u32, T)> {
        let id = *self.ids.get(name)?;
        self.declarations[id as usize].last().copied()
    }

    /// Declares or replaces; the id if the scope has to forget it later.
    fn declare(&mut self, name: &str, depth: u32, value: T) -> Option<u32> {
        let id = match self.ids.get(name) {
            Some(&id) => id,
            None => {
                let id = u32::try_from(self.declarations.len()).expect("the text is under 2 GiB");
                self.ids.insert(name.to_string(), id);
                self.declarations.push(Vec::new());
                id
            }
        };
        let stack = &mut self.declarations[id as usize];
        // A suspended scope may have declarations above this one.
        let position = stack.partition_point(|(at, _)| *at < depth);
        match stack.get_mut(position) {
            Some((at, old)) if *at == depth => {
                *old = value;
                None
            }
            _ => {
                stack.insert(position, (depth, value));
                Some(id)
            }
        }
    }

    fn at(&self, name: &str, depth: u32) -> Option<T> {
        let id = *self.ids.get(name)?;
        let stack = &self.declarations[id as usize];
        let found = stack.iter().rfind(|(at, _)| *at <= depth)?;
        (found.0 == depth).then_some(found.1)
    }
}

/// An open scope set aside.
#[derive(Debug)]
pub(super) struct Suspended(Option<(Vec<u32>, Vec<u32>)>);

/// All scopes that are open.
#[derive(Debug)]
pub(super) struct Scopes {
    names: Table<Entity>,
    tags: Table<Tag>,
    /// Of each open scope but the file's, what it declared.
    frames: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Scopes {
    /// The file scope alone.
    pub fn new() -> Self {
        Self {
            names: Table::new(),
            tags: Table::new(),
            frames: Vec::new(),
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.frames.push((Vec::new(), Vec::new()));
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        let Some((names, tags)) = self.frames.pop() else {
            return;
        };
        for id in names {
            self.names.declarations[id as usize].pop();
        }
        for id in tags {
            self.tags.declarations[id as usize].pop();
        }
    }

    /// Makes the scope around the innermost one current for a moment.
    pub fn suspend(&mut self) -> Suspended {
        Suspended(self.frames.pop())
    }

    /// Goes back into the scope that was suspended.
    pub fn resume(&mut self, suspended: Suspended) {
        self.frames.extend(suspended.0);
    }

    /// Whether only the file scope is open.
    pub fn is_file(&self) -> bool {
        self.frames.is_empty()
    }

    fn depth(&self) -> u32 {
        self.frames.len() as u32
    }

    /// What a name denotes here.
    pub fn name(&self, name: &str) -> Option<Entity> {
        self.names.innermost(name).map(|(_, entity)| entity)
    }

    /// What the innermost scope itself declares a name to be.
    pub fn name_here(&self, name: &str) -> Option<Entity> {
        self.names.at(name, self.depth())
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: &str, entity: Entity) {
        let depth = self.depth();
        if let Some(id) = self.names.declare(name, depth, entity)
            && let Some((names, _)) = self.frames.last_mut()
        {
            names.push(id);
        }
    }

    /// What a tag denotes here.
    pub fn tag(&self, name: &str) -> Option<Tag> {
        self.tags.innermost(name).map(|(_, tag)| tag)
    }

    /// What the innermost scope itself declares a tag to be.
    pub fn tag_here(&self, name: &str) -> Option<Tag> {
        self.tags.at(name, self.depth())
    }

    /// Declares a tag in the innermost scope.
    pub fn declare_tag(&mut self, name: &str, tag: Tag) {
        let depth = self.depth();
        if let Some(id) = self.tags.declare(name, depth, tag)
            && let Some((_, tags)) = self.frames.last_mut()
        {
            tags.push(id);
        }
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
        match scopes.name(name)? {
            Entity::Symbol(id) => Some(id.0),
            Entity::Typedef { .. } => None,
        }
    }

    #[test]
    fn inner_declarations_hide_outer_ones_until_their_scope_ends() {
        let mut scopes = Scopes::new();
        scopes.declare("a", Entity::Symbol(SymbolId(1)));
        scopes.enter();
        assert_eq!(symbol(&scopes, "a"), Some(1));
        assert!(scopes.name_here("a").is_none());
        scopes.declare("a", Entity::Symbol(SymbolId(2)));
        scopes.declare("a", Entity::Symbol(SymbolId(3)));
        assert_eq!(symbol(&scopes, "a"), Some(3));
        scopes.leave();
        assert_eq!(symbol(&scopes, "a"), Some(1));
    }

    #[test]
    fn a_function_may_have_a_parameter_of_its_own_name() {
        let mut scopes = Scopes::new();
        scopes.enter();
        scopes.declare("f", Entity::Symbol(SymbolId(1)));
        let inside = scopes.suspend();
        assert!(scopes.name_here("f").is_none());
        scopes.declare("f", Entity::Symbol(SymbolId(2)));
        scopes.resume(inside);
        assert_eq!(symbol(&scopes, "f"), Some(1));
        scopes.leave();
        assert_eq!(symbol(&scopes, "f"), Some(2));
    }

    #[test]
    fn tags_are_a_name_space_of_their_own() {
        let mut scopes = Scopes::new();
        scopes.enter();
        scopes.declare_tag("a", Tag::Record(RecordId(0)));
        assert!(scopes.name("a").is_none());
        assert_eq!(scopes.tag("a"), Some(Tag::Record(RecordId(0))));
        scopes.leave();
        assert!(scopes.tag("a").is_none());
    }
}
