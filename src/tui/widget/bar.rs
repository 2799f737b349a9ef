//! Numbers as lengths and heights. They never stand alone: the numbers stand beside them.

use super::phrase::Phrase;
use crate::tui::theme::Role;

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A bar of at most `cells` cells for `part` of `most`; whatever is not nothing has at least half a cell. A line and no
/// block, so that bars below each other stay apart.
pub fn bar(part: u64, most: u64, cells: u16) -> String {
    if part == 0 || most == 0 {
        return String::new();
    }
    let halves = (u128::from(part.min(most)) * u128::from(cells) * 2 / u128::from(most)).max(1) as usize;
    format!("{}{}", "━".repeat(halves / 2), if halves % 2 == 1 { "╸" } else { "" })
}

/// One sign a number, as high as it is beside the greatest one; a dot for nothing.
pub fn spark(numbers: &[u64]) -> String {
    let most = numbers.iter().copied().max().unwrap_or(0).max(1);
    let height = |number: u64| match number {
        0 => '·',
        number => HEIGHTS[(u128::from(number) * 8 / u128::from(most)).clamp(1, 8) as usize - 1],
    };
    numbers.iter().map(|number| height(*number)).collect()
}

/// A bar of parts, as long as their sum is beside `most`, each in a sign of its own. A part that is not nothing has at
/// least one cell, so far as there are any.
pub fn stacked(parts: &[(u64, &str, Role)], most: u64, cells: u16) -> Phrase {
    let sum: u64 = parts.iter().map(|(part, ..)| part).sum();
    if sum == 0 || most == 0 {
        return Phrase::new();
    }
    let some = parts.iter().filter(|(part, ..)| *part > 0).count() as u64;
    let length = (u128::from(sum) * u128::from(cells) / u128::from(most.max(sum))) as u64;
    let length = length.max(some).min(u64::from(cells));
    let mut shares: Vec<u64> = parts.iter().map(|(part, ..)| part * length / sum).collect();
    for (share, (part, ..)) in shares.iter_mut().zip(parts) {
        *share = (*share).max(u64::from(*part > 0));
    }
    // What rounding took or gave is the longest part's.
    while let Some(longest) = (0..shares.len()).max_by_key(|at| shares[*at]) {
        let used: u64 = shares.iter().sum();
        match used.cmp(&length) {
            std::cmp::Ordering::Less => shares[longest] += length - used,
            std::cmp::Ordering::Greater if shares[longest] > 1 => shares[longest] -= 1,
            _ => break,
        }
    }
    parts
        .iter()
        .zip(shares)
        .fold(Phrase::new(), |words, ((_, sign, role), share)| words.say(*role, sign.repeat(share as usize)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_not_nothing_is_seen() {
        assert_eq!((bar(0, 10, 8).as_str(), bar(1, 1000, 8).as_str()), ("", "╸"));
        assert_eq!((bar(5, 10, 8), bar(10, 10, 8)), ("━━━━".to_owned(), "━━━━━━━━".to_owned()));
        assert_eq!(bar(u64::MAX, u64::MAX, 8).chars().count(), 8);
        assert_eq!(spark(&[0, 1, 50, 100]), "·▁▄█");
        assert_eq!(spark(&[0, 0]), "··");
    }

    proptest! {
        #[test]
        fn a_stacked_bar_shows_every_part_and_has_its_length(parts in prop::collection::vec(0_u64..5000, 5), more in 0_u64..5000) {
            let shown: Vec<(u64, &str, Role)> = parts.iter().map(|part| (*part, "x", Role::Text)).collect();
            let sum: u64 = parts.iter().sum();
            let width = u64::from(stacked(&shown, sum + more, 20).width());
            prop_assert!(width <= 20);
            let some = parts.iter().filter(|part| **part > 0).count() as u64;
            prop_assert!(width >= some);
            if more == 0 && sum > 0 {
                prop_assert_eq!(width, 20);
            }
        }
    }
}
