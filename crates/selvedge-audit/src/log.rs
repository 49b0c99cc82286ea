//! Logs: what the threads of a run did, and what they had seen of each other.
//!
//! A head of 72 bytes (magic, version, number of threads, fingerprint of the program, hash of the schedule, size), for each thread the positions at which its
//! records begin and end, and the records: words of 64 bits, with a kind in the highest 8, then 24 bits and 32 bits. A record of 0 ends a thread's records.

/// The log of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The fingerprint of the program, in hexadecimal digits.
    pub program: String,
    /// The first bytes of the hash of the schedule, in hexadecimal digits.
    pub schedule: String,
    /// The records of each thread, in its order.
    pub threads: Vec<Vec<Record>>,
}

/// Something that a thread noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// It performs an event next.
    Event {
        /// The instruction, by its place in the schedule.
        instruction: u32,
        /// Which part of it.
        part: u32,
        /// The how-manieth execution.
        time: u32,
    },
    /// It has seen that another thread has finished so many events.
    Saw {
        /// The other thread.
        thread: u32,
        /// How many.
        events: u32,
    },
    /// It is free from here on.
    Free,
    /// It has left the schedule.
    Left,
    /// It goes on to its end because it is joined by an event.
    Released,
    /// It ends.
    End,
}

/// A text that is no log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no log of a run, or one of another version")]
pub struct FormatError;

const MAGIC: &[u8] = b"selvlog1";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 72;

impl Log {
    /// Reads the bytes of a log.
    ///
    /// # Errors
    /// When they are none.
    pub fn read(bytes: &[u8]) -> Result<Log, FormatError> {
        let word = |at: usize| {
            let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or(FormatError)
        };
        if !bytes.starts_with(MAGIC) || word(8)? != VERSION {
            return Err(FormatError);
        }
        let digits = |from: usize, words: usize| -> Result<String, FormatError> {
            (0..words).map(|i| Ok(format!("{:08x}", word(from + 4 * i)?))).collect()
        };
        let threads = word(12)? as usize;
        let threads = (0..threads).map(|thread| {
            let at = HEAD_BYTES + 16 * thread;
            records(bytes, long(bytes, at)? as usize, long(bytes, at + 8)? as usize)
        });
        Ok(Log {
            program: digits(16, 8)?,
            schedule: digits(48, 2)?,
            threads: threads.collect::<Result<_, _>>()?,
        })
    }
}

fn long(bytes: &[u8], at: usize) -> Result<u64, FormatError> {
    let bytes = at.checked_add(8).and_then(|end| bytes.get(at..end)).and_then(|bytes| bytes.try_into().ok());
    bytes.map(u64::from_le_bytes).ok_or(FormatError)
}

fn records(bytes: &[u8], from: usize, to: usize) -> Result<Vec<Record>, FormatError> {
    let mut records = Vec::new();
    let mut at = from;
    while at < to {
        match long(bytes, at)? {
            0 => break,
            word => records.push(Record::of(word)?),
        }
        at += 8;
    }
    Ok(records)
}

impl Record {
    fn of(word: u64) -> Result<Record, FormatError> {
        let (kind, first, second) = (word >> 56, (word >> 32) as u32 & 0xff_ffff, word as u32);
        Ok(match kind {
            1 => Record::Event { instruction: first & 0xf_ffff, part: first >> 20, time: second },
            2 => Record::Saw { thread: first, events: second },
            3 => Record::Free,
            4 => Record::Left,
            5 => Record::Released,
            6 => Record::End,
            _ => return Err(FormatError),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a log with one thread.
    fn bytes(records: &[u64]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([VERSION, 1].iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend((0..10u32).flat_map(|word| word.to_le_bytes()));
        bytes.extend([0u8; 16]);
        let from = bytes.len() as u64 + 16;
        bytes.extend([from, from + 8 * records.len() as u64].iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(records.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    #[test]
    fn records_are_read_up_to_the_first_empty_one() {
        let log = Log::read(&bytes(&[2 << 56 | 3 << 32 | 9, 1 << 56 | 0x10_0005 << 32 | 7, 0, 1]))
            .expect("it is one");
        let event = Record::Event { instruction: 5, part: 1, time: 7 };
        assert_eq!(log.threads, [[Record::Saw { thread: 3, events: 9 }, event]]);
        assert!(log.program.starts_with("0000000000000001") && log.schedule == "0000000800000009");
    }

    #[test]
    fn other_bytes_are_refused() {
        let good = bytes(&[6 << 56]);
        assert!(Log::read(&good).is_ok());
        for length in [0, 8, 40, 80, good.len() - 1] {
            assert_eq!(Log::read(&good[..length]), Err(FormatError), "{length}");
        }
        assert_eq!(Log::read(&bytes(&[77 << 56])), Err(FormatError));
    }
}
