//! What functions and types of libraries do with addresses that they get.
//!
//! ```text
//! std::sort(a, a + n)              reads and writes a
//! std::vector<int> v(a, a + n)     reads a
//! std::ref(a[2])                   keeps an address: it is not followed
//! ```
//!
//! What is in none of these lists may keep an address.

use std::ops::Range;

use super::accesses::Effect;
use super::expressions::UNEVALUATED;
use crate::front::cuda::Tokens;
use crate::typed::library;

/// Functions of `std` that keep no address and give none back.
const ALGORITHMS: [&str; 51] = [
    "accumulate",
    "adjacent_difference",
    "all_of",
    "any_of",
    "binary_search",
    "count",
    "count_if",
    "distance",
    "equal",
    "exclusive_scan",
    "fill",
    "for_each",
    "free",
    "generate",
    "includes",
    "inclusive_scan",
    "inner_product",
    "iota",
    "is_sorted",
    "iter_swap",
    "lexicographical_compare",
    "make_heap",
    "memcmp",
    "none_of",
    "nth_element",
    "partial_sort",
    "partial_sum",
    "pop_heap",
    "push_heap",
    "random_shuffle",
    "reduce",
    "replace",
    "replace_if",
    "reverse",
    "shuffle",
    "size",
    "sort",
    "sort_heap",
    "stable_sort",
    "swap",
    "transform_reduce",
    "inplace_merge",
    "is_heap",
    "is_partitioned",
    "is_permutation",
    "gcd",
    "lcm",
    "abs",
    "midpoint",
    "clamp",
    "advance",
];

/// Those that give one of the addresses back, or one near it.
const ITERATORS: [&str; 51] = [
    "adjacent_find",
    "begin",
    "cbegin",
    "cend",
    "copy",
    "copy_backward",
    "copy_if",
    "copy_n",
    "data",
    "end",
    "exchange",
    "fill_n",
    "find",
    "find_end",
    "find_first_of",
    "find_if",
    "find_if_not",
    "for_each_n",
    "generate_n",
    "is_heap_until",
    "is_sorted_until",
    "lower_bound",
    "max",
    "max_element",
    "memchr",
    "memcpy",
    "memmove",
    "memset",
    "merge",
    "min",
    "min_element",
    "move",
    "move_backward",
    "next",
    "partition",
    "partition_point",
    "prev",
    "remove",
    "remove_if",
    "replace_copy",
    "reverse_copy",
    "rotate",
    "search",
    "set_difference",
    "set_intersection",
    "set_union",
    "stable_partition",
    "swap_ranges",
    "transform",
    "unique",
    "upper_bound",
];

/// Those that give two addresses back.
const PAIRS: [&str; 3] = ["equal_range", "minmax_element", "mismatch"];

/// Those that give a reference to a value back, or an object that has one.
const REFERENCES: [&str; 6] = [
    "addressof",
    "cref",
    "forward_as_tuple",
    "launder",
    "ref",
    "tie",
];

/// Types that copy elements between two addresses.
const CONTAINERS: [&str; 12] = [
    "basic_string",
    "deque",
    "forward_list",
    "ifstream",
    "list",
    "multiset",
    "ofstream",
    "set",
    "string",
    "unordered_set",
    "valarray",
    "vector",
];

/// The name of a function or type of `std` whose `(` stands there: `std::sort(`, `std::less<int>(`.
pub fn name(tokens: Tokens<'_>, open: usize) -> Option<String> {
    let before = open.checked_sub(1)?;
    let name = match tokens.at(before) {
        b">" | b">>" => tokens.template_begin(before)?.checked_sub(1)?,
        _ => before,
    };
    let is_of_std =
        name > 2 && tokens.touching(name - 2, [b":", b":"]) && tokens.at(name - 3) == b"std";
    (is_of_std && tokens.is_name(name)).then(|| tokens.word(name))
}

/// What a function of `std` does with memory whose address it gets; nothing where it may keep that.
pub fn effect(tokens: Tokens<'_>, open: usize, name: &str) -> Option<Effect> {
    let is_member = tokens.at(tokens.bracket_end(open) + 1) == b".";
    let keeps_none = ALGORITHMS.contains(&name)
        || ITERATORS.contains(&name)
        || PAIRS.contains(&name) && is_member
        || name == "tie" && is_set(tokens, open);
    let first = open.saturating_sub(1);
    let is_container = || {
        let begin = tokens.template_begin(first).unwrap_or(first + 1);
        CONTAINERS.contains(&name) && is_of_values(tokens, begin..open)
    };
    match keeps_none {
        true => Some(Effect::BOTH),
        false => is_container().then_some(Effect::READS),
    }
}

/// Whether a function of `std` gives a reference to a value that it gets, which may be kept: not `tie(…) = x`.
pub fn keeps_value(tokens: Tokens<'_>, open: usize, name: &str) -> bool {
    REFERENCES.contains(&name) && !is_set(tokens, open)
}

fn is_set(tokens: Tokens<'_>, open: usize) -> bool {
    tokens.at(tokens.bracket_end(open) + 1) == b"="
}

/// Whether an expression is a call of `std` that gives an address.
pub fn gives_address(tokens: Tokens<'_>, expression: &Range<usize>) -> bool {
    let mut opens = expression.clone().filter(|at| tokens.at(*at) == b"(");
    let called = opens.next().and_then(|open| name(tokens, open));
    called.is_some_and(|name| ITERATORS.contains(&name.as_str()))
}

/// Whether a variable of `std` whose type stands there copies the elements that it begins with.
pub fn copies(tokens: Tokens<'_>, declaration: Range<usize>) -> bool {
    let is_name = |at: &usize| {
        *at > 2 && tokens.at(at - 3) == b"std" && tokens.touching(at - 2, [b":", b":"])
    };
    let mut names = declaration.clone().filter(is_name);
    let Some(at) = names.next() else {
        return false;
    };
    let mut rest = at + 1..declaration.end;
    let is_end = |end: &usize| matches!(tokens.at(*end), b">" | b">>");
    let close = rest.find(|end| is_end(end) && tokens.arguments_begin(*end) == Some(at + 1));
    CONTAINERS.contains(&tokens.word(at).as_str())
        && is_of_values(tokens, at + 1..close.unwrap_or(at + 1))
}

/// Whether elements are no pointers, references, or objects that have them.
pub fn is_of_values(tokens: Tokens<'_>, types: Range<usize>) -> bool {
    let is_other = |at: usize| {
        matches!(
            tokens.at(at),
            b"*" | b"&"
                | b"reference_wrapper"
                | b"span"
                | b"string_view"
                | b"pair"
                | b"tuple"
                | b"function"
        )
    };
    !types.into_iter().any(is_other)
}

/// Whether a function calls none of the program's, by its name.
pub fn is_known(name: &str) -> bool {
    const OTHERS: [&str; 5] = ["malloc", "calloc", "free", "exit", "defined"];
    UNEVALUATED.contains(&name)
        || OTHERS.contains(&name)
        || name != "qsort" && library_effect(name, 0).is_some()
        || library::is_on_device(name)
}

/// What a function of the C library, or a copy of CUDA's that is waited for, does with the memory of an
/// argument.
pub fn library_effect(name: &str, position: usize) -> Option<Effect> {
    const READ: [&str; 15] = [
        "printf",
        "fprintf",
        "puts",
        "fputs",
        "fwrite",
        "write",
        "strlen",
        "strcmp",
        "strncmp",
        "memcmp",
        "assert",
        "atoi",
        "atof",
        "putchar",
        "cudaMemcpyToSymbol",
    ];
    const FIRST: [&str; 13] = [
        "memset",
        "memcpy",
        "memmove",
        "strcpy",
        "strncpy",
        "strcat",
        "sprintf",
        "snprintf",
        "fread",
        "fgets",
        "qsort",
        "cudaMemcpy",
        "cudaMemcpyFromSymbol",
    ];
    const ALL: [&str; 3] = ["scanf", "fscanf", "sscanf"];
    match () {
        () if READ.contains(&name) => Some(Effect::READS),
        () if FIRST.contains(&name) && position == 0 => Some(Effect::BOTH),
        () if FIRST.contains(&name) => Some(Effect::READS),
        () if name == "read" && position == 1 || ALL.contains(&name) => Some(Effect::BOTH),
        () => None,
    }
}
