//! What `Arc`s can be made from, compared with and shown as: all that std's can.

use super::Arc;
use std::borrow::{Borrow, Cow};
use std::error::Error;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc as StdArc;

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: ?Sized> Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        Arc::new(content)
    }
}

impl<T: ?Sized> From<Box<T>> for Arc<T> {
    #[track_caller]
    fn from(content: Box<T>) -> Self {
        Arc::from_std(StdArc::from(content))
    }
}

/// What std makes an `Arc` of a type without a size from.
macro_rules! from_std {
    ($([$($parameters:tt)*] $from:ty => $content:ty;)*) => {
        $(impl<$($parameters)*> From<$from> for Arc<$content> {
            #[track_caller]
            fn from(content: $from) -> Self {
                Arc::from_std(StdArc::from(content))
            }
        })*
    };
}

from_std! {
    [T] Vec<T> => [T];
    [T: Clone] &[T] => [T];
    [T: Clone] &mut [T] => [T];
    [] &str => str;
    [] &mut str => str;
    [] String => str;
    [] &CStr => CStr;
    [] CString => CStr;
    [] &OsStr => OsStr;
    [] OsString => OsStr;
    [] &Path => Path;
    [] PathBuf => Path;
}

impl<T, const N: usize> From<[T; N]> for Arc<[T]> {
    #[track_caller]
    fn from(content: [T; N]) -> Self {
        Arc::from_std(StdArc::from(content))
    }
}

impl<'a, B: ?Sized + ToOwned> From<Cow<'a, B>> for Arc<B>
where
    Arc<B>: From<&'a B> + From<B::Owned>,
{
    #[track_caller]
    fn from(content: Cow<'a, B>) -> Self {
        match content {
            Cow::Borrowed(content) => Arc::from(content),
            Cow::Owned(content) => Arc::from(content),
        }
    }
}

impl From<Arc<str>> for Arc<[u8]> {
    /// The same content: counts and leaks are those of the string.
    fn from(string: Arc<str>) -> Self {
        let (content, counts) = string.into_parts();
        Arc::of(StdArc::from(content), counts)
    }
}

impl<T, const N: usize> TryFrom<Arc<[T]>> for Arc<[T; N]> {
    type Error = Arc<[T]>;

    fn try_from(slice: Arc<[T]>) -> Result<Self, Arc<[T]>> {
        let (content, counts) = slice.into_parts();
        match StdArc::try_from(content) {
            Ok(content) => Ok(Arc::of(content, counts)),
            Err(content) => Err(Arc::of(content, counts)),
        }
    }
}

impl<T> FromIterator<T> for Arc<[T]> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = T>>(content: I) -> Self {
        Arc::from_std(StdArc::from_iter(content))
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl Default for Arc<str> {
    #[track_caller]
    fn default() -> Self {
        Arc::from("")
    }
}

impl<T> Default for Arc<[T]> {
    #[track_caller]
    fn default() -> Self {
        Arc::from([])
    }
}

impl<E: ?Sized + Error> Error for Arc<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        (**self).source()
    }
}

impl<T: ?Sized> fmt::Pointer for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        Arc::as_ptr(self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
