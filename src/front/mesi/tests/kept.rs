//! Addresses and references that are chosen, handed on, given back or kept.

use super::{is, translated, translated_with};

/// The first error, or nothing.
fn error(others: &str, body: &str) -> Option<String> {
    let out = translated_with(others, body);
    (!out.contains(body.split(';').next().unwrap_or_default())).then_some(out)
}

#[track_caller]
fn goes_to(others: &str, body: &str, to: &str) {
    let expected = format!("the address of `a` goes to {to}");
    assert_eq!(translated_with(others, body), expected, "{others}\n{body}");
}

#[test]
fn choices_are_both_memories() {
    for value in [
        "s ? a : b",
        "s > 1 ? a : b",
        "s && s > 2 ? a + 1 : &b[2]",
        "s ? s > 1 ? a : b : p",
    ] {
        is(
            &format!("int *z = {value}; z[1] = 2;"),
            &format!("int *z = {value}; accrs_mesi::host_writes(z); z[1] = 2;"),
        );
    }
    is(
        "int *z; z = p ?: a; int x = z[2];",
        "int *z; z = p ?: a; accrs_mesi::host_reads(z); int x = z[2];",
    );
    is(
        "switch (3) { case 1: p++; break; default: p--; }",
        "switch (3) { case 1: p++; break; default: p--; }",
    );
    goes_to("", "kept = s ? a : p;", "`kept`");
}

#[test]
fn pointers_to_pointers_and_references_to_them_are_pointers() {
    is(
        "int *z = a; int *&y = z; y[2] = 1;",
        "int *z = a; int *&y = z; accrs_mesi::host_writes(y); y[2] = 1;",
    );
    is(
        "int *z = a; int **w = &z; (*w)[2] = 1;",
        "int *z = a; int **w = &z; accrs_mesi::host_writes(w); (*w)[2] = 1;",
    );
    goes_to("void get(int *&o) { o = a; }", "int *z; get(z);", "`o`");
    let swap = "void change(int *&x, int *&y) { int *h = x; x = y; y = h; }";
    let out = translated_with(swap, "int *z = a, *y = 0; change(z, y); y[1] = 2;");
    assert!(
        out.ends_with("accrs_mesi::host_writes(y); y[1] = 2;"),
        "{out}"
    );
    let kept = translated_with(swap, "int *z = a; change(z, kept);");
    assert_eq!(kept, "the address of `z` goes to `kept`");
}

#[test]
fn references_that_calls_give_back_are_the_values() {
    let of = "int &same(int &x) { return x; } struct Q { int &v; };";
    let out = translated_with(of, "same(a[2]) = 5;");
    assert_eq!(out, "a_copies.host_writes(); same(a[2]) = 5;");
    let out = translated_with(of, "int *z = &same(a[2]); z[1] = 2;");
    assert!(
        out.ends_with("accrs_mesi::host_writes(z); z[1] = 2;"),
        "{out}"
    );
    goes_to(of, "Q o{a[2]};", "a structure with references");
    goes_to(
        of,
        "auto o = [&r = a[2]] { return r; };",
        "a reference that a lambda captures",
    );
    goes_to(
        of,
        "auto o = [](int i) -> int & { return a[i]; };",
        "the caller of a lambda",
    );
    goes_to(
        "template <int *P> int at() { return P[0]; }",
        "int x = at<a>();",
        "the template that it is an argument of",
    );
}

#[test]
fn what_may_keep_an_address_is_an_error() {
    for (statement, to) in [
        ("auto o = std::ref(a[2]);", "`std::ref`, which may keep it"),
        (
            "auto o = std::make_pair(a, 3);",
            "`std::make_pair`, which may keep it",
        ),
        (
            "std::vector<int *> v{a, b};",
            "a structure or an array of addresses",
        ),
        (
            "std::thread th(total, a);",
            "an object of `std` that may keep it",
        ),
        (
            "auto o = std::minmax_element(a, a + 9);",
            "`std::minmax_element`, which may keep it",
        ),
        (
            "decltype(auto) o = (a[3]);",
            "a name whose type is deduced, so that it may be a reference",
        ),
        ("size_t u = (size_t)a; int *z = (int *)u;", "`size_t u`"),
    ] {
        goes_to("", statement, to);
    }
    for statement in [
        "std::vector<int> v(a, a + 9);",
        "std::sort(std::begin(a), std::end(a));",
        "int x = *std::minmax_element(a, a + 9).first;",
        "std::tie(a[0], a[1]) = std::make_pair(1, 2);",
        "size_t u = (size_t)a; if (u % 16 == 0) s++;",
        "bool is = p;",
    ] {
        assert_eq!(error("", statement), None, "{statement}");
    }
}

#[test]
fn what_a_call_may_read_is_not_set_before() {
    for value in ["gp() + 1", "(*f)() + 1", "tab[0]()", "h.get()"] {
        is(
            &format!("t = {value};"),
            &format!("t_copies.host_writes(); t = {value};"),
        );
    }
    is(
        "t = abs(3) + (int)fmax(1, 2);",
        "t_copies.host_sets(sizeof t); t = abs(3) + (int)fmax(1, 2);",
    );
}

#[test]
fn code_that_is_not_followed_names_nothing_shared() {
    let message = "`a` is used outside of the functions that are followed";
    for others in [
        "struct K { int v; K() : v(a[2]) {} };",
        "int f(int v = a[2]) { return v; }",
        "int f(int *v = a);",
        "int *first = at(a, 2);",
        "struct K {}; int operator+(K, int) { fill(a, 3); return 0; }",
    ] {
        assert_eq!(translated_with(others, ""), message, "{others}");
    }
    for tag in ["enum a { NONE };", "struct a { int v; }; struct a *first;"] {
        let out = translated_with(tag, "a[2] = 1;");
        assert_eq!(out, "a_copies.host_writes(); a[2] = 1;", "{tag}");
    }
    let special = "template <class X> int g(X *v) { return v[1]; } template <> int g<int>(int *v) { v[1] = 7; return 1; }";
    let out = translated_with(special, "g(a);");
    assert_eq!(out, "a_copies.host_writes(); g(a);");
}

#[test]
fn lines_stand_where_statements_may_stand() {
    let out = translated("try { count<[<1>]>(); } catch (int) { t++; }");
    assert!(
        out.ends_with("catch (int) { t_copies.host_writes(); t++; }"),
        "{out}"
    );
    for header in [
        "for (; t < 6; count<[<1>]>()) ;",
        "while (count<[<1>]>(), t < 6) ;",
    ] {
        assert_eq!(translated(header), "a header launches a kernel", "{header}");
    }
    is("p = new int[4]();", "p = accrs_mesi::make_zeros<int>(4);");
    assert_eq!(
        translated("p = new int[4]{1, 2};"),
        "shared memory begins with a list of values"
    );
    let made = "int *make(int n) { return (int *)calloc(n, 4); }";
    assert_eq!(translated_with(made, "p = make(3);"), "p = make(3);");
}
