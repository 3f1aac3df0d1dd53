//! How much memory this process may use: what the machine has, less what a container or the shell
//! forbids.

use std::fs;

/// Most of the memory this process may use.
pub fn memory_bytes() -> usize {
    most_of_the_least(&|path| fs::read_to_string(path).ok())
}

/// Four fifths of the smallest limit, where files read like this.
fn most_of_the_least(read: &dyn Fn(&str) -> Option<String>) -> usize {
    let limits = [physical(), cgroup(read), resource(libc::RLIMIT_AS), resource(libc::RLIMIT_DATA)];
    limits.into_iter().flatten().min().map_or(usize::MAX, |total| total / 10 * 8)
}

fn physical() -> Option<usize> {
    // SAFETY: sysconf only reads a number.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGE_SIZE)) };
    let total = usize::try_from(pages).ok()?.checked_mul(usize::try_from(size).ok()?)?;
    (total > 0).then_some(total)
}

#[cfg(target_os = "linux")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_os = "linux"))]
type Resource = libc::c_int;

/// A limit of the shell, as `ulimit` sets it.
fn resource(resource: Resource) -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit writes into the struct it is given.
    let status = unsafe { libc::getrlimit(resource, &mut limit) };
    let finite = status == 0 && limit.rlim_cur != libc::RLIM_INFINITY;
    finite.then(|| usize::try_from(limit.rlim_cur).ok()).flatten()
}

/// The smallest limit of the control groups around this process, of either version.
fn cgroup(read: &dyn Fn(&str) -> Option<String>) -> Option<usize> {
    let groups = read("/proc/self/cgroup")?;
    let limits = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (root, file) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            list if list.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        smallest(read, root, path, file)
    });
    limits.min()
}

/// The smallest limit on the way from a group up to the root.
fn smallest(
    read: &dyn Fn(&str) -> Option<String>,
    root: &str,
    path: &str,
    file: &str,
) -> Option<usize> {
    let mut path = path.trim_end_matches('/');
    let mut least = None;
    loop {
        let limit = read(&format!("{root}{path}/{file}")).and_then(|text| text.trim().parse().ok());
        least = [least, limit].into_iter().flatten().min();
        match path.rsplit_once('/') {
            Some((above, _)) => path = above,
            None => return least,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_group_counts() {
        let files = |path: &str| {
            let text = match path {
                "/proc/self/cgroup" => "1:memory:/old\n2:cpu:/\n0::/a/b\n",
                "/sys/fs/cgroup/a/b/memory.max" => "max\n",
                "/sys/fs/cgroup/a/memory.max" => "4096\n",
                "/sys/fs/cgroup/memory/old/memory.limit_in_bytes" => "8192\n",
                "/sys/fs/cgroup/memory/memory.limit_in_bytes" => "9223372036854771712\n",
                _ => return None,
            };
            Some(text.to_string())
        };
        assert_eq!(cgroup(&files), Some(4096));
        assert_eq!(cgroup(&|_| None), None);
        assert_eq!(most_of_the_least(&files), 4096 / 10 * 8);
    }

    #[test]
    fn there_is_some_memory() {
        assert!(memory_bytes() > 1 << 20);
    }
}
