//! The claims that were looked at in this session, to go back to and forward again.
//!
//! Must not know what a claim is: keys in, keys out.

use crate::domain::ids::ClaimKey;

/// The claims that were looked at, each once, where it was looked at last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trail {
    visited: Vec<ClaimKey>,
    /// Where among them the person is who went back.
    at: Option<usize>,
    /// The open claim from which the person went back, and where work goes on.
    from: Option<ClaimKey>,
}

impl Trail {
    /// So many claims are remembered.
    pub const MOST: usize = 500;

    /// The claim was looked at and is left for one that is not in the history.
    pub fn left(&mut self, claim: ClaimKey) {
        self.at = None;
        self.from = None;
        self.add(claim);
    }

    /// The claim was only passed: whoever went back is not in the history any more all the same.
    pub fn passed(&mut self) {
        self.at = None;
        self.from = None;
    }

    fn add(&mut self, claim: ClaimKey) {
        self.visited.retain(|known| *known != claim);
        self.visited.push(claim);
        let over = self.visited.len().saturating_sub(Self::MOST);
        self.visited.drain(..over);
    }

    /// The claim before `here`, the one under the cursor, which waits for a decision or not.
    pub fn back(&mut self, here: Option<(ClaimKey, bool)>) -> Option<ClaimKey> {
        let at = match (self.at, here) {
            (Some(at), _) => at,
            (None, Some((claim, _))) if self.visited.iter().all(|known| *known == claim) => return None,
            (None, Some((claim, is_open))) => {
                self.add(claim);
                self.from = is_open.then_some(claim);
                self.visited.len() - 1
            }
            (None, None) => self.visited.len(),
        };
        let before = at.checked_sub(1)?;
        self.at = Some(before);
        self.visited.get(before).copied()
    }

    /// The claim that was looked at after the present one of the history.
    pub fn forward(&mut self) -> Option<ClaimKey> {
        let after = self.at? + 1;
        let claim = self.visited.get(after).copied()?;
        self.at = Some(after);
        Some(claim)
    }

    /// Which of how many claims of the history is shown, counted from 1; `None` when the person did not go back.
    pub fn position(&self) -> Option<(usize, usize)> {
        self.at.map(|at| (at + 1, self.visited.len()))
    }

    /// Where work goes on after a decision on the claim that was gone back to.
    pub fn goes_on_at(&self) -> Option<ClaimKey> {
        self.from.filter(|_| self.at.is_some())
    }

    /// Which of `claims` was looked at last.
    pub fn last_of(&self, claims: &[ClaimKey]) -> Option<ClaimKey> {
        self.visited.iter().rev().find(|known| claims.contains(known)).copied()
    }

    /// Whether there is a claim to go back to from `here`.
    pub fn has_before(&self, here: Option<ClaimKey>) -> bool {
        match self.at {
            Some(at) => at > 0,
            None => self.visited.iter().any(|known| Some(*known) != here),
        }
    }

    /// Whether there is a claim to go forward to.
    pub fn has_after(&self) -> bool {
        self.at.is_some_and(|at| at + 1 < self.visited.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(keys: &[i64]) -> Trail {
        let mut trail = Trail::default();
        for key in keys {
            trail.left(ClaimKey(*key));
        }
        trail
    }

    #[test]
    fn back_and_forward_walk_over_what_was_looked_at() {
        let mut trail = trail(&[1, 2, 3]);
        let here = Some((ClaimKey(4), true));
        assert_eq!(trail.position(), None);
        let back: Vec<_> = std::iter::from_fn(|| trail.back(here)).map(|key| key.0).collect();
        assert_eq!((back, trail.position()), (vec![3, 2, 1], Some((1, 4))));
        assert!(!trail.has_before(None) && trail.has_after());
        let forward: Vec<_> = std::iter::from_fn(|| trail.forward()).map(|key| key.0).collect();
        assert_eq!((forward, trail.position()), (vec![2, 3, 4], Some((4, 4))));
        assert_eq!(trail.goes_on_at(), Some(ClaimKey(4)));
        assert!(!trail.has_after());
    }

    #[test]
    fn each_claim_is_in_it_once_where_it_was_looked_at_last() {
        let mut trail = trail(&[1, 2, 1, 3]);
        assert_eq!(trail.back(None), Some(ClaimKey(3)));
        assert_eq!(trail.back(None), Some(ClaimKey(1)));
        trail.left(ClaimKey(2));
        assert_eq!((trail.position(), trail.goes_on_at()), (None, None), "left for another claim");
        assert_eq!(trail.back(Some((ClaimKey(9), false))), Some(ClaimKey(2)));
        assert_eq!((trail.position(), trail.goes_on_at()), (Some((3, 4)), None), "9 was decided");
    }

    #[test]
    fn there_is_nothing_before_the_first_claim_and_the_oldest_are_forgotten() {
        assert_eq!(Trail::default().back(None), None);
        assert_eq!(Trail::default().back(Some((ClaimKey(1), true))), None);
        let mut only = trail(&[1]);
        assert!(!only.has_before(Some(ClaimKey(1))));
        assert_eq!(only.back(Some((ClaimKey(1), true))), None);
        let keys: Vec<i64> = (0..2000).collect();
        assert_eq!(trail(&keys).visited.len(), Trail::MOST);
    }
}
