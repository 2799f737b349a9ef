//! `juror review`, and plain `juror`: the queue on the screen.

use std::sync::Arc;

use super::audit::{auditor_settings, counted};
use super::judges::Terms;
use super::{Context, Exit, Failure, plain};
use crate::config::{Origin, Setting, hook_trouble};
use crate::domain::draft;
use crate::domain::ids::ClaimId;
use crate::domain::queue::{Answers, QueueCounts};
use crate::duty;
use crate::store::{Store, StoreError};
use crate::text::sanitize::visible;
use crate::tui::command::{Command, Place};
use crate::tui::keymap::Keymap;
use crate::tui::theme::Theme;
use crate::tui::{self, Ended, ReviewError, ReviewOptions};

/// Review the queue on the screen, while records are audited in the background (the default)
#[derive(clap::Args, Default)]
#[command(after_help = "\
Examples:
  juror
  juror review --id 'rx-1042#3'
  juror review --plain                    one command a line, ? lists them

With --plain a line that records something counts when it comes at least
review.min_visible_ms after the line before and after the claim was printed; a
program that types sets that to 0, or uses `juror queue` and `juror decide`. Its
exit code is 2 when a line could not be obeyed.")]
pub(super) struct Arguments {
    /// Begin with this claim
    #[arg(long, value_name = "CLAIM")]
    id: Option<ClaimId>,
    /// Line by line: for screen readers, pipes and dumb terminals. Nothing is audited meanwhile
    #[arg(long)]
    plain: bool,
    /// Hide the judge and other people until you have committed your own verdict (also review.blind)
    #[arg(long, conflicts_with = "open")]
    pub(super) blind: bool,
    #[arg(
        long,
        value_name = "WHEN",
        help = "Go on to the next open claim by itself: always, confirm (after an override only once it has its \
                reason), never"
    )]
    pub(super) auto_advance: Option<String>,
    /// Take the mouse: a click takes a row or a pane in hand, the wheel moves what is under it, words of
    /// the evidence that it is drawn over are taken for a span
    #[arg(long)]
    pub(super) mouse: bool,
    #[arg(
        long,
        value_name = "NAME",
        help = "Who decides (also JUROR_ANNOTATOR; default: the operating system's user)"
    )]
    pub(super) by: Option<String>,
}

pub(super) fn run(arguments: Arguments, context: &mut Context) -> anyhow::Result<Exit> {
    if arguments.plain {
        return plain::run(arguments.id.as_ref(), context);
    }
    let (before, began) = (counts(context), head(context));
    let exit = show(ReviewOptions { open: arguments.id, ..options(context)? })?;
    if exit == Exit::Fine
        && let Some(now) = counts(context)
    {
        let before = before.map_or(0, |before| before.decided_by_me);
        let keep = Keymap::with_own(&context.config.keys)?.label(Command::Keep, Place::Review);
        let told = parting(before, &now, answers(began, context), &drafts(context), &keep, context);
        context.out.note(&told);
        if let Some(left) = left_alone(context) {
            context.out.note(&left);
        }
    }
    Ok(exit)
}

/// What nobody does now that this screen is closed, where somebody would miss it.
fn left_alone(context: &Context) -> Option<String> {
    let store = Store::open_read_only(&context.config.db.value).ok()?;
    let others = duty::others(&store, None).ok()?;
    let missing = duty::alone(&others, context.config.hook().is_some(), store.waiting().ok()?)?;
    Some(format!("from now on {missing}; `juror audit --watch{}` does it", store_flag(context)))
}

/// What there is to do; `None` while there is no store that can be read.
fn counts(context: &Context) -> Option<QueueCounts> {
    let store = Store::open_read_only(&context.config.db.value).ok()?;
    let (who, now) = (&context.config.annotator.value, context.clock.now());
    if context.config.blind.value {
        store.blind_counts(who, context.config.overlap.value, now).ok()
    } else {
        store.queue_counts(who, now).ok()
    }
}

/// The last event; none while there is no store that can be read.
fn head(context: &Context) -> i64 {
    let store = Store::open_read_only(&context.config.db.value).ok();
    store.and_then(|store| store.head().ok()).map_or(0, |(seq, _)| seq)
}

/// The answers to which the person gave a disposition after the event `since`.
fn answers(since: i64, context: &Context) -> Answers {
    let (store, who) =
        (Store::open_read_only(&context.config.db.value).ok(), &context.config.annotator.value);
    store.and_then(|store| store.answers_disposed_since(who, since).ok()).unwrap_or_default()
}

/// What came of the session, and what is left to do; `keep` is the key that keeps a blind verdict.
pub(super) fn parting(
    decided_before: u64,
    now: &QueueCounts,
    answers: Answers,
    drafts: &[ClaimId],
    keep: &str,
    context: &Context,
) -> String {
    let (store, by) = (store_flag(context), by_flag(context));
    let review = if by.is_empty() { String::new() } else { format!(" review{by}") };
    let mut decisions = counted(now.decided_by_me.saturating_sub(decided_before), "decision");
    if let Some(answers) = answers.sentence() {
        decisions = format!("{decisions} and {answers}");
    }
    let QueueCounts { open, open_critical, .. } = now;
    let told = if context.config.blind.value {
        let unkept = not_kept(now.unkept, keep);
        let next = match open {
            0 => format!("`juror agreement --open{store}` tells how far people agree"),
            _ => format!("go on with `juror review --blind{by}{store}`"),
        };
        format!("{decisions} this session; {unkept}{open} open for you: {next}")
    } else {
        format!(
            "{decisions} this session; {open} open, {open_critical} of them CRITICAL: go on with `juror{review}{store}`"
        )
    };
    match drafts.first() {
        Some(first) => {
            let first = shell_word(&first.to_string());
            let drafts = draft::told(drafts);
            visible(&format!("{told}. {drafts}: `juror review --id {first}{by}{store}` opens one"))
                .into_owned()
        }
        None => told,
    }
}

/// Which store is meant, for a command line; empty where it goes without saying.
fn store_flag(context: &Context) -> String {
    match &context.config.db {
        Setting { value, origin: Origin::Flag(_) } => {
            format!(" --db {}", shell_word(&value.display().to_string()))
        }
        _ => String::new(),
    }
}

/// As whom, for a command line; empty where the settings or the login say so.
fn by_flag(context: &Context) -> String {
    match &context.config.annotator {
        Setting { value, origin: Origin::Flag(_) } => format!(" --by {}", shell_word(value.as_str())),
        _ => String::new(),
    }
}

/// As a shell takes it for one word.
fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "./_-+:,@".contains(c);
    if text.chars().all(is_plain) { text.to_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The claims on which the person began something; none while there is no store that can be read.
pub(super) fn drafts(context: &Context) -> Vec<ClaimId> {
    let store = Store::open_read_only(&context.config.db.value).ok();
    store.and_then(|store| store.drafts_of(&context.config.annotator.value).ok()).unwrap_or_default()
}

/// The error of a store that cannot be written, with what still works there.
pub(super) fn with_what_works(error: anyhow::Error, context: &Context) -> anyhow::Error {
    let store = match error.downcast_ref::<ReviewError>() {
        Some(ReviewError::Store(store)) => Some(store),
        _ => error.downcast_ref::<StoreError>(),
    };
    let cannot_write =
        matches!(store, Some(StoreError::ReadOnly(_) | StoreError::DiskFull(_) | StoreError::Io { .. }));
    if !cannot_write || counts(context).is_none() {
        return error;
    }
    let sentence = format!(
        "{error}. Until then nothing can be saved there; `juror queue`, `juror show ID` and `juror export` read it as \
         it is"
    );
    Failure { exit: Exit::RunFailed, sentence }.into()
}

/// Committed verdicts that were neither kept nor changed; empty where there are none.
fn not_kept(count: u32, keep: &str) -> String {
    match count {
        0 => String::new(),
        1 => format!("1 verdict is committed and not kept (it comes first, {keep} keeps it); "),
        some => format!("{some} verdicts are committed and not kept (they come first, {keep} keeps each); "),
    }
}

/// A review under these settings.
pub(super) fn options(context: &Context) -> anyhow::Result<ReviewOptions> {
    let config = &context.config;
    Ok(ReviewOptions {
        db: config.db.value.clone(),
        actor: context.actor(),
        by_login: config.annotator.origin == Origin::Default,
        theme: Theme::choose(config.theme.value)?,
        keymap: Keymap::with_own(&config.keys)?,
        min_visible: config.min_visible.value,
        advance: config.advance.value,
        blind: config.blind.value.then_some(config.overlap.value),
        bell: config.bell.value,
        notify: config.notify.value,
        mouse: config.mouse.value,
        hook: config.hook(),
        hook_trouble: hook_trouble(&config.hook.value)
            .inspect(|why| tracing::warn!("the hook cannot be run: {why}")),
        auditor: Some(auditor_settings(context, None, Terms::default())?.0),
        hold: hold(context),
        open: None,
        demo: false,
        clock: Arc::clone(&context.clock),
    })
}

/// Why nothing is to be audited until the person says so: a model judge has the records of this store, and now that
/// nobody names a judge the local one would take those that wait for it, unasked.
fn hold(context: &Context) -> Option<String> {
    let judge = &context.config.judge;
    if judge.origin != Origin::Default {
        return None;
    }
    let store = Store::open_read_only(&context.config.db.value).ok()?;
    let last = store.judge_in_use().ok().flatten().filter(|last| *last != judge.value)?;
    let name = visible(&last);
    Some(format!(
        "the judge `{name}` audits this store, and no judge is named now: what waits for it is not given to the local \
         judge unasked; `juror --judge {name}` goes on with it"
    ))
}

/// Runs the screen until the person quits.
pub(super) fn show(options: ReviewOptions) -> anyhow::Result<Exit> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let ended = runtime.block_on(tui::run(options));
    // A judge that does not come to an end must not keep the program from ending.
    runtime.shutdown_background();
    Ok(match ended? {
        Ended::Quit => Exit::Fine,
        Ended::Signal | Ended::HungUp => Exit::Interrupted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::OwnKeys;

    #[test]
    fn a_verdict_that_is_not_kept_names_the_key_that_keeps_it_here() {
        let (place, command, keys) = ("review".to_owned(), "keep".to_owned(), vec!["Z".to_owned()]);
        let own = OwnKeys { place, command, keys, origin: Origin::Default };
        let keymap = Keymap::with_own(&[own]).unwrap();
        let told = not_kept(2, &keymap.label(Command::Keep, Place::Review));
        assert_eq!(told, "2 verdicts are committed and not kept (they come first, Z keeps each); ");
    }

    #[test]
    fn a_path_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(shell_word("/srv/rx.db"), "/srv/rx.db");
        assert_eq!(shell_word("my 'own'.db"), r"'my '\''own'\''.db'");
        assert_eq!(shell_word("rx-1#2"), "'rx-1#2'");
    }
}
