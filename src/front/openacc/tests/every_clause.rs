//! Every clause that the table has on a directive is taken there without a word.

use super::outcome;
use crate::front::openacc::table::{
    CLAUSES, ClauseKind, ClauseRow, DIRECTIVES, DirectiveKind, DirectiveRow, Form,
};

/// What may stand behind the name of a clause.
fn arguments(row: &ClauseRow, on: DirectiveKind) -> Vec<&'static str> {
    use ClauseKind as C;
    match row.form {
        Form::Bare => vec![""],
        Form::Expression => vec!["(1)"],
        Form::Optional => vec!["", "(1)"],
        Form::Sizes if on == DirectiveKind::KernelsLoop => vec!["", "(4)"],
        Form::Sizes => vec![""],
        Form::Tile => vec!["(4)", "(*)"],
        Form::Queues => vec!["", "(1, 2)", "(queues: 3)", "(devnum: 0: queues: 1, 2)"],
        Form::Name => vec!["(other)"],
        Form::DeviceTypes => vec!["(*)", "(nvidia, host)"],
        Form::Windows => vec![],
        Form::Reduction => vec!["(+: sum)"],
        Form::Keyword => vec!["(present)"],
        Form::Variables => match row.kind {
            C::Private | C::Firstprivate => vec!["(t)"],
            C::DevicePointer => vec!["(p)"],
            C::Attach | C::Detach => vec!["(v.p)"],
            C::DeviceResident | C::Link => vec!["(global)"],
            C::CopyIn => vec!["(a)", "(a[0:4])", "(readonly: a)"],
            C::CopyOut | C::Create if on != DirectiveKind::ExitData => vec!["(a)", "(zero: a)"],
            _ => vec!["(a)", "(a[2:5])"],
        },
    }
}

/// What the directive needs beside the clause.
fn beside(row: &ClauseRow, on: DirectiveKind) -> &'static str {
    use DirectiveKind as D;
    match on {
        D::Data | D::EnterData => "copyin(b)",
        D::ExitData => "delete(b)",
        D::Update => "self(b)",
        D::HostData => "use_device(b)",
        D::Set if row.kind == ClauseKind::DefaultAsync => "device_num(0)",
        D::Set if row.kind != ClauseKind::DeviceType => "default_async(2)",
        D::Routine if matches!(row.form, Form::Name) || row.kind == ClauseKind::NoHost => "seq",
        _ => "",
    }
}

/// What a directive stands before, or is part of.
fn statement(directive: &str, clause: ClauseKind, on: DirectiveKind) -> String {
    use DirectiveKind as D;
    const LOOP: &str = "for (i = 0; i < 10; i++) { t = i; sum += t; p[i] = b[i]; }";
    match on {
        D::Parallel | D::Kernels | D::Serial => format!("{directive}\n{{ {LOOP} }}"),
        D::ParallelLoop | D::KernelsLoop | D::SerialLoop => format!("{directive}\n{LOOP}"),
        D::Loop => format!("#pragma acc parallel copy(t)\n{{\n{directive}\n{LOOP}\n}}"),
        D::Data | D::HostData => format!("{directive}\n{{ }}"),
        D::Atomic => {
            let step = match clause {
                ClauseKind::AtomicRead => "t = p[i];",
                ClauseKind::AtomicWrite => "p[i] = 1;",
                ClauseKind::AtomicCapture => "t = p[i]++;",
                _ => "p[i] += 2;",
            };
            format!(
                "#pragma acc parallel loop copy(p[0:10])\nfor (i = 0; i < 10; i++) {{ int t = 0;\n\
                 {directive}\n{step}\n(void)t; }}"
            )
        }
        _ => format!("{directive}\n;"),
    }
}

/// A file with the directive.
fn text(directive: &DirectiveRow, row: &ClauseRow, clause: &str) -> String {
    let on = directive.kind;
    let name = directive.name;
    let line = match (on, row.kind) {
        // Clauses before it are those of all devices.
        (DirectiveKind::Routine, ClauseKind::DeviceType) => {
            format!("#pragma acc {name} {clause} seq")
        }
        _ => format!("#pragma acc {name} {} {clause}", beside(row, on)),
    };
    let at_file_scope = on == DirectiveKind::Routine
        || matches!(row.kind, ClauseKind::DeviceResident | ClauseKind::Link);
    let (before, inside) = if at_file_scope {
        (line, String::new())
    } else {
        (String::new(), statement(&line, row.kind, on))
    };
    format!(
        "struct v {{ int *p; }};\nint global[4];\nint other(int);\n{before}\nint called(int x) {{ return x; }}\n\
         void f(int *restrict p) {{\nint a[10], b[10] = {{0}}, t = 0, sum = 0, i; struct v v = {{a}};\n\
         (void)v;\n{inside}\n}}\n"
    )
}

/// What the standard does not have, but programs do.
fn on_kernels_by_programs(directive: &DirectiveRow, row: &ClauseRow) -> bool {
    directive.kind == DirectiveKind::Kernels && row.kind == ClauseKind::Private
}

#[test]
fn every_clause_is_taken_where_the_table_has_it() {
    let mut refused = Vec::new();
    let standard = DIRECTIVES
        .iter()
        .filter(|row| !matches!(row.kind, DirectiveKind::Fcw | DirectiveKind::FcwBarrier));
    for directive in standard {
        let allowed = CLAUSES.iter().filter(|row| row.is_on(directive.kind));
        for row in allowed {
            for spelling in row.spellings {
                for argument in arguments(row, directive.kind) {
                    let clause = format!("{spelling}{argument}");
                    let said = outcome(&text(directive, row, &clause)).said;
                    let is_warned_of = on_kernels_by_programs(directive, row)
                        && matches!(said.as_slice(), [one] if one.starts_with("warning A0404"));
                    if !said.is_empty() && !is_warned_of {
                        refused.push(format!("{} {clause}: {said:?}", directive.name));
                    }
                }
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
