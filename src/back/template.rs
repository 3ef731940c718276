//! The templates: the frames of generated files. What stands in them, statements
//! and index arithmetic, is made by typed code in [`super::cuda`] and
//! [`super::host`].
//!
//! A template never decides: it gets a complete, typed context. The texts are
//! part of the binary; each is compiled when it is first used, since most
//! files need few of them. A missing key is an error (strict mode).

use std::cell::RefCell;
use std::fmt::Display;

use handlebars::{Handlebars, TemplateError, no_escape};
use serde::Serialize;

use crate::diagnostic::{Diagnostic, codes};

/// The files of `templates/` by name.
macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../templates/", $name, ".hbs")))),*]
    };
}

const FILES: &[(&str, &str)] = files! {
    "host_header"
    "host_included"
    "host_compute"
    "host_data_begin"
    "host_data_end"
    "host_standalone"
    "host_reads"
    "host_steps"
    "host_copies"
    "host_clauses"
    "host_stays"
    "host_scope"
    "host_settle"
    "host_addresses_begin"
    "host_addresses_end"
    "kernel_file"
    "host_program_data"
    "launcher"
    "launch"
    "record"
    "record_reduction"
};

/// The templates, compiled as they are used.
pub struct Templates {
    registry: RefCell<Handlebars<'static>>,
}

impl Default for Templates {
    fn default() -> Self {
        let mut registry = Handlebars::new();
        registry.register_escape_fn(no_escape);
        registry.set_strict_mode(true);
        Self {
            registry: RefCell::new(registry),
        }
    }
}

impl Templates {
    /// Fills one in.
    ///
    /// # Errors
    /// A key that the context lacks, or a template that does not parse, which a
    /// test of the project excludes.
    pub fn render(&self, name: &str, context: &impl Serialize) -> Result<String, Diagnostic> {
        let mut registry = self.registry.borrow_mut();
        compile(&mut registry, name).map_err(fault)?;
        registry.render(name, context).map_err(fault)
    }
}

fn fault(error: impl Display) -> Diagnostic {
    Diagnostic::global(codes::TEMPLATE, error.to_string())
}

/// Compiles a template and those that it includes, unless that is done.
fn compile(registry: &mut Handlebars<'static>, name: &str) -> Result<(), Box<TemplateError>> {
    if registry.has_template(name) {
        return Ok(());
    }
    let Some(text) = text(name) else {
        return Ok(()); // filling it in says so
    };
    registry.register_template_string(name, text)?;
    included(text).try_for_each(|name| compile(registry, name))
}

/// The text of a template.
fn text(name: &str) -> Option<&'static str> {
    let mut files = FILES.iter();
    files
        .find(|(known, _)| *known == name)
        .map(|(_, text)| *text)
}

/// The names of the templates that a text includes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    let names = text.split("{{> ").skip(1);
    names.filter_map(|rest| rest.split_once("}}").map(|(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_templates_compile_with_those_that_they_include() {
        let templates = Templates::default();
        let mut registry = templates.registry.borrow_mut();
        for (file, text) in FILES {
            compile(&mut registry, file).expect("it parses");
            assert!(included(text).all(|name| registry.has_template(name)));
        }
    }
}
