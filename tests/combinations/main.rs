//! Every clause on every construct that takes it, with every kind of variable in every role.
//!
//! The tables (`tables`) say what there is, `entry` which combinations are programs. An entry is
//! refused with the code that a rule states with its reason (`rules`), or it translates, nvcc takes
//! its kernels with warnings as errors, and on the emulation it computes what its serial twin does,
//! which is made from the same description (`text`). A refusal without a rule, an acceptance
//! against one, and a translation that a compiler rejects are failures.
//!
//! `cargo test --test combinations` takes a set in which every two values of the tables meet
//! (`pairs`); with `ACCRS_TEST_FULL=1` all entries. `ACCRS_ENTRIES=TEXT` takes the entries whose
//! name (`kernels / copy / enum / Read`) has the text, and prints what became of each;
//! `ACCRS_WRITE=FOLDER` writes their C there.

#![allow(clippy::print_stderr, reason = "progress of a run on request")]

mod batch;
mod entry;
mod pairs;
mod rules;
#[path = "../support/mod.rs"]
mod support;
mod tables;
mod text;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use batch::{Batch, IN_A_FILE, Outcome};
use entry::Entry;
use libtest_mimic::{Arguments, Failed, Trial};
use rules::Refusal;
use text::Form;

fn main() {
    let arguments = Arguments::from_args();
    let trials = vec![
        Trial::test("entries_are_refused_or_equal_their_twins", entries),
        Trial::test("the_chosen_entries_cover_all_pairs", covering),
        Trial::test("a_step_less_in_a_twin_is_seen", steps),
        Trial::test("a_wrong_refusal_is_seen", refusals),
        Trial::test("every_rule_refuses_something", rules_apply),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// The entries of this run.
fn chosen() -> Vec<Entry> {
    let all = entry::all();
    if let Ok(text) = std::env::var("ACCRS_ENTRIES") {
        let named = |entry: &Entry| entry.to_string().contains(&text);
        return all.into_iter().filter(named).collect();
    }
    if support::full() {
        return all;
    }
    pairs::covering(&all)
}

/// What became of entries, in files on all processors.
fn outcomes(entries: &[Entry], twin: Form) -> Result<Vec<Outcome>, String> {
    let files: Vec<&[Entry]> = entries.chunks(IN_A_FILE).collect();
    let results = Mutex::new(vec![Err("not run".to_owned()); files.len()]);
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcomes = Batch::new(file, twin).and_then(|batch| batch.outcomes());
            let index = files.iter().position(|other| std::ptr::eq(*other, *file));
            if let (Some(index), Ok(mut results)) = (index, results.lock()) {
                results[index] = outcomes;
            }
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let results = results.into_inner().map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for outcomes in results {
        all.extend(outcomes?);
    }
    Ok(all)
}

/// What is wrong with an entry's outcome; nothing where it is as the rules say.
fn judged(expected: Option<Refusal>, outcome: &Outcome) -> Result<(), String> {
    match (expected, outcome) {
        (None, Outcome::Same) => Ok(()),
        (Some(Refusal::Code(code)), Outcome::Refused(found, _)) if code == found => Ok(()),
        (Some(Refusal::AtRun(words)), Outcome::Stopped(text)) if text.contains(words) => Ok(()),
        (Some(refusal), outcome) => Err(format!("{refusal:?} expected: {outcome:?}")),
        (None, outcome) => Err(format!("{outcome:?}")),
    }
}

fn entries() -> Result<(), Failed> {
    let chosen = chosen();
    eprintln!("{} of {} entries", chosen.len(), entry::all().len());
    let outcomes = outcomes(&chosen, Form::Twin)?;
    let mut failures = Vec::new();
    for (entry, outcome) in chosen.iter().zip(&outcomes) {
        if let Err(message) = judged(rules::expected(entry), outcome) {
            failures.push(format!("{entry}: {message:.700}"));
        }
    }
    if failures.is_empty() {
        return Ok(());
    }
    Err(format!("{} entries\n{}", failures.len(), failures.join("\n")).into())
}

// Mistakes

/// A few entries of the covering set, of all constructs.
fn sample() -> Vec<Entry> {
    let covering = pairs::covering(&entry::all());
    covering.into_iter().step_by(23).collect()
}

fn covering() -> Result<(), Failed> {
    let all = entry::all();
    let chosen = pairs::covering(&all);
    let missing = pairs::missing(&all, &chosen);
    if !missing.is_empty() || chosen.len() * 10 > all.len() {
        return Err(format!("{} entries lack {missing:?}", chosen.len()).into());
    }
    // A set that lacks something is told from one that does not.
    match pairs::missing(&all, &chosen[1..]).is_empty() {
        true => Err("the first entry covers nothing that the others do not".into()),
        false => Ok(()),
    }
}

/// With a twin whose loop makes one step less, every entry that runs must differ.
fn steps() -> Result<(), Failed> {
    let mut sample = sample();
    sample.retain(|entry| rules::expected(entry).is_none());
    let outcomes = outcomes(&sample, Form::WrongTwin)?;
    let unseen = sample.iter().zip(&outcomes);
    let unseen: Vec<String> = unseen
        .filter(|(_, outcome)| !matches!(outcome, Outcome::Differs(_)))
        .map(|(entry, outcome)| format!("{entry}: {outcome:?}"))
        .collect();
    if sample.len() < 30 || !unseen.is_empty() {
        return Err(format!("of {} entries unseen: {unseen:#?}", sample.len()).into());
    }
    Ok(())
}

/// An entry that is refused fails where it should work or be refused otherwise, and one that works
/// fails where it should be refused.
fn refusals() -> Result<(), Failed> {
    let entries = entry::all();
    let refused = entries
        .iter()
        .find(|entry| matches!(rules::expected(entry), Some(Refusal::Code(_))));
    let accepted = entries
        .iter()
        .find(|entry| rules::expected(entry).is_none());
    let (Some(refused), Some(accepted)) = (refused, accepted) else {
        return Err("no rule applies, or all entries are refused".into());
    };
    let outcomes = outcomes(&[*refused, *accepted], Form::Twin)?;
    let wrong = Some(Refusal::Code("A0000"));
    for (entry, outcome) in [refused, accepted].iter().zip(&outcomes) {
        judged(rules::expected(entry), outcome)?;
        let right_for_none = rules::expected(entry).is_some() && judged(None, outcome).is_ok();
        if judged(wrong, outcome).is_ok() || right_for_none {
            return Err(format!("{entry}: a wrong refusal is taken for right").into());
        }
    }
    Ok(())
}

/// A rule that no entry needs would hide what is refused without reason.
fn rules_apply() -> Result<(), Failed> {
    let entries = entry::all();
    let idle = rules::RULES.iter().enumerate().find(|(index, rule)| {
        let first = |entry: &Entry| rules::RULES.iter().position(|rule| (rule.applies)(entry));
        let used = entries.iter().any(|entry| first(entry) == Some(*index));
        !used || rule.reason.len() < 10
    });
    idle.map_or(Ok(()), |(index, rule)| {
        Err(format!(
            "rule {index} ({}) refuses nothing, or says not why",
            rule.reason
        )
        .into())
    })
}
