// Kernels over several segments, with PACK and SLICE, on ranks: the results of the wrapped backend alone, and rounds of
// messages.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "cvl/loader.h"
#include "kernels/divided_kernel.h"
#include "rank_threads.h"
#include "vcode_testing.h"

namespace cvl::mpi {
namespace {

constexpr int kRanks = 3;
constexpr std::int64_t kBlock = 1024, kLength = 10000;

/// The inputs of all kernels here: elements x, a descriptor of segments s of them, and an INT for each segment.
struct Inputs {
  explicit Inputs(const std::vector<std::int64_t>& lengths) {
    for (std::int64_t e = 0; e < kLength; ++e) x.push_back(static_cast<double>(e * 7919 % 1009) - 500);
    for (const std::int64_t length : lengths) {
      offsets.push_back(offsets.back() + length);
      starts.push_back(static_cast<std::int32_t>(kLength - offsets.back()));
    }
    segments = {std::ssize(lengths), kLength, lengths.size() == 1 ? kLength : -1, offsets.data()};
  }
  Inputs(const Inputs&) = delete;

  std::vector<double> x;
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> starts;
  SegmentDescriptor segments;
};

/// A call of a kernel with the memory of its results.
class Call {
 public:
  Call(const vcode::Program& program, const Inputs& inputs) {
    const vcode::Kernel& kernel = program.kernels[0];
    const vcode::KernelFacts facts = vcode::look_at(kernel);
    const std::size_t n = kernel.values.size();
    operands_.resize(n);
    descriptors_.resize(n);
    results_.resize(n);
    kept_.resize(n);
    constants_.resize(n);
    operands_[0] = {ElemType::kF64, kLength, inputs.x.data()};
    descriptors_[1] = inputs.segments;
    operands_[2] = {ElemType::kI32, inputs.segments.segments, inputs.starts.data()};
    for (std::uint32_t s = 0; s < kernel.steps.size(); ++s) {
      const vcode::Kernel::Step& step = kernel.steps[s];
      const vcode::KernelVar v = step.results[0];
      if (step.is_constant()) {
        constants_[v] = static_cast<std::int32_t>(program.constants[step.constant].ints[0]);
        operands_[v] = {ElemType::kI32, 1, &constants_[v]};
        continue;
      }
      const bool is_output = std::ranges::count(kernel.outputs, v) > 0;
      if (facts.producers[v] == vcode::Producer::kPack) {
        fill(kernel, v, kLength);
        packed_.emplace_back(v, kernel.steps[vcode::first_pack_like(kernel, s)].results[0]);
        if (vcode::first_pack_like(kernel, s) == s) fill(kernel, step.results[1], inputs.segments.segments);
      } else if (facts.producers[v] == vcode::Producer::kReduce) {
        fill(kernel, v, inputs.segments.segments);
      } else if (is_output) {
        fill(kernel, v, kLength);
      }
    }
  }
  Call(const Call&) = delete;

  KernelCall call() { return {kLength, operands_, descriptors_, results_, kept_}; }
  std::size_t values() const { return results_.size(); }
  /// A result; of a PACK, the kept elements.
  Result result(std::size_t v) const {
    Result result = results_[v];
    for (const auto& [value, first] : packed_)
      if (value == v) result.length = kept_[first];
    return result;
  }

 private:
  void fill(const vcode::Kernel& kernel, std::size_t v, std::int64_t length) {
    const ElemType type = kernel.values[v].kind == vcode::Kind::kFloat  ? ElemType::kF64
                          : kernel.values[v].kind == vcode::Kind::kBool ? ElemType::kB8
                                                                        : ElemType::kI32;
    memory_.emplace_back(size_of(type, length));
    results_[v] = {type, length, memory_.back().data()};
  }

  std::vector<std::pair<std::size_t, std::size_t>> packed_;  ///< with the first PACK like it
  std::vector<std::int32_t> constants_;
  std::vector<std::vector<std::byte>> memory_;
  std::vector<Operand> operands_;
  std::vector<SegmentDescriptor> descriptors_;
  std::vector<Result> results_;
  std::vector<std::int64_t> kept_;
};

/// Runs a kernel "k (x FLOAT s SEGDES b INT) OVER s" of these steps on ranks. Checks results and rounds of messages;
/// rounds < 0: the kernel is left to its steps.
void expect_as_alone(const std::string& steps, const std::vector<std::int64_t>& lengths, std::int64_t rounds) {
  const vcode::Program program = vcode::testing::read_good(
      ("FCODE 1\nKERNEL 0 k (x FLOAT s SEGDES b INT) OVER s\n" + steps + "\nRET\nFUNC MAIN\nRET\n").c_str());
  const vcode::Kernel& kernel = program.kernels[0];
  const vcode::KernelFacts facts = vcode::look_at(kernel);
  const Inputs inputs(lengths);
  std::string error;
  const BackendPtr alone = load_backend("cpu", {CVL_LIBRARY_FOLDER}, {.threads = 1, .native = "off"}, error);
  ASSERT_NE(alone, nullptr) << error;
  const auto whole_plan = alone->plan_kernel(kernel, facts, {}, "");
  Call whole(program, inputs);
  const KernelCall whole_call = whole.call();
  ASSERT_TRUE(alone->run_kernel(*whole_plan, whole_call));
  run_ranks(kRanks, [&](Messenger& messenger) {
    std::string failure;
    const BackendPtr inner = load_backend("cpu", {CVL_LIBRARY_FOLDER}, {.threads = 1, .native = "off"}, failure);
    ASSERT_NE(inner, nullptr) << failure;
    const Distribution distribution(kRanks, kBlock);
    const RankGroup group{*inner, messenger, distribution};
    SegmentCuts cuts(group);
    const auto plan = DividedKernel::make(group, cuts, kernel, facts, {}, "");
    ASSERT_NE(plan, nullptr);
    Call divided(program, inputs);
    const KernelCall call = divided.call();
    ASSERT_EQ(plan->run(call), rounds >= 0);
    if (rounds < 0) return;
    EXPECT_EQ(messenger.counts().rounds, rounds);
    for (std::size_t v = 0; v < whole.values(); ++v) {
      const Result expected = whole.result(v), found = divided.result(v);
      ASSERT_EQ(found.length, expected.length) << kernel.values[v].name;
      EXPECT_EQ(plan->filled(call, v).length, expected.length);
      if (expected.data == nullptr) continue;
      const Range part = group.part(found.length);
      if (part.empty()) continue;
      EXPECT_EQ(std::memcmp(elements_of(found, part).data, elements_of(expected, part).data,
                            size_of(found.type, part.size())),
                0)
          << kernel.values[v].name;
    }
  });
}

// Segments that end within the parts of ranks, go over all of them, and are empty.
const std::vector<std::int64_t> kOne = {kLength}, kSeveral = {0, 100, 7000, 0, 0, 1500, 1400, 0},
                                kHalves = {kLength / 2, kLength / 2};

constexpr const char* kPack =
    "d = DIST INT b s\nf = I_TO_F d\ny = > FLOAT x f\np q = PACK FLOAT x y s\n"
    "r t = PACK INT d y s\nOUT p q r t";

TEST(DividedSegments, PackInTwoRounds) {
  expect_as_alone(
      "zero = CONST INT 0\none = CONST INT 1\ni = INDEX zero one s\nf = I_TO_F i\ny = > FLOAT x f\n"
      "p q = PACK FLOAT x y s\nr t = PACK INT i y s\nOUT p q r t",
      kOne, 2);
  expect_as_alone(kPack, kOne, 2);
  expect_as_alone(kPack, kHalves, 2);
  expect_as_alone(kPack, kSeveral, 2);
}

TEST(DividedSegments, CarryReductionsAndCounts) {
  const char* const steps =
      "one = CONST INT 1\ni = INDEX b b s\nz = TRUNC x\nn = + INT z i\nm = MAX_REDUCE INT n s\n"
      "a = +_REDUCE INT n s\nh = > INT n i\np q = PACK FLOAT x h s\nk = MIN_REDUCE FLOAT x s\nOUT m a p q k n";
  expect_as_alone(steps, kOne, 2);
  expect_as_alone(steps, kSeveral, 2);
  expect_as_alone(steps, std::vector<std::int64_t>(1000, 10), 2);
}

TEST(DividedSegments, FetchTheElementsOfSlices) {
  const char* const steps =
      "y = SLICE FLOAT x b s\nz = + FLOAT y x\nh = > FLOAT z x\np q = PACK FLOAT z h s\nm = MAX_REDUCE FLOAT y s\n"
      "OUT p q m z";
  expect_as_alone(steps, kHalves, 3);
  expect_as_alone(steps, kSeveral, 3);
  expect_as_alone("y = SLICE FLOAT x b s\nh = > FLOAT y x\nOUT y h", kHalves, 2);
  // Of many segments, ranks would have to ask for elements.
  expect_as_alone(steps, std::vector<std::int64_t>(100, 100), -1);
}

TEST(DividedSegments, SumFloatsByBlocksOfTheirSegments) {
  // Elements of the first block of a rank, folds, and the sums.
  expect_as_alone("a = +_REDUCE FLOAT x s\nOUT a", kSeveral, 3);
  expect_as_alone("a = +_REDUCE FLOAT x s\nOUT a", kOne, 1);
  // Without a segment on several ranks.
  expect_as_alone("a = +_REDUCE FLOAT x s\nOUT a", {0, 3072, 3072, 3856}, 2);
  const char* const steps =
      "d = DIST INT b s\nf = I_TO_F d\ny = * FLOAT x f\na = +_REDUCE FLOAT y s\nm = MAX_REDUCE INT d s\n"
      "c = *_REDUCE FLOAT f s\ni = INDEX b b s\nn = +_REDUCE INT i s\nOUT a m y c n";
  expect_as_alone(steps, kSeveral, 3);
  expect_as_alone(steps, kHalves, 3);
  expect_as_alone(steps, kOne, 1);
  expect_as_alone(steps, std::vector<std::int64_t>(1000, 10), 3);
  // Kept elements would be counted twice.
  expect_as_alone("a = +_REDUCE FLOAT x s\nh = > FLOAT x x\np q = PACK FLOAT x h s\nOUT a p q", kSeveral, -1);
}

TEST(DividedSegments, GatherInOneExchange) {
  // Indices 0 and 1 of each segment.
  const std::string steps =
      "d = DIST INT b s\nf = I_TO_F d\nh = > FLOAT x f\ni = B_TO_I h\ng = NOT BOOL h\nj = B_TO_I g\n";
  for (const std::vector<std::int64_t>& lengths : {kOne, kSeveral, kHalves}) {
    expect_as_alone(steps + "y = BPERMUTE FLOAT x i s s\nOUT y", lengths, 3);
    expect_as_alone(steps + "y = BPERMUTE FLOAT x i s s\nw = BFPERMUTE FLOAT x j g s s\nz = + FLOAT y w\nOUT z y",
                    lengths, 3);
    // Indices from a gather.
    expect_as_alone(steps +
                        "y = BPERMUTE FLOAT x i s s\nk = > FLOAT y x\nl = B_TO_I k\nw = BPERMUTE FLOAT x l s s\n"
                        "v = BPERMUTE FLOAT x j s s\nu = + FLOAT w v\nt = + FLOAT u y\nOUT t",
                    lengths, 6);
  }
  const std::string sum = "y = BPERMUTE FLOAT x i s s\nz = * FLOAT y x\na = +_REDUCE FLOAT z s\nOUT a";
  expect_as_alone(steps + sum, kOne, 4);
  expect_as_alone(steps + sum, kSeveral, 6);
  const std::string pack = "y = BPERMUTE FLOAT x i s s\nk = > FLOAT y x\np q = PACK FLOAT y k s\nOUT p q";
  expect_as_alone(steps + pack, kSeveral, 5);
}

TEST(DividedSegments, FindFaultsOfGathersInTheExchange) {
  expect_as_alone("z = TRUNC x\ny = BPERMUTE FLOAT x z s s\nOUT y", kOne, -1);
}

TEST(DividedSegments, ScanWithOneExchangeOfCarries) {
  const std::string steps =
      "d = DIST INT b s\nz = TRUNC x\nn = + INT z d\np = +_SCAN INT n s\nm = MAX_SCAN FLOAT x s\n";
  // TRUNC can be at fault, which takes a round in the end.
  for (const std::vector<std::int64_t>& lengths : {kOne, kSeveral, kHalves}) {
    expect_as_alone(steps + "q = MIN_SCAN INT z s\nr = *_SCAN INT z s\nf = I_TO_F q\ny = + FLOAT f m\nOUT p y r",
                    lengths, 2);
    expect_as_alone(steps + "f = I_TO_F p\ny = + FLOAT f m\na = MIN_REDUCE FLOAT y s\nOUT a p", lengths,
                    lengths.size() == 1 ? 2 : 3);
  }
  expect_as_alone("y = MAX_SCAN FLOAT x s\nd = DIST INT b s\np = +_SCAN INT d s\nOUT y p", kSeveral, 1);
  expect_as_alone("y = MAX_SCAN FLOAT x s\nOUT y", {0, 3072, 3072, 3856}, 0);
  // Beside sums of floats over the same segments, of a whole number of blocks and not.
  const char* const sums =
      "d = DIST INT b s\np = +_SCAN INT d s\nf = I_TO_F p\ny = + FLOAT f x\na = +_REDUCE FLOAT y s\nOUT a p";
  expect_as_alone(sums, kOne, 2);
  expect_as_alone(sums, {2048, 7952}, 3);
  expect_as_alone(sums, kSeveral, -1);
  // The grouping matters.
  expect_as_alone("y = +_SCAN FLOAT x s\nOUT y", kOne, -1);
}

}  // namespace
}  // namespace cvl::mpi
