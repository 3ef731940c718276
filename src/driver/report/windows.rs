//! Windows as pictures.
//!
//! Input: a window's slots, the block, what each thread asks for. Output: a cell for each slot,
//! with the thread that fills it and the thread whose pivot it is. Slots that are no thread's
//! pivot are the halo. Of many slots the first and last ones are drawn.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::driver::shown::{ShownDimension, ShownWindow};
use crate::ir::{OwnSlots, slot_order};

/// Slots along a side that are drawn: all of so many, else the first and last half of them.
const COLUMNS: u64 = 14;
const ROWS: u64 = 10;
/// Lengths in pixels.
const WIDTH: u64 = 46;
const HEIGHT: u64 = 34;
const GAP: u64 = 26;
const LEFT: u64 = 40;
const TOP: u64 = 24;

/// A window.
#[derive(Serialize)]
pub(super) struct Picture {
    id: String,
    array: String,
    text: String,
    kernel: String,
    /// The row of its directive; empty for none.
    to: String,
    line: u32,
    facts: Vec<String>,
    /// Why there is no drawing; empty if there is one.
    why: String,
    drawing: Drawing,
}

#[derive(Default, Serialize)]
struct Drawing {
    width: u64,
    height: u64,
    cells: Vec<Cell>,
    numbers: Vec<Number>,
    /// Whose slots are outlined; empty for none.
    reader: String,
    /// The subscripts of the plane that is drawn, of more than two dimensions.
    plane: String,
    has_halo: bool,
    has_pivots: bool,
    is_filled: bool,
}

#[derive(Serialize)]
struct Cell {
    x: u64,
    y: u64,
    width: u64,
    height: u64,
    /// Where its texts are.
    middle: u64,
    upper: u64,
    lower: u64,
    class: &'static str,
    is_read: bool,
    title: String,
    filler: String,
    pivot: String,
}

/// The number of a row or column, or dots where some are left out.
#[derive(Serialize)]
struct Number {
    x: u64,
    y: u64,
    text: String,
}

type Thread = [u64; 3];

impl Picture {
    /// A window; `unit` begins the ids of its file.
    pub(super) fn new(id: &str, unit: &str, window: &ShownWindow) -> Self {
        let drawing = drawing(window);
        Self {
            id: id.to_owned(),
            array: window.array.clone(),
            text: window.text.clone(),
            kernel: window.kernel.clone(),
            to: match window.line {
                0 => String::new(),
                line => format!("{unit}-s{line}"),
            },
            line: window.line,
            facts: facts(window),
            why: match &drawing {
                Ok(_) => String::new(),
                Err(why) => (*why).to_owned(),
            },
            drawing: drawing.unwrap_or_default(),
        }
    }
}

/// What is known, in words.
fn facts(window: &ShownWindow) -> Vec<String> {
    let extents: Option<Vec<u64>> = window.dimensions.iter().map(|d| d.extent).collect();
    let mut facts = Vec::new();
    if let Some(extents) = &extents {
        let by: Vec<String> = extents.iter().map(u64::to_string).collect();
        let slots: u64 = extents.iter().product();
        facts.push(format!(
            "{} slots, {} bytes",
            by.join(" × "),
            slots * window.element
        ));
    }
    if let Some([x, y, z]) = window.block {
        let most = if window.may_shrink { " at most" } else { "" };
        facts.push(format!("block {x} × {y} × {z}{most}"));
    }
    let firsts = window.dimensions.iter().map(|d| format!("[{}]", d.first));
    facts.push(format!(
        "its first slot is {}{}",
        window.array,
        firsts.collect::<String>()
    ));
    let reach = |own: &OwnSlots| format!("{} before, {} after", own.before, own.after);
    let reaches: Option<Vec<String>> = window
        .dimensions
        .iter()
        .map(|d| d.own.as_ref().map(reach))
        .collect();
    if let Some(reaches) = reaches {
        facts.push(format!("each thread reaches {}", reaches.join(" and ")));
    }
    facts.extend(window.facts.iter().map(|fact| (*fact).to_owned()));
    facts
}

/// The cells, or why there are none.
fn drawing(window: &ShownWindow) -> Result<Drawing, &'static str> {
    let extents: Option<Vec<u64>> = window.dimensions.iter().map(|d| d.extent).collect();
    let (Some(extents), Some(block)) = (extents, window.block) else {
        return Err("Each launch decides its size, so there is no drawing.");
    };
    let (rows, columns) = match extents.as_slice() {
        [columns] => (1, *columns),
        [.., rows, columns] => (*rows, *columns),
        [] => return Err("It has no dimensions."),
    };
    // Of more dimensions, the plane in which the first thread's own slot is.
    let planes = window
        .dimensions
        .iter()
        .take(extents.len().saturating_sub(2));
    let own = |d: &ShownDimension| d.own.as_ref().map_or(0, |own| own.first + own.before);
    let outer: Vec<u64> = planes.map(|d| u64::try_from(own(d)).unwrap_or(0)).collect();
    let slot = |row: u64, column: u64| match extents.len() {
        1 => vec![column],
        _ => [outer.as_slice(), &[row, column]].concat(),
    };
    let order = {
        let known: Vec<Option<u64>> = extents.iter().copied().map(Some).collect();
        slot_order(&known, &block.map(Some))
    };
    let owners = owners(window, block);
    let reader = owners
        .is_some()
        .then(|| block.map(|threads| 2.min(threads.saturating_sub(1))));
    let read = reader.and_then(|thread| ranges(window, thread));
    let is_filled = window.facts.first() == Some(&"filled from the array");
    let mut drawing = Drawing {
        reader: reader
            .filter(|_| read.is_some())
            .map(|t| name(t, block))
            .unwrap_or_default(),
        plane: outer.iter().map(|at| format!("[{at}]")).collect(),
        has_pivots: owners.is_some(),
        is_filled,
        ..Drawing::default()
    };
    let (across, down) = (
        places(columns, COLUMNS, WIDTH, LEFT),
        places(rows, ROWS, HEIGHT, TOP),
    );
    for (row, y) in down.iter().filter_map(|(row, y)| Some(((*row)?, *y))) {
        for (column, x) in across
            .iter()
            .filter_map(|(column, x)| Some(((*column)?, *x)))
        {
            let slot = slot(row, column);
            let owner = owners.as_ref().map(|owners| owners.get(&slot).copied());
            let class = match owner {
                None => "slot",
                Some(Some(_)) => "pivot",
                Some(None) => "halo",
            };
            drawing.has_halo |= class == "halo";
            let filler = order.thread_of(&slot, &extents, block);
            let is_read = read.as_ref().is_some_and(|ranges| {
                let mut within = ranges.iter().zip(&slot);
                within.all(|((from, to), at)| (*from..=*to).contains(&i128::from(*at)))
            });
            let filler = if is_filled {
                name(filler, block)
            } else {
                String::new()
            };
            let pivot = owner
                .flatten()
                .map(|thread| name(thread, block))
                .unwrap_or_default();
            drawing.cells.push(Cell {
                x,
                y,
                width: WIDTH,
                height: HEIGHT,
                middle: x + WIDTH / 2,
                upper: y + 14,
                lower: y + 28,
                class,
                is_read,
                title: told(&slot, &filler, &pivot, class),
                filler,
                pivot,
            });
        }
    }
    let number = |index: Option<u64>| index.map_or_else(|| "…".to_owned(), |n| n.to_string());
    for (column, x) in &across {
        let half = if column.is_some() { WIDTH / 2 } else { GAP / 2 };
        let text = number(*column);
        drawing.numbers.push(Number {
            x: x + half,
            y: TOP - 8,
            text,
        });
    }
    for (row, y) in down.iter().filter(|_| rows > 1) {
        let half = if row.is_some() { HEIGHT / 2 } else { GAP / 2 };
        let text = number(*row);
        drawing.numbers.push(Number {
            x: LEFT / 2,
            y: y + half + 4,
            text,
        });
    }
    drawing.width = across.last().map_or(0, |(_, x)| x + WIDTH + 2);
    drawing.height = down.last().map_or(0, |(_, y)| y + HEIGHT + 2);
    Ok(drawing)
}

/// The slots that are drawn along a side, with where; `None` is what is left out.
fn places(extent: u64, most: u64, size: u64, start: u64) -> Vec<(Option<u64>, u64)> {
    let shown: Vec<Option<u64>> = match extent <= most {
        true => (0..extent).map(Some).collect(),
        false => (0..most / 2)
            .map(Some)
            .chain([None])
            .chain((extent - most / 2..extent).map(Some))
            .collect(),
    };
    let mut at = start;
    let place = |index: Option<u64>| {
        let place = (index, at);
        at += if index.is_some() { size } else { GAP };
        place
    };
    shown.into_iter().map(place).collect()
}

/// Of each dimension, the first and last slot that a thread asks for.
fn ranges(window: &ShownWindow, thread: Thread) -> Option<Vec<(i128, i128)>> {
    let range = |own: &OwnSlots| {
        let moved = own
            .axes
            .iter()
            .map(|(axis, step)| step * i128::from(thread[*axis]));
        let from = own.first + moved.sum::<i128>();
        (from, from + own.before + own.after)
    };
    window
        .dimensions
        .iter()
        .map(|d| d.own.as_ref().map(range))
        .collect()
}

/// The first thread whose pivot a slot is; `None` where that is not known.
fn owners(window: &ShownWindow, block: Thread) -> Option<BTreeMap<Vec<u64>, Thread>> {
    let mut owners = BTreeMap::new();
    for z in 0..block[2] {
        for y in 0..block[1] {
            for x in 0..block[0] {
                let ranges = ranges(window, [x, y, z])?;
                let own = window.dimensions.iter().zip(ranges);
                let slot: Option<Vec<u64>> = own
                    .map(|(d, (from, _))| u64::try_from(from + d.own.as_ref()?.before).ok())
                    .collect();
                owners.entry(slot?).or_insert([x, y, z]);
            }
        }
    }
    Some(owners)
}

/// A thread by its indices along the axes that the block has.
fn name(thread: Thread, block: Thread) -> String {
    let axes = block
        .iter()
        .rposition(|threads| *threads > 1)
        .map_or(1, |last| last + 1);
    let indices: Vec<String> = thread[..axes].iter().map(u64::to_string).collect();
    indices.join(",")
}

fn told(slot: &[u64], filler: &str, pivot: &str, class: &str) -> String {
    let subscripts: String = slot.iter().map(|at| format!("[{at}]")).collect();
    let mut told = format!("slot {subscripts}");
    if !filler.is_empty() {
        told += &format!(", filled by thread {filler}");
    }
    match class {
        "halo" => told += ", halo",
        "pivot" => told += &format!(", pivot of thread {pivot}"),
        _ => {}
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(extents: &[u64], block: Thread) -> ShownWindow {
        let axes = [1, 0];
        let dimension = |(depth, extent): (usize, &u64)| ShownDimension {
            extent: Some(*extent),
            first: "i_first - 1".into(),
            own: Some(OwnSlots {
                first: 0,
                before: 1,
                after: 1,
                axes: vec![(axes[depth + 2 - extents.len()], 1)],
            }),
        };
        ShownWindow {
            kernel: "k".into(),
            line: 3,
            array: "a".into(),
            text: "a[i:1:1]".into(),
            facts: vec!["filled from the array"],
            element: 8,
            block: Some(block),
            may_shrink: false,
            dimensions: extents.iter().enumerate().map(dimension).collect(),
        }
    }

    #[test]
    fn ends_are_halo_and_all_slots_have_a_thread() {
        let drawing = drawing(&window(&[10], [8, 1, 1])).expect("all is known");
        let classes: Vec<&str> = drawing.cells.iter().map(|cell| cell.class).collect();
        assert_eq!(classes[0], "halo");
        assert_eq!(classes[9], "halo");
        assert!(classes[1..9].iter().all(|class| *class == "pivot"));
        let fillers: Vec<&str> = drawing
            .cells
            .iter()
            .map(|cell| cell.filler.as_str())
            .collect();
        assert_eq!(fillers, ["0", "1", "2", "3", "4", "5", "6", "7", "0", "1"]);
        let read: Vec<usize> = (0..10).filter(|at| drawing.cells[*at].is_read).collect();
        assert_eq!((drawing.reader.as_str(), read), ("2", vec![2, 3, 4]));
    }

    #[test]
    fn of_many_slots_the_first_and_last_are_drawn() {
        let drawing = drawing(&window(&[34, 34], [32, 32, 1])).expect("all is known");
        assert_eq!(drawing.cells.len() as u64, ROWS * COLUMNS);
        let first_row = &drawing.cells[..14];
        assert!(first_row.iter().all(|cell| cell.class == "halo"));
        assert_eq!(
            drawing.cells[15].title,
            "slot [1][1], filled by thread 1,1, pivot of thread 0,0"
        );
        let last = drawing.cells.last().expect("there are cells");
        assert_eq!(last.title, "slot [33][33], filled by thread 1,1, halo");
    }

    #[test]
    fn what_a_launch_decides_is_not_drawn() {
        let mut window = window(&[10], [8, 1, 1]);
        window.dimensions[0].extent = None;
        assert!(drawing(&window).is_err());
    }
}
