//! Scalars that collect a result, with conversions on the way: some keep every value, some do not.

use super::super::model::Node;
use super::Maker;

/// Forms of updates of `S` by an integer `E`, with the types that `S` has.
const INTEGER: &[(&[&str], &str)] = &[
    (
        &[
            "int",
            "long",
            "unsigned",
            "short",
            "unsigned char",
            "double",
        ],
        "S += E;",
    ),
    (&["int", "long", "unsigned", "signed char"], "S = S + E;"),
    (&["int", "long"], "S -= E;"),
    (&["int", "unsigned", "unsigned char"], "S *= E;"),
    (&["int", "long", "short", "unsigned char"], "S ^= E;"),
    (&["int", "long", "unsigned char", "_Bool"], "S |= E;"),
    (&["int", "unsigned", "_Bool"], "S = S & (E | 3);"),
    (&["int", "long", "unsigned"], "S++;"),
    (&["int", "long"], "S = (unsigned char)S + E;"),
    (
        &["int", "short", "signed char"],
        "S = (signed char)(S + E);",
    ),
    (&["long", "int"], "S = (int)S + E;"),
    (&["long", "int"], "S = (unsigned)S + E;"),
    (&["float", "double"], "S = (int)(S + E);"),
    (&["int"], "S = (int)((unsigned)S ^ (unsigned)E);"),
    (&["float", "double"], "S += 0.5f * (E & 15);"),
    (
        &["int", "signed char", "unsigned", "double"],
        "if (E > S) S = E;",
    ),
    (
        &["int", "short"],
        "if ((unsigned char)(E) > S) S = (unsigned char)(E);",
    ),
    (
        &["signed char", "unsigned"],
        "if ((unsigned char)(E) > S) S = (unsigned char)(E);",
    ),
    (&["int", "long", "float"], "S = E < S ? E : S;"),
    (&["int", "double"], "S = S > E ? S : E;"),
    (
        &["int", "unsigned"],
        "S = (unsigned)(E) > (unsigned)S ? E : S;",
    ),
    (&["int", "_Bool"], "S = S && E;"),
    (&["int", "_Bool"], "S = E > 2 || S;"),
    (&["int"], "S = S || E > 28;"),
];

/// As [`INTEGER`], with a value of any type.
const NUMBER: &[(&[&str], &str)] = &[
    (&["double", "float"], "S = fmax(S, E);"),
    (&["double", "float"], "S = fmaxf(S, -(float)(E));"),
    (&["double", "float"], "S = fmin(E, S);"),
    (&["double", "float"], "if (E > S) S = E;"),
    (&["double", "float"], "S = E < S ? E : S;"),
    (&["double"], "S = S > E ? S : E;"),
];

/// An update, of a variable that the function declares and returns.
pub fn statement(maker: &mut Maker, list: &mut Vec<Node>) {
    let any = maker.chance(1, 4);
    let (types, form) = *maker.random.pick(if any { NUMBER } else { INTEGER });
    let kind = *maker.random.pick(types);
    let is_truth = kind == "_Bool" || form.contains("&& E") || form.contains("||");
    let start = match kind {
        _ if is_truth && maker.chance(1, 2) => i64::from(maker.chance(1, 2)),
        "signed char" | "unsigned char" | "short" => maker.random.between(0, 100),
        "long" => maker.random.of(&[0, 7, (1 << 40) + 5]),
        "double" if any && maker.chance(1, 8) => return special(maker, list, form),
        _ => maker.random.of(&[0, -3, 1, 5, 1000]),
    };
    update(maker, list, kind, form, &start.to_string(), any);
}

fn special(maker: &mut Maker, list: &mut Vec<Node>, form: &str) {
    let start = maker.random.of(&["NAN", "-INFINITY", "INFINITY"]);
    update(maker, list, "double", form, start, true);
}

fn update(maker: &mut Maker, list: &mut Vec<Node>, kind: &str, form: &str, start: &str, any: bool) {
    let name = maker.fresh("s");
    if maker.function.results.len() >= 8 {
        return;
    }
    let value = maker.term(any, None);
    let value = if value.starts_with('-') || value.contains(' ') {
        format!("({value})")
    } else {
        value
    };
    let text = format!("{kind} {name} = {start};");
    maker.local(&name, text);
    maker.function.results.push(name.clone());
    let text = form.replace('S', &name).replace('E', &value);
    list.push(Node::Plain(text));
}
