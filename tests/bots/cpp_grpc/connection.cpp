// The C++ sample bot over gRPC: takes the place of its connection.cpp. The library's settings are
// those that it has by default.
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "courtyard/v1/referee.grpc.pb.h"
#include "strategy.h"

int main() {
  const char* address = std::getenv("COURTYARD_ADDRESS");
  const char* token_file = std::getenv("COURTYARD_TOKEN_FILE");
  if (address == nullptr || token_file == nullptr) return 1;
  pb::BotMessage hello;
  hello.mutable_hello()->set_protocol_version(1);
  hello.mutable_hello()->set_name(bot_name);
  std::ifstream(token_file) >> *hello.mutable_hello()->mutable_seat_token();

  auto stub = pb::Referee::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  auto stream = stub->Play(&context);
  stream->Write(hello);
  std::map<std::string, pb::MatchStart> starts;
  pb::RefereeMessage message;
  while (stream->Read(&message)) {
    const std::string& match_id = message.match_id();
    if (message.has_end()) starts.erase(match_id);
    if (!message.has_request()) continue;
    const pb::DecisionRequest& request = message.request();
    if (request.has_start()) starts[match_id] = request.start();
    const Turn turn{match_id, starts[match_id], request};
    pb::BotMessage reply;
    reply.set_match_id(match_id);
    reply.mutable_decision()->set_number(request.number());
    *reply.mutable_decision()->mutable_action()->mutable_courtisans() = choose_courtisans(
        turn, request.observation().courtisans(), request.legal().courtisans());
    if (!stream->Write(reply)) break;
  }
  const grpc::Status status = stream->Finish();
  if (!status.ok()) std::cerr << "the stream ended: " << status.error_message() << std::endl;
}
