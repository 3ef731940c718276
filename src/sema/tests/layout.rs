//! Layout of records, compared with what the C compiler says.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use super::*;
use crate::sema::{Given, analyse_for};
use crate::source::{Preprocessor, SourceFile, TranslationUnit};
use crate::typed::{Member, Record};

const RECORDS: &str = "
    typedef int aligned_int __attribute__((aligned(16)));
    typedef long unaligned_long __attribute__((aligned(1)));
    typedef float v4 __attribute__((vector_size(16)));
    typedef int word __attribute__((mode(DI)));
    struct r0 { char a; double b; short c; };
    struct r1 { char a; struct r0 b; char c; };
    struct r2 { char a[3]; int b[2]; char c; };
    struct r3 { int a : 3; int b : 5; unsigned c : 20; int d : 10; };
    struct r4 { char a; int b : 30; char c; };
    struct r5 { short a : 9; short b : 9; char c : 3; };
    struct r6 { int a : 5; int : 0; int b : 5; };
    struct r7 { char a; int : 4; int b : 4; };
    struct r8 { char a; int : 20; };
    struct r9 { long a : 40; long b : 30; int c; };
    struct r10 { _Bool a : 1; _Bool b : 1; char c; };
    struct r11 { char a; int b; double c; } __attribute__((packed));
    struct r12 { char a; int b : 20; int c : 20; } __attribute__((packed));
    struct r13 { char a; int b __attribute__((packed)); int c; };
    struct r14 { char a; int b __attribute__((aligned(16))); };
    struct r15 { char a; } __attribute__((aligned(32)));
    struct r16 { char a; aligned_int b; char c; };
    struct r17 { char a; unaligned_long b; };
    struct r18 { char a; v4 b; word c; };
    struct r19 { char a; long double b; char c; __int128 d; };
    struct r20 { _Complex float a; char b; _Complex double c; };
    struct r21 { char a; union { int b; double c; }; struct { char d; short e; }; };
    struct r22 { int n; double tail[]; };
    struct r23 { char n; char tail[0]; };
    struct r24 { };
    struct r25 { struct r24 a; int b; };
    struct r26 { enum { small } a; enum { big = 1l << 40 } b; char c; };
    struct r27 { _Alignas(32) char a; char b; };
    struct r28 { char a; void (*b)(int); char *c[3]; };
    struct r29 { unsigned long long a : 33; unsigned b : 31; unsigned c : 1; };
    struct r30 { char a : 4; short b : 6; int c : 12; long d : 33; };
    struct r31 { int a; struct r11 b; char c; } __attribute__((packed, aligned(4)));
    struct r32 { int a : 7; char b; int c : 9; short d; };
    struct r33 { char a; struct { char b; int c; } __attribute__((packed)) d; int e; };
    struct r34 { char a; long b : 7 __attribute__((aligned(8))); };
    struct r35 { _Float16 a; _Float128 b; float c[3]; };
    struct r36 { unsigned char a : 7; unsigned char b : 2; unsigned short c : 9; };
    union u0 { char a; int b; double c; };
    union u1 { char a[9]; short b; };
    union u2 { int a : 3; char b; long c : 50; };
    union u3 { char a[5]; int b; } __attribute__((packed));
    struct pair { double x, y; } pairs[3];
";

fn name_of(record: &Record) -> String {
    let keyword = if record.is_union { "union" } else { "struct" };
    format!("{keyword} {}", record.tag.as_deref().unwrap())
}

/// The bits that a bit-field of all ones sets, as bytes in hexadecimal.
fn image(record: &Record, member: &Member) -> String {
    let field = member.bit_field.unwrap();
    let mut bytes = vec![0u8; record.size as usize];
    for bit in 0..field.width {
        let at = member.offset * 8 + u64::from(field.position + bit);
        bytes[at as usize / 8] |= 1 << (at % 8);
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The statements that print what `expected` says, and what it says.
fn questions(unit: &Unit) -> (String, String) {
    let (mut program, mut expected) = (String::new(), String::new());
    for record in unit.types.records.iter().filter(|r| r.tag.is_some()) {
        let name = name_of(record);
        let _ = writeln!(
            program,
            r#"printf("{name} %zu %zu\n", sizeof({name}), _Alignof({name}));"#
        );
        let _ = writeln!(expected, "{name} {} {}", record.size, record.alignment);
        for member in record.members.as_ref().unwrap() {
            let Some(field) = &member.name else {
                continue;
            };
            if member.bit_field.is_some() {
                let _ = writeln!(
                    program,
                    r#"{{ {name} v; memset(&v, 0, sizeof v); v.{field} = -1;
                       printf("{name}.{field} "); dump(&v, sizeof v); }}"#
                );
                let _ = writeln!(expected, "{name}.{field} {}", image(record, member));
            } else {
                let _ = writeln!(
                    program,
                    r#"printf("{name}.{field} %zu\n", __builtin_offsetof({name}, {field}));"#
                );
                let _ = writeln!(expected, "{name}.{field} {}", member.offset);
            }
        }
    }
    (program, expected)
}

/// Compares the layout of all records of a unit with the compiler's.
fn compare(records: &str, unit: &Unit, least: usize) {
    let (questions, expected) = questions(unit);
    assert!(expected.lines().count() > least, "{expected}");
    let program = format!(
        "#include <stdio.h>\n#include <string.h>\n{records}
         static void dump(void *p, unsigned long n) {{
           for (unsigned long i = 0; i < n; i++) printf(\"%02x\", ((unsigned char *)p)[i]);
           printf(\"\\n\"); }}
         int main(void) {{\n{questions} return 0; }}"
    );
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("layout.c");
    let binary = folder.path().join("layout");
    std::fs::write(&source, program).unwrap();
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-w", "-o"])
        .args([&binary, &source])
        .output()
        .unwrap();
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    let said = Command::new(&binary).output().unwrap();
    assert!(said.status.success());
    let said = String::from_utf8(said.stdout).unwrap();
    for (said, expected) in said.lines().zip(expected.lines()) {
        assert_eq!(expected, said, "ours is left, the compiler's right");
    }
    assert_eq!(said, expected);
}

#[test]
fn records_lie_as_the_compiler_lays_them() {
    compare(RECORDS, &accepted(RECORDS), 120);
}

#[test]
fn pragma_pack_limits_the_alignment_of_members() {
    let records = "
#pragma pack(push, 1)
struct p0 { char a; int b; double c; };
struct p1 { char a; int b : 30; int c : 3; int d : 30; short e; };
#pragma pack(2)
struct p2 { char a; int b; double c; char d; };
struct p3 { char a; long b : 40; int c : 20; int : 0; char d; };
struct p4 { char a; int b __attribute__((aligned(8))); };
union p5 { char a[3]; double b; };
#pragma pack(pop)
struct p6 { char a; int b; double c; };
#pragma pack(4)
struct p7 { char a; struct p0 b; struct p6 c; double d; } __attribute__((aligned(8)));
struct p8 { char a; long double b; };
#pragma pack()
struct p9 { char a; struct p8 b; double c; };
";
    let mut diagnostics = Diagnostics::new();
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let file = SourceFile::new(Path::new("pack.c"), records.as_bytes().to_vec());
    let source = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let unit = on_big_stack(|| {
        let tree = parse(&source.text, &mut diagnostics).unwrap();
        let given = Given {
            pragmas: source.foreign_pragmas(),
            is_clang: false,
        };
        analyse_for(&tree, &given, &mut diagnostics)
    });
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    compare(records, &unit, 30);
}
