//! The state of a running program and the log that leads back.

use crate::code::Slot;
use selvedge_explore::Mark;
use selvedge_explore::seam::undo_log::{Direction, Log};
use std::ops::Range;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was not spawned.
    NotStarted,
    /// It was spawned and has done nothing visible yet.
    Fresh,
    /// It is at a transition.
    Running,
    /// Its function has returned.
    Ended,
    /// It found an assumption false.
    Dropped,
    /// It failed.
    Failed,
    /// It ran local code for too long.
    Diverged,
}

/// The control state of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// The next instruction.
    pub pc: u32,
    /// The first slot of the present frame.
    pub base: u32,
    /// The number of calls on the stack.
    pub depth: u32,
    /// Where it stands.
    pub status: Status,
}

/// A thread: control state and stack of frames.
#[derive(Debug)]
pub struct Thread {
    /// The control state.
    pub control: Control,
    /// The frames, one after the other.
    pub slots: Vec<i64>,
}

/// How to take back a change.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Cell { cell: u32, old: i64, new: i64 },
    Slot { thread: u32, slot: u32, old: i64 },
    Control { thread: u32, old: Control },
    Live { old: u32, new: u32 },
}

/// The state of a running program.
#[derive(Debug)]
pub struct State {
    memory: Vec<i64>,
    /// The threads.
    pub threads: Vec<Thread>,
    live: u32,
    log: Vec<Undo>,
    /// The parts of the log that are turned around.
    left_out: Vec<Range<usize>>,
}

impl State {
    /// A state with the given memory and threads that have not started.
    pub fn new(memory: Vec<i64>, threads: usize) -> State {
        let control = Control { pc: 0, base: 0, depth: 0, status: Status::NotStarted };
        let threads = (0..threads).map(|_| Thread { control, slots: Vec::new() }).collect();
        State { memory, threads, live: 0, log: Vec::new(), left_out: Vec::new() }
    }

    /// The content of a cell.
    #[inline]
    pub fn cell(&self, cell: u32) -> i64 {
        self.memory[cell as usize]
    }

    /// Changes a cell.
    #[inline]
    pub fn set_cell(&mut self, cell: u32, value: i64) {
        let old = std::mem::replace(&mut self.memory[cell as usize], value);
        self.log.push(Undo::Cell { cell, old, new: value });
    }

    /// Changes a slot of a thread, counted from the bottom of its stack.
    #[inline]
    pub fn set_slot(&mut self, thread: usize, slot: Slot, value: i64) {
        let old = std::mem::replace(&mut self.threads[thread].slots[slot as usize], value);
        self.log.push(Undo::Slot { thread: thread as u32, slot, old });
    }

    /// Logs that a slot of a thread whose stack is being worked on has changed.
    #[inline]
    pub fn log_slot(&mut self, thread: usize, slot: Slot, old: i64) {
        self.log.push(Undo::Slot { thread: thread as u32, slot, old });
    }

    /// Changes the control state of a thread.
    #[inline]
    pub fn set_control(&mut self, thread: usize, control: Control) {
        let old = std::mem::replace(&mut self.threads[thread].control, control);
        self.log.push(Undo::Control { thread: thread as u32, old });
    }

    /// The number of threads that have started and not ended.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Counts threads that start or end.
    pub fn set_live(&mut self, live: u32) {
        self.log.push(Undo::Live { old: self.live, new: live });
        self.live = live;
    }

    /// Appends a description of the state but for the temporaries, which are the first slots of each thread.
    pub fn describe(&self, temporaries: usize, description: &mut Vec<i64>) {
        description.extend_from_slice(&self.memory);
        for Thread { control, slots } in &self.threads {
            let Control { pc, base, depth, status } = *control;
            let locals = slots.get(temporaries..).unwrap_or_default();
            description.extend([pc.into(), base.into(), depth.into(), status as i64, locals.len() as i64]);
            description.extend_from_slice(locals);
        }
    }

    /// The present place in the log.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Takes back everything since the mark.
    #[inline]
    pub fn rollback(&mut self, mark: Mark) {
        while self.log.len() > mark.0 {
            match self.log.pop() {
                Some(Undo::Cell { cell, old, .. }) => self.memory[cell as usize] = old,
                Some(Undo::Slot { thread, slot, old }) => {
                    self.threads[thread as usize].slots[slot as usize] = old;
                }
                Some(Undo::Control { thread, old }) => self.threads[thread as usize].control = old,
                Some(Undo::Live { old, .. }) => self.live = old,
                None => return,
            }
        }
    }
}

impl Log for State {
    fn left_out(&mut self) -> &mut Vec<Range<usize>> {
        &mut self.left_out
    }

    fn turn(&mut self, i: usize, direction: Direction) {
        match &mut self.log[i] {
            Undo::Cell { cell, old, new } => {
                let present = &mut self.memory[*cell as usize];
                *present = direction.turned(*present as u64, *old as u64, *new as u64) as i64;
            }
            Undo::Live { old, new } => {
                self.live = direction.turned(self.live.into(), (*old).into(), (*new).into()) as u32;
            }
            Undo::Slot { thread, slot, old } => {
                std::mem::swap(&mut self.threads[*thread as usize].slots[*slot as usize], old);
            }
            Undo::Control { thread, old } => {
                std::mem::swap(&mut self.threads[*thread as usize].control, old);
            }
        }
    }
}
