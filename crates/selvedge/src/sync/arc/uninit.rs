//! `Arc`s whose content is written later.

use super::Arc;
use super::counts::Counts;
use std::mem::{MaybeUninit, needs_drop};
use std::sync::Arc as StdArc;

impl<T> Arc<T> {
    /// Room for a content.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let mut five = Arc::<u32>::new_uninit();
    ///     Arc::get_mut(&mut five).unwrap().write(5);
    ///     // SAFETY: it was written.
    ///     assert_eq!(*unsafe { five.assume_init() }, 5);
    /// });
    /// ```
    #[track_caller]
    pub fn new_uninit() -> Arc<MaybeUninit<T>> {
        Arc::of(StdArc::new_uninit(), Counts::new(needs_drop::<T>()))
    }

    /// Room for a content, all of whose bytes are 0.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     // SAFETY: a number may be 0.
    ///     assert_eq!(*unsafe { Arc::<u32>::new_zeroed().assume_init() }, 0);
    /// });
    /// ```
    #[track_caller]
    pub fn new_zeroed() -> Arc<MaybeUninit<T>> {
        let mut room = Arc::new_uninit();
        if let Some(room) = StdArc::get_mut(&mut room.content) {
            *room = MaybeUninit::zeroed();
        }
        room
    }
}

impl<T> Arc<[T]> {
    /// Room for a number of elements.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let mut numbers = Arc::<[u32]>::new_uninit_slice(2);
    ///     Arc::get_mut(&mut numbers).unwrap().iter_mut().for_each(|number| { number.write(5); });
    ///     // SAFETY: they were written.
    ///     assert_eq!(*unsafe { numbers.assume_init() }, [5, 5]);
    /// });
    /// ```
    #[track_caller]
    pub fn new_uninit_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        Arc::of(StdArc::new_uninit_slice(length), Counts::new(needs_drop::<T>()))
    }

    /// Room for a number of elements, all of whose bytes are 0.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     // SAFETY: numbers may be 0.
    ///     assert_eq!(*unsafe { Arc::<[u32]>::new_zeroed_slice(2).assume_init() }, [0, 0]);
    /// });
    /// ```
    #[track_caller]
    pub fn new_zeroed_slice(length: usize) -> Arc<[MaybeUninit<T>]> {
        let mut room = Arc::new_uninit_slice(length);
        if let Some(room) = StdArc::get_mut(&mut room.content) {
            room.fill_with(MaybeUninit::zeroed);
        }
        room
    }
}

impl<T> Arc<MaybeUninit<T>> {
    /// Says that the content is there.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     let mut five = Arc::<u32>::new_uninit();
    ///     Arc::get_mut(&mut five).unwrap().write(5);
    ///     // SAFETY: it was written.
    ///     assert_eq!(*unsafe { five.assume_init() }, 5);
    /// });
    /// ```
    ///
    /// # Safety
    /// As in std: the content must have been written.
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn assume_init(self) -> Arc<T> {
        let (content, counts) = self.into_parts();
        let counts = Counts { has_destructor: needs_drop::<T>(), ..counts };
        // SAFETY: the caller promises that the content has been written.
        Arc::of(unsafe { content.assume_init() }, counts)
    }
}

impl<T> Arc<[MaybeUninit<T>]> {
    /// Says that all elements are there.
    ///
    /// ```
    /// use selvedge::sync::Arc;
    /// selvedge::check(|| {
    ///     // SAFETY: numbers may be 0.
    ///     assert_eq!(unsafe { Arc::<[u8]>::new_zeroed_slice(3).assume_init() }.len(), 3);
    /// });
    /// ```
    ///
    /// # Safety
    /// As in std: all elements must have been written.
    #[allow(unsafe_code, reason = "like std's")]
    #[track_caller]
    pub unsafe fn assume_init(self) -> Arc<[T]> {
        let (content, counts) = self.into_parts();
        let counts = Counts { has_destructor: needs_drop::<T>(), ..counts };
        // SAFETY: the caller promises that the elements have been written.
        Arc::of(unsafe { content.assume_init() }, counts)
    }
}
