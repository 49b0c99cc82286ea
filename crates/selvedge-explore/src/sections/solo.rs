//! Solo runs: what the enabled threads do when each goes on alone from the present state.
//!
//! Operations that nothing in the solo runs of other threads conflicts with are certain as long as the others do no
//! more than that: no other thread changes what they read or holds what they wait for. So are those before the first
//! conflict, and that one, too, if it is neither waiting nor varying. [Look-ahead](crate::seam::lookahead) knows more of what
//! comes after a conflict, but nothing of the values that are there: a section takes the longer of both.

use crate::seam::lookahead::Lookahead;
use crate::sections::draft::Draft;
use crate::{LooksAhead, ThreadStatus};
use selvedge_trace::{Decision, ThreadId};

/// How far solo runs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// Some thread could have gone on.
    Limit,
    /// Some thread has to wait, or has a choice.
    Wait,
    /// All threads came to their ends.
    End,
}

/// Performs solo runs; keeps its memory from one use to the next.
#[derive(Debug, Default)]
pub struct Solo {
    run: Lookahead,
    ahead: Lookahead,
}

impl Solo {
    /// Fills a draft with the solo runs of the enabled threads, `limit` operations each at most. Says how far they went.
    pub fn fill<P: LooksAhead>(&mut self, program: &mut P, draft: &mut Draft, limit: usize) -> Reach {
        draft.clear();
        let mut reach = Reach::End;
        for thread in (0..program.thread_count()).map(ThreadId::at) {
            if !program.is_enabled(thread) {
                continue;
            }
            if !draft.has_room() {
                return Reach::Wait;
            }
            if program.choices(thread) != 1 {
                reach = reach.min(Reach::Wait);
                continue;
            }
            reach = reach.min(self.perform(program, thread, limit));
            program.lookahead(thread, &mut self.ahead);
            draft.add_run(thread, &self.run, &self.ahead);
        }
        reach
    }

    /// Lets a thread run and takes everything back.
    fn perform<P: LooksAhead>(&mut self, program: &mut P, thread: ThreadId, limit: usize) -> Reach {
        self.run.clear();
        let mark = program.mark();
        let mut reach = Reach::Limit;
        for _ in 0..limit {
            program.step(Decision { thread, choice: 0 }, self.run.add());
            if program.status(thread) != ThreadStatus::Running {
                reach = Reach::End;
                break;
            }
            if !program.is_enabled(thread) || program.choices(thread) != 1 {
                reach = Reach::Wait;
                break;
            }
        }
        program.rollback(mark);
        reach
    }
}
