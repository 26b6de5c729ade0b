// The barriers of generated kernels, with a thread of the host for each thread of a block. The thread sanitizer reports
// accesses that no barrier orders, however the threads run.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "generated/generated_kernel.h"
#include "scratch_folder.h"
#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

/// A text, and the barriers that its run needs.
struct BarrierCase {
  std::string text;
  std::vector<int> needed;  ///< numbers among the barriers of the text
  int quick;                ///< the one that is removed without NESL_TEST_LONG
};

/// Runs block `block` of kernel_0, with a thread of the host for each of its threads.
constexpr const char* kRun = R"(
void run(const Arguments_0& a, i64 block) {
  Shared_0 shared;
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      this_thread = t;
      kernel_0_block(a, block, shared);
    });
}
)";

/// A kernel with sums and look-back in both phases: a tile behind many whose sums are posted, so that the look-back
/// takes all its paths.
BarrierCase look_back_case() {
  constexpr const char* kProgram = R"(FCODE 1
KERNEL 0 scan (x INT s SEGDES) OVER x
b = +_SCAN INT x s
m = MAX_REDUCE INT b s
OUT b m
RET
FUNC MAIN CONST INT 1 RET
)";
  constexpr const char* kMain = R"(
int main() {
  constexpr i64 kTile = 4 * kThreads;
  constexpr i64 tile = 2 * 1024 + 3 * 32 + 5, n = (tile + 1) * kTile + 17, tiles = tile + 2;
  constexpr i64 groups = tiles, outers = groups + tiles / 32, posts = outers + tiles / 1024;
  std::vector<i32> x(n, 1), b(n), m(1);
  std::vector<cvl::cuda::BoardWord> words(posts), more(posts);
  Arguments_0 a{};
  a.elements = n;
  a.x_0 = {x.data(), n};
  a.s_1 = {1, n, n, nullptr, nullptr, nullptr};
  a.b_2 = {b.data(), n};
  a.m_3 = {m.data(), 1};
  a.posts_of_0 = {{words.data(), 1}};
  a.posts_of_1 = {{more.data(), 1}};
  for (i64 k = 0; k < posts; ++k) {
    if (k == tile) continue;
    const i64 before = k < groups ? kTile : k < outers ? 32 * kTile : (k - outers + 1) * 1024 * kTile;
    a.posts_of_0.put(k, Carry_0_0{{i32(before), 0}});
    a.posts_of_1.put(k, Carry_0_1{{0, 0}});
  }
  run(a, tile);
  for (i64 e = tile * kTile; e < (tile + 1) * kTile; ++e)
    if (b[e] != e) return 1;
  return 0;
}
)";
  const vcode::Program program = vcode::testing::read_good(kProgram);
  return {generate_program(program, {}) + kRun + kMain, {0, 1}, 1};
}

/// The last of three blocks that fold one segment.
BarrierCase fold_case() {
  constexpr const char* kProgram = R"(FCODE 1
KERNEL 0 total (x INT s SEGDES) OVER x
t = +_REDUCE INT x s
OUT t
RET
FUNC MAIN CONST INT 1 RET
)";
  constexpr const char* kMain = R"(
int main() {
  constexpr i64 kTile = 8 * kThreads, n = 2 * kTile + 17;
  std::vector<i32> x(n, 1), t(1);
  std::vector<cvl::cuda::BoardWord> words(3);
  Arguments_0 a{};
  a.elements = n;
  a.x_0 = {x.data(), n};
  a.t_2 = {t.data(), 1};
  u32 taken = 2;  // by the blocks before
  a.ticket = {&taken, 0};
  a.posts_of_0 = {{words.data(), 1}};
  for (i64 k = 0; k < 2; ++k) a.posts_of_0.put(k, Carry_0_0{{kTile, 0}});
  run(a, 2);
  return t[0] == n ? 0 : 1;
}
)";
  const vcode::Program program = vcode::testing::read_good(kProgram);
  return {complete_text(generate_kernel(program.kernels[0], {}, {}, Form::kOneSegment)) + kRun + kMain, {3, 4, 5}, 4};
}

/// The last of three blocks that fold segments, the second of which begins in the first block and ends in the last.
BarrierCase segmented_fold_case() {
  constexpr const char* kProgram = R"(FCODE 1
KERNEL 0 totals (x INT s SEGDES) OVER x
t = +_REDUCE INT x s
OUT t
RET
FUNC MAIN CONST INT 1 RET
)";
  constexpr const char* kMain = R"(
int main() {
  constexpr i64 kTile = 8 * kThreads, n = 2 * kTile + 2000;
  std::vector<i64> offsets = {0, 100, 2 * kTile + 1000, n};
  std::vector<Heads> heads(n / 32 + 2);
  for (int k = 0; k < 3; ++k) heads[offsets[k] / 32].bits |= u32(1) << offsets[k] % 32;
  for (std::size_t w = 1; w < heads.size(); ++w) heads[w].before = heads[w - 1].before + count_bits(heads[w - 1].bits);
  std::vector<i32> x(n, 1), t(3);
  std::vector<cvl::cuda::BoardWord> words(6);
  Arguments_0 a{};
  a.elements = n;
  a.x_0 = {x.data(), n};
  a.s_1 = {3, n, -1, offsets.data(), heads.data(), nullptr};
  a.t_2 = {t.data(), 3};
  u32 taken = 2;  // by the blocks before
  a.ticket = {&taken, 0};
  a.posts_of_0 = {{words.data(), 1}};
  for (i64 k = 0; k < 2; ++k) {
    a.posts_of_0.put(k, Carry_0_0{{k == 0 ? kTile - 100 : kTile, k == 0}});
    a.posts_of_0.put(3 + k, Carry_0_0{{0, 0}});
  }
  run(a, 2);
  return t[1] == offsets[2] - offsets[1] && t[2] == n - offsets[2] ? 0 : 1;
}
)";
  const vcode::Program program = vcode::testing::read_good(kProgram);
  return {complete_text(generate_kernel(program.kernels[0], {}, {})) + kRun + kMain, {3, 6, 7}, 6};
}

std::vector<BarrierCase> all_cases() { return {look_back_case(), fold_case(), segmented_fold_case()}; }

/// A barrier of a block, but for the one between blocks, which is in the macro LAUNCHED.
constexpr std::string_view kBarrier = " BARRIER();\n";
constexpr int kRaceStatus = 66;

/// The text without the nth barrier.
std::string without(std::string text, int n) {
  std::size_t at = text.find(kBarrier);
  for (int k = 0; k < n; ++k) at = text.find(kBarrier, at + 1);
  return text.erase(at, kBarrier.size());
}

/// The exit status of the text compiled as a program, which ends at the first race.
int status_of(const std::string& text) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/kernel";
  std::ofstream(file + ".cpp") << text;
  const std::string compile = fmt::format(
      "'{}' -std=c++20 -w -O1 -fsanitize=thread -DREAL_THREADS -pthread -o '{}' '{}.cpp'", NESL_CXX, file, file);
  if (std::system(compile.c_str()) != 0) return -1;
  const std::string run =
      fmt::format("TSAN_OPTIONS='halt_on_error=1 exitcode={}' '{}' 2> /dev/null", kRaceStatus, file);
  const int status = std::system(run.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Barriers, OrderAccessesToSharedMemory) {
  for (const BarrierCase& tried : all_cases()) EXPECT_EQ(status_of(tried.text), 0);
}

/// Removes each barrier in turn with NESL_TEST_LONG, else one whose absence no result shows.
TEST(Barriers, AreAllNeeded) {
  const bool is_long = std::getenv("NESL_TEST_LONG") != nullptr;
  for (const BarrierCase& tried : all_cases())
    for (const int n : tried.needed) {
      if (!is_long && n != tried.quick) continue;
      EXPECT_EQ(status_of(without(tried.text, n)), kRaceStatus) << "barrier " << n;
    }
}

}  // namespace
}  // namespace cvl::cuda
