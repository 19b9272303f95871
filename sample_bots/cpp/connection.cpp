// The bot's side of the protocol (docs/protocol.md): messages on stdin and stdout, each after its
// length as a varint, match after match until stdin ends. It needs no edits.
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include "strategy.h"

namespace {

using google::protobuf::io::FileInputStream;
using google::protobuf::io::FileOutputStream;

constexpr std::uint32_t protocol_version = 1;

[[noreturn]] void fail(std::string_view reason) {
  std::cerr << bot_name << ": " << reason << std::endl;
  std::exit(1);
}

/// Returns a descriptor of stdout that is only ours; what the strategy prints goes to stderr.
int take_stdout() {
  const int to_referee = dup(STDOUT_FILENO);
  if (to_referee < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) fail("there is no stdout");
  return to_referee;
}

void send(FileOutputStream& output, const pb::BotMessage& message) {
  using google::protobuf::util::SerializeDelimitedToZeroCopyStream;
  if (!SerializeDelimitedToZeroCopyStream(message, &output) || !output.Flush())
    fail("the referee takes no messages any more");
}

/// Has the strategy for the game decide.
pb::GameAction choose(const Turn& turn) {
  const pb::GameObservation& seen = turn.request.observation();
  const pb::GameLegal& legal = turn.request.legal();
  pb::GameAction action;
  switch (seen.game_case()) {
    case pb::GameObservation::kCourtisans:
      *action.mutable_courtisans() = choose_courtisans(turn, seen.courtisans(), legal.courtisans());
      break;
    case pb::GameObservation::kMiracles:
      *action.mutable_miracles() = choose_miracles(turn, seen.miracles(), legal.miracles());
      break;
    default:
      fail("a request is of a game that this bot does not know");
  }
  return action;
}

/// Answers every request until the stream ends.
void play(FileInputStream& input, FileOutputStream& output) {
  std::map<std::string, pb::MatchStart> starts;
  pb::RefereeMessage message;
  bool at_end = false;
  while (google::protobuf::util::ParseDelimitedFromZeroCopyStream(&message, &input, &at_end)) {
    const std::string& match_id = message.match_id();
    if (message.has_request()) {
      const pb::DecisionRequest& request = message.request();
      if (request.has_start()) starts[match_id] = request.start();
      pb::BotMessage reply;
      reply.set_match_id(match_id);
      reply.mutable_decision()->set_number(request.number());
      *reply.mutable_decision()->mutable_action() = choose({match_id, starts[match_id], request});
      send(output, reply);
    } else if (message.has_fault()) {
      std::cerr << "forfeited match " << match_id << ": " << message.fault().reason() << std::endl;
    } else if (message.has_end()) {
      starts.erase(match_id);
    }
    message.Clear();  // its memory is used again
  }
  if (!at_end) fail("the referee sent what is no message");
}

}  // namespace

int main() {
  const char* transport = std::getenv("COURTYARD_TRANSPORT");
  if (transport == nullptr || std::string_view(transport) != "stdio")
    fail("COURTYARD_TRANSPORT is not \"stdio\": try `referee play` with the folder of this bot");
  std::signal(SIGPIPE, SIG_IGN);  // a failing write reports a referee that is gone
  FileInputStream input(STDIN_FILENO);
  FileOutputStream output(take_stdout());
  pb::BotMessage hello;
  hello.mutable_hello()->set_protocol_version(protocol_version);
  hello.mutable_hello()->set_name(bot_name);
  send(output, hello);
  try {
    play(input, output);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}
