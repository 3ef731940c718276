//! Initialisers by position (6.7.9).

use super::*;

fn text(unit: &Unit, initializer: &Initializer) -> String {
    match initializer {
        Initializer::Expression(e) => Printer::text(unit, &C, e),
        Initializer::Aggregate(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|(index, item)| format!("{index}:{}", text(unit, item)))
                .collect();
            format!("{{{}}}", items.join(" "))
        }
    }
}

/// Type and initialiser of the global `x`.
fn global(source: &str) -> (String, String) {
    let unit = accepted(source);
    let global = unit
        .globals
        .iter()
        .find(|global| unit.symbol(global.symbol).name == "x")
        .unwrap();
    let initializer = text(&unit, global.initializer.as_ref().unwrap());
    (show(&unit, unit.symbol(global.symbol).ty), initializer)
}

fn check(table: &[(&str, &str, &str)]) {
    for (source, ty, initializer) in table {
        let made = global(source);
        assert_eq!(made, (ty.to_string(), initializer.to_string()), "{source}");
    }
}

#[test]
fn arrays() {
    check(&[
        ("int x[3] = { 1, 2 };", "int [3]", "{0:1 1:2}"),
        ("int x[] = { 1, 2, 3 };", "int [3]", "{0:1 1:2 2:3}"),
        (
            "int x[] = { [4] = 1, 2, [1] = 7 };",
            "int [6]",
            "{1:7 4:1 5:2}",
        ),
        (
            "int x[] = { [1 ... 3] = 5, 6 };",
            "int [5]",
            "{1:5 2:5 3:5 4:6}",
        ),
        (
            "int x[2][2] = { 1, 2, 3 };",
            "int [2][2]",
            "{0:{0:1 1:2} 1:{0:3}}",
        ),
        (
            "int x[][2] = { { 1 }, { 2, 3 } };",
            "int [2][2]",
            "{0:{0:1} 1:{0:2 1:3}}",
        ),
        (
            "int x[][2] = { 1, 2, 3 };",
            "int [2][2]",
            "{0:{0:1 1:2} 1:{0:3}}",
        ),
        (
            "int x[2][3] = { [1][1] = 5, 6 };",
            "int [2][3]",
            "{1:{1:5 2:6}}",
        ),
        ("int x[3] = {};", "int [3]", "{}"),
        ("int x = { 4 };", "int", "4"),
        ("double x[2] = { 1, 2.5f };", "double [2]", "{0:1 1:2.5f}"),
    ]);
}

#[test]
fn strings() {
    check(&[
        ("char x[] = \"abc\";", "char [4]", "\"abc\""),
        ("char x[] = { \"abc\" };", "char [4]", "\"abc\""),
        ("char x[8] = (\"abc\");", "char [8]", "\"abc\""),
        (
            "char x[][4] = { \"ab\", \"c\" };",
            "char [2][4]",
            "{0:\"ab\" 1:\"c\"}",
        ),
        (
            "const char *x[] = { \"ab\", \"c\" };",
            "const char *[2]",
            "{0:\"ab\" 1:\"c\"}",
        ),
        ("int x[] = L\"ab\";", "int [3]", "L\"ab\""),
        (
            "struct { char n[4]; int k; } x = { \"ab\", 3 };",
            "struct <unnamed>",
            "{0:\"ab\" 1:3}",
        ),
    ]);
}

#[test]
fn records() {
    const S: &str = "struct in { int p, q; }; struct s { int a; struct in b[2]; int c; };";
    for (initializer, expected) in [
        (
            "{ 1, 2, 3, 4, 5, 6 }",
            "{0:1 1:{0:{0:2 1:3} 1:{0:4 1:5}} 2:6}",
        ),
        (
            "{ 1, { { 2 }, { 3 } }, 4 }",
            "{0:1 1:{0:{0:2} 1:{0:3}} 2:4}",
        ),
        ("{ .c = 1 }", "{2:1}"),
        ("{ .b[1].q = 1, 2 }", "{1:{1:{1:1}} 2:2}"),
        ("{ .b = { [1] = { 7 } }, 8 }", "{1:{1:{0:7}} 2:8}"),
        ("{ .b[0].p = 1, 2, 3 }", "{1:{0:{0:1 1:2} 1:{0:3}}}"),
        (
            "{ .b = 1, 2, 3, 4, 5 }",
            "{1:{0:{0:1 1:2} 1:{0:3 1:4}} 2:5}",
        ),
        ("{ .c = 1, .a = 2 }", "{0:2 2:1}"),
    ] {
        let (_, made) = global(&format!("{S} struct s x = {initializer};"));
        assert_eq!(made, expected, "{initializer}");
    }
}

#[test]
fn anonymous_members_bit_fields_and_unions() {
    check(&[
        (
            "struct { int a; union { int b; float c; }; int d; } x = { 1, { .c = 2 }, 3 };",
            "struct <unnamed>",
            "{0:1 1:{1:2} 2:3}",
        ),
        (
            "struct { int a; struct { int b, c; }; int d; } x = { .b = 1, 2, 3 };",
            "struct <unnamed>",
            "{1:{0:1 1:2} 2:3}",
        ),
        (
            "struct { int a : 3; int : 2; int b : 4; } x = { 1, 2 };",
            "struct <unnamed>",
            "{0:1 2:2}",
        ),
        (
            "union { int a; double b; } x = { 1 };",
            "union <unnamed>",
            "{0:1}",
        ),
        (
            "union { int a; double b; } x = { .b = 1 };",
            "union <unnamed>",
            "{1:1}",
        ),
        (
            "union { int a; double b; } x = { .a = 1, .b = 2 };",
            "union <unnamed>",
            "{1:2}",
        ),
        (
            "union u { int a[2]; double b; }; union u x[2] = { 1, 2, { .b = 3 } };",
            "union u [2]",
            "{0:{0:{0:1 1:2}} 1:{1:3}}",
        ),
        (
            "struct { int n; int tail[]; } x = { 2, { 1, 2 } };",
            "struct <unnamed>",
            "{0:2 1:{0:1 1:2}}",
        ),
    ]);
}

#[test]
fn whole_structs_take_the_place_of_their_members() {
    let unit = accepted(
        "struct p { int x, y; }; struct l { struct p a, b; };
         struct p make(void);
         void f(struct p q) { struct l v = { q, 1, 2 }; struct l w = { make(), q }; struct p z = q; }",
    );
    let StatementKind::Compound(list) = &unit.functions[0].body.kind else {
        panic!();
    };
    let made: Vec<String> = list
        .iter()
        .map(|statement| match &statement.kind {
            StatementKind::Declaration(objects) => {
                text(&unit, objects[0].initializer.as_ref().unwrap())
            }
            _ => panic!(),
        })
        .collect();
    assert_eq!(made, ["{0:q 1:{0:1 1:2}}", "{0:make() 1:q}", "q"]);
}
