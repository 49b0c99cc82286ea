//! How much memory this process has used.

/// The most memory that this process has had at any time, in bytes; nothing where the system does not tell.
pub fn peak() -> Option<u64> {
    peak_of(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_from_the_status_of_the_process() {
        assert_eq!(peak_of("Name:\tx\nVmHWM:\t    3504 kB\nVmRSS:\t 1 kB\n"), Some(3504 * 1024));
        assert_eq!(peak_of("Name:\tx\n"), None);
    }
}
