//! Declarations, types and initialisers as S-expressions.

use super::{Between, Each, Print, Printer};
use crate::ast::{
    AlignmentSpecifier, ArrayDerivation, ArraySize, Attribute, Declaration, DeclarationSpecifiers,
    Declarator, Derivation, DesignatedInitializer, Designator, EnumSpecifier, Enumerator,
    FunctionDerivation, InitDeclarator, Initializer, InitializerList, MemberDeclaration,
    MemberDeclarator, ParameterDeclaration, Qualifiers, RecordSpecifier, StorageClass, TypeName,
    TypeSpecifier,
};

impl Print for Declaration {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(declare ", &self.specifiers]);
        p.write(&[&Each(" ", &self.declarators), &")"]);
    }
}

impl Print for InitDeclarator {
    fn print(&self, p: &mut Printer) {
        let label = Each(" asm ", self.assembly_label.as_slice());
        let initializer = Each(" = ", self.initializer.as_slice());
        p.write(&[&self.declarator, &label]);
        p.write(&[&Each(" ", &self.attributes), &initializer]);
    }
}

/// A list of words, in a fixed order.
impl Print for DeclarationSpecifiers {
    fn print(&self, p: &mut Printer) {
        fn add<'a, T: Print>(words: &mut Vec<&'a dyn Print>, list: &'a [T]) {
            words.extend(list.iter().map(|word| word as &dyn Print));
        }
        let qualifiers = self.qualifiers.words();
        let mut words: Vec<&dyn Print> = Vec::new();
        add(&mut words, &self.storage);
        add(&mut words, if self.inline { &["inline"] } else { &[] });
        add(&mut words, if self.noreturn { &["_Noreturn"] } else { &[] });
        add(&mut words, &qualifiers);
        add(&mut words, &self.alignment);
        add(&mut words, &self.types);
        add(&mut words, &self.attributes);
        p.write(&[&"(", &Between(" ", &words), &")"]);
    }
}

impl Print for StorageClass {
    fn print(&self, p: &mut Printer) {
        let name = match self {
            Self::Typedef => "typedef",
            Self::Extern => "extern",
            Self::Static => "static",
            Self::ThreadLocal => "_Thread_local",
            Self::Auto => "auto",
            Self::Register => "register",
        };
        name.print(p);
    }
}

impl Qualifiers {
    fn words(self) -> Vec<&'static str> {
        let words = [
            (self.is_const, "const"),
            (self.is_volatile, "volatile"),
            (self.is_restrict, "restrict"),
            (self.is_atomic, "_Atomic"),
        ];
        let present = words.into_iter().filter(|(present, _)| *present);
        present.map(|(_, word)| word).collect()
    }
}

impl Print for AlignmentSpecifier {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Type(type_name) => p.form("alignas", &[type_name]),
            Self::Expression(expression) => p.form("alignas", &[expression]),
        }
    }
}

impl Print for Attribute {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"@", &self.name]);
        if !self.arguments.is_empty() {
            p.write(&[&"(", &Between(", ", &self.arguments), &")"]);
        }
    }
}

impl Print for TypeSpecifier {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::ExtendedFloat(name) | Self::TypedefName(name) => name.print(p),
            Self::Atomic(type_name) => p.form("_Atomic", &[type_name]),
            Self::Record(record) => record.print(p),
            Self::Enum(specifier) => specifier.print(p),
            Self::TypeofExpression(expression) => p.form("typeof", &[expression]),
            Self::TypeofType(type_name) => p.form("typeof-type", &[type_name]),
            Self::Void => "void".print(p),
            Self::Char => "char".print(p),
            Self::Short => "short".print(p),
            Self::Int => "int".print(p),
            Self::Long => "long".print(p),
            Self::Float => "float".print(p),
            Self::Double => "double".print(p),
            Self::Signed => "signed".print(p),
            Self::Unsigned => "unsigned".print(p),
            Self::Bool => "_Bool".print(p),
            Self::Complex => "_Complex".print(p),
            Self::Int128 => "__int128".print(p),
            Self::BuiltinVaList => "__builtin_va_list".print(p),
        }
    }
}

impl Print for RecordSpecifier {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(", &self.keyword(), &Each(" ", self.tag.as_slice())]);
        Each(" ", &self.attributes).print(p);
        if let Some(members) = &self.members {
            p.write(&[&" {", &Between(" ", members), &"}"]);
        }
        p.out.push(')');
    }
}

impl Print for MemberDeclaration {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::StaticAssert(assert) => assert.print(p),
            Self::Members {
                specifiers,
                declarators,
                ..
            } => p.write(&[&"(", specifiers, &Each(" ", declarators), &")"]),
        }
    }
}

impl Print for MemberDeclarator {
    fn print(&self, p: &mut Printer) {
        let width = Each(" : ", self.width.as_slice());
        p.write(&[&self.declarator, &width, &Each(" ", &self.attributes)]);
    }
}

impl Print for EnumSpecifier {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(enum", &Each(" ", self.tag.as_slice())]);
        if let Some(enumerators) = &self.enumerators {
            p.write(&[&" {", &Between(", ", enumerators), &"}"]);
        }
        p.out.push(')');
    }
}

impl Print for Enumerator {
    fn print(&self, p: &mut Printer) {
        p.write(&[&self.name, &Each(" = ", self.value.as_slice())]);
    }
}

/// `(name derivation…)`, or the name alone.
impl Print for Declarator {
    fn print(&self, p: &mut Printer) {
        if self.derivations.is_empty() && self.attributes.is_empty() {
            return self.name.print(p);
        }
        p.write(&[&"(", &self.name, &Each(" ", &self.derivations)]);
        p.write(&[&Each(" ", &self.attributes), &")"]);
    }
}

impl Print for Derivation {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Pointer(qualifiers) if *qualifiers == Qualifiers::default() => {
                "pointer".print(p);
            }
            Self::Pointer(qualifiers) => {
                p.write(&[&"(pointer", &Each(" ", &qualifiers.words()), &")"]);
            }
            Self::Array(array) => array.print(p),
            Self::Function(function) => function.print(p),
        }
    }
}

impl Print for ArrayDerivation {
    fn print(&self, p: &mut Printer) {
        let is_static = if self.is_static { " static" } else { "" };
        let qualifiers = self.qualifiers.words();
        p.write(&[&"(array", &is_static, &Each(" ", &qualifiers)]);
        match &self.size {
            ArraySize::Unspecified => ")".print(p),
            ArraySize::Star => " *)".print(p),
            ArraySize::Expression(size) => p.write(&[&" ", size, &")"]),
        }
    }
}

impl Print for FunctionDerivation {
    fn print(&self, p: &mut Printer) {
        let no_prototype = if self.is_prototype {
            ""
        } else {
            " no-prototype"
        };
        let variadic = if self.is_variadic { " ..." } else { "" };
        p.write(&[&"(function", &no_prototype, &Each(" ", &self.identifiers)]);
        p.write(&[&Each(" ", &self.parameters), &variadic, &")"]);
    }
}

impl Print for ParameterDeclaration {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"(", &self.specifiers, &" ", &self.declarator, &")"]);
    }
}

/// `<specifiers declarator>`.
impl Print for TypeName {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"<", &self.specifiers]);
        if !self.declarator.derivations.is_empty() {
            p.write(&[&" ", &self.declarator]);
        }
        p.out.push('>');
    }
}

impl Print for Initializer {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Expression(expression) => expression.print(p),
            Self::List(list) => list.print(p),
        }
    }
}

impl Print for InitializerList {
    fn print(&self, p: &mut Printer) {
        p.write(&[&"{", &Between(", ", &self.items), &"}"]);
    }
}

impl Print for DesignatedInitializer {
    fn print(&self, p: &mut Printer) {
        let equals = if self.designators.is_empty() {
            ""
        } else {
            " = "
        };
        p.write(&[&Each("", &self.designators), &equals, &self.initializer]);
    }
}

impl Print for Designator {
    fn print(&self, p: &mut Printer) {
        match self {
            Self::Member(name) => p.write(&[&".", name]),
            Self::Index(position) => p.write(&[&"[", position, &"]"]),
            Self::Range(first, last) => p.write(&[&"[", first, &" ... ", last, &"]"]),
        }
    }
}
