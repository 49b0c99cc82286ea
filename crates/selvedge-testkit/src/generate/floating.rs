//! Random programs full of writes that replace values without looking, alone and several in one operation.

use crate::random::Random;

const VARIABLES: [&str; 3] = ["x", "y", "z"];

/// The program of a seed. All variables are read in the end, in one operation or one by one.
pub fn floating(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (threads, longest) = *random.pick(&[(2, 5), (3, 2), (3, 3), (4, 2)]);
    let mut text = String::from("shared x = 0, y = 1, z = 0;\n");
    for t in 0..threads {
        let length = 1 + random.below(longest);
        let body: Vec<String> = (0..length).map(|i| statement(&mut random, i)).collect();
        text += &format!("thread t{t} {{ {} }}\n", body.join(" "));
    }
    let reads = "let a = x; let b = y; let c = z;";
    if random.percent(50) {
        return text + &format!("finally {{ {reads} }}\n");
    }
    let each = |what: &str| (0..threads).map(|t| format!("{what} t{t}; ")).collect::<String>();
    format!("{text}thread main {{ {}{}{reads} }}\n", each("spawn"), each("join"))
}

fn statement(random: &mut Random, number: usize) -> String {
    match random.below(10) {
        0 => format!("let l{number} = {};", random.pick(&VARIABLES)),
        1 | 2 => {
            let parts: Vec<String> = (0..2 + random.below(2)).map(|_| assignment(random)).collect();
            format!("atomic {{ {} }}", parts.join(" "))
        }
        3 => {
            let variable = random.pick(&VARIABLES);
            format!("{variable} = {variable} + 1;")
        }
        _ => assignment(random),
    }
}

fn assignment(random: &mut Random) -> String {
    let target = *random.pick(&VARIABLES);
    match random.percent(60) {
        true => format!("{target} = {};", random.below(3)),
        false => format!("{target} = {};", random.pick(&VARIABLES)),
    }
}
