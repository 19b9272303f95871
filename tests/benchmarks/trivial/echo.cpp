// Answers REPLY_BYTES to every REQUEST_BYTES, over pipes: `echo REQUEST_BYTES REPLY_BYTES`.
#include <unistd.h>

#include <string>

int main(int, char** arguments) {
  std::string request(std::stoul(arguments[1]), 'x');
  const std::string reply(std::stoul(arguments[2]), 'x');
  std::size_t left = request.size();
  for (ssize_t got; (got = read(STDIN_FILENO, request.data(), left)) > 0;) {
    left -= got;
    if (left > 0) continue;
    if (write(STDOUT_FILENO, reply.data(), reply.size()) < 0) return 1;
    left = request.size();
  }
}
