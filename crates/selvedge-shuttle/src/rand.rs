//! Random numbers, with the names of the crate `rand` 0.8.
//!
//! They are the same in every execution: an exhaustive search cannot explore all numbers, and a replay needs the same ones. To explore what
//! depends on a number, choose it with `selvedge::choose`.

pub use ::rand::{Rng, RngCore};

pub mod rngs {
    //! Generators.

    use ::rand::{CryptoRng, Error, RngCore};

    /// The generator of [`thread_rng`](super::thread_rng): each begins with the same numbers.
    ///
    /// ```
    /// use selvedge_shuttle::rand::{RngCore, rngs::ThreadRng};
    /// assert_eq!(ThreadRng::default().next_u64(), ThreadRng::default().next_u64());
    /// ```
    #[derive(Clone, Debug, Default)]
    pub struct ThreadRng {
        state: u64,
    }

    impl RngCore for ThreadRng {
        fn next_u32(&mut self) -> u32 {
            (self.next_u64() >> 32) as u32
        }

        /// The next number: a counter whose bits are mixed.
        fn next_u64(&mut self) -> u64 {
            self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut word = self.state;
            word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            word ^ (word >> 31)
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            for chunk in bytes.chunks_mut(8) {
                let word = self.next_u64().to_le_bytes();
                chunk.copy_from_slice(&word[..chunk.len()]);
            }
        }

        fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
            self.fill_bytes(bytes);
            Ok(())
        }
    }

    impl CryptoRng for ThreadRng {}
}

selvedge::thread_local! {
    static NUMBERS: std::cell::RefCell<rngs::ThreadRng> = std::cell::RefCell::default();
}

/// A generator whose numbers go on where the last one of this thread began: `thread_rng().gen::<u8>()` twice gives two numbers.
///
/// ```
/// use selvedge_shuttle::rand::{Rng, thread_rng};
/// selvedge_shuttle::check_dfs(|| assert_ne!(thread_rng().gen_range(0..u64::MAX), thread_rng().gen_range(0..u64::MAX)), None);
/// ```
///
/// # Panics
/// When nothing is being checked.
pub fn thread_rng() -> rngs::ThreadRng {
    NUMBERS.with_borrow_mut(|numbers| {
        numbers.next_u64();
        let mut next = numbers.clone();
        next.next_u64();
        next
    })
}
