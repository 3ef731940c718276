//! Launches: what the kernel uses is brought to the device, and logical threads are laid onto
//! blocks.

use std::collections::BTreeMap;
use std::ops::Range;

use super::accesses::{Access, Effect};
use super::mapping::{self, Choice};
use super::transfers::Host;
use super::{kernels, shares, split};
use crate::diagnostic::codes;
use crate::front::cuda::Launch;

/// What a launch uses, by the names of the host.
pub fn used(
    host: &Host<'_, '_>,
    launch: &Launch,
    arguments: &[Access],
) -> BTreeMap<String, Effect> {
    let mut all: BTreeMap<String, Effect> = BTreeMap::new();
    for one in arguments {
        let known = all.entry(one.name.clone()).or_default();
        *known = *known | one.effect;
    }
    let tokens = host.tokens();
    for (variable, effect) in shares::used(host.code, host.summaries, tokens.at(launch.kernel)) {
        if !host.summaries.values.contains(&variable) {
            let name = host.code.variables[variable].name();
            let known = all.entry(name.to_owned()).or_default();
            *known = *known | effect;
        }
    }
    all
}

/// What brings that to the device.
pub fn device_lines(
    host: &Host<'_, '_>,
    launch: &Launch,
    all: &BTreeMap<String, Effect>,
) -> Vec<String> {
    let stream = stream(host, launch).unwrap_or_default();
    let of = |writes: bool, way: &str| {
        let own = all
            .iter()
            .filter(move |(_, effect)| effect.is_any() && effect.writes == writes);
        own.map(|(name, _)| host.call(name, way, &stream) + ";")
            .collect::<Vec<String>>()
    };
    [of(false, "device_reads"), of(true, "device_writes")].concat()
}

/// The stream of a launch, if that is an expression which can be repeated: empty for the default one.
pub fn stream(host: &Host<'_, '_>, launch: &Launch) -> Option<String> {
    let parts = host.tokens().parts(launch.first..launch.close);
    match parts.get(3).filter(|_| !launch.is_logical) {
        None => Some(String::new()),
        Some(part) => {
            let text = host.code.files[0].text_of(part.clone());
            mapping::repeated(&text).map(str::to_owned)
        }
    }
}

/// What is said right before a launch and behind it of what it uses, so that copies wait for it alone.
pub fn tracked(
    host: &Host<'_, '_>,
    launch: &Launch,
    statement: &Range<usize>,
) -> [Option<String>; 2] {
    let tokens = host.tokens();
    let end = tokens.bracket_end(launch.arguments);
    let is_statement =
        statement.start == launch.kernel && tokens.at(end + 1) == b";" && statement.end == end + 2;
    match stream(host, launch).filter(|_| is_statement) {
        Some(stream) => [None, Some(format!("accrs_mesi::launched({stream});"))],
        None => [Some("accrs_mesi::untracked();".to_owned()), None],
    }
}

/// A launch on a logical grid becomes one on CUDA's.
pub fn edit(
    host: &mut Host<'_, '_>,
    launch: &Launch,
    statement: &Range<usize>,
    used: &BTreeMap<String, Effect>,
    [lines, of_device, after]: [&[String]; 3],
) {
    let tokens = host.tokens();
    let place = tokens.range(launch.kernel, launch.open - 1);
    let end = tokens.bracket_end(launch.arguments);
    let is_statement =
        statement.start == launch.kernel && tokens.at(end + 1) == b";" && statement.end == end + 2;
    if !is_statement || launch.kernel + 1 != launch.open {
        let message = "a launch on a logical grid is no statement by itself";
        let help = "write `kernel<[< … >]>(…);` as a statement of its own";
        host.problems.error(codes::MESI_GRID, message, place, help);
        return;
    }
    let dimensions = tokens.parts(launch.first..launch.close);
    let kernel = tokens.word(launch.kernel);
    let text = |part: &Range<usize>| host.code.files[0].text_of(part.clone());
    let extents: Vec<String> = dimensions.iter().map(text).collect();
    let number = host.code.named(tokens.at(launch.kernel)).next();
    let exchange = number.and_then(|(number, _)| host.exchanges.get(&number));
    let cache = number.and_then(|(number, _)| host.caches.get(&number));
    let choice = mapping::choose(host, launch, &dimensions, exchange, cache);
    let Some(choice) = choice else {
        return;
    };
    let grid = host.code.free_name("grid");
    let sizes = extents.join(", ");
    let exchanged = exchange.zip(number).and_then(|(exchange, (_, kernel))| {
        let bounds = exchange.bounds(host.code, kernel, launch)?;
        Some(format!(".exchanged({bounds})"))
    });
    let exchanged = exchanged.unwrap_or_default();
    let fit = |order: &str, shared: bool| {
        let rows = match (shared, cache) {
            (true, Some(_)) => "true, true",
            (true, None) => "true",
            (false, _) => "false",
        };
        [
            format!("auto {grid} = accrs_mesi::grid({order}, {sizes}){exchanged};"),
            format!("if ({grid}.fit({kernel}<decltype({grid})>, {rows}))"),
        ]
    };
    let slices = slices(host, launch, used, place.clone());
    let mut all = lines.to_vec();
    if slices.is_none() {
        all.extend(of_device.iter().cloned());
    }
    let (order, shared) = match &choice {
        Choice::Known { x, y, shared } => (format!("accrs_mesi::Order<{x}, {y}>()"), *shared),
        Choice::Open { weights } => {
            let order = host.code.free_name("order");
            let weights = weights.join(", ");
            all.push(format!(
                "accrs_mesi::choose({{{weights}}}, [&](auto {order}) {{"
            ));
            (order, false)
        }
    };
    let is_open = matches!(choice, Choice::Open { .. });
    let step = if is_open { "    " } else { "" };
    let mut close: Vec<String> = after.to_vec();
    let part = match &slices {
        None => {
            all.extend(
                fit(&order, shared)
                    .iter()
                    .map(|line| format!("{step}{line}")),
            );
            grid.clone()
        }
        Some(slices) => {
            let part = host.code.free_name("part");
            let [own, fits] = fit(&order, shared);
            all.push(format!("{step}{own}"));
            let kept = exchange.map_or(-1, |exchange| exchange.dimension as isize);
            all.extend(
                slices
                    .lines(&grid, kept, &part)
                    .iter()
                    .map(|line| format!("{step}{line}")),
            );
            all.push(format!("{step}    {}", fits.replace(&grid, &part)));
            close = close
                .iter()
                .map(|line| format!("{step}    {line}"))
                .collect();
            close.push(format!("{step}}});"));
            part
        }
    };
    if is_open {
        let at = if slices.is_some() { close.len() } else { 0 };
        close.insert(at, "});".to_owned());
    }
    let call = format!(
        "{kernel}{0}{0}{0}{part}.blocks(), {part}.threads(){1}{1}{1}",
        "<", ">"
    );
    let source = host.code.files[0].text();
    host.edits.open_block(source, place.start, &all);
    host.edits
        .replace(tokens.range(launch.kernel, launch.arguments - 1), &call);
    let given = [
        vec![part],
        shares::launched(host.code, host.summaries, launch),
    ]
    .concat();
    kernels::give(tokens, launch.arguments, &given, host.edits);
    host.edits.close_block(
        source,
        place.start,
        tokens.range(end + 1, end + 1).end,
        &close,
    );
}

/// What the slices of a grid use, each of which is on a device of its own.
struct Slices {
    most: u32,
    uses: Vec<String>,
    name: String,
}

impl Slices {
    /// What stands before the launch of a slice.
    fn lines(&self, grid: &str, kept: isize, part: &str) -> Vec<String> {
        let Self { most, uses, name } = self;
        let mut lines = vec![format!(
            "accrs_mesi::split({most}, {grid}, {kept}, [&](auto &{name}, auto lGrid, auto lThread) {{"
        )];
        lines.extend(uses.iter().map(|line| format!("    {line}")));
        lines.push(format!("}}, [&](auto {part}) {{"));
        lines
    }
}

/// The slices of a launch, if grids are cut and this one can be.
fn slices(
    host: &mut Host<'_, '_>,
    launch: &Launch,
    used: &BTreeMap<String, Effect>,
    place: Range<usize>,
) -> Option<Slices> {
    let most = split::devices(host.code)?;
    let name = host.code.free_name("uses");
    match split::uses(host, launch, used, &name) {
        Ok(uses) => Some(Slices { most, uses, name }),
        Err(reason) => {
            let kernel = host.tokens().word(launch.kernel);
            let message = format!("the grid of `{kernel}` is not split over devices");
            host.problems
                .warning(codes::MESI_WHOLE, message, place, reason);
            None
        }
    }
}
