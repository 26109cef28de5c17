use super::*;

fn asking(service: &str) -> Request<HealthCheckRequest> {
    Request::new(HealthCheckRequest { service: service.to_owned(), ..HealthCheckRequest::default() })
}

#[tokio::test]
async fn check_answers_what_was_said() {
    let health = Health::new();
    let check = async |service: &str| health.check(asking(service)).await.map(|response| response.status);
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
    let mut updates = health.watch(asking("a.B")).await.unwrap().into_message();
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
    let list = async || health.list(Request::new(HealthListRequest::default())).await;
    assert_eq!(list().await.unwrap().statuses.len(), 1);
    for number in 0..SERVICES_LISTED_MAX {
        health.set_serving(&format!("service {number}"), true);
    }
    assert_eq!(list().await.unwrap_err().code(), crate::Code::ResourceExhausted);
}
