#include "device_workspace.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

namespace bench::cuda {
namespace {

std::vector<std::int64_t> segment_offsets(Shape shape, std::int64_t elements) {
  std::vector<std::int64_t> offsets{0};
  if (shape == Shape::kHuge) {
    const std::int64_t tiny = std::min<std::int64_t>(elements / 2, 1000000);
    for (std::int64_t k = 0; k <= tiny; ++k) offsets.push_back(offsets.back() + (k == tiny / 2 ? elements - tiny : 1));
    return offsets;
  }
  std::mt19937_64 random(20240611);
  const auto next_length = [&]() -> std::int64_t {
    switch (shape) {
      case Shape::kEqual1000:
        return 1000;
      case Shape::kPowerLaw:
        return std::min(std::max<std::int64_t>(1, elements / 10),
                        std::int64_t(1 / (1 - std::ldexp(double(random() >> 11), -53))));
      default:
        return 16;
    }
  };
  if (shape > Shape::kHuge) {
    const std::int64_t row = shape == Shape::kLongRow ? elements / 2 : 0, short_elements = elements - row;
    for (bool has_row = row == 0; offsets.back() < elements;) {
      const std::int64_t begin = offsets.back();
      const bool is_row = !has_row && begin >= short_elements / 2;
      offsets.push_back(std::min(elements, begin + (is_row ? row : next_length())));
      has_row = has_row || is_row;
    }
    return offsets;
  }
  const std::uint64_t mean = shape == Shape::kLong ? 1000 : 10;
  while (offsets.back() < elements)
    offsets.push_back(std::min(elements, offsets.back() + std::int64_t(random() % (2 * mean + 1))));
  return offsets;
}

/// The length of all segments; -1 if they differ, or there are none.
std::int64_t regular_length(const std::vector<std::int64_t>& offsets) {
  for (std::size_t k = 1; k < offsets.size(); ++k)
    if (offsets[k] - offsets[k - 1] != offsets[1]) return -1;
  return offsets.size() > 1 ? offsets[1] : -1;
}

std::int64_t longest_of(const std::vector<std::int64_t>& offsets) {
  std::int64_t longest = 0;
  for (std::size_t k = 1; k < offsets.size(); ++k) longest = std::max(longest, offsets[k] - offsets[k - 1]);
  return longest;
}

}  // namespace

Workspace::Workspace(cvl::Backend& backend, Shape shape, std::int64_t elements)
    : backend_(backend), descriptor_(cvl::SegmentDescriptor::single(elements)), longest_(elements) {
  if (shape == Shape::kFlat) return;
  const std::vector<std::int64_t> offsets = segment_offsets(shape, elements);
  const cvl::Result on_device = vector(ElemType::kI64, std::int64_t(offsets.size()));
  backend_.upload(on_device.data, offsets.data(), offsets.size() * sizeof(std::int64_t));
  offsets_ = static_cast<const std::int64_t*>(on_device.data);
  longest_ = longest_of(offsets);
  descriptor_ = {std::int64_t(offsets.size()) - 1, elements, regular_length(offsets), offsets_};
  if (descriptor_.is_regular()) descriptor_.offsets = nullptr;
  if (descriptor_.is_regular() || !backend_.wants_segment_heads()) return;
  const cvl::Result heads = vector(ElemType::kI64, cvl::head_words(elements));
  std::vector<std::int32_t> nonempty(offsets.size());
  std::int32_t& count = nonempty.back();
  for (std::size_t k = 0; k + 1 < offsets.size(); ++k)
    if (offsets[k] < offsets[k + 1]) nonempty[static_cast<std::size_t>(count++)] = static_cast<std::int32_t>(k);
  const cvl::Result numbers = vector(ElemType::kI32, std::int64_t(nonempty.size()));
  backend_.upload(numbers.data, nonempty.data(), nonempty.size() * sizeof(std::int32_t));
  descriptor_.nonempty = static_cast<const std::int32_t*>(numbers.data);
  backend_.run(cvl::MakeSegmentHeads{descriptor_, heads});
  descriptor_.heads = static_cast<const cvl::SegmentHeads*>(heads.data);
}

Workspace::~Workspace() {
  for (const auto& [data, bytes] : blocks_) backend_.deallocate(data, bytes);
}

cvl::Result Workspace::vector(ElemType type, std::int64_t n) {
  const std::size_t bytes = std::max<std::size_t>(1, std::size_t(n) * cvl::elem_size(type));
  void* data = backend_.allocate(bytes);
  if (data == nullptr) throw std::runtime_error("out of memory");
  blocks_.emplace_back(data, bytes);
  return {type, n, data};
}

cvl::Operand Workspace::numbers(ElemType type, std::int64_t n, std::int32_t below) {
  const cvl::Result drawn = vector(ElemType::kI32, n);
  backend_.run(cvl::Dist{{ElemType::kI32, 1, &below, true}, cvl::SegmentDescriptor::single(n), drawn});
  backend_.run(cvl::Random{operand(drawn), {.seed = 1, .call = ++drawn_}, drawn});
  if (type == ElemType::kI32) return operand(drawn);
  const cvl::Result result = vector(type, n);
  const cvl::Operand operands[] = {operand(drawn)};
  backend_.run(cvl::Elementwise{type == ElemType::kB8 ? cvl::Op::kIntToBool : cvl::Op::kIntToFloat, operands, result});
  return operand(result);
}

cvl::Operand Workspace::flags(std::int64_t n) { return numbers(ElemType::kB8, n, 2); }

cvl::Operand Workspace::permutation() {
  const cvl::Operand keys = numbers(ElemType::kI32, descriptor_.elements, 1 << 30);
  const cvl::Result result = vector(ElemType::kI32, descriptor_.elements);
  backend_.run(cvl::Rank{false, keys, descriptor_, result});
  return operand(result);
}

}  // namespace bench::cuda
