//! The IR as stable text (`--emit ir`).
