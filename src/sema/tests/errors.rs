//! What is an error, and that it is one error only.

use super::*;

/// Each text has exactly the error beside it.
fn check(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(errors(text), [expected.to_string()], "in {text}");
    }
}

#[test]
fn names() {
    check(&[
        (
            "int f(int count) { return cuont + cuont * 2; }",
            "A0301 `cuont`: the variable `cuont` is not declared \
             (did you mean `count`?)",
        ),
        (
            "int f(double x) { return sqrt(x) > sqrt(2); }",
            "A0301 `sqrt`: the function `sqrt` is not declared (`#include <math.h>` declares it)",
        ),
        (
            "void work(void); void f(void) { wrok(); }",
            "A0301 `wrok`: the function `wrok` is not declared \
             (did you mean `work`?)",
        ),
        (
            "struct p { int first; }; int f(struct p q) { return q.frist; }",
            "A0302 `frist`: `struct p` has no member `frist` (did you mean `first`?)",
        ),
        (
            "struct p { int x; }; int f(struct p *q) { return q.x; }",
            "A0302 `x`: a `struct p *` has no member `x` (write `->x`: this is a pointer)",
        ),
        (
            "struct p { int x; }; int f(struct p q) { return q->x; }",
            "A0302 `x`: a `struct p` has no member `x` (write `.x`: this is no pointer)",
        ),
        (
            "int f(void) { goto end; }",
            "A0313 `end`: the label `end` does not exist in this function",
        ),
    ]);
}

#[test]
fn calls() {
    check(&[
        (
            "int f(int n) { return n(1); }",
            "A0303 `n(1)`: a `int` cannot be called",
        ),
        (
            "int g(int, int); int f(void) { return g(1); }",
            "A0304 `g(1)`: `g` takes 2 arguments, 1 given",
        ),
        (
            "int g(int, ...); int f(void) { return g(); }",
            "A0304 `g()`: `g` takes at least 1 argument, 0 given",
        ),
        (
            "struct s { int x; } v; int g(int); int f(void) { return g(v); }",
            "A0309 `v`: argument 1 has type `struct s` where `int` is needed",
        ),
    ]);
}

#[test]
fn operands() {
    check(&[
        (
            "int f(double x) { return x % 2; }",
            "A0305 `x % 2`: `%` does not apply to `double` and `int`",
        ),
        (
            "int f(int *p, int *q) { return p + q; }",
            "A0305 `p + q`: `+` does not apply to `int *` and `int *`",
        ),
        (
            "int f(int x) { return *x; }",
            "A0305 `*x`: a `int` cannot be dereferenced",
        ),
        (
            "int f(int x) { return x[1]; }",
            "A0305 `x[1]`: a `int` cannot be indexed",
        ),
        (
            "int f(int *x) { return x[1.0]; }",
            "A0305 `1.0`: an index of type `double` is no integer",
        ),
        (
            "int *f(int x) { return &(x + 1); }",
            "A0305 `(x + 1)`: only objects and functions have an address (store it in a variable first)",
        ),
        (
            "struct s { int b : 3; } s; void f(void) { &s.b; }",
            "A0305 `&s.b`: a bit-field has no address",
        ),
        (
            "struct s { int x; } s; int f(void) { return -s; }",
            "A0305 `-s`: this operator does not apply to a `struct s`",
        ),
        (
            "struct s { int x; } s; int f(void) { if (s) return 1; return 0; }",
            "A0305 `s`: a value of type `struct s` is neither true nor false",
        ),
        (
            "struct s { int x; } s; int f(void) { return (int)s; }",
            "A0309 `(int)s`: a `struct s` cannot be cast to `int`",
        ),
        (
            "int f(double x) { switch (x) { } return 0; }",
            "A0305 `x`: a switch needs an integer, not a `double` (compare with `if` and `else if`)",
        ),
    ]);
}

#[test]
fn assignments() {
    check(&[
        (
            "void f(void) { 1 = 2; }",
            "A0308 `1`: a value cannot be assigned to",
        ),
        (
            "void f(const int x) { x = 2; }",
            "A0308 `x`: a `const` object cannot be changed",
        ),
        (
            "void f(const int *p) { p[1]++; }",
            "A0308 `p[1]`: a `const` object cannot be changed",
        ),
        (
            "void f(void) { int a[3], b[3]; a = b; }",
            "A0308 `a`: an array cannot be assigned to",
        ),
        (
            "void g(void); void f(void) { int x = g(); }",
            "A0309 `g()`: the initialiser has type `void` where `int` is needed",
        ),
        (
            "struct s { int x; } v; int f(void) { return v; }",
            "A0309 `v`: the returned value has type `struct s` where `int` is needed",
        ),
    ]);
}

#[test]
fn declarations() {
    check(&[
        (
            "int x; double x;",
            "A0307 `x`: `x` is declared with two different types",
        ),
        (
            "int f(int); int f(double);",
            "A0307 `f`: `f` is declared with two different types",
        ),
        (
            "void f(void) { int x; int x; }",
            "A0307 `x`: `x` is declared twice in this scope",
        ),
        (
            "int f(int a, int a) { return 1; }",
            "A0307 `a`: `a` is declared twice in this scope",
        ),
        (
            "int f(void) { return 1; } int f(void) { return 2; }",
            "A0307 `f(void)`: the function `f` is defined twice",
        ),
        (
            "int a = 1; int a = 2;",
            "A0307 `a = 2`: `a` gets a value twice",
        ),
        (
            "struct s { int x; }; struct s { int y; };",
            "A0307 `struct s { int y; }`: `struct s` is defined twice",
        ),
        (
            "struct s { int x; float x; };",
            "A0307 `x`: the member `x` is declared twice",
        ),
        (
            "typedef int T; typedef double T;",
            "A0307 `T`: the type `T` was `int` and becomes `double`",
        ),
        (
            "enum e { A, B, A };",
            "A0307 `A`: `A` is declared twice in this scope",
        ),
        (
            "struct s; void f(void) { struct s v; }",
            "A0306 `v`: the type `struct s` is incomplete: a variable needs a size (define `struct s` before this, or include the header that does)",
        ),
        (
            "struct s; int f(struct s *p) { return p->x; }",
            "A0306 `p`: the type `struct s` is incomplete: its members are not known (define `struct s` before this, or include the header that does)",
        ),
        (
            "void f(void) { void v; }",
            "A0314 `v`: the variable `v` cannot have type `void` (only pointers to `void` and functions without a result use `void`)",
        ),
        (
            "int n; int a[n];",
            "A0310 `n`: the size of an array outside functions is not constant (use a `#define` or an `enum` constant for the size)",
        ),
        (
            "void f(void) { int a[-1]; }",
            "A0314 `-1`: an array cannot have -1 elements",
        ),
        (
            "int f(void)[3];",
            "A0314 `(void)`: a function cannot return an array (return a pointer)",
        ),
        (
            "struct s { int b : 40; };",
            "A0314 `40`: a bit-field of type `int` cannot be 40 bits wide",
        ),
        (
            "unsigned double x;",
            "A0314 `unsigned double`: these specifiers do not form a type together (keep one type, such as `unsigned long` or `double`)",
        ),
        (
            "_Static_assert(sizeof(int) == 8, \"too small\");",
            "A0316 `sizeof(int) == 8`: static assertion failed: too small",
        ),
        (
            "int x = 08;",
            "A0317 `08`: `08` is no valid integer constant",
        ),
    ]);
}

#[test]
fn statements() {
    check(&[
        (
            "void f(void) { break; }",
            "A0311 `break;`: `break` stands outside of a loop or switch",
        ),
        (
            "void f(int n) { switch (n) { case 1: continue; } }",
            "A0311 `continue;`: `continue` stands outside of a loop",
        ),
        (
            "void f(void) { case 1: ; }",
            "A0311 `case 1`: `case` stands outside of a switch",
        ),
        (
            "void f(void) { default: ; }",
            "A0311 `default`: `default` stands outside of a switch",
        ),
        (
            "void f(int n) { switch (n) { case 1: case 2 - 1: ; } }",
            "A0312 `2 - 1`: the case 1 occurs twice in this switch",
        ),
        (
            "void f(int n) { switch (n) { default: default: ; } }",
            "A0312 `default`: a switch has two `default` labels",
        ),
        (
            "void f(int n) { switch (n) { case n: ; } }",
            "A0310 `n`: the value of a case is no integer constant",
        ),
        (
            "void f(void) { x: ; x: ; }",
            "A0312 `x`: the label `x` occurs twice in this function",
        ),
    ]);
}

#[test]
fn initialisers() {
    check(&[
        (
            "int a[2] = { [2] = 1 };",
            "A0315 `2`: the array has 2 elements, so there is no element 2",
        ),
        (
            "struct s { int x; } v = { .y = 1 };",
            "A0315 `y`: a `struct s` has no member `y` to initialise",
        ),
        (
            "int b[2]; int a[2] = b;",
            "A0315 `b`: an array needs a list in braces as its initialiser (write `{ … }`, or copy the elements in a loop)",
        ),
        (
            "void f(int n) { int a[n] = { 1 }; }",
            "A0315 `{ 1 }`: an array of variable length cannot have an initialiser (assign to its elements after the declaration)",
        ),
        (
            "void f(void) { __auto_type a = nowhere + 1; a = 1; }",
            "A0301 `nowhere`: the variable `nowhere` is not declared",
        ),
        (
            "void f(void) { int a[] = { nowhere, 2 }; a[0] = 1; }",
            "A0301 `nowhere`: the variable `nowhere` is not declared",
        ),
    ]);
}

/// What compilers only warn of is not for us to reject.
#[test]
fn warnings_of_compilers_are_accepted() {
    accepted(
        "int f(void) { }
         int *p = 5; int n = (int)(long)\"x\"; char *s = 0;
         void g(void) { int *q = 1.0 > 0; q = n; n = q; p = s; s = p; return 1; }
         int h(x) { return; }
         void excess(void) { int a[2] = { 1, 2, 3 }; int b = { 1, 2 }; char c[2] = \"abc\"; }
         int compare(int *p, long n, char *s) { return p == n && p < s; }
         void cast(void *v) { int (*f)(int) = v; v = f; *(volatile int *)v = 1; }",
    );
}

#[test]
fn errors_do_not_cascade_and_all_are_found() {
    let found = errors(
        "int f(int n) {
           int a = missing.member[3]->x(1) + 2 * n;
           double *p = &missing2;
           for (int i = 0; i < missing; i++) { p[i] = unknown(a, missing) ? 1 : missing2; }
           return -missing + !missing2;
         }
         int g(void) { return missing; }",
    );
    let names: Vec<&str> = found.iter().map(|e| e.split('`').nth(1).unwrap()).collect();
    assert_eq!(names, ["missing", "missing2", "unknown", "missing"]);
}
