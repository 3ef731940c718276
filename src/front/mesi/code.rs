//! A program's functions and virtual shared variables.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::accesses::Binding;
use crate::front::cuda::program::is_name;
use crate::front::cuda::{File, Function, Kind, Program, Statement, Tokens};

/// Words that begin a statement which declares nothing.
const NO_TYPES: [&str; 14] = [
    "return", "delete", "goto", "throw", "new", "else", "case", "using", "typedef", "break",
    "continue", "do", "sizeof", "operator",
];

/// A variable as it is declared: `const float (*p)[4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// Its name.
    pub name: String,
    /// The token of it.
    pub token: usize,
    /// How many subscripts lead to a value.
    pub rank: usize,
    /// It is a pointer, or an array that is a parameter.
    pub is_pointer: bool,
    /// `T &name`.
    pub is_reference: bool,
    /// What stands before its name and stars.
    pub types: Vec<String>,
    /// The extents in brackets, by their tokens.
    pub extents: Vec<Range<usize>>,
    /// What it begins with: behind `=`; behind `:`, what it is an element of.
    pub value: Option<Range<usize>>,
    /// It is an element of a list: `for (T name : list)`.
    pub is_element: bool,
}

impl Declared {
    /// What it is to memory that it is a name of.
    pub const fn binding(&self) -> Binding {
        match (self.is_reference, self.is_element) {
            (false, _) => Binding::Pointer,
            (true, false) => Binding::Reference,
            (true, true) => Binding::Element,
        }
    }
}

/// A function.
#[derive(Debug)]
pub struct Fun {
    /// The number of its file; only the first one is edited.
    pub file: usize,
    /// Its name.
    pub name: String,
    /// Its place.
    pub function: Function,
    /// It begins with `__global__`.
    pub is_kernel: bool,
    /// It runs on the device, and on nothing else.
    pub is_device: bool,
    /// Its parameters.
    pub parameters: Vec<Declared>,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The variables that it declares.
    pub locals: Vec<Declared>,
}

/// A virtual shared variable.
#[derive(Debug)]
pub struct Variable {
    /// How it is declared.
    pub declared: Declared,
    /// The statement that declares it.
    pub statement: Range<usize>,
}

impl Variable {
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
    by_name: HashMap<Vec<u8>, Vec<usize>>,
}

impl<'a> Code<'a> {
    /// Reads all files.
    pub fn new(text: &'a [u8], included: &[&'a [u8]]) -> Self {
        let texts = std::iter::once(&text).chain(included);
        let files: Vec<File<'a>> = texts.map(|text| File::new(text)).collect();
        let (mut program, mut functions) = (Program::default(), Vec::new());
        let mut declarations = Vec::new();
        for (number, file) in files.iter().enumerate() {
            program.add(file);
            let tokens = file.tokens();
            for function in tokens.functions() {
                match &function.body {
                    Some(_) => functions.push(Fun::new(tokens, number, function)),
                    None if number == 0 => declarations.push(function),
                    None => {}
                }
            }
        }
        let variables = variables(files[0].tokens(), &functions);
        let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (number, fun) in functions.iter().enumerate() {
            let all = by_name.entry(fun.name.clone().into_bytes()).or_default();
            all.push(number);
        }
        Self {
            by_name,
            files,
            program,
            functions,
            declarations,
            variables,
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

    /// The virtual shared variable of a name.
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|one| one.name() == name)
    }

    /// What stands before a variable's stars and name.
    pub fn base_of(&self, variable: &Variable) -> String {
        let tokens = self.files[0].tokens();
        let statement = variable.statement.clone();
        let first = self.variables.iter().find(|one| one.statement == statement);
        let end = first.map_or(statement.start, |first| first.declared.token);
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
        let tokens = self.files[0].tokens();
        let taken: BTreeSet<&[u8]> = (0..tokens.list.len()).map(|at| tokens.at(at)).collect();
        let mut names = (1..).map(|number| match number {
            1 => wanted.to_owned(),
            _ => format!("{wanted}{number}"),
        });
        let free = names.find(|name| !taken.contains(name.as_bytes()));
        free.unwrap_or_default()
    }

    /// How many bytes an element of a type has, where that is known.
    pub fn size_of(&self, types: &[String]) -> Option<u32> {
        let mut named: HashMap<String, Vec<String>> = HashMap::new();
        for file in &self.files {
            let tokens = file.tokens();
            for at in 0..tokens.list.len() {
                if tokens.at(at) == b"typedef"
                    && let Some(end) = (at..tokens.list.len()).find(|at| tokens.at(*at) == b";")
                {
                    let words = file.words(at + 1..end);
                    if let Some((name, rest)) = words.split_last() {
                        named.insert(name.clone(), rest.to_vec());
                    }
                }
            }
        }
        let mut types = types.to_vec();
        for _ in 0..8 {
            let next = types.iter().find_map(|word| named.get(word));
            match next {
                Some(next) => types = next.clone(),
                None => break,
            }
        }
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

impl Fun {
    fn new(tokens: Tokens<'_>, file: usize, function: Function) -> Self {
        let has = |word: &[u8]| (function.first..function.name).any(|at| tokens.at(at) == word);
        let parameters = tokens.parts(function.parameters.clone()).into_iter();
        let parameters = parameters
            .filter_map(|part| declarator(tokens, part, true))
            .collect();
        let statements = tokens.statements(function.body.clone().unwrap_or(0..0));
        let mut locals = Vec::new();
        add_locals(tokens, &statements, &mut locals);
        Self {
            file,
            name: tokens.word(function.name),
            is_kernel: has(b"__global__"),
            is_device: has(b"__global__") || has(b"__device__") && !has(b"__host__"),
            function,
            parameters,
            statements,
            locals,
        }
    }

    /// The tokens of its body.
    pub fn body(&self) -> Range<usize> {
        self.function.body.clone().unwrap_or(0..0)
    }

    /// Whether it declares a name, as a parameter or within.
    pub fn declares(&self, name: &str) -> bool {
        let mut all = self.parameters.iter().chain(&self.locals);
        all.any(|one| one.name == name)
    }
}

fn add_locals(tokens: Tokens<'_>, statements: &[Statement], locals: &mut Vec<Declared>) {
    for statement in statements {
        match &statement.kind {
            Kind::Simple(_) => locals.extend(declared(tokens, statement.tokens.clone())),
            Kind::Loop { once, .. } => locals.extend(declared(tokens, once.clone())),
            Kind::Branch { condition, .. } => locals.extend(declared(tokens, condition.clone())),
            Kind::Block(_) | Kind::Label => {}
        }
        for child in statement.children() {
            add_locals(tokens, std::slice::from_ref(child), locals);
        }
    }
}

/// What a statement declares.
pub fn declared(tokens: Tokens<'_>, statement: Range<usize>) -> Vec<Declared> {
    let end = match tokens.at(statement.end.saturating_sub(1)) {
        b";" if !statement.is_empty() => statement.end - 1,
        _ => statement.end,
    };
    if NO_TYPES.contains(&tokens.word(statement.start).as_str()) {
        return Vec::new();
    }
    let mut parts = tokens.parts(statement.start..end).into_iter();
    let Some(first) = parts
        .next()
        .and_then(|part| declarator(tokens, part, false))
    else {
        return Vec::new();
    };
    let types = first.types.clone();
    let others = parts.filter_map(|part| {
        let own = declarator(tokens, part, true)?;
        Some(Declared {
            types: types.clone(),
            ..own
        })
    });
    std::iter::once(first.clone()).chain(others).collect()
}

/// One declarator, after a type unless `is_rest`.
fn declarator(tokens: Tokens<'_>, part: Range<usize>, is_rest: bool) -> Option<Declared> {
    let mut stars = 0;
    let mut is_reference = false;
    let mut words = 0;
    let mut name = None;
    let mut at = part.start;
    while at < part.end {
        match tokens.at(at) {
            b"*" => stars += 1,
            b"&" | b"&&" => is_reference = true,
            b"(" if tokens.at(at + 1) == b"*" => {}
            b")" if stars > 0 => {}
            b"<" if words > 0 => {
                let close = (at..part.end).find(|at| tokens.at(*at).starts_with(b">"))?;
                at = close;
            }
            // `for (T name : list)`
            b":" if tokens.is_colon(at) => break,
            b":" => {}
            _ if tokens.is_name(at) => {
                words += 1;
                name = Some(at);
            }
            _ => break,
        }
        at += 1;
    }
    let token = name.filter(|_| words > 1 || is_rest && words > 0)?;
    let before = at.checked_sub(1)?;
    let is_last = before == token || tokens.at(before) == b")" && before == token + 1;
    let is_range = tokens.is_colon(at);
    let follows = matches!(tokens.at(at), b"=" | b"[" | b"{" | b"(") || at == part.end || is_range;
    if !is_last || !follows || at < part.end && tokens.at(at) == b"=" && tokens.at(at + 1) == b"=" {
        return None;
    }
    let mut extents = Vec::new();
    while at < part.end && tokens.at(at) == b"[" {
        let close = tokens.bracket_end(at);
        extents.push(at + 1..close);
        at = close + 1;
    }
    let has_value = at < part.end && (tokens.at(at) == b"=" || is_range);
    let value = has_value.then(|| at + 1..part.end);
    let types = (part.start..token).map(|at| tokens.word(at));
    let types: Vec<String> = types.filter(|word| is_name(word)).collect();
    let of_parameter = is_rest && !extents.is_empty();
    Some(Declared {
        name: tokens.word(token),
        token,
        rank: stars + extents.len(),
        is_pointer: stars > 0 || of_parameter,
        is_reference,
        types,
        extents,
        value,
        is_element: is_range,
    })
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
            let is_array = !own.extents.is_empty() && !own.types.is_empty();
            Variable {
                declared: Declared {
                    is_pointer: own.is_pointer && !is_array,
                    ..own
                },
                statement: statement.clone(),
            }
        }));
        at = statement.end;
    }
    variables
}
