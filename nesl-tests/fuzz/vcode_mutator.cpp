// The mutator of the fuzzers whose inputs are VCODE programs: mostly changes whole lines, so that most inputs stay
// programs.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "vcode/op.h"

namespace {

/// An instruction of the operation table, or another statement.
std::string random_statement(std::minstd_rand& random) {
  const auto& rows = vcode::all_ops();
  const std::size_t choice = random() % (vcode::kOps + 30);
  if (choice < vcode::kOps) {
    std::string text(rows[choice].text);
    std::vector<std::string_view> suffixes;
    for (int s = 0; s < vcode::kSuffixes; ++s)
      if (rows[choice].takes(static_cast<vcode::Suffix>(s)))
        suffixes.push_back(vcode::suffix_name(static_cast<vcode::Suffix>(s)));
    const std::string_view suffix = suffixes[random() % suffixes.size()];
    return suffix.empty() ? text : text.append(" ").append(suffix);
  }
  constexpr const char* kConstants[] = {
      "CONST INT 0",    "CONST INT 1",        "CONST INT -1",        "CONST INT 70",      "CONST INT 40000",
      "CONST BOOL T",   "CONST BOOL (T F T)", "CONST FLOAT 2.5",     "CONST INT (3 0 2)", "CONST FLOAT ()",
      "CONST SEGDES 5", "CONST CHAR \"ab\"",  "CONST INT 2147483647"};
  constexpr const char* kOther[] = {"PAIR", "UNPAIR", "IF", "ELSE", "ENDIF", "CALL MAIN", "CALL F0", "RET\nFUNC F0"};
  switch (random() % 3) {
    case 0:
      return kConstants[random() % std::size(kConstants)];
    case 1:
      return kOther[random() % std::size(kOther)];
    default: {
      constexpr const char* kMoves[] = {"COPY", "POP", "CPOP"};
      std::string move = kMoves[random() % 3];
      for (int k = 0; k < 2; ++k) move += " " + std::to_string(random() % 4);
      return move;
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> lines;
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
    const std::size_t at = lines.empty() ? 0 : random() % lines.size();
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    switch (lines.empty() ? 0 : random() % 5) {
      case 0:
        lines.insert(place, random_statement(random));
        break;
      case 1:
        *place = random_statement(random);
        break;
      case 2:
        lines.erase(place);
        break;
      case 3:
        std::swap(*place, lines[random() % lines.size()]);
        break;
      default:
        lines.insert(place, std::string(lines[random() % lines.size()]));
    }
  }
  std::string changed;
  for (const std::string& line : lines) changed += line + "\n";
  changed.resize(std::min(changed.size(), max_size));
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
