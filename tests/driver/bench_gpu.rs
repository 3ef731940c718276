//! `accrs bench` on a GPU, as far as that can be seen without one: stand-ins take the places of nvcc,
//! whose programs run on the emulation, and of the driver's tool.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::bench::{FCW, PLAIN, with};
use super::{Folder, accrs, text};

/// The same sums in CUDA.
const CUDA: &str = r#"#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void sums(int n, const float *a, float *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] = i > 0 && i < n - 1 ? a[i - 1] + a[i] + a[i + 1] : 0;
}
int main(int argc, char **argv)
{
    int n = atoi(argv[1]);
    float *host = (float *)calloc(n, sizeof(float)), *a, *b;
    for (int i = 0; i < n; i++)
        host[i] = i % 7;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(a, host, n * sizeof(float), cudaMemcpyHostToDevice);
    sums<<<(n + 127) / 128, 128>>>(n, a, b);
    cudaMemcpy(host, b, n * sizeof(float), cudaMemcpyDeviceToHost);
    printf("sum %g\n", host[n / 2]);
    printf("time 0.25 s\n");
    return 0;
}
"#;

/// A compiler whose programs say that they run on a GPU.
const PEER: &str = r#"#!/bin/sh
set -eu
for word; do
    case $word in
    */where.c) echo 'int puts(const char *); int main(void) { puts("device"); return 0; }' >"$word" ;;
    esac
done
exec gcc -w "$@"
"#;

/// An nvcc and an nvidia-smi.
struct StandIn(tempfile::TempDir);

impl StandIn {
    fn new() -> Self {
        let here = Self(tempfile::tempdir().unwrap());
        here.program("bin/nvcc", include_str!("stand_in/nvcc"));
        here.program("bin/nvidia-smi", include_str!("stand_in/nvidia-smi"));
        here.program("bin/peer", PEER);
        here.library();
        here
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The emulation, in the place of CUDA's library.
    fn library(&self) {
        let folder = self.file("lib64");
        std::fs::create_dir_all(&folder).unwrap();
        let list = std::fs::read_to_string(runtime().join("SOURCES")).unwrap();
        let sources = list.lines().filter(|line| line.starts_with("emulation/"));
        let mut compile = Command::new("g++");
        compile.current_dir(&folder);
        compile.args(accrs::driver::compilers::EMULATION);
        compile.args(["-O1", "-fPIC", "-c"]);
        compile.args(sources.map(|source| runtime().join(source)));
        assert!(compile.status().unwrap().success());
        let mut pack = Command::new("sh");
        pack.current_dir(&folder);
        pack.args(["-c", "ar rcs libcudart_static.a *.o"]);
        assert!(pack.status().unwrap().success());
    }

    /// `accrs bench` with these as the machine's tools.
    fn bench(&self, folder: &Folder, arguments: &[&str]) -> Output {
        let mut bench = folder.command(accrs());
        let path = std::env::var("PATH").unwrap();
        bench.env("PATH", format!("{}:{path}", self.file("bin").display()));
        bench.env("ACCRS_NVCC", self.file("bin/nvcc"));
        bench.env("RUNTIME", runtime());
        bench.env("XDG_CACHE_HOME", self.file("cache"));
        bench.args(["bench", "--folder", ".", "--device", "gpu", "--runs", "2"]);
        bench.args(arguments).output().unwrap()
    }
}

fn runtime() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime")
}

#[test]
fn forms_and_peers_are_timed_on_a_gpu() {
    let (folder, stand_in) = (Folder::new(), StandIn::new());
    let serial = PLAIN.replace("#pragma", "//");
    let forms = [("", PLAIN), ("_serial", &*serial), ("_fcw", FCW)];
    with(&folder, "sums", &forms);
    folder.write("sums/sums_textbook.cu", CUDA);
    let other = format!("other={}", stand_in.file("bin/peer").display());
    let files = ["--json", "f.json", "--report", "report"];
    let peers = ["--peer", "gcc=gcc -w -O2 -fopenacc", "--peer", &other];
    let output = stand_in.bench(&folder, &[files.as_slice(), &peers].concat());
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("The device: a copy within it moves"),
        "{said}"
    );

    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    assert_eq!(figures["device"], "gpu");
    assert_eq!(figures["gpu"]["name"], "Stand-in");
    assert_eq!(figures["gpu"]["driver"], "580.0");
    assert!(figures["cuda"].as_str().unwrap().contains("release 13.0"));
    assert!(figures["date"].as_str().unwrap().starts_with("20"));
    let command = figures["command"].as_str().unwrap();
    assert!(
        command.starts_with("accrs bench --folder . --device gpu --runs 2"),
        "{command}"
    );

    // The large size only: 100000 elements there and back.
    let forms = figures["programs"][0]["forms"].as_array().unwrap();
    let names: Vec<&str> = forms
        .iter()
        .map(|form| form["form"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["acc", "fcw", "textbook", "gcc", "other"]);
    for form in &forms[..2] {
        let size = &form["sizes"][0];
        assert_eq!(
            (&size["size"], size["failure"].as_str()),
            (&"100000".into(), None)
        );
        assert_eq!(size["seconds"]["runs"], 2);
        let trace = &size["trace"];
        assert_eq!(trace["launches"], 1);
        assert_eq!(
            (&trace["bytes_to_device"], &trace["bytes_to_host"]),
            (&400_000.into(), &400_000.into())
        );
        for part in ["kernels", "launching", "transfers"] {
            assert_eq!(trace[part]["runs"], 2, "{trace}");
        }
        assert!(trace["launching"]["median"].as_f64().unwrap() > 0.0);
    }
    assert_eq!(forms[2]["sizes"][0]["seconds"]["median"], 0.25);

    // gcc finds no GPU and says so; its time is apart from the others'.
    let (gcc, other) = (&forms[3], &forms[4]);
    assert_eq!(gcc["place"]["on"], "host");
    assert!(
        gcc["sizes"][0]["seconds"].is_null() && gcc["sizes"][0]["host_seconds"]["median"] == 0.5
    );
    assert!(
        said.contains("gcc ran on the host (libgomp: device type NVIDIA not supported)"),
        "{said}"
    );
    assert_eq!(other["place"]["on"], "gpu");
    assert_eq!(other["sizes"][0]["seconds"]["median"], 0.5);
    let row = said
        .lines()
        .find(|line| line.trim_start().starts_with("other "))
        .unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["other", "equal", "1.00x", "500.000"]
    );

    let page = folder.read("report/report.md");
    for part in [
        "On Stand-in (1024 MiB), driver 580.0",
        "sums.svg",
        "sums-time.svg",
        "Peer gcc: `gcc -w",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(
        folder
            .read("report/sums-time.svg")
            .contains("class=\"apart\"")
    );
}

#[test]
fn what_is_missing_is_said_before_anything_runs() {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    with(&folder, "sums", &[("", PLAIN), ("_serial", &serial)]);
    folder.write(
        "none/gcc",
        "#!/bin/sh\necho 'cc1: error: no mkoffload' >&2\nexit 1\n",
    );
    let gcc = folder.file("none/gcc");
    std::fs::set_permissions(&gcc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        folder.file("none").display(),
        std::env::var("PATH").unwrap()
    );
    for (arguments, expected) in [
        (
            "--peer gcc",
            "the peer gcc does not compile OpenACC for a GPU: cc1: error: no mkoffload",
        ),
        (
            "--peer gcc",
            "the packages gcc-12-offload-nvptx and libgomp-plugin-nvptx1",
        ),
        ("--peer icc", "no peer `icc` is known"),
        ("--peer icc=", "--peer icc: no command"),
        ("--peer x=/no/such", "cannot run `/no/such`"),
    ] {
        let mut bench = folder.command(accrs());
        bench.env("PATH", &path);
        bench.args("bench --folder . --device emulated".split(' '));
        let output = bench.args(arguments.split(' ')).output().unwrap();
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && !said.contains("sums:"), "{said}");
    }
    if !accrs::driver::toolchain::gpu_present() {
        let nvcc = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name)).unwrap();
        let mut bench = folder.command(accrs());
        bench.env("ACCRS_NVCC", &nvcc.tool.path);
        let output = bench
            .args("bench --folder . --device gpu".split(' '))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output);
        assert!(
            said.contains("error[A0704]: no NVIDIA GPU answers on this machine"),
            "{said}"
        );
    }
}

#[test]
fn programs_are_built_apart_from_where_they_run() {
    let (folder, stand_in) = (Folder::new(), StandIn::new());
    let serial = PLAIN.replace("#pragma", "//");
    let forms = [("", PLAIN), ("_serial", &*serial), ("_fcw", FCW)];
    with(&folder, "sums", &forms);
    let listing = stand_in.file("bin/nvidia-smi");
    let aside = stand_in.file("nvidia-smi");
    std::fs::rename(&listing, &aside).unwrap();
    let built = stand_in.bench(&folder, &["--programs", "programs"]);
    assert!(built.status.success(), "{}", text(&built));
    let places = std::fs::read_dir(folder.path().join("programs/accrs")).unwrap();
    let is_program = |name: &String| name.starts_with("sums-") && !name.ends_with(".lock");
    let names = places.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(is_program).count(), 2);

    // On another machine, whose compiler is of no use.
    std::fs::rename(&aside, &listing).unwrap();
    let refuses =
        "#!/bin/sh\n[ \"${1-}\" = --version ] && echo 'release 13.0, V13.0.1' && exit 0\nexit 1\n";
    stand_in.program("bin/nvcc", refuses);
    let arguments = ["--programs", "programs", "--json", "f.json"];
    let run = stand_in.bench(&folder, &arguments);
    assert!(run.status.success(), "{}", text(&run));
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    for form in figures["programs"][0]["forms"].as_array().unwrap() {
        assert_eq!(form["sizes"][0]["seconds"]["median"], 0.5, "{form}");
        assert!(form["sizes"][0]["failure"].is_null(), "{form}");
    }

    // What was built of other sources is not taken.
    folder.write("sums/sums_fcw.c", &(folder.read("sums/sums_fcw.c") + "\n"));
    assert!(!stand_in.bench(&folder, &arguments).status.success());
}
