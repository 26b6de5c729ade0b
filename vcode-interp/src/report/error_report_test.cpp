#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "interpreter_testing.h"
#include "oracle.h"

namespace interp {
namespace {

using testing::Outcome;

/// Compares reports without the line about the VCODE instruction, which has separate tests.
struct ReportTest : ::testing::Test {
  std::unique_ptr<cvl::Backend> backend = cvl::conformance::make_oracle({}, cvl::conformance::Addresses::kAnyHost);
  Outcome run(const std::string& text, const RunOptions& options = {}) {
    return testing::run_text(text, *backend, options);
  }
  std::string report(const std::string& text) {
    const Outcome outcome = run(text);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.errors.substr(0, outcome.errors.find("  VCODE: "));
  }
};

TEST_F(ReportTest, NamesLocationFunctionMessageAndValues) {
  const Outcome outcome = run(R"(FUNC MAIN
    CONST INT (10 20 30) CONST INT 5 CONST SEGDES 3
    EXTRACT INT {@a.nesl:1:33|get|Sequence reference (a[i]) out of bounds.|.}
    RET)");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.errors,
            "a.nesl:1:33: run-time error in get: Sequence reference (a[i]) out of bounds.\n"
            "  index 5, but the sequence has length 3\n"
            "  VCODE: p.vcode:3: in function MAIN: EXTRACT INT: index 5 is out of range for a segment of 3 elements\n");
}

TEST_F(ReportTest, SitesWithoutAMessageShowThatOfTheInstruction) {
  EXPECT_EQ(report("FUNC MAIN CONST INT 1 CONST INT 0 / INT {@a.nesl:4:2|f||.} RET"),
            "a.nesl:4:2: run-time error in f: / INT: division by zero\n");
}

TEST_F(ReportTest, ControlCharactersInSitesAreMadePrintable) {
  EXPECT_EQ(report("FUNC MAIN CALL G {@b\x1B[2J:2:3|g\x1B[1m||.} RET "
                   "FUNC G CONST INT 1 CONST INT 0 / INT {@a\x1B[2J:4:2|f\x1B[1m|No\xC2\x9B"
                   "1m.|.} RET"),
            "a [2J:4:2: run-time error in f [1m: No 1m.\n  called from g [1m (b [2J:2:3)\n");
}

TEST_F(ReportTest, ChecksOfALibraryThatSaySomethingAreReportedAtTheCall) {
  const std::string of_library = R"(FUNC MAIN CALL G {@a.nesl:2:3|f||.} RET
    FUNC G CONST BOOL F ASSERT {@:0:0||No elements.||\nNone.\n|.} POP 1 0 RET)";
  EXPECT_EQ(report(of_library), "\nNone.\na.nesl:2:3: run-time error in f: No elements.\n");
  const Outcome plain = run(R"(FUNC MAIN CALL G {@a.nesl:2:3|f||.} RET
    FUNC G CONST BOOL F ASSERT {@:0:0||||\nNone.\n|.} POP 1 0 RET)");
  EXPECT_EQ(plain.status, 0) << "as after an EXIT without a site";
  EXPECT_EQ(plain.errors, "\nNone.\n");
}

TEST_F(ReportTest, EveryKindOfFaultShowsItsValues) {
  EXPECT_EQ(report("FUNC MAIN CONST INT 1 CONST INT 40 LSHIFT {@a:1:1||Bad shift.|.} RET"),
            "a:1:1: run-time error: Bad shift.\n  shift count 40\n");
  EXPECT_EQ(report("FUNC MAIN CONST INT (1 2 3) CONST INT (0 2 2) CONST SEGDES 3 PERMUTE INT {@a:1:1|f|Twice.|.} RET"),
            "a:1:1: run-time error in f: Twice.\n  index 2 occurs twice\n");
  EXPECT_EQ(report("FUNC MAIN CONST INT (1 -2) MAKE_SEGDES {@a:1:1|f|Negative.|.} RET"),
            "a:1:1: run-time error in f: Negative.\n  length -2\n");
  EXPECT_EQ(report("FUNC MAIN CONST FLOAT 1.0e30 TRUNC {@a:1:1|f|Too large.|.} RET"),
            "a:1:1: run-time error in f: Too large.\n");
}

TEST_F(ReportTest, ErrorsWithoutAnElementHaveNoPath) {
  EXPECT_EQ(
      report("FUNC MAIN CONST SEGDES 2 CONST INT (1 2) CONST INT (1 2 3) + INT {@a:1:1|f|Lengths differ.|2 .} RET"),
      "a:1:1: run-time error in f: Lengths differ.\n");
}

TEST_F(ReportTest, ExhaustedMemoryReplacesTheMessageOfASite) {
  auto small = cvl::conformance::make_oracle({.memory_limit = 1 << 20}, cvl::conformance::Addresses::kAnyHost);
  const Outcome outcome =
      testing::run_text("FUNC MAIN CONST INT 1 CONST SEGDES 1000000 DIST INT {@a:1:1|f|Something else.|.} RET", *small);
  EXPECT_EQ(outcome.errors.find("a:1:1: run-time error in f: DIST INT: out of memory"), 0u) << outcome.errors;
}

TEST_F(ReportTest, StepsOfKernelsHaveTheirOwnLocations) {
  const Outcome outcome = run(R"(FCODE 1
    KERNEL 3 share (s SEGDES a INT b INT) OVER a
      c = + INT a a
      d = / INT c b {@a.nesl:2:7|share|Divide by zero.|2 .}
      OUT d
    RET
    FUNC MAIN
    CONST SEGDES (2 0 3 1) CONST INT (1 1 1 1 1 1) CONST INT (6 6 6 6 0 6) FUSED 3
    RET)");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.errors,
            "a.nesl:2:7: run-time error in share: Divide by zero.\n"
            "  at element [2]\n"
            "  VCODE: p.vcode:8: in function MAIN: in kernel 3 (share): / INT: division by zero (element 4)\n");
}

TEST_F(ReportTest, KernelsWithoutLocationsAreShownWithTheirOperands) {
  const Outcome outcome = run(R"(FCODE 1
KERNEL 0 add (a INT b INT) OVER a c = + INT a b OUT c RET
FUNC MAIN
CONST INT (1 2) CONST INT (1 2 3) FUSED 0
RET)");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr("in kernel 0 (add): + INT: b has 3 elements but a has 2 elements"));
  EXPECT_THAT(outcome.errors, ::testing::HasSubstr("the stack, top last: Int[2] Int[3]"));
}

// --- The path of the element.

TEST_F(ReportTest, DescriptorsLeadFromTheElementOutward) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 4 CONST SEGDES (2 0 3 1)
    CONST INT (1 1 1 1 0 1) CONST INT (6 6 6 6 6 6) CPOP 1 1
    / INT {@a:1:9|f|Divide by zero.|2 3 .} RET)"),
            "a:1:9: run-time error in f: Divide by zero.\n  at element [2][2]\n");
}

TEST_F(ReportTest, PathsFollowRegularAndLongDescriptors) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 100
    CONST INT 50 CONST SEGDES 100 DIST INT MAKE_SEGDES
    CONST INT 1 CONST SEGDES 5000 DIST INT
    CONST INT 0 CONST INT 1 CONST SEGDES 5000 INDEX CONST INT 4321 CONST SEGDES 5000 DIST INT - INT
    / INT {@a:1:9|f|Divide by zero.|2 3 .} RET)"),
            "a:1:9: run-time error in f: Divide by zero.\n  at element [86][21]\n");
}

TEST_F(ReportTest, IndexVectorsRenumberElements) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 2 CONST SEGDES (3 3)
    CONST INT (1 4 5)
    CONST INT (8 8 8) CONST INT (2 0 2)
    / INT {@a:1:9|f|Divide by zero.|2 3 4 .} RET)"),
            "a:1:9: run-time error in f: Divide by zero.\n  at element [1][1]\n");
}

TEST_F(ReportTest, FlagsRenumberElements) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 2 CONST SEGDES (3 3)
    CONST BOOL (F T F F T T)
    CONST INT (8 8 8) CONST INT (2 0 2)
    / INT {@a:1:9|f|Divide by zero.|2 3 4 .} RET)"),
            "a:1:9: run-time error in f: Divide by zero.\n  at element [1][1]\n");
}

TEST_F(ReportTest, AQuotientThatDoesNotFitIsNoDivisionByZero) {
  EXPECT_THAT(report("FUNC MAIN CONST INT -2147483648 CONST INT -1 / INT {@a:1:9|f|Divide by zero.|.} RET"),
              ::testing::StartsWith("a:1:9: run-time error in f: / INT: the quotient of the most negative INT and -1"));
}

TEST_F(ReportTest, SegmentsAreTheElementsOfOperationsThatWorkBySegment) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 3
    CONST INT (10 20 30 40) CONST INT (0 1 0) CONST SEGDES (1 1 2)
    EXTRACT INT {@a:1:9|f|Out of bounds.|3 .} RET)"),
            "a:1:9: run-time error in f: Out of bounds.\n  index 1, but the sequence has length 1\n"
            "  at element [1]\n");
}

TEST_F(ReportTest, InvalidNestingLevelsEndThePath) {
  // The level is a float, a value below the stack, or a descriptor that is too short for the element.
  for (const char* nest : {"2 3", "2 99", "2 4"})
    EXPECT_EQ(report(std::string(R"(FUNC MAIN
      CONST SEGDES 0 CONST FLOAT 1.0 CONST SEGDES (1 2)
      CONST INT (8 8 8) CONST INT (2 2 0)
      / INT {@a:1:9|f|Divide by zero.|)") +
                     nest + " .} RET"),
              "a:1:9: run-time error in f: Divide by zero.\n  at element …[1]\n");
}

TEST_F(ReportTest, LongPathsAreCutInTheMiddle) {
  std::string text = "FUNC MAIN CONST SEGDES (1 1) ", nest;
  for (int k = 0; k < 30; ++k) nest += "2 ";
  text += "CONST INT (8 8) CONST INT (2 0) / INT {@a:1:9|f|Divide by zero.|" + nest + ".} RET";
  EXPECT_EQ(report(text),
            "a:1:9: run-time error in f: Divide by zero.\n"
            "  at element [0][0][0][0][0][0][0][0]…[0][0][0][0][0][0][0][0]\n");
}

// --- Callers.

TEST_F(ReportTest, PathsContinueInTheCallers) {
  // The nesting levels of the caller lie below the two arguments of HALF.
  const std::string text = R"(FUNC MAIN
    CONST SEGDES 2 CONST SEGDES (2 2)
    CONST INT (1 2 3 4) CONST INT (1 1 1 0)
    CALL HALF {@a:7:3|main||2 3 .}
    RET
    FUNC HALF
    COPY 1 1 POP 1 0
    / INT {@a:1:9|half|Divide by zero.|)";
  EXPECT_EQ(report(text + "} RET"),
            "a:1:9: run-time error in half: Divide by zero.\n  at element [1][1]\n  called from main (a:7:3)\n");
  EXPECT_EQ(report(text + ".} RET"), "a:1:9: run-time error in half: Divide by zero.\n  called from main (a:7:3)\n");
}

TEST_F(ReportTest, CallersBeyondACallWithoutASiteAreUnknown) {
  EXPECT_EQ(
      report(R"(FUNC MAIN CONST SEGDES (2 2) CONST INT (1 2 3 4) CONST INT (1 1 1 0) CALL MIDDLE {@a:7:3|main||2 .} RET
    FUNC MIDDLE CALL HALF RET
    FUNC HALF CONST SEGDES (1 3) CPOP 2 1 / INT {@a:1:9|half|Divide by zero.|2} RET)"),
      "a:1:9: run-time error in half: Divide by zero.\n  at element …[2]\n  called from main (a:7:3)\n");
}

TEST_F(ReportTest, StackHeightsAreKnownBehindBranchesAndCalls) {
  // At the failed division MIDDLE has two values more on the stack than at its entry, whichever branch was taken.
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES 2 CONST SEGDES (2 2) CONST INT (1 2 3 4) CONST INT (1 1 1 0)
    CALL MIDDLE {@a:7:3|main||2 3 .} RET
    FUNC MIDDLE
    CONST BOOL T IF CONST INT 1 ELSE CONST INT 2 CONST INT 3 + INT ENDIF
    CONST BOOL F IF EXIT ENDIF
    CONST BOOL T IF CALL TWO ELSE CALL NEVER ENDIF
    CPOP 2 2
    / INT {@a:1:9|middle|Divide by zero.|} RET
    FUNC TWO POP 1 0 CONST INT 5 CONST INT 6 RET
    FUNC NEVER CALL NEVER RET)"),
            "a:1:9: run-time error in middle: Divide by zero.\n  at element [1][1]\n  called from main (a:7:3)\n");
}

TEST_F(ReportTest, ValuesThatACallMayHaveMovedEndThePath) {
  EXPECT_EQ(report(R"(FUNC MAIN
    CONST SEGDES (2 2) CONST INT (1 2 3 4) CONST INT (1 1 1 0)
    CALL HALF {@a:7:3|main||2 .} RET
    FUNC HALF CPOP 1 2 POP 1 0
    CONST SEGDES (1 3) CPOP 2 1 / INT {@a:1:9|half|Divide by zero.|2} RET)"),
            "a:1:9: run-time error in half: Divide by zero.\n  at element …[2]\n  called from main (a:7:3)\n");
}

TEST_F(ReportTest, RecursionAddsALevelEachTime) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST INT 2 CONST INT (1 1 1 0) CALL DOWN {@a:9:1|main||.} RET
    FUNC DOWN
    COPY 1 1 CONST INT 0 = INT IF
      CONST INT (7 7 7 7) CPOP 1 1 / INT {@a:1:9|down|Divide by zero.|}
    ELSE
      CONST SEGDES (1 3) CPOP 2 1 CPOP 1 1 CONST INT 1 - INT CPOP 1 1
      CALL DOWN {@a:2:5|down||2}
    ENDIF POP 1 1 RET)"),
            "a:1:9: run-time error in down: Divide by zero.\n"
            "  at element [0][2]\n"
            "  called from down (a:2:5), 2 times in a row\n"
            "  called from main (a:9:1)\n");
}

TEST_F(ReportTest, LoopsAreCountedAndEndThePath) {
  // Only the last call of LOOP still has its nesting levels on the stack.
  const std::string text =
      R"(FUNC MAIN CONST SEGDES (2 2) CONST INT 2 CONST INT (1 1 1 0) CALL LOOP {@a:9:1|main||2 .} RET
    FUNC LOOP
    COPY 1 1 CONST INT 0 = INT IF
      CONST INT (7 7 7 7) CPOP 1 1 / INT {@a:1:9|loop|Divide by zero.|}
    ELSE
      CPOP 1 1 CONST INT 1 - INT CPOP 1 1 CALL LOOP {@a:2:5|loop||NEST}
    ENDIF RET)";
  const auto with_nest = [&](const std::string& nest) {
    return report(std::string(text).replace(text.find("NEST"), 4, nest));
  };
  const std::string calls = "  called from loop (a:2:5), 2 times in a row\n  called from main (a:9:1)\n";
  EXPECT_EQ(with_nest(""), "a:1:9: run-time error in loop: Divide by zero.\n  at element [1]\n" + calls);
  EXPECT_EQ(with_nest("2"), "a:1:9: run-time error in loop: Divide by zero.\n  at element …[1]\n" + calls);
}

TEST_F(ReportTest, LoopsOfSeveralFunctionsAreCountedTogether) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST INT 3000 CALL EVEN {@a:9:1|main||.} RET
    FUNC EVEN COPY 1 0 CONST INT 0 = INT IF CONST INT 1 COPY 1 1 / INT {@a:1:9|even|Divide by zero.|}
              ELSE CONST INT 1 - INT CALL ODD {@a:2:1|even||} ENDIF RET
    FUNC ODD CONST INT 1 - INT CALL EVEN {@a:3:1|odd||} RET)"),
            "a:1:9: run-time error in even: Divide by zero.\n"
            "  called from odd (a:3:1), 1500 times\n"
            "  called from even (a:2:1), 1500 times\n"
            "  called from main (a:9:1)\n");
}

TEST_F(ReportTest, TheCallsOfARecursionAreOneCycle) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST INT 9 CALL A {@a:9:1|main||.} RET
    FUNC A COPY 1 0 CONST INT 0 = INT IF CONST INT 1 COPY 1 1 / INT {@a:1:9|a|Divide by zero.|} POP 1 0
           ELSE CALL B {@a:2:1|a||} CONST INT 1 POP 1 0 ENDIF RET
    FUNC B CALL C {@a:3:1|b||} CONST INT 1 POP 1 0 RET
    FUNC C CONST INT 1 - INT CALL A {@a:4:1|c||} CONST INT 1 POP 1 0 RET)"),
            "a:1:9: run-time error in a: Divide by zero.\n"
            "  called from c (a:4:1)\n"
            "  called from b (a:3:1)\n"
            "  called from a (a:2:1)\n"
            "  these 3 calls 9 times in a row\n"
            "  called from main (a:9:1)\n");
}

TEST_F(ReportTest, InstructionsWithoutASiteHaveTheLocationOfTheLastSite) {
  const std::string text = R"(FUNC MAIN CONST INT (1 2) CONST INT (3 4) COPY 2 0 + INT {@a:3:5|main}
    CONST INT (1 2 3) * INT)";
  EXPECT_EQ(report(text + " RET"), "a:3:5: run-time error in main: * INT: b has 3 elements but a has 2 elements\n");
  EXPECT_EQ(report(text + "{@a:4:1|f} RET"),
            "a:4:1: run-time error in f: * INT: b has 3 elements but a has 2 elements\n");
  EXPECT_EQ(run("FUNC MAIN CONST INT 1 CONST INT 2 + INT {@a:3:5|main} EXIT {@a:4:1|main} RET").status, 0);
}

TEST_F(ReportTest, ErrorsInLibraryCodeAreReportedAtItsCaller) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST SEGDES 2 CONST SEGDES (1 2) CONST INT (8 8 8) CONST INT (1 1 0)
    CALL MEAN {@a:5:7|average||2 3 .} RET
    FUNC MEAN CALL QUOTIENT {@:9:9|mean|Mean of nothing.|} RET
    FUNC QUOTIENT / INT {@:3:3|quotient|Divide by zero.|} RET)"),
            "a:5:7: run-time error in average: Divide by zero.\n  at element [1][1]\n");
}

TEST_F(ReportTest, TheInnermostMessageIsShown) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST INT 8 CONST INT 0 CALL MEAN {@a:5:7|average||.} RET
    FUNC MEAN CALL QUOTIENT {@:9:9|mean|Mean of nothing.|} RET
    FUNC QUOTIENT / INT {@:3:3|quotient||} RET)"),
            "a:5:7: run-time error in average: Mean of nothing.\n");
}

TEST_F(ReportTest, ErrorsWithoutASiteAreReportedAtTheCaller) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST INT 8 CONST INT 0 CALL QUOTIENT {@a:5:7|average||.} RET
    FUNC QUOTIENT / INT RET)"),
            "a:5:7: run-time error in average: / INT: division by zero\n");
}

TEST_F(ReportTest, OnlyLibraryCodeIsReportedAsVcode) {
  EXPECT_EQ(report("FUNC MAIN CONST INT 8 CONST INT 0 / INT {@:3:3|quotient|Divide by zero.|} RET")
                .find("p.vcode:1:35: error: / INT: division by zero\n"),
            0u);
}

TEST_F(ReportTest, LongChainsOfCallsAreCut) {
  std::string text = "FUNC MAIN CALL F0 {@a:1:1|main||.} RET ";
  for (int k = 0; k < 12; ++k) text += fmt::format("FUNC F{} CALL F{} {{@a:{}:1|f{}||.}} RET ", k, k + 1, k + 2, k);
  text += "FUNC F12 CONST INT 8 CONST INT 0 / INT {@a:99:1|f12|Divide by zero.|.} RET";
  const std::string lines = report(text);
  EXPECT_NE(lines.find("  called from f11 (a:13:1)\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("  called from f4 (a:6:1)\n  and from 5 calls more\n"), std::string::npos) << lines;
}

TEST_F(ReportTest, DeepRecursionIsReportedInLittleTimeAndMemory) {
  const std::string lines = report(R"(FUNC MAIN CONST INT 200000 CALL DOWN {@a:9:1|main||.} RET
    FUNC DOWN COPY 1 0 CONST INT 0 = INT IF
      CONST SEGDES (1 1) CONST INT (8 8) CONST INT (1 0) / INT {@a:1:9|down|Divide by zero.|2} POP 3 0
    ELSE CONST SEGDES (2 2) COPY 1 1 CONST INT 1 - INT CALL DOWN {@a:2:5|down||1} POP 2 0
    ENDIF RET)");
  EXPECT_NE(lines.find("called from down (a:2:5), 200000 times in a row\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("  at element [0][0][0][0][0][0][0][0]…"), std::string::npos) << lines;
}

TEST_F(ReportTest, TheSourceLineIsShownWhereItIsKnown) {
  RunOptions options;
  options.source_line = [](const std::string& file, std::uint32_t line) {
    return file == "a.nesl" && line == 2 ? std::string("\tpé(1 / 0)") : std::string();
  };
  EXPECT_EQ(run("FUNC MAIN CONST INT 1 CONST INT 0 / INT {@a.nesl:2:7|f|Divide by zero.|.} RET", options)
                .errors.find("a.nesl:2:7: run-time error in f: Divide by zero.\n"
                             "   pé(1 / 0)\n"
                             "       ^\n"),
            0u);
}

// --- EXIT ---

TEST_F(ReportTest, ExitWithASiteIsAFailure) {
  const Outcome outcome = run(R"(FUNC MAIN CONST SEGDES 2 CONST SEGDES (2 3)
    CONST CHAR "RUNTIME ERROR: bad" WRITE CHAR POP 2 0
    CONST BOOL (T T T F F)
    EXIT {@a:3:4|check|Assertion failed.|0 1 2 .} RET)");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.errors,
            "RUNTIME ERROR: bada:3:4: run-time error in check: Assertion failed.\n  at element [1][1]\n");
}

TEST_F(ReportTest, ExitInACalledFunctionIsReportedAtTheCaller) {
  EXPECT_EQ(report(R"(FUNC MAIN CONST SEGDES 2 CONST SEGDES (1 2) CONST BOOL (T T F) CALL CHECK {@a:9:1|main||1 2 .} RET
    FUNC CHECK EXIT {@:3:4|check|Assertion failed.|0} RET)"),
            "a:9:1: run-time error in main: Assertion failed.\n  at element [1][1]\n");
}

TEST_F(ReportTest, ExitWithoutFlagsHasNoPath) {
  EXPECT_EQ(report("FUNC MAIN EXIT {@a:3:4|f|Stopped.|} RET"), "a:3:4: run-time error in f: Stopped.\n");
  EXPECT_EQ(report("FUNC MAIN CONST BOOL (T T) EXIT {@a:3:4|f|Stopped.|0 .} RET"),
            "a:3:4: run-time error in f: Stopped.\n");
  EXPECT_EQ(report("FUNC MAIN CONST INT 0 EXIT {@a:3:4|f|Stopped.|0 .} RET"), "a:3:4: run-time error in f: Stopped.\n");
}

TEST_F(ReportTest, ExitOfTheProgramItselfIsNoFailure) {
  const Outcome outcome = run("FUNC MAIN CONST INT 1 EXIT RET");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out + outcome.errors, "");
}

}  // namespace
}  // namespace interp
