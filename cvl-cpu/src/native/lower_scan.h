#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "native/llvm_text.h"
#include "regions/native_region.h"

namespace cvl::cpu {

/// Appends the scans of a region. The accumulation of each passes from one round of a loop to the next: some lanes that
/// are all equal, of integers if truth values are scanned. Sums and products of floats have the grouping of
/// fold_order.h, if the number of the element in lane 0 is a multiple of the number of lanes, as it is in one segment.
class ScanWriter {
 public:
  /// With `by_flags` segments begin where head flags say, else at element %start alone.
  ScanWriter(LlvmText& text, const Region& region, std::span<const ElemType> types, bool by_flags)
      : text_(text), region_(region), types_(types), by_flags_(by_flags) {}

  /// Loads the region's words that tell of scans.
  void load_words();
  std::vector<std::string> state_types() const;
  /// The accumulations before there are elements; the stores of those with all elements.
  std::vector<LaneValue> initial();
  void end(std::span<const LaneValue> carries);

  /// The results of scan k for the elements from `e` on, of which only those in `mask` count if it is not empty.
  LaneValue add(std::size_t k, const LaneValue& elements, std::span<LaneValue> carries, std::string_view e,
                const std::string& mask);

 private:
  struct Words {
    std::string carry;  ///< its address
    LaneValue neutral;  ///< what an accumulation starts from, loaded as a carry is
    std::string heads;
  };
  const vcode::OpInfo& row(std::size_t k) const { return vcode::info(region_.scans[k].step->op); }
  ElemType type(std::size_t k) const { return types_[region_.scans[k].step->operands[0]]; }
  LaneValue load_carry(std::size_t k, const std::string& address);
  std::string heads_at(std::size_t k, std::string_view e);

  LlvmText& text_;
  const Region& region_;
  std::span<const ElemType> types_;
  bool by_flags_;
  std::vector<Words> words_;
};

}  // namespace cvl::cpu
