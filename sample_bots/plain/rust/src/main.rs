//! Plays every game: each request has some options, and the answer is the index of one of them.

use serde_json::{Value, json};

/// Returns the index of an option; `text` and `facts` hold the seat's knowledge.
fn choose(position: &Value) -> usize {
    fastrand::usize(..position["options"].as_array().unwrap().len())
}

fn main() {
    println!("{}", json!({"hello": {"protocolVersion": 1, "name": "rust-plain", "plain": true}}));
    for line in std::io::stdin().lines() {
        let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if let Some(request) = message.get("request") {
            let decision = json!({"number": request["number"], "choice": choose(&request["plain"])});
            println!("{}", json!({"matchId": message["matchId"], "decision": decision}));
        } else if let Some(fault) = message.get("fault") {
            eprintln!("forfeited: {}", fault["reason"]);
        }
    }
}
