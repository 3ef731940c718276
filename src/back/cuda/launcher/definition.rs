//! A launcher's text, with what it takes where its arrays overlap, or rows are shorter than what they hold.
//!
//! ```text
//! if (accrs::disjoint(a, b) && pitch >= columns)
//!     add_kernel<<<grid, block, 0, accrs::stream()>>>(n, d_a, d_b);       // they are `restrict`
//! else
//!     add_kernel2<<<grid, block, 0, accrs::stream()>>>(n, d_a, d_b);
//! ```

use serde::Serialize;

use super::{Launcher, Lookup, Parameter, Present, Step};
use crate::back::cuda::kernel::signature;
use crate::back::template::Templates;
use crate::diagnostic::Diagnostic;

#[derive(Serialize)]
struct Context<'a> {
    head: String,
    lookups: Vec<&'a Lookup>,
    ranges: Vec<&'a Present>,
    /// Of a template over the type of indices, where both kernels have the same test.
    fitting: String,
    /// What the kernel takes for granted.
    assumed: String,
    /// Arrays that do not overlap alone.
    is_of_arrays: bool,
    step: Step<'a>,
    alternative: Option<Step<'a>>,
}

/// How a launcher is declared that the host calls.
const OF_HOST: &str = "extern \"C\" void ";

/// How one is declared that another one calls.
const OF_FILE: &str = "static void ";

/// A launcher's definition.
pub struct Definition<'a> {
    /// Its name.
    pub name: &'a str,
    /// The host calls it.
    pub is_of_host: bool,
    /// The kernel.
    pub launcher: &'a Launcher,
    /// The kernel that runs where what the other one takes for granted does not hold.
    pub alternative: Option<&'a Launcher>,
}

impl Definition<'_> {
    /// Parameters of both kernels, each once.
    pub fn parameters(&self) -> Vec<Parameter> {
        let mut list = self.launcher.parameters.clone();
        if let Some(other) = self.alternative {
            for parameter in &other.parameters {
                match list.iter_mut().find(|p| p.name == parameter.name) {
                    // A kernel's parameter has a type, what is reduced has none.
                    Some(known) if known.text.starts_with("void *") => {
                        known.text.clone_from(&parameter.text);
                    }
                    Some(_) => {}
                    None => list.push(parameter.clone()),
                }
            }
        }
        list
    }

    /// The text.
    ///
    /// # Errors
    /// A template that lacks a key.
    pub fn render(&self, templates: &Templates) -> Result<String, Diagnostic> {
        let texts: Vec<String> = self.parameters().into_iter().map(|p| p.text).collect();
        let mut lookups: Vec<&Lookup> = self.launcher.lookups.iter().collect();
        let mut ranges: Vec<&Present> = self.launcher.ranges.iter().collect();
        if let Some(other) = self.alternative {
            for lookup in &other.lookups {
                if !lookups.iter().any(|l| l.pointer == lookup.pointer) {
                    lookups.push(lookup);
                }
            }
            for range in &other.ranges {
                match ranges.iter_mut().find(|r| r.name == range.name) {
                    Some(own) if own.rows.is_empty() => *own = range,
                    Some(_) => {}
                    None => ranges.push(range),
                }
            }
        }
        let mut step = self.launcher.step();
        let mut alternative = self.alternative.map(Launcher::step);
        let mut fitting = String::new();
        if let Some(other) = &mut alternative
            && (step.fits_int, &step.fitting) == (other.fits_int, &other.fitting)
            && step.fitting == self.launcher.fitting.join(" && ")
        {
            fitting = std::mem::take(&mut step.fitting);
            other.fitting.clear();
        }
        let linkage = if self.is_of_host { OF_HOST } else { OF_FILE };
        let signature = signature(linkage.len(), self.name, &texts);
        let context = Context {
            head: format!("{linkage}{signature}"),
            lookups,
            ranges,
            fitting,
            assumed: self.launcher.assumed(),
            is_of_arrays: self.launcher.conditions.is_empty(),
            step,
            alternative,
        };
        templates.render("launcher", &context)
    }
}
