//! `accrs bench --machine-code`: the committed table is what the tools make today.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Folder, accrs, text};
use crate::support::{nvcc, snapshot};

/// What the table has.
const PROGRAMS: &[&str] = &[
    "backprop",
    "btree",
    "dwt2d",
    "dyadic",
    "fdtd",
    "heartwall",
    "hotspot",
    "hotspot3D",
    "huffman",
    "hybridsort",
    "jacobi",
    "kmeans",
    "lavaMD",
    "leukocyte",
    "lud",
    "matmul",
    "myocyte",
    "nbody",
    "nw",
    "particlefilter",
    "pathfinder",
    "srad",
    "streamcluster",
];

/// Of these, what is made again each time.
const AGAIN: &[&str] = &["nbody", "pathfinder"];

fn results() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks/results/machine-code")
}

/// Compiles programs and leaves a report in a folder; gives what was said.
fn report(programs: &[&str], folder: &Path) -> String {
    let run = Folder::new();
    let mut bench = run.command(accrs());
    bench.env("ACCRS_NVCC", nvcc::program().unwrap());
    bench.arg("bench").args(programs).arg("--folder");
    bench.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks"));
    bench.args(["--machine-code", "--report"]).arg(folder);
    let output = bench.output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    said
}

fn figures(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("report.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The part of a page that a program has.
fn section(page: &str, program: &str) -> Option<String> {
    let mut sections = page.split("\n## ").skip(1);
    let own = sections.find(|section| section.lines().next() == Some(program))?;
    Some(own.trim_end().to_owned())
}

#[test]
fn the_committed_machine_code_is_that_of_today() {
    let committed = results();
    if snapshot::blessing() {
        report(PROGRAMS, &committed);
        return;
    }
    let folder = Folder::new();
    let said = report(AGAIN, folder.path());
    assert!(said.contains("pathfinder: "), "{said}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    let (before, today) = (figures(&committed), figures(folder.path()));
    for what in ["arch", "nvcc", "nvdisasm"] {
        assert_eq!(before[what], today[what], "{what}");
    }
    let page = |folder: &Path| std::fs::read_to_string(folder.join("report.md")).unwrap();
    let pages = [page(&committed), page(folder.path())];
    let rewrite = "ACCRS_BLESS=1 cargo test --test driver -- machine_code";
    let names = before["programs"].as_array().unwrap().iter();
    let names: Vec<&str> = names
        .filter_map(|program| program["name"].as_str())
        .collect();
    assert_eq!(names, PROGRAMS, "{rewrite}");
    for (program, own) in AGAIN.iter().zip(today["programs"].as_array().unwrap()) {
        let number = names.iter().position(|name| name == program).unwrap();
        assert_eq!(&before["programs"][number], own, "{program}: {rewrite}");
        let [committed, today] = pages.each_ref().map(|page| section(page, program));
        assert!(today.is_some(), "{program} is not on the page");
        assert_eq!(committed, today, "{program}: {rewrite}");
    }
}

/// Without nvdisasm there is a way out, and what needs a run cannot be asked for.
#[test]
fn what_cannot_be_shown_is_said() {
    let folder = Folder::with(&[("bin/nvcc", "#!/bin/sh\n")]);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.file("bin/nvcc"), mode).unwrap();
    let run = |arguments: &str| {
        let mut bench = folder.command(accrs());
        bench.env("ACCRS_NVCC", folder.file("bin/nvcc"));
        bench.env("PATH", "/nowhere:/usr/bin:/bin");
        let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
        bench.args(["bench", "nbody", "--machine-code", "--folder"]);
        let output = bench
            .arg(benchmarks)
            .args(arguments.split_whitespace())
            .output()
            .unwrap();
        (output.status.code(), text(&output))
    };
    let (status, said) = run("");
    assert_ne!(status, Some(0), "{said}");
    assert!(
        said.contains("A0703") && said.contains("accrs setup --nvcc"),
        "{said}"
    );
    let (status, said) = run("--device emulated");
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("cannot be used with"), "{said}");
}
