//! Schedules in which one thread goes on at each node.
//!
//! A set of schedules may leave open which of several threads goes on. A compiled program would have to find out together who does; instead,
//! one thread is chosen for each node before it is compiled. Less is permitted then, and whether it is still free of deadlock and fair is to be
//! confirmed anew.

use selvedge_schedule::{Node, Schedule, Section};
use std::collections::{BTreeMap, BTreeSet};

/// The schedule with one thread at each node: the one after so many others, in the order of their sections.
#[must_use]
pub fn restricted(schedule: &Schedule, turn: usize) -> Schedule {
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); schedule.nodes.len()];
    for section in &schedule.sections {
        let thread = section.events[0].thread;
        if !of_node[section.from].contains(&thread) {
            of_node[section.from].push(thread);
        }
    }
    let chosen = |node: usize| of_node[node].get(turn % of_node[node].len().max(1)).copied();
    let is_chosen = |section: &&Section| chosen(section.from) == Some(section.events[0].thread);
    let mut reached = BTreeSet::from([0]);
    let mut todo = vec![0];
    while let Some(node) = todo.pop() {
        let sections = schedule.sections.iter().filter(|section| section.from == node).filter(is_chosen);
        todo.extend(sections.map(|section| section.to).filter(|&to| reached.insert(to)));
    }
    let numbers: BTreeMap<usize, usize> = reached.iter().copied().zip(0..).collect();
    let sections = schedule.sections.iter().filter(is_chosen).filter(|s| reached.contains(&s.from));
    let sections = sections.map(|section| {
        let (from, to) = (numbers[&section.from], numbers[&section.to]);
        Section { from, to, ..section.clone() }
    });
    let nodes: Vec<Node> = reached.iter().map(|&node| schedule.nodes[node].clone()).collect();
    Schedule { nodes, sections: sections.collect(), ..schedule.clone() }
}

/// How many threads may go on at some node.
pub fn most_threads(schedule: &Schedule) -> usize {
    let threads = |node: usize| {
        let sections = schedule.sections.iter().filter(|section| section.from == node);
        sections.map(|section| section.events[0].thread).collect::<BTreeSet<usize>>().len()
    };
    (0..schedule.nodes.len()).map(threads).max().unwrap_or(0)
}
