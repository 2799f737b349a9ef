//! The views of the queue as the screen knows them: which there are, and how many claims each has.
//!
//! Must not know how claims are counted, nor how tabs are drawn.

use crate::domain::filter::Filter;
use crate::domain::time::Timestamp;
use crate::domain::view::View;

use super::found::Found;

/// The views, and what is known about each.
#[derive(Debug, Clone, Default)]
pub struct Views {
    /// In the order of the tabs; none until the store has told.
    pub list: Vec<Tab>,
    /// Number of the counts that are under way.
    pub counting: Option<u64>,
    /// The state of the file for which was counted, or is being counted.
    pub version: Option<i64>,
    /// When that began.
    pub since: Option<Timestamp>,
    /// The file changed while it was counted, or too soon after: count again.
    pub stale: bool,
}

/// A view with its count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    pub view: View,
    /// How many claims it has, once that is counted. Stays until the next count is there.
    pub count: Option<u64>,
    /// The count under way has not come to this one yet.
    pub is_pending: bool,
}

/// What is to be done to a person's own views.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Save { name: String, filter: Filter },
    Remove { name: String },
}

impl Views {
    /// Takes the views that there are, and keeps the counts of those whose filter is the same.
    pub fn take(&mut self, views: Vec<View>) {
        let before = std::mem::take(&mut self.list);
        let tab = |view: View| {
            let count = before.iter().find(|tab| tab.view.filter == view.filter).and_then(|tab| tab.count);
            Tab { view, count, is_pending: false }
        };
        self.list = views.into_iter().map(tab).collect();
    }

    /// Which view is shown under the filter in force; `None` when it is no view's.
    pub fn current(&self, found: Option<&Found>) -> Option<usize> {
        let nothing = Filter::default();
        let filter = found.map_or(&nothing, |found| &found.filter);
        // An own view may ask the same as one of everybody: the person's name for it counts.
        self.list.iter().rposition(|tab| tab.view.filter == *filter)
    }
}
