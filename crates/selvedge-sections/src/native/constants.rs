//! A table as constants of C.

use crate::table::{Arrival, Event, Next, Table};
use selvedge_schedule::Thread;
use std::fmt::Write;

/// The constants that the run time is compiled with; `sites` are the names of the instructions, `seen` says for each thread
/// at which of them it has events.
pub fn constants(table: &Table, threads: &[Thread], sites: &[String], seen: &[Vec<bool>]) -> String {
    let mut text = format!(
        "enum {{ THREADS = {}, SITES = {}, CHUNKS = {} }};\n",
        table.threads,
        sites.len(),
        table.chunks.len()
    );
    text += TYPES;
    let mut rows = Rows::default();
    for chunk in &table.chunks {
        for thread in 0..table.threads {
            rows.own.push(rows.events.len().to_string());
            chunk.events.iter().filter(|event| event.thread == thread).for_each(|event| rows.event(event));
        }
        rows.next(&chunk.next);
    }
    rows.own.push(rows.events.len().to_string());
    let reachable = table.reachable().into_iter().flatten().map(|is| u8::from(is).to_string());
    let creation = |thread: &Thread| {
        thread.creator.map_or("{END, 0}".to_owned(), |(creator, which)| format!("{{{creator}, {which}}}"))
    };
    let quoted = |name: &String| format!("{name:?}");
    let thread_names = threads.iter().map(|thread| quoted(&thread.name)).collect();
    array(&mut text, "unsigned", "own", rows.own);
    array(&mut text, "unsigned char", "reachable", reachable.collect());
    let seen = seen.iter().flatten().map(|&is| u8::from(is).to_string());
    array(&mut text, "unsigned char", "seen_by", seen.collect());
    let creates = sites.iter().map(|name| u8::from(name.starts_with("pthread_create")).to_string());
    array(&mut text, "unsigned char", "creates", creates.collect());
    array(&mut text, "struct event", "events", rows.events);
    array(&mut text, "struct wait", "waits", rows.waits);
    array(&mut text, "struct next", "nexts", rows.nexts);
    array(&mut text, "struct way", "ways", rows.ways);
    array(&mut text, "struct creation", "creations", threads.iter().map(creation).collect());
    array(&mut text, "char *const", "thread_names", thread_names);
    array(&mut text, "char *const", "site_names", sites.iter().map(quoted).collect());
    text
}

/// The rows of a table are of these types.
const TYPES: &str = "enum { END = 0xffffffffu };
enum { NOTHING, GO, DECIDE };
struct wait { unsigned thread; int events; };
struct event { unsigned site, first_wait, waits; };
struct next { unsigned kind, to, first_way, ways; };
struct way { unsigned site, chunk; };
struct creation { unsigned creator, which; };
";

#[derive(Default)]
struct Rows {
    own: Vec<String>,
    events: Vec<String>,
    waits: Vec<String>,
    nexts: Vec<String>,
    ways: Vec<String>,
}

impl Rows {
    fn event(&mut self, event: &Event) {
        self.events.push(format!("{{{}, {}, {}}}", event.site.0, self.waits.len(), event.waits.len()));
        self.waits.extend(event.waits.iter().map(|wait| format!("{{{}, {}}}", wait.thread, wait.events)));
    }

    fn next(&mut self, next: &Next) {
        let first = self.ways.len();
        let row = match next {
            Next::Nothing => "{NOTHING, 0, 0, 0}".to_owned(),
            Next::Go(to) => format!("{{GO, {to}, 0, 0}}"),
            Next::Decide { thread, ways } => {
                let way = |(arrival, chunk): &(Arrival, usize)| match arrival {
                    Arrival::At(site) => format!("{{{}, {chunk}}}", site.0),
                    Arrival::End => format!("{{END, {chunk}}}"),
                };
                self.ways.extend(ways.iter().map(way));
                format!("{{DECIDE, {thread}, {first}, {}}}", ways.len())
            }
        };
        self.nexts.push(row);
    }
}

/// An array; an empty one gets a row, which nothing looks at.
fn array(text: &mut String, ty: &str, name: &str, mut rows: Vec<String>) {
    if rows.is_empty() {
        rows.push("0".to_owned());
    }
    let _ = writeln!(text, "static const {ty} {name}[] = {{{}}};", rows.join(", "));
}
