//! Settings that are one of a few words.

/// The colours of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeName {
    Dark,
    Light,
    Mono,
}

impl ThemeName {
    pub const ALL: &[Self] = &[Self::Dark, Self::Light, Self::Mono];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Light => "light",
            Self::Mono => "mono",
        }
    }
}

/// Whether anything may leave this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Egress {
    Any,
    /// No network judge and no hook runs.
    None,
}

impl Egress {
    pub const fn label(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::None => "none",
        }
    }
}

/// After which decisions the cursor goes on to the next open claim by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    Always,
    /// After a confirmation; after an override only once it has its reason.
    Confirm,
    Never,
}

impl Advance {
    pub const ALL: [Self; 3] = [Self::Always, Self::Confirm, Self::Never];

    pub const fn label(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Confirm => "confirm",
            Self::Never => "never",
        }
    }
}

/// Which arrivals the hook is run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookOn {
    /// HIGH ones and CRITICAL ones.
    High,
    Critical,
}

impl HookOn {
    pub const ALL: [Self; 2] = [Self::High, Self::Critical];

    pub const fn label(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Critical => "critical",
        }
    }
}
