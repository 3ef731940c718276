//! Programs of several processes, each with a device of its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Folder, text};

const HALO: &str = include_str!("../../examples/halo/halo.c");

/// The folder of mpicc and mpiexec, installed on first use into the tester's
/// cache.
fn mpi() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/install-mpi.sh");
    let output = Command::new(script).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    String::from_utf8(output.stdout).unwrap().trim_end().into()
}

/// What `ranks` processes print together.
fn run(folder: &Folder, mpi: &Path, program: &str, ranks: &str) -> String {
    let mut command = folder.command(mpi.join("mpiexec"));
    command.args(["-n", ranks, program, "61", "40"]);
    let output = command
        .env("ACCRS_EMULATED_DEVICES", ranks)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{program} {ranks}: {}",
        text(&output)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn ranks_exchange_halos_from_devices_of_their_own() {
    let mpi = mpi();
    let folder = Folder::with(&[("halo.c", HALO)]);
    let built = folder
        .command(crate::accrs())
        .args(["cc", "-O1", "halo.c", "-o", "wrapped"])
        .env("ACCRS_CC", mpi.join("mpicc"))
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", text(&built));
    // The same over the flags that mpicc would give.
    let show = folder.run(mpi.join("mpicc").to_str().unwrap(), &["-show"]);
    let flags = show.trim_end().split_once(' ').unwrap().1;
    folder.succeed(&format!("cc -O1 halo.c -o plain {flags}"));
    let sum = |line: &str| line.split(", highest").next().unwrap().to_owned();
    let alone = run(&folder, &mpi, "./wrapped", "1");
    for (program, ranks) in [("./wrapped", "2"), ("./wrapped", "4"), ("./plain", "4")] {
        let together = run(&folder, &mpi, program, ranks);
        assert_eq!(sum(&together), sum(&alone), "{program} {ranks}");
        let highest = ranks.parse::<u32>().unwrap() - 1;
        let device = format!("highest device {highest}\n");
        assert!(together.ends_with(&device), "{together}");
    }
}
