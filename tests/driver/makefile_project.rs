//! `CC="accrs cc" make` on a project with a static library.

use std::process::Output;

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

#[test]
fn builds_and_rebuilds_after_a_header_is_touched() {
    let folder = Folder::with(&[
        ("Makefile", MAKEFILE),
        ("main.c", MAIN),
        ("scale.h", SCALE_H),
        ("scale.c", SCALE),
        ("table.c", TABLE),
    ]);
    make(&folder, &["-j8"]);
    assert_eq!(folder.run("./program", &[]), "2 10\n");
    assert!(text(&make(&folder, &[])).contains("up to date"));
    folder.write("scale.h", &SCALE_H.replace("FACTOR 2", "FACTOR 3"));
    // Whatever the clock's grain is, the header is newer now.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(2);
    std::fs::File::open(folder.file("scale.h"))
        .unwrap()
        .set_modified(later)
        .unwrap();
    make(&folder, &["-j8"]);
    assert_eq!(folder.run("./program", &[]), "3 15\n");
}
