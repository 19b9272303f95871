// Plays every game: each request has some options, and the answer is the index of one of them.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <iostream>
#include <random>
#include <string>

using google::protobuf::Struct;

// Returns the index of an option; "text" and "facts" hold the seat's knowledge.
int choose(const Struct& position) {
    static std::mt19937 random{std::random_device{}()};
    const int count = position.fields().at("options").list_value().values_size();
    return std::uniform_int_distribution{0, count - 1}(random);
}

void send(const Struct& message) {
    std::string line;
    (void)google::protobuf::util::MessageToJsonString(message, &line);
    std::cout << line << std::endl;
}

int main() {
    std::cout << R"({"hello": {"protocolVersion": 1, "name": "cpp-plain", "plain": true}})" << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        Struct message, answer;
        if (!google::protobuf::util::JsonStringToMessage(line, &message).ok()) return 1;
        if (message.fields().contains("request")) {
            const auto& request = message.fields().at("request").struct_value().fields();
            auto& decision = *(*answer.mutable_fields())["decision"].mutable_struct_value();
            (*decision.mutable_fields())["number"] = request.at("number");
            (*decision.mutable_fields())["choice"].set_number_value(choose(request.at("plain").struct_value()));
            (*answer.mutable_fields())["matchId"] = message.fields().at("matchId");
            send(answer);
        }
    }
}
