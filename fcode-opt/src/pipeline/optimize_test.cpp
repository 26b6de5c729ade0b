#include <gtest/gtest.h>

#include "fcode-opt/check_output.h"
#include "fcode-opt/pass.h"
#include "vcode/printer.h"
#include "vcode/reader.h"

namespace fcode_opt {
namespace {

OptimizeResult optimized(const std::string& text, const OptimizeOptions& options = {}) {
  const base::Source source("p", text);
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  EXPECT_TRUE(program) << base::render(source, diagnostics);
  OptimizeResult result = optimize(*program, source, options);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(check_output(vcode::print_vcode(result.program)), "");
  return result;
}
std::string code(const OptimizeResult& result) { return vcode::print_vcode(result.program); }

/// Computes c + a * b as the compiler of 1995 wrote it: the arguments are passed through calls before they are used.
constexpr const char* kMuladd =
    "FUNC MAIN READ INT POP 2 0 READ INT POP 2 0 READ INT POP 2 0 CALL muladd RET\n"
    "FUNC muladd CALL zip CALL zip2 COPY 1 2 CPOP 1 2 CPOP 1 2 CPOP 1 3 POP 1 0 * INT + INT RET\n"
    "FUNC zip CPOP 1 2 CPOP 1 2 CPOP 1 2 RET\n"
    "FUNC zip2 COPY 3 0 POP 3 0 RET\n";

TEST(Optimize, MuladdBecomesTwoInstructions) {
  EXPECT_EQ(code(optimized(kMuladd, {.level = 1})),
            "FUNC MAIN\nREAD INT\nPOP 2 0\nREAD INT\nPOP 2 0\nREAD INT\nPOP 2 0\n* INT\n+ INT\nRET\n\n");
}

TEST(Optimize, MuladdBecomesOneKernel) {
  const vcode::Program program = optimized(kMuladd).program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.kernels[0].steps.size(), 2u);
}

TEST(Optimize, LevelZeroRunsNoPasses) {
  const std::string text = "FUNC MAIN\nCONST INT 1\nCONST INT 2\nCALL plus\nRET\n\nFUNC plus\n+ INT\nRET\n\n";
  EXPECT_EQ(code(optimized(text, {.level = 0})), text);
  EXPECT_EQ(code(optimized(text, {.level = 1})), "FUNC MAIN\nCONST INT 3\nRET\n\n");
}

TEST(Optimize, PassesCanBeSelectedAndDisabled) {
  const std::string text = "FUNC MAIN CONST INT 1 CONST INT 2 CALL plus RET FUNC plus + INT RET";
  OptimizeOptions options;
  options.passes = {"inline"};
  EXPECT_EQ(code(optimized(text, options)), "FUNC MAIN\nCONST INT 1\nCONST INT 2\n+ INT\nRET\n\n");
  options.disabled = {"inline"};
  EXPECT_EQ(code(optimized(text, options)),
            "FUNC MAIN\nCONST INT 1\nCONST INT 2\nCALL plus\nRET\n\nFUNC plus\n+ INT\nRET\n\n");
}

TEST(Optimize, PassesAfterFusionDistinguishKernels) {
  const std::string products = "COPY 1 0 CPOP 1 2 * INT + INT", differences = "COPY 1 0 CPOP 1 2 - INT - INT";
  const std::string main = "RET FUNC MAIN READ INT POP 2 0 COPY 1 0 COPY 1 0 * INT ";
  OptimizeOptions options;
  options.passes = {"fuse", "simplify"};
  EXPECT_EQ(optimized("FUNC f COPY 2 0 " + products + " CALL g POP 1 0 CPOP 2 1 " + differences + " RET " +
                          "FUNC g CONST INT 1 " + main + "CALL f RET",
                      options)
                .program.kernels.size(),
            2u);
  options.passes = {"fuse", "hoist-common"};
  EXPECT_EQ(
      optimized("FUNC f IF " + products + " ELSE " + differences + " ENDIF " + main + "READ BOOL POP 2 0 CALL f RET",
                options)
          .program.kernels.size(),
      2u);
}

TEST(Optimize, PassesAfterFusionRenameOperandsOfSteps) {
  OptimizeOptions options;
  options.passes = {"fuse", "simplify"};
  EXPECT_EQ(optimized("FUNC MAIN READ INT POP 2 0 COPY 1 0 COPY 1 1 LENGTH INT MAKE_SEGDES +_SCAN INT "
                      "COPY 1 1 COPY 1 2 LENGTH INT MAKE_SEGDES AND_SCAN INT + INT RET",
                      options)
                .program.kernels.size(),
            1u);
}

TEST(Optimize, InliningAfterFusionKeepsNestsOfStepsInNestsOfKernels) {
  OptimizeOptions options;
  options.passes = {"fuse", "inline"};
  const OptimizeResult result = optimized(
      "FUNC f COPY 1 0 / INT {@a.nesl:1:2|f|Divide by zero.|} COPY 1 0 * INT RET "
      "FUNC MAIN READ INT POP 2 0 READ INT POP 2 0 CALL f {@a.nesl:2:2|MAIN||1 .} RET",
      options);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.program.kernels.size(), 1u);
}

TEST(Optimize, InliningHasALimitAndAMetric) {
  const std::string text = "FUNC MAIN CONST INT 1 CALL f CALL f RET FUNC f CONST INT 1 + INT CONST INT 2 * INT RET";
  OptimizeOptions options{.passes = std::vector<std::string>{"inline"}, .inline_limit = 3};
  EXPECT_EQ(optimized(text, options).program.functions.size(), 2u);
  options.inline_metric = vcode::letform::SizeMetric::kOperations;
  EXPECT_EQ(optimized(text, options).program.functions.size(), 1u);
}

TEST(Optimize, LetFormIsPrintedAroundPasses) {
  OptimizeOptions options{.passes = std::vector<std::string>{"simplify"}};
  options.print_before = options.print_after = {"simplify"};
  EXPECT_EQ(optimized("FUNC MAIN CONST INT 1 CONST INT 2 + INT RET", options).printed,
            "-- before simplify\n"
            "entry MAIN ()\n"
            "  v0: Int scalar = CONST INT 1\n"
            "  v1: Int scalar = CONST INT 2\n"
            "  v2: Int scalar = + INT v0 v1\n"
            "  ret v2\n"
            "\n"
            "-- after simplify\n"
            "entry MAIN ()\n"
            "  v2: Int scalar = CONST INT 3\n"
            "  ret v2\n"
            "\n");
}

TEST(Optimize, ExplanationListsKeptFunctionsAndSizes) {
  OptimizeOptions options{.passes = std::vector<std::string>{"simplify"}};
  EXPECT_EQ(optimized("FUNC MAIN CONST BOOL T CALL f CONST INT 1 CONST INT 2 + INT RET\n"
                      "FUNC f IF CONST INT 1 ELSE CONST FLOAT 1.0 ENDIF POP 1 0 RET",
                      options)
                .explanation,
            "p:2:44: f stays stack code: the branches of an IF leave values of different kinds\n"
            "simplify               5 bindings become 3\n"
            "before: 2 functions, 11 instructions, 1 of them COPY, POP or CPOP\n"
            "after:  2 functions, 9 instructions, 1 of them COPY, POP or CPOP\n");
}

TEST(CheckOutput, NamesTheErrorInTheOutput) {
  EXPECT_EQ(check_output("FUNC MAIN\nCONST INT 1\nRET\n\n"), "");
  EXPECT_EQ(check_output("FUNC MAIN\nCONST INT 1\nCONST BOOL T\n+ INT\nRET\n\n"),
            "<output>:4:1: error: + INT: operand b must be Int but is Bool\n  + INT\n  ^~~~~\n"
            "<output>: note: in function MAIN, with the stack [Int Bool] (top last)\n");
  EXPECT_EQ(check_output("FUNC MAIN\nCONST INT +1\nRET\n\n"), "<output>: it is not printed as it was read\n");
}

TEST(Optimize, CharacterConstantInKernelIsReadBack) {
  const std::string text =
      "FUNC MAIN READ INT POP 2 0 MAKE_SEGDES CONST CHAR \"Q\" COPY 1 1 DIST INT "
      "CONST INT 0 CONST INT 1 CPOP 1 3 INDEX + INT RET";
  ASSERT_EQ(optimized(text).program.kernels.size(), 1u);
}

TEST(Optimize, FcodeIsReturnedUnchanged) {
  const std::string text = "FCODE 1\n\nFUNC MAIN\nCONST INT 1\nCONST INT 2\n+ INT\nRET\n\n";
  const OptimizeResult result = optimized(text);
  EXPECT_EQ(code(result), text);
  EXPECT_EQ(result.explanation, "the program is FCODE already and stays as it is\n");
}

TEST(Passes, PassesOfLevelsExist) {
  EXPECT_TRUE(passes_of_level(0).empty());
  for (const std::string& name : passes_of_level(2)) EXPECT_TRUE(find_pass(name)) << name;
  EXPECT_FALSE(find_pass("no-such-pass"));
}

TEST(Passes, OldNamesAreAliases) {
  EXPECT_EQ(find_pass("join"), find_pass("if-merging"));
  EXPECT_EQ(find_pass("moves"), find_pass("permutation-elimination"));
  EXPECT_EQ(find_pass("ranges"), find_pass("block-moves"));
  EXPECT_EQ(find_pass("unpack"), find_pass("if-conversion"));
}

}  // namespace
}  // namespace fcode_opt
