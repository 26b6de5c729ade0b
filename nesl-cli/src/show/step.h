#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nesl-compiler/watch_point.h"

namespace nesl_cli {

/// A division of elements into segments, or the choice of some of them: one nesting level, or the sequences of a value.
/// Long vectors are kept in part: their beginnings.
struct Layer {
  bool is_subset = false;             ///< `numbers` are flags, not lengths
  std::string label = {};             ///< see nesl::WatchPoint::Level; empty for sequences of a value
  std::int64_t outer = 0, inner = 0;  ///< number of instances outside, and of instances or elements inside
  /// For each of the first instances outside: the length of its segment, or 1 if it is chosen and 0 if not.
  std::vector<std::int64_t> numbers = {};
  std::vector<std::int64_t> starts = {};  ///< sums of `numbers` before each, and of all
};
using LayerPtr = std::shared_ptr<const Layer>;

/// A flat value: a tree of descriptors and vectors, as nesl::ValueShape orders them.
struct FlatTree {
  const nesl::ValueShape* shape = nullptr;
  LayerPtr segments = {};               ///< of a sequence
  std::int64_t length = 0;              ///< of a vector: its number of elements
  std::vector<std::string> texts = {};  ///< of a vector: its first elements as NESL writes them; characters without `
  std::vector<FlatTree> parts = {};     ///< as those of the shape
};

/// A value that a run has computed.
struct Step {
  const nesl::WatchPoint* point = nullptr;
  std::size_t recursion = 0;  ///< number of calls of the point's function around the step; 0 if the function is inlined
  std::vector<LayerPtr> levels{};  ///< nesting levels around an instance of the value, outermost first
  FlatTree value = {};
};

}  // namespace nesl_cli
