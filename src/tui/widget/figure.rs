//! Times, counts and costs as people read them.

use std::time::Duration;

/// `840 ms`, `12.3 s`, `2 min 05 s`.
pub fn took(time: Duration) -> String {
    match time.as_millis() {
        millis @ 0..1_000 => format!("{millis} ms"),
        millis @ 1_000..60_000 => format!("{}.{} s", millis / 1_000, millis % 1_000 / 100),
        millis => format!("{} min {:02} s", millis / 60_000, millis / 1_000 % 60),
    }
}

/// `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Millionths of a US dollar: `$0.0123`, `$12.34`; small ones to the last digit. No known cost is shown as none.
pub fn cost(micros: u64) -> String {
    let (whole, rest) = (micros / 1_000_000, micros % 1_000_000);
    match micros {
        0 => "$0".to_owned(),
        1..1_000 => format!("$0.{rest:06}"),
        1_000..1_000_000 => format!("$0.{:04}", rest / 100),
        _ => format!("${}.{:02}", count(whole), rest / 10_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_said_as_people_read_them() {
        for (millis, said) in
            [(0, "0 ms"), (999, "999 ms"), (1_000, "1.0 s"), (12_340, "12.3 s"), (125_000, "2 min 05 s")]
        {
            assert_eq!(took(Duration::from_millis(millis)), said);
        }
        for (number, said) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), said);
        }
        for (micros, said) in [
            (0, "$0"),
            (12, "$0.000012"),
            (12_345, "$0.0123"),
            (999_999, "$0.9999"),
            (1_234_567_890, "$1,234.56"),
        ] {
            assert_eq!(cost(micros), said);
        }
    }
}
