//! Compatible and composite types (C11 6.2.7).

use super::Analyser;
use crate::typed::{ArrayLength, FunctionType, QualType, Type, TypeId};

impl Analyser<'_> {
    /// Whether two types with their qualifiers are compatible.
    pub(super) fn are_compatible(&self, a: QualType, b: QualType) -> bool {
        a.qualifiers == b.qualifiers && self.are_compatible_unqualified(a.ty, b.ty)
    }

    /// Whether two types are compatible when their own qualifiers are left
    /// out.
    pub(super) fn are_compatible_unqualified(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.are_compatible(*a, *b),
            (
                Type::Array {
                    element: a,
                    length: m,
                },
                Type::Array {
                    element: b,
                    length: n,
                },
            ) => {
                let differ = matches!(
                    (m, n),
                    (ArrayLength::Constant(m), ArrayLength::Constant(n)) if m != n
                );
                !differ && self.are_compatible(*a, *b)
            }
            (Type::Function(a), Type::Function(b)) => self.are_compatible_functions(a, b),
            (Type::Enum(id), Type::Integer(kind)) | (Type::Integer(kind), Type::Enum(id)) => {
                self.unit.types.enumeration(*id).underlying == *kind
            }
            _ => false,
        }
    }

    fn are_compatible_functions(&self, a: &FunctionType, b: &FunctionType) -> bool {
        // Qualifiers of results and parameters do not count (6.7.6.3, 15).
        if !self.are_compatible_unqualified(a.result.ty, b.result.ty) {
            return false;
        }
        if !a.is_prototype || !b.is_prototype {
            return true;
        }
        a.is_variadic == b.is_variadic
            && a.parameters.len() == b.parameters.len()
            && a.parameters
                .iter()
                .zip(&b.parameters)
                .all(|(a, b)| self.are_compatible_unqualified(a.ty, b.ty))
    }

    /// The composite of two compatible types; the later one where they say
    /// the same.
    pub(super) fn composite(&mut self, old: QualType, new: QualType) -> QualType {
        if old.ty == new.ty {
            return new;
        }
        let ty = match (self.get(old.ty).clone(), self.get(new.ty).clone()) {
            (Type::Pointer(a), Type::Pointer(b)) => {
                let to = self.composite(a, b);
                self.pointer_to(to)
            }
            (
                Type::Array {
                    element: a,
                    length: m,
                },
                Type::Array {
                    element: b,
                    length: n,
                },
            ) => {
                let element = self.composite(a, b);
                let length = match (m, n) {
                    (ArrayLength::Constant(_), _) | (_, ArrayLength::Incomplete) => m,
                    _ => n,
                };
                self.unit.types.intern(Type::Array { element, length })
            }
            (Type::Function(a), Type::Function(b)) => self.composite_function(&a, b),
            _ => new.ty,
        };
        QualType {
            ty,
            qualifiers: new.qualifiers,
        }
    }

    fn composite_function(&mut self, old: &FunctionType, mut new: FunctionType) -> TypeId {
        new.result = self.composite(old.result, new.result);
        if !new.is_prototype && old.is_prototype {
            new.parameters.clone_from(&old.parameters);
            new.is_variadic = old.is_variadic;
            new.is_prototype = true;
        } else if old.is_prototype && old.parameters.len() == new.parameters.len() {
            for (old, new) in old.parameters.iter().zip(&mut new.parameters) {
                *new = self.composite(*old, *new);
            }
        }
        self.unit.types.intern(Type::Function(new))
    }
}
