//! What becomes of calls whose arguments passes change.

use std::rc::Rc;

use super::*;

/// The call of a macro that makes a text, where it was written as `call`.
fn kept(definitions: &[&str], call: &str, text: &str) -> Option<String> {
    let parse = |line: &&str| Macro::parse(line, 0, false).map(Rc::new);
    let macros: Vec<Rc<Macro>> = definitions
        .iter()
        .map(|line| parse(line).unwrap())
        .collect();
    let find = |name: &str| macros.iter().find(|one| one.name == name).map(|one| &**one);
    let made = expand(&tokens_of(call), &find).unwrap();
    let call = Call {
        text: call.to_string(),
        start: 0,
        end: (0, 0),
        raw: None,
        made: made.into_iter().map(Cow::into_owned).collect(),
        macros: macros.clone(),
        is_whole: true,
    };
    call.that_makes(text)
}

const SQUARE: &str = "SQUARE(v) ((v) * (v))";

#[test]
fn other_arguments_stand_in_the_same_call() {
    let made = "((w[k + 1]) * (w[k + 1]))";
    let text = kept(&[SQUARE], "SQUARE(a[i])", made);
    assert_eq!(text.as_deref(), Some("SQUARE(w[k + 1])"));
    let list = ["SUM(a, b) (a) + N * (b)", "N 4"];
    let text = kept(&list, "SUM( N, i )", "(4) + 4 * (f(i, 2))");
    assert_eq!(text.as_deref(), Some("SUM(N, f(i, 2))"));
    let nested = ["FOURTH(v) SQUARE(SQUARE(v))", SQUARE];
    let made = "((((w) * (w))) * (((w) * (w))))";
    let text = kept(&nested, "FOURTH(v)", made);
    assert_eq!(text.as_deref(), Some("FOURTH(w)"));
}

#[test]
fn what_the_call_cannot_make_is_none() {
    // Two values for one parameter; an operator that is another; more than the macro makes.
    assert_eq!(kept(&[SQUARE], "SQUARE(v)", "((w) * (u))"), None);
    assert_eq!(kept(&[SQUARE], "SQUARE(v)", "((w) + (w))"), None);
    assert_eq!(kept(&[SQUARE], "SQUARE(v)", "((w) * (w)) + 1"), None);
    // A comma that would end the argument; two arguments side by side; none.
    assert_eq!(kept(&[SQUARE], "SQUARE(v)", "((a, b) * (a, b))"), None);
    assert_eq!(
        kept(&["CAST(t, v) t v"], "CAST((int), v)", "(long) w"),
        None
    );
    assert_eq!(kept(&["N 4"], "N", "5"), None);
    // The end of an argument is not where it seems to be.
    assert_eq!(
        kept(&["ADD(a, b) a + b"], "ADD(i, j)", "k + l + m").as_deref(),
        Some("ADD(k, l + m)")
    );
}
