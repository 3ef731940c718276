//! CUDA as C++ without nvcc can read it.
//!
//! Input: the text of a CUDA file, of the user or generated. Output: the same
//! text, line by line, with what no header can supply for the emulation:
//!
//! ```text
//! kernel<16><<<grid, block, bytes>>>(x, n)   ACCRS_LAUNCH(kernel<16>)(grid, block, bytes)(x, n)
//! extern __shared__ float tile[];            float *const tile = …dynamic_shared();
//! cudaLaunchKernel((void *)kernel, …)        cudaLaunchKernel(kernel, …)
//! __noinline__                               __attribute__((noinline))
//! ```
//!
//! A launch is found by its tokens, also in the text of a macro. What is not
//! quite one stays, for the compiler to say what is wrong with it. Kernels that
//! a person launches may be templates whose arguments are deduced, or pointers;
//! the macro finds out which. A generated launch names one function, which
//! is `launch<kernel>(grid, block, bytes)(x, n)`; `NAME.acc.mk` does the same
//! with sed, since each of them has a line of its own.

use std::ops::Deref;

use crate::front::cuda::{Edits, Tokens};
use crate::source::lexer::{self, Language, Token, TokenKind};

/// The qualifier of arrays that a block shares.
const SHARED: &str = include_str!("../../templates/shared_qualifier.txt");

/// The calls that take a kernel as a pointer to anything, a line each: the
/// emulation has to know its parameters.
const CALLS_WITH_KERNEL: &str = include_str!("../../templates/calls_with_kernel.txt");

/// What becomes of a launch around its kernel's name.
#[derive(Clone, Copy)]
struct Spelling {
    before: &'static str,
    after: &'static str,
}

/// Of a kernel that is one function.
const ONE_FUNCTION: Spelling = Spelling {
    before: "accrs::emulation::launch<",
    after: ">(",
};

/// Of any expression that can be launched.
const ANY_KERNEL: Spelling = Spelling {
    before: "ACCRS_LAUNCH(",
    after: ")(",
};

/// A generated text as C++, the emulation's header included before it. At most
/// 256 MiB of it, as the reader of files sees to.
pub fn rewrite_generated(text: &[u8]) -> Vec<u8> {
    edits(text, ONE_FUNCTION).apply(text)
}

/// The same of a text that a person wrote, as edits.
pub fn in_written(text: &[u8]) -> Edits {
    edits(text, ANY_KERNEL)
}

fn edits(text: &[u8], launch: Spelling) -> Edits {
    let mut edits = Edits::default();
    let mut rewrite = |tokens: &[Token]| {
        let tokens = Tokens::new(text, tokens);
        Rewriter { tokens, launch }.rewrite(&mut edits);
    };
    let tokens = lexer::lex_as(Language::Cxx, text).tokens;
    rewrite(&tokens);
    let macros = tokens.iter().filter(|token| {
        token.kind == TokenKind::Directive
            && lexer::directive_name(token.text(text)) == b"define".as_slice()
    });
    for directive in macros {
        // From after the `#`: the rest is no directive to the lexer.
        let range = directive.start as usize + 1..directive.end as usize;
        rewrite(&lexer::lex_fragment_as(Language::Cxx, text, range).tokens);
    }
    edits
}

/// Whether this is the name of a call that takes a kernel.
fn takes_kernel(name: &[u8]) -> bool {
    CALLS_WITH_KERNEL
        .lines()
        .any(|call| call.as_bytes() == name)
}

/// What rewrites the tokens of a file or of a macro.
struct Rewriter<'a> {
    tokens: Tokens<'a>,
    launch: Spelling,
}

impl<'a> Deref for Rewriter<'a> {
    type Target = Tokens<'a>;

    fn deref(&self) -> &Tokens<'a> {
        &self.tokens
    }
}

impl Rewriter<'_> {
    fn rewrite(&self, edits: &mut Edits) {
        let mut scopes = Vec::new();
        for index in 0..self.list.len() {
            match self.at(index) {
                b"{" => scopes.push(self.opens_namespace(index)),
                b"}" => {
                    scopes.pop();
                }
                b"extern" => self.dynamic_shared(index, scopes.iter().all(|is| *is), edits),
                b"<<" => self.launch(index, edits),
                b"__noinline__" if index == 0 || self.at(index - 1) != b"(" => {
                    edits.replace(self.range(index, index), "__attribute__((noinline))");
                }
                call if takes_kernel(call) => self.untyped_kernel(index, edits),
                b"accrs_cta" => self.asked_kernel(index, edits),
                _ => {}
            }
        }
    }

    /// Names the kernel that blocks are chosen for, so that the emulation knows its registers where it
    /// is told these: `accrs_cta::guarded(kernel, …)`.
    fn asked_kernel(&self, index: usize, edits: &mut Edits) {
        let chooses = self.touching(index + 1, [b":", b":"])
            && matches!(self.at(index + 3), b"guarded" | b"exact");
        let is_name = self.is_name(index + 5) && self.at(index + 6) == b",";
        if chooses && self.at(index + 4) == b"(" && is_name {
            let name = self.word(index + 5);
            let named = format!("accrs::emulation::named({name}, \"{name}\")");
            edits.replace(self.range(index + 5, index + 5), &named);
        }
    }

    /// Takes away the cast of the first argument of a call, if it is to a
    /// pointer to anything.
    fn untyped_kernel(&self, call: usize, edits: &mut Edits) {
        const CASTS: [&str; 4] = [
            "( ( void * )",
            "( ( const void * )",
            "( reinterpret_cast < void * >",
            "( reinterpret_cast < const void * >",
        ];
        for cast in CASTS {
            let mut words = (call + 1..).zip(cast.split(' '));
            if words.all(|(index, word)| self.at(index) == word.as_bytes()) {
                let last = call + cast.split(' ').count();
                edits.replace(self.range(call + 2, last), "");
                return;
            }
        }
    }

    /// A launch whose `<<` stands here.
    fn launch(&self, open: usize, edits: &mut Edits) {
        let Some(launch) = self.tokens.launch(open) else {
            return;
        };
        let name = self.range(launch.kernel, launch.kernel);
        edits.insert(name.start, self.launch.before);
        edits.replace(self.range(open, open + 1), self.launch.after);
        edits.replace(self.range(launch.close, launch.close + 1), ")");
    }

    /// Whether a `{` is that of `namespace … {` or `extern "C" {`.
    fn opens_namespace(&self, brace: usize) -> bool {
        let before = (0..brace).rev().map(|index| self.at(index));
        let mut statement = before.take_while(|text| !matches!(*text, b";" | b"{" | b"}" | b")"));
        let is_linkage = brace >= 2
            && self.at(brace - 2) == b"extern"
            && self.list[brace - 1].kind == TokenKind::String;
        is_linkage || statement.any(|text| text == b"namespace")
    }

    /// A declaration of dynamic shared memory that begins here: its elements
    /// are where the emulation says.
    fn dynamic_shared(&self, first: usize, is_global: bool, edits: &mut Edits) {
        if self.at(first + 1) != SHARED.as_bytes() {
            return;
        }
        let rest = first + 2..self.list.len();
        let Some(end) = rest.into_iter().find(|index| self.at(*index) == b";") else {
            return;
        };
        let brackets = end >= first + 6 && self.at(end - 2) == b"[" && self.at(end - 1) == b"]";
        if !brackets || !self.is_name(end - 3) {
            return;
        }
        let mut begin = first + 2;
        while [b"__align__".as_slice(), b"alignas"].contains(&self.at(begin)) {
            let closes = |index: &usize| {
                self.at(*index) == b")" && self.bracket_begin(*index) == Some(begin + 1)
            };
            let Some(close) = (begin..end).find(closes) else {
                return;
            };
            begin = close + 1;
        }
        if begin >= end - 3 {
            return;
        }
        let text = |first, last| String::from_utf8_lossy(&self.text[self.range(first, last)]);
        let (kind, name) = (text(begin, end - 4), text(end - 3, end - 3));
        let declaration = if is_global {
            format!("static const accrs::emulation::DynamicShared<{kind}> {name}")
        } else {
            format!("{kind} *const {name} = accrs::emulation::DynamicShared<{kind}>()")
        };
        let replaced = self.range(first, first).start..self.range(end, end).start;
        let lines = memchr::memchr_iter(b'\n', &self.text[replaced.clone()]).count();
        edits.replace(replaced, &(declaration + &"\n".repeat(lines)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spelled with « and » for the brackets of a launch, and with `shared` for
    /// the qualifier: generated text stands in templates alone.
    fn cuda(text: &str) -> String {
        text.replace('«', &"<".repeat(3))
            .replace('»', &">".repeat(3))
            .replace("shared ", &format!("{SHARED} "))
    }

    fn rewritten(text: &str) -> String {
        String::from_utf8(rewrite_generated(cuda(text).as_bytes())).unwrap()
    }

    fn written(text: &str) -> String {
        {
            let text = cuda(text);
            String::from_utf8(in_written(text.as_bytes()).apply(text.as_bytes())).unwrap()
        }
    }

    fn stays(text: &str) {
        assert_eq!(rewritten(text), cuda(text));
    }

    const LAUNCH: &str = "accrs::emulation::launch";

    #[test]
    fn launches_become_calls() {
        assert_eq!(
            rewritten("int a = b << 3;\n    add«grid, block, 0, accrs::stream()»(n, d_x);\n"),
            format!(
                "int a = b << 3;\n    {LAUNCH}<add>(grid, block, 0, accrs::stream())(n, d_x);\n"
            )
        );
        assert_eq!(
            rewritten("file_acc::add<float, 4>«g, b»();"),
            format!("{LAUNCH}<file_acc::add<float, 4>>(g, b)();")
        );
    }

    #[test]
    fn names_of_kernels_are_found_whole() {
        for name in [
            "::add",
            "a::b<c<4>>::add",
            "add<(4 > 2)>",
            "add<a<b<int>>>",
            "a<4>::template add<2>",
            "(add<2>)",
            "add<::n::T, '>'>",
        ] {
            for before in ["return ", "{ ", "if (a > b) ", "x = y; ", "else "] {
                assert_eq!(
                    rewritten(&format!("{before}{name}«1, 2»(3);")),
                    format!("{before}{LAUNCH}<{name}>(1, 2)(3);")
                );
            }
        }
    }

    #[test]
    fn configurations_have_operators_and_lines() {
        assert_eq!(
            rewritten("add«(n >> 3) + a[b>>1], dim3{1, 2},\n n >> 1 // »(\n»(x); b «1»(2);"),
            format!(
                "{LAUNCH}<add>((n >> 3) + a[b>>1], dim3{{1, 2}},\n n >> 1 // {}(\n)(x); {LAUNCH}<b >(1)(2);",
                ">".repeat(3)
            )
        );
    }

    #[test]
    fn macros_have_launches() {
        assert_eq!(
            rewritten("#define RUN(k, ...) \\\n    k«1, 2»(__VA_ARGS__)\nRUN(a, 1);\n"),
            format!("#define RUN(k, ...) \\\n    {LAUNCH}<k>(1, 2)(__VA_ARGS__)\nRUN(a, 1);\n")
        );
    }

    #[test]
    fn what_is_no_launch_stays() {
        stays("// add«1, 2»(3);\n/* add«1, 2»(3) */ \"add«1, 2»(3)\" R\"(add«1, 2»(3))\"");
        stays("a << b; c <<= d; e < f; g<h<i>>(j); operator«int»(k);");
        stays("add«1, 2; add»(3)");
        stays("add«1, (2»(3)");
        stays("«1, 2»(3); 4«1»(2)");
    }

    #[test]
    fn dynamic_shared_memory_is_where_the_emulation_says() {
        let shared = "accrs::emulation::DynamicShared";
        assert_eq!(
            rewritten("namespace n { void k() { extern shared float4 tile[]; } }"),
            format!("namespace n {{ void k() {{ float4 *const tile = {shared}<float4>(); }} }}")
        );
        assert_eq!(
            rewritten(
                "namespace { extern \"C\" { extern shared __align__(sizeof(T)) unsigned char\n a[]; } }"
            ),
            format!("namespace {{ extern \"C\" {{ static const {shared}<unsigned char> a\n; }} }}")
        );
        stays("extern int shared [];");
        stays("extern shared tile[];");
        stays("shared float tile[4];");
        rewrite_generated(cuda("extern shared k«1»(2) a[];").as_bytes());
    }

    #[test]
    fn kernels_that_people_launch_are_any_expression() {
        assert_eq!(
            written("scale«g, b»(x); table[i]«1, 2»(); red<4, int>«1, 2»(y);"),
            "ACCRS_LAUNCH(scale)(g, b)(x); ACCRS_LAUNCH(table[i])(1, 2)(); \
             ACCRS_LAUNCH(red<4, int>)(1, 2)(y);"
        );
        assert_eq!(
            written("this->run«1, 2»(); a.b[0]->c«1, 2»();"),
            "ACCRS_LAUNCH(this->run)(1, 2)(); ACCRS_LAUNCH(a.b[0]->c)(1, 2)();"
        );
    }

    #[test]
    fn kernels_keep_their_types_in_calls() {
        for call in CALLS_WITH_KERNEL.lines() {
            for (cast, kernel) in [
                ("(const void *)add", "add"),
                ("(void *)add<int>", "add<int>"),
                ("reinterpret_cast<void *>(add<int>)", "(add<int>)"),
                ("add", "add"),
            ] {
                assert_eq!(
                    written(&format!("{call}({cast}, g, b, a);")),
                    format!("{call}({kernel}, g, b, a);")
                );
            }
        }
        assert_eq!(
            written("__noinline__ int f(); __attribute__((__noinline__)) int g();"),
            "__attribute__((noinline)) int f(); __attribute__((__noinline__)) int g();"
        );
    }
}
