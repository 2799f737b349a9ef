//! Cuts a stream of bytes into lines, holding no more than one unfinished line in memory.

use std::ops::ControlFlow;

/// A line feed ends a line; everything else, a carriage return too, belongs to it.
#[derive(Debug)]
pub(super) struct Splitter {
    limit: usize,
    unfinished: Vec<u8>,
    /// Bytes of the unfinished line that were not kept because it is over the limit.
    dropped: usize,
    /// Lines that came to their end.
    finished: u64,
}

/// A line, or the length in bytes of one that is too long to be kept.
pub(super) type Line<'a> = Result<&'a [u8], usize>;

impl Splitter {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, unfinished: Vec::new(), dropped: 0, finished: 0 }
    }

    /// The number of the last line that came to its end; 0 before the first.
    pub(super) fn finished(&self) -> u64 {
        self.finished
    }

    /// Hands every line that `bytes` brings to its end to `each`, with its number from 1.
    pub(super) fn push<B>(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(u64, Line<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        while let Some(at) = bytes.iter().position(|byte| *byte == b'\n') {
            let (head, tail) = bytes.split_at(at);
            bytes = tail.get(1..).unwrap_or_default();
            if self.unfinished.is_empty() && self.dropped == 0 && head.len() <= self.limit {
                self.finished += 1;
                each(self.finished, Ok(head))?;
            } else {
                self.keep(head);
                self.end_line(each)?;
            }
        }
        self.keep(bytes);
        ControlFlow::Continue(())
    }

    /// The stream is over: what is left is a line that nobody ended.
    pub(super) fn finish<B>(
        &mut self,
        each: &mut impl FnMut(u64, Line<'_>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if self.unfinished.is_empty() && self.dropped == 0 {
            return ControlFlow::Continue(());
        }
        self.end_line(each)
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.dropped == 0 && self.unfinished.len() + bytes.len() <= self.limit {
            self.unfinished.extend_from_slice(bytes);
        } else {
            self.dropped += self.unfinished.len() + bytes.len();
            self.unfinished = Vec::new();
        }
    }

    fn end_line<B>(&mut self, each: &mut impl FnMut(u64, Line<'_>) -> ControlFlow<B>) -> ControlFlow<B> {
        self.finished += 1;
        let line = std::mem::take(&mut self.unfinished);
        match std::mem::take(&mut self.dropped) {
            0 => each(self.finished, Ok(&line)),
            length => each(self.finished, Err(length)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::*;

    fn split(chunks: &[&[u8]], limit: usize) -> Vec<Result<Vec<u8>, usize>> {
        let mut splitter = Splitter::new(limit);
        let mut lines = Vec::new();
        let mut each = |number: u64, line: Line<'_>| -> ControlFlow<Infallible> {
            assert_eq!(number, lines.len() as u64 + 1);
            lines.push(line.map(<[u8]>::to_vec));
            ControlFlow::Continue(())
        };
        for chunk in chunks {
            let _ = splitter.push(chunk, &mut each);
        }
        let _ = splitter.finish(&mut each);
        lines
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_one_read() {
        let lines = split(&[b"12345", b"678\nabc\r\n", b"123456\nend"], 5);
        assert_eq!(lines, [Err(8), Ok(b"abc\r".to_vec()), Err(6), Ok(b"end".to_vec())]);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_the_bytes_arrive(text in "[ab\r\n]{0,40}", size in 1usize..7) {
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            let mut expected: Vec<&str> = text.split('\n').collect();
            if expected.last() == Some(&"") {
                expected.pop();
            }
            let lines: Vec<String> = split(&chunks, 1000)
                .into_iter()
                .map(|line| String::from_utf8(line.expect("below the limit")).unwrap())
                .collect();
            prop_assert_eq!(lines, expected);
        }
    }
}
