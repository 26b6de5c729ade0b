#include "kernels/divided_kernel.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "cvl/loader.h"
#include "rank_threads.h"
#include "vcode_testing.h"

namespace cvl::mpi {
namespace {

constexpr int kRanks = 3;
constexpr std::int64_t kBlock = 1024, kLength = 10000, kShort = 100;

/// Runs a kernel, whose inputs are a FLOAT vector 0.5, 1.5, … and perhaps the descriptor of its single segment and one
/// of a short vector, that of the results, on all ranks. Checks that ranks run parts of it, with `rounds` rounds of
/// messages, and calls check(output, part) on each rank; without `check`, that all ranks find a fault.
void run_kernel(const char* text, std::int64_t rounds, const std::function<void(const double*, Range)>& check) {
  const vcode::Program program = vcode::testing::read_good(text);
  const vcode::Kernel& kernel = program.kernels[0];
  const vcode::KernelFacts facts = vcode::look_at(kernel);
  run_ranks(kRanks, [&](Messenger& messenger) {
    std::string error;
    const BackendPtr inner = load_backend("cpu", {CVL_LIBRARY_FOLDER}, {.threads = 1, .native = "off"}, error);
    ASSERT_NE(inner, nullptr) << error;
    const Distribution distribution(kRanks, kBlock);
    const RankGroup group{*inner, messenger, distribution};
    SegmentCuts cuts(group);
    const auto plan = DividedKernel::make(group, cuts, kernel, facts, {}, "");
    ASSERT_NE(plan, nullptr);
    EXPECT_TRUE(plan->is_faster(kLength, true));

    const std::size_t n = kernel.values.size();
    std::vector<double> input(kLength), output(kLength, -1.0);
    const Range part = group.part(kLength);
    for (std::int64_t e = part.begin; e < part.end; ++e) input[static_cast<std::size_t>(e)] = double(e) + 0.5;
    double reduction = 0;
    std::vector<std::int32_t> constants(kernel.values.size());
    std::vector<Operand> operands(n);
    std::vector<SegmentDescriptor> descriptors(n);
    std::vector<Result> results(n);
    std::vector<std::int64_t> kept(n);
    operands[0] = {ElemType::kF64, kLength, input.data()};
    if (kernel.input_count > 1) descriptors[1] = SegmentDescriptor::single(kLength);
    if (kernel.input_count > 2) descriptors[2] = SegmentDescriptor::single(kShort);
    for (const vcode::Kernel::Step& step : kernel.steps)
      if (step.is_constant()) {
        const vcode::KernelVar v = step.results[0];
        constants[v] = static_cast<std::int32_t>(program.constants[step.constant].ints[0]);
        operands[v] = {ElemType::kI32, 1, &constants[v]};
      }
    std::vector<std::vector<double>> other_outputs;
    const std::int64_t length = kernel.input_count > 2 ? kShort : kLength;
    const auto is_reduction = [&](vcode::KernelVar v) { return facts.producers[v] == vcode::Producer::kReduce; };
    for (const vcode::KernelVar other : kernel.outputs)
      results[other] = {ElemType::kF64, is_reduction(other) ? 1 : length, other_outputs.emplace_back(kLength).data()};
    const vcode::KernelVar v = kernel.outputs[0];
    results[v] =
        is_reduction(v) ? Result{ElemType::kF64, 1, &reduction} : Result{ElemType::kF64, length, output.data()};
    const KernelCall call{kLength, operands, descriptors, results, kept};
    EXPECT_EQ(plan->run(call), check != nullptr);
    EXPECT_EQ(messenger.counts().rounds, rounds);
    if (check) check(static_cast<const double*>(results[v].data), part);
  });
}

TEST(DividedKernel, MapsWithoutMessages) {
  run_kernel("FCODE 1\nKERNEL 0 k (x FLOAT) OVER x\ny = + FLOAT x x\nOUT y\nRET\nFUNC MAIN\nRET\n", 0,
             [](const double* output, Range part) {
               for (std::int64_t e = 0; e < kLength; ++e)
                 ASSERT_EQ(output[e], part.contains({e, e + 1}) ? 2.0 * double(e) + 1.0 : -1.0);
             });
}

TEST(DividedKernel, NumbersElementsOfTheWholeVector) {
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nzero = CONST INT 0\none = CONST INT 1\ni = INDEX zero one s\n"
      "f = I_TO_F i\ny = + FLOAT x f\nt = +_REDUCE FLOAT y s\nOUT t\nRET\nFUNC MAIN\nRET\n",
      1, [](const double* sum, Range) {
        // Exact, as all sums are below 2^53.
        EXPECT_EQ(*sum, double(kLength) * double(kLength - 1) + 0.5 * double(kLength));
      });
}

TEST(DividedKernel, ScattersElementsThatRanksHaveComputed) {
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nlast = CONST INT 9999\nback = CONST INT -1\n"
      "i = INDEX last back s\ny = + FLOAT x x\nz = PERMUTE FLOAT y i s\nOUT z\nRET\nFUNC MAIN\nRET\n",
      3, [](const double* output, Range part) {
        for (std::int64_t e = 0; e < kLength; ++e)
          ASSERT_EQ(output[e], part.contains({e, e + 1}) ? 2.0 * double(kLength - 1 - e) + 1.0 : -1.0);
      });
}

TEST(DividedKernel, ScattersTwiceWithConstantsBetween) {
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nlast = CONST INT 9999\nback = CONST INT -1\n"
      "i = INDEX last back s\ny = PERMUTE FLOAT x i s\nzero = CONST INT 0\none = CONST INT 1\n"
      "j = INDEX zero one s\nf = I_TO_F j\nz = PERMUTE FLOAT f i s\nOUT z y\nRET\nFUNC MAIN\nRET\n",
      3, [](const double* output, Range part) {
        for (std::int64_t e = part.begin; e < part.end; ++e) ASSERT_EQ(output[e], double(kLength - 1 - e));
      });
}

TEST(DividedKernel, ScattersToAShortVectorAndReducesInTheSameRounds) {
  // Elements 0, 100, … to places 0 to 99 of a vector of so many elements, which every rank has in the end.
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES t SEGDES) OVER s\nzero = CONST INT 0\none = CONST INT 1\n"
      "i = INDEX zero one s\nn = CONST INT 100\nd = DIST INT n s\nr = % i d\nz = DIST INT zero s\n"
      "f = = INT r z\nq = / INT i d\ny = FPERMUTE FLOAT x q f s t\nm = MAX_REDUCE FLOAT x s\nOUT y m\nRET\n"
      "FUNC MAIN\nRET\n",
      3, [](const double* output, Range) {
        for (std::int64_t e = 0; e < 100; ++e) ASSERT_EQ(output[e], double(100 * e) + 0.5);
      });
}

TEST(DividedKernel, FindsFaultsOfScattersOnAllRanks) {
  // All elements go to the last place; then one of them behind it.
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nlast = CONST INT 9999\nsame = CONST INT 0\n"
      "i = INDEX last same s\ny = + FLOAT x x\nz = PERMUTE FLOAT y i s\nOUT z\nRET\nFUNC MAIN\nRET\n",
      3, nullptr);
  run_kernel(
      "FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES) OVER s\nlast = CONST INT 1\none = CONST INT 1\n"
      "i = INDEX last one s\ny = + FLOAT x x\nz = PERMUTE FLOAT y i s\nOUT z\nRET\nFUNC MAIN\nRET\n",
      3, nullptr);
}

TEST(KernelPart, HasTheStepsThatItsOutputsNeed) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (a INT i INT s SEGDES d INT t SEGDES) OVER s\ny = + INT a a\nr = PERMUTE INT y i s\n"
      "z = + INT y i\nq = DPERMUTE INT a z d s t\nOUT r z q\nRET\nFUNC MAIN\nRET\n");
  const KernelScatters scatters(program.kernels[0]);
  EXPECT_TRUE(scatters.are_all_used());
  EXPECT_EQ(scatters.computed(), (std::vector<vcode::KernelVar>{5}));
  EXPECT_EQ(scatters.other_outputs(), (std::vector<vcode::KernelVar>{7}));
  const KernelPart both(program.kernels[0], {}, std::vector<vcode::KernelVar>{7, 5});
  ASSERT_TRUE(both.is_good());
  EXPECT_EQ(both.kernel().over, 0u);
  ASSERT_EQ(both.kernel().steps.size(), 2u);
  EXPECT_EQ(both.kernel().steps[1].operands, (std::vector<vcode::KernelVar>{5, 1}));
  EXPECT_EQ(both.kernel().outputs, (std::vector<vcode::KernelVar>{6, 5}));
  EXPECT_EQ(both.number(7), 6u);
  EXPECT_EQ(both.number(6), KernelPart::kNone);
  EXPECT_EQ(both.number(2), 2u);

  const std::vector<vcode::KernelVar> given = {5};
  const KernelPart last(program.kernels[0], given, std::vector<vcode::KernelVar>{7});
  ASSERT_TRUE(last.is_good());
  EXPECT_TRUE(last.is_input(5));
  ASSERT_EQ(last.kernel().steps.size(), 1u);
  EXPECT_EQ(last.kernel().steps[0].operands, (std::vector<vcode::KernelVar>{5, 1}));
  EXPECT_FALSE(KernelPart(program.kernels[0], given, given).is_good());
}

TEST(KernelGathers, AreInLevels) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x INT i INT s SEGDES) OVER s\ny = BPERMUTE INT x i s s\nj = + INT i i\n"
      "z = BPERMUTE INT x j s s\nk = + INT y j\nw = BPERMUTE INT x k s s\nOUT z w\nRET\nFUNC MAIN\nRET\n");
  const KernelGathers gathers(program.kernels[0]);
  ASSERT_EQ(gathers.levels(), 2u);
  EXPECT_EQ(gathers.results_of(1), (std::vector<vcode::KernelVar>{3, 5}));
  EXPECT_EQ(gathers.results_of(2), (std::vector<vcode::KernelVar>{3, 5, 7}));
  EXPECT_EQ(gathers.computed_for(0), (std::vector<vcode::KernelVar>{4}));
  EXPECT_EQ(gathers.computed_for(1), (std::vector<vcode::KernelVar>{6}));
}

TEST(LocalScans, BeginWithCarries) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x INT s SEGDES) OVER s\ny = +_SCAN INT x s\nm = MAX_SCAN INT x s\nz = + INT y m\nOUT z\n"
      "RET\nFUNC MAIN\nRET\n");
  const LocalScans scans(program.kernels[0], {});
  EXPECT_EQ(vcode::look_at(scans.kernel()).error, "");
  ASSERT_EQ(scans.carries().size(), 2u);
  EXPECT_EQ(scans.carries()[1].input, 3u);
  EXPECT_EQ(scans.kernel().input_count, 4u);
  EXPECT_EQ(scans.kernel().steps.size(), 8u);
  EXPECT_EQ(scans.kernel().outputs, (std::vector<vcode::KernelVar>{static_cast<vcode::KernelVar>(scans.number(4))}));
  std::vector<vcode::KernelVar> folds;
  const vcode::Kernel extended = with_reductions(program.kernels[0], folds);
  EXPECT_EQ(folds, (std::vector<vcode::KernelVar>{5, 6}));
  const KernelPart part(extended, {}, folds);
  ASSERT_TRUE(part.is_good());
  EXPECT_EQ(part.kernel().steps.size(), 2u);
}

TEST(LocalScans, HaveDescriptorsOfTheirOwnBesideBlocks) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (x INT s SEGDES) OVER s\ny = +_SCAN INT x s\nf = I_TO_F x\nz = +_REDUCE FLOAT f s\nOUT y z\n"
      "RET\nFUNC MAIN\nRET\n");
  const LocalScans scans(program.kernels[0], std::vector<vcode::KernelVar>{1});
  EXPECT_EQ(vcode::look_at(scans.kernel()).error, "");
  ASSERT_EQ(scans.carries().size(), 1u);
  EXPECT_EQ(scans.carries()[0].segments, 3u);
  EXPECT_EQ(scans.kernel().steps[0].operands, (std::vector<vcode::KernelVar>{0, 3}));
}

TEST(SpreadInputs, GiveIndexInputsOfItsOwn) {
  const vcode::Program program = vcode::testing::read_good(
      "FCODE 1\nKERNEL 0 k (a INT s SEGDES) OVER s\none = CONST INT 1\ni = INDEX a one s\nd = DIST INT a s\n"
      "y = + INT i d\nOUT y\nRET\nFUNC MAIN\nRET\n");
  const SpreadInputs inputs(program.kernels[0]);
  const vcode::Kernel& kernel = inputs.kernel();
  EXPECT_EQ(kernel.input_count, 5u);
  EXPECT_TRUE(vcode::look_at(kernel).error.empty());
  EXPECT_EQ(kernel.steps[1].operands, (std::vector<vcode::KernelVar>{2, 3, 1}));
  EXPECT_EQ(kernel.steps[2].operands, (std::vector<vcode::KernelVar>{4, 1}));
  EXPECT_EQ(kernel.steps[3].operands, (std::vector<vcode::KernelVar>{6, 7}));
  EXPECT_EQ(kernel.outputs, (std::vector<vcode::KernelVar>{8}));
}

}  // namespace
}  // namespace cvl::mpi
