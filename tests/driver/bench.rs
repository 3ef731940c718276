//! `accrs bench` on programs of a user's own.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::report::check_structure;
use super::{Folder, accrs, text};
use crate::support::nvcc;

/// Sums neighbours; `%` stands for how a form does it.
const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *restrict a = calloc(n, sizeof(float)), *restrict b = calloc(n, sizeof(float));
    for (int i = 0; i < n; i++)
        a[i] = i % 7; /* a pattern */
%
    printf("sum %g\n", b[n / 2]);
    printf("time 0.5 s\n");
    return 0;
}
"#;

pub(super) const PLAIN: &str =
    "    #pragma acc parallel loop vector_length(128) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++)
        b[i] = i > 0 && i < n - 1 ? a[i - 1] + a[i] + a[i + 1] : 0;
";

pub(super) const FCW: &str =
    "    #pragma acc parallel loop vector(128) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 0; i < n; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:1])
        b[i] = i > 0 && i < n - 1 ? a[i - 1] + a[i] + a[i + 1] : 0;
    }
";

pub(super) const DESCRIPTION: &str = "title = \"Sums of neighbours\"\n\
    [[run]]\nname = \"1000\"\narguments = [\"1000\"]\ntest = true\nsharp = true\n\
    [[run]]\nname = \"100000\"\narguments = [\"100000\"]\n";

pub(super) fn with(folder: &Folder, name: &str, forms: &[(&str, &str)]) {
    std::fs::create_dir_all(folder.path().join(name)).unwrap();
    folder.write(&format!("{name}/bench.toml"), DESCRIPTION);
    for (form, body) in forms {
        folder.write(
            &format!("{name}/{name}{form}.c"),
            &PROGRAM.replace("%\n", body),
        );
    }
}

#[test]
fn forms_are_compared_counted_and_reported() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    with(
        &folder,
        "sums",
        &[("", PLAIN), ("_serial", &serial), ("_fcw", FCW)],
    );
    let output = folder
        .accrs("bench --folder . --device emulated --json f.json --report report --html all.html");
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    let row = |form: &str| -> Vec<String> {
        let found = said
            .lines()
            .find(|line| line.trim_start().starts_with(form));
        found
            .unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(row("1000"), ["1000"], "{said}");
    assert_eq!(row("acc ")[1..3], ["equal", "1"], "{said}");
    assert_eq!(row("fcw ")[1..3], ["equal", "1"], "{said}");
    assert!(
        said.contains("lines of code: serial 14, acc 15, fcw 17"),
        "{said}"
    );
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let forms = &figures["programs"][0]["forms"];
    let [plain, fcw] = [&forms[0], &forms[1]];
    assert_eq!(plain["lines"]["code"], 15);
    assert_eq!(plain["lines"]["directives"], 1);
    assert_eq!(fcw["lines"]["directives"], 2);
    let counts = |form: &Value| form["sizes"][0]["counts"].clone();
    assert_eq!(counts(plain)["barriers"], 0);
    // Eight blocks of 128 fetch once each; the windows read each element once, and two halos.
    assert_eq!(counts(plain)["launches"], 1);
    assert!(counts(fcw)["barriers"].as_u64().unwrap() >= 8);
    let requests = |form: &Value| counts(form)["device"]["requests"].as_u64().unwrap();
    assert!(requests(fcw) < requests(plain), "{figures}");
    let page = folder.read("report/report.md");
    assert!(
        page.contains("## sums") && page.contains("](sums.svg)"),
        "{page}"
    );
    let chart = folder.read("report/sums.svg");
    assert!(
        chart.contains("<rect class=\"form2\"") && chart.contains("prefers-color-scheme: dark")
    );
    let page = folder.read("all.html");
    check_structure(&page, 3);
    assert!(page.contains("<a href=\"#p1\">sums</a>") && page.contains("not time"));
    assert_eq!(page.matches("<svg ").count(), 1);
    let again: Value = serde_json::from_str(&folder.read("report/report.json")).unwrap();
    assert_eq!(again, figures);
}

#[test]
fn nvcc_counts_registers_and_shared_memory() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    with(
        &folder,
        "sums",
        &[("", PLAIN), ("_serial", &serial), ("_fcw", FCW)],
    );
    let nvcc = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name)).unwrap();
    let mut bench = folder.command(accrs());
    bench.env("ACCRS_NVCC", &nvcc.tool.path);
    bench.args(
        "bench --folder . --device emulated --json f.json --report report --arch sm_80".split(' '),
    );
    let output = bench.output().unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let kernel = |form: usize| &figures["programs"][0]["forms"][form]["kernels"][0];
    assert_eq!(kernel(0)["static_shared_bytes"], 0, "{figures}");
    // 128 elements and two halos.
    assert_eq!(kernel(1)["static_shared_bytes"], 4 * 130, "{figures}");
    for form in [0, 1] {
        assert_eq!(
            (&kernel(form)["arch"], &kernel(form)["spill_bytes"]),
            (&"sm_80".into(), &0.into())
        );
        assert!(kernel(form)["registers"].as_u64().unwrap() > 4, "{figures}");
    }
    let columns = ["sm_80", "none", "520"];
    let has_row = |page: &str| {
        page.lines()
            .any(|line| columns.iter().all(|word| line.contains(word)))
    };
    assert!(
        has_row(&said) && has_row(&folder.read("report/report.md")),
        "{said}"
    );
}

#[test]
fn a_program_that_fails_does_not_stop_the_others() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    let wrong = PLAIN.replace("a[i + 1]", "a[i]");
    for (name, plain) in [("first", &*wrong), ("second", PLAIN)] {
        with(&folder, name, &[("", plain), ("_serial", &serial)]);
    }
    with(
        &folder,
        "third",
        &[("", "    this is no C\n"), ("_serial", &serial)],
    );
    let output = folder.accrs("bench --folder . --device emulated --json f.json");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("WRONG") && said.contains("where the serial form has"),
        "{said}"
    );
    assert!(said.contains("acc: it is not built"), "{said}");
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let failure =
        |program: usize| figures["programs"][program]["forms"][0]["sizes"][0]["failure"].clone();
    assert!(failure(0).is_string() && failure(1).is_null(), "{figures}");
    assert!(
        figures["programs"][2]["forms"][0]["failure"].is_string(),
        "{figures}"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    with(&folder, "sums", &[("", PLAIN), ("_serial", &serial)]);
    for (arguments, expected) in [
        ("bench other --folder .", "no benchmark `other`"),
        ("bench --folder nowhere", "cannot read the folder nowhere"),
        (
            "bench --folder . --forms tuned --device emulated",
            "no benchmark has such a form",
        ),
        (
            "bench --folder . --sizes 7 --device emulated",
            "no benchmark has such a form and size",
        ),
    ] {
        let output = folder.accrs(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
}

#[test]
fn sizes_of_tiles_are_varied_as_the_description_says() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    let fcw = FCW.replace("128", "BLOCK");
    with(
        &folder,
        "sums",
        &[("", PLAIN), ("_serial", &serial), ("_fcw", &fcw)],
    );
    let program = folder.read("sums/sums_fcw.c");
    folder.write(
        "sums/sums_fcw.c",
        &format!("#ifndef BLOCK\n#define BLOCK 128\n#endif\n{program}"),
    );
    let described = DESCRIPTION.replace(
        "[[run]]\nname = \"1000\"",
        "vary.BLOCK = [32, 256]\n[[run]]\nname = \"1000\"",
    );
    folder.write("sums/bench.toml", &described);
    // By its path, with no folder of programs around it.
    let said = folder.succeed(
        "bench sums --folder /nowhere --vary --device emulated --json f.json --report report",
    );
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let forms = figures["programs"][0]["forms"].as_array().unwrap();
    let blocks = |form: &Value| form["sizes"][0]["counts"]["blocks"].as_u64().unwrap();
    let all: Vec<(&str, u64)> = forms
        .iter()
        .map(|form| (form["form"].as_str().unwrap(), blocks(form)))
        .collect();
    assert_eq!(
        all,
        [
            ("acc", 8),
            ("fcw", 8),
            ("fcw BLOCK=32", 32),
            ("fcw BLOCK=256", 4)
        ],
        "{said}"
    );
    let chart = folder.read("report/sums-vary.svg");
    assert!(
        chart.contains(">fcw BLOCK&#x3D;256<") && !folder.read("report/sums.svg").contains("BLOCK")
    );
}

#[test]
fn a_wrong_description_is_named_with_its_place() {
    for (description, expected) in [
        (
            "title = \"x\"\n[[run]]\nname = 7\n",
            "sums/bench.toml:3:8: invalid type: integer `7`, expected a string",
        ),
        ("title = \"x\"\n[[run]\n", "sums/bench.toml:2:"),
        (
            "title = \"x\"\n[[run]]\nname = \"9\"\narguments = []\nshrap = true\n",
            "sums/bench.toml:5:1: unknown field `shrap`",
        ),
        (
            "title = \"x\"\nrun = []\n",
            "sums/bench.toml: it has no `[[run]]`",
        ),
        (
            "title = \"x\"\n[[run]]\nname = \"9\"\narguments = []\n[[run]]\nname = \"9\"\narguments = []\n",
            "two runs have the name `9`",
        ),
    ] {
        let folder = Folder::new();
        with(&folder, "sums", &[("", PLAIN), ("_serial", PLAIN)]);
        folder.write("sums/bench.toml", description);
        let output = folder.accrs("bench --folder . --device emulated");
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

/// What a form is known by, and all that is counted of it.
pub(super) fn counted(program: &Value) -> Vec<(String, Value, Value)> {
    let forms = program["forms"].as_array().unwrap().iter();
    let forms = forms.filter(|form| form["define"].is_null());
    let what = |form: &Value| {
        let name = form["form"].as_str().unwrap().to_owned();
        (name, form["lines"].clone(), form["sizes"].clone())
    };
    forms.map(what).collect()
}

#[test]
fn committed_counts_are_those_of_today() {
    let folder = Folder::new();
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    let committed = benchmarks.join("results/emulation/report.json");
    let committed: Value =
        serde_json::from_str(&std::fs::read_to_string(committed).unwrap()).unwrap();
    let names = ["dyadic", "lud", "matmul", "nbody", "nn"];
    let command = format!(
        "bench {} --folder {}",
        names.join(" "),
        benchmarks.display()
    );
    folder.succeed(&format!("{command} --device emulated --json f.json"));
    let today: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    for (number, name) in names.iter().enumerate() {
        let mut all = committed["programs"].as_array().unwrap().iter();
        let committed = all.find(|program| program["name"] == *name).unwrap();
        let again = "accrs bench --device emulated --report benchmarks/results/emulation";
        assert_eq!(
            counted(committed),
            counted(&today["programs"][number]),
            "{name}: `{again}` writes them anew"
        );
    }
    let programs = benchmarks.read_dir().unwrap().flatten();
    let described = programs.filter(|entry| entry.path().join("bench.toml").is_file());
    assert_eq!(
        described.count(),
        committed["programs"].as_array().unwrap().len()
    );
}

#[test]
fn an_interrupted_run_leaves_what_is_finished() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    with(
        &folder,
        "sums",
        &[("", PLAIN), ("_serial", &serial), ("_fcw", FCW)],
    );
    // The last form never ends.
    with(
        &folder,
        "sums",
        &[("_slow", "    for (;;)\n        n = n ^ 1;\n")],
    );
    let mut bench = folder.command(accrs());
    bench.args("bench --folder . --device emulated --json f.json --report report".split(' '));
    let mut running = bench.stdout(std::process::Stdio::null()).spawn().unwrap();
    let finished = || {
        let text = std::fs::read_to_string(folder.file("f.json")).unwrap_or_default();
        let figures: Value = serde_json::from_str(&text).unwrap_or_default();
        figures["programs"][0]["forms"]
            .as_array()
            .map_or(0, Vec::len)
    };
    while finished() < 2 {
        assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let interrupt = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert_eq!(finished(), 2);
    let page = folder.read("report/report.md");
    assert!(
        page.contains("| fcw ") && folder.read("report/sums.svg").contains(">fcw<"),
        "{page}"
    );
}

/// Transactions of a kernel, loads and stores.
fn transactions(kernel: &Value) -> u64 {
    let of = |way: &str| kernel[way]["transactions"].as_u64().unwrap();
    of("loads") + of("stores")
}

#[test]
fn no_order_of_logical_dimensions_asks_less_of_memory_than_the_one_chosen() {
    let folder = Folder::new();
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    folder.succeed(&format!(
        "bench fdtd hotspot jacobi matmul poisson --forms mesi --vary --device emulated \
         --json f.json --folder {}",
        benchmarks.display()
    ));
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let mut kernels = 0;
    for program in figures["programs"].as_array().unwrap() {
        let (name, forms) = (&program["name"], program["forms"].as_array().unwrap());
        let orders = if name == "poisson" { 6 } else { 2 };
        assert_eq!(forms.len(), 1 + orders, "{name}");
        let of = |form: &Value| form["sizes"][0]["kernels"].as_array().unwrap().clone();
        for (number, chosen) in of(&forms[0]).iter().enumerate() {
            let others = forms[1..].iter().map(|form| of(form)[number].clone());
            let others: Vec<Value> = others.collect();
            assert!(
                others
                    .iter()
                    .all(|other| other["kernel"] == chosen["kernel"])
            );
            let all = others.iter().map(transactions);
            assert_eq!(all.clone().min(), Some(transactions(chosen)), "{chosen}");
            // The worst is that of a program that knows nothing of warps.
            assert!(all.max() > Some(9 * transactions(chosen)), "{chosen}");
            kernels += 1;
        }
    }
    assert_eq!(kernels, 7);
}

/// Warps of a kernel on a multiprocessor of sm_90 at once, by NVIDIA's tables: 64 warps, 32 blocks, registers
/// for warps in portions of 256 in each of four parts.
fn warps_at_once(threads: u64, registers: u64) -> u64 {
    let warps = threads.div_ceil(32);
    let of_warp = (32 * registers).next_multiple_of(256);
    let blocks = (64 / warps).min(32).min(16_384 / of_warp * 4 / warps);
    blocks * warps
}

#[test]
fn no_fixed_blocks_fill_the_device_better_than_those_chosen() {
    let folder = Folder::new();
    let benchmarks = Path::new(env!("CARGO_MANIFEST_DIR")).join("benchmarks");
    let sizes = [
        "7x5x3 cubes",
        "16x16x16 cubes",
        "67x67",
        "1009 points",
        "67x131",
    ];
    let mut command = folder.command(env!("CARGO_BIN_EXE_accrs"));
    let words =
        "bench cfd gaussian kmeans srad --forms autocta --vary --device emulated --json f.json";
    command
        .args(words.split(' '))
        .arg("--folder")
        .arg(&benchmarks);
    command.args(sizes.iter().flat_map(|size| ["--sizes", size]));
    command.env("ACCRS_NVCC", nvcc::program().unwrap());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let mut kernels = 0;
    for program in figures["programs"].as_array().unwrap() {
        let forms = program["forms"].as_array().unwrap();
        let named = |name: &str| {
            let mut all = forms.iter();
            all.find(|form| form["form"] == name).unwrap()
        };
        let (second, first) = (named("autocta"), named("autocta P1"));
        for (at, size) in first["sizes"].as_array().unwrap().iter().enumerate() {
            for (number, kernel) in size["kernels"].as_array().unwrap().iter().enumerate() {
                // Multiprocessors with a block, and warps at once where there are many threads.
                let fill = |form: &Value| {
                    let own = &form["sizes"][at]["kernels"][number];
                    assert_eq!(own["kernel"], kernel["kernel"]);
                    let mut all = form["kernels"].as_array().unwrap().iter();
                    let known = all.find(|one| one["name"] == kernel["kernel"]).unwrap();
                    let registers = known["registers"].as_u64().unwrap();
                    let (mut busy, mut warps) = (0, 0);
                    for one in own["configurations"].as_array().unwrap() {
                        let of = |what: &str| one[what].as_u64().unwrap();
                        busy += of("launches") * of("blocks").min(132);
                        if of("blocks") * of("threads") >= 1024 + 512 {
                            warps += of("launches") * warps_at_once(of("threads"), registers);
                        }
                    }
                    (busy, warps, transactions(own))
                };
                let chosen = fill(first);
                for other in ["R64", "R128", "R256", "R512"] {
                    let other = fill(named(&format!("autocta {other}")));
                    assert!(
                        (chosen.0, chosen.1) >= (other.0, other.1),
                        "{kernel} {other:?}"
                    );
                    assert!(chosen.2 <= other.2, "{kernel} {other:?}");
                }
                // Arrays that are placed cost nothing.
                let placed = fill(second);
                assert!(placed.0 >= chosen.0 && placed.1 >= chosen.1, "{kernel}");
                assert!(placed.2 <= chosen.2, "{kernel}");
                kernels += 1;
            }
        }
    }
    assert_eq!(kernels, 4 + 4 + 2 + 2 + 3);
}
