//! `accrs cc` as a C compiler: what build systems and configure scripts do.

use std::io::Write as _;
use std::process::Stdio;

use crate::{Folder, accrs, text};

const MAIN: &str = "#include <stdio.h>\n#include \"f.h\"\nint main(void)\n{\n    printf(\"%d\\n\", f(3));\n    return 0;\n}\n";
const F: &str = "#include \"f.h\"\nint f(int x)\n{\n    return x + OFFSET;\n}\n";
const HEADER: &str = "#define OFFSET 1\nint f(int x);\n";

fn project() -> Folder {
    Folder::with(&[("main.c", MAIN), ("f.c", F), ("f.h", HEADER)])
}

#[test]
fn several_sources_in_one_go() {
    let folder = project();
    folder.succeed("cc -O2 -std=c99 -Wall -Werror main.c f.c -o program");
    assert_eq!(folder.run("./program", &[]), "4\n");
    assert_eq!(folder.names(), ["f.c", "f.h", "main.c", "program"]);
}

#[test]
fn objects_archives_and_libraries() {
    let folder = project();
    folder.succeed("cc -c f.c");
    folder.run("ar", &["rcs", "libf.a", "f.o"]);
    folder.succeed("cc main.c libf.a -o with_archive");
    folder.succeed("cc main.c -L. -lf -lm -o with_library");
    folder.succeed("cc -fPIC -shared f.c -o libg.so");
    folder.succeed("cc main.c libg.so -Wl,-rpath,. -o with_shared");
    for program in ["./with_archive", "./with_library", "./with_shared"] {
        assert_eq!(folder.run(program, &[]), "4\n", "{program}");
    }
}

#[test]
fn a_plain_program_needs_no_library_of_ours() {
    let folder = project();
    folder.succeed("cc main.c f.c -o program");
    let needed = folder.run("ldd", &["./program"]);
    assert!(
        !needed.contains("stdc++") && !needed.contains("accrs"),
        "{needed}"
    );
}

#[test]
fn openacc_flags_of_other_compilers_are_not_passed_on() {
    let folder = project();
    folder.succeed(
        "cc -fopenacc -acc -ta=tesla:cc70 -gpu=cc80 -Minfo=accel -foffload=nvptx-none -c f.c",
    );
    assert!(folder.file("f.o").is_file());
}

/// A line for each loop and copy, as other compilers tell of them, while the object is built.
#[test]
fn loops_are_told_of_in_any_build() {
    let code = "void f(int n, double *restrict a)\n{\n    #pragma acc parallel loop copy(a[0:n])\n    \
        for (int i = 0; i < n; i++)\n        a[i] = i;\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    for option in ["-Minfo=accel", "-Minfo", "-fopt-info-omp", "-fopt-info"] {
        let output = folder.accrs(&format!("cc {option} -c f.c -o f.o"));
        let said = text(&output);
        assert!(
            output.status.success() && folder.file("f.o").is_file(),
            "{said}"
        );
        for line in [
            "f.c:3:36: note: `a[0:n]` is copied to the device and back: 8·n bytes each way: a clause asks for it [A0539]",
            "f.c:4:5: note: loop over `i` is gang vector: blockIdx.x, threadIdx.x, block at most 256 x 1 x 1: \
             a `loop` of a `parallel` construct is independent [A0500]",
        ] {
            assert!(said.lines().any(|own| own == line), "{option}: {said}");
        }
        assert!(!said.contains("A0530"), "{said}");
    }
    // Of the host's code gcc tells.
    for option in ["-fopt-info-vec", "-fopt-info-loop-optimized"] {
        let said = text(&folder.accrs(&format!("cc {option} -c f.c")));
        assert!(!said.contains("[A05"), "{option}: {said}");
    }
    let negative = text(&folder.accrs("cc -Mneginfo -c f.c"));
    assert!(negative.is_empty(), "{negative}");
    let said = text(&folder.accrs("cc --feedback --assume n=64 --windows directives -c f.c"));
    assert!(
        said.contains("note[A0539]") && said.contains("what costs most"),
        "{said}"
    );
    let said = text(&folder.accrs("cc -gpu=pinned -acc=multicore -c f.c"));
    assert_eq!(said.matches("warning[A0712]").count(), 1, "{said}");
    let said = text(&folder.accrs("--message-format gcc cc -gpu=pinned -c f.c"));
    assert!(
        said.starts_with("accrs: warning: ") && said.contains("[A0712]"),
        "{said}"
    );
    assert!(text(&folder.accrs("cc -w -gpu=pinned -c f.c")).is_empty());
}

/// What the host's form of a construct declares hides a variable of the program.
#[test]
fn copies_of_private_variables_are_not_warned_of() {
    let code = "int f(int n, int *out)\n{\n    int t = 7;\n    \
        #pragma acc parallel loop private(t) copy(out[0:n])\n    for (int i = 0; i < n; i++) {\n        \
        t = i * 2;\n        out[i] = t;\n    }\n    return t;\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    folder.succeed("cc -Wall -Wshadow -Werror -c f.c");
    // What the program hides itself is.
    let hidden = code.replace("t = i * 2;", "int n = i; t = n * 2;");
    let folder = Folder::with(&[("f.c", &hidden)]);
    let said = text(&folder.accrs("cc -Wshadow -c f.c"));
    assert!(said.contains("[-Wshadow]"), "{said}");
}

/// As nvc does, whatever their size.
#[test]
fn all_copies_have_a_line() {
    let code = "void f(double few[4])\n{\n    #pragma acc parallel loop copyout(few[0:4])\n    \
        for (int i = 0; i < 4; i++)\n        few[i] = i;\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("cc -Minfo -c f.c"));
    let line =
        "f.c:3:39: note: `few[0:4]` is copied to the host: 32 bytes: a clause asks for it [A0539]";
    assert!(said.lines().any(|own| own == line), "{said}");
    assert!(!text(&folder.accrs("check --feedback f.c")).contains("A0539"));
}

/// Which loops are told of, where, and in which form.
#[test]
fn feedback_goes_where_it_is_asked_for() {
    let code = "void f(int n, double *restrict a)\n{\n#pragma acc kernels copy(a[0:n])\n    \
        {\n    for (int i = 0; i < n; i++)\n        a[i] = i;\n    \
        for (int j = 1; j < n; j++)\n        a[j] += a[j - 1];\n    }\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    let of = |option: &str| text(&folder.accrs(&format!("cc {option} -c f.c")));
    let is_told = |said: &str| {
        [
            said.contains("loop over `i`"),
            said.contains("loop over `j`"),
        ]
    };
    assert_eq!(is_told(&of("-fopt-info-omp-optimized")), [true, false]);
    assert_eq!(is_told(&of("-fopt-info-omp-missed")), [false, true]);
    for _ in 0..2 {
        let said = of("-fopt-info-omp=loops.txt");
        assert!(said.is_empty(), "{said}");
        let written = folder.read("loops.txt");
        assert_eq!(is_told(&written), [true, true], "{written}");
        assert_eq!(written.matches("loop over `j`").count(), 1, "{written}");
    }
    let human = of("--message-format human -Minfo");
    assert!(
        human.contains("note[A0500]: loop over `i`") && human.contains("-->"),
        "{human}"
    );
    let misspelt = of("-Minfo=acel");
    assert!(misspelt.contains("did you mean `accel`?"), "{misspelt}");
}

/// Directives that are not OpenACC's.
#[test]
fn directives_of_others_are_errors_if_asked() {
    let code = "void f(int n, double *restrict a)\n{\n#pragma acc parallel loop copy(a[0:n])\n    \
        for (int i = 0; i < n; i++)\n        a[i] = i;\n#pragma omp target update to(a[0:n])\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    for (option, level) in [("strict", "warning"), ("verystrict", "error")] {
        let output = folder.accrs(&format!("cc -acc={option} -c f.c"));
        let said = text(&output);
        assert!(
            said.contains(&format!("{level}[A0471]")),
            "{option}: {said}"
        );
        assert_eq!(output.status.success(), level == "warning", "{option}");
    }
    let alone = code.lines().filter(|line| !line.contains("acc"));
    folder.write(
        "g.c",
        &alone.map(|line| format!("{line}\n")).collect::<String>(),
    );
    let said = text(&folder.accrs("cc -acc=verystrict -c g.c"));
    assert!(said.contains("error[A0471]"), "{said}");
    folder.succeed("cc -c g.c");
}

/// `-Werror` holds for what a translation warns of; `-Minfo` has a line for each warning.
#[test]
fn warnings_of_translations_are_errors_if_asked() {
    let code = "void f(int n, double *restrict a)\n{\n#pragma acc parallel loop\n    \
        for (int i = 1; i < n; i++)\n        a[i] = a[i - 1];\n}\n\
        void g(int n, double *restrict a)\n{\n#pragma acc kernels\n    \
        for (int i = 1; i < n; i++)\n        a[i] = a[i - 1];\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    let denied = folder.accrs("cc -Werror -c f.c -o f.o");
    assert!(text(&denied).contains("error[A0469]") && !denied.status.success());
    assert!(!folder.file("f.o").exists());
    for options in ["-Werror -Wno-error", "-Werror -w", "-Minfo", "-Mneginfo"] {
        let output = folder.accrs(&format!("cc {options} -c f.c -o f.o"));
        assert!(output.status.success(), "{options}: {}", text(&output));
    }
    let said = text(&folder.accrs("cc -Mneginfo -c f.c"));
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        matches!(lines[..], [warning, note] if warning.starts_with("f.c:5:16: warning: the iterations")
            && note.starts_with("f.c:10:5: note: loop over `i` ")),
        "{said}"
    );
}

/// The help of the compiler names the options that are not gcc's.
#[test]
fn the_help_lists_our_options() {
    let folder = Folder::with(&[]);
    let help = folder.succeed("cc --help");
    folder.succeed("man pages");
    let page = folder.read("pages/accrs-cc.1").replace("\\-", "-");
    for option in [
        "--feedback",
        "--line-marks",
        "--windows=",
        "--device=",
        "--assume=",
        "-Minfo",
        "-gpu=",
    ] {
        assert!(help.contains(option), "{option}: {help}");
        assert!(page.contains(option), "{option}: {page}");
    }
    for option in ["--message-format", "--color"] {
        assert_eq!(help.matches(option).count(), 1, "{option}: {help}");
    }
    // Each option is a paragraph with its text, not a line of a filled table.
    for part in [
        ".SH \"OPTIONS OF ACCRS, AS FOR TRANSLATE\"\n.TP\n\\fB--device=gpu|multicore|emulated\\fR\nWhat to build for\n",
        "\n.PP\nOthers of them have no counterpart; a warning says so.\n.SH VERSION\n",
        &format!("\"accrs-cc {}\"", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn openacc_is_defined_unless_switched_off() {
    let text = "#ifndef _OPENACC\n#error off\n#endif\nint version = _OPENACC;\n";
    let folder = Folder::with(&[("a.c", text)]);
    assert!(
        folder
            .succeed("cc -E a.c")
            .contains("int version = 202211;")
    );
    folder.succeed("cc -c a.c");
    assert!(!folder.accrs("cc -fno-openacc -c a.c").status.success());
}

#[test]
fn dependency_files() {
    let folder = project();
    folder.succeed("cc -MMD -MP -c f.c -o f.o");
    assert_eq!(folder.read("f.d"), "f.o: f.c f.h\nf.h:\n");
    folder.succeed("cc -MD -MT target -MF other.d -c f.c");
    assert!(folder.read("other.d").starts_with("target: f.c "));
    assert_eq!(folder.succeed("cc -MM f.c"), "f.o: f.c f.h\n");
}

#[test]
fn standard_input_and_response_files() {
    let folder = Folder::with(&[("arguments", "-x c '-DVALUE=\"a b\"'\n- -o program")]);
    let mut command = folder.command(accrs());
    let mut child = command
        .args(["cc", "@arguments"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let source = b"#include <stdio.h>\nint main(void) { return !puts(VALUE); }\n";
    child.stdin.take().unwrap().write_all(source).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.run("./program", &[]), "a b\n");
}

#[test]
fn answers_like_the_host_compiler() {
    let folder = Folder::new();
    let host = which::which("cc").unwrap();
    for line in ["--version", "-dumpmachine", "-print-search-dirs", "-v"] {
        let ours = folder.accrs(&format!("cc {line}"));
        let theirs = folder.command(&host).arg(line).output().unwrap();
        assert_eq!(ours.status.code(), theirs.status.code(), "{line}");
        assert_eq!(text(&ours), text(&theirs), "{line}");
    }
    // nvc's option, whatever else is asked.
    let version = folder.succeed("cc --version");
    assert_eq!(folder.succeed("cc -V -c missing.c"), version);
}

#[test]
fn errors_are_the_host_compilers_own() {
    let folder = Folder::with(&[("bad.c", "int main(void) { return x; }\n")]);
    for line in [
        "-c bad.c",
        "-c missing.c",
        "bad.c -o program",
        "-c bad.c --no-such-flag",
    ] {
        let ours = folder.accrs(&format!("cc {line}"));
        assert_eq!(ours.status.code(), Some(1), "{line}");
        assert!(text(&ours).contains("error"), "{line}: {}", text(&ours));
    }
    assert_eq!(folder.names(), ["bad.c"]);
}

#[test]
fn warnings_point_at_the_users_file() {
    let folder = Folder::with(&[("w.c", "static int unused(void) { return 0; }\n")]);
    let output = folder.accrs("cc -Wall -c w.c");
    assert!(
        text(&output).contains("w.c:1:12: warning"),
        "{}",
        text(&output)
    );
}

#[test]
fn called_by_the_name_accrs_cc() {
    let folder = project();
    std::os::unix::fs::symlink(accrs(), folder.file("accrs-cc")).unwrap();
    folder.run("./accrs-cc", &["main.c", "f.c", "-o", "program"]);
    assert_eq!(folder.run("./program", &[]), "4\n");
}

#[test]
fn calls_of_the_runtime_are_linked_by_us_and_by_others() {
    let text = "#include <openacc.h>\nint main(void) { return acc_get_num_devices(acc_device_default) < 0; }\n";
    let folder = Folder::with(&[("a.c", text)]);
    folder.succeed("cc --device=emulated a.c -o ours");
    folder.run("./ours", &[]);
    folder.succeed("cc --device=emulated -c a.c");
    let libraries = folder.succeed("cc --device=emulated --print-libs");
    let arguments: Vec<&str> = ["a.o", "-o", "theirs"]
        .into_iter()
        .chain(libraries.split_whitespace())
        .collect();
    folder.run("cc", &arguments);
    folder.run("./theirs", &[]);
}

#[test]
fn wrong_use() {
    let folder = project();
    for line in ["--device=quantum main.c", "--arch=pascal main.c"] {
        let output = folder.accrs(&format!("cc {line}"));
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(text(&output).contains("A0709"), "{line}: {}", text(&output));
    }
}

/// What CMake asks a compiler, to find out whether it has OpenACC.
const PROBE: &str =
    "int main(void) {\n#ifdef _OPENACC\n    return 0;\n#else\n    breaks_on_purpose\n#endif\n}\n";

#[test]
fn other_languages_have_no_openacc() {
    let region = "void f(int *a)\n{\n#pragma acc parallel loop copy(a[0:9])\n    for (int i = 0; i < 9; i++)\n        a[i]++;\n}\n";
    let fortran = "subroutine f(a)\n  integer :: a(9)\n  !$ACC parallel loop copy(a)\n  do i = 1, 9\n    a(i) = i\n  end do\nend\n";
    let sources = [
        ("a.cpp", region),
        ("b.C", region),
        ("c.txt", region),
        ("d.f90", fortran),
        ("probe.cpp", PROBE),
        ("probe.c", PROBE),
        (
            "plain.cpp",
            "template <class T> T f(T x) { return x; }\nint g() { return f(1); }\n",
        ),
    ];
    let folder = Folder::with(&sources);
    for line in [
        "cc -c a.cpp",
        "cc -fopenacc -c b.C -o b.o",
        "cc -c -x c++ c.txt",
        "cc -c d.f90",
        "translate a.cpp -o out",
        "check d.f90",
        "check --dynamic a.cpp",
    ] {
        let output = folder.accrs(line);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(text(&output).contains("A0719"), "{line}: {}", text(&output));
    }
    let output = folder.accrs("cc -fopenacc -c probe.cpp");
    assert!(!output.status.success());
    folder.succeed("cc -fopenacc -c probe.c");
    folder.succeed("cc -c plain.cpp");
    folder.succeed("cc -fno-openacc -c a.cpp");
    assert_eq!(folder.succeed("cc -w -c -x c++ plain.cpp"), "");
}

#[test]
fn warnings_go_with_w() {
    let source = "void f(int n, float *restrict a)\n{\n#pragma acc cache(a[0:n])\n#pragma acc parallel loop copy(a[0:n])\n    for (int i = 0; i < n; i++)\n        a[i] += 1;\n}\n";
    let folder = Folder::with(&[("a.c", source)]);
    let output = folder.accrs("cc -c a.c");
    assert!(output.status.success());
    assert!(
        text(&output).contains("warning[A0415]"),
        "{}",
        text(&output)
    );
    let output = folder.accrs("cc -w -c a.c");
    assert!(output.status.success());
    assert_eq!(text(&output), "");
}
