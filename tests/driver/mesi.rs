//! Virtual shared variables and logical grids: what MESI-CUDA programs compute, what they transfer,
//! how their threads are mapped.

#[path = "mesi/devices.rs"]
mod devices;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Output;

use serde_json::Value;

use crate::support::{nvcc, root, snapshot};
use crate::{Folder, text};

/// A program, its serial twin, and the transfers that it needs: to the device and to the host, by
/// their bytes, how many.
struct Program {
    name: &'static str,
    text: &'static str,
    serial: &'static str,
    to_device: &'static [(usize, usize)],
    to_host: &'static [(usize, usize)],
}

const PROGRAMS: [Program; 16] = [
    Program {
        name: "figure7",
        text: include_str!("mesi/figure7.mcu"),
        serial: include_str!("mesi/matmul_serial.c"),
        to_device: &[(36_864, 2)],
        to_host: &[(36_864, 1)],
    },
    // Launched three times: what the device has is not sent again.
    Program {
        name: "figure8",
        text: include_str!("mesi/figure8.mcu"),
        serial: include_str!("mesi/matmul_serial.c"),
        to_device: &[(36_864, 2)],
        to_host: &[(36_864, 1)],
    },
    Program {
        name: "figure9",
        text: include_str!("mesi/figure9.mcu"),
        serial: include_str!("mesi/figure9_serial.c"),
        to_device: &[(280, 1), (19_600, 2)],
        to_host: &[(19_600, 1)],
    },
    // What a kernel writes for another one stays on the device.
    Program {
        name: "figure11",
        text: include_str!("mesi/figure11.mcu"),
        serial: include_str!("mesi/figure11_serial.c"),
        to_device: &[(157_216, 1)],
        to_host: &[(157_216, 1)],
    },
    // Values that kernels only read are arguments.
    Program {
        name: "named",
        text: include_str!("mesi/named.mcu"),
        serial: include_str!("mesi/named_serial.c"),
        to_device: &[(8, 2), (4_000, 1)],
        to_host: &[(4, 2), (160, 1), (4_000, 1)],
    },
    Program {
        name: "control",
        text: include_str!("mesi/control.mcu"),
        serial: include_str!("mesi/control_serial.c"),
        to_device: &[(4, 1), (200, 7), (400, 1)],
        to_host: &[(4, 10), (200, 15), (400, 1)],
    },
    // Elements by their addresses, and pointers that calls move.
    Program {
        name: "addresses",
        text: include_str!("mesi/addresses.mcu"),
        serial: include_str!("mesi/addresses_serial.c"),
        to_device: &[(4, 2), (160, 10), (640, 2)],
        to_host: &[(4, 3), (8, 1), (160, 12), (640, 2)],
    },
    // Names in several scopes, and memory of pointers behind others.
    Program {
        name: "scopes",
        text: include_str!("mesi/scopes.mcu"),
        serial: include_str!("mesi/scopes_serial.c"),
        to_device: &[(16, 1), (64, 4)],
        to_host: &[(64, 6)],
    },
    // Pointers and references that are chosen, handed on and given back.
    Program {
        name: "choices",
        text: include_str!("mesi/choices.mcu"),
        serial: include_str!("mesi/choices_serial.c"),
        to_device: &[(4, 2), (16, 1), (160, 5)],
        to_host: &[(4, 3), (160, 15)],
    },
    Program {
        name: "host",
        text: include_str!("mesi/host.mcu"),
        serial: include_str!("mesi/host_serial.c"),
        to_device: &[(40, 9), (120, 2)],
        to_host: &[(40, 14), (120, 2)],
    },
    Program {
        name: "both",
        text: include_str!("mesi/both.mcu"),
        serial: include_str!("mesi/both_serial.c"),
        to_device: &[(20_000, 1)],
        to_host: &[(20_000, 2)],
    },
    // The host's arrays in AUTO-CTA's launches, one of them in constant memory.
    Program {
        name: "arrays",
        text: include_str!("mesi/arrays.mcu"),
        serial: include_str!("mesi/arrays_serial.c"),
        to_device: &[(32, 1), (64, 1), (12_000, 1)],
        to_host: &[(32, 2), (12_000, 3)],
    },
    // The same by pointers into arrays.
    Program {
        name: "targets",
        text: include_str!("mesi/targets.mcu"),
        serial: include_str!("mesi/targets_serial.c"),
        to_device: &[(6_000, 2)],
        to_host: &[(6_000, 2)],
    },
    // Loops through shared memory; tests of other orders are below.
    Program {
        name: "cached",
        text: include_str!("mesi/cached.mcu"),
        serial: include_str!("mesi/cached_serial.c"),
        to_device: &[(10_360, 1), (12_600, 1), (13_600, 2)],
        to_host: &[(6_660, 3), (10_360, 1), (13_200, 2)],
    },
    Program {
        name: "overlap",
        text: include_str!("mesi/overlap.mcu"),
        serial: include_str!("mesi/overlap_serial.c"),
        to_device: &[(4_000, 1)],
        to_host: &[(4_000, 3)],
    },
    Program {
        name: "grids",
        text: include_str!("mesi/grids.mcu"),
        serial: include_str!("mesi/grids_serial.c"),
        to_device: &[(4, 14), (20_000, 14)],
        to_host: &[(4, 15), (20_000, 15), (40_000, 2)],
    },
];

impl Program {
    fn folder(&self) -> Folder {
        Folder::with(&[
            (&format!("{}.mcu", self.name), self.text),
            ("serial.c", self.serial),
        ])
    }

    /// What its serial twin prints.
    fn expected(&self, folder: &Folder) -> String {
        let mut compiler = folder.command("cc");
        let output = compiler
            .args(["-std=c11", "-O1", "-ffp-contract=off", "-o", "serial"])
            .arg("serial.c")
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output));
        folder.run("./serial", &[])
    }

    /// The translation, in which the runtime comes first.
    fn translated(&self, folder: &Folder) -> String {
        folder.succeed(&format!("translate {}.mcu -o out", self.name));
        let whole = folder.read(&format!("out/{}.acc.cu", self.name));
        let (before, own) = whole.split_once(snapshot::MESI).expect("the runtime");
        format!("{}{own}", before.replace(snapshot::AUTO_CTA, ""))
    }
}

fn started(folder: &Folder, program: &str, order: &str) -> Output {
    let mut command = folder.command(format!("./{program}"));
    command.env("ACCRS_SCHEDULE", order).env("ACCRS_TRACE", "1");
    command.output().unwrap()
}

/// How many transfers of how many bytes there were.
fn transfers(output: &Output, direction: &str) -> Vec<(usize, usize)> {
    let said = String::from_utf8_lossy(&output.stderr);
    let start = format!("accrs trace: {direction} bytes=");
    let mut all = BTreeMap::new();
    for bytes in said.lines().filter_map(|line| line.strip_prefix(&start)) {
        *all.entry(bytes.parse().expect("a number")).or_default() += 1;
    }
    all.into_iter().collect()
}

#[test]
fn programs_compute_what_their_serial_twins_do_and_transfer_what_is_stale() {
    for program in PROGRAMS {
        let name = program.name;
        let folder = program.folder();
        let expected = program.expected(&folder);
        // Stale copies have values that nothing can be computed of.
        folder.succeed(&format!("cc -O0 -DACCRS_MESI_CHECK {name}.mcu -o poisoned"));
        for order in ["forward", "reverse", "1"] {
            let output = started(&folder, "poisoned", order);
            let printed = String::from_utf8_lossy(&output.stdout);
            assert_eq!(printed, expected, "{name} {order}");
            let counts = ["to-device", "to-host"].map(|way| transfers(&output, way));
            let needed = [program.to_device.to_vec(), program.to_host.to_vec()];
            assert_eq!(counts, needed, "{name} {order}");
        }
        let printed = folder.succeed(&format!("check --dynamic {name}.mcu"));
        assert_eq!(printed, expected, "{name}, as it is");
    }
}

#[test]
fn translations_are_one_file_for_nvcc() {
    for program in PROGRAMS {
        let folder = program.folder();
        let own = program.translated(&folder);
        let name = format!("tests/driver/mesi/{}.acc.cu", program.name);
        snapshot::check(&root().join(name), &own).unwrap();
        for word in ["Managed", "cudaHostAlloc", "cudaHostRegister"] {
            assert!(
                !own.contains(word) && !snapshot::MESI.contains(word),
                "{word}"
            );
        }
        let file = folder.file(&format!("out/{}.acc.cu", program.name));
        nvcc::compile(&file, &folder.file("object.o"), &[75, 90, 120]).unwrap();
    }
}

#[test]
fn each_line_that_brings_copies_up_to_date_is_needed() {
    for program in PROGRAMS
        .iter()
        .filter(|one| ["figure7", "figure8", "figure9"].contains(&one.name))
    {
        let folder = program.folder();
        let expected = program.expected(&folder);
        folder.succeed(&format!("translate {}.mcu -o out", program.name));
        let whole = folder.read(&format!("out/{}.acc.cu", program.name));
        let own = whole.find(snapshot::MESI).expect("the runtime") + snapshot::MESI.len();
        let is_line = |line: &str| {
            let line = line.trim();
            let is_call = line.starts_with("accrs_mesi::host_")
                || line.starts_with("accrs_mesi::device_")
                || line.contains("_copies.host_")
                || line.contains("_copies.device_");
            is_call && line.ends_with(");") && line.matches(';').count() == 1
        };
        // One program, which leaves out the line that it is asked to.
        let mut text = format!("{}{LEAVES_OUT}", &whole[..own]);
        let mut distinct: Vec<&str> = Vec::new();
        for line in whole[own..].lines() {
            let statement = line.trim();
            if is_line(line) {
                let known = distinct.iter().position(|other| *other == statement);
                let number = known.unwrap_or(distinct.len());
                if known.is_none() {
                    distinct.push(statement);
                }
                text += &format!("if (!left_out({number})) ");
            }
            text += line;
            text.push('\n');
        }
        assert!(distinct.len() > 3, "{}", program.name);
        folder.write("less.cu", &text);
        folder.succeed("cc -O0 -DACCRS_MESI_CHECK less.cu -o less");
        let output = started(&folder, "less", "forward");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
        for (number, line) in distinct.iter().enumerate() {
            let mut less = folder.command("./less");
            let output = less.env("LEFT_OUT", number.to_string()).output().unwrap();
            assert!(
                output.stdout != expected.as_bytes() || !output.status.success(),
                "{}: without `{line}` nothing changes",
                program.name
            );
        }
    }
}

/// Whether the statement of this number is left out.
const LEAVES_OUT: &str = "
static bool left_out(int number)
{
    const char *asked = std::getenv(\"LEFT_OUT\");
    return asked && std::atoi(asked) == number;
}
";

/// Which launches and copies come before each, by the trace of streams: in the order of the host. Others
/// may be at the same time.
fn before_each(trace: &str) -> Vec<BTreeSet<usize>> {
    let mut all: Vec<BTreeSet<usize>> = Vec::new();
    let mut host: BTreeSet<usize> = BTreeSet::new();
    let mut streams: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut events: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let lines = trace
        .lines()
        .filter_map(|line| line.strip_prefix("accrs stream: "));
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().unwrap();
        let last = words.len() - 1;
        match words[0] {
            "launch" | "copy" => {
                let stream = streams.entry(number(last)).or_default();
                stream.extend(&host);
                all.push(stream.clone());
                stream.insert(all.len() - 1);
            }
            "record" => {
                let stream = streams.entry(number(last)).or_default();
                stream.extend(&host);
                events.insert(number(2), stream.clone());
            }
            "stream" => {
                let event = events[&number(last)].clone();
                streams.entry(number(1)).or_default().extend(&event);
            }
            "host" => match words[last - 1] {
                "event" => host.extend(&events[&number(last)]),
                "stream" => host.extend(streams.entry(number(last)).or_default().iter()),
                _ => host.extend(0..all.len()),
            },
            _ => unreachable!("{line}"),
        }
    }
    all
}

#[test]
fn copies_are_made_beside_kernels_that_use_other_memory() {
    let program = PROGRAMS.iter().find(|one| one.name == "overlap").unwrap();
    let folder = program.folder();
    folder.succeed("cc overlap.mcu -o overlap");
    let mut command = folder.command("./overlap");
    let output = command.env("ACCRS_TRACE_STREAMS", "1").output().unwrap();
    let before = before_each(&String::from_utf8_lossy(&output.stderr));
    let [
        first_a,
        first_b,
        a_to_host,
        third_a,
        c_to_device,
        second,
        third_b,
        b_to_host,
        a_again,
    ] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
    assert_eq!(before.len(), 9);
    for (one, other) in [
        (a_to_host, first_a),
        (third_a, first_a),
        (third_a, a_to_host),
        (second, first_b),
        (second, c_to_device),
        (third_b, second),
        (b_to_host, third_b),
        (a_again, third_a),
    ] {
        assert!(before[one].contains(&other), "{one} {other}");
    }
    for (one, other) in [
        (a_to_host, first_b),
        (c_to_device, first_b),
        (c_to_device, third_a),
        (second, third_a),
    ] {
        assert!(!before[one].contains(&other), "{one} {other}");
    }
}

#[test]
fn programs_that_are_wrong_print_something_else() {
    let wrong = [
        ("figure8", "k = 0; k < N", "k = 0; k < N - 1"),
        ("figure8", "b[k][col]", "b[col][k]"),
        ("figure8", "init_array(gb, 3)", "init_array(gb, 2)"),
        ("figure9", "j <= i; j++", "j < i; j++"),
        ("figure9", "j <= i + 1", "j <= i"),
        ("figure9", "x[lThreadIdx.x]", "x[lThreadIdx.y]"),
        ("figure11", "#define T 5", "#define T 4"),
        ("figure11", "a[i][j + 1][k]", "a[i][j - 1][k]"),
        ("figure11", "a[i][j][k + 1]", "a[i][j][k]"),
        ("figure11", "<[<N - 2, N - 2>]>", "<[<N - 3, N - 2>]>"),
        ("named", "data[i] * factor", "data[i]"),
        ("control", "steps < 9", "steps < 8"),
        ("addresses", "*(a + i) += by", "*(a + i) = by"),
        ("addresses", "half() + 10", "10"),
        ("addresses", "(i % 3 ? a : b)[i]++", "(i % 3 ? a : b)[i]--"),
        ("arrays", "step < 4", "step < 3"),
        ("cached", "k < 70; ++k", "k < 69; ++k"),
        ("cached", "k = 3; k < n", "k = 4; k < n"),
        (
            "cached",
            "b[k][column];\n    c[row][column] = sum",
            "b[k][row];\n    c[row][column] = sum",
        ),
        ("arrays", "w[k] *", "w[TAPS - 1 - k] *"),
        ("arrays", "(i + k) % n", "(i + k) % (n - 1)"),
        (
            "grids",
            "five<[<3, 7, 2, 5, 11>]>",
            "five<[<3, 7, 2, 5, 10>]>",
        ),
        ("grids", "at * lGrid.dim[r]", "at * lGrid.dim[4 - r]"),
    ];
    for (name, from, to) in wrong {
        let program = PROGRAMS.iter().find(|one| one.name == name).unwrap();
        let folder = program.folder();
        let expected = program.expected(&folder);
        assert!(program.text.contains(from), "{name}: {from}");
        folder.write("wrong.mcu", &program.text.replacen(from, to, 1));
        folder.succeed("cc -O0 wrong.mcu -o wrong");
        let printed = folder.run("./wrong", &[]);
        assert_ne!(printed, expected, "{name}: {to}");
    }
}

#[test]
fn feedback_gives_the_priorities_of_the_paper() {
    let said = |program: &Program| {
        let folder = program.folder();
        text(&folder.accrs(&format!("translate --feedback {}.mcu -o out", program.name)))
    };
    let by_name = |name: &str| said(PROGRAMS.iter().find(|one| one.name == name).unwrap());
    // Section 4.2: N · 32 for `a` and `b`, and for the neighbours of `b`; N is 96.
    let matmul = by_name("figure8");
    for note in [
        "note: the same element for neighbours in dimension 0: `a` 3072\n",
        "note: elements side by side for neighbours in dimension 0: `b` 3072, `c` 3104\n",
        "note: the same element for neighbours in dimension 1: `b` 3072\n",
        "in its blocks: dimension 0 lies along x, 1 along y, in several rows of a block\n",
    ] {
        assert!(matmul.contains(note), "{note}{matmul}");
    }
    // Section 4.4.1: N(N + 1) / 2 and (N - 2) · 3 iterations; N is 70.
    let dependent = by_name("figure9");
    for iterations in [70 * 71 / 2, 68 * 3] {
        let note = format!(
            "note: elements side by side for neighbours in dimension 0: `out` {}",
            iterations * 32
        );
        assert!(dependent.contains(&note), "{note}\n{dependent}");
    }
    // The same kernel with two mappings, and one that is chosen at the launch.
    let grids = by_name("grids");
    for (line, note) in [
        (81, "dimension 1 lies along x, 0 along y"),
        (82, "dimension 1 lies along x, 0 along y"),
        (84, "the launch compares the sums when it is reached"),
    ] {
        let place = format!("grids.mcu:{line}:");
        let (before, _) = grids.split_once(&place).expect("a note of the launch");
        let own = before.rsplit("note[").next().unwrap_or_default();
        assert!(own.contains(note), "{line}: {own}");
    }
}

/// Transactions of all kernels in a run.
fn transactions(folder: &Folder, file: &str) -> u64 {
    transactions_to(folder, file, "device")
}

/// Those to one kind of memory.
fn transactions_to(folder: &Folder, file: &str, space: &str) -> u64 {
    folder.succeed(&format!("run --counts=counts.json {file}"));
    let counts: Value = serde_json::from_str(&folder.read("counts.json")).unwrap();
    let kernels = counts.as_array().unwrap().iter();
    let accesses = kernels.flat_map(|kernel| kernel["accesses"].as_array().unwrap());
    let of = |access: &Value, warps: &str| access[warps]["transactions"].as_u64().unwrap();
    accesses
        .filter(|access| access["space"] == space)
        .map(|access| of(access, "full") + of(access, "partial"))
        .sum()
}

#[test]
fn loops_through_shared_memory_ask_less_of_memory_in_each_order() {
    let program = PROGRAMS.iter().find(|one| one.name == "cached").unwrap();
    let folder = program.folder();
    let expected = program.expected(&folder);
    for order in ["01", "10"] {
        let printed = folder.succeed(&format!("run -DACCRS_MESI_ORDER={order} cached.mcu"));
        assert_eq!(printed, expected, "{order}");
    }
    // A kernel that not all threads go through keeps its loop.
    let of = |before: &str| {
        let text = format!(
            "#include <cstdio>\n#define N 256\n__global__ float a[N][N], b[N][N], c[N][N];\n\
             __global__ void multiply()\n{{\n    const int i = lThreadIdx.y, j = lThreadIdx.x;\n{before}    \
             float sum = 0;\n    for (int k = 0; k < N; k++)\n        sum += a[i][k] * b[k][j];\n    \
             c[i][j] = sum;\n}}\nint main()\n{{\n    for (int i = 0; i < N * N; i++)\n        \
             a[i / N][i % N] = b[i % N][i / N] = i % 7;\n    multiply<[<N, N>]>();\n    \
             printf(\"%g\\n\", c[N - 1][N - 3]);\n    return 0;\n}}\n"
        );
        folder.write("multiply.mcu", &text);
        let printed = folder.succeed("run multiply.mcu");
        (printed, transactions_to(&folder, "multiply.mcu", "device"))
    };
    let (cached, kept) = (of(""), of("    if (i < 0)\n        return;\n"));
    assert_eq!(cached.0, kept.0);
    assert!(4 * cached.1 < kept.1, "{} of {}", cached.1, kept.1);
}

#[test]
fn a_loop_that_changes_places_makes_neighbours_those_of_a_warp() {
    let program = PROGRAMS.iter().find(|one| one.name == "figure11").unwrap();
    let folder = program.folder();
    // A kernel that is more than a loop keeps it.
    let kept = program.text.replace(
        "    int i = lThreadIdx.y + 1",
        "    if (lThreadIdx.x < 0)\n        return;\n    int i = lThreadIdx.y + 1",
    );
    folder.write("kept.mcu", &kept);
    assert_eq!(
        folder.succeed("run kept.mcu"),
        folder.succeed("run figure11.mcu")
    );
    let (own, kept) = (
        transactions(&folder, "figure11.mcu"),
        transactions(&folder, "kept.mcu"),
    );
    assert!(10 * own < kept, "{own} of {kept}");
}
