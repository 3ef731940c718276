//! Which conditions of a kernel's text the threads of a block may disagree on.
//!
//! A small analysis of its own, which knows nothing of the translator's: what derives from
//! `threadIdx`, from a load of memory that the kernel writes, or from a call, by data or by
//! control, varies.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::text::{Kernel, Node, Token, split};

/// What waits for all threads of the block.
const BARRIERS: &[&str] = &[
    "__syncthreads",
    "__syncthreads_or",
    "__syncthreads_and",
    "__syncthreads_count",
    "reduce_block",
    "reduce_grid",
    "store_partial",
];

/// Calls whose value all threads get alike, whatever they pass.
const UNIFYING: &[&str] = &[
    "__syncthreads_or",
    "__syncthreads_and",
    "__syncthreads_count",
    "reduce_block",
];

/// Calls whose value depends on their arguments alone.
const PURE: &[&str] = &[
    "block_y",
    "trips_up",
    "trips_through",
    "trips_down",
    "trips_down_through",
    "longest",
    "min",
    "max",
    "sqrt",
    "fabs",
    "abs",
];

/// Barriers of a kernel that not all threads of a block need reach, with the conditions around.
pub fn divergent_barriers(kernel: &Kernel) -> Vec<String> {
    let mut facts = Facts::of(kernel);
    loop {
        let known = facts.varying.len();
        let mut walk = Walk::new(&mut facts, settled(&kernel.body));
        walk.list(&kernel.body, None);
        let found = walk.found;
        if facts.varying.len() == known {
            return found;
        }
    }
}

/// The test of memory at the end of a kernel that no thread has changed before all have read it:
/// nothing is stored before, and each way begins with a barrier or is none.
fn settled(body: &[Node]) -> Option<&Node> {
    let (last, before) = body.split_last()?;
    let mut stored = HashSet::new();
    stores(before, &mut stored);
    let Node::If(_, then, otherwise) = last else {
        return None;
    };
    let waits = |list: &[Node]| matches!(list.first(), Some(Node::Simple(tokens)) if tokens[0] == "__syncthreads");
    (stored.is_empty() && waits(then) && (otherwise.is_empty() || waits(otherwise))).then_some(last)
}

/// What is known of a kernel's variables.
struct Facts {
    /// Declarations and assignments, numbered in textual order, whose values may differ.
    varying: HashSet<usize>,
    /// Pointers that the kernel stores through.
    stored: HashSet<String>,
    /// Pointers that no other name reaches what they point to.
    restricted: HashSet<String>,
    pointers: HashSet<String>,
}

impl Facts {
    fn of(kernel: &Kernel) -> Self {
        let mut facts = Self {
            varying: HashSet::new(),
            stored: HashSet::new(),
            restricted: HashSet::new(),
            pointers: HashSet::new(),
        };
        for parameter in &kernel.parameters {
            if parameter.iter().any(|t| t == "*" || t == "[") {
                let name = parameter.iter().rev().find(|t| is_name(t));
                let name = name.cloned().unwrap_or_default();
                if parameter.iter().any(|t| t == "__restrict__") {
                    facts.restricted.insert(name.clone());
                }
                facts.pointers.insert(name);
            }
        }
        stores(&kernel.body, &mut facts.stored);
        facts
    }

    /// Whether a load through a pointer parameter gives all threads one value.
    fn is_constant(&self, pointer: &str) -> bool {
        let alone = self.restricted.contains(pointer)
            || self.stored.iter().all(|s| self.restricted.contains(s));
        self.pointers.contains(pointer) && !self.stored.contains(pointer) && alone
    }
}

fn is_name(token: &str) -> bool {
    token
        .chars()
        .next()
        .is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// The bases of all stores to memory.
fn stores(list: &[Node], found: &mut HashSet<String>) {
    for node in list {
        match node {
            Node::Simple(tokens) => store(tokens, found),
            Node::Block(body) | Node::Switch(_, body) => stores(body, found),
            Node::If(condition, then, otherwise) => {
                store(condition, found);
                stores(then, found);
                stores(otherwise, found);
            }
            Node::Loop(initializer, condition, step, body) => {
                [initializer, condition, step]
                    .into_iter()
                    .for_each(|tokens| store(tokens, found));
                stores(body, found);
            }
            Node::Break | Node::Continue | Node::Return => {}
        }
    }
}

/// The names that statements of their own assign a value to.
fn plainly_assigned(list: &[Node], found: &mut HashSet<String>) {
    for node in list {
        match node {
            Node::Simple(tokens) => {
                if let [name, equals, ..] = tokens.as_slice()
                    && equals == "="
                {
                    found.insert(name.clone());
                }
            }
            Node::Block(body) | Node::Switch(_, body) => plainly_assigned(body, found),
            Node::If(_, then, otherwise) => {
                plainly_assigned(then, found);
                plainly_assigned(otherwise, found);
            }
            Node::Loop(initializer, _, _, body) => {
                plainly_assigned(&[Node::Simple(initializer.clone())], found);
                plainly_assigned(body, found);
            }
            Node::Break | Node::Continue | Node::Return => {}
        }
    }
}

/// Everything named left of an assignment, or passed to a function, may be stored through.
fn store(tokens: &[Token], found: &mut HashSet<String>) {
    for piece in split(tokens, ",") {
        let last = piece.iter().rposition(|t| is_assignment(t));
        let to = last.unwrap_or(0);
        let indirect = piece[..to]
            .iter()
            .any(|t| t == "[" || t == "*" || t == "->");
        if indirect {
            // The base comes first: `a[i]`, `*a`, `(*a)[i]`.
            found.extend(piece[..to].iter().find(|t| is_name(t)).cloned());
        }
    }
    let called = tokens.windows(2).any(|w| {
        is_name(&w[0]) && w[1] == "(" && !PURE.contains(&w[0].as_str()) && w[0] != "sizeof"
    });
    if called {
        // An argument that is a bare pointer.
        for (at, token) in tokens.iter().enumerate() {
            let next = tokens.get(at + 1).map_or("", String::as_str);
            let before = at.checked_sub(1).map_or("", |i| tokens[i].as_str());
            if is_name(token)
                && matches!(next, "," | ")" | "+")
                && matches!(before, "," | "(" | "&")
            {
                found.insert(token.clone());
            }
        }
    }
}

fn is_assignment(token: &str) -> bool {
    matches!(token, "++" | "--")
        || token.ends_with('=') && !matches!(token, "==" | "!=" | "<=" | ">=")
}

/// What each name stands for: the number of its last declaration or assignment.
type Scopes = Vec<BTreeMap<String, usize>>;

/// A walk in textual order with the scopes of names.
struct Walk<'a> {
    facts: &'a mut Facts,
    /// Innermost last: the values that names stand for.
    scopes: Scopes,
    /// Variables in shared memory, which are the block's.
    shared: HashSet<usize>,
    declared: usize,
    found: Vec<String>,
    /// See [`settled`].
    settled: Option<&'a Node>,
    /// What names stand for where the loops around, innermost last, are left or begun again.
    jumps: Vec<Vec<Scopes>>,
    /// What names stand for at jumps to labels further down.
    gotos: HashMap<Token, Vec<Scopes>>,
    /// Labels, `case` among them, at which code from elsewhere goes on in a way that is not followed:
    /// an assignment then says nothing of what came before.
    unfollowed: usize,
}

/// Jumps that some threads take and others do not.
#[derive(Clone, Copy, Default)]
struct Jumps {
    breaks: bool,
    continues: bool,
    returns: bool,
}

impl<'a> Walk<'a> {
    fn new(facts: &'a mut Facts, settled: Option<&'a Node>) -> Self {
        Self {
            facts,
            scopes: vec![BTreeMap::new()],
            shared: HashSet::new(),
            declared: 0,
            found: Vec::new(),
            settled,
            jumps: Vec::new(),
            gotos: HashMap::new(),
            unfollowed: 0,
        }
    }

    /// A new value of a name that is known.
    fn assign(&mut self, name: &str, varies: bool) {
        self.declared += 1;
        if varies {
            self.facts.varying.insert(self.declared);
        }
        let scope = self.scopes.iter_mut().rev().find(|s| s.contains_key(name));
        if let Some(id) = scope.and_then(|scope| scope.get_mut(name)) {
            *id = self.declared;
        }
    }

    /// Goes on where ways meet: a name that stands for several values gets one for all of them.
    fn meet(&mut self, ways: Vec<Scopes>) {
        for way in ways {
            let here = self.scopes.clone();
            for (depth, scope) in here.iter().enumerate() {
                for (name, own) in scope {
                    let other = way.get(depth).and_then(|scope| scope.get(name));
                    if let Some(other) = other.filter(|other| *other != own) {
                        self.declared += 1;
                        if [own, other]
                            .iter()
                            .any(|id| self.facts.varying.contains(id))
                        {
                            self.facts.varying.insert(self.declared);
                        }
                        self.scopes[depth].insert(name.clone(), self.declared);
                    }
                }
            }
        }
    }

    /// Walks a list under a condition that threads disagree on, if any.
    fn list(&mut self, list: &[Node], around: Option<&str>) -> Jumps {
        self.scopes.push(BTreeMap::new());
        let mut all = Jumps::default();
        let mut around = around.map(str::to_string);
        for node in list {
            let jumps = self.node(node, around.as_deref());
            all.breaks |= jumps.breaks;
            all.continues |= jumps.continues;
            all.returns |= jumps.returns;
            if around.is_none() && (jumps.breaks || jumps.continues || jumps.returns) {
                around = Some("a jump that some threads take".to_string());
            }
        }
        self.scopes.pop();
        all
    }

    fn node(&mut self, node: &Node, around: Option<&str>) -> Jumps {
        let diverges = around.is_some();
        match node {
            Node::Simple(tokens) => {
                self.simple(tokens, around);
                Jumps::default()
            }
            Node::Block(body) => self.list(body, around),
            Node::If(condition, then, otherwise) => {
                self.barriers(condition, around);
                let is_settled = self
                    .settled
                    .is_some_and(|settled| std::ptr::eq(settled, node));
                let inner = match is_settled && !self.differs(condition, true) {
                    true => around.map(str::to_string),
                    false => self.decided(condition, around),
                };
                let before = self.scopes.clone();
                let mut jumps = self.list(then, inner.as_deref());
                let after = std::mem::replace(&mut self.scopes, before);
                let others = self.list(otherwise, inner.as_deref());
                self.meet(vec![after]);
                jumps.breaks |= others.breaks;
                jumps.continues |= others.continues;
                jumps.returns |= others.returns;
                jumps
            }
            Node::Switch(value, body) => {
                let inner = self.decided(value, around);
                self.unfollowed += 1;
                let jumps = self.list(body, inner.as_deref());
                self.unfollowed -= 1;
                Jumps {
                    breaks: false,
                    ..jumps
                }
            }
            Node::Loop(initializer, condition, step, body) => {
                self.repeat(initializer, condition, step, body, around)
            }
            Node::Break => {
                self.leave();
                Jumps {
                    breaks: diverges,
                    ..Jumps::default()
                }
            }
            Node::Continue => {
                self.leave();
                Jumps {
                    continues: diverges,
                    ..Jumps::default()
                }
            }
            Node::Return => Jumps {
                returns: diverges,
                ..Jumps::default()
            },
        }
    }

    fn repeat(
        &mut self,
        initializer: &[Token],
        condition: &[Token],
        step: &[Token],
        body: &[Node],
        around: Option<&str>,
    ) -> Jumps {
        self.scopes.push(BTreeMap::new());
        self.simple(initializer, around);
        // What comes round again may differ from what comes in: values of their own for that.
        let mut assigned = HashSet::new();
        plainly_assigned(body, &mut assigned);
        let mut assigned: Vec<String> = assigned.into_iter().collect();
        assigned.sort();
        for name in &assigned {
            let varies = self
                .lookup(name)
                .is_some_and(|id| self.facts.varying.contains(&id));
            self.assign(name, varies);
        }
        let head = self.scopes.clone();
        let inner = self.decided(condition, around);
        self.barriers(condition, around);
        self.jumps.push(Vec::new());
        let mut jumps = self.list(body, inner.as_deref());
        self.assignments(step, inner.is_some());
        self.come_round(&assigned, &head);
        if inner.is_none() && (jumps.breaks || jumps.returns) {
            // Some threads run fewer rounds: look again at what they miss.
            self.scopes.clone_from(&head);
            jumps = self.list(body, Some("a loop that some threads leave earlier"));
            self.assignments(step, true);
            self.come_round(&assigned, &head);
        }
        let ways = self.jumps.pop().unwrap_or_default();
        self.scopes = head;
        self.meet(ways);
        self.scopes.pop();
        Jumps {
            breaks: false,
            continues: false,
            returns: jumps.returns,
        }
    }

    /// Notes what names stand for where a loop is left or begun again.
    fn leave(&mut self) {
        let here = self.scopes.clone();
        if let Some(ways) = self.jumps.last_mut() {
            ways.push(here);
        }
    }

    /// What is varying at the end of a round, or where one is given up, is so at the head.
    fn come_round(&mut self, assigned: &[String], head: &Scopes) {
        let mut ways = self.jumps.last().cloned().unwrap_or_default();
        ways.push(self.scopes.clone());
        for name in assigned {
            let depth = head.iter().rposition(|scope| scope.contains_key(name));
            let Some(depth) = depth else { continue };
            let ends = ways.iter().filter_map(|way| way.get(depth)?.get(name));
            if ends.into_iter().any(|id| self.facts.varying.contains(id)) {
                self.facts.varying.insert(head[depth][name]);
            }
        }
    }

    /// The condition around what a test decides, if threads disagree.
    fn decided(&mut self, condition: &[Token], around: Option<&str>) -> Option<String> {
        self.assignments(condition, around.is_some());
        match around {
            Some(known) => Some(known.to_string()),
            None => self.varies(condition).then(|| condition.join(" ")),
        }
    }

    fn simple(&mut self, tokens: &[Token], around: Option<&str>) {
        self.barriers(tokens, around);
        if let Some(name) = declared_name(tokens) {
            self.declared += 1;
            let id = self.declared;
            if tokens.iter().any(|t| t == "__shared__") {
                self.shared.insert(id);
            }
            let value = tokens.iter().position(|t| t == "=");
            if value.is_some_and(|at| self.varies(&tokens[at + 1..])) {
                self.facts.varying.insert(id);
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, id);
            }
        }
        match tokens {
            [word, label] if word == "goto" => {
                let here = self.scopes.clone();
                self.gotos.entry(label.clone()).or_default().push(here);
            }
            [label, colon] if colon == ":" => {
                // Jumps from further down are not known here.
                self.unfollowed += usize::from(!self.gotos.contains_key(label));
                let ways = self.gotos.remove(label).unwrap_or_default();
                self.meet(ways);
            }
            [name, equals, value @ ..]
                if equals == "="
                    && around.is_none()
                    && self.unfollowed == 0
                    && self
                        .lookup(name)
                        .is_some_and(|id| !self.shared.contains(&id)) =>
            {
                let varies = self.varies(value);
                self.assignments(value, false);
                self.assign(name, varies);
            }
            _ => self.assignments(tokens, around.is_some()),
        }
    }

    fn barriers(&mut self, tokens: &[Token], around: Option<&str>) {
        let barrier = tokens.iter().find(|t| BARRIERS.contains(&t.as_str()));
        if let (Some(barrier), Some(around)) = (barrier, around) {
            self.found.push(format!("{barrier} under `{around}`"));
        }
    }

    fn lookup(&self, name: &str) -> Option<usize> {
        self.scopes
            .iter()
            .rev()
            .find_map(|scope| scope.get(name).copied())
    }

    /// Marks the variables that are assigned a varying value, or by some threads only.
    fn assignments(&mut self, tokens: &[Token], diverges: bool) {
        let varies = self.varies(tokens);
        for (at, token) in tokens.iter().enumerate() {
            let neighbour =
                |index: Option<usize>| index.and_then(|i| tokens.get(i)).map_or("", String::as_str);
            let before = neighbour(at.checked_sub(1));
            let next = neighbour(Some(at + 1));
            let is_object = is_name(token) && !matches!(before, "." | "->" | "::");
            let is_assigned = is_assignment(next)
                || matches!(before, "++" | "--")
                || before == "&" && !is_operand(neighbour(at.checked_sub(2)))
                || next == "." && tokens.iter().any(|t| is_assignment(t));
            if is_object
                && is_assigned
                && (varies || diverges || before == "&")
                && let Some(id) = self.lookup(token)
                && !self.shared.contains(&id)
                && !self.is_declaration_of(tokens, at)
            {
                self.facts.varying.insert(id);
            }
        }
    }

    /// A declaration's own value was looked at without the condition around it: its variable
    /// lives only there.
    fn is_declaration_of(&self, tokens: &[Token], at: usize) -> bool {
        declared_name(tokens).is_some()
            && tokens
                .iter()
                .position(|t| t == "=")
                .is_some_and(|eq| at < eq)
    }

    /// Whether threads may get different values of an expression.
    fn varies(&self, tokens: &[Token]) -> bool {
        self.differs(tokens, false)
    }

    /// The same; memory may be known to be as it was, so that one place gives all one value.
    fn differs(&self, tokens: &[Token], is_memory_steady: bool) -> bool {
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            let next = tokens.get(at + 1).map_or("", String::as_str);
            if UNIFYING.contains(&token) {
                at = behind_call(tokens, at);
                continue;
            }
            if token == "threadIdx" {
                return true;
            }
            let is_member = at > 0 && matches!(tokens[at - 1].as_str(), "." | "->");
            if is_name(token) && !is_member {
                let id = self.lookup(token);
                if id.is_some_and(|id| self.facts.varying.contains(&id)) {
                    return true;
                }
                let loads = matches!(next, "[" | "->") || is_dereferenced(tokens, at);
                if loads
                    && !is_memory_steady
                    && !self.facts.is_constant(token)
                    && !self.is_shared_scalar(id, next)
                {
                    return true;
                }
                let is_call = next == "(" && !is_keyword(token);
                if is_call && !PURE.contains(&token) {
                    return true;
                }
            }
            at += 1;
        }
        false
    }

    fn is_shared_scalar(&self, id: Option<usize>, next: &str) -> bool {
        next != "[" && id.is_some_and(|id| self.shared.contains(&id))
    }
}

fn is_keyword(token: &str) -> bool {
    matches!(
        token,
        "sizeof"
            | "if"
            | "while"
            | "for"
            | "int"
            | "long"
            | "double"
            | "float"
            | "size_t"
            | "Index"
    )
}

/// Whether something before an `&` or `*` makes it an operator of two operands.
fn is_operand(token: &str) -> bool {
    token == ")"
        || token == "]"
        || token
            .chars()
            .next()
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// `*p`, but not `n * p`.
fn is_dereferenced(tokens: &[Token], at: usize) -> bool {
    let star = at.checked_sub(1).is_some_and(|i| tokens[i] == "*");
    let operand = at.checked_sub(2).is_some_and(|i| is_operand(&tokens[i]));
    star && !operand
}

/// The place behind the bracket that closes a call.
fn behind_call(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at + 1) {
        match token.as_str() {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    return index + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The variable that a statement declares: a type before a name.
fn declared_name(tokens: &[Token]) -> Option<String> {
    let end = tokens
        .iter()
        .position(|t| t == "=" || t == "[" || t == ",")
        .unwrap_or(tokens.len());
    let head = &tokens[..end];
    let (name, before) = head.split_last()?;
    let is_type = |t: &Token| is_name(t) || matches!(t.as_str(), "*" | "::" | "<" | ">" | "&");
    let typed = before
        .last()
        .is_some_and(|t| is_name(t) || t == "*" || t == ">")
        && before.first().is_some_and(|t| is_name(t) && t != "return");
    (is_name(name) && typed && before.iter().all(is_type)).then(|| name.clone())
}
