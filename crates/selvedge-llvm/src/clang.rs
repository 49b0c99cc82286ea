//! Running clang: from a C or C++ file to the text of its LLVM IR.

use crate::headers::Headers;
use crate::inline;
use crate::library;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The versions whose LLVM IR we read.
const VERSIONS: std::ops::RangeInclusive<u32> = 14..=19;

/// What every program is compiled with: no optimisation, places in the source, and nothing that keeps us from
/// turning variables into registers ourselves. What was no error in the C of its time is none.
const FLAGS: [&str; 16] = [
    "-O0",
    "-g",
    "-Xclang",
    "-disable-O0-optnone",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-w",
    "-fno-crash-diagnostics",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=implicit-int",
    "-S",
    "-emit-llvm",
    "-o",
    "-",
];

/// What makes clang put a test before left shifts of signed numbers; if it fails, `llvm.ubsantrap` is called.
pub const SHIFT_TESTS: [&str; 2] = ["-fsanitize=shift-base", "-fsanitize-trap=shift-base"];

/// What is missing when a header is not found for a program of 32 bits.
const HEADERS_OF_32_BITS: &str =
    "\n-m32 needs headers for 32 bits: install them (Debian, Ubuntu: apt-get install gcc-multilib)";

/// Why there is no LLVM IR.
#[derive(Debug, thiserror::Error)]
pub enum ClangError {
    /// There is no clang.
    #[error(
        "C and C++ need clang, version 14 to 19: install it (Debian, Ubuntu: apt-get install clang), \
         or name it with --clang"
    )]
    Missing,
    /// A clang that was found or named cannot be used.
    #[error("`{program}` cannot be used: {reason}")]
    Unusable {
        /// The program.
        program: String,
        /// Why.
        reason: String,
    },
    /// clang does not accept the program.
    #[error("clang does not accept `{path}`:\n{message}")]
    Rejected {
        /// The file.
        path: String,
        /// What clang says.
        message: String,
    },
    /// clang itself crashed.
    #[error(
        "`{program}` crashed while it compiled `{path}`, which is a bug of clang; other flags or another version (--clang) may help:\n\
         {message}"
    )]
    Crashed {
        /// The program.
        program: String,
        /// The file.
        path: String,
        /// The command line and the phase of the compiler, as clang prints them.
        message: String,
    },
}

/// The text of the LLVM IR of a file.
///
/// # Errors
/// When there is no clang, or it does not accept the file.
pub fn compile(path: &Path, clang: Option<&Path>, cflags: &[String]) -> Result<String, ClangError> {
    let mut compilation = Compilation::new(path, clang, cflags)?;
    let text = compilation.first()?;
    let text = compilation.keep_atomic_functions(text)?;
    let text = compilation.add_inline_definitions(text);
    let text = compilation.add_library_parts(text);
    compilation.add_library_functions(text)
}

/// A file that clang compiles several times: the text of one run shows which flags the next one needs. Flags are only ever added, so that no
/// run loses the effect of an earlier one.
struct Compilation<'a> {
    program: PathBuf,
    path: &'a Path,
    cflags: &'a [String],
    /// The flags found out so far; they come before those of the user.
    added: Vec<OsString>,
    /// Headers of our own, as long as clang needs them.
    headers: Option<Headers>,
}

impl<'a> Compilation<'a> {
    fn new(
        path: &'a Path,
        clang: Option<&Path>,
        cflags: &'a [String],
    ) -> Result<Compilation<'a>, ClangError> {
        let program = match clang {
            Some(program) => program.to_owned(),
            None => find()?,
        };
        Ok(Compilation { program, path, cflags, added: Vec::new(), headers: None })
    }

    /// Runs clang with the flags found out so far and some more, with a text as its input.
    fn run(&self, more: &[&str], input: &str) -> Result<String, ClangError> {
        let more = more.iter().map(OsStr::new);
        let added = self.added.iter().map(OsString::as_os_str);
        let given = self.cflags.iter().map(OsStr::new).chain([self.path.as_os_str()]);
        run(&self.program, more.chain(added).chain(given), input, &self.path.display().to_string())
    }

    /// The first run, with headers of our own if some are missing.
    fn first(&mut self) -> Result<String, ClangError> {
        let first = self.run(&[], "");
        if let Err(ClangError::Rejected { message, .. }) = &first {
            self.headers = Headers::missed(message);
        }
        match &self.headers {
            Some(headers) => {
                self.added.extend(headers.arguments());
                self.run(&[], "")
            }
            None => first,
        }
    }

    /// A function that is atomic by its name must stay a function. The name of one that was inlined is left in the debug information.
    fn keep_atomic_functions(&mut self, text: String) -> Result<String, ClangError> {
        if !(text.contains("DISubprogram(name: \"__VERIFIER_atomic_") && is_optimised(self.cflags)) {
            return Ok(text);
        }
        self.added.push("-fno-inline".into());
        self.run(&[], "")
    }

    /// A definition that is only `inline` is none for the linker, so clang leaves it out; in the C of 1989 it is one.
    fn add_inline_definitions(&mut self, text: String) -> String {
        if !inline::is_left_out(&text, self.path) {
            return text;
        }
        const AS_OF_1989: &str = "-fgnu89-inline";
        match self.run(&[AS_OF_1989], "") {
            Ok(other) if inline::defines_more(&other, &text) => {
                self.added.push(AS_OF_1989.into());
                other
            }
            _ => text,
        }
    }

    /// Includes the C++ that is in the binary of the library. A library that we do not know may not go with our parts; a function that is then
    /// without body is refused where it is reached.
    fn add_library_parts(&self, text: String) -> String {
        match library::missing_parts(&text) {
            Some(parts) => self.run(&["-include", library::PARTS_FILE], &parts).unwrap_or(text),
            None => text,
        }
    }

    /// Puts the definitions of C functions of the library in the place of their declarations.
    fn add_library_functions(&self, mut text: String) -> Result<String, ClangError> {
        for (name, source) in library::missing(&text) {
            // Of the arguments only the level of optimisation matters: others may be for another language.
            let level = self.cflags.iter().filter(|flag| flag.starts_with("-O")).map(OsStr::new);
            let arguments = level.chain(["-g0", "-x", "c", "-"].map(OsStr::new));
            let definition = run(&self.program, arguments, source, name)?;
            text = library::define(&text, name, &definition).unwrap_or(text);
        }
        Ok(text)
    }
}

fn is_optimised(cflags: &[String]) -> bool {
    cflags.iter().any(|flag| flag.starts_with("-O") && flag != "-O0")
}

/// Runs clang on what the arguments name, or on a text.
fn run<'a>(
    program: &Path,
    arguments: impl Iterator<Item = &'a OsStr>,
    text: &str,
    name: &str,
) -> Result<String, ClangError> {
    let bad = |reason: String| ClangError::Unusable { program: program.display().to_string(), reason };
    let failed = |error: std::io::Error| bad(error.to_string());
    let arguments: Vec<&OsStr> = arguments.collect();
    let is_narrow = arguments.iter().any(|argument| *argument == "-m32");
    let mut clang = Command::new(program)
        .args(FLAGS)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = clang.stdin.take() {
        // A clang that does not read its input says so by how it ends.
        let _ = input.write_all(text.as_bytes());
    }
    let output = clang.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        let mut message = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        if is_crash(output.status.code()) {
            let (program, path) = (program.display().to_string(), name.to_owned());
            return Err(ClangError::Crashed { program, path, message: phase_of_crash(&message) });
        }
        if is_narrow && message.contains("file not found") {
            message += HEADERS_OF_32_BITS;
        }
        return Err(ClangError::Rejected { path: name.to_owned(), message });
    }
    String::from_utf8(output.stdout).map_err(|_| bad("it wrote no text".to_owned()))
}

/// Whether an exit code of clang's driver says that the compiler crashed: by a signal, or by a fatal error of LLVM.
fn is_crash(code: Option<i32>) -> bool {
    const FATAL_ERROR: i32 = 70;
    const SIGNALS: i32 = 128;
    code.is_none_or(|code| code == FATAL_ERROR || code > SIGNALS)
}

/// The lines of a crash report before the stack: the program's arguments and the phase of the compiler.
fn phase_of_crash(message: &str) -> String {
    let lines = message.lines().skip_while(|line| !line.starts_with("Stack dump:")).skip(1);
    let phase: Vec<&str> = lines.take_while(|line| !line.trim_start().starts_with('#')).collect();
    match phase.is_empty() {
        true => message.to_owned(),
        false => phase.join("\n"),
    }
}

/// A clang of a version that we know, `clang` itself if it is one.
///
/// # Errors
/// When there is none.
pub fn find() -> Result<PathBuf, ClangError> {
    let numbered = VERSIONS.rev().map(|version| PathBuf::from(format!("clang-{version}")));
    let mut candidates = std::iter::once(PathBuf::from("clang")).chain(numbered);
    candidates
        .find(|program| version(program).is_some_and(|v| VERSIONS.contains(&v)))
        .ok_or(ClangError::Missing)
}

fn version(program: &Path) -> Option<u32> {
    let output = Command::new(program).arg("--version").output().ok()?;
    version_in(&String::from_utf8_lossy(&output.stdout))
}

fn version_in(text: &str) -> Option<u32> {
    let after = text.split("version ").nth(1)?;
    after.split('.').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_told_from_an_error_and_shown_without_its_stack() {
        assert!(is_crash(None) && is_crash(Some(139)) && is_crash(Some(70)));
        assert!(!is_crash(Some(1)));
        let report =
            "PLEASE submit a bug report\nStack dump:\n0.\tclang -O2 a.c\n1.\tOptimizer\n #0 0x0000 f\n";
        assert_eq!(phase_of_crash(report), "0.\tclang -O2 a.c\n1.\tOptimizer");
        assert_eq!(phase_of_crash("LLVM ERROR: out of memory"), "LLVM ERROR: out of memory");
    }

    #[test]
    fn the_version_is_the_number_after_the_word() {
        assert_eq!(version_in("Debian clang version 14.0.6\nTarget: x86_64"), Some(14));
        assert_eq!(version_in("Ubuntu clang version 18.1.3 (1ubuntu1)"), Some(18));
        assert_eq!(version_in("gcc (Debian 12.2.0-14) 12.2.0"), None);
    }
}
