#include "layout/held_vectors.h"

#include <gtest/gtest.h>

namespace cvl::mpi {
namespace {

TEST(HeldVectors, AreFoundByAnyOfTheirBytes) {
  std::byte memory[400];
  HeldVectors held;
  held.add({memory + 100, 4, 25});
  EXPECT_TRUE(held.has(memory + 100, 4, 25));
  EXPECT_FALSE(held.has(memory + 100, 8, 25));
  EXPECT_FALSE(held.has(memory + 100, 4, 24));
  EXPECT_EQ(held.find(memory, 100), nullptr);
  EXPECT_NE(held.find(memory, 101), nullptr);
  EXPECT_NE(held.find(memory + 199, 1), nullptr);
  EXPECT_EQ(held.find(memory + 200, 200), nullptr);
  EXPECT_EQ(held.find(memory + 150, 0), nullptr);
}

TEST(HeldVectors, ReplaceThoseThatTheyOverlap) {
  std::byte memory[400];
  HeldVectors held;
  held.add({memory, 4, 25});
  held.add({memory + 100, 4, 25});
  held.add({memory + 96, 1, 8});
  EXPECT_FALSE(held.has(memory, 4, 25));
  EXPECT_FALSE(held.has(memory + 100, 4, 25));
  EXPECT_TRUE(held.has(memory + 96, 1, 8));
  held.add({memory + 96, 8, 1});
  EXPECT_TRUE(held.has(memory + 96, 8, 1));
  held.remove(memory, 400);
  EXPECT_EQ(held.find(memory, 400), nullptr);
}

TEST(HeldVectors, ForgetThoseThatAreCovered) {
  std::byte memory[400];
  HeldVectors held;
  for (const std::size_t begin : {0, 100, 200, 300}) held.add({memory + begin, 4, 25});
  held.remove_covered(memory + 50, 249);
  EXPECT_TRUE(held.has(memory, 4, 25));
  EXPECT_FALSE(held.has(memory + 100, 4, 25));
  EXPECT_TRUE(held.has(memory + 200, 4, 25));
  held.remove_covered(memory + 200, 200);
  EXPECT_FALSE(held.has(memory + 200, 4, 25));
  EXPECT_FALSE(held.has(memory + 300, 4, 25));
}

TEST(HeldVectors, BecomeWholeWhenMessagesHaveCostAsMuch) {
  std::byte memory[400];
  HeldVectors held(150);
  held.add({memory, 4, 25});
  held.add({memory + 100, 4, 25});
  EXPECT_FALSE(held.spend(memory, 60));
  EXPECT_TRUE(held.spend(memory, 60));
  held.set_whole(memory, true);
  EXPECT_TRUE(held.is_whole(memory, 4, 25));
  EXPECT_FALSE(held.is_whole(memory, 4, 24));
  // Both would have more bytes than whole vectors may have.
  EXPECT_FALSE(held.can_be_whole(memory + 100));
  EXPECT_FALSE(held.spend(memory + 100, 200));
  // Another vector in the same memory is not whole, and nothing has been spent for it.
  held.add({memory, 4, 25});
  EXPECT_FALSE(held.is_whole(memory, 4, 25));
  EXPECT_FALSE(held.spend(memory, 60));
  EXPECT_TRUE(held.spend(memory + 100, 0));
  held.set_whole(memory + 100, true);
  held.remove(memory, 400);
  held.add({memory, 4, 25});
  EXPECT_TRUE(held.can_be_whole(memory));
}

}  // namespace
}  // namespace cvl::mpi
