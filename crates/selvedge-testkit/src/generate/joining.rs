//! Random programs whose threads wait for the ends of others, between operations that race.
//!
//! Leaving a thread that waits is no preemption, so within a bound it matters which threads have ended when.

use crate::random::Random;

/// The program of a seed.
pub fn joining(seed: u64) -> String {
    let mut random = Random::new(seed);
    let threads = 3 + random.below(2);
    let mut longest = if threads == 4 { 3 } else { 5 };
    let mut bodies: Vec<Vec<String>> = Vec::new();
    for thread in 0..threads {
        let length = random.below(longest.min(3) + 1);
        longest = (longest + 1).saturating_sub(length).max(1);
        bodies.push((0..length).map(|number| statement(&mut random, thread, number)).collect());
    }
    for (thread, body) in bodies.iter_mut().enumerate() {
        for other in thread + 1..threads {
            if random.percent(40) {
                let place = random.below(body.len() + 1);
                body.insert(place, format!("join t{other};"));
            }
        }
    }
    if random.percent(20) {
        for body in bodies.iter_mut().take(2) {
            let place = random.below(body.len() + 1);
            body.insert(place, "wait(b);".to_owned());
        }
    }
    let mut order: Vec<usize> = (0..threads).collect();
    for i in (1..threads).rev() {
        order.swap(i, random.below(i + 1));
    }
    let texts = order.iter().map(|&thread| format!("thread t{thread} {{ {} }}\n", bodies[thread].join(" ")));
    format!("shared x = 0, y = 0;\nmutex m;\nbarrier b(2);\n{}", texts.collect::<String>())
}

fn statement(random: &mut Random, thread: usize, number: usize) -> String {
    let v = *random.pick(&["x", "x", "y"]);
    match random.below(8) {
        0..=3 => format!("{v} = {};", thread + 1),
        4 => format!("{v} += 1;"),
        5 => format!("let l{number} = {v};"),
        6 => format!("lock(m); {v} = {}; unlock(m);", thread + 1),
        _ => format!("await({v} != {});", random.below(2)),
    }
}
