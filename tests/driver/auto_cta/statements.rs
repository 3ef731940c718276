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
    printf(\"%d %d %d\\n\", x[0], x[5], x[99]);
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

#[test]
fn differences_of_addresses_are_numbers() {
    let statements = "LAUNCH\n    *p = p - x;\n    x[0] = *p + (p - x) % 3;\n    \
                      const int *end = x + n;\n    x[99] = end - (int *)p - 1;";
    prints(statements, "7 5 94");
}
