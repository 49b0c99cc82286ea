//! Random programs with assumptions in every form and place: about one variable or several, read by the assumption itself or before
//! it, in atomic blocks, under mutexes, before and after writes of the same thread.

use crate::random::Random;

/// Statements without an assumption; `{v}`, `{w}` are variables, `{n}`, `{m}` small numbers.
const OTHERS: [&str; 9] = [
    "{v} = {n};",
    "{v} = {n};",
    "{v} += 1;",
    "{v} += 1;",
    "fetch_add({v}, 1);",
    "lock(k); {v} = {n}; unlock(k);",
    "l = {v};",
    "assert({v} != {n} || {w} != {m});",
    "await({v} >= {n});",
];

/// Statements with one.
const ASSUMPTIONS: [&str; 22] = [
    "assume({v} == {n});",
    "assume({v} == {n});",
    "assume({v} + {w} == {n});",
    "assume({v} == {n} && {w} != {m});",
    "assume({v} == {n} || {w} == {m});",
    "assume({v} != {n} ? {w} == {m} : {v} == {w});",
    "l = {v}; assume(l == {n});",
    "l = {v}; l = l + 1; assume(l > {n} && l < 3);",
    "l = {v}; {w} = l; assume(l == {n});",
    "l = {v}; assert(l != {m}); assume(l == {n});",
    "atomic { l = {v} == {n} ? 1 : 0; } assume(l == 1);",
    "atomic { l = {v}; l += {w}; } assume(l == {n});",
    "atomic { l = {v}; {w} = {m}; } assume(l == {n});",
    "atomic { assume({v} == {n}); {w} = {m}; }",
    "atomic { {w} = {m}; assume({v} == {n}); assert({w} != {n}); }",
    "atomic { assume({v} == {n}); l = {w}; } assume(l != {m});",
    "atomic { await({v} == {n}); assume({w} == {m}); }",
    "lock(k); assume({v} == {n}); unlock(k);",
    "lock(k); l = {v}; unlock(k); assume(l == {n});",
    "if {v} == {n} { assume({w} == {m}); } else { {w} = {m}; }",
    "l = nondet(0..2); assume({v} == l);",
    "assume(a[{v} & 1] == {n});",
];

/// The program of a seed.
pub fn assuming(seed: u64) -> String {
    let mut random = Random::new(seed);
    let (threads, longest) = *random.pick(&[(2, 4), (3, 2), (3, 3), (4, 1), (4, 2)]);
    let mut text = String::from("shared x = 0, y = 0, a[2];\nmutex k;\n");
    let mut spawned = Vec::new();
    for t in 0..threads {
        let length = 1 + random.below(longest);
        let mut body: Vec<String> = (0..length).map(|_| statement(&mut random)).collect();
        if t > 0 && random.percent(15) {
            body.insert(random.below(body.len() + 1), format!("spawn s{t};"));
            spawned.push(t);
        }
        text += &format!("thread t{t} {{ let l = 0; {} }}\n", body.join(" "));
    }
    for t in spawned {
        text += &format!("thread s{t} {{ let l = 0; {} }}\n", statement(&mut random));
    }
    match random.below(4) {
        0 => text + "finally { assert(x != 2 || y != 1); }\n",
        1 => text + "finally { assume(x != 1); let f = y; }\n",
        _ => text,
    }
}

fn statement(random: &mut Random) -> String {
    let form = match random.percent(45) {
        true => *random.pick(&ASSUMPTIONS),
        false => *random.pick(&OTHERS),
    };
    let (v, w) = (*random.pick(&["x", "x", "y", "a[0]"]), *random.pick(&["y", "y", "x", "a[1]"]));
    let (n, m) = (random.below(3).to_string(), random.below(3).to_string());
    form.replace("{v}", v).replace("{w}", w).replace("{n}", &n).replace("{m}", &m)
}
