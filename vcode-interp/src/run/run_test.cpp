#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "interpreter_testing.h"
#include "oracle.h"
#include "separate_memory.h"
#include "vcode-interp/interrupt.h"
#include "vcode-interp/profile_report.h"

namespace interp {
namespace {

using testing::Outcome;
using testing::run_text;

struct RunTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  Outcome run(const std::string& text, const RunOptions& options = {}, const std::string& input = "") {
    return run_text(text, *backend, options, input);
  }
};

TEST_F(RunTest, RunsReleaseAllMemory) {
  run("FUNC MAIN CONST INT 3 CONST SEGDES 1000 DIST INT COPY 1 0 PAIR CONST FLOAT (1.0 2.0) RET");
  EXPECT_EQ(backend->memory_use().live, 0u);
  run("FUNC MAIN CONST INT 3 CONST SEGDES 1000 DIST INT COPY 1 0 CONST SEGDES 7 PERMUTE INT RET");
  EXPECT_EQ(backend->memory_use().live, 0u);
}

TEST_F(RunTest, LargeStackMovesKeepEveryValue) {
  std::string text = "FUNC MAIN ";
  for (int k = 0; k < 300; ++k) text += "CONST INT " + std::to_string(k) + " ";
  text += "CPOP 150 150 COPY 200 100 POP 200 0 CPOP 150 150 CPOP 1 299 CPOP 299 1 POP 299 1 RET";
  EXPECT_EQ(run(text).out, "( 299 )\n");
}

TEST_F(RunTest, MovesGrowAFullStack) {
  // The moved values pass through the space above the top, of which a full stack has none. The return address must not
  // change either.
  for (const int doublings : {6, 7, 8}) {
    std::vector<int> values;
    std::string text = "FUNC MAIN ";
    for (int k = 0; k < 16; ++k) {
      text += "CONST INT " + std::to_string(k) + " ";
      values.push_back(k);
    }
    for (int k = 0; k < doublings; ++k) {
      text += "COPY " + std::to_string(values.size()) + " 0 ";
      const std::vector<int> half = values;
      values.insert(values.end(), half.begin(), half.end());
    }
    const std::size_t n = values.size(), count = n / 2 + 3, depth = n / 4 + 1;
    text += "CALL MOVE RET FUNC MOVE CPOP " + std::to_string(count) + " " + std::to_string(depth) + " RET";
    std::rotate(values.end() - static_cast<std::ptrdiff_t>(depth + count),
                values.end() - static_cast<std::ptrdiff_t>(depth), values.end());
    std::string expected;
    for (const int value : values) expected += "( " + std::to_string(value) + " )\n";
    const Outcome outcome = run(text);
    EXPECT_EQ(outcome.out, expected) << outcome.errors;
  }
}

TEST_F(RunTest, StacksGrowAndShrink) {
  const Outcome outcome = run(R"(FUNC MAIN CONST INT 100000 CALL DOWN RET
    FUNC DOWN COPY 1 0 CONST INT 0 = INT IF ELSE COPY 1 0 CONST INT 1 - INT CALL DOWN + INT ENDIF RET)");
  EXPECT_EQ(outcome.out, "( 705082704 )\n") << outcome.errors;
}

TEST_F(RunTest, EndlessRecursionEndsAtTheMemoryLimit) {
  auto small = cvl::conformance::make_oracle({.memory_limit = 1 << 20}, cvl::conformance::Addresses::kAnyHost);
  for (const char* text : {"FUNC MAIN CALL MAIN CONST INT 1 RET", "FUNC MAIN CONST INT 1 CALL MAIN RET"}) {
    const Outcome outcome = run_text(text, *small);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.errors.find("Is the recursion endless?"), std::string::npos) << outcome.errors;
    EXPECT_NE(outcome.errors.find("times in a row"), std::string::npos) << outcome.errors;
  }
}

TEST_F(RunTest, TenMillionNestedCallsFit) {
  const Outcome outcome = run(R"(FUNC MAIN CONST INT 10000000 CALL DOWN RET
    FUNC DOWN COPY 1 0 CONST INT 0 = INT IF ELSE COPY 1 0 CONST INT 1 - INT CALL DOWN + INT ENDIF RET)");
  EXPECT_EQ(outcome.out, "( -2004260032 )\n") << outcome.errors;
}

TEST_F(RunTest, TailCallsTakeNoMemory) {
  RunOptions options;
  options.stack_limit = 64 << 10;
  EXPECT_EQ(run(R"(FUNC MAIN CONST INT 1000000 CALL LOOP RET
    FUNC LOOP COPY 1 0 CONST INT 0 > INT IF CONST INT 1 - INT CONST BOOL T IF CALL LOOP ELSE ENDIF ENDIF RET)",
                options)
                .out,
            "( 0 )\n");
  // Values that a loop leaves on the stack take memory.
  EXPECT_NE(run(R"(FUNC MAIN CONST INT 1000000 CALL LOOP RET
    FUNC LOOP COPY 1 0 CONST INT 0 > INT IF COPY 1 0 CONST INT 1 - INT CALL LOOP ENDIF RET)",
                options)
                .errors.find("the recursion is too deep"),
            std::string::npos);
}

TEST_F(RunTest, OutOfMemoryNamesTheSizes) {
  auto small = cvl::conformance::make_oracle({.memory_limit = 1 << 20}, cvl::conformance::Addresses::kAnyHost);
  const Outcome outcome = run_text("FUNC MAIN CONST INT 1 CONST SEGDES 1000000 DIST INT RET", *small);
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("DIST INT: out of memory: asked for 4000000 bytes"), std::string::npos)
      << outcome.errors;
}

TEST_F(RunTest, InputIsBoundedByTheMemoryLimit) {
  auto small = cvl::conformance::make_oracle({.memory_limit = 1 << 20}, cvl::conformance::Addresses::kAnyHost);
  std::string input = "(";
  for (int k = 0; k < 300000; ++k) input += " 1";
  const Outcome outcome = run_text("FUNC MAIN READ INT RET", *small, {}, input + " )");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.errors.find("out of memory: what is read does not fit"), std::string::npos) << outcome.errors;
}

TEST_F(RunTest, CallLimitStops) {
  RunOptions options;
  options.call_limit = 1000;
  EXPECT_NE(run("FUNC MAIN CALL MAIN RET", options).errors.find("the limit of calls"), std::string::npos);
}

TEST_F(RunTest, WidthsChangeArithmetic) {
  RunOptions options;
  options.widths = {vcode::ElemType::kI64, vcode::ElemType::kF32};
  const Outcome outcome =
      run("FUNC MAIN CONST INT 3000000000 COPY 1 0 + INT CONST FLOAT 0.1 COPY 1 0 + FLOAT "
          "CONST INT (3000000000 1) CONST SEGDES 2 +_REDUCE INT CONST INT 40 CONST INT 1 CPOP 1 1 LSHIFT RET",
          options);
  EXPECT_EQ(outcome.out, "( 6000000000 )\n( 2.00000002980232e-01 )\n( 3000000001 )\n( 1099511627776 )\n");
}

TEST_F(RunTest, SandboxRefusesFilesAndProcesses) {
  RunOptions options;
  options.sandbox = true;
  options.allow_spawn = true;
  EXPECT_NE(run("FUNC MAIN CONST CHAR \"x\" CONST INT 1 FOPEN RET", options).errors.find("--sandbox"),
            std::string::npos);
  const Outcome spawn = run("FUNC MAIN CONST CHAR \"true\" CONST INT -1 CONST INT -1 CONST INT -1 SPAWN RET", options);
  EXPECT_NE(spawn.errors.find("--sandbox"), std::string::npos);
  EXPECT_EQ(spawn.status, 1);
}

TEST_F(RunTest, SpawnHasADocumentedStackEffectForBadStreams) {
  RunOptions options;
  options.allow_spawn = true;
  EXPECT_EQ(
      run("FUNC MAIN CONST CHAR \"true\" CONST INT 9 CONST INT 1 CONST INT 2 SPAWN CPOP 1 1 POP 1 0 RET", options).out,
      "( 2 )\n( 1 )\n( -2 )\n( F )\n");
}

TEST_F(RunTest, StreamsConnectToASpawnedProcess) {
  RunOptions options;
  options.allow_spawn = true;
  const Outcome outcome = run(R"(FUNC MAIN
    CONST CHAR "cat" CONST INT -1 CONST INT -1 CONST INT 2 SPAWN POP 2 0   { err out in }
    CONST INT (4 5 6) COPY 1 1 FWRITE INT POP 2 0
    FCLOSE POP 2 0                                                         { err out }
    FREAD INT POP 2 0 CPOP 1 1 POP 1 0 RET)",
                              options);
  EXPECT_EQ(outcome.out, "( 4 5 6 )\n") << outcome.errors;
}

TEST_F(RunTest, TimersNeedAStart) {
  EXPECT_EQ(run("FUNC MAIN STOP_TIMER RET").status, 1);
  EXPECT_EQ(run("FUNC MAIN START_TIMER STOP_TIMER CONST FLOAT 100.0 < FLOAT RET").out, "( T )\n");
}

TEST_F(RunTest, ClockAscendsAndDateFormats) {
  EXPECT_EQ(run("FUNC MAIN CLOCK CLOCK <= FLOAT RET").out, "( T )\n");
  EXPECT_EQ(run("FUNC MAIN CONST CHAR \"a%%b\" DATE RET").out, "( 97 37 98 )\n");
  EXPECT_EQ(run("FUNC MAIN CONST INT () DATE RET").out, "( )\n");
  // A year of four digits that begins with 20.
  const std::string year = run("FUNC MAIN CONST CHAR \"%Y\" DATE RET").out;
  EXPECT_EQ(year.substr(0, 8), "( 50 48 ");
  EXPECT_EQ(std::count(year.begin(), year.end(), ' '), 5) << year;
  const Outcome zero = run("FUNC MAIN CONST INT (65 0) DATE RET");
  EXPECT_EQ(zero.status, 1);
  EXPECT_NE(zero.errors.find("DATE: the format contains a NUL character"), std::string::npos) << zero.errors;
  EXPECT_NE(run("FUNC MAIN CONST CHAR \"%99999d\" DATE RET").errors.find("DATE: the text is too long"),
            std::string::npos);
}

TEST_F(RunTest, SeedsDetermineRandomNumbers) {
  const std::string draw = "FUNC MAIN CONST INT 1000000 CONST SEGDES 100 DIST INT RAND RET";
  RunOptions options;
  const std::string first = run(draw, options).out;
  EXPECT_EQ(run(draw, options).out, first);
  options.seed = 5;
  const std::string other = run(draw, options).out;
  EXPECT_NE(other, first);
  EXPECT_EQ(run("FUNC MAIN CONST INT 5 SRAND INT POP 1 0 CONST INT 1000000 CONST SEGDES 100 DIST INT RAND RET").out,
            other);
}

TEST_F(RunTest, AReadThatNeverEndsCanBeInterrupted) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const MemoryFile out, errors;
  RunOptions options;
  options.standard_files = {ends[0], out.descriptor(), errors.descriptor()};
  const base::Source source("p.vcode", "FUNC MAIN READ INT RET");
  base::Diagnostics diagnostics;
  const auto program = vcode::parse_vcode(source, diagnostics);
  start_timeout(0.05);
  EXPECT_EQ(run_program(source, *program, *backend, options), 1);
  clear_interrupt();
  EXPECT_NE(errors.content().find("the time given by --timeout is over"), std::string::npos) << errors.content();
  close(ends[0]);
  close(ends[1]);
}

TEST_F(RunTest, ProfileCountsWhatRan) {
  Profile profile(true);
  RunOptions options;
  options.profile = &profile;
  run("FUNC MAIN CONST INT 1 CONST SEGDES 1000 DIST INT CALL TWICE CALL TWICE RET FUNC TWICE COPY 1 0 + INT RET",
      options);
  const ProfileRow& add = profile.instructions().at("+ INT");
  EXPECT_EQ(add.count, 2u);
  EXPECT_EQ(add.elements, 2000u);
  EXPECT_EQ(add.bytes, 2u * 3 * 4000);
  EXPECT_EQ(profile.functions().at("TWICE").count, 2u);
  EXPECT_EQ(profile.functions().at("MAIN").count, 1u);
  const auto trace = nlohmann::json::parse(chrome_trace(profile));
  EXPECT_GE(trace["traceEvents"].size(), 6u);
  EXPECT_NE(profile_table(profile, {}).find("DIST INT"), std::string::npos);
}

TEST_F(RunTest, TracingDoesNotChangeTheResult) {
  RunOptions options;
  options.trace = {true, true, true, true, true};
  const Outcome outcome = run("FUNC MAIN CONST INT (1 2) CALL G RET FUNC G CONST SEGDES 2 +_REDUCE INT RET", options);
  EXPECT_EQ(outcome.out, "( 3 )\n");
  for (const char* expected : {"CONST INT (1 2)\n", "2(Int) 1(Segdes) \n", "( 1 2 )\n[ 2 ]\n", "call G (depth 1)\n",
                               "leave G (depth 1)\n", "+_REDUCE INT\n", "memory: "})
    EXPECT_NE(outcome.errors.find(expected), std::string::npos) << expected << "\n" << outcome.errors;
}

TEST_F(RunTest, SeparateMemoryGivesTheSameResults) {
  auto separate = cvl::conformance::make_separate_memory(cvl::conformance::make_oracle({}));
  const std::string text = R"(FUNC MAIN
    CONST INT 0 CONST INT 1 CONST SEGDES 1000 INDEX
    COPY 1 0 CONST INT 7 CONST SEGDES 1000 DIST INT %
    COPY 1 0 CONST INT 0 CONST SEGDES 1000 DIST INT = INT
    CONST SEGDES 1000 PACK INT LENGTHS
    CPOP 1 2 CONST SEGDES 1000 RANK_DOWN INT
    RET)";
  EXPECT_EQ(run_text(text, *separate).out, run(text).out);
}

}  // namespace
}  // namespace interp
