//! What the runtime did, as `ACCRS_TRACE=1` tells it, added up to be compared with a ledger.
//!
//! A ledger is what a program's data clauses and constructs ask for: lines of
//! `EVENT NAME QUEUE COUNT BYTES`, separated by tabs. A launch has the name of the function that its
//! construct stands in, or that of the variable whose reduction it finishes, and no bytes.

use std::collections::BTreeMap;

/// Event, name and queue.
type Key = (String, String, String);

/// How often, and how many bytes in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    bytes: u64,
}

/// Events of one kind and one array, added up.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    sums: BTreeMap<Key, Sum>,
}

/// The events that move data or run something. Allocations are compared with releases instead.
const COUNTED: &[&str] = &[
    "to-device",
    "to-host",
    "clear",
    "attach",
    "detach",
    "launch",
];

/// The beginning of a line of the trace.
const PREFIX: &str = "accrs trace: ";

impl Ledger {
    /// Reads what a program expects.
    pub fn expected(text: &str) -> Result<Self, String> {
        let mut ledger = Self::default();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let [event, name, queue, count, bytes] = fields[..] else {
                return Err(format!("`{line}` is no line of a ledger"));
            };
            let number = |text: &str| -> Result<u64, String> {
                let parsed = text.parse();
                parsed.map_err(|_| format!("a number expected in `{line}`"))
            };
            if !COUNTED.contains(&event) {
                return Err(format!("`{event}` in `{line}`"));
            }
            let sum = ledger.sum(event, name, queue);
            sum.count += number(count)?;
            sum.bytes += number(bytes)?;
        }
        if ledger.sums.is_empty() {
            return Err("nothing is expected, so that nothing is compared".into());
        }
        Ok(ledger)
    }

    /// Reads what happened from a program's standard error. Every allocation must be released.
    pub fn traced(stderr: &str) -> Result<Self, String> {
        let mut ledger = Self::default();
        let mut held = 0_i64;
        for line in stderr.lines() {
            let event = line
                .strip_prefix(PREFIX)
                .ok_or_else(|| format!("`{line}` is no line of a trace"))?;
            let (kind, rest) = event.split_once(' ').ok_or(line)?;
            match kind {
                "allocate" => held += 1,
                "free" => held -= 1,
                _ => ledger.add(kind, rest).ok_or(line)?,
            }
        }
        if held != 0 {
            return Err(format!("{held} more allocations than releases"));
        }
        Ok(ledger)
    }

    fn sum(&mut self, event: &str, name: &str, queue: &str) -> &mut Sum {
        let key = (event.to_owned(), name.to_owned(), queue.to_owned());
        self.sums.entry(key).or_default()
    }

    /// Adds `NAME bytes=N queue=Q …` or `KERNEL grid=… queue=Q …`.
    fn add(&mut self, event: &str, rest: &str) -> Option<()> {
        let launch = event == "launch";
        let (name, values) = rest.split_once(if launch { " grid=" } else { " bytes=" })?;
        let queue = values.split_once(" queue=")?.1.split(' ').next()?;
        let bytes = if launch {
            0
        } else {
            values.split(' ').next()?.parse().ok()?
        };
        let sum = self.sum(event, function(name), queue);
        sum.count += 1;
        sum.bytes += bytes;
        Some(())
    }

    /// `Err` lists every event that is expected and not there, or there and not expected.
    pub fn compare(&self, actual: &Self) -> Result<(), String> {
        let keys = self.sums.keys().chain(actual.sums.keys());
        let keys: std::collections::BTreeSet<&Key> = keys.collect();
        let of = |ledger: &Self, key: &Key| ledger.sums.get(key).copied().unwrap_or_default();
        let differences = keys.into_iter().filter_map(|key| {
            let (wanted, found) = (of(self, key), of(actual, key));
            let (event, name, queue) = key;
            (wanted != found).then(|| {
                format!(
                    "  {event} `{name}` on queue {queue}: {} of {} bytes asked for, {} of {} done",
                    wanted.count, wanted.bytes, found.count, found.bytes
                )
            })
        });
        let differences: Vec<String> = differences.collect();
        if differences.is_empty() {
            return Ok(());
        }
        Err(format!(
            "transfers and launches\n{}",
            differences.join("\n")
        ))
    }
}

/// The function that a kernel comes from: `solve` of `solve_kernel` and of
/// `solve_kernel2`, and of `solve_overlapping_kernel` and `solve_general_kernel`.
fn function(kernel: &str) -> &str {
    let stem = kernel.trim_end_matches(|c: char| c.is_ascii_digit());
    let function = stem.strip_suffix("_kernel").unwrap_or(kernel);
    let other = ["_overlapping", "_general"].iter();
    let mut other = other.filter_map(|suffix| function.strip_suffix(suffix));
    other.next().unwrap_or(function)
}
