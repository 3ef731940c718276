//! `--feedback` of data that hiCUDA's directives place and copy.

use super::{Folder, text};

/// Directives in a loop of the host around a kernel, what the kernel does, and what is told of the copies; where
/// several, by `;`. What begins with `!` is code of the host.
struct Case {
    before: &'static str,
    inside: [&'static str; 2],
    kernel: &'static str,
    behind: &'static str,
    told: &'static [&'static str],
}

const CASES: &[Case] = &[
    // It is only read.
    Case {
        before: "global alloc b[*]",
        inside: ["global alloc a[*] copyin", "global free a"],
        kernel: "b[i] = a[i]",
        behind: "global free b",
        told: &[
            "`a[*]` DEVICE: `global alloc a[*] copyin` before LOOP, and `global free a` behind ONCE",
        ],
    },
    // What it writes comes back each time.
    Case {
        before: "",
        inside: [
            "global alloc a[*] copyin; constant copyin w[*]",
            "global copyout a[*]; global free a; constant remove w",
        ],
        kernel: "a[i] += w[i & 3]",
        behind: "",
        told: &[
            "`a[*]` DEVICE: `global alloc a[*] copyin` before LOOP, and `global copyout a[*]` and `global free a` \
             behind ONCE",
            "`w[*]` is copied to the device: 16 bytes, EACH: `constant copyin w[*]` before LOOP, and `constant remove w` \
             behind ONCE",
            "`a[*]` HOST",
        ],
    },
    // It was there before the loop.
    Case {
        before: "global alloc a[*] copyin",
        inside: ["", "global copyout a[1:n-2]"],
        kernel: "a[i] += 1",
        behind: "global free a",
        told: &[
            "`a[*]` is copied to the device: 4·n bytes",
            "`a[1:n - 2]` is copied to the host: 4·(n - 2) bytes, EACH: `global copyout a[1:n - 2]` behind LOOP would \
             copy it once (line 5)",
        ],
    },
    Case {
        before: "global alloc b[*]",
        inside: ["", "global copyout b[*]"],
        kernel: "b[i] = t",
        behind: "global free b",
        told: &[
            "`b[*]` HOST: `global copyout b[*]` behind LOOP would copy it once, if the loop runs at all (line 5)",
        ],
    },
    Case {
        before: "global alloc a[*] copyin",
        inside: ["", "global copyout a[*]; !show(a[t])"],
        kernel: "a[i] += 1",
        behind: "global free a",
        told: &[
            "`a[*]` is copied to the device: 4·n bytes",
            "`a[*]` HOST: the host uses `a` in the loop (line 11)",
        ],
    },
    Case {
        before: "global alloc a[*] copyin",
        inside: ["global copyout a[*]", ""],
        kernel: "a[i] += 1",
        behind: "global free a",
        told: &[
            "`a[*]` is copied to the device: 4·n bytes",
            "`a[*]` HOST: kernels behind the copy write it (line 6)",
        ],
    },
    // Each iteration begins with what the host has.
    Case {
        before: "global alloc b[*]",
        inside: ["global alloc a[*] copyin", "global free a"],
        kernel: "b[i] = a[i]++",
        behind: "global free b",
        told: &["`a[*]` DEVICE: what the loop's kernels write to it does not come back"],
    },
    Case {
        before: "",
        inside: [
            "global alloc a[*] copyin",
            "global copyout a[0:3]; global free a",
        ],
        kernel: "a[i] += 1",
        behind: "",
        told: &[
            "`a[*]` DEVICE",
            "`a[0:3]` is copied to the host: 16 bytes, EACH",
        ],
    },
    Case {
        before: "",
        inside: [
            "global alloc a[0:t] copyin",
            "global copyout a[0:t]; global free a",
        ],
        kernel: "if (i <= t) a[i] += 1",
        behind: "",
        told: &[
            "`a[0:t]` is copied to the device: 4·(t + 1) bytes, EACH: the section depends on `t`, which changes in \
             the loop (line 4)",
            "`a[0:t]` is copied to the host: 4·(t + 1) bytes, EACH: the section depends on `t`, which changes in \
             the loop (line 4)",
        ],
    },
];

fn lines(all: &str) -> String {
    let all = all.split(';').map(str::trim).filter(|one| !one.is_empty());
    let line = |one: &str| match one.strip_prefix('!') {
        Some(code) => format!("{code};\n"),
        None => format!("#pragma hicuda {one}\n"),
    };
    all.map(line).collect()
}

/// What is allocated, copied and freed in a loop could be so around it, where the program computes the same.
#[test]
fn directives_in_loops_could_stand_around_them() {
    for case in CASES {
        let [first, last] = case.inside.map(lines);
        let (before, behind) = (lines(case.before), lines(case.behind));
        let code = format!(
            "void show(float);\nstatic float w[4];\nvoid f(int n, int steps, float a[n], float b[n]) {{\n{before}\
             for (int t = 0; t < steps; t++) {{\n{first}#pragma hicuda kernel k tblock(9) thread(64)\n\
             #pragma hicuda loop_partition over_tblock over_thread\nfor (int i = 0; i < n; i++) {{ {}; }}\n\
             #pragma hicuda kernel_end\n{last}}}\n{behind}}}\n",
            case.kernel
        );
        let folder = Folder::with(&[("f.c", &code)]);
        let said = text(&folder.accrs("check --feedback --message-format short f.c"));
        let told: Vec<&str> = said
            .lines()
            .filter_map(|line| line.split("[A0539]: ").nth(1))
            .collect();
        let line = 4 + before.lines().count();
        let expected: Vec<String> = case
            .told
            .iter()
            .map(|one| {
                one.replace("DEVICE", "is copied to the device: 4·n bytes, EACH")
                    .replace("HOST", "is copied to the host: 4·n bytes, EACH")
                    .replace("EACH", "in each of `steps` iterations")
                    .replace("LOOP", "the loop over `t`")
                    .replace("ONCE", &format!("it, would copy it once (line {line})"))
            })
            .collect();
        assert_eq!(told, expected, "{code}\n{said}");
        assert!(!said.contains("error"), "{code}\n{said}");
    }
}
