#include <gtest/gtest.h>

#include <fmt/format.h>

#include "fcode-opt/letform.h"
#include "fcode-opt/passes.h"
#include "fcode-opt/stack_code.h"
#include "vcode/printer.h"
#include "vcode_testing.h"

namespace vcode::letform::testing {
namespace {

/// Let-form of stack code, followed by the number of each function that stays stack code, with the reason.
std::string converted(const std::string& text) {
  const Converted result = from_stack_code(vcode::testing::read_good(text));
  EXPECT_EQ(verify(result.program), "");
  std::string all = to_text(result.program);
  for (const KeptFunction& kept : result.kept) all += fmt::format("{}: {}\n", kept.function, kept.reason);
  return all;
}

/// Converts stack code to let-form and back.
std::string there_and_back(const std::string& text) {
  const vcode::Program program = vcode::testing::read_good(text);
  return print_vcode(to_stack_code(from_stack_code(program).program, program));
}

TEST(FromStackCode, MovesDisappear) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT (1 2) CONST INT (3 4) CONST INT 9 COPY 2 1 CPOP 1 1 - INT POP 2 1 RET"),
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (1 2)\n"
            "  v1: Int = CONST INT (3 4)\n"
            "  v2: Int scalar = CONST INT 9\n"
            "  v3: Int = - INT v1 v0\n"
            "  ret v0 v3\n");
}

TEST(FromStackCode, StopTimerWaitsForValuesPushedSinceTheStart) {
  const std::string text =
      "FUNC MAIN\nCONST INT (1 2)\nSTART_TIMER\nCOPY 1 0\nNOT INT\nCOPY 1 1\nI_TO_F\nPOP 1 0\nSTOP_TIMER\nPOP 1 1\nRET";
  EXPECT_EQ(converted(text),
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (1 2)\n"
            "  START_TIMER\n"
            "  v1: Int = NOT INT v0\n"
            "  v2: Float = I_TO_F v0\n"
            "  v3: Float scalar = STOP_TIMER  waits for v1\n"
            "  ret v0 v3\n");
  Program program = from_stack_code(vcode::testing::read_good(text)).program;
  simplify(program);
  const std::string simplified = to_text(program);
  EXPECT_NE(simplified.find("STOP_TIMER  waits for v1"), std::string::npos) << simplified;
  EXPECT_EQ(simplified.find("I_TO_F"), std::string::npos) << simplified;
}

// f takes one value after the other from the stack, and the last one is of the wrong kind.
TEST(FromStackCode, EndlessRecursionFindsAllValuesOfTheStack) {
  const std::string code =
      there_and_back("FUNC MAIN\nCONST BOOL T\nCONST INT 1\nCALL f\nRET\nFUNC f\nI_TO_F\nPOP 1 0\nCALL f\nRET\n");
  EXPECT_LT(code.find("CONST BOOL T\nCONST INT 1\nCALL f"), code.size()) << code;
}

TEST(FromStackCode, ValuesThatACallPassesThroughKeepTheirNames) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT 2 CALL twice CONST FLOAT 1.0 CALL swap RET "
                      "FUNC twice COPY 1 0 + INT RET "
                      "FUNC swap CPOP 1 1 RET"),
            "entry MAIN ()\n"
            "  v0: Int scalar = CONST INT 2\n"
            "  v1: Int = CALL twice v0\n"
            "  v2: Float scalar = CONST FLOAT 1.0\n"
            "  v3: Float, v4: Int = CALL swap v1 v2\n"
            "  ret v2 v1\n"
            "\n"
            "function twice (v0: Int)\n"
            "  v1: Int = + INT v0 v0\n"
            "  ret v1\n"
            "\n"
            "function swap (v0: Int, v1: Float)\n"
            "  ret v1 v0\n");
}

TEST(FromStackCode, BranchesYieldValuesThatDiffer) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT 1 CONST FLOAT 2.0 CONST BOOL T CALL f RET "
                      "FUNC f IF CONST FLOAT 1.0 + FLOAT ELSE POP 1 0 CONST FLOAT 0.0 ENDIF RET"),
            "entry MAIN ()\n"
            "  v0: Int scalar = CONST INT 1\n"
            "  v1: Float scalar = CONST FLOAT 2.0\n"
            "  v2: Bool scalar = CONST BOOL T\n"
            "  v3: Float = CALL f v1 v2\n"
            "  ret v0 v3\n"
            "\n"
            "function f (v0: Float, v1: Bool)\n"
            "  v5: Float scalar = IF v1\n"
            "  then\n"
            "    v2: Float scalar = CONST FLOAT 1.0\n"
            "    v3: Float scalar = + FLOAT v0 v2\n"
            "    yield v3\n"
            "  else\n"
            "    v4: Float scalar = CONST FLOAT 0.0\n"
            "    yield v4\n"
            "  ret v5\n");
}

TEST(FromStackCode, IntConditionIsTrueUnlessZero) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT (0 1) IF CONST CHAR \"x\" WRITE CHAR POP 2 0 ENDIF RET"),
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (0 1)\n"
            "  v1: Bool = I_TO_B v0\n"
            "  IF v1\n"
            "  then\n"
            "    v2: Int scalar = CONST CHAR \"x\"\n"
            "    v3: Int, v4: Bool scalar = WRITE CHAR v2\n"
            "    yield\n"
            "  else\n"
            "    yield\n"
            "  ret\n");
}

TEST(FromStackCode, BranchThatEndsTheProgramYieldsConstants) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT 1 CONST BOOL T IF CONST INT 2 + INT ELSE CALL stop ENDIF RET "
                      "FUNC stop EXIT POP 5 0 RET"),
            "entry MAIN ()\n"
            "  v0: Int scalar = CONST INT 1\n"
            "  v1: Bool scalar = CONST BOOL T\n"
            "  v4: Int scalar = IF v1\n"
            "  then\n"
            "    v2: Int scalar = CONST INT 2\n"
            "    v3: Int scalar = + INT v0 v2\n"
            "    yield v3\n"
            "  else\n"
            "    CALL stop\n"
            "    v5: Int scalar = CONST INT 0\n"
            "    yield v5\n"
            "  ret v4\n"
            "\n"
            "function stop ()\n"
            "  EXIT\n"
            "  ret\n");
}

TEST(FromStackCode, KindsAreInferredInMutualRecursion) {
  const std::string text = converted(
      "FUNC MAIN CONST INT 10 CALL even RET "
      "FUNC even COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST BOOL T ELSE CONST INT 1 - INT CALL odd ENDIF RET "
      "FUNC odd COPY 1 0 CONST INT 0 = INT IF POP 1 0 CONST BOOL F ELSE CONST INT 1 - INT CALL even ENDIF RET");
  EXPECT_NE(text.find("    v6: Bool = CALL odd v5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("    v6: Bool = CALL even v5\n"), std::string::npos) << text;
}

TEST(FromStackCode, OneFunctionForEachCombinationOfKinds) {
  EXPECT_EQ(there_and_back("FUNC MAIN CONST INT 1 CONST INT 2 CONST BOOL T CALL one_of "
                           "CONST FLOAT 1.0 CONST FLOAT 2.0 CONST BOOL F CALL one_of RET "
                           "FUNC one_of IF POP 1 0 ELSE POP 1 1 ENDIF RET"),
            "FUNC MAIN\nCONST INT 1\nCONST INT 2\nCONST BOOL T\nCALL one_of\n"
            "CONST FLOAT 1.0\nCONST FLOAT 2.0\nCONST BOOL F\nCALL one_of_2\nRET\n\n"
            "FUNC one_of\nIF\nPOP 1 0\nELSE\nPOP 1 1\nENDIF\nRET\n\n"
            "FUNC one_of_2\nIF\nPOP 1 0\nELSE\nPOP 1 1\nENDIF\nRET\n\n");
}

TEST(FromStackCode, PairsBecomeTheirParts) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT 1 CONST FLOAT 2.0 PAIR CONST BOOL T CALL maybe UNPAIR POP 1 0 RET "
                      "FUNC maybe IF UNPAIR COPY 1 0 + FLOAT PAIR ENDIF RET"),
            "entry MAIN ()\n"
            "  v0: Int scalar = CONST INT 1\n"
            "  v1: Float scalar = CONST FLOAT 2.0\n"
            "  v2: Bool scalar = CONST BOOL T\n"
            "  v3: Int, v4: Float = CALL maybe v0 v1 v2\n"
            "  ret v3\n"
            "\n"
            "function maybe (v0: Int, v1: Float, v2: Bool)\n"
            "  v4: Float = IF v2\n"
            "  then\n"
            "    v3: Float = + FLOAT v1 v1\n"
            "    yield v3\n"
            "  else\n"
            "    yield v1\n"
            "  ret v0 v4\n");
}

TEST(FromStackCode, FunctionWithEndlesslyGrowingPairsStays) {
  const std::string text = converted(
      "FUNC MAIN CONST INT 0 CONST INT 9 CALL grow RET "
      "FUNC grow COPY 1 0 CONST INT 0 > INT IF CONST INT 1 - INT CPOP 1 1 CONST INT 7 PAIR CPOP 1 1 CALL grow "
      "ELSE POP 2 0 ENDIF RET");
  EXPECT_NE(text.find("it is called with more than 16 combinations of kinds"), std::string::npos) << text;
}

TEST(FromStackCode, NestsOfSitesBecomeNames) {
  EXPECT_EQ(converted("FUNC MAIN\nCONST INT (1 2)\nCONST FLOAT 1.0\nCONST INT (1 0)\nCOPY 1 2\nCPOP 1 1\n"
                      "/ INT {@a.nesl:1:2|f|no|0 3 .}\nRET"),
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (1 2)\n"
            "  v1: Float scalar = CONST FLOAT 1.0\n"
            "  v2: Int = CONST INT (1 0)\n"
            "  v3: Int = / INT v0 v2  -- a.nesl:1:2 f \"no\"  in v2 v0 .\n"
            "  ret v0 v1 v3\n");
}

TEST(FromStackCode, FunctionWhoseStackDependsOnTheDataStays) {
  EXPECT_EQ(converted("FUNC MAIN CONST INT (1 2) CALL twice CONST BOOL T IF CONST INT 3 CALL twice ENDIF RET "
                      "FUNC twice COPY 1 0 + INT RET"),
            "entry MAIN () -> ()  -- stays stack code\n"
            "\n"
            "function twice (v0: Int)  -- called from stack code\n"
            "  v1: Int = + INT v0 v0\n"
            "  ret v1\n"
            "0: how many values it takes or leaves depends on the data\n");
}

constexpr const char* kMixed =
    "FUNC MAIN CONST BOOL T CALL odd_one CONST INT (1 2) CALL twice RET "
    "FUNC odd_one IF CONST INT 1 ELSE CONST FLOAT 1.0 ENDIF POP 1 0 CONST INT 5 {@a.nesl:1:2|f|no|.}\nCALL twice RET "
    "FUNC twice COPY 1 0 + INT RET";

TEST(FromStackCode, LetFormCallsStackCodeThatCallsLetForm) {
  EXPECT_EQ(converted(kMixed),
            "entry MAIN ()\n"
            "  v0: Bool scalar = CONST BOOL T\n"
            "  v1: Int = CALL odd_one v0\n"
            "  v2: Int = CONST INT (1 2)\n"
            "  v3: Int = CALL twice v2\n"
            "  ret v1 v3\n"
            "\n"
            "function odd_one (v0: Bool) -> (v1: Int)  -- stays stack code\n"
            "\n"
            "function twice (v0: Int)  -- called from stack code\n"
            "  v1: Int = + INT v0 v0\n"
            "  ret v1\n"
            "1: the branches of an IF leave values of different kinds\n");
  EXPECT_EQ(there_and_back(kMixed),
            "FUNC MAIN\nCONST BOOL T\nCALL odd_one\nCONST INT (1 2)\nCALL twice\nRET\n\n"
            "FUNC twice\nCOPY 1 0\n+ INT\nRET\n\n"
            "FUNC odd_one\nIF\nCONST INT 1\nELSE\nCONST FLOAT 1.0\nENDIF\nPOP 1 0\n"
            "CONST INT 5 {@a.nesl:1:2|f|no|.}\nCALL twice\nRET\n\n");
}

TEST(FromStackCode, PassesKeepFunctionsThatStackCodeCalls) {
  const vcode::Program original = vcode::testing::read_good(kMixed);
  Program program = from_stack_code(original).program;
  inline_calls(program, 100);
  simplify(program);
  remove_dead_parameters(program);
  EXPECT_EQ(verify(program), "");
  EXPECT_EQ(print_vcode(to_stack_code(program, original)),
            "FUNC MAIN\nCONST BOOL T\nCALL odd_one\nCONST INT (2 4)\nRET\n\n"
            "FUNC twice\nCOPY 1 0\n+ INT\nRET\n\n"
            "FUNC odd_one\nIF\nCONST INT 1\nELSE\nCONST FLOAT 1.0\nENDIF\nPOP 1 0\n"
            "CONST INT 5 {@a.nesl:1:2|f|no|.}\nCALL twice\nRET\n\n");
}

TEST(FromStackCode, CallersOfFunctionsWithUnknownResultsStay) {
  const Converted result =
      from_stack_code(vcode::testing::read_good("FUNC MAIN CONST BOOL T CALL any POP 1 0 CONST INT 1 CALL twice RET "
                                                "FUNC any IF CONST INT 1 ELSE CONST FLOAT 1.0 ENDIF RET "
                                                "FUNC twice COPY 1 0 + INT RET"));
  ASSERT_EQ(result.kept.size(), 2u);
  EXPECT_EQ(result.kept[0].reason, "it calls any, which stays stack code and leaves something unknown");
  EXPECT_EQ(result.kept[1].reason, "the branches of an IF leave values of different kinds");
}

TEST(FromStackCode, CallThatNeverReturnsStays) {
  const vcode::Program original =
      vcode::testing::read_good("FUNC MAIN CALL down CONST INT 1 RET FUNC down CALL down RET");
  Program program = from_stack_code(original).program;
  simplify(program);
  remove_dead_parameters(program);
  EXPECT_EQ(print_vcode(to_stack_code(program, original)),
            "FUNC MAIN\nCALL down\nRET\n\nFUNC down\nCALL down\nRET\n\n");
}

TEST(FromStackCode, FactsOfOneBranchHoldOnlyThere) {
  // x + 0 proves that x has one element, but only where it runs.
  const vcode::Program original = vcode::testing::read_good(
      "FUNC MAIN READ INT POP 2 0 READ BOOL POP 2 0 IF CONST INT 0 + INT ELSE LENGTH INT ENDIF RET");
  Program program = from_stack_code(original).program;
  simplify(program);
  EXPECT_EQ(
      print_vcode(to_stack_code(program, original)),
      "FUNC MAIN\nREAD INT\nPOP 2 0\nREAD BOOL\nPOP 2 0\nIF\nCONST INT 0\n+ INT\nELSE\nLENGTH INT\nENDIF\nRET\n\n");
}

std::string optimized(const std::string& text) {
  const vcode::Program original = vcode::testing::read_good(text);
  Program program = from_stack_code(original).program;
  simplify(program);
  remove_dead_parameters(program);
  hoist_common_bindings(program);
  sink_bindings(program);
  EXPECT_EQ(verify(program), "");
  return print_vcode(to_stack_code(program, original));
}
const std::string kRead = "READ INT\nPOP 2 0\n";

TEST(FromStackCode, FirstOperationOnUnknownLengthsStays) {
  EXPECT_EQ(optimized("FUNC MAIN READ INT POP 2 0 READ INT POP 2 0 COPY 2 0 + INT POP 1 0 COPY 2 0 - INT POP 1 0 "
                      "POP 1 1 RET"),
            "FUNC MAIN\n" + kRead + kRead + "CPOP 1 1\nCOPY 1 1\n+ INT\nPOP 1 0\nRET\n\n");
  EXPECT_EQ(optimized("FUNC MAIN READ INT POP 2 0 COPY 1 0 COPY 1 0 + INT POP 1 0 RET"),
            "FUNC MAIN\n" + kRead + "RET\n\n");
}

TEST(FromStackCode, FactsSharedByAllCallsAreKnownInAFunction) {
  const std::string function = "FUNC f COPY 2 0 + INT POP 1 0 POP 1 0 RET";
  EXPECT_EQ(optimized("FUNC MAIN READ INT POP 2 0 COPY 1 0 NOT INT CALL f RET " + function).find("+ INT"),
            std::string::npos);
  EXPECT_NE(optimized("FUNC MAIN READ INT POP 2 0 READ INT POP 2 0 CALL f RET " + function).find("+ INT"),
            std::string::npos);
}

TEST(FromStackCode, IfWhoseConditionMightBeEmptyStays) {
  EXPECT_NE(optimized("FUNC MAIN READ BOOL POP 2 0 IF ENDIF RET").find("IF"), std::string::npos);
  EXPECT_EQ(optimized("FUNC MAIN READ INT POP 2 0 LENGTH INT IF ENDIF RET").find("IF"), std::string::npos);
}

TEST(FromStackCode, SystemOperationsAndIfTakeTheFirstOfSeveralElements) {
  EXPECT_NE(optimized("FUNC MAIN READ BOOL POP 2 0 COPY 1 0 IF ENDIF LENGTH BOOL RET").find("LENGTH"),
            std::string::npos);
  EXPECT_NE(optimized("FUNC MAIN READ INT POP 2 0 COPY 1 0 SRAND INT POP 1 0 LENGTH INT RET").find("LENGTH"),
            std::string::npos);
}

TEST(Scalars, AreFoundAcrossCallsAndRecursion) {
  Program program = from_stack_code(vcode::testing::read_good(
                                        "FUNC MAIN CONST INT (1 2) CONST INT 3 CALL down CALL same CALL same RET "
                                        "FUNC down COPY 1 0 IF CONST INT 1 - INT CALL down ENDIF RET "
                                        "FUNC same CPOP 1 1 RET"))
                        .program;
  infer_scalars(program);
  EXPECT_EQ(to_text(program),
            "entry MAIN ()\n"
            "  v0: Int = CONST INT (1 2)\n"
            "  v1: Int scalar = CONST INT 3\n"
            "  v2: Int scalar = CALL down v1\n"
            "  v3: Int, v4: Int = CALL same v0 v2\n"
            "  v5: Int, v6: Int = CALL same v2 v0\n"
            "  ret v0 v2\n"
            "\n"
            "function down (v0: Int scalar)\n"
            "  v1: Bool scalar = I_TO_B v0\n"
            "  v5: Int scalar = IF v1\n"
            "  then\n"
            "    v2: Int scalar = CONST INT 1\n"
            "    v3: Int scalar = - INT v0 v2\n"
            "    v4: Int scalar = CALL down v3\n"
            "    yield v4\n"
            "  else\n"
            "    yield v0\n"
            "  ret v5\n"
            "\n"
            "function same (v0: Int, v1: Int)\n"
            "  ret v1 v0\n");
}

TEST(FromStackCode, ChainsOfCallsCanBeLong) {
  constexpr int kLinks = 5000;
  std::string text = "FUNC MAIN CONST INT 1 CALL f0 RET\n";
  for (int i = 0; i < kLinks; ++i)
    text += fmt::format("FUNC f{} COPY 1 0 IF CONST INT 1 + INT CALL f{} ENDIF RET\n", i, i + 1);
  text += fmt::format("FUNC f{} RET\n", kLinks);
  Program program = from_stack_code(vcode::testing::read_good(text)).program;
  EXPECT_EQ(program.functions.size(), kLinks + 2u);
  inline_calls(program, 30);
  EXPECT_LT(program.functions.size(), 100u);
  EXPECT_EQ(verify(program), "");
}

}  // namespace
}  // namespace vcode::letform::testing
