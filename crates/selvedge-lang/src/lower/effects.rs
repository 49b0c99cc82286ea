//! Effects with a value, and synchronisation: each is one instruction.

use selvedge_ir::{
    CondvarId, CondvarRef, FamilyId, InstrKind, MutexId, MutexRef, RegisterId, Span, ThreadRef,
};

use super::Lowering;
use crate::typed::{Effect, Member, Synchronisation};

impl Lowering {
    /// Performs an effect; its value goes to `result`.
    pub fn effect(&mut self, effect: &Effect, result: Option<RegisterId>, span: Span) {
        let kind = match effect {
            Effect::CompareExchange { object, index, expected, desired } => {
                let [index, expected, desired] = self.values([index, expected, desired], span);
                InstrKind::CompareExchange { result, object: *object, index, expected, desired }
            }
            Effect::Rmw { object, index, op, operand } => {
                let [index, operand] = self.values([index, operand], span);
                InstrKind::Rmw { result, object: *object, index, op: *op, operand }
            }
            Effect::TryLock(mutex) => InstrKind::TryLock { result, mutex: self.mutex(mutex, span) },
        };
        self.emit(kind, span);
    }

    /// Performs an operation of synchronisation.
    pub fn synchronise(&mut self, mut operation: Synchronisation, span: Span) {
        match &mut operation {
            Synchronisation::Lock(mutex) | Synchronisation::Unlock(mutex) => {
                self.choose(&mut mutex.index, span)
            }
            Synchronisation::Wait(condvar, mutex) => {
                self.choose(&mut condvar.index, span);
                self.choose(&mut mutex.index, span);
            }
            Synchronisation::Signal(condvar) | Synchronisation::Broadcast(condvar) => {
                self.choose(&mut condvar.index, span);
            }
            Synchronisation::BarrierWait(_) => {}
            Synchronisation::Spawn(thread) | Synchronisation::Join(thread) => {
                self.choose(&mut thread.index, span)
            }
        }
        let kind = match operation {
            Synchronisation::Lock(mutex) => InstrKind::Lock(self.mutex(&mutex, span)),
            Synchronisation::Unlock(mutex) => InstrKind::Unlock(self.mutex(&mutex, span)),
            Synchronisation::Wait(condvar, mutex) => {
                InstrKind::Wait { condvar: self.condvar(&condvar, span), mutex: self.mutex(&mutex, span) }
            }
            Synchronisation::Signal(condvar) => InstrKind::Signal(self.condvar(&condvar, span)),
            Synchronisation::Broadcast(condvar) => InstrKind::Broadcast(self.condvar(&condvar, span)),
            Synchronisation::BarrierWait(barrier) => InstrKind::BarrierWait(barrier),
            Synchronisation::Spawn(thread) => InstrKind::Spawn(self.thread(&thread, span)),
            Synchronisation::Join(thread) => InstrKind::Join(self.thread(&thread, span)),
        };
        self.emit(kind, span);
    }

    fn mutex(&mut self, member: &Member<MutexId>, span: Span) -> MutexRef {
        MutexRef { mutex: member.id, index: self.value(&member.index, span) }
    }

    fn condvar(&mut self, member: &Member<CondvarId>, span: Span) -> CondvarRef {
        CondvarRef { condvar: member.id, index: self.value(&member.index, span) }
    }

    fn thread(&mut self, member: &Member<FamilyId>, span: Span) -> ThreadRef {
        ThreadRef { family: member.id, index: self.value(&member.index, span) }
    }
}
