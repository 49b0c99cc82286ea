//! Random programs in which shared memory chooses: which thread is joined, which mutex is taken, when a spawned thread begins.

use crate::random::Random;

const VARIABLES: [&str; 2] = ["x", "y"];

/// The program of a seed.
pub fn choosing(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = format!("shared x = {}, y = 0;\nmutex k[2];\n", random.below(2));
    let threads = ["thread w[2]", "thread j", "thread u"];
    let count = 2 + random.below(2);
    for (number, head) in threads.into_iter().enumerate().take(count) {
        // Those who may be joined join nobody: then nobody waits for a thread that never begins.
        let joins = if number == 0 { Joins::Nobody } else { Joins::Some };
        let length = 1 + random.below(if count == 2 { 3 } else { 2 });
        let body: Vec<String> = (0..length).map(|i| statement(&mut random, i, joins)).collect();
        text += &format!("{head} {{ {} }}\n", body.join(" "));
    }
    if count == 3 && random.percent(60) {
        text += "thread main { spawn u; }\n";
    }
    text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joins {
    Nobody,
    Some,
}

fn statement(random: &mut Random, number: usize, joins: Joins) -> String {
    let (v, other) = (*random.pick(&VARIABLES), *random.pick(&VARIABLES));
    match random.below(if joins == Joins::Some { 12 } else { 9 }) {
        0 | 1 => format!("{v} = {};", random.below(3)),
        2 => format!("{v} = {other};"),
        3 => format!("{v} += 1;"),
        4 => format!("let l{number} = {v};"),
        5 => format!("await({v} < 2);"),
        6 => format!("atomic {{ await({v} != 1); {other} = {v}; }}"),
        7 => format!("lock(k[{v} & 1]); unlock(k[{other} & 1]);"),
        8 => format!("assert({v} != {});", 1 + random.below(2)),
        _ => format!("join w[{v} & 1];"),
    }
}
