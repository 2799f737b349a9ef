//! Every command that the documents show is run, in order, in an empty folder.

use std::path::Path;
use std::process::Command;

/// The shell blocks of a document that are to be run, joined. A block marked `no-run` needs a
/// terminal, the network or the toolchain, and is run elsewhere.
fn shell_script(markdown: &str) -> String {
    let mut script = String::new();
    let mut inside = false;
    for line in markdown.lines() {
        match (line.strip_prefix("```"), inside) {
            (Some(info), false) => inside = info.trim() == "sh",
            (Some(_), true) => inside = false,
            (None, true) => {
                script.push_str(line);
                script.push('\n');
            }
            (None, false) => {}
        }
    }
    script
}

/// Runs the commands of a document in an empty folder; what they print.
fn run_commands_of(document: &str, least: usize) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = shell_script(&std::fs::read_to_string(root.join(document)).expect(document));
    assert!(script.matches("juror ").count() >= least, "{document} shows hardly any command");
    let home = tempfile::tempdir().expect("a folder");
    let bin = Path::new(env!("CARGO_BIN_EXE_juror")).parent().expect("its folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("a path"));
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", path)
        .env("HOME", home.path())
        .output()
        .expect("bash runs");
    assert!(
        output.status.success(),
        "a command of {document} failed:\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_readme_s_commands_run() {
    let out = run_commands_of("README.md", 10);
    assert!(out.contains("rx-1#1"), "the queue shows the claim that the README decides:\n{out}");
}

#[test]
fn the_commands_about_model_judges_run() {
    let out = run_commands_of("docs/judges.md", 4);
    assert!(out.contains("near"), "the judge that the page defines is listed:\n{out}");
}

#[test]
fn the_commands_about_reviewing_run() {
    let out = run_commands_of("docs/review.md", 8);
    assert!(out.contains("the formulary says 4 g"), "the story holds the note:\n{out}");
}

#[test]
fn the_commands_of_the_night_run() {
    let out = run_commands_of("docs/oncall.md", 1);
    assert!(out.contains("review.hook_pause_s"), "{out}");
}

#[test]
fn the_commands_about_a_golden_set_run() {
    let out = run_commands_of("docs/golden.md", 8);
    assert!(out.contains("2 open of 2 for you, blind"), "every claim is asked about:\n{out}");
}

#[test]
fn the_commands_of_the_release_gate_run() {
    let out = run_commands_of("docs/ci.md", 6);
    assert!(out.contains("exit code 3"), "nobody has accepted it yet:\n{out}");
}

/// The settings that a document shows, one table each.
fn settings_of(markdown: &str) -> Vec<String> {
    let blocks = markdown.split("```toml\n").skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).map(str::to_owned).collect()
}

#[test]
fn every_model_judge_of_the_documents_is_accepted() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/judges.md")).unwrap();
    let tables = settings_of(&page);
    assert_eq!(
        tables.len(),
        10,
        "OpenAI, Azure, OpenRouter, Anthropic, Gemini and five servers of one's own"
    );
    let home = tempfile::tempdir().unwrap();
    let config = home.path().join("config.toml");
    for table in tables {
        std::fs::write(&config, &table).unwrap();
        let name = table.split(['[', '.', ']']).nth(2).unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_juror"))
            .args(["doctor", "--json", "--config"])
            .arg(&config)
            .env_clear()
            .env("HOME", home.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{table}{said}{}", String::from_utf8_lossy(&output.stderr));
        assert!(said.contains(&format!("judge.{name}")), "{name} is not listed: {said}");
    }
}

#[test]
fn the_readme_names_every_subcommand_and_every_file_it_links_to_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_juror")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        .filter_map(|line| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')))
        .filter_map(|rest| rest.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 10, "{commands:?}");
    for command in commands {
        assert!(readme.contains(&format!("juror {command}")), "README.md does not show `juror {command}`");
    }
    for document in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "THIRD_PARTY_DATA.md",
        "docs/judges.md",
        "docs/review.md",
        "docs/oncall.md",
        "docs/golden.md",
        "docs/ci.md",
    ] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if !target.contains("://") {
                let folder = root.join(document);
                let folder = folder.parent().unwrap();
                let target = target.split('#').next().unwrap();
                assert!(folder.join(target).exists(), "{document} links to {target}, which is not there");
            }
        }
    }
}

#[test]
fn the_readme_lists_every_setting_with_its_default() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let table = readme.split("<!-- settings -->").nth(1).unwrap().split("<!-- /settings -->").next().unwrap();
    let listed: Vec<(&str, &str)> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(key, rest)| (key, rest.split(" | ").next().unwrap()))
        .collect();
    let home = tempfile::tempdir().unwrap();
    let doctor = Command::new(env!("CARGO_BIN_EXE_juror"))
        .args(["doctor", "--json"])
        .env_clear()
        .env("HOME", home.path())
        .output()
        .unwrap();
    let doctor: serde_json::Value = serde_json::from_slice(&doctor.stdout).unwrap();
    let settings = doctor["settings"].as_array().unwrap();
    assert_eq!(listed.len(), settings.len(), "{listed:?}");
    for setting in settings {
        let (name, value) = (setting["name"].as_str().unwrap(), setting["value"].as_str().unwrap());
        let (_, default) = listed.iter().find(|(key, _)| *key == name).unwrap_or_else(|| panic!("{name}"));
        // What depends on the host is told in words.
        if let Some(literal) = default.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            let literal = literal.trim_matches(['"', '[', ']']);
            assert_eq!(literal, value, "{name}");
        }
    }
    assert!(readme.contains(".config/juror/config.toml"));
    let place = doctor["settings_place"].as_str().unwrap();
    assert!(!cfg!(target_os = "linux") || place.ends_with(".config/juror/config.toml"), "{place}");
}
