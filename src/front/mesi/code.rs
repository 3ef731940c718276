//! A program's functions and virtual shared variables.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use crate::front::cuda::memory::{Array, Owner};
use crate::front::cuda::{
    Declared, File, Fun, Function, Macro, Program, Tokens, declared, written,
};

/// A virtual shared variable.
#[derive(Debug)]
pub struct Variable {
    /// How it is declared.
    pub declared: Declared,
    /// The statement that declares it.
    pub statement: Range<usize>,
}

impl Variable {
    fn of(array: &Array) -> Self {
        let own = array.declared.clone();
        let is_array = !own.extents.is_empty() && !own.types.is_empty();
        Self {
            declared: Declared {
                is_pointer: own.is_pointer && !is_array,
                ..own
            },
            statement: array.statement.clone(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.declared.name
    }

    /// It is a pointer, whose memory is shared, and no array or value.
    pub fn is_pointer(&self) -> bool {
        self.declared.is_pointer
    }
}

/// The files of a program.
pub struct Code<'a> {
    /// The file that is compiled, then those that it includes.
    pub files: Vec<File<'a>>,
    /// Macros and words of functions.
    pub program: Program,
    /// All functions with a body.
    pub functions: Vec<Fun>,
    /// Where functions of the first file are declared, by name.
    pub declarations: Vec<Function>,
    /// Virtual shared variables of the first file.
    pub variables: Vec<Variable>,
    /// The local variables whose memory is shared: where they are declared.
    pub locals: BTreeMap<usize, Array>,
    by_name: HashMap<Vec<u8>, Vec<usize>>,
    variables_by_name: HashMap<String, Vec<usize>>,
    /// The variables that macros name.
    in_macros: BTreeSet<usize>,
    /// All words of the first file.
    words: HashSet<Vec<u8>>,
    /// What each name of a type is declared to be.
    types: HashMap<String, Vec<String>>,
    /// How many subscripts lead from a member of a name to a value, where that is an array.
    members: HashMap<String, usize>,
    /// Members that are references, and structures that have such members.
    references: HashSet<String>,
    binding: HashSet<String>,
}

impl<'a> Code<'a> {
    /// Reads all files; some arrays of the host are shared like variables.
    pub fn new(text: &'a [u8], included: &[&'a [u8]], arrays: &[Array]) -> Self {
        let texts = std::iter::once(&text).chain(included);
        let files: Vec<File<'a>> = texts.map(|text| File::scoped(text)).collect();
        let (mut program, mut functions) = (Program::default(), Vec::new());
        let mut declarations = Vec::new();
        for (number, file) in files.iter().enumerate() {
            program.add(file);
            let tokens = file.tokens();
            for function in tokens.functions() {
                match &function.body {
                    Some(_) => functions.push(Fun::new(tokens, number, function)),
                    // A call stands in the body of an operator or lambda.
                    None if number == 0 && function.name > function.first => {
                        declarations.push(function);
                    }
                    None => {}
                }
            }
        }
        let mut variables = variables(files[0].tokens(), &functions);
        let (locals, others): (Vec<_>, Vec<_>) = arrays.iter().partition(|one| one.is_local);
        variables.extend(others.into_iter().map(Variable::of));
        let locals = locals.into_iter();
        let locals = locals.map(|one| (one.declared.token, one.clone()));
        let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (number, fun) in functions.iter().enumerate() {
            let all = by_name.entry(fun.name.clone().into_bytes()).or_default();
            all.push(number);
        }
        let mut variables_by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, one) in variables.iter().enumerate() {
            let all = variables_by_name.entry(one.name().to_owned()).or_default();
            all.push(number);
        }
        let words = program.macros.values().flatten();
        let words = words.flat_map(Macro::own_words);
        let in_macros = words.filter_map(|word| variables_by_name.get(word));
        let (references, binding) = references(&files);
        Self {
            references,
            binding,
            by_name,
            in_macros: in_macros.flatten().copied().collect(),
            variables_by_name,
            words: all_words(files[0].tokens()),
            types: types(&files),
            members: members(&files),
            files,
            program,
            functions,
            declarations,
            variables,
            locals: locals.collect(),
        }
    }

    /// The tokens of a function's file.
    pub fn tokens(&self, fun: &Fun) -> Tokens<'_> {
        self.files[fun.file].tokens()
    }

    /// The functions of a name.
    pub fn named(&self, name: &[u8]) -> impl Iterator<Item = (usize, &Fun)> {
        let all = self.by_name.get(name).into_iter().flatten();
        all.map(|number| (*number, &self.functions[*number]))
    }

    /// Whether the name at a token of the first file is that of a parameter or local variable.
    pub fn is_local(&self, token: usize) -> bool {
        let word = self.files[0].tokens().word(token);
        self.functions.iter().any(|fun| {
            let whole = fun.function.first..fun.body().end;
            fun.file == 0 && whole.contains(&token) && fun.declares(&word)
        })
    }

    /// Whether branches of `#if` are in a function, of which one is compiled.
    pub fn has_branches(&self, fun: &Fun) -> bool {
        let body = fun.body();
        if body.is_empty() {
            return false;
        }
        let file = &self.files[fun.file];
        let place = file.tokens().range(body.start, body.end - 1);
        let mut all = file.conditions().into_iter();
        all.any(|(own, _)| place.contains(&(own.start as usize)))
    }

    /// The virtual shared variable of a name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables_by_name.get(name)?.first().copied()
    }

    /// The virtual shared variables whose names a function or a macro has.
    pub fn variables_in(&self, fun: &Fun) -> BTreeSet<usize> {
        let tokens = self.tokens(fun);
        let names = fun.body().filter(|at| tokens.is_name(*at));
        let named = names.filter_map(|at| self.variables_by_name.get(&tokens.word(at)));
        named.flatten().chain(&self.in_macros).copied().collect()
    }

    /// What stands before the stars and names that a variable's statement declares.
    pub fn base_of(&self, variable: &Variable) -> String {
        let tokens = self.files[0].tokens();
        let statement = variable.statement.clone();
        let all = declared(tokens, statement.clone());
        let end = all.first().map_or(statement.start, |first| first.token);
        let words = (statement.start..end).take_while(|at| !matches!(tokens.at(*at), b"*" | b"("));
        let words = words.map(|at| tokens.word(at));
        let words: Vec<String> = words
            .filter(|word| word != "static" && word != "__global__")
            .collect();
        words.join(" ").replace(" :: ", "::")
    }

    /// The extents of a variable as they are written.
    pub fn extents_of(&self, variable: &Variable) -> String {
        let extents = variable.declared.extents.iter();
        extents
            .map(|range| format!("[{}]", self.files[0].text_of(range.clone())))
            .collect()
    }

    /// A name that begins so and that the file does not have.
    pub fn free_name(&self, wanted: &str) -> String {
        let wanted = written(wanted);
        let mut names = (1..).map(|number| match number {
            1 => wanted.clone().into_owned(),
            _ => format!("{wanted}{number}"),
        });
        let free = names.find(|name| !self.words.contains(name.as_bytes()));
        free.unwrap_or_default()
    }

    /// The words of a type with those that it is another name of.
    pub fn resolved(&self, types: &[String]) -> Vec<String> {
        let mut types = types.to_vec();
        for _ in 0..8 {
            let next = types.iter().find_map(|word| self.types.get(word));
            match next {
                Some(next) => types = next.clone(),
                None => break,
            }
        }
        types
    }

    /// How many subscripts lead from a member of a name to a value; of several structures the most.
    pub fn member_rank(&self, name: &str) -> usize {
        self.members.get(name).copied().unwrap_or_default()
    }

    /// The name of a variable; `::name` where a member of a structure may hide it.
    pub fn reached(&self, name: &str) -> String {
        let tokens = self.files[0].tokens();
        let is_of_file = |variable: usize| {
            let before = 0..self.variables[variable].statement.start;
            let count = |brace: &[u8]| before.clone().filter(|at| tokens.at(*at) == brace).count();
            count(b"{") == count(b"}")
        };
        let hides = |(_, open): (usize, usize)| {
            let members = tokens.statements(open + 1..tokens.bracket_end(open));
            let mut all = members
                .into_iter()
                .flat_map(|one| declared(tokens, one.tokens));
            all.any(|one| one.name == name)
        };
        let is_hidden = self.variable(name).is_some_and(is_of_file)
            && structures(tokens).into_iter().any(hides);
        match is_hidden {
            true => format!("::{name}"),
            false => name.to_owned(),
        }
    }

    /// Whether a structure of a name has a reference as a member.
    pub fn binds(&self, structure: &str) -> bool {
        self.binding.contains(structure)
    }

    /// Whether a member of a name is a reference.
    pub fn is_reference(&self, member: &str) -> bool {
        self.references.contains(member)
    }

    /// How many bytes an element of a type has, where that is known.
    pub fn size_of(&self, types: &[String]) -> Option<u32> {
        let types = self.resolved(types);
        let has = |word: &str| types.iter().any(|own| own == word);
        let is_long = has("long") || has("double") || has("size_t") || has("int64_t");
        match () {
            () if has("*") || is_long => Some(8),
            () if has("char") || has("bool") || has("int8_t") || has("uint8_t") => Some(1),
            () if has("short") || has("int16_t") || has("uint16_t") => Some(2),
            () if has("int") || has("float") || has("unsigned") => Some(4),
            () if has("int32_t") || has("uint32_t") || has("uint") => Some(4),
            () => None,
        }
    }
}

fn all_words(tokens: Tokens<'_>) -> HashSet<Vec<u8>> {
    let all = (0..tokens.list.len()).map(|at| tokens.at(at).to_vec());
    all.collect()
}

/// The types that files give another name.
fn types(files: &[File<'_>]) -> HashMap<String, Vec<String>> {
    let mut named = HashMap::new();
    for file in files {
        let tokens = file.tokens();
        let all = 0..tokens.list.len();
        for at in all.clone().filter(|at| tokens.at(*at) == b"typedef") {
            let Some(end) = (at..all.end).find(|at| tokens.at(*at) == b";") else {
                continue;
            };
            let words = file.words(at + 1..end);
            if let Some((name, rest)) = words.split_last() {
                named.insert(name.clone(), rest.to_vec());
            }
        }
    }
    named
}

/// The structures of a file: their heads' first tokens and their `{`.
fn structures(tokens: Tokens<'_>) -> Vec<(usize, usize)> {
    let is_head = |at: &usize| matches!(tokens.at(*at), b"struct" | b"class" | b"union");
    let heads = (0..tokens.list.len()).filter(is_head);
    let all = heads.filter_map(|head| {
        let ends = |at: &usize| matches!(tokens.at(*at), b"{" | b";" | b"(" | b")" | b"=" | b"*");
        let open = (head..tokens.list.len()).find(ends)?;
        (tokens.at(open) == b"{").then_some((head, open))
    });
    all.collect()
}

/// The members that are references, and the structures that have such members, also within others.
fn references(files: &[File<'_>]) -> (HashSet<String>, HashSet<String>) {
    let (mut members, mut binding) = (HashSet::new(), HashSet::new());
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for file in files {
        let tokens = file.tokens();
        for (head, open) in structures(tokens) {
            let end = tokens.bracket_end(open);
            let own = tokens.statements(open + 1..end).into_iter();
            let own = own.flat_map(|member| declared(tokens, member.tokens));
            let is_member = |one: &Declared| {
                one.is_reference && one.name != "operator" && tokens.at(one.token + 1) != b"("
            };
            let name = tokens.word(head + 1);
            let found: Vec<String> = own.filter(is_member).map(|one| one.name).collect();
            if !found.is_empty() {
                binding.insert(name.clone());
            }
            members.extend(found);
            all.push((name, file.words(head + 2..end)));
        }
    }
    if binding.is_empty() {
        return (members, binding);
    }
    loop {
        let mut others = all.iter().filter(|(name, words)| {
            !binding.contains(name) && words.iter().any(|word| binding.contains(word))
        });
        match others.next() {
            Some((name, _)) => binding.insert(name.clone()),
            None => return (members, binding),
        };
    }
}

/// The members of structures that are arrays, and their ranks.
fn members(files: &[File<'_>]) -> HashMap<String, usize> {
    let mut ranks: HashMap<String, usize> = HashMap::new();
    for file in files {
        let tokens = file.tokens();
        for (_, open) in structures(tokens) {
            for member in tokens.statements(open + 1..tokens.bracket_end(open)) {
                let all = declared(tokens, member.tokens);
                for one in all.into_iter().filter(|one| !one.extents.is_empty()) {
                    let rank = ranks.entry(one.name).or_default();
                    *rank = (*rank).max(one.rank);
                }
            }
        }
    }
    ranks
}

/// The file-scope variables that are declared `__global__`.
fn variables(tokens: Tokens<'_>, functions: &[Fun]) -> Vec<Variable> {
    let own = functions.iter().filter(|fun| fun.file == 0);
    let bodies: Vec<Range<usize>> = own.map(|fun| fun.function.first..fun.body().end).collect();
    let mut variables = Vec::new();
    let mut at = 0;
    while at < tokens.list.len() {
        if let Some(body) = bodies.iter().find(|body| body.contains(&at)) {
            at = body.end;
            continue;
        }
        if tokens.at(at) != b"__global__" {
            at += 1;
            continue;
        }
        let begins = |at: &usize| matches!(tokens.at(*at), b";" | b"{" | b"}");
        let first = (0..at).rev().find(begins).map_or(0, |before| before + 1);
        let mut end = at;
        while end < tokens.list.len() && tokens.at(end) != b";" {
            end = match tokens.at(end) {
                b"(" | b"[" | b"{" => tokens.bracket_end(end) + 1,
                _ => end + 1,
            };
        }
        let statement = first..(end + 1).min(tokens.list.len());
        // A function that is declared has parentheses behind its name.
        let is_function = |one: &Declared| tokens.at(one.token + 1) == b"(";
        let all = declared(tokens, statement.clone());
        variables.extend(all.into_iter().filter(|one| !is_function(one)).map(|own| {
            Variable::of(&Array {
                declared: own,
                statement: statement.clone(),
                is_local: false,
                owner: Owner::Host,
                is_apart: true,
                targets: Vec::new(),
            })
        }));
        at = statement.end;
    }
    variables
}
