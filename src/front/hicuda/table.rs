//! The directives of hiCUDA and their clauses (the paper's sections 4.1 and 4.2).

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
    pub const fn word(self) -> &'static str {
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

use DirectiveKind as D;

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
    /// An operator and one or more variables in parentheses.
    Reduction,
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

const fn row(
    name: &'static str,
    kind: DirectiveKind,
    operands: Option<Form>,
    clauses: &'static [ClauseRow],
    example: &'static str,
) -> DirectiveRow {
    DirectiveRow {
        name,
        kind,
        operands,
        clauses,
        example,
    }
}

const fn bare(name: &'static str, kind: DirectiveKind) -> DirectiveRow {
    row(name, kind, None, &[], name)
}

const fn data(
    memory: Memory,
    clauses: &'static [ClauseRow],
    example: &'static str,
) -> DirectiveRow {
    row(memory.word(), D::Data(memory), None, clauses, example)
}

const KERNEL: &[ClauseRow] = &[
    clause("tblock", Form::Sizes),
    clause("thread", Form::Sizes),
    clause("nowait", Form::Bare),
];
const PARTITION: &[ClauseRow] = &[
    clause("over_tblock", Form::Distribution),
    clause("over_thread", Form::Bare),
    clause("reduction", Form::Reduction),
];
const GLOBAL: &[ClauseRow] = &[
    clause("alloc", Form::Variable),
    clause("copyin", Form::OptionalVariable),
    clause("clear", Form::Bare),
    clause("copyout", Form::Variable),
    clause("free", Form::Variables),
];
const SHARED: &[ClauseRow] = &[
    clause("alloc", Form::Variable),
    unchecked("copyin", Form::OptionalVariable),
    unchecked("copyout", Form::Variable),
    clause("remove", Form::Variables),
];

const NAMED: Option<Form> = Some(Form::Variable);
const SHAPED: Option<Form> = Some(Form::Variables);
const LOOP: &str = "loop_partition";
const KERNEL_EXAMPLE: &str = "kernel NAME tblock(64) thread(256)";
const PARTITION_EXAMPLE: &str = "loop_partition over_tblock over_thread";

/// All directives.
pub const DIRECTIVES: &[DirectiveRow] = &[
    row("kernel", D::Kernel, NAMED, KERNEL, KERNEL_EXAMPLE),
    bare("kernel_end", D::KernelEnd),
    row(LOOP, D::LoopPartition, None, PARTITION, PARTITION_EXAMPLE),
    bare("singular", D::Singular),
    bare("singular_end", D::SingularEnd),
    bare("barrier", D::Barrier),
    row("shape", D::Shape, SHAPED, &[], "shape p[n][m]"),
    data(Memory::Global, GLOBAL, "global alloc a[*] copyin"),
    data(Memory::Constant, READ_ONLY, "constant copyin a[*]"),
    data(Memory::Texture, READ_ONLY, "texture copyin a[*]"),
    data(Memory::Shared, SHARED, "shared alloc a[i-1:i+1] copyin"),
];

/// The row of a directive's word.
pub fn directive(name: &str) -> Option<&'static DirectiveRow> {
    DIRECTIVES.iter().find(|row| row.name == name)
}

impl DirectiveRow {
    /// One of its clauses.
    pub fn clause(&self, name: &str) -> Option<&'static ClauseRow> {
        self.clauses.iter().find(|row| row.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::DIRECTIVES;

    #[test]
    fn each_directive_has_its_page() {
        let text = include_str!("../../../docs/hicuda.md");
        for row in DIRECTIVES {
            let heading = format!("\n### {}: ", row.name);
            assert!(text.contains(&heading), "docs/hicuda.md: {}", row.name);
        }
    }
}
