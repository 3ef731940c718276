//! Logical grids in slices on several devices: what is computed, what is copied between them, and that
//! each row at the edge of a slice is needed.

use super::{PROGRAMS, Program, transfers};
use crate::support::{nvcc, root, snapshot};
use crate::{Folder, text};

/// What cuts the grids.
const DEVICES: &str = include_str!("../../../templates/mesi_devices.txt");

/// A program whose kernels are cut in all ways, and some that are not.
const ALL: Program = Program {
    name: "devices",
    text: include_str!("devices.mcu"),
    serial: include_str!("devices_serial.c"),
    to_device: &[],
    to_host: &[],
};

/// Two kernels in turn, of which one reads rows that another slice writes.
const SMOOTH: &str = "\
#include <cstdio>
#define N 37
#define M 53
__global__ float a[N][M], b[N][M];
__global__ void smooth()
{
    const int i = lThreadIdx.y + 1, j = lThreadIdx.x + 1;
    b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}
__global__ void back()
{
    const int i = lThreadIdx.y + 1, j = lThreadIdx.x + 1;
    a[i][j] = b[i][j];
}
int main()
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            a[i][j] = (i * 31 + j * 17) % 101;
    for (int step = 0; step < 5; step++) {
        smooth<[<M - 2, N - 2>]>();
        back<[<M - 2, N - 2>]>();
    }
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++)
            sum += a[i][j] * (i + 3 * j);
    printf(\"%.6f\\n\", sum);
}
";

fn started(folder: &Folder, program: &str, devices: u32, order: &str) -> std::process::Output {
    let mut command = folder.command(format!("./{program}"));
    command.env("ACCRS_EMULATED_DEVICES", devices.to_string());
    command.env("ACCRS_SCHEDULE", order).env("ACCRS_TRACE", "1");
    command.output().unwrap()
}

#[test]
fn programs_compute_on_several_devices_what_their_serial_twins_do() {
    for program in PROGRAMS.iter().chain([&ALL]) {
        let name = program.name;
        let folder = program.folder();
        let expected = program.expected(&folder);
        let flags = "-DACCRS_MESI_DEVICES=3 -DACCRS_MESI_CHECK";
        let built = folder.accrs(&format!("cc -O0 {flags} {name}.mcu -o built"));
        assert!(built.status.success(), "{name}: {}", text(&built));
        for (devices, order) in [(1, "forward"), (2, "reverse"), (3, "1"), (5, "forward")] {
            let output = started(&folder, "built", devices, order);
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(printed, expected, "{name} {devices} {}", text(&output));
            if name == "devices" {
                let between = transfers(&output, "between-devices").len();
                assert_eq!(between > 0, devices > 1, "{name} {devices}");
            }
        }
    }
}

#[test]
fn kernels_use_what_is_on_their_device() {
    let folder = ALL.folder();
    let mut command = folder.command(crate::support::accrs());
    command.env("ACCRS_EMULATED_DEVICES", "3");
    command.args([
        "check",
        "--dynamic",
        "-DACCRS_MESI_DEVICES=3",
        "devices.mcu",
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn translations_are_one_file_for_nvcc() {
    let folder = ALL.folder();
    let output = folder.accrs("translate -DACCRS_MESI_DEVICES=3 devices.mcu -o out");
    assert!(output.status.success(), "{}", text(&output));
    let whole = folder.read("out/devices.acc.cu");
    let (before, own) = whole.split_once(DEVICES).expect("what cuts grids");
    let (first, _) = before
        .split_once(crate::support::snapshot::MESI)
        .expect("the runtime");
    let snapshot = root().join("tests/driver/mesi/devices.acc.cu");
    snapshot::check(&snapshot, &format!("{first}{own}")).unwrap();
    let file = folder.file("out/devices.acc.cu");
    nvcc::compile(&file, &folder.file("object.o"), &[75, 90, 120]).unwrap();
}

#[test]
fn rows_at_the_edges_of_slices_alone_go_from_device_to_device() {
    let folder = Folder::with(&[("smooth.mcu", SMOOTH)]);
    let flags = "-DACCRS_MESI_DEVICES=3 -DACCRS_MESI_CHECK";
    folder.succeed(&format!("cc -O0 {flags} smooth.mcu -o smooth"));
    let expected = started(&folder, "smooth", 1, "forward").stdout;
    let output = started(&folder, "smooth", 3, "forward");
    assert_eq!(output.stdout, expected);
    // 35 rows: 12, 12, 11, and one of the other's at each of four edges in each but the first step.
    assert_eq!(transfers(&output, "between-devices"), [(4 * 51, 4 * 4)]);

    folder.succeed("translate -DACCRS_MESI_DEVICES=3 smooth.mcu -o out");
    let whole = folder.read("out/smooth.acc.cu");
    for (right, wrong) in [
        (
            "reads(a, (lThread.Idx[1] + 1) - 1",
            "reads(a, lThread.Idx[1] + 1",
        ),
        (
            "reads(a, (lThread.Idx[1] + 1) + 1",
            "reads(a, lThread.Idx[1] + 1",
        ),
        (
            "writes(b, lThread.Idx[1] + 1",
            "writes(b, lThread.Idx[1] + 2",
        ),
        ("writes(a, lThread.Idx[1] + 1", "writes(a, lThread.Idx[1]"),
    ] {
        assert!(whole.contains(right), "{right}");
        folder.write("wrong.cu", &whole.replace(right, wrong));
        folder.succeed("cc -O0 -DACCRS_MESI_CHECK wrong.cu -o wrong");
        let output = started(&folder, "wrong", 3, "forward");
        assert_ne!(output.stdout, expected, "{wrong} for {right}");
    }
}
