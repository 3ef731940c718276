//! Building a translation, which here is written by hand: by the driver and
//! by the makefile that `translate` writes.

use std::ffi::OsString;
use std::path::Path;

use accrs::driver::arch::Arch;
use accrs::driver::build::{self, Unit, UnitFlags};
use accrs::driver::compilers::Compilers;
use accrs::driver::device::Device;
use accrs::driver::pipeline::Translation;
use accrs::driver::{makefile, runtime_library};

use crate::{Folder, cache};

const HOST: &str = include_str!("dot/dot.acc.c");
const KERNELS: &str = include_str!("dot/dot.acc.cu");
/// One more than the sum of the squares below 1000.
const RESULT: &str = "332833501.0 202211\n";

fn variables(name: &str) -> Option<OsString> {
    match name {
        "XDG_CACHE_HOME" => Some(cache().into()),
        "CUDA_HOME" => installed_toolkit(),
        "ACC_DEVICE_TYPE" => None,
        _ => std::env::var_os(name),
    }
}

/// nvcc of the tester's own cache, which the tests' cache does not have.
fn installed_toolkit() -> Option<OsString> {
    let nvcc = accrs::driver::toolchain::nvcc(&|name| std::env::var_os(name)).ok()?;
    Some(nvcc.home.into_os_string())
}

/// Builds the objects in a folder and links them.
fn build(device: Device, folder: &Folder) -> std::path::PathBuf {
    let compilers = Compilers::find(Some(device), &[Arch(90)], &variables).unwrap();
    let runtime = runtime_library::ready(&compilers, &variables).unwrap();
    let translation = Translation {
        shown: None,
        host: HOST.into(),
        kernels: KERNELS.into(),
        sharing: accrs::back::Sharing::default(),
        own_kernels: Vec::new(),
        defines_main: true,
        has_device_code: true,
        unassigned: Vec::new(),
    };
    let unit = Unit {
        source: Path::new("dot.c"),
        name: "dot",
        folder: folder.path(),
    };
    let objects = build::compile(
        unit,
        &translation,
        &UnitFlags::default(),
        &compilers,
        &runtime,
    )
    .unwrap();
    let program = folder.file("program");
    let mut link = compilers.linker();
    link.arg("-o")
        .arg(&program)
        .args(objects.host)
        .args([objects.kernels, runtime.archive()]);
    assert!(link.args(compilers.libraries()).status().unwrap().success());
    program
}

#[test]
fn emulated_program_runs() {
    let folder = Folder::new();
    let program = build(Device::Emulated, &folder);
    assert_eq!(folder.run(program.to_str().unwrap(), &[]), RESULT);
}

#[test]
fn gpu_program_links() {
    // It runs only where there is a GPU; every machine with nvcc builds it.
    let folder = Folder::new();
    assert!(build(Device::Gpu, &folder).is_file());
}

/// What `translate` leaves in a folder.
fn translated() -> Folder {
    let folder = Folder::new();
    folder.write("a dot.acc.c", HOST);
    folder.write("a dot.acc.cu", KERNELS);
    for (name, contents) in runtime_library::files() {
        folder.write(
            &format!("accrs_runtime/{name}"),
            std::str::from_utf8(contents).unwrap(),
        );
    }
    let unit = makefile::Unit {
        name: "a dot".into(),
        preprocessor: vec!["-DUNUSED=a b".into()],
        has_kernels: true,
    };
    let text = makefile::render(
        "a dot",
        makefile::Kind::Program,
        &["a dot.c".into()],
        &[unit],
        false,
        makefile::Target {
            archs: &[Arch(90)],
            nvcc_flags: &[],
            multicore: false,
        },
    );
    let text = text.unwrap();
    folder.write("a dot.acc.mk", &text);
    folder
}

#[test]
fn makefile_builds_for_the_emulation() {
    let folder = translated();
    folder.make_emulated(".", "a dot.acc.mk", None);
    assert_eq!(folder.run("./a dot", &[]), RESULT);
    let again = folder.run("make", &["-f", "a dot.acc.mk", "DEVICE=emulated"]);
    assert!(again.contains("up to date"), "{again}");
    folder.run("make", &["-f", "a dot.acc.mk", "clean"]);
    assert!(!folder.file("a dot").exists());
}

#[test]
fn makefile_builds_for_a_gpu() {
    let folder = translated();
    let nvcc = Path::new(&installed_toolkit().unwrap()).join("bin/nvcc");
    let nvcc = format!("NVCC={}", nvcc.display());
    folder.run("make", &["-j2", "-f", "a dot.acc.mk", &nvcc]);
    assert!(folder.file("a dot").is_file());
}
