// Programs must do the work that the language promises: these tests count the elements that all instructions touch.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "work_testing.h"

namespace {

/// Number of elements that a program touches.
std::uint64_t elements(const std::string& text) { return work_of(text, 1).elements; }

std::string number(int n) { return std::to_string(n); }

constexpr int kTable = 100'000;  // elements of a shared sequence
constexpr int kUsers = 1'000;    // elements that use the shared sequence

/// Limit of touched elements: some passes over the table to make it, and some over its users; never their product.
constexpr std::uint64_t kLinear = 30u * (kTable + kUsers);

TEST(Work, IndexingASharedSequence) {
  EXPECT_LT(elements("let a = index(" + number(kTable) + ") in {a[i] : i in index(" + number(kUsers) + ")};"), kLinear);
}

TEST(Work, IndexingAGlobal) {
  EXPECT_LT(elements("a = index(" + number(kTable) + "); {a[i] : i in index(" + number(kUsers) + ")};"), kLinear);
}

TEST(Work, IndexingInAFunctionWithTheTableAsArgument) {
  EXPECT_LT(elements("function look(x, table) = table[x] + table[x + 1] * #table;"
                     "let a = index(" +
                     number(kTable) + ") in {look(x, a) : x in index(" + number(kUsers) + ")};"),
            kLinear);
}

TEST(Work, BinarySearchInASharedSequence) {
  const std::string search =
      "function find_place(x, s, low, high) = if high - low < 2 then low else let middle = (low + high) / 2 in "
      "if s[middle] > x then find_place(x, s, low, middle) else find_place(x, s, middle, high);";
  // About 17 rounds over the users, and no pass over the table but those that make it.
  EXPECT_LT(elements(search + "let a = index(" + number(kTable) + ") in {find_place(97 * x, a, 0, #a) : x in index(" +
                     number(kUsers) + ")};"),
            30u * kTable / 10 + 17u * 60 * kUsers);
}

TEST(Work, BinarySearchWhereEveryElementHasItsOwnSequence) {
  const std::string search =
      "function find_place(x, s, low, high) = if high - low < 2 then low else let middle = (low + high) / 2 in "
      "if s[middle] > x then find_place(x, s, low, middle) else find_place(x, s, middle, high);";
  EXPECT_LT(
      elements(search + "{find_place(50, s, 0, #s) : s in {index(100 + i - i) : i in index(" + number(kUsers) + ")}};"),
      kLinear);
}

TEST(Work, SparseMatrixTimesVector) {
  EXPECT_LT(elements("function smxv(rows, v) = {sum({x * v[i] : (x, i) in row}) : row in rows};"
                     "let n = " +
                     number(kUsers) +
                     ";"
                     "    rows = {{(2.0, mod(i * j, n)) : j in index(10)} : i in index(n)};"
                     "    v = dist(1.0, " +
                     number(kTable) + ") in smxv(rows, v);"),
            kLinear);
}

TEST(Work, SequencesOfAnOuterLevelAreNotCopiedToInnerOnes) {
  // 100 rows of 1000 elements, 100 indices each: 10^5 elements and 10^4 accesses, where copies would make 10^7.
  EXPECT_LT(elements("{{row[mod(i * 37, #row)] : i in index(100)} : row in {index(1000 + r - r) : r in index(100)}};"),
            30u * (100'000 + 10'000));
}

/// A thousand rows of a hundred elements.
const std::string kRows = "rows = {index(100 + i - i) : i in index(1000)};";
/// Elements touched by making the rows, and some passes over up to 10'000 users. Copies of the rows would add 600'000
/// and more.
constexpr std::uint64_t kWithoutCopies = 4u * 100'000 + 20u * 10'000;

TEST(Work, IndexingTwiceCopiesNoRows) {
  EXPECT_LT(elements(kRows + "{rows[mod(7 * k, 1000)][mod(k, 100)] : k in index(10000)};"), kWithoutCopies);
  EXPECT_LT(elements("function cell(g, i, j) = g[i][j];" + kRows +
                     "{{cell(rows, 7 * i, 3 * j) : j in index(30)} : i in index(100)};"),
            kWithoutCopies);
}

TEST(Work, IndexingThreeTimesCopiesNothing) {
  EXPECT_LT(elements("g = {{[x, y, x + y] : x in index(100)} : y in index(300)};"
                     "{g[mod(k, 300)][mod(7 * k, 100)][1] : k in index(10000)};"),
            40u * 90'000);
}

TEST(Work, ARowThatIsOnlyIndexedIsNotCopied) {
  EXPECT_LT(elements("function row(g, i) = g[i];" + kRows +
                     "{let r = row(rows, mod(k, 1000)) in r[0] + r[#r - 1] : k in index(10000)};"),
            kWithoutCopies);
}

TEST(Work, TheLengthOfARowCopiesNoRow) {
  EXPECT_LT(elements(kRows + "{#rows[mod(k, 1000)] : k in index(10000)};"), kWithoutCopies);
}

TEST(Work, IndexingInARecordOfARowCopiesNoRow) {
  EXPECT_LT(elements("datatype body(mass: int, near: [int]);"
                     "bodies = {body(i, index(100 + i - i)) : i in index(1000)};"
                     "{let b = bodies[mod(k, 1000)] in b.mass + b.near[0] : k in index(10000)};"),
            kWithoutCopies);
}

TEST(Work, GatherThroughAnIndexSequence) {
  EXPECT_LT(
      elements("let a = index(" + number(kTable) + ") in {a -> is : is in {index(10 + k - k) : k in index(100)}};"),
      kLinear);
}

TEST(Work, BranchesRunOnlyForTheElementsThatTakeThem) {
  // A thousand elements recurse to depth 1, one element to depth 1000: 3000 calls in total, not 10^6.
  EXPECT_LT(elements("function down(n) = if n == 0 then 0 else 1 + down(n - 1);"
                     "{down(select(i == 7, 1000, 1)) : i in index(1000)};"),
            60u * 3'000);
}

TEST(Work, TheBodyBehindAFilterRunsForTheKeptElements) {
  EXPECT_LT(elements("{sum(index(x)) : x in index(" + number(kUsers) + ") | x == 500};"), 30u * kUsers + 10u * 500);
}

TEST(Work, ManySmallRecursionsCostAsMuchAsOneLargeOne) {
  const std::string sort =
      "function qsort(a) = if #a < 2 then a else let p = a[#a / 2]; parts = {qsort(v) : v in [{x in a | x < p}, "
      "{x in a | x > p}]} in parts[0] ++ {x in a | x == p} ++ parts[1];"
      "let keys = {mod(i * 7919, 100003) : i in index(20000)} in ";
  const std::uint64_t one = elements(sort + "qsort(keys);");
  const std::uint64_t many = elements(sort + "{qsort(part) : part in partition(keys, dist(10, 2000))};");
  EXPECT_LT(many, one + one / 2);
}

TEST(Work, InvariantsAreComputedOnce) {
  const std::uint64_t once = elements("let a = index(1000) in sum(a);");
  EXPECT_LT(elements("let a = index(1000) in {x + sum(a) : x in index(1000)};"), once + 10u * 1000);
}

TEST(Work, ReadingLineByLine) {
  constexpr int kLines = 2'000;
  const std::string name = testing::TempDir() + "work_test_lines";
  std::ofstream lines(name);
  for (int k = 0; k < kLines; ++k) lines << "twenty characters...\n";
  lines.close();
  EXPECT_LT(elements("function total(file, sum) = let ((line, ended), ok, message) = read_line(file) "
                     "in if ended then sum else total(file, sum + #line);"
                     "let (file, ok, message) = open_in_file(\"" +
                     name + "\") in total(file, 0);"),
            100u * kLines);
  EXPECT_LT(elements("sum({#line : line in read_lines(\"" + name + "\")});"), 100u * kLines);
  std::remove(name.c_str());
}

}  // namespace
