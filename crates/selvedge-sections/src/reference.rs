//! The execution along a path of a schedule, one event after the other, by the definitions.

use selvedge_enforce::walk::{State, Walk};
use selvedge_schedule::{Event, Schedule};

/// An event that was performed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// The thread.
    pub thread: usize,
    /// Where it stood.
    pub place: u32,
    /// Which transition it took.
    pub transition: usize,
    /// Which alternative it took, where its input left it a choice.
    pub choice: u32,
}

/// Why an execution cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The program does something else than the schedule foresees.
    #[error("thread {0} does something at line {1} that the schedule does not foresee")]
    Unforeseen(usize, usize),
    /// A thread fails, or has to wait.
    #[error("thread {0} fails at line {1}, or has to wait there")]
    Stuck(usize, usize),
}

/// An execution in progress.
#[derive(Debug)]
pub struct Reference<'r> {
    /// The program.
    pub walk: &'r Walk,
    schedule: &'r Schedule,
    section: Option<(usize, usize)>,
    node: usize,
    state: State,
}

impl<'r> Reference<'r> {
    /// The beginning.
    pub fn new(walk: &'r Walk, schedule: &'r Schedule) -> Reference<'r> {
        Reference { walk, schedule, section: None, node: 0, state: walk.start() }
    }

    /// Where the threads stand.
    pub fn places(&self) -> &[u32] {
        &self.state.places
    }

    /// The sections whose events may come next, with the number of the event.
    fn next(&self) -> Vec<(usize, usize)> {
        match self.section {
            Some(next) => vec![next],
            None => {
                let sections = self.schedule.sections.iter().enumerate();
                sections
                    .filter(|(_, section)| section.from == self.node)
                    .map(|(number, _)| (number, 0))
                    .collect()
            }
        }
    }

    fn event(&self, at: (usize, usize)) -> &'r Event {
        &self.schedule.sections[at.0].events[at.1]
    }

    /// Performs the next event; nothing if the schedule ends here. `choose` chooses the alternative of a thread.
    ///
    /// # Errors
    /// When the schedule is wrong.
    pub fn step(&mut self, choose: &mut dyn FnMut(usize) -> u32) -> Result<Option<Performed>, Wrong> {
        let next = self.next();
        let Some(&first) = next.first() else { return Ok(None) };
        let Event { thread, place, line, .. } = *self.event(first);
        let unforeseen = Wrong::Unforeseen(thread, line);
        if self.state.places[thread] != place {
            return Err(unforeseen);
        }
        let mut choice = choose(thread);
        let mut way = self.walk.way(&self.state, thread, choice);
        while way.is_none() && choice > 0 {
            choice /= 2;
            way = self.walk.way(&self.state, thread, choice);
        }
        let way = way.ok_or(Wrong::Stuck(thread, line))?;
        let taken = next.into_iter().find(|&at| {
            let event = self.event(at);
            (event.thread, event.transition) == (thread, way.transition)
        });
        let (section, number) = taken.ok_or(unforeseen)?;
        self.state = self.walk.after(&self.state, thread, way).ok_or(Wrong::Stuck(thread, line))?;
        let is_last = number + 1 == self.schedule.sections[section].events.len();
        self.section = (!is_last).then_some((section, number + 1));
        if is_last {
            self.node = self.schedule.sections[section].to;
        }
        Ok(Some(Performed { thread, place, transition: way.transition, choice }))
    }
}
