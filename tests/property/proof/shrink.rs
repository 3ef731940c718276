//! Makes a failing function small.

use std::time::{Duration, Instant};

use super::super::run::Verdict;
use super::model::{Function, Node, lists};
use super::{run, text};

/// Candidates that are tried in one file.
const AT_ONCE: usize = 25;

/// The smallest function found in that time that fails like `verdict`.
pub fn shrink(function: &Function, verdict: &Verdict, time: Duration) -> Function {
    let start = Instant::now();
    let mut smallest = function.clone();
    while start.elapsed() < time {
        let Some(smaller) = first_failing(&smallest, verdict, start, time) else {
            break;
        };
        smallest = smaller;
    }
    smallest
}

fn first_failing(
    function: &Function,
    verdict: &Verdict,
    start: Instant,
    time: Duration,
) -> Option<Function> {
    let size = |function: &Function| text::function(function).len();
    let before = size(function);
    let mut candidates = simpler(function);
    candidates.retain(|candidate| size(candidate) < before);
    candidates.sort_by_key(size);
    for some in candidates.chunks(AT_ONCE) {
        if start.elapsed() > time {
            return None;
        }
        let list: Vec<&Function> = some.iter().collect();
        let found = run::examine(&list).ok()?;
        let failing = some
            .iter()
            .zip(&found)
            .find(|(_, found)| found.verdict.is_like(verdict));
        if let Some((smaller, _)) = failing {
            return Some(smaller.clone());
        }
    }
    None
}

/// Functions that lack something that this one has.
fn simpler(function: &Function) -> Vec<Function> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Function)| {
        let mut candidate = function.clone();
        change(&mut candidate);
        remove_unused(&mut candidate);
        found.push(candidate);
    };
    for region in 0..function.regions.len() {
        add(&|f| drop(f.regions.remove(region)));
        let mut sites = 0;
        lists(&mut function.regions[region].clone(), &mut |list| {
            sites += list.len();
        });
        for site in 0..sites {
            for variant in 0..5 {
                add(&|f| {
                    let mut at = 0;
                    lists(&mut f.regions[region], &mut |list| {
                        let here = site.checked_sub(at).filter(|index| *index < list.len());
                        at = at.saturating_add(list.len());
                        if let Some(index) = here {
                            let parts = replaced(list[index].clone(), variant);
                            list.splice(index..=index, parts);
                            // What is now in the list must not be counted once more.
                            at = usize::MAX / 2;
                        }
                    });
                });
            }
        }
    }
    for result in 0..function.results.len() {
        add(&|f| drop(f.results.remove(result)));
    }
    if function.rounds > 1 {
        for round in 0..function.rounds {
            add(&|f| {
                f.rounds = 1;
                for parameter in &mut f.parameters {
                    parameter.values = vec![parameter.values[round].clone()];
                }
            });
        }
    }
    found
}

/// Nothing, or the parts of a statement.
fn replaced(node: Node, variant: usize) -> Vec<Node> {
    match (node, variant) {
        (_, 0) => Vec::new(),
        (Node::If { then, .. }, 1) => then,
        (Node::Switch { body, .. }, 1) => body,
        (Node::If { otherwise, .. }, 2) => otherwise,
        (Node::Loop(l), 1) => {
            let name = l.variable;
            let text = match l.kind {
                "" => format!("{name} = {};", l.first),
                kind => format!("const {kind} {name} = {};", l.first),
            };
            let mut parts = vec![Node::Declare(text)];
            parts.extend(l.body);
            parts
        }
        (
            Node::Assign {
                target,
                form,
                mut terms,
            },
            1..,
        ) => {
            if variant <= terms.len() {
                terms.remove(variant - 1);
            }
            vec![Node::Assign {
                target,
                form,
                terms,
            }]
        }
        (other, _) => vec![other],
    }
}

/// Locals, arrays, storage and parameters that nothing names.
fn remove_unused(function: &mut Function) {
    for _ in 0..3 {
        let all = text::function(function);
        let uses = |name: &str| {
            let name = name.replace('@', "0");
            let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let whole = all.match_indices(&name).filter(|(at, _)| {
                let before = all[..*at].chars().next_back();
                let after = all[at + name.len()..].chars().next();
                !is_word(before) && !is_word(after)
            });
            whole.count()
        };
        // A local is named where it is declared, and an array by each clause as well.
        let clauses = function.regions.len();
        let named: Vec<String> = function.arrays.iter().map(|a| a.name.clone()).collect();
        let is_array = |name: &str| named.iter().any(|n| n == name);
        function
            .locals
            .retain(|l| uses(&l.name) > 1 + if is_array(&l.name) { clauses } else { 0 });
        let locals = function.locals.clone();
        function.arrays.retain(|array| match &array.parameter {
            // Declared, named by clauses, and nothing else.
            Some(_) => uses(&array.name) > 1 + clauses,
            None if array.name.ends_with("_@") => true,
            None => locals.iter().any(|l| l.name == array.name),
        });
    }
}
