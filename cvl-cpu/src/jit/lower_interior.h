#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "jit/lower_made_input.h"
#include "kernels/loop.h"
#include "lanes/llvm_text.h"

namespace cvl::cpu {

/// A table of gathers in a segment, as values of a compiled function.
struct TableText {
  ElemType type;
  std::string address, length;  ///< the first element, and the number of elements, an i64
};

/// Appends the interior of a segment (Loop::Interior) in a loop nest over segments: its range, the elements that are
/// the same in it, and the loads of runs.
class InteriorWriter {
 public:
  /// `may_be_strided`: whether progressions may have stride 2, and not only 1.
  InteriorWriter(LlvmText& text, const Loop::Interior& interior, std::span<const ElemType> types,
                 std::span<const MadeInputWriter> made, bool may_be_strided)
      : text_(text), interior_(interior), types_(types), made_(made), may_be_strided_(may_be_strided) {}

  /// Appends the computation of the interior of the elements from `begin` to `end`, which is empty at `begin` if there
  /// is less than a vector. If the i1 `whole` is true, or there are many, it consists of whole vectors, counted from
  /// `begin`; otherwise its last vector may overlap the one before. `tables` are those of the loop.
  void enter_segment(const std::string& begin, const std::string& end, const std::string& whole,
                     std::span<const TableText> tables);
  const std::string& begin() const { return begin_; }
  const std::string& end() const { return end_; }
  /// Whether progressions have stride 2, an i1; empty if they certainly have not.
  const std::string& is_strided() const { return is_strided_; }

  /// An element that is the same in the segment, in all lanes; null for results of other gathers.
  const LaneValue* constant(vcode::KernelVar result) const;
  /// Appends the load of the elements of a run for the loop's elements from `e` on; if `strided`, for stride 2.
  LaneValue load(std::size_t run, std::string_view e, bool strided);

 private:
  std::string at_begin(const Loop::Linear& linear);
  std::string term_at_begin(vcode::KernelVar v);
  std::string chosen(const Loop::Interior::Choice& choice);
  void require_conditions();
  void load_constant(const Loop::Interior::Gather& gather, const TableText& table);
  void restrict_to(const Loop::Interior::Bound& bound);
  void require_not_negative(const std::string& value, int slope);
  void require_not_zero(const std::string& value, int slope);
  void require(const std::string& condition);
  void begin_after(const std::string& distance);
  void end_before(const std::string& distance);
  std::string first_element(const std::string& value, int slope);
  std::string in_strides(const std::string& distance);
  std::string in_values(std::string_view distance);
  std::string define(std::string_view instruction, std::string_view a, std::string_view b);
  std::string limit(std::string_view which, std::string_view a, std::string_view b);

  LlvmText& text_;
  const Loop::Interior& interior_;
  std::span<const ElemType> types_;
  std::span<const MadeInputWriter> made_;
  bool may_be_strided_;
  std::string segment_begin_, count_;
  std::map<vcode::KernelVar, std::string> terms_;    ///< values of terms for the first element, each an i64
  std::set<vcode::KernelVar> small_;                 ///< terms of 64 bits that are required to be small
  std::map<vcode::KernelVar, LaneValue> constants_;  ///< by the results of gathers
  std::vector<std::string> origins_;  ///< of runs: where the element for element 0 of the loop would be, or the element
  /// If progressions that may be strided are read: whether they are, an i1, and the same as an i64. Else empty.
  std::string is_strided_, shift_;
  std::string low_, high_;  ///< while bounds are added: the interior's distances from the segment's begin
  std::string begin_, end_;
};

}  // namespace cvl::cpu
