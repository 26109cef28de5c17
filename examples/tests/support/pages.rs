//! Makes Rust modules of the pages of the documentation, one for each page, so that the compiler reads every block.
//!
//! It decides what stands around a block, by the mark above it, and which blocks have none. It reads text and knows no
//! page by name. A mark is a comment that readers of the page do not see:
//!
//! | Mark | The block is |
//! |---|---|
//! | `<!-- compiled: items -->` | items of the page's module |
//! | `<!-- compiled: in impl Shop for Store -->` | part of this, together with all blocks of the same mark |
//! | `<!-- compiled: in async fn call(client: &ShopClient) -->` | the body of this function, which gives `Result<()>` |
//! | `<!-- compiled: in fn parse(text: &str) -> Option<u8> -->` | the body of this function, its value at the end |
//! | `<!-- compiled: file -->` | a file of its own |
//! | `<!-- not compiled: tonic -->` | code of another library, on a page for those who come from it |
//!
//! What a block needs and a reader does not stands between a line `<!-- compiled, not shown` and a line `-->`.

/// A page as Rust.
pub(crate) struct Page {
    /// The items of a module.
    pub(crate) code: String,
    /// Blocks of Rust in it, without those of other libraries.
    pub(crate) blocks: usize,
    /// What is wrong with the page, each with its place.
    pub(crate) faults: Vec<String>,
}

/// Where a block belongs.
enum Mark<'a> {
    Items,
    File,
    Foreign,
    In(&'a str),
}

impl Page {
    /// Reads the page that lies at `path`.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let mut page = Self { code: String::new(), blocks: 0, faults: Vec::new() };
        // Blocks of the same head lie apart on the page and belong together: what a trait asks for is one `impl`.
        let mut parts: Vec<(&str, String)> = Vec::new();
        let mut lines = text.lines().enumerate();
        let mut mark = None;
        while let Some((index, line)) = lines.next() {
            let line = line.trim();
            let place = format!("{path}:{}", index + 1);
            if line == "<!-- compiled, not shown" {
                page.code.extend(
                    lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "-->").map(with_end),
                );
            } else if let Some(text) = line.strip_prefix("<!-- compiled: ") {
                mark = text.strip_suffix(" -->").map(Mark::parse);
            } else if line.starts_with("<!-- not compiled: ") && path.contains("/from-") {
                mark = Some(Some(Mark::Foreign));
            } else if let Some((ticks, language)) = fence(line) {
                let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != ticks);
                let block: String = inside.map(with_end).collect();
                if language == "rust" {
                    match mark {
                        Some(Some(Mark::Foreign)) => {}
                        Some(Some(mark)) => page.add(&mark, &place, &block, &mut parts),
                        Some(None) => {
                            page.faults
                                .push(format!("{place}: the mark above this block says nothing known"));
                        }
                        None => page
                            .faults
                            .push(format!("{place}: no mark above this block says how it is compiled")),
                    }
                }
                mark = None;
            } else if !line.is_empty() {
                mark = None;
            }
        }
        for (head, members) in parts {
            page.code.push_str(&format!("{head} {{\n{members}}}\n"));
        }
        page
    }

    fn add<'a>(&mut self, mark: &Mark<'a>, place: &str, block: &str, parts: &mut Vec<(&'a str, String)>) {
        self.blocks += 1;
        let block = format!("// {place}\n{block}");
        match mark {
            // The caller has left those out.
            Mark::Foreign => {}
            Mark::Items => self.code.push_str(&block),
            Mark::File => self.code.push_str(&format!("mod file_{} {{\n{block}}}\n", self.blocks)),
            Mark::In(head) if head.starts_with("impl") => {
                match parts.iter_mut().find(|(known, _)| known == head) {
                    Some((_, members)) => members.push_str(&block),
                    None => parts.push((head, block)),
                }
            }
            Mark::In(head) if head.contains("->") => {
                self.code.push_str(&format!("pub(crate) {head} {{\n{block}}}\n"));
            }
            Mark::In(head) => {
                self.code.push_str(&format!("pub(crate) {head} -> Result<()> {{\n{block}Ok(())\n}}\n"));
            }
        }
    }
}

impl<'a> Mark<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        match text {
            "items" => Some(Self::Items),
            "file" => Some(Self::File),
            _ => text.strip_prefix("in ").map(Self::In),
        }
    }
}

/// The ticks that open a block, and its language.
fn fence(line: &str) -> Option<(&str, &str)> {
    let ticks = line.len() - line.trim_start_matches('`').len();
    let (ticks, rest) = line.split_at(ticks);
    // What stands behind a comma concerns the tool that shows the page.
    (ticks.len() >= 3).then(|| (ticks, rest.split(',').next().unwrap_or_default().trim()))
}

fn with_end(line: &str) -> String {
    format!("{line}\n")
}
