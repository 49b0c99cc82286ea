//! Handlers of signals that take a fiber off the processor.
//!
//! A handler changes the saved registers so that the thread goes on in the bottom frame of the fiber, as if that returned. The other frames are
//! left as they are and never run again. What such a fiber held of the C library, a lock of `malloc` above all, would never be
//! given back, so it is taken off only in code of the program itself or in a system call: if a stack overflows inside the C library, the
//! reserve of the stack is opened and single steps lead to the return.

#![allow(unsafe_code, reason = "handlers of signals")]

use super::{Crash, RESERVE, Trap};
use crate::runtime::execution;
use crate::runtime::fiber::Exit;
use crate::runtime::watch::Pulse;
use corosensei::trap::{CoroutineTrapHandler, TrapHandlerRegs};
use libc::{c_int, c_void, siginfo_t, ucontext_t};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::OnceLock;
use std::{mem, ptr};

/// What is known of the fiber that runs.
#[derive(Clone, Copy)]
pub struct Running {
    handler: CoroutineTrapHandler<Exit>,
    /// The lowest address of its stack.
    low: usize,
}

impl Running {
    /// A fiber on a stack with these addresses.
    #[inline]
    pub fn new(handler: CoroutineTrapHandler<Exit>, stack: Range<usize>) -> Running {
        Running { handler, low: stack.start }
    }
}

/// The size of a page, and of the part at the end of a stack that is never accessible.
const PAGE: usize = 4096;

/// The signal with which the watch asks for a fiber. It is ignored unless somebody wants it.
const ASK: c_int = libc::SIGURG;

/// The signals that are handled.
const SIGNALS: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGTRAP, ASK, libc::SIGFPE, libc::SIGILL];

/// The handlers that were there before.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

thread_local! {
    static RUNNING: Cell<Option<Running>> = const { Cell::new(None) };
    /// Whether single steps lead out of the C library.
    static STEPPING: Cell<bool> = const { Cell::new(false) };
    static PULSE: Cell<*const Pulse> = const { Cell::new(ptr::null()) };
    static MASK: Cell<Option<libc::sigset_t>> = const { Cell::new(None) };
    static STACK: RefCell<Option<SignalStack>> = const { RefCell::new(None) };
    /// The backtraces of fibers that were taken off, with reason and place; and the latest of these.
    static BACKTRACES: RefCell<Vec<(Place, String)>> = const { RefCell::new(Vec::new()) };
    static LATEST: Cell<Place> = const { Cell::new(Place { trap: Trap::Abort, instruction: 0, height: 0 }) };
}

/// Where a fiber was taken off the processor, and why.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    trap: Trap,
    instruction: usize,
    /// How high above the bottom of its stack.
    height: usize,
}

/// Gets ready for checks on this thread of the operating system. The pulse lives as long as the thread.
pub fn prepare(pulse: &Pulse) {
    if !PULSE.replace(pulse).is_null() {
        return;
    }
    // SAFETY: the set is written before it is read.
    MASK.set(Some(unsafe {
        let mut mask = mem::zeroed();
        libc::pthread_sigmask(libc::SIG_SETMASK, ptr::null(), &mut mask);
        mask
    }));
    STACK.with_borrow_mut(|stack| *stack = SignalStack::new());
    BEFORE.get_or_init(|| SIGNALS.map(install));
}

fn install(signal: c_int) -> libc::sigaction {
    // SAFETY: the handler has the signature that `SA_SIGINFO` asks for.
    unsafe {
        let (mut ours, mut before): (libc::sigaction, libc::sigaction) = (mem::zeroed(), mem::zeroed());
        ours.sa_sigaction = selvedge_signal_handler as extern "C" fn(_, _, _) as usize;
        ours.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&mut ours.sa_mask);
        libc::sigaction(signal, &ours, &mut before);
        before
    }
}

/// A stack for handlers with room for a backtrace.
struct SignalStack {
    room: *mut c_void,
    before: libc::stack_t,
}

impl SignalStack {
    const SIZE: usize = 512 << 10;

    fn new() -> Option<SignalStack> {
        // SAFETY: new memory of that size becomes the stack of handlers.
        unsafe {
            let (access, kind) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            let room = libc::mmap(ptr::null_mut(), Self::SIZE, access, kind, -1, 0);
            if room == libc::MAP_FAILED {
                return None;
            }
            let ours = libc::stack_t { ss_sp: room, ss_flags: 0, ss_size: Self::SIZE };
            let mut before = mem::zeroed();
            libc::sigaltstack(&ours, &mut before);
            Some(SignalStack { room, before })
        }
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: no handler runs now, and the stack of before is still there: its owner frees it after this thread has ended.
        unsafe {
            libc::sigaltstack(&self.before, ptr::null_mut());
            libc::munmap(self.room, Self::SIZE);
        }
    }
}

/// A fiber runs from now on. Returns the one before.
#[inline]
pub fn enter(running: Running) -> Option<Running> {
    RUNNING.replace(Some(running))
}

/// A fiber has come back.
#[inline]
pub fn leave(before: Option<Running>) {
    RUNNING.set(before);
}

/// Makes the reserve of a new stack inaccessible.
pub fn protect(stack: &Range<usize>) {
    // SAFETY: the reserve lies inside of the stack, and nobody uses it yet.
    unsafe { libc::mprotect(stack.start as *mut c_void, PAGE + RESERVE, libc::PROT_NONE) };
}

/// This thread of the operating system.
pub fn system_thread() -> u64 {
    // SAFETY: this has no preconditions.
    unsafe { libc::pthread_self() }
}

/// Asks a thread of the operating system to take the fiber that runs there off the processor. That thread must not have ended.
pub fn end_thread(thread: u64) {
    // SAFETY: the caller says that the thread exists.
    unsafe { libc::pthread_kill(thread, ASK) };
}

/// The backtrace of the fiber that was last taken off the processor.
pub fn take_backtrace(trap: Trap) -> String {
    let latest = LATEST.get();
    BACKTRACES.with_borrow(|known| {
        let known = known.iter().find(|(place, _)| *place == latest && latest.trap == trap);
        known.map_or(String::new(), |(_, text)| text.clone())
    })
}

/// Backtraces of fibers are read from here on: [`Frames`](super::Frames) knows the name.
extern "C" fn selvedge_signal_handler(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let registers = Registers(context.cast());
    // SAFETY: the system passes a pointer to what is known of the signal.
    let address = unsafe { (*info).si_addr() as usize };
    let handled = match (signal, RUNNING.get()) {
        (libc::SIGSEGV | libc::SIGBUS, Some(running)) if running.guards(address) => {
            overflow(running, registers)
        }
        (libc::SIGTRAP, Some(running)) if STEPPING.get() => {
            if is_in_program(registers.get(libc::REG_RIP)) {
                STEPPING.set(false);
                registers.set(libc::REG_EFL, registers.get(libc::REG_EFL) & !TRAP_FLAG);
                take_off(running, registers, Trap::Overflow);
            }
            true
        }
        (libc::SIGABRT, Some(running)) if std::thread::panicking() || is_in_abort(registers) => {
            take_off(running, registers, Trap::Abort);
            true
        }
        (ASK, Some(running)) if may_be_taken_off(registers) => {
            take_off(running, registers, Trap::Silence);
            true
        }
        (ASK, _) if is_asked() => true,
        (_, Some(running)) => match crash(signal) {
            Some(crash) if may_be_given_up(registers) => {
                take_off(running, registers, Trap::Crash(crash));
                true
            }
            _ => false,
        },
        _ => false,
    };
    if !handled {
        if RUNNING.get().is_some() && (crash(signal).is_some() || signal == libc::SIGABRT) {
            say(LAST_WORDS);
        }
        pass_on(signal, info, context);
    }
}

/// The registers of the code that was interrupted. Not a reference: backtraces read them, too.
#[derive(Clone, Copy)]
struct Registers(*mut ucontext_t);

impl Registers {
    fn get(self, number: c_int) -> usize {
        // SAFETY: the handler has not returned.
        unsafe { (&raw const (*self.0).uc_mcontext.gregs[number as usize]).read_volatile() as usize }
    }

    fn set(self, number: c_int, value: usize) {
        // SAFETY: the handler has not returned.
        unsafe { (&raw mut (*self.0).uc_mcontext.gregs[number as usize]).write_volatile(value as i64) }
    }
}

impl Running {
    /// Whether an address lies where the stack must not be touched.
    fn guards(&self, address: usize) -> bool {
        (self.low..self.low + PAGE + RESERVE).contains(&address)
    }
}

/// The bit of the flags that asks for single steps.
const TRAP_FLAG: usize = 1 << 8;

fn overflow(running: Running, registers: Registers) -> bool {
    if is_in_program(registers.get(libc::REG_RIP)) {
        take_off(running, registers, Trap::Overflow);
        return true;
    }
    if STEPPING.get() {
        return false;
    }
    // SAFETY: the reserve belongs to the stack of the fiber that runs.
    let opened = unsafe {
        let reserve = (running.low + PAGE) as *mut c_void;
        libc::mprotect(reserve, RESERVE, libc::PROT_READ | libc::PROT_WRITE) == 0
    };
    if opened {
        STEPPING.set(true);
        registers.set(libc::REG_EFL, registers.get(libc::REG_EFL) | TRAP_FLAG);
    }
    opened
}

/// Whether an address belongs to the code of the program, not to that of a library.
fn is_in_program(address: usize) -> bool {
    unsafe extern "C" {
        static __executable_start: u8;
        static etext: u8;
    }
    // Linkers define these; only their addresses are used.
    (&raw const __executable_start as usize..&raw const etext as usize).contains(&address)
}

/// Whether the watch has asked for the fiber that runs.
fn is_asked() -> bool {
    // SAFETY: the pulse lives as long as this thread.
    unsafe { PULSE.get().as_ref() }.is_some_and(Pulse::is_asked)
}

/// What is said where a fiber cannot be taken off.
const LAST_WORDS: &str = "selvedge: a thread of the checked closure was stopped by a signal in a library, which may hold what others \
                          need: the process ends here\n";

/// Writes to the standard error, without any lock.
fn say(words: &str) {
    // SAFETY: the words are there. If they cannot be written, nobody can be told.
    unsafe { libc::write(2, words.as_ptr().cast(), words.len()) };
}

/// What a signal says that a thread has done.
fn crash(signal: c_int) -> Option<Crash> {
    match signal {
        libc::SIGSEGV | libc::SIGBUS => Some(Crash::Address),
        libc::SIGFPE => Some(Crash::Arithmetic),
        libc::SIGILL => Some(Crash::Instruction),
        _ => None,
    }
}

/// Whether the program itself called `abort`, not the C library, which does so when its memory is in disorder.
fn is_in_abort(registers: Registers) -> bool {
    const FURTHEST: usize = 256;
    let stack = registers.get(libc::REG_RSP) as *const usize;
    // SAFETY: so much lies above on every stack of a fiber.
    let words = (0..FURTHEST).map(|distance| unsafe { stack.add(distance).read() });
    execution::is_free() && words.filter(|&word| is_in_program(word)).any(returns_from_abort)
}

/// Whether the instruction before an address in the program calls `abort`.
fn returns_from_abort(address: usize) -> bool {
    returns_from(address, &[libc::abort as *const () as usize])
}

/// Whether the instruction before an address in the program calls one of these functions.
fn returns_from(address: usize, functions: &[usize]) -> bool {
    const LONGEST: usize = 6;
    if !is_in_program(address - LONGEST) {
        return false;
    }
    // SAFETY: this is code of the program; what an indirect call reads is its table of functions.
    let called = unsafe {
        let offset = ((address - 4) as *const i32).read_unaligned();
        let target = address.wrapping_add_signed(offset as isize);
        match ((address - LONGEST) as *const [u8; 2]).read() {
            [0xff, 0x15] => Some((target as *const usize).read()),
            [_, 0xe8] if is_in_program(target) => jumps_to(target),
            [_, 0xe8] => Some(target),
            _ => None,
        }
    };
    called.is_some_and(|called| functions.contains(&called))
}

/// Where code of the program that does nothing else jumps to, by its table of functions: so linkers let it call functions of libraries.
fn jumps_to(code: usize) -> Option<usize> {
    const MARK: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
    const LONGEST: usize = 11;
    if !is_in_program(code + LONGEST) {
        return None;
    }
    // SAFETY: this is code of the program; what the jump reads is its table of functions.
    unsafe {
        let start = if (code as *const [u8; 4]).read() == MARK { code + MARK.len() } else { code };
        let jump =
            [start, start + 1].into_iter().find(|&at| (at as *const [u8; 2]).read() == [0xff, 0x25])?;
        let offset = ((jump + 2) as *const i32).read_unaligned();
        Some(((jump + 6).wrapping_add_signed(offset as isize) as *const usize).read())
    }
}

/// Whether the fiber that runs, which was stopped by a crash, holds nothing that others need: it is in code of the program, or the program has
/// called an address without code, or a function of the C library that does no more than to read and write the memory it is given.
fn may_be_given_up(registers: Registers) -> bool {
    if !execution::is_free() {
        return false;
    }
    let at = registers.get(libc::REG_RIP);
    // SAFETY: the fiber has a stack, and a function that calls no other has the address to which it returns there.
    let back = unsafe { (registers.get(libc::REG_RSP) as *const usize).read() };
    if is_in_program(at) {
        return true;
    }
    let is_no_code = is_no_code(registers);
    if is_no_code && is_in_program(back) {
        // Nobody can unwind from where there is no code: the call is the latest that was done.
        registers.set(libc::REG_RIP, back - 1);
        registers.set(libc::REG_RSP, registers.get(libc::REG_RSP) + size_of::<usize>());
    }
    is_in_program(back) && (is_no_code || returns_from(back, &functions_on_memory()))
}

/// Whether the instruction itself could not be read.
fn is_no_code(registers: Registers) -> bool {
    /// The bit of the error code of a page fault that says so.
    const FETCH: usize = 1 << 4;
    /// Addresses of programs lie below.
    const END: usize = 1 << 47;
    registers.get(libc::REG_ERR) & FETCH != 0 || registers.get(libc::REG_RIP) >= END
}

/// Functions of the C library that hold nothing, whatever happens.
fn functions_on_memory() -> [usize; 6] {
    [
        libc::memcpy as *const () as usize,
        libc::memmove as *const () as usize,
        libc::memset as *const () as usize,
        libc::memcmp as *const () as usize,
        libc::memchr as *const () as usize,
        libc::strlen as *const () as usize,
    ]
}

/// Whether a fiber runs on this thread of the operating system.
pub fn is_running() -> bool {
    RUNNING.get().is_some()
}

/// Ends the process at once.
pub fn end_process(code: i32) -> ! {
    // SAFETY: this has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Whether the fiber that runs, for which the watch has asked, holds nothing that others need.
fn may_be_taken_off(registers: Registers) -> bool {
    is_asked() && holds_nothing(registers)
}

/// Whether the fiber that runs holds nothing that others need: it is in code of the program or in a system call.
fn holds_nothing(registers: Registers) -> bool {
    let at = registers.get(libc::REG_RIP);
    // One that is to be made again stands before it, and what lies around the place at which a thread runs is code.
    // SAFETY: an instruction is no longer than a page, and no code lies at the very beginning of memory.
    let is_system_call = || [at - 2, at].iter().any(|&at| unsafe { *(at as *const [u8; 2]) == [0x0f, 0x05] });
    execution::is_free() && (is_in_program(at) || is_system_call())
}

/// Lets the bottom frame of the fiber return when the handler does.
fn take_off(running: Running, registers: Registers, trap: Trap) {
    // SAFETY: the pulse lives as long as this thread.
    if let Some(pulse) = unsafe { PULSE.get().as_ref() } {
        // From here on, it is not the user's code that takes its time.
        pulse.has_come_back();
    }
    let instruction = registers.get(libc::REG_RIP);
    let height = registers.get(libc::REG_RSP).wrapping_sub(running.low);
    note_backtrace(Place { trap, instruction, height });
    // Once is enough, whatever signals have come in the meantime.
    RUNNING.set(None);
    // SAFETY: the fiber runs, on that stack. None of its frames runs again, and its stack is not used again: `Exit::Trapped` says so.
    let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } =
        unsafe { running.handler.setup_trap_handler(move || Exit::Trapped(trap)) };
    for (number, value) in [
        (libc::REG_RIP, rip),
        (libc::REG_RSP, rsp),
        (libc::REG_RBP, rbp),
        (libc::REG_RDI, rdi),
        (libc::REG_RSI, rsi),
    ] {
        registers.set(number, value as usize);
    }
    if let Some(mask) = MASK.get() {
        // SAFETY: the handler has not returned.
        unsafe { (*registers.0).uc_sigmask = mask };
    }
}

/// Keeps a backtrace of the fiber that is interrupted; once for each place, as it takes its time.
fn note_backtrace(place: Place) {
    LATEST.set(place);
    let _ = BACKTRACES.try_with(|known| {
        let Ok(mut known) = known.try_borrow_mut() else { return };
        if !known.iter().any(|(other, _)| *other == place) {
            known.push((place, std::backtrace::Backtrace::force_capture().to_string()));
        }
    });
}

/// Does what would have been done without this handler.
fn pass_on(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    let position = SIGNALS.iter().position(|&other| other == signal);
    let Some(before) = BEFORE.get().zip(position).map(|(all, number)| &all[number]) else { return };
    // SAFETY: that handler was installed for this signal, with this signature.
    unsafe {
        match before.sa_sigaction {
            libc::SIG_IGN => {}
            libc::SIG_DFL if signal == ASK => {}
            libc::SIG_DFL => {
                libc::sigaction(signal, before, ptr::null_mut());
                if signal == libc::SIGTRAP {
                    libc::raise(signal);
                }
            }
            handler if before.sa_flags & libc::SA_SIGINFO != 0 => {
                mem::transmute::<usize, extern "C" fn(c_int, *mut siginfo_t, *mut c_void)>(handler)(
                    signal, info, context,
                );
            }
            handler => mem::transmute::<usize, extern "C" fn(c_int)>(handler)(signal),
        }
    }
}
