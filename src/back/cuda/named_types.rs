//! The file's own names of arithmetic types, as `real` and `int64_t`, and tags of enumerations.
//!
//! An enumeration is the integer type that it is compatible with, under the name of its tag:
//! C++ would convert no integer to one of its own.
//!
//! Those of the C library's headers are known in the kernel file; the program's own are defined
//! there, if kernels use them and nothing else has the name.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::language::Cuda;
use crate::source::TranslationUnit;
use crate::typed::{EnumId, TypeId, Typedef, TypedefId, Unit};

/// Names of C11 7.19 and 7.20 that stand at global scope in C++, too.
const OF_LIBRARY: [&str; 28] = [
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "int_fast16_t",
    "int_fast32_t",
    "int_fast64_t",
    "int_fast8_t",
    "int_least16_t",
    "int_least32_t",
    "int_least64_t",
    "int_least8_t",
    "intmax_t",
    "intptr_t",
    "ptrdiff_t",
    "size_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "uint_fast16_t",
    "uint_fast32_t",
    "uint_fast64_t",
    "uint_fast8_t",
    "uint_least16_t",
    "uint_least32_t",
    "uint_least64_t",
    "uintptr_t",
];

/// Which names the kernel file may use, and which it does.
#[derive(Debug, Default)]
pub struct NamedTypes {
    /// Of the library.
    known: HashSet<TypedefId>,
    /// Of the program.
    own: HashSet<TypedefId>,
    used: RefCell<BTreeSet<TypedefId>>,
    /// Enumerations that go by their tags.
    tagged: HashSet<EnumId>,
    used_tags: RefCell<BTreeSet<EnumId>>,
}

impl NamedTypes {
    /// The names that are free in the file; they are so no longer.
    pub fn take(unit: &Unit, source: &TranslationUnit, cuda: &mut Cuda) -> Self {
        let mut found = Self::default();
        let mut by_name: HashSet<&str> = HashSet::new();
        let mixed = mixed(unit);
        for (id, typedef) in unit.typedefs.all() {
            let Some(name) = &typedef.name else {
                continue;
            };
            if typedef.is_local && mixed.contains(name.as_str()) {
                continue;
            }
            if source.is_in_system_header(typedef.span) {
                // A program may have another type of that name, where it leaves the header out.
                if OF_LIBRARY.contains(&name.as_str()) && !cuda.is_taken(name) {
                    found.known.insert(id);
                }
            } else if by_name.contains(name.as_str()) || cuda.take(&[name]) {
                found.own.insert(id);
                by_name.insert(name);
            }
        }
        let of_system = unit.typedefs.all().filter_map(|(_, typedef)| {
            let name = typedef.name.as_deref();
            name.filter(|_| source.is_in_system_header(typedef.span))
        });
        let of_system: HashSet<&str> = of_system.collect();
        for (number, enumeration) in (0..).zip(&unit.types.enums) {
            let tag = enumeration.tag.as_ref();
            let tag = tag.filter(|tag| !of_system.contains(tag.as_str()));
            if tag.is_some_and(|tag| cuda.take(&[tag])) {
                found.tagged.insert(EnumId(number));
            }
        }
        found
    }

    fn is_usable(&self, id: TypedefId) -> bool {
        self.known.contains(&id) || self.own.contains(&id)
    }

    /// The name, if the file has it.
    pub fn name(&self, unit: &Unit, id: TypedefId) -> Option<String> {
        if !self.is_usable(id) {
            return None;
        }
        self.used.borrow_mut().insert(id);
        unit.typedefs.get(id).name.clone()
    }

    /// The tag of an enumeration, if the file has that name.
    pub fn tag(&self, unit: &Unit, id: EnumId) -> Option<String> {
        if !self.tagged.contains(&id) {
            return None;
        }
        self.used_tags.borrow_mut().insert(id);
        unit.types.enumeration(id).tag.clone()
    }

    /// The definitions of those that the file uses, and of what these use.
    pub fn definitions(&self, unit: &Unit, cuda: &Cuda) -> Vec<String> {
        let names = self.typedefs(unit, cuda);
        let tags = self.used_tags.borrow();
        let tags = tags.iter().map(|&id| {
            let underlying = unit.types.enumeration(id).underlying.spelling();
            let tag = unit.types.enumeration(id).tag.as_deref();
            format!("typedef {underlying} {};", tag.unwrap_or_default())
        });
        tags.chain(names).collect()
    }

    fn typedefs(&self, unit: &Unit, cuda: &Cuda) -> Vec<String> {
        let mut needed: BTreeSet<TypedefId> = self.used.borrow().clone();
        let mut texts: Vec<(TypedefId, String)> = Vec::new();
        let mut defined: HashSet<&str> = HashSet::new();
        // Each is declared by an earlier one.
        while let Some(id) = needed.pop_last() {
            let typedef = unit.typedefs.get(id);
            let Some(name) = &typedef.name else {
                continue;
            };
            if self.known.contains(&id) || !defined.insert(name) {
                continue;
            }
            texts.push((
                id,
                format!("typedef {};", cuda.declare_name(unit, typedef, name)),
            ));
            // What that names is in use now.
            needed.extend(self.used.borrow().iter().filter(|used| **used < id));
        }
        texts.sort();
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// The names of types that functions have, and that are something else elsewhere.
fn mixed(unit: &Unit) -> HashSet<&str> {
    let named = || {
        let all = unit.typedefs.all();
        all.filter_map(|(_, typedef)| Some((typedef.name.as_deref()?, typedef)))
    };
    let locals = named().filter(|(_, typedef)| typedef.is_local);
    let types: HashMap<&str, TypeId> = locals.map(|(name, local)| (name, local.ty)).collect();
    let differs = |(name, typedef): &(&str, &Typedef)| {
        let local = types.get(name);
        local.is_some_and(|local| *local != typedef.ty)
    };
    let symbols = unit.symbols.iter().map(|symbol| symbol.name.as_str());
    let symbols = symbols.filter(|name| types.contains_key(name));
    let others = named().filter(differs).map(|(name, _)| name);
    others.chain(symbols).collect()
}
