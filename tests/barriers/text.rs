//! CUDA text as a tree, as far as the search for barriers needs one: tokens, statements, scopes.

/// A word or an operator.
pub type Token = String;

/// A statement of a kernel.
#[derive(Debug)]
pub enum Node {
    /// An expression or a declaration.
    Simple(Vec<Token>),
    Block(Vec<Node>),
    If(Vec<Token>, Vec<Node>, Vec<Node>),
    /// `for`, `while`, `do`: initialiser, condition, step, body.
    Loop(Vec<Token>, Vec<Token>, Vec<Token>, Vec<Node>),
    Switch(Vec<Token>, Vec<Node>),
    Break,
    Continue,
    Return,
}

/// A function with `__global__`.
#[derive(Debug)]
pub struct Kernel {
    pub name: String,
    pub parameters: Vec<Vec<Token>>,
    pub body: Vec<Node>,
}

/// Operators of more than one character, longer ones first.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "::", "->", "++", "--", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>",
];

/// The tokens of a text without comments and preprocessor lines.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        } else if rest.starts_with("//") || first == '#' {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.split_once("*/").map_or("", |(_, after)| after);
            continue;
        } else if first == '"' || first == '\'' {
            literal(rest, first)
        } else if is_word(first) {
            let number = first.is_ascii_digit();
            rest.find(|c| !(is_word(c) || number && c == '.'))
                .unwrap_or(rest.len())
        } else {
            let operator = OPERATORS.iter().find(|op| rest.starts_with(**op));
            operator.map_or(first.len_utf8(), |op| op.len())
        };
        found.push(rest[..length].to_string());
        rest = &rest[length..];
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The kernels of a file.
pub fn kernels(text: &str) -> Vec<Kernel> {
    let tokens = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = tokens[at..].iter().position(|t| t == "__global__") {
        let mut parser = Parser {
            tokens: &tokens,
            at: at + next + 1,
        };
        found.push(parser.kernel());
        at = parser.at;
    }
    found
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn peek_is(&self, wanted: &str) -> bool {
        self.peek() == wanted
    }

    fn take(&mut self) -> Token {
        let token = self.peek().to_string();
        assert!(!token.is_empty(), "the text ends within a kernel");
        self.at += 1;
        token
    }

    fn skip(&mut self, wanted: &str) {
        let token = self.take();
        assert_eq!(token, wanted, "in a kernel's text");
    }

    /// What is in brackets, which are skipped.
    fn bracketed(&mut self) -> Vec<Token> {
        self.skip("(");
        let mut depth = 1;
        let mut inside = Vec::new();
        loop {
            let token = self.take();
            match token.as_str() {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return inside;
            }
            inside.push(token);
        }
    }

    fn kernel(&mut self) -> Kernel {
        let mut name = String::new();
        while !self.peek_is("(") || name == "__launch_bounds__" {
            if self.peek_is("(") {
                self.bracketed();
                name.clear();
            } else {
                name = self.take();
            }
        }
        let parameters = split(&self.bracketed(), ",");
        Kernel {
            name,
            parameters,
            body: self.block(),
        }
    }

    fn block(&mut self) -> Vec<Node> {
        self.skip("{");
        let mut list = Vec::new();
        while !self.peek_is("}") {
            list.push(self.statement());
        }
        self.skip("}");
        list
    }

    /// A statement as the body of another.
    fn body(&mut self) -> Vec<Node> {
        if self.peek_is("{") {
            self.block()
        } else {
            vec![self.statement()]
        }
    }

    fn statement(&mut self) -> Node {
        match self.peek() {
            "{" => Node::Block(self.block()),
            "if" => {
                self.take();
                let condition = self.bracketed();
                let then = self.body();
                let otherwise = if self.peek_is("else") {
                    self.take();
                    self.body()
                } else {
                    Vec::new()
                };
                Node::If(condition, then, otherwise)
            }
            "for" => {
                self.take();
                let header = self.bracketed();
                let mut parts = split(&header, ";").into_iter();
                let mut part = || parts.next().unwrap_or_default();
                let (initializer, condition, step) = (part(), part(), part());
                Node::Loop(initializer, condition, step, self.body())
            }
            "while" => {
                self.take();
                let condition = self.bracketed();
                Node::Loop(Vec::new(), condition, Vec::new(), self.body())
            }
            "do" => {
                self.take();
                let body = self.body();
                self.skip("while");
                let condition = self.bracketed();
                self.skip(";");
                Node::Loop(Vec::new(), condition, Vec::new(), body)
            }
            "switch" => {
                self.take();
                let value = self.bracketed();
                Node::Switch(value, self.body())
            }
            "case" | "default" => {
                while self.take() != ":" {}
                Node::Block(Vec::new())
            }
            "break" | "continue" | "return" => {
                let tokens = self.simple();
                match tokens[0].as_str() {
                    "break" => Node::Break,
                    "continue" => Node::Continue,
                    _ => Node::Return,
                }
            }
            _ => Node::Simple(self.simple()),
        }
    }

    /// Up to the semicolon, braces of initialisers included.
    fn simple(&mut self) -> Vec<Token> {
        let mut list = Vec::new();
        let mut depth = 0;
        loop {
            let token = self.take();
            match token.as_str() {
                "{" | "(" => depth += 1,
                "}" | ")" => depth -= 1,
                ";" if depth == 0 => return list,
                // A label.
                ":" if depth == 0 && list.len() == 1 => {
                    list.push(token);
                    return list;
                }
                _ => {}
            }
            list.push(token);
        }
    }
}

/// The pieces between separators outside brackets.
pub fn split(tokens: &[Token], separator: &str) -> Vec<Vec<Token>> {
    let mut pieces = vec![Vec::new()];
    let mut depth = 0;
    for token in tokens {
        match token.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 && token == separator {
            pieces.push(Vec::new());
        } else if let Some(last) = pieces.last_mut() {
            last.push(token.clone());
        }
    }
    pieces
}
