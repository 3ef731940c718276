//! Which code of a program runs on a GPU, by the numbers of its tokens.
//!
//! ```text
//! HOST_DEVICE Pair(int a) : first(a << 1) { second = a; }
//! begin                     code                        end
//! ```
//!
//! Input: the files of a program. Output: the words that make a function one of the device,
//! macros among them; for a file the code of such functions and lambdas; the macros that this
//! code uses. A `constexpr` function counts, since device code may call it.

use std::collections::HashSet;
use std::ops::Range;

use super::program::{File, Program};
use super::tokens::Tokens;

/// CUDA's own words, and C++'s.
const QUALIFIERS: [&str; 3] = ["__global__", "__device__", "constexpr"];

/// The words of a program that make functions those of the device.
#[derive(Debug)]
pub struct Qualifiers(HashSet<Vec<u8>>);

/// A function or lambda of the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceCode {
    /// Its qualifier.
    pub begin: usize,
    /// What is in its braces, and what the members of a constructor begin with.
    pub code: Range<usize>,
}

impl Qualifiers {
    /// Those that a program has.
    pub fn of(program: &Program) -> Self {
        let mut all: HashSet<String> = QUALIFIERS.map(String::from).into();
        loop {
            let before = all.len();
            for (name, definitions) in &program.macros {
                let mut bodies = definitions.iter().map(|definition| &definition.body);
                let is_one = bodies.any(|body| {
                    let has_code = body.iter().any(|word| word == "{" || word == ";");
                    !has_code && body.iter().any(|word| all.contains(word))
                });
                if is_one {
                    all.insert(name.clone());
                }
            }
            if all.len() == before {
                return Self(all.into_iter().map(String::into_bytes).collect());
            }
        }
    }

    fn has(&self, word: &[u8]) -> bool {
        self.0.contains(word)
    }

    /// The device code of a file.
    pub fn code(&self, file: &File<'_>) -> Vec<DeviceCode> {
        let tokens = file.tokens();
        let conditions = file.conditions();
        let mut all = Vec::new();
        let mut at = 0;
        while at < tokens.list.len() {
            let is_branch = at > 0 && tokens.at(at - 1) == b"if";
            let found = (!is_branch && self.has(tokens.at(at)))
                .then(|| tokens.code_behind(at, &conditions))
                .flatten();
            if let Some(code) = found {
                let begin = at;
                at = code.end;
                all.push(DeviceCode { begin, code });
            }
            at += 1;
        }
        all
    }

    /// The macros that the device code of files uses, or that have such code themselves.
    pub fn used_macros(&self, files: &[File<'_>], program: &Program) -> HashSet<String> {
        let mut used = HashSet::new();
        let mut open: Vec<String> = Vec::new();
        for file in files {
            let tokens = file.tokens();
            for code in self.code(file) {
                let names = code.code.filter(|at| tokens.is_name(*at));
                open.extend(names.map(|at| tokens.word(at)));
            }
        }
        for (name, definitions) in &program.macros {
            let mut words = definitions.iter().flat_map(|definition| &definition.body);
            if words.any(|word| self.has(word.as_bytes())) {
                open.push(name.clone());
            }
        }
        while let Some(name) = open.pop() {
            let Some(definitions) = program.macros.get(&name) else {
                continue;
            };
            if used.insert(name) {
                open.extend(definitions.iter().flat_map(|one| one.body.iter().cloned()));
            }
        }
        used
    }
}

/// Directives that begin or end the branches of `#if`.
type Conditions = [(Range<u32>, String)];

impl Tokens<'_> {
    /// The code of the function that a qualifier is of, if it is defined here.
    fn code_behind(&self, qualifier: usize, conditions: &Conditions) -> Option<Range<usize>> {
        let mut at = qualifier + 1;
        let mut first = None;
        loop {
            let before = self.at(at - 1);
            match self.at(at) {
                b"" | b";" | b"}" => return None,
                b"=" if before != b"operator" => return None,
                b"{" if first.is_none() || matches!(before, b")" | b"}") => break,
                b"(" | b"[" | b"{" => at = self.bracket_end(at),
                b":" if before == b")" && self.is_colon(at) => first = Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        Some(first.unwrap_or(at + 1)..self.body_end(at, conditions))
    }

    /// The brace that closes a body. What both branches of an `#if` open counts once.
    fn body_end(&self, open: usize, conditions: &Conditions) -> usize {
        let start = self.list[open].start;
        let mut later = conditions.iter().filter(|(range, _)| range.start > start);
        let mut next = later.next();
        let mut depth = 0_usize;
        let mut depths = Vec::new();
        // Behind an `#else` whose `#if` stands before the body, up to its `#endif`.
        let mut skipped = None;
        for at in open..self.list.len() {
            while let Some((_, word)) = next.filter(|(range, _)| range.start < self.list[at].start)
            {
                match word.as_str() {
                    "endif" => {
                        depths.pop();
                        skipped = skipped.filter(|level| *level <= depths.len());
                    }
                    word if word.starts_with("el") => match depths.last() {
                        Some(before) => depth = *before,
                        None => {
                            depths.push(depth);
                            skipped = Some(depths.len());
                        }
                    },
                    _ => depths.push(depth),
                }
                next = later.next();
            }
            if skipped.is_some() {
                continue;
            }
            match self.at(at) {
                b"{" => depth += 1,
                b"}" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.list.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Vec<String> {
        let file = File::new(text.as_bytes());
        let mut program = Program::default();
        program.add(&file);
        let all = Qualifiers::of(&program).code(&file);
        all.into_iter().map(|one| file.text_of(one.code)).collect()
    }

    #[test]
    fn functions_lambdas_and_constructors_are_found() {
        let text = "#define DEVICE __host__ ANY\n#define ANY __device__\n\
            __global__ void __launch_bounds__(1) k(int (&x)[2]);\n__device__ int table[] = {1};\n\
            template <int n> __global__ void __launch_bounds__(1) k(int *x) { a; { b; } }\n\
            struct S { DEVICE S(int a) : x(a), y{a} { c; } __device__ int operator()(int) const { d; }\n\
            DEVICE S &operator=(S s) { e; } void host() { if constexpr (1) { f; } } };\n\
            int main() { each([=] __device__ (int i) { g; }); h; }\nDEVICE { }";
        let expected = ["a; { b; }", "x(a), y{a} { c;", "d;", "e;", "g;", ""];
        assert_eq!(code(text), expected);
    }

    #[test]
    fn branches_of_conditions_open_one_brace() {
        let text = "__device__ void f() {\n#if A\nif (a) {\n#elif B\nif (b) {\n#else\nif (c) {\n\
            #endif\n}\n}\nint main() { d; }\n#if A\n__device__ void g() {\n#else\n\
            __device__ void h() {\n#endif\ne; }\nint i() { }\n";
        let all = code(text);
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].ends_with("if (c) { #endif }"), "{all:?}");
        assert!(all[1].ends_with("#endif e;"), "{all:?}");
    }

    #[test]
    fn macros_of_device_code_are_known() {
        let text = "#define A B + 1\n#define B 2\n#define C 3\n#define K __global__ void k() { D; }\n\
            #define D 4\n__device__ int f() { return A; }\nint g() { return C; }\n";
        let file = File::new(text.as_bytes());
        let mut program = Program::default();
        program.add(&file);
        let used = Qualifiers::of(&program).used_macros(&[file], &program);
        let mut used: Vec<String> = used.into_iter().collect();
        used.sort();
        assert_eq!(used, ["A", "B", "D", "K"]);
    }
}
