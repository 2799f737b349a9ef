use super::*;

mod judges;

fn resolve(file: Option<&str>, environment: &[(&str, &str)], flags: &Flags) -> Result<Config, ConfigError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.toml");
    if let Some(text) = file {
        std::fs::write(&path, text).unwrap();
    }
    let variable = |name: &str| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    };
    Config::resolve(
        flags,
        &Surroundings {
            variable: &variable,
            default_file: Some(&path),
            default_db: Some(Path::new("/data/juror.db")),
            os_user: "ana",
        },
    )
}

fn error(file: &str) -> String {
    resolve(Some(file), &[], &Flags::default()).unwrap_err().to_string()
}

#[test]
fn each_layer_beats_the_one_below_and_says_so() {
    let file = "judge = 'local'\nannotator = 'from file'\n[review]\nmin_visible_ms = 400\n";
    let flags = Flags { annotator: Some("from flag".into()), ..Flags::default() };
    let config = resolve(Some(file), &[("JUROR_ANNOTATOR", "from env")], &Flags::default()).unwrap();
    assert_eq!(config.annotator.value.as_str(), "from env");
    assert_eq!(config.annotator.origin, Origin::Environment("JUROR_ANNOTATOR"));
    assert_eq!(config.min_visible.value, Duration::from_millis(400));
    assert!(matches!(config.min_visible.origin, Origin::File { line: 4, .. }));
    assert_eq!(config.theme, Setting { value: ThemeName::Dark, origin: Origin::Default });
    let config = resolve(Some(file), &[("JUROR_ANNOTATOR", "from env")], &flags).unwrap();
    assert_eq!(
        (config.annotator.value.as_str(), config.annotator.origin),
        ("from flag", Origin::Flag("--by"))
    );
}

#[test]
fn without_anything_the_defaults_stand() {
    let config = resolve(None, &[], &Flags::default()).unwrap();
    assert_eq!(config.annotator.value.as_str(), "ana");
    assert_eq!(config.db.value, Path::new("/data/juror.db"));
    assert_eq!(config.policy(), Policy::default());
    assert_eq!(config.file, None);
    assert!(config.rows().iter().all(|(_, _, origin)| origin == "default"));
    assert_eq!(config.rows().len(), KEYS.len(), "every setting is listed");
}

#[test]
fn an_unknown_key_is_named_with_its_line_and_what_is_allowed() {
    let message = error("theme = 'dark'\n\n[review]\nmin_visible = 3\n");
    assert!(message.contains("config.toml:4: unknown setting `review.min_visible`"), "{message}");
    assert!(message.contains("review.min_visible_ms"), "{message}");
}

#[test]
fn a_bad_value_names_the_setting_and_what_is_allowed() {
    let message = error("[review]\nmin_visible_ms = -1\n");
    assert!(message.contains(":2: `review.min_visible_ms` cannot be -1: use a whole number"), "{message}");
    for bad in ["theme = 'pink'", "theme = 3", "egress = true", "annotator = ' '"] {
        assert!(error(bad).contains("cannot be"), "{bad}");
    }
    for bad in ["low_confidence = 1.5", "spot_check = nan", "low_support = 6", "spot_check = '5 %'"] {
        assert!(error(&format!("[routing]\n{bad}\n")).contains("cannot be"), "{bad}");
    }
    let environment = [("JUROR_AUDITOR_CONCURRENCY", "0")];
    let message = resolve(None, &environment, &Flags::default()).unwrap_err().to_string();
    assert!(message.starts_with("environment variable JUROR_AUDITOR_CONCURRENCY: "), "{message}");
}

#[test]
fn broken_toml_names_the_line() {
    let message = error("theme = 'dark'\njudge = \n");
    assert!(message.contains("config.toml:2:"), "{message}");
}

#[test]
fn a_named_file_must_exist() {
    let flags = Flags { config: Some("/nowhere/juror.toml".into()), ..Flags::default() };
    let message = resolve(None, &[], &flags).unwrap_err().to_string();
    assert!(message.contains("/nowhere/juror.toml cannot be read"), "{message}");
}

#[test]
fn no_color_means_mono_unless_a_theme_is_asked_for() {
    let theme = |environment: &[(&str, &str)], no_color| {
        let flags = Flags { no_color, ..Flags::default() };
        resolve(Some("theme = 'light'"), environment, &flags).unwrap().theme.value
    };
    assert_eq!(theme(&[], false), ThemeName::Light);
    assert_eq!(theme(&[("NO_COLOR", "")], false), ThemeName::Light);
    assert_eq!(theme(&[("NO_COLOR", "1")], false), ThemeName::Mono);
    assert_eq!(theme(&[("NO_COLOR", "1"), ("JUROR_THEME", "dark")], false), ThemeName::Dark);
    assert_eq!(theme(&[("JUROR_THEME", "dark")], true), ThemeName::Mono);
}

#[test]
fn no_egress_forbids_a_hook() {
    let message = error("egress = 'none'\n[review]\nhook = ['curl', 'x']\n");
    assert!(message.contains(":3: `review.hook`") && message.contains("egress"), "{message}");
    let config = resolve(Some("[review]\nhook = ['say', 'news']\n"), &[], &Flags::default()).unwrap();
    assert_eq!(config.hook.value, ["say", "news"]);
}

#[test]
fn a_variable_that_is_no_text_is_not_taken_for_another_one() {
    for variable in ["JUROR_ANNOTATOR", "JUROR_DB"] {
        let bytes = String::from_utf8_lossy(b"/a\xff").into_owned();
        let message = resolve(None, &[(variable, &bytes)], &Flags::default()).unwrap_err().to_string();
        assert!(message.contains(variable) && message.ends_with("use text in UTF-8"), "{message}");
    }
}
