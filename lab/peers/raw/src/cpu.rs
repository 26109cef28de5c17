//! What the kernel says of a process: its CPU time and its peak of memory. It measures others as it measures itself.

use std::fs;

/// The CPU time so far, in seconds, of all threads that live, user and system.
///
/// `schedstat` counts nanoseconds; `stat` counts ticks of 10 ms, which is too coarse for a run of a second.
pub fn seconds(process: &str) -> f64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return 0.0 };
    let nanoseconds: u64 = threads
        .flatten()
        .filter_map(|thread| fs::read_to_string(thread.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<u64>().ok())
        .sum();
    nanoseconds as f64 / 1e9
}

/// The most memory that was resident, in MiB.
pub fn peak_mebibytes(process: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.unwrap_or(0.0) / 1024.0
}
