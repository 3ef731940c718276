//! Ways out of findings in CUDA that a person wrote.
//!
//! Input: a finding. Output: what to do about it in words of CUDA, where the way out in words of
//! directives ([`describe`](super::describe), [`movement`](super::movement)) is none.

use super::finding::{Finding, Kind};

/// The way out in CUDA; none where it is the same in all languages.
pub(super) fn way_out(finding: &Finding) -> Option<&'static str> {
    let is_one_block = finding.block == finding.other_block;
    match finding.kind {
        // Stores of one value, and slots of shared memory.
        Kind::Race if !finding.note.is_empty() => None,
        Kind::Race if finding.space == "shared" => {
            Some("`__syncthreads()` must lie between the two accesses")
        }
        Kind::Race if is_one_block => {
            Some("`__syncthreads()` must lie between the two accesses, or both be atomic functions")
        }
        Kind::Race => Some(
            "nothing orders the blocks of a launch: make the accesses atomic functions, or two launches",
        ),
        Kind::Uninitialised if finding.space != "shared" => {
            Some("a kernel, or a copy to the device, must write it before")
        }
        Kind::Outside => Some("keep the index within what was allocated, or allocate more"),
        Kind::Host => Some(
            "give the kernel memory of the device, or managed memory, and copy there what it reads",
        ),
        Kind::NoValue => {
            Some("a kernel, or a copy to the device, must write it before it is copied to the host")
        }
        _ => None,
    }
}
