//! A value whose destructor waits.

use selvedge::sync::{Arc, Mutex};

/// A handle whose destructor takes a lock.
pub struct Registered(pub Arc<Mutex<Vec<u32>>>, pub u32);

impl Drop for Registered {
    fn drop(&mut self) {
        let own = self.1;
        if let Ok(mut all) = self.0.lock() {
            all.retain(|&number| number != own);
        }
    }
}
