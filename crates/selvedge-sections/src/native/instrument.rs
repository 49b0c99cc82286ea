//! Hooks before and after the instructions of a table, in the text of the LLVM IR. Lines are added and never renumbered.

use super::{BuildError, Parts};
use crate::steps::Synchronisation;
use crate::table::SiteId;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{Call, Instruction, Operand, Operation};
use selvedge_llvm::{Module, Site};
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// Operations that a schedule makes redundant, together: what they order is ordered anyway.
const LEFT_OUT: [&str; 6] = [
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "pthread_cond_broadcast",
    "pthread_barrier_wait",
];

/// Operations that mean something else when those are left out.
const TIMED: [&str; 2] = ["pthread_cond_timedwait", "pthread_cond_clockwait"];

/// The ends of sections that are one step: what is between them has no hooks of its own.
const SECTIONS: [&str; 2] = ["__VERIFIER_atomic_begin", "__VERIFIER_atomic_end"];

/// Functions that the run time has in place of those of the library.
const REPLACED: [(&str, &str); 2] =
    [("pthread_create", "selvedge_section_create"), ("pthread_join", "selvedge_section_join")];

/// A module with hooks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instrumented {
    /// Its text.
    pub text: String,
    /// For each site of the table, the instruction.
    pub sites: Vec<Option<Site>>,
    /// For each thread and site, whether the thread has events there. Elsewhere the same instruction accesses what is the thread's own.
    pub seen: Vec<Vec<bool>>,
}

/// Puts hooks at the instructions of a table.
///
/// # Errors
/// When an instruction cannot be controlled.
pub fn instrument(parts: &Parts) -> Result<Instrumented, BuildError> {
    refuse_calls(parts, &SECTIONS)?;
    if parts.steps.synchronisation == Synchronisation::LeftOut {
        refuse_calls(parts, &TIMED)?;
    }
    let mut sites = vec![None; parts.steps.sites.len()];
    let mut seen = vec![vec![false; sites.len()]; parts.threads.len()];
    let mut hooked: BTreeMap<Site, Vec<SiteId>> = BTreeMap::new();
    for id in used(parts) {
        let part = parts.steps.sites[id.0 as usize];
        let site = parts.sources.site(part.instruction);
        sites[id.0 as usize] = site;
        for (thread, seen) in seen.iter_mut().enumerate() {
            seen[id.0 as usize] = is_seen(parts, ThreadId::at(thread), id)?;
        }
        if let Some(site) = site {
            hooked.entry(site).or_default().push(id);
        }
    }
    let mut edits = Edits { lines: parts.text.lines().map(|line| vec![line.to_owned()]).collect() };
    for (site, ids) in &mut hooked {
        ids.sort_by_key(|id| parts.steps.sites[id.0 as usize].part);
        hook(parts, *site, ids, &mut edits)?;
    }
    if parts.steps.synchronisation == Synchronisation::LeftOut {
        leave_out(parts.module, &mut edits);
    }
    let lines: Vec<String> = edits.lines.into_iter().flatten().collect();
    let text = REPLACED.iter().fold(lines.join("\n"), |text, (name, by)| replaced(&text, name, by));
    let declarations = format!(
        "\ndeclare i32 @selvedge_section_before(i32) nounwind\ndeclare void @selvedge_section_after(i32) nounwind\n\
         declare i32 @selvedge_section_wait(i32, i32, {}) nounwind\n",
        pointer_to_mutex(parts.text)
    );
    Ok(Instrumented { text: inlinable(&text) + &declarations, sites, seen })
}

/// How the text writes pointers to mutexes.
fn pointer_to_mutex(text: &str) -> &'static str {
    match text.lines().any(|line| line.starts_with("  ") && line.contains(" ptr ")) {
        true => "ptr",
        false if text.contains("%union.pthread_mutex_t = type") => "%union.pthread_mutex_t*",
        false => "i8*",
    }
}

/// Without optimisation clang forbids that functions are inlined; the binary is optimised.
fn inlinable(text: &str) -> String {
    let line = |line: &str| match line.starts_with("attributes #") {
        true => line.replace(" noinline", "").replace(" optnone", "") + "\n",
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Refuses modules that call some functions.
fn refuse_calls(parts: &Parts, names: &[&str]) -> Result<(), BuildError> {
    for (function, code) in parts.module.functions.iter().enumerate() {
        let instructions = code.blocks.iter().flat_map(|block| &block.instructions);
        for (ordinal, instruction) in instructions.enumerate() {
            let kind = parts.module.kind(&instruction.operation);
            if names.contains(&kind.as_str()) {
                let site = Site { function: function as u32, ordinal: ordinal as u32 };
                let place = parts.module.site_name(site).place;
                return Err(BuildError::Instruction { place, kind, why: " under a program schedule" });
            }
        }
    }
    Ok(())
}

/// The sites that a table has events at, that tell its ways apart, or where threads stand that have none left.
fn used(parts: &Parts) -> Vec<SiteId> {
    use crate::table::{Arrival, Next};
    let mut used = parts.table.standing.clone();
    for chunk in &parts.table.chunks {
        used.extend(chunk.events.iter().map(|event| event.site));
        if let Next::Decide { ways, .. } = &chunk.next {
            let sites = ways.iter().filter_map(|way| match way.0 {
                Arrival::At(site) => Some(site),
                Arrival::End => None,
            });
            used.extend(sites);
        }
    }
    used.sort();
    used.dedup();
    used
}

/// Whether a thread has events at a site.
fn is_seen(parts: &Parts, thread: ThreadId, id: SiteId) -> Result<bool, BuildError> {
    let instruction = parts.steps.sites[id.0 as usize].instruction;
    let code = parts.steps.code_of(thread, id);
    let events: BTreeSet<u32> =
        code.filter_map(|pc| parts.sources.named(pc)).map(|named| named.occurrence).collect();
    if !events.is_empty() && !parts.sources.executed(thread, instruction).is_subset(&events) {
        let name = parts.sources.site(instruction).map(|site| parts.module.site_name(site));
        let (place, kind) = name.map_or_else(Default::default, |name| (name.place, name.kind));
        let why = ", because it accesses memory that threads share in one call and a thread's own in another";
        return Err(BuildError::Instruction { place, kind, why });
    }
    Ok(!events.is_empty())
}

struct Edits {
    /// What each line has become.
    lines: Vec<Vec<String>>,
}

impl Edits {
    fn line(&mut self, number: u32) -> &mut Vec<String> {
        &mut self.lines[number as usize - 1]
    }
}

fn find(module: &Module, site: Site) -> Option<(&Instruction, Option<&Instruction>)> {
    let blocks = &module.functions.get(site.function as usize)?.blocks;
    let mut ordinal = site.ordinal as usize;
    for block in blocks {
        match block.instructions.get(ordinal) {
            Some(instruction) => return Some((instruction, block.instructions.get(ordinal + 1))),
            None => ordinal -= block.instructions.len(),
        }
    }
    None
}

fn hook(parts: &Parts, site: Site, ids: &[SiteId], edits: &mut Edits) -> Result<(), BuildError> {
    let name = parts.module.site_name(site);
    let refuse = |why| BuildError::Instruction { place: name.place.clone(), kind: name.kind.clone(), why };
    let (instruction, next) = find(parts.module, site).ok_or_else(|| refuse(""))?;
    let [first, last] = instruction.lines;
    match (ids, &instruction.operation) {
        ([id], Operation::Load { .. } | Operation::Store { .. }) if first == last => {
            edits.line(first).iter_mut().for_each(|line| *line = volatile(line));
            around(id.0, [first, last], edits);
        }
        (
            [id],
            Operation::ReadModifyWrite { .. } | Operation::CompareExchange { .. } | Operation::Fence(_),
        ) => {
            around(id.0, [first, last], edits);
        }
        ([id], Operation::Call(_)) => match next.map(|next| &next.operation) {
            Some(Operation::Unreachable) => return Err(refuse(", because it does not come back")),
            _ => around(id.0, [first, last], edits),
        },
        ([one, other], Operation::Call(call)) => {
            let mutex = match name.kind.as_str() {
                "pthread_cond_wait" => mutex_of(call, edits.line(first)),
                "pthread_barrier_wait" => Some("null".to_owned()),
                _ => None,
            };
            let is_left_out = parts.steps.synchronisation == Synchronisation::LeftOut;
            let mutex = if is_left_out { Some("null".to_owned()) } else { mutex };
            let is_wait = matches!(name.kind.as_str(), "pthread_cond_wait" | "pthread_barrier_wait");
            let mutex = mutex.filter(|_| is_wait);
            let mutex = mutex.ok_or_else(|| refuse(", because it takes several steps"))?;
            let line = edits.line(first);
            let Some((result, _)) = line[0].split_once('=') else { return Err(refuse("")) };
            let pointer = pointer_to_mutex(parts.text);
            let call =
                format!("call i32 @selvedge_section_wait(i32 {}, i32 {}, {pointer} {mutex})", one.0, other.0);
            *line = vec![format!("{result}= {call}")];
        }
        ([_], _) => return Err(refuse("")),
        _ => return Err(refuse(", because it takes several steps")),
    }
    Ok(())
}

/// The second argument of a wait.
fn mutex_of(call: &Call, line: &[String]) -> Option<String> {
    let arguments = line.first()?.split_once("@pthread_cond_wait(")?.1;
    let second = arguments.split_once(", ").filter(|_| call.arguments.len() == 2)?.1;
    let value = second.split(')').next()?.split(' ').next_back()?;
    let is_name = value.starts_with('@') || value.starts_with('%');
    is_name.then(|| value.to_owned())
}

fn around(id: u32, [first, last]: [u32; 2], edits: &mut Edits) {
    let event = format!("  %selvedge.section.{id} = call i32 @selvedge_section_before(i32 {id})");
    edits.line(first).insert(0, event);
    edits.line(last).push(format!("  call void @selvedge_section_after(i32 %selvedge.section.{id})"));
}

/// An access that the optimiser leaves where it is.
fn volatile(line: &str) -> String {
    for (plain, by) in
        [("load atomic ", "load atomic volatile "), ("store atomic ", "store atomic volatile ")]
    {
        if line.contains(plain) && !line.contains(by) {
            return line.replacen(plain, by, 1);
        }
    }
    if line.contains(" volatile ") {
        return line.to_owned();
    }
    match line.contains("= load ") {
        true => line.replacen("= load ", "= load volatile ", 1),
        false => line.replacen("  store ", "  store volatile ", 1),
    }
}

/// Removes the calls that the schedule makes redundant. They succeed.
fn leave_out(module: &Module, edits: &mut Edits) {
    for function in &module.functions {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Operation::Call(call) = &instruction.operation else { continue };
            let is_left_out = callee(module, call).is_some_and(|name| LEFT_OUT.contains(&name));
            let [first, last] = instruction.lines;
            if !is_left_out || first != last {
                continue;
            }
            for line in edits
                .line(first)
                .iter_mut()
                .filter(|line| line.contains(" call ") && line.contains("@pthread_"))
            {
                *line = match line.split_once('=') {
                    Some((result, _)) => format!("{result}= add i32 0, 0"),
                    None => String::new(),
                };
            }
        }
    }
}

fn callee<'m>(module: &'m Module, call: &Call) -> Option<&'m str> {
    match &call.callee {
        Operand::Constant(Constant::Symbol(symbol)) => Some(module.name(*symbol)),
        _ => None,
    }
}

/// The text with another function in place of one of the library.
fn replaced(text: &str, name: &str, by: &str) -> String {
    let whole = format!("@{name}(");
    text.replace(&whole, &format!("@{by}("))
}
