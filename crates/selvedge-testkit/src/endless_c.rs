//! Random C programs whose threads run for ever: shared variables of few values, mutexes, branches on what others wrote, functions that
//! several places call, assertions that only some interleavings keep.

use crate::random::Random;
use std::fmt::Write;

const VARIABLES: [&str; 4] = ["x", "y", "z", "a[i & 1]"];

/// A program.
pub fn program(random: &mut Random) -> String {
    let mut text = String::from(
        "#include <assert.h>\n#include <pthread.h>\nint x, y, z, a[2];\n\
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n",
    );
    text += "static void set(int *to, int by) { *to = (*to + by) & 3; }\n";
    let threads = 2 + random.below(2);
    for thread in 0..threads {
        let _ = writeln!(text, "void *t{thread}(void *unused) {{\n    for (int i = 0;; i = (i + 1) & 1) {{");
        for _ in 0..1 + random.below(4) {
            statement(&mut text, random, 2, thread);
        }
        text += "    }\n}\n";
    }
    text += "int main(void) {\n    pthread_t t[3];\n";
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, t{thread}, 0);");
    }
    for thread in 0..threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    text + "    return 0;\n}\n"
}

fn statement(text: &mut String, random: &mut Random, depth: usize, own: usize) {
    let variable = *random.pick(&VARIABLES);
    let value = random.below(4);
    let _ = match random.below(if depth > 0 { 9 } else { 4 }) {
        0 => writeln!(text, "        {variable} = {value};"),
        1 => writeln!(text, "        {variable} = ({variable} + 1) & 3;"),
        2 => writeln!(text, "        set(&{}, {value});", VARIABLES[random.below(3)]),
        3 => writeln!(text, "        {variable} = {};", VARIABLES[random.below(4)]),
        4 | 5 => {
            let _ = writeln!(text, "        if ({variable} == {value}) {{");
            statement(text, random, depth - 1, own);
            if random.percent(50) {
                text.push_str("        } else {\n");
                statement(text, random, depth - 1, own);
            }
            writeln!(text, "        }}")
        }
        6 | 7 => {
            let mutex = if random.percent(70) { "m" } else { "n" };
            let _ = writeln!(text, "        pthread_mutex_lock(&{mutex});");
            statement(text, random, depth - 1, own);
            statement(text, random, 0, own);
            writeln!(text, "        pthread_mutex_unlock(&{mutex});")
        }
        _ => {
            let _ = writeln!(text, "        {variable} = {own};");
            writeln!(text, "        assert({variable} == {own});")
        }
    };
}
