//! Moments in the notation of records and reports: milliseconds since 1970 as date and time in UTC.

/// Seconds of a day.
const DAY: i64 = 24 * 60 * 60;

/// A moment split into date and time, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// The hour, from 0.
    pub hour: i64,
    /// The minute, from 0.
    pub minute: i64,
    /// The second, from 0.
    pub second: i64,
}

impl Moment {
    /// Converts milliseconds since 1970. Computes the date as in Howard Hinnant's "chrono-Compatible Low-Level Date
    /// Algorithms" (2014), with years beginning in March.
    pub fn of_unix_ms(unix_ms: i64) -> Self {
        const DAYS_OF_400_YEARS: i64 = 146_097;
        let seconds = unix_ms.div_euclid(1000);
        // Days since 1 March of the year 0.
        let days = seconds.div_euclid(DAY) + 719_468;
        let (era, day) = (days.div_euclid(DAYS_OF_400_YEARS), days.rem_euclid(DAYS_OF_400_YEARS));
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month + 2) / 5 + 1;
        let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
        let second = seconds.rem_euclid(DAY);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        Self { year: 400 * era + year + carry, month, day, hour, minute, second }
    }

    /// PGN's `Date`: `2026.11.21`.
    pub fn date(&self) -> String {
        format!("{:04}.{:02}.{:02}", self.year, self.month, self.day)
    }

    /// The moment with its zone, as in fastchess's tags: `2026-11-21T13:35:20 +0000`.
    pub fn timestamp(&self) -> String {
        let Self { year, month, day, hour, minute, second } = self;
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02} +0000")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_the_calendar() {
        // By `date -u -d @SECONDS`.
        let cases = [
            (0, "1970-01-01T00:00:00 +0000"),
            (951_782_399_999, "2000-02-28T23:59:59 +0000"),
            (951_868_800_000, "2000-03-01T00:00:00 +0000"),
            (1_709_210_096_000, "2024-02-29T12:34:56 +0000"),
            (-1, "1969-12-31T23:59:59 +0000"),
        ];
        for (unix_ms, text) in cases {
            assert_eq!(Moment::of_unix_ms(unix_ms).timestamp(), text);
        }
        assert_eq!(Moment::of_unix_ms(1_795_305_600_000).date(), "2026.11.22");
    }
}
