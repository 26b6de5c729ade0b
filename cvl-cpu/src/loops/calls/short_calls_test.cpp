#include "loops/calls/short_calls.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "compiled_call.h"
#include "steps/chunked_steps.h"
#include "test_machine.h"

namespace cvl::cpu {
namespace {

/// Segments of short calls: one, few, empty ones, equal ones, and more than ShortCalls takes.
std::vector<std::vector<std::int64_t>> short_lengths() {
  return {{1},
          {5},
          {100},
          {1000},
          {3, 0, 5, 1},
          {5, 0, 0, 70, 0},
          {4, 4, 4},
          {200, 300, 400},
          std::vector<std::int64_t>(200, 5),
          std::vector<std::int64_t>(300, 3)};
}

/// Makes short calls by the loop of a kernel and by its steps, and expects the same bits. Returns how many calls over a
/// single segment the loop has computed, and how many over several.
std::pair<int, int> expect_same_short_calls(const std::string& steps, const std::string& over = "x") {
  const KernelText text(steps, over);
  EXPECT_EQ(text.facts.error, "");
  LoopTiles tiles(text.plan);
  tiles.long_segment = 0;
  const ShortCalls short_calls(text.plan, tiles);
  const ChunkedSteps chunked(text.plan);
  std::map<const Kernels*, std::unique_ptr<Compiled>> compiled;
  std::pair<int, int> taken;
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr || context.parallel.threads() > 1) return;
    std::unique_ptr<Compiled>& code = compiled[&context.kernels];
    if (code == nullptr) code = std::make_unique<Compiled>(text, *target);
    taken = {0, 0};
    for (const auto& lengths : short_lengths())
      for (const bool regular : {false, true}) {
        const TestSegments segments(lengths);
        SegmentDescriptor s = segments.descriptor;
        if (regular) s = {s.segments, s.segments * lengths[0], lengths[0], nullptr, nullptr};
        SCOPED_TRACE(std::to_string(s.segments) + " segments, elements: " + std::to_string(s.elements));
        std::mt19937 random(1), again(1);
        Call by_loop(text, s, random), by_steps(text, s, again);
        make_results(text, by_loop);
        make_results(text, by_steps);
        const bool takes = short_calls.takes(s.elements, s.is_single());
        if (!takes || !short_calls.run(context, by_loop.call, *code->loops[short_calls.form()])) continue;
        ++(s.is_single() ? taken.first : taken.second);
        chunked.run(context, by_steps.call);
        EXPECT_FALSE(context.faults.any());
        EXPECT_EQ(by_loop.kept, by_steps.kept);
        for (const vcode::KernelVar v : text.kernel().outputs) {
          const Result &found = by_loop.results[v], &expected = by_steps.results[v];
          const bool is_packed = text.facts.producers[v] == vcode::Producer::kPack && found.length == s.elements;
          // Behind the kept elements, loops write others.
          const std::int64_t n = is_packed ? *std::ranges::max_element(by_loop.kept) : found.length;
          EXPECT_EQ(std::memcmp(found.data, expected.data, static_cast<std::size_t>(n) * elem_size(found.type)), 0)
              << text.kernel().values[v].name;
          EXPECT_EQ(by_loop.memory(v).back(), by_steps.memory(v).back()) << "behind " << text.kernel().values[v].name;
        }
      }
  });
  return taken;
}

struct ShortCallsTest : testing::Test {
  void SetUp() override {
    if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  }
  // All of short_lengths() in two kinds of descriptors, but for the many segments.
  const std::pair<int, int> all = {8, 10}, single_ones = {8, 0};
};

TEST_F(ShortCallsTest, ComputeElements) {
  EXPECT_EQ(expect_same_short_calls("w = DIST FLOAT b s\n"
                                    "r = INDEX a a s\n"
                                    "u = DIST INT c all\n"
                                    "q = INDEX c c all\n"
                                    "v = SLICE FLOAT t start s\n"
                                    "g = BPERMUTE FLOAT t i of_t all\n"
                                    "h = BPERMUTE FLOAT d p s s\n"
                                    "gh = + FLOAT g h\n"
                                    "gv = + FLOAT gh v\n"
                                    "z = + FLOAT gv w\n"
                                    "n = + INT r x\n"
                                    "nq = + INT n q\n"
                                    "m = < INT n u\n"
                                    "OUT z m nq\n"),
            all);
}

TEST_F(ShortCallsTest, FoldSegments) {
  EXPECT_EQ(expect_same_short_calls("z = * FLOAT y y\n"
                                    "sum = +_REDUCE FLOAT z s\n"
                                    "most = MAX_REDUCE INT x s\n"
                                    "w = * FLOAT sum b\n"
                                    "n = + INT most a\n"
                                    "OUT sum w n z\n"),
            all);
}

TEST_F(ShortCallsTest, ScanSegments) {
  EXPECT_EQ(expect_same_short_calls("n = +_SCAN INT x s\n"
                                    "z = * FLOAT y y\n"
                                    "sums = +_SCAN FLOAT z s\n"
                                    "most = MAX_SCAN INT x s\n"
                                    "both = + INT n most\n"
                                    "OUT sums both\n"),
            all);
}

TEST_F(ShortCallsTest, PackSegments) {
  EXPECT_EQ(expect_same_short_calls("z = + INT x x\n"
                                    "k k_s = PACK INT z f s\n"
                                    "l l_s = PACK FLOAT y f s\n"
                                    "OUT k k_s l\n"),
            all);
}

/// Scans and PACKs go on through the segments of the nest.
TEST_F(ShortCallsTest, ScanAndPackAllElementsBesideSegments) {
  EXPECT_EQ(expect_same_short_calls("w = DIST FLOAT b s\n"
                                    "z = + FLOAT y w\n"
                                    "n = +_SCAN INT x all\n"
                                    "k k_s = PACK FLOAT z f all\n"
                                    "OUT n k k_s\n"),
            all);
}

/// A nest goes over segments of one descriptor.
TEST_F(ShortCallsTest, LeaveFoldsOfAllElementsBesideSegments) {
  EXPECT_EQ(expect_same_short_calls("most = MAX_REDUCE INT x all\n"
                                    "rows = +_REDUCE INT x s\n"
                                    "OUT most rows\n"),
            single_ones);
}

TEST_F(ShortCallsTest, LeaveWhatLoopsDoNotCompute) {
  const std::pair<int, int> none = {0, 0};
  EXPECT_EQ(expect_same_short_calls("z = + INT x x\nq = PERMUTE INT z p s\nOUT q\n"), none);
  EXPECT_EQ(expect_same_short_calls("z = * FLOAT y y\nwhere = MIN_INDEX FLOAT z s\nOUT where\n", "y"), none);
}

}  // namespace
}  // namespace cvl::cpu
