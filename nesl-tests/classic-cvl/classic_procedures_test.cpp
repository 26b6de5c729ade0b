/// Sequences of related calls of a classic C vector library.

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "classic_heap.h"

namespace classic {
namespace {

Elements run_of_ints(double first, std::size_t n) {
  Elements elements{'z', std::vector<double>(n)};
  for (std::size_t k = 0; k < n; ++k) elements.values[k] = first + static_cast<double>(k);
  return elements;
}

/// Nine vectors of a hundred ints, one after the other; vector k begins with 1000 k.
class ClassicMove : public testing::Test {
 protected:
  ClassicMove() {
    for (int k = 0; k < 9; ++k) write(at(k), run_of_ints(1000 * k, 100));
  }
  vec_p at(int k) const { return add_fov(start_, k * unit_); }
  void expect(int k, int original) const {
    EXPECT_EQ(read(at(k), 'z', 100).values, run_of_ints(1000 * original, 100).values) << "vector " << k;
  }

  Heap heap_;
  int unit_ = siz_foz(100);
  vec_p start_ = heap_.take(9 * unit_);
  vec_p scratch_ = heap_.take(mov_fov_scratch(9 * unit_));
};

TEST_F(ClassicMove, DownwardsWithOverlap) {
  mov_fov(at(0), at(1), 8 * unit_, scratch_);
  for (int k = 0; k < 8; ++k) expect(k, k + 1);
}

TEST_F(ClassicMove, UpwardsWithOverlap) {
  mov_fov(at(1), at(0), 8 * unit_, scratch_);
  expect(0, 0);
  for (int k = 1; k < 9; ++k) expect(k, k - 1);
}

TEST_F(ClassicMove, NothingOrToTheSameAddress) {
  mov_fov(at(0), at(0), 9 * unit_, scratch_);
  mov_fov(at(1), at(0), 0, scratch_);
  for (int k = 0; k < 9; ++k) expect(k, k);
}

TEST_F(ClassicMove, NeedsNoScratch) { EXPECT_EQ(mov_fov_scratch(9 * unit_), 0); }

TEST(ClassicMemory, MovesByOneUnit) {
  Heap heap;
  const vec_p start = heap.take(siz_foz(900) + 1);
  write(add_fov(start, 1), run_of_ints(0, 900));
  mov_fov(start, add_fov(start, 1), siz_foz(900), start);
  EXPECT_EQ(read(start, 'z', 900).values, run_of_ints(0, 900).values);
}

/// Moves by a distance so long that threads share the work.
TEST(ClassicMemory, MovesALongOverlappingRange) {
  constexpr std::size_t kElements = 4000000;
  for (const bool up : {false, true}) {
    Heap heap;
    const int size = siz_foz(kElements), apart = siz_foz(400000);
    const vec_p low = heap.take(size + apart), high = add_fov(low, apart);
    write(up ? low : high, run_of_ints(7, kElements));
    mov_fov(up ? high : low, up ? low : high, size, low);
    EXPECT_EQ(read(up ? high : low, 'z', kElements).values, run_of_ints(7, kElements).values);
  }
}

TEST(ClassicMemory, Handles) {
  Heap heap;
  const vec_p v = heap.take(9), seven = add_fov(v, 7);
  EXPECT_TRUE(eql_fov(add_fov(add_fov(v, 3), 4), seven));
  EXPECT_FALSE(eql_fov(v, add_fov(v, 1)));
  EXPECT_EQ(sub_fov(v, seven), 7);
  EXPECT_EQ(sub_fov(seven, v), 7);
  EXPECT_LT(cmp_fov(v, seven), 0);
  EXPECT_GT(cmp_fov(seven, v), 0);
  EXPECT_EQ(cmp_fov(v, v), 0);
}

TEST(ClassicMemory, NeighbouringVectorsDoNotOverlap) {
  for (int n = 1; n <= 8; ++n) {
    Heap heap;
    const auto count = static_cast<std::size_t>(n);
    const Elements all[] = {{'b', std::vector<double>(count, 1)},
                            run_of_ints(5, count),
                            {'d', std::vector<double>(count, 0.25)},
                            run_of_ints(-3, count)};
    std::vector<vec_p> vectors;
    for (const Elements& elements : all) vectors.push_back(heap.vector(elements.type, n));
    for (std::size_t k = 0; k < 4; ++k) write(vectors[k], all[k]);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(read(vectors[k], all[k].type, n).values, all[k].values) << n;
  }
}

TEST(ClassicMemory, NoMemory) { EXPECT_EQ(alo_foz(-1), vec_p{}); }

TEST(ClassicTimer, Seconds) {
  cvl_timer_t before, after;
  tgt_fos(&before);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  tgt_fos(&after);
  EXPECT_GE(tdf_fos(&after, &before), 0.019);
  EXPECT_EQ(tdf_fos(&before, &after), -tdf_fos(&after, &before));
}

TEST(ClassicPack, InSegments) {
  Heap heap;
  const vec_p x = heap.vector(run_of_ints(0, 10)), f = heap.vector({'b', {1, 0, 1, 1, 0, 0, 1, 0, 1, 1}});
  const vec_p sd = heap.descriptor({3, 0, 5, 2}), kept = heap.vector('z', 4), scratch = heap.take(64);
  pk1_lev(kept, f, sd, 10, 4, scratch);
  EXPECT_EQ(read(kept, 'z', 4).values, (std::vector<double>{2, 0, 2, 2}));
  const int total = add_ruz(kept, 4, scratch);
  ASSERT_EQ(total, 6);
  const vec_p packed_sd = heap.take(siz_fos(total, 4)), packed = heap.vector('z', total);
  mke_fov(packed_sd, kept, total, 4, scratch);
  pk2_lez(packed, x, f, sd, 10, 4, packed_sd, total, 4, scratch);
  EXPECT_EQ(read(packed, 'z', total).values, (std::vector<double>{0, 2, 3, 6, 8, 9}));
  EXPECT_EQ(read_descriptor(packed_sd, total, 4, heap).values, (std::vector<double>{2, 0, 2, 2}));
}

TEST(ClassicRandom, SeedsRepeat) {
  Heap heap;
  const vec_p bounds = heap.vector({'z', std::vector<double>(8, 1000000)}), d = heap.vector('z', 8);
  const auto draw = [&] {
    rnd_wuz(d, bounds, 8, d);
    return read(d, 'z', 8).values;
  };
  rnd_foz(5);
  const auto first = draw(), second = draw();
  EXPECT_NE(first, second);
  rnd_foz(5);
  EXPECT_EQ(draw(), first);
  EXPECT_EQ(draw(), second);
  rnd_foz(6);
  EXPECT_NE(draw(), first);
}

/// The classic interpreter calls the companions of ranks with one argument, and those of mke_fov in both orders.
TEST(ClassicScratch, ToleratesTheArgumentsOfTheClassicInterpreter) {
  for (int (*scratch)(int, int) : {rku_lez_scratch, rkd_lez_scratch, rku_led_scratch, rkd_led_scratch})
    for (const int m : {0, 1, -7, 1000000000}) EXPECT_EQ(scratch(1000, m), scratch(1000, 1000));
  EXPECT_EQ(mke_fov_scratch(1000, 10), mke_fov_scratch(10, 1000));
  // The interpreter keeps the destination's handle while it allocates scratch, for which it may move the heap.
  EXPECT_EQ(cpy_wuz_scratch(9) + cpy_wub_scratch(9) + cpy_wud_scratch(9) + cpy_wus_scratch(9, 2), 0);
  EXPECT_EQ(rep_vuz_scratch(9) + rep_vub_scratch(9) + rep_vud_scratch(9), 0);
  EXPECT_EQ(c2v_fuz_scratch(9) + c2v_fub_scratch(9) + c2v_fud_scratch(9), 0);
}

/// Permutes with a target for each element use another algorithm than permutes whose targets repeat.
TEST(ClassicPermute, LastOfSeveralElementsStays) {
  constexpr std::size_t kElements = 300000;
  Heap heap;
  Elements places = run_of_ints(0, kElements), expected = run_of_ints(0, kElements);
  places.values[5] = 3;
  places.values[kElements - 1] = 3;
  places.values[200000] = 199999;
  const vec_p s = heap.vector(run_of_ints(0, kElements)), i = heap.vector(places);
  Elements before{'z', std::vector<double>(kElements, -1)};
  const vec_p d = heap.vector(before);
  smp_puz(d, s, i, kElements, d);
  expected.values[3] = kElements - 1;
  expected.values[5] = expected.values[kElements - 1] = expected.values[200000] = -1;
  expected.values[199999] = 200000;
  EXPECT_EQ(read(d, 'z', kElements).values, expected.values);
}

TEST(ClassicElementwise, ShiftsByMoreThanAllBits) {
  Heap heap;
  const vec_p a = heap.vector({'z', {1, 1, -8}}), b = heap.vector({'z', {32, 33, -31}}), d = heap.vector('z', 3);
  lsh_wuz(d, a, b, 3, d);
  EXPECT_EQ(read(d, 'z', 3).values, (std::vector<double>{1, 2, -16}));
  rsh_wuz(b, a, b, 3, d);
  EXPECT_EQ(read(b, 'z', 3).values, (std::vector<double>{1, 0, -4}));
}

/// The error may be known only when the client reads a value.
TEST(ClassicDeathTest, StopsWithAMessage) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  Heap heap;
  const vec_p x = heap.vector({'z', {4, -2147483647 - 1.0}}), zeros = heap.vector({'z', {1, 0}});
  const vec_p minus = heap.vector({'z', {-1, -1}}), d = heap.vector('z', 9), far = heap.vector({'z', {0, 2}});
  const vec_p flags = heap.vector({'b', {1, 0}});
  const auto stops = testing::ExitedWithCode(1);
  const auto get = [&] { read(d, 'z', 2); };
  EXPECT_EXIT((div_wuz(d, x, zeros, 2, d), get()), stops, "cvl: div_wuz: division by zero in element 1");
  EXPECT_EXIT((mod_wuz(d, x, zeros, 2, d), get()), stops, "cvl: mod_wuz: division by zero in element 1");
  EXPECT_EXIT((div_wuz(d, x, minus, 2, d), get()), stops, "cvl: div_wuz: the least integer divided by -1 in element 1");
  EXPECT_EXIT((rnd_wuz(d, zeros, 2, d), get()), stops, "cvl: rnd_wuz: the bound of a random number is 0 in element 1");
  EXPECT_EXIT((bck_puz(d, x, far, 2, 2, d), get()), stops,
              "cvl: bck_puz: index 2 in element 1 is outside its segment, which has length 2");
  EXPECT_EXIT((smp_puz(d, x, far, 2, d), get()), stops, "cvl: smp_puz: index 2 in element 1 is outside its segment");
  EXPECT_EXIT(pk2_luz(d, x, flags, 2, 2, d), stops, "1 flags are true, but the result has room for 2 elements");
}

}  // namespace
}  // namespace classic
