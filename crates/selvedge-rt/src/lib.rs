//! The run time that holds a native program to a schedule, as C that is compiled with the program by the user's clang.
//!
//! It knows nothing of the verifier: a [table](TABLE_MAGIC) of numbers says which event of a thread comes after which events of others, and
//! hooks in the program (`selvedge-build` puts them there) tell it where a thread stands. [`source`] is all of it as one file, so that the binary
//! `selvedge` carries it and `cargo install` suffices.
//!
//! It is C rather than Rust because the user's compiler is there anyway, makes it for the target and the C library of the program, and knows the thread-local
//! model that hooks and run time share; a static library of Rust would have to be built for each target beforehand.

/// The first word of a table of this version.
pub const TABLE_MAGIC: u32 = 0x3154_5653;

/// The parts, in the order in which they are compiled.
const PARTS: [(&str, &str); 10] = [
    ("runtime.h", include_str!("runtime/runtime.h")),
    ("progress.c", include_str!("runtime/progress.c")),
    ("event.c", include_str!("runtime/event.c")),
    ("report.c", include_str!("runtime/report.c")),
    ("record.c", include_str!("runtime/record.c")),
    ("stats.c", include_str!("runtime/stats.c")),
    ("threads.c", include_str!("runtime/threads.c")),
    ("conditions.c", include_str!("runtime/conditions.c")),
    ("override.c", include_str!("runtime/override.c")),
    ("start.c", include_str!("runtime/start.c")),
];

/// The functions that the run time has in place of those of the C and C++ library: calls of the first in the program become calls of the second.
pub const REPLACED: [(&str, &str); 29] = [
    ("pthread_create", "selvedge_pthread_create"),
    ("pthread_join", "selvedge_pthread_join"),
    ("fork", "selvedge_fork"),
    ("thrd_create", "selvedge_thrd_create"),
    ("thrd_join", "selvedge_thrd_join"),
    ("pthread_cond_init", "selvedge_pthread_cond_init"),
    ("pthread_cond_destroy", "selvedge_pthread_cond_destroy"),
    ("pthread_cond_wait", "selvedge_pthread_cond_wait"),
    ("pthread_cond_timedwait", "selvedge_pthread_cond_timedwait"),
    ("pthread_cond_clockwait", "selvedge_pthread_cond_clockwait"),
    ("pthread_cond_signal", "selvedge_pthread_cond_signal"),
    ("pthread_cond_broadcast", "selvedge_pthread_cond_broadcast"),
    ("cnd_init", "selvedge_cnd_init"),
    ("cnd_destroy", "selvedge_cnd_destroy"),
    ("cnd_wait", "selvedge_cnd_wait"),
    ("cnd_timedwait", "selvedge_cnd_timedwait"),
    ("cnd_signal", "selvedge_cnd_signal"),
    ("cnd_broadcast", "selvedge_cnd_broadcast"),
    ("pthread_barrier_init", "selvedge_pthread_barrier_init"),
    ("pthread_barrier_destroy", "selvedge_pthread_barrier_destroy"),
    ("pthread_barrier_wait", "selvedge_pthread_barrier_wait"),
    ("pthread_once", "selvedge_pthread_once"),
    ("call_once", "selvedge_call_once"),
    ("_ZNSt18condition_variableC1Ev", "selvedge_cpp_cond_init"),
    ("_ZNSt18condition_variableD1Ev", "selvedge_cpp_cond_destroy"),
    ("_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "selvedge_cpp_cond_wait"),
    ("_ZNSt18condition_variable10notify_oneEv", "selvedge_cpp_notify_one"),
    ("_ZNSt18condition_variable10notify_allEv", "selvedge_cpp_notify_all"),
    ("_ZNSt6thread4joinEv", "selvedge_cpp_join"),
];

/// The function by which `std::thread` makes threads; a program that calls it needs the part of the run time for C++.
pub const START_CPP: (&str, &str) = (
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
    "selvedge_cpp_start",
);

/// Functions of the run time that a program may call by these names.
pub const PROVIDED: [&str; 3] = ["selvedge_wait", "selvedge_notify", "selvedge_lock_all"];

/// The source of the run time.
pub fn source() -> String {
    PARTS.iter().map(|(name, text)| format!("#line 1 \"selvedge/{name}\"\n{text}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_replaces_a_function_is_in_the_source() {
        let source = source();
        for (_, replacement) in REPLACED.iter().chain([&START_CPP]) {
            assert!(source.contains(&format!("{replacement}(")), "{replacement}");
        }
        assert!(PROVIDED.iter().all(|name| source.contains(&format!("{name}("))));
        assert!(source.contains(&format!("MAGIC = 0x{TABLE_MAGIC:x}")));
    }
}
