//! What has an address and no bytes: functions, and threads by their handles.
//!
//! Their numbers differ from machine to machine as those of objects do, so nothing may depend on them. A program that declares the handles of threads as
//! something narrower than a pointer gets small numbers, which are what they are.

use crate::code::Code;
use crate::memory::DataModel;

/// The distance of the addresses of functions in the machine's layout.
pub const FUNCTION_STEP: u64 = 16;
/// The distance of the handles of threads.
const HANDLE_STEP: u64 = 64;
/// Where handles begin that are addresses.
const FIRST_HANDLE: u64 = 0x0666_0000_0000;
/// What functions are aligned to at least: member functions of C++ must be, since the lowest bit of a pointer to one has a meaning.
const FUNCTION_ALIGNMENT: u64 = 2;

/// The numbers of functions and of the handles of threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Landmarks {
    first_function: u64,
    /// The end of the addresses of functions.
    end_of_functions: u64,
    /// The number of the first handle.
    first_handle: u64,
    /// The distance of handles: 1 if they are small numbers.
    handle_step: u64,
    threads: u64,
}

impl Landmarks {
    /// Those of a program with room for so many threads.
    pub fn of(code: &Code, threads: usize) -> Landmarks {
        let are_addresses = code.handle_bytes == 8 && code.model == DataModel::Lp64;
        let (first_handle, handle_step) = if are_addresses { (FIRST_HANDLE, HANDLE_STEP) } else { (1, 1) };
        let last = code.function_addresses.keys().max();
        Landmarks {
            first_function: code.model.first_function(),
            end_of_functions: last.map_or(0, |last| last + 1),
            first_handle,
            handle_step,
            threads: threads as u64,
        }
    }

    /// The handle of the thread with a number.
    pub fn handle_of(&self, number: usize) -> u64 {
        self.first_handle + number as u64 * self.handle_step
    }

    /// The thread with a handle.
    pub fn thread_of(&self, handle: u64) -> Option<usize> {
        let distance = handle.checked_sub(self.first_handle)?;
        let thread = distance.checked_div(self.handle_step)?;
        (thread < self.threads && self.handle_of(thread as usize) == handle).then_some(thread as usize)
    }

    fn is_function(&self, address: u64) -> bool {
        let is_among = (self.first_function..self.end_of_functions).contains(&address);
        is_among && (address - self.first_function).is_multiple_of(FUNCTION_STEP)
    }

    /// Whether a number is the address of a function, or the handle of a thread and differs from machine to machine.
    pub fn contains(&self, address: u64) -> bool {
        self.is_function(address) || self.handle_step > 1 && self.thread_of(address).is_some()
    }

    /// What the address of a landmark is a multiple of on every machine.
    pub fn alignment_of(&self, address: u64) -> u64 {
        if self.is_function(address) { FUNCTION_ALIGNMENT } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_lead_back_to_their_threads() {
        for (handle_bytes, is_landmark) in [(8, true), (4, false)] {
            let landmarks = Landmarks::of(&Code { handle_bytes, ..Code::default() }, 3);
            for thread in 0..3 {
                let handle = landmarks.handle_of(thread);
                assert_eq!(
                    (landmarks.thread_of(handle), landmarks.contains(handle)),
                    (Some(thread), is_landmark)
                );
            }
            assert_eq!(landmarks.thread_of(landmarks.handle_of(3)), None);
            assert_eq!(landmarks.thread_of(0), None);
        }
    }
}
