//! Leaks: blocks that nobody can free any more when the program ends.

use super::{Machine, cells};
use crate::failure::{CutReason, Failure, FailureKind};
use crate::memory::{Kind, Life};
use crate::state::Status;

impl Machine {
    /// Looks for leaks if the end of a thread was the end of the program. If that came while others may still have been
    /// running, what they held then depends on an order that is not explored; the reason to give up is returned.
    pub(super) fn leaks_at_the_end(&mut self) -> Option<CutReason> {
        let runs = |s: &Status| matches!(s, Status::Running | Status::Fresh);
        let nobody_runs = !self.state.threads.iter().any(|t| runs(&t.control.status));
        if self.state.cell(cells::EXITED) != 0 && self.state.cell(cells::UNJOINED) > 0 {
            let what = "leaks, if the program ends before all threads have been joined".to_owned();
            return Some(CutReason::Unsupported(what));
        }
        if nobody_runs && self.spawned.is_empty() {
            self.find_leaks();
        }
        None
    }

    /// Blocks that are neither freed nor reachable from global variables.
    fn find_leaks(&mut self) {
        let memory = &self.state.memory;
        let mut reached = vec![false; memory.objects.len()];
        let is_root =
            |object: &crate::memory::Object| matches!(object.kind, Kind::Global(_) | Kind::Constant(_));
        let mut todo: Vec<usize> = (0..reached.len()).filter(|&i| is_root(&memory.objects[i])).collect();
        while let Some(number) = todo.pop() {
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            let object = &memory.objects[number];
            let width = memory.model().pointer_bytes();
            for word in 0..object.size as usize / width {
                if let Some(id) = memory.find(memory.load(object.start + word * width, width)) {
                    todo.push(id.0 as usize);
                }
            }
        }
        for (number, object) in memory.objects.iter().enumerate() {
            if object.kind == Kind::Heap && object.life == Life::Live && !reached[number] {
                let id = crate::memory::ObjectId(number as u32);
                let what = crate::names::describe_object(&self.code, memory, id);
                let failure = Failure { kind: FailureKind::Leak(what), place: object.place };
                if !self.failures.contains(&failure) {
                    self.failures.push(failure);
                }
            }
        }
    }
}
