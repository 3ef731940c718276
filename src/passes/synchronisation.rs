//! Barriers and sections of one thread.
