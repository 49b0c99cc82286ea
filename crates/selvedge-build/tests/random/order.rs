//! Random executions of random programs, by definition: statements one after the other. Their beginnings are prefixes, and what threads see in them is known.

use super::numbers::Numbers;
use super::program::{Random, Statement, VARIABLES};
use selvedge_build::Compiled;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{Operand, Operation};
use selvedge_schedule::prefix::{Conflicts, Instruction, Prefix, PrefixEvent, Rest, Thread, Times};
use std::collections::BTreeMap;

/// A random execution: the prefix of its first events, and what each thread notes in them.
pub struct Execution {
    pub prefix: Prefix,
    pub seen: Vec<Vec<i32>>,
    /// The variables at the end, if the prefix is a whole execution.
    pub finally: Option<[i32; VARIABLES]>,
}

/// What an event accesses, and whether it writes.
type Access = (String, bool);

struct State<'p> {
    program: &'p Random,
    places: Vec<usize>,
    made: usize,
    joined: usize,
    variables: [i32; VARIABLES],
    holders: [Option<usize>; 2],
    semaphore: usize,
    seen: Vec<Vec<i32>>,
    instructions: Vec<(String, u32, String)>,
    times: BTreeMap<(usize, usize), u64>,
    events: Vec<PrefixEvent>,
    accesses: Vec<Vec<Access>>,
    /// For each event, and for each thread now, which events of each thread come before: so many of its first.
    clocks: Vec<Vec<usize>>,
    known: Vec<Vec<usize>>,
}

/// Executes a program in a random order, up to a random event or to its end.
pub fn execute(program: &Random, compiled: &Compiled, numbers: &mut Numbers) -> Execution {
    let threads = program.threads.len();
    let mut state = State {
        program,
        places: vec![0; threads],
        made: 0,
        joined: 0,
        variables: [0; VARIABLES],
        holders: [None; 2],
        semaphore: 0,
        seen: vec![Vec::new(); threads],
        instructions: Vec::new(),
        times: BTreeMap::new(),
        events: Vec::new(),
        accesses: Vec::new(),
        clocks: Vec::new(),
        known: vec![vec![0; threads + 1]; threads + 1],
    };
    let most = if numbers.below(2) == 0 { usize::MAX } else { 1 + numbers.below(40) };
    // A thread that runs for a while before another one does makes orders that differ more.
    let mut thread = 0;
    while state.events.len() < most {
        let enabled: Vec<usize> = (0..=threads).filter(|&thread| state.is_enabled(thread)).collect();
        if enabled.is_empty() {
            break;
        }
        if !enabled.contains(&thread) || numbers.below(3) == 0 {
            thread = enabled[numbers.below(enabled.len())];
        }
        state.step(thread);
    }
    let is_whole = state.joined == threads;
    let finally = is_whole.then_some(state.variables);
    let seen = state.seen.clone();
    Execution { prefix: state.prefix(compiled, is_whole), seen, finally }
}

impl State<'_> {
    /// The statement of a thread that comes next; thread 0 is `main`.
    fn next(&self, thread: usize) -> Option<(usize, usize, Statement)> {
        let body_number = self.program.threads[thread - 1];
        let body = &self.program.bodies[body_number];
        let place = self.places[thread - 1];
        let statement = place % body.statements.len();
        (place < body.rounds * body.statements.len())
            .then(|| (body_number, statement, body.statements[statement]))
    }

    fn is_enabled(&self, thread: usize) -> bool {
        let all = self.program.threads.len();
        if thread == 0 {
            return self.made < all || self.joined < all && self.next(self.joined + 1).is_none();
        }
        if self.made < thread {
            return false;
        }
        match self.next(thread) {
            None => false,
            Some((_, _, Statement::Lock(m))) => self.holders[m].is_none(),
            Some((_, _, Statement::Wait)) => self.semaphore > 0,
            Some(_) => true,
        }
    }

    fn step(&mut self, thread: usize) {
        if thread == 0 {
            return self.step_of_main();
        }
        let Some((body, number, statement)) = self.next(thread) else { return };
        self.places[thread - 1] += 1;
        let seen = &mut self.seen[thread - 1];
        let (kind, name, writes) = match statement {
            Statement::Load(x) => {
                seen.push(self.variables[x]);
                ("load", format!("x{x}"), false)
            }
            Statement::Store(x, c) => {
                self.variables[x] = c;
                ("store", format!("x{x}"), true)
            }
            Statement::Add(x, c) => {
                seen.push(self.variables[x]);
                self.variables[x] += c;
                ("atomicrmw", format!("x{x}"), true)
            }
            Statement::Lock(m) => {
                self.holders[m] = Some(thread);
                ("pthread_mutex_lock", format!("m{m}"), true)
            }
            Statement::Unlock(m) => {
                self.holders[m] = None;
                ("pthread_mutex_unlock", format!("m{m}"), true)
            }
            Statement::Post => {
                self.semaphore += 1;
                ("sem_post", "s".to_owned(), true)
            }
            Statement::Wait => {
                self.semaphore -= 1;
                ("sem_wait", "s".to_owned(), true)
            }
        };
        let function = format!("body{body}");
        let line = self.program.line(body, number);
        self.add(
            thread,
            (function, line, kind.to_owned()),
            vec![(name, writes), (format!("made{thread}"), false)],
        );
    }

    fn step_of_main(&mut self) {
        let [making, joining] = self.program.main_lines();
        if self.made < self.program.threads.len() {
            self.made += 1;
            let access = (format!("made{}", self.made), true);
            self.add(0, ("main".to_owned(), making, "pthread_create".to_owned()), vec![access]);
        } else {
            self.joined += 1;
            let access = (format!("made{}", self.joined), true);
            self.add(0, ("main".to_owned(), joining, "pthread_join".to_owned()), vec![access]);
        }
    }

    fn add(&mut self, thread: usize, instruction: (String, u32, String), accesses: Vec<Access>) {
        let known = self.instructions.iter().position(|known| *known == instruction);
        let instruction = known.unwrap_or_else(|| {
            self.instructions.push(instruction);
            self.instructions.len() - 1
        });
        let time = self.times.entry((thread, instruction)).or_insert(0);
        *time += 1;
        let time = *time;
        let after = self.after(thread, &accesses);
        self.events.push(PrefixEvent { thread, instruction, part: 0, time, choice: 0, after });
        self.accesses.push(accesses);
    }

    /// The last conflicting event of each other thread, unless that follows from others.
    fn after(&mut self, thread: usize, accesses: &[Access]) -> Vec<usize> {
        let conflicts = |a: &Access, b: &Access| a.0 == b.0 && (a.1 || b.1);
        let mut last = BTreeMap::new();
        for (position, event) in self.events.iter().enumerate().filter(|(_, event)| event.thread != thread) {
            if self.accesses[position].iter().any(|a| accesses.iter().any(|b| conflicts(a, b))) {
                last.insert(event.thread, position);
            }
        }
        let mut candidates: Vec<usize> = last.into_values().collect();
        candidates.sort_unstable();
        let mut after = Vec::new();
        // What follows from a later one is left out.
        for before in candidates.into_iter().rev() {
            let other = self.events[before].thread;
            if self.known[thread][other] < self.clocks[before][other] {
                after.insert(0, before);
                let clock = self.clocks[before].clone();
                self.known[thread].iter_mut().zip(clock).for_each(|(own, other)| *own = other.max(*own));
            }
        }
        self.known[thread][thread] += 1;
        self.clocks.push(self.known[thread].clone());
        after
    }

    fn prefix(self, compiled: &Compiled, is_whole: bool) -> Prefix {
        let main = Thread { name: "main".to_owned(), creator: None };
        let child = |i| Thread { name: format!("main.{i}"), creator: Some((0, i)) };
        let threads =
            std::iter::once(main).chain((1..=self.program.threads.len() as u32).map(child)).collect();
        let times =
            self.times.iter().map(|(&(thread, instruction), &times)| Times { thread, instruction, times });
        Prefix {
            program: compiled.fingerprint(),
            threads,
            instructions: all_instructions(self.program, compiled, &self.instructions),
            times: times.collect(),
            events: self.events,
            rest: if is_whole { Rest::Nothing } else { Rest::Free },
        }
    }
}

/// The instructions of the events, and of all further statements.
fn all_instructions(
    program: &Random,
    compiled: &Compiled,
    first: &[(String, u32, String)],
) -> Vec<Instruction> {
    let mut all = first.to_vec();
    // clang leaves out a function that no thread runs.
    let bodies = program.bodies.iter().enumerate().filter(|(number, _)| program.threads.contains(number));
    for (number, body) in bodies {
        for (position, statement) in body.statements.iter().enumerate() {
            let kind = match statement {
                Statement::Load(_) => "load",
                Statement::Store(..) => "store",
                Statement::Add(..) => "atomicrmw",
                Statement::Lock(_) => "pthread_mutex_lock",
                Statement::Unlock(_) => "pthread_mutex_unlock",
                Statement::Post => "sem_post",
                Statement::Wait => "sem_wait",
            };
            let instruction = (format!("body{number}"), program.line(number, position), kind.to_owned());
            if !all.contains(&instruction) {
                all.push(instruction);
            }
        }
    }
    let found = all.into_iter().map(|(function, line, kind)| {
        let ordinal = find(compiled, &function, line, &kind)
            .unwrap_or_else(|| panic!("there is a `{kind}` on line {line} of `{function}`"));
        let place = format!("random.c:{line}:1");
        Instruction { function, ordinal, kind, place, conflicts: Conflicts::Unordered }
    });
    found.collect()
}

/// The position of the instruction on a line that accesses a global variable, or calls a function.
fn find(compiled: &Compiled, function: &str, line: u32, kind: &str) -> Option<u32> {
    let module = compiled.module();
    let instructions = module.function(function)?.blocks.iter().flat_map(|block| &block.instructions);
    let is_global = |operand: &Operand| matches!(operand, Operand::Constant(Constant::Symbol(_)));
    let position = instructions.enumerate().position(|(_, instruction)| {
        let place = instruction.location.and_then(|location| module.line_column(location));
        let fits = match &instruction.operation {
            Operation::Load { pointer, .. } => kind == "load" && is_global(&pointer.operand),
            Operation::Store { pointer, .. } => kind == "store" && is_global(&pointer.operand),
            Operation::ReadModifyWrite { .. } => kind == "atomicrmw",
            Operation::Call(call) => match call.callee {
                Operand::Constant(Constant::Symbol(symbol)) => module.name(symbol) == kind,
                _ => false,
            },
            _ => false,
        };
        fits && place.is_some_and(|(found, _)| found == line)
    })?;
    Some(position as u32)
}
