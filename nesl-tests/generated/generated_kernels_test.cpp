// Generated kernels, compiled for the host and run, compared with their steps one after the other on the oracle; and
// compiled for a device, where there is nvcc.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "agreement.h"
#include "kernel_library.h"
#include "oracle.h"
#include "scratch_folder.h"
#include "segmentation.h"
#include "kernels/chosen_kernels.h"

namespace cvl::conformance {
namespace {

using vcode::ElemType;
using vcode::Widths;

/// Around the borders of words of heads, tiles, groups of tiles and groups of groups.
constexpr std::int64_t kLengths[] = {0, 1, 31, 33, 500, 1023, 1024, 1025, 5000, 32768, 34000, 100003, 1100000};

/// Kernels of every kind, with data.
std::vector<KernelCase> make_cases(Widths widths, int rounds) {
  Rng rng(0x6e65736cu + static_cast<unsigned>(widths.int_type));
  std::vector<KernelCase> cases;
  for (int round = 0; round < rounds; ++round)
    for (const std::int64_t n : kLengths) {
      if (n > 200000 && round > 0) continue;
      cases.push_back(random_kernel(n, widths, rng));
    }
  for (const std::int64_t n : {std::int64_t{700}, std::int64_t{40000}})
    for (const Segmentation& cut : segmentations(n, false, rng)) {
      cases.push_back(folding_case(vcode::Suffix::kInt, widths.int_type, widths, n, cut, rng));
      cases.push_back(folding_case(vcode::Suffix::kFloat, widths.float_type, widths, n, cut, rng));
    }
  for (std::int64_t k = 0; k < 4; ++k)
    cases.push_back(dividing_case(widths, 3000, {"one segment", {3000}}, k, rng));
  for (const vcode::Kind kind : {vcode::Kind::kInt, vcode::Kind::kFloat, vcode::Kind::kBool})
    cases.push_back(gathering_case(kind, widths, 5000, 300, rng));
  return cases;
}

void expect_same(const KernelCase& tried, const KernelOutcome& expected, const KernelOutcome& actual) {
  ASSERT_EQ(actual.failure.empty(), expected.failure.empty()) << expected.failure << describe(tried);
  ASSERT_EQ(actual.failed_step, expected.failed_step) << expected.failure << describe(tried);
  ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
  for (std::size_t k = 0; k < expected.outputs.size(); ++k) {
    const auto difference = first_difference(expected.outputs[k], actual.outputs[k], {Agreement::Kind::kValue});
    ASSERT_EQ(difference, std::nullopt) << "output " << tried.kernel.values[tried.kernel.outputs[k]].name << " of "
                                        << describe(tried);
  }
}

class GeneratedKernels : public testing::TestWithParam<Widths> {};

TEST_P(GeneratedKernels, ComputeWhatTheirStepsCompute) {
  std::vector<KernelCase> cases = make_cases(GetParam(), 4);
  const KernelLibrary library(cases, GetParam(), "");
  const auto oracle = make_oracle({}, Addresses::kAnyHost);
  int failures = 0;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const KernelOutcome expected = run(*oracle, GetParam(), cases[k]);
    failures += expected.failure.empty() ? 0 : 1;
    expect_same(cases[k], expected, library.run(k));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, static_cast<int>(cases.size()) / 2);
}

INSTANTIATE_TEST_SUITE_P(Widths, GeneratedKernels,
                         testing::Values(Widths{ElemType::kI32, ElemType::kF64}, Widths{ElemType::kI64, ElemType::kF32}),
                         [](const testing::TestParamInfo<Widths>& tested) {
                           return fmt::format("{}_{}", elem_name(tested.param.int_type), elem_name(tested.param.float_type));
                         });

}  // namespace
}  // namespace cvl::conformance
