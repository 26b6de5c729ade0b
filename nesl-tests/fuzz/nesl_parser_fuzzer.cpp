// Any bytes as a NESL text: parsing must end in statements or in errors, every error must have a class and a location,
// spans of a tree must lie within each other, and statements must survive printing.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "ast_dump.h"
#include "nesl-compiler/format.h"
#include "syntax/parser.h"
#include "syntax/token.h"

namespace {

// The parser recurses for each bracket: with this limit, the large stack frames of a build with sanitizers still fit
// the main thread's stack. Also, many short texts find more than a few long ones.
constexpr std::size_t kLongest = 500;

void insist(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

std::string dump_all(const std::vector<nesl::Statement>& statements) {
  std::string all;
  for (const nesl::Statement& statement : statements) all += dump(statement) + "\n";
  return all;
}

void check(const std::string& text, nesl::ParseOptions options) {
  const base::Source source("fuzz", text);
  base::Diagnostics diagnostics;
  const std::vector<nesl::Statement> statements = nesl::parse(source, options, diagnostics);
  for (const base::Diagnostic& d : diagnostics.all()) {
    insist(d.code == "syntax" || d.code == "reserved" || d.code == "pattern", "no class", render(source, d));
    insist(d.span.begin <= d.span.end && d.span.end <= text.size(), "no place", d.message);
  }
  render(source, diagnostics);

  // A name may consist of U+FEFF, which at the beginning of a text would be read as a byte order mark.
  std::string printed = "\n", expected;
  for (const nesl::Statement& statement : statements) {
    insist(misplaced_part(statement, text).empty(), "misplaced", dump(statement));
    if (std::holds_alternative<nesl::PrimitiveStatement>(statement.node) ||
        std::holds_alternative<nesl::CommandStatement>(statement.node))
      continue;
    printed += source_text(statement) + "\n";
    expected += dump(statement) + "\n";
  }
  const base::Source again("printed", printed);
  base::Diagnostics complaints;
  const std::string found = dump_all(nesl::parse(again, options, complaints));
  insist(!complaints.has_errors(), "what was printed has errors", printed + render(again, complaints));
  insist(found == expected, "what was printed differs", printed + expected + found);
}

/// The formatted text; nothing if the text has errors.
std::optional<std::string> formatted(const std::string& text) {
  base::Diagnostics complaints;
  return nesl::format(base::Source("fuzz", text), complaints);
}

/// Formatting keeps the tree, and changes nothing the second time.
void check_format(const std::string& text) {
  const std::optional<std::string> once = formatted(text);
  if (!once) return;
  const auto dump_of = [](const std::string& read) {
    base::Diagnostics problems, of_library;
    std::string all = dump_all(nesl::parse(base::Source("fuzz", read), {}, problems));
    if (problems.has_errors()) all = dump_all(nesl::parse(base::Source("fuzz", read), {.prelude = true}, of_library));
    return of_library.has_errors() ? "errors" : all;
  };
  insist(dump_of(*once) == dump_of(text), "the formatted text has another tree", text + "\n---\n" + *once);
  const std::optional<std::string> twice = formatted(*once);
  insist(twice == once, "formatting again changes the text", *once + "\n---\n" + twice.value_or("errors"));
}

std::string_view random_piece(std::minstd_rand& random) {
  constexpr std::string_view kPieces[] = {"x",
                                          "y",
                                          "1",
                                          "2.5",
                                          "`a",
                                          "\"s\"",
                                          "\n",
                                          " ",
                                          "% c %",
                                          "g(x)",
                                          "(x, y)",
                                          "[1:2]",
                                          "[] int",
                                          "a[i]",
                                          "{x in a}",
                                          "{a}",
                                          "x => y",
                                          "let x = 1 in ",
                                          " in a",
                                          " : x in ",
                                          "'+",
                                          "'-",
                                          "closure(",
                                          "time(",
                                          "y := 2",
                                          "set",
                                          "function g(x) = ",
                                          "p(x) =",
                                          " :: (a in number)",
                                          " : a -> b",
                                          " : int",
                                          "p.x",
                                          ".t",
                                          "[]",
                                          "\"\\n\\0\"",
                                          "function g(x : int, y : [a]) = ",
                                          "datatype p(x : int, y : a) :: (a in any)",
                                          "primitive",
                                          "specialize",
                                          "datatype",
                                          ";\n",
                                          "test \"t\" = ",
                                          "test \"t\" for x : [int] | ",
                                          "bench \"b\" for n in ",
                                          "10K",
                                          "a_name_of_forty_characters_to_fill_a_line",
                                          " ++ "};
  const std::size_t choice = random() % (std::size(kPieces) + nesl::kSpellings.size());
  return choice < std::size(kPieces) ? kPieces[choice] : nesl::kSpellings[choice - std::size(kPieces)].text;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Mostly inserts and removes whole tokens, so that most inputs are nearly programs.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
    const std::size_t at = random() % (text.size() + 1);
    const std::size_t length = std::min<std::size_t>(text.size() - at, 1 + random() % 8);
    switch (random() % 4) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(random() % (text.size() + 1), text.substr(at, length * (1 + random() % 4)));
        break;
      default:
        text.insert(at, std::string(random() % 2, ' ').append(random_piece(random)));
    }
  }
  text.resize(std::min(text.size(), max_size));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kLongest) return -1;
  const std::string text(reinterpret_cast<const char*>(data), size);
  // Each input is read in one dialect only; its mutations are read in the others.
  check(text, {.prelude = std::hash<std::string_view>{}(text) % 2 == 0});
  check_format(text);
  return 0;
}
