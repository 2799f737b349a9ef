//! How long a server asks to wait, in every form in which servers say it.

use std::time::Duration;

use jiff::fmt::strtime;
use serde_json::Value;

use super::body::header;
use crate::domain::time::Timestamp;

/// Longer than any server means; what is longer is this long.
const LONGEST: Duration = Duration::from_hours(24 * 31);

/// The wait that a reply asks for; `None` where it names none. `fault` is the error in the body, `message` its
/// words. What limits are left, and until when, counts only where the server says that a limit was hit.
pub(super) fn asked(
    headers: &[(String, String)],
    fault: &Value,
    message: &str,
    limited: bool,
    now: Timestamp,
) -> Option<Duration> {
    let in_millis = || header(headers, "retry-after-ms").and_then(|value| seconds(value, 1e-3));
    let in_header = || header(headers, "retry-after").and_then(|value| moment_or_duration(value, now));
    let in_details = || retry_info(fault);
    let in_words = || hint(message);
    let in_limits = || if limited { reset(headers, fault, now) } else { None };
    in_millis().or_else(in_header).or_else(in_details).or_else(in_words).or_else(in_limits)
}

/// A number times `unit` seconds.
fn seconds(text: &str, unit: f64) -> Option<Duration> {
    let number: f64 = text.trim().parse().ok()?;
    let seconds = number * unit;
    if seconds.is_nan() {
        return None;
    }
    // What lies in the past is no wait.
    Some(Duration::try_from_secs_f64(seconds.clamp(0.0, LONGEST.as_secs_f64())).unwrap_or(LONGEST))
}

/// Seconds, a duration with units, or a moment.
fn moment_or_duration(text: &str, now: Timestamp) -> Option<Duration> {
    if let Ok(number) = text.parse::<f64>() {
        // Numbers of these sizes are seconds and milliseconds since 1970.
        return match number {
            number if number > 1e11 => Some(until(Timestamp::from_millis(number as i64), now)),
            number if number > 1e9 => Some(until(Timestamp::from_millis((number * 1e3) as i64), now)),
            _ => seconds(text, 1.0),
        };
    }
    duration(text).or_else(|| moment(text).map(|moment| until(moment, now)))
}

fn until(moment: Timestamp, now: Timestamp) -> Duration {
    moment.since(now).min(LONGEST)
}

/// A moment as HTTP writes it, in its present form and its two older ones, or as RFC 3339 does.
fn moment(text: &str) -> Option<Timestamp> {
    if let Ok(moment) = text.parse() {
        return Some(moment);
    }
    // The day of the week says nothing that the date does not, and may be wrong.
    let date = text.split_once(", ").map_or(text, |(_, date)| date);
    let date = date.strip_suffix(" GMT").or_else(|| date.strip_suffix(" UTC")).unwrap_or(date);
    let read = |format: &str, text: &str| strtime::parse(format, text).ok()?.to_datetime().ok();
    let civil = read("%d %b %Y %H:%M:%S", date)
        .or_else(|| read("%d-%b-%y %H:%M:%S", date))
        .or_else(|| read("%b %e %H:%M:%S %Y", date.split_once(' ')?.1.trim_start()))?;
    let instant = jiff::tz::TimeZone::UTC.to_timestamp(civil).ok()?;
    Some(Timestamp::from_millis(instant.as_millisecond()))
}

/// A duration with units, all of it: `2m52.8s`, `547ms`, `1h0m0s`, `57.238747106s`.
fn duration(text: &str) -> Option<Duration> {
    let (duration, rest) = leading_duration(text)?;
    rest.is_empty().then_some(duration)
}

/// The duration that `text` begins with, and what follows it.
fn leading_duration(text: &str) -> Option<(Duration, &str)> {
    // Longest first: `ms` is not minutes.
    const UNITS: &[(&str, f64)] = &[
        ("milliseconds", 1e-3),
        ("millisecond", 1e-3),
        ("seconds", 1.0),
        ("second", 1.0),
        ("minutes", 60.0),
        ("minute", 60.0),
        ("hours", 3600.0),
        ("hour", 3600.0),
        ("days", 86400.0),
        ("day", 86400.0),
        ("secs", 1.0),
        ("sec", 1.0),
        ("mins", 60.0),
        ("min", 60.0),
        ("ms", 1e-3),
        ("µs", 1e-6),
        ("us", 1e-6),
        ("ns", 1e-9),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86400.0),
    ];
    let mut rest = text;
    let mut sum = 0.0;
    let mut found = false;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { break };
        let after = rest[digits..].trim_start_matches(' ');
        let unit = UNITS.iter().find(|(name, _)| {
            after.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphabetic()))
        });
        let Some((name, worth)) = unit else { break };
        sum += number * worth;
        found = true;
        rest = &after[name.len()..];
    }
    if !found {
        return None;
    }
    let duration = Duration::try_from_secs_f64(sum.min(LONGEST.as_secs_f64())).unwrap_or(LONGEST);
    Some((duration, rest))
}

/// Google's `RetryInfo` among the details.
fn retry_info(fault: &Value) -> Option<Duration> {
    fault["details"].as_array()?.iter().find_map(|detail| duration(detail["retryDelay"].as_str()?))
}

/// A wait in the words of a message: "try again in 1.2s", "retry after 20 seconds".
fn hint(message: &str) -> Option<Duration> {
    let lower = message.to_ascii_lowercase();
    ["try again in ", "retry in ", "retry after ", "try again after ", "wait "].iter().find_map(|lead| {
        let (at, _) = lower.match_indices(lead).next()?;
        let rest = lower[at + lead.len()..].trim_start_matches("for ");
        leading_duration(rest).map(|(duration, _)| duration)
    })
}

/// Until when the limits are used up that the headers tell of. Where none of them is at its end, the next to be
/// renewed counts.
fn reset(headers: &[(String, String)], fault: &Value, now: Timestamp) -> Option<Duration> {
    let mut at_end = None;
    let mut next = None;
    // OpenRouter puts its headers in the body too.
    let in_body = fault["metadata"]["headers"].as_object().into_iter().flatten().map(|(name, value)| {
        (name.to_ascii_lowercase(), value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    });
    let all: Vec<(String, String)> = headers.iter().cloned().chain(in_body).collect();
    for (name, value) in &all {
        if !name.contains("ratelimit") || !name.contains("reset") {
            continue;
        }
        let Some(wait) = moment_or_duration(value.trim(), now) else { continue };
        let remaining = header(&all, &name.replace("reset", "remaining"));
        if remaining.and_then(|left| left.parse::<f64>().ok()).is_some_and(|left| left <= 0.0) {
            at_end = at_end.max(Some(wait));
        }
        next = Some(next.map_or(wait, |earlier: Duration| earlier.min(wait)));
    }
    at_end.or(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30T02:00:00Z
    const NOW: Timestamp = Timestamp::from_millis(1_796_004_000_000);

    fn by(headers: &[(&str, &str)]) -> Option<Duration> {
        let headers: Vec<(String, String)> =
            headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        asked(&headers, &Value::Null, "", true, NOW)
    }

    #[test]
    fn every_form_of_retry_after_is_read() {
        assert_eq!(NOW.to_string(), "2026-11-30T02:00:00.000Z");
        for (value, millis) in [
            ("2", 2_000),
            ("0.25", 250),
            ("0", 0),
            ("-3", 0),
            ("1e300", 2_678_400_000),
            ("30s", 30_000),
            ("Mon, 30 Nov 2026 02:00:07 GMT", 7_000),
            ("Tue, 30 Nov 2026 02:00:07 GMT", 7_000),
            ("Monday, 30-Nov-26 02:00:07 GMT", 7_000),
            ("Mon Nov 30 02:00:07 2026", 7_000),
            ("Wed Dec  2 02:00:00 2026", 172_800_000),
            ("2026-11-30T02:01:00Z", 60_000),
            ("Mon, 30 Nov 2026 01:00:00 GMT", 0),
            ("1796004005", 5_000),
        ] {
            assert_eq!(by(&[("retry-after", value)]), Some(Duration::from_millis(millis)), "{value}");
        }
        for none in ["", "soon", "NaN", "Mon, 99 Nov 2026 02:00:07 GMT", "5 parsecs"] {
            assert_eq!(by(&[("retry-after", none)]), None, "{none}");
        }
        let both = by(&[("retry-after", "9"), ("retry-after-ms", "1500")]);
        assert_eq!(both, Some(Duration::from_millis(1500)), "the finer one wins");
    }

    #[test]
    fn resets_are_go_durations_and_moments_and_only_what_is_used_up_counts() {
        let openai = by(&[
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "2m52.8s"),
            ("x-ratelimit-remaining-tokens", "149984"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        assert_eq!(openai, Some(Duration::from_millis(172_800)));
        assert_eq!(by(&[("x-ratelimit-reset-tokens", "547ms")]), Some(Duration::from_millis(547)));
        let anthropic = by(&[
            ("anthropic-ratelimit-requests-remaining", "49"),
            ("anthropic-ratelimit-requests-reset", "2026-11-30T02:00:01Z"),
            ("anthropic-ratelimit-input-tokens-remaining", "0"),
            ("anthropic-ratelimit-input-tokens-reset", "2026-11-30T02:00:40Z"),
        ]);
        assert_eq!(anthropic, Some(Duration::from_secs(40)));
        assert_eq!(by(&[("x-ratelimit-reset", "1796004012000")]), Some(Duration::from_secs(12)));
    }

    #[test]
    fn j60_a_wait_in_the_body_is_found() {
        let google = serde_json::json!({"details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure"},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "57.238747106s"},
        ]});
        assert_eq!(asked(&[], &google, "", true, NOW), Some(Duration::from_nanos(57_238_747_106)));
        for (message, millis) in [
            ("Rate limit reached. Please try again in 1.2s. Visit …", 1_200),
            ("Please try again in 7m12.35s.", 432_350),
            ("Please try again in 20ms.", 20),
            ("Please retry after 20 seconds.", 20_000),
            ("No deployments available. Try again in 34 seconds. Passed model=x", 34_000),
            ("Please wait 2 minutes", 120_000),
        ] {
            let read = asked(&[], &Value::Null, message, true, NOW);
            assert_eq!(read, Some(Duration::from_millis(millis)), "{message}");
        }
        for none in ["try again in a while", "wait 4 it", "in 1.2s", "try again in 1.2"] {
            assert_eq!(asked(&[], &Value::Null, none, true, NOW), None, "{none}");
        }
        let openrouter = serde_json::json!({"metadata": {"headers": {
            "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1796004012000",
        }}});
        assert_eq!(asked(&[], &openrouter, "", true, NOW), Some(Duration::from_secs(12)));
    }
}
