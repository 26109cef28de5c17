//! A Rust source seen as code, comments and literals, exactly enough for the rules of tidy.
//!
//! It tells the three apart and finds the ends of functions; it knows no grammar beyond that, and no rule. A full parser would double
//! the time to build this tool, which everybody waits for before the first check runs.

use std::ops::Range;

/// A source file taken apart.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The text with comments and the insides of literals replaced by spaces; byte for byte as long as the original.
    pub(crate) code: String,
    pub(crate) literals: Vec<Literal>,
    pub(crate) lines: Vec<Line>,
    /// Where each line of `code` starts.
    starts: Vec<usize>,
}

/// The inside of a string or byte string as written, escapes and all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Literal {
    /// Counted from 1, as editors do.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// What one line holds. A blank line holds nothing.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) code: bool,
    pub(crate) doc: bool,
    pub(crate) comment: bool,
    /// Part of a `#[cfg(test)] mod … { … }`.
    pub(crate) test: bool,
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// From the line with `fn` to the one with the closing brace, both counted.
    pub(crate) length: usize,
}

/// Takes `text` apart. Text that is not Rust gives some answer, never a panic: rustc is the judge of that.
pub(crate) fn scan(text: &str) -> Source {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0, out: Vec::new(), source: Source::default() };
    scanner.source.lines.push(Line::default());
    scanner.source.starts.push(0);
    while scanner.at < scanner.bytes.len() {
        scanner.step();
    }
    scanner.finish()
}

impl Source {
    /// The line, counted from 1, that holds byte `offset` of the code.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset)
    }

    /// The identifiers and keywords of the code with their offsets.
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at + self.code[at..].find(is_word)?;
            at = start + self.code[start..].find(|c| !is_word(c)).unwrap_or(self.code.len() - start);
            Some((start, &self.code[start..at]))
        })
    }

    /// Every function with a body, nested ones on their own as well.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let mut words = self.words().peekable();
        let mut functions = Vec::new();
        while let Some((offset, word)) = words.next() {
            let Some(&(name_at, name)) = words.peek() else { break };
            // `fn(u8)` is a type: what follows the keyword of a declaration is white space and a name.
            if word != "fn" || !self.code[offset + 2..name_at].chars().all(char::is_whitespace) {
                continue;
            }
            if let Some(body) = self.body(name_at) {
                let line = self.line_of(offset);
                let length = self.line_of(body.end) - line + 1;
                functions.push(Function { name: name.to_owned(), line, length });
            }
        }
        functions
    }

    /// The braces that follow `from`, unless a `;` outside of parentheses and brackets comes first.
    fn body(&self, from: usize) -> Option<Range<usize>> {
        let mut depth = 0_i32;
        for (index, byte) in self.code.bytes().enumerate().skip(from) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                b';' if depth == 0 => return None,
                b'{' if depth == 0 => return Some(index..self.close(index)),
                _ => {}
            }
        }
        None
    }

    /// The offset of the brace that closes the one at `open`, or the end of the text.
    fn close(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, byte) in self.code.bytes().enumerate().skip(open) {
            match byte {
                b'{' => depth += 1,
                b'}' if depth == 1 => return index,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        self.code.len()
    }

    fn mark_tests(&mut self) {
        let mut spans = Vec::new();
        for (offset, attribute) in self.code.match_indices("#[cfg(test)]") {
            let after = offset + attribute.len();
            let opens_module = self.code[after..].trim_start().starts_with("mod ");
            if let Some(body) = self.body(after).filter(|_| opens_module) {
                spans.push(self.line_of(offset)..=self.line_of(body.end));
            }
        }
        for number in spans.into_iter().flatten() {
            self.lines[number - 1].test = true;
        }
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// What a run of bytes is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Literal,
    Comment,
    Doc,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    out: Vec<u8>,
    source: Source,
}

impl Scanner<'_> {
    fn step(&mut self) {
        match self.bytes[self.at..] {
            [b'/', b'/', ..] => self.line_comment(),
            [b'/', b'*', ..] => self.block_comment(),
            [b'"', ..] => self.string(0, true),
            [b'\'', ..] => self.quote(),
            [b'r' | b'b' | b'c', ..] if !self.follows_word() => self.prefixed(),
            _ => self.take(1, Kind::Code),
        }
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        let is_doc = rest.starts_with(b"//!") || (rest.starts_with(b"///") && !rest.starts_with(b"////"));
        self.take(length, if is_doc { Kind::Doc } else { Kind::Comment });
    }

    fn block_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let is_doc = rest.starts_with(b"/*!") || (rest.starts_with(b"/**") && !rest.starts_with(b"/**/"));
        let (mut length, mut depth) = (0, 0);
        // Block comments nest in Rust.
        while length < rest.len() {
            match rest[length..] {
                [b'/', b'*', ..] => (depth, length) = (depth + 1, length + 2),
                [b'*', b'/', ..] => (depth, length) = (depth - 1, length + 2),
                _ => length += 1,
            }
            if depth == 0 {
                break;
            }
        }
        self.take(length, if is_doc { Kind::Doc } else { Kind::Comment });
    }

    /// At the opening quote, which `hashes` number signs precede.
    fn string(&mut self, hashes: usize, has_escapes: bool) {
        self.take(1, Kind::Code);
        let rest = &self.bytes[self.at..];
        let mut length = 0;
        while length < rest.len() {
            let closes = rest[length] == b'"'
                && rest[length + 1..].iter().take_while(|&&byte| byte == b'#').count() >= hashes;
            if closes {
                break;
            }
            length += if has_escapes && rest[length] == b'\\' { 2 } else { 1 };
        }
        let length = length.min(rest.len());
        let text = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.source.literals.push(Literal { line: self.source.lines.len(), text });
        self.take(length, Kind::Literal);
        self.take(1 + hashes, Kind::Code);
    }

    /// At a single quote: a character, or the start of a lifetime.
    fn quote(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let inside = match rest {
            [b'\\', ..] => rest.iter().skip(2).position(|&byte| byte == b'\'').map(|index| index + 2),
            // One character is at most four bytes; whatever is longer is a lifetime.
            [_, after @ ..] => after
                .iter()
                .position(|&byte| byte == b'\'' || byte < 0x80)
                .filter(|&index| index < 4 && after[index] == b'\'')
                .map(|index| index + 1),
            [] => None,
        };
        self.take(1, Kind::Code);
        if let Some(length) = inside {
            self.take(length, Kind::Literal);
            self.take(1, Kind::Code);
        }
    }

    /// At a letter that may belong to a literal: `r"`, `br#"`, `b'`, or just a name.
    fn prefixed(&mut self) {
        let rest = &self.bytes[self.at..];
        let letters = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
        let is_raw = matches!(&rest[..letters], b"r" | b"br" | b"cr");
        let is_plain = matches!(&rest[..letters], b"b" | b"c");
        let hashes = rest[letters..].iter().take_while(|&&byte| byte == b'#').count();
        match rest.get(letters + hashes) {
            Some(b'"') if is_raw => {
                self.take(letters + hashes, Kind::Code);
                self.string(hashes, false);
            }
            Some(b'"') if is_plain && hashes == 0 => {
                self.take(letters, Kind::Code);
                self.string(0, true);
            }
            _ => self.take(1, Kind::Code),
        }
    }

    fn follows_word(&self) -> bool {
        self.at > 0
            && matches!(self.bytes[self.at - 1], b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80..)
    }

    /// Moves over `count` bytes, or what is left of the text.
    fn take(&mut self, count: usize, kind: Kind) {
        let end = self.bytes.len().min(self.at + count);
        for &byte in &self.bytes[self.at..end] {
            if byte == b'\n' {
                self.out.push(byte);
                self.source.lines.push(Line::default());
                self.source.starts.push(self.out.len());
                continue;
            }
            self.out.push(if kind == Kind::Code { byte } else { b' ' });
            if !byte.is_ascii_whitespace() {
                let line = self.source.lines.last_mut().expect("scan pushes the first line");
                match kind {
                    Kind::Code | Kind::Literal => line.code = true,
                    Kind::Comment => line.comment = true,
                    Kind::Doc => line.doc = true,
                }
            }
        }
        self.at = end;
    }

    fn finish(self) -> Source {
        let mut source = self.source;
        // Only whole comments and literals became spaces, so what is left is still UTF-8.
        source.code = String::from_utf8_lossy(&self.out).into_owned();
        // A text that ends with a line feed has no line after it.
        if source.code.ends_with('\n') || source.code.is_empty() {
            source.lines.pop();
        }
        source.mark_tests();
        source
    }
}

#[cfg(test)]
mod tests;
