// The barriers of generated kernels, with a thread of the host for each thread of a block. The thread sanitizer reports
// accesses that no barrier orders, however the threads run.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "generated/generated_kernel.h"
#include "scratch_folder.h"
#include "vcode_testing.h"

namespace cvl::cuda {
namespace {

/// A kernel with sums and look-back in both phases.
constexpr const char* kProgram = R"(FCODE 1
KERNEL 0 scan (x INT s SEGDES) OVER x
b = +_SCAN INT x s
m = MAX_REDUCE INT b s
OUT b m
RET
FUNC MAIN CONST INT 1 RET
)";

/// Runs one tile behind many whose results are posted, so that the look-back takes all its paths.
constexpr const char* kMain = R"(
int main() {
  constexpr i64 tile = 2 * 1024 + 3 * 32 + 5, n = (tile + 1) * kTile + 17, tiles = tile + 2;
  constexpr i64 groups = tiles, outers = groups + tiles / 32, posts = outers + tiles / 1024;
  std::vector<i32> x(n, 1), b(n), m(1);
  std::vector<BoardWord> words(2 * posts, BoardWord{0, 0, 1});
  std::vector<Carry_0_0> sums(posts);
  std::vector<Carry_0_1> largest(posts);
  for (i64 k = 0; k < posts; ++k) {
    const i64 before = k < groups ? kTile : k < outers ? 32 * kTile : (k - outers + 1) * 1024 * kTile;
    sums[k] = {{i32(before), false}};
    largest[k] = {{0, false}};
  }
  words[tile].epoch = words[posts + tile].epoch = 0;
  Arguments_0 a{};
  a.elements = n;
  a.x_0 = {x.data(), n};
  a.s_1 = {1, n, n, nullptr, nullptr, nullptr};
  a.b_2 = {b.data(), n};
  a.m_3 = {m.data(), 1};
  a.posts_of_0 = {words.data(), 1, sums.data()};
  a.posts_of_1 = {words.data() + posts, 1, largest.data()};
  {
    Shared_0 shared;
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        this_thread = t;
        kernel_0_block(a, tile, shared);
      });
  }
  for (i64 e = tile * kTile; e < (tile + 1) * kTile; ++e)
    if (b[e] != e) return 1;
  return 0;
}
)";
constexpr std::string_view kBarrier =
    "BARRIER();\n";  // except the barrier between blocks, which is in the macro LAUNCHED
/// Barriers in sum_tile(), in look_back(), and between the phases.
constexpr int kBarriers = 6;
constexpr int kRaceStatus = 66;

std::string program_text() {
  const vcode::Program program = vcode::testing::read_good(kProgram);
  return generate_program(program, {}) + kMain;
}

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

TEST(Barriers, OrderAccessesToSharedMemory) { EXPECT_EQ(status_of(program_text()), 0); }

/// Removes each barrier in turn with NESL_TEST_LONG, else one whose absence no result shows.
TEST(Barriers, AreAllNeeded) {
  const bool is_long = std::getenv("NESL_TEST_LONG") != nullptr;
  for (int n = 0; n < kBarriers; ++n) {
    if (!is_long && n != 3) continue;
    EXPECT_EQ(status_of(without(program_text(), n)), kRaceStatus) << "barrier " << n;
  }
}

}  // namespace
}  // namespace cvl::cuda
