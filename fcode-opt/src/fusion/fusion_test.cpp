#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fcode-opt/check_output.h"
#include "fcode-opt/optimize.h"
#include "fcode-opt/pass.h"
#include "fcode-opt/stack_code.h"
#include "vcode/printer.h"
#include "vcode/reader.h"

namespace fcode_opt {
namespace {

namespace letform = vcode::letform;

vcode::Program read(const base::Source& source) {
  base::Diagnostics diagnostics;
  const std::optional<vcode::Program> program = vcode::parse_vcode(source, diagnostics);
  EXPECT_TRUE(program) << base::render(source, diagnostics);
  return program.value_or(vcode::Program{});
}

OptimizeResult fused(const std::string& text, Fusion fusion = Fusion::kIlp, bool dot = false) {
  const base::Source source("p", text);
  OptimizeResult result = optimize(read(source), source, {.fusion = fusion, .explain = true, .dot = dot});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(check_output(vcode::print_vcode(result.program)), "");
  return result;
}

/// Pushes a FLOAT vector of unknown length, and below it the descriptor of one segment over it.
const std::string kVector = "READ FLOAT POP 2 0 COPY 1 0 LENGTH FLOAT MAKE_SEGDES CPOP 1 1 ";

std::string steps(const vcode::Kernel& kernel) {
  std::string text;
  for (const vcode::Kernel::Step& step : kernel.steps)
    (text += step.is_constant() ? "CONST" : vcode::info(step.op).text) += ' ';
  return text;
}

/// Steps of each kernel, one kernel a line.
std::string kernels(const OptimizeResult& result) {
  std::string text;
  for (const vcode::Kernel& kernel : result.program.kernels) text += steps(kernel) + "\n";
  return text;
}

TEST(Fusion, DotProductBecomesOneKernel) {
  const vcode::Program program =
      fused("FUNC MAIN " + kVector + "READ FLOAT POP 2 0 * FLOAT CPOP 1 1 +_REDUCE FLOAT RET").program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(steps(program.kernels[0]), "* +_REDUCE ");
  EXPECT_EQ(program.kernels[0].outputs.size(), 1u);
}

TEST(Fusion, AssertIsAStepAndLaterOperationsStayAfterIt) {
  const std::string check = "COPY 1 0 COPY 1 0 = FLOAT ASSERT POP 1 0 ";
  const std::string sum = "COPY 1 0 FLOOR I_TO_F + FLOAT CPOP 1 1 +_REDUCE FLOAT ";
  EXPECT_EQ(kernels(fused("FUNC MAIN " + kVector + check + sum + "RET")), "= ASSERT FLOOR I_TO_F + +_REDUCE \n");
  // The operations after a check of another vector are in a kernel after that of the check, although they could be in
  // one kernel with operations before the check.
  const vcode::Program program = fused("FUNC MAIN " + kVector + kVector +
                                       "COPY 1 2 COPY 1 0 * FLOAT COPY 1 1 COPY 1 0 = FLOAT ASSERT POP 1 0 "
                                       "COPY 1 0 FLOOR I_TO_F + FLOAT COPY 1 4 +_REDUCE FLOAT RET")
                                     .program;
  std::string order;
  for (const vcode::Instruction& in : program.functions[0].body)
    if (in.statement == vcode::Statement::kFused) order += steps(program.kernels[in.target]) + "| ";
  EXPECT_EQ(order, "= ASSERT | * FLOOR I_TO_F + +_REDUCE | ");
}

TEST(Fusion, RequireIsAStep) {
  const std::string check = "COPY 1 0 FLOOR COPY 1 0 COPY 1 2 COPY 1 0 = FLOAT REQUIRE POP 1 0 ";
  const std::string sum = "COPY 1 0 FLOOR I_TO_F + FLOAT CPOP 1 1 +_REDUCE FLOAT ";
  EXPECT_EQ(kernels(fused("FUNC MAIN " + kVector + check + sum + "RET")), "FLOOR = REQUIRE I_TO_F + +_REDUCE \n");
}

TEST(Fusion, ArgReductionsAreSteps) {
  const std::string product = "FUNC MAIN " + kVector + "READ FLOAT POP 2 0 * FLOAT ";
  EXPECT_EQ(kernels(fused(product + "COPY 1 0 COPY 1 2 MAX_INDEX FLOAT CPOP 1 1 CPOP 1 2 MAX_REDUCE FLOAT RET")),
            "* MAX_INDEX MAX_REDUCE \n");
}

TEST(Fusion, KernelComputesDistOfScalars) {
  const vcode::Program program =
      fused("FUNC MAIN " + kVector + "COPY 1 1 CONST FLOAT 2.0 CPOP 1 1 DIST FLOAT * FLOAT RET").program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(steps(program.kernels[0]), "CONST DIST * ");
}

TEST(Fusion, DistWithUnprovenLengthsIsComputedOnce) {
  // Kernels before and after the output read the DIST. If it were free, a DIST outside of kernels would have to stay,
  // too, as it might stop the program.
  const vcode::Program program =
      fused(
          "FUNC MAIN READ INT POP 2 0 MAKE_SEGDES READ INT POP 2 0 CPOP 1 1 DIST INT COPY 1 0 COPY 1 0 / INT "
          "COPY 1 0 CONST INT STDOUT FWRITE INT POP 2 0 + INT RET")
          .program;
  int dists = 0;
  for (const vcode::Kernel& kernel : program.kernels)
    for (const vcode::Kernel::Step& step : kernel.steps) dists += !step.is_constant() && step.op == vcode::Op::kDist;
  for (const vcode::Instruction& instruction : program.functions[0].body)
    dists += instruction.statement == vcode::Statement::kOp && instruction.op == vcode::Op::kDist;
  EXPECT_EQ(dists, 1);
}

TEST(Fusion, UnusedStepThatComparesLengthsStaysInItsKernel) {
  const vcode::Program program =
      fused("FUNC MAIN " + kVector +
            "READ FLOAT POP 2 0 COPY 1 1 * FLOAT SQRT POP 1 0 SQRT CPOP 1 1 +_REDUCE FLOAT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(steps(program.kernels[0]), "* SQRT +_REDUCE ");
}

TEST(Fusion, TwoReductionsAndAMapOverOneInputShareATraversal) {
  const vcode::Program program =
      fused("FUNC MAIN " + kVector +
            "COPY 2 0 CPOP 1 1 +_REDUCE FLOAT CPOP 2 1 COPY 2 0 CPOP 1 1 MAX_REDUCE FLOAT CPOP "
            "2 1 SQRT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.kernels[0].steps.size(), 3u);
  EXPECT_EQ(program.kernels[0].outputs.size(), 3u);
}

TEST(Fusion, ThreeFiltersOfQuicksortShareATraversal) {
  std::string text =
      "FUNC MAIN " + kVector + "CPOP 1 1 COPY 2 0 CALL less CPOP 2 1 COPY 2 0 CALL equal CPOP 2 1 CALL greater RET\n";
  for (auto [name, compare] : {std::pair("less", "<"), std::pair("equal", "="), std::pair("greater", ">")})
    text += std::string("FUNC ") + name + " COPY 1 1 COPY 1 1 CONST FLOAT 0.5 CPOP 1 1 DIST FLOAT " + compare +
            " FLOAT CPOP 1 1 PACK FLOAT POP 1 0 RET\n";
  const vcode::Program program = fused(text).program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(steps(program.kernels[0]), "CONST DIST < PACK = PACK > PACK ");
}

TEST(Fusion, ReadersOfAReductionOverItsElementsAreASecondKernel) {
  // x - dist(sum x)
  const vcode::Program program =
      fused("FUNC MAIN " + kVector + "COPY 2 0 CPOP 1 1 +_REDUCE FLOAT COPY 1 2 DIST FLOAT - FLOAT EXP RET").program;
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(steps(program.kernels[0]), "DIST - EXP ");
}

TEST(Fusion, CheapOperationIsRecomputedRatherThanStored) {
  // t = x * x; t - dist(sum t): the second traversal reads x again.
  const OptimizeResult cheap =
      fused("FUNC MAIN " + kVector +
            "COPY 1 0 * FLOAT COPY 2 0 CPOP 1 1 +_REDUCE FLOAT COPY 1 2 DIST FLOAT - FLOAT CPOP 1 1 "
            "POP 1 0 RET");
  ASSERT_EQ(cheap.program.kernels.size(), 2u) << vcode::print_vcode(cheap.program);
  EXPECT_EQ(steps(cheap.program.kernels[0]), "* +_REDUCE ");
  EXPECT_EQ(cheap.program.kernels[0].outputs.size(), 1u);
  EXPECT_EQ(steps(cheap.program.kernels[1]), "* DIST - ");
  EXPECT_NE(cheap.explanation.find("is computed in 2 traversals"), std::string::npos) << cheap.explanation;
  // An exponential costs more than a store and a load.
  const vcode::Program dear = fused("FUNC MAIN " + kVector +
                                    "EXP COPY 2 0 CPOP 1 1 +_REDUCE FLOAT COPY 1 2 DIST FLOAT - FLOAT CPOP 1 1 "
                                    "POP 1 0 RET")
                                  .program;
  ASSERT_EQ(dear.kernels.size(), 2u) << vcode::print_vcode(dear);
  EXPECT_EQ(steps(dear.kernels[0]), "EXP +_REDUCE ");
  EXPECT_EQ(dear.kernels[0].outputs.size(), 2u);
  EXPECT_EQ(steps(dear.kernels[1]), "DIST - ");
}

TEST(Fusion, OperationsOnTheSameOperandsAreRecomputedTogether) {
  // y = a permutation of x; p = x * y; q = x + y; (dist(sum p) - p) * q: one of p and q alone saves nothing.
  const OptimizeResult result =
      fused("FUNC MAIN " + kVector +
            "COPY 1 0 CONST INT 9 CONST INT -1 COPY 1 4 INDEX COPY 1 3 PERMUTE FLOAT COPY 2 0 * FLOAT COPY 2 1 + FLOAT "
            "COPY 1 1 COPY 1 5 +_REDUCE FLOAT COPY 1 5 DIST FLOAT CPOP 1 2 - FLOAT * FLOAT POP 3 1 RET");
  ASSERT_EQ(result.program.kernels.size(), 3u) << vcode::print_vcode(result.program);
  EXPECT_EQ(steps(result.program.kernels[1]), "* +_REDUCE ");
  EXPECT_EQ(result.program.kernels[1].outputs.size(), 1u);
  EXPECT_EQ(steps(result.program.kernels[2]), "* + DIST - * ");
}

TEST(Fusion, IndexOfManySegmentsIsComputedOnce) {
  // i = index of segments; i - dist(sum i)
  const std::string rest = "COPY 1 0 COPY 1 2 +_REDUCE INT COPY 1 2 DIST INT COPY 1 1 - INT POP 3 1 RET";
  const vcode::Program many =
      fused("FUNC MAIN READ INT POP 2 0 COPY 1 0 MAKE_SEGDES COPY 1 1 COPY 1 2 COPY 1 2 INDEX " + rest).program;
  ASSERT_EQ(many.kernels.size(), 2u) << vcode::print_vcode(many);
  EXPECT_EQ(steps(many.kernels[0]), "INDEX +_REDUCE ");
  EXPECT_EQ(steps(many.kernels[1]), "DIST - ");
  // An INDEX of one segment costs nothing, so both kernels compute it.
  const vcode::Program one = fused(
                                 "FUNC MAIN READ INT POP 2 0 COPY 1 0 LENGTH INT MAKE_SEGDES CONST INT 0 CONST INT 1 "
                                 "COPY 1 2 INDEX " +
                                 rest)
                                 .program;
  ASSERT_EQ(one.kernels.size(), 2u) << vcode::print_vcode(one);
  EXPECT_EQ(steps(one.kernels[1]), "CONST CONST INDEX DIST - ");
}

TEST(Fusion, OperationThatMightFaultIsComputedOnce) {
  // t = x / x of INTs, and x shifted by x, which is cheap; t - dist(sum t)
  for (const std::string op : {"/ INT", "LSHIFT"}) {
    const vcode::Program program =
        fused("FUNC MAIN READ INT POP 2 0 COPY 1 0 LENGTH INT MAKE_SEGDES CPOP 1 1 COPY 1 0 " + op +
              " COPY 2 0 CPOP 1 1 +_REDUCE INT COPY 1 2 DIST INT - INT CPOP 1 1 POP 1 0 RET")
            .program;
    ASSERT_EQ(program.kernels.size(), 2u) << vcode::print_vcode(program);
    EXPECT_EQ(steps(program.kernels[1]), "DIST - ");
  }
}

/// Program of sums, differences and products of two of the latest values, and sometimes of the sum of all elements:
/// many kernels need the same cheap operations, and some of these depend on others.
std::string tangled_program(std::uint32_t seed, int operations) {
  std::mt19937 random(seed);
  std::string text = "FUNC MAIN READ FLOAT POP 2 0 COPY 1 0 LENGTH FLOAT MAKE_SEGDES COPY 1 1 ";
  int depth = 3;  // the vector, its descriptor, and values
  const auto copy = [&](int value) { text += "COPY 1 " + std::to_string(depth++ - 1 - value) + " "; };
  for (int k = 0; k < operations; ++k) {
    const auto any = [&, values = depth] { return values - 1 - static_cast<int>(random() % std::min(values - 2, 12)); };
    const int a = any(), b = any();
    copy(a);
    if (random() % 12 == 0) {
      copy(1);
      text += "+_REDUCE FLOAT ";
      --depth;
      copy(1);
      text += "DIST FLOAT ";
    } else {
      copy(b);
      text += std::string(1, "+-*"[random() % 3]) + " FLOAT ";
    }
    --depth;
  }
  for (int k = 1; k < 12; ++k) text += "COPY 1 " + std::to_string(k) + " + FLOAT ";
  return text + "POP " + std::to_string(depth - 1) + " 1 RET";
}

TEST(Fusion, CopiesFindTheirOperandsInTangledPrograms) {
  for (std::uint32_t seed = 0; seed < 20; ++seed)
    for (const Fusion fusion : {Fusion::kGreedy, Fusion::kIlp})
      EXPECT_GT(fused(tangled_program(seed, 200), fusion).program.kernels.size(), 1u) << seed;
}

TEST(Fusion, ConstantsInKernelsDoNotWaitForTheirNests) {
  // The nest of the constant is a + a, computed in a kernel that ends after the INDEX, which reads the constant.
  const base::Source text(
      "p",
      "FUNC MAIN READ INT POP 2 0 LENGTH INT MAKE_SEGDES READ INT POP 2 0 COPY 1 0 + INT CONST INT 3 COPY 1 0 COPY 1 3 "
      "INDEX CPOP 1 1 NOT INT POP 1 2 RET");
  letform::Program program = letform::from_stack_code(read(text)).program;
  std::vector<letform::Binding>& bindings = program.functions[program.entry].body.bindings;
  const auto sum = std::find_if(bindings.begin(), bindings.end(), [](const letform::Binding& b) {
    return b.form == letform::Binding::Form::kOp && b.op == vcode::Op::kAdd;
  });
  program.sites.push_back({"a.nesl", 1, 2, "f", "wrong"});
  for (letform::Binding& binding : bindings)
    if (binding.form == letform::Binding::Form::kConst) {
      binding.site = 0;
      binding.nest = sum->results;
    }
  ASSERT_EQ(letform::verify(program), "");
  const OptimizeOptions options;
  std::string explanation, dot;
  PassContext context{options, explanation, dot};
  find_pass("fuse")->run(program, context);
  EXPECT_EQ(letform::verify(program), "") << letform::to_text(program);
}

TEST(Fusion, TimersEndBasicBlocks) {
  const vcode::Program program =
      fused("FUNC MAIN " + kVector + "SQRT START_TIMER EXP STOP_TIMER POP 1 0 LOG RET").program;
  EXPECT_TRUE(program.kernels.empty());
}

TEST(Fusion, PaperFusesOnlyTreesOfElementwiseOperations) {
  // sqrt(x) + exp(x), and its sum: the sum stays outside; x * x is used twice and stays outside, too.
  const std::string text =
      "FUNC MAIN " + kVector + "COPY 1 0 SQRT CPOP 1 1 EXP + FLOAT COPY 1 0 * FLOAT CPOP 1 1 +_REDUCE FLOAT RET";
  const vcode::Program paper = fused(text, Fusion::kPaper).program;
  ASSERT_EQ(paper.kernels.size(), 1u);
  EXPECT_EQ(steps(paper.kernels[0]), "SQRT EXP + ");
  const vcode::Program ours = fused(text).program;
  ASSERT_EQ(ours.kernels.size(), 1u);
  EXPECT_EQ(steps(ours.kernels[0]), "SQRT EXP + * +_REDUCE ");
  EXPECT_TRUE(fused(text, Fusion::kNone).program.kernels.empty());
}

TEST(Fusion, GatherFusesWithItsIndicesAndItsReader) {
  // sum(v[i + 1]), with v and i read
  const vcode::Program program =
      fused(
          "FUNC MAIN READ FLOAT POP 2 0 READ INT POP 2 0 COPY 1 0 LENGTH INT MAKE_SEGDES CONST INT 1 COPY 1 1 DIST INT "
          "CPOP 1 2 + INT CPOP 1 2 CPOP 1 1 COPY 1 1 LENGTH FLOAT MAKE_SEGDES COPY 1 3 CPOP 1 4 CPOP 4 1 BPERMUTE "
          "FLOAT "
          "CPOP 1 1 +_REDUCE FLOAT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 1u) << vcode::print_vcode(program);
  EXPECT_EQ(steps(program.kernels[0]), "CONST DIST + BPERMUTE +_REDUCE ");
}

/// Pushes a FLOAT vector, and above it a descriptor of segments of the vector, of unknown lengths.
const std::string kSegments = "READ FLOAT POP 2 0 READ INT POP 2 0 MAKE_SEGDES ";

TEST(Fusion, OperationsOnReductionsOfSegmentsBecomeEpilogues) {
  // sum(x * x) / sum(x) of each segment
  const vcode::Program program =
      fused("FUNC MAIN " + kSegments +
            "COPY 1 1 COPY 1 0 * FLOAT COPY 1 1 +_REDUCE FLOAT CPOP 2 1 +_REDUCE FLOAT / FLOAT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 1u) << vcode::print_vcode(program);
  EXPECT_EQ(steps(program.kernels[0]), "* +_REDUCE +_REDUCE / ");
  EXPECT_EQ(program.kernels[0].outputs.size(), 1u);
}

TEST(Fusion, EpiloguesReadInputsOverSegments) {
  // sqrt (sum x + v) of each segment, v read
  const vcode::Program program =
      fused("FUNC MAIN " + kSegments + "+_REDUCE FLOAT READ FLOAT POP 2 0 + FLOAT SQRT RET").program;
  // READ comes after the reduction and ends the basic block.
  ASSERT_EQ(program.kernels.size(), 1u) << vcode::print_vcode(program);
  EXPECT_EQ(steps(program.kernels[0]), "+ SQRT ");
  const vcode::Program before =
      fused("FUNC MAIN READ FLOAT POP 2 0 " + kSegments + "+_REDUCE FLOAT + FLOAT SQRT RET").program;
  ASSERT_EQ(before.kernels.size(), 1u) << vcode::print_vcode(before);
  EXPECT_EQ(steps(before.kernels[0]), "+_REDUCE + SQRT ");
}

TEST(Fusion, ScansAndReadersOfSpreadsAreNoEpilogues) {
  // The scan goes over the segments; the addition to the sums fuses with the scan.
  const vcode::Program scanned = fused("FUNC MAIN READ FLOAT POP 2 0 COPY 1 0 LENGTH FLOAT MAKE_SEGDES CPOP 1 1 " +
                                       kSegments + "+_REDUCE FLOAT + FLOAT CPOP 1 1 +_SCAN FLOAT RET")
                                     .program;
  ASSERT_EQ(scanned.kernels.size(), 1u) << vcode::print_vcode(scanned);
  EXPECT_EQ(steps(scanned.kernels[0]), "+ +_SCAN ");
  // An operation that reads a constant spread over the segments goes over the segments, too.
  const OptimizeResult spread = fused("FUNC MAIN " + kSegments +
                                      "+_REDUCE FLOAT COPY 1 0 LENGTH FLOAT MAKE_SEGDES CONST FLOAT 2.0 CPOP 1 1 DIST "
                                      "FLOAT * FLOAT RET");
  ASSERT_EQ(spread.program.kernels.size(), 1u) << vcode::print_vcode(spread.program);
  EXPECT_EQ(steps(spread.program.kernels[0]), "CONST DIST * ");
  EXPECT_NE(spread.explanation.find("what DIST and INDEX spread over segments"), std::string::npos)
      << spread.explanation;
}

/// Pushes a FLOAT vector, and above it an INT vector, of unknown lengths.
const std::string kTwoVectors = "READ FLOAT POP 2 0 READ INT POP 2 0 ";

TEST(Fusion, PermuteFusesWithItsValuesAndItsTargets) {
  // (x * x) permuted by n - i
  const vcode::Program program =
      fused("FUNC MAIN " + kTwoVectors +
            "COPY 1 0 LENGTH INT COPY 1 0 MAKE_SEGDES COPY 1 0 CPOP 1 2 CPOP 1 1 DIST INT CPOP 1 2 - INT CPOP 1 2 "
            "COPY 1 0 * FLOAT CPOP 2 1 CPOP 1 1 PERMUTE FLOAT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 1u) << vcode::print_vcode(program);
  EXPECT_EQ(steps(program.kernels[0]), "DIST - * PERMUTE ");
  EXPECT_EQ(program.kernels[0].outputs.size(), 1u);
}

TEST(Fusion, PermuteWithDefaultsFusesIfTheyAreMadeForIt) {
  const std::string squares = "FUNC MAIN " + kTwoVectors + "COPY 1 0 LENGTH INT MAKE_SEGDES CPOP 1 2 COPY 1 0 * FLOAT ";
  // The stack: targets, descriptor, squares.
  const vcode::Program flagged = fused(squares +
                                       "CPOP 1 2 COPY 1 0 I_TO_B COPY 1 3 COPY 1 0 FPERMUTE FLOAT CPOP 1 1 "
                                       "POP 1 0 RET")
                                     .program;
  ASSERT_EQ(flagged.kernels.size(), 1u) << vcode::print_vcode(flagged);
  EXPECT_EQ(steps(flagged.kernels[0]), "* I_TO_B FPERMUTE ");
  const vcode::Program defaults =
      fused(squares + "COPY 1 0 EXP CPOP 1 3 CPOP 1 1 COPY 1 3 COPY 1 0 DPERMUTE FLOAT CPOP 1 1 POP 1 0 RET").program;
  for (const vcode::Kernel& kernel : defaults.kernels)
    EXPECT_EQ(steps(kernel).find("DPERMUTE"), std::string::npos) << vcode::print_vcode(defaults);
  const vcode::Program made = fused(squares +
                                    "CPOP 1 2 CONST INT 100 MAKE_SEGDES CONST FLOAT 0.5 COPY 1 1 DIST FLOAT CPOP 1 1 "
                                    "CPOP 1 4 CPOP 1 1 DPERMUTE FLOAT RET")
                                  .program;
  ASSERT_EQ(made.kernels.size(), 1u) << vcode::print_vcode(made);
  EXPECT_EQ(steps(made.kernels[0]), "* DPERMUTE ");
}

TEST(Fusion, ReadersOfAPermutedVectorAreAnotherTraversal) {
  // sum of exp of (x * x) permuted
  const vcode::Program program =
      fused("FUNC MAIN " + kTwoVectors +
            "COPY 1 0 LENGTH INT MAKE_SEGDES CPOP 1 2 COPY 1 0 * FLOAT CPOP 1 2 COPY 1 2 PERMUTE FLOAT EXP CPOP 1 1 "
            "+_REDUCE FLOAT RET")
          .program;
  ASSERT_EQ(program.kernels.size(), 2u) << vcode::print_vcode(program);
  EXPECT_EQ(steps(program.kernels[0]), "* PERMUTE ");
  EXPECT_EQ(steps(program.kernels[1]), "EXP +_REDUCE ");
}

TEST(Fusion, ExplainsWhyScansStayApart) {
  const OptimizeResult result = fused("FUNC MAIN " + kVector + "COPY 1 1 +_SCAN FLOAT CPOP 1 1 MAX_SCAN FLOAT RET");
  EXPECT_NE(result.explanation.find(
                "  MAIN: 2 traversals over vectors become 2 with 0 kernels; 2 vectors stored become 2; 32 "
                "bytes moved for each element become 32\n"),
            std::string::npos)
      << result.explanation;
  EXPECT_NE(result.explanation.find("depends on a scan of the same traversal"), std::string::npos)
      << result.explanation;
}

TEST(Fusion, DependentScansAreInDifferentKernels) {
  // Only a map is between the scans, and it may be in a kernel with either: MAX_SCAN (+_SCAN x + x), and the elements
  // of x where that is above 0.
  const std::string head = "FUNC MAIN " + kVector + "COPY 2 0 CPOP 1 1 +_SCAN FLOAT COPY 1 1 + FLOAT ";
  for (const Fusion fusion : {Fusion::kGreedy, Fusion::kIlp}) {
    const OptimizeResult scanned = fused(head + "COPY 1 2 MAX_SCAN FLOAT POP 2 1 RET", fusion);
    EXPECT_EQ(kernels(scanned), "+_SCAN + \n") << vcode::print_vcode(scanned.program);
    const OptimizeResult packed =
        fused(head + "CONST FLOAT 0.0 COPY 1 3 DIST FLOAT > FLOAT COPY 1 2 PACK FLOAT POP 1 0 POP 1 1 RET", fusion);
    EXPECT_EQ(kernels(packed),
              fusion == Fusion::kGreedy ? "+_SCAN + \nCONST DIST > PACK \n" : "+_SCAN + CONST DIST > \n")
        << vcode::print_vcode(packed.program);
  }
}

/// A program for which the greedy choice is not the best, and the kernels of the best choice.
struct Improved {
  const char* name;
  const char* code;  ///< stack code after kVector with the descriptor on top
  const char* kernels;
  int greedy_bytes, bytes;  ///< moved for each element
};
constexpr Improved kImproved[] = {
    // The sum of x is united with the scan of x, and the product, which needs both, is apart.
    {"ASumBesideAScan",
     "COPY 1 1 COPY 1 1 +_REDUCE FLOAT COPY 1 1 DIST FLOAT COPY 1 0 COPY 1 2 +_SCAN FLOAT COPY 1 3 COPY 1 3 +_SCAN "
     "FLOAT COPY 1 1 COPY 1 1 * FLOAT POP 5 1 RET",
     "DIST +_SCAN +_SCAN * \n", 32, 24},
    // y = +_SCAN x; +_SCAN y and +_SCAN (x + y): the addition is united with y, not with the scan of the addition.
    {"AMapBetweenTwoScans",
     "COPY 1 1 COPY 1 1 +_SCAN FLOAT COPY 1 0 COPY 1 2 +_SCAN FLOAT COPY 1 3 COPY 1 2 + FLOAT COPY 1 0 COPY 1 4 +_SCAN "
     "FLOAT COPY 1 2 COPY 1 1 POP 6 2 RET",
     "+_SCAN + +_SCAN \n", 56, 48},
    // x * sum x, and x + +_SCAN (x + x): all but the sum are one traversal.
    {"ASumBesideAMap",
     "COPY 1 1 COPY 1 2 + FLOAT COPY 1 2 COPY 1 2 +_REDUCE FLOAT COPY 1 2 DIST FLOAT COPY 1 1 COPY 1 3 +_SCAN FLOAT "
     "COPY 1 4 COPY 1 2 * FLOAT COPY 1 5 COPY 1 2 + FLOAT COPY 1 1 COPY 1 1 POP 7 2 RET",
     "+ +_SCAN DIST * + \n", 48, 32},
};

TEST(Fusion, SolverImprovesOnTheGreedyChoice) {
  for (const Improved& program : kImproved) {
    SCOPED_TRACE(program.name);
    const std::string text = "FUNC MAIN " + kVector + "CPOP 1 1 " + program.code;
    const auto become = [](int bytes) { return "for each element become " + std::to_string(bytes) + "\n"; };
    const OptimizeResult greedy = fused(text, Fusion::kGreedy), best = fused(text);
    EXPECT_NE(greedy.explanation.find(become(program.greedy_bytes)), std::string::npos) << greedy.explanation;
    EXPECT_NE(best.explanation.find(become(program.bytes)), std::string::npos) << best.explanation;
    EXPECT_EQ(kernels(best), program.kernels) << vcode::print_vcode(best.program);
  }
}

TEST(Fusion, ExplainsWhyOperationsAreInNoKernel) {
  // exp x scattered to the targets i of x; the sorted order of x * x.
  const std::string explanation =
      fused(
          "FUNC MAIN " + kTwoVectors +
          "COPY 1 1 EXP COPY 1 1 COPY 1 3 COPY 1 0 LENGTH FLOAT MAKE_SEGDES COPY 1 0 DPERMUTE FLOAT CPOP 1 2 COPY 1 0 "
          "* FLOAT COPY 1 0 LENGTH FLOAT MAKE_SEGDES RANK_UP FLOAT RET")
          .explanation;
  EXPECT_NE(explanation.find("EXP and"), std::string::npos) << explanation;
  EXPECT_NE(explanation.find("DPERMUTE FLOAT stay apart: it updates a vector, in place"), std::string::npos)
      << explanation;
  EXPECT_NE(explanation.find("RANK_UP FLOAT stay apart: RANK_UP cannot be in a kernel"), std::string::npos)
      << explanation;
}

TEST(Fusion, DrawsKernelsAsClusters) {
  const OptimizeResult result = fused("FUNC MAIN " + kVector + "SQRT EXP CPOP 1 1 POP 1 0 RET", Fusion::kIlp, true);
  EXPECT_TRUE(result.dot.starts_with("digraph fusion {")) << result.dot;
  EXPECT_NE(result.dot.find("SQRT"), std::string::npos);
  EXPECT_TRUE(result.dot.ends_with("}\n"));
  EXPECT_EQ(std::count(result.dot.begin(), result.dot.end(), '{'),
            std::count(result.dot.begin(), result.dot.end(), '}'));
}

TEST(Fusion, DrawsARecomputedOperationInEachKernel) {
  // t = x * x; t - dist(sum t)
  const std::string dot =
      fused("FUNC MAIN " + kVector +
                "COPY 1 0 * FLOAT COPY 2 0 CPOP 1 1 +_REDUCE FLOAT COPY 1 2 DIST FLOAT - FLOAT CPOP 1 1 POP 1 0 RET",
            Fusion::kIlp, true)
          .dot;
  const std::size_t first = dot.find("= * FLOAT");
  ASSERT_NE(first, std::string::npos) << dot;
  EXPECT_NE(dot.find("= * FLOAT", first + 1), std::string::npos) << dot;
}

}  // namespace
}  // namespace fcode_opt
