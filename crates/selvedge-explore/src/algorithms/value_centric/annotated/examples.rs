//! Annotated orders for the tests of what is made of them.

use super::*;

// Some locations.
pub const X: LocationId = LocationId(0);
pub const Y: LocationId = LocationId(1);
pub const Z: LocationId = LocationId(2);

impl AnnotatedOrder {
    /// An order without events.
    pub fn of_threads(threads: usize) -> AnnotatedOrder {
        let mut order = AnnotatedOrder::default();
        order.order.grow(threads);
        for location in [X, Y, Z] {
            order.place_mut(location).initial = Some(Value::Number(0));
        }
        order
    }

    /// Adds an event that accesses nothing.
    pub fn event(&mut self, thread: u32) -> Node {
        self.push(Decision { thread: ThreadId(thread), choice: 0 })
    }

    /// Adds a write.
    pub fn write(&mut self, thread: u32, location: LocationId) -> Node {
        let node = self.event(thread);
        self.add_write(node, location, Value::Number(1));
        node
    }

    /// Adds a read with its good writes.
    pub fn read(&mut self, thread: u32, location: LocationId, good: &[Node]) -> Node {
        let node = self.event(thread);
        let part = self.part_with(location, good);
        self.add_read(node, part);
        node
    }

    /// A part with good writes.
    pub fn part_with(&mut self, location: LocationId, good: &[Node]) -> Part {
        let mut part = self.new_part(location);
        good.iter().for_each(|&write| self.add_good(&mut part, write));
        part
    }

    /// All pairs of events that are ordered.
    pub fn pairs(&self) -> Vec<(Node, Node)> {
        let nodes = || (0..self.event_count() as u32).map(Node);
        let pairs = nodes().flat_map(|a| nodes().map(move |b| (a, b)));
        pairs.filter(|&(a, b)| self.order.is_before(a, b)).collect()
    }
}

/// Figure 5 of the paper, as far as its text tells: the root writes `y`, reads `x`, writes `z` and `y`, reads `z`, the leaf writes `y`, `x` and `z`,
/// reads `y` and writes `z`. The text names the reads, what they may observe, and what the closure inserts; and it says that both on `y` and
/// on `z` two events remain that are not ordered.
pub struct Figure5 {
    pub order: AnnotatedOrder,
    pub first_y: Node,
    pub good_y: Node,
    pub good_x: Node,
    pub read_x: Node,
    pub bad_z: Node,
    pub good_z: Node,
    pub read_y: Node,
    pub bad_y: Node,
    pub read_z: Node,
    pub last_z: Node,
}

impl Figure5 {
    /// The order where only the reads of some locations matter.
    pub fn with_reads(locations: &[LocationId]) -> Figure5 {
        let mut order = AnnotatedOrder::of_threads(2);
        let read = |order: &mut AnnotatedOrder, thread: u32, location: LocationId, good: Node| {
            if locations.contains(&location) {
                return order.read(thread, location, &[good]);
            }
            order.event(thread)
        };
        let first_y = order.write(0, Y);
        let good_y = order.write(1, Y);
        let good_x = order.write(1, X);
        let read_x = read(&mut order, 0, X, good_x);
        let bad_z = order.write(1, Z);
        let good_z = order.write(0, Z);
        let read_y = read(&mut order, 1, Y, good_y);
        let bad_y = order.write(0, Y);
        let read_z = read(&mut order, 0, Z, good_z);
        let last_z = order.write(1, Z);
        Figure5 { order, first_y, good_y, good_x, read_x, bad_z, good_z, read_y, bad_y, read_z, last_z }
    }
}
