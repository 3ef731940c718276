//! Files that the binary carries: the runtime's sources, the pages of
//! `accrs explain`, the programs of `accrs bench`, and the script that installs nvcc. The tables
//! are written by `build.rs`.

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// Installs nvcc into the cache.
pub const INSTALL_NVCC: &str = include_str!("../../tools/install-nvcc.sh");

/// The text of the explanation of a code such as `A0401`.
pub fn explanation(code: &str) -> Option<&'static str> {
    let name = format!("{code}.md");
    let index = EXPLAIN
        .binary_search_by(|(file, _)| (*file).cmp(name.as_str()))
        .ok()?;
    std::str::from_utf8(EXPLAIN[index].1).ok()
}
