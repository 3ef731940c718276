//! The templates: all fixed text of generated files.
//!
//! A template never decides: it gets a complete, typed context. Templates are
//! compiled into the binary; a missing key is an error (strict mode).

use handlebars::{Handlebars, no_escape};
use serde::Serialize;

use crate::diagnostic::{Diagnostic, codes};

/// Every template by name.
const TEMPLATES: &[(&str, &str)] = &[
    (
        "host_header",
        include_str!("../../templates/host_header.hbs"),
    ),
    (
        "host_included",
        include_str!("../../templates/host_included.hbs"),
    ),
    (
        "host_compute",
        include_str!("../../templates/host_compute.hbs"),
    ),
    (
        "host_data_begin",
        include_str!("../../templates/host_data_begin.hbs"),
    ),
    (
        "host_data_end",
        include_str!("../../templates/host_data_end.hbs"),
    ),
    (
        "host_standalone",
        include_str!("../../templates/host_standalone.hbs"),
    ),
    ("host_reads", include_str!("../../templates/host_reads.hbs")),
    ("host_steps", include_str!("../../templates/host_steps.hbs")),
    (
        "host_copies",
        include_str!("../../templates/host_copies.hbs"),
    ),
    (
        "host_clauses",
        include_str!("../../templates/host_clauses.hbs"),
    ),
    ("host_scope", include_str!("../../templates/host_scope.hbs")),
    (
        "host_addresses_begin",
        include_str!("../../templates/host_addresses_begin.hbs"),
    ),
    (
        "host_addresses_end",
        include_str!("../../templates/host_addresses_end.hbs"),
    ),
    (
        "kernel_file",
        include_str!("../../templates/kernel_file.hbs"),
    ),
    (
        "device_global",
        include_str!("../../templates/device_global.hbs"),
    ),
    (
        "host_program_data",
        include_str!("../../templates/host_program_data.hbs"),
    ),
    ("kernel", include_str!("../../templates/kernel.hbs")),
    ("launcher", include_str!("../../templates/launcher.hbs")),
    ("launch", include_str!("../../templates/launch.hbs")),
    (
        "device_function",
        include_str!("../../templates/device_function.hbs"),
    ),
    ("record", include_str!("../../templates/record.hbs")),
    (
        "record_reduction",
        include_str!("../../templates/record_reduction.hbs"),
    ),
    ("position", include_str!("../../templates/position.hbs")),
    ("tile", include_str!("../../templates/tile.hbs")),
    ("window", include_str!("../../templates/window.hbs")),
    ("phrase", include_str!("../../templates/phrase.hbs")),
];

/// The compiled templates.
pub struct Templates {
    registry: Handlebars<'static>,
}

impl Templates {
    /// Compiles all.
    ///
    /// # Errors
    /// A template that does not parse, which a test of the project excludes.
    pub fn new() -> Result<Self, Diagnostic> {
        let mut registry = Handlebars::new();
        registry.register_escape_fn(no_escape);
        registry.set_strict_mode(true);
        for (name, text) in TEMPLATES {
            registry
                .register_template_string(name, text)
                .map_err(|error| Diagnostic::global(codes::TEMPLATE, error.to_string()))?;
        }
        Ok(Self { registry })
    }

    /// Fills one in.
    ///
    /// # Errors
    /// A key that the context lacks.
    pub fn render(&self, name: &str, context: &impl Serialize) -> Result<String, Diagnostic> {
        self.registry
            .render(name, context)
            .map_err(|error| Diagnostic::global(codes::TEMPLATE, error.to_string()))
    }
}
