//! From a schedule to a table.
//!
//! DIVERGENCES from [Metzler2020, section 5.2.2], where one of the optimisations is done by hand: all are automatic. At the end of a section nobody waits for
//! anything but what the next events need (see the crate's documentation). A section is not found by looking for one whose guard holds, but by
//! the next instruction of the thread that branches.

use crate::chunks::{Draft, Followed, Refused, chunks};
use crate::steps::{Steps, Synchronisation};
use crate::table::{Next, SiteId, Table};
use crate::waits::{self, Order};
use selvedge_schedule::Schedule;
use std::collections::BTreeSet;

/// How much is left unordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Every event waits for the one before.
    Opt0,
    /// Only what depends is ordered; operations on mutexes, condition variables and barriers are left out, and instructions that no
    /// event of another thread depends on are not followed.
    Opt1,
    /// Besides, loops are unrolled.
    Opt2,
}

/// Rounds of a loop that become one, for [`Level::Opt2`].
const ROUNDS: usize = 8;
/// Events up to which a loop is unrolled.
const MOST_EVENTS: usize = 200;

impl Level {
    /// What becomes of operations on mutexes, condition variables and barriers.
    pub fn synchronisation(self) -> Synchronisation {
        match self {
            Level::Opt0 => Synchronisation::Kept,
            Level::Opt1 | Level::Opt2 => Synchronisation::LeftOut,
        }
    }
}

/// Makes a table of a schedule in which one thread goes on at each node. Steps that no other thread depends on lose their sites.
///
/// # Errors
/// When instructions do not tell the ways of the schedule apart.
pub fn compile(steps: &mut Steps, schedule: &Schedule, level: Level) -> Result<Table, Refused> {
    if !schedule.threads.iter().map(|thread| &thread.name).eq(&steps.system.names) {
        return Err(Refused::Unfit);
    }
    let followed = chunks(steps, schedule)?;
    let standing = followed.standing.iter().copied().collect();
    let mut drafts = match level {
        Level::Opt0 => followed.drafts,
        Level::Opt1 | Level::Opt2 => simplified(steps, schedule, followed),
    };
    let order = if level == Level::Opt0 { Order::Total } else { Order::Dependent };
    if level == Level::Opt2 {
        drafts.iter_mut().enumerate().for_each(|(number, draft)| unroll(number, draft));
    }
    Ok(Table { standing, ..waits::table(&drafts, schedule.threads.len(), order) })
}

/// Leaves out the instructions that no other thread depends on, as long as the rest tells the ways of the schedule apart.
fn simplified(steps: &mut Steps, schedule: &Schedule, followed: Followed) -> Vec<Draft> {
    let Followed { mut drafts, standing } = followed;
    let lonely: BTreeSet<SiteId> = lonely(&drafts).difference(&standing).copied().collect();
    if lonely.is_empty() {
        return drafts;
    }
    let before = steps.sites_of_places();
    steps.forget(&lonely);
    match chunks(steps, schedule) {
        Ok(simpler) => drafts = simpler.drafts,
        Err(_) => {
            // Where they tell ways apart, those are kept that do so.
            let telling: BTreeSet<SiteId> = drafts.iter().flat_map(telling).collect();
            steps.restore(before.clone());
            steps.forget(&lonely.difference(&telling).copied().collect());
            match chunks(steps, schedule) {
                Ok(simpler) => drafts = simpler.drafts,
                Err(_) => steps.restore(before),
            }
        }
    }
    drafts
}

/// The instructions whose arrivals decide.
fn telling(draft: &Draft) -> Vec<SiteId> {
    let ways = match &draft.next {
        Next::Decide { ways, .. } => &ways[..],
        Next::Nothing | Next::Go(_) => &[],
    };
    ways.iter()
        .filter_map(|(arrival, _)| match arrival {
            crate::table::Arrival::At(site) => Some(*site),
            crate::table::Arrival::End => None,
        })
        .collect()
}

/// The sites whose events no event of another thread depends on.
fn lonely(drafts: &[Draft]) -> BTreeSet<SiteId> {
    let events: Vec<_> = drafts.iter().flat_map(|draft| &draft.events).collect();
    let mut different = Vec::new();
    for event in &events {
        if !different.contains(event) {
            different.push(*event);
        }
    }
    let depends = |site: SiteId| {
        let own = different.iter().filter(|event| event.site == site);
        own.into_iter().any(|event| {
            different
                .iter()
                .any(|other| other.thread != event.thread && other.accesses.depend(&event.accesses))
        })
    };
    let sites: BTreeSet<SiteId> = different.iter().map(|event| event.site).collect();
    sites.into_iter().filter(|&site| !depends(site)).collect()
}

/// Repeats a chunk that leads to itself.
fn unroll(number: usize, draft: &mut Draft) {
    if draft.next == Next::Go(number) && draft.events.len() * ROUNDS <= MOST_EVENTS {
        let round = draft.events.clone();
        (1..ROUNDS).for_each(|_| draft.events.extend(round.iter().cloned()));
    }
}
