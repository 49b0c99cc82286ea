//! One round of the translation: all threads from the beginning, with what is known by now.

use crate::analysis::Analysis;
use crate::constants::Initial;
use crate::facts::{Cell, ContextId, ContextKey, Facts, LeafKey, NOWHERE, ObjectKey};
use crate::layout::{Dimension, Kind, Leaf, leaves, size_of};
use crate::names::{Creation, Names};
use crate::premises::Premises;
use crate::refusal::{Done, Refusal, Scope, Stop};
use crate::source::SourceFile;
use crate::thread::Thread;
use crate::value::{Pointer, Value};
use crate::{Options, Translated};
use selvedge_code::Builtin;
use selvedge_ir as ir;
use selvedge_ir::{BarrierId, CondvarId, MutexId, ObjectId, Span};
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{LocalId, Operand, Operation};
use selvedge_llvm::module::Definition;
use selvedge_llvm::types::TypeId;
use selvedge_llvm::{Function, Module};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// A thread of the program.
#[derive(Debug)]
pub struct ThreadRecord {
    /// What started it.
    pub context: ContextId,
    /// Its function.
    pub function: usize,
    /// What its function is given.
    pub argument: Value,
    /// Its name.
    pub name: String,
    /// The memory that is known when it starts.
    pub cells: BTreeMap<Cell, Value>,
    /// Where it was started.
    pub span: Span,
    /// Who created it.
    pub creation: Option<Creation>,
}

/// A round of the translation.
pub struct Run<'r> {
    pub module: &'r Module,
    pub source: &'r SourceFile,
    pub options: Options,
    pub facts: &'r mut Facts,
    /// Whether to go on.
    pub go_on: &'r dyn Fn() -> bool,
    pub analyses: HashMap<usize, Rc<Analysis>>,
    /// Which functions start or await threads.
    handlers: BTreeSet<usize>,
    layouts: HashMap<ObjectKey, Rc<Vec<Leaf>>>,
    /// The bytes of local variables.
    sizes: HashMap<ObjectKey, u64>,
    names: HashMap<ObjectKey, String>,
    initials: HashMap<usize, Rc<Initial>>,
    pub threads: Vec<ThreadRecord>,
    pub program: ir::Program,
    objects: BTreeMap<LeafKey, ObjectId>,
    arguments: BTreeMap<u32, ObjectId>,
    mutexes: BTreeMap<LeafKey, MutexId>,
    condvars: BTreeMap<LeafKey, CondvarId>,
    pub barriers: BTreeMap<Cell, (BarrierId, u32)>,
    /// What variables hold when the first thread starts.
    pub start: Option<BTreeMap<Cell, i64>>,
    /// Which thread joins or detaches a thread.
    pub claims: BTreeMap<u32, u32>,
    /// How often threads came to a block.
    pub arrivals: u32,
    /// Where the instructions of the program come from.
    pub sources: Names,
    /// Whether an uninitialised value has become any value.
    pub has_arbitrary_values: bool,
}

/// How often threads may come to a block before we give up.
pub const MOST_ARRIVALS: u32 = 400_000;

impl<'r> Run<'r> {
    /// Translates all threads.
    pub fn round(
        module: &'r Module,
        source: &'r SourceFile,
        options: Options,
        facts: &'r mut Facts,
        go_on: &'r dyn Fn() -> bool,
    ) -> Done<Translated> {
        let program = ir::Program { files: vec![String::new()], ..ir::Program::default() };
        let run = Run {
            module,
            source,
            options,
            facts,
            go_on,
            analyses: HashMap::new(),
            handlers: handlers(module),
            layouts: HashMap::new(),
            sizes: HashMap::new(),
            names: HashMap::new(),
            initials: HashMap::new(),
            threads: Vec::new(),
            program,
            objects: BTreeMap::new(),
            arguments: BTreeMap::new(),
            mutexes: BTreeMap::new(),
            condvars: BTreeMap::new(),
            barriers: BTreeMap::new(),
            start: None,
            claims: BTreeMap::new(),
            arrivals: 0,
            sources: Names::default(),
            has_arbitrary_values: false,
        };
        run.translate()
    }

    fn translate(mut self) -> Done<Translated> {
        let main = self.module.find("main").and_then(|symbol| self.module.definition(symbol));
        let main = match main {
            Some(Definition::Function(place)) if !self.module.functions[*place].blocks.is_empty() => *place,
            _ => return Err(refused("there is no function main", NOWHERE)),
        };
        if let Some(global) = self.module.find("llvm.global_ctors")
            && self.module.definition(global).is_some()
        {
            return Err(refused("code that runs before main", NOWHERE));
        }
        let context = self.facts.context(ContextKey::Main);
        self.threads.push(ThreadRecord {
            context,
            function: main,
            argument: Value::Undefined,
            name: "main".to_owned(),
            cells: BTreeMap::new(),
            span: NOWHERE,
            creation: None,
        });
        let mut next = 0;
        while next < self.threads.len() {
            let (function, names) = Thread::translate(&mut self, next as u32)?;
            self.program.functions.push(function);
            self.sources.add_function(names);
            next += 1;
        }
        for (number, thread) in self.threads.iter().enumerate() {
            self.program.families.push(ir::ThreadFamily {
                name: thread.name.clone(),
                is_array: false,
                count: 1,
                function: ir::FunctionId::at(number),
                start: if number == 0 { ir::Start::AtOnce } else { ir::Start::WhenSpawned },
                span: thread.span,
            });
        }
        if self.options.only_errors {
            self.add_bystander();
        }
        self.begin();
        self.sources.creations = self.threads.iter().map(|thread| thread.creation).collect();
        let premises = Premises {
            allocates: !self.facts.heap.is_empty(),
            has_arbitrary_values: self.has_arbitrary_values,
            options: self.options,
        };
        Ok(Translated { program: self.program, names: self.sources, premises })
    }

    /// A thread that stops at once by an assumption: then threads that wait for ever are no deadlock.
    fn add_bystander(&mut self) {
        let instr = ir::Instr { kind: ir::InstrKind::Assume(ir::Expr::Bool(false)), span: NOWHERE };
        let terminator = ir::Terminator { kind: ir::TerminatorKind::Return(None), span: NOWHERE };
        let name = "(bystander)".to_owned();
        self.program.functions.push(ir::Function {
            name: name.clone(),
            parameters: 0,
            returns: None,
            registers: Vec::new(),
            arrays: Vec::new(),
            blocks: vec![ir::Block { instrs: vec![instr], terminator }],
            span: NOWHERE,
        });
        self.program.families.push(ir::ThreadFamily {
            name,
            is_array: false,
            count: 1,
            function: ir::FunctionId::at(self.program.functions.len() - 1),
            start: ir::Start::AtOnce,
            span: NOWHERE,
        });
    }

    /// Gives variables the values that they have when the first thread starts.
    fn begin(&mut self) {
        for (cell, value) in self.start.take().unwrap_or_default() {
            if let Some(object) = self.objects.get(&cell.leaf) {
                self.program.objects[object.index()].initial[cell.element as usize] = value;
            }
        }
    }

    /// A function of the module.
    pub fn function(&self, function: usize) -> &'r Function {
        &self.module.functions[function]
    }

    /// What is known of a function.
    pub fn analysis(&mut self, function: usize) -> Rc<Analysis> {
        if let Some(known) = self.analyses.get(&function) {
            return known.clone();
        }
        let handlers = &self.handlers;
        let analysis = Analysis::new(self.module, self.function(function), &|f| handlers.contains(&f));
        let analysis = Rc::new(analysis);
        self.analyses.insert(function, analysis.clone());
        analysis
    }

    /// The thread that a context belongs to.
    pub fn owner(&self, mut context: ContextId) -> u32 {
        loop {
            if let Some(thread) = self.threads.iter().position(|thread| thread.context == context) {
                return thread as u32;
            }
            match self.facts.reached_from(context) {
                Some(from) => context = from,
                None => return 0,
            }
        }
    }

    /// The leaves of an object.
    pub fn leaves(&mut self, object: ObjectKey) -> Rc<Vec<Leaf>> {
        if let Some(known) = self.layouts.get(&object) {
            return known.clone();
        }
        let found = match object {
            ObjectKey::Global(place) | ObjectKey::ThreadLocal(place, _) => {
                let global = &self.module.globals[place];
                let debug = global.debug.and_then(|debug| self.module.metadata.type_of(debug));
                leaves(self.module, global.ty, debug)
            }
            ObjectKey::Local(..) => self.allocated(object),
        };
        self.set_layout(object, found)
    }

    /// Whether the layout of an object is known already.
    pub fn has_layout(&self, object: ObjectKey) -> bool {
        self.layouts.contains_key(&object)
    }

    /// Notes a layout, with the locks that are known by their use.
    fn set_layout(&mut self, object: ObjectKey, mut found: Vec<Leaf>) -> Rc<Vec<Leaf>> {
        for &(offset, kind) in self.facts.locks.get(&object).into_iter().flatten() {
            found.retain(|leaf| !(offset..offset + size_of(kind)).contains(&leaf.offset));
            let name = if offset == 0 { String::new() } else { format!(".{offset}") };
            found.push(Leaf { offset, bits: 32, kind, dimensions: Vec::new(), name });
        }
        let found = Rc::new(found);
        self.layouts.insert(object, found.clone());
        found
    }

    /// Says how a local variable is laid out, when it comes to life.
    pub fn lay_out(&mut self, object: ObjectKey, function: usize, ty: TypeId, count: Option<u64>) {
        if let (ObjectKey::Local(_, local), false) = (object, self.layouts.contains_key(&object)) {
            let (name, debug) = declared(self, function, local).unwrap_or_default();
            if !name.is_empty() {
                self.names.insert(object, name);
            }
            let mut found = leaves(self.module, ty, debug);
            self.sizes.insert(object, self.module.types.size(ty).saturating_mul(count.unwrap_or(1)));
            if let Some(count) = count {
                let stride = self.module.types.size(ty);
                found.iter_mut().for_each(|leaf| leaf.dimensions.insert(0, Dimension { stride, count }));
            }
            self.set_layout(object, found);
        }
    }

    /// The bytes of an object.
    pub fn size(&self, object: ObjectKey) -> u64 {
        match object {
            ObjectKey::Global(place) | ObjectKey::ThreadLocal(place, _) => {
                self.module.types.size(self.module.globals[place].ty)
            }
            ObjectKey::Local(..) => {
                self.sizes.get(&object).or_else(|| self.facts.heap.get(&object)).copied().unwrap_or(0)
            }
        }
    }

    /// The leaves of allocated memory, as far as they were seen.
    fn allocated(&self, object: ObjectKey) -> Vec<Leaf> {
        let size = self.facts.heap.get(&object).copied().unwrap_or(0);
        let seen = self.facts.divided.get(&object);
        let leaf = |&(offset, bits, stride): &(u64, u32, u64)| Leaf {
            offset,
            bits,
            kind: if self.facts.pointers.contains(&(object, offset)) { Kind::Pointer } else { Kind::Int },
            dimensions: match stride {
                0 => Vec::new(),
                stride => vec![Dimension { stride, count: (size - offset).div_ceil(stride) }],
            },
            name: format!(".{offset}"),
        };
        seen.into_iter().flatten().map(leaf).collect()
    }

    /// The first value of a cell.
    pub fn initial(&mut self, cell: Cell) -> Value {
        let leaves = self.leaves(cell.leaf.0);
        let leaf = &leaves[cell.leaf.1 as usize];
        let (ObjectKey::Global(place) | ObjectKey::ThreadLocal(place, _)) = cell.leaf.0 else {
            return match (self.facts.cleared.contains(&cell.leaf.0), leaf.kind) {
                (false, _) => Value::Undefined,
                (true, Kind::Pointer) => Value::null(),
                (true, _) => Value::int(leaf.bits, 0),
            };
        };
        self.initial_of(place).at(leaf.offset_of(cell.element), leaf)
    }

    fn initial_of(&mut self, place: usize) -> Rc<Initial> {
        let (module, initials) = (self.module, &mut self.initials);
        let make = || Rc::new(Initial::of(module, &module.globals[place]));
        initials.entry(place).or_insert_with(make).clone()
    }

    /// Whether the mutexes of a leaf begin as ordinary ones.
    pub fn has_ordinary_mutexes(&mut self, leaf: LeafKey) -> bool {
        let ObjectKey::Global(place) = leaf.0 else { return true };
        let (leaves, initial) = (self.leaves(leaf.0), self.initial_of(place));
        let shape = &leaves[leaf.1 as usize];
        let is_ordinary = |offset: u64| initial.is_zero(offset, offset + size_of(Kind::Mutex));
        (0..shape.count()).all(|element| is_ordinary(shape.offset_of(element)))
    }

    /// The name of an object, as in C.
    pub fn object_name(&self, object: ObjectKey) -> String {
        match object {
            ObjectKey::Global(place) | ObjectKey::ThreadLocal(place, _) => {
                let global = &self.module.globals[place];
                let told = global.debug.and_then(|debug| self.module.metadata.name_of(debug));
                told.unwrap_or_else(|| self.module.name(global.symbol)).to_owned()
            }
            ObjectKey::Local(_, local) => {
                self.names.get(&object).cloned().unwrap_or_else(|| format!("%{}", local.0))
            }
        }
    }

    fn declaration(&self, object: ObjectKey) -> Span {
        let debug = match object {
            ObjectKey::Global(place) | ObjectKey::ThreadLocal(place, _) => self.module.globals[place].debug,
            ObjectKey::Local(..) => None,
        };
        self.source.declaration(self.module, debug).unwrap_or(NOWHERE)
    }

    /// A name that no variable, mutex, condition variable or barrier has.
    fn unused(&self, name: String) -> String {
        let program = &self.program;
        let is_taken = |name: &str| {
            program.objects.iter().any(|o| o.name == name)
                || program.mutexes.iter().chain(&program.condvars).any(|s| s.name == name)
                || program.barriers.iter().any(|b| b.name == name)
        };
        let numbered = (2..).map(|number| format!("{name}.{number}"));
        std::iter::once(name.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(name)
    }

    /// The variable that a leaf becomes.
    pub fn object(&mut self, leaf: LeafKey) -> ObjectId {
        if let Some(&known) = self.objects.get(&leaf) {
            return known;
        }
        let leaves = self.leaves(leaf.0);
        let shape = &leaves[leaf.1 as usize];
        let mut initial = Vec::new();
        for element in 0..shape.count() {
            initial.push(self.initial_number(Cell { leaf, element }));
        }
        if shape.bits == 8 && initial.iter().any(|value| !(0..=1).contains(value)) {
            self.facts.widen(leaf);
        }
        let name = self.unused(format!("{}{}", self.object_name(leaf.0), shape.name));
        let (is_array, span) = (!shape.dimensions.is_empty(), self.declaration(leaf.0));
        let id = self.add_object(name, is_array, initial, span);
        self.objects.insert(leaf, id);
        id
    }

    /// The number that a variable of the program holds at first; 0 if it gets its value later.
    pub fn initial_number(&mut self, cell: Cell) -> i64 {
        let value = self.initial(cell);
        match self.leaves(cell.leaf.0)[cell.leaf.1 as usize].kind {
            Kind::Pointer => self.code_of(cell.leaf, &value),
            _ => value.known(),
        }
        .unwrap_or(0)
    }

    /// The number that stands for an address, or for a number in place of one, in a variable of the program: 0 for null.
    pub fn code_of(&mut self, leaf: LeafKey, value: &Value) -> Option<i64> {
        let value = match *value {
            Value::Int { value, .. } => {
                &Value::Pointer(Pointer { object: None, constant: value, terms: Vec::new() })
            }
            _ => value,
        };
        let is_address = matches!(value, Value::Pointer(_) | Value::Function(_)) && value.is_static();
        if !is_address || self.leaves(leaf.0)[leaf.1 as usize].kind != Kind::Pointer {
            return None;
        }
        if value.known() == Some(0) {
            return Some(0);
        }
        let all = self.facts.addresses.entry(leaf).or_default();
        let known = all.iter().position(|address| address == value);
        let place = known.unwrap_or_else(|| {
            all.push(value.clone());
            self.facts.is_new = true;
            all.len() - 1
        });
        Some(place as i64 + 1)
    }

    fn add_object(&mut self, name: String, is_array: bool, initial: Vec<i64>, span: Span) -> ObjectId {
        let ty = ir::Type::Int;
        self.program.objects.push(ir::Object { name, ty, is_array, initial, span });
        ObjectId::at(self.program.objects.len() - 1)
    }

    /// The variable through which a thread gets its argument.
    pub fn argument(&mut self, thread: u32) -> ObjectId {
        if let Some(&known) = self.arguments.get(&thread) {
            return known;
        }
        let name = self.unused(format!("argument of {}", self.threads[thread as usize].name));
        let id = self.add_object(name, false, vec![0], NOWHERE);
        self.arguments.insert(thread, id);
        id
    }

    fn sync_array(&mut self, leaf: LeafKey) -> ir::SyncArray {
        let leaves = self.leaves(leaf.0);
        let shape = &leaves[leaf.1 as usize];
        ir::SyncArray {
            name: self.unused(format!("{}{}", self.object_name(leaf.0), shape.name)),
            is_array: !shape.dimensions.is_empty(),
            length: shape.count() as u32,
            span: self.declaration(leaf.0),
        }
    }

    /// The mutexes that a leaf becomes.
    pub fn mutex(&mut self, leaf: LeafKey) -> MutexId {
        if let Some(&known) = self.mutexes.get(&leaf) {
            return known;
        }
        let array = self.sync_array(leaf);
        self.program.mutexes.push(array);
        let id = MutexId::at(self.program.mutexes.len() - 1);
        self.mutexes.insert(leaf, id);
        id
    }

    /// The condition variables that a leaf becomes.
    pub fn condvar(&mut self, leaf: LeafKey) -> CondvarId {
        if let Some(&known) = self.condvars.get(&leaf) {
            return known;
        }
        let array = self.sync_array(leaf);
        self.program.condvars.push(array);
        let id = CondvarId::at(self.program.condvars.len() - 1);
        self.condvars.insert(leaf, id);
        id
    }

    /// Makes a barrier.
    pub fn add_barrier(&mut self, cell: Cell, width: u32) -> BarrierId {
        let (name, span) = (self.unused(self.object_name(cell.leaf.0)), self.declaration(cell.leaf.0));
        self.program.barriers.push(ir::Barrier { name, width, span });
        let id = BarrierId::at(self.program.barriers.len() - 1);
        self.barriers.insert(cell, (id, width));
        id
    }
}

/// The name and type that the debug information gives a local variable.
fn declared(run: &Run, function: usize, local: LocalId) -> Option<(String, Option<u32>)> {
    let mut instructions = run.function(function).blocks.iter().flat_map(|b| &b.instructions);
    instructions.find_map(|instruction| match &instruction.operation {
        Operation::Declare { address: Operand::Local(declared), variable } if *declared == local => {
            let metadata = &run.module.metadata;
            Some((metadata.name_of(*variable)?.to_owned(), metadata.type_of(*variable)))
        }
        _ => None,
    })
}

/// A refusal.
pub fn refused(what: impl Into<String>, span: Span) -> Stop {
    Stop::Refused(Refusal { what: what.into(), scope: Scope::Proofs, span })
}

/// The functions that start or await threads, themselves or by calls.
fn handlers(module: &Module) -> BTreeSet<usize> {
    let mut found: BTreeSet<usize> = BTreeSet::new();
    let is_handler = |f: &Function| {
        let builtin = Builtin::from_name(module.name(f.symbol));
        matches!(builtin, Some(Builtin::ThreadCreate | Builtin::ThreadJoin))
    };
    found.extend(module.functions.iter().enumerate().filter(|(_, f)| is_handler(f)).map(|(place, _)| place));
    loop {
        let before = found.len();
        for (place, function) in module.functions.iter().enumerate() {
            let instructions = function.blocks.iter().flat_map(|b| &b.instructions);
            let calls = instructions.filter_map(|i| match &i.operation {
                Operation::Call(call) => Some(&call.callee),
                _ => None,
            });
            let called = calls.filter_map(|callee| match callee {
                Operand::Constant(Constant::Symbol(symbol)) => module.definition(*symbol),
                _ => None,
            });
            let mut called = called.filter_map(|definition| match definition {
                Definition::Function(place) => Some(*place),
                _ => None,
            });
            if called.any(|place| found.contains(&place)) {
                found.insert(place);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}
