//! Functions of the C library that call back, or are long: they are compiled with the program that needs them.
//!
//! What the machine does itself cannot call functions of the program. So these are C, compiled by the same clang, and their
//! text takes the place of their declarations. The text of clang without debug information needs nothing else:
//! registers are numbered within each function, and attributes are skipped.
//!
//! Of the C++ library most is in headers. What is not, and programs need, is C++ of our own that is included before them.

/// A function, its name and its source.
const FUNCTIONS: [(&str, &str); 20] = [
    ("qsort", include_str!("library/qsort.c")),
    ("bsearch", include_str!("library/bsearch.c")),
    ("strtok_r", include_str!("library/strtok_r.c")),
    ("strtok", include_str!("library/strtok.c")),
    ("strsep", include_str!("library/strsep.c")),
    ("strerror", include_str!("library/strerror.c")),
    ("strspn", include_str!("library/strspn.c")),
    ("strcspn", include_str!("library/strcspn.c")),
    ("strpbrk", include_str!("library/strpbrk.c")),
    ("strncasecmp", include_str!("library/strncasecmp.c")),
    ("div", include_str!("library/div.c")),
    ("__ctype_b_loc", include_str!("library/ctype_b_loc.c")),
    ("__ctype_tolower_loc", include_str!("library/ctype_tolower_loc.c")),
    ("__ctype_toupper_loc", include_str!("library/ctype_toupper_loc.c")),
    ("scanf", concat!("#define NAME scanf\n", include_str!("library/scanf.c"))),
    ("__isoc99_scanf", concat!("#define NAME __isoc99_scanf\n", include_str!("library/scanf.c"))),
    ("__isoc23_scanf", concat!("#define NAME __isoc23_scanf\n", include_str!("library/scanf.c"))),
    ("sscanf", concat!("#define NAME sscanf\n", include_str!("library/sscanf.c"))),
    ("__isoc99_sscanf", concat!("#define NAME __isoc99_sscanf\n", include_str!("library/sscanf.c"))),
    ("__isoc23_sscanf", concat!("#define NAME __isoc23_sscanf\n", include_str!("library/sscanf.c"))),
];

/// The functions that a module in text form declares and we have: their names with their sources.
pub fn missing(text: &str) -> Vec<(&'static str, &'static str)> {
    FUNCTIONS.iter().copied().filter(|(name, _)| declaration(text, name).is_some()).collect()
}

/// Puts the definition of a function, which is in a module of its own, in the place of its declaration; the types and variables that
/// it needs come first.
pub fn define(text: &str, name: &str, definition: &str) -> Option<String> {
    let declaration = declaration(text, name)?;
    let start = definition.find("\ndefine ")? + 1;
    let end = start + definition[start..].find("\n}\n")? + 3;
    let own = format!("@{name}.");
    let is_type = |line: &str| line.starts_with('%') && line.contains(" = type ") && !text.contains(line);
    let is_new = |line: &&str| is_type(line) || line.starts_with(&own);
    let types: String = definition.lines().filter(is_new).map(|line| format!("{line}\n")).collect();
    Some(types + &text.replacen(declaration, &definition[start..end], 1))
}

/// The line that declares a function.
fn declaration<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let name = format!("@{name}(");
    text.lines().find(|line| line.starts_with("declare ") && line.contains(&name))
}

/// The name of the file that holds the parts, for clang and in the debug information.
pub const PARTS_FILE: &str = "/dev/stdin";

/// What the C++ library keeps in its binary, as source of our own: what shows that a module needs it, and the source.
const PARTS: [(&[&str], &str); 12] = [
    (
        &[
            "_error",
            "_ZTISt",
            "_ZTVSt",
            "St9exception",
            "St9bad_alloc",
            "__cxa_bad_",
            "St12out_of_range",
            "St16invalid_argument",
            "__throw_",
        ],
        include_str!("library/exceptions.hpp"),
    ),
    (
        &["exception_ptr", "_ZSt17current_exceptionv", "_ZSt17rethrow_exception"],
        include_str!("library/exception_ptr.hpp"),
    ),
    (&["_Rb_tree_"], include_str!("library/tree.hpp")),
    (&["_List_node_base"], include_str!("library/list.hpp")),
    (&["_Prime_rehash_policy"], include_str!("library/buckets.hpp")),
    (&["_Hash_bytes"], include_str!("library/hash.hpp")),
    (
        &["__cxx1112basic_string", "_ZNSaIc", "_error", "_ZTISt", "__cxa_bad_"],
        include_str!("library/strings.hpp"),
    ),
    (&["__once_proxy", "__once_call"], include_str!("library/once.hpp")),
    (&["_Sp_locker"], include_str!("library/shared_ptr.hpp")),
    (&["bad_function_call"], include_str!("library/function.hpp")),
    (
        &["error_category", "system_error", "generic_category", "__future_base", "future_error"],
        include_str!("library/system_error.hpp"),
    ),
    (&["__future_base", "future_error", "future_category"], include_str!("library/future.hpp")),
];

/// Functions that the library has in headers and that take many steps there, each with ours: where a sign occurs anywhere, for
/// the name is found in what is said for debuggers even where the function was inlined. They come before all others, so that what
/// the library defines after them finds them.
///
/// - Waiting for an atomic variable to change: the library looks several times, counts the threads that wait, and only then asks the system. Ours
///   looks and waits. Barriers wait for what they are about, semaphores are those of POSIX.
/// - `std::latch` waits for its count.
/// - `std::lock` takes one of several mutexes and tries the others, round and round; ours takes them all when they are free.
const SHORTER: [(&[&str], &str); 3] = [
    (
        &["__atomic_wait_address", "__atomic_notify_address", "__atomic_semaphore"],
        include_str!("library/atomic_wait.hpp"),
    ),
    (&["_ZNSt5latch", "_ZNKSt5latch"], include_str!("library/latch.hpp")),
    (&["_ZSt4lockI"], include_str!("library/lock.hpp")),
];

/// C++ to be included before a program that compiles to a module which lacks it; nothing if it lacks none.
///
/// That the library may throw matters only if it is caught.
pub fn missing_parts(text: &str) -> Option<String> {
    let catches = text.contains("          catch ptr @") || text.contains("          catch i8* bitcast");
    let is_missing = |line: &&str| {
        (line.starts_with("declare ") || line.starts_with('@') && line.contains(" = external "))
            && is_of_cpp(line)
            && (catches || !line.contains("__throw_"))
    };
    let lines: Vec<&str> = text.lines().filter(is_missing).collect();
    let needed = PARTS.iter().filter(|(signs, _)| lines.iter().any(|l| signs.iter().any(|s| l.contains(s))));
    let shorter = SHORTER.iter().filter(|(signs, _)| signs.iter().any(|sign| text.contains(sign)));
    let source: String = shorter.chain(needed).map(|part| part.1).collect();
    (!source.is_empty()).then_some(source)
}

/// Whether the symbol of a line is one of the C++ library: a function of C may be called `report_error`, too.
fn is_of_cpp(line: &str) -> bool {
    let symbol = line.split_once('@').map_or("", |(_, rest)| rest);
    ["_Z", "__cxa_", "__once_"].iter().any(|prefix| symbol.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_c_needs_no_part_of_the_cpp_library() {
        assert_eq!(
            missing_parts("declare void @reach_error()\ndeclare void @wait_for_exception_ptr(ptr)\n"),
            None
        );
        assert!(missing_parts("declare void @_ZNSt13runtime_errorC1EPKc(ptr, ptr)\n").is_some());
    }

    #[test]
    fn parts_of_the_cpp_library_are_needed_where_they_are_declared() {
        assert_eq!(missing_parts("declare void @_ZSt20__throw_length_errorPKc(ptr)\n"), None);
        let catches = "declare void @_ZSt20__throw_length_errorPKc(ptr)\n          catch ptr @_ZTIi\n";
        assert!(missing_parts(catches).is_some_and(|source| source.contains("length_error")));
        let once = missing_parts("declare void @__once_proxy()\n").unwrap_or_default();
        assert!(once.contains("__once_callable") && !once.contains("bad_alloc"));
    }

    #[test]
    fn our_lock_comes_before_what_uses_it() {
        let text = "declare void @__once_proxy()\n!1 = !DISubprogram(linkageName: \"_ZSt4lockISt5mutexS0_JEEvRT_RT0_DpRT1_\")\n";
        let source = missing_parts(text).unwrap_or_default();
        let (lock, once) = (source.find("selvedge_lock_all"), source.find("__once_callable"));
        assert!(lock.is_some() && lock < once);
    }

    #[test]
    fn a_definition_brings_its_own_variables() {
        let text = "declare ptr @strtok(ptr, ptr)\n";
        let module = "@strtok.rest = internal global ptr null\n@other = global i32 0\n\ndefine ptr @strtok(ptr %0, ptr %1) {\n  ret ptr null\n}\n";
        let complete = define(text, "strtok", module).expect("it is declared and defined");
        assert!(complete.starts_with("@strtok.rest = internal global ptr null\ndefine ptr @strtok("));
    }

    #[test]
    fn a_definition_takes_the_place_of_its_declaration() {
        let text = "declare void @qsort(ptr, i64, i64, ptr) #1\n\ndeclare i32 @puts(ptr)\n";
        assert_eq!(missing(text).iter().map(|function| function.0).collect::<Vec<_>>(), ["qsort"]);
        let module =
            "target triple = \"x\"\n\ndefine void @qsort(ptr %0) {\n  ret void\n}\n\nattributes #0 = {}\n";
        let complete = define(text, "qsort", module).expect("it is declared and defined");
        assert_eq!(complete, "define void @qsort(ptr %0) {\n  ret void\n}\n\n\ndeclare i32 @puts(ptr)\n");
        assert!(missing(&complete).is_empty());
    }
}
