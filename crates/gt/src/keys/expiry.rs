//! When a key expires: a moment, written as a date and time in UTC.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

const DAY: u64 = 24 * 3600;

/// A moment, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Expiry(pub u64);

impl Expiry {
    /// This moment.
    pub fn now() -> Expiry {
        Expiry(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()))
    }

    /// The moment that a person means: after a time such as `90m`, `12h` or `30d`, or at a date.
    pub fn asked(text: &str, now: Expiry) -> Result<Expiry, String> {
        let span = [("s", 1), ("m", 60), ("h", 3600), ("d", DAY)].into_iter().find_map(
            |(unit, seconds): (_, u64)| {
                let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
                now.0.checked_add(count.checked_mul(seconds)?)
            },
        );
        match span.map_or_else(|| text.parse(), |at| Ok(Expiry(at)))? {
            at if at > now => Ok(at),
            at => Err(format!("{at} is not in the future")),
        }
    }
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date(self.0 / DAY);
        let (hour, minute, second) = (self.0 % DAY / 3600, self.0 % 3600 / 60, self.0 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }
}

impl FromStr for Expiry {
    type Err = String;

    /// `2027-01-31T12:00:00Z`, or a date alone, which is the beginning of that day in UTC.
    fn from_str(text: &str) -> Result<Expiry, String> {
        let wrong = || {
            format!("'{text}' is no time; write 90m, 12h, 30d, 2027-01-31 or 2027-01-31T12:00:00Z")
        };
        let (day, time) = match text.split_once('T') {
            Some((day, time)) => (day, time.strip_suffix('Z').ok_or_else(wrong)?),
            None => (text, "00:00:00"),
        };
        let [year, month, day] = numbers(day, '-').ok_or_else(wrong)?;
        let [hour, minute, second] = numbers(time, ':').ok_or_else(wrong)?;
        if !(1970..=9999).contains(&year) || hour > 23 || minute > 59 || second > 59 {
            return Err(wrong());
        }
        let days = days(year, month, day);
        // A day that a month does not have would be another day when it is written.
        if date(days) != (year, month, day) {
            return Err(wrong());
        }
        Ok(Expiry(days * DAY + hour * 3600 + minute * 60 + second))
    }
}

fn numbers(text: &str, between: char) -> Option<[u64; 3]> {
    let parts: Option<Vec<u64>> = text
        .split(between)
        .map(|part| part.bytes().all(|c| c.is_ascii_digit()).then(|| part.parse().ok())?)
        .collect();
    parts?.try_into().ok()
}

fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of_month(year: u64, month: u64) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_of_year(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

/// How many days after the first of 1970 a date is.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let years: u64 = (1970..year).map(days_of_year).sum();
    let months: u64 = (1..month.min(13)).map(|month| days_of_month(year, month)).sum();
    years + months + day.saturating_sub(1)
}

/// Year, month and day so many days after the first of 1970.
fn date(mut days: u64) -> (u64, u64, u64) {
    let (mut year, mut month) = (1970, 1);
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    while days >= days_of_month(year, month) {
        days -= days_of_month(year, month);
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_they_are_written() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:34:56Z", 951_827_696),
            ("2027-12-31T23:59:59Z", 1_830_297_599),
        ] {
            assert_eq!(text.parse(), Ok(Expiry(seconds)), "{text}");
            assert_eq!(Expiry(seconds).to_string(), text);
        }
        assert_eq!("2000-03-01".parse(), Ok(Expiry(951_868_800)));
        for wrong in
            ["", "soon", "2027-02-29", "2027-13-01", "2027-00-01", "2027-01-00", "1969-1-1"]
        {
            assert!(wrong.parse::<Expiry>().is_err(), "{wrong:?}");
        }
        for wrong in ["2027-01-01T24:00:00Z", "2027-01-01T00:00:00", "2027-01-+1", "10000-01-01"] {
            assert!(wrong.parse::<Expiry>().is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_time_to_come_is_a_span_or_a_date() {
        let now = Expiry(951_827_696);
        assert_eq!(Expiry::asked("90m", now), Ok(Expiry(now.0 + 5400)));
        assert_eq!(Expiry::asked("30d", now), Ok(Expiry(now.0 + 30 * DAY)));
        assert_eq!(Expiry::asked("2000-03-01", now), Ok(Expiry(951_868_800)));
        for wrong in ["0s", "1999-12-31", "99999999999999999999d", "-1d", "d", "1w"] {
            assert!(Expiry::asked(wrong, now).is_err(), "{wrong:?}");
        }
    }
}
