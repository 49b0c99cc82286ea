//! The oracle: the same programs as explicit graphs of states.
//!
//! Loops that give up are unrolled, and others have no counters, so a program has finitely many states however often they turn, and visiting all of them is exact: every outcome, every
//! deadlock, and every state from which no end can be reached.

use super::{Hold, Kind, Loop, Statement, Try};
use std::collections::{BTreeSet, HashMap};

/// The numbers of one way in which a program ends: what the threads noted, and the variables in the end.
pub type Numbers = Vec<Vec<usize>>;

/// All that a program may come to.
#[derive(Debug, Default)]
pub struct Truth {
    /// What is there when all threads have ended.
    pub outcomes: BTreeSet<Numbers>,
    /// Whether threads may be left of which none can move.
    pub deadlocks: bool,
    /// Whether there is a state in which threads move for ever, whatever they do.
    pub livelocks: bool,
    /// How many states there are.
    pub states: usize,
}

/// An instruction: one operation, with the local code after it.
#[derive(Clone, Copy, Debug)]
enum Code {
    Load(usize),
    Store(usize, usize),
    /// Stores what was last read before.
    PutBack(usize),
    Add(usize, usize),
    /// Turns the lowest bit over.
    Toggle(usize),
    Exchange(usize, usize, usize),
    Swap(usize, usize),
    Lock,
    TryLock,
    Unlock,
    /// Reads what is under the lock, locally.
    Look,
    Set(usize),
    /// Goes elsewhere unless the test holds, locally.
    Unless(Test, usize),
    Goto(usize),
    /// Notes what was last read, locally.
    Note,
    End,
}

#[derive(Clone, Copy, Debug)]
enum Test {
    Is(usize),
    IsEven,
    IsAtLeast(usize),
}

impl Test {
    fn holds(self, value: usize) -> bool {
        match self {
            Test::Is(wanted) => value == wanted,
            Test::IsEven => value & 1 == 0,
            Test::IsAtLeast(least) => value >= least,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    last: Vec<usize>,
    notes: Vec<Vec<usize>>,
    variables: [usize; 2],
    holder: usize,
    content: usize,
}

fn compile(statements: &[Statement]) -> Vec<Code> {
    let mut code = Vec::new();
    statements.iter().for_each(|statement| add(&mut code, *statement));
    code.push(Code::End);
    code
}

fn add(code: &mut Vec<Code>, statement: Statement) {
    match statement {
        Statement::Load(v) => code.extend([Code::Load(v), Code::Note]),
        Statement::Store(v, n) => code.push(Code::Store(v, n)),
        Statement::Add(v, n) => code.extend([Code::Add(v, n), Code::Note]),
        Statement::Exchange(v, from, to) => code.extend([Code::Exchange(v, from, to), Code::Note]),
        Statement::Set(n) => code.extend([Code::Lock, Code::Set(n), Code::Unlock]),
        Statement::Hold(hold) => {
            code.push(Code::Lock);
            match hold {
                Hold::Store(v, n) => code.push(Code::Store(v, n)),
                Hold::Load(v) => code.extend([Code::Load(v), Code::Note]),
            }
            code.push(Code::Unlock);
        }
        Statement::Until(Loop { kind, .. }) => add_loop(code, kind),
        Statement::Tries(what, attempts) => {
            let (operation, wanted) = match what {
                Try::Exchange(v, from, to) => (Code::Exchange(v, from, to), from),
                Try::Look(v, n) => (Code::Load(v), n),
            };
            let out = code.len() + 3 * attempts;
            for _ in 0..attempts {
                let next = code.len() + 3;
                code.extend([operation, Code::Unless(Test::Is(wanted), next), Code::Goto(out)]);
            }
            code.push(Code::Note);
        }
    }
}

/// Adds a loop; what lies between its failing test and its beginning has no counterpart here but operations.
fn add_loop(code: &mut Vec<Code>, kind: Kind) {
    let head = code.len();
    let test = |code: &mut Vec<Code>, test: Test, again: &[Code]| {
        // If it holds, over the rest of the round.
        let (fails, out) = (code.len() + 2, code.len() + 2 + again.len() + 1);
        code.push(Code::Unless(test, fails));
        code.push(Code::Goto(out));
        code.extend_from_slice(again);
        code.push(Code::Goto(head));
    };
    // A round that begins with these operations.
    let round = |code: &mut Vec<Code>, operations: &[Code], holds: Test, again: &[Code]| {
        code.extend_from_slice(operations);
        test(code, holds, again);
    };
    let minus = |n: usize| 0usize.wrapping_sub(n);
    match kind {
        Kind::Look(v, n) => round(code, &[Code::Load(v)], Test::Is(n), &[]),
        Kind::AddSub(v) => round(code, &[Code::Add(v, 2)], Test::IsEven, &[Code::Add(v, minus(2))]),
        Kind::SwapBack(v, n) => round(code, &[Code::Swap(v, 8)], Test::Is(n), &[Code::PutBack(v)]),
        Kind::Exchange(v, from, to) => round(code, &[Code::Exchange(v, from, to)], Test::Is(from), &[]),
        Kind::Meet(v) => {
            let begin = [Code::Add(v, 16), Code::Load(v)];
            round(code, &begin, Test::IsAtLeast(32), &[Code::Add(v, minus(16))]);
        }
        Kind::TryLock => {
            round(code, &[Code::TryLock], Test::Is(1), &[]);
            code.push(Code::Unlock);
        }
        Kind::UnderLock(n) => {
            round(code, &[Code::Lock, Code::Look], Test::Is(n), &[Code::Unlock]);
            code.push(Code::Unlock);
        }
        Kind::TwoLocks(v, w) => {
            round(code, &[Code::Exchange(v, 0, 1)], Test::Is(0), &[]);
            round(code, &[Code::Exchange(w, 0, 1)], Test::Is(0), &[Code::Store(v, 0)]);
            code.extend([Code::Store(v, 0), Code::Store(w, 0)]);
        }
        Kind::Nested(v, w, n) => {
            round(code, &[Code::Load(v)], Test::Is(n), &[]);
            round(code, &[Code::Load(w)], Test::Is(n), &[]);
        }
        Kind::Announce(v, w, n) => round(code, &[Code::Store(v, n), Code::Load(w)], Test::Is(n), &[]),
        Kind::Toggle(v, w, n) => round(code, &[Code::Toggle(v), Code::Load(w)], Test::Is(n), &[]),
    }
    code.push(Code::Note);
}

struct Model {
    code: Vec<Vec<Code>>,
}

impl Model {
    /// Performs the next operation of a thread and the local code after it. Nothing if it must wait or has ended.
    fn step(&self, state: &State, thread: usize) -> Option<State> {
        let mut next = state.clone();
        let last = &mut next.last[thread];
        match self.code[thread][state.at[thread]] {
            Code::Load(v) => *last = next.variables[v],
            Code::Store(v, n) => next.variables[v] = n,
            Code::PutBack(v) => next.variables[v] = *last,
            Code::Add(v, n) => {
                *last = next.variables[v];
                next.variables[v] = last.wrapping_add(n);
            }
            Code::Toggle(v) => next.variables[v] ^= 1,
            Code::Exchange(v, from, to) => {
                *last = next.variables[v];
                if *last == from {
                    next.variables[v] = to;
                }
            }
            Code::Swap(v, n) => *last = std::mem::replace(&mut next.variables[v], n),
            Code::Lock if next.holder != 0 => return None,
            Code::Lock => next.holder = thread + 1,
            Code::TryLock => {
                *last = usize::from(next.holder == 0);
                if next.holder == 0 {
                    next.holder = thread + 1;
                }
            }
            Code::Unlock => next.holder = 0,
            Code::End => return None,
            Code::Look | Code::Set(_) | Code::Unless(..) | Code::Goto(_) | Code::Note => {
                unreachable!("local code comes after operations")
            }
        }
        next.at[thread] += 1;
        self.run_locally(&mut next, thread);
        Some(next)
    }

    fn run_locally(&self, state: &mut State, thread: usize) {
        loop {
            let at = &mut state.at[thread];
            match self.code[thread][*at] {
                Code::Look => state.last[thread] = state.content,
                Code::Set(n) => state.content = n,
                Code::Unless(test, target) => {
                    if !test.holds(state.last[thread]) {
                        *at = target;
                        continue;
                    }
                }
                Code::Goto(target) => {
                    *at = target;
                    continue;
                }
                Code::Note => state.notes[thread].push(state.last[thread]),
                _ => return,
            }
            *at += 1;
        }
    }
}

/// Visits all states; nothing if there are more than so many.
pub fn truth(program: &[Vec<Statement>], first: [usize; 2], limit: usize) -> Option<Truth> {
    let model = Model { code: program.iter().map(|statements| compile(statements)).collect() };
    let count = program.len();
    let start = State {
        at: vec![0; count],
        last: vec![0; count],
        notes: vec![Vec::new(); count],
        variables: first,
        holder: 0,
        content: 0,
    };
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let (mut states, mut before): (Vec<State>, Vec<Vec<usize>>) = (vec![start], vec![Vec::new()]);
    let (mut found, mut ends) = (Truth::default(), Vec::new());
    let mut visited = 0;
    while visited < states.len() {
        let state = states[visited].clone();
        let successors: Vec<State> = (0..count).filter_map(|thread| model.step(&state, thread)).collect();
        if successors.is_empty() {
            ends.push(visited);
            let all_ended = (0..count).all(|t| matches!(model.code[t][state.at[t]], Code::End));
            found.deadlocks |= !all_ended;
            if all_ended {
                let mut outcome = state.notes.clone();
                outcome.push(state.variables.into_iter().chain([state.content]).collect());
                found.outcomes.insert(outcome);
            }
        }
        for next in successors {
            let number = *numbers.entry(next.clone()).or_insert(states.len());
            if number == states.len() {
                states.push(next);
                before.push(Vec::new());
            }
            before[number].push(visited);
        }
        if states.len() > limit {
            return None;
        }
        visited += 1;
    }
    found.states = states.len();
    found.livelocks = can_reach(&before, ends).contains(&false);
    Some(found)
}

/// Which states can reach one of these.
fn can_reach(before: &[Vec<usize>], mut open: Vec<usize>) -> Vec<bool> {
    let mut reach = vec![false; before.len()];
    open.iter().for_each(|&state| reach[state] = true);
    while let Some(state) = open.pop() {
        for &earlier in &before[state] {
            if !std::mem::replace(&mut reach[earlier], true) {
                open.push(earlier);
            }
        }
    }
    reach
}
