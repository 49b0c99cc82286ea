//! Random closures over everything that the modelling language does not have: every algorithm finds what brute force
//! finds, and what the threads see is the same in executions of the same trace.

use super::against_brute_force::{Scenario, begin_logs, compare, compare_all, compared_by_observations, log};
use super::against_brute_force::{seeds, with_one_less};
use super::assumptions::Semantics;
use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::sync::{Arc, Barrier, Condvar, Mutex, OnceLock, RwLock, Weak, mpsc};
use crate::{hint, thread};
use selvedge_testkit::random::Random;
use std::rc::Rc;
use std::time::Duration;

/// What a thread does. Where some thread waits only if needed, all waits for the condition variable may end spuriously.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Load,
    Add,
    Exchange(usize),
    Read,
    Write,
    TryRead,
    TryWrite,
    ReadWhileReading,
    Send(usize),
    BoundedSend,
    TrySend,
    HandOver,
    TryHandOver,
    Receive,
    TryReceive,
    ReceiveTimeout,
    Park,
    ParkTimeout,
    Unpark,
    DropHandle,
    Upgrade,
    Count,
    Unwrap,
    Init(usize),
    Get,
    WaitTimeout,
    Wait,
    WaitIfNeeded,
    Notify,
    NotifyAll,
    TryLock,
    Lead,
    Spin,
    IsFinished,
}

const ACTIONS: [Action; 34] = [
    Action::Load,
    Action::Add,
    Action::Exchange(1),
    Action::Read,
    Action::Write,
    Action::TryRead,
    Action::TryWrite,
    Action::ReadWhileReading,
    Action::Send(1),
    Action::BoundedSend,
    Action::TrySend,
    Action::HandOver,
    Action::TryHandOver,
    Action::Receive,
    Action::TryReceive,
    Action::ReceiveTimeout,
    Action::Park,
    Action::ParkTimeout,
    Action::Unpark,
    Action::DropHandle,
    Action::Upgrade,
    Action::Count,
    Action::Unwrap,
    Action::Init(1),
    Action::Get,
    Action::WaitTimeout,
    Action::Wait,
    Action::WaitIfNeeded,
    Action::Notify,
    Action::NotifyAll,
    Action::TryLock,
    Action::Lead,
    Action::Spin,
    Action::IsFinished,
];

/// Those that make the world have an `Arc`.
const HANDLES: [Action; 4] = [Action::DropHandle, Action::Upgrade, Action::Count, Action::Unwrap];

/// Those that change counts: whoever asks what is observed is told that they look, and tells more apart.
const ADDING: [Action; 9] = [
    Action::Read,
    Action::TryRead,
    Action::ReadWhileReading,
    Action::Write,
    Action::TryWrite,
    Action::DropHandle,
    Action::Upgrade,
    Action::Count,
    Action::Unwrap,
];

type Program = Vec<Vec<Action>>;

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(2);
    // A few kinds, so that they meet.
    let kinds: Vec<Action> = (0..3).map(|_| ACTIONS[random.below(ACTIONS.len())]).collect();
    let most = if threads == 2 { 4 } else { 3 };
    (0..threads).map(|_| (0..1 + random.below(most)).map(|_| *random.pick(&kinds)).collect()).collect()
}

/// Content whose destructor can be seen.
struct Noisy(std::sync::Arc<AtomicUsize>);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0.fetch_add(10, SeqCst);
    }
}

struct World {
    x: std::sync::Arc<AtomicUsize>,
    lock: RwLock<usize>,
    mutex: Mutex<usize>,
    condvar: Condvar,
    barrier: Barrier,
    once: OnceLock<usize>,
}

struct Own {
    thread: usize,
    next: Option<thread::Thread>,
    handle: Option<thread::JoinHandle<()>>,
    sender: Option<mpsc::Sender<usize>>,
    bounded: Option<mpsc::SyncSender<usize>>,
    receiver: Option<mpsc::Receiver<usize>>,
    strong: Option<Arc<Noisy>>,
    weak: Weak<Noisy>,
}

fn act(world: &World, own: &mut Own, action: Action) {
    let seen = match action {
        Action::Load => world.x.load(SeqCst),
        Action::Add => world.x.fetch_add(1, SeqCst),
        Action::Exchange(new) => {
            world.x.compare_exchange(0, new, SeqCst, SeqCst).unwrap_or_else(|found| found)
        }
        Action::Read => *world.lock.read().unwrap(),
        Action::Write => {
            let mut guard = world.lock.write().unwrap();
            *guard += 1;
            *guard
        }
        Action::TryRead => world.lock.try_read().map_or(99, |guard| *guard),
        Action::TryWrite => world.lock.try_write().map_or(99, |mut guard| {
            *guard += 1;
            *guard
        }),
        Action::ReadWhileReading => {
            let first = world.lock.read().unwrap();
            world.x.fetch_add(1, SeqCst);
            *first
        }
        Action::Send(value) => {
            own.sender.as_ref().map_or(7, |s| usize::from(s.send(value + own.thread * 10).is_ok()))
        }
        Action::BoundedSend | Action::HandOver => {
            own.bounded.as_ref().map_or(7, |s| usize::from(s.send(own.thread * 10).is_ok()))
        }
        Action::TrySend | Action::TryHandOver => {
            own.bounded.as_ref().map_or(7, |s| usize::from(s.try_send(own.thread * 10).is_ok()))
        }
        Action::Receive => own.receiver.as_ref().map_or(0, |r| r.recv().unwrap_or(98)),
        Action::TryReceive => {
            own.receiver.as_ref().map_or(0, |r| r.try_recv().unwrap_or_else(|error| 90 + error as usize))
        }
        Action::ReceiveTimeout => own
            .receiver
            .as_ref()
            .map_or(0, |r| r.recv_timeout(Duration::ZERO).unwrap_or_else(|error| 80 + error as usize)),
        Action::Park => {
            thread::park();
            0
        }
        Action::ParkTimeout => {
            thread::park_timeout(Duration::ZERO);
            0
        }
        Action::Unpark => {
            if let Some(next) = &own.next {
                next.unpark();
            }
            0
        }
        Action::DropHandle => usize::from(own.strong.take().is_some()),
        Action::Upgrade => usize::from(own.weak.upgrade().is_some()),
        Action::Count => own.strong.as_ref().map_or(0, Arc::strong_count),
        Action::Unwrap => match own.strong.take().map(Arc::try_unwrap) {
            Some(Ok(_noisy)) => 1,
            Some(Err(strong)) => {
                own.strong = Some(strong);
                2
            }
            None => 3,
        },
        Action::Init(value) => *world.once.get_or_init(|| world.x.fetch_add(value, SeqCst) + own.thread * 10),
        Action::Get => world.once.get().copied().unwrap_or(97),
        Action::WaitTimeout => {
            let guard = world.mutex.lock().unwrap();
            let (guard, result) = world.condvar.wait_timeout(guard, Duration::ZERO).unwrap();
            *guard * 2 + usize::from(result.timed_out())
        }
        Action::Wait => *world.condvar.wait(world.mutex.lock().unwrap()).unwrap(),
        Action::WaitIfNeeded => {
            let guard = world.mutex.lock().unwrap();
            match *guard {
                0 => *world.condvar.wait(guard).unwrap(),
                seen => seen,
            }
        }
        Action::Notify => {
            *world.mutex.lock().unwrap() += 1;
            world.condvar.notify_one();
            0
        }
        Action::NotifyAll => {
            world.condvar.notify_all();
            0
        }
        Action::TryLock => world.mutex.try_lock().map_or(99, |mut guard| {
            *guard += 1;
            *guard
        }),
        Action::Lead => usize::from(world.barrier.wait().is_leader()),
        Action::Spin => {
            while world.x.load(SeqCst) == 0 {
                hint::spin_loop();
            }
            1
        }
        Action::IsFinished => own.handle.as_ref().map_or(0, |handle| usize::from(handle.is_finished())),
    };
    log(own.thread, seen);
}

impl Scenario for Program {
    fn closure(&self) -> Rc<dyn Fn()> {
        closure(self.clone())
    }

    fn semantics(&self) -> Semantics {
        let spurious_wakeups = self.iter().flatten().any(|action| *action == Action::WaitIfNeeded);
        Semantics { lonely_rounds: 1, spurious_wakeups, ..Semantics::default() }
    }

    fn observes_more(&self) -> bool {
        self.iter().flatten().any(|action| ADDING.contains(action))
    }

    fn simpler(&self) -> Vec<Program> {
        with_one_less(self)
    }
}

fn closure(program: Program) -> Rc<dyn Fn()> {
    Rc::new(move || {
        begin_logs(program.len());
        let x = std::sync::Arc::new(AtomicUsize::new(0));
        let world = std::sync::Arc::new(World {
            x: x.clone(),
            lock: RwLock::new(0),
            mutex: Mutex::new(0),
            condvar: Condvar::new(),
            barrier: Barrier::new(2),
            once: OnceLock::new(),
        });
        let uses = |wanted: &[Action]| program.iter().flatten().any(|action| wanted.contains(action));
        let mut strong = uses(&HANDLES).then(|| Arc::new(Noisy(x.clone())));
        let weak = strong.as_ref().map_or_else(Weak::new, Arc::downgrade);
        let (mut sender, mut bounded, mut receiver) = (None, None, None);
        if uses(&[Action::BoundedSend, Action::TrySend]) {
            let (send, receive) = mpsc::sync_channel(1);
            (bounded, receiver) = (Some(send), Some(receive));
        } else if uses(&[Action::HandOver, Action::TryHandOver]) {
            let (send, receive) = mpsc::sync_channel(0);
            (bounded, receiver) = (Some(send), Some(receive));
        } else if uses(&[Action::Send(1), Action::Receive, Action::TryReceive, Action::ReceiveTimeout]) {
            let (send, receive) = mpsc::channel();
            (sender, receiver) = (Some(send), Some(receive));
        }
        let last = program.len() - 1;
        let mut next = None;
        for (thread, actions) in program.iter().enumerate() {
            let mut own = Own {
                thread,
                next: next.as_ref().map(|handle: &thread::JoinHandle<()>| handle.thread().clone()),
                handle: next.take(),
                sender: if thread == last { sender.take() } else { sender.clone() },
                bounded: if thread == last { bounded.take() } else { bounded.clone() },
                receiver: receiver.take(),
                strong: if thread == last { strong.take() } else { strong.clone() },
                weak: weak.clone(),
            };
            let (world, actions) = (world.clone(), actions.clone());
            next =
                Some(thread::spawn(move || actions.iter().for_each(|&action| act(&world, &mut own, action))));
        }
    })
}

#[test]
fn drops_that_wait_for_others_to_be_the_last_do_not_sleep_through_them() {
    let exchange = Action::Exchange(1);
    let program =
        vec![vec![exchange, Action::DropHandle, exchange], vec![], vec![Action::DropHandle, exchange]];
    assert!(matches!(compare(&program), Ok(Some(_))));
}

/// Signaller and waiter, created in both orders, with waits that may end by their time limit, or spuriously.
#[test]
fn waits_that_may_end_without_a_notification_race_with_it() {
    for wait in [Action::WaitTimeout, Action::WaitIfNeeded] {
        for program in [vec![vec![Action::Notify], vec![wait]], vec![vec![wait], vec![Action::Notify]]] {
            assert!(matches!(compare(&program), Ok(Some(3..))), "{program:?}: {:?}", compare(&program));
        }
    }
}

#[test]
fn a_thread_that_spins_alone_comes_after_everything() {
    let program = vec![
        vec![Action::BoundedSend, Action::Spin],
        vec![Action::Spin],
        vec![Action::BoundedSend, Action::Add],
    ];
    assert_eq!(compare(&program), Ok(Some(3)));
}

#[test]
fn every_algorithm_finds_what_brute_force_finds_on_random_closures() {
    let compared = compare_all(seeds(2000, 40_000), program);
    assert!(
        compared_by_observations() > 0 || std::env::var_os("SELVEDGE_ALGORITHM").is_some(),
        "no closure tells what it observes"
    );
    assert!(compared > 0, "no closure was small enough for brute force");
}
