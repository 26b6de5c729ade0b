#pragma once

#include <string>

#include "kernels/loop.h"
#include "lanes/llvm_text.h"

namespace cvl::cpu {

/// Appends the generation of an input from one value per segment (see Loop::Access), in a loop nest over segments.
class MadeInputWriter {
 public:
  /// Members of the function's argument for the input, as text.
  struct Members {
    std::string segments, step;
    std::string stride;         ///< of an INDEX
    std::string table, length;  ///< of a SLICE
  };
  MadeInputWriter(const Loop::Input& input, ElemType type, ElemType segments_type, Members members)
      : input_(input), type_(type), segments_type_(segments_type), members_(std::move(members)) {}

  const Loop::Input& input() const { return input_; }
  /// Appends the part that is the same for all segments: a constant.
  void enter_function(LlvmText& text);
  /// Appends the part that does not change within segment `k`, which begins at element `start`. For a SLICE, returns
  /// whether the segment's elements from `begin` to `end` are within its table; otherwise nothing.
  std::string enter_segment(LlvmText& text, const std::string& k, const std::string& start, const std::string& begin,
                            const std::string& end);
  /// Whether the elements are loaded from address(), as those of a vector are.
  bool is_loaded() const { return input_.access == Loop::Access::kSlice; }
  const std::string& address() const { return address_; }
  /// For DIST: the element, in all lanes.
  LaneValue& spread() { return spread_; }
  /// The elements from `e` on, if they are not loaded.
  LaneValue elements(LlvmText& text, std::string_view e) const;
  /// For INDEX and DIST of INTs: element `e` as an i64.
  std::string element(LlvmText& text, std::string_view e) const;
  /// For INDEX: the stride.
  const std::string& stride() const { return stride_; }

 private:
  std::string at(LlvmText& text, std::string_view e) const;

  const Loop::Input& input_;
  ElemType type_, segments_type_;
  Members members_;
  std::string address_;         ///< for SLICE: where element 0 of the index space would be
  std::string element_;         ///< for DIST: the element
  LaneValue spread_;            ///< for DIST: the element in all lanes
  std::string start_, stride_;  ///< for INDEX: element 0 of the index space as it would be, and the stride
  std::string multiples_;       ///< 0, 1, 2, … times the stride, in the lanes
};

}  // namespace cvl::cpu
