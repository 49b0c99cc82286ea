//! From compact code to transitions: the loop of the interpreter, on terms.
//!
//! The order of the operations, what they check first and what they leave undone when they fail are those of
//! `selvedge_interp`'s `run.rs`. Where a jump depends on the state, the path divides.

use crate::arithmetic::{self, is_true};
use crate::join::{Joins, Waiting};
use crate::path::{Caller, Path, Pin, Stand};
use crate::system::*;
use selvedge_interp::code::{NO_SLOT, Op, Slot, TEMPORARY};
use selvedge_interp::{Content, FailureKind};
use selvedge_ir::{BinaryOp, Program, Span};
use selvedge_smt::{Patience, Sort, Term, Terms, Variable};
use selvedge_trace::LocationId;
use std::collections::{BTreeMap, BTreeSet};

/// Elements up to which an array with computed indices is a variable for each element.
const SMALL: u32 = 16;
/// Elements up to which a computed index of a local array or a mutex is looked up one by one.
const MOST_CASES: u32 = 64;
/// Jumps back to one place that are followed before the loop is cut into transitions of its own.
const MOST_TURNS: u32 = 3;
/// Calls nested in each other.
const MOST_CALLS: usize = 40;
/// Places where one thread can stand.
const MOST_LOCATIONS: usize = 20_000;
/// Ways through one step up to which all stay apart.
const FEWEST_PATHS: usize = 4;
/// Ways through one step up to which those of different statements stay apart.
const FEW_PATHS: usize = 12;
/// Ways through one step.
const MOST_PATHS: usize = 4_000;

/// Whether a path goes on after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It goes on.
    On,
    /// It is over, and has been put where it belongs.
    Over,
}

pub(crate) type Done = Result<Flow, Unsupported>;

/// How a path ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// Before a step, or in the middle of one.
    Stand(Stand),
    /// At a place that all threads have.
    Place(usize),
    /// In a failure, or waiting.
    Target(Target),
}

impl System {
    /// Translates a well-formed program.
    ///
    /// # Errors
    /// When the program has something that cannot be translated, or it takes too long.
    pub fn new(program: &Program, terms: &mut Terms, patience: &Patience) -> Result<System, BuildError> {
        let code = selvedge_interp::compile(program);
        let names = code.layout.thread_names.clone();
        let mut system =
            System { variables: Vec::new(), threads: Vec::new(), names, code, numbers: BTreeMap::new() };
        let mut translator = Translator::new(&mut system, terms, program);
        let mut threads = Vec::new();
        for thread in 0..translator.system.code.threads.len() {
            threads.push(translator.thread(thread, patience)?);
        }
        system.threads = threads;
        Ok(system)
    }
}

pub(crate) struct Translator<'t> {
    pub system: &'t mut System,
    pub terms: &'t mut Terms,
    cells: BTreeMap<u32, Variable>,
    arrays: BTreeMap<u32, Variable>,
    slots: BTreeMap<(u32, u32), Variable>,
    /// The names of the variables.
    known: BTreeSet<String>,
    pub thread: usize,
    slot_names: Vec<Vec<String>>,
    /// Threads that may wait for a signal or at a barrier.
    pub waiters: Vec<usize>,
    /// The place of the operation at hand.
    pub span: Span,
    /// Ways through the step that have not been followed to their end.
    todo: Waiting,
    /// Ways through the step that have.
    ended: Vec<(End, Path)>,
}

impl<'t> Translator<'t> {
    fn new(system: &'t mut System, terms: &'t mut Terms, program: &Program) -> Self {
        let mut translator = Translator {
            system,
            terms,
            cells: BTreeMap::new(),
            arrays: BTreeMap::new(),
            slots: BTreeMap::new(),
            known: BTreeSet::new(),
            thread: 0,
            slot_names: slot_names(program),
            waiters: Vec::new(),
            span: Span::new(0, 0),
            todo: Waiting::default(),
            ended: Vec::new(),
        };
        translator.declare_memory();
        translator.find_waiters();
        translator
    }

    fn state_variable(&mut self, name: String, sort: Sort, initial: Term, place: Place) -> Variable {
        let number = self.system.variables.len();
        let name = if self.known.insert(name.clone()) { name } else { format!("{name}#{number}") };
        let variable = self.terms.variable(name.clone(), sort);
        self.system.numbers.insert(variable, self.system.variables.len());
        self.system.variables.push(StateVariable { variable, name, initial, place });
        variable
    }

    fn declare_memory(&mut self) {
        let indexed: std::collections::BTreeSet<u32> =
            self.system.code.ops.iter().filter_map(indexed_array).collect();
        for number in 0..self.system.code.layout.arrays.len() as u32 {
            let range = self.system.code.layout.arrays[number as usize].clone();
            let is_object = matches!(range.content, Content::Values(_));
            if is_object && range.length > SMALL && indexed.contains(&number) {
                let initial = self.initial_array(range.start, range.length);
                let variable =
                    self.state_variable(range.name.clone(), Sort::Array, initial, Place::Array(number));
                self.arrays.insert(number, variable);
                continue;
            }
            for cell in range.start..range.start + range.length {
                let location = LocationId(cell);
                let name = self.system.code.layout.name(location);
                let initial = self.terms.int(self.system.code.layout.initial[cell as usize]);
                let variable = self.state_variable(name, Sort::Word, initial, Place::Cell(cell));
                self.cells.insert(cell, variable);
            }
        }
    }

    fn initial_array(&mut self, start: u32, length: u32) -> Term {
        let values = self.system.code.layout.initial[start as usize..(start + length) as usize].to_vec();
        let mut array = self.terms.const_array(values[0].into());
        for (index, &value) in values.iter().enumerate().filter(|(_, value)| **value != values[0]) {
            let (index, value) = (self.terms.int(index as i128), self.terms.int(value));
            array = self.terms.store(array, index, value);
        }
        array
    }

    fn find_waiters(&mut self) {
        let code = &self.system.code;
        let waits = |op: &Op| matches!(op, Op::BeginWait { .. } | Op::Arrive { .. });
        let entries: Vec<u32> = code.functions.iter().map(|function| function.entry).collect();
        let body = |function: usize| {
            let end = entries.get(function + 1).map_or(code.ops.len(), |&end| end as usize);
            &code.ops[entries[function] as usize..end]
        };
        let callees = code.functions.len() - code.threads.len();
        let callee_waits = (0..callees).any(|function| body(function).iter().any(waits));
        let may_wait = |thread: &usize| {
            let ops = body(code.threads[*thread].function as usize);
            ops.iter().any(waits) || (callee_waits && ops.iter().any(|op| matches!(op, Op::Call(_))))
        };
        self.waiters = (0..code.threads.len()).filter(may_wait).collect();
    }

    /// The variable of a cell that is not part of a large array.
    pub fn cell(&self, cell: u32) -> Variable {
        self.cells[&cell]
    }

    pub fn unsupported<T>(&self, what: impl Into<String>) -> Result<T, Unsupported> {
        Err(Unsupported { what: what.into(), span: self.span })
    }

    fn slot(&mut self, slot: u32) -> Variable {
        let thread = self.thread as u32;
        if let Some(&variable) = self.slots.get(&(thread, slot)) {
            return variable;
        }
        let function = self.system.code.threads[self.thread].function as usize;
        let compiled = &self.system.code.functions[function];
        let first = slot.checked_sub(compiled.parameters).map(|i| i as usize);
        let initial = first.and_then(|i| compiled.initial.get(i)).copied().unwrap_or(0);
        let own = self.slot_names[function].get(slot as usize).filter(|_| slot < compiled.frame);
        let local = own.cloned().unwrap_or_else(|| format!("slot{slot}"));
        let name = format!("{}.{local}", self.system.names[self.thread]);
        let initial = self.terms.int(initial);
        let variable = self.state_variable(name, Sort::Word, initial, Place::Slot { thread, slot });
        self.slots.insert((thread, slot), variable);
        variable
    }

    /// All locations and transitions of a thread.
    fn thread(&mut self, thread: usize, patience: &Patience) -> Result<ThreadSystem, BuildError> {
        self.thread = thread;
        let code = &self.system.code;
        let role = code.threads[thread].role;
        let function = &code.functions[code.threads[thread].function as usize];
        let (pc, frame) = (function.entry, function.frame);
        for slot in 0..frame {
            self.slot(slot);
        }
        let entry = self.arrival(pc, 0, Vec::new(), true, BTreeMap::new());
        let end = self.span;
        let special = |kind| Location { kind, span: end, pc: 0, may_open: true, transitions: Vec::new() };
        let mut locations = vec![
            special(LocationKind::NotStarted),
            special(LocationKind::Ended),
            special(LocationKind::Dropped),
        ];
        let mut numbers = BTreeMap::from([(entry.clone(), locations.len())]);
        let mut todo = vec![entry];
        while let Some(stand) = todo.pop() {
            let number = numbers[&stand];
            let span = self.system.code.spans[stand.pc as usize];
            if locations.len() <= number {
                locations.resize_with(number + 1, || special(LocationKind::Visible));
            }
            let (kind, pc, may_open) = (stand.kind, stand.pc, stand.committed);
            locations[number] = Location { kind, span, pc, may_open, transitions: Vec::new() };
            let mut transitions = Vec::new();
            for (end, path) in self.step(stand, patience)? {
                let target = match end {
                    End::Stand(stand) => {
                        let next = numbers.len() + 3;
                        Target::Location(*numbers.entry(stand.clone()).or_insert_with(|| {
                            todo.push(stand);
                            next
                        }))
                    }
                    End::Place(place) => Target::Location(place),
                    End::Target(target) => target,
                };
                let keeps = path.stand.committed
                    || matches!(target, Target::Location(place) if place != System::DROPPED);
                let guard = self.terms.and(path.guard.iter().copied());
                if guard != self.terms.no() {
                    transitions.push(path.finish(guard, target, keeps));
                }
            }
            locations[number].transitions = transitions;
            if numbers.len() > MOST_LOCATIONS {
                return Ok(self.unsupported("a thread with too many places where it can stand")?);
            }
        }
        mark_back_jumps(&mut locations, 3);
        Ok(ThreadSystem { locations, entry: 3, role })
    }

    fn arrival(
        &self,
        pc: u32,
        base: u32,
        callers: Vec<Caller>,
        committed: bool,
        pins: BTreeMap<Variable, Pin>,
    ) -> Stand {
        let is_visible = matches!(self.system.code.ops[pc as usize], Op::Visible(_));
        let kind = if is_visible { LocationKind::Visible } else { LocationKind::Internal };
        Stand { pc, base, callers, kind, committed: committed || is_visible, pins }
    }

    /// All ways through the step that begins here.
    fn step(&mut self, stand: Stand, patience: &Patience) -> Result<Vec<(End, Path)>, BuildError> {
        let begins_inside = stand.kind == LocationKind::Internal && !stand.committed;
        if !self.ways(stand.clone(), Joins::Never, FEWEST_PATHS, patience)?
            && !self.ways(stand.clone(), Joins::Within, FEW_PATHS, patience)?
            && !self.ways(stand, Joins::All, MOST_PATHS, patience)?
        {
            return Ok(self.unsupported("a step with too many ways through it")?);
        }
        let ended = std::mem::take(&mut self.ended);
        let gives_up = |(end, path): &(End, Path)| match end {
            End::Target(Target::Blocked) => true,
            End::Place(System::DROPPED) => !path.stand.committed,
            _ => false,
        };
        if begins_inside && ended.iter().any(gives_up) {
            return Ok(self.unsupported("waiting, or an assumption, after a loop in an atomic block")?);
        }
        Ok(ended)
    }

    /// Follows all ways through a step to their ends, unless there are more than so many.
    fn ways(
        &mut self,
        stand: Stand,
        joins: Joins,
        most: usize,
        patience: &Patience,
    ) -> Result<bool, BuildError> {
        self.todo.clear();
        self.ended.clear();
        let span = self.system.code.spans[stand.pc as usize];
        let mut path = Path::new(stand, span);
        if path.stand.kind == LocationKind::Visible {
            path.stand.pc += 1;
            path.stand.committed = false;
        }
        self.todo.push(path);
        loop {
            let spans = &self.system.code.spans;
            let continues = |pc: u32| pc > 0 && spans[pc as usize - 1] == spans[pc as usize];
            let joins_at = |pc: u32| match joins {
                Joins::Never => false,
                Joins::Within => continues(pc),
                Joins::All => true,
            };
            let Some(path) = self.todo.pop(self.terms, joins_at) else { return Ok(true) };
            patience.watch()?;
            self.follow(path)?;
            if self.ended.len() + self.todo.len() > most {
                return Ok(false);
            }
        }
    }

    /// Follows one way to the next place, to its end, or to where others come first.
    fn follow(&mut self, mut path: Path) -> Result<(), Unsupported> {
        loop {
            let Stand { pc, base, committed, .. } = path.stand;
            let op = self.system.code.ops[pc as usize];
            let turns_much = path.turns.values().any(|&turns| turns > MOST_TURNS);
            if matches!(op, Op::Visible(_)) || turns_much {
                let stand = self.arrival(pc, base, path.stand.callers.clone(), committed, path.pins());
                self.ended.push((End::Stand(stand), path));
                return Ok(());
            }
            self.span = self.system.code.spans[pc as usize];
            path.stand.pc += 1;
            if self.op(op, &mut path)? == Flow::Over || self.is_impossible(&path) {
                return Ok(());
            }
            if self.todo.is_behind(&path) {
                self.todo.push(path);
                return Ok(());
            }
        }
    }

    fn is_impossible(&mut self, path: &Path) -> bool {
        self.terms.and(path.guard.iter().copied()) == self.terms.no()
    }

    /// What a slot holds.
    pub fn get(&mut self, path: &Path, slot: Slot) -> Term {
        if slot >= TEMPORARY {
            return match path.temporaries.get(&slot) {
                Some(&term) => term,
                None => self.terms.int(0),
            };
        }
        let variable = self.slot(path.stand.base + slot);
        self.variable(path, variable)
    }

    pub fn variable(&mut self, path: &Path, variable: Variable) -> Term {
        match path.store.get(&variable) {
            Some(&term) => term,
            None => self.terms.var(variable),
        }
    }

    pub fn set(&mut self, path: &mut Path, slot: Slot, value: Term) {
        if slot >= TEMPORARY {
            path.temporaries.insert(slot, value);
        } else {
            let variable = self.slot(path.stand.base + slot);
            path.store.insert(variable, value);
        }
    }

    /// Ends a path.
    pub fn end(&mut self, path: &Path, end: End) -> Flow {
        if !self.is_impossible(path) {
            self.ended.push((end, path.clone()));
        }
        Flow::Over
    }

    /// The path goes on where the condition holds; where it does not, it ends so.
    pub fn demand(&mut self, path: &mut Path, condition: Term, otherwise: End) -> Flow {
        let mut other = path.clone();
        other.guard.push(self.terms.not(condition));
        self.end(&other, otherwise);
        path.guard.push(condition);
        if self.is_impossible(path) { Flow::Over } else { Flow::On }
    }

    /// Ends a path in a failure where a condition does not hold.
    pub fn demand_or_fail(&mut self, path: &mut Path, condition: Term, kind: FailureKind) -> Flow {
        let failed = End::Target(Target::Failed(kind, self.span));
        self.demand(path, condition, failed)
    }

    /// Lets a copy of the path go on from here under a condition, after some work on it.
    pub fn also(&mut self, path: &Path, condition: Term, work: impl FnOnce(&mut Self, &mut Path)) {
        let mut other = path.clone();
        other.guard.push(condition);
        if !self.is_impossible(&other) {
            work(self, &mut other);
            self.todo.push(other);
        }
    }

    fn op(&mut self, op: Op, path: &mut Path) -> Done {
        match op {
            Op::Visible(_) | Op::Expect { .. } => {}
            Op::Commit => path.stand.committed = true,
            Op::Const { dst, value } => {
                let value = self.terms.int(value);
                self.set(path, dst, value);
            }
            Op::Copy { dst, src } | Op::Set { dst, src } => {
                let value = self.get(path, src);
                self.set(path, dst, value);
            }
            Op::SelfIndex { dst } => {
                let index = self.terms.int(self.system.code.threads[self.thread].index);
                self.set(path, dst, index);
            }
            Op::Unary { op, dst, a } => {
                let a = self.get(path, a);
                let value = arithmetic::unary(self.terms, op, a);
                self.set(path, dst, value);
            }
            Op::Binary { op, dst, a, b } => return Ok(self.binary(path, op, dst, a, b)),
            Op::Load { dst, cell } => {
                let value = self.load(path, cell);
                self.set(path, dst, value);
            }
            Op::LoadAt { dst, array, index } => {
                let index = self.get(path, index);
                if self.in_range(path, index, self.system.code.layout.arrays[array as usize].length)
                    == Flow::Over
                {
                    return Ok(Flow::Over);
                }
                let value = self.load_at(path, array, index)?;
                self.set(path, dst, value);
            }
            Op::Store { cell, src } => {
                let value = self.get(path, src);
                self.store(path, cell, value);
            }
            Op::StoreAt { array, index, src } => {
                let (index, value) = (self.get(path, index), self.get(path, src));
                if self.in_range(path, index, self.system.code.layout.arrays[array as usize].length)
                    == Flow::Over
                {
                    return Ok(Flow::Over);
                }
                self.store_at(path, array, index, value)?;
            }
            Op::Element { dst, array, index } => return self.element(path, array, index, dst),
            Op::SetElement { array, index, src } => return self.set_element(path, array, index, src),
            Op::Jump(to) => self.jump(path, to),
            Op::JumpIfFalse { condition, to } => return Ok(self.branch(path, condition, to, false)),
            Op::JumpIfTrue { condition, to } => return Ok(self.branch(path, condition, to, true)),
            Op::Assert { condition } => {
                let condition = self.condition(path, condition);
                return Ok(self.demand_or_fail(path, condition, FailureKind::Assertion));
            }
            Op::Assume { condition } => {
                let condition = self.condition(path, condition);
                return Ok(self.demand(path, condition, End::Place(System::DROPPED)));
            }
            Op::Await { condition } => {
                let condition = self.condition(path, condition);
                return Ok(self.demand(path, condition, End::Target(Target::Blocked)));
            }
            Op::Call(call) => return self.call(path, call),
            Op::Return { value } => return Ok(self.ret(path, value)),
            _ => return self.synchronise(op, path),
        }
        Ok(Flow::On)
    }

    fn condition(&mut self, path: &Path, slot: Slot) -> Term {
        let value = self.get(path, slot);
        is_true(self.terms, value)
    }

    fn binary(&mut self, path: &mut Path, op: BinaryOp, dst: Slot, a: Slot, b: Slot) -> Flow {
        let (a, b) = (self.get(path, a), self.get(path, b));
        let fails = arithmetic::failure(self.terms, op, b);
        let kind = match op {
            BinaryOp::Shl | BinaryOp::Shr => FailureKind::ShiftOutOfRange,
            _ => FailureKind::DivisionByZero,
        };
        let works = self.terms.not(fails);
        if self.demand_or_fail(path, works, kind) == Flow::Over {
            return Flow::Over;
        }
        let value = arithmetic::binary(self.terms, op, a, b);
        self.set(path, dst, value);
        Flow::On
    }

    fn branch(&mut self, path: &mut Path, condition: Slot, to: u32, jumps_if: bool) -> Flow {
        let condition = self.condition(path, condition);
        let negated = self.terms.not(condition);
        let (jumps, stays) = if jumps_if { (condition, negated) } else { (negated, condition) };
        self.also(path, jumps, |this, path| this.jump(path, to));
        path.guard.push(stays);
        Flow::On
    }

    fn jump(&mut self, path: &mut Path, to: u32) {
        if to < path.stand.pc {
            *path.turns.entry(to).or_insert(0) += 1;
        }
        path.stand.pc = to;
    }

    /// Demands that an index is in range.
    pub fn in_range(&mut self, path: &mut Path, index: Term, length: u32) -> Flow {
        let (zero, length) = (self.terms.int(0), self.terms.int(length));
        let (above, below) = (self.terms.le(zero, index), self.terms.lt(index, length));
        let inside = self.terms.and([above, below]);
        self.demand_or_fail(path, inside, FailureKind::IndexOutOfRange)
    }

    fn load(&mut self, path: &Path, cell: u32) -> Term {
        match self.cells.get(&cell) {
            Some(&variable) => self.variable(path, variable),
            None => {
                let (array, index) = self.array_and_index(cell);
                let array = self.variable(path, array);
                self.terms.select(array, index)
            }
        }
    }

    fn store(&mut self, path: &mut Path, cell: u32, value: Term) {
        match self.cells.get(&cell) {
            Some(&variable) => {
                path.store.insert(variable, value);
            }
            None => {
                let (variable, index) = self.array_and_index(cell);
                let array = self.variable(path, variable);
                let stored = self.terms.store(array, index, value);
                path.store.insert(variable, stored);
            }
        }
    }

    fn array_and_index(&mut self, cell: u32) -> (Variable, Term) {
        let mut arrays = self
            .arrays
            .iter()
            .map(|(&number, &variable)| (&self.system.code.layout.arrays[number as usize], variable));
        let found = arrays.find(|(range, _)| (range.start..range.start + range.length).contains(&cell));
        let (range, variable) = found.expect("a cell is a variable or part of an array");
        let index = cell - range.start;
        (variable, self.terms.int(index))
    }

    fn load_at(&mut self, path: &Path, array: u32, index: Term) -> Result<Term, Unsupported> {
        if let Some(&variable) = self.arrays.get(&array) {
            let array = self.variable(path, variable);
            return Ok(self.terms.select(array, index));
        }
        let cells = self.cells_of(array);
        let mut value = self.terms.int(0);
        for (number, variable) in cells.into_iter().enumerate().rev() {
            let (number, element) = (self.terms.int(number as i128), self.variable(path, variable));
            let is_it = self.terms.eq(index, number);
            value = self.terms.ite(is_it, element, value);
        }
        Ok(value)
    }

    fn store_at(&mut self, path: &mut Path, array: u32, index: Term, value: Term) -> Result<(), Unsupported> {
        if let Some(&variable) = self.arrays.get(&array) {
            let array = self.variable(path, variable);
            let stored = self.terms.store(array, index, value);
            path.store.insert(variable, stored);
            return Ok(());
        }
        for (number, variable) in self.cells_of(array).into_iter().enumerate() {
            self.store_if(path, variable, index, number as u32, value);
        }
        Ok(())
    }

    /// Stores a value in a variable if the index is this number.
    fn store_if(&mut self, path: &mut Path, variable: Variable, index: Term, number: u32, value: Term) {
        let (number, old) = (self.terms.int(number), self.variable(path, variable));
        let is_it = self.terms.eq(index, number);
        if is_it != self.terms.no() {
            let new = self.terms.ite(is_it, value, old);
            path.store.insert(variable, new);
        }
    }

    pub fn cells_of(&self, array: u32) -> Vec<Variable> {
        let range = &self.system.code.layout.arrays[array as usize];
        (range.start..range.start + range.length).map(|cell| self.cells[&cell]).collect()
    }

    fn local_array(
        &mut self,
        path: &mut Path,
        array: u32,
        index: Slot,
    ) -> Result<Option<(Term, u32, u32)>, Unsupported> {
        let range = self.system.code.arrays[array as usize];
        let index = self.get(path, index);
        if self.in_range(path, index, range.length) == Flow::Over {
            return Ok(None);
        }
        if self.terms.as_int(index).is_none() && range.length > MOST_CASES {
            return self.unsupported(format!(
                "a local array of more than {MOST_CASES} elements with a computed index"
            ));
        }
        Ok(Some((index, range.start, range.length)))
    }

    fn element(&mut self, path: &mut Path, array: u32, index: Slot, dst: Slot) -> Done {
        let Some((index, start, length)) = self.local_array(path, array, index)? else {
            return Ok(Flow::Over);
        };
        let mut value = self.terms.int(0);
        for number in (0..length).rev() {
            let element = self.get(path, start + number);
            let number = self.terms.int(number);
            let is_it = self.terms.eq(index, number);
            value = self.terms.ite(is_it, element, value);
        }
        self.set(path, dst, value);
        Ok(Flow::On)
    }

    fn set_element(&mut self, path: &mut Path, array: u32, index: Slot, src: Slot) -> Done {
        let value = self.get(path, src);
        let Some((index, start, length)) = self.local_array(path, array, index)? else {
            return Ok(Flow::Over);
        };
        for number in 0..length {
            let variable = self.slot(path.stand.base + start + number);
            self.store_if(path, variable, index, number, value);
        }
        Ok(Flow::On)
    }

    fn call(&mut self, path: &mut Path, call: u32) -> Done {
        let call = self.system.code.calls[call as usize];
        if path.stand.callers.len() >= MOST_CALLS {
            return self.unsupported(format!("calls nested more than {MOST_CALLS} deep"));
        }
        let callee = self.system.code.functions[call.function as usize].clone();
        let arguments: Vec<Term> =
            (0..callee.parameters).map(|i| self.get(path, call.arguments + i)).collect();
        let caller = Caller { pc: path.stand.pc, base: path.stand.base, result: call.result };
        path.stand.callers.push(caller);
        path.stand.base += call.frame + LINK;
        path.stand.pc = callee.entry;
        let initial: Vec<Term> = callee.initial.iter().map(|&value| self.terms.int(value)).collect();
        for (slot, value) in arguments.into_iter().chain(initial).enumerate() {
            self.set(path, slot as u32, value);
        }
        Ok(Flow::On)
    }

    fn ret(&mut self, path: &mut Path, value: Slot) -> Flow {
        let value = (value != NO_SLOT).then(|| self.get(path, value));
        let Some(caller) = path.stand.callers.pop() else { return self.end(path, End::Place(System::ENDED)) };
        path.stand.pc = caller.pc;
        path.stand.base = caller.base;
        if let (Some(value), true) = (value, caller.result != NO_SLOT) {
            self.set(path, caller.result, value);
        }
        Flow::On
    }
}

/// Marks the transitions that close a loop: those to a place on the way from the beginning.
fn mark_back_jumps(locations: &mut [Location], entry: usize) {
    let successors: Vec<Vec<Option<usize>>> =
        locations.iter().map(|location| location.transitions.iter().map(|t| t.place()).collect()).collect();
    let (mut on_way, mut seen) = (vec![false; locations.len()], vec![false; locations.len()]);
    let mut stack = vec![(entry, 0)];
    (on_way[entry], seen[entry]) = (true, true);
    while let Some((place, next)) = stack.pop() {
        let Some(&target) = successors[place].get(next) else {
            on_way[place] = false;
            continue;
        };
        stack.push((place, next + 1));
        let Some(target) = target else { continue };
        locations[place].transitions[next].jumps_back |= on_way[target];
        if !std::mem::replace(&mut seen[target], true) {
            on_way[target] = true;
            stack.push((target, 0));
        }
    }
}

/// Slots between two frames, as in the interpreter.
const LINK: u32 = 3;

/// The array that an operation indexes with a computed number.
fn indexed_array(op: &Op) -> Option<u32> {
    match *op {
        Op::LoadAt { array, .. } | Op::StoreAt { array, .. } | Op::CellAt { array, .. } => Some(array),
        _ => None,
    }
}

/// The names of the registers of all compiled functions: those of the program, then those of the threads.
fn slot_names(program: &Program) -> Vec<Vec<String>> {
    let registers = |function: &selvedge_ir::Function| -> Vec<String> {
        function.registers.iter().map(|register| register.name.clone()).collect()
    };
    let mut names: Vec<Vec<String>> = program.functions.iter().map(registers).collect();
    for family in &program.families {
        let function = registers(&program.functions[family.function.index()]);
        names.extend((0..family.count).map(|_| function.clone()));
    }
    names.extend(program.finally.iter().map(|finally| registers(&program.functions[finally.index()])));
    names
}
