//! What must hold for every module, checked after every pass in tests.
