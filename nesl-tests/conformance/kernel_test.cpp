#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "agreement.h"
#include "configuration.h"
#include "cvl/dispatch.h"
#include "kernel_outcome.h"
#include "kernels/chosen_kernels.h"
#include "kernels/loop_plan.h"
#include "oracle.h"
#include "random_kernel.h"
#include "segmentation.h"
#include "tested_widths.h"
#include "vcode/kernel_rules.h"

// Kernels run by a backend, compared with their steps run one after the other on the oracle.

namespace cvl::conformance {
namespace {

void expect_same(const KernelCase& tried, const KernelOutcome& expected, const KernelOutcome& actual,
                 Agreement::Kind agreement) {
  auto words = [&](const std::string& failure) {
    return expected.late || actual.late ? failure.substr(0, failure.rfind(" (element")) : failure;
  };
  ASSERT_EQ(words(actual.failure), words(expected.failure)) << describe(tried);
  ASSERT_EQ(actual.failed_step, expected.failed_step);
  ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
  for (std::size_t k = 0; k < expected.outputs.size(); ++k) {
    const auto difference = first_difference(expected.outputs[k], actual.outputs[k], {.kind = agreement});
    ASSERT_EQ(difference, std::nullopt) << "output " << tried.kernel.values[tried.kernel.outputs[k]].name << " of "
                                        << describe(tried);
  }
}

/// The backend with another number of threads, and without native code if kernels are always compiled.
auto with_other_threads() {
  BackendOptions options = configuration().options;
  options.threads = options.threads == 1 ? 2 : 1;
  if (configuration().native == "always") options.native = "off";
  return configuration().create(options);
}

class Kernels : public testing::TestWithParam<vcode::Widths> {};

/// Whether a kernel scans or reduces FLOATs by MAX or MIN: of zeros of both signs, threads may choose another one.
bool selects_floats(const KernelCase& tried) {
  return std::ranges::any_of(tried.kernel.steps, [](const vcode::Kernel::Step& step) {
    const vcode::Monoid monoid = step.is_constant() ? vcode::Monoid::kSum : vcode::info(step.op).monoid;
    return step.suffix == vcode::Suffix::kFloat && (monoid == vcode::Monoid::kMax || monoid == vcode::Monoid::kMin);
  });
}

/// Runs kernels with the chosen configuration, on the oracle, and with other threads and without native code.
class Comparison {
 public:
  explicit Comparison(vcode::Widths widths) : widths_(widths) {}

  void compare(const KernelCase& tried) {
    if (seen_++ % configuration().every != configuration().which) return;
    const vcode::KernelFacts facts = vcode::look_at(tried.kernel);
    ASSERT_EQ(facts.error, "") << "step " << facts.error_step << " of " << describe(tried);
    ASSERT_EQ(kernels::verify_plan(kernels::LoopPlan(tried.kernel, facts, widths_)), "") << describe(tried);
    const KernelOutcome fused = run(*subject_, widths_, tried);
    ++all_;
    whole_ += fused.failure.empty();
    expect_same(tried, run(*oracle_, widths_, tried), fused, Agreement::Kind::kValue);
    expect_same(tried, fused, run(*other_, widths_, tried),
                selects_floats(tried) ? Agreement::Kind::kValue : Agreement::Kind::kBits);
  }
  /// Whether at least this share of the kernels ran without a fault: runs that end with a fault test little. Not
  /// checked for a sample, which may have no such kernels.
  bool has_whole(double share) const { return configuration().every > 1 || whole_ >= share * all_; }
  std::size_t live_bytes() const { return subject_->memory_use().live; }

 private:
  const vcode::Widths widths_;
  std::unique_ptr<Backend> oracle_ = make_oracle({}, Addresses::kAnyHost);
  std::unique_ptr<Backend> subject_ = configuration().create(configuration().options);
  std::unique_ptr<Backend> other_ = with_other_threads();
  int seen_ = 0, all_ = 0, whole_ = 0;
};

/// Lengths around the borders of tiles and chunks, and one whose results are worth writing past the cache.
constexpr std::int64_t kLengths[] = {0,     1,     2,     63,    65,    100,    511,   512,   513,
                                     1024,  1500,  4095,  4097,  5000,  8192,   9000,  16383, 20000,
                                     32767, 32768, 32769, 50000, 65537, 100003, 700001};

TEST_P(Kernels, ComputeWhatTheirStepsCompute) {
  Comparison runs(GetParam());
  Rng rng = configuration().rng(
      fmt::format("kernels {} {}", static_cast<int>(GetParam().int_type), static_cast<int>(GetParam().float_type)));
  for (const std::int64_t n : kLengths)
    for (int k = 0; k < (n < 10000 ? 40 : n < 500000 ? 10 : 3); ++k) {
      const KernelCase tried = random_kernel(n, GetParam(), rng);
      runs.compare(tried);
      if (HasFatalFailure()) return;
    }
  EXPECT_EQ(runs.live_bytes(), 0u);
  EXPECT_TRUE(runs.has_whole(2.0 / 3));
}

/// Floats of all sizes, whose sums depend on their grouping.
TEST_P(Kernels, AddUpFloatsAsOperationsDo) {
  using vcode::Kernel;
  using vcode::Kind;
  using vcode::Suffix;
  auto oracle = make_oracle({}, Addresses::kAnyHost);
  auto subject = configuration().create(configuration().options);
  auto other = with_other_threads();
  Rng rng = configuration().rng("sums of floats");
  const double epsilon = GetParam().float_type == vcode::ElemType::kF64 ? 0x1p-53 : 0x1p-24;
  for (const std::int64_t n : {5, 100, 1000, 5000, 100000})
    for (const Segmentation& cut : segmentations(n, false, rng)) {
      KernelCase tried;
      tried.title = cut.name;
      Kernel& kernel = tried.kernel;
      for (const Kind kind : {Kind::kFloat, Kind::kFloat, Kind::kSegdes, Kind::kFloat, Kind::kFloat, Kind::kFloat})
        kernel.values.push_back({fmt::format("v{}", kernel.values.size()), kind});
      kernel.input_count = 3;
      kernel.over = 2;
      kernel.steps = {{.op = Op::kMultiply, .suffix = Suffix::kFloat, .operands = {0, 1}, .results = {3}},
                      {.op = Op::kSumReduce, .suffix = Suffix::kFloat, .operands = {3, 2}, .results = {4}},
                      {.op = Op::kSumScan, .suffix = Suffix::kFloat, .operands = {3, 2}, .results = {5}}};
      kernel.outputs = {4, 5};
      for (int k = 0; k < 2; ++k) tried.inputs.push_back({false, moderate_values(GetParam().float_type, n, rng), {}});
      tried.inputs.push_back({true, {}, cut.lengths});
      const KernelOutcome expected = run(*oracle, GetParam(), tried), actual = run(*subject, GetParam(), tried);
      ASSERT_EQ(actual.failure, "");
      expect_same(tried, actual, run(*other, GetParam(), tried), Agreement::Kind::kBits);
      if (HasFatalFailure()) return;
      if (configuration().groups_by_segments()) {
        expect_same(tried, expected, actual, Agreement::Kind::kBits);
        if (HasFatalFailure()) return;
        continue;
      }
      double all = 0;
      with_number(GetParam().float_type, [&]<class T>() {
        for (std::int64_t e = 0; e < n; ++e)
          all += std::fabs(static_cast<double>(tried.inputs[0].vector.as<T>()[static_cast<std::size_t>(e)]) *
                           static_cast<double>(tried.inputs[1].vector.as<T>()[static_cast<std::size_t>(e)]));
      });
      for (std::size_t k = 0; k < 2; ++k) {
        const auto length = static_cast<std::size_t>(expected.outputs[k].length);
        const Agreement close{.kind = Agreement::Kind::kBound,
                              .bounds = std::vector<double>(length, all * epsilon * static_cast<double>(n))};
        ASSERT_EQ(first_difference(expected.outputs[k], actual.outputs[k], close), std::nullopt) << cut.name;
      }
    }
}

TEST_P(Kernels, FoldWhatTheyCompute) {
  Comparison runs(GetParam());
  Rng rng = configuration().rng("folds");
  for (const std::int64_t n : {1, 7, 64, 65, 500, 1000, 2048, 2049, 5000, 65600, 200003})
    for (const Segmentation& cut : segmentations(n, false, rng))
      for (auto [suffix, type] : {std::pair(vcode::Suffix::kInt, GetParam().int_type),
                                  std::pair(vcode::Suffix::kFloat, GetParam().float_type)}) {
        const KernelCase tried = folding_case(suffix, type, GetParam(), n, cut, rng);
        runs.compare(tried);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Kernels, FindExtremesOfWhatIsMadeForSegments) {
  Comparison runs(GetParam());
  Rng rng = configuration().rng("extremes");
  const auto some_lengths = [&](std::int64_t segments, std::int64_t least, std::int64_t most) {
    Segmentation cut{fmt::format("lengths {} to {}", least, most), {}};
    for (std::int64_t k = 0; k < segments; ++k) cut.lengths.push_back(least + rng.below(most - least + 1));
    return cut;
  };
  for (const std::int64_t segments : {300, 9000, 9001, 9002})
    for (const auto& [least, most] : {std::pair(0, 0), {1, 1}, {0, 1}, {3, 3}, {10, 10}, {32, 32}, {0, 31}, {20, 40}})
      for (auto [suffix, type] : {std::pair(vcode::Suffix::kInt, GetParam().int_type),
                                  std::pair(vcode::Suffix::kFloat, GetParam().float_type)}) {
        const Segmentation cut = some_lengths(segments, least, most);
        const KernelCase tried = extremes_case(suffix, type, GetParam(), cut, rng);
        runs.compare(tried);
        if (HasFatalFailure()) return;
      }
  EXPECT_TRUE(runs.has_whole(0.5));
}

TEST_P(Kernels, PermuteWhatTheyCompute) {
  using vcode::Kind;
  Comparison runs(GetParam());
  Rng rng = configuration().rng("permutations");
  for (const std::int64_t n : {0, 1, 7, 4500, 5001, 33000, 70003})
    for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool, Kind::kByte})
      for (int k = 0; k < 6; ++k) {
        std::vector<std::int64_t> lengths = {n};
        if (k == 0)
          for (std::int64_t left = lengths[0]; left > 100; lengths.push_back(100)) lengths[0] = left -= 100;
        const KernelCase tried = permuting_case(kind, GetParam(), {fmt::format("{} elements", n), lengths}, rng);
        runs.compare(tried);
        if (HasFatalFailure()) return;
      }
  EXPECT_TRUE(runs.has_whole(0.5));
}

TEST_P(Kernels, DivideByWhatIsSpread) {
  auto oracle = make_oracle({}, Addresses::kAnyHost);
  auto subject = configuration().create(configuration().options);
  Rng rng = configuration().rng("divisions");
  const std::int64_t divisors = special_values(GetParam().int_type).length;
  for (std::int64_t k = 0; k < divisors; ++k)
    for (const std::int64_t n : {65, 2049}) {
      const std::vector<std::int64_t> halves = {n / 2, n - n / 2};
      for (const Segmentation& cut : {Segmentation{"one", {n}}, Segmentation{"two", halves}}) {
        const KernelCase tried = dividing_case(GetParam(), n, cut, k, rng);
        const vcode::KernelFacts facts = vcode::look_at(tried.kernel);
        ASSERT_EQ(facts.error, "") << "step " << facts.error_step << " of " << describe(tried);
        expect_same(tried, run(*oracle, GetParam(), tried), run(*subject, GetParam(), tried), Agreement::Kind::kBits);
        if (HasFatalFailure()) return;
      }
    }
}

TEST_P(Kernels, GatherAtPlacesThatTheyCompute) {
  using vcode::Kind;
  Comparison runs(GetParam());
  Rng rng = configuration().rng("gathers");
  for (const std::int64_t n : {1, 7, 64, 65, 500, 2049, 5000, 70000})
    for (const std::int64_t length : {0, 1, 3, 1000, 200000})
      for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool, Kind::kByte}) {
        const KernelCase tried = gathering_case(kind, GetParam(), n, length, rng);
        runs.compare(tried);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Kernels, GatherNeighbours) {
  using vcode::Kind;
  Comparison runs(GetParam());
  Rng rng = configuration().rng("neighbours");
  for (const std::int64_t n : {0, 5, 65, 2049, 70000})
    for (const Segmentation& cut : segmentations(n, false, rng))
      for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool}) {
        const KernelCase tried = neighbours_case(kind, GetParam(), cut, rng);
        runs.compare(tried);
        if (HasFatalFailure()) return;
      }
  EXPECT_TRUE(runs.has_whole(0.5));
}

TEST_P(Kernels, ReadBySegmentsOfSegments) {
  using vcode::Kind;
  Comparison runs(GetParam());
  Rng rng = configuration().rng("coarse segments");
  for (const std::int64_t n : {5, 65, 2049, 70000})
    for (const Segmentation& cut : segmentations(n, false, rng))
      for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool}) {
        runs.compare(coarse_case(kind, GetParam(), cut, rng));
        if (HasFatalFailure()) return;
      }
  EXPECT_TRUE(runs.has_whole(0.5));
}

TEST_P(Kernels, SliceFromAnyPlace) {
  using vcode::Kind;
  Comparison runs(GetParam());
  Rng rng = configuration().rng("slices");
  for (const std::int64_t n : {0, 65, 2049, 70000})
    for (const Segmentation& cut : segmentations(n, false, rng))
      for (const Kind kind : {Kind::kInt, Kind::kFloat, Kind::kBool}) {
        const bool at_fault = rng.chance(0.2) && !cut.lengths.empty();
        runs.compare(slicing_case(kind, GetParam(), cut, at_fault, rng));
        if (HasFatalFailure()) return;
      }
}

/// A function of a sum: one element, which the host computes by another library than vectors.
TEST_P(Kernels, HaveTheSameFunctionsOfFoldsCompiledOrNot) {
  using vcode::Kind;
  using vcode::Suffix;
  auto subject = configuration().create(configuration().options);
  auto other = with_other_threads();
  Rng rng = configuration().rng("functions of folds");
  KernelCase tried;
  tried.title = "the sine of a sum";
  tried.kernel.values = {
      {"x", Kind::kFloat}, {"s", Kind::kSegdes}, {"p", Kind::kFloat}, {"t", Kind::kFloat}, {"q", Kind::kFloat}};
  tried.kernel.input_count = 2;
  tried.kernel.over = 1;
  tried.kernel.steps = {{.op = Op::kMultiply, .suffix = Suffix::kFloat, .operands = {0, 0}, .results = {2}},
                        {.op = Op::kSumReduce, .suffix = Suffix::kFloat, .operands = {2, 1}, .results = {3}},
                        {.op = Op::kSin, .operands = {3}, .results = {4}}};
  tried.kernel.outputs = {4};
  ASSERT_EQ(vcode::look_at(tried.kernel).error, "");
  const std::int64_t n = 100;
  for (int k = 0; k < 200; ++k) {
    tried.inputs = {{false, moderate_values(GetParam().float_type, n, rng), {}}, {true, {}, {n}}};
    expect_same(tried, run(*subject, GetParam(), tried), run(*other, GetParam(), tried), Agreement::Kind::kBits);
    if (HasFatalFailure()) return;
  }
}

/// Elements of several sizes, in several tiles. The results are long enough to be written past the cache, and segments
/// end anywhere, so that chunks do not begin at cache lines.
TEST_P(Kernels, KeepTilesOfSeveralSizesApart) {
  using vcode::Kind;
  using vcode::Suffix;
  auto oracle = make_oracle({}, Addresses::kAnyHost);
  auto subject = configuration().create(configuration().options);
  Rng rng = configuration().rng("tiles of several sizes");
  const std::int64_t n = 400003;
  KernelCase tried;
  tried.title = "elements of several sizes";
  const auto value = [&](const char* name, Kind kind) { tried.kernel.values.push_back({name, kind}); };
  for (const char* name : {"v", "i"}) value(name, Kind::kInt);
  value("s", Kind::kSegdes);
  tried.kernel.input_count = 3;
  tried.kernel.over = 2;
  const auto step = [&](Op op, Suffix suffix, std::vector<vcode::KernelVar> operands, const char* name, Kind kind,
                        bool leaves) {
    const auto result = static_cast<vcode::KernelVar>(tried.kernel.values.size());
    value(name, kind);
    tried.kernel.steps.push_back({.op = op, .suffix = suffix, .operands = std::move(operands), .results = {result}});
    if (leaves) tried.kernel.outputs.push_back(result);
    return result;
  };
  const auto g = step(Op::kBpermute, Suffix::kInt, {0, 1, 2, 2}, "g", Kind::kInt, false);
  const auto h = step(Op::kBpermute, Suffix::kInt, {1, 1, 2, 2}, "h", Kind::kInt, false);
  const auto t = step(Op::kAdd, Suffix::kInt, {g, h}, "t", Kind::kInt, false);
  const auto small = step(Op::kLess, Suffix::kInt, {t, h}, "small", Kind::kBool, true);
  const auto f = step(Op::kIntToFloat, Suffix::kNone, {t}, "f", Kind::kFloat, true);
  const auto d = step(Op::kMultiply, Suffix::kFloat, {f, f}, "d", Kind::kFloat, true);
  const auto k = step(Op::kBoolToInt, Suffix::kNone, {small}, "k", Kind::kInt, true);
  step(Op::kIntToFloat, Suffix::kNone, {k}, "e", Kind::kFloat, true);
  step(Op::kAdd, Suffix::kFloat, {d, d}, "dd", Kind::kFloat, true);
  for (const bool indices : {false, true}) {
    HostVector data(GetParam().int_type, n);
    with_int(data.type, [&]<class I>() {
      for (I& x : data.as<I>()) x = static_cast<I>(indices ? 0 : rng.below(1000));
    });
    tried.inputs.push_back({false, data, {}});
  }
  std::vector<std::int64_t> lengths;
  for (std::int64_t left = n; left > 0; left -= lengths.back())
    lengths.push_back(std::min<std::int64_t>(left, 900 + rng.below(200)));
  tried.inputs.push_back({true, {}, lengths});
  ASSERT_EQ(vcode::look_at(tried.kernel).error, "");
  expect_same(tried, run(*oracle, GetParam(), tried), run(*subject, GetParam(), tried), Agreement::Kind::kValue);
}

/// More results than native code has bits for those that are written past the cache.
TEST_P(Kernels, WriteManyLongResults) {
  using vcode::Kind;
  using vcode::Suffix;
  auto oracle = make_oracle({}, Addresses::kAnyHost);
  auto subject = configuration().create(configuration().options);
  Rng rng = configuration().rng("many long results");
  KernelCase tried;
  tried.title = "many long results";
  tried.kernel.values = {{"x", Kind::kInt}, {"y", Kind::kInt}};
  tried.kernel.input_count = 2;
  for (vcode::KernelVar v = 2; v < 70; ++v) {
    tried.kernel.values.push_back({fmt::format("r{}", v), Kind::kInt});
    const Op op = std::array{Op::kAdd, Op::kSubtract, Op::kXor}[v % 3];
    tried.kernel.steps.push_back({.op = op, .suffix = Suffix::kInt, .operands = {(v - 2) / 2, 1}, .results = {v}});
    if (v > 2) tried.kernel.outputs.push_back(v);
  }
  ASSERT_EQ(vcode::look_at(tried.kernel).error, "");
  for (int k = 0; k < 2; ++k) {
    HostVector data(GetParam().int_type, 530000);
    with_int(data.type, [&]<class I>() {
      for (I& x : data.as<I>()) x = static_cast<I>(rng.below(1000));
    });
    tried.inputs.push_back({false, data, {}});
  }
  expect_same(tried, run(*oracle, GetParam(), tried), run(*subject, GetParam(), tried), Agreement::Kind::kValue);
}

/// Of short vectors and long ones, whose kernels may be compiled: the bits of the functions for numbers by themselves.
TEST_P(Kernels, ComputeFunctionsToTheLastBit) {
  using vcode::Kind;
  auto oracle = make_oracle({}, Addresses::kAnyHost);
  auto subject = configuration().create(configuration().options);
  Rng rng = configuration().rng("functions");
  KernelCase tried;
  tried.kernel.values = {{"x", Kind::kFloat}, {"y", Kind::kFloat}};
  tried.kernel.input_count = 2;
  for (const vcode::OpInfo& row : vcode::all_ops()) {
    if (!row.is_function() && row.op != vcode::Op::kSqrt && row.op != vcode::Op::kFloatHash) continue;
    const auto result = static_cast<vcode::KernelVar>(tried.kernel.values.size());
    tried.kernel.values.push_back(
        {std::string(row.name), vcode::Signature::kind(row.signature.results[0], vcode::Suffix::kNone)});
    tried.kernel.steps.push_back({.op = row.op, .operands = {0}, .results = {result}});
    if (row.signature.operand_count == 2) tried.kernel.steps.back().operands.push_back(1);
    tried.kernel.outputs.push_back(result);
  }
  ASSERT_GT(tried.kernel.steps.size(), 10u);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 5000}) {
    tried.title = fmt::format("functions of {} elements", n);
    const ElemType type = GetParam().float_type;
    for (const auto& values : {moderate_values, any_values}) {
      tried.inputs = {{false, values(type, n, rng), {}}, {false, values(type, n, rng), {}}};
      expect_same(tried, run(*oracle, GetParam(), tried), run(*subject, GetParam(), tried), Agreement::Kind::kBits);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Kernels, tested_widths(), name_of_widths);

}  // namespace
}  // namespace cvl::conformance
