//! Every error, with its place.

use super::{function, outcome};

/// What is said about statements.
fn said(statements: &str) -> Vec<String> {
    outcome(&function(statements)).said
}

/// Asserts the first thing said about each text, up to the given length.
fn all_say(rows: &[(&str, &str)]) {
    for (statements, expected) in rows {
        let said = said(statements);
        let first = said.first().map_or("nothing", String::as_str);
        assert!(
            first.starts_with(expected),
            "{statements}\n expected {expected}\n found    {said:?}"
        );
    }
}

/// Two columns, one row a line.
fn listed(rows: &str) -> impl Iterator<Item = (&str, &str)> {
    let lines = rows.trim().lines();
    lines.map(|row| row.trim().split_once(" => ").unwrap())
}

/// The same of a text and what is expected of it a line.
fn all_say_as_listed(rows: &str) {
    for (text, expected) in listed(rows) {
        all_say(&[(&text.replace("\\n", "\n"), expected)]);
    }
}

/// The same of clauses, with some before them.
fn all_say_of_clauses(before: &str, rows: &str) {
    for (clauses, expected) in listed(rows) {
        all_say(&[(&with(&format!("{before}{clauses}")), expected)]);
    }
}

/// A parallel loop with clauses over an array.
fn with(clauses: &str) -> String {
    format!("#pragma acc parallel loop {clauses}\nfor (i = 0; i < n; i++) a[i] = 1;")
}

#[test]
fn directives() {
    all_say_as_listed(
        r"
        #pragma acc paralel\n{ } => A0401 `paralel`: no directive is called `paralel`
        #pragma acc enter copyin(a[0:n]) => A0401
        #pragma acc atomic\nn += 1; => A0415
        #pragma acc wait() => A0406 `()`: the parentheses of `wait` are empty
        #pragma acc wait(d) => A0406 `d`: the number of a queue is no integer
        #pragma acc wait(-7) => A0406 `-7`: there is no queue -7
        #pragma acc wait(1, num: 2) => A0406 `num: 2`
        #pragma acc wait(nowhere) => A0301 `nowhere`
        #pragma acc host_data use_device(n)\n{ } => A0406 `n`: `use_device` takes arrays and pointers
        #pragma acc host_data if_present\n{ } => A0406 `host_data`: `host_data` names no data
        #pragma acc declare create(a) => A0407 `a`: `a` is a pointer: `create` needs a length
        #pragma acc cache(a[0:4]) => warning A0415 `__accrs_pragma_acc cache(a[0:4]) __accrs_pragma_end`: `cache` stands outside
        #pragma acc init device_type(toaster) => A0406 `toaster`: no device type
        #pragma acc init device_num(d) => A0406 `d`
        #pragma acc init default_async(1) => A0404
        #pragma acc set => A0406 `set`: `set` sets nothing
        #pragma acc set device_type => A0406 `device_type`
        #pragma acc data\n{ } => A0406 `data`: `data` names no data
        #pragma acc update if(n) => A0406 `update`
        #pragma acc loop\nfor (i = 0; i < n; i++) a[i] = 0; => A0415 `__accrs_pragma_acc loop __accrs_pragma_end`: `loop` stands outside
        #pragma acc parallel\n{\n#pragma acc kernels\n{ }\n} => A0415 `kernels`: `kernels` stands inside a compute construct
        #pragma acc parallel\n{\n#pragma acc update self(a[0:n])\n} => A0415 `update`
        ",
    );
    let help = outcome(&function("#pragma acc paralel\n{ }")).help;
    assert_eq!(help, ["did you mean `parallel`?"]);
}

/// Put in the place of what is underlined, what is suggested is right.
#[test]
fn suggestions() {
    for (directive, place, help) in [
        (
            "paralel loop",
            "A0401 `paralel loop`",
            "did you mean `parallel loop`?",
        ),
        ("parallel lop", "A0403 `lop`", "did you mean `loop`?"),
        (
            "enter date copyin(a[0:n])",
            "A0401 `enter date`",
            "did you mean `enter data`?",
        ),
        (
            "loop parallel",
            "A0401 `loop parallel`",
            "write `#pragma acc parallel loop`",
        ),
        (
            "parallel loop gang(statc: 4)",
            "A0406 `gang(statc: 4)`",
            "write `gang(static: 4)`",
        ),
    ] {
        let found = outcome(&function(&format!(
            "#pragma acc {directive}\nfor (i = 0; i < n; i++) a[i] = 1;"
        )));
        let said = found.said.first().map_or("nothing", String::as_str);
        assert!(said.starts_with(place), "{directive}: {said}");
        assert_eq!(
            found.help.first().map(String::as_str),
            Some(help),
            "{directive}"
        );
    }
    let near = said(&with("present(a) device_type(nvida) async"));
    assert_eq!(
        near,
        ["warning A0406 `nvida`: no kind of device is called `nvida`"]
    );
}

#[test]
fn clauses() {
    all_say_of_clauses(
        "",
        "
        copyuot(a[0:n]) => A0403 `copyuot`: no clause is called `copyuot`
        present(a) async(d) => A0406 `d`: the number of a queue is no integer
        present(a) async async(1) => A0405 `async(1)`
        present(a) wait(readonly: 2) => A0406 `readonly`: `wait` has no modifier
        present(a) self(pair) => A0406 `pair`: the condition of `self` is no scalar
        device_type(nvidia) present(a) => A0404 `present(a)`: `present` stands behind `device_type`
        present(a) attach(n) => A0406 `n`: `attach` takes pointers
        present(a) delete(a) => A0404 `delete(a)`: `delete` is not allowed on `parallel loop`
        present(a) if_present => A0404 `if_present`
        present(a) gang gang => A0405 `gang`: the `gang` clause is repeated
        copyin(a[0:n]) copyout(a[0:n]) => warning A0405 `a[0:n]`: `a[0:n]` stands in two data clauses
        present(a) copy(a[0:n]) => A0405 `a[0:n]`: `a[0:n]` stands in two data clauses
        present(a) private(t) private(t) => A0405 `t`
        present(a) private(t) reduction(+:t) => A0416 `t`
        present(a) private(t) copy(t) => A0416 `t`
        present(a) seq vector => A0416 `vector`: `seq` and `vector` exclude each other
        present(a) independent auto => A0416 `auto`
        present(a) gang(n) => A0416 `gang(n)`
        present(a) vector_length => A0406 `vector_length`: `vector_length` needs an argument
        present(a) num_gangs(d) => A0406 `d`: the argument of `num_gangs` is no integer
        present(a) num_workers(0) => A0406 `0`
        present(a) num_gangs(1, 2, 3, 4) => A0406 `(1, 2, 3, 4)`
        present(a) if(pair) => A0406 `pair`: the condition of `if` is no scalar
        present(a) seq(1) => A0406 `(1)`: `seq` takes no argument
        present(a) collapse(n) => A0406 `(n)`
        present(a) default(none, present) => A0406
        present(a) vector(width: 3) => A0406
        present(a) gang(static: -4) => A0406
        present => A0406 `present`: `present` needs a list of variables
        copyin(zero: a[0:n]) => A0406 `zero`: `copyin` has no modifier `zero`
        copy(zero: a[0:n]) => A0406 `zero`
        present(a) vector(32) => warning A0421 `vector(32)`
        ",
    );
    all_say(&[(
        "#pragma acc kernels private(t)\n{ }",
        "warning A0404 `private(t)`: `private` is not allowed on `kernels`",
    )]);
}

#[test]
fn variables_and_sections() {
    all_say_of_clauses(
        "",
        "
        copy(nowhere[0:n]) => A0301 `nowhere`
        copy(nowhere) => A0301 `nowhere`: the variable `nowhere` is not declared
        copy(f) => A0408 `f`: `f` is not a variable
        copy(a + 1) => A0408 `a + 1`
        copy(pair.x[0:n]) => A0407 `pair.x[0:n]`: `pair.x` is neither array nor pointer
        copy(jagged[0:n][0:m][0:1]) => A0407 `[0:1]`: `jagged` has 2 dimensions
        copy(jagged[0:n]) => nothing
        copy(a) => A0407 `a`: `a` is a pointer: `copy` needs a length
        copy(a[0:]) => A0407 `[0:]`: the length cannot be left out
        copy(a[0:n][0:n]) => A0407 `[0:n]`: `a` has 1 dimension
        copy(a[0:d]) => A0407 `d`: the bounds of a section are integers
        copy(n[0:1]) => A0407 `n[0:1]`: `n` is neither array nor pointer
        copy(small[2:3]) => A0407 `[2:3]`: the section reaches beyond
        copy(small[0:-1]) => A0407
        copy(rows[0:n][1:2]) => A0407 `[1:2]`: the section is not contiguous
        copy(a[0:2:4]) => A0407 `[0:2:4]`
        deviceptr(small) => A0406 `small`
        ",
    );
}

#[test]
fn reductions() {
    all_say_of_clauses(
        "present(a) ",
        "
        reduction(s) => A0406 `(s)`: a reduction needs an operator
        reduction(-:s) => warning A0406 `-`: OpenACC has no reduction with `-`
        reduction(sum:s) => A0406 `sum`: `sum` is no reduction operator
        reduction(&:d) => A0409 `d`: `&` reduces integers, and this is a `double`
        reduction(+:jagged) => A0409 `jagged`
        reduction(+:a) => A0409 `a`
        reduction(max:weights) => A0409 `weights`
        reduction(+:nowhere) => A0301 `nowhere`
        ",
    );
}

#[test]
fn loops() {
    let canonical = |header: &str, expected: &str| {
        let text = format!("#pragma acc parallel loop present(a)\nfor ({header}) a[0] = 1;");
        all_say(&[(&text, expected)]);
    };
    for row in listed(
        "
        ; i < n; i++ => A0411 `for (; i < n; i++)`: the loop variable gets no first value
        i = 0;; i++ => A0411 `for (i = 0;; i++)`: the loop has no condition
        i = 0; i < n; => A0411
        i = 0; i < n; i-- => A0411 `i--`: `i` counts down and is compared
        i = 0; i < n; i += 0 => A0411 `i += 0`: the step is zero
        i = 0; i < n; i *= 2 => A0411 `i *= 2`: the step does not add
        i = 0; i == n; i++ => A0411 `i == n`: the condition does not compare
        i = 0; i != n; i += m => A0411 `i += m`: with `!=` the direction
        i = 0; n; i++ => A0411 `n`
        i = 0; i < n; i++, j++ => A0411 `i++, j++`
        i = 0, j = 1; i < n; i++ => A0411 `i = 0, j = 1`: the loop sets several
        d = 0; d < n; d++ => A0411 `0`: the loop variable `d` is no integer
        i = m++; i < n; i++ => A0411 `m++`: the loop's header changes
        ",
    ) {
        canonical(row.0, row.1);
    }
    let body = |body: &str, expected: &str| {
        let text =
            format!("#pragma acc parallel loop present(a)\nfor (i = 0; i < n; i++) {{ {body} }}");
        all_say(&[(&text, expected)]);
    };
    for row in listed(
        "
        i++; => A0411 `i++`: the loop changes its variable `i`
        n = 3; => A0411 `n = 3`: the loop's bound or step depends on `n`
        if (a[i]) break; => A0412 `break;`: `break` leaves a `parallel loop` construct
        return; => A0412 `return;`
        goto away; a[i] = 1; } away: { => A0412 `goto away;`
        while (n) break; switch (i) { case 1: break; } continue; => nothing
        ",
    ) {
        body(row.0, row.1);
    }
    all_say_as_listed(
        r"
        #pragma acc parallel loop\na[0] = 1; => A0410 `parallel loop`
        #pragma acc data copy(n)\nreturn; => A0412 `return;`: `return` leaves a `data`
        goto in;\n#pragma acc parallel\n{ in: n = 1; } => A0412 `goto in;`: `goto in` enters a `parallel`
        ",
    );
}

#[test]
fn nests() {
    all_say_as_listed(
        r"
        #pragma acc parallel loop collapse(2)\nfor (i = 0; i < n; i++) { t = 1; for (j = 0; j < m; j++) a[j] = t; } => A0413 `collapse(2)`: `collapse(2)` finds only 1 tightly nested loop
        #pragma acc parallel loop collapse(2)\nfor (i = 0; i < n; i++) for (j = i; j < m; j++) a[j] = 1; => A0413 `i`: the bounds of a collapsed loop depend on `i`
        #pragma acc parallel loop vector\nfor (i = 0; i < n; i++) {\n#pragma acc loop gang\nfor (j = 0; j < m; j++) a[j] = 1; } => A0414 `gang`: a `gang` loop inside a `vector` loop
        #pragma acc kernels loop worker\nfor (i = 0; i < n; i++) {\n#pragma acc loop worker\nfor (j = 0; j < m; j++) a[j] = 1; } => A0414 `worker`: a `worker` loop inside a `worker` loop
        ",
    );
}

#[test]
fn default_none_asks_for_every_variable() {
    let said = said(
        "#pragma acc parallel loop default(none) firstprivate(n) copy(a[0:n])\nfor (i = 0; i < n; i++) { int q = m; a[i] = q + b[i]; }",
    );
    assert_eq!(
        said,
        [
            "A0417 `m`: `m` is used in a region with `default(none)` and has no clause",
            "A0417 `b`: `b` is used in a region with `default(none)` and has no clause",
        ]
    );
}

#[test]
fn a_reduction_is_clause_enough_for_default_none() {
    all_say(&[
        (
            "#pragma acc parallel default(none) reduction(+:s)\n{ s += 1; }",
            "nothing",
        ),
        (
            "#pragma acc parallel loop default(none) firstprivate(n) reduction(+:s)\nfor (i = 0; i < n; i++) s += i;",
            "nothing",
        ),
    ]);
}

#[test]
fn what_a_device_cannot_do() {
    all_say_as_listed(
        r"
        #pragma acc parallel loop present(a)\nfor (i = 0; i < n; i++) *a++ = 1; => A0402 `a`: a region that assigns the host's pointer
        #pragma acc serial\n{ static int q; q++; } => A0402 `q`: a `static` variable
        #pragma acc serial\n{ f(1, 2, a, b, rows, 0); } => A0415 `serial`
        ",
    );
    let text = "int puts(const char *); int other(int); int state; const int limit = 3;
        int used(int x) { return x + state + limit; }
        int (*pointer)(int);
        void f(int n, int *a)
        {
            #pragma acc parallel loop copy(a[0:n])
            for (int i = 0; i < n; i++) { puts(\"x\"); a[i] = other(i) + used(i) + pointer(i); }
        }";
    assert_eq!(
        outcome(text).said,
        [
            "A0418 `pointer`: a call through a pointer cannot run on a device",
            "A0418 `puts`: `puts` cannot be called on a device",
            "A0418 `other`: `other` cannot be called on a device",
            "A0419 `state`: the global `state` is used in a function on the device",
        ]
    );
}

#[test]
fn routines() {
    let text = |directive: &str, inner: &str| {
        format!(
            "#pragma acc routine{directive}\nvoid g(int n, int *a)\n{{\n{inner}\nfor (int i = 0; i < n; i++) a[i] = 1;\n}}\nvoid f(int n, int *a)\n{{\n#pragma acc serial copy(a[0:n])\ng(n, a);\n}}"
        )
    };
    let first = |directive: &str, inner: &str| outcome(&text(directive, inner)).said.join("; ");
    assert_eq!(first(" seq", "#pragma acc loop"), "");
    assert_eq!(first(" worker", "#pragma acc loop vector"), "");
    assert!(first(" vector", "#pragma acc loop worker").starts_with("A0414 `worker`"));
    assert!(first(" seq", "#pragma acc loop gang").starts_with("A0414 `gang`"));
    assert_eq!(first(" gang", "#pragma acc loop gang"), "");
    assert!(first("", "").starts_with("A0406 `routine`: `routine` needs a level"));
    assert!(first("(nowhere) seq", "").starts_with("A0301 `nowhere`"));
    assert!(first(" seq vector", "").starts_with("A0416 `seq`"));
    assert!(first(" seq", "#pragma acc parallel").starts_with("A0415 `parallel`"));
    assert!(first(" seq bind(h)", "").starts_with("A0406 `bind(h)`: no function"));
    assert!(first(" seq bind(a, b)", "").starts_with("A0406"));
    assert!(first(" seq bind", "").starts_with("A0406 `bind`"));
}

#[test]
fn errors_of_c_are_not_repeated() {
    for text in [
        "#pragma acc parallel loop copy(nowhere[0:n])\nfor (i = 0; i < n; i++) a[i] = 1;",
        "#pragma acc parallel loop present(a)\nfor (i = 0; i < nowhere; i++) a[i] = 1;",
        "#pragma acc parallel loop present(a) if(nowhere > 1)\nfor (i = 0; i < n; i++) a[i] = 1;",
        "#pragma acc parallel loop present(a)\nfor (nowhere = 0; i < n; i++) a[i] = 1;",
        "#pragma acc parallel loop present(a)\nfor (i = 0; i < n; i++) a[i] = nowhere;",
    ] {
        let said = said(text);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("A0301"), "{said:?}");
    }
}

#[test]
fn all_errors_come_in_one_go() {
    let said = said(
        "#pragma acc parallel loop copi(a[0:n])\nfor (i = 0; i < n; i++) a[i] = 1;\n\
         #pragma acc parallel loop present(a)\nfor (i = 0; i < n; i *= 2) { n++; if (a[i]) break; }",
    );
    let codes: Vec<&str> = said.iter().map(|line| &line[..5]).collect();
    assert_eq!(codes, ["A0403", "A0411"]);
}

#[test]
fn addresses_of_the_host_are_warned_of() {
    let with = |data: &str| {
        format!(
            "#pragma acc data {data}\n#pragma acc parallel loop firstprivate(a)\n\
             for (i = 0; i < n; i++) a[i] = 1;"
        )
    };
    all_say(&[(
        &with("copy(a[0:n])"),
        "warning A0416 `a`: `firstprivate(a)` copies the host's address",
    )]);
    assert_eq!(said(&with("deviceptr(a)")), [""; 0]);
}

#[test]
fn a_block_stands_for_its_only_loop() {
    let with = |body: &str| format!("#pragma acc parallel loop copy(a[0:n])\n{{ {body} }}");
    all_say(&[
        (
            &with("{ for (i = 0; i < n; i++) a[i] = 1; }"),
            "warning A0410",
        ),
        (&with("i = 0; for (i = 0; i < n; i++) a[i] = 1;"), "A0410"),
    ]);
}
