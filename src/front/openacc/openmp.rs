//! Clauses of OpenMP's pragmas, by their text: OpenMP is no dialect, and its pragmas are not parsed.
//!
//! Input: the text of a pragma and the directive of OpenACC that takes its place. Output: the clauses
//! that stand on that, and what becomes of those that it does not have.
//!
//! ```text
//! omp target update to(a[0:n]) if(n > 3) nowait      update device(a[0:n]) if(n > 3) async
//! omp target enter data map(alloc: a[0:n])           enter data create(a[0:n])
//! ```

use super::habits::WAIT;

/// The clauses of a pragma.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Those that OpenACC has, each behind a blank.
    pub clauses: String,
    /// What is done besides, and in place of the others.
    pub others: String,
}

/// Clauses with one name in both.
const SAME: &[&str] = &["reduction", "private", "firstprivate", "collapse"];

/// Clauses of constructs that have another name.
const RENAMED: &[(&str, &str)] = &[
    ("num_teams", "num_gangs"),
    ("thread_limit", "vector_length"),
    ("is_device_ptr", "deviceptr"),
    ("has_device_addr", "deviceptr"),
];

/// Clauses that have no counterpart and change what a program does, and what serves instead.
const OTHERS: &[(&str, &str)] = &[
    (
        "depend",
        "queues order work: `async(1)` on both, or `wait(1)`",
    ),
    ("device", "`acc_set_device_num` chooses a device"),
    ("lastprivate", "assign the last value behind the loop"),
    ("defaultmap", "name in data clauses what moves"),
    ("ordered", "write `seq` on the loop"),
    ("in_reduction", "write `reduction` on the construct"),
    (
        "use_device_ptr",
        "`host_data use_device(…)` gives addresses of the device",
    ),
    (
        "use_device_addr",
        "`host_data use_device(…)` gives addresses of the device",
    ),
];

/// What the clauses in the text of a pragma are on a directive.
pub fn kept(pragma: &str, on: &str) -> Kept {
    let mut kept = Kept::default();
    for (name, list) in clauses(pragma) {
        if let Some(clause) = counterpart(name, list, on) {
            let (clause, has_stride) = without_strides(&clause);
            kept.clauses += &format!(" {clause}");
            if has_stride {
                kept.others += "; sections have no strides: what lies between is copied, too";
            }
            if clause == "async" {
                kept.others += WAIT;
            }
        } else if let Some((name, instead)) = OTHERS.iter().find(|(other, _)| *other == name)
            && list.is_some()
        {
            kept.others += &format!("; in place of `{name}`, {instead}");
        }
    }
    kept
}

/// The directives that say what a `declare target` with lists does: one for each function, one for all
/// variables.
pub fn declared(pragma: &str, is_function: &dyn Fn(&str) -> bool) -> Option<String> {
    let all = clauses(pragma).into_iter();
    let lists = all.filter(|(name, _)| ["target", "to", "enter"].contains(name));
    let names = lists
        .filter_map(|(_, list)| list)
        .flat_map(|list| list.split(','));
    let names = names.map(str::trim).filter(|name| !name.is_empty());
    let (functions, variables): (Vec<&str>, Vec<&str>) = names.partition(|name| is_function(name));
    let routines = functions
        .iter()
        .map(|name| format!("`#pragma acc routine({name}) seq`"));
    let variables = (!variables.is_empty())
        .then(|| format!("`#pragma acc declare create({})`", variables.join(", ")));
    let directives: Vec<String> = routines.chain(variables).collect();
    (!directives.is_empty()).then(|| format!("write {}", directives.join(" and ")))
}

/// A list of sections without strides: each with all that lies between, and whether there was one.
fn without_strides(list: &str) -> (String, bool) {
    let (mut text, mut rest, mut has_stride) = (String::new(), list, false);
    while let Some((before, behind)) = rest.split_once('[') {
        let Some((section, after)) = behind.split_once(']') else {
            break;
        };
        let parts: Vec<&str> = section.split(':').map(str::trim).collect();
        text += before;
        text += &match parts.as_slice() {
            [first, length, stride] if !length.contains('?') => {
                has_stride = true;
                let is_plain = stride.chars().all(char::is_alphanumeric);
                let stride = match is_plain {
                    true => (*stride).to_owned(),
                    false => format!("({stride})"),
                };
                format!("[{first}:({length} - 1) * {stride} + 1]")
            }
            _ => format!("[{section}]"),
        };
        rest = after;
    }
    (text + rest, has_stride)
}

/// The words of a pragma, each with what stands in parentheses behind it.
fn clauses(pragma: &str) -> Vec<(&str, Option<&str>)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut rest = pragma;
    while let Some(start) = rest.find(is_part) {
        let behind = &rest[start..];
        let end = behind.find(|c| !is_part(c)).unwrap_or(behind.len());
        let (name, behind) = behind.split_at(end);
        let list = behind.trim_start().strip_prefix('(');
        let Some(list) = list else {
            rest = behind;
            found.push((name, None));
            continue;
        };
        // What is not closed is no clause.
        let Some(end) = end_of_list(list) else { break };
        rest = &list[end..];
        found.push((name, Some(list[..end].trim())));
    }
    found
}

/// Where the parenthesis is that closes a list.
fn end_of_list(list: &str) -> Option<usize> {
    let mut depth = 1_usize;
    list.find(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// What a clause is on a directive of OpenACC, if that has it.
fn counterpart(name: &str, list: Option<&str>, on: &str) -> Option<String> {
    let is_construct = on.starts_with("parallel");
    let Some(list) = list else {
        let is_task = is_construct || ["update", "enter data", "exit data"].contains(&on);
        return (name == "nowait" && is_task).then(|| "async".to_owned());
    };
    match name {
        "if" => condition(list).map(|condition| format!("if({condition})")),
        "map" => {
            let (kind, items) = modified(list);
            Some(format!("{}({items})", copying(kind, on)))
        }
        "to" | "from" if on == "update" => {
            let direction = if name == "to" { "device" } else { "self" };
            Some(format!("{direction}({})", modified(list).1))
        }
        "collapse" if !on.contains("loop") => None,
        _ if SAME.contains(&name) => Some(format!("{name}({list})")),
        _ => {
            let (_, own) = RENAMED.iter().find(|(other, _)| *other == name)?;
            is_construct.then(|| format!("{own}({list})"))
        }
    }
}

/// The condition of an `if` that is about the device.
fn condition(list: &str) -> Option<&str> {
    match list.split_once(':') {
        Some((name, condition)) if !name.contains(['?', '(', '[']) => {
            name.trim().starts_with("target").then(|| condition.trim())
        }
        _ => Some(list),
    }
}

/// The last modifier of a list, and the list without any.
fn modified(list: &str) -> (&str, &str) {
    // The first colon of `a[0:n]` is no modifier's.
    match list.split_once(':') {
        Some((modifiers, items)) if !modifiers.contains('[') => {
            let last = modifiers.rsplit(',').next().unwrap_or_default();
            (last.trim(), items.trim())
        }
        _ => ("", list),
    }
}

/// The clause for a type of `map`.
fn copying(kind: &str, on: &str) -> &'static str {
    match (super::habits::copying(kind), on) {
        ("copy", "enter data") => "copyin",
        ("copy", "exit data") => "copyout",
        (clause, _) => clause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_on_what_takes_their_place() {
        for (on, pragma, expected) in [
            (
                "parallel",
                "omp target map(tofrom: a[0:n], b)",
                " copy(a[0:n], b)",
            ),
            (
                "parallel",
                "omp target map ( always, to : a[f(1):n] ) map(a[0:n])",
                " copyin(a[f(1):n]) copy(a[0:n])",
            ),
            (
                "parallel",
                "omp target map(from:c) remap(x) map(alloc: d) if(n) nowait",
                " copyout(c) create(d) if(n) async",
            ),
            ("parallel loop", "omp target teams map(to: a[0:n]", ""),
            (
                "parallel loop",
                "omp target teams map(to: a[0:n]) reduction(+:s) num_teams(f(map)) collapse(2)",
                " copyin(a[0:n]) reduction(+:s) num_gangs(f(map)) collapse(2)",
            ),
            (
                "parallel loop",
                "omp target parallel for if(target: n > 3 ? a : b) if(parallel: n) schedule(static)",
                " if(n > 3 ? a : b)",
            ),
            (
                "update",
                "omp target update to(a[0:n]) from(present: b[0:n]) nowait",
                " device(a[0:n]) self(b[0:n]) async",
            ),
            (
                "enter data",
                "omp target enter data map(to: a) map(alloc: b)",
                " copyin(a) create(b)",
            ),
            (
                "exit data",
                "omp target exit data map(from: a) map(release: b)",
                " copyout(a) delete(b)",
            ),
            (
                "data",
                "omp target data map(tofrom: a[0:n]) if(n > 3)",
                " copy(a[0:n]) if(n > 3)",
            ),
            ("parallel", "omp target", ""),
        ] {
            let found = kept(pragma, on);
            let others = if pragma.ends_with("nowait") { WAIT } else { "" };
            assert_eq!(
                (found.clauses.as_str(), found.others.as_str()),
                (expected, others),
                "{pragma}"
            );
        }
    }

    #[test]
    fn declarations_with_lists() {
        let is_function = |name: &str| name == "f";
        for (pragma, expected) in [
            (
                "omp declare target to(f)",
                Some("write `#pragma acc routine(f) seq`"),
            ),
            (
                "omp declare target(x, f, y)",
                Some("write `#pragma acc routine(f) seq` and `#pragma acc declare create(x, y)`"),
            ),
            ("omp declare target", None),
        ] {
            assert_eq!(declared(pragma, &is_function).as_deref(), expected);
        }
    }

    #[test]
    fn sections_have_no_strides() {
        let found = kept("omp target update from(a[0:n:2], b[0:n])", "update");
        assert_eq!(found.clauses, " self(a[0:(n - 1) * 2 + 1], b[0:n])");
        assert!(found.others.contains("copied, too"));
    }

    #[test]
    fn what_has_no_counterpart_is_named() {
        let found = kept("omp target device(1) depend(in: a) map(to: a)", "parallel");
        assert_eq!(found.clauses, " copyin(a)");
        assert_eq!(
            found.others,
            "; in place of `device`, `acc_set_device_num` chooses a device; in place of `depend`, \
             queues order work: `async(1)` on both, or `wait(1)`"
        );
    }
}
