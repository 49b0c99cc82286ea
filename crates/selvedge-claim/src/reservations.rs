//! The reservations of a claim: what qualifies it besides its terms, as data.
//!
//! Unlike [`Terms`](crate::Terms) they depend on what was seen in this search, and some name places of the program.
//! [`scope`](crate::scope) alone puts them into sentences.

/// What qualifies a claim besides its terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reservations {
    /// Why executions were cut, or the answer is in doubt, one phrase each.
    pub doubts: Vec<String>,
    /// A place at which memory is copied or compared in one step, which matters if it races and races are not looked for.
    pub at_once: Option<String>,
    /// What a search noticed that found nothing wrong, one clause each.
    pub noticed: Vec<&'static str>,
    /// The schedule that says which executions the claim is about, if it is not about all.
    pub schedule: Option<UnderSchedule>,
}

/// A schedule, and how it was confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnderSchedule {
    /// Its name.
    pub name: String,
    /// The proof by induction, if that decides.
    pub proof: Option<Induction>,
}

/// A proof by induction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Induction {
    /// Sections that it is about.
    pub sections: u64,
    /// Questions to the solver.
    pub questions: u64,
}

impl Reservations {
    /// The reservations of a claim with these doubts.
    pub fn of_doubts(doubts: Vec<String>) -> Reservations {
        Reservations { doubts, ..Reservations::default() }
    }

    /// The proof by induction that decides, if there is one.
    pub fn induction(&self) -> Option<Induction> {
        self.schedule.as_ref()?.proof
    }
}
