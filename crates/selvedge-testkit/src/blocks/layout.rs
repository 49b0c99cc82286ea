//! Layouts of memory, as far as a program has looked at them.
//!
//! Which addresses are less than which others, and what their numbers are, is decided when it is first asked: an address is
//! put at any place among those that were compared before.

use super::Question;
use super::oracle::Address;
use std::collections::BTreeMap;

/// What is known of a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The addresses that were compared, in their order.
    order: Vec<Address>,
    /// The answers about numbers of addresses.
    answers: BTreeMap<(Address, u8), bool>,
}

impl Layout {
    /// The layouts in which two addresses have places in the order, each with whether the first is less.
    pub fn orders(&self, a: Address, b: Address) -> Vec<(Layout, bool)> {
        if a == 0 || b == 0 || a == b {
            return vec![(self.clone(), a == 0 && b != 0)];
        }
        let place =
            |layout: &Layout, address: Address| layout.order.iter().position(|known| *known == address);
        let mut layouts = vec![self.clone()];
        for address in [a, b] {
            layouts = layouts.iter().flat_map(|layout| layout.with(address)).collect();
        }
        layouts.into_iter().map(|layout| (layout.clone(), place(&layout, a) < place(&layout, b))).collect()
    }

    /// The layouts in which an address has a place in the order.
    fn with(&self, address: Address) -> Vec<Layout> {
        if self.order.contains(&address) {
            return vec![self.clone()];
        }
        let at = |place: usize| {
            let mut layout = self.clone();
            layout.order.insert(place, address);
            layout
        };
        (0..=self.order.len()).map(at).collect()
    }

    /// The layouts in which a question about an address that is not null has an answer.
    pub fn answers(&self, address: Address, question: Question) -> Vec<(Layout, bool)> {
        let key = (address, question as u8);
        if let Some(&answer) = self.answers.get(&key) {
            return vec![(self.clone(), answer)];
        }
        let with = |answer: bool| {
            let mut layout = self.clone();
            layout.answers.insert(key, answer);
            (layout, answer)
        };
        [false, true].map(with).to_vec()
    }
}
