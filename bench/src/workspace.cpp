#include "workspace.h"

#include <algorithm>
#include <stdexcept>

namespace bench {
namespace {

/// Random lengths of segments of the given shape, whose sum is `elements`.
std::vector<std::int64_t> segment_lengths(Shape shape, std::int64_t elements, std::mt19937_64& random) {
  std::vector<std::int64_t> lengths;
  if (shape == Shape::kHuge) {
    // One huge segment, with half of the elements or all but a million, among segments of one element.
    const std::int64_t tiny = std::min<std::int64_t>(elements / 2, 1000000);
    lengths.assign(std::size_t(tiny + 1), 1);
    lengths[std::size_t(tiny / 2)] = elements - tiny;
    return lengths;
  }
  const std::int64_t mean = shape == Shape::kLong ? 1000 : 10;
  for (std::int64_t left = elements; left > 0;) {
    const std::int64_t drawn = shape == Shape::kRegular ? mean : std::int64_t(random() % std::uint64_t(2 * mean + 1));
    lengths.push_back(std::min(left, drawn));
    left -= lengths.back();
  }
  return lengths;
}

}  // namespace

Workspace::Workspace(cvl::Backend& backend, peers::Team& team, Shape shape, std::int64_t elements)
    : backend_(backend), team_(team), descriptor_(cvl::SegmentDescriptor::single(elements)) {
  peer_segments_.elements = elements;
  if (shape == Shape::kFlat) return;
  const std::vector<std::int64_t> lengths = segment_lengths(shape, elements, random_);
  const std::int64_t segments = std::int64_t(lengths.size());
  std::int64_t* offsets = vector<std::int64_t>(segments + 1);
  for (std::int64_t k = 0; k < segments; ++k) offsets[k + 1] = offsets[k] + lengths[std::size_t(k)];
  const bool regular = shape == Shape::kRegular && elements % lengths[0] == 0;
  descriptor_ = {segments, elements, regular ? lengths[0] : -1, regular ? nullptr : offsets};
  peer_segments_ = {segments, elements, offsets};
}

Workspace::~Workspace() {
  for (const auto& [data, bytes] : blocks_) backend_.deallocate(data, bytes);
}

void* Workspace::memory(std::size_t bytes) {
  void* data = backend_.allocate(bytes);
  if (data == nullptr) throw std::runtime_error("the backend has no memory left");
  blocks_.emplace_back(data, bytes);
  return data;
}

}  // namespace bench
