//! The tables as a page: `docs/conformance.md`.

mod callbacks;
mod routines;
mod version;

use super::table::{CLAUSES, ClauseRow, DIRECTIVES, Form, Support};
use crate::diagnostic::codes;

/// What the tables cannot say: parts of accepted constructs that are refused.
const DETAILS: &[(&str, &str)] = &[
    (
        "constructs in included files, read in place of their `#include` lines; else A0109",
        "",
    ),
    (
        "one variable in several data clauses: as the clause that does all they ask for, A0405 warns",
        "",
    ),
    (
        "`reduction` of scalars, all operators; `-` as `+`, A0406 warns",
        "",
    ),
    (
        "`reduction` of integer elements on loops over gangs, with `+ & | ^`: updates are atomic",
        "",
    ),
    (
        "`reduction` of elements, members, arrays and sections within each gang, in functions as well: each thread has a copy; of a length that only the device knows one thread runs the loop, A0426 warns",
        "",
    ),
    (
        "`reduction` of complex variables, of arrays and parts of them, behind pointers as well, on constructs and on loops over gangs: each thread has a copy",
        "",
    ),
    (
        "`reduction` of structs, member by member, nested ones and arrays of them; no bit-fields",
        "",
    ),
    (
        "`reduction` of members by all gangs, of structs that the construct uses by their members: a variable stands for each",
        "",
    ),
    (
        "scalars that a loop only updates, without the clause: as with it, A0424 notes",
        "",
    ),
    (
        "`reduction` by all gangs of elements of members, and of members of structs that are used as a whole, but integers; of rows behind pointers (`T **`)",
        "2.9.11",
    ),
    (
        "`private` arrays, of known and of variable length, and sections behind pointers",
        "",
    ),
    (
        "`private` sections of rows behind pointers, and sections in device functions",
        "2.9.10",
    ),
    (
        "`firstprivate` scalars, structs, arrays and sections behind pointers",
        "",
    ),
    (
        "`firstprivate` pointers without a section: the address itself; A0416 warns where it is the host's",
        "",
    ),
    (
        "arrays of variable length declared in regions, if the host can compute the length or \
         the array is one thread's own; else A0505",
        "",
    ),
    (
        "arrays of variable length declared in functions on the device, in its heap: one \
         thread's own; else A0505",
        "",
    ),
    (
        "sections of arrays, pointers, pointers to arrays, variable length arrays",
        "",
    ),
    ("sections through pointers to pointers, at any depth", ""),
    ("members of structs in data clauses, attached", ""),
    ("`update` of sections that are not contiguous", ""),
    (
        "the modifiers `zero`, `readonly`, `always`, `alwaysin`, `alwaysout`, `capture`",
        "",
    ),
    (
        "`collapse(force:)`; with code between the loops the inner ones are not collapsed",
        "",
    ),
    (
        "sequential loops and branches of `kernels` around parallel loops, on elements of arrays as well: a sequence of launches",
        "",
    ),
    (
        "`tile`; its sizes are those of blocks, as far as these have room, and what a tile reads is in shared memory where the footprint is proved",
        "",
    ),
    ("`gang(static:)`; iterations go to gangs in turn", ""),
    (
        "`gang(dim:)`, `num_gangs` in several dimensions, whose gangs are counted in one row",
        "",
    ),
    (
        "loops that count with pointers, to bounds over the same array or pointer, to pointers of the construct, to any pointer of the host that the construct does not change, and to pointers in memory, as the device has them",
        "",
    ),
    (
        "inner loops under `collapse` that count with a pointer declared outside of them",
        "2.9",
    ),
    (
        "`creal`, `cimag`, `conj`, `cabs`, `carg`, `cexp` and their `float` forms in kernels",
        "",
    ),
    (
        "functions of the same file, `routine` or not, recursion",
        "",
    ),
    (
        "`worker` and `vector` routines; the workers and lanes of the calling gang share their loops",
        "",
    ),
    (
        "routines called where the threads of their level are not free: each thread runs them alone, A0414 warns; those of other files are refused",
        "",
    ),
    (
        "`worker` and `vector` routines that call themselves",
        "2.15.1",
    ),
    (
        "`gang` routines with loops: their kernels have one gang, whose threads share the loops",
        "",
    ),
    (
        "routines of other files, of all levels, in objects and archives; link with `accrs cc`",
        "",
    ),
    (
        "`bind` to functions of the file and of others, by name and by string",
        "",
    ),
    (
        "global variables in device functions, if `const` with a value or in a `declare` that the file sees",
        "",
    ),
    (
        "following pointers that lie in memory (in structs, `T **`)",
        "",
    ),
    (
        "`declare` outside of functions, of scalars, arrays, structs and pointers, `extern` ones and arrays of unknown length among them; the copies of declared pointers are attached by data clauses with what they point to",
        "",
    ),
    (
        "`declare link`, in device functions null while it is not present; `link` of pointers as `create`",
        "",
    ),
    (
        "pointers without clauses: their target must be present, or is copied from the first to the last element that the construct uses, where all subscripts are affine over the nest and those always executed reach farthest; else the error at run time says what is not known",
        "",
    ),
    (
        "`parallel` and `serial` that move a pointer of the host: each gang has its own",
        "",
    ),
    (
        "`kernels` that move a pointer of the host, and combined constructs whose loops do",
        "2.6.2",
    ),
    (
        "`static const` variables declared in regions and routines",
        "",
    ),
    ("other `static` variables declared in regions", "2.6.2"),
    (
        "directives in statement expressions of the host, but for those in arguments of calls: A0603",
        "",
    ),
    (
        "`cache` of sections and elements, with and without `readonly`, in loops and in functions",
        "",
    ),
];

/// Where emulation and GPU differ.
const APART: &[(&str, &str, &str)] = &[
    (
        "`long double` in kernels; `--long-double=host` lets the host run them",
        "accepted",
        "refused: A0425, there is none on a GPU",
    ),
    (
        "`atomic` on complex numbers, but for sums without `capture`",
        "refused: A0423",
        "refused: A0423",
    ),
];

/// The page as Markdown.
pub fn page() -> String {
    let refused = codes::NOT_SUPPORTED_YET.0;
    let mut out = String::from(
        "# OpenACC 3.3 in accrs\n\n\
         What is accepted, and what is refused with which code, on the emulation and on a GPU.\n\
         Nothing is ignored: a construct that is not built is an error at its place, and what is\n\
         taken in another way than the standard says is warned of. The tables are checked against\n\
         the code; all that is accepted runs on the emulation and is compiled for GPUs in the tests.\n\n",
    );
    out.push_str("| directive | section | emulation | GPU |\n|---|---|---|---|\n");
    for row in DIRECTIVES.iter().filter(|row| !row.section.is_empty()) {
        let (name, state) = (row.name, state(row.support, refused));
        out.push_str(&format!(
            "| `{name}` | {} | {state} | {state} |\n",
            row.section
        ));
    }
    out.push_str("\n| clause | on | emulation | GPU |\n|---|---|---|---|\n");
    for row in CLAUSES.iter().filter(|row| !is_own(row)) {
        let on: Vec<&str> = row
            .on
            .iter()
            .filter(|kind| row.support == Support::NotYet || kind.row().support == Support::Built)
            .map(|kind| kind.name())
            .collect();
        let state = state(row.support, refused);
        out.push_str(&format!(
            "| {} | {} | {state} | {state} |\n",
            spellings(row),
            on.join(", ")
        ));
    }
    out.push_str("\n| detail | emulation | GPU |\n|---|---|---|\n");
    for (what, section) in DETAILS {
        let state = if section.is_empty() {
            "accepted".to_string()
        } else {
            format!("refused: {refused} (section {section})")
        };
        out.push_str(&format!("| {what} | {state} | {state} |\n"));
    }
    for (what, emulation, gpu) in APART {
        out.push_str(&format!("| {what} | {emulation} | {gpu} |\n"));
    }
    out.push_str(&routines::table());
    out.push_str(&callbacks::table());
    out.push_str(&version::table());
    out.push_str(&own(refused));
    out
}

/// The directives that the standard does not have.
fn own(refused: &str) -> String {
    let mut out = String::from(
        "\n## Beyond the standard\n\n\
         Windows of arrays in shared memory, described in [fcw.md](fcw.md).\n\n\
         | directive | clauses | |\n|---|---|---|\n",
    );
    for row in DIRECTIVES.iter().filter(|row| row.section.is_empty()) {
        let clauses: Vec<String> = CLAUSES
            .iter()
            .filter(|clause| clause.on.contains(&row.kind))
            .map(spellings)
            .collect();
        out.push_str(&format!(
            "| `{}` | {} | {} |\n",
            row.name,
            clauses.join(", "),
            state(row.support, refused)
        ));
    }
    out
}

/// Whether a clause stands on such directives only.
fn is_own(row: &ClauseRow) -> bool {
    row.on.iter().all(|kind| kind.row().section.is_empty())
}

fn spellings(row: &ClauseRow) -> String {
    let spellings: Vec<String> = row.spellings.iter().map(|s| spelled(s, row.form)).collect();
    spellings.join(", ")
}

fn state(support: Support, refused: &str) -> String {
    match support {
        Support::Built => "accepted".into(),
        Support::NotYet => format!("refused: {refused}"),
    }
}

fn spelled(name: &str, form: Form) -> String {
    let argument = match form {
        Form::Bare => "",
        Form::Expression => "(expression)",
        Form::Optional => "[(expression)]",
        Form::Sizes => "[(size)]",
        Form::Tile => "(sizes)",
        Form::Queues => "[([devnum: n:] [queues:] list)]",
        Form::Name => "(name)",
        Form::DeviceTypes => "(types)",
        Form::Variables => "(list)",
        Form::Windows => "(windows)",
        Form::Reduction => "(operator: list)",
        Form::Keyword => "(none \\| present)",
    };
    format!("`{name}{argument}`")
}

#[cfg(test)]
mod tests {
    /// `ACCRS_BLESS=1 cargo test conformance` writes the page.
    #[test]
    fn the_page_is_that_of_the_tables() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/conformance.md");
        let page = super::page();
        if std::env::var_os("ACCRS_BLESS").is_some() {
            std::fs::write(path, &page).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), page);
    }
}
