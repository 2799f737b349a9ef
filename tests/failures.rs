//! `docs/failures.md` lists what broke in other programs and which test holds that it does not break here. This holds
//! the page to the tests: no case is left out, no test that it names is missing, no case that has a test is said to
//! have none, and the numbers that it prints are right.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many cases of judges there are.
const JUDGE_CASES: u32 = 71;
/// How many of review and annotation.
const REVIEW_CASES: u32 = 50;

/// Whether the page must have a row of the case. Of the others it has one where it is written.
fn is_required((letter, number): (char, u32)) -> bool {
    match letter {
        'j' => (1..=JUDGE_CASES).contains(&number),
        _ => (1..=22).contains(&number) || (35..=42).contains(&number),
    }
}

/// Whether there is such a case at all.
fn is_a_case((letter, number): (char, u32)) -> bool {
    let last = if letter == 'j' { JUDGE_CASES } else { REVIEW_CASES };
    (1..=last).contains(&number)
}

/// What the page says of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    By(BTreeSet<String>),
    CannotOccur,
    Open,
}

/// The letter and number of every case that a test's name begins with: `j31_j46_…` is of two.
fn cases_of(name: &str) -> Vec<(char, u32)> {
    let case = |part: &str| {
        let letter = part.chars().next().filter(|letter| matches!(letter, 'j' | 'r'))?;
        let digits = part.get(1..).filter(|digits| digits.len() == 2)?;
        Some((letter, digits.parse().ok()?))
    };
    name.split('_').map_while(case).collect()
}

/// The names of all test functions in `text`: those with a `test` attribute shortly before them.
fn tests_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_test = false;
    for line in text.lines().map(str::trim) {
        let function = line.trim_start_matches("async ").strip_prefix("fn ");
        if let Some(name) = function.and_then(|rest| rest.split('(').next()) {
            if is_test {
                names.push(name.to_owned());
            }
            is_test = false;
        } else if line.starts_with("#[test]") || line.starts_with("#[tokio::test") {
            is_test = true;
        }
    }
    names
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// Every numbered test there is, by case.
fn numbered_tests(root: &Path) -> BTreeMap<(char, u32), BTreeSet<String>> {
    let mut files = Vec::new();
    for folder in ["src", "tests"] {
        rust_files(&root.join(folder), &mut files);
    }
    let mut tests: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for name in tests_in(&text) {
            for case in cases_of(&name) {
                tests.entry(case).or_default().insert(name.clone());
            }
        }
    }
    tests
}

/// What the page's tables say of each case.
fn page_of(text: &str) -> BTreeMap<(char, u32), Held> {
    let mut page = BTreeMap::new();
    let is_row = |line: &&str| {
        let mut letters = line.trim_start_matches("| ").chars();
        line.starts_with("| ")
            && matches!(letters.next(), Some('J' | 'R'))
            && letters.next().is_some_and(|letter| letter.is_ascii_digit())
    };
    for line in text.lines().filter(is_row) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let [name, what, held] = cells[..] else { panic!("not three cells: {line}") };
        let number: u32 = name[1..].parse().unwrap_or_else(|_| panic!("no case: {line}"));
        let case = (if name.starts_with('J') { 'j' } else { 'r' }, number);
        assert!(what.len() > 20 && what.ends_with('.'), "{name} does not say what broke");
        let held = if let Some(reason) = held.strip_prefix("Cannot occur: ") {
            assert!(reason.len() > 30 && reason.ends_with('.'), "{name} gives no reason");
            Held::CannotOccur
        } else if let Some(missing) = held.strip_prefix("Open: ") {
            assert!(missing.len() > 10, "{name} does not say what is missing");
            Held::Open
        } else {
            Held::By(held.split(", ").map(|name| name.trim_matches('`').to_owned()).collect())
        };
        assert!(page.insert(case, held).is_none(), "{name} stands there twice");
    }
    page
}

#[test]
fn every_case_is_tested_or_has_a_reason_and_the_page_says_which() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let tests = numbered_tests(root);
    let text = std::fs::read_to_string(root.join("docs/failures.md")).expect("docs/failures.md");
    let page = page_of(&text);
    let mut wrong = Vec::new();
    let judges = (1..=JUDGE_CASES).map(|number| ('j', number));
    for case in judges.chain((1..=REVIEW_CASES).map(|number| ('r', number))) {
        let shown = format!("{}{}", case.0.to_ascii_uppercase(), case.1);
        let found = tests.get(&case).cloned().unwrap_or_default();
        let names: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        match page.get(&case) {
            None if is_required(case) => {
                wrong.push(format!("{shown} is not on the page; its tests: {names}"));
            }
            None => {}
            Some(Held::By(named)) if named.is_subset(&found) => {}
            Some(Held::By(_)) if found.is_empty() => {
                wrong.push(format!("{shown}: no test of the page is there, nor any other"));
            }
            Some(Held::By(_)) => {
                wrong.push(format!("{shown} names a test that is not there: it is held by {names}"));
            }
            Some(Held::CannotOccur | Held::Open) if found.is_empty() => {}
            Some(Held::CannotOccur | Held::Open) => {
                wrong.push(format!("{shown} has tests, so it is held by: {names}"));
            }
        }
    }
    wrong.extend(page.keys().filter(|case| !is_a_case(**case)).map(|case| format!("there is no {case:?}")));
    for (case, names) in tests.iter().filter(|(case, _)| !is_a_case(**case)) {
        wrong.push(format!("there is no case {case:?}: {names:?}"));
    }
    assert!(wrong.is_empty(), "docs/failures.md:\n{}", wrong.join("\n"));
    let count = |held: fn(&Held) -> bool| page.values().filter(|entry| held(entry)).count();
    let line = format!(
        "Of {} cases {} are tested, {} cannot occur and {} are open.",
        page.len(),
        count(|held| matches!(held, Held::By(_))),
        count(|held| *held == Held::CannotOccur),
        count(|held| *held == Held::Open),
    );
    assert!(text.lines().any(|given| given == line), "docs/failures.md must say: {line}");
}

#[test]
fn numbers_are_read_from_the_names_of_tests_alone() {
    let source = "fn j01_helper() {}\n#[test]\nfn j02_a() {}\n#[tokio::test(start_paused = true)]\nasync fn j03_j04_b() {}\n#[test]\n#[should_panic]\nfn r01_c() {}\n";
    assert_eq!(tests_in(source), ["j02_a", "j03_j04_b", "r01_c"]);
    assert_eq!(cases_of("j03_j04_b"), [('j', 3), ('j', 4)]);
    assert_eq!(cases_of("r20_r45_x_j01"), [('r', 20), ('r', 45)]);
    assert_eq!(cases_of("judges_are_named"), []);
    assert_eq!(cases_of("journey"), []);
}
