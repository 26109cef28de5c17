//! Which of our two ways to speak HTTP/2 a program uses, as its command line says.
//!
//! Both programs are started with the same words, so that every case can be run over both.

use trunkline::Http2;

/// Reads the words behind the program's name: none, or one `--http2=engine` or `--http2=hyper`. Without one it is what
/// everybody gets.
///
/// # Errors
/// Any other word.
pub fn chosen(words: impl IntoIterator<Item = String>) -> Result<Http2, String> {
    let mut chosen = Http2::default();
    for word in words {
        chosen = match word.as_str() {
            "--http2=engine" => Http2::Engine,
            "--http2=hyper" => Http2::Hyper,
            _ => return Err(format!("`{word}` is neither --http2=engine nor --http2=hyper")),
        };
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests;
