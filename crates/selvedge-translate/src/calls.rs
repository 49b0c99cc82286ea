//! Calls: functions of the program are followed in line, those of the library are known by name.

use crate::analysis::is_remark;
use crate::facts::{ContextKey, ObjectKey, Site};
use crate::refusal::{Done, Stop};
use crate::state::{Frame, Section};
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::functions;
use selvedge_ir::{Expr, InstrKind, TerminatorKind, Type};
use selvedge_llvm::instruction::{BlockId, Call, Instruction};
use std::collections::BTreeMap;

/// Whether allocated memory holds zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleared {
    /// It does.
    Yes,
    /// It holds any values.
    No,
}

impl Thread<'_, '_> {
    /// Translates a call.
    pub fn call(&mut self, instruction: &Instruction, call: &Call) -> Done<Next> {
        if is_remark(self.run.module, &call.callee) {
            return Ok(self.on());
        }
        if let Some(text) = &call.assembler {
            return match functions::is_harmless(text) {
                true => Ok(self.on()),
                false => self.refuse_everywhere(functions::assembler(text)),
            };
        }
        let pointer = call.result;
        let callee = match self.operand(pointer, &call.callee) {
            Ok(Value::Function(function)) => function,
            Ok(_) => return self.refuse("a call of a function that is not known here"),
            Err(stop) => return Err(stop),
        };
        let module = self.run.module;
        let name = module.name(module.functions[callee].symbol);
        let function = &module.functions[callee];
        // As in `check`, what the program says itself counts, except for the functions that are errors.
        if function.blocks.is_empty() || functions::is_error(name) {
            return self.library(instruction, call, name);
        }
        if function.varargs {
            return self.refuse("a function with further arguments");
        }
        if self.state.frames.iter().any(|frame| frame.function == callee) {
            return self.refuse(format!("recursion: `{name}` calls itself"));
        }
        let mut values = BTreeMap::new();
        for (parameter, argument) in function.parameters.iter().zip(&call.arguments) {
            if argument.copied.is_some() {
                return self.refuse("a structure as a value");
            }
            values.insert(parameter.local, self.value(&argument.value)?);
        }
        let is_atomic = name.starts_with(functions::ATOMIC);
        if is_atomic {
            self.begin_section()?;
        }
        self.push(callee, values, is_atomic);
        Ok(Next::On)
    }

    /// The instruction at hand.
    pub fn site(&self) -> Site {
        let top = self.state.top();
        Site { function: top.function, block: top.block, index: top.index }
    }

    fn push(
        &mut self,
        function: usize,
        values: BTreeMap<selvedge_llvm::instruction::LocalId, Value>,
        is_atomic: bool,
    ) {
        let (top, site) = (self.state.top(), self.site());
        let key = ContextKey::Called { from: top.context, site, rounds: top.rounds.clone() };
        let context = self.run.facts.context(key);
        let analysis = self.run.analysis(top.function);
        let code = self.run.function(top.function);
        // What the caller does not need any more must not tell ways apart.
        let caller = self.state.top_mut();
        let (block, index) = (caller.block, caller.index);
        caller.values.retain(|local, _| analysis.is_needed_after(code, block, index, *local));
        self.state.frames.push(Frame {
            function,
            context,
            block: BlockId(0),
            index: 0,
            values,
            rounds: Vec::new(),
            is_atomic,
        });
    }

    /// Returns to the caller, or ends the thread.
    pub fn leave(&mut self, mut value: Option<Value>) -> Done<Next> {
        if self.state.frames.len() == 1 {
            return self.finish();
        }
        if self.state.top().is_atomic {
            self.end_section()?;
        }
        self.check_locals()?;
        if let Some(frame) = self.state.frames.pop() {
            self.state.cells.retain(|cell, _| !matches!(cell.leaf.0, ObjectKey::Local(owner, _) if owner == frame.context && !self.run.facts.heap.contains_key(&cell.leaf.0)));
            value = self.bury(frame.context, value);
        }
        let top = self.state.top();
        let instruction =
            &self.run.function(top.function).blocks[top.block.0 as usize].instructions[top.index];
        match value {
            Some(value) if instruction.result.is_some() => self.result(instruction, value),
            _ => Ok(self.on()),
        }
    }

    /// Ends the thread; the end of main is the end of the program.
    pub fn finish(&mut self) -> Done<Next> {
        if self.state.section.is_some() {
            return self.refuse("a thread that ends in an atomic section");
        }
        if self.number > 0 {
            self.check_locals()?;
        }
        if self.number == 0 && (!self.state.running.is_empty() || self.run.facts.others_spawn) {
            return Ok(self.stop());
        }
        Ok(self.end(TerminatorKind::Return(None)))
    }

    /// The program ends: what others would do from here on, they could have done before, and a deadlock there is none.
    pub fn stop(&mut self) -> Next {
        self.emit(InstrKind::Assume(Expr::Bool(false)));
        self.leave_section();
        self.end(TerminatorKind::Return(None))
    }

    /// A condition without which the program has no meaning: an error, but not the one that is asked for if only those count.
    pub fn demand(&mut self, condition: Expr) {
        use crate::arithmetic::{op, select};
        match self.run.options.only_errors {
            false => self.emit(InstrKind::Assert(condition)),
            true => {
                let register = self.step_register(Type::Int);
                let wrong = op(selvedge_ir::BinaryOp::Div, Expr::Int(1), Expr::Int(0));
                self.assign(register, select(condition, Expr::Int(0), wrong));
            }
        }
    }

    /// The program has no meaning from here on.
    pub fn undefined(&mut self) -> Next {
        self.demand(Expr::Bool(false));
        self.leave_section();
        self.end(TerminatorKind::Return(None))
    }

    /// An error.
    pub fn fail(&mut self) -> Next {
        self.emit(InstrKind::Assert(Expr::Bool(false)));
        self.leave_section();
        self.end(TerminatorKind::Return(None))
    }

    fn leave_section(&mut self) {
        if self.state.section.take().is_some() {
            self.emit(InstrKind::AtomicEnd);
        }
    }

    /// An atomic section begins; it may be within another.
    pub fn begin_section(&mut self) -> Done {
        match &mut self.state.section {
            Some(section) => section.depth += 1,
            None => {
                let span = self.span();
                let before = self.residual.go_on(span);
                self.residual.go_on(span);
                self.residual.emit(InstrKind::AtomicBegin, span);
                self.state.section = Some(Section { before, depth: 1 });
            }
        }
        Ok(())
    }

    /// An atomic section ends.
    pub fn end_section(&mut self) -> Done {
        match &mut self.state.section {
            Some(section) if section.depth > 1 => section.depth -= 1,
            Some(_) => {
                self.state.section = None;
                self.emit(InstrKind::AtomicEnd);
                // What comes next is no part of the section, also for those who look for its end.
                let span = self.span();
                self.residual.go_on(span);
            }
            None => return self.refuse("the end of an atomic section that did not begin"),
        }
        Ok(())
    }

    /// What stands for an uninitialised value that is not known to be one when the program runs: any number.
    pub fn choose_uninitialised(&mut self, bits: u32) -> Done<Expr> {
        self.run.has_arbitrary_values = true;
        self.choose(bits)
    }

    /// Any number of some bits.
    pub fn choose(&mut self, bits: u32) -> Done<Expr> {
        use crate::arithmetic::{op, unary};
        use selvedge_ir::{BinaryOp, UnaryOp};
        let (low, high) = crate::value::range(bits);
        Ok(match bits {
            1 => unary(UnaryOp::ToBool, self.choose_between(0, 2)),
            2..=31 => self.choose_between(low, high + 1),
            32 => self.choose_word(low),
            _ => {
                // Two choices of 32 bits each.
                let (upper, lower) = (self.choose_word(i32::MIN.into()), self.choose_word(0));
                op(BinaryOp::Add, op(BinaryOp::Mul, upper, Expr::Int(1 << 32)), lower)
            }
        })
    }

    /// One of 2^32 numbers. A choice has one alternative less than that, so there is a second one.
    fn choose_word(&mut self, low: i64) -> Expr {
        let main = self.choose_between(low, low + (1 << 32) - 1);
        let more = self.choose_between(0, 2);
        crate::arithmetic::op(selvedge_ir::BinaryOp::Add, main, more)
    }

    /// One of the numbers from `low` to below `high`; in an atomic section the choice is made before it.
    pub fn choose_between(&mut self, low: i64, high: i64) -> Expr {
        let target = self.step_register(Type::Int);
        let kind = InstrKind::Choose { target, low: Expr::Int(low), high: Expr::Int(high) };
        match &self.state.section {
            None => self.emit(kind),
            Some(section) => {
                let (before, span) = (section.before, self.span());
                self.residual.emit_in(before, kind, span);
                self.chosen.push(self.residual.at);
            }
        }
        Expr::Register(target)
    }

    /// Memory that is allocated.
    pub fn allocate(&mut self, instruction: &Instruction, size: &Value, cleared: Cleared) -> Done<Next> {
        let (Some(size), Some(result)) = (size.known(), instruction.result) else {
            return self.refuse("allocated memory of a size that is computed");
        };
        for frame in &self.state.frames {
            let analysis = self.run.analyses.get(&frame.function);
            let mut around =
                analysis.into_iter().flat_map(|a| &a.loops).filter(|l| l.blocks.contains(&frame.block));
            if !around.all(|l| frame.rounds.iter().any(|(head, _)| *head == l.head)) {
                return self.refuse("memory that is allocated in a loop");
            }
        }
        let top = self.state.top();
        // Each round of a loop has its own.
        let key = ContextKey::Called { from: top.context, site: self.site(), rounds: top.rounds.clone() };
        let object = ObjectKey::Local(self.run.facts.context(key), result);
        if self.run.facts.heap.insert(object, size.max(0) as u64).is_none() {
            if cleared == Cleared::Yes {
                self.run.facts.cleared.insert(object);
            }
            self.run.facts.is_new = true;
            return Err(Stop::Restart);
        }
        self.state.freed.remove(&object);
        if cleared == Cleared::No {
            self.revive(object)?;
        }
        self.result(instruction, Value::address(object))
    }
}
