//! All that a run brought as one HTML file, with an overview.
//!
//! Input: the figures. Output: a page that needs no other file: what each form of each program
//! comes to against its base, in the largest size; then each program's charts and tables.

use std::fs;
use std::path::Path;

use handlebars::Handlebars;
use indexmap::IndexSet;
use serde::Serialize;

use super::measure::{FormResult, ProgramResult};
use super::{Figures, chart, report, table};
use crate::diagnostic::codes;
use crate::driver::failure::Failure;
use crate::driver::output::unwritable;
use crate::driver::report::STYLE;

const TEMPLATE: &str = include_str!("../../../templates/bench_page.hbs");

/// What makes a picture a file of its own, and is no part of a page.
const NAMESPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

#[derive(Serialize)]
struct Page {
    version: &'static str,
    style: &'static str,
    date: String,
    command: String,
    machine: String,
    legend: String,
    overview: &'static str,
    forms: Vec<String>,
    programs: Vec<Program>,
}

#[derive(Serialize)]
struct Program {
    id: String,
    name: String,
    title: String,
    /// One a form of the page.
    cells: Vec<Cell>,
    charts: Vec<Picture>,
    table: String,
}

#[derive(Serialize)]
struct Cell {
    /// Empty where there is none.
    value: String,
    /// `better`, `worse` or `same` as the base.
    class: &'static str,
}

#[derive(Serialize)]
struct Picture {
    svg: String,
}

/// Writes the page; an earlier one is replaced.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(path: &Path, figures: &Figures) -> Result<(), Failure> {
    let is_emulated = figures.is_emulated();
    let all = figures.programs.iter().flat_map(|program| &program.forms);
    let plain = all.filter(|form| form.define.is_none());
    let forms: IndexSet<&str> = plain.map(|form| form.form.as_str()).collect();
    let programs = (1..).zip(&figures.programs).map(|(number, program)| {
        let charts = chart::all(program, is_emulated)?.into_iter();
        Ok(Program {
            id: format!("p{number}"),
            name: program.name.clone(),
            title: program.title.clone(),
            cells: forms
                .iter()
                .map(|form| cell(program, form, is_emulated))
                .collect(),
            charts: charts
                .map(|chart| Picture {
                    svg: chart.svg.replace(NAMESPACE, ""),
                })
                .collect(),
            table: table::text(program, is_emulated),
        })
    });
    let page = Page {
        version: figures.version,
        style: STYLE,
        date: figures.record.date.clone(),
        command: figures.record.command.clone(),
        machine: report::machine(figures),
        legend: report::legend(is_emulated).replace('*', ""),
        overview: match is_emulated {
            true => {
                "Transactions of device memory, as a part of the base's: less is better. They are not \
                 time: caches, occupancy and arithmetic decide on that as well."
            }
            false => "Speed-up over the base: more is better.",
        },
        programs: programs.collect::<Result<_, Failure>>()?,
        forms: forms.iter().map(|form| (*form).to_owned()).collect(),
    };
    let mut registry = Handlebars::new();
    registry.set_strict_mode(true);
    let text = registry.render_template(TEMPLATE, &page).map_err(|error| {
        Failure::environment(codes::TEMPLATE, format!("the page's template: {error}"))
    })?;
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// A form in the largest size that it and the base have run.
fn cell(program: &ProgramResult, form: &str, is_emulated: bool) -> Cell {
    let own = program.forms.iter().find(|own| own.form == form);
    let value = own.and_then(|own| against_base(program, own, is_emulated));
    let class = match value {
        Some(value) if (value - 1.0).abs() < 0.005 => "same",
        Some(value) if (value < 1.0) == is_emulated => "better",
        Some(_) => "worse",
        None => "same",
    };
    Cell {
        value: value.map(|value| format!("{value:.2}")).unwrap_or_default(),
        class,
    }
}

fn against_base(program: &ProgramResult, form: &FormResult, is_emulated: bool) -> Option<f64> {
    let size = form.sizes.last()?;
    let base = program
        .base()?
        .sizes
        .iter()
        .find(|base| base.size == size.size);
    let value = match is_emulated {
        true => chart::transactions(size, base),
        false => chart::faster(size, base),
    };
    value.map(|(value, _)| value)
}
