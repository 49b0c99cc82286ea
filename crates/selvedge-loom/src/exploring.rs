//! Switches of loom that leave out parts of the exploration.
//!
//! They do nothing here. Loom explores fewer executions after [`stop_exploring`] or [`skip_branch`]; this library explores all traces, which
//! include these: no bug is lost, and the claim does not become weaker. For programs that are too big there are bounds and limits.

/// Explores from here on: nothing changes, because everything is explored.
///
/// ```
/// selvedge_loom::model(|| selvedge_loom::explore());
/// ```
pub fn explore() {}

/// Would let loom stop exploring up to the next [`explore`]; here all traces are explored.
///
/// ```
/// selvedge_loom::model(|| {
///     selvedge_loom::stop_exploring();
///     selvedge_loom::explore();
/// });
/// ```
pub fn stop_exploring() {}

/// Would let loom stop exploring in this execution; here all traces are explored.
///
/// ```
/// selvedge_loom::model(|| selvedge_loom::skip_branch());
/// ```
pub fn skip_branch() {}
