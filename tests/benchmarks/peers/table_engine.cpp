// A chess engine that answers from a table: it speaks as much UCI as fastchess asks for.
//
// Both sides push each pawn one square, then each once more, then walk with a rook behind them. None
// of these 30 moves is ever illegal, takes, gives check or repeats a position.
#include <iostream>
#include <sstream>
#include <string>

const char* const white[] = {"a2a3", "b2b3", "c2c3", "d2d3", "e2e3", "f2f3", "g2g3", "h2h3",
                             "a3a4", "b3b4", "c3c4", "d3d4", "e3e4", "f3f4", "g3g4", "h3h4",
                             "a1a2", "a2b2", "b2c2", "c2d2", "d2e2", "e2f2", "f2g2", "g2g3",
                             "g3f3", "f3e3", "e3d3", "d3c3", "c3b3", "b3a3"};
const char* const black[] = {"a7a6", "b7b6", "c7c6", "d7d6", "e7e6", "f7f6", "g7g6", "h7h6",
                             "a6a5", "b6b5", "c6c5", "d6d5", "e6e5", "f6f5", "g6g5", "h6h5",
                             "a8a7", "a7b7", "b7c7", "c7d7", "d7e7", "e7f7", "f7g7", "g7g6",
                             "g6f6", "f6e6", "e6d6", "d6c6", "c6b6", "b6a6"};

int main() {
  std::string line, word;
  int plies = 0;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> word;
    if (word == "uci") {
      std::cout << "id name table\nid author Courtyard\nuciok" << std::endl;
    } else if (word == "isready") {
      std::cout << "readyok" << std::endl;
    } else if (word == "position") {
      plies = 0;
      while (words >> word && word != "moves") continue;
      while (words >> word) ++plies;
    } else if (word == "go") {
      const char* const* table = plies % 2 ? black : white;
      std::cout << "info depth 1 score cp 0\nbestmove " << table[plies / 2 % 30] << std::endl;
    } else if (word == "quit") {
      return 0;
    }
  }
}
