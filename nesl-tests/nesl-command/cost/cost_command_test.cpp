// nesl cost: work and depth of programs for which they are known by hand, at each level of optimization and number of
// threads; the table, the fitted orders, the files; and everything that can go wrong.

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "../command.h"

namespace {

struct Cost {
  double work = 0, depth = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
  friend Cost operator+(const Cost& a, const Cost& b) { return {a.work + b.work, a.depth + b.depth}; }
};
void PrintTo(const Cost& cost, std::ostream* out) { *out << "work " << cost.work << ", depth " << cost.depth; }

struct Costs : Command {
  nlohmann::json json(const std::vector<std::string>& options) {
    std::vector<std::string> words = {"cost", "p.nesl", "--json=-"};
    words.insert(words.end(), options.begin(), options.end());
    nesl(words);
    EXPECT_EQ(result.exit_status, 0) << result.errors;
    EXPECT_EQ(result.errors, "");
    return nlohmann::json::parse(result.output);
  }
  static std::vector<Cost> costs_of(const nlohmann::json& report) {
    std::vector<Cost> costs;
    for (const nlohmann::json& row : report.at("rows")) costs.push_back({row.at("work"), row.at("depth")});
    return costs;
  }
  /// Expects these costs for the sizes of `sizes`, at all levels of optimization, with one thread and with eight.
  void expect_costs(const std::string& program, const std::string& expression, const std::string& sizes,
                    const std::vector<Cost>& expected) {
    file("p.nesl", program);
    for (const char* level : {"-O0", "-O1", "-O2"})
      for (const char* threads : {"--threads=1", "--threads=8"}) {
        std::vector<std::string> options = {"-e", expression, level, threads};
        if (!sizes.empty()) options.push_back("--n=" + sizes);
        EXPECT_EQ(costs_of(json(options)), expected) << expression << " " << level << " " << threads;
      }
  }
  /// Expects a cost that is a function of n.
  void expect_cost(const std::string& program, const std::string& expression, const std::string& sizes,
                   const std::function<Cost(double n)>& expected) {
    std::vector<Cost> costs;
    std::string list;
    std::istringstream numbers(sizes);
    for (std::string size; std::getline(numbers, size, ',');) costs.push_back(expected(std::stod(size)));
    expect_costs(program, expression, sizes, costs);
  }
  /// The report about an expression in an empty program.
  nlohmann::json json_of(const std::string& expression, const std::string& sizes) {
    file("p.nesl", "");
    return json({"-e", expression, "--n=" + sizes});
  }
  std::string order(const nlohmann::json& report, const char* column) {
    const nlohmann::json& fit = report.at("orders").at(column);
    return fit.is_null() ? "none" : fit.at("order").get<std::string>();
  }
};

constexpr const char* kRandom = "function input(n) = {rand(1000000) : i in [0:n]};\n";

// --- programs whose work and depth are known by hand ---------------------------------------------------------------

TEST_F(Costs, OfOperationsOnSequencesAreTheirLengths) {
  expect_cost(kRandom, "s = input(n); sum(s)", "0,1,10,5000", [](double n) { return Cost{1 + n, 1}; });
  expect_cost(kRandom, "s = input(n); plus_scan(s)", "0,1,10,5000", [](double n) { return Cost{1 + n, 1}; });
  // A range, and the products of its elements.
  expect_cost("", "sum({x * x + 1 : x in [0:n]})", "0,1,10,5000", [](double n) {
    return Cost{(1 + n) + (1 + 2 * n) + (1 + n), 1 + (n > 0 ? 3 : 1) + 1.0};
  });
  // Only the part that is read counts.
  expect_cost(kRandom, "s = input(n); (take(s, 3), s[2], #s, s -> [0, 1])", "10,1000", [](double) {
    return Cost{(1 + 3) + 1 + 1 + (3 + 1 + 2), 1 + 1 + 1 + 2.0};
  });
  // Lengths on all levels: n rows of 2 elements.
  expect_cost("", "rows = {[i, i] : i in [0:n]}; (rows ++ rows, rows == rows)", "0,7", [](double n) {
    return Cost{2 * (1 + 6 * n), 2};
  });
}

TEST_F(Costs, OfSortingAreNLogN) {
  expect_cost(kRandom, "s = input(n); sort(s)", "1,2,3,1024,1025", [](double n) {
    const double lg = std::ceil(std::log2(n));
    return Cost{(1 + n * lg) + (1 + 2 * n), 1 + lg + 1};
  });
}

TEST_F(Costs, OfHelpersOfTheLibrary) {
  expect_cost(kRandom, "s = input(n); prefix_sums(s)", "0,1,1024", [](double n) { return Cost{1 + n + 1, 1}; });
  expect_cost(kRandom, "s = input(n); windows(s, 3)", "3,1024", [](double n) { return Cost{1 + 4 * (n - 2), 1}; });
  expect_cost(kRandom, "s = {rem(x, 4) : x in input(n)}; int_histogram(s, 4)", "4,1024", [](double n) {
    return Cost{1 + n, 1};
  });
  expect_cost("", "s = {[i, i] : i in [0:n]}; summed_area_table(s)", "1,1024", [](double n) {
    return Cost{1 + (n + 1) + 3 * (n + 1), 1};
  });
  // The length, an index, ranks and a permutation.
  expect_cost(kRandom, "s = input(n); argsort(s)", "1,2,3,1024,1025", [](double n) {
    const double lg = std::ceil(std::log2(n));
    return Cost{1 + (1 + n) + (1 + n * lg) + (1 + 2 * n), 1 + 1 + (1 + lg) + 1};
  });
  // The pointers of a chain of n vertices double their lengths in each of lg n rounds.
  std::vector<double> depths;
  for (const Cost& cost : costs_of(json_of("s = {max(i - 1, 0) : i in [0:n]}; tree_roots(s)", "2,4,16,256,65536")))
    depths.push_back(cost.depth);
  ASSERT_EQ(depths.size(), 5u);
  const double two_rounds = depths[1] - depths[0];
  EXPECT_GT(two_rounds, 0);
  EXPECT_EQ(depths[2] - depths[1], two_rounds);
  EXPECT_EQ(depths[3] - depths[2], 2 * two_rounds);
  EXPECT_EQ(depths[4] - depths[3], 4 * two_rounds);
}

TEST_F(Costs, OfAMatrixProduct) {
  // The transpose is evaluated for each row, as the text says, though the compiler does it once.
  expect_cost("function product(a, b) = {{sum({x * y : x in row; y in col}) : col in transpose(b)} : row in a};",
              "a = {{i * j : j in [0:n]} : i in [0:n]}; product(a, a)", "1,5,40", [](double n) {
                const Cost transpose{1 + n + n * n, 1}, element{(1 + n) + (1 + n), 2 + 1.0};
                return Cost{1 + n * (transpose.work + 1 + n * element.work), 1 + (transpose.depth + 1 + element.depth)};
              });
}

TEST_F(Costs, OfAQuadraticProgram) {
  expect_cost("", "{sum({i * j : j in [0:n]}) : i in [0:n]}", "1,10,1000", [](double n) {
    return Cost{(1 + n) + 1 + n * ((1 + n) + (1 + n) + (1 + n)), 1 + 1 + (1 + 2 + 1.0)};
  });
}

TEST_F(Costs, OfAScanByRecursion) {
  constexpr const char* kScan = R"(
    function scan_pairs(s) =
      if #s == 1 then [0]
      else
        let e = even_elts(s); o = odd_elts(s);
            sums = scan_pairs({a + b : a in e; b in o})
        in interleave(sums, {a + b : a in sums; b in e});)";
  const std::function<Cost(double)> scan = [&](double n) -> Cost {
    if (n == 1) return {2 + 2, 2 + 1};
    const Cost step{2 + 4 * (1 + n / 2) + (1 + n), 2 + 1 + 1 + 2 + 2 + 1};
    return step + scan(n / 2);
  };
  expect_cost(kScan, "s = [0:n]; scan_pairs(s)", "1,2,64,4096", scan);
}

TEST_F(Costs, OfQuicksortOfAscendingNumbers) {
  constexpr const char* kSort = R"(
    function qsort(s) =
      if #s < 2 then s
      else
        let pivot = s[#s / 2];
            less = {x in s | x < pivot};
            equal = {x in s | x == pivot};
            greater = {x in s | x > pivot};
            sorted = {qsort(v) : v in [less, greater]}
        in sorted[0] ++ equal ++ sorted[1];)";
  // 2^k - 1 numbers, whose middle one is the pivot.
  const std::function<Cost(double)> sort = [&](double n) -> Cost {
    if (n < 2) return {2, 2};
    const double half = (n - 1) / 2;
    const Cost inner = sort(half);
    const Cost step{2 + 3 + 3 * (1 + n) + 3 + 1 + 2 + (1 + half + 1) + (1 + n), 2 + 3 + 3 * 2 + 1 + 1 + 2 + 2};
    return {step.work + 2 * inner.work, step.depth + inner.depth};
  };
  expect_cost(kSort, "s = [0:n]; qsort(s)", "0,1,3,1023,4095", sort);
  // Another vector library counts the same.
  EXPECT_EQ(costs_of(json({"-e", "s = [0:n]; qsort(s)", "--n=4095", "--backend=cuda-host"})), std::vector{sort(4095)});
  EXPECT_EQ(costs_of(json({"-e", "{sum([0:i]) : i in [0:n]}", "--n=1000", "--backend=cuda-host"})),
            (std::vector<Cost>{{1001 + 1 + 2 * 1000 + 2 * 499500, 1 + 1 + 2}}));
  EXPECT_EQ(costs_of(json({"-e", "s = [0:n]; qsort(s)", "--n=4095", "--int=32"})), std::vector{sort(4095)});
  // Of random numbers: n log n and log n are expected.
  file("p.nesl", std::string(kRandom) + kSort);
  const nlohmann::json report = json({"-e", "s = input(n); qsort(s)", "--n=1K:128K"});
  EXPECT_EQ(order(report, "work"), "n log n") << report;
  EXPECT_EQ(order(report, "depth"), "log n") << report;
}

TEST_F(Costs, OfQuicksortOneAfterTheOther) {
  // Without an apply-to-each, the depths of both calls add up.
  constexpr const char* kSort = R"(
    function qsort(s) =
      if #s < 2 then s
      else let pivot = s[#s / 2]
           in qsort({x in s | x < pivot}) ++ {x in s | x == pivot} ++ qsort({x in s | x > pivot});)";
  const std::function<Cost(double)> sort = [&](double n) -> Cost {
    if (n < 2) return {2, 2};
    const double half = (n - 1) / 2;
    const Cost step{2 + 3 + 3 * (1 + n) + (1 + half + 1) + (1 + n), 2 + 3 + 3 * 2 + 2};
    return step + sort(half) + sort(half);
  };
  expect_cost(kSort, "s = [0:n]; qsort(s)", "1,3,255", sort);
}

TEST_F(Costs, OfMergesort) {
  // By bitonic merging, whose work and depth do not depend on the elements.
  constexpr const char* kSort = R"(
    function merge_halves(s) =
      if #s == 1 then s
      else
        let half = #s / 2;
            a = take(s, half); b = drop(s, half);
            low = {min(x, y) : x in a; y in b};
            high = {max(x, y) : x in a; y in b};
            r = {merge_halves(v) : v in [low, high]}
        in r[0] ++ r[1];
    function mergesort(s) =
      if #s == 1 then s
      else
        let half = #s / 2;
            r = {mergesort(v) : v in [take(s, half), drop(s, half)]}
        in merge_halves(r[0] ++ reverse(r[1]));)";
  const std::function<Cost(double)> merge = [&](double n) -> Cost {
    if (n == 1) return {2, 2};
    const Cost inner = merge(n / 2);
    const Cost step{2 + 2 + 2 * (1 + n / 2) + 2 * (1 + n / 2) + 3 + 1 + 2 + (1 + n), 2 + 2 + 2 + 4 + 1 + 1 + 2 + 1};
    return {step.work + 2 * inner.work, step.depth + inner.depth};
  };
  const std::function<Cost(double)> sort = [&](double n) -> Cost {
    if (n == 1) return {2, 2};
    const Cost inner = sort(n / 2);
    const Cost step{2 + 2 + 2 * (1 + n / 2) + 3 + 1 + 2 + (1 + n / 2) + (1 + n), 2 + 2 + 2 + 1 + 1 + 2 + 1 + 1};
    return Cost{step.work + 2 * inner.work, step.depth + inner.depth} + merge(n);
  };
  expect_cost(std::string(kRandom) + kSort, "s = input(n); mergesort(s)", "1,2,64,1024", sort);
  const nlohmann::json report = json({"-e", "s = input(n); mergesort(s)", "--n=64:16384"});
  EXPECT_EQ(order(report, "work"), "n log² n") << report;
  EXPECT_EQ(order(report, "depth"), "log² n") << report;
}

TEST_F(Costs, OfAConvexHull) {
  // Points on a parabola: all are in the hull, and the farthest from a chord is the middle one.
  constexpr const char* kHull = R"(
    function cross((x1, y1), (x2, y2), (x3, y3)) = (x1 - x3) * (y2 - y3) - (y1 - y3) * (x2 - x3);
    function hsplit(points, p1, p2) =
      let distances = {cross(p, p1, p2) : p in points};
          outside = {p in points; d in distances | d < 0.0}
      in if #outside < 2 then [p1] ++ outside
         else let far = points[min_index(distances)]
              in flatten({hsplit(outside, a, b) : (a, b) in [(p1, far), (far, p2)]});)";
  // `inside` points between the ends of the chord, among `points`.
  const std::function<Cost(double, double)> split = [&](double points, double inside) -> Cost {
    const Cost test{(1 + 7 * points) + (1 + points) + 2, 8 + 2 + 2};
    if (inside < 2) return test + Cost{2 + (1 + 1 + inside), 1 + 1};
    const Cost inner = split(inside, (inside - 1) / 2);
    // The flattened sequence has two rows, of a half and its left end each.
    const Cost step{1 + (1 + points) + (1 + 2) + 1 + (1 + 2 + inside + 1), 1 + 1 + 1 + 1 + 1};
    return test + Cost{step.work + 2 * inner.work, step.depth + inner.depth};
  };
  expect_cost(kHull, "p = {(float(i), float(i) * float(i)) : i in [0:n]}; hsplit(p, p[0], p[n - 1])", "3,5,9,65,1025",
              [&](double n) {
                return Cost{3, 3} + split(n, n - 2);
              });
}

// --- each construct ---------------------------------------------------------------------------------------------

struct Case {
  const char* expression;
  Cost cost;
};

TEST_F(Costs, OfEachConstruct) {
  constexpr const char* kProgram = R"(
    function twice(f, x) = f(f(x));
    function square(x) = x * x;
    function loop(n, acc) = if n == 0 then acc else loop(n - 1, acc + n);
    function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2);
    function odd(n) : int -> bool;
    function even(n) : int -> bool = if n == 0 then t else odd(n - 1);
    function odd(n) : int -> bool = if n == 0 then f else even(n - 1);
    function equal(x, y) = x == y;
    add = a => b => a + b;
    function compose(g, h) = x => g(h(x));
    datatype point(x : float, y : float);
    function norm(p) = p.x * p.x + p.y * p.y;
    table = [0:100];
  )";
  const Case cases[] = {
      // Scalars: one for each operation, in a row.
      {"1 + 2 * 3", {2, 2}},
      {"(1 + 2, 3.5 < 2.0, gcd(12, 18), max(1, 2))", {4, 4}},
      {"let x = 1 + 2; y = x * x in x + y", {3, 3}},
      {"norm(point(1.0, 2.0))", {3, 3}},
      {"\"text\"", {0, 0}},
      {"[1, 2, 3]", {4, 1}},
      // Conditionals: the branch that is taken.
      {"if 1 < 2 then 1 + 2 + 3 else 0", {3, 3}},
      {"if 1 > 2 then sum(table) else 0", {1, 1}},
      {"if 1 < 2 then sum(table) else 0", {102, 2}},
      // Apply-to-each: the largest depth, and none if there are no elements.
      {"{x + 1 : x in table}", {101, 2}},
      {"{x + 1 : x in [] int}", {1, 1}},
      {"{if x < 30 then x + 1 + 2 else x + 1 : x in table}", {1 + 100 + 60 + 70, 1 + 1 + 2}},
      {"{if x < 200 then x + 1 else sum([0:x]) : x in table}", {1 + 200, 3}},
      {"{if x < 98 then x + 1 else sum([0:x]) : x in table}", {1 + 100 + 98 + 2 * (98 + 99) + 4, 1 + 1 + 2}},
      {"{x in table | x > 89}", {1 + 100, 2}},
      {"{x * 2 + 1 : x in table | x > 89}", {1 + 100 + 20, 1 + 1 + 2}},
      {"{x * 2 + 1 : x in table | x > 100}", {1 + 100, 1 + 1}},
      {"{sum([0:x]) : x in table | x > 97}", {1 + 100 + 2 * (98 + 99) + 4, 1 + 1 + 2}},
      {"{x + 1 : x in table | any({y == x : y in [0:x]})}", {1 + 3 * 100 + 3 * 4950, 1 + 1 + 2 + 1}},
      {"{x + 1 : x in table | odd(x)}", {1 + 2 * 4950 + 100 + 50, 1 + (2 * 99 + 1) + 1}},
      {"{x + y : x in table; y in table}", {101, 2}},
      // Shared by all elements, but counted for each.
      {"{sum(table) : i in [0:3]}", {4 + 1 + 3 * 101, 1 + 1 + 1}},
      {"{* sum([0:x]) : x in [0:4]}", {5 + 1 + 2 * 6 + 8, 1 + 1 + 8}},
      {"{* x + 1 : x in [0:4]}", {5 + 1 + 4, 1 + 1 + 4}},
      {"{* sum([0:x]) : x in [0:4] | odd(x)}", {5 + 1 + (2 * 6 + 4) + 2 * 4 + 4, 1 + 1 + 16 + 4}},
      // Functions.
      {"fib(10)", {441, 441}},
      {"{fib(i) : i in [0:11]}", {12 + 1 + (5 * 232 - 44), 1 + 1 + 441}},
      {"loop(100000, 0)", {300001, 300001}},
      {"{loop(i, 0) : i in table}", {1 + 3 * 4950 + 100, 1 + 3 * 99 + 1}},
      {"even(7)", {15, 15}},
      {"{even(i) : i in table}", {1 + 2 * 4950 + 100, 1 + 199}},
      {"twice(square, 3)", {2, 2}},
      {"twice(x => x + sum([0:x]), 3)", {(4 + 4 + 1) + (7 + 7 + 1), 6}},
      {"twice(add(5), 3)", {2, 2}},
      {"compose(square, compose(square, x => x + 1))(2)", {3, 3}},
      {"equal(1, 2)", {1, 1}},
      {"equal([1, 2], [1, 3])", {3 + 3 + 5, 3}},
      {"{equal(x, [1]) : x in [[1], [1, 2]]}", {2 + 3 + 3 + 1 + (2 + 3) + (2 + 4), 1 + 1 + 1 + 1 + 2}},
      {"first(sum(table), 1)", {101, 1}},
      {"x => x", {0, 0}},
      {"pack_index({x > 97 : x in table})", {101 + 101, 2 + 1}},
      {"filter(odd, [1, 2, 3])", {4 + 1 + 3 + 5 + 7, 1 + 1 + 7}},
      {"write_with('+, dist(0, 10), {(k, 1) : k in [1, 2, 3]})", {11 + 4 + 1 + (1 + 10 + 3), 4}},
      {"group_by([1, 2, 3, 4], 2)", {5 + 1 + 6, 2}},
      // time takes no work; random numbers and printing are operations.
      {"first(time(sum(table)))", {101, 1}},
      {"{rand(10) : i in table}", {101, 2}},
      {"print_string(\"hello\")", {6, 1}},
  };
  for (const Case& one : cases) expect_costs(kProgram, one.expression, "", {one.cost});
}

// --- the command ------------------------------------------------------------------------------------------------

TEST_F(Costs, AreATableWithTheOrders) {
  file("p.nesl", "function square(x) = x * x;\n");
  nesl({"cost", "p.nesl", "-e", "sum({square(i) : i in [0:n]})", "--n=1K:8K"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  const std::string heading =
      "p.nesl: sum({square(i) : i in [0:n]})\n"
      "           n            work       depth  work/depth  operations      elements  peak memory       time\n"
      "        1000            3003           4         751  ";
  EXPECT_EQ(result.output.substr(0, heading.size()), heading);
  for (const char* line : {"\n        8000           24003           4      6.00 K ",
                           "\n       order               n           1           n ",
                           "\n   deviation           ±0.0%       ±0.0%       ±0.0% "})
    EXPECT_NE(result.output.find(line), std::string::npos) << line << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 8);
  // Without sizes there is one line, without an order.
  nesl({"cost", "p.nesl", "-e", "square(3)"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 3) << result.output;
}

TEST_F(Costs, AreWrittenAsJsonAndAsAPicture) {
  file("p.nesl", "");
  nesl({"cost", "p.nesl", "-e", "s = [0:n]; plus_scan(s) ++ \"<&\" == s", "--n=10"});
  expect_error("<expression>:1:28: error:");
  nesl({"cost", "p.nesl", "-e", "s = [0:n]; if #s < 1 then [] int else plus_scan(s)", "--n=1K:16K", "--json=c.json",
        "--plot=c.svg"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const nlohmann::json all = nlohmann::json::parse(text_of("c.json"));
  EXPECT_EQ(all["file"], "p.nesl");
  ASSERT_EQ(all["rows"].size(), 5u);
  const nlohmann::json& row = all["rows"][1];
  EXPECT_EQ(row["n"], 2000);
  EXPECT_EQ(row["work"], 2003);
  EXPECT_EQ(row["depth"], 3);
  EXPECT_NEAR(row["work_per_depth"].get<double>(), 2003 / 3.0, 1e-9);
  EXPECT_GT(row["operations"], 0);
  EXPECT_GE(row["elements"], 2000);
  EXPECT_GE(row["peak_bytes"], 2 * 4 * 2000);
  EXPECT_LT(row["peak_bytes"], 10 * 4 * 2000);
  EXPECT_GT(row["seconds"], 0);
  EXPECT_GT(row["counting_seconds"], 0);
  EXPECT_EQ(all["orders"]["work"]["order"], "n");
  EXPECT_NEAR(all["orders"]["work"]["factor"].get<double>(), 1, 1e-6);
  EXPECT_NEAR(all["orders"]["work"]["constant"].get<double>(), 3, 1e-3);
  EXPECT_EQ(all["orders"]["depth"]["order"], "1");
  const std::string svg = text_of("c.svg");
  EXPECT_EQ(svg.substr(0, 5), "<svg ");
  for (const char* part : {"role=\"img\"", "#s &lt; 1 then", ">work: n</text>", ">depth: 1</text>", "</svg>\n"})
    EXPECT_NE(svg.find(part), std::string::npos) << part;
  shell("python3 -c 'import xml.dom.minidom, sys; xml.dom.minidom.parse(\"c.svg\")'");
  expect(0, "", "");
  nesl({"cost", "p.nesl", "-e", "n", "--n=1", "--plot=nonesuch/c.svg"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("nesl: cannot write nonesuch/c.svg"), std::string::npos) << result.errors;
}

TEST_F(Costs, NeedAnExpressionAndSizes) {
  file("p.nesl", "x = 1;\n");
  nesl({"cost", "p.nesl"});
  expect_error("nesl: ");
  nesl({"cost", "p.nesl", "-e", "x", "--n=ten"});
  expect_error("nesl: --n: 'ten' is no size: ");
  nesl({"cost", "p.nesl", "-e", "x", "--n=3G", "--int=32"});
  expect_error("nesl: --n: the size 3G is too large: ints end at 2147483647\n");
  nesl({"cost", "p.nesl", "-e", "x", "--n=3G"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  nesl({"cost", "p.nesl", "-e", "x", "--float=32"});
  expect_error("nesl: work and depth are counted in floats of 64 bits, which --float=32 excludes\n");
  nesl({"cost", "nonesuch.nesl", "-e", "1"});
  expect_error("nesl: cannot open nonesuch.nesl");
}

TEST_F(Costs, OfWrongProgramsAreTheMessagesOfTheCompiler) {
  file("p.nesl", "function g(x) = x + nonesuch;\n");
  nesl({"cost", "p.nesl", "-e", "g(1)"});
  expect_error("p.nesl:1:21: error: nonesuch is undefined");
  file("p.nesl", "function g(x) = x + 1;\n");
  nesl({"cost", "p.nesl", "-e", "s = g(n); g(1.5) + s", "--n=1"});
  expect_error("<expression>:1:");
  nesl({"cost", "p.nesl", "-e", "g(n)"});
  expect_error("<expression>:1:3: error: n is undefined");
  nesl({"cost", "p.nesl", "-e", "g(1); g(2)"});
  expect_error("<expression>:1:1: error: only the last of these can be an expression");
  nesl({"cost", "p.nesl", "-e", "s = g(1)"});
  expect_error("<expression>:1:1: error: the last of these must be an expression, to be measured");
  nesl({"cost", "p.nesl", "-e", "function h(x) = x; h(1)"});
  expect_error("<expression>:1:1: error: only assignments and an expression can stand here");
  nesl({"cost", "p.nesl", "-e", " "});
  expect_error("<expression>:1:1: error: there is no expression to be measured");
  nesl({"cost", "p.nesl", "-e", "s = x => x; s(n)", "--n=1"});
  expect_error("<expression>:1:1: error: ");
}

TEST_F(Costs, OfProgramsThatFailEndWithTheirReport) {
  file("p.nesl", "function pick(n) = [1, 2, 3][n];\nbroken = [1][7];\n");
  nesl({"cost", "p.nesl", "-e", "pick(n)", "--n=1,2,5"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("\n           2 "), std::string::npos) << result.output;
  EXPECT_EQ(result.errors.substr(0, 43), "nesl: the cost cannot be measured for n = 5");
  EXPECT_NE(result.errors.find("index 5, but the sequence has length 3"), std::string::npos) << result.errors;
  nesl({"cost", "p.nesl", "-e", "broken + n", "--n=1"});
  expect_error("nesl: the cost cannot be measured\n");
  nesl({"cost", "p.nesl", "-e", "s = pick(9); s", "--n=1"});
  expect_error("nesl: the cost cannot be measured for n = 1\n");
}

TEST_F(Costs, OfProgramsThatDoNotEndAreStopped) {
  file("p.nesl", "function wait(n) = if n < 0 then n else wait(if n > 5 then n else n - 1);\n");
  nesl({"cost", "p.nesl", "-e", "wait(n)", "--n=1,2,9", "--timeout=0.5", "--json=c.json"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.output.find("\n           2 "), std::string::npos) << result.output;
  EXPECT_EQ(result.errors.find("nesl: the cost cannot be measured for n = 9\np.nesl:1:41: warning in wait: "), 0u)
      << result.errors;
  EXPECT_NE(result.errors.find("\nstopped after 0.5 s (--timeout)\n"), std::string::npos) << result.errors;
  EXPECT_EQ(nlohmann::json::parse(text_of("c.json"))["rows"].size(), 2u);
  shell("timeout --foreground --preserve-status -s INT 1 " NESL_COMMAND " cost p.nesl -e 'wait(n)' --n=1,9");
  EXPECT_EQ(result.exit_status, 130);
  EXPECT_NE(result.output.find("\n           1 "), std::string::npos) << result.output;
  EXPECT_EQ(result.errors, "interrupted\n");
}

TEST_F(Costs, OfProgramsThatReadPrintAndDraw) {
  // Standard input is empty, the output is not shown, and each run draws the numbers of the seed.
  file("p.nesl", "function wait(n) = if n == 0 then 0 else wait(n - 1);\n");
  nesl({"cost", "p.nesl", "-e", "read_line(stdin)", "--json=-"}, "a line\n");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  nesl({"cost", "p.nesl", "-e", "print_string(\"hello\")"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.output.find("hello\n"), std::string::npos) << result.output;
  const auto draws = [&](const char* seed, const char* level) {
    return costs_of(json({"-e", "(rand(3), wait(rand(1000)), {wait(rand(1000)) : i in [0:5]})", seed, level}));
  };
  EXPECT_EQ(draws("--seed=1", "-O0"), draws("--seed=1", "-O2"));
  EXPECT_NE(draws("--seed=1", "-O2"), draws("--seed=2", "-O2"));
}

}  // namespace
