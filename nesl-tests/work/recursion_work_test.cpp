// Recursion inside an apply-to-each does the work that the recursions of all elements do, one after the other, and
// makes no more calls than the element does that makes the most: these tests count both, of thirty ways to recurse.

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "work_testing.h"

namespace {

struct Idiom {
  const char* name;
  const char* definitions;
  const char* call;  ///< of an int x, with an int
};

/// For the names of tests.
[[maybe_unused]] void PrintTo(const Idiom& idiom, std::ostream* out) { *out << idiom.name; }

const Idiom kIdioms[] = {
    {"binary search",
     "function search(x, s, low, high) = if high - low < 2 then low else let m = (low + high) / 2 in if s[m] > "
     "x then search(x, s, low, m) else search(x, s, m, high); table = {3 * i : i in index(1000)};",
     "search(mod(x * 7919, 3000), table, 0, #table)"},
    {"binary search with three ways",
     "function search(x, s, low, high) = if low >= high then -1 else let m = (low + high) / 2 in if s[m] == x "
     "then m else if s[m] > x then search(x, s, low, m) else search(x, s, m + 1, high); table = {3 * i : i in "
     "index(1000)};",
     "search(mod(x * 7919, 3000), table, 0, #table)"},
    {"binary search in rows",
     "function search(x, s, low, high) = if high - low < 2 then low else let m = (low + high) / 2 in if s[m] > "
     "x then search(x, s, low, m) else search(x, s, m, high); rows = {index(1 + mod(7 * k, 50)) : k in "
     "index(100)};",
     "let row = rows[mod(x, 100)] in search(x, row, 0, #row)"},
    {"two pointers",
     "function common(a, b, i, j, n) = if i == #a then n else if j == #b then n else if a[i] < b[j] then "
     "common(a, b, i + 1, j, n) else if b[j] < a[i] then common(a, b, i, j + 1, n) else common(a, b, i + 1, j "
     "+ 1, n + 1);",
     "common({3 * k : k in index(10 + mod(x, 7))}, {2 * k : k in index(12 + mod(x, 5))}, 0, 0, 0)"},
    {"gcd by subtraction",
     "function divisor(a, b) = if a == b then a else if a > b then divisor(a - b, b) else divisor(a, b - a);",
     "divisor(1 + mod(x * 17, 40), 1 + mod(x * 23, 30))"},
    {"collatz",
     "function steps(n, c) = if n == 1 then c else if mod(n, 2) == 0 then steps(n / 2, c + 1) else steps(3 * n "
     "+ 1, c + 1);",
     "steps(x + 1, 0)"},
    {"collatz, counted behind the call",
     "function steps(n) = if n == 1 then 0 else if mod(n, 2) == 0 then 1 + steps(n / 2) else 1 + steps(3 * n + "
     "1);",
     "steps(x + 1)"},
    {"power",
     "function power(b, n) = if n == 0 then 1 else if mod(n, 2) == 0 then let r = power(b, n / 2) in mod(r * "
     "r, 10007) else mod(b * power(b, n - 1), 10007);",
     "power(mod(x, 10), 3 * x)"},
    {"newton",
     "function root(a, y, n) = if n == 0 then y else let z = (y + a / y) / 2.0 in if z < y then root(a, z, n - "
     "1) else if z > y + 1.0 then root(a, z, n - 1) else z;",
     "root(float(x + 2), float(x + 2), 30)"},
    {"bisection",
     "function zero(a, low, high, n) = if n == 0 then low else let m = (low + high) / 2.0 in if m * m * m > a "
     "then zero(a, low, m, n - 1) else zero(a, m, high, n - 1);",
     "zero(float(x), 0.0, float(x + 1), 30)"},
    {"k-d search",
     "function near(xs, ys, qx, qy, at, axis, best) = if at >= #xs then best else let d = (xs[at] - qx)^2 + "
     "(ys[at] - qy)^2; b = min(d, best) in if axis == 0 then (if qx < xs[at] then near(xs, ys, qx, qy, 2 * at "
     "+ 1, 1, b) else near(xs, ys, qx, qy, 2 * at + 2, 1, b)) else if qy < ys[at] then near(xs, ys, qx, qy, 2 "
     "* at + 1, 0, b) else near(xs, ys, qx, qy, 2 * at + 2, 0, b); xs = {mod(i * 37, 101) : i in index(127)}; "
     "ys = {mod(i * 53, 103) : i in index(127)};",
     "near(xs, ys, mod(x * 71, 101), mod(x * 67, 103), 0, 0, 1000000)"},
    {"k-d search that turns back",
     "function near(xs, q, at, axis, best) = if at >= #xs then best else let d = abs(xs[at] - q); b = min(d, "
     "best) in if q < xs[at] then (let c = near(xs, q, 2 * at + 1, 1 - axis, b) in if c + q > xs[at] then "
     "near(xs, q, 2 * at + 2, 1 - axis, c) else c) else let c = near(xs, q, 2 * at + 2, 1 - axis, b) in if q - "
     "c < xs[at] then near(xs, q, 2 * at + 1, 1 - axis, c) else c; xs = {mod(i * 37, 101) : i in index(31)};",
     "near(xs, mod(x * 71, 101), 0, 0, 1000000)"},
    {"descent in a tree",
     "function depth(keys, x, at) = if at >= #keys then 0 else if x == keys[at] then 1 else if x < keys[at] "
     "then 1 + depth(keys, x, 2 * at + 1) else 1 + depth(keys, x, 2 * at + 2); keys = {2 * mod(i * 79, 257) : "
     "i in index(255)};",
     "depth(keys, mod(x * 79, 514), 0)"},
    {"trie",
     "function walk(next, s, i, at) = if i == #s then at else if at < 0 then -1 else if s[i] == 0 then "
     "walk(next, s, i + 1, next[2 * at]) else walk(next, s, i + 1, next[2 * at + 1]); next = {let b = i + 1 in "
     "if b < 120 then b else -1 : i in index(256)};",
     "walk(next, {mod(x / (k + 1), 2) : k in index(3 + mod(x, 6))}, 0, 0)"},
    {"search among rows",
     "function find(x, keys, low, high) = if high - low < 2 then low else let m = (low + high) / 2; s = "
     "keys[m] in if x[0] < s[0] then find(x, keys, low, m) else if x[0] > s[0] then find(x, keys, m, high) "
     "else if x[1] < s[1] then find(x, keys, low, m) else find(x, keys, m, high); keys = {[i / 16, mod(i, 16)] "
     ": i in index(256)};",
     "find([mod(x, 16), mod(3 * x, 16)], keys, 0, #keys)"},
    {"selection",
     "function kth(s, k) = let p = s[mod(7919 * k, #s)]; less = {x in s | x < p} in if k < #less then "
     "kth(less, k) else let greater = {x in s | x > p}; first = #s - #greater in if k < first then p else "
     "kth(greater, k - first);",
     "kth({mod(j * j * 31 + x, 101) : j in index(20 + mod(x, 10))}, 7)"},
    {"run length",
     "function runs(s, i, n) = if i >= #s then n else if s[i] == s[i - 1] then runs(s, i + 1, n) else runs(s, "
     "i + 1, n + 1);",
     "runs({mod(j * x / 3, 3) : j in index(10 + mod(x, 9))}, 1, 1)"},
    {"merge of rows",
     "function merged(a, b, i, j, h) = if i == #a then (if j == #b then h else merged(a, b, i, j + 1, mod(h * "
     "31 + b[j], 1009))) else if j == #b then merged(a, b, i + 1, j, mod(h * 31 + a[i], 1009)) else if a[i] <= "
     "b[j] then merged(a, b, i + 1, j, mod(h * 31 + a[i], 1009)) else merged(a, b, i, j + 1, mod(h * 31 + "
     "b[j], 1009));",
     "merged({3 * k : k in index(5 + mod(x, 7))}, {2 * k : k in index(6 + mod(x, 5))}, 0, 0, 0)"},
    {"comparison of strings",
     "function order(a, b, i) = if i == #a then (if i == #b then 0 else -1) else if i == #b then 1 else if "
     "a[i] < b[i] then -1 else if a[i] > b[i] then 1 else order(a, b, i + 1);",
     "order({mod(k / 3, 3) : k in index(5 + mod(x, 10))}, {mod(k / 3, 3) : k in index(4 + mod(3 * x, 11))}, 0)"},
    {"edit script",
     "function greedy(a, b, i, j, n) = if i == #a then n + #b - j else if j == #b then n + #a - i else if a[i] "
     "== b[j] then greedy(a, b, i + 1, j + 1, n) else if #a - i > #b - j then greedy(a, b, i + 1, j, n + 1) "
     "else if #a - i < #b - j then greedy(a, b, i, j + 1, n + 1) else greedy(a, b, i + 1, j + 1, n + 1);",
     "greedy({mod(k * x, 3) : k in index(8 + mod(x, 6))}, {mod(k * 5, 3) : k in index(7 + mod(3 * x, 7))}, 0, "
     "0, 0)"},
    {"automaton",
     "function start(s : [int], i : int, n : int) : int; function word(s : [int], i : int, n : int) : int; "
     "function digits(s : [int], i : int, n : int) : int = if i == #s then n else if s[i] == 0 then start(s, i "
     "+ 1, n) else if s[i] == 1 then word(s, i + 1, n + 1) else digits(s, i + 1, n); function word(s : [int], "
     "i : int, n : int) : int = if i == #s then n else if s[i] == 0 then start(s, i + 1, n) else if s[i] == 1 "
     "then word(s, i + 1, n) else digits(s, i + 1, n + 1); function start(s : [int], i : int, n : int) : int = "
     "if i == #s then n else if s[i] == 0 then start(s, i + 1, n) else if s[i] == 1 then word(s, i + 1, n + 1) "
     "else digits(s, i + 1, n + 1);",
     "start({mod(k * k * 7 + x, 3) : k in index(10 + mod(x, 9))}, 0, 0)"},
    {"states of different parameters",
     "function inside(i : int, s : [int], depth : int) : int; function outside(s : [int], i : int) : int = if "
     "i >= #s then 0 else if s[i] == 1 then inside(i + 1, s, 1) else 1 + outside(s, i + 1); function inside(i "
     ": int, s : [int], depth : int) : int = if i >= #s then -1 else if s[i] == 1 then inside(i + 1, s, depth "
     "+ 1) else if depth == 1 then outside(s, i + 1) else inside(i + 1, s, depth - 1);",
     "outside({mod(k * k * 5 + x, 3) : k in index(10 + mod(x, 9))}, 0)"},
    {"parser",
     "function expression(s : [int], i : int) : (int, int); function factor(s : [int], i : int) : (int, int) = "
     "if i >= #s then (0, i) else if s[i] == 10 then let (v, j) = expression(s, i + 1) in (v, j + 1) else if "
     "s[i] == 11 then let (v, j) = factor(s, i + 1) in (-v, j) else (s[i], i + 1); function sums(s : [int], v "
     ": int, i : int) : (int, int) = if i >= #s then (v, i) else if s[i] == 12 then let (w, j) = factor(s, i + "
     "1) in sums(s, v + w, j) else if s[i] == 13 then let (w, j) = factor(s, i + 1) in sums(s, v - w, j) else "
     "(v, i); function expression(s : [int], i : int) : (int, int) = let (v, j) = factor(s, i) in sums(s, v, "
     "j); forms = [[1, 12, 2, 13, 3], [10, 4, 13, 5, 14, 12, 10, 6, 14], [8], [11, 10, 1, 12, 2, 14, 13, 10, "
     "3, 12, 10, 4, 14, 14], [10, 10, 10, 7, 14, 14, 14]];",
     "let (v, j) = expression(forms[mod(x, 5)], 0) in v"},
    {"even and odd",
     "function odd(n : int) : bool; function even(n : int) : bool = if n == 0 then t else odd(n - 1); function "
     "odd(n : int) : bool = if n == 0 then f else even(n - 1);",
     "if even(x) then 1 else 0"},
    {"two that call both",
     "function right(n : int, c : int) : int; function left(n : int, c : int) : int = if n == 0 then c else if "
     "mod(c, 2) == 0 then left(n - 1, c + 1) else right(n - 1, c / 2); function right(n : int, c : int) : int "
     "= if n == 0 then -c else if mod(c, 3) == 0 then left(n - 1, c + 5) else right(n - 1, c * 2 + 1);",
     "left(10 + mod(x, 8), x)"},
    {"ackermann",
     "function ack(m, n) = if m == 0 then n + 1 else if n == 0 then ack(m - 1, 1) else ack(m - 1, ack(m, n - "
     "1));",
     "ack(mod(x, 3), mod(x / 3, 3))"},
    {"hanoi",
     "function moves(n, from, to) = if n == 0 then 0 else if from < to then moves(n - 1, from, 3 - from - to) "
     "+ 1 else 1 + moves(n - 1, to, from);",
     "moves(mod(x, 12), mod(x, 3), mod(x + 1, 3))"},
    {"fibonacci in pairs",
     "function fib(n) = if n == 0 then (0, 1) else if mod(n, 2) == 0 then let (a, b) = fib(n / 2) in (mod(a * "
     "(2 * b - a), 1009), mod(a * a + b * b, 1009)) else let (a, b) = fib(n - 1) in (b, mod(a + b, 1009));",
     "let (a, b) = fib(x) in a"},
    {"nim",
     "function wins(n, k) = if n == 0 then f else if k == 1 then not(wins(n - 1, 1 + mod(n, 3))) else if n < k "
     "then wins(n, k - 1) else not(wins(n - k, 2));",
     "if wins(mod(x, 12), 1 + mod(x, 3)) then 1 else 0"},
    {"a game of two",
     "function best(n, turn, score) = if n == 0 then score else if turn then (if mod(n, 3) == 0 then best(n / "
     "2, f, score + 1) else max(best(n - 1, f, score + n), score)) else if mod(n, 2) == 0 then best(n - 1, t, "
     "score - 1) else min(best(n - 1, t, score - n), score);",
     "best(mod(x, 25), mod(x, 2) == 0, 0)"},
    {"conditionals in the middle",
     "function odd_sum(n, a) = if n <= 0 then a else let y = if mod(n, 2) == 0 then odd_sum(n / 2, a + 1) else "
     "2 * odd_sum(n / 3, a) in if y > 10 then y - 10 else mod(y, 7);",
     "odd_sum(x, 3)"},
    {"arguments that call",
     "function nest(n, a) = if n <= 0 then a else if mod(n, 3) == 0 then nest(n / 3, nest(n / 4, a + 1)) else "
     "if mod(n, 3) == 1 then nest(n / 4, a) else 1 + nest(n / 5, nest(n / 3, a));",
     "nest(mod(x, 60), 1)"},
};

std::string text(const Idiom& idiom, const std::string& expression) {
  return std::string(idiom.definitions) + " function once(x) = " + idiom.call + "; " + expression + ";";
}

constexpr int kFew = 20, kMany = 200;
/// In units of the elements that one call of one element touches.
constexpr double kMostGrowth = 1.6;

class Recursion : public testing::TestWithParam<Idiom> {};

TEST_P(Recursion, MakesNoMoreCallsThanTheElementThatMakesTheMost) {
  const Idiom& idiom = GetParam();
  const auto calls = [&](const std::string& expression) { return work_of(text(idiom, expression), 0).calls; };
  std::uint64_t most = 0;
  for (int x = 0; x < kFew; ++x) most = std::max(most, calls("once(" + std::to_string(x) + ")"));
  EXPECT_LE(calls("{once(x) : x in index(" + std::to_string(kFew) + ")}"), 2 * most + 3);
}

TEST_P(Recursion, TouchesSoManyElementsForEachCallOfAnElement) {
  const Idiom& idiom = GetParam();
  for (const int level : {0, 1}) {
    const auto cost = [&](int n) {
      const std::string numbers = "index(" + std::to_string(n) + ")";
      const double calls = static_cast<double>(work_of(text(idiom, "{* once(x) : x in " + numbers + "}"), level).calls);
      return static_cast<double>(work_of(text(idiom, "{once(x) : x in " + numbers + "}"), level).elements) / calls;
    };
    EXPECT_LT(cost(kMany), kMostGrowth * cost(kFew)) << "at level " << level;
  }
}

TEST_P(Recursion, HasTheResultsOfOneElementAfterTheOther) {
  const Idiom& idiom = GetParam();
  for (const int level : {0, 1, 2})
    EXPECT_NO_THROW(work_of(text(idiom,
                                 "let xs = index(100); a = {once(x) : x in xs}; b = {* once(x) : x in xs} in "
                                 "[0][if all({x == y : x in a; y in b}) then 0 else 1]"),
                            level))
        << "at level " << level;
}

INSTANTIATE_TEST_SUITE_P(Idioms, Recursion, testing::ValuesIn(kIdioms), [](const auto& idiom) {
  std::string name = idiom.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == ' ' || c == ',' || c == '-'; }, '_');
  return name;
});

}  // namespace
