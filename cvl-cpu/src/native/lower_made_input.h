#pragma once

#include <string>

#include "native/llvm_text.h"
#include "regions/native_region.h"

namespace cvl::cpu {

/// An input of a region that is made from an element for each segment (see Region::Made), in code that goes by
/// segments.
class MadeInputWriter {
 public:
  /// Words of the region, as text: that of the k-th input, those of made_words() behind each other.
  struct Words {
    std::string segments, step;
    std::string stride;         ///< of INDEX
    std::string table, length;  ///< of SLICE
  };
  MadeInputWriter(const Region::Input& input, ElemType type, ElemType segments_type, Words words)
      : input_(input), type_(type), segments_type_(segments_type), words_(std::move(words)) {}

  const Region::Input& input() const { return input_; }
  /// Appends what does not change within segment `k`, which begins at element `start`. Of a slice, returns whether the
  /// segment's elements from `begin` to `end` are in its table; else nothing.
  std::string enter_segment(LlvmText& text, const std::string& k, const std::string& start, const std::string& begin,
                            const std::string& end);
  /// Whether the elements are loaded from address(), as those of a vector are.
  bool is_loaded() const { return input_.made == Region::Made::kSlice; }
  const std::string& address() const { return address_; }
  /// Of DIST: the element, in all lanes.
  LaneValue& spread() { return spread_; }
  /// The elements from `e` on, if they are not loaded.
  LaneValue elements(LlvmText& text, std::string_view e) const;

 private:
  const Region::Input& input_;
  ElemType type_, segments_type_;
  Words words_;
  std::string address_;         ///< of a slice: where its element 0 would be
  LaneValue spread_;            ///< of DIST
  std::string start_, stride_;  ///< of INDEX: element 0 as it would be, the stride
  std::string multiples_;       ///< of the stride: 0 in the first lane
};

}  // namespace cvl::cpu
