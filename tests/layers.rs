//! The house rules that a compiler does not check: which module may use which, how long a file may
//! be, and what may not stand in the program.

use std::fs;
use std::path::{Path, PathBuf};

/// The modules in their order, each with those before it that it may not use all the same. A module
/// that is not listed here is an error, so that a new one is given its place on purpose.
const ORDER: &[(&str, &[&str])] = &[
    ("domain", &[]),
    ("clock", &[]),
    ("text", &[]),
    ("prompt", &["domain", "clock", "text"]),
    ("measure", &["clock", "prompt"]),
    ("judge", &["measure"]),
    ("instrument", &["measure"]),
    ("store", &["text", "prompt", "judge", "instrument"]),
    ("paths", &["clock", "text", "prompt", "measure", "judge", "instrument", "store"]),
    ("log", &["text", "prompt", "measure", "judge", "instrument", "store"]),
    ("config", &["measure", "instrument", "store", "log"]),
    ("auditor", &["text", "measure", "paths", "log"]),
    ("duty", &["text", "prompt", "measure", "judge", "instrument", "paths", "log"]),
    ("format", &["paths", "log", "duty"]),
    (
        "report",
        &[
            "clock",
            "prompt",
            "judge",
            "instrument",
            "store",
            "paths",
            "log",
            "config",
            "auditor",
            "duty",
            "format",
        ],
    ),
    ("tui", &[]),
    ("cli", &[]),
];

const LONGEST_FILE: usize = 500;

struct Source {
    path: PathBuf,
    text: String,
}

fn sources() -> Vec<Source> {
    fn collect(folder: &Path, into: &mut Vec<Source>) {
        for entry in fs::read_dir(folder).expect("src can be read") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("sources are UTF-8");
                into.push(Source { path, text });
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&root.join("src"), &mut found);
    for source in &mut found {
        source.path = source.path.strip_prefix(root).expect("inside the crate").to_owned();
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// The module that a file belongs to: `domain` for `src/domain/span.rs`, `cli` for `src/cli.rs`.
fn module_of(path: &Path) -> String {
    let first = path.iter().nth(1).expect("below src").to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

/// The part of a source that is not comment and not its test module.
fn production(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    let mut awaiting_test_item = false;
    let mut skipping_until: Option<String> = None;
    for (number, line) in text.lines().enumerate() {
        let (indent, code) = line.split_at(line.len() - line.trim_start().len());
        if let Some(closing) = &skipping_until {
            if line.trim_end() == closing {
                skipping_until = None;
            }
            continue;
        }
        if code.starts_with("#[cfg(test)]") {
            awaiting_test_item = true;
        } else if awaiting_test_item && !code.starts_with("#[") {
            awaiting_test_item = false;
            if !code.trim_end().ends_with(';') {
                skipping_until = Some(format!("{indent}}}"));
            }
        } else if !code.starts_with("//") && !awaiting_test_item {
            lines.push((number + 1, line));
        }
    }
    lines
}

/// How many names deep a file's module lies in the crate: 1 for `src/clock.rs` and `src/store/mod.rs`,
/// 3 for `src/store/verify/chain.rs`.
fn depth(path: &Path) -> usize {
    path.iter().count() - 1 - usize::from(path.ends_with("mod.rs"))
}

/// Every module of the crate's root that the code of a file names, braces included: by
/// `crate::…`, or by so many `super::` that they lead out of all modules.
fn used_modules(code: &str, depth: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut add = |at: usize, rest: &str| {
        // `$crate::` is how a macro names its own crate; `my_crate::` is not ours.
        if !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            found.extend(first_names(rest));
        }
    };
    for (at, root) in code.match_indices("crate::") {
        add(at, &code[at + root.len()..]);
    }
    for (at, up) in code.match_indices("super::") {
        let mut rest = &code[at + up.len()..];
        let mut ups = 1;
        while let Some(further) = rest.strip_prefix(up) {
            (rest, ups) = (further, ups + 1);
        }
        if ups >= depth {
            add(at, rest);
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The first name of each path in `rest`: of `a::b` it is `a`, of `{a, b::c}` these are `a` and `b`.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let Some(group) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let (mut depth, mut start) = (0, 0);
    let mut found = Vec::new();
    for (index, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(name(&group[start..index]));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(name(&group[start..index]));
                start = index + 1;
            }
            _ => {}
        }
    }
    found
}

/// Where the modules stand that a file declares for tests only.
fn test_modules(source: &Source) -> Vec<PathBuf> {
    let folder = source.path.parent().expect("below src");
    let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| source.path.ends_with(name));
    let inner = if is_root { folder.to_owned() } else { source.path.with_extension("") };
    let mut found = Vec::new();
    let mut lines = source.text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            continue;
        }
        let mut place = None;
        while let Some(attribute) = lines.next_if(|line| line.starts_with("#[")) {
            let path = attribute.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]"));
            place = path.map(|path| folder.join(path).with_extension("")).or(place);
        }
        let module = lines.peek().and_then(|line| line.strip_suffix(';')?.rsplit_once("mod "));
        if let Some((_, name)) = module {
            found.push(place.unwrap_or_else(|| inner.join(name)));
        }
    }
    found
}

/// The sources that are compiled into the program.
fn program(sources: Vec<Source>) -> Vec<Source> {
    let tests: Vec<PathBuf> = sources.iter().flat_map(test_modules).collect();
    sources
        .into_iter()
        .filter(|source| {
            let module = source.path.with_extension("");
            !tests.iter().any(|test| module.starts_with(test))
        })
        .collect()
}

/// Which uses in `sources` go against the order.
fn wrong_uses(sources: &[Source]) -> Vec<String> {
    let place = |name: &str| ORDER.iter().position(|(module, _)| *module == name);
    let mut wrong = Vec::new();
    for source in sources {
        let module = module_of(&source.path);
        if module == "lib" || module == "main" {
            continue;
        }
        let Some(own) = place(&module) else {
            wrong.push(format!("{}: `{module}` has no place in the order", source.path.display()));
            continue;
        };
        // Joined, because a braced use may span lines; a file's own test module may use anything.
        let lines: Vec<_> = production(&source.text).into_iter().map(|(_, line)| line).collect();
        for used in used_modules(&lines.join("\n"), depth(&source.path)) {
            let is_wrong = place(&used).is_some_and(|at| at > own) || ORDER[own].1.contains(&used.as_str());
            if is_wrong {
                wrong.push(format!("{}: `{module}` must not use `{used}`", source.path.display()));
            }
        }
    }
    wrong.dedup();
    wrong
}

/// Text in `sources` that may not stand in the program.
fn forbidden_text(sources: &[Source]) -> Vec<String> {
    let forbidden = [
        ".unwrap()",
        ".expect(",
        "panic!(",
        "todo!(",
        "unimplemented!(",
        "unreachable!(",
        "println!(",
        "print!(",
        "dbg!(",
    ];
    let mut wrong = Vec::new();
    for source in sources {
        for (number, line) in production(&source.text) {
            let code = line.split("//").next().unwrap_or_default();
            if let Some(found) = forbidden.iter().find(|text| code.contains(*text)) {
                wrong.push(format!("{}:{number}: `{found}`", source.path.display()));
            }
        }
    }
    wrong
}

fn planted(path: &str, text: &str) -> Vec<Source> {
    vec![Source { path: path.into(), text: text.into() }]
}

#[test]
fn modules_use_only_what_stands_before_them() {
    assert_eq!(wrong_uses(&program(sources())), Vec::<String>::new());
}

#[test]
fn the_table_of_the_modules_names_them_all_in_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let lib = fs::read_to_string(root.join("src/lib.rs")).expect("src/lib.rs");
    let named: Vec<&str> = lib
        .lines()
        .filter_map(|line| line.strip_prefix("//! | [`")?.split_once("`]").map(|(name, _)| name))
        .collect();
    let order: Vec<&str> = ORDER.iter().map(|(module, _)| *module).collect();
    assert_eq!(named, order);
    let mut declared: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut sorted = order.clone();
    declared.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(declared, sorted);
    let contributing = fs::read_to_string(root.join("CONTRIBUTING.md")).expect("CONTRIBUTING.md");
    let listed = order.iter().map(|module| format!("`{module}`")).collect::<Vec<_>>().join(", ");
    let flowing = contributing.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flowing.contains(&listed), "CONTRIBUTING.md does not list {listed}");
}

#[test]
fn a_way_out_by_super_is_caught() {
    let deep = planted("src/store/verify/chain.rs", "use super::super::super::judge::Judge;");
    assert_eq!(wrong_uses(&deep), ["src/store/verify/chain.rs: `store` must not use `judge`"]);
    let shallow = planted("src/store/mod.rs", "fn f() { super::{tui::App, domain}; }");
    assert_eq!(wrong_uses(&shallow), ["src/store/mod.rs: `store` must not use `tui`"]);
    let inside = planted("src/store/verify/chain.rs", "use super::super::judge;");
    assert_eq!(wrong_uses(&inside), Vec::<String>::new(), "a module of the store's own");
}

#[test]
fn what_ends_the_program_by_a_panic_is_caught() {
    for call in ["panic!(\"x\")", "unimplemented!()", "unreachable!()", "todo!()"] {
        let source = planted("src/store/queue.rs", &format!("fn f() {{ {call} }}"));
        assert_eq!(forbidden_text(&source).len(), 1, "{call}");
    }
}

#[test]
fn a_planted_violation_is_caught() {
    let inline = planted("src/store/queue.rs", "fn f() { crate::judge::local(); }");
    assert_eq!(wrong_uses(&inline), ["src/store/queue.rs: `store` must not use `judge`"]);
    let braced =
        planted("src/domain/span.rs", "use crate::{\n    clock::Clock,\n    store::{Store, queue},\n};");
    assert_eq!(wrong_uses(&braced).len(), 2, "{:?}", wrong_uses(&braced));
    let visible = planted("src/judge/local.rs", "pub(crate) fn f() -> crate::tui::App { todo!() }");
    assert_eq!(wrong_uses(&visible), ["src/judge/local.rs: `judge` must not use `tui`"]);
    assert_eq!(forbidden_text(&visible), ["src/judge/local.rs:1: `todo!(`"]);
    let unplaced = planted("src/helpers.rs", "");
    assert_eq!(wrong_uses(&unplaced), ["src/helpers.rs: `helpers` has no place in the order"]);
}

#[test]
fn comments_and_test_modules_are_not_the_program() {
    let text = "/// Like crate::tui::x, `.unwrap()`.\nfn f() {} // .unwrap()\n#[cfg(test)]\nmod tests {\n    \
                use crate::tui;\n    fn g() { x.unwrap(); }\n}\nfn h() { x.unwrap() }\n";
    let source = planted("src/text/width.rs", text);
    assert_eq!(wrong_uses(&source), Vec::<String>::new());
    assert_eq!(forbidden_text(&source), ["src/text/width.rs:8: `.unwrap()`"]);
}

#[test]
fn modules_for_tests_only_are_not_the_program() {
    let file = |path: &str, text: &str| Source { path: path.into(), text: text.into() };
    let sources = vec![
        file("src/judge/mod.rs", "#[cfg(test)]\nmod tests;\nmod local;\n"),
        file("src/judge/local.rs", "#[cfg(test)]\n#[path = \"local_tests.rs\"]\nmod tests;\n"),
        file("src/judge/local_tests.rs", ""),
        file("src/judge/tests/mod.rs", ""),
        file("src/judge/tests/one.rs", ""),
    ];
    let left: Vec<_> = program(sources).iter().map(|source| source.path.display().to_string()).collect();
    assert_eq!(left, ["src/judge/mod.rs", "src/judge/local.rs"]);
}

#[test]
fn nothing_in_the_program_panics_or_prints_by_the_way() {
    assert_eq!(forbidden_text(&program(sources())), Vec::<String>::new());
}

#[test]
fn no_file_is_two_files() {
    let long: Vec<_> = sources()
        .iter()
        .filter(|source| source.text.lines().count() > LONGEST_FILE)
        .map(|source| format!("{}: {} lines", source.path.display(), source.text.lines().count()))
        .collect();
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn no_module_is_a_drawer_for_everything() {
    let drawers: Vec<_> = sources()
        .iter()
        .flat_map(|source| {
            source.path.iter().map(|part| part.to_string_lossy().into_owned()).collect::<Vec<_>>()
        })
        .filter(|part| {
            let name = part.trim_end_matches(".rs");
            ["util", "utils", "common", "helper", "helpers", "misc"].contains(&name)
        })
        .collect();
    assert_eq!(drawers, Vec::<String>::new());
}
