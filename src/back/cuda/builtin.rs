//! What the compiler's own functions are called on the device.

/// GCC's builtins that CUDA has under another name: the library function
/// that they stand for.
const RENAMED: &[(&str, &str)] = &[
    ("__builtin_popcount", "__popc"),
    ("__builtin_popcountl", "__popcll"),
    ("__builtin_popcountll", "__popcll"),
    ("__builtin_clz", "__clz"),
    ("__builtin_clzl", "__clzll"),
    ("__builtin_clzll", "__clzll"),
    ("__builtin_ffs", "__ffs"),
    ("__builtin_ffsl", "__ffsll"),
    ("__builtin_ffsll", "__ffsll"),
];

/// Functions without arguments that are constants on the device.
const CONSTANTS: &[(&str, &str)] = &[
    ("__builtin_inff", "accrs::infinity<float>()"),
    ("__builtin_inf", "accrs::infinity<double>()"),
    ("__builtin_huge_valf", "accrs::infinity<float>()"),
    ("__builtin_huge_val", "accrs::infinity<double>()"),
    ("__builtin_nanf", "accrs::nan<float>()"),
    ("__builtin_nan", "accrs::nan<double>()"),
];

/// The device's name of a library function or builtin, where it differs.
pub fn device_name(name: &str) -> Option<&str> {
    if let Some((_, device)) = RENAMED.iter().find(|(builtin, _)| *builtin == name) {
        return Some(device);
    }
    name.strip_prefix("__builtin_")
}

/// The expression that stands for a call.
pub fn constant(name: &str) -> Option<&'static str> {
    CONSTANTS
        .iter()
        .find(|(builtin, _)| *builtin == name)
        .map(|(_, text)| *text)
}
