#include <utility>

#include "flatten_testing.h"

// Passes of the optimizer recognize the code that library functions compile to. These tests fail if the library, the
// flattener or an earlier pass changes that code.

namespace nesl {
namespace {

/// Operations that must and must not occur in the code of an expression over s and u (INTs), b (flags), all equally
/// long, and rows (of INTs).
struct Expected {
  const char* expression;
  std::vector<const char*> there;
  std::vector<const char*> not_there;
};

std::string code_of(const std::string& expression) {
  return flattened(
             "n = 3; rows = [[1], [2, 3]]; let s = {i * i : i in [0:n]}; u = {x - 4 : x in s}; "
             "b = {x > 1 : x in s} in " +
                 expression + ";",
             true)
      .code;
}

void expect_operations(const std::vector<Expected>& all) {
  for (const auto& [expression, there, not_there] : all) {
    SCOPED_TRACE(expression);
    const std::string code = code_of(expression);
    // An operation is followed by a blank and, except for a few, by its type.
    for (const char* word : there) EXPECT_NE(code.find(std::string(" = ") + word), std::string::npos) << word << code;
    for (const char* word : not_there)
      EXPECT_EQ(code.find(std::string(" = ") + word), std::string::npos) << word << code;
  }
}

TEST(FlattenLibrary, ContiguousRangesAreMovedAsBlocks) {
  expect_operations({
      {"s ++ u", {"APPEND"}, {"DPERMUTE"}},
      {"s ++ u ++ s", {"APPEND3"}, {"APPEND INT"}},
      {"{r ++ (r ++ (take(r, 1) ++ r)) ++ r : r in rows}", {"APPEND3"}, {"APPEND INT"}},
      {"{r ++ r : r in rows}", {"APPEND"}, {"DPERMUTE"}},
      {"take(s, 2)", {"SLICE"}, {"BPERMUTE"}},
      {"drop(s, 2)", {"SLICE"}, {"BPERMUTE"}},
      {"subseq(s, 1, 2)", {"SLICE"}, {"BPERMUTE"}},
      {"{take(r, 1) : r in rows}", {"SLICE"}, {"BPERMUTE"}},
      {"interleave(s, u)", {"MERGE"}, {"APPEND", "BPERMUTE", "DPERMUTE"}},
      {"{if #r > 1 then r else r ++ r : r in rows}", {"MERGE_SEGS"}, {"DPERMUTE"}},
  });
}

/// Number of operations that move FLOATs, in an expression over m, a sequence of sequences of FLOATs.
std::size_t moves_in(const std::string& expression) {
  const std::string code = code_of("let m = {{float(x) : x in r} : r in rows} in " + expression);
  std::size_t moves = 0;
  for (const char* word : {"= SLICE FLOAT", "= APPEND FLOAT", "= APPEND3 FLOAT"})
    for (std::size_t at = code.find(word); at != std::string::npos; at = code.find(word, at + 1)) ++moves;
  return moves;
}

TEST(FlattenLibrary, SequencesAreReadWhereTheyAre) {
  EXPECT_EQ(moves_in("{row[1] : row in drop(m, 1)}"), 0u);
  EXPECT_EQ(moves_in("{#row : row in take(drop(m, 1), 1)}"), 0u);
  EXPECT_EQ(moves_in("let part = drop(take(m[1], 2), 1) in part[0] + part[1]"), 0u);
  EXPECT_EQ(moves_in("drop(take(m[1], 2), 1)"), 1u);
  EXPECT_EQ(moves_in("[m[1], m[0], m[1]]"), 1u);
}

TEST(FlattenLibrary, SequencesAsLongAsThoseTheyReplaceAreWrittenInTheirPlaces) {
  const std::string code = code_of("let m = {{float(x) : x in r} : r in rows} in m <- {(k, [7.5]) : k in u}");
  const std::size_t begin = code.find("  then\n", code.find("AND_REDUCE")), end = code.find("  else\n", begin);
  ASSERT_NE(end, std::string::npos) << code;
  const std::string if_equal = code.substr(begin, end - begin), otherwise = code.substr(end);
  EXPECT_NE(if_equal.find("= DPERMUTE FLOAT"), std::string::npos) << code;
  EXPECT_EQ(if_equal.find("= APPEND"), std::string::npos) << code;
  EXPECT_EQ(if_equal.find("= SLICE"), std::string::npos) << code;
  EXPECT_NE(otherwise.find("= APPEND FLOAT"), std::string::npos) << code;
}

TEST(FlattenLibrary, IndicesOfExtremesAreArgReductions) {
  expect_operations({
      {"max_index(s)", {"MAX_INDEX"}, {"MIN_REDUCE"}},
      {"{min_index(r) : r in rows}", {"MIN_INDEX"}, {"MAX_REDUCE"}},
  });
}

TEST(FlattenLibrary, ReorderingThatIsOnlyReadIsNotComputed) {
  expect_operations({
      {"split(s, b)[1]", {"PACK"}, {"PERMUTE", "SELECT"}},
      {"split(s, b)[0]", {"PACK"}, {"PERMUTE", "SELECT"}},
      {"flag_merge(b, u, s)", {"MERGE"}, {"APPEND", "BPERMUTE"}},
      {"{x - y : x in s; y in previous(s, 0)}", {"BFPERMUTE"}, {"APPEND", "SLICE"}},
      {"{x - y : x in s; y in next(s, 0)}", {"BFPERMUTE"}, {"APPEND", "SLICE"}},
  });
}

TEST(FlattenLibrary, CheapFilteredBodiesAreSelectedNotPacked) {
  expect_operations({
      {"sum({x * x : x in s | x > 3})", {"SELECT"}, {"PACK"}},
      {"count({x > 4 : x in s | x > 3})", {"SELECT"}, {"PACK"}},
      {"let p = split(s, b) in flag_merge(b, {x + 1 : x in p[0]}, {x * 2 : x in p[1]})",
       {"SELECT"},
       {"PACK", "MERGE", "PERMUTE"}},
      {"length_from_flags(b)", {"PACK", "BFPERMUTE"}, {"APPEND", "SLICE"}},
  });
  const std::string code = code_of("{x in {y in s | y > 3} | x < 9}");
  EXPECT_EQ(code.find("PACK"), code.rfind("PACK")) << code;
  EXPECT_NE(code.find("PACK"), std::string::npos) << code;
}

TEST(FlattenLibrary, KeysAreCounted) {
  expect_operations({
      {"histogram(s)", {"COUNT_INTS"}, {"RANK_UP", "PERMUTE"}},
      {"{(k, #v) : (k, v) in collect({(x, x) : x in s})}", {"COUNT_INTS"}, {"RANK_UP", "PERMUTE"}},
      {"int_collect({(x, x) : x in s})", {"COUNT_INTS", "RANK_UP"}, {}},
  });
}

TEST(FlattenLibrary, ElementsOfOnePlaceAreCombinedByOneOperation) {
  expect_operations({
      {"put_with('+, s, s, s)", {"+_PERMUTE"}, {"RANK_UP", "DPERMUTE"}},
      {"write_with(min, s, {(x, x) : x in s})", {"MIN_PERMUTE"}, {"RANK_UP", "DPERMUTE"}},
      {"put_with((x, y) => x, s, s, s)", {"RANK_UP", "DPERMUTE"}, {"_PERMUTE INT"}},
  });
}

}  // namespace
}  // namespace nesl
