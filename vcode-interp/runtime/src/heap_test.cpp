#include "runtime/heap.h"

#include <gtest/gtest.h>

#include "oracle.h"
#include "separate_memory.h"

namespace runtime {
namespace {

struct HeapTest : testing::Test {
  std::unique_ptr<Backend> device = conformance::make_oracle({});
  Heap heap{*device};
};

TEST_F(HeapTest, ShortVectorsTakeNoDeviceMemoryOfTheirOwn) {
  Value first = Value::adopt(heap.make_vector(ElemType::kF64, kShortLimit));
  const std::size_t live = device->memory_use().live;
  Value second = Value::adopt(heap.make_vector(ElemType::kF64, kShortLimit));
  EXPECT_EQ(device->memory_use().live, live);
  Value long_one = Value::adopt(heap.make_vector(ElemType::kF64, 1000));
  EXPECT_GE(device->memory_use().live, live + 8000);
}

TEST_F(HeapTest, LongVectorsReturnTheirMemoryToTheDevice) {
  Value small = Value::adopt(heap.make_vector(ElemType::kI32, 1));
  const std::size_t live = device->memory_use().live;
  {
    Value v = Value::adopt(heap.make_vector(ElemType::kI32, 100000));
    Value shared = v;
    EXPECT_FALSE(v.is_unique());
    shared.reset();
    EXPECT_TRUE(v.is_unique());
  }
  EXPECT_EQ(device->memory_use().live, live);
}

TEST_F(HeapTest, EmptyVectorsTakeNoMemoryOfADevice) {
  const std::unique_ptr<Backend> separate = conformance::make_separate_memory(conformance::make_oracle({}));
  Heap of_device(*separate);
  const std::size_t live = separate->memory_use().live;
  for (int k = 0; k < 100; ++k) {
    const Value empty = Value::adopt(of_device.make_device_vector(ElemType::kI32, 0));
    EXPECT_EQ(empty.length(), 0);
    (void)of_device.device_data(empty);
    EXPECT_NE(of_device.host_data(empty), nullptr);
    EXPECT_EQ(separate->memory_use().live, live);
  }
}

TEST_F(HeapTest, BorrowedElementsAreReturnedWithTheLastValue) {
  const std::vector<double> numbers(1000, 0.5);
  int returned = 0;
  const Loan loan{[](void* count) { ++*static_cast<int*>(count); }, &returned};
  Value value = Value::adopt(heap.borrow(ElemType::kF64, 1000, numbers.data(), loan));
  EXPECT_EQ(heap.host_data(value), numbers.data());
  EXPECT_EQ(heap.device_data(value), numbers.data());
  EXPECT_FALSE(value.is_unique());  // nothing may be written there
  const std::size_t live = device->memory_use().live;
  Value shared = value;
  value.reset();
  EXPECT_EQ(returned, 0);
  shared.reset();
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(device->memory_use().live, live);
  EXPECT_FALSE(heap.can_borrow(kShortLimit));
  const std::unique_ptr<Backend> separate = conformance::make_separate_memory(conformance::make_oracle({}));
  EXPECT_FALSE(Heap(*separate).can_borrow(1000));
}

TEST_F(HeapTest, BlocksAreRecycled) {
  void* address = nullptr;
  for (int k = 0; k < 100; ++k) {
    Value v = Value::adopt(heap.make_vector(ElemType::kI32, 5));
    if (address == nullptr) address = v.vector();
    EXPECT_EQ(v.vector(), address);
  }
}

TEST_F(HeapTest, DeepPairsAreReleasedWithoutRecursion) {
  for (bool left : {true, false}) {
    Value nest = Value::scalar(1);
    for (int depth = 0; depth < 1000000; ++depth) {
      Value leaf = Value::scalar(depth);
      nest = left ? Value::adopt(heap.make_pair(std::move(nest), std::move(leaf)))
                  : Value::adopt(heap.make_pair(std::move(leaf), std::move(nest)));
    }
  }
}

TEST_F(HeapTest, SharedPartsOutliveTheirPair) {
  Value inner = Value::adopt(heap.make_pair(Value::scalar(1), Value::scalar(2)));
  { Value outer = Value::adopt(heap.make_pair(inner, inner)); }
  ASSERT_TRUE(inner.is_unique());
  EXPECT_EQ(inner.pair()->second.get<int>(), 2);
}

TEST_F(HeapTest, ImpossibleSizesAreRefused) {
  EXPECT_EQ(heap.make_vector(ElemType::kI64, INT64_MAX), nullptr);
  EXPECT_EQ(heap.make_vector(ElemType::kI64, INT64_MAX / 16), nullptr);
}

}  // namespace
}  // namespace runtime
