//! What can be wrong with a schema, and whose fault it is: the author of a source, the maker of a descriptor set, or
//! the file system. It knows nothing about how descriptors are used.

use std::fmt;

/// Why a schema could not be loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The author of a `.proto` source made a mistake, or a file that it imports is not there.
    Source {
        /// Where the mistake is, as far as it is known.
        place: Option<Place>,
        /// What is wrong there.
        message: Box<str>,
    },
    /// A file could not be read.
    Read {
        /// Which one and why, in words.
        message: Box<str>,
        /// What the operating system said.
        cause: Option<std::io::Error>,
    },
    /// The bytes of a descriptor set are not what the format allows.
    Set {
        /// The described file that is wrong, when it is one file's fault.
        file: Option<Box<str>>,
        /// What was seen.
        message: Box<str>,
    },
}

/// A place in a source file. Lines and columns count from one, as editors do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The name of the file as an `import` would write it.
    pub file: Box<str>,
    /// Line and column, when the mistake is at one place of the file.
    pub line_column: Option<(u32, u32)>,
}

impl Error {
    /// A fault of a set as a whole.
    pub(crate) fn set(message: impl Into<Box<str>>) -> Self {
        Self::Set { file: None, message: message.into() }
    }

    /// A fault of one file of a set.
    pub(crate) fn in_file(file: &str, message: impl Into<Box<str>>) -> Self {
        Self::Set { file: Some(file.into()), message: message.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line_column {
            Some((line, column)) => write!(out, "{}:{line}:{column}", self.file),
            None => write!(out, "{}", self.file),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source { place: Some(place), message } => write!(out, "{place}: {message}"),
            Self::Source { place: None, message } => write!(out, "{message}"),
            Self::Read { message, cause: Some(cause) } => write!(out, "{message}: {cause}"),
            Self::Read { message, cause: None } => write!(out, "{message}"),
            Self::Set { file: Some(file), message } => write!(out, "descriptor set: {file}: {message}"),
            Self::Set { file: None, message } => write!(out, "descriptor set: {message}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { cause: Some(cause), .. } => Some(cause),
            _ => None,
        }
    }
}
