//! Programs with directives, through `run`, `cc` and `translate`.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use crate::{Folder, accrs, text};

const SCALE: &str = "\
#include \"scale.h\"
void scale(double *values, int n)
{
#pragma acc parallel loop copy(values[0:n])
    for (int i = 0; i < n; i++)
        values[i] *= FACTOR;
}
";
/// Uses a library's construct and has one of its own, which needs C++'s library.
const TWICE: &str = "\
#include \"scale.h\"
void twice(double *x)
{
    double sum = 0;
#pragma acc data copy(x[0:3])
    scale(x, 3);
#pragma acc parallel loop reduction(+:sum) copyin(x[0:3])
    for (int i = 0; i < 3; i++)
        sum += x[i];
    x[2] = sum - x[0] - x[1];
}
";
const HEADER: &str = "#define FACTOR 2\nvoid scale(double *values, int n);\n";
const MAIN: &str = "\
#include <stdio.h>
#include \"scale.h\"
int main(void)
{
    double values[] = {1, 2, 3};
    scale(values, 3);
    printf(\"%g\\n\", values[2]);
    return 0;
}
";

fn project() -> Folder {
    Folder::with(&[("main.c", MAIN), ("scale.c", SCALE), ("scale.h", HEADER)])
}

/// A program of one file; it prints its arguments and input, and ends with 3.
const WHOLE: &str = "\
#include <stdio.h>
int main(int argc, char **argv)
{
    int sum = 0, limit = 0;
    if (scanf(\"%d\", &limit) != 1)
        return 1;
#pragma acc parallel loop reduction(+:sum)
    for (int i = 0; i < limit; i++)
        sum += i;
    printf(\"%d %s %d\\n\", argc, argv[argc - 1], sum);
    return 3;
}
";

#[test]
fn run_gives_input_arguments_folder_and_status() {
    let folder = Folder::with(&[("sub dir/prögramm.c", WHOLE), ("tmp/.keep", "")]);
    let mut command = folder.command(accrs());
    command.args(["run", "sub dir/prögramm.c", "--", "-DX", "last one"]);
    command
        .env("TMPDIR", folder.file("tmp"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"101\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "3 last one 5050\n");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(crate::names(&folder.file("tmp")), [".keep"]);
    assert_eq!(folder.names(), ["sub dir", "tmp"]);
}

#[test]
fn run_shows_a_later_compilers_message_at_the_users_line() {
    // The host compiler sees the function that is called with too much.
    let bad = "static int f(void)\n{\n    return 1;\n}\nint main(void)\n{\n    return f() + __builtin_no_such(1);\n}\n";
    let folder = Folder::with(&[("bad.c", bad)]);
    let output = folder.accrs("run bad.c");
    assert_eq!(output.status.code(), Some(125), "{}", text(&output));
    assert!(text(&output).contains("bad.c:7:"), "{}", text(&output));
}

#[test]
fn errors_write_nothing_and_come_all_at_once() {
    let source = "void f(int n, float *a)\n{\n#pragma acc paralel loop\n    for (int i = 0; i < n; i++)\n        a[i] = b;\n}\n";
    let folder = Folder::with(&[("bad.c", source)]);
    for (line, status) in [
        ("translate bad.c", 1),
        ("check bad.c", 1),
        ("cc -c bad.c", 1),
        ("run bad.c", 125),
    ] {
        let output = folder.accrs(line);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{line}: {}",
            text(&output)
        );
        let text = text(&output);
        assert!(
            text.contains("bad.c:3:") && text.contains("bad.c:5:"),
            "{line}: {text}"
        );
    }
    assert_eq!(folder.names(), ["bad.c"]);
}

#[test]
fn translation_builds_by_make_without_accrs() {
    let folder = project();
    folder.write("src/whole.c", WHOLE);
    folder.succeed("translate src/whole.c -o out");
    assert_eq!(
        crate::names(&folder.file("out")),
        [
            "accrs_runtime",
            "whole.acc.c",
            "whole.acc.cu",
            "whole.acc.mk"
        ]
    );
    folder.make_emulated("out", "whole.acc.mk", Some("/usr/bin:/bin"));
    let output = folder
        .command("sh")
        .args(["-c", "echo 5 | out/whole x"])
        .output()
        .unwrap();
    assert_eq!(text(&output), "2 x 10\n");
    // Once more: its own files are replaced, the user's are not.
    folder.succeed("translate src/whole.c -o out");
    folder.write("out/whole.acc.cu", "my own work\n");
    let output = folder.accrs("translate src/whole.c -o out");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("A0706"), "{}", text(&output));
    assert_eq!(folder.read("out/whole.acc.cu"), "my own work\n");
}

#[test]
fn one_object_that_any_linker_and_archiver_takes() {
    let folder = project();
    folder.succeed("cc -O2 -g -MMD -MP -c scale.c");
    assert_eq!(
        folder.read("scale.d"),
        "scale.o: scale.c scale.h\nscale.h:\n"
    );
    assert_eq!(
        folder.names(),
        ["main.c", "scale.c", "scale.d", "scale.h", "scale.o"]
    );
    folder.run("ar", &["rcs", "libscale.a", "scale.o"]);
    folder.succeed("cc main.c -L. -lscale -o with_library");
    folder.succeed("cc main.c scale.o -o with_object");
    folder.succeed("cc main.c scale.c -o with_source");
    folder.run("cc", &["-c", "main.c"]);
    let libraries = folder.succeed("cc --print-libs");
    let others: Vec<&str> = ["main.o", "libscale.a", "-o", "by_another"]
        .into_iter()
        .chain(libraries.split_whitespace())
        .collect();
    folder.run("g++", &others);
    for program in [
        "./with_library",
        "./with_object",
        "./with_source",
        "./by_another",
    ] {
        assert_eq!(folder.run(program, &[]), "6\n", "{program}");
    }
    let needed = folder.run("ldd", &["./with_library"]);
    assert!(
        !needed.contains("stdc++") && !needed.contains("accrs"),
        "{needed}"
    );
}

#[test]
fn shared_libraries_share_one_runtime() {
    let folder = project();
    folder.succeed("cc -fPIC -shared scale.c -o libscale.so");
    folder.write("twice.c", TWICE);
    folder.write(
        "main.c",
        &MAIN
            .replace("scale(values, 3)", "twice(values)")
            .replace("int main", "void twice(double *x);\nint main"),
    );
    folder.succeed(
        "cc -std=c99 -pedantic -Werror main.c twice.c -L. -lscale -Wl,-rpath,. -o program",
    );
    assert_eq!(folder.run("./program", &[]), "6\n");
    assert!(folder.run("ldd", &["./program"]).contains("libaccrs.so"));
}

/// Constructs whose host text computes sections and declares variables.
const CAREFUL: &str = "\
void scale(double *values, int n);
void scale(double *values, int n)
{
    double weights[4] = {1, 1, 1, 1}, last;
    #pragma acc data copy(values[0:n])
    {
        #pragma acc parallel loop firstprivate(weights) private(last)
        for (int i = 0; i < n; i++) {
            weights[i % 4] += 1;
            last = values[i] * weights[i % 4];
            values[i] = last;
        }
        #pragma acc update self(values[0:n / 2])
    }
    #pragma acc kernels copy(values[0:n])
    {
        double sum = 0;
        for (int i = 0; i < n; i++)
            sum += values[i];
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < n; i++)
                values[i] += 0 * sum;
    }
}
";

/// Generated text has no warnings that the user's own has not.
#[test]
fn warnings_that_makefiles_ask_for_are_not_of_the_host_text() {
    let folder = project();
    folder.write("scale.c", CAREFUL);
    folder.succeed(
        "cc -std=gnu99 -pedantic -Wall -Wextra -Wconversion -Wsign-conversion \
         -Wdeclaration-after-statement -Wcast-qual -Wstrict-prototypes \
         -Wmissing-prototypes -Wundef -Wunused-macros -Werror -c scale.c",
    );
    folder.succeed("cc main.c scale.o -o program");
    assert_eq!(folder.run("./program", &[]), "6\n");
}

#[test]
fn several_objects_and_a_relocatable_link() {
    let folder = project();
    folder.write("more.c", &SCALE.replace("void scale", "void scale_more"));
    folder.succeed("cc -c main.c scale.c more.c");
    folder.succeed("cc -r -nostdlib scale.o more.o -o both.o");
    folder.succeed("cc main.o both.o -o program");
    assert_eq!(folder.run("./program", &[]), "6\n");
}

#[test]
fn objects_of_different_devices_are_refused() {
    let folder = project();
    folder.write("more.c", &SCALE.replace("void scale", "void scale_more"));
    folder.succeed("cc --device=emulated -c scale.c");
    let home = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name))
        .unwrap()
        .home;
    let compile = |line: &[&str]| {
        folder
            .command(accrs())
            .arg("cc")
            .args(line)
            .env("CUDA_HOME", &home)
            .output()
            .unwrap()
    };
    let gpu = compile(&["--device=gpu", "--arch=sm_90", "-c", "more.c"]);
    assert!(gpu.status.success(), "{}", text(&gpu));
    for line in [
        &["main.c", "scale.o", "more.o"][..],
        &["--device=gpu", "main.c", "scale.o"],
        &["--device=emulated", "main.c", "more.o"],
    ] {
        let output = compile(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(
            text(&output).contains("A0710"),
            "{line:?}: {}",
            text(&output)
        );
    }
    // Other linkers find it out by an undefined symbol that says it.
    let output = folder
        .command("cc")
        .args(["main.c", "scale.o", "more.o"])
        .output()
        .unwrap();
    assert!(
        text(&output).contains("accrs_device_is_gpu"),
        "{}",
        text(&output)
    );
}

#[test]
fn standard_input_with_directives() {
    let folder = project();
    let mut command = folder.command(accrs());
    command
        .args([
            "cc", "-I.", "-x", "c", "-", "-x", "none", "main.c", "-o", "program",
        ])
        .stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(SCALE.as_bytes())
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.run("./program", &[]), "6\n");
}

#[test]
fn a_headers_macro_makes_the_directive() {
    let folder = project();
    folder.write(
        "scale.h",
        &format!("{HEADER}#define LOOP _Pragma(\"acc parallel loop copy(values[0:n])\")\n"),
    );
    folder.write(
        "scale.c",
        &SCALE.replace("#pragma acc parallel loop copy(values[0:n])", "LOOP"),
    );
    folder.succeed("cc main.c scale.c -o program");
    let mut command = folder.command("./program");
    let output = command.env("ACCRS_TRACE", "1").output().unwrap();
    assert!(text(&output).contains("scale_kernel"), "{}", text(&output));
}

#[test]
fn warnings_are_those_of_the_source() {
    let folder = project();
    folder.write(
        "scale.c",
        &format!("{SCALE}static int unused(void) {{ return 0; }}\n"),
    );
    let output = folder.accrs("cc -Wall -Wextra -c scale.c");
    assert!(output.status.success());
    let text = text(&output);
    assert_eq!(text.matches("warning:").count(), 1, "{text}");
    assert!(text.contains("scale.c:8:12: warning:"), "{text}");
    assert!(Path::new(&folder.file("scale.o")).is_file());
}

/// `long double` in a construct, and in a function that another calls.
const LONG: &str = "\
#include <stdio.h>
static double third(int i)
{
    long double one = 1;
    return (double)(one * i / 3);
}
int main(void)
{
    double a[4], b[4];
    int last = 7;
#pragma acc data copyout(b)
    {
#pragma acc parallel loop copyout(a) private(last)
        for (int i = 0; i < 4; i++) {
            last = i;
            a[i] = third(last);
        }
#pragma acc parallel loop
        for (int i = 0; i < 4; i++)
            b[i] = i;
    }
    printf(\"%g %g %d\\n\", a[3], b[3], last);
    return 0;
}
";

#[test]
fn constructs_with_long_double_run_on_the_host_where_asked() {
    let folder = Folder::with(&[("long.c", LONG)]);
    let warned = folder.accrs("translate long.c -o -");
    assert!(String::from_utf8_lossy(&warned.stderr).contains("warning[A0425]"));
    assert!(text(&warned).contains("one * i / 3"));
    let text = folder.succeed("translate --long-double=host long.c -o -");
    assert!(text.contains(", on the host */"), "{text}");
    assert_eq!(text.matches("<<<").count(), 1, "{text}");
    for flags in ["", "--long-double=host "] {
        folder.succeed(&format!("cc {flags}long.c -o long"));
        assert_eq!(folder.run("./long", &[]), "1 3 7\n");
        assert_eq!(folder.succeed(&format!("run {flags}long.c")), "1 3 7\n");
    }
}

#[test]
fn types_that_no_gpu_has_are_told_of() {
    for (ty, own) in [("_Float16", "_Float16"), ("__float128", "_Float128")] {
        let code = format!(
            "void f(double *a)\n{{\n    #pragma acc parallel loop copy(a[0:9])\n    \
             for (int i = 0; i < 9; i++) {{\n        {ty} h = i;\n        a[i] += h;\n    }}\n}}\n"
        );
        let folder = Folder::with(&[("f.c", &code)]);
        let said = text(&folder.accrs("translate f.c -o -"));
        let message = format!("warning[A0425]: `{own}` does not exist on a GPU");
        assert!(said.contains(&message), "{said}");
    }
}

/// What editors put in place of a mistake.
#[test]
fn the_way_out_is_a_replacement_in_json() {
    let code = "void f(int n, double *a)\n{\n    #pragma acc parallel loop copy(&a[0:n]) colapse(1)\n    \
        for (int i = 0; i < n; i++)\n        a[i] = 1;\n    #pragma acc parallel loop pcopyy(a[0:n])\n    \
        for (int i = 0; i < n; i++)\n        a[i] = 1;\n}\n";
    let of_c = "struct cell { double height; };\nvoid work(double);\nvoid g(int n, double *total, struct cell *c)\n{\n    \
        #pragma acc parallel loop device_type(nvdia) copy(total[0:n])\n    for (int i = 0; i < n; i++)\n        \
        totl[i] = c->heigt;\n}\n";
    let words = "void h(float a[64])\n{\n    #pragma hicuda globl alloc a[*] copyin\n    \
        #pragma hicuda global alloc a[*] copyn\n    #pragma hicuda global Copyout a[*]\n    \
        #pragma hicuda syncthreads\n}\n";
    let sections = "double t[100];\nvoid s(int n)\n{\n    #pragma acc parallel loop gang(n: 4) copy(t[50:99])\n    \
        for (int i = 50; i < n; i++)\n        t[i] = 1;\n    #pragma acc update self(t[1:100])\n}\n";
    let fused = "void p(int n, int m, double *a)\n{\n    #pragma acc parallel loop collapse(2) copy(a)\n    \
        for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++)\n            a[i * m + j] = 1;\n}\n";
    // Where the clause is, and not the access.
    let short = "void q(int n, double *restrict a)\n{\n    #pragma acc parallel loop copy(a[0:n - 1])\n    \
        for (int i = 0; i < n; i++)\n        a[i] = 1;\n}\n";
    let all: [(&str, &[(&str, &str)]); 6] = [
        (short, &[("a[0:n - 1]", "a[0:n]")]),
        (code, &[("&a[0:n]", "a[0:n]"), ("pcopyy", "pcopy")]),
        (
            of_c,
            &[("nvdia", "nvidia"), ("totl", "total"), ("heigt", "height")],
        ),
        (
            words,
            &[
                ("globl", "global"),
                ("copyn", "copyin"),
                ("Copyout", "copyout"),
                ("syncthreads", "barrier"),
            ],
        ),
        (sections, &[("[50:99]", "[50:50]"), ("[1:100]", "[0:100]")]),
        (fused, &[("a", "a[0:n * m]")]),
    ];
    for (code, replaced) in all {
        are_replaced(code, replaced);
    }
}

fn are_replaced(code: &str, replaced: &[(&str, &str)]) {
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --message-format json f.c"));
    for (wrong, right) in replaced {
        let at = match wrong.len() {
            1 => code.find(&format!("({wrong})")).unwrap() + 1,
            _ => code.find(wrong).unwrap(),
        };
        let place = format!("\"byte_start\":{at},\"byte_end\":{}", at + wrong.len());
        let found = said.lines().any(|line| {
            let (_, children) = line.split_once("\"children\"").unwrap_or_default();
            children.contains(&place)
                && children.contains(&format!("\"suggested_replacement\":\"{right}\""))
        });
        assert!(found, "{wrong}: {said}");
    }
}

/// What replaces what, by lines and columns of the file (SARIF 2.1.0, sections 3.55 to 3.57), and
/// nothing where a macro makes it.
#[test]
fn ways_out_are_fixes_in_a_log_of_sarif() {
    let code = "#define LOOP _Pragma(\"acc paralel loop\")\n\
                void f(int n, double *a)\n{\n    #pragma acc data copyin(a[0..n])\n    { }\n    \
                /* ä */ _Pragma(\"acc paralel loop\")\n    for (int i = 0; i < n; i++) ;\n    \
                #pragma acc end data\n    LOOP\n    for (int i = 0; i < n; i++) ;\n}\n";
    let folder = Folder::with(&[("a b.c", code)]);
    let mut command = folder.command(accrs());
    command.args(["check", "--message-format", "sarif", "a b.c"]);
    let output = command.output().unwrap();
    let log: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let fixes = results.iter().map(|result| {
        let fixes = result["fixes"].as_array()?;
        let [fix] = &fixes[..] else {
            panic!("one fix: {result}");
        };
        assert!(!fix["description"]["text"].as_str().unwrap().is_empty());
        let [change] = &fix["artifactChanges"].as_array().unwrap()[..] else {
            panic!("one file: {fix}");
        };
        assert_eq!(change["artifactLocation"]["uri"], "a%20b.c");
        let [one] = &change["replacements"].as_array().unwrap()[..] else {
            panic!("one place: {fix}");
        };
        let region = &one["deletedRegion"];
        let place = ["startLine", "startColumn", "endLine", "endColumn"];
        let place = place.map(|key| region[key].as_u64().unwrap());
        let text = one["insertedContent"]["text"].as_str().unwrap();
        Some((place, text.to_owned()))
    });
    assert_eq!(
        fixes.collect::<Vec<_>>(),
        [
            Some(([4, 29, 4, 36], "a[0:n]".to_owned())),
            Some(([6, 26, 6, 38], "parallel loop".to_owned())),
            Some(([8, 5, 8, 25], String::new())),
            None,
        ],
        "{log:#}"
    );
}
