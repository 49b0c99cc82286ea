//! Random programs whose threads come and go: spawned one after the other, by each other, before and after those that spawn them
//! in the order of the program, joined or not.

use crate::random::Random;

/// The program of a seed.
pub fn spawning(seed: u64) -> String {
    let mut random = Random::new(seed);
    let children = 1 + random.below(3);
    // Who spawns each of the threads: 0 is `p`, the others are `q[0]` and so on. A thread is spawned by one that has a smaller number.
    let parents: Vec<usize> =
        (0..children).map(|child| if random.percent(70) { 0 } else { random.below(child + 1) }).collect();
    let longest = if children == 3 { 1 } else { 2 };
    let mut bodies: Vec<Vec<String>> = (0..=children)
        .map(|thread| (0..random.below(longest + 1)).map(|i| statement(&mut random, thread, i)).collect())
        .collect();
    // Some numbers are none of those that are spawned first.
    let mut names: Vec<usize> = (0..children).collect();
    for i in (1..children).rev() {
        names.swap(i, random.below(i + 1));
    }
    for (child, &parent) in parents.iter().enumerate() {
        let place = random.below(bodies[parent].len() + 1);
        bodies[parent].insert(place, format!("spawn q{};", names[child]));
        if random.percent(25) {
            let later = place + 1 + random.below(bodies[parent].len() - place);
            bodies[parent].insert(later, format!("join q{};", names[child]));
        }
    }
    if random.percent(25) {
        bodies.push(vec![statement(&mut random, 9, 0)]);
    }
    text(&mut random, &bodies, &names)
}

/// The threads in a random order.
fn text(random: &mut Random, bodies: &[Vec<String>], names: &[usize]) -> String {
    let mut threads: Vec<String> = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        let name = match number {
            0 => "p".to_owned(),
            n if n <= names.len() => format!("q{}", names[n - 1]),
            _ => "r".to_owned(),
        };
        threads.push(format!("thread {name} {{ {} }}\n", body.join(" ")));
    }
    for i in (1..threads.len()).rev() {
        threads.swap(i, random.below(i + 1));
    }
    format!("shared x = 0, y = 0;\nmutex m;\n{}", threads.concat())
}

fn statement(random: &mut Random, thread: usize, number: usize) -> String {
    let v = *random.pick(&["x", "x", "y"]);
    match random.below(9) {
        0..=3 => format!("{v} = {};", thread + 1),
        4 => format!("{v} += 1;"),
        5 => format!("let l{number} = {v};"),
        6 => format!("lock(m); {v} = {}; unlock(m);", thread + 1),
        7 => format!("await({v} != {});", random.below(2)),
        _ => format!("assert({v} != {});", 1 + random.below(3)),
    }
}
