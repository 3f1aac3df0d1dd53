//! Rows of text under headings, each column as wide as it needs to be.

/// A table whose columns are aligned; numbers stand to the right.
pub fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    let mut widths = headings.map(|heading| heading.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let numeric: [bool; N] = std::array::from_fn(|column| {
        let is_number = |row: &[String; N]| row[column].starts_with(|c: char| c.is_ascii_digit());
        !rows.is_empty() && rows.iter().all(is_number)
    });
    let line = |cells: [&str; N]| {
        let padded = cells.iter().zip(widths).zip(numeric).map(|((cell, width), numeric)| {
            if numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let padded: Vec<String> = padded.collect();
        padded.join("  ").trim_end().to_string()
    };
    let rows = rows.iter().map(|row| line(row.each_ref().map(String::as_str)));
    let lines: Vec<String> = std::iter::once(line(headings)).chain(rows).collect();
    lines.join("\n")
}

/// A number of bytes for people: `512 B`, `1.5 GiB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let (mut value, mut unit) = (bytes as f64 / 1024.0, 0);
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// A time for people: `42 s`, `3 min 20 s`, `5 h 1 min`, `2 d 3 h`.
pub fn duration(ns: u64) -> String {
    let seconds = ns / 1_000_000_000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match () {
        () if days > 0 => format!("{days} d {} h", hours % 24),
        () if hours > 0 => format!("{hours} h {} min", minutes % 60),
        () if minutes > 0 => format!("{minutes} min {} s", seconds % 60),
        () => format!("{seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_numbers_stand_to_the_right() {
        let rows = [["w0", "9"], ["w10", "1200"]].map(|row| row.map(str::to_string));
        assert_eq!(table(["id", "queued"], &rows), "id   queued\nw0        9\nw10    1200");
        assert_eq!(table(["id", "queued"], &[]), "id  queued");
    }

    #[test]
    fn sizes_and_times_are_for_people() {
        let sizes = [0, 1023, 1024, 1_048_575, 3 << 30, 9 << 50].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.0 KiB", "1.0 MiB", "3.0 GiB", "9216.0 TiB"]);
        let times = [0, 59, 200, 18_060, 183_600].map(|seconds| duration(seconds * 1_000_000_000));
        assert_eq!(times, ["0 s", "59 s", "3 min 20 s", "5 h 1 min", "2 d 3 h"]);
    }
}
