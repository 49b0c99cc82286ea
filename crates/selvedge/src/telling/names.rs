//! What threads and objects are called in reports.

use super::source;
use crate::runtime::names::ThreadCell;
use crate::runtime::object::ObjectInfo;
use crate::runtime::{Execution, with};
use selvedge_trace::{LocationId, ThreadId};

/// What a location is.
pub enum Thing {
    /// A part of an object: its first location, what is known of it, and the number of the part.
    Object(LocationId, ObjectInfo, u32),
    /// A cell of a thread.
    Thread(ThreadId, ThreadCell),
    /// Something without a name, such as a message.
    Nameless,
}

/// The most locations that an object has.
const MOST_PARTS: u32 = 5;

/// What a location is.
pub fn thing(location: LocationId) -> Thing {
    with(|x| {
        let cells = [
            ThreadCell::Life,
            ThreadCell::Waiting,
            ThreadCell::Token,
            ThreadCell::Spawned,
            ThreadCell::Progress,
        ];
        for thread in (0..x.names.thread_count()).map(ThreadId::at) {
            if let Some(&cell) = cells.iter().find(|&&cell| x.names.cell(thread, cell) == location) {
                return Thing::Thread(thread, cell);
            }
        }
        for part in 0..MOST_PARTS.min(location.0 + 1) {
            let first = LocationId(location.0 - part);
            if let Some(info) = x.info(first) {
                return match part < info.parts() {
                    true => Thing::Object(first, *info, part),
                    false => Thing::Nameless,
                };
            }
        }
        Thing::Nameless
    })
}

/// The name of an object.
pub fn object(location: LocationId) -> String {
    let Some((info, given)) = with(|x| {
        let info = *x.info(location)?;
        Some((info, x.given_name(&info).map(str::to_owned)))
    }) else {
        return "?".to_owned();
    };
    given.or_else(|| from_source(&info)).unwrap_or_else(|| {
        let number = with(|x| x.number_of_its_type(location, info.type_name));
        format!("{}#{number}", info.type_name)
    })
}

fn from_source(info: &ObjectInfo) -> Option<String> {
    let line = source::line(info.made.file(), info.made.line())?;
    source::initialised(&line, info.made.column())
}

/// The name of a thread of the present execution.
pub fn thread(thread: ThreadId) -> String {
    with(|x| name_of(x, thread))
}

fn name_of(x: &mut Execution, thread: ThreadId) -> String {
    if thread.index() == 0 {
        return "main".to_owned();
    }
    let state = x.thread(thread);
    let rank = state.rank;
    match state.name.clone() {
        None => format!("thread {rank}"),
        Some(name) => {
            let others = (1..x.names.thread_count()).map(ThreadId::at).filter(|&other| other != thread);
            let is_unique = others.into_iter().all(|other| x.thread(other).name.as_deref() != Some(&*name));
            if is_unique { name } else { format!("{name} {rank}") }
        }
    }
}
