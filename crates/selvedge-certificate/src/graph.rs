//! Cycles of a certificate's tree and coverings.

use crate::certificate::Certificate;

/// The strongly connected components that have a cycle, of the graph without the steps of a thread. Each is a list of nodes.
pub fn cycles_without(certificate: &Certificate, thread: usize) -> Vec<Vec<usize>> {
    let count = certificate.nodes.len();
    let successors: Vec<Vec<usize>> = certificate
        .nodes
        .iter()
        .map(|node| {
            let edges = node.edges.iter().filter(|edge| edge.0 != thread).map(|edge| edge.2);
            edges.chain(node.covered_by).filter(|&next| next < count).collect()
        })
        .collect();
    cycles(&successors)
}

/// The strongly connected components that have a cycle, of the graph of some nodes. Each is a list of nodes.
pub fn cycles_among(certificate: &Certificate, is_in: &dyn Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let count = certificate.nodes.len();
    let successors: Vec<Vec<usize>> = (0..count)
        .map(|number| {
            let node = &certificate.nodes[number];
            let nexts = node.edges.iter().map(|edge| edge.2).chain(node.covered_by);
            nexts.filter(|&next| next < count && is_in(number) && is_in(next)).collect()
        })
        .collect();
    cycles(&successors)
}

fn cycles(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let count = successors.len();
    let forward: Vec<usize> = finishing_order(successors);
    let mut predecessors = vec![Vec::new(); count];
    for (node, nexts) in successors.iter().enumerate() {
        nexts.iter().for_each(|&next| predecessors[next].push(node));
    }
    // Kosaraju: components are what is reached backwards, in the reverse order of finishing.
    let mut component = vec![usize::MAX; count];
    let mut components: Vec<Vec<usize>> = Vec::new();
    for &root in forward.iter().rev() {
        if component[root] != usize::MAX {
            continue;
        }
        let mut members = Vec::new();
        let mut todo = vec![root];
        component[root] = components.len();
        while let Some(node) = todo.pop() {
            members.push(node);
            for &before in &predecessors[node] {
                if component[before] == usize::MAX {
                    component[before] = components.len();
                    todo.push(before);
                }
            }
        }
        components.push(members);
    }
    components.retain(|members| members.len() > 1 || successors[members[0]].contains(&members[0]));
    components
}

fn finishing_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    for root in 0..successors.len() {
        let mut stack = vec![(root, 0)];
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        while let Some((node, next)) = stack.pop() {
            match successors[node].get(next) {
                Some(&child) => {
                    stack.push((node, next + 1));
                    if !std::mem::replace(&mut seen[child], true) {
                        stack.push((child, 0));
                    }
                }
                None => order.push(node),
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Claim, Node};

    fn certificate(edges: &[(usize, usize, usize)], coverings: &[(usize, usize)]) -> Certificate {
        let mut nodes = vec![Node::default(); 6];
        edges.iter().for_each(|&(from, thread, to)| nodes[from].edges.push((thread, 0, to)));
        coverings.iter().for_each(|&(from, to)| nodes[from].covered_by = Some(to));
        Certificate { program: String::new(), claim: Claim::SomeSchedules, interior: Vec::new(), nodes }
    }

    #[test]
    fn a_cycle_is_broken_by_the_steps_of_its_threads_only() {
        let round = certificate(&[(0, 0, 1), (1, 1, 2)], &[(2, 0)]);
        assert_eq!(cycles_without(&round, 0), Vec::<Vec<usize>>::new());
        assert_eq!(cycles_without(&round, 1), Vec::<Vec<usize>>::new());
        assert_eq!(cycles_without(&round, 2).len(), 1);
    }

    #[test]
    fn of_two_cycles_the_one_without_the_thread_is_found() {
        let two = certificate(&[(0, 0, 1), (1, 1, 2), (0, 1, 3)], &[(2, 0), (3, 0)]);
        let mut found = cycles_without(&two, 0);
        found.iter_mut().for_each(|members| members.sort_unstable());
        assert_eq!(found, [vec![0, 3]]);
    }
}
