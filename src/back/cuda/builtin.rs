//! What the compiler's own functions are called on the device.

/// Functions that CUDA lacks, most of them GCC's builtins: the runtime's for
/// them.
const RENAMED: &[(&str, &str)] = &[
    ("__builtin_expect", "__builtin_expect"),
    ("__builtin_popcount", "accrs::popcount"),
    ("__builtin_popcountl", "accrs::popcount"),
    ("__builtin_popcountll", "accrs::popcount"),
    ("__builtin_clz", "accrs::clz"),
    ("__builtin_clzl", "accrs::clzll"),
    ("__builtin_clzll", "accrs::clzll"),
    ("__builtin_ctz", "accrs::ctz"),
    ("__builtin_ctzl", "accrs::ctz"),
    ("__builtin_ctzll", "accrs::ctz"),
    ("__builtin_ffs", "accrs::ffs"),
    ("__builtin_ffsl", "accrs::ffs"),
    ("__builtin_ffsll", "accrs::ffs"),
    ("__builtin_parity", "accrs::parity"),
    ("__builtin_parityl", "accrs::parity"),
    ("__builtin_parityll", "accrs::parity"),
    ("__builtin_isinf_sign", "accrs::isinf_sign"),
    ("__builtin_isgreater", "accrs::isgreater"),
    ("__builtin_isgreaterequal", "accrs::isgreaterequal"),
    ("__builtin_isless", "accrs::isless"),
    ("__builtin_islessequal", "accrs::islessequal"),
    ("__builtin_islessgreater", "accrs::islessgreater"),
    ("__builtin_isunordered", "accrs::isunordered"),
    ("__builtin_isnormal", "accrs::isnormal"),
    ("__builtin_signbitf", "signbit"),
    ("__builtin_assume_aligned", "__builtin_assume_aligned"),
    ("__builtin_unreachable", "__builtin_unreachable"),
    ("__builtin_huge_val", "__builtin_huge_val"),
    ("__builtin_huge_valf", "__builtin_huge_valf"),
    ("__builtin_inf", "__builtin_inf"),
    ("__builtin_inff", "__builtin_inff"),
    ("__builtin_nan", "__builtin_nan"),
    ("__builtin_nanf", "__builtin_nanf"),
    ("acc_on_device", "accrs::on_device"),
    ("creal", "accrs::creal"),
    ("crealf", "accrs::creal"),
    ("__builtin_creal", "accrs::creal"),
    ("__builtin_crealf", "accrs::creal"),
    ("cimag", "accrs::cimag"),
    ("cimagf", "accrs::cimag"),
    ("__builtin_cimag", "accrs::cimag"),
    ("__builtin_cimagf", "accrs::cimag"),
    ("conj", "accrs::conj"),
    ("conjf", "accrs::conj"),
    ("__builtin_conj", "accrs::conj"),
    ("__builtin_conjf", "accrs::conj"),
    ("cabs", "accrs::cabs"),
    ("cabsf", "accrs::cabs"),
    ("__builtin_cabs", "accrs::cabs"),
    ("__builtin_cabsf", "accrs::cabs"),
    ("carg", "accrs::carg"),
    ("cargf", "accrs::carg"),
    ("__builtin_carg", "accrs::carg"),
    ("__builtin_cargf", "accrs::carg"),
    ("cexp", "accrs::cexp"),
    ("cexpf", "accrs::cexp"),
    ("__builtin_cexp", "accrs::cexp"),
    ("__builtin_complex", "accrs::make_complex"),
    ("__builtin_cexpf", "accrs::cexp"),
];

/// Library functions that C++ and CUDA do not overload: they convert arguments as C's prototypes do.
const OF_ONE_FORM: &[&str] = &[
    "acosf",
    "acoshf",
    "asinf",
    "asinhf",
    "atan2f",
    "atanf",
    "atanhf",
    "cbrtf",
    "ceilf",
    "copysignf",
    "cosf",
    "coshf",
    "erfcf",
    "erff",
    "exp2f",
    "expf",
    "expm1f",
    "fabsf",
    "fdimf",
    "floorf",
    "fmaf",
    "fmaxf",
    "fminf",
    "fmodf",
    "hypotf",
    "lgammaf",
    "log10f",
    "log1pf",
    "log2f",
    "logf",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "powf",
    "remainderf",
    "rintf",
    "roundf",
    "sinf",
    "sinhf",
    "sqrtf",
    "tanf",
    "tanhf",
    "tgammaf",
    "truncf",
];

/// Whether a library function is one of them.
pub fn has_one_form(name: &str) -> bool {
    OF_ONE_FORM.contains(&name)
}

/// A builtin that only tells the compiler something about its first argument,
/// which is its value.
pub fn is_hint(name: &str) -> bool {
    name == "__builtin_expect_with_probability"
}

/// The device's name of a library function or builtin, where it differs.
pub fn device_name(name: &str) -> Option<&str> {
    if let Some((_, device)) = RENAMED.iter().find(|(builtin, _)| *builtin == name) {
        return Some(device);
    }
    name.strip_prefix("__builtin_")
}
