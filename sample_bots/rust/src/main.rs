//! The bot's side of the protocol (docs/protocol.md): messages on stdin and stdout, each after its
//! length as a varint, match after match until stdin ends. It needs no edits.

mod strategy;

/// The messages of courtyard/v1/*.proto.
#[allow(
    dead_code,
    clippy::all,
    reason = "generated, and a bot needs not all of it"
)]
mod pb;

use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::{env, error};

use prost::Message;

use pb::bot_message;
use pb::game_action::Game as Action;
use pb::game_legal::Game as Legal;
use pb::game_observation::Game as Seen;
use pb::referee_message::Body;

const PROTOCOL_VERSION: u32 = 1;
const LARGEST_MESSAGE: u64 = 1_048_576;

type Result<T> = std::result::Result<T, Box<dyn error::Error>>;

/// One request with the start of its match.
pub struct Turn<'a> {
    /// Which match this is.
    pub match_id: &'a str,
    /// The number of seats, the own seat and the settings of the game.
    pub start: &'a pb::MatchStart,
    /// Events, the view of the seat, legal actions, and the time.
    pub request: &'a pb::DecisionRequest,
}

fn main() -> ExitCode {
    match play() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", strategy::NAME);
            ExitCode::FAILURE
        }
    }
}

/// Plays all matches that the referee has.
fn play() -> Result<()> {
    if env::var("COURTYARD_TRANSPORT").as_deref() != Ok("stdio") {
        let advice = "try `referee play` with the folder of this bot";
        return Err(format!("COURTYARD_TRANSPORT is not \"stdio\": {advice}").into());
    }
    // Left alone, fastrand would take its seed from the clock; this one is the system's.
    fastrand::seed(RandomState::new().hash_one(0));
    let mut input = io::stdin().lock();
    let mut output = take_stdout()?;
    let hello = pb::Hello {
        protocol_version: PROTOCOL_VERSION,
        name: strategy::NAME.into(),
        ..Default::default()
    };
    send(&mut output, String::new(), bot_message::Body::Hello(hello))?;
    let mut starts = HashMap::new();
    while let Some(message) = receive(&mut input)? {
        answer(message, &mut starts, &mut output)?;
    }
    Ok(())
}

/// Does what a message asks; `starts` are the starts of the matches that are not over.
fn answer(
    message: pb::RefereeMessage,
    starts: &mut HashMap<String, pb::MatchStart>,
    output: &mut File,
) -> Result<()> {
    let match_id = message.match_id;
    match message.body {
        Some(Body::Request(mut request)) => {
            if let Some(start) = request.start.take() {
                starts.insert(match_id.clone(), start);
            }
            let turn = Turn {
                match_id: &match_id,
                start: starts.get(&match_id).ok_or("no match began with a start")?,
                request: &request,
            };
            let game = Some(choose(&turn)?);
            let decision = pb::Decision {
                number: request.number,
                action: Some(pb::GameAction { game }),
                ..Default::default()
            };
            send(output, match_id, bot_message::Body::Decision(decision))?;
        }
        Some(Body::Fault(fault)) => eprintln!("forfeited match {match_id}: {}", fault.reason),
        Some(Body::End(_)) => drop(starts.remove(&match_id)),
        Some(Body::Welcome(_)) | None => {}
    }
    Ok(())
}

/// Has the strategy for the game decide.
fn choose(turn: &Turn) -> Result<Action> {
    let seen = turn
        .request
        .observation
        .as_ref()
        .and_then(|message| message.game.as_ref());
    let legal = turn
        .request
        .legal
        .as_ref()
        .and_then(|message| message.game.as_ref());
    match (seen, legal) {
        (Some(Seen::Courtisans(seen)), Some(Legal::Courtisans(legal))) => Ok(Action::Courtisans(
            strategy::choose_courtisans(turn, seen, legal),
        )),
        (Some(Seen::Miracles(seen)), Some(Legal::Miracles(legal))) => Ok(Action::Miracles(
            strategy::choose_miracles(turn, seen, legal),
        )),
        _ => Err("a request is of a game that this bot does not know".into()),
    }
}

/// Sends a message with a single write.
fn send(output: &mut File, match_id: String, body: bot_message::Body) -> Result<()> {
    let message = pb::BotMessage {
        match_id,
        body: Some(body),
    };
    output
        .write_all(&message.encode_length_delimited_to_vec())
        .map_err(|error| format!("the referee takes no messages any more: {error}").into())
}

/// Returns the next message, or nothing at the end of the stream.
fn receive(input: &mut impl BufRead) -> Result<Option<pb::RefereeMessage>> {
    if input.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut content = vec![0; length(input)?];
    read(input, &mut content)?;
    Ok(Some(pb::RefereeMessage::decode(&content[..])?))
}

/// Returns the length that stands before a message: seven bits a byte, the lowest first.
fn length(input: &mut impl Read) -> Result<usize> {
    let mut length = 0;
    for shift in (0..28).step_by(7) {
        let mut byte = [0];
        read(input, &mut byte)?;
        length |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 && length <= LARGEST_MESSAGE {
            return Ok(length as usize);
        }
    }
    Err(format!("the referee sent a message of more than {LARGEST_MESSAGE} bytes").into())
}

/// Fills a part of a message.
fn read(input: &mut impl Read, part: &mut [u8]) -> Result<()> {
    input
        .read_exact(part)
        .map_err(|error| format!("the referee's message broke off: {error}").into())
}

/// Returns a stdout that is only ours; what the strategy prints goes to stderr instead.
fn take_stdout() -> io::Result<File> {
    unsafe extern "C" {
        safe fn dup2(from: i32, to: i32) -> i32;
    }
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    if dup2(2, 1) < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(stdout.into())
}
