//! The public names of shuttle 0.9 exist, but for those that docs/from-shuttle.md says are not there. The names are used under `shuttle`, as by
//! a crate that has `shuttle = { package = "selvedge-shuttle" }`.
#![allow(unsafe_code, deprecated, reason = "shuttle has unsafe and deprecated names")]

use selvedge_shuttle as shuttle;

use shuttle::future::{self, AbortHandle, JoinError, JoinHandle};
use shuttle::rand::{Rng, RngCore, rngs::ThreadRng, thread_rng};
use shuttle::scheduler::{
    AnnotationScheduler, DfsScheduler, PctScheduler, RandomScheduler, ReplayScheduler, RoundRobinScheduler,
    Schedule, Scheduler, TaskId, UncontrolledNondeterminismCheckScheduler, UrwRandomScheduler,
};
use shuttle::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use shuttle::sync::{
    Arc, Barrier, BarrierWaitResult, Condvar, LockResult, Mutex, MutexGuard, Once, OnceState, PoisonError,
    RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult, WaitTimeoutResult, Weak, mpsc,
};
use shuttle::{
    Config, ContinuationFunctionBehavior, FailurePersistence, MaxSteps, PortfolioRunner, Runner,
    UngracefulShutdownConfig, current, hint, thread,
};
use std::time::Duration;

fn everything(f: impl Fn() + Send + Sync + 'static) {
    shuttle::check_dfs(f, None);
}

#[test]
fn atomics_have_the_names_of_shuttle() {
    everything(|| {
        let mut x = AtomicUsize::new(1);
        assert_eq!(x.fetch_add(1, Ordering::SeqCst) + x.fetch_sub(1, Ordering::SeqCst), 3);
        assert_eq!(x.fetch_max(3, Ordering::SeqCst) + x.fetch_min(2, Ordering::SeqCst), 4);
        assert_eq!(x.fetch_and(3, Ordering::SeqCst) + x.fetch_or(1, Ordering::SeqCst), 4);
        assert_eq!(x.fetch_xor(1, Ordering::SeqCst) + x.swap(7, Ordering::SeqCst), 5);
        assert_eq!(x.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |x| Some(x + 1)), Ok(7));
        assert_eq!(x.try_update(Ordering::SeqCst, Ordering::SeqCst, |_| None), Err(8));
        assert_eq!(x.update(Ordering::SeqCst, Ordering::SeqCst, |x| x + 1), 8);
        assert_eq!(x.compare_and_swap(9, 10, Ordering::SeqCst), 9);
        assert_eq!(x.compare_exchange(10, 11, Ordering::SeqCst, Ordering::SeqCst), Ok(10));
        assert_eq!(x.compare_exchange_weak(10, 11, Ordering::SeqCst, Ordering::SeqCst), Err(11));
        *x.get_mut() += 1;
        // SAFETY: no other thread has it.
        assert_eq!(unsafe { x.raw_load() } + x.load(Ordering::SeqCst), 24);
        assert!(AtomicBool::new(true).fetch_nand(true, Ordering::SeqCst));
        // SAFETY: no other thread has it.
        assert!(unsafe { AtomicPtr::<u8>::default().raw_load() }.is_null());
        atomic::fence(Ordering::SeqCst);
        atomic::compiler_fence(Ordering::SeqCst);
        hint::spin_loop();
        hint::black_box(1);
    });
}

#[test]
fn locks_have_the_names_of_shuttle() {
    everything(|| {
        let mut mutex = Mutex::new(1);
        let guard: LockResult<MutexGuard<i32>> = mutex.lock();
        drop(guard);
        let guard: TryLockResult<MutexGuard<i32>> = mutex.try_lock();
        drop(guard);
        mutex.clear_poison();
        *mutex.get_mut().unwrap_or_else(PoisonError::into_inner) += 1;
        let lock = RwLock::new(mutex.into_inner().unwrap());
        let guard: RwLockReadGuard<i32> = lock.read().unwrap();
        assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
        drop(guard);
        let guard: RwLockWriteGuard<i32> = lock.write().unwrap();
        drop(guard);
        let (mutex, condvar) = (Mutex::new(true), Condvar::new());
        condvar.notify_one();
        condvar.notify_all();
        let guard = condvar.wait_while(mutex.lock().unwrap(), |wait| !*wait).unwrap();
        let waited = condvar.wait_timeout_while(guard, Duration::from_secs(1), |wait| *wait);
        let timed: WaitTimeoutResult = waited.unwrap().1;
        assert!(timed.timed_out());
        let led: BarrierWaitResult = Barrier::new(1).wait();
        assert!(led.is_leader());
        let once = Once::new();
        once.call_once(|| ());
        once.call_once_force(|state: &OnceState| assert!(!state.is_poisoned()));
        assert!(once.is_completed());
        let strong = Arc::new(1);
        let weak: Weak<i32> = Arc::downgrade(&strong);
        assert_eq!(weak.upgrade().as_deref(), Some(&1));
    });
}

#[test]
fn channels_have_the_names_of_shuttle() {
    everything(|| {
        let (sender, receiver): (mpsc::Sender<u8>, mpsc::Receiver<u8>) = mpsc::channel();
        sender.clone().send(5).unwrap();
        assert_eq!((receiver.recv(), receiver.try_recv()), (Ok(5), Err(mpsc::TryRecvError::Empty)));
        drop(sender);
        assert_eq!(receiver.recv_timeout(Duration::ZERO), Err(mpsc::RecvTimeoutError::Disconnected));
        assert_eq!(receiver.iter().chain(receiver.try_iter()).count(), 0);
        let (sender, receiver): (mpsc::SyncSender<u8>, mpsc::Receiver<u8>) = mpsc::sync_channel(1);
        sender.try_send(1).unwrap();
        assert!(sender.try_send(2).is_err());
        drop(sender);
        assert_eq!(receiver.into_iter().collect::<Vec<_>>(), [1]);
    });
}

shuttle::thread_local! {
    static LOCAL: std::cell::Cell<u32> = const { std::cell::Cell::new(7) };
}

shuttle::lazy_static! {
    static ref HITS: AtomicUsize = AtomicUsize::new(7);
}

#[test]
fn threads_and_statics_have_the_names_of_shuttle() {
    everything(|| {
        shuttle::lazy_static::initialize(&HITS);
        let handle: thread::JoinHandle<usize> = thread::Builder::new()
            .name("named".to_owned())
            .stack_size(1 << 16)
            .spawn(|| {
                thread::park();
                LOCAL.with(|x| x.set(1));
                HITS.fetch_add(1, Ordering::SeqCst)
            })
            .unwrap();
        let other: &thread::Thread = handle.thread();
        let id: thread::ThreadId = other.id();
        assert!(other.name() == Some("named") && id != thread::current().id());
        other.unpark();
        let joined: thread::Result<usize> = handle.join();
        assert_eq!((joined.unwrap(), LOCAL.with(|x| x.get())), (7, 7));
        let sum = thread::scope(|scope: &thread::Scope| {
            let one: thread::ScopedJoinHandle<u8> = scope.spawn(|| 1);
            one.join().unwrap()
        });
        assert_eq!(sum, 1);
        thread::yield_now();
        thread::sleep(Duration::from_secs(1));
        thread::park_timeout(Duration::from_secs(1));
        let me: TaskId = current::me();
        assert_eq!((current::get_current_task(), current::try_get_current_task()), (Some(me), Some(me)));
    });
}

#[test]
fn futures_and_random_numbers_have_the_names_of_shuttle() {
    everything(|| {
        let task: JoinHandle<u8> = future::spawn(async {
            future::yield_now().await;
            7
        });
        assert_eq!(future::block_on(task), Ok(7));
        let endless = future::spawn_local(std::future::pending::<()>());
        let handle: AbortHandle = endless.abort_handle();
        handle.abort();
        endless.abort();
        assert_eq!(future::block_on(endless), Err(JoinError::Cancelled));
        assert!(handle.is_finished());
        let mut numbers: ThreadRng = thread_rng();
        assert_ne!(numbers.next_u64(), numbers.r#gen::<u64>());
        assert!(thread_rng().gen_range(0..10) < 10);
    });
}

#[test]
fn runners_have_the_names_of_shuttle() {
    let mut config = Config::new();
    config.stack_size = 1 << 16;
    config.failure_persistence = FailurePersistence::Print;
    config.max_steps = MaxSteps::ContinueAfter(100);
    config.max_time = Some(Duration::from_secs(10));
    config.silence_warnings = true;
    config.record_steps_in_span = false;
    config.ungraceful_shutdown_config = UngracefulShutdownConfig::default();
    config.ungraceful_shutdown_config.continuation_function_behavior = ContinuationFunctionBehavior::Drop;
    let mut portfolio = PortfolioRunner::new(true, config.clone());
    portfolio.add(DfsScheduler::new(Some(10), false));
    portfolio.add(RoundRobinScheduler::default());
    portfolio.run(|| ());
    let schedulers: Vec<Box<dyn Scheduler>> = vec![
        Box::new(RandomScheduler::new(5)),
        Box::new(RandomScheduler::new_from_seed(1, 5)),
        Box::new(PctScheduler::new(3, 5)),
        Box::new(PctScheduler::new_from_seed(1, 3, 5)),
        Box::new(UrwRandomScheduler::new(5)),
        Box::new(UncontrolledNondeterminismCheckScheduler::new(RandomScheduler::new(5))),
        Box::new(AnnotationScheduler::new(UrwRandomScheduler::new_from_seed(1, 5))),
    ];
    for scheduler in schedulers {
        assert_eq!(Runner::new(scheduler, config.clone()).run(|| ()), 5);
    }
    let mut replayed = ReplayScheduler::new_from_schedule(Schedule::from("0"));
    replayed.set_allow_incomplete();
    Runner::new(replayed, config).run(|| drop(thread::spawn(|| ()).join()));
    shuttle::check(|| ());
    shuttle::check_urw(|| (), 2);
    shuttle::check_uncontrolled_nondeterminism(|| (), 2);
    assert_eq!(shuttle::SILENCE_WARNINGS, "SHUTTLE_SILENCE_WARNINGS");
    assert_eq!((shuttle::ANNOTATION_FILE.len(), shuttle::CAPTURE_BACKTRACE.len()), (23, 25));
}
