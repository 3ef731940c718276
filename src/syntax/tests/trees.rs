//! The tree of each construct, and the two readings of ambiguous text.

use super::{acc, body, expression, tree};

#[test]
fn casts_and_products_are_told_apart_by_the_typedef() {
    let cases = [
        ("(T) * p", "(cast <(T)> (* p))"),
        ("(x) * p", "(* (paren x) p)"),
        ("(T) & p", "(cast <(T)> (& p))"),
        ("(x) & p", "(& (paren x) p)"),
        ("(T) + b", "(cast <(T)> (+ b))"),
        ("(a) + b", "(+ (paren a) b)"),
        ("(T) - 1 - 2", "(- (cast <(T)> (- 1)) 2)"),
        ("(T)(x)", "(cast <(T)> (paren x))"),
        ("(x)(a)", "(call (paren x) a)"),
        ("(T)(x)[1].m", "(cast <(T)> (. (index (paren x) 1) m))"),
        ("(T)(a, b)", "(cast <(T)> (paren (, a b)))"),
        ("(T)(T)x", "(cast <(T)> (cast <(T)> x))"),
        ("(T)(T)(x)", "(cast <(T)> (cast <(T)> (paren x)))"),
        ("(T)(T)*p", "(cast <(T)> (cast <(T)> (* p)))"),
        ("(T)(int)x", "(cast <(T)> (cast <(int)> x))"),
        ("(T)(int)(x)", "(cast <(T)> (cast <(int)> (paren x)))"),
        ("(T)x++", "(cast <(T)> (post++ x))"),
        ("(T)++x", "(cast <(T)> (++ x))"),
        ("(T)-(T)1", "(cast <(T)> (- (cast <(T)> 1)))"),
        ("(T)!x", "(cast <(T)> (! x))"),
        ("(x) != a", "(!= (paren x) a)"),
        ("(T)~x", "(cast <(T)> (~ x))"),
        ("(T)sizeof x", "(cast <(T)> (sizeof x))"),
        ("(T){1}", "(literal <(T)> {1})"),
        ("(T){1}.m", "(. (literal <(T)> {1}) m)"),
        (
            "(T[2]){1, 2}[0]",
            "(index (literal <(T) (_ (array 2))> {1, 2}) 0)",
        ),
        ("(T *)p", "(cast <(T) (_ pointer)> p)"),
        (
            "(T * const *)p",
            "(cast <(T) (_ pointer (pointer const))> p)",
        ),
        (
            "(T (*)(int))p",
            "(cast <(T) (_ pointer (function ((int) _)))> p)",
        ),
        (
            "(T *(*)[3])p",
            "(cast <(T) (_ pointer (array 3) pointer)> p)",
        ),
        ("(const T)x", "(cast <(const T)> x)"),
        ("(a * (*p))", "(paren (* a (paren (* p))))"),
        ("(T)({ 1; })", "(cast <(T)> (statements\n  (do 1)))"),
    ];
    for (text, expected) in cases {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn sizeof_takes_a_type_or_an_expression() {
    let cases = [
        ("sizeof (T)", "(sizeof-type <(T)>)"),
        ("sizeof (x)", "(sizeof (paren x))"),
        ("sizeof (T) * a", "(* (sizeof-type <(T)>) a)"),
        ("sizeof (x)[0]", "(sizeof (index (paren x) 0))"),
        ("sizeof (T[3])", "(sizeof-type <(T) (_ (array 3))>)"),
        ("sizeof (a[3])", "(sizeof (paren (index a 3)))"),
        ("sizeof (T){1}", "(sizeof (literal <(T)> {1}))"),
        ("sizeof (int *)", "(sizeof-type <(int) (_ pointer)>)"),
        ("sizeof *p + 1", "(+ (sizeof (* p)) 1)"),
        ("sizeof sizeof x", "(sizeof (sizeof x))"),
        ("_Alignof(T)", "(alignof-type <(T)>)"),
        ("__alignof__(x)", "(alignof (paren x))"),
    ];
    for (text, expected) in cases {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn precedence_and_associativity() {
    let cases = [
        ("a + b * x", "(+ a (* b x))"),
        ("a - b - x", "(- (- a b) x)"),
        ("a << 1 + b", "(<< a (+ 1 b))"),
        ("a < b == x", "(== (< a b) x)"),
        ("a & b == x", "(& a (== b x))"),
        (
            "a || b && x | a ^ b & x",
            "(|| a (&& b (| x (^ a (& b x)))))",
        ),
        ("a = b += x", "(= a (+= b x))"),
        ("a ? b : x ? a : b", "(? a b (? x a b))"),
        ("a ? b, x : a", "(? a (, b x) a)"),
        ("a ?: b", "(?: a b)"),
        ("-a * !b", "(* (- a) (! b))"),
        ("a - -b", "(- a (- b))"),
        ("a---b", "(- (post-- a) b)"),
        ("*p++", "(* (post++ p))"),
        ("&a->m[1].n", "(& (. (index (-> a m) 1) n))"),
        ("&&end", "(&& end)"),
        ("__real__ a + __imag__ b", "(+ (real a) (imag b))"),
        ("__extension__ (a)", "(extension (paren a))"),
    ];
    for (text, expected) in cases {
        assert_eq!(expression(text), expected, "{text}");
    }
    assert_eq!(
        body("int a, b;", "a = 1, b = 2;"),
        "(do (, (= a 1) (= b 2)))"
    );
}

#[test]
fn constants_and_strings_keep_their_spelling() {
    for text in [
        "0x1p-3", "1e+5f", "0b101u", ".5", "1.", "0xffULL", "'a'", "L'\\''", "u8\"x\"", "1.0if",
        "0x1.8p3", "0xe",
    ] {
        assert_eq!(expression(text), text);
    }
    assert_eq!(expression("1.0f+2"), "(+ 1.0f 2)");
    assert_eq!(
        expression("0xe+1"),
        "0xe+1",
        "one token, as C has it (6.4.8)"
    );
    assert_eq!(expression("\"a\" L\"b\\\"\""), "\"a\" L\"b\\\"\"");
}

#[test]
fn special_forms() {
    let cases = [
        (
            "_Generic(a, T: 1, int *: 2, default: b)",
            "(generic a (<(T)> 1) (<(int) (_ pointer)> 2) (default b))",
        ),
        ("__builtin_va_arg(p, T *)", "(va-arg p <(T) (_ pointer)>)"),
        (
            "__builtin_offsetof(struct s, m.n[2])",
            "(offsetof <((struct s))> m n [2])",
        ),
        (
            "__builtin_types_compatible_p(T, int)",
            "(types-compatible <(T)> <(int)>)",
        ),
        ("__builtin_choose_expr(1, a, b)", "(choose 1 a b)"),
        ("__builtin_convertvector(a, T)", "(convert-vector a <(T)>)"),
        (
            "__builtin_bit_cast(T *, a)",
            "(bit-cast <(T) (_ pointer)> a)",
        ),
        (
            "({ T q = 1; q; })",
            "(statements\n  (declare (T) q = 1)\n  (do q))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(expression(text), expected, "{text}");
    }
}

#[test]
fn block_items_are_declarations_only_with_a_typedef() {
    let before = "typedef int T; int x, y; void g();";
    let cases = [
        ("T y;", "(declare (T) y)"),
        ("T *y;", "(declare (T) (y pointer))"),
        ("x * y;", "(do (* x y))"),
        ("T (y);", "(declare (T) y)"),
        ("g(y);", "(do (call g y))"),
        (
            "T (*h)(int) = 0;",
            "(declare (T) (h pointer (function ((int) _))) = 0)",
        ),
        ("g(*x);", "(do (call g (* x)))"),
        ("T *y[2], z;", "(declare (T) (y (array 2) pointer) z)"),
        ("T (y)[2] = {1};", "(declare (T) (y (array 2)) = {1})"),
        ("const T z = 1;", "(declare (const T) z = 1)"),
        ("T const z;", "(declare (const T) z)"),
        ("T T = 1; T * x;", "(declare (T) T = 1)\n(do (* T x))"),
        (
            "{ int T; T * x; } T * z;",
            "(block\n  (declare (int) T)\n  (do (* T x)))\n(declare (T) (z pointer))",
        ),
        (
            "enum { T }; (void)(T) + 1;",
            "(declare ((enum {T})))\n(do (+ (cast <(void)> (paren T)) 1))",
        ),
        ("T: x = 1;", "(label T\n  (do (= x 1)))"),
        (
            "struct { int T; } s; s.T = sizeof(T);",
            "(declare ((struct {((int) T)})) s)\n(do (= (. s T) (sizeof-type <(T)>)))",
        ),
        (
            "for (T i = 0; i < 3; i++) ;",
            "(for (declare (T) i = 0) (< i 3) (post++ i)\n  (empty))",
        ),
        (
            "for (T *q = 0; q; ) ;",
            "(for (declare (T) (q pointer) = 0) q _\n  (empty))",
        ),
        (
            "for (int T = 0; ; ) T * x; T * z;",
            "(for (declare (int) T = 0) _ _\n  (do (* T x)))\n(declare (T) (z pointer))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(body(before, text), expected, "{text}");
    }
}

#[test]
fn parameters_hide_typedef_names() {
    assert_eq!(
        tree("typedef int T; void f(int T, int y) { T * y; } T g(T);"),
        "(declare (typedef int) T)\n\
         (function (void) (f (function ((int) T) ((int) y)))\n  (do (* T y)))\n\
         (declare (T) (g (function ((T) _))))\n"
    );
}

#[test]
fn old_style_definitions() {
    assert_eq!(
        tree("int f(a, b) int a; char *b; { return a; }"),
        "(function (int) (f (function no-prototype a b))\n  (declare (int) a)\n  \
         (declare (char) (b pointer))\n  (return a))\n"
    );
    assert_eq!(
        tree("main() { return 0; }"),
        "(function () (main (function no-prototype))\n  (return 0))\n"
    );
    assert_eq!(
        tree("typedef int T; int f(T, T); int g();"),
        "(declare (typedef int) T)\n\
         (declare (int) (f (function ((T) _) ((T) _))))\n\
         (declare (int) (g (function no-prototype)))\n"
    );
}

#[test]
fn declarators_read_from_the_name_outwards() {
    let cases = [
        ("int *a[3];", "(declare (int) (a (array 3) pointer))"),
        ("int (*a)[3];", "(declare (int) (a pointer (array 3)))"),
        (
            "int (*(*f)(void))[2];",
            "(declare (int) (f pointer (function) pointer (array 2)))",
        ),
        (
            "int *const *p;",
            "(declare (int) (p pointer (pointer const)))",
        ),
        (
            "void (*signal(int, void (*)(int)))(int);",
            "(declare (void) (signal (function ((int) _) ((void) (_ pointer (function ((int) _))))) pointer (function ((int) _))))",
        ),
        (
            "int a[const static 3];",
            "(declare (int) (a (array static const 3)))",
        ),
        (
            "void f(int n, double a[static n][n], int b[*], int, ...);",
            "(declare (void) (f (function ((int) n) ((double) (a (array static n) (array n))) ((int) (b (array *))) ((int) _) ...)))",
        ),
        (
            "typedef int T; void f(int (T));",
            "(declare (typedef int) T)\n(declare (void) (f (function ((int) (_ (function ((T) _)))))))",
        ),
        (
            "extern int (isalpha)(int c);",
            "(declare (extern int) (isalpha (function ((int) c))))",
        ),
        (
            "int x = 1, *y = &x, z[2] = {[1] = 3, [0 ... 0] = 2};",
            "(declare (int) x = 1 (y pointer) = (& x) (z (array 2)) = {[1] = 3, [0 ... 0] = 2})",
        ),
        (
            "struct s v = {.a = 1, b: 2, .c[1].d = {3}};",
            "(declare ((struct s)) v = {.a = 1, .b = 2, .c[1].d = {3}})",
        ),
        (
            "unsigned long long int _Complex w;",
            "(declare (unsigned long long int _Complex) w)",
        ),
        (
            "_Float128 q; __float128 r; __int128 i; __uint128_t u;",
            "(declare (_Float128) q)\n(declare (__float128) r)\n(declare (__int128) i)\n(declare (unsigned __int128) u)",
        ),
        (
            "_Atomic int a; _Atomic(int *) b;",
            "(declare (_Atomic int) a)\n(declare ((_Atomic <(int) (_ pointer)>)) b)",
        ),
        (
            "_Alignas(16) int a; _Alignas(double) char c;",
            "(declare ((alignas 16) int) a)\n(declare ((alignas <(double)>) char) c)",
        ),
        (
            "int restrict_, *restrict p, *__restrict q, *__restrict__ r;",
            "(declare (int) restrict_ (p (pointer restrict)) (q (pointer restrict)) (r (pointer restrict)))",
        ),
        (
            "_Static_assert(sizeof(int) == 4, \"int\");",
            "(static-assert (== (sizeof-type <(int)>) 4) \"int\")",
        ),
        ("asm(\"nop\");", "(asm)"),
        (
            "int x asm(\"y\") __attribute__((aligned(16), unused));",
            "(declare (int) x asm \"y\" @aligned(16) @unused)",
        ),
        (
            "typedef float v4 __attribute__((__vector_size__(16)));",
            "(declare (typedef float) v4 @vector_size(16))",
        ),
        (
            "static inline __attribute__((always_inline)) int f(void) { }",
            "(function (static inline int @always_inline) (f (function)))",
        ),
        (
            "typeof(int *) a; __typeof__(a) b;",
            "(declare ((typeof-type <(int) (_ pointer)>)) a)\n(declare ((typeof a)) b)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(tree(text).trim_end(), expected, "{text}");
    }
}

#[test]
fn records_and_enumerations() {
    let cases = [
        (
            "struct s { int a, *b; unsigned c : 3, : 2; };",
            "(declare ((struct s {((int) a (b pointer)) ((unsigned) c : 3 _ : 2)})))",
        ),
        (
            "struct { union { int i; float f; }; struct {} e; } v;",
            "(declare ((struct {(((union {((int) i) ((float) f)}))) (((struct {})) e)})) v)",
        ),
        (
            "struct __attribute__((packed)) s { char c; } __attribute__((aligned(8)));",
            "(declare ((struct s @packed @aligned(8) {((char) c)})))",
        ),
        (
            "enum e { A, B = 3, C, };",
            "(declare ((enum e {A, B = 3, C})))",
        ),
        (
            "struct s; union u; enum e f(void);",
            "(declare ((struct s)))\n(declare ((union u)))\n(declare ((enum e)) (f (function)))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(tree(text).trim_end(), expected, "{text}");
    }
}

#[test]
fn statements() {
    let cases = [
        (
            "if (a) b(); else if (c) d(); else e();",
            "(if a\n  (do (call b))\n  (if c\n    (do (call d))\n    (do (call e))))",
        ),
        (
            "if (a) if (b) c(); else d();",
            "(if a\n  (if b\n    (do (call c))\n    (do (call d))))",
        ),
        (
            "while (a) { break; continue; }",
            "(while a\n  (block\n    (break)\n    (continue)))",
        ),
        (
            "do x++; while (x < 3);",
            "(do-while (< x 3)\n  (do (post++ x)))",
        ),
        (
            "switch (a) { case 1: case 2 ... 4: b(); break; default: ; }",
            "(switch a\n  (block\n    (case 1\n      (case 2 ... 4\n        (do (call b))))\n    (break)\n    (default\n      (empty))))",
        ),
        (
            "goto *p; goto end; end: ;",
            "(goto * p)\n(goto end)\n(label end\n  (empty))",
        ),
        (
            "l: m: return; n: int z; o:",
            "(label l\n  (label m\n    (return)))\n(label n\n  (empty))\n(declare (int) z)\n(label o\n  (empty))",
        ),
        (
            "asm volatile (\"x\" : \"=r\"(a) : : \"memory\"); __asm__ goto (\"\" : : : : l);",
            "(asm)\n(asm)",
        ),
        (
            "int g(int y) { return y; } return g(1);",
            "(function (int) (g (function ((int) y)))\n  (return y))\n(return (call g 1))",
        ),
        (
            "__attribute__((fallthrough)); return(1);",
            "(empty)\n(return (paren 1))",
        ),
        (
            "for (;;) ; for (i = 0, j = 1; i; i++) ;",
            "(for _ _ _\n  (empty))\n(for (, (= i 0) (= j 1)) i (post++ i)\n  (empty))",
        ),
        (
            "int n = 3; double v[n][n + 1];",
            "(declare (int) n = 3)\n(declare (double) (v (array n) (array (+ n 1))))",
        ),
        (
            "returned = doit + iffy; double_ = 1; elsewhere();",
            "(do (= returned (+ doit iffy)))\n(do (= double_ 1))\n(do (call elsewhere))",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(body("", text), expected, "{text}");
    }
}

#[test]
fn directives_take_names_clauses_and_arguments_apart() {
    let cases = [
        ("wait", "wait"),
        ("wait(1, n) async(2)", "wait(1, n) async(2)"),
        (
            "enter data copyin(a[0:n], b) create(c)",
            "enter data copyin(a[0:n], b) create(c)",
        ),
        (
            "update self(a[:n][2], s->p[0:n]) if(x > 0)",
            "update self(a[:n][2], (-> s p)[0:n]) if((> x 0))",
        ),
        (
            "cache(readonly: a[i][0:n+1])",
            "cache(readonly: a[i][0:(+ n 1)])",
        ),
        (
            "set device_num(0), default_async(1)",
            "set device_num(0) default_async(1)",
        ),
        ("fcw_barrier", "fcw_barrier"),
        (
            "update device(a[p:1:2], b[0:n:1][i:j:k])",
            "update device(a[p:1:2], b[0:n:1][i:j:k])",
        ),
        (
            "update device(a[x ? 1 : 2 : n], (*q)[0:n], q->r.s[])",
            "update device(a[(? x 1 2):n], (paren (* q))[0:n], (. (-> q r) s)[])",
        ),
        (
            "wait(devnum: 0 : queues: 1, 2)",
            "wait(devnum=0, queues=1, 2)",
        ),
        (
            "declare device_resident(v) link(w)",
            "declare device_resident(v) link(w)",
        ),
        ("nonsense foo(1 + 2) bar", "nonsense foo((+ 1 2)) bar"),
    ];
    for (text, expected) in cases {
        let expected = format!("(directive {expected})");
        assert_eq!(body("", &acc(text)), expected, "{text}");
    }
}

#[test]
fn directives_govern_the_statement_behind_them() {
    let cases = [
        (
            "parallel loop gang(num: 4, static: *) reduction(+:s) reduction(max:m,k) private(i)",
            "parallel loop gang(num=4, static=*) reduction(+: s) reduction(max: m, k) private(i)",
        ),
        (
            "kernels default(none) vector_length(128)",
            "kernels default(none) vector_length(128)",
        ),
        (
            "loop tile(*, 4) collapse(force: 2) device_type(*)",
            "loop tile(*, 4) collapse(force: 2) device_type(*)",
        ),
        (
            "loop reduction(&&: x) reduction(*:y) auto",
            "loop reduction(&&: x) reduction(*: y) auto",
        ),
        ("atomic capture", "atomic capture"),
        (
            "data copyout(zero: a), no_create(b) if(0)",
            "data copyout(zero: a) no_create(b) if(0)",
        ),
        ("fcw(a[i:1:1])", "fcw(a[i:1:1])"),
    ];
    for (text, expected) in cases {
        let statement = format!("{} for (;;) ;", acc(text));
        let expected = format!("(directive {expected}\n  (for _ _ _\n    (empty)))");
        assert_eq!(body("", &statement), expected, "{text}");
    }
    let nested = format!(
        "{} l: {} {{ {} }}",
        acc("data copy(a)"),
        acc("parallel"),
        acc("wait")
    );
    assert_eq!(
        body("", &nested),
        "(directive data copy(a)\n  (label l\n    (directive parallel\n      (block\n        (directive wait)))))"
    );
    let in_if = format!(
        "if (a) {} for (;;) ; else {} ;",
        acc("loop"),
        acc("parallel")
    );
    assert_eq!(
        body("", &in_if),
        "(if a\n  (directive loop\n    (for _ _ _\n      (empty)))\n  (directive parallel\n    (empty)))"
    );
    assert_eq!(
        tree(&format!(
            "{}\nint f(int); {}",
            acc("routine seq"),
            acc("declare create(x)")
        )),
        "(directive routine seq)\n(declare (int) (f (function ((int) _))))\n(directive declare create(x))\n"
    );
}
