//! CUDA that a person wrote, on the emulation: `run`, `cc` and `check --dynamic` take it as it is.

use serde_json::Value;

use crate::{Folder, text};

/// What hand-written CUDA is made of, each once.
const LANGUAGE: &str = include_str!("cuda/language.cu");

/// What it prints, worked out apart.
const PRINTED: &str = "scale 99264\nweigh 3512\nsums 24816 of 24816, 195 votes\n\
     piped 38792, not k<<<1, 2>>>(3)\nraw \"k<<<1, 2>>>(3)\"\n";

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

#[test]
fn the_language_is_as_on_a_gpu_in_every_order() {
    let folder = Folder::with(&[("a/language.cu", LANGUAGE)]);
    folder.succeed("cc -std=c99 -O2 -Wall -Werror a/language.cu -o program");
    for order in ["forward", "reverse", "20260117"] {
        let mut program = folder.command("./program");
        let output = program.env("ACCRS_SCHEDULE", order).output().unwrap();
        assert_eq!(text(&output), PRINTED, "{order}");
    }
    let checked = folder.accrs("check --dynamic a/language.cu");
    assert!(checked.status.success(), "{}", text(&checked));
    assert_eq!(text(&checked), PRINTED);
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
fn a_copy_that_nobody_waits_for_is_not_there() {
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
    let output = folder.accrs("cc -MMD -c c.cu");
    assert!(text(&output).contains("error[A0712]"), "{}", text(&output));
}
