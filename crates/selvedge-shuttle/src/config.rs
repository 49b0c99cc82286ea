//! The configuration of a runner.

use std::path::PathBuf;
use std::time::Duration;

/// How far a [`Runner`](crate::Runner) explores, and what it does with a schedule that fails.
///
/// ```
/// use selvedge_shuttle::{Config, MaxSteps};
/// let mut config = Config::new();
/// config.max_steps = MaxSteps::FailAfter(1000);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Not used: all stacks have the same size.
    pub stack_size: usize,
    /// What happens to the schedule of a failure.
    pub failure_persistence: FailurePersistence,
    /// The greatest number of operations in an execution.
    pub max_steps: MaxSteps,
    /// The exploration stops after that time, and passes.
    pub max_time: Option<Duration>,
    /// Not used: there are no warnings.
    pub silence_warnings: bool,
    /// Not used: nothing is traced.
    pub record_steps_in_span: bool,
    /// Not used: threads of an execution that failed are unwound.
    pub ungraceful_shutdown_config: UngracefulShutdownConfig,
}

impl Config {
    /// The usual configuration: a million operations, no limit of time.
    ///
    /// ```
    /// assert_eq!(selvedge_shuttle::Config::new().max_time, None);
    /// ```
    pub fn new() -> Config {
        Config {
            stack_size: 0xf000,
            failure_persistence: FailurePersistence::Print,
            max_steps: MaxSteps::FailAfter(1_000_000),
            max_time: None,
            silence_warnings: false,
            record_steps_in_span: false,
            ungraceful_shutdown_config: UngracefulShutdownConfig::new(),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::new()
    }
}

/// What happens to the schedule of a failure.
///
/// ```
/// let mut config = selvedge_shuttle::Config::new();
/// config.failure_persistence = selvedge_shuttle::FailurePersistence::None;
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailurePersistence {
    /// It is in the report.
    None,
    /// It is in the report.
    Print,
    /// It is in the report, and in a new file `schedule000.txt`, `schedule001.txt`, … in this directory, or in the present one.
    File(Option<PathBuf>),
}

/// The greatest number of operations in an execution.
///
/// ```
/// let mut config = selvedge_shuttle::Config::new();
/// config.max_steps = selvedge_shuttle::MaxSteps::ContinueAfter(100);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxSteps {
    /// There is none.
    None,
    /// A longer execution fails the check.
    FailAfter(usize),
    /// A longer execution is cut, and the check passes.
    ContinueAfter(usize),
}

/// What happens to threads after a failure. Not used here: they are unwound.
///
/// ```
/// assert!(!selvedge_shuttle::UngracefulShutdownConfig::new().immediately_return_on_panic);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct UngracefulShutdownConfig {
    /// Not used.
    pub immediately_return_on_panic: bool,
    /// Not used.
    pub continuation_function_behavior: ContinuationFunctionBehavior,
}

impl UngracefulShutdownConfig {
    /// The usual configuration.
    ///
    /// ```
    /// let _config = selvedge_shuttle::UngracefulShutdownConfig::new();
    /// ```
    pub const fn new() -> Self {
        let continuation_function_behavior = ContinuationFunctionBehavior::new();
        UngracefulShutdownConfig { immediately_return_on_panic: false, continuation_function_behavior }
    }
}

impl Default for UngracefulShutdownConfig {
    fn default() -> Self {
        UngracefulShutdownConfig::new()
    }
}

/// What happens to closures of threads after a failure. Not used here.
///
/// ```
/// let _behaviour = selvedge_shuttle::ContinuationFunctionBehavior::new();
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum ContinuationFunctionBehavior {
    /// They are dropped.
    Drop,
    /// They are leaked.
    Leak,
}

impl ContinuationFunctionBehavior {
    /// What shuttle does as a rule.
    ///
    /// ```
    /// let _behaviour = selvedge_shuttle::ContinuationFunctionBehavior::new();
    /// ```
    pub const fn new() -> Self {
        ContinuationFunctionBehavior::Leak
    }
}

impl Default for ContinuationFunctionBehavior {
    fn default() -> Self {
        ContinuationFunctionBehavior::new()
    }
}
