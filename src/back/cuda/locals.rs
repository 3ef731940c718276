//! The variables that a launcher declares for itself.
//!
//! ```text
//! const dim3 block(128);             const dim3 launch_block(128);     // of a kernel whose
//! const dim3 grid = …                const dim3 grid = …               // parameter, or a macro, is `block`
//! ```

use std::collections::HashSet;

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
    /// Numbers of iterations along each axis.
    pub extents: [String; 3],
}

impl Locals {
    /// Names that none of these texts has, and no macro.
    pub fn beside<'t>(
        texts: impl Iterator<Item = &'t String>,
        macros: &'t HashSet<String>,
    ) -> Self {
        let words = texts.flat_map(|text| tokens_of(text));
        let words: HashSet<&str> = words.chain(macros.iter().map(String::as_str)).collect();
        let free = |wanted: &str| {
            let mut name = wanted.to_owned();
            while words.contains(name.as_str()) {
                name = format!("launch_{name}");
            }
            name
        };
        Self {
            block: free("block"),
            grid: free("grid"),
            shared: free("shared"),
            extents: ["extent_x", "extent_y", "extent_z"].map(free),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{HashSet, Locals};

    #[test]
    fn parameters_and_macros_keep_their_names() {
        let texts = ["int *block", "int launch_block", "int *d_grid"].map(String::from);
        let macros = HashSet::from(["extent_y".to_owned()]);
        let locals = Locals::beside(texts.iter(), &macros);
        assert_eq!(locals.extents, ["extent_x", "launch_extent_y", "extent_z"]);
        assert_eq!(locals.block, "launch_launch_block");
        assert_eq!(
            (locals.grid.as_str(), locals.shared.as_str()),
            ("grid", "shared")
        );
    }
}
