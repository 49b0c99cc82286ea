//! Futures that wait for each other.

use crate::{Version, compare};
use selvedge::sync::{Arc, Mutex};
use selvedge::{FailureKind, future};
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

/// A flag to wait for.
#[derive(Default)]
struct Flag {
    state: Mutex<(bool, Vec<Waker>)>,
}

impl Flag {
    fn raise(&self) {
        let wakers = {
            let mut state = self.state.lock().unwrap();
            state.0 = true;
            std::mem::take(&mut state.1)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, context: &Context, version: Version) -> Poll<()> {
        let mut state = self.state.lock().unwrap();
        if state.0 {
            return Poll::Ready(());
        }
        if version == Version::Broken {
            drop(state);
            state = self.state.lock().unwrap();
        }
        state.1.push(context.waker().clone());
        Poll::Pending
    }
}

#[test]
fn a_flag_is_raised_between_the_look_and_the_registration() {
    compare(FailureKind::Deadlock, |version| {
        let flag = Arc::new(Flag::default());
        let task = future::spawn({
            let flag = flag.clone();
            async move {
                poll_fn(|context| flag.poll(context, version)).await;
                3
            }
        });
        flag.raise();
        assert_eq!(future::block_on(task), 3);
    });
}

/// Permits that tasks wait for. A release wakes all who wait, or, in the broken version, the last one, who may have given up.
#[derive(Default)]
struct Permits {
    free: Mutex<(u32, Vec<Waker>)>,
}

impl Permits {
    fn acquire(&self) -> impl Future<Output = ()> {
        poll_fn(|context| {
            let mut free = self.free.lock().unwrap();
            match free.0.checked_sub(1) {
                Some(left) => {
                    free.0 = left;
                    Poll::Ready(())
                }
                None => {
                    free.1.push(context.waker().clone());
                    Poll::Pending
                }
            }
        })
    }

    fn release(&self, version: Version) {
        let mut free = self.free.lock().unwrap();
        free.0 += 1;
        let wakers: Vec<Waker> = match version {
            Version::Right => free.1.drain(..).collect(),
            Version::Broken => free.1.pop().into_iter().collect(),
        };
        drop(free);
        wakers.into_iter().for_each(Waker::wake);
    }
}

/// Which of two futures is ready first.
async fn first(mut one: Pin<&mut impl Future>, mut other: Pin<&mut impl Future>) -> bool {
    poll_fn(|context| match one.as_mut().poll(context).is_ready() {
        true => Poll::Ready(true),
        false => other.as_mut().poll(context).map(|_| false),
    })
    .await
}

#[test]
fn whoever_is_woken_has_given_up() {
    compare(FailureKind::Deadlock, |version| {
        let permits = Arc::new(Permits::default());
        let impatient = future::spawn({
            let permits = permits.clone();
            async move {
                if first(pin!(permits.acquire()), pin!(future::yield_now())).await {
                    permits.release(version);
                }
            }
        });
        let patient = future::spawn({
            let permits = permits.clone();
            async move { permits.acquire().await }
        });
        permits.release(version);
        future::block_on(async {
            impatient.await;
            patient.await;
        });
    });
}
