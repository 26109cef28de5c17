//! Why no code could be generated, told so that the author of a schema or of a `build.rs` knows what to do.

use std::fmt;
use std::path::PathBuf;

/// Why no code could be generated.
///
/// `Debug` prints what `Display` does: a `build.rs` that unwraps then shows `file:line:column: message` and no
/// structure around it.
#[non_exhaustive]
pub enum Error {
    /// The schema is wrong, or could not be read.
    Schema(trunkline_schema::Error),
    /// A descriptor set does not have a file that was asked for.
    NotInSet {
        /// The file.
        file: String,
    },
    /// The schema has something that messages cannot be generated for.
    Messages {
        /// What, in the words of the message generator.
        message: String,
    },
    /// Generated code is no Rust. This is a mistake of this crate.
    Syntax {
        /// The file that was being written.
        file: String,
        /// What the parser said.
        message: String,
    },
    /// The configuration asks for something impossible.
    Config {
        /// What.
        message: String,
    },
    /// A file or folder could not be read or written.
    Io {
        /// Which one.
        path: PathBuf,
        /// What the operating system said.
        cause: std::io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema(fault) => write!(out, "{fault}"),
            Self::NotInSet { file } => write!(out, "the descriptor set has no file `{file}`"),
            Self::Messages { message } => write!(out, "messages: {message}"),
            Self::Syntax { file, message } => write!(out, "{file}: generated code is not Rust: {message}"),
            Self::Config { message } => write!(out, "{message}"),
            Self::Io { path, cause } => write!(out, "{}: {cause}", path.display()),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Schema(fault) => Some(fault),
            Self::Io { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

impl From<trunkline_schema::Error> for Error {
    fn from(fault: trunkline_schema::Error) -> Self {
        Self::Schema(fault)
    }
}
