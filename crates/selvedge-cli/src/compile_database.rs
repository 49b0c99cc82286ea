//! `-p DIR`: the files of a project with their flags, from the `compile_commands.json` that build systems write.

use crate::error::CliError;
use selvedge_verify::c::native::Part;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The name of the file.
const NAME: &str = "compile_commands.json";

/// Flags with an argument of their own that say where output goes.
const OUTPUTS: [&str; 5] = ["-o", "-MF", "-MT", "-MQ", "-MJ"];

/// Flags that say what to make.
const MAKES: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD"];

/// One command.
#[derive(Debug, Deserialize)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Command {
    fn path(&self) -> PathBuf {
        self.directory.join(&self.file)
    }

    /// The flags that decide what the program is.
    fn flags(&self) -> Vec<String> {
        let words = match (&self.arguments, &self.command) {
            (Some(arguments), _) => arguments.clone(),
            (None, Some(command)) => words(command),
            (None, None) => Vec::new(),
        };
        let mut flags = vec!["-working-directory".to_owned(), self.directory.display().to_string()];
        let mut words = words.into_iter().skip(1);
        while let Some(word) = words.next() {
            let is_file = !word.starts_with('-') && self.directory.join(&word) == self.path();
            if OUTPUTS.contains(&word.as_str()) {
                words.next();
            } else if !is_file && !MAKES.contains(&word.as_str()) && !word.starts_with("-o") {
                flags.push(word);
            }
        }
        flags
    }
}

/// The files of a project, first the one that is asked for, each with its flags and then those given for all.
pub fn parts(folder: &Path, entry: &Path, more: &[String]) -> Result<Vec<Part>, CliError> {
    let path = folder.join(NAME);
    let text =
        std::fs::read_to_string(&path).map_err(|error| CliError::Read { path: path.clone(), error })?;
    let wrong = |what: String| CliError::CompileDatabase { path: path.clone(), what };
    let commands: Vec<Command> = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let canonical = |path: &Path| std::fs::canonicalize(path).ok();
    let wanted = canonical(entry);
    let is_entry = |command: &Command| wanted.is_some() && canonical(&command.path()) == wanted;
    let first = commands.iter().position(is_entry);
    let first = first.ok_or_else(|| wrong(format!("`{}` is not among its files", entry.display())))?;
    let is_native = |command: &Command| super::native::is_native(&command.file);
    let others =
        commands.iter().enumerate().filter(|(number, command)| *number != first && is_native(command));
    let part = |command: &Command, path: PathBuf| Part {
        path,
        cflags: command.flags().into_iter().chain(more.iter().cloned()).collect(),
    };
    let entry = part(&commands[first], std::path::absolute(entry).unwrap_or_else(|_| entry.to_owned()));
    Ok([entry].into_iter().chain(others.map(|(_, command)| part(command, command.path()))).collect())
}

/// The words of a command line, as a shell divides it: blanks divide, quotes and backslashes keep together.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ' | '\t' | '\n', None) => words.extend(word.take()),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, Some(end)) if letter == end => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_divided_as_a_shell_does() {
        assert_eq!(words("cc -DA='b c' \"-I x\"  -D\\\"q ''"), ["cc", "-DA=b c", "-I x", "-D\"q", ""]);
    }

    #[test]
    fn flags_of_output_are_left_out() {
        let command = Command {
            directory: "/p".into(),
            file: "src/a.c".into(),
            command: Some("cc -Iinc -MD -MF a.d -O2 -o a.o -c src/a.c".to_owned()),
            arguments: None,
        };
        assert_eq!(command.flags(), ["-working-directory", "/p", "-Iinc", "-O2"]);
    }
}
