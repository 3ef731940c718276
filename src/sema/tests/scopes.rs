//! Scopes, linkage, composite types, declarations, directives.

use super::*;
use crate::ast::ArgumentValue;
use crate::typed::{Item, Storage, SymbolKind};

fn type_of(unit: &Unit, name: &str) -> String {
    show(unit, symbol(unit, name).ty)
}

#[test]
fn declarations_of_one_object_are_one_symbol() {
    let unit = accepted(
        "extern int a[]; int a[10]; extern int a[];
         int f(); int f(int, double); int f();
         int (*g)[]; extern int (*g)[4];
         static int s; extern int s;
         int f(int x, double y) { extern int a[]; int f(int, double); return a[x] + f(1, y); }",
    );
    assert_eq!(type_of(&unit, "a"), "int [10]");
    assert_eq!(type_of(&unit, "f"), "int (int, double)");
    assert_eq!(type_of(&unit, "g"), "int (*)[4]");
    for name in ["a", "f", "g", "s"] {
        assert_eq!(
            unit.symbols.iter().filter(|s| s.name == name).count(),
            1,
            "{name}"
        );
    }
    assert_eq!(
        symbol(&unit, "s").kind,
        SymbolKind::Variable(Storage::FileStatic)
    );
    let id = unit.functions[0].symbol;
    assert_eq!(unit.function(id).unwrap().parameters.len(), 2);
    assert!(matches!(unit.items[0], Item::Global(0)));
}

#[test]
fn inner_names_hide_outer_ones() {
    let unit = accepted(
        "int x; typedef int T;
         double f(double x) {
           { float x = 1; T y = x; x; }
           for (char x = 0; x < 3; x++) x;
           T T = 3;
           struct x { int m; } s = { T };
           x: if (s.m) goto x;
           return x;
         }
         T after;",
    );
    let types: Vec<String> = unit
        .symbols
        .iter()
        .filter(|s| s.name == "x")
        .map(|s| show(&unit, s.ty))
        .collect();
    assert_eq!(types, ["int", "double", "float", "char"]);
    assert_eq!(type_of(&unit, "after"), "int");
}

#[test]
fn old_style_definitions() {
    let unit = accepted(
        "int sum(a, n, rest) double *a; int n; { return (int)a[n] + rest; }
         int call(void) { double d[3] = {0}; return sum(d, 1, 'c'); }",
    );
    let parameters: Vec<String> = unit.functions[0]
        .parameters
        .iter()
        .map(|id| show(&unit, unit.symbol(*id).ty))
        .collect();
    assert_eq!(parameters, ["double *", "int", "int"]);
}

#[test]
fn labels_of_blocks() {
    accepted(
        "int f(int n) {
           if (n) { __label__ out; goto out; out: n++; }
           ({ __label__ out, in; void *p = &&in; out: in: goto *p; });
           out: goto out;
         }",
    );
}

#[test]
fn tags_and_their_scopes() {
    accepted(
        "struct node { struct node *next; struct other *o; };
         struct other { int v; };
         int f(struct node *n) { return n->o->v; }
         int g(void) { struct other; struct other { double d; } o = { 1.5 }; return o.d > 1; }
         enum color { RED, GREEN = 5, BLUE }; int blue[BLUE];
         int h(enum color c) { enum { RED = 7 }; int a[RED]; return c + sizeof a; }
         struct { int k; } unnamed; typedef struct { int k; } named; named q;",
    );
}

#[test]
fn kinds_of_storage() {
    let unit = accepted(
        "int g; static int h; _Thread_local int t; extern int e;
         void f(int p) { int a; static int s = 1; register int r; extern int e2; auto int q; }",
    );
    let kind = |name| symbol(&unit, name).kind.clone();
    assert_eq!(kind("g"), SymbolKind::Variable(Storage::External));
    assert_eq!(kind("h"), SymbolKind::Variable(Storage::FileStatic));
    assert_eq!(kind("t"), SymbolKind::Variable(Storage::ThreadLocal));
    assert_eq!(kind("e"), SymbolKind::Variable(Storage::External));
    assert_eq!(kind("p"), SymbolKind::Parameter);
    assert_eq!(kind("a"), SymbolKind::Variable(Storage::Automatic));
    assert_eq!(kind("s"), SymbolKind::Variable(Storage::LocalStatic));
    assert_eq!(kind("r"), SymbolKind::Variable(Storage::Automatic));
    assert_eq!(kind("e2"), SymbolKind::Variable(Storage::External));
    let globals: Vec<&str> = unit
        .globals
        .iter()
        .map(|g| unit.symbol(g.symbol).name.as_str())
        .collect();
    assert_eq!(globals, ["g", "h", "t", "e", "s", "e2"]);
}

#[test]
fn names_in_directives_are_resolved_where_they_stand() {
    let (unit, errors) = analysed(
        "void f(int n, double *a, double s) {
           __accrs_pragma_acc parallel loop copy(a[0:n*2]) num_gangs(n) reduction(+:s) async copyin(b) __accrs_pragma_end
           for (int i = 0; i < n; i++) s += a[i];
         }",
    );
    assert_eq!(errors, Vec::<String>::new());
    let StatementKind::Compound(list) = &unit.functions[0].body.kind else {
        panic!();
    };
    let StatementKind::Directive(directive, Some(_)) = &list[0].kind else {
        panic!();
    };
    let argument = |clause: &str| {
        let clause = directive
            .clauses
            .iter()
            .find(|c| c.name.value == clause)
            .unwrap();
        &clause.arguments.as_ref().unwrap().items[0].value
    };
    let ArgumentValue::Section(section) = argument("copy") else {
        panic!();
    };
    assert_eq!(show(&unit, section.base.ty), "double *");
    let length = section.dimensions[0].parts[1].as_ref().unwrap();
    assert_eq!(Printer::text(&unit, &C, length), "n * 2");
    let ArgumentValue::Name {
        symbol: Some(e), ..
    } = argument("reduction")
    else {
        panic!();
    };
    assert_eq!(unit.symbol(e.as_symbol().unwrap()).name, "s");
    // Whether an undeclared name is a keyword is for the dialect to say.
    assert!(matches!(
        argument("copyin"),
        ArgumentValue::Name { symbol: None, .. }
    ));
}

#[test]
fn an_undeclared_name_in_a_directive_expression_is_an_error() {
    let found = errors(
        "void f(int n, double *a) {
           __accrs_pragma_acc parallel copy(a[0:count+1]) __accrs_pragma_end
           { a[0] = n; }
         }",
    );
    assert_eq!(
        found,
        ["A0301 `count`: the variable `count` is not declared"]
    );
}
