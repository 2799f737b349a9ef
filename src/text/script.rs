//! Which writing system a text is in. Knows code point ranges and nothing of languages.

/// A writing system, as far as the tool treats it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Script {
    Latin,
    Cyrillic,
    Greek,
    Armenian,
    Georgian,
    Hebrew,
    Arabic,
    Ethiopic,
    Devanagari,
    /// The other scripts of South Asia that put spaces between words: Bengali to Sinhala.
    Indic,
    Thai,
    Lao,
    Tibetan,
    Myanmar,
    Khmer,
    Hangul,
    /// Hiragana and katakana; as the dominant script it means Japanese, kanji counted in.
    Kana,
    Han,
    Other,
}

const COUNT: usize = Script::Other as usize + 1;

impl Script {
    /// Every script, in the order of the definition.
    pub const ALL: [Self; COUNT] = [
        Self::Latin,
        Self::Cyrillic,
        Self::Greek,
        Self::Armenian,
        Self::Georgian,
        Self::Hebrew,
        Self::Arabic,
        Self::Ethiopic,
        Self::Devanagari,
        Self::Indic,
        Self::Thai,
        Self::Lao,
        Self::Tibetan,
        Self::Myanmar,
        Self::Khmer,
        Self::Hangul,
        Self::Kana,
        Self::Han,
        Self::Other,
    ];

    /// The script of one character; `None` for what belongs to no script: digits, punctuation,
    /// spaces, symbols.
    pub fn of(c: char) -> Option<Self> {
        if c.is_ascii() {
            return c.is_ascii_alphabetic().then_some(Self::Latin);
        }
        if !c.is_alphabetic() {
            return None;
        }
        Some(match c {
            '\u{AA}'..='\u{24F}'
            | '\u{250}'..='\u{2B8}'
            | '\u{1D00}'..='\u{1D25}'
            | '\u{1D2C}'..='\u{1D5C}'
            | '\u{1D62}'..='\u{1D65}'
            | '\u{1D6B}'..='\u{1D77}'
            | '\u{1D79}'..='\u{1DBE}'
            | '\u{1E00}'..='\u{1EFF}'
            | '\u{2C60}'..='\u{2C7F}'
            | '\u{A722}'..='\u{A7FF}'
            | '\u{AB30}'..='\u{AB64}'
            | '\u{FB00}'..='\u{FB06}'
            | '\u{FF21}'..='\u{FF5A}' => Self::Latin,
            '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Self::Greek,
            '\u{400}'..='\u{52F}'
            | '\u{1C80}'..='\u{1C8F}'
            | '\u{2DE0}'..='\u{2DFF}'
            | '\u{A640}'..='\u{A69F}' => Self::Cyrillic,
            '\u{531}'..='\u{58F}' | '\u{FB13}'..='\u{FB17}' => Self::Armenian,
            '\u{10A0}'..='\u{10FF}' | '\u{1C90}'..='\u{1CBF}' | '\u{2D00}'..='\u{2D2F}' => Self::Georgian,
            '\u{591}'..='\u{5F4}' | '\u{FB1D}'..='\u{FB4F}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}'
            | '\u{750}'..='\u{77F}'
            | '\u{870}'..='\u{8FF}'
            | '\u{FB50}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFC}' => Self::Arabic,
            '\u{1200}'..='\u{139F}' | '\u{2D80}'..='\u{2DDF}' | '\u{AB01}'..='\u{AB2F}' => Self::Ethiopic,
            '\u{900}'..='\u{97F}' | '\u{A8E0}'..='\u{A8FF}' => Self::Devanagari,
            '\u{980}'..='\u{DFF}' => Self::Indic,
            '\u{E00}'..='\u{E7F}' => Self::Thai,
            '\u{E80}'..='\u{EFF}' => Self::Lao,
            '\u{F00}'..='\u{FFF}' => Self::Tibetan,
            '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' => Self::Myanmar,
            '\u{1780}'..='\u{17FF}' => Self::Khmer,
            '\u{1100}'..='\u{11FF}'
            | '\u{3131}'..='\u{318E}'
            | '\u{A960}'..='\u{A97F}'
            | '\u{AC00}'..='\u{D7FF}'
            | '\u{FFA0}'..='\u{FFDC}' => Self::Hangul,
            '\u{3041}'..='\u{30FF}'
            | '\u{31F0}'..='\u{31FF}'
            | '\u{FF66}'..='\u{FF9F}'
            | '\u{1B000}'..='\u{1B16F}' => Self::Kana,
            '\u{3005}'..='\u{3007}'
            | '\u{3021}'..='\u{3029}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}' => Self::Han,
            _ => Self::Other,
        })
    }
}

/// The script that most letters of `text` belong to; `None` when it has no letters. A text of kanji
/// with at least one kana in ten is [`Script::Kana`].
pub fn dominant_script(text: &str) -> Option<Script> {
    let mut counts = [0usize; COUNT];
    for script in text.chars().filter_map(Script::of) {
        counts[script as usize] += 1;
    }
    let japanese = counts[Script::Kana as usize] + counts[Script::Han as usize];
    if counts[Script::Kana as usize] * 10 >= japanese && counts[Script::Kana as usize] > 0 {
        counts[Script::Kana as usize] = japanese;
        counts[Script::Han as usize] = 0;
    }
    let most = counts.iter().copied().max().filter(|&most| most > 0)?;
    Script::ALL.into_iter().find(|&script| counts[script as usize] == most)
}

/// Whether words of this script stand apart by spaces, so that they can be told without a dictionary.
pub fn has_word_breaks(script: Script) -> bool {
    !matches!(script, Script::Han | Script::Kana) && !needs_dictionary(script)
}

/// Whether only a dictionary can tell the words of this script apart.
pub fn needs_dictionary(script: Script) -> bool {
    matches!(script, Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar | Script::Tibetan)
}

/// Whether the texts are in the same writing, as far as they are in any. Japanese and Chinese are one here: a short
/// text does not tell which of them it is.
pub fn same_script(a: &str, b: &str) -> Option<bool> {
    let family = |text: &str| {
        dominant_script(text).map(|script| if script == Script::Kana { Script::Han } else { script })
    };
    Some(family(a)? == family(b)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn j55_the_script_decides_the_segmenter() {
        let cases = [
            ("The dose is 5 mg.", Script::Latin),
            ("Straße, naïve, Łódź", Script::Latin),
            ("Доза составляет 5 мг", Script::Cyrillic),
            ("Η δόση είναι 5 mg", Script::Greek),
            ("دوز دارو ۵ میلی‌گرم است", Script::Arabic),
            ("המינון הוא 5", Script::Hebrew),
            ("खुराक पाँच है", Script::Devanagari),
            ("ขนาดยาคือ 5 มก.", Script::Thai),
            ("剂量为五毫克", Script::Han),
            ("東京大学附属病院の患者", Script::Han),
            ("用量は一日五ミリグラムです", Script::Kana),
            ("용량은 5 mg입니다", Script::Hangul),
        ];
        for (text, script) in cases {
            assert_eq!(dominant_script(text), Some(script), "{text}");
        }
        assert_eq!(dominant_script("12 + 3 = 15 🙂"), None);
        assert_eq!(dominant_script(""), None);
    }

    #[test]
    fn j55_scripts_without_spaces_are_known() {
        assert!(has_word_breaks(Script::Latin) && has_word_breaks(Script::Hangul));
        for script in [Script::Han, Script::Kana, Script::Thai, Script::Lao, Script::Khmer, Script::Myanmar] {
            assert!(!has_word_breaks(script), "{script:?}");
        }
    }

    #[test]
    fn all_lists_each_script_at_its_own_place() {
        for (at, script) in Script::ALL.into_iter().enumerate() {
            assert_eq!(script as usize, at);
        }
    }
}
