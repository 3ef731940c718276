//! Programs of several files that share routines and global variables.

use std::process::Output;

use crate::{Folder, accrs, text};

const FILES: &[(&str, &str)] = &[
    ("particles.h", include_str!("units/particles.h")),
    ("particles.c", include_str!("units/particles.c")),
    ("scale.c", include_str!("units/scale.c")),
    ("main.c", include_str!("units/main.c")),
];

/// What the program prints without directives.
fn serial(folder: &Folder) -> String {
    folder.run(
        "cc",
        &["main.c", "particles.c", "scale.c", "-o", "serial", "-w"],
    );
    folder.run("./serial", &[])
}

/// `accrs cc` for a GPU, with the tester's nvcc.
fn gpu(folder: &Folder, line: &str) -> Output {
    let home = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name))
        .unwrap()
        .home;
    folder
        .command(accrs())
        .args(["cc", "--device=gpu", "--arch=sm_90"])
        .args(line.split(' '))
        .env("CUDA_HOME", &home)
        .output()
        .unwrap()
}

fn gpu_succeeds(folder: &Folder, line: &str) {
    let output = gpu(folder, line);
    assert!(output.status.success(), "{line}: {}", text(&output));
}

#[test]
fn sources_objects_and_archives_on_the_emulation() {
    let folder = Folder::with(FILES);
    let expected = serial(&folder);
    folder.succeed("cc -O1 -Wall -Werror main.c particles.c scale.c -o at_once");
    folder.succeed("cc -c main.c particles.c scale.c");
    folder.succeed("cc main.o scale.o particles.o -o objects");
    folder.run("ar", &["rcs", "libp.a", "particles.o", "scale.o"]);
    folder.succeed("cc main.o libp.a -o archive");
    folder.succeed("cc main.c -L. -lp -o library");
    folder.succeed("cc -shared -fPIC particles.c scale.c -o libshared.so");
    folder.succeed("cc main.c libshared.so -Wl,-rpath,. -o shared");
    for program in ["at_once", "objects", "archive", "library", "shared"] {
        assert_eq!(
            folder.run(&format!("./{program}"), &[]),
            expected,
            "{program}"
        );
    }
}

/// `run` takes the files of a program and objects, `--counts` as well.
#[test]
fn several_files_are_run() {
    let folder = Folder::with(FILES);
    let expected = serial(&folder);
    assert_eq!(
        folder.succeed("run main.c particles.c scale.c -l m"),
        expected
    );
    folder.succeed("cc -c scale.c");
    assert_eq!(folder.succeed("run main.c particles.c scale.o"), expected);
    let output = folder.accrs("run --counts=counts.json main.c particles.c scale.c");
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(text(&output), expected);
    let counts: serde_json::Value = serde_json::from_str(&folder.read("counts.json")).unwrap();
    let kernels = counts.as_array().unwrap().iter();
    let names: Vec<&str> = kernels.map(|k| k["name"].as_str().unwrap()).collect();
    assert!(names.len() > 1, "{names:?}");
    // Kernels in objects have been compiled: nothing can watch them any more.
    for command in ["run --counts", "check --dynamic"] {
        let output = folder.accrs(&format!("{command} main.c particles.c scale.o"));
        let said = text(&output);
        assert!(!output.status.success(), "{said}");
        assert!(
            said.contains("the kernels of `scale.o` were compiled without a watcher"),
            "{said}"
        );
    }
    // Others can be linked.
    folder.run("gcc", &["-c", "-o", "plain.o", "-xc", "/dev/null"]);
    let output = folder.accrs("run --counts=counts.json main.c particles.c scale.c plain.o");
    assert!(output.status.success(), "{}", text(&output));
    let note = "note[A0735]: the counts do not see what is in `plain.o`";
    assert!(text(&output).contains(note), "{}", text(&output));
    assert!(text(&output).starts_with(&expected), "{}", text(&output));
    let output = folder.accrs("run main.c scale.o");
    assert_eq!(output.status.code(), Some(125), "{}", text(&output));
}

/// The device code of files that share routines is linked: the program starts, and finds no GPU.
#[test]
fn several_files_are_linked_for_a_gpu() {
    let twice = "\
int twice(int x);
#pragma acc routine(twice) seq
int twice(int x) { return 2 * x; }
";
    let main = "\
int twice(int x);
#pragma acc routine(twice) seq
int main(void)
{
    int a[8];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 8; i++)
        a[i] = twice(i);
    return a[7] == 14 ? 0 : 3;
}
";
    let folder = Folder::with(&[("main.c", main), ("twice.c", twice)]);
    let toolkit = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name)).unwrap();
    let mut run = folder.command(accrs());
    run.args(["run", "--device=gpu", "--arch=sm_90", "main.c", "twice.c"]);
    run.env("ACC_DEVICE_TYPE", "gpu")
        .env("CUDA_HOME", &toolkit.home);
    let output = run.output().unwrap();
    let said = text(&output);
    match accrs::driver::toolchain::gpu_present() {
        true => assert_eq!(output.status.code(), Some(0), "{said}"),
        false => assert!(said.contains("there is no CUDA device"), "{said}"),
    }
}

/// Files of which one has `main` are one program to make.
#[test]
fn one_makefile_builds_all_files() {
    let folder = Folder::with(FILES);
    let expected = serial(&folder);
    folder.succeed("translate main.c particles.c scale.c -o out");
    let names = folder.names_in("out");
    let makefiles: Vec<&String> = names.iter().filter(|n| n.ends_with(".mk")).collect();
    assert_eq!(makefiles, ["main.acc.mk"]);
    let make = ["-j2", "-C", "out", "-f", "main.acc.mk"];
    folder.make_emulated("out", "main.acc.mk", None);
    assert_eq!(folder.run("out/main", &[]), expected);
    // For a GPU the device code of the files is linked.
    let toolkit = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name)).unwrap();
    let nvcc = format!("NVCC={}/bin/nvcc", toolkit.home.display());
    let flags = "NVCCFLAGS=-O1 -arch=sm_90";
    folder.run("make", &[&make[..], &["-B", &nvcc, flags]].concat());
    // Programs of their own have one each.
    folder.write("other.c", "int main(void) { return 0; }\n");
    folder.succeed("translate main.c other.c -o two");
    let names = folder.names_in("two");
    for name in ["main.acc.mk", "other.acc.mk"] {
        assert!(names.iter().any(|n| n == name), "{names:?}");
    }
}

/// A static function of the unit with `main` and another unit's external one,
/// of one name, in files of one name and with constructs on one line.
#[test]
fn static_and_external_functions_of_one_name() {
    let one = "\
#include <stdio.h>
extern int solved;
static void solve(int n, int *a)
{
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = i + solved;
}
int main(void)
{
    int a[10];
    solve(10, a);
    printf(\"%d %d\\n\", a[3], solved);
    return 0;
}
";
    let two = "\
int solved;
static int twice(int x) { return 2 * x; }
void solve(int n, int *a)
{
    #pragma acc parallel loop copyout(a[0:n])
    for (int i = 0; i < n; i++)
        a[i] = twice(i) + 1;
}
__attribute__((constructor)) static void fill(void)
{
    int a[10];
    solve(10, a);
    solved = a[3];
}
";
    let folder = Folder::with(&[("one/solve.c", one), ("two/solve.c", two)]);
    folder.succeed("cc -Wall -Wextra -Werror one/solve.c two/solve.c -o program");
    assert_eq!(folder.run("./program", &[]), "10 7\n");
    gpu_succeeds(&folder, "one/solve.c two/solve.c -o on_gpu");
    // A program of one file has its functions' own names.
    folder.write(
        "three.c",
        &one.replace("extern int solved;", "static int solved;"),
    );
    for (file, launcher) in [
        ("one/solve.c", "solve_launch_main("),
        ("three.c", "solve_launch("),
    ] {
        folder.succeed(&format!("translate {file} -o out"));
        let name = file.rsplit('/').next().unwrap().replace(".c", ".acc.c");
        let host = folder.read(&format!("out/{name}"));
        assert!(host.contains(launcher), "{host}");
    }
}

#[test]
fn each_device_has_its_own_globals() {
    let main = "\
#include <openacc.h>
#include <stdio.h>
extern int table[8];
#pragma acc declare create(table)
#pragma acc routine seq
int look(int i);
int main(void)
{
    int sums[3] = {0};
    for (int d = 0; d < 3; d++) {
        for (int i = 0; i < 8; i++)
            table[i] = i + 100 * d;
        acc_set_device_num(d, acc_device_nvidia);
        #pragma acc update device(table)
    }
    for (int d = 2; d >= 0; d--) {
        int sum = 0;
        acc_set_device_num(d, acc_device_nvidia);
        #pragma acc parallel loop reduction(+:sum)
        for (int i = 0; i < 8; i++)
            sum += look(i);
        sums[d] = sum;
    }
    printf(\"%d %d %d\\n\", sums[0], sums[1], sums[2]);
    return 0;
}
";
    let look = "\
int table[8];
#pragma acc declare create(table)
#pragma acc routine seq
int look(int i)
{
    return table[i];
}
";
    let folder = Folder::with(&[("main.c", main), ("look.c", look)]);
    folder.succeed("cc main.c look.c -o main");
    let mut command = folder.command(folder.file("main"));
    let output = command.env("ACCRS_EMULATED_DEVICES", "3").output().unwrap();
    assert_eq!(text(&output), "28 828 1628\n");
}

#[test]
fn device_code_is_linked_for_a_gpu() {
    let folder = Folder::with(FILES);
    gpu_succeeds(&folder, "-c main.c particles.c scale.c");
    gpu_succeeds(&folder, "main.o particles.o scale.o -o objects");
    // A routine that only device code calls still brings its member.
    folder.run("ar", &["rcs", "libp.a", "particles.o", "scale.o"]);
    gpu_succeeds(&folder, "main.o libp.a -o archive");
    gpu_succeeds(&folder, "main.o -L. -lp -o library");
    gpu_succeeds(&folder, "main.c particles.c scale.c -o at_once");
    gpu_succeeds(
        &folder,
        "-shared -fPIC main.c particles.c scale.c -o lib.so",
    );
    for program in ["objects", "archive", "library", "at_once", "lib.so"] {
        let symbols = folder.run("nm", &[program]);
        assert!(
            symbols.contains("accrs_link_this_program_with_accrs_cc"),
            "{program}"
        );
    }
    let joined = gpu(&folder, "-r main.o particles.o scale.o -o joined.o");
    assert_eq!(joined.status.code(), Some(2));
    assert!(text(&joined).contains("A0717"), "{}", text(&joined));
    // Other linkers find it out by an undefined symbol that says it.
    let other = folder
        .command("cc")
        .args(["main.o", "particles.o", "scale.o"])
        .output()
        .unwrap();
    let said = text(&other);
    assert!(
        said.contains("accrs_link_this_program_with_accrs_cc"),
        "{said}"
    );
}

#[test]
fn a_file_that_shares_nothing_is_linked_by_anyone() {
    let alone = "\
static int twice(int x) { return 2 * x; }
#pragma acc routine(twice) seq
int main(void)
{
    int a[10];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 10; i++)
        a[i] = twice(i);
    return a[9] != 18;
}
";
    let folder = Folder::with(&[("alone.c", alone)]);
    gpu_succeeds(&folder, "-c alone.c");
    let symbols = folder.run("nm", &["alone.o"]);
    assert!(!symbols.contains("accrs_link_this"), "{symbols}");
}

#[test]
fn missing_routines_are_named() {
    let folder = Folder::with(FILES);
    folder.succeed("cc -c main.c particles.c");
    let emulated = folder.accrs("cc main.o particles.o -o program");
    assert_eq!(emulated.status.code(), Some(1));
    let said = text(&emulated);
    assert!(said.contains("A0716") && said.contains("`scale`"), "{said}");
    let alone = folder.accrs("run main.c");
    assert_eq!(alone.status.code(), Some(125));
    assert!(text(&alone).contains("A0716"), "{}", text(&alone));
    gpu_succeeds(&folder, "-c main.c");
    let missing = gpu(&folder, "main.o -o program");
    assert_eq!(missing.status.code(), Some(1));
    let said = text(&missing);
    assert!(said.contains("A0716") && said.contains("`norm`"), "{said}");
}
