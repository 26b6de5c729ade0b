// Generated kernels, compiled for the host and run, and compared with their steps one after the other on the oracle;
// and compiled for a device, if there is nvcc.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include <fmt/format.h>

#include "agreement.h"
#include "cvl/dispatch.h"
#include "kernel_library.h"
#include "kernels/chosen_kernels.h"
#include "oracle.h"
#include "scratch_folder.h"
#include "segmentation.h"
#include "tested_widths.h"

namespace cvl::conformance {
namespace {

using vcode::ElemType;
using vcode::Widths;

/// Lengths around the borders of words of heads, tiles, groups of tiles and groups of groups.
constexpr std::int64_t kLengths[] = {0, 1, 31, 33, 500, 1023, 1024, 1025, 5000, 32768, 34000, 100003, 1100000};

/// Number of kernels to compile by nvcc, which takes half a second for each.
constexpr std::size_t kCompiledForADevice = 10;

/// A kernel with the prefix sums of n elements in one segment.
KernelCase scanning_case(Widths widths, std::int64_t n, Rng& rng) {
  using vcode::Kind;
  KernelCase tried;
  tried.title = fmt::format("scan of {}", n);
  tried.kernel.values = {{"x", Kind::kInt}, {"s", Kind::kSegdes}, {"b", Kind::kInt}};
  tried.kernel.input_count = 2;
  tried.kernel.steps = {{vcode::Op::kSumScan, vcode::Suffix::kInt, vcode::Kernel::kNoConstant, {0, 1}, {2}}};
  tried.kernel.outputs = {2};
  tried.inputs = {{false, any_values(widths.int_type, n, rng), {}}, {true, {}, {n}}};
  return tried;
}

/// A kernel that scatters n elements within one segment, many to the same targets unless they are `different`.
KernelCase scattering_case(vcode::Op op, Widths widths, std::int64_t n, bool different, Rng& rng) {
  using vcode::Kind;
  KernelCase tried;
  tried.title = fmt::format("{} of {}", vcode::info(op).text, n);
  tried.kernel.values = {{"a", Kind::kInt},       {"i", Kind::kInt},     {"f", Kind::kBool},    {"d", Kind::kInt},
                         {"from", Kind::kSegdes}, {"to", Kind::kSegdes}, {"result", Kind::kInt}};
  tried.kernel.input_count = 6;
  HostVector places(widths.int_type, n);
  for (std::int64_t e = 0; e < n; ++e)
    with_int(places.type, [&]<class I>() {
      places.as<I>()[static_cast<std::size_t>(e)] = static_cast<I>(different ? n - 1 - e : rng.below(n));
    });
  tried.inputs = {
      {false, any_values(widths.int_type, n, rng), {}}, {false, places, {}}, {false, random_flags(n, 0.8, rng), {}},
      {false, any_values(widths.int_type, n, rng), {}}, {true, {}, {n}},     {true, {}, {n}}};
  std::vector<vcode::KernelVar> operands = {0, 1};
  if (op == vcode::Op::kFpermute || op == vcode::Op::kDfpermute) operands.push_back(2);
  if (vcode::has_defaults(op)) operands.push_back(3);
  operands.push_back(4);
  if (op != vcode::Op::kPermute) operands.push_back(5);
  tried.kernel.steps.push_back({op, vcode::Suffix::kInt, vcode::Kernel::kNoConstant, operands, {6}});
  tried.kernel.outputs = {6};
  return tried;
}

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
    for (const Segmentation& segmentation : segmentations(n, false, rng)) {
      cases.push_back(folding_case(vcode::Suffix::kInt, widths.int_type, widths, n, segmentation, rng));
      cases.push_back(folding_case(vcode::Suffix::kFloat, widths.float_type, widths, n, segmentation, rng));
    }
  // More than 1024 tiles.
  cases.push_back(scanning_case(widths, 2200000, rng));
  for (const vcode::Op op : {vcode::Op::kPermute, vcode::Op::kFpermute, vcode::Op::kDpermute, vcode::Op::kDfpermute})
    for (const bool different : {false, true}) cases.push_back(scattering_case(op, widths, 5000, different, rng));
  for (std::int64_t k = 0; k < 4; ++k) cases.push_back(dividing_case(widths, 3000, {"one segment", {3000}}, k, rng));
  for (const vcode::Kind kind : {vcode::Kind::kInt, vcode::Kind::kFloat, vcode::Kind::kBool})
    cases.push_back(gathering_case(kind, widths, 5000, 300, rng));
  return cases;
}

void expect_same(const KernelCase& tried, const KernelOutcome& expected, const KernelOutcome& actual,
                 const Agreement& agreement = {Agreement::Kind::kValue}) {
  ASSERT_EQ(actual.failure.empty(), expected.failure.empty()) << expected.failure << describe(tried);
  ASSERT_EQ(actual.failed_step, expected.failed_step) << expected.failure << describe(tried);
  ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
  for (std::size_t k = 0; k < expected.outputs.size(); ++k) {
    const auto difference = first_difference(expected.outputs[k], actual.outputs[k], agreement);
    ASSERT_EQ(difference, std::nullopt) << "output " << tried.kernel.values[tried.kernel.outputs[k]].name << " of "
                                        << describe(tried);
  }
}

class GeneratedKernels : public testing::TestWithParam<Widths> {
 protected:
  /// Runs all cases, and their steps on the oracle. Returns the number of cases with a fault.
  int compare(const std::vector<KernelCase>& cases, const KernelLibrary& library) {
    const auto oracle = make_oracle({}, Addresses::kAnyHost);
    int failures = 0;
    for (std::size_t k = 0; k < cases.size() && !HasFatalFailure(); ++k) {
      const KernelOutcome expected = run(*oracle, GetParam(), cases[k]);
      failures += expected.failure.empty() ? 0 : 1;
      expect_same(cases[k], expected, library.run(k));
    }
    return failures;
  }
};

TEST_P(GeneratedKernels, AgreeWithTheirSteps) {
  std::vector<KernelCase> cases = make_cases(GetParam(), 2);
  const KernelLibrary library(cases, GetParam(), "");
  const int failures = compare(cases, library);
  if (HasFatalFailure()) return;
  EXPECT_GT(failures, 0);
  EXPECT_LT(failures, static_cast<int>(cases.size()) / 2);
}

/// A kernel whose steps are elementwise operations on three inputs of each kind.
KernelCase elementwise_case(Widths widths, std::int64_t n, Rng& rng) {
  using vcode::Kind;
  KernelCase tried;
  for (const Kind kind : {Kind::kInt, Kind::kBool, Kind::kFloat, Kind::kByte})  // by their numbers
    for (int k = 0; k < 3; ++k) {
      tried.kernel.values.push_back({fmt::format("{}{}", kind_name(kind), k), kind});
      tried.inputs.push_back({false, any_values(widths.of(kind), n, rng), {}});
    }
  tried.kernel.input_count = 12;
  return tried;
}
void add_step(KernelCase& tried, const vcode::OpInfo& row, vcode::Suffix suffix) {
  vcode::Kernel::Step step{row.op, suffix};
  for (int k = 0; k < row.signature.operand_count; ++k) {
    const vcode::Kind kind = vcode::Signature::kind(row.signature.operands[static_cast<std::size_t>(k)], suffix);
    step.operands.push_back(static_cast<vcode::KernelVar>(3 * static_cast<int>(kind) + k));
  }
  const auto result = static_cast<vcode::KernelVar>(tried.kernel.values.size());
  step.results = {result};
  tried.kernel.values.push_back(
      {fmt::format("{}{}", row.name, result), vcode::Signature::kind(row.signature.results[0], suffix)});
  tried.kernel.over = step.operands[0];
  tried.kernel.outputs.push_back(result);
  tried.kernel.steps.push_back(std::move(step));
}

/// Rows that cannot fault share two kernels, library functions apart; each row that can fault has its own kernel.
TEST_P(GeneratedKernels, HaveEveryElementwiseRow) {
  constexpr std::int64_t n = 3000;
  Rng rng(17);
  std::vector<KernelCase> cases = {elementwise_case(GetParam(), n, rng), elementwise_case(GetParam(), n, rng)};
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (row.op_class != vcode::OpClass::kElementwise) continue;
    vcode::for_each_suffix<vcode::suffixes::kAny | vcode::suffixes::kNone>([&]<vcode::Suffix suffix>() {
      if (!row.takes(suffix)) return;
      if (!row.can_fault(suffix)) return add_step(cases[row.is_function() ? 1 : 0], row, suffix);
      // A single element, which often has no fault; and many.
      for (const std::int64_t length : {1, 1, 1, 1, 2000}) {
        cases.push_back(elementwise_case(GetParam(), length, rng));
        add_step(cases.back(), row, suffix);
      }
    });
  }
  const KernelLibrary library(cases, GetParam(), "-O0");
  const auto oracle = make_oracle({}, Addresses::kAnyHost);
  for (std::size_t k = 0; k < cases.size(); ++k)
    expect_same(cases[k], run(*oracle, GetParam(), cases[k]), library.run(k), {Agreement::Kind::kValue});
}

/// Slices of every width from every start: segments begin at each distance from a multiple of 16 bytes, and end
/// anywhere.
TEST_P(GeneratedKernels, SliceFromAnyStart) {
  using vcode::Kind;
  Rng rng(31);
  std::vector<KernelCase> cases;
  for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool})
    for (const std::int64_t n : {3, 5000})
      for (const Segmentation& segmentation : segmentations(n, false, rng))
        for (const bool at_fault : {false, true})
          cases.push_back(slicing_case(kind, GetParam(), segmentation, at_fault, rng));
  const KernelLibrary library(cases, GetParam(), "-O0");
  const int failures = compare(cases, library);
  if (HasFatalFailure()) return;
  EXPECT_GT(failures, 0);
}

/// Of several faults, that of the first step is reported, and of its elements the first one.
TEST_P(GeneratedKernels, ReportTheFirstFault) {
  KernelCase tried;
  tried.kernel.values = {{"a", vcode::Kind::kBool}, {"b", vcode::Kind::kBool}};
  tried.kernel.input_count = 2;
  for (const vcode::KernelVar operand : {0u, 1u}) {
    tried.kernel.values.push_back({fmt::format("checked{}", operand), vcode::Kind::kBool});
    tried.kernel.steps.push_back(
        {vcode::Op::kAssert, vcode::Suffix::kNone, vcode::Kernel::kNoConstant, {operand}, {operand + 2}});
    tried.kernel.outputs.push_back(operand + 2);
    HostVector flags(ElemType::kB8, 9000);
    std::fill(flags.bytes.begin(), flags.bytes.end(), std::byte{1});
    tried.inputs.push_back({false, flags, {}});
  }
  std::vector<KernelCase> cases = {tried, tried, tried};
  for (const std::size_t e : {5000u, 8000u}) cases[1].inputs[0].vector.bytes[e] = std::byte{0};
  cases[1].inputs[1].vector.bytes[7] = cases[2].inputs[1].vector.bytes[8999] = std::byte{0};
  const KernelLibrary library(cases, GetParam(), "-O0");
  EXPECT_EQ(library.run(0).failure, "");
  const auto kind = static_cast<int>(FaultKind::kFalse);
  EXPECT_EQ(library.run(1).failure, fmt::format("{} at 5000", kind));
  EXPECT_EQ(library.run(1).failed_step, 0u);
  EXPECT_EQ(library.run(2).failure, fmt::format("{} at 8999", kind));
  EXPECT_EQ(library.run(2).failed_step, 1u);
}

/// Runs threads of a block as threads of the host, which run far between two barriers, so that most missing barriers
/// show.
TEST_P(GeneratedKernels, WaitForEachOtherAtBarriers) {
  Rng rng(23);
  std::vector<KernelCase> cases;
  for (const std::int64_t n : {std::int64_t{900}, std::int64_t{3000}}) {
    const Segmentation segmentation{"two", {n / 3, n - n / 3}};
    cases.push_back(folding_case(vcode::Suffix::kInt, GetParam().int_type, GetParam(), n, segmentation, rng));
    cases.push_back(scattering_case(vcode::Op::kFpermute, GetParam(), n, false, rng));
  }
  cases.push_back(random_kernel(2100, GetParam(), rng));
  cases.push_back(scanning_case(GetParam(), 70000, rng));  // more than two groups of tiles
  const KernelLibrary library(cases, GetParam(), "-DREAL_THREADS -pthread");
  compare(cases, library);
}

TEST_P(GeneratedKernels, CompileForADevice) {
  const std::string nvcc = NESL_NVCC;
  if (nvcc.empty()) GTEST_SKIP() << "there is no nvcc: no generated kernel is compiled for a device";
  std::vector<KernelCase> cases = make_cases(GetParam(), 1);
  if (std::getenv("NESL_TEST_LONG") == nullptr) cases.resize(kCompiledForADevice);
  std::vector<cuda::GeneratedKernel> kernels;
  const ScratchFolder folder;
  const std::string source = folder.path() + "/kernels.cu";
  std::ofstream(source) << text_of(cases, GetParam(), kernels);
  const std::string command = fmt::format(
      "{} -std=c++20 -arch=sm_90 -fmad=false --expt-relaxed-constexpr -Werror all-warnings -diag-suppress 177 -cubin "
      "-o {}/kernels.cubin {}",
      nvcc, folder.path(), source);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

/// Kernels as vinterp prints them.
TEST(PrintedKernels, OfProgramsCompile) {
  const ScratchFolder folder;
  for (const char* program : {"barnes_hut", "convex_hull", "fft", "quicksort", "shortest_paths", "suffix_array"}) {
    const std::string fcode = folder.path() + "/p.fcode", text = folder.path() + "/p.cpp";
    const std::string command = fmt::format(
        "'{0}/nesl2vcode' -O 2 -o {2} '{1}/{3}.nesl' && '{0}/vinterp' --emit-cuda {2} > {4} && grep -q "
        "LAUNCHED.kernel_ {4} "
        "&& ! grep 'Not generated' {4} && '{5}' -std=c++20 -Wall -Wextra -Wno-unused-variable -Werror -c -o {4}.o {4}",
        NESL_PROGRAMS, NESL_EXAMPLES, fcode, program, text, NESL_CXX);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, GeneratedKernels, tested_widths(), name_of_widths);

}  // namespace
}  // namespace cvl::conformance
