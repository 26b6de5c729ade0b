#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "native/llvm_text.h"
#include "native/lower_elementwise.h"
#include "regions/native_region.h"
#include "vcode/kernel.h"

namespace cvl::cpu {

/// Writes the AcrossFunction of a region, which must be one that goes across segments: each lane has a segment of its
/// own, of which an element is computed at a time, so that nothing is combined across lanes. What is made from an
/// element for each segment is a vector of these elements.
class AcrossWriter {
 public:
  AcrossWriter(const vcode::Kernel& kernel, const Region& region, std::span<const ElemType> types,
               const NativeTarget& target);

  /// The function, with a name that is written between quotation marks.
  std::string write(const std::string& name);
  const std::set<std::string>& declarations() const { return text_.declarations(); }

 private:
  /// An input in the segments of the lanes.
  struct Made {
    const Region::Input* input = nullptr;
    std::string segments, stride, table, length;  ///< words
    std::string is_several;                       ///< of DIST: whether it has an element for each segment
    LaneValue first;                              ///< of DIST the element, of INDEX and SLICE the start
    LaneValue strides;                            ///< of INDEX
    std::string common, is_common;                ///< of SLICE: the start of the first lane, whether it is that of all
  };
  struct Extreme {
    const vcode::Kernel::Step* step = nullptr;
    std::string result;  ///< the address of that of segment 0
    LaneValue best;
    std::string place;  ///< of the best element in its segment, -1 if there is none
  };

  void load_words();
  std::string enter_segments(Made& made);
  LaneValue spread(const Made& made);
  LaneValue element(const Made& made, const std::string& active);
  LaneValue sliced(const Made& made, const std::string& active);
  void compute(const std::string& active);
  void take(Extreme& extreme, const std::string& active);
  void store_index(const Extreme& extreme);

  ElemType type(vcode::KernelVar v) const { return types_[v]; }
  std::string bits() const { return text_.type(ElemType::kB8); }
  std::string all_of(const std::string& lanes);

  LlvmText text_;
  const vcode::Kernel& kernel_;
  const Region& region_;
  std::span<const ElemType> types_;
  std::vector<Made> made_;
  std::vector<Extreme> extremes_;
  std::vector<LaneValue> values_;  ///< of the kernel
  std::string present_;            ///< lanes that have a segment
  std::string lengths_;            ///< of the segments, 32 bits each; 0 in other lanes
  std::string faults_;             ///< lanes at fault
};

}  // namespace cvl::cpu
