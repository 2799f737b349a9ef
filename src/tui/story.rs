//! The story of one claim while it lies over the queue: what came in, its audits, what people did.
//!
//! Plain data, changed only by `update`; `read` is what a thread of the store's side does for it.

use std::sync::Arc;

use crate::domain::ids::{ClaimId, ClaimKey};
use crate::format::story;
use crate::store::{Store, StoreError};
use crate::text::sanitize::visible;

use super::exchanges::Reading;
use super::theme::Role;

/// The story while it is open.
#[derive(Debug, Clone)]
pub struct StoryPage {
    /// `None` where not even the claim's row is known.
    pub id: Option<ClaimId>,
    /// Number of the question that counts; other answers are stale.
    pub asked: u64,
    pub lines: Reading<Arc<[Line]>>,
    /// Where the page begins.
    pub top: Top,
}

/// A place in the story: a line, and the row of it at the present width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Top {
    pub line: usize,
    pub row: usize,
}

/// A line of the story, with nothing hidden in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Stands before each row of it: blanks, and the bar before a text of other people.
    pub lead: String,
    pub text: String,
    pub role: Role,
}

/// About how many bytes of a line are laid out together; a longer one goes on in the next.
const LONGEST: usize = 2000;

/// Reads the story. Off the screen's thread: the answer in it may be long.
pub(super) fn read(store: &Store, claim: ClaimKey) -> Result<Arc<[Line]>, StoreError> {
    let story = store.story_of_claim(claim)?;
    Ok(story::lines(&story).iter().flat_map(|line| laid_out(line)).collect())
}

/// A line of the story as one or more lines of the page.
pub fn laid_out(line: &str) -> Vec<Line> {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let is_quoted = line.get(blanks..).is_some_and(|text| text.starts_with("| "));
    let (lead, text) = line.split_at(if is_quoted { blanks + 2 } else { blanks });
    let role = match blanks {
        _ if is_quoted => Role::Text,
        0 => Role::Title,
        _ if text.starts_with("BROKEN") => Role::Error,
        _ => Role::Label,
    };
    let text = visible(text);
    let mut rest = &*text;
    let mut lines = Vec::new();
    loop {
        let (part, after) = rest.split_at(cut(rest));
        lines.push(Line { lead: lead.to_owned(), text: part.to_owned(), role });
        rest = after;
        if rest.is_empty() {
            return lines;
        }
    }
}

/// Where a long text is cut: behind a blank where there is one.
fn cut(text: &str) -> usize {
    if text.len() <= LONGEST {
        return text.len();
    }
    let end = text.floor_char_boundary(LONGEST);
    text[..end].rfind(' ').map_or(end, |blank| blank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_texts_of_others_and_broken_seals_look_different() {
        let line = |text: &str| laid_out(text).remove(0);
        assert_eq!(line("Audit 1").role, Role::Title);
        let quoted = line("    | Audit 2");
        assert_eq!(
            (quoted.lead.as_str(), quoted.text.as_str(), quoted.role),
            ("    | ", "Audit 2", Role::Text)
        );
        assert_eq!(line("  BROKEN: the answer").role, Role::Error);
        assert_eq!(line("  risk HIGH").role, Role::Label);
        assert_eq!(line(""), Line { lead: String::new(), text: String::new(), role: Role::Title });
    }

    #[test]
    fn nothing_hidden_gets_through_and_nothing_is_lost_of_a_long_line() {
        assert_eq!(laid_out("  | a\u{1b}[2Jb")[0].text, "a␛[2Jb");
        let long = format!("    | {}", "Wörter ".repeat(1000));
        let lines = laid_out(&long);
        assert!(
            lines.len() > 3 && lines.iter().all(|line| line.text.len() <= LONGEST && line.lead == "    | ")
        );
        let whole: String = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(format!("    | {whole}"), long);
        assert!(laid_out(&"字".repeat(3000)).len() > 3);
    }
}
