//! The directives of hiCUDA and their clauses (the paper's sections 4.1 and 4.2).

use crate::front::lowering::words::nearest;

/// Where data is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// `global`.
    Global,
    /// `constant`.
    Constant,
    /// `texture`: global memory that kernels only read.
    Texture,
    /// `shared`.
    Shared,
}

impl Memory {
    /// The directive's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Constant => "constant",
            Self::Texture => "texture",
            Self::Shared => "shared",
        }
    }
}

/// The directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DirectiveKind {
    Kernel,
    KernelEnd,
    LoopPartition,
    Singular,
    SingularEnd,
    Barrier,
    Shape,
    Data(Memory),
}

/// What a clause takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nothing.
    Bare,
    /// One or more sizes in parentheses.
    Sizes,
    /// `BLOCK` or `CYCLIC` in parentheses, or nothing.
    Distribution,
    /// One variable.
    Variable,
    /// One variable or none.
    OptionalVariable,
    /// One or more variables.
    Variables,
    /// Any number of them.
    AnyVariables,
}

/// A clause of a directive.
pub struct ClauseRow {
    /// Its word.
    pub name: &'static str,
    /// What it takes.
    pub form: Form,
    /// The option that it may have in parentheses.
    pub option: Option<&'static str>,
}

const fn clause(name: &'static str, form: Form) -> ClauseRow {
    ClauseRow {
        name,
        form,
        option: None,
    }
}

const fn unchecked(name: &'static str, form: Form) -> ClauseRow {
    ClauseRow {
        name,
        form,
        option: Some("nobndcheck"),
    }
}

/// A directive.
pub struct DirectiveRow {
    /// Its word.
    pub name: &'static str,
    /// Which one.
    pub kind: DirectiveKind,
    /// What stands right behind the name.
    pub operands: Option<Form>,
    /// Its clauses.
    pub clauses: &'static [ClauseRow],
    /// How it is written.
    pub example: &'static str,
}

const READ_ONLY: &[ClauseRow] = &[
    clause("alloc", Form::Variable),
    clause("copyin", Form::AnyVariables),
    clause("free", Form::Variables),
    clause("remove", Form::Variables),
];

/// All directives.
pub const DIRECTIVES: &[DirectiveRow] = &[
    DirectiveRow {
        name: "kernel",
        kind: DirectiveKind::Kernel,
        operands: Some(Form::Variable),
        clauses: &[
            clause("tblock", Form::Sizes),
            clause("thread", Form::Sizes),
            clause("nowait", Form::Bare),
        ],
        example: "kernel NAME tblock(64) thread(256)",
    },
    DirectiveRow {
        name: "kernel_end",
        kind: DirectiveKind::KernelEnd,
        operands: None,
        clauses: &[],
        example: "kernel_end",
    },
    DirectiveRow {
        name: "loop_partition",
        kind: DirectiveKind::LoopPartition,
        operands: None,
        clauses: &[
            clause("over_tblock", Form::Distribution),
            clause("over_thread", Form::Bare),
        ],
        example: "loop_partition over_tblock over_thread",
    },
    DirectiveRow {
        name: "singular",
        kind: DirectiveKind::Singular,
        operands: None,
        clauses: &[],
        example: "singular",
    },
    DirectiveRow {
        name: "singular_end",
        kind: DirectiveKind::SingularEnd,
        operands: None,
        clauses: &[],
        example: "singular_end",
    },
    DirectiveRow {
        name: "barrier",
        kind: DirectiveKind::Barrier,
        operands: None,
        clauses: &[],
        example: "barrier",
    },
    DirectiveRow {
        name: "shape",
        kind: DirectiveKind::Shape,
        operands: Some(Form::Variables),
        clauses: &[],
        example: "shape p[n][m]",
    },
    DirectiveRow {
        name: "global",
        kind: DirectiveKind::Data(Memory::Global),
        operands: None,
        clauses: &[
            clause("alloc", Form::Variable),
            clause("copyin", Form::OptionalVariable),
            clause("clear", Form::Bare),
            clause("copyout", Form::Variable),
            clause("free", Form::Variables),
        ],
        example: "global alloc a[*] copyin",
    },
    DirectiveRow {
        name: "constant",
        kind: DirectiveKind::Data(Memory::Constant),
        operands: None,
        clauses: READ_ONLY,
        example: "constant copyin a[*]",
    },
    DirectiveRow {
        name: "texture",
        kind: DirectiveKind::Data(Memory::Texture),
        operands: None,
        clauses: READ_ONLY,
        example: "texture copyin a[*]",
    },
    DirectiveRow {
        name: "shared",
        kind: DirectiveKind::Data(Memory::Shared),
        operands: None,
        clauses: &[
            clause("alloc", Form::Variable),
            unchecked("copyin", Form::OptionalVariable),
            unchecked("copyout", Form::Variable),
            clause("remove", Form::Variables),
        ],
        example: "shared alloc a[i-1:i+1] copyin",
    },
];

/// The row of a directive's word.
pub fn directive(name: &str) -> Option<&'static DirectiveRow> {
    DIRECTIVES.iter().find(|row| row.name == name)
}

/// The directive whose word is nearly this one.
pub fn near(name: &str) -> Option<&'static str> {
    nearest(name, DIRECTIVES.iter().map(|row| row.name))
}

impl DirectiveRow {
    /// One of its clauses.
    pub fn clause(&self, name: &str) -> Option<&'static ClauseRow> {
        self.clauses.iter().find(|row| row.name == name)
    }
}
