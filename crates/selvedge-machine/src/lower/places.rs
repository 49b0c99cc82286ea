//! Places in the source, from the debug information, and which of them are the user's.

use super::Lowering;
use crate::code::{Code, Op, Place};
use selvedge_llvm::headers;
use selvedge_llvm::instruction::DebugLocation;
use selvedge_llvm::library::PARTS_FILE;

/// How often a function may be inlined into another.
const MOST_INLINED: usize = 100;

/// Parts of the names of files that belong to the system, not to the user.
const SYSTEM: [&str; 7] = [
    "/usr/include/",
    "/usr/lib/",
    "/usr/local/include/",
    "/include/c++/",
    "/lib/clang/",
    "/lib/gcc/",
    headers::FOLDER,
];

impl Lowering<'_> {
    /// The place in the source of a location. Where a function of a library was inlined it is that of the call in the user's source.
    pub(super) fn place(&mut self, location: Option<DebugLocation>) -> Place {
        let Some(location) = location else { return Place::default() };
        if let Some(&place) = self.places.get(&location.0) {
            return place;
        }
        let own = self.place_of(location.0);
        let mut found = own;
        let mut at = location.0;
        for _ in 0..MOST_INLINED {
            let outer = self.module.metadata.node(at).and_then(|node| node.reference("inlinedAt"));
            let (false, Some(outer)) = (self.code.is_users(found), outer) else { break };
            found = self.place_of(outer);
            at = outer;
        }
        let place = if self.code.is_users(found) { found } else { own };
        self.places.insert(location.0, place);
        place
    }

    /// The place of a function's head.
    pub(super) fn place_of_function(&mut self, debug: Option<u32>) -> Place {
        debug.map_or(Place::default(), |node| self.place_of(node))
    }

    /// The place that a node of the debug information names.
    fn place_of(&mut self, number: u32) -> Place {
        let metadata = &self.module.metadata;
        let Some(node) = metadata.node(number) else { return Place::default() };
        let file = match node.reference("scope") {
            Some(scope) if node.kind == "DILocation" => metadata.file_of(scope),
            _ => metadata.file_of(number),
        };
        let name = match file {
            Some((name, directory)) if !name.starts_with('/') && !directory.is_empty() => {
                format!("{directory}/{name}")
            }
            Some((name, _)) => name.to_owned(),
            None => String::new(),
        };
        let field = |field| node.number(field).unwrap_or(0) as u32;
        let (line, column) = (field("line"), field("column"));
        Place { file: self.file(name), line, column }
    }

    /// The number of a file.
    fn file(&mut self, name: String) -> u32 {
        let next = self.files.len() as u32;
        let file = *self.files.entry(name.clone()).or_insert(next);
        if file == next {
            self.code.library_files.push(is_of_a_library(&name));
            self.code.files.push(name);
        }
        file
    }
}

/// Whether a file is not the user's: a header of the system, or source of our own.
fn is_of_a_library(name: &str) -> bool {
    name.is_empty() || name == PARTS_FILE || SYSTEM.iter().any(|part| name.contains(part))
}

/// Tells calls of functions whether they are in the user's source.
pub fn note_callers(code: &mut Code) {
    for pc in 0..code.ops.len() {
        if let Op::Call { call } | Op::CallIndirect { call } = code.ops[pc]
            && code.is_users(code.places[pc])
        {
            code.calls[call as usize].from = pc as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_the_system_are_not_the_users() {
        assert!(is_of_a_library("/usr/include/x86_64-linux-gnu/bits/stdio2.h"));
        assert!(is_of_a_library("/opt/llvm/include/c++/v1/mutex"));
        assert!(is_of_a_library(PARTS_FILE));
        assert!(!is_of_a_library("/home/user/project/include/queue.h"));
        assert!(!is_of_a_library("queue.c"));
    }
}
