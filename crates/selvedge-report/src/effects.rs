//! What a step did, in a few words for each location.
//!
//! Locations that only order events (the life of a thread, wake-ups) are translated into what they mean: a
//! `wait` is shown as *waits for c, frees m* and later *wakes up, takes m*.

use selvedge_interp::steps::{Effect, StepRecord};
use selvedge_interp::{Content, Layout};
use selvedge_trace::AccessKind;

/// What a step did, one phrase for each effect that matters to a reader.
pub fn phrases(record: &StepRecord, layout: &Layout) -> Vec<String> {
    let teller = Teller { record, layout };
    let chosen = record.chosen.map(|value| format!("chooses {value}"));
    let order = |effect: &&Effect| teller.is_release_of_wait(effect);
    let (last, first): (Vec<&Effect>, Vec<&Effect>) = record.effects.iter().partition(order);
    let effects = first.into_iter().chain(last).filter_map(|effect| teller.phrase(effect));
    chosen.into_iter().chain(effects).collect()
}

struct Teller<'a> {
    record: &'a StepRecord,
    layout: &'a Layout,
}

impl Teller<'_> {
    fn content(&self, effect: &Effect) -> Content {
        self.layout.array_of(effect.place).content
    }

    fn any(&self, content: Content, kind: AccessKind) -> bool {
        self.record.effects.iter().any(|effect| effect.kind == kind && self.content(effect) == content)
    }

    /// Waiting writes the condition variable without waking anybody.
    fn is_wait(&self) -> bool {
        self.any(Content::Condvars, AccessKind::Write) && !self.any(Content::Threads, AccessKind::Post)
    }

    fn is_waking_up(&self) -> bool {
        let wake_ups = self.layout.waiting..self.layout.life;
        let observes = |e: &Effect| e.kind == AccessKind::Observe && wake_ups.contains(&e.place.0);
        self.record.effects.iter().any(observes)
    }

    fn is_release_of_wait(&self, effect: &Effect) -> bool {
        effect.kind == AccessKind::Release && self.is_wait()
    }

    fn phrase(&self, effect: &Effect) -> Option<String> {
        let name = &effect.location;
        match self.content(effect) {
            Content::Values(_) if effect.kind.is_read() => Some(format!("reads {name} = {}", effect.before)),
            Content::Values(_) => Some(change(effect)),
            Content::Mutexes => Some(self.mutex(effect)),
            Content::Condvars if self.is_wait() => Some(format!("waits for {name}")),
            Content::Condvars if self.any(Content::Threads, AccessKind::Post) => None,
            Content::Condvars => Some(format!("nobody waits for {name}")),
            Content::Barrier if effect.kind == AccessKind::Observe => Some(format!("goes on after {name}")),
            Content::Barrier => Some(format!("arrives at {name}")),
            Content::Threads => self.thread(effect),
        }
    }

    fn mutex(&self, effect: &Effect) -> String {
        let name = &effect.location;
        match effect.kind {
            AccessKind::Release if self.is_wait() => format!("frees {name}"),
            AccessKind::Acquire if self.is_waking_up() => format!("takes {name}"),
            kind if !kind.is_read() => change(effect),
            _ if effect.before == "free" => format!("{name} is free"),
            _ => format!("{name} is held by {}", effect.before),
        }
    }

    fn thread(&self, effect: &Effect) -> Option<String> {
        let layout = self.layout;
        let range = layout.array_of(effect.place).start;
        let index = (effect.place.0 - range) as usize;
        let name = layout.thread_names.get(index)?;
        let is_own = index == self.record.decision.thread.index();
        match effect.kind {
            AccessKind::Write if range == layout.spawned => Some(format!("starts {name}")),
            AccessKind::Post if range == layout.waiting => Some(format!("wakes {name}")),
            AccessKind::Observe if range == layout.waiting => Some("wakes up".to_owned()),
            AccessKind::Observe if range == layout.life && !is_own => Some(format!("{name} has ended")),
            _ => None,
        }
    }
}

fn change(effect: &Effect) -> String {
    format!("{}: {} → {}", effect.location, effect.before, effect.after)
}
