//! The algorithms, one file each, and the list of them.
//!
//! A new algorithm is a file here with a constant `ABOUT` and a function `run`, its `mod` line, and its name in the list below. All
//! tests, the command line and the libraries go by the list.

pub mod classic_bounded;
pub mod data_centric;
pub mod dpor;
pub mod eager;
pub mod exhaustive;
pub mod lazy;
pub mod lazy_bounded;
pub mod naive_bounded;
pub mod nidhugg;
pub mod nidhugg_bounded;
pub mod observers;
pub mod optimal;
pub mod pct;
pub mod pos;
pub mod random;
pub mod sleep;
pub mod source;
pub mod source_bounded;
pub mod urw;
pub mod value_centric;

use crate::algorithm::About;
use crate::{Explorable, Search};

/// Makes an [`Algorithm`] of each module that has a constant `ABOUT` and a function `run`.
macro_rules! register {
    (exploring: $($name:ident = $($module:ident)::+,)*; sampling: $($sampler:ident = $file:ident,)*) => {
        /// An exploration algorithm.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Algorithm {
            $(#[doc = concat!("See `", stringify!($($module)::+), "`.")] $name,)*
            $(#[doc = concat!("See `", stringify!($file), "`.")] $sampler,)*
        }

        impl Algorithm {
            /// Those that explore everything, or everything within a bound, simplest first.
            pub const ALL: [Algorithm; [$(stringify!($name)),*].len()] = [$(Algorithm::$name),*];

            /// Those that explore a sample, for a quick look at programs that are too big for the others.
            pub const SAMPLING: [Algorithm; [$(stringify!($sampler)),*].len()] = [$(Algorithm::$sampler),*];

            /// What is known of it before it runs.
            pub const fn about(self) -> &'static About {
                match self {
                    $(Algorithm::$name => &$($module)::+::ABOUT,)*
                    $(Algorithm::$sampler => &$file::ABOUT,)*
                }
            }

            /// Explores what the search is at the beginning of.
            pub fn run<P: Explorable>(self, search: &mut Search<P>) {
                match self {
                    $(Algorithm::$name => $($module)::+::run(search),)*
                    $(Algorithm::$sampler => $file::run(search),)*
                }
            }
        }
    };
}

register! {
    exploring:
        Exhaustive = exhaustive,
        Sleep = sleep,
        DporWithoutSleep = dpor::without_sleep,
        Dpor = dpor,
        Source = source,
        Eager = eager,
        EagerShort = eager::short,
        EagerAdaptive = eager::adaptive,
        Lazy = lazy,
        LazyStateful = lazy::stateful,
        Optimal = optimal,
        Observers = observers,
        Nidhugg = nidhugg,
        NaiveBounded = naive_bounded,
        ClassicBounded = classic_bounded,
        NidhuggBounded = nidhugg_bounded,
        SourceBounded = source_bounded,
        LazyBounded = lazy_bounded,
        DataCentric = data_centric,
        ValueCentric = value_centric,
    ;
    sampling:
        Random = random,
        Pct = pct,
        Pos = pos,
        Urw = urw,
}
