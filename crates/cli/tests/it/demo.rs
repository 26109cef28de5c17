//! `trunkline demo`, short: every row, every answer right.

use serde_json::Value;

use crate::program::run;

#[test]
fn demo_has_no_errors_in_any_row() {
    let output = run(&["demo", "--seconds", "0.05", "--callers", "2", "--format", "json"]);
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    // Progress is for terminals only.
    assert_eq!(stderr, "");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["errors"], 0);
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 32);
    for row in rows {
        assert_eq!(row["errors"], 0, "{row}");
        assert!(row["calls"].as_u64().is_some_and(|calls| calls > 0), "{row}");
        assert!(row["per_second"].as_f64().is_some_and(|rate| rate > 0.0), "{row}");
        assert!(row["p50_us"].as_f64() <= row["p99_us"].as_f64(), "{row}");
    }
}
