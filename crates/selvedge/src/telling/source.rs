//! Source files, as far as they can be found.
//!
//! The compiler knows files by the path it was given, which is relative to the root of the workspace; tests run in the
//! folder of their package. So a file is looked for from the present folder upwards.

use crate::runtime::failure::Site;
use selvedge_claim::excerpt::Excerpt;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

thread_local! {
    /// The lines of the files that were looked for. A report asks for the same few lines again and again.
    static FILES: RefCell<HashMap<String, Vec<String>>> = RefCell::new(HashMap::new());
}

/// The text of a line, if the file can be found.
pub fn line(file: &str, number: u32) -> Option<String> {
    let index = number.checked_sub(1)? as usize;
    FILES.with_borrow_mut(|files| {
        if !files.contains_key(file) {
            files.insert(file.to_owned(), lines(file).unwrap_or_default());
        }
        files.get(file)?.get(index).cloned()
    })
}

fn lines(file: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(find(file)?).ok()?;
    Some(text.lines().map(|line| line.replace('\t', " ")).collect())
}

fn find(file: &str) -> Option<PathBuf> {
    let path = Path::new(file);
    let folder = std::env::current_dir().ok()?;
    folder.ancestors().map(|ancestor| ancestor.join(path)).find(|candidate| candidate.is_file())
}

/// The line of a site with everything from its column on underlined.
pub fn excerpt(site: &Site) -> Option<Excerpt> {
    let text = line(&site.file, site.line)?;
    let text = text.trim_end().to_owned();
    let indent = (site.column as usize).saturating_sub(1);
    let length = text.chars().count().checked_sub(indent).filter(|&length| length > 0)?;
    Some(Excerpt { text, indent, length })
}

/// The last part of a path.
pub fn short(file: &str) -> &str {
    file.rsplit(['/', '\\']).next().unwrap_or(file)
}

/// The variable or field that a line initialises at a column, if it looks like it.
pub fn initialised(line: &str, column: u32) -> Option<String> {
    let before: String = line.chars().take((column as usize).saturating_sub(1)).collect();
    field(&before).or_else(|| variable(&before))
}

/// `field: Type::new(…)`, at the beginning of a line or after a comma, brace or parenthesis.
fn field(before: &str) -> Option<String> {
    let last = before.rsplit(['{', ',', '(']).next()?;
    let (name, rest) = last.split_once(':')?;
    let is_path = rest.starts_with(':');
    let is_declaration = name.trim().contains(' ');
    if is_path || is_declaration { None } else { identifier(name.trim()) }
}

/// `let variable = Type::new(…)`, or with something like `Arc::new(` around it.
fn variable(before: &str) -> Option<String> {
    let start = before.trim_start();
    let rest = start.strip_prefix("let ").or_else(|| start.strip_prefix("static "))?;
    let is_alone = !before.contains([',', '{']);
    identifier(rest.trim_start().trim_start_matches("mut ")).filter(|_| is_alone)
}

fn identifier(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty() && !name.starts_with(|c: char| c.is_numeric())).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str, at: &str) -> Option<String> {
        let column = line.find(at).expect("it occurs") + 1;
        initialised(line, column as u32)
    }

    #[test]
    fn an_object_is_called_by_the_variable_or_field_of_its_line() {
        assert_eq!(named("    let x = AtomicUsize::new(0);", "Atomic").as_deref(), Some("x"));
        assert_eq!(
            named("let mut ready = Arc::new(AtomicBool::new(false));", "AtomicB").as_deref(),
            Some("ready")
        );
        assert_eq!(named("        head: AtomicPtr::new(null()),", "AtomicPtr").as_deref(), Some("head"));
        assert_eq!(
            named("let s = S { a: Mutex::new(0), b: Mutex::new(1) };", "Mutex::new(1)").as_deref(),
            Some("b")
        );
        assert_eq!(named("let pair = (Mutex::new(0), Mutex::new(1));", "Mutex::new(1)"), None);
        assert_eq!(named("S { a: Mutex::new(0), b: Mutex::new(1) }", "Mutex::new(1)").as_deref(), Some("b"));
        assert_eq!(named("    Mutex::new(0)", "Mutex"), None);
        assert_eq!(named("    foo(sync::Mutex::new(0))", "sync"), None);
    }

    #[test]
    fn paths_are_shortened_to_the_file() {
        assert_eq!(short("crates/a/src/lib.rs"), "lib.rs");
        assert_eq!(short("lib.rs"), "lib.rs");
    }
}
