//! The numbers of iterations along each axis of a launch, as they are said and named.
//!
//! ```text
//! const long extent_x = accrs::trips_up(1, n, 1);
//! const dim3 grid = accrs::grid(block, extent_x);
//! ```

use indexmap::IndexSet;

use super::{Launcher, NamedExtent};

impl Launcher {
    /// The numbers of iterations along each axis, by their names.
    pub(super) fn extents_text(&self, named: &[NamedExtent]) -> String {
        let axes = ["x", "y", "z"].into_iter().zip(&self.extents);
        let extents = axes.map(|(_, counts)| {
            let text = longest(counts);
            let known = named.iter().find(|extent| extent.text == text);
            known.map_or(text, |extent| extent.name.clone())
        });
        extents.collect::<Vec<_>>().join(", ")
    }

    /// The tests of the index type, by the names that numbers of iterations have.
    pub(super) fn fitting_text(&self, named: &[NamedExtent]) -> String {
        let text = self.fitting.join(" && ");
        named.iter().fold(text, |text, extent| {
            text.replace(&extent.text, &extent.name)
        })
    }

    /// Those that have to be computed, where that is said more than once; those of a second axis
    /// that are the same have no name of their own.
    pub(super) fn named_extents(&self) -> Vec<NamedExtent> {
        let said = [
            self.fitting_text(&[]),
            self.block_text(&[]),
            self.limited_grid(&[]),
        ];
        let mut named: Vec<NamedExtent> = Vec::new();
        let axes = self.locals().extents.into_iter().zip(&self.extents);
        for ((name, counts), may_be_empty) in axes.zip(self.may_be_empty) {
            let text = longest(counts);
            let times: usize = said.iter().map(|said| said.matches(&text).count()).sum();
            let is_known = named.iter().any(|extent| extent.text == text);
            let is_counted = text.contains("accrs::");
            if is_counted && (times > 1 || may_be_empty) && !is_known {
                named.push(NamedExtent { name, text });
            }
        }
        named
    }

    /// The condition under which there is nothing to launch.
    pub(super) fn emptiness(&self, named: &[NamedExtent]) -> String {
        let axes = self.extents.iter().zip(self.may_be_empty);
        let texts = axes.filter(|(_, is_asked)| *is_asked);
        let tests = texts.filter_map(|(counts, _)| {
            let text = longest(counts);
            let known = named.iter().find(|extent| extent.text == text);
            match (known, text.parse::<u64>()) {
                (Some(extent), _) => Some(format!("{} == 0", extent.name)),
                (None, Ok(count)) => (count == 0).then(|| "true".to_owned()),
                (None, Err(_)) => Some(format!("{text} <= 0")),
            }
        });
        let tests: IndexSet<String> = tests.collect();
        Vec::from_iter(tests).join(" || ")
    }
}

/// The iterations of the longest of some loops.
pub(super) fn longest(counts: &[String]) -> String {
    let counts: IndexSet<&str> = counts.iter().map(String::as_str).collect();
    let counts: Vec<&str> = counts.into_iter().collect();
    match counts.as_slice() {
        [] => "1".to_string(),
        [one] => one.to_string(),
        several => format!("accrs::longest({})", several.join(", ")),
    }
}
