// Exhausted memory, and finite and infinite recursion.

#include "../support/sanitizers.h"
#include "command.h"

namespace {

struct Memory : Command {
  /// Checks the file at each optimization level, and through the classic tool chain with and without the optimizer.
  template <class Check>
  void run_all_ways(const std::string& options, const Check& check) {
    for (const char* level : {"0", "1", "2"}) {
      shell(std::string(NESL_COMMAND " run --int=32 -O ") + level + " " + options + " a.nesl");
      SCOPED_TRACE(std::string("-O ") + level);
      check(false);
    }
    for (const char* optimizer : {"", "| " NESL_FCODE_OPT " -O1 - ", "| " NESL_FCODE_OPT " - "}) {
      shell(std::string(NESL_NESL2VCODE " a.nesl ") + optimizer + "| " NESL_VINTERP " " + options + " -");
      SCOPED_TRACE(std::string("chain ") + optimizer);
      check(true);
    }
  }
};

TEST_F(Memory, RunningOutNamesThePlaceAtEveryLevel) {
  struct GreedyProgram {
    const char *text, *place;
  };
  for (const GreedyProgram& program :
       {GreedyProgram{"function squares(n) =\n  {x * x + 1 : x in [0:n]};\nsquares(100000000);\n", "a.nesl:2:21"},
        GreedyProgram{"function twice(v) = {x * 2 : x in v} ++ v;\ntwice(twice([0:4000000]));\n", "a.nesl:1:21"},
        GreedyProgram{"function table(n) = {{a * b : b in [0:n]} : a in [0:n]};\ntable(20000);\n", "a.nesl:1:22"},
        GreedyProgram{"function grow(v) =\n  if #v == 0 then v else grow(v ++ v);\ngrow([1, 2]);\n", "a.nesl:2:31"},
        GreedyProgram{"function spread(v, n) = dist(v[0], n);\nspread([1.0], 50000000);\n", "a.nesl:1:25"}}) {
    file("a.nesl", program.text);
    run_all_ways("--memory=60M", [&](bool) {
      EXPECT_EQ(result.exit_status, 1) << program.text;
      EXPECT_EQ(result.output, "") << program.text;
      EXPECT_EQ(result.errors.find(std::string(program.place) + ": run-time error in "), 0u) << result.errors;
      EXPECT_NE(result.errors.find(": out of memory: asked for "), std::string::npos) << result.errors;
    });
  }
}

TEST_F(Memory, WhatHasNoTextHasNoPlace) {
  nesl({"-e", "\"abc\"", "--memory=1"});
  expect_error("run-time error: CONST: out of memory: asked for ");
}

TEST_F(Memory, LimitedAddressSpaceIsEnoughOrNamed) {
  if (kSanitized) GTEST_SKIP() << "sanitizers reserve terabytes of address space";
  shell("ulimit -v 400000; " NESL_COMMAND " -e 'sum([0:10])'");
  expect(0, "it = 45 : int\n", "");
  shell("ulimit -v 400000; " NESL_COMMAND " -e 'sum({x * x : x in [0:100000]})'");
  EXPECT_EQ(result.exit_status, 0) << result.errors;
  shell("ulimit -v 400000; " NESL_COMMAND " -e 'sum(reverse(reverse([0:60000000])))'");
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("of address space: see ulimit -v"), std::string::npos) << result.errors;
}

TEST_F(Memory, EachElementWithAllOthersRunsInPieces) {
  // 4000 times 4000 distances, sorted: 128 MB for one sequence of them.
  file("a.nesl",
       "function nearest(p, ps) = let ds = sort({abs(p - q) : q in ps}) in sum(take(ds, 3));\n"
       "let ps = {float(rem(i * 7919, 10007)) : i in [0:4000]} in sum({nearest(p, ps) : p in ps});\n");
  nesl({"run", "--memory=100M", "a.nesl"});
  expect(0, "it = 10091.0 : float\n", "");
  nesl({"run", "--memory=100M", "--pieces=off", "a.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find("a.nesl:1:"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find(": out of memory: asked for "), std::string::npos) << result.errors;
}

TEST_F(Memory, ADeviceRunsCallsInPiecesIfTheyDoNotFit) {
  file("a.nesl",
       "function nearest(p, ps) = let ds = sort({abs(p - q) : q in ps}) in sum(take(ds, 3));\n"
       "let ps = {float(rem(i * 7919, 10007)) : i in [0:800]} in sum({nearest(p, ps) : p in ps});\n");
  nesl({"run", "--backend=cuda-host", "--memory=12M", "a.nesl"});
  const std::string output = result.output;
  expect(0, output, "");
  nesl({"run", "a.nesl"});
  expect(0, output, "");
  nesl({"run", "--backend=cuda-host", "--memory=12M", "--pieces=off", "a.nesl"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_NE(result.errors.find(": out of memory: asked for "), std::string::npos) << result.errors;
}

TEST_F(Memory, LoopsTakeNone) {
  file("a.nesl",
       "function loop(i, s) = if i == 0 then s else if evenp(i) then loop(i - 1, s + i) else loop(i - 1, s - i);\n"
       "function odd_(i) : int -> bool;\n"
       "function even_(i) = if i == 0 then t else odd_(i - 1);\n"
       "function odd_(i) = if i == 0 then f else even_(i - 1);\n"
       "(loop(1000000, 0), even_(1000001));\n");
  run_all_ways("--stack=64K", [&](bool is_chain) {
    EXPECT_EQ(result.errors, "");
    EXPECT_EQ(result.output, is_chain ? "( 500000 )\n( F )\n" : "it = (500000, F) : int, bool\n");
  });
}

TEST_F(Memory, TenMillionCallsInsideEachOther) {
  nesl({"-e", "function down(n) = if n == 0 then 0 else 1 + down(n - 1); down(10000000)"});
  expect(0, "down = fn : int -> int\nit = 10000000 : int\n", "");
}

TEST_F(Memory, EndlessRecursionShowsItsCycle) {
  file("a.nesl",
       "function b(n) : int -> int;\n"
       "function a(n) = if n < 0 then n else 1 + b(n + 1);\n"
       "function b(n) = if n < -1 then n else 2 + a(n + 1);\n"
       "a(1);\n");
  run_all_ways("--stack=1M", [&](bool) {
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_NE(result.errors.find(": the recursion is too deep: "), std::string::npos) << result.errors;
    EXPECT_NE(result.errors.find("Is the recursion endless?"), std::string::npos) << result.errors;
    for (const char* line : {"  called from b (a.nesl:3:43)\n", "  called from a (a.nesl:2:42)\n", "  these 2 calls "})
      EXPECT_NE(result.errors.find(line), std::string::npos) << result.errors;
  });
}

}  // namespace
