//! Expressions as S-expressions.

use super::{Each, Print, Printer};
use crate::ast::{Constant, Expression, ExpressionKind, OffsetofStep, TypeName, UnaryOperator};

impl Print for Expression {
    fn print(&self, p: &mut Printer) {
        use ExpressionKind as E;
        match &self.kind {
            E::Identifier(name) => name.print(p),
            E::Constant(
                Constant::Integer(text) | Constant::Floating(text) | Constant::Character(text),
            ) => text.print(p),
            E::String(literal) => literal.print(p),
            E::Parenthesized(inner) => p.form("paren", &[inner]),
            E::Index(base, index) => p.form("index", &[base, index]),
            E::Unary(operator, operand) => p.form(unary_name(*operator), &[operand]),
            E::SizeofExpression(operand) => p.form("sizeof", &[operand]),
            E::SizeofType(type_name) => p.form("sizeof-type", &[type_name]),
            E::AlignofExpression(operand) => p.form("alignof", &[operand]),
            E::AlignofType(type_name) => p.form("alignof-type", &[type_name]),
            E::Binary(operator, left, right) => p.form(operator.spelling(), &[left, right]),
            E::Assign(operator, left, right) => {
                let operator = operator.map_or("", |operator| operator.spelling());
                p.form(&format!("{operator}="), &[left, right]);
            }
            E::Comma(left, right) => p.form(",", &[left, right]),
            E::Conditional(condition, Some(middle), last) => {
                p.form("?", &[condition, middle, last]);
            }
            E::Conditional(condition, None, last) => p.form("?:", &[condition, last]),
            E::Call(function, arguments) => {
                p.write(&[&"(call ", function, &Each(" ", arguments), &")"]);
            }
            E::Member {
                base,
                member,
                arrow,
            } => p.form(if *arrow { "->" } else { "." }, &[base, member]),
            E::Cast(type_name, operand) => p.form("cast", &[type_name, operand]),
            E::CompoundLiteral(type_name, list) => p.form("literal", &[type_name, list]),
            E::Statement(block) => p.write(&[&"(statements", block, &")"]),
            E::LabelAddress(label) => p.form("&&", &[label]),
            E::ChooseExpression(condition, yes, no) => p.form("choose", &[condition, yes, no]),
            E::VaArg(list, type_name) => p.form("va-arg", &[list, type_name]),
            E::ConvertVector(vector, type_name) => p.form("convert-vector", &[vector, type_name]),
            E::BitCast(type_name, value) => p.form("bit-cast", &[type_name, value]),
            E::TypesCompatible(first, second) => p.form("types-compatible", &[first, second]),
            E::Offsetof(type_name, steps) => {
                p.write(&[&"(offsetof ", type_name, &Each(" ", steps), &")"]);
            }
            E::Generic(selector, associations) => {
                p.write(&[&"(generic ", selector, &Each(" ", associations), &")"]);
            }
        }
    }
}

impl Print for OffsetofStep {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Member(member) => member.print(p),
            Self::Index(index) => p.write(&[&"[", index, &"]"]),
        }
    }
}

/// An association of `_Generic`.
impl Print for (Option<TypeName>, Expression) {
    fn print(&self, p: &mut Printer) {
        match &self.0 {
            Some(type_name) => p.write(&[&"(", type_name, &" ", &self.1, &")"]),
            None => p.form("default", &[&self.1]),
        }
    }
}

fn unary_name(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::PostIncrement => "post++",
        UnaryOperator::PostDecrement => "post--",
        UnaryOperator::Real => "real",
        UnaryOperator::Imaginary => "imag",
        UnaryOperator::Extension => "extension",
        prefix => prefix.spelling(),
    }
}
