//! What a schema says of a procedure: its names, shape, message types and side effects.

use std::fmt;
use std::marker::PhantomData;

pub use trunkline_wire::Shape;

use crate::codec::Buffa;

/// Whether calling a procedure again may do harm (`idempotency_level` of the schema).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Idempotency {
    /// The schema does not say.
    #[default]
    Unknown,
    /// Calling twice has the effect of calling once.
    Idempotent,
    /// No side effects at all: Connect may use GET.
    NoSideEffects,
}

/// The facts of a procedure that do not depend on message types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Spec {
    /// Full service name, `package.Service`.
    pub service: &'static str,
    /// Method name.
    pub method: &'static str,
    /// `/package.Service/Method`.
    pub path: &'static str,
    /// How many messages flow in each direction.
    pub shape: Shape,
    /// What the schema says of repeating a call.
    pub idempotency: Idempotency,
}

/// A procedure with its message types and codec family. Generated code has one constant for each.
pub struct Procedure<Req, Res, C = Buffa> {
    spec: Spec,
    types: PhantomData<fn(Req, C) -> Res>,
}

impl<Req, Res, C> Procedure<Req, Res, C> {
    const fn new(service: &'static str, method: &'static str, path: &'static str, shape: Shape) -> Self {
        let spec = Spec { service, method, path, shape, idempotency: Idempotency::Unknown };
        Self { spec, types: PhantomData }
    }

    /// One request, one response.
    pub const fn unary(service: &'static str, method: &'static str, path: &'static str) -> Self {
        Self::new(service, method, path, Shape::Unary)
    }

    /// One request, many responses.
    pub const fn server_stream(service: &'static str, method: &'static str, path: &'static str) -> Self {
        Self::new(service, method, path, Shape::ServerStream)
    }

    /// Many requests, one response.
    pub const fn client_stream(service: &'static str, method: &'static str, path: &'static str) -> Self {
        Self::new(service, method, path, Shape::ClientStream)
    }

    /// Many requests, many responses.
    pub const fn bidi(service: &'static str, method: &'static str, path: &'static str) -> Self {
        Self::new(service, method, path, Shape::Bidi)
    }

    /// The same procedure, known to be idempotent.
    #[must_use]
    pub const fn idempotent(mut self) -> Self {
        self.spec.idempotency = Idempotency::Idempotent;
        self
    }

    /// The same procedure, known to have no side effects.
    #[must_use]
    pub const fn no_side_effects(mut self) -> Self {
        self.spec.idempotency = Idempotency::NoSideEffects;
        self
    }

    /// The facts.
    pub const fn spec(&self) -> &Spec {
        &self.spec
    }
}

impl<Req, Res, C> fmt::Debug for Procedure<Req, Res, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

#[cfg(test)]
mod tests;
