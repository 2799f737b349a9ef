//! What people look for under another name.

/// The command that does what `sought` is likely to be; `None` where nobody can tell.
pub(super) fn instead_of(sought: &str) -> Option<&'static str> {
    Some(match sought.to_lowercase().as_str() {
        "gate" | "check" | "fail-on" => {
            "`juror audit --fail-on CRITICAL`; for two versions `juror compare --fail-on`"
        }
        "watch" | "daemon" | "serve" | "run" => "`juror audit --watch`",
        "follow" | "tail" | "ingest" | "load" | "add" => "`juror import --follow FILE`",
        "status" | "count" | "counts" => "`juror queue --counts`, `juror doctor`",
        "stats" | "summary" | "dashboard" => "`juror queue --counts`, `juror report audit`",
        "list" | "ls" | "open" => "`juror queue`",
        "search" | "find" | "grep" | "filter" => "`juror queue --search WORDS`, `juror queue --filter QUERY`",
        "undo" => "`juror decide ID --undo`",
        "block" | "return" | "release" | "dispose" => "`juror decide ID --dispose BLOCK`",
        "note" | "flag" | "escalate" | "defer" => "`juror decide --help`",
        "history" | "story" | "log" | "events" => "`juror show ID`, `juror export --what decisions`",
        "hook" | "page" | "notify" => "`juror doctor --hook-test`, and review.hook in `juror config`",
        "settings" => "`juror config`",
        "diff" => "`juror compare`",
        _ => return None,
    })
}
