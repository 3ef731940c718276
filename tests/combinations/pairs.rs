//! A small set of entries in which every two values of the tables that occur together in any entry
//! do so: pairwise covering, greedy, the same on every machine.

use std::collections::BTreeSet;

use super::entry::Entry;

/// Two values, each the number of its table and its name.
type Pair<'e> = [(usize, &'e str); 2];

/// A construct's clause, a clause's kind and so on: six pairs.
fn pairs(entry: &Entry) -> Vec<Pair<'_>> {
    let values = [
        entry.construct.name(),
        entry.clause.name,
        entry.kind.name,
        entry.role.name(),
    ];
    let with_later = |first: usize| {
        (first + 1..values.len())
            .map(move |second| [(first, values[first]), (second, values[second])])
    };
    (0..values.len()).flat_map(with_later).collect()
}

/// Entries that cover all pairs of all entries. First those are taken that cover six new ones, then
/// those with five, and so on: what an entry adds never grows.
pub fn covering(entries: &[Entry]) -> Vec<Entry> {
    let mut covered: BTreeSet<Pair<'_>> = BTreeSet::new();
    let mut chosen = Vec::new();
    for wanted in (1..=6).rev() {
        for entry in spread(entries) {
            let pairs = pairs(entry);
            let new = pairs.iter().filter(|pair| !covered.contains(*pair)).count();
            if new >= wanted {
                covered.extend(pairs);
                chosen.push(*entry);
            }
        }
    }
    chosen
}

/// All entries in steps, so that neighbours in the tables do not come first.
fn spread(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    const STEP: usize = 97;
    (0..STEP).flat_map(move |first| entries.iter().skip(first).step_by(STEP))
}

/// The pairs that some entries have and others lack.
pub fn missing(all: &[Entry], chosen: &[Entry]) -> Vec<String> {
    let covered: BTreeSet<Pair<'_>> = chosen.iter().flat_map(pairs).collect();
    let wanted: BTreeSet<Pair<'_>> = all.iter().flat_map(pairs).collect();
    let missing = wanted.difference(&covered);
    missing
        .map(|[(_, first), (_, second)]| format!("{first} with {second}"))
        .collect()
}
