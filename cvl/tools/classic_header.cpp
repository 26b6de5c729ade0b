// Prints the files that are made from the table of the classic C vector library, cvl/classic.def:
//
//   classic-header                the header cvl.h
//   classic-header --check FILE   nothing; fails unless FILE is the header
//   classic-header --names        the names of all functions, one a line
//   classic-header --exports      the same as a version script of the linker

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace {

/// A function, or the heading of a group of them.
struct Row {
  const char *title = nullptr, *text = nullptr;                          ///< only in a heading
  const char *result = nullptr, *name = nullptr, *parameters = nullptr;  ///< only in a function
  const char* shape = nullptr;  ///< the parameters of name_scratch, if there is one
  bool has_inplace = false;
};

#define SECTION_ROW(title, text) {title, text, nullptr, nullptr, nullptr, nullptr, false},
#define FUNCTION_ROW(result, name, parameters, shape, ...) \
  {nullptr, nullptr, #result, #name, #parameters, #shape, true},
#define MOVE_ROW(result, name, parameters, shape, ...) {nullptr, nullptr, #result, #name, #parameters, #shape, false},
#define FACILITY_ROW(result, name, parameters, ...) {nullptr, nullptr, #result, #name, #parameters, nullptr, false},
#define CVL_SECTION(...) SECTION_ROW(__VA_ARGS__)
#define CVL_FUNCTION(...) FUNCTION_ROW(__VA_ARGS__)
#define CVL_MOVE(...) MOVE_ROW(__VA_ARGS__)
#define CVL_FACILITY(...) FACILITY_ROW(__VA_ARGS__)
constexpr Row kRows[] = {
#include "cvl/classic.def"
};

constexpr std::string_view kHead = R"(#ifndef CVL_H
#define CVL_H
/* clang-format off */

/* The classic C vector library. Printed by classic-header from cvl/classic.def: change that file, then run the program
   again. docs/drop-in.md says how to use this header.

   A name is an operation, its class (w elementwise, s scan, r reduce, v vector with scalar, p permute, l library,
   f facility), u for one segment or e for many, and the type of its operand (z int, b bool, d double, s segment
   descriptor, v any). Among the parameters d is the destination, n a number of elements, m a number of segments, sd a
   segment descriptor. name_scratch gives the units of working memory for a call, name_inplace which operands the
   destination may be. */

#include <time.h>

/* A handle of a vector, which only the library looks into: an address of the library's own memory or of a device's, or,
   for a library with integer handles, a number. CUDA must then be defined with the value 1 by all who include this. */
#if defined(CUDA) && CUDA
typedef int vec_p;
#else
typedef void *vec_p;
#endif
typedef int cvl_bool; /* 0 or 1 */
typedef struct timespec cvl_timer_t;

/* What name_inplace returns: the destination may be the k-th source operand if INPLACE_k is set. */
#define INPLACE_NONE 0u
#define INPLACE_1 1u
#define INPLACE_2 2u
#define INPLACE_3 4u
#define INPLACE_4 8u

#ifdef __cplusplus
extern "C" {
#endif
)";

constexpr std::string_view kTail = R"(
#ifdef __cplusplus
}
#endif
#endif
)";

/// A comment of C as of 1989, in lines of at most 120 characters.
std::string comment(std::string_view text) {
  std::string out = "/*";
  std::size_t column = out.size();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits = column + 1 + word.size() <= 117;
    out += fmt::format("{} {}", fits ? "" : "\n  ", word);
    column = (fits ? column : 2) + 1 + word.size();
  }
  out += " */\n";
  return out;
}

std::string header() {
  std::string out(kHead);
  for (const Row& row : kRows) {
    if (row.title != nullptr) {
      out += fmt::format("\n{}", comment(fmt::format("{}. {}", row.title, row.text)));
      continue;
    }
    out += fmt::format("{} {}{};\n", row.result, row.name, row.parameters);
    if (row.shape != nullptr) out += fmt::format("int {}_scratch{};", row.name, row.shape);
    if (row.has_inplace) out += fmt::format(" unsigned int {}_inplace(void);", row.name);
    if (row.shape != nullptr) out += "\n";
  }
  return out.append(kTail);
}

std::string names(std::string_view end) {
  std::string out;
  for (const Row& row : kRows) {
    if (row.name == nullptr) continue;
    out += fmt::format("{}{}", row.name, end);
    if (row.shape != nullptr) out += fmt::format("{}_scratch{}", row.name, end);
    if (row.has_inplace) out += fmt::format("{}_inplace{}", row.name, end);
  }
  return out;
}

int check(const char* path) {
  std::ifstream file(path);
  const std::string found{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (found == header()) return 0;
  fmt::print(stderr, "{} is not what the table says; print it again: classic-header > {}\n", path, path);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--check" && argc == 3) return check(argv[2]);
  if (option == "--names" && argc == 2) return fmt::print("{}", names("\n")), 0;
  if (option == "--exports" && argc == 2) return fmt::print("{{ global: {} local: *; }};\n", names("; ")), 0;
  if (argc == 1) return fmt::print("{}", header()), 0;
  fmt::print(stderr, "usage: classic-header [--check FILE | --names | --exports]\n");
  return 2;
}
