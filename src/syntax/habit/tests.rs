//! What is meant by directives that cannot be read, and what of them is told.

use super::*;
use crate::diagnostic::Place;

const ANY: Known<'static> = Known {
    rule: Rule::directive_unit,
    // Names of one letter are variables.
    takes: &|text, place| {
        let piece = &text[place.start as usize..place.end as usize];
        let word = piece.split_once('(').map(|(word, _)| word.trim());
        let is_taken = word.is_none_or(|word| word.len() > 1);
        is_taken.then(Vec::new)
    },
    dimensions: &|_| Some(2),
};

const BOTH: &str = "a[lo:hi - lo + 1]`, or `a[lo:hi - lo]` without the last one";

/// The help for a directive that cannot be read.
fn help(text: &str) -> Option<String> {
    let body = Span::new(0, u32::try_from(text.len()).unwrap());
    let found = mistakes(text, body, &ANY).said.into_iter().next();
    let help = found?.help?;
    let (_, right) = help.split_once("write ").unwrap_or(("", &help));
    Some(right.trim_matches('`').to_owned())
}

#[test]
fn what_was_meant() {
    for (wrong, right) in [
        ("update device a[0:n]", "device(a[0:n])"),
        (
            "update device a[0:n], b[1:m] async(1)",
            "device(a[0:n], b[1:m])",
        ),
        ("enter data copyin a[0:n][0:m]", "copyin(a[0:n][0:m])"),
        ("wait 1", "wait(1)"),
        ("wait queues: 1", "wait(queues:1)"),
        ("parallel loop gang static:4", "gang(static:4)"),
        ("parallel loop gang static: *, copy(a)", "gang(static:*)"),
        ("parallel loop async n 1", "one number"),
        ("parallel loop async 1 2", "one number"),
        (
            "update a[0:n] async(1)",
            "update self(a[0:n])` or `update device(a[0:n])",
        ),
        ("parallel loop reduction(s, +)", "reduction(+:s)"),
        ("parallel loop reduction(++:s)", "reduction(+:s)"),
        ("parallel loop reduction(+:s, +:t)", "reduction(+:s, t)"),
        (
            "parallel loop reduction(+:s, t, &&:u) copy(a)",
            "reduction(+:s, t) reduction(&&:u)",
        ),
        ("parallel loop reduction(+:s t)", "reduction(+:s, t)"),
        ("data present(a b)", "present(a, b)"),
        (
            "parallel loop &",
            "end the line with `\\`, and begin the next one without `#pragma",
        ),
        ("parallel loop # rows", "a comment begins with `//"),
        (
            "parallel loop: copy(a)",
            "blanks or commas separate clauses: remove it",
        ),
        ("parallel loop if n > 3 copy(a)", "if(n > 3)"),
        ("parallel num_gangs n * 2", "num_gangs(n * 2)"),
        ("parallel num_gangs 4 vector_length(8)", "num_gangs(4)"),
        ("parallel num_gangs = 4", "num_gangs(4)"),
        ("parallel loop gang[n / 8] worker[8]", "gang(n / 8)"),
        ("kernels loop worker 4 copy(a)", "worker(4)"),
        ("loop vector=128", "vector(128)"),
        ("parallel loop collapse 2", "collapse(2)"),
        ("parallel loop tile 4", "tile(4)"),
        ("parallel loop reduction +:s", "reduction(+:s)"),
        ("data copy(a[0:n, 0:m])", "a[0:n][0:m]"),
        ("data copy(a[0:n,f(1,2):m], b)", "a[0:n][f(1,2):m]"),
        ("data copy(a(1:n))", "a[0:n]"),
        ("data copy(a(2:n, 1:m)) copyin(b)", "a[1:n - 1][0:m]"),
        ("data copy(a(0:n-1))", "a[0:n]"),
        (
            "data copy(a(00:n))",
            "a[0:n + 1]`, or `a[0:n]` without the last one",
        ),
        ("data copy(a(0:n, 1:m))", "a[0:n + 1][0:m]"),
        ("fcw FETCH_ONLY(a(i:1:1))", "a[i:1:1]"),
        ("fcw FETCH_ONLY(a[i-1..i+1])", "a[i:1:1]"),
        ("fcw FETCH_ONLY(a(i - 2 : i, 0:m:0))", "a[i:2:0][0:m:0]"),
        ("parallel loop reduction + s", "reduction(+:s)"),
        ("parallel loop reduction &&(s, t)", "reduction(&&:s, t)"),
        ("data copyin b[0:n], copyout a[0:n]", "copyin(b[0:n])"),
        ("parallel loop reduction(+:s s)", "reduction(+:s)"),
        ("wait(1 2)", "wait(1, 2)"),
        ("parallel loop tile(4 4)", "tile(4, 4)"),
        ("parallel loop tile(4 4 *)", "tile(4, 4, *)"),
        ("parallel loop num_gangs 4, async", "num_gangs(4)"),
        ("data copyin(b 0:n, a[0:n])", "b[0:n]"),
        ("wait(devnum=0: 1)", "wait(devnum:0:1)"),
        ("data copy(a(lo:hi))", "a[lo - 1:hi - lo + 1]"),
        ("data copy(a[0..n])", "a[0:n]"),
        ("data copy(a[lo..hi])", BOTH),
        ("data copy ( a [ lo . . hi ] )", BOTH),
        ("parallel num_gangs = 4 ;", "num_gangs(4)"),
        ("parallel loop reduction(+, s)", "reduction(+:s)"),
        ("parallel loop reduction(s:+)", "reduction(+:s)"),
        ("parallel loop reduction(&&, s, t)", "reduction(&&:s, t)"),
        ("parallel loop;", "remove the `;"),
        ("enter-data copyin(a[0:n])", "enter data"),
        ("exit - data delete(a)", "exit data"),
        ("parallel-loop copy(a)", "parallel loop"),
        ("parallel num-gangs(4)", "num_gangs"),
        ("data copy(a[0...n])", "a[0:n]"),
        ("data copy ( a [ lo . . . hi ] )", BOTH),
        ("parallel loop reduction(max b[0])", "reduction(max:b[0])"),
        ("parallel loop reduction(max s)", "reduction(max:s)"),
        ("parallel loop reduction(+= : s)", "reduction(+:s)"),
        ("parallel loop reduction(.and.:t)", "reduction(&&:t)"),
        ("parallel loop(copy(a[0:n]))", "loop copy(a[0:n])"),
        ("parallel loop copy((a[0:n]), b)", "a[0:n]"),
        ("data copy(&a[0:n])", "a[0:n]"),
        ("data copy(b, & a[0:n])", "a[0:n]"),
        ("data copy(a+3[0:n])", "a[3:n]"),
        ("data copy(a + k[2:n])", "a[2 + k:n]"),
        ("data copy(a[0:n]),", "remove the comma"),
        ("parallel loop private(int t)", "t"),
        ("parallel loop private(s, unsigned int t)", "t"),
        ("data copy(double a[0:n])", "a[0:n]"),
        ("data present(a[0:n] b[0:n])", "present(a[0:n], b[0:n])"),
        ("data copyin: a[0:n]", "copyin(a[0:n])"),
        ("parallel: loop copy(a)", "parallel loop"),
        ("kernels loop vector(length = 4)", "vector(4)"),
        ("parallel loop gang(num=n / 2) copy(a)", "gang(n / 2)"),
        ("loop gang(num: 4, static = 8)", "gang(num:4, static:8)"),
        ("data copyin: a", "put it into parentheses"),
        ("update device[a[0:n]]", "device(a[0:n])"),
        ("parallel loop tile[8,8]", "tile(8, 8)"),
        ("parallel loop tile<8, 8>", "tile(8, 8)"),
        ("wait[1]", "wait(1)"),
        ("data copy(a[0;n])", "a[0:n]"),
        ("data copy(a[0 n])", "a[0:n]"),
        ("data copy(a{0:n})", "a[0:n]"),
        ("data copy(a[0:n];b[0:n])", "copy(a[0:n], b[0:n])"),
        ("data copy(a[0:n],)", "remove the comma"),
        ("data copy(m[n,64])", "m[0:n][0:64]"),
        ("data copyin(readonly a[0:n])", "copyin(readonly:a[0:n])"),
        ("loop gang(static,8)", "gang(static:8)"),
        ("loop reduction(.max.:s)", "reduction(max:s)"),
        (
            "parallel loop gang | vector",
            "blanks or commas separate clauses: remove it",
        ),
        (": parallel loop", "a blank stands there: remove the mark"),
        (
            "data copy(a[*])",
            "a section is `name[first:length]`: a number stands in place of `*",
        ),
    ] {
        assert_eq!(help(wrong).as_deref(), Some(right), "{wrong}");
    }
}

#[test]
fn each_mistake_of_a_directive_has_its_place() {
    for text in [
        "data copyin(a[0..n]) copy(b[0:n,0:n]) create(c(1:n))",
        "data copy(b[0:n,0:n]) copyin(a[0..n]) create(c(1:n))",
    ] {
        let body = Span::new(0, u32::try_from(text.len()).unwrap());
        let found: Vec<String> = mistakes(text, body, &ANY)
            .said
            .iter()
            .map(|one| match one.labels[0].place {
                Place::Span(span) => text[span.start as usize..span.end as usize].to_owned(),
                Place::Source(_) => String::new(),
            })
            .collect();
        assert_eq!(found.len(), 3, "{text}: {found:?}");
        for piece in ["a[0..n]", "b[0:n,0:n]", "c(1:n)"] {
            assert!(found.contains(&piece.to_owned()), "{text}: {found:?}");
        }
    }
}

#[test]
fn nothing_is_guessed_that_does_not_help() {
    for wrong in [
        "data copy(a[)",
        "data ) (",
        "parallel + +",
        "parallel loop n > 3",
    ] {
        assert_eq!(help(wrong), None, "{wrong}");
    }
}
