//! What a prompt may be, and what is said of one that may not.

use std::fs;

use super::*;
use crate::text::locate::locate;

fn own(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The embedded prompt with a word changed.
fn changed(id: PromptId, from: &str, to: &str) -> String {
    let text = id.embedded();
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn problems(text: &str) -> Vec<String> {
    let folder = own(&[("p.md", text)]);
    let found = check(folder.path());
    assert_eq!(found.is_empty(), Prompts::from_folder(folder.path()).is_ok());
    found.iter().map(|problem| problem.to_string().rsplit_once('/').unwrap().1.to_owned()).collect()
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_no_prompt() {
    let folder = own(&[]);
    let name = folder.path().join("faithfulness.md");
    std::os::unix::fs::symlink("/dev/zero", name).unwrap();
    let found = check(folder.path());
    assert!(found[0].to_string().ends_with("is no file that could be read to its end"), "{}", found[0]);
}

#[test]
fn the_prompts_that_are_shipped_can_be_used() {
    let prompts = Prompts::embedded().unwrap();
    for (prompt, id) in prompts.iter().zip(PromptId::ALL) {
        assert_eq!(prompt.id(), *id);
        assert_eq!(prompts.get(*id).version(), format!("{id}-1"));
        assert_eq!(prompt.sha256().len(), 64);
        assert_eq!(prompt.origin(), "built in");
        assert_eq!(PromptId::from_label(id.label()), Some(*id));
    }
}

#[test]
fn j17_every_example_that_is_shipped_fits_its_schema_and_its_own_rules() {
    let prompts = Prompts::embedded().unwrap();
    for id in [PromptId::Faithfulness, PromptId::Comparison, PromptId::ComparisonBatch, PromptId::Support] {
        let prompt = prompts.get(id);
        let schema = serde_json::from_str(id.schema().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let mut inputs = String::new();
        let mut seen = 0;
        for part in prompt.examples().split("```json") {
            let (reply, input) = part.split_once("```").unwrap_or(("", part));
            if !reply.is_empty() {
                let value: serde_json::Value = serde_json::from_str(reply).unwrap();
                assert!(validator.is_valid(&value), "{value}");
                for quote in quotes(&value) {
                    assert!(
                        locate(&inputs, &quote).span.is_some_and(|span| span.of(&inputs) == Some(&quote)),
                        "{quote}"
                    );
                }
                seen += 1;
            }
            inputs = input.to_owned();
        }
        assert!(seen > 0, "{id} has no example");
    }
}

/// Everything in a reply that must stand in its input letter for letter.
fn quotes(value: &serde_json::Value) -> Vec<String> {
    use serde_json::Value;
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value) {
                ("quote" | "answer_quote" | "source_citation", Value::String(text))
                    if !text.is_empty() && text != "No supporting evidence found." =>
                {
                    vec![text.clone()]
                }
                ("key_evidence", Value::Array(texts)) => {
                    texts.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
                }
                (_, other) => quotes(other),
            })
            .collect(),
        Value::Array(values) => values.iter().flat_map(quotes).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn j17_an_example_that_does_not_fit_is_named_with_its_line() {
    let wrong_key =
        changed(PromptId::Support, "\"rationale\": \"The passage gives", "\"reason\": \"The passage gives");
    let found = problems(&wrong_key);
    assert!(found[0].starts_with("p.md, line 68: the example's reply does not fit the schema"), "{found:?}");
    let python =
        changed(PromptId::Comparison, "\"regression_detected\": true", "\"regression_detected\": True");
    let found = problems(&python);
    assert!(found[0].contains("line") && found[0].contains("is no JSON"), "{found:?}");
    let open =
        changed(PromptId::Repair, "id: repair", "id: support").replace("schema: none", "schema: support");
    let open = format!("{open}\n# Rubric\nnone\n# Examples\n```json\n{{}}\n");
    assert!(problems(&open).iter().any(|problem| problem.contains("not closed by a line ```")), "{open}");
}

#[test]
fn the_schemas_have_the_strict_shape() {
    fn strict(value: &serde_json::Value, at: &str) {
        if let Some(fields) = value.get("properties").and_then(|fields| fields.as_object()) {
            assert_eq!(value["additionalProperties"], false, "{at}");
            let required: Vec<&str> =
                value["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            let named: Vec<&str> = fields.keys().map(String::as_str).collect();
            assert_eq!(required, named, "{at}");
        }
        match value {
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| strict(value, name)),
            serde_json::Value::Array(values) => values.iter().for_each(|value| strict(value, at)),
            _ => {}
        }
    }
    for id in PromptId::ALL {
        if let Some(schema) = id.schema() {
            let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
            assert_eq!(schema["type"], "object");
            strict(&schema, id.label());
        }
    }
}

#[test]
fn placeholders_are_held_to_with_file_and_line() {
    let unknown = changed(PromptId::Repair, "{{errors}}", "{{mistakes}}");
    let found = problems(&unknown);
    assert!(
        found[0].starts_with("p.md, line 28: the placeholder `{{mistakes}}` is unknown: use {{fence}}"),
        "{found:?}"
    );
    assert_eq!(found[1], "p.md: the placeholder `{{errors}}` is not used; repair cannot do without it");
    let foreign = changed(PromptId::Repair, "{{errors}}", "{{errors}} {{rubric}}");
    assert!(problems(&foreign)[0].contains("is none of repair"), "{foreign}");
    let open = changed(PromptId::Repair, "{{errors}}", "{{errors}} {{ and on\n}}");
    assert!(problems(&open)[0].contains("is not closed"), "{open}");
    let in_filling = changed(PromptId::Support, "- 5, Directly", "{{claim}} - 5, Directly");
    assert!(problems(&in_filling)[0].contains("opens no placeholder under `# Rubric`"));
}

#[test]
fn heads_and_sections_are_held_to() {
    for (from, to, expected) in [
        ("id: repair", "id: mend", "p.md, line 2: `mend` is no prompt: use one of faithfulness, comparison"),
        ("id: repair", "name: repair", "p.md, line 2: `name` is unknown"),
        ("version: 1", "version: 1\nversion: 2", "p.md, line 4: `version` stands here twice"),
        ("version: 1", "version: one two", "p.md, line 3: a version is at most 40"),
        ("version: 1", "version:", "p.md, line 3: `version` is empty"),
        ("version: 1\n", "", "p.md, line 1: the head says no `version`"),
        ("version: 1", "nothing", "p.md, line 3: `nothing` is not of the form"),
        ("schema: none", "schema: support", "p.md, line 4: the schema of `repair` is `none`, not `support`"),
        ("---\n", "", "p.md, line 1: has no head"),
        ("# User", "# Users", "p.md, line 19: `# Users` is no section"),
        ("# User", "", "p.md: the section `# User` is missing"),
        ("# User", "# System", "p.md, line 19: the section `# System` stands here twice"),
        ("# System", "Hello\n\n# System", "p.md, line 7: text before the first section"),
        ("# User", "# Rubric\nx\n# User", "p.md, line 19: a prompt `repair` has no section `# Rubric`"),
    ] {
        let found = problems(&changed(PromptId::Repair, from, to));
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{expected}: {found:?}");
    }
    let bare = PromptId::Support.embedded();
    let bare = &bare[..bare.find("# Examples\n\nCLAIM").unwrap()];
    assert!(problems(bare)[0].contains("`# Examples` is missing"), "{bare}");
}

#[test]
fn a_folder_overrides_what_it_has_and_nothing_else() {
    let mine = changed(PromptId::Repair, "version: 1", "version: 1-ward.7");
    let folder = own(&[("mine.md", &mine), ("notes.txt", "not a prompt")]);
    let prompts = Prompts::from_folder(folder.path()).unwrap();
    let repair = prompts.get(PromptId::Repair);
    assert_eq!(repair.version(), "repair-1-ward.7");
    assert!(repair.origin().ends_with("mine.md"));
    assert_eq!(repair.text(), mine);
    let embedded = Prompts::embedded().unwrap();
    assert_ne!(repair.sha256(), embedded.get(PromptId::Repair).sha256());
    assert_eq!(prompts.get(PromptId::Support), embedded.get(PromptId::Support));
    assert_eq!(embedded.iter().count(), 5);

    let twice = own(&[("a.md", &mine), ("b.md", &mine)]);
    let error = Prompts::from_folder(twice.path()).unwrap_err().to_string();
    assert!(error.contains("b.md: the id `repair` is also that of"), "{error}");
    let empty = own(&[]);
    assert!(check(empty.path())[0].message.contains("there is no prompt here"));
    assert!(check(&empty.path().join("none"))[0].message.contains("cannot be read"));
    fs::write(empty.path().join("x.md"), [0xff, 0xfe]).unwrap();
    assert!(check(empty.path())[0].message.contains("is no UTF-8"));
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_read() {
    let text = format!("\u{feff}{}", PromptId::Support.embedded().replace('\n', "\r\n"));
    assert_eq!(problems(&text), Vec::<String>::new());
}

#[test]
fn j32_j56_what_is_filled_in_is_never_a_placeholder_and_never_escaped() {
    let prompts = Prompts::embedded().unwrap();
    let hostile = "{{passage}} {{fence}} دوز ۵ میلی‌گرم 用量 💊 \"\\u0041\"";
    let filled = prompts
        .get(PromptId::Support)
        .fill(&[(Field::Fence, "F-1"), (Field::Claim, hostile), (Field::Passage, "PASSAGE TEXT")])
        .unwrap();
    assert!(filled.user.contains(hostile), "{}", filled.user);
    assert_eq!(filled.user.matches("PASSAGE TEXT").count(), 1);
    assert!(
        filled.system.contains("- 5, Directly Supports:") && filled.system.contains("CLAIM: The service")
    );
    assert!(!filled.system.contains("{{") && !filled.system.contains("\n# Examples"));
    let other = prompts.get(PromptId::Support).fill(&[
        (Field::Fence, "F-1"),
        (Field::Claim, ""),
        (Field::Passage, ""),
        (Field::Rubric, "5 is good."),
        (Field::Examples, "None."),
    ]);
    let system = other.unwrap().system;
    assert!(system.contains("5 is good.") && !system.contains("CLAIM: The service"), "{system}");
}

#[test]
fn a_place_without_a_value_is_an_error_and_not_a_hole() {
    let prompts = Prompts::embedded().unwrap();
    let error = prompts.get(PromptId::Repair).fill(&[(Field::Fence, "F")]).unwrap_err();
    assert_eq!(error.to_string(), "the prompt `repair` has no value for `{{schema}}`");
}
