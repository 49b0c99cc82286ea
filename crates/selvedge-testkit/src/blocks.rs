//! Random programs that allocate, resize and free blocks and compare their addresses, with an oracle that knows nothing of the machine.
//!
//! Addresses of blocks and functions, and handles of threads, are compared, published, taken, and turned into numbers and back; a block is accessed and freed by the thread that made
//! it, so programs do nothing undefined but look at addresses of freed blocks. They are written as LLVM IR, which needs no
//! compiler. The [oracle](outcomes) tries every interleaving, every address that an allocation may get, and every layout of memory.

mod layout;
mod oracle;
mod render;

use crate::random::Random;
pub use oracle::{Outcomes, outcomes};
pub use render::render;

/// Registers with addresses that each thread has.
pub const REGISTERS: usize = 3;

/// Variables with addresses that all threads share.
pub const SHARED: usize = 2;

/// An operation of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Allocates a block of so many bytes.
    Allocate(usize, u64),
    /// Frees the block of a register, which keeps the address.
    Free(usize),
    /// Resizes the block of a register; another register keeps the old address.
    Resize(usize, usize, u64),
    /// Writes to the block of a register.
    Write(usize, u64),
    /// Reads what it has written there.
    Read(usize),
    /// Stores an address in a shared variable.
    Publish(usize, usize),
    /// Loads an address from a shared variable into a register.
    Take(usize, usize),
    /// Compares two addresses.
    Compare(usize, usize),
    /// Replaces an address in a shared variable, if it is the one of a register, by that of another one.
    Exchange(usize, usize, usize),
    /// Looks which of two addresses is less.
    Order(usize, usize, Look),
    /// Turns an address into a number, with the help of another register, and back.
    Encode(usize, usize, Encoding),
    /// Goes on by the number of an address.
    Number(usize, usize, Question),
    /// Puts the address of a function, or the handle of the thread, into a register.
    Name(usize, Landmark),
}

/// What has an address and no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Landmark {
    /// One of two functions.
    Function(usize),
    /// The thread.
    Thread,
}

/// How the outcome of a comparison is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// As a number.
    Value,
    /// To go on by it.
    Branch,
}

/// A way to turn an address into a number that leads back to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// With a tag in the lowest bits.
    LowTag,
    /// With a tag in the uppermost bits.
    HighTag,
    /// Shifted, with a tag below.
    Shifted,
    /// Two halves, put together again.
    Halves,
    /// Its exclusive or with another address.
    Xor,
    /// Its distance from another address.
    Distance,
    /// Exchanged with another address byte by byte, and back as a whole.
    Bytes,
}

/// What is asked about the number of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Whether it is a multiple of 8, which every block is.
    Aligned,
    /// Whether two bits of it are 01.
    Bits,
    /// Whether it is large.
    Large,
    /// Whether it is less than another one, by the sign of the difference.
    Less,
}

/// The operations of each thread.
#[derive(Clone, Debug)]
pub struct Program {
    /// By thread.
    pub threads: Vec<Vec<Operation>>,
}

/// What a register holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// A block of its own, and whether it was written.
    Own { written: bool },
    /// An address of which nothing is known.
    Address,
}

/// A program of one to three threads that frees, allocates again and compares.
pub fn program(random: &mut Random) -> Program {
    loop {
        let mut program = any_program(random);
        if random.below(3) == 0 {
            add_landmarks(random, &mut program);
        }
        let count =
            |is_it: fn(&Operation) -> bool| program.threads.iter().flatten().filter(|o| is_it(o)).count();
        let ended = count(|o| matches!(o, Operation::Free(_) | Operation::Resize(..)));
        let made = count(|o| matches!(o, Operation::Allocate(..) | Operation::Resize(..)));
        let compared =
            count(|o| matches!(o, Operation::Compare(..) | Operation::Exchange(..) | Operation::Order(..)));
        if ended >= 1 && made >= 2 && compared >= 1 {
            return program;
        }
    }
}

fn any_program(random: &mut Random) -> Program {
    let threads = 1 + random.below(3);
    let most = [8, 6, 4][threads - 1];
    let thread = |_| {
        let mut registers = [Holds::Own { written: false }, Holds::Address, Holds::Address];
        let length = most - random.below(2);
        let first = Operation::Allocate(0, 8);
        let others = (1..length).map(|_| operation(random, &mut registers));
        std::iter::once(first).chain(others).collect()
    };
    Program { threads: (0..threads).map(thread).collect() }
}

/// Lets threads name functions and themselves, in registers that never have a block of their own. Such addresses have no room for tags.
fn add_landmarks(random: &mut Random, program: &mut Program) {
    for operations in &mut program.threads {
        let has_block = |register: usize| {
            operations.iter().any(|operation| match *operation {
                Operation::Allocate(to, _) => to == register,
                Operation::Resize(of, old, _) => of == register || old == register,
                _ => false,
            })
        };
        let free: Vec<usize> = (0..REGISTERS).filter(|&register| !has_block(register)).collect();
        for operation in operations.iter_mut() {
            if let Operation::Encode(_, _, encoding @ Encoding::LowTag) = operation {
                *encoding = Encoding::Shifted;
            }
        }
        for _ in 0..1 + random.below(2) {
            let Some(&register) = free.get(random.below(REGISTERS)) else { continue };
            let landmark = match random.below(3) {
                2 => Landmark::Thread,
                function => Landmark::Function(function),
            };
            operations.insert(random.below(operations.len()), Operation::Name(register, landmark));
        }
    }
}

fn operation(random: &mut Random, registers: &mut [Holds; REGISTERS]) -> Operation {
    loop {
        let (a, b, shared) = (random.below(REGISTERS), random.below(REGISTERS), random.below(SHARED));
        let size = *random.pick(&[8, 8, 8, 16, 24]);
        let own = registers[a];
        match random.below(22) {
            17 | 18 if a != b => {
                return Operation::Order(a, b, *random.pick(&[Look::Value, Look::Branch]));
            }
            19 | 20 => {
                use Encoding::{Bytes, Distance, Halves, HighTag, LowTag, Shifted, Xor};
                let encoding = *random.pick(&[LowTag, HighTag, Shifted, Halves, Xor, Distance, Bytes]);
                return Operation::Encode(a, b, encoding);
            }
            21 if random.below(3) == 0 => {
                use Question::{Aligned, Bits, Large, Less};
                return Operation::Number(a, b, *random.pick(&[Aligned, Aligned, Bits, Large, Less]));
            }
            0 | 1 => {
                registers[a] = Holds::Own { written: false };
                return Operation::Allocate(a, size);
            }
            2..=4 if own != Holds::Address => {
                registers[a] = Holds::Address;
                return Operation::Free(a);
            }
            5 if own != Holds::Address && a != b => {
                registers[b] = Holds::Address;
                return Operation::Resize(a, b, size);
            }
            6 if own == (Holds::Own { written: true }) => return Operation::Read(a),
            6 if own != Holds::Address => {
                registers[a] = Holds::Own { written: true };
                return Operation::Write(a, 1 + random.below(3) as u64);
            }
            7 => return Operation::Publish(a, shared),
            8 => {
                registers[a] = Holds::Address;
                return Operation::Take(a, shared);
            }
            9 | 12..=14 if a != b => return Operation::Compare(a, b),
            10 | 15 | 16 if a != b => return Operation::Exchange(shared, a, b),
            _ => {}
        }
    }
}
