//! What is refused, how, and why.

use super::entry::Entry;
use super::tables::{Construct, Effect, Place, Role};

/// How accrs says that it does not take a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// By an error with this code.
    Code(&'static str),
    /// By an error of the runtime library with these words.
    AtRun(&'static str),
}

use Refusal::{AtRun, Code};

/// A pattern of entries that are refused.
pub struct Rule {
    pub refusal: Refusal,
    pub reason: &'static str,
    pub applies: fn(&Entry) -> bool,
}

pub const RULES: &[Rule] = &[
    Rule {
        refusal: Code("A0406"),
        reason: "deviceptr lists pointers (2.7.5)",
        applies: |entry| entry.clause.effect == Effect::DevicePointer && !entry.kind.is_pointer(),
    },
    Rule {
        refusal: Code("A0406"),
        reason: "attach and detach list pointers (2.7.13, 2.7.14)",
        applies: |entry| entry.clause.effect == Effect::Attach && !entry.kind.is_pointer(),
    },
    Rule {
        refusal: Code("A0406"),
        reason: "the address that use_device gives is an array's or a pointer's",
        applies: |entry| entry.construct == Construct::HostData && !entry.is_by_reference(),
    },
    Rule {
        refusal: Code("A0406"),
        reason: "link names global variables (2.13.3)",
        applies: |entry| entry.has_clause("link") && entry.kind.place != Place::File,
    },
    Rule {
        refusal: Code("A0416"),
        reason: "outside of functions declare takes no such clause (2.13)",
        applies: |entry| {
            let clauses = ["copy", "copyout", "present"];
            entry.construct == Construct::Declare
                && entry.kind.place == Place::File
                && clauses.contains(&entry.clause.name)
        },
    },
    Rule {
        refusal: Code("A0409"),
        reason: "unions and structs with bit-fields are no numbers, nor made of such (2.9.11)",
        applies: |entry| {
            entry.clause.effect == Effect::Reduced
                && entry.role == Role::Write
                && (entry.kind.is("bit-field") || entry.kind.is("union"))
        },
    },
    Rule {
        refusal: Code("A0402"),
        reason: "reductions of rows behind pointers and of flexible members are not built",
        applies: |entry| {
            let kinds = ["pointer to pointer", "flexible array holder"];
            entry.clause.effect == Effect::Reduced
                && entry.role == Role::Write
                && kinds.contains(&entry.kind.name)
        },
    },
    Rule {
        refusal: Code("A0406"),
        reason: "the numbers of collapsed loops and the sizes of tiles are constants (2.9.1, 2.9.8)",
        applies: |entry| entry.has_clause("collapse") && entry.is_argument(),
    },
    Rule {
        refusal: Code("A0434"),
        reason: "cache lists elements and sections of arrays (2.10)",
        applies: |entry| entry.construct == Construct::Cache && !entry.is_by_reference(),
    },
    Rule {
        refusal: Code("A0407"),
        reason: "cache lists elements and sections of arrays (2.10)",
        applies: |entry| entry.construct == Construct::Cache && entry.kind.is("array"),
    },
    Rule {
        refusal: Code("A0404"),
        reason: "kernels has no private clause (2.5.3); that of scalars says nothing new",
        applies: |entry| {
            entry.construct == Construct::Kernels
                && entry.clause.effect == Effect::Private
                && !entry.kind.is_scalar()
                && !entry.kind.is_member()
        },
    },
    Rule {
        refusal: Code("A0408"),
        reason: "a private copy is one of a whole variable (2.5.13)",
        applies: |entry| {
            let copies = [Effect::Private, Effect::FirstPrivate];
            entry.kind.is_member() && copies.contains(&entry.clause.effect)
        },
    },
    Rule {
        refusal: Code("A0402"),
        reason: "private rows behind pointers are not built",
        applies: |entry| {
            let copies = [Effect::Private, Effect::FirstPrivate];
            entry.kind.is("pointer to pointer") && copies.contains(&entry.clause.effect)
        },
    },
    Rule {
        refusal: Code("A0417"),
        reason: "the struct is used, of which only a member has a clause",
        applies: |entry| {
            entry.kind.is_member()
                && entry.has_clause("default(none)")
                && entry.role != Role::Argument
        },
    },
    Rule {
        refusal: Code("A0423"),
        reason: "no device changes a part of a word, or two words, at once",
        applies: |entry| {
            entry.construct == Construct::Atomic
                && (entry.kind.is("bit-field") || entry.kind.is("complex"))
                && (entry.role == Role::Write || entry.has_clause("read"))
                && !(entry.kind.is("complex") && entry.has_clause("update"))
        },
    },
    Rule {
        refusal: AtRun("is only partially present"),
        reason: "the construct uses the struct, of which only a member is on the device",
        applies: |entry| {
            // Within `data`, a struct that is only read is what the host has.
            let reads = entry.construct == Construct::Data
                && entry.role != Role::Write
                && !entry.has_clause("default(present)");
            entry.kind.is_member()
                && entry.is_entered_alone()
                && entry.role != Role::Argument
                && !reads
        },
    },
];

/// How an entry is refused; none where it must work.
pub fn expected(entry: &Entry) -> Option<Refusal> {
    let rule = RULES.iter().find(|rule| (rule.applies)(entry));
    rule.map(|rule| rule.refusal)
}
