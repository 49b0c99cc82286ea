//! Frames of a backtrace: which belong to the runtime, to libraries, and to the user.
//!
//! Debug information may spell folders in any way (relative, remapped, over a symbolic link), and where it has only lines, functions have no
//! crate. So the runtime's own frames are found by a marker: a function with a name of its own that is never inlined. Its place says how the folder of this
//! library is spelled here; where its place is not known, functions of this library are known by their crate.

use std::fmt;

/// The functions of the runtime in which backtraces are captured.
const MARKERS: [&str; 2] = ["selvedge_signal_handler", "selvedge_exit_noted"];

/// The crates of this library that users call.
const OWN_CRATES: [&str; 3] = ["selvedge", "selvedge_loom", "selvedge_shuttle"];

/// The crates that come with the compiler.
const STANDARD_CRATES: [&str; 3] = ["core", "alloc", "std"];

/// How many frames are shown.
const SHOWN: usize = 12;

/// The frames of a fiber: those between the function of the runtime that captured them and the search.
pub struct Frames<'a> {
    frames: Vec<Frame<'a>>,
    /// The folder of this library's files, if it is known.
    own_sources: Option<&'a str>,
}

/// A function, and the place in it; empty where it is not known.
#[derive(Clone, Copy)]
struct Frame<'a> {
    name: &'a str,
    place: &'a str,
}

impl<'a> Frames<'a> {
    /// The frames in a backtrace as std writes it.
    pub fn of(backtrace: &'a str) -> Frames<'a> {
        let mut frames: Vec<Frame> = Vec::new();
        for line in backtrace.lines().map(str::trim_start) {
            match (line.strip_prefix("at "), frames.last_mut()) {
                (Some(place), Some(frame)) => frame.place = place.strip_prefix("./").unwrap_or(place),
                _ => frames
                    .push(Frame { name: line.split_once(": ").map_or(line, |(_, name)| name), place: "" }),
            }
        }
        let marker =
            frames.iter().position(|frame| MARKERS.iter().any(|marker| frame.name.ends_with(marker)));
        let own_sources = marker.and_then(|marker| frames[marker].own_sources());
        let rest = frames.into_iter().skip(marker.map_or(0, |marker| marker + 1));
        Frames { frames: rest.take_while(|frame| !frame.is_search()).collect(), own_sources }
    }

    /// Whether anything is known of them: a program without symbols does not tell.
    pub fn are_known(&self) -> bool {
        self.frames.iter().any(|frame| frame.is_known())
    }

    /// Whether they lead through the hook of a panic.
    pub fn panic(&self) -> bool {
        self.frames.iter().any(|frame| frame.name.contains("panic_with_hook"))
    }

    /// The innermost function that belongs to neither std nor a library, as `name at file:line`.
    pub fn innermost(&self) -> Option<String> {
        let Frame { name, place } = self.frames.iter().find(|frame| self.is_of_user(frame))?;
        let place = place.rsplit_once(':').map_or(*place, |(place, _column)| place);
        Some(format!("`{name}` at {place}"))
    }

    fn is_ours(&self, frame: &Frame) -> bool {
        self.own_sources.is_some_and(|sources| frame.place.starts_with(sources)) || frame.is_of(&OWN_CRATES)
    }

    fn is_of_user(&self, frame: &Frame) -> bool {
        !frame.place.is_empty() && !frame.is_of_library() && !self.is_ours(frame)
    }
}

impl<'a> Frame<'a> {
    /// The folder `src` above the place of a function in the runtime.
    fn own_sources(self) -> Option<&'a str> {
        let runtime = self.place.rfind("src/runtime/")?;
        Some(&self.place[..runtime + "src/".len()])
    }

    fn is_known(&self) -> bool {
        self.name != "<unknown>"
    }

    /// Whether it lies outside of the fiber.
    fn is_search(&self) -> bool {
        self.name.contains("stack_init_trampoline") || self.name.contains("coroutine_func")
    }

    /// Whether the function belongs to one of these crates. A method of a trait belongs where both the type and the trait do, or to whoever
    /// implements a trait of his own.
    fn is_of(&self, crates: &[&str]) -> bool {
        let is_one =
            |path: &str, of: &[&str]| path.split_once("::").is_some_and(|(first, _)| of.contains(&first));
        match self.name.strip_prefix('<') {
            None => is_one(self.name, crates),
            Some(implementation) => {
                let (of, implemented) = implementation.split_once(" as ").unwrap_or((implementation, ""));
                let is_foreign = implemented.is_empty() || is_one(implemented, &STANDARD_CRATES);
                is_one(of, crates) && (is_foreign || is_one(implemented, crates))
            }
        }
    }

    fn is_of_library(&self) -> bool {
        const FOLDERS: [&str; 4] = ["/rustc/", "/lib/rustlib/", "/registry/src/", "/sysdeps/"];
        const OF_C: [&str; 4] = ["stdlib/", "nptl/", "signal/", "posix/"];
        let file = self.place.split(':').next().unwrap_or_default();
        let is_of_c = file.ends_with(".c") && OF_C.iter().any(|of_c| file.starts_with(of_c));
        is_of_c || FOLDERS.iter().any(|folder| self.place.contains(folder)) || self.is_of(&STANDARD_CRATES)
    }
}

/// A few of them up to the outermost of the user, on lines of their own.
impl fmt::Display for Frames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let shown = &self.frames[..self.frames.len().min(SHOWN)];
        let outermost = shown.iter().rposition(|frame| self.is_of_user(frame));
        let shown = &shown[..outermost.map_or(0, |position| position + 1)];
        for Frame { name, place } in shown.iter().filter(|frame| frame.is_known() && !self.is_ours(frame)) {
            write!(f, "\n    {name}  {place}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn innermost(backtrace: &str) -> Option<String> {
        Frames::of(backtrace).innermost()
    }

    /// An exit whose frames lie in these folders, with full names or, as debug information with nothing but lines has them, bare ones.
    fn exit(own: &str, user: &str, krate: &str, path: &str) -> String {
        format!(
            "   0: <std::backtrace::Backtrace>::force_capture\n             at /rustc/0/library/std/src/backtrace.rs:312:9\n\
             \x20  1: {krate}selvedge_exit_noted\n             at {own}src/runtime/exiting.rs:52:21\n\
             \x20  2: {krate}drop\n             at {own}src/runtime/exiting.rs:36:29\n\
             \x20  3: drop_in_place\n             at /rustc/0/library/core/src/ptr/mod.rs:805:1\n\
             \x20  4: <unknown>\n\
             \x20  5: exit\n             at ./stdlib/./stdlib/exit.c:139:3\n\
             \x20  6: std::process::exit\n             at /rustc/0/library/std/src/process.rs:2486:5\n\
             \x20  7: {path}handle\n             at {user}src/runtime/lib.rs:8:1\n\
             \x20  8: {krate}run\n             at {own}src/thread/spawn.rs:300:5\n\
             \x20  9: stack_init_trampoline\n\
             \x20 10: {path}main\n             at {user}src/main.rs:1:1\n"
        )
    }

    #[test]
    fn the_innermost_function_is_the_users_however_folders_are_spelled() {
        let folders =
            ["", "./", "./crates/selvedge/", "/b/selvedge/", "/../remapped/", "/b/src/runtime/selvedge/"];
        for own in folders {
            for (krate, path) in [("", ""), ("selvedge::runtime::exiting::", "app::")] {
                let expected = format!("`{path}handle` at /a/app/src/runtime/lib.rs:8");
                let text = exit(own, "/a/app/", krate, path);
                assert_eq!(innermost(&text), Some(expected), "{text}");
                let shown = Frames::of(&text).to_string();
                assert!(shown.contains("std::process::exit") && !shown.contains("exiting.rs"), "{shown}");
            }
        }
    }

    #[test]
    fn a_library_without_places_is_known_by_its_names() {
        let text = "   0: selvedge::runtime::exiting::selvedge_exit_noted\n   1: <selvedge::sync::Arc<T> as core::ops::Drop>::drop\n      \
                    at /b/selvedge/src/sync/arc.rs:1:1\n   2: <selvedge::sync::Arc<T> as app::Stops>::stop\n      at ./src/runtime/lib.rs:3:1\n";
        assert_eq!(
            innermost(text).as_deref(),
            Some("`<selvedge::sync::Arc<T> as app::Stops>::stop` at src/runtime/lib.rs:3")
        );
    }

    #[test]
    fn what_comes_before_the_handler_and_after_the_fiber_is_left_out() {
        let text = "   0: note_backtrace\n             at ./src/runtime/trap/signals.rs:1:2\n   1: selvedge_signal_handler\n             \
                    at ./src/runtime/trap/signals.rs:9:2\n   2: <unknown>\n   3: core::hint::spin_loop\n             \
                    at /rustc/0/library/core/src/hint.rs:2:3\n   4: app::wait\n             at ./tests/app.rs:7:9\n   \
                    5: stack_init_trampoline\n   6: app::main\n   at ./tests/main.rs:1:1\n";
        assert_eq!(innermost(text).as_deref(), Some("`app::wait` at tests/app.rs:7"));
        assert_eq!(Frames::of(text).to_string().lines().count(), 3);
        assert_eq!(innermost(""), None);
    }

    #[test]
    fn files_of_the_user_may_have_names_of_folders_of_the_c_library() {
        let text = "   0: abort\n      at ./stdlib/./stdlib/abort.c:79:7\n   1: stop\n      at ./signal/src/lib.rs:4:9\n";
        assert_eq!(innermost(text).as_deref(), Some("`stop` at signal/src/lib.rs:4"));
    }
}
