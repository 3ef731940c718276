//! Calls of macros that stay as the user wrote them.
//!
//! Input: which expressions calls of macros made, and the kernel file without any call.
//! Output: for each expression, whether its call stands for it; in the end the
//! definitions that the file then needs. Nothing is taken on trust: an expression has
//! to be printed with the very tokens that the call makes, no name of a macro may occur
//! in the file without calls, and that file has to be what the other one expands to.
//!
//! ```cuda
//! #define C1 0.25f
//! #define IDX(i, j) ((i) * ny + (j))
//! u[IDX(i, j)] = C1 * avg;                // u[((i) * ny + (j))] = 0.25f * avg;
//! #undef C1
//! #undef IDX
//! ```
//!
//! Names without a capital letter are left to the headers' macros.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

use crate::back::layout::COLUMNS;
use crate::back::namer::is_reserved;
use crate::source::{Alignment, Call, Macro, Span, TranslationUnit, expand, tokens_of};

/// Which calls are kept in a file.
#[derive(Debug, Default)]
pub struct Kept {
    alignment: Rc<Alignment>,
    /// Names that mean something else in the file.
    taken: HashSet<String>,
    /// The definitions that calls need so far.
    needed: RefCell<BTreeMap<String, Rc<Macro>>>,
}

impl Kept {
    /// For a file that has this text without calls.
    pub fn new(alignment: Rc<Alignment>, expanded: &str) -> Self {
        let mut taken = HashSet::new();
        {
            let words: HashSet<&str> = tokens_of(expanded).into_iter().collect();
            for name in alignment.macros().map(|found| found.name.as_str()) {
                if words.contains(name) || is_reserved(name) || is_of_headers(name) {
                    taken.insert(name.to_string());
                }
            }
        }
        Self {
            alignment,
            taken,
            needed: RefCell::default(),
        }
    }

    /// The call that made an expression.
    pub fn call(&self, span: Span) -> Option<&Call> {
        self.alignment.call(span)
    }

    /// Whether a call stands for what is printed as `made`.
    pub fn keeps(&self, call: &Call, made: &str) -> bool {
        let mut needed = self.needed.borrow_mut();
        let fits = |one: &Rc<Macro>| {
            let known = needed.get(&one.name);
            !self.taken.contains(&one.name) && known.is_none_or(|known| known.is_same(one))
        };
        if !call.macros.iter().all(fits) || !call.makes(made) {
            return false;
        }
        for one in &call.macros {
            needed.insert(one.name.clone(), Rc::clone(one));
        }
        true
    }

    /// Whether a text with calls is the one without them.
    pub fn is_same(&self, text: &str, expanded: &str) -> bool {
        let needed = self.needed.borrow();
        let find = |name: &str| needed.get(name).map(|found| &**found);
        // Definitions are none of the code.
        let code = |text| {
            let mut tokens = tokens_of(text);
            tokens.retain(|token| !token.starts_with('#'));
            tokens
        };
        expand(&code(text), &find).is_some_and(|made| made == code(expanded))
    }

    /// The lines that define what calls need, in the order of the user's, and those that
    /// end it.
    pub fn definitions(&self, source: &TranslationUnit) -> (Vec<String>, Vec<String>) {
        let needed = self.needed.borrow();
        let mut list: Vec<&Rc<Macro>> = needed.values().collect();
        list.sort_by_key(|one| one.at);
        let undefine = |one: &&Rc<Macro>| format!("#undef {}", one.name);
        let define = |one: &&Rc<Macro>| {
            let other = is_of_c(&one.name).then(|| undefine(one));
            other.into_iter().chain([folded(&source.definition(one))])
        };
        (
            list.iter().flat_map(define).collect(),
            list.iter().map(undefine).collect(),
        )
    }
}

/// Names with capitals that macros of the runtime's headers expand to.
const OF_HEADERS: &[&str] = &["BarrierSite", "Fetch"];

/// Whether macros of CUDA's and the runtime's headers may expand to a name, as
/// `__device__` does to `device`: those are in small letters, but for a few.
fn is_of_headers(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_uppercase())
        || OF_HEADERS.contains(&name)
        || name.starts_with("ACCRS_")
        || name.starts_with('_')
}

/// Whether C's headers, which CUDA's include, may define a name that is the user's own in C: `M_PI`,
/// which `-std=c11` leaves out. Others of this form may be taken for one.
fn is_of_c(name: &str) -> bool {
    const BEGIN: [&str; 14] = [
        "M_", "FP_", "FD_", "CLOCK_", "CLOCKS_", "SEEK_", "MOD_", "ADJ_", "STA_", "RENAME_",
        "SNAN", "HUGE_VAL", "NV_", "CUDA",
    ];
    const END: [&str; 5] = ["_MAX", "_MIN", "_WIDTH", "_ENDIAN", "_BIT"];
    const WHOLE: [&str; 15] = [
        "BUFSIZ",
        "BYTE_ORDER",
        "EOF",
        "EXIT_FAILURE",
        "EXIT_SUCCESS",
        "INFINITY",
        "MATH_ERREXCEPT",
        "MATH_ERRNO",
        "MAXFLOAT",
        "MAX_CANON",
        "MAX_INPUT",
        "NAN",
        "NULL",
        "NZERO",
        "TIME_UTC",
    ];
    BEGIN.iter().any(|begin| name.starts_with(begin))
        || END.iter().any(|end| name.ends_with(end))
        || WHOLE.contains(&name)
}

/// A directive, with its line broken where it is too long.
fn folded(line: &str) -> String {
    let mut out = String::new();
    let mut width = 0;
    for word in line.split(' ') {
        let length = word.chars().count() + 1;
        if width > 0 && width + length > COLUMNS - 2 {
            out.push_str(" \\\n   ");
            width = 3;
        }
        if width > 0 {
            out.push(' ');
        }
        out.push_str(word);
        width += length;
    }
    out
}
