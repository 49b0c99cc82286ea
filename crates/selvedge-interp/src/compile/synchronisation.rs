//! Instructions on mutexes, condition variables and threads.

use super::function::FunctionCompiler;
use super::transition::{GUARDED, OBSERVING, PLAIN, VARYING};
use crate::code::{Op, Slot, Visible, WhenReady};
use selvedge_ir::{CondvarRef, Expr, MutexRef, ThreadRef};
use selvedge_trace::Blocking;

impl FunctionCompiler<'_> {
    /// Emits code for the cell of an element of a range of synchronisation objects.
    fn sync_cell(&mut self, array: u32, index: &Expr) -> Slot {
        let dst = self.temporary();
        match self.fixed_cell(array, index) {
            Some(cell) => self.emit(Op::Const { dst, value: i64::from(cell) }),
            None => {
                let index = self.value(index);
                self.emit(Op::CellAt { dst, array, index });
            }
        }
        dst
    }

    pub(super) fn lock(&mut self, mutex: &MutexRef) {
        let index = self.fold(&mutex.index);
        let array = self.code.layout.mutexes + mutex.mutex.0;
        let visible = match (index.reads_shared(), self.fixed_cell(array, &index)) {
            (true, _) => GUARDED,
            (false, Some(cell)) => {
                Visible { readiness: WhenReady::MutexFree(cell), blocking: Blocking::Acquire, ..PLAIN }
            }
            (false, None) => Visible { blocking: Blocking::Acquire, ..OBSERVING },
        };
        self.code.memory_chooses_mutexes |= index.reads_shared();
        self.begin(visible);
        let cell = self.sync_cell(array, &index);
        self.emit(Op::Lock { cell });
        self.commit();
    }

    pub(super) fn on_mutex(&mut self, mutex: &MutexRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        self.on_sync(self.code.layout.mutexes + mutex.mutex.0, &mutex.index, fixed, op);
    }

    pub(super) fn on_condvar(&mut self, condvar: &CondvarRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        self.on_sync(self.code.layout.condvars + condvar.condvar.0, &condvar.index, fixed, op);
    }

    fn on_sync(&mut self, array: u32, index: &Expr, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        let index = self.fold(index);
        let Visible { variation, locations, .. } = if index.reads_shared() { VARYING } else { fixed };
        self.begin(Visible { variation, locations, ..fixed });
        let cell = self.sync_cell(array, &index);
        self.emit(op(cell));
        self.commit();
    }

    pub(super) fn wait(&mut self, condvar: &CondvarRef, mutex: &MutexRef) {
        let held = self.hidden();
        let (condvar_index, mutex_index) = (self.fold(&condvar.index), self.fold(&mutex.index));
        let varying = condvar_index.reads_shared() || mutex_index.reads_shared();
        self.begin(if varying { VARYING } else { PLAIN });
        let condvar = self.sync_cell(self.code.layout.condvars + condvar.condvar.0, &condvar_index);
        let mutex = self.sync_cell(self.code.layout.mutexes + mutex.mutex.0, &mutex_index);
        self.emit(Op::BeginWait { condvar, mutex });
        self.emit(Op::Set { dst: held, src: mutex });
        self.commit();
        self.begin(Visible { blocking: Blocking::Acquire, ..OBSERVING });
        self.emit(Op::EndWait { mutex: held });
        self.commit();
    }

    /// Emits an operation on a thread, whose number is computed from its family and index.
    /// Waits for the end of a thread. Which one is found out in a transition of its own if that depends on shared memory: what is
    /// waited for must not depend on what others do in the meantime.
    pub(super) fn join(&mut self, thread: &ThreadRef) {
        let index = self.fold(&thread.index);
        if !index.reads_shared() {
            return self.on_thread(thread, OBSERVING, |thread| Op::Join { thread });
        }
        let number = self.hidden();
        self.on_thread(thread, VARYING, |thread| Op::Set { dst: number, src: thread });
        self.begin(OBSERVING);
        self.emit(Op::Join { thread: number });
        self.commit();
    }

    pub(super) fn on_thread(&mut self, thread: &ThreadRef, fixed: Visible, op: impl FnOnce(Slot) -> Op) {
        let index = self.fold(&thread.index);
        let family = thread.family.index();
        let (first, count, _) = self.code.families[family];
        self.begin(if index.reads_shared() { VARYING } else { fixed });
        let number = self.temporary();
        match index {
            Expr::Int(i) if (0..i64::from(count)).contains(&i) => {
                self.emit(Op::Const { dst: number, value: i64::from(first) + i });
            }
            _ => {
                let index = self.value(&index);
                let family = thread.family.0;
                self.emit(Op::ThreadAt { dst: number, family, index });
            }
        }
        self.emit(op(number));
        self.commit();
    }
}
