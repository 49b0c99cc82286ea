//! Fuzz probe.
use selvedge_testkit::{generate, oracle::{self, Check}};
use std::collections::BTreeMap;
fn check(p: &generate::RandomProgram) -> Check {
    match selvedge_lang::compile("r.sel", &p.to_string(), &BTreeMap::new()) {
        Ok(program) => {
            if let Err(e) = selvedge_ir::check::check(&program) { return Check::Wrong(format!("ill-formed {e:?}")); }
            oracle::check_all(&program, 4000)
        }
        Err(e) => Check::Wrong(format!("{e:?}")),
    }
}
fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|s| s.parse().unwrap()).collect();
    let (mut passed, mut large, mut wrong, mut traces) = (0, 0, 0, 0);
    for seed in a[0]..a[1] { if a.len() > 2 { println!("{seed}\n{}", generate::program(seed)); }
        match check(&generate::program(seed)) {
            Check::Passed(n) => { passed += 1; traces += n; }
            Check::TooLarge => large += 1,
            Check::Wrong(m) => {
                wrong += 1;
                if wrong <= 3 {
                    let kind: String = m.chars().take(12).collect();
                    let small = generate::shrink(generate::program(seed), &|p| matches!(check(p), Check::Wrong(m2) if m2.starts_with(&kind)));
                    println!("seed {seed}: {:?}\n{small}", check(&small));
                }
            }
        }
    }
    println!("passed {passed} large {large} wrong {wrong} traces {traces}");
}
