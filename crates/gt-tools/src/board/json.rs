//! All of it as JSON, which the page draws.

use gt_core::SessionId;
use serde_json::{Value, json};

use super::{Board, values};
use crate::kind::Kind;
use crate::top;

impl Board {
    /// What is shown.
    pub fn json(&self) -> Value {
        let mut shown = top::json(&self.top);
        let kinds = Kind::ALL.iter().map(|kind| {
            let (red, green, blue) = kind.colour();
            json!({ "name": kind.name(), "colour": format!("#{red:02x}{green:02x}{blue:02x}") })
        });
        shown["kinds"] = kinds.collect();
        shown["now_seconds"] = json!(self.now_ns as f64 / 1e9);
        shown["timeline"] = self.timeline.json();
        shown["waits"] = self.waits.json(&self.totals.requests, self.now_ns);
        for session in shown["sessions"].as_array_mut().into_iter().flatten() {
            let id = SessionId(session["id"].as_u64().unwrap_or_default());
            session["waiting"] = json!(self.totals.requests.has(id));
        }
        shown["errors"] = self.errors.json();
        shown["values"] = self.values.as_ref().map_or(Value::Null, values::json);
        shown
    }
}
