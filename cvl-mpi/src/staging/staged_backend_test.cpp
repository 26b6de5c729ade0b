#include "staging/staged_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cvl/fold_order.h"
#include "cvl/loader.h"

namespace cvl::mpi {
namespace {

std::unique_ptr<Backend> load(const std::string& library, const BackendOptions& options) {
  std::string error;
  std::unique_ptr<Backend> backend = load_backend(library, {CVL_LIBRARY_FOLDER}, options, error);
  if (backend == nullptr) throw std::runtime_error(error);
  return backend;
}

struct StagedBackendTest : testing::Test {
  explicit StagedBackendTest(std::size_t memory = 0)
      : backend(load("cuda-host", {.memory_limit = memory}), load("cpu", {.threads = 1})) {}
  ~StagedBackendTest() override {
    for (const auto& [data, bytes] : blocks) backend.deallocate(data, bytes);
  }

  template <class T>
  Result fresh(std::int64_t length) {
    const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(T);
    blocks.emplace_back(backend.allocate(bytes), bytes);
    return {vcode::kElemTypeOf<T>, length, blocks.back().first};
  }
  template <class T>
  Result place(const std::vector<T>& elements) {
    const Result vector = fresh<T>(std::ssize(elements));
    backend.upload(vector.data, elements.data(), elements.size() * sizeof(T));
    return vector;
  }
  template <class T>
  std::vector<T> read(const Result& vector) {
    std::vector<T> elements(static_cast<std::size_t>(vector.length));
    backend.download(elements.data(), vector.data, elements.size() * sizeof(T));
    return elements;
  }
  static Operand operand(const Result& vector) { return {vector.type, vector.length, vector.data}; }
  static Result part(const Result& vector, std::int64_t begin, std::int64_t end) {
    return {vector.type, end - begin,
            static_cast<std::byte*>(vector.data) + static_cast<std::size_t>(begin) * elem_size(vector.type)};
  }
  void add(const Result& a, const Result& b, const Result& sum) {
    const Operand operands[] = {operand(a), operand(b)};
    backend.run(Elementwise{Op::kAdd, operands, sum});
  }
  std::vector<std::int64_t> transfers() const {
    const Transfers& all = backend.transfers();
    return {all.uploads, all.uploaded_bytes, all.downloads, all.downloaded_bytes};
  }

  StagedBackend backend;
  std::vector<std::pair<void*, std::size_t>> blocks;
};

std::vector<std::int32_t> numbers(int n) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST_F(StagedBackendTest, AVectorIsCopiedOnceToTheDeviceAndOnceFromThere) {
  const Result a = place(numbers(1000)), b = fresh<std::int32_t>(1000);
  add(a, a, b);
  add(b, a, b);
  add(b, b, a);
  EXPECT_EQ(transfers(), (std::vector<std::int64_t>{1, 4000, 0, 0}));
  for (int k = 0; k < 2; ++k) EXPECT_EQ(read<std::int32_t>(a)[999], 6 * 999);
  EXPECT_EQ(transfers(), (std::vector<std::int64_t>{1, 4000, 1, 4000}));
  EXPECT_EQ(read<std::int32_t>(part(b, 500, 501))[0], 1500);
  EXPECT_EQ(transfers(), (std::vector<std::int64_t>{1, 4000, 2, 4004}));
}

TEST_F(StagedBackendTest, WhatTheHostWritesIsCopiedAgain) {
  const Result a = place(numbers(100)), b = fresh<std::int32_t>(100);
  add(a, a, b);
  const Result middle = part(b, 10, 20);
  backend.before_writing(middle.data, 40);
  std::memset(middle.data, 0, 40);
  add(b, a, b);
  std::vector<std::int32_t> expected(100);
  for (int e = 0; e < 100; ++e) expected[static_cast<std::size_t>(e)] = e / 10 == 1 ? e : 3 * e;
  EXPECT_EQ(read<std::int32_t>(b), expected);
}

// Random reads and writes of the host, and operations of the device, on parts of one vector.
TEST_F(StagedBackendTest, PartsHaveTheirLastElements) {
  constexpr int kLength = 200;
  std::mt19937 random(7);
  const Result vector = place(numbers(kLength)), ones = place(std::vector<std::int32_t>(kLength, 1));
  std::vector<std::int32_t> expected = numbers(kLength);
  auto* const elements = static_cast<std::int32_t*>(vector.data);
  for (int step = 0; step < 3000; ++step) {
    const int begin = static_cast<int>(random() % kLength);
    const int end = begin + static_cast<int>(random() % static_cast<unsigned>(kLength + 1 - begin));
    const Result range = part(vector, begin, end);
    const auto bytes = static_cast<std::size_t>(range.length) * sizeof(std::int32_t);
    switch (random() % 4) {
      case 0:
        backend.before_reading(range.data, bytes);
        for (int e = begin; e < end; ++e) ASSERT_EQ(elements[e], expected[static_cast<std::size_t>(e)]) << step;
        break;
      case 1:
        backend.before_writing(range.data, bytes);
        for (int e = begin; e < end; ++e) expected[static_cast<std::size_t>(e)] = elements[e] = step;
        break;
      default:
        add(range, part(ones, 0, end - begin), range);
        for (int e = begin; e < end; ++e) ++expected[static_cast<std::size_t>(e)];
    }
  }
  EXPECT_EQ(read<std::int32_t>(vector), expected);
}

TEST_F(StagedBackendTest, DescriptorsAreExpandedForTheDeviceOnce) {
  const Result a = place(numbers(300)), greatest = fresh<std::int32_t>(4);
  const Result offsets = place(std::vector<std::int64_t>{0, 100, 100, 120, 300});
  const auto reduce = [&] {
    backend.run(
        Reduce{Monoid::kMax, operand(a), {4, 300, -1, static_cast<const std::int64_t*>(offsets.data)}, greatest});
  };
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  reduce();
  EXPECT_EQ(read<std::int32_t>(greatest), (std::vector<std::int32_t>{99, kLeast, 119, 299}));
  const std::int64_t uploads = backend.transfers().uploads;
  reduce();
  EXPECT_EQ(backend.transfers().uploads, uploads);
  const std::int64_t others[] = {0, 10, 20, 30, 300};
  backend.upload(offsets.data, others, sizeof others);
  reduce();
  EXPECT_EQ(read<std::int32_t>(greatest), (std::vector<std::int32_t>{9, 19, 29, 299}));
}

TEST_F(StagedBackendTest, SumsOfFloatsHaveTheBitsOfTheHost) {
  std::vector<double> values(10000);
  for (std::size_t e = 0; e < values.size(); ++e) values[e] = 1.0 / static_cast<double>(e + 1);
  const Result a = place(values), doubled = fresh<double>(10000), sum = fresh<double>(1);
  add(a, a, doubled);
  backend.run(Reduce{Monoid::kSum, operand(doubled), SegmentDescriptor::single(10000), sum});
  for (double& value : values) value *= 2;
  EXPECT_EQ(read<double>(sum)[0], (fold_in_order<vcode::monoids::Sum>(values.data(), 10000)));
}

TEST_F(StagedBackendTest, FaultsOfTheDeviceAreFound) {
  const Result a = place(numbers(100)), b = fresh<std::int32_t>(100);
  const Operand operands[] = {operand(a), operand(a)};
  backend.set_site(17);
  backend.run(Elementwise{Op::kDivide, operands, b});
  const Fault fault = backend.take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kDivideByZero);
  EXPECT_EQ(fault.site, 17u);
  EXPECT_EQ(fault.position, 0);
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
}

constexpr std::size_t kLittleMemory = 1 << 20;
struct LittleMemory : StagedBackendTest {
  LittleMemory() : StagedBackendTest(kLittleMemory) {}
};

TEST_F(LittleMemory, CopiesMakeRoomForOthers) {
  // Forty vectors of 80 KB.
  constexpr int kVectors = 40, kLength = 20000;
  std::vector<Result> vectors{place(numbers(kLength))};
  for (int k = 1; k < kVectors; ++k) {
    vectors.push_back(fresh<std::int32_t>(kLength));
    add(vectors[static_cast<std::size_t>(k - 1)], vectors[0], vectors.back());
  }
  for (int k = 0; k < kVectors; ++k)
    ASSERT_EQ(read<std::int32_t>(vectors[static_cast<std::size_t>(k)])[100], 100 * (k + 1)) << k;
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kNone);
}

TEST_F(LittleMemory, AnOperationWithoutMemoryIsAtFault) {
  const Result a = place(numbers(1 << 18)), b = fresh<std::int32_t>(1 << 18);
  add(a, a, b);
  EXPECT_EQ(backend.take_fault().kind, FaultKind::kOutOfMemory);
}

}  // namespace
}  // namespace cvl::mpi
