//! File names that mean something to make, tools or the shell, and makefiles that go elsewhere.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::{Folder, text};

/// Prints what it computed, with a header beside it.
const PROGRAM: &str = "\
#include <stdio.h>
#include \"size.h\"
int main(void)
{
    int n = 0;
#pragma acc parallel loop reduction(+:n)
    for (int i = 0; i < SIZE; i++)
        n += i;
    printf(\"%d\\n\", n);
    return 0;
}
";

const SIZE: &str = "#define SIZE 10\n";

#[test]
fn names_that_nothing_can_be_called_are_refused() {
    let folder = Folder::new();
    for (name, why) in [
        (&b"a\nb.c"[..], "its name has a line break"),
        (b"a\xff.c", "its name is not UTF-8"),
        (b"a\nb.cu", "its name has a line break"),
    ] {
        let name = OsStr::from_bytes(name);
        std::fs::write(folder.path().join(name), PROGRAM).unwrap();
        for what in ["translate", "check", "run"] {
            let output = folder.command(crate::accrs()).arg(what).arg(name).output();
            let said = text(&output.unwrap());
            // `run` calls the program after the file.
            let is_told = said.contains(why) || said.contains("has no usable file name");
            assert!(is_told, "{what}: {said}");
        }
    }
}

#[test]
fn names_that_mean_something_to_make_are_built() {
    for name in ["-dash", "clean", "all"] {
        let source = format!("{name}.c");
        let folder = Folder::with(&[(&source, PROGRAM), ("size.h", SIZE)]);
        folder.succeed(&format!("translate -o out ./{name}.c"));
        folder.make_emulated("out", &format!("{name}.acc.mk"), None);
        assert_eq!(folder.run(&format!("out/{name}"), &[]), "45\n");
    }
}

#[test]
fn a_translation_goes_to_another_place() {
    let folder = Folder::with(&[("all/src/a.c", PROGRAM), ("all/include/size.h", SIZE)]);
    folder.succeed("translate -Iall/include -o all/out all/src/a.c");
    let makefile = folder.read("all/out/a.acc.mk");
    assert!(
        makefile.contains("-iquote ../src -I../include"),
        "{makefile}"
    );
    assert!(
        !makefile.contains(folder.path().to_str().unwrap()),
        "{makefile}"
    );
    std::fs::rename(folder.file("all"), folder.file("elsewhere")).unwrap();
    folder.make_emulated("elsewhere/out", "a.acc.mk", None);
    assert_eq!(folder.run("elsewhere/out/a", &[]), "45\n");
}

#[test]
fn a_file_without_main_becomes_a_library() {
    let part = PROGRAM.replace("int main(void)", "int sum(void)");
    let main = "int sum(void);\nint main(void) { return sum(); }\n";
    let folder = Folder::with(&[("part.c", &part), ("size.h", SIZE), ("main.c", main)]);
    folder.succeed("translate -o out part.c");
    folder.make_emulated("out", "part.acc.mk", None);
    folder.run("gcc", &["-c", "main.c", "-o", "main.o"]);
    folder.run(
        "g++",
        &["-pthread", "-o", "main", "main.o", "out/libpart.a"],
    );
    assert_eq!(folder.run("./main", &[]), "45\n");
}

#[test]
fn without_nvcc_make_tells_of_the_emulation() {
    let folder = Folder::with(&[("a.c", PROGRAM), ("size.h", SIZE)]);
    folder.succeed("translate a.c");
    let make = |goal: &str| {
        let mut make = folder.command("make");
        let arguments = ["-f", "a.acc.mk", "NVCC=no-such-nvcc", goal];
        make.args(arguments).output().unwrap()
    };
    let output = make("a");
    assert!(!output.status.success() && text(&output).contains("DEVICE=emulated"));
    assert!(make("clean").status.success());
}

/// What `translate` writes goes nowhere else.
#[test]
fn a_link_in_place_of_the_runtime_is_refused() {
    let folder = Folder::with(&[("a.c", PROGRAM), ("size.h", SIZE), ("other/.keep", "")]);
    std::os::unix::fs::symlink(folder.file("other"), folder.file("accrs_runtime")).unwrap();
    let said = text(&folder.accrs("translate a.c"));
    assert!(
        said.contains("error[A0706]") && said.contains("symbolic link"),
        "{said}"
    );
    assert_eq!(folder.names_in("other"), [".keep"]);
}
