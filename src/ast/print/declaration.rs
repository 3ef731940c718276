//! Declarations, types and initialisers as S-expressions.

use super::Printer;
use crate::ast::{
    AlignmentSpecifier, ArraySize, Attribute, Declaration, DeclarationSpecifiers, Declarator,
    Derivation, Designator, EnumSpecifier, FunctionDerivation, InitDeclarator, Initializer,
    InitializerList, MemberDeclaration, Qualifiers, RecordSpecifier, StorageClass, TypeName,
    TypeSpecifier,
};

impl Printer {
    pub(super) fn declaration(&mut self, declaration: &Declaration) {
        self.text("(declare ");
        self.specifiers(&declaration.specifiers);
        for declarator in &declaration.declarators {
            self.text(" ");
            self.init_declarator(declarator);
        }
        self.text(")");
    }

    fn init_declarator(&mut self, declarator: &InitDeclarator) {
        self.declarator(&declarator.declarator);
        if let Some(label) = &declarator.assembly_label {
            self.text(" asm ");
            self.text(&label.pieces.join(" "));
        }
        self.attributes(&declarator.attributes);
        if let Some(initializer) = &declarator.initializer {
            self.text(" = ");
            self.initializer(initializer);
        }
    }

    /// Specifiers as a list of words, in a fixed order.
    pub(super) fn specifiers(&mut self, specifiers: &DeclarationSpecifiers) {
        self.text("(");
        let start = self.out.len();
        for class in &specifiers.storage {
            self.word(storage_name(class.value));
        }
        if specifiers.inline {
            self.word("inline");
        }
        if specifiers.noreturn {
            self.word("_Noreturn");
        }
        self.qualifiers(specifiers.qualifiers);
        for alignment in &specifiers.alignment {
            self.text(" (alignas ");
            match alignment {
                AlignmentSpecifier::Type(type_name) => self.type_name(type_name),
                AlignmentSpecifier::Expression(expression) => self.expression(expression),
            }
            self.text(")");
        }
        for specifier in &specifiers.types {
            self.text(" ");
            self.type_specifier(&specifier.value);
        }
        self.attributes(&specifiers.attributes);
        if self.out[start..].starts_with(' ') {
            self.out.remove(start);
        }
        self.text(")");
    }

    fn qualifiers(&mut self, qualifiers: Qualifiers) {
        let words = [
            (qualifiers.is_const, "const"),
            (qualifiers.is_volatile, "volatile"),
            (qualifiers.is_restrict, "restrict"),
            (qualifiers.is_atomic, "_Atomic"),
        ];
        for (_, word) in words.iter().filter(|(present, _)| *present) {
            self.word(word);
        }
    }

    fn attributes(&mut self, attributes: &[Attribute]) {
        for attribute in attributes {
            self.text(" @");
            self.text(&attribute.name);
            if !attribute.arguments.is_empty() {
                self.text("(");
                for (index, argument) in attribute.arguments.iter().enumerate() {
                    if index > 0 {
                        self.text(", ");
                    }
                    self.expression(argument);
                }
                self.text(")");
            }
        }
    }

    fn type_specifier(&mut self, specifier: &TypeSpecifier) {
        match specifier {
            TypeSpecifier::ExtendedFloat(name) | TypeSpecifier::TypedefName(name) => {
                self.text(name);
            }
            TypeSpecifier::Atomic(type_name) => {
                self.text("(_Atomic ");
                self.type_name(type_name);
                self.text(")");
            }
            TypeSpecifier::Record(record) => self.record(record),
            TypeSpecifier::Enum(specifier) => self.enumeration(specifier),
            TypeSpecifier::TypeofExpression(expression) => {
                self.text("(typeof ");
                self.expression(expression);
                self.text(")");
            }
            TypeSpecifier::TypeofType(type_name) => {
                self.text("(typeof-type ");
                self.type_name(type_name);
                self.text(")");
            }
            keyword => self.text(keyword_name(keyword)),
        }
    }

    fn record(&mut self, record: &RecordSpecifier) {
        self.text(if record.is_union { "(union" } else { "(struct" });
        if let Some(tag) = &record.tag {
            self.word(&tag.value);
        }
        self.attributes(&record.attributes);
        if let Some(members) = &record.members {
            self.text(" {");
            for (index, member) in members.iter().enumerate() {
                if index > 0 {
                    self.text(" ");
                }
                self.member(member);
            }
            self.text("}");
        }
        self.text(")");
    }

    fn member(&mut self, member: &MemberDeclaration) {
        match member {
            MemberDeclaration::StaticAssert(assert) => self.static_assert(assert),
            MemberDeclaration::Members {
                specifiers,
                declarators,
                ..
            } => {
                self.text("(");
                self.specifiers(specifiers);
                for member in declarators {
                    self.text(" ");
                    match &member.declarator {
                        Some(declarator) => self.declarator(declarator),
                        None => self.text("_"),
                    }
                    if let Some(width) = &member.width {
                        self.text(" : ");
                        self.expression(width);
                    }
                    self.attributes(&member.attributes);
                }
                self.text(")");
            }
        }
    }

    fn enumeration(&mut self, specifier: &EnumSpecifier) {
        self.text("(enum");
        if let Some(tag) = &specifier.tag {
            self.word(&tag.value);
        }
        if let Some(enumerators) = &specifier.enumerators {
            self.text(" {");
            for (index, enumerator) in enumerators.iter().enumerate() {
                if index > 0 {
                    self.text(", ");
                }
                self.text(&enumerator.name.value);
                if let Some(value) = &enumerator.value {
                    self.text(" = ");
                    self.expression(value);
                }
            }
            self.text("}");
        }
        self.text(")");
    }

    /// `(name derivation…)`, or the name alone; `_` without a name.
    pub(super) fn declarator(&mut self, declarator: &Declarator) {
        let name = declarator.name.as_ref().map_or("_", |name| &name.value);
        if declarator.derivations.is_empty() && declarator.attributes.is_empty() {
            self.text(name);
            return;
        }
        self.text("(");
        self.text(name);
        for derivation in &declarator.derivations {
            self.text(" ");
            self.derivation(derivation);
        }
        self.attributes(&declarator.attributes);
        self.text(")");
    }

    fn derivation(&mut self, derivation: &Derivation) {
        match derivation {
            Derivation::Pointer(qualifiers) if *qualifiers == Qualifiers::default() => {
                self.text("pointer");
            }
            Derivation::Pointer(qualifiers) => {
                self.text("(pointer");
                self.qualifiers(*qualifiers);
                self.text(")");
            }
            Derivation::Array(array) => {
                self.text("(array");
                if array.is_static {
                    self.word("static");
                }
                self.qualifiers(array.qualifiers);
                match &array.size {
                    ArraySize::Unspecified => {}
                    ArraySize::Star => self.word("*"),
                    ArraySize::Expression(size) => {
                        self.text(" ");
                        self.expression(size);
                    }
                }
                self.text(")");
            }
            Derivation::Function(function) => self.function_derivation(function),
        }
    }

    fn function_derivation(&mut self, function: &FunctionDerivation) {
        self.text("(function");
        if !function.is_prototype {
            self.word("no-prototype");
        }
        for name in &function.identifiers {
            self.word(&name.value);
        }
        for parameter in &function.parameters {
            self.text(" (");
            self.specifiers(&parameter.specifiers);
            self.text(" ");
            self.declarator(&parameter.declarator);
            self.text(")");
        }
        if function.is_variadic {
            self.word("...");
        }
        self.text(")");
    }

    /// `<specifiers declarator>`.
    pub(super) fn type_name(&mut self, type_name: &TypeName) {
        self.text("<");
        self.specifiers(&type_name.specifiers);
        if !type_name.declarator.derivations.is_empty() {
            self.text(" ");
            self.declarator(&type_name.declarator);
        }
        self.text(">");
    }

    fn initializer(&mut self, initializer: &Initializer) {
        match initializer {
            Initializer::Expression(expression) => self.expression(expression),
            Initializer::List(list) => self.initializer_list(list),
        }
    }

    pub(super) fn initializer_list(&mut self, list: &InitializerList) {
        self.text("{");
        for (index, item) in list.items.iter().enumerate() {
            if index > 0 {
                self.text(", ");
            }
            for designator in &item.designators {
                match designator {
                    Designator::Member(name) => {
                        self.text(".");
                        self.text(&name.value);
                    }
                    Designator::Index(position) => {
                        self.text("[");
                        self.expression(position);
                        self.text("]");
                    }
                    Designator::Range(first, last) => {
                        self.text("[");
                        self.expression(first);
                        self.text(" ... ");
                        self.expression(last);
                        self.text("]");
                    }
                }
            }
            if !item.designators.is_empty() {
                self.text(" = ");
            }
            self.initializer(&item.initializer);
        }
        self.text("}");
    }
}

fn storage_name(class: StorageClass) -> &'static str {
    match class {
        StorageClass::Typedef => "typedef",
        StorageClass::Extern => "extern",
        StorageClass::Static => "static",
        StorageClass::ThreadLocal => "_Thread_local",
        StorageClass::Auto => "auto",
        StorageClass::Register => "register",
    }
}

fn keyword_name(specifier: &TypeSpecifier) -> &'static str {
    match specifier {
        TypeSpecifier::Void => "void",
        TypeSpecifier::Char => "char",
        TypeSpecifier::Short => "short",
        TypeSpecifier::Int => "int",
        TypeSpecifier::Long => "long",
        TypeSpecifier::Float => "float",
        TypeSpecifier::Double => "double",
        TypeSpecifier::Signed => "signed",
        TypeSpecifier::Unsigned => "unsigned",
        TypeSpecifier::Bool => "_Bool",
        TypeSpecifier::Complex => "_Complex",
        TypeSpecifier::Int128 => "__int128",
        _ => "__builtin_va_list",
    }
}
