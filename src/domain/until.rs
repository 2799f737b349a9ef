//! A time that is still to come, as people type it: `30m`, `2h`, `tomorrow 9:00`, `mon`, `2026-12-01 14:30`.
//!
//! Times of the day are those of the zone that is handed in. Must not know what is to happen then.

use std::time::Duration;

use jiff::civil::{Date, Time, Weekday};
use jiff::tz::TimeZone;

use super::time::Timestamp;

/// The time of the day that is meant where only a day is named.
const MORNING: Time = Time::constant(9, 0, 0, 0);

/// What `tonight` means.
const EVENING: Time = Time::constant(18, 0, 0, 0);

/// What was typed is no time to come.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UntilError {
    #[error(
        "`{0}` is no time: use 30m, 2h, 3d, 9:00, morning, tonight, tomorrow 9:00, mon, or 2026-12-01 14:30"
    )]
    NoTime(String),
    #[error("{0} is over: name a time that is still to come")]
    Over(String),
}

/// Reads `text` as a time after `now`.
pub fn read(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Timestamp, UntilError> {
    let typed = text.trim();
    let folded = typed.to_lowercase();
    let no_time = || UntilError::NoTime(super::verdict::quoted(typed));
    let until = match span(&folded) {
        Some(span) => now.plus(span),
        None => instant(typed, &folded, now, zone).ok_or_else(no_time)?,
    };
    if until <= now {
        return Err(UntilError::Over(shown(until, zone)));
    }
    Ok(until)
}

/// `2h`, `1h 30m`, `3d`: numbers, each with its unit, in small letters.
pub fn span(text: &str) -> Option<Duration> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let mut rest = compact.as_str();
    let mut seconds = 0_u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|end| *end > 0)?;
        let number: u64 = rest[..digits].parse().ok()?;
        let letters = rest[digits..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |at| digits + at);
        let unit = match &rest[digits..letters] {
            "m" | "min" | "mins" | "minute" | "minutes" => 60,
            "h" | "hour" | "hours" => 3600,
            "d" | "day" | "days" => 86_400,
            "w" | "week" | "weeks" => 604_800,
            _ => return None,
        };
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[letters..];
    }
    // A thousand years are enough, and fit in milliseconds.
    (!compact.is_empty() && seconds < 31_557_600_000).then(|| Duration::from_secs(seconds))
}

/// A day, a time of the day, or both.
fn instant(typed: &str, folded: &str, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(exact) = typed.parse::<Timestamp>() {
        return Some(exact);
    }
    let here = jiff::Timestamp::from_millisecond(now.millis()).ok()?.to_zoned_datetime(zone.clone()).date();
    let at = |date: Date, time: Time| {
        let zoned = date.to_datetime(time).to_zoned_datetime(zone.clone()).ok()?;
        Some(Timestamp::from_millis(zoned.timestamp().as_millisecond()))
    };
    let mut words = folded.split_whitespace();
    let (first, second) = (words.next()?, words.next());
    if words.next().is_some() {
        return None;
    }
    let named = match first {
        "morning" => Some(MORNING),
        "tonight" | "evening" => Some(EVENING),
        _ => time_of_day(first),
    };
    if let (Some(time), None) = (named, second) {
        return at(here, time).filter(|today| *today > now).or_else(|| at(here.tomorrow().ok()?, time));
    }
    let time = match second {
        None | Some("morning") => MORNING,
        Some("evening") => EVENING,
        Some(word) => time_of_day(word).or_else(|| hour(word))?,
    };
    let date = match first {
        "today" => here,
        "tomorrow" => here.tomorrow().ok()?,
        word => match weekday(word) {
            Some(day) => here.nth_weekday(1, day).ok()?,
            None => word.parse().ok()?,
        },
    };
    at(date, time)
}

/// `9:00`, `17:30`; an hour alone could be anything.
fn time_of_day(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let is_short =
        |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_short(hour) || !is_short(minute) {
        return None;
    }
    Time::new(hour.parse().ok()?, minute.parse().ok()?, 0, 0).ok()
}

/// `9` behind a day, where it can be nothing else.
fn hour(text: &str) -> Option<Time> {
    let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_short.then(|| Time::new(text.parse().ok()?, 0, 0, 0).ok())?
}

/// By its first three letters or more.
fn weekday(text: &str) -> Option<Weekday> {
    const DAYS: [(&str, Weekday); 7] = [
        ("monday", Weekday::Monday),
        ("tuesday", Weekday::Tuesday),
        ("wednesday", Weekday::Wednesday),
        ("thursday", Weekday::Thursday),
        ("friday", Weekday::Friday),
        ("saturday", Weekday::Saturday),
        ("sunday", Weekday::Sunday),
    ];
    let known = |(name, _): &&(&str, Weekday)| text.len() >= 3 && name.starts_with(text);
    DAYS.iter().find(known).map(|(_, day)| *day)
}

/// `2026-12-01 09:00 CET`.
pub fn shown(until: Timestamp, zone: &TimeZone) -> String {
    match jiff::Timestamp::from_millisecond(until.millis()) {
        Ok(instant) => instant.to_zoned_datetime(zone.clone()).strftime("%Y-%m-%d %H:%M %Z").to_string(),
        Err(_) => until.to_string(),
    }
}

/// How long it still is: `in 2 h`, in whole units, the largest that fits twice.
pub fn left(until: Timestamp, now: Timestamp) -> String {
    let minutes = (until.since(now).as_secs() + 30) / 60;
    match minutes {
        0..120 => format!("in {minutes} min"),
        120..2880 => format!("in {} h", (minutes + 30) / 60),
        _ => format!("in {} days", (minutes + 720) / 1440),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Monday, 30 November 2026, 14:05 UTC.
    fn now() -> Timestamp {
        "2026-11-30T14:05:00Z".parse().unwrap()
    }

    fn until(text: &str, zone: &TimeZone) -> String {
        read(text, now(), zone)
            .map_or_else(|error| error.to_string(), |until| until.to_string()[..16].to_owned())
    }

    #[test]
    fn parts_of_the_day_are_times_too() {
        for (typed, meant) in [
            ("morning", "2026-12-01T09:00"),
            ("tonight", "2026-11-30T18:00"),
            ("tomorrow morning", "2026-12-01T09:00"),
            ("fri evening", "2026-12-04T18:00"),
        ] {
            assert_eq!(until(typed, &TimeZone::UTC), meant, "{typed}");
        }
    }

    #[test]
    fn times_are_read_as_people_say_them() {
        for (typed, expected) in [
            ("30m", "2026-11-30T14:35"),
            (" 2H ", "2026-11-30T16:05"),
            ("1h30m", "2026-11-30T15:35"),
            ("1 h 30 min", "2026-11-30T15:35"),
            ("3d", "2026-12-03T14:05"),
            ("tomorrow 9:00", "2026-12-01T09:00"),
            ("Tomorrow", "2026-12-01T09:00"),
            ("today 17:30", "2026-11-30T17:30"),
            ("17:30", "2026-11-30T17:30"),
            ("9:00", "2026-12-01T09:00"),
            ("mon", "2026-12-07T09:00"),
            ("Thursday 8:15", "2026-12-03T08:15"),
            ("tue", "2026-12-01T09:00"),
            ("2026-12-24 10:00", "2026-12-24T10:00"),
            ("2026-12-24", "2026-12-24T09:00"),
            ("2026-12-24T10:00:00Z", "2026-12-24T10:00"),
        ] {
            assert_eq!(until(typed, &TimeZone::UTC), expected, "{typed}");
        }
    }

    #[test]
    fn a_time_of_the_day_is_one_of_the_zone() {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        assert_eq!(until("tomorrow 9:00", &zone), "2026-12-01T07:00");
        assert_eq!(until("16:00", &zone), "2026-12-01T14:00", "16:05 there already");
        assert_eq!(until("2h", &zone), "2026-11-30T16:05");
    }

    #[test]
    fn what_is_no_time_to_come_says_what_is() {
        for typed in [
            "",
            "soon",
            "2",
            "h",
            "2x",
            "9",
            "25:00",
            "9:75",
            "mo",
            "2026-13-01",
            "9:00 9:00",
            "1 2 3",
            "99999999999999999999h",
        ] {
            let error = until(typed, &TimeZone::UTC);
            assert!(error.contains("tomorrow 9:00"), "{typed}: {error}");
        }
        for typed in ["0m", "today 9:00", "2026-11-30 14:05", "2001-01-01"] {
            let error = until(typed, &TimeZone::UTC);
            assert!(error.contains("still to come"), "{typed}: {error}");
        }
    }
}
