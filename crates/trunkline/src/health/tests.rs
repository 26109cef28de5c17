use super::*;

fn asking(service: &str) -> Request<HealthCheckRequest> {
    Request::new(HealthCheckRequest { service: service.to_owned(), ..HealthCheckRequest::default() })
}

#[tokio::test]
async fn check_answers_what_was_said() {
    let health = Health::new();
    let server = health.of_one_server();
    let check = async |service: &str| server.check(asking(service)).await.map(|response| response.status);
    assert!(check("").await.unwrap() == ServingStatus::SERVING);
    assert_eq!(check("a.B").await.unwrap_err().code(), crate::Code::NotFound);
    health.set_serving("a.B", true);
    assert!(check("a.B").await.unwrap() == ServingStatus::SERVING);
    health.set_serving("a.B", false);
    assert!(check("a.B").await.unwrap() == ServingStatus::NOT_SERVING);
    health.forget("a.B");
    assert_eq!(check("a.B").await.unwrap_err().code(), crate::Code::NotFound);
}

#[tokio::test]
async fn watch_tells_changes_once_and_only_of_its_service() {
    let health = Health::new();
    let mut updates = health.of_one_server().watch(asking("a.B")).await.unwrap().into_message();
    let mut next = async || updates.message().await.unwrap().unwrap().status;
    assert!(next().await == ServingStatus::SERVICE_UNKNOWN);
    health.set_serving("other", true);
    health.set_serving("a.B", true);
    health.set_serving("a.B", true);
    assert!(next().await == ServingStatus::SERVING);
    health.forget("a.B");
    assert!(next().await == ServingStatus::SERVICE_UNKNOWN);
}

#[tokio::test]
async fn list_is_bounded() {
    let health = Health::new();
    let server = health.of_one_server();
    let list = async || server.list(Request::new(HealthListRequest::default())).await;
    assert_eq!(list().await.unwrap().statuses.len(), 1);
    for number in 0..SERVICES_LISTED_MAX {
        health.set_serving(&format!("service {number}"), true);
    }
    assert_eq!(list().await.unwrap_err().code(), crate::Code::ResourceExhausted);
}

#[tokio::test]
async fn server_that_drains_is_not_serving_whatever_is_said() {
    let health = Health::new();
    let (draining, standing) = (health.of_one_server(), health.of_one_server());
    draining.draining.raise();
    health.set_serving("a.B", true);
    let check =
        async |server: &OfOneServer, service| server.check(asking(service)).await.map(|said| said.status);
    for service in ["", "a.B"] {
        assert!(check(&draining, service).await.unwrap() == ServingStatus::NOT_SERVING);
        assert!(check(&standing, service).await.unwrap() == ServingStatus::SERVING);
    }
    assert_eq!(check(&draining, "no.Such").await.unwrap_err().code(), crate::Code::NotFound);
    let list = draining.list(Request::new(HealthListRequest::default())).await.unwrap();
    assert!(list.statuses.values().all(|health| health.status == ServingStatus::NOT_SERVING));
    // A watch that begins so late is told once, and let go.
    let mut watch = draining.watch(asking("a.B")).await.unwrap().into_message();
    assert!(watch.message().await.unwrap().unwrap().status == ServingStatus::NOT_SERVING);
    assert_eq!(watch.message().await.unwrap_err().code(), crate::Code::Unavailable);
}
