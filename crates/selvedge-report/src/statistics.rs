//! The counters of an exploration as a short block of text. Times and memory are on its last line.

use crate::Report;
use selvedge_explore::Statistics;
use std::fmt::Write;

/// The counters, three lines.
pub fn statistics(report: &Report) -> String {
    let s = &report.statistics;
    let mut out = String::new();
    let _ = writeln!(out, "  executions   {}", executions(s));
    let _ = writeln!(
        out,
        "  transitions  {}, longest execution {}, {} race checks, {} dependency checks",
        s.transitions, s.longest, s.race_checks, s.dependency_checks
    );
    let seconds = report.run.elapsed.as_secs_f64();
    let _ = write!(out, "  time         {seconds:.3} s, {} transitions/s", rate(s.transitions, seconds));
    if let Some(bytes) = report.peak_memory {
        let _ = write!(out, ", {} memory", megabytes(bytes));
    }
    out.push('\n');
    out
}

fn executions(s: &Statistics) -> String {
    let others = [
        (s.deadlocked, "deadlocked"),
        (s.failed, "failed"),
        (s.assume_blocked, "dropped by assume"),
        (s.sleep_set_blocked, "ended asleep"),
        (s.at_known_state, "ended at known states"),
        (s.over_bound, "led out of the bound"),
        (s.cut, "cut"),
    ];
    let mut parts = vec![format!("{} complete", s.complete)];
    parts.extend(others.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")));
    parts.join(", ")
}

/// So many per second, with a unit: `3.4 M`.
pub fn rate(number: u64, seconds: f64) -> String {
    match number as f64 / seconds.max(1e-9) {
        per_second if per_second >= 1e6 => format!("{:.1} M", per_second / 1e6),
        per_second if per_second >= 1e4 => format!("{:.0} k", per_second / 1e3),
        per_second => format!("{per_second:.0}"),
    }
}

/// A number of bytes in megabytes: `3.4 MB`.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ends_that_occur_are_listed() {
        let s = Statistics { complete: 4, failed: 1, ..Statistics::default() };
        assert_eq!(executions(&s), "4 complete, 1 failed");
    }

    #[test]
    fn rates_have_units() {
        assert_eq!(rate(3_400_000, 1.0), "3.4 M");
        assert_eq!(rate(34_000, 1.0), "34 k");
        assert_eq!(rate(1, 2.0), "0");
        assert_eq!(megabytes(3_400_000), "3.4 MB");
    }
}
