//! Random closures over the look-alikes of parking_lot, crossbeam, tokio and arc-swap.
//!
//! Every algorithm is held against brute force, as for [the types of std](super::random_closures). What the threads see is held against the
//! crates themselves: [`reference`] runs the same source over tokio, crossbeam-channel and arc-swap in all interleavings of its operations,
//! on one thread.

#[macro_use]
mod source;

mod actions;
mod here;
mod meeting;
mod reference;

use super::against_brute_force::{Outcome, with_one_less};
use super::against_brute_force::{Scenario, begin_logs, compare_all, outcomes, seeds, shrunk};
use super::assumptions::Semantics;
use crate::thread;
use actions::{Action, Family};
use selvedge_testkit::random::Random;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What the threads do with the objects of a family.
#[derive(Clone, Debug)]
struct Program {
    family: Family,
    threads: Vec<Vec<Action>>,
}

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let family = *random.pick(&Family::ALL);
    let threads = 2 + random.below(2);
    let of_family = family.actions();
    // A few kinds, so that they meet.
    let kinds: Vec<Action> = (0..3).map(|_| *random.pick(of_family)).collect();
    let most = if threads == 2 { 3 } else { 2 };
    let body = |random: &mut Random| (0..1 + random.below(most)).map(|_| *random.pick(&kinds)).collect();
    Program { family, threads: (0..threads).map(|_| body(&mut random)).collect() }
}

impl Scenario for Program {
    fn closure(&self) -> Rc<dyn Fn()> {
        let program = self.clone();
        Rc::new(move || {
            begin_logs(program.threads.len());
            let (world, owned) = here::start(&program);
            let world = std::sync::Arc::new(world);
            for (own, actions) in owned.into_iter().zip(program.threads.clone()) {
                let world = std::sync::Arc::clone(&world);
                thread::spawn(move || crate::future::block_on(here::body(&world, own, actions)));
            }
        })
    }

    fn semantics(&self) -> Semantics {
        Semantics { lonely_rounds: 1, ..Semantics::default() }
    }

    fn observes_more(&self) -> bool {
        true
    }

    fn limit(&self) -> u64 {
        1500
    }

    fn simpler(&self) -> Vec<Program> {
        let simpler = with_one_less(&self.threads);
        simpler.into_iter().map(|threads| Program { family: self.family, threads }).collect()
    }
}

#[test]
fn every_algorithm_finds_what_brute_force_finds_beside_std() {
    let compared = compare_all(seeds(400, 20_000), program);
    assert!(compared > 0, "no closure was small enough for brute force");
}

/// Compares the outcomes with those of the crates. Returns how many there are, unless these are too many.
fn compare_with_crates(program: &Program) -> Result<Option<usize>, String> {
    if !program.family.has_reference() {
        return Ok(None);
    }
    let Some(truth) = reference::outcomes(program, 4000) else { return Ok(None) };
    let Some(ours) = outcomes(program, 8000) else { return Ok(None) };
    let difference =
        |left: &BTreeSet<Outcome>, right: &BTreeSet<Outcome>| left.difference(right).next().cloned();
    match (difference(&truth, &ours), difference(&ours, &truth)) {
        (None, None) => Ok(Some(truth.len())),
        // A sender has room before its message is there. The crates have such moments, too, but not on one thread.
        (None, Some(_)) if matches!(program.family, Family::Mpsc(_)) => Ok(Some(truth.len())),
        (missing, odd) => Err(format!("misses {missing:?}, invents {odd:?}")),
    }
}

#[test]
fn threads_see_what_they_see_of_the_crates_themselves() {
    let (mut compared, mut all) = (0, 0);
    for seed in seeds(2000, 20_000) {
        match compare_with_crates(&program(seed)) {
            Ok(None) => {}
            Ok(Some(outcomes)) => {
                compared += 1;
                all += outcomes;
            }
            Err(message) => {
                let small = shrunk(program(seed), |program| compare_with_crates(program).err());
                panic!("seed {seed}: {message}\n{small}");
            }
        }
    }
    println!("{compared} closures with {all} outcomes compared with the crates");
    assert!(compared > 0, "no closure has few enough interleavings");
}
