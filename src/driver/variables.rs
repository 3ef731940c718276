//! The variables of the environment.

use std::ffi::OsString;

/// Where variables are read from: the process, or a table in tests.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The variables of this process.
pub fn process_variables(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
