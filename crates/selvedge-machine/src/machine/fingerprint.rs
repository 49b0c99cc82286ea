//! Fingerprints: states as numbers of 128 bits.
//!
//! A fingerprint covers all that decides what can happen from now on: where every thread is, the slots it may still
//! use, memory, and what the machine remembers besides. Objects are added up by their addresses, because
//! the order in which threads made them does not matter.

use crate::code::Code;
use crate::memory::{Kind, Life, Object};
use crate::run::LINK;
use crate::state::{State, Thread};

/// A sum of words that depends on their order.
#[derive(Clone, Copy)]
struct Mixer(u64, u64);

impl Mixer {
    fn new(seed: u64) -> Mixer {
        Mixer(seed ^ 0x243f_6a88_85a3_08d3, seed.wrapping_mul(0x1319_8a2e_0370_7345) ^ 0xa409_3822_299f_31d1)
    }

    #[inline(always)]
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
        self.1 = self.1.wrapping_add(word ^ self.0 >> 7).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(37);
    }

    fn end(mut self) -> u128 {
        self.add(0x452_821e_638d_0137);
        self.add(self.1);
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

/// The fingerprint of a state.
pub fn of(code: &Code, state: &State) -> u128 {
    let mut whole = Mixer::new(1);
    for thread in &state.threads {
        add_thread(&mut whole, code, thread, state);
    }
    state.cells().iter().for_each(|cell| whole.add(*cell));
    if !state.symbols().is_empty() {
        for word in state.symbols().words() {
            whole.add(word);
        }
    }
    let objects =
        state.memory.objects.iter().fold(0u128, |sum, object| sum.wrapping_add(of_object(object, state)));
    whole.add(objects as u64);
    whole.add((objects >> 64) as u64);
    whole.end()
}

fn add_thread(whole: &mut Mixer, code: &Code, thread: &Thread, state: &State) {
    let control = thread.control;
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
    let spin = &thread.spin;
    whole.add(spin.head.map_or(0, |(pc, depth)| u64::from(pc) << 32 | u64::from(depth) | 1 << 63));
    whole.add(u64::from(spin.waits));
    spin.held.iter().for_each(|word| whole.add(*word));
    for (address, size, value) in &spin.reads {
        whole.add(*address);
        whole.add(u64::from(*size));
        whole.add(*value);
    }
}

fn of_object(object: &Object, state: &State) -> u128 {
    if let Kind::Constant(_) = object.kind {
        return 0;
    }
    let mut mixer = Mixer::new(object.base);
    mixer.add(object.life as u64);
    if object.life == Life::Dead {
        return mixer.end();
    }
    mixer.add(object.size);
    mixer.add(u64::from(object.sharing == crate::memory::Sharing::Shared));
    let bytes = &state.memory.bytes[object.start..object.start + object.size as usize];
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        mixer.add(u64::from_le_bytes(word));
    }
    mixer.end()
}
