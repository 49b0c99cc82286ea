//! Panics of the checked program: noted, not printed.
//!
//! An exploration may see the same panic many times on its way to a report that shows it once. A hook before the
//! one that was installed keeps message and place of a panic inside a checked thread to itself, unless the user
//! replays one execution and wants to see everything.
//!
//! Fibers may be suspended while they unwind, and Rust counts panics by thread of the operating system: for
//! [`std::thread::panicking`], one such fiber makes all of them panic. So the threads that began to unwind are noted here, too.

use super::execution::{self, ThreadIndex};
use super::failure::Site;
use std::cell::{Cell, RefCell};
use std::panic::{PanicHookInfo, catch_unwind, resume_unwind};
use std::sync::Once;

/// A panic that was seen.
#[derive(Clone, Debug)]
pub struct Noted {
    /// Its message.
    pub message: String,
    /// Where it happened.
    pub site: Option<Site>,
}

/// Whether panics are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// By whatever hook there is: nothing is being checked, or one execution is replayed for the user.
    Usual,
    /// Not at all.
    Quiet,
    /// Not at all, and Rust is made to count one panic less.
    Discounting,
}

thread_local! {
    static NOISE: Cell<Noise> = const { Cell::new(Noise::Usual) };
    /// The panics of each thread of the checked program that have not been reported: while one unwinds, others may panic, too.
    static NOTED: RefCell<Vec<(ThreadIndex, Noted)>> = const { RefCell::new(Vec::new()) };
    /// The threads of the checked program that panicked or were told to unwind, since nothing at all was unwinding.
    static RAISED: RefCell<Vec<ThreadIndex>> = const { RefCell::new(Vec::new()) };
    /// Whether there is somebody in that list.
    static HAS_RAISED: Cell<bool> = const { Cell::new(false) };
    /// Whether frames that belong to no fiber of the execution may be unwinding: the search, or a fiber that was left half-way.
    static OTHERS_UNWIND: Cell<bool> = const { Cell::new(false) };
    /// Whether the hook was told of a panic that cannot unwind.
    static CANNOT_GO_ON: Cell<bool> = const { Cell::new(false) };
    /// Whether a fiber was left while Rust wrote the message of its panic, with the lock of the hook in its hands.
    static HOLDS_HOOK: Cell<bool> = const { Cell::new(false) };
}

/// Whether a thread of the checked program has begun to unwind, as far as is known.
pub fn has_raised(thread: ThreadIndex) -> bool {
    RAISED.with_borrow(|raised| raised.contains(&thread))
}

/// A thread of the checked program begins to unwind.
pub fn note_raised(thread: ThreadIndex) {
    let _ = HAS_RAISED.try_with(|has_raised| has_raised.set(true));
    let _ = RAISED.try_with(|raised| raised.borrow_mut().push(thread));
}

/// No fiber unwinds.
#[inline]
pub fn note_calm() {
    if HAS_RAISED.get() {
        HAS_RAISED.set(false);
        RAISED.with_borrow_mut(Vec::clear);
    }
}

/// Whether frames that belong to no fiber of the execution may be unwinding.
pub fn others_unwind() -> bool {
    OTHERS_UNWIND.get()
}

/// Sets whether they may. Returns what was set before.
pub fn set_others_unwind(others_unwind: bool) -> bool {
    OTHERS_UNWIND.replace(others_unwind)
}

/// A fiber was left half-way. Rust would take the next panic for one inside of the hook if the fiber was left there.
pub fn note_left_half_way() {
    set_others_unwind(true);
    leave_hook();
}

/// Ends the hook of a panic that was left half-way, for Rust: to be caught is the end of it. If the hook runs, this also makes Rust count one
/// panic less.
fn leave_hook() {
    let _ = catch_unwind(|| resume_unwind(Box::new(())));
}

/// All fibers have ended or were left half-way, and the search does not unwind: nothing does, whatever Rust has counted.
pub fn calm_down() {
    const MOST: u32 = 100;
    for _ in 0..MOST {
        if !std::thread::panicking() {
            set_others_unwind(false);
            note_calm();
            return;
        }
        let noise = set_noise(Noise::Discounting);
        let _ = catch_unwind(|| panic!("one less"));
        set_noise(noise);
    }
}

/// The beginnings of the messages with which Rust says that it is about to abort, because a panic cannot leave a destructor that unwinding runs
/// or a function of C.
const CANNOT_UNWIND: [&str; 2] =
    ["panic in a destructor during cleanup", "panic in a function that cannot unwind"];

/// The beginnings of the messages of panics that Rust does not let unwind.
const DOES_NOT_UNWIND: [&str; 2] = ["null pointer dereference occurred", "unsafe precondition(s) violated"];

/// Whether nobody can change the hook of panics any more, because a fiber that was left holds its lock. The test harness wants to.
pub fn hook_is_lost() -> bool {
    HOLDS_HOOK.get()
}

/// Installs the hook, once for the process.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Some(thread) = execution::current_thread() {
                note_raised(thread);
                let noted = note(info);
                let begins_with =
                    |beginnings: [&str; 2]| beginnings.iter().any(|&b| noted.message.starts_with(b));
                let is_followed = begins_with(CANNOT_UNWIND);
                if is_followed || begins_with(DOES_NOT_UNWIND) {
                    CANNOT_GO_ON.set(true);
                }
                if !is_followed {
                    NOTED.with_borrow_mut(|all| all.push((thread, noted)));
                }
            }
            match NOISE.get() {
                Noise::Usual => previous(info),
                Noise::Quiet => {}
                Noise::Discounting => leave_hook(),
            }
        }));
    });
}

/// Sets whether panics on this thread are printed. Returns what was set before.
pub fn set_noise(noise: Noise) -> Noise {
    NOISE.replace(noise)
}

/// The panic of a thread with this message, its latest one. All panics of the thread are forgotten.
pub fn take(thread: ThreadIndex, message: &str) -> Noted {
    let noted = take_all(thread).into_iter().rfind(|noted| noted.message == message);
    noted.unwrap_or_else(|| Noted { message: message.to_owned(), site: None })
}

/// Where a thread was when it was left half-way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftIn {
    /// In the midst of the message of a panic.
    Hook,
    /// Elsewhere.
    Code,
}

/// A thread was left there. One that Rust was about to abort has left the hook, though it is in the function that called it.
pub fn note_left_in(place: LeftIn) {
    if !CANNOT_GO_ON.replace(false) && place == LeftIn::Hook {
        HOLDS_HOOK.set(true);
    }
}

/// The panics of a thread that was about to abort, as one; nothing if it aborted for another reason.
pub fn take_before_abort(thread: ThreadIndex, place: LeftIn) -> Option<Noted> {
    let all = take_all(thread);
    if !CANNOT_GO_ON.get() && place == LeftIn::Code {
        return None;
    }
    let site = all.last().and_then(|noted| noted.site.clone());
    let at = |noted: &Noted| noted.site.as_ref().map_or(String::new(), |site| format!(" at {site}"));
    let message = match all.as_slice() {
        [] => "a panic while the message of a panic was written".to_owned(),
        [only] => format!("{} (it cannot unwind, which ends the process without a check)", only.message),
        [.., before, last] => format!(
            "{} (a destructor panicked during the unwinding of the panic{}: {}; without a check this ends the process)",
            last.message,
            at(before),
            before.message
        ),
    };
    Some(Noted { message, site })
}

fn take_all(thread: ThreadIndex) -> Vec<Noted> {
    NOTED.with_borrow_mut(|all| {
        let (own, others) = std::mem::take(all).into_iter().partition(|(other, _)| *other == thread);
        *all = others;
        let own: Vec<(ThreadIndex, Noted)> = own;
        own.into_iter().map(|(_, noted)| noted).collect()
    })
}

/// Forgets all panics: the fibers of the execution have ended or were left.
pub fn forget() {
    NOTED.with_borrow_mut(Vec::clear);
    note_calm();
}

fn note(info: &PanicHookInfo) -> Noted {
    let site =
        info.location().map(|l| Site { file: l.file().to_owned(), line: l.line(), column: l.column() });
    Noted { message: message_of(info.payload()), site }
}

/// The message of a panic's payload.
pub fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
