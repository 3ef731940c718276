//! CUDA that a person wrote, on the emulation: `run`, `cc` and `check --dynamic` take it as it is.

use serde_json::Value;

use crate::{Folder, text};

/// What hand-written CUDA is made of, each once.
const LANGUAGE: &str = include_str!("cuda/language.cu");

/// What it prints, worked out apart.
const PRINTED: &str = "scale 99264\nweigh 3512\nsums 24816 of 24816, 195 votes\n\
     piped 38792, not k<<<1, 2>>>(3)\nraw \"k<<<1, 2>>>(3)\"\n";

/// Kernels in every way to name them in a launch. What this and the next ones
/// print was worked out apart, too.
const LAUNCHES: &str = include_str!("cuda/launches.cu");
const LAUNCHED: &str = "deduced 3040\noverloaded 7\npointers 31578\npartly given 30702\n\
     too much: cudaErrorInvalidValue\nallowed: cudaSuccess\n\
     too large: cudaErrorInvalidConfiguration\nby a call 131\n\
     default values 9 9 0 97\n";

/// Cooperative groups.
const GROUPS: &str = include_str!("cuda/groups.cu");
const GROUPED: &str = "trees 32640 2012\nshuffles 32640 522240 1780 128, votes 3058915593\n\
     smooth 45 120 210 252 210 120 45 10 2 10, cudaErrorCooperativeLaunchTooLarge\n";

/// Small programs of textbooks.
const TEXTBOOK: &str = include_str!("cuda/textbook.cu");
const TAUGHT: &str = "convolution 83136 of 100\ntransposition off by 0\n\
     histogram 518 511 511 511 511 511 511 512 548\nscans 2475 811\n\
     streams 85344, 2 calls, in time\nwarps 2016 16 3 77 177\npitched 0, managed 3844\n";

/// Shifts by any number of places, and what looks like one; worked out by PTX's rules.
const SHIFTS: &str = include_str!("cuda/shifts.cu");
const SHIFTS_HEADER: &str = include_str!("cuda/shifts.cuh");
const SHIFTED: &str = "0: 1 3000000000 -7 7 1 -1 -1099511627777 -3 40200 5 2147422772 -81985529216486896 -299745 200 -6 0\n\
     1: 2 1500000000 -4 3 2 9223372036854775807 -549755813889 -2 20400 10 -121752 9182379272246532360 -149873 400 1 0\n\
     31: -2147483648 1 -1 0 2147483648 8589934591 -513 -1 0 10737418240 0 8551757104 -1000 -2147483648 -1 0\n\
     32: 0 0 -1 0 4294967296 4294967295 -257 -1 0 21474836480 0 4275878552 -1000 0 -1 0\n\
     33: 0 0 -1 0 8589934592 2147483647 -129 -1 0 42949672960 0 2137939276 -1000 0 -1 0\n\
     63: 0 0 -1 0 -9223372036854775808 1 -1 -1 0 -9223372036854775808 0 1 -1000 0 -1 0\n\
     64: 0 0 -1 0 0 0 -1 -1 0 0 0 0 -1000 0 -1 0\n\
     65: 0 0 -1 0 0 0 -1 -1 0 0 0 0 -1000 0 -1 0\n\
     -1: 0 0 -1 0 0 0 -1 -1 0 0 0 0 -150000 0 -1 0\n\
     33 1456 1462 0 0 608 12 8\n";

/// A function of a CUDA file for a program in C, and the reverse.
const HALF: &str = "#include \"half.h\"\n__global__ void half(int *x) { *x = divided(*x); }\n\
     extern \"C\" int halved(int x)\n{\n    int *device;\n    cudaMalloc(&device, sizeof x);\n    \
     cudaMemcpy(device, &x, sizeof x, cudaMemcpyHostToDevice);\n    half<<<1, 1>>>(device);\n    \
     cudaMemcpy(&x, device, sizeof x, cudaMemcpyDeviceToHost);\n    cudaFree(device);\n    return x;\n}\n";
const HEADER: &str = "#ifndef BY\n#error BY is not defined\n#endif\n\
     static inline __host__ __device__ int divided(int x) { return x / BY; }\n";
const MAIN: &str = "#include <stdio.h>\nint halved(int);\nint main(void)\n{\n    int x[4] = {0};\n    \
     #pragma acc parallel loop copy(x)\n    for (int i = 0; i < 4; i++)\n        x[i] = i;\n    \
     printf(\"%d %d\\n\", halved(84), x[3]);\n    return 0;\n}\n";

/// A program prints this in every order of blocks and threads, and under the
/// checks, which find nothing.
fn prints(program: &str, printed: &str) {
    let folder = Folder::with(&[("a/program.cu", program)]);
    folder.succeed("cc -std=c99 -O2 -Wall -Werror a/program.cu -o program");
    for order in ["forward", "reverse", "20260117"] {
        let mut program = folder.command("./program");
        let output = program.env("ACCRS_SCHEDULE", order).output().unwrap();
        assert_eq!(text(&output), printed, "{order}");
    }
    let checked = folder.accrs("check --dynamic a/program.cu");
    assert!(checked.status.success(), "{}", text(&checked));
    assert_eq!(text(&checked), printed);
}

#[test]
fn the_language_is_as_on_a_gpu_in_every_order() {
    prints(LANGUAGE, PRINTED);
}

#[test]
fn kernels_are_launched_by_any_name() {
    prints(LAUNCHES, LAUNCHED);
}

#[test]
fn groups_of_threads_work_together() {
    prints(GROUPS, GROUPED);
}

#[test]
fn programs_of_textbooks_are_as_on_a_gpu() {
    prints(TEXTBOOK, TAUGHT);
}

#[test]
fn shifts_are_as_on_a_gpu_and_found_where_c_gives_them_no_value() {
    let files = [("shifts.cu", SHIFTS), ("shifts.cuh", SHIFTS_HEADER)];
    let folder = Folder::with(&files);
    folder.succeed("cc -O2 -Wall -Werror shifts.cu -o program");
    folder.succeed("cc -O0 -Wall -Werror shifts.cu -o slow");
    for program in ["./program", "./slow"] {
        assert_eq!(folder.run(program, &[]), SHIFTED);
    }
    let output = folder.accrs("check --dynamic --message-format short shifts.cu");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with(SHIFTED), "{said}");
    let expected = files.iter().flat_map(|(file, code)| {
        let lines = code.lines().enumerate();
        let marked = lines.filter(|(_, line)| line.ends_with("// too many"));
        marked.map(move |(line, _)| format!("{file}:{}", line + 1))
    });
    let mut expected: Vec<String> = expected.collect();
    let finding = "error[A0727]: a value of ";
    let found = said.lines().filter(|line| line.contains(finding));
    let place = |line: &str| line.split(':').take(2).collect::<Vec<_>>().join(":");
    let mut found: Vec<String> = found.map(place).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "{said}");
    // The same program with counts that all of its values have places for.
    let defined = SHIFTS.replace(
        "{0, 1, 31, 32, 33, 63, 64, 65, -1}",
        "{0, 1, 2, 3, 4, 5, 6, 7, 8}",
    );
    let defined = defined
        .replace("four * 8", "four")
        .replace("(few, 4, 32)", "(few, 4, 3)");
    let defined = defined.replace("x << four + 31", "x << four");
    assert_ne!(defined, SHIFTS);
    folder.write("shifts.cu", &defined);
    folder.succeed("check --dynamic shifts.cu");
}

#[test]
fn a_grid_meets_in_cooperative_launches_only() {
    let apart = GROUPS
        .replace(
            "cudaLaunchCooperativeKernel((void *)smooth, dim3(blocks > 4 ? 4 : blocks), dim3(16), arguments)",
            "(smooth<<<4, 16>>>(now, next, length, steps), cudaGetLastError())",
        );
    let missed = GROUPS.replace(
        "        grid.sync();",
        "        if (blockIdx.x > 0)\n            grid.sync();",
    );
    for (program, expected) in [
        (
            apart,
            "kernel smooth, block (0,0,0): the blocks of a launch meet that is not cooperative",
        ),
        (missed, "a barrier of the grid is not reached by all blocks"),
    ] {
        assert_ne!(program, GROUPS);
        let folder = Folder::with(&[("groups.cu", &program)]);
        let output = folder.accrs("run groups.cu");
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
}

#[test]
fn vectors_are_one_access() {
    let folder = Folder::with(&[("language.cu", LANGUAGE)]);
    folder.succeed("run --counts=counts.json language.cu");
    let kernels: Value = serde_json::from_str(&folder.read("counts.json")).unwrap();
    let all = kernels.as_array().unwrap();
    let reads = |kernel: &str, text: &str| {
        let line = 1 + LANGUAGE
            .lines()
            .position(|line| line.contains(text))
            .unwrap();
        let kernel = all.iter().find(|found| found["name"] == kernel).unwrap();
        let mut accesses = kernel["accesses"].as_array().unwrap().iter();
        let found = accesses.find(|found| found["line"] == line).unwrap();
        let number = |name: &str| found["full"][name].as_u64().unwrap();
        (number("requests"), number("transactions"))
    };
    // Four warps, each reading 512 bytes at once.
    assert_eq!(reads("weigh", "float4 v = from[i]"), (4, 16));
    // Two stages of two warps, in shared memory four rounds each.
    assert_eq!(reads("piped", "other = stage"), (4, 16));
    let piped = all.iter().find(|found| found["name"] == "piped").unwrap();
    assert_eq!(piped["accesses"].as_array().unwrap().len(), 5);
}

#[test]
fn a_copy_that_is_not_waited_for_is_not_there() {
    let late = LANGUAGE.replace("__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)");
    let folder = Folder::with(&[("late.cu", &late)]);
    let output = folder.accrs("check --dynamic late.cu --message-format short");
    let line = 1 + late
        .lines()
        .position(|line| line.contains("other = "))
        .unwrap();
    let expected =
        format!("late.cu:{line}:9: error[A0723]: `stage` is read in shared memory before it is");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output).contains(&expected), "{}", text(&output));
}

/// Reads before the first allocation, what no kernel has written, and a race.
const STRAY: &str = "#include <stdio.h>
__global__ void shift(const float *from, float *to, int by)
{
    to[threadIdx.x] = from[(int)threadIdx.x - by];
}
__global__ void rotate(float *x)
{
    x[threadIdx.x] = x[(threadIdx.x + 1) % 64] + 1;
}
int main(int argc, char **argv)
{
    float *from, *to, x[64];
    cudaMalloc(&from, sizeof x);
    cudaMalloc(&to, sizeof x);
    if (argc > 1)
        cudaMemset(from, 0, sizeof x);
    if (argc > 2)
        rotate<<<1, 64>>>(from);
    else
        shift<<<1, 60>>>(from, to, argc > 1 ? 2000 : 0);
    cudaMemcpy(x, to, sizeof x, cudaMemcpyDeviceToHost);
    if (argc == 1)
        printf(\"%g\\n\", x[62]);
    puts(\"ran\");
    return 0;
}
";

#[test]
fn directives_of_openacc_have_no_effect_in_cuda() {
    let program = "#include <cstdio>\nint main()\n{\n    float x[4];\n    \
                   #pragma acc parallel loop copyout(x)\n    for (int i = 0; i < 4; i++)\n        \
                   x[i] = i;\n    std::printf(\"%g\\n\", x[3]);\n}\n";
    let folder = Folder::with(&[("t.cu", program)]);
    let said = text(&folder.accrs("run t.cu"));
    for part in ["t.cu:5:5", "directives of OpenACC have no effect in CUDA"] {
        assert!(said.contains(part), "no `{part}` in:\n{said}");
    }
}

#[test]
fn findings_in_cuda_have_ways_out_in_cuda() {
    let folder = Folder::with(&[("stray.cu", STRAY)]);
    folder.succeed("cc -O2 stray.cu -o stray");
    // A few rows before the first allocation there is memory.
    assert_eq!(folder.run("./stray", &["before"]), "ran\n");
    let cases: [(&str, &[&str]); 3] = [
        (
            "before",
            &[
                "A0724",
                "stray.cu:4:5",
                "reads element -2000 of memory of the device, which has 64",
                "help: keep the index within what was allocated, or allocate more",
            ],
        ),
        (
            "",
            &[
                "A0723",
                "stray.cu:4:5",
                "help: a kernel, or a copy to the device, must write it before\n",
                "A0729",
                "stray.cu:23:9",
                "note: a copy has brought it to the host",
                "help: a kernel, or a copy to the device, must write it before it is copied to the host",
            ],
        ),
        (
            "before race",
            &[
                "A0722",
                "stray.cu:8:5",
                "help: `__syncthreads()` must lie between the two accesses",
            ],
        ),
    ];
    for (arguments, found) in cases {
        let output = folder.accrs(&format!("check --dynamic stray.cu -- {arguments}"));
        let said = text(&output);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.matches("error[").count() <= 2, "{said}");
        for part in found {
            assert!(said.contains(part), "{arguments}: {part}\n{said}");
        }
    }
}

/// A symbol by its name, as before CUDA 5.
const NAMED: &str = "#include <stdio.h>
__constant__ float by[2];
int main()
{
    float x[2] = {1, 2};
    puts(cudaGetErrorName(cudaMemcpyToSymbol(\"by, by its name\", x, sizeof x)));
    puts(cudaGetErrorName(cudaGetLastError()));
    puts(cudaGetErrorName(cudaMemcpyToSymbol(by, x, sizeof x)));
    return 0;
}
";

#[test]
fn names_of_symbols_are_no_symbols() {
    let folder = Folder::with(&[("named.cu", NAMED)]);
    let output = folder.accrs("cc named.cu -o named");
    assert!(output.status.success());
    assert!(text(&output).contains("leave the quotes out"));
    let printed = "cudaErrorInvalidSymbol\ncudaErrorInvalidSymbol\ncudaSuccess\n";
    assert_eq!(folder.run("./named", &[]), printed);
}

#[test]
fn files_of_c_and_cuda_are_one_program() {
    let folder = Folder::with(&[("main.c", MAIN), ("half.cu", HALF), ("half.h", HEADER)]);
    folder.succeed("cc -DBY=2 -c half.cu");
    folder.succeed("cc main.c half.o -o program");
    assert_eq!(folder.run("./program", &[]), "42 3\n");
    folder.succeed("cc -std=c99 -D BY=4 -I . main.c half.cu -o both");
    assert_eq!(folder.run("./both", &[]), "21 3\n");
    folder.succeed("cc -DBY=2 -fsyntax-only half.cu");
    assert_eq!(
        folder.names(),
        ["both", "half.cu", "half.h", "half.o", "main.c", "program"]
    );
}

#[test]
fn mistakes_are_shown_at_the_users_line() {
    let wrong = "int main()\n{\n    return x;\n}\n";
    let folder = Folder::with(&[("a/b.cu", wrong), ("c.cu", "int main() {}\n")]);
    let output = folder.accrs("run a/b.cu");
    assert_eq!(output.status.code(), Some(125));
    assert!(
        text(&output).contains("a/b.cu:3:12: error: "),
        "{}",
        text(&output)
    );
    for line in ["translate a/b.cu", "check a/b.cu"] {
        let output = folder.accrs(line);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            text(&output).contains("`a/b.cu` needs no translation"),
            "{}",
            text(&output)
        );
    }
}

#[test]
fn dependency_files_name_the_programs_own_headers() {
    let kernel = "#include <cuda_runtime.h>\n#include \"own.cuh\"\nint main() {}\n";
    let folder = Folder::with(&[("k.cu", kernel), ("k.mcu", kernel), ("own.cuh", "")]);
    for file in ["k.cu", "k.mcu"] {
        folder.succeed(&format!("cc -MD -c {file}"));
        assert_eq!(
            folder.read("k.d"),
            format!("k.o: \\\n  {file} \\\n  own.cuh\n")
        );
        folder.succeed(&format!("cc -MMD -MP -MF x.d -MT target {file} -o program"));
        let expected = format!("target: \\\n  {file} \\\n  own.cuh\nown.cuh:\n");
        assert_eq!(folder.read("x.d"), expected);
    }
}

/// Files of a program in the style of CUDA's first years.
const OLDER: [(&str, &str); 5] = [
    ("main.c", include_str!("cuda/older/main.c")),
    ("count.cpp", include_str!("cuda/older/count.cpp")),
    ("scale.cu", include_str!("cuda/older/scale.cu")),
    (
        "parts/kernel.cuh",
        include_str!("cuda/older/parts/kernel.cuh"),
    ),
    (
        "parts/launch.cu",
        include_str!("cuda/older/parts/launch.cu"),
    ),
];

#[test]
fn launches_in_included_files_and_runtime_calls_in_c() {
    let folder = Folder::with(&OLDER);
    folder.succeed("cc main.c count.cpp scale.cu -o program");
    assert_eq!(
        folder.run("./program", &[]),
        "cudaSuccess 3 297\ncudaErrorPriorLaunchFailure\n1\n"
    );
    folder.succeed("check --dynamic main.c count.cpp scale.cu");
    // What compilers say of an included file names it.
    let wrong = "static void launch(float *x, int n, float by)\n{\n    missing(x);\n}\n";
    folder.write("parts/launch.cu", wrong);
    let output = folder.accrs("cc -c scale.cu");
    let said = text(&output);
    assert!(said.contains("parts/launch.cu:3:5: error"), "{said}");
}
