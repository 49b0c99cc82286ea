//! Oracle for trace prefixes of programs in C, as data: every execution that a run time would permit is tried by brute force.
//!
//! The walk knows of a prefix only what is written: threads by their creators, events by instruction, part and time, orders, choices. Every
//! execution that performs these events first, in any order that they permit, has to get to the end of the prefix and from there to an end without a
//! violation. What comes after the prefix has to be performed by instructions that are listed, and where conflicts are left open, by ones marked so.

use crate::oracle::Check;
use crate::prefixes::TooMany;
use selvedge_explore::{Limits, Plan, Program, States, Stop};
use selvedge_llvm::Module;
use selvedge_machine::events::{Chooser, History};
use selvedge_machine::{Machine, Options};
use selvedge_schedule::prefix::{Conflicts, Prefix, Rest};
use selvedge_trace::{Decision, EventId, Footprint, HappensBefore, ThreadId};
use selvedge_verify::{CheckC, FindPrefix, Native, Outcome, Prefixes, Question, Silent, verify};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Executions of which the names of events are compared with those of the prefix.
const COMPARED: usize = 5;

/// Why a prefix cannot be accepted.
#[derive(Debug)]
enum Wrong {
    TooMany,
    Message(String),
}

impl From<TooMany> for Wrong {
    fn from(_: TooMany) -> Wrong {
        Wrong::TooMany
    }
}

fn wrong<T>(message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong::Message(message.into()))
}

/// Holds all prefixes that are found for a program to brute force of so many steps each, for an algorithm that follows them. What passes counts
/// the events of the last one, and one more if there are violations.
pub fn check(module: &Arc<Module>, algorithm: selvedge_explore::Algorithm, steps: usize) -> Check {
    match check_prefixes(module, algorithm, steps) {
        Ok(kept) => Check::Passed(kept),
        Err(Wrong::TooMany) => Check::TooLarge,
        Err(Wrong::Message(message)) => Check::Wrong(format!("{}: {message}", algorithm.name())),
    }
}

fn check_prefixes(
    module: &Arc<Module>,
    algorithm: selvedge_explore::Algorithm,
    steps: usize,
) -> Result<usize, Wrong> {
    let native = Native::of(module.clone(), Path::new("program.c"));
    let question = Question::default();
    let limits = Limits { executions: Some(steps as u64), ..Limits::default() };
    let check =
        CheckC { native: &native, question: &question, plan: Plan::of(algorithm, limits), root: None };
    let mut prefixes: Vec<Prefix> = Vec::new();
    let mut sink = |prefix: &Prefix| {
        let text = prefix.to_string();
        prefixes.push(Prefix::parse(&text).map_err(|error| std::io::Error::other(error.to_string()))?);
        Ok(())
    };
    let task = FindPrefix { check, interval: Duration::ZERO, sink: &mut sink };
    let outcome = verify(task, &mut Silent).or_else(|error| wrong(error.to_string()))?;
    let Outcome { evidence, .. } = outcome;
    let found = &evidence.found;
    if found.exploration.stop.is_some_and(|stop| stop != Stop::Violation) {
        return Err(Wrong::TooMany);
    }
    let options = *found.machine.options();
    for (number, prefix) in prefixes.iter().enumerate() {
        let mut walk = Walk::new(&native, options, prefix, steps);
        walk.run().map_err(|problem| match problem {
            Wrong::TooMany => Wrong::TooMany,
            Wrong::Message(message) => Wrong::Message(format!("{message}\n{prefix}")),
        })?;
        if number > 0 {
            is_shorter(prefix, &prefixes[number - 1])?;
        }
    }
    let is_safe = found.exploration.violations.is_empty()
        && found.exploration.stop.is_none()
        && found.exploration.statistics.cut == 0
        && found.machine.cuts().is_empty();
    let last = prefixes.last().map(|prefix| (prefix.events.len(), prefix.rest));
    if is_safe && found.exploration.statistics.complete > 0 && last != Some((0, Rest::Free)) {
        return wrong(format!("nothing is wrong, but the last prefix is {last:?}"));
    }
    if let (Prefixes::Found { .. }, true) = (evidence.prefixes, prefixes.is_empty()) {
        return wrong("a prefix was found and not handed on");
    }
    let has_violations = !found.exploration.violations.is_empty();
    Ok(last.map_or(0, |last| last.0) + usize::from(has_violations))
}

/// The name of an event: its thread, instruction, part and time.
type Name = (String, String, u32, u32, u64);

fn name(prefix: &Prefix, event: usize) -> Name {
    let event = &prefix.events[event];
    let instruction = &prefix.instructions[event.instruction];
    let thread = prefix.threads[event.thread].name.clone();
    (thread, instruction.function.clone(), instruction.ordinal, event.part, event.time)
}

/// The events of a prefix with all that comes before each.
fn closure(prefix: &Prefix) -> BTreeMap<Name, HashSet<Name>> {
    let mut all: Vec<HashSet<Name>> = Vec::new();
    for (number, event) in prefix.events.iter().enumerate() {
        let own = (0..number).rev().find(|&e| prefix.events[e].thread == event.thread);
        let mut before = HashSet::new();
        for &earlier in event.after.iter().chain(&own) {
            before.extend(all[earlier].iter().cloned());
            before.insert(name(prefix, earlier));
        }
        all.push(before);
    }
    all.into_iter().enumerate().map(|(number, before)| (name(prefix, number), before)).collect()
}

/// Constraints only disappear, from the end.
fn is_shorter(shorter: &Prefix, longer: &Prefix) -> Result<(), Wrong> {
    let (new, old) = (closure(shorter), closure(longer));
    let is_kept = |(event, before): (&Name, &HashSet<Name>)| {
        old.get(event).is_some_and(|was| was == before && was.iter().all(|event| new.contains_key(event)))
    };
    match new.iter().all(is_kept) && (shorter.rest == Rest::Free || new.len() == old.len()) {
        true => Ok(()),
        false => wrong(format!("a prefix is no beginning of the one before it:\n{longer}\n{shorter}")),
    }
}

/// A walk through all executions that a prefix permits.
struct Walk<'w> {
    machine: Machine,
    fresh: Machine,
    prefix: &'w Prefix,
    /// The events of each thread, in their order.
    events: BTreeMap<ThreadId, Vec<usize>>,
    done: Vec<bool>,
    steps: usize,
    order: HappensBefore,
    /// For each event of the execution, the instruction if it comes after the prefix.
    after: Vec<Option<usize>>,
    path: Vec<Decision>,
    compared: usize,
    /// States after the prefix of which all continuations are tried.
    known: HashSet<u128>,
}

impl<'w> Walk<'w> {
    fn new(native: &Native, options: Options, prefix: &'w Prefix, steps: usize) -> Walk<'w> {
        let mut machine = native.machine(options).expect("it was explored");
        let fresh = machine.again();
        machine.restart();
        let mut paths: Vec<String> = Vec::new();
        let mut events: BTreeMap<ThreadId, Vec<usize>> = BTreeMap::new();
        for thread in &prefix.threads {
            paths.push(match thread.creator {
                None => String::new(),
                Some((creator, which)) => format!("{}.{which}", paths[creator]),
            });
        }
        for (number, event) in prefix.events.iter().enumerate() {
            let thread = match paths[event.thread].strip_prefix('.') {
                None => ThreadId(0),
                Some(path) => {
                    machine.thread_named(&format!("t#{path}")).expect("there is room for all threads")
                }
            };
            events.entry(thread).or_default().push(number);
        }
        let order = HappensBefore::new(machine.thread_count());
        let done = vec![false; prefix.events.len()];
        let known = HashSet::new();
        Walk {
            machine,
            fresh,
            prefix,
            events,
            done,
            steps,
            order,
            after: Vec::new(),
            path: Vec::new(),
            compared: 0,
            known,
        }
    }

    fn is_complete(&self) -> bool {
        self.done.iter().all(|done| *done)
    }

    fn run(&mut self) -> Result<(), Wrong> {
        if !self.machine.failures().is_empty() {
            return wrong(format!(
                "a permitted execution fails: {:?} after {:?}",
                self.machine.failures(),
                self.path
            ));
        }
        let is_complete = self.is_complete();
        let threads = (0..self.machine.thread_count()).map(ThreadId::at);
        let enabled: Vec<ThreadId> = threads.filter(|&t| self.machine.is_enabled(t)).collect();
        if enabled.is_empty() {
            return self.end();
        }
        if is_complete
            && let Some(state) = self.machine.fingerprint()
            && !self.is_new(state)
        {
            return Ok(());
        }
        let mut has_gone_on = false;
        for thread in enabled {
            for choice in 0..self.machine.choices(thread) {
                if let Some(event) = self.permitted(thread, choice)? {
                    has_gone_on = true;
                    self.step(Decision { thread, choice }, event)?;
                }
            }
        }
        match has_gone_on {
            true => Ok(()),
            false => wrong(format!("nothing is permitted after {:?}", self.path)),
        }
    }

    /// Whether a state is new. What races in it depends on the accesses before it, so those are part of it.
    fn is_new(&mut self, state: u128) -> bool {
        let mut accesses: Vec<_> = Vec::new();
        for e in self.order.events().filter(|e| self.after[e.index()].is_some()) {
            accesses.push((self.order.event(e).thread(), self.order.clock(e).to_vec()));
        }
        let mut fingerprinter = selvedge_explore::seam::fingerprint::Fingerprinter::default();
        fingerprinter.add_fingerprint(state);
        for (thread, clock) in accesses {
            fingerprinter.add(u64::from(thread.0));
            clock.iter().for_each(|count| fingerprinter.add(u64::from(*count)));
        }
        self.known.insert(fingerprinter.take())
    }

    fn end(&mut self) -> Result<(), Wrong> {
        use selvedge_explore::ThreadStatus::{Diverged, Dropped, Failed, Running};
        use selvedge_explore::WaitingForEver;
        if !self.is_complete() {
            return wrong(format!("the prefix is not completed by {:?}", self.path));
        }
        let threads = || (0..self.machine.thread_count()).map(ThreadId::at);
        let machine = &self.machine;
        let is = |wanted| threads().any(|t| machine.status(t) == wanted);
        let waits =
            |why| threads().any(|t| machine.status(t) == Running && machine.waiting_for_ever(t) == why);
        let is_excused = is(Dropped)
            || waits(WaitingForEver::FalseAssumption)
            || waits(WaitingForEver::EndOfProgram)
            || !machine.counts_as_deadlock();
        match is(Failed) || is(Diverged) || is(Running) && !is_excused {
            true => wrong(format!("a permitted execution ends in an unsafe state: {:?}", self.path)),
            false => Ok(()),
        }
    }

    /// The event of the prefix that a decision performs, if it is permitted: `Some(None)` if it performs none.
    fn permitted(&mut self, thread: ThreadId, choice: u32) -> Result<Option<Option<usize>>, Wrong> {
        let Some(pc) = self.machine.next_site_pc(thread) else { return Ok(Some(None)) };
        if self.is_complete() {
            return match self.prefix.rest {
                Rest::Free => Ok(Some(None)),
                Rest::Nothing => {
                    wrong(format!("{thread:?} goes on after the whole execution {:?}", self.path))
                }
            };
        }
        let own = self.events.get(&thread).map_or(&[][..], |events| events);
        let Some(&event) = own.iter().find(|&&event| !self.done[event]) else { return Ok(None) };
        let PrefixEventParts { after, choice: wanted, instruction } = parts(self.prefix, event);
        if !after.iter().all(|&earlier| self.done[earlier]) {
            return Ok(None);
        }
        let here = self.number_of(pc);
        if here != Some(instruction) {
            return wrong(format!(
                "{thread:?} is at {here:?} and not at event {event} after {:?}",
                self.path
            ));
        }
        let is_chosen = match self.machine.chooser(thread) {
            Chooser::Nobody => choice == 0,
            Chooser::Scheduler => choice == wanted,
            Chooser::Environment => return wrong(format!("event {event} is an input")),
        };
        Ok(is_chosen.then_some(Some(event)))
    }

    /// The number of the instruction that a place in the code belongs to.
    fn number_of(&self, pc: u32) -> Option<usize> {
        let site = self.machine.code().origins[pc as usize]?.site;
        let name = self.machine.module().site_name(site);
        let instructions = &self.prefix.instructions;
        instructions.iter().position(|i| i.function == name.function && i.ordinal == name.ordinal)
    }

    fn step(&mut self, decision: Decision, event: Option<usize>) -> Result<(), Wrong> {
        self.steps = self.steps.checked_sub(1).ok_or(TooMany)?;
        let pc = self.machine.next_site_pc(decision.thread);
        let is_outside = event.is_none() && pc.is_some();
        let number = pc.and_then(|pc| self.number_of(pc));
        if is_outside && number.is_none() {
            return wrong(format!("an instruction is not listed that comes after {:?}", self.path));
        }
        let mark = self.machine.mark();
        let mut footprint = Footprint::default();
        self.machine.step(decision, &mut footprint);
        self.order.grow(self.machine.thread_count());
        let e = self.order.push(decision, &footprint);
        self.after.push(number.filter(|_| is_outside));
        self.path.push(decision);
        self.check_races(e)?;
        if let Some(event) = event {
            self.done[event] = true;
            self.compare_names()?;
        }
        let found = self.run();
        if let Some(event) = event {
            self.done[event] = false;
        }
        self.path.pop();
        self.after.pop();
        self.order.pop();
        self.machine.rollback(mark);
        found
    }

    /// Conflicts after the prefix that nothing orders are marked.
    fn check_races(&mut self, e: EventId) -> Result<(), Wrong> {
        let Some(own) = self.after[e.index()] else { return Ok(()) };
        for &earlier in self.order.races(e) {
            let Some(other) = self.after[earlier.index()] else { continue };
            for number in [own, other] {
                let instruction = &self.prefix.instructions[number];
                let is_memory =
                    matches!(instruction.kind.as_str(), "load" | "store" | "cmpxchg" | "atomicrmw");
                if is_memory && instruction.conflicts == Conflicts::Ordered {
                    return wrong(format!(
                        "instruction {number} races and is not marked, after {:?}",
                        self.path
                    ));
                }
            }
        }
        Ok(())
    }

    /// In each order of the prefix, its events have the same names.
    fn compare_names(&mut self) -> Result<(), Wrong> {
        if self.compared == COMPARED || !self.is_complete() {
            return Ok(());
        }
        self.compared += 1;
        let history = History::of(&self.fresh, &self.path);
        let mut names: BTreeMap<ThreadId, Vec<(usize, u32, u64)>> = BTreeMap::new();
        for event in &history.events {
            let Some(site) = event.site else { continue };
            let name = self.machine.module().site_name(site);
            let instructions = &self.prefix.instructions;
            let number =
                instructions.iter().position(|i| i.function == name.function && i.ordinal == name.ordinal);
            let number = number.map_or_else(|| wrong("an instruction is not listed"), Ok)?;
            names.entry(event.decision.thread).or_default().push((number, event.part, event.time));
        }
        for (thread, events) in &self.events {
            let wanted: Vec<_> = events.iter().map(|&e| &self.prefix.events[e]).collect();
            let wanted: Vec<_> = wanted.iter().map(|e| (e.instruction, e.part, e.time)).collect();
            if names.get(thread) != Some(&wanted) {
                return wrong(format!("{thread:?} performs {:?}, not {wanted:?}", names.get(thread)));
            }
        }
        Ok(())
    }
}

/// What the walk asks of an event.
struct PrefixEventParts<'p> {
    after: &'p [usize],
    choice: u32,
    instruction: usize,
}

fn parts(prefix: &Prefix, event: usize) -> PrefixEventParts<'_> {
    let event = &prefix.events[event];
    PrefixEventParts { after: &event.after, choice: event.choice, instruction: event.instruction }
}
