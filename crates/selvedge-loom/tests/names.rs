//! Every public name of loom 0.7 exists, with the signature that callers rely on. The names are used under `loom`, as by a crate that
//! has `loom = { package = "selvedge-loom" }`.
#![allow(unsafe_code, deprecated, reason = "loom has unsafe and deprecated names")]

use selvedge_loom as loom;

use loom::alloc::{Layout, Track, alloc, alloc_zeroed, dealloc};
use loom::cell::{Cell, ConstPtr, MutPtr, UnsafeCell};
use loom::future::{AtomicWaker, block_on};
use loom::model::Builder;
use loom::sync::atomic::{self, AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use loom::sync::{
    Arc, Barrier, Condvar, LockResult, Mutex, MutexGuard, Notify, RwLock, RwLockReadGuard, RwLockWriteGuard,
    TryLockResult, WaitTimeoutResult, mpsc,
};
use loom::thread::{self, AccessError, JoinHandle, LocalKey, Thread, ThreadId};
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

macro_rules! integers {
    ($($name:ident $type:ty),*) => {
        $({
            let mut x = atomic::$name::new(1);
            let add: fn(&atomic::$name, $type, Ordering) -> $type = atomic::$name::fetch_add;
            assert_eq!(add(&x, 1, Ordering::Relaxed), 1);
            assert_eq!(x.fetch_sub(1, Ordering::Relaxed), 2);
            assert_eq!(x.fetch_and(3, Ordering::Relaxed), 1);
            assert_eq!(x.fetch_or(2, Ordering::Relaxed), 1);
            assert_eq!(x.fetch_xor(2, Ordering::Relaxed), 3);
            assert_eq!(x.fetch_max(5, Ordering::Relaxed), 1);
            assert_eq!(x.fetch_min(4, Ordering::Relaxed), 5);
            assert_eq!(x.fetch_nand(4, Ordering::Relaxed), 4);
            x.store(7, Ordering::Release);
            assert_eq!(x.swap(8, Ordering::AcqRel), 7);
            assert_eq!(x.compare_and_swap(8, 9, Ordering::SeqCst), 8);
            assert_eq!(x.compare_exchange(9, 10, Ordering::SeqCst, Ordering::SeqCst), Ok(9));
            assert_eq!(x.compare_exchange_weak(9, 10, Ordering::SeqCst, Ordering::SeqCst), Err(10));
            assert_eq!(x.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |x| Some(x + 1)), Ok(10));
            assert_eq!(x.with_mut(|x| std::mem::replace(x, 12)), 11);
            // SAFETY: no other thread has it.
            assert_eq!(unsafe { x.unsync_load() }, 12);
            assert_eq!(x.load(Ordering::Acquire), 12);
            assert_eq!(x.into_inner(), 12);
            assert_eq!(atomic::$name::default().into_inner() + atomic::$name::from(1).into_inner(), 1);
        })*
    };
}

#[test]
fn atomics_have_the_names_of_loom() {
    loom::model(|| {
        integers!(AtomicU8 u8, AtomicU16 u16, AtomicU32 u32, AtomicU64 u64, AtomicUsize usize);
        integers!(AtomicI8 i8, AtomicI16 i16, AtomicI32 i32, AtomicI64 i64, AtomicIsize isize);
        let x = AtomicBool::new(true);
        assert!(x.fetch_and(true, Ordering::SeqCst) && x.fetch_or(true, Ordering::SeqCst));
        assert!(x.fetch_xor(false, Ordering::SeqCst) && x.fetch_nand(true, Ordering::SeqCst));
        assert!(!x.swap(true, Ordering::SeqCst) && x.compare_and_swap(true, false, Ordering::SeqCst));
        assert_eq!(x.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |_| None), Err(false));
        // SAFETY: no other thread has it.
        assert!(!unsafe { x.unsync_load() });
        assert!(!x.into_inner());
        let mut value = 1;
        let mut x = AtomicPtr::new(&mut value);
        assert!(x.with_mut(|pointer| !pointer.is_null()));
        // SAFETY: no other thread has it.
        assert_eq!(unsafe { x.unsync_load() }, x.load(Ordering::Acquire));
        let null = std::ptr::null_mut();
        assert!(!x.swap(null, Ordering::AcqRel).is_null());
        assert_eq!(x.fetch_update(Ordering::SeqCst, Ordering::SeqCst, Some), Ok(null));
        assert!(x.into_inner().is_null());
        atomic::fence(Ordering::SeqCst);
        atomic::spin_loop_hint();
        loom::hint::spin_loop();
    });
}

#[test]
fn cells_have_the_names_of_loom() {
    loom::model(|| {
        let cell = UnsafeCell::new(1);
        let pointer: MutPtr<i32> = cell.get_mut();
        // SAFETY: no other thread has the cell.
        unsafe { *pointer.deref() += 1 };
        assert_eq!(pointer.with(|content| unsafe { *content }), 2);
        drop(pointer);
        let pointer: ConstPtr<i32> = cell.get();
        // SAFETY: no other thread has the cell.
        assert_eq!(unsafe { *pointer.deref() } + pointer.with(|content| unsafe { *content }), 4);
        drop(pointer);
        assert_eq!(cell.with(|content| unsafe { *content }), 2);
        cell.with_mut(|content| unsafe { *content = 3 });
        assert_eq!(
            cell.into_inner() + UnsafeCell::<i32>::default().into_inner() + UnsafeCell::from(1).into_inner(),
            4
        );
        let (one, two) = (Cell::new(1), Cell::from(2));
        one.swap(&two);
        assert_eq!((one.get(), two.replace(5), one.take(), two.clone().into_inner()), (2, 1, 2, 5));
        one.set(9);
        assert!(one > two && one == one.clone());
        let unsized_cell: &UnsafeCell<[u8]> = &UnsafeCell::new([1, 2]);
        assert_eq!(unsized_cell.with(|content| unsafe { (&*content).len() }), 2);
    });
}

#[test]
fn locks_have_the_names_of_loom() {
    loom::model(|| {
        let mut mutex = Mutex::new(1);
        let guard: LockResult<MutexGuard<i32>> = mutex.lock();
        drop(guard);
        let guard: TryLockResult<MutexGuard<i32>> = mutex.try_lock();
        drop(guard);
        *mutex.get_mut().unwrap() += 1;
        assert_eq!(mutex.into_inner().unwrap(), 2);
        let mut lock = RwLock::from(1);
        let guard: RwLockReadGuard<i32> = lock.read().unwrap();
        assert!(lock.try_write().is_err() && lock.try_read().is_ok());
        drop(guard);
        let guard: RwLockWriteGuard<i32> = lock.write().unwrap();
        drop(guard);
        *lock.get_mut().unwrap() = 4;
        assert_eq!(lock.into_inner().unwrap() + Mutex::<i32>::default().into_inner().unwrap(), 4);
        let (mutex, condvar) = (Mutex::new(()), Condvar::default());
        condvar.notify_one();
        condvar.notify_all();
        let waited = condvar.wait_timeout(mutex.lock().unwrap(), Duration::from_secs(1));
        let timed: WaitTimeoutResult = waited.unwrap().1;
        assert!(timed.timed_out());
        let _: fn(&Condvar, MutexGuard<'static, ()>) -> LockResult<MutexGuard<'static, ()>> = Condvar::wait;
        let notify = Notify::default();
        notify.notify();
        notify.wait();
        Barrier::new(1).wait();
    });
}

#[test]
fn arcs_and_channels_have_the_names_of_loom() {
    loom::model(|| {
        let mut x = Arc::new(1);
        let _: Pin<Arc<i32>> = Arc::pin(2);
        assert_eq!((Arc::strong_count(&x), Arc::get_mut(&mut x)), (1, Some(&mut 1)));
        assert!(Arc::ptr_eq(&x, &x.clone()) && std::ptr::eq(Arc::as_ptr(&x), &*x));
        let pointer = Arc::into_raw(x);
        // SAFETY: the pointer comes from `into_raw`, and is counted.
        let x = unsafe {
            Arc::increment_strong_count(pointer);
            Arc::decrement_strong_count(pointer);
            Arc::from_raw(pointer)
        };
        assert_eq!(Arc::try_unwrap(x), Ok(1));
        let shown: Arc<dyn std::fmt::Debug> = Arc::from_std(std::sync::Arc::new(3));
        assert_eq!(format!("{shown:?} {:?} {:?}", Arc::<u8>::default(), Arc::from(4).as_ref()), "3 0 4");
        let (sender, receiver): (mpsc::Sender<u8>, mpsc::Receiver<u8>) = mpsc::channel();
        sender.clone().send(5).unwrap();
        assert_eq!((receiver.recv(), receiver.try_recv().is_err()), (Ok(5), true));
        assert!(receiver.recv_timeout(Duration::from_secs(1)).is_err());
    });
}

loom::thread_local! {
    static LOCAL: Cell<u32> = Cell::new(7);
    /// Documented.
    pub static OTHER: u32 = 8;
}

loom::lazy_static! {
    /// Documented.
    static ref SEVEN: usize = 7;
    /// Documented.
    pub static ref HITS: AtomicUsize = AtomicUsize::new(*SEVEN);
    pub(crate) static ref SHARED: Arc<Mutex<Vec<usize>>> = Arc::new(Mutex::new(Vec::new()));
}

#[test]
fn threads_and_statics_have_the_names_of_loom() {
    loom::model(|| {
        let local = Rc::new(1);
        let handle: JoinHandle<Rc<i32>> = thread::spawn({
            let local = Rc::clone(&local);
            move || {
                thread::park();
                LOCAL.with(|x| x.set(1));
                SHARED.lock().unwrap().push(HITS.fetch_add(1, Ordering::SeqCst));
                local
            }
        });
        let other: &Thread = handle.thread();
        let (id, name): (ThreadId, Option<&str>) = (other.id(), other.name());
        assert!(name.is_none() && id != thread::current().id());
        other.unpark();
        assert_eq!(handle.join().unwrap(), local);
        let read: Result<u32, AccessError> = LOCAL.try_with(Cell::get);
        let key: &'static LocalKey<u32> = &OTHER;
        assert_eq!((read, key.with(|x| *x)), (Ok(7), 8));
        assert_eq!(*SHARED.lock().unwrap(), [7]);
        let builder = thread::Builder::new().name("named".to_owned()).stack_size(1 << 16);
        assert_eq!(
            builder.spawn(|| thread::current().name().map(str::len)).unwrap().join().unwrap(),
            Some(5)
        );
        thread::yield_now();
        assert!(!thread::panicking());
    });
}

#[test]
fn allocations_futures_and_switches_have_the_names_of_loom() {
    loom::model(|| {
        let mut tracked = Track::new(1);
        *tracked.get_mut() += *tracked.get_ref();
        assert_eq!(tracked.into_inner(), 2);
        let layout = Layout::new::<u64>();
        // SAFETY: the layout is that of the allocation.
        unsafe {
            dealloc(alloc(layout), layout);
            dealloc(alloc_zeroed(layout), layout);
        }
        let waker = AtomicWaker::default();
        block_on(std::future::poll_fn(|context| {
            waker.register_by_ref(context.waker());
            waker.register(context.waker().clone());
            assert!(waker.take_waker().is_some());
            waker.wake();
            std::task::Poll::Ready(())
        }));
        loom::stop_exploring();
        loom::explore();
        loom::skip_branch();
    });
    let mut builder = Builder::default();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = 2000;
    builder.max_permutations = Some(10);
    builder.max_duration = Some(Duration::from_secs(10));
    builder.preemption_bound = Some(1);
    builder.checkpoint_interval = 1;
    builder.expect_explicit_explore = false;
    builder.location = true;
    builder.log = true;
    builder.check(|| ());
    assert!(builder.checkpoint_file("x").checkpoint_file.is_some());
}

#[test]
#[should_panic(expected = "`unreachable_unchecked` was reached")]
fn what_is_never_reached_panics_when_it_is() {
    // SAFETY: it is reached, to see that it panics.
    loom::model(|| unsafe { loom::hint::unreachable_unchecked() });
}
