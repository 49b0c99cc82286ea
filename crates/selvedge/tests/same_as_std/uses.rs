//! What std offers, used in every way that this library should allow as well. Whoever includes this file says whose names they are.

use super::{cell, check, hint, sync, thread, thread_local};
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::time::Duration;
use sync::atomic::{
    self, AtomicBool, AtomicI8, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8, AtomicU32, AtomicU64,
    AtomicUsize, Ordering::*,
};
use sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, Weak, mpsc};

/// Everything.
pub fn all() {
    auto_traits();
    mutex();
    rwlock();
    condvar();
    barrier_once();
    arc();
    atomics();
    channels();
    threads();
    cells();
}

fn send<T: Send>() {}
fn sync_<T: Sync>() {}
fn unwind<T: UnwindSafe>() {}
fn ref_unwind<T: RefUnwindSafe>() {}
fn debug<T: std::fmt::Debug>() {}
fn unpin<T: Unpin>() {}

fn auto_traits() {
    use std::cell::Cell;
    send::<Mutex<Cell<u8>>>();
    sync_::<Mutex<Cell<u8>>>();
    unwind::<Mutex<Cell<u8>>>();
    ref_unwind::<Mutex<Cell<u8>>>();
    send::<RwLock<Vec<u8>>>();
    sync_::<RwLock<Vec<u8>>>();
    unwind::<RwLock<Cell<u8>>>();
    ref_unwind::<RwLock<Cell<u8>>>();
    send::<Condvar>();
    sync_::<Condvar>();
    unwind::<Condvar>();
    ref_unwind::<Condvar>();
    send::<Barrier>();
    sync_::<Barrier>();
    unwind::<Barrier>();
    ref_unwind::<Barrier>();
    send::<sync::BarrierWaitResult>();
    sync_::<sync::BarrierWaitResult>();
    unwind::<sync::BarrierWaitResult>();
    send::<Once>();
    sync_::<Once>();
    unwind::<Once>();
    ref_unwind::<Once>();
    send::<OnceLock<u8>>();
    sync_::<OnceLock<u8>>();
    unwind::<OnceLock<u8>>();
    ref_unwind::<OnceLock<u8>>();
    send::<LazyLock<u8>>();
    sync_::<LazyLock<u8>>();
    unwind::<LazyLock<u8>>();
    ref_unwind::<LazyLock<u8>>();
    send::<Arc<u8>>();
    sync_::<Arc<u8>>();
    unwind::<Arc<u8>>();
    ref_unwind::<Arc<u8>>();
    unpin::<Arc<std::marker::PhantomPinned>>();
    send::<Weak<u8>>();
    sync_::<Weak<u8>>();
    unwind::<Weak<u8>>();
    send::<AtomicU8>();
    sync_::<AtomicU8>();
    unwind::<AtomicU8>();
    ref_unwind::<AtomicU8>();
    send::<AtomicBool>();
    sync_::<AtomicBool>();
    unwind::<AtomicBool>();
    ref_unwind::<AtomicBool>();
    send::<AtomicPtr<Cell<u8>>>();
    sync_::<AtomicPtr<Cell<u8>>>();
    unwind::<AtomicPtr<u8>>();
    ref_unwind::<AtomicPtr<u8>>();
    send::<mpsc::Sender<Cell<u8>>>();
    sync_::<mpsc::Sender<Cell<u8>>>();
    send::<mpsc::Receiver<Cell<u8>>>();
    send::<mpsc::SyncSender<Cell<u8>>>();
    sync_::<mpsc::SyncSender<Cell<u8>>>();
    unwind::<mpsc::Sender<u8>>();
    ref_unwind::<mpsc::Sender<u8>>();
    unwind::<mpsc::Receiver<u8>>();
    send::<thread::JoinHandle<Cell<u8>>>();
    sync_::<thread::JoinHandle<Cell<u8>>>();
    send::<thread::ScopedJoinHandle<'static, Cell<u8>>>();
    sync_::<thread::ScopedJoinHandle<'static, Cell<u8>>>();
    send::<thread::Thread>();
    sync_::<thread::Thread>();
    unwind::<thread::Thread>();
    sync_::<sync::MutexGuard<'static, u8>>();
    unwind::<sync::MutexGuard<'static, u8>>();
    sync_::<sync::RwLockReadGuard<'static, u8>>();
    sync_::<sync::RwLockWriteGuard<'static, u8>>();
    send::<cell::Cell<u8>>();
    send::<cell::UnsafeCell<u8>>();
    send::<thread::ThreadId>();
    debug::<Mutex<u8>>();
    debug::<RwLock<u8>>();
    debug::<sync::MutexGuard<'static, u8>>();
    debug::<sync::RwLockReadGuard<'static, u8>>();
    debug::<Condvar>();
    debug::<Barrier>();
    debug::<sync::BarrierWaitResult>();
    debug::<sync::WaitTimeoutResult>();
    debug::<Once>();
    debug::<sync::OnceState>();
    debug::<OnceLock<u8>>();
    debug::<LazyLock<u8>>();
    debug::<Arc<u8>>();
    debug::<Weak<u8>>();
    debug::<AtomicU8>();
    debug::<AtomicPtr<u8>>();
    debug::<mpsc::Sender<()>>();
    debug::<mpsc::Receiver<()>>();
    debug::<mpsc::SyncSender<()>>();
    debug::<mpsc::Iter<'static, ()>>();
    debug::<mpsc::TryIter<'static, ()>>();
    debug::<mpsc::IntoIter<()>>();
    debug::<thread::JoinHandle<()>>();
    debug::<thread::ScopedJoinHandle<'static, ()>>();
    debug::<thread::Thread>();
    debug::<thread::Builder>();
    debug::<thread::Scope<'static, 'static>>();
    debug::<thread::AccessError>();
    debug::<thread::LocalKey<u8>>();
    debug::<cell::Cell<u8>>();
    debug::<cell::UnsafeCell<u8>>();
}

fn mutex() {
    check(|| {
        let m = Mutex::new(5);
        assert_eq!(format!("{m:?}"), "Mutex { data: 5, poisoned: false, .. }");
        {
            let g = m.lock().unwrap();
            assert_eq!(format!("{g:?} {g}"), "5 5");
            assert_eq!(format!("{m:?}"), "Mutex { data: \"<locked>\", poisoned: false, .. }");
        }
        assert!(
            catch_unwind(|| {
                let _g = m.lock().unwrap();
                std::panic::resume_unwind(Box::new(1))
            })
            .is_err()
        );
        assert!(m.is_poisoned());
        let e = m.lock().unwrap_err();
        assert_eq!(**e.get_ref(), 5);
        drop(e);
        assert!(matches!(m.try_lock(), Err(sync::TryLockError::Poisoned(_))));
        m.clear_poison();
        assert_eq!(*m.try_lock().unwrap(), 5);
        let d: Mutex<String> = Default::default();
        let f: Mutex<&str> = "a".into();
        assert_eq!((d.into_inner().unwrap(), f.into_inner().unwrap()), (String::new(), "a"));
        let u: &Mutex<[u8]> = &Mutex::new([1, 2]);
        assert_eq!(u.lock().unwrap().len(), 2);
        let b: Box<Mutex<dyn std::fmt::Debug + Send>> = Box::new(Mutex::new(7));
        assert_eq!(format!("{:?}", b.lock().unwrap()), "7");
    });
}

fn rwlock() {
    check(|| {
        let l = RwLock::new(5);
        assert_eq!(format!("{l:?}"), "RwLock { data: 5, poisoned: false, .. }");
        {
            let r = l.read().unwrap();
            let r2 = l.try_read().unwrap();
            assert_eq!(format!("{r} {r2:?}"), "5 5");
            assert!(l.try_write().is_err());
        }
        {
            let mut w = l.write().unwrap();
            *w += 1;
            assert_eq!(format!("{w} {w:?}"), "6 6");
            assert!(matches!(l.try_read(), Err(sync::TryLockError::WouldBlock)));
        }
        assert!(
            catch_unwind(AssertUnwindSafe(|| {
                let _g = l.read().unwrap();
                std::panic::resume_unwind(Box::new(1))
            }))
            .is_err()
        );
        assert!(!l.is_poisoned());
        assert!(
            catch_unwind(|| {
                let _g = l.write().unwrap();
                std::panic::resume_unwind(Box::new(1))
            })
            .is_err()
        );
        assert!(l.is_poisoned() && l.read().is_err() && l.write().is_err());
        l.clear_poison();
        let mut l = l;
        *l.get_mut().unwrap() = 9;
        assert_eq!(l.into_inner().unwrap(), 9);
        let _: RwLock<u8> = RwLock::from(3);
        let _: RwLock<Vec<u8>> = RwLock::default();
    });
}

#[allow(deprecated)]
fn condvar() {
    check(|| {
        let p = Arc::new((Mutex::new(0), Condvar::default()));
        let q = Arc::clone(&p);
        let t = thread::spawn(move || {
            *q.0.lock().unwrap() += 1;
            q.1.notify_all();
        });
        let g = p.1.wait_while(p.0.lock().unwrap(), |n| *n == 0).unwrap();
        assert_eq!(*g, 1);
        let (g, r) = p.1.wait_timeout(g, Duration::from_millis(1)).unwrap();
        let _ = r.timed_out();
        let (g, r) = p.1.wait_timeout_while(g, Duration::from_millis(1), |n| *n == 1).unwrap();
        assert!(r.timed_out());
        let (g, _t) = p.1.wait_timeout_ms(g, 1).unwrap();
        drop(g);
        t.join().unwrap();
    });
}

fn barrier_once() {
    check(|| {
        let b = Arc::new(Barrier::new(2));
        let c = b.clone();
        let t = thread::spawn(move || c.wait().is_leader());
        let one = b.wait();
        assert!(one.is_leader() ^ t.join().unwrap());
        assert!(Barrier::new(0).wait().is_leader());
        let o = Once::new();
        assert!(catch_unwind(|| o.call_once(|| std::panic::resume_unwind(Box::new(1)))).is_err());
        assert!(!o.is_completed());
        assert!(catch_unwind(AssertUnwindSafe(|| o.wait())).is_err(), "waiting for a poisoned one panics");
        o.call_once_force(|s| assert!(s.is_poisoned()));
        o.wait();
        o.wait_force();
        o.call_once(|| unreachable!());
        let x: OnceLock<u32> = OnceLock::new();
        assert_eq!(format!("{x:?}"), "OnceLock(<uninit>)");
        assert_eq!(x.get(), None);
        assert_eq!(*x.get_or_init(|| 3), 3);
        assert_eq!((*x.wait(), x.set(4)), (3, Err(4)));
        assert_eq!(format!("{x:?}"), "OnceLock(3)");
        let y = x.clone();
        assert_eq!(x, y);
        assert_eq!(y.into_inner(), Some(3));
        let mut z = OnceLock::from(1);
        assert_eq!((z.get_mut().copied(), z.take(), z.take()), (Some(1), Some(1), None));
        let l = LazyLock::new(|| 5);
        assert_eq!(format!("{l:?}"), "LazyLock(<uninit>)");
        assert_eq!((*l, *LazyLock::force(&l)), (5, 5));
        assert_eq!(format!("{l:?}"), "LazyLock(5)");
        let l: LazyLock<u32, _> = LazyLock::new(|| std::panic::resume_unwind(Box::new(1)));
        assert!(catch_unwind(AssertUnwindSafe(|| *l)).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| *l)).is_err());
        let d: LazyLock<String> = LazyLock::default();
        assert_eq!(*d, "");
    });
}

fn arc() {
    use std::borrow::Cow;
    check(|| {
        let mut a = Arc::new(5);
        *Arc::make_mut(&mut a) += 1;
        *Arc::get_mut(&mut a).unwrap() += 1;
        let b = a.clone();
        assert!(Arc::get_mut(&mut a).is_none());
        assert!(Arc::ptr_eq(&a, &b));
        assert_eq!((Arc::strong_count(&a), Arc::weak_count(&a)), (2, 0));
        *Arc::make_mut(&mut a) += 1;
        assert_eq!((*a, *b), (8, 7));
        assert_eq!(Arc::try_unwrap(a), Ok(8));
        assert_eq!(Arc::into_inner(b), Some(7));
        let s: Arc<str> = "abc".into();
        let s2: Arc<str> = String::from("abc").into();
        let c: Arc<str> = Cow::Borrowed("abc").into();
        assert!(s == s2 && s == c && s <= s2);
        let bytes: Arc<[u8]> = s.clone().into();
        assert_eq!(&bytes[..], b"abc");
        let array: Arc<[u8; 3]> = bytes.try_into().unwrap();
        assert_eq!(array.len(), 3);
        let v: Arc<[u32]> = vec![1, 2].into();
        let v2: Arc<[u32]> = [1, 2].into();
        let v3: Arc<[u32]> = (1..3).collect();
        let v4: Arc<[u32]> = Arc::from(&[1, 2][..]);
        assert!(v == v2 && v2 == v3 && v3 == v4);
        let (e1, e2): (Arc<str>, Arc<[u8]>) = Default::default();
        assert!(e1.is_empty() && e2.is_empty());
        let mut v = v;
        Arc::make_mut(&mut v)[0] = 7;
        assert_eq!(v[0], 7);
        let p: Arc<std::path::Path> = std::path::PathBuf::from("/a").into();
        assert_eq!(p.to_str(), Some("/a"));
        let o: Arc<std::ffi::OsStr> = std::ffi::OsString::from("a").into();
        assert_eq!(o.len(), 1);
        let any: Arc<dyn std::any::Any + Send + Sync> =
            Arc::from(Box::new(5u8) as Box<dyn std::any::Any + Send + Sync>);
        assert_eq!(any.downcast::<u8>().map(|x| *x).unwrap_or(0), 5);
        let err: Arc<std::io::Error> = Arc::new(std::io::Error::other("x"));
        fn error<E: std::error::Error>(e: E) -> String {
            e.to_string()
        }
        assert_eq!(error(err), "x");
        let x = Arc::new(1);
        assert_eq!(format!("{x:p}"), format!("{:p}", Arc::as_ptr(&x)));
        let raw = Arc::into_raw(Arc::<str>::from("ab"));
        assert_eq!(&*unsafe { Arc::from_raw(raw) }, "ab");
        let raw = Arc::into_raw(x);
        unsafe {
            Arc::increment_strong_count(raw);
            Arc::decrement_strong_count(raw);
            drop(Arc::from_raw(raw));
        }
        let u = {
            let mut u = Arc::<u32>::new_uninit();
            Arc::get_mut(&mut u).unwrap().write(5);
            unsafe { u.assume_init() }
        };
        assert_eq!(*u, 5);
        let words = {
            let mut words = Arc::<[String]>::new_uninit_slice(1);
            Arc::get_mut(&mut words).unwrap()[0].write("a".to_owned());
            unsafe { words.assume_init() }
        };
        assert_eq!(words[0], "a");
        struct Node {
            own: Weak<Node>,
            n: u32,
        }
        let n = Arc::new_cyclic(|w| {
            assert!(w.upgrade().is_none());
            Node { own: w.clone(), n: 3 }
        });
        assert_eq!(n.own.upgrade().unwrap().n, 3);
        let w = Arc::downgrade(&n);
        assert_eq!((w.strong_count(), w.weak_count()), (1, 2));
        assert!(w.ptr_eq(&n.own));
        let raw = w.clone().into_raw();
        let w2 = unsafe { Weak::from_raw(raw) };
        assert!(w2.ptr_eq(&w));
        drop(w2);
        drop(n);
        assert!(w.upgrade().is_none() && w.weak_count() == 0);
        let _: Weak<u8> = Weak::new();
        let _: Weak<u8> = Weak::default();
        let _: Arc<u8> = Arc::from(3);
        let _: Arc<u8> = Arc::from(Box::new(3));
        let _ = Arc::pin(3);
        assert_eq!(Arc::unwrap_or_clone(Arc::new(3)), 3);
        let mut h = std::collections::HashMap::new();
        h.insert(Arc::<str>::from("k"), 1);
        assert_eq!(h.get("k"), Some(&1));
        assert_eq!(AsRef::<u8>::as_ref(&Arc::new(3)), &3);
    });
}

#[allow(deprecated)]
fn atomics() {
    check(|| {
        let x = AtomicU32::new(5);
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |n| (n < 6).then_some(n + 1)), Ok(5));
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |n| (n < 6).then_some(n + 1)), Err(6));
        assert_eq!(x.fetch_update(SeqCst, SeqCst, |n| n.checked_add(1)), Ok(6));
        assert_eq!(x.fetch_sub(1, SeqCst), 7);
        assert_eq!(x.compare_and_swap(6, 7, SeqCst), 6);
        assert_eq!(x.compare_exchange(7, 6, AcqRel, Relaxed), Ok(7));
        assert_eq!(x.compare_exchange_weak(7, 6, AcqRel, Relaxed), Err(6));
        assert_eq!((x.fetch_max(9, Relaxed), x.fetch_min(2, Relaxed), x.swap(4, Relaxed)), (6, 9, 2));
        let mut x = x;
        *x.get_mut() += 1;
        assert_eq!(x.load(Relaxed), 5);
        assert_eq!(format!("{x:?}"), "5");
        assert_eq!(x.into_inner(), 5);
        let b = AtomicBool::new(true);
        assert_eq!(
            (
                b.fetch_not(SeqCst),
                b.fetch_nand(true, SeqCst),
                b.fetch_or(true, SeqCst),
                b.fetch_xor(true, SeqCst),
                b.load(SeqCst)
            ),
            (true, false, true, true, false)
        );
        assert_eq!(b.fetch_update(SeqCst, SeqCst, |b| Some(!b)), Ok(false));
        let (i, j) = (AtomicI8::new(-1), AtomicI64::new(i64::MIN));
        assert_eq!(
            (i.fetch_add(-128, SeqCst), i.load(SeqCst), j.fetch_sub(1, SeqCst), j.load(SeqCst)),
            (-1, 127, i64::MIN, i64::MAX)
        );
        let _ = (AtomicIsize::default(), AtomicUsize::from(3), AtomicU64::default());
        let mut n = [1, 2];
        let p = AtomicPtr::new(&mut n[0]);
        let second = &raw mut n[1];
        assert_eq!(p.swap(second, SeqCst), &raw mut n[0]);
        assert!(p.compare_exchange(std::ptr::null_mut(), second, SeqCst, SeqCst).is_err());
        assert!(p.fetch_update(SeqCst, SeqCst, |_| Some(std::ptr::null_mut())).is_ok());
        assert!(p.load(SeqCst).is_null());
        let mut p = p;
        *p.get_mut() = std::ptr::null_mut();
        assert!(p.into_inner().is_null());
        let _ = AtomicPtr::<u8>::default();
        let _ = AtomicPtr::from(&raw mut n);
        atomic::fence(AcqRel);
        atomic::compiler_fence(SeqCst);
        atomic::spin_loop_hint();
    });
}

fn channels() {
    check(|| {
        let (s, r) = mpsc::channel();
        let s2 = s.clone();
        let t = thread::spawn(move || {
            s2.send(1).unwrap();
            s2.send(2).unwrap();
        });
        s.send(3).unwrap();
        drop(s);
        assert_eq!(r.iter().sum::<i32>(), 6);
        t.join().unwrap();
        assert_eq!(r.try_recv(), Err(mpsc::TryRecvError::Disconnected));
        assert_eq!(r.recv(), Err(mpsc::RecvError));
        assert_eq!(r.recv_timeout(Duration::from_millis(1)), Err(mpsc::RecvTimeoutError::Disconnected));
        assert_eq!(r.try_iter().count(), 0);
        assert_eq!(r.iter().next(), None);
        assert_eq!(r.into_iter().count(), 0);
        let (s, r) = mpsc::sync_channel::<u8>(0);
        assert_eq!(s.try_send(1), Err(mpsc::TrySendError::Full(1)));
        let t = thread::spawn(move || r.recv());
        s.send(5).unwrap();
        assert_eq!(t.join().unwrap(), Ok(5));
        assert_eq!(s.send(6), Err(mpsc::SendError(6)));
        assert_eq!(s.try_send(6), Err(mpsc::TrySendError::Disconnected(6)));
        let (s, r) = mpsc::sync_channel(1);
        s.send(1).unwrap();
        assert!(s.clone().try_send(2).is_err());
        assert_eq!(r.try_recv(), Ok(1));
        assert_eq!(r.try_recv(), Err(mpsc::TryRecvError::Empty));
        for x in {
            drop(s);
            r
        } {
            let _: i32 = x;
        }
        let (s, r) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        s.send(Box::new(|| ())).unwrap();
        drop(s);
        for job in r {
            job()
        }
    });
}

thread_local! {
    static A: std::cell::Cell<u32> = const { std::cell::Cell::new(1) };
    pub static B: std::cell::RefCell<Vec<u32>> = std::cell::RefCell::new(vec![0]);
}

#[allow(deprecated)]
fn threads() {
    check(|| {
        let t = thread::Builder::new()
            .name("w".into())
            .stack_size(1 << 16)
            .spawn(|| {
                A.set(5);
                thread::current().name().map(String::from)
            })
            .unwrap();
        assert_eq!(t.thread().name(), Some("w"));
        assert_eq!(t.join().unwrap().as_deref(), Some("w"));
        assert_eq!(A.get(), 1);
        B.with_borrow_mut(|b| b.push(1));
        B.with(|b| b.borrow_mut().push(2));
        assert_eq!(B.take(), [0, 1, 2]);
        assert_eq!(A.try_with(|a| a.replace(3)), Ok(1));
        assert_eq!(A.take(), 3);
        let mut v = vec![1, 2, 3];
        let mut sum = 0;
        let n = thread::scope(|s| {
            let h = s.spawn(|| v.iter().sum::<i32>());
            s.spawn(|| sum += 1);
            let k = thread::Builder::new().spawn_scoped(s, || 1).unwrap();
            let _ = k.is_finished();
            h.join().unwrap() + k.join().unwrap()
        });
        let local = String::from("local");
        // SAFETY: it is joined at once.
        let borrowing = unsafe { thread::Builder::new().spawn_unchecked(|| local.len()) };
        assert_eq!(borrowing.unwrap().join().unwrap(), 5);
        v.push(n);
        assert_eq!((v[3], sum), (7, 1));
        let p = thread::current();
        let t = thread::spawn(move || p.unpark());
        thread::park();
        thread::park_timeout(Duration::from_millis(1));
        thread::park_timeout_ms(1);
        t.join().unwrap();
        thread::yield_now();
        thread::sleep(Duration::ZERO);
        thread::sleep_ms(0);
        hint::spin_loop();
        assert!(!thread::panicking());
        assert!(thread::available_parallelism().unwrap().get() > 0);
        assert_eq!(hint::black_box(3), 3);
        assert_ne!(thread::spawn(|| thread::current().id()).join().unwrap(), thread::current().id());
        unsafe { hint::assert_unchecked(true) }
        assert_eq!(hint::select_unpredictable(true, 1, 2), 1);
        let e: thread::Result<()> = Err(Box::new(3));
        assert!(e.is_err());
    });
}

fn cells() {
    check(|| {
        let c = cell::Cell::new(3);
        assert_eq!((c.get(), c.replace(4), c.take()), (3, 3, 4));
        c.set(1);
        c.update(|x| x + 1);
        assert_eq!(c, cell::Cell::new(2));
        assert!(c < cell::Cell::new(3));
        assert_eq!(c.clone().into_inner(), 2);
        assert_eq!(format!("{c:?}"), "Cell { value: 2 }");
        unsafe { *c.as_ptr() = 7 };
        assert_eq!(c.get(), 7);
        let u = cell::UnsafeCell::new(1);
        unsafe {
            *u.get() += 1;
            *u.get() += 1;
        }
        let mut u = u;
        *u.get_mut() += 1;
        assert_eq!(u.into_inner(), 4);
        let _: cell::UnsafeCell<u8> = 3.into();
        let _: cell::Cell<u8> = Default::default();
        let u: &cell::UnsafeCell<[u8]> = &cell::UnsafeCell::new([1, 2]);
        assert_eq!(unsafe { (&*u.get()).len() }, 2);
        let r = cell::RefCell::new(1);
        *r.borrow_mut() += 1;
        assert_eq!(*cell::OnceCell::from(2).get().unwrap(), 2);
    });
}
