//! Where launches stand among statements, and what else these do with the memory that they get.

use crate::Folder;
use crate::support::nvcc;

/// A program whose `main` has statements between the memory of `x` and what is printed of it.
fn program(statements: &str) -> String {
    let text = "\
#include <cstdio>
#include <cstdlib>
__global__ void add(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += 1;
}
int main(int argc, char **)
{
    int n = 100;
    int *x = (int *)malloc(n * sizeof(int)), *p = x + 5;
    for (int i = 0; i < n; i++)
        x[i] = i;
STATEMENTS
    printf(\"%d %d %d\\n\", x[0], *p, x[99]);
    free(x);
    return 0;
}
";
    let launch = "#pragma AUTO-CTA n\n        add<<<4, 32>>>(x, n);";
    let text = text.replace("STATEMENTS", statements);
    text.replace("LAUNCH", launch)
}

fn prints(statements: &str, wanted: &str) {
    let folder = Folder::with(&[("program.cu", &program(statements))]);
    folder.succeed("cc program.cu -o program");
    for order in ["forward", "reverse", "1"] {
        let mut run = folder.command("./program");
        let output = run.env("ACCRS_SCHEDULE", order).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed.trim_end(), wanted, "{statements}");
    }
    folder.succeed("translate program.cu -o out");
    let file = folder.file("out/program.acc.cu");
    nvcc::compile(&file, &folder.file("object.o"), &[75, 90, 120]).unwrap();
}

/// Braces stand around the pragma and the launch, with what brings copies up to date.
#[test]
fn launches_are_all_that_a_header_governs() {
    prints("    if (argc > 0)\nLAUNCH", "1 6 100");
    prints(
        "    if (argc > 9)\n        x[0] = 7;\n    else\nLAUNCH",
        "1 6 100",
    );
    prints("    for (int t = 0; t < 3; t++)\nLAUNCH", "3 8 102");
    prints("    do\nLAUNCH\n    while (x[0] < 5);", "5 10 104");
    let both = "    for (int t = 0; t < 3; t++)\n        if (t < 2)\nLAUNCH\n        else\nLAUNCH";
    prints(both, "3 8 102");
}

/// What is known of copies at the end of a `switch` is not what its last statements make of it.
#[test]
fn branches_of_a_switch_end_before_it_does() {
    let cases = "    switch (argc) {\n    case 1:\nLAUNCH\n        break;\n    default:\n        \
                 x[0] = 2;\n    }";
    prints(cases, "1 6 100");
}

#[test]
fn differences_of_addresses_are_numbers() {
    let statements = "LAUNCH\n    *p = p - x;\n    x[0] = *p + (p - x) % 3;\n    \
                      const int *end = x + n;\n    x[99] = end - (int *)p - 1;";
    prints(statements, "7 5 94");
}
