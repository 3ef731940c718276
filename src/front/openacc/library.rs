//! Functions without a body in the file that a device has nevertheless (CUDA
//! C++ Programming Guide, appendix on mathematical functions, and the
//! sections on formatted output, assertions and allocation).

/// Mathematics (C11 7.12), each also with the suffix `f` for `float`.
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
    "frexp",
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
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sincos",
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

/// Everything else, by its full name.
const OTHERS: &[&str] = &[
    "__assert_fail",
    "abs",
    "abort",
    "calloc",
    "clock",
    "free",
    "labs",
    "llabs",
    "malloc",
    "memcpy",
    "memset",
    "printf",
    "putchar",
    "puts",
];

/// The compiler's own functions that have a counterpart on a device, without
/// `__builtin_`; those of [`MATHEMATICS`] and [`OTHERS`] have it too.
const BUILTINS: &[&str] = &[
    "assume_aligned",
    "clz",
    "clzl",
    "clzll",
    "constant_p",
    "ctz",
    "ctzl",
    "ctzll",
    "expect",
    "ffs",
    "ffsl",
    "ffsll",
    "fpclassify",
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
    "nan",
    "nanf",
    "parity",
    "parityl",
    "parityll",
    "popcount",
    "popcountl",
    "popcountll",
    "signbit",
    "signbitf",
    "trap",
    "unreachable",
];

/// Functions that store results through pointers and read nothing there.
const STORES_RESULTS: &[&str] = &["frexp", "modf", "remquo", "sincos"];

/// Whether a device has the function.
pub fn is_on_device(name: &str) -> bool {
    if let Some(builtin) = name.strip_prefix("__builtin_") {
        return BUILTINS.contains(&builtin) || is_plain(builtin);
    }
    is_plain(name)
}

fn is_plain(name: &str) -> bool {
    OTHERS.contains(&name) || MATHEMATICS.contains(&without_suffix(name))
}

/// `sqrt` of `sqrtf`, and of `sqrt`.
fn without_suffix(name: &str) -> &str {
    name.strip_suffix('f')
        .filter(|base| MATHEMATICS.contains(base))
        .unwrap_or(name)
}

/// Whether a library function writes what its pointer arguments point to
/// before it reads it, as `sincos(x, &s, &c)` does.
pub fn stores_results(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    STORES_RESULTS.contains(&without_suffix(name))
}

/// Whether a library function changes no memory that a program can see.
pub fn changes_nothing(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    is_on_device(name) && !stores_results(name) && !matches!(name, "free" | "memcpy" | "memset")
        || BUILTINS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_precisions_are_known() {
        for name in [
            "sqrt",
            "sqrtf",
            "erff",
            "__builtin_sqrtf",
            "printf",
            "modff",
        ] {
            assert!(is_on_device(name), "{name}");
        }
        for name in [
            "fopen",
            "erfff",
            "qsort",
            "__builtin_alloca",
            "sqrtl",
            "strlen",
        ] {
            assert!(!is_on_device(name), "{name}");
        }
    }

    #[test]
    fn results_through_pointers() {
        assert!(stores_results("sincosf") && stores_results("modf"));
        assert!(!stores_results("memcpy") && !changes_nothing("memset"));
        assert!(changes_nothing("exp") && changes_nothing("__builtin_popcount"));
    }
}
