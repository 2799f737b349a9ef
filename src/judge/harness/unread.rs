//! Whether a server has read all that it was sent. Some cut what is longer than their context and answer the rest,
//! without a word: an answer to half of the evidence looks like any other.

use std::ops::AddAssign;

/// No context is so short, and some servers count nothing or only what was new to them: a smaller count is not
/// believed.
const SMALLEST_CONTEXT: u64 = 500;
/// Letters after which a run of them is another word: names of substances are cut up by every tokenizer.
const LONGEST_WORD: u32 = 16;

/// At least so many tokens were sent, where the server says that it read fewer.
pub(super) fn sent_at_least(read: Option<u64>, texts: &[&str]) -> Option<u64> {
    let read = read.filter(|read| *read >= SMALLEST_CONTEXT)?;
    let mut count = Count::default();
    for text in texts {
        count += Count::of(text);
    }
    let least = count.fewest_tokens();
    (read < least).then_some(least)
}

/// What every tokenizer must make tokens of.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    /// Runs of letters and digits.
    words: u64,
    /// Letters of scripts that put no blank between words.
    wide: u64,
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.wide += other.wide;
    }
}

impl Count {
    fn of(text: &str) -> Self {
        let mut count = Self::default();
        let mut run = 0;
        for letter in text.chars() {
            if !letter.is_alphanumeric() {
                run = 0;
            } else if is_wide(letter) {
                count.wide += 1;
                run = 0;
            } else {
                count.words += u64::from(run % LONGEST_WORD == 0);
                run += 1;
            }
        }
        count
    }

    /// No tokenizer in use makes fewer. A token does not reach beyond a word, and holds two letters of Chinese,
    /// Japanese or Korean where it is good at them; blanks and signs may go along for nothing. English has about
    /// one and a half tokens to a word by this count. A fifth less, for a tokenizer that joins common words.
    fn fewest_tokens(self) -> u64 {
        (self.words + self.wide / 2) * 4 / 5
    }
}

/// Chinese, Japanese, Korean: from the radicals on, without the letters of Latin in full width.
fn is_wide(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::{PromptId, Prompts};

    fn fewest(text: &str) -> u64 {
        Count::of(text).fewest_tokens()
    }

    /// The counts are those of the tokenizer among `o200k`, `cl100k` and `r50k` that makes the fewest tokens.
    #[test]
    fn no_tokenizer_makes_fewer() {
        for (text, tokens) in [
            ("the of and to in is it for on with ".repeat(100), 1001),
            ("a b c d e f g ".repeat(200), 1401),
            ("1234567890 ".repeat(200), 801),
            (" ".repeat(5000), 40),
            ("================================\n".repeat(100), 200),
            (r#"{"claim_id":"c1","verdict":"SUPPORTED","confidence":0.9},"#.repeat(100), 1701),
            (
                "患者每天服用对乙酰氨基酚的最大剂量为四克，超过此剂量可能导致严重的肝损伤。根据世界卫生组织的建议，\
                 成年人每天摄入的盐量应少于五克。中华人民共和国国务院办公厅关于进一步加强医疗卫生工作的意见。"
                    .repeat(20),
                1320,
            ),
            (
                "用量は一日五ミリグラムです。患者は食後に水と一緒に服用してください。\
                 肝機能障害のある患者では減量が必要です。インフルエンザウイルス感染症の治療に使用されます。"
                    .repeat(20),
                1220,
            ),
            (
                "환자는 하루에 최대 4그램의 아세트아미노펜을 복용할 수 있습니다. 간 기능 장애가 있는 경우 용량을 줄여야 \
                 합니다. "
                    .repeat(20),
                761,
            ),
            (
                "Пациентам с нарушением функции печени следует принимать не более двух граммов парацетамола в сутки. "
                    .repeat(20),
                481,
            ),
            (
                "ผู้ป่วยควรรับประทานยาพาราเซตามอลไม่เกินวันละสี่กรัมเพราะอาจทำให้ตับเสียหายอย่างรุนแรง"
                    .repeat(20),
                800,
            ),
        ] {
            let least = fewest(&text);
            assert!(least <= tokens * 4 / 5, "{least} of {tokens}: {}", text.chars().take(40).collect::<String>());
        }
    }

    /// By the tokenizer of those three that makes the fewest, they have 3.9 to 4.2 bytes to a token.
    #[test]
    fn of_the_prompts_that_ship_half_is_missed_and_a_whole_is_not() {
        let prompts = Prompts::embedded().expect("the prompts that ship");
        for id in PromptId::ALL {
            let text = prompts.get(*id).text();
            let (least, bytes) = (fewest(text), text.len() as u64);
            let tokens = bytes * 10 / 42;
            assert!(least < tokens * 7 / 10, "{id}: {least} of {tokens}");
            assert!(least > tokens * 9 / 20, "{id}: {least} of {tokens}");
            if least > SMALLEST_CONTEXT {
                assert_eq!(sent_at_least(Some(tokens), &[text]), None, "{id}");
                let cut = sent_at_least(Some((tokens * 9 / 20).max(SMALLEST_CONTEXT)), &[text]);
                assert_eq!(cut, Some(least), "{id}");
            }
        }
    }

    #[test]
    fn j54_a_prompt_of_which_the_half_was_read_is_found_out() {
        let evidence = "The maximum dose of paracetamol for an adult is 4 g in 24 hours. ".repeat(600);
        assert_eq!(sent_at_least(Some(4096), &["You judge.", &evidence]), Some(6721));
        assert_eq!(sent_at_least(Some(10_800), &["You judge.", &evidence]), None, "all of it");
        assert_eq!(sent_at_least(None, &[&evidence]), None, "not said");
        assert_eq!(sent_at_least(Some(13), &[&evidence]), None, "not believed");
        assert_eq!(sent_at_least(Some(4096), &["short"]), None);
    }
}
