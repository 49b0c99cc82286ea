//! Threads: starting them, with what is known then, and awaiting them.

use crate::facts::{Cell, ContextId, ContextKey, ObjectKey};
use crate::layout::Kind;
use crate::names::Creation;
use crate::refusal::{Done, Stop};
use crate::run::ThreadRecord;
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::Builtin;
use selvedge_ir as ir;
use selvedge_ir::{Expr, FamilyId, InstrKind, ThreadRef};
use selvedge_llvm::instruction::{Call, Instruction};
use std::collections::BTreeMap;

impl Thread<'_, '_> {
    /// Translates a call of a function for threads.
    pub fn threads(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        builtin: Builtin,
    ) -> Done<Option<Next>> {
        let argument = |thread: &mut Self, number: usize| match call.arguments.get(number) {
            Some(argument) => thread.value(&argument.value),
            None => thread.refuse("a call with too few arguments"),
        };
        match builtin {
            Builtin::ThreadCreate => {
                let (handle, function) = (argument(self, 0)?, argument(self, 2)?);
                let given = argument(self, 3)?;
                let Value::Function(function) = function else {
                    return self.refuse("a thread with a function that is not known here");
                };
                let thread = self.spawn(function, given)?;
                self.store(&handle, 64, Value::Thread(thread))?;
            }
            Builtin::ThreadJoin => {
                let thread = match argument(self, 0)? {
                    Value::Thread(thread) => thread,
                    // No thread was ever started with this handle.
                    Value::Undefined | Value::Int { .. } => return Ok(Some(self.undefined())),
                    _ => return self.refuse("awaiting a thread that is not known here"),
                };
                if self.state.section.is_some() {
                    return self.refuse("awaiting a thread in an atomic section");
                }
                if !self.claim(thread)? {
                    return Ok(Some(self.undefined()));
                }
                self.emit(InstrKind::Join(ThreadRef { family: FamilyId(thread), index: Expr::Int(0) }));
                self.state.running.remove(&thread);
                let result = argument(self, 1)?;
                if result != Value::null() {
                    self.store(&result, 64, Value::Foreign)?;
                }
            }
            Builtin::ThreadExit => {
                // The other threads of the program go on, also after main.
                if self.state.section.is_some() {
                    return self.refuse("a thread that ends in an atomic section");
                }
                if self.may_others_run()
                    && self.state.frames.iter().any(|frame| self.run.facts.has_shared_locals(frame.context))
                {
                    return self
                        .refuse("local variables that other threads may use after the thread has ended");
                }
                return Ok(Some(self.end(ir::TerminatorKind::Return(None))));
            }
            Builtin::ThreadSelf => return self.result(instruction, Value::Thread(self.number)).map(Some),
            Builtin::ThreadEqual => {
                let (a, b) = (argument(self, 0)?, argument(self, 1)?);
                let (Value::Thread(a), Value::Thread(b)) = (a, b) else {
                    return self.refuse("a thread that is not known here");
                };
                return self.result(instruction, Value::int(32, (a == b).into())).map(Some);
            }
            Builtin::ThreadDetach => {
                let thread = match argument(self, 0)? {
                    Value::Thread(thread) => thread,
                    Value::Undefined | Value::Int { .. } => return Ok(Some(self.undefined())),
                    _ => return self.refuse("detaching a thread that is not known here"),
                };
                if !self.claim(thread)? {
                    return Ok(Some(self.undefined()));
                }
            }
            Builtin::AttributeSetDetached => {
                if argument(self, 1)?.known() != Some(0) && !self.run.facts.detached {
                    self.run.facts.detached = true;
                    self.run.facts.is_new = true;
                }
            }
            _ => return Ok(None),
        }
        self.result(instruction, Value::int(32, 0)).map(Some)
    }

    /// A thread is joined or detached, which may be done once: whether it was not yet.
    fn claim(&mut self, thread: u32) -> Done<bool> {
        if self.run.facts.detached {
            return self.refuse("awaiting a thread where attributes make threads detached");
        }
        if *self.run.claims.entry(thread).or_insert(self.number) != self.number {
            return self.refuse("a thread that several threads await or detach");
        }
        Ok(self.state.claimed.insert(thread))
    }

    /// Starts a thread; its number.
    fn spawn(&mut self, function: usize, argument: Value) -> Done<u32> {
        if self.state.section.is_some() {
            return self.refuse("starting a thread in an atomic section");
        }
        if self.state.has_destroyed || !self.state.destroyed.is_empty() {
            return self.refuse("starting a thread after a barrier or mutex was destroyed");
        }
        self.check_freed_for_others()?;
        if self.run.function(function).blocks.is_empty() {
            return self.refuse("a thread with a function that has no body");
        }
        self.publish()?;
        if self.number > 0 && !self.run.facts.others_spawn {
            self.run.facts.others_spawn = true;
            self.run.facts.is_new = true;
        }
        let (top, site) = (self.state.top(), self.site());
        let key = ContextKey::Called { from: top.context, site, rounds: top.rounds.clone() };
        let context = self.run.facts.context(key);
        let cells = self.known_cells();
        let known = self.run.threads.iter().position(|thread| thread.context == context);
        let thread = match known {
            Some(known) => known as u32,
            None => self.add_thread(ThreadRecord {
                context,
                function,
                argument: argument.clone(),
                name: String::new(),
                cells: cells.clone(),
                span: self.span(),
                creation: None,
            }),
        };
        let is_computed =
            matches!(argument.number(), Some(number) if !argument.is_static() && number.bits == 64);
        let record = &mut self.run.threads[thread as usize];
        let differs = record.function != function || record.cells != cells || record.argument != argument;
        if self.run.facts.computed_arguments.contains(&thread) {
            let object = self.run.argument(thread);
            let number = self.number(&argument, 64)?;
            let target = ir::Place::Shared { object, index: Expr::Int(0) };
            self.emit(InstrKind::Assign { target, value: number.expr });
        } else if is_computed
            || (differs && argument.number().is_some() && record.argument.number().is_some())
        {
            self.run.facts.computed_arguments.insert(thread);
            self.run.facts.is_new = true;
            return Err(Stop::Restart);
        } else if differs || !argument.is_static() {
            return self.refuse("a thread that is started in different ways, or with a computed address");
        }
        self.emit(InstrKind::Spawn(ThreadRef { family: FamilyId(thread), index: Expr::Int(0) }));
        self.state.running.insert(thread);
        Ok(thread)
    }

    /// Adds a thread that this one creates, and gives it a name; its number.
    fn add_thread(&mut self, record: ThreadRecord) -> u32 {
        let symbol = self.run.function(record.function).symbol;
        let number = self.run.threads.len() as u32;
        let name = format!("{}#{number}", self.run.module.name(symbol));
        let creator = self.number as usize;
        let of_creator = |thread: &&ThreadRecord| thread.creation.is_some_and(|c| c.creator == creator);
        let which = self.run.threads.iter().filter(of_creator).count() as u32 + 1;
        self.run.threads.push(ThreadRecord { name, creation: Some(Creation { creator, which }), ..record });
        number
    }

    /// Before the first thread starts, variables get the values that main has given them.
    fn publish(&mut self) -> Done {
        if self.state.spawned {
            return Ok(());
        }
        self.state.spawned = true;
        let shared = self.state.cells.iter().filter(|(cell, _)| {
            self.run.facts.is_shared(cell.leaf) && !self.run.facts.indexed.contains(&cell.leaf)
        });
        let shared: Vec<(Cell, Value)> = shared.map(|(cell, value)| (*cell, value.clone())).collect();
        let mut unwritten = self.unwritten();
        unwritten.retain(|cell| !self.state.cells.contains_key(cell));
        let (mut known, mut computed, mut unknown) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (cell, value) in shared {
            self.state.cells.remove(&cell);
            let is_address = self.run.leaves(cell.leaf.0)[cell.leaf.1 as usize].kind == Kind::Pointer;
            match (value.known().filter(|_| !is_address), &value) {
                (Some(number), _) => {
                    known.insert(cell, number);
                }
                (None, Value::Number(number)) if number.bits == 1 && !is_address => {
                    computed.push((cell, crate::arithmetic::unary(ir::UnaryOp::ToInt, number.expr.clone())));
                }
                (None, Value::Number(number)) if !is_address => computed.push((cell, number.expr.clone())),
                (None, Value::Undefined) => unknown.push(cell),
                _ => match self.run.code_of(cell.leaf, &value) {
                    Some(code) => {
                        known.insert(cell, code);
                    }
                    None => return self.refuse("a computed address in a variable that several threads use"),
                },
            }
        }
        match &self.run.start {
            _ if self.run.facts.explicit_start => {
                computed.extend(known.into_iter().map(|(cell, number)| (cell, Expr::Int(number))));
            }
            None => self.run.start = Some(known),
            Some(start) if *start == known => {}
            Some(_) => {
                self.run.facts.explicit_start = true;
                self.run.facts.is_new = true;
                return Err(Stop::Restart);
            }
        }
        unknown.extend(unwritten);
        for cell in unknown {
            self.forget(cell, false)?;
        }
        if !computed.is_empty() {
            self.begin_section()?;
            for (cell, value) in computed {
                let index = Expr::Int(cell.element as i64);
                let target = ir::Place::Shared { object: self.run.object(cell.leaf), index };
                self.emit(InstrKind::Assign { target, value });
            }
            self.end_section()?;
        }
        Ok(())
    }

    /// The cells of local variables and of allocated memory that threads share and to which main has given no value.
    fn unwritten(&mut self) -> Vec<Cell> {
        let contexts: Vec<ContextId> = self.state.frames.iter().map(|frame| frame.context).collect();
        let mut found = Vec::new();
        for leaf in self.run.facts.shared_leaves() {
            let ObjectKey::Local(owner, _) = leaf.0 else { continue };
            // Memory that is allocated later gets any values then, too.
            let lives = match self.run.facts.heap.contains_key(&leaf.0) {
                true => !self.run.facts.cleared.contains(&leaf.0),
                false => contexts.contains(&owner),
            };
            let is_known = self.run.has_layout(leaf.0) || self.run.facts.heap.contains_key(&leaf.0);
            if lives && is_known && !self.run.facts.indexed.contains(&leaf) {
                let count = self.run.leaves(leaf.0).get(leaf.1 as usize).map_or(0, |shape| shape.count());
                found.extend((0..count).map(|element| Cell { leaf, element }));
            }
        }
        found
    }

    /// The memory that a new thread knows.
    fn known_cells(&self) -> BTreeMap<Cell, Value> {
        let known = |(cell, value): (&Cell, &Value)| {
            let value = if value.is_static() { value.clone() } else { Value::Foreign };
            (*cell, value)
        };
        self.state.cells.iter().map(known).collect()
    }
}
