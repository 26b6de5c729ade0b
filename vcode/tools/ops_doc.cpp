// Prints docs/ops.md from the table of operations; with --check FILE, fails unless FILE has exactly that text.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "vcode/op.h"

namespace {

struct Section {
  vcode::OpClass op_class;
  const char* title;
  const char* text;
};
constexpr Section kSections[] = {
    {vcode::OpClass::kElementwise, "Elementwise operations",
     "Applied to each element of operands of equal length; empty operands give an empty result. The cost counts "
     "arithmetic operations for each element. A function has an error below 4 ulp, and the same value for a number "
     "wherever it is computed, to the last bit."},
    {vcode::OpClass::kScan, "Scans",
     "Exclusive: element k of a segment's result combines its elements 0 to k-1, and the first is the operation's "
     "empty value (0, 1, the least or greatest INT, -1e36 or 1e36 as FLOAT, all bits set or T, 0 or F)."},
    {vcode::OpClass::kReduce, "Reductions", "One element for each segment; an empty segment gives the empty value."},
    {vcode::OpClass::kArgReduce, "Arg-reductions",
     "In each segment the index of the first element that equals the reduction; the length of the segment if all "
     "elements "
     "are NaN, and the largest INT of an empty segment. Extensions."},
    {vcode::OpClass::kAccumulate, "Combining permutations",
     "The defaults d, each combined with the elements a[k] whose index i[k], counted from 0 in the segment, is its "
     "own, "
     "in the order of elements (cvl-cuda: of floats in an order that depends on indices and lengths only; of a zero "
     "the "
     "sign may differ). Extensions."},
    {vcode::OpClass::kVector, "Vectors and segment descriptors",
     "Indices count from 0 within their segment. Segment k of one descriptor goes with segment k of the other."},
    {vcode::OpClass::kSystem, "Input, output and the rest of the world",
     "`msg` is a text as an INT vector, empty on success, and `ok` tells success. A suffix CHAR reads or writes plain "
     "text, any other the format of printed vectors."},
};

std::string suffixes(const vcode::OpInfo& row) {
  std::string out = row.takes(vcode::Suffix::kNone) ? "–" : "";
  for (int s = 1; s < vcode::kSuffixes; ++s)
    if (row.takes(static_cast<vcode::Suffix>(s)))
      out += fmt::format("{}{}", out.empty() ? "" : " ", vcode::suffix_name(static_cast<vcode::Suffix>(s)));
  return out;
}

/// Further facts in the table, as in "cost 4; can be at fault as INT".
std::string facts(const vcode::OpInfo& row) {
  std::string out;
  const auto add = [&](std::string_view fact) { (out += out.empty() ? "" : "; ") += fact; };
  if (row.commutes()) add("commutes");
  if (row.cancels(vcode::Suffix::kInt)) add("equal INTs cancel");
  if (row.is_function()) add("a function");
  if (row.draws()) add("draws random numbers");
  if (row.checks()) add("a check");
  if (row.spreads()) add("spreads");
  if (row.gathers()) add("a gather");
  if (row.scatters()) add("a scatter");
  if (row.moves_blocks()) add("moves blocks");
  if (row.counts()) add("counts elements");
  if (row.is_extension()) add("extension");
  if (row.flops > 0) add(fmt::format("cost {}", row.flops));
  if (row.op_class == vcode::OpClass::kElementwise && row.faulting != 0)
    add(row.faulting == row.suffix_set ? "can be at fault" : "can be at fault as INT");
  return out;
}

/// Text escaped for a row of a table, whose columns are separated by bars.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) (c == '|' ? out += '\\' : out) += c;
  return out;
}

std::string document() {
  std::string out = R"(# VCODE operations

<!-- Printed by vcode-ops-doc from vcode/include/vcode/ops.def: change that file, then run the program again. -->

Every operation takes its operands from the top of the stack, the last one topmost, and pushes its results in the order
shown. A signature names each operand and gives its type and shape: `T` is the type that the suffix says, `vec` any
vector, `seg(m,n)` a descriptor of m segments with n elements in all, `any` any value. Equal letters are equal
lengths, `1` is a vector of length 1. The elements of an operand of a vector operation that is marked `!` are checked: a
wrong one stops the program. An operation without a suffix (–) is written alone. The VCODE of 1995 does not have the
operations marked as extensions; a program that uses some is written with a comment at its beginning that names them. CONST, COPY, POP, CPOP,
PAIR, UNPAIR, CALL and IF are described in [vcode.md](vcode.md).
)";
  for (const Section& section : kSections) {
    out += fmt::format(
        "\n## {}\n\n{}\n\n| operation | suffixes | operands and results | meaning | facts |\n|---|---|---|---|---|\n",
        section.title, section.text);
    for (const vcode::OpInfo& row : vcode::all_ops())
      if (row.op_class == section.op_class)
        out += fmt::format("| `{}` | {} | `{}` | {} | {} |\n", escaped(row.text), suffixes(row),
                           escaped(row.signature_text), escaped(row.doc), facts(row));
  }
  return out;
}

bool is_content_of(const std::string& text, const char* file_name) {
  std::ifstream file(file_name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {}) == text;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = document();
  if (argc == 1) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }
  if (argc != 3 || std::string(argv[1]) != "--check") {
    fmt::print(stderr, "usage: vcode-ops-doc [--check FILE]\n");
    return 2;
  }
  if (is_content_of(text, argv[2])) return 0;
  fmt::print(stderr, "{} is not what vcode-ops-doc prints; run: vcode-ops-doc > {}\n", argv[2], argv[2]);
  return 1;
}
