//! A small project of a file with directives, one without and a static
//! library, built by make and by CMake.

use std::path::Path;
use std::process::{Command, Output};

use crate::{Folder, accrs, text};

const MAKEFILE: &str = "\
CFLAGS = -O2 -Wall -MMD -MP
OBJECTS = main.o scale.o
program: $(OBJECTS) libtable.a
\t$(CC) -o $@ $(OBJECTS) -L. -ltable -lm
libtable.a: table.o
\t$(AR) rcs $@ $^
-include $(wildcard *.d)
";

const MAIN: &str = "\
#include <stdio.h>
#include \"scale.h\"
int main(void)
{
    double values[5];
    table_fill(values, 5);
    scale(values, 5);
    printf(\"%g %g\\n\", values[0], values[4]);
    return 0;
}
";
const SCALE_H: &str = "#define FACTOR 2\nvoid scale(double *values, int n);\nvoid table_fill(double *values, int n);\n";
const TABLE: &str = "\
#include \"scale.h\"
void table_fill(double *values, int n)
{
    for (int i = 0; i < n; i++)
        values[i] = i + 1;
}
";
const SCALE: &str = "\
#include \"scale.h\"
void scale(double *values, int n)
{
#pragma acc parallel loop copy(values[0:n])
    for (int i = 0; i < n; i++)
        values[i] *= FACTOR;
}
";

fn make(folder: &Folder, arguments: &[&str]) -> Output {
    let compiler = format!("{} cc", accrs().display());
    let output = folder
        .command("make")
        .args(arguments)
        .env("CC", compiler)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    output
}

/// The files that both build systems compile.
const FILES: &[(&str, &str)] = &[
    ("main.c", MAIN),
    ("scale.h", SCALE_H),
    ("scale.c", SCALE),
    ("table.c", TABLE),
];

/// Changes a header's factor. Whatever the clock's grain is, it is newer than
/// what was built.
fn change_header(folder: &Folder) {
    folder.write("scale.h", &SCALE_H.replace("FACTOR 2", "FACTOR 3"));
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    let header = std::fs::File::open(folder.file("scale.h")).unwrap();
    header.set_modified(later).unwrap();
}

#[test]
fn builds_and_rebuilds_after_a_header_is_touched() {
    let folder = Folder::with(FILES);
    folder.write("Makefile", MAKEFILE);
    make(&folder, &["-j8"]);
    assert_eq!(folder.run("./program", &[]), "2 10\n");
    assert!(text(&make(&folder, &[])).contains("up to date"));
    change_header(&folder);
    make(&folder, &["-j8"]);
    assert_eq!(folder.run("./program", &[]), "3 15\n");
}

const CMAKE_LISTS: &str = "\
cmake_minimum_required(VERSION 3.16)
project(scale C)
find_package(OpenACC REQUIRED COMPONENTS C)
message(STATUS \"specification ${OpenACC_C_SPEC_DATE}\")
add_library(table STATIC table.c)
add_executable(program main.c scale.c)
target_link_libraries(program PRIVATE table OpenACC::OpenACC_C m)
";

/// CMake of this machine, or of the cache, where the script puts it.
fn cmake() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/install-cmake.sh");
    let output = Command::new(script).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Configures and builds with one form of `CC`, changes a header and builds
/// again.
fn build_with_cmake(compiler: &str) {
    let folder = Folder::with(FILES);
    folder.write("CMakeLists.txt", CMAKE_LISTS);
    let cmake = cmake();
    let configured = folder
        .command(&cmake)
        .args(["-B", "build"])
        .env("CC", compiler)
        .output()
        .unwrap();
    assert!(configured.status.success(), "{}", text(&configured));
    assert!(
        text(&configured).contains("specification 202211"),
        "{}",
        text(&configured)
    );
    folder.run(&cmake, &["--build", "build", "-j8"]);
    assert_eq!(folder.run("build/program", &[]), "2 10\n");
    change_header(&folder);
    folder.run(&cmake, &["--build", "build", "-j8"]);
    assert_eq!(folder.run("build/program", &[]), "3 15\n");
}

#[test]
fn cmake_with_a_command_of_two_words() {
    build_with_cmake(&format!("{} cc", accrs().display()));
}

#[test]
fn cmake_with_the_one_word_name() {
    let folder = Folder::new();
    std::os::unix::fs::symlink(accrs(), folder.file("accrs-cc")).unwrap();
    build_with_cmake(folder.file("accrs-cc").to_str().unwrap());
}
