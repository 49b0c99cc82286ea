//! `selvedge check --prefix`: the search for violations, with a file for the shortest trace prefix that is known to be safe.

use crate::args::{CheckArgs, Format};
use crate::error::CliError;
use crate::output;
use selvedge_report::scope::counted;
use selvedge_schedule::prefix::Prefix;
use selvedge_verify::{
    CheckC, EvidenceInC, EvidenceOfPrefix, FindPrefix, Monitor, Outcome, Prefixes, VerifyError, verify,
};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The least time between two writings of the file.
const INTERVAL: Duration = Duration::from_millis(250);

/// Explores and writes prefixes to a file.
pub fn find(
    path: &Path,
    check: CheckC,
    monitor: &mut dyn Monitor,
) -> Result<(Outcome<EvidenceInC>, Prefixes), CliError> {
    let mut sink = |prefix: &Prefix| replace(path, &prefix.to_string());
    let task = FindPrefix { check, interval: INTERVAL, sink: &mut sink };
    let Outcome { verdict, evidence } = verify(task, monitor).map_err(|error| match error {
        VerifyError::PrefixNotTaken(error) => CliError::Write { path: path.to_owned(), error },
        error => CliError::Verify(error),
    })?;
    let EvidenceOfPrefix { found, prefixes } = evidence;
    Ok((Outcome { verdict, evidence: found }, prefixes))
}

/// Replaces a file at once: whoever reads it, also after a crash, finds the old text or the new one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let new = folder.join(name);
    let mut file = File::create(&new)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, path)?;
    File::open(folder)?.sync_all()
}

/// Says which prefix was reached.
pub fn tell(args: &CheckArgs, path: &Path, prefixes: Prefixes) -> Result<(), CliError> {
    match args.format {
        Format::Text => Ok(output::print(&format!("{}\n", told(path, prefixes)))?),
        Format::Json => Ok(()),
    }
}

fn told(path: &Path, prefixes: Prefixes) -> String {
    let path = path.display();
    match prefixes {
        Prefixes::Found { last, .. } if last.events == 0 => {
            format!("prefix: every execution is safe, nothing is constrained; written to {path}")
        }
        Prefixes::Found { first, last } => format!(
            "prefix: a safe execution was found, and {} of its {} must come first, with {} of {} between threads still constrained; \
             written to {path}",
            last.events,
            counted(first.events as u64, "event"),
            last.orders,
            counted(first.orders as u64, "order")
        ),
        Prefixes::NoSafeExecution => {
            "prefix: no safe execution was found, so no prefix was written".to_owned()
        }
        Prefixes::NoneForAllInputs => {
            "prefix: none was written, since none that holds for all inputs was found: something unsafe can follow the first \
             input, or not all that follows it was explored"
                .to_owned()
        }
        Prefixes::InDoubt => "prefix: none was written, since what the program does is in doubt".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let path = folder.path().join("turns.prefix");
        for text in ["long text", "short"] {
            replace(&path, text).expect("the file can be written");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("it is a folder").count(), 1);
    }
}
