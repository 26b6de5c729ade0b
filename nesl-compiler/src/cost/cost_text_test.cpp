#include "cost_text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nesl-compiler/session.h"

namespace nesl {
namespace {

TEST(CostText, FollowsFromTheTextOfAFunction) {
  constexpr const char* kDefinitions = R"(
    datatype point(x : float, y : float);
    function cube(x) = x * x * x;
    function swap(a, b) = (b, a);
    function norm(p) = let point(x, y) = p in sqrt(x * x + y * y);
    function product_of_sums(s) = sum(s) * sum({x + 1 : x in s});
    function cubes(s) = {cube(x) : x in s | x > 0};
    function choose(s) = if #s > 0 then sum(s) else 0;
    function rows(m) = {product_of_sums(row) : row in m};
    function counts(keys, n) = write_with('+, dist(0, n), {(k, 1) : k in keys});
    function power(x, n) = if n == 0 then 1 else x * power(x, n - 1);
    function calls_power(x) = {power(y, 3) : y in x};
    function sorted(s) = sort(s);
    function apply(g, x) = g(x);
    function maps(s) = reduce('+, 0, s);
    function serial(s) = {* x + 1 : x in s};
    v = [1];
  )";
  const std::string of_values =
      "Work 1 + n, depth 1 for n elements of the arguments or of the result, whichever are more.";
  const std::vector<std::pair<std::string, std::string>> kCosts = {
      {"cube", "Work 2, depth 2."},
      {"swap", "Work 0, depth 0."},
      {"norm", "Work 4, depth 4."},
      {"product_of_sums", "Depth at most 5, whatever the values."},  // sum, +, {}, sum, *
      {"cubes", "Depth at most 4, whatever the values."},            // >, *, *, {}
      {"choose", "Depth at most 3, whatever the values."},           // #, >, sum
      {"rows", "Depth at most 6, whatever the values."},
      {"counts", "Depth at most 3, whatever the values."},  // dist, {}, write_with
      {"power", ""},
      {"calls_power", ""},
      {"sorted", ""},
      {"apply", ""},
      {"maps", ""},
      {"serial", ""},
      {"v", ""},
      {"point", ""},
      {"+", "Work 1, depth 1."},
      {"elt", "Work 1, depth 1."},
      {"sum", of_values},
      {"zip", of_values},
      {"take", "Work 1 + n, depth 1 for n elements of the result."},
      {"rank", "Work 1 + n lg n, depth 1 + lg n for n elements."},
      {"sort", ""},
      {"reduce", ""},
      {"nosuch", ""},
  };
  run_with_deep_stack([&] {
    Session session;
    const base::Source& source = session.add_source("a.nesl", kDefinitions);
    base::Diagnostics diagnostics;
    session.read(source, diagnostics, [&](Unit& unit) {
      if (unit.kind == Unit::Kind::kValue) session.commit(unit);
      return true;
    });
    ASSERT_FALSE(diagnostics.has_errors()) << render(source, diagnostics);
    for (const auto& [name, cost] : kCosts) EXPECT_EQ(session.cost_of(name), cost) << name;
  });
}

}  // namespace
}  // namespace nesl
