//! Expressions as S-expressions.

use super::Printer;
use crate::ast::{Constant, Expression, ExpressionKind, OffsetofStep, UnaryOperator};

impl Printer {
    pub(super) fn expression(&mut self, expression: &Expression) {
        use ExpressionKind as E;
        match &expression.kind {
            E::Identifier(name) => self.text(name),
            E::Constant(
                Constant::Integer(text) | Constant::Floating(text) | Constant::Character(text),
            ) => self.text(text),
            E::String(literal) => self.text(&literal.pieces.join(" ")),
            E::Parenthesized(inner) => self.form("paren", [inner]),
            E::Index(base, index) => self.form("index", [base, index]),
            E::Unary(operator, operand) => self.form(unary_name(*operator), [operand]),
            E::SizeofExpression(operand) => self.form("sizeof", [operand]),
            E::AlignofExpression(operand) => self.form("alignof", [operand]),
            E::Binary(operator, left, right) => self.form(operator.spelling(), [left, right]),
            E::Assign(None, left, right) => self.form("=", [left, right]),
            E::Assign(Some(operator), left, right) => {
                let name = format!("{}=", operator.spelling());
                self.form(&name, [left, right]);
            }
            E::Comma(left, right) => self.form(",", [left, right]),
            E::Conditional(condition, Some(middle), last) => {
                self.form("?", [condition, middle, last]);
            }
            E::Conditional(condition, None, last) => self.form("?:", [condition, last]),
            E::ChooseExpression(condition, yes, no) => {
                self.form("choose", [condition, yes, no]);
            }
            E::Call(function, arguments) => {
                self.form("call", std::iter::once(&**function).chain(arguments));
            }
            _ => self.other_expression(&expression.kind),
        }
    }

    /// The forms that hold types, members, labels or statements.
    fn other_expression(&mut self, kind: &ExpressionKind) {
        use ExpressionKind as E;
        self.text("(");
        match kind {
            E::Member {
                base,
                member,
                arrow,
            } => {
                self.text(if *arrow { "-> " } else { ". " });
                self.expression(base);
                self.word(&member.value);
            }
            E::Cast(type_name, operand) => {
                self.text("cast ");
                self.type_name(type_name);
                self.text(" ");
                self.expression(operand);
            }
            E::CompoundLiteral(type_name, list) => {
                self.text("literal ");
                self.type_name(type_name);
                self.text(" ");
                self.initializer_list(list);
            }
            E::SizeofType(type_name) => {
                self.text("sizeof-type ");
                self.type_name(type_name);
            }
            E::AlignofType(type_name) => {
                self.text("alignof-type ");
                self.type_name(type_name);
            }
            E::Statement(block) => {
                self.text("statements");
                self.block(block);
            }
            E::LabelAddress(label) => {
                self.text("&& ");
                self.text(&label.value);
            }
            _ => self.builtin(kind),
        }
        self.text(")");
    }

    fn builtin(&mut self, kind: &ExpressionKind) {
        use ExpressionKind as E;
        match kind {
            E::VaArg(list, type_name) => {
                self.text("va-arg ");
                self.expression(list);
                self.text(" ");
                self.type_name(type_name);
            }
            E::ConvertVector(vector, type_name) => {
                self.text("convert-vector ");
                self.expression(vector);
                self.text(" ");
                self.type_name(type_name);
            }
            E::BitCast(type_name, value) => {
                self.text("bit-cast ");
                self.type_name(type_name);
                self.text(" ");
                self.expression(value);
            }
            E::TypesCompatible(first, second) => {
                self.text("types-compatible ");
                self.type_name(first);
                self.text(" ");
                self.type_name(second);
            }
            E::Offsetof(type_name, steps) => {
                self.text("offsetof ");
                self.type_name(type_name);
                for step in steps {
                    match step {
                        OffsetofStep::Member(member) => self.word(&member.value),
                        OffsetofStep::Index(index) => {
                            self.text(" [");
                            self.expression(index);
                            self.text("]");
                        }
                    }
                }
            }
            E::Generic(selector, associations) => {
                self.text("generic ");
                self.expression(selector);
                for (type_name, value) in associations {
                    self.text(" (");
                    match type_name {
                        Some(type_name) => self.type_name(type_name),
                        None => self.text("default"),
                    }
                    self.text(" ");
                    self.expression(value);
                    self.text(")");
                }
            }
            _ => {}
        }
    }

    /// `(name operand…)`.
    fn form<'a, E>(&mut self, name: &str, operands: impl IntoIterator<Item = &'a E>)
    where
        E: std::borrow::Borrow<Expression> + 'a + ?Sized,
    {
        self.text("(");
        self.text(name);
        for operand in operands {
            self.text(" ");
            self.expression(operand.borrow());
        }
        self.text(")");
    }
}

fn unary_name(operator: UnaryOperator) -> &'static str {
    match operator {
        UnaryOperator::PostIncrement => "post++",
        UnaryOperator::PostDecrement => "post--",
        UnaryOperator::PreIncrement => "++",
        UnaryOperator::PreDecrement => "--",
        UnaryOperator::AddressOf => "&",
        UnaryOperator::Indirection => "*",
        UnaryOperator::Plus => "+",
        UnaryOperator::Minus => "-",
        UnaryOperator::BitNot => "~",
        UnaryOperator::LogicalNot => "!",
        UnaryOperator::Real => "real",
        UnaryOperator::Imaginary => "imag",
        UnaryOperator::Extension => "extension",
    }
}
