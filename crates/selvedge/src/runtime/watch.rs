//! A watch over checked closures that never come back.
//!
//! All threads of a checked program share one thread of the operating system. A loop without an operation of this library, or a lock of
//! std that another of them holds, stops it for good, and nothing of ours would run any more. So a thread of our own looks every now and then
//! whether there is life. After some time without, it asks for the fiber to be [taken off](super::trap) the processor; if that does not
//! help, it says where life ended and ends the process.

use super::operation::Place;
use super::trap;
use std::io::Write as _;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, Weak};
use std::time::{Duration, Instant};

/// The time between two looks.
const INTERVAL: Duration = Duration::from_millis(20);

/// How often the watch asks for a fiber before it gives up.
const MOST_ATTEMPTS: u32 = 200;

/// Stands for the beginning of a thread.
static BEGINNING: u8 = 0;

/// Signs of life of the checks on one thread of the operating system.
#[derive(Debug, Default)]
pub struct Pulse {
    /// How often the user's code has gone on.
    beat: AtomicU64,
    /// The operation after which it runs; nothing while it does not run.
    place: AtomicPtr<Location<'static>>,
    /// The thread of the operating system.
    system_thread: AtomicU64,
    /// How long there may be no life, in milliseconds; 0 for ever.
    silence: AtomicU64,
    /// The beat after which the fiber that runs is to be taken off, plus one; 0 for none.
    asked: AtomicU64,
}

impl Pulse {
    /// A pulse that is watched for as long as it exists.
    pub fn watched() -> Arc<Pulse> {
        static WATCHED: Mutex<Vec<Weak<Pulse>>> = Mutex::new(Vec::new());
        static STARTED: Once = Once::new();
        let pulse = Arc::new(Pulse::default());
        if let Ok(mut watched) = WATCHED.lock() {
            watched.retain(|other| other.strong_count() > 0);
            watched.push(Arc::downgrade(&pulse));
        }
        // Miri wants all threads to have ended when the process does.
        if !cfg!(miri) {
            STARTED.call_once(|| {
                let watch = std::thread::Builder::new().name("selvedge watch".to_owned());
                // Without it, checks work as well.
                let _ = watch.spawn(|| watch_over(&WATCHED));
            });
        }
        pulse
    }

    /// The user's code goes on after an operation, or begins.
    #[inline]
    pub fn goes_on(&self, place: Option<Place>) {
        let place = place.map_or(ptr::from_ref(&BEGINNING).cast(), ptr::from_ref);
        self.place.store(place.cast_mut(), Ordering::Relaxed);
        // Nobody else changes it.
        self.beat.store(self.beat.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// The user's code has come back.
    #[inline]
    pub fn has_come_back(&self) {
        self.place.store(ptr::null_mut(), Ordering::Relaxed);
    }

    /// There may be no life for so long.
    pub fn set_silence(&self, silence: Option<Duration>) {
        self.system_thread.store(trap::system_thread(), Ordering::Relaxed);
        let silence = silence.map_or(0, |silence| silence.as_millis().clamp(1, u128::from(u64::MAX)) as u64);
        self.silence.store(silence, Ordering::Relaxed);
    }

    /// Whether the fiber that runs is to be taken off the processor.
    pub fn is_asked(&self) -> bool {
        let asked = self.asked.load(Ordering::Relaxed);
        asked != 0 && asked == self.beat.load(Ordering::Relaxed).wrapping_add(1)
    }

    /// Looks whether there was life since the last look.
    fn look(&self, seen: &mut Seen) -> Look {
        let beat = self.beat.load(Ordering::Relaxed);
        if beat != seen.beat || self.place.load(Ordering::Relaxed).is_null() {
            *seen = Seen { beat, since: Instant::now(), attempts: 0 };
            return Look::Alive;
        }
        let silence = self.silence.load(Ordering::Relaxed);
        if silence == 0 || seen.since.elapsed() < Duration::from_millis(silence) {
            return Look::Alive;
        }
        seen.attempts += 1;
        if seen.attempts > MOST_ATTEMPTS {
            return Look::Hopeless(self.complaint());
        }
        self.asked.store(beat.wrapping_add(1), Ordering::Relaxed);
        Look::Silent(self.system_thread.load(Ordering::Relaxed))
    }

    fn complaint(&self) -> String {
        let place = self.place.load(Ordering::Relaxed);
        #[allow(unsafe_code, reason = "an atomic reference")]
        let since = match ptr::addr_eq(place, &BEGINNING) || place.is_null() {
            true => "its start".to_owned(),
            // SAFETY: it was made from a reference that lives for ever, to something that nobody changes.
            false => format!("its operation at {}", unsafe { &*place }),
        };
        format!(
            "selvedge: since {since}, a thread of the checked closure has come to no other operation of this library \
             for too long, and it cannot be interrupted. Is there a loop without end, or a lock, channel or thread of std? While one of \
             those waits, no thread of the checked closure can run: use those of selvedge. The process ends here.\n"
        )
    }
}

/// What the watch knows of a pulse.
#[derive(Debug)]
struct Seen {
    beat: u64,
    since: Instant,
    attempts: u32,
}

/// What a look at a pulse says.
#[derive(Debug, PartialEq, Eq)]
enum Look {
    Alive,
    /// The fiber that runs on that thread of the operating system is to be taken off.
    Silent(u64),
    /// That did not help; what to say.
    Hopeless(String),
}

fn watch_over(watched: &Mutex<Vec<Weak<Pulse>>>) {
    let mut known: Vec<(Weak<Pulse>, Seen)> = Vec::new();
    loop {
        std::thread::sleep(INTERVAL);
        let Ok(now) = watched.lock().map(|watched| watched.clone()) else { return };
        known.retain(|(pulse, _)| pulse.strong_count() > 0);
        for pulse in now {
            if !known.iter().any(|(other, _)| other.ptr_eq(&pulse)) {
                known.push((pulse, Seen { beat: 0, since: Instant::now(), attempts: 0 }));
            }
        }
        for (pulse, seen) in &mut known {
            // A thread that runs code of the user has not ended.
            let Some(pulse) = pulse.upgrade() else { continue };
            match pulse.look(seen) {
                Look::Alive => {}
                Look::Silent(thread) => trap::end_thread(thread),
                Look::Hopeless(complaint) => {
                    // Not the macro: tests capture what that prints, and this one will not end.
                    let _ = std::io::stderr().write_all(complaint.as_bytes());
                    std::process::exit(FAILED);
                }
            }
        }
    }
}

/// The exit code of tests that failed.
const FAILED: i32 = 101;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fiber_that_shows_no_life_is_asked_for_and_at_last_the_process_ends() {
        let pulse = Pulse::default();
        let mut seen = Seen { beat: 0, since: Instant::now(), attempts: 0 };
        pulse.goes_on(Some(Location::caller()));
        assert_eq!(pulse.look(&mut seen), Look::Alive, "it goes on");
        assert_eq!(pulse.look(&mut seen), Look::Alive, "without a limit it may take its time");
        pulse.set_silence(Some(Duration::from_millis(1)));
        std::thread::sleep(Duration::from_millis(5));
        assert!(!pulse.is_asked());
        assert!(matches!(pulse.look(&mut seen), Look::Silent(_)));
        assert!(pulse.is_asked());
        pulse.goes_on(None);
        assert!(!pulse.is_asked(), "there was life");
        assert_eq!(pulse.look(&mut seen), Look::Alive);
        std::thread::sleep(Duration::from_millis(5));
        for _ in 0..MOST_ATTEMPTS {
            assert!(matches!(pulse.look(&mut seen), Look::Silent(_)));
        }
        assert!(matches!(pulse.look(&mut seen), Look::Hopeless(text) if text.contains("since its start")));
        pulse.has_come_back();
        assert_eq!(pulse.look(&mut seen), Look::Alive, "the explorer may take its time");
    }
}
