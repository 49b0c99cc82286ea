//! Headers of our own, for programs that include one that is not there: in a folder that lasts as long as clang needs it.

use std::ffi::OsString;
use tempfile::TempDir;

/// The headers: their names and what is in them.
const HEADERS: [(&str, &str); 1] = [("genmc.h", include_str!("library/genmc.h"))];

/// The name of the folder in the debug information.
pub const FOLDER: &str = "selvedge-headers";

/// A folder with headers. It is removed at the end.
#[derive(Debug)]
pub struct Headers {
    folder: TempDir,
}

impl Headers {
    /// The headers that clang missed, by what it said, if they are ours.
    pub fn missed(message: &str) -> Option<Headers> {
        let is_missed = |name: &str| message.contains(&format!("'{name}' file not found"));
        HEADERS.iter().any(|(name, _)| is_missed(name)).then(Headers::write).flatten()
    }

    fn write() -> Option<Headers> {
        let folder = tempfile::Builder::new().prefix("selvedge-").tempdir().ok()?;
        for (name, content) in HEADERS {
            std::fs::write(folder.path().join(name), content).ok()?;
        }
        Some(Headers { folder })
    }

    /// The arguments for clang: the folder comes after all others, and its name is not told to debuggers.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut unnamed = OsString::from("-fdebug-prefix-map=");
        unnamed.push(self.folder.path());
        unnamed.push(format!("={FOLDER}"));
        vec!["-idirafter".into(), self.folder.path().into(), unnamed]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_is_there_as_long_as_it_is_needed() {
        let message = "queue.c:1:10: fatal error: 'genmc.h' file not found";
        let headers = Headers::missed(message).expect("it is one of ours");
        let folder = headers.folder.path().to_owned();
        assert!(folder.join("genmc.h").is_file());
        drop(headers);
        assert!(!folder.exists());
        assert!(Headers::missed("fatal error: 'other.h' file not found").is_none());
    }
}
