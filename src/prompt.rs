//! What model judges are asked: the texts in `prompts/`, plain enough for a reviewer to read, or those of a folder
//! that a person keeps. Each names its version, and the SHA-256 of its bytes stands with every verdict.
//!
//! A prompt is filled in one pass: what is filled in is data and never looked at for placeholders. Must not know
//! judges, records or the network.

mod fence;
mod file;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

pub use fence::FenceSecret;
use file::Piece;

macro_rules! fields {
    ($($(#[$meta:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// What a prompt leaves open: `{{question}}`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Field { $($(#[$meta])* $variant),+ }

        impl Field {
            const ALL: &[Self] = &[$(Self::$variant),+];

            /// As it stands between the braces.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

fields! {
    /// How finely an answer is cut: `sentence` or `atomic`.
    Granularity = "granularity",
    /// How close evidence must be: `exact` or `semantic`.
    Threshold = "threshold",
    /// A person's further rules, in their words.
    Constraints = "constraints",
    /// What is at stake.
    RiskLevel = "risk_level",
    /// Worked examples; the prompt's own unless others are given.
    Examples = "examples",
    /// What each score means; the prompt's own unless another is given.
    Rubric = "rubric",
    /// The word that parts data from orders.
    Fence = "fence",
    Question = "question",
    /// The answer, one numbered sentence a line.
    Sentences = "sentences",
    /// Which of the sentences or claims are to be judged.
    Scope = "scope",
    /// The given claims, one a line.
    Claims = "claims",
    Passages = "passages",
    Claim = "claim",
    Passage = "passage",
    Baseline = "baseline",
    Candidate = "candidate",
    Documents = "documents",
    /// Several items, each with its number, question, answers and documents.
    Items = "items",
    /// The JSON Schema that a reply must fit.
    Schema = "schema",
    /// What is wrong with a reply.
    Errors = "errors",
    /// A reply as it came.
    Reply = "reply",
}

/// Which question a prompt asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptId {
    Faithfulness,
    Comparison,
    /// The same about several items at once.
    ComparisonBatch,
    Support,
    /// Writes a reply again that could not be read.
    Repair,
}

impl PromptId {
    pub const ALL: &[Self] =
        &[Self::Faithfulness, Self::Comparison, Self::ComparisonBatch, Self::Support, Self::Repair];

    /// As it stands in the prompt's head.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Faithfulness => "faithfulness",
            Self::Comparison => "comparison",
            Self::ComparisonBatch => "comparison_batch",
            Self::Support => "support",
            Self::Repair => "repair",
        }
    }

    /// The instrument that asks by it.
    pub const fn instrument(self) -> &'static str {
        match self {
            Self::ComparisonBatch => Self::Comparison.label(),
            other => other.label(),
        }
    }

    /// The prompt of that label, if there is one.
    pub fn from_label(label: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|id| id.label() == label)
    }

    /// The JSON Schema of its replies; `None` for a repair, which takes that of what it repairs.
    pub const fn schema(self) -> Option<&'static str> {
        match self {
            Self::Faithfulness => Some(include_str!("../assets/schemas/faithfulness.json")),
            Self::Comparison => Some(include_str!("../assets/schemas/comparison.json")),
            Self::ComparisonBatch => Some(include_str!("../assets/schemas/comparison_batch.json")),
            Self::Support => Some(include_str!("../assets/schemas/support.json")),
            Self::Repair => None,
        }
    }

    /// The schema's name, as it stands in the prompt's head: `none` where there is none.
    pub const fn schema_name(self) -> &'static str {
        if self.schema().is_some() { self.label() } else { "none" }
    }

    /// The placeholders that its text must use, each of them.
    pub const fn fields(self) -> &'static [Field] {
        use Field as F;
        match self {
            Self::Faithfulness => &[
                F::Granularity,
                F::Threshold,
                F::Constraints,
                F::RiskLevel,
                F::Examples,
                F::Fence,
                F::Question,
                F::Sentences,
                F::Scope,
                F::Claims,
                F::Passages,
            ],
            Self::Comparison => &[
                F::Granularity,
                F::Threshold,
                F::Constraints,
                F::RiskLevel,
                F::Examples,
                F::Fence,
                F::Question,
                F::Baseline,
                F::Candidate,
                F::Documents,
            ],
            Self::ComparisonBatch => {
                &[F::Granularity, F::Threshold, F::Constraints, F::Examples, F::Fence, F::Items]
            }
            Self::Support => &[F::Rubric, F::Examples, F::Fence, F::Claim, F::Passage],
            Self::Repair => &[F::Fence, F::Schema, F::Errors, F::Reply],
        }
    }

    const fn embedded(self) -> &'static str {
        match self {
            Self::Faithfulness => include_str!("../prompts/faithfulness.md"),
            Self::Comparison => include_str!("../prompts/comparison.md"),
            Self::ComparisonBatch => include_str!("../prompts/comparison_batch.md"),
            Self::Support => include_str!("../prompts/support.md"),
            Self::Repair => include_str!("../prompts/repair.md"),
        }
    }
}

impl fmt::Display for PromptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// One prompt, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    id: PromptId,
    number: String,
    sha256: String,
    origin: String,
    text: String,
    system: Vec<Piece>,
    user: Vec<Piece>,
    examples: String,
    rubric: String,
}

/// A prompt with everything filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filled {
    pub system: String,
    pub user: String,
}

impl Prompt {
    pub fn id(&self) -> PromptId {
        self.id
    }

    /// Question and version: `faithfulness-1`.
    pub fn version(&self) -> String {
        format!("{}-{}", self.id, self.number)
    }

    /// SHA-256 (hex) of the file's bytes.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The file that it comes from, or `built in`.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The whole file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The worked examples that the file brings.
    pub fn examples(&self) -> &str {
        &self.examples
    }

    /// The rubric that the file brings; empty where there is none.
    pub fn rubric(&self) -> &str {
        &self.rubric
    }

    /// The text with `values` in the places of their names. The prompt's own examples and rubric stand in where
    /// none are given. Values are taken as they are, letter for letter.
    ///
    /// # Errors
    /// When the prompt has a place for which there is no value.
    pub fn fill(&self, values: &[(Field, &str)]) -> Result<Filled, Unfilled> {
        let value = |field: Field| {
            let given = values.iter().find(|(name, _)| *name == field).map(|(_, value)| *value);
            given
                .or(match field {
                    Field::Examples => Some(self.examples.as_str()),
                    Field::Rubric => Some(self.rubric.as_str()),
                    _ => None,
                })
                .ok_or(Unfilled { prompt: self.id, field: field.name() })
        };
        let filled = |pieces: &[Piece]| {
            let mut text = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(part) => text.push_str(part),
                    Piece::Place(field) => text.push_str(value(*field)?),
                }
            }
            Ok(text)
        };
        Ok(Filled { system: filled(&self.system)?, user: filled(&self.user)? })
    }
}

/// A place of a prompt for which there is no value: a fault of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the prompt `{prompt}` has no value for `{{{{{field}}}}}`")]
pub struct Unfilled {
    pub prompt: PromptId,
    pub field: &'static str,
}

/// What is wrong with a prompt, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, as it was named.
    pub file: String,
    /// Its line, from 1; `None` for the file as a whole.
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}

/// Prompts that cannot be used, with everything that is wrong with them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
pub struct PromptError(pub Vec<Problem>);

/// One prompt for each question.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompts {
    /// In the order of [`PromptId::ALL`].
    each: Vec<Prompt>,
}

impl Prompts {
    /// Those that the program brings.
    ///
    /// # Errors
    /// Never with the prompts as they are shipped; a test holds them to that.
    pub fn embedded() -> Result<Self, PromptError> {
        Self::with(Vec::new())
    }

    /// Those that the program brings, each replaced by the file in `folder` whose head names the same id.
    ///
    /// # Errors
    /// When the folder cannot be read or anything in it is wrong; names all of it.
    pub fn from_folder(folder: &Path) -> Result<Self, PromptError> {
        let (prompts, problems) = file::folder(folder);
        if problems.is_empty() { Self::with(prompts) } else { Err(PromptError(problems)) }
    }

    fn with(own: Vec<Prompt>) -> Result<Self, PromptError> {
        let mut own = own;
        let mut each = Vec::new();
        for id in PromptId::ALL {
            each.push(match own.iter().position(|prompt| prompt.id == *id) {
                Some(at) => own.swap_remove(at),
                None => file::read("built in", id.embedded().as_bytes()).map_err(PromptError)?,
            });
        }
        Ok(Self { each })
    }

    pub fn get(&self, id: PromptId) -> &Prompt {
        &self.each[id as usize]
    }

    /// Every prompt, in the order of [`PromptId::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = &Prompt> {
        self.each.iter()
    }
}

/// Everything that is wrong with the prompts in `folder`; nothing when they can be used.
pub fn check(folder: &Path) -> Vec<Problem> {
    file::folder(folder).1
}
