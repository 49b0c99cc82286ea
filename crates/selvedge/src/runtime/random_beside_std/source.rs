//! The source of the threads' actions, the same for the look-alikes and for the crates themselves.
//!
//! `step` is where another thread may go on: our operations are such places by themselves, those of the crates are not. So there is a
//! `step` between any two operations.

/// What the including module must have: `step`, `put`, `take`, `take_timeout`, `extra`, and the names of the crates.
macro_rules! source {
    () => {
        /// What all threads share.
        pub struct World {
            x: AtomicUsize,
            semaphore: Semaphore,
            mutex: Mutex<usize>,
            lock: RwLock<usize>,
            notify: Notify,
            swap: ArcSwap<usize>,
            extra: Extra,
        }

        /// What a thread has.
        pub struct Own {
            thread: usize,
            made: usize,
            send_one: Option<oneshot::Sender<usize>>,
            receive_one: Option<oneshot::Receiver<usize>>,
            sender: Option<mpsc::Sender<usize>>,
            receiver: Option<mpsc::Receiver<usize>>,
            unbounded_sender: Option<mpsc::UnboundedSender<usize>>,
            unbounded_receiver: Option<mpsc::UnboundedReceiver<usize>>,
            put: Option<Sender>,
            take: Option<Receiver>,
            seen: Option<Arc<usize>>,
        }

        impl Own {
            fn new(thread: usize) -> Own {
                Own {
                    thread,
                    made: 0,
                    send_one: None,
                    receive_one: None,
                    sender: None,
                    receiver: None,
                    unbounded_sender: None,
                    unbounded_receiver: None,
                    put: None,
                    take: None,
                    seen: None,
                }
            }

            /// A number that no other thread makes.
            fn fresh(&mut self) -> usize {
                self.made += 1;
                self.thread * 10 + self.made
            }
        }

        /// The objects of a program.
        pub fn start(program: &Program) -> (World, Vec<Own>) {
            let permits = if let Family::Semaphore(permits) = program.family { permits } else { 1 };
            let world = World {
                x: AtomicUsize::new(0),
                semaphore: Semaphore::new(permits),
                mutex: Mutex::new(0),
                lock: RwLock::new(0),
                notify: Notify::new(),
                swap: ArcSwap::from_pointee(0),
                extra: Extra::new(),
            };
            let mut owned: Vec<Own> = (0..program.threads.len()).map(Own::new).collect();
            let last = owned.len() - 1;
            match program.family {
                Family::Oneshot => {
                    let (send, receive) = oneshot::channel();
                    owned[last].send_one = Some(send);
                    owned[0].receive_one = Some(receive);
                }
                Family::Mpsc(capacity) => {
                    let (send, receive) = mpsc::channel(capacity);
                    owned[0].receiver = Some(receive);
                    for (own, actions) in owned.iter_mut().zip(&program.threads) {
                        own.sender = actions.iter().any(|action| action.sends()).then(|| send.clone());
                    }
                }
                Family::Unbounded => {
                    let (send, receive) = mpsc::unbounded_channel();
                    owned[0].unbounded_receiver = Some(receive);
                    for (own, actions) in owned.iter_mut().zip(&program.threads) {
                        own.unbounded_sender =
                            actions.iter().any(|action| action.sends()).then(|| send.clone());
                    }
                }
                Family::Channel(capacity) => {
                    let (put, take) = channel(capacity);
                    for (own, actions) in owned.iter_mut().zip(&program.threads) {
                        own.put = actions.iter().any(|action| action.puts()).then(|| put.clone());
                        own.take = actions.iter().any(|action| action.takes()).then(|| take.clone());
                    }
                }
                _ => {}
            }
            (world, owned)
        }

        /// All that a thread does. What it has goes in a fixed order in the end.
        pub async fn body(world: &World, mut own: Own, actions: Vec<Action>) {
            for action in actions {
                step().await;
                let seen = act(world, &mut own, action).await;
                log(own.thread, seen);
            }
            let is_sender = own.send_one.is_some() || own.sender.is_some() || own.unbounded_sender.is_some();
            if is_sender || own.put.is_some() {
                step().await;
                own.send_one = None;
                own.sender = None;
                own.unbounded_sender = None;
                own.put = None;
            }
            let is_receiver =
                own.receive_one.is_some() || own.receiver.is_some() || own.unbounded_receiver.is_some();
            if is_receiver || own.take.is_some() {
                step().await;
            }
        }

        async fn act(world: &World, own: &mut Own, action: Action) -> usize {
            match action {
                Action::Load => world.x.load(SeqCst),
                Action::Add => world.x.fetch_add(1, SeqCst),
                Action::Acquire(permits) => match world.semaphore.acquire_many(permits).await {
                    Ok(_permit) => {
                        step().await;
                        1
                    }
                    Err(_) => 0,
                },
                Action::Forget(permits) => match world.semaphore.acquire_many(permits).await {
                    Ok(permit) => {
                        permit.forget();
                        1
                    }
                    Err(_) => 0,
                },
                Action::GiveUp(permits) => give_up(world.semaphore.acquire_many(permits)).await,
                Action::TryAcquire => match world.semaphore.try_acquire() {
                    Ok(_permit) => {
                        step().await;
                        1
                    }
                    Err(TryAcquireError::NoPermits) => 0,
                    Err(TryAcquireError::Closed) => 2,
                },
                Action::AddPermit => {
                    world.semaphore.add_permits(1);
                    0
                }
                Action::CloseSemaphore => {
                    world.semaphore.close();
                    0
                }
                Action::Available => world.semaphore.available_permits(),
                Action::Lock | Action::LockAcross | Action::GiveUpLock | Action::TryLock => {
                    act_on_mutex(world, action).await
                }
                Action::Notified
                | Action::NotifiedLater
                | Action::GiveUpNotified
                | Action::NotifyOne
                | Action::NotifyWaiters => act_on_notify(world, action).await,
                _ if action.of_lock() => act_on_lock(world, action).await,
                _ if action.of_oneshot() => act_on_oneshot(own, action).await,
                _ if action.of_arc() => act_on_arc(world, own, action).await,
                _ if action.puts() || action.takes() => act_on_channel(own, action).await,
                _ if own.unbounded_sender.is_some() || own.unbounded_receiver.is_some() => {
                    act_on_unbounded(own, action).await
                }
                _ if action.of_tokio_channel() => act_on_mpsc(own, action).await,
                other => extra(world, other),
            }
        }

        /// Polls a future once, lets others go on, and drops it. Returns whether it was ready.
        async fn give_up<F: Future>(future: F) -> usize {
            let mut future = Box::pin(future);
            let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            let is_ready = usize::from(polled.is_ready());
            step().await;
            // A guard that came of it goes first.
            drop(polled);
            drop(future);
            is_ready
        }

        async fn act_on_mutex(world: &World, action: Action) -> usize {
            let mut guard = match action {
                Action::GiveUpLock => return give_up(world.mutex.lock()).await,
                Action::TryLock => match world.mutex.try_lock() {
                    Ok(guard) => guard,
                    Err(_) => return 99,
                },
                _ => world.mutex.lock().await,
            };
            *guard += 1;
            let mut seen = *guard;
            step().await;
            if action == Action::LockAcross {
                seen += 10 * world.x.fetch_add(1, SeqCst);
                step().await;
            }
            seen
        }

        async fn act_on_lock(world: &World, action: Action) -> usize {
            match action {
                Action::Read | Action::ReadAcross => {
                    let guard = world.lock.read().await;
                    let mut seen = *guard;
                    step().await;
                    if action == Action::ReadAcross {
                        seen += 10 * world.x.fetch_add(1, SeqCst);
                        step().await;
                    }
                    seen
                }
                Action::TryRead => match world.lock.try_read() {
                    Ok(guard) => {
                        let seen = *guard;
                        step().await;
                        seen
                    }
                    Err(_) => 99,
                },
                Action::GiveUpWrite => give_up(world.lock.write()).await,
                _ => {
                    let mut guard = match action {
                        Action::Write => world.lock.write().await,
                        _ => match world.lock.try_write() {
                            Ok(guard) => guard,
                            Err(_) => return 99,
                        },
                    };
                    *guard += 1;
                    let seen = *guard;
                    step().await;
                    seen
                }
            }
        }

        async fn act_on_notify(world: &World, action: Action) -> usize {
            match action {
                Action::NotifyOne => world.notify.notify_one(),
                Action::NotifyWaiters => world.notify.notify_waiters(),
                _ => {
                    let notified = world.notify.notified();
                    step().await;
                    if action == Action::GiveUpNotified {
                        return give_up(notified).await;
                    }
                    let mut seen = 0;
                    if action == Action::NotifiedLater {
                        seen = world.x.fetch_add(1, SeqCst);
                        step().await;
                    }
                    notified.await;
                    return seen;
                }
            }
            0
        }

        async fn act_on_oneshot(own: &mut Own, action: Action) -> usize {
            let thread = own.thread;
            match action {
                Action::SendOne => {
                    own.send_one.take().map_or(7, |send| usize::from(send.send(thread).is_ok()))
                }
                Action::DropSendOne => usize::from(own.send_one.take().is_some()),
                Action::IsOneClosed => own.send_one.as_ref().map_or(7, |send| usize::from(send.is_closed())),
                Action::CloseOne => own.receive_one.as_mut().map_or(7, |receive| {
                    receive.close();
                    0
                }),
                Action::TryReceiveOne => {
                    let Some(receive) = own.receive_one.as_mut() else { return 7 };
                    let seen = match receive.try_recv() {
                        Ok(message) => message,
                        Err(oneshot::error::TryRecvError::Empty) => return 90,
                        Err(oneshot::error::TryRecvError::Closed) => 91,
                    };
                    // tokio panics when it is asked again.
                    step().await;
                    own.receive_one = None;
                    seen
                }
                _ => match own.receive_one.take() {
                    None => 7,
                    Some(receive) => receive.await.unwrap_or(92),
                },
            }
        }

        async fn act_on_mpsc(own: &mut Own, action: Action) -> usize {
            let message = own.fresh();
            match action {
                Action::Send => match &own.sender {
                    Some(sender) => usize::from(sender.send(message).await.is_ok()),
                    None => 7,
                },
                Action::TrySend => own.sender.as_ref().map_or(7, |sender| match sender.try_send(message) {
                    Ok(()) => 1,
                    Err(mpsc::error::TrySendError::Full(_)) => 90,
                    Err(mpsc::error::TrySendError::Closed(_)) => 91,
                }),
                Action::IsClosed => own.sender.as_ref().map_or(7, |sender| usize::from(sender.is_closed())),
                Action::DropSender => usize::from(own.sender.take().is_some()),
                Action::DropReceiver => usize::from(own.receiver.take().is_some()),
                _ => match &mut own.receiver {
                    None => 7,
                    Some(receiver) => receive!(receiver, action),
                },
            }
        }

        async fn act_on_unbounded(own: &mut Own, action: Action) -> usize {
            let message = own.fresh();
            match action {
                Action::Send | Action::TrySend => own
                    .unbounded_sender
                    .as_ref()
                    .map_or(7, |sender| usize::from(sender.send(message).is_ok())),
                Action::IsClosed => {
                    own.unbounded_sender.as_ref().map_or(7, |sender| usize::from(sender.is_closed()))
                }
                Action::DropSender => usize::from(own.unbounded_sender.take().is_some()),
                Action::DropReceiver => usize::from(own.unbounded_receiver.take().is_some()),
                _ => match &mut own.unbounded_receiver {
                    None => 7,
                    Some(receiver) => receive!(receiver, action),
                },
            }
        }

        async fn act_on_channel(own: &mut Own, action: Action) -> usize {
            let message = own.fresh();
            match action {
                Action::Put => match &own.put {
                    Some(sender) => usize::from(put(sender, message).await),
                    None => 7,
                },
                Action::TryPut => own.put.as_ref().map_or(7, |put| try_put(put, message)),
                Action::DropPut => usize::from(own.put.take().is_some()),
                Action::DropTake => usize::from(own.take.take().is_some()),
                _ => match &own.take {
                    None => 7,
                    Some(receiver) => match action {
                        Action::Take => take(receiver).await.unwrap_or(92),
                        Action::TakeTimeout => take_timeout(receiver).await,
                        Action::Len => receiver.len(),
                        _ => try_take(receiver),
                    },
                },
            }
        }

        async fn act_on_arc(world: &World, own: &mut Own, action: Action) -> usize {
            let new = Arc::new(own.fresh());
            match action {
                Action::LoadArc => {
                    let seen = world.swap.load_full();
                    let value = *seen;
                    own.seen = Some(seen);
                    value
                }
                Action::StoreArc => {
                    world.swap.store(new);
                    0
                }
                Action::SwapArc => *world.swap.swap(new),
                Action::CompareAndSwap => {
                    let expected = own.seen.clone().unwrap_or_else(|| Arc::new(0));
                    **world.swap.compare_and_swap(&expected, new)
                }
                _ => *world.swap.rcu(|before| **before + 1),
            }
        }
    };
}

/// Receives from a channel of tokio.
macro_rules! receive {
    ($receiver:ident, $action:ident) => {
        match $action {
            Action::Receive => $receiver.recv().await.unwrap_or(92),
            Action::CloseReceiver => {
                $receiver.close();
                0
            }
            _ => match $receiver.try_recv() {
                Ok(message) => message,
                Err(mpsc::error::TryRecvError::Empty) => 90,
                Err(mpsc::error::TryRecvError::Disconnected) => 91,
            },
        }
    };
}
