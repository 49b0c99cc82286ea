//! Fingerprints: states as numbers of 128 bits.
//!
//! A fingerprint covers all that decides what can happen from now on: where every thread is, the slots it may still
//! use, memory, and what the machine remembers besides. Objects are added up by their addresses, because
//! the order in which threads made them does not matter.

use crate::code::Code;
use crate::machine::cells;
use crate::memory::{Kind, Life, Object};
use crate::run::LINK;
use crate::state::{Spin, State, Status, Thread};
use selvedge_explore::seam::fingerprint::Fingerprinter;

/// The fingerprint of a state.
pub fn of(code: &Code, state: &State) -> u128 {
    let mut whole = Fingerprinter::default();
    for (number, thread) in state.threads.iter().enumerate() {
        add_thread(&mut whole, code, number, thread, state);
    }
    let keys = state.cell(cells::KEYS) as usize;
    state.cells()[..cells::DESTRUCTORS + keys].iter().for_each(|cell| whole.add(*cell));
    let functions = cells::AT_EXIT..=cells::AT_EXIT + 2 * state.cell(cells::AT_EXIT) as usize;
    state.cells()[functions].iter().for_each(|cell| whole.add(*cell));
    cells::of_variables(state.cells(), state.threads.len()).iter().for_each(|cell| whole.add(*cell));
    if !state.symbols().is_empty() {
        for word in state.symbols().words() {
            whole.add(word);
        }
    }
    for (&(thread, slot), bits) in state.marks() {
        whole.add(u64::from(thread) << 32 | u64::from(slot));
        whole.add(*bits);
    }
    if state.has_numbers() {
        state.numbers().words().into_iter().for_each(|word| whole.add(word));
    }
    for (first, second) in state.orders() {
        whole.add(*first);
        whole.add(*second);
    }
    whole.add_fingerprint(of_objects(state));
    whole.take()
}

fn add_thread(whole: &mut Fingerprinter, code: &Code, number: usize, thread: &Thread, state: &State) {
    let control = thread.control;
    if control.status == Status::NotStarted {
        whole.add(u64::MAX);
        return;
    }
    let keys = state.cell(cells::KEYS) as usize;
    let own = cells::of(number, 0)..cells::of(number, cells::VALUES + keys);
    state.cells()[own].iter().for_each(|cell| whole.add(*cell));
    if !matches!(control.status, Status::Fresh | Status::Running) {
        // It will never do anything again.
        whole.add(control.status as u64);
        return;
    }
    whole.add(u64::from(control.pc) << 8 | control.status as u64);
    whole.add(u64::from(control.base) << 32 | u64::from(control.depth));
    if control.base < LINK {
        return;
    }
    let (mut base, mut function) = (control.base, control.function);
    for depth in (0..=control.depth).rev() {
        let saved = code.functions[function as usize].saved;
        for word in &thread.slots[(base - LINK) as usize..(base + saved) as usize] {
            whole.add(*word);
        }
        if depth > 0 {
            let link = |i: u32| thread.slots[(base - LINK + i) as usize] as u32;
            (base, function) = (link(1), link(2));
        }
    }
    for id in &thread.locals {
        whole.add(state.memory.object(*id).base);
    }
    of_spin(&thread.spin, whole);
    let reads = thread.spin.head.map_or(&[][..], |_| &thread.spin.reads);
    for &(address, size, value) in reads {
        whole.add(address);
        whole.add(u64::from(size));
        whole.add(value);
    }
}

/// The loops in which a thread is. What it read in those around the innermost one is left out: it decides how long the thread
/// waits there, and if that is too short, another round follows and the thread waits again.
fn of_spin(spin: &Spin, whole: &mut Fingerprinter) {
    whole.add(spin.head.map_or(0, |(pc, depth)| u64::from(pc) << 32 | u64::from(depth) | 1 << 63));
    if spin.head.is_none() {
        return;
    }
    whole.add(spin.fresh);
    whole.add(u64::from(spin.waits));
    spin.held.iter().for_each(|word| whole.add(*word));
    whole.add(u64::from(spin.counted) << 32 | spin.before.len() as u64);
    whole.add(spin.writes.len() as u64);
    for (address, size, value) in spin.before.iter().chain(&spin.writes) {
        whole.add(*address);
        whole.add(u64::from(*size));
        whole.add(*value);
    }
    if let Some(enclosing) = &spin.enclosing {
        whole.add(u64::from(enclosing.reads.is_empty()));
        of_spin(enclosing, whole);
    }
}

/// The sum of the fingerprints of all objects that may change.
fn of_objects(state: &State) -> u128 {
    let mut words = Fingerprinter::default();
    let changing = state.memory.objects.iter().filter(|object| !matches!(object.kind, Kind::Constant(_)));
    changing.fold(0, |sum, object| {
        add_object(object, state, &mut words);
        sum.wrapping_add(words.take())
    })
}

fn add_object(object: &Object, state: &State, words: &mut Fingerprinter) {
    words.add(object.base);
    words.add(object.life as u64);
    if object.life == Life::Dead {
        // A block may come back to others of its size.
        words.add(if object.kind == Kind::Heap { object.size } else { 0 });
        return;
    }
    words.add(object.size);
    words.add(u64::from(object.sharing == crate::memory::Sharing::Shared));
    let bytes = &state.memory.bytes[object.start..object.start + object.size as usize];
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        words.add(u64::from_le_bytes(word));
    }
    for at in (0..object.size as usize).step_by(8) {
        let size = (object.size as usize - at).min(8);
        let unwritten = state.memory.unwritten(object.start + at, size);
        if unwritten != 0 {
            words.add(at as u64);
            words.add(unwritten);
        }
    }
}
