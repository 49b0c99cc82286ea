//! C and C++ programs for proofs: compiled by clang and translated.

use crate::args::{Language, ProgramArgs};
use crate::error::CliError;
use crate::load::{self, Loaded};
use crate::native;
use selvedge_machine::LeftShifts;
use selvedge_report::Source;
use selvedge_sections::Sources;
use selvedge_smt::{Patience, Stopped};
use selvedge_translate::{Options, SourceFile, translate_while};
use selvedge_verify::Property;
use selvedge_verify::assumptions::Origin;
use std::path::Path;

/// Reads a program of any language that can be proved.
pub fn program(args: &ProgramArgs, language: &Language) -> Result<Loaded, CliError> {
    program_within(args, language, &Patience::default())
}

/// Does so as long as somebody is willing to wait.
pub fn program_within(
    args: &ProgramArgs,
    language: &Language,
    patience: &Patience,
) -> Result<Loaded, CliError> {
    if !native::is_native(&args.path) {
        return match (language.property, language.spurious_wakeups) {
            (None, false) => load::file(args.only_file()?, args.defines()),
            (Some(_), _) => Err(CliError::OnlyNative { option: "--property" }),
            (None, true) => Err(CliError::OnlyNative { option: "--spurious-wakeups" }),
        };
    }
    if language.property.is_some_and(|property| property != Property::UnreachCall) {
        return Err(CliError::NotAProof);
    }
    let native = native::load(args, LeftShifts::Unknown)?;
    let module = native.module();
    let file = SourceFile::of_main(module);
    let (name, text) = source(&native.name(), &args.path, file.as_ref());
    let text = text.unwrap_or_else(|| SourceFile::blank(module));
    let options = Options {
        spurious_wakeups: language.spurious_wakeups || language.property.is_some(),
        only_errors: language.property.is_some(),
    };
    let go_on = || patience.watch().is_ok();
    let translated = translate_while(module, &SourceFile::new(file, &text), options, &go_on);
    let translated = translated.map_err(|refusal| {
        let place = Source { name: &name, text: &text }.place(refusal.span);
        CliError::Refused { place, refusal }
    })?;
    let Some(mut translated) = translated else {
        return Err(CliError::Stopped(patience.watch().err().unwrap_or(Stopped::Time)));
    };
    translated.program.files = vec![name.clone()];
    let sources = Sources::new(&translated, module);
    let mut loaded = load::checked(translated.program, name, text)?;
    loaded.sources = sources;
    loaded.origin = Origin::Translated(translated.premises);
    Ok(loaded)
}

/// The name and the text of the file that `main` comes from; the text only if it is certain to be the right one.
fn source(own: &str, path: &Path, file: Option<&(String, String)>) -> (String, Option<String>) {
    let Some((name, directory)) = file else { return (own.to_owned(), None) };
    let full = Path::new(directory).join(name);
    let canonical = |path: &Path| std::fs::canonicalize(path).ok();
    match canonical(&full) {
        Some(found) if Some(&found) == canonical(path).as_ref() => {
            (own.to_owned(), std::fs::read_to_string(path).ok())
        }
        Some(_) => (native::shortened(&full.display().to_string()), std::fs::read_to_string(&full).ok()),
        None => (name.clone(), None),
    }
}
