//! `accrs report`: its structure, links, escaping, and which lines belong together.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{Folder, text};

/// A window with a halo, and text that would end or open elements.
const PROGRAM: &str = r#"/* </script><b>&amp; "'` ä 字 */
void blur(int n, const float *restrict a, float *restrict b)
{
    #pragma acc parallel loop vector_length(32) copyin(a[0:n]) copyout(b[0:n])
    for (int i = 1; i < n - 1; i++) {
        #pragma acc fcw FETCH_ONLY(a[i:1:1])
        b[i] = a[i - 1] < a[i + 1] ? a[i] : 0;
    }
}
"#;

/// The line that computes.
const STATEMENT: usize = 7;

/// Elements without an end.
const EMPTY: [&str; 4] = ["meta", "!DOCTYPE", "rect", "line"];

/// A page of `blur.c`.
fn page(folder: &Folder, options: &str) -> String {
    folder.succeed(&format!("report {options} -o page.html blur.c"));
    folder.read("page.html")
}

fn blur() -> Folder {
    Folder::with(&[("blur.c", PROGRAM)])
}

/// What stands between elements.
fn unescaped(text: &str) -> String {
    let plain = Regex::new("<[^>]*>")
        .unwrap()
        .replace_all(text, "")
        .into_owned();
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#x60;", "`"),
    ];
    let names = names.into_iter().chain([("&#x3D;", "="), ("&amp;", "&")]);
    names.fold(plain, |text, (name, character)| {
        text.replace(name, character)
    })
}

/// The rows of a side, by its letter: number, target of its link, line of the source, text.
fn rows(page: &str, side: char) -> Vec<(usize, String, String, String)> {
    let row = format!(
        r##"<div class="row [a-z]+" id="f1-{side}(\d+)"(?: data-at="(\d+)")?>(?:<a class="number" href="#([^"]+)">|<span class="number">)\d+</(?:a|span)><code>(.*)</code></div>"##
    );
    let found = Regex::new(&row).unwrap();
    let part = |of: Option<regex::Match>| of.map_or("", |part| part.as_str()).to_owned();
    let rows = found.captures_iter(page).map(|row| {
        let number = row[1].parse().unwrap();
        (
            number,
            part(row.get(3)),
            part(row.get(2)),
            unescaped(&row[4]),
        )
    });
    rows.collect()
}

/// Each element is closed in turn, each id is there once, each link has its id, and nothing is
/// asked of anywhere else.
pub fn check_structure(page: &str, least: usize) {
    let body = Regex::new("(?s)<(style|script)>.*?</(style|script)>|<!--.*?-->").unwrap();
    let body = body.replace_all(page, "");
    let mut open = Vec::new();
    for element in Regex::new(r"<(/?)([!a-zA-Z0-9]+)[^>]*?(/?)>")
        .unwrap()
        .captures_iter(&body)
    {
        let name = element[2].to_owned();
        match (&element[1], EMPTY.contains(&name.as_str())) {
            (_, true) => {}
            ("/", false) => assert_eq!(open.pop(), Some(name)),
            _ => open.push(name),
        }
    }
    assert_eq!(open, [""; 0]);
    let values = |attribute: &str| -> Vec<String> {
        let found = Regex::new(&format!(r#" {attribute}="([^"]*)""#)).unwrap();
        found
            .captures_iter(&body)
            .map(|value| value[1].to_owned())
            .collect()
    };
    let ids = values("id");
    let known: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(known.len(), ids.len(), "an id is there twice");
    let links = values("href").into_iter().chain(
        values("aria-labelledby")
            .into_iter()
            .map(|id| format!("#{id}")),
    );
    let mut count = 0;
    for link in links {
        let id = link.strip_prefix('#').map(str::to_owned);
        let is_known = id.is_some_and(|id| known.contains(&id));
        assert!(is_known, "{link} leads out of the page, or nowhere");
        count += 1;
    }
    assert!(count >= least, "only {count} links");
    for outside in [
        "http:", "https:", "url(", "@import", " src=", "<link", "fetch(", "import(",
    ] {
        assert!(!page.contains(outside), "the page has {outside}");
    }
}

#[test]
fn pages_are_whole_and_alone() {
    let folder = blur();
    let first = page(&folder, "");
    check_structure(&first, 20);
    assert_eq!(
        page(&folder, ""),
        first,
        "a second page replaces the first and is the same"
    );
}

#[test]
fn text_of_the_user_is_text() {
    let name = "a<b>&'.c";
    let folder = Folder::with(&[(name, PROGRAM)]);
    folder.succeed(&format!("report -o page.html {name}"));
    let page = folder.read("page.html");
    check_structure(&page, 20);
    assert_eq!(page.matches("</script>").count(), 1);
    assert!(!page.contains("<b>"));
    let source: Vec<String> = rows(&page, 's').into_iter().map(|row| row.3).collect();
    assert_eq!(source, PROGRAM.lines().collect::<Vec<_>>());
}

#[test]
fn lines_lead_to_their_counterparts() {
    let folder = blur();
    let page = page(&folder, "");
    let (source, kernels) = (rows(&page, 's'), rows(&page, 'k'));
    // Recording lines does not change what is generated.
    folder.succeed("translate blur.c -o out");
    let generated = folder.read("out/blur.acc.cu");
    let shown: Vec<&str> = kernels.iter().map(|row| row.3.as_str()).collect();
    assert_eq!(shown, generated.lines().collect::<Vec<_>>());
    let of = |part: &str| -> BTreeSet<usize> {
        let found = kernels.iter().filter(|row| row.3.contains(part));
        found.map(|row| row.2.parse().unwrap_or(0)).collect()
    };
    assert_eq!(of("b[i] = "), BTreeSet::from([STATEMENT]));
    assert_eq!(of("a_window[slot_x] = a[index]"), BTreeSet::from([6]));
    assert_eq!(of("const int i = "), BTreeSet::from([5]));
    assert_eq!(of("__global__"), BTreeSet::from([4]));
    assert_eq!(of("blur_kernel<<<"), BTreeSet::from([4]));
    assert_eq!(of("namespace"), BTreeSet::from([0]));
    // A line leads to the first of its lines, and each of these leads back.
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for (number, to, at, _) in kernels.iter().filter(|row| !row.2.is_empty()) {
        assert_eq!(*to, format!("f1-s{at}"));
        first.entry(at.clone()).or_insert(*number);
    }
    for (number, to, at, _) in &source {
        let expected = first.get(&number.to_string());
        assert_eq!(
            *to,
            expected.map_or_else(String::new, |row| format!("f1-k{row}"))
        );
        assert_eq!(
            *at,
            if to.is_empty() {
                String::new()
            } else {
                number.to_string()
            }
        );
    }
    assert!(first.len() >= 4);
}

#[test]
fn windows_are_drawn_and_feedback_is_beside_its_line() {
    let page = page(&blur(), "");
    for title in [
        "slot [0], filled by thread 0, halo",
        "slot [1], filled by thread 1, pivot of thread 0",
        "slot [33], filled by thread 1, halo",
    ] {
        assert!(page.contains(title), "{title}");
    }
    let line = page.split(r#"id="f1-s5""#).nth(1).unwrap();
    let own = unescaped(line.split(r#"id="f1-s6""#).next().unwrap());
    assert!(own.contains("loop over i is gang vector"), "{own}");
}

#[test]
fn figures_are_beside_their_lines() {
    let folder = blur();
    folder.write(
        "counts.json",
        r#"[{"name": "blur_acc::blur_kernel", "launches": 2, "blocks": 8, "threads": 256, "barriers": 8,
            "accesses": [{"file": "/elsewhere/blur.c", "line": 7, "access": "write", "space": "device", "array": "b",
              "bytes": 4, "full": {"requests": 6, "accesses": 192, "transactions": 9, "sectors": 30},
              "partial": {"requests": 2, "accesses": 3, "transactions": 3, "sectors": 3}}]}]"#,
    );
    folder.write(
        "profile.json",
        r#"[{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"emulated device 0, not a GPU"}},
            {"name":"blur_kernel","cat":"launch","ph":"X","ts":1,"dur":12.5,"pid":1,"tid":0,"args":{"place":"blur.c:4"}}]"#,
    );
    let page = page(&folder, "--counts=counts.json --profile profile.json");
    check_structure(&page, 20);
    let shown = unescaped(&page);
    for expected in [
        "writes b: 8 requests, 12 transactions, 1.50 a request",
        "100 % of this file's device transactions",
        "blur_kernel: 2 launches, 8 blocks, 256 threads, 8 barriers",
        "launch blur_kernel: 1 time, 12.5 µs",
        "Transactions are not time",
        "Times: emulated device 0, not a GPU.",
    ] {
        assert!(shown.contains(expected), "{expected}");
    }
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = blur();
    folder.write("mine.html", "mine");
    folder.write("broken.json", "{");
    for (line, said) in [
        ("report blur.c -o blur.c", "it is an input"),
        ("report blur.c -o mine.html", "was not written by accrs"),
        (
            "report blur.c --counts=broken.json -o page.html",
            "`broken.json` has no counts",
        ),
        (
            "report blur.c --profile none.json -o page.html",
            "`none.json` has no profile",
        ),
    ] {
        let output = folder.accrs(line);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output));
        assert!(text(&output).contains(said), "{line}: {}", text(&output));
        assert!(!folder.names().contains(&"page.html".to_owned()), "{line}");
    }
    assert_eq!(folder.read("blur.c"), PROGRAM);
}
