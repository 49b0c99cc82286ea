//! A cell that is written once.

use super::once::Once;
use crate::name::Named;
use crate::runtime::{Object, Showing, showing};
use std::cell::UnsafeCell;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A cell that is written once, like [`std::sync::OnceLock`].
///
/// ```
/// use selvedge::sync::{Arc, OnceLock};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let cell = Arc::new(OnceLock::new());
///     let other = thread::spawn({ let cell = cell.clone(); move || *cell.get_or_init(|| 1) });
///     let value = *cell.get_or_init(|| 2);
///     assert_eq!(other.join().unwrap(), value);
/// });
/// ```
pub struct OnceLock<T> {
    once: Once,
    content: UnsafeCell<Option<T>>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: the content is written by the one closure that `once` runs, and read only after that.
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}
impl<T: RefUnwindSafe + UnwindSafe> RefUnwindSafe for OnceLock<T> {}
impl<T: UnwindSafe> UnwindSafe for OnceLock<T> {}

impl<T> OnceLock<T> {
    /// An empty cell.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| { assert_eq!(OnceLock::<u8>::new().get(), None); });
    /// ```
    #[track_caller]
    pub fn new() -> OnceLock<T> {
        OnceLock { once: Once::new(), content: UnsafeCell::new(None) }
    }

    /// The content, if there is one.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| {
    ///     let cell = OnceLock::new();
    ///     cell.set(1).unwrap();
    ///     assert_eq!(cell.get(), Some(&1));
    /// });
    /// ```
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        match self.once.is_completed() {
            true => self.content(),
            false => None,
        }
    }

    /// The content to be shown by `{:?}`.
    pub(super) fn shown(&self) -> Option<&T> {
        match showing(self.object()) {
            Showing::ByOperation => self.get(),
            Showing::Content(word) if Once::is_complete(word) => self.content(),
            Showing::Content(_) | Showing::Outside => None,
        }
    }

    /// The content, if there is one.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| {
    ///     let mut cell = OnceLock::from(1);
    ///     *cell.get_mut().unwrap() += 1;
    ///     assert_eq!(cell.get(), Some(&2));
    /// });
    /// ```
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.content.get_mut().as_mut()
    }

    /// Writes the content.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| {
    ///     let cell = OnceLock::new();
    ///     assert_eq!((cell.set(1), cell.set(2)), (Ok(()), Err(2)));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the value, if there is one already.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().unwrap_or_else(|| unreachable!("a closure runs once")));
        match value {
            None => Ok(()),
            Some(value) => Err(value),
        }
    }

    /// The content; the closure makes it if there is none.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| {
    ///     let cell = OnceLock::new();
    ///     assert_eq!((*cell.get_or_init(|| 1), *cell.get_or_init(|| 2)), (1, 1));
    /// });
    /// ```
    ///
    /// # Panics
    /// When the closure does.
    #[track_caller]
    #[allow(unsafe_code, reason = "the once stands for the right to write")]
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        self.once.call_once_force(|_| {
            let value = init();
            // SAFETY: nobody reads before this closure has run, and no other one runs.
            unsafe { *self.content.get() = Some(value) };
        });
        match self.content() {
            Some(content) => content,
            None => unreachable!("the closure has written the content"),
        }
    }

    /// Waits until there is a content.
    ///
    /// ```
    /// use selvedge::sync::{Arc, OnceLock};
    /// selvedge::check(|| {
    ///     let cell = Arc::new(OnceLock::new());
    ///     let other = cell.clone();
    ///     let writer = selvedge::thread::spawn(move || other.set(5).unwrap());
    ///     assert_eq!(*cell.wait(), 5);
    ///     writer.join().unwrap();
    /// });
    /// ```
    #[track_caller]
    pub fn wait(&self) -> &T {
        self.once.wait_force();
        match self.content() {
            Some(content) => content,
            None => unreachable!("the closure has written the content"),
        }
    }

    /// The content, at the end of the cell's life.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| { assert_eq!(OnceLock::from(1).into_inner(), Some(1)); });
    /// ```
    pub fn into_inner(self) -> Option<T> {
        self.content.into_inner()
    }

    /// Takes the content out.
    ///
    /// ```
    /// use selvedge::sync::OnceLock;
    /// selvedge::check(|| {
    ///     let mut cell = OnceLock::from(1);
    ///     assert_eq!((cell.take(), cell.take()), (Some(1), None));
    /// });
    /// ```
    #[track_caller]
    pub fn take(&mut self) -> Option<T> {
        self.once = Once::new();
        self.content.get_mut().take()
    }

    #[allow(unsafe_code, reason = "the once stands for the right to read")]
    fn content(&self) -> Option<&T> {
        // SAFETY: called only when the closure that writes has run; nobody writes after that.
        unsafe { &*self.content.get() }.as_ref()
    }
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        let cell = OnceLock::new();
        let _ = cell.set(value);
        cell
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        match self.get() {
            Some(content) => OnceLock::from(content.clone()),
            None => OnceLock::new(),
        }
    }
}

impl<T: PartialEq> PartialEq for OnceLock<T> {
    #[track_caller]
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl<T: Eq> Eq for OnceLock<T> {}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    /// Looks at the content, like std's, which is an operation.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        debug_once(f, "OnceLock", self.shown())
    }
}

/// Shows a content that is made once.
pub(super) fn debug_once(
    f: &mut fmt::Formatter,
    name: &str,
    content: Option<&impl fmt::Debug>,
) -> fmt::Result {
    let mut shown = f.debug_tuple(name);
    match content {
        Some(content) => shown.field(content),
        None => shown.field(&format_args!("<uninit>")),
    };
    shown.finish()
}

impl<T> Named for OnceLock<T> {
    fn object(&self) -> Object {
        self.once.object()
    }
}
