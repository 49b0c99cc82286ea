//! Fingerprints: states as numbers of 128 bits.

/// A sum of words that depends on their order.
#[derive(Clone, Copy, Debug)]
pub struct Mixer(u64, u64);

impl Mixer {
    /// A sum of nothing; different seeds, different sums.
    pub fn new(seed: u64) -> Mixer {
        Mixer(seed ^ 0x243f_6a88_85a3_08d3, seed.wrapping_mul(0x1319_8a2e_0370_7345) ^ 0xa409_3822_299f_31d1)
    }

    /// Adds a word.
    #[inline(always)]
    pub fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
        self.1 = self.1.wrapping_add(word ^ self.0 >> 7).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(37);
    }

    /// The sum of all words.
    pub fn end(mut self) -> u128 {
        self.add(0x452_821e_638d_0137);
        self.add(self.1);
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn sum(words: &[u64]) -> u128 {
        let mut mixer = Mixer::new(1);
        words.iter().for_each(|word| mixer.add(*word));
        mixer.end()
    }

    #[test]
    fn small_words_in_all_orders_have_sums_of_their_own() {
        let mut sums = HashSet::new();
        for number in 0..1 << 16 {
            sums.insert(sum(&[number & 0xf, number >> 4 & 0xf, number >> 8 & 0xf, number >> 12]));
        }
        sums.insert(sum(&[]));
        sums.insert(sum(&[0]));
        sums.insert(sum(&[0, 0]));
        assert_eq!(sums.len(), (1 << 16) + 3);
    }

    #[test]
    fn a_bit_changes_about_half_of_both_halves() {
        for bit in 0..64 {
            let difference = sum(&[5, 0, 7]) ^ sum(&[5, 1 << bit, 7]);
            for half in [difference as u64, (difference >> 64) as u64] {
                assert!((12..=52).contains(&half.count_ones()), "bit {bit}: {half:x}");
            }
        }
    }
}
