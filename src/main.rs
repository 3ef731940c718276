//! accrs
fn main() {}
