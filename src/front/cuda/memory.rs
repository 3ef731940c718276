//! Where the memory of arrays and pointers is from.
//!
//! ```text
//! float a[64];                                  the host's
//! float *b = (float *)malloc(n);  b = NULL;     the host's
//! float *c; cudaMalloc(&c, n);                  the device's
//! float *d = b;  d = n > 3 ? a : b + 1;  d++;   the others', but not apart from them
//! float *e = get();                             not known
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use super::declared::{Declared, Fun, declared};
use super::tokens::Tokens;

/// Whose memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An array, or each value of a pointer is from `malloc`, `calloc`, `realloc` or `new T[n]`, or in an
    /// array.
    Host,
    /// Each value of a pointer is from `cudaMalloc`.
    Device,
}

/// A variable whose memory is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// How it is declared.
    pub declared: Declared,
    /// The statement that declares it.
    pub statement: Range<usize>,
    /// It is declared in a function.
    pub is_local: bool,
    /// Whose memory.
    pub owner: Owner,
    /// It is no other variable's memory that is apart, too.
    pub is_apart: bool,
    /// Of a pointer: the arrays that it may point into.
    pub targets: Vec<Array>,
}

/// What a pointer is given.
enum Value {
    /// New memory of the host.
    New,
    /// No memory.
    Null,
    /// What one of others points to, or something near it.
    Of(BTreeSet<String>),
    /// The same as another one.
    Copy(String),
}

/// What is known of the values of a pointer.
struct Values {
    /// Whose memory; none where all are of variables that were seen before.
    owner: Option<Owner>,
    is_apart: bool,
    targets: Vec<Array>,
}

impl Values {
    /// One more value; nothing if it is another owner's.
    fn add(&mut self, owner: Owner) -> Option<()> {
        let is_same = self.owner.is_none_or(|own| own == owner);
        self.owner = Some(owner);
        is_same.then_some(())
    }
}

/// The functions of a file and its tokens.
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    /// The tokens.
    pub tokens: Tokens<'a>,
    /// The functions with bodies of this file.
    pub functions: &'a [Fun],
}

impl Scope<'_> {
    /// What a name in a function is, if its memory is known.
    pub fn array(&self, fun: &Fun, name: &str) -> Option<Array> {
        let (mut array, owner) = self.found(fun, name, &mut BTreeSet::new())?;
        array.owner = owner?;
        Some(array)
    }

    /// The same, with the owner apart: none where all values are of those that were seen before.
    fn found(
        &self,
        fun: &Fun,
        name: &str,
        seen: &mut BTreeSet<usize>,
    ) -> Option<(Array, Option<Owner>)> {
        let is_own = |one: &&Declared| one.name == name;
        if fun.parameters.iter().any(|one| one.name == name) {
            return None;
        }
        let mut locals = fun.locals.iter().filter(is_own);
        let first = locals.next();
        // Pointers of one name count as one.
        let others: Vec<&Declared> = locals.collect();
        let is_pointer = |one: &Declared| one.extents.is_empty() && one.rank == 1;
        let (own, statement, is_local) = match first {
            Some(local) if others.is_empty() || is_pointer(local) => {
                (local.clone(), self.statement(local.token), true)
            }
            Some(_) => return None,
            None => {
                let (own, statement) = self.of_file(name)?;
                (own, statement, false)
            }
        };
        if !others.iter().all(|one| is_pointer(one)) {
            return None;
        }
        const NOT_HOST: [&[u8]; 8] = [
            b"extern",
            b"__device__",
            b"__constant__",
            b"__shared__",
            b"__managed__",
            b"__global__",
            b"thread_local",
            b"typedef",
        ];
        let head = statement.start..own.token;
        if head
            .clone()
            .any(|at| NOT_HOST.contains(&self.tokens.at(at)))
            || own.is_reference
            || own.is_element
            || own.rank > own.extents.len().max(1)
            || own.rank == 0
            || is_local && head.clone().any(|at| self.tokens.at(at) == b"static")
        {
            return None;
        }
        let bodies: Vec<(&Fun, Range<usize>)> = match is_local {
            true => vec![(fun, fun.body())],
            false => {
                let others = self.functions.iter().filter(|one| !one.declares(name));
                std::iter::once((fun, statement.clone()))
                    .chain(others.map(|one| (one, one.body())))
                    .collect()
            }
        };
        let is_single = others.is_empty();
        let plain = |owner| Values {
            owner,
            is_apart: true,
            targets: Vec::new(),
        };
        let values = match (own.extents.is_empty(), seen.insert(own.token)) {
            (false, _) => plain(Some(Owner::Host)),
            (true, false) => plain(None),
            (true, true) => self.values(name, bodies, seen)?,
        };
        let array = Array {
            declared: own,
            statement,
            is_local,
            owner: Owner::Host,
            is_apart: is_single && values.is_apart,
            targets: values.targets,
        };
        Some((array, values.owner))
    }

    /// The array that an expression in a function is an address in, if it is known: of one name, without
    /// members and calls.
    pub fn array_in(&self, fun: &Fun, expression: Range<usize>) -> Option<Array> {
        let is_open =
            self.hides(&expression) || !self.unknown_in(fun, expression.clone()).is_empty();
        let mut all = match is_open {
            true => Vec::new(),
            false => self.arrays_in(fun, expression),
        };
        all.pop().filter(|_| all.is_empty())
    }

    /// Whether an expression has members or calls, which may give any address.
    pub fn hides(&self, expression: &Range<usize>) -> bool {
        let tokens = self.tokens;
        expression.clone().any(|at| {
            let is_call = tokens.at(at) == b"(" && at > expression.start && tokens.is_name(at - 1);
            is_call || matches!(tokens.at(at), b"." | b"->")
        })
    }

    /// The names in an expression that may be of the memory which it is an address in: none of members,
    /// of what has them, and in subscripts.
    fn names_in(&self, expression: Range<usize>) -> BTreeSet<String> {
        let tokens = self.tokens;
        let mut names = BTreeSet::new();
        let mut at = expression.start;
        while at < expression.end {
            let mut next = at + 1;
            while tokens.at(next) == b"[" {
                next = tokens.bracket_end(next) + 1;
            }
            let has_members = matches!(tokens.at(next), b"." | b"->");
            if tokens.is_name(at) && !tokens.is_member(at) && !has_members {
                names.insert(tokens.word(at));
            }
            at = next;
        }
        names
    }

    /// The arrays that an expression in a function may be an address in, if their memory is known.
    pub fn arrays_in(&self, fun: &Fun, expression: Range<usize>) -> Vec<Array> {
        let names = self.names_in(expression);
        let mut all: Vec<Array> = Vec::new();
        for array in names.iter().filter_map(|name| self.array(fun, name)) {
            if !all.contains(&array) {
                all.push(array);
            }
        }
        all
    }

    /// The pointers that such an expression names and whose memory is not known.
    pub fn unknown_in(&self, fun: &Fun, expression: Range<usize>) -> Vec<String> {
        let names = self.names_in(expression);
        let unknown = names
            .into_iter()
            .filter(|name| self.array(fun, name).is_none());
        unknown.filter(|name| self.has_address(fun, name)).collect()
    }

    /// Whether a name in a function is an array or a pointer.
    fn has_address(&self, fun: &Fun, name: &str) -> bool {
        let mut own = fun.parameters.iter().chain(&fun.locals);
        let of_file = || self.of_file(name).is_some_and(|(one, _)| one.rank > 0);
        own.any(|one| one.name == name && one.rank > 0) || !fun.declares(name) && of_file()
    }

    /// The statement around a token.
    fn statement(&self, token: usize) -> Range<usize> {
        let tokens = self.tokens;
        let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
        let first = (0..token).rev().find(begins).map_or(0, |before| before + 1);
        let mut end = token;
        while end < tokens.list.len() && tokens.at(end) != b";" {
            end = match tokens.at(end) {
                b"(" | b"[" | b"{" => tokens.bracket_end(end) + 1,
                _ => end + 1,
            };
        }
        first..(end + 1).min(tokens.list.len())
    }

    /// The variable of the file that has a name.
    fn of_file(&self, name: &str) -> Option<(Declared, Range<usize>)> {
        let tokens = self.tokens;
        let is_in = |at: usize, fun: &Fun| (fun.function.first..=fun.body().end).contains(&at);
        let named = (0..tokens.list.len()).filter(|at| tokens.at(*at) == name.as_bytes());
        let mut of_file = named.filter(|at| !self.functions.iter().any(|fun| is_in(*at, fun)));
        of_file.find_map(|at| {
            let statement = self.statement(at);
            let all = declared(tokens, statement.clone());
            let own = all.into_iter().find(|one| one.token == at);
            let own = own.filter(|_| tokens.at(at + 1) != b"(")?;
            Some((own, statement))
        })
    }

    /// What is known of a pointer's values, all of them; nothing where that is not known.
    fn values(
        &self,
        name: &str,
        bodies: Vec<(&Fun, Range<usize>)>,
        seen: &mut BTreeSet<usize>,
    ) -> Option<Values> {
        let tokens = self.tokens;
        let mut known = Values {
            owner: None,
            is_apart: true,
            targets: Vec::new(),
        };
        let all = bodies
            .into_iter()
            .flat_map(|(fun, body)| body.map(move |at| (fun, at)));
        for (fun, at) in all {
            if tokens.at(at) != name.as_bytes() || tokens.is_member(at) {
                continue;
            }
            let before = at.checked_sub(1).map_or(b"".as_slice(), |b| tokens.at(b));
            let is_moved = |word: &[u8]| matches!(word, b"++" | b"--" | b"+=" | b"-=");
            let is_address = before == b"&"
                && tokens.at(at + 1) != b"["
                && !(at > 1 && tokens.ends_operand(at - 2));
            // `*p = 2` is no value of p.
            let is_declared =
                !fun.body().contains(&at) || fun.locals.iter().any(|local| local.token == at);
            let is_value = before == b"*" && !is_declared;
            let value = match tokens.at(at + 1) {
                b"=" | b"+=" | b"-=" if is_value => continue,
                b">>" => return None,
                _ if before == b">>" || self.is_bound(at) => return None,
                next if is_moved(next) || is_moved(before) => {
                    known.is_apart = false;
                    continue;
                }
                _ if is_address && self.is_allocated(at - 1) => {
                    known.add(Owner::Device)?;
                    continue;
                }
                _ if is_address => return None,
                b"=" => self.value(fun, at + 2)?,
                _ => continue,
            };
            let others = match value {
                Value::New => {
                    known.add(Owner::Host)?;
                    continue;
                }
                Value::Null => continue,
                Value::Copy(other) => {
                    known.is_apart &= self.is_swapped(at);
                    BTreeSet::from([other])
                }
                Value::Of(others) => {
                    known.is_apart = false;
                    others
                }
            };
            for other in others {
                let (array, owner) = self.found(fun, &other, seen)?;
                if let Some(owner) = owner {
                    known.add(owner)?;
                }
                match array.declared.extents.is_empty() {
                    true => known.targets.extend(array.targets),
                    false => known.targets.push(array),
                }
            }
        }
        Some(known)
    }

    /// Whether a pointer that is given another one's value there changes places with it: `s = a; a = b;
    /// b = s;`.
    fn is_swapped(&self, at: usize) -> bool {
        let tokens = self.tokens;
        let is_triple = |first: usize| {
            let word = |offset: usize| tokens.at(first + offset);
            let is_copy = |at: usize| word(at + 1) == b"=" && word(at + 3) == b";";
            [0, 4, 8].into_iter().all(is_copy)
                && word(0) == word(10)
                && word(2) == word(4)
                && word(6) == word(8)
                && word(0) != word(2)
        };
        let begins = |back: usize| at.checked_sub(back).is_some_and(is_triple);
        begins(4) || begins(8)
    }

    /// Whether the address that stands there is where `cudaMalloc` puts memory.
    fn is_allocated(&self, address: usize) -> bool {
        let tokens = self.tokens;
        let mut before = address.checked_sub(1);
        while let Some(close) = before.filter(|at| tokens.at(*at) == b")") {
            before = tokens
                .bracket_begin(close)
                .and_then(|open| open.checked_sub(1));
        }
        before.is_some_and(|open| {
            open > 0 && tokens.at(open) == b"(" && tokens.at(open - 1) == b"cudaMalloc"
        })
    }

    /// Whether a reference gets the name: `float *&q = p`, or an argument; or CUDA is told of the memory, so
    /// that kernels may use it where it is.
    fn is_bound(&self, at: usize) -> bool {
        let tokens = self.tokens;
        if at > 2 && tokens.at(at - 1) == b"=" && tokens.at(at - 3) == b"&" {
            return true;
        }
        let is_whole = matches!(tokens.at(at + 1), b"," | b")")
            && at > 0
            && matches!(tokens.at(at - 1), b"," | b"(");
        let Some((callee, position)) = self.call_around(at) else {
            return false;
        };
        let callee = tokens.word(callee);
        let mut functions = self.functions.iter().filter(|one| one.name == callee);
        let binds = |fun: &Fun| {
            let own = fun.parameters.get(position);
            own.is_some_and(|one| one.is_reference)
        };
        callee.starts_with("cudaHost") || is_whole && functions.any(binds)
    }

    /// The name before the parenthesis around a token, and the number of commas between them.
    fn call_around(&self, at: usize) -> Option<(usize, usize)> {
        let tokens = self.tokens;
        let (mut position, mut here) = (0, at);
        loop {
            here = here.checked_sub(1)?;
            match tokens.at(here) {
                b")" | b"]" | b"}" => here = tokens.bracket_begin(here)?,
                b"," => position += 1,
                b"(" => return Some((here.checked_sub(1)?, position)),
                b";" | b"{" | b"[" => return None,
                _ => {}
            }
        }
    }

    /// What is given there in a function; nothing for what is not known.
    fn value(&self, fun: &Fun, first: usize) -> Option<Value> {
        let tokens = self.tokens;
        let mut at = first;
        loop {
            match tokens.at(at) {
                // A cast, or brackets around all.
                b"(" if matches!(tokens.at(tokens.bracket_end(at) + 1), b";" | b",") => at += 1,
                b"(" => at = tokens.bracket_end(at) + 1,
                b"static_cast" | b"reinterpret_cast" => at = tokens.call(at)? + 1,
                b"std" if tokens.touching(at + 1, [b":", b":"]) => at += 3,
                b":" if tokens.touching(at, [b":", b":"]) => at += 2,
                _ => break,
            }
        }
        let ends = |at: usize| matches!(tokens.at(at), b";" | b"," | b")");
        match tokens.at(at) {
            b"malloc" | b"calloc" | b"realloc" => {
                let mut end = tokens.bracket_end(tokens.call(at)?) + 1;
                while tokens.at(end) == b")" {
                    end += 1;
                }
                ends(end).then_some(Value::New)
            }
            b"new" => {
                let stops = |at: &usize| matches!(tokens.at(*at), b"[" | b"(" | b"{" | b";" | b",");
                let open = (at..tokens.list.len()).find(stops)?;
                (tokens.at(open) == b"[").then_some(Value::New)
            }
            b"NULL" | b"nullptr" | b"0" => ends(at + 1).then_some(Value::Null),
            _ if tokens.is_name(at) && ends(at + 1) => Some(Value::Copy(tokens.word(at))),
            _ => self.others(fun, first),
        }
    }

    /// The arrays and pointers of an expression that is an address in one of them.
    fn others(&self, fun: &Fun, first: usize) -> Option<Value> {
        let tokens = self.tokens;
        let mut end = first;
        while !matches!(tokens.at(end), b";" | b"," | b")" | b"") {
            end = match tokens.at(end) {
                b"(" | b"[" | b"{" => tokens.bracket_end(end) + 1,
                _ => end + 1,
            };
        }
        let names = match self.hides(&(first..end)) {
            true => BTreeSet::new(),
            false => self.names_in(first..end),
        };
        let others = names.into_iter().filter(|name| self.has_address(fun, name));
        let others: BTreeSet<String> = others.collect();
        (!others.is_empty()).then_some(Value::Of(others))
    }
}

#[cfg(test)]
mod tests {
    use super::super::program::File;
    use super::*;

    #[test]
    fn owners() {
        let text = "
            static float a[64]; float *g; extern float *other; __device__ float on[4]; float *h;
            float *get(void);
            void fill(float *&p) { p = 0; }
            void set(float *own) { g = (float *)malloc(8); own[0] = 1; g = NULL; }
            void run(float *given) {
                float b[4][4], *row[4];
                float *c = static_cast<float *>(malloc(16)), *d = c + 1, *e = get(), *i = new float[4];
                float *j = new float(3), *k = NULL, *l = (float *)calloc(4, 4), *m = 0;
                cudaMalloc((void **)&h, 4); cudaMalloc(&k, 4); fill(l);
                cudaMalloc(&m, 4); m = (float *)malloc(4);
                float *n = (float *)malloc(4); n++;
                float *o = (float *)malloc(4); float **q = &o;
                float *r = (float *)malloc(4); { float *r = 0; }
                float *s = (float *)malloc(4); { float s[4]; }
                float *u = (float *)malloc(4); cudaHostRegister(u, 4, cudaHostRegisterMapped);
                float *now = (float *)malloc(4), *next = (float *)malloc(4), *first = b;
                float *swap = now; now = next; next = swap;
                float *mixed = now; mixed = get(); float *other_way = mixed;
                float *v = a > c ? a : first + 2, *w = now; w = row[1];
            }";
        let file = File::new(text.as_bytes());
        let tokens = file.tokens();
        let all = tokens.functions().into_iter().filter(|f| f.body.is_some());
        let functions: Vec<Fun> = all.map(|one| Fun::new(tokens, 0, one)).collect();
        let scope = Scope {
            tokens,
            functions: &functions,
        };
        let run = functions.iter().find(|one| one.name == "run").expect("run");
        let owned = |name: &str| scope.array(run, name).map(|one| one.owner);
        for name in ["a", "g", "b", "c", "i", "d", "n", "v"] {
            assert_eq!(owned(name), Some(Owner::Host), "{name}");
        }
        let targets = |name: &str| {
            let own = scope.array(run, name).expect(name).targets.into_iter();
            own.map(|one| one.declared.name).collect::<Vec<_>>()
        };
        assert_eq!(targets("v"), ["a", "b"]);
        assert_eq!(targets("first"), ["b"]);
        assert!(targets("d").is_empty());
        let is_apart = |name: &str| scope.array(run, name).expect(name).is_apart;
        assert!(["a", "c", "now", "next"].into_iter().all(is_apart));
        assert!(
            !["swap", "first", "r", "d", "n", "v"]
                .into_iter()
                .any(is_apart)
        );
        for name in ["now", "next", "swap", "first", "r"] {
            assert_eq!(owned(name), Some(Owner::Host), "{name}");
        }
        for name in ["h", "k"] {
            assert_eq!(owned(name), Some(Owner::Device), "{name}");
        }
        let unknown = [
            "other",
            "on",
            "given",
            "row",
            "e",
            "j",
            "l",
            "m",
            "o",
            "w",
            "s",
            "none",
            "u",
            "mixed",
            "other_way",
        ];
        for name in unknown {
            assert_eq!(owned(name), None, "{name}");
        }
    }
}
