//! Everything a person can ask for, in one table.
//!
//! Keys, footer, help and the README's key table are views of [`Command::row`]. This module must
//! not know how a command is carried out.

pub use super::heading::Group;

/// What a person asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Command {
    Confirm,
    Keep,
    Override,
    ChooseEvidence,
    Annotate,
    VerdictFully,
    VerdictPartially,
    VerdictUnsupported,
    VerdictContradicted,
    VerdictCannotJudge,
    VerdictNotAClaim,
    Score1,
    Score2,
    Score3,
    Score4,
    Score5,
    Reason,
    Repeat,
    Skip,
    Flag,
    Escalate,
    Defer,
    Mark,
    MarkRange,
    ActOnMarked,
    SameClaim,
    AddClaim,
    SplitClaim,
    MergeClaims,
    Undo,
    Redo,
    Dispose,
    BlockAnswer,
    NextClaim,
    PreviousClaim,
    NextAnswer,
    PreviousAnswer,
    NextOpen,
    HistoryBack,
    HistoryForward,
    StayWithAnswer,
    Threads,
    Unfold,
    Fold,
    FoldAll,
    NewestCritical,
    FirstClaim,
    LastClaim,
    Filter,
    Search,
    ClearFilter,
    NextView,
    PreviousView,
    SaveView,
    RemoveView,
    PageDown,
    PageUp,
    NextEvidence,
    PreviousEvidence,
    ScrollDown,
    ScrollUp,
    SwitchPane,
    FocusEvidence,
    Maximise,
    Differences,
    Metadata,
    PauseAuditor,
    Palette,
    ShowQueue,
    ShowCompare,
    ShowSupport,
    ShowDashboard,
    NextScreen,
    PreviousScreen,
    Open,
    Exchanges,
    Story,
    CopyClaim,
    CopySpan,
    CopyId,
    CopyRecord,
    WhyHere,
    Help,
    Suspend,
    Quit,
    Down,
    Up,
    NextField,
    PreviousField,
    Accept,
    NextWord,
    PreviousWord,
    NextSentence,
    PreviousSentence,
    TakeSentence,
    TakeNextWord,
    TakePreviousWord,
    TakeNextSentence,
    TakePreviousSentence,
    Stretch,
    MarkSupports,
    MarkContradicts,
    Unmark,
    TakeBack,
    NextPassage,
    PreviousPassage,
    NextCut,
    PreviousCut,
    TakeClaim,
    TypeWords,
    SaveNote,
    OtherClaim,
    LeaveNote,
    OpenEditor,
    ApplyLine,
    Earlier,
    Later,
    LeaveLine,
    RunChosen,
    Release,
    ReleaseAnyway,
    Return,
    Block,
    NextExchange,
    PreviousExchange,
    SwitchView,
    FirstLine,
    LastLine,
    Cancel,
}

/// Where a command applies: what has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Everywhere, whatever has the keyboard.
    Anywhere,
    /// The queue screen while nothing lies over it.
    Review,
    /// Any other screen, likewise.
    Screen,
    /// The claim in hand is a claim with its source: these keys come before those of the place that has the keyboard.
    Score,
    /// The menu that overrides a verdict.
    OverrideMenu,
    /// The passage in which evidence is being chosen.
    Spans,
    /// The answer in which the words of a new claim are chosen.
    NewClaim,
    /// The claim that is cut in two.
    Split,
    /// The claims of an answer that become one.
    Merge,
    /// The words of a claim that is being made.
    Words,
    /// The note that is being written.
    Note,
    /// The line of a filter or a search.
    Line,
    /// The command palette.
    Palette,
    /// The line of a deferral or an escalation.
    Ask,
    /// The question what is to be done to the marked claims.
    Many,
    /// Why a claim stands where it stands.
    Why,
    /// The question for a reason.
    Reason,
    /// The question what is to happen to the answer.
    Disposition,
    /// The log of the exchanges with a model.
    Exchanges,
    /// The story of a claim.
    Story,
    /// The help page.
    Help,
}

impl Place {
    pub const ALL: [Self; 21] = [
        Self::Anywhere,
        Self::Review,
        Self::Screen,
        Self::Score,
        Self::OverrideMenu,
        Self::Spans,
        Self::NewClaim,
        Self::Split,
        Self::Merge,
        Self::Words,
        Self::Note,
        Self::Line,
        Self::Palette,
        Self::Ask,
        Self::Many,
        Self::Why,
        Self::Reason,
        Self::Disposition,
        Self::Exchanges,
        Self::Story,
        Self::Help,
    ];

    /// The place's name in `assets/keymap.toml`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anywhere => "anywhere",
            Self::Review => "review",
            Self::Screen => "screen",
            Self::Score => "score",
            Self::OverrideMenu => "override_menu",
            Self::Spans => "spans",
            Self::NewClaim => "new_claim",
            Self::Split => "split",
            Self::Merge => "merge",
            Self::Words => "words",
            Self::Note => "note",
            Self::Line => "line",
            Self::Palette => "palette",
            Self::Ask => "ask",
            Self::Many => "many",
            Self::Why => "why",
            Self::Reason => "reason",
            Self::Disposition => "disposition",
            Self::Exchanges => "exchanges",
            Self::Story => "story",
            Self::Help => "help",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The command's name in `assets/keymap.toml`.
    pub name: &'static str,
    /// What it does, in a sentence for help.
    pub sentence: &'static str,
    /// One or two words for the footer.
    pub hint: &'static str,
    /// Where it may have keys.
    pub places: &'static [Place],
    /// Where it records.
    pub records: &'static [Place],
    pub group: Group,
}

impl Command {
    /// Whether the command makes the store record something where it is struck, or is the last key but one before that:
    /// it acts only on what could be read.
    pub fn records_in(self, place: Place) -> bool {
        self.row().records.contains(&place)
    }

    /// Whether the command is about the claim under the cursor, and does or begins something that is recorded.
    pub const fn concerns_claim(self) -> bool {
        matches!(
            self,
            Self::Confirm
                | Self::Keep
                | Self::Override
                | Self::ChooseEvidence
                | Self::Annotate
                | Self::VerdictFully
                | Self::VerdictPartially
                | Self::VerdictUnsupported
                | Self::VerdictContradicted
                | Self::VerdictCannotJudge
                | Self::VerdictNotAClaim
                | Self::Score1
                | Self::Score2
                | Self::Score3
                | Self::Score4
                | Self::Score5
                | Self::Reason
                | Self::Repeat
                | Self::Skip
                | Self::Flag
                | Self::Escalate
                | Self::Defer
                | Self::SameClaim
                | Self::BlockAnswer
                | Self::AddClaim
                | Self::SplitClaim
                | Self::MergeClaims
        )
    }

    /// Whether the command begins something about the latest decision, or about the claim that it may be
    /// on: while that is being saved, it would be about the decision before.
    pub const fn builds_on_saved(self) -> bool {
        matches!(
            self,
            Self::Reason
                | Self::Override
                | Self::ChooseEvidence
                | Self::Dispose
                | Self::BlockAnswer
                | Self::StayWithAnswer
                | Self::Escalate
                | Self::Defer
                | Self::AddClaim
                | Self::SplitClaim
                | Self::MergeClaims
        )
    }
}

macro_rules! table {
    ($(
        $variant:ident: $name:literal, [$($place:ident),+] $(records [$($recorded:ident),+])?, $group:ident,
        $hint:literal, $sentence:literal;
    )+) => {
        impl Command {
            /// Every command, in the order of help.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            pub const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        sentence: $sentence,
                        hint: $hint,
                        places: &[$(Place::$place),+],
                        records: &[$($(Place::$recorded),+)?],
                        group: Group::$group,
                    }),+
                }
            }
        }
    };
}

table! {
    Confirm: "confirm", [Review, Many] records [Review], Decide, "confirm", "Confirm the judge's verdict and go to the next open claim";
    Keep: "keep", [Review] records [Review], Decide, "keep", "Keep the verdict that you committed in a blind review, before you were shown the judge's, and go on";
    Override: "override", [Review], Decide, "override", "Override verdict, severity and type in a menu";
    ChooseEvidence: "choose_evidence", [Review, OverrideMenu], Decide, "evidence", "Choose the words of the evidence that decide, and rule on them";
    Annotate: "annotate", [Review], Decide, "annotate", "Write a note on the claim";
    VerdictFully: "verdict_fully", [Review, OverrideMenu, Many, Spans] records [Review], Decide, "fully", "Set FULLY_SUPPORTED: confirms when the judge says the same, else overrides";
    VerdictPartially: "verdict_partially", [Review, OverrideMenu, Many, Spans] records [Review], Decide, "partially", "Set PARTIALLY_SUPPORTED, likewise";
    VerdictUnsupported: "verdict_unsupported", [Review, OverrideMenu, Many, Spans] records [Review], Decide, "unsupported", "Set UNSUPPORTED, likewise";
    VerdictContradicted: "verdict_contradicted", [Review, OverrideMenu, Many, Spans] records [Review], Decide, "contradicted", "Set CONTRADICTED, likewise";
    VerdictCannotJudge: "verdict_cannot_judge", [Review, OverrideMenu, Many, Spans] records [Review], Decide, "cannot judge", "Set CANNOT_JUDGE: the evidence does not let anyone say";
    VerdictNotAClaim: "verdict_not_a_claim", [Review, OverrideMenu, Spans] records [Review], Decide, "not a claim", "Set NOT_A_CLAIM: there is nothing in it to check";
    Score1: "score_1", [Score] records [Review], Decide, "score 1", "On a claim with its source, set the score 1, No Support / Contradicts: confirms when the judge says the same, else overrides";
    Score2: "score_2", [Score] records [Review], Decide, "score 2", "On a claim with its source, set the score 2, Weakly Related: likewise";
    Score3: "score_3", [Score] records [Review], Decide, "score 3", "On a claim with its source, set the score 3, Partially Supports: likewise";
    Score4: "score_4", [Score] records [Review], Decide, "score 4", "On a claim with its source, set the score 4, Strongly Implies: likewise";
    Score5: "score_5", [Score] records [Review], Decide, "score 5", "On a claim with its source, set the score 5, Directly Supports: likewise";
    Reason: "reason", [Review], Decide, "reason", "Give your last decision a reason: one more letter";
    Repeat: "repeat", [Review] records [Review], Decide, "repeat", "Rule as in your last decision of this session: the same verdict, severity, type and reason";
    Skip: "skip", [Review, Many] records [Review], Decide, "skip", "Put the claim at the end of your queue; again brings it back";
    Flag: "flag", [Review, Many] records [Review], Decide, "flag", "Flag the claim for adjudication; again takes the flag off";
    Escalate: "escalate", [Review, Many], Decide, "escalate", "Escalate with a note, for @NAME or for nobody in particular, and stay on the claim; an empty line takes it back";
    Defer: "defer", [Review, Many], Decide, "defer", "Defer the claim: out of your queue until 2h, tomorrow 9:00, …; it comes back by itself";
    Mark: "mark", [Review], Decide, "mark", "Mark the claim to act on it with others, or take the mark off, and go on";
    MarkRange: "mark_range", [Review], Decide, "mark range", "Begin a range at the cursor; again marks all from there that were in view";
    ActOnMarked: "act_on_marked", [Review], Decide, "act on marked", "Confirm, rule, skip, defer, flag or escalate all marked claims; one undo takes all of it back";
    SameClaim: "same_claim", [Review], Decide, "same claims", "Decide the same claim in many answers at once: where words, question, evidence, verdict and cited spans are the same";
    AddClaim: "add_claim", [Review], Decide, "add", "Add a claim that the answer makes and the judge left out: choose its words, or type it";
    SplitClaim: "split_claim", [Review], Decide, "split", "Split the claim in two: choose where, or type both in other words";
    MergeClaims: "merge_claims", [Review], Decide, "merge", "Merge the marked claims of this answer into one, or this one and the next";
    Undo: "undo", [Review] records [Review], Decide, "undo", "Take back your latest act, also one of an earlier session; the first time it only shows what it would take back";
    Redo: "redo", [Review] records [Review], Decide, "redo", "Do again what your last undo took back, while nothing new was done since";
    BlockAnswer: "block_answer", [Review], Decide, "block answer", "Block the answer of this claim at once, whether its claims are decided or not: it must not be used";
    Dispose: "dispose", [Review, Disposition], Decide, "answer", "Release, return or block an answer whose claims are decided: this one, or the one that waits longest; again goes on from one about which something was decided";
    NextClaim: "next_claim", [Review], Move, "next", "Next claim";
    PreviousClaim: "previous_claim", [Review], Move, "previous", "Previous claim";
    NextAnswer: "next_answer", [Review], Move, "next answer", "Next claim of another answer";
    PreviousAnswer: "previous_answer", [Review], Move, "previous answer", "Previous claim of another answer";
    NextOpen: "next_open", [Review], Move, "next open", "Next claim that is open and in nobody else's hands; from the history to the first one of the queue";
    HistoryBack: "history_back", [Review], Move, "back", "Back to the claim looked at before, a decided one too, which can be decided anew";
    HistoryForward: "history_forward", [Review], Move, "forward", "Forward again to the claim looked at after this one";
    StayWithAnswer: "stay_with_answer", [Review], Move, "this answer", "Stay with the answer just decided on, else with this one: its next open claim, until all are decided";
    Threads: "threads", [Review], Move, "by answers", "The list by answers, the one with the worst open claim first; again by claims";
    Unfold: "unfold", [Review], Move, "unfold", "In the list by answers: show the claims of this one";
    Fold: "fold", [Review], Move, "fold", "In the list by answers: hide its claims; they are decided from its one line, one after the other";
    FoldAll: "fold_all", [Review], Move, "unfold all", "In the list by answers: unfold all, or fold all";
    NewestCritical: "newest_critical", [Review], Move, "newest CRITICAL", "Newest open CRITICAL claim that repeats none before it; the news of CRITICAL claims is read then, that of HIGH ones stays";
    FirstClaim: "first_claim", [Review], Move, "first", "First claim of the queue; all news is read then";
    LastClaim: "last_claim", [Review], Move, "last", "Last claim of the queue";
    Filter: "filter", [Review], Move, "filter", "Show only claims that fit: severity>=high verdict:contradicted age<2h -note:* words";
    Search: "search", [Review], Move, "search", "Show only claims with these words in the claim, its answer or a note";
    ClearFilter: "clear_filter", [Review], Move, "clear filter", "Take all marks off, else clear filter and search, or stop finding: the whole queue again";
    NextEvidence: "next_evidence", [Review, Spans], Read, "evidence", "Next piece of evidence";
    PreviousEvidence: "previous_evidence", [Review, Spans], Read, "previous evidence", "Previous piece of evidence";
    NextView: "next_view", [Review], Move, "next view", "Next view: a filter under a name, with how many claims it has";
    PreviousView: "previous_view", [Review], Move, "previous view", "Previous view";
    SaveView: "save_view", [Review], Move, "save view", "Save the filter in force as a view of your own, under a name";
    RemoveView: "remove_view", [Review], Move, "remove view", "Remove the view of your own that is shown; its filter stays, and can be saved again";
    ShowCompare: "show_compare", [Review, Screen], Move, "Compare", "The Compare screen: comparisons of two versions, with their rates and what is newly wrong";
    ShowSupport: "show_support", [Review, Screen], Move, "Support", "The Support screen: how far sources bear claims out, and the lowest scores";
    ShowDashboard: "show_dashboard", [Review, Screen], Move, "Dashboard", "The Dashboard: verdicts over time, judges against people, what waits, who decided, how audits get on";
    NextScreen: "next_screen", [Review, Screen], Move, "next screen", "Next screen; the queue stays as you leave it";
    PreviousScreen: "previous_screen", [Review, Screen], Move, "previous screen", "Previous screen";
    Open: "open", [Screen], Screens, "open", "Open what is in hand: of a comparison its claims that are newly wrong, of a claim or pair its review in the queue";
    ShowQueue: "show_queue", [Screen], Screens, "Queue", "The queue, as you left it";
    PageDown: "page_down", [Review, Screen, Spans, NewClaim, Exchanges, Story, Help], Read, "page down", "A page down in what has the focus";
    PageUp: "page_up", [Review, Screen, Spans, NewClaim, Exchanges, Story, Help], Read, "page up", "A page up";
    ScrollDown: "scroll_down", [Review], Read, "scroll", "Half a page down in the evidence";
    ScrollUp: "scroll_up", [Review], Read, "scroll up", "Half a page up in the evidence";
    SwitchPane: "switch_pane", [Review, Screen], Read, "pane", "Focus the next pane: queue, answer, evidence";
    FocusEvidence: "focus_evidence", [Review], Read, "read", "Focus the evidence";
    Maximise: "maximise", [Review], Read, "maximise", "Give the answer or the evidence the whole window; again brings the queue back";
    Differences: "differences", [Review], Read, "differences", "Claim and evidence side by side, with what differs in words and numbers; again closes it";
    Metadata: "metadata", [Review], Read, "metadata", "Show or hide all that the record says about the passage in hand";
    Exchanges: "exchanges", [Review], Read, "raw log", "Show what was asked of a model for this claim, and its raw replies";
    Story: "story", [Review], Read, "story", "Tell all that happened to the claim: what came in, its audits, what people did, and whether its seals hold";
    CopyClaim: "copy_claim", [Review], Read, "copy claim", "Copy the claim to the terminal's clipboard";
    CopySpan: "copy_span", [Review], Read, "copy span", "Copy the words of the evidence in hand";
    CopyId: "copy_id", [Review], Read, "copy id", "Copy the claim's id";
    CopyRecord: "copy_record", [Review], Read, "copy record", "Copy the whole record, the line of JSON that it came as";
    WhyHere: "why_here", [Review], Read, "why here", "Show why the claim stands where it stands: severity, verdict, confidence, age, risk, policy";
    PauseAuditor: "pause_auditor", [Review], Session, "pause", "Pause the background auditor, or let it go on";
    Palette: "palette", [Review, Screen], Session, "commands", "Find any command by a few letters and run it; what is not possible now says why";
    Help: "help", [Review, Screen], Session, "help", "All keys";
    Suspend: "suspend", [Anywhere], Session, "suspend", "Suspend to the shell; fg comes back";
    Quit: "quit", [Review, Anywhere], Session, "quit", "Quit; what is decided is already saved";
    Down: "down", [Screen, OverrideMenu, Merge, Palette, Exchanges, Story, Help], Dialog, "down", "Next choice, or a line down";
    Up: "up", [Screen, OverrideMenu, Merge, Palette, Exchanges, Story, Help], Dialog, "up", "Previous choice, or a line up";
    NextField: "next_field", [OverrideMenu, Words], Dialog, "field", "Next field: verdict, severity, type; the other half of a split";
    PreviousField: "previous_field", [OverrideMenu], Dialog, "previous field", "Previous field";
    Accept: "accept", [OverrideMenu, Many, Spans, NewClaim, Split, Merge] records [OverrideMenu, Many, Spans, NewClaim, Split, Merge], Dialog, "save", "Record what is shown";
    NextWord: "next_word", [Spans, NewClaim, Split], Spans, "word", "Next word";
    PreviousWord: "previous_word", [Spans, NewClaim, Split], Spans, "previous word", "Previous word";
    NextSentence: "next_sentence", [Spans, NewClaim], Spans, "sentence", "Next sentence, as a whole";
    PreviousSentence: "previous_sentence", [Spans, NewClaim], Spans, "previous sentence", "The sentence as a whole, then the one before";
    TakeSentence: "take_sentence", [Spans, NewClaim], Spans, "whole sentence", "From the word to its sentence";
    Stretch: "stretch", [Spans, NewClaim], Spans, "stretch", "Begin a stretch here: moving makes it longer; again lets go of it";
    TakeNextWord: "take_next_word", [Spans, NewClaim], Spans, "longer", "Stretch to the next word";
    TakePreviousWord: "take_previous_word", [Spans, NewClaim], Spans, "shorter", "Stretch to the previous word";
    TakeNextSentence: "take_next_sentence", [Spans, NewClaim], Spans, "longer", "Stretch to the next sentence";
    TakePreviousSentence: "take_previous_sentence", [Spans, NewClaim], Spans, "shorter", "Stretch to the previous sentence";
    MarkSupports: "mark_supports", [Spans], Spans, "supports", "Mark as supporting the claim";
    MarkContradicts: "mark_contradicts", [Spans], Spans, "contradicts", "Mark as contradicting the claim";
    Unmark: "unmark", [Spans], Spans, "unmark", "Take the mark off the span under the cursor";
    TakeBack: "take_back", [Spans, NewClaim, Split, Merge], Spans, "take back", "Take back the latest mark, removal of one, or all words typed for a claim";
    NextPassage: "next_passage", [Spans], Spans, "passage", "Next passage";
    PreviousPassage: "previous_passage", [Spans], Spans, "previous passage", "Previous passage";
    NextCut: "next_cut", [Split], Shape, "next place", "The next place where two statements seem to meet";
    PreviousCut: "previous_cut", [Split], Shape, "previous place", "The one before";
    TakeClaim: "take_claim", [Merge], Shape, "take", "Take the claim in, or leave it out";
    TypeWords: "type_words", [NewClaim, Split, Merge], Shape, "type", "Type what is claimed in other words; its place in the answer stays";
    Release: "release", [Disposition] records [Disposition], Dialog, "release", "Release: the answer may be used";
    ReleaseAnyway: "release_anyway", [Disposition] records [Disposition], Dialog, "release anyway", "Release although people ruled against claims, or nobody looked at any: asked after a release";
    Return: "return", [Disposition, Many] records [Disposition], Dialog, "return", "Return: the answer goes back to be corrected";
    Block: "block", [Disposition, Many] records [Disposition], Dialog, "block", "Block: the answer must not be used";
    NextExchange: "next_exchange", [Exchanges], Exchanges, "next", "Next exchange";
    PreviousExchange: "previous_exchange", [Exchanges], Exchanges, "previous", "Previous exchange";
    SwitchView: "switch_view", [Exchanges], Exchanges, "view", "Show the reply laid out, as it came, or what was sent, in turn";
    FirstLine: "first_line", [Screen, Spans, NewClaim, Exchanges, Story], Exchanges, "top", "To the top of the text";
    LastLine: "last_line", [Screen, Spans, NewClaim, Exchanges, Story], Exchanges, "end", "To its end";
    Cancel: "cancel", [Screen, OverrideMenu, Many, Why, Spans, NewClaim, Split, Merge, Palette, Reason, Disposition, Exchanges, Story, Help], Dialog, "close", "Close; nothing is changed";
    SaveNote: "save_note", [Note] records [Note], Note, "save", "Save the note";
    OtherClaim: "other_claim", [Note, Ask], Note, "other claim", "Take what you write to the claim that you just decided, or from that to the one under the cursor";
    LeaveNote: "leave_note", [Note], Note, "keep draft", "Close and keep the text as a draft";
    ApplyLine: "apply", [Line, Ask, Words] records [Ask, Words], Line, "apply", "Apply it; an empty line clears it";
    Earlier: "earlier", [Line, Ask], Line, "earlier", "What was typed before";
    Later: "later", [Line, Ask], Line, "later", "What was typed after that";
    LeaveLine: "leave_line", [Line, Ask, Words], Line, "close", "Close; nothing is changed, and what was typed can be had again";
    RunChosen: "run", [Palette], Palette, "run", "Run the chosen command, as its key does";
    OpenEditor: "open_editor", [Note], Note, "$EDITOR", "Go on writing in $EDITOR";
}
