//! A line more above moves places in comments and in calls of the runtime, and nothing else.

use std::path::Path;

use crate::{Folder, names};

/// Groups of fixtures with many kernels, of which several are in one function.
const GROUPS: &[&str] = &["kernels", "mapping", "windows"];

#[test]
fn a_line_above_changes_comments_and_line_arguments_only() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut numbered = 0;
    for group in GROUPS {
        let group = fixtures.join(group);
        for name in names(&group).iter().filter(|name| is_fixture(name)) {
            let text = std::fs::read_to_string(group.join(name)).unwrap();
            let options = options(&text);
            let folder = Folder::with(&[
                ("here/unit.c", &text),
                ("below/unit.c", &format!("\n{text}")),
            ]);
            for place in ["here", "below"] {
                folder.succeed(&format!("translate {options} {place}/unit.c -o {place}"));
            }
            let kernels = folder.read("here/unit.acc.cu");
            numbered += kernels.matches("_kernel2(").count();
            assert_eq!(
                moved(&kernels),
                folder.read("below/unit.acc.cu"),
                "{name}: kernels"
            );
            let host = folder.read("below/unit.acc.c");
            let first = text.lines().next().unwrap();
            let host = host.replacen(&format!("\n{first}"), first, 1);
            assert_eq!(moved(&folder.read("here/unit.acc.c")), host, "{name}: host");
        }
    }
    assert!(numbered > 0, "no function has two kernels");
}

fn is_fixture(name: &str) -> bool {
    name.ends_with(".c") && !name.ends_with(".oracle.c")
}

/// What the fixture says of options and flags.
fn options(text: &str) -> String {
    let header = text.lines().take_while(|line| line.starts_with("//"));
    let said = header.filter_map(|line| {
        let options = line.strip_prefix("// options:");
        options.or_else(|| line.strip_prefix("// flags:"))
    });
    said.collect::<Vec<_>>().join(" ")
}

/// A text with every `unit.c:N` and `"unit.c", N` a line further down.
fn moved(text: &str) -> String {
    let place = regex::Regex::new(r#"(unit\.c(?::|", ))(\d+)"#).unwrap();
    let next = |found: &regex::Captures| {
        let line: u32 = found[2].parse().unwrap();
        format!("{}{}", &found[1], line + 1)
    };
    place.replace_all(text, next).into_owned()
}
