//! Functions that are known by name: of the C library, and the compiler's own.
//!
//! One table for all stages: whether a device has a function (CUDA C++
//! Programming Guide, mathematical functions, formatted output, assertions,
//! allocation), and what calling it does.

mod instead;

use std::borrow::Cow;

pub use instead::NO_ATOMIC_EXTREME;
use instead::{INSTEAD, SAME};

/// Mathematics (C11 7.12) that depends on its arguments alone, each also with
/// the suffix `f` for `float`.
const MATHEMATICS: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp10",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "ilogb",
    "j0",
    "j1",
    "jn",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "y0",
    "y1",
    "yn",
];

/// Complex mathematics (C11 7.3) that the runtime has, each also with the
/// suffix `f`.
const COMPLEX: &[&str] = &["cabs", "carg", "cexp", "cimag", "conj", "creal"];

/// Mathematics that stores results through pointers and reads nothing there.
const STORES_RESULTS: &[&str] = &["frexp", "modf", "remquo", "sincos"];

/// Integers, by their full name.
const INTEGERS: &[&str] = &["abs", "labs", "llabs"];

/// The compiler's own functions that have a counterpart on a device, without
/// `__builtin_`; all depend on their arguments alone.
const BUILTINS: &[&str] = &[
    "assume_aligned",
    "clz",
    "clzl",
    "clzll",
    "complex",
    "constant_p",
    "ctz",
    "ctzl",
    "ctzll",
    "expect",
    "ffs",
    "ffsl",
    "ffsll",
    "huge_val",
    "huge_valf",
    "inf",
    "inff",
    "isfinite",
    "isgreater",
    "isgreaterequal",
    "isinf",
    "isinf_sign",
    "isless",
    "islessequal",
    "islessgreater",
    "isnan",
    "isnormal",
    "isunordered",
    "nanf",
    "parity",
    "parityl",
    "parityll",
    "popcount",
    "popcountl",
    "popcountll",
    "signbit",
    "signbitf",
    "unreachable",
];

/// Tells code which kind of device runs it.
const ON_DEVICE: &str = "acc_on_device";

/// Functions of a device that write memory or a stream.
const ACTIONS: &[&str] = &[
    "__assert_fail",
    "clock",
    "free",
    "malloc",
    "memcpy",
    "memset",
    "printf",
    "trap",
];

/// Whether a device has the function.
pub fn is_on_device(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_");
    ACTIONS.contains(&plain.unwrap_or(name)) || stores_results(name) || is_pure(name)
}

/// What `errno` calls in the headers of systems.
const ERRNO: &[&str] = &["__errno_location", "__error", "___errno"];

/// What is said of a call that a device does not have, in the words of the program: macros of the
/// headers have names of their own for some.
pub fn refusal(name: &str) -> String {
    match name {
        "__ctype_b_loc" => "`isalpha`, `isdigit` and the like cannot be called on a device".into(),
        "__ctype_tolower_loc" | "__ctype_toupper_loc" => {
            "`tolower` and `toupper` cannot be called on a device".into()
        }
        "__builtin_fpclassify" | "__fpclassify" | "__fpclassifyf" => {
            "`fpclassify` cannot be called on a device".into()
        }
        _ if ERRNO.contains(&name) => "a device has no `errno`".into(),
        _ => format!("`{name}` cannot be called on a device"),
    }
}

/// What to write on a device in place of a call of a library that only the host has.
pub fn instead(name: &str) -> Option<Cow<'static, str>> {
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let mut listed = INSTEAD.iter().filter(|(_, names)| names.contains(&plain));
    let same = || SAME.iter().find(|(names, _)| names.contains(&plain));
    let listed = listed.next().map(|(way, _)| *way);
    if let Some(way) = listed.or_else(|| same().map(|(_, way)| *way)) {
        return Some(Cow::Borrowed(way));
    }
    if let Some(double) = of_long_double(plain) {
        return Some(Cow::Owned(format!(
            "a device has no `long double`: call `{double}`, which takes `double`"
        )));
    }
    let prefixes = ["cblas_", "cublas", "cufft", "cusparse", "fftw_", "MPI_"];
    prefixes.iter().any(|prefix| plain.starts_with(prefix)).then_some(Cow::Borrowed(
        "call libraries from the host; those for GPUs take the addresses of `#pragma acc host_data use_device(a)`",
    ))
}

/// What a device has of a function for `long double`: the one for `double`.
fn of_long_double(name: &str) -> Option<&str> {
    let double = name.strip_suffix('l')?;
    let mut lists = [MATHEMATICS, STORES_RESULTS, COMPLEX].into_iter();
    lists.any(|list| list.contains(&double)).then_some(double)
}

/// Whether a function depends on its arguments alone and changes nothing
/// (`errno` does not exist on a device).
pub fn is_pure(name: &str) -> bool {
    let plain = name.strip_prefix("__builtin_");
    name == ON_DEVICE
        || is_listed(MATHEMATICS, plain.unwrap_or(name))
        || is_listed(COMPLEX, plain.unwrap_or(name))
        || INTEGERS.contains(&plain.unwrap_or(name))
        || plain.is_some_and(|plain| BUILTINS.contains(&plain))
}

/// Whether a call gives the host what it gives a device.
pub fn is_same_on_host(name: &str) -> bool {
    is_pure(name) && name != ON_DEVICE
}

/// Whether a function stores results through pointers, and reads nothing
/// there.
pub fn stores_results(name: &str) -> bool {
    is_listed(
        STORES_RESULTS,
        name.strip_prefix("__builtin_").unwrap_or(name),
    )
}

/// Whether a function reads memory and writes only to a stream.
pub fn only_prints(name: &str) -> bool {
    matches!(name, "printf" | "__assert_fail" | "__builtin_printf")
}

/// Whether a function writes nothing that a program could read.
pub fn changes_nothing(name: &str) -> bool {
    is_pure(name) || only_prints(name)
}

/// Whether a list has a name, for `double` or for `float`.
fn is_listed(list: &[&str], name: &str) -> bool {
    list.contains(&name)
        || name
            .strip_suffix('f')
            .is_some_and(|double| list.contains(&double))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_device_has_needs_nothing_instead() {
        for (_, names) in INSTEAD {
            for name in *names {
                assert!(!is_on_device(name), "{name}");
            }
        }
        for name in SAME.iter().flat_map(|(names, _)| *names) {
            assert!(!is_on_device(name), "{name}");
        }
        for (name, way) in [
            ("div", "`/`"),
            ("drem", "`remainder`"),
            ("fabsl", "call `fabs`"),
            ("frexpl", "call `frexp`"),
            ("lgamma_r", "`lgamma`"),
            ("signal", "on the host"),
            ("gmtime", "on the host"),
            ("strspn", "write the loop"),
            ("atomicMax", "`reduction(max:m)`"),
            ("__sync_fetch_and_add", "atomic capture"),
            ("__popc", "`__builtin_popcount`"),
            ("max", "`a > b ? a : b`"),
        ] {
            assert!(instead(name).is_some_and(|own| own.contains(way)), "{name}");
        }
        assert!(instead("__builtin_abort").is_some());
        assert!(instead("cblas_dgemm").is_some());
        for name in ["gets", "system"] {
            assert!(
                instead(name).is_some_and(|way| way.contains("on the host")),
                "{name}"
            );
        }
        assert_eq!(instead("sqrt"), None);
    }

    #[test]
    fn macros_of_the_headers_are_named_as_programs_have_them() {
        for (name, written) in [
            ("__ctype_b_loc", "`isdigit`"),
            ("__errno_location", "`errno`"),
            ("memmove", "`memmove`"),
        ] {
            assert!(refusal(name).contains(written), "{name}");
            assert!(instead(name).is_some(), "{name}");
        }
    }

    #[test]
    fn names_are_known_in_all_their_spellings() {
        for name in [
            "sqrt",
            "sqrtf",
            "__builtin_sqrt",
            "erf",
            "erff",
            "abs",
            "conjf",
            "__builtin_creal",
            "__builtin_expect",
        ] {
            assert!(is_pure(name) && is_on_device(name), "{name}");
        }
        for name in ["modf", "modff", "printf", "memcpy", "__assert_fail"] {
            assert!(!is_pure(name) && is_on_device(name), "{name}");
        }
        for name in ["fopen", "sqrtl", "qsort", "expect", "puts", "floatf"] {
            assert!(!is_on_device(name) && !is_pure(name), "{name}");
        }
    }
}
