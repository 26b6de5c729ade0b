#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/loop.h"
#include "lanes/llvm_text.h"

namespace cvl::cpu {

/// Appends the scans of a loop. The accumulation of each is carried from one iteration of a loop to the next, in some
/// lanes that are all equal; truth values are scanned as integers. Sums and products of floats have the grouping of
/// fold_order.h if the number of the element in lane 0 is a multiple of the number of lanes, as it is in one segment.
class ScanWriter {
 public:
  /// With `by_flags`, segments begin at head flags; otherwise, in a nest, the present one begins at element %start.
  ScanWriter(LlvmText& text, const Loop& loop, std::span<const ElemType> types, bool by_flags)
      : text_(text), loop_(loop), types_(types), by_flags_(by_flags) {}

  /// Loads the members of the function's argument that belong to scans.
  void load_members();
  std::vector<std::string> state_types() const;
  /// initial() loads the accumulations of the elements before element `begin`; in a nest, only if the segment has some.
  /// end() stores those of all elements.
  std::vector<LaneValue> initial(const std::string& begin);
  void end(std::span<const LaneValue> carries);

  /// Results of scan k for the elements from `e` on; if `mask` is not empty, only elements in it count.
  LaneValue add(std::size_t k, const LaneValue& elements, std::span<LaneValue> carries, std::string_view e,
                const std::string& mask);

 private:
  struct Members {
    std::string carry;   ///< address of the accumulation
    LaneValue identity;  ///< the identity element, loaded as the accumulation is
    std::string heads;
    std::string whole;  ///< an i1: whether there is one segment for all segments of the nest
    std::string start;  ///< element at which the segment begins
  };
  const vcode::OpInfo& row(std::size_t k) const { return vcode::info(loop_.scans[k].step->op); }
  ElemType type(std::size_t k) const { return types_[loop_.scans[k].step->operands[0]]; }
  LaneValue load_carry(std::size_t k, const std::string& address);
  std::string heads_at(std::size_t k, std::string_view e);

  LlvmText& text_;
  const Loop& loop_;
  std::span<const ElemType> types_;
  bool by_flags_;
  std::vector<Members> members_;
};

}  // namespace cvl::cpu
