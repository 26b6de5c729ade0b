#pragma once

#include <span>
#include <string>
#include <vector>

#include "jit/llvm_text.h"
#include "jit/lower_made_input.h"
#include "kernels/loop.h"

namespace cvl::cpu {

/// A gather of consecutive elements, as values of a compiled function.
struct RunText {
  std::string length;  ///< number of elements of the table, an i64
  std::string table;   ///< address of its first element
  std::string origin;  ///< from InteriorWriter: see load()
};

/// Appends the interior of a segment (Loop::Interior) in a loop nest over segments: its range, and the loads of runs.
class InteriorWriter {
 public:
  InteriorWriter(LlvmText& text, const Loop::Interior& interior, std::span<const ElemType> types,
                 std::span<const MadeInputWriter> made)
      : text_(text), interior_(interior), types_(types), made_(made) {}

  /// Appends the computation of the interior of the elements from `begin` to `end`. It consists of whole vectors,
  /// counted from `begin`, and is empty at `begin` if there are few. `runs` are those of the interior, in order, with
  /// elements of the types `stored`; their origins are set.
  void enter_segment(const std::string& begin, const std::string& end, std::span<RunText> runs,
                     std::span<const ElemType> stored);
  const std::string& begin() const { return begin_; }
  const std::string& end() const { return end_; }

  /// Appends the load of a run's elements for the loop's elements from `e` on.
  static LaneValue load(LlvmText& text, const RunText& run, int slope, ElemType type, std::string_view e);

 private:
  std::string at_begin(const Loop::Linear& linear);
  void restrict_to(const Loop::Interior::Bound& bound);
  void require_not_negative(const std::string& value, int slope);
  void require_not_zero(const std::string& value, int slope);
  void require(const std::string& condition);
  void begin_after(const std::string& distance);
  void end_before(const std::string& distance);
  std::string define(std::string_view instruction, std::string_view a, std::string_view b);
  std::string limit(std::string_view which, std::string_view a, std::string_view b);

  LlvmText& text_;
  const Loop::Interior& interior_;
  std::span<const ElemType> types_;
  std::span<const MadeInputWriter> made_;
  std::string segment_begin_, count_;
  std::string low_, high_;  ///< while bounds are added: the interior's distances from the segment's begin
  std::string begin_, end_;
};

}  // namespace cvl::cpu
