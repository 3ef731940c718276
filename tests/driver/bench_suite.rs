//! `accrs bench --suite`: the programs of a suite in the same tables.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::bench::{DESCRIPTION, FCW, PLAIN, counted, with};
use super::{Folder, text};

/// A program that is `s+ms` of a suite, one of the same suite with its own name, and one of none.
fn programs() -> Folder {
    let folder = Folder::new();
    let serial = PLAIN.replace("#pragma", "//");
    for (name, suite, forms) in [
        ("sums", "suite.tiny = \"s+ms\"\n", 3),
        ("more", "suite.tiny = \"more\"\n", 2),
        ("other", "", 2),
    ] {
        let all = [("", PLAIN), ("_serial", &serial), ("_fcw", FCW)];
        with(&folder, name, &all[..forms]);
        let described = DESCRIPTION.replacen("[[run]]", &format!("{suite}[[run]]"), 1);
        folder.write(&format!("{name}/bench.toml"), &described);
    }
    folder.write(
        "suites.toml",
        "[tiny]\ntitle = \"Tiny 1.0\"\n[tiny.absent]\nlarge = \"no room\"\n",
    );
    folder
}

/// The words of the line that begins with a word, behind a heading.
fn row<'t>(text: &'t str, heading: &str, first: &str) -> Vec<&'t str> {
    let behind = &text[text.find(heading).unwrap()..];
    let mut lines = behind.lines().map(|line| line.trim_matches(['|', ' ']));
    let line = lines.find(|line| line.starts_with(first));
    let words = line.unwrap().split([' ', '|']);
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn a_suite_is_one_table_and_a_chart() {
    let folder = programs();
    let said =
        folder.succeed("bench --suite tiny --folder . --device emulated --json f.json --report r");
    let page = folder.read("r/report.md");
    let figures: Value = serde_json::from_str(&folder.read("f.json")).unwrap();
    let names = ["more", "sums"].map(Value::from);
    let programs = figures["programs"].as_array().unwrap();
    assert!(programs.iter().map(|one| &one["name"]).eq(&names), "{said}");
    assert_eq!(figures["suite"]["absent"]["large"], "no room");
    assert_eq!(figures["suite"]["programs"]["sums"], "s+ms");

    let of_sums = programs[1]["forms"].as_array().unwrap();
    let count = |what: fn(&Value) -> &Value| -> Vec<String> {
        let counts = of_sums.iter().map(|form| &form["sizes"][0]["counts"]);
        counts.map(|counts| what(counts).to_string()).collect()
    };
    for (title, expected) in [
        (
            "Transactions of device memory",
            count(|counts| &counts["device"]["transactions"]),
        ),
        ("Launches", count(|counts| &counts["launches"])),
        (
            "Shared-memory wavefronts",
            count(|counts| &counts["shared"]["transactions"]),
        ),
        ("Executed barriers", count(|counts| &counts["barriers"])),
        ("Lines of code", vec!["15".to_owned(), "17".to_owned()]),
    ] {
        let lowered = format!("Tiny 1.0: {}{}", title[..1].to_lowercase(), &title[1..]);
        let short = row(&said, &lowered, "s+ms (sums)");
        let long = row(&page, &format!("## {title}"), "s+ms (sums)");
        assert_eq!(short[2..], expected, "{title}: {said}");
        assert_eq!(long[2], "1000", "{page}");
        assert_eq!(long[3..], expected, "{title}: {page}");
        assert_eq!(row(&said, &lowered, "program")[1..], ["acc", "fcw"]);
        // It has no fcw form.
        assert_eq!(row(&said, &lowered, "more").len(), 2, "{said}");
    }
    assert!(said.contains("large: no room\n"), "{said}");
    assert_eq!(row(&page, "## ", "large"), ["large", "no", "room"]);
    assert_eq!(page.matches("no room").count(), 1, "{page}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    assert_eq!(
        folder.names_in("r"),
        ["report.json", "report.md", "suite.svg"]
    );
    let chart = folder.read("r/suite.svg");
    check_bars(&chart, of_sums);
    assert!(page.contains("](suite.svg)"), "{page}");
    assert!(
        chart.contains(">Tiny 1.0<") && chart.contains("(sums)<"),
        "{chart}"
    );
}

/// One bar, of the `fcw` form, as long against the line of the plain form as its transactions.
fn check_bars(chart: &str, forms: &[Value]) {
    let transactions = |form: &Value| {
        form["sizes"][0]["counts"]["device"]["transactions"]
            .as_f64()
            .unwrap()
    };
    let ratio = transactions(&forms[1]) / transactions(&forms[0]);
    let number = |line: &str, name: &str| -> f64 {
        let begin = line.find(&format!(" {name}=\"")).unwrap() + name.len() + 3;
        line[begin..].split('"').next().unwrap().parse().unwrap()
    };
    let bars: Vec<&str> = chart
        .lines()
        .filter(|line| line.starts_with("<rect class=\"form") && !line.contains("height=\"11\""))
        .collect();
    assert_eq!(bars.len(), 2, "{chart}");
    let (plain, fcw) = (bars[0], bars[1]);
    let one = number(plain, "x") - number(fcw, "x");
    let length = number(fcw, "width");
    assert!((length - one * ratio).abs() < 0.2, "{length} {one} {ratio}");
    assert!(chart.contains(&format!(">{ratio:.2}<")), "{chart}");
}

#[test]
fn a_suite_that_is_not_known_is_an_error() {
    let folder = programs();
    for (arguments, expected) in [
        ("--suite large", "no program in . is of a suite `large`"),
        ("--suite large", "suites: tiny"),
        ("--suite tiny sums", "cannot be used with"),
        ("--suite tiny --vary", "cannot be used with"),
        ("--suite tiny --machine-code", "cannot be used with"),
    ] {
        let output = folder.accrs(&format!("bench {arguments} --folder . --device emulated"));
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
    folder.write("suites.toml", "[tiny.absent]\n\"s+ms\" = \"no room\"\n");
    let output = folder.accrs("bench --suite tiny --folder . --device emulated");
    assert!(
        text(&output).contains("`s+ms` of tiny is there"),
        "{}",
        text(&output)
    );
    folder.write("suites.toml", "[tiny]\nroom = 1\n");
    let output = folder.accrs("bench --suite tiny --folder . --device emulated");
    let said = text(&output);
    assert!(
        said.contains("suites.toml:2:1: unknown field `room`"),
        "{said}"
    );
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn committed(report: &str) -> Value {
    let path = root().join(format!("benchmarks/results/{report}/report.json"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

const AGAIN: &str =
    "accrs bench --suite rodinia --device emulated --report benchmarks/results/rodinia";

#[test]
fn committed_figures_of_rodinia_are_those_of_the_other_report() {
    let [own, all] = ["rodinia", "emulation"].map(committed);
    let all = all["programs"].as_array().unwrap();
    for program in own["programs"].as_array().unwrap() {
        let name = &program["name"];
        let other = all.iter().find(|other| other["name"] == *name).unwrap();
        let mut other = counted(other);
        let own = counted(program);
        other.retain(|form| own.iter().any(|own| own.0 == form.0));
        assert_eq!(own, other, "{name}: `{AGAIN}` writes them anew");
    }
    // All that are of the suite today, and the list of those that are absent is right.
    let folder = Folder::new();
    let benchmarks = root().join("benchmarks");
    let output = folder.accrs(&format!(
        "bench --suite rodinia --folder {} --sizes none --device emulated",
        benchmarks.display()
    ));
    assert!(
        text(&output).contains("no benchmark has such a form and size"),
        "{}",
        text(&output)
    );
    let programs = benchmarks.read_dir().unwrap().flatten();
    let described =
        programs.filter_map(|entry| std::fs::read_to_string(entry.path().join("bench.toml")).ok());
    assert_eq!(
        described
            .filter(|text| text.contains("\nsuite.rodinia = "))
            .count(),
        own["programs"].as_array().unwrap().len(),
        "`{AGAIN}` writes them anew"
    );
}

#[test]
fn the_page_on_rodinia_has_the_tables_of_the_report() {
    const FIRST: &str = "## Transactions of device memory\n";
    let page = root().join("docs/rodinia.md");
    let written = std::fs::read_to_string(&page).unwrap();
    let report = root().join("benchmarks/results/rodinia/report.md");
    let report = std::fs::read_to_string(report).unwrap();
    let tables = &report[report.find(FIRST).unwrap()..];
    let start = written.find(FIRST).unwrap();
    if std::env::var_os("ACCRS_BLESS").is_some() {
        std::fs::write(&page, format!("{}{tables}", &written[..start])).unwrap();
        return;
    }
    assert_eq!(
        &written[start..],
        tables,
        "`ACCRS_BLESS=1 cargo test --test driver -- bench_suite` puts the report's tables into the page"
    );
}
