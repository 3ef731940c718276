//! `accrs run --counts`: requests and transactions of accesses whose counts one can tell by hand.

use serde_json::Value;

use super::{Folder, text};

/// A loop whose every line accesses device memory once, each in another way.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *plain = calloc(n, sizeof(float)), *shifted = calloc(n + 1, sizeof(float));
    float *pairs = calloc(2 * n, sizeof(float)), *apart = calloc(32 * n, sizeof(float));
    float *one = calloc(1, sizeof(float)), *reversed = calloc(n, sizeof(float));
    double *wide = calloc(n, sizeof(double));
    float *out = calloc(n, sizeof(float));
    #pragma acc parallel loop vector_length(128) copyin(plain[0:n], shifted[0:n + 1], pairs[0:2 * n], \
        apart[0:32 * n], one[0:1], reversed[0:n], wide[0:n]) copyout(out[0:n])
    for (int i = 0; i < n; i++) {
        float sum = plain[i];
        sum += shifted[i + 1];
        sum += pairs[2 * i];
        sum += apart[32 * i];
        sum += one[0];
        sum += reversed[n - 1 - i];
        sum += wide[i];
        out[i] = sum;
    }
    printf("%g\n", out[n - 1]);
    return 0;
}
"#;

/// The line of the loop's first statement.
const FIRST: u64 = 14;

fn counts(program: &str, arguments: &str) -> Value {
    let folder = Folder::with(&[("program.c", program)]);
    let output = folder.accrs(&format!(
        "run --counts=counts.json program.c -- {arguments}"
    ));
    assert!(output.status.success(), "{}", text(&output));
    serde_json::from_str(&folder.read("counts.json")).unwrap()
}

/// Requests, accesses, transactions and sectors of the accesses of a line.
fn tally(kernel: &Value, line: u64, space: &str, warps: &str) -> Vec<u64> {
    let accesses = kernel["accesses"].as_array().unwrap();
    let of_line = accesses
        .iter()
        .filter(|access| access["line"] == line && access["space"] == space);
    ["requests", "accesses", "transactions", "sectors"]
        .iter()
        .map(|what| {
            of_line
                .clone()
                .map(|access| access[warps][*what].as_u64().unwrap())
                .sum()
        })
        .collect()
}

#[test]
fn transactions_are_those_of_the_addresses() {
    let kernels = counts(PROGRAM, "1024");
    let kernel = &kernels[0];
    assert_eq!(kernel["launches"], 1);
    assert_eq!(
        (&kernel["blocks"], &kernel["threads"]),
        (&8.into(), &1024.into())
    );
    // 32 warps; lines and sectors of each request.
    let expected = [
        (1, 4),
        (2, 5),
        (2, 8),
        (32, 32),
        (1, 1),
        (1, 4),
        (2, 8),
        (1, 4),
    ];
    for (line, (transactions, sectors)) in (FIRST..).zip(expected) {
        assert_eq!(
            tally(kernel, line, "device", "full"),
            [32, 1024, 32 * transactions, 32 * sectors],
            "line {line}"
        );
        assert_eq!(tally(kernel, line, "device", "partial"), [0; 4]);
    }
}

#[test]
fn masked_warps_are_apart() {
    let kernels = counts(PROGRAM, "1000");
    // 31 warps are whole, of the last one eight lanes remain.
    assert_eq!(
        tally(&kernels[0], FIRST, "device", "full"),
        [31, 992, 31, 124]
    );
    assert_eq!(tally(&kernels[0], FIRST, "device", "partial"), [1, 8, 1, 1]);
}

#[test]
fn banks_and_barriers_of_shared_memory_are_counted() {
    let program = r#"#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int n = 512;
    float *restrict a = calloc(n, sizeof(float)), *restrict b = calloc(n, sizeof(float));
    #pragma acc parallel loop vector(128) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:0:0])
        {
            float own = a[i];
            b[i] = own + a[i / 128 * 128 + i % 64 * 2];
        }
    }
    printf("%g\n", b[n - 1]);
    return 0;
}
"#;
    let kernels = counts(program, "");
    let kernel = &kernels[0];
    // Four blocks: a barrier after the fetch.
    assert_eq!(kernel["barriers"], 4);
    assert_eq!(tally(kernel, 11, "shared", "full"), [16, 512, 16, 0]);
    // Every second word: two words of each bank.
    assert_eq!(tally(kernel, 12, "shared", "full"), [16, 512, 32, 0]);
}

#[test]
fn a_table_is_shown_without_a_file() {
    let folder = Folder::with(&[("program.c", PROGRAM)]);
    let output = folder.accrs("run --counts program.c -- 1024");
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("1 launch, 8 blocks, 1024 threads, 0 barriers"),
        "{said}"
    );
    let line = said
        .lines()
        .find(|line| line.contains("program.c:17"))
        .unwrap();
    let words: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(
        words[words.len() - 4..],
        ["32", "1024", "32.00", "1024"],
        "{said}"
    );
}

/// Reads of two members in one line are two rows, which say of how many bytes they are.
#[test]
fn members_of_one_line_are_told_apart() {
    let code = "struct r { double x; char t; } r[64];\nint out[64];\nint main(void)\n{\n    \
        #pragma acc parallel loop\n    for (int i = 0; i < 64; i++)\n        \
        out[i] = r[i].x + r[i].t;\n    return out[3];\n}\n";
    let folder = Folder::with(&[("program.c", code)]);
    let said = text(&folder.accrs("run --counts program.c"));
    let rows = said.lines().filter(|line| line.contains("program.c:7"));
    let arrays: Vec<String> = rows
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words[1..words.len() - 4].join(" ")
        })
        .collect();
    assert_eq!(
        arrays,
        ["write out", "read r, 1 byte", "read r, 8 bytes"],
        "{said}"
    );
}

/// What joins the threads' values at the end of a kernel is of the directive, not of the loop's last line.
#[test]
fn reductions_are_counted_at_their_directive() {
    let code = "#include <stdio.h>\nstatic float a[1024];\nint main(void)\n{\n    float s = 0;\n    \
        #pragma acc parallel loop reduction(+:s)\n    for (int i = 0; i < 1024; i++) {\n        s += a[i];\n        \
        a[i] = 2;\n    }\n    printf(\"%g\\n\", s);\n}\n";
    let folder = Folder::with(&[("program.c", code)]);
    let said = text(&folder.accrs("run --counts program.c"));
    for line in said.lines().filter(|line| line.contains("program.c:")) {
        let is_of_array = line.contains("  a  ");
        assert_eq!(line.contains("program.c:6"), !is_of_array, "{said}");
    }
    assert!(
        said.contains("program.c:9") && !said.contains("(runtime)"),
        "{said}"
    );
    assert!(
        said.contains("shared read (partial warps)   (partial results)"),
        "{said}"
    );
}

/// What the runtime runs for a reduction has the program's names.
#[test]
fn reductions_of_arrays_are_called_by_the_variable() {
    let code = "#include <stdio.h>\nstatic int v[5000], hist[16];\nint main(void)\n{\n    \
        for (int i = 0; i < 5000; i++) v[i] = i * 7919;\n    \
        #pragma acc parallel loop reduction(+:hist)\n    for (int i = 0; i < 5000; i++)\n        \
        hist[v[i] & 15]++;\n    printf(\"%d\\n\", hist[3]);\n}\n";
    let folder = Folder::with(&[("program.c", code)]);
    let said = text(&folder.accrs("run --counts program.c"));
    let (_, own) = said
        .split_once("\nreduction of `hist`: 1 launch")
        .expect(&said);
    assert!(
        own.contains("program.c:6  read (partial warps)          hist"),
        "{said}"
    );
    for internal in ["combine_partials", "(temporary)", "(reduction)", "  ?"] {
        assert!(!said.contains(internal), "{internal}\n{said}");
    }
}

#[test]
fn counting_is_for_the_emulation() {
    let folder = Folder::with(&[("program.c", PROGRAM)]);
    let output = folder.accrs("run --counts --device gpu program.c -- 1024");
    assert_eq!(output.status.code(), Some(125));
    assert!(text(&output).contains("--device"), "{}", text(&output));
}

/// Memory of `acc_malloc` and copies that threads have are called as the line has them.
#[test]
fn memory_without_a_name_is_called_as_its_line_has_it() {
    let code = "#include <openacc.h>\nint main(void)\n{\n    int n = 64;\n    double s = 0;\n    \
        double *d = acc_malloc(n * sizeof *d);\n    #pragma acc parallel loop deviceptr(d)\n    \
        for (int i = 0; i < n; i++)\n        d[i] = i;\n    \
        #pragma acc parallel loop deviceptr(d) reduction(+:s)\n    for (int i = 0; i < n; i++)\n        \
        s += d[i];\n    acc_free(d);\n    return s != 2016;\n}\n";
    let folder = Folder::with(&[("own.c", code)]);
    let output = folder.accrs("run --counts own.c");
    let table = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{table}");
    let names = |line: &str| {
        let rows = table.lines().filter(|row| row.contains(line));
        rows.map(str::to_owned).collect::<Vec<String>>()
    };
    for line in ["own.c:9 ", "own.c:12 "] {
        let rows = names(line);
        assert!(
            !rows.is_empty() && rows.iter().all(|row| row.contains(" d ")),
            "{table}"
        );
    }
    assert!(!table.contains("(temporary)"), "{table}");
}
