//! Checkpoints as a row of numbers.

use selvedge_explore::checkpoint::{SavedBranch, SavedSleeper, SavedState};
use selvedge_explore::{Checkpoint, Statistics};
use selvedge_trace::{Access, AccessKind, Decision, LocationId, ThreadId};

/// All kinds of accesses; the position is the number.
const KINDS: [AccessKind; 8] = [
    AccessKind::Read,
    AccessKind::Observe,
    AccessKind::Post,
    AccessKind::Write,
    AccessKind::Acquire,
    AccessKind::Release,
    AccessKind::Retake,
    AccessKind::Overwrite,
];

/// Writes numbers.
#[derive(Debug, Default)]
pub struct Writer {
    numbers: Vec<u64>,
}

impl Writer {
    /// Writes a number.
    pub fn number(&mut self, number: u64) {
        self.numbers.push(number);
    }

    /// What was written.
    pub fn text(&self) -> String {
        self.numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ")
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        items.iter().for_each(|item| write(self, item));
    }

    fn decision(&mut self, decision: &Decision) {
        self.number(u64::from(decision.thread.0));
        self.number(u64::from(decision.choice));
    }

    fn access(&mut self, access: &Access) {
        self.number(u64::from(access.location.0));
        self.number(KINDS.iter().position(|&kind| kind == access.kind).unwrap_or(0) as u64);
    }

    /// Writes a checkpoint.
    pub fn checkpoint(&mut self, checkpoint: &Checkpoint) {
        let s = &checkpoint.statistics;
        for number in [s.complete, s.deadlocked, s.failed, s.assume_blocked, s.sleep_set_blocked, s.cut] {
            self.number(number);
        }
        self.number(s.transitions);
        self.number(s.longest);
        self.list(&checkpoint.violations, |writer, schedule| writer.list(schedule, Self::decision));
        self.list(&checkpoint.path, Self::decision);
        self.list(&checkpoint.states, Self::state);
    }

    fn state(&mut self, state: &SavedState) {
        self.number(u64::from(state.explored));
        self.list(state.free.as_slice(), Self::decision);
        self.list(&state.sleepers, |writer, sleeper| {
            for number in [sleeper.thread.0, sleeper.first_choice, sleeper.last_choice, sleeper.since] {
                writer.number(u64::from(number));
            }
            writer.list(&sleeper.accesses, Self::access);
        });
        self.list(&state.branches, Self::branch);
    }

    fn branch(&mut self, branch: &SavedBranch) {
        self.decision(&branch.decision);
        self.list(&branch.accesses, Self::access);
        self.list(&branch.children, Self::branch);
    }
}

/// Reads numbers.
#[derive(Debug)]
pub struct Reader {
    numbers: std::vec::IntoIter<u64>,
}

impl Reader {
    /// The numbers of a text; nothing if something else is in it.
    pub fn new(text: &str) -> Option<Reader> {
        let numbers: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
        Some(Reader { numbers: numbers.ok()?.into_iter() })
    }

    /// Whether all numbers were read.
    pub fn is_at_end(&self) -> bool {
        self.numbers.len() == 0
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u64> {
        self.numbers.next()
    }

    /// The next number, if it is small.
    pub fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = usize::try_from(self.number()?).ok().filter(|&length| length <= self.numbers.len())?;
        (0..length).map(|_| read(self)).collect()
    }

    fn decision(&mut self) -> Option<Decision> {
        Some(Decision { thread: ThreadId(self.small()?), choice: self.small()? })
    }

    fn access(&mut self) -> Option<Access> {
        let location = LocationId(self.small()?);
        Some(Access { location, kind: *KINDS.get(self.small()? as usize)? })
    }

    /// Reads a checkpoint.
    pub fn checkpoint(&mut self) -> Option<Checkpoint> {
        let statistics = Statistics {
            complete: self.number()?,
            deadlocked: self.number()?,
            failed: self.number()?,
            assume_blocked: self.number()?,
            sleep_set_blocked: self.number()?,
            cut: self.number()?,
            transitions: self.number()?,
            longest: self.number()?,
            ..Statistics::default()
        };
        let violations = self.list(|reader| reader.list(Self::decision))?;
        let path = self.list(Self::decision)?;
        let states = self.list(Self::state)?;
        (states.len() == path.len() + 1).then_some(Checkpoint { statistics, violations, path, states })
    }

    fn state(&mut self) -> Option<SavedState> {
        Some(SavedState {
            explored: self.small()?,
            free: self.list(Self::decision)?.first().copied(),
            sleepers: self.list(|reader| {
                Some(SavedSleeper {
                    thread: ThreadId(reader.small()?),
                    first_choice: reader.small()?,
                    last_choice: reader.small()?,
                    since: reader.small()?,
                    accesses: reader.list(Self::access)?,
                })
            })?,
            branches: self.list(Self::branch)?,
        })
    }

    fn branch(&mut self) -> Option<SavedBranch> {
        Some(SavedBranch {
            decision: self.decision()?,
            accesses: self.list(Self::access)?,
            children: self.list(Self::branch)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_survives_the_way_to_disk_and_back() {
        let decision = |thread| Decision { thread: ThreadId(thread), choice: 1 };
        let accesses = vec![Access { location: LocationId(9), kind: AccessKind::Retake }];
        let leaf = SavedBranch { decision: decision(2), accesses: accesses.clone(), children: Vec::new() };
        let branch = SavedBranch { decision: decision(1), accesses: Vec::new(), children: vec![leaf] };
        let sleeper =
            SavedSleeper { thread: ThreadId(3), first_choice: 0, last_choice: 4, since: 1, accesses };
        let state = SavedState {
            explored: 2,
            free: Some(decision(7)),
            sleepers: vec![sleeper],
            branches: vec![branch],
        };
        let checkpoint = Checkpoint {
            statistics: Statistics { complete: 5, longest: 9, ..Statistics::default() },
            violations: vec![vec![decision(4), decision(1)], Vec::new()],
            path: vec![decision(0)],
            states: vec![state, SavedState::default()],
        };
        let mut writer = Writer::default();
        writer.checkpoint(&checkpoint);
        let mut reader = Reader::new(&writer.text()).expect("it is numbers");
        assert_eq!(reader.checkpoint(), Some(checkpoint));
        assert!(reader.is_at_end());
    }

    #[test]
    fn half_a_checkpoint_is_none() {
        assert!(Reader::new("1 2 x").is_none());
        assert_eq!(Reader::new("1 2 3").expect("it is numbers").checkpoint(), None);
        assert_eq!(Reader::new("0 0 0 0 0 0 0 0 99999999 1").expect("it is numbers").checkpoint(), None);
    }
}
