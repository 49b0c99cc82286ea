//! Instrumentation: hooks before and after the instructions that a schedule mentions, in the text of the LLVM IR.
//!
//! Lines are added and never renumbered: what is added has names of its own, or no value. An access is over when the hook after it publishes that. For a call
//! the run time remembers what is to be published, since calls may leave by an exception, or have events within them: it is published by the hook after the
//! call, at the place where an exception lands, at the next event, or when the thread ends. Instructions that do not come back are published before.

use crate::BuildError;
use crate::hooks::{Pointers, definitions};
use crate::ordering::sequentially_consistent;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{BlockId, Call, Instruction, Operand, Operation};
use selvedge_llvm::{Function, Module};
use selvedge_rt::{REPLACED, START_CPP};
use selvedge_schedule::prefix::{self, Conflicts, Prefix};
use std::collections::BTreeMap;

/// Functions that access plain memory: such an access cannot be made sequentially consistent.
const PLAIN: [&str; 5] = ["llvm.mem", "mem", "str", "wcs", "wmem"];

/// The text of a module with hooks for a schedule, and all that these need but the table.
///
/// # Errors
/// When the schedule names an instruction that is not there, or that cannot be controlled.
pub fn instrument(text: &str, module: &Module, prefix: &Prefix) -> Result<String, BuildError> {
    let mut edits = Edits::default();
    let lines: Vec<&str> = text.lines().collect();
    let has_hooks = !prefix.events.is_empty();
    for (number, named) in prefix.instructions.iter().enumerate() {
        let site = Site::find(module, named)?;
        if named.conflicts == Conflicts::Unordered {
            site.strengthen(&lines, &mut edits)?;
        }
        if has_hooks {
            site.hook(number, &mut edits)?;
        }
    }
    if !has_hooks {
        return Ok(edits.apply(&lines));
    }
    let text = replace_functions(&edits.apply(&lines), module);
    let hooks = definitions(prefix.instructions.len(), Pointers::of(&text));
    Ok(inlinable(&text) + &hooks)
}

/// Lines to add and to replace, by the number of a line, counted from 1.
#[derive(Debug, Default)]
struct Edits {
    before: BTreeMap<u32, Vec<String>>,
    after: BTreeMap<u32, Vec<String>>,
    instead: BTreeMap<u32, String>,
}

impl Edits {
    fn apply(&self, lines: &[&str]) -> String {
        let mut text = String::new();
        let mut add = |line: &str| {
            text.push_str(line);
            text.push('\n');
        };
        for (number, line) in (1..).zip(lines) {
            self.before.get(&number).into_iter().flatten().for_each(|line| add(line));
            add(self.instead.get(&number).map_or(line, String::as_str));
            self.after.get(&number).into_iter().flatten().for_each(|line| add(line));
        }
        text
    }

    fn before(&mut self, line: u32, text: String) {
        self.before.entry(line).or_default().push(text);
    }

    fn after(&mut self, line: u32, text: String) {
        self.after.entry(line).or_default().push(text);
    }
}

/// An instruction of a schedule, found in the module.
struct Site<'m> {
    module: &'m Module,
    function: &'m Function,
    instruction: &'m Instruction,
    /// What comes after it in its block.
    next: Option<&'m Instruction>,
    named: &'m prefix::Instruction,
}

const AFTER_CALL: &str = "  call void @selvedge_after_call()";

impl<'m> Site<'m> {
    fn find(module: &'m Module, named: &'m prefix::Instruction) -> Result<Site<'m>, BuildError> {
        let missing =
            || BuildError::NoInstruction { function: named.function.clone(), ordinal: named.ordinal };
        let function = module.function(&named.function).ok_or_else(missing)?;
        let mut ordinal = named.ordinal as usize;
        for block in &function.blocks {
            if let Some(instruction) = block.instructions.get(ordinal) {
                let next = block.instructions.get(ordinal + 1);
                return Ok(Site { module, function, instruction, next, named });
            }
            ordinal -= block.instructions.len();
        }
        Err(missing())
    }

    fn refuse(&self, what: &str) -> BuildError {
        BuildError::Unsupported {
            place: self.named.place.clone(),
            what: format!("`{}`{what}", self.named.kind),
        }
    }

    fn callee(&self, call: &'m Call) -> Option<&'m str> {
        match &call.callee {
            Operand::Constant(Constant::Symbol(symbol)) => Some(self.module.name(*symbol)),
            _ => None,
        }
    }

    /// Makes the access sequentially consistent.
    fn strengthen(&self, lines: &[&str], edits: &mut Edits) -> Result<(), BuildError> {
        match &self.instruction.operation {
            Operation::Call(call) | Operation::Invoke(call, ..) => {
                let name = self.callee(call).unwrap_or_default();
                match PLAIN.iter().any(|prefix| name.starts_with(prefix)) {
                    true => Err(self.refuse(", of which conflicts are left unordered,")),
                    false => Ok(()),
                }
            }
            Operation::Load { .. }
            | Operation::Store { .. }
            | Operation::CompareExchange { .. }
            | Operation::ReadModifyWrite { .. }
            | Operation::Fence(_) => {
                let [line, _] = self.instruction.lines;
                let text = lines.get(line as usize - 1).copied().unwrap_or_default();
                let strong = sequentially_consistent(text)
                    .ok_or_else(|| self.refuse(" of a value of several words"))?;
                edits.instead.insert(line, strong);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn hook(&self, number: usize, edits: &mut Edits) -> Result<(), BuildError> {
        let [first, last] = self.instruction.lines;
        let before_call = format!("  call void @selvedge_before_call(i32 {number})");
        match &self.instruction.operation {
            Operation::Call(_) => {
                edits.before(first, before_call);
                match self.next.map(|next| &next.operation) {
                    Some(Operation::Unreachable) => edits.before(first, AFTER_CALL.to_owned()),
                    _ => edits.after(last, AFTER_CALL.to_owned()),
                }
            }
            Operation::Invoke(_, normal, unwind) => {
                edits.before(first, before_call);
                self.publish_in(*normal, edits);
                self.publish_in(*unwind, edits);
            }
            Operation::Phi(..) | Operation::LandingPad { .. } | Operation::Unsupported(_) => {
                return Err(self.refuse(""));
            }
            operation if operation.ends_block() => {
                edits.before(first, before_call);
                edits.before(first, AFTER_CALL.to_owned());
            }
            _ => {
                let event = format!("%selvedge.event.{number}");
                edits.before(first, format!("  {event} = call i32 @selvedge_before(i32 {number})"));
                edits.after(last, format!("  call void @selvedge_after(i32 {event})"));
            }
        }
        Ok(())
    }

    /// Publishes what is pending at the beginning of a block. Nothing is, if the block was entered otherwise.
    fn publish_in(&self, block: BlockId, edits: &mut Edits) {
        let block = &self.function.blocks[block.0 as usize];
        let place = block.instructions.iter().find(|i| !matches!(i.operation, Operation::Phi(..)));
        let Some(place) = place else { return };
        let [first, last] = place.lines;
        let (line, lines) = match place.operation {
            Operation::LandingPad { .. } => (last, &mut edits.after),
            _ => (first, &mut edits.before),
        };
        let lines = lines.entry(line).or_default();
        if !lines.iter().any(|line| line == AFTER_CALL) {
            lines.insert(0, AFTER_CALL.to_owned());
        }
    }
}

/// Lets the program call the run time where that has functions of its own.
fn replace_functions(text: &str, module: &Module) -> String {
    let is_foreign = |name: &str| module.function(name).is_some_and(|function| function.blocks.is_empty());
    let replaced: BTreeMap<&str, &str> =
        REPLACED.iter().chain([&START_CPP]).filter(|(name, _)| is_foreign(name)).copied().collect();
    let mut result = String::with_capacity(text.len());
    for (position, part) in text.split('@').enumerate() {
        if position > 0 {
            result.push('@');
        }
        let end =
            part.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$-".contains(c))).unwrap_or(part.len());
        match replaced.get(&part[..end]).filter(|_| position > 0) {
            Some(replacement) => {
                result.push_str(replacement);
                result.push_str(&part[end..]);
            }
            None => result.push_str(part),
        }
    }
    result
}

/// Without optimisation clang forbids that functions are inlined; the binary is optimised.
fn inlinable(text: &str) -> String {
    let line = |line: &str| match line {
        attributes if line.starts_with("attributes #") => attributes.replace(" noinline", "") + "\n",
        // Valgrind of the same age as clang 14 does not read what that writes as version 5.
        flag if line.contains("!\"Dwarf Version\", i32 5") => flag.replace("i32 5}", "i32 4}") + "\n",
        line => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "define i32 @f(i32* %p) {
  %1 = load i32, i32* %p, align 4
  %2 = call i32 @pthread_join(i64 0, i8** null)
  call void @exit(i32 1)
  unreachable
}

define i32 @main() personality i8* null {
  %1 = invoke i32 @f(i32* null)
          to label %2 unwind label %3

2:
  ret i32 %1

3:
  %4 = landingpad { i8*, i32 }
          cleanup
  resume { i8*, i32 } %4
}
declare i32 @pthread_join(i64, i8**)
declare void @exit(i32)
declare void @pthread_join_all(i32)
";

    fn prefix(places: &[(&str, u32)]) -> Prefix {
        let instruction = |&(function, ordinal): &(&str, u32)| prefix::Instruction {
            function: function.to_owned(),
            ordinal,
            kind: "load".to_owned(),
            place: "a.c:1:1".to_owned(),
            conflicts: Conflicts::Unordered,
        };
        let event =
            prefix::PrefixEvent { thread: 0, instruction: 0, part: 0, time: 1, choice: 0, after: Vec::new() };
        let instructions = places.iter().map(instruction).collect();
        Prefix { instructions, events: vec![event], ..Prefix::default() }
    }

    fn instrumented(places: &[(&str, u32)]) -> Result<String, BuildError> {
        let module = selvedge_llvm::read(TEXT).expect("it is well formed");
        instrument(TEXT, &module, &prefix(places))
    }

    #[test]
    fn an_access_is_between_two_hooks_and_sequentially_consistent() {
        let text = instrumented(&[("f", 0)]).expect("it can be done");
        assert!(text.contains(
            "  %selvedge.event.0 = call i32 @selvedge_before(i32 0)\n  %1 = load atomic i32, i32* %p seq_cst, align 4\n  \
             call void @selvedge_after(i32 %selvedge.event.0)\n"
        ));
    }

    #[test]
    fn a_call_that_does_not_come_back_is_published_before() {
        let text = instrumented(&[("f", 2)]).expect("it can be done");
        assert!(
            text.contains(
                "selvedge_before_call(i32 0)\n  call void @selvedge_after_call()\n  call void @exit("
            )
        );
    }

    #[test]
    fn a_call_that_may_throw_is_published_wherever_it_goes_on() {
        let text = instrumented(&[("main", 0)]).expect("it can be done");
        assert!(text.contains("2:\n  call void @selvedge_after_call()\n  ret"));
        assert!(text.contains("          cleanup\n  call void @selvedge_after_call()\n  resume"));
    }

    #[test]
    fn functions_of_the_library_are_replaced_by_name() {
        let text = instrumented(&[("f", 1)]).expect("it can be done");
        assert!(text.contains("@selvedge_pthread_join(i64") && text.contains("@pthread_join_all("));
        assert!(!text.contains("@pthread_join("));
    }

    #[test]
    fn what_is_not_there_or_no_event_is_refused() {
        for place in [("g", 0), ("f", 9), ("main", 2)] {
            assert!(instrumented(&[place]).is_err(), "{place:?}");
        }
    }
}
