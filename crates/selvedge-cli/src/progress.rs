//! Watching a search: a progress line on a terminal, and Ctrl-C.

use crate::error::CliError;
use crate::output;
use crate::preparing::Preparing;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use selvedge_explore::{Plan, Statistics};
use selvedge_report::statistics::rate;
use selvedge_verify::Monitor;
use std::io::{self, IsTerminal};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time between two changes of the progress line.
const REFRESH: Duration = Duration::from_millis(100);

/// The time before an estimate is worth showing.
const SETTLED: Duration = Duration::from_secs(1);

/// The exit code of a program that an interrupt kills.
const KILLED_BY_INTERRUPT: i32 = 130;

/// Whether to show a progress line on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// If standard error is a terminal.
    OnTerminal,
    /// Never.
    Never,
}

/// The first lines about a task, by its plan and the number of threads.
type Heading<'a> = Box<dyn Fn(&Plan, usize) -> String + 'a>;

/// A monitor that tells people how a task goes on.
pub struct Watch<'a> {
    heading: Option<Heading<'a>>,
    /// The clock of the time before the search.
    preparing: Option<Preparing>,
    /// Whether the heading could be printed.
    output: io::Result<()>,
    line: Option<ProgressBar>,
    interrupted: Arc<AtomicBool>,
    started: Instant,
    shown: Instant,
}

/// A flag that the first Ctrl-C sets; the second ends the program.
pub fn interrupt() -> Result<Arc<AtomicBool>, CliError> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(KILLED_BY_INTERRUPT);
        }
    })?;
    Ok(interrupted)
}

impl<'a> Watch<'a> {
    /// Begins to watch, and to catch Ctrl-C: the first ends the search, the second ends the program.
    pub fn begin(
        display: Display,
        preparing: Preparing,
        heading: impl Fn(&Plan, usize) -> String + 'a,
    ) -> Result<Self, CliError> {
        let interrupted = interrupt()?;
        let is_shown = display == Display::OnTerminal && std::io::stderr().is_terminal();
        let started = Instant::now();
        let heading = (display == Display::OnTerminal).then(|| Box::new(heading) as Heading);
        let line = is_shown.then(line);
        let preparing = Some(preparing);
        Ok(Watch { heading, preparing, output: Ok(()), line, interrupted, started, shown: started })
    }

    /// Removes the progress line. An error if the heading could not be printed.
    pub fn end(self) -> io::Result<()> {
        if let Some(line) = &self.line {
            line.finish_and_clear();
        }
        self.output
    }
}

impl Monitor for Watch<'_> {
    fn begins(&mut self, plan: &Plan, threads: usize) {
        self.preparing = None;
        if let Some(heading) = &self.heading {
            self.output = output::print(&heading(plan, threads));
        }
    }

    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        if let Some(line) = &self.line
            && self.shown.elapsed() >= REFRESH
        {
            self.shown = Instant::now();
            line.set_message(message(statistics, fraction, self.started.elapsed()));
        }
        ControlFlow::Continue(())
    }
}

/// A line on standard error.
pub fn line() -> ProgressBar {
    let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_msg}") {
        line.set_style(style);
    }
    line
}

fn message(statistics: &Statistics, fraction: f64, elapsed: Duration) -> String {
    let executions = statistics.executions();
    let rate = rate(executions, elapsed.as_secs_f64());
    let mut message = format!("{executions} executions, {rate}/s, {} s", elapsed.as_secs());
    if elapsed >= SETTLED && fraction > 0.0 {
        let left = elapsed.as_secs_f64() * (1.0 - fraction) / fraction;
        // What is known to remain only grows, so this is the best case.
        message += &format!(", at most {:.1} % done, at least {} left", fraction * 100.0, duration(left));
    }
    message
}

/// A rough duration: seconds, minutes, hours, or more than anybody waits for.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s if s < 3.2e7 => format!("{:.0} days", s / 86_400.0),
        _ => "years".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_waits_until_it_means_something() {
        let statistics = Statistics { complete: 500, ..Statistics::default() };
        assert_eq!(message(&statistics, 0.5, Duration::from_millis(500)), "500 executions, 1000/s, 0 s");
        assert_eq!(
            message(&statistics, 0.25, Duration::from_secs(10)),
            "500 executions, 50/s, 10 s, at most 25.0 % done, at least 30 s left"
        );
    }

    #[test]
    fn durations_are_rough() {
        let told = [3.0, 600.0, 36_000.0, 864_000.0, 1e30].map(duration);
        assert_eq!(told, ["3 s", "10 min", "10 h", "10 days", "years"]);
    }
}
