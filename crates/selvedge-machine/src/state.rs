//! The state of a running module and the log that leads back.
//!
//! Registers are not logged one by one: a step saves the frame it begins in, and every frame of before that it returns to,
//! as a whole. Frames that are made in a step need no saving. Everything else is logged change by change.

mod excursion;

use crate::address_numbers::{self, AddressNumbers, Derived, Form, Word, joined};
use crate::code::{NOWHERE, Pc, Place};
use crate::machine::cells;
use crate::memory::{Kind, Life, Memory, Object, ObjectId, Sharing};
use crate::races::Races;
use crate::symbols::Symbols;
use selvedge_explore::Mark;
use selvedge_trace::ThreadId;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Nobody has made it.
    NotStarted,
    /// It was made and has done nothing visible yet.
    Fresh,
    /// It is at a visible operation.
    Running,
    /// It has ended.
    Ended,
    /// It has ended the program: nobody joins it any more.
    Exited,
    /// It found an assumption false.
    Dropped,
    /// It failed.
    Failed,
    /// It was cut.
    Cut,
}

/// The control state of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// The next instruction.
    pub pc: Pc,
    /// The first slot of the present frame.
    pub base: u32,
    /// The number of calls on the stack.
    pub depth: u32,
    /// The function of the present frame.
    pub function: u32,
    /// The innermost call on the stack that is in the user's source.
    pub called_from: Pc,
    /// Where it stands.
    pub status: Status,
    /// A number that no other arrival of the thread has.
    pub arrival: u64,
}

/// A thread.
#[derive(Debug)]
pub struct Thread {
    /// The control state.
    pub control: Control,
    /// The constants, and then the frames, one after the other.
    pub slots: Vec<u64>,
    /// Objects of frames, to be taken away when their functions return.
    pub locals: Vec<ObjectId>,
    /// The head of a loop at which the thread was last, what it held there, and what was read since.
    pub spin: Spin,
}

/// What is needed to notice that a loop goes round without effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spin {
    /// The head of the loop and the depth of calls there. Without one only `rounds` means something.
    pub head: Option<(Pc, u32)>,
    /// The slots that matter at the head.
    pub held: SmallVec<[u64; 4]>,
    /// What was read since, where and how many bytes, with what was found.
    pub reads: SmallVec<[(u64, u8, u64); 1]>,
    /// What was written since to memory of its own, where and how many bytes, with what was there at the head.
    pub writes: SmallVec<[(u64, u8, u64); 1]>,
    /// Whether the thread waits for a change of what it read.
    pub waits: bool,
    /// The next address of its own when it was at the head: writes to younger objects are no effect.
    pub fresh: u64,
    /// The arrival of the thread from which it came to the head.
    pub arrival: u64,
    /// The head of a loop at which the thread was last, effects or not, and how often since it entered the loop.
    pub rounds: (Option<(Pc, u32)>, u32),
    /// How many rounds in a row did nothing but count.
    pub counted: u32,
    /// What was read in the last of them.
    pub before: SmallVec<[(u64, u8, u64); 1]>,
    /// The loop in which the thread came to this one, with what it did there before. There is one only if there is a head.
    pub enclosing: Option<Arc<Spin>>,
}

/// A list of what a thread did since it was at the head of a loop.
#[derive(Clone, Copy, Debug)]
pub enum SpinList {
    /// What it read.
    Reads,
    /// What it wrote.
    Writes,
}

impl Spin {
    fn list(&mut self, list: SpinList) -> &mut SmallVec<[(u64, u8, u64); 1]> {
        match list {
            SpinList::Reads => &mut self.reads,
            SpinList::Writes => &mut self.writes,
        }
    }
}

/// How to take back a change.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Bytes { at: u32, size: u8, old: u64, new: u64 },
    Unwritten { at: usize, size: u8, bits: u64 },
    Mark { thread: u32, slot: u32, bits: u64 },
    Frame { thread: u32, start: u32, length: u32, at: usize },
    Control { thread: u32, at: u32 },
    Created { object: u32 },
    Life { object: u32, old: Life },
    Sharing { object: u32, old: Sharing },
    LocalAdded { thread: u32 },
    LocalRemoved { thread: u32, object: u32 },
    Cell { cell: u32, old: u64, new: u64 },
    Spin { thread: u32, at: u32 },
    SpinHead { thread: u32, old: Option<(Pc, u32)> },
    SpinAdded { thread: u32, list: SpinList },
    SpinRemoved { thread: u32, list: SpinList, size: u8, address: u64, value: u64 },
    Output { length: usize },
    Race { length: usize },
    Symbols { length: usize },
    Numbers { length: usize },
    Order,
}

/// The state of a running module.
#[derive(Debug)]
pub struct State {
    /// The memory.
    pub memory: Memory,
    /// The threads.
    pub threads: Vec<Thread>,
    /// Which accesses are ordered by synchronisation, if that is of interest.
    pub races: Races,
    symbols: Symbols,
    marks: BTreeMap<(u32, u32), u64>,
    numbers: AddressNumbers,
    /// Pairs of objects, by their addresses: the first comes before the second.
    orders: Vec<(u64, u64)>,
    is_plain: bool,
    /// What threads have executed, in its order, if that is recorded.
    recorded: Option<Vec<(ThreadId, Pc)>>,
    /// Whether values are plain and nothing is recorded.
    is_quick: bool,
    /// What the program has written to its output.
    pub output: Vec<u8>,
    cells: Vec<u64>,
    log: Vec<Undo>,
    saved: Vec<u64>,
    controls: Vec<Control>,
    spins: Vec<Spin>,
    /// The parts of the log that are turned around.
    left_out: Vec<Range<usize>>,
    arrivals: u64,
}

impl State {
    /// A state with threads that have not started and so many cells.
    pub fn new(threads: usize, cells: usize, constants: &[u64], memory: Memory, races: Races) -> State {
        let status = Status::NotStarted;
        let control =
            Control { pc: 0, base: 0, depth: 0, function: 0, called_from: NOWHERE, status, arrival: 0 };
        let thread =
            || Thread { control, slots: constants.to_vec(), locals: Vec::new(), spin: Spin::default() };
        State {
            memory,
            threads: (0..threads).map(|_| thread()).collect(),
            races,
            symbols: Symbols::default(),
            marks: BTreeMap::new(),
            numbers: AddressNumbers::default(),
            orders: Vec::new(),
            is_plain: true,
            recorded: None,
            is_quick: true,
            output: Vec::new(),
            cells: vec![0; cells],
            log: Vec::new(),
            saved: Vec::new(),
            controls: Vec::new(),
            spins: Vec::new(),
            left_out: Vec::new(),
            arrivals: 0,
        }
    }

    /// The content of a cell.
    #[inline]
    pub fn cell(&self, cell: usize) -> u64 {
        self.cells[cell]
    }

    /// Whether a thread was joined or detached.
    #[inline]
    pub fn is_claimed(&self, thread: usize) -> bool {
        self.cell(cells::of(thread, cells::CLAIMED)) != 0
    }

    /// Notes that a thread is joined or detached.
    pub fn set_claimed(&mut self, thread: usize) {
        self.set_cell(cells::of(thread, cells::CLAIMED), 1);
        self.set_cell(cells::CLAIMS, self.cell(cells::CLAIMS) + 1);
    }

    /// All cells.
    pub fn cells(&self) -> &[u64] {
        &self.cells
    }

    /// Changes a cell.
    pub fn set_cell(&mut self, cell: usize, value: u64) {
        let old = std::mem::replace(&mut self.cells[cell], value);
        self.log.push(Undo::Cell { cell: cell as u32, old, new: value });
    }

    /// Changes bytes, at most 8.
    #[inline]
    pub fn store(&mut self, at: usize, size: usize, value: u64) {
        if !self.is_plain {
            self.forget_open(at, size);
        }
        let old = self.memory.load(at, size);
        self.memory.store(at, size, value);
        self.log.push(Undo::Bytes { at: at as u32, size: size as u8, old, new: value });
        let unwritten = self.memory.unwritten(at, size);
        if unwritten != 0 {
            self.set_unwritten(at, size, 0);
        }
    }

    /// Bytes that are overwritten hold no open values any more, nor numbers of addresses.
    #[cold]
    fn forget_open(&mut self, at: usize, size: usize) {
        if self.symbols.is_empty() && self.numbers.is_empty() {
            return;
        }
        let place = self.memory.objects.partition_point(|object| object.start <= at);
        if let Some(object) = place.checked_sub(1).and_then(|i| self.memory.objects.get(i)) {
            let address = object.base + (at - object.start) as u64;
            self.keep_rest_of_addresses(address, size as u64);
            self.with_symbols(|symbols| symbols.forget(address, size as u64));
            self.with_numbers(|numbers| numbers.forget(address, size as u64));
        }
    }

    /// Marks the other bytes of addresses of which some bytes are overwritten, which cannot be seen any more afterwards.
    fn keep_rest_of_addresses(&mut self, address: u64, size: u64) {
        let width = self.memory.model().pointer_bytes() as u64;
        if self.numbers.is_empty() || size == width && address.is_multiple_of(width) {
            return;
        }
        for place in (address & !(width - 1)..address + size).step_by(width as usize) {
            let Some(mark) = self.whole_address_at(place) else { continue };
            let others = (place..place + width).filter(|byte| !(address..address + size).contains(byte));
            for byte in others {
                let part = address_numbers::part(&mark, (byte - place) as u32, 1);
                if part.bits != 0 {
                    self.with_numbers(|numbers| numbers.set_bytes(byte, 1, part));
                }
            }
        }
    }

    /// The mark of an address that a word of memory holds as it is.
    fn whole_address_at(&self, place: u64) -> Option<Derived> {
        let width = self.memory.model().pointer_bytes();
        if !self.numbers.overlapping(place, width as u64).is_empty() {
            return None;
        }
        let object = self.memory.object(self.memory.access(place, width as u64).ok()?);
        let word = self.memory.load(object.start + (place - object.base) as usize, width);
        self.memory.base_of(word)?;
        Some(Derived { bits: self.memory.unknown_bits(word), form: Form::Field(word, 0) })
    }

    /// Changes which bits of memory are those that nobody wrote.
    pub fn set_unwritten(&mut self, at: usize, size: usize, bits: u64) {
        let old = self.memory.unwritten(at, size);
        self.log.push(Undo::Unwritten { at, size: size as u8, bits: old });
        self.memory.set_unwritten(at, size, bits);
    }

    /// The bits of a slot that come from memory that nobody wrote.
    pub fn mark_of(&self, thread: usize, slot: usize) -> u64 {
        self.marks.get(&(thread as u32, slot as u32)).copied().unwrap_or(0)
    }

    /// Whether there are slots with values that nobody wrote.
    pub fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// All slots with values that nobody wrote, by thread, with their bits.
    pub fn marks(&self) -> &BTreeMap<(u32, u32), u64> {
        &self.marks
    }

    /// Changes which bits of a slot come from memory that nobody wrote.
    pub fn set_mark(&mut self, thread: usize, slot: usize, bits: u64) {
        let old = self.mark_of(thread, slot);
        if old != bits {
            let (thread, slot) = (thread as u32, slot as u32);
            self.log.push(Undo::Mark { thread, slot, bits: old });
            self.put_mark(thread, slot, bits);
        }
    }

    /// Forgets the marks of slots from the given one on: their frames are gone.
    pub fn clear_marks(&mut self, thread: usize, from: u32) {
        let slots = (thread as u32, from)..=(thread as u32, u32::MAX);
        let gone: Vec<u32> = self.marks.range(slots).map(|(place, _)| place.1).collect();
        gone.into_iter().for_each(|slot| self.set_mark(thread, slot as usize, 0));
    }

    fn put_mark(&mut self, thread: u32, slot: u32, bits: u64) {
        match bits {
            0 => self.marks.remove(&(thread, slot)),
            bits => self.marks.insert((thread, slot), bits),
        };
        self.look_again();
    }

    /// Whether all values are plain numbers: decided, and written by somebody.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn look_again(&mut self) {
        self.is_plain = self.symbols.is_empty() && self.marks.is_empty() && self.numbers.is_empty();
        self.is_quick = self.is_plain && self.recorded.is_none();
    }

    /// Whether all values are plain numbers and nobody records what is executed.
    #[inline(always)]
    pub fn is_quick(&self) -> bool {
        self.is_quick
    }

    /// Records what is executed from now on.
    pub fn start_recording(&mut self) {
        self.recorded = Some(Vec::new());
        self.look_again();
    }

    /// What was executed since this was asked last.
    pub fn take_recorded(&mut self) -> Vec<(ThreadId, Pc)> {
        self.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Records that a thread has executed an instruction.
    pub fn record(&mut self, thread: ThreadId, pc: Pc) {
        if let Some(recorded) = &mut self.recorded {
            recorded.push((thread, pc));
        }
    }

    /// The words that are computed from addresses.
    pub fn numbers(&self) -> &AddressNumbers {
        &self.numbers
    }

    /// Whether there are words that are computed from addresses.
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Changes the words that are computed from addresses.
    pub fn with_numbers(&mut self, change: impl FnOnce(&mut AddressNumbers)) {
        let length = self.numbers.length();
        change(&mut self.numbers);
        if self.numbers.length() > length {
            self.log.push(Undo::Numbers { length });
            self.look_again();
        }
    }

    /// The mark of some bytes, at most 8, at an address: bytes of a word that is computed from addresses, or of an address of
    /// which these are not all.
    pub fn number_in(&self, address: u64, at: usize, size: usize) -> Derived {
        let held = self.numbers.overlapping(address, size as u64);
        if let [(place, (length, mark))] = &held[..]
            && *place == address
            && usize::from(*length) == size
        {
            return mark.clone();
        }
        let number = self.memory.load(at, size);
        let width = self.memory.model().pointer_bytes();
        if held.is_empty() && size == width && self.memory.base_of(number).is_some() {
            return Derived::KNOWN;
        }
        let from = |place: u64| place.wrapping_sub(address) as i64 as i32;
        let mut parts: Vec<(i32, Derived)> =
            held.iter().map(|(place, (_, mark))| (from(*place), mark.clone())).collect();
        let first = address & !(width as u64 - 1);
        for place in (first..address + size as u64).step_by(width) {
            if let Some(mark) = self.whole_address_at(place) {
                parts.push((from(place), mark));
            }
        }
        let mut mark = joined(parts);
        mark.bits &= u64::MAX.checked_shr(64 - 8 * size as u32).unwrap_or(0);
        Word { number, mark }.remembered(&self.memory)
    }

    /// What was decided about the order of objects: each pair in its order, by addresses.
    pub fn orders(&self) -> &[(u64, u64)] {
        &self.orders
    }

    /// Whether an object comes before another one, if that was decided.
    pub fn order_of(&self, x: u64, y: u64) -> Option<bool> {
        let leads = |from: u64, to: u64| {
            let mut reached = vec![from];
            let mut next = 0;
            while let Some(&at) = reached.get(next) {
                next += 1;
                for &(first, second) in &self.orders {
                    if first == at && !reached.contains(&second) {
                        reached.push(second);
                    }
                }
            }
            reached.contains(&to)
        };
        match (leads(x, y), leads(y, x)) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// Puts an object before another one.
    pub fn put_before(&mut self, first: u64, second: u64) {
        self.orders.push((first, second));
        self.log.push(Undo::Order);
    }

    /// Makes an object.
    pub fn create(
        &mut self,
        arena: usize,
        size: u64,
        kind: Kind,
        sharing: Sharing,
        place: Place,
    ) -> ObjectId {
        let id = self.memory.create(arena, size, kind, sharing, place);
        self.log.push(Undo::Created { object: id.0 });
        id
    }

    /// Makes an object at the address of a dead one.
    pub fn create_again(&mut self, old: ObjectId, size: u64, sharing: Sharing, place: Place) -> ObjectId {
        let id = self.memory.create_again(old, size, sharing, place);
        self.log.push(Undo::Created { object: id.0 });
        if self.has_numbers() {
            let base = self.memory.object(id).base;
            self.with_numbers(|numbers| numbers.forget(base, size));
        }
        id
    }

    /// Ends the life of an object, which is the work of a thread.
    pub fn end_life(&mut self, id: ObjectId, thread: usize) {
        let objects = self.memory.objects.len() as u32;
        let object = &mut self.memory.objects[id.0 as usize];
        object.end = (thread as u32, objects);
        self.log.push(Undo::Life { object: id.0, old: object.life });
        object.life = Life::Dead;
    }

    /// Makes an object accessible to all.
    pub fn share(&mut self, id: ObjectId) {
        let object = &mut self.memory.objects[id.0 as usize];
        self.log.push(Undo::Sharing { object: id.0, old: object.sharing });
        object.sharing = Sharing::Shared;
    }

    /// An object, to note its locations, which stay the same in all executions.
    pub fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.memory.objects[id.0 as usize]
    }

    /// Adds an object to those of the present frame.
    pub fn add_local(&mut self, thread: usize, id: ObjectId) {
        self.log.push(Undo::LocalAdded { thread: thread as u32 });
        self.threads[thread].locals.push(id);
    }

    /// Removes the latest object of the frames.
    pub fn remove_local(&mut self, thread: usize) -> Option<ObjectId> {
        let id = self.threads[thread].locals.pop()?;
        self.log.push(Undo::LocalRemoved { thread: thread as u32, object: id.0 });
        Some(id)
    }

    /// Saves slots of a thread.
    #[inline]
    pub fn save_frame(&mut self, thread: usize, start: u32, length: u32) {
        let slots = &self.threads[thread].slots;
        let at = self.saved.len();
        self.saved.extend_from_slice(&slots[start as usize..(start + length) as usize]);
        self.log.push(Undo::Frame { thread: thread as u32, start, length, at });
    }

    /// Saves slots that are being worked on elsewhere.
    #[inline]
    pub fn save_slots(&mut self, thread: usize, slots: &[u64], start: u32, length: u32) {
        let at = self.saved.len();
        self.saved.extend_from_slice(&slots[start as usize..(start + length) as usize]);
        self.log.push(Undo::Frame { thread: thread as u32, start, length, at });
    }

    /// Changes the control state of a thread.
    #[inline]
    pub fn set_control(&mut self, thread: usize, control: Control) {
        self.arrivals += 1;
        let control = Control { arrival: self.arrivals, ..control };
        let old = std::mem::replace(&mut self.threads[thread].control, control);
        self.log.push(Undo::Control { thread: thread as u32, at: self.controls.len() as u32 });
        self.controls.push(old);
    }

    /// Changes what is known about spinning.
    pub fn set_spin(&mut self, thread: usize, spin: Spin) {
        let old = std::mem::replace(&mut self.threads[thread].spin, spin);
        self.log.push(Undo::Spin { thread: thread as u32, at: self.spins.len() as u32 });
        self.spins.push(old);
    }

    /// Forgets what a thread did since it was at the heads of loops.
    pub fn end_spin(&mut self, thread: usize) {
        let spin = &mut self.threads[thread].spin;
        if spin.enclosing.is_some() {
            let rounds = spin.rounds;
            return self.set_spin(thread, Spin { rounds, ..Spin::default() });
        }
        let old = spin.head.take();
        self.log.push(Undo::SpinHead { thread: thread as u32, old });
    }

    /// Adds to what a thread has done since it was at the head of a loop.
    pub fn add_to_spin(&mut self, thread: usize, list: SpinList, access: (u64, u8, u64)) {
        self.threads[thread].spin.list(list).push(access);
        self.log.push(Undo::SpinAdded { thread: thread as u32, list });
    }

    /// The values that are not decided yet.
    #[inline(always)]
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Changes the values that are not decided yet.
    pub fn with_symbols<T>(&mut self, change: impl FnOnce(&mut Symbols) -> T) -> T {
        let length = self.symbols.length();
        let answer = change(&mut self.symbols);
        if self.symbols.length() > length {
            self.log.push(Undo::Symbols { length });
            self.look_again();
        }
        answer
    }

    /// Tells the detector of data races something, if there is one.
    #[inline(always)]
    pub fn race<T: Default>(&mut self, tell: impl FnOnce(&mut Races, &Memory) -> T) -> T {
        if !self.races.is_on() {
            return T::default();
        }
        let length = self.races.length();
        let answer = tell(&mut self.races, &self.memory);
        if self.races.length() > length {
            self.log.push(Undo::Race { length });
        }
        answer
    }

    /// Writes to the output.
    pub fn print(&mut self, text: &[u8]) {
        self.log.push(Undo::Output { length: self.output.len() });
        self.output.extend_from_slice(text);
    }

    /// The present place in the log.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Takes back everything since the mark.
    pub fn rollback(&mut self, mark: Mark) {
        while self.log.len() > mark.0 {
            let Some(undo) = self.log.pop() else { return };
            self.take_back(undo);
        }
    }

    #[inline]
    fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Bytes { at, size, old, .. } => self.memory.store(at as usize, size as usize, old),
            Undo::Unwritten { at, size, bits } => self.memory.set_unwritten(at, size as usize, bits),
            Undo::Mark { thread, slot, bits } => self.put_mark(thread, slot, bits),
            Undo::Frame { thread, start, length, at: from } => {
                let slots = &mut self.threads[thread as usize].slots;
                slots[start as usize..(start + length) as usize].copy_from_slice(&self.saved[from..]);
                self.saved.truncate(from);
            }
            Undo::Control { thread, .. } => {
                if let Some(old) = self.controls.pop() {
                    self.threads[thread as usize].control = old;
                }
            }
            Undo::Created { .. } => self.memory.uncreate(),
            Undo::Life { object, old } => self.memory.objects[object as usize].life = old,
            Undo::Sharing { object, old } => self.memory.objects[object as usize].sharing = old,
            Undo::LocalAdded { thread } => drop(self.threads[thread as usize].locals.pop()),
            Undo::LocalRemoved { thread, object } => {
                self.threads[thread as usize].locals.push(ObjectId(object));
            }
            Undo::Cell { cell, old, .. } => self.cells[cell as usize] = old,
            Undo::Spin { thread, .. } => {
                if let Some(old) = self.spins.pop() {
                    self.threads[thread as usize].spin = old;
                }
            }
            Undo::SpinHead { thread, old } => self.threads[thread as usize].spin.head = old,
            Undo::SpinAdded { thread, list } => drop(self.threads[thread as usize].spin.list(list).pop()),
            Undo::SpinRemoved { thread, list, size, address, value } => {
                self.threads[thread as usize].spin.list(list).push((address, size, value));
            }
            Undo::Output { length } => self.output.truncate(length),
            Undo::Race { length } => self.races.rollback(length),
            Undo::Symbols { length } => {
                self.symbols.rollback(length);
                self.look_again();
            }
            Undo::Numbers { length } => {
                self.numbers.rollback(length);
                self.look_again();
            }
            Undo::Order => drop(self.orders.pop()),
        }
    }
}
