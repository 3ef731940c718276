//! `tools/mutate-clauses` on one small program: it makes the mutants that it should, and none survives.

use super::{Folder, accrs, text};

#[test]
fn no_changed_clause_goes_unnoticed() {
    let folder = Folder::with(&[("smooth.c", include_str!("mutants/smooth.c"))]);
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/mutate-clauses");
    let mut command = folder.command(tool);
    command.arg("--accrs").arg(accrs());
    let output = command
        .args(["--table", "table.md", "smooth.c"])
        .output()
        .unwrap();
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    for expected in [
        "a[0:N] dropped from copyin | stopped",
        "a[0:N] one shorter in copyin | found | A0724",
        "copyout for copyin(a[0:N]) | found | A0723",
        "copyin for copyout(b[0:N]) | found | A0728",
        "update dropped | found | A0728",
        "wait dropped | found | A0730",
    ] {
        assert!(said.contains(expected), "no {expected}:\n{said}");
    }
    assert!(
        folder.read("table.md").contains("0 of 11 survive"),
        "{said}"
    );
}
