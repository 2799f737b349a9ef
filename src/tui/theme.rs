//! How a meaning looks: roles in, styles out.
//!
//! The rest of the screen names what a thing *is* ([`Role::Contradicts`]); only the theme files in
//! `assets/` say how that looks. Nothing here knows a widget. A theme file that leaves a role out, or
//! names one that does not exist, is an error that names file and key.

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;
use toml::{Table, Value};

use crate::config::ThemeName;
use crate::domain::verdict::{Role as EvidenceRole, Severity, Verdict};

macro_rules! roles {
    ($($(#[$meta:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// What a piece of the screen means.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role { $($(#[$meta])* $variant),+ }

        impl Role {
            /// Every role, in the order of the definition.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The key in a theme file.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

roles! {
    /// Ordinary text: what people read.
    Text = "text",
    /// What may be overlooked.
    Muted = "muted",
    Title = "title",
    Border = "border",
    /// The border of what has the keys.
    BorderFocus = "border-focus",
    /// The row in hand.
    Focus = "focus",
    /// The bar before the row in hand.
    Cursor = "cursor",
    /// The chosen entry of a menu.
    Selected = "selected",
    /// A key that can be pressed.
    Key = "key",
    /// The word before a field.
    Label = "label",
    VerdictFully = "verdict-fully",
    VerdictPartly = "verdict-partly",
    VerdictUnsupported = "verdict-unsupported",
    VerdictContradicted = "verdict-contradicted",
    VerdictNone = "verdict-none",
    SeverityCritical = "severity-critical",
    SeverityHigh = "severity-high",
    SeverityMedium = "severity-medium",
    SeverityLow = "severity-low",
    /// The claim in hand, inside its answer.
    Claim = "claim",
    /// The sign before another claim of the same answer.
    Sibling = "sibling",
    Supports = "supports",
    Contradicts = "contradicts",
    /// The supporting span in hand.
    CurrentSupports = "current-supports",
    /// The contradicting span in hand.
    CurrentContradicts = "current-contradicts",
    /// What comes closest to a claim that the evidence does not carry: a place to look, no support.
    Closest = "closest",
    /// The closest span in hand.
    CurrentClosest = "current-closest",
    /// A word that stands otherwise on the other side.
    Difference = "difference",
    /// A word of which the other side has nothing.
    Unmatched = "unmatched",
    /// A visible mark for a character that is not shown as itself.
    Escaped = "escaped",
    Ok = "ok",
    Warning = "warning",
    Error = "error",
    /// Something dangerous arrived.
    News = "news",
    ProgressDone = "progress-done",
    ProgressLeft = "progress-left",
}

impl Role {
    pub const fn of_verdict(verdict: Option<Verdict>) -> Self {
        match verdict {
            Some(Verdict::FullySupported) => Self::VerdictFully,
            Some(Verdict::PartiallySupported) => Self::VerdictPartly,
            Some(Verdict::Unsupported) => Self::VerdictUnsupported,
            Some(Verdict::Contradicted) => Self::VerdictContradicted,
            None => Self::VerdictNone,
        }
    }

    pub const fn of_severity(severity: Option<Severity>) -> Self {
        match severity {
            Some(Severity::Critical) => Self::SeverityCritical,
            Some(Severity::High) => Self::SeverityHigh,
            Some(Severity::Medium) => Self::SeverityMedium,
            Some(Severity::Low) => Self::SeverityLow,
            None => Self::Muted,
        }
    }

    /// The look of an evidence span; `current` for the one in hand.
    pub const fn of_evidence(role: EvidenceRole, current: bool) -> Self {
        match (role, current) {
            (EvidenceRole::Supports, false) => Self::Supports,
            (EvidenceRole::Supports, true) => Self::CurrentSupports,
            (EvidenceRole::Contradicts, false) => Self::Contradicts,
            (EvidenceRole::Contradicts, true) => Self::CurrentContradicts,
            (EvidenceRole::Closest, false) => Self::Closest,
            (EvidenceRole::Closest, true) => Self::CurrentClosest,
        }
    }
}

/// The file of a theme that comes with the program, and its text.
const fn shipped(name: ThemeName) -> (&'static str, &'static str) {
    match name {
        ThemeName::Dark => ("theme-dark.toml", include_str!("../../assets/theme-dark.toml")),
        ThemeName::Light => ("theme-light.toml", include_str!("../../assets/theme-light.toml")),
        ThemeName::Mono => ("theme-mono.toml", include_str!("../../assets/theme-mono.toml")),
    }
}

/// A theme file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("{file}: {reason}")]
    Syntax { file: String, reason: String },
    #[error("{file}: `{key}` is not a role of the screen: use one of {}", role_names())]
    UnknownRole { file: String, key: String },
    #[error("{file}: the role `{key}` is missing: add it under [roles]")]
    MissingRole { file: String, key: &'static str },
    #[error("{file}: `{key}`: {reason}")]
    Value { file: String, key: String, reason: String },
}

fn role_names() -> String {
    Role::ALL.iter().map(|role| role.name()).collect::<Vec<_>>().join(", ")
}

/// How every role looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme {
    styles: Vec<Style>,
    brackets: Vec<Option<(String, String)>>,
}

impl Theme {
    /// The theme of that name, as it comes with the program.
    pub fn choose(name: ThemeName) -> Result<Self, ThemeError> {
        let (file, text) = shipped(name);
        Self::parse(file, text)
    }

    /// Reads a theme from the TOML `text`; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Self, ThemeError> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| ThemeError::Syntax {
            file: file.to_owned(),
            reason: error.to_string().trim().replace('\n', " "),
        })?;
        if let Some(key) = table.keys().find(|key| !["roles", "brackets"].contains(&key.as_str())) {
            return Err(ThemeError::Value {
                file: file.to_owned(),
                key: key.clone(),
                reason: "is not a part of a theme: use [roles] and [brackets]".to_owned(),
            });
        }
        let looks: Vec<Option<Look>> = section(file, &table, "roles")?;
        let mut styles = Vec::with_capacity(looks.len());
        for (role, look) in Role::ALL.iter().zip(looks) {
            let look = look.ok_or(ThemeError::MissingRole { file: file.to_owned(), key: role.name() })?;
            styles.push(look.style().map_err(|reason| ThemeError::Value {
                file: file.to_owned(),
                key: role.name().to_owned(),
                reason,
            })?);
        }
        Ok(Self { styles, brackets: section(file, &table, "brackets")? })
    }

    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }

    /// The signs before and after text of that role; empty where it has none.
    pub fn brackets(&self, role: Role) -> (&str, &str) {
        match self.brackets.get(role as usize) {
            Some(Some((open, close))) => (open, close),
            _ => ("", ""),
        }
    }
}

/// The entries of one section, one place a role.
fn section<T: for<'de> Deserialize<'de>>(
    file: &str,
    table: &Table,
    name: &str,
) -> Result<Vec<Option<T>>, ThemeError> {
    let mut found: Vec<Option<T>> = Role::ALL.iter().map(|_| None).collect();
    let empty = Table::new();
    let entries = table.get(name).and_then(Value::as_table).unwrap_or(&empty);
    for (key, value) in entries {
        let Some(at) = Role::ALL.iter().position(|role| role.name() == key) else {
            return Err(ThemeError::UnknownRole { file: file.to_owned(), key: key.clone() });
        };
        let entry = value.clone().try_into().map_err(|error: toml::de::Error| ThemeError::Value {
            file: file.to_owned(),
            key: key.clone(),
            reason: error.to_string().trim().replace('\n', " "),
        })?;
        if let Some(slot) = found.get_mut(at) {
            *slot = Some(entry);
        }
    }
    Ok(found)
}

/// One entry of a theme file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Look {
    fg: Option<Value>,
    bg: Option<Value>,
    #[serde(default)]
    bold: bool,
    #[serde(default)]
    underline: bool,
    #[serde(default)]
    reverse: bool,
}

impl Look {
    fn style(&self) -> Result<Style, String> {
        let mut style = Style::default();
        if let Some(value) = &self.fg {
            style = style.fg(color(value)?);
        }
        if let Some(value) = &self.bg {
            style = style.bg(color(value)?);
        }
        for (wanted, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.underline, Modifier::UNDERLINED),
            (self.reverse, Modifier::REVERSED),
        ] {
            if wanted {
                style = style.add_modifier(modifier);
            }
        }
        Ok(style)
    }
}

/// A name of the 16 or an index of the 256: what every terminal can show, in its owner's palette.
fn color(value: &Value) -> Result<Color, String> {
    let wrong = || format!("{value} is not a colour: use an ANSI name such as \"cyan\", or 0 to 255");
    match value {
        Value::Integer(index) => u8::try_from(*index).map(Color::Indexed).map_err(|_| wrong()),
        Value::String(name) if !name.starts_with('#') => name.parse().map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_theme_has_every_role() {
        for name in ThemeName::ALL {
            Theme::choose(*name).unwrap();
        }
    }

    #[test]
    fn mono_has_no_colour() {
        let mono = Theme::choose(ThemeName::Mono).unwrap();
        for role in Role::ALL {
            let style = mono.style(*role);
            assert_eq!((style.fg, style.bg, style.underline_color), (None, None, None), "{role:?}");
        }
    }

    #[test]
    fn mono_tells_every_kind_of_span_apart() {
        let mono = Theme::choose(ThemeName::Mono).unwrap();
        let kinds = [
            Role::Text,
            Role::Claim,
            Role::Sibling,
            Role::Supports,
            Role::Contradicts,
            Role::CurrentSupports,
            Role::CurrentContradicts,
            Role::Closest,
            Role::CurrentClosest,
            Role::Difference,
        ];
        for (i, a) in kinds.iter().enumerate() {
            for b in &kinds[i + 1..] {
                assert_ne!(
                    (mono.style(*a), mono.brackets(*a)),
                    (mono.style(*b), mono.brackets(*b)),
                    "{a:?} {b:?}"
                );
            }
        }
    }

    #[test]
    fn ordinary_text_keeps_the_colours_of_the_terminal() {
        for name in ThemeName::ALL {
            assert_eq!(Theme::choose(*name).unwrap().style(Role::Text), Style::default());
        }
    }

    #[test]
    fn errors_name_the_file_and_the_key() {
        let dark = shipped(ThemeName::Dark).1;
        for (text, part) in [
            (dark.replace("muted ", "mutde "), "mine.toml: `mutde` is not a role"),
            (dark.replace("muted ", "# "), "mine.toml: the role `muted` is missing"),
            (dark.replace("fg = \"cyan\"", "fg = \"mauve\""), "is not a colour"),
            (dark.replace("fg = \"cyan\"", "fg = \"#00ffff\""), "is not a colour"),
            (dark.replace("bold = true", "blod = true"), "blod"),
            (dark.replace("[brackets]", "[braces]"), "mine.toml: `braces`"),
            ("[roles".to_owned(), "mine.toml: "),
        ] {
            let error = Theme::parse("mine.toml", &text).unwrap_err().to_string();
            assert!(error.starts_with("mine.toml: ") && error.contains(part), "{error}");
        }
    }
}
