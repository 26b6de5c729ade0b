#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "configuration.h"
#include "cvl/shared_device.h"

// Allocation, accounting and limits, and services around the operations: transfers, sites, faults.

namespace cvl::conformance {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::unique_ptr<Backend> limited(std::size_t bytes) {
  BackendOptions options = configuration().options;
  options.memory_limit = bytes;
  return configuration().create(options);
}

TEST(Memory, IsAlignedAndAccountedFor) {
  auto backend = configuration().create(configuration().options);
  EXPECT_EQ(backend->memory_use().live, 0u);
  std::vector<std::pair<void*, std::size_t>> blocks;
  std::size_t asked = 0;
  for (std::size_t bytes : {1u, 7u, 64u, 65u, 4096u, 4097u, 100000u, 3000000u}) {
    blocks.emplace_back(backend->allocate(bytes), bytes);
    asked += bytes;
    ASSERT_NE(blocks.back().first, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back().first) % 64, 0u) << bytes;
  }
  MemoryUse use = backend->memory_use();
  EXPECT_GE(use.live, asked);
  EXPECT_LE(use.live, 2 * asked + blocks.size() * 4096) << "more than rounding up explains";
  EXPECT_GE(use.held, use.live);
  EXPECT_GE(use.peak, use.live);
  EXPECT_GE(use.limit, use.live);
  for (auto [data, bytes] : blocks) backend->deallocate(data, bytes);
  EXPECT_EQ(backend->memory_use().live, 0u);
  EXPECT_EQ(backend->memory_use().peak, use.peak);
}

TEST(Memory, BlocksDoNotOverlap) {
  auto backend = configuration().create(configuration().options);
  Rng rng = configuration().rng("blocks");
  struct Owned {
    void* data;
    std::size_t bytes;
    unsigned char fill;
  };
  std::vector<Owned> blocks;
  auto check_and_free = [&](std::size_t which) {
    Owned block = blocks[which];
    std::vector<unsigned char> content(block.bytes);
    backend->download(content.data(), block.data, block.bytes);
    for (unsigned char c : content) ASSERT_EQ(c, block.fill);
    backend->deallocate(block.data, block.bytes);
    blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(which));
  };
  for (int step = 0; step < 2000; ++step) {
    if (blocks.size() > 50 || (!blocks.empty() && rng.chance(0.4))) {
      check_and_free(static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(blocks.size()))));
      continue;
    }
    auto bytes = static_cast<std::size_t>(1 + rng.below(std::int64_t{1} << rng.below(18)));
    auto fill = static_cast<unsigned char>(rng.next());
    void* data = backend->allocate(bytes);
    ASSERT_NE(data, nullptr);
    std::vector<unsigned char> content(bytes, fill);
    backend->upload(data, content.data(), bytes);
    blocks.push_back({data, bytes, fill});
  }
  while (!blocks.empty()) check_and_free(blocks.size() - 1);
  EXPECT_EQ(backend->memory_use().live, 0u);
}

TEST(Memory, NothingCanBeAllocated) {
  auto backend = configuration().create(configuration().options);
  void* data = backend->allocate(0);
  backend->upload(data, nullptr, 0);
  backend->download(nullptr, data, 0);
  if (data != nullptr) backend->deallocate(data, 0);
  EXPECT_EQ(backend->memory_use().live, 0u);
}

TEST(Memory, OfADeviceIsSharedWithOthers) {
  auto backend = configuration().create(configuration().options);
  auto* const shared = dynamic_cast<SharedDevice*>(backend.get());
  if (shared == nullptr) return;
  EXPECT_EQ(shared->device().type, DeviceId::kCuda);
  constexpr std::size_t kShift = 8, kBytes = 8000;  // no multiple of the alignment of blocks
  auto* const from = static_cast<unsigned char*>(backend->allocate(kShift + kBytes));
  auto* const to = static_cast<unsigned char*>(backend->allocate(kBytes));
  std::vector<unsigned char> given(kBytes), copied(kBytes);
  for (std::size_t k = 0; k < kBytes; ++k) given[k] = static_cast<unsigned char>(k * 7 + k / 251);
  backend->upload(from + kShift, given.data(), kBytes);
  shared->await_stream(1);
  shared->copy(to, from + kShift, kBytes);
  shared->await_all();
  backend->download(copied.data(), to, kBytes);
  EXPECT_EQ(copied, given);
  EXPECT_TRUE(shared->can_read(to));
  EXPECT_FALSE(shared->can_read(given.data()));
  backend->deallocate(from, kShift + kBytes);
  backend->deallocate(to, kBytes);
}

TEST(Memory, LimitIsHonoured) {
  auto backend = limited(64 * kMiB);
  EXPECT_EQ(backend->memory_use().limit, 64 * kMiB);
  EXPECT_EQ(backend->allocate(65 * kMiB), nullptr);
  EXPECT_EQ(backend->allocate(std::size_t{1} << 46), nullptr);
  EXPECT_EQ(backend->allocate(std::numeric_limits<std::size_t>::max() - 5), nullptr);
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    while (void* data = backend->allocate(kMiB)) {
      blocks.push_back(data);
      ASSERT_LE(blocks.size(), 64u);
    }
    EXPECT_GE(blocks.size(), 60u) << "the limit is reached too early";
    EXPECT_LE(backend->memory_use().live, 64 * kMiB);
    for (void* data : blocks) backend->deallocate(data, kMiB);
    EXPECT_EQ(backend->memory_use().live, 0u);
    // Freed blocks must not count against the limit when a block of another size is allocated.
    void* large = backend->allocate(60 * kMiB);
    ASSERT_NE(large, nullptr);
    backend->deallocate(large, 60 * kMiB);
  }
  EXPECT_LE(backend->memory_use().peak, 64 * kMiB);
}

TEST(Memory, OperationsSurviveAFullMemory) {
  auto backend = limited(16 * kMiB);
  constexpr std::int64_t kLength = 500000;
  Operand keys{ElemType::kI32, kLength, backend->allocate(kLength * 4)};
  Result ranks{ElemType::kI32, kLength, backend->allocate(kLength * 4)};
  ASSERT_NE(keys.data, nullptr);
  ASSERT_NE(ranks.data, nullptr);
  std::vector<std::int32_t> host(kLength);
  for (std::int64_t e = 0; e < kLength; ++e) host[e] = static_cast<std::int32_t>(kLength - e);
  backend->upload(const_cast<void*>(keys.data), host.data(), kLength * 4);
  std::vector<std::pair<void*, std::size_t>> fill;
  for (std::size_t bytes = 8 * kMiB; bytes >= 64; bytes /= 2) {
    while (void* data = backend->allocate(bytes)) {
      fill.emplace_back(data, bytes);
      // A library without a limit must not take the machine's memory.
      ASSERT_LE(backend->memory_use().live, 16 * kMiB);
    }
  }
  backend->run(Rank{false, keys, SegmentDescriptor::single(kLength), ranks});
  Fault fault = backend->take_fault();
  EXPECT_TRUE(fault.kind == FaultKind::kNone || fault.kind == FaultKind::kOutOfMemory);
  if (fault.kind == FaultKind::kOutOfMemory) {
    EXPECT_GT(fault.value, 0) << "the bytes asked for";
  }
  for (auto [data, bytes] : fill) backend->deallocate(data, bytes);
  backend->run(Rank{false, keys, SegmentDescriptor::single(kLength), ranks});
  EXPECT_EQ(backend->take_fault().kind, FaultKind::kNone);
  backend->download(host.data(), ranks.data, kLength * 4);
  EXPECT_EQ(host[0], kLength - 1);
  EXPECT_EQ(host[kLength - 1], 0);
  backend->deallocate(const_cast<void*>(keys.data), kLength * 4);
  backend->deallocate(ranks.data, kLength * 4);
  EXPECT_EQ(backend->memory_use().live, 0u);
}

TEST(Faults, TheFirstOneIssuedIsReportedOnce) {
  auto backend = configuration().create(configuration().options);
  constexpr std::int64_t kLength = 1000;
  std::vector<std::int32_t> ones(kLength, 1), zeros(kLength, 0);
  auto place = [&](const std::vector<std::int32_t>& values) {
    void* data = backend->allocate(kLength * 4);
    backend->upload(data, values.data(), kLength * 4);
    return data;
  };
  Operand a{ElemType::kI32, kLength, place(ones)}, b{ElemType::kI32, kLength, place(ones)};
  Operand zero{ElemType::kI32, kLength, place(zeros)};
  Result result{ElemType::kI32, kLength, place(zeros)};
  auto divide = [&](std::uint32_t site, const Operand& divisor) {
    const Operand operands[] = {a, divisor};
    backend->set_site(site);
    backend->run(Elementwise{Op::kDivide, operands, result});
  };
  divide(1, b);
  divide(2, zero);
  divide(3, zero);
  divide(4, b);
  Fault fault = backend->take_fault();
  EXPECT_EQ(fault.kind, FaultKind::kDivideByZero);
  EXPECT_EQ(fault.site, 2u);
  EXPECT_EQ(fault.position, 0);
  EXPECT_FALSE(backend->has_fault());
  EXPECT_EQ(backend->take_fault().kind, FaultKind::kNone);
  divide(5, b);
  EXPECT_EQ(backend->take_fault().kind, FaultKind::kNone);
  std::vector<std::int32_t> quotients(kLength);
  backend->download(quotients.data(), result.data, kLength * 4);
  EXPECT_EQ(quotients, ones);
  for (const void* data : {a.data, b.data, zero.data, static_cast<const void*>(result.data)})
    backend->deallocate(const_cast<void*>(data), kLength * 4);
}

TEST(Faults, AnEarlierOperationsComesBeforeALaterOnesSmallerPosition) {
  auto backend = configuration().create(configuration().options);
  constexpr std::int64_t kLength = 64;
  auto place = [&](std::int64_t first_zero) {
    std::vector<std::int32_t> values(kLength, 1);
    for (std::int64_t e = first_zero; e < kLength; ++e) values[static_cast<std::size_t>(e)] = 0;
    void* data = backend->allocate(kLength * 4);
    backend->upload(data, values.data(), kLength * 4);
    return Operand{ElemType::kI32, kLength, data};
  };
  const Operand ones = place(kLength), late = place(50), early = place(3);
  const Result result{ElemType::kI32, kLength, backend->allocate(kLength * 4)};
  for (const auto& [site, divisor] : {std::pair{7u, late}, std::pair{8u, early}}) {
    const Operand operands[] = {ones, divisor};
    backend->set_site(site);
    backend->run(Elementwise{Op::kDivide, operands, result});
  }
  const Fault fault = backend->take_fault();
  EXPECT_EQ(fault.site, 7u);
  EXPECT_EQ(fault.position, 50);
  for (const void* data : {ones.data, late.data, early.data, static_cast<const void*>(result.data)})
    backend->deallocate(const_cast<void*>(data), kLength * 4);
}

TEST(Faults, OfAVectorWhollyAtFaultTheFirstElementIsReported) {
  auto backend = configuration().create(configuration().options);
  for (const std::int64_t length : {64, 70000, 1000000}) {
    const std::vector<std::int32_t> values(static_cast<std::size_t>(length), -1);
    const std::size_t bytes = values.size() * sizeof values[0];
    const Operand minus_one{ElemType::kI32, length, backend->allocate(bytes)};
    const Result result{ElemType::kI32, length, backend->allocate(bytes)};
    backend->upload(const_cast<void*>(minus_one.data), values.data(), bytes);
    backend->set_site(3);
    const SegmentDescriptor single = SegmentDescriptor::single(length);
    backend->run(Gather{minus_one, minus_one, {}, single, single, result});
    const Fault fault = backend->take_fault();
    EXPECT_EQ(fault.kind, FaultKind::kIndexRange);
    EXPECT_EQ(fault.site, 3u);
    EXPECT_EQ(fault.position, 0);
    EXPECT_EQ(fault.value, -1);
    EXPECT_EQ(fault.bound, length);
    for (const void* data : {minus_one.data, static_cast<const void*>(result.data)})
      backend->deallocate(const_cast<void*>(data), bytes);
  }
}

TEST(Backend, DescribesItself) {
  auto backend = configuration().create(configuration().options);
  std::string text = backend->description();
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace cvl::conformance
