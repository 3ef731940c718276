//! What the user reads, and which piece of the text is underlined.

use super::{acc, parsed};

/// Asserts the errors of a text: what is underlined, and the message.
fn assert_errors(text: &str, expected: &[(&str, &str)]) {
    let errors = parsed(text).errors;
    let found: Vec<(String, String)> = errors
        .iter()
        .map(|error| {
            let (head, message) = error.split_once(": ").unwrap();
            let (start, end) = head[6..].split_once("..").unwrap();
            let place = &text[start.parse().unwrap()..end.parse().unwrap()];
            (place.to_owned(), message.to_owned())
        })
        .collect();
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(place, message)| ((*place).to_owned(), (*message).to_owned()))
        .collect();
    assert_eq!(found, expected, "in {text}");
}

#[test]
fn a_syntax_error_is_told_in_words_at_its_place() {
    let cases = [
        ("int n = 3\n return n;", "3", "expected `;`, found `return`"),
        ("n = m n;", "n", "expected `;`, found `n`"),
        ("g(1, 2;", ";", "expected `)`, found `;`"),
        ("if (a { b(); }", "{", "expected `)`, found `{`"),
        ("if a) b();", "a", "expected `(`, found `a`"),
        ("x = ;", ";", "expected an expression, found `;`"),
        ("x = a + * ;", ";", "expected an expression, found `;`"),
        ("x = a[3;", ";", "expected `]`, found `;`"),
        ("for (i = 0; i < n) ;", ")", "expected `;`, found `)`"),
        ("else x;", "else", "expected a statement, found `else`"),
        ("x = int;", "int", "expected an expression, found `int`"),
        ("do x++;", "}", "expected `while`, found `}`"),
        ("switch (a) { case 1 b(); }", "b", "expected `:`, found `b`"),
        ("x = a ? b;", ";", "expected `:`, found `;`"),
        ("int 3x;", "3x", "expected a name or `;`, found `3x`"),
        ("int v[] = {1, 2 3};", "3", "expected `,` or `}`, found `3`"),
        ("x = \"abc;\n", "\"abc;", "this quote is never closed"),
        ("@", "@", "expected a statement, found `@`"),
        ("goto;", ";", "expected a name, found `;`"),
        ("x = (T) / 2;", "/", "expected an expression after the cast"),
        ("x = sizeof(int;", ";", "expected `)`, found `;`"),
    ];
    for (statement, place, message) in cases {
        let text = format!("typedef int T; int f(void) {{ {statement} }}");
        assert_errors(&text, &[(place, message)]);
    }
}

#[test]
fn errors_in_declarations() {
    let cases = [
        ("int x", "x", "expected `;`, found the end of the file"),
        ("int x int y;", "int", "expected `;`, found `int`"),
        ("int ; 3;", "3", "expected a declaration, found `3`"),
        (
            "struct s { int a int b; };",
            "int",
            "expected `;`, found `int`",
        ),
        (
            "struct s { int a; }\nint x;",
            "}",
            "expected a name or `;`, found `int`",
        ),
        ("enum e { A B };", "B", "expected `,` or `}`, found `B`"),
        ("int v[3;", ";", "expected `]`, found `;`"),
        ("int f(int a int b);", "int", "expected `)`, found `int`"),
        ("int f(int a, ) { }", ")", "expected a parameter, found `)`"),
        (
            "int f(void) { } }",
            "}",
            "expected a declaration, found `}`",
        ),
    ];
    for (text, place, message) in cases {
        assert_errors(text, &[(place, message)]);
    }
}

#[test]
fn an_open_bracket_is_shown() {
    let text = "int f(int x) { return x; \n\nint g(void) { return 1; }\n";
    let diagnostics = super::on_big_stack(move || {
        let mut diagnostics = crate::diagnostic::Diagnostics::new();
        assert!(super::parse(text, &mut diagnostics).is_none());
        diagnostics
    });
    let error = diagnostics.iter().next().unwrap();
    assert_eq!(error.message, "expected `}`, found the end of the file");
    assert_eq!(error.labels[1].text, "this `{` is never closed");
    let brace = u32::try_from(text.find('{').unwrap()).unwrap();
    let place = crate::source::Span::new(brace, brace + 1);
    assert_eq!(error.labels[1].place, crate::diagnostic::Place::Span(place));
}

#[test]
fn all_errors_of_a_file_come_in_one_go() {
    assert_errors(
        "void f(void) { x = ; y = 1; z = (2; if (a) b = ; else c = 1;\n\
         for (i = 0; i < 3; i++) { q = ; } w = 4 }\n\
         int v[] = {1 2};\n\
         int g(void) { = } int h(void) { return 0; }",
        &[
            (";", "expected an expression, found `;`"),
            (";", "expected `)`, found `;`"),
            (";", "expected an expression, found `;`"),
            (";", "expected an expression, found `;`"),
            ("}", "expected `;`, found `}`"),
            ("2", "expected `,` or `}`, found `2`"),
            ("=", "expected a statement, found `=`"),
        ],
    );
    let many = "int f(void) { = }\n".repeat(100);
    assert_eq!(parsed(&many).errors.len(), 20, "no flood of errors");
}

#[test]
fn a_broken_directive_is_reported_and_the_rest_goes_on() {
    let cases = [
        (
            "parallel loop copy(a[0:n)",
            ")",
            "expected `:` or `]`, found `)`",
        ),
        (
            "parallel loop copy(a",
            "a",
            "expected `)`, found the end of the directive",
        ),
        (
            "parallel )",
            ")",
            "expected a clause or the end of the directive, found `)`",
        ),
        (
            "parallel copy(a b)",
            "copy(a b)",
            "a comma is missing between two names of a list",
        ),
        (
            "parallel if(+)",
            ")",
            "expected an expression, a variable or an array section, found `)`",
        ),
        ("3", "3", "expected the name of a directive, found `3`"),
        (
            "parallel, +",
            "+",
            "expected a clause or the end of the directive, found `+`",
        ),
        ("", &acc(""), "a directive's name is missing"),
    ];
    for (directive, place, message) in cases {
        let text = format!("void f(void) {{ {} for (;;) ; }}", acc(directive));
        assert_errors(&text, &[(place, message)]);
        let tree = parsed(&text).tree.unwrap();
        assert!(tree.contains("(for _ _ _"), "{tree}");
    }
}

#[test]
fn a_directive_needs_its_place_and_its_statement() {
    let parallel = acc("parallel");
    let wait = acc("wait");
    let lonely = "directive `parallel` is not followed by a statement";
    let cases = [
        (format!("void f(void) {{ {parallel} }}"), &parallel, lonely),
        (
            format!("void f(void) {{ {parallel} int x; }}"),
            &parallel,
            lonely,
        ),
        (
            format!("void f(void) {{ {parallel} {wait} }}"),
            &parallel,
            lonely,
        ),
        (format!("{parallel} int x;"), &parallel, lonely),
        (
            format!("void f(void) {{ if (x) {wait} x; }}"),
            &wait,
            "directive `wait` cannot be the body of a statement",
        ),
        (
            format!("struct s {{ {wait} int x; }};"),
            &wait,
            "a directive cannot stand among the members of a struct or union",
        ),
    ];
    for (text, place, message) in cases {
        assert_errors(&text, &[(place, message)]);
    }
    assert_errors(
        &format!("void f(void) {{ x = {wait} 3; }}"),
        &[(
            "__accrs_pragma_acc",
            "expected an expression, found a directive",
        )],
    );
}
