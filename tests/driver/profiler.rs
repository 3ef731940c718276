//! `ACCRS_PROFILE`: what is counted of each region, as a table and as a trace; ranges of NVTX; the
//! present table, where a look-up fails.

use std::path::Path;

use serde_json::Value;

use crate::support::nvcc;
use crate::{Folder, text};

/// Every kind of region, with counts that one can tell by hand: N floats, of which 4 are updated.
const PROGRAM: &str = "\
#include <openacc.h>
#include <stdio.h>
#define N 100
static float a[N], b[N];
static void twice(int n, float *restrict x)
{
#pragma acc parallel loop vector_length(32) copy(x[0:n])
    for (int i = 0; i < n; i++)
        x[i] = 2 * x[i] + 1;
}
int main(void)
{
    twice(N, a);
#pragma acc data copyin(a) create(b)
    for (int t = 0; t < 3; t++) {
        twice(N, a);
#pragma acc parallel loop async(2) vector_length(64) present(a, b)
        for (int i = 0; i < N; i++)
            b[i] = a[i];
#pragma acc wait(2)
#pragma acc update self(b[0:4])
    }
    acc_copyin(a, sizeof a);
    acc_delete(a, sizeof a);
    printf(\"%g\\n\", b[0]);
    return 0;
}
";
/// A kernel, a variable or a queue in the table: how often, and its bytes, or grid and block.
type WorkRow = (&'static str, u64, &'static str);

/// A region: how often it is reached, and what it has.
type RegionRow = (&'static str, u64, &'static [WorkRow]);

const COUNTS: &[RegionRow] = &[
    (
        "main.c:7 twice: parallel loop",
        4,
        &[
            ("in x[0:n]", 1, "400"),
            ("launch twice_kernel", 4, "4 32"),
            ("out x[0:n]", 1, "400"),
        ],
    ),
    ("main.c:14 main: data", 1, &[("in a", 1, "400")]),
    (
        "main.c:17 main: parallel loop",
        3,
        &[("launch main_kernel", 3, "2 64")],
    ),
    ("main.c:20 main: wait", 3, &[("wait queue 2", 3, "")]),
    ("main.c:21 main: update", 3, &[("out b[0:4]", 3, "48")]),
    ("main.c:23 main: acc_copyin", 1, &[("in a", 1, "400")]),
    ("main.c:24 main: acc_delete", 1, &[]),
];

/// How far the device's clock may be from the host's, in microseconds.
const CLOCKS: f64 = 5.0;

fn built() -> Folder {
    let folder = Folder::with(&[("main.c", PROGRAM)]);
    folder.succeed("cc -o main main.c");
    folder
}

/// Standard error of a run with these variables.
fn errors_of(folder: &Folder, variables: &[(&str, &str)]) -> String {
    let mut command = folder.command(folder.file("main"));
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "15\n");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_table_has_each_region() {
    let folder = built();
    let said = errors_of(&folder, &[("ACCRS_PROFILE", "1")]);
    let mut lines = said.lines();
    let head =
        "accrs profile: emulated device 0, with times of this machine's processor, not of a GPU";
    assert_eq!(lines.next(), Some(head), "{said}");
    let titles = lines.next().unwrap().split_whitespace();
    let titles: Vec<&str> = titles.collect();
    let expected = "region count bytes total us min avg max grid block";
    assert_eq!(titles.join(" "), expected, "{said}");
    let rows: Vec<&str> = lines.collect();
    let works: usize = COUNTS.iter().map(|(.., works)| works.len()).sum();
    assert_eq!(rows.len(), COUNTS.len() + works, "{said}");
    let mut costs = Vec::new();
    for (region, reached, works) in COUNTS {
        let at = rows.iter().position(|row| row.starts_with(region));
        let at = at.unwrap_or_else(|| panic!("{region}: {said}"));
        assert_eq!(words(rows[at], region), [reached.to_string()], "{said}");
        let mut cost = 0.0;
        for ((work, count, rest), row) in works.iter().zip(&rows[at + 1..]) {
            let words = words(row.trim_start(), work);
            assert_eq!(words[0], count.to_string(), "{said}");
            let is_copy = rest.parse::<u64>().is_ok();
            let times = &words[if is_copy { 2 } else { 1 }..];
            let times: Vec<f64> = times[..4].iter().map(|t| t.parse().unwrap()).collect();
            let [total, least, average, most] = times[..] else {
                unreachable!("four were taken");
            };
            assert!(
                least <= average && average <= most && most <= total,
                "{row}"
            );
            assert!(
                (total - average * *count as f64).abs() < 0.2 * *count as f64,
                "{row}"
            );
            let shape = if is_copy {
                words[1].clone()
            } else {
                words[5..].join(" ")
            };
            assert_eq!(shape, *rest, "{said}");
            cost += if work.starts_with("wait") { 0.0 } else { total };
        }
        costs.push((at, cost));
    }
    // What takes most of the time stands first; the figures are rounded.
    costs.sort_by_key(|(at, _)| *at);
    let is_order = |pair: &[(usize, f64)]| pair[0].1 + 0.3 >= pair[1].1;
    assert!(costs.windows(2).all(is_order), "{costs:?}: {said}");
}

/// What a row has behind its name.
fn words(row: &str, name: &str) -> Vec<String> {
    assert!(row.starts_with(name), "{name} is not in {row}");
    row[name.len()..]
        .split_whitespace()
        .map(String::from)
        .collect()
}

#[test]
fn a_trace_is_json_and_in_order() {
    let folder = built();
    let both = [
        ("ACCRS_PROFILE", "trace.json"),
        ("NVCOMPILER_ACC_TIME", "1"),
    ];
    let said = errors_of(&folder, &both);
    assert!(said.contains("main.c:17 main: parallel loop"), "{said}");
    let trace: Value = serde_json::from_str(&folder.read("trace.json")).unwrap();
    let events = trace.as_array().unwrap();
    let names = events.iter().filter(|event| event["ph"] == "M");
    let names: Vec<&str> = names.map(|e| e["args"]["name"].as_str().unwrap()).collect();
    for name in ["host", "thread 0", "synchronous", "queue 2"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let is_labelled = |name: &&str| name.contains("not of a GPU");
    assert!(names.iter().any(is_labelled), "{names:?}");
    let slices = || events.iter().filter(|event| event["ph"] == "X");
    let of = |category: &str| slices().filter(|e| e["cat"] == category).count();
    let counted = |what: &str| {
        let works = COUNTS.iter().flat_map(|(.., works)| *works);
        let works = works.filter(|(name, ..)| name.starts_with(what));
        works.map(|(_, count, _)| *count as usize).sum::<usize>()
    };
    assert_eq!(of("launch"), counted("launch "));
    assert_eq!(of("to-device"), counted("in "));
    assert_eq!(of("to-host"), counted("out "));
    let number = |event: &Value, name: &str| event[name].as_f64().unwrap();
    let span = |event: &Value| {
        (
            number(event, "ts"),
            number(event, "ts") + number(event, "dur"),
        )
    };
    // What is in a queue is done in turn; what is synchronous, within the host's call.
    let mut ends = std::collections::BTreeMap::new();
    for slice in slices().filter(|slice| slice["cat"] != "host") {
        let (start, end) = span(slice);
        let queue = (slice["pid"].as_i64(), slice["tid"].as_i64());
        let latest = ends.insert(queue, end).unwrap_or(0.0);
        assert!(start >= latest - 0.01 && end >= start, "{slice}");
        if slice["tid"] == 0 {
            let holds = |host: &&Value| {
                let (begun, ended) = span(host);
                let same = host["args"]["place"] == slice["args"]["place"];
                host["cat"] == "host" && same && begun <= start + CLOCKS && end <= ended + CLOCKS
            };
            assert!(slices().any(|host| holds(&host)), "{slice}");
        }
    }
    let launch = slices()
        .find(|slice| slice["name"] == "main_kernel")
        .unwrap();
    assert_eq!(launch["args"]["grid"], serde_json::json!([2, 1, 1]));
    assert_eq!(launch["args"]["block"], serde_json::json!([64, 1, 1]));
    assert_eq!(launch["args"]["function"], "main");
}

#[test]
fn other_values_and_the_host() {
    let folder = built();
    assert_eq!(errors_of(&folder, &[("ACCRS_PROFILE", "0")]), "");
    errors_of(&folder, &[("ACCRS_PROFILE", "trace-%p.json")]);
    let is_numbered = |name: &String| {
        let number = name
            .strip_prefix("trace-")
            .and_then(|n| n.strip_suffix(".json"));
        number.is_some_and(|number| number.parse::<u32>().is_ok())
    };
    assert!(
        folder.names().iter().any(is_numbered),
        "{:?}",
        folder.names()
    );
    let on_host = [("PGI_ACC_TIME", "1"), ("ACC_DEVICE_TYPE", "host")];
    let said = errors_of(&folder, &on_host);
    assert_eq!(said, "accrs profile: nothing ran on a device\n");
    for (value, message) in [
        ("yes", "ACCRS_PROFILE is 'yes'"),
        (
            "none/trace.json",
            "the profile 'none/trace.json' cannot be written",
        ),
    ] {
        let mut command = folder.command(folder.file("main"));
        let output = command.env("ACCRS_PROFILE", value).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output).contains(message), "{}", text(&output));
    }
}

/// Prints each range as it is pushed and popped.
const RECORDER: &str = "\
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
static int depth;
static nvtxDomainHandle_t create(const char *name)
{
    printf(\"domain %s\\n\", name);
    return (nvtxDomainHandle_t)&depth;
}
static int push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes)
{
    printf(\"%d %s%s\\n\", depth++, attributes->message.ascii, domain == (nvtxDomainHandle_t)&depth ? \"\" : \"?\");
    return depth;
}
static int pop(nvtxDomainHandle_t domain)
{
    (void)domain;
    return --depth;
}
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table)
{
    const NvtxExportTableCallbacks *callbacks = export_table(NVTX_ETID_CALLBACKS);
    NvtxFunctionTable table = NULL;
    unsigned size = 0;
    if (callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size))
        return 0;
    *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)create;
    *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
";

/// One step of the program above.
const RANGES: &str = "\
domain accrs
0 enter data main.c:4 main
0 parallel main.c:6 main
1 exit data main.c:6 main
0 wait main.c:9 main
0 update main.c:10 main
0 exit data main.c:4 main
";

#[test]
fn constructs_are_ranges_of_nvtx() {
    let program = "\
static float a[100];
int main(void)
{
#pragma acc data copyin(a)
    {
#pragma acc parallel loop present(a) async(1)
        for (int i = 0; i < 100; i++)
            a[i] = i;
#pragma acc wait(1)
#pragma acc update self(a)
    }
    return a[99] != 99;
}
";
    let folder = Folder::with(&[("main.c", program), ("recorder.c", RECORDER)]);
    let nvcc = nvcc::program().unwrap();
    let headers = nvcc.ancestors().nth(2).unwrap().join("include");
    let headers = format!("-I{}", headers.to_str().unwrap());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/src/nvtx.cpp");
    let source = source.to_str().unwrap();
    let strict = ["-Wall", "-Wextra", "-Werror"];
    let compile = [
        &strict[..],
        &["-std=c++17", &headers, "-c", "-o", "nvtx.o", source],
    ];
    folder.run("g++", &compile.concat());
    let library = [
        "-shared",
        "-fPIC",
        &headers,
        "-o",
        "recorder.so",
        "recorder.c",
    ];
    folder.run("gcc", &library);
    // The library's own, which has been built without the header, stays out.
    folder.succeed("cc -o main main.c nvtx.o");
    assert_eq!(folder.run("./main", &[]), "");
    let mut command = folder.command(folder.file("main"));
    command.env("NVTX_INJECTION64_PATH", folder.file("recorder.so"));
    assert_eq!(text(&command.output().unwrap()), RANGES);
}

#[test]
fn the_present_table_is_shown_where_a_look_up_fails() {
    let program = "\
#include <openacc.h>
static float a[100], b[10];
int main(void)
{
    acc_copyin(b, sizeof b);
#pragma acc data create(a[0:50])
    {
#pragma acc update self(a)
    }
    return 0;
}
";
    let folder = Folder::with(&[("main.c", program)]);
    folder.succeed("cc -o main main.c");
    let output = folder.command(folder.file("main")).output().unwrap();
    let plain = text(&output);
    assert!(
        plain.starts_with("accrs: main.c:8: update: 'a' is only partially"),
        "{plain}"
    );
    let mut command = folder.command(folder.file("main"));
    let output = command.env("ACCRS_TRACE", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    let (trace, rest) = said.split_once(&plain).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(rest, "");
    let at = trace.find("accrs trace: present-table device=0 entries=2\n");
    let lines: Vec<&str> = trace[at.unwrap()..].lines().skip(1).collect();
    let entry = |begin: &str, end: &str| {
        let is_it = |line: &&str| line.starts_with(begin) && line.ends_with(end);
        assert!(lines.iter().any(is_it), "{begin}: {said}");
    };
    assert_eq!(lines.len(), 2, "{said}");
    entry(
        "accrs trace: present a[0:50] bytes=200 host=0x",
        " structured=1 dynamic=0 at=main.c:6",
    );
    entry(
        "accrs trace: present b bytes=40 host=0x",
        " structured=0 dynamic=1 at=main.c:5",
    );
}
