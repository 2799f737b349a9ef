//! What a reviewer does in a session, decision by decision: the same for the same seed.

/// One decision of a reviewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Agrees with the judge.
    Confirm,
    /// Gives another verdict, and the reason of this letter.
    Override(char),
    /// Writes a note and agrees.
    Note,
    /// Agrees, sees that this was wrong, takes it back and gives another verdict.
    Undo,
}

/// The letters of the reasons.
const REASONS: &[char] = &['n', 'd', 'w', 'g', 'o', 'v', 'p', 'e', 'm', 's', 'a', 'x'];

/// Of `many` decisions 70 % confirm, 20 % override with a reason, 5 % have a note and 5 % are taken back.
pub(crate) fn steps(seed: u64, many: usize) -> Vec<Step> {
    let mut numbers = Numbers(seed);
    let mut steps: Vec<Step> = (0..many)
        .map(|n| match n * 100 / many {
            0..70 => Step::Confirm,
            70..90 => Step::Override(REASONS[numbers.below(REASONS.len())]),
            90..95 => Step::Note,
            _ => Step::Undo,
        })
        .collect();
    for last in (1..many).rev() {
        steps.swap(last, numbers.below(last + 1));
    }
    steps
}

/// The key of a verdict that is not the one that `title` tells of the judge.
pub(crate) fn other_verdict(title: &str) -> &'static str {
    if title.contains("UNSUPPORTED") { "2" } else { "3" }
}

/// The claim that a screen shows: the id in the title of its pane, and the whole title.
pub(crate) fn claim_on(screen: &str) -> Option<(String, String)> {
    let title = screen.lines().filter(|line| line.contains('┌')).find_map(|line| {
        line.split('┌').map(str::trim_start).find(|part| part.contains('#') && part.contains(" · "))
    })?;
    let id = title.trim_start_matches(['─', ' ']).split(' ').next()?;
    id.contains('#').then(|| (id.to_owned(), title.to_owned()))
}

/// How many of how many claims are decided, as the last line of a screen tells.
pub(crate) fn progress_on(screen: &str) -> Option<(usize, usize)> {
    screen.lines().last()?.split_whitespace().rev().find_map(|word| {
        let (done, of) = word.split_once('/')?;
        Some((done.parse().ok()?, of.parse().ok()?))
    })
}

/// The same numbers for the same seed.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}
