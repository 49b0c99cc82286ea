//! Names that do not depend on the interleaving: who made the thread or object, and which one it was.
//!
//! A thread that is the third child of the first child of the main closure is the same thread in every execution; so is
//! the fifth object that it makes. The tables live for the whole search: a name keeps its number, and a
//! re-execution finds every number where the execution before it left it.

use crate::checkpointing::{NumberReader, NumberWriter};
use selvedge_trace::{LocationId, ThreadId};
use std::collections::HashMap;
use std::ops::Range;

/// The numbers of all threads and objects met so far.
#[derive(Debug)]
pub struct Names {
    threads: Vec<ThreadNames>,
    next_location: u32,
    /// Everything that was named, in order: enough to name it again in the same way.
    log: Vec<Named>,
    elements: HashMap<(LocationId, u64), LocationId>,
    /// Objects of statics, by the key of the static, number and size.
    of_statics: HashMap<(u64, u32, u32), LocationId>,
    /// Objects that had another number of locations when their number was met first.
    resized: HashMap<(ThreadId, u32, u32), LocationId>,
    /// What earlier searches needed, to be used again.
    unused: Vec<ThreadNames>,
}

/// Something that was given a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Child(ThreadId, u32),
    Object(ThreadId, u32, u32),
    Element(LocationId, u64),
    OfStatic(u64, u32, u32),
}

/// What a thread has made, and where its own cells are.
#[derive(Debug)]
struct ThreadNames {
    cells: LocationId,
    children: Vec<ThreadId>,
    objects: Vec<(LocationId, u32)>,
}

/// The cells that every thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadCell {
    /// Whether it exists and whether it has ended.
    Life,
    /// What it waits for on a condition variable or barrier, plus one.
    Waiting,
    /// Whether an `unpark` is pending.
    Token,
    /// Orders its first operation after its spawn.
    Spawned,
    /// Orders what happens when nobody else can move after everything that it did.
    Progress,
}

const CELLS_PER_THREAD: u32 = 5;

impl Default for Names {
    fn default() -> Self {
        let mut names = Names {
            threads: Vec::new(),
            next_location: 0,
            log: Vec::new(),
            elements: HashMap::new(),
            of_statics: HashMap::new(),
            resized: HashMap::new(),
            unused: Vec::new(),
        };
        names.new_thread();
        names
    }
}

impl Names {
    /// Forgets all names but that of the main closure.
    pub fn clear(&mut self) {
        self.next_location = 0;
        self.log.clear();
        self.elements.clear();
        self.of_statics.clear();
        self.resized.clear();
        self.unused.append(&mut self.threads);
        self.new_thread();
    }

    /// The number of threads met so far.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// The number of locations met so far.
    pub fn location_count(&self) -> u32 {
        self.next_location
    }

    /// A cell of a thread.
    #[inline]
    pub fn cell(&self, thread: ThreadId, cell: ThreadCell) -> LocationId {
        LocationId(self.threads[thread.index()].cells.0 + cell as u32)
    }

    /// All cells of a thread.
    pub fn cells(&self, thread: ThreadId) -> Range<u32> {
        let first = self.threads[thread.index()].cells.0;
        first..first + CELLS_PER_THREAD
    }

    /// The child of a thread with the given number.
    pub fn child(&mut self, parent: ThreadId, number: u32) -> ThreadId {
        if let Some(&child) = self.threads[parent.index()].children.get(number as usize) {
            return child;
        }
        self.log.push(Named::Child(parent, number));
        let child = self.new_thread();
        self.threads[parent.index()].children.push(child);
        child
    }

    /// The object with the given number that a thread makes. It has one location, or several in a row.
    #[inline]
    pub fn object(&mut self, maker: ThreadId, number: u32, locations: u32) -> LocationId {
        match self.threads[maker.index()].objects.get(number as usize) {
            Some(&(object, size)) if size == locations => object,
            Some(_) => self.resized_object(maker, number, locations),
            None => {
                self.log.push(Named::Object(maker, number, locations));
                let object = self.new_locations(locations);
                self.threads[maker.index()].objects.push((object, locations));
                object
            }
        }
    }

    /// The object with the given number that belongs to a static, whoever uses it first.
    pub fn static_object(&mut self, key: u64, number: u32, locations: u32) -> LocationId {
        if let Some(&object) = self.of_statics.get(&(key, number, locations)) {
            return object;
        }
        self.log.push(Named::OfStatic(key, number, locations));
        let object = self.new_locations(locations);
        self.of_statics.insert((key, number, locations), object);
        object
    }

    /// A part of an object that has arbitrarily many, such as a message of a channel.
    pub fn element(&mut self, object: LocationId, number: u64) -> LocationId {
        if let Some(&element) = self.elements.get(&(object, number)) {
            return element;
        }
        self.log.push(Named::Element(object, number));
        let element = self.new_locations(1);
        self.elements.insert((object, number), element);
        element
    }

    /// After other values were read, the object with that number may be something else.
    #[cold]
    fn resized_object(&mut self, maker: ThreadId, number: u32, locations: u32) -> LocationId {
        if let Some(&object) = self.resized.get(&(maker, number, locations)) {
            return object;
        }
        self.log.push(Named::Object(maker, number, locations));
        let object = self.new_locations(locations);
        self.resized.insert((maker, number, locations), object);
        object
    }

    /// Writes all names.
    pub fn write(&self, writer: &mut NumberWriter) {
        writer.number(self.log.len() as u64);
        for named in &self.log {
            let numbers = match *named {
                Named::Child(parent, number) => [0, u64::from(parent.0), u64::from(number), 0],
                Named::Object(maker, number, size) => {
                    [1, u64::from(maker.0), u64::from(number), u64::from(size)]
                }
                Named::Element(object, number) => [2, u64::from(object.0), number, 0],
                Named::OfStatic(key, number, size) => [3, u64::from(number), key, u64::from(size)],
            };
            numbers.into_iter().for_each(|number| writer.number(number));
        }
    }

    /// Reads all names.
    pub fn read(reader: &mut NumberReader) -> Option<Names> {
        let mut names = Names::default();
        for _ in 0..reader.number()? {
            let (kind, owner) = (reader.number()?, reader.small()?);
            let (number, size) = (reader.number()?, reader.small()?);
            let small = u32::try_from(number).ok();
            let knows = |names: &Names| (owner as usize) < names.threads.len();
            match kind {
                0 if knows(&names) => {
                    names.child(ThreadId(owner), small?);
                }
                1 if knows(&names) => {
                    names.object(ThreadId(owner), small?, size);
                }
                2 => {
                    names.element(LocationId(owner), number);
                }
                3 => {
                    names.static_object(number, owner, size);
                }
                _ => return None,
            }
        }
        Some(names)
    }

    fn new_thread(&mut self) -> ThreadId {
        let thread = ThreadId::at(self.threads.len());
        let cells = self.new_locations(CELLS_PER_THREAD);
        let made = match self.unused.pop() {
            Some(mut unused) => {
                unused.cells = cells;
                unused.children.clear();
                unused.objects.clear();
                unused
            }
            None => ThreadNames { cells, children: Vec::new(), objects: Vec::new() },
        };
        self.threads.push(made);
        thread
    }

    fn new_locations(&mut self, count: u32) -> LocationId {
        let first = LocationId(self.next_location);
        self.next_location += count;
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number() {
        let mut names = Names::default();
        let main = ThreadId(0);
        let child = names.child(main, 0);
        let object = names.object(child, 0, 2);
        let other = names.object(main, 0, 1);
        assert_ne!(object, other);
        assert_eq!(names.child(main, 0), child);
        assert_eq!(names.object(child, 0, 2), object);
        let larger = names.object(child, 0, 3);
        assert!(larger.0 >= object.0 + 2);
        assert_eq!(names.object(child, 0, 3), larger);
        assert_eq!(names.object(child, 0, 2), object);
        assert_eq!(names.element(object, 9), names.element(object, 9));
        assert_ne!(names.cell(main, ThreadCell::Life), names.cell(child, ThreadCell::Life));
        let mut writer = NumberWriter::default();
        let of_static = names.static_object(u64::MAX, 1, 1);
        names.write(&mut writer);
        let mut reader = NumberReader::new(&writer.text()).expect("it is numbers");
        let mut again = Names::read(&mut reader).expect("it is names");
        assert_eq!(again.log, names.log);
        assert_eq!(again.object(child, 0, 3), larger);
        assert_eq!(again.static_object(u64::MAX, 1, 1), of_static);
    }
}
