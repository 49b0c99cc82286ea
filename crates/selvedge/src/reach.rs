//! Points that some execution must reach.
//!
//! [`reachable!`](crate::reachable) marks a point; a check of the closure in which it stands fails if no execution comes there. So a point must be known
//! though it is never reached: each registers itself when the program is loaded, with the name of the function or closure in which it
//! stands, and belongs to the checks of closures whose name that begins with.

use crate::report::{Report, Violation};
use crate::runtime::execution::{Mode, with};
use crate::runtime::failure::{FailureKind, Site};
use selvedge_claim::Verdict;
use std::cell::RefCell;

#[doc(hidden)]
pub use inventory;

/// A point that some execution must reach, made by [`reachable!`](crate::reachable).
#[derive(Debug)]
pub struct Point {
    name: &'static str,
    file: &'static str,
    line: u32,
    column: u32,
    /// The function or closure in which it stands.
    scope: fn() -> &'static str,
}

inventory::collect!(&'static Point);

impl Point {
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        file: &'static str,
        line: u32,
        column: u32,
        scope: fn() -> &'static str,
    ) -> Point {
        Point { name, file, line, column, scope }
    }

    fn site(&self) -> Site {
        Site { file: self.file.to_owned(), line: self.line, column: self.column }
    }
}

/// Whether the executions of a check came to a point of [`reachable!`](crate::reachable).
///
/// ```
/// let report = selvedge::Checker::new().run(|| {
///     if selvedge::choose(2) == 1 {
///         selvedge::reachable!("one");
///     }
/// });
/// let [point] = &report.points[..] else { panic!("there is one point") };
/// assert!(point.is_reached && point.name == "one");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coverage {
    /// Where it is: file, line and column.
    pub place: String,
    /// Its name.
    pub name: String,
    /// Whether some execution came there.
    pub is_reached: bool,
}

thread_local! {
    static REACHED: RefCell<Vec<&'static Point>> = const { RefCell::new(Vec::new()) };
}

/// An execution has come to a point.
#[doc(hidden)]
pub fn reach(point: &'static Point) {
    if with(|x| x.mode) != Mode::Running {
        return;
    }
    REACHED.with_borrow_mut(|reached| {
        if !reached.iter().any(|&known| std::ptr::eq(known, point)) {
            reached.push(point);
        }
    });
}

/// A new search begins.
pub fn forget() {
    REACHED.with_borrow_mut(Vec::clear);
}

/// The points that the search on the present thread of the operating system has reached so far.
pub fn reached_so_far() -> Vec<&'static Point> {
    REACHED.with_borrow(Vec::clone)
}

/// Whether all of a closure's executions are known, or what an earlier process saw of them is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Knowledge {
    /// The search began at the beginning.
    Whole,
    /// It went on from a checkpoint: points may have been reached before.
    Resumed,
}

/// What a check expects of points.
#[derive(Clone, Copy, Debug)]
pub struct Expected<'a> {
    /// The name of the closure.
    pub closure: &'static str,
    /// The names of points that the checker was told of.
    pub names: &'a [String],
}

impl Expected<'_> {
    fn includes(&self, point: &Point) -> bool {
        let is_inside = (point.scope)().strip_prefix(self.closure).is_some_and(|rest| rest.starts_with("::"));
        is_inside || self.names.iter().any(|name| name == point.name)
    }

    /// The points that the check is about: those that it expects, and others that were reached.
    fn coverage(&self, reached: &[&'static Point]) -> Vec<Coverage> {
        let is_reached = |point: &Point| reached.iter().any(|&known| std::ptr::eq(known, point));
        let known = inventory::iter::<&'static Point>.into_iter().copied();
        let mut points: Vec<Coverage> = known
            .filter(|point| self.includes(point) || is_reached(point))
            .map(|point| Coverage {
                place: point.site().to_string(),
                name: point.name.to_owned(),
                is_reached: is_reached(point),
            })
            .collect();
        let unknown = self.names.iter().filter(|name| !points.iter().any(|point| point.name == **name));
        let unknown = unknown.map(|name| Coverage {
            place: "an unknown place".to_owned(),
            name: name.clone(),
            is_reached: false,
        });
        points.extend(unknown.collect::<Vec<_>>());
        points.sort();
        points
    }

    /// Adds the coverage of points to a report. If everything was explored, a point that was not reached is a violation.
    pub(crate) fn conclude(
        &self,
        mut report: Report,
        reached: &[&'static Point],
        known: Knowledge,
    ) -> Report {
        report.points = self.coverage(reached);
        if report.verdict != Verdict::Verified || known == Knowledge::Resumed {
            return report;
        }
        let missed = report.points.iter().filter(|point| !point.is_reached);
        report.violations = missed.map(unreached).collect();
        if !report.violations.is_empty() {
            report.verdict = Verdict::Violation;
            let explored = report.scope.strip_prefix("verified: ").unwrap_or(&report.scope);
            report.scope = format!("violation: a point is reached in no execution; explored: {explored}");
        }
        report
    }
}

fn unreached(point: &Coverage) -> Violation {
    let message = format!("no execution reaches \"{}\" at {}", point.name, point.place);
    let text = format!(
        "{message}\n  (a point belongs to all checks in its function: if it is that of another, put each into a function of its own)\n"
    );
    Violation { kind: FailureKind::Unreached, message, schedule: String::new(), text }
}

/// Marks a point that some execution must reach: a check of the closure or function in which it stands fails if none does. So a test
/// says that it tests what it was written for.
///
/// ```
/// use selvedge::sync::{Arc, Mutex};
/// use selvedge::{Checker, Verdict, thread};
///
/// let report = Checker::new().run(|| {
///     let cache = Arc::new(Mutex::new(0));
///     let other = thread::spawn({ let cache = cache.clone(); move || *cache.lock().unwrap() += 1 });
///     if cache.try_lock().is_err() {
///         selvedge::reachable!("the lock is taken");
///     }
///     other.join().unwrap();
/// });
/// assert_eq!(report.verdict, Verdict::Verified);
/// ```
///
/// A point in other functions belongs to a check that names it: `Checker::new().reaches("the lock is taken")`. All points that
/// a check is about, or has reached, are in [`Report::points`](crate::Report::points).
#[macro_export]
macro_rules! reachable {
    ($name:literal) => {{
        fn here() {}
        static POINT: $crate::reach::Point =
            $crate::reach::Point::new($name, file!(), line!(), column!(), || {
                ::std::any::type_name_of_val(&here)
            });
        $crate::reach::inventory::submit! { &POINT }
        $crate::reach::reach(&POINT);
    }};
}
