//! Programs run under the schedules of a certificate, with random inputs and random permitted choices.

use crate::mirror::{Ended, Mirror};
use crate::random::Random;
use selvedge_certificate::Certificate;
use selvedge_explore::Program as _;
use selvedge_ir::Program;
use selvedge_trace::ThreadId;

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The steps of each thread.
    pub steps: Vec<u64>,
    /// Whether all threads came to an end.
    pub ended: bool,
    /// Which threads came to their end, were not begun, or have to wait at the end.
    pub over: Vec<bool>,
}

impl Ran {
    /// Whether every thread made so many steps, came to its end or has to wait.
    pub fn all_progress(&self, least: u64) -> bool {
        self.steps.iter().zip(&self.over).all(|(&steps, &over)| over || steps >= least)
    }
}

/// Steps between two comparisons of the whole state.
const COMPARED: u64 = 64;
/// Steps between two looks at who could go on, about.
const FAIR: usize = 4;

/// Runs a program where its certificate permits, for so many steps or to the end.
///
/// # Errors
/// When something goes wrong, nobody can go on, or a thread that can go on is left out for long.
pub fn run(
    program: &Program,
    certificate: &Certificate,
    random: &mut Random,
    steps: u64,
) -> Result<Ran, String> {
    let mut mirror = Mirror::new(program)?;
    let mut node = 0;
    let threads = mirror.places.len();
    let mut ran = Ran { steps: vec![0; threads], ended: false, over: vec![true; threads] };
    let mut last = vec![0; mirror.places.len()];
    let patience = 10 * (certificate.nodes.len() as u64 + 10);
    for step in 1..=steps {
        while let Some(by) = certificate.nodes[node].covered_by {
            node = by;
        }
        if certificate.nodes[node].places != mirror.places {
            return Err(format!(
                "node {node} is at {:?}, not at {:?}",
                certificate.nodes[node].places, mirror.places
            ));
        }
        let middle = mirror.in_the_middle();
        if middle.is_none() && step % COMPARED == 0 {
            mirror.compare()?;
        }
        let mut permitted = Vec::new();
        for &thread in &certificate.nodes[node].expanded {
            if mirror.is_enabled(thread)? {
                permitted.push(thread);
            }
        }
        if permitted.is_empty() {
            for thread in 0..mirror.places.len() {
                if mirror.is_enabled(thread)? {
                    return Err(format!("at node {node} nobody is permitted who could go on"));
                }
            }
            if mirror.system.counts_as_deadlock(&mirror.places) {
                return Err(format!("a deadlock at node {node}"));
            }
            ran.ended = true;
            return Ok(ran);
        }
        for (thread, last) in last.iter_mut().enumerate() {
            if step > *last + patience {
                return Err(format!("thread {thread} was left out for {patience} steps"));
            }
            if random.below(FAIR) == 0 && !mirror.is_enabled(thread)? {
                *last = step;
            }
        }
        let thread = *random.pick(&permitted);
        let number = match mirror.is_in_the_middle(thread) {
            true => mirror.go_on(thread)?,
            false => {
                let choices = mirror.interpreter.choices(ThreadId::at(thread));
                let choice = random.below(choices.min(1 << 20) as usize) as u32;
                let (number, ended) = mirror.step(thread, choice)?;
                if ended == Ended::Failed {
                    return Err(format!("{:?}", mirror.interpreter.failures()));
                }
                number
            }
        };
        node = follow(certificate, node, thread, number)?;
        ran.steps[thread] += 1;
        last[thread] = step;
    }
    ran.over = (0..threads).map(|thread| matches!(mirror.is_enabled(thread), Ok(false))).collect();
    Ok(ran)
}

fn follow(certificate: &Certificate, node: usize, thread: usize, number: usize) -> Result<usize, String> {
    let edges = &certificate.nodes[node].edges;
    let edge = edges.iter().find(|edge| (edge.0, edge.1) == (thread, number));
    edge.map(|edge| edge.2)
        .ok_or_else(|| format!("node {node} has no edge for transition {number} of thread {thread}"))
}
