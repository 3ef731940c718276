//! Unified memory: programs that need it, and no copy in any.

use super::{Folder, text};

/// Structures behind pointers, results that no clause brings back, the routines of `openacc.h`.
const SHARED: &str = include_str!("unified/shared.c");
const EXPECTED: &str = "\
lists 192.5
rows 4 10
scatter 0 1 2
copyin 63
inside 64
after 1001 65
present 1 1 1
use_device 1
async 18 21 60
malloc 297 1
mapped 297 1
mapped 298
counts 3
counts 3 6
shared 1
";

/// Loops with windows, sections that overlap and that loops leave.
const WINDOWS: &str = include_str!("unified/windows.c");

/// A loop that needs what `copyin` does not bring back where memory is separate.
const SMALL: &str = "\
#include <stdio.h>
int main(void)
{
    static int a[10];
    #pragma acc parallel loop present(a)
    for (int i = 0; i < 10; i++)
        a[i] = i;
    printf(\"%d\\n\", a[9]);
    return 0;
}
";

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Events of a trace that are none in unified memory.
fn moves(trace: &str) -> Vec<&str> {
    let is_launch = |line: &&str| !line.starts_with("accrs trace: launch ");
    trace.lines().filter(is_launch).collect()
}

#[test]
fn programs_use_the_hosts_memory() {
    let folder = Folder::with(&[("f.c", SHARED)]);
    folder.succeed("cc -Wall -Werror -O2 --memory=unified f.c -o f");
    for (name, value) in [
        ("ACCRS_SCHEDULE", "forward"),
        ("ACCRS_SCHEDULE", "reverse"),
        ("ACCRS_EMULATED_QUEUES", "late"),
        ("ACCRS_TRACE", "1"),
    ] {
        let mut command = folder.command(folder.file("f"));
        let output = command.env(name, value).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), EXPECTED);
        if name == "ACCRS_TRACE" {
            // What acc_map_data maps alone has memory of its own.
            let trace = stderr(&output);
            let moved = moves(&trace);
            assert_eq!(moved.len(), 1, "{moved:?}");
            assert!(moved[0].starts_with("accrs trace: to-host from[0:n]"));
        }
    }
    let mut host = folder.command(folder.file("f"));
    let output = host.env("ACC_DEVICE_TYPE", "host").output().unwrap();
    assert!(text(&output).contains("async 18 21 60"));
    // Memory that is separate is another matter.
    let said = text(&folder.accrs("run f.c"));
    assert!(said.contains("is not present on the device"), "{said}");
}

#[test]
fn windows_and_sections_in_shared_memory() {
    let folder = Folder::with(&[("f.c", WINDOWS)]);
    folder.run(
        "cc",
        &["-w", "-O1", "-ffp-contract=off", "f.c", "-o", "serial"],
    );
    let expected = folder.run("./serial", &[]);
    for choice in ["automatic", "directives"] {
        folder.succeed(&format!(
            "cc -w --memory=unified --windows={choice} f.c -o f"
        ));
        let mut command = folder.command(folder.file("f"));
        let output = command.env("ACCRS_TRACE", "1").output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        assert!(moves(&stderr(&output)).is_empty(), "{}", text(&output));
    }
    let kernels = text(&folder.accrs("translate --memory unified -o - f.c"));
    assert!(kernels.contains("present_range(bodies"), "{kernels}");
}

#[test]
fn makefiles_build_programs_with_unified_memory() {
    let folder = Folder::with(&[("f.c", SMALL)]);
    folder.succeed("translate --memory unified -o out f.c");
    assert!(folder.read("out/f.acc.c").contains("accrs_unified();"));
    folder.make_emulated("out", "f.acc.mk", None);
    assert_eq!(folder.run("out/f", &[]), "9\n");
    folder.succeed("translate -o separate f.c");
    assert!(!folder.read("separate/f.acc.c").contains("accrs_unified"));
}

#[test]
fn the_compilers_spellings() {
    let folder = Folder::with(&[("f.c", SMALL)]);
    let unified = |option: &str| {
        let output = folder.accrs(&format!("cc {option} f.c -o f"));
        assert!(output.status.success(), "{option}: {}", text(&output));
        assert_eq!(text(&output), "", "{option}");
        text(&folder.command(folder.file("f")).output().unwrap()) == "9\n"
    };
    for option in [
        "-gpu=managed",
        "-gpu=unified",
        "-gpu=mem:managed",
        "-gpu=mem:unified",
        "-ta=tesla:managed",
        "-gpu=cc80,unified",
        "-gpu=separate -gpu=unified",
        "--memory unified",
    ] {
        assert!(unified(option), "{option}");
    }
    for option in [
        "-gpu=mem:separate",
        "-gpu=unified -gpu=nounified",
        "-gpu=managed,nomanaged",
        "--memory=unified --memory=separate",
    ] {
        assert!(!unified(option), "{option}");
    }
    let said = text(&folder.accrs("cc --memory=both f.c -o f"));
    assert!(
        said.contains("`--memory` is one of `separate`, `unified`"),
        "{said}"
    );
}

#[test]
fn objects_for_different_memory_do_not_mix() {
    let other = "void g(int n, int *a)\n{\n    #pragma acc parallel loop\n    \
        for (int i = 0; i < n; i++)\n        a[i] = i;\n}\n";
    let folder = Folder::with(&[("f.c", SMALL), ("g.c", other)]);
    folder.succeed("cc -gpu=unified -c f.c");
    folder.succeed("cc -c g.c");
    let wrong = |line: &str, what: &str| {
        let output = folder.accrs(line);
        assert!(!output.status.success(), "{line}");
        let said = text(&output);
        assert!(
            said.contains("error[A0710]") && said.contains(what),
            "{line}: {said}"
        );
    };
    wrong(
        "cc f.o g.o -o f",
        "`g.o` is built for separate memory, but `f.o` for unified memory",
    );
    wrong(
        "cc f.o g.c -o f",
        "`f.o` is built for unified memory, but the program for separate memory",
    );
    wrong(
        "cc -gpu=unified g.o f.c -o f",
        "`g.o` is built for separate memory",
    );
    wrong(
        "run f.c g.o --memory unified",
        "`g.o` is built for separate memory",
    );
    wrong("run g.c f.o", "`f.o` is built for unified memory");
    // The objects say it.
    folder.succeed("cc -gpu=unified -c g.c");
    folder.succeed("cc f.o g.o -o f");
    assert_eq!(folder.run("./f", &[]), "9\n");
}

/// What of a GPU is seen without one: it says whether it reaches the host's memory.
#[test]
fn a_device_that_does_not_reach_the_hosts_memory() {
    let wrapped = "\
        int __real_cudaDeviceGetAttribute(int *value, int attribute, int device);\n\
        int __wrap_cudaDeviceGetAttribute(int *value, int attribute, int device);\n\
        int __wrap_cudaDeviceGetAttribute(int *value, int attribute, int device)\n{\n    \
            int status = __real_cudaDeviceGetAttribute(value, attribute, device);\n    \
            if (attribute == 88)\n        *value = 0;\n    return status;\n}\n";
    let folder = Folder::with(&[("f.c", SMALL), ("wrapped.c", wrapped)]);
    let wrap = "-Wl,--wrap=cudaDeviceGetAttribute";
    folder.succeed(&format!("cc -gpu=unified {wrap} f.c wrapped.c -o f"));
    let output = folder.command(folder.file("f")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(
        said.contains("this program is built for unified memory, and device 0 ("),
        "{said}"
    );
    assert!(
        said.contains("accrs: help: build it with --memory separate"),
        "{said}"
    );
}

#[test]
fn diagnostics_know_that_nothing_is_copied() {
    let lost = "int main(void)\n{\n    double a[100];\n    #pragma acc parallel loop copyin(a)\n    \
        for (int i = 0; i < 100; i++)\n        a[i] = i;\n    return 0;\n}\n";
    let folder = Folder::with(&[("f.c", lost), ("g.c", SHARED)]);
    assert!(text(&folder.accrs("check f.c")).contains("A0470"));
    assert_eq!(text(&folder.accrs("check --memory unified f.c")), "");
    let separate = text(&folder.accrs("check --feedback g.c"));
    assert!(
        separate.contains("no clause names it, and it is copied if it is not present"),
        "{separate}"
    );
    let unified = text(&folder.accrs("check --feedback --memory unified g.c"));
    // One note says it.
    assert!(!separate.contains("is implied"), "{separate}");
    assert!(
        !unified.contains("A0427") && !unified.contains("A0539"),
        "{unified}"
    );
    assert!(unified.contains("A0500"), "{unified}");
}

#[test]
fn what_has_memory_of_its_own_is_refused() {
    let hicuda = "void f(int *a)\n{\n    #pragma hicuda global alloc a[0:9] copyin\n    \
        #pragma hicuda global free a\n}\n";
    let folder = Folder::with(&[
        ("h.c", hicuda),
        ("f.c", SMALL),
        ("k.mcu", "__shared int x;\n"),
    ]);
    let refused = |line: &str, what: &str| {
        let output = folder.accrs(line);
        assert!(!output.status.success(), "{line}");
        let said = text(&output);
        assert!(said.contains(what), "{line}: {said}");
    };
    refused(
        "translate --memory unified h.c",
        "error[A0712]: `--memory unified` has no device memory",
    );
    refused(
        "run --counts --memory unified f.c",
        "error[A0709]: `--counts`",
    );
    refused("bench --memory unified", "error[A0709]: `accrs bench`");
    refused(
        "check --compare --memory unified f.c",
        "error[A0709]: `--compare`",
    );
    let said = text(&folder.accrs("translate --memory unified -o - k.mcu"));
    assert!(
        said.contains("warning[A0712]: `--memory unified` changes nothing in `k.mcu`"),
        "{said}"
    );
}

/// Right programs are silent, and threads that race for the host's memory are found.
#[test]
fn checks_see_the_hosts_memory() {
    let race = include_str!("unified/race.c");
    let folder = Folder::with(&[("f.c", SHARED), ("w.c", WINDOWS), ("race.c", race)]);
    for file in ["f.c", "w.c"] {
        let output = folder.accrs(&format!("check --dynamic --memory unified {file}"));
        assert!(output.status.success(), "{}", text(&output));
        assert_eq!(stderr(&output), "");
    }
    let said = text(&folder.accrs("check --dynamic --memory unified race.c"));
    assert!(
        said.contains("error[A0722]") && said.contains("last[to[i]] = i"),
        "{said}"
    );
}
