//! Rule: the crates of the workspace depend on each other only as the architecture says.

use std::path::Path;

use cargo_metadata::{DependencyKind, MetadataCommand};

use super::Complaint;

/// What each crate may depend on. A new crate gets a row here and a paragraph in the architecture.
const ALLOWED: &[(&str, &[&str])] = &[
    ("selvedge-trace", &[]),
    ("selvedge-explore", &["selvedge-trace"]),
    ("selvedge-ir", &[]),
    ("selvedge-interp", &["selvedge-ir", "selvedge-explore", "selvedge-trace"]),
    ("selvedge-lang", &["selvedge-ir"]),
    ("selvedge-llvm", &[]),
    ("selvedge-code", &["selvedge-llvm"]),
    ("selvedge-machine", &["selvedge-code", "selvedge-llvm", "selvedge-explore", "selvedge-trace"]),
    ("selvedge-translate", &["selvedge-ir", "selvedge-code", "selvedge-llvm"]),
    ("selvedge-smt", &[]),
    ("selvedge-schedule", &[]),
    ("selvedge-rt", &[]),
    ("selvedge-audit", &["selvedge-schedule"]),
    ("selvedge-build", &["selvedge-llvm", "selvedge-rt", "selvedge-schedule", "selvedge-audit"]),
    ("selvedge-symbolic", &["selvedge-ir", "selvedge-interp", "selvedge-smt", "selvedge-trace"]),
    ("selvedge-certificate", &["selvedge-ir", "selvedge-interp", "selvedge-smt", "selvedge-symbolic"]),
    (
        "selvedge-impact",
        &[
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-certificate",
            "selvedge-schedule",
            "selvedge-trace",
        ],
    ),
    (
        "selvedge-enforce",
        &[
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-explore",
            "selvedge-trace",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-schedule",
        ],
    ),
    (
        "selvedge-sections",
        &[
            "selvedge-enforce",
            "selvedge-interp",
            "selvedge-ir",
            "selvedge-llvm",
            "selvedge-schedule",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-trace",
            "selvedge-translate",
        ],
    ),
    ("selvedge-claim", &["selvedge-explore", "selvedge-trace"]),
    (
        "selvedge-verify",
        &[
            "selvedge-trace",
            "selvedge-explore",
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-llvm",
            "selvedge-machine",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-certificate",
            "selvedge-impact",
            "selvedge-schedule",
            "selvedge-enforce",
            "selvedge-claim",
            "selvedge-translate",
        ],
    ),
    (
        "selvedge-report",
        &[
            "selvedge-claim",
            "selvedge-explore",
            "selvedge-trace",
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-machine",
        ],
    ),
    (
        "selvedge-testkit",
        &[
            "selvedge-sections",
            "selvedge-trace",
            "selvedge-explore",
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-lang",
            "selvedge-llvm",
            "selvedge-code",
            "selvedge-machine",
            "selvedge-translate",
            "selvedge-report",
            "selvedge-verify",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-certificate",
            "selvedge-impact",
            "selvedge-schedule",
            "selvedge-enforce",
        ],
    ),
    (
        "selvedge-cli",
        &[
            "selvedge-sections",
            "selvedge-trace",
            "selvedge-explore",
            "selvedge-ir",
            "selvedge-interp",
            "selvedge-lang",
            "selvedge-build",
            "selvedge-audit",
            "selvedge-llvm",
            "selvedge-machine",
            "selvedge-translate",
            "selvedge-report",
            "selvedge-verify",
            "selvedge-testkit",
            "selvedge-smt",
            "selvedge-symbolic",
            "selvedge-certificate",
            "selvedge-impact",
            "selvedge-schedule",
            "selvedge-enforce",
        ],
    ),
    ("selvedge-macros", &[]),
    ("selvedge", &["selvedge-trace", "selvedge-explore", "selvedge-claim", "selvedge-macros"]),
    ("selvedge-loom", &["selvedge"]),
    ("selvedge-shuttle", &["selvedge"]),
    ("xtask", &[]),
];

/// What the tests of every crate may use besides.
const ALLOWED_IN_TESTS: [&str; 5] =
    ["selvedge-testkit", "selvedge-lang", "selvedge-interp", "selvedge-ir", "selvedge-explore"];

/// What a dependency is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The code itself, or its build script.
    Code,
    /// Tests, examples and benchmarks only.
    Tests,
}

/// A crate of the workspace.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    name: String,
    /// Its manifest.
    manifest: String,
    /// The crates it depends on, others than those of the workspace too.
    dependencies: Vec<(String, Purpose)>,
}

/// Asks cargo for the crates of the workspace.
///
/// # Errors
/// When cargo does not understand the workspace.
pub fn read(root: &Path) -> Result<Vec<Member>, cargo_metadata::Error> {
    let manifest = root.join("Cargo.toml");
    let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec()?;
    let members = metadata.packages.into_iter().map(|package| Member {
        name: package.name.to_string(),
        manifest: package.manifest_path.strip_prefix(root).unwrap_or(&package.manifest_path).to_string(),
        dependencies: package
            .dependencies
            .into_iter()
            .map(|found| (found.name, purpose(found.kind)))
            .collect(),
    });
    Ok(members.collect())
}

fn purpose(kind: DependencyKind) -> Purpose {
    match kind {
        DependencyKind::Development => Purpose::Tests,
        _ => Purpose::Code,
    }
}

/// Complains about dependencies that are not in the table, and about crates that have no row.
pub fn check(members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == member.name) else {
            let message = format!("{} has no row in the table of {}", member.name, file!());
            complaints.push(Complaint::about(&member.manifest, message));
            continue;
        };
        let ours =
            member.dependencies.iter().filter(|(name, _)| members.iter().any(|other| other.name == *name));
        for (name, purpose) in ours {
            if !is_allowed(allowed, name, *purpose) {
                let message =
                    format!("{} must not depend on {name}; see the table of {}", member.name, file!());
                complaints.push(Complaint::about(&member.manifest, message));
            }
        }
    }
    complaints
}

fn is_allowed(allowed: &[&str], name: &str, purpose: Purpose) -> bool {
    allowed.contains(&name) || (purpose == Purpose::Tests && ALLOWED_IN_TESTS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(name: &str, dependency: &str, purpose: Purpose) -> usize {
        let member = |name: &str, dependencies| Member {
            name: name.into(),
            manifest: format!("crates/{name}/Cargo.toml"),
            dependencies,
        };
        let mut members: Vec<Member> = ALLOWED.iter().map(|(name, _)| member(name, Vec::new())).collect();
        members.push(member(name, vec![(dependency.into(), purpose)]));
        check(&members).len()
    }

    #[test]
    fn dependencies_in_the_table_are_fine() {
        assert_eq!(complaints("selvedge-interp", "selvedge-ir", Purpose::Code), 0);
        assert_eq!(complaints("selvedge-cli", "selvedge-testkit", Purpose::Code), 0);
    }

    #[test]
    fn dependencies_against_the_architecture_are_not() {
        assert_eq!(complaints("selvedge-explore", "selvedge-ir", Purpose::Code), 1);
        assert_eq!(complaints("selvedge-interp", "selvedge-cli", Purpose::Tests), 1);
        assert_eq!(complaints("selvedge-testkit", "selvedge-cli", Purpose::Code), 1);
        assert_eq!(complaints("xtask", "selvedge-trace", Purpose::Code), 1);
    }

    #[test]
    fn tests_may_use_the_test_kit_and_the_language() {
        assert_eq!(complaints("selvedge-explore", "selvedge-testkit", Purpose::Tests), 0);
        assert_eq!(complaints("selvedge-interp", "selvedge-lang", Purpose::Tests), 0);
        assert_eq!(complaints("selvedge-explore", "selvedge-testkit", Purpose::Code), 1);
    }

    #[test]
    fn crates_of_others_are_not_our_business() {
        assert_eq!(complaints("selvedge-trace", "serde", Purpose::Code), 0);
    }

    #[test]
    fn a_crate_without_a_row_is_reported() {
        assert_eq!(complaints("selvedge-new", "serde", Purpose::Code), 1);
    }

    #[test]
    fn the_table_has_no_cycles() {
        for (position, (name, allowed)) in ALLOWED.iter().enumerate() {
            assert!(!allowed.contains(name));
            let later: Vec<&str> = ALLOWED[position..].iter().map(|(name, _)| *name).collect();
            let earlier = allowed.iter().all(|dependency| !later.contains(dependency));
            assert!(earlier, "{name} depends on a later row");
        }
    }
}
