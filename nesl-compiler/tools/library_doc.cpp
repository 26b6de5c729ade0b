// Prints docs/library.md from the prelude. With --check FILE, fails unless FILE has this content.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "nesl-compiler/session.h"

namespace {

/// Escapes a text for a cell of a table.
std::string cell(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string document() {
  const nesl::Session session;
  std::string out = R"(# The NESL library

<!-- Printed by nesl-library-doc from nesl-compiler/prelude: change those files, then run the program again. -->

Everything a program finds defined. `nesl describe NAME` shows one entry, `nesl apropos WORD` searches. All functions
may be called inside an apply-to-each, where they work on all elements at once, unless [the language
reference](nesl.md) says otherwise.
)";
  std::string section;
  for (const nesl::Description& entry : session.library()) {
    if (entry.section != section) {
      section = entry.section;
      out += fmt::format("\n## {}\n\n| name | type | meaning |\n|---|---|---|\n", section);
    }
    out += fmt::format("| `{}` | `{}` | {} |\n", cell(entry.name), cell(entry.type), cell(entry.doc));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = document();
  if (argc == 1) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  if (argc != 3 || std::string(argv[1]) != "--check") {
    fmt::print(stderr, "usage: nesl-library-doc [--check FILE]\n");
    return 2;
  }
  std::ifstream file(argv[2], std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(file), {}) == text) return 0;
  fmt::print(stderr, "{} is not what nesl-library-doc prints; run nesl-library-doc > {}\n", argv[2], argv[2]);
  return 1;
}
