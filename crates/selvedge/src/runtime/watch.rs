//! A watch over checked closures that never come back.
//!
//! All threads of a checked program share one thread of the operating system. A loop without an operation of this library, or a lock of
//! std that another of them holds, stops it for good, and nothing of ours would run any more. So a thread of our own looks every few
//! seconds whether there is life, and says where it ended.

use super::operation::Place;
use std::io::Write as _;
use std::panic::Location;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, Weak};
use std::time::Duration;

/// The time between two looks. Who shows no life twice is complained of.
const INTERVAL: Duration = Duration::from_secs(5);

/// Stands for the beginning of a thread.
static BEGINNING: u8 = 0;

/// Signs of life of the checks on one thread of the operating system.
#[derive(Debug, Default)]
pub struct Pulse {
    /// How often the user's code has gone on.
    beat: AtomicU64,
    /// The operation after which it runs; nothing while it does not run.
    place: AtomicPtr<Location<'static>>,
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

    /// What to say if there was no life since the pulse was `before`; sets that.
    fn complaint(&self, before: &mut u64, quiet: &mut u32) -> Option<String> {
        let beat = self.beat.load(Ordering::Relaxed);
        let place = self.place.load(Ordering::Relaxed);
        *quiet = if beat == *before && !place.is_null() { *quiet + 1 } else { 0 };
        *before = beat;
        if *quiet != 2 {
            return None;
        }
        #[allow(unsafe_code, reason = "an atomic reference")]
        let since = match ptr::addr_eq(place, &BEGINNING) {
            true => "its start".to_owned(),
            // SAFETY: it was made from a reference that lives for ever, to something that nobody changes.
            false => format!("its operation at {}", unsafe { &*place }),
        };
        Some(format!(
            "selvedge: since {since}, a thread of the checked closure has come to no other operation of this library \
             for many seconds. Is there a loop without end, or a lock, channel or thread of std? While one of those waits, \
             no thread of the checked closure can run: use those of selvedge.\n"
        ))
    }
}

fn watch_over(watched: &Mutex<Vec<Weak<Pulse>>>) {
    let mut known: Vec<(Weak<Pulse>, u64, u32)> = Vec::new();
    loop {
        std::thread::sleep(INTERVAL);
        let Ok(now) = watched.lock().map(|watched| watched.clone()) else { return };
        known.retain(|(pulse, ..)| pulse.strong_count() > 0);
        for pulse in now {
            if !known.iter().any(|(other, ..)| other.ptr_eq(&pulse)) {
                known.push((pulse, 0, 0));
            }
        }
        for (pulse, before, quiet) in &mut known {
            if let Some(complaint) = pulse.upgrade().and_then(|pulse| pulse.complaint(before, quiet)) {
                // Not the macro: tests capture what that prints, and this one will not end.
                let _ = std::io::stderr().write_all(complaint.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_come_back_is_complained_of_once() {
        let pulse = Pulse::default();
        let (mut before, mut quiet) = (0, 0);
        let mut look = || pulse.complaint(&mut before, &mut quiet);
        assert_eq!((look(), look(), look()), (None, None, None), "nothing runs");
        pulse.goes_on(Some(Location::caller()));
        assert_eq!((look(), look()), (None, None));
        assert!(look().is_some_and(|text| text.contains("watch.rs:")));
        assert_eq!((look(), look()), (None, None), "once is enough");
        pulse.goes_on(Some(Location::caller()));
        assert_eq!((look(), look()), (None, None));
        pulse.goes_on(Some(Location::caller()));
        assert_eq!((look(), look()), (None, None), "there was life");
        pulse.goes_on(None);
        assert_eq!((look(), look()), (None, None));
        assert!(look().is_some_and(|text| text.contains("since its start")));
        pulse.has_come_back();
        assert_eq!((look(), look(), look()), (None, None, None), "the explorer may take its time");
    }
}
