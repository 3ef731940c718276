//! `--feedback` as JSON: what docs/feedback.md says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::{Folder, text};

/// Loops of every kind, a choice of axes, windows kept and given up, a variable between launches.
const PROGRAM: &str = "
void all(int n, const float *restrict a, float *restrict b, float *c)
{
    #pragma acc parallel loop collapse(2) copyin(a[0:n * n]) copyout(b[0:n * n])
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            b[j * 100 + i] = a[j * 100 + i];
    #pragma acc parallel loop vector_length(256) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; i++) {
        #pragma acc cache(a[i - 1:3])
        float sum = 0;
        for (int k = -1; k < 2; k++)
            sum += a[i + k];
        b[i] = sum;
    }
    #pragma acc parallel loop copy(b[0:n], c[0:n])
    for (int i = 1; i < n - 1; i++) {
        #pragma acc cache(c[i - 1:3])
        float *p = c;
        b[i] = p[i - 1] + c[i + 1];
    }
    #pragma acc kernels copy(b[0:n])
    {
        float factor = b[0];
        for (int i = 0; i < n; i++)
            b[i] *= factor;
        for (int i = 0; i < n; i++)
            b[i % 7] += i;
    }
    #pragma acc parallel loop copyin(a[0:n], c[0:3]) copyout(b[0:n])
    for (int i = 1; i < n - 1; i++) {
        float sum = 0;
        for (int k = 0; k < 3; k++)
            sum += c[k] * a[i + k - 1];
        b[i] = sum;
    }
    #pragma acc parallel loop copyin(a[0:n * n]) copyout(b[0:n * n])
    for (int i = 0; i < n; i++)
        for (int column = 0; column < n; column++)
            b[i * n + column] = 2 * a[i * n + column];
    #pragma acc parallel loop copy(b[0:n * n]) copyin(c[0:n])
    for (int i = 0; i < n; i++)
        for (int random = 0; random < n; random++)
            b[i * n + (int)c[random]] += a[i * n + random];
    for (int t = 0; t < n; t++) {
        #pragma acc parallel loop copy(c[0:n * n], b[0:t])
        for (int i = 0; i < n; i++)
            c[i] += t;
    }
}
void few(int n, float *restrict c)
{
    #pragma acc parallel loop num_gangs(2) copy(c[0:n])
    for (int i = 0; i < n; i++) c[i] += 1;
    #pragma acc parallel loop num_gangs(2) copy(c[0:n])
    for (int i = 0; i < n; i++) c[i] *= 2;
}
void partitioned(float a[64])
{
    #pragma hicuda global alloc a[0:63] copyin
    #pragma hicuda kernel twice tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int i = 0; i < 64; i++)
        a[i] *= 2;
    #pragma hicuda kernel_end
    #pragma hicuda global copyout a[0:63]
    #pragma hicuda global free a
}
";

/// The notes with data, by code.
fn notes(options: &str) -> Vec<(String, Value)> {
    let folder = Folder::with(&[("all.c", PROGRAM)]);
    let line = format!("check --feedback --message-format json {options} all.c");
    let output = folder.accrs(&line);
    assert!(output.status.success(), "{}", text(&output));
    let told = String::from_utf8(output.stderr).unwrap();
    let messages = told.lines().map(|line| {
        let message: Value = serde_json::from_str(line).unwrap();
        let code = message["code"]["code"].as_str().unwrap().to_owned();
        (code, message["data"].clone())
    });
    messages.filter(|(_, data)| !data.is_null()).collect()
}

/// The keys that a page lists, by the code in the heading above; those of all codes by "".
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/feedback.md");
    let page = std::fs::read_to_string(page).unwrap();
    let mut keys: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut code = String::new();
    for line in page.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            code = heading.split(':').next().unwrap().to_owned();
        } else if let Some((key, _)) = line.strip_prefix("| `").and_then(|row| row.split_once('`'))
        {
            keys.entry(code.clone()).or_default().insert(key.to_owned());
        }
    }
    // Those of all codes may be listed again where a list has them, too.
    let shared = keys[""].clone();
    for (_, own) in keys.iter_mut().filter(|(code, _)| !code.is_empty()) {
        own.retain(|key| !shared.contains(key));
    }
    keys
}

/// Every key is in the page, and every key of the page is in the data of some note.
#[test]
fn the_data_is_what_the_page_says() {
    let documented = documented();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (code, data) in notes("") {
        let objects = data.as_object().unwrap().values();
        let inner = objects
            .filter_map(|value| value.as_array()?.first()?.as_object())
            .flat_map(|object| object.keys());
        for key in data.as_object().unwrap().keys().chain(inner) {
            let is_shared = documented[""].contains(key);
            let code = if is_shared {
                String::new()
            } else {
                code.clone()
            };
            found.entry(code).or_default().insert(key.clone());
        }
    }
    assert_eq!(found, documented);
}

/// In data, and in the text that people read.
#[test]
fn what_is_not_affine_is_left_to_a_run() {
    let access = "b[i * n + (int)c[random]]";
    let notes = notes("--assume n=100");
    let of_access = |(code, data): &&(String, Value)| code == "A0530" && data["access"] == access;
    let data: Vec<&Value> = notes
        .iter()
        .filter(of_access)
        .map(|(_, data)| data)
        .collect();
    assert_eq!(data.len(), 2, "it is read and written");
    for data in data {
        assert!(data["requests"].is_null() && data["transactions"].is_null());
        assert_eq!(
            data["why"],
            "where it goes is not affine in the loops' iterations"
        );
        assert_eq!(data["remedy"], "`accrs run --counts` counts it");
    }
    let folder = Folder::with(&[("all.c", PROGRAM)]);
    let told = text(&folder.accrs("check --feedback --assume n=100 all.c"));
    assert!(told.contains(&format!("how a warp reads `{access}` is not known")));
    assert!(told.contains("not affine in the loops' iterations: `accrs run --counts` counts it"));
}

#[test]
fn decisions_have_their_figures() {
    let notes = notes("");
    let of = |code: &str| -> Vec<&Value> {
        let those = notes.iter().filter(|(own, _)| own == code);
        those.map(|(_, data)| data).collect()
    };
    let axis = of("A0531")[0];
    assert_eq!(
        (&axis["decided"], &axis["runner_up"]),
        (&"i".into(), &"j".into())
    );
    assert!(axis["transactions"].as_f64() < axis["runner_up_transactions"].as_f64());
    let first = of("A0530")[0];
    let expected = ("write", 1.875, 4.5);
    let told = (
        first["kind"].as_str().unwrap(),
        first["transactions"].as_f64().unwrap(),
        first["sectors"].as_f64().unwrap(),
    );
    assert_eq!(told, expected);
    let exchanges = of("A0535").into_iter();
    let decided = exchanges.map(|note| (&note["loop"], &note["decided"]));
    assert_eq!(
        decided.collect::<Vec<_>>(),
        [
            (&"column".into(), &"threads".into()),
            (&"random".into(), &"sequential".into())
        ]
    );
    let windows = of("A0517");
    let decided: Vec<&Value> = windows.iter().map(|window| &window["decided"]).collect();
    assert_eq!(decided, ["static", "none"]);
    assert_eq!(
        (&windows[0]["bytes"], &windows[0]["kernel"]),
        (&1032.into(), &1.into())
    );
    let loops = of("A0500");
    assert!(
        loops
            .iter()
            .any(|l| l["decided"] == "sequential" && l["loop"] == "k")
    );
    assert!(loops.iter().any(|l| l["variable"] == "factor"));
}

/// A `cache` around which a reduction ends, in a loop that the block runs by itself.
const SUMS: &str = "void f(int n, int rounds, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop gang vector_length(64) present(a, b)
    for (int g = 0; g < n; g++) {
        for (int k = 0; k < rounds; k++) {
            float sum = 0;
            #pragma acc loop vector reduction(+:sum)
            for (int i = 0; i < 64; i++) {
                #pragma acc cache(a[g * 64:64])
                sum += a[g * 64 + i];
            }
            b[g] += sum;
        }
    }
}
";

#[test]
fn a_cache_that_its_nest_has_no_window_for_is_told() {
    let plain = SUMS.replace("                #pragma acc cache(a[g * 64:64])\n", "");
    let folder = Folder::with(&[("sums.c", SUMS), ("plain/sums.c", &plain)]);
    let told = text(&folder.accrs("check --feedback --message-format short sums.c"));
    let note = "sums.c:9:35: note[A0517]: `a[g * 64:64]` gets no window";
    assert!(told.contains(note), "{told}");
    // And nothing is left of it.
    folder.succeed("translate sums.c -o out");
    folder.succeed("translate plain/sums.c -o plain");
    let kernels = |path: &str| folder.read(path).replace("plain/sums.c", "sums.c");
    assert_eq!(kernels("out/sums.acc.cu"), kernels("plain/sums.acc.cu"));
}

/// Copies in loops of the host, with and without a use of the host between them.
const MOVED: &str =
    "void f(int n, int m, int steps, double *restrict a, double *restrict b, double *restrict c)
{
    for (int t = 0; t < steps; t++) {
        #pragma acc parallel loop collapse(2) copy(a[0:n * m]) copyin(b[0:n])
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++)
                a[i * m + j] += b[i];
        b[0] = t;
    }
    #pragma acc data copy(c[0:n])
    {
        #pragma acc parallel loop copy(c[0:n])
        for (int i = 0; i < n; i++)
            c[i] *= 2;
    }
    double few[4];
    #pragma acc parallel loop copyout(few)
    for (int i = 0; i < 4; i++)
        few[i] = i;
}
";

#[test]
fn copies_are_told_with_their_bytes_and_what_repeats_them() {
    let folder = Folder::with(&[("f.c", MOVED)]);
    let said = text(&folder.accrs("check --feedback --message-format gcc f.c"));
    let moved: Vec<&str> = said.lines().filter(|l| l.contains("[A0539]")).collect();
    assert_eq!(
        moved,
        [
            "f.c:4:52: note: `a[0:n * m]` is copied to the device and back: 8·n·m bytes each way, \
             in each of `steps` iterations: a `data` region with `copy(a[0:n * m])` around the loop \
             over `t` would copy it once (line 3) [A0539]",
            "f.c:4:71: note: `b[0:n]` is copied to the device: 8·n bytes, in each of `steps` iterations: \
             the host uses `b` in the loop (line 8) [A0539]",
            "f.c:10:27: note: `c[0:n]` is copied to the device and back: 8·n bytes each way: \
             a clause asks for it [A0539]",
        ],
        "{said}"
    );
    let told = text(&folder.accrs("check --feedback f.c"));
    assert!(
        told.starts_with("what costs most, the worst first:\n  1. f.c:4: `a[0:n * m]`"),
        "{told}"
    );
    // The host writes `b` in the loop.
    let advice = "a `data` region with `copy(a[0:n * m])` around the loop over `t` would copy it once (line 3)";
    assert!(
        told.contains(advice) && !told.contains("with `copyin(b"),
        "{told}"
    );
}

const KEPT: &str = "static float g[2000];
void step(float *p, int n)
{
    #pragma acc parallel loop copy(p[0:n])
    for (int i = 0; i < n; i++)
        p[i] += 1;
}
void f(int n, int steps, float *x, float *y, float *z)
{
    #pragma acc enter data copyin(x[0:n], y[0:n], z[0:n])
    for (int t = 0; t < 5; t++)
        for (int q = 0; q < steps; q++) {
            #pragma acc parallel loop copy(x[0:n]) copyin(always: y[0:n]) copy(z[0:n]) copy(g)
            for (int i = 0; i < n; i++)
                x[i] += y[i] + z[i] + g[i];
            z++;
            if (q % 3 == 0) {
                #pragma acc update self(x[0:n])
            }
        }
    #pragma acc exit data copyout(x[0:n])
    #pragma acc parallel loop if(0) copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] = 0;
    #pragma acc parallel loop firstprivate(g) copyout(y[0:n])
    for (int i = 0; i < n; i++)
        y[i] = g[i];
}
";

/// What is on the device is not copied, and copies that nested loops or branches repeat are told of
/// as often as there are any.
#[test]
fn copies_are_told_where_they_are_made() {
    let folder = Folder::with(&[("f.c", KEPT)]);
    let said = text(&folder.accrs("check --feedback --message-format short f.c"));
    let moved: Vec<&str> = said.lines().filter(|l| l.contains("[A0539]")).collect();
    let line = |place: &str, text: &str| format!("f.c:{place}: note[A0539]: {text}");
    assert_eq!(
        moved,
        [
            line(
                "4:36",
                "`p[0:n]` is copied to the device and back unless it is present: 4·n bytes each way"
            ),
            line("10:35", "`x[0:n]` is copied to the device: 4·n bytes"),
            line("10:43", "`y[0:n]` is copied to the device: 4·n bytes"),
            line("10:51", "`z[0:n]` is copied to the device: 4·n bytes"),
            line(
                "13:67",
                "`y[0:n]` is copied to the device: 4·n bytes, in each of 5·`steps` iterations: `always` asks for it \
                 each time (line 13)"
            ),
            line(
                "13:80",
                "`z[0:n]` is copied to the device and back unless it is present: 4·n bytes each way, \
                 in at most 5·`steps` iterations: the pointer `z` changes in the loop (line 16)"
            ),
            line(
                "13:93",
                "`g` is copied to the device and back: 8000 bytes each way, in each of 5·`steps` \
                 iterations: a `data` region with `copy(g)` around the loop over `t` would copy it once (line 11)"
            ),
            line(
                "18:41",
                "`x[0:n]` is copied to the host: 4·n bytes, in at most 5·`steps` iterations: not each iteration \
                 copies it (line 18)"
            ),
            line("21:35", "`x[0:n]` is copied to the host: 4·n bytes"),
            line("25:44", "`g` is copied to the device: 8000 bytes"),
        ],
        "{said}"
    );
}

/// Statements in a loop of the host over `t`, with the clauses of constructs between `@`, and the
/// clause that is proposed for it.
const REPEATED: [(&str, Option<&str>); 15] = [
    (
        "@copyin(a[0:n]) copyout(b[0:n])@ b[i] = a[i];",
        Some("copyin(a[0:n])"),
    ),
    // What one construct brings to the host another one brings back.
    (
        "@copyin(b[0:n]) copyout(a[0:n])@ a[i] = b[i]; @copyin(a[0:n])@ c[i] += a[i];",
        Some("copy(a[0:n])"),
    ),
    // Other data of the host, and functions that cannot know `a`.
    (
        "@copy(a[0:n])@ a[i] += t; s[t] = sqrt(t); printf(\"%d\\n\", t);",
        Some("copy(a[0:n])"),
    ),
    ("@copy(a[0:n])@ a[i] += t; a[0] = t;", None),
    ("@copy(a[0:n])@ a[i] += t; other(a);", None),
    // By another name, or in a function.
    ("@copy(g[0:n])@ g[i] += t; p[0] = 1;", None),
    ("@copy(g[0:n])@ g[i] += t; unknown();", None),
    ("@copy(g[0:n])@ g[i] += t; other(a);", None),
    ("@copy(g[0:n])@ g[i] += t;", Some("copy(g[0:n])")),
    // Control leaves the loop, and would leave the region.
    ("@copy(a[0:n])@ a[i] += t; if (t > 5) return;", None),
    // The section differs, or the host runs the construct at times.
    ("@copy(a[0:n])@ a[i] += t; n--;", None),
    (
        "@copy(a[0:n])@ a[i] += t; @copy(a[1:n - 1])@ a[i + 1] = 2;",
        Some("copy(a[0:n])"),
    ),
    (
        "@copy(a[0:n])@ a[i] += t; @copy(a[1:n])@ a[i + 1] = 2;",
        None,
    ),
    ("@copy(a[0:n]) if(t > 2)@ a[i] += t;", None),
    // What the kernel writes there is lost in each iteration.
    ("@copyin(a[0:n])@ b[i] = a[i] = t;", None),
];

/// A region that is proposed changes nothing that the program computes.
#[test]
fn a_data_region_is_proposed_where_it_changes_nothing() {
    for (statements, clause) in REPEATED {
        let parts = statements.split('@').enumerate();
        let lines = parts.map(|(number, part)| match number % 2 {
            0 => part.to_owned(),
            _ => format!("\n#pragma acc parallel loop {part}\nfor (int i = 0; i < n; i++)\n"),
        });
        let lines: String = lines.collect();
        let code = format!(
            "#include <math.h>\n#include <stdio.h>\n\
             double *g;\nvoid unknown(void);\nvoid other(double *q);\n\
             void f(int n, int steps, double *restrict a, double *restrict b, double *restrict c, double *p)\n\
             {{\n    double s[100];\n    for (int t = 0; t < steps; t++) {{ {lines} }}\n    other(s);\n}}\n"
        );
        let folder = Folder::with(&[("f.c", &code)]);
        let said = text(&folder.accrs("check --feedback --message-format json f.c"));
        let first = clause
            .map(|clause| format!("a `data` region with `{clause}` around the loop over `t`"));
        match first {
            Some(advice) => assert!(said.contains(&advice), "{statements}\n{said}"),
            None => {
                let name = if statements.contains("(g[") {
                    "g["
                } else {
                    "a["
                };
                let advice = [format!("with `copy({name}"), format!("with `copyin({name}")];
                assert!(
                    !advice.iter().any(|a| said.contains(a)),
                    "{statements}\n{said}"
                );
            }
        }
    }
}

/// Loops that count nothing, and such as are left, have a line with the reason.
#[test]
fn loops_that_cannot_be_counted_are_told_of() {
    let code = "void f(int n, double *restrict x)\n{\n    #pragma acc kernels copy(x[0:n])\n    \
        for (int i = 0; i < n; i++) {\n        if (x[i] > 3)\n            break;\n        x[i] = 1;\n    }\n    \
        #pragma acc parallel loop copy(x[0:n])\n    for (int i = 0; i < n; i++)\n        \
        while (x[i] > 1)\n            x[i] /= 2;\n}\n\
        void g(int n, int *restrict x)\n{\n    #pragma acc parallel loop copy(x[0:n])\n    \
        for (int i = 0; i < n; i++)\n        for (int k = 0; k < x[i]; k++)\n            \
        do { x[i]--; } while (0);\n}\n";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format gcc f.c"));
    for line in [
        "f.c:4:5: note: this loop is run by one thread: `break` leaves it [A0500]",
        "f.c:11:9: note: this loop runs within each thread: how often a `while` loop runs is not known \
         before it [A0500]",
        "f.c:18:9: note: this loop runs within each thread: its bound `x[i]` or its step may change \
         in the body [A0500]",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    // A block, as macros have it.
    assert!(!said.contains("f.c:19"), "{said}");
}

/// Multiprocessors, threads and lanes that a launch leaves idle are named where that is known, and a sum
/// within a thread is no reason for the size of a block.
#[test]
fn what_a_launch_leaves_idle_is_told() {
    let nest = |clauses: &str, outer: &str, inner: &str| {
        format!(
            "    #pragma acc parallel loop {clauses}\n    for (int i = 0; i < {outer}; i++) {{\n        \
             #pragma acc loop vector\n        for (int j = 0; j < {inner}; j++)\n            \
             a[i * 1000 + j] = 1;\n    }}\n"
        )
    };
    let code = format!(
        "void f(int n, double *restrict a, double *restrict y)\n{{\n    #pragma acc parallel loop worker copy(a[0:n])\n    \
         for (int i = 0; i < n; i++)\n        a[i] = 1;\n{}{}{}{}    \
         #pragma acc kernels copyin(a[0:n * n]) copyout(y[0:n])\n    for (int i = 0; i < n; i++) {{\n        double s = 0;\n        \
         for (int k = 0; k < n; k++)\n            s += a[i * n + k];\n        y[i] = s;\n    }}\n}}\n",
        nest("gang num_gangs(4) copy(a[0:n])", "n", "n"),
        nest("gang copy(a[0:n])", "5", "n"),
        nest("gang vector_length(40) copy(a[0:n])", "n", "n"),
        nest("gang copy(a[0:n])", "n", "16"),
    );
    let folder = Folder::with(&[("f.c", &code)]);
    let said = text(&folder.accrs("check --feedback f.c"));
    for part in [
        "`f_kernel` is launched with one block, of 32 x 8 threads",
        "= note: one multiprocessor of the GPU runs all of it",
        "`f_kernel2` is launched in at most 4 blocks, of 128 threads",
        "= note: 4 multiprocessors of the GPU run all of it, or fewer",
        "`f_kernel3` is launched in at most 5 blocks, of 128 threads",
        "= note: 24 of the 64 lanes of a block's warps have no thread",
        "= note: its loops have iterations for 16 of a block's 128 threads",
    ] {
        assert!(said.contains(part), "{part}\n{said}");
    }
    // There is nothing to say of others to people.
    let sum = "`f_kernel6` is launched in blocks of at most 256 threads";
    let data = text(&folder.accrs("check --feedback --message-format json f.c"));
    assert!(!said.contains(sum) && data.contains(sum), "{said}");
}

/// Statements before a kernel that reads `a` and writes `b`, and whether both may be the same memory.
const ALLOCATED: [(&str, bool); 11] = [
    ("float *a = malloc(4 * n), *b = malloc(4 * n);", false),
    (
        "float *a = (float *)calloc(n, 4), *b = 0; if (n > 2) b = malloc(4 * n); free(b);",
        false,
    ),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n); keep(a); if (a != b) a[0] = *(b + n / 2);",
        false,
    ),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n); keep(a); keep(b);",
        true,
    ),
    ("float *a = malloc(4 * n), *b = a + 1;", true),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n); if (n > 3) b = a;",
        true,
    ),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n), **p = &b; *p = a;",
        true,
    ),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n); a = realloc(a, 8 * n); keep(b);",
        true,
    ),
    ("float *b = own(n), *a = own(n);", true),
    ("float (*b)[8] = malloc(32 * n), *a = b[1];", true),
    (
        "float *a = malloc(4 * n), *b = malloc(4 * n); b++; a = ({ n ? b : a; });",
        true,
    ),
];

/// Allocations of a function that nothing else reaches do not overlap, and no launch looks.
#[test]
fn allocations_of_their_own_do_not_overlap() {
    for (statements, may_overlap) in ALLOCATED {
        let written = if statements.contains("(*b)[8]") {
            "b[i][0]"
        } else {
            "b[i]"
        };
        let code = format!(
            "#include <stdlib.h>\nvoid keep(float *p);\nstatic float pool[100];\n\
             static float *own(int n) {{ return pool + n; }}\nvoid f(int n)\n{{\n    {statements}\n    \
             #pragma acc kernels copyin(a[0:n]) copyout(b[0:n])\n    \
             for (int i = 0; i < n; i++)\n        {written} = a[i];\n    keep(0);\n}}\n\
             void g(int n) {{ own(n); }}\n"
        );
        let folder = Folder::with(&[("f.c", &code)]);
        let said = text(&folder.accrs("check --feedback f.c"));
        assert_eq!(
            said.contains("overlap"),
            may_overlap,
            "{statements}\n{said}"
        );
    }
}

/// What is not known of an access is said, what selects a case is read by all threads, and what
/// the first lane of a row does is no request of a whole warp.
#[test]
fn requests_are_told_as_far_as_they_are_known() {
    let code = "struct p { int c; float x; };
void f(int n, const int *restrict row, const double *restrict val, double *restrict y, struct p *restrict p)
{
    #pragma acc parallel loop gang worker num_workers(4) vector_length(32) present(row, val, y)
    for (int i = 0; i < 64; i++) {
        double s = 0;
        #pragma acc loop vector reduction(+:s)
        for (int k = row[i]; k < row[i + 1]; k++)
            s += val[k];
        y[i] = s;
    }
    #pragma acc parallel loop present(p)
    for (int i = 0; i < 64; i++)
        switch (p[i].c) {
        case 0:
            p[i].x = 1;
        }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let said = text(&folder.accrs("check --feedback --message-format json f.c"));
    let of = |access: &str| -> Value {
        let lines = said
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let mut own = lines.filter(|note| note["data"]["access"] == access);
        own.next().unwrap_or_else(|| panic!("{access}\n{said}"))
    };
    let aligned = "a warp reads `val[k]` in 2 transactions and 8 sectors, if it starts aligned";
    assert_eq!(of("val[k]")["message"], aligned);
    let led = &of("y[i]")["data"];
    assert_eq!(
        (&led["requests"], &led["partial_requests"]),
        (&Value::from(0.0), &Value::from(64.0))
    );
    let selector = &of("p[i].c")["data"];
    assert_eq!(
        (&selector["requests"], &selector["why"]),
        (&Value::from(2.0), &Value::Null)
    );
}

/// An update is told of once, by the name that the program has for it, and nothing is said of
/// what could not be otherwise.
#[test]
fn people_are_told_what_makes_a_difference() {
    let code = "void f(int n, int *restrict count, const int *restrict a, double m[64][64])
{
    #pragma acc parallel loop copyin(a[0:n]) copy(count[0:1], m[0:64][0:64])
    for (int i = 0; i < 64; i++) {
        m[i][i] = a[i];
        #pragma acc atomic update
        (*count) += a[i];
    }
}
";
    let folder = Folder::with(&[("f.c", code)]);
    let told = text(&folder.accrs("check --feedback --windows=directives f.c"));
    assert!(
        told.contains("a warp writes `m[i][i]` in 32 transactions"),
        "{told}"
    );
    assert!(
        !told.contains("`(*count)`") && !told.contains("writes `*count`"),
        "{told}"
    );
    assert!(!told.contains("`m` is in global memory"), "{told}");
    // Occupied in full, on every architecture.
    let data = text(&folder.accrs("check --feedback --message-format json f.c"));
    let full = "8 on sm_80, sm_90;";
    assert!(data.contains(full) && !told.contains(full), "{data}");
}

/// The log has what SARIF 2.1.0 requires of it (OASIS, sections 3.13 to 3.30).
#[test]
fn a_log_of_sarif() {
    let folder = Folder::with(&[
        ("all.c", PROGRAM),
        ("wrong name.c", "#pragma acc paralel\nint x;\n"),
    ]);
    for (file, level) in [("all.c", "note"), ("wrong name.c", "error")] {
        let mut command = folder.command(super::accrs());
        command.args(["check", "--feedback", "--message-format", "sarif", file]);
        let output = command.output().unwrap();
        let log: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!(log["version"], "2.1.0");
        assert!(
            log["$schema"]
                .as_str()
                .unwrap()
                .ends_with("sarif-schema-2.1.0.json")
        );
        let [run] = &log["runs"].as_array().unwrap()[..] else {
            panic!("one run: {log}");
        };
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "accrs");
        let rules: Vec<&Value> = driver["rules"].as_array().unwrap().iter().collect();
        let results = run["results"].as_array().unwrap();
        assert!(
            !results.is_empty() && results.iter().any(|r| r["level"] == level),
            "{log}"
        );
        for result in results {
            assert!(
                rules.iter().any(|rule| rule["id"] == result["ruleId"]),
                "{result}"
            );
            assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            for place in result["locations"].as_array().unwrap() {
                let place = &place["physicalLocation"];
                let uri = place["artifactLocation"]["uri"].as_str().unwrap();
                assert_eq!(uri, file.replace(' ', "%20"));
                let region = &place["region"];
                let number = |key: &str| region[key].as_u64().unwrap();
                let start = (number("startLine"), number("startColumn"));
                assert!(start >= (1, 1) && start <= (number("endLine"), number("endColumn")));
            }
        }
    }
}

/// What hiCUDA's directives ask for is done, and said whether it is right and needed.
const PARTITIONED: &str = "
static int a[64], b[64], index[64], sums[4], never[64], kept[64];
void shared(void)
{
    #pragma hicuda global alloc a[*] copyin
    #pragma hicuda global alloc b[*] copyin
    #pragma hicuda global alloc index[*] copyin
    #pragma hicuda global alloc sums[*]
    #pragma hicuda global alloc never[*] copyin
    #pragma hicuda global alloc kept[*] copyin
    #pragma hicuda kernel all tblock(4) thread(16)
    #pragma hicuda loop_partition over_tblock over_thread
    for (int good = 0; good < 64; good++)
        b[good] = a[good];
    #pragma hicuda loop_partition over_tblock over_thread
    for (int carried = 1; carried < 64; carried++)
        a[carried] = a[carried - 1];
    #pragma hicuda loop_partition over_tblock over_thread
    for (int indirect = 0; indirect < 64; indirect++)
        b[index[indirect]] = kept[indirect];
    #pragma hicuda loop_partition over_tblock
    for (int block = 0; block < 4; block++) {
        int own = 0, total = 0;
        #pragma hicuda loop_partition over_thread
        for (int partial = 0; partial < 16; partial++)
            own += a[block * 16 + partial];
        #pragma hicuda loop_partition over_thread reduction(+:total)
        for (int whole = 0; whole < 16; whole++)
            total += a[block * 16 + whole];
        sums[block] = own + total;
    }
    #pragma hicuda loop_partition over_tblock over_thread
    for (int filled = 0; filled < 64; filled++) {
        #pragma hicuda shared alloc b[filled] copyin
        #pragma hicuda barrier
        b[filled] = 1;
        #pragma hicuda barrier
        #pragma hicuda shared copyout b[filled]
        #pragma hicuda shared remove b
    }
    #pragma hicuda kernel_end
    #pragma hicuda global copyout b[*]
    #pragma hicuda global copyout kept[*]
    #pragma hicuda global free a b index sums never kept
}
";

#[test]
fn partitions_and_transfers_of_the_program_are_judged() {
    let folder = Folder::with(&[("shared.c", PARTITIONED)]);
    let said = text(&folder.accrs("check --feedback --message-format short shared.c"));
    let told = text(&folder.accrs("check --feedback shared.c"));
    let about = |start: &str| {
        let from = told
            .find(start)
            .unwrap_or_else(|| panic!("no `{start}`:\n{told}"));
        let rest = &told[from..];
        rest[..rest.find("\n\n").unwrap_or(rest.len())].to_owned()
    };
    for (loop_of, why) in [
        ("good", "its iterations are independent"),
        (
            "carried",
            "not proved to be independent: the next iteration reads as `a[carried - 1]`",
        ),
        (
            "indirect",
            "it is not known which element `b[index[indirect]]` is",
        ),
        (
            "partial",
            "all iterations change `own`, of which each thread has its own",
        ),
        (
            "whole",
            "its iterations are independent, `total` is a reduction (+)",
        ),
        ("filled", "its iterations are independent"),
    ] {
        let note = about(&format!("loop over `{loop_of}` is shared by"));
        assert!(note.contains(why), "{loop_of}: {note}");
    }
    let needless: Vec<&str> = said.lines().filter(|line| line.contains("A0536")).collect();
    let places = ["never[*]", "b[filled]", "kept[*]"];
    assert_eq!(needless.len(), places.len(), "{needless:?}");
    for place in places {
        assert!(
            needless.iter().any(|line| line.contains(place)),
            "{place}: {needless:?}"
        );
    }
}
