//! A thread, from the beginning of its function on: partial evaluation along the ways it can take.
//!
//! What is known is computed here and now; the rest becomes instructions of the new function. Where ways meet with different
//! knowledge, what differs is made a register ([`Facts::general`](crate::facts::Facts)); loops that start threads, and those before
//! the first thread is started, are unrolled.

use crate::facts::{Cell, Place, Shape};
use crate::names::{Occurrence, OccurrenceId};
use crate::refusal::{Done, Refusal, Scope, Stop};
use crate::residual::{Purpose, Residual, mentions, size};
use crate::run::{MOST_ARRIVALS, Run, refused};
use crate::state::{Frame, State};
use crate::value::{Number, Pointer, Value, range};
use selvedge_code::functions;
use selvedge_ir as ir;
use selvedge_ir::{BlockId as IrBlock, Expr, InstrKind, RegisterId, Span, TerminatorKind, Type};
use selvedge_llvm::Site;
use selvedge_llvm::instruction::{BlockId, Instruction, LocalId, Operand, Operation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How many states of knowledge may lead through one place.
const MOST_VARIANTS: u32 = 64;
/// How many threads a loop may start.
const MOST_THREADS: u32 = 300;
/// How often a loop goes round that is unrolled for other reasons.
const MOST_ROUNDS: u32 = 20_000;
/// The largest expression that is not given a register.
const LARGE: usize = 7;

/// A thread that is being translated.
pub struct Thread<'t, 'r> {
    pub run: &'t mut Run<'r>,
    /// Its number.
    pub number: u32,
    pub residual: Residual,
    pub state: State,
    known: HashMap<State, IrBlock>,
    first: HashMap<crate::facts::Position, (State, u32)>,
    work: Vec<(State, IrBlock)>,
    /// Blocks in atomic sections that use a choice made before.
    pub chosen: Vec<IrBlock>,
    /// Arrays of the thread's own.
    pub arrays: BTreeMap<crate::facts::LeafKey, ir::ArrayId>,
    steps: u32,
    /// Whether the way depended on something computed.
    forked: bool,
}

/// How an instruction leaves the thread.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// At the next instruction.
    On,
    /// Elsewhere: everything is said.
    Gone,
}

impl<'t, 'r> Thread<'t, 'r> {
    /// The function that a thread becomes.
    pub fn translate(
        run: &'t mut Run<'r>,
        number: u32,
    ) -> Done<(ir::Function, Vec<Vec<Option<OccurrenceId>>>)> {
        let record = &run.threads[number as usize];
        let (function, context) = (record.function, record.context);
        let frame = Frame {
            function,
            context,
            block: BlockId(0),
            index: 0,
            values: BTreeMap::new(),
            rounds: Vec::new(),
            is_atomic: false,
        };
        let state = State {
            frames: vec![frame],
            cells: record.cells.clone(),
            spawned: number > 0,
            running: BTreeSet::new(),
            claimed: BTreeSet::new(),
            has_destroyed: false,
            destroyed: BTreeSet::new(),
            freed: BTreeSet::new(),
            reads: BTreeMap::new(),
            section: None,
        };
        let (argument, name) = (record.argument.clone(), record.name.clone());
        let mut thread = Thread {
            run,
            number,
            residual: Residual::new(name),
            state,
            known: HashMap::new(),
            first: HashMap::new(),
            work: Vec::new(),
            chosen: Vec::new(),
            arrays: BTreeMap::new(),
            steps: 0,
            forked: false,
        };
        thread.take_argument(argument)?;
        thread.follow()?;
        while let Some((state, block)) = thread.work.pop() {
            thread.state = state;
            thread.residual.at = block;
            thread.follow()?;
        }
        thread.check_choices()?;
        Ok(thread.residual.finish())
    }

    fn take_argument(&mut self, argument: Value) -> Done {
        let parameters = &self.run.function(self.state.top().function).parameters;
        // A program is called with its name only.
        let argument = if self.number == 0 { Value::int(32, 1) } else { argument };
        let Some(first) = parameters.first() else { return Ok(()) };
        let local = first.local;
        let argument = match self.run.facts.computed_arguments.contains(&self.number) {
            true => {
                let object = self.run.argument(self.number);
                let register = self.own_register(local, 64);
                let value = Expr::Load { object, index: Box::new(Expr::Int(0)) };
                self.assign(register, value);
                crate::constants::to_pointer(Value::computed(64, Expr::Register(register)))
            }
            false => argument,
        };
        self.state.top_mut().values.insert(local, argument);
        Ok(())
    }

    /// Goes on from the state at hand until all is said.
    fn follow(&mut self) -> Done {
        loop {
            let top = self.state.top();
            let function = self.run.function(top.function);
            let instruction = &function.blocks[top.block.0 as usize].instructions[top.index];
            let occurrence = self.occurrence();
            self.residual.here = Some(occurrence);
            if self.state.spawned {
                self.run.sources.execute(self.number, occurrence);
            }
            if self.instruction(instruction)? == Next::Gone {
                return Ok(());
            }
        }
    }

    /// The instruction at hand, with the calls that led to it.
    fn occurrence(&mut self) -> OccurrenceId {
        let module = self.run.module;
        let site = |frame: &Frame| module.site(frame.function, frame.block, frame.index);
        let mut calls: Vec<Site> = self.state.frames.iter().map(site).collect();
        let site = calls.pop().unwrap_or(Site { function: 0, ordinal: 0 });
        let frames = self.state.frames.iter();
        let rounds = frames.flat_map(|frame| frame.rounds.iter().map(|round| round.1)).collect();
        self.run.sources.number(Occurrence { site, calls, rounds })
    }

    /// The statement at hand, in the file of main.
    pub fn span(&self) -> Span {
        let location = |frame: &Frame| {
            let blocks = &self.run.function(frame.function).blocks;
            let at = blocks[frame.block.0 as usize].instructions.get(frame.index)?.location?;
            self.run.source.span(self.run.module, at)
        };
        let own = self.state.frames.iter().rev().find_map(location);
        own.unwrap_or(self.run.threads[self.number as usize].span)
    }

    /// A refusal at the statement at hand.
    pub fn refuse<T>(&self, what: impl Into<String>) -> Done<T> {
        Err(refused(what, self.span()))
    }

    /// Refuses to go on at something that no engine supports, in the words of all.
    pub fn refuse_everywhere<T>(&self, what: impl Into<String>) -> Done<T> {
        Err(Stop::Refused(Refusal { what: what.into(), scope: Scope::Everywhere, span: self.span() }))
    }

    /// Refuses a call of a function of which nothing is known, in the words of all.
    pub fn refuse_unknown<T>(&self, name: &str) -> Done<T> {
        let what = functions::refusal(name);
        Err(Stop::Refused(Refusal { what, scope: Scope::Unknown, span: self.span() }))
    }

    /// Adds an instruction.
    pub fn emit(&mut self, kind: InstrKind) {
        let span = self.span();
        self.residual.emit(kind, span);
    }

    /// Adds an assignment to a register.
    pub fn assign(&mut self, register: RegisterId, value: Expr) {
        if value != Expr::Register(register) {
            self.emit(InstrKind::Assign { target: ir::Place::Register(register), value });
        }
    }

    /// Ends the block at hand.
    pub fn end(&mut self, kind: TerminatorKind) -> Next {
        let span = self.span();
        self.residual.end(kind, span);
        Next::Gone
    }

    /// The register of a result.
    pub fn own_register(&mut self, local: LocalId, bits: u32) -> RegisterId {
        let place = Place::Local(self.state.top().context, local);
        self.register_of(place, bits)
    }

    /// A result that no instruction of the program has.
    pub fn fresh_local(&mut self) -> LocalId {
        self.steps += 1;
        LocalId(u32::MAX - self.steps)
    }

    /// The register that holds what is computed of a place.
    pub fn register_of(&mut self, place: Place, bits: u32) -> RegisterId {
        let ty = if bits == 1 { Type::Bool } else { Type::Int };
        let name = match place {
            Place::Local(_, local) => format!("%{}", local.0),
            Place::Cell(cell) => self.cell_name(cell),
        };
        self.residual.register(Purpose::Value(place), ty, &|| name.clone())
    }

    /// A register for something on the way.
    pub fn step_register(&mut self, ty: Type) -> RegisterId {
        self.steps += 1;
        let top = self.state.top();
        let purpose = Purpose::Step(top.context, LocalId(top.block.0 << 12 | top.index as u32), self.steps);
        self.residual.register(purpose, ty, &|| "%".to_owned())
    }

    fn cell_name(&mut self, cell: Cell) -> String {
        let leaves = self.run.leaves(cell.leaf.0);
        let leaf = &leaves[cell.leaf.1 as usize];
        let name = self.run.object_name(cell.leaf.0);
        match leaf.dimensions.is_empty() {
            true => format!("{name}{}", leaf.name),
            false => format!("{name}{}[{}]", leaf.name, cell.element),
        }
    }

    /// The result of the instruction at hand: a register if it is large or used several times.
    pub fn result(&mut self, instruction: &Instruction, value: Value) -> Done<Next> {
        if let Some(local) = instruction.result {
            let top = self.state.top();
            let uses = self.run.analysis(top.function).uses[local.0 as usize];
            let value = match value {
                Value::Number(number) if is_large(&number.expr, uses) => {
                    let register = self.own_register(local, number.bits);
                    // Results of earlier rounds of a loop may still read it.
                    self.protect(register);
                    self.assign(register, number.expr);
                    Value::Number(Number { expr: Expr::Register(register), ..number })
                }
                value => value,
            };
            self.state.top_mut().values.insert(local, value);
        }
        Ok(self.on())
    }

    /// Goes to the next instruction.
    pub fn on(&mut self) -> Next {
        self.state.top_mut().index += 1;
        Next::On
    }

    /// Goes to a block of the function at hand.
    pub fn jump(&mut self, to: BlockId) -> Done<Next> {
        let top = self.state.top();
        let analysis = self.run.analysis(top.function);
        let is_rolled =
            analysis.with_head(to).is_some() && self.run.facts.rolled.contains(&(top.context, to));
        let is_alone = !self.forked && !self.state.spawned && !is_rolled;
        if is_alone || analysis.entries[to.0 as usize] == 1 {
            // Nobody else comes here; the state goes along.
            self.enter(to)?;
            return Ok(Next::On);
        }
        let target = self.arrive(to)?;
        Ok(self.end(TerminatorKind::Goto(target)))
    }

    /// Goes to one of two blocks.
    pub fn branch(&mut self, condition: Expr, then: BlockId, otherwise: BlockId) -> Done<Next> {
        self.cascade(vec![(condition, then)], otherwise)
    }

    /// Goes to the block of the first condition that holds.
    pub fn cascade(&mut self, tests: Vec<(Expr, BlockId)>, default: BlockId) -> Done<Next> {
        let targets: Vec<BlockId> = tests.iter().map(|test| test.1).chain([default]).collect();
        self.check_exit(&targets)?;
        self.forked = true;
        for (condition, to) in tests {
            let edge = self.edge(to)?;
            let next = self.residual.block();
            self.end(TerminatorKind::Branch { condition, then: edge, otherwise: next });
            self.residual.at = next;
        }
        let edge = self.edge(default)?;
        Ok(self.end(TerminatorKind::Goto(edge)))
    }

    /// Where a condition holds, the instruction at hand has this result; elsewhere the thread goes on here.
    pub fn fork(&mut self, condition: Expr, result: Value) {
        self.forked = true;
        let (then, otherwise) = (self.residual.block(), self.residual.block());
        let mut state = self.state.clone();
        let top = state.top_mut();
        let function = self.run.function(top.function);
        let instruction = &function.blocks[top.block.0 as usize].instructions[top.index];
        if let Some(local) = instruction.result {
            top.values.insert(local, result);
        }
        top.index += 1;
        self.end(TerminatorKind::Branch { condition, then, otherwise });
        self.work.push((state, then));
        self.residual.at = otherwise;
    }

    /// A block that does what is to be done on the way to a block, and goes there.
    fn edge(&mut self, to: BlockId) -> Done<IrBlock> {
        let (here, before) = (self.residual.at, self.state.clone());
        let edge = self.residual.block();
        self.residual.at = edge;
        let target = self.arrive(to)?;
        self.end(TerminatorKind::Goto(target));
        self.state = before;
        self.residual.at = here;
        Ok(edge)
    }

    /// A loop that is left or not by a computed condition is not unrolled, unless it starts threads.
    fn check_exit(&mut self, targets: &[BlockId]) -> Done {
        let top = self.state.top();
        let analysis = self.run.analysis(top.function);
        for &(head, _) in &top.rounds {
            let Some(around) = analysis.with_head(head) else { continue };
            if !around.handles_threads && targets.iter().any(|to| !around.blocks.contains(to)) {
                self.run.facts.roll(top.context, head);
                return Err(Stop::Restart);
            }
        }
        Ok(())
    }

    /// Moves the state to the beginning of a block: values of phis, what is not needed any more, rounds of loops.
    fn enter(&mut self, to: BlockId) -> Done {
        self.run.arrivals += 1;
        if !(self.run.go_on)() {
            return Err(Stop::GivenUp);
        }
        if self.run.arrivals > MOST_ARRIVALS {
            return self.refuse("more code than can be translated: too many calls or rounds of loops");
        }
        let (function, from) = (self.state.top().function, self.state.top().block);
        let analysis = self.run.analysis(function);
        let mut phis = Vec::new();
        for instruction in &self.run.function(function).blocks[to.0 as usize].instructions {
            if let (Operation::Phi(ty, incoming), Some(result)) = (&instruction.operation, instruction.result)
            {
                let Some((operand, _)) = incoming.iter().find(|(_, block)| *block == from) else { continue };
                let operand: &Operand = operand;
                phis.push((result, self.operand(*ty, operand)?));
            }
        }
        let needed = &analysis.needed[to.0 as usize];
        let spawned = self.state.spawned;
        let context = self.state.top().context;
        let facts = &self.run.facts;
        let top = self.state.top_mut();
        top.values.extend(phis);
        top.values.retain(|local, _| needed.contains(local));
        let inside = |head: BlockId, block: BlockId| {
            analysis.with_head(head).is_some_and(|around| around.blocks.contains(&block))
        };
        top.rounds.retain(|(head, _)| inside(*head, to));
        top.block = to;
        top.index = 0;
        let mut too_often = None;
        if let Some(around) = analysis.with_head(to) {
            let unrolls = (around.handles_threads || !spawned) && !facts.rolled.contains(&(context, to));
            match top.rounds.iter_mut().find(|(head, _)| *head == to) {
                Some((_, round)) if inside(to, from) => {
                    *round += 1;
                    let most = if around.handles_threads { MOST_THREADS } else { MOST_ROUNDS };
                    if *round > most {
                        too_often = Some(around.handles_threads);
                    }
                }
                _ if unrolls => top.rounds.push((to, 0)),
                _ => {}
            }
        }
        self.state.cells.retain(|cell, _| match cell.leaf.0 {
            crate::facts::ObjectKey::Local(owner, local) if owner == context => {
                !analysis.is_register[local.0 as usize] || needed.contains(&local)
            }
            _ => true,
        });
        match too_often {
            Some(true) => self.refuse("a loop that starts or awaits threads and has no constant bound"),
            Some(false) => {
                self.run.facts.roll(context, to);
                Err(Stop::Restart)
            }
            None => Ok(()),
        }
    }

    /// The block of the new function in which the state at hand goes on from the beginning of a block.
    fn arrive(&mut self, to: BlockId) -> Done<IrBlock> {
        self.enter(to)?;
        self.generalise()?;
        if let Some(&known) = self.known.get(&self.state) {
            return Ok(known);
        }
        self.meet()?;
        let block = self.residual.block();
        self.known.insert(self.state.clone(), block);
        self.work.push((self.state.clone(), block));
        Ok(block)
    }

    /// Puts what differs from way to way into registers; computed results into their own.
    fn generalise(&mut self) -> Done {
        let position = self.state.position();
        let mut moves: Vec<(RegisterId, Expr)> = Vec::new();
        let general =
            self.run.facts.general.keys().filter(|(at, _)| *at == position).map(|(_, place)| *place);
        let places: BTreeSet<Place> = self.state.locals().chain(general).collect();
        for place in places {
            if matches!(place, Place::Cell(cell) if self.run.facts.is_shared(cell.leaf) && self.state.spawned)
            {
                continue;
            }
            let shape = self.run.facts.general.get(&(position.clone(), place)).copied();
            let value = match (self.state.get(place), place) {
                (Some(value), _) => value.clone(),
                (None, Place::Cell(cell)) => self.run.initial(cell),
                (None, Place::Local(..)) => continue,
            };
            let new = match (shape, value) {
                (Some(Shape::Number(bits)), value)
                    if value == Value::Undefined || value.number().is_some() =>
                {
                    Some(self.put_in_register(place, value, bits, &mut moves)?)
                }
                (Some(Shape::Offset { object, stride, residue }), Value::Pointer(pointer))
                    if pointer.object == object =>
                {
                    let distance = pointer.constant.wrapping_sub(residue);
                    let common = pointer.terms.iter().fold(gcd(stride, distance), |all, (_, f)| gcd(all, *f));
                    if common != stride {
                        let shape =
                            Shape::Offset { object, stride: common, residue: residue.rem_euclid(common) };
                        self.run.facts.general.insert((position, place), shape);
                        self.run.facts.is_new = true;
                        return Err(Stop::Restart);
                    }
                    let register = self.register_of(place, 64);
                    moves.push((register, offset(&pointer, stride, residue)));
                    let terms = vec![(Expr::Register(register), stride)];
                    Some(Value::Pointer(Pointer { object, constant: residue, terms }))
                }
                // Cells keep their registers; results get theirs.
                (_, Value::Number(number)) if matches!(place, Place::Local(..)) => {
                    let bits = number.bits;
                    Some(self.put_in_register(place, Value::Number(number), bits, &mut moves)?)
                }
                (_, Value::Pointer(pointer))
                    if !pointer.terms.is_empty() && matches!(place, Place::Local(..)) =>
                {
                    Some(self.fix_pointer(place, pointer, &mut moves))
                }
                _ => None,
            };
            if let Some(new) = new {
                self.state.set(place, new);
            }
        }
        self.perform(moves);
        Ok(())
    }

    fn put_in_register(
        &mut self,
        place: Place,
        value: Value,
        bits: u32,
        moves: &mut Vec<(RegisterId, Expr)>,
    ) -> Done<Value> {
        let register = self.register_of(place, bits);
        let expr = match value {
            Value::Undefined => self.choose_uninitialised(bits)?,
            value => match value.number() {
                Some(number) => number.expr,
                None => return self.refuse("a variable that is a number or an address, as it comes"),
            },
        };
        moves.push((register, expr));
        Ok(Value::computed(bits, Expr::Register(register)))
    }

    /// An address with a single computed part, in the register of its place.
    pub fn fix_pointer(
        &mut self,
        place: Place,
        pointer: Pointer,
        moves: &mut Vec<(RegisterId, Expr)>,
    ) -> Value {
        let register = self.register_of(place, 64);
        fix_in(register, pointer, moves)
    }

    /// Performs assignments at once: what they read is what was there before.
    fn perform(&mut self, moves: Vec<(RegisterId, Expr)>) {
        let moves: Vec<_> = moves.into_iter().filter(|(to, value)| *value != Expr::Register(*to)).collect();
        let overlaps = moves
            .iter()
            .enumerate()
            .any(|(i, (to, _))| moves.iter().skip(i + 1).any(|(_, value)| mentions(value, *to)));
        if !overlaps {
            moves.into_iter().for_each(|(to, value)| self.assign(to, value));
            return;
        }
        let mut spares = Vec::new();
        for (number, (to, value)) in moves.into_iter().enumerate() {
            let ty = self.residual.type_of(to);
            let spare = self.residual.register(Purpose::Spare(number as u32), ty, &|| "%spare".to_owned());
            self.assign(spare, value);
            spares.push((to, Expr::Register(spare)));
        }
        spares.into_iter().for_each(|(to, value)| self.assign(to, value));
    }

    /// Compares with the state that came here first; what differs and can be computed is made so.
    fn meet(&mut self) -> Done {
        let position = self.state.position();
        let Some((first, variants)) = self.first.get_mut(&position) else {
            self.first.insert(position, (self.state.clone(), 1));
            return Ok(());
        };
        *variants += 1;
        let (first, variants) = (first.clone(), *variants);
        if first.section != self.state.section
            || first.spawned != self.state.spawned
            || first.has_destroyed != self.state.has_destroyed
            || first.destroyed != self.state.destroyed
            || first.freed != self.state.freed
        {
            return self.check_variants(variants);
        }
        let mut places = first.places();
        places.extend(self.state.places());
        let mut learnt = Vec::new();
        for place in places {
            let (one, other) = (self.value_in(&first, place), self.value_in(&self.state.clone(), place));
            if one == other {
                continue;
            }
            match shape(&one, &other) {
                Some(shape) => learnt.push((place, shape)),
                None => return self.check_variants(variants),
            }
        }
        if learnt.is_empty() {
            return self.check_variants(variants);
        }
        for (place, shape) in learnt {
            self.run.facts.general.insert((position.clone(), place), shape);
        }
        self.run.facts.is_new = true;
        Err(Stop::Restart)
    }

    fn value_in(&mut self, state: &State, place: Place) -> Value {
        match (state.get(place), place) {
            (Some(value), _) => value.clone(),
            (None, Place::Cell(cell)) => self.run.initial(cell),
            (None, Place::Local(..)) => Value::Undefined,
        }
    }

    fn check_variants(&self, variants: u32) -> Done {
        match variants > MOST_VARIANTS {
            true => self.refuse("an address or a thread that is not the same whenever control comes here"),
            false => Ok(()),
        }
    }

    /// A choice made before an atomic section must not be used twice in it.
    fn check_choices(&self) -> Done {
        // A section ends at the end of a block.
        let next = |block: IrBlock| {
            let (instrs, next) = self.residual.look(block);
            let ends = instrs.iter().any(|instr| instr.kind == InstrKind::AtomicEnd);
            if ends { Vec::new() } else { next }
        };
        for &start in &self.chosen {
            let mut todo = next(start);
            let mut seen = BTreeSet::new();
            while let Some(block) = todo.pop() {
                if block == start {
                    return self.refuse("an input in a loop of an atomic section");
                }
                if seen.insert(block) {
                    todo.extend(next(block));
                }
            }
        }
        Ok(())
    }
}

/// An address with a single computed part, in a register.
pub fn fix_in(register: RegisterId, pointer: Pointer, moves: &mut Vec<(RegisterId, Expr)>) -> Value {
    let stride = pointer.terms.iter().fold(0, |stride, (_, factor)| gcd(stride, *factor));
    let whole = Pointer { constant: 0, ..pointer.clone() };
    moves.push((register, offset(&whole, stride, 0)));
    Value::Pointer(Pointer { terms: vec![(Expr::Register(register), stride)], ..pointer })
}

/// Whether an expression is better computed once.
fn is_large(expr: &Expr, uses: u32) -> bool {
    match expr {
        Expr::Register(_) | Expr::Int(_) | Expr::Bool(_) => false,
        expr => (uses > 1 && size(expr) > 1) || size(expr) > LARGE,
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

/// How two different values are held in one place.
fn shape(one: &Value, other: &Value) -> Option<Shape> {
    match (one, other) {
        (Value::Pointer(a), Value::Pointer(b)) if a.object == b.object && a.object.is_some() => {
            let factors = a.terms.iter().chain(&b.terms).map(|(_, factor)| *factor);
            let stride = factors.fold(a.constant.wrapping_sub(b.constant), gcd).abs();
            let stride = gcd(stride, 0);
            (stride != 0).then(|| Shape::Offset {
                object: a.object,
                stride,
                residue: a.constant.rem_euclid(stride),
            })
        }
        _ => {
            let bits = |value: &Value| match value {
                Value::Int { bits, .. } => Some(Some(*bits)),
                Value::Number(number) => Some(Some(number.bits)),
                Value::Pointer(Pointer { object: None, .. }) => Some(Some(64)),
                Value::Undefined => Some(None),
                _ => None,
            };
            match (bits(one)?, bits(other)?) {
                (Some(bits), _) | (None, Some(bits)) => Some(Shape::Number(bits)),
                (None, None) => None,
            }
        }
    }
}

/// An address as a number of strides from a residue on.
fn offset(pointer: &Pointer, stride: i64, residue: i64) -> Expr {
    let constant = Expr::Int((pointer.constant - residue).div_euclid(stride));
    pointer.terms.iter().fold(constant, |sum, (expr, factor)| {
        let times = match factor / stride {
            1 => expr.clone(),
            factor => Expr::Binary {
                op: ir::BinaryOp::Mul,
                left: Box::new(expr.clone()),
                right: Box::new(Expr::Int(factor)),
            },
        };
        crate::layout::plus(times, sum)
    })
}

/// Bounds of what a register of some bits can hold.
pub fn full(bits: u32) -> (i128, i128) {
    let (low, high) = range(bits);
    (low.into(), high.into())
}
