//! Bars as SVG, one group for each size, one bar for each form.
//!
//! Input: a program's figures. Output: a picture that is readable in light and
//! dark: transactions of device memory on the emulation, speed-up over the
//! plain form on a GPU, both against plain directives.

use handlebars::Handlebars;
use serde::Serialize;

use super::measure::{ProgramResult, SizeResult};
use super::plan::PLAIN;
use super::table::transactions_ratio;
use crate::diagnostic::codes;
use crate::driver::failure::Failure;

/// The picture's frame and styles.
const TEMPLATE: &str = include_str!("../../../templates/bench_chart.hbs");

/// Lengths in pixels.
const BAR: f64 = 34.0;
const GAP: f64 = 26.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 200.0;
const BELOW: f64 = 56.0;

#[derive(Serialize)]
struct Picture {
    title: String,
    what: &'static str,
    width: f64,
    height: f64,
    left: f64,
    /// Of the names of sizes.
    size_y: f64,
    groups: Vec<Group>,
    marks: Vec<Mark>,
    legend: Vec<Key>,
}

/// The bars of a size.
#[derive(Serialize)]
struct Group {
    size: String,
    middle: f64,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    number: usize,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    middle: f64,
    label_y: f64,
    label: String,
}

/// A horizontal line with its value.
#[derive(Serialize)]
struct Mark {
    y: f64,
    label_y: f64,
    label: String,
}

/// A form in the legend.
#[derive(Serialize)]
struct Key {
    number: usize,
    x: f64,
    text_x: f64,
    y: f64,
    text_y: f64,
    form: String,
}

/// The picture; none where there is nothing to compare with plain directives.
///
/// # Errors
/// When the template is broken.
pub(super) fn svg(program: &ProgramResult, is_emulated: bool) -> Result<Option<String>, Failure> {
    let Some(picture) = picture(program, is_emulated) else {
        return Ok(None);
    };
    let rendered = Handlebars::new().render_template(TEMPLATE, &picture);
    let text = rendered.map_err(|error| {
        Failure::environment(codes::TEMPLATE, format!("the chart's template: {error}"))
    })?;
    Ok(Some(text))
}

#[allow(clippy::cast_precision_loss, reason = "a few bars")]
fn picture(program: &ProgramResult, is_emulated: bool) -> Option<Picture> {
    let plain = program.forms.iter().find(|form| form.form == PLAIN)?;
    let ratio = |size: &SizeResult| {
        let other = plain.sizes.iter().find(|other| other.size == size.size)?;
        if is_emulated {
            transactions_ratio(size.counts.as_ref()?, Some(other))
        } else {
            Some(other.seconds?.median / size.seconds?.median)
        }
    };
    let ratios = program
        .forms
        .iter()
        .flat_map(|form| &form.sizes)
        .filter_map(ratio);
    let highest = ratios.fold(1.0_f64, f64::max) * 1.1;
    let base = TOP + HEIGHT;
    let mut groups = Vec::new();
    let mut x = LEFT + GAP;
    for plain_size in &plain.sizes {
        let start = x;
        let mut bars = Vec::new();
        for (number, form) in program.forms.iter().enumerate() {
            let size = form.sizes.iter().find(|size| size.size == plain_size.size);
            let Some(value) = size.and_then(ratio) else {
                continue;
            };
            let height = HEIGHT * value / highest;
            bars.push(Bar {
                number,
                x,
                y: tenths(base - height),
                width: BAR - 4.0,
                height: tenths(height),
                middle: x + BAR / 2.0 - 2.0,
                label_y: tenths(base - height - 5.0),
                label: format!("{value:.2}"),
            });
            x += BAR;
        }
        if !bars.is_empty() {
            groups.push(Group {
                size: plain_size.size.clone(),
                middle: (start + x) / 2.0 - 2.0,
                bars,
            });
            x += GAP;
        }
    }
    if groups.is_empty() {
        return None;
    }
    let key = |(number, form): (usize, &super::measure::FormResult)| {
        let x = LEFT + 90.0 * number as f64;
        Key {
            number,
            x,
            text_x: x + 16.0,
            y: base + 34.0,
            text_y: base + 44.0,
            form: form.form.clone(),
        }
    };
    Some(Picture {
        title: program.name.clone(),
        what: if is_emulated {
            "transactions of device memory against plain OpenACC (less is better)"
        } else {
            "speed-up over plain OpenACC (more is better)"
        },
        width: x
            .max(LEFT + 90.0 * program.forms.len() as f64 + GAP)
            .max(480.0),
        height: base + BELOW,
        left: LEFT,
        size_y: base + 16.0,
        groups,
        marks: marks(highest, base),
        legend: program.forms.iter().enumerate().map(key).collect(),
    })
}

/// Finer than anybody sees.
fn tenths(pixels: f64) -> f64 {
    (pixels * 10.0).round() / 10.0
}

/// Lines at round values, four or five of them.
fn marks(highest: f64, base: f64) -> Vec<Mark> {
    let rough = highest / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough)
        .unwrap_or(rough);
    let mut marks = Vec::new();
    let mut value = 0.0;
    while value <= highest {
        let y = tenths(base - HEIGHT * value / highest);
        marks.push(Mark {
            y,
            label_y: tenths(y + 4.0),
            label: format!("{value:.2}")
                .trim_end_matches('0')
                .trim_end_matches('.')
                .to_owned(),
        });
        value += step;
    }
    marks
}
