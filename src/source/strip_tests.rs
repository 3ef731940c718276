use super::*;

fn strip_text(output: &str) -> Stripped {
    strip(output.as_bytes(), "a.c", &["acc"], &[])
}

#[test]
fn marks_go_to_tables() {
    let result = strip_text(
        "# 1 \"a.c\"\nx;__accrs_m2 y;\n__accrs_pragma_acc_3_9 wait __accrs_pragma_end\n",
    );
    assert_eq!(
        result.text,
        "x; y;\n__accrs_pragma_acc wait __accrs_pragma_end\n"
    );
    let marker = |at, offset, edge| Marker { at, offset, edge };
    assert_eq!(
        result.tables.markers,
        [marker(2, 2, false), marker(6, 3, true), marker(48, 9, true)]
    );
    let directive = DirectiveMark {
        span: Span::new(6, 48),
        source: Some(3..9),
        header: false,
    };
    assert_eq!(result.tables.directives, [directive]);
}

#[test]
fn line_marks_tell_the_file_and_whether_it_is_the_main_one() {
    let output = "# 1 \"/dev/stdin\"\n# 1 \"a.c\"\na\n# 1 \"\\303\\251 \\\"h.h\" 1 3\nh\n#line 2 \"a.c\" 2\nb\n";
    let result = strip_text(output);
    assert_eq!(result.text, "a\nh\nb\n");
    let name = |m: &LineMark| {
        (
            m.at,
            result.tables.files[m.file as usize].as_str(),
            m.line,
            m.main,
        )
    };
    let marks: Vec<_> = result.tables.lines.iter().map(name).collect();
    assert_eq!(
        marks,
        [
            (0, "a.c", 1, true),
            (2, "é \"h.h", 1, false),
            (4, "a.c", 2, true)
        ]
    );
    assert_eq!(result.tables.line_starts, [0, 2, 4, 6]);
}

#[test]
fn pragma_lines_become_directives_or_go() {
    let result =
        strip_text("#pragma acc loop\n  #pragma omp for\n#pragma pack(1)\n#ident \"x\"\nx\n");
    assert_eq!(
        result.text,
        "__accrs_pragma_acc loop __accrs_pragma_end \n\n\n\nx\n"
    );
    let pragmas: Vec<_> = result
        .tables
        .pragmas
        .iter()
        .map(|p| p.text.as_str())
        .collect();
    assert_eq!(pragmas, ["omp for", "pack(1)"]);
    assert_eq!(result.tables.directives[0].source, None);
}

#[test]
fn spelling_is_made_usual_outside_literals() {
    let result = strip_text(
        "a<:1:> <% %> \\U000000e9x \"<% \\U000000e9 __accrs_m1\" '<%' 1'0 __accrs_mx __accrs_m \n",
    );
    let expected = "a[ 1]  {  }  éx \"<% \\U000000e9 __accrs_m1\" '<%' 1'0 __accrs_mx __accrs_m \n";
    assert_eq!(result.text, expected);
}

#[test]
fn a_lone_quote_does_not_hide_the_rest() {
    assert_eq!(
        strip_text("don't __accrs_m3\n\"x __accrs_m4\n").text,
        "don't \n\"x \n"
    );
}
