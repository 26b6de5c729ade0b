#include "call.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cvl::conformance {

namespace {

constexpr std::byte kGuard{0x5C};
constexpr std::size_t kGuardBytes = 128;

/// Memory of a backend, freed by the destructor. A guard follows the requested bytes.
class Block {
 public:
  /// Allocates memory filled with the guard's byte.
  Block(Backend& backend, std::size_t bytes) : backend_(backend), bytes_(bytes) {
    allocate();
    std::vector<std::byte> fill(bytes + kGuardBytes, kGuard);
    backend.upload(data_, fill.data(), fill.size());
  }
  Block(Backend& backend, const HostVector& vector) : backend_(backend), bytes_(vector.bytes.size()) {
    allocate();
    std::vector<std::byte> guard(kGuardBytes, kGuard);
    if (bytes_ > 0) backend.upload(data_, vector.bytes.data(), bytes_);
    backend.upload(static_cast<std::byte*>(data_) + bytes_, guard.data(), kGuardBytes);
  }
  Block(Block&& other) noexcept
      : backend_(other.backend_), bytes_(other.bytes_), data_(std::exchange(other.data_, nullptr)) {}
  ~Block() {
    if (data_ != nullptr) backend_.deallocate(data_, bytes_ + kGuardBytes);
  }

  void* data() const { return data_; }
  HostVector read(Shape shape) const {
    HostVector vector(shape.type, shape.length);
    if (bytes_ > 0) backend_.download(vector.bytes.data(), data_, vector.bytes.size());
    return vector;
  }
  bool guard_intact() const {
    std::vector<std::byte> guard(kGuardBytes);
    backend_.download(guard.data(), static_cast<std::byte*>(data_) + bytes_, kGuardBytes);
    return std::count(guard.begin(), guard.end(), kGuard) == static_cast<std::ptrdiff_t>(kGuardBytes);
  }

 private:
  void allocate() {
    data_ = backend_.allocate(bytes_ + kGuardBytes);
    if (data_ == nullptr) throw std::bad_alloc();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data_) % 64, 0u);
  }

  Backend& backend_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// Sets map.nonempty if a segment is empty, and map.heads to the result of the backend. Calls with makes_heads check
/// these results.
void place_heads(const Segmentation& segmentation, Backend& backend, std::vector<Block>& blocks,
                 SegmentDescriptor& descriptor) {
  if (std::ranges::find(segmentation.lengths, 0) != segmentation.lengths.end()) {
    HostVector nonempty(ElemType::kI32, descriptor.segments + 1);
    const std::span<std::int32_t> numbers = nonempty.as<std::int32_t>();
    std::int32_t& count = numbers.back();
    for (std::int64_t k = 0; k < descriptor.segments; ++k)
      if (segmentation.lengths[k] > 0) numbers[count++] = static_cast<std::int32_t>(k);
    blocks.emplace_back(backend, nonempty);
    descriptor.nonempty = static_cast<const std::int32_t*>(blocks.back().data());
  }
  // Some descriptors go without heads, as those of 2^31 and more segments do.
  if (descriptor.segments % 4 == 3) return;
  const std::int64_t words = head_words(descriptor.elements);
  blocks.emplace_back(backend, static_cast<std::size_t>(words) * sizeof(SegmentHeads));
  const Result heads{ElemType::kI64, words, blocks.back().data()};
  backend.run(MakeSegmentHeads{descriptor, heads});
  descriptor.heads = static_cast<const SegmentHeads*>(heads.data);
}

SegmentDescriptor place(const Segmentation& segmentation, Backend& backend, std::vector<Block>& blocks) {
  SegmentDescriptor descriptor{segmentation.segments(), segmentation.elements(), -1};
  if (segmentation.regular()) {
    descriptor.regular_length = descriptor.segments == 0 ? 0 : segmentation.lengths.front();
    return descriptor;
  }
  HostVector offsets(ElemType::kI64, descriptor.segments + 1);
  std::int64_t sum = 0;
  for (std::int64_t k = 0; k < descriptor.segments; ++k) {
    offsets.as<std::int64_t>()[k] = sum;
    sum += segmentation.lengths[k];
  }
  offsets.as<std::int64_t>()[descriptor.segments] = sum;
  blocks.emplace_back(backend, offsets);
  descriptor.offsets = static_cast<const std::int64_t*>(blocks.back().data());
  if (backend.wants_segment_heads()) place_heads(segmentation, backend, blocks, descriptor);
  return descriptor;
}

std::string describe(const Call& call, int in_place) {
  std::string text = call.title;
  for (const Segmentation& s : call.segmentations) {
    text += fmt::format("\n  segments: {} ({}, {} elements)", s.name, s.segments(), s.elements());
    if (s.segments() <= 40) text += fmt::format(": {}", fmt::join(s.lengths, " "));
  }
  for (const HostVector& operand : call.operands) {
    text += fmt::format("\n  operand {}[{}]", vcode::elem_name(operand.type), operand.length);
    for (std::int64_t e = 0; operand.length <= 40 && e < operand.length; ++e)
      text += fmt::format("{} {}", e == 0 ? ":" : ",", element_text(operand, e));
  }
  if (in_place >= 0) text += fmt::format("\n  in place of operand {}", in_place);
  return text;
}

std::string describe(const Fault& fault) {
  return fmt::format("fault kind {} at {}, value {}, bound {}, site {}", static_cast<int>(fault.kind), fault.position,
                     fault.value, fault.bound, fault.site);
}

}  // namespace

Outcome run(Backend& backend, const Call& call, int in_place) {
  std::vector<Block> blocks;
  blocks.reserve(call.operands.size() + call.results.size() + call.rooms.size() + 3 * call.segmentations.size());
  Placed placed;
  for (const HostVector& operand : call.operands) {
    blocks.emplace_back(backend, operand);
    placed.operands.push_back({operand.type, operand.length, blocks.back().data()});
  }
  const std::size_t first_result = blocks.size();
  for (std::size_t r = 0; r < call.results.size(); ++r) {
    const Shape& shape = call.results[r];
    if (r == 0 && in_place >= 0) {
      placed.results.push_back({shape.type, shape.length, blocks[static_cast<std::size_t>(in_place)].data()});
      continue;
    }
    blocks.emplace_back(backend, static_cast<std::size_t>(shape.length) * elem_size(shape.type));
    placed.results.push_back({shape.type, shape.length, blocks.back().data()});
  }
  for (const Shape& room : call.rooms) {
    blocks.emplace_back(backend, static_cast<std::size_t>(room.length) * elem_size(room.type));
    placed.rooms.push_back({room.type, room.length, blocks.back().data()});
  }
  for (const Segmentation& segmentation : call.segmentations)
    placed.descriptors.push_back(place(segmentation, backend, blocks));

  call.issue(backend, placed);

  Outcome outcome;
  outcome.fault = backend.take_fault();
  std::size_t block = first_result;
  for (std::size_t r = 0; r < call.results.size(); ++r) {
    const Block& holder = r == 0 && in_place >= 0 ? blocks[static_cast<std::size_t>(in_place)] : blocks[block++];
    outcome.results.push_back(holder.read(call.results[r]));
  }
  for (const Block& b : blocks)
    EXPECT_TRUE(b.guard_intact()) << describe(call, in_place) << "\n  wrote behind the end of a vector";
  for (std::size_t k = 0; k < call.operands.size(); ++k) {
    if (static_cast<int>(k) == in_place) continue;
    HostVector now = blocks[k].read({call.operands[k].type, call.operands[k].length});
    EXPECT_TRUE(same_bytes(now, call.operands[k])) << describe(call, in_place) << "\n  changed operand " << k;
  }
  return outcome;
}

void expect_same_as_oracle(Backend& subject, Backend& oracle, const Call& call) {
  if (call.makes_heads && !subject.wants_segment_heads()) return;
  const Outcome expected = run(oracle, call);
  ASSERT_EQ(expected.fault.kind, FaultKind::kNone)
      << "bad test data: " << describe(call, -1) << "\n  " << describe(expected.fault);
  // Long vectors take most of the time, so each is tried with only one operand in place.
  constexpr std::int64_t kLong = 20000;
  std::vector<int> variants{-1};
  variants.insert(variants.end(), call.reusable.begin(), call.reusable.end());
  if (variants.size() > 2 && call.results[0].length > kLong) variants.resize(2);
  for (int in_place : variants) {
    const Outcome actual = run(subject, call, in_place);
    ASSERT_EQ(actual.fault.kind, FaultKind::kNone) << describe(call, in_place) << "\n  " << describe(actual.fault);
    for (std::size_t r = 0; r < call.results.size(); ++r) {
      auto difference = first_difference(expected.results[r], actual.results[r], r == 0 ? call.agreement : Agreement{});
      ASSERT_FALSE(difference) << describe(call, in_place) << "\n  result " << r << ", " << *difference;
    }
  }
}

void expect_same_bits(Backend& a, Backend& b, const Call& call) {
  if (call.makes_heads && !(a.wants_segment_heads() && b.wants_segment_heads())) return;
  const Outcome x = run(a, call), y = run(b, call);
  ASSERT_EQ(x.fault.kind, y.fault.kind) << describe(call, -1);
  ASSERT_EQ(x.fault.position, y.fault.position) << describe(call, -1);
  if (x.fault.kind != FaultKind::kNone) return;
  for (std::size_t r = 0; r < call.results.size(); ++r) {
    if (same_bytes(x.results[r], y.results[r])) continue;
    auto difference = first_difference(x.results[r], y.results[r], Agreement{});
    FAIL() << describe(call, -1) << "\n  result " << r << ", " << difference.value_or("NaNs of different bits");
  }
}

void expect_same_fault(Backend& subject, Backend& oracle, const Call& call) {
  const Fault expected = run(oracle, call).fault;
  ASSERT_NE(expected.kind, FaultKind::kNone) << "bad test data: " << describe(call, -1);
  const Fault actual = run(subject, call).fault;
  bool same = actual.kind == expected.kind && actual.position == expected.position && actual.site == expected.site;
  if (expected.kind != FaultKind::kFloatToInt) same = same && actual.value == expected.value;
  if (expected.kind == FaultKind::kIndexRange) same = same && actual.bound == expected.bound;
  ASSERT_TRUE(same) << describe(call, -1) << "\n  expected " << describe(expected) << "\n  got      "
                    << describe(actual);
}

}  // namespace cvl::conformance
