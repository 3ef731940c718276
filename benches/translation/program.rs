//! Programs of any length, of the kind that people write: functions with
//! plain loops, structs, and a compute construct every fifty lines.

use std::fmt::Write;

/// A C program of about `lines` lines.
pub fn of_lines(lines: usize) -> String {
    let mut text = String::from(
        "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n\
         struct cell { double mass, speed[3]; int kind; };\n",
    );
    let mut written = 5;
    let mut number = 0;
    while written < lines {
        let before = text.len();
        function(&mut text, number);
        written += text[before..].matches('\n').count();
        number += 1;
    }
    text.push_str("\nint main(void)\n{\n    return 0;\n}\n");
    text
}

/// Fifty lines: host code, then a data region with two constructs.
fn function(text: &mut String, number: usize) {
    let _ = write!(
        text,
        r#"
static double weight_{number}(const struct cell *cell, int i)
{{
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++)
        sum += cell->speed[axis] * cell->speed[axis];
    if (cell->kind == {number} || i % 7 == 3)
        return sum * 0.5 * cell->mass;
    else
        return sqrt(sum) + (double)i / (cell->mass + 1.0);
}}

int step_{number}(int rows, int columns, double *restrict now, double *restrict next,
                struct cell *cells, int count)
{{
    double total = 0.0, largest = 0.0;
    for (int i = 0; i < count; i++) {{
        double w = weight_{number}(&cells[i], i);
        total += w;
        if (w > largest)
            largest = w;
        switch (cells[i].kind) {{
        case 0:
            cells[i].mass *= 1.0 + 1e-6 * w;
            break;
        case 1:
            cells[i].speed[i % 3] -= w / (total + 1.0);
            break;
        default:
            cells[i].kind = (cells[i].kind + {number}) % 3;
        }}
    }}
    #pragma acc data copyin(now[0:rows * columns]) copyout(next[0:rows * columns])
    {{
        #pragma acc parallel loop collapse(2) present(now, next)
        for (int row = 1; row < rows - 1; row++)
            for (int column = 1; column < columns - 1; column++) {{
                int i = row * columns + column;
                double around = now[i - 1] + now[i + 1] + now[i - columns] + now[i + columns];
                next[i] = now[i] + 0.1 * (around - 4.0 * now[i]) + {number} * 1e-9;
            }}
        #pragma acc parallel loop present(next) reduction(+:total)
        for (int i = 0; i < rows * columns; i++)
            total += next[i];
    }}
    printf("%d %g %g\n", {number}, total, largest);
    return total > largest;
}}
"#,
    );
}
