//! Functions that are known by name: of the C library, and the compiler's own.
//!
//! One table for all stages: whether a device has a function (CUDA C++
//! Programming Guide, mathematical functions, formatted output, assertions,
//! allocation), and what calling it does.

use std::borrow::Cow;

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

/// Functions of the host's <math.h> and the like, and what a device has that gives the same.
const SAME: &[(&[&str], &str)] = &[
    (
        &["div", "ldiv", "lldiv", "imaxdiv"],
        "`/` gives the quotient, and `%` the remainder",
    ),
    (&["drem", "dremf"], "call `remainder`, which gives the same"),
    (
        &["gamma", "gammaf", "lgamma_r", "lgammaf_r"],
        "call `lgamma`, which gives the logarithm; the sign is that of `tgamma`",
    ),
    (
        &["nexttoward", "nexttowardf"],
        "call `nextafter`, whose second argument is of the type of the first",
    ),
    (
        &["scalb", "scalbf"],
        "call `scalbn`, which takes an integer",
    ),
    (
        &["significand", "significandf"],
        "call `scalbn(x, -ilogb(x))`, which gives the same",
    ),
    (&["pow10", "pow10f"], "call `exp10`, which gives the same"),
    (
        &["roundeven", "roundevenf"],
        "call `rint`, which gives the same: a device rounds to the nearest, and halves to even",
    ),
    (
        &["finite", "finitef"],
        "call `isfinite`, which gives the same",
    ),
    (&["imaxabs"], "call `llabs`, which gives the same"),
    (
        &["ffs", "ffsl", "ffsll"],
        "call `__builtin_ffs`, `__builtin_ffsl` or `__builtin_ffsll`, which give the same",
    ),
    (&["bzero"], "`memset` works on a device"),
    (
        &[
            "fegetround",
            "fesetround",
            "feclearexcept",
            "feraiseexcept",
            "fetestexcept",
            "fegetenv",
            "fesetenv",
            "feholdexcept",
            "feupdateenv",
            "feenableexcept",
            "fedisableexcept",
        ],
        "remove it: a device rounds to the nearest, and raises no exceptions",
    ),
    (
        &["setjmp", "_setjmp", "longjmp", "sigsetjmp", "siglongjmp"],
        "leave loops with `break` and functions with `return`",
    ),
    (
        &[
            "cacos", "cacosh", "casin", "casinh", "catan", "catanh", "ccos", "ccosh", "clog",
            "cpow", "cproj", "csin", "csinh", "csqrt", "ctan", "ctanh",
        ],
        "compute it from `creal`, `cimag`, `cabs`, `carg` and `cexp`, which work on a device",
    ),
];

/// What does on a device what functions of the host's libraries do.
const INSTEAD: &[(&str, &[&str])] = &[
    (
        "store the data in an array, and write that on the host behind the region",
        &["fwrite", "write"],
    ),
    (
        "write with `printf`, whose text comes out when the host waits for the device",
        &[
            "fprintf",
            "puts",
            "putchar",
            "fputs",
            "fputc",
            "putc",
            "perror",
            "fflush",
            "vprintf",
            "vfprintf",
            "dprintf",
            "vdprintf",
            "fputs_unlocked",
            "putchar_unlocked",
            "putc_unlocked",
        ],
    ),
    (
        "compute random numbers in the kernel from the iteration's number, as a hash or a linear congruential generator does, or fill an array on the host and copy it in",
        &[
            "rand",
            "srand",
            "rand_r",
            "random",
            "srandom",
            "drand48",
            "erand48",
            "lrand48",
            "srand48",
            "nrand48",
            "jrand48",
            "mrand48",
            "seed48",
            "lcong48",
            "initstate",
            "setstate",
            "random_r",
            "srandom_r",
            "arc4random",
            "getrandom",
            "getentropy",
        ],
    ),
    (
        "write it as a statement, such as `a[i] += 1`, behind `#pragma acc atomic`",
        &[
            "atomicAdd",
            "atomicSub",
            "atomicAnd",
            "atomicOr",
            "atomicXor",
            "atomicInc",
            "atomicDec",
            "atomicMin",
            "atomicMax",
            "atomicExch",
        ],
    ),
    (
        "remove it: threads meet at the end of a loop that they share, and what has to come after that is a loop of its own",
        &[
            "__syncthreads",
            "__syncwarp",
            "__threadfence",
            "__threadfence_block",
        ],
    ),
    (
        "include <assert.h>: `assert` is a macro there, and works on a device",
        &["assert"],
    ),
    (
        "end the program from a kernel with `assert`, or set a variable in the region that the host tests behind it",
        &["exit", "_exit", "_Exit", "quick_exit", "abort", "raise"],
    ),
    (
        "sort on the host, or write a function in this file that sorts what one iteration has",
        &["qsort"],
    ),
    (
        "write the search as a function in this file",
        &["bsearch", "lfind", "lsearch"],
    ),
    (
        "compute the length on the host before the region, or count in a loop up to the 0 at its end",
        &["strlen", "strnlen"],
    ),
    (
        "compare the bytes in a loop, in the region or in a function in this file",
        &[
            "strcmp",
            "strncmp",
            "strcoll",
            "strcasecmp",
            "strncasecmp",
            "memcmp",
            "bcmp",
        ],
    ),
    (
        "write the loop over the elements in the region, or a function with it in this file",
        &[
            "strcpy",
            "strncpy",
            "strcat",
            "strncat",
            "strchr",
            "strrchr",
            "strstr",
            "memchr",
            "strspn",
            "strcspn",
            "strpbrk",
            "strxfrm",
            "strcasestr",
            "strchrnul",
            "strsep",
            "stpcpy",
            "stpncpy",
            "strlcpy",
            "strlcat",
            "memccpy",
            "memrchr",
            "memmem",
            "rawmemchr",
            "index",
            "rindex",
            "swab",
        ],
    ),
    (
        "`memcpy` works on a device, between bytes that do not overlap; a loop moves those that do",
        &["memmove", "mempcpy", "bcopy"],
    ),
    (
        "`malloc`, `memcpy` and loops work on a device; an array of fixed size in the region is quicker",
        &["strdup", "strndup"],
    ),
    (
        "compare the character: `c >= '0' && c <= '9'`, `c >= 'a' && c <= 'z'`",
        &[
            "__ctype_b_loc",
            "isalnum",
            "isalpha",
            "isblank",
            "iscntrl",
            "isdigit",
            "isgraph",
            "islower",
            "isprint",
            "ispunct",
            "isspace",
            "isupper",
            "isxdigit",
        ],
    ),
    (
        "compute the letter: `c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c`",
        &[
            "__ctype_tolower_loc",
            "__ctype_toupper_loc",
            "tolower",
            "toupper",
        ],
    ),
    (
        "`isnan`, `isinf`, `isfinite`, `isnormal` and `signbit` work on a device, and `x == 0`",
        &["fpclassify", "__fpclassify", "__fpclassifyf"],
    ),
    (
        "functions of a device do not set it: test what they give, or keep a variable of your own",
        ERRNO,
    ),
    (
        "`malloc`, `memcpy` and `free` work on a device: allocate as much as there will be; an array of fixed size in the region is quicker",
        &["realloc"],
    ),
    (
        "`malloc` works on a device, and a loop sets the memory to zero; arrays of fixed size in the region are quicker",
        &[
            "calloc",
            "aligned_alloc",
            "posix_memalign",
            "alloca",
            "memalign",
            "valloc",
            "reallocarray",
        ],
    ),
    (
        "take the time on the host, before and after the region",
        &[
            "time",
            "clock_gettime",
            "gettimeofday",
            "omp_get_wtime",
            "difftime",
            "MPI_Wtime",
            "clock_getres",
            "timespec_get",
            "times",
            "ftime",
        ],
    ),
    (
        "read and convert text on the host, and copy in what it gave",
        &[
            "scanf",
            "fscanf",
            "sscanf",
            "gets",
            "fgets",
            "fgetc",
            "getc",
            "getchar",
            "getline",
            "fread",
            "fopen",
            "fclose",
            "fseek",
            "getenv",
            "atoi",
            "atof",
            "atol",
            "strtol",
            "strtoul",
            "strtod",
            "strtof",
            "strtok",
            "strtok_r",
            "strtold",
            "strtoll",
            "strtoull",
            "strtoimax",
            "strtoumax",
            "atoll",
            "secure_getenv",
            "getdelim",
            "ungetc",
            "vscanf",
            "vfscanf",
            "vsscanf",
            "read",
            "pread",
            "open",
            "close",
            "fdopen",
            "freopen",
            "tmpfile",
            "ftell",
            "rewind",
            "fgetpos",
            "fsetpos",
            "feof",
            "ferror",
            "clearerr",
            "fileno",
            "setbuf",
            "setvbuf",
            "mblen",
            "mbtowc",
            "mbstowcs",
            "wctomb",
            "wcstombs",
        ],
    ),
    (
        "call it on the host, before or behind the region, and copy in what it gave",
        &[
            "system",
            "popen",
            "pclose",
            "fork",
            "execv",
            "execvp",
            "getpid",
            "sleep",
            "usleep",
            "nanosleep",
            "atexit",
            "setenv",
            "localtime",
            "localtime_r",
            "gmtime",
            "gmtime_r",
            "mktime",
            "timegm",
            "asctime",
            "asctime_r",
            "strftime",
            "strptime",
            "ctime",
            "ctime_r",
            "at_quick_exit",
            "on_exit",
            "putenv",
            "unsetenv",
            "clearenv",
            "remove",
            "rename",
            "tmpnam",
            "mkstemp",
            "mkdtemp",
            "realpath",
            "setlocale",
            "localeconv",
            "signal",
            "sigaction",
            "kill",
            "alarm",
            "pause",
        ],
    ),
    (
        "store the numbers in an array, and write the text on the host",
        &[
            "sprintf",
            "snprintf",
            "vsprintf",
            "vsnprintf",
            "asprintf",
            "vasprintf",
            "strerror",
            "strerror_r",
            "strsignal",
        ],
    ),
    (
        "threads of a loop do not wait for each other: end the loop there, and go on in another one",
        &[
            "__syncthreads",
            "__syncwarp",
            "__threadfence",
            "__threadfence_block",
        ],
    ),
    (
        "OpenACC has no numbers of threads: use the loop's variable",
        &[
            "omp_get_thread_num",
            "omp_get_num_threads",
            "omp_get_max_threads",
            "omp_get_team_num",
            "omp_get_num_teams",
        ],
    ),
];

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
