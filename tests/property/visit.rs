//! Goes through a program's statements and expressions, to change one of them.

use super::model::{Expression, Kernel, Program, Region, Statement};

/// All lists of statements of a kernel, outer ones before inner ones.
pub fn lists(kernel: &mut Kernel, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    for dimension in &mut kernel.dimensions {
        list(&mut dimension.prologue, change);
    }
    list(&mut kernel.body, change);
}

/// A list of statements and all within it.
pub fn list(statements: &mut Vec<Statement>, change: &mut dyn FnMut(&mut Vec<Statement>)) {
    change(statements);
    for statement in statements {
        match statement {
            Statement::If {
                then, otherwise, ..
            } => {
                list(then, change);
                list(otherwise, change);
            }
            Statement::For { body, .. }
            | Statement::While { body, .. }
            | Statement::DoWhile { body, .. }
            | Statement::Region(Region { body, .. }) => list(body, change),
            _ => {}
        }
    }
}

/// All regions of a program.
pub fn regions(program: &mut Program, change: &mut dyn FnMut(&mut Region)) {
    for kernel in &mut program.kernels {
        lists(kernel, &mut |list| {
            for statement in list {
                if let Statement::Region(region) = statement {
                    change(region);
                }
            }
        });
    }
}

/// All expressions of statements and windows, outer ones before inner ones.
pub fn expressions(program: &mut Program, change: &mut dyn FnMut(&mut Expression)) {
    for kernel in &mut program.kernels {
        lists(kernel, &mut |list| {
            for statement in list {
                of_statement(statement, change);
            }
        });
    }
}

fn of_statement(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    match statement {
        Statement::Declare {
            value: Some(value), ..
        } => expression(value, change),
        Statement::Assign { place, value, .. } => {
            indices(place, change);
            expression(value, change);
        }
        Statement::Step { place, .. } => indices(place, change),
        Statement::If { condition, .. }
        | Statement::While { condition, .. }
        | Statement::DoWhile { condition, .. } => expression(condition, change),
        Statement::For {
            from, condition, ..
        } => {
            expression(from, change);
            expression(condition, change);
        }
        Statement::Region(region) => {
            for item in region.directives.iter_mut().flat_map(|d| &mut d.items) {
                for side in &mut item.window {
                    expression(&mut side.pivot, change);
                    expression(&mut side.before, change);
                    expression(&mut side.after, change);
                }
            }
        }
        _ => {}
    }
}

/// What a place that is written consists of; the place itself has to stay one.
fn indices(place: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    if let Expression::Element { indices, .. } = place {
        for index in indices {
            expression(index, change);
        }
    }
}

/// An expression and all within it.
pub fn expression(whole: &mut Expression, change: &mut dyn FnMut(&mut Expression)) {
    change(whole);
    match whole {
        Expression::Element { indices, .. } => {
            for index in indices {
                expression(index, change);
            }
        }
        Expression::Binary(_, left, right) => {
            expression(left, change);
            expression(right, change);
        }
        Expression::Conditional(condition, yes, no) => {
            expression(condition, change);
            expression(yes, change);
            expression(no, change);
        }
        Expression::Cast(_, value) => expression(value, change),
        Expression::Call(_, arguments) => {
            for argument in arguments {
                expression(argument, change);
            }
        }
        Expression::Integer(_)
        | Expression::Real(_)
        | Expression::Name(_)
        | Expression::Member(..) => {}
    }
}
