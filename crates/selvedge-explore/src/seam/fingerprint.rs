//! Fingerprints: states as numbers of 128 bits, by the published hash XXH3.
//!
//! A search that is to say "verified" tells states apart by them, so the hash must be one whose quality others have tested.

use xxhash_rust::xxh3::xxh3_128;

/// Computes fingerprints of sequences of words.
#[derive(Clone, Debug, Default)]
pub struct Fingerprinter {
    bytes: Vec<u8>,
}

impl Fingerprinter {
    /// Appends a word to the sequence.
    #[inline]
    pub fn add(&mut self, word: u64) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    /// Appends both halves of a fingerprint.
    pub fn add_fingerprint(&mut self, fingerprint: u128) {
        self.bytes.extend_from_slice(&fingerprint.to_le_bytes());
    }

    /// The fingerprint of the sequence; the next one begins empty.
    pub fn take(&mut self) -> u128 {
        let fingerprint = xxh3_128(&self.bytes);
        self.bytes.clear();
        fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn fingerprint(words: &[u64]) -> u128 {
        let mut fingerprinter = Fingerprinter::default();
        words.iter().for_each(|word| fingerprinter.add(*word));
        fingerprinter.take()
    }

    #[test]
    fn small_words_in_all_orders_have_fingerprints_of_their_own() {
        let mut seen = HashSet::new();
        for number in 0..1 << 16 {
            seen.insert(fingerprint(&[number & 0xf, number >> 4 & 0xf, number >> 8 & 0xf, number >> 12]));
        }
        seen.insert(fingerprint(&[]));
        seen.insert(fingerprint(&[0]));
        seen.insert(fingerprint(&[0, 0]));
        assert_eq!(seen.len(), (1 << 16) + 3);
    }

    #[test]
    fn a_fingerprint_is_the_published_hash_of_the_bytes() {
        // The reference implementation's value for no input and seed 0.
        assert_eq!(fingerprint(&[]), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
    }

    #[test]
    fn a_sequence_does_not_depend_on_those_before_it() {
        let mut fingerprinter = Fingerprinter::default();
        fingerprinter.add(7);
        fingerprinter.take();
        fingerprinter.add_fingerprint(fingerprint(&[1]));
        let (low, high) = (fingerprint(&[1]) as u64, (fingerprint(&[1]) >> 64) as u64);
        assert_eq!(fingerprinter.take(), fingerprint(&[low, high]));
    }
}
