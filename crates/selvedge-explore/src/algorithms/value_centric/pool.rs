//! Stacks whose entries keep their memory when they are taken off, for those that are put there next.

use std::ops::Index;

/// A stack of entries that are used again and again.
#[derive(Debug)]
pub struct Pool<T> {
    entries: Vec<T>,
    len: usize,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { entries: Vec::new(), len: 0 }
    }
}

impl<T: Default> Pool<T> {
    /// Puts an entry on top: a new one, or one that was taken off, as it was then.
    pub fn push(&mut self) -> &mut T {
        if self.len == self.entries.len() {
            self.entries.push(T::default());
        }
        self.len += 1;
        &mut self.entries[self.len - 1]
    }

    /// Takes off all but the first entries.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The number of entries.
    pub fn count(&self) -> usize {
        self.len
    }

    /// All entries.
    pub fn all(&self) -> &[T] {
        &self.entries[..self.len]
    }

    /// All entries.
    pub fn all_mut(&mut self) -> &mut [T] {
        &mut self.entries[..self.len]
    }

    /// The entry on top.
    pub fn last(&self) -> Option<&T> {
        self.all().last()
    }

    /// The entry on top.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.all_mut().last_mut()
    }
}

impl<T> Index<usize> for Pool<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        &self.entries[..self.len][index]
    }
}
