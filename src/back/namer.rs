//! Owns every generated identifier: no keyword of C, C++ or CUDA, no name of
//! the user's, none twice.

use std::collections::HashSet;
use std::rc::Rc;

use crate::typed::Unit;

/// Names that a C program may use and CUDA C++ may not: keywords of C++17,
/// and what the CUDA headers and the runtime declare outside namespaces.
const RESERVED: &[&str] = &[
    "accrs",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "bitand",
    "bitor",
    "blockDim",
    "blockIdx",
    "bool",
    "catch",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "decltype",
    "delete",
    "dim3",
    "dynamic_cast",
    "explicit",
    "export",
    "false",
    "friend",
    "gridDim",
    "import",
    "module",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "reinterpret_cast",
    "requires",
    "std",
    "static_assert",
    "static_cast",
    "template",
    "this",
    "thread_local",
    "threadIdx",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "using",
    "virtual",
    "warpSize",
    "wchar_t",
    "xor",
    "xor_eq",
    "block",
    "grid",
    "shared",
];

/// Those of [`RESERVED`] that are names, which members may have too.
const NO_KEYWORDS: &[&str] = &[
    "accrs",
    "std",
    "block",
    "grid",
    "shared",
    "blockDim",
    "blockIdx",
    "gridDim",
    "threadIdx",
    "dim3",
];

/// Hands out identifiers.
#[derive(Debug)]
pub struct Namer {
    /// Names of the whole file: a function's namer shares them with the file's.
    taken: Rc<HashSet<String>>,
    /// Names that only the function that is written has.
    own: Option<HashSet<String>>,
}

impl Namer {
    /// Knows all names of the unit.
    pub fn new(unit: &Unit) -> Self {
        let symbols = unit.symbols.iter().map(|symbol| symbol.name.clone());
        let members = unit
            .types
            .records
            .iter()
            .flat_map(|record| record.members.iter().flatten());
        let members = members.filter_map(|member| member.name.clone());
        Self {
            taken: Rc::new(symbols.chain(members).collect()),
            own: None,
        }
    }

    /// For what is written next: its new names are no concern of the file.
    pub fn within(&self) -> Self {
        Self {
            taken: Rc::clone(&self.taken),
            own: Some(self.own.clone().unwrap_or_default()),
        }
    }

    /// A user's name as the kernel file may spell it.
    pub fn user(&self, name: &str) -> String {
        if is_reserved(name) {
            format!("{name}_")
        } else {
            name.to_string()
        }
    }

    /// A user's member name as the kernel file may spell it: only keywords
    /// are in its way.
    pub fn member(&self, name: &str) -> String {
        if is_reserved(name) && !NO_KEYWORDS.contains(&name) {
            format!("{name}_")
        } else {
            name.to_string()
        }
    }

    /// Whether a variable, function or member has this name, or C++ a use for
    /// it.
    pub fn is_taken(&self, name: &str) -> bool {
        let own = self.own.as_ref();
        is_reserved(name) || self.taken.contains(name) || own.is_some_and(|own| own.contains(name))
    }

    /// A new name: `wanted`, or `wanted_2`, `wanted_3`, … where it is taken.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let wanted = identifier(wanted);
        let mut name = wanted.clone();
        let mut number = 2;
        while self.is_taken(&name) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        match &mut self.own {
            Some(own) => own.insert(name.clone()),
            None => Rc::make_mut(&mut self.taken).insert(name.clone()),
        };
        name
    }
}

/// Whether C++ or CUDA has a use for the name.
fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Any text as an identifier: other characters become underscores.
pub fn identifier(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if name.chars().next().is_none_or(|c| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}
