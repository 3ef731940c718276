//! Makes a failing program small: fewer kernels, dimensions, statements, windows and sizes, as long
//! as it still fails in the same way and its oracle finds nothing wrong with the program itself.

use std::time::{Duration, Instant};

use super::model::{Expression, Form, Policy, Program, Statement, Storage, Type};
use super::run::{File, Verdict};
use super::{source, visit};

/// Candidates that are tried in one file.
const AT_ONCE: usize = 40;

/// The smallest program found in that time that fails like `verdict`.
pub fn shrink(program: &Program, verdict: &Verdict, time: Duration) -> Program {
    let start = Instant::now();
    let mut smallest = program.clone();
    while start.elapsed() < time {
        let Some(smaller) = first_failing(&smallest, verdict, start, time) else {
            break;
        };
        smallest = smaller;
    }
    smallest
}

fn first_failing(
    program: &Program,
    verdict: &Verdict,
    start: Instant,
    time: Duration,
) -> Option<Program> {
    let size = |program: &Program| source::function(program, 0).len();
    let before = size(program);
    let mut candidates: Vec<Program> = simpler(program)
        .into_iter()
        .filter(|candidate| size(candidate) < before || candidate.rounds != program.rounds)
        .collect();
    candidates.sort_by_key(size);
    for some in candidates.chunks(AT_ONCE) {
        if start.elapsed() > time {
            return None;
        }
        let verdicts = File::new(some).ok()?.verdicts().ok()?;
        let failing = some
            .iter()
            .zip(&verdicts)
            .find(|(_, found)| found.is_like(verdict));
        if let Some((smaller, _)) = failing {
            return Some(smaller.clone());
        }
    }
    None
}

/// Programs that lack something that this one has.
fn simpler(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Program)| {
        let mut candidate = program.clone();
        change(&mut candidate);
        remove_unused(&mut candidate);
        found.push(candidate);
    };
    for kernel in 0..program.kernels.len() {
        if program.kernels.len() > 1 {
            add(&|p| drop(p.kernels.remove(kernel)));
        }
        add(&|p| p.kernels[kernel].gangs = None);
        add(&|p| p.kernels[kernel].form = Form::Parallel);
        if !program.kernels[kernel].reductions.is_empty() {
            add(&|p| without_reductions(p, kernel));
        }
        for d in 0..program.kernels[kernel].dimensions.len() {
            dimension(program, kernel, d, &mut add);
        }
    }
    for round in 0..program.rounds.len() {
        if program.rounds.len() > 1 {
            add(&|p| p.rounds = vec![p.rounds[round].clone()]);
        }
        for (index, value) in program.rounds[round].iter().copied().enumerate() {
            for less in [1, value / 2, value - 1] {
                if less < value {
                    add(&|p| p.rounds[round][index] = less);
                }
            }
        }
    }
    add(&|p| p.data_region = false);
    for array in 0..program.arrays.len() {
        add(&|p| p.arrays[array].storage = Storage::Pointer);
        for kind in [Type::Int, Type::Float, Type::Pair] {
            add(&|p| p.arrays[array].element = kind);
        }
    }
    statements(program, &mut add);
    windows(program, &mut add);
    expressions(program, &mut add);
    found
}

/// Takes a program to a changed copy of it.
type Add<'a> = dyn FnMut(&dyn Fn(&mut Program)) + 'a;

/// Simpler loops, and one less: its variable then has a single value.
fn dimension(program: &Program, kernel: usize, d: usize, add: &mut Add<'_>) {
    let dimensions = &program.kernels[kernel].dimensions;
    if dimensions.len() > 1 {
        add(&|p| {
            let gone = p.kernels[kernel].dimensions.remove(d);
            let constant = Statement::Declare {
                name: gone.variable,
                kind: gone.kind,
                constant: true,
                value: Some(gone.lower),
            };
            let mut body = vec![constant];
            body.extend(gone.prologue);
            body.append(&mut p.kernels[kernel].body);
            p.kernels[kernel].body = body;
        });
    }
    add(&|p| p.kernels[kernel].dimensions[d].kind = Type::Int);
    if dimensions[d].step > 1 {
        add(&|p| p.kernels[kernel].dimensions[d].step = 1);
    }
    if dimensions[d].step > 0 {
        add(&|p| p.kernels[kernel].dimensions[d].lower = 0.into());
    }
    if let Some(block) = dimensions[d].block {
        for less in [1, 2, 4, block / 2, block - 1] {
            if less > 0 && less < block {
                add(&|p| p.kernels[kernel].dimensions[d].block = Some(less));
            }
        }
    }
}

fn without_reductions(program: &mut Program, kernel: usize) {
    let reductions = std::mem::take(&mut program.kernels[kernel].reductions);
    let is_reduced = |place: &Expression| {
        reductions
            .iter()
            .any(|reduction| *place == Expression::from(&reduction.name))
    };
    program.kernels[kernel]
        .body
        .retain(|statement| match statement {
            Statement::Assign { place, .. } => !is_reduced(place),
            _ => true,
        });
}

/// Each statement removed, or replaced by what it holds.
fn statements(program: &Program, add: &mut Add<'_>) {
    for kernel in 0..program.kernels.len() {
        for (site, variants) in sites(program, kernel).into_iter().enumerate() {
            for variant in 0..variants {
                add(&|p| {
                    let mut at = 0;
                    visit::lists(&mut p.kernels[kernel], &mut |list| {
                        let here = site.checked_sub(at).filter(|index| *index < list.len());
                        at += list.len();
                        if let Some(index) = here {
                            let parts = replaced(list[index].clone(), variant);
                            list.splice(index..=index, parts);
                            // What is now in the list must not be counted once more.
                            at = usize::MAX / 2;
                        }
                    });
                });
            }
        }
    }
}

/// For each statement of a kernel, in the order of the visit, in how many ways it is replaced.
fn sites(program: &Program, kernel: usize) -> Vec<usize> {
    let mut found = Vec::new();
    visit::lists(&mut program.kernels[kernel].clone(), &mut |list| {
        found.extend(list.iter().map(|statement| match statement {
            Statement::If { .. } => 4,
            Statement::For { .. }
            | Statement::While { .. }
            | Statement::DoWhile { .. }
            | Statement::Region(_) => 2,
            _ => 1,
        }));
    });
    found
}

/// Nothing, or the parts of a statement.
fn replaced(statement: Statement, variant: usize) -> Vec<Statement> {
    match (statement, variant) {
        (_, 0) => Vec::new(),
        (Statement::If { then, .. }, 1) => then,
        (Statement::If { otherwise, .. }, 2) => otherwise,
        (
            Statement::If {
                condition, then, ..
            },
            _,
        ) => vec![Statement::If {
            condition,
            then,
            otherwise: Vec::new(),
        }],
        (
            Statement::For {
                name, from, body, ..
            },
            _,
        ) => {
            let mut parts = vec![Statement::Declare {
                name,
                kind: Type::Int,
                constant: false,
                value: Some(from),
            }];
            parts.extend(body);
            parts
        }
        (Statement::While { body, .. } | Statement::DoWhile { body, .. }, _) => body,
        (Statement::Region(region), _) => region.body,
        (other, _) => vec![other],
    }
}

/// Fewer and smaller windows, simpler policies.
fn windows(program: &Program, add: &mut Add<'_>) {
    let mut shapes = Vec::new();
    visit::regions(&mut program.clone(), &mut |region| {
        let items = region
            .directives
            .iter()
            .map(|directive| directive.items.len());
        shapes.push(items.collect::<Vec<usize>>());
    });
    for (region, directives) in shapes.iter().enumerate() {
        let mut change = |edit: &dyn Fn(&mut super::model::Region)| {
            add(&|p| {
                let mut at = 0;
                visit::regions(p, &mut |found| {
                    if at == region {
                        edit(found);
                    }
                    at += 1;
                });
            });
        };
        change(&|found| found.stacked = false);
        for (directive, items) in directives.iter().enumerate() {
            if directives.len() > 1 {
                change(&|found| drop(found.directives.remove(directive)));
            }
            for item in 0..*items {
                if *items > 1 {
                    change(&|found| drop(found.directives[directive].items.remove(item)));
                }
                for side in 0..3 {
                    change(&|found| {
                        let items = &mut found.directives[directive].items;
                        if let Some(side) = items[item].window.get_mut(side) {
                            (side.before, side.after) = (0.into(), 0.into());
                        }
                    });
                }
            }
            change(&|found| {
                let directive = &mut found.directives[directive];
                if directive.policy == Policy::FetchChannelWriteBack {
                    directive.policy = Policy::FetchChannel;
                }
            });
        }
    }
}

/// Each expression replaced by a part of it, or by a number.
fn expressions(program: &Program, add: &mut Add<'_>) {
    let mut parts = Vec::new();
    visit::expressions(&mut program.clone(), &mut |expression| {
        parts.push(parts_of(expression));
    });
    for (site, replacements) in parts.iter().enumerate() {
        for replacement in replacements {
            add(&|p| {
                let mut at = 0;
                visit::expressions(p, &mut |expression| {
                    if at == site {
                        *expression = replacement.clone();
                        at = usize::MAX / 2;
                    }
                    at += 1;
                });
            });
        }
    }
}

fn parts_of(expression: &Expression) -> Vec<Expression> {
    let number = Expression::Integer(1);
    match expression {
        Expression::Binary(_, left, right) => vec![(**left).clone(), (**right).clone(), number],
        Expression::Conditional(_, yes, no) => vec![(**yes).clone(), (**no).clone(), number],
        Expression::Cast(_, value) => vec![(**value).clone()],
        Expression::Call(_, arguments) => arguments.clone(),
        Expression::Element { .. } | Expression::Member(..) | Expression::Name(_) => vec![number],
        Expression::Integer(0 | 1) => Vec::new(),
        Expression::Integer(_) | Expression::Real(_) => vec![number],
    }
}

/// Arrays, parameters and private variables that nothing uses.
fn remove_unused(program: &mut Program) {
    let mut names = Vec::new();
    let mut arrays = vec![false; program.arrays.len()];
    let mut note = |expression: &Expression| match expression {
        Expression::Name(name) | Expression::Member(name, _) => names.push(name.clone()),
        Expression::Element { array, .. } => arrays[*array] = true,
        _ => {}
    };
    visit::expressions(program, &mut |expression| note(expression));
    for kernel in &mut program.kernels {
        visit::lists(kernel, &mut |list| {
            for statement in list {
                match statement {
                    Statement::Assign { place, .. } | Statement::Step { place, .. } => note(place),
                    _ => {}
                }
            }
        });
        for dimension in &mut kernel.dimensions {
            visit::expression(&mut dimension.lower, &mut |expression| note(expression));
            visit::expression(&mut dimension.bound, &mut |expression| note(expression));
        }
    }
    for array in &mut program.arrays {
        for extent in &mut array.extents {
            visit::expression(extent, &mut |expression| note(expression));
        }
    }
    visit::regions(program, &mut |region| {
        for item in region
            .directives
            .iter()
            .flat_map(|directive| &directive.items)
        {
            arrays[item.array] = true;
        }
    });
    for kernel in &mut program.kernels {
        visit::lists(kernel, &mut |list| {
            list.retain(|statement| match statement {
                Statement::Declare { name, .. } => names.contains(name),
                _ => true,
            });
        });
    }
    renumber(program, &arrays);
    let used: Vec<bool> = program
        .parameters
        .iter()
        .map(|parameter| names.contains(parameter))
        .collect();
    if used.contains(&true) {
        let keep = |list: &mut Vec<i64>| {
            let mut used = used.iter();
            list.retain(|_| *used.next().expect("a value for each parameter"));
        };
        program.rounds.iter_mut().for_each(keep);
        let mut used = used.iter();
        program
            .parameters
            .retain(|_| *used.next().expect("as many as there are parameters"));
    }
}

/// Keeps the arrays that are used.
fn renumber(program: &mut Program, used: &[bool]) {
    let mut numbers = Vec::new();
    let mut next = 0;
    for used in used {
        numbers.push(next);
        next += usize::from(*used);
    }
    let mut kept = used.iter();
    program
        .arrays
        .retain(|_| *kept.next().expect("as many as there are arrays"));
    let rename = |expression: &mut Expression| {
        if let Expression::Element { array, .. } = expression {
            *array = numbers[*array];
        }
    };
    visit::expressions(program, &mut |expression| rename(expression));
    for kernel in &mut program.kernels {
        visit::lists(kernel, &mut |list| {
            for statement in list {
                match statement {
                    Statement::Assign { place, .. } | Statement::Step { place, .. } => {
                        rename(place);
                    }
                    _ => {}
                }
            }
        });
    }
    visit::regions(program, &mut |region| {
        for item in region.directives.iter_mut().flat_map(|d| &mut d.items) {
            item.array = numbers[item.array];
        }
    });
}
