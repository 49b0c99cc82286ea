//! Shared ownership, with a check for leaks.
//!
//! As long as nobody looks at the counts and dropping the content does nothing, cloning and dropping handles commutes with
//! everything and is no operation at all. If the content has a destructor, which drop is the last one matters. The search
//! takes for granted that it is always the same one, as it is when somebody keeps a handle until all others have been
//! dropped: then the last drop comes after the others, which commute. When it looks at a drop that is the last in one place and not in
//! another, it begins again with drops that do not commute. So it does, with every change of a count as an
//! operation, if somebody looks at the counts of any `Arc`, upgrades a `Weak`, or counts one more handle for a raw pointer, which
//! is wrong if the content is gone.

use crate::runtime::{Operation, perform, perform_at_drop, with};
use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::Arc as StdArc;

mod counts;
mod raw;
mod traits;
mod uninit;
pub mod weak;

pub use weak::Weak;

use counts::{CLONE, Counts, DROP, GET_MUT, NEW_CYCLIC, STRONG_COUNT, TRY_UNWRAP, WEAK_COUNT};

/// Shared ownership, like [`std::sync::Arc`]. One that is alive when all threads have ended is reported as a leak.
///
/// An `Arc<[T]>`, `Arc<str>` or `Arc<dyn Trait>` is made from a slice, a string or a box, as in std, or from std's `Arc` with
/// [`from_std`](Arc::from_std). Only std's own pointers turn into `Arc<dyn Trait>` by themselves.
///
/// ```
/// use selvedge::sync::Arc;
/// selvedge::check(|| {
///     let first = Arc::new(5);
///     let second = Arc::clone(&first);
///     drop(first);
///     assert_eq!(*second, 5);
///     let shown: Arc<dyn std::fmt::Debug> = Arc::from(Box::new(7) as Box<dyn std::fmt::Debug>);
///     assert_eq!(format!("{shown:?}"), "7");
///     let (words, numbers): (Arc<str>, Arc<[u8]>) = (Arc::from("words"), (1..4).collect());
///     assert_eq!((words.len(), numbers.len()), (5, 3));
/// });
/// ```
pub struct Arc<T: ?Sized> {
    /// Dropped by hand: not if another handle has dropped it already, which takes pointers that were turned back too often.
    content: ManuallyDrop<StdArc<T>>,
    counts: Counts,
}

impl<T> Arc<T> {
    /// Takes ownership of a content.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| { assert_eq!(*Arc::new(5), 5); });
    /// ```
    #[track_caller]
    pub fn new(content: T) -> Arc<T> {
        Arc::of(StdArc::new(content), Counts::new(std::mem::needs_drop::<T>()))
    }

    /// A content that holds a weak handle to itself.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     struct Node(Weak<Node>);
    ///     let node = Arc::new_cyclic(|own| Node(own.clone()));
    ///     assert!(Arc::ptr_eq(&node.0.upgrade().unwrap(), &node));
    /// });
    /// ```
    #[track_caller]
    pub fn new_cyclic(make: impl FnOnce(&Weak<T>) -> T) -> Arc<T> {
        let is_observed = with(|x| x.assumptions.counts_are_observed);
        let counts = Counts::with(u64::from(!is_observed), true);
        let content = StdArc::new_cyclic(|weak| {
            counts.change_weak(1);
            make(&Weak { content: weak.clone(), counts: Some(counts) })
        });
        if is_observed {
            // Until now it could not be upgraded.
            perform(counts.object.operation(&NEW_CYCLIC));
        }
        counts.note_beginning();
        Arc::of(content, counts)
    }

    /// The content, if this is the only handle.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let two = one.clone();
    ///     let one = Arc::try_unwrap(one).unwrap_err();
    ///     drop(two);
    ///     assert_eq!(Arc::try_unwrap(one), Ok(5));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the handle, if there are others.
    #[track_caller]
    pub fn try_unwrap(this: Arc<T>) -> Result<T, Arc<T>> {
        match this.counts.observe(&TRY_UNWRAP) {
            0 => Err(this),
            _ => {
                let (content, counts) = this.into_parts();
                with(|x| counts.note_end(x));
                StdArc::try_unwrap(content).map_err(|content| Arc::of(content, counts))
            }
        }
    }

    /// The content, if this is the last handle to be given up.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let two = one.clone();
    ///     assert_eq!((Arc::into_inner(one), Arc::into_inner(two)), (None, Some(5)));
    /// });
    /// ```
    #[track_caller]
    pub fn into_inner(this: Arc<T>) -> Option<T> {
        with(|x| x.refute(|assumptions| assumptions.counts_are_observed = true));
        let left = perform(this.counts.object.operation(&DROP));
        let (content, counts) = this.into_parts();
        if left == 0 {
            with(|x| counts.note_end(x));
        }
        StdArc::into_inner(content)
    }

    /// The content, or a clone of it if there are other handles.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| { assert_eq!(Arc::unwrap_or_clone(Arc::new(5)), 5); });
    /// ```
    #[track_caller]
    pub fn unwrap_or_clone(this: Arc<T>) -> T
    where
        T: Clone,
    {
        Arc::try_unwrap(this).unwrap_or_else(|this| (*this).clone())
    }

    /// A handle that never moves.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| { assert_eq!(*Arc::pin(5), 5); });
    /// ```
    #[track_caller]
    #[allow(unsafe_code, reason = "like std's")]
    pub fn pin(content: T) -> std::pin::Pin<Arc<T>> {
        // SAFETY: like std's: the content stays where it is, whatever happens to the handles, until it is dropped.
        unsafe { std::pin::Pin::new_unchecked(Arc::new(content)) }
    }
}

impl<T: ?Sized> Arc<T> {
    /// Takes over a handle of std, which must be the only one: this is how an `Arc` of a type without a size is made.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let shown: Arc<dyn std::fmt::Debug> = Arc::from_std(std::sync::Arc::new(5));
    ///     assert_eq!(format!("{shown:?}"), "5");
    /// });
    /// ```
    #[track_caller]
    pub fn from_std(content: StdArc<T>) -> Arc<T> {
        Arc::of(content, Counts::new(std::mem::needs_drop::<T>()))
    }

    /// The number of handles. Asking makes every change of a count an operation, in the whole search.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let _two = one.clone();
    ///     assert_eq!(Arc::strong_count(&one), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn strong_count(this: &Arc<T>) -> usize {
        this.counts.observe(&STRONG_COUNT) as usize
    }

    /// The number of weak handles.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let _weak = Arc::downgrade(&one);
    ///     assert_eq!(Arc::weak_count(&one), 1);
    /// });
    /// ```
    #[track_caller]
    pub fn weak_count(this: &Arc<T>) -> usize {
        this.counts.observe(&WEAK_COUNT) as usize
    }

    /// The content, if this is the only handle.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let mut one = Arc::new(5);
    ///     *Arc::get_mut(&mut one).unwrap() = 6;
    ///     assert_eq!(*one, 6);
    /// });
    /// ```
    #[track_caller]
    pub fn get_mut(this: &mut Arc<T>) -> Option<&mut T> {
        match this.counts.observe(&GET_MUT) {
            0 => None,
            _ => StdArc::get_mut(&mut this.content),
        }
    }

    /// The content, to be changed; a clone of it if there are other handles.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let mut one = Arc::new(5);
    ///     let two = one.clone();
    ///     *Arc::make_mut(&mut one) = 6;
    ///     assert_eq!((*one, *two), (6, 5));
    ///     let mut words: Arc<str> = Arc::from("words");
    ///     Arc::make_mut(&mut words).make_ascii_uppercase();
    ///     assert_eq!(&*words, "WORDS");
    /// });
    /// ```
    #[track_caller]
    pub fn make_mut(this: &mut Arc<T>) -> &mut T
    where
        T: CloneContent,
    {
        if this.counts.observe(&GET_MUT) == 0 {
            *this = Arc::from_std(T::clone_content(this));
        }
        match StdArc::get_mut(&mut this.content) {
            Some(content) => content,
            None => unreachable!("there is no other handle"),
        }
    }

    /// Whether two handles have the same content.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     assert!(Arc::ptr_eq(&one, &one.clone()) && !Arc::ptr_eq(&one, &Arc::new(5)));
    /// });
    /// ```
    pub fn ptr_eq(this: &Arc<T>, other: &Arc<T>) -> bool {
        StdArc::ptr_eq(&this.content, &other.content)
    }

    /// The address of the content.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     assert_eq!(Arc::as_ptr(&one), &raw const *one);
    /// });
    /// ```
    pub fn as_ptr(this: &Arc<T>) -> *const T {
        let pointer = StdArc::as_ptr(&this.content);
        raw::lend(pointer.cast(), this.counts);
        pointer
    }

    /// A weak handle.
    ///
    /// ```
    /// use selvedge::sync::{Arc, Weak};
    /// selvedge::check(|| {
    ///     let one = Arc::new(5);
    ///     let weak = Arc::downgrade(&one);
    ///     assert_eq!(weak.upgrade().as_deref(), Some(&5));
    /// });
    /// ```
    #[track_caller]
    pub fn downgrade(this: &Arc<T>) -> Weak<T> {
        this.counts.change_weak(1);
        Weak { content: StdArc::downgrade(&this.content), counts: Some(this.counts) }
    }

    fn of(content: StdArc<T>, counts: Counts) -> Arc<T> {
        Arc { content: ManuallyDrop::new(content), counts }
    }

    #[allow(unsafe_code, reason = "takes the parts out of a type with a destructor")]
    fn into_parts(self) -> (StdArc<T>, Counts) {
        let mut this = ManuallyDrop::new(self);
        // SAFETY: `this` is never dropped, so that the content is moved out once.
        (unsafe { ManuallyDrop::take(&mut this.content) }, this.counts)
    }
}

/// What [`Arc::make_mut`] can clone: all that std's can.
pub trait CloneContent {
    #[doc(hidden)]
    fn clone_content(&self) -> StdArc<Self>;
}

impl<T: Clone> CloneContent for T {
    fn clone_content(&self) -> StdArc<T> {
        StdArc::new(self.clone())
    }
}

impl<T: Clone> CloneContent for [T] {
    fn clone_content(&self) -> StdArc<[T]> {
        StdArc::from(self)
    }
}

impl CloneContent for str {
    fn clone_content(&self) -> StdArc<str> {
        StdArc::from(self)
    }
}

impl Arc<dyn Any + Send + Sync> {
    /// The same handle, if its content is a `T`.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// use std::any::Any;
    /// selvedge::check(|| {
    ///     let any: Arc<dyn Any + Send + Sync> = Arc::from_std(std::sync::Arc::new(5));
    ///     assert_eq!(*any.downcast::<i32>().unwrap(), 5);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the handle, if its content is something else.
    pub fn downcast<T: Any + Send + Sync>(self) -> Result<Arc<T>, Self> {
        let (content, counts) = self.into_parts();
        match content.downcast() {
            Ok(content) => Ok(Arc::of(content, counts)),
            Err(content) => Err(Arc::of(content, counts)),
        }
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        if self.counts.are_visible() {
            perform(self.counts.object.operation(&CLONE));
        }
        let pointer = StdArc::as_ptr(&self.content).cast();
        assert!(!raw::is_gone(pointer, &self.counts), "selvedge: an `Arc` was cloned whose content is gone");
        Arc::of(StdArc::clone(&self.content), self.counts)
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        let counts = self.counts;
        let mut content = Content { content: &mut self.content, counts, is_gone: None };
        if counts.are_visible() {
            perform_at_drop(Operation { place: counts.made, ..counts.object.operation(&DROP) });
        }
        if content.is_gone() {
            assert!(
                std::thread::panicking(),
                "selvedge: an `Arc` was dropped whose content is gone: pointers were turned back too often by `Arc::from_raw`"
            );
            return;
        }
        let is_last = StdArc::strong_count(content.content) == 1;
        with(|x| {
            counts.note_drop(x, is_last);
            if is_last {
                counts.note_end(x);
            }
        });
    }
}

/// The content of a handle that is being dropped. It is dropped also when the execution is given up meanwhile, but not if another handle
/// has dropped it already.
struct Content<'a, T: ?Sized> {
    content: &'a mut ManuallyDrop<StdArc<T>>,
    counts: Counts,
    is_gone: Option<bool>,
}

impl<T: ?Sized> Content<'_, T> {
    fn is_gone(&mut self) -> bool {
        let pointer = StdArc::as_ptr(self.content).cast();
        *self.is_gone.get_or_insert_with(|| raw::is_gone(pointer, &self.counts))
    }
}

impl<T: ?Sized> Drop for Content<'_, T> {
    #[allow(unsafe_code, reason = "the content may be gone already")]
    fn drop(&mut self) {
        if !self.is_gone() {
            // SAFETY: this is the end of the handle, and nobody has taken the content out.
            unsafe { ManuallyDrop::drop(self.content) };
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.content
    }
}
