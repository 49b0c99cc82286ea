//! Symmetric threads: what is useful to know of one thread is useful to know of the others that do the same.
//!
//! Threads of one family have the same places and transitions, but for the number of the thread. A predicate that refinement found
//! for some of them, at some places, has *images* for the others: threads exchanged, with their variables, their elements of
//! arrays that have one for each of them, and their places. Images are only suggestions for labels, which get them where they follow;
//! so nothing depends on whether the threads really are symmetric, and a proof is checked like any other.

use selvedge_interp::Content;
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Term, Terms, Variable};
use selvedge_symbolic::{Place, System, ThreadSystem};
use std::collections::{BTreeMap, BTreeSet};

/// The most images of a predicate that are made.
const MOST_IMAGES: usize = 24;

/// The most threads among which symmetric ones are looked for. Of more, the exchanges would take longer to make than they could save.
const MOST_THREADS: usize = 500;

/// The symmetric threads of a program.
#[derive(Debug)]
pub struct Symmetry {
    /// Pairs of threads that can be exchanged, with what becomes of the variables then.
    exchanges: Vec<(usize, usize, Substitution)>,
    /// Variables that say which thread holds a mutex. Predicates about them have no images.
    holders: BTreeSet<Variable>,
}

impl Symmetry {
    /// Looks for threads of the same shape.
    pub fn new(system: &System, terms: &mut Terms, mutexes: &[Variable]) -> Symmetry {
        let holders = mutexes.iter().copied().collect();
        if system.threads.len() > MOST_THREADS {
            return Symmetry { exchanges: Vec::new(), holders };
        }
        let mut families: Vec<Vec<usize>> = Vec::new();
        for (thread, of) in system.threads.iter().enumerate() {
            match families.iter_mut().find(|family| is_alike(&system.threads[family[0]], of)) {
                Some(family) => family.push(thread),
                None => families.push(vec![thread]),
            }
        }
        let mut exchanges = Vec::new();
        for family in &families {
            for (index, pair) in family.windows(2).enumerate() {
                let renamed = exchange(system, terms, pair[0], pair[1], index, family.len());
                exchanges.push((pair[0], pair[1], renamed));
            }
        }
        Symmetry { exchanges, holders }
    }

    /// The images of a predicate at some places, not counting itself.
    pub fn images(&self, terms: &mut Terms, places: &[u32], predicate: Term) -> Vec<(Vec<u32>, Term)> {
        if self.exchanges.is_empty()
            || terms.variables_of([predicate]).iter().any(|variable| self.holders.contains(variable))
        {
            return Vec::new();
        }
        let mut images = vec![(places.to_vec(), predicate)];
        let mut looked_at = 0;
        while looked_at < images.len() && images.len() <= MOST_IMAGES {
            let (places, predicate) = images[looked_at].clone();
            looked_at += 1;
            for (one, other, renamed) in &self.exchanges {
                let mut exchanged = places.clone();
                exchanged.swap(*one, *other);
                let image = (exchanged, terms.substitute(predicate, renamed));
                if !images.contains(&image) {
                    images.push(image);
                }
            }
        }
        images.remove(0);
        images
    }
}

/// Whether two threads have the same places with the same statements.
fn is_alike(one: &ThreadSystem, other: &ThreadSystem) -> bool {
    let shape = |thread: &ThreadSystem| -> Vec<_> {
        let of = |l: &selvedge_symbolic::system::Location| (l.kind, l.span, l.transitions.len());
        thread.locations.iter().map(of).collect()
    };
    one.role == other.role && shape(one) == shape(other)
}

/// What becomes of the variables when two neighbours in a family of so many threads, the first at this index, are exchanged.
fn exchange(
    system: &System,
    terms: &mut Terms,
    one: usize,
    other: usize,
    index: usize,
    size: usize,
) -> Substitution {
    let layout = &system.code.layout;
    let of_threads = layout
        .arrays
        .iter()
        .filter(|range| matches!(range.content, Content::Values(_)) && range.length as usize == size);
    let mut cells: BTreeMap<u32, u32> = BTreeMap::new();
    let mut swap = |a: u32, b: u32| cells.extend([(a, b), (b, a)]);
    for range in of_threads {
        swap(range.start + index as u32, range.start + index as u32 + 1);
    }
    swap(layout.waiting + one as u32, layout.waiting + other as u32);
    let image = |place: Place| match place {
        Place::Cell(cell) => cells.get(&cell).map(|&cell| Place::Cell(cell)),
        Place::Slot { thread, slot } if thread as usize == one => {
            Some(Place::Slot { thread: other as u32, slot })
        }
        Place::Slot { thread, slot } if thread as usize == other => {
            Some(Place::Slot { thread: one as u32, slot })
        }
        Place::Slot { .. } | Place::Array(_) => None,
    };
    let at: BTreeMap<Place, Variable> = system.variables.iter().map(|v| (v.place, v.variable)).collect();
    let mut renamed = Substitution::new();
    for variable in &system.variables {
        if let Some(&to) = image(variable.place).and_then(|place| at.get(&place)) {
            renamed.insert(variable.variable, terms.var(to));
        }
    }
    renamed
}
