//! The benchmark programs, their sizes and the number of traces each must have.

use crate::error::CliError;

/// The parameter `N` of a benchmark program.
pub type Size = u32;

/// A benchmark program.
#[derive(Debug)]
pub struct Benchmark {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The sizes to run, growing.
    pub sizes: &'static [Size],
    /// The number of Mazurkiewicz traces at a size, where it is known.
    pub traces: fn(Size) -> Option<u64>,
}

macro_rules! benchmark {
    ($name:literal, $sizes:expr, $traces:expr) => {
        benchmark!("seeds", $name, $sizes, $traces)
    };
    ($folder:literal, $name:literal, $sizes:expr, $traces:expr) => {
        Benchmark {
            name: $name,
            text: include_str!(concat!("../../../../benches/", $folder, "/", $name, ".sel")),
            sizes: &$sizes,
            traces: $traces,
        }
    };
}

/// All benchmark programs.
pub static ALL: [Benchmark; 11] = [
    benchmark!("readers-writers", [4, 8, 12, 16, 20], |n| power(2, n.checked_sub(1)?)),
    benchmark!("ring", [4, 8, 12, 15, 18], |n| power(2, n)?.checked_sub(2)),
    benchmark!("ring-extended", [2, 3, 4, 5, 6, 7], |n| listed(n, &RING_EXTENDED)),
    benchmark!("branching", [2, 4, 6, 8, 9, 10], |n| listed(n + 1, &BRANCHING)),
    benchmark!("last-zero", [4, 6, 8, 10, 12, 14], |n| power(2, n.checked_sub(2)?)?.checked_mul(n.into())),
    benchmark!("shared-pointer", [10, 20, 50, 100], |n| Some(2 * u64::from(n) + 1)),
    benchmark!("indexer", [11, 12, 13, 14, 15], |n| power(8, n.saturating_sub(11))),
    benchmark!("indexer-small", [4, 8, 12, 16], |n| power(2, n.saturating_sub(2))),
    benchmark!("float-read", [3, 5, 7, 8], |n| factorial(n.checked_add(1)?)),
    benchmark!("vc-dpor", "singleton", [4, 6, 7, 8], factorial),
    benchmark!("vc-dpor", "redundant-co", [1], |n| listed(n.checked_add(1)?, &REDUNDANT_CO)),
];

/// Programs that only a published table has: they are not run unless it, or their name, is asked for.
static OF_TABLES: [Benchmark; 1] =
    [benchmark!("lazypor", "readers-writers-steps", [2, 3, 4, 5], |n| power(2, n.checked_sub(1)?))];

/// From N = 2 on.
const RING_EXTENDED: [u64; 7] = [6, 90, 786, 5730, 38466, 247_170, 1_548_546];

/// From N = 1 on.
const BRANCHING: [u64; 11] = [1, 11, 28, 103, 311, 1010, 3165, 10063, 31780, 100_651, 318_363];

/// From N = 1 on.
const REDUNDANT_CO: [u64; 2] = [3150, 1_969_110];

fn factorial(n: Size) -> Option<u64> {
    (1..=u64::from(n)).try_fold(1u64, u64::checked_mul)
}

fn power(base: u64, exponent: u32) -> Option<u64> {
    base.checked_pow(exponent)
}

/// An entry of a list that begins with N = 2.
fn listed(n: Size, counts: &[u64]) -> Option<u64> {
    counts.get(n.checked_sub(2)? as usize).copied()
}

/// The benchmark of that name.
pub fn named(name: &str) -> Result<&'static Benchmark, CliError> {
    let found = ALL.iter().chain(&OF_TABLES).find(|benchmark| benchmark.name == name);
    found.ok_or_else(|| unknown(name, ALL.iter().map(|benchmark| benchmark.name)))
}

/// There is no program of that name.
pub fn unknown(name: &str, known: impl Iterator<Item = &'static str>) -> CliError {
    CliError::NoBenchmark { name: name.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
}

/// The programs with the sizes that are run unless one is asked for, a line each.
pub fn list() -> String {
    let mut text = "program          sizes (any other as NAME:N)\n".to_owned();
    for benchmark in &ALL {
        let sizes: Vec<String> = benchmark.sizes.iter().map(ToString::to_string).collect();
        text += &format!("{:<16} {}\n", benchmark.name, sizes.join(", "));
    }
    text + "rows of published tables: --paper epor, lazypor, bounding, vc-dpor, imc, irs, rcu, all; C programs: --native\n"
}

/// The programs and sizes that the user asks for by `NAME` or `NAME:N`; all when nothing is asked for.
pub fn selected(names: &[String]) -> Result<Vec<(&'static Benchmark, Vec<Size>)>, CliError> {
    if names.is_empty() {
        return Ok(ALL.iter().map(|benchmark| (benchmark, benchmark.sizes.to_vec())).collect());
    }
    let mut selected: Vec<(&'static Benchmark, Vec<Size>)> = Vec::new();
    for name in names {
        let (benchmark, sizes) = parse(name)?;
        match selected.iter_mut().find(|(known, _)| known.name == benchmark.name) {
            Some((_, known)) => known.extend(sizes),
            None => selected.push((benchmark, sizes)),
        }
    }
    for (_, sizes) in &mut selected {
        sizes.sort_unstable();
        sizes.dedup();
    }
    Ok(selected)
}

fn parse(name: &str) -> Result<(&'static Benchmark, Vec<Size>), CliError> {
    let (program, size) = split(name)?;
    let benchmark = named(program)?;
    Ok((benchmark, size.map_or_else(|| benchmark.sizes.to_vec(), |size| vec![size])))
}

/// What `NAME` or `NAME:N` asks for.
pub fn split(name: &str) -> Result<(&str, Option<Size>), CliError> {
    let Some((program, size)) = name.split_once(':') else { return Ok((name, None)) };
    match size.parse() {
        Ok(size) => Ok((program, Some(size))),
        Err(_) => Err(CliError::Row { row: name.to_owned(), reason: format!("`{size}` is no size") }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traces(name: &str, n: Size) -> Option<u64> {
        (named(name).expect("it exists").traces)(n)
    }

    #[test]
    fn the_expected_counts_are_the_published_ones() {
        let counts = [
            ("readers-writers", 13, 4096),
            ("ring", 10, 1022),
            ("ring-extended", 7, 247_170),
            ("branching", 11, 318_363),
            ("last-zero", 10, 2560),
            ("shared-pointer", 100, 201),
            ("indexer", 11, 1),
            ("indexer", 16, 32768),
            ("indexer-small", 2, 1),
            ("float-read", 3, 24),
            ("singleton", 10, 3_628_800),
            ("redundant-co", 2, 1_969_110),
        ];
        for (name, n, count) in counts {
            assert_eq!(traces(name, n), Some(count), "{name}({n})");
        }
    }

    #[test]
    fn sizes_without_a_known_count_have_none() {
        assert_eq!(traces("branching", 0), None);
        assert_eq!(traces("branching", 12), None);
        assert_eq!(traces("readers-writers", 0), None);
        assert_eq!(traces("float-read", 1000), None);
    }

    #[test]
    fn names_select_programs_and_sizes() {
        let names = ["ring:5".to_owned(), "branching".to_owned(), "ring:3".to_owned()];
        let selected = selected(&names).expect("all exist");
        assert_eq!(selected[0].0.name, "ring");
        assert_eq!(selected[0].1, [3, 5]);
        assert_eq!(selected[1].1, named("branching").expect("it exists").sizes);
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = selected(&["rings".to_owned()]).expect_err("there is none").to_string();
        assert!(error.contains("`rings`") && error.contains("ring-extended"), "{error}");
    }
}
