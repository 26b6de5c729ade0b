// Interpreters in another program that run several programs.

#include <gtest/gtest.h>

#include "interpreter_testing.h"
#include "io/value_text.h"
#include "oracle.h"
#include "vcode-interp/interrupt.h"

namespace interp {
namespace {

struct InterpreterTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  MemoryFile in, out, errors;
  RunOptions options = [this] {
    RunOptions o;
    o.standard_files = {in.descriptor(), out.descriptor(), errors.descriptor()};
    return o;
  }();

  RunResult run(Interpreter& interpreter, const std::string& text, std::vector<runtime::Value> initial = {}) {
    const base::Source source("p.vcode", text);
    base::Diagnostics diagnostics;
    const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
    EXPECT_TRUE(program) << base::render(source, diagnostics);
    return interpreter.run(source, *program, std::move(initial));
  }
};

TEST_F(InterpreterTest, ResultsOfOneRunAreInputsOfTheNext) {
  {
    Interpreter interpreter(*backend, options);
    RunResult first = run(interpreter, "FUNC MAIN CONST SEGDES 100 CONST INT 7 CONST SEGDES 100 DIST INT RET");
    EXPECT_EQ(first.status, 0);
    EXPECT_TRUE(first.ended);
    ASSERT_EQ(first.stack.size(), 2u);
    EXPECT_EQ(first.stack[0].elements(), 100);
    EXPECT_EQ(first.stack[1].length(), 100);
    // The values are passed twice: a run does not consume values that the caller holds.
    for (int k = 0; k < 2; ++k) {
      RunResult second = run(interpreter, "FUNC MAIN CPOP 1 1 +_REDUCE INT RET", first.stack);
      ASSERT_EQ(second.stack.size(), 1u);
      EXPECT_EQ(second.stack[0].get<std::int32_t>(), 700);
    }
  }
  EXPECT_EQ(backend->memory_use().live, 0u);
  EXPECT_EQ(out.content() + errors.content(), "");
}

TEST_F(InterpreterTest, ManyInitialValuesFit) {
  Interpreter interpreter(*backend, options);
  std::vector<runtime::Value> many(5000, runtime::Value::scalar<std::int32_t>(1));
  const RunResult result = run(interpreter, "FUNC MAIN POP 4998 1 + INT RET", std::move(many));
  ASSERT_EQ(result.stack.size(), 1u);
  EXPECT_EQ(result.stack[0].get<std::int32_t>(), 2);
}

TEST_F(InterpreterTest, OutputGoesToTheFilesOfTheOptions) {
  Interpreter interpreter(*backend, options);
  const RunResult result = run(
      interpreter, "FUNC MAIN CONST CHAR \"hello\" WRITE CHAR CONST CHAR \"there\" CONST INT STDOUT FWRITE CHAR RET");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(errors.content(), "hello");
  EXPECT_EQ(out.content(), "there");
}

/// Warnings of a run of a function with the arguments (1 2) and 5, within 5000 calls.
struct WatchedRecursion : InterpreterTest {
  std::string said_of(const std::string& body) {
    options.call_limit = 5000;
    Interpreter interpreter(*backend, options);
    run(interpreter, "FUNC MAIN CONST INT (1 2) CONST INT 5 CALL REC RET FUNC REC " + body + " RET");
    return errors.content();
  }
};

TEST_F(WatchedRecursion, CallsWithTheSameArgumentsAreEndless) {
  EXPECT_EQ(said_of("COPY 2 0 CALL REC + INT"),
            "warning: in REC: the recursion seems to be endless: call after call has the same arguments, of which the "
            "largest has 2 elements\n");
}

TEST_F(WatchedRecursion, LoopsWithTheSameArgumentsAreEndless) {
  EXPECT_NE(said_of("CONST INT 1 + INT CONST INT 1 - INT CALL REC").find("seems to be endless"), std::string::npos);
}

TEST_F(WatchedRecursion, CallsThatCountAreNot) { EXPECT_EQ(said_of("CONST INT 1 + INT COPY 2 0 CALL REC + INT"), ""); }

TEST_F(WatchedRecursion, LoopsThatCountAreNot) { EXPECT_EQ(said_of("CONST INT 1 + INT CALL REC"), ""); }

/// HELP is called with the same arguments in each turn of a loop.
TEST_F(WatchedRecursion, CallsBehindEachOtherAreNoRecursion) {
  EXPECT_EQ(said_of("CONST INT 7 CALL HELP POP 1 0 CONST INT 1 + INT CALL REC RET FUNC HELP CONST INT 1 + INT"), "");
}

TEST_F(InterpreterTest, FailuresAreReturnedAndTheNextRunWorks) {
  Interpreter interpreter(*backend, options);
  const RunResult bad = run(interpreter, "FUNC MAIN CONST INT 1 CONST INT 0 / INT RET");
  EXPECT_EQ(bad.status, 1);
  EXPECT_FALSE(bad.ended);
  EXPECT_TRUE(bad.stack.empty());
  EXPECT_NE(bad.report.find("division by zero"), std::string::npos);
  EXPECT_EQ(out.content() + errors.content(), "");
  EXPECT_EQ(run(interpreter, "FUNC MAIN CONST INT 1 RET").status, 0);
}

TEST_F(InterpreterTest, ExitEndsWithoutAResult) {
  Interpreter interpreter(*backend, options);
  const RunResult result = run(interpreter, "FUNC MAIN CONST INT 1 EXIT RET");
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(result.ended);
  EXPECT_TRUE(result.stack.empty());
}

TEST_F(InterpreterTest, AnInterruptStopsTheRunOnly) {
  Interpreter interpreter(*backend, options);
  start_timeout(0.05);
  const RunResult stopped = run(interpreter, "FUNC MAIN CALL LOOP RET FUNC LOOP CALL NONE CALL LOOP RET FUNC NONE RET");
  start_timeout(0);
  clear_interrupt();
  EXPECT_EQ(stopped.status, 1);
  EXPECT_NE(stopped.report.find("the time given by --timeout is over"), std::string::npos) << stopped.report;
  EXPECT_EQ(run(interpreter, "FUNC MAIN CONST INT 1 RET").status, 0);
}

TEST_F(InterpreterTest, TheInterruptFlagOfTheOptionsStopsARun) {
  InterruptFlag stop{Interrupt::kSignal}, other{Interrupt::kNone};
  options.interrupt = &stop;
  Interpreter interpreter(*backend, options);
  const RunResult stopped = run(interpreter, "FUNC MAIN CALL LOOP RET FUNC LOOP CALL NONE CALL LOOP RET FUNC NONE RET");
  EXPECT_EQ(stopped.status, 130);
  EXPECT_EQ(stopped.failure.kind, RunFailure::Kind::kStopped);
  interpreter.options().interrupt = &other;
  EXPECT_EQ(run(interpreter, "FUNC MAIN CONST INT 1 RET").status, 0);
}

TEST_F(InterpreterTest, APreparedProgramRunsOften) {
  Interpreter interpreter(*backend, options);
  const auto prepare = [&](const std::string& text, std::string& error) {
    const base::Source source("p.vcode", text);
    base::Diagnostics diagnostics;
    return interpreter.prepare(*vcode::parse_vcode(source, diagnostics), error);
  };
  std::string error;
  const std::unique_ptr<PreparedProgram> half = prepare("FUNC MAIN CONST INT 12 CPOP 1 1 / INT RET", error);
  ASSERT_NE(half, nullptr) << error;
  for (const std::int32_t divisor : {3, 4, 0, 6}) {
    const RunResult result = interpreter.run(*half, {runtime::Value::scalar(divisor)});
    EXPECT_EQ(result.status, divisor == 0 ? 1 : 0);
    if (divisor != 0) {
      EXPECT_EQ(result.stack.at(0).get<std::int32_t>(), 12 / divisor);
    } else {
      EXPECT_EQ(result.failure.kind, RunFailure::Kind::kProgram);
      EXPECT_EQ(result.failure.message, "/ INT: division by zero");
    }
  }
}

TEST_F(InterpreterTest, StandardErrorOfAFailedRunCanBeKept) {
  options.keep_errors = true;
  Interpreter interpreter(*backend, options);
  const std::string say = "FUNC MAIN CONST CHAR \"hello\" WRITE CHAR POP 2 0 CONST INT 1 CONST INT ";
  const RunResult failed = run(interpreter, say + "0 / INT RET");
  EXPECT_EQ(failed.failure.said, "hello");
  EXPECT_EQ(errors.content(), "");
  EXPECT_EQ(run(interpreter, say + "1 / INT RET").status, 0);
  EXPECT_EQ(errors.content(), "hello");
}

TEST_F(InterpreterTest, StreamsStayOpenBetweenRuns) {
  Interpreter interpreter(*backend, options);
  RunResult opened = run(interpreter, "FUNC MAIN CONST CHAR \"/dev/null\" CONST INT 1 FOPEN POP 2 0 RET");
  ASSERT_EQ(opened.stack.size(), 1u);
  const RunResult closed = run(interpreter, "FUNC MAIN FCLOSE CPOP 1 1 POP 1 0 RET", std::move(opened.stack));
  ASSERT_EQ(closed.stack.size(), 1u);
  EXPECT_TRUE(closed.stack[0].get<bool>());
}

TEST_F(InterpreterTest, ClosingOneNameOfAFileLeavesTheOther) {
  options.standard_files = {in.descriptor(), out.descriptor(), out.descriptor()};
  Interpreter interpreter(*backend, options);
  const RunResult result = run(interpreter,
                               "FUNC MAIN CONST INT STDERR FCLOSE POP 2 0 CONST CHAR \"there\" CONST INT STDOUT FWRITE "
                               "CHAR POP 2 0 RET");
  EXPECT_EQ(result.status, 0) << result.report;
  EXPECT_EQ(out.content(), "there");
}

TEST_F(InterpreterTest, RandomNumbersStartAnewWithEveryRun) {
  Interpreter interpreter(*backend, options);
  const std::string draw = "FUNC MAIN CONST INT 1000000 RAND RET";
  const auto number = [&] { return run(interpreter, draw).stack.at(0).get<std::int32_t>(); };
  const std::int32_t first = number();
  EXPECT_EQ(number(), first);
  interpreter.options().seed = 5;
  EXPECT_NE(number(), first);
}

}  // namespace
}  // namespace interp
