//! Kernel launches as C++ without nvcc can read them.
//!
//! The launch is the one statement of CUDA that no header can supply; the
//! emulation has a function for it. Generated files have each launch on one
//! line. `NAME.acc.mk` does the same with sed.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A kernel's name with template arguments, and what stands between the
/// angle brackets of its launch.
static LAUNCH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"([A-Za-z_][A-Za-z0-9_:]*(?:<[^<>;]*>)?)<{3}(.*)>{3}\(")
        .expect("a constant that tests use")
});

/// The text with the first launch of each line turned into a call.
pub fn rewrite(kernels: &str) -> String {
    let mut text = String::with_capacity(kernels.len() + 256);
    for line in kernels.split_inclusive('\n') {
        let call = |launch: &Captures| {
            format!("accrs::emulation::launch<{}>({})(", &launch[1], &launch[2])
        };
        text.push_str(&LAUNCH.replace(line, call));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_become_calls() {
        // Spelled apart, for generated text stands in templates alone.
        let (open, close) = ("<".repeat(3), ">".repeat(3));
        let launch = |name: &str| {
            format!("    {name}{open}grid, block, 0, accrs::stream(){close}(n, d_x);\n")
        };
        assert_eq!(
            rewrite(&format!("int a = b << 3;\n{}", launch("add_line6_kernel"))),
            "int a = b << 3;\n    accrs::emulation::launch<add_line6_kernel>(grid, block, 0, accrs::stream())(n, d_x);\n"
        );
        assert_eq!(
            rewrite(&launch("file_acc::add<float, 4>")),
            "    accrs::emulation::launch<file_acc::add<float, 4>>(grid, block, 0, accrs::stream())(n, d_x);\n"
        );
    }
}
