//! Owns every generated identifier: no keyword of C, C++ or CUDA, no name of
//! the user's, none twice.

use std::collections::HashSet;
use std::rc::Rc;

use crate::source::Span;
use crate::typed::Unit;
use crate::typed::synthesis::free_name;

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
];

/// Those of [`RESERVED`] that are names, which members may have too.
const NO_KEYWORDS: &[&str] = &[
    "accrs",
    "std",
    "blockDim",
    "blockIdx",
    "gridDim",
    "threadIdx",
    "dim3",
];

/// Macros of the C library's headers, which the kernel file includes whether
/// or not the program does: names that a program may then have.
const MACROS: &[&str] = &[
    "BIG_ENDIAN",
    "BUFSIZ",
    "BYTE_ORDER",
    "CHAR_BIT",
    "CLOCKS_PER_SEC",
    "EDOM",
    "EOF",
    "ERANGE",
    "EXIT_FAILURE",
    "EXIT_SUCCESS",
    "HUGE_VAL",
    "INFINITY",
    "INT_MAX",
    "INT_MIN",
    "LITTLE_ENDIAN",
    "LONG_BIT",
    "LONG_MAX",
    "LONG_MIN",
    "MAXFLOAT",
    "M_1_PI",
    "M_2_PI",
    "M_2_SQRTPI",
    "M_E",
    "M_LN10",
    "M_LN2",
    "M_LOG10E",
    "M_LOG2E",
    "M_PI",
    "M_PI_2",
    "M_PI_4",
    "M_SQRT1_2",
    "M_SQRT2",
    "NAN",
    "NULL",
    "NZERO",
    "PDP_ENDIAN",
    "RAND_MAX",
    "SEEK_CUR",
    "SEEK_END",
    "SEEK_SET",
    "UINT_MAX",
    "WORD_BIT",
    "alloca",
    "errno",
    "isascii",
    "math_errhandling",
    "offsetof",
    "stderr",
    "stdin",
    "stdout",
    "toascii",
];

/// Hands out identifiers.
#[derive(Debug)]
pub struct Namer {
    /// The user's names: of variables, functions and members.
    users: Rc<HashSet<String>>,
    /// Those of the user's that functions, global objects, enumerators and macros have.
    global: Rc<HashSet<String>>,
    /// Those of variables and members that may hide the name of a record.
    hiding: Rc<HashSet<String>>,
    /// Those of macros.
    macros: Rc<HashSet<String>>,
    /// Names of the whole file that were made: a function's namer shares them
    /// with the file's.
    made: Rc<HashSet<String>>,
    /// Names that only the function that is written has.
    own: Option<HashSet<String>>,
}

impl Namer {
    /// Knows all names of the unit, and those of the user's macros; what C's headers declare inside of
    /// prototypes and records `is_of_system`: it hides no record but theirs.
    pub fn new<'a>(
        unit: &Unit,
        macros: impl Iterator<Item = &'a str>,
        is_of_system: impl Fn(Span) -> bool,
    ) -> Self {
        let macros: HashSet<String> = macros.map(str::to_owned).collect();
        let global = unit.symbols.iter().filter(|symbol| !symbol.is_automatic());
        let global = global.map(|symbol| symbol.name.clone());
        let global: HashSet<String> = global.chain(macros.iter().cloned()).collect();
        let members = unit
            .types
            .records
            .iter()
            .flat_map(|record| record.members.iter().flatten());
        let members = members.filter_map(|member| Some((member.name.clone()?, member.span)));
        let names = unit.symbols.iter().map(|s| (s.name.clone(), s.span));
        let (of_system, own): (Vec<_>, Vec<_>) =
            (names.chain(members)).partition(|(_, span)| is_of_system(*span));
        let records = unit.types.records.iter();
        let records = records.filter(|record| is_of_system(record.span));
        let records = records.flat_map(|record| record.tag.iter().chain(&record.typedef_name));
        let records: HashSet<&String> = records.collect();
        let hides_one = |(name, _): &(String, Span)| records.contains(name);
        let hiding = own
            .iter()
            .chain(of_system.iter().filter(|one| hides_one(one)));
        let hiding: HashSet<String> = hiding.map(|(name, _)| name.clone()).collect();
        let names = own.into_iter().chain(of_system).map(|(name, _)| name);
        let users: HashSet<String> = names.chain(macros.iter().cloned()).collect();
        // What the user's names become is taken, too.
        let reserved = RESERVED.iter().chain(MACROS);
        let made = reserved.map(|name| respelled(&users, name));
        Self {
            made: Rc::new(made.collect()),
            users: Rc::new(users),
            global: Rc::new(global),
            hiding: Rc::new(hiding),
            macros: Rc::new(macros),
            own: None,
        }
    }

    /// For what is written next: its new names are no concern of the file.
    pub fn within(&self) -> Self {
        Self {
            users: Rc::clone(&self.users),
            global: Rc::clone(&self.global),
            hiding: Rc::clone(&self.hiding),
            macros: Rc::clone(&self.macros),
            made: Rc::clone(&self.made),
            own: Some(self.own.clone().unwrap_or_default()),
        }
    }

    /// A user's name as the kernel file may spell it.
    pub fn user(&self, name: &str) -> String {
        if is_reserved(name) {
            respelled(&self.users, name)
        } else {
            name.to_string()
        }
    }

    /// A user's member name as the kernel file may spell it: only keywords
    /// are in its way.
    pub fn member(&self, name: &str) -> String {
        if NO_KEYWORDS.contains(&name) {
            name.to_string()
        } else {
            self.user(name)
        }
    }

    /// Whether a variable, function or member has this name, or C++ a use for
    /// it.
    pub fn is_taken(&self, name: &str) -> bool {
        let own = self.own.as_ref();
        is_reserved(name)
            || self.users.contains(name)
            || self.made.contains(name)
            || own.is_some_and(|own| own.contains(name))
    }

    /// The name of a record, which no other record has. Variables and members may have it too, as in
    /// C: they hide it.
    pub fn tag(&mut self, wanted: &str) -> String {
        let is_taken = is_reserved(wanted)
            || self.global.contains(wanted)
            || self.made.contains(wanted)
            || identifier(wanted) != wanted;
        if is_taken {
            return self.fresh(&format!("{wanted}_type"));
        }
        Rc::make_mut(&mut self.made).insert(wanted.to_owned());
        wanted.to_owned()
    }

    /// Whether a name of the user's may hide a record of this name.
    pub fn is_hidden(&self, tag: &str) -> bool {
        self.hiding.contains(tag)
    }

    /// The names of the user's macros.
    pub fn macros(&self) -> Rc<HashSet<String>> {
        Rc::clone(&self.macros)
    }

    /// A new name: `wanted`, or `wanted_2`, `wanted_3`, … where it is taken.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let name = free_name(&identifier(wanted), &|name| !self.is_taken(name));
        match &mut self.own {
            Some(own) => own.insert(name.clone()),
            None => Rc::make_mut(&mut self.made).insert(name.clone()),
        };
        name
    }
}

/// A reserved name with an underscore, and a number where the user has that.
fn respelled(users: &HashSet<String>, name: &str) -> String {
    let wanted = format!("{name}_");
    if !users.contains(&wanted) {
        return wanted;
    }
    free_name(name, &|name| !is_reserved(name) && !users.contains(name))
}

/// Whether C++ or CUDA has a use for the name.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name) || MACROS.contains(&name)
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

#[cfg(test)]
mod tests {
    use super::Namer;
    use crate::typed::Unit;

    fn namer(users: &[&str]) -> Namer {
        Namer {
            users: std::rc::Rc::new(users.iter().map(ToString::to_string).collect()),
            ..Namer::new(&Unit::default(), std::iter::empty(), |_| false)
        }
    }

    #[test]
    fn words_of_cuda_are_respelled_as_no_other_name() {
        let namer = namer(&["new", "new_", "new_2", "private", "M_PI", "dim3"]);
        let names = ["new", "new_", "new_2", "private", "M_PI", "dim3", "other"];
        let spelled = names.map(|name| namer.user(name));
        let wanted = [
            "new_3", "new_", "new_2", "private_", "M_PI_", "dim3_", "other",
        ];
        assert_eq!(spelled, wanted);
        assert_eq!(namer.member("dim3"), "dim3");
        assert_eq!(namer.member("private"), "private_");
    }

    #[test]
    fn tags_are_those_of_variables_too() {
        let mut file = namer(&["node", "place"]);
        file.global = std::rc::Rc::new(std::iter::once("place".to_owned()).collect());
        file.hiding = std::rc::Rc::clone(&file.users);
        let tags = ["node", "node", "place", "class", "other"].map(|tag| file.tag(tag));
        let wanted = ["node", "node_type", "place_type", "class_type", "other"];
        assert_eq!(tags, wanted);
        assert!(file.is_hidden("node") && !file.is_hidden("other"));
    }

    #[test]
    fn made_names_are_no_others() {
        let mut file = namer(&["d_a", "new"]);
        assert_eq!(file.fresh("d_a"), "d_a_2");
        assert_eq!(file.fresh("new_"), "new__2");
        let mut function = file.within();
        assert_eq!(function.fresh("d_a"), "d_a_3");
        assert_eq!(function.fresh("d_a"), "d_a_4");
        assert_eq!(file.within().fresh("d_a"), "d_a_3");
    }
}
