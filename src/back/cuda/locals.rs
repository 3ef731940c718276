//! The variables that a launcher declares for itself.
//!
//! ```text
//! const dim3 block(128);             const dim3 launch_block(128);     // of a kernel whose
//! const dim3 grid = …                const dim3 grid = …               // parameter is `block`
//! ```

use serde::Serialize;

use crate::source::tokens_of;

/// Their names.
#[derive(Serialize)]
pub struct Locals {
    /// The block's threads.
    pub block: String,
    /// The grid's blocks.
    pub grid: String,
    /// Bytes of dynamic shared memory.
    pub shared: String,
}

impl Locals {
    /// Names that none of these texts has.
    pub fn beside<'t>(texts: impl Iterator<Item = &'t String>) -> Self {
        let words: Vec<&str> = texts.flat_map(|text| tokens_of(text)).collect();
        let free = |wanted: &str| {
            let mut name = wanted.to_owned();
            while words.contains(&name.as_str()) {
                name = format!("launch_{name}");
            }
            name
        };
        Self {
            block: free("block"),
            grid: free("grid"),
            shared: free("shared"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Locals;

    #[test]
    fn a_parameter_keeps_its_name() {
        let texts = ["int *block", "int launch_block", "int *d_grid"].map(String::from);
        let locals = Locals::beside(texts.iter());
        assert_eq!(locals.block, "launch_launch_block");
        assert_eq!(
            (locals.grid.as_str(), locals.shared.as_str()),
            ("grid", "shared")
        );
    }
}
