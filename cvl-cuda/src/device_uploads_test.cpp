#include <gtest/gtest.h>

#include <vector>

#include "backend_fixture.h"

// Copies to the device, and what they wait for.

namespace cvl::cuda {
namespace {

TEST_F(BackendTest, UploadsAreCounted) {
  EXPECT_EQ(backend.traffic(), "1 launches, 0 waits, 0 uploads, 0 bytes to the device, 0 bytes from it");
  const Vector<int> a(backend, iota(1000)), none(backend, std::vector<int>());
  EXPECT_EQ(a.first(), 0);
  EXPECT_EQ(backend.traffic(),
            "1 launches, 1 waits, 1 uploads, 4000 bytes to the device, 4 bytes from it; waits: 1 for values");
}

TEST_F(BackendTest, ShortUploadsTravelWithTheNextLaunch) {
  constexpr int n = Deliveries::kMost;
  std::vector<std::unique_ptr<Vector<int>>> vectors;
  const Vector<int> sum(backend, 50);
  const Traffic before = backend.counters();
  for (int k = 0; k < n; ++k)
    vectors.push_back(std::make_unique<Vector<int>>(backend, std::vector<int>(k % 20 + 1, k)));
  for (int k = 0; k < n; ++k) {
    EXPECT_EQ(launches(), before.launches);
    const Operand operands[] = {*vectors[static_cast<std::size_t>(k)], *vectors[static_cast<std::size_t>(k)]};
    if (k < 10)
      backend.run(Elementwise{Op::kAdd, operands, {ElemType::kI32, k % 20 + 1, const_cast<void*>(sum.data())}});
  }
  EXPECT_EQ(sum.first(), 2 * 9);
  EXPECT_EQ(launches() - before.launches, 1u);
  for (int k = 0; k < n; ++k) EXPECT_EQ(vectors[static_cast<std::size_t>(k)]->first(), k);
  EXPECT_EQ(backend.counters().uploads, before.uploads);
  int bytes = 0;
  for (int k = 0; k < n; ++k) bytes += 4 * (k % 20 + 1);
  EXPECT_EQ(backend.counters().bytes_up - before.bytes_up, static_cast<std::uint64_t>(bytes));
}

TEST_F(BackendTest, UploadsWithoutRoomOrOfManyBytesDoNotWaitForALaunch) {
  const Traffic before = backend.counters();
  std::vector<std::unique_ptr<Vector<int>>> vectors;
  for (int k = 0; k <= Deliveries::kMost; ++k)
    vectors.push_back(std::make_unique<Vector<int>>(backend, std::vector<int>{k}));
  EXPECT_EQ(launches() - before.launches, 1u);
  EXPECT_EQ(vectors.back()->first(), Deliveries::kMost);
  EXPECT_EQ(launches() - before.launches, 2u);
  EXPECT_EQ(backend.counters().uploads, before.uploads);
  constexpr int kLong = Deliveries::kMostBytes / sizeof(int) + 1;
  const Vector<int> a(backend, iota(kLong));
  EXPECT_EQ(backend.counters().uploads - before.uploads, 1u);
  EXPECT_EQ(launches() - before.launches, 2u);
  // Memory that does not begin at a word.
  const int two = 2;
  backend.upload(static_cast<int*>(const_cast<void*>(a.data())) + 1, &two, sizeof two);
  EXPECT_EQ(backend.counters().uploads - before.uploads, 2u);
  std::vector<int> read(2);
  backend.download(read.data(), a.data(), 8);
  EXPECT_EQ(read, (std::vector{0, 2}));
}

TEST_F(BackendTest, UploadsToTheSameMemoryAreInOrder) {
  const Vector<int> a(backend, std::vector<int>{1, 2, 3}), r(backend, 3);
  const Operand operands[] = {a, a};
  backend.run(Elementwise{Op::kAdd, operands, r});
  backend.upload(const_cast<void*>(a.data()), iota(3).data(), 12);
  backend.upload(const_cast<void*>(a.data()), std::vector<int>{7}.data(), 4);
  EXPECT_EQ(r.first(), 2);
  EXPECT_EQ(a.first(), 7);
}

/// The values of the host that they are copies of remain valid when the operation fails.
TEST_F(BackendTest, ShortUploadsAreDoneEvenIfTheLaunchFails) {
  const Vector<int> r(backend, 3);
  backend.flush();
  const Vector<int> a(backend, std::vector<int>{5, 6, 7});
  const Operand operands[] = {a, a};
  backend.run(Elementwise{Op::kAdd, operands, r});
  backend.executor().refuse_launch(1);
  backend.flush();
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kOutOfMemory);
  EXPECT_EQ(a.first(), 5);
}

TEST_F(BackendTest, UploadsToNewMemoryLeaveABatchPending) {
  const Vector<int> a(backend, iota(50)), r(backend, 50);
  const std::uint64_t before = launches();
  for (int round = 0; round < 5; ++round) {
    const Vector<int> b(backend, iota(50));  // given back while the step that reads it waits
    const Operand operands[] = {a, b};
    backend.run(Elementwise{Op::kAdd, operands, r});
  }
  EXPECT_EQ(launches(), before);
  EXPECT_EQ(r.first(), 0);
  EXPECT_EQ(launches() - before, 1u);
  const std::size_t live = backend.memory_use().live;
  { const Vector<int> b(backend, iota(50)); }
  EXPECT_EQ(backend.memory_use().live, live);
}

}  // namespace
}  // namespace cvl::cuda
