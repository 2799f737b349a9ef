//! The settings: defaults, then the file, then the environment, then flags; each value knows which of
//! them it came from.
//!
//! Must not know the store or the screen, and of the judges only how they are reached.

mod choices;
mod egress;
mod error;
mod file;
mod hook;
mod judge;
mod keys;
mod own_keys;
mod rows;
mod table;

use std::cell::RefCell;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::blind::OVERLAP as OVERLAPPING;
use crate::domain::finding::{Granularity, Threshold};
use crate::domain::ids::Annotator;
use crate::domain::routing::Policy;
use crate::judge::settings::ModelSettings;
use crate::text::sanitize::{first_unseen, visible};
use file::{FileLayer, Raw, find_file};

pub use choices::{Advance, Egress, HookOn, ThemeName};
pub use error::ConfigError;
pub use hook::{Hook, hook_trouble};
pub use judge::NamedJudge;
pub use own_keys::OwnKeys;
pub use rows::Row;

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Environment(&'static str),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(variable) => write!(f, "environment variable {variable}"),
            Self::Flag(flag) => write!(f, "flag {flag}"),
        }
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

/// The name of the judge inside juror.
pub const LOCAL: &str = "local";

/// A setting as it is named in the file and the environment.
#[derive(Debug, PartialEq, Eq)]
struct Key {
    /// Its place in the file, `section.key`.
    name: &'static str,
    variable: &'static str,
    /// What may stand there, to end the sentence "use …".
    allowed: &'static str,
}

macro_rules! keys {
    ($($ident:ident = $name:literal, $variable:literal, $allowed:literal;)+) => {
        $(const $ident: Key = Key { name: $name, variable: $variable, allowed: $allowed };)+
        /// Every setting that the file may hold.
        const KEYS: &[&Key] = &[$(&$ident),+];
    };
}

keys! {
    DB = "db", "JUROR_DB", "the path of a file on a local disk";
    ANNOTATOR = "annotator", "JUROR_ANNOTATOR", "a name of 1 to 100 printable characters";
    JUDGE = "judge", "JUROR_JUDGE", "\"local\" or the name of a table [judge.NAME]";
    THEME = "theme", "JUROR_THEME", "\"dark\", \"light\" or \"mono\"";
    EGRESS = "egress", "JUROR_EGRESS", "\"any\" or \"none\"";
    MIN_VISIBLE = "review.min_visible_ms", "JUROR_REVIEW_MIN_VISIBLE_MS", "a whole number of milliseconds from 0 to 10000";
    ADVANCE = "review.auto_advance", "JUROR_REVIEW_AUTO_ADVANCE", "\"always\", \"confirm\" (after an override only once it has its reason) or \"never\"";
    BLIND = "review.blind", "JUROR_REVIEW_BLIND", "true or false";
    OVERLAP = "review.overlap", "JUROR_REVIEW_OVERLAP", "a whole number of people from 1 to 100";
    BELL = "review.bell", "JUROR_REVIEW_BELL", "true or false";
    MOUSE = "review.mouse", "JUROR_REVIEW_MOUSE", "true or false";
    NOTIFY = "review.notify", "JUROR_REVIEW_NOTIFY", "true or false";
    CONCURRENCY = "auditor.concurrency", "JUROR_AUDITOR_CONCURRENCY", "a whole number from 1 to 256";
    GRANULARITY = "auditor.granularity", "JUROR_AUDITOR_GRANULARITY", "\"sentence\" or \"atomic\"";
    THRESHOLD = "auditor.threshold", "JUROR_AUDITOR_THRESHOLD", "\"semantic\" or \"exact\"";
    CONSTRAINTS = "auditor.constraints", "JUROR_AUDITOR_CONSTRAINTS", "a text of at most 4000 characters";
    HOOK = "review.hook", "JUROR_REVIEW_HOOK", "a list of a program and its arguments, [\"notify-send\", \"juror\"]";
    HOOK_ON = "review.hook_on", "JUROR_REVIEW_HOOK_ON", "\"high\" (HIGH or CRITICAL ones) or \"critical\"";
    HOOK_PAUSE = "review.hook_pause_s", "JUROR_REVIEW_HOOK_PAUSE_S", "a whole number of seconds from 0 to 86400";
    LOW_CONFIDENCE = "routing.low_confidence", "JUROR_ROUTING_LOW_CONFIDENCE", "a number from 0 to 1";
    LOW_SUPPORT = "routing.low_support", "JUROR_ROUTING_LOW_SUPPORT", "a whole number from 0 to 5";
    SPOT_CHECK = "routing.spot_check", "JUROR_ROUTING_SPOT_CHECK", "a number from 0 to 1";
    SPOT_CHECK_NEW = "routing.spot_check_new", "JUROR_ROUTING_SPOT_CHECK_NEW", "a number from 0 to 1";
}

/// What the command line says of the settings.
#[derive(Debug, Clone, Default)]
pub struct Flags {
    pub db: Option<PathBuf>,
    pub config: Option<PathBuf>,
    pub judge: Option<String>,
    pub annotator: Option<String>,
    pub granularity: Option<String>,
    pub theme: Option<String>,
    pub advance: Option<String>,
    /// `--mouse`.
    pub mouse: bool,
    /// `--blind`, or `--open`.
    pub blind: Option<bool>,
    pub no_color: bool,
}

/// What the settings are resolved from, besides flags.
pub struct Surroundings<'a> {
    /// Reads a variable of the environment; an empty one counts as unset.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// Where the file is looked for when nobody names one.
    pub default_file: Option<&'a Path>,
    /// Where the store is when nobody says.
    pub default_db: Option<&'a Path>,
    /// The operating system's name for the person.
    pub os_user: &'a str,
}

/// The settings in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The file that was read, if there was one.
    pub file: Option<PathBuf>,
    pub db: Setting<PathBuf>,
    pub annotator: Setting<Annotator>,
    /// The name of the judge that is meant: [`LOCAL`] or that of a table of the file.
    pub judge: Setting<String>,
    pub theme: Setting<ThemeName>,
    pub egress: Setting<Egress>,
    /// How long an item must have been on the screen before a decision on it counts.
    pub min_visible: Setting<Duration>,
    /// After which decisions the cursor goes on by itself.
    pub advance: Setting<Advance>,
    /// Whether the judge and other people are hidden until the person has committed a verdict.
    pub blind: Setting<bool>,
    /// How many people may give a claim their blind verdict.
    pub overlap: Setting<u8>,
    pub bell: Setting<bool>,
    pub notify: Setting<bool>,
    pub mouse: Setting<bool>,
    /// Records audited at once.
    pub concurrency: Setting<usize>,
    /// How finely an answer is cut into claims.
    pub granularity: Setting<Granularity>,
    /// How close the evidence must be.
    pub threshold: Setting<Threshold>,
    /// What else a judge is to go by, in a person's words; empty for nothing.
    pub constraints: Setting<String>,
    /// Program and arguments to run on dangerous news; empty for none.
    pub hook: Setting<Vec<String>>,
    /// Which news it is run for.
    pub hook_on: Setting<HookOn>,
    /// The least time between two runs.
    pub hook_pause: Setting<Duration>,
    pub low_confidence: Setting<f64>,
    pub low_support: Setting<u8>,
    pub spot_check: Setting<f64>,
    pub spot_check_new: Setting<f64>,
    /// The judges that the file defines, in its order.
    pub judges: Vec<NamedJudge>,
    /// The server that tells how alike two answers are in meaning, where the file names one.
    pub embeddings: Option<NamedJudge>,
    /// The keys that the file gives to commands of the screen, in the order of their lines; not checked yet.
    pub keys: Vec<OwnKeys>,
    /// Settings of the file that there are not; only [`Config::inspect`] lets them pass.
    pub unknown: Vec<UnknownSetting>,
    /// What is wrong with values, in sentences; only [`Config::inspect`] lets them pass.
    pub bad: Vec<String>,
}

/// A setting of the file that there is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSetting {
    /// Its name, or what stands in the place of one that looks like a key.
    pub name: String,
    pub line: usize,
}

impl Config {
    /// Works out every setting.
    ///
    /// # Errors
    /// When one cannot be used, or the file has one that there is not: a misspelt `egress` must not be passed over.
    pub fn resolve(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, ConfigError> {
        let bad = RefCell::default();
        let config = Self::look(flags, surroundings, &bad);
        // The first in the order of the settings, whatever follows from it.
        if let Some(first) = bad.into_inner().into_iter().next() {
            return Err(first);
        }
        let config = config?;
        match (config.unknown.first(), &config.file) {
            (Some(unknown), Some(path)) => Err(ConfigError::UnknownKey {
                path: path.clone(),
                line: unknown.line,
                key: unknown.name.clone(),
                allowed: Self::known_settings(),
            }),
            _ => Ok(config),
        }
    }

    /// The names of all settings, for a sentence.
    pub fn known_settings() -> String {
        KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
    }

    /// The same for a person who looks what is set: settings of the file that there are not are named in
    /// [`Config::unknown`], values that cannot be used in [`Config::bad`], with the default in their place.
    ///
    /// # Errors
    /// When the file cannot be read, or a table of it cannot be used.
    pub fn inspect(flags: &Flags, surroundings: &Surroundings<'_>) -> Result<Self, ConfigError> {
        let bad = RefCell::default();
        let mut config = Self::look(flags, surroundings, &bad)?;
        config.bad = bad.into_inner().iter().map(ToString::to_string).collect();
        Ok(config)
    }

    fn look(
        flags: &Flags,
        surroundings: &Surroundings<'_>,
        bad: &RefCell<Vec<ConfigError>>,
    ) -> Result<Self, ConfigError> {
        let layers = Layers { file: find_file(flags, surroundings)?, surroundings, bad };
        let policy = Policy::default();
        let flag = |value: Option<&str>| value.map(|text| Raw::Text(text.to_owned()));
        let db_flag = flags.db.as_deref().map(Path::to_path_buf);
        let db = match (db_flag, surroundings.default_db) {
            (Some(value), _) => Setting { value, origin: Origin::Flag("--db") },
            (None, default) => {
                let found = layers.get(&DB, None, None, |raw| raw.text().map(|text| Some(text.into())));
                let value = found.value.or_else(|| default.map(Path::to_path_buf));
                Setting { value: value.ok_or(ConfigError::NoHome)?, origin: found.origin }
            }
        };
        let config = Self {
            db,
            annotator: layers.get(
                &ANNOTATOR,
                flag(flags.annotator.as_deref()).map(|raw| (raw, "--by")),
                Annotator::new(surroundings.os_user),
                |raw| raw.text().and_then(annotator),
            ),
            judge: layers.get(
                &JUDGE,
                flag(flags.judge.as_deref()).map(|raw| (raw, "--judge")),
                LOCAL.to_owned(),
                |raw| raw.text().map(str::to_owned),
            ),
            theme: layers.theme(flag(flags.theme.as_deref()).map(|raw| (raw, "--theme")), flags.no_color),
            egress: layers.get(&EGRESS, None, Egress::Any, |raw| {
                [Egress::Any, Egress::None].into_iter().find(|egress| raw.text() == Some(egress.label()))
            }),
            min_visible: layers.get(&MIN_VISIBLE, None, Duration::from_millis(250), |raw| {
                raw.whole(0..=10_000).map(|millis| Duration::from_millis(millis.unsigned_abs()))
            }),
            advance: layers.get(
                &ADVANCE,
                flag(flags.advance.as_deref()).map(|raw| (raw, "--auto-advance")),
                Advance::Always,
                |raw| Advance::ALL.into_iter().find(|advance| raw.text() == Some(advance.label())),
            ),
            blind: layers.get(
                &BLIND,
                flags.blind.map(|blind| (Raw::Truth(blind), if blind { "--blind" } else { "--open" })),
                false,
                Raw::truth,
            ),
            overlap: layers.get(&OVERLAP, None, OVERLAPPING, |raw| {
                raw.whole(1..=100).and_then(|number| u8::try_from(number).ok())
            }),
            bell: layers.get(&BELL, None, false, Raw::truth),
            mouse: layers.get(
                &MOUSE,
                flags.mouse.then_some((Raw::Truth(true), "--mouse")),
                false,
                Raw::truth,
            ),
            notify: layers.get(&NOTIFY, None, false, Raw::truth),
            concurrency: layers.get(&CONCURRENCY, None, default_concurrency(), |raw| {
                raw.whole(1..=256).and_then(|number| usize::try_from(number).ok())
            }),
            granularity: layers.get(
                &GRANULARITY,
                flag(flags.granularity.as_deref()).map(|raw| (raw, "--granularity")),
                Granularity::default(),
                |raw| raw.text().and_then(Granularity::from_label),
            ),
            threshold: layers.get(&THRESHOLD, None, Threshold::default(), |raw| {
                raw.text().and_then(Threshold::from_label)
            }),
            constraints: layers.get(&CONSTRAINTS, None, String::new(), |raw| {
                let text = raw.text()?.trim();
                (text.chars().count() <= LONGEST_CONSTRAINTS).then(|| text.to_owned())
            }),
            hook: layers.get(&HOOK, None, Vec::new(), Raw::list),
            hook_on: layers.get(&HOOK_ON, None, HookOn::High, |raw| {
                HookOn::ALL.into_iter().find(|on| raw.text() == Some(on.label()))
            }),
            hook_pause: layers.get(&HOOK_PAUSE, None, hook::PAUSE, |raw| {
                raw.whole(0..=86_400).map(|seconds| Duration::from_secs(seconds.unsigned_abs()))
            }),
            low_confidence: layers.get(&LOW_CONFIDENCE, None, policy.low_confidence, Raw::share),
            low_support: layers.get(&LOW_SUPPORT, None, policy.low_support, |raw| {
                raw.whole(0..=5).and_then(|number| u8::try_from(number).ok())
            }),
            spot_check: layers.get(&SPOT_CHECK, None, policy.spot_check, Raw::share),
            spot_check_new: layers.get(&SPOT_CHECK_NEW, None, policy.spot_check_new, Raw::share),
            judges: layers.judges()?,
            embeddings: layers.embeddings()?,
            keys: layers
                .file
                .as_ref()
                .map_or(Ok(Vec::new()), |file| own_keys::own_keys(&file.path, &file.keys))?,
            bad: Vec::new(),
            unknown: layers.file.as_ref().map(|file| file.unknown(KEYS)).unwrap_or_default(),
            file: layers.file.map(|file| file.path),
        };
        config.knows_its_judge(surroundings)?;
        config.keeps_to_egress()?;
        Ok(config)
    }

    fn knows_its_judge(&self, surroundings: &Surroundings<'_>) -> Result<(), ConfigError> {
        let name = &self.judge.value;
        if name == LOCAL || self.model_judge().is_some() {
            return Ok(());
        }
        let shown = if keys::looks_like_a_key(name) { "…".into() } else { visible(name) };
        let names = self.judges.iter().map(NamedJudge::name);
        let file = self.file.as_deref().or(surroundings.default_file);
        Err(ConfigError::UnknownJudge {
            origin: self.judge.origin.clone(),
            judge: shown.into_owned(),
            known: std::iter::once(LOCAL).chain(names).map(str::to_owned).collect(),
            file: file.map(|file| visible(&file.to_string_lossy()).into_owned()),
        })
    }

    /// The judge that is meant, when it is a model.
    pub fn model_judge(&self) -> Option<&NamedJudge> {
        self.judges.iter().find(|judge| judge.name() == self.judge.value)
    }

    /// The model that is to judge, with its keys, which are read now; `None` for the local judge.
    ///
    /// # Errors
    /// When a key cannot be had.
    pub fn open_model(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ModelSettings>, ConfigError> {
        self.keeps_to_egress()?;
        self.model_judge().map(|judge| judge.with_keys(variable)).transpose()
    }

    /// The server of embeddings with its keys, which are read now; `None` where the file names none.
    ///
    /// # Errors
    /// When a key cannot be had.
    pub fn open_embeddings(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<ModelSettings>, ConfigError> {
        self.embeddings_keep_to_egress()?;
        self.embeddings.as_ref().map(|server| server.with_keys(variable)).transpose()
    }

    /// The routing policy in force.
    pub fn policy(&self) -> Policy {
        Policy {
            low_confidence: self.low_confidence.value,
            low_support: self.low_support.value,
            spot_check: self.spot_check.value,
            spot_check_new: self.spot_check_new.value,
        }
    }
}

/// A name that a person may go by: 1 to 100 characters that can all be seen, so that no two names look
/// the same, and no blank at either end.
pub fn annotator(name: &str) -> Option<Annotator> {
    let fits =
        (1..=100).contains(&name.chars().count()) && name.trim() == name && first_unseen(name).is_none();
    fits.then(|| Annotator::new(name))
}

/// The longest text of constraints, in characters: it stands in every prompt.
const LONGEST_CONSTRAINTS: usize = 4000;

/// One record at a time for each core but one, so that the screen stays quick.
fn default_concurrency() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| cores.get().saturating_sub(1).clamp(1, 8))
}

struct Layers<'a> {
    file: Option<FileLayer>,
    surroundings: &'a Surroundings<'a>,
    /// Values that cannot be used.
    bad: &'a RefCell<Vec<ConfigError>>,
}

impl Layers<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        (self.surroundings.variable)(name).filter(|text| !text.is_empty())
    }

    fn get<T>(
        &self,
        key: &Key,
        flag: Option<(Raw, &'static str)>,
        default: T,
        parse: impl Fn(&Raw) -> Option<T>,
    ) -> Setting<T> {
        let found = flag
            .map(|(raw, name)| (raw, Origin::Flag(name)))
            .or_else(|| {
                let text = self.variable(key.variable)?;
                Some((Raw::Text(text), Origin::Environment(key.variable)))
            })
            .or_else(|| self.file.as_ref()?.get(key.name));
        let Some((raw, origin)) = found else {
            return Setting { value: default, origin: Origin::Default };
        };
        // What stands for bytes that are no text: two names or paths would be taken for one.
        let is_text = !matches!((&raw, &origin), (Raw::Text(text), Origin::Environment(_)) if text.contains('\u{FFFD}'));
        if let Some(value) = is_text.then(|| parse(&raw)).flatten() {
            return Setting { value, origin };
        }
        self.bad.borrow_mut().push(ConfigError::BadValue {
            origin,
            setting: key.name,
            found: raw.to_string(),
            allowed: if is_text { key.allowed } else { "text in UTF-8" },
        });
        Setting { value: default, origin: Origin::Default }
    }

    fn judges(&self) -> Result<Vec<NamedJudge>, ConfigError> {
        let home = self.variable("HOME").map(PathBuf::from);
        self.file
            .as_ref()
            .map_or(Ok(Vec::new()), |file| judge::judges(&file.path, &file.judges, home.as_deref()))
    }

    fn embeddings(&self) -> Result<Option<NamedJudge>, ConfigError> {
        let home = self.variable("HOME").map(PathBuf::from);
        let Some((file, table)) = self.file.as_ref().and_then(|file| Some((file, file.embeddings.as_ref()?)))
        else {
            return Ok(None);
        };
        judge::embeddings(&file.path, table, home.as_deref()).map(Some)
    }

    /// `--no-color` and `NO_COLOR` mean the mono theme, unless `--theme` or `JUROR_THEME` asks for another one.
    fn theme(&self, flag: Option<(Raw, &'static str)>, no_color: bool) -> Setting<ThemeName> {
        if no_color {
            return Setting { value: ThemeName::Mono, origin: Origin::Flag("--no-color") };
        }
        let is_asked_for = flag.is_some() || self.variable(THEME.variable).is_some();
        if !is_asked_for && self.variable("NO_COLOR").is_some() {
            return Setting { value: ThemeName::Mono, origin: Origin::Environment("NO_COLOR") };
        }
        self.get(&THEME, flag, ThemeName::Dark, |raw| {
            ThemeName::ALL.iter().copied().find(|theme| raw.text() == Some(theme.label()))
        })
    }
}

#[cfg(test)]
mod tests;
