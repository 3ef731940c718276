//! Types of expressions, clause by clause of the standard.

use super::*;

const DECLARATIONS: &str = "
    _Bool b; char c; signed char sc; unsigned char uc; short s; unsigned short us;
    int i; unsigned u; long l; unsigned long ul; long long ll; unsigned long long ull;
    __int128 w; float f; double d; long double ld; _Complex float cf; _Complex double cd;
    enum small { A, B } e; enum negative { M = -1 } n; enum large { G = 1l << 40 } g;
    int *p; const int *cp; void *v; char *str; int **pp; double a[3]; int m[2][5];
    struct s { int x; unsigned bits : 3; unsigned full : 32; int array[4]; const char *name;
               struct { int inner; }; struct s *next; } st, *ps;
    const struct s cst; union un { int i; float f; } un;
    int fn(int, float); double (*pf)(double); void nothing(void); int old();
    typedef float v4 __attribute__((vector_size(16))); v4 x4, y4;
";

/// Checks types of expressions in the scope of the declarations above.
fn check(table: &[(&str, &str)]) {
    let mut text = format!("{DECLARATIONS} void test(void) {{\n");
    for (expression, _) in table {
        text.push_str(&format!("{expression};\n"));
    }
    text.push('}');
    let unit = accepted(&text);
    let made = expressions(&unit);
    assert_eq!(made.len(), table.len());
    for ((expression, expected), e) in table.iter().zip(made) {
        assert_eq!(show(&unit, e.ty), *expected, "{expression}");
    }
}

/// Checks the conversions that an expression is given.
fn check_conversions(table: &[(&str, &str)]) {
    let mut text = format!("{DECLARATIONS} void test(void) {{\n");
    for (expression, _) in table {
        text.push_str(&format!("{expression};\n"));
    }
    text.push('}');
    let unit = accepted(&text);
    for ((expression, expected), e) in table.iter().zip(expressions(&unit)) {
        assert_eq!(with_conversions(&unit, e), *expected, "{expression}");
    }
}

#[test]
fn integer_promotion_6_3_1_1() {
    check(&[
        ("+b", "int"),
        ("+c", "int"),
        ("-uc", "int"),
        ("~us", "int"),
        ("+u", "unsigned"),
        ("+e", "unsigned"),
        ("+n", "int"),
        ("+g", "unsigned long"),
        ("A", "int"),
        ("G", "unsigned long"),
        ("+st.bits", "int"),
        ("+st.full", "unsigned"),
        ("c << ul", "int"),
        ("ul << c", "unsigned long"),
    ]);
}

#[test]
fn usual_arithmetic_conversions_6_3_1_8() {
    check(&[
        ("c + s", "int"),
        ("i + u", "unsigned"),
        ("u + l", "long"),
        ("l + ul", "unsigned long"),
        ("ul + ll", "unsigned long long"),
        ("l + ll", "long long"),
        ("w + ull", "__int128"),
        ("i + f", "float"),
        ("f * d", "double"),
        ("d / ld", "long double"),
        ("ul + f", "float"),
        ("cf + d", "_Complex double"),
        ("cd * ld", "_Complex long double"),
        ("st.bits + u", "unsigned"),
        ("st.bits - 1", "int"),
        ("e + i", "unsigned"),
    ]);
}

#[test]
fn constants_6_4_4() {
    check(&[
        ("1", "int"),
        ("1u", "unsigned"),
        ("2147483648", "long"),
        ("0xffffffff", "unsigned"),
        ("'a'", "int"),
        ("L'a'", "int"),
        ("u'a'", "unsigned short"),
        ("1.0", "double"),
        ("1.0f", "float"),
        ("1.0L", "long double"),
        ("1.0i", "_Complex double"),
        ("\"abc\"", "char [4]"),
        ("L\"abc\"", "int [4]"),
        ("__func__", "const char [5]"),
        ("sizeof i", "unsigned long"),
        ("_Alignof(double)", "unsigned long"),
    ]);
}

#[test]
fn postfix_6_5_2() {
    check(&[
        ("a[1]", "double"),
        ("1[a]", "double"),
        ("m[1]", "int [5]"),
        ("m[1][2]", "int"),
        ("cp[0]", "const int"),
        ("fn(1, 2)", "int"),
        ("pf(1)", "double"),
        ("(*pf)(1)", "double"),
        ("(****pf)(1)", "double"),
        ("nothing()", "void"),
        ("st.x", "int"),
        ("cst.x", "const int"),
        ("cst.array", "const int [4]"),
        ("ps->name", "const char *"),
        ("ps->next->x", "int"),
        ("st.inner", "int"),
        ("cst.inner", "const int"),
        ("c++", "char"),
        ("p--", "int *"),
        ("(struct s){1}", "struct s"),
        ("(int[]){1, 2, 3}", "int [3]"),
        ("(const int){1}", "const int"),
    ]);
}

#[test]
fn unary_6_5_3() {
    check(&[
        ("&i", "int *"),
        ("&a", "double (*)[3]"),
        ("&a[1]", "double *"),
        ("&cst", "const struct s *"),
        ("&fn", "int (*)(int, float)"),
        ("*a", "double"),
        ("*m", "int [5]"),
        ("**m", "int"),
        ("*pp", "int *"),
        ("*cp", "const int"),
        ("*fn", "int (int, float)"),
        ("!p", "int"),
        ("!d", "int"),
        ("++c", "char"),
        ("-f", "float"),
        ("__real__ cd", "double"),
        ("__imag__ cf", "float"),
        ("~cd", "_Complex double"),
        ("-x4", "float __attribute__((vector_size(16)))"),
    ]);
}

#[test]
fn binary_6_5_5_to_14() {
    check(&[
        ("p + 1", "int *"),
        ("1 + p", "int *"),
        ("a + 1", "double *"),
        ("m + 1", "int (*)[5]"),
        ("p - 1", "int *"),
        ("p - p", "long"),
        ("&m[1] - m", "long"),
        ("d < f", "int"),
        ("p == 0", "int"),
        ("p != v", "int"),
        ("ul >= 1", "int"),
        ("p && d", "int"),
        ("c & uc", "int"),
        ("u ^ l", "long"),
        ("v + 1", "void *"),
        ("x4 + y4", "float __attribute__((vector_size(16)))"),
        ("x4 * 2.0f", "float __attribute__((vector_size(16)))"),
        ("x4 < y4", "int __attribute__((vector_size(16)))"),
        ("x4[1]", "float"),
    ]);
}

#[test]
fn conditional_6_5_15() {
    check(&[
        ("b ? i : d", "double"),
        ("b ? c : s", "int"),
        ("b ? p : 0", "int *"),
        ("b ? (void *)0 : p", "int *"),
        ("b ? v : p", "void *"),
        ("b ? p : cp", "const int *"),
        ("b ? cp : v", "const void *"),
        ("b ? st : st", "struct s"),
        ("b ? nothing() : nothing()", "void"),
        ("b ? a : 0", "double *"),
        ("b ? fn : fn", "int (*)(int, float)"),
        ("i ?: l", "long"),
        ("b ? \"a\" : \"bc\"", "char *"),
    ]);
}

#[test]
fn assignment_6_5_16_and_comma_6_5_17() {
    check(&[
        ("c = d", "char"),
        ("p = 0", "int *"),
        ("st = cst", "struct s"),
        ("i += 1.5", "int"),
        ("p += 2", "int *"),
        ("(i, d)", "double"),
        ("(i, a)", "double *"),
        ("({ int k = 1; k * d; })", "double"),
        ("({ i; ; })", "void"),
        ("({ __auto_type k = a; k; })", "double *"),
        ("({ const __auto_type k = 1.5f; &k; })", "const float *"),
        ("({ if (i) i; })", "void"),
        ("v = p", "void *"),
    ]);
}

#[test]
fn generic_selection_6_5_1_1() {
    check(&[
        (
            "_Generic(1.0f, float: 1u, double: 1.0, default: p)",
            "unsigned",
        ),
        (
            "_Generic(1.0, float: 1u, double: 1.0, default: p)",
            "double",
        ),
        ("_Generic(c, int: 1u, default: p)", "int *"),
        ("_Generic(\"s\", char *: 1u, default: p)", "unsigned"),
        ("_Generic(cst.x, int: 1ul, default: p)", "unsigned long"),
        ("_Generic(&i, const int *: 1, int *: 2l)", "long"),
        ("__builtin_choose_expr(sizeof(int) == 4, 1.0, p)", "double"),
        ("__builtin_types_compatible_p(int, const int)", "int"),
    ]);
}

#[test]
fn builtins() {
    check(&[
        ("__builtin_sqrt(2)", "double"),
        ("__builtin_sqrtf(2)", "float"),
        ("__builtin_expect(i, 0)", "long"),
        ("__builtin_bswap64(1)", "unsigned long"),
        ("__builtin_popcountll(1)", "int"),
        ("__builtin_memcpy(p, v, 4)", "void *"),
        ("__builtin_huge_valf()", "float"),
        ("__builtin_inf()", "double"),
        ("__builtin_nanf(\"\")", "float"),
        ("__builtin_constant_p(i)", "int"),
        ("__sync_fetch_and_add(&l, 1)", "long"),
        ("__atomic_load_n(&ull, 5)", "unsigned long long"),
        ("__builtin_add_overflow(1, 2, &i)", "_Bool"),
        ("__builtin_complex(1.0f, 2.0f)", "_Complex float"),
        ("__builtin_unknown_thing(1, 2)", "int"),
    ]);
}

#[test]
fn operands_are_converted() {
    check_conversions(&[
        ("c + l", "(<long>c + l)"),
        ("c + c", "(<int>c + <int>c)"),
        ("f + 1", "(f + <float>1)"),
        ("i < d", "(<double>i < d)"),
        ("cd * f", "(cd * <double>f)"),
        ("p == 0", "(p == <int *>0)"),
        ("a == 0", "(<double *>a == <double *>0)"),
        ("a + 1", "(<double *>a + 1)"),
        ("f = 1.0", "f = <float>1.0"),
        ("b = p", "b = <_Bool>p"),
        ("b = i", "b = <_Bool>i"),
        ("v = p", "v = <void *>p"),
        ("p = v", "p = <int *>v"),
        ("p = 0", "p = <int *>0"),
        ("fn(1.0, 2)", "fn(<int>1.0, <float>2)"),
        ("fn(c, f)", "fn(<int>c, f)"),
        ("old(f, c, a)", "old(<double>f, <int>c, <double *>a)"),
        ("pf(i)", "pf(<double>i)"),
        ("b ? 1 : d", "b ? <double>1 : d"),
        ("b ? p : 0", "b ? p : <int *>0"),
        ("c += 1", "c +=[int] 1"),
        ("c *= d", "c *=[double] d"),
        ("f += d", "f +=[double] d"),
        ("d += f", "d +=[double] <double>f"),
        ("i <<= l", "i <<=[int] l"),
        ("p += c", "p +=[int *] <int>c"),
        ("p - c", "(p - <int>c)"),
        ("st.bits += 1", "st.bits +=[int] 1"),
        ("u += st.bits", "u +=[unsigned] st.bits"),
    ]);
}

#[test]
fn integer_constant_expressions_6_6() {
    for (expression, value) in [
        ("1 + 2 * 3", 7),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("1u - 2u", 0xffff_ffff),
        ("2147483647 + 1", -2_147_483_648),
        ("(unsigned char)300", 44),
        ("(signed char)200", -56),
        ("(_Bool)7", 1),
        ("(int)3.9", 3),
        ("(int)-3.9f", -3),
        ("1 << 31", -2_147_483_648),
        ("-1 >> 1", -1),
        ("0xffffffffu >> 31", 1),
        ("~0", -1),
        ("~0u", 0xffff_ffff),
        ("!5", 0),
        ("1 < 2 && 2 < 1", 0),
        ("0 && 1 / 0", 0),
        ("1 || 1 / 0", 1),
        ("1 ? 2 : 1 / 0", 2),
        ("-1 < 0u", 0),
        ("1.5 < 2", 1),
        ("sizeof(int[10])", 40),
        ("sizeof(\"abc\")", 4),
        ("sizeof(char) == 1", 1),
        ("'a' + 1", 98),
        ("G >> 38", 4),
        ("__builtin_offsetof(struct s, array[2])", 20),
        ("__builtin_offsetof(struct s, inner)", 40),
        ("(long)&((struct s *)0)->name", 32),
        ("(char *)&((struct s *)0)->array[1] - (char *)0", 16),
        ("_Alignof(long double)", 16),
        ("__builtin_constant_p(3 + 4)", 1),
        ("__builtin_types_compatible_p(int *, int *)", 1),
        ("__builtin_types_compatible_p(int *, long *)", 0),
    ] {
        let unit = accepted(&format!("{DECLARATIONS} long value = {expression};"));
        assert_eq!(value_of(&unit, "value"), Some(value), "{expression}");
    }
    for expression in ["i", "1 / 0", "1 << 40", "sizeof i + i", "fn(1, 2)"] {
        let text = format!("{DECLARATIONS} void test(void) {{ {expression}; }}");
        let unit = accepted(&text);
        let e = expressions(&unit)[0];
        assert_eq!(constant::evaluate(&unit, e), None, "{expression}");
    }
}

#[test]
fn lengths_of_variable_arrays_stay_expressions() {
    let unit = accepted(
        "void f(int n, int m, double a[n][m], int k[static 4]) {
           double b[n + 1][m]; sizeof b; sizeof b[0]; sizeof(int[3]); a[1]; k; }",
    );
    let made = expressions(&unit);
    let types: Vec<String> = made.iter().map(|e| show(&unit, e.ty)).collect();
    assert_eq!(
        types,
        [
            "unsigned long",
            "unsigned long",
            "unsigned long",
            "double [m]",
            "int *"
        ]
    );
    assert!(matches!(made[0].kind, ExpressionKind::SizeofVariable(_)));
    assert!(matches!(
        made[2].kind,
        ExpressionKind::Integer { value: 12, .. }
    ));
    assert_eq!(show(&unit, symbol(&unit, "a").ty), "double (*)[m]");
    assert_eq!(show(&unit, symbol(&unit, "b").ty), "double [n + 1][m]");
    let declared: Vec<String> = unit
        .declared_arrays
        .values()
        .map(|ty| show(&unit, *ty))
        .collect();
    assert_eq!(declared, ["double [n][m]", "int [4]"]);
    let StatementKind::Compound(list) = &unit.functions[0].body.kind else {
        panic!();
    };
    let StatementKind::Declaration(objects) = &list[0].kind else {
        panic!();
    };
    let lengths: Vec<String> = objects[0]
        .lengths
        .iter()
        .map(|id| Printer::text(&unit, &C, unit.length(*id)))
        .collect();
    assert_eq!(lengths, ["n + 1", "m"]);
}
