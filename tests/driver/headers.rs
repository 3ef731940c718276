//! Constructs in included files, and units of a program that share them.

use std::process::Output;

use crate::{Folder, accrs, text};

const FILES: &[(&str, &str)] = &[
    ("main.c", include_str!("headers/main.c")),
    ("one/unit.c", include_str!("headers/one/unit.c")),
    ("two/unit.c", include_str!("headers/two/unit.c")),
    (
        "include/lib/vector.h",
        include_str!("headers/include/lib/vector.h"),
    ),
    (
        "include/lib/mean.h",
        include_str!("headers/include/lib/mean.h"),
    ),
    (
        "include/lib/real.h",
        include_str!("headers/include/lib/real.h"),
    ),
];

const SOURCES: [&str; 3] = ["main.c", "one/unit.c", "two/unit.c"];

/// What the program prints without directives.
fn serial(folder: &Folder) -> String {
    let options = ["-Iinclude", "-w", "-o", "serial"];
    folder.run("cc", &[&SOURCES[..], &options].concat());
    folder.run("./serial", &[])
}

/// `accrs cc` of a file, which fails; what it says.
fn refused(folder: &Folder, line: &str) -> String {
    let output: Output = folder
        .command(accrs())
        .arg("cc")
        .args(line.split(' '))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    text(&output)
}

/// Two units of one file name have functions of the same names on the same
/// lines, and a header's.
#[test]
fn units_share_headers_with_constructs() {
    let folder = Folder::with(FILES);
    let expected = serial(&folder);
    folder.succeed("cc -Iinclude -Wall -Wextra -Werror main.c one/unit.c two/unit.c -o at_once");
    folder.succeed("cc -Iinclude -c one/unit.c -o one.o");
    folder.succeed("cc -Iinclude -c two/unit.c -o two.o");
    folder.succeed("cc -isysteminclude -c main.c -o main.o");
    folder.succeed("cc main.o one.o two.o -o objects");
    for program in ["at_once", "objects"] {
        assert_eq!(folder.run(&format!("./{program}"), &[]), expected);
    }
}

#[test]
fn units_share_headers_on_a_gpu() {
    let folder = Folder::with(FILES);
    let home = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name))
        .unwrap()
        .home;
    let output = folder
        .command(accrs())
        .args(["cc", "--device=gpu", "--arch=sm_90", "-Iinclude"])
        .args(SOURCES)
        .args(["-o", "program"])
        .env("CUDA_HOME", &home)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// The text of a header takes the place of its line; what it includes is still
/// found, and nothing twice.
#[test]
fn a_header_is_read_in_place() {
    let folder = Folder::with(FILES);
    folder.succeed("translate -Iinclude one/unit.c -o out");
    let host = folder.read("out/unit.acc.c");
    let text = host.split("/* #include <lib/vector.h>, its text in place: */\n");
    let (header, rest) = text
        .last()
        .unwrap()
        .split_once("/* end of <lib/vector.h> */\n")
        .unwrap();
    assert!(header.contains("#include \"lib/real.h\"\n#include <stddef.h>\n"));
    assert!(header.contains("accrs_begin(\"vector.h\", 13, \"parallel loop\");"));
    assert!(header.contains("scale_launch_one(n, a, by);"));
    assert!(!host.contains("once"), "{host}");
    assert!(!rest.contains("vector.h"), "{rest}");
    assert!(rest.contains("static inline real mean("), "{rest}");
    // A unit that has no construct of a header's keeps its line.
    folder.write("plain.c", "#include <lib/real.h>\nvoid f(int n, real *a)\n{\n    #pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++)\n        a[i] = 0;\n}\n");
    folder.succeed("translate -Iinclude plain.c -o out");
    assert!(
        folder
            .read("out/plain.acc.c")
            .contains("#include <lib/real.h>\n")
    );
}

/// What compilers and the checks say names the included file and its lines.
#[test]
fn messages_point_into_the_header() {
    let header = "\
static inline void shift(int n, int *a)
{
    int unused;
    #pragma acc parallel loop copy(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = a[i + 1];
}
";
    let main = "#include \"shift.h\"\nint main(void)\n{\n    int a[9] = {0};\n    shift(8, a);\n    return sizeof(int[1 - 2 * (__LINE__ != 6)]) == 4;\n}\n";
    let folder = Folder::with(&[("shift.h", header), ("main.c", main)]);
    let output = folder
        .command(accrs())
        .args(["cc", "-Wall", "main.c", "-o", "main"])
        .output()
        .unwrap();
    assert!(
        text(&output).contains("shift.h:3:9: warning:"),
        "{}",
        text(&output)
    );
    let checked = folder
        .command(accrs())
        .args(["check", "--dynamic", "--message-format", "short", "main.c"])
        .output()
        .unwrap();
    assert!(text(&checked).contains("shift.h:6:"), "{}", text(&checked));
}

/// A body that an `#include` brings is the user's text as any other: twice in one file, nested, with the
/// comments at its ends.
#[test]
fn included_bodies_keep_their_text() {
    let body = "\
#include \"inner.inc\"
// Takes a part of each.
next[i] += KEPT * now[i] + PART(now[i - 1]); /* both */
// taken
";
    let inner = "// the first one\nnext[i] = 0x1F; // a number\n";
    let main = "\
#define KEPT 0.5f
#define PART(x) (0.25f * (x))
#include <stdio.h>
int main(void)
{
    float now[8] = {4, 8}, next[8] = {0};
    #pragma acc parallel loop copyin(now) copy(next)
    for (int i = 1; i < 8; i++) {
#include \"body.inc\"
    }
    #pragma acc parallel loop copyin(now) copy(next)
    for (int i = 1; i < 4; i++) {
#include \"body.inc\"
    }
    printf(\"%g %g\\n\", next[1], next[7]);
    return 0;
}
";
    let files = [("body.inc", body), ("inner.inc", inner), ("main.c", main)];
    let folder = Folder::with(&files);
    let kernels = folder.succeed("translate main.c -o -");
    let of_kernels = kernels
        .split("#include \"accrs_device.hpp\"")
        .nth(1)
        .unwrap();
    for line in [
        "#define PART(x) (0.25f * (x))",
        "// Takes a part of each.",
        "next[i] += KEPT * now[i] + PART(now[i - 1]); /* both */",
        "// taken",
        "// the first one",
        "next[i] = 0x1F; // a number",
    ] {
        let count = of_kernels.matches(line).count();
        let wanted = if line.starts_with('#') { 1 } else { 2 };
        assert_eq!(count, wanted, "{line}\n{of_kernels}");
    }
    assert_eq!(folder.succeed("run main.c"), "36 31\n");
}

#[test]
fn what_cannot_be_read_in_place_is_refused() {
    let header = "\
static inline void clear(int n, int *a)
{
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = 0;
}
";
    let main = "int main(void)\n{\n    int a[9];\n    clear(9, a);\n    return a[3];\n}\n";
    let numbered = format!("#line 7 \"grammar.y\"\n#include \"clear.h\"\n{main}");
    let files = [
        ("clear.h", header),
        ("main.c", main),
        ("numbered.c", &numbered),
    ];
    let folder = Folder::with(&files);
    for line in ["-c numbered.c", "-include clear.h -c main.c"] {
        let said = refused(&folder, line);
        assert!(said.contains("error[A0109]"), "{line}: {said}");
        assert!(said.contains("clear.h:3:"), "{line}: {said}");
    }
}
