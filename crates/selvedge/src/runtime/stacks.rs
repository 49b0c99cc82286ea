//! Stacks: of any size, mapped as they are used, and used again.
//!
//! The system maps a page of a stack when it is first touched, so a stack of 2 MiB costs what its thread uses of it. Below each
//! lies a page that cannot be touched.

use super::trap::{self, OVERHEAD, RESERVE};
use corosensei::stack::{DefaultStack, Stack as _};
use std::ops::Range;
use std::sync::OnceLock;

/// Stacks that are free.
#[derive(Default)]
pub struct Stacks {
    free: Vec<(usize, Vec<DefaultStack>)>,
}

/// A stack, and the size that was asked for.
pub struct SizedStack {
    /// The stack.
    pub stack: DefaultStack,
    /// The size that was asked for.
    pub size: usize,
}

/// The size of the stack of a thread for which nothing else was asked: as in std 2 MiB, or what `RUST_MIN_STACK` says.
pub fn default_size() -> usize {
    static SIZE: OnceLock<usize> = OnceLock::new();
    *SIZE.get_or_init(|| {
        let wanted = std::env::var("RUST_MIN_STACK").ok().and_then(|size| size.parse().ok());
        wanted.unwrap_or(2 << 20)
    })
}

impl Stacks {
    /// A stack with room for so many bytes.
    ///
    /// # Errors
    /// When the system has no memory for it.
    pub fn take(&mut self, size: usize) -> std::io::Result<SizedStack> {
        let free = self.free.iter_mut().find(|(other, _)| *other == size);
        let stack = match free.and_then(|(_, stacks)| stacks.pop()) {
            Some(stack) => stack,
            None => {
                let size = size.checked_add(RESERVE + OVERHEAD).ok_or(std::io::ErrorKind::OutOfMemory)?;
                let stack = DefaultStack::new(size)?;
                trap::protect(&SizedStack::range_of(&stack));
                stack
            }
        };
        Ok(SizedStack { stack, size })
    }

    /// Keeps a stack that nobody uses.
    pub fn put(&mut self, SizedStack { stack, size }: SizedStack) {
        match self.free.iter_mut().find(|(other, _)| *other == size) {
            Some((_, stacks)) => stacks.push(stack),
            None => self.free.push((size, vec![stack])),
        }
    }
}

impl SizedStack {
    /// The addresses of a stack, the page that cannot be touched included.
    pub fn range_of(stack: &DefaultStack) -> Range<usize> {
        stack.limit().get()..stack.base().get()
    }

    /// The address below which an operation finds no room.
    pub fn floor(range: &Range<usize>) -> usize {
        range.start + RESERVE + OVERHEAD * 3 / 4
    }
}

/// A number of bytes for people.
pub fn bytes(size: usize) -> String {
    match size {
        0 => "0 bytes".to_owned(),
        _ if size.is_multiple_of(1 << 20) => format!("{} MiB", size >> 20),
        _ if size.is_multiple_of(1 << 10) => format!("{} KiB", size >> 10),
        _ => format!("{size} bytes"),
    }
}
