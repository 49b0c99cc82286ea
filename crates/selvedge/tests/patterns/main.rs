//! Small concurrent programs of the kinds that people write, each in a right version and in one with a mistake that people make.

#![allow(unsafe_code, reason = "people do write it")]

mod algorithms;
mod pointers;
mod polling;
mod sharing;
mod tasks;
mod waiting;

use selvedge::{Checker, FailureKind, Verdict};

/// Which version of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    Right,
    Broken,
}

impl Version {
    fn is_right(self) -> bool {
        self == Version::Right
    }
}

/// The right version is verified, and in the broken one the mistake is found.
#[track_caller]
fn compare(mistake: FailureKind, program: fn(Version)) {
    let report = Checker::new().run(move || program(Version::Right));
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    let report = Checker::new().run(move || program(Version::Broken));
    assert_eq!(report.violations.first().map(|violation| violation.kind), Some(mistake), "{report}");
}
