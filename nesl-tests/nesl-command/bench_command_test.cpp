// nesl bench: tables, measurements as JSON, comparisons, and everything that can go wrong.

#include <nlohmann/json.hpp>

#include "command.h"

namespace {

struct Benchmarks : Command {
  void SetUp() override {
    file("a.nesl",
         "function input(n) = {rand(n) : i in [0:n]};\n"
         "bench \"sum\" for n in [10, 1K]; s = input(n) = sum(s);\n"
         "bench \"whole\" = sum([0:100]);\n");
  }
  std::size_t lines() const {
    return static_cast<std::size_t>(std::count(result.output.begin(), result.output.end(), '\n'));
  }
};

TEST_F(Benchmarks, AreMeasuredForEachSize) {
  nesl({"bench", "a.nesl", "--time=0.01"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_EQ(result.errors, "");
  EXPECT_EQ(result.output.substr(0, result.output.find('\n')), "a.nesl:2:1: sum");
  for (const char* part : {"           n    median spread         n/s  elements/s     bytes/s\n", "\n          10 ",
                           "\n        1000 ", "a.nesl:3:1: whole\n"})
    EXPECT_NE(result.output.find(part), std::string::npos) << part << result.output;
  EXPECT_EQ(lines(), 7u) << result.output;
}

TEST_F(Benchmarks, AreWrittenAsJsonAndCompared) {
  nesl({"bench", "a.nesl", "--time=0.01", "--json=before.json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  nlohmann::json all = nlohmann::json::parse(text_of("before.json"));
  ASSERT_EQ(all.at("benchmarks").size(), 3u);
  const nlohmann::json& one = all["benchmarks"][1];
  EXPECT_EQ(one["file"], "a.nesl");
  EXPECT_EQ(one["line"], 2);
  EXPECT_EQ(one["name"], "sum");
  EXPECT_EQ(one["n"], 1000);
  EXPECT_GE(one["runs"], 5);
  EXPECT_GT(one["median_seconds"], 0);
  EXPECT_LE(one["low_seconds"], one["median_seconds"]);
  EXPECT_LE(one["median_seconds"], one["high_seconds"]);
  EXPECT_GE(one["elements"], 1000);
  EXPECT_GE(one["bytes"], 4000);
  EXPECT_TRUE(all["benchmarks"][2]["n"].is_null());
  // The first size was a thousand times slower before, the second one a thousand times faster, and the third is new.
  for (const char* key : {"median_seconds", "low_seconds", "high_seconds"}) {
    all["benchmarks"][0][key] = all["benchmarks"][0][key].get<double>() * 1000;
    all["benchmarks"][1][key] = all["benchmarks"][1][key].get<double>() / 1000;
  }
  all["benchmarks"].erase(2);
  file("changed.json", all.dump());
  nesl({"bench", "a.nesl", "--time=0.01", "--compare=changed.json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  EXPECT_NE(result.output.find(" x faster\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" x slower\n"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find(" new\n"), std::string::npos) << result.output;
  nesl({"bench", "a.nesl", "--time=0.01", "--json=-"});
  EXPECT_EQ(nlohmann::json::parse(result.output).at("benchmarks").size(), 3u);
}

TEST_F(Benchmarks, PrepareTheirValuesBeforeTheClock) {
  file("b.nesl",
       "function slow(n) = if n == 0 then 0 else slow(n - 1);\n"
       "bench \"prepared\" for n in [3M]; s = slow(n) = s + 1;\nbench \"measured\" for n in [3M] = slow(n);\n");
  nesl({"bench", "b.nesl", "--time=0.01", "--json=out.json"});
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  const nlohmann::json all = nlohmann::json::parse(text_of("out.json")).at("benchmarks");
  EXPECT_LT(all[0]["median_seconds"].get<double>() * 10, all[1]["median_seconds"].get<double>());
}

TEST_F(Benchmarks, AreChosenByTheirTitles) {
  nesl({"bench", "a.nesl", "--time=0.01", "--filter=who"});
  EXPECT_EQ(result.output.substr(0, result.output.find('\n')), "a.nesl:3:1: whole");
  nesl({"bench", "a.nesl", "--filter=nonesuch"});
  expect(1, "", "nesl: none of 2 benchmarks has 'nonesuch' in its title\n");
  file("none.nesl", "test \"a\" = t;\n");
  nesl({"bench", "none.nesl"});
  expect(1, "", "nesl: there are no benchmarks in none.nesl\n");
}

TEST_F(Benchmarks, ThatFailAreErrors) {
  file("b.nesl",
       "bench \"fault\" for n in [1, 5] = [1, 2][n];\nbench \"sizes\" for n in [[1, 2][7]] = n;\n"
       "bench \"preparation\" for n in [1]; s = error(\"boom\") = s;\nbench \"fine\" = 1 + 1;\n");
  nesl({"bench", "b.nesl", "--time=0.01"});
  EXPECT_EQ(result.exit_status, 1);
  for (const char* title : {"b.nesl:1:1: benchmark failed: fault\n", "b.nesl:2:1: benchmark failed: sizes\n",
                            "b.nesl:3:1: benchmark failed: preparation\n", "index 5, but the sequence has length 2"})
    EXPECT_NE(result.errors.find(title), std::string::npos) << title << result.errors;
  EXPECT_NE(result.output.find("b.nesl:4:1: fine\n"), std::string::npos) << result.output;
  file("c.nesl", "bench \"float\" for n in [1.5] = n;\nbench \"b\" = nonesuch;\n");
  nesl({"bench", "c.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("c.nesl:1:24: error: the sizes of a benchmark are ints, [int], but this has the type "),
            std::string::npos)
      << result.errors;
  EXPECT_NE(result.errors.find("c.nesl:2:13: error: nonesuch is undefined"), std::string::npos) << result.errors;
}

TEST_F(Benchmarks, ThatDoNotEndAreStopped) {
  file("b.nesl",
       "function loop(n) = if n < 0 then n else loop(n + 1);\nbench \"endless\" for n in [1] = loop(n);\n"
       "bench \"fine\" = 1 + 1;\n");
  nesl({"bench", "b.nesl", "--timeout=0.3", "--time=0.01"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.errors, "b.nesl:2:1: benchmark failed: endless\nstopped after 0.3 s (--timeout)\n");
  EXPECT_NE(result.output.find("b.nesl:3:1: fine\n"), std::string::npos) << result.output;
  shell("timeout --foreground --preserve-status -s INT 1 " NESL_COMMAND " bench b.nesl 2>&1");
  expect(130, "interrupted\n", "");
}

TEST_F(Benchmarks, RefuseWrongFilesAndOptions) {
  nesl({"bench", "a.nesl", "--compare=nonesuch.json"});
  expect_error("nesl: cannot open nonesuch.json");
  file("bad.json", "{\"benchmarks\": [{}]}");
  nesl({"bench", "a.nesl", "--compare=bad.json"});
  expect_error("nesl: bad.json is no file that nesl bench --json has written: ");
  file("worse.json", "{");
  nesl({"bench", "a.nesl", "--compare=worse.json"});
  expect_error("nesl: worse.json is no file that nesl bench --json has written: ");
  nesl({"bench", "a.nesl", "--time=0"});
  EXPECT_EQ(result.exit_status, 1);
  nesl({"bench", "a.nesl", "--filter=whole", "--time=0.01", "--json=nonesuch/out.json"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("nesl: cannot write nonesuch/out.json"), std::string::npos) << result.errors;
}

}  // namespace
