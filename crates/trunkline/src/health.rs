//! The health service (`grpc.health.v1`): whether a server, and each of its services, takes calls now.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::context::Gone;
pub use crate::generated::grpc::health::v1::health_check_response::ServingStatus;
use crate::generated::grpc::health::v1::{Health as HealthService, HealthServer};
pub use crate::generated::grpc::health::v1::{
    HealthCheckRequest, HealthCheckResponse, HealthClient, HealthListRequest, HealthListResponse,
};
use crate::reflection::File;
use crate::server::{Routes, Service};
use crate::{Error, Request, Response, Result, Streaming};

/// Says how the services of a server are. Cheap to clone: keep one, give [`service`](Self::service) to the server.
///
/// ```
/// use trunkline::{Server, health::Health};
/// let health = Health::new();
/// let server = Server::new().service(health.service());
/// health.set_serving("demo.v1.Greet", true);
/// ```
///
/// ```text
/// grpc.health.v1.Health/Check   what was said of a service, or NOT_FOUND
/// grpc.health.v1.Health/List    what was said of all of them
/// grpc.health.v1.Health/Watch   the same as Check, then each change; SERVICE_UNKNOWN until something is said
/// ```
///
/// When a shutdown of the server begins, all its services count as not serving, and those who watch are told so and let go.
#[derive(Debug, Clone)]
pub struct Health {
    statuses: Arc<watch::Sender<Statuses>>,
}

type Statuses = BTreeMap<String, ServingStatus>;

/// Most services that `List` answers (its specification lets a server set a bound).
const SERVICES_LISTED_MAX: usize = 100;

impl Default for Health {
    fn default() -> Self {
        Self::new()
    }
}

impl Health {
    /// The server as a whole (the empty name) is serving; nothing is known of any service.
    pub fn new() -> Self {
        let statuses = Statuses::from([(String::new(), ServingStatus::SERVING)]);
        Self { statuses: Arc::new(watch::Sender::new(statuses)) }
    }

    /// Says whether `service` (its full name; empty for the whole server) takes calls. Watchers are told.
    pub fn set_serving(&self, service: &str, serving: bool) {
        let status = if serving { ServingStatus::SERVING } else { ServingStatus::NOT_SERVING };
        self.statuses.send_modify(|statuses| {
            statuses.insert(service.to_owned(), status);
        });
    }

    /// Forgets `service`: checks of it answer `NotFound`.
    pub fn forget(&self, service: &str) {
        self.statuses.send_modify(|statuses| {
            statuses.remove(service);
        });
    }

    /// The service to add to a server. Servers may share what is said of health, and each stops by itself.
    pub fn service(&self) -> impl Service {
        let server = self.of_one_server();
        Registered { draining: Arc::clone(&server.draining), server: HealthServer::new(server) }
    }

    fn of_one_server(&self) -> OfOneServer {
        OfOneServer { statuses: Arc::clone(&self.statuses), draining: Arc::default() }
    }
}

/// Health as one server reports it.
#[derive(Clone)]
struct OfOneServer {
    statuses: Arc<watch::Sender<Statuses>>,
    /// Raised when a shutdown of the server begins.
    draining: Arc<Gone>,
}

impl OfOneServer {
    /// What is reported for a service of which `said` has been said.
    fn reported(&self, said: ServingStatus) -> ServingStatus {
        if self.draining.is_set() { ServingStatus::NOT_SERVING } else { said }
    }
}

/// The generated server, which knows of no shutdown, with what tells it.
struct Registered {
    draining: Arc<Gone>,
    server: HealthServer<OfOneServer>,
}

impl Service for Registered {
    fn name(&self) -> &'static str {
        self.server.name()
    }

    fn files(&self) -> &'static [File] {
        self.server.files()
    }

    fn register(self, routes: &mut Routes) {
        routes.at_drain(move || self.draining.raise());
        self.server.register(routes);
    }
}

impl HealthService for OfOneServer {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>> {
        let said = self.statuses.borrow().get(&request.service).copied();
        let unknown =
            || Error::not_found(format!("health of service {:?} is not known here", request.service));
        Ok(response(self.reported(said.ok_or_else(unknown)?)).into())
    }

    async fn list(&self, _: Request<HealthListRequest>) -> Result<Response<HealthListResponse>> {
        let statuses = self.statuses.borrow();
        if statuses.len() > SERVICES_LISTED_MAX {
            let message =
                format!("{} services are above the {SERVICES_LISTED_MAX} that are listed", statuses.len());
            return Err(Error::resource_exhausted(message));
        }
        let statuses =
            statuses.iter().map(|(name, said)| (name.clone(), response(self.reported(*said)))).collect();
        Ok(HealthListResponse { statuses, ..HealthListResponse::default() }.into())
    }

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Streaming<HealthCheckResponse>>> {
        let service = request.into_message().service;
        let watching =
            Watching { server: self.clone(), changes: self.statuses.subscribe(), service, told: None };
        Ok(Streaming::unfold(watching, Watching::next).into())
    }
}

/// One caller who watches one service.
struct Watching {
    server: OfOneServer,
    changes: watch::Receiver<Statuses>,
    service: String,
    told: Option<ServingStatus>,
}

impl Watching {
    /// Waits for something new to tell.
    ///
    /// # Errors
    /// `Unavailable` once the server drains: a watch would keep it for as long as the watcher likes, and watchers call again
    /// whatever the status is, unless it is `Unimplemented` (`Watch` in health.proto).
    async fn next(mut self) -> Result<Option<(HealthCheckResponse, Self)>> {
        loop {
            // Before the status is read, so that a drain which begins in between is seen on the next turn.
            let is_draining = self.server.draining.is_set();
            let said = self.changes.borrow_and_update().get(&self.service).copied();
            let now = said.map_or(ServingStatus::SERVICE_UNKNOWN, |said| self.server.reported(said));
            if self.told != Some(now) {
                self.told = Some(now);
                return Ok(Some((response(now), self)));
            }
            if is_draining {
                return Err(Error::unavailable("the server is shutting down"));
            }
            tokio::select! {
                changed = self.changes.changed() => if changed.is_err() {
                    // The sender lives in the service that runs this call, so it is never gone before.
                    return Ok(None);
                },
                () = self.server.draining.wait() => {}
            }
        }
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into(), ..HealthCheckResponse::default() }
}

#[cfg(test)]
mod tests;
