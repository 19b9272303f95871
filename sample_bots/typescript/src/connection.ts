// The bot's side of the protocol (docs/protocol.md): one gRPC stream to the referee, match after match
// until it ends. It needs no edits.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { credentials, loadPackageDefinition, status, type ServiceError } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

import type { NewGameAction } from "./messages/courtyard/v1/GameAction";
import type { MatchStart } from "./messages/courtyard/v1/MatchStart";
import type { RefereeMessage } from "./messages/courtyard/v1/RefereeMessage";
import type { ProtoGrpcType } from "./messages/referee";
import * as strategy from "./strategy";
import type { Turn } from "./turn";

const PROTOCOL_VERSION = 1;

/** Plays all matches that the referee has. */
function play(address: string, token: string): void {
  const form = { longs: Number, enums: String, defaults: true, oneofs: true };
  const folders = { includeDirs: [join(__dirname, "proto")] };
  const definition = loadSync("courtyard/v1/referee.proto", { ...form, ...folders });
  const { courtyard } = loadPackageDefinition(definition) as unknown as ProtoGrpcType;

  const referee = new courtyard.v1.Referee(address, credentials.createInsecure());
  const starts = new Map<string, MatchStart>();
  const stream = referee.play();
  stream.on("data", ({ matchId, body, request, fault }: RefereeMessage) => {
    if (request) {
      if (request.start) starts.set(matchId, request.start);
      const action = choose({ matchId, start: starts.get(matchId)!, request });
      stream.write({ matchId, decision: { number: request.number, action } });
    } else if (fault) {
      console.error(`forfeited match ${matchId}: ${fault.reason}`);
    } else if (body === "end") {
      starts.delete(matchId);
    }
  });
  stream.on("end", () => referee.close());
  stream.on("error", (error: ServiceError) => {
    fail(`the referee ended the stream: ${status[error.code]}: ${error.details}`);
  });
  const hello = { protocolVersion: PROTOCOL_VERSION, name: strategy.NAME, seatToken: token };
  stream.write({ hello });
}

/** Has the strategy for the game decide. */
function choose(turn: Turn): NewGameAction {
  const { observation, legal } = turn.request;
  if (observation?.courtisans && legal?.courtisans) {
    return { courtisans: strategy.chooseCourtisans(turn, observation.courtisans, legal.courtisans) };
  }
  if (observation?.miracles && legal?.miracles) {
    return { miracles: strategy.chooseMiracles(turn, observation.miracles, legal.miracles) };
  }
  return fail("a request is of a game that this bot does not know");
}

/** Returns a variable that the referee sets for the bot. */
function environment(name: string): string {
  const value = process.env[name];
  return value ?? fail(`${name} is not set: try \`referee play\` with the folder of this bot`);
}

/** Returns the bot's one-use token. */
function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    return fail(`COURTYARD_TOKEN_FILE: ${(error as Error).message}`);
  }
}

/** Ends the bot with one line that gives the reason. */
function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

const carrier = environment("COURTYARD_TRANSPORT");
if (carrier !== "grpc") {
  fail(`COURTYARD_TRANSPORT is ${carrier}: set transport = "grpc" in bot.toml`);
}
play(environment("COURTYARD_ADDRESS"), readToken(environment("COURTYARD_TOKEN_FILE")));
