//! Makes a system that is a bare kernel with one process into one that servers and clients run on.

use std::{fs, io};

use rustix::{
    io::Errno,
    mount::{MountFlags, mount},
    rand::{GetRandomFlags, getrandom},
};

/// The device nodes and the views into the kernel.
pub(super) fn devices() -> io::Result<()> {
    for (kind, at) in [
        ("proc", "/proc"),
        ("sysfs", "/sys"),
        ("devtmpfs", "/dev"),
        ("debugfs", "/sys/kernel/debug"),
        ("tracefs", "/sys/kernel/tracing"),
        ("tmpfs", "/tmp"),
    ] {
        fs::create_dir_all(at)?;
        match mount(kind, at, kind, MountFlags::empty(), None) {
            // The kernel mounts its devices itself where it is built to.
            Ok(()) | Err(Errno::BUSY) => {}
            Err(error) => return Err(io::Error::other(format!("cannot mount {kind} on {at}: {error}"))),
        }
    }
    Ok(())
}

/// The loopback network, the random pool, and `SCHED_FIFO` without a limit.
pub(super) fn system() -> io::Result<()> {
    // IFF_UP (netdevice(7)); the kernel then gives the interface its address by itself.
    write("/sys/class/net/lo/flags", "0x1")?;
    // By default the kernel stops real-time threads for 5 % of each second, the client among them.
    write("/proc/sys/kernel/sched_rt_runtime_us", "-1")?;
    // The first read waits until the pool is ready: here, and not in the middle of the measured part.
    getrandom(&mut [0_u8; 16][..], GetRandomFlags::empty())?;
    Ok(())
}

fn write(file: &str, value: &str) -> io::Result<()> {
    fs::write(file, value)
        .map_err(|error| io::Error::other(format!("cannot write {value} to {file}: {error}")))
}
