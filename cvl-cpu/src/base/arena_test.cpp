#include "base/arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace cvl::cpu {
namespace {

constexpr std::size_t kMiB = 1 << 20;

TEST(Arena, ReusesFreedMemory) {
  Arena arena(1024 * kMiB);
  for (std::size_t bytes : {std::size_t{1}, std::size_t{64}, std::size_t{5000}, std::size_t{100000}, 7 * kMiB}) {
    void* first = arena.allocate(bytes);
    ASSERT_NE(first, nullptr);
    arena.deallocate(first, bytes);
    EXPECT_EQ(arena.allocate(bytes), first) << bytes;
    arena.deallocate(first, bytes);
  }
  EXPECT_EQ(arena.use().live, 0u);
}

TEST(Arena, EnforcesTheLimit) {
  Arena arena(10 * kMiB);
  void* a = arena.allocate(6 * kMiB);
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(arena.allocate(5 * kMiB), nullptr);
  EXPECT_EQ(arena.allocate(SIZE_MAX - 100), nullptr);
  void* b = arena.allocate(4 * kMiB);
  EXPECT_NE(b, nullptr);
  EXPECT_EQ(arena.use().peak, 10 * kMiB);
}

TEST(Arena, JoinsNeighboursFreedInAnyOrder) {
  Arena arena(64 * kMiB);
  std::vector<void*> blocks;
  for (int k = 0; k < 32; ++k) blocks.push_back(arena.allocate(kMiB));
  void* guard = arena.allocate(kMiB);
  for (int k : {3, 1, 2, 0}) arena.deallocate(blocks[k], kMiB);
  EXPECT_EQ(arena.allocate(4 * kMiB), blocks[0]);
  EXPECT_NE(guard, nullptr);
}

/// Random allocations keep their contents and never overlap, and the memory held stays within its bound.
TEST(Arena, KeepsContentsUnderRandomUse) {
  struct Block {
    unsigned char* data;
    std::size_t bytes;
    unsigned char fill;
  };
  Arena arena(512 * kMiB);
  std::mt19937 random(1);
  std::vector<Block> blocks;
  for (int step = 0; step < 20000; ++step) {
    if (random() % 2 == 0 || blocks.empty()) {
      const std::size_t bytes = std::size_t{1} << random() % 22 | random() % 5000;
      auto* data = static_cast<unsigned char*>(arena.allocate(bytes));
      if (data == nullptr) continue;
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0u);
      const auto fill = static_cast<unsigned char>(random());
      std::memset(data, fill, bytes);
      blocks.push_back({data, bytes, fill});
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      const Block b = blocks.back();
      blocks.pop_back();
      ASSERT_EQ(b.data[0], b.fill);
      ASSERT_EQ(b.data[b.bytes / 2], b.fill);
      ASSERT_EQ(b.data[b.bytes - 1], b.fill);
      arena.deallocate(b.data, b.bytes);
    }
    ASSERT_LE(arena.use().held, arena.use().peak * 5 / 4 + 33 * kMiB);
  }
}

/// A phase of small vectors followed by one of large ones does not hold both.
TEST(Arena, ReturnsHolesToTheSystem) {
  Arena arena(2048 * kMiB);
  std::vector<void*> blocks;
  for (std::size_t bytes : {std::size_t{1024}, std::size_t{61440}, kMiB, 400 * kMiB}) {
    for (std::size_t total = 0; total < 400 * kMiB; total += bytes) {
      blocks.push_back(arena.allocate(bytes));
      ASSERT_NE(blocks.back(), nullptr);
    }
    for (void* b : blocks) arena.deallocate(b, bytes);
    blocks.clear();
    EXPECT_LE(arena.use().held, 533 * kMiB) << bytes;
  }
  // Every other block of 1 MiB survives while a large vector needs memory.
  for (int k = 0; k < 400; ++k) blocks.push_back(arena.allocate(kMiB));
  for (int k = 0; k < 400; k += 2) arena.deallocate(blocks[k], kMiB);
  EXPECT_NE(arena.allocate(200 * kMiB), nullptr);
  EXPECT_LE(arena.use().held, 533 * kMiB);
}

}  // namespace
}  // namespace cvl::cpu
