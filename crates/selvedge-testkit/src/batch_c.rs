//! Many small C programs compiled in one run of clang, which takes longer to start than to compile one of them.

use selvedge_llvm::{Module, clang};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// Compiles programs that share declarations. In each, names of its own begin with `prefix`, and `main` is among them. The file at
/// `source` is overwritten.
///
/// # Errors
/// In words, why clang or the reader does not accept them.
pub fn modules(
    world: &str,
    prefix: &str,
    programs: &[String],
    source: &Path,
) -> Result<Vec<Arc<Module>>, String> {
    let mut text = world.to_owned();
    for (number, program) in programs.iter().enumerate() {
        let _ = writeln!(text, "{}", program.replace(prefix, &format!("p{number}_")));
    }
    std::fs::write(source, text).map_err(|error| error.to_string())?;
    let text = clang::compile(source, None, &["-g0".to_owned()]).map_err(|error| error.to_string())?;
    let definitions: Vec<(Option<usize>, &str)> = definitions(&text);
    let module = |number: usize| {
        let own = definitions.iter().filter(|(owner, _)| owner.is_none_or(|owner| owner == number));
        let text: String = own.map(|(_, text)| *text).collect();
        let text = text.replace(&format!("@p{number}_main("), "@main(");
        selvedge_llvm::read(&text).map(Arc::new).map_err(|error| error.to_string())
    };
    (0..programs.len()).map(module).collect()
}

/// The same program alone in a file.
pub fn alone(world: &str, prefix: &str, program: &str) -> String {
    format!("{world}{}", program.replace(prefix, ""))
}

/// The text in parts: each definition of a function of some program with the number of that program, and all between them.
fn definitions(text: &str) -> Vec<(Option<usize>, &str)> {
    let mut parts = Vec::new();
    let (mut start, mut at, mut owner) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let begins = line.starts_with("define ");
        if begins {
            parts.push((None, &text[start..at]));
            (start, owner) = (at, owner_of(line));
        }
        at += line.len();
        if line.starts_with('}') {
            parts.push((owner.take(), &text[start..at]));
            start = at;
        }
    }
    parts.push((None, &text[start..]));
    parts
}

/// The program to which the function of a line such as `define i32 @p12_t0(i8* %0)` belongs.
fn owner_of(line: &str) -> Option<usize> {
    let name = line.split_once('@')?.1;
    name.strip_prefix('p')?.split_once('_')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_apart_by_their_owners() {
        let text = "@g = global i32 0\ndefine i32 @p1_f(i8* %0) {\n  ret i32 0\n}\n\ndefine void @pair() {\n}\ndeclare void @p2_g()\n";
        let parts = definitions(text);
        let owners: Vec<_> = parts.iter().map(|part| part.0).collect();
        assert_eq!(owners, [None, Some(1), None, None, None]);
        assert_eq!(parts.iter().map(|part| part.1).collect::<String>(), text);
    }
}
