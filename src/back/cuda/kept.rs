//! Calls of macros that stay as the user wrote them.
//!
//! Input: which expressions calls of macros made, and the kernel file without any call.
//! Output: for each expression, the call that stands for it, of other arguments where passes changed
//! these; in the end the definitions that the file then needs. Nothing is taken on trust: an
//! expression has to be printed with the very tokens that the call makes, no name of a macro may
//! occur in the file without calls, and that file has to be what the other one expands to.
//!
//! ```cuda
//! #define C1 0.25f
//! #define IDX(i, j) ((i) * ny + (j))
//! u[IDX(i, j)] = C1 * avg;                // u[((i) * ny + (j))] = 0.25f * avg;
//! #undef C1
//! #undef IDX
//! ```
//!
//! A macro that the user defines anew is defined anew before the first kernel or function that has calls of
//! it: what stands before that must not need both.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// Whether macros may have one definition after another.
    redefines: bool,
    /// The number of the kernel or function that is printed.
    part: Cell<usize>,
    /// The definitions that calls need, by name.
    needed: RefCell<BTreeMap<String, Needed>>,
    /// The later ones, in the order of the file, with the lines that make them.
    redefined: RefCell<Vec<(Rc<Macro>, Option<String>)>>,
}

/// The definitions of a macro.
#[derive(Debug)]
struct Needed {
    first: Rc<Macro>,
    last: Rc<Macro>,
    /// The part that has a call by the last one.
    part: usize,
}

impl Kept {
    /// For a file that has this text without calls.
    pub fn new(alignment: Rc<Alignment>, expanded: &str, redefines: bool) -> Self {
        let mut taken = HashSet::new();
        {
            let words: HashSet<&str> = tokens_of(expanded).into_iter().collect();
            let own = alignment.macros().filter(|found| !found.is_system);
            for name in own.map(|found| found.name.as_str()) {
                if words.contains(name) || is_reserved(name) || is_of_headers(name) {
                    taken.insert(name.to_string());
                }
            }
        }
        Self {
            alignment,
            taken,
            redefines,
            part: Cell::default(),
            needed: RefCell::default(),
            redefined: RefCell::default(),
        }
    }

    /// Another kernel or function begins.
    pub fn begin(&self) {
        self.part.set(self.part.get() + 1);
    }

    /// The lines before it that define macros anew, as its text needs them.
    pub fn redefinitions(&self, source: &TranslationUnit) -> Vec<String> {
        let mut redefined = self.redefined.borrow_mut();
        let new = redefined.iter_mut().filter(|(_, line)| line.is_none());
        let lines = new.flat_map(|(one, line)| {
            let define = folded(&source.definition(one));
            *line = Some(define.clone());
            [format!("#undef {}", one.name), define]
        });
        lines.collect()
    }

    /// The call that made an expression.
    pub fn call(&self, span: Span) -> Option<&Call> {
        self.alignment.call(span)
    }

    /// The call whose text begins at a place.
    pub fn call_at(&self, start: u32) -> Option<&Call> {
        self.alignment.call_at(start)
    }

    /// The call that stands for what is printed as `made`.
    pub fn text(&self, call: &Call, made: &str) -> Option<String> {
        if !call.macros.iter().all(|one| self.fits(one)) {
            return None;
        }
        let text = call.that_makes(made)?;
        call.macros.iter().for_each(|one| self.need(one));
        Some(text)
    }

    /// Whether what the user wrote in a place makes what is printed of it, where other calls stand.
    pub fn makes(&self, span: Span, written: &str, printed: &str) -> bool {
        let calls: Vec<&Call> = self.alignment.calls_within(span).collect();
        let macros = calls.iter().flat_map(|call| &call.macros);
        let mut own: BTreeMap<&str, &Rc<Macro>> = BTreeMap::new();
        let is_one = macros.into_iter().all(|one| {
            let known = *own.entry(&one.name).or_insert(one);
            self.fits(one) && known.is_same(one)
        });
        let is_as_written = tokens_of(written) == tokens_of(printed);
        if is_as_written || calls.is_empty() || !is_one || !calls.iter().all(|call| call.is_whole())
        {
            return false;
        }
        let find = |name: &str| own.get(name).map(|found| &***found);
        let made = |text| expand(&tokens_of(text), &find);
        let is_same = made(written).is_some_and(|made_of| Some(made_of) == made(printed));
        if is_same {
            own.into_values().for_each(|one| self.need(one));
        }
        is_same
    }

    /// A call by this definition stands in the part that is printed.
    fn need(&self, one: &Rc<Macro>) {
        let mut needed = self.needed.borrow_mut();
        let part = self.part.get();
        let known = needed.entry(one.name.clone()).or_insert_with(|| Needed {
            first: Rc::clone(one),
            last: Rc::clone(one),
            part,
        });
        if !known.last.is_same(one) {
            known.last = Rc::clone(one);
            self.redefined.borrow_mut().push((Rc::clone(one), None));
        }
        known.part = part;
    }

    /// Whether a macro may be defined in the file.
    fn fits(&self, one: &Macro) -> bool {
        let needed = self.needed.borrow();
        let fits = needed.get(&one.name).is_none_or(|known| {
            let is_own = !one.is_system && !known.last.is_system;
            let may_follow = self.redefines && is_own && known.part < self.part.get();
            known.last.is_same(one) || may_follow
        });
        !self.taken.contains(&one.name) && fits
    }

    /// Whether a text with calls is the one without them.
    pub fn is_same(&self, text: &str, expanded: &str) -> bool {
        let needed = self.needed.borrow();
        let redefined = self.redefined.borrow();
        let made = |text| expansion(&needed, &redefined, text);
        // Where `NULL` is no value, both have it.
        made(text).is_some_and(|with_calls| Some(with_calls) == made(expanded))
    }

    /// The lines that define what calls need, in the order of the user's, and those that
    /// end it.
    pub fn definitions(&self, source: &TranslationUnit) -> (Vec<String>, Vec<String>) {
        let needed = self.needed.borrow();
        let firsts = needed.values().map(|known| &known.first);
        let mut list: Vec<&Rc<Macro>> = firsts.filter(|one| !one.is_system).collect();
        list.sort_by_key(|one| one.at);
        let undefine = |one: &&Rc<Macro>| format!("#undef {}", one.name);
        let define = |one: &&Rc<Macro>| {
            let other = may_be_defined(&one.name).then(|| undefine(one));
            other.into_iter().chain([folded(&source.definition(one))])
        };
        (
            list.iter().flat_map(define).collect(),
            list.iter().map(undefine).collect(),
        )
    }
}

/// What a text expands to, under the definitions that stand before each part of it.
fn expansion<'t>(
    needed: &'t BTreeMap<String, Needed>,
    redefined: &'t [(Rc<Macro>, Option<String>)],
    text: &'t str,
) -> Option<Vec<Cow<'t, str>>> {
    let firsts = needed.values().map(|known| &*known.first);
    let mut known: HashMap<&str, &Macro> = firsts.map(|one| (one.name.as_str(), one)).collect();
    let mut redefined = redefined.iter().peekable();
    let mut made = Vec::new();
    let mut code = Vec::new();
    for token in tokens_of(text) {
        if let Some((one, _)) = redefined.next_if(|(_, line)| line.as_deref() == Some(token)) {
            made.extend(expand(&code, &|name| known.get(name).copied())?);
            code.clear();
            known.insert(&one.name, one);
        }
        // Definitions are none of the code.
        if !token.starts_with('#') {
            code.push(token);
        }
    }
    made.extend(expand(&code, &|name| known.get(name).copied())?);
    Some(made)
}

/// What macros of CUDA's and the runtime's headers that a kernel file uses expand to, as
/// `__device__` does to `device`, and macros of C's headers in small letters.
const OF_HEADERS: [&str; 73] = [
    "BarrierSite",
    "Fetch",
    "I",
    "accrs",
    "accrs_dynamic_shared",
    "aligned",
    "all",
    "alloca",
    "always_inline",
    "any",
    "assert",
    "assert_perror",
    "be16toh",
    "be32toh",
    "be64toh",
    "cluster_dims",
    "complex",
    "constant",
    "count",
    "device",
    "dynamic_shared",
    "emulation",
    "errno",
    "global",
    "grid_constant",
    "host",
    "htobe16",
    "htobe32",
    "htobe64",
    "htole16",
    "htole32",
    "htole64",
    "isalnum_l",
    "isalpha_l",
    "isascii",
    "isascii_l",
    "isblank_l",
    "iscntrl_l",
    "isdigit_l",
    "isgraph_l",
    "islower_l",
    "isprint_l",
    "ispunct_l",
    "isspace_l",
    "issubnormal",
    "isupper_l",
    "isxdigit_l",
    "launch_bounds",
    "le16toh",
    "le32toh",
    "le64toh",
    "linux",
    "managed",
    "math_errhandling",
    "maxnreg",
    "noinline",
    "none_not",
    "noreturn",
    "offsetof",
    "shared",
    "stderr",
    "stdin",
    "stdout",
    "strdupa",
    "strndupa",
    "thread_local",
    "toascii",
    "toascii_l",
    "unix",
    "unused",
    "visibility",
    "watch",
    "weak",
];

/// Whether macros of headers may expand to a name, or be called so.
fn is_of_headers(name: &str) -> bool {
    OF_HEADERS.contains(&name) || name.starts_with("ACCRS_") || name.starts_with('_')
}

/// Whether CUDA's headers, or C's which these include, may define a name that is the user's own in C:
/// `M_PI`, which `-std=c11` leaves out. Others of this form may be taken for one.
fn may_be_defined(name: &str) -> bool {
    const BEGIN: [&str; 25] = [
        "ADJ_", "CLOCKS_", "CLOCK_", "CUDA", "CU_", "DBL_", "FD_", "FLT_", "FP_", "HUGE_VAL",
        "LDBL_", "L_", "MOD_", "M_", "NL_", "NV_", "PTHREAD_", "P_", "RENAME_", "SEEK_", "SNAN",
        "STA_", "TIMER_", "WIF", "cuda",
    ];
    const END: [&str; 6] = ["_BIT", "_C", "_ENDIAN", "_MAX", "_MIN", "_WIDTH"];
    const WHOLE: [&str; 27] = [
        "BUFSIZ",
        "BYTE_ORDER",
        "DECIMAL_DIG",
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
        "NFDBITS",
        "NULL",
        "NZERO",
        "PIPE_BUF",
        "TIME_UTC",
        "WCONTINUED",
        "WEXITED",
        "WEXITSTATUS",
        "WNOHANG",
        "WNOWAIT",
        "WSTOPPED",
        "WSTOPSIG",
        "WTERMSIG",
        "WUNTRACED",
    ];
    BEGIN.iter().any(|begin| name.starts_with(begin))
        || END.iter().any(|end| name.ends_with(end))
        || WHOLE.contains(&name)
}

/// A directive, with its line broken where it is too long and the user did not break it.
fn folded(line: &str) -> String {
    if line.contains('\n') {
        return line.to_string();
    }
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
