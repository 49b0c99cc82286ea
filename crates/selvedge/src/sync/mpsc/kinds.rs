//! The operations on a channel.

use crate::runtime::{Kind, Operation, Outcome, View};
use selvedge_trace::{AccessKind, LocationId};

pub static SEND: Kind = Kind::plain("send", send);
pub static SEND_BOUNDED: Kind = Kind::waiting("send", send_bounded);
pub static TRY_SEND: Kind = Kind::plain("try_send", try_send);
pub static TRY_HAND_OVER: Kind = Kind::plain("try_send", try_hand_over);
pub static AWAIT: Kind = Kind::plain("recv", await_sender);
pub static HAND_OVER: Kind = Kind::waiting("send", hand_over);
pub static RECV: Kind = Kind::waiting("recv", recv);
pub static TRY_RECV: Kind = Kind::plain("try_recv", try_recv);
pub static RECV_TIMEOUT: Kind = Kind::plain("recv_timeout", try_recv);
pub static CLONE_SENDER: Kind = Kind::plain("Sender::clone", clone_sender);
pub static DROP_SENDER: Kind = Kind::plain("drop Sender", drop_sender);
pub static DROP_RECEIVER: Kind = Kind::plain("drop Receiver", drop_receiver);

/// The result of an operation whose other end is gone.
pub const CLOSED: u64 = 0;
/// The result of an operation that moved a message.
pub const MOVED: u64 = 1;
/// The result of an attempt that found nothing, or no room.
pub const LATER: u64 = 2;

/// The locations of a channel.
struct Parts {
    /// How many messages were sent.
    sent: LocationId,
    /// How many messages were received.
    received: LocationId,
    /// How many senders there are.
    senders: LocationId,
    /// Whether there is a receiver.
    receiver: LocationId,
    /// Whether all senders are gone: what can be seen of their number.
    closed: LocationId,
    /// Whether a receiver waits for somebody who tries to hand a message over.
    awaits: LocationId,
}

fn parts(at: LocationId) -> Parts {
    let part = |number| LocationId(at.0 + number);
    Parts {
        sent: part(0),
        received: part(1),
        senders: part(2),
        receiver: part(3),
        closed: part(4),
        awaits: part(5),
    }
}

/// The location that orders the receipt of a message after its send.
fn message(view: &mut View, at: LocationId, number: u64) -> LocationId {
    let location = view.names.element(at, number * 2);
    view.memory.ensure(location);
    location
}

/// The location that orders what follows the receipt of a message after it.
fn receipt(view: &mut View, at: LocationId, number: u64) -> LocationId {
    let location = view.names.element(at, number * 2 + 1);
    view.memory.ensure(location);
    location
}

fn is_closed(view: &mut View, at: LocationId) -> bool {
    view.read(parts(at).receiver) == 0
}

fn put(view: &mut View, at: LocationId) {
    let sent = parts(at).sent;
    let number = view.memory.get(sent);
    view.touch(sent, AccessKind::Write);
    view.memory.set(sent, number + 1);
    let message = message(view, at, number);
    view.touch(message, AccessKind::Post);
    view.release_clock(message);
}

fn send(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if is_closed(view, operation.at) {
        return Outcome::Done(CLOSED);
    }
    put(view, operation.at);
    Outcome::Done(MOVED)
}

/// Whether a bounded channel, with room for `a` messages, has some; reads what decides it.
fn has_room(view: &mut View, operation: &Operation) -> bool {
    let Parts { sent, received, .. } = parts(operation.at);
    let (sent, received) = (view.memory.get(sent), view.memory.get(received));
    if sent < operation.a {
        return true;
    }
    let location = receipt(view, operation.at, sent - operation.a);
    view.touch(location, AccessKind::Read);
    view.acquire_clock(location);
    sent - received < operation.a
}

fn send_bounded(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    view.guarded();
    if is_closed(view, operation.at) {
        return Outcome::Done(CLOSED);
    }
    if !has_room(view, operation) {
        view.touch(parts(operation.at).sent, AccessKind::Read);
        return Outcome::Wait;
    }
    let number = view.memory.get(parts(operation.at).sent);
    put(view, operation.at);
    Outcome::Done(MOVED | number << 2)
}

fn try_send(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if is_closed(view, operation.at) {
        return Outcome::Done(CLOSED);
    }
    if !has_room(view, operation) {
        view.touch(parts(operation.at).sent, AccessKind::Read);
        return Outcome::Done(LATER);
    }
    put(view, operation.at);
    Outcome::Done(MOVED)
}

/// Hands a message over if a receiver waits for one and nobody else has sent it.
fn try_hand_over(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if is_closed(view, operation.at) {
        return Outcome::Done(CLOSED);
    }
    let Parts { awaits, .. } = parts(operation.at);
    if view.read(awaits) == 0 || !has_room(view, operation) {
        view.touch(parts(operation.at).sent, AccessKind::Read);
        return Outcome::Done(LATER);
    }
    put(view, operation.at);
    Outcome::Done(MOVED)
}

/// A receiver begins to wait: whoever tries to send can hand a message over.
fn await_sender(view: &mut View, operation: &Operation) -> Outcome {
    view.write(parts(operation.at).awaits, 1);
    Outcome::Done(0)
}

/// A receiver that has waited does not any more.
fn stop_waiting(view: &mut View, at: LocationId) {
    let Parts { awaits, .. } = parts(at);
    if view.assumptions.receivers_are_awaited && view.memory.get(awaits) != 0 {
        view.write(awaits, 0);
    }
}

/// Waits until message number `a` is received, or the receiver is gone.
fn hand_over(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    view.guarded();
    let Parts { received, .. } = parts(operation.at);
    let location = receipt(view, operation.at, operation.a);
    view.touch(location, AccessKind::Read);
    if view.memory.get(received) > operation.a {
        return Outcome::Done(MOVED);
    }
    match is_closed(view, operation.at) {
        true => Outcome::Done(CLOSED),
        false => Outcome::Wait,
    }
}

/// Takes the next message, for which the caller has looked.
fn take(view: &mut View, at: LocationId) {
    let Parts { received, .. } = parts(at);
    let number = view.memory.get(received);
    let message = message(view, at, number);
    view.acquire_clock(message);
    let receipt = receipt(view, at, number);
    // Whoever has received something and spins looks for more: this has changed already.
    view.note_read(receipt, received);
    view.memory.set(received, number + 1);
    view.touch(receipt, AccessKind::Post);
    view.release_clock(receipt);
}

fn recv(view: &mut View, operation: &Operation) -> Outcome {
    let Parts { sent, received, senders, .. } = parts(operation.at);
    let number = view.memory.get(received);
    if number < view.memory.get(sent) {
        stop_waiting(view, operation.at);
        let message = message(view, operation.at, number);
        view.touch(message, AccessKind::Observe);
        take(view, operation.at);
        return Outcome::Done(MOVED);
    }
    if view.memory.get(senders) == 0 {
        stop_waiting(view, operation.at);
        view.touch(senders, AccessKind::Observe);
        view.acquire_clock(senders);
        return Outcome::Done(CLOSED);
    }
    Outcome::Wait
}

fn try_recv(view: &mut View, operation: &Operation) -> Outcome {
    let Parts { sent, received, senders, closed, .. } = parts(operation.at);
    view.varies();
    stop_waiting(view, operation.at);
    let number = view.memory.get(received);
    let message = message(view, operation.at, number);
    view.touch(message, AccessKind::Read);
    if number < view.memory.get(sent) {
        take(view, operation.at);
        return Outcome::Done(MOVED);
    }
    view.note_read(message, sent);
    view.touch(senders, AccessKind::Read);
    view.note_read(senders, closed);
    if view.memory.get(closed) != 0 {
        view.acquire_clock(senders);
        return Outcome::Done(CLOSED);
    }
    Outcome::Done(LATER)
}

/// Another sender exists: whoever cloned it is one, so that nobody can notice.
fn clone_sender(view: &mut View, operation: &Operation) -> Outcome {
    let Parts { senders, .. } = parts(operation.at);
    view.memory.set(senders, view.memory.get(senders) + 1);
    Outcome::Done(0)
}

fn drop_sender(view: &mut View, operation: &Operation) -> Outcome {
    let Parts { senders, closed, .. } = parts(operation.at);
    view.touch(senders, AccessKind::Post);
    let left = view.memory.get(senders).wrapping_sub(1);
    view.memory.set(senders, left);
    if left == 0 {
        view.memory.set(closed, 1);
    }
    view.release_clock(senders);
    Outcome::Done(0)
}

fn drop_receiver(view: &mut View, operation: &Operation) -> Outcome {
    view.write(parts(operation.at).receiver, 0);
    Outcome::Done(0)
}
