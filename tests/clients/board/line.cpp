// `dice_line.h` alone: what comes from the station is typed in, and what the board does is printed.
//
// On standard input: `ask REQUEST`, `wait MS` (until there is news, at most so long), and
// `hear LINE`, in which `@` stands for the key of the roll in work; it is signed here.

#include "dice_line.h"

#include <iostream>
#include <string>

static std::string sent;

static void send(const char* text) { sent += text; }

static void tell(dice::News news) {
  static const char* const NAMES[] = {"nothing", "rolled", "at table", "refused", "no answer"};
  std::cout << NAMES[news] << std::endl;
}

static std::string keyIn(const std::string& lines) {
  const size_t from = lines.rfind('@');
  return from == std::string::npos ? "" : lines.substr(from, lines.find(' ', from) - from);
}

int main() {
  dice::Client client(send);
  client.stir(42);
  uint32_t now = 0;
  std::string line, key;
  while (std::getline(std::cin, line)) {
    const std::string word = line.substr(0, line.find(' '));
    std::string rest = line.substr(word.size() + 1);
    dice::News news = dice::NOTHING;
    sent.clear();
    if (word == "ask") {
      client.ask(rest.c_str(), now);
    } else if (word == "wait") {
      const uint32_t until = now + (uint32_t)std::stoul(rest);
      while (news == dice::NOTHING && now < until) news = client.tick(now += 50);
    } else {
      rest.replace(rest.find('@'), 1, key);
      char signedLine[1000];
      rest.copy(signedLine, rest.size());
      signedLine[rest.size()] = '\0';
      dice::sign(signedLine, sizeof signedLine);
      for (const char byte : std::string(signedLine) + "\r\n") {
        const dice::News heard = client.take(byte, now);
        if (heard != dice::NOTHING) news = heard;
      }
    }
    if (!keyIn(sent).empty()) key = keyIn(sent);
    if (!keyIn(sent).empty()) std::cout << key << ' ';
    tell(news);
  }
}
