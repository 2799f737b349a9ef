use proptest::prelude::*;

use super::*;

fn read(text: &str) -> Filter {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    text.parse::<Filter>().expect_err(text).to_string()
}

#[test]
fn every_field_is_read_and_written_back() {
    for (typed, written) in [
        ("Severity>=HIGH  verdict:contradicted", "severity>=high verdict:contradicted"),
        ("severity:none", "severity:none"),
        ("verdict=supported", "verdict:fully_supported"),
        ("verdict:cannot-judge judged:contradicted", "verdict:cannot_judge judged:contradicted"),
        ("state:not-checked -state:judged", "state:not_checked -state:judged"),
        ("risk<critical", "risk<critical"),
        ("confidence<0.70 confidence>=1", "confidence<0.7 confidence>=1"),
        ("age<120m age>=14d age>90s", "age<2h age>=2w age>90s"),
        ("model:gpt* prompt:\"v 1\" judge:local", "model:gpt* prompt:\"v 1\" judge:local"),
        ("id:rx-1* by:ana flag:* note:*", "id:rx-1* by:ana flag:* note:*"),
        ("to:dr-lee deferred:*", "to:dr-lee deferred:*"),
        ("reason:* reason:number-wrong", "reason:* reason:number_wrong"),
        ("is:any -is:decided", "is:any -is:decided"),
        ("words \"a phrase\" -not", "words \"a phrase\" -not"),
        ("dos* \"8 g\"*", "dos \"8 g\"*"),
        ("10:30 don't 4,5 <5", "10:30 don't 4,5 <5"),
        ("\"severity:high\" \"say \\\"ah\\\"\"", "\"severity:high\" \"say \\\"ah\\\"\""),
        ("  ", ""),
    ] {
        let filter = read(typed);
        assert_eq!(filter.to_string(), written, "{typed}");
        assert_eq!(read(&filter.to_string()), filter, "{typed}");
    }
}

#[test]
fn errors_name_the_place_and_what_is_allowed() {
    assert_eq!(
        error("dose severity>=hgh"),
        "at character 16: `hgh` is not a severity: use one of low, medium, high, critical, none"
    );
    for (typed, at, says) in [
        ("http://x", 1, "there is no field `http`: use one of severity, verdict"),
        ("é colour:red", 3, "quotes to find \"colour:…\""),
        ("verdict>contradicted", 8, "write verdict:…"),
        ("age:2h", 4, "age<2h"),
        ("age<2", 5, "s, m, h, d or w"),
        ("age<-1h", 5, "is not an age"),
        ("confidence>1.5", 12, "from 0 to 1"),
        ("confidence>NaN", 12, "from 0 to 1"),
        ("severity:", 10, "`severity` needs a value: use one of low"),
        ("severity:h*", 10, "is not a severity"),
        ("\"open", 1, "not closed"),
        ("a\"b", 2, "not in it"),
        ("\"a\"b", 4, "a blank is missing"),
        ("a*b", 2, "at the end only"),
        ("*", 1, "no word"),
        ("a - b", 4, "right behind it"),
        ("--json", 2, "one `-` is enough"),
        ("is:maybe", 4, "use one of open, blocked, decided, unrouted, any, disputed"),
        ("reason:bad", 8, "number_wrong"),
    ] {
        let text = error(typed);
        assert!(text.starts_with(&format!("at character {at}: ")) && text.contains(says), "{typed}: {text}");
    }
    assert!(error(&"x ".repeat(MAX_TERMS + 1)).contains("at most 32 terms"));
    assert!(error(&"x".repeat(MAX_QUERY + 1)).contains("at most 4096 bytes"));
}

#[test]
fn a_search_takes_nothing_for_syntax_and_replaces_the_words_only() {
    let search = Filter::of_words("-not severity:high  \"open");
    assert_eq!(search.to_string(), "\"-not\"* \"severity:high\"* \"\\\"open\"*");
    assert_eq!(read(&search.to_string()), search);
    let both = read("age<2h old -never").searching(Filter::of_words("dose"));
    assert_eq!(both.to_string(), "age<2h -never dose");
    assert_eq!(both.search(), "dose");
    let phrase = Filter::of_words(" \"a phrase\"  word \" \"");
    assert_eq!(phrase.to_string(), "\"a phrase\" word \"\\\"\"* \"\\\"\"*");
    assert_eq!(Filter::of_words("\"a phrase\" word").search(), "\"a phrase\" word");
}

#[test]
fn open_claims_are_meant_unless_the_filter_says_otherwise() {
    let reviews = |text: &str| read(text).reviews();
    assert_eq!(reviews("dose"), [Review::Open]);
    assert_eq!(reviews("by:ana"), Review::EVERY);
    assert_eq!(reviews("-reason:*"), Review::EVERY);
    for flags in ["flag:*", "to:dr-lee", "severity>=high flag:ana"] {
        assert_eq!(reviews(flags), Review::EVERY, "a flag outlives a decision");
    }
    assert_eq!(reviews("-flag:*"), [Review::Open]);
    assert_eq!(reviews("is:open flag:*"), [Review::Open]);
    assert_eq!(reviews("is:any -is:open"), [Review::Blocked, Review::Decided, Review::Unrouted]);
    assert_eq!(reviews("is:disputed"), [Review::Open]);
    assert_eq!(reviews("is:open by:ana"), [Review::Open]);
    assert!(reviews("is:open is:decided").is_empty());
}

proptest! {
    #[test]
    fn whatever_is_typed_is_read_or_refused(text in "(\\PC|[ \"*:<>=\\\\-]|severity|age|note|is|high|any){0,12}") {
        match text.parse::<Filter>() {
            Ok(filter) => prop_assert_eq!(filter.to_string().parse::<Filter>(), Ok(filter)),
            Err(error) => prop_assert!(error.at >= 1 && error.at <= text.chars().count() + 1),
        }
    }

    #[test]
    fn every_search_is_a_filter(text in "\\PC{0,60}") {
        let search = Filter::of_words(&text);
        prop_assert_eq!(search.to_string().parse::<Filter>(), Ok(search.clone()));
        prop_assert!(search.terms().len() <= text.split_whitespace().count().min(MAX_TERMS));
    }
}
