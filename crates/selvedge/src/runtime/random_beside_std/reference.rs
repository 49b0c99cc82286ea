//! The threads' actions on tokio, crossbeam-channel and arc-swap themselves, in all interleavings, on one thread.
//!
//! Threads are futures, which are polled in every order; each poll goes on to the next `step`. A future that cannot go on is polled
//! again only if it was woken, or at every occasion if it waits for a channel of crossbeam; a poll that comes to nothing is forgotten.

use super::Program;
use super::actions::{Action, Family};
use super::meeting::{Meeting, Shared};
use crate::runtime::against_brute_force::{Outcome, begin_logs, log, logs};
use arc_swap::ArcSwap;
use crossbeam_channel as crossbeam;
use selvedge_explore::End;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::task::{Context, Poll, Wake, Waker};
use tokio::sync::{Mutex, Notify, RwLock, Semaphore, TryAcquireError, mpsc, oneshot};

thread_local! {
    /// The last poll came to nothing.
    static IN_VAIN: Cell<bool> = const { Cell::new(false) };
}

/// Another thread may go on.
async fn step() {
    let mut is_first = true;
    poll_fn(|context| match std::mem::replace(&mut is_first, false) {
        true => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
        false => Poll::Ready(()),
    })
    .await;
}

/// Tries again whenever another thread has done something.
async fn again<T>(mut attempt: impl FnMut() -> Option<T>) -> T {
    poll_fn(|context| match attempt() {
        Some(value) => Poll::Ready(value),
        None => {
            IN_VAIN.set(true);
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

/// One side of a channel of crossbeam.
enum Side<C> {
    Crossbeam(C),
    Model(Shared),
}

struct Sender(Side<crossbeam::Sender<usize>>);
struct Receiver(Side<crossbeam::Receiver<usize>>);

impl Clone for Sender {
    fn clone(&self) -> Self {
        Sender(match &self.0 {
            Side::Crossbeam(sender) => Side::Crossbeam(sender.clone()),
            Side::Model(meeting) => {
                meeting.borrow_mut().senders += 1;
                Side::Model(Rc::clone(meeting))
            }
        })
    }
}

impl Clone for Receiver {
    fn clone(&self) -> Self {
        Receiver(match &self.0 {
            Side::Crossbeam(receiver) => Side::Crossbeam(receiver.clone()),
            Side::Model(meeting) => {
                meeting.borrow_mut().receivers += 1;
                Side::Model(Rc::clone(meeting))
            }
        })
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        if let Side::Model(meeting) = &self.0 {
            let mut meeting = meeting.borrow_mut();
            meeting.senders -= 1;
            meeting.wake();
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        if let Side::Model(meeting) = &self.0 {
            let mut meeting = meeting.borrow_mut();
            meeting.receivers -= 1;
            meeting.wake();
        }
    }
}

impl Receiver {
    fn len(&self) -> usize {
        match &self.0 {
            Side::Crossbeam(receiver) => receiver.len(),
            Side::Model(_) => 0,
        }
    }
}

fn channel(capacity: Option<usize>) -> (Sender, Receiver) {
    let (sender, receiver) = match capacity {
        Some(0) => {
            let meeting = Rc::new(RefCell::new(Meeting::new()));
            return (Sender(Side::Model(Rc::clone(&meeting))), Receiver(Side::Model(meeting)));
        }
        Some(capacity) => crossbeam::bounded(capacity),
        None => crossbeam::unbounded(),
    };
    (Sender(Side::Crossbeam(sender)), Receiver(Side::Crossbeam(receiver)))
}

/// What a poll of the model came to; in vain unless it is the first, which takes a place in the queue.
fn noted<T>(was_waiting: bool, polled: Poll<T>) -> Poll<T> {
    if was_waiting && polled.is_pending() {
        IN_VAIN.set(true);
    }
    polled
}

async fn put(sender: &Sender, message: usize) -> bool {
    match &sender.0 {
        Side::Crossbeam(sender) => {
            again(|| match sender.try_send(message) {
                Ok(()) => Some(true),
                Err(crossbeam::TrySendError::Full(_)) => None,
                Err(crossbeam::TrySendError::Disconnected(_)) => Some(false),
            })
            .await
        }
        Side::Model(meeting) => {
            let mut offer = None;
            let poll = |context: &mut Context| {
                noted(offer.is_some(), meeting.borrow_mut().poll_put(&mut offer, message, context))
            };
            poll_fn(poll).await
        }
    }
}

fn try_put(sender: &Sender, message: usize) -> usize {
    match &sender.0 {
        Side::Crossbeam(sender) => match sender.try_send(message) {
            Ok(()) => 1,
            Err(crossbeam::TrySendError::Full(_)) => 90,
            Err(crossbeam::TrySendError::Disconnected(_)) => 91,
        },
        Side::Model(meeting) => {
            let mut meeting = meeting.borrow_mut();
            match meeting.receivers {
                0 => 91,
                _ => meeting.try_put(message).map_or(90, |()| 1),
            }
        }
    }
}

async fn take(receiver: &Receiver) -> Option<usize> {
    match &receiver.0 {
        Side::Crossbeam(receiver) => {
            again(|| match receiver.try_recv() {
                Ok(message) => Some(Some(message)),
                Err(crossbeam::TryRecvError::Empty) => None,
                Err(crossbeam::TryRecvError::Disconnected) => Some(None),
            })
            .await
        }
        Side::Model(meeting) => {
            let mut place = None;
            let poll = |context: &mut Context| {
                noted(place.is_some(), meeting.borrow_mut().poll_take(&mut place, context))
            };
            poll_fn(poll).await
        }
    }
}

/// The time may be up whenever the thread goes on.
async fn take_timeout(receiver: &Receiver) -> usize {
    let Side::Model(meeting) = &receiver.0 else {
        let seen = try_take(receiver);
        return if seen == 90 { 93 } else { seen };
    };
    let mut place = None;
    let poll = |context: &mut Context| {
        let is_up = place.is_some();
        let mut meeting = meeting.borrow_mut();
        match (meeting.poll_take(&mut place, context), place) {
            (Poll::Ready(seen), _) => Poll::Ready(seen.unwrap_or(91)),
            (Poll::Pending, Some(number)) if is_up => {
                meeting.leave(number);
                Poll::Ready(93)
            }
            (Poll::Pending, _) => {
                context.waker().wake_by_ref();
                Poll::Pending
            }
        }
    };
    poll_fn(poll).await
}

fn try_take(receiver: &Receiver) -> usize {
    match &receiver.0 {
        Side::Crossbeam(receiver) => receiver.try_recv().unwrap_or_else(|error| match error {
            crossbeam::TryRecvError::Empty => 90,
            crossbeam::TryRecvError::Disconnected => 91,
        }),
        Side::Model(meeting) => {
            let mut meeting = meeting.borrow_mut();
            let nothing = if meeting.senders == 0 { 91 } else { 90 };
            meeting.try_take().unwrap_or(nothing)
        }
    }
}

/// Nothing: these need several threads.
struct Extra;

impl Extra {
    fn new() -> Extra {
        Extra
    }
}

fn extra(world: &World, action: Action) -> usize {
    let _ = world.extra;
    unreachable!("{action:?} needs several threads")
}

source!();

/// Whether a thread may go on.
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, SeqCst);
    }
}

/// An execution in progress.
struct Execution {
    tasks: Vec<Option<Pin<Box<dyn Future<Output = ()>>>>>,
    woken: Vec<Arc<Flag>>,
}

impl Execution {
    fn new(program: &Program) -> Execution {
        begin_logs(program.threads.len());
        let (world, owned) = start(program);
        let world = Rc::new(world);
        let task = |(own, actions)| -> Option<Pin<Box<dyn Future<Output = ()>>>> {
            let world = Rc::clone(&world);
            Some(Box::pin(async move { body(&world, own, actions).await }))
        };
        let tasks: Vec<_> = owned.into_iter().zip(program.threads.clone()).map(task).collect();
        let woken = tasks.iter().map(|_| Arc::new(Flag(AtomicBool::new(true)))).collect();
        let mut execution = Execution { tasks, woken };
        // Up to the first step of each.
        (0..program.threads.len()).for_each(|thread| drop(execution.go(thread)));
        execution
    }

    /// Lets a thread go on to its next step. Says whether it came to anything.
    fn go(&mut self, thread: usize) -> Result<(), InVain> {
        IN_VAIN.set(false);
        self.woken[thread].0.store(false, SeqCst);
        let waker = Waker::from(Arc::clone(&self.woken[thread]));
        let Some(task) = &mut self.tasks[thread] else { return Err(InVain) };
        if task.as_mut().poll(&mut Context::from_waker(&waker)).is_ready() {
            self.tasks[thread] = None;
        }
        if IN_VAIN.get() { Err(InVain) } else { Ok(()) }
    }

    fn runnable(&self) -> Vec<usize> {
        let may_go = |thread: &usize| self.tasks[*thread].is_some() && self.woken[*thread].0.load(SeqCst);
        (0..self.tasks.len()).filter(may_go).collect()
    }
}

/// A thread could not go on.
struct InVain;

/// All outcomes; nothing if there are more interleavings than the limit.
pub fn outcomes(program: &Program, limit: usize) -> Option<BTreeSet<Outcome>> {
    let (mut found, mut left) = (BTreeSet::new(), limit);
    explore(program, &mut Vec::new(), &mut found, &mut left)?;
    Some(found)
}

fn explore(
    program: &Program,
    schedule: &mut Vec<usize>,
    found: &mut BTreeSet<Outcome>,
    left: &mut usize,
) -> Option<()> {
    let run = |schedule: &[usize]| {
        let mut execution = Execution::new(program);
        let went = schedule.iter().map(|thread| execution.go(*thread)).last();
        (execution, went.unwrap_or(Ok(())))
    };
    let (execution, _) = run(schedule);
    let seen = logs();
    let is_complete = execution.tasks.iter().all(Option::is_none);
    let runnable = execution.runnable();
    drop(execution);
    let mut went_on = false;
    for thread in runnable {
        schedule.push(thread);
        if run(schedule).1.is_ok() {
            went_on = true;
            explore(program, schedule, found, left)?;
        }
        schedule.pop();
    }
    if !went_on {
        *left = left.checked_sub(1)?;
        found.insert((seen, if is_complete { End::Complete } else { End::Deadlock }));
    }
    Some(())
}
