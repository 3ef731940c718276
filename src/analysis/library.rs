//! Functions of the C library whose effects are known by name.

/// Whether a library function depends on its arguments alone and writes
/// nothing (`errno` does not exist on a device).
pub fn is_pure(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let base = name
        .strip_suffix(['f', 'l'])
        .filter(|base| MATHEMATICS.contains(base))
        .unwrap_or(name);
    MATHEMATICS.contains(&base) || INTEGERS.contains(&name)
}

/// Whether a library function reads memory and writes only to a stream.
pub fn only_prints(name: &str) -> bool {
    matches!(
        name,
        "printf" | "puts" | "putchar" | "__assert_fail" | "abort"
    )
}

/// C11 7.12 without those that store a result through a pointer.
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
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
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
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "signbit",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
    "huge_val",
    "inf",
    "nan",
    "cabs",
    "carg",
    "cexp",
    "cimag",
    "conj",
    "creal",
    "clog",
    "cpow",
    "csqrt",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "exp10",
    "isgreater",
    "isless",
    "isunordered",
];

const INTEGERS: &[&str] = &[
    "abs",
    "labs",
    "llabs",
    "isalpha",
    "isdigit",
    "isspace",
    "tolower",
    "toupper",
    "popcount",
    "popcountl",
    "popcountll",
    "clz",
    "clzl",
    "clzll",
    "ctz",
    "ctzl",
    "ctzll",
    "ffs",
    "parity",
    "bswap16",
    "bswap32",
    "bswap64",
    "expect",
    "unreachable",
    "constant_p",
    "assume_aligned",
];
