//! The compiler's own functions (`__builtin_…`, `__sync_…`, `__atomic_…`).
//!
//! Those with a fixed prototype are declared when first used, from a table;
//! those whose type depends on their arguments are typed here one by one.
//! Whatever is unknown returns `int`: the user's compiler knows better.

use super::Analyser;
use crate::ast;
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, FloatingKind, FunctionType, IntegerKind, QualType, Symbol,
    SymbolId, SymbolKind, Type, TypeId, constant,
};

/// Prototypes by letters, result first:
/// `v` void, `b` _Bool, `i` int, `u` unsigned, `l` long, `m` unsigned long,
/// `L` long long, `M` unsigned long long, `h` unsigned short, `f` float,
/// `d` double, `e` long double, `q` _Float128, `z` double _Complex,
/// `p` void *, `k` const void *, `s` char *, `t` const char *,
/// `.` more arguments, `?` any arguments.
const PROTOTYPES: &[(&str, &str)] = &[
    ("abort", "v"),
    ("abs", "ii"),
    ("alloca", "pm"),
    ("alloca_with_align", "pmm"),
    ("assume_aligned", "pkm."),
    ("bcmp", "ikkm"),
    ("bswap16", "hh"),
    ("bswap32", "uu"),
    ("bswap64", "mm"),
    ("bzero", "vpm"),
    ("calloc", "pmm"),
    ("clrsb", "ii"),
    ("clrsbl", "il"),
    ("clrsbll", "iL"),
    ("clz", "iu"),
    ("clzl", "im"),
    ("clzll", "iM"),
    ("ctz", "iu"),
    ("ctzl", "im"),
    ("ctzll", "iM"),
    ("exit", "vi"),
    ("expect", "lll"),
    ("expect_with_probability", "llld"),
    ("extract_return_addr", "pp"),
    ("ffs", "ii"),
    ("ffsl", "il"),
    ("ffsll", "iL"),
    ("fprintf", "ipt."),
    ("frame_address", "pu"),
    ("free", "vp"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pm"),
    ("memchr", "pkim"),
    ("memcmp", "ikkm"),
    ("memcpy", "ppkm"),
    ("memmove", "ppkm"),
    ("mempcpy", "ppkm"),
    ("memset", "ppim"),
    ("object_size", "mki"),
    ("dynamic_object_size", "mki"),
    ("parity", "iu"),
    ("parityl", "im"),
    ("parityll", "iM"),
    ("popcount", "iu"),
    ("popcountl", "im"),
    ("popcountll", "iM"),
    ("prefetch", "vk."),
    ("printf", "it."),
    ("putchar", "ii"),
    ("puts", "it"),
    ("realloc", "ppm"),
    ("return_address", "pu"),
    ("snprintf", "ismt."),
    ("sprintf", "ist."),
    ("stpcpy", "sst"),
    ("strcat", "sst"),
    ("strchr", "sti"),
    ("strcmp", "itt"),
    ("strcpy", "sst"),
    ("strcspn", "mtt"),
    ("strdup", "st"),
    ("strlen", "mt"),
    ("strncat", "sstm"),
    ("strncmp", "ittm"),
    ("strncpy", "sstm"),
    ("strndup", "stm"),
    ("strpbrk", "stt"),
    ("strrchr", "sti"),
    ("strspn", "mtt"),
    ("strstr", "stt"),
    ("trap", "v"),
    ("unreachable", "v"),
    ("va_copy", "v?"),
    ("va_end", "v?"),
    ("va_start", "v?"),
    ("__clear_cache", "vpp"),
    ("__memcpy_chk", "ppkmm"),
    ("__memmove_chk", "ppkmm"),
    ("__mempcpy_chk", "ppkmm"),
    ("__memset_chk", "ppimm"),
    ("__stpcpy_chk", "sstm"),
    ("__strcat_chk", "sstm"),
    ("__strcpy_chk", "sstm"),
    ("__strncat_chk", "sstmm"),
    ("__strncpy_chk", "sstmm"),
    ("__snprintf_chk", "ismimt."),
    ("__sprintf_chk", "isimt."),
    ("__printf_chk", "iit."),
    ("cpu_init", "i"),
    ("cpu_supports", "it"),
    ("cpu_is", "it"),
    ("ia32_rdtsc", "M"),
    ("isinf_sign", "i?"),
];

/// Mathematical functions with a form for `float` (`f` behind the name) and
/// `long double` (`l`); the letters are those of the `double` form.
const MATHEMATICS: &[(&str, &str)] = &[
    ("acos", "dd"),
    ("acosh", "dd"),
    ("asin", "dd"),
    ("asinh", "dd"),
    ("atan", "dd"),
    ("atan2", "ddd"),
    ("atanh", "dd"),
    ("cabs", "dz"),
    ("carg", "dz"),
    ("cbrt", "dd"),
    ("ceil", "dd"),
    ("cexp", "zz"),
    ("cimag", "dz"),
    ("conj", "zz"),
    ("copysign", "ddd"),
    ("cos", "dd"),
    ("cosh", "dd"),
    ("cpow", "zzz"),
    ("creal", "dz"),
    ("csqrt", "zz"),
    ("drem", "ddd"),
    ("erf", "dd"),
    ("erfc", "dd"),
    ("exp", "dd"),
    ("exp10", "dd"),
    ("exp2", "dd"),
    ("expm1", "dd"),
    ("fabs", "dd"),
    ("fdim", "ddd"),
    ("floor", "dd"),
    ("fma", "dddd"),
    ("fmax", "ddd"),
    ("fmin", "ddd"),
    ("fmod", "ddd"),
    ("frexp", "ddp"),
    ("gamma", "dd"),
    ("huge_val", "d"),
    ("hypot", "ddd"),
    ("ilogb", "id"),
    ("inf", "d"),
    ("isinf", "id"),
    ("isnan", "id"),
    ("finite", "id"),
    ("j0", "dd"),
    ("j1", "dd"),
    ("ldexp", "ddi"),
    ("lgamma", "dd"),
    ("llrint", "Ld"),
    ("llround", "Ld"),
    ("log", "dd"),
    ("log10", "dd"),
    ("log1p", "dd"),
    ("log2", "dd"),
    ("logb", "dd"),
    ("lrint", "ld"),
    ("lround", "ld"),
    ("modf", "ddp"),
    ("nan", "dt"),
    ("nans", "dt"),
    ("nearbyint", "dd"),
    ("nextafter", "ddd"),
    ("pow", "ddd"),
    ("powi", "ddi"),
    ("remainder", "ddd"),
    ("rint", "dd"),
    ("round", "dd"),
    ("scalbln", "ddl"),
    ("scalbn", "ddi"),
    ("signbit", "id"),
    ("sin", "dd"),
    ("sinh", "dd"),
    ("sqrt", "dd"),
    ("tan", "dd"),
    ("tanh", "dd"),
    ("tgamma", "dd"),
    ("trunc", "dd"),
    ("y0", "dd"),
    ("y1", "dd"),
];

/// Prefixes that belong to the compiler.
const PREFIXES: [&str; 4] = ["__builtin_", "__sync_", "__atomic_", "__c11_atomic_"];

impl Analyser<'_> {
    /// The symbol of one of the compiler's own functions, made on first use.
    pub(super) fn builtin_symbol(&mut self, name: &str) -> Option<SymbolId> {
        if !PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
            return None;
        }
        if let Some(&id) = self.builtins.get(name) {
            return Some(id);
        }
        let letters = name.strip_prefix("__builtin_").and_then(prototype);
        let ty = self.prototype_type(letters.as_deref().unwrap_or("i?"));
        Some(self.undeclared_symbol(name, ty, true, Span::default()))
    }

    /// The symbol of a function that is called without a declaration, made on
    /// first use. As compilers take it: a function of the C library has the
    /// type that the library gives it, any other returns `int` (C90 3.3.2.2).
    pub(super) fn implicit_function(&mut self, name: &str, span: Span) -> SymbolId {
        if let Some(&id) = self.builtins.get(name) {
            return id;
        }
        let letters = library_prototype(name);
        let ty = self.prototype_type(letters.as_deref().unwrap_or("i?"));
        self.undeclared_symbol(name, ty, letters.is_some(), span)
    }

    /// A symbol for a function that the unit does not declare.
    fn undeclared_symbol(
        &mut self,
        name: &str,
        ty: TypeId,
        is_builtin: bool,
        span: Span,
    ) -> SymbolId {
        let id = self.unit.add_symbol(Symbol {
            name: name.to_string(),
            kind: SymbolKind::Function {
                is_static: false,
                is_inline: false,
                is_builtin,
            },
            ty: QualType::plain(ty),
            span,
        });
        self.builtins.insert(name.to_string(), id);
        id
    }

    fn prototype_type(&mut self, letters: &str) -> TypeId {
        let mut types = letters
            .chars()
            .filter_map(|letter| self.letter(letter))
            .map(QualType::plain)
            .collect::<Vec<_>>()
            .into_iter();
        let void = QualType::plain(self.basic.void);
        let function = FunctionType {
            result: types.next().unwrap_or(void),
            parameters: types.collect(),
            is_variadic: letters.contains('.'),
            is_prototype: !letters.contains('?'),
        };
        self.unit.types.intern(Type::Function(function))
    }

    fn letter(&mut self, letter: char) -> Option<TypeId> {
        use IntegerKind as I;
        let ty = match letter {
            'v' => Type::Void,
            'b' => Type::Bool,
            'i' => Type::Integer(I::Int),
            'u' => Type::Integer(I::UnsignedInt),
            'l' => Type::Integer(I::Long),
            'm' => Type::Integer(I::UnsignedLong),
            'L' => Type::Integer(I::LongLong),
            'M' => Type::Integer(I::UnsignedLongLong),
            'h' => Type::Integer(I::UnsignedShort),
            'f' => Type::Floating(FloatingKind::Float),
            'd' => Type::Floating(FloatingKind::Double),
            'e' => Type::Floating(FloatingKind::LongDouble),
            'q' => Type::Floating(FloatingKind::Float128),
            'w' => Type::Complex(FloatingKind::Float),
            'z' => Type::Complex(FloatingKind::Double),
            'y' => Type::Complex(FloatingKind::LongDouble),
            'p' | 'k' | 's' | 't' => {
                let to = match letter {
                    's' | 't' => self.basic.char,
                    _ => self.basic.void,
                };
                let mut to = QualType::plain(to);
                to.qualifiers.is_const = matches!(letter, 'k' | 't');
                Type::Pointer(to)
            }
            _ => return None,
        };
        Some(self.unit.types.intern(ty))
    }

    /// A call of a builtin whose type depends on its arguments.
    pub(super) fn generic_builtin(
        &mut self,
        name: &str,
        at: Span,
        arguments: &[ast::Expression],
        span: Span,
    ) -> Option<Expression> {
        match name {
            "__builtin_constant_p" => {
                let e = self.value(arguments.first()?);
                let is_constant = constant::evaluate(&self.unit, &e).is_some()
                    || constant::floating(&self.unit, &e).is_some()
                    || matches!(e.inner().kind, ExpressionKind::String { .. });
                return Some(self.integer(i128::from(is_constant), self.basic.int, span));
            }
            "__builtin_tgmath" => return self.type_generic_call(arguments, span),
            _ => {}
        }
        let rule = result_rule(name)?;
        let symbol = self.builtin_symbol(name)?;
        let arguments = self.arguments(arguments);
        let first = arguments.first().map(|e| e.ty.ty);
        let ty = match rule {
            ResultRule::First => first?,
            ResultRule::Pointee => match *self.get(first?) {
                Type::Pointer(to) => to.ty,
                _ => self.basic.int,
            },
            ResultRule::Complex => match *self.get(first?) {
                Type::Floating(kind) => self.unit.types.intern(Type::Complex(kind)),
                _ => self.unit.types.intern(Type::Complex(FloatingKind::Double)),
            },
            ResultRule::Bool => self.basic.bool,
            ResultRule::Void => self.basic.void,
        };
        let kind = ExpressionKind::Call {
            function: Box::new(self.symbol(symbol, at)),
            arguments,
        };
        Some(self.make(kind, ty, span))
    }

    /// GCC's `__builtin_tgmath(f, g, …, x, …)`, on which `<tgmath.h>` is
    /// built: the function whose parameters have the arguments' common type.
    fn type_generic_call(
        &mut self,
        arguments: &[ast::Expression],
        span: Span,
    ) -> Option<Expression> {
        let mut functions = Vec::new();
        let mut values = Vec::new();
        for argument in arguments {
            let e = self.expression(argument);
            if values.is_empty() && matches!(self.get(e.ty.ty), Type::Function(_)) {
                functions.push(e);
            } else {
                values.push(self.decay(e));
            }
        }
        let model = self.parameter_types(functions.first()?);
        let mut common = None;
        for (value, parameter) in values.iter().zip(&model) {
            if !matches!(self.get(*parameter), Type::Floating(_) | Type::Complex(_)) {
                continue;
            }
            let mut ty = self.promoted(value.ty.ty);
            if self.unit.types.is_integer(ty) {
                ty = self.basic.double;
            }
            common = Some(match common {
                Some(common) => self.common_arithmetic(common, ty),
                None => ty,
            });
        }
        let common = common?;
        let widened = match *self.get(common) {
            Type::Floating(kind) => self.unit.types.intern(Type::Complex(kind)),
            _ => common,
        };
        let chosen = [common, widened].iter().find_map(|ty| {
            functions
                .iter()
                .position(|f| self.parameter_types(f).contains(ty))
        });
        let function = functions.swap_remove(chosen.unwrap_or(0));
        Some(self.call_of(function, values, span))
    }

    fn parameter_types(&self, function: &Expression) -> Vec<TypeId> {
        match self.get(function.ty.ty) {
            Type::Function(ty) => ty.parameters.iter().map(|ty| ty.ty).collect(),
            _ => Vec::new(),
        }
    }
}

/// How the result of a generic builtin follows from its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultRule {
    /// The type of the first argument.
    First,
    /// What the first argument points to.
    Pointee,
    /// The complex type of the first argument.
    Complex,
    Bool,
    Void,
}

fn result_rule(name: &str) -> Option<ResultRule> {
    use ResultRule as R;
    if let Some(operation) = name.strip_prefix("__sync_") {
        return Some(match operation {
            "synchronize" | "lock_release" => R::Void,
            _ if operation.starts_with("bool_") => R::Bool,
            _ => R::Pointee,
        });
    }
    let atomic = name
        .strip_prefix("__atomic_")
        .or_else(|| name.strip_prefix("__c11_atomic_"));
    if let Some(operation) = atomic {
        return Some(match operation {
            "store" | "store_n" | "load" | "exchange" | "clear" | "thread_fence"
            | "signal_fence" | "init" => R::Void,
            "test_and_set" | "is_lock_free" | "always_lock_free" => R::Bool,
            _ if operation.starts_with("compare_exchange") => R::Bool,
            _ => R::Pointee,
        });
    }
    match name.strip_prefix("__builtin_")? {
        "shuffle" | "shufflevector" | "speculation_safe_value" | "nondeterministic_value" => {
            Some(R::First)
        }
        "complex" => Some(R::Complex),
        other if other.ends_with("_overflow") || other.ends_with("_overflow_p") => Some(R::Bool),
        _ => None,
    }
}

/// The letters of a builtin without its prefix.
fn prototype(name: &str) -> Option<String> {
    let find = |table: &[(&str, &'static str)], name: &str| {
        table
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, letters)| *letters)
    };
    if let Some(letters) = find(PROTOTYPES, name).or_else(|| find(MATHEMATICS, name)) {
        return Some(letters.to_string());
    }
    let forms: &[(&str, char, char)] = &[
        ("f128", 'q', 'y'),
        ("f64x", 'e', 'y'),
        ("f32x", 'd', 'z'),
        ("f64", 'd', 'z'),
        ("f32", 'f', 'w'),
        ("f", 'f', 'w'),
        ("l", 'e', 'y'),
        ("q", 'q', 'y'),
    ];
    forms.iter().find_map(|(suffix, real, complex)| {
        let base = name.strip_suffix(suffix)?;
        let letters = find(MATHEMATICS, base)?;
        let replace = |letter| match letter {
            'd' => *real,
            'z' => *complex,
            other => other,
        };
        Some(letters.chars().map(replace).collect())
    })
}

/// The letters of a function of the C library: of a builtin that C programs
/// know by its bare name.
fn library_prototype(name: &str) -> Option<String> {
    const COMPILERS_OWN: &[&str] = &[
        "__",
        "alloca_",
        "assume_",
        "bswap",
        "clrsb",
        "clz",
        "cpu_",
        "ctz",
        "dynamic_",
        "expect",
        "extract_",
        "frame_",
        "huge_val",
        "ia32_",
        "inf",
        "isinf_",
        "nans",
        "object_",
        "parity",
        "popcount",
        "powi",
        "prefetch",
        "return_",
        "trap",
        "unreachable",
        "va_",
    ];
    match COMPILERS_OWN.iter().any(|own| name.starts_with(own)) {
        true => None,
        false => prototype(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_functions_of_the_library_have_types_without_declarations() {
        assert_eq!(library_prototype("memset").as_deref(), Some("ppim"));
        assert_eq!(library_prototype("fabsf").as_deref(), Some("ff"));
        assert_eq!(library_prototype("expect"), None);
        assert_eq!(library_prototype("inf"), None);
        assert_eq!(library_prototype("gettimeofday"), None);
    }

    #[test]
    fn mathematics_has_a_form_for_each_precision() {
        assert_eq!(prototype("sqrt").as_deref(), Some("dd"));
        assert_eq!(prototype("sqrtf").as_deref(), Some("ff"));
        assert_eq!(prototype("huge_vall").as_deref(), Some("e"));
        assert_eq!(prototype("inff128").as_deref(), Some("q"));
        assert_eq!(prototype("cabsf").as_deref(), Some("fw"));
        assert_eq!(prototype("popcountll").as_deref(), Some("iM"));
        assert_eq!(prototype("ia32_addss"), None);
    }

    #[test]
    fn atomics_return_what_they_point_to() {
        assert_eq!(
            result_rule("__sync_fetch_and_add"),
            Some(ResultRule::Pointee)
        );
        assert_eq!(
            result_rule("__sync_bool_compare_and_swap"),
            Some(ResultRule::Bool)
        );
        assert_eq!(result_rule("__atomic_store_n"), Some(ResultRule::Void));
        assert_eq!(
            result_rule("__builtin_mul_overflow"),
            Some(ResultRule::Bool)
        );
        assert_eq!(result_rule("__builtin_sqrt"), None);
    }
}
