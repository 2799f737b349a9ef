//! Taking back and doing again, line by line. What did not happen before the person's eyes is told first, and the
//! same line again does it; what is done is what was told, and nothing that came in between.

use super::{Desk, saved, told};

/// What stands told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    Undo(i64),
    Redo(i64),
}

impl Desk<'_> {
    pub(super) fn undo(&mut self) -> anyhow::Result<()> {
        let actor = self.context.actor();
        let offered = self.offered.take();
        let Some(event) = self.store.to_undo(&actor.annotator)? else {
            return Ok(self.refuse("nothing to undo: no act of yours stands")?);
        };
        let offer = Offer::Undo(event.seq);
        if !self.known.contains(&event.seq) && offered != Some(offer) {
            self.offered = Some(offer);
            let more = match self.store.taken_back_with(&event)? {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            return Ok(self.say(&format!(
                "u again takes back what you did, not in this session: {}{more}",
                told::act(&event)
            ))?);
        }
        let undone = self.store.undo_of(event.seq, &actor, self.now())?;
        self.known.insert(undone.event.seq);
        self.last = None;
        self.say(&format!("undone: {}", told::act(&undone.event)))?;
        undone.claim.map_or(Ok(()), |key| self.show(key))
    }

    pub(super) fn redo(&mut self) -> anyhow::Result<()> {
        let actor = self.context.actor();
        let offered = self.offered.take();
        let Some(event) = self.store.to_redo(&actor.annotator)? else {
            return Ok(self.refuse("nothing to redo: no undo of yours came last")?);
        };
        let offer = Offer::Redo(event.seq);
        if !self.known.contains(&event.seq) && offered != Some(offer) {
            self.offered = Some(offer);
            return Ok(self.say(&format!(
                "U again does once more what you took back, not in this session: {}",
                told::act(&event)
            ))?);
        }
        let redone = self.store.redo_of(event.seq, &actor, self.now())?;
        self.known.insert(redone.event.seq);
        self.say(&saved(&redone.event))?;
        redone.claim.map_or(Ok(()), |key| self.read_again(key))
    }
}
