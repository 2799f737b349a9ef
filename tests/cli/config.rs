//! `juror config` and `juror man`: what is set and where, and the page for `man`.

use crate::world::{World, fits};

/// The setting `name` of what `juror config --json` printed.
fn setting<'a>(json: &'a serde_json::Value, name: &str) -> &'a serde_json::Value {
    let settings = json["settings"].as_array().unwrap();
    settings.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {json:#}"))
}

#[test]
fn each_value_says_whether_it_comes_from_default_file_environment_or_flag() {
    let world = World::new();
    world.file("juror.toml", "theme = 'light'\njudge.default = 'm'\n[review]\nbell = true\n[judge.m]\nprovider = 'openai'\nmodel = 'x'\nkey_env = 'K'\n");
    let mut command = world.command(&["--config", "juror.toml", "--theme", "mono", "config", "--json"]);
    command.env("K", "sk-planted-0123456789").env("JUROR_REVIEW_HOOK", r#"["page","sk-planted-0123456789"]"#);
    let run = crate::world::finish(command.spawn().unwrap()).ended(0);
    assert!(!run.out().contains("planted") && !run.stderr.contains("planted"), "{run:?}");
    let json = run.json();
    fits("config", &json);
    assert_eq!((&json["file"], &json["file_read"]), (&"juror.toml".into(), &true.into()));
    assert_eq!(setting(&json, "theme")["value"], "mono");
    assert_eq!(setting(&json, "theme")["origin"]["name"], "--theme");
    assert_eq!(setting(&json, "db")["origin"]["name"], "JUROR_DB");
    assert_eq!(setting(&json, "egress")["origin"]["from"], "default");
    assert_eq!(setting(&json, "review.hook")["value"], serde_json::json!(["page", "…"]));
    let bell = setting(&json, "review.bell");
    assert_eq!((&bell["value"], &bell["origin"]["line"]), (&true.into(), &4.into()));
    assert_eq!(json["judges"][0]["keys"], "key from K");
    let shown = world.run(&["--config", "juror.toml", "config"]).ended(0);
    assert!(shown.out().starts_with("settings file: juror.toml\n"), "{}", shown.out());
    let bell = shown.out().lines().find(|line| line.starts_with("review.bell")).unwrap();
    assert!(bell.ends_with("true") || bell.ends_with("line 4 of the file"), "{bell}");
}

#[test]
fn an_unknown_setting_is_a_warning_with_its_line_here_and_an_error_elsewhere() {
    let world = World::new();
    let file = world.file("juror.toml", "theme = 'dark'\n\n[review]\nmin_visible = 3\nbel = true\n");
    let run = world.run(&["--config", "juror.toml", "config"]).ended(0);
    assert!(run.stderr.contains("warning: juror.toml:4: unknown setting `review.min_visible`"), "{run:?}");
    assert!(run.stderr.contains("juror.toml:5: unknown setting `review.bel`"), "{run:?}");
    let json = world.run(&["--config", "juror.toml", "config", "--json"]).ended(0).json();
    fits("config", &json);
    assert_eq!(json["warnings"].as_array().unwrap().len(), 2);
    let run = world.run(&["--config", "juror.toml", "queue"]).ended(2);
    assert!(run.stderr.contains("juror.toml:4: unknown setting"), "{run:?}");
    std::fs::write(file, "theme = 'pink'\n").unwrap();
    let run = world.run(&["--config", "juror.toml", "config"]).ended(0);
    assert!(run.stderr.contains("juror.toml:1: `theme` cannot be \"pink\""), "{run:?}");
}

#[test]
fn a_theme_is_chosen_by_flag_before_everything_else() {
    let world = World::new();
    let mut command = world.command(&["--theme", "light", "config", "--json"]);
    command.env("NO_COLOR", "1").env("JUROR_THEME", "dark");
    let json = crate::world::finish(command.spawn().unwrap()).ended(0).json();
    assert_eq!(setting(&json, "theme")["value"], "light");
    world.run(&["--theme", "pink", "config"]).ended(2);
    world.run(&["--theme", "dark", "--no-color", "config"]).ended(2);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let world = World::new();
    let page = world.run(&["man"]).ended(0);
    assert!(page.out().contains(".TH juror 1") && page.out().contains("juror\\-import(1)"), "{}", page.out());
    assert!(!page.out().contains("judge\\-fit"), "what is hidden in the help has no page");
    let page = world.run(&["man", "import"]).ended(0);
    assert!(page.out().contains("\\-\\-strict") && page.out().contains("juror\\-import"), "{}", page.out());
    world.run(&["man", "import", "--into", "man1"]).ended(2);
    world.run(&["man", "judge-fit"]).ended(2);
    let run = world.run(&["man", "--into", "man/man1"]).ended(0);
    assert!(run.out().contains("man/man1"), "{run:?}");
    assert!(world.path("man/man1/juror.1").exists() && world.path("man/man1/juror-decide.1").exists());
    assert!(!world.path("man/man1/juror-judge-fit.1").exists());
}

#[test]
fn r36_own_keys_are_shown_and_a_clash_keeps_the_screen_from_opening() {
    let world = World::new();
    let file = world.file("juror.toml", "[keys.review]\nconfirm = 'ctrl-y'\nskip = ['M', 'g s']\n");
    let run = world.run(&["--config", "juror.toml", "config"]).ended(0);
    assert!(run.out().contains("keys.review.skip") && run.out().contains("M, g s"), "{}", run.out());
    assert!(run.stderr.is_empty(), "{}", run.stderr);
    let json = world.run(&["--config", "juror.toml", "config", "--json"]).ended(0).json();
    fits("config", &json);
    assert_eq!(json["keys"][1]["origin"]["line"], 3);
    std::fs::write(&file, "[keys.review]\n\nconfirm = 's'\n").unwrap();
    let run = world.run(&["--config", "juror.toml", "config"]).ended(0);
    assert!(run.stderr.contains("warning: juror.toml:3: in [review] the key s means both"), "{}", run.stderr);
    let run = world.run(&["--config", "juror.toml", "review"]).ended(2);
    assert!(run.stderr.contains("juror.toml:3: in [review] the key s means both"), "{}", run.stderr);
    assert!(run.stderr.contains("confirm") && run.stderr.contains("skip"), "{}", run.stderr);
    std::fs::write(&file, "[keys.review]\nconfirm = 3\n").unwrap();
    let run = world.run(&["--config", "juror.toml", "queue"]).ended(2);
    assert!(run.stderr.contains("juror.toml:2: `keys.review.confirm` cannot be 3"), "{}", run.stderr);
}
