//! Spans: from a node's first token to its last, whatever blanks surround it;
//! and the way from a real file through `source` to the tree.

use super::{on_big_stack, parse};
use crate::ast::{
    BlockItem, CompoundStatement, ExternalItem, FunctionDefinition, Statement, StatementKind,
    TranslationUnit, print,
};
use crate::diagnostic::Diagnostics;
use crate::source::{Preprocessor, SourceFile, Span, TranslationUnit as SourceUnit};

/// The spans of all statements and declarations of a block, outer ones first.
fn spans(block: &CompoundStatement, found: &mut Vec<Span>) {
    for item in &block.items {
        match item {
            BlockItem::Declaration(declaration) => found.push(declaration.span),
            BlockItem::Statement(statement) => statement_spans(statement, found),
            BlockItem::StaticAssert(assert) => found.push(assert.span),
            BlockItem::Function(function) => found.push(function.span),
        }
    }
}

fn statement_spans(statement: &Statement, found: &mut Vec<Span>) {
    found.push(statement.span);
    match &statement.kind {
        StatementKind::Compound(block) => spans(block, found),
        StatementKind::If(_, then, otherwise) => {
            statement_spans(then, found);
            if let Some(otherwise) = otherwise {
                statement_spans(otherwise, found);
            }
        }
        StatementKind::For(parts) => statement_spans(&parts.body, found),
        StatementKind::Labeled(_, body)
        | StatementKind::While(_, body)
        | StatementKind::DoWhile(body, _)
        | StatementKind::Directive(_, Some(body)) => statement_spans(body, found),
        _ => {}
    }
}

fn functions(unit: &TranslationUnit) -> impl Iterator<Item = &FunctionDefinition> {
    unit.items.iter().filter_map(|item| match item {
        ExternalItem::Function(function) => Some(&**function),
        _ => None,
    })
}

#[test]
fn spans_begin_and_end_with_tokens() {
    let text = "void f ( void )  {  int x = 1 ;  x ++ ;  if ( x ) x = 2 ;  else if ( x )  { }\n\
                else ;  l :  do x -- ; while ( x )  ;\t\
                __accrs_pragma_acc wait __accrs_pragma_end  \
                __accrs_pragma_acc loop __accrs_pragma_end  for ( ; ; )  ( x ) ;  }  ";
    let found: Vec<&str> = on_big_stack(move || {
        let unit = parse(text, &mut Diagnostics::new()).unwrap();
        let function = functions(&unit).next().unwrap();
        let mut all = vec![function.span, function.body.span];
        spans(&function.body, &mut all);
        all.iter()
            .map(|span| &text[span.start as usize..span.end as usize])
            .collect()
    });
    assert_eq!(
        found[2..],
        [
            "int x = 1 ;",
            "x ++ ;",
            "if ( x ) x = 2 ;  else if ( x )  { }\nelse ;",
            "x = 2 ;",
            "if ( x )  { }\nelse ;",
            "{ }",
            ";",
            "l :  do x -- ; while ( x )  ;",
            "do x -- ; while ( x )  ;",
            "x -- ;",
            "__accrs_pragma_acc wait __accrs_pragma_end",
            "__accrs_pragma_acc loop __accrs_pragma_end  for ( ; ; )  ( x ) ;",
            "for ( ; ; )  ( x ) ;",
            "( x ) ;",
        ]
    );
    assert_eq!(found[0], text.trim());
    assert!(found[1].starts_with('{') && found[1].ends_with('}'));
}

#[test]
fn a_file_with_macros_and_pragmas_parses() {
    let source = "#include <math.h>\n\
        #include <stdio.h>\n\
        #define N 100\n\
        #define LOOP(i, n) for (int i = 0; i < (n); i++)\n\
        #define PARALLEL _Pragma(\"acc parallel loop copy(a[0:N])\")\n\
        typedef float real;\n\
        void f(real *restrict a, int n) {\n\
        #pragma acc data copyin(a[0:n]) \\\n    if (n > N) // why not\n\
            {\n\
                PARALLEL LOOP(i, n) a[i] = (real)sqrt(a[i]) + N;\n\
        #pragma acc update self(a[0:n])\n\
            }\n\
        }\n";
    let tree = on_big_stack(move || {
        let mut diagnostics = Diagnostics::new();
        let preprocessor = Preprocessor {
            compiler: Some("cc".into()),
            arguments: Vec::new(),
        };
        let file = SourceFile::new("a.c".as_ref(), source.as_bytes().to_vec());
        let unit = SourceUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
        let tree = parse(&unit.text, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        print::print(&tree.unwrap())
    });
    let start = tree.find("(function (void) (f ").unwrap();
    assert_eq!(
        &tree[start..],
        "(function (void) (f (function ((real) (a (pointer restrict))) ((int) n)))\n  \
         (directive data copyin(a[0:n]) if((> n 100))\n    \
         (block\n      \
         (directive parallel loop copy(a[0:100])\n        \
         (for (declare (int) i = 0) (< i (paren n)) (post++ i)\n          \
         (do (= (index a i) (+ (cast <(real)> (call sqrt (index a i))) 100)))))\n      \
         (directive update self(a[0:n])))))\n"
    );
}
