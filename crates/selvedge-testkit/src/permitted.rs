//! What a schedule permits, by brute force and from the tree that it was made from.

use crate::mirror::{Ended, Mirror};
use selvedge_certificate::Certificate;
use selvedge_enforce::search::Extent;
use selvedge_enforce::{Orders, Scheduled, search};
use selvedge_explore::algorithms::exhaustive;
use selvedge_explore::search::AfterViolation;
use selvedge_explore::{End, Limits, Monitor, Path, Program as _, Search, States as _};
use selvedge_interp::Failure;
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_trace::ThreadId;
use std::collections::BTreeSet;

/// The state in which an execution ends.
pub type Final = Vec<i64>;

/// What there is under a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permitted {
    /// What goes wrong.
    pub failures: BTreeSet<Failure>,
    /// The states in which executions end, unless something goes wrong.
    pub finals: BTreeSet<Final>,
    /// Whether the schedule does not always say how to go on.
    pub is_lost: bool,
}

/// Collects the states in which executions end.
#[derive(Default)]
struct Ends(BTreeSet<Final>);

impl Monitor<Scheduled> for Ends {
    fn execution(&mut self, path: &Path<Scheduled>, end: End) {
        if matches!(end, End::Complete | End::Deadlock | End::Dropped) {
            let mut state = Vec::new();
            path.program.interpreter().snapshot(&mut state);
            self.0.insert(state);
        }
    }
}

fn limits(executions: u64) -> Limits {
    let after_violation = AfterViolation::KeepGoing;
    Limits { executions: Some(executions), after_violation, depth: 2000, ..Limits::default() }
}

/// By the search of states, along these orders of the events of sections; nothing if there is too much.
pub fn by_states(program: &Program, schedule: &Schedule, orders: Orders) -> Option<Permitted> {
    let scheduled = Scheduled::new(program, schedule.clone(), orders).ok()?;
    let mut ends = Ends::default();
    let explored = search::explore(scheduled, limits(50_000), Extent::All, &mut ends);
    let failures = explored.exploration.violations.into_iter().map(|violation| violation.failure).collect();
    let is_lost = explored.program.lost().is_some();
    explored.is_whole.then_some(Permitted { failures, finals: ends.0, is_lost })
}

/// By every interleaving; nothing if there are too many.
pub fn by_brute_force(program: &Program, schedule: &Schedule, most: u64) -> Option<Permitted> {
    let scheduled = Scheduled::new(program, schedule.clone(), Orders::All).ok()?;
    let mut ends = Ends::default();
    let mut search = Search::new(scheduled, limits(most), &mut ends);
    exhaustive::run(&mut search);
    let (exploration, scheduled) = search.finish();
    let is_all = exploration.stop.is_none() && exploration.statistics.cut == 0;
    let failures = exploration.violations.into_iter().map(|violation| violation.failure).collect();
    let is_lost = scheduled.lost().is_some();
    is_all.then_some(Permitted { failures, finals: ends.0, is_lost })
}

/// The states in which executions end that go along the tree of a certificate, found by running all of them from the beginning; nothing if
/// there are more than so many.
///
/// # Errors
/// When something goes wrong in one of them.
pub fn by_certificate(
    program: &Program,
    certificate: &Certificate,
    most: usize,
) -> Result<Option<BTreeSet<Final>>, String> {
    let mut finals = BTreeSet::new();
    let mut todo: Vec<Vec<(usize, u32)>> = vec![Vec::new()];
    for _ in 0..most {
        let Some(mut path) = todo.pop() else { return Ok(Some(finals)) };
        let mut run = Run { mirror: Mirror::new(program)?, node: 0, certificate };
        path.iter().try_for_each(|&(thread, choice)| run.step(thread, choice))?;
        loop {
            let mut ways = run.permitted()?.into_iter();
            let Some(first) = ways.next() else { break };
            todo.extend(ways.map(|way| path.iter().copied().chain([way]).collect()));
            run.step(first.0, first.1)?;
            path.push(first);
        }
        let mut state = Vec::new();
        run.mirror.interpreter.snapshot(&mut state);
        finals.insert(state);
    }
    Ok(None)
}

/// An execution along a tree.
struct Run<'c> {
    mirror: Mirror,
    node: usize,
    certificate: &'c Certificate,
}

impl Run<'_> {
    /// The threads that may go on, with their choices.
    fn permitted(&mut self) -> Result<Vec<(usize, u32)>, String> {
        let mut permitted = Vec::new();
        for &thread in &self.certificate.nodes[self.node].expanded {
            if !self.mirror.is_enabled(thread)? {
                continue;
            }
            let choices = match self.mirror.is_in_the_middle(thread) {
                true => 1,
                false => self.mirror.interpreter.choices(ThreadId::at(thread)),
            };
            permitted.extend((0..choices).map(|choice| (thread, choice)));
        }
        Ok(permitted)
    }

    fn step(&mut self, thread: usize, choice: u32) -> Result<(), String> {
        let number = match self.mirror.is_in_the_middle(thread) {
            true => self.mirror.go_on(thread)?,
            false => match self.mirror.step(thread, choice)? {
                (_, Ended::Failed) => return Err("a permitted step fails".to_owned()),
                (number, Ended::There) => number,
            },
        };
        let nodes = &self.certificate.nodes;
        let edge = nodes[self.node].edges.iter().find(|edge| (edge.0, edge.1) == (thread, number));
        self.node = edge.ok_or("a permitted step has no edge")?.2;
        while let Some(by) = nodes[self.node].covered_by {
            self.node = by;
        }
        Ok(())
    }
}
