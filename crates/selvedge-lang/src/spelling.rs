//! Guesses what a misspelt name should have been.

/// Longer names are not compared: guessing must stay cheap.
const LONGEST: usize = 40;

/// More candidates are not compared, for the same reason.
const MOST: usize = 10_000;

/// The candidate closest to `name`, if one is close enough to be meant.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    let near = candidates.into_iter().take(MOST).filter(|c| c.len() <= LONGEST && name.len() <= LONGEST);
    let scored = near.map(|candidate| (distance(name, candidate), candidate));
    scored
        .filter(|(d, c)| *d <= allowed && *d < c.len().max(name.len()))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The least number of insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
/// Capitals count as equal to small letters.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replaced = last[j] + usize::from(a[i] != b[j]);
            let mut best = replaced.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("tabel", "table"), 1);
        assert_eq!(distance("Count", "count"), 0);
        assert_eq!(distance("", "ab"), 2);
    }

    #[test]
    fn only_near_names_are_suggested() {
        assert_eq!(closest("cuont", ["count", "table"]), Some("count"));
        assert_eq!(closest("zebra", ["count", "table"]), None);
        assert_eq!(closest("x", ["y"]), None);
    }
}
