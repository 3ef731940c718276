//! What an installation has without a checkout: `accrs-cc`, manual pages, completions, benchmarks;
//! that packages name what there is.

use std::path::Path;

use crate::{Folder, accrs, text};

const PROGRAM: &str = "\
#include <stdio.h>
int main(void)
{
    int a[8];
    #pragma acc parallel loop copyout(a)
    for (int i = 0; i < 8; i++)
        a[i] = 3 * i;
    printf(\"%d\\n\", a[7]);
    return 0;
}
";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn the_compiler_in_one_word() {
    let folder = Folder::with(&[("main.c", PROGRAM)]);
    let compiler = env!("CARGO_BIN_EXE_accrs-cc");
    folder.run(compiler, &["-o", "main", "main.c"]);
    assert_eq!(folder.run("./main", &[]), "21\n");
    let help = folder.run(compiler, &["--help"]);
    assert!(help.contains("--feedback"), "{help}");
    // Alone it says what it needs.
    let alone = folder.file("accrs-cc");
    std::fs::copy(compiler, &alone).unwrap();
    let output = folder.command(alone).env("PATH", "").output().unwrap();
    assert_eq!(output.status.code(), Some(127));
    assert!(
        text(&output).starts_with("accrs-cc: cannot run `accrs`: "),
        "{}",
        text(&output)
    );
}

#[test]
fn setup_completes_an_installation() {
    let folder = Folder::new();
    // As it may be without accrs-cc.
    let own = folder.file("bin/accrs");
    std::fs::create_dir(folder.file("bin")).unwrap();
    if std::fs::hard_link(accrs(), &own).is_err() {
        std::fs::copy(accrs(), &own).unwrap();
    }
    let setup = |home: &str| {
        let mut command = folder.command(&own);
        command.arg("setup").env("HOME", folder.file(home));
        command.output().unwrap()
    };
    let output = setup("home");
    assert!(output.status.success(), "{}", text(&output));
    let link = folder.file("bin/accrs-cc");
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("accrs"));
    let share = "home/.local/share";
    assert!(
        folder
            .names_in(&format!("{share}/man/man1"))
            .contains(&"accrs-setup.1".to_owned())
    );
    for (script, first) in [
        ("bash-completion/completions/accrs", "_accrs() {"),
        ("zsh/site-functions/_accrs", "#compdef accrs"),
        ("fish/vendor_completions.d/accrs.fish", ""),
    ] {
        let written = folder.read(&format!("{share}/{script}"));
        assert!(written.starts_with(first), "{script}: {written:.80}");
        assert!(text(&output).contains(script), "{}", text(&output));
    }
    // Once more over its own files; nothing over those of others.
    assert!(setup("home").status.success());
    folder.write("other/.local/share/zsh/site-functions/_accrs", "mine");
    let output = setup("other");
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
    assert_eq!(folder.names_in("other/.local/share"), ["zsh"]);
    // Packages name these files.
    folder.succeed("setup --prefix package");
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let assets = manifest["package"]["metadata"]["deb"]["assets"].as_array();
    let sources = assets
        .unwrap()
        .iter()
        .map(|asset| asset[0].as_str().unwrap());
    let mut made = 0;
    for source in sources {
        match source.strip_prefix("target/package/") {
            Some(name) => {
                let name = name.trim_end_matches("/*");
                assert!(folder.file("package").join(name).exists(), "{source}");
                made += 1;
            }
            None => {
                assert!(source.starts_with("target/release/accrs") || root().join(source).is_file())
            }
        }
    }
    assert_eq!(made, 4);
}

#[test]
fn benchmarks_come_along() {
    let folder = Folder::new();
    let said = folder.succeed("bench dyadic --forms acc");
    assert!(
        said.contains("dyadic: ") && said.contains("equal"),
        "{said}"
    );
    let output = folder.accrs("bench no-such-program");
    assert!(
        text(&output).contains("no benchmark `no-such-program` in "),
        "{}",
        text(&output)
    );
    assert!(folder.names().is_empty());
}

/// NVIDIA's packages that accrs is tested with, by the script and by the extra of the wheel.
#[test]
fn both_ways_to_nvcc_are_of_one_version() {
    let script = read("tools/install-nvcc.sh");
    let version = script
        .lines()
        .find_map(|line| line.strip_prefix("version="));
    let script = script.replace("$version", version.unwrap());
    let pinned = |text: &str| {
        let name = regex::Regex::new(r"nvidia-[a-z-]+==[0-9.]+").unwrap();
        let found = name.find_iter(text).map(|found| found.as_str().to_owned());
        found.collect::<std::collections::BTreeSet<_>>()
    };
    let of_wheel = pinned(&read("pyproject.toml"));
    assert_eq!(of_wheel.len(), 7, "{of_wheel:?}");
    assert_eq!(of_wheel, pinned(&script));
}

#[test]
fn tests_on_a_gpu_need_one() {
    let folder = Folder::with(&[("bin/nvidia-smi", "#!/bin/sh\nexit 9\n")]);
    folder.run("chmod", &["+x", "bin/nvidia-smi"]);
    let path = std::env::var("PATH").unwrap();
    let mut script = folder.command(root().join("tools/on-gpu"));
    script.env("PATH", format!("{}:{path}", folder.file("bin").display()));
    let output = script.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(
        said.starts_with("tools/on-gpu: no NVIDIA GPU answers"),
        "{said}"
    );
}
