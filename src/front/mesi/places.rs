//! What is done with a name where it stands: by operators, and by the calls that it is an argument of.
//!
//! ```text
//! *(row + 1) = x;        writes row
//! fread(a, 4, n, file);  writes a
//! f<T>(&a[1])            what f does with its parameter
//! view.first = row;      the address of row goes where it is not followed
//! ```
//!
//! Each mention is an access, an address that another name has from there on, or one that cannot be
//! followed. Device code has no others than those that are given to it: what it does with an address
//! that goes elsewhere counts where that goes.

use std::ops::{BitOr, Range};

use super::accesses::{Access, Effect, Escape, Found, Named, Names, Object, Summaries};
use super::code::Code;
use super::expressions::{CHANGE, Expression, Flow, Part, UNEVALUATED};
use super::standard;
use crate::front::cuda::{Declared, Fun, Lambda, Parentheses, Tokens, is_arithmetic};
use crate::typed::library;

/// Where the memory of a parameter goes that a function returns.
const CALLER: &str = "the caller of this function";

/// Types of numbers that are addresses.
const ADDRESSES: [&str; 2] = ["intptr_t", "uintptr_t"];

/// Where a name stands.
pub struct Place<'p, 'a> {
    /// The program.
    pub code: &'p Code<'a>,
    /// What its functions do.
    pub summaries: &'p Summaries,
    /// The number of the function.
    pub number: usize,
    /// The tokens of its file.
    pub tokens: Tokens<'p>,
    /// The part of it that is looked at.
    pub range: &'p Range<usize>,
    /// The names of memory in the function.
    pub names: &'p Names,
}

impl<'p, 'a> Place<'p, 'a> {
    fn part(&self) -> Part<'p, 'a> {
        Part {
            code: self.code,
            tokens: self.tokens,
            range: self.range,
            names: self.names,
        }
    }

    fn at(&self, at: Option<usize>) -> &[u8] {
        let at = at.filter(|at| self.range.contains(at));
        at.map_or(b"".as_slice(), |at| self.tokens.at(at))
    }

    fn fun(&self) -> &'p Fun {
        &self.code.functions[self.number]
    }

    /// Adds the access of a name that stands at a token.
    pub fn access(
        &self,
        token: usize,
        name: &str,
        named: &Named,
        names: &Names,
        found: &mut Found,
    ) {
        let mut own = self.part().expression(token, named.rank);
        let before = self.at(own.tokens.start.checked_sub(1));
        if UNEVALUATED.iter().any(|word| before == word.as_bytes()) {
            return;
        }
        if self.part().is_template_argument(token) {
            let to = "the template that it is an argument of".to_owned();
            return self.leave(token, name, &own, to, found);
        }
        while let Some((call, effect)) = self.given_back(&own) {
            own = call;
            found.accesses.push(Access::of(token, name, effect));
        }
        if own.level == 0 && !self.is_returned_reference(&own) {
            self.value(token, name, named, &own, found);
            return;
        }
        let count = found.accesses.len() + found.escapes.len();
        self.address(token, name, &own, (named, names), found);
        let is_new = found.accesses.len() + found.escapes.len() > count;
        // Another structure may have a member of this name that is one value.
        if own.is_unclear || own.is_member && !is_new {
            self.value(token, name, named, &own, found);
        }
    }

    /// How many subscripts lead from what another name is set to, where a name stands at a token, to a
    /// value; `None` where the other one gets no address.
    pub fn given(&self, token: usize, rank: usize) -> Option<usize> {
        let own = self.expression(token, rank);
        (own.level > 0 && self.part().flow(&own) != Flow::Nowhere).then_some(own.level)
    }

    /// The expression of a name, with calls that give a reference to it back.
    fn expression(&self, token: usize, rank: usize) -> Expression {
        let mut own = self.part().expression(token, rank);
        while let Some((call, _)) = self.given_back(&own) {
            own = call;
        }
        own
    }

    /// The call that gives a reference to a value back which is one of its arguments: `first(a[2])`; and
    /// what the function does with the value.
    fn given_back(&self, own: &Expression) -> Option<(Expression, Effect)> {
        let tokens = self.tokens;
        if own.level > 0 || own.is_converted {
            return None;
        }
        let (callee, open, position) = self.enclosing_call(own.tokens.start)?;
        let gives = |number: usize, fun: &Fun| {
            let is_bound = fun
                .parameters
                .get(position)
                .is_some_and(|one| one.is_reference);
            is_bound && self.summaries.kept[number][position].as_deref() == Some(CALLER)
        };
        let mut functions = self.code.named(callee.as_bytes());
        if !self.is_whole(own) || !functions.any(|(number, fun)| gives(number, fun)) {
            return None;
        }
        let mut first = match open.checked_sub(1)? {
            name if tokens.is_name(name) => name,
            close => tokens.template_begin(close)?.checked_sub(1)?,
        };
        while first > 2 && tokens.touching(first - 2, [b":", b":"]) && tokens.is_name(first - 3) {
            first -= 3;
        }
        let call = self.part().grown(Expression {
            tokens: first..tokens.bracket_end(open) + 1,
            is_member: false,
            is_computed: true,
            ..own.clone()
        });
        Some((call, self.by_reference(&callee, position)))
    }

    /// Whether an expression is all of an argument, an element of a list, or what a name begins with.
    fn is_whole(&self, own: &Expression) -> bool {
        let before = self.at(own.tokens.start.checked_sub(1));
        let after = self.at(Some(own.tokens.end));
        matches!(before, b"(" | b"," | b"{" | b"?" | b":" | b"=")
            && matches!(after, b")" | b"," | b"}" | b":" | b";" | b"]" | b"")
    }

    /// What device code does with an address that goes elsewhere counts there; the host's is lost.
    fn leave(&self, token: usize, name: &str, own: &Expression, to: String, found: &mut Found) {
        if !self.fun().is_device {
            return found.escapes.push(Escape { token, to });
        }
        let effect = match self.is_of_constants(name) && !own.is_converted {
            true => Effect::READS,
            false => Effect::BOTH,
        };
        found.accesses.push(Access {
            is_address: self.part().flow(own) != Flow::Operand,
            ..Access::of(token, name, effect)
        });
    }

    /// Whether the address of a name is all that something is set to.
    pub fn is_all(&self, token: usize, rank: usize) -> bool {
        let own = self.expression(token, rank);
        matches!(self.part().flow(&own), Flow::Set(_))
    }

    /// `return a[i];` of a function or lambda that gives a reference.
    fn is_returned_reference(&self, own: &Expression) -> bool {
        let function = &self.fun().function;
        let gives_reference = || match self.lambda(own) {
            Some(lambda) => lambda.gives_reference,
            None => {
                let head = function.first..function.name;
                let behind = function.parameters.end..self.fun().body().start;
                let mut words = head.chain(behind).map(|at| self.tokens.at(at));
                words.any(|word| matches!(word, b"&" | b"&&" | b"decltype"))
            }
        };
        self.part().flow(own) == Flow::Returned && gives_reference()
    }

    fn lambda(&self, own: &Expression) -> Option<Lambda> {
        self.tokens
            .lambda_around(own.tokens.start, &self.fun().body())
    }

    /// Where a reference to a value goes where it is followed no further.
    fn reference(&self, own: &Expression) -> Option<String> {
        let tokens = self.tokens;
        let first = own.tokens.start;
        if own.is_converted || !self.is_whole(own) {
            return None;
        }
        let begin = self.part().list_begin(first);
        let open = self.part().enclosing(first);
        let before = |at: usize, back: usize| tokens.at(at.saturating_sub(back));
        let is_capture = open.is_some_and(|open| tokens.at(open) == b"[")
            && before(first, 1) == b"="
            && before(first, 3) == b"&";
        let is_unpacked = before(first, 1) == b"=" && before(first, 2) == b"]" && {
            let names = tokens.bracket_begin(first - 2).unwrap_or_default();
            matches!(before(names, 1), b"&" | b"&&")
        };
        let is_deduced = (begin..first).any(|at| tokens.at(at) == b"decltype") && open.is_none();
        let words = || (begin..first).map(|at| tokens.word(at));
        let callee = open.and_then(|open| standard::name(tokens, open));
        match () {
            () if is_capture => Some("a reference that a lambda captures".to_owned()),
            () if is_unpacked => Some("references to its members".to_owned()),
            () if is_deduced => {
                Some("a name whose type is deduced, so that it may be a reference".to_owned())
            }
            () if words().any(|word| self.code.binds(&word)) => {
                Some("a structure with references".to_owned())
            }
            () if callee.is_some() => {
                let name = callee
                    .filter(|name| standard::keeps_value(tokens, open.unwrap_or_default(), name));
                name.map(|name| format!("`std::{name}`, which may keep it"))
            }
            () if self.is_of_references(begin..first) => {
                Some("a reference that is kept".to_owned())
            }
            () => self.bound(open?, own),
        }
    }

    /// Whether a variable of `std` that has references is declared there: `std::pair<int &, int> p(`.
    fn is_of_references(&self, declaration: Range<usize>) -> bool {
        let is_declared = |one: &&Declared| declaration.contains(&one.token) && is_of_std(one);
        let mut locals = self.fun().locals.iter().filter(is_declared);
        locals.any(|one| {
            let mut types = declaration.start..one.token;
            types.any(|at| matches!(self.tokens.at(at), b"&" | b"reference_wrapper" | b"span"))
        })
    }

    /// Where a function, a constructor, or a member of a structure keeps the value that it gets.
    fn bound(&self, open: usize, own: &Expression) -> Option<String> {
        let (tokens, fun) = (self.tokens, self.fun());
        let name = open.checked_sub(1).map(|name| tokens.word(name))?;
        if fun.function.initialisers.contains(&own.tokens.start) {
            return self
                .code
                .is_reference(&name)
                .then(|| format!("the member `{name}`"));
        }
        let made = fun.locals.iter().find(|one| one.token + 1 == open);
        let types = made.map(|one| one.types.clone()).unwrap_or_default();
        let callee = self.callee(open).unwrap_or_default();
        let parts = tokens.parts(open + 1..tokens.bracket_end(open));
        let position = parts
            .iter()
            .position(|part| part.contains(&own.tokens.start))?;
        let names = types.iter().chain([&callee]);
        let functions = names.flat_map(|name| self.code.named(name.as_bytes()));
        functions.into_iter().find_map(|(number, fun)| {
            let own = fun
                .parameters
                .get(position)
                .filter(|one| one.is_reference)?;
            let to = self.summaries.kept[number][position].as_ref()?;
            let is_followed = to == CALLER && !types.contains(&fun.name);
            (!is_followed)
                .then(|| format!("`{}` of `{}`, and from there to {to}", own.name, fun.name))
        })
    }

    /// A value is read, written or both.
    fn value(&self, token: usize, name: &str, named: &Named, own: &Expression, found: &mut Found) {
        let (first, next) = (own.tokens.start, own.tokens.end);
        let (before, after) = (self.at(first.checked_sub(1)), self.at(Some(next)));
        if let Some(to) = self.reference(own) {
            return self.leave(token, name, own, to, found);
        }
        let callee = self.enclosing_call(first);
        if callee
            .as_ref()
            .is_some_and(|(name, ..)| UNEVALUATED.contains(&name.as_str()))
        {
            return;
        }
        let is_argument =
            matches!(before, b"(" | b"," | b"?" | b":") && matches!(after, b")" | b"," | b":");
        let by_call = callee
            // What is converted is a value of its own.
            .filter(|_| is_argument && !own.is_converted)
            .map(|(callee, _, position)| self.by_reference(&callee, position));
        let is_set = after == b"=";
        let changes = CHANGE.contains(&after)
            || [b"++".as_slice(), b"--"].iter().any(|one| before == *one || after == *one)
            // `std::cin >> x`
            || before == b">>"
            // `x.clear()`
            || own.is_member && after == b"(";
        let effect = Effect {
            reads: !is_set,
            writes: is_set || changes,
        } | by_call.unwrap_or_default();
        found.accesses.push(Access {
            is_whole: named.rank == 0 && is_set && !own.is_computed,
            ..Access::of(token, name, effect)
        });
    }

    /// Whether a function that gets the name as an argument binds a reference to it.
    pub fn is_bound(&self, token: usize) -> bool {
        self.enclosing_call(token)
            .is_some_and(|(callee, _, position)| {
                let mut functions = self.code.named(callee.as_bytes());
                functions.any(|(_, fun)| {
                    fun.parameters
                        .get(position)
                        .is_some_and(|one| one.is_reference)
                })
            })
    }

    /// What a call does with a value that is an argument.
    fn by_reference(&self, callee: &str, position: usize) -> Effect {
        let mut functions = self.code.named(callee.as_bytes()).peekable();
        if functions.peek().is_some() {
            let of = |(number, fun): (usize, &Fun)| {
                let own = fun.parameters.get(position).filter(|one| one.is_reference);
                let effects = &self.summaries.parameters[number];
                own.map_or(Effect::READS, |_| effects[position] | Effect::READS)
            };
            return functions.map(of).fold(Effect::READS, BitOr::bitor);
        }
        let is_macro = self.code.program.macros.contains_key(callee);
        let is_value = !is_macro
            && (standard::library_effect(callee, position).is_some()
                || library::is_on_device(callee));
        if is_value {
            Effect::READS
        } else {
            Effect::BOTH
        }
    }

    /// An address goes to a call, or into another variable.
    fn address(
        &self,
        token: usize,
        name: &str,
        own: &Expression,
        (named, names): (&Named, &Names),
        found: &mut Found,
    ) {
        let flow = self.part().flow(own);
        let access = |effect: Effect| Access {
            bytes: self.bytes_set(token),
            is_address: flow != Flow::Operand,
            ..Access::of(token, name, effect)
        };
        if let Some(effect) = self.of_elements(own.tokens.start) {
            return found.accesses.push(access(effect));
        }
        let to = match flow {
            Flow::Nowhere if own.is_member => return,
            Flow::Nowhere => {
                let none = Access {
                    is_address: false,
                    ..access(Effect::default())
                };
                return found.accesses.push(none);
            }
            Flow::Operand => return found.accesses.push(access(Effect::READS)),
            Flow::Input => return found.accesses.push(access(Effect::BOTH)),
            Flow::Argument(open) => match self.argument(open, own, (named, names)) {
                Ok(effect) => return found.accesses.push(access(effect)),
                Err(to) => Some(to),
            },
            Flow::List(open) => self.list(open),
            Flow::Set(equals) => self.target(equals, own, (named, names)),
            Flow::Returned => self.caller(own),
            Flow::Unknown => Some("an expression that is not followed".to_owned()),
        };
        if let Some(to) = to {
            self.leave(token, name, own, to, found);
        }
    }

    /// Whether a name is a parameter that points to constants: `const float *row`.
    fn is_of_constants(&self, name: &str) -> bool {
        let (fun, tokens) = (self.fun(), self.tokens);
        let Some(own) = fun.parameters.iter().find(|one| one.name == name) else {
            return false;
        };
        let parts = tokens.parts(fun.function.parameters.clone());
        let part = parts.into_iter().find(|part| part.contains(&own.token));
        let mut pointed = part
            .unwrap_or_default()
            .take_while(|at| tokens.at(*at) != b"*");
        own.rank == 1 && pointed.any(|at| tokens.at(at) == b"const")
    }

    /// What a call does with an address that it gets; otherwise where that goes.
    fn argument(
        &self,
        open: usize,
        own: &Expression,
        (named, names): (&Named, &Names),
    ) -> Result<Effect, String> {
        let tokens = self.tokens;
        let parts = tokens.parts(open + 1..tokens.bracket_end(open));
        let position = parts
            .iter()
            .position(|part| part.contains(&own.tokens.start))
            .unwrap_or_default();
        // `float *q(row);`
        let of_std = standard::name(tokens, open);
        let mut locals = self.fun().locals.iter().filter(|_| of_std.is_none());
        let made = locals.find(|one| one.token + 1 == open);
        if let Some(local) = made
            && self.is_followed(&local.name, named, names)
        {
            return Ok(Effect::default());
        }
        if made.is_some_and(is_of_std) {
            return match self.copies(open) {
                true => Ok(Effect::READS),
                false => Err("an object of `std` that may keep it".to_owned()),
            };
        }
        let callee = self.callee(open);
        for part in self.receivers(callee.as_deref(), position, &parts) {
            let is_name = part.len() == 1;
            if !is_name || !self.is_followed(&tokens.word(part.start), named, names) {
                let text = self.code.files[self.fun().file].text_of(part);
                return Err(format!("`{text}`"));
            }
        }
        if let Some(name) = of_std
            && self.code.named(name.as_bytes()).next().is_none()
            && standard::library_effect(&name, position).is_none()
        {
            let effect = standard::effect(tokens, open, &name);
            return effect.ok_or(format!("`std::{name}`, which may keep it"));
        }
        match callee {
            Some(callee) => self.call(&callee, position),
            None => Err("a function that is not known by its name".to_owned()),
        }
    }

    /// The other arguments that a call gives the address to which is one of its arguments.
    fn receivers(
        &self,
        callee: Option<&str>,
        position: usize,
        parts: &[Range<usize>],
    ) -> Vec<Range<usize>> {
        let of = |other: &usize| {
            let mut all = self
                .summaries
                .handed_at(self.code, callee.unwrap_or_default(), *other);
            all.contains(&position) && all.remove(&position)
        };
        let others = (0..parts.len())
            .filter(|other| *other != position)
            .filter(of);
        others.map(|other| parts[other].clone()).collect()
    }

    /// Whether a variable of `std` that begins with what stands in brackets copies it.
    fn copies(&self, open: usize) -> bool {
        let Some(name) = open.checked_sub(1) else {
            return false;
        };
        let begin = self.part().statement_begin(name);
        standard::copies(self.tokens, begin..name)
    }

    /// Where an address goes that stands in a list of values; nowhere if that is read at once.
    fn list(&self, open: usize) -> Option<String> {
        let is_made = |one: &Declared| one.token + 1 == open && is_of_std(one);
        match self.fun().locals.iter().any(is_made) && self.copies(open) {
            true => None,
            false => Some("a structure or an array of addresses".to_owned()),
        }
    }

    /// Where an address goes that is returned; nowhere if the caller shares it.
    fn caller(&self, own: &Expression) -> Option<String> {
        let (first, next) = (own.tokens.start, own.tokens.end);
        let is_shared = self.summaries.returns[self.number]
            && self.at(Some(next)) == b";"
            && self.at(first.checked_sub(1)) == b"return";
        let to = match self.lambda(own) {
            Some(_) => "the caller of a lambda",
            None => CALLER,
        };
        (!is_shared).then(|| to.to_owned())
    }

    /// Where an address goes that something is set to; nowhere if that is a name that is followed.
    fn target(
        &self,
        equals: usize,
        own: &Expression,
        (named, names): (&Named, &Names),
    ) -> Option<String> {
        let (fun, tokens) = (self.fun(), self.tokens);
        let begins = |one: &&Declared| {
            let value = one.value.as_ref();
            value.is_some_and(|value| value.start == equals + 1)
        };
        let before = equals.checked_sub(1)?;
        let word = match fun.locals.iter().find(begins) {
            Some(local) => Some(local.name.clone()),
            None if tokens.is_name(before) && !tokens.is_member(before) => {
                let is_read = self.part().expression(before, 1).level == 0;
                (!is_read).then(|| tokens.word(before))
            }
            None => None,
        };
        let is_followed = |word: String| {
            self.is_followed(&word, named, names)
                || !own.is_converted && self.is_number(&word)
                || self.is_left_alone(&word)
        };
        if word.is_some_and(is_followed) {
            return None;
        }
        let part = self.part();
        let begin = part.statement_begin(equals);
        let open = part.enclosing(equals).map_or(begin, |open| open + 1);
        let text = self.code.files[fun.file].text_of(begin.max(open)..equals);
        Some(format!("`{text}`"))
    }

    /// Whether a name is a local number.
    fn is_number(&self, word: &str) -> bool {
        let is_number = |one: &Declared| {
            let mut types = one.types.iter();
            let is_word = |word: &str| is_arithmetic(word) || ADDRESSES.contains(&word);
            one.rank == 0 && !one.is_reference && types.all(|word| is_word(word))
        };
        let mut locals = self.locals(word).peekable();
        locals.peek().is_some() && locals.all(is_number)
    }

    fn locals(&self, word: &str) -> impl Iterator<Item = &'p Declared> {
        let all = self.fun().locals.iter();
        all.filter(move |one| one.name == word)
    }

    /// Whether a number that has an address is compared and printed only, or says whether there is one.
    fn is_left_alone(&self, word: &str) -> bool {
        let (tokens, body) = (self.tokens, self.fun().body());
        let all = Part {
            range: &body,
            ..self.part()
        };
        let is_left = |at: usize| {
            let own = all.expression(at, 1);
            match all.flow(&own) {
                Flow::Argument(open) => matches!(tokens.at(open - 1), b"printf" | b"fprintf"),
                flow => flow == Flow::Nowhere,
            }
        };
        let is_truth = |one: &Declared| one.types.iter().any(|word| word == "bool");
        let mut uses = body.clone().filter(|at| tokens.at(*at) == word.as_bytes());
        self.is_number(word) && (self.locals(word).all(is_truth) || uses.all(is_left))
    }

    /// Whether a name is one of this memory from then on that it is set to its address.
    fn is_followed(&self, word: &str, named: &Named, names: &Names) -> bool {
        let fun = self.fun();
        let locals = || self.locals(word);
        // A pointer to pointers is asked where it points to.
        let is_unset = |one: &Declared| one.rank > one.extents.len() + 1 && one.value.is_none();
        // What a caller's pointer is set to is told of other parameters only.
        let is_handed = fun
            .parameters
            .iter()
            .any(|one| one.name == word && one.is_reference);
        let is_own = |object: &Object| matches!(object, Object::Parameter(_));
        if is_handed && !named.objects.iter().all(is_own) || locals().any(is_unset) {
            return false;
        }
        let variable = self.code.variable(word).filter(|_| !fun.declares(word));
        let is_shared = variable.is_some_and(|own| self.code.variables[own].is_pointer());
        let is_kept = locals().any(|one| one.types.iter().any(|word| word == "static"));
        let is_alias = names
            .get(word)
            .is_some_and(|other| named.objects.is_subset(&other.objects));
        is_shared && !fun.is_device || is_alias && !is_kept
    }

    /// The name before a parenthesis, or before template arguments or the configuration of a launch.
    fn callee(&self, open: usize) -> Option<String> {
        let name = open.checked_sub(1)?;
        match self.tokens.is_name(name) {
            true => Some(self.tokens.word(name)),
            false => self.before_brackets(open),
        }
    }

    /// What a loop does with the elements of a list that stands there: `for (T name : list)`.
    fn of_elements(&self, list: usize) -> Option<Effect> {
        let tokens = self.tokens;
        let colon = list.checked_sub(1).filter(|at| self.range.contains(at))?;
        if !tokens.is_colon(colon) {
            return None;
        }
        let begins = |at: &usize| matches!(tokens.at(*at), b"(" | b";" | b"?" | b"{" | b"}");
        let open = (self.range.start..colon).rev().find(begins);
        let open = match open {
            // The header itself is the part that is looked at.
            None => self.range.start,
            Some(open) if tokens.at(open) == b"(" && tokens.at(open - 1) == b"for" => open + 1,
            Some(_) => return None,
        };
        let has = |word: &[u8]| (open..colon).any(|at| tokens.at(at) == word);
        Some(match (has(b"&") || has(b"&&")) && !has(b"const") {
            true => Effect::BOTH,
            false => Effect::READS,
        })
    }

    /// The last argument of `memset(NAME, …, BYTES)` and `memcpy`, whose first one stands there.
    fn bytes_set(&self, name: usize) -> Option<Range<usize>> {
        let tokens = self.tokens;
        let open = name
            .checked_sub(1)
            .filter(|at| *at > 0 && tokens.at(*at) == b"(")?;
        let parts = tokens.parts(open + 1..tokens.bracket_end(open));
        let is_listed = matches!(tokens.at(open - 1), b"memset" | b"memcpy")
            && parts.first() == Some(&(name..name + 1));
        parts
            .get(2)
            .filter(|_| is_listed && parts.len() == 3)
            .cloned()
    }

    /// What a call does with memory whose address it gets; otherwise where the address goes.
    fn call(&self, callee: &str, position: usize) -> Result<Effect, String> {
        if UNEVALUATED.contains(&callee) || ["free", "realloc"].contains(&callee) {
            return Ok(Effect::default());
        }
        let functions: Vec<_> = self.code.named(callee.as_bytes()).collect();
        if !functions.is_empty() {
            let all = functions.into_iter();
            let each = all.map(|(number, fun)| self.by_function(number, fun, position));
            return each
                .into_iter()
                .try_fold(Effect::default(), |all, one| Ok(all | one?));
        }
        let is_device = self.fun().is_device;
        match standard::library_effect(callee, position) {
            Some(effect) => Ok(effect),
            None if is_device => Ok(Effect::BOTH),
            None if self.fun().declares(callee) => {
                Err(format!("`{callee}`, which is a variable of this function"))
            }
            None if self.code.program.macros.contains_key(callee) => {
                Err(format!("`{callee}`, which is a macro"))
            }
            None => Err(format!("`{callee}`, which is not in these files")),
        }
    }

    /// What a function does with memory whose address it gets as an argument.
    fn by_function(&self, number: usize, fun: &Fun, position: usize) -> Result<Effect, String> {
        let parameter = fun.parameters.get(position);
        let is_named = parameter.is_some_and(|one| one.is_pointer || one.is_reference);
        match (self.summaries.launches[number], is_named) {
            // A function that launches does what is needed itself.
            (true, true) => Ok(Effect::default()),
            (true, false) => Err(format!("`{}`, which takes it as no pointer", fun.name)),
            (false, false) => Ok(Effect::BOTH),
            (false, true) => match &self.summaries.kept[number][position] {
                Some(to) => Err(format!("`{}`, and from there to {to}", fun.name)),
                None => Ok(self.summaries.parameters[number][position]),
            },
        }
    }

    /// The call whose argument stands at a token: its name, its `(`, the argument's position.
    pub fn enclosing_call(&self, at: usize) -> Option<(String, usize, usize)> {
        let tokens = self.tokens;
        let (mut position, mut here) = (0, at);
        loop {
            here = here
                .checked_sub(1)
                .filter(|here| self.range.contains(here))?;
            match tokens.at(here) {
                b")" | b"]" | b"}" => here = tokens.bracket_begin(here)?,
                b"," => position += 1,
                b";" | b"{" | b"[" => return None,
                b"(" => match tokens.parentheses(here) {
                    Parentheses::Header => return None,
                    Parentheses::Call if self.range.contains(&(here.checked_sub(1)?)) => {
                        match self.callee(here) {
                            Some(callee) => return Some((callee, here, position)),
                            None => position = 0,
                        }
                    }
                    _ => position = 0,
                },
                _ => {}
            }
        }
    }

    /// The kernel of a launch, or the function of a call with template arguments, whose `(` stands
    /// there.
    fn before_brackets(&self, open: usize) -> Option<String> {
        const CASTS: [&str; 3] = ["static_cast", "reinterpret_cast", "const_cast"];
        let tokens = self.tokens;
        let launch = (self.range.start..open).rev().find_map(|at| {
            let of = tokens.launch(at).or_else(|| tokens.logical_launch(at))?;
            (of.arguments == open).then_some(of)
        });
        if let Some(launch) = launch {
            return Some(tokens.word(launch.kernel));
        }
        let close = open
            .checked_sub(1)
            .filter(|at| matches!(tokens.at(*at), b">" | b">>"))?;
        let name = tokens.template_begin(close)?.checked_sub(1)?;
        let word = tokens.word(name);
        (tokens.is_name(name) && !CASTS.contains(&word.as_str())).then_some(word)
    }
}

/// Whether a variable is of a type of the standard library.
fn is_of_std(one: &Declared) -> bool {
    one.types.iter().any(|word| word == "std")
}
