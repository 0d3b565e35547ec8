//! The time as entries and certificates write it: to the second, and an error where a clock shows
//! what cannot be written.

use declare::Problem;
use jiff::Timestamp;
use std::time::{SystemTime, UNIX_EPOCH};

/// The time, to the second: no entry or certificate says how long a draw took more precisely.
///
/// # Errors
/// A clock before 1970 or beyond the last time that can be written, at the end of the year 9999.
pub fn now() -> Result<String, Problem> {
    written(SystemTime::now())
}

fn written(time: SystemTime) -> Result<String, Problem> {
    let wrong = |shown: String| {
        Problem::system(format!("the clock of this machine shows a time {shown}"))
            .hint("set the clock; nothing was written")
    };
    let since = time.duration_since(UNIX_EPOCH).map_err(|_| wrong("before 1970".to_string()))?;
    let written = i64::try_from(since.as_secs()).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    let last = || Timestamp::from_second(Timestamp::MAX.as_second()).unwrap_or(Timestamp::MAX);
    written.map(|time| time.to_string()).ok_or_else(|| wrong(format!("after {}, the last that can be written", last())))
}

#[cfg(test)]
mod tests {
    use super::written;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_time_that_cannot_be_written_is_an_error() {
        assert_eq!(written(UNIX_EPOCH).expect("a time"), "1970-01-01T00:00:00Z");
        let last = UNIX_EPOCH + Duration::from_millis(253_402_207_200_500);
        assert_eq!(written(last).expect("the last time"), "9999-12-30T22:00:00Z");
        for wrong in [last + Duration::from_secs(1), last + Duration::from_secs(1 << 60)] {
            let message = written(wrong).expect_err("beyond the year 9999").message;
            assert!(
                message.ends_with("shows a time after 9999-12-30T22:00:00Z, the last that can be written"),
                "{message}"
            );
        }
        let before = written(UNIX_EPOCH - Duration::from_secs(1)).expect_err("before 1970").message;
        assert_eq!(before, "the clock of this machine shows a time before 1970");
    }
}
