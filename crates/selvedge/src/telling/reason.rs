//! The end of a counterexample: what is wrong, where, and why.

use super::steps::content;
use super::{effects, names, source};
use crate::runtime::failure::{Failure, FailureKind, Site};
use crate::runtime::program::Closure;
use selvedge_claim::Page;
use selvedge_claim::paint::Role;
use selvedge_claim::reason::{Waiting, underlined, waiting};
use selvedge_trace::ThreadId;

/// The reason for a counterexample, several lines. The closure stands at its end.
pub fn reason(failure: &Failure, closure: &Closure, page: Page) -> String {
    match failure.kind {
        FailureKind::Deadlock | FailureKind::Livelock => blocked(failure, closure, page),
        FailureKind::Panic
        | FailureKind::DataRace
        | FailureKind::Leak
        | FailureKind::Unreached
        | FailureKind::StackOverflow
        | FailureKind::Hang
        | FailureKind::Crash => {
            let headline = page.palette.paint(Role::Bad, &headline(failure));
            let excerpts: String = failure.sites.iter().map(|site| excerpt(site, page)).collect();
            let hint = match failure.kind == FailureKind::DataRace && failure.message.contains("get") {
                true => "  `get` counts as a write, whatever is done with the pointer; `with` is for reads\n",
                false => "",
            };
            format!("{headline}\n{excerpts}{hint}")
        }
    }
}

fn excerpt(site: &Site, page: Page) -> String {
    source::excerpt(site).map_or(String::new(), |excerpt| underlined(site.line as usize, &excerpt, page))
}

/// The reason in one line.
pub fn headline(failure: &Failure) -> String {
    let thread = |number: usize| names::thread(failure.threads.get(number).copied().unwrap_or(ThreadId(0)));
    let site =
        |number: usize| failure.sites.get(number).map_or("an unknown place".to_owned(), Site::to_string);
    match failure.kind {
        FailureKind::Panic => format!("panic in {} at {}: {}", thread(0), site(0), failure.message),
        FailureKind::DataRace => {
            let (first, second) = failure.message.split_once(' ').unwrap_or(("access", "access"));
            let object = failure.object.map_or("a cell".to_owned(), names::object);
            format!(
                "data race on {object}: nothing orders the {first} by {} at {} and the {second} by {} at {}",
                thread(0),
                site(0),
                thread(1),
                site(1)
            )
        }
        FailureKind::Leak => {
            let object = failure.object.map_or("an Arc".to_owned(), names::object);
            let what = &failure.message;
            format!("leak: the {what} {object} made at {} is alive though all threads have ended", site(0))
        }
        FailureKind::StackOverflow | FailureKind::Hang | FailureKind::Crash => {
            format!("{} {}", thread(0), failure.message)
        }
        FailureKind::Deadlock | FailureKind::Livelock | FailureKind::Unreached => failure.message.clone(),
    }
}

fn blocked(failure: &Failure, closure: &Closure, page: Page) -> String {
    let rows: Vec<Waiting> = closure
        .waiting()
        .iter()
        .map(|(thread, operation)| Waiting {
            thread: names::thread(*thread),
            place: format!("{}:{}", source::short(operation.place.file()), operation.place.line()),
            statement: effects::statement(operation),
            waits_for: effects::waits_for(operation, &content),
        })
        .collect();
    waiting(&failure.message, &rows, page)
}
