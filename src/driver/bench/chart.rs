//! Bars as SVG, one group for each size, one bar for each form; of a suite a group for each program.
//!
//! Input: a program's figures. Output: pictures that are readable in light and
//! dark, in the manner of the fcw paper's figures: transactions of device
//! memory on the emulation; on a GPU speed-up, and kernels
//! and launches apart (figures 2 to 8); with other sizes of tiles and blocks,
//! each of these (figure 9). All are against plain directives, or the first
//! form of a program that has none.

use handlebars::Handlebars;
use serde::Serialize;

use super::measure::{FormResult, ProgramResult, SizeResult};
use super::plan::PLAIN;
use super::table::{speed_up, transactions_ratio};
use crate::diagnostic::codes;
use crate::driver::failure::Failure;

/// The picture's frame and styles.
const TEMPLATE: &str = include_str!("../../../templates/bench_chart.hbs");

/// Lengths in pixels.
const BAR: f64 = 34.0;
const WIDEST_BAR: f64 = 72.0;
const GAP: f64 = 26.0;
const LEFT: f64 = 52.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 200.0;
const NARROWEST: f64 = 480.0;
const LEGEND_LINE: f64 = 18.0;
/// Of a character, generously.
const LETTER: f64 = 6.8;

/// The forms that have a colour of their own in every chart.
const COLOURED: [&str; 8] = [
    PLAIN, "cache", "fcw", "textbook", "tuned", "auto", "hicuda", "mesi",
];
const COLOURS: usize = 16;

/// A picture with what it is.
pub(super) struct Chart {
    /// Of its name: `-vary`.
    pub(super) suffix: &'static str,
    /// What it shows.
    pub(super) what: String,
    pub(super) svg: String,
}

#[derive(Serialize)]
struct Picture {
    title: String,
    what: String,
    width: f64,
    height: f64,
    left: f64,
    groups: Vec<Group>,
    marks: Vec<Mark>,
    legend: Vec<Key>,
}

/// The bars of a size.
#[derive(Serialize)]
struct Group {
    size: String,
    middle: f64,
    size_y: f64,
    bars: Vec<Bar>,
}

#[derive(Serialize)]
struct Bar {
    colour: usize,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    /// Of a part at the top that is told apart; 0 for none.
    apart: f64,
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
    colour: usize,
    x: f64,
    text_x: f64,
    y: f64,
    text_y: f64,
    form: String,
}

/// What a bar shows: its value, and how much of that is told apart.
type Value = fn(&SizeResult, Option<&SizeResult>) -> Option<(f64, f64)>;

/// A kind of chart.
struct Kind {
    suffix: &'static str,
    what: &'static str,
    value: Value,
    /// Whether forms with other sizes of tiles and blocks are in it.
    varies: bool,
}

const EMULATED: [Kind; 2] = [
    Kind {
        suffix: "",
        what: "transactions of device memory, which are not time, against BASE (less is better)",
        value: transactions,
        varies: false,
    },
    Kind {
        suffix: "-vary",
        what: "transactions, which are not time, against BASE, by the sizes of tiles and blocks (less is better)",
        value: transactions,
        varies: true,
    },
];

const GPU: [Kind; 3] = [
    Kind {
        suffix: "",
        what: "speed-up over BASE (more is better)",
        value: faster,
        varies: false,
    },
    Kind {
        suffix: "-time",
        what: "kernels and, paler, launching them, against BASE (less is better)",
        value: kernels_and_launches,
        varies: false,
    },
    Kind {
        suffix: "-vary",
        what: "speed-up over BASE, by the sizes of tiles and blocks (more is better)",
        value: faster,
        varies: true,
    },
];

impl Kind {
    /// What it shows of a program.
    fn what(&self, program: &ProgramResult) -> String {
        let base = match program.base.as_str() {
            PLAIN => "plain OpenACC".to_owned(),
            other => format!("the form {other}"),
        };
        self.what.replace(BASE, &base)
    }
}

/// Stands for the form that others are measured against.
const BASE: &str = "BASE";

pub(super) fn transactions(size: &SizeResult, base: Option<&SizeResult>) -> Option<(f64, f64)> {
    Some((transactions_ratio(size.counts.as_ref()?, base)?, 0.0))
}

pub(super) fn faster(size: &SizeResult, base: Option<&SizeResult>) -> Option<(f64, f64)> {
    Some((speed_up(size, base)?, 0.0))
}

fn kernels_and_launches(size: &SizeResult, base: Option<&SizeResult>) -> Option<(f64, f64)> {
    let (own, all) = (size.trace?, base?.trace?.device_seconds());
    (all > 0.0).then(|| (own.device_seconds() / all, own.launching.median / all))
}

/// The pictures; none where there is nothing to compare with.
///
/// # Errors
/// When the template is broken.
pub(super) fn all(program: &ProgramResult, is_emulated: bool) -> Result<Vec<Chart>, Failure> {
    let kinds: &[Kind] = if is_emulated { &EMULATED } else { &GPU };
    let mut charts = Vec::new();
    for kind in kinds {
        let Some(picture) = picture(program, kind) else {
            continue;
        };
        let svg = rendered(&picture)?;
        charts.push(Chart {
            suffix: kind.suffix,
            what: kind.what(program),
            svg,
        });
    }
    Ok(charts)
}

fn rendered(picture: &Picture) -> Result<String, Failure> {
    let rendered = Handlebars::new().render_template(TEMPLATE, picture);
    rendered.map_err(|error| {
        Failure::environment(codes::TEMPLATE, format!("the chart's template: {error}"))
    })
}

/// Bars that lie, a group for each program with its name: some forms of a suite against plain
/// directives, whose bar would be as long as the line. None where there is nothing to compare with.
///
/// # Errors
/// When the template is broken.
#[allow(clippy::cast_precision_loss, reason = "a few bars")]
pub(super) fn of_suite(
    title: &str,
    programs: &[(&str, &ProgramResult)],
    forms: &[&str],
    is_emulated: bool,
) -> Result<Option<String>, Failure> {
    const NAMES: f64 = 128.0;
    const LENGTH: f64 = 400.0;
    const THICK: f64 = 16.0;
    let kind = if is_emulated { &EMULATED[0] } else { &GPU[0] };
    let value = |program: &ProgramResult, name: &str| {
        let form = program.forms.iter().find(|form| form.form == name)?;
        let size = form.sizes.last().filter(|size| size.failure.is_none())?;
        let mut bases = program.base()?.sizes.iter();
        let base = bases.find(|base| base.size == size.size);
        (kind.value)(size, base).map(|(value, _)| value)
    };
    let all = programs.iter();
    let all = all.flat_map(|(_, program)| forms.iter().filter_map(|form| value(program, form)));
    let Some(highest) = all.reduce(f64::max) else {
        return Ok(None);
    };
    let length = |value: f64| LENGTH * value / highest.max(1.0);
    let each = THICK * forms.len() as f64 + 8.0;
    let (mut groups, mut y) = (Vec::new(), TOP + 16.0);
    for (name, program) in programs {
        let values = forms.iter().enumerate().filter_map(|(number, form)| {
            let value = value(program, form)?;
            let y = y + THICK * number as f64;
            Some(Bar {
                colour: colour_of(form, number),
                x: NAMES,
                y,
                width: tenths(length(value)),
                height: THICK - 2.0,
                apart: 0.0,
                middle: tenths(NAMES + length(value) + 20.0),
                label_y: y + 11.0,
                label: format!("{value:.2}"),
            })
        });
        groups.push(Group {
            bars: values.collect(),
            size: (*name).to_owned(),
            middle: NAMES / 2.0,
            size_y: y + each / 2.0,
        });
        y += each;
    }
    let plain = Bar {
        colour: colour_of(PLAIN, 0),
        x: tenths(NAMES + length(1.0)),
        y: TOP + 14.0,
        width: 1.5,
        height: y - TOP - 14.0,
        apart: 0.0,
        middle: tenths(NAMES + length(1.0)),
        label_y: TOP + 10.0,
        label: "1".to_owned(),
    };
    groups.insert(
        0,
        Group {
            size: String::new(),
            middle: 0.0,
            size_y: TOP,
            bars: vec![plain],
        },
    );
    let what = kind.what.replace(BASE, "plain OpenACC");
    let width = (NAMES + LENGTH + 50.0).max(LEFT + tenths(0.92 * text_width(&what)));
    let legend = legend(forms, width, y + 8.0);
    let height = legend.last().map_or(y, |key| key.y) + 22.0;
    rendered(&Picture {
        title: title.to_owned(),
        what,
        width,
        height,
        left: LEFT,
        groups,
        marks: Vec::new(),
        legend,
    })
    .map(Some)
}

fn picture(program: &ProgramResult, kind: &Kind) -> Option<Picture> {
    let own_base = program.base()?;
    let forms: Vec<&FormResult> = shown(program, kind.varies);
    let is_alone = forms.len() < 2;
    if is_alone || (kind.varies && forms.iter().all(|form| form.define.is_none())) {
        return None;
    }
    let value = |form: &FormResult, size: &str| {
        let of = |form: &'_ FormResult| form.sizes.iter().position(|other| other.size == size);
        let base = &own_base.sizes[of(own_base)?];
        (kind.value)(&form.sizes[of(form)?], Some(base))
    };
    let values = own_base
        .sizes
        .iter()
        .flat_map(|size| forms.iter().filter_map(|form| value(form, &size.size)))
        .map(|(height, _)| height);
    let highest = values.fold(1.0_f64, f64::max) * 1.1;
    let base = TOP + HEIGHT;
    let what = kind.what(program);
    let least = NARROWEST.max(LEFT + tenths(0.92 * text_width(&what)));
    let bar_width = bar_width(least, own_base.sizes.len(), forms.len());
    let mut groups = Vec::new();
    let mut x = LEFT + GAP;
    for size in own_base.sizes.iter().map(|size| &size.size) {
        let mut bars = Vec::new();
        let start = x;
        for (number, form) in forms.iter().enumerate() {
            if let Some(value) = value(form, size) {
                bars.push(bar(
                    colour_of(&form.form, number),
                    (x, bar_width),
                    value,
                    highest,
                ));
                x += bar_width;
            }
        }
        if !bars.is_empty() {
            x = x.max(start + text_width(size));
            let middle = tenths((start + x) / 2.0 - 2.0);
            let size = size.clone();
            groups.push(Group {
                size,
                middle,
                size_y: base + 16.0,
                bars,
            });
            x += GAP;
        }
    }
    if groups.is_empty() {
        return None;
    }
    let width = x.max(least);
    let names: Vec<&str> = forms.iter().map(|form| form.form.as_str()).collect();
    let legend = legend(&names, width, base + 34.0);
    let height = legend.last().map_or(base, |key| key.y) + 22.0;
    Some(Picture {
        title: program.name.clone(),
        what,
        width,
        height,
        left: LEFT,
        groups,
        marks: marks(highest, base),
        legend,
    })
}

/// The forms that are in a chart.
fn shown(program: &ProgramResult, varies: bool) -> Vec<&FormResult> {
    let with_variants = |form: &FormResult| {
        let begin = format!("{} ", form.form);
        form.define.is_some()
            || form.form == program.base
            || program
                .forms
                .iter()
                .any(|other| other.form.starts_with(&begin))
    };
    let is_shown = |form: &&FormResult| match varies {
        true => with_variants(form),
        false => form.define.is_none(),
    };
    program.forms.iter().filter(is_shown).collect()
}

/// The same for a form in all charts; others by their place.
fn colour_of(form: &str, number: usize) -> usize {
    let own = COLOURED.iter().position(|name| *name == form);
    own.unwrap_or(COLOURED.len() + number % (COLOURS - COLOURED.len()))
}

/// As wide as leaves no room unused, within reason.
#[allow(clippy::cast_precision_loss, reason = "a few bars")]
fn bar_width(least: f64, groups: usize, bars: usize) -> f64 {
    let gaps = GAP * (groups + 1) as f64;
    let room = (least - LEFT - gaps) / (groups * bars).max(1) as f64;
    room.floor().clamp(BAR, WIDEST_BAR)
}

fn bar(colour: usize, (x, width): (f64, f64), (value, apart): (f64, f64), highest: f64) -> Bar {
    let base = TOP + HEIGHT;
    let height = HEIGHT * value / highest;
    Bar {
        colour,
        x: tenths(x),
        y: tenths(base - height),
        width: width - 4.0,
        height: tenths(height),
        apart: tenths(HEIGHT * apart / highest),
        middle: tenths(x + width / 2.0 - 2.0),
        label_y: tenths(base - height - 5.0),
        label: format!("{value:.2}"),
    }
}

/// The forms in lines that are no wider than the picture.
fn legend(forms: &[&str], width: f64, top: f64) -> Vec<Key> {
    let (mut x, mut y) = (LEFT, top);
    let mut keys = Vec::new();
    for (number, form) in forms.iter().enumerate() {
        let own = 16.0 + text_width(form);
        if x + own > width && x > LEFT {
            (x, y) = (LEFT, y + LEGEND_LINE);
        }
        keys.push(Key {
            colour: colour_of(form, number),
            x: tenths(x),
            text_x: tenths(x + 16.0),
            y,
            text_y: y + 10.0,
            form: (*form).to_owned(),
        });
        x += own + 16.0;
    }
    keys
}

/// About how wide a text is.
#[allow(clippy::cast_precision_loss, reason = "a few letters")]
fn text_width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
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
