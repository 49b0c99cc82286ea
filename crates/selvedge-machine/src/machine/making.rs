//! How a machine is made: a rehearsal shows on what it may speculate, and it is made anew when an execution refutes that.

use super::locations::Locations;
use super::{Begun, Machine, cells};
use crate::code::{Code, Place};
use crate::failure::CutReason;
use crate::landmarks::Landmarks;
use crate::lower;
use crate::memory::{DataModel, Kind, Memory, Object, Sharing};
use crate::options::{Addresses, Arrivals, Claims, Options, Reuse};
use crate::races::Races;
use crate::run::{Awaited, Decisions, Extent, LINK, Outcome};
use crate::state::State;
use selvedge_explore::{Mark, Program, Speculates};
use selvedge_llvm::Module;
use selvedge_trace::{Decision, Footprint, ThreadId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Steps of a rehearsal.
const REHEARSAL: usize = 5_000;

/// The most threads. With pointers of 32 bits there is less room for what they allocate.
fn most_threads(code: &Code) -> usize {
    match code.model {
        DataModel::Lp64 => 500,
        DataModel::Ilp32 => 240,
    }
}

/// The machine speculates on the number of threads, on barrier arrivals, joins and detaches that commute, and on programs to which
/// reuse of memory and the order of objects make no difference.
impl Speculates for Machine {
    type Speculations = Options;

    fn refuted(&self) -> Option<Options> {
        if self.locations.overflow && self.thread_room() < most_threads(&self.code) {
            return Some(Options { room: self.thread_room() * 2, ..self.options });
        }
        self.with_orders()
    }
}

impl Machine {
    /// A machine at the beginning of `main`, or at its first visible operation. A rehearsal finds out how
    /// many threads there are and how finely memory is accessed.
    pub fn new(module: Arc<Module>, mut code: Arc<Code>, mut options: Options) -> Machine {
        let most = most_threads(&code);
        let mut threads = options.threads.clamp(1, most);
        loop {
            if options.addresses == Addresses::Ordered
                && !code.stops_at_comparisons
                && let Ok(stopping) = lower::lower(&module, &options)
            {
                code = Arc::new(stopping);
            }
            let mut machine = Machine::with_threads(&module, &code, options, threads);
            machine.rehearse();
            let needed = machine.locations.thread_count();
            if machine.locations.overflow && threads < most {
                threads = (threads * 2).min(most);
                continue;
            }
            if let Some(corrected) = machine.with_orders() {
                options = corrected;
                continue;
            }
            let mut rehearsed = machine.locations;
            let threads = needed.max(options.room).clamp(1, most);
            rehearsed.begin(threads);
            let mut machine = Machine::with_threads(&module, &code, options, threads);
            machine.locations = rehearsed;
            machine.start();
            return machine;
        }
    }

    /// A machine for the same program that knows the same threads.
    pub fn again(&self) -> Machine {
        let threads = self.state.threads.len();
        let mut machine = Machine::with_threads(&self.module, &self.code, self.options, threads);
        machine.locations = self.locations.clone();
        machine.start();
        machine
    }

    /// The same, recording what it executes from the beginning.
    pub(crate) fn again_recording(&self) -> Machine {
        let threads = self.state.threads.len();
        let mut machine = Machine::with_threads(&self.module, &self.code, self.options, threads);
        machine.locations = self.locations.clone();
        machine.state.start_recording();
        machine.start();
        machine
    }

    fn with_threads(module: &Arc<Module>, code: &Arc<Code>, options: Options, threads: usize) -> Machine {
        let mut memory = Memory::new(threads, code.model);
        for (number, global) in code.globals.iter().enumerate() {
            if global.is_thread_local {
                continue;
            }
            let number = number as u32;
            let kind = if global.is_constant { Kind::Constant(number) } else { Kind::Global(number) };
            let size = global.bytes.len() as u64;
            let id = memory.create(0, size, kind, Sharing::Shared, Place::default());
            memory.objects[id.0 as usize].alignment = global.alignment;
            let start = memory.object(id).start;
            memory.bytes[start..start + global.bytes.len()].copy_from_slice(&global.bytes);
        }
        for id in 0..memory.objects.len() {
            let Object { start, size, .. } = memory.objects[id];
            let width = code.model.pointer_bytes();
            let mut words = (0..size as usize / width).map(|word| memory.load(start + word * width, width));
            memory.objects[id].holds_addresses = words.any(|word| word >= memory.least_address());
        }
        memory.end_globals();
        memory.landmarks = Landmarks::of(code, threads);
        let cells = cells::count(threads, code.globals.len());
        let races = Races::new(if options.checks.races { threads } else { 0 });
        let mut locations = Locations::new(threads);
        locations.arrivals_are_ordered = options.arrivals == Arrivals::Ordered || code.looks_at_arrivals;
        locations.claims_are_ordered = options.claims == Claims::Ordered;
        Machine {
            module: module.clone(),
            code: code.clone(),
            options,
            state: State::new(threads, cells, &code.constants, memory, races),
            locations,
            start: Mark(0),
            start_failures: Vec::new(),
            failures: Vec::new(),
            fault: None,
            cut: None,
            cuts: BTreeSet::new(),
            at_once: BTreeSet::new(),
            longest_loop: (0, Place::default()),
            spawned: Vec::new(),
            scratch: Footprint::default(),
            instructions: 0,
            awaited: vec![Awaited::default(); threads],
            looked_awaited: Awaited::default(),
        }
    }

    /// Runs one execution, all threads in turn.
    fn rehearse(&mut self) {
        self.start();
        let mut footprint = Footprint::default();
        let mut thread = 0;
        for _ in 0..REHEARSAL {
            let count = self.state.threads.len();
            let next = (0..count).map(|i| (thread + i) % count).find(|&t| self.is_enabled(ThreadId::at(t)));
            let Some(next) = next else { return };
            let id = ThreadId::at(next);
            let choice = self.choices(id) - 1;
            self.step(Decision { thread: id, choice }, &mut footprint);
            thread = next + 1;
        }
    }

    /// Runs the constructors and `main` up to the first visible operation.
    fn start(&mut self) {
        let Some(main) = self.code.main else { return };
        let mut footprint = Footprint::default();
        for constructor in self.code.constructors.clone() {
            self.prepare(0, constructor);
            let (outcome, _) =
                self.run(0, Extent::Perform, &mut Decisions::default(), &mut footprint, Begun::Committed);
            self.state.set_cell(cells::of(0, cells::ENDING), 0);
            self.state.set_cell(cells::EXITED, 0);
            if !matches!(outcome, Outcome::Ended | Outcome::Exited) {
                self.settle(0, outcome, &mut footprint);
                self.finish_start();
                return;
            }
        }
        self.state.set_cell(cells::STARTED, 1);
        self.prepare(0, main);
        self.pass_arguments(main);
        self.start_thread(0, &mut footprint);
        self.start_spawned(&mut footprint);
        self.finish_start();
    }

    /// Gives `main` its arguments: the name of the program.
    fn pass_arguments(&mut self, main: u32) {
        let parameters = &self.code.functions[main as usize].parameters;
        let (Some(&(count, _)), Some(&(list, _))) = (parameters.first(), parameters.get(1)) else { return };
        let sharing = Sharing::Private(0);
        let mut object = |bytes: &[u8]| {
            let id = self.state.create(1, bytes.len() as u64, Kind::Library, sharing, Place::default());
            let object = *self.state.memory.object(id);
            bytes.iter().enumerate().for_each(|(i, b)| self.state.store(object.start + i, 1, u64::from(*b)));
            object.base
        };
        let name = object(b"program\0");
        let width = self.code.model.pointer_bytes();
        let mut words = name.to_le_bytes()[..width].to_vec();
        words.resize(2 * width, 0);
        let arguments = object(&words);
        let base = self.code.constants.len() as u32 + LINK;
        let slots = &mut self.state.threads[0].slots;
        slots[(base + count) as usize] = 1;
        slots[(base + list) as usize] = arguments;
    }

    fn finish_start(&mut self) {
        self.locations.told.clear();
        self.start = self.state.mark();
        self.start_failures = self.failures.clone();
    }

    fn prepare(&mut self, thread: usize, function: u32) {
        let (decisions, footprint) = (&mut Decisions::default(), &mut Footprint::default());
        let mut run = self.run_of(thread, Extent::Perform, decisions, footprint, Begun::Committed);
        run.prepare(thread, function, &[]);
    }

    /// If operations do not commute that this machine takes to, or freed memory matters: the options of one that knows it.
    fn with_orders(&self) -> Option<Options> {
        let is_crowded = self.cuts.iter().any(|cut| cut.reason == CutReason::CrowdedBarrier);
        let is_contested = self.locations.has_contested_claim && !self.locations.claims_are_ordered;
        let arrivals = if is_crowded { Arrivals::Ordered } else { self.options.arrivals };
        let claims = if is_contested { Claims::Ordered } else { self.options.claims };
        let is_stale = self.locations.compares_freed && self.options.reuse == Reuse::Speculated;
        let reuse = if is_stale { Reuse::Explored } else { self.options.reuse };
        let is_unordered = self.locations.compares_order && self.options.addresses == Addresses::Speculated;
        let addresses = if is_unordered { Addresses::Ordered } else { self.options.addresses };
        (is_crowded || is_contested || is_stale || is_unordered).then_some(Options {
            arrivals,
            claims,
            reuse,
            addresses,
            ..self.options
        })
    }

    /// The number of threads that there is room for.
    pub fn thread_room(&self) -> usize {
        self.state.threads.len()
    }
}
