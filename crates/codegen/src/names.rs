//! Which Rust names a service and its methods get. It knows no code around the names. Names on the wire are not its
//! business: those never change.

use std::collections::BTreeSet;

use trunkline_schema::Service;

/// Names that a method of the client cannot have: its constructors, and methods of `Clone`, `Into` and `AsRef` that
/// would be found first on the client or on the `Arc` around a service.
const TAKEN_METHODS: [&str; 8] =
    ["new", "connect", "clone", "clone_from", "into", "try_into", "as_ref", "to_owned"];

/// Keywords that may be written raw (Rust reference, "Keywords", editions up to 2024).
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Keywords that may not even be written raw.
const STRICT_KEYWORDS: [&str; 4] = ["crate", "self", "super", "Self"];

/// The names of one service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServiceNames {
    /// The trait, such as `Greet`.
    pub(crate) service: String,
    /// Such as `GreetServer`.
    pub(crate) server: String,
    /// Such as `GreetClient`.
    pub(crate) client: String,
    /// The module of the procedures, such as `greet`.
    pub(crate) module: String,
    /// The names of each method, in the order of the methods.
    pub(crate) methods: Vec<MethodNames>,
}

/// The names of one method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MethodNames {
    /// The function of trait and client, such as `say_hello`.
    pub(crate) function: String,
    /// The function of the client that takes options, for methods whose both sides stream.
    pub(crate) with_options: String,
    /// The constant of the procedure, such as `SAY_HELLO`.
    pub(crate) constant: String,
}

/// Names the services of one package. `taken` are the names of the package's other items, in both of Rust's
/// namespaces; the chosen names are added.
pub(crate) fn of_services(services: &[&Service], taken: &mut BTreeSet<String>) -> Vec<ServiceNames> {
    // All traits come first: what a user implements keeps its name rather than what is derived from another service.
    let traits: Vec<String> =
        services.iter().map(|service| claim(upper_camel(&service.name), taken)).collect();
    services
        .iter()
        .zip(traits)
        .map(|(service, name)| ServiceNames {
            server: claim(format!("{}Server", upper_camel(&service.name)), taken),
            client: claim(format!("{}Client", upper_camel(&service.name)), taken),
            module: escape(&claim(plain(&service.name), taken)),
            methods: of_methods(service),
            service: name,
        })
        .collect()
}

/// Names the methods of a service: functions among each other and beside those that each client has, constants among
/// each other.
fn of_methods(service: &Service) -> Vec<MethodNames> {
    let mut functions: BTreeSet<String> = TAKEN_METHODS.iter().map(|name| (*name).to_owned()).collect();
    let mut constants = BTreeSet::new();
    let mut names: Vec<MethodNames> = service
        .methods
        .iter()
        .map(|method| MethodNames {
            function: escape(&claim(plain(&method.name), &mut functions)),
            with_options: String::new(),
            constant: claim(snake(&method.name).to_ascii_uppercase(), &mut constants),
        })
        .collect();
    // Methods of the schema come first; what we add to them gives way.
    for (method, names) in service.methods.iter().zip(&mut names) {
        if method.client_streaming && method.server_streaming {
            let function = names.function.trim_start_matches("r#");
            names.with_options = claim(format!("{function}_with"), &mut functions);
        }
    }
    names
}

/// Takes `name`, or the first of it with underscores behind that is free.
fn claim(mut name: String, taken: &mut BTreeSet<String>) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The name in snake case, with an underscore behind a keyword that cannot be written raw.
fn plain(name: &str) -> String {
    let name = snake(name);
    if STRICT_KEYWORDS.contains(&name.as_str()) { format!("{name}_") } else { name }
}

/// Makes an identifier of a name that may be a keyword.
pub(crate) fn escape(name: &str) -> String {
    if STRICT_KEYWORDS.contains(&name) {
        format!("{name}_")
    } else if KEYWORDS.contains(&name) {
        format!("r#{name}")
    } else {
        name.to_owned()
    }
}

/// Escapes each segment of a path. `super`, `self` and `crate` keep their meaning there.
pub(crate) fn escape_path(path: &str) -> String {
    let segment = |segment: &str| {
        if STRICT_KEYWORDS.contains(&segment) { segment.to_owned() } else { escape(segment) }
    };
    path.split("::").map(segment).collect::<Vec<_>>().join("::")
}

/// `GetHTTPInfo` and `get_http_info` become `get_http_info`.
pub(crate) fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::with_capacity(name.len() + 4);
    for (at, &this) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let starts_word = this.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if starts_word {
            out.push('_');
        }
        out.push(this.to_ascii_lowercase());
    }
    // A lone underscore is a pattern, not a name.
    if out.bytes().all(|byte| byte == b'_') { format!("{out}method") } else { out }
}

/// `greet_service` becomes `GreetService`; a name that starts with a capital and has no underscores stays.
pub(crate) fn upper_camel(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut chars = word.chars();
        out.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(chars.as_str());
    }
    match out.bytes().next() {
        Some(first) if !first.is_ascii_digit() && !STRICT_KEYWORDS.contains(&out.as_str()) => out,
        _ => format!("Service{out}"),
    }
}

#[cfg(test)]
mod tests;
