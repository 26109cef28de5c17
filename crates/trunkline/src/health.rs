//! The health service (`grpc.health.v1`): whether a server, and each of its services, takes calls now.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

pub use crate::generated::grpc::health::v1::health_check_response::ServingStatus;
use crate::generated::grpc::health::v1::{Health as HealthService, HealthServer};
pub use crate::generated::grpc::health::v1::{
    HealthCheckRequest, HealthCheckResponse, HealthClient, HealthListRequest, HealthListResponse,
};
use crate::server::Service;
use crate::{Error, Request, Response, Result, Streaming};

/// Says how the services of a server are. Cheap to clone: keep one, give [`service`](Self::service) to the server.
///
/// ```
/// use trunkline::{Server, health::Health};
/// let health = Health::new();
/// let server = Server::new().service(health.service());
/// health.set_serving("demo.v1.Greet", true);
/// // Before a shutdown, so that balancers look elsewhere:
/// health.set_serving("", false);
/// ```
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

    /// The service to add to a server.
    pub fn service(&self) -> impl Service {
        HealthServer::new(self.clone())
    }
}

impl HealthService for Health {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>> {
        let status = self.statuses.borrow().get(&request.service).copied();
        let unknown =
            || Error::not_found(format!("health of service {:?} is not known here", request.service));
        Ok(response(status.ok_or_else(unknown)?).into())
    }

    async fn list(&self, _: Request<HealthListRequest>) -> Result<Response<HealthListResponse>> {
        let statuses = self.statuses.borrow();
        if statuses.len() > SERVICES_LISTED_MAX {
            let message =
                format!("{} services are above the {SERVICES_LISTED_MAX} that are listed", statuses.len());
            return Err(Error::resource_exhausted(message));
        }
        let statuses = statuses.iter().map(|(name, status)| (name.clone(), response(*status))).collect();
        Ok(HealthListResponse { statuses, ..HealthListResponse::default() }.into())
    }

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Streaming<HealthCheckResponse>>> {
        let service = request.into_message().service;
        let changes = self.statuses.subscribe();
        let updates = Streaming::unfold((changes, service, None), async |(mut changes, service, told)| {
            loop {
                let now = changes.borrow_and_update().get(&service).copied();
                let now = now.unwrap_or(ServingStatus::SERVICE_UNKNOWN);
                if told != Some(now) {
                    return Ok(Some((response(now), (changes, service, Some(now)))));
                }
                // The sender lives in the service that runs this call, so it is never gone before.
                if changes.changed().await.is_err() {
                    return Ok(None);
                }
            }
        });
        Ok(updates.into())
    }
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into(), ..HealthCheckResponse::default() }
}

#[cfg(test)]
mod tests;
