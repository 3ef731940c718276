//! The entries of the table: which combinations are programs at all, and what becomes of the
//! variable's value.

use std::fmt;

use super::tables::{
    CLAUSES, CONSTRUCTS, Clause, Construct, Effect, KINDS, Kind, Place, ROLES, Role,
};

/// A clause on a construct, with a variable in a role.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub construct: Construct,
    pub clause: &'static Clause,
    pub kind: &'static Kind,
    pub role: Role,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (construct, clause) = (self.construct.name(), self.clause.name);
        write!(
            f,
            "{construct} / {clause} / {} / {}",
            self.kind.name,
            self.role.name()
        )
    }
}

/// All entries, in the order of the tables.
pub fn all() -> Vec<Entry> {
    let mut entries = Vec::new();
    for (construct, _) in CONSTRUCTS {
        for clause in CLAUSES {
            for kind in KINDS {
                entries.extend(ROLES.iter().map(|role| Entry {
                    construct: *construct,
                    clause,
                    kind,
                    role: *role,
                }));
            }
        }
    }
    entries.retain(Entry::is_program);
    entries
}

impl Entry {
    /// Whether it is a program, right or wrong, whose result C and OpenACC state.
    fn is_program(&self) -> bool {
        let effect = self.clause.effect;
        let writes = self.role == Role::Write;
        let changes = matches!(
            effect,
            Effect::CopyOut | Effect::Reduced | Effect::Private | Effect::ToHost
        );
        let undefined = [
            // C: a constant object does not change.
            self.kind.is("const") && (writes || changes),
            // What is only read, or read atomically, is not written.
            writes && ["readonly", "read"].contains(&self.clause.name),
            // The rows behind such a pointer would be the host's.
            effect == Effect::DevicePointer && self.kind.is("pointer to pointer"),
            // Arguments are evaluated on the host, which does not read the device's memory.
            effect == Effect::DevicePointer && self.role == Role::Argument,
            // A parameter is an object of its own, which is not present as its function begins.
            self.construct == Construct::Declare
                && self.clause.name == "present"
                && !self.is_by_reference()
                && self.kind.place != Place::File,
        ];
        self.clause.on.contains(&self.construct) && !undefined.contains(&true)
    }

    /// Whether a function gets the variable's address.
    pub fn is_by_reference(&self) -> bool {
        self.kind.elements > 1 || self.kind.is_pointer()
    }

    pub fn has_clause(&self, name: &str) -> bool {
        self.clause.name == name
    }

    /// Whether the clause's own argument is the variable.
    pub fn is_argument(&self) -> bool {
        self.role == Role::Argument && self.clause.text.contains("{a}")
    }

    /// Each iteration of the construct's loop has the variable for itself.
    pub fn is_private_to_iterations(&self) -> bool {
        self.clause.effect == Effect::Private && self.construct.governs_a_loop()
    }

    /// Whether the clause expects the variable on the device, or would leave it there without a
    /// value that the role needs.
    pub fn is_entered_before(&self) -> bool {
        let fresh = self.role == Role::Write || self.construct == Construct::Declare;
        match self.clause.effect {
            Effect::Present | Effect::Attach => true,
            Effect::Create | Effect::CopyOut => !fresh,
            _ => self.has_clause("default(present)") && self.construct.computes(),
        }
    }

    /// Whether the variable is on the device before the construct that uses it, by a clause alone.
    pub fn is_entered_alone(&self) -> bool {
        let standing = [
            Construct::Data,
            Construct::EnterData,
            Construct::ExitData,
            Construct::Update,
        ];
        standing.contains(&self.construct) || self.is_entered_before()
    }

    /// The data clause that the construct gets beside the one that is looked at.
    pub fn explicit(&self) -> Option<&'static str> {
        let implicit = self.construct.computes()
            && !self.has_clause("default(none)")
            && (!self.kind.is_pointer() || self.has_clause("default(present)"));
        (self.clause.effect == Effect::None && !implicit).then_some("copy({x!})")
    }

    /// Whether the host finds what the region wrote to the variable.
    pub fn keeps(&self) -> bool {
        if self.construct == Construct::EnterData {
            return false;
        }
        match self.clause.effect {
            Effect::Copy | Effect::CopyOut | Effect::Reduced | Effect::DevicePointer => true,
            Effect::Present | Effect::Attach => self.construct != Construct::ExitData,
            // OpenACC has no such clause there; accrs warns and takes it for nothing.
            Effect::Private if self.construct == Construct::Kernels => true,
            // No clause names the struct, which is copied as a whole (2.6.2).
            Effect::CopyIn | Effect::Create
                if self.kind.is_member() && self.construct.computes() =>
            {
                true
            }
            Effect::CopyIn
            | Effect::Create
            | Effect::Private
            | Effect::FirstPrivate
            | Effect::ToDevice => false,
            Effect::UseDevice | Effect::ToHost => true,
            Effect::None if self.construct == Construct::Update => false,
            Effect::None => {
                let kernels = [Construct::Kernels, Construct::KernelsLoop];
                let first_private = self.construct.computes()
                    && self.kind.is_scalar()
                    && !kernels.contains(&self.construct);
                self.explicit().is_some() || !first_private
            }
        }
    }
}
