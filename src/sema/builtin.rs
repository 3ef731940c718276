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

/// Functions by the letters of their prototypes, result first:
/// `v` void, `b` _Bool, `i` int, `u` unsigned, `l` long, `m` unsigned long,
/// `L` long long, `M` unsigned long long, `h` unsigned short, `f` float,
/// `d` double, `e` long double, `q` _Float128, `z` double _Complex,
/// `p` void *, `k` const void *, `s` char *, `t` const char *,
/// `.` more arguments, `?` any arguments.
const PROTOTYPES: &[(&str, &str)] = &[
    ("v", "abort trap unreachable"),
    ("ii", "abs clrsb ffs putchar"),
    ("pm", "alloca malloc"),
    ("pmm", "alloca_with_align calloc"),
    ("pkm.", "assume_aligned"),
    ("ikkm", "bcmp memcmp"),
    ("hh", "bswap16"),
    ("uu", "bswap32"),
    ("mm", "bswap64"),
    ("vpm", "bzero"),
    ("il", "clrsbl ffsl"),
    ("iL", "clrsbll ffsll"),
    ("iu", "clz ctz parity popcount"),
    ("im", "clzl ctzl parityl popcountl"),
    ("iM", "clzll ctzll parityll popcountll"),
    ("vi", "exit"),
    ("lll", "expect"),
    ("llld", "expect_with_probability"),
    ("pp", "extract_return_addr"),
    ("ipt.", "fprintf"),
    ("pu", "frame_address return_address"),
    ("vp", "free"),
    ("ll", "labs"),
    ("LL", "llabs"),
    ("pkim", "memchr"),
    ("ppkm", "memcpy memmove mempcpy"),
    ("ppim", "memset"),
    ("mki", "object_size dynamic_object_size"),
    ("vk.", "prefetch"),
    ("it.", "printf"),
    ("it", "puts cpu_supports cpu_is"),
    ("ppm", "realloc"),
    ("ismt.", "snprintf"),
    ("ist.", "sprintf"),
    ("sst", "stpcpy strcat strcpy"),
    ("sti", "strchr strrchr"),
    ("itt", "strcmp"),
    ("mtt", "strcspn strspn"),
    ("st", "strdup"),
    ("mt", "strlen"),
    (
        "sstm",
        "strncat strncpy __stpcpy_chk __strcat_chk __strcpy_chk",
    ),
    ("ittm", "strncmp"),
    ("stm", "strndup"),
    ("stt", "strpbrk strstr"),
    ("v?", "va_copy va_end va_start"),
    ("vpp", "__clear_cache"),
    ("ppkmm", "__memcpy_chk __memmove_chk __mempcpy_chk"),
    ("ppimm", "__memset_chk"),
    ("sstmm", "__strncat_chk __strncpy_chk"),
    ("ismimt.", "__snprintf_chk"),
    ("isimt.", "__sprintf_chk"),
    ("iit.", "__printf_chk"),
    ("i", "cpu_init"),
    ("M", "ia32_rdtsc"),
];

/// Mathematical functions with a form for `float` (`f` behind the name) and
/// `long double` (`l`); the letters are those of the `double` form.
const MATHEMATICS: &[(&str, &str)] = &[
    (
        "dd",
        "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 \
         expm1 fabs floor gamma j0 j1 lgamma log log10 log1p log2 logb nearbyint rint \
         round sin sinh sqrt tan tanh tgamma trunc y0 y1",
    ),
    (
        "ddd",
        "atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder",
    ),
    ("dz", "cabs carg cimag creal"),
    ("zz", "cexp conj csqrt"),
    ("zzz", "cpow"),
    ("dddd", "fma"),
    ("ddp", "frexp modf"),
    ("d", "huge_val inf"),
    ("id", "ilogb isinf isnan finite signbit"),
    ("ddi", "ldexp powi scalbn"),
    ("Ld", "llrint llround"),
    ("ld", "lrint lround"),
    ("dt", "nan nans"),
    ("ddl", "scalbln"),
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
            ResultRule::Int => self.basic.int,
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
    /// C's `int`.
    Int,
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
        // C's macros of <math.h> are these, which take an argument as it is: a `float` may be
        // subnormal where a `double` is not.
        "isfinite" | "isgreater" | "isgreaterequal" | "isinf" | "isinf_sign" | "isless"
        | "islessequal" | "islessgreater" | "isnan" | "isnormal" | "isunordered" | "signbit" => {
            Some(R::Int)
        }
        other if other.ends_with("_overflow") || other.ends_with("_overflow_p") => Some(R::Bool),
        _ => None,
    }
}

/// The letters of a builtin without its prefix.
fn prototype(name: &str) -> Option<String> {
    let find = |table: &[(&'static str, &str)], name: &str| {
        let has_name = |names: &str| names.split(' ').any(|known| known == name);
        let found = table.iter().find(|(_, names)| has_name(names));
        found.map(|(letters, _)| *letters)
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
