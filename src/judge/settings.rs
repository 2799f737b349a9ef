//! How a model judge is reached and how hard it may be worked: plain data, from the settings file.
//!
//! Must not know files or the environment: `config` fills it.

use std::fmt;
use std::time::Duration;

/// Which protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// Chat Completions, as `OpenAI` and every compatible server speaks it.
    OpenAi,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's generateContent.
    Gemini,
}

impl Protocol {
    pub const ALL: &[Self] = &[Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// As it is written in settings.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// A key. It is never shown: not by `Debug`, not by `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The key itself, for the header it is sent in and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A key and the account it draws on. Limits and bills are an account's, so keys of one account rest together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountKey {
    /// What people call the account; never the key.
    pub account: String,
    pub secret: Secret,
}

/// How much a model is to reason before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reasoning {
    None,
    Minimal,
    Low,
    Medium,
    High,
}

impl Reasoning {
    pub const ALL: &[Self] = &[Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High];

    /// As it is written in settings, and for servers that take a word.
    pub const fn label(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// For servers that take a number of tokens.
    pub const fn tokens(self) -> u32 {
        match self {
            Self::None => 0,
            Self::Minimal => 512,
            Self::Low => 1024,
            Self::Medium => 8192,
            Self::High => 24_576,
        }
    }
}

/// Where a model is and how it is addressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    pub protocol: Protocol,
    /// Up to the version: `https://api.openai.com/v1`. May carry a query (`?api-version=…`), which stays at the
    /// end of the address.
    pub base_url: String,
    pub model: String,
    /// The header the key goes in, lower case, and what stands before it: `authorization`, `Bearer `.
    pub key_header: String,
    pub key_prefix: String,
    /// Further headers, names in lower case: versions, organisations. Nothing secret.
    pub headers: Vec<(String, String)>,
    /// Headers whose values are secret, names in lower case: what a gateway wants besides the key.
    pub secret_headers: Vec<(String, Secret)>,
    /// How much the model is to reason; `None` leaves it to the server.
    pub reasoning: Option<Reasoning>,
}

/// Prices in US dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    pub input: f64,
    /// What the provider's cache held; the price of input where it is not given.
    pub cached: Option<f64>,
    pub output: f64,
}

/// Everything about one model judge.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelSettings {
    /// The judge's name: `[judge.NAME]`.
    pub name: String,
    pub endpoint: Endpoint,
    /// None for a server that wants no key.
    pub keys: Vec<AccountKey>,
    /// Requests in flight at once, at most.
    pub concurrency: usize,
    /// Time for one request.
    pub timeout: Duration,
    /// Time for everything that one record needs.
    pub record_timeout: Duration,
    /// Tries of one request, the first included; at least 3.
    pub attempts: u32,
    /// Tokens that a reply may have.
    pub max_output: u32,
    /// Tokens that request and reply may have together.
    pub context: u32,
    /// Items of a comparison that go into one question, at most: 1 to 10.
    pub items_per_request: usize,
    pub temperature: f64,
    pub seed: Option<u64>,
    /// `None` where nobody said: cost is then unknown, not nothing.
    pub prices: Option<Prices>,
}
