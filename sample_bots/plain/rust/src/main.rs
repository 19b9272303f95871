//! Plays every game: each request has some options, and the answer is the index of one of them.

use serde_json::{Value, json};

/// Returns the index of an option; `text` and `facts` say what the seat knows.
fn choose(position: &Value) -> usize {
    fastrand::usize(..position["options"].as_array().unwrap().len())
}

fn main() {
    println!("{}", json!({"hello": {"protocolVersion": 1, "name": "rust-plain", "plain": true}}));
    for line in std::io::stdin().lines() {
        let told: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if let Some(request) = told.get("request") {
            let decision = json!({"number": request["number"], "choice": choose(&request["plain"])});
            println!("{}", json!({"matchId": told["matchId"], "decision": decision}));
        } else if let Some(fault) = told.get("fault") {
            eprintln!("forfeited: {}", fault["reason"]);
        }
    }
}
