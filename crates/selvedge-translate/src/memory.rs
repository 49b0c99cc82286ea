//! Loads and stores: of memory that only this thread uses, which is known here, and of variables of the program.

use crate::arithmetic::{both, op};
use crate::facts::{Cell, LeafKey, ObjectKey, Place};
use crate::layout::{Element, Kind, Leaf, Spot, find};
use crate::refusal::{Done, Stop};
use crate::thread::{Thread, fix_in};
use crate::value::{Number, Pointer, Value};
use selvedge_ir as ir;
use selvedge_ir::{BinaryOp, Expr, InstrKind, RegisterId};
use selvedge_llvm::instruction::LocalId;

/// The longest array of a thread's own; longer ones become variables of the program.
const LONG: u64 = 64;

/// The longest local array that may begin without values.
const MOST_FORGOTTEN: u64 = 4096;

/// What stands for an address that nobody gave: nothing is there, and nobody knows what it is equal to.
const STRAY: i64 = 4093;

/// A part of memory that is accessed.
#[derive(Clone, Debug)]
pub struct Access {
    /// The leaf.
    pub leaf: LeafKey,
    /// Which element.
    pub element: Element,
    /// What an element is.
    pub kind: Kind,
    /// The bits of an element.
    pub bits: u32,
}

/// Where a leaf lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Home {
    /// Here: the translation knows its values, or their registers.
    Known,
    /// In an array of the thread.
    Array,
    /// In a variable of the program.
    Shared,
}

impl Thread<'_, '_> {
    /// The part of memory at an address.
    pub fn access(&mut self, address: &Value) -> Done<Access> {
        let Value::Pointer(pointer) = address else {
            return self.refuse(match address {
                Value::Undefined => "an address that nobody gave a value",
                Value::Foreign => "an address that another thread computed",
                _ => "an address that is no known variable",
            });
        };
        let Some(object) = pointer.object else {
            return self.refuse("an address made of a number");
        };
        self.note_borrowed(object);
        self.note_block(object)?;
        let leaves = self.run.leaves(object);
        let Some(spot) = find(&leaves, pointer) else {
            return self.refuse(format!(
                "an access to a part of `{}` that is no variable",
                self.run.object_name(object)
            ));
        };
        let leaf = &leaves[spot.leaf];
        if leaf.kind == Kind::Other {
            return self.refuse("floating point, or another type that is not known");
        }
        let Spot { leaf: number, element, bounds } = spot;
        for (index, count) in bounds {
            let (least, most) = (Expr::Int(0), Expr::Int(count as i64));
            let inside = both(op(BinaryOp::Ge, index.clone(), least), op(BinaryOp::Lt, index, most));
            self.demand(inside);
        }
        Ok(Access { leaf: (object, number as u32), element, kind: leaf.kind, bits: leaf.bits })
    }

    /// The part of memory at an address that is accessed as integers or addresses of some bits.
    fn plain_access(&mut self, address: &Value, bits: u32) -> Done<Access> {
        self.learn_division(address, bits)?;
        let access = self.access(address)?;
        if !matches!(access.kind, Kind::Int | Kind::Pointer | Kind::Counter) || access.bits != bits {
            return self.refuse("an access to a part of a variable, or to several at once");
        }
        Ok(access)
    }

    /// Allocated memory is divided as it is accessed.
    fn learn_division(&mut self, address: &Value, bits: u32) -> Done {
        let Value::Pointer(Pointer { object: Some(object), constant, terms }) = address else {
            return Ok(());
        };
        let Some(&size) = self.run.facts.heap.get(object) else { return Ok(()) };
        let leaves = self.run.leaves(*object);
        let Value::Pointer(pointer) = address else { return Ok(()) };
        if find(&leaves, pointer).is_some_and(|spot| leaves[spot.leaf].bits == bits) {
            return Ok(());
        }
        let bytes = u64::from(bits / 8).max(1);
        let stride = terms.iter().map(|(_, factor)| factor.unsigned_abs()).min().unwrap_or(0);
        let offset = match stride {
            0 => *constant,
            stride => constant.rem_euclid(stride as i64),
        };
        if offset < 0 || offset as u64 + bytes > size {
            return self.refuse("an access out of the bounds of allocated memory");
        }
        let new = (offset as u64, bits, stride);
        let seen = self.run.facts.divided.entry(*object).or_default();
        if stride > 0 {
            // Elements that were seen one by one belong to the array.
            seen.retain(|&(known, width, of)| {
                of > 0 || width != bits || !(known - new.0.min(known)).is_multiple_of(stride)
            });
        }
        let span = |&(offset, bits, stride): &(u64, u32, u64)| {
            (offset, if stride > 0 { size } else { offset + u64::from(bits / 8) }, stride)
        };
        let overlaps = seen.iter().any(|known| {
            let ((a, b, s), (c, d, t)) = (span(known), span(&new));
            let interleaved = s > 0 && s == t && a != c;
            a < d && c < b && !interleaved
        });
        if overlaps || !seen.insert(new) {
            return self.refuse("allocated memory that is accessed in different ways");
        }
        self.run.facts.is_new = true;
        Err(Stop::Restart)
    }

    /// Notes that allocated memory holds an address.
    pub fn note_pointer(&mut self, address: &Value) -> Done {
        let Value::Pointer(Pointer { object: Some(object), constant, terms }) = address else {
            return Ok(());
        };
        if !self.run.facts.heap.contains_key(object) {
            return Ok(());
        }
        let offset = match terms.iter().map(|(_, factor)| factor.unsigned_abs()).min() {
            None => *constant,
            Some(stride) => constant.rem_euclid((stride as i64).max(1)),
        };
        let leaves = self.run.leaves(*object);
        let Value::Pointer(pointer) = address else { return Ok(()) };
        let offset = find(&leaves, pointer).map_or(offset as u64, |spot| leaves[spot.leaf].offset);
        if self.run.facts.pointers.insert((*object, offset)) {
            self.run.facts.is_new = true;
            return Err(Stop::Restart);
        }
        Ok(())
    }

    fn home(&mut self, access: &Access) -> Done<Home> {
        let is_computed = matches!(access.element, Element::Computed(_));
        if is_computed {
            let count = self.leaf(access.leaf).count();
            let is_variable = self.run.facts.is_shared(access.leaf) && self.state.spawned;
            if !is_variable && !self.run.facts.indexed.contains(&access.leaf) {
                if count > LONG {
                    self.run.facts.force(access.leaf);
                }
                self.run.facts.index(access.leaf);
                return Err(Stop::Restart);
            }
        }
        let indexed = self.run.facts.indexed.contains(&access.leaf);
        Ok(match (self.run.facts.is_shared(access.leaf), indexed) {
            (true, indexed) if indexed || self.state.spawned => Home::Shared,
            (false, true) => Home::Array,
            _ => Home::Known,
        })
    }

    fn leaf(&mut self, leaf: LeafKey) -> Leaf {
        self.run.leaves(leaf.0)[leaf.1 as usize].clone()
    }

    fn touch(&mut self, access: &Access, stores: bool) {
        if self.state.spawned || self.run.facts.indexed.contains(&access.leaf) {
            self.run.facts.touch(access.leaf, self.number, stores);
        }
    }

    /// The value at an address.
    pub fn load(&mut self, address: &Value, bits: u32, result: LocalId) -> Done<Value> {
        let access = self.plain_access(address, bits)?;
        self.load_access(&access, result)
    }

    /// The value of a part of memory; if it is read when the program runs, the register of a result receives it.
    pub fn load_access(&mut self, access: &Access, result: LocalId) -> Done<Value> {
        self.touch(access, false);
        let home = self.home(access)?;
        if home == Home::Known {
            let Element::Known(element) = access.element else { return Err(Stop::Restart) };
            let cell = Cell { leaf: access.leaf, element };
            let value = match self.state.cells.get(&cell) {
                Some(value) => value.clone(),
                None => self.run.initial(cell),
            };
            if value == Value::Foreign {
                self.run.facts.force(access.leaf);
                return match self.run.facts.is_new {
                    true => Err(Stop::Restart),
                    false => self.refuse("a variable with a value that cannot be translated"),
                };
            }
            return Ok(value);
        }
        self.check_scalar(access)?;
        let index = Box::new(index(&access.element));
        let read = match home {
            Home::Array => Expr::Element { array: self.array(access.leaf)?, index },
            _ => Expr::Load { object: self.run.object(access.leaf), index },
        };
        let register = self.own_register(result, access.bits.max(8));
        self.protect(register);
        self.assign(register, read);
        if access.kind == Kind::Pointer {
            return self.divide(access.leaf, Expr::Register(register));
        }
        let value = match self.is_truth(access) {
            _ if access.bits == 1 => {
                Value::computed(1, op(BinaryOp::Ne, Expr::Register(register), Expr::Int(0)))
            }
            true => Value::bounded(access.bits, Expr::Register(register), 0, 1),
            false => Value::computed(access.bits, Expr::Register(register)),
        };
        Ok(value)
    }

    /// Divides the way by which address a number stands for; goes on with the null pointer.
    fn divide(&mut self, leaf: LeafKey, code: Expr) -> Done<Value> {
        if !self.is_at_load() {
            return self.refuse("an operation on an address that several threads use");
        }
        let addresses = self.run.facts.addresses.get(&leaf).cloned().unwrap_or_default();
        for (place, value) in addresses.into_iter().enumerate() {
            let is_it = op(BinaryOp::Eq, code.clone(), Expr::Int(place as i64 + 1));
            self.fork(is_it, value);
        }
        Ok(Value::null())
    }

    fn is_truth(&self, access: &Access) -> bool {
        access.bits == 8 && self.run.facts.is_truth(access.leaf)
    }

    /// Stores a value at an address.
    pub fn store(&mut self, address: &Value, bits: u32, value: Value) -> Done {
        let access = self.plain_access(address, bits)?;
        self.store_access(&access, value)
    }

    /// Stores a value in a part of memory.
    pub fn store_access(&mut self, access: &Access, value: Value) -> Done {
        self.touch(access, true);
        let home = self.home(access)?;
        if home == Home::Known {
            let Element::Known(element) = access.element else { return Err(Stop::Restart) };
            return self.store_cell(Cell { leaf: access.leaf, element }, value);
        }
        self.check_scalar(access)?;
        let is_address = access.kind == Kind::Pointer;
        if !is_address && (!value.is_static() || value.known().is_some() || value == Value::Undefined) {
            let number = self.number(&value, access.bits)?;
            self.note_truth(access, &number);
            let value = match access.bits {
                1 => crate::arithmetic::unary(selvedge_ir::UnaryOp::ToInt, number.expr),
                _ => number.expr,
            };
            let index = index(&access.element);
            let target = match home {
                Home::Array => ir::Place::Element { array: self.array(access.leaf)?, index },
                _ => ir::Place::Shared { object: self.run.object(access.leaf), index },
            };
            self.emit(InstrKind::Assign { target, value });
            return Ok(());
        }
        if value == Value::Foreign {
            return self.refuse("the result of a thread");
        }
        let code = match self.run.code_of(access.leaf, &value) {
            Some(code) => Expr::Int(code),
            None if is_address && value == Value::Undefined => self.choose_address(access.leaf),
            None => {
                return self.refuse(
                    "an address that is computed, or in a number, in a variable that several threads use",
                );
            }
        };
        let index = index(&access.element);
        let target = match home {
            Home::Array => ir::Place::Element { array: self.array(access.leaf)?, index },
            _ => ir::Place::Shared { object: self.run.object(access.leaf), index },
        };
        self.emit(InstrKind::Assign { target, value: code });
        Ok(())
    }

    fn note_truth(&mut self, access: &Access, number: &Number) {
        if access.bits == 8 && (number.low < 0 || number.high > 1) {
            self.run.facts.widen(access.leaf);
        }
    }

    /// Stores a value that the translation keeps; what is computed goes into the register of the cell.
    pub fn store_cell(&mut self, cell: Cell, value: Value) -> Done {
        let value = match value {
            Value::Number(number) => {
                let register = self.register_of(Place::Cell(cell), number.bits);
                if number.expr != Expr::Register(register) {
                    self.protect(register);
                    self.assign(register, number.expr);
                }
                Value::computed(number.bits, Expr::Register(register))
            }
            Value::Pointer(pointer) if !pointer.terms.is_empty() => {
                let register = self.register_of(Place::Cell(cell), 64);
                self.protect(register);
                let mut moves = Vec::new();
                let fixed = self.fix_pointer(Place::Cell(cell), pointer, &mut moves);
                moves.into_iter().for_each(|(to, value)| self.assign(to, value));
                fixed
            }
            value => value,
        };
        if value.number().is_some() && self.leaf(cell.leaf).bits == 8 {
            let number = value.number().map(|n| (n.low, n.high));
            if number.is_some_and(|(low, high)| low < 0 || high > 1) {
                self.run.facts.widen(cell.leaf);
            }
        }
        match value == self.run.initial(cell) {
            true => self.state.cells.remove(&cell),
            false => self.state.cells.insert(cell, value),
        };
        Ok(())
    }

    /// Copies results that still read a register which is about to change.
    pub fn protect(&mut self, register: RegisterId) {
        let places: Vec<Place> = self.state.locals().collect();
        for place in places {
            let value = match self.state.get(place) {
                Some(value) => value.clone(),
                None => continue,
            };
            if !value.mentions(register) {
                continue;
            }
            let new = match value {
                Value::Number(number) => {
                    let Some(copy) = self.copy_register(place, number.bits, register) else { continue };
                    self.assign(copy, number.expr);
                    Value::Number(Number { expr: Expr::Register(copy), ..number })
                }
                Value::Pointer(pointer) => {
                    let Some(copy) = self.copy_register(place, 64, register) else { continue };
                    let mut moves = Vec::new();
                    let fixed = fix_in(copy, pointer, &mut moves);
                    moves.into_iter().for_each(|(to, value)| self.assign(to, value));
                    fixed
                }
                _ => continue,
            };
            self.state.set(place, new);
        }
    }

    /// A register for a copy of what a place holds: its own, unless other results read that; none if the place itself changes.
    fn copy_register(&mut self, place: Place, bits: u32, changes: RegisterId) -> Option<RegisterId> {
        let own = self.register_of(place, bits);
        if own == changes {
            return None;
        }
        let reads = |other: Place| self.state.get(other).is_some_and(|value| value.mentions(own));
        let is_read = self.state.locals().any(|other| other != place && reads(other));
        match is_read {
            true => Some(self.step_register(self.residual.type_of(own))),
            false => Some(own),
        }
    }

    /// Variables of the program are numbers.
    fn check_scalar(&mut self, access: &Access) -> Done {
        match access.kind {
            Kind::Int | Kind::Counter | Kind::Pointer => Ok(()),
            _ => self.refuse("a lock that is used as a number"),
        }
    }

    /// The array of the thread that a leaf becomes.
    fn array(&mut self, leaf: LeafKey) -> Done<ir::ArrayId> {
        if let Some(&known) = self.arrays.get(&leaf) {
            return Ok(known);
        }
        let shape = self.leaf(leaf);
        let first: Vec<i64> =
            (0..shape.count()).map(|element| self.run.initial_number(Cell { leaf, element })).collect();
        if shape.bits == 8 && first.iter().any(|value| !(0..=1).contains(value)) {
            self.run.facts.widen(leaf);
        }
        let name = format!("{}{}", self.run.object_name(leaf.0), shape.name);
        let array = self.residual.array(name, first);
        self.arrays.insert(leaf, array);
        Ok(array)
    }

    /// A local variable comes to life: it has no value, so where the program keeps it, it has any.
    pub fn revive(&mut self, object: ObjectKey) -> Done {
        self.state.cells.retain(|cell, _| cell.leaf.0 != object);
        let leaves = self.run.leaves(object);
        for number in 0..leaves.len() as u32 {
            let leaf = (object, number);
            let (indexed, shared) = (self.run.facts.indexed.contains(&leaf), self.run.facts.is_shared(leaf));
            if indexed || (shared && self.state.spawned) {
                for element in 0..leaves[number as usize].count() {
                    self.forget(Cell { leaf, element }, !shared)?;
                }
            }
        }
        Ok(())
    }

    /// Any address that is ever in a variable, null, or a stray one: what stands for it.
    fn choose_address(&mut self, leaf: LeafKey) -> Expr {
        self.run.has_arbitrary_values = true;
        self.run.code_of(leaf, &stray());
        let known = self.run.facts.addresses.get(&leaf).map_or(0, Vec::len);
        self.choose_between(0, known as i64 + 1)
    }

    /// A cell of an array of the thread, or of a variable of the program, gets any value.
    pub fn forget(&mut self, cell: Cell, is_own: bool) -> Done {
        let shape = self.leaf(cell.leaf);
        let value = match shape.kind {
            Kind::Int | Kind::Counter if shape.count() <= MOST_FORGOTTEN => {
                self.choose_uninitialised(shape.bits)?
            }
            Kind::Int | Kind::Counter => {
                return self.refuse("a long local array that has no values at first");
            }
            Kind::Pointer => self.choose_address(cell.leaf),
            _ => return Ok(()),
        };
        let value = match shape.bits {
            1 => crate::arithmetic::unary(ir::UnaryOp::ToInt, value),
            _ => value,
        };
        if shape.bits == 8 {
            self.run.facts.widen(cell.leaf);
        }
        let index = Expr::Int(cell.element as i64);
        let target = match is_own {
            true => ir::Place::Element { array: self.array(cell.leaf)?, index },
            false => ir::Place::Shared { object: self.run.object(cell.leaf), index },
        };
        self.emit(InstrKind::Assign { target, value });
        Ok(())
    }
}

/// An address that nobody gave.
pub fn stray() -> Value {
    Value::Pointer(Pointer { object: None, constant: STRAY, terms: Vec::new() })
}

/// The index of an element.
pub fn index(element: &Element) -> Expr {
    match element {
        Element::Known(element) => Expr::Int(*element as i64),
        Element::Computed(expr) => expr.clone(),
    }
}
