//! cc
/// main
pub fn main(_arguments: &[std::ffi::OsString]) -> u8 {
    2
}
