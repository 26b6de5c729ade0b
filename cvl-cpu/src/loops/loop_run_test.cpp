#include "loops/loop_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "compiled_call.h"
#include "jit/product_code.h"
#include "test_machine.h"
#include "tuning/kernel_tuning.h"

namespace cvl::cpu {
namespace {

/// Runs a kernel step by step up to each place where that can stop, and from there by compiled loops, and expects the
/// bits of the steps alone. Returns the number of places.
int expect_same(Context& context, const KernelText& text, const SegmentDescriptor& s, const Compiled& compiled) {
  std::mt19937 random(1), again(1);
  Call whole(text, s, random), begun(text, s, again);
  make_results(text, whole);
  const ChunkedSteps steps(text.plan);
  const LoopTiles tiles(text.plan);
  steps.run(context, whole.call);
  int places = 0;
  for (bool stopped = true; stopped && !context.faults.any() && !testing::Test::HasFailure(); ++places) {
    SCOPED_TRACE(places);
    make_results(text, begun);
    LoopRun run(context, text.plan, tiles, begun.call, {});
    EXPECT_EQ(run.forms().size(), 1);
    int calls = 0;
    const std::optional<BegunRun> part = steps.run(context, begun.call, [&] { return calls++ == places; });
    if (part) run.run(compiled.loops, *part);
    stopped = part.has_value();
    for (const vcode::KernelVar v : text.kernel().outputs)
      EXPECT_EQ(begun.memory(v), whole.memory(v)) << text.kernel().values[v].name;
  }
  EXPECT_FALSE(context.faults.any());
  return places - 1;
}

/// Slices of the table must be short.
enum class Lengths { kAny, kShort };

void expect_same(const std::string& steps, const std::string& over = "x", Lengths tested = Lengths::kAny) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  const KernelText text(steps, over);
  ASSERT_EQ(text.facts.error, "");
  std::mt19937 random(3);
  std::vector<std::int64_t> short_ones(20000), long_ones;
  for (std::int64_t& n : short_ones) n = random() % 33;
  for (int k = 0; k < 3; ++k) long_ones.insert(long_ones.end(), {131072 - 2 * k, 0, 1});
  // Chunks of these have more elements than LoopTiles::chunk_items, as they begin with a segment.
  const std::vector<std::int64_t> blocks(400, 1000);
  std::map<const Kernels*, std::unique_ptr<Compiled>> compiled;
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr || context.parallel.threads() > 2) return;
    std::unique_ptr<Compiled>& code = compiled[&context.kernels];
    if (code == nullptr) code = std::make_unique<Compiled>(text, *target);
    for (const auto& lengths : {short_ones, long_ones, blocks, std::vector<std::int64_t>{300000}}) {
      if (tested == Lengths::kShort && lengths != short_ones) continue;
      const TestSegments segments(lengths);
      SCOPED_TRACE(std::to_string(lengths.size()) + " segments");
      EXPECT_GT(expect_same(context, text, segments.descriptor, *code), 1);
    }
    for (const SegmentDescriptor& regular : {SegmentDescriptor{60000, 300000, 5, nullptr, nullptr},
                                             SegmentDescriptor{400, 400000, 1000, nullptr, nullptr}}) {
      if (tested == Lengths::kShort && regular.regular_length > 32) continue;
      EXPECT_GT(expect_same(context, text, regular, *code), 1);
    }
  });
}

TEST(LoopRun, GoesOnWithElements) {
  expect_same(
      "w = DIST FLOAT b s\n"
      "r = INDEX a a s\n"
      "u = DIST INT c all\n"
      "g = BPERMUTE FLOAT t i of_t all\n"
      "z = + FLOAT g w\n"
      "v = + INT r x\n"
      "m = < INT v u\n"
      "OUT z m\n");
}

TEST(LoopRun, GoesOnWithFolds) {
  expect_same(
      "z = * FLOAT y y\n"
      "sum = +_REDUCE FLOAT z s\n"
      "most = MAX_REDUCE INT x s\n"
      "all_most = MAX_REDUCE INT x all\n"
      "w = * FLOAT sum b\n"
      "n = + INT most a\n"
      "OUT sum w n z all_most\n");
}

/// A nest, called once a chunk unless segments have several blocks.
TEST(LoopRun, GoesOnWithSumsOfSegments) {
  expect_same(
      "z = * FLOAT y y\n"
      "q = SQRT z\n"
      "sum = +_REDUCE FLOAT q s\n"
      "OUT sum\n",
      "y");
}

TEST(LoopRun, GoesOnWithFoldsOfAllElements) {
  expect_same(
      "z = * FLOAT y y\n"
      "sum = +_REDUCE FLOAT z all\n"
      "rows = +_REDUCE INT x s\n"
      "where = MAX_INDEX FLOAT z all\n"
      "OUT sum rows where\n");
}

TEST(LoopRun, GoesOnWithArgReductions) {
  expect_same(
      "u = DIST INT a s\n"
      "r = INDEX a a s\n"
      "z = * INT r u\n"
      "where = MIN_INDEX INT z s\n"
      "OUT where\n",
      "s");
}

/// Lanes compute the folds of short segments.
TEST(LoopRun, GoesOnWithFoldsOfMadeValues) {
  expect_same(
      "j = DIST INT c all\n"
      "g = BPERMUTE FLOAT t j of_t all\n"
      "w = DIST FLOAT b s\n"
      "v = SLICE FLOAT t start s\n"
      "r = INDEX a a s\n"
      "y2 = + FLOAT g v\n"
      "z = * FLOAT y2 w\n"
      "m = < FLOAT z w\n"
      "sum = +_REDUCE FLOAT z s\n"
      "product = *_REDUCE FLOAT v s\n"
      "rows = +_REDUCE INT r s\n"
      "most = MAX_REDUCE FLOAT z s\n"
      "where = MIN_INDEX FLOAT z s\n"
      "any = OR_REDUCE BOOL m s\n"
      "odd = XOR_REDUCE BOOL m s\n"
      "OUT sum product rows most where any odd\n",
      "s", Lengths::kShort);
}

/// Wherever they are in a segment, extremes leave them out.
TEST(LoopRun, LanesIgnoreNaN) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  const KernelText text(
      "v = SLICE FLOAT t start s\nz = + FLOAT v v\nmost = MAX_REDUCE FLOAT z s\nleast = MIN_REDUCE FLOAT z s\n"
      "first = MAX_INDEX FLOAT z s\nlast = MIN_INDEX FLOAT z s\nOUT most least first last\n",
      "s");
  ASSERT_EQ(text.facts.error, "");
  std::vector<std::int64_t> lengths;
  for (int k = 0; k < 2000; ++k) lengths.push_back(1 + k % 32);
  const TestSegments segments(lengths);
  const ChunkedSteps steps(text.plan);
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr) return;
    const Compiled compiled(text, *target);
    std::mt19937 random(1), again(1);
    Call expected(text, segments.descriptor, random), found(text, segments.descriptor, again);
    for (Call* call : {&expected, &found}) {
      auto* const table = static_cast<double*>(call->memory_of("t"));
      for (int k = 0; k < kTable; ++k)
        if (k % 3 == 0 || k < 100) table[k] = std::numeric_limits<double>::quiet_NaN();
      for (const vcode::KernelVar v : text.kernel().outputs) call->results[v] = call->make(v, std::ssize(lengths));
    }
    steps.run(context, expected.call);
    const LoopTiles tiles(text.plan);
    LoopRun run(context, text.plan, tiles, found.call, {});
    ASSERT_EQ(run.forms().size(), 1);
    ASSERT_EQ(run.forms()[0].form, Loop::Form::kLanes);
    run.run(compiled.loops);
    EXPECT_FALSE(context.faults.any());
    for (const vcode::KernelVar v : text.kernel().outputs)
      EXPECT_EQ(found.memory(v), expected.memory(v)) << text.kernel().values[v].name;
  });
}

/// Runs a kernel step by step on one thread, and by the loop of all its steps, and expects the same bits.
void expect_same_by_loop(Context& context, const KernelText& text, const SegmentDescriptor& s, const Compiled& compiled,
                         const LoopTiles& tiles) {
  std::mt19937 random(1), again(1);
  Call expected(text, s, random), found(text, s, again);
  make_results(text, expected);
  make_results(text, found);
  TestMachine one(context.kernels, 1);
  ChunkedSteps(text.plan).run(one.context, expected.call);
  EXPECT_FALSE(one.context.faults.any());
  LoopRun run(context, text.plan, tiles, found.call, {});
  ASSERT_EQ(run.forms().size(), 1);
  ASSERT_EQ(run.forms()[0].part, Part::kAll);
  run.run(compiled.loops);
  EXPECT_FALSE(context.faults.any());
  for (const vcode::KernelVar v : text.kernel().outputs)
    EXPECT_EQ(found.memory(v), expected.memory(v)) << text.kernel().values[v].name;
}

/// Chunks then need no carries, on any number of threads.
TEST(LoopRun, DoesNotDivideShortSegmentsOfScans) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  const KernelText text(
      "before = +_SCAN FLOAT y s\nhigh = MAX_SCAN INT x s\nz = + FLOAT before y\nv = + INT high x\n"
      "sum = +_REDUCE FLOAT z s\nOUT z v sum\n");
  ASSERT_EQ(text.facts.error, "");
  std::mt19937 random(3);
  std::vector<std::int64_t> short_ones(20000), longest;
  for (std::int64_t& n : short_ones) n = random() % 33;
  for (int k = 0; k < 70; ++k) longest.insert(longest.end(), {kLargestTile, 0, kLargestTile - k});
  const TestSegments any(short_ones), long_ones(longest);
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr) return;
    const Compiled compiled(text, *target);
    const LoopTiles tiles(text.plan, context.parallel.threads());
    for (const SegmentDescriptor& s :
         {any.descriptor, long_ones.descriptor, SegmentDescriptor{300, 150000, 500, nullptr, nullptr}})
      expect_same_by_loop(context, text, s, compiled, tiles);
    std::mt19937 same(1);
    Call divided(text, SegmentDescriptor{50, 50 * (kLargestTile + 1), kLargestTile + 1, nullptr, nullptr}, same);
    make_results(text, divided);
    const LoopRun run(context, text.plan, tiles, divided.call, {});
    EXPECT_EQ(run.forms()[0].part, context.parallel.threads() > 1 ? Part::kBefore : Part::kAll);
  });
}

/// Blocks of a chunk are segments of one call; the last chunk may have none.
TEST(LoopRun, FoldsAllBlocksOfAChunkTogether) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  const KernelText text(
      "w = DIST FLOAT b s\nz = * FLOAT y w\ng = BPERMUTE FLOAT t i of_t s\nv = + FLOAT z g\nsum = +_REDUCE FLOAT v s\n"
      "most = MAX_REDUCE INT x s\nproduct = *_REDUCE FLOAT z s\nOUT v sum most product\n");
  ASSERT_EQ(text.facts.error, "");
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr) return;
    const Compiled compiled(text, *target);
    for (const std::int64_t n : {2, 1023, 1024, 1025, 32767, 32768, 65536, 65537, 100000}) {
      SCOPED_TRACE(n);
      expect_same_by_loop(context, text, SegmentDescriptor::single(n), compiled, LoopTiles(text.plan));
    }
  });
}

/// Where an element takes long, threads divide what would be one chunk of cheap elements.
TEST(LoopRun, DividesFewCostlyElements) {
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  std::string steps = "z0 = SIN y\n";
  for (int k = 1; k < 40; ++k) steps += fmt::format("z{} = SIN z{}\n", k, k - 1);
  const KernelText map(steps + "OUT z39\n", "y"), sum(steps + "rows = +_REDUCE FLOAT z39 s\nOUT z39 rows\n", "y");
  const LoopTiles of_one(map.plan), of_map(map.plan, 2), of_sum(sum.plan, 2);
  EXPECT_LT(of_map.chunk_items, 1000);
  EXPECT_GE(of_sum.chunk_items, 2 * kFoldBlock);
  EXPECT_GT(of_one.chunk_items, of_sum.chunk_items);
  const TestSegments segments({1000, 0, 3000, 7, 5000});
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (target == nullptr) return;
    expect_same_by_loop(context, map, segments.descriptor, Compiled(map, *target), of_map);
    expect_same_by_loop(context, sum, segments.descriptor, Compiled(sum, *target), of_sum);
  });
}

/// A call over `rows` times `columns` segments of `length` elements, of which the slices from `start` depend on the
/// row, those from `a` on the column, or the other way round.
struct ProductCall {
  ProductCall(const KernelText& text, int rows, int columns, int length, bool swapped)
      : segments{rows * columns, std::int64_t{length} * rows * columns, length, nullptr, nullptr},
        random(5),
        call(text, segments, random),
        starts(static_cast<int*>(call.memory_of("start"))) {
    int* const others = static_cast<int*>(call.memory_of("a"));
    const auto most = static_cast<unsigned>(segments.elements - length + 1);
    std::vector<int> by_row(static_cast<std::size_t>(rows)), by_column(static_cast<std::size_t>(columns));
    for (int& start : by_row) start = static_cast<int>(random() % most);
    for (int& start : by_column) start = static_cast<int>(random() % most);
    for (int k = 0; k < rows * columns; ++k) {
      (swapped ? others : starts)[k] = by_row[static_cast<std::size_t>(k / columns)];
      (swapped ? starts : others)[k] = by_column[static_cast<std::size_t>(k % columns)];
    }
    result = text.kernel().outputs[0];
    call.results[result] = call.make(result, segments.segments);
    const vcode::KernelVar sum = text.kernel().steps[text.kernel().steps.size() - 2].results[0];
    if (call.results[sum].data == nullptr) call.results[sum] = call.make(sum, segments.segments);
  }
  SegmentDescriptor segments;
  std::mt19937 random;
  Call call;
  int* starts;
  vcode::KernelVar result;
};

/// Runs f(context, tiles, compiled loops) for each instruction set that computes products.
template <class F>
void with_products(const KernelText& text, F&& f) {
  ASSERT_EQ(text.facts.error, "");
  ASSERT_TRUE(text.plan.whole.loop.product);
  if (NativeCompiler::version().empty()) GTEST_SKIP() << "there is no compiler of kernels";
  on_all_machines([&](Context& context) {
    const NativeTarget* const target = native_target(context.kernels.name);
    if (computes_products(target)) f(context, LoopTiles(text.plan, 1, true), Compiled(text, *target).loops);
  });
}

void expect_products(const std::string& steps) {
  const KernelText text(steps, "s");
  const ChunkedSteps in_steps(text.plan);
  with_products(text, [&](Context& context, const LoopTiles& tiles, const CompiledLoops& loops) {
    for (const auto& [rows, columns, length] : std::vector<std::array<int, 3>>{
             {3, 3, 33}, {3, 4, 40}, {7, 5, 100}, {40, 3, 47}, {3, 3, 1024}, {3, 5, 1025}, {4, 3, 3000}})
      for (const bool swapped : {false, true}) {
        SCOPED_TRACE(testing::Message() << rows << " " << columns << " " << length << " " << swapped);
        ProductCall expected(text, rows, columns, length, swapped), found(text, rows, columns, length, swapped);
        in_steps.run(context, expected.call.call);
        LoopRun run(context, text.plan, tiles, found.call.call, {});
        ASSERT_EQ(run.forms().size(), 1);
        EXPECT_EQ(run.forms()[0].form, Loop::Form::kProduct);
        run.run(loops);
        EXPECT_FALSE(context.faults.any());
        EXPECT_EQ(found.call.memory(found.result), expected.call.memory(expected.result));
      }
  });
}

TEST(LoopRun, ComputesProductsOfFloats) {
  expect_products(
      "v = SLICE FLOAT y start s\n"
      "u = SLICE FLOAT y a s\n"
      "k = DIST INT c all\n"
      "q = I_TO_F k\n"
      "w = + FLOAT v q\n"
      "z = * FLOAT w u\n"
      "sum = +_REDUCE FLOAT z s\n"
      "root = SQRT sum\n"
      "OUT root\n");
}

TEST(LoopRun, ComputesProductsOfInts) {
  expect_products(
      "v = SLICE INT x start s\n"
      "u = SLICE INT x a s\n"
      "z = - INT v u\n"
      "most = MAX_REDUCE INT z s\n"
      "twice = + INT most most\n"
      "OUT twice\n");
}

TEST(LoopRun, ComputesNoProductsOfOtherSegments) {
  const KernelText text(
      "v = SLICE INT x start s\nu = SLICE INT x a s\nz = * INT v u\nsum = +_REDUCE INT z s\nw = + INT sum sum\nOUT w\n",
      "s");
  with_products(text, [&](Context& context, const LoopTiles& tiles, const CompiledLoops&) {
    const auto form = [&](ProductCall& of) {
      return LoopRun(context, text.plan, tiles, of.call.call, {}).forms()[0].form;
    };
    for (const bool swapped : {false, true}) {
      ProductCall product(text, 6, 7, 40, swapped);
      EXPECT_EQ(form(product), Loop::Form::kProduct);
      product.starts[24] ^= 1;
      EXPECT_EQ(form(product), Loop::Form::kNest) << "a start is another one";
      ProductCall outside(text, 6, 7, 40, swapped);
      for (int k = 0; k < 42; ++k)
        if (outside.starts[k] == outside.starts[24])
          outside.starts[k] = static_cast<int>(outside.segments.elements) - 39;
      EXPECT_EQ(form(outside), Loop::Form::kNest) << "a slice is not within its table";
      ProductCall narrow(text, 1, 7, 40, swapped);
      EXPECT_EQ(form(narrow), Loop::Form::kNest);
      ProductCall short_one(text, 6, 7, 8, swapped);
      EXPECT_NE(form(short_one), Loop::Form::kProduct);
    }
  });
}

TEST(LoopRun, ReportsFaultsInProducts) {
  const KernelText text(
      "v = SLICE INT x start s\nu = SLICE INT x a s\nz = / INT v u\nsum = +_REDUCE INT z s\nw = + INT sum sum\nOUT w\n",
      "s");
  with_products(text, [&](Context& context, const LoopTiles& tiles, const CompiledLoops& loops) {
    for (const bool faulty : {false, true}) {
      ProductCall product(text, 6, 7, 50, false);
      int* const table = static_cast<int*>(product.call.memory_of("x"));
      for (std::int64_t e = 0; e < product.segments.elements; ++e)
        if (table[e] == 0) table[e] = 1;
      if (faulty) table[static_cast<int*>(product.call.memory_of("a"))[3] + 49] = 0;
      context.faults.begin_operation();
      LoopRun run(context, text.plan, tiles, product.call.call, {});
      run.run(loops);
      EXPECT_EQ(context.faults.any(), faulty);
    }
  });
}

TEST(LoopRun, KernelsWithCarriesGoOnAsTheyBegan) {
  for (const char* steps : {"n = +_SCAN INT x s\nz = + INT n x\nOUT z\n", "k k_s = PACK INT x f s\nOUT k k_s\n",
                            "z = + INT x x\nq = PERMUTE INT z p s\nOUT q\n"})
    EXPECT_FALSE(LoopRun::can_go_on(KernelText(steps).plan));
}

}  // namespace
}  // namespace cvl::cpu
